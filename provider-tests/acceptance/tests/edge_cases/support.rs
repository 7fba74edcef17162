//! The folder of a run, and configurations that name it.

use std::fs;
use std::path::{Path, PathBuf};

use ferroform::{Protocol, Serve};
use ferroform_acceptance::corner;
use ferroform_testing::case::{
    Case, InProcess, Provider, Run, RunsOn, Source, Start, Step, StepOutcome, kind,
};
use ferroform_testing::client;
use ferroform_testing::config::{Config, provider};
use serde_json::{Value, json};

/// The objects of a run are files in a folder.
pub(crate) struct Backend {
    root: PathBuf,
}

impl Backend {
    fn new(start: &Start) -> Self {
        Self { root: start.directory().to_owned() }
    }

    /// The names of the objects, sorted.
    pub(crate) fn objects(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.root).expect("a folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().display().to_string()).collect();
        names.sort();
        names.into_iter().filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect()
    }

    /// What actions have announced.
    pub(crate) fn announcements(&self) -> Vec<String> {
        let text = fs::read_to_string(self.root.join("announcements.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn file(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.json"))
    }

    /// What the service has of an object.
    pub(crate) fn object(&self, id: &str) -> Value {
        serde_json::from_slice(&fs::read(self.file(id)).expect("a file")).expect("JSON")
    }

    /// The folder of the objects.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Makes an object that nobody manages.
    pub(crate) fn put(&self, id: &str, object: &Value) {
        fs::write(self.file(id), object.to_string()).expect("written");
    }

    /// Deletes an object.
    pub(crate) fn delete(&self, id: &str) {
        fs::remove_file(self.file(id)).expect("a file");
    }

    /// Changes an object as somebody else would do it.
    fn edit(&self, id: &str, name: &str, value: &str) {
        let mut object = self.object(id);
        object[name] = json!(value);
        fs::write(self.file(id), object.to_string()).expect("written");
    }
}

/// A case for the newest core and the oldest one with write-only attributes, each over a protocol of its own.
pub(crate) fn case(name: &str) -> Case<Backend> {
    let serve = |protocol| match protocol {
        client::Protocol::V5 => Serve::new(corner::provider(Protocol::V5)),
        client::Protocol::V6 => Serve::new(corner::provider(Protocol::V6)),
    };
    let serve = move |_: &Backend| InProcess::by_protocol(serve);
    Case::with_backend(name, Backend::new)
        .provider(Provider::in_process("example.com/ferroform/corner", serve))
        .runs_on(RunsOn::InTurns(&["1.15.5", "1.11.4"]))
        .expect_no_leftovers(Backend::objects)
}

/// A configuration with the folder of the run.
pub(crate) fn text(body: impl Into<String>) -> Source<Backend> {
    configured("", body)
}

/// The same, with more lines for the provider.
pub(crate) fn configured(more: &'static str, body: impl Into<String>) -> Source<Backend> {
    let body = body.into();
    Source::text_with(move |run: &Run<'_, Backend>| {
        let root = run.backend.root.display();
        format!("provider \"corner\" {{\n  root = \"{root}\"\n{more}\n}}\n{body}\n")
    })
}

/// A typed configuration with the folder of the run.
pub(crate) fn typed(config: Config) -> Source<Backend> {
    Source::with(move |run: &Run<'_, Backend>| {
        config.clone().provider(provider("corner").set("root", run.backend.root.as_path()))
    })
}

pub(crate) fn apply(body: impl Into<String>) -> Step<kind::Apply, Backend> {
    Step::apply(text(body))
}

pub(crate) fn edit(id: &'static str, name: &'static str, value: &'static str) -> Step<kind::Edit, Backend> {
    Step::change_outside(move |backend: &Backend| backend.edit(id, name, value))
}

/// Exactly these objects are there.
pub(crate) fn there<const N: usize>(
    names: [&'static str; N],
) -> impl Fn(&StepOutcome<'_, Backend>) + Send + Sync {
    move |outcome| assert_eq!(outcome.run.backend.objects(), names)
}
