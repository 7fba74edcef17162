//! The life of a queue, whose every value the service writes in another form.

use ferroform::path;
use ferroform_example_api::provider::ADDRESS;
use ferroform_testing::case::{
    Captured, Case, Provider, Run, RunsOn, Source, Step, StepOutcome, change, drift, is, no_changes,
    no_drift, no_object, object, output, value,
};
use ferroform_testing::config::{Config, ResourceBlock, data, list, object as members, reference, resource};
use ferroform_testing::plan::{Action, ActionReason};
use ferroform_testing::real::Feature;

use crate::support::{A, B, Backend, at_service, case, full, kept, of, only, queue};

const ID: Captured = Captured::new("the id");

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![
        lifecycle(),
        rewritten(),
        vanished(),
        imported(),
        imported_by_identity(),
        filled(),
        pages(),
        named(),
        as_text(),
    ]
}

fn lifecycle() -> Case<Backend> {
    let changed = || kept("2h", "edge");
    case("lifecycle")
        .runs_on(RunsOn::Matrix)
        .step(
            Step::apply(only([full()]))
                .named("create")
                .plan(
                    change(A)
                        .action(Action::Create)
                        .after(path!(id), is::unknown())
                        .after(path!(type), is::unknown())
                        .after(path!(name), "Orders"),
                )
                .state(
                    object(A)
                        .has(path!(id), "q-1")
                        .has(path!(name), "Orders")
                        .has(path!(type), "standard")
                        .has(path!(policy), r#"{ "read": ["all"], "admin": [] }"#)
                        .has(path!(retention), "90m")
                        .has(path!(labels), is::object([("team", "core")]))
                        .has(path!(regions), is::list(["us", "eu"]))
                        .ready(),
                )
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    let queue = outcome.run.backend.queue();
                    assert_eq!(queue["name"], "orders");
                    assert_eq!(queue["policy"], r#"{"admin":[],"read":["all"]}"#);
                    assert_eq!(queue["retention"], "5400s");
                    assert_eq!(queue["labels"].as_object().map(serde_json::Map::len), Some(2));
                    assert_eq!(queue["regions"], serde_json::json!(["eu", "us"]));
                }),
        )
        .step(
            Step::apply(only([changed()]))
                .named("update")
                .plan(
                    change(A)
                        .action(Action::Update)
                        .after(path!(revision), is::unknown())
                        .after(path!(type), "standard"),
                )
                .state(object(A).has(path!(id), "q-1").has(path!(labels), is::object([("team", "edge")]))),
        )
        .step(Step::change_outside(|backend: &Backend| {
            backend.edit(|queue| queue["retention"] = "60s".into())
        }))
        .step(
            Step::apply(only([changed()]))
                .named("mend")
                .plan(drift(A).before(path!(retention), "2h").after(path!(retention), "60s"))
                .plan(change(A).action(Action::Update).after(path!(retention), "2h"))
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    assert_eq!(outcome.run.backend.queue()["retention"], "7200s")
                }),
        )
        .step(
            Step::apply(only([changed().set("type", "ordered")]))
                .named("replace")
                .plan(
                    change(A)
                        .action(Action::DeleteThenCreate)
                        .reason(ActionReason::ReplaceBecauseCannotUpdate)
                        .replace_paths([path!(type)]),
                )
                .state(object(A).has(path!(id), "q-2").has(path!(type), "ordered")),
        )
        .step(Step::destroy().plan(change(A).action(Action::Delete)).state(no_object(A)))
}

