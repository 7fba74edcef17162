//! Passes each call on to the provider that it is for, and joins what all of them answer.

use std::future::Future;
use std::sync::Arc;
use std::task::{Poll, ready};

use bytes::Bytes;

use super::directory::{self, Directory};
use super::member::{Member, one};
use super::together;
use crate::cancel::{Cancellation, Canceller};
use crate::diag::Diagnostic;
use crate::plugin::grpc::{self, Code, Message, MessageStream, Reply, Requests, Router, Status, polled};
use crate::protocol::{GetMetadataResponse, Rpc};
use crate::schema::Kind;
use crate::server::{cancelled, given_up, overdue};
use crate::wire::composition;

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
        let rpc = composition::procedure(self.version, path)?;
        let mux = self.clone();
        Some(match rpc {
            Rpc::GetMetadata => grpc::Call::unary(|_| async move { mux.metadata() }),
            Rpc::GetProviderSchema => grpc::Call::unary(|_| async move { mux.schemas().await }),
            _ => match rpc.kind() {
                Some(kind) => grpc::Call::new(move |requests| mux.pass(rpc, kind, requests)),
                None => grpc::Call::unary(move |request| mux.ask_all(rpc, request)),
            },
        })
    }
}

impl Mux {
    fn metadata(&self) -> Result<Message, Status> {
        let mut response = GetMetadataResponse::default();
        response.server_capabilities = self.directory.capabilities();
        response.names_by_kind = Kind::ALL.iter().map(|kind| (*kind, self.directory.names(*kind))).collect();
        composition::metadata(response, self.version)
    }

    async fn schemas(self) -> Result<Message, Status> {
        let mut offers = Vec::new();
        let mut failures = Vec::new();
        let offers_of = self.members.iter().map(|member| directory::offered(member, self.version));
        let asked = together(offers_of.collect()).await;
        for (member, offered) in self.members.iter().zip(asked) {
            match offered {
                Ok(offered) => offers.push(offered),
                Err(status) => {
                    offers.push(Default::default());
                    failures.push(member.explained(Rpc::GetProviderSchema, &status).ok_or(status)?);
                }
            }
        }
        let capabilities = self.directory.capabilities();
        let keep = |position, kind, name: &str| self.directory.owner(kind, name) == Some(position);
        Ok(composition::provider_schema(offers, capabilities, keep, failures))
    }

    /// A call that every provider gets, all at once: one that hangs or fails keeps it from no other.
    async fn ask_all(self, rpc: Rpc, request: Bytes) -> Result<Message, Status> {
        let stop = self.canceller.token();
        if rpc == Rpc::StopProvider {
            self.canceller.cancel_all();
        }
        let (mux, asked, stop) = (&self, &request, &stop);
        let answers = self.members.iter().map(|member| async move {
            let answer = member.ask(mux.version, rpc, Requests::from(asked.clone()));
            match unless_overdue(member, rpc, stop, answer).await {
                Ok(answer) => Ok(answer),
                // A provider that is older than the method has nothing to say.
                Err(Failure::Status(status)) if status.code() == Code::Unimplemented => Ok(Bytes::new()),
                Err(failure) => one(mux.failed(member, rpc, "", failure)?),
            }
        });
        let answers = together(answers.collect()).await.into_iter().collect::<Result<Vec<_>, Status>>()?;
        let kind = if rpc == Rpc::GetFunctions { Kind::Function } else { Kind::Resource };
        let keep = |position, name: &str| self.directory.owner(kind, name) == Some(position);
        composition::joined(rpc, (self.version, &request), &answers, keep)
            .map_err(|error| Status::new(Code::Internal, format!("the answer is no message: {error}")))
    }

