//! Test cases of a small provider: on the embedded core, and on real ones as far as they are there.

mod call_config;
mod deferral;
mod ephemeral;
pub(crate) mod fleet;
mod foreign_types;
mod lease;
mod metadata;
mod pages;
mod plain_objects;
pub(crate) mod provider;
mod state_only;
mod stored;
mod targets;
mod time;
mod turns;

use std::process::ExitCode;

use ferroform::path;
use ferroform_testing::case::{
    Calls, Captured, Case, Idempotency, Provider, Run, RunsOn, Source, StateView, Step, StepOutcome, Suite,
    Trials, call, change, changes, error, is, methods, no_changes, no_drift, no_object, object, objects,
    output, value, warning,
};
use ferroform_testing::client::Fault;
use ferroform_testing::config::{
    Body, Config, ResourceBlock, body, list, object as members, reference, resource,
};
use ferroform_testing::embedded::CoreVersion;
use ferroform_testing::plan::{Action, ActionReason};
use ferroform_testing::real::{Feature, Resolver};
use provider::{Bug, Cloud, case};
use serde_json::json;

use crate::PROGRAM_OF;

const A: &str = "demo_thing.a";
const ID: Captured = Captured::new("the id");

/// The provider as a program.
pub(crate) fn program() -> ExitCode {
    provider::serve()
}

/// Adds the cases.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    let programs = [with_program(), with_program_and_calls()].into_iter().chain(ephemeral::cases());
    let programs = programs.chain(deferral::cases()).chain(pages::cases()).chain(state_only::cases());
    let programs = programs.chain(call_config::cases()).chain(foreign_types::cases());
    let programs = programs
        .chain(plain_objects::cases())
        .chain(turns::cases())
        .chain(metadata::cases())
        .chain(targets::cases())
        .chain(fleet::cases());
    let suite = [
        lifecycle(),
        values(),
        replacement(),
        tainted(),
        kept_when_replaced(),
        vanished(),
        drifted(),
        imported(),
        imported_anew(),
        moved(),
        outputs(),
        recorded(),
        wrong(),
        half_done(),
        fault(),
        time::stopped(),
        calls(),
        targets(),
        as_text(),
        in_folder(),
        imported_by_command(),
        refused_at_the_end(),
        secrets(),
        time::passing(),
        time::renewed(),
        time::clock(),
        identity(),
        created_first(),
        as_blocks(),
        deprecated(),
    ]
    .into_iter()
    .fold(programs.fold(Suite::new().case(fleet::logged()), Suite::case), Suite::case);
    trials.append(suite.trials(resolver));
}

fn thing(name: &str) -> ResourceBlock {
    resource("demo_thing", "a").set("name", name)
}

fn config(thing: ResourceBlock) -> Config {
    Config::new().resource(thing)
}

fn lifecycle() -> Case<Cloud> {
    case("lifecycle")
        .runs_on(RunsOn::Matrix)
        .golden_schemas("demo schemas")
        .step(
            Step::apply(config(thing("web").set("size", 1)))
                .named("create")
                .plan(changes([(A, Action::Create)]))
                .plan(change(A).after(path!(id), is::unknown()).after(path!(name), "web").no_reason())
                .state(object(A).has(path!(id), "id-1").has(path!(size), 1).ready())
                .expect(warning("Thing Made").detail("It is new.").times(1))
                .no_other_warnings()
                .check(|outcome: &StepOutcome<'_, Cloud>| {
                    assert_eq!(outcome.run.backend.lock().ids(), ["id-1"])
                }),
        )
        .step(
            Step::apply(config(thing("web").set("size", 2)))
                .named("update")
                .plan(change(A).action(Action::Update).before(path!(size), 1).after(path!(size), 2))
                .golden_plan("update of a thing")
                .plan(no_drift())
                .state(object(A).has(path!(id), "id-1").has(path!(size), 2)),
        )
        .step(Step::plan_only(config(thing("web").set("size", 2))).plan(no_changes()))
        .step(
            Step::destroy().plan(change(A).action(Action::Delete).before(path!(size), 2)).state(no_object(A)),
        )
}

