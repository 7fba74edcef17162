//! Moves: within a type, between modules, and across types and providers.

use std::fs;
use std::path::Path;

use ferroform_examples::demo::Release;
use ferroform_testing::config::{
    Config, ResourceBlock, count_index, each_key, each_value, object, provider, resource, template,
};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::demo;
use super::engine::{Engine, Identities, Seen, instance, planned};
use super::history::{config, note, root};
use crate::journeys::matrix::Place;

/// A file whose name is given.
fn file(name: &str) -> ResourceBlock {
    resource("demo_file", name).set("content", "c")
}

fn single(name: &str) -> ResourceBlock {
    file(name).set("name", "f-0")
}

fn counted(name: &str, count: u32) -> ResourceBlock {
    file(name).count(count).set("name", template(["f-".into(), count_index()]))
}

/// One file for each key, with the key in the name.
fn keyed(name: &str, keys: &[&str]) -> ResourceBlock {
    let keys: Vec<_> = keys.iter().map(|key| (*key, *key)).collect();
    file(name).for_each(object(keys)).set("name", template(["f-".into(), each_key()]))
}

/// One file with another key than its name.
fn valued(name: &str, key: &str) -> ResourceBlock {
    file(name).for_each(object([(key, "f-0")])).set("name", each_value())
}

/// A row of the table: what is there before, what is declared then, the moved blocks, and the plan.
struct Row {
    what: &'static str,
    before: ResourceBlock,
    after: ResourceBlock,
    moved: &'static [(&'static str, &'static str)],
    expect: &'static [&'static str],
}

fn table() -> Vec<Row> {
    let row = |what, before, after, moved, expect| Row { what, before, after, moved, expect };
    vec![
        row(
            "a whole resource with count",
            counted("a", 2),
            counted("b", 2),
            &[("demo_file.a", "demo_file.b")],
            &["demo_file.b[0] no-op <- demo_file.a[0]", "demo_file.b[1] no-op <- demo_file.a[1]"],
        ),
        row(
            "none to key",
            single("a"),
            keyed("a", &["0"]),
            &[("demo_file.a", "demo_file.a[\"0\"]")],
            &["demo_file.a[\"0\"] no-op <- demo_file.a"],
        ),
        row(
            "key to key",
            valued("a", "x"),
            valued("a", "y"),
            &[("demo_file.a[\"x\"]", "demo_file.a[\"y\"]")],
            &["demo_file.a[\"y\"] no-op <- demo_file.a[\"x\"]"],
        ),
        row(
            "index to key",
            counted("a", 2),
            keyed("a", &["0", "1"]),
            &[("demo_file.a[0]", "demo_file.a[\"0\"]"), ("demo_file.a[1]", "demo_file.a[\"1\"]")],
            &["demo_file.a[\"0\"] no-op <- demo_file.a[0]", "demo_file.a[\"1\"] no-op <- demo_file.a[1]"],
        ),
        row(
            "index to none",
            counted("a", 2),
            single("a"),
            &[("demo_file.a[0]", "demo_file.a")],
            &["demo_file.a no-op <- demo_file.a[0]", "demo_file.a[1] delete"],
        ),
        row(
            "index to none of another name",
            counted("a", 1),
            single("b"),
            &[("demo_file.a[0]", "demo_file.b")],
            &["demo_file.b no-op <- demo_file.a[0]"],
        ),
        row("count appears", single("a"), counted("a", 1), &[], &["demo_file.a[0] no-op <- demo_file.a"]),
        row("count goes", counted("a", 1), single("a"), &[], &["demo_file.a no-op <- demo_file.a[0]"]),
        row(
            "a chain from its start",
            single("a"),
            single("c"),
            &[("demo_file.a", "demo_file.b"), ("demo_file.b", "demo_file.c")],
            &["demo_file.c no-op <- demo_file.a"],
        ),
        row(
            "a chain from its middle",
            single("b"),
            single("c"),
            &[("demo_file.a", "demo_file.b"), ("demo_file.b", "demo_file.c")],
            &["demo_file.c no-op <- demo_file.b"],
        ),
        row(
            "a block taken away",
            single("a"),
            // The two cannot be at the same place.
            file("b").set("name", "f-1"),
            &[],
            &["demo_file.a delete", "demo_file.b create"],
        ),
    ]
}

