//! Equality of values that are not all known.

use ferroform::value::Value;

/// Whether two values are equal; `None` as long as that is not known.
///
/// Numbers are compared by value, strings in their normal form, sets by membership; nulls are equal whatever their
/// type. An unknown differs for certain only from what is known to be out of its range. Known values of a dynamic type are
/// equal only if their types are, as an empty list of strings and one of numbers are not.
///
/// ```
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::plan_rules::equal;
///
/// assert_eq!(equal(&Value::from("a"), &Value::from("a")), Some(true));
/// assert_eq!(equal(&Value::from("a"), &Value::unknown()), None);
///
/// let empty = |of| Value::dynamic(Type::list(of), Value::list([]));
/// assert_eq!(equal(&empty(Type::String), &empty(Type::Number)), Some(false));
/// ```
#[must_use]
pub fn equal(a: &Value, b: &Value) -> Option<bool> {
    if let (Value::Dynamic(typed), Value::Dynamic(other)) = (a, b)
        && typed.ty != other.ty
        && [a, b].into_iter().all(|it| !it.peel().is_null() && it.is_wholly_known())
    {
        return Some(false);
    }
    match (a.peel(), b.peel()) {
        (Value::Unknown(_), Value::Unknown(_)) => None,
        (Value::Unknown(unknown), value) | (value, Value::Unknown(unknown)) => {
            if unknown.admits(value) {
                None
            } else {
                Some(false)
            }
        }
        (Value::Null, Value::Null) => Some(true),
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            if a.len() != b.len() {
                return Some(false);
            }
            all(a.iter().zip(b))
        }
        (Value::Map(a), Value::Map(b)) | (Value::Object(a), Value::Object(b)) => {
            if !a.keys().eq(b.keys()) {
                return Some(false);
            }
            all(a.values().zip(b.values()))
        }
        (Value::Set(sets), Value::Set(other)) => {
            let known = a.is_wholly_known() && b.is_wholly_known();
            known.then(|| sets == other)
        }
        (a, b) => Some(a == b),
    }
}

/// False as soon as one pair differs for certain.
fn all<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Option<bool> {
    let mut result = Some(true);
    for (a, b) in pairs {
        match equal(a, b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}
