//! Decimal numbers by their digits: the common ground on which numbers of every form are compared.

use std::cmp::Ordering;
use std::fmt;

use super::bignum;
use super::number::{Number, NumberError};

/// A sign, digits and a power of ten. The digits have no leading and no trailing zeros, so that equal numbers have
/// equal fields; zero has no digits and no sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: String,
    pub(super) exponent: i32,
}

/// Up to this many digits, every decimal has a 512-bit float of its own, and that float's shortest decimal text is
/// the same text again (10^153 < 2^511).
const EXACT_DIGITS: usize = 153;

impl Decimal {
    /// Reads `[+-]digits[.digits][e[+-]digits]` and rounds to the precision of core.
    pub(super) fn parse(text: &str) -> Result<Self, NumberError> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NumberError::Syntax);
        }
        let exponent = exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX));
        Self::bounded(negative, digits.trim_start_matches('0'), exponent)
    }

    /// Digits with an optional minus sign, times a power of ten.
    pub(super) fn from_digits(text: &str, exponent: i32) -> Self {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let digits = digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let zeros = i32::try_from(digits.len() - kept.len()).unwrap_or(i32::MAX);
        Self { negative, digits: kept.to_owned(), exponent: exponent.saturating_add(zeros) }
    }

    /// Reads back [`Decimal::to_scientific`], or what Rust prints for a float with `{:e}`.
    pub(super) fn from_scientific(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let exponent = exponent.parse::<i32>().unwrap_or(0);
        match mantissa.split_once('.') {
            None => Self::from_digits(mantissa, exponent),
            Some((whole, fraction)) => {
                let dropped = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
                Self::from_digits(&[whole, fraction].concat(), exponent.saturating_sub(dropped))
            }
        }
    }

    /// The compact text form: `-123e-4`; zero is `0e0`.
    pub(super) fn to_scientific(&self) -> String {
        if self.digits.is_empty() {
            return "0e0".to_owned();
        }
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent)
    }

    /// The number rounded to so many digits, with one of them before the point: `-1.234e-5`.
    pub(super) fn scientific(&self, length: usize) -> String {
        let mut digits = self.digits.clone();
        let mut exponent = self.magnitude() - 1;
        if digits.len() > length {
            let rest = digits.split_off(length);
            let odd = digits.bytes().last().is_some_and(|digit| digit % 2 == 1);
            if rest.as_str() > "5" || (rest == "5" && odd) {
                digits = bignum::increment(&digits).unwrap_or_else(|| {
                    exponent += 1;
                    "1".to_owned()
                });
            }
        }
        let sign = if self.negative { "-" } else { "" };
        match digits.split_at_checked(1) {
            None => "0e0".to_owned(),
            Some((first, rest)) => format!("{sign}{first}.{rest}e{exponent}"),
        }
    }

    /// The number as an `i128`, when it is an integer in range.
    pub(super) fn to_i128(&self) -> Option<i128> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        // i128::MAX has 39 digits; this also keeps the text below short.
        if self.digits.len() + zeros > 39 {
            return None;
        }
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}{}", self.digits, "0".repeat(zeros)).parse().ok()
    }

    /// The fraction as an `f64` that has exactly this value and prints as exactly these digits.
    pub(super) fn to_f64_exact(&self) -> Option<f64> {
        // A fraction of more digits than a shortest f64 text ever has is not one.
        if self.exponent >= 0 || self.digits.len() > 17 {
            return None;
        }
        let number: f64 = self.to_scientific().parse().ok()?;
        let places = usize::try_from(self.exponent.unsigned_abs()).ok()?;
        // With at most 52 places after the point, `2^places * number` being an integer says that the binary fraction
        // ends within the decimal places, so that printing this many places prints the number in full.
        let ends = places <= 52 && (number * 2_f64.powi(self.exponent.abs())).fract() == 0.0;
        let shortest = Self::from_scientific(&format!("{number:e}"));
        let exact = Self::from_digits(&format!("{number:.places$}").replace('.', ""), self.exponent);
        (ends && shortest == *self && exact == *self).then_some(number)
    }

    /// Trims, checks the length of the plain text and rounds to 512 bits.
    fn bounded(negative: bool, digits: &str, exponent: i64) -> Result<Self, NumberError> {
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Ok(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let zeros = i64::try_from(digits.len() - kept.len()).map_err(|_| NumberError::TooLong)?;
        let length = i64::try_from(kept.len()).map_err(|_| NumberError::TooLong)?;
        let exponent = exponent.saturating_add(zeros);
        let plain = if exponent >= 0 {
            length.saturating_add(exponent)
        } else {
            length.max(exponent.saturating_neg())
        };
        if plain > Number::MAX_DIGITS as i64 {
            return Err(NumberError::TooLong);
        }
        let exponent = i32::try_from(exponent).map_err(|_| NumberError::TooLong)?;
        if kept.len() <= EXACT_DIGITS {
            return Ok(Self { negative, digits: kept.to_owned(), exponent });
        }
        let (digits, exponent) = bignum::round(kept, exponent);
        Ok(Self { negative, ..Self::from_digits(&digits, exponent) })
    }

    /// The position of the first digit, counted from the decimal point to the left.
    fn magnitude(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX).saturating_add(i64::from(self.exponent))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let size = self.magnitude().cmp(&other.magnitude());
            let size = size.then_with(|| self.digits.cmp(&other.digits));
            if self.negative { size.reverse() } else { size }
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Plain decimal text without an exponent.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let places = usize::try_from(self.exponent.unsigned_abs()).unwrap_or(usize::MAX);
        if self.exponent >= 0 {
            return write!(f, "{}{:0<places$}", self.digits, "");
        }
        match self.digits.len().checked_sub(places) {
            Some(point) if point > 0 => {
                let (whole, fraction) = self.digits.split_at(point);
                write!(f, "{whole}.{fraction}")
            }
            _ => write!(f, "0.{:0>places$}", self.digits),
        }
    }
}

/// An exponent; one too large to be counted is certainly too large to be written out.
fn parse_exponent(text: &str) -> Result<i64, NumberError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::Syntax);
    }
    text.parse().map_err(|_| NumberError::TooLong)
}
