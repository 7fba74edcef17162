//! The provider of the guide to testing: servers, which are files in the folder that the provider is told, and the
//! backend in which its tests run.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ferroform::diag::{Result, ResultExt as _};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform_testing::case::Start;

/// Where the servers are.
#[derive(Model)]
pub(crate) struct Config {
    /// The folder of the servers; without it, one of the build directory.
    endpoint: Option<String>,
}

pub(crate) struct Cloud;

impl Provider for Cloud {
    type Config = Config;
    type Client = PathBuf;
    const NAME: &str = "cloud";

    async fn configure(_cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<PathBuf> {
        let folder =
            config.endpoint.known_or_null().at(path!(endpoint))?.map_or_else(build_directory, PathBuf::from);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn register(it: &mut Registry<PathBuf>) {
        it.resource::<Server>();
    }
}

/// The file of the first id that is free. Core creates several servers at once, so whoever makes the file has the id.
fn new_file(folder: &Path) -> io::Result<(String, File)> {
    let mut number = 1;
    loop {
        let id = format!("i-{number}");
        match File::create_new(folder.join(&id)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return made.map(|file| (id, file)),
        }
    }
}

fn build_directory() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cloud")
}

/// A server.
#[derive(Model)]
struct Server {
    /// What the cloud calls it.
    #[attr(computed, identity)]
    id: String,
    /// What people call it.
    #[attr(default = "server")]
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

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let (id, mut file) = new_file(&cx.client)?;
        file.write_all(Self::text(&plan).as_bytes())?;
        ServerPlanned { id: id.into(), ..plan }.into_model()
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
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

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        fs::write(cx.client.join(&prior.id), Self::text(&plan))?;
        plan.into_model()
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        let file = cx.client.join(&prior.id);
        if file.exists() { Ok(fs::remove_file(file)?) } else { Ok(()) }
    }
}

/// What a run works on: a folder of its own.
pub(crate) struct Backend {
    pub(crate) folder: PathBuf,
}

impl Backend {
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

    /// Deletes a server.
    pub(crate) fn delete(&self, id: &str) {
        fs::remove_file(self.folder.join(id)).expect("the server was there");
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
