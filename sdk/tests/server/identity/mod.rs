//! Identities that a resource makes of more than the state, through the calls that core makes one after the other.

mod account;
mod moved;

use bytes::Bytes;
use ferroform::model::{Identity, Model};
use ferroform::provider::{Provider, assemble};
use ferroform::schema::{Attribute, Schema};
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, DynamicValue, ImportResourceStateRequest, MoveResourceStateRequest,
    PlanResourceChangeRequest, RawState, ReadResourceRequest, UpgradeResourceIdentityRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{ask, encoded_by, message, response, shown, summaries};

/// What core stores of an object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stored {
    pub(crate) state: Option<DynamicValue>,
    pub(crate) identity: Option<DynamicValue>,
    pub(crate) private: Bytes,
}

/// A core that sends to one type what it got from it.
pub(crate) struct Host {
    server: Server,
    type_name: &'static str,
    schema: Schema,
    identity: Schema,
}

impl Host {
    pub(crate) fn new<P: Provider, M: Model, I: Identity>(type_name: &'static str) -> Self {
        let mut identity = Schema::default();
        let attributes = I::schema().expect("it has attributes").attributes;
        identity.block.attributes =
            attributes.into_iter().map(|it| Attribute::optional(it.name, it.ty)).collect();
        Self { server: Server::new(assemble::<P>()), type_name, schema: M::schema(), identity }
    }

    pub(crate) fn configure(&self, schema: &Schema, config: &Value) {
        let config = encoded_by(schema, config);
        let request = message!(ferroform_server::protocol::ConfigureProviderRequest { config: config });
        assert_eq!(summaries(&response!(ConfigureProvider, ask(&self.server, request)).diagnostics), "");
    }

    pub(crate) fn stored(&self, state: &Value, identity: Option<impl Identity>) -> Stored {
        let identity = identity.map(|identity| encoded_by(&self.identity, &identity.encode()));
        Stored { state: Some(encoded_by(&self.schema, state)), identity, private: Bytes::new() }
    }

    pub(crate) fn shown(&self, stored: &Stored) -> String {
        let identity = stored.identity.as_ref();
        identity.map_or_else(|| "none".to_owned(), |identity| shown(&self.identity, identity))
    }

    pub(crate) fn read(&self, stored: &mut Stored) -> String {
        let request = message!(ReadResourceRequest {
            type_name: self.type_name.to_owned(),
            current_state: stored.state.clone().expect("there is an object"),
            private: stored.private.clone(),
            current_identity: stored.identity.clone(),
        });
        let response = response!(ReadResource, ask(&self.server, request));
        let (state, identity) = (Some(response.new_state), response.new_identity);
        *stored = Stored { state, identity, private: response.private };
        summaries(&response.diagnostics)
    }

    /// Plans without a read before it, and returns the planned identity.
    pub(crate) fn plan(&self, stored: &Stored, (config, proposed): (&Value, &Value)) -> (Stored, String) {
        let request = message!(PlanResourceChangeRequest {
            type_name: self.type_name.to_owned(),
            prior_state: stored.state.clone().unwrap_or_else(|| encoded_by(&self.schema, &Value::Null)),
            proposed_new_state: encoded_by(&self.schema, proposed),
            config: encoded_by(&self.schema, config),
            prior_private: stored.private.clone(),
            prior_identity: stored.identity.clone(),
        });
        let response = response!(PlanResourceChange, ask(&self.server, request));
        let planned = Stored {
            state: Some(response.planned_state),
            identity: response.planned_identity,
            private: response.planned_private,
        };
        (planned, summaries(&response.diagnostics))
    }

    /// Applies what is planned.
    pub(crate) fn apply(&self, prior: &Stored, planned: Stored, config: &Value) -> (Stored, String) {
        let request = message!(ApplyResourceChangeRequest {
            type_name: self.type_name.to_owned(),
            prior_state: prior.state.clone().unwrap_or_else(|| encoded_by(&self.schema, &Value::Null)),
            planned_state: planned.state.expect("something is planned"),
            config: encoded_by(&self.schema, config),
            planned_private: planned.private,
            planned_identity: planned.identity,
        });
        let response = response!(ApplyResourceChange, ask(&self.server, request));
        let (state, identity) = (Some(response.new_state), response.new_identity);
        (Stored { state, identity, private: response.private }, summaries(&response.diagnostics))
    }

    pub(crate) fn import(&self, id: &str, identity: Option<impl Identity>) -> (Stored, String) {
        let request = message!(ImportResourceStateRequest {
            type_name: self.type_name.to_owned(),
            id: id.to_owned(),
            identity: identity.map(|identity| encoded_by(&self.identity, &identity.encode())),
        });
        let response = response!(ImportResourceState, ask(&self.server, request));
        let reported = summaries(&response.diagnostics);
        let Some(found) = response.imported_resources.into_iter().next() else {
            return (Stored::default(), reported);
        };
        (Stored { state: Some(found.state), identity: found.identity, private: found.private }, reported)
    }

    /// Moves an object of the type `source`, with or without its identity.
    pub(crate) fn take(&self, source: &str, state: &str, identity: Option<&'static str>) -> (Stored, String) {
        let request = message!(MoveResourceStateRequest {
            source_provider_address: "example.com/ferroform/cloud".to_owned(),
            source_type_name: source.to_owned(),
            source_state: Some(json(state)),
            source_identity: identity.map(json),
            target_type_name: self.type_name.to_owned(),
        });
        let response = response!(MoveResourceState, ask(&self.server, request));
        let (state, identity) = (Some(response.target_state), response.target_identity);
        (Stored { state, identity, private: response.target_private }, summaries(&response.diagnostics))
    }

    /// The upgraded identity of an object.
    pub(crate) fn upgrade(&self, version: i64, raw: &str) -> (Option<DynamicValue>, String) {
        let request = message!(UpgradeResourceIdentityRequest {
            type_name: self.type_name.to_owned(),
            version: version,
            raw_identity: Some(json(raw)),
        });
        let response = response!(UpgradeResourceIdentity, ask(&self.server, request));
        (response.upgraded_identity, summaries(&response.diagnostics))
    }
}

fn json(text: &str) -> RawState {
    RawState::Json(Bytes::copy_from_slice(text.as_bytes()))
}
