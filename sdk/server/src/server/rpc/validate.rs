//! `Validate…` of what a provider offers: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{self, Context};
use crate::protocol::{ClientCapabilities, Failure, Response, requests};
use crate::server::{Server, provider_code};

/// Makes a procedure for each kind: how its configuration is decoded, and what core can do.
macro_rules! procedures {
    ($($rpc:ident: $name:ident { $concept:ident($offer:ident), $decode:ident, $capabilities:expr })*) => {$(
        pub(super) async fn $name(server: &Server, stop: Cancellation, request: requests::$rpc) -> Response {
            let capabilities: fn(&requests::$rpc) -> ClientCapabilities = $capabilities;
            let mut cx = server.context(stop, capabilities(&request));
            let outcome: Result = async {
                let of = server.inner.types.of::<dyn dynamic::$concept>(&request.type_name)?;
                let config = of.typed.$decode(&request.config)?;
                of.typed.validate(&config, &mut cx);
                provider_code::isolated(of.$offer.validate(&mut Context::new(&mut cx), &config)).await
            }
            .await;
            cx.diagnostics.record(outcome);
            Response::$rpc(Failure::failure(cx.diagnostics))
        }
    )*};
}

procedures! {
    ValidateResourceConfig: resource { Resource(resource), decode, |request| request.client_capabilities }
    ValidateDataResourceConfig: data_source { DataSource(offer), decode, |_| ClientCapabilities::default() }
    ValidateEphemeralResourceConfig: ephemeral_resource {
        EphemeralResource(offer), decode, |_| ClientCapabilities::default()
    }
    ValidateListResourceConfig: list_resource {
        ListResource(list_resource), config, |_| ClientCapabilities::default()
    }
    ValidateStateStoreConfig: state_store { StateStore(offer), config, |_| ClientCapabilities::default() }
    // Core does not say so here, but every core with actions has write-only attributes.
    ValidateActionConfig: action {
        Action(offer), config, |_| ClientCapabilities { write_only_attributes_allowed: true, ..Default::default() }
    }
}
