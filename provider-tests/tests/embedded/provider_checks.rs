//! Providers that violate one rule each: core reports it, and reports nothing without its check.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::config::{Config, ResourceBlock, data, reference, resource};
use ferroform_testing::embedded::{Check, PlanOptions};

use crate::embedded::environment::{TestEnvironment, address, summaries};
use crate::embedded::fake::{Fake, Hooks, decode, encode, wire_path, with};

const THING: &str = "fake_thing";

/// What happens to the one resource.
#[derive(Clone, Copy)]
enum Operation {
    /// It is created by the wrong provider.
    Create,
    /// It is created by the right provider, and the wrong one is to change `size`, `name`, or nothing.
    Resize,
    Rename,
    Keep,
    /// The wrong provider is to destroy it.
    Destroy,
    /// The wrong provider imports it.
    Import,
    /// The wrong provider reads a data source.
    Data,
    /// The wrong provider moves it to another type.
    Move,
}

fn thing(name: &str, size: i64) -> ResourceBlock {
    resource(THING, "a").set("name", name).set("size", size)
}

/// Runs the operation and returns the errors.
async fn run(violation: &Violation, left_out: Option<Check>) -> Vec<String> {
    let mut env = TestEnvironment::new(Fake::default().with_identity().with_move());
    let one = |block: ResourceBlock| Config::new().resource(block);
    if !matches!(violation.operation, Operation::Create | Operation::Import | Operation::Data) {
        env.up(&one(thing("a", 1))).await;
    }
    env.fake.place("i-1", "a");
    env.fake.hook(violation.hook);
    if let Some(check) = left_out {
        env.core = env.core.without(check);
    }
    let config = match violation.operation {
        Operation::Create | Operation::Keep | Operation::Destroy => one(thing("a", 1)),
        Operation::Resize => one(thing("a", 2)),
        Operation::Rename => one(thing("b", 1)),
        Operation::Import => one(resource(THING, "a").set("name", "a")).import("fake_thing.a", "i-1"),
        Operation::Data => Config::new().data(data("fake_lookup", "l").set("name", "n")),
        Operation::Move => {
            let block = resource("fake_box", "b").set("name", "a");
            let block = block.block("rule", ferroform_testing::config::body().set("port", 1));
            one(block).moved("fake_thing.a", "fake_box.b")
        }
    };
    let options = match violation.operation {
        Operation::Destroy => PlanOptions::destroy(),
        _ => PlanOptions::default(),
    };
    let plan = env.plan_with(&config, &options).await;
    let mut said = summaries(&plan.diagnostics);
    if !plan.errored {
        said.extend(env.apply(&plan).await);
    }
    said.into_iter().filter_map(|it| it.strip_prefix("error ").map(str::to_owned)).collect()
}

struct Violation {
    check: Check,
    operation: Operation,
    hook: fn(&mut Hooks),
    expect: &'static str,
}

/// Calls the closure with the number of the call, from 1.
fn counted<Q, A>(
    change: impl Fn(usize, &Q, &mut A) + Send + Sync + 'static,
) -> crate::embedded::fake::Hook<Q, A> {
    let calls = AtomicUsize::new(0);
    Some(Arc::new(move |request, answer| change(calls.fetch_add(1, Ordering::SeqCst) + 1, request, answer)))
}

fn planned(name: &'static str, value: fn() -> Value) -> impl Fn(&mut Hooks) {
    move |hooks| hooks.plan = Some(Arc::new(move |_, it| with(&mut it.planned_state, THING, name, value())))
}

fn unknown_identity() -> Option<proto::ResourceIdentityData> {
    let ty = ferroform::ty::Type::object([("id", ferroform::ty::Type::String)]);
    let identity = Value::object([("id", Value::unknown())]);
    let msgpack = ferroform_core::codec::msgpack::encode(&identity, &ty).unwrap().into();
    let identity_data = Some(proto::DynamicValue { msgpack, json: bytes::Bytes::new() });
    Some(proto::ResourceIdentityData { identity_data })
}

const INVALID_PLAN: &str = "Provider produced invalid plan";
const INVALID_OBJECT: &str = "Provider produced invalid object";
const INVALID_IDENTITY: &str = "Provider produced invalid identity";
const INCONSISTENT_FINAL: &str = "Provider produced inconsistent final plan";
const INCONSISTENT: &str = "Provider produced inconsistent result after apply";
const INVALID_RESULT: &str = "Provider returned invalid result object after apply";
const INVALID_UPGRADE: &str = "Invalid resource state upgrade";

async fn check(violation: Violation) {
    let said = run(&violation, None).await;
    let found = said.iter().any(|it| it.ends_with(&format!(": {}", violation.expect)));
    assert!(found, "{:?}: {said:?}", violation.check);
    assert!(said.iter().all(|it| it.contains(violation.expect)), "{:?}: {said:?}", violation.check);
    let without = run(&violation, Some(violation.check)).await;
    assert!(
        without.iter().all(|it| !it.ends_with(violation.expect)),
        "without {:?}: {without:?}",
        violation.check
    );
}

