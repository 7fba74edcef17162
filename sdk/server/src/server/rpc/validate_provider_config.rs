//! `ValidateProviderConfig`: the schema's rules, then the author's.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::Context;
use crate::protocol::{ClientCapabilities, ValidateProviderConfigRequest, ValidateProviderConfigResponse};
use crate::server::{Server, author, failed, values};
use crate::validate::validate;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateProviderConfigRequest,
) -> ValidateProviderConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let known = server.types().config()?;
        let config = values::decode(&request.config, &known.ty, "provider configuration")?;
        // A provider block that is not there is a body in which nothing is written.
        let config = if config.is_null() { known.schema.block.empty() } else { config };
        validate(
            &known.schema.block,
            &config,
            cx.capabilities.write_only_attributes_allowed,
            &mut cx.diagnostics,
        );
        author::run(server.provider().validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    ValidateProviderConfigResponse { diagnostics: cx.diagnostics }
}
