//! Functions of numbers.

use ferroform::ty::Type;
use ferroform::value::{Number, NumberError};
use num_bigint::BigInt;

use super::{Call, Entry, Failure};
use crate::language::{Marked, number};

pub(super) const TABLE: &[Entry] = &[
    ("abs(num: number) -> number", |call| {
        let value = call.number(0);
        if *value < Number::from(0_i64) {
            result(number::negate(value))
        } else {
            Ok(Marked::number(value.clone()))
        }
    }),
    ("ceil(num: number) -> number", |call| {
        let floor = number::negate(call.number(0)).and_then(|value| number::floor(&value));
        result(floor.and_then(|value| number::negate(&value)))
    }),
    ("floor(num: number) -> number", |call| result(number::floor(call.number(0)))),
    ("^signum(num: number) -> number", |call| {
        call.integer(0)?;
        Ok(Marked::number(call.number(0).to_i64().unwrap_or(0).signum()))
    }),
    ("max(numbers: number...) -> number", |call| extreme(call, |numbers| numbers.max())),
    ("min(numbers: number...) -> number", |call| extreme(call, |numbers| numbers.min())),
    ("pow(num: number, power: number) -> number", |call| {
        float(call.number(0).to_f64().powf(call.number(1).to_f64()))
    }),
    ("log(num: number, base: number) -> number", |call| {
        float(call.number(0).to_f64().ln() / call.number(1).to_f64().ln())
    }),
    ("parseint(number: any, base: number) -> number", parse_int),
];

fn result(number: Result<Number, NumberError>) -> Result<Marked, Failure> {
    number.map(Marked::number).map_err(|error| Failure::Call(error.to_string()))
}

fn float(number: f64) -> Result<Marked, Failure> {
    result(Number::from_f64(number))
}

fn extreme(
    call: &Call<'_>,
    of: for<'a> fn(&mut dyn Iterator<Item = &'a Number>) -> Option<&'a Number>,
) -> Result<Marked, Failure> {
    let mut numbers = call.arguments.iter().filter_map(|argument| argument.value.as_number());
    of(&mut numbers)
        .map(|number| Marked::number(number.clone()))
        .ok_or_else(|| Failure::Call("must pass at least one number".to_owned()))
}

/// An integer in another base: digits, then small letters, then capital ones where there are that many.
fn parse_int(call: &Call<'_>) -> Result<Marked, Failure> {
    let argument = call.argument(0);
    if argument.ty != Type::String {
        return Err(Failure::Argument(0, "first argument must be a string".to_owned()));
    }
    let base = u32::try_from(call.integer(1)?).ok().filter(|base| (2..=62).contains(base));
    let base = base.ok_or_else(|| {
        Failure::Argument(1, "base must be a whole number between 2 and 62 inclusive".to_owned())
    })?;
    let text = call.text(0);
    let invalid = || Failure::Argument(0, format!("cannot parse the text as a base {base} integer"));
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || digits.len() > Number::MAX_DIGITS {
        return Err(invalid());
    }
    let mut value = BigInt::default();
    for c in digits.chars() {
        let digit = match c {
            '0'..='9' => u32::from(c) - u32::from('0'),
            'a'..='z' => u32::from(c) - u32::from('a') + 10,
            'A'..='Z' if base <= 36 => u32::from(c) - u32::from('A') + 10,
            'A'..='Z' => u32::from(c) - u32::from('A') + 36,
            _ => return Err(invalid()),
        };
        if digit >= base {
            return Err(invalid());
        }
        value = value * base + digit;
    }
    result(number::from_integer(&if negative { -value } else { value }))
}
