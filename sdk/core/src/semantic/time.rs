//! Formats of times.

use super::format::Format;
use crate::schema::nanoseconds;
use crate::semantic::Normalized;
use crate::value::{Number, Value};

/// Durations of numbers with units.
#[derive(Debug)]
pub enum Duration {}

impl Format for Duration {
    const EXPECTED: &'static str = "a duration such as 90s, 1h30m or 250ms";

    fn canonical(text: &str) -> Option<Value> {
        nanoseconds(text).map(|nanoseconds| Value::Number(Number::from(nanoseconds)))
    }
}

impl Normalized<Duration> {
    /// The duration.
    ///
    /// ```
    /// use ferroform::semantic::Duration;
    ///
    /// let retention: Duration = "1h30m".parse()?;
    /// assert_eq!(retention.get(), std::time::Duration::from_secs(5400));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self) -> std::time::Duration {
        std::time::Duration::from_nanos(nanoseconds(self.as_str()).unwrap_or_default())
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
impl Format for Rfc3339 {
    const EXPECTED: &'static str = "a time by RFC 3339, such as 2006-01-02T15:04:05Z";

    fn canonical(text: &str) -> Option<Value> {
        Some(Value::string(Self::parse(text)?.to_string()))
    }
}

#[cfg(feature = "time")]
impl Normalized<Rfc3339> {
    /// The moment.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use ferroform::semantic::Rfc3339;
    ///
    /// let expires: Rfc3339 = "1970-01-02T00:00:00Z".parse()?;
    /// assert_eq!(expires.get(), SystemTime::UNIX_EPOCH + Duration::from_secs(86_400));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self) -> std::time::SystemTime {
        Rfc3339::parse(self.as_str()).map_or(std::time::SystemTime::UNIX_EPOCH, Into::into)
    }
}
