//! `CloseEphemeralResource`: closes what an open or the last renewal recorded. What was never opened is closed.

use crate::cancel::Cancellation;
use crate::diag::{Diagnostics, Result};
use crate::dynamic::{Close, EphemeralContext, EphemeralResource};
use crate::protocol::{CloseEphemeralResourceRequest, CloseEphemeralResourceResponse};
use crate::server::ephemeral_records::Record;
use crate::server::schema_cache::OfferType;
use crate::server::{Server, failed, provider_code};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: CloseEphemeralResourceRequest,
) -> CloseEphemeralResourceResponse {
    let closing = answer(server.clone(), stop, request);
    CloseEphemeralResourceResponse { diagnostics: server.run_change(closing).await.unwrap_or_else(failed) }
}

async fn answer(server: Server, stop: Cancellation, request: CloseEphemeralResourceRequest) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let found: Result<_> = (|| {
        let catalogue = server.inner.types.catalogue()?;
        if catalogue.get::<dyn EphemeralResource>(&request.type_name).is_none() {
            return Ok(None);
        }
        let of = server.inner.types.of::<dyn EphemeralResource>(&request.type_name)?;
        let record =
            server.inner.opened.latest(request.private.as_ref(), |warning| diagnostics.push(warning))?;
        Ok(Some(of).zip(record))
    })();
    if let Some((of, record)) = diagnostics.record(found).flatten() {
        diagnostics.extend(close_as(&server, stop, &of, record).await);
    }
    diagnostics
}

/// Closes what an open recorded that core does not know of. A request to stop from before is no reason to leave it open.
pub(super) async fn close(
    server: &Server,
    of: &OfferType<dyn EphemeralResource>,
    record: Record,
) -> Diagnostics {
    close_as(server, server.canceller().token(), of, record).await
}

async fn close_as(
    server: &Server,
    stop: Cancellation,
    of: &OfferType<dyn EphemeralResource>,
    record: Record,
) -> Diagnostics {
    let mut cx = EphemeralContext::<Close>::of(stop, server.clock());
    server.inner.opened.close(&record);
    let closed = provider_code::isolated(of.offer.close(&mut cx, record.private)).await;
    cx.diagnostics.record(closed);
    cx.diagnostics
}
