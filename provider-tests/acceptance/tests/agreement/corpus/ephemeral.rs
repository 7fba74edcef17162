//! Ephemeral resources: which calls there are, and what is stored of them.

use ferroform::path;
use ferroform::value::Value;
use ferroform_acceptance::wrong::{Change, Fault, Which};
use ferroform_server::protocol::Rpc;
use ferroform_testing::address::Target;
use ferroform_testing::config::{
    Config, Expr, ResourceBlock, count_index, data, each_key, ephemeral, object, provider, reference,
    template,
};
use ferroform_testing::embedded::PlanOptions;

use super::{failing, one, thing, two};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    [lives(), mistakes(), faults()].into_iter().flatten().collect()
}

fn token(name: impl Into<Expr>) -> ResourceBlock {
    ephemeral("wrong_token", "t").set("name", name)
}

fn value() -> Expr {
    reference("ephemeral.wrong_token.t.value")
}

fn guarded() -> ResourceBlock {
    thing("this", "a").set("secret", value())
}

fn used() -> Config {
    two(token("t"), guarded())
}

fn lives() -> Vec<Scenario> {
    let plain = || one(token("t"));
    let target = PlanOptions::default().target("wrong_thing.this".parse::<Target>().expect("an address"));
    let chain = one(token("t"))
        .resource(ephemeral("wrong_token", "u").set("name", "u").set("note", value()))
        .provider(provider("wrong").alias("two").set("setting", reference("ephemeral.wrong_token.u.value")))
        .resource(thing("this", "a").provider("wrong.two"));
    let counted = one(token(template(["t".into(), count_index()])).count(2))
        .resource(
            ephemeral("wrong_token", "f").for_each(object([("x", 1), ("y", 2)])).set("name", each_key()),
        )
        .resource(thing("this", "a").set("secret", reference("ephemeral.wrong_token.t[1].value")))
        .resource(thing("that", "b").set("secret", reference("ephemeral.wrong_token.f[\"y\"].value")));
    let unknown =
        one(thing("base", "b")).resource(token(reference("wrong_thing.base.id"))).resource(guarded());
    let after =
        one(thing("base", "b")).resource(token("t").depends_on("wrong_thing.base")).resource(guarded());
    vec![
        Scenario::new("an ephemeral resource has a user")
            .apply(used())
            .apply(used())
            .then(Command::Refresh(used()))
            .then(Command::Destroy(used())),
        Scenario::new("an ephemeral resource has no user").plan(plain()).plan(plain()),
        Scenario::new("an ephemeral resource is not targeted")
            .then(Command::Apply(used().resource(ephemeral("wrong_token", "u").set("name", "u")), target)),
        Scenario::new("a provider is configured by an ephemeral resource")
            .apply(chain.clone())
            .then(Command::Destroy(chain)),
        Scenario::new("instances of ephemeral resources").apply(counted),
        Scenario::new("the configuration of an ephemeral resource is unknown")
            .apply(unknown.clone())
            .apply(unknown),
        Scenario::new("an ephemeral resource depends on a change").apply(after),
    ]
}

fn mistakes() -> Vec<Scenario> {
    let with = |block: ResourceBlock| two(token("t"), block);
    let looked_up = one(token("t")).data(data("wrong_data", "d").set("name", value()));
    vec![
        Scenario::new("an ephemeral result is an argument")
            .plan(with(thing("this", "a").set("note", value()))),
        Scenario::new("an ephemeral result is a count").plan(with(thing("this", "a").count(value()))),
        Scenario::new("an ephemeral result is looked up").plan(looked_up),
        Scenario::new("an ephemeral resource needs itself").plan(one(token(value()))),
        Scenario::new("an ephemeral resource lacks an argument")
            .plan(one(ephemeral("wrong_token", "t").set("note", "n"))),
        Scenario::new("an ephemeral resource has an argument too many")
            .plan(one(token("t").set("nothing", 1))),
        Scenario::new("there is no such ephemeral resource")
            .plan(one(ephemeral("wrong_nothing", "t").set("name", "t"))),
    ]
}

fn faults() -> Vec<Scenario> {
    let opened = |change| Fault { rpc: Rpc::OpenEphemeralResource, which: Which::All, change };
    let another: fn(&mut Value) = |result| {
        if let Some(name) = result.get_mut(&path!(name)) {
            *name = Value::from("another");
        }
    };
    let apply = |config| Command::Apply(config, PlanOptions::default());
    let plan = |config| Command::Plan(config, PlanOptions::default());
    vec![
        Scenario::new("the result of an ephemeral resource is not as configured")
            .wrong(opened(Change::Object(another)), plan(used())),
        Scenario::new("a user of an ephemeral resource fails").wrong(failing(Which::All), apply(used())),
    ]
}