    /// A call that is about a type or a function.
    async fn pass(self, rpc: Rpc, kind: Kind, mut requests: Requests) -> Result<Reply, Status> {
        let Some(first) = requests.next().await? else {
            return Err(Status::new(Code::InvalidArgument, "the call has no request message"));
        };
        let name = composition::subject(rpc, &first)?;
        let owner = self.directory.owner(kind, &name);
        let Some((owner, member)) = owner.and_then(|owner| Some((owner, self.members.get(owner)?))) else {
            return composition::failure(rpc, self.version, unknown(kind, &name));
        };
        if rpc == Rpc::PlanResourceChange
            && !self.directory.plans_deletes(owner)
            && let Some(planned) = composition::planned_delete(&first)
        {
            return Ok(Reply::One(planned));
        }
        let requests = match rpc {
            Rpc::WriteStateBytes => {
                let mut first = Some(first);
                Requests::new(polled(move |cx| match first.take() {
                    Some(first) => Poll::Ready(Some(Ok(first))),
                    None => requests.poll_next(cx),
                }))
            }
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
                Ok(Reply::Stream(self.guard((rpc, owner, name), stream, stop)))
            }
            Ok(reply) => Ok(reply),
            Err(failure) => self.failed(member, rpc, &name, failure),
        }
    }

    /// The events of a call to a provider in another process, whose failure is the last of them.
    fn guard(
        self,
        (rpc, owner, name): (Rpc, usize, String),
        mut stream: MessageStream,
        stop: Cancellation,
    ) -> MessageStream {
        // Completes when a cancelled call has had its time and the provider still sends no event.
        let mut overdue = Box::pin(async move { overdue(&stop).await });
        // Whether the stream may end. Core takes an action without a completion for one that has succeeded.
        let mut is_complete = rpc != Rpc::InvokeAction;
        let mut has_failed = false;
        polled(move |cx| {
            let failure = match stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Err(status))) if !has_failed => Failure::Status(status),
                Poll::Ready(None) if !has_failed && !is_complete => {
                    Failure::Status(Status::new(Code::Internal, "the action ended without a completion"))
                }
                Poll::Pending if !has_failed && !is_awaited(rpc) => {
                    ready!(overdue.as_mut().poll(cx));
                    Failure::Overdue
                }
                other => {
                    if let Poll::Ready(Some(Ok(event))) = &other {
                        is_complete = is_complete || composition::is_completion(event);
                    }
                    return other;
                }
            };
            has_failed = true;
            let Some(member) = self.members.get(owner) else { return Poll::Ready(None) };
            match self.failed(member, rpc, &name, failure)? {
                Reply::One(last) => Poll::Ready(Some(Ok(last))),
                Reply::Stream(last) => {
                    stream = last;
                    stream.as_mut().poll_next(cx)
                }
            }
        })
    }

    /// The answer of a provider that gave none to a call about the type or function with that name.
    fn failed(&self, member: &Member, rpc: Rpc, name: &str, failure: Failure) -> Result<Reply, Status> {
        let told = match failure {
            Failure::Overdue if rpc.may_change() => given_up(name),
            Failure::Overdue => cancelled(),
            Failure::Status(status) => member.explained(rpc, &status).ok_or(status)?,
        };
        composition::failure(rpc, self.version, told)
    }
}

/// Why there is no answer of a provider.
enum Failure {
    /// It was told to stop, goes on, and is not waited for.
    Overdue,
    /// It ended the call with this, whatever for.
    Status(Status),
}

/// Ends a call to another process that goes on after the user has asked to stop. Providers in this process do so by
/// themselves.
async fn unless_overdue<T>(
    member: &Member,
    rpc: Rpc,
    stop: &Cancellation,
    answer: impl Future<Output = Result<T, Status>>,
) -> Result<T, Failure> {
    if member.explain.is_none() || is_awaited(rpc) {
        return answer.await.map_err(Failure::Status);
    }
    tokio::select! {
        biased;
        answer = answer => answer.map_err(Failure::Status),
        () = overdue(stop) => Err(Failure::Overdue),
    }
}

/// Whether a call that goes on after the user has asked to stop is waited for. A write of a state is not, since the
/// provider that it hangs in keeps the old state or the new one.
fn is_awaited(rpc: Rpc) -> bool {
    rpc.may_change() && rpc.kind() != Some(Kind::StateStore)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::future::poll_fn;

    use super::*;
    use crate::protocol::EventStream;

    const PROGRESS: &[u8] = b"\x0a\x03\x0a\x01x";
    const COMPLETED: &[u8] = b"\x12\x00";

    /// The events that a composition sends when a program has sent these.
    async fn guarded(rpc: Rpc, events: &[&'static [u8]]) -> Vec<Bytes> {
        let explain = |_: Rpc, status: &Status| Diagnostic::error("Failed", status.to_string());
        let member = Member {
            name: "old".to_owned(),
            routers: Vec::new(),
            without: BTreeSet::new(),
            explain: Some(Box::new(explain)),
        };
        let mux = Mux::new(6, &Arc::new(vec![member]), &Arc::default(), &Canceller::default());
        let events: Vec<_> = events.iter().map(|event| Ok(Bytes::from_static(event).into())).collect();
        let stream = Box::pin(EventStream::of(events));
        let mut guarded = mux.guard((rpc, 0, "old_act".to_owned()), stream, Cancellation::never());
        let mut passed = Vec::new();
        while let Some(event) = poll_fn(|cx| guarded.as_mut().poll_next(cx)).await {
            passed.push(event.expect("an event").into_bytes());
        }
        passed
    }

    #[tokio::test]
    async fn action_without_a_completion_is_an_error() {
        assert_eq!(guarded(Rpc::InvokeAction, &[PROGRESS, COMPLETED]).await, [PROGRESS, COMPLETED]);
        for events in [&[][..], &[PROGRESS]] {
            let passed = guarded(Rpc::InvokeAction, events).await;
            let (last, before) = passed.split_last().expect("an event");
            assert_eq!(before, events);
            assert!(String::from_utf8_lossy(last).contains("without a completion"), "{last:?}");
        }
        assert_eq!(guarded(Rpc::ListResource, &[PROGRESS]).await, [PROGRESS]);
    }
}
