//! `ValidateDataResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, DataSource};
use crate::protocol::{
    ClientCapabilities, ValidateDataResourceConfigRequest, ValidateDataResourceConfigResponse,
};
use crate::server::{Server, provider_code, value_codec};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateDataResourceConfigRequest,
) -> ValidateDataResourceConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn DataSource>(&request.type_name)?;
        let config = value_codec::decode(&request.config, &of.typed.ty, "configuration")?;
        of.typed.validate(&config, &mut cx);
        provider_code::isolated(of.data_source.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateDataResourceConfigResponse { diagnostics: cx.diagnostics }
}
