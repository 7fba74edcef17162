//! Actions that fail when an object is updated, replaced or tainted, and what becomes of the objects that depend on it.

use std::fs;

use ferroform_testing::real::Feature;

use super::actions::{INVOKING, action, log};
use super::environment::{CORNER, TestEnvironment, changes, only_error, refused};
use super::matrix::{AcceptanceTest, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let test = |name, run| AcceptanceTest::new(name, run).needing(Feature::Actions);
    vec![
        test("actions that fail at an update", updates),
        test("actions that fail at a replacement", replacements),
        test("actions of a resource of which a deletion fails", deletions),
        test("actions of objects that are tainted or not created", tainted),
    ]
}

/// The task `t`, with these triggers, and the task `u`, which depends on it. The action `ok` announces the text of `t`, and
/// `bad` fails.
struct Tasks<'a> {
    env: &'a TestEnvironment,
    label: &'a str,
    text: &'a str,
    /// Further arguments.
    more: &'a str,
    /// Further arguments of `lifecycle`.
    lifecycle: &'a str,
    triggers: &'a [(&'a str, &'a str)],
}

impl Tasks<'_> {
    fn configure(&self) {
        let trigger = |(event, actions): &(&str, &str)| {
            let actions: Vec<_> =
                actions.split(' ').map(|name| format!("action.corner_announce.{name}")).collect();
            let actions = actions.join(", ");
            format!("    action_trigger {{\n      events  = [{event}]\n      actions = [{actions}]\n    }}\n")
        };
        let triggers: String = self.triggers.iter().map(trigger).collect();
        let Self { env, label, text, more, lifecycle, .. } = self;
        let (ok, bad) = (action("ok", "ok", ""), action("bad", "bad", "    fails = \"error\"\n"));
        env.configure(&format!(
            "{ok}{bad}resource \"corner_task\" \"t\" {{\n  label = \"{label}\"\n  text  = \"{text}\"\n{more}  lifecycle \
             {{\n{lifecycle}{triggers}  }}\n}}\nresource \"corner_task\" \"u\" {{\n  label = \"u\"\n  text  = corner_task.t.text\n}}\n"
        ));
    }

    /// Applies, which the failing action ends.
    fn fails(&self) {
        self.configure();
        refused(&self.env.workspace.apply_auto(&[]).expect("an end"), INVOKING, &["Announcement Failed: "]);
    }
}

/// The stored texts of `t` and `u`.
fn texts(env: &TestEnvironment) -> Vec<String> {
    let text = |address| env.attributes(address)["text"].as_str().unwrap_or_default().to_owned();
    BOTH.map(text).to_vec()
}

const BOTH: [&str; 2] = ["corner_task.t", "corner_task.u"];

fn updates(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let tasks = |text, triggers| Tasks { env: &env, label: "t", text, more: "", lifecycle: "", triggers };
    tasks("one", &[]).configure();
    env.apply();
    // Before the change: neither object is changed, no later action is invoked, and all of it is planned again.
    let before = tasks("two", &[("before_update", "ok bad ok"), ("after_update", "ok")]);
    before.fails();
    assert_eq!((texts(&env), log(&env)), (owned(["one", "one"]), owned(["ok-one-0"])));
    assert_eq!(env.addresses(), BOTH);
    assert_eq!(changes(&env.plan()), BOTH.map(|address| format!("{address} update")));
    before.fails();
    assert_eq!(log(&env).len(), 2);
    // After the change: it stays, the later actions are not invoked, and what depends on the object goes on.
    tasks("two", &[("after_update", "ok bad ok"), ("after_update", "ok")]).fails();
    assert_eq!(texts(&env), ["two", "two"]);
    assert_eq!((env.addresses(), &log(&env)[2..]), (owned(BOTH), &owned(["ok-two-0"])[..]));
    env.settled();
    env.destroy();
    env.close();
}

