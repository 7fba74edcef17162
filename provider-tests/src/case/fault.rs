//! Faults that a step asks for.

use std::sync::{Arc, Mutex, PoisonError};

use crate::client::Fault;
use ferroform_proto::RENAMED_IN_5;

/// The faults of the step that runs, shared with the transports of all provider instances.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults(Arc<Mutex<Vec<Planned>>>);

/// A fault, and the calls it is for.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    /// The name of the method in protocol 6.
    pub(super) method: String,
    /// How many of the next calls fail.
    pub(super) left: usize,
    /// What happens to them.
    pub(super) fault: Fault,
}

impl Faults {
    /// Replaces what was asked for before.
    pub(super) fn set(&self, faults: &[Planned]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = faults.to_vec();
    }

    /// What happens to a call of the method with that path.
    pub(super) fn take(&self, path: &str) -> Option<Fault> {
        let name = method(path);
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = faults.iter_mut().find(|planned| planned.method == name && planned.left > 0)?;
        found.left -= 1;
        Some(found.fault.clone())
    }
}

/// The name of the method with that path in protocol 6.
pub(crate) fn method(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let renamed = RENAMED_IN_5.iter().find(|(_, in_5)| path.starts_with("/tfplugin5.") && *in_5 == name);
    renamed.map_or(name, |(in_6, _)| in_6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_calls_fail_as_asked_for_in_both_protocols() {
        let faults = Faults::default();
        let planned =
            |method: &str, left| Planned { method: method.to_owned(), left, fault: Fault::ResetBefore };
        faults.set(&[planned("ReadResource", 1), planned("ValidateResourceConfig", 2)]);
        let failing = |path: &str| faults.take(path).is_some();
        assert!(failing("/tfplugin6.Provider/ReadResource"));
        assert!(!failing("/tfplugin6.Provider/ReadResource"));
        assert!(failing("/tfplugin5.Provider/ValidateResourceTypeConfig"));
        assert!(failing("/tfplugin6.Provider/ValidateResourceConfig"));
        assert!(!failing("/tfplugin6.Provider/PlanResourceChange"));
        faults.set(&[]);
        assert!(!failing("/tfplugin6.Provider/ValidateResourceConfig"));
    }
}
