//! Notations of times.

use super::notation::Notation;
use crate::semantic::Spelled;
use crate::value::{Number, Value};

/// Durations of numbers with units.
#[derive(Debug)]
pub enum Duration {}

/// The units, with their nanoseconds. `m` and `ms` differ in what follows, so longer names come first.
const UNITS: [(&str, u64); 7] = [
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
];

impl Duration {
    /// The nanoseconds, rounded down.
    fn nanoseconds(text: &str) -> Option<u64> {
        if text == "0" {
            return Some(0);
        }
        let mut rest = text;
        let mut sum = 0_u64;
        while !rest.is_empty() {
            let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
            let (number, after) = rest.split_at_checked(end)?;
            let (unit, size) = UNITS.iter().find(|(unit, _)| after.starts_with(unit))?;
            rest = after.strip_prefix(unit)?;
            sum = sum.checked_add(scaled(number, *size)?)?;
        }
        (!text.is_empty()).then_some(sum)
    }
}

/// A decimal number of units, in nanoseconds.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    let mut sum = u128::from(whole.checked_mul(unit)?);
    let mut place = u128::from(unit);
    for digit in fraction.chars() {
        place /= 10;
        sum += place * u128::from(digit.to_digit(10)?);
    }
    u64::try_from(sum).ok()
}

impl Notation for Duration {
    const ALLOWED: &'static str = "a duration such as 90s, 1h30m or 250ms";

    fn meaning(text: &str) -> Option<Value> {
        Self::nanoseconds(text).map(|nanoseconds| Value::Number(Number::from(nanoseconds)))
    }
}

impl Spelled<Duration> {
    /// The duration.
    #[must_use]
    pub fn get(&self) -> std::time::Duration {
        std::time::Duration::from_nanos(Duration::nanoseconds(self.as_str()).unwrap_or_default())
    }
}

/// Times by RFC 3339.
#[cfg(feature = "time")]
#[derive(Debug)]
pub enum Rfc3339 {}

#[cfg(feature = "time")]
impl Rfc3339 {
    fn parse(text: &str) -> Option<jiff::Timestamp> {
        // The parser also takes what RFC 3339 does not: a time zone in brackets, and fewer digits.
        let is_rfc3339 = text.len() >= "2006-01-02T15:04:05Z".len()
            && matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '))
            && text.is_ascii()
            && !text.contains('[');
        is_rfc3339.then(|| text.parse().ok())?
    }
}

#[cfg(feature = "time")]
impl Notation for Rfc3339 {
    const ALLOWED: &'static str = "a time by RFC 3339, such as 2006-01-02T15:04:05Z";

    fn meaning(text: &str) -> Option<Value> {
        Some(Value::string(Self::parse(text)?.to_string()))
    }
}

#[cfg(feature = "time")]
impl Spelled<Rfc3339> {
    /// The moment.
    #[must_use]
    pub fn get(&self) -> std::time::SystemTime {
        Rfc3339::parse(self.as_str()).map_or(std::time::SystemTime::UNIX_EPOCH, Into::into)
    }
}
