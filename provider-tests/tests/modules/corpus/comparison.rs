//! What differs in the outcomes of two cores.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use libtest_mimic::Failed;
use serde_json::{Map, Value as Json};

use super::{Case, Departure, Departures, Outcome, outcome};

/// What came of the cases of a topic, beside what is recorded of them.
#[derive(Default)]
pub(super) struct Comparison {
    /// How many agree, of how many.
    pub(super) cases: [usize; 2],
    pub(super) steps: [usize; 2],
    /// What differs in the cases that are not listed, and how the others departed before.
    wrong: Vec<String>,
    /// What exactly differs in the cases that are listed.
    pub(super) departures: String,
}

impl Comparison {
    pub(super) fn conclude(&self) -> Result<(), Failed> {
        if self.wrong.is_empty() { Ok(()) } else { Err(self.wrong.join("\n").into()) }
    }
}

pub(super) fn compare(
    expected: &BTreeMap<String, Vec<Outcome>>,
    cases: &[Case],
    outcomes: impl Fn(&Case) -> Vec<Outcome>,
    departures: Departures,
) -> Comparison {
    let mut comparison = Comparison::default();
    let is_case = |name: &String| cases.iter().any(|case| case.name == name);
    let stale = expected.keys().filter(|name| !is_case(name));
    let stale = stale.map(|name| format!("{name}: it is recorded, and there is no such case any more"));
    comparison.wrong.extend(stale);
    for case in cases {
        let found = outcomes(case);
        let Some(expected) = expected.get(case.name) else {
            comparison.wrong.push(format!("{}: nothing is recorded", case.name));
            continue;
        };
        let agreeing = expected.iter().zip(&found).filter(|(expected, found)| expected == found).count();
        let steps = expected.len().max(found.len());
        comparison.cases[0] += usize::from(agreeing == steps);
        comparison.cases[1] += 1;
        comparison.steps[0] += agreeing;
        comparison.steps[1] += steps;
        let listed = departures.listed(case);
        if agreeing == steps {
            let gone = |it: &Departure| format!("{}: it is no longer so that {}", case.name, it.why);
            comparison.wrong.extend(listed.map(gone));
            continue;
        }
        let is_known = match departures {
            Departures::Recorded => true,
            Departures::Listed(_) => {
                listed.is_some_and(|it| !it.only_ranges || differ_in_ranges(expected, &found))
            }
        };
        let difference = format!("{}:{}", case.name, parts(expected, &found));
        if is_known {
            comparison.departures.push_str(&(difference + "\n"));
        } else {
            comparison.wrong.push(difference);
        }
    }
    comparison
}

/// Where two lists of outcomes differ, part by part.
pub(super) fn parts(expected: &[Outcome], found: &[Outcome]) -> String {
    let mut text = String::new();
    let json = |it: Option<&Outcome>| serde_json::to_value(it).unwrap_or_default();
    for at in 0..expected.len().max(found.len()) {
        part(&json(expected.get(at)), &json(found.get(at)), &format!("step {at}"), &mut text);
    }
    text
}

fn part(expected: &Json, found: &Json, at: &str, text: &mut String) {
    match (expected, found) {
        _ if expected == found => {}
        (Json::Object(a), Json::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let of = |it: &Map<String, Json>, name: &String| it.get(name).cloned().unwrap_or_default();
            names
                .into_iter()
                .for_each(|name| part(&of(a, name), &of(b, name), &format!("{at}/{name}"), text));
        }
        _ => write!(text, "\n  {at}\n    expected {expected}\n    found    {found}").expect("a text"),
    }
}

/// Whether the outcomes differ in nothing but source ranges that core does not report.
fn differ_in_ranges(expected: &[Outcome], found: &[Outcome]) -> bool {
    let parts = |it: &mut Outcome| [&mut it.validate, &mut it.plan, &mut it.apply].map(std::mem::take);
    let in_step = |(expected, found): (&Outcome, &Outcome)| {
        let (mut expected, mut found) = (expected.clone(), found.clone());
        let both = std::iter::zip(parts(&mut expected), parts(&mut found));
        both.into_iter().all(|(expected, found)| match_but_for_ranges(&expected, found)) && expected == found
    };
    expected.len() == found.len() && expected.iter().zip(found).all(in_step)
}

impl Outcome {
    /// Whether the plan replaces an object.
    pub(crate) fn replaces(&self) -> bool {
        let changes = self.planned["resource_changes"].as_array().into_iter().flatten();
        changes.filter_map(|it| it["change"]["actions"].as_array()).any(|actions| actions.len() == 2)
    }
}

/// Whether the diagnostics match, each with an equal one, or with one whose range core does not report.
fn match_but_for_ranges(expected: &[String], mut found: Vec<String>) -> bool {
    let mut take = |is_match: &dyn Fn(&String) -> bool| {
        found.iter().position(is_match).map(|at| found.remove(at)).is_some()
    };
    let unmatched: Vec<&String> = expected.iter().filter(|known| !take(&|it| it == *known)).collect();
    let has_range = |diagnostic: &str| outcome::bare(diagnostic) != diagnostic;
    let has_match =
        |known: &&String| take(&|it| outcome::bare(it) == **known && has_range(it) && !has_range(known));
    unmatched.iter().all(has_match) && found.is_empty()
}

/// Where two cores differ in a case, if they do. A source range that core does not report is no difference.
pub(crate) fn difference(expected: &[Outcome], found: &[Outcome]) -> Option<String> {
    (!differ_in_ranges(expected, found)).then(|| parts(expected, found))
}
