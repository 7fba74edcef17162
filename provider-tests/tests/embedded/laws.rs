//! Providers that break one law each: core says which, and says nothing when that check is left out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::config::{Config, ResourceBlock, data, reference, resource};
use ferroform_testing::embedded::{Check, PlanOptions};

use crate::fake::{Fake, Hooks, decode, encode, wire_path, with};
use crate::stage::{Stage, address, summaries};

const THING: &str = "fake_thing";

/// What happens to the one resource.
#[derive(Clone, Copy)]
enum Journey {
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

/// Goes on the journey, and tells the errors.
async fn travel(law: &Law, left_out: Option<Check>) -> Vec<String> {
    let mut stage = Stage::new(Fake::default().with_identity().with_move());
    let one = |block: ResourceBlock| Config::new().resource(block);
    if !matches!(law.journey, Journey::Create | Journey::Import | Journey::Data) {
        stage.up(&one(thing("a", 1))).await;
    }
    stage.fake.place("i-1", "a");
    stage.fake.hook(law.hook);
    if let Some(check) = left_out {
        stage.core = stage.core.without(check);
    }
    let config = match law.journey {
        Journey::Create | Journey::Keep | Journey::Destroy => one(thing("a", 1)),
        Journey::Resize => one(thing("a", 2)),
        Journey::Rename => one(thing("b", 1)),
        Journey::Import => one(resource(THING, "a").set("name", "a")).import("fake_thing.a", "i-1"),
        Journey::Data => Config::new().data(data("fake_lookup", "l").set("name", "n")),
        Journey::Move => {
            let block = resource("fake_box", "b").set("name", "a");
            let block = block.block("rule", ferroform_testing::config::body().set("port", 1));
            one(block).moved("fake_thing.a", "fake_box.b")
        }
    };
    let options = match law.journey {
        Journey::Destroy => PlanOptions::destroy(),
        _ => PlanOptions::default(),
    };
    let plan = stage.plan_with(&config, &options).await;
    let mut said = summaries(&plan.diagnostics);
    if !plan.errored {
        said.extend(stage.apply(&plan).await);
    }
    said.into_iter().filter_map(|it| it.strip_prefix("error ").map(str::to_owned)).collect()
}

struct Law {
    check: Check,
    journey: Journey,
    hook: fn(&mut Hooks),
    expect: &'static str,
}

/// Calls the closure with the number of the call, from 1.
fn counted<Q, A>(change: impl Fn(usize, &Q, &mut A) + Send + Sync + 'static) -> crate::fake::Hook<Q, A> {
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

async fn check(law: Law) {
    let said = travel(&law, None).await;
    let found = said.iter().any(|it| it.ends_with(&format!(": {}", law.expect)));
    assert!(found, "{:?}: {said:?}", law.check);
    assert!(said.iter().all(|it| it.contains(law.expect)), "{:?}: {said:?}", law.check);
    let without = travel(&law, Some(law.check)).await;
    assert!(without.iter().all(|it| !it.ends_with(law.expect)), "without {:?}: {without:?}", law.check);
}

#[tokio::test]
async fn plans() {
    let create = |check, hook, expect| Law { check, journey: Journey::Create, hook, expect };
    check(create(Check::PlanWriteOnly, |it| planned("secret", || "s".into())(it), INVALID_PLAN)).await;
    check(create(Check::PlanValid, |it| planned("name", || "b".into())(it), INVALID_PLAN)).await;
    let law = create(
        Check::PlanReplacePaths,
        |it| it.plan = Some(Arc::new(|_, it| it.requires_replace.push(wire_path("nothing")))),
        INVALID_PLAN,
    );
    check(law).await;
    let resize = |check, hook, expect| Law { check, journey: Journey::Resize, hook, expect };
    let law = resize(
        Check::PlanIdentity,
        |it| it.plan = Some(Arc::new(|_, it| it.planned_identity = unknown_identity())),
        INVALID_IDENTITY,
    );
    check(law).await;
    let law = Law {
        check: Check::PlanDestroyNull,
        journey: Journey::Destroy,
        hook: |it| {
            it.plan = Some(Arc::new(|request, it| {
                if decode(&request.proposed_new_state, THING).is_null() {
                    it.planned_state.clone_from(&request.prior_state);
                }
            }));
        },
        expect: INVALID_PLAN,
    };
    check(law).await;
    let law = Law {
        check: Check::SecondPlanWriteOnly,
        journey: Journey::Rename,
        hook: |it| {
            it.plan = counted(|call, _, it: &mut proto::plan_resource_change::Response| {
                if call == 2 {
                    with(&mut it.planned_state, THING, "secret", "s".into());
                }
            });
        },
        expect: INVALID_PLAN,
    };
    check(law).await;
    let law = Law {
        check: Check::Deferral,
        journey: Journey::Create,
        hook: |it| it.plan = Some(Arc::new(|_, it| it.deferred = Some(proto::Deferred::default()))),
        expect: "Provider deferred changes when Terraform did not allow deferrals",
    };
    check(law).await;
}

#[tokio::test]
async fn final_plans() {
    let law = Law {
        check: Check::FinalPlanAction,
        journey: Journey::Resize,
        hook: |it| {
            it.plan = counted(|call, _, it: &mut proto::plan_resource_change::Response| {
                if call == 2 {
                    it.requires_replace.push(wire_path("size"));
                }
            });
        },
        expect: INCONSISTENT_FINAL,
    };
    check(law).await;
    let law = Law {
        check: Check::FinalPlanCompatible,
        journey: Journey::Create,
        hook: |it| {
            it.plan = counted(|call, _, it: &mut proto::plan_resource_change::Response| {
                let note = format!("planned {call} times");
                with(&mut it.planned_state, THING, "note", note.into());
            });
        },
        expect: INCONSISTENT_FINAL,
    };
    check(law).await;
}

#[tokio::test]
async fn results() {
    let create = |check, hook, expect| Law { check, journey: Journey::Create, hook, expect };
    let law = create(
        Check::ApplyWriteOnly,
        |it| it.apply = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "secret", "s".into()))),
        INVALID_OBJECT,
    );
    check(law).await;
    let law = create(
        Check::ApplyKnown,
        |it| it.apply = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "note", Value::unknown()))),
        INVALID_RESULT,
    );
    check(law).await;
    let law = create(
        Check::ApplyCompatible,
        |it| it.apply = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "size", 9.into()))),
        INCONSISTENT,
    );
    check(law).await;
    let law = create(
        Check::ApplyIdentity,
        |it| it.apply = Some(Arc::new(|_, it| it.new_identity = unknown_identity())),
        INVALID_IDENTITY,
    );
    check(law).await;
    let law = create(
        Check::ApplyPresent,
        |it| {
            it.apply = Some(Arc::new(|_, it| {
                it.new_state = encode(&Value::Null, THING);
                it.legacy_type_system = true;
            }));
        },
        INVALID_RESULT,
    );
    check(law).await;
    let law = Law {
        check: Check::ApplyDeleted,
        journey: Journey::Destroy,
        hook: |it| it.apply = Some(Arc::new(|request, it| it.new_state.clone_from(&request.prior_state))),
        expect: INVALID_RESULT,
    };
    check(law).await;
}

