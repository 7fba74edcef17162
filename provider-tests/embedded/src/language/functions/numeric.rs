//! Functions of numbers.

use ferroform::ty::Type;
use ferroform::value::{Number, NumberError};
use num_bigint::BigInt;

use super::{Call, Entry, Failure};
use crate::language::{Marked, number};

pub(super) const TABLE: &[Entry] = &[
    ("abs(num: number-) -> number", |call| {
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
        float(power(call.number(0).to_f64(), call.number(1).to_f64()))
    }),
    ("log(num: number, base: number) -> number", |call| {
        float(logarithm(call.number(0).to_f64()) / logarithm(call.number(1).to_f64()))
    }),
    ("parseint(number: any~#, base: number~) -> number", parse_int),
];

fn result(number: Result<Number, NumberError>) -> Result<Marked, Failure> {
    number.map(Marked::number).map_err(|error| Failure::Call(error.to_string()))
}

fn float(double: f64) -> Result<Marked, Failure> {
    result(number::from_double(double))
}

/// The power in the steps in which core computes it, whose last bit may be another than that of the nearest float: the
/// whole part of the exponent by squaring, and the rest by logarithm.
fn power(base: f64, exponent: f64) -> f64 {
    /// Beyond this the result is zero, one or infinite.
    const FAR: f64 = 4_294_967_296.0;
    if exponent == 0.5 || exponent == -0.5 {
        return if exponent > 0.0 { base.sqrt() } else { base.sqrt().recip() };
    }
    let (mut whole, mut rest) = (exponent.abs().trunc(), exponent.abs().fract());
    if base == 0.0 || !base.is_finite() || whole >= FAR || (rest != 0.0 && base < 0.0) {
        return base.powf(exponent);
    }
    if rest > 0.5 {
        rest -= 1.0;
        whole += 1.0;
    }
    // The exponents of two are kept apart, so that nothing overflows on the way.
    let mut result = if rest == 0.0 { 1.0 } else { (rest * logarithm(base)).exp() };
    let (mut square, mut square_exponent) = halved(base);
    let (mut twos, mut left) = (0_i64, whole);
    while left > 0.0 {
        if left % 2.0 == 1.0 {
            result *= square;
            twos = twos.saturating_add(square_exponent);
        }
        square *= square;
        square_exponent = square_exponent.saturating_mul(2);
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        left = (left / 2.0).trunc();
    }
    if exponent < 0.0 {
        result = result.recip();
        twos = -twos;
    }
    scaled(result, twos)
}

/// The natural logarithm by the polynomial of fdlibm, as core computes it. The last bit may be another than that of the
/// nearest float.
fn logarithm(number: f64) -> f64 {
    /// The coefficients of even and of odd powers, the highest first.
    const EVEN: [f64; 3] = [1.531_383_769_920_937_3e-1, 2.222_219_843_214_978_4e-1, 3.999_999_999_940_942e-1];
    const ODD: [f64; 4] = [
        1.479_819_860_511_658_6e-1,
        1.818_357_216_161_805e-1,
        2.857_142_874_366_239e-1,
        6.666_666_666_666_735e-1,
    ];
    /// The logarithm of two, with its last bits apart.
    const TWO: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
    if !number.is_finite() || number <= 0.0 {
        return number.ln();
    }
    let (mut part, mut twos) = halved(number);
    if part < std::f64::consts::FRAC_1_SQRT_2 {
        (part, twos) = (part * 2.0, twos - 1);
    }
    let (above_one, twos) = (part - 1.0, twos as f64);
    let ratio = above_one / (2.0 + above_one);
    let square = ratio * ratio;
    let fourth = square * square;
    let polynomial = |coefficients: &[f64]| coefficients.iter().fold(0.0, |sum, next| sum * fourth + next);
    let rest = square * polynomial(&ODD) + fourth * polynomial(&EVEN);
    let half = 0.5 * above_one * above_one;
    twos * TWO.0 - ((half - (ratio * (half + rest) + twos * TWO.1)) - above_one)
}

/// A float as one between a half and one, and a power of two.
fn halved(mut float: f64) -> (f64, i64) {
    let mut twos = 0;
    while float.abs() >= 1.0 {
        float /= 2.0;
        twos += 1;
    }
    while float.abs() < 0.5 {
        float *= 2.0;
        twos -= 1;
    }
    (float, twos)
}

/// A float times a power of two.
fn scaled(mut float: f64, mut twos: i64) -> f64 {
    while twos > 0 && float.is_finite() {
        float *= 2.0;
        twos -= 1;
    }
    while twos < 0 && float != 0.0 {
        float /= 2.0;
        twos += 1;
    }
    float
}

fn extreme(
    call: &Call<'_>,
    of: for<'a> fn(&mut dyn Iterator<Item = &'a Number>) -> Option<&'a Number>,
) -> Result<Marked, Failure> {
    let mut numbers = call.arguments.iter().filter_map(|argument| argument.value.as_number());
    of(&mut numbers)
        .map(|number| Marked::number(number.clone()))
        .ok_or_else(|| Failure::call("must pass at least one number"))
}

/// An integer in another base: digits, then small letters, then capital ones where there are that many.
fn parse_int(call: &Call<'_>) -> Result<Marked, Failure> {
    let argument = call.argument(0);
    if argument.ty != Type::String {
        return Err(Failure::argument(0, "first argument must be a string"));
    }
    if argument.is_unknown() || call.argument(1).is_unknown() {
        return Ok(call.unknown());
    }
    let base = u32::try_from(call.integer(1)?).ok().filter(|base| (2..=62).contains(base));
    let base =
        base.ok_or_else(|| Failure::argument(1, "base must be a whole number between 2 and 62 inclusive"))?;
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