/// The stored things of all instances that have to stay: attributes, identity, private data.
fn kept(engine: &Engine) -> Vec<Json> {
    let state = engine.state_json();
    let resources = state["resources"].as_array().cloned().unwrap_or_default();
    let instances = resources.iter().flat_map(|it| it["instances"].as_array().cloned().unwrap_or_default());
    let kept = |it: Json| json!([it["attributes"], it["identity"], it["private"]]);
    let mut all: Vec<_> = instances.map(kept).collect();
    all.sort_by_key(ToString::to_string);
    all
}

/// `{"ferroform":{"kept":1}}`
const PRIVATE: &str = "eyJmZXJyb2Zvcm0iOnsia2VwdCI6MX19";

/// Gives every object private data that nobody reads, to see it again.
fn mark(engine: &mut Engine) {
    let mut state = engine.state_json();
    for resource in state["resources"].as_array_mut().expect("resources") {
        for instance in resource["instances"].as_array_mut().expect("instances") {
            instance["private"] = PRIVATE.into();
        }
    }
    engine.set_state(state.to_string().as_bytes());
}

fn with(mut config: Config, moved: &[(&str, &str)]) -> Config {
    for (from, to) in moved {
        config = config.moved(from, to);
    }
    config
}

#[track_caller]
fn fine(what: &str, seen: Seen) -> Seen {
    assert!(seen.errors.is_empty(), "{what}: {seen:#?}");
    seen
}

/// Plans and applies a move: the object, its identity and its private data stay, and then nothing is to change.
#[track_caller]
fn check(engine: &mut Engine, what: &str, config: &Config, expect: &[&str]) {
    let (before, moves) = (kept(engine), expect.iter().all(|line| line.contains(" no-op <- ")));
    for options in [PlanOptions::default().without_refresh(), PlanOptions::default()] {
        let seen = fine(what, engine.plan(config, &options));
        assert_eq!(seen.changes, expect, "{what}");
    }
    fine(what, engine.apply(config));
    if moves {
        assert_eq!(kept(engine), before, "{what}");
    }
    // Blocks may stay in the configuration for good.
    engine.settled(config);
}

pub(super) fn within(start: &dyn Fn() -> Engine) {
    for Row { what, before, after, moved, expect } in table() {
        let (mut engine, root) = (start(), root());
        fine(what, engine.apply(&config(root.path()).resource(before)));
        mark(&mut engine);
        check(&mut engine, what, &with(config(root.path()).resource(after), moved), expect);
    }
    let (mut engine, root) = (start(), root());
    let nothing = with(config(root.path()).resource(single("b")), &[("demo_file.a", "demo_file.b")]);
    let seen = fine("nothing there", engine.plan(&nothing, &PlanOptions::default()));
    assert_eq!(seen.changes, ["demo_file.b create"]);
}

/// A child module with one file, or with one for each number below its count.
const CHILD: &str = r#"
variable "name" {}
resource "demo_file" "f" {
  name    = var.name
  content = "c"
}
"#;

/// The same under another name, which the module itself has changed.
const RENAMED: &str = r#"
variable "name" {}
resource "demo_file" "g" {
  name    = var.name
  content = "c"
}
moved {
  from = demo_file.f
  to   = demo_file.g
}
"#;

/// A real core with modules.
struct Modules {
    engine: Engine,
    root: TempDir,
}

impl Modules {
    fn open(place: &Place) -> Self {
        let (engine, root) = (demo(place), root());
        let modules = Self { engine, root };
        modules.write("child/main.tf", &format!("{}{CHILD}", requirement()));
        modules.write("renamed/main.tf", &format!("{}{RENAMED}", requirement()));
        modules
    }

