//! Configuration that takes an object under management, as text.

use ferroform::schema::{Block, Presence};
use ferroform::value::Value;

use super::hcl::{NotWritable, import_text};
use super::{Body, Config, Expr, NestedBlock, ResourceBlock, build};
use crate::address::InstanceAddress;

/// The blocks for an object that is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generated {
    /// The `resource` block.
    pub resource: String,
    /// The `import` block.
    pub import: String,
}

impl Generated {
    /// The blocks for an object with that value and identity, made by that provider configuration.
    pub(crate) fn of(
        (type_name, name): (&str, &str),
        provider: Option<&(String, Option<String>)>,
        schema: &Block,
        (value, identity): (&Value, &Value),
    ) -> Result<Self, NotWritable> {
        let block = ResourceBlock {
            provider: provider.cloned(),
            body: body(schema, value),
            ..build::resource(type_name, name)
        };
        let to = InstanceAddress::from(block.address.clone());
        let resource = Config::new().resource(block).to_hcl()?;
        Ok(Self { resource: resource.trim_end().to_owned(), import: import_text(&to, provider, identity)? })
    }
}

/// The arguments that make such an object: all that a configuration can set, nulls included, so that a person sees what
/// there is. What the provider would decide itself is left out where it is null.
fn body(schema: &Block, value: &Value) -> Body {
    let mut body = Body::of(schema, value);
    body.blocks.iter_mut().for_each(|nested| set_only(schema, nested));
    let settable = schema.attributes.iter().filter(|it| it.presence != Presence::Computed);
    let arguments = settable.filter_map(|attribute| {
        let name = attribute.name.to_string();
        let value = value.as_entries()?.get(&attribute.name)?.peel();
        let is_left_out = value.is_null() && attribute.presence == Presence::OptionalComputed;
        (!is_left_out).then(|| (name, Expr::Literal(value.clone())))
    });
    body.arguments = arguments.collect();
    body.arguments.sort_by(|a, b| a.0.cmp(&b.0));
    body
}

/// Leaves out of a block what only the provider sets.
fn set_only(schema: &Block, nested: &mut NestedBlock) {
    let Some(schema) = schema.block(&nested.type_name).map(|it| &it.block) else { return };
    let is_computed = |name: &str| schema.attribute(name).is_some_and(|it| it.presence == Presence::Computed);
    nested.body.arguments.retain(|(name, _)| !is_computed(name));
    nested.body.blocks.iter_mut().for_each(|inner| set_only(schema, inner));
}
