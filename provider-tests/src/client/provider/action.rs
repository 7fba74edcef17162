//! Actions.

use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_plugin::grpc::{Code, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_server::protocol::ActionEvent;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::{InvokeResponse, PlanActionResponse, deferred};
use crate::client::rpc::{Events, Rpc as _, method};
use crate::client::wire::{diagnostics, encode};

impl Provider {
    /// Validates a configuration of an action (`ValidateActionConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_action(&self, type_name: &str, config: &Value) -> Result<Diagnostics, Error> {
        let ty = self.catalog.action(type_name)?.ty();
        let request = proto::validate_action_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateActionConfig", "config", config, &ty)?),
        };
        Ok(diagnostics(&self.client.validate_action_config(request).await?.diagnostics))
    }

    /// Plans an action (`PlanAction`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn plan_action(&self, type_name: &str, config: &Value) -> Result<PlanActionResponse, Error> {
        let ty = self.catalog.action(type_name)?.ty();
        let request = proto::plan_action::Request {
            action_type: type_name.to_owned(),
            config: Some(encode("PlanAction", "config", config, &ty)?),
            client_capabilities: self.capabilities(),
        };
        let response = self.client.plan_action(request).await?;
        let diagnostics = diagnostics(&response.diagnostics);
        Ok(PlanActionResponse { deferred: deferred(response.deferred), diagnostics })
    }

    /// Starts an action (`InvokeAction`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn invoke_action(&self, type_name: &str, config: &Value) -> Result<Invocation, Error> {
        let ty = self.catalog.action(type_name)?.ty();
        let request = proto::invoke_action::Request {
            action_type: type_name.to_owned(),
            config: Some(encode("InvokeAction", "config", config, &ty)?),
            client_capabilities: self.capabilities(),
        };
        Ok(Invocation { events: self.client.invoke_action(request).await?, is_completed: false })
    }
}

/// A running action. Dropping it resets the call.
#[derive(Debug)]
pub struct Invocation {
    events: Events<method::InvokeAction>,
    is_completed: bool,
}

impl Invocation {
    /// The next event, `None` after the completion.
    ///
    /// # Errors
    /// The call failed, an event is empty, the action went on after its completion, or it ended without one.
    pub async fn next(&mut self) -> Result<Option<ActionEvent>, Error> {
        use proto::invoke_action::event::Type;
        match (self.events.next().await?.map(|event| event.r#type), self.is_completed) {
            (None, true) => Ok(None),
            (Some(Some(Type::Progress(progress))), false) => {
                Ok(Some(ActionEvent::Progress(progress.message)))
            }
            (Some(Some(Type::Completed(completed))), false) => {
                self.is_completed = true;
                Ok(Some(ActionEvent::Completed(diagnostics(&completed.diagnostics))))
            }
            (None, false) => Err(violation("the action ended without a completion")),
            (Some(None), _) => Err(violation("an event of the action is empty")),
            (Some(Some(_)), true) => Err(violation("the action sent an event after its completion")),
        }
    }

    /// Waits for the completion.
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    pub async fn finish(mut self) -> Result<InvokeResponse, Error> {
        let mut invoked = InvokeResponse { progress: Vec::new(), diagnostics: Diagnostics::default() };
        while let Some(event) = self.next().await? {
            match event {
                ActionEvent::Progress(message) => invoked.progress.push(message),
                ActionEvent::Completed(diagnostics) => invoked.diagnostics = diagnostics,
                _ => {}
            }
        }
        Ok(invoked)
    }
}

fn violation(what: &str) -> Error {
    Error::Status { method: method::InvokeAction::NAME, status: Status::new(Code::Internal, what) }
}
