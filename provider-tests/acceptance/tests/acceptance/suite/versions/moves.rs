//! Moves within a type, and across types and providers.

use std::fs;
use std::path::Path;

use ferroform_examples::demo::Release;
use ferroform_testing::config::{
    Config, ResourceBlock, count_index, each_key, each_value, object, provider, resource, template,
};
use ferroform_testing::embedded::PlanOptions;
use serde_json::{Value as Json, json};

use super::engine::{Engine, Identities, Seen, instance};
use super::history::{config, note, root};

/// A file whose name is given.
fn file(name: &str) -> ResourceBlock {
    resource("demo_file", name).set("content", "c")
}

fn single(name: &str) -> ResourceBlock {
    file(name).set("name", "f-0")
}

/// The names of a row: those of its resources and the names of their files begin with its number, so that all rows are
/// planned at once. A start of a core takes longer than everything else.
#[derive(Clone, Copy)]
struct RowNames(usize);

impl RowNames {
    fn file(self, name: &str) -> ResourceBlock {
        file(&format!("row{}_{name}", self.0))
    }

    /// The beginning of the names of files.
    fn prefix(self) -> String {
        format!("row{}-f-", self.0)
    }

    fn single(self, name: &str) -> ResourceBlock {
        self.file(name).set("name", self.prefix() + "0")
    }

    fn counted(self, name: &str, count: u32) -> ResourceBlock {
        self.file(name).count(count).set("name", template([self.prefix().into(), count_index()]))
    }

    /// One file for each key, with the key in the name.
    fn keyed(self, name: &str, keys: &[&str]) -> ResourceBlock {
        let keys: Vec<_> = keys.iter().map(|key| (*key, *key)).collect();
        let name_of_file = template([self.prefix().into(), each_key()]);
        self.file(name).for_each(object(keys)).set("name", name_of_file)
    }

    /// One file with another key than its name.
    fn valued(self, name: &str, key: &str) -> ResourceBlock {
        self.file(name).for_each(object([(key, self.prefix() + "0")])).set("name", each_value())
    }

    /// An address or a line of a plan with the names of this row.
    fn line(self, line: &str) -> String {
        line.replace("demo_file.", &format!("demo_file.row{}_", self.0))
    }
}

/// A row of the table: what is there before, what is declared then, the moved blocks, and the plan.
struct Row {
    what: &'static str,
    before: fn(RowNames) -> Option<ResourceBlock>,
    after: fn(RowNames) -> ResourceBlock,
    moved: &'static [(&'static str, &'static str)],
    expect: &'static [&'static str],
}

