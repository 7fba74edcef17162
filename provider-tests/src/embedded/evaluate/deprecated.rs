//! What is deprecated in a value, and that core warns of it wherever such a value is used.

use std::sync::Arc;

use ferroform::path::Path;
use ferroform::schema::{Attribute, AttributeType, Block};
use ferroform::value::Value;

use super::Evaluated;
use crate::address::ResourceAddress;
use crate::client::Catalog;
use crate::diagnostic::Diagnostic;
use crate::embedded::scope::Scope;
use crate::state::{Descend, SchemaElement, places};

/// Something that comes from where a schema says that it is deprecated.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::embedded) struct Deprecated {
    /// Where it is in the value.
    pub(in crate::embedded) path: Path,
    source: Arc<Source>,
}

/// Where it comes from: the same for all instances of a resource.
#[derive(PartialEq, Eq)]
struct Source {
    resource: ResourceAddress,
    /// The path in the schema.
    names: Path,
    message: String,
}

/// What its schema says is deprecated in an object of a resource.
pub(in crate::embedded) fn of_schema(
    resource: &ResourceAddress,
    block: &Block,
    value: &Value,
) -> Vec<Deprecated> {
    let mut found = Vec::new();
    let mut add = |path: &Path, message: Option<&str>| {
        let Some(message) = message else { return };
        let is_name = |step: &&ferroform::path::Step| matches!(step, ferroform::path::Step::Attribute(_));
        let names = path.steps().iter().filter(is_name).cloned().collect();
        let source = Source { resource: resource.clone(), names, message: message.to_owned() };
        // The elements of sets have no address, so what is in them is in the set.
        let path = path.addressable().iter().cloned().collect();
        found.push(Deprecated { path, source: Arc::new(source) });
    };
    add(&Path::root(), block.deprecation.as_deref());
    places(block, value, &mut |place, path| {
        add(
            path,
            match place {
                SchemaElement::Attribute(attribute) => attribute.deprecation.as_deref(),
                SchemaElement::Block(nested) => nested.block.deprecation.as_deref(),
            },
        );
        Descend::Visit
    });
    each_once(found)
}

/// Whether any schema of a provider has something deprecated.
pub(in crate::embedded) fn is_in(catalog: &Catalog) -> bool {
    let schemas = catalog.schemas();
    let schemas = schemas.resources.values().chain(schemas.data_sources.values());
    schemas.map(|schema| &schema.block).any(is_deprecated)
}

fn is_deprecated(block: &Block) -> bool {
    block.deprecation.is_some()
        || attributes_are(&block.attributes)
        || block.blocks.iter().any(|nested| is_deprecated(&nested.block))
}

fn attributes_are(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.deprecation.is_some()
            || matches!(&attribute.ty, AttributeType::Nested(object) if attributes_are(&object.attributes))
    })
}

/// The same without repetitions.
pub(super) fn each_once(all: Vec<Deprecated>) -> Vec<Deprecated> {
    let mut once: Vec<Deprecated> = Vec::with_capacity(all.len());
    for it in all {
        if !once.contains(&it) {
            once.push(it);
        }
    }
    once
}

/// What core says where a value is used that has something deprecated in it.
pub(in crate::embedded) fn warnings(value: &Evaluated, scope: &Scope<'_>, at: &Path) -> Vec<Diagnostic> {
    let all = value.deprecated.iter().filter(|_| scope.layout.tells_deprecated);
    let warning = |it: &Deprecated| {
        let detail = match it.source.message.as_str() {
            "" => "The value comes from an attribute that is deprecated.",
            message => message,
        };
        let warning = Diagnostic::warning("Deprecated value used", detail);
        Diagnostic { path: Some(at.clone().join(&it.path)), ..warning }
    };
    all.map(warning).collect()
}

impl Deprecated {
    /// The same in a value that has this one at a path.
    pub(super) fn within(&self, at: &Path) -> Self {
        Self { path: at.clone().join(&self.path), source: self.source.clone() }
    }

    /// The same for a value that is made of this one.
    pub(super) fn whole(&self) -> Self {
        Self { path: Path::root(), source: self.source.clone() }
    }

    /// The same in the part at a path, if it has it.
    pub(super) fn after(&self, path: &Path) -> Option<Self> {
        if path.starts_with(&self.path) {
            return Some(self.whole());
        }
        let rest = self.path.steps().get(path.steps().len()..)?;
        let rest = self.path.starts_with(path).then(|| rest.iter().cloned().collect())?;
        Some(Self { path: rest, source: self.source.clone() })
    }
}
