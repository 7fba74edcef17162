//! The provider `demo` of the examples.

use std::fs;

use ferroform_testing::client::Protocol;
use ferroform_testing::config::{
    Body, Config, Expr, ResourceBlock, body, data, list, object, reference, resource, template,
};
use ferroform_testing::embedded::PlanOptions;

use crate::compare::TOKEN;
use crate::provider_under_test::{Name, ProviderUnderTest};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![example(), services(), blocks(), endpoints_outside(), tokens(), directories(), mistakes(), in_use()]
}

fn scenario(name: &str) -> Scenario {
    Scenario::of(ProviderUnderTest::new(Name::Demo, Protocol::V6), name)
}

fn file(label: &str, name: impl Into<Expr>, content: &str) -> ResourceBlock {
    resource("demo_file", label).set("name", name).set("content", content)
}

/// The configuration of `examples/demo`, with a token as long as the cases have it.
fn site(subject: &ProviderUnderTest, content: &str, rotated: &str) -> Config {
    let endpoint =
        |host: &str, port: Option<u32>| object([("host", Expr::from(host)), ("port", port.into())]);
    let token = resource("demo_token", "api").set("length", TOKEN);
    let service = resource("demo_service", "web")
        .set("name", "web")
        .set("port", 8080)
        .set("tags", list(["public", "http"]))
        .set("labels", object([("team", "core")]))
        .set("token", reference("demo_token.api.value"))
        .set("endpoints", list([endpoint("a.example.com", None), endpoint("b.example.com", Some(8443))]))
        .set("limits", object([("memory", 512)]));
    let index = template([reference("demo_directory.site.name"), "/index.html".into()]);
    subject
        .config()
        .resource(resource("demo_directory", "site").set("name", "site"))
        .resource(file("index", index, content))
        .resource(token.set("keepers", object([("rotated", rotated)])))
        .resource(service)
        .data(data("demo_file", "index").set("name", reference("demo_file.index.name")))
        .output("url", reference("demo_service.web.endpoints[1].url"))
        .output("size", reference("data.demo_file.index.size"))
}

fn example() -> Scenario {
    let it = scenario("the example of the demo");
    let config = |content, rotated| site(&it.subject, content, rotated);
    let (first, second) = (config("<h1>Hello</h1>\n", "2026-01"), config("<h1>Bye</h1>\n", "2026-01"));
    let third = config("<h1>Bye</h1>\n", "2026-02");
    it.apply(first.clone()).plan(first).apply(second).apply(third.clone()).then(Command::Destroy(third))
}

fn service(it: &Scenario, body: Body) -> Config {
    let mut block = resource("demo_service", "web");
    block.body = body.set("name", "web");
    it.subject.config().resource(block)
}

fn services() -> Scenario {
    let it = scenario("a service is updated, found and imported");
    let hosts = |hosts: &[&str]| list(hosts.iter().map(|host| object([("host", *host)])));
    let least = service(&it, body().set("port", 80).set("endpoints", hosts(&["a"])));
    let most = body()
        .set("port", 81)
        .set("endpoints", hosts(&["b", "a"]))
        .set("tags", list(["y", "x"]))
        .set("token", "t0ken")
        .set("limits", object([("memory", 64)]));
    let most = service(&it, most);
    let identity = most.clone().import_identity("demo_service.web", object([("name", "web")]));
    let none = it.subject.config().forgotten("demo_service.web");
    it.apply(least).apply(most).apply(none).apply(identity)
}

/// Protocol 5 has blocks in the place of nested attributes.
fn blocks() -> Scenario {
    let it = Scenario::of(ProviderUnderTest::new(Name::Demo, Protocol::V5), "a service in protocol 5");
    let host = |host: &str| body().set("host", host);
    let least = service(&it, body().set("port", 80).block("endpoints", host("a")));
    let most = body().set("port", 81).block("endpoints", host("b")).block("endpoints", host("a"));
    let most = service(&it, most.block("limits", body().set("memory", 64)));
    it.apply(least).apply(most.clone()).plan(most.clone()).then(Command::Destroy(most))
}

fn endpoints_outside() -> Scenario {
    let it = scenario("a service changes outside");
    let endpoints = list([object([("host", "a")])]);
    let config = service(&it, body().set("port", 80).set("endpoints", endpoints));
    let rewrite = |root: &std::path::Path| {
        let path = root.join("web.service.json");
        let text = fs::read_to_string(&path).expect("a service");
        fs::write(path, text.replace("80", "8080")).expect("written");
    };
    it.apply(config.clone())
        .after(rewrite, Command::Plan(config.clone(), PlanOptions::refresh_only()))
        .apply(config)
}

fn tokens() -> Scenario {
    let it = scenario("a token is replaced");
    let token = |keeper: &str| {
        let block = resource("demo_token", "this").set("length", TOKEN);
        it.subject.config().resource(block.set("keepers", object([("k", keeper)])).create_before_destroy())
    };
    let (first, second) = (token("a"), token("b"));
    it.apply(first.clone()).plan(first).apply(second.clone()).then(Command::Destroy(second))
}

fn directories() -> Scenario {
    let it = scenario("directories for files");
    let within = |name: &str| {
        let block = resource("demo_directory", "each").for_each(object([("x", name), ("y", "other")]));
        let block = block.set("name", ferroform_testing::config::each_value());
        let name = template([reference("demo_directory.each[\"x\"].name"), "/f".into()]);
        it.subject.config().resource(block).resource(file("in", name, "text"))
    };
    let (first, second) = (within("a"), within("b"));
    it.apply(first).apply(second.clone()).then(Command::Destroy(second))
}

/// What users do wrong.
fn mistakes() -> Scenario {
    let it = scenario("what is configured is wrong");
    let config = |block| it.subject.config().resource(block);
    let configs = [
        config(file("this", "a", "text").set("mode", "888")),
        config(file("this", "../a", "text")),
        config(resource("demo_token", "this").set("length", 4)),
        it.subject.config().data(data("demo_file", "none").set("name", "none")),
    ];
    configs.into_iter().fold(it, Scenario::plan)
}

/// What stands in the way.
fn in_use() -> Scenario {
    let it = scenario("what is to be created is there, and what is to be deleted is in use");
    let taken = it.subject.config().resource(file("this", "a", "text"));
    let directory = it.subject.config().resource(resource("demo_directory", "this").set("name", "d"));
    it.after(|root| fs::write(root.join("a"), "mine").expect("written"), apply(taken))
        .apply(directory.clone())
        .after(
            |root| fs::write(root.join("d/f"), "mine").expect("written"),
            Command::Destroy(directory.clone()),
        )
        .plan(directory)
}

fn apply(config: Config) -> Command {
    Command::Apply(config, PlanOptions::default())
}
