//! The provider below a temporary root, with fixtures and states as JSON.

use std::fs;
use std::path::PathBuf;

use ferroform::Protocol;
use ferroform::diag::Diagnostics;
use ferroform::path::Path;
use ferroform::schema::Block;
use ferroform::value::Value;
use ferroform_examples::demo;
use ferroform_testing::case::{PlanView, differences};
use ferroform_testing::client::{Client, Provider, decode_config};
use ferroform_testing::config::{Body, Config, ResourceBlock, provider, resource};
use ferroform_testing::diagnostic::Diagnostic as Said;
use ferroform_testing::embedded::{Core, Outcome, PlanOptions};
use ferroform_testing::plan::{Action, Plan};
use ferroform_testing::state::{Attributes, State};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

pub(crate) struct Demo {
    pub(crate) root: TempDir,
    /// A provider that is configured, for what core does not show.
    pub(crate) provider: Provider,
    protocol: Protocol,
}

/// Runs a test over both protocols, each time with a provider of its own.
pub(crate) fn on_both(test: impl AsyncFn(Demo)) {
    for protocol in [Protocol::V5, Protocol::V6] {
        run(async {
            let root = tempfile::tempdir().unwrap();
            let provider =
                Provider::connect(Client::in_process(demo::provider(protocol), protocol)).await.unwrap();
            let config = json!({ "root": root.path() });
            let found =
                provider.configure(&written(&provider.schemas().provider.block, &config)).await.unwrap();
            assert_eq!(summaries(&found), [""; 0]);
            test(Demo { root, provider, protocol }).await;
        });
    }
}

pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

impl Demo {
    pub(crate) fn resource(&self, type_name: &str) -> Object {
        let protocol = self.protocol;
        let config = Config::new().provider(provider("demo").set("root", self.root.path()));
        Object::new(&self.provider, type_name, config, move || {
            Client::in_process(demo::provider(protocol), protocol)
        })
    }

    pub(crate) fn config(&self, type_name: &str, config: &Json) -> Value {
        written(&self.provider.resource(type_name).unwrap().block, config)
    }

