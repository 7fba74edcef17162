//! `OpenEphemeralResource`: opens, and closes again what an open that failed has recorded, for core closes only what it
//! was told to be open.

use tokio::sync::oneshot;

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{EphemeralContext, EphemeralResource, Open};
use crate::plan::{self, PlanInput};
use crate::private::Private;
use crate::protocol::{DynamicValue, OpenEphemeralResourceRequest, OpenEphemeralResourceResponse};
use crate::schema::Operation;
use crate::server::deadline::Deadline;
use crate::server::ephemeral_records::Record;
use crate::server::rpc::close_ephemeral_resource::close;
use crate::server::schema_cache::{OfferType, cached_by_schema};
use crate::server::{Server, deferral_refused, drift, failed, normalize, value_codec};
use crate::value::Value;

cached_by_schema!(EphemeralResource);

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: OpenEphemeralResourceRequest,
) -> OpenEphemeralResourceResponse {
    let of = match server.inner.types.of::<dyn EphemeralResource>(&request.type_name) {
        Ok(of) => of,
        Err(error) => return failure(error),
    };
    let (answer, asked) = oneshot::channel();
    let opener = server.clone();
    let opening = async move {
        let (response, record) = open(&opener, stop, &of, request).await;
        // Without an answer core does not know of the object and closes nothing.
        if let (Err(_), Some(record)) = (answer.send(response), record) {
            for diagnostic in close(&opener, &of, record).await.iter() {
                tracing::error!(%diagnostic, "closing what an abandoned call opened");
            }
        }
    };
    match server.run_change(opening).await {
        Ok(()) => asked.await.unwrap_or_default(),
        Err(error) => failure(error),
    }
}

fn failure(error: Error) -> OpenEphemeralResourceResponse {
    OpenEphemeralResourceResponse {
        result: value_codec::null(),
        diagnostics: failed(error),
        ..OpenEphemeralResourceResponse::default()
    }
}

/// The answer, and the record of what is open after it.
async fn open(
    server: &Server,
    stop: Cancellation,
    of: &OfferType<dyn EphemeralResource>,
    request: OpenEphemeralResourceRequest,
) -> (OpenEphemeralResourceResponse, Option<Record>) {
    let mut cx = EphemeralContext::<Open>::of(stop, server.clock());
    cx.capabilities = request.client_capabilities;
    cx.deferred = server.deferred(cx.capabilities);
    let outcome = result(server, &mut cx, of, &request).await;
    let mut result = cx.diagnostics.record(outcome).unwrap_or_else(value_codec::null);
    let mut record = cx.record.take().map(Record::new);
    if cx.diagnostics.has_errors() || cx.deferred.is_some() {
        if let Some(record) = record.take() {
            cx.diagnostics.extend(close(server, of, record).await);
        }
        cx.renew_at = None;
    }
    if cx.diagnostics.has_errors() {
        // Core would reject what is wrong with it beside the errors that explain it.
        (result, cx.deferred) = (value_codec::null(), None);
    }
    let response = OpenEphemeralResourceResponse {
        diagnostics: cx.diagnostics,
        renew_at: cx.renew_at,
        result,
        private: record.as_ref().map(Record::encode),
        deferred: cx.deferred,
    };
    (response, record)
}

async fn result(
    server: &Server,
    cx: &mut EphemeralContext<Open>,
    of: &OfferType<dyn EphemeralResource>,
    request: &OpenEphemeralResourceRequest,
) -> Result<DynamicValue> {
    let (block, ty, type_name) = (&of.typed.schema.block, &of.typed.ty, &request.type_name);
    let mut config = of.typed.decode(&request.config)?;
    normalize::absent_blocks(&block.blocks, &mut config);
    if cx.deferred.is_some() {
        return value_codec::encode(&Value::unknown(), ty, "result");
    }
    if config.is_null() || !config.is_wholly_known() {
        return Err(not_known(type_name));
    }
    // What the open will fill is unknown to it, as it is to a create.
    let input = PlanInput { block, config: &config, prior: &Value::Null, proposed: &config };
    let planned = plan::plan_in(input, &server.inner.environment, &Private::default())?.state;
    let call = (&mut cx.cancellation, &mut cx.timeout);
    let deadline = Deadline::of(call, cx.clock.clone(), block, (Operation::Open, &planned))?;
    let mut opened = deadline.act(of.offer.open(cx, planned.clone())).await?;
    if cx.deferred.is_some() {
        if !cx.capabilities.deferral_allowed {
            cx.deferred = None;
            return Err(deferral_refused().into());
        }
        return value_codec::encode(&Value::unknown(), ty, "result");
    }
    if opened.is_null() {
        return Err(nothing(type_name));
    }
    normalize::absent_blocks(&block.blocks, &mut opened);
    drift::report(type_name, "open", &plan::complete(block, &planned, &mut opened));
    // The rules say nothing useful of a value of another type.
    let result = value_codec::encode(&opened, ty, "result")?;
    for violation in
        plan::wholly_known(&opened).into_iter().chain(plan::open_result_valid(block, &config, &opened))
    {
        cx.diagnostics.push(violation.diagnostic(type_name, "open"));
    }
    if cx.renew_at.is_some() && cx.record.is_none() {
        return Err(nothing_to_renew(type_name));
    }
    Ok(result)
}

/// Core opens nothing whose configuration is not known.
fn not_known(type_name: &str) -> Error {
    Error::new(
        "Configuration Not Known",
        format!(
            "`{type_name}` was to be opened although its configuration is missing or not known yet. Report it to the \
             authors of the program that you ran."
        ),
    )
}

fn nothing(type_name: &str) -> Error {
    Error::new(
        "Provider Returned No Result",
        format!(
            "`open` of `{type_name}` returned null. This is a bug in the provider: it must return an object or an \
             error."
        ),
    )
}

fn nothing_to_renew(type_name: &str) -> Error {
    Error::new(
        "Provider Recorded Nothing To Renew",
        format!(
            "`open` of `{type_name}` set a time for a renewal, but recorded nothing that could be renewed. This is a bug \
             in the provider: it must call `record` as well."
        ),
    )
}
