//! Arithmetic of core: binary floats with a mantissa of 512 bits, rounded half to even.

use std::sync::LazyLock;

use ferroform::value::{Number, NumberError};
use num_bigint::{BigInt, BigUint, Sign};

/// The bits of the mantissa.
const PRECISION: u64 = 512;

/// A mantissa times a power of two.
#[derive(Clone)]
struct Float {
    mantissa: BigInt,
    exponent: i64,
}

/// The sum.
pub(super) fn add(a: &Number, b: &Number) -> Result<Number, NumberError> {
    small(a, b, i128::checked_add).map_or_else(|| sum(Float::of(a), Float::of(b)).rounded().number(), Ok)
}

/// The difference.
pub(super) fn subtract(a: &Number, b: &Number) -> Result<Number, NumberError> {
    small(a, b, i128::checked_sub)
        .map_or_else(|| sum(Float::of(a), Float::of(b).negated()).rounded().number(), Ok)
}

/// The product.
pub(super) fn multiply(a: &Number, b: &Number) -> Result<Number, NumberError> {
    small(a, b, i128::checked_mul)
        .map_or_else(|| product(&Float::of(a), &Float::of(b)).rounded().number(), Ok)
}

/// The quotient; `None` when the divisor is zero.
pub(super) fn divide(a: &Number, b: &Number) -> Option<Result<Number, NumberError>> {
    Some(quotient(&Float::of(a), &Float::of(b))?.number())
}

/// What is left when the quotient is cut to an integer; the dividend itself when the divisor is zero.
pub(super) fn remainder(a: &Number, b: &Number) -> Result<Number, NumberError> {
    let (a_float, b_float) = (Float::of(a), Float::of(b));
    let Some(quotient) = quotient(&a_float, &b_float) else { return Ok(a.clone()) };
    let whole = Float { mantissa: quotient.truncated(), exponent: 0 }.rounded();
    sum(a_float, product(&whole, &b_float).rounded().negated()).rounded().number()
}

/// A number that core computes with 53 bits. It is stored as the shortest text that tells these bits from others, which
/// for a power of two may be one digit less than the shortest of a float.
pub(super) fn from_double(double: f64) -> Result<Number, NumberError> {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    if !double.is_finite() {
        return Err(NumberError::NotFinite);
    }
    let bits = double.to_bits();
    let (exponent, fraction) = ((bits >> FRACTION) & 0x7ff, bits & ((1 << FRACTION) - 1));
    let mantissa = BigInt::from(if exponent == 0 { fraction } else { fraction | (1 << FRACTION) });
    let exponent = i64::try_from(exponent.max(1)).unwrap_or_default() - 1023 - i64::from(FRACTION);
    let float = Float { mantissa: if double.is_sign_negative() { -mantissa } else { mantissa }, exponent };
    float.decimal(u64::from(f64::MANTISSA_DIGITS))
}

/// The same number with the other sign.
pub(super) fn negate(number: &Number) -> Result<Number, NumberError> {
    subtract(&Number::from(0_i64), number)
}

/// The greatest integer that is not greater.
pub(super) fn floor(number: &Number) -> Result<Number, NumberError> {
    if number.is_integer() {
        return Ok(number.clone());
    }
    let float = Float::of(number);
    let whole = float.truncated();
    let whole = if float.mantissa.sign() == Sign::Minus { whole - 1 } else { whole };
    from_integer(&whole)
}

/// The number cut to an integer.
pub(super) fn truncate(number: &Number) -> BigInt {
    Float::of(number).truncated()
}

/// An integer as core holds it.
pub(super) fn from_integer(integer: &BigInt) -> Result<Number, NumberError> {
    Float { mantissa: integer.clone(), exponent: 0 }.rounded().number()
}

fn small(a: &Number, b: &Number, operation: fn(i128, i128) -> Option<i128>) -> Option<Number> {
    operation(a.to_i128()?, b.to_i128()?).map(Number::from)
}

fn sum(mut a: Float, mut b: Float) -> Float {
    let exponent = a.exponent.min(b.exponent);
    a.mantissa <<= a.exponent.abs_diff(exponent);
    b.mantissa <<= b.exponent.abs_diff(exponent);
    Float { mantissa: a.mantissa + b.mantissa, exponent }
}

fn product(a: &Float, b: &Float) -> Float {
    Float { mantissa: &a.mantissa * &b.mantissa, exponent: a.exponent.saturating_add(b.exponent) }
}

fn quotient(a: &Float, b: &Float) -> Option<Float> {
    (b.mantissa.sign() != Sign::NoSign)
        .then(|| ratio(&a.mantissa, &b.mantissa, a.exponent.saturating_sub(b.exponent)))
}

