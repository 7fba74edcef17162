//! The provider below a temporary root, with fixtures and states as JSON.

use std::fs;
use std::path::PathBuf;

use ferroform::Protocol;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::schema::Block;
use ferroform::value::Value;
use ferroform_examples::{client, demo};
use ferroform_testing::client::{Provider, complete};
use ferroform_testing::core::lifecycle::{Report, Resource};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

pub(crate) struct Demo {
    pub(crate) root: TempDir,
    pub(crate) provider: Provider,
}

/// Runs a test over both protocols, each time with a provider of its own.
pub(crate) fn on_both(test: impl AsyncFn(Demo)) {
    for protocol in [Protocol::V5, Protocol::V6] {
        run(async {
            let root = tempfile::tempdir().unwrap();
            let provider = Provider::connect(client(demo::provider(protocol), protocol)).await.unwrap();
            let config = json!({ "root": root.path() });
            let found =
                provider.configure(&written(&provider.schemas().provider.block, &config)).await.unwrap();
            assert_eq!(summaries(&found), [""; 0]);
            test(Demo { root, provider }).await;
        });
    }
}

pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

impl Demo {
    pub(crate) fn resource(&self, type_name: &str) -> Resource<'_> {
        Resource::new(&self.provider, type_name).unwrap()
    }

    pub(crate) fn config(&self, type_name: &str, config: &Json) -> Value {
        written(&self.provider.resource(type_name).unwrap().block, config)
    }

    /// Creates an object that is known to be good.
    pub(crate) async fn made(&self, type_name: &str, config: &Json) -> Resource<'_> {
        let mut object = self.resource(type_name);
        let report = object.apply(&self.config(type_name, config)).await;
        assert!(report.succeeded(), "{report}");
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

/// What is written in a configuration, as core decodes it.
pub(crate) fn written(block: &Block, config: &Json) -> Value {
    complete(block, &value(config)).unwrap()
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

/// What is in the state; null when there is no object.
pub(crate) fn state(object: &Resource<'_>) -> Json {
    object.state().map_or(Json::Null, |state| serde_json::from_slice(&state.attributes).unwrap())
}

/// The errors of a report, each as path and summary. Core has nothing to hold against the provider.
pub(crate) fn errors(report: &Report) -> Vec<String> {
    assert!(report.problems.is_empty(), "{report}");
    summaries(&report.diagnostics)
}

pub(crate) fn summaries(found: &Diagnostics) -> Vec<String> {
    let line = |it: &Diagnostic| match &it.path {
        Some(path) => format!("{path}: {}", it.summary),
        None => it.summary.clone(),
    };
    found.iter().map(line).collect()
}
