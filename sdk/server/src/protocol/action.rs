//! Messages about actions.

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue, EventStream};

/// Asks `ValidateActionConfig`: checks the configuration of an action.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateActionConfigRequest {
    /// The action type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
}

/// Answers `ValidateActionConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateActionConfigResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `PlanAction`: plans an action.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PlanActionRequest {
    /// The action type.
    pub action_type: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
}

/// Answers `PlanAction`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PlanActionResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Why it was deferred.
    pub deferred: Option<Deferred>,
}

/// Asks `InvokeAction`: runs an action.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct InvokeActionRequest {
    /// The action type.
    pub action_type: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
}

/// Answers `InvokeAction`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct InvokeActionResponse {
    /// Progress, then exactly one completion.
    pub events: EventStream<ActionEvent>,
}

/// What a running action reports (protocol `InvokeAction.Event`).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ActionEvent {
    /// Something to show while it runs.
    Progress(String),
    /// The end, with its diagnostics.
    Completed(Diagnostics),
}
