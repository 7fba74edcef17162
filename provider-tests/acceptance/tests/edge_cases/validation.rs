//! Validators of every kind refuse the same text, and none of them shows it.

use ferroform_testing::case::{Case, Step, StepOutcome, error};

use crate::edge_cases::support::{Backend, case, text};

/// Stands in every value. It is a constant of the provider too, which must not show it either.
const CANARY: &str = "s3cret-4711";
const NUMBER: &str = "471147114711";

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![hidden()]
}

/// The attributes of which at least one validator refuses the value.
fn hidden() -> Case<Backend> {
    let variable = |name: &str, value: &str| {
        format!("variable \"{name}\" {{\n  default   = {value}\n  sensitive = true\n}}\n")
    };
    let variables = [variable("text", &format!("\"{CANARY}\"")), variable("number", NUMBER)].concat();
    let body = format!("{variables}{}", include_str!("guarded.tf"));
    let hidden = |outcome: &StepOutcome<'_, Backend>| {
        let all = format!("{:?}", outcome.diagnostics);
        assert!(!all.contains(CANARY) && !all.contains(NUMBER), "a diagnostic shows a value: {all}");
        // Each attribute is refused by at least one validator, but for the three that others name.
        assert!(outcome.diagnostics.len() >= 24, "{} diagnostics: {all}", outcome.diagnostics.len());
    };
    let summaries = [
        "Invalid Attribute Combination",
        "Invalid Attribute Value",
        "Invalid Number",
        "Invalid Value",
        "Missing Required Attribute",
        "Repeated Element",
    ];
    let planned = summaries
        .into_iter()
        .fold(Step::plan_only(text(body)), |step, summary| step.expect(error(summary)))
        .check(hidden);
    case("no validator shows a value").step(planned)
}
