//! Timeouts in a model.

use std::time::Duration;

use super::{Attr, AttributeValue, Decode, Encode, Model};
use crate::diag::Result;
use crate::path::{Path, Step};
use crate::schema::{AttributeType, Block, NestedObject, Nesting, Operation, parse_duration};
use crate::value::{Entries, Value};

/// How long operations on an object may take, as the user says it.
///
/// A field of the type `Option<Timeouts>` with the word `timeouts` has a text such as `30m` for each operation that is
/// declared, and only for those, with what holds if the user says nothing:
///
/// ```
/// use ferroform::model::{Model, Timeouts};
///
/// #[derive(Model)]
/// struct Cluster {
///     name: String,
///     #[attr(timeouts = [create = "60m", delete])]
///     timeouts: Option<Timeouts>,
/// }
/// assert_eq!(Cluster::block().timeouts.unwrap().operations.len(), 2);
/// ```
///
/// With `block` beside it, it is a nested block, otherwise a nested attribute, which needs protocol 6. The server keeps
/// the time: when it is up, the call is cancelled, and what the call recorded by a checkpoint is stored beside an error
/// (see `Context::cancellation`). The value itself is passed on as it came;
/// after an import it is null.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeouts {
    members: Vec<(String, Attr<String>)>,
}

impl Timeouts {
    /// How long an operation may take; `None` when the user does not say, or has not yet.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::model::{Decode, Timeouts};
    /// use ferroform::schema::Operation;
    /// use ferroform::value::Value;
    ///
    /// // `timeouts = { create = "1h" }`
    /// let timeouts = Timeouts::from_value(&Value::object([("create", "1h".into()), ("delete", Value::Null)]))?;
    /// assert_eq!(timeouts.get(Operation::Create), Some(Duration::from_secs(3600)));
    /// assert_eq!(timeouts.get(Operation::Delete), None);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, operation: Operation) -> Option<Duration> {
        let (_, text) = self.members.iter().find(|(name, _)| name == operation.name())?;
        parse_duration(text.as_known()?)
    }
}

impl Encode for Timeouts {
    fn encode(self) -> Value {
        if self.members.is_empty() {
            return Value::Null;
        }
        Value::Object(Entries::from_iter(self.members.into_iter().map(|(name, text)| (name, text.encode()))))
    }
}

impl Decode for Timeouts {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        let Value::Object(entries) = value else {
            return Err(super::error::mismatch("an object", value, at));
        };
        let members = entries.iter().map(|(name, text)| {
            let step = Step::Attribute(name.to_string().into());
            Ok((name.to_string(), at.within(Some(step), |at| Attr::decode(text, at))?))
        });
        Ok(Self { members: members.collect::<Result<_>>()? })
    }
}

impl AttributeValue for Timeouts {
    type Draft = Self;
    type Planned = Self;
    type Prior = Self;

    fn attribute_type() -> AttributeType {
        NestedObject::new(Nesting::Single, Vec::new()).into()
    }
}

/// Which operations there are is said where the type is used.
impl Model for Timeouts {
    const VERSION: i64 = 0;

    fn block() -> Block {
        Block::default()
    }
}
