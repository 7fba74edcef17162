//! Where the embedded core differs from the real one, and why.

use crate::compare::{Aspect, Comparable, Difference, differences};
use crate::scenario::Scenario;
use crate::side::Seen;

/// A difference that stays.
pub(crate) struct Known {
    /// What differs and why it stays.
    reason: &'static str,
    aspect: Aspect,
    /// What the text of such a difference has in it.
    mark: &'static str,
    /// The cases that show it: all of them do.
    cases: &'static [&'static str],
}

/// All of them; `docs/contributing/differences.md` lists them for people.
const KNOWN: &[Known] = &[
    Known {
        reason: "an answer that is not of the schema's type: real cores say the decoder's own words",
        aspect: Aspect::Diagnostics,
        mark: "Plugin error",
        cases: &[
            "a plan is of another type",
            "an identity is planned with another type",
            "the second plan of a replacement is of another type",
            "a result is of another type",
            "an identity is of another type",
            "a read object is of another type",
            "a read identity is of another type",
            "an upgraded object is of another type",
            "an upgraded identity is of another type",
            "an imported object is of another type",
            "what a data source read is of another type",
            "the identity of a listed object is of another type",
            "a listed object is of another type",
        ],
    },
    Known {
        reason: "planned values of a replaced object: real cores do not mark what the schema says is sensitive",
        aspect: Aspect::Plan,
        mark: "/sensitive_values/",
        cases: &[
            "an object is replaced",
            "an object is replaced, the new one first",
            "a resource triggers a replacement",
            "what a new object needs is created first, too",
            "an attribute triggers a replacement",
            "the second half of a replacement fails",
            "the first half of a replacement fails",
            "a new object cannot be created before its deletion",
            "an old object cannot be deleted after its replacement",
            "a replacement spreads",
            "an object comes after another",
            "a key to replace by is not known",
            "data is read during apply",
            "an output of an object",
            "an object is imported and replaced",
            "a replacement is asked for",
            "a replacement is asked for, the new one first",
            "a resource is renamed and replaced",
            "a token is replaced",
            "the example of the demo",
        ],
    },
    Known {
        reason: "an import to an address that is not configured: real cores find it before they start a provider",
        aspect: Aspect::Provider,
        mark: "real []",
        cases: &["an object is imported where nothing is configured"],
    },
    Known {
        reason: "an ephemeral resource whose result is refused, or of which a user fails: real cores leave it open",
        aspect: Aspect::Calls,
        mark: "CloseEphemeralResource",
        cases: &[
            "the result of an ephemeral resource is not as configured",
            "a user of an ephemeral resource fails",
        ],
    },
    Known {
        reason: "an action that does not end with its only completion: real cores accept it",
        aspect: Aspect::Verdict,
        mark: "embedded false, real true",
        cases: &[
            "an action has no events",
            "an action has progress and no end",
            "an action by itself has no end",
            "an action goes on after its end",
            "an action ends twice",
        ],
    },
    Known {
        reason: "the same: real cores report nothing, and crash for an empty event and for events after an error",
        aspect: Aspect::Diagnostics,
        mark: "Error when invoking action",
        cases: &[
            "an action has no events",
            "an action has progress and no end",
            "an action by itself has no end",
            "an action goes on after its end",
            "an action ends twice",
            "an action ends with an error and then well",
            "an event of an action is empty",
        ],
    },
    Known {
        reason: "a block of no known nesting in a schema that nobody checks: null for real cores, an empty list here",
        aspect: Aspect::Provider,
        mark: "{extra = []}",
        cases: &["the provider has a schema that is not checked"],
    },
];

impl Known {
    fn is(&self, difference: &Difference) -> bool {
        self.aspect == difference.aspect && difference.text.contains(self.mark)
    }
}

/// What differs and is not known to, or is known to and does not differ.
pub(crate) fn compare(
    scenario: &Scenario,
    embedded: &[impl Comparable],
    real: &[impl Comparable],
) -> Option<String> {
    let found = differences(embedded, real);
    let gone = of(scenario).filter(|known| !found.iter().any(|it| known.is(it)));
    let gone =
        gone.map(|known| format!("both cores agree in what is listed as a difference: {}", known.reason));
    let problems: Vec<String> = news(scenario, &found).into_iter().chain(gone).collect();
    (!problems.is_empty()).then(|| problems.join("\n"))
}

/// What differs and is not known to, where not every step was taken by the embedded core, or not as the newest one.
pub(crate) fn compare_sample(scenario: &Scenario, mixed: &[Seen], real: &[Seen]) -> Option<String> {
    let problems = news(scenario, &differences(mixed, real));
    (!problems.is_empty()).then(|| problems.join("\n"))
}

fn news(scenario: &Scenario, found: &[Difference]) -> Vec<String> {
    found.iter().filter(|it| !is_known(scenario, it)).map(ToString::to_string).collect()
}

/// Whether a difference of a case is one that stays.
pub(crate) fn is_known(scenario: &Scenario, difference: &Difference) -> bool {
    of(scenario).any(|known| known.is(difference))
}

/// What is known of a case.
fn of(scenario: &Scenario) -> impl Iterator<Item = &'static Known> {
    KNOWN.iter().filter(|it| it.cases.contains(&scenario.name.as_str()))
}

/// The list is in order, and as long as that for people.
pub(crate) fn check(scenarios: &[Scenario]) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/contributing/differences.md");
    let page = std::fs::read_to_string(page).expect("the page of differences");
    let (_, list) = page.split_once("\n## Providers\n").expect("the list");
    let (list, _) = list.split_once("\n## ").expect("a section after it");
    // Two lines are the head of the table.
    assert_eq!(list.lines().filter(|line| line.starts_with('|')).count(), KNOWN.len() + 2, "{list}");
    for case in KNOWN.iter().flat_map(|known| known.cases) {
        assert!(scenarios.iter().any(|it| it.name == *case), "there is no case {case:?}");
    }
}
