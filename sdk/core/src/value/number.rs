//! Numbers of the configuration language: exact, and kept in the form in which they arrived.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use super::decimal::Decimal;

/// A finite number.
///
/// Core computes with a 512-bit binary mantissa; an `f64` holds 53 bits. A number is therefore kept as it arrived, an
/// integer as an integer, a float as a float, decimal text as decimal text, so that a provider that hands a value on
/// hands it on unchanged. Comparison, order and hash look at the numeric value, in the way in which core compares:
/// integers exactly, fractions by their shortest decimal text (`0.1_f64` equals the text `0.1`).
///
/// ```
/// use ferroform::value::Number;
///
/// let tenth: Number = "0.1".parse()?;
/// assert_eq!(tenth, Number::from_f64(0.1)?);
/// assert_eq!(tenth.to_i64(), None);
/// assert_eq!("12e2".parse::<Number>()?.to_string(), "1200");
/// assert!("1e999999999".parse::<Number>().is_err());
/// # Ok::<(), ferroform::value::NumberError>(())
/// ```
#[derive(Clone)]
pub struct Number {
    form: Form,
}

/// The form in which a number arrived, which is the form in which it is sent.
#[derive(Clone)]
pub(crate) enum Form {
    /// An integer of up to 64 bits with sign.
    Int(i64),
    /// An integer beyond `i64::MAX`.
    Uint(u64),
    /// A finite float; zero has no sign.
    Float(f64),
    /// A finite float of 32 bits, which stands for its shortest decimal text; zero has no sign.
    Single(f32),
    /// Decimal text in the form `-123e-4`; see [`Decimal`].
    Text(Arc<str>),
}

/// Why a number was refused.
///
/// ```
/// use ferroform::value::{Number, NumberError};
///
/// // A service may report the load of a server in many ways.
/// assert_eq!("12%".parse::<Number>().unwrap_err(), NumberError::Syntax);
/// assert_eq!("1e999999".parse::<Number>().unwrap_err(), NumberError::TooLong);
/// assert_eq!(Number::from_f64(f64::NAN).unwrap_err(), NumberError::NotFinite);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a decimal number.
    Syntax,
    /// Written out, the number has more digits than [`Number::MAX_DIGITS`].
    TooLong,
    /// The float is infinite or not a number.
    NotFinite,
}

impl Number {
    /// How many digits a number may have when it is written without an exponent. Core has no such limit, but a few
    /// bytes of exponent must not grow to gigabytes here. Every `f64` is within it.
    pub const MAX_DIGITS: usize = 1024;

    /// A float.
    ///
    /// ```
    /// use ferroform::value::{Number, NumberError};
    ///
    /// assert_eq!(Number::from_f64(0.25)?, "0.25".parse()?);
    /// assert_eq!(Number::from_f64(f64::INFINITY), Err(NumberError::NotFinite));
    /// # Ok::<(), NumberError>(())
    /// ```
    ///
    /// # Errors
    /// [`NumberError::NotFinite`] for an infinity or a NaN: core cannot store the first and crashes on the second.
    pub fn from_f64(number: f64) -> Result<Self, NumberError> {
        if !number.is_finite() {
            return Err(NumberError::NotFinite);
        }
        // Core has no negative zero; adding positive zero takes the sign away.
        Ok(Self { form: Form::Float(number + 0.0) })
    }

    /// A float of 32 bits. Its value is its shortest decimal text, so that `0.1_f32` is the text `0.1`.
    ///
    /// # Errors
    /// [`NumberError::NotFinite`], as for [`Number::from_f64`].
    pub(crate) fn from_f32(number: f32) -> Result<Self, NumberError> {
        if !number.is_finite() {
            return Err(NumberError::NotFinite);
        }
        Ok(Self { form: Form::Single(number + 0.0) })
    }