#[tokio::test]
async fn reads_and_upgrades() {
    let keep = |check, hook, expect| Law { check, journey: Journey::Keep, hook, expect };
    let law = keep(
        Check::ReadKnown,
        |it| it.read = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "note", Value::unknown()))),
        INVALID_OBJECT,
    );
    check(law).await;
    let law = keep(
        Check::ReadWriteOnly,
        |it| it.read = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "secret", "s".into()))),
        INVALID_OBJECT,
    );
    check(law).await;
    let law = keep(
        Check::ReadIdentity,
        |it| it.read = Some(Arc::new(|_, it| it.new_identity = unknown_identity())),
        INVALID_IDENTITY,
    );
    check(law).await;
    let law = keep(
        Check::UpgradeKnown,
        |it| {
            it.upgrade =
                Some(Arc::new(|_, it| with(&mut it.upgraded_state, THING, "note", Value::unknown())));
        },
        INVALID_UPGRADE,
    );
    check(law).await;
    let law = keep(
        Check::UpgradeWriteOnly,
        |it| it.upgrade = Some(Arc::new(|_, it| with(&mut it.upgraded_state, THING, "secret", "s".into()))),
        INVALID_UPGRADE,
    );
    check(law).await;
}

#[tokio::test]
async fn imports() {
    let import = |check, hook, expect| Law { check, journey: Journey::Import, hook, expect };
    let law = import(
        Check::ImportSeveral,
        |it| {
            it.import = Some(Arc::new(|_, it| {
                let again = it.imported_resources[0].clone();
                it.imported_resources.push(again);
            }));
        },
        "Multiple import states not supported",
    );
    check(law).await;
    let law = import(
        Check::ImportNothing,
        |it| it.import = Some(Arc::new(|_, it| it.imported_resources.clear())),
        "Import returned no resources",
    );
    check(law).await;
    let law = import(
        Check::ImportNull,
        |it| {
            it.import = Some(Arc::new(|_, it| it.imported_resources[0].state = encode(&Value::Null, THING)));
        },
        "Import returned null resource",
    );
    check(law).await;
    let law = import(
        Check::ImportWriteOnly,
        |it| {
            it.import = Some(Arc::new(|_, it| {
                with(&mut it.imported_resources[0].state, THING, "secret", "s".into());
            }));
        },
        "Import returned a non-null value for a write-only attribute",
    );
    check(law).await;
    let law = import(
        Check::ImportMissing,
        |it| it.read = Some(Arc::new(|_, it| it.new_state = encode(&Value::Null, THING))),
        "Cannot import non-existent remote object",
    );
    check(law).await;
}

