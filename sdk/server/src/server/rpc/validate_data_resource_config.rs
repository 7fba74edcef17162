//! `ValidateDataResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, DataSource};
use crate::protocol::{
    ClientCapabilities, ValidateDataResourceConfigRequest, ValidateDataResourceConfigResponse,
};
use crate::server::{Server, author, failed, values};
use crate::validate::validate;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateDataResourceConfigRequest,
) -> ValidateDataResourceConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn DataSource>(&request.type_name)?;
        let config = values::decode(&request.config, &of.known.ty, "configuration")?;
        validate(
            &of.known.schema.block,
            &config,
            cx.capabilities.write_only_attributes_allowed,
            &mut cx.diagnostics,
        );
        author::run(of.data_source.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    ValidateDataResourceConfigResponse { diagnostics: cx.diagnostics }
}
