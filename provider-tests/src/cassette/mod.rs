//! Recorded HTTP exchanges, for tests of a provider without its service.
//!
//! A *cassette* is a file of the requests that a provider sent and of the responses of the service. A test starts a server for
//! it, and the provider has that server as its endpoint, so its client stays as it is. With `FERROFORM_RECORD` set, the
//! server passes each request on to the service and records both messages. Otherwise it replays them, without a network.
//!
//! ```no_run
//! # use ferroform::provider::{Context, Provider as _, Registry};
//! # use ferroform::{diag::Result, model::Draft};
//! use ferroform_testing::cassette::{Cassette, CassetteServer};
//! use ferroform_testing::prelude::*;
//!
//! # struct Cloud;
//! # #[derive(ferroform::model::Model)]
//! # struct CloudConfig {}
//! # impl ferroform::provider::Provider for Cloud {
//! #     type Config = CloudConfig;
//! #     type Client = ();
//! #     const NAME: &str = "cloud";
//! #     async fn configure(_: &mut Context<'_>, _: Draft<CloudConfig>) -> Result<()> { Ok(()) }
//! #     fn register(_: &mut Registry<()>) {}
//! # }
//! fn service(_start: &Start) -> CassetteServer {
//!     let cassette = Cassette::new("tests/cassettes/server.jsonl", "https://api.cloud.example");
//!     cassette.redact_member("password").start().expect("the cassette")
//! }
//!
//! let case = Case::with_backend("server", service)
//!     .provider(Provider::of::<Cloud>("acme/cloud"))
//!     .provider_config(|service| provider("cloud").set("endpoint", service.url()))
//!     .cassette(|service| service)
//!     .step(Step::apply(r#"resource "cloud_server" "web" { size = 1 }"#));
//! case.check();
//! ```
//!
//! # The file
//!
//! Each line is an exchange as JSON, in the order of the responses. A body is `json`, `text` or `base64`. `{service}` stands for
//! the scheme and the authority of the service, in links for example.
//!
//! ```json
//! {"request":{"method":"GET","path":"/servers/1"},"response":{"status":200,"body":{"json":{"id":1}}}}
//! ```
//!
//! # Matching
//!
//! A request matches a recorded one with the same method, path, query and body; in JSON the order of members does not
//! matter, and headers never do. Equal requests get the recorded responses in their order. A *write* (any method but
//! `GET`, `HEAD` and `OPTIONS`) gets each of them once. A *read* gets
//!
//! - the next one that was recorded after the same writes to its path, to a path above it and to a path below it;
//! - without such a one, the last one again. So it does not matter how often a core reads.
//!
//! # Redaction
//!
//! Request headers are not recorded, and neither is `Set-Cookie`. Members of JSON bodies, fields of forms and parameters of
//! queries are redacted by their name, response headers by theirs ([`Cassette::redact_member`], [`Cassette::redact_header`]).
//! A body in which members cannot be found, because it is compressed or no single JSON value, is redacted as a whole.
//! A redacted text of at least six characters, and a credential in the headers of a request, are redacted wherever
//! else they occur. This is done before anything is written.

mod exchange;
mod redaction;
mod replay;
mod server;
mod upstream;

use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::{fs, io};

use exchange::Exchange;
use redaction::Redaction;
use replay::Replay;
use server::{Mode, Server, Shared};
use upstream::Service;

use crate::files::replace;

/// A file of recorded exchanges with a service.
#[derive(Clone)]
#[must_use]
pub struct Cassette {
    path: PathBuf,
    service: String,
    redaction: Redaction,
}

/// What stands for a redacted text.
pub const REDACTED: &str = "redacted";

/// The variable that makes tests record.
const RECORD: &str = "FERROFORM_RECORD";

impl Cassette {
    /// The cassette in a file, with exchanges of the service at a URL, such as `https://api.cloud.example` or
    /// `https://cloud.example/api`. The service is called for a recording only.
    pub fn new(path: impl Into<PathBuf>, service: impl Into<String>) -> Self {
        Self { path: path.into(), service: service.into(), redaction: Redaction::default() }
    }

    /// Redacts the values of all members of JSON bodies, fields of forms and parameters of queries with that name. A text
    /// becomes [`REDACTED`], a number 0, a boolean `false`, and a collection has the same shape.
    pub fn redact_member(mut self, name: impl Into<String>) -> Self {
        self.redaction.members.insert(name.into());
        self
    }

    /// Leaves out a header of responses. In requests, where no header is recorded, it is a credential.
    pub fn redact_header(mut self, name: &str) -> Self {
        self.redaction.headers.insert(name.to_ascii_lowercase());
        self
    }

    /// Redacts a text wherever it occurs, such as an account that is part of each path. An empty text redacts nothing.
    pub fn redact_text(mut self, text: impl Into<String>) -> Self {
        self.redaction.texts.insert(text.into());
        self
    }

    /// Starts a server that replays the cassette, or records it if `FERROFORM_RECORD` is set.
    ///
    /// # Errors
    /// See [`record`](Self::record) and [`replay`](Self::replay).
    pub fn start(self) -> Result<CassetteServer, CassetteError> {
        if Self::is_recording() { self.record() } else { self.replay() }
    }

    /// Starts a server that passes requests on to the service and records the exchanges.
    ///
    /// # Errors
    /// The URL of the service is none, the system has no root certificates for `https`, or there is no free port.
    ///
    /// # Examples
    ///
    /// ```
    /// use ferroform_testing::cassette::Cassette;
    ///
    /// let recorder = Cassette::new("tests/cassettes/servers.jsonl", "http://127.0.0.1:8480").record()?;
    /// assert!(recorder.url().starts_with("http://127.0.0.1:"));
    /// # Ok::<(), ferroform_testing::cassette::CassetteError>(())
    /// ```
    pub fn record(self) -> Result<CassetteServer, CassetteError> {
        let client = upstream::Client::new(&self.service()?).map_err(|problem| self.error(None, problem))?;
        self.serve(Mode::Record(client, Mutex::default()))
    }

