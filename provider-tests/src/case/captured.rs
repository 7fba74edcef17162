//! Values that one step finds and later ones use.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value as Json;

/// The name of a value that a step captures.
///
/// A case is run several times, and each run has its own value; see [`Values`].
///
/// ```
/// use ferroform_testing::case::Captured;
///
/// const ID: Captured = Captured::new("the id");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Captured(Cow<'static, str>);

/// The values that the steps of a run have captured so far.
#[derive(Default)]
pub struct Values {
    values: BTreeMap<Captured, Json>,
}

impl Captured {
    /// A value of that name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }
}

impl From<String> for Captured {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl std::fmt::Display for Captured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Values {
    /// A captured value as JSON; `None` before it is captured.
    #[must_use]
    pub fn get(&self, name: &Captured) -> Option<&Json> {
        self.values.get(name)
    }

    /// A captured value that is text.
    ///
    /// # Panics
    /// When it was not captured, or is no text: a mistake in the case, which fails with this message.
    #[must_use]
    pub fn text(&self, name: &Captured) -> &str {
        match self.get(name) {
            Some(Json::String(text)) => text,
            Some(_) => panic!("the captured value of {name} is no text"),
            None => panic!("no step has captured {name} yet"),
        }
    }

    pub(crate) fn set(&mut self, name: Captured, value: Json) {
        self.values.insert(name, value);
    }
}

/// Shows names only, since values may be secrets.
impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}