    fn write(&self, file: &str, text: &str) {
        let Engine::Real { session, .. } = &self.engine else { return };
        session.workspace().write(file, text).expect("written");
    }

    fn write_main(&self, body: &str) {
        let Engine::Real { session, .. } = &self.engine else { return };
        let root = self.root.path().display();
        let head = format!("{}provider \"demo\" {{\n  root = \"{root}\"\n}}\n", requirement());
        session.write_text(&format!("{head}{body}")).expect("written");
    }

    fn configure(&self, body: &str) {
        let Engine::Real { session, .. } = &self.engine else { return };
        self.write_main(body);
        let got = session.workspace().run(&["get"]).expect("an end");
        assert!(got.succeeded(), "{got:?}");
    }

    fn plan(&self) -> Seen {
        let Engine::Real { session, .. } = &self.engine else { return Seen::default() };
        planned(session, &PlanOptions::default())
    }

    fn check(&self, what: &str, before: &str, after: &str, expect: &[&str]) {
        let Engine::Real { session, .. } = &self.engine else { return };
        self.configure(before);
        let applied = session.apply_at_once(&PlanOptions::default()).expect("an end");
        assert!(applied.succeeded(), "{what}: {applied:?}");
        let kept_before = kept(&self.engine);
        self.configure(after);
        assert_eq!(fine(what, self.plan()).changes, expect, "{what}");
        let applied = session.apply_at_once(&PlanOptions::default()).expect("an end");
        assert!(applied.succeeded(), "{what}: {applied:?}");
        if expect.iter().all(|line| line.contains(" no-op <- ")) {
            assert_eq!(kept(&self.engine), kept_before, "{what}");
        }
        assert_eq!(self.plan().changes, [""; 0], "{what}");
        assert!(session.destroy().expect("an end").succeeded());
    }
}

fn requirement() -> String {
    format!(
        "terraform {{\n  required_providers {{\n    demo = {{ source = \"{}\" }}\n  }}\n}}\n",
        super::engine::source("demo")
    )
}

fn moved(from: &str, to: &str) -> String {
    format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n")
}

fn module(name: &str, source: &str, arguments: &str) -> String {
    format!("module \"{name}\" {{\n  source = \"{source}\"\n{arguments}\n}}\n")
}

pub(super) fn modules(place: &Place) {
    let modules = Modules::open(place);
    let plain = "  name = \"f-0\"";
    let counted = "  count = 3\n  name = \"f-${count.index}\"";
    let keyed = |key: &str| format!("  for_each = {{ {key} = \"f-0\" }}\n  name = each.value");
    let file = "resource \"demo_file\" \"f\" {\n  name = \"f-0\"\n  content = \"c\"\n}\n";
    let (m, n) = (|arguments: &str| module("m", "./child", arguments), |it: &str| module("n", "./child", it));
    let renamed = module("m", "./renamed", plain);
    modules.check(
        "a module renamed",
        &m(plain),
        &(n(plain) + &moved("module.m", "module.n")),
        &["module.n.demo_file.f no-op <- module.m.demo_file.f"],
    );
    modules.check(
        "none to an index",
        &m("  name = \"f-2\""),
        &(m(counted) + &moved("module.m", "module.m[2]")),
        &[
            "module.m[0].demo_file.f create",
            "module.m[1].demo_file.f create",
            "module.m[2].demo_file.f no-op <- module.m.demo_file.f",
        ],
    );
    modules.check(
        "key to key",
        &m(&keyed("x")),
        &(m(&keyed("y")) + &moved("module.m[\"x\"]", "module.m[\"y\"]")),
        &["module.m[\"y\"].demo_file.f no-op <- module.m[\"x\"].demo_file.f"],
    );
    modules.check(
        "into a module",
        file,
        &(m(plain) + &moved("demo_file.f", "module.m.demo_file.f")),
        &["module.m.demo_file.f no-op <- demo_file.f"],
    );
    modules.check(
        "into an instance of a module",
        "resource \"demo_file\" \"f\" {\n  name = \"f-2\"\n  content = \"c\"\n}\n",
        &(m(counted) + &moved("demo_file.f", "module.m[2].demo_file.f")),
        &[
            "module.m[0].demo_file.f create",
            "module.m[1].demo_file.f create",
            "module.m[2].demo_file.f no-op <- demo_file.f",
        ],
    );
    split(&modules);
    modules.check(
        "within a child module",
        &m(plain),
        &renamed,
        &["module.m.demo_file.g no-op <- module.m.demo_file.f"],
    );
}

