//! Sets of values, in near-linear time however large they are.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{Value, hash, order};

/// Distinct values, in the order in which they were received.
///
/// Equal elements are kept once, but only when they are wholly known: two elements with unknown parts may still turn
/// out to differ. Building, comparing and hashing take linear time, and looking an element up logarithmic time.
/// Equality does not look at the order. Clones share their elements.
///
/// ```
/// use ferroform::value::{Set, Value};
///
/// let ports: Set = [443, 80, 443].into_iter().map(Value::from).collect();
/// assert_eq!(ports.len(), 2);
/// assert!(ports.contains(&Value::from(80)));
/// assert_eq!(ports, [80, 443].into_iter().map(Value::from).collect());
/// ```
#[derive(Clone, Default)]
pub struct Set {
    content: Arc<Content>,
}

#[derive(Default)]
struct Content {
    elements: Box<[Value]>,
    /// Absent for a small set, which is searched from end to end.
    index: Option<Box<Index>>,
}

/// What a large set remembers. It is kept apart, since hostile input may consist of empty sets.
struct Index {
    /// The positions of the elements, sorted by hash.
    by_hash: Box<[(u64, u32)]>,
    /// Whether all elements are wholly known.
    is_known: bool,
}

/// Up to this many elements, comparing all of them is faster than hashing.
const SMALL: usize = 8;

impl Set {
    /// A set of these elements, less duplicates.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let ports = Set::new(vec![443.into(), 80.into(), 443.into()]);
    /// assert_eq!(ports.as_slice(), [Value::from(443), Value::from(80)]);
    /// // Both may still turn out to be different.
    /// assert_eq!(Set::new(vec![Value::unknown(), Value::unknown()]).len(), 2);
    /// ```
    #[must_use]
    pub fn new(elements: Vec<Value>) -> Self {
        let content =
            if elements.len() <= SMALL { Content::small(elements) } else { Content::large(elements) };
        Self { content: Arc::new(content) }
    }

    /// How many elements there are.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let ports: Set = [443, 80, 443].into_iter().map(Value::from).collect();
    /// assert_eq!(ports.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// assert!(Set::default().is_empty());
    /// assert!(!Set::new(vec![Value::Null]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// Whether an element equals `value`. An unknown is found when the set has an unknown.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let zones: Set = ["eu-1", "eu-2"].into_iter().map(Value::from).collect();
    /// assert!(zones.contains(&"eu-1".into()) && !zones.contains(&"us-1".into()));
    /// ```
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        let Content { elements, index, .. } = &*self.content;
        match index {
            None => elements.contains(value),
            Some(index) => index.run(hash(value)).any(|at| elements.get(at) == Some(value)),
        }
    }

    /// The elements, in the order in which they were received.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let zones: Set = ["eu-2", "eu-1"].into_iter().map(Value::from).collect();
    /// assert_eq!(zones.iter().filter_map(Value::as_str).collect::<Vec<_>>(), ["eu-2", "eu-1"]);
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.as_slice().iter()
    }

    /// The elements as a slice, in the order in which they were received.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let zones: Set = ["eu-2", "eu-1"].into_iter().map(Value::from).collect();
    /// assert_eq!(zones.as_slice().first(), Some(&Value::from("eu-2")));
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &[Value] {
        &self.content.elements
    }

    /// For each element the position of the one in another set that equals it and is wholly known.
    pub(crate) fn positions_in(&self, other: &Self) -> Vec<Option<usize>> {
        let is_met = if other.is_wholly_known() { |_: &Value| true } else { Value::is_wholly_known };
        counterparts(&self.content.hashed(), &other.content.hashed(), is_met)
    }

    /// Whether all elements are wholly known.
    pub(crate) fn is_wholly_known(&self) -> bool {
        match &self.content.index {
            Some(index) => index.is_known,
            None => self.iter().all(Value::is_wholly_known),
        }
    }

    /// How many elements there may be in the end: those that are not known yet may turn out to be equal to others.
    pub(crate) fn possible_lengths(&self) -> RangeInclusive<usize> {
        let known = self.iter().filter(|element| element.is_wholly_known()).count();
        let least = if known == self.len() { known } else { known.max(1) };
        least..=self.len()
    }

    /// The elements in the order in which core stores and shows them: strings bytewise, numbers by size, false
    /// before true, compound values by their content, unknown values after them and nulls last.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let set: Set = [Value::Null, Value::from("b"), Value::from("a")].into_iter().collect();
    /// let sorted = set.sorted();
    /// assert_eq!(sorted, [&Value::from("a"), &Value::from("b"), &Value::Null]);
    /// ```
    #[must_use]
    pub fn sorted(&self) -> Vec<&Value> {
        order::sorted(self.iter().collect())
    }

    /// Changes the elements in place; the duplicates among what they become are kept once.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut [Value])) {
        let mut elements = std::mem::take(self).into_elements();
        change(&mut elements);
        *self = Self::new(elements);
    }

    /// The elements, out of the set, for instance to change them and to collect a new set.
    ///
    /// ```
    /// use ferroform::value::{Set, Value};
    ///
    /// let mut zones = Set::from_iter(["eu-1", "eu-2"].map(Value::from)).into_elements();
    /// zones.push("us-1".into());
    /// assert!(Set::from_iter(zones).contains(&"us-1".into()));
    /// ```
    #[must_use]
    pub fn into_elements(self) -> Vec<Value> {
        match Arc::try_unwrap(self.content) {
            Ok(content) => content.elements.into_vec(),
            Err(shared) => shared.elements.to_vec(),
        }
    }
}

