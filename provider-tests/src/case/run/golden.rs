//! Comparison with what was reviewed.

use super::Runner;
use crate::case::check::Problems;

impl<W> Runner<'_, W> {
    /// Compares the schemas with reviewed ones.
    pub(super) fn golden_schemas(&mut self, name: &str) -> Result<Vec<String>, String> {
        let mut problems = Problems::default();
        if let Some(schemas) = self.engine.schemas()? {
            compare(name, &format!("{schemas:#}"), &mut problems);
        }
        Ok(problems.into_found())
    }

    /// Compares the plan with a reviewed one.
    pub(super) fn golden(&self, name: &str, problems: &mut Problems) {
        match &self.facts.plan {
            Some(plan) => compare(name, &plan.redacted(), problems),
            None => problems.add("there is no plan to compare"),
        }
    }
}

/// Snapshots stand beside the tests of the package that runs, and are shared by all places.
#[cfg(feature = "snapshots")]
fn compare(name: &str, text: &str, problems: &mut Problems) {
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR") else {
        problems.add("CARGO_MANIFEST_DIR is not set, so that there is no place for snapshots");
        return;
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(std::path::Path::new(&package).join("tests").join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let compared = super::catch(|| settings.bind(|| insta::assert_snapshot!(name, text)));
    if let Err(problem) = compared {
        problems.add(format!(
            "what is reviewed as {name:?} is another; `cargo insta review` shows both: {problem}"
        ));
    }
}

/// A step has a name only with the feature.
#[cfg(not(feature = "snapshots"))]
fn compare(_name: &str, _text: &str, _problems: &mut Problems) {}
