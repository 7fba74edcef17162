//! Checks of any value that a provider answers with.

use ferroform::path::Path;
use ferroform::schema::Block;
use ferroform::ty::Type;
use ferroform::value::{Entries, Value};

use super::body::{Body, member, objects, to_member};
use super::problem::{Problem, summary};

/// Checks that a value has the type of a block. The summary is [`summary::INVALID_OBJECT`].
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::{Entries, Value};
/// use ferroform_embedded::plan_rules::conforms;
///
/// let block = Block::new([Attribute::computed("id", Type::String)]);
/// assert!(conforms(&block, &Value::object([("id", Value::unknown())])).is_empty());
/// assert_eq!(conforms(&block, &Value::object([("id", Value::from(1))])).len(), 1);
/// ```
#[must_use]
pub fn conforms(block: &Block, value: &Value) -> Vec<Problem> {
    match value.conforms(&block.ty()) {
        Ok(()) => Vec::new(),
        Err(departure) => {
            let detail = format!("{} required, not {}", departure.expected, departure.found);
            vec![Problem::new(summary::INVALID_OBJECT, &departure.path, detail)]
        }
    }
}

/// Checks that nothing in a value is unknown; one problem for each unknown. The summary is
/// [`summary::INVALID_RESULT`].
///
/// ```
/// use ferroform::value::{Entries, Value};
/// use ferroform_embedded::plan_rules::assert_wholly_known;
///
/// let value = Value::object([("a", Value::unknown()), ("b", Value::Null)]);
/// assert_eq!(assert_wholly_known(&value)[0].path, ferroform::path!(a));
/// ```
#[must_use]
pub fn assert_wholly_known(value: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    value.walk(|path, value| {
        if value.is_unknown() {
            problems.push(Problem::new(summary::INVALID_RESULT, path, "the value is unknown"));
        }
    });
    problems
}

/// Checks that no write-only attribute has a value, for they are never stored. The summary is
/// [`summary::INVALID_OBJECT`].
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::{Entries, Value};
/// use ferroform_embedded::plan_rules::assert_write_only_null;
///
/// let password = Attribute::optional("password", Type::String).write_only();
/// let block = Block::new([password]);
/// let value = Value::object([("password", Value::from("s3cret"))]);
/// assert_eq!(assert_write_only_null(&block, &value).len(), 1);
/// ```
#[must_use]
pub fn assert_write_only_null(block: &Block, value: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    write_only_null(Body::Block(block), value, &Path::root(), &mut problems);
    problems
}

fn write_only_null(body: Body<'_>, object: &Value, path: &Path, problems: &mut Vec<Problem>) {
    let Value::Object(_) = object.peel() else { return };
    for schema in body.members() {
        let value = member(object, schema.name());
        if schema.is_write_only() && !value.is_null() {
            let detail = "the attribute is write-only and must be null here";
            problems.push(Problem::new(summary::INVALID_OBJECT, &to_member(path, schema.name()), detail));
        } else if let Some((nesting, body)) = schema.nested() {
            let path = to_member(path, schema.name());
            for (step, object) in objects(nesting, value) {
                let path = step.into_iter().fold(path.clone(), Path::step);
                write_only_null(body, object, &path, problems);
            }
        }
    }
}

/// The value with every unknown replaced by null, for state cannot hold unknowns.
pub(crate) fn without_unknowns(value: Value) -> Value {
    if value.is_wholly_known() {
        return value;
    }
    let each = |entries: Entries| -> Vec<_> {
        entries.into_iter().map(|(key, value)| (key, without_unknowns(value))).collect()
    };
    match value {
        Value::Unknown(_) => Value::Null,
        Value::List(elements) => Value::list(elements.into_iter().map(without_unknowns)),
        Value::Tuple(elements) => Value::tuple(elements.into_iter().map(without_unknowns)),
        Value::Set(set) => Value::set(set.into_iter().map(without_unknowns)),
        Value::Map(entries) => Value::map(each(entries)),
        Value::Object(entries) => Value::object(each(entries)),
        Value::Dynamic(dynamic) => Value::dynamic(dynamic.ty, without_unknowns(dynamic.value)),
        known => known,
    }
}

/// Whether a type is the other one once the open parts of that are filled in.
pub(crate) fn type_conforms(ty: &Type, to: &Type) -> bool {
    match (ty, to) {
        (_, Type::Dynamic) => true,
        (Type::List(ty), Type::List(to))
        | (Type::Set(ty), Type::Set(to))
        | (Type::Map(ty), Type::Map(to)) => type_conforms(ty, to),
        (Type::Tuple(types), Type::Tuple(to)) => {
            types.len() == to.len() && types.iter().zip(to.iter()).all(|(ty, to)| type_conforms(ty, to))
        }
        (Type::Object(object), Type::Object(to)) => {
            let to = to.attributes();
            object.attributes().len() == to.len()
                && object
                    .attributes()
                    .iter()
                    .zip(to.iter())
                    .all(|((name, ty), (to_name, to))| name == to_name && type_conforms(ty, to))
        }
        (ty, to) => ty == to,
    }
}