    /// Creates an object that is known to be good.
    pub(crate) async fn made(&self, type_name: &str, config: &Json) -> Object {
        let mut object = self.resource(type_name);
        assert_eq!(object.apply(config).await.errors(), [""; 0], "{config}");
        object
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

/// One resource on the embedded core, and its state.
pub(crate) struct Object {
    core: Core,
    provider: Provider,
    config: Config,
    block: ResourceBlock,
    state: State,
}

/// What a command came to.
pub(crate) struct Done {
    pub(crate) plan: Plan,
    said: Vec<Said>,
}

impl Object {
    /// A resource without a state, at a provider with that configuration.
    pub(crate) fn new(
        provider: &Provider,
        type_name: &str,
        config: Config,
        client: impl Fn() -> Client + Send + Sync + 'static,
    ) -> Self {
        let local_name = type_name.split('_').next().unwrap();
        let address = format!("example.com/ferroform/{local_name}").parse().unwrap();
        let core = Core::new().with_provider(local_name, address, move || {
            let client = client();
            async { Ok(client) }
        });
        let block = resource(type_name, "this");
        Self { core, provider: provider.clone(), config, block, state: State::default() }
    }

    /// The same resource with an object of the current version, whose attributes are these.
    pub(crate) fn with_state(self, attributes: &Json) -> Self {
        let type_name = &self.block.address.type_name;
        let local_name = type_name.split('_').next().unwrap();
        let state = json!({
            "version": 4, "terraform_version": "1.15.5", "serial": 1, "lineage": "here", "outputs": {},
            "resources": [{
                "mode": "managed", "type": type_name, "name": "this",
                "provider": format!("provider[\"example.com/ferroform/{local_name}\"]"),
                "instances": [{ "schema_version": 0, "attributes": attributes }],
            }],
        });
        Self { state: State::from_bytes(state.to_string().as_bytes()).unwrap(), ..self }
    }

    pub(crate) async fn plan(&mut self, config: &Json) -> Done {
        self.plan_value(&value(config)).await
    }

    /// Plans a configuration that may be unknown in part.
    pub(crate) async fn plan_value(&mut self, written: &Value) -> Done {
        let block = &self.provider.resource(&self.block.address.type_name).unwrap().block;
        self.block.body = Body::of(block, &decode_config(block, written).unwrap());
        self.planned(&PlanOptions::default()).await
    }

    pub(crate) async fn plan_destroy(&self) -> Done {
        self.planned(&PlanOptions::destroy()).await
    }

    async fn planned(&self, options: &PlanOptions) -> Done {
        let config = self.config.clone().resource(self.block.clone());
        let plan = self.core.plan(&config, &self.state, options).await;
        Done { said: plan.diagnostics.clone(), plan }
    }

    pub(crate) async fn apply(&mut self, config: &Json) -> Done {
        let planned = self.plan(config).await;
        self.make(planned).await
    }

    pub(crate) async fn refresh(&mut self) -> Done {
        let planned = self.planned(&PlanOptions::refresh_only()).await;
        self.make(planned).await
    }

    pub(crate) async fn destroy(&mut self) -> Done {
        let planned = self.plan_destroy().await;
        self.make(planned).await
    }

    /// Makes what was planned, if that went well.
    pub(crate) async fn make(&mut self, mut planned: Done) -> Done {
        if !planned.plan.errored {
            let outcome = self.core.apply(&planned.plan).await;
            planned.said.extend(self.keep(outcome));
        }
        planned
    }

    /// Imports the object of an id; the errors.
    pub(crate) async fn import(&mut self, id: &str) -> Vec<String> {
        let config = self.config.clone().resource(self.block.clone());
        let address = self.block.address.clone().into();
        let outcome = self.core.import(&config, &self.state, &address, id).await;
        lines(&self.keep(outcome))
    }

    fn keep(&mut self, outcome: Outcome) -> Vec<Said> {
        self.state = outcome.state;
        outcome.diagnostics
    }

    /// What is in the state; null when there is no object.
    pub(crate) fn state(&self) -> Json {
        match self.state.object(&self.block.address.clone().into()).map(|object| &object.attributes) {
            Some(Attributes::Json(json)) => serde_json::from_slice(json).unwrap(),
            Some(Attributes::Flat(_)) | None => Json::Null,
        }
    }

    /// A plan as people see it.
    pub(crate) fn view(&self, done: &Done) -> PlanView {
        let address = &done.plan.changes[0].provider.provider;
        let schemas = [(address.clone(), self.provider.schemas().clone())].into();
        PlanView::new(done.plan.to_json(&schemas).unwrap())
    }

    /// The paths that a plan changes.
    pub(crate) fn changed(&self, done: &Done) -> Vec<String> {
        let view = self.view(done);
        let change = view.changes().next().unwrap();
        differences(change.before(), change.after()).into_iter().map(|it| it.path).collect()
    }
}

impl Done {
    pub(crate) fn action(&self) -> Action {
        self.plan.changes.first().map_or(Action::NoOp, |change| change.action)
    }

    /// What was said, each as path and summary. Core has nothing to hold against the provider.
    pub(crate) fn errors(&self) -> Vec<String> {
        lines(&self.said)
    }

    /// What was said, in full.
    pub(crate) fn text(&self) -> String {
        format!("{:?}", self.said)
    }
}

fn lines(said: &[Said]) -> Vec<String> {
    said.iter().map(|it| line(it.path.as_ref(), &it.summary)).collect()
}

fn line(path: Option<&Path>, summary: &str) -> String {
    path.map(|path| format!("{path}: ")).unwrap_or_default() + summary
}

/// What is written in a configuration, as core decodes it.
pub(crate) fn written(block: &Block, config: &Json) -> Value {
    decode_config(block, &value(config)).unwrap()
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(it) => Value::from(*it),
        Json::Number(it) => Value::from(it.as_i64().unwrap()),
        Json::String(it) => Value::string(it.as_str()),
        Json::Array(elements) => Value::list(elements.iter().map(value)),
        Json::Object(members) => Value::object(members.iter().map(|(name, it)| (name.as_str(), value(it)))),
    }
}

pub(crate) fn summaries(found: &Diagnostics) -> Vec<String> {
    found.iter().map(|it| line(it.path.as_ref(), &it.summary)).collect()
}
