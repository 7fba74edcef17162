//! Several instances, references, data sources and outputs.

use ferroform_testing::config::{
    Config, count_index, data, each_key, each_value, list, null, object, reference, resource, sensitive,
    template,
};

use super::{one, thing, two};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    [instances(), references(), data_sources(), outputs()].into_iter().flatten().collect()
}

fn counted(count: u32) -> Config {
    one(resource("wrong_thing", "this").count(count).set("name", template(["n-".into(), count_index()])))
}

fn keyed(keys: &[&'static str]) -> Config {
    let each = object(keys.iter().map(|key| (*key, *key)));
    one(resource("wrong_thing", "this").for_each(each).set("name", each_key()).set("note", each_value()))
}

fn instances() -> Vec<Scenario> {
    vec![
        Scenario::new("count grows and shrinks")
            .apply(counted(1))
            .apply(counted(3))
            .apply(counted(1))
            .apply(counted(0)),
        Scenario::new("keys come and go").apply(keyed(&["a", "b"])).apply(keyed(&["b", "c"])),
        Scenario::new("count is taken away").apply(counted(2)).apply(one(thing("this", "n-0"))),
        Scenario::new("count is added").apply(one(thing("this", "n-0"))).apply(counted(2)),
        Scenario::new("count becomes for_each").apply(counted(1)).apply(keyed(&["a"])),
        Scenario::new("count is not known").plan(
            one(resource("terraform_data", "late").set("input", 2))
                .resource(thing("this", "a").count(reference("terraform_data.late.output"))),
        ),
    ]
}

fn references() -> Vec<Scenario> {
    let pair = |name, note: &str| {
        let base = thing("base", name).set("note", note);
        let block = thing("this", "x").set("note", reference("wrong_thing.base.id"));
        two(base, block.set("tags", object([("n", reference("wrong_thing.base.note"))])))
    };
    let late = |value: &str| resource("terraform_data", "late").set("input", value);
    let after = || thing("this", "x").depends_on("wrong_thing.base");
    let secret = |value: &str| thing("this", "x").set("note", sensitive(value));
    let token = || thing("base", "a").set("token", "t");
    let of_token = || thing("this", "x").set("note", reference("wrong_thing.base.token"));
    vec![
        Scenario::new("a value is known only after apply").apply(pair("a", "n")).plan(pair("a", "n")),
        Scenario::new("an update spreads").apply(pair("a", "n")).apply(pair("a", "m")),
        Scenario::new("a replacement spreads").apply(pair("a", "n")).apply(pair("b", "n")),
        Scenario::new("what refers is destroyed first")
            .apply(pair("a", "n"))
            .then(Command::Destroy(pair("a", "n"))),
        Scenario::new("what refers goes with what it refers to").apply(pair("a", "n")).apply(Config::new()),
        Scenario::new("an object comes after another")
            .apply(two(thing("base", "a"), after()))
            .apply(two(thing("base", "b"), after())),
        Scenario::new("a key to replace by is not known")
            .apply(two(
                late("a"),
                resource("wrong_thing", "this").set("name", reference("terraform_data.late.output")),
            ))
            .apply(two(
                late("b"),
                resource("wrong_thing", "this").set("name", reference("terraform_data.late.output")),
            )),
        Scenario::new("a value is marked sensitive")
            .apply(one(secret("s")))
            .apply(one(secret("t")))
            .plan(one(secret("t"))),
        Scenario::new("a sensitive mark comes and goes")
            .apply(one(thing("this", "x").set("note", "s")))
            .apply(one(secret("s")))
            .apply(one(thing("this", "x").set("note", "s"))),
        Scenario::new("a sensitive attribute is referred to")
            .apply(two(token(), of_token()))
            .plan(two(token(), of_token())),
        Scenario::new("an instance of several is referred to")
            .apply(counted(2).resource(thing("other", "x").set("note", reference("wrong_thing.this[1].id")))),
        Scenario::new("lists of values that are not known").apply(two(
            thing("base", "a"),
            thing("this", "x").set("hosts", list([reference("wrong_thing.base.id")])),
        )),
    ]
}

fn data_sources() -> Vec<Scenario> {
    let known = |name: &str| {
        Config::new()
            .data(data("wrong_data", "d").set("name", name))
            .resource(thing("this", "x").set("note", reference("data.wrong_data.d.value")))
    };
    let late = |name| {
        one(thing("base", name))
            .data(data("wrong_data", "d").set("name", reference("wrong_thing.base.id")))
            .resource(thing("this", "x").set("note", reference("data.wrong_data.d.value")))
    };
    let after = |note: &str| {
        one(thing("base", "a").set("note", note))
            .data(data("wrong_data", "d").set("name", "n").depends_on("wrong_thing.base"))
    };
    vec![
        Scenario::new("data is read while planning").apply(known("a")).apply(known("b")).plan(known("b")),
        Scenario::new("data is read during apply").apply(late("a")).plan(late("a")).apply(late("b")),
        Scenario::new("data waits for what it depends on")
            .apply(after("n"))
            .plan(after("n"))
            .apply(after("m")),
        Scenario::new("data is no longer configured").apply(known("a")).apply(Config::new()),
        Scenario::new("data is destroyed with the rest").apply(known("a")).then(Command::Destroy(known("a"))),
    ]
}

fn outputs() -> Vec<Scenario> {
    let of = |value: &str| Config::new().output("o", value);
    let id = |name| one(thing("this", name)).output("o", reference("wrong_thing.this.id"));
    let token = || one(thing("this", "a").set("token", "t"));
    vec![
        Scenario::new("outputs come, change and go")
            .apply(of("a"))
            .apply(of("b"))
            .plan(of("b"))
            .apply(Config::new()),
        Scenario::new("an output of an object").apply(id("a")).apply(id("b")).then(Command::Destroy(id("b"))),
        Scenario::new("a sensitive output")
            .apply(token().sensitive_output("o", reference("wrong_thing.this.token")))
            .plan(token().sensitive_output("o", reference("wrong_thing.this.token"))),
        Scenario::new("an output does not say that it is sensitive")
            .plan(token().output("o", reference("wrong_thing.this.token"))),
        Scenario::new("an output of a whole object")
            .apply(one(thing("this", "a")).sensitive_output("o", reference("wrong_thing.this"))),
        Scenario::new("an output is null").apply(Config::new().output("o", null())),
    ]
}
