//! `RenewEphemeralResource`: renews what an open recorded.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{EphemeralContext, EphemeralResource, Renew};
use crate::protocol::{RenewEphemeralResourceRequest, RenewEphemeralResourceResponse};
use crate::server::{Server, failed, provider_code};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: RenewEphemeralResourceRequest,
) -> RenewEphemeralResourceResponse {
    let sent = request.private.clone();
    match server.run_change(renew(server.clone(), stop, request)).await {
        Ok(response) => response,
        Err(error) => {
            RenewEphemeralResourceResponse { diagnostics: failed(error), private: sent, renew_at: None }
        }
    }
}

async fn renew(
    server: Server,
    stop: Cancellation,
    request: RenewEphemeralResourceRequest,
) -> RenewEphemeralResourceResponse {
    let mut cx = EphemeralContext::<Renew>::of(stop, server.clock());
    let mut private = request.private.clone();
    let outcome: Result = async {
        let of = server.inner.types.of::<dyn EphemeralResource>(&request.type_name)?;
        let latest = server.inner.opened.latest(private.as_ref(), |warning| cx.diagnostics.push(warning))?;
        let mut record = latest.ok_or_else(|| nothing_open(&request.type_name))?;
        let renewed = provider_code::isolated(of.offer.renew(&mut cx, record.private.clone())).await;
        // Recorded before a failure, too: it exists, and the close must know of it.
        if let Some(recorded) = cx.record.take() {
            record.private = recorded;
            server.inner.opened.renew(&record);
            private = Some(record.encode());
        }
        renewed
    }
    .await;
    cx.diagnostics.record(outcome);
    let renew_at = cx.renew_at.filter(|_| !cx.diagnostics.has_errors());
    RenewEphemeralResourceResponse { diagnostics: cx.diagnostics, renew_at, private }
}

fn nothing_open(type_name: &str) -> Error {
    Error::new(
        "Nothing To Renew",
        format!(
            "`{type_name}` was to be renewed without the private data of an open. Report it to the authors of the \
             program that you ran."
        ),
    )
}
