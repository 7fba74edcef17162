//! What is answered to which request.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, put};
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
use crate::wire::Page;

type Service = State<Arc<Shared>>;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let awkward = Router::new()
        .merge(routes::<Queues>())
        .merge(routes::<Subscriptions>())
        .route("/queues/{id}/labels", put(label))
        .layer(middleware::from_fn_with_state(shared.clone(), treat));
    awkward.route("/behaviour", get(behaviour).put(behave)).with_state(shared)
}

fn routes<C: Collection>() -> Router<Arc<Shared>> {
    Router::new()
        .route(&format!("/{}", C::NAME), get(list::<C>).post(create::<C>))
        .route(&format!("/{}/{{id}}", C::NAME), get(read::<C>).put(update::<C>).delete(delete::<C>))
}

/// Notes a request, and refuses it if that is how the service behaves.
async fn treat(State(shared): Service, request: Request, next: Next) -> Response {
    let uri = request.uri().path_and_query().map_or("", |it| it.as_str());
    let line = format!("{} {uri}", request.method());
    let refused = lock(&shared.temper).refuses(request.method().as_str(), request.uri().path());
    let response = match refused {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    lock(&shared.requests).push(format!("{line} {}", response.status().as_u16()));
    response
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

async fn delete<C: Collection>(State(shared): Service, Path(id): Path<String>) -> Result<StatusCode> {
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