impl Content {
    fn small(elements: Vec<Value>) -> Self {
        let mut kept: Vec<Value> = Vec::with_capacity(elements.len());
        for element in elements {
            if !kept.contains(&element) || !element.is_wholly_known() {
                kept.push(element);
            }
        }
        Self { elements: kept.into(), index: None }
    }

    fn large(mut elements: Vec<Value>) -> Self {
        let mut by_hash = hashes(&elements);
        let is_duplicate = duplicates(&elements, &by_hash);
        if is_duplicate.contains(&true) {
            let mut is_duplicate = is_duplicate.into_iter();
            elements.retain(|_| is_duplicate.next() == Some(false));
            if elements.len() <= SMALL {
                return Self { elements: elements.into(), index: None };
            }
            // Places have moved. Hostile input is mostly duplicates, so no table of places is kept meanwhile.
            by_hash = hashes(&elements);
        }
        let is_known = elements.iter().all(Value::is_wholly_known);
        let index = Index { by_hash: by_hash.into(), is_known };
        Self { elements: elements.into(), index: Some(Box::new(index)) }
    }

    fn hashed(&self) -> Hashed<'_> {
        let hashes = match &self.index {
            Some(index) => Cow::Borrowed(&*index.by_hash),
            None => Cow::Owned(hashes(&self.elements)),
        };
        Hashed { elements: &self.elements, hashes }
    }
}

/// Elements, and their positions with the hashes, sorted by those.
struct Hashed<'a> {
    elements: &'a [Value],
    hashes: Cow<'a, [(u64, u32)]>,
}

fn hashes(elements: &[Value]) -> Vec<(u64, u32)> {
    let mut hashes: Vec<_> = (0..).zip(elements).map(|(at, element)| (hash(element), at)).collect();
    hashes.sort_unstable();
    hashes
}

impl Index {
    /// The positions of all elements of one hash.
    fn run(&self, hash: u64) -> impl Iterator<Item = usize> {
        let start = self.by_hash.partition_point(|(known, _)| *known < hash);
        let rest = self.by_hash.get(start..).unwrap_or_default();
        rest.iter().take_while(move |(known, _)| *known == hash).map(|(_, at)| *at as usize)
    }
}

/// For each element, whether it is wholly known and equals an earlier one.
fn duplicates(elements: &[Value], by_hash: &[(u64, u32)]) -> Vec<bool> {
    let element = |at: u32| elements.get(at as usize);
    let mut duplicates = vec![false; elements.len()];
    for run in by_hash.chunk_by(|a, b| a.0 == b.0) {
        let mut distinct: Vec<u32> = Vec::new();
        for &(_, at) in run.iter().filter(|_| run.len() > 1) {
            if !element(at).is_some_and(Value::is_wholly_known) {
                continue;
            }
            if distinct.iter().any(|&earlier| element(earlier) == element(at)) {
                if let Some(duplicate) = duplicates.get_mut(at as usize) {
                    *duplicate = true;
                }
            } else {
                distinct.push(at);
            }
        }
    }
    duplicates
}

/// For each of the elements the position of an equal one among others, each of which is used once, in order.
fn counterparts(mine: &Hashed<'_>, theirs: &Hashed<'_>, of: fn(&Value) -> bool) -> Vec<Option<usize>> {
    let mut found = vec![None; mine.elements.len()];
    let mut rest = &*theirs.hashes;
    let mut candidates: Vec<usize> = Vec::new();
    for run in mine.hashes.chunk_by(|a, b| a.0 == b.0) {
        let Some((hash, _)) = run.first() else { continue };
        let lower = rest.iter().take_while(|(known, _)| known < hash).count();
        let equal = rest.iter().skip(lower).take_while(|(known, _)| known == hash);
        candidates.clear();
        candidates.extend(equal.map(|(_, at)| *at as usize));
        rest = rest.get(lower + candidates.len()..).unwrap_or_default();
        candidates.retain(|at| theirs.elements.get(*at).is_some_and(of));
        // The next one is taken from the end.
        candidates.reverse();
        for (_, at) in run {
            let is_equal = |it: &usize| theirs.elements.get(*it) == mine.elements.get(*at as usize);
            if let Some(place) = found.get_mut(*at as usize) {
                *place = candidates.iter().rposition(is_equal).map(|it| candidates.remove(it));
            }
        }
    }
    found
}

/// For each value of a list the position of an equal one in another, each of which is used once, in order. What is
/// not wholly known is equal to nothing here.
pub(crate) fn equal_positions(values: &[Value], others: &[Value]) -> Vec<Option<usize>> {
    let hashed = |elements| Hashed { elements, hashes: Cow::Owned(hashes(elements)) };
    counterparts(&hashed(values), &hashed(others), Value::is_wholly_known)
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if Arc::ptr_eq(&self.content, &other.content) || self.as_slice() == other.as_slice() {
            return true;
        }
        let (mine, theirs) = (self.content.hashed(), other.content.hashed());
        let mut hashes = mine.hashes.iter().zip(&*theirs.hashes);
        hashes.all(|(mine, theirs)| mine.0 == theirs.0)
            && counterparts(&mine, &theirs, |_| true).iter().all(Option::is_some)
    }
}

impl Eq for Set {}

impl Hash for Set {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // A sum does not depend on the order of its terms.
        let add = |sum: u64, hash: u64| sum.wrapping_add(hash);
        state.write_u64(match &self.content.index {
            Some(index) => index.by_hash.iter().map(|(hash, _)| *hash).fold(0, add),
            None => self.iter().map(hash).fold(0, add),
        });
    }
}

impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(elements: I) -> Self {
        Self::new(elements.into_iter().collect())
    }
}

impl IntoIterator for Set {
    type Item = Value;
    type IntoIter = std::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_elements().into_iter()
    }
}

impl<'a> IntoIterator for &'a Set {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