#[tokio::test]
async fn plans() {
    let create = |check, hook, expect| Violation { check, operation: Operation::Create, hook, expect };
    check(create(Check::PlanWriteOnly, |it| planned("secret", || "s".into())(it), INVALID_PLAN)).await;
    check(create(Check::PlanValid, |it| planned("name", || "b".into())(it), INVALID_PLAN)).await;
    let violation = create(
        Check::PlanReplacePaths,
        |it| it.plan = Some(Arc::new(|_, it| it.requires_replace.push(wire_path("nothing")))),
        INVALID_PLAN,
    );
    check(violation).await;
    let resize = |check, hook, expect| Violation { check, operation: Operation::Resize, hook, expect };
    let violation = resize(
        Check::PlanIdentity,
        |it| it.plan = Some(Arc::new(|_, it| it.planned_identity = unknown_identity())),
        INVALID_IDENTITY,
    );
    check(violation).await;
    let violation = Violation {
        check: Check::PlanDestroyNull,
        operation: Operation::Destroy,
        hook: |it| {
            it.plan = Some(Arc::new(|request, it| {
                if decode(&request.proposed_new_state, THING).is_null() {
                    it.planned_state.clone_from(&request.prior_state);
                }
            }));
        },
        expect: INVALID_PLAN,
    };
    check(violation).await;
    let violation = Violation {
        check: Check::SecondPlanWriteOnly,
        operation: Operation::Rename,
        hook: |it| {
            it.plan = counted(|call, _, it: &mut proto::plan_resource_change::Response| {
                if call == 2 {
                    with(&mut it.planned_state, THING, "secret", "s".into());
                }
            });
        },
        expect: INVALID_PLAN,
    };
    check(violation).await;
    let violation = Violation {
        check: Check::Deferral,
        operation: Operation::Create,
        hook: |it| it.plan = Some(Arc::new(|_, it| it.deferred = Some(proto::Deferred::default()))),
        expect: "Provider deferred changes when Terraform did not allow deferrals",
    };
    check(violation).await;
}

#[tokio::test]
async fn final_plans() {
    let violation = Violation {
        check: Check::FinalPlanAction,
        operation: Operation::Resize,
        hook: |it| {
            it.plan = counted(|call, _, it: &mut proto::plan_resource_change::Response| {
                if call == 2 {
                    it.requires_replace.push(wire_path("size"));
                }
            });
        },
        expect: INCONSISTENT_FINAL,
    };
    check(violation).await;
    let violation = Violation {
        check: Check::FinalPlanCompatible,
        operation: Operation::Create,
        hook: |it| {
            it.plan = counted(|call, _, it: &mut proto::plan_resource_change::Response| {
                let note = format!("planned {call} times");
                with(&mut it.planned_state, THING, "note", note.into());
            });
        },
        expect: INCONSISTENT_FINAL,
    };
    check(violation).await;
}

#[tokio::test]
async fn results() {
    let create = |check, hook, expect| Violation { check, operation: Operation::Create, hook, expect };
    let violation = create(
        Check::ApplyWriteOnly,
        |it| it.apply = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "secret", "s".into()))),
        INVALID_OBJECT,
    );
    check(violation).await;
    let violation = create(
        Check::ApplyKnown,
        |it| it.apply = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "note", Value::unknown()))),
        INVALID_RESULT,
    );
    check(violation).await;
    let violation = create(
        Check::ApplyCompatible,
        |it| it.apply = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "size", 9.into()))),
        INCONSISTENT,
    );
    check(violation).await;
    let violation = create(
        Check::ApplyIdentity,
        |it| it.apply = Some(Arc::new(|_, it| it.new_identity = unknown_identity())),
        INVALID_IDENTITY,
    );
    check(violation).await;
    let violation = create(
        Check::ApplyPresent,
        |it| {
            it.apply = Some(Arc::new(|_, it| {
                it.new_state = encode(&Value::Null, THING);
                it.legacy_type_system = true;
            }));
        },
        INVALID_RESULT,
    );
    check(violation).await;
    let violation = Violation {
        check: Check::ApplyDeleted,
        operation: Operation::Destroy,
        hook: |it| it.apply = Some(Arc::new(|request, it| it.new_state.clone_from(&request.prior_state))),
        expect: INVALID_RESULT,
    };
    check(violation).await;
}

#[tokio::test]
async fn reads_and_upgrades() {
    let keep = |check, hook, expect| Violation { check, operation: Operation::Keep, hook, expect };
    let violation = keep(
        Check::ReadKnown,
        |it| it.read = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "note", Value::unknown()))),
        INVALID_OBJECT,
    );
    check(violation).await;
    let violation = keep(
        Check::ReadWriteOnly,
        |it| it.read = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "secret", "s".into()))),
        INVALID_OBJECT,
    );
    check(violation).await;
    let violation = keep(
        Check::ReadIdentity,
        |it| it.read = Some(Arc::new(|_, it| it.new_identity = unknown_identity())),
        INVALID_IDENTITY,
    );
    check(violation).await;
    let violation = keep(
        Check::UpgradeKnown,
        |it| {
            it.upgrade =
                Some(Arc::new(|_, it| with(&mut it.upgraded_state, THING, "note", Value::unknown())));
        },
        INVALID_UPGRADE,
    );
    check(violation).await;
    let violation = keep(
        Check::UpgradeWriteOnly,
        |it| it.upgrade = Some(Arc::new(|_, it| with(&mut it.upgraded_state, THING, "secret", "s".into()))),
        INVALID_UPGRADE,
    );
    check(violation).await;
}

