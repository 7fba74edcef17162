//! Values that went through author code and came back the same, spelled otherwise.
//!
//! A number of the language may have 512 bits; an author's `f64` has 53. Core compares what it planned with what
//! comes back exactly, so a number that only lost digits on the way gets its first spelling again. Likewise a
//! plan hook that touches one attribute must not cost the others their refinements.

use std::collections::HashMap;

use crate::value::{Number, Set, Value};

/// Gives numbers in `actual` that are those of `reference`, rounded to a double, their spelling there.
///
/// ```
/// use ferroform::plan::respell;
/// use ferroform::value::{Number, Value};
///
/// let planned = Value::Number("1e23".parse::<Number>()?);
/// let mut returned = Value::Number(Number::from_f64(1e23)?);
/// assert_ne!(returned, planned);
/// respell(&mut returned, &planned);
/// assert_eq!(returned, planned);
/// # Ok::<(), ferroform::value::NumberError>(())
/// ```
pub fn respell(actual: &mut Value, reference: &Value) {
    match (actual, reference) {
        (Value::Number(actual), Value::Number(reference)) => {
            if let Some(reference) = same_double(actual, reference) {
                *actual = reference;
            }
        }
        (Value::Object(actual), Value::Object(reference)) | (Value::Map(actual), Value::Map(reference)) => {
            for (key, actual) in actual.iter_mut() {
                if let Some(reference) = reference.get(key) {
                    respell(actual, reference);
                }
            }
        }
        (Value::List(actual), Value::List(reference)) | (Value::Tuple(actual), Value::Tuple(reference)) => {
            for (actual, reference) in actual.iter_mut().zip(reference) {
                respell(actual, reference);
            }
        }
        (Value::Set(actual), Value::Set(reference)) => respell_set(actual, reference),
        (Value::Dynamic(actual), Value::Dynamic(reference)) => respell(&mut actual.value, &reference.value),
        _ => {}
    }
}

fn same_double(actual: &Number, reference: &Number) -> Option<Number> {
    let double = actual.to_f64_exact()?;
    (actual != reference && reference.to_f64() == double).then(|| reference.clone())
}

/// Elements of sets have no places, so one is taken for another that is the same once rounded.
fn respell_set(actual: &mut Set, reference: &Set) {
    if *actual == *reference || !reference.iter().any(has_number) {
        return;
    }
    let rounded: HashMap<Value, &Value> = reference.iter().map(|value| (round(value), value)).collect();
    let respelled =
        std::mem::take(actual).into_elements().into_iter().map(|value| match rounded.get(&round(&value)) {
            Some(reference) if !reference.is_null() => {
                let mut value = value;
                respell(&mut value, reference);
                value
            }
            _ => value,
        });
    *actual = respelled.collect();
}

fn has_number(value: &Value) -> bool {
    let mut found = false;
    value.walk(|_, value| found |= matches!(value, Value::Number(_)));
    found
}

fn round(value: &Value) -> Value {
    match value {
        Value::Number(number) => match Number::from_f64(number.to_f64()) {
            Ok(rounded) => Value::Number(rounded),
            Err(_) => value.clone(),
        },
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key, round(value))).collect())
        }
        Value::Map(entries) => Value::Map(entries.iter().map(|(key, value)| (key, round(value))).collect()),
        Value::List(elements) => Value::List(elements.iter().map(round).collect()),
        Value::Tuple(elements) => Value::Tuple(elements.iter().map(round).collect()),
        other => other.clone(),
    }
}

/// The value that author code changed: `after`, with the `original` wherever it left `before` as it was. `before`
/// is the original as the author's types can hold it.
#[must_use]
pub fn keep_untouched(original: Value, before: &Value, after: Value) -> Value {
    if *before == after {
        return original;
    }
    match (original, before, after) {
        (Value::Object(mut original), Value::Object(before), Value::Object(after)) => {
            let merged = after.into_iter().map(|(name, after)| {
                let value = match (original.remove(&name), before.get(&name)) {
                    (Some(original), Some(before)) => keep_untouched(original, before, after),
                    _ => after,
                };
                (name, value)
            });
            Value::Object(merged.collect())
        }
        (Value::List(original), Value::List(before), Value::List(after))
            if original.len() == after.len() && before.len() == after.len() =>
        {
            let merged = original.into_iter().zip(before).zip(after);
            Value::List(
                merged.map(|((original, before), after)| keep_untouched(original, before, after)).collect(),
            )
        }
        (_, _, after) => after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Value {
        Value::Number(text.parse::<Number>().unwrap())
    }

    fn double(value: f64) -> Value {
        Value::Number(Number::from_f64(value).unwrap())
    }

    #[test]
    fn only_lost_digits_are_given_back() {
        let long = number("0.01000000000000000000000000000000000000000000000003");
        let mut returned = Value::list([double(0.01), double(0.02)]);
        respell(&mut returned, &Value::list([long.clone(), long.clone()]));
        assert_eq!(returned, Value::list([long, double(0.02)]));
    }

    #[test]
    fn elements_of_sets_are_found_by_their_rounded_selves() {
        let planned = Value::set([
            Value::object([("n", number("1e100")), ("s", Value::string("a"))]),
            Value::object([("n", number("1e23")), ("s", Value::string("b"))]),
        ]);
        let mut returned = Value::set([
            Value::object([("n", double(1e23)), ("s", Value::string("b"))]),
            Value::object([("n", double(1e100)), ("s", Value::string("a"))]),
        ]);
        respell(&mut returned, &planned);
        assert_eq!(returned, planned);
    }

    #[test]
    fn what_a_hook_leaves_alone_is_kept_as_it_was() {
        let original = Value::object([("a", number("1e100")), ("b", Value::string("x"))]);
        let before = Value::object([("a", double(1e100)), ("b", Value::string("x"))]);
        let after = Value::object([("a", double(1e100)), ("b", Value::string("y"))]);
        let kept = keep_untouched(original, &before, after);
        assert_eq!(kept, Value::object([("a", number("1e100")), ("b", Value::string("y"))]));
    }
}
