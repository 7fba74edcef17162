//! How much of the corpus the embedded core agrees with.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// What agrees of what was compared, by topic.
static ALL: Mutex<BTreeMap<String, Agreement>> = Mutex::new(BTreeMap::new());

/// What agrees of all cases, and of all their steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Agreement {
    cases: [usize; 2],
    steps: [usize; 2],
}

impl Agreement {
    /// Counts a case with that many steps, of which some agree.
    pub(super) fn count(&mut self, agreeing: usize, steps: usize) {
        self.add(Self { cases: [usize::from(agreeing == steps), 1], steps: [agreeing, steps] });
    }

    fn add(&mut self, other: Self) {
        let sum = |[a, all]: [usize; 2], [b, more]: [usize; 2]| [a + b, all + more];
        *self = Self { cases: sum(self.cases, other.cases), steps: sum(self.steps, other.steps) };
    }

    /// Keeps the numbers of a topic until they are [printed](print).
    pub(super) fn keep(self, topic: &str) {
        ALL.lock().unwrap_or_else(PoisonError::into_inner).insert(topic.to_owned(), self);
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [cases, all_cases] = self.cases;
        let [steps, all_steps] = self.steps;
        write!(f, "{cases} of {all_cases} cases, {steps} of {all_steps} steps")
    }
}

/// The numbers of all topics that were compared, and their sum.
#[allow(clippy::print_stdout, reason = "it is the end of the report of the tests")]
pub(crate) fn print(core: &str) {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if all.is_empty() {
        return;
    }
    let mut text = format!("agreement of the embedded core with {core}\n");
    let mut sum = Agreement::default();
    for (topic, it) in &*all {
        text.push_str(&format!("{topic:<22} {it}\n"));
        sum.add(*it);
    }
    println!("{text}{:<22} {sum}", "all");
}