fn values() -> Case<Cloud> {
    let tags = ferroform::value::Value::set(["b", "a"].map(ferroform::value::Value::from));
    case("values").starts_at_most(6).step(
        Step::apply(config(thing("web").set("tags", tags.clone()).set("token", "t0p")))
            .plan(change(A).after(path!(tags), tags).after(path!(tags).element(), "b"))
            .plan(change(A).after(path!(token), is::sensitive("t0p")).after(path!(size), is::null()))
            .state(object(A).has(path!(tags), is::set(["a", "b"])).has(path!(tags), is::containing(["a"])))
            .state(object(A).has(path!(), is::object_with([("name", "web")])))
            .state(|state: &StateView| assert_eq!(state.objects().len(), 1)),
    )
}

fn replacement() -> Case<Cloud> {
    case("replacement")
        .step(Step::apply(config(thing("web"))))
        .step(
            Step::apply(config(thing("db")))
                .plan(
                    change(A)
                        .action(Action::DeleteThenCreate)
                        .reason(ActionReason::ReplaceBecauseCannotUpdate)
                        .replace_paths([path!(name)])
                        .after(path!(id), is::unknown()),
                )
                .state(object(A).has(path!(id), "id-2")),
        )
        .step(
            Step::apply(config(thing("db")))
                .named("by request")
                .replace(A)
                .plan(change(A).action(Action::DeleteThenCreate).reason(ActionReason::ReplaceByRequest))
                .state(object(A).has(path!(id), "id-3")),
        )
}

fn tainted() -> Case<Cloud> {
    case("tainted").step(Step::apply(config(thing("web")))).step(Step::taint(A)).step(
        Step::apply(config(thing("web")))
            .plan(change(A).action(Action::DeleteThenCreate).reason(ActionReason::ReplaceBecauseTainted))
            .state(object(A).has(path!(id), "id-2").ready()),
    )
}

/// OpenTofu forgets an object with `destroy = false` where it would delete it, so that the provider is not asked to.
fn kept_when_replaced() -> Case<Cloud> {
    let keeping = |name: &str| {
        format!(
            "resource \"demo_thing\" \"a\" {{\n  name = {name:?}\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"
        )
    };
    let (before, after) = (keeping("web"), keeping("db"));
    let reason = ActionReason::ForgotBecauseLifecycleDestroyInState;
    case("kept when it is replaced")
        .requires(Feature::LifecycleDestroy)
        .runs_on(RunsOn::Matrix)
        .emulates([CoreVersion::open_tofu(1, 12, 6)])
        .step(Step::apply(before))
        .step(
            Step::apply(after)
                .plan(
                    change(A)
                        .action(Action::ForgetThenCreate)
                        .reason(ActionReason::ReplaceBecauseCannotUpdate),
                )
                .state(object(A).has(path!(id), "id-2"))
                .calls(call("ApplyResourceChange").of("demo_thing").times(1)),
        )
        .step(
            Step::apply(Config::new())
                .plan(change(A).action(Action::Forget).reason(reason))
                .calls(call("ApplyResourceChange").of("demo_thing").times(0)),
        )
        // Nobody else deletes what was left behind.
        .step(Step::change_outside(|cloud: &Cloud| {
            let left: Vec<String> = std::mem::take(&mut cloud.lock().objects).into_keys().collect();
            assert_eq!(left, ["id-1", "id-2"]);
        }))
}

fn vanished() -> Case<Cloud> {
    case("vanished")
        .step(Step::apply(config(thing("web"))))
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().objects.clear()))
        .step(
            Step::apply(config(thing("web")))
                .plan(change(A).action(Action::Create))
                .plan(ferroform_testing::case::drift(A).action(Action::Delete))
                .state(object(A).has(path!(id), "id-2")),
        )
}