#[tokio::test]
async fn imports() {
    let import = |check, hook, expect| Violation { check, operation: Operation::Import, hook, expect };
    let violation = import(
        Check::ImportSeveral,
        |it| {
            it.import = Some(Arc::new(|_, it| {
                let again = it.imported_resources[0].clone();
                it.imported_resources.push(again);
            }));
        },
        "Multiple import states not supported",
    );
    check(violation).await;
    let violation = import(
        Check::ImportNothing,
        |it| it.import = Some(Arc::new(|_, it| it.imported_resources.clear())),
        "Import returned no resources",
    );
    check(violation).await;
    let violation = import(
        Check::ImportNull,
        |it| {
            it.import = Some(Arc::new(|_, it| it.imported_resources[0].state = encode(&Value::Null, THING)));
        },
        "Import returned null resource",
    );
    check(violation).await;
    let violation = import(
        Check::ImportWriteOnly,
        |it| {
            it.import = Some(Arc::new(|_, it| {
                with(&mut it.imported_resources[0].state, THING, "secret", "s".into());
            }));
        },
        "Import returned a non-null value for a write-only attribute",
    );
    check(violation).await;
    let violation = import(
        Check::ImportMissing,
        |it| it.read = Some(Arc::new(|_, it| it.new_state = encode(&Value::Null, THING))),
        "Cannot import non-existent remote object",
    );
    check(violation).await;
}

#[tokio::test]
async fn data_sources_and_moves() {
    let violation = Violation {
        check: Check::DataNull,
        operation: Operation::Data,
        hook: |it| it.data = Some(Arc::new(|_, it| it.state = encode(&Value::Null, "fake_lookup"))),
        expect: "Provider produced null object",
    };
    check(violation).await;
    let violation = Violation {
        check: Check::DataKnown,
        operation: Operation::Data,
        hook: |it| {
            it.data = Some(Arc::new(|_, it| with(&mut it.state, "fake_lookup", "found", Value::unknown())));
        },
        expect: INVALID_OBJECT,
    };
    check(violation).await;
    let violation = Violation {
        check: Check::MoveKnown,
        operation: Operation::Move,
        hook: |it| {
            it.moved =
                Some(Arc::new(|_, it| with(&mut it.target_state, "fake_box", "note", Value::unknown())));
        },
        expect: "Provider returned invalid value",
    };
    check(violation).await;
    let violation = Violation {
        check: Check::MoveWriteOnly,
        operation: Operation::Move,
        hook: |it| {
            it.moved = Some(Arc::new(|_, it| with(&mut it.target_state, "fake_box", "secret", "s".into())));
        },
        expect: "Provider returned invalid value",
    };
    check(violation).await;
}

#[tokio::test]
async fn what_users_ask_for() {
    let mut env = TestEnvironment::new(Fake::default());
    let guarded = |name: &str| {
        Config::new().resource(resource(THING, "a").set("name", name).set("token", "t").prevent_destroy())
    };
    env.up(&guarded("a")).await;
    let said = |plan: ferroform_testing::plan::Plan| summaries(&plan.diagnostics);
    let prevented = ["error fake_thing.a: Instance cannot be destroyed"];
    assert_eq!(said(env.plan(&guarded("b")).await), prevented);
    assert_eq!(said(env.plan_with(&guarded("a"), &PlanOptions::destroy()).await), prevented);
    // Without the block there is nothing to guard any more.
    assert_eq!(said(env.plan(&Config::new()).await), [""; 0]);
    let shown = guarded("a").output("token", reference("fake_thing.a.token"));
    assert_eq!(said(env.plan(&shown).await), ["error output.token: Output refers to sensitive values"]);
    let removed = guarded("a").removed("fake_thing.a");
    assert_eq!(said(env.plan(&removed).await), ["error -: Removed resource still exists"]);
    let outcome = env.core.import(&guarded("a"), &env.state, &address("fake_thing.a"), "i-1").await;
    assert_eq!(
        summaries(&outcome.diagnostics),
        ["error fake_thing.a: Resource already managed by Terraform"]
    );
}

#[tokio::test]
async fn a_state_of_a_newer_schema_is_refused() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new().resource(thing("a", 1));
    env.fake.set_version(2);
    env.up(&config).await;
    env.fake.set_version(1);
    let plan = env.plan(&config).await;
    assert_eq!(
        summaries(&plan.diagnostics),
        ["error fake_thing.a: Resource instance managed by newer provider version"]
    );
    env.core = env.core.without(Check::UpgradeVersion);
    assert_eq!(summaries(&env.plan(&config).await.diagnostics), [""; 0]);
}
