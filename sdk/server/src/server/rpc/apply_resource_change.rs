//! `ApplyResourceChange`: create, update or delete, run to its end whatever becomes of the connection.
//!
//! What a failure leaves behind is fixed. A create without a checkpoint records no object; an update or a delete
//! keeps the prior state byte for byte as it came; a checkpoint is stored beside the error; a state that was
//! returned is stored even if it violates a rule, because the object exists. Private data goes with the state: what
//! author code left in the context is stored with a state of its making, otherwise it stays as planned.

use std::sync::Arc;

use bytes::Bytes;

use crate::cancel::Cancellation;
use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{CallState, Change, Context, Resource};
use crate::plan;
use crate::protocol::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, ClientCapabilities, DynamicValue,
};
use crate::schema::Operation;
use crate::server::deadline::Deadline;
use crate::server::identity::{self, IdentityOwner};
use crate::server::read_back::{ReadBack, Written};
use crate::server::schema_cache::ResourceType;
use crate::server::{Server, drift, failed, normalize, value_codec, write_only_values};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ApplyResourceChangeRequest,
) -> ApplyResourceChangeResponse {
    let sent = request.clone();
    let cx = server.context(stop, ClientCapabilities::default());
    match server.run_change(apply(server.clone(), cx, request)).await {
        Ok(response) => response,
        Err(error) => unchanged(None, sent, failed(error)),
    }
}

/// The answer that leaves everything as it was. The identity of an object that does not exist yet may be unknown, which
/// core refuses.
fn unchanged(
    of: Option<&ResourceType>,
    request: ApplyResourceChangeRequest,
    diagnostics: Diagnostics,
) -> ApplyResourceChangeResponse {
    let identity = match of {
        Some(of) => identity::storable(of, request.planned_identity),
        None => request.planned_identity.filter(|_| !value_codec::is_null(&request.prior_state)),
    };
    answer(diagnostics, (request.prior_state, request.planned_private), identity)
}

/// The decoded values of a request.
struct Inputs {
    prior: Value,
    planned: Value,
    config: Value,
}

async fn apply(
    server: Server,
    mut cx: CallState,
    request: ApplyResourceChangeRequest,
) -> ApplyResourceChangeResponse {
    let of = server.inner.types.of::<dyn Resource>(&request.type_name);
    let Some(of) = cx.diagnostics.record(of) else { return unchanged(None, request, cx.diagnostics) };
    let inputs = decode(&server, &mut cx, &of, &request);
    let Some(inputs) = cx.diagnostics.record(inputs) else {
        return unchanged(Some(&of), request, cx.diagnostics);
    };
    let operation = match (inputs.prior.is_null(), inputs.planned.is_null()) {
        (true, _) => Operation::Create,
        (false, true) => Operation::Delete,
        (false, false) => Operation::Update,
    };
    if operation != Operation::Delete {
        let (resource, config) = (Arc::clone(&of), request.config.clone());
        cx.config = Some(Arc::new(move || resource.typed.decode(&config)));
        let (resource, planned) = (Arc::clone(&of), inputs.planned.clone());
        cx.merge = Some(Arc::new(move |shown| plan::complete(&resource.typed.schema.block, &planned, shown)));
    }
    let (planned, identity) = (inputs.planned.clone(), cx.identity.clone());
    let result = act(&mut cx, &of, operation, inputs, &request.type_name).await;
    respond(cx, &of, ApplyOutcome { operation, result, planned, identity, request })
}

/// The values of the request; the context gets those that every method sees.
fn decode(
    server: &Server,
    cx: &mut CallState,
    of: &ResourceType,
    request: &ApplyResourceChangeRequest,
) -> Result<Inputs> {
    let ty = &of.typed.ty;
    cx.provider_meta = server.meta(&request.provider_meta)?;
    let sees_config = of.resource.uses_config() || of.typed.schema.block.holds_write_only();
    let inputs = Inputs {
        prior: value_codec::decode(&request.prior_state, ty, "prior state")?,
        planned: value_codec::decode(&request.planned_state, ty, "planned state")?,
        config: if sees_config { of.typed.decode(&request.config)? } else { Value::Null },
    };
    cx.identity = identity::stored(of, request.planned_identity.as_ref())?;
    cx.private = value_codec::private(&request.planned_private, |warning| cx.diagnostics.push(warning))?;
    if inputs.prior.is_null() && inputs.planned.is_null() {
        return Err(no_change());
    }
    Ok(inputs)
}

