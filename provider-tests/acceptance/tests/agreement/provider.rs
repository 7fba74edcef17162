//! The provider, called in process.

use std::sync::Arc;

use bytes::Bytes;
use ferroform::cancel::Canceller;
use ferroform_acceptance::wrong::{Switch, Wrong};
use ferroform_proto::tfplugin6::apply_resource_change::Response;
use ferroform_server::protocol::HandlerService;
use ferroform_server::wire;
use ferroform_testing::client::{Calling, InProcessTransport, Responses, Transport};
use prost::Message;

/// Calls the provider of a switch.
pub(crate) struct Called {
    direct: InProcessTransport,
    switch: Switch,
}

impl Called {
    pub(crate) fn new(switch: &Switch) -> Self {
        let handler = HandlerService::new(Arc::new(Wrong::new(switch.clone())));
        let direct = InProcessTransport::new(wire::Protocol6::new(handler, Canceller::default()));
        Self { direct, switch: switch.clone() }
    }
}

impl Transport for Called {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let legacy = self.switch.is_legacy() && path.ends_with("/ApplyResourceChange");
        let change = self.switch.change_of_bytes(path.rsplit('/').next().unwrap_or_default());
        let calling = self.direct.call(path, requests);
        if let Some(change) = change {
            return Box::pin(async move {
                let (mut responses, mut changed) = (calling.await?, Vec::new());
                while let Some(message) = responses.next().await? {
                    changed.push(Ok(Bytes::from(change(&message))));
                }
                Ok(Responses::from_iter(changed))
            });
        }
        if !legacy {
            return calling;
        }
        Box::pin(async move {
            // Encoded messages that are put together are one message with the fields of both.
            let mark = Response { legacy_type_system: true, ..Response::default() }.encode_to_vec();
            let answer = calling.await?.one().await?;
            Ok(Responses::from(Bytes::from([answer.as_ref(), &mark].concat())))
        })
    }
}
