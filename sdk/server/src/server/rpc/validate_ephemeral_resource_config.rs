//! `ValidateEphemeralResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, EphemeralResource};
use crate::protocol::{
    ClientCapabilities, ValidateEphemeralResourceConfigRequest, ValidateEphemeralResourceConfigResponse,
};
use crate::server::{Server, provider_code, value_codec};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateEphemeralResourceConfigRequest,
) -> ValidateEphemeralResourceConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn EphemeralResource>(&request.type_name)?;
        let config = value_codec::decode(&request.config, &of.typed.ty, "configuration")?;
        of.typed.validate(&config, &mut cx);
        provider_code::isolated(of.resource.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateEphemeralResourceConfigResponse { diagnostics: cx.diagnostics }
}
