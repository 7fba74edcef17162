//! References to what a schema calls deprecated.

use ferroform_testing::config::{
    Config, Expr, ResourceBlock, body, count_index, data, list, object, provider, reference, resource,
    sensitive, template,
};

use super::{one, thing};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    [uses(), places(), lives()].into_iter().flatten().collect()
}

fn relic() -> ResourceBlock {
    resource("wrong_relic", "base")
        .set("name", "b")
        .set("old", "o")
        .set("many", list([object([("a", "x")])]))
        .block("part", body().set("a", "x"))
        .block("piece", body().set("a", "x"))
}

fn of(path: &str) -> Expr {
    reference(&format!("wrong_relic.base{path}"))
}

fn noted(expr: Expr) -> Config {
    one(relic()).resource(thing("this", "a").set("note", expr))
}

/// Something of the relic in an argument.
fn uses() -> Vec<Scenario> {
    let uses = [
        ("a known value", of(".old")),
        ("a value that is unknown at first", of(".size")),
        ("a null", of(".token")),
        ("something else", of(".note")),
        ("a nested attribute", of(".many[0].b")),
        ("a value in a block", of(".part[0].b")),
        ("a value in a deprecated block", of(".piece[0].a")),
        ("part of a template", template(["x-".into(), of(".old")])),
        ("a value that is called deprecated without a word", of(".mute")),
        ("the same twice in a template", template([of(".old"), of(".old")])),
        ("two values in a template", template([of(".old"), of(".size")])),
        ("a value that is called sensitive", sensitive(of(".old"))),
    ];
    let each = uses.into_iter().map(|(name, expr)| {
        Scenario::new(&format!("{name} of a relic is referred to"))
            .apply(noted(expr.clone()))
            .plan(noted(expr))
    });
    each.collect()
}

/// Places other than an argument.
fn places() -> Vec<Scenario> {
    let relic = || relic().set("size", 1).set("tags", object([("k", "v")]));
    let with = |block: ResourceBlock| one(relic()).resource(block);
    let any = |expr: Expr| with(thing("this", "a").set("any", expr));
    let output = |expr: Expr| one(relic()).output("it", expr);
    let ruin = || resource("wrong_ruin", "it").set("label", "l");
    let places = [
        ("an object", any(of(""))),
        ("a list of objects", any(of(".many"))),
        ("deprecated blocks", any(of(".piece"))),
        ("two values", any(list([of(".old"), of(".old")]))),
        ("a member", any(object([("k", of(".old"))]))),
        ("an output", output(of(".old"))),
        ("an output of an object", output(of(""))),
        ("an output of a sensitive value", one(relic()).sensitive_output("it", of(".token"))),
        ("a number of instances", with(resource("wrong_thing", "this").count(of(".size")).set("name", "n"))),
        ("keys of instances", with(resource("wrong_thing", "this").for_each(of(".tags")).set("name", "n"))),
        ("a data source", one(relic()).data(data("wrong_data", "this").set("name", of(".old")))),
        ("a dependency", with(thing("this", "a").depends_on("wrong_relic.base"))),
        ("a trigger", with(thing("this", "a").replace_triggered_by("wrong_relic.base.old"))),
        ("a block of another", with(thing("this", "a").block("rule", body().set("a", of(".old"))))),
        ("a nested attribute of another", with(thing("this", "a").set("one", object([("a", of(".old"))])))),
        (
            "a deprecated attribute of another",
            with(resource("wrong_relic", "other").set("name", "c").set("old", of(".old"))),
        ),
        (
            "something of a ruin",
            one(ruin()).resource(thing("this", "a").set("note", reference("wrong_ruin.it.label"))),
        ),
        ("a whole ruin", one(ruin()).resource(thing("this", "a").set("any", reference("wrong_ruin.it")))),
    ];
    places
        .into_iter()
        .map(|(name, config)| {
            Scenario::new(&format!("a deprecated value goes to {name}")).apply(config.clone()).plan(config)
        })
        .collect()
}

/// The other commands.
fn lives() -> Vec<Scenario> {
    let other = || {
        let both = template([of(".old"), reference("wrong_relic.other.old")]);
        let other = resource("wrong_relic", "other").set("name", "c").set("old", "p");
        one(relic()).resource(other).resource(thing("this", "a").set("note", both))
    };
    let keyed = |path: &str| {
        let many = resource("wrong_relic", "base").set("name", count_index()).set("old", "o").count(2);
        one(many).resource(thing("this", "a").set("any", of(path)))
    };
    let configured = || one(relic()).provider(provider("wrong").set("setting", of(".old")));
    let anything = |values: Expr| one(relic().set("anything", values));
    vec![
        Scenario::new("what refers to a deprecated value is refreshed and destroyed")
            .apply(noted(of(".old")))
            .then(Command::Refresh(noted(of(".old"))))
            .then(Command::Destroy(noted(of(".old")))),
        Scenario::new("the same attribute of two relics is referred to").apply(other()).plan(other()),
        Scenario::new("an instance of a relic is referred to").apply(keyed("[1].old")).plan(keyed("[1].old")),
        Scenario::new("all instances of a relic are referred to").apply(keyed("")).plan(keyed("")),
        Scenario::new("a provider is configured with a deprecated value")
            .apply(one(relic()))
            .apply(configured().resource(resource("terraform_data", "x"))),
        Scenario::new("a list of anything")
            .apply(anything(list(["a", "b"])).output("it", of(".anything")))
            .apply(anything(list([1, 2])).output("it", of(".anything"))),
    ]
}
