//! `PlanResourceChange`: the declared planning steps, the author's hook, and core's rules for a plan.

use bytes::Bytes;

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{CallState, Context, PlannedChange, Resource};
use crate::plan::{self, PlanInput};
use crate::protocol::{DynamicValue, PlanResourceChangeRequest, PlanResourceChangeResponse};
use crate::schema::Environment;
use crate::server::identity::{self, IdentityOwner, Planning};
use crate::server::schema_cache::{ResourceType, TypedSchema};
use crate::server::{Server, deferral, drift, moved, provider_code, value_codec, write_only_values};
use crate::value::Value;

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: PlanResourceChangeRequest,
) -> PlanResourceChangeResponse {
    let mut cx = server.deferrable_context(stop, request.client_capabilities);
    let mut response = PlanResourceChangeResponse {
        planned_state: request.prior_state.clone(),
        planned_private: request.prior_private.clone(),
        planned_identity: request.prior_identity.clone(),
        ..PlanResourceChangeResponse::default()
    };
    let outcome = match server.inner.types.of::<dyn Resource>(&request.type_name) {
        Ok(of) => {
            let outcome = plan(server, &mut cx, (&of, &request), &mut response).await;
            if outcome.is_err() {
                response.planned_state = unplanned(&of, &request);
            }
            outcome
        }
        Err(error) => Err(error),
    };
    cx.diagnostics.record(outcome);
    response.deferred = deferral(&mut cx);
    response.diagnostics = cx.diagnostics;
    response
}

/// What a plan that failed answers with: core's proposal without the write-only values in it, which nobody may store or
/// log; the prior state where they cannot be found.
fn unplanned(of: &ResourceType, request: &PlanResourceChangeRequest) -> DynamicValue {
    let TypedSchema { schema, ty } = &of.typed;
    if !schema.block.holds_write_only() {
        return request.proposed_new_state.clone();
    }
    let proposed = value_codec::decode(&request.proposed_new_state, ty, "proposed new state");
    proposed
        .map(|proposed| write_only_values::without_values(&schema.block, proposed))
        .and_then(|proposed| value_codec::encode(&proposed, ty, "proposed new state"))
        .unwrap_or_else(|_| request.prior_state.clone())
}

async fn plan(
    server: &Server,
    cx: &mut CallState,
    (of, request): (&ResourceType, &PlanResourceChangeRequest),
    response: &mut PlanResourceChangeResponse,
) -> Result {
    let ty = &of.typed.ty;
    cx.provider_meta = server.meta(&request.provider_meta)?;
    let prior = value_codec::decode(&request.prior_state, ty, "prior state")?;
    let config = of.typed.decode(&request.config)?;
    // Core proposes the configuration for a new object, and the prior state where nothing changes.
    let proposed = match &request.proposed_new_state {
        proposed if *proposed == request.config => config.clone(),
        proposed if *proposed == request.prior_state => prior.clone(),
        proposed => value_codec::decode(proposed, ty, "proposed new state")?,
    };
    cx.private = value_codec::private(private(request), |warning| cx.diagnostics.push(warning))?;
    let identity = moved::current_identity(&mut cx.private, of, request.prior_identity.as_ref())?;
    cx.identity.clone_from(&identity);
    if proposed.is_null() {
        if cx.deferred.is_none() {
            provider_code::isolated(of.resource.plan_delete(&mut Context::new(cx), &prior)).await?;
        }
        response.planned_state = value_codec::null();
        // After a move it may be another one than core sent.
        if let (Some(typed), Some(identity)) = (&of.identity, &identity) {
            response.planned_identity = Some(value_codec::encode(identity, &typed.ty, "identity")?);
        }
    } else {
        let created = prior.is_null();
        let environment = &server.inner.environment;
        let inputs = Inputs { prior, proposed, config, environment };
        let planned = change(cx, of, request, inputs, response).await?;
        response.planned_state = value_codec::encode(&planned, ty, "planned state")?;
        // What is wrong with the plan would be reported again as a changed identity.
        if of.identity.is_some() && cx.deferred.is_none() && !cx.diagnostics.has_errors() {
            let new = created || !response.requires_replace.is_empty();
            let planning = if new { Planning::New } else { Planning::Update };
            // The stored identity is that of the old object, of which a new one takes nothing over.
            cx.identity.take_if(|_| new);
            let subject = IdentityOwner { cx, of, type_name: &request.type_name, method: "plan" };
            response.planned_identity = identity::of_plan(subject, planning, &planned, identity)?;
        }
    }
    response.planned_private = cx.private.encode();
    Ok(())
}

/// The decoded values of a request.
struct Inputs<'a> {
    prior: Value,
    proposed: Value,
    config: Value,
    environment: &'a Environment,
}

async fn change(
    cx: &mut CallState,
    of: &ResourceType,
    request: &PlanResourceChangeRequest,
    Inputs { prior, proposed, config, environment }: Inputs<'_>,
    response: &mut PlanResourceChangeResponse,
) -> Result<Value> {
    let block = &of.typed.schema.block;
    let input = PlanInput { block, config: &config, prior: &prior, proposed: &proposed };
    let plan = plan::plan_in(input, environment, &cx.private)?;
    drift::report_suppressed(&request.type_name, "plan", &plan.suppressed);
    // Nothing is replaced by a new object, so its plan need not be compared.
    let before_hook = (!prior.is_null()).then(|| plan.state.clone());
    let mut change = PlannedChange { prior, config, planned: plan.state };
    if cx.deferred.is_none() {
        provider_code::isolated(of.resource.plan(&mut Context::new(cx), &mut change)).await?;
    }
    let PlannedChange { prior, config, planned } = change;
    let mut planned = write_only_values::without_values(block, planned);
    for (path, refinements) in std::mem::take(&mut cx.refinements) {
        cx.diagnostics.record(plan::refine(block, &config, &mut planned, &path, refinements));
    }
    response.requires_replace = match before_hook {
        Some(before) if before != planned => {
            let input = PlanInput { block, config: &config, prior: &prior, proposed: &planned };
            plan::replaced(input, &cx.private, plan.replaced_by_modifiers)
        }
        _ => plan.requires_replace,
    };
    response.requires_replace.append(&mut cx.requires_replace);
    plan::sort_paths(&mut response.requires_replace);
    if cx.deferred.is_none() {
        let mut violations = plan::plan_valid(block, &prior, &config, &planned);
        violations.extend(plan::replace_paths(block, &prior, &planned, &response.requires_replace));
        cx.diagnostics.extend(violations.iter().map(|it| it.diagnostic(&request.type_name, "plan")));
    }
    Ok(planned)
}

/// The private data to plan with: while applying, cores that keep it (protocol 6.11) send what the first plan made.
fn private(request: &PlanResourceChangeRequest) -> &Bytes {
    if request.planned_private.is_empty() { &request.prior_private } else { &request.planned_private }
}
