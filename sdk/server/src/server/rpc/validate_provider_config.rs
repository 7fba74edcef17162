//! `ValidateProviderConfig`: the schema's rules, then the author's.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::Context;
use crate::protocol::{ClientCapabilities, ValidateProviderConfigRequest, ValidateProviderConfigResponse};
use crate::server::{Server, provider_code, value_codec};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateProviderConfigRequest,
) -> ValidateProviderConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let typed = server.inner.types.config()?;
        let config = value_codec::decode(&request.config, &typed.ty, "provider configuration")?;
        // A provider block that is not there is a body in which nothing is written.
        let config = if config.is_null() { typed.schema.block.empty() } else { config };
        typed.validate(&config, &mut cx);
        provider_code::isolated(server.inner.provider.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateProviderConfigResponse { diagnostics: cx.diagnostics }
}
