//! `ValidateEphemeralResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, EphemeralResource};
use crate::protocol::{
    ClientCapabilities, ValidateEphemeralResourceConfigRequest, ValidateEphemeralResourceConfigResponse,
};
use crate::server::{Server, failed, provider_code, value_codec};
use crate::validate::validate;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateEphemeralResourceConfigRequest,
) -> ValidateEphemeralResourceConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn EphemeralResource>(&request.type_name)?;
        let config = value_codec::decode(&request.config, &of.typed.ty, "configuration")?;
        validate(&of.typed.schema.block, &config, false, &mut cx.diagnostics);
        provider_code::isolated(of.resource.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    ValidateEphemeralResourceConfigResponse { diagnostics: cx.diagnostics }
}
