//! What is answered to which request.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::Value;

use super::behaviour::{Behaviour, Temper};
use super::collection::{Collection, number};
use super::queues::{self, Queues};
use super::refusal::Result;
use super::store::{Delay, Selection};
use super::subscriptions::Subscriptions;
use super::{Shared, lock};
use crate::wire::{Lifetime, NewToken, Page, Purged, Token};

type Service = State<Arc<Shared>>;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let awkward = Router::new()
        .merge(routes::<Queues>())
        .merge(routes::<Subscriptions>())
        .route("/queues/{id}/labels", put(label))
        .route("/queues/{id}/messages", delete(purge))
        .route("/tokens", post(grant))
        .route("/tokens/{id}", put(renew).delete(revoke))
        .layer(middleware::from_fn_with_state(shared.clone(), treat));
    awkward.route("/behaviour", get(behaviour).put(behave)).with_state(shared)
}

fn routes<C: Collection>() -> Router<Arc<Shared>> {
    Router::new()
        .route(&format!("/{}", C::NAME), get(list::<C>).post(create::<C>))
        .route(&format!("/{}/{{id}}", C::NAME), get(read::<C>).put(update::<C>).delete(remove::<C>))
}

/// Notes a request, and refuses it if that is how the service behaves.
async fn treat(State(shared): Service, request: Request, next: Next) -> Response {
    let uri = request.uri().path_and_query().map_or("", |it| it.as_str());
    let line = format!("{} {uri}", request.method());
    let user_agent = request.headers().get(header::USER_AGENT).and_then(|it| it.to_str().ok());
    lock(&shared.user_agents).insert(user_agent.unwrap_or_default().to_owned());
    let refused = lock(&shared.temper).refuses(request.method().as_str(), request.uri().path());
    let holder = refused.map_or_else(|| holder(&shared, request.headers()), Err);
    let (response, holder) = match holder {
        Ok(holder) => (next.run(request).await, holder.map(|name| format!(" as {name}"))),
        Err(refusal) => (refusal.into_response(), None),
    };
    let (status, holder) = (response.status().as_u16(), holder.unwrap_or_default());
    lock(&shared.requests).push(format!("{line} {status}{holder}"));
    response
}

/// The name of the token that a request has. One without a token may do everything as well.
fn holder(shared: &Shared, headers: &HeaderMap) -> Result<Option<String>> {
    let Some(authorization) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let secret = authorization.to_str().ok().and_then(|it| it.strip_prefix("Bearer ")).unwrap_or_default();
    lock(&shared.tokens).holder(secret).map(Some)
}

async fn grant(State(shared): Service, Json(new): Json<NewToken>) -> (StatusCode, Json<Token>) {
    (StatusCode::CREATED, Json(lock(&shared.tokens).grant(new)))
}

async fn renew(State(shared): Service, Path(id): Path<String>) -> Result<Json<Lifetime>> {
    lock(&shared.tokens).renew(&id).map(Json)
}

async fn revoke(State(shared): Service, Path(id): Path<String>) -> Result<StatusCode> {
    lock(&shared.tokens).revoke(&id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which part of a list is asked for.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Part {
    prefix: String,
    after: Option<String>,
}

async fn list<C: Collection>(State(shared): Service, Query(part): Query<Part>) -> Result<Json<Page<Value>>> {
    let page = lock(&shared.temper).behaviour.page.max(1);
    let after = part.after.as_deref().map_or(Ok(0), number)?;
    // One more than is shown, to see whether there is more.
    let limit = page.saturating_add(1);
    let wanted = Selection { collection: C::NAME, prefix: &part.prefix, after, limit };
    let mut objects = lock(&shared.store).list(&wanted)?;
    let page = page as usize;
    let more = objects.len() > page;
    objects.truncate(page);
    let items: Vec<Value> = objects.into_iter().map(|it| it.body).collect();
    let next = items.last().filter(|_| more).and_then(|it| it["id"].as_str()).map(str::to_owned);
    Ok(Json(Page { items, next }))
}

async fn create<C: Collection>(
    State(shared): Service,
    Json(new): Json<C::New>,
) -> Result<(StatusCode, Json<Value>)> {
    let delay = delay(&shared);
    let store = lock(&shared.store);
    let object = C::make(&store, store.next_number()?, new)?;
    store.insert(C::NAME, &object, delay)?;
    let body = if delay.starting > 0 { C::starting(object.body) } else { object.body };
    Ok((StatusCode::CREATED, Json(body)))
}

async fn read<C: Collection>(State(shared): Service, Path(id): Path<String>) -> Result<Json<Value>> {
    let (body, starting) = lock(&shared.store).look(C::NAME, number(&id)?)?;
    Ok(Json(if starting { C::starting(body) } else { body }))
}

async fn update<C: Collection>(
    State(shared): Service,
    Path(id): Path<String>,
    Json(new): Json<C::New>,
) -> Result<Json<Value>> {
    let delay = delay(&shared);
    let store = lock(&shared.store);
    let mut object = store.get(C::NAME, number(&id)?)?;
    C::change(&mut object, new)?;
    store.update(C::NAME, &object, delay)?;
    Ok(Json(object.body))
}

async fn label(
    State(shared): Service,
    Path(id): Path<String>,
    Json(labels): Json<BTreeMap<String, String>>,
) -> Result<Json<Value>> {
    let delay = delay(&shared);
    let store = lock(&shared.store);
    let mut object = store.get(Queues::NAME, number(&id)?)?;
    queues::label(&mut object, labels)?;
    store.update(Queues::NAME, &object, delay)?;
    Ok(Json(object.body))
}

async fn purge(State(shared): Service, Path(id): Path<String>) -> Result<Json<Purged>> {
    let at_once = lock(&shared.temper).behaviour.page.max(1);
    let store = lock(&shared.store);
    let mut object = store.get(Queues::NAME, number(&id)?)?;
    let purged = queues::purge(&mut object, at_once)?;
    store.update(Queues::NAME, &object, Delay::default())?;
    Ok(Json(purged))
}

async fn remove<C: Collection>(State(shared): Service, Path(id): Path<String>) -> Result<StatusCode> {
    lock(&shared.store).delete(C::NAME, number(&id)?)?;
    Ok(StatusCode::NO_CONTENT)
}

fn delay(shared: &Shared) -> Delay {
    let Behaviour { lag, starting, .. } = lock(&shared.temper).behaviour;
    Delay { lag, starting }
}

async fn behaviour(State(shared): Service) -> Json<Behaviour> {
    Json(lock(&shared.temper).behaviour.clone())
}

async fn behave(State(shared): Service, Json(wanted): Json<Behaviour>) -> StatusCode {
    *lock(&shared.temper) = Temper::new(wanted);
    StatusCode::NO_CONTENT
}
