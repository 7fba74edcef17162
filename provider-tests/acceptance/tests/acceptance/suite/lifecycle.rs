//! The life of an object: create, drift, update, replacement, loss, import, destruction.

use std::fs;

use serde_json::json;

use super::environment::{DEMO, PLAIN, PROBE, ProviderProgram, TestEnvironment, changes, succeeded};
use super::matrix::{AcceptanceTest, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("lifecycle of plain", |target| live(target, &PLAIN_FILE)),
        AcceptanceTest::new("lifecycle of probe", |target| live(target, &PROBE_TEXT))
            .sampled()
            .about_process(),
        AcceptanceTest::new("lifecycle of demo", |target| live(target, &DEMO_FILE)).on_both(),
    ]
}

/// A resource type whose objects are files with a text in them.
struct Files {
    subject: ProviderProgram,
    /// The resource type.
    kind: &'static str,
    /// The attribute with the text.
    attribute: &'static str,
    /// The attribute with the length of the text.
    length: &'static str,
    /// The name of the file of an object.
    file: fn(name: &str) -> String,
    /// The content of that file for a name and a text.
    content: fn(name: &str, text: &str) -> String,
}

const PLAIN_FILE: Files = Files {
    subject: PLAIN,
    kind: "plain_file",
    attribute: "content",
    length: "length",
    file: |name| name.to_owned(),
    content: |_, text| text.to_owned(),
};

const PROBE_TEXT: Files = Files {
    subject: PROBE,
    kind: "probe_text",
    attribute: "text",
    length: "length",
    file: |name| format!("{name}.json"),
    content: |name, text| json!({"id": name, "length": text.len(), "name": name, "text": text}).to_string(),
};

const DEMO_FILE: Files =
    Files { subject: DEMO, kind: "demo_file", attribute: "content", length: "size", ..PLAIN_FILE };

/// A stage on which one object lives.
struct Life<'a> {
    env: TestEnvironment,
    files: &'a Files,
    address: String,
}

impl Life<'_> {
    fn configure(&self, name: &str, text: &str) {
        let Files { kind, attribute, .. } = self.files;
        self.env.configure(&format!(
            "resource \"{kind}\" \"this\" {{\n  name = \"{name}\"\n  {attribute} = \"{text}\"\n}}\n"
        ));
    }

    /// Plans these actions and applies them; then nothing is to change any more.
    fn change(&self, actions: &str) {
        let plan = self.env.plan();
        assert_eq!(changes(&plan), [format!("{} {actions}", self.address)]);
        succeeded(&self.env.workspace.apply(&plan).expect("an end"));
        self.env.settled();
    }

    /// Checks the only object, in the folder and in the state.
    fn is(&self, name: &str, text: &str) {
        let file = (self.files.file)(name);
        assert_eq!(self.env.files(), [file.as_str()]);
        let content = fs::read_to_string(self.env.file(&file)).expect("a file");
        assert_eq!(content, (self.files.content)(name, text));
        let attributes = self.env.attributes(&self.address);
        assert_eq!(attributes["name"], name);
        assert_eq!(attributes[self.files.attribute], text);
        assert_eq!(attributes[self.files.length], text.len());
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.env.file(&(self.files.file)(name));
        fs::write(file, (self.files.content)(name, text)).expect("written");
    }
}

fn live(target: &TestTarget, files: &Files) {
    let life = Life {
        env: TestEnvironment::open(target, files.subject),
        files,
        address: format!("{}.this", files.kind),
    };
    life.configure("a", "one");
    life.change("create");
    life.is("a", "one");

    drift(&life);
    life.change("update");
    life.is("a", "one");

    life.configure("a", "and two");
    life.change("update");
    life.is("a", "and two");

    life.configure("b", "and two");
    life.change("delete,create");
    life.is("b", "and two");

    fs::remove_file(life.env.file(&(files.file)("b"))).expect("removed");
    life.change("create");
    life.is("b", "and two");

    import(&life);
    life.is("b", "and two");
    life.env.destroy();
    assert_eq!(life.env.files(), [""; 0]);
    life.env.close();
}

/// Somebody else changes the object: the plan tells, and a refresh stores it.
fn drift(life: &Life<'_>) {
    life.write("a", "changed");
    let plan = life.env.plan();
    let json = plan.json.as_ref().expect("a plan");
    let drift = &json["resource_drift"][0];
    assert_eq!(drift["address"], life.address);
    assert_eq!(drift["change"]["before"][life.files.attribute], "one");
    assert_eq!(drift["change"]["after"][life.files.attribute], "changed");
    succeeded(&life.env.workspace.refresh().expect("an end"));
    assert_eq!(life.env.attributes(&life.address)[life.files.attribute], "changed");
}

/// The state forgets the object, and finds it again by its id.
fn import(life: &Life<'_>) {
    let Life { env, address, .. } = life;
    succeeded(&env.workspace.run(&["state", "rm", address]).expect("an end"));
    let unknown = env.workspace.import(address, "nobody").expect("an end");
    assert_eq!(unknown.exit_code, Some(1));
    assert!(unknown.stderr.contains("Error: Object Not Found"), "{}", unknown.stderr);
    succeeded(&env.workspace.import(address, "b").expect("an end"));
    env.settled();
}
