//! Conditions: what has to hold of an object, an output, a variable, or the configuration as a whole.

use ferroform::diag::Severity;
use ferroform::ty::Type;
use ferroform::value::Value;

use super::layout::Resource;
use super::log::Log;
use super::scope::{Depth, Scope, evaluate, evaluate_without_call_details, report_deprecated};
use super::walk_state::WalkState;
use crate::address::ModuleInstance;
use crate::checks::{Checkable, Status};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Condition, SourceExpr};
use crate::language::rule::Rule;
use crate::language::{Marked, Subject, convert};

/// What a condition is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ConditionKind {
    Precondition,
    Postcondition,
    Output,
    Assertion,
    Validation,
}

impl ConditionKind {
    fn failed(self) -> &'static str {
        match self {
            Self::Precondition => "Resource precondition failed",
            Self::Postcondition => "Resource postcondition failed",
            Self::Output => "Module output value precondition failed",
            Self::Assertion => "Check block assertion failed",
            Self::Validation => "Invalid value for variable",
        }
    }

    fn invalid(self) -> &'static str {
        match self {
            Self::Validation => "Invalid variable validation result",
            _ => "Invalid condition result",
        }
    }

    /// Whether a condition of that kind holds.
    fn rule(self) -> Rule {
        match self {
            Self::Validation => Rule::Validation,
            _ => Rule::Condition,
        }
    }
}

/// Reports the conditions that do not hold. Whatever makes it impossible to tell is an error whatever the severity of a
/// condition that does not hold; what is unknown is no violation.
pub(super) fn check(
    conditions: &[Condition],
    (kind, severity): (ConditionKind, Severity),
    scope: &Scope<'_>,
    log: &mut Log,
) {
    for (number, condition) in conditions.iter().enumerate() {
        let result = result(condition, (kind, severity), scope, log);
        scope.walk.results().report(log.address(), (kind, number), result);
    }
}

