//! Calls to the service.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ferroform::cancel::Cancellation;
use ferroform::clock::Clock;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::Context;
use ferroform::path;
use ferroform::path::Path;
use ferroform::wait::{Limit, SharedReads};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{HeaderMap, Method, Request, Uri};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::wire::{Lifetime, NewToken, Page, Problem, Purged, Queue, Token};

/// What all resources of the provider work with.
pub(super) struct Client {
    http: legacy::Client<HttpConnector, Full<Bytes>>,
    endpoint: String,
    /// Who asks, for the service's log.
    user_agent: HeaderValue,
    /// How the client proves who it is.
    authorization: Option<HeaderValue>,
    /// The service refuses what comes too fast.
    requests: Limit,
    /// The lists of queues that are read, by what the names begin with: data sources ask for the same one at the same time.
    pub(super) lists: SharedReads<Arc<[Queue]>>,
    /// The first pause between two looks at something that is not ready yet.
    pub(super) poll: Duration,
}

/// When a call gives up the waiting between its attempts, and the time.
pub(super) type Patience<'c> = (&'c Cancellation, &'c Clock);

/// Why a call did not do what it should.
#[derive(Debug)]
pub(super) enum Failure {
    /// The service says no.
    Refused(u16, Problem),
    /// Nobody knows what the service did.
    NoAnswer(String),
    /// The user has asked to stop before the service was willing.
    Stopped,
}

/// How many requests are under way at the same time.
const REQUESTS: usize = 8;
/// How often a call is made that the service puts off.
const ATTEMPTS: usize = 10;
/// How long to wait when the service does not say.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long an answer may be, in bytes.
const LONGEST: usize = 1 << 20;

impl Client {
    /// A client of the service at that URL.
    ///
    /// # Errors
    /// It is no such URL.
    pub(super) fn new(endpoint: &str, user_agent: &str, poll: Duration) -> Result<Self> {
        let endpoint = endpoint.trim_end_matches('/');
        let is_url =
            |uri: Uri| uri.scheme_str() == Some("http") && uri.path() == "/" && uri.query().is_none();
        if !endpoint.parse().is_ok_and(is_url) {
            let detail = "The endpoint must be the URL of a service, with the scheme `http` and without a path, such as \
                          `http://127.0.0.1:8480`.";
            return Err(Error::new("Invalid Endpoint", detail).at(path!(endpoint)));
        }
        let http = legacy::Client::builder(TokioExecutor::new()).build_http();
        Ok(Self {
            http,
            endpoint: endpoint.to_owned(),
            user_agent: HeaderValue::try_from(user_agent)?,
            authorization: None,
            requests: Limit::new(REQUESTS),
            lists: SharedReads::new(),
            poll,
        })
    }

