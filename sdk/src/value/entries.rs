//! The named parts of a map or an object.

use std::fmt;
use std::sync::Arc;

use super::Value;
use crate::ty::nfc;

/// Values by key, sorted by key: the elements of a map or the attributes of an object.
///
/// ```
/// use ferroform::value::{Entries, Value};
///
/// let mut tags: Entries = [("team", Value::from("core")), ("env", Value::from("prod"))].into_iter().collect();
/// assert_eq!(tags.keys().collect::<Vec<_>>(), ["env", "team"]);
/// tags.insert("env", Value::Null);
/// assert!(tags.get("env").is_some_and(Value::is_null));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Entries {
    sorted: Vec<(Arc<str>, Value)>,
}

impl Entries {
    /// No entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let at = self.find(key).ok()?;
        self.sorted.get(at).map(|(_, value)| value)
    }

    /// The value of a key, to be changed in place.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.find(key).ok()?;
        self.sorted.get_mut(at).map(|(_, value)| value)
    }

    /// Whether there is a value for a key, be it null.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// Sets the value of a key, which is normalised (NFC), and returns the old value.
    pub fn insert(&mut self, key: impl AsRef<str>, value: Value) -> Option<Value> {
        let key = nfc(key.as_ref());
        match self.find(&key) {
            Ok(at) => self.sorted.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.sorted.insert(at, (Arc::from(key), value));
                None
            }
        }
    }

    /// Takes a key away and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.find(key).ok()?;
        Some(self.sorted.remove(at).1)
    }

    /// Keeps the entries for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        self.sorted.retain_mut(|(key, value)| keep(key, value));
    }

    /// The keys, sorted.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.sorted.iter().map(|(key, _)| key.as_ref())
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.sorted.iter().map(|(_, value)| value)
    }

    /// The entries, sorted by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.sorted.iter().map(|(key, value)| (key, value))
    }

    /// The entries, sorted by key, with values to be changed in place.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Arc<str>, &mut Value)> {
        self.sorted.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// At which place a key is.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.find(key).ok()
    }

    /// The value of a key that is likely to be at that place.
    pub(crate) fn get_near(&self, at: usize, key: &str) -> Option<&Value> {
        let at = self.position_near(at, key)?;
        self.sorted.get(at).map(|(_, value)| value)
    }

    /// As [`get_near`](Self::get_near), to be changed in place.
    pub(crate) fn get_near_mut(&mut self, at: usize, key: &str) -> Option<&mut Value> {
        let at = self.position_near(at, key)?;
        self.sorted.get_mut(at).map(|(_, value)| value)
    }

    fn position_near(&self, at: usize, key: &str) -> Option<usize> {
        let is_there = self.sorted.get(at).is_some_and(|(known, _)| **known == *key);
        if is_there { Some(at) } else { self.position(key) }
    }

    /// The same keys, each with null.
    pub(crate) fn nulls(&self) -> Self {
        Self { sorted: self.sorted.iter().map(|(key, _)| (key.clone(), Value::Null)).collect() }
    }

    /// Entries that are sorted by key already, each key once.
    pub(crate) fn from_sorted(entries: Vec<(Arc<str>, Value)>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
        Self { sorted: entries }
    }

    /// Entries that share their keys with a type or another value; sorted here, the last of equal keys counts.
    /// The keys are taken to be normalised.
    pub(crate) fn from_shared(mut entries: Vec<(Arc<str>, Value)>) -> Self {
        if !entries.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0)) {
            sort(&mut entries);
            // The sort is stable: of equal keys the last given one comes last, and the earlier one is dropped.
            entries.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    std::mem::swap(later, earlier);
                }
                same
            });
        }
        Self { sorted: entries }
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.sorted.binary_search_by(|(known, _)| known.as_ref().cmp(key))
    }
}

/// Sorts entries by key; equal keys stay in their order.
pub(crate) fn sort(entries: &mut [(Arc<str>, Value)]) {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
}

/// Keys are normalised (NFC); of equal keys the last counts.
impl<K: AsRef<str>> FromIterator<(K, Value)> for Entries {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (Arc::from(nfc(key.as_ref())), value)).collect();
        Self::from_shared(entries)
    }
}

impl IntoIterator for Entries {
    type Item = (Arc<str>, Value);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.sorted.into_iter()
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