fn drifted() -> Case<Cloud> {
    case("drifted")
        .step(Step::apply(config(thing("web").set("size", 1))).capture(&ID, A, path!(id)))
        .step(Step::run(|run: &Run<'_, Cloud>| run.backend.lock().resize(run.values.text(&ID), 7)))
        .step(
            Step::plan_refresh().plan(
                ferroform_testing::case::drift(A)
                    .action(Action::Update)
                    .before(path!(size), 1)
                    .after(path!(size), 7),
            ),
        )
        .step(Step::refresh().state(object(A).has(path!(size), 7).has(path!(id), &ID)))
        .step(
            Step::apply(config(thing("web").set("size", 1)))
                .plan(change(A).action(Action::Update).before(path!(size), 7).after(path!(size), 1)),
        )
}

fn imported() -> Case<Cloud> {
    let config = config(thing("web").set("size", 3));
    case("imported")
        .requires(Feature::ImportBlock)
        .step(Step::apply(&config).capture(&ID, A, path!(id)))
        .step(
            Step::import_id(&config, A, &ID)
                .plan(change(A).action(Action::NoOp).importing(&ID))
                .state(object(A).has(path!(size), 3)),
        )
}

fn imported_anew() -> Case<Cloud> {
    let config = config(thing("web").set("size", 3));
    case("imported anew")
        .requires(Feature::ImportBlock)
        .step(Step::apply(&config).capture(&ID, A, path!(id)))
        .step(Step::forget(A))
        .step(Step::plan_only(&config).plan(change(A).action(Action::Create)).state(objects([] as [&str; 0])))
        .step(Step::import_id(&config, A, &ID).state(object(A).has(path!(id), &ID)))
}

fn moved() -> Case<Cloud> {
    let to = resource("demo_thing", "b").set("name", "web");
    case("moved").step(Step::apply(config(thing("web")))).step(
        Step::apply(Config::new().resource(to).moved(A, "demo_thing.b"))
            .plan(change("demo_thing.b").action(Action::NoOp).moved_from(A))
            .state(objects(["demo_thing.b"])),
    )
}

fn outputs() -> Case<Cloud> {
    let config = config(thing("web")).output("id", reference("demo_thing.a.id"));
    case("outputs").step(
        Step::apply(&config)
            .plan(output("id").action(Action::Create).after(path!(), is::unknown()))
            .state(value("id", "id-1"))
            .capture_output(&ID, "id", path!())
            .state(object(A).has(path!(id), &ID)),
    )
}

/// A state that an older release has stored.
fn recorded() -> Case<Cloud> {
    let attributes = json!({"id": "id-9", "name": "web", "size": 4});
    let object_9 = || {
        use ferroform::value::Value;
        let null = ["tags", "token", "secret"].map(|name| (name, Value::Null));
        let set = [("id", Value::from("id-9")), ("name", "web".into()), ("size", 4.into())];
        Value::object(null.into_iter().chain(set))
    };
    case("recorded")
        .step(Step::change_outside(move |cloud: &Cloud| {
            cloud.lock().objects.insert("id-9".to_owned(), object_9());
        }))
        .step(Step::state_file(stored::object_a("demo_thing", &attributes)))
        .step(
            Step::apply(config(thing("web").set("size", 4)))
                .plan(no_changes())
                .state(object(A).has(path!(id), "id-9").schema_version(0)),
        )
}

fn wrong() -> Case<Cloud> {
    case("wrong configuration").step(
        Step::apply(config(thing("web").set("size", -1)))
            .expect(error("Invalid Size").detail("less than nothing").at(path!(size)).times(1))
            .state(no_object(A)),
    )
}

fn half_done() -> Case<Cloud> {
    case("half done")
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::HalfDone))
        .step(
            Step::apply(config(thing("web")))
                .expect(error("Creation Failed").about(A))
                .state(object(A).has(path!(id), "id-1").tainted()),
        )
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::None))
        .step(Step::apply(config(thing("web"))).state(object(A).has(path!(id), "id-2").ready()))
}

/// The object is made, and nobody hears of it.
fn fault() -> Case<Cloud> {
    case("lost answer")
        .step(
            Step::apply(config(thing("web")))
                .fault("ApplyResourceChange", Fault::ResetAfter)
                .expect(error("Plugin did not respond").times(1))
                .check(|outcome: &StepOutcome<'_, Cloud>| {
                    assert_eq!(outcome.run.backend.lock().ids(), ["id-1"])
                }),
        )
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().objects.clear()))
}

fn calls() -> Case<Cloud> {
    case("calls")
        .step(
            Step::apply(config(thing("web")))
                .calls(call("ApplyResourceChange").of("demo_thing").sent("config", "\"web\"").times(1))
                .calls(call("ConfigureProvider"))
                .calls(ferroform_testing::case::no_call("ReadResource")),
        )
        .step(Step::plan_only(config(thing("web"))).without_refresh().calls(methods(
            "demo_thing",
            [
                "ValidateResourceConfig",
                "UpgradeResourceState",
                "ValidateResourceConfig",
                "PlanResourceChange",
            ],
        )))
}

fn targets() -> Case<Cloud> {
    let both = config(thing("web")).resource(resource("demo_thing", "b").set("name", "db"));
    case("targets")
        .step(
            Step::apply(&both)
                .target(A)
                .plan(changes([(A, Action::Create)]))
                .state(objects([A]))
                .idempotency(Idempotency::Off),
        )
        .step(Step::apply(&both).state(objects([A, "demo_thing.b"])))
}