/// A module with two files becomes two modules, one of them counted.
fn split(modules: &Modules) {
    let pair = "variable \"names\" {}\n\
        resource \"demo_file\" \"one\" {\n  name = var.names[0]\n  content = \"c\"\n}\n\
        resource \"demo_file\" \"two\" {\n  name = var.names[1]\n  content = \"c\"\n}\n";
    modules.write("pair/main.tf", &format!("{}{pair}", requirement()));
    let before = module("m", "./pair", "  names = [\"f-2\", \"f-b\"]");
    let after = [
        module("new", "./child", "  count = 3\n  name = \"f-${count.index}\""),
        module("other", "./child", "  name = \"f-b\""),
        moved("module.m.demo_file.one", "module.new[2].demo_file.f"),
        moved("module.m.demo_file.two", "module.other.demo_file.f"),
    ];
    modules.check(
        "one module split into two",
        &before,
        &after.concat(),
        &[
            "module.new[0].demo_file.f create",
            "module.new[1].demo_file.f create",
            "module.new[2].demo_file.f no-op <- module.m.demo_file.one",
            "module.other.demo_file.f no-op <- module.m.demo_file.two",
        ],
    );
}

/// The configuration with both providers.
fn both(root: &Path) -> Config {
    config(root).provider(provider("plain").set("root", root))
}

/// A file of either provider becomes a note.
pub(super) fn across(start: &dyn Fn() -> Engine) {
    for kind in ["demo_file", "plain_file"] {
        let (mut engine, root) = (start(), root());
        let place = "notes/a.md";
        let file = resource(kind, "a").set("name", place).set("content", "One.\n\nThree.\n");
        let file = if kind == "demo_file" { file.set("mode", "0640") } else { file };
        fine(kind, engine.apply(&both(root.path()).resource(file)));
        if kind == "plain_file" {
            let mode: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            fs::set_permissions(root.path().join(place), mode).expect("set");
        }
        mark(&mut engine);
        let others = if kind == "demo_file" { "---" } else { "r--" };
        let note = note(Release::Current, engine.protocol(), ("b", place), others);
        let config = with(both(root.path()).resource(note), &[(&format!("{kind}.a"), "demo_note.b")]);
        let expect = format!("demo_note.b no-op <- {kind}.a");
        for options in [PlanOptions::default().without_refresh(), PlanOptions::default()] {
            assert_eq!(fine(kind, engine.plan(&config, &options)).changes, [expect.as_str()]);
        }
        fine(kind, engine.apply(&config));
        let state = engine.state_json();
        let found = instance(&state, "demo_note.b");
        assert_eq!((&found["schema_version"], &found["attributes"]["name"]), (&json!(3), &json!(place)));
        assert_eq!(found["private"], PRIVATE);
        if engine.identities() == Identities::Known {
            assert_eq!(found["identity"], json!({"directory": "notes", "name": "a.md"}), "{found:#}");
            assert_eq!(found["identity_schema_version"], 2);
        }
        engine.settled(&config);
    }
}

