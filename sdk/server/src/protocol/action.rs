//! Messages about actions.

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue, EventStream};

messages! { derive(Debug, Clone, Default)

    /// Asks `ValidateActionConfig`: checks the configuration of an action.
    ValidateActionConfigRequest {
        /// The action type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
    }

    /// Answers `ValidateActionConfig`.
    ValidateActionConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `PlanAction`: plans an action.
    PlanActionRequest {
        /// The action type.
        action_type: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
    }

    /// Answers `PlanAction`.
    PlanActionResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Why it was deferred.
        deferred: Option<Deferred>,
    }

    /// Asks `InvokeAction`: runs an action.
    InvokeActionRequest {
        /// The action type.
        action_type: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
    }
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
