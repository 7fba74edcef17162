//! The provider of the guide to testing: servers, which are files in the folder that the provider is told, and the
//! world in which its tests run.

use std::fs;
use std::path::PathBuf;

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{Context, Resource};
use ferroform_testing::case::Start;

/// Where the servers are.
#[derive(Model)]
pub(crate) struct Config {
    /// The folder of the servers.
    endpoint: String,
}

pub(crate) struct Cloud;

impl Provider for Cloud {
    type Config = Config;
    type Client = PathBuf;
    const NAME: &str = "cloud";

    async fn configure(_cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<PathBuf> {
        Ok(PathBuf::from(config.endpoint.known().at(path!(endpoint))?))
    }

    fn register(it: &mut Registry<PathBuf>) {
        it.resource::<Server>();
    }
}

/// A server.
#[derive(Model)]
struct Server {
    /// What the cloud calls it.
    #[attr(computed, identity)]
    id: String,
    /// What people call it.
    name: String,
    /// How large it is.
    size: u32,
    /// Whoever knows this may log in.
    #[attr(sensitive)]
    token: Option<String>,
}

impl Server {
    fn text(plan: &Planned<Self>) -> String {
        [plan.name.clone(), plan.size.to_string(), plan.token.clone().unwrap_or_default()].join("\n")
    }
}

impl Resource for Server {
    type Client = PathBuf;
    const NAME: &str = "server";

    async fn create(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let mut ids = (1..).map(|number| format!("i-{number}"));
        let id = ids.find(|id| !cx.client.join(id).exists()).unwrap_or_default();
        fs::write(cx.client.join(&id), Self::text(&plan))?;
        Ok(Self { id, name: plan.name, size: plan.size, token: plan.token })
    }

    async fn read(cx: &mut Context<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let file = cx.client.join(&prior.id);
        if !file.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(file)?;
        let mut parts = text.split('\n').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        let (name, size, token) = (part(), part(), Some(part()).filter(|token| !token.is_empty()));
        Ok(Some(Self { id: prior.id, name, size: size.parse()?, token }))
    }

    async fn update(cx: &mut Context<'_, Self>, prior: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        fs::write(cx.client.join(&prior.id), Self::text(&plan))?;
        Ok(Self { id: prior.id, name: plan.name, size: plan.size, token: plan.token })
    }

    async fn delete(cx: &mut Context<'_, Self>, prior: Prior<Self>) -> Result {
        let file = cx.client.join(&prior.id);
        if file.exists() { Ok(fs::remove_file(file)?) } else { Ok(()) }
    }
}

/// What a run works on: a folder of its own.
pub(crate) struct World {
    pub(crate) folder: PathBuf,
}

impl World {
    pub(crate) fn new(start: &Start) -> Self {
        Self { folder: start.directory().to_owned() }
    }

    /// The ids of the servers that are there.
    pub(crate) fn servers(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().display().to_string()).collect()
    }

    /// Removes all servers behind core's back.
    pub(crate) fn lose_all(&self) {
        for id in self.servers() {
            fs::remove_file(self.folder.join(id)).expect("the server was there");
        }
    }

    /// Changes the size of a server behind core's back.
    pub(crate) fn resize(&self, id: &str, size: u32) {
        let file = self.folder.join(id);
        let text = fs::read_to_string(&file).expect("the server is there");
        let mut parts: Vec<String> = text.split('\n').map(str::to_owned).collect();
        parts[1] = size.to_string();
        fs::write(file, parts.join("\n")).expect("the folder is there");
    }
}
