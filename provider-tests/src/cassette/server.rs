//! The server that stands for the service.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;

use super::redaction::{Redaction, SERVICE};
use super::replay::Replay;
use super::upstream::{Client, Service};
use super::{Problem, RawExchange};

/// A server in a thread of its own, until it is dropped.
pub(super) struct Server {
    pub(super) shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What requests are answered from.
pub(super) struct Shared {
    pub(super) file: PathBuf,
    pub(super) service: Service,
    /// Scheme and authority of the server.
    pub(super) local: String,
    pub(super) redaction: Redaction,
    pub(super) mode: Mode,
    /// Of requests without a response, in their order.
    pub(super) problems: Mutex<Vec<Problem>>,
}

pub(super) enum Mode {
    Replay(Mutex<Replay>),
    Record(Client, Mutex<Vec<RawExchange>>),
}

impl Server {
    pub(super) fn start(make: impl FnOnce(String) -> Shared) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let shared = Arc::new(make(format!("http://{}", listener.local_addr()?)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let serving = shared.clone();
        let work = async move {
            // Connections that a provider keeps open end with the runtime.
            tokio::select! {
                _ = stopped => {}
                () = serve(listener, serving) => {}
            }
        };
        let thread =
            thread::Builder::new().name("cassette".to_owned()).spawn(move || runtime.block_on(work))?;
        Ok(Self { shared, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().map(JoinHandle::join);
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    while let Ok((stream, _)) = listener.accept().await {
        let shared = shared.clone();
        let answer = service_fn(move |request| {
            let shared = shared.clone();
            async move { Ok::<_, Infallible>(shared.answer(request).await.map(Full::new)) }
        });
        // A client that goes away needs no response.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

impl Shared {
    async fn answer(&self, request: Request<Incoming>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        let answered = match body.collect().await {
            Err(error) => Err((StatusCode::BAD_REQUEST, format!("the request cannot be read: {error}"))),
            Ok(body) => {
                let request = Request::from_parts(head, body.to_bytes());
                match &self.mode {
                    Mode::Replay(replay) => self.replay(replay, &request),
                    Mode::Record(client, exchanges) => self.record((client, exchanges), request).await,
                }
            }
        };
        answered.unwrap_or_else(|(status, problem)| {
            lock(&self.problems).push((None, problem.clone()));
            let mut response = Response::new(problem.into());
            *response.status_mut() = status;
            response
        })
    }

    /// Clients that repeat failed requests do not repeat one that is not implemented.
    fn replay(&self, replay: &Mutex<Replay>, request: &Request<Bytes>) -> Result<Response<Bytes>, Failure> {
        let request = self.redaction.stored_request(request, &[&self.local]);
        let mut replay = lock(replay);
        let found = replay.answer(&request).map_err(|problem| (StatusCode::NOT_IMPLEMENTED, problem))?;
        let response = found.response.message(|text| text.replace(SERVICE, &self.local));
        response.map_err(|problem| (StatusCode::INTERNAL_SERVER_ERROR, problem))
    }

    async fn record(
        &self,
        (client, exchanges): (&Client, &Mutex<Vec<RawExchange>>),
        request: Request<Bytes>,
    ) -> Result<Response<Bytes>, Failure> {
        let (mut head, body) = request.into_parts();
        let (local, origin) = (self.local.as_str(), self.service.origin.as_str());
        head.headers = with(&head.headers, local, origin);
        let request = Request::from_parts(head, with_text(&body, local, origin));
        let called = self.redaction.stored_request(&request, &[origin, local]);
        let called = format!("{} {}", called.method, called.path);
        let response = client.send(request.clone()).await;
        let response =
            response.map_err(|problem| (StatusCode::BAD_GATEWAY, format!("`{called}`: {problem}")))?;
        lock(exchanges).push((request, response.clone()));
        let (mut head, body) = response.into_parts();
        head.headers = with(&head.headers, origin, local);
        // They are those of the connection to the service.
        for name in [http::header::CONNECTION, http::header::CONTENT_LENGTH, http::header::TRANSFER_ENCODING]
        {
            head.headers.remove(name);
        }
        head.version = http::Version::HTTP_11;
        Ok(Response::from_parts(head, with_text(&body, origin, local)))
    }
}

/// The status of the response, and the problem that the response and the report of the test have.
type Failure = (StatusCode, String);

/// Headers with another URL.
fn with(headers: &HeaderMap, from: &str, to: &str) -> HeaderMap {
    let changed = |value: &HeaderValue| {
        let text = value.to_str().ok().filter(|text| text.contains(from))?;
        HeaderValue::try_from(text.replace(from, to)).ok()
    };
    headers
        .iter()
        .map(|(name, value)| (name.clone(), changed(value).unwrap_or_else(|| value.clone())))
        .collect()
}

/// A body with another URL, if it is a text.
fn with_text(body: &Bytes, from: &str, to: &str) -> Bytes {
    match std::str::from_utf8(body) {
        Ok(text) if text.contains(from) => text.replace(from, to).into(),
        _ => body.clone(),
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.shared.local).finish_non_exhaustive()
    }
}
