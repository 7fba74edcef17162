//! `ConfigureProvider`: makes the client. A failed configuration keeps the last client. A configuration that is deferred,
//! because it has unknown values, defers every later deferrable call until the next configuration. Core does not plan a
//! provider configuration, so this fills its defaults.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::Context;
use crate::plan;
use crate::protocol::{ConfigureProviderRequest, ConfigureProviderResponse};
use crate::server::{Server, deferral, normalize, provider_code, value_codec};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ConfigureProviderRequest,
) -> ConfigureProviderResponse {
    let mut cx = server.context(stop, request.client_capabilities);
    cx.core_version = request.terraform_version;
    let outcome: Result = async {
        let typed = server.inner.types.config()?;
        let config = value_codec::decode(&request.config, &typed.ty, "provider configuration")?;
        let mut config = if config.is_null() { typed.schema.block.empty() } else { config };
        // Core leaves no block out; a configuration as JSON may.
        normalize::absent_blocks(&typed.schema.block.blocks, &mut config);
        let config = plan::with_defaults(&typed.schema.block, &config, &server.inner.environment)?;
        provider_code::isolated(server.inner.provider.configure(&mut Context::new(&mut cx), config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    let deferred = deferral(&mut cx);
    if !cx.diagnostics.has_errors() {
        server.set_deferral(deferred);
    }
    ConfigureProviderResponse { diagnostics: cx.diagnostics }
}
