//! What schemas say is deprecated.

use std::sync::Arc;

use ferroform::path::Path;
use ferroform::schema::{Attribute, AttributeType, Block};
use ferroform::value::Value;
use ferroform_core::schema::walk::Member;

use crate::address::ResourceAddress;
use crate::client::Catalog;
use crate::language::{Deprecation, MarkSet, Marks};
use crate::state::{Descend, places};

/// The marks of what a schema says is deprecated in an object of a resource.
pub(in crate::embedded) fn marks(resource: &ResourceAddress, block: &Block, value: &Value) -> Marks {
    let mut marks = Marks::default();
    let mut add = |path: &Path, message: Option<&str>| {
        let Some(message) = message else { return };
        let is_name = |step: &&ferroform::path::Step| matches!(step, ferroform::path::Step::Attribute(_));
        let names: Path = path.steps().iter().filter(is_name).cloned().collect();
        let origin = format!("{resource} {names}");
        // The elements of sets have no address, so what is in them is in the set.
        let path = path.addressable().iter().cloned().collect();
        marks.add(path, MarkSet::deprecated(Arc::new(Deprecation { message: message.to_owned(), origin })));
    };
    add(&Path::root(), block.deprecation.as_deref());
    places(block, value, &mut |place, _, path| {
        add(
            path,
            match place {
                Member::Attribute(attribute) => attribute.deprecation.as_deref(),
                Member::Block(nested) => nested.block.deprecation.as_deref(),
            },
        );
        Descend::Visit
    });
    marks
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
