//! Restores planned values that the plan hook returned unchanged, apart from lost digits and refinements.
//!
//! A number of the language may have 512 bits; an author's `f64` has 53 and an `f32` has 24. A plan hook that touches
//! one attribute must cost the others neither digits nor refinements.

use std::collections::VecDeque;
use std::mem;

use crate::plan::merge::restore_digits;
use crate::value::{HashMap, Set, Value};

/// The value that author code changed: `after`, with the `original` wherever it left `before` as it was. `before`
/// is the original as the author's types can hold it.
#[must_use]
pub fn restore_untouched(original: Value, before: &Value, mut after: Value) -> Value {
    restore(original, before, &mut after);
    after
}

fn restore(original: Value, before: &Value, after: &mut Value) {
    if *before == *after {
        *after = original;
        return;
    }
    match (original, before, after) {
        (Value::Object(mut original), Value::Object(before), Value::Object(after))
        | (Value::Map(mut original), Value::Map(before), Value::Map(after)) => {
            for (key, after) in after.iter_mut() {
                if let (Some(original), Some(before)) = (original.get_mut(key), before.get(key)) {
                    restore(mem::replace(original, Value::Null), before, after);
                }
            }
        }
        // Elements have their place only as long as none was added or taken away.
        (Value::List(original), Value::List(before), Value::List(after))
        | (Value::Tuple(original), Value::Tuple(before), Value::Tuple(after))
            if original.len() == after.len() && before.len() == after.len() =>
        {
            for ((original, before), after) in original.into_iter().zip(before).zip(after) {
                restore(original, before, after);
            }
        }
        (Value::Set(original), Value::Set(before), Value::Set(after)) => {
            restore_members(original, before, after);
        }
        (Value::Dynamic(original), Value::Dynamic(before), Value::Dynamic(after))
            if original.ty == after.ty && before.ty == after.ty =>
        {
            restore(original.value, &before.value, &mut after.value);
        }
        _ => {}
    }
}

/// Elements of sets are known by what they were before. The author's types hand them on in their order, but two that
/// differ only in lost digits become one, and another type may sort them; then nothing says which is which.
fn restore_members(original: Set, before: &Set, after: &mut Set) {
    let aligned = original.len() == before.len()
        && before.iter().zip(&original).all(|(before, original)| restored(before, original).is_some());
    if !aligned {
        return;
    }
    // Elements with unknown parts may be equal and yet differ in refinements, so each original is used once.
    let mut originals: HashMap<&Value, VecDeque<Value>> = HashMap::default();
    for (before, original) in before.iter().zip(original) {
        originals.entry(before).or_default().push_back(original);
    }
    after.change(|members| {
        for member in members {
            if let Some(original) = originals.get_mut(&*member).and_then(VecDeque::pop_front) {
                *member = original;
            }
        }
    });
}

