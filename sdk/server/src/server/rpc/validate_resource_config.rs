//! `ValidateResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, Resource};
use crate::protocol::{ValidateResourceConfigRequest, ValidateResourceConfigResponse};
use crate::server::{Server, provider_code, value_codec};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateResourceConfigRequest,
) -> ValidateResourceConfigResponse {
    let mut cx = server.context(stop, request.client_capabilities);
    let outcome: Result = async {
        let of = server.types().of::<dyn Resource>(&request.type_name)?;
        let config = value_codec::decode(&request.config, &of.typed.ty, "configuration")?;
        of.typed.validate(&config, &mut cx);
        provider_code::isolated(of.resource.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateResourceConfigResponse { diagnostics: cx.diagnostics }
}