/// The same for the validations of a variable, about the value that it is given, if that stands anywhere.
pub(super) fn check_variable(
    validations: &[Condition],
    given: Option<&Subject>,
    (scope, log): (&Scope<'_>, &mut Log),
) {
    for (number, validation) in validations.iter().enumerate() {
        let result = validation_result((validation, given), scope, log);
        scope.walk.results().report(log.address(), (ConditionKind::Validation, number), result);
    }
}

/// Takes note of what has come of reading a data source, if it is in a check: among the conditions of that.
pub(super) fn data_was_read(
    resource: &Resource,
    module: &ModuleInstance,
    walk: &WalkState,
    result: (Status, Option<String>),
) {
    if let Some((_, check)) = &resource.check {
        let check = Checkable::Check(module.in_any_instance(), check.clone());
        let address = check.within(module, &crate::address::InstanceKey::None);
        walk.results().report(&address, (ConditionKind::Assertion, usize::MAX), result);
    }
}

/// What comes of a condition, with the message to be shown.
fn result(
    condition: &Condition,
    (kind, severity): (ConditionKind, Severity),
    scope: &Scope<'_>,
    log: &mut Log,
) -> (Status, Option<String>) {
    let place = condition.condition.subject();
    let holds = evaluate_reported(&condition.condition, (scope, log))
        .and_then(|value| truth(value, kind).map_err(|problem| vec![problem.on(place)]));
    let shown = match message(&condition.error_message, (scope, log)) {
        Ok((shown, why_not)) => {
            log.extend(why_not.map(|it| it.on(condition.error_message.subject())));
            shown
        }
        Err(problems) => {
            log.extend(holds.err().into_iter().flatten().chain(problems));
            return (Status::Error, None);
        }
    };
    match holds {
        Ok(Some(true)) => (Status::Pass, None),
        Ok(Some(false)) if !kind.rule().holds() => (Status::Pass, None),
        Ok(Some(false)) => {
            let detail = shown.clone().unwrap_or_else(|| NOT_SHOWN.to_owned());
            let failed = Diagnostic { severity, ..Diagnostic::error(kind.failed(), detail) };
            log.push(failed.on(place));
            (Status::Fail, shown)
        }
        Ok(None) => {
            if kind == ConditionKind::Assertion {
                let detail = match scope.walk.is_apply() {
                    false => {
                        "The condition cannot be evaluated yet. Its result will be known when the plan is applied."
                    }
                    true => {
                        "The condition cannot be evaluated in this apply, since it depends on something that is still \
                         unknown."
                    }
                };
                let warning = Diagnostic::warning("Check block assertion known after apply", detail);
                log.push(warning.on(place));
            }
            (Status::Unknown, None)
        }
        Err(problems) => {
            log.extend(problems);
            (Status::Error, None)
        }
    }
}

/// What comes of a validation, whose message core looks at only where the value is refused.
fn validation_result(
    (validation, given): (&Condition, Option<&Subject>),
    scope: &Scope<'_>,
    log: &mut Log,
) -> (Status, Option<String>) {
    const KIND: ConditionKind = ConditionKind::Validation;
    let place = validation.error_message.subject();
    let message = evaluate(&validation.error_message, scope);
    let holds = match evaluate(&validation.condition, scope) {
        Ok(value) => truth(value, KIND).map_err(|problem| problem.on(validation.condition.subject())),
        Err(problems) => {
            log.extend(problems.into_iter().chain(message.err().into_iter().flatten()));
            return (Status::Unknown, None);
        }
    };
    let message = match (holds, message) {
        (Err(problem), message) => {
            log.extend(message.err().into_iter().flatten().chain([problem]));
            return (Status::Error, None);
        }
        (Ok(holds), Err(problems)) => {
            log.extend(problems);
            if holds != Some(true) {
                log.push(invalid_message("The error message cannot be evaluated.", place));
            }
            return (Status::Error, None);
        }
        (Ok(Some(false)), Ok(message)) if KIND.rule().holds() => message,
        (Ok(None), Ok(_)) => return (Status::Unknown, None),
        (Ok(Some(_)), Ok(_)) => return (Status::Pass, None),
    };
    if message.is_unknown() {
        if !scope.walk.is_validation() {
            let detail = "The error message depends on values that are known after apply only.";
            log.push(invalid_message(detail, place));
        }
        return (Status::Unknown, None);
    }
    let text = match (secret(&message), text_of(message, place)) {
        (_, Err(problem)) => log.refuse_with(problem),
        (Some(what), Ok(_)) => {
            // A validation does not know yet that the value of a variable is sensitive.
            if what != SENSITIVE || !scope.walk.is_validation() {
                log.push(refers_to_secret(what, Severity::Error).on(place));
            }
            None
        }
        (None, Ok(text)) => text,
    };
    let detail = text.clone().unwrap_or_else(|| NOT_SHOWN.to_owned());
    log.push(Diagnostic::error(KIND.failed(), detail).about(given));
    (Status::Fail, text)
}

const NOT_SHOWN: &str = "This condition does not hold, and its error message cannot be shown.";

/// Reports what is wrong with conditions, whether they hold or not.
pub(super) fn validate(conditions: &[Condition], scope: &Scope<'_>, log: &mut Log) {
    for expr in conditions.iter().flat_map(|it| [&it.condition, &it.error_message]) {
        if let Err(problems) = evaluate_without_call_details(expr, scope) {
            log.extend(problems);
        }
    }
}

/// Reports what is wrong with the message of an assertion. Core does not evaluate the assertion until it plans.
pub(super) fn validate_message(assertion: &Condition, scope: &Scope<'_>, log: &mut Log) {
    match message(&assertion.error_message, (scope, log)) {
        Ok((_, why_not)) => log.extend(why_not.map(|it| it.on(assertion.error_message.subject()))),
        Err(problems) => log.extend(problems),
    }
}

/// The value of a condition or a message, with warnings about what is deprecated in it. Core does not warn before it plans.
fn evaluate_reported(
    expr: &SourceExpr,
    (scope, log): (&Scope<'_>, &mut Log),
) -> Result<Marked, Vec<Diagnostic>> {
    let value = evaluate_without_call_details(expr, scope)?;
    if !scope.walk.is_validation() {
        report_deprecated((&value, Depth::Parts), expr, (scope, log));
    }
    Ok(value)
}

fn truth(value: Marked, kind: ConditionKind) -> Result<Option<bool>, Diagnostic> {
    let invalid = |detail: &str| Diagnostic::error(kind.invalid(), detail);
    match convert(value, &Type::Bool).map(|it| it.value) {
        Ok(Value::Bool(holds)) => Ok(Some(holds)),
        Ok(Value::Unknown(_)) => Ok(None),
        Ok(Value::Null) => Err(invalid("A condition has to be either true or false, not null.")),
        _ => Err(invalid("A condition has to be either true or false.")),
    }
}

/// The message to be shown, and why there is none.
type Message = (Option<String>, Option<Diagnostic>);

fn message(expr: &SourceExpr, about: (&Scope<'_>, &mut Log)) -> Result<Message, Vec<Diagnostic>> {
    let value = evaluate_reported(expr, about)?;
    if value.is_unknown() {
        return Ok((None, None));
    }
    if let Some(what) = secret(&value) {
        return Ok((None, Some(refers_to_secret(what, Severity::Warning))));
    }
    match text_of(value, expr.subject()) {
        Ok(Some(text)) => Ok((Some(text), None)),
        Ok(None) => Err(vec![invalid_message("An error message must not be null.", expr.subject())]),
        Err(problem) => Err(vec![problem]),
    }
}

/// The text of a message without the spaces around it; `None` if it is null.
fn text_of(message: Marked, place: &Subject) -> Result<Option<String>, Diagnostic> {
    match convert(message, &Type::String) {
        Ok(message) => Ok(message.value.as_str().map(|text| text.trim().to_owned())),
        Err(_) => Err(invalid_message("An error message must be a string.", place)),
    }
}

fn invalid_message(detail: &str, place: &Subject) -> Diagnostic {
    Diagnostic::error("Invalid error message", detail).on(place)
}

const SENSITIVE: &str = "sensitive";

/// Why a message cannot be shown.
fn secret(message: &Marked) -> Option<&'static str> {
    let marks = message.marks.all();
    match (marks.sensitive, marks.ephemeral) {
        (true, _) => Some(SENSITIVE),
        (false, true) if Rule::EphemeralMessage.holds() => Some("ephemeral"),
        _ => None,
    }
}

fn refers_to_secret(what: &str, severity: Severity) -> Diagnostic {
    let summary = format!("Error message refers to {what} values");
    let detail = format!("The error message refers to {what} values, so it cannot be shown.");
    Diagnostic { severity, ..Diagnostic::error(summary, detail) }
}