/// One that fails before the new object is created leaves the old one, in both orders of a replacement.
fn replacements(target: &TestTarget) {
    for (lifecycle, actions) in
        [("", "delete,create"), ("    create_before_destroy = true\n", "create,delete")]
    {
        let env = TestEnvironment::open(target, CORNER);
        let tasks = |label, text, triggers| Tasks { env: &env, label, text, more: "", lifecycle, triggers };
        tasks("t", "one", &[]).configure();
        env.apply();
        tasks("v", "two", &[("before_create", "ok bad"), ("after_create", "ok")]).fails();
        assert_eq!((env.addresses(), texts(&env)), (owned(BOTH), owned(["one", "one"])));
        assert_eq!(
            (env.files(), log(&env)),
            (owned(["announcements.log", "t.json", "u.json"]), owned(["ok-one-0"]))
        );
        let again = [format!("corner_task.t {actions}"), "corner_task.u update".to_owned()];
        assert_eq!(changes(&env.plan()), again);
        // Afterwards the old object is deleted, whatever was created first.
        tasks("v", "two", &[("after_create", "ok bad ok")]).fails();
        assert_eq!((env.addresses(), texts(&env)), (owned(BOTH), owned(["two", "two"])));
        assert_eq!(env.files(), ["announcements.log", "u.json", "v.json"]);
        assert_eq!(log(&env)[1..], ["ok-none-0"]);
        env.settled();
        env.destroy();
        env.close();
    }
}

/// Actions after a change wait for all that happens to the resource, and are not invoked after an error there.
fn deletions(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let stuck = "  fails = \"delete nothing\"\n";
    let lifecycle = "    create_before_destroy = true\n";
    let tasks = |label, text, more, triggers| Tasks { env: &env, label, text, more, lifecycle, triggers };
    tasks("t", "one", stuck, &[]).configure();
    env.apply();
    tasks("v", "two", "", &[("before_create", "ok"), ("after_create", "ok")]).configure();
    only_failed(&env);
    assert_eq!(
        (env.files(), log(&env)),
        (owned(["announcements.log", "t.json", "u.json", "v.json"]), owned(["ok-one-0"]))
    );
    fs::remove_file(env.file("t.json")).expect("removed");
    env.destroy();
    env.close();
    let env = TestEnvironment::open(target, CORNER);
    let count = |count: u8, text: &str| {
        let trigger = "    action_trigger {\n      events  = [after_update]\n      actions = [action.corner_announce.ok]\n    }\n";
        let task = format!(
            "resource \"corner_task\" \"t\" {{\n  count = {count}\n  label = \"t${{count.index}}\"\n  text  = \"{text}\"\n{stuck}  \
             lifecycle {{\n{trigger}  }}\n}}\n"
        );
        env.configure(&(action("ok", "ok", "") + &task));
    };
    count(2, "one");
    env.apply();
    count(1, "two");
    only_failed(&env);
    assert_eq!(log(&env), [""; 0]);
    env.close();
}

/// Applies, which the task itself ends.
fn only_failed(env: &TestEnvironment) {
    let outcome = env.workspace.apply_auto(&[]).expect("an end");
    assert_eq!(only_error(&outcome).summary, "Task Failed");
}

/// Those after the creation are invoked neither if nothing was created nor for an object that is tainted.
fn tainted(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let tasks = |more, triggers| Tasks { env: &env, label: "t", text: "one", more, lifecycle: "", triggers };
    let triggers = [("before_create", "ok"), ("after_create", "ok")];
    tasks("  fails = \"create nothing\"\n", &triggers).configure();
    only_failed(&env);
    assert_eq!((env.addresses(), log(&env)), (Vec::new(), owned(["ok-none-0"])));
    tasks("  fails = \"create half\"\n", &triggers).configure();
    only_failed(&env);
    assert_eq!((env.addresses(), log(&env)), (owned(["corner_task.t (tainted)"]), owned(["ok-none-0"; 2])));
    // What prevents the replacement leaves the tainted object, and nothing that depends on it is created.
    tasks("", &[("before_create", "bad"), ("after_create", "ok")]).fails();
    assert_eq!((env.addresses(), log(&env).len()), (owned(["corner_task.t (tainted)"]), 2));
    tasks("", &triggers).configure();
    env.apply();
    assert_eq!((env.addresses(), &log(&env)[2..]), (owned(BOTH), &owned(["ok-one-0"; 2])[..]));
    env.settled();
    env.destroy();
    env.close();
}

fn owned<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
