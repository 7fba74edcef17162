//! Validators of every kind refuse the same text, and none of them shows it, except where an attribute declares that it
//! never holds a secret.

use ferroform::path;
use ferroform_testing::case::{Case, Step, StepOutcome, error};

use crate::support::{Backend, case, text};

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

/// What a user sets the attribute from makes no difference: core does not tell the provider.
fn shown() -> Case<Backend> {
    let body = "variable \"number\" {\n  default   = 11\n  sensitive = true\n}\n\
                resource \"corner_guarded\" \"this\" {\n  label = \"g\"\n  number = 12\n  \
                shown_number = var.number\n  shown_texts = { key = \"a word\", long_key = \"a\" }\n}\n";
    let value = |detail: &str| error("Invalid Attribute Value").detail(detail.to_owned()).times(1);
    let rejected = Step::plan_only(text(body))
        .expect(value("`shown_number` must be between 1 and 10. The value is 11.").at(path!(shown_number)))
        .expect(value("The value is \"a word\".").at(path!(shown_texts["key"])))
        .expect(value("`number` must be between 1 and 10").at(path!(number)))
        .expect(error("Invalid Map Key").at(path!(shown_texts["long_key"])).times(1))
        .check(|outcome: &StepOutcome<'_, Backend>| {
            let all = format!("{:?}", outcome.diagnostics);
            assert_eq!(all.matches("The value is").count(), 2, "{all}");
        });
    case("validators show the value of an attribute that declares it harmless").step(rejected)
}
