//! What users ask for besides: targets, replacements, taints, moves and removals.

use ferroform_testing::address::Target;
use ferroform_testing::config::{Config, ResourceBlock, data, reference, resource};
use ferroform_testing::embedded::PlanOptions;

use super::{one, thing, two};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    [options(), moves(), mistakes()].into_iter().flatten().collect()
}

fn options() -> Vec<Scenario> {
    let pair = |name, note: &str| {
        two(
            thing("base", name),
            thing("this", "x").set("note", reference("wrong_thing.base.id")).set("token", note),
        )
        .resource(thing("other", "o").set("note", note))
    };
    let target =
        |address: &str| PlanOptions::default().target(address.parse::<Target>().expect("an address"));
    let replace = |address: &str| PlanOptions::default().replace(address.parse().expect("an address"));
    let apply = |config, options| Command::Apply(config, options);
    let destroy = PlanOptions::destroy().target("wrong_thing.base".parse::<Target>().expect("an address"));
    let first = || thing("this", "a").create_before_destroy();
    let reading =
        || pair("a", "n").data(data("wrong_data", "d").set("name", reference("wrong_thing.base.id")));
    let destroy_data =
        PlanOptions::destroy().target("data.wrong_data.d".parse::<Target>().expect("an address"));
    vec![
        Scenario::new("a target and what it needs")
            .then(apply(pair("a", "n"), target("wrong_thing.this")))
            .apply(pair("a", "n")),
        Scenario::new("a target of an update")
            .apply(pair("a", "n"))
            .then(apply(pair("a", "m"), target("wrong_thing.other"))),
        Scenario::new("a target to destroy").apply(pair("a", "n")).then(apply(pair("a", "n"), destroy)),
        Scenario::new("a data source to destroy")
            .apply(reading())
            .then(apply(reading(), destroy_data.clone()))
            .then(apply(pair("a", "n"), destroy_data)),
        Scenario::new("a replacement is asked for")
            .apply(pair("a", "n"))
            .then(apply(pair("a", "n"), replace("wrong_thing.base"))),
        Scenario::new("a replacement is asked for, the new one first")
            .apply(one(first()))
            .then(apply(one(first()), replace("wrong_thing.this"))),
        Scenario::new("a tainted object is replaced")
            .apply(one(thing("this", "a")))
            .then(Command::Taint("wrong_thing", "this"))
            .apply(one(thing("this", "a"))),
        Scenario::new("a tainted object is destroyed")
            .apply(one(thing("this", "a")))
            .then(Command::Taint("wrong_thing", "this"))
            .then(Command::Destroy(one(thing("this", "a")))),
    ]
}

fn moves() -> Vec<Scenario> {
    let this = || one(thing("this", "a"));
    let other = || one(thing("other", "a"));
    let counted = |count: u32| -> ResourceBlock { thing("this", "a").count(count) };
    let former = || one(resource("wrong_former", "old").set("label", "a"));
    vec![
        Scenario::new("a resource is renamed")
            .apply(this())
            .apply(other().moved("wrong_thing.this", "wrong_thing.other")),
        Scenario::new("a resource is renamed and changed")
            .apply(this())
            .apply(one(thing("other", "a").set("note", "n")).moved("wrong_thing.this", "wrong_thing.other")),
        Scenario::new("a resource is renamed and replaced")
            .apply(this())
            .apply(one(thing("other", "b")).moved("wrong_thing.this", "wrong_thing.other")),
        Scenario::new("an object gets a key")
            .apply(this())
            .apply(one(counted(1)).moved("wrong_thing.this", "wrong_thing.this[0]")),
        Scenario::new("an object gets an index without being told").apply(this()).apply(one(counted(1))),
        Scenario::new("an object loses its index without being told").apply(one(counted(1))).apply(this()),
        Scenario::new("an object of another type is moved")
            .apply(former())
            .apply(this().moved("wrong_former.old", "wrong_thing.this")),
        Scenario::new("a resource is removed and destroyed")
            .apply(this())
            .apply(Config::new().removed("wrong_thing.this")),
        Scenario::new("a resource is removed and forgotten")
            .apply(this())
            .apply(Config::new().forgotten("wrong_thing.this")),
        Scenario::new("a removed resource is still configured").plan(this().removed("wrong_thing.this")),
    ]
}

/// Configurations that cannot be.
fn mistakes() -> Vec<Scenario> {
    vec![
        Scenario::new("a required argument is missing").plan(one(resource("wrong_thing", "this"))),
        Scenario::new("an argument is not known").plan(one(thing("this", "a").set("colour", "red"))),
        Scenario::new("an argument has the wrong type").plan(one(thing("this", "a").set("size", "large"))),
        Scenario::new("a computed argument is set").plan(one(thing("this", "a").set("id", "mine"))),
        Scenario::new("a reference leads nowhere")
            .plan(one(thing("this", "a").set("note", reference("wrong_thing.none.id")))),
        Scenario::new("an attribute that does not exist is referred to").plan(two(
            thing("base", "a"),
            thing("this", "b").set("note", reference("wrong_thing.base.colour")),
        )),
        Scenario::new("resources depend on each other").plan(two(
            thing("one", "a").set("note", reference("wrong_thing.two.id")),
            thing("two", "b").set("note", reference("wrong_thing.one.id")),
        )),
        Scenario::new("a resource type does not exist").plan(one(resource("wrong_none", "this"))),
    ]
}
