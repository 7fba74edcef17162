//! `ValidateResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, Resource};
use crate::protocol::{ValidateResourceConfigRequest, ValidateResourceConfigResponse};
use crate::server::{Server, author, failed, values};
use crate::validate::validate;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateResourceConfigRequest,
) -> ValidateResourceConfigResponse {
    let mut cx = server.context(stop, request.client_capabilities);
    let outcome: Result = async {
        let of = server.types().of::<dyn Resource>(&request.type_name)?;
        let config = values::decode(&request.config, &of.known.ty, "configuration")?;
        validate(
            &of.known.schema.block,
            &config,
            cx.capabilities.write_only_attributes_allowed,
            &mut cx.diagnostics,
        );
        author::run(of.resource.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    ValidateResourceConfigResponse { diagnostics: cx.diagnostics }
}