/// Calls the author's method, and after a write the one that reads; for a delete the state is null.
async fn act(
    cx: &mut CallState,
    of: &ResourceType,
    operation: Operation,
    Inputs { prior, planned, config }: Inputs,
    type_name: &str,
) -> Result<Written> {
    let (block, resource) = (&of.typed.schema.block, &of.resource);
    let object = if operation == Operation::Delete { &prior } else { &planned };
    let deadline = Deadline::new(cx, block, operation, object)?;
    if operation == Operation::Delete {
        return deadline
            .act(resource.delete(&mut Context::new(cx), prior))
            .await
            .map(|()| Value::Null.into());
    }
    let planned = write_only_values::with_values(block, planned, &config);
    let read_back = ReadBack::new(of, type_name, &prior, &planned);
    let change = Change { planned, config };
    let write = async {
        let state = match operation {
            Operation::Update => resource.update(&mut Context::new(cx), prior, change).await?,
            _ => resource.create(&mut Context::new(cx), change).await?,
        };
        match read_back {
            Some(read_back) => read_back.run(cx, state).await,
            None => Ok(state.into()),
        }
    };
    deadline.act(write).await
}

/// A finished operation, to be checked and encoded.
struct ApplyOutcome {
    operation: Operation,
    result: Result<Written>,
    planned: Value,
    /// The planned identity.
    identity: Option<Value>,
    request: ApplyResourceChangeRequest,
}

fn respond(mut cx: CallState, of: &ResourceType, done: ApplyOutcome) -> ApplyResourceChangeResponse {
    let ApplyOutcome { operation, result, planned, identity, request } = done;
    let checkpoint = cx.checkpoint.take();
    let returned = match result {
        Ok(Written { mut state, drift }) => {
            let block = &of.typed.schema.block;
            normalize::absent_blocks(&block.blocks, &mut state);
            let drift = drift.unwrap_or_else(|| plan::complete(block, &planned, &mut state));
            for found in cx.drifts.iter().chain([&drift]) {
                drift::report(&request.type_name, operation.name(), found);
            }
            let is_storable = check(&mut cx, of, (operation, &request.type_name), &planned, &state);
            Some(if is_storable { state } else { storable(of, state) })
        }
        Err(error) => {
            cx.diagnostics.extend(failed(error));
            None
        }
    };
    if cx.deferred.is_some() {
        cx.diagnostics.extend(failed(not_deferrable(&request.type_name, operation)));
    }
    // A delete that reported errors has not deleted, whatever it returned.
    let deleted = operation == Operation::Delete && !cx.diagnostics.has_errors();
    let checkpoint = checkpoint.into_iter().map(|state| storable(of, state));
    let states = returned.into_iter().chain(checkpoint).filter(|state| deleted || !state.is_null());
    match encode_one(of, states, &mut cx.diagnostics) {
        Some((state, first)) => {
            let identity = new_identity(&mut cx, (of, operation), (&first, identity.as_ref()), request);
            let private = cx.private.encode();
            answer(cx.diagnostics, (state, private), identity)
        }
        None => {
            let identity = identity::storable(of, request.planned_identity);
            answer(cx.diagnostics, (request.prior_state, request.planned_private), identity)
        }
    }
}

fn answer(
    diagnostics: Diagnostics,
    (new_state, private): (DynamicValue, Bytes),
    new_identity: Option<DynamicValue>,
) -> ApplyResourceChangeResponse {
    ApplyResourceChangeResponse { new_state, private, diagnostics, new_identity }
}