fn table() -> Vec<Row> {
    let row = |what, before, after, moved, expect| Row { what, before, after, moved, expect };
    vec![
        row(
            "a whole resource with count",
            |it| Some(it.counted("a", 2)),
            |it| it.counted("b", 2),
            &[("demo_file.a", "demo_file.b")],
            &["demo_file.b[0] no-op <- demo_file.a[0]", "demo_file.b[1] no-op <- demo_file.a[1]"],
        ),
        row(
            "none to key",
            |it| Some(it.single("a")),
            |it| it.keyed("a", &["0"]),
            &[("demo_file.a", "demo_file.a[\"0\"]")],
            &["demo_file.a[\"0\"] no-op <- demo_file.a"],
        ),
        row(
            "key to key",
            |it| Some(it.valued("a", "x")),
            |it| it.valued("a", "y"),
            &[("demo_file.a[\"x\"]", "demo_file.a[\"y\"]")],
            &["demo_file.a[\"y\"] no-op <- demo_file.a[\"x\"]"],
        ),
        row(
            "index to key",
            |it| Some(it.counted("a", 2)),
            |it| it.keyed("a", &["0", "1"]),
            &[("demo_file.a[0]", "demo_file.a[\"0\"]"), ("demo_file.a[1]", "demo_file.a[\"1\"]")],
            &["demo_file.a[\"0\"] no-op <- demo_file.a[0]", "demo_file.a[\"1\"] no-op <- demo_file.a[1]"],
        ),
        row(
            "index to none",
            |it| Some(it.counted("a", 2)),
            |it| it.single("a"),
            &[("demo_file.a[0]", "demo_file.a")],
            &["demo_file.a no-op <- demo_file.a[0]", "demo_file.a[1] delete"],
        ),
        row(
            "index to none of another name",
            |it| Some(it.counted("a", 1)),
            |it| it.single("b"),
            &[("demo_file.a[0]", "demo_file.b")],
            &["demo_file.b no-op <- demo_file.a[0]"],
        ),
        row(
            "count appears",
            |it| Some(it.single("a")),
            |it| it.counted("a", 1),
            &[],
            &["demo_file.a[0] no-op <- demo_file.a"],
        ),
        row(
            "count goes",
            |it| Some(it.counted("a", 1)),
            |it| it.single("a"),
            &[],
            &["demo_file.a no-op <- demo_file.a[0]"],
        ),
        row(
            "a chain from its start",
            |it| Some(it.single("a")),
            |it| it.single("c"),
            &[("demo_file.a", "demo_file.b"), ("demo_file.b", "demo_file.c")],
            &["demo_file.c no-op <- demo_file.a"],
        ),
        row(
            "a chain from its middle",
            |it| Some(it.single("b")),
            |it| it.single("c"),
            &[("demo_file.a", "demo_file.b"), ("demo_file.b", "demo_file.c")],
            &["demo_file.c no-op <- demo_file.b"],
        ),
        row(
            "a block taken away",
            |it| Some(it.single("a")),
            // The two cannot be at the same place.
            |it| it.file("b").set("name", it.prefix() + "1"),
            &[],
            &["demo_file.a delete", "demo_file.b create"],
        ),
        row(
            "nothing there",
            |_| None,
            |it| it.single("b"),
            &[("demo_file.a", "demo_file.b")],
            &["demo_file.b create"],
        ),
    ]
}

/// The stored things of all instances that have to stay: attributes, identity, private data.
pub(super) fn kept(engine: &Engine) -> Vec<Json> {
    let state = engine.state_json();
    let resources = state["resources"].as_array().cloned().unwrap_or_default();
    let instances = resources.iter().flat_map(|it| it["instances"].as_array().cloned().unwrap_or_default());
    let kept = |it: Json| json!([it["attributes"], it["identity"], it["private"]]);
    let mut all: Vec<_> = instances.map(kept).collect();
    all.sort_by_key(ToString::to_string);
    all
}

/// Applies what is written, and then plans and applies what `rewrite` writes in its place: in each row the objects, their
/// identities and their private data stay, and then nothing is to change. The lines of a row have its number.
#[track_caller]
pub(super) fn check_rows(
    engine: &mut Engine,
    rows: &[(&str, Vec<String>)],
    rewrite: impl FnOnce(&mut Engine),
) {
    fine("what was there before", engine.apply_written());
    mark(engine);
    let before = kept(engine);
    rewrite(engine);
    let expect: Vec<&String> = rows.iter().flat_map(|(_, expect)| expect).collect();
    for options in [PlanOptions::default().without_refresh(), PlanOptions::default()] {
        let mut found = fine("the plan of the moves", engine.plan_written(&options)).changes;
        let lost: Vec<_> = expect.iter().filter(|line| !found.contains(line)).collect();
        found.retain(|line| !expect.contains(&line));
        assert!(lost.is_empty() && found.is_empty(), "not planned: {lost:#?}, planned instead: {found:#?}");
    }
    fine("the apply of the moves", engine.apply_written());
    stay(rows, &before, &kept(engine));
    // Blocks may stay in the configuration for good.
    engine.settled_as_written();
}

/// Finds that in each row what stays has all that was stored of it, among what is stored before and after the expected changes.
/// The names of the files of a row begin with its number.
#[track_caller]
fn stay(rows: &[(&str, Vec<String>)], before: &[Json], after: &[Json]) {
    for (at, (what, expect)) in rows.iter().enumerate() {
        let name = format!("\"row{at}-");
        let [before, after] = [before, after]
            .map(|all| all.iter().filter(|it| it.to_string().contains(&name)).collect::<Vec<_>>());
        let count = |action: &str| expect.iter().filter(|line| line.ends_with(action)).count();
        let (deleted, created) = (count(" delete"), count(" create"));
        let moved = expect.iter().filter(|line| line.contains(" no-op <- ")).count();
        let stay = after.iter().filter(|it| before.contains(it)).count();
        assert_eq!((stay, before.len()), (moved, moved + deleted), "{what}: {before:#?} {after:#?}");
        assert_eq!(after.len(), stay + created, "{what}: {after:#?}");
    }
}

