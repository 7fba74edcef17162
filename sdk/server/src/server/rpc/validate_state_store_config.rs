//! `ValidateStateStoreConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, StateStore};
use crate::protocol::{
    ClientCapabilities, ValidateStateStoreConfigRequest, ValidateStateStoreConfigResponse,
};
use crate::server::{Server, provider_code};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateStateStoreConfigRequest,
) -> ValidateStateStoreConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn StateStore>(&request.type_name)?;
        let config = of.typed.config(&request.config)?;
        of.typed.validate(&config, &mut cx);
        provider_code::isolated(of.state_store.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateStateStoreConfigResponse { diagnostics: cx.diagnostics }
}
