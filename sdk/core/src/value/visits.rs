//! How often the parts of a value are visited, for the test that counts the walks of a call.
//!
//! A pass over a value asks every object and map in it for the members, so each member that is handed out is a visit.
//! Only the feature `count-visits` counts, for texts that a test has named, and only in debug builds: benches are compiled
//! with the features of the tests beside them.

/// Notes that an object or a map has handed out this member.
#[cfg(not(all(feature = "count-visits", debug_assertions)))]
#[inline]
pub(super) const fn visit(_: &super::Value) {}

#[cfg(all(feature = "count-visits", debug_assertions))]
pub(super) use counted::visit;
#[cfg(all(feature = "count-visits", debug_assertions))]
pub use counted::{count_visits, visits};

#[cfg(all(feature = "count-visits", debug_assertions))]
mod counted {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    use crate::value::Value;

    /// Whether anything is counted, so that other tests need not wait for the lock.
    static IS_COUNTING: AtomicBool = AtomicBool::new(false);
    /// The number of visits to each text, by its address, which its clones share.
    static VISITS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

    pub(in crate::value) fn visit(value: &Value) {
        if IS_COUNTING.load(Ordering::Relaxed)
            && let Value::String(text) = value.peel()
            && let Some(visits) =
                VISITS.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&address(text))
        {
            *visits += 1;
        }
    }

    /// Counts the visits to the texts in a value and in its clones from now on.
    #[doc(hidden)]
    pub fn count_visits(value: &Value) {
        let mut texts = BTreeMap::new();
        value.walk(|_, value| {
            if let Value::String(text) = value {
                texts.insert(address(text), 0);
            }
        });
        VISITS.lock().unwrap_or_else(PoisonError::into_inner).extend(texts);
        IS_COUNTING.store(true, Ordering::Relaxed);
    }

    /// How often each text in a value was visited so far.
    #[doc(hidden)]
    #[must_use]
    pub fn visits(value: &Value) -> BTreeMap<String, usize> {
        let counted = VISITS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut visits = BTreeMap::new();
        value.walk(|_, value| {
            if let Value::String(text) = value {
                visits.insert(text.to_string(), counted.get(&address(text)).copied().unwrap_or(0));
            }
        });
        visits
    }

    fn address(text: &Arc<str>) -> usize {
        text.as_ptr().addr()
    }
}
