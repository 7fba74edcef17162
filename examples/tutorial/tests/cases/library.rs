//! A fake of the library service.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router, routing};
use serde_json::{Value, json};

type Books = BTreeMap<String, Value>;
type Answer = Result<Json<Value>, (StatusCode, String)>;

/// The books of one test run, and the address at which the service shows them.
#[derive(Clone)]
pub(crate) struct Library {
    pub(crate) address: SocketAddr,
    books: Arc<Mutex<Books>>,
}

impl Library {
    /// Starts a service on a free port. It ends with the test process.
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("it has an address");
        let library = Self { address, books: Arc::default() };
        let routes = Router::new()
            .route("/books", routing::post(create).get(list))
            .route("/books/{id}", routing::get(read).put(update).delete(delete))
            .with_state(library.clone());
        std::thread::spawn(move || runtime.block_on(async { axum::serve(listener, routes).await }));
        library
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The books, by ID.
    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().expect("no handler panics")
    }
}

fn check(headers: &HeaderMap) -> Result<(), (StatusCode, String)> {
    let token = headers.get("authorization").and_then(|it| it.to_str().ok());
    if token == Some("Bearer t0p") {
        Ok(())
    } else {
        Err((StatusCode::UNAUTHORIZED, "wrong token".to_owned()))
    }
}

/// What the service shows of a book: everything but its access code.
fn shown(id: &str, book: &Value) -> Value {
    let mut shown = book.clone();
    if let Some(members) = shown.as_object_mut() {
        members.remove("access_code");
        members.insert("id".to_owned(), json!(id));
        let room = members.entry("room").or_insert(Value::Null);
        if room.is_null() {
            *room = json!("reading room");
        }
    }
    shown
}

async fn create(State(library): State<Library>, headers: HeaderMap, Json(book): Json<Value>) -> Answer {
    check(&headers)?;
    let mut books = library.books();
    let id = format!("b-{}", books.len() + 1);
    let answer = shown(&id, &book);
    books.insert(id, book);
    Ok(Json(answer))
}

async fn read(State(library): State<Library>, headers: HeaderMap, Path(id): Path<String>) -> Answer {
    check(&headers)?;
    let books = library.books();
    let book = books.get(&id).ok_or((StatusCode::NOT_FOUND, "no such book".to_owned()))?;
    Ok(Json(shown(&id, book)))
}

async fn update(
    State(library): State<Library>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Json(book): Json<Value>,
) -> Answer {
    check(&headers)?;
    let answer = shown(&id, &book);
    library.books().insert(id, book);
    Ok(Json(answer))
}

async fn delete(State(library): State<Library>, headers: HeaderMap, Path(id): Path<String>) -> Answer {
    check(&headers)?;
    library.books().remove(&id).ok_or((StatusCode::NOT_FOUND, "no such book".to_owned())).map(Json)
}

async fn list(
    State(library): State<Library>,
    headers: HeaderMap,
    Query(query): Query<BTreeMap<String, String>>,
) -> Answer {
    check(&headers)?;
    let tag = query.get("tag").cloned().unwrap_or_default();
    let has_tag = |book: &Value| book["tags"].as_array().is_some_and(|tags| tags.contains(&json!(tag)));
    let books = library.books();
    Ok(Json(books.iter().filter(|(_, book)| has_tag(book)).map(|(id, book)| shown(id, book)).collect()))
}
