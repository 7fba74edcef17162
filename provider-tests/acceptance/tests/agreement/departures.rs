//! What exactly differs in the cases that are listed as different, by core.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ferroform_testing::case::Recording;
use serde_json::{Value as Json, json};

use crate::compare::Difference;
use crate::recorded;
use crate::scenario::Scenario;

/// A file that has a line for each case with differences.
pub(crate) struct Departures(&'static str);

/// From the recordings of the newest Terraform.
pub(crate) const FROM_TERRAFORM: Departures = Departures("departures.jsonl");

/// From OpenTofu 1.12.6.
pub(crate) const FROM_OPEN_TOFU: Departures = Departures("departures.opentofu.jsonl");

impl Departures {
    /// Compares what differs in a case with what is recorded of that, or records it; nothing differs in most.
    ///
    /// # Errors
    /// It differs in another way.
    pub(crate) fn compare(&self, scenario: &Scenario, found: &[Difference]) -> Result<(), String> {
        static WRITING: Mutex<()> = Mutex::new(());
        let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listed = self.read()?;
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        let known = listed.remove(&scenario.name).unwrap_or_default();
        if known == found {
            return Ok(());
        }
        if std::env::var_os("FERROFORM_RECORD").is_none() {
            return Err(format!(
                "the embedded core differs in another way than {} says. FERROFORM_RECORD=1 records it again. Found:\n{}",
                self.file().display(),
                found.join("\n")
            ));
        }
        let scenarios = crate::comparable();
        listed.retain(|name, _| scenarios.iter().any(|it| it.name == *name));
        if !found.is_empty() {
            listed.insert(scenario.name.clone(), found);
        }
        let line = |(name, differences)| format!("{}\n", json!({ "name": name, "differences": differences }));
        fs::write(self.file(), listed.iter().map(line).collect::<String>()).map_err(|it| it.to_string())
    }

    /// Each line is about a case that there is.
    pub(crate) fn check(&self) {
        let scenarios = crate::comparable();
        for name in self.read().expect("a file of departures").keys() {
            let is_case = scenarios.iter().any(|it| it.name == *name);
            assert!(is_case, "{}: there is no case {name:?} any more", self.file().display());
        }
    }

    fn file(&self) -> PathBuf {
        recorded::folder().join(self.0)
    }

    /// What exactly differs, by case.
    fn read(&self) -> Result<BTreeMap<String, Vec<String>>, String> {
        if !self.file().exists() {
            return Ok(BTreeMap::new());
        }
        let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
        let texts = |it: &Json| it.as_array().into_iter().flatten().map(text).collect();
        let lines: Vec<Json> = Recording::lines(self.file())?;
        Ok(lines.iter().map(|it| (text(&it["name"]), texts(&it["differences"]))).collect())
    }
}
