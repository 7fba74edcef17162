//! Objects that are files with a text: one scenario for each provider, whatever the SDK gives to it.

use std::fs;
use std::path::Path;

use ferroform_testing::client::Protocol;
use ferroform_testing::config::{Config, resource};
use ferroform_testing::embedded::PlanOptions;
use serde_json::json;

use crate::provider_under_test::{Name, ProviderUnderTest};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    let all = [&PLAIN, &PROBE, &DEMO];
    let sixth = all.into_iter().flat_map(|files| {
        [lives, undone, recorded, vanished, found_gone, imported, commanded, missing]
            .map(|scenario| scenario(files, Protocol::V6))
    });
    sixth.chain(all.map(|files| lives(files, Protocol::V5))).collect()
}

/// A resource type whose objects are files with a text.
struct Files {
    name: Name,
    type_name: &'static str,
    /// The attribute with the text.
    text: &'static str,
    /// The file of the object `a`, and what is in it for a text.
    file: &'static str,
    content: fn(&str) -> String,
}

const PLAIN: Files =
    Files { name: Name::Plain, type_name: "plain_file", text: "content", file: "a", content: str::to_owned };

const PROBE: Files = Files {
    name: Name::Probe,
    type_name: "probe_text",
    text: "text",
    file: "a.json",
    content: |text| json!({"id": "a", "length": text.len(), "name": "a", "text": text}).to_string(),
};

const DEMO: Files = Files { name: Name::Demo, type_name: "demo_file", ..PLAIN };

impl Files {
    fn scenario(&self, protocol: Protocol, name: &str) -> Scenario {
        let number = if protocol == Protocol::V5 { 5 } else { 6 };
        let name = format!("{}, protocol {number}: {name}", self.type_name);
        Scenario::of(ProviderUnderTest::new(self.name, protocol), &name)
    }

    fn config(&self, subject: &ProviderUnderTest, name: &str, text: &str) -> Config {
        let block = resource(self.type_name, "this").set("name", name).set(self.text, text);
        subject.config().resource(block)
    }

    fn address(&self) -> &'static str {
        match self.name {
            Name::Plain => "plain_file.this",
            Name::Probe => "probe_text.this",
            Name::Demo => "demo_file.this",
        }
    }

    /// Writes the file of the object.
    fn write(&self, text: &'static str) -> impl Fn(&Path) + Send + Sync + use<> {
        let (file, content) = (self.file, self.content);
        move |root| fs::write(root.join(file), content(text)).expect("written")
    }

    /// Removes the file of the object.
    fn remove(&self) -> impl Fn(&Path) + Send + Sync + use<> {
        let file = self.file;
        move |root| fs::remove_file(root.join(file)).expect("it was there")
    }
}

fn apply(config: Config) -> Command {
    Command::Apply(config, PlanOptions::default())
}

fn lives(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "an object lives");
    let config = |name, text| files.config(&it.subject, name, text);
    let (first, second, other) = (config("a", "one"), config("a", "other"), config("b", "other"));
    it.apply(first.clone())
        .plan(first)
        .apply(second)
        .apply(other.clone())
        .then(Command::Plan(other.clone(), PlanOptions::destroy()))
        .then(Command::Destroy(other))
}

fn undone(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "a change outside is undone");
    let config = files.config(&it.subject, "a", "one");
    it.apply(config.clone()).after(files.write("changed"), apply(config))
}

fn recorded(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "a change outside is recorded");
    let config = files.config(&it.subject, "a", "one");
    it.apply(config.clone())
        .after(files.write("changed"), Command::Apply(config.clone(), PlanOptions::refresh_only()))
        .plan(config)
}

fn vanished(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "an object vanishes");
    let config = files.config(&it.subject, "a", "one");
    it.apply(config.clone()).after(files.remove(), apply(config))
}

fn found_gone(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "refresh finds that an object has vanished");
    let config = files.config(&it.subject, "a", "one");
    it.apply(config.clone()).after(files.remove(), Command::Refresh(config.clone())).plan(config)
}

fn imported(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "an object is imported by a block and updated");
    let config = files.config(&it.subject, "a", "one").import(files.address(), "a");
    it.after(files.write("before"), apply(config.clone())).plan(config)
}

fn commanded(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "an object is imported by the command");
    let config = files.config(&it.subject, "a", "one");
    it.after(files.write("one"), Command::Import(config.clone(), files.address(), "a")).plan(config)
}

fn missing(files: &Files, protocol: Protocol) -> Scenario {
    let it = files.scenario(protocol, "an object that is not there is imported");
    let config = files.config(&it.subject, "a", "one").import(files.address(), "a");
    it.plan(config)
}
