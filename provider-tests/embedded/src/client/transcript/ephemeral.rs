//! The values of ephemeral resources, which core shows nowhere.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ferroform::diag::Diagnostic;
use ferroform::value::Value;

/// Replaces each value of an ephemeral resource.
pub(crate) const EPHEMERAL: &str = "(ephemeral value)";

/// From this length on a text is recognized within another one. A shorter one could be part of any word.
const RECOGNIZED: usize = 8;

/// From this length on a number is recognized. A shorter one could be any count.
const DIGITS: usize = 4;

/// The texts and numbers with which ephemeral resources were opened, apart from those that the configuration has given
/// to them. Clones share them.
#[derive(Debug, Clone, Default)]
#[doc(hidden)]
pub struct EphemeralValues(Arc<Mutex<Leaves>>);

/// The texts and numbers in a value.
#[derive(Default)]
pub(super) struct Leaves {
    texts: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl Leaves {
    pub(super) fn of(value: &Value) -> Self {
        let mut leaves = Self::default();
        value.walk(|_, value| match value.peel() {
            Value::String(text) if !text.is_empty() => drop(leaves.texts.insert(text.to_string())),
            Value::Number(number) => drop(leaves.numbers.insert(number.to_string())),
            _ => {}
        });
        leaves
    }
}

impl EphemeralValues {
    /// Adds a result, but for what is in the configuration.
    pub(super) fn add(&self, result: &Value, configured: &Leaves) {
        let Leaves { texts, numbers } = Leaves::of(result);
        let mut known = self.lock();
        known.texts.extend(texts.into_iter().filter(|it| !configured.texts.contains(it)));
        let recognized = |it: &String| it.len() >= DIGITS && !configured.numbers.contains(it);
        known.numbers.extend(numbers.into_iter().filter(recognized));
    }

    /// Adds those of another set.
    pub(super) fn extend(&self, other: &Self) {
        if !Arc::ptr_eq(&self.0, &other.0) {
            let Leaves { texts, numbers } = &*other.lock();
            let mut known = self.lock();
            known.texts.extend(texts.iter().cloned());
            known.numbers.extend(numbers.iter().cloned());
        }
    }

    /// A text without the values.
    #[doc(hidden)]
    pub fn hidden_in(&self, text: &str) -> String {
        let known = self.lock();
        let mut shown = text.to_owned();
        // One may be the beginning of another.
        let mut texts: Vec<&String> = known.texts.iter().collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        for text in texts {
            let quoted = format!("{text:?}");
            shown = shown.replace(&quoted, EPHEMERAL);
            if text.len() >= RECOGNIZED {
                let escaped = &quoted[1..quoted.len() - 1];
                shown = shown.replace(escaped, EPHEMERAL).replace(text.as_str(), EPHEMERAL);
            }
        }
        known.numbers.iter().fold(shown, |shown, number| without_number(&shown, number))
    }

    /// Diagnostics without the values.
    pub(super) fn hidden_of(&self, diagnostic: &Diagnostic) -> Diagnostic {
        let mut hidden = diagnostic.clone();
        hidden.summary = self.hidden_in(&diagnostic.summary);
        hidden.detail = self.hidden_in(&diagnostic.detail);
        hidden
    }

    fn lock(&self) -> MutexGuard<'_, Leaves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces a number that is not part of a longer number or word.
fn without_number(text: &str, number: &str) -> String {
    let part = |it: char| it.is_alphanumeric() || it == '_';
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(number) {
        let whole = !before.ends_with(part) && !after.starts_with(part);
        shown.push_str(before);
        shown.push_str(if whole { EPHEMERAL } else { number });
        rest = after;
    }
    shown + rest
}

/// Shows how many there are.
impl fmt::Debug for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Leaves").field(&(self.texts.len() + self.numbers.len())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let values = EphemeralValues::default();
        let result = Value::object([
            ("name", Value::from("web")),
            ("pin", Value::from(4711)),
            ("tries", Value::from(3)),
            ("short", Value::from("abc")),
            ("token", Value::from("t0ken-\"canary\"")),
            ("longer", Value::from("t0ken-\"canary\"-2")),
        ]);
        values.add(&result, &Leaves::of(&Value::object([("name", Value::from("web"))])));
        assert_eq!(values.hidden_in(text), expect);
    }

    #[test]
    fn whole_values_are_hidden_and_long_ones_within_others() {
        check("a = \"abc\", b = \"abcd\", web abc", "a = (ephemeral value), b = \"abcd\", web abc");
        check("Bearer t0ken-\"canary\"!", "Bearer (ephemeral value)!");
        check("url = \"x?t0ken-\\\"canary\\\"\"", "url = \"x?(ephemeral value)\"");
        check("t0ken-\"canary\"-2", "(ephemeral value)");
        check(
            "name = \"web\", 3, 4711, -4711, 47110, a4711",
            "name = \"web\", 3, (ephemeral value), -(ephemeral value), 47110, a4711",
        );
    }
}
