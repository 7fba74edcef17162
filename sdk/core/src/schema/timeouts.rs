//! How long operations may take, where users may say so themselves.

use std::time::Duration;

use crate::diag::{Diagnostic, Error, Result};
use crate::path::{Path, Step};
use crate::schema::{Attribute, Text, Validator};
use crate::ty::Type;
use crate::value::Value;

/// An operation that may have a timeout.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::schema::{Operation, Timeouts};
/// use ferroform::value::Value;
///
/// let usual = Duration::from_secs(600);
/// let timeouts = Timeouts::new("timeouts", [(Operation::Create, Some(usual)), (Operation::Delete, Some(usual))]);
///
/// // `timeouts = { create = "1h" }`
/// let configured = Value::object([("create", Value::from("1h")), ("delete", Value::Null)]);
/// let cluster = Value::object([("timeouts", configured)]);
/// assert_eq!(timeouts.of(Operation::Create, &cluster)?, Some(Duration::from_secs(3600)));
/// assert_eq!(timeouts.of(Operation::Delete, &cluster)?, Some(usual));
/// assert_eq!(timeouts.of(Operation::Read, &cluster)?, None);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is read.
    Read,
    /// The object is changed.
    Update,
    /// The object is deleted.
    Delete,
    /// An ephemeral resource is opened.
    Open,
}

impl Operation {
    /// The name in a configuration, and of the method in diagnostics.
    ///
    /// ```
    /// use ferroform::schema::Operation;
    ///
    /// // `timeouts = { create = "1h" }`
    /// assert_eq!(Operation::Create.name(), "create");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Open => "open",
        }
    }
}

/// The timeouts of a resource: a nested attribute or single block with a duration for each declared operation.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::schema::{Attribute, Block, Operation, Timeouts};
/// use ferroform::ty::Type;
///
/// let timeouts = Timeouts::new("timeouts", [(Operation::Create, Some(Duration::from_secs(600)))]);
/// let block = Block::new([Attribute::required("name", Type::String)]).timeouts(timeouts);
/// # let _ = block;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// The attribute or block that holds them.
    pub name: Text,
    /// The operations that have one, each with how long it may take if the user does not say; `None` is for ever.
    pub operations: Vec<(Operation, Option<Duration>)>,
}

impl Timeouts {
    /// The timeouts of these operations, each with how long it may take if the user does not say; `None` is for ever.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::schema::{Operation, Timeouts};
    ///
    /// // A cluster is created within an hour, and deleted whenever the service likes.
    /// let operations = [(Operation::Create, Some(Duration::from_secs(3600))), (Operation::Delete, None)];
    /// let timeouts = Timeouts::new("timeouts", operations);
    /// assert_eq!(timeouts.operations.len(), 2);
    /// ```
    #[must_use]
    pub fn new(
        name: impl Into<Text>,
        operations: impl IntoIterator<Item = (Operation, Option<Duration>)>,
    ) -> Self {
        Self { name: name.into(), operations: operations.into_iter().collect() }
    }

    /// The attributes in it: an optional text for each operation.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::schema::{Operation, Timeouts};
    ///
    /// let timeouts = Timeouts::new("timeouts", [(Operation::Create, Some(Duration::from_secs(3600)))]);
    /// let [create] = &timeouts.attributes()[..] else { panic!("one operation") };
    /// assert_eq!(create.name, "create");
    /// assert!(create.description.ends_with("The default is `1h`."));
    /// ```
    #[must_use]
    pub fn attributes(&self) -> Vec<Attribute> {
        let attributes = self.operations.iter().map(|(operation, usual)| {
            let name = operation.name();
            let usual =
                usual.map(|usual| format!(" The default is `{}`.", duration_text(usual))).unwrap_or_default();
            Attribute {
                description: format!("How long a {name} may take, such as `10s`, `60m` or `2h`.{usual}")
                    .into(),
                validators: vec![duration()],
                ..Attribute::optional(name, Type::String)
            }
        });
        attributes.collect()
    }