    /// The same client, which sends a token along.
    ///
    /// # Errors
    /// The token has other characters than a header can have.
    pub(super) fn with_token(self, token: &str) -> Result<Self> {
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| {
            Error::new(
                "Invalid Token",
                "A token has visible ASCII characters only. Use one that the service granted.",
            )
        })?;
        authorization.set_sensitive(true);
        Ok(Self { authorization: Some(authorization), ..self })
    }

    pub(super) async fn get<A: DeserializeOwned, P>(
        &self,
        cx: &Context<'_, P>,
        path: &str,
    ) -> Result<A, Failure> {
        self.fetch(patience(cx), path).await
    }

    pub(super) async fn fetch<A: DeserializeOwned>(
        &self,
        patience: Patience<'_>,
        path: &str,
    ) -> Result<A, Failure> {
        self.send(patience, self.request(Method::GET, path, Bytes::new())?).await
    }

    pub(super) async fn post<A, P>(
        &self,
        cx: &Context<'_, P>,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, Failure>
    where
        A: DeserializeOwned,
    {
        self.send(patience(cx), self.request(Method::POST, path, json(body)?)?).await
    }

    pub(super) async fn put<A, P>(
        &self,
        cx: &Context<'_, P>,
        path: &str,
        body: &impl Serialize,
    ) -> Result<A, Failure>
    where
        A: DeserializeOwned,
    {
        self.send(patience(cx), self.request(Method::PUT, path, json(body)?)?).await
    }

    pub(super) async fn delete<P>(&self, cx: &Context<'_, P>, path: &str) -> Result<(), Failure> {
        self.send(patience(cx), self.request(Method::DELETE, path, Bytes::new())?).await
    }

    /// The queues whose names begin so, behind the one with that ID: one page of them.
    pub(super) async fn queues(
        &self,
        patience: Patience<'_>,
        prefix: &str,
        after: Option<&str>,
    ) -> Result<Page<Queue>, Failure> {
        let after = after.map(|id| format!("&after={}", encoded(id))).unwrap_or_default();
        self.fetch(patience, &format!("/queues?prefix={}{after}", encoded(prefix))).await
    }

    /// Deletes messages that wait in a queue: as many as the service deletes at once.
    pub(super) async fn purge(&self, patience: Patience<'_>, id: &str) -> Result<Purged, Failure> {
        let path = format!("/queues/{}/messages", encoded(id));
        self.send(patience, self.request(Method::DELETE, &path, Bytes::new())?).await
    }

    pub(super) async fn grant(&self, patience: Patience<'_>, new: &NewToken) -> Result<Token, Failure> {
        self.send(patience, self.request(Method::POST, "/tokens", json(new)?)?).await
    }

    pub(super) async fn extend(&self, patience: Patience<'_>, id: &str) -> Result<Lifetime, Failure> {
        self.send(patience, self.request(Method::PUT, &format!("/tokens/{id}"), Bytes::new())?).await
    }

    pub(super) async fn revoke(&self, patience: Patience<'_>, id: &str) -> Result<(), Failure> {
        self.send(patience, self.request(Method::DELETE, &format!("/tokens/{id}"), Bytes::new())?).await
    }

    fn request(&self, method: Method, path: &str, body: Bytes) -> Result<Request<Full<Bytes>>, Failure> {
        let request = Request::builder().method(method).uri(format!("{}{path}", self.endpoint));
        let request = match &self.authorization {
            Some(authorization) => request.header(AUTHORIZATION, authorization),
            None => request,
        };
        let request = request.header(USER_AGENT, &self.user_agent).header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::new(body));
        request.map_err(|error| Failure::NoAnswer(error.to_string()))
    }

    /// Makes a call, and makes it again as long as the service says that there are too many.
    async fn send<A>(
        &self,
        (cancellation, clock): Patience<'_>,
        request: Request<Full<Bytes>>,
    ) -> Result<A, Failure>
    where
        A: DeserializeOwned,
    {
        for _ in 1..ATTEMPTS {
            match self.attempt(cancellation, request.clone()).await? {
                Answer::Done(answer) => return Ok(answer),
                Answer::Later(pause) => tokio::select! {
                    biased;
                    () = cancellation.cancelled() => return Err(Failure::Stopped),
                    () = clock.sleep(pause) => {}
                },
            }
        }
        match self.attempt(cancellation, request).await? {
            Answer::Done(answer) => Ok(answer),
            Answer::Later(_) => Err(Failure::Refused(429, Problem::default())),
        }
    }

    async fn attempt<A: DeserializeOwned>(
        &self,
        cancellation: &Cancellation,
        request: Request<Full<Bytes>>,
    ) -> Result<Answer<A>, Failure> {
        let _turn = self.requests.enter(cancellation).await.map_err(|_| Failure::Stopped)?;
        let exchange = async {
            let response = self.http.request(request).await.map_err(|error| reason(&error))?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, LONGEST).collect().await.map_err(|error| reason(&*error))?;
            Ok((head, body.to_bytes()))
        };
        let answered = timeout(PATIENCE, exchange).await;
        let answered = answered.unwrap_or_else(|_| Err(format!("it took longer than {PATIENCE:?}")));
        let (head, body) = answered.map_err(Failure::NoAnswer)?;
        match head.status.as_u16() {
            200..300 => read(&body).map(Answer::Done),
            429 => Ok(Answer::Later(pause(&head.headers))),
            // Whatever stands between here and the service may fail in a form of its own.
            status => Err(Failure::Refused(status, serde_json::from_slice(&body).unwrap_or_default())),
        }
    }
}

enum Answer<A> {
    Done(A),
    /// The service did nothing, and asks for that pause.
    Later(Duration),
}

pub(super) fn patience<'a, P>(cx: &'a Context<'_, P>) -> Patience<'a> {
    (&cx.cancellation, &cx.clock)
}

/// A text as a part of a path or a query, whatever is in it.
pub(super) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn json(body: &impl Serialize) -> Result<Bytes, Failure> {
    serde_json::to_vec(body).map(Bytes::from).map_err(|error| Failure::NoAnswer(error.to_string()))
}