#[tokio::test]
async fn data_sources_and_moves() {
    let law = Law {
        check: Check::DataNull,
        journey: Journey::Data,
        hook: |it| it.data = Some(Arc::new(|_, it| it.state = encode(&Value::Null, "fake_lookup"))),
        expect: "Provider produced null object",
    };
    check(law).await;
    let law = Law {
        check: Check::DataKnown,
        journey: Journey::Data,
        hook: |it| {
            it.data = Some(Arc::new(|_, it| with(&mut it.state, "fake_lookup", "found", Value::unknown())));
        },
        expect: INVALID_OBJECT,
    };
    check(law).await;
    let law = Law {
        check: Check::MoveKnown,
        journey: Journey::Move,
        hook: |it| {
            it.moved =
                Some(Arc::new(|_, it| with(&mut it.target_state, "fake_box", "note", Value::unknown())));
        },
        expect: "Provider returned invalid value",
    };
    check(law).await;
    let law = Law {
        check: Check::MoveWriteOnly,
        journey: Journey::Move,
        hook: |it| {
            it.moved = Some(Arc::new(|_, it| with(&mut it.target_state, "fake_box", "secret", "s".into())));
        },
        expect: "Provider returned invalid value",
    };
    check(law).await;
}

#[tokio::test]
async fn what_users_ask_for() {
    let mut stage = Stage::new(Fake::default());
    let guarded = |name: &str| {
        Config::new().resource(resource(THING, "a").set("name", name).set("token", "t").prevent_destroy())
    };
    stage.up(&guarded("a")).await;
    let said = |plan: ferroform_testing::plan::Plan| summaries(&plan.diagnostics);
    let prevented = ["error fake_thing.a: Instance cannot be destroyed"];
    assert_eq!(said(stage.plan(&guarded("b")).await), prevented);
    assert_eq!(said(stage.plan_with(&guarded("a"), &PlanOptions::destroy()).await), prevented);
    // Without the block there is nothing to guard any more.
    assert_eq!(said(stage.plan(&Config::new()).await), [""; 0]);
    let shown = guarded("a").output("token", reference("fake_thing.a.token"));
    assert_eq!(said(stage.plan(&shown).await), ["error output.token: Output refers to sensitive values"]);
    let removed = guarded("a").removed("fake_thing.a");
    assert_eq!(said(stage.plan(&removed).await), ["error -: Removed resource still exists"]);
    let outcome = stage.core.import(&guarded("a"), &stage.state, &address("fake_thing.a"), "i-1").await;
    assert_eq!(
        summaries(&outcome.diagnostics),
        ["error fake_thing.a: Resource already managed by Terraform"]
    );
}

#[tokio::test]
async fn a_state_of_a_newer_schema_is_refused() {
    let mut stage = Stage::new(Fake::default());
    let config = Config::new().resource(thing("a", 1));
    stage.fake.set_version(2);
    stage.up(&config).await;
    stage.fake.set_version(1);
    let plan = stage.plan(&config).await;
    assert_eq!(
        summaries(&plan.diagnostics),
        ["error fake_thing.a: Resource instance managed by newer provider version"]
    );
    stage.core = stage.core.without(Check::UpgradeVersion);
    assert_eq!(summaries(&stage.plan(&config).await.diagnostics), [""; 0]);
}
