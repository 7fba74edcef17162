//! `ReadDataSource`: reads; what comes back is known, whole and of the schema's type, and keeps the configured
//! representation of values that are equivalent.

use std::sync::Arc;

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{Context, DataSource};
use crate::plan::{self, PlanInput};
use crate::private::Private;
use crate::protocol::{ReadDataSourceRequest, ReadDataSourceResponse};
use crate::schema::Operation;
use crate::server::deadline::Deadline;
use crate::server::schema_cache::cached_by_schema;
use crate::server::{Server, deferral, normalize, value_codec};
use crate::value::Value;

cached_by_schema!(DataSource);

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ReadDataSourceRequest,
) -> ReadDataSourceResponse {
    let mut cx = server.deferrable_context(stop, request.client_capabilities);
    let mut response =
        ReadDataSourceResponse { state: value_codec::null(), ..ReadDataSourceResponse::default() };
    let outcome: Result = async {
        let of = server.inner.types.of::<dyn DataSource>(&request.type_name)?;
        cx.provider_meta = server.meta(&request.provider_meta)?;
        let config = of.typed.decode(&request.config)?;
        let (data_source, encoded) = (Arc::clone(&of), request.config.clone());
        cx.config = Some(Arc::new(move || data_source.typed.decode(&encoded)));
        let block = &of.typed.schema.block;
        let prior = &Value::Null;
        // What the data source will fill is unknown to its read, as it is to a create.
        let input = PlanInput { block, config: &config, prior, proposed: &config };
        let config = plan::plan_in(input, &server.inner.environment, &Private::default())?.state;
        let is_deferred = cx.deferred.is_some();
        let deadline = Deadline::new(&mut cx, block, Operation::Read, &config)?;
        let read = if is_deferred {
            Ok(Value::Null)
        } else {
            deadline.act(of.offer.read(&mut Context::new(&mut cx), config.clone())).await
        };
        response.deferred = deferral(&mut cx);
        if response.deferred.is_some() {
            response.state = value_codec::encode(&Value::unknown(), &of.typed.ty, "result")?;
            return read.map(|_| ());
        }
        let mut state = read?;
        if state.is_null() {
            return Err(nothing(&request.type_name));
        }
        normalize::absent_blocks(&block.blocks, &mut state);
        // A data source may return another value than the configured one, so differences are none of its mistakes.
        let _ = plan::complete(block, &config, &mut state);
        let violations = plan::wholly_known(&state);
        cx.diagnostics.extend(violations.iter().map(|it| it.diagnostic(&request.type_name, "read")));
        response.state = value_codec::encode(&state, &of.typed.ty, "result")?;
        Ok(())
    }
    .await;
    cx.diagnostics.record(outcome);
    if cx.diagnostics.has_errors() {
        // Core would refuse what is wrong with it beside what the errors say.
        response.state = value_codec::null();
    }
    response.diagnostics = cx.diagnostics;
    response
}

fn nothing(type_name: &str) -> Error {
    Error::new(
        "Data Source Returned Nothing",
        format!(
            "`{type_name}` returned null. This is a bug in the provider: `read` must return an object or an error."
        ),
    )
}