/// An equivalent value plans no change, whichever side writes it in another form.
fn rewritten() -> Case<Backend> {
    let other = || {
        resource("api_queue", "a")
            .set("name", "ORDERS")
            .set("policy", r#"{"admin":[],"read":["all"]}"#)
            .set("retention", "1h30m")
            .set("labels", members([("team", "core")]))
            .set("regions", list(["eu", "us"]))
    };
    case("rewritten")
        .runs_on(RunsOn::Matrix)
        .step(Step::apply(only([full()])))
        .step(
            Step::apply(only([other()]))
                .plan(no_changes())
                .state(object(A).has(path!(name), "Orders").has(path!(retention), "90m")),
        )
        .step(Step::change_outside(|backend: &Backend| {
            backend.edit(|queue| {
                queue["labels"]["service/moved"] = "yes".into();
                queue["regions"] = serde_json::json!(["us", "eu"]);
                queue["policy"] = r#"{"read":["all"],"admin":[]}"#.into();
            });
        }))
        .step(Step::plan_only(only([full()])).named("by others").plan(no_changes()).plan(no_drift()))
        .step(Step::change_outside(|backend: &Backend| {
            backend.edit(|queue| queue["labels"]["team"] = "other".into())
        }))
        .step(
            Step::apply(only([full()]))
                .named("a label of ours")
                .plan(drift(A).after(path!(labels), is::object([("team", "other")])))
                .plan(change(A).action(Action::Update)),
        )
}

fn vanished() -> Case<Backend> {
    case("vanished").step(Step::apply(only([full()]))).step(Step::change_outside(Backend::remove)).step(
        Step::apply(only([full()]))
            .plan(drift(A).action(Action::Delete))
            .plan(change(A).action(Action::Create))
            .state(object(A).has(path!(id), "q-2")),
    )
}

fn imported() -> Case<Backend> {
    case("imported")
        .runs_on(RunsOn::Matrix)
        .requires(Feature::ImportBlock)
        .step(Step::apply(only([full()])).capture(&ID, A, path!(id)))
        .step(
            // An import knows nothing of how the values were written. It is nothing to do all the same.
            Step::import_id(only([full()]), A, &ID)
                .except(path!(name))
                .except(path!(policy))
                .except(path!(retention))
                .except(path!(regions))
                .plan(change(A).action(Action::NoOp).importing(&ID))
                .state(
                    object(A).has(path!(name), "orders").has(path!(labels), is::object([("team", "core")])),
                ),
        )
}

fn imported_by_identity() -> Case<Backend> {
    case("imported by identity")
        .requires(Feature::ResourceIdentity)
        .step(Step::apply(only([queue()])).capture_identity(&ID, A, path!(id)))
        .step(
            Step::import_identity(only([queue()]), A, [("id", &ID)])
                .except(path!(name))
                .except(path!(retention))
                .plan(change(A).action(Action::NoOp))
                .state(object(A).identity(path!(id), "q-1")),
        )
}

/// What the service fills is unknown at first, and then as known as what is configured.
fn filled() -> Case<Backend> {
    let both = || only([queue(), subscription("Billing")]);
    case("filled by the service")
        .runs_on(RunsOn::Matrix)
        .step(
            Step::apply(both())
                .plan(change(A).after(path!(type), is::unknown()))
                .plan(change(B).after(path!(filter), is::unknown()))
                .state(object(A).has(path!(type), "standard"))
                .state(object(B).has(path!(filter), "standard")),
        )
        .step(Step::change_outside(|backend: &Backend| {
            backend.edit(|queue| queue["type"] = "ordered".into())
        }))
        .step(
            Step::apply(both())
                .plan(drift(A).before(path!(type), "standard").after(path!(type), "ordered"))
                .plan(change(A).action(Action::NoOp))
                .plan(change(B).action(Action::Update).after(path!(filter), "ordered")),
        )
}

pub(crate) fn subscription(name: &str) -> ResourceBlock {
    resource("api_subscription", "b")
        .set("name", name)
        .set("queue", reference("api_queue.a.id"))
        .set("filter", reference("api_queue.a.type"))
}

/// Five queues, of which the service shows two at once.
fn pages() -> Case<Backend> {
    let five = resource("api_queue", "a").set("name_prefix", "five-").count(5);
    let other = resource("api_queue", "other").set("name", "other");
    let read = data("api_queues", "all").set("name_prefix", "five-").depends_on("api_queue.a");
    let config = || Config::new().resource(five.clone()).resource(other.clone());
    // Three of them, which share their reads where they ask at the same time.
    let config = config().data(read.count(3)).output("names", reference("data.api_queues.all[2].names"));
    case("pages").step(
        Step::apply(at_service(config)).plan(output("names").after(path!(), is::unknown())).check(
            |outcome: &StepOutcome<'_, Backend>| {
                let names = |it: &serde_json::Value| it["name"].as_str().map(str::to_owned);
                let made: Vec<_> = outcome.run.backend.objects("queues").iter().filter_map(names).collect();
                let made: Vec<_> = made.into_iter().filter(|name| name.starts_with("five-")).collect();
                assert_eq!(outcome.state.json()["outputs"]["names"]["value"], serde_json::json!(made));
                assert_eq!(made.len(), 5);
                let requests = outcome.run.backend.service.requests();
                let pages = requests.iter().filter(|it| it.starts_with("GET /queues?prefix=five-"));
                let later = pages.clone().filter(|it| it.contains("&after=q-")).count();
                assert!((2..=6).contains(&later) && (3..=9).contains(&pages.count()), "{requests:?}");
            },
        ),
    )
}