/// Checks a result against the rules, and whether it is known to be stored as it is. Errors that the author reported explain
/// a difference already.
fn check(
    cx: &mut CallState,
    of: &ResourceType,
    (operation, type_name): (Operation, &str),
    planned: &Value,
    state: &Value,
) -> bool {
    if cx.diagnostics.has_errors() || operation == Operation::Delete {
        return false;
    }
    if state.is_null() {
        cx.diagnostics.extend(failed(nothing(type_name, operation)));
        return false;
    }
    let block = &of.typed.schema.block;
    let mut violations = plan::write_only_null(block, state);
    violations.extend(plan::result_valid(block, planned, state));
    cx.diagnostics.extend(violations.iter().map(|it| it.diagnostic(type_name, operation.name())));
    // Another value than the planned one can be stored.
    violations.iter().all(|it| it.rule == plan::Rule::ResultFollowsPlan)
}

/// The identity of the object with the state that is stored. Beside an error that explains why it is not the expected
/// one, nothing is said about it.
fn new_identity(
    cx: &mut CallState,
    (of, operation): (&ResourceType, Operation),
    (state, planned): (&Value, Option<&Value>),
    request: ApplyResourceChangeRequest,
) -> Option<DynamicValue> {
    if state.is_null() {
        return None;
    }
    let subject = IdentityOwner { cx, of, type_name: &request.type_name, method: operation.name() };
    match identity::of_state(subject, state, planned) {
        Ok(identity) => identity,
        Err(error) => {
            if !cx.diagnostics.has_errors() {
                cx.diagnostics.extend(failed(error));
            }
            identity::storable(of, request.planned_identity)
        }
    }
}

/// The state as core can store it: nothing unknown, nothing write-only. Core refuses a state with a write-only
/// value whole, and with it the object that was created.
fn storable(of: &ResourceType, state: Value) -> Value {
    let mut state = write_only_values::without_values(&of.typed.schema.block, state);
    normalize::absent_blocks(&of.typed.schema.block.blocks, &mut state);
    normalize::null_unknowns(&mut state);
    state
}

/// Encodes the first state that fits the schema; if none does, the first with holes where it does not, for an object
/// without a state would be lost. The value beside it is the first state, whichever is encoded.
fn encode_one(
    of: &ResourceType,
    states: impl Iterator<Item = Value>,
    diagnostics: &mut Diagnostics,
) -> Option<(DynamicValue, Value)> {
    let mut misfits = Vec::new();
    for state in states {
        match value_codec::encode(&state, &of.typed.ty, "state") {
            Ok(encoded) => return Some((encoded, misfits.into_iter().next().unwrap_or(state))),
            Err(error) => diagnostics.extend(failed(error)),
        }
        misfits.push(state);
    }
    let encoded = misfits.iter().find_map(|state| {
        let (encoded, errors) = value_codec::encode_rest(state, &of.typed.ty);
        diagnostics.extend(errors.into_iter().flatten());
        encoded
    });
    encoded.zip(misfits.into_iter().next())
}

fn nothing(type_name: &str, operation: Operation) -> Error {
    let method = operation.name();
    Error::new(
        "Provider Returned No Object",
        format!(
            "`{method}` of `{type_name}` returned null although it reported no error. This is a bug in the provider: \
             it must return the state of the object."
        ),
    )
}

fn not_deferrable(type_name: &str, operation: Operation) -> Error {
    let method = operation.name();
    Error::new(
        "Deferral Not Allowed",
        format!(
            "`{method}` of `{type_name}` deferred the call, but a planned change must be applied. This is a bug in the \
             provider: it must defer the plan, in `plan`."
        ),
    )
}

/// Core plans a change before it applies one.
fn no_change() -> Error {
    Error::new(
        "Nothing To Apply",
        "Terraform or OpenTofu asked for a change from no object to no object. Plan again; if that does not help, \
         report it to the authors of the program that you ran.",
    )
}
