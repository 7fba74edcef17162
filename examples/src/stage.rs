//! What the steps of a tour are made of: a core with a provider and a configuration, and commands with the result that
//! they must have.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::mpsc;

use ferroform_testing::address::{InstanceAddress, ProviderAddress};
use ferroform_testing::case::{ChangeView, PlanView};
use ferroform_testing::client::{Client, Provider, Schemas};
use ferroform_testing::config::{Config, ResourceBlock};
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::embedded::{self, Core, Generation, PlanOptions};
use ferroform_testing::plan::{Action, Plan};
use ferroform_testing::state::State;

use crate::Page;

/// What comes of a step; the error is the first thing that is not as it should be.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Where a tour takes place. All methods fail with the first thing that is not as it should be.
pub struct Stage<'t> {
    /// What is shown.
    pub page: Page<'t>,
    /// What is configured.
    pub config: Config,
    /// What core has stored.
    pub state: State,
    core: Core,
    schemas: BTreeMap<ProviderAddress, Schemas>,
}

impl<'t> Stage<'t> {
    /// A core that has the provider of that source address, and nothing yet. Each command has a client of its own.
    ///
    /// # Errors
    /// It is no address, or the provider does not tell its schemas.
    pub async fn new(
        page: Page<'t>,
        address: &str,
        client: impl Fn() -> Client + Send + Sync + 'static,
    ) -> Result<Self> {
        let (core, schemas) = core_of(address, client).await?;
        Ok(Self { page, config: Config::new(), state: State::default(), core, schemas })
    }

    /// Goes on with another release of the provider.
    ///
    /// # Errors
    /// It does not tell its schemas.
    pub async fn install(
        &mut self,
        address: &str,
        client: impl Fn() -> Client + Send + Sync + 'static,
    ) -> Result {
        (self.core, self.schemas) = core_of(address, client).await?;
        Ok(())
    }

    /// Configures a resource, in the place of the one that has the same address.
    pub fn configure(&mut self, block: ResourceBlock) {
        self.config.resources.retain(|it| it.address != block.address);
        self.config.resources.push(block);
    }

    /// Plans, shows the plan, makes it, and plans again: then there must be nothing left to do.
    ///
    /// # Errors
    /// Something else is planned, or is left to do.
    pub async fn apply(&mut self, expect: &[(&str, Action)]) -> Result {
        let plan = self.plan(&PlanOptions::default()).await?;
        self.make(&plan, expect).await?;
        self.settled().await
    }

    /// Fails if there is something left to do.
    ///
    /// # Errors
    /// There is.
    pub async fn settled(&self) -> Result {
        let plan = self.plan(&PlanOptions::default()).await?;
        expected(&self.view(&plan)?, &[])
    }

    /// Destroys everything, of which nothing may remain.
    ///
    /// # Errors
    /// Something else is planned, or something remains.
    pub async fn destroy(&mut self, expect: &[&str]) -> Result {
        let plan = self.plan(&PlanOptions::destroy()).await?;
        let expect: Vec<_> = expect.iter().map(|address| (*address, Action::Delete)).collect();
        self.make(&plan, &expect).await?;
        if self.state.resources.is_empty() { Ok(()) } else { Err("the state still has objects".into()) }
    }

    /// Plans without errors.
    ///
    /// # Errors
    /// There are some.
    pub async fn plan(&self, options: &PlanOptions) -> Result<Plan> {
        let plan = self.core.plan(&self.config, &self.state, options).await;
        fine(&plan.diagnostics)?;
        Ok(plan)
    }