    /// A number from decimal text that stays text on the wire, whatever its value.
    pub(crate) fn from_wire_text(text: &str) -> Result<Self, NumberError> {
        let decimal = Decimal::parse(text)?;
        Ok(Self { form: Form::Text(decimal.to_scientific().into()) })
    }

    /// The form in which the number arrived.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Whether the number has no fraction.
    ///
    /// ```
    /// use ferroform::value::Number;
    ///
    /// assert!("2.0".parse::<Number>()?.is_integer());
    /// assert!(!"2.5".parse::<Number>()?.is_integer());
    /// # Ok::<(), ferroform::value::NumberError>(())
    /// ```
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.form {
            Form::Int(_) | Form::Uint(_) => true,
            Form::Float(number) => number.fract() == 0.0,
            Form::Single(_) | Form::Text(_) => self.decimal().exponent >= 0,
        }
    }

    /// The number as an `i64`; `None` when it has a fraction or is out of range.
    ///
    /// ```
    /// use ferroform::value::Number;
    ///
    /// assert_eq!("-1e3".parse::<Number>()?.to_i64(), Some(-1000));
    /// assert_eq!("0.5".parse::<Number>()?.to_i64(), None);
    /// assert_eq!(Number::from(u64::MAX).to_i64(), None);
    /// # Ok::<(), ferroform::value::NumberError>(())
    /// ```
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }

    /// The number as a `u64`; `None` when it is negative, has a fraction or is out of range.
    ///
    /// ```
    /// use ferroform::value::Number;
    ///
    /// assert_eq!(Number::from(443).to_u64(), Some(443));
    /// assert_eq!(Number::from(-1).to_u64(), None);
    /// ```
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(self.to_i128()?).ok()
    }

    /// The number as an `i128`; `None` when it has a fraction or is out of range.
    ///
    /// ```
    /// use ferroform::value::Number;
    ///
    /// // The number of addresses in a network of IPv6.
    /// assert_eq!("18446744073709551616".parse::<Number>()?.to_i128(), Some(1 << 64));
    /// assert_eq!("1e40".parse::<Number>()?.to_i128(), None);
    /// # Ok::<(), ferroform::value::NumberError>(())
    /// ```
    #[must_use]
    pub fn to_i128(&self) -> Option<i128> {
        match &self.form {
            Form::Int(number) => Some(i128::from(*number)),
            Form::Uint(number) => Some(i128::from(*number)),
            // 2^126 is far above all integers that a smaller type could hold; beyond it the text decides.
            Form::Float(number) if number.abs() < 2_f64.powi(126) =>
            {
                #[expect(clippy::cast_possible_truncation, reason = "integers below 2^126 fit")]
                (number.fract() == 0.0).then_some(*number as i128)
            }
            Form::Float(_) | Form::Single(_) | Form::Text(_) => self.decimal().to_i128(),
        }
    }

    /// The nearest `f64`; beyond the largest one, an infinity.
    ///
    /// ```
    /// use ferroform::value::Number;
    ///
    /// assert_eq!("0.25".parse::<Number>()?.to_f64(), 0.25);
    /// assert_eq!("1e400".parse::<Number>()?.to_f64(), f64::INFINITY);
    /// # Ok::<(), ferroform::value::NumberError>(())
    /// ```
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.form {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
            Form::Int(number) => *number as f64,
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
            Form::Uint(number) => *number as f64,
            Form::Float(number) => *number,
            // What Rust prints for a float is a float literal.
            Form::Single(number) => number.to_string().parse().unwrap_or(f64::NAN),
            // The stored form is a float literal, so this always parses.
            Form::Text(text) => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// The number as an `f64` that core takes for the same number; `None` when no `f64` is.
    ///
    /// ```
    /// use ferroform::value::Number;
    ///
    /// assert_eq!("0.1".parse::<Number>()?.to_f64_exact(), Some(0.1));
    /// assert_eq!("1e23".parse::<Number>()?.to_f64_exact(), None);
    /// # Ok::<(), ferroform::value::NumberError>(())
    /// ```
    #[must_use]
    pub fn to_f64_exact(&self) -> Option<f64> {
        let nearest = self.to_f64();
        (Self::from_f64(nearest).ok()? == *self).then_some(nearest)
    }

    /// The number with one digit before the point, rounded to so many digits: `-1.234e-5`.
    pub(super) fn scientific(&self, digits: usize) -> String {
        self.decimal().scientific(digits)
    }

    /// Sign, digits and exponent of the value that counts in comparisons.
    fn decimal(&self) -> Decimal {
        match &self.form {
            Form::Int(number) => Decimal::from_digits(&number.to_string(), 0),
            Form::Uint(number) => Decimal::from_digits(&number.to_string(), 0),
            Form::Float(number) if number.fract() == 0.0 => Decimal::from_digits(&format!("{number:.0}"), 0),
            Form::Float(number) => Decimal::from_scientific(&format!("{number:e}")),
            Form::Single(number) => Decimal::from_scientific(&format!("{number:e}")),
            Form::Text(text) => Decimal::from_scientific(text),
        }
    }
}

