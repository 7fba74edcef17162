//! Conditions and provisioners.

use super::{Body, Expr};

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