/// `numerator / denominator * 2^exponent`, rounded.
fn ratio(numerator: &BigInt, denominator: &BigInt, exponent: i64) -> Float {
    // Two bits more than are kept, and one that says whether anything is left.
    let shift = (PRECISION + 3 + denominator.bits()).saturating_sub(numerator.bits());
    let scaled = numerator.magnitude() << shift;
    let (whole, rest) = (&scaled / denominator.magnitude(), &scaled % denominator.magnitude());
    let sticky = BigUint::from(u8::from(rest != BigUint::ZERO));
    let sign = if numerator.sign() == denominator.sign() { Sign::Plus } else { Sign::Minus };
    let mantissa = BigInt::from_biguint(sign, (whole << 1_u8) | sticky);
    Float { mantissa, exponent: exponent.saturating_sub_unsigned(shift).saturating_sub(1) }.rounded()
}

static TEN: LazyLock<BigUint> = LazyLock::new(|| BigUint::from(10_u8));

fn power_of_ten(exponent: u64) -> BigUint {
    // A number has at most `Number::MAX_DIGITS` digits.
    TEN.pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}

impl Float {
    fn of(number: &Number) -> Self {
        if let Some(integer) = number.to_i128() {
            return Self { mantissa: integer.into(), exponent: 0 };
        }
        let text = number.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let mantissa = [whole, fraction].concat().parse::<BigInt>().unwrap_or_default();
        if fraction.is_empty() {
            return Self { mantissa, exponent: 0 }.rounded();
        }
        ratio(&mantissa, &power_of_ten(fraction.len() as u64).into(), 0)
    }

    fn negated(self) -> Self {
        Self { mantissa: -self.mantissa, exponent: self.exponent }
    }

    fn rounded(self) -> Self {
        let surplus = self.mantissa.bits().saturating_sub(PRECISION);
        if surplus == 0 {
            return self;
        }
        let (sign, magnitude) = self.mantissa.into_parts();
        let rest = &magnitude & ((BigUint::from(1_u8) << surplus) - 1_u8);
        let half = BigUint::from(1_u8) << (surplus - 1);
        let mut kept = magnitude >> surplus;
        if rest > half || (rest == half && kept.bit(0)) {
            kept += 1_u8;
        }
        Self {
            mantissa: BigInt::from_biguint(sign, kept),
            exponent: self.exponent.saturating_add_unsigned(surplus),
        }
        .rounded()
    }

    fn truncated(&self) -> BigInt {
        let (sign, magnitude) = self.mantissa.clone().into_parts();
        let shift = self.exponent.unsigned_abs();
        let magnitude = if self.exponent < 0 { magnitude >> shift } else { magnitude << shift };
        BigInt::from_biguint(sign, magnitude)
    }

    /// The number with the shortest decimal text that means this float.
    fn number(&self) -> Result<Number, NumberError> {
        self.decimal(PRECISION)
    }

    /// The same for a float of so many bits.
    fn decimal(&self, precision: u64) -> Result<Number, NumberError> {
        /// Far beyond [`Number::MAX_DIGITS`].
        const FAR: u64 = 8192;
        let (sign, magnitude) = self.mantissa.clone().into_parts();
        if magnitude == BigUint::ZERO {
            return Ok(Number::from(0_i64));
        }
        if self.exponent.unsigned_abs() > FAR {
            return Err(NumberError::TooLong);
        }
        // The mantissa with one bit more than counts, so that half a unit in the last place is 1.
        let widen = (precision + 1).saturating_sub(magnitude.bits());
        let (mut value, exponent) = (magnitude << widen, self.exponent.saturating_sub_unsigned(widen));
        let even = !value.bit(1);
        let mut half = BigUint::from(1_u8);
        let mut scale = 0;
        if exponent >= 0 {
            value <<= exponent;
            half <<= exponent;
        } else {
            // x / 2^n = x * 5^n / 10^n
            scale = exponent.unsigned_abs();
            let factor = BigUint::from(5_u8).pow(u32::try_from(scale).unwrap_or(u32::MAX));
            value *= &factor;
            half *= &factor;
        }
        let minus = if sign == Sign::Minus { "-" } else { "" };
        let (digits, zeros) = shortest(&value, &half, even);
        let exponent = zeros as i128 - i128::from(scale);
        format!("{minus}{digits}e{exponent}").parse()
    }
}

/// The fewest digits, and how many zeros follow them, whose number is within half a unit of the value.
fn shortest(value: &BigUint, half: &BigUint, inclusive: bool) -> (BigUint, u64) {
    let all = value.to_string().len() as u64;
    let rounded = |digits: u64| {
        let unit = power_of_ten(all - digits);
        let (whole, rest) = (value / &unit, value % &unit);
        let twice: BigUint = &rest << 1_u8;
        let up = twice > unit || (twice == unit && whole.bit(0));
        let whole = if up { whole + 1_u8 } else { whole };
        let distance = if up { unit - rest } else { rest };
        (whole, distance)
    };
    let near = |digits: u64| {
        let (_, distance) = rounded(digits);
        distance < *half || (inclusive && distance == *half)
    };
    let (mut low, mut high) = (1, all);
    while low < high {
        let middle = low.midpoint(high);
        if near(middle) { high = middle } else { low = middle + 1 }
    }
    (rounded(low).0, all - low)
}
