//! What is logged of drift: where, and never what.

use std::fmt::Write as _;

use crate::path::Path;
use crate::plan::Drift;

/// More paths than this say no more.
const LIMIT: usize = 100;

/// Logs what differs from the stored or planned state, and where an equivalent representation was kept.
pub(super) fn report(type_name: &str, method: &str, drift: &Drift) {
    let Drift { changed, suppressed, unverified, .. } = drift;
    if !changed.is_empty() {
        let paths = || list(changed.iter().map(|difference| &difference.path));
        // The macro looks at a field only where somebody listens: a set may have very many paths.
        tracing::debug!(type_name, method, paths = paths(), "values differ");
    }
    report_suppressed(type_name, method, suppressed);
    if !unverified.is_empty() {
        tracing::debug!(type_name, method, paths = list(unverified.iter()), "unverified values differ");
    }
}

/// Logs where an equivalent representation was kept.
pub(super) fn report_suppressed(type_name: &str, method: &str, suppressed: &[Path]) {
    if !suppressed.is_empty() {
        tracing::debug!(
            type_name,
            method,
            paths = list(suppressed.iter()),
            "equivalent representations were kept"
        );
    }
}

/// The paths, each once, in the order in which they were found.
fn list<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    let mut text = String::new();
    let mut count = 0_usize;
    let mut before = None;
    for path in paths.filter(|path| before.replace(*path) != Some(*path)) {
        count += 1;
        if count <= LIMIT {
            let comma = if text.is_empty() { "" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(text, "{comma}{path}");
        }
    }
    if count > LIMIT {
        let _ = write!(text, " and {} more", count - LIMIT);
    }
    text
}