    /// Shows a plan, and makes it.
    ///
    /// # Errors
    /// Something else is planned, or it cannot be made.
    pub async fn make(&mut self, plan: &Plan, expect: &[(&str, Action)]) -> Result {
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
    ///
    /// # Errors
    /// It cannot be made.
    pub async fn apply_planned(&mut self, plan: &Plan) -> Result {
        let outcome = self.core.apply(plan).await;
        self.state = outcome.state;
        fine(&outcome.diagnostics)
    }

    /// Takes an object under management by its id.
    ///
    /// # Errors
    /// It cannot be imported.
    pub async fn import(&mut self, to: &str, id: &str) -> Result {
        let outcome = self.core.import(&self.config, &self.state, &to.parse()?, id).await;
        self.state = outcome.state;
        fine(&outcome.diagnostics)
    }

    /// Shows what a list finds, and changes nothing.
    ///
    /// # Errors
    /// It cannot be listed.
    pub async fn query(&mut self, list: ResourceBlock) -> Result {
        let config = self.config.clone().resource(list);
        let query = self.core.query(&config, &self.state, Generation::Off).await;
        fine(&query.diagnostics)?;
        for (list, found) in &query.found {
            self.page.lines(&format!("{list}: {} {}", found.display_name, found.identity))?;
        }
        Ok(())
    }

    /// Invokes an action of the configuration on its own, and shows what it reports.
    ///
    /// # Errors
    /// It cannot be invoked.
    pub async fn invoke(&mut self, action: &str) -> Result {
        let plan = self.plan(&PlanOptions::invoke(action.parse()?)).await?;
        let (sender, reported) = mpsc::channel();
        let core = self.core.clone().on_progress(move |progress| {
            if let embedded::Stage::Wrote(line) = &progress.stage {
                // Nobody waits for the rest once the tour has failed.
                let _ = sender.send(line.clone());
            }
        });
        let outcome = core.apply(&plan).await;
        self.state = outcome.state;
        for line in reported.try_iter() {
            self.page.lines(&format!("{action}: {line}"))?;
        }
        fine(&outcome.diagnostics)
    }

    /// Tries to apply a configuration, and shows the errors under those words.
    ///
    /// # Errors
    /// They cannot be shown.
    pub async fn refused(&mut self, words: &str, config: &Config) -> Result<Vec<Diagnostic>> {
        let plan = self.core.plan(config, &self.state, &PlanOptions::default()).await;
        let mut said = plan.diagnostics.clone();
        if !plan.errored {
            let outcome = self.core.apply(&plan).await;
            self.state = outcome.state;
            said.extend(outcome.diagnostics);
        }
        said.retain(Diagnostic::is_error);
        self.page.lines(words)?;
        for error in &said {
            self.page.lines(&format!("Error: {}", text(error)))?;
        }
        Ok(said)
    }

    /// A plan as it is shown.
    ///
    /// # Errors
    /// It does not fit the schemas.
    pub fn view(&self, plan: &Plan) -> Result<PlanView> {
        Ok(PlanView::new(plan.to_json(&self.schemas)?))
    }

    /// What is stored at an address, as JSON.
    ///
    /// # Errors
    /// Nothing is.
    pub fn stored(&self, state: &State, address: &str) -> Result<serde_json::Value> {
        let address: InstanceAddress = address.parse()?;
        let object = state.object(&address).ok_or_else(|| format!("{address} is not in the state"))?;
        match &object.attributes {
            ferroform_testing::state::Attributes::Json(json) => Ok(serde_json::from_slice(json)?),
            ferroform_testing::state::Attributes::Flat(_) => Err("the state is of another age".into()),
        }
    }

    /// The version and the identity that are stored at an address.
    ///
    /// # Errors
    /// Nothing is stored there.
    pub fn identity(&self, address: &str) -> Result<String> {
        let object =
            self.state.object(&address.parse()?).ok_or_else(|| format!("{address} is not in the state"))?;
        let identity: serde_json::Value = match &object.identity {
            Some(identity) => serde_json::from_slice(identity)?,
            None => serde_json::Value::Null,
        };
        Ok(format!("identity of version {}: {identity}", object.identity_schema_version))
    }
}

impl fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("page", &self.page).finish_non_exhaustive()
    }
}

/// A core with a provider, and its schemas. Each command has a client of its own.
async fn core_of(
    address: &str,
    client: impl Fn() -> Client + Send + Sync + 'static,
) -> Result<(Core, BTreeMap<ProviderAddress, Schemas>)> {
    let address: ProviderAddress = address.parse()?;
    let schemas = Provider::connect(client()).await?.schemas().clone();
    let launch = move || {
        let client = client();
        async { Ok(client) }
    };
    let core = Core::new().with_provider(address.type_name.clone(), address.clone(), launch);
    Ok((core, [(address, schemas)].into()))
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
