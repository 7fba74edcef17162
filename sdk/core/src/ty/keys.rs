//! The names that a type and its values share.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::Arc;

/// Keys, sorted, each once. Values of one type share them: half of the memory of an object were its names otherwise, and
/// most of the time to clone it.
#[derive(Clone, Default)]
pub(crate) struct Keys(Option<Arc<Vec<Arc<str>>>>);

impl Keys {
    /// The keys are sorted, and each is there once.
    pub(crate) fn from_sorted(keys: impl IntoIterator<Item = Arc<str>>) -> Self {
        let keys: Vec<_> = keys.into_iter().collect();
        debug_assert!(keys.is_sorted_by(|a, b| a < b));
        Self((!keys.is_empty()).then(|| Arc::new(keys)))
    }

    pub(crate) fn as_slice(&self) -> &[Arc<str>] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// To be changed, apart from the values that share them.
    pub(crate) fn to_mut(&mut self) -> &mut Vec<Arc<str>> {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl PartialEq for Keys {
    fn eq(&self, other: &Self) -> bool {
        let is_shared =
            matches!((&self.0, &other.0), (Some(keys), Some(others)) if Arc::ptr_eq(keys, others));
        is_shared || self.as_slice() == other.as_slice()
    }
}

impl Eq for Keys {}

impl Hash for Keys {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// Sorts by name; equal names stay in their order.
pub(crate) fn sort_by_name<T>(entries: &mut Vec<(Arc<str>, T)>) {
    let order = sorted_positions(entries.iter().map(|(name, _)| name.as_ref()).collect());
    let sorted = Vec::with_capacity(entries.len());
    let mut unsorted: Vec<_> = mem::replace(entries, sorted).into_iter().map(Some).collect();
    entries.extend(order.into_iter().filter_map(|at| unsorted.get_mut(at)?.take()));
}

/// Apart from [`sort_by_name`], so that a program has the code to sort names once, whatever stands beside them.
fn sorted_positions(names: Vec<&str>) -> Box<[usize]> {
    let mut names: Vec<_> = names.into_iter().zip(0..).collect();
    names.sort_unstable();
    names.into_iter().map(|(_, at)| at).collect()
}

/// Sorts by name; of equal names the last given one is kept.
pub(crate) fn sort_and_keep_last<T>(entries: &mut Vec<(Arc<str>, T)>) {
    sort_by_name(entries);
    entries.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            mem::swap(later, earlier);
        }
        same
    });
}
