//! The named parts of a map or an object.

use std::hash::{Hash, Hasher};
use std::mem::{self, ManuallyDrop};
use std::sync::Arc;
use std::{fmt, vec};

use super::Value;
use super::visits::visit;
use crate::ty::{Keys, ObjectType, nfc, sort_and_keep_last};

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
#[derive(Clone, Default)]
pub struct Entries {
    keys: ManuallyDrop<Keys>,
    /// One for each key, in their order.
    values: ManuallyDrop<Box<[Value]>>,
}

/// Without `ManuallyDrop` the compiler would emit the code that drops the fields wherever a value is dropped, which is in
/// thirty parts of a program. This keeps it in one function.
impl Drop for Entries {
    fn drop(&mut self) {
        drop((mem::take(&mut *self.keys), mem::take(&mut *self.values)));
    }
}

impl Entries {
    /// No entries.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let mut tags = Entries::new();
    /// tags.insert("env", Value::from("prod"));
    /// assert_eq!(Value::Map(tags), Value::map([("env", Value::from("prod"))]));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries there are.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// // Of two entries with one key the later counts.
    /// let tags: Entries = [("env", Value::from("test")), ("env", Value::from("prod"))].into_iter().collect();
    /// assert_eq!(tags.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// assert!(Entries::new().is_empty());
    /// assert!(!Entries::from_iter([("env", Value::Null)]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a key.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let tags = Entries::from_iter([("env", Value::from("prod"))]);
    /// assert_eq!(tags.get("env").and_then(Value::as_str), Some("prod"));
    /// assert_eq!(tags.get("team"), None);
    /// ```
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(self.find(key).ok()?).inspect(|value| visit(value))
    }

    /// The value of a key, to be changed in place.
    ///
    /// ```
    /// # use ferroform::value::{Entries, Value};
    /// # let mut tags = Entries::from_iter([("env", Value::from("test"))]);
    /// if let Some(env) = tags.get_mut("env") {
    ///     *env = Value::from("prod");
    /// }
    /// assert_eq!(tags.get("env"), Some(&Value::from("prod")));
    /// ```
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.find(key).ok()?;
        self.values.get_mut(at).inspect(|value| visit(value))
    }

    /// Whether there is a value for a key, be it null.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let tags = Entries::from_iter([("env", Value::Null)]);
    /// assert!(tags.contains_key("env") && !tags.contains_key("team"));
    /// ```
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// Sets the value of a key, which is normalised (NFC), and returns the old value. For a new key that takes as long
    /// as there are entries: many of them are best collected.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let mut tags = Entries::new();
    /// assert_eq!(tags.insert("env", Value::from("test")), None);
    /// assert_eq!(tags.insert("env", Value::from("prod")), Some(Value::from("test")));
    /// ```
    pub fn insert(&mut self, key: impl AsRef<str>, value: Value) -> Option<Value> {
        let key = nfc(key.as_ref());
        match self.find(&key) {
            Ok(at) => self.values.get_mut(at).map(|old| mem::replace(old, value)),
            Err(at) => {
                self.keys.to_mut().insert(at, Arc::from(key));
                self.change_values(|values| values.insert(at, value));
                None
            }
        }
    }

    /// Takes a key away and returns its value.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let mut tags = Entries::from_iter([("env", Value::from("prod"))]);
    /// assert_eq!(tags.remove("env"), Some(Value::from("prod")));
    /// assert_eq!(tags.remove("env"), None);
    /// ```
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.find(key).ok()?;
        self.keys.to_mut().remove(at);
        Some(self.change_values(|values| values.remove(at)))
    }

    /// Keeps the entries for which `keep` is true.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// // Tags of the service itself are not shown.
    /// let mut tags = Entries::from_iter([("cloud:rack", Value::from("r7")), ("env", Value::from("prod"))]);
    /// tags.retain(|key, _| !key.starts_with("cloud:"));
    /// assert_eq!(tags.keys().collect::<Vec<_>>(), ["env"]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        let keys = (*self.keys).clone();
        let kept = mem::take(self)
            .into_iter()
            .filter_map(|(key, mut value)| keep(&key, &mut value).then_some((key, value)));
        *self = Self::from_sorted(kept.collect());
        if self.len() == keys.as_slice().len() {
            *self.keys = keys;
        }
    }

    /// The keys, sorted.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let tags = Entries::from_iter([("team", Value::from("core")), ("env", Value::from("prod"))]);
    /// assert_eq!(tags.keys().collect::<Vec<_>>(), ["env", "team"]);
    /// ```
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.keys.as_slice().iter().map(AsRef::as_ref)
    }

    /// The values in the order of their keys.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let tags = Entries::from_iter([("team", Value::from("core")), ("env", Value::from("prod"))]);
    /// assert_eq!(tags.values().filter_map(Value::as_str).collect::<Vec<_>>(), ["prod", "core"]);
    /// ```
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.values.iter().inspect(|value| visit(value))
    }

    /// The entries, sorted by key.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let tags = Entries::from_iter([("team", Value::from("core")), ("env", Value::from("prod"))]);
    /// let filter: Vec<_> = tags.iter().map(|(key, tag)| format!("{key}={}", tag.as_str().unwrap_or_default())).collect();
    /// assert_eq!(filter.join("&"), "env=prod&team=core");
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.keys.as_slice().iter().zip(self.values())
    }

    /// The entries, sorted by key, with values to be changed in place.
    ///
    /// ```
    /// use ferroform::value::{Entries, Value};
    ///
    /// let mut tags = Entries::from_iter([("env", Value::from("Prod")), ("team", Value::from("Core"))]);
    /// for (_, tag) in tags.iter_mut() {
    ///     *tag = Value::from(tag.as_str().unwrap_or_default().to_lowercase());
    /// }
    /// assert_eq!(tags, Entries::from_iter([("env", Value::from("prod")), ("team", Value::from("core"))]));
    /// ```
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Arc<str>, &mut Value)> {
        self.keys.as_slice().iter().zip(self.values.iter_mut().inspect(|value| visit(value)))
    }

    /// At which place a key is.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.find(key).ok()
    }

    /// The value of a key that is likely to be at that place.
    pub(crate) fn get_near(&self, at: usize, key: &str) -> Option<&Value> {
        self.values.get(self.position_near(at, key)?).inspect(|value| visit(value))
    }

    /// As [`get_near`](Self::get_near), to be changed in place.
    pub(crate) fn get_near_mut(&mut self, at: usize, key: &str) -> Option<&mut Value> {
        let at = self.position_near(at, key)?;
        self.values.get_mut(at).inspect(|value| visit(value))
    }

    /// Where a key stands, which is likely to be that place. Names are shared with the schema for the most part, and
    /// then are one text in memory.
    fn position_near(&self, at: usize, key: &str) -> Option<usize> {
        let is_key = |known: &Arc<str>| std::ptr::eq(&raw const **known, key) || **known == *key;
        if self.keys.as_slice().get(at).is_some_and(is_key) { Some(at) } else { self.position(key) }
    }

    /// The same keys, each with another value.
    pub(crate) fn map(&self, value: impl FnMut(&Value) -> Value) -> Self {
        Self::from_parts((*self.keys).clone(), self.values().map(value).collect())
    }

    /// The same keys, each with null.
    pub(crate) fn nulls(&self) -> Self {
        self.map(|_| Value::Null)
    }

    /// An object of that type, with the values of all of its attributes in their order.
    pub(crate) fn of(object: &ObjectType, values: Vec<Value>) -> Self {
        Self::from_parts(object.names().clone(), values)
    }

    /// A value for each key.
    pub(crate) fn from_parts(keys: Keys, values: Vec<Value>) -> Self {
        debug_assert_eq!(keys.as_slice().len(), values.len());
        Self { keys: ManuallyDrop::new(keys), values: ManuallyDrop::new(values.into()) }
    }

    /// Entries that are sorted by key already, each key once.
    pub(crate) fn from_sorted(entries: Vec<(Arc<str>, Value)>) -> Self {
        let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        Self::from_parts(Keys::from_sorted(keys), values)
    }

    /// Entries that share their keys with a type or another value; sorted here, the last of equal keys counts.
    /// The keys are taken to be normalised.
    pub(crate) fn from_shared(mut entries: Vec<(Arc<str>, Value)>) -> Self {
        if !entries.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0)) {
            sort_and_keep_last(&mut entries);
        }
        Self::from_sorted(entries)
    }

    fn change_values<T>(&mut self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let mut values = mem::take(&mut *self.values).into_vec();
        let result = change(&mut values);
        *self.values = values.into();
        result
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.keys.as_slice().binary_search_by(|known| known.as_ref().cmp(key))
    }
}

