//! What is sent that transcripts show by its length only: private data and stored states.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{Calling, Transport};
use prost::Message;
use serde_json::{Value as Json, json};

/// What was sent so far. Clones are the same record.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentBytes(Arc<Mutex<Vec<Json>>>);

impl SentBytes {
    /// What was sent since the last time.
    pub(crate) fn take(&self) -> Vec<Json> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, path: &str, request: &Bytes) {
        let method = path.rsplit('/').next().unwrap_or_default();
        if let Some(fields) = fields(method, request) {
            let name = name_in(request).unwrap_or_default();
            let sent = json!({"method": method, "name": name, "fields": fields});
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
        }
    }
}

/// Notes what is sent on the way to a provider.
pub(crate) struct RecordingTransport<T> {
    inner: T,
    kept: SentBytes,
}

impl<T> RecordingTransport<T> {
    pub(crate) fn new(inner: T, kept: &SentBytes) -> Self {
        Self { inner, kept: kept.clone() }
    }
}

impl<T: Transport> Transport for RecordingTransport<T> {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        requests.iter().for_each(|request| self.kept.add(path, request));
        self.inner.call(path, requests)
    }
}

/// The type and the bytes of a request; `None` if it has none. In both protocols these have the same numbers.
fn fields(method: &str, request: &Bytes) -> Option<Json> {
    let raw = |raw: Option<proto::RawState>| {
        let raw = raw.unwrap_or_default();
        json!([shown(&raw.json), raw.flatmap])
    };
    Some(match method {
        "ReadResource" => {
            let it = proto::read_resource::Request::decode(request.clone()).ok()?;
            json!([it.type_name, shown(&it.private)])
        }
        "PlanResourceChange" => {
            let it = proto::plan_resource_change::Request::decode(request.clone()).ok()?;
            json!([it.type_name, shown(&it.prior_private), shown(&it.planned_private)])
        }
        "ApplyResourceChange" => {
            let it = proto::apply_resource_change::Request::decode(request.clone()).ok()?;
            json!([it.type_name, shown(&it.planned_private)])
        }
        "UpgradeResourceState" => {
            let it = proto::upgrade_resource_state::Request::decode(request.clone()).ok()?;
            json!([it.type_name, it.version, raw(it.raw_state)])
        }
        "UpgradeResourceIdentity" => {
            let it = proto::upgrade_resource_identity::Request::decode(request.clone()).ok()?;
            json!([it.type_name, it.version, raw(it.raw_identity)])
        }
        "MoveResourceState" => {
            let it = proto::move_resource_state::Request::decode(request.clone()).ok()?;
            let private = shown(&it.source_private);
            json!([it.target_type_name, raw(it.source_state), private, raw(it.source_identity)])
        }
        _ => return None,
    })
}

/// Bytes as what they are: JSON, text, or neither.
fn shown(bytes: &[u8]) -> Json {
    serde_json::from_slice(bytes)
        .or_else(|_| std::str::from_utf8(bytes).map(Json::from))
        .unwrap_or_else(|_| json!(bytes))
}

/// The name of the object that a request is about, by which objects of a type are told apart: a short text in
/// MessagePack.
fn name_in(request: &[u8]) -> Option<String> {
    let marks: [&[u8]; 2] = [b"\xa4name", b"\xa5label"];
    let after = |mark: &[u8]| {
        let at = request.windows(mark.len()).position(|window| window == mark)?;
        request.get(at + mark.len()..)
    };
    let (head, rest) = marks.into_iter().find_map(after)?.split_first()?;
    let length = head.checked_sub(0xa0).filter(|length| *length < 0x20)?;
    rest.get(..length.into()).map(|name| String::from_utf8_lossy(name).into_owned())
}
