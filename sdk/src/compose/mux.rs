//! Passes each call on to the provider that it is for, and joins what all of them answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;

use super::directory::{self, Directory};
use super::member::{Member, one};
use crate::cancel::{Cancellation, Canceller};
use crate::diag::Diagnostic;
use crate::plugin::grpc::{self, Code, Message, MessageStream, Reply, Requests, Router, Status};
use crate::protocol::{GetMetadataResponse, Rpc};
use crate::schema::Kind;
use crate::server::overdue;
use crate::wire::composed;

/// Serves a composition over one protocol.
#[derive(Clone)]
pub(super) struct Mux {
    version: u32,
    members: Arc<Vec<Member>>,
    directory: Arc<Directory>,
    canceller: Canceller,
}

impl Mux {
    pub(super) fn new(
        version: u32,
        members: &Arc<Vec<Member>>,
        directory: &Arc<Directory>,
        canceller: &Canceller,
    ) -> Self {
        let (members, directory) = (Arc::clone(members), Arc::clone(directory));
        Self { version, members, directory, canceller: canceller.clone() }
    }
}

impl Router for Mux {
    fn route(&self, path: &str) -> Option<grpc::Call> {
        let rpc = composed::procedure(self.version, path)?;
        let mux = self.clone();
        Some(match rpc {
            Rpc::GetMetadata => grpc::Call::unary(|_| async move { mux.metadata() }),
            Rpc::GetProviderSchema => grpc::Call::unary(|_| async move { mux.schemas().await }),
            _ => match composed::kind(rpc) {
                Some(kind) => grpc::Call::new(move |requests| mux.pass(rpc, kind, requests)),
                None => grpc::Call::unary(move |request| mux.ask_all(rpc, request)),
            },
        })
    }
}

impl Mux {
    fn metadata(&self) -> Result<Message, Status> {
        let names = |kind| self.directory.names(kind);
        let response = GetMetadataResponse {
            server_capabilities: self.directory.capabilities(),
            diagnostics: Default::default(),
            resources: names(Kind::Resource),
            data_sources: names(Kind::DataSource),
            ephemeral_resources: names(Kind::EphemeralResource),
            list_resources: names(Kind::ListResource),
            state_stores: names(Kind::StateStore),
            actions: names(Kind::Action),
            functions: names(Kind::Function),
        };
        composed::metadata(response, self.version)
    }

    async fn schemas(self) -> Result<Message, Status> {
        let mut offers = Vec::new();
        let mut failures = Vec::new();
        for member in self.members.iter() {
            match directory::offered(member, self.version).await {
                Ok(offered) => offers.push(offered),
                Err(status) => {
                    offers.push(Default::default());
                    failures.push(member.explained(Rpc::GetProviderSchema, &status).ok_or(status)?);
                }
            }
        }
        let capabilities = self.directory.capabilities();
        let keep = |position, kind, name: &str| self.directory.owner(kind, name) == Some(position);
        Ok(composed::provider_schema(offers, capabilities, keep, failures))
    }

    /// A call that every provider gets, one after the other.
    async fn ask_all(self, rpc: Rpc, request: Bytes) -> Result<Message, Status> {
        let stop = self.canceller.token();
        if rpc == Rpc::StopProvider {
            self.canceller.cancel_all();
        }
        let mut answers = Vec::new();
        for member in self.members.iter() {
            let answer = member.ask(self.version, rpc, Requests::from(request.clone()));
            let answer = unless_overdue(member, rpc, &stop, answer).await;
            answers.push(match answer {
                Ok(answer) => answer,
                // A provider that is older than the method has nothing to say.
                Err(status) if status.code() == Code::Unimplemented => Bytes::new(),
                Err(status) => one(self.failed(member, rpc, status)?)?,
            });
        }
        let kind = if rpc == Rpc::GetFunctions { Kind::Function } else { Kind::Resource };
        let keep = |position, name: &str| self.directory.owner(kind, name) == Some(position);
        composed::joined(rpc, (self.version, &request), &answers, keep)
            .map_err(|error| Status::new(Code::Internal, format!("the answer is no message: {error}")))
    }

