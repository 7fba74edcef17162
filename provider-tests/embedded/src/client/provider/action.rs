//! Actions.

use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_server::protocol::ActionEvent;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::{InvokeResponse, PlanActionResponse, deferred};
use crate::client::rpc::{Events, method, violation};
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
        let events = self.client.invoke_action(request).await?;
        Ok(Invocation { events, is_checked: true, is_completed: false })
    }
}

/// A running action. Dropping it resets the call.
#[derive(Debug)]
pub struct Invocation {
    events: Events<method::InvokeAction>,
    is_checked: bool,
    is_completed: bool,
}

impl Invocation {
    /// The same events, in whatever order and number they come. Empty ones are left out.
    pub(crate) fn unchecked(self) -> Self {
        Self { is_checked: false, ..self }
    }

    /// The next event, `None` after the completion.
    ///
    /// # Errors
    /// The call failed, an event is empty, the action went on after its completion, or it ended without one.
    pub async fn next(&mut self) -> Result<Option<ActionEvent>, Error> {
        use proto::invoke_action::event::Type;
        loop {
            let next = self.events.next().await?.map(|event| event.r#type);
            let wrong = match (&next, self.is_completed) {
                (None, false) => Some("the action ended without a completion"),
                (Some(None), _) => Some("an event of the action is empty"),
                (Some(Some(_)), true) => Some("the action sent an event after its completion"),
                (None, true) | (Some(Some(_)), false) => None,
            };
            if let Some(wrong) = wrong.filter(|_| self.is_checked) {
                return Err(violation::<method::InvokeAction>(wrong));
            }
            return Ok(match next {
                None => None,
                Some(None) => continue,
                Some(Some(Type::Progress(progress))) => Some(ActionEvent::Progress(progress.message)),
                Some(Some(Type::Completed(completed))) => {
                    self.is_completed = true;
                    Some(ActionEvent::Completed(diagnostics(&completed.diagnostics)))
                }
            });
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
