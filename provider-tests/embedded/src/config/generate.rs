//! Configuration that takes an object under management, as text.

use ferroform::schema::{Attribute, AttributeType, Block, Nesting, Presence};
use ferroform::value::{Entries, Value};
use ferroform_core::schema::walk::{self, Member};

use super::hcl::{HclError, import_text};
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
    ) -> Result<Self, HclError> {
        let to = InstanceAddress::from(build::resource(type_name, name).address);
        let resource = resource_text((type_name, name), provider, schema, value)?;
        Ok(Self { resource, import: import_text(&to, provider, identity)? })
    }
}

/// The `resource` block for an object with that value.
pub(crate) fn resource_text(
    (type_name, name): (&str, &str),
    provider: Option<&(String, Option<String>)>,
    schema: &Block,
    value: &Value,
) -> Result<String, HclError> {
    let block = ResourceBlock {
        provider: provider.cloned(),
        body: body(schema, value),
        ..build::resource(type_name, name)
    };
    Ok(said(&Config::new().resource(block).to_hcl()?))
}

/// The configuration of an object where the provider does not generate it: without what only the provider sets, what is
/// deprecated, the ID of an older SDK, and empty strings.
pub(crate) fn config_from_state(schema: &Block, value: &Value) -> Value {
    let mut value = value.clone();
    remove_unconfigurable(schema.into(), &mut value);
    let is_legacy_id = |it: &Attribute| it.presence == Presence::OptionalComputed;
    if schema.attribute("id").is_some_and(is_legacy_id)
        && let Value::Object(entries) = &mut value
        && let Some(id) = entries.get_mut("id")
    {
        *id = Value::Null;
    }
    value
}

fn remove_unconfigurable(body: walk::Body<'_>, object: &mut Value) {
    let Value::Object(entries) = object else { return };
    for member in body.members() {
        let Some(value) = entries.get_mut(member.name()) else { continue };
        match (member, member.nested()) {
            (Member::Attribute(it), _) if is_unconfigurable(it, value) => *value = Value::Null,
            (Member::Block(it), _) if it.block.deprecation.is_some() => *value = it.absent(),
            (_, Some((_, body))) => {
                walk::objects_mut(value, [], &mut |object, []| remove_unconfigurable(body, object))
            }
            (_, None) => {}
        }
    }
}

fn is_unconfigurable(attribute: &Attribute, value: &Value) -> bool {
    attribute.presence == Presence::Computed
        || (attribute.presence != Presence::Required
            && (attribute.deprecation.is_some() || value.as_str() == Some("")))
}

/// The arguments that make such an object: all that a configuration can set, nulls included, so that a person sees what
/// there is. What the provider would decide itself is left out where it is null, and secrets are null.
fn body(schema: &Block, value: &Value) -> Body {
    let mut body = Body::of(schema, value);
    body.blocks.iter_mut().for_each(|nested| set_only(schema, nested));
    body.arguments =
        value.as_entries().map(|entries| members(&schema.attributes, entries)).unwrap_or_default();
    body.arguments.sort_by(|a, b| a.0.cmp(&b.0));
    body
}

/// The members of an object that a configuration can set.
fn members(attributes: &[Attribute], entries: &Entries) -> Vec<(String, Expr)> {
    let settable = attributes.iter().filter(|it| it.presence != Presence::Computed);
    let members = settable.filter_map(|attribute| {
        let value = entries.get(&attribute.name)?.peel();
        let is_left_out = value.is_null() && attribute.presence == Presence::OptionalComputed;
        (!is_left_out).then(|| (attribute.name.to_string(), argument(attribute, value)))
    });
    members.collect()
}

/// The value of an attribute as it is written.
fn argument(attribute: &Attribute, value: &Value) -> Expr {
    if attribute.sensitive {
        return secret();
    }
    if attribute.write_only {
        return Expr::Literal(Value::Null);
    }
    let AttributeType::Nested(nested) = &attribute.ty else { return Expr::Literal(value.clone()) };
    let object = |value: &Value| match value.peel().as_entries() {
        Some(entries) => Expr::Object(members(&nested.attributes, entries)),
        None => Expr::Literal(value.clone()),
    };
    match (nested.nesting, value) {
        (_, Value::Null) => Expr::Literal(Value::Null),
        (Nesting::Single, value) => object(value),
        (Nesting::Map, value) => {
            let entries = value.as_entries().into_iter().flat_map(Entries::iter);
            Expr::Object(entries.map(|(key, value)| (key.to_string(), object(value))).collect())
        }
        (_, value) => Expr::Tuple(value.elements().unwrap_or_default().iter().map(object).collect()),
    }
}