    /// A call that is about a type or a function.
    async fn pass(self, rpc: Rpc, kind: Kind, mut requests: Requests) -> Result<Reply, Status> {
        let Some(first) = requests.next().await? else {
            return Err(Status::new(Code::InvalidArgument, "the call has no request message"));
        };
        let name = composed::subject(rpc, &first)?;
        let Some(owner) = self.directory.owner(kind, &name) else {
            return composed::failure(rpc, self.version, unknown(kind, &name));
        };
        if rpc == Rpc::PlanResourceChange
            && !self.directory.plans_deletes(owner)
            && let Some(planned) = composed::planned_delete(&first)
        {
            return Ok(Reply::One(planned));
        }
        let Some(member) = self.members.get(owner) else {
            return composed::failure(rpc, self.version, unknown(kind, &name));
        };
        let requests = match rpc {
            Rpc::WriteStateBytes => Requests::new(Resumed { first: Some(first), rest: requests }),
            // The provider would wait for the end of the stream once more.
            _ => match requests.next().await? {
                None => Requests::from(first),
                Some(_) => return Err(Status::new(Code::InvalidArgument, "the call has a second request")),
            },
        };
        let stop = self.canceller.token();
        let answer = member.call(self.version, rpc, requests);
        match unless_overdue(member, rpc, &stop, answer).await {
            Ok(Reply::Stream(stream)) if member.explain.is_some() => {
                let overdue = Box::pin(async move { overdue(&stop).await });
                let mux = self.clone();
                let guarded = Guarded { mux, owner, rpc, stream, overdue, has_failed: false };
                Ok(Reply::Stream(Box::pin(guarded)))
            }
            Ok(reply) => Ok(reply),
            Err(status) => self.failed(member, rpc, status),
        }
    }

    /// The answer of a provider that gave none.
    fn failed(&self, member: &Member, rpc: Rpc, status: Status) -> Result<Reply, Status> {
        match member.explained(rpc, &status) {
            Some(diagnostic) => composed::failure(rpc, self.version, diagnostic),
            None => Err(status),
        }
    }
}

/// Ends a call to another process that goes on after the user has asked to stop. Providers in this process do so by
/// themselves.
async fn unless_overdue<T>(
    member: &Member,
    rpc: Rpc,
    stop: &Cancellation,
    answer: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    if member.explain.is_none() || changes(rpc) {
        return answer.await;
    }
    tokio::select! {
        biased;
        answer = answer => answer,
        () = overdue(stop) => Err(given_up()),
    }
}

fn given_up() -> Status {
    Status::new(Code::Cancelled, "the provider was told to stop and goes on")
}

/// Whether a call may leave something behind that only its answer tells of.
const fn changes(rpc: Rpc) -> bool {
    matches!(
        rpc,
        Rpc::ApplyResourceChange
            | Rpc::InvokeAction
            | Rpc::OpenEphemeralResource
            | Rpc::RenewEphemeralResource
            | Rpc::CloseEphemeralResource
    )
}

fn unknown(kind: Kind, name: &str) -> Diagnostic {
    let summary = if kind == Kind::Function { "Unknown Function" } else { "Unknown Type" };
    Diagnostic::error(
        summary,
        format!(
            "None of the providers that are served together has the {kind} `{name}`. Check the spelling; if the \
             documentation has it, another version of the provider is needed."
        ),
    )
}

/// The requests of a call whose first was read already.
struct Resumed {
    first: Option<Bytes>,
    rest: Requests,
}

impl Stream for Resumed {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.first.take() {
            Some(first) => Poll::Ready(Some(Ok(first))),
            None => self.rest.poll_next(cx),
        }
    }
}

/// The events of a provider in another process, whose failure is the last of them.
struct Guarded {
    mux: Mux,
    owner: usize,
    rpc: Rpc,
    stream: MessageStream,
    /// Completes when the user waits in vain for the next event.
    overdue: Pin<Box<dyn Future<Output = ()> + Send>>,
    has_failed: bool,
}

impl Stream for Guarded {
    type Item = Result<Message, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let status = match self.stream.as_mut().poll_next(cx) {
            Poll::Ready(Some(Err(status))) => status,
            Poll::Pending if !self.has_failed && !changes(self.rpc) => {
                ready!(self.overdue.as_mut().poll(cx));
                given_up()
            }
            other => return other,
        };
        if !std::mem::replace(&mut self.has_failed, true)
            && let Some(member) = self.mux.members.get(self.owner)
            && let Reply::Stream(last) = self.mux.failed(member, self.rpc, status.clone())?
        {
            self.stream = last;
            return self.stream.as_mut().poll_next(cx);
        }
        Poll::Ready(Some(Err(status)))
    }
}
