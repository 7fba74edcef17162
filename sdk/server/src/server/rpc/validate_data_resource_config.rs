//! `ValidateDataResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, DataSource};
use crate::protocol::{
    ClientCapabilities, ValidateDataResourceConfigRequest, ValidateDataResourceConfigResponse,
};
use crate::server::{Server, failed, provider_code, value_codec};
use crate::validate::validate;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateDataResourceConfigRequest,
) -> ValidateDataResourceConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn DataSource>(&request.type_name)?;
        let config = value_codec::decode(&request.config, &of.typed.ty, "configuration")?;
        validate(
            &of.typed.schema.block,
            &config,
            cx.capabilities.write_only_attributes_allowed,
            &mut cx.diagnostics,
        );
        provider_code::isolated(of.data_source.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    ValidateDataResourceConfigResponse { diagnostics: cx.diagnostics }
}
