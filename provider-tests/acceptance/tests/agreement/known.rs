//! Where the embedded core differs from the real one, and why.

use crate::compare::{Aspect, Difference, differences};
use crate::scenario::Scenario;
use crate::side::Seen;

/// A difference that stays.
pub(crate) struct Known {
    /// What differs and why it stays.
    reason: &'static str,
    aspect: Aspect,
    /// The cases that show it: all of them do.
    cases: &'static [&'static str],
}

/// All of them; `docs/testing.md` lists them for people.
const KNOWN: &[Known] = &[];

/// How many there may be at most.
const AT_MOST: usize = 10;

/// What differs and is not known to, or is known to and does not differ.
pub(crate) fn compare(scenario: &Scenario, embedded: &[Seen], real: &[Seen]) -> Option<String> {
    let found = differences(embedded, real);
    let known: Vec<&Known> = KNOWN.iter().filter(|it| it.cases.contains(&scenario.name)).collect();
    let expected = |it: &&Difference| known.iter().any(|known| known.aspect == it.aspect);
    let news = found.iter().filter(|it| !expected(it)).map(ToString::to_string);
    let gone = known.iter().filter(|known| found.iter().all(|it| it.aspect != known.aspect));
    let gone = gone.map(|known| format!("both cores agree in what is listed as a difference: {}", known.reason));
    let problems: Vec<String> = news.chain(gone).collect();
    (!problems.is_empty()).then(|| problems.join("\n"))
}

/// The list is in order.
pub(crate) fn check(scenarios: &[Scenario]) {
    assert!(KNOWN.len() <= AT_MOST, "the embedded core differs too often");
    for case in KNOWN.iter().flat_map(|known| known.cases) {
        assert!(scenarios.iter().any(|it| it.name == *case), "there is no case {case:?}");
    }
}
