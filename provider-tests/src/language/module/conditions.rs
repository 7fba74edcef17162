//! Conditions that variables have to fulfil.

use ferroform::ty::Type;
use ferroform::value::Value;

use super::evaluate::View;
use super::instance::{Input, Repeating};
use super::model::{Condition, Output, Variable};
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Subject, convert};

/// Checks the `validation` blocks of a variable.
pub(super) fn validate(view: View<'_>, at: usize, variable: &Variable, problems: &mut Vec<Diagnostic>) {
    for validation in &variable.validations {
        match holds(view, at, validation) {
            Ok(true) => {}
            Ok(false) if !Rule::Validation.holds() => {}
            Ok(false) => {
                let instance = view.instances.get(at);
                let input = instance.and_then(|instance| instance.variables.get(&variable.name));
                let subject = input.map_or(&variable.subject, Input::told_at);
                problems.extend(failed((view, at), (variable, subject), validation));
            }
            Err(found) => problems.extend(found),
        }
    }
}

/// Whether a condition holds; what is unknown is not held against it.
fn holds(view: View<'_>, at: usize, validation: &Condition) -> Result<bool, Vec<Diagnostic>> {
    let condition = &validation.condition;
    let value = view.evaluate(condition, at, &Repeating::default())?;
    let wrong = |detail: &str| vec![condition.error("Invalid variable validation result", detail)];
    match convert(value, &Type::Bool) {
        Ok(Marked { value: Value::Bool(holds), .. }) => Ok(holds),
        Ok(Marked { value: Value::Unknown(_), .. }) => Ok(true),
        Ok(_) => Err(wrong("The condition is null, but it has to be true or false.")),
        Err(_) => Err(wrong("The condition has to be true or false.")),
    }
}

/// The precondition of an output that does not hold, if there is one. What cannot be told of is told elsewhere.
pub(super) fn unmet(view: View<'_>, at: usize, output: &Output) -> Option<Diagnostic> {
    let unmet = output.preconditions.iter().find(|it| matches!(holds(view, at, it), Ok(false)))?;
    let message = view.evaluate(&unmet.error_message, at, &Repeating::default());
    let message = message.ok().filter(|it| it.marks.all().is_empty());
    let detail = message
        .as_ref()
        .and_then(|it| it.value.as_str())
        .unwrap_or("This precondition does not hold.")
        .trim();
    Some(unmet.condition.error("Module output value precondition failed", detail))
}

fn failed(
    (view, at): (View<'_>, usize),
    (variable, subject): (&Variable, &Subject),
    validation: &Condition,
) -> Vec<Diagnostic> {
    let message = view.evaluate(&validation.error_message, at, &Repeating::default());
    let mut problems = Vec::new();
    let detail = match message {
        Err(problems) if !problems.is_empty() => return problems,
        Ok(message) if !message.marks.all().is_empty() => {
            let what = if message.marks.all().sensitive { "sensitive" } else { "ephemeral" };
            let detail = format!("The error message refers to {what} values, so it cannot be shown.");
            let summary = format!("Error message refers to {what} values");
            problems.push(validation.error_message.error(summary, detail));
            "The value does not fulfil the condition, whose error message cannot be shown.".to_owned()
        }
        Ok(Marked { value: Value::String(text), .. }) => text.as_ref().trim().to_owned(),
        _ => "The error message of the condition is no text.".to_owned(),
    };
    let detail = format!("{detail}\n\nThis is what the validation of the variable {:?} says.", variable.name);
    let error = Diagnostic::error("Invalid value for variable", detail);
    problems.push(Diagnostic { subject: Some(subject.clone()), ..error });
    problems
}
