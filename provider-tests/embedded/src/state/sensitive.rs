//! Which places of a value a schema calls sensitive, or anything else.

use ferroform::path::{Path, Step};
use ferroform::schema::{Block, Nesting};
use ferroform::value::Value;
use ferroform_core::schema::walk::{Body, Member};

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
    places(block, value, &mut |place, _, path| match place {
        Member::Attribute(attribute) if attribute.sensitive => {
            paths.push(path.addressable().iter().cloned().collect());
            Descend::Skip
        }
        Member::Attribute(_) | Member::Block(_) => Descend::Visit,
    });
    paths.sort();
    paths.dedup();
    paths
}

/// Whether what is inside of a place is visited, too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descend {
    Visit,
    Skip,
}

/// Visits the attributes and blocks that a value has, null or not, with their values and paths; the value as a whole is
/// none.
pub(crate) fn places<'a>(
    block: &'a Block,
    value: &Value,
    visit: &mut impl FnMut(Member<'a>, &Value, &Path) -> Descend,
) {
    of_body(block.into(), value, &mut Path::root(), visit);
}

fn of_body<'a>(
    body: Body<'a>,
    value: &Value,
    path: &mut Path,
    visit: &mut impl FnMut(Member<'a>, &Value, &Path) -> Descend,
) {
    let Value::Object(entries) = value.peel() else { return };
    for member in body.members() {
        let Some(value) = entries.get(member.name()) else { continue };
        path.push(member.step());
        match member.nested() {
            _ if visit(member, value, path) == Descend::Skip => {}
            Some((Nesting::Single, body)) => of_body(body, value, path, visit),
            Some((_, body)) => each(value, path, |element, path| of_body(body, element, path, visit)),
            None => {}
        }
        path.pop();
    }
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
