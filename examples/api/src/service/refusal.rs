//! Requests that are not granted.

use std::io;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rusqlite::ffi;

use crate::wire::Problem;

/// Why a request is not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: u16,
    problem: Problem,
    retry_after: Option<u32>,
}

pub(super) type Result<T = ()> = std::result::Result<T, Refusal>;

impl Refusal {
    pub(super) fn new(status: u16, code: &str) -> Self {
        Self { status, problem: Problem { code: code.to_owned(), field: None }, retry_after: None }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "not_found")
    }

    /// The token of the request is not accepted, or not any more.
    pub(super) fn not_authorized() -> Self {
        Self::new(401, "not_authorized")
    }

    /// A field of the request has a value that the service does not take.
    pub(super) fn invalid(field: &str) -> Self {
        Self::new(422, "invalid").field(field)
    }

    pub(super) fn too_many(retry_after: u32) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(429, "too_many_requests") }
    }

    fn field(mut self, field: &str) -> Self {
        self.problem.field = Some(field.to_owned());
        self
    }
}

/// What the database refuses because of its constraints is the fault of the request.
impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        match (&error, error.sqlite_error().map(|it| it.extended_code)) {
            (rusqlite::Error::QueryReturnedNoRows, _) => Self::not_found(),
            (_, Some(ffi::SQLITE_CONSTRAINT_UNIQUE)) => Self::new(409, "name_taken").field("name"),
            (_, Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY)) => Self::new(409, "in_use"),
            _ => Self::new(500, "store"),
        }
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(_: serde_json::Error) -> Self {
        Self::new(500, "store")
    }
}

/// For what is asked in this process.
impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::other(refusal.problem.code)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self.problem)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
