//! The rules of the conformance suite, for the providers of the acceptance tests and the demo.

use std::path::PathBuf;
use std::sync::Arc;

use ferroform::value::Value;
use ferroform::{Protocol, Serve, path};
use ferroform_acceptance::plain::Plain;
use ferroform_acceptance::probe::Probe;
use ferroform_testing::case::{InProcess, Provider, Start, Trials};
use ferroform_testing::client::Protocol as Spoken;
use ferroform_testing::config::{Body, Expr, body, list, object, provider};
use ferroform_testing::conformance::{Conformance, EphemeralResourceTest, ResourceTest, Rule};
use proptest::prelude::*;

/// The tests of all providers.
pub(crate) fn trials() -> Trials {
    let mut trials = demo().trials();
    [plain(), probe(), program()].iter().for_each(|others| trials.append(others.trials()));
    trials
}

/// Everything is below a folder.
struct Backend {
    root: PathBuf,
}

impl Backend {
    fn new(start: &Start) -> Self {
        Self { root: start.directory().to_owned() }
    }

    fn left(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().display().to_string()).collect()
    }

    fn write(&self, object: &Value, suffix: &str, content: &str) {
        let name = object.get(&path!(name)).and_then(Value::as_str).expect("an object has a name");
        std::fs::write(self.root.join(format!("{name}{suffix}")), content).expect("the folder is there");
    }
}

/// A provider in both protocols, made by what it is told which one.
fn conformance(name: &'static str, serve: fn(Protocol) -> Serve) -> Conformance<Backend> {
    let source = format!("example.com/ferroform/{name}");
    let serve = move |spoken| match spoken {
        Spoken::V5 => serve(Protocol::V5),
        Spoken::V6 => serve(Protocol::V6),
    };
    let provider_of = Provider::in_process(&source, move |_: &Backend| InProcess::by_protocol(serve));
    Conformance::new(provider_of, Backend::new)
        .protocols([Spoken::V6, Spoken::V5])
        .provider_config(move |backend| provider(name).set("root", backend.root.as_path()))
        .expect_no_leftovers(Backend::left)
}

fn names() -> impl Strategy<Value = Value> + Send + Sync {
    "[a-z]{1,8}".prop_map(Value::from)
}

fn rights() -> impl Strategy<Value = Value> + Send + Sync {
    prop::sample::select(vec!["rw-", "r--", "rwx"]).prop_map(Value::from)
}

fn demo() -> Conformance<Backend> {
    conformance("demo", |protocol| Serve::new(ferroform_examples::demo::provider(protocol)))
        .resource(
            ResourceTest::new("demo_directory", |_: &Backend| body().set("name", "d"))
                .changed(|_| body().set("name", "other"))
                .import_id(path!(name))
                .values(&path!(name), names()),
        )
        .resource(
            ResourceTest::new("demo_file", |_: &Backend| body().set("name", "a.txt").set("content", "one"))
                .changed(|_| body().set("name", "a.txt").set("content", "two").set("mode", "0600"))
                .change_outside(|backend, object| backend.write(object, "", "three"))
                .dependants(path!(content), [path!(size), path!(sha256)])
                .import_id(path!(name))
                .values(&path!(name), names())
                .values(
                    &path!(mode),
                    prop::sample::select(vec!["0600", "0644", "0755"]).prop_map(Value::from),
                ),
        )
        .resource(
            note(|body, permissions| body.set("permissions", object(permissions))).only_protocol(Spoken::V6),
        )
        .resource(
            note(|rest, permissions| {
                let block = permissions.into_iter().fold(body(), |block, (who, may)| block.set(who, may));
                rest.block("permissions", block)
            })
            .only_protocol(Spoken::V5),
        )
        .resource(
            service(
                || body().set("endpoints", list([object([("host", "a")])])),
                || {
                    let endpoints = list([
                        object([("host", Expr::from("b")), ("port", 8443.into())]),
                        object([("host", "c")]),
                    ]);
                    body().set("endpoints", endpoints).set("limits", object([("memory", 64)]))
                },
            )
            .only_protocol(Spoken::V6),
        )
        .resource(
            service(
                || body().block("endpoints", body().set("host", "a")),
                || {
                    body()
                        .block("endpoints", body().set("host", "b").set("port", 8443))
                        .block("endpoints", body().set("host", "c"))
                        .block("limits", body().set("memory", 64))
                },
            )
            .only_protocol(Spoken::V5),
        )
        .resource(
            ResourceTest::new("demo_token", |_: &Backend| body())
                .changed(|_| body().set("length", 16).set("keepers", object([("k", "v")])))
                .values(&path!(length), (8..=256_i64).prop_map(Value::from))
                .skip_rule(Rule::Disappears, "it lives in the state only"),
        )
        .ephemeral_resource(
            EphemeralResourceTest::new("demo_token_file", |_: &Backend| body().set("name", "token")).valid(
                |backend, result| {
                    let token = result.get(&path!(value)).and_then(Value::as_str);
                    std::fs::read_to_string(backend.root.join("token")).ok().as_deref() == token
                },
            ),
        )
}