/// The value with the digits of the reference; `None` if the values differ otherwise.
fn restored(value: &Value, reference: &Value) -> Option<Value> {
    let mut value = value.clone();
    restore_digits(&mut value, reference);
    (value == *reference).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ty::Type;
    use crate::value::{Number, Unknown};

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
        restore_digits(&mut returned, &Value::list([long.clone(), long.clone()]));
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
        restore_digits(&mut returned, &planned);
        assert_eq!(returned, planned);
    }

    #[test]
    fn value_that_a_hook_does_not_change_is_kept_exactly() {
        let original = Value::object([("a", number("1e100")), ("b", Value::string("x"))]);
        let before = Value::object([("a", double(1e100)), ("b", Value::string("x"))]);
        let after = Value::object([("a", double(1e100)), ("b", Value::string("y"))]);
        let kept = restore_untouched(original, &before, after);
        assert_eq!(kept, Value::object([("a", number("1e100")), ("b", Value::string("y"))]));
    }

    #[test]
    fn only_floats_lose_digits() {
        let reference = number("9007199254740993");
        for (actual, expect) in [
            (number("9007199254740992"), number("9007199254740992")),
            (double(9_007_199_254_740_992.0), reference.clone()),
            (double(9_007_199_254_740_994.0), double(9_007_199_254_740_994.0)),
        ] {
            let mut returned = actual.clone();
            restore_digits(&mut returned, &reference);
            assert_eq!(returned, expect);
            let mut returned = Value::set([actual]);
            restore_digits(&mut returned, &Value::set([reference.clone()]));
            assert_eq!(returned, Value::set([expect]));
        }
    }

    #[test]
    fn an_exact_element_of_a_set_is_not_taken_for_one_that_rounds_to_it() {
        let planned = Value::set([number("9007199254740992"), number("9007199254740993")]);
        let mut returned = Value::set([double(9_007_199_254_740_992.0)]);
        restore_digits(&mut returned, &planned);
        assert_eq!(returned, Value::set([number("9007199254740992")]));
    }

    #[test]
    fn singles_lose_more_digits_than_doubles_and_decimals() {
        let planned = number("0.123456789");
        let single = || Value::Number(Number::from_f32(0.123_456_79).unwrap());
        let other = Value::Number(Number::from_f32(0.123_456_8).unwrap());
        for (actual, expect) in [
            (single(), planned.clone()),
            (other.clone(), other),
            // These never were singles, although they hold the same number.
            (number("0.12345679"), number("0.12345679")),
            (double(0.123_456_79), double(0.123_456_79)),
        ] {
            let mut returned = actual.clone();
            restore_digits(&mut returned, &planned);
            assert_eq!(returned, expect);
            let mut returned = Value::set([Value::list([actual])]);
            restore_digits(&mut returned, &Value::set([Value::list([planned.clone()])]));
            assert_eq!(returned, Value::set([Value::list([expect])]));
        }
        let mut returned = Value::Number(Number::from_f32(16_777_216.0).unwrap());
        restore_digits(&mut returned, &number("16777217"));
        assert_eq!(returned, number("16777217"));
    }

    /// A hook adds or changes one of two entries; the other keeps the digits that a double lacks.
    #[test]
    fn a_touched_entry_costs_the_others_nothing() {
        let (long, short) = (|| number("1e100"), || double(1e100));
        let (x, y) = (|| Value::string("x"), || Value::string("y"));
        let typed = |value: Value| Value::dynamic(Type::tuple([Type::Number, Type::String]), value);
        for (original, before, after, expect) in [
            (
                Value::map([("a", long())]),
                Value::map([("a", short())]),
                Value::map([("a", short()), ("b", y())]),
                Value::map([("a", long()), ("b", y())]),
            ),
            (
                Value::tuple([long(), x()]),
                Value::tuple([short(), x()]),
                Value::tuple([short(), y()]),
                Value::tuple([long(), y()]),
            ),
            (
                typed(Value::tuple([long(), x()])),
                typed(Value::tuple([short(), x()])),
                typed(Value::tuple([short(), y()])),
                typed(Value::tuple([long(), y()])),
            ),
            (
                Value::set([x(), long()]),
                Value::set([x(), short()]),
                Value::set([short(), y()]),
                Value::set([y(), long()]),
            ),
            // The two elements became one, so nothing says whose digits it has.
            (
                Value::set([long(), number("10000000000000000159e81")]),
                Value::set([short()]),
                Value::set([short(), y()]),
                Value::set([short(), y()]),
            ),
        ] {
            assert_eq!(restore_untouched(original, &before, after), expect);
        }
    }

    #[test]
    fn unknown_elements_keep_their_refinements() {
        let original = Value::set([Value::Unknown(Unknown::not_null()), Value::string("x")]);
        let before = Value::set([Value::unknown(), Value::string("x")]);
        let after = Value::set([Value::string("y"), Value::unknown()]);
        let kept = restore_untouched(original, &before, after);
        let admits_null =
            |value: &Value| matches!(value, Value::Unknown(unknown) if unknown.admits(&Value::Null));
        assert_eq!(kept, Value::set([Value::string("y"), Value::unknown()]));
        assert!(!kept.elements().unwrap().iter().any(admits_null));
    }
}
