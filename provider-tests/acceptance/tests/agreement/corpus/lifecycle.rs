//! One resource: what becomes of its object.

use ferroform_acceptance::wrong::Which;
use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::embedded::PlanOptions;

use super::{failing, one, thing, two};
use crate::scenario::{Command, Scenario};
use crate::scene::whole;

pub(super) fn scenarios() -> Vec<Scenario> {
    [plain(), settings(), failures()].into_iter().flatten().collect()
}

fn plain() -> Vec<Scenario> {
    let all = |name, note| one(whole(name, Some(note)));
    vec![
        Scenario::new("an object is created and stays").apply(all("a", "x")).plan(all("a", "x")),
        Scenario::new("an object is updated").apply(all("a", "x")).apply(all("a", "y")),
        Scenario::new("an object loses its arguments").apply(all("a", "x")).apply(one(thing("this", "a"))),
        Scenario::new("an object is replaced").apply(all("a", "x")).apply(all("b", "x")),
        Scenario::new("an object is replaced, the new one first")
            .apply(one(thing("this", "a").create_before_destroy()))
            .apply(one(thing("this", "b").create_before_destroy())),
        Scenario::new("an object is destroyed").apply(all("a", "x")).then(Command::Destroy(all("a", "x"))),
        Scenario::new("a plan to destroy is applied")
            .apply(all("a", "x"))
            .then(Command::Apply(all("a", "x"), PlanOptions::destroy())),
        Scenario::new("a resource is no longer configured").apply(all("a", "x")).apply(Config::new()),
        Scenario::new("nothing is configured").apply(Config::new()).then(Command::Destroy(Config::new())),
        Scenario::new("a value of core's own resource type is stored")
            .apply(one(resource("terraform_data", "d").set("input", "x")))
            .apply(one(resource("terraform_data", "d").set("input", "y")))
            .apply(one(resource("terraform_data", "d").set("input", "y").set("triggers_replace", "z")))
            .then(Command::Destroy(one(resource("terraform_data", "d")))),
    ]
}

/// `lifecycle` blocks.
fn settings() -> Vec<Scenario> {
    let noted = |note| thing("this", "a").set("note", note).set("size", 1);
    let trigger = |name| thing("trigger", name);
    let triggered = |by: &str| thing("this", "a").replace_triggered_by(by);
    vec![
        Scenario::new("an object may not be destroyed")
            .apply(one(thing("this", "a").prevent_destroy()))
            .plan(one(thing("this", "b").prevent_destroy()))
            .then(Command::Destroy(one(thing("this", "a").prevent_destroy()))),
        Scenario::new("a change is ignored")
            .apply(one(noted("x").ignore_changes(["note"])))
            .apply(one(noted("y").ignore_changes(["note"])))
            .apply(one(noted("z").set("size", 3).ignore_changes(["note"]))),
        Scenario::new("a nested change is ignored")
            .apply(one(whole("a", None).ignore_changes(["rule[0].a", "tags"])))
            .apply(one(whole("a", Some("x")).ignore_changes(["rule[0].a", "tags"]))),
        Scenario::new("all changes are ignored")
            .apply(one(noted("x").ignore_all_changes()))
            .apply(one(thing("this", "b").ignore_all_changes())),
        Scenario::new("a resource triggers a replacement")
            .apply(two(trigger("t"), triggered("wrong_thing.trigger")))
            .apply(two(trigger("t").set("note", "n"), triggered("wrong_thing.trigger"))),
        Scenario::new("an attribute triggers a replacement")
            .apply(two(trigger("t"), triggered("wrong_thing.trigger.note")))
            .apply(two(trigger("t").set("size", 4), triggered("wrong_thing.trigger.note")))
            .apply(two(trigger("t").set("note", "n"), triggered("wrong_thing.trigger.note"))),
        Scenario::new("what a new object needs is created first, too")
            .apply(two(
                thing("base", "a"),
                thing("this", "x").set("note", reference("wrong_thing.base.id")).create_before_destroy(),
            ))
            .apply(two(
                thing("base", "b"),
                thing("this", "y").set("note", reference("wrong_thing.base.id")).create_before_destroy(),
            )),
    ]
}

/// The service fails.
fn failures() -> Vec<Scenario> {
    let apply = |config| Command::Apply(config, PlanOptions::default());
    let noted = |note| one(thing("this", "a").set("note", note));
    let first = |name| one(thing("this", name).create_before_destroy());
    vec![
        Scenario::new("a creation fails and leaves a tainted object")
            .wrong(failing(Which::All), apply(noted("x")))
            .apply(noted("x")),
        Scenario::new("an update fails")
            .apply(noted("x"))
            .wrong(failing(Which::All), apply(noted("y")))
            .plan(noted("y")),
        Scenario::new("a deletion fails")
            .apply(noted("x"))
            .wrong(failing(Which::All), apply(Config::new()))
            .apply(Config::new()),
        Scenario::new("destroying fails")
            .apply(noted("x"))
            .wrong(failing(Which::All), Command::Destroy(noted("x")))
            .then(Command::Destroy(noted("x"))),
        Scenario::new("the first half of a replacement fails")
            .apply(noted("x"))
            .wrong(failing(Which::WithPrior), apply(one(thing("this", "b"))))
            .plan(one(thing("this", "b"))),
        Scenario::new("the second half of a replacement fails")
            .apply(noted("x"))
            .wrong(failing(Which::WithoutPrior), apply(one(thing("this", "b"))))
            .apply(one(thing("this", "b"))),
        Scenario::new("an old object cannot be deleted after its replacement")
            .apply(first("a"))
            .wrong(failing(Which::WithPrior), apply(first("b")))
            .plan(first("b"))
            .apply(first("b")),
        Scenario::new("a new object cannot be created before its deletion")
            .apply(first("a"))
            .wrong(failing(Which::WithoutPrior), apply(first("b")))
            .apply(first("b")),
        Scenario::new("what depends on a failure is not done")
            .wrong(
                failing(Which::All),
                apply(two(
                    thing("base", "a"),
                    thing("this", "x").set("note", reference("wrong_thing.base.id")),
                )),
            )
            .apply(two(thing("base", "a"), thing("this", "x").set("note", reference("wrong_thing.base.id")))),
    ]
}