fn as_text() -> Case<Cloud> {
    case("as text")
        .step(
            Step::apply("resource \"demo_thing\" \"a\" {\n  name = join(\"-\", [\"w\", \"b\"])\n}\n")
                .state(object(A).has(path!(name), "w-b"))
                .capture(&ID, A, path!(id)),
        )
        .step(Step::import_id(
            Source::text_with(|_| "resource \"demo_thing\" \"a\" {\n  name = \"w-b\"\n}\n".to_owned()),
            A,
            &ID,
        ))
}

/// A root module in a folder, with a child module, a file of values and JSON.
fn in_folder() -> Case<Cloud> {
    let folder = || Source::folder("tests/cases/folder");
    case("in a folder")
        .step(
            Step::apply(folder())
                .state(object(A).has(path!(name), "blue-web").has(path!(size), 1))
                .state(value("name", "blue-web")),
        )
        .step(
            Step::apply(folder().variable("size", 2).variable("prefix", "green"))
                .state(object(A).has(path!(name), "green-web").has(path!(size), 2))
                .capture(&ID, A, path!(id)),
        )
        .step(Step::import_id(folder().variable("size", 2).variable("prefix", "green"), A, &ID))
        .step(
            Step::apply(
                Source::from("variable \"name\" {}\nresource \"demo_thing\" \"a\" {\n  name = var.name\n}\n")
                    .variable("name", "db"),
            )
            .state(object(A).has(path!(name), "db")),
        )
}

fn imported_by_command() -> Case<Cloud> {
    case("imported by command")
        .step(Step::apply(config(thing("web"))).capture(&ID, A, path!(id)))
        .step(Step::import_command(config(thing("web")), A, &ID).state(object(A).has(path!(name), "web")))
        .step(Step::import_command(config(thing("web")), A, "id-7").expect(error("Object Not Found")))
}

/// The configuration of the last step cannot be planned, and the object is destroyed all the same.
fn refused_at_the_end() -> Case<Cloud> {
    case("refused at the end")
        .step(Step::apply(config(thing("web"))))
        .step(Step::apply(config(thing("web").set("colour", "red"))).expect(error("Unsupported argument")))
}

fn secrets() -> Case<Cloud> {
    case("secrets").requires(Feature::WriteOnlyAttributes).step(
        Step::apply(config(thing("web").set("secret", "s3cret")))
            .plan(change(A).after(path!(secret), is::null()))
            .state(object(A).has(path!(secret), is::null()))
            .check(|outcome: &StepOutcome<'_, Cloud>| {
                assert_eq!(outcome.run.backend.lock().secrets, ["s3cret"]);
                assert!(!format!("{}{:?}", outcome.state.json(), outcome.calls).contains("s3cret"));
            }),
    )
}

fn record(name: &str) -> ResourceBlock {
    resource("demo_record", "a").set("name", name)
}

const RECORD: &str = "demo_record.a";

fn identity() -> Case<Cloud> {
    let named = |id: &'static str| is::object([("id", id)]);
    case("identity")
        .runs_on(RunsOn::MatrixInTurns)
        .requires(Feature::ResourceIdentity)
        .step(
            Step::apply(config(record("web")))
                .plan(change(RECORD).before_identity(is::null()))
                .state(object(RECORD).identity(path!(id), "id-1").identity_schema_version(0))
                .capture_identity(&ID, RECORD, path!(id)),
        )
        .step(
            Step::apply(config(record("web").set("title", "Web")))
                .plan(change(RECORD).before_identity(named("id-1")).after_identity(named("id-1")))
                .state(object(RECORD).identity(path!(), named("id-1"))),
        )
        .step(
            Step::import_identity(config(record("web").set("title", "Web")), RECORD, [("id", &ID)])
                .plan(change(RECORD).action(Action::NoOp).importing_identity(named("id-1")))
                .state(object(RECORD).identity(path!(id), &ID)),
        )
        .step(
            Step::apply(config(record("db")))
                .plan(change(RECORD).action(Action::DeleteThenCreate).before_identity(named("id-1")))
                .state(object(RECORD).identity(path!(id), "id-2")),
        )
}