    /// Starts a server that replays the recorded exchanges.
    ///
    /// # Errors
    /// The file is missing or has a line that is no exchange, the URL of the service is none, or there is no free port.
    ///
    /// # Examples
    ///
    /// ```
    /// use ferroform_testing::cassette::Cassette;
    ///
    /// let error = Cassette::new("tests/no.jsonl", "https://api.cloud.example").replay().expect_err("no file");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "tests/no.jsonl: there is no such cassette; run the test with FERROFORM_RECORD=1 to record it"
    /// );
    /// ```
    pub fn replay(self) -> Result<CassetteServer, CassetteError> {
        let text = fs::read_to_string(&self.path).map_err(|error| {
            let problem = match error.kind() {
                io::ErrorKind::NotFound => {
                    format!("there is no such cassette; run the test with {RECORD}=1 to record it")
                }
                _ => format!("the cassette cannot be read: {error}"),
            };
            self.error(None, problem)
        })?;
        let exchanges = Exchange::parse(&text).map_err(|(line, problem)| self.error(Some(line), problem))?;
        self.serve(Mode::Replay(Mutex::new(Replay::new(exchanges))))
    }

    /// Whether tests record. A test may need credentials of the service then:
    ///
    /// ```
    /// use ferroform_testing::case::Case;
    /// use ferroform_testing::cassette::{Cassette, REDACTED};
    ///
    /// let token = std::env::var("CLOUD_TOKEN").unwrap_or(REDACTED.to_owned());
    /// let lacks_token = move || Cassette::is_recording() && token == REDACTED;
    /// let case = Case::new("server").skip_if(move || lacks_token().then(|| "CLOUD_TOKEN is not set".to_owned()));
    /// # drop(case);
    /// ```
    #[must_use]
    pub fn is_recording() -> bool {
        std::env::var_os(RECORD).is_some()
    }

    fn service(&self) -> Result<Service, CassetteError> {
        Service::parse(&self.service).map_err(|problem| self.error(None, problem))
    }

    fn serve(self, mode: Mode) -> Result<CassetteServer, CassetteError> {
        let service = self.service()?;
        let path = service.path.clone();
        let Self { path: file, redaction, .. } = self.clone();
        let problems = Mutex::default();
        let make = |local: String| Shared { file, service, local, redaction, mode, problems };
        let started = Server::start(make);
        let server = started
            .map_err(|problem| self.error(None, format!("its server cannot be started: {problem}")))?;
        Ok(CassetteServer { url: format!("{}{path}", server.shared.local), server })
    }

    fn error(&self, line: Option<usize>, problem: String) -> CassetteError {
        CassetteError { path: self.path.clone(), problems: vec![(line, problem)] }
    }
}

/// The server of a cassette, until it is dropped: it has a port of its own, and knows what was replayed.
#[derive(Debug)]
pub struct CassetteServer {
    url: String,
    server: Server,
}

impl CassetteServer {
    /// The URL that stands for the service, such as `http://127.0.0.1:41235`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends a recording by writing the file, or reports what was not as recorded. A [`Case`](crate::case::Case) does this with
    /// its [`cassette`](crate::case::Case::cassette).
    ///
    /// # Errors
    /// A request was not recorded; a recorded write, or a recorded read in any number, was not sent, so the cassette is stale;
    /// the service could not be called; the file cannot be written.
    pub fn finish(&self) -> Result<(), CassetteError> {
        self.end(Outcome::Passed)
    }

    /// Ends a recording or a replay of a test with that outcome.
    pub(crate) fn end(&self, outcome: Outcome) -> Result<(), CassetteError> {
        let Shared { file, service, local, redaction, mode, problems } = &*self.server.shared;
        let mut problems = server::lock(problems).clone();
        match mode {
            Mode::Replay(replay) if outcome == Outcome::Passed => {
                problems.extend(server::lock(replay).stale())
            }
            Mode::Record(_, exchanges) if outcome == Outcome::Passed && problems.is_empty() => {
                let hosts = [service.origin.as_str(), local.as_str()];
                let text = redaction.text(&server::lock(exchanges), &hosts);
                if let Err(error) = replace(file, &text) {
                    problems.push((None, format!("the cassette cannot be written: {error}")));
                }
            }
            _ => {}
        }
        if problems.is_empty() { Ok(()) } else { Err(CassetteError { path: file.clone(), problems }) }
    }
}

/// The outcome of the test that has a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// Recorded exchanges may be left over, and what was recorded is no example.
    Failed,
}

/// Why a cassette could not be recorded or replayed.
pub struct CassetteError {
    path: PathBuf,
    problems: Vec<Problem>,
}

/// A problem, with the number of its line if it is about one.
type Problem = (Option<usize>, String);

/// A line for each problem, with the file and the line in it.
impl fmt::Display for CassetteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        self.problems.iter().enumerate().try_for_each(|(at, (line, problem))| {
            let separator = if at == 0 { "" } else { "\n" };
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            write!(f, "{separator}{path}{line}: {problem}")
        })
    }
}

/// As for people, since a test has it in its `expect`.
impl fmt::Debug for CassetteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for CassetteError {}

/// Without the texts that are redacted.
impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cassette")
            .field("path", &self.path)
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

/// An exchange with whole bodies.
pub(crate) type RawExchange = (http::Request<bytes::Bytes>, http::Response<bytes::Bytes>);

#[cfg(test)]
mod tests;