/// What stands for a secret until [`said`] is made of its text.
fn secret() -> Expr {
    Expr::Sensitive(Box::new(Expr::Literal(Value::Null)))
}

/// The text with the comment of core at each secret. No string has line breaks in it, nor ends without its quote.
fn said(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(" = sensitive(null)") {
        Some(name) => format!("{name} = null # sensitive"),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Leaves out of a block what only the provider sets, and its secrets.
fn set_only(schema: &Block, nested: &mut NestedBlock) {
    let Some(schema) = schema.block(&nested.type_name).map(|it| &it.block) else { return };
    nested.body.arguments.retain_mut(|(name, expr)| {
        let Some(attribute) = schema.attribute(name) else { return true };
        if let Expr::Literal(value) = expr {
            *expr = argument(attribute, value);
        }
        attribute.presence != Presence::Computed
    });
    nested.body.blocks.iter_mut().for_each(|inner| set_only(schema, inner));
}

#[cfg(test)]
mod tests {
    use ferroform::schema::{BlockNesting, NestedBlock, NestedObject};
    use ferroform::ty::Type;

    use super::*;

    #[test]
    fn what_nobody_can_configure_is_left_out_of_the_configuration_of_a_state() {
        let text = |name: &'static str| Attribute::optional(name, Type::String);
        let attributes = || {
            [
                Attribute::optional_computed("id", Type::String),
                Attribute::required("name", Type::String),
                text("empty"),
                text("old").deprecation("Use name."),
                Attribute::computed("made", Type::String),
                text("kept"),
            ]
        };
        let old = Block::new([text("a")]).deprecation("Use name.");
        let schema = Block::new(attributes()).blocks([
            NestedBlock::new("old_block", BlockNesting::List, old),
            NestedBlock::new("inner", BlockNesting::Single, Block::new(attributes())),
        ]);
        let x = || Value::from("x");
        let members = |id: Value, [empty, old, made]: [Value; 3]| {
            // A required attribute is kept even if it is empty.
            let name = Value::from("");
            [("id", id), ("name", name), ("empty", empty), ("old", old), ("made", made), ("kept", x())]
        };
        let object = |id: Value, others: [Value; 3], old_block: Vec<Value>| {
            let inner = Value::object(members(x(), others.clone()));
            let blocks = [("old_block", Value::list(old_block)), ("inner", inner)];
            Value::object(members(id, others).into_iter().chain(blocks))
        };
        let state = object(x(), [Value::from(""), x(), x()], vec![Value::object([("a", x())])]);
        let nothing = [Value::Null, Value::Null, Value::Null];
        assert_eq!(config_from_state(&schema, &state), object(Value::Null, nothing, Vec::new()));
    }

    #[test]
    fn secrets_and_what_only_the_provider_sets_are_not_generated() {
        let text = |name: &'static str| Attribute::optional(name, Type::String);
        let attributes = || {
            vec![
                text("plain"),
                text("secret").sensitive(),
                text("unsaid").write_only(),
                Attribute::computed("made", Type::String),
            ]
        };
        let nested =
            |name: &'static str, nesting| Attribute::optional(name, NestedObject::new(nesting, attributes()));
        let block = Block::new(attributes());
        let mut all = attributes();
        all.extend([
            nested("all", Nesting::List),
            nested("each", Nesting::Map),
            nested("one", Nesting::Single),
        ]);
        let blocks = vec![NestedBlock::new("inner", BlockNesting::List, block)];
        let schema = Block::new(all).blocks(blocks);
        let members =
            || ["plain", "secret", "unsaid", "made"].map(|name| (name, Value::from(format!("a {name}"))));
        let object = || Value::object(members());
        let value = Value::object(members().into_iter().chain([
            ("all", Value::list([object()])),
            ("each", Value::map([("k", object())])),
            ("one", object()),
            ("inner", Value::list([object()])),
        ]));
        let identity = Value::object([("plain", "a".into())]);
        let generated = Generated::of(("acme_thing", "this"), None, &schema, (&value, &identity));
        let expect = "\
resource \"acme_thing\" \"this\" {
  all = [
    {
      plain  = \"a plain\"
      secret = null # sensitive
      unsaid = null
    }
  ]
  each = {
    k = {
      plain  = \"a plain\"
      secret = null # sensitive
      unsaid = null
    }
  }
  one = {
    plain  = \"a plain\"
    secret = null # sensitive
    unsaid = null
  }
  plain  = \"a plain\"
  secret = null # sensitive
  unsaid = null

  inner {
    plain  = \"a plain\"
    secret = null # sensitive
    unsaid = null
  }
}";
        assert_eq!(generated.expect("it is known").resource, expect);
    }
}