/// `{"ferroform":{"kept":1}}`
pub(super) const PRIVATE: &str = "eyJmZXJyb2Zvcm0iOnsia2VwdCI6MX19";

/// Gives every object private data that nobody reads, to see it again.
pub(super) fn mark(engine: &mut Engine) {
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
pub(super) fn fine(what: &str, seen: Seen) -> Seen {
    assert!(seen.errors.is_empty(), "{what}: {seen:#?}");
    seen
}

/// Moves of resources in the root module.
pub(super) fn within(start: &dyn Fn() -> Engine) {
    let (mut engine, root) = (start(), root());
    let (mut old, mut new, mut rows) = (config(root.path()), config(root.path()), Vec::new());
    for (at, row) in table().into_iter().enumerate() {
        let names = RowNames(at);
        old = (row.before)(names).into_iter().fold(old, Config::resource);
        new = new.resource((row.after)(names));
        for (from, to) in row.moved {
            new = new.moved(&names.line(from), &names.line(to));
        }
        rows.push((row.what, row.expect.iter().map(|line| names.line(line)).collect()));
    }
    engine.configure(&old);
    check_rows(&mut engine, &rows, |engine| engine.configure(&new));
}

/// The configuration with both providers.
fn both(root: &Path) -> Config {
    config(root).provider(provider("plain").set("root", root))
}

/// A file of either provider becomes a note.
pub(super) fn across(start: &dyn Fn() -> Engine) {
    for kind in ["demo_file", "plain_file"] {
        let (mut engine, root) = (start(), root());
        let target = "notes/a.md";
        let file = resource(kind, "a").set("name", target).set("content", "One.\n\nThree.\n");
        let file = if kind == "demo_file" { file.set("mode", "0640") } else { file };
        fine(kind, engine.apply(&both(root.path()).resource(file)));
        if kind == "plain_file" {
            let mode: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            fs::set_permissions(root.path().join(target), mode).expect("set");
        }
        mark(&mut engine);
        let others = if kind == "demo_file" { "---" } else { "r--" };
        let note = note(Release::Current, engine.protocol(), ("b", target), others);
        let config = with(both(root.path()).resource(note), &[(&format!("{kind}.a"), "demo_note.b")]);
        let expect = format!("demo_note.b no-op <- {kind}.a");
        for options in [PlanOptions::default().without_refresh(), PlanOptions::default()] {
            assert_eq!(fine(kind, engine.plan(&config, &options)).changes, [expect.as_str()]);
        }
        fine(kind, engine.apply(&config));
        let state = engine.state_json();
        let found = instance(&state, "demo_note.b");
        assert_eq!((&found["schema_version"], &found["attributes"]["name"]), (&json!(3), &json!(target)));
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
    // There is a mover, but for another version.
    let note = self::note(Release::Current, engine.protocol(), ("b", "b.md"), "---");
    let config = with(both(root.path()).resource(note).resource(token), &[("demo_file.a", "demo_note.b")]);
    let mut state = engine.state_json();
    let files = state["resources"].as_array_mut().expect("resources").iter_mut();
    files
        .filter(|it| it["type"] == "demo_file")
        .for_each(|it| it["instances"][0]["schema_version"] = 7.into());
    let before = engine.state();
    engine.set_state(state.to_string().as_bytes());
    let parts = ["`demo_file`", "schema version 7", "version 0 only", "example.com/ferroform/demo"];
    engine.refuses(&config, "Unsupported Source Schema Version", &parts);
    engine.set_state(&before);
    // The provider of the target has no mover at all.
    let file = resource("plain_file", "b").set("name", "b").set("content", "c");
    let config =
        with(both(root.path()).resource(single("a")).resource(file), &[("demo_token.a", "plain_file.b")]);
    engine.refuses(&config, "Move Not Supported", &["`demo_token`", "`plain_file`"]);
}
