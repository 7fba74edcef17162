//! What the kinds of objects have in common.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::refusal::{Refusal, Result};
use super::store::{Object, Store};

/// A kind of objects.
pub(super) trait Collection: 'static {
    /// What is asked for.
    type New: DeserializeOwned + Send;

    /// The first part of the path.
    const NAME: &'static str;

    /// A new object of that number.
    fn make(store: &Store, number: i64, new: Self::New) -> Result<Object>;

    /// Changes an object that is there.
    fn change(object: &mut Object, new: Self::New) -> Result;

    /// An object as it looks while it is starting.
    fn starting(body: Json) -> Json {
        body
    }
}

/// The number in an id; of what is no id there is no object.
pub(super) fn number(id: &str) -> Result<i64> {
    let digits = id.split_once('-').map(|(_, digits)| digits);
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(Refusal::not_found)
}
