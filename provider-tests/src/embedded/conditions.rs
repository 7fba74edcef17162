//! Conditions: what has to hold of an object, an output, or the configuration as a whole.

use std::collections::{HashMap, HashSet};

use ferroform::diag::Severity;
use ferroform::ty::Type;
use ferroform::value::{Value, convert};

use super::evaluate::{Fault, evaluate, expressions};
use super::log::Log;
use super::scope::{Scope, Values};
use super::session::Session;
use crate::address::{ResourceAddress, Target};
use crate::checks::{Checkable, Status};
use crate::config::{Condition, Expr, ResourceBlock, RuleKind};
use crate::diagnostic::{Diagnostic, SourceRange};
use crate::language::rule::Rule;
use crate::language::{Stage, Subject};

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
}

impl From<RuleKind> for ConditionKind {
    fn from(kind: RuleKind) -> Self {
        match kind {
            RuleKind::Assertion => Self::Assertion,
            RuleKind::OutputPrecondition => Self::Output,
            RuleKind::Validation => Self::Validation,
        }
    }
}

/// Says which conditions do not hold. Whatever makes it impossible to tell is an error whatever the severity of a
/// condition that does not hold; what is unknown is not held against it.
pub(super) fn check(
    conditions: &[Condition],
    (occasion, severity): (ConditionKind, Severity),
    scope: &Scope<'_>,
    log: &mut Log,
) {
    for (number, condition) in conditions.iter().enumerate() {
        one((condition, None), (occasion, severity, number), scope, log);
    }
}

/// Takes note of what has come of reading a data source, if it is in a check: among the conditions of that.
pub(super) fn data_was_read(
    block: Option<&ResourceBlock>,
    values: &Values,
    result: (Status, Option<String>),
) {
    if let Some(check) = block.and_then(|block| block.check.as_ref()) {
        values.results().report(check, (ConditionKind::Assertion, usize::MAX), result);
    }
}

/// Says whether one condition holds: the one with this number of what the log is about. The source is where what fails
/// stands, if that is not the condition.
fn one(
    condition: (&Condition, Option<&Subject>),
    (occasion, severity, number): (ConditionKind, Severity, usize),
    scope: &Scope<'_>,
    log: &mut Log,
) {
    let result = result(condition, (occasion, severity), scope, log);
    scope.values.results().report(log.address(), (occasion, number), result);
}

/// What comes of a condition, with the message to be shown.
fn result(
    (condition, source): (&Condition, Option<&Subject>),
    (occasion, severity): (ConditionKind, Severity),
    scope: &Scope<'_>,
    log: &mut Log,
) -> (Status, Option<String>) {
    let is_validation = scope.values.time().is_validation();
    if occasion == ConditionKind::Output && is_validation && refers_to_a_variable(&condition.condition) {
        // Real cores know no values of variables while they validate.
        validate(std::slice::from_ref(condition), scope, log);
        return (Status::Unknown, None);
    }
    let place = place(&condition.condition);
    let holds = evaluate(&condition.condition, scope).and_then(|value| {
        let value = convert(&value.typed(), &Type::Bool);
        truth(value.as_ref().ok(), occasion)
    });
    let message = match message(&condition.error_message, occasion, scope) {
        Ok(message) => message,
        Err(fault) => {
            log.placed(fault, self::place(&condition.error_message));
            return (Status::Error, None);
        }
    };
    let (told, unsaid) = message;
    if let Some(unsaid) = unsaid {
        log.push(Diagnostic { place: self::place(&condition.error_message), ..unsaid });
    }
    match holds {
        Ok(Some(true)) => (Status::Pass, None),
        Ok(Some(false)) if !Rule::Condition.holds() => (Status::Pass, None),
        Ok(Some(false)) => {
            let detail = told.clone().unwrap_or_else(|| UNTOLD.to_owned());
            let place = SourceRange::of(source).or(place);
            log.push(Diagnostic { severity, place, ..Diagnostic::error(occasion.failed(), detail) });
            (Status::Fail, told)
        }
        Ok(None) => {
            if occasion == ConditionKind::Assertion && scope.values.time().stage() == Stage::Plan {
                let detail = "The condition cannot be evaluated yet. Its result will be known when the plan is applied.";
                let warning = Diagnostic::warning("Check block assertion known after apply", detail);
                log.push(Diagnostic { place, ..warning });
            }
            (Status::Unknown, None)
        }
        Err(fault) => {
            log.placed(fault, place);
            (Status::Error, None)
        }
    }
}

fn refers_to_a_variable(expr: &Expr) -> bool {
    matches!(expr, Expr::Source(written) if written.refers_to_a_variable())
}

const UNTOLD: &str = "This condition does not hold, and its error message cannot be shown.";

