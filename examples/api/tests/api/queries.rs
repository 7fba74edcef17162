//! Queries of the list resource: what core finds, and the configuration that takes it under management.

use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};

use ferroform::Serve;
use ferroform_example_api::provider::{self, ADDRESS};
use ferroform_example_api::service::Service;
use ferroform_testing::case::{Provider, Trials};
use ferroform_testing::client::Protocol;
use ferroform_testing::play::{Play, Screen};
use ferroform_testing::real::{self, Core, CoreRequest, Resolver, ServedProvider, Workspace};
use ferroform_testing::render::Colour;
use serde_json::Value as Json;

const NAME: &str = "queries";
/// The query for a person.
const LIST: &str = include_str!("../../orders.tfquery.hcl");

/// The embedded core over both protocols, and the real ones that have queries over one each.
pub(crate) fn add(trials: &mut Trials, resolver: &Resolver) {
    for (number, protocol) in [(6, Protocol::V6), (5, Protocol::V5)] {
        trials.test((&format!("embedded/protocol {number}"), NAME), move || {
            on_embedded(protocol);
            Ok(())
        });
    }
    for (core, number, protocol) in [("1.15.5", 6, real::Protocol::V6), ("1.14.9", 5, real::Protocol::V5)] {
        let wanted: CoreRequest = core.parse().expect("a core");
        let at = format!("{wanted}/protocol {number}");
        trials.on_core(&resolver.resolve(&wanted), (&at, NAME), move |core| {
            on_real(core, protocol);
            Ok(())
        });
    }
}

fn on_embedded(protocol: Protocol) {
    let folder = tempfile::tempdir().expect("a folder");
    let play = Play::new(Provider::in_process(ADDRESS, |(): &()| Serve::new(provider::provider())));
    let play = play.protocol(protocol);
    let chdir = format!("-chdir={}", folder.path().display());
    check(folder.path(), &|command| {
        let output = Output::default();
        let screen = Screen::new(output.clone(), io::stderr(), Colour::None);
        let code = play.run(&[&[chdir.as_str()], command].concat(), &screen);
        let text = String::from_utf8(output.0.lock().expect("no panic").clone()).expect("text");
        assert_eq!(code, 0, "{text}");
        text
    });
}

fn on_real(core: &Core, protocol: real::Protocol) {
    let served =
        ServedProvider::start(ADDRESS, protocol, Serve::new(provider::provider())).expect("a server");
    let workspace = Workspace::new(core, &[served.provider().clone()]).expect("a workspace");
    check(&workspace.dir(), &|command| {
        let outcome = workspace.run(command).expect("an end");
        assert!(outcome.succeeded(), "{outcome:?}\n{}", outcome.stdout);
        outcome.stdout
    });
}

/// What a command prints.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lists three of five queues, which the service shows in two pages, and takes them under management. `run` runs a command
/// that succeeds, and returns what it prints.
fn check(folder: &Path, run: &dyn Fn(&[&str]) -> String) {
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let service = Service::start(&folder.join("service.sqlite"), any_port).expect("the service starts");
    for name in ["orders-1", "other", "orders-2", "orders-3", "orders-4"] {
        service.add_queue(name).expect("the name is free");
    }
    let label = |queue: &mut Json| queue["labels"]["team"] = "core".into();
    service.edit("queues", "q-3", label).expect("the queue is there");
    let endpoint = service.endpoint();
    let main = format!(
        "terraform {{\n  required_providers {{\n    api = {{ source = \"{ADDRESS}\" }}\n  }}\n}}\n\nprovider \"api\" \
         {{\n  endpoint = \"{endpoint}\"\n}}\n"
    );
    fs::write(folder.join("main.tf"), main).expect("written");
    fs::write(folder.join("orders.tfquery.hcl"), LIST).expect("written");
    let found: Vec<Json> = lines(&run(&["query", "-json"]), "list_resource_found");
    let names: Vec<&Json> = found.iter().map(|it| &it["display_name"]).collect();
    assert_eq!(names, ["orders-1", "orders-2", "orders-3"]);
    assert_eq!(found[1]["identity"], serde_json::json!({"id": "q-3"}));
    let listed = |it: &String| it.starts_with("GET /queues?");
    let pages: Vec<String> = service.requests().into_iter().filter(listed).collect();
    assert_eq!(pages, ["GET /queues?prefix=orders 200", "GET /queues?prefix=orders&after=q-3 200"]);
    run(&["query", "-json", "-generate-config-out=found.tf"]);
    let applied = run(&["apply", "-json", "-auto-approve"]);
    let changes = lines(&applied, "changes").pop().expect("a summary");
    let count = |what: &str| changes[what].as_u64();
    assert_eq!((count("import"), count("change"), count("add")), (Some(3), Some(0), Some(0)), "{applied}");
}

/// The member of that name of each line that has one.
fn lines(output: &str, member: &str) -> Vec<Json> {
    let lines = output.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    lines.map(|mut line| line[member].take()).filter(|it| !it.is_null()).collect()
}