/// What cores and providers refuse.
pub(super) fn refused(start: &dyn Fn() -> Engine) {
    let (mut engine, root) = (start(), root());
    let token = resource("demo_token", "a");
    let two = both(root.path()).resource(single("a")).resource(token.clone());
    fine("two objects", engine.apply(&two));
    let mut check = |after: ResourceBlock, moved: &[(&str, &str)], summary: &str, parts: &[&str]| {
        let config = with(both(root.path()).resource(after).resource(token.clone()), moved);
        engine.refuses(&config, summary, parts);
    };
    check(
        single("c"),
        &[("demo_file.a", "demo_file.b"), ("demo_file.b", "demo_file.a")],
        "Cyclic dependency in move statements",
        &[],
    );
    check(
        single("c"),
        &[("demo_file.a", "demo_file.c"), ("demo_file.b", "demo_file.c")],
        "Ambiguous move statements",
        &[],
    );
    check(single("a"), &[("demo_file.a", "demo_file.a")], "Redundant move statement", &[]);
    check(single("a"), &[("demo_file.a", "demo_file.b")], "Moved object still exists", &[]);
    let config = both(root.path()).resource(single("a"));
    let note = note(Release::Current, engine.protocol(), ("b", "b.md"), "---");
    let config = with(config.resource(note), &[("demo_token.a", "demo_note.b")]);
    engine.refuses(&config, "Move Not Supported", &["`demo_token`", "`demo_note`", "import the object"]);
    // The provider of the target has no mover at all.
    let file = resource("plain_file", "b").set("name", "b").set("content", "c");
    let config =
        with(both(root.path()).resource(single("a")).resource(file), &[("demo_token.a", "plain_file.b")]);
    engine.refuses(&config, "Move Not Supported", &["`demo_token`", "`plain_file`"]);
}

pub(super) fn refused_by_the_language(place: &Place) {
    let modules = Modules::open(place);
    let Engine::Real { session, .. } = &modules.engine else { return };
    let file = "resource \"demo_file\" \"f\" {\n  name = \"f-0\"\n  content = \"c\"\n}\n";
    let check = |body: &str, summary: &str| {
        modules.write_main(&format!("{file}{body}"));
        let seen = planned(session, &PlanOptions::default());
        let [error] = seen.errors.as_slice() else { panic!("{summary}: {seen:#?}") };
        assert_eq!(error.summary, summary);
    };
    check("moved \"x\" {\n  from = demo_file.a\n  to = demo_file.f\n}\n", "Extraneous label for moved");
    check("moved {\n  from = demo_file.a\n  to = demo_file.f\n  why = 1\n}\n", "Unsupported argument");
    check("moved {\n  to = demo_file.f\n}\n", "Missing required argument");
    check(&moved("demo_file.a", "module.m"), "Invalid \"moved\" addresses");
    check(&moved("demo_file.a", "demo_file"), "Invalid address");
}

/// What one may expect to be refused, and is not.
pub(super) fn accepted(place: &Place) {
    let modules = Modules::open(place);
    let file = "resource \"demo_file\" \"f\" {\n  name = \"f-0\"\n  content = \"c\"\n}\n";
    let far = tempfile::tempdir().expect("a folder");
    fs::write(far.path().join("main.tf"), format!("{}{CHILD}", requirement())).expect("written");
    let module = module("far", &far.path().display().to_string(), "  name = \"f-0\"");
    modules.check(
        "into a module that is no local one",
        file,
        &(module + &moved("demo_file.f", "module.far.demo_file.f")),
        &["module.far.demo_file.f no-op <- demo_file.f"],
    );
    modules.configure(file);
    let Engine::Real { session, .. } = &modules.engine else { return };
    assert!(session.apply_at_once(&PlanOptions::default()).expect("an end").succeeded());
    modules.configure(&moved("demo_file.f", "data.demo_file.g"));
    // Such a block is taken for one about nothing, and the object for one that is neither declared nor removed.
    let seen = planned(session, &PlanOptions::default());
    assert!(seen.errors.is_empty() && seen.changes.is_empty(), "{seen:#?}");
}