/// Finds keys in about the order in which they stand: each is looked for behind the last one first.
#[derive(Default)]
pub(crate) struct KeyCursor {
    next: usize,
}

impl KeyCursor {
    /// Where a key stands.
    pub(crate) fn position(&mut self, entries: &Entries, key: &str) -> Option<usize> {
        let at = entries.position_near(self.next, key)?;
        self.next = at + 1;
        Some(at)
    }
}

/// Keys are normalised (NFC); of equal keys the last counts.
impl<K: AsRef<str>> FromIterator<(K, Value)> for Entries {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (Arc::from(nfc(key.as_ref())), value)).collect();
        Self::from_shared(entries)
    }
}

impl PartialEq for Entries {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys && self.values().eq(other.values())
    }
}

impl Eq for Entries {}

impl Hash for Entries {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.keys.hash(state);
        self.values().for_each(|value| value.hash(state));
    }
}

impl IntoIterator for Entries {
    type Item = (Arc<str>, Value);
    type IntoIter = IntoIter;

    fn into_iter(mut self) -> IntoIter {
        let (keys, values) = (mem::take(&mut *self.keys), mem::take(&mut *self.values));
        IntoIter { keys, at: 0, values: values.into_vec().into_iter() }
    }
}

/// The entries of a map or an object, sorted by key.
///
/// ```
/// use ferroform::value::{Entries, Value};
///
/// let tags: Entries = [("b", Value::from(2)), ("a", Value::from(1))].into_iter().collect();
/// let reversed: Vec<_> = tags.into_iter().rev().collect();
/// assert_eq!(reversed, [("b".into(), Value::from(2)), ("a".into(), Value::from(1))]);
/// ```
#[derive(Debug)]
#[doc(hidden)]
pub struct IntoIter {
    keys: Keys,
    at: usize,
    values: vec::IntoIter<Value>,
}

