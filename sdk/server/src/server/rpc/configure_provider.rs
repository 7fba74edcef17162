//! `ConfigureProvider`: makes the client. A configuration that fails leaves the last client in place. One that is put
//! off, because it holds unknown values, puts off every later call that can be, until a configuration is not. Core plans
//! no configuration of a provider, so its defaults are filled in here.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::Context;
use crate::plan;
use crate::protocol::{ConfigureProviderRequest, ConfigureProviderResponse};
use crate::server::{Server, author, deferral_refused, failed, values};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ConfigureProviderRequest,
) -> ConfigureProviderResponse {
    let mut cx = server.context(stop, request.client_capabilities);
    cx.core_version = request.terraform_version;
    let outcome: Result = async {
        let known = server.types().config()?;
        let config = values::decode(&request.config, &known.ty, "provider configuration")?;
        let mut config = if config.is_null() { known.schema.block.empty() } else { config };
        // Core leaves no block out; a configuration as JSON may.
        values::reify_blocks(&known.schema.block.blocks, &mut config);
        let config = plan::with_defaults(&known.schema.block, &config, server.environment())?;
        author::run(server.provider().configure(&mut Context::new(&mut cx), config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    if cx.deferred.is_some() && !request.client_capabilities.deferral_allowed {
        cx.diagnostics.push(deferral_refused());
    }
    if !cx.diagnostics.has_errors() {
        server.put_off(cx.deferred);
    }
    ConfigureProviderResponse { diagnostics: cx.diagnostics }
}