/// Decimal text with an optional sign, fraction and exponent, as core's conversion from string takes it. An integer
/// of 64 bits becomes one; a fraction that an `f64` holds exactly becomes one; everything else stays text. Beyond 512
/// bits of precision the number is rounded as core rounds it.
impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        if let Ok(number) = text.parse::<i64>() {
            return Ok(number.into());
        }
        let decimal = Decimal::parse(text)?;
        if let Some(number) = decimal.to_i128().and_then(|number| i64::try_from(number).ok()) {
            return Ok(number.into());
        }
        if let Some(number) = decimal.to_f64_exact() {
            return Self::from_f64(number);
        }
        Ok(Self { form: Form::Text(decimal.to_scientific().into()) })
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self { form: Form::Int(number) }
    }
}

macro_rules! from_small_integers {
    ($($integer:ty)*) => {
        $(
            impl From<$integer> for Number {
                fn from(number: $integer) -> Self {
                    i64::from(number).into()
                }
            }
        )*
    };
}
from_small_integers!(i8 i16 i32 u8 u16 u32);

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        let form = i64::try_from(number).map_or(Form::Uint(number), Form::Int);
        Self { form }
    }
}

impl From<i128> for Number {
    fn from(number: i128) -> Self {
        if let Ok(number) = i64::try_from(number) {
            return number.into();
        }
        if let Ok(number) = u64::try_from(number) {
            return number.into();
        }
        Self { form: Form::Text(Decimal::from_digits(&number.to_string(), 0).to_scientific().into()) }
    }
}

/// Tries a float; see [`Number::from_f64`].
impl TryFrom<f64> for Number {
    type Error = NumberError;

    fn try_from(number: f64) -> Result<Self, NumberError> {
        Self::from_f64(number)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.form, &other.form) {
            (Form::Int(a), Form::Int(b)) => a.cmp(b),
            (Form::Uint(a), Form::Uint(b)) => a.cmp(b),
            (Form::Float(a), Form::Float(b)) => a.total_cmp(b),
            (Form::Text(a), Form::Text(b)) if a == b => Ordering::Equal,
            _ => match (self.to_i128(), other.to_i128()) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => self.decimal().cmp(&other.decimal()),
            },
        }
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.to_i128() {
            Some(number) => number.hash(state),
            None => self.decimal().hash(state),
        }
    }
}

/// Decimal text without an exponent, as core converts a number to a string.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Int(number) => number.fmt(f),
            Form::Uint(number) => number.fmt(f),
            Form::Float(number) => number.fmt(f),
            Form::Single(_) | Form::Text(_) => self.decimal().fmt(f),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("a number is required"),
            Self::TooLong => write!(f, "a number of at most {} digits is required", Number::MAX_DIGITS),
            Self::NotFinite => f.write_str("a finite number is required"),
        }
    }
}

impl std::error::Error for NumberError {}
