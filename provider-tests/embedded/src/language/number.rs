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

/// The digits of a number in full, as it is held.
pub(super) fn exact_digits(number: &Number) -> Digits {
    let float = Float::of(number);
    let (magnitude, shift) = (float.mantissa.into_parts().1, float.exponent.unsigned_abs());
    if float.exponent >= 0 {
        return Digits::new(&(magnitude << shift).to_string(), 0);
    }
    // x / 2^n = x * 5^n / 10^n
    let factor = BigUint::from(5_u8).pow(u32::try_from(shift).unwrap_or(u32::MAX));
    Digits::new(&(magnitude * factor).to_string(), float.exponent)
}

/// The fewest digits that tell a number from others.
pub(super) fn shortest_digits(number: &Number) -> Digits {
    let text = number.to_string();
    let text = text.trim_start_matches('-');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    Digits::new(&[whole, fraction].concat(), -length(fraction))
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

fn length(digits: &str) -> i64 {
    digits.len() as i64
}

/// The decimal digits of a number without its sign.
#[derive(Clone)]
pub(super) struct Digits {
    /// Without zeros at the beginning and at the end; empty for zero.
    digits: String,
    /// How many of them stand before the point; that many zeros stand between the point and them where it is negative.
    point: i64,
}

impl Digits {
    /// An integer times a power of ten.
    fn new(integer: &str, exponent: i64) -> Self {
        let significant = integer.trim_start_matches('0');
        let digits = significant.trim_end_matches('0').to_owned();
        let point = if digits.is_empty() { 0 } else { exponent.saturating_add(length(significant)) };
        Self { digits, point }
    }

    /// With so many digits behind the point.
    pub(super) fn fixed(&self, precision: usize) -> String {
        let rounded = self.rounded(self.point.saturating_add_unsigned(precision as u64));
        let whole = usize::try_from(rounded.point).unwrap_or(0);
        // Zeros before the first digit and after the last one.
        let zeros = usize::try_from(-rounded.point).unwrap_or(0).min(precision);
        let digits = format!("{}{}", "0".repeat(zeros), rounded.digits);
        let digits = format!("{digits:0<width$}", width = whole + precision);
        let (whole, fraction) = digits.split_at(whole);
        let whole = if whole.is_empty() { "0" } else { whole };
        if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
    }

    /// With one digit before the point, so many behind it, and an exponent.
    pub(super) fn scientific(&self, precision: usize) -> String {
        let rounded = self.rounded(1_i64.saturating_add_unsigned(precision as u64));
        let digits = format!("{:0<width$}", rounded.digits, width = precision + 1);
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{first}{point}{rest}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// With so many digits, or all of them, and an exponent where Go's `%g` writes one.
    pub(super) fn general(&self, precision: Option<usize>) -> String {
        let precision = precision.map(|digits| digits.max(1));
        let rounded = precision.map_or_else(|| self.clone(), |digits| self.rounded(digits as i64));
        let length = rounded.digits.len();
        let is_whole = rounded.point >= length as i64;
        let limit = precision.map_or(6, |digits| if is_whole { digits } else { digits.min(length) } as i64);
        if (-4..limit).contains(&(rounded.point - 1)) {
            rounded.fixed(usize::try_from(length as i64 - rounded.point).unwrap_or(0))
        } else {
            rounded.scientific(length.saturating_sub(1))
        }
    }

    /// The first so many digits, rounded half to even.
    fn rounded(&self, kept: i64) -> Self {
        let Ok(kept) = usize::try_from(kept) else { return Self::new("", 0) };
        let Some((head, tail)) = self.digits.split_at_checked(kept).filter(|(_, tail)| !tail.is_empty())
        else {
            return self.clone();
        };
        let odd = head.bytes().last().is_some_and(|digit| digit % 2 == 1);
        let up = tail > "5" || (tail == "5" && odd);
        let rounded = head.parse::<BigUint>().unwrap_or_default() + u8::from(up);
        Self::new(&rounded.to_string(), self.point - length(head))
    }
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
