//! The stage of this tour: a core with the provider, and the folder that it works on.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use ferroform::Protocol;
use ferroform_testing::config::{Body, Config, ResourceBlock, body, list, object, reference, resource};
use ferroform_testing::diagnostic::Diagnostic;

pub(super) use crate::stage::Result;
use crate::{Page, client};

/// Where the tour takes place.
pub(super) struct Stage<'t> {
    stage: crate::Stage<'t>,
    /// The root of the provider.
    pub(super) root: &'t Path,
    protocol: Protocol,
}

impl<'t> Stage<'t> {
    /// A core that has the provider, and nothing yet.
    pub(super) async fn new(page: Page<'t>, protocol: Protocol, root: &'t Path) -> Result<Self> {
        let client = move || client(super::provider(protocol), protocol);
        let mut stage = crate::Stage::new(page, super::ADDRESS, client).await?;
        stage.config = Config::new().provider(ferroform_testing::config::provider("demo").set("root", root));
        Ok(Self { stage, root, protocol })
    }

    /// Tries to create what must be refused with an error at `name`.
    pub(super) async fn refused(&mut self, block: ResourceBlock, summary: &str) -> Result {
        let address = block.address.to_string();
        let config = self.config.clone().resource(block);
        let said = self.stage.refused(&format!("{address}: refused"), &config).await?;
        let expected = |it: &Diagnostic| it.summary == summary && it.path == Some(ferroform::path!(name));
        match said.iter().any(expected) && !self.state.resources.contains_key(&address.parse()?) {
            true => Ok(()),
            false => Err(format!("{address} is not refused with {summary:?} at `name`").into()),
        }
    }

    /// Looks at a file itself, for the provider cannot be its own witness.
    pub(super) fn holds(&self, name: &str, part: &str) -> Result {
        match fs::read_to_string(self.root.join(name))?.contains(part) {
            true => Ok(()),
            false => Err(format!("the file {name} does not hold {part:?}").into()),
        }
    }

    pub(super) fn service(&self, port: u16) -> ResourceBlock {
        let service = resource("demo_service", "web")
            .set("name", "web")
            .set("port", u32::from(port))
            .set("tags", ["public", "http"])
            .set("labels", object([("team", "core")]))
            .set("token", reference("demo_token.api.value"));
        let hosts = ["a.example.com", "b.example.com"];
        match self.protocol {
            Protocol::V5 => {
                let endpoint = |block: ResourceBlock, host: &str| block.block("endpoints", host_of(host));
                hosts.into_iter().fold(service, endpoint).block("limits", body().set("memory", 512))
            }
            Protocol::V6 => service
                .set("endpoints", list(hosts.map(|host| object([("host", host)]))))
                .set("limits", object([("memory", 512)])),
        }
    }
}

impl<'t> Deref for Stage<'t> {
    type Target = crate::Stage<'t>;

    fn deref(&self) -> &Self::Target {
        &self.stage
    }
}

impl DerefMut for Stage<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.stage
    }
}

fn host_of(host: &str) -> Body {
    body().set("host", host)
}

/// A file in the directory of the tour.
pub(super) fn file(name: &str, content: &str) -> ResourceBlock {
    let name = ferroform_testing::template![reference("demo_directory.site.name"), "/", name];
    resource("demo_file", "page").set("name", name).set("content", content)
}

pub(super) fn token(keeper: &str) -> ResourceBlock {
    resource("demo_token", "api").set("length", 24).set("keepers", object([("rotated", keeper)]))
}
