//! Comparison with what was reviewed.

use super::{Runner, StepResult};
use crate::case::check::Problems;

impl<B> Runner<'_, B> {
    /// Compares the schemas with reviewed ones.
    pub(super) fn golden_schemas(&mut self, name: &str) -> StepResult {
        let mut problems = Problems::default();
        if let Some(schemas) = self.engine.schemas()? {
            self.compare(name, &format!("{schemas:#}"), &mut problems);
        }
        Ok(problems.into_found())
    }

    /// Compares the plan with a reviewed one.
    pub(super) fn golden(&self, name: &str, problems: &mut Problems) {
        match &self.facts.plan {
            Some(plan) => self.compare(name, &plan.redacted(), problems),
            None => problems.add("there is no plan to compare"),
        }
    }

    /// Snapshots stand beside the tests of the package that runs, and are shared by all places.
    #[cfg(feature = "snapshots")]
    fn compare(&self, name: &str, text: &str, problems: &mut Problems) {
        let beside = || {
            Some(std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("tests/snapshots"))
        };
        let Some(directory) = self.case.snapshots.clone().or_else(beside) else {
            problems.add("CARGO_MANIFEST_DIR is not set, so that there is no place for snapshots");
            return;
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(directory);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let compared = super::catch(|| settings.bind(|| insta::assert_snapshot!(name, text)));
        if compared.is_err() {
            problems.add(format!(
                "{name} is not as it was reviewed; `cargo insta review` shows both. It is now:\n{text}"
            ));
        }
    }

    /// A step has a name of a snapshot only with the feature.
    #[cfg(not(feature = "snapshots"))]
    fn compare(&self, _name: &str, _text: &str, _problems: &mut Problems) {}
}
