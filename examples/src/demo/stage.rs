//! What the steps of the tour are made of: a core with the provider and a configuration, and commands with the result
//! that they must have.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use ferroform::Protocol;
use ferroform_testing::address::{InstanceAddress, ProviderAddress};
use ferroform_testing::case::{ChangeView, PlanView};
use ferroform_testing::client::{Provider, Schemas};
use ferroform_testing::config::{Body, Config, ResourceBlock, body, list, object, reference, resource};
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::plan::{Action, Plan};
use ferroform_testing::state::State;

use super::Release;
use super::client::client_of;
use super::page::Page;

pub(super) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Where the tour takes place.
pub(super) struct Stage<'t> {
    pub(super) page: Page<'t>,
    /// The root of the provider.
    pub(super) root: &'t Path,
    pub(super) config: Config,
    pub(super) state: State,
    core: Core,
    protocol: Protocol,
    schemas: BTreeMap<ProviderAddress, Schemas>,
}

impl<'t> Stage<'t> {
    /// A core that has the provider, and nothing yet.
    pub(super) async fn new(page: Page<'t>, protocol: Protocol, root: &'t Path) -> Result<Self> {
        let (core, schemas) = core_of(Release::Current, protocol).await?;
        let config = Config::new().provider(ferroform_testing::config::provider("demo").set("root", root));
        Ok(Self { page, root, config, state: State::default(), core, protocol, schemas })
    }

    /// Goes on with a release of the provider.
    pub(super) async fn install(&mut self, release: Release) -> Result {
        (self.core, self.schemas) = core_of(release, self.protocol).await?;
        Ok(())
    }

    /// Configures a resource, in the place of the one that has the same address.
    pub(super) fn configure(&mut self, block: ResourceBlock) {
        self.config.resources.retain(|it| it.address != block.address);
        self.config.resources.push(block);
    }

    /// Plans, shows the plan, makes it, and plans again: then there must be nothing left to do.
    pub(super) async fn apply(&mut self, expect: &[(&str, Action)]) -> Result {
        let plan = self.plan(&PlanOptions::default()).await?;
        self.make(&plan, expect).await?;
        let again = self.plan(&PlanOptions::default()).await?;
        expected(&self.view(&again)?, &[])
    }

    /// Destroys everything, of which nothing may remain.
    pub(super) async fn destroy(&mut self, expect: &[&str]) -> Result {
        let plan = self.plan(&PlanOptions::destroy()).await?;
        let expect: Vec<_> = expect.iter().map(|address| (*address, Action::Delete)).collect();
        self.make(&plan, &expect).await?;
        if self.state.resources.is_empty() { Ok(()) } else { Err("the state still has objects".into()) }
    }

    /// Plans without errors.
    pub(super) async fn plan(&self, options: &PlanOptions) -> Result<Plan> {
        let plan = self.core.plan(&self.config, &self.state, options).await;
        fine(&plan.diagnostics)?;
        Ok(plan)
    }

    async fn make(&mut self, plan: &Plan, expect: &[(&str, Action)]) -> Result {
        let view = self.view(plan)?;
        for change in changed(&view) {
            let words = match change.previous_address() {
                Some(previous) => format!("moved from {previous}"),
                None => change.action().map(|it| it.to_string()).unwrap_or_default(),
            };
            self.page.change(&change, &words)?;
        }
        if view.changes().all(|change| !change.does_something()) {
            self.page.lines("no changes")?;
        }
        expected(&view, expect)?;
        self.apply_planned(plan).await
    }

    /// Makes a plan and keeps what came of it.
    pub(super) async fn apply_planned(&mut self, plan: &Plan) -> Result {
        let outcome = self.core.apply(plan).await;
        self.state = outcome.state;
        fine(&outcome.diagnostics)
    }

    /// Takes an object under management by its id.
    pub(super) async fn import(&mut self, to: &str, id: &str) -> Result {
        let outcome = self.core.import(&self.config, &self.state, &to.parse()?, id).await;
        self.state = outcome.state;
        fine(&outcome.diagnostics)
    }

