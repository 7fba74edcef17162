//! What has to hold, and what is run beside.

use super::{Body, Expr};
use crate::checks::Checkable;

pub use crate::language::module::{OnFailure, When};

/// A condition with the message for when it does not hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// `condition`.
    pub condition: Expr,
    /// `error_message`.
    pub error_message: Expr,
}

/// A condition that belongs to no resource and to no output of the root module.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// What it belongs to, as in `check.health` or `module.a.output.id`.
    pub address: String,
    /// The same in any instance of its module.
    pub of: Checkable,
    /// What it is.
    pub kind: RuleKind,
    /// What has to hold.
    pub condition: Condition,
    /// Where the value stands that it is about, if that is not the condition.
    pub source: Option<crate::language::Subject>,
}

/// What a [`Rule`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleKind {
    /// An `assert` block of a `check`.
    Assertion,
    /// A `precondition` of an output of a module that is called.
    OutputPrecondition,
    /// A `validation` of a variable whose value depends on resources.
    Validation,
}

/// A `local-exec` provisioner.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Provisioner {
    /// `when`.
    pub when: When,
    /// `on_failure`.
    pub on_failure: OnFailure,
    /// `command` and so on.
    pub body: Body,
}

impl Condition {
    /// A condition with its message.
    #[must_use]
    pub fn new(condition: impl Into<Expr>, error_message: impl Into<Expr>) -> Self {
        Self { condition: condition.into(), error_message: error_message.into() }
    }
}