/// Checks what belongs to no resource. A check in which a data source could not be read has failed already, and nobody
/// looks at what refers to a variable that is not valid.
///
/// The severity is that of preconditions of outputs.
pub(super) fn check_rules(
    session: &Session,
    scope: &Scope<'_>,
    (kinds, severity): (&[RuleKind], Severity),
) -> Vec<Diagnostic> {
    let (mut found, mut numbers, mut invalid) = (Vec::new(), HashMap::new(), HashSet::new());
    let rules = session.config.rules.iter().filter(|rule| kinds.contains(&rule.kind));
    let (validations, others): (Vec<_>, Vec<_>) = rules.partition(|rule| rule.kind == RuleKind::Validation);
    for rule in validations.into_iter().chain(others) {
        let number = numbers.entry(&rule.address).or_insert(0_usize);
        *number += 1;
        let failed = rule.kind == RuleKind::Assertion && has_unread(session, scope.values, &rule.address);
        let exprs = [&rule.condition.condition, &rule.condition.error_message];
        if failed
            || !are_there(session, scope.values, exprs)
            || exprs.iter().any(|expr| is_invalid(session, expr, (&invalid, &rule.of)))
        {
            continue;
        }
        let severity = match rule.kind {
            RuleKind::Assertion if Rule::CheckWarns.holds() => Severity::Warning,
            RuleKind::OutputPrecondition => severity,
            RuleKind::Assertion | RuleKind::Validation => Severity::Error,
        };
        let mut log = Log::new(&rule.address);
        let condition = (&rule.condition, rule.source.as_ref());
        one(condition, (rule.kind.into(), severity, *number), scope, &mut log);
        if rule.kind == RuleKind::Validation && !log.is_fine() {
            invalid.insert(&rule.of);
        }
        found.extend(log.into_diagnostics());
    }
    found
}

/// Whether an expression refers to a variable that is not valid, directly or by way of values and resources. In one
/// instance of a module that is enough for all. A variable may refer to itself.
fn is_invalid(session: &Session, expr: &Expr, (invalid, own): (&HashSet<&Checkable>, &Checkable)) -> bool {
    let others: HashSet<&Checkable> = invalid.iter().copied().filter(|it| *it != own).collect();
    if others.is_empty() {
        return false;
    }
    let refers = |expr: &Expr| matches!(expr, Expr::Source(it) if it.refers_to_variable(&others));
    let resources = session.layout.closure(session.layout.referred_to_by(expr));
    let blocks = resources.into_iter().filter_map(|number| session.block(number));
    let mut inner =
        blocks.flat_map(|block| expressions(&block.body).into_iter().chain(block.repetition.expressions()));
    refers(expr) || inner.any(refers)
}

/// The kinds of conditions that belong to no resource. Checks are no targets.
pub(super) fn rules(targets: &[Target]) -> &'static [RuleKind] {
    if targets.is_empty() {
        &[RuleKind::OutputPrecondition, RuleKind::Validation, RuleKind::Assertion]
    } else {
        &[RuleKind::OutputPrecondition, RuleKind::Validation]
    }
}

/// Whether all resources that expressions refer to have values. What refers to something that failed is not looked at.
pub(super) fn are_there<'e>(
    session: &Session,
    values: &Values,
    exprs: impl IntoIterator<Item = &'e Expr>,
) -> bool {
    let mut resources = exprs.into_iter().flat_map(|expr| session.layout.referred_to_by(expr));
    resources.all(|number| values.has(number))
}

/// What is wrong with conditions whoever holds them.
pub(super) fn validate(conditions: &[Condition], scope: &Scope<'_>, log: &mut Log) {
    for expr in conditions.iter().flat_map(|it| [&it.condition, &it.error_message]) {
        if let Err(fault) = evaluate(expr, scope) {
            log.placed(fault, place(expr));
        }
    }
}

/// Whether a data source of that check could not be read.
fn has_unread(session: &Session, values: &Values, check: &str) -> bool {
    let blocks = session.config.resources.iter().enumerate();
    let mut own = blocks.filter(|(_, block)| block.check.as_deref() == Some(check));
    own.any(|(number, _)| values.is_unread(number))
}

fn truth(value: Option<&Value>, occasion: ConditionKind) -> Result<Option<bool>, Fault> {
    match value {
        Some(Value::Bool(holds)) => Ok(Some(*holds)),
        Some(Value::Unknown(_)) => Ok(None),
        Some(Value::Null) => {
            Err(Fault::new(occasion.invalid(), "A condition has to be either true or false, not null."))
        }
        _ => Err(Fault::new(occasion.invalid(), "A condition has to be either true or false.")),
    }
}

/// The message, unless it cannot be shown, and why it cannot.
fn message(
    expr: &Expr,
    occasion: ConditionKind,
    scope: &Scope<'_>,
) -> Result<(Option<String>, Option<Diagnostic>), Fault> {
    let value = evaluate(expr, scope)?;
    let secret = match (value.is_sensitive(), value.is_ephemeral()) {
        (true, _) => Some("sensitive"),
        (false, true) if Rule::EphemeralMessage.holds() => Some("ephemeral"),
        _ => None,
    };
    if let Some(what) = secret {
        let summary = format!("Error message refers to {what} values");
        let detail = format!("The error message refers to {what} values, so it cannot be shown.");
        let severity = match occasion {
            ConditionKind::Validation => Severity::Error,
            _ => Severity::Warning,
        };
        return Ok((None, Some(Diagnostic { severity, ..Diagnostic::error(summary, detail) })));
    }
    match convert(&value.typed(), &Type::String) {
        Ok(Value::String(text)) => Ok((Some(text.as_ref().trim().to_owned()), None)),
        Ok(Value::Unknown(_)) => Ok((None, None)),
        Ok(Value::Null) => Err(Fault::new("Invalid error message", "An error message must not be null.")),
        _ => Err(Fault::new("Invalid error message", "An error message has to be a string.")),
    }
}

/// Where an expression names a resource, if it is written in a file.
pub(super) fn place_of(expr: &Expr, address: &ResourceAddress) -> Option<Box<SourceRange>> {
    match expr {
        Expr::Source(written) => SourceRange::of(written.place_of(address).as_ref()),
        _ => None,
    }
}

/// Where an expression is written.
pub(super) fn place(expr: &Expr) -> Option<Box<SourceRange>> {
    match expr {
        Expr::Source(written) => SourceRange::of(Some(written.expr().subject())),
        _ => None,
    }
}
