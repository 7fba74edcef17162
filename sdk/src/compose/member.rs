//! A provider in a composition that is being served.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;

use crate::diag::Diagnostic;
use crate::plugin::Options;
use crate::plugin::grpc::{Code, Reply, Requests, Router, Status};
use crate::protocol::Rpc;
use crate::schema::Kind;
use crate::wire::composition;

/// What the user is told of a call that has no answer.
pub(super) type Explain = Box<dyn Fn(Rpc, &Status) -> Diagnostic + Send + Sync>;

/// A provider that answers calls.
pub(super) struct Member {
    pub(super) name: String,
    /// What it speaks, newest first.
    pub(super) routers: Vec<(u32, Arc<dyn Router>)>,
    pub(super) without: BTreeSet<(Kind, String)>,
    /// For a provider in another process; a status of one in this process is for core.
    pub(super) explain: Option<Explain>,
}

impl Member {
    pub(super) fn own(name: String, options: &Options, without: BTreeSet<(Kind, String)>) -> Self {
        let routers = [6, 5].into_iter().filter_map(|version| Some((version, options.router(version)?)));
        Self { name, routers: routers.collect(), without, explain: None }
    }

    /// What it speaks when the composition is served over that protocol: the same if it can.
    pub(super) fn speaks(&self, served: u32) -> Option<(u32, &dyn Router)> {
        let same = self.routers.iter().find(|(version, _)| *version == served);
        same.or(self.routers.first()).map(|(version, router)| (*version, &**router))
    }

    /// Calls it.
    pub(super) async fn call(&self, served: u32, rpc: Rpc, requests: Requests) -> Result<Reply, Status> {
        let call =
            self.speaks(served).and_then(|(version, router)| router.route(composition::path(version, rpc)?));
        match call {
            Some(call) => call.answer(requests).await,
            None => Err(Status::new(Code::Unimplemented, "the provider has no such method")),
        }
    }

    /// The one answer to a call that has one.
    pub(super) async fn ask(&self, served: u32, rpc: Rpc, requests: Requests) -> Result<Bytes, Status> {
        one(self.call(served, rpc, requests).await?)
    }

    /// What the user is told of a call that has no answer.
    pub(super) fn explained(&self, rpc: Rpc, status: &Status) -> Option<Diagnostic> {
        self.explain.as_ref().map(|explain| explain(rpc, status))
    }
}

/// The message of a call that has one answer.
pub(super) fn one(reply: Reply) -> Result<Bytes, Status> {
    match reply {
        Reply::One(message) => Ok(message.into_bytes()),
        Reply::Stream(_) => Err(Status::new(Code::Internal, "a stream came where one message is due")),
    }
}
