//! Attribute types of one value each.

use super::error::{invalid, mismatch};
use super::{AttributeValue, Decode, Encode};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::{AttributeType, Text, Validator};
use crate::ty::Type;
use crate::value::{Dynamic, Number, Value};

/// An attribute type whose views are all the same.
macro_rules! plain {
    ($rust:ty, $ty:expr $(, $validators:expr)?) => {
        impl AttributeValue for $rust {
            type Draft = Self;
            type Planned = Self;
            type Prior = Self;

            fn attribute_type() -> AttributeType {
                AttributeType::Plain($ty)
            }

            $(fn validators() -> Vec<Validator> {
                $validators
            })?
        }
    };
}

/// A type of which the language has the same.
macro_rules! primitives {
    ($($rust:ty: $kind:ident, $needed:literal, $encode:expr, $decode:expr;)*) => {$(
        plain!($rust, Type::$kind);

        impl Encode for $rust {
            fn encode(self) -> Value {
                $encode(self)
            }
        }

        impl Decode for $rust {
            fn decode(value: &Value, at: &mut Path) -> Result<Self> {
                match value {
                    Value::$kind(value) => Ok($decode(value)),
                    other => Err(mismatch($needed, other, at)),
                }
            }
        }
    )*};
}

primitives! {
    bool: Bool, "true or false", Value::Bool, bool::clone;
    String: String, "a string", Value::string, |text: &str| text.to_owned();
    Number: Number, "a number", Value::Number, Number::clone;
}

plain!(Dynamic, Type::Dynamic);

impl Encode for Dynamic {
    fn encode(self) -> Value {
        match self {
            // What has no type yet is plain at a dynamic place.
            Self { ty: Type::Dynamic, value } => value,
            typed => Value::Dynamic(Box::new(typed)),
        }
    }
}

impl Decode for Dynamic {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        match value {
            Value::Dynamic(dynamic) => Ok((**dynamic).clone()),
            other => Err(mismatch("a value with its type", other, at)),
        }
    }
}

/// A Rust integer: a number that is whole and within the range of the type, never wrapped around or rounded.
macro_rules! integers {
    ($($rust:ty),*) => {$(
        plain!($rust, Type::Number, vec![decodes::<Self>(whole(&Self::MIN, &Self::MAX))]);

        impl Encode for $rust {
            fn encode(self) -> Value {
                Value::Number(Number::from(i128::from(self)))
            }
        }

        impl Decode for $rust {
            fn decode(value: &Value, at: &mut Path) -> Result<Self> {
                let number = Number::decode(value, at)?;
                let number = number.to_i128().and_then(|number| Self::try_from(number).ok());
                number.ok_or_else(|| invalid("Invalid Number", &whole(&Self::MIN, &Self::MAX), at))
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

fn whole(least: &dyn std::fmt::Display, greatest: &dyn std::fmt::Display) -> String {
    format!("a whole number from {least} to {greatest}")
}

const FLOAT: &str = "a number within the range of floating point numbers";

plain!(f64, Type::Number, vec![decodes::<Self>(FLOAT)]);
plain!(f32, Type::Number, vec![decodes::<Self>(FLOAT)]);

/// The language has no infinity and no NaN. They become unknown, which core and the checks of the SDK reject in
/// everything that a provider returns.
impl Encode for f64 {
    fn encode(self) -> Value {
        Number::from_f64(self).map_or_else(|_| Value::unknown(), Value::Number)
    }
}

impl Decode for f64 {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        let number = Number::decode(value, at)?.to_f64();
        if number.is_finite() { Ok(number) } else { Err(invalid("Invalid Number", FLOAT, at)) }
    }
}

/// Goes by the shortest decimal text, so that a configured `0.1` comes back as `0.1`; see also the one for `f64`. The
/// number stays marked as one of 32 bits: only such a number may have lost the digits beyond the seventh, while in a
/// double that happens to fit into 32 bits they are missing in earnest; see `plan::preserve`.
impl Encode for f32 {
    fn encode(self) -> Value {
        Number::from_f32(self).map_or_else(|_| Value::unknown(), Value::Number)
    }
}

impl Decode for f32 {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "the nearest float is what is asked for")]
        let number = f64::decode(value, at)? as Self;
        if number.is_finite() { Ok(number) } else { Err(invalid("Invalid Number", FLOAT, at)) }
    }
}

/// The check that a value which is known and not null becomes a `T`.
pub(super) fn decodes<T: Decode>(description: impl Into<Text>) -> Validator {
    Validator::new(description, |path, value, diagnostics| {
        if !value.is_null() && value.is_wholly_known() {
            diagnostics.record(T::decode(value, &mut path.clone()));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Form;

    #[test]
    fn a_single_is_its_shortest_text_and_stays_a_single() {
        for single in
            [0.1_f32, 0.5, -2.5e-7, 16_777_216.0, 1e10, -1e23, 0.0, -0.0, f32::MAX, f32::MIN_POSITIVE]
        {
            let Value::Number(number) = single.encode() else { panic!("{single} is no number") };
            assert!(matches!(number.form(), Form::Single(_)));
            let text: Number = single.to_string().parse().expect("a float is a number");
            assert_eq!(number, text);
            assert_eq!((number.to_string(), number.to_i128()), (text.to_string(), text.to_i128()));
            assert_eq!((number.is_integer(), number.to_f64()), (text.is_integer(), text.to_f64()));
            let back = f32::from_value(&Value::Number(number)).expect("a float is within range");
            assert_eq!(back.to_string(), (single + 0.0).to_string());
        }
    }
}
