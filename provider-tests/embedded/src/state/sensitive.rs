//! Which places of a value a schema calls sensitive, or anything else.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};
use ferroform::value::Value;

/// The paths in a value that its schema calls sensitive, whether null or not. A sensitive place within a set makes the
/// whole set sensitive, for the elements of sets have no address.
///
/// ```
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::state::sensitive_paths;
///
/// let token = Attribute::optional("token", Type::String).sensitive();
/// let block = Block::new([token]);
/// let value = Value::object([("token", Value::from("x"))]);
/// assert_eq!(sensitive_paths(&block, &value), [path!(token)]);
/// ```
#[must_use]
pub fn sensitive_paths(block: &Block, value: &Value) -> Vec<Path> {
    let mut paths = Vec::new();
    places(block, value, &mut |place, path| match place {
        SchemaElement::Attribute(attribute) if attribute.sensitive => {
            paths.push(path.addressable().iter().cloned().collect());
            Descend::Skip
        }
        SchemaElement::Attribute(_) | SchemaElement::Block(_) => Descend::Visit,
    });
    paths.sort();
    paths.dedup();
    paths
}

/// Something that a schema has a word for.
pub(crate) enum SchemaElement<'a> {
    Attribute(&'a Attribute),
    Block(&'a NestedBlock),
}

/// Whether what is inside of a place is visited, too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descend {
    Visit,
    Skip,
}

/// Visits the attributes and blocks that a value has, null or not, with their paths; the value as a whole is none.
pub(crate) fn places<'a>(
    block: &'a Block,
    value: &Value,
    visit: &mut impl FnMut(SchemaElement<'a>, &Path) -> Descend,
) {
    of_block(block, value, &mut Path::root(), visit);
}

fn of_block<'a>(
    block: &'a Block,
    value: &Value,
    path: &mut Path,
    visit: &mut impl FnMut(SchemaElement<'a>, &Path) -> Descend,
) {
    of_attributes(&block.attributes, value, path, visit);
    for nested in &block.blocks {
        member(value, &nested.name, path, |value, path| match nested.nesting {
            _ if visit(SchemaElement::Block(nested), path) == Descend::Skip => {}
            BlockNesting::Single | BlockNesting::Group => of_block(&nested.block, value, path, visit),
            BlockNesting::List | BlockNesting::Set | BlockNesting::Map => {
                each(value, path, |element, path| of_block(&nested.block, element, path, visit));
            }
        });
    }
}

fn of_attributes<'a>(
    attributes: &'a [Attribute],
    value: &Value,
    path: &mut Path,
    visit: &mut impl FnMut(SchemaElement<'a>, &Path) -> Descend,
) {
    for attribute in attributes {
        member(value, &attribute.name, path, |value, path| match &attribute.ty {
            _ if visit(SchemaElement::Attribute(attribute), path) == Descend::Skip => {}
            AttributeType::Nested(nested) if nested.nesting == Nesting::Single => {
                of_attributes(&nested.attributes, value, path, visit);
            }
            AttributeType::Nested(nested) => {
                each(value, path, |element, path| of_attributes(&nested.attributes, element, path, visit));
            }
            AttributeType::Plain(_) => {}
        });
    }
}

/// Calls back with a member of an object, if there is one.
fn member(value: &Value, name: &str, path: &mut Path, then: impl FnOnce(&Value, &mut Path)) {
    let Value::Object(entries) = value.peel() else { return };
    let Some(value) = entries.get(name) else { return };
    path.push(Step::Attribute(name.to_owned().into()));
    then(value, path);
    path.pop();
}

/// Calls back with every element.
fn each(value: &Value, path: &mut Path, mut then: impl FnMut(&Value, &mut Path)) {
    let mut inner = |step: Step, element: &Value| {
        path.push(step);
        then(element, path);
        path.pop();
    };
    match value.peel() {
        Value::List(elements) | Value::Tuple(elements) => {
            elements.iter().enumerate().for_each(|(at, element)| inner(Step::Index(at), element));
        }
        Value::Set(set) => set.iter().for_each(|element| inner(Step::Element, element)),
        // Blocks with dynamic attributes are an object in place of a map.
        Value::Map(entries) | Value::Object(entries) => {
            entries.iter().for_each(|(key, element)| inner(Step::Key(key.to_string().into()), element));
        }
        _ => {}
    }
}
