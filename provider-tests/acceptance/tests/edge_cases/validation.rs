//! Validators of every kind refuse the same text, and none of them shows it, except where an attribute declares that it
//! never holds a secret.

use ferroform::path;
use ferroform_testing::case::{Case, Step, StepOutcome, error};

use crate::edge_cases::support::{Backend, case, text};

/// Stands in every value. It is a constant of the provider too, which must not show it either.
const CANARY: &str = "s3cret-4711";
const NUMBER: &str = "471147114711";

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![hidden(), shown()]
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

/// What a user sets the attribute from makes no difference: core does not tell the provider. Real cores report errors of
/// literals before they evaluate variables, so these have a step of their own.
fn shown() -> Case<Backend> {
    let planned = |attributes: &str, shown: usize| {
        Step::plan_only(text(format!(
            "variable \"number\" {{\n  default   = 11\n  sensitive = true\n}}\n\
             resource \"corner_guarded\" \"this\" {{\n  label = \"g\"\n{attributes}}}\n"
        )))
        .check(move |outcome: &StepOutcome<'_, Backend>| {
            let all = format!("{:?}", outcome.diagnostics);
            assert_eq!(all.matches("The value is").count(), shown, "{all}");
        })
    };
    let value = |detail: &str| error("Invalid Attribute Value").detail(detail.to_owned()).times(1);
    let literals = planned("  shown_texts = { key = \"a word\", long_key = \"a\" }\n", 1)
        .expect(value("The value is \"a word\".").at(path!(shown_texts["key"])))
        .expect(error("Invalid Map Key").at(path!(shown_texts["long_key"])).times(1));
    let variables = planned("  number = var.number\n  shown_number = var.number\n", 1)
        .expect(value("`shown_number` must be between 1 and 10. The value is 11.").at(path!(shown_number)))
        .expect(value("`number` must be between 1 and 10").at(path!(number)));
    case("validators show the value of an attribute that declares it harmless").step(literals).step(variables)
}
