//! `PlanAction`: lets the author look at the configuration with the client. The answer has no room for a change.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{Action, Context};
use crate::plan;
use crate::protocol::{Deferred, PlanActionRequest, PlanActionResponse};
use crate::server::schema_cache::cached_by_schema;
use crate::server::{Server, deferral, failed, provider_code};

cached_by_schema!(Action);

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: PlanActionRequest,
) -> PlanActionResponse {
    let mut cx = server.deferrable_context(stop, request.client_capabilities);
    let is_deferred = cx.deferred.is_some();
    // Whatever the reason was, there is no client that works.
    cx.deferred = cx.deferred.map(|_| Deferred::ProviderConfigUnknown);
    let outcome: Result = async {
        let of = server.inner.types.of::<dyn Action>(&request.action_type)?;
        let config = of.typed.config(&request.config)?;
        let config = plan::with_defaults(&of.typed.schema.block, &config, &server.inner.environment)?;
        if is_deferred {
            Ok(())
        } else {
            provider_code::isolated(of.offer.plan(&mut Context::new(&mut cx), &config)).await
        }
    }
    .await;
    cx.diagnostics.record(outcome);
    if cx.deferred.take_if(|reason| *reason != Deferred::ProviderConfigUnknown).is_some() {
        cx.diagnostics.extend(failed(invalid_reason(&request.action_type)));
    }
    let deferred = deferral(&mut cx);
    PlanActionResponse { deferred, diagnostics: cx.diagnostics }
}

fn invalid_reason(name: &str) -> Error {
    Error::new(
        "Invalid Deferral Reason",
        format!(
            "`plan` of the action `{name}` deferred the call for a reason that Terraform does not accept for actions. \
             This is a bug in the provider: `plan` must defer with `Deferred::ProviderConfigUnknown` only, and report \
             an error otherwise."
        ),
    )
}