    /// How long an operation on an object may take; `None` is for ever.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::schema::{Operation, Timeouts};
    /// use ferroform::value::Value;
    ///
    /// let timeouts = Timeouts::new("timeouts", [(Operation::Create, Some(Duration::from_secs(600)))]);
    /// let cluster = |create: Value| Value::object([("timeouts", Value::object([("create", create)]))]);
    /// let create = |object: &Value| timeouts.of(Operation::Create, object);
    /// assert_eq!(create(&cluster("1h".into()))?, Some(Duration::from_secs(3600)));
    /// assert_eq!(create(&cluster(Value::Null))?, Some(Duration::from_secs(600)));
    /// assert!(create(&cluster("soon".into())).is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text is no duration.
    pub fn of(&self, operation: Operation, object: &Value) -> Result<Option<Duration>> {
        let Some((_, usual)) = self.operations.iter().find(|(it, _)| *it == operation) else {
            return Ok(None);
        };
        let inside = object.as_entries().and_then(|entries| entries.get(&self.name));
        let text = inside.and_then(|it| it.as_entries()?.get(operation.name())?.as_str());
        match text {
            None => Ok(*usual),
            Some(text) => parse(text).map(Some).ok_or_else(|| {
                let path = Path::root().attribute(self.name.clone()).attribute(operation.name());
                Error::from(invalid(&path)).at(path)
            }),
        }
    }
}

/// The check that a text is a duration.
fn duration() -> Validator {
    Validator::new(ALLOWED, |path, value, found| {
        if value.as_str().is_some_and(|text| parse(text).is_none()) {
            found.push(invalid(path).at(path.clone()));
        }
    })
}

const ALLOWED: &str = "a duration such as `10s`, `60m` or `2h`";

fn invalid(path: &Path) -> Diagnostic {
    let name = match path.steps().last() {
        Some(Step::Attribute(name)) => name,
        _ => "value",
    };
    Diagnostic::error(
        "Invalid Duration",
        format!("`{name}` must be {ALLOWED}: numbers, each with a unit out of `h`, `m`, `s` and `ms`."),
    )
}

/// Reads a positive duration.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    nanoseconds(text).filter(|it| *it > 0).map(Duration::from_nanos)
}

/// The nanoseconds of a duration, rounded down: numbers with units, the greater ones usually first, as in `1h30m` or
/// `1.5h`; `0` needs none.
pub(crate) fn nanoseconds(text: &str) -> Option<u64> {
    const UNITS: &[(&str, u64)] = &[
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    if text == "0" {
        return Some(0);
    }
    let is_of_number = |it: char| it.is_ascii_digit() || it == '.';
    let mut sum = 0_u64;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|it| !is_of_number(it))?);
        let (unit, after) = after.split_at(after.find(is_of_number).unwrap_or(after.len()));
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        sum = sum.checked_add(scaled(number, *unit)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

/// A decimal number of units, in nanoseconds.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    let mut sum = whole.checked_mul(unit)?;
    let mut place = unit;
    for digit in fraction.chars() {
        place /= 10;
        sum = sum.checked_add(place * u64::from(digit.to_digit(10)?))?;
    }
    Some(sum)
}

/// A duration in the greatest unit in which it is a whole number.
pub(crate) fn duration_text(duration: Duration) -> String {
    match duration.as_millis() {
        all if all % 3_600_000 == 0 => format!("{}h", all / 3_600_000),
        all if all % 60_000 == 0 => format!("{}m", all / 60_000),
        all if all % 1000 == 0 => format!("{}s", all / 1000),
        all => format!("{all}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, seconds) in
            [("10s", 10.0), ("60m", 3600.0), ("2h", 7200.0), ("1h30m", 5400.0), ("1.5h", 5400.0)]
        {
            assert_eq!(parse(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in [
            "",
            "0s",
            "10",
            "s",
            "ten",
            "5d",
            "5 s",
            "-5s",
            "1h-",
            ".s",
            "1.2.3s",
            "0",
            "9999999999999h",
            "5S",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn duration_text_is_parsed_to_the_same_duration() {
        for text in ["10s", "90m", "2h", "1500ms"] {
            assert_eq!(duration_text(parse(text).unwrap()), text);
        }
    }
}