/// The service sees the provider with its version, the version of core and that of the SDK.
fn named() -> Case<Backend> {
    let check = |outcome: &StepOutcome<'_, Backend>| {
        let user_agents: Vec<_> = outcome.run.backend.service.user_agents().into_iter().collect();
        let [user_agent] = user_agents.as_slice() else { panic!("{user_agents:?}") };
        let version = env!("CARGO_PKG_VERSION");
        let core = user_agent.strip_prefix(&format!("terraform-provider-api/{version} (core "));
        let core = core.and_then(|it| it.strip_suffix(&format!(") ferroform/{version}")));
        assert!(core.is_some_and(|it| it.split('.').count() == 3), "{user_agent}");
    };
    case("user agent").runs_on(RunsOn::Matrix).step(Step::apply(only([queue()])).check(check))
}

/// The configuration for a person, with the service of the run and without what the case says itself.
fn as_text() -> Case<Backend> {
    const MAIN: &str = include_str!("../../main.tf");
    let source = Source::text_with(|run: &Run<'_, Backend>| {
        let (_, text) = MAIN.split_once("\n}\n").expect("the providers come first");
        text.replace("http://127.0.0.1:8480", &run.backend.service.endpoint())
    });
    let tokens = |outcome: &StepOutcome<'_, Backend>| {
        let requests = outcome.run.backend.service.requests();
        let as_audit: Vec<_> = requests.iter().filter(|it| it.ends_with(" as audit")).collect();
        assert!(as_audit.iter().any(|it| it.starts_with("POST /queues 201")), "{requests:?}");
        // A token for each plan and each apply, and each of them is revoked.
        let count = |start: &str| requests.iter().filter(|it| it.starts_with(start)).count();
        assert!(count("POST /tokens 201") >= 2, "{requests:?}");
        assert_eq!(count("POST /tokens 201"), count("DELETE /tokens/"), "{requests:?}");
        assert!(outcome.run.backend.service.tokens().is_empty());
    };
    // Two configurations of the provider need two processes: a provider in the process of the test has one client.
    let program = std::env::current_exe().expect("this program");
    of(Provider::binary(ADDRESS, program), "main.tf").requires(Feature::EphemeralResources).step(
        Step::apply(source)
            .state(value("names", is::of_size(3)))
            .state(value("names", is::containing(["orders"])))
            .state(object("api_subscription.billing").has(path!(filter), "standard"))
            .state(object("api_queue.orders").has(path!(timeouts.create), "2m").has(path!(name), "Orders"))
            .check(tokens),
    )
}