    /// Tries to create what must be refused with an error at `name`.
    pub(super) async fn refused(&mut self, block: ResourceBlock, summary: &str) -> Result {
        let address = block.address.to_string();
        let config = self.config.clone().resource(block);
        let plan = self.core.plan(&config, &self.state, &PlanOptions::default()).await;
        let mut said = plan.diagnostics.clone();
        if !plan.errored {
            let outcome = self.core.apply(&plan).await;
            self.state = outcome.state;
            said.extend(outcome.diagnostics);
        }
        self.page.lines(&format!("{address}: refused"))?;
        for error in said.iter().filter(|it| it.is_error()) {
            self.page.lines(&format!("Error: {}", text(error)))?;
        }
        let expected = |it: &Diagnostic| {
            it.is_error() && it.summary == summary && it.path == Some(ferroform::path!(name))
        };
        match said.iter().any(expected) && !self.state.resources.contains_key(&address.parse()?) {
            true => Ok(()),
            false => Err(format!("{address} is not refused with {summary:?} at `name`").into()),
        }
    }

    /// A plan as it is shown.
    pub(super) fn view(&self, plan: &Plan) -> Result<PlanView> {
        Ok(PlanView::new(plan.to_json(&self.schemas)?))
    }

    /// What is stored at an address, as JSON.
    pub(super) fn stored(&self, state: &State, address: &str) -> Result<serde_json::Value> {
        let address: InstanceAddress = address.parse()?;
        let object = state.object(&address).ok_or_else(|| format!("{address} is not in the state"))?;
        match &object.attributes {
            ferroform_testing::state::Attributes::Json(json) => Ok(serde_json::from_slice(json)?),
            ferroform_testing::state::Attributes::Flat(_) => Err("the state is of another age".into()),
        }
    }

    /// The version and the identity that are stored at an address.
    pub(super) fn identity(&self, address: &str) -> Result<String> {
        let object =
            self.state.object(&address.parse()?).ok_or_else(|| format!("{address} is not in the state"))?;
        let identity: serde_json::Value = match &object.identity {
            Some(identity) => serde_json::from_slice(identity)?,
            None => serde_json::Value::Null,
        };
        Ok(format!("identity of version {}: {identity}", object.identity_schema_version))
    }

    /// A note in the directory of the tour, as a release wants it: its place, what it says, and who may read it.
    pub(super) fn note(&self, release: Release, name: &str) -> ResourceBlock {
        let note = resource("demo_note", name.trim_end_matches(".txt"));
        let place = ferroform_testing::template![reference("demo_directory.site.name"), "/", name];
        let (note, permissions) = match release {
            Release::Current => (
                note.set("name", place).set("lines", ["Bye!"]),
                vec![("owner", "rw-"), ("group", "r--"), ("others", "r--")],
            ),
            _ => (note.set("path", place).set("content", "Bye!\n"), vec![("mode", "0644")]),
        };
        match self.protocol {
            Protocol::V5 => {
                let block =
                    permissions.into_iter().fold(body(), |block, (name, value)| block.set(name, value));
                note.block("permissions", block)
            }
            Protocol::V6 => note.set("permissions", object(permissions)),
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

/// A core with a release of the provider, and its schemas.
async fn core_of(release: Release, protocol: Protocol) -> Result<(Core, BTreeMap<ProviderAddress, Schemas>)> {
    let address: ProviderAddress = super::ADDRESS.parse()?;
    let schemas = Provider::connect(client_of(release, protocol)).await?.schemas().clone();
    let launch = move || async move { Ok(client_of(release, protocol)) };
    Ok((Core::new().with_provider("demo", address.clone(), launch), [(address, schemas)].into()))
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

/// Fails if there is an error.
fn fine(diagnostics: &[Diagnostic]) -> Result {
    match diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => Err(text(error).into()),
        None => Ok(()),
    }
}

fn text(it: &Diagnostic) -> String {
    let path = it.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
    format!("{path}{}: {}", it.summary, it.detail)
}

fn changed(view: &PlanView) -> impl Iterator<Item = ChangeView<'_>> {
    view.changes().filter(|change| change.does_something())
}

/// Fails unless exactly these changes are planned.
fn expected(view: &PlanView, expect: &[(&str, Action)]) -> Result {
    for (address, action) in expect {
        let planned = view.change(address).and_then(|change| change.action()).unwrap_or(Action::NoOp);
        if planned != *action {
            return Err(format!("{address}: the plan should be to {action}, but it is to {planned}").into());
        }
    }
    match changed(view).find(|change| expect.iter().all(|(address, _)| *address != change.address())) {
        Some(change) => Err(format!("{}: there should be nothing to do", change.address()).into()),
        None => Ok(()),
    }
}