/// A service with what its configurations have in the words of a protocol.
fn service(minimal: fn() -> Body, most: fn() -> Body) -> ResourceTest<Backend> {
    let ports = || (1..=65535_i64).prop_map(Value::from);
    ResourceTest::new("demo_service", move |_: &Backend| minimal().set("name", "web").set("port", 80))
        .changed(move |_| {
            let body = most().set("name", "web").set("port", 81);
            body.set("tags", list(["x", "y"])).set("token", "t0ken")
        })
        .import_id(path!(name))
        .values(&path!(name), names())
        .values(&path!(port), ports())
        .values(&path!(endpoints.port), ports())
        .values(&path!(limits.memory), ports())
        .values(&path!(limits.connections), ports())
}

/// A note, whose permissions are added in the words of a protocol.
fn note(permissions: fn(Body, [(&'static str, &'static str); 3]) -> Body) -> ResourceTest<Backend> {
    let note = move |lines: [&'static str; 2]| {
        let rights = [("owner", "rw-"), ("group", "r--"), ("others", "---")];
        permissions(body().set("name", "a.md").set("lines", list(lines)), rights)
    };
    ResourceTest::new("demo_note", move |_: &Backend| note(["one", "two"]))
        .changed(move |_| note(["two", ""]))
        .change_outside(|backend, object| backend.write(object, "", "three"))
        .import_id(path!(name))
        .values(&path!(name), names())
        .values(
            &path!(lines),
            prop::collection::vec("[a-z ]{0,5}", 0..3)
                .prop_map(|lines| Value::list(lines.into_iter().map(Value::from))),
        )
        .values(&path!(permissions.owner), rights())
        .values(&path!(permissions.group), rights())
        .values(&path!(permissions.others), rights())
}

fn plain() -> Conformance<Backend> {
    conformance("plain", |_| Serve::new(Arc::new(Plain::default()))).resource(plain_file())
}

fn plain_file() -> ResourceTest<Backend> {
    ResourceTest::new("plain_file", |_: &Backend| body().set("name", "a").set("content", "one"))
        .changed(|_| body().set("name", "a").set("content", "two"))
        .change_outside(|backend, object| backend.write(object, "", "three"))
        .dependants(path!(content), [path!(length)])
        .import_id(path!(name))
        .values(&path!(name), names())
        .skip_rule(Rule::DestroyTwice, "deleting a file that is gone is an error of the operating system")
}

/// A provider that is started as a program, as one in another language is. Its tests have no protocol in their names.
fn program() -> Conformance<Backend> {
    let provider_of =
        Provider::binary("example.com/ferroform/plain", env!("CARGO_BIN_EXE_terraform-provider-plain"));
    Conformance::new(provider_of, Backend::new)
        .provider_config(|backend: &Backend| provider("plain").set("root", backend.root.as_path()))
        .expect_no_leftovers(Backend::left)
        .resource(
            plain_file().cases(1).skip_rule(Rule::CallFaults, "it starts the program some thousand times"),
        )
}

fn probe() -> Conformance<Backend> {
    let named = |type_name: &'static str| {
        ResourceTest::new(type_name, |_: &Backend| body().set("name", "a")).values(&path!(name), names())
    };
    conformance("probe", |protocol| Serve::new(Arc::new(Probe::new(protocol, None))))
        // The others show that the rules hold over both protocols.
        .protocols([Spoken::V6])
        .resource(
            ResourceTest::new("probe_number", |_: &Backend| body().set("name", "a").set("value", 1))
                .values(&path!(name), names())
                .changed(|_| body().set("name", "a").set("value", 2.5))
                .dependants(path!(value), [path!(copy)])
                .import_id(path!(id)),
        )
        .resource(
            ResourceTest::new("probe_text", |_: &Backend| body().set("name", "a").set("text", "one"))
                .values(&path!(name), names())
                .changed(|_| body().set("name", "a").set("text", "three"))
                .dependants(path!(text), [path!(length)])
                .import_id(path!(id)),
        )
        .resource(
            named("probe_dynamic")
                .dependants(path!(value), [path!(copy)])
                .changed(|_| body().set("name", "a").set("value", list(["x"])))
                .import_id(path!(id)),
        )
        .resource(named("probe_blocks").changed(|_| {
            let block = || body().set("key", "k").block("inner", body().set("key", "i"));
            let blocks = body()
                .set("name", "a")
                .block("single", block())
                .block("list", block())
                .block("list", block());
            blocks.block("set", block()).labelled("map", "m", block()).block("any", body().set("value", 1))
        }))
        .resource(
            named("probe_nested")
                .changed(|_| {
                    let one = || object([("key", "k"), ("note", "n")]);
                    body()
                        .set("name", "a")
                        .set("single", one())
                        .set("list", list([one(), one()]))
                        .set("set", list([one()]))
                        .set("map", object([("m", one())]))
                })
                .only_protocol(Spoken::V6),
        )
        .resource(
            named("probe_rules").changed(|_| body().set("name", "a").block("real", body().set("port", 1))),
        )
        .skip_resource("ephemeral.probe_lease", "it keeps a journal, which stays")
        .skip_resource("probe_secret", "it stores its write-only value in a file of its own, which stays")
        .skip_resource("probe_meta", "it shows what the module around it says")
        .skip_resource("probe_slow", "it waits for a test to let it go on")
        .skip_resource("probe_panicking", "it panics")
        .skip_resource("probe_printing", "it shows what printing does")
        .skip_resource("probe_violating", "it breaks the rules")
}