/// The new object is there before the old one goes, and so is what it depends on.
fn created_first() -> Case<Cloud> {
    let both = |name: &str| {
        config(record(name)).resource(
            resource("demo_thing", "b").set("name", reference("demo_record.a.id")).create_before_destroy(),
        )
    };
    case("created first")
        .runs_on(RunsOn::MatrixInTurns)
        .step(Step::apply(both("web")).state(object(RECORD).create_before_destroy()).state(
            object("demo_thing.b").create_before_destroy().depends_on([RECORD]).has(path!(name), "id-1"),
        ))
        .step(
            Step::apply(both("db"))
                .plan(changes([
                    (RECORD, Action::CreateThenDelete),
                    ("demo_thing.b", Action::CreateThenDelete),
                ]))
                .calls(|calls: &Calls| {
                    let applied = calls.entries().iter().filter(|it| it.method == "ApplyResourceChange");
                    let types: Vec<_> = applied.filter_map(|it| it.type_name.as_deref()).collect();
                    assert_eq!(types, ["demo_record", "demo_thing", "demo_thing", "demo_record"]);
                })
                .state(object(RECORD).has(path!(id), "id-3"))
                .state(object("demo_thing.b").has(path!(name), "id-3")),
        )
}

fn rule(port: i64) -> Body {
    body().set("port", port)
}

/// Lists and sets of objects of an old schema may be written as blocks.
fn as_blocks() -> Case<Cloud> {
    let ruled =
        |ports: &[i64]| ports.iter().fold(record("web"), |record, port| record.block("rule", rule(*port)));
    let written = |port: i64| is::object_with([("port", is::Is::from(port)), ("note", is::null())]);
    case("as blocks")
        .runs_on(RunsOn::MatrixInTurns)
        .step(
            Step::apply(config(
                ruled(&[1, 2]).block("label", body().set("key", "x")).block("label", body().set("key", "x")),
            ))
            .state(object(RECORD).has(path!(rule), is::list([written(1), written(2)])))
            .state(object(RECORD).has(path!(label), is::set([is::object_with([("key", "x")])]))),
        )
        .step(Step::apply(config(record("web"))).state(object(RECORD).has(path!(rule), is::null())))
        .step(
            Step::apply(config(record("web").set("rule", list::<i64>([]))))
                .state(object(RECORD).has(path!(rule), is::of_size(0))),
        )
        .step(
            Step::apply(config(record("web").block("part", body().block("rule", rule(3)))))
                .state(object(RECORD).has(path!(part[0].rule), is::list([written(3)]))),
        )
        .step(
            Step::plan_only(config(record("web").set("rule", list([members([("port", 1)])]))))
                .expect(error("Incorrect attribute value type")),
        )
        .step(
            Step::plan_only(config(record("web").set("rule", list::<i64>([])).block("rule", rule(1))))
                .expect(error("Unsupported block type")),
        )
        .step(
            Step::plan_only(config(ruled(&[1]).block("rule", body().set("colour", "red"))))
                .expect(error("Unsupported argument")),
        )
        .step(Step::plan_only(config(record("web").block("label", body().set("key", "y")))))
}

/// The provider tells of what is deprecated; core says nothing as long as nobody refers to it.
fn deprecated() -> Case<Cloud> {
    let written = record("web").set("title", "Web").block("part", body().set("text", "x"));
    case("deprecated").step(
        Step::apply(config(written).resource(resource("demo_relic", "b").set("name", "old")))
            .expect(warning("Deprecated").about("demo_relic.b"))
            .expect(warning("Deprecated Attribute").about(RECORD).at(path!(title)))
            .expect(warning("Deprecated Block").about(RECORD).at(path!(part[0])))
            .no_other_warnings(),
    )
}

fn token(name: &str) -> Case {
    let binary = std::env::current_exe().expect("the test binary");
    let config = Config::new().resource(resource("demo_token", "a").set("seed", "x"));
    let token = "demo_token.a";
    let provider = Provider::binary(provider::SOURCE, binary).with_env(|(), _| vec![(PROGRAM_OF, "cases")]);
    Case::new(name).provider(provider).step(
        Step::apply(config)
            .plan(change(token).after(path!(token), is::sensitive(is::unknown())))
            .state(object(token).has(path!(token), "token of x")),
    )
}

/// On a real core, core itself starts the program.
fn with_program() -> Case {
    token("program")
}

/// On a real core, the test stands between core and the program.
fn with_program_and_calls() -> Case {
    token("program with calls")
        .step(Step::destroy().calls(call("ApplyResourceChange").of("demo_token").times(1)))
}