impl Iterator for IntoIter {
    type Item = (Arc<str>, Value);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = (self.keys.as_slice().get(self.at)?.clone(), self.values.next()?);
        visit(&entry.1);
        self.at += 1;
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl DoubleEndedIterator for IntoIter {
    fn next_back(&mut self) -> Option<Self::Item> {
        let value = self.values.next_back()?;
        visit(&value);
        Some((self.keys.as_slice().get(self.at + self.values.len())?.clone(), value))
    }
}

impl ExactSizeIterator for IntoIter {}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever becomes of entries, nothing of them is left behind or dropped twice.
    #[test]
    fn entries_drop_what_they_have() {
        let (key, text): (Arc<str>, Arc<str>) = (Arc::from("a"), Arc::from("text"));
        let value = || Value::String(Arc::clone(&text));
        let two = || Entries::from_shared(vec![(Arc::clone(&key), value()), (Arc::from("b"), value())]);
        let uses: [fn(Entries, Value); 7] = [
            |entries, _| drop(entries),
            |entries, _| drop(entries.into_iter().next()),
            |entries, _| assert_eq!(entries.into_iter().rev().count(), 2),
            |mut entries, _| entries.retain(|key, _| key == "b"),
            |mut entries, value| {
                assert!(entries.insert("c", value.clone()).is_none() && entries.insert("a", value).is_some())
            },
            |mut entries, _| assert!(entries.remove("a").is_some()),
            |mut entries, _| entries.clone_from(&entries.map(Value::clone).nulls()),
        ];
        for (at, used) in uses.into_iter().enumerate() {
            used(two(), value());
            assert_eq!((Arc::strong_count(&key), Arc::strong_count(&text)), (1, 1), "{at}");
        }
    }
}