/// An empty answer says no more than that all is well.
fn read<A: DeserializeOwned>(body: &[u8]) -> Result<A, Failure> {
    let body = if body.is_empty() { b"null" } else { body };
    // The message of the parser may quote the answer, in which there may be a secret.
    let unreadable =
        |it: serde_json::Error| format!("line {}, column {} is unexpected", it.line(), it.column());
    serde_json::from_slice(body).map_err(|error| Failure::NoAnswer(unreadable(error)))
}

/// In seconds; the other form of the header, a date, is not what this service sends.
fn pause(headers: &HeaderMap) -> Duration {
    let seconds = headers.get(RETRY_AFTER).and_then(|it| it.to_str().ok()).and_then(|it| it.parse().ok());
    seconds.map_or(PAUSE, Duration::from_secs)
}

fn reason(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |it| it.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

impl Failure {
    /// Whether the service itself says that there is no such object. That something between here and there finds
    /// nothing says nothing about the object.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(404, problem) if problem.code == "not_found")
    }
}

/// In the words of the user; what the service says is never quoted, for it may hold values.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let (summary, detail, field) = match failure {
            Failure::Refused(status, problem) => {
                let (summary, detail) = refused(status, &problem.code);
                (summary, detail, problem.field)
            }
            Failure::NoAnswer(why) => (
                "No Answer From The Service",
                format!(
                    "The service was asked, and there is no answer that can be read ({why}). See whether it runs at the \
                     `endpoint` of the provider, then apply again."
                ),
                None,
            ),
            Failure::Stopped => (
                "Waiting Cancelled",
                "The operation was stopped before the service was ready for it.".to_owned(),
                None,
            ),
        };
        let error = Self::new(summary, detail);
        match field {
            Some(field) => error.at(Path::root().attribute(field)),
            None => error,
        }
    }
}

fn refused(status: u16, code: &str) -> (&'static str, String) {
    let (summary, detail) = match (status, code) {
        (401, _) => (
            "Token Not Accepted",
            "The service does not accept the `token` of the provider configuration: it has expired or was revoked. Use a new \
             one, best that of an ephemeral `api_token`.",
        ),
        (404, _) => {
            ("Object Not Found", "The service has no such object any more. Plan again to see what is left.")
        }
        (409, "name_taken") => (
            "Name Already Taken",
            "Another object has this name; upper and lower case do not matter. Import that object, or choose another \
             name. Where an object is to be replaced by a new one before it is destroyed, both are there for a \
             while: use `name_prefix`, so that the new one gets a name of its own.",
        ),
        (409, "in_use") => (
            "Object In Use",
            "Other objects need this one, so the service keeps it. Delete them first: they may be unknown to this \
             configuration.",
        ),
        (422, _) => (
            "Value Not Accepted",
            "The service does not take this value. Its documentation says which it takes.",
        ),
        (429, _) => (
            "Too Many Requests",
            "The service puts the request off again and again. Apply again later, with a lower `-parallelism`.",
        ),
        _ => {
            return (
                "Service Failed",
                format!("The service answered with status {status}. Apply again later."),
            );
        }
    };
    (summary, detail.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_url_without_a_path() {
        let check = |endpoint: &str, expect: bool| {
            assert_eq!(Client::new(endpoint, "test", Duration::ZERO).is_ok(), expect, "{endpoint}");
        };
        check("http://127.0.0.1:8480", true);
        check("http://example.com/", true);
        check("https://example.com", false);
        check("http://example.com/v1", false);
        check("http://example.com?v=1", false);
        check("example.com", false);
        check("", false);
    }

    #[test]
    fn a_pause_is_what_the_service_asks_for() {
        let check = |header: Option<&str>, expect: Duration| {
            let value = header.map(|it| it.parse().expect("a header"));
            let headers = value.map(|it| (RETRY_AFTER, it)).into_iter().collect();
            assert_eq!(pause(&headers), expect, "{header:?}");
        };
        check(Some("30"), Duration::from_secs(30));
        check(Some("0"), Duration::ZERO);
        check(Some("Sat, 21 Nov 2026 22:00:00 GMT"), PAUSE);
        check(None, PAUSE);
    }

    #[test]
    fn only_the_own_not_found_of_the_service_means_gone() {
        let check = |status: u16, code: &str, expect: bool| {
            let problem = Problem { code: code.to_owned(), field: None };
            assert_eq!(Failure::Refused(status, problem).is_not_found(), expect, "{status} {code}");
        };
        check(404, "not_found", true);
        check(404, "", false);
        check(500, "not_found", false);
        check(410, "", false);
        assert!(!Failure::NoAnswer(String::new()).is_not_found());
    }
}
