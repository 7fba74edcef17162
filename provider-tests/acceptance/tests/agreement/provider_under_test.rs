//! The providers of the scenarios.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ferroform::Serve;
use ferroform_acceptance::plain::Plain;
use ferroform_acceptance::probe::Probe;
use ferroform_acceptance::wrong::Switch;
use ferroform_examples::demo;
use ferroform_testing::client::{Client, InProcessTransport, Protocol};
use ferroform_testing::config::{Config, provider};
use ferroform_testing::real::ServedProvider;
use tempfile::TempDir;

use crate::provider::Called;
use crate::sent_bytes::{RecordingTransport, SentBytes};

/// The provider of a scenario.
#[derive(Clone)]
pub(crate) enum ProviderUnderTest {
    /// The one that is wrong on purpose, without the SDK's server.
    Wrong,
    /// One of the SDK, whose objects are files below a folder: the same one on both cores, one after the other.
    OfSdk(Name, Protocol, Arc<TempDir>),
}

/// A provider of the SDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Plain,
    Probe,
    Demo,
}

impl ProviderUnderTest {
    pub(crate) fn new(name: Name, protocol: Protocol) -> Self {
        Self::OfSdk(name, protocol, Arc::new(tempfile::tempdir().expect("a folder")))
    }

    /// Its address.
    pub(crate) fn source(&self) -> &'static str {
        match self {
            Self::Wrong => "registry.terraform.io/acme/wrong",
            Self::OfSdk(Name::Plain, ..) => "registry.terraform.io/ferroform/plain",
            Self::OfSdk(Name::Probe, ..) => "registry.terraform.io/ferroform/probe",
            Self::OfSdk(Name::Demo, ..) => "example.com/ferroform/demo",
        }
    }

    /// Its name in configurations.
    pub(crate) fn local_name(&self) -> &'static str {
        self.source().rsplit('/').next().unwrap_or_default()
    }

    /// The folder of its objects.
    pub(crate) fn root(&self) -> Option<&Path> {
        match self {
            Self::Wrong => None,
            Self::OfSdk(_, _, root) => Some(root.path()),
        }
    }

    /// The folder is as it was before anything was done.
    pub(crate) fn clear(&self) {
        let Some(root) = self.root() else { return };
        for entry in fs::read_dir(root).expect("a folder") {
            let path = entry.expect("an entry").path();
            let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            removed.expect("it is removed");
        }
    }

    /// A configuration that has the provider and nothing else.
    pub(crate) fn config(&self) -> Config {
        match self.root() {
            None => Config::new(),
            Some(root) => Config::new().provider(provider(self.local_name()).set("root", root)),
        }
    }

    /// A new instance of it, called in process.
    pub(crate) fn client(&self, switch: &Switch, kept: &SentBytes) -> Client {
        match self {
            Self::Wrong => Client::new(RecordingTransport::new(Called::new(switch), kept), Protocol::V6),
            Self::OfSdk(name, protocol, _) => {
                Client::new(RecordingTransport::new(name.direct(*protocol), kept), *protocol)
            }
        }
    }

    /// One instance of it, for a core to attach to.
    pub(crate) fn served(&self, switch: &Switch, kept: &SentBytes) -> ServedProvider {
        let served = match self {
            Self::Wrong => {
                let called = RecordingTransport::new(Called::new(switch), kept);
                ServedProvider::forward(self.source(), Protocol::V6, async move { Ok::<_, String>(called) })
            }
            Self::OfSdk(name, protocol, _) => {
                let called = RecordingTransport::new(name.direct(*protocol), kept);
                ServedProvider::forward(self.source(), *protocol, async move { Ok::<_, String>(called) })
            }
        };
        served.expect("it serves")
    }
}

impl Name {
    /// A new instance.
    fn direct(self, protocol: Protocol) -> InProcessTransport {
        let router = self.serve(protocol).options().router(protocol.number());
        InProcessTransport::new(router.expect("it speaks the protocol"))
    }

    fn serve(self, protocol: Protocol) -> Serve {
        match self {
            Self::Plain => Serve::new(Arc::new(Plain::default())),
            Self::Probe => Serve::new(Arc::new(Probe::new(protocol, None))),
            Self::Demo => Serve::new(demo::provider(protocol)),
        }
    }
}
