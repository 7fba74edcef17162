//! What a plan amounts to, and the calls for each action.

use std::sync::Arc;

use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::config::{
    ActionTrigger, Config, Event, action, count_index, each_key, object, reference, resource, template,
};
use ferroform_testing::embedded::{Deferral, PlanOptions};
use ferroform_testing::plan::Action;
use ferroform_testing::state::Status;

use crate::embedded::environment::{TestEnvironment, actions, address, summaries};
use crate::embedded::fake::{Fake, decode, encode, error, text};

fn thing(name: &str) -> Config {
    Config::new().resource(resource("fake_thing", "a").set("name", name))
}

/// The same, of which a new object is created before the old one is deleted.
fn first(name: &str) -> Config {
    Config::new().resource(resource("fake_thing", "a").set("name", name).create_before_destroy())
}

/// A stage on which the thing `a` is made.
async fn made() -> TestEnvironment {
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&thing("a")).await;
    env
}

/// The calls of a plan and its apply, for a change of one resource, after validation.
async fn check(env: &mut TestEnvironment, config: &Config, expect: (&[&str], &[&str], &[&str])) {
    let (planned, plan_calls, apply_calls) = expect;
    let plan = env.plan(config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), planned);
    let calls: Vec<String> = env.fake.calls();
    assert_eq!(calls[config_size(config)..], *plan_calls);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.calls(), apply_calls);
}

/// How many calls the validate walk makes.
fn config_size(config: &Config) -> usize {
    config.resources.len()
}

const READ: [&str; 2] = ["UpgradeResourceState a", "ReadResource a"];

#[tokio::test]
async fn a_replacement_deletes_first() {
    let mut env = made().await;
    let plan: Vec<&str> =
        [&READ[..], &["ValidateResourceConfig b", "PlanResourceChange b", "PlanResourceChange none -> b"]]
            .concat();
    let apply = [
        "UpgradeResourceState a",
        "ApplyResourceChange a -> gone",
        "ValidateResourceConfig b",
        "PlanResourceChange none -> b",
        "ApplyResourceChange none -> b",
    ];
    let planned = ["fake_thing.a delete+create replace_because_cannot_update"];
    check(&mut env, &thing("b"), (&planned, &plan, &apply)).await;
    assert_eq!(env.fake.names(), ["b"]);
}

#[tokio::test]
async fn a_replacement_creates_first_when_told_so() {
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&first("a")).await;
    let plan: Vec<&str> =
        [&READ[..], &["ValidateResourceConfig b", "PlanResourceChange b", "PlanResourceChange none -> b"]]
            .concat();
    let apply = [
        "ValidateResourceConfig b",
        "PlanResourceChange none -> b",
        "ApplyResourceChange none -> b",
        "UpgradeResourceState a",
        "PlanResourceChange a -> gone",
        "ApplyResourceChange a -> gone",
    ];
    let planned = ["fake_thing.a create+delete replace_because_cannot_update"];
    check(&mut env, &first("b"), (&planned, &plan, &apply)).await;
    assert_eq!(env.fake.names(), ["b"]);
    assert!(env.state.object(&address("fake_thing.a")).unwrap().create_before_destroy);
}

#[tokio::test]
async fn a_tainted_object_is_planned_once_and_replaced() {
    let mut env = made().await;
    let resource = env.state.resources.values_mut().next().unwrap();
    let instance = resource.instances.values_mut().next().unwrap();
    instance.current.as_mut().unwrap().status = Status::Tainted;
    let plan: Vec<&str> = [&READ[..], &["ValidateResourceConfig a", "PlanResourceChange none -> a"]].concat();
    let apply = [
        "UpgradeResourceState a",
        "ApplyResourceChange a -> gone",
        "ValidateResourceConfig a",
        "PlanResourceChange none -> a",
        "ApplyResourceChange none -> a",
    ];
    let planned = ["fake_thing.a delete+create replace_because_tainted"];
    check(&mut env, &thing("a"), (&planned, &plan, &apply)).await;
    assert_eq!(env.state.object(&address("fake_thing.a")).unwrap().status, Status::Ready);
}

#[tokio::test]
async fn an_object_that_is_gone_is_made_again() {
    let mut env = made().await;
    env.fake.lose("id-1");
    let plan = env.plan(&thing("a")).await;
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    assert_eq!(plan.drift.len(), 1);
    assert_eq!(plan.drift[0].action, Action::Delete);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a"]);
}

#[tokio::test]
async fn drift_is_seen_and_corrected() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new().resource(resource("fake_thing", "a").set("name", "a").set("size", 1));
    env.up(&config).await;
    env.fake.edit("id-1", "size", Value::from(7));
    let only = env.plan_with(&config, &PlanOptions::refresh_only()).await;
    assert_eq!(actions(&only), [""; 0]);
    assert!(only.applyable);
    assert_eq!(only.drift[0].action, Action::Update);
    let unseen = env.plan_with(&config, &PlanOptions::default().without_refresh()).await;
    assert_eq!((actions(&unseen), unseen.drift.len()), (vec!["fake_thing.a no-op".to_owned()], 0));
    let plan = env.plan(&config).await;
    assert_eq!(actions(&plan), ["fake_thing.a update"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let plan = env.plan(&config).await;
    assert!(!plan.applyable);
}

#[tokio::test]
async fn what_is_no_longer_configured_goes() {
    let mut env = made().await;
    let plan = [&READ[..], &["PlanResourceChange a -> gone"]].concat();
    let apply = ["UpgradeResourceState a", "ApplyResourceChange a -> gone"];
    let planned = ["fake_thing.a delete delete_because_no_resource_config"];
    check(&mut env, &Config::new(), (&planned, &plan, &apply)).await;
    assert!(env.state.resources.is_empty());
}

#[tokio::test]
async fn a_provider_is_asked_about_deletions_only_if_it_wants_to() {
    let mut env = TestEnvironment::new(Fake::default().without_plan_destroy());
    env.up(&thing("a")).await;
    let apply = ["UpgradeResourceState a", "ApplyResourceChange a -> gone"];
    let planned = ["fake_thing.a delete delete_because_no_resource_config"];
    check(&mut env, &Config::new(), (&planned, &READ, &apply)).await;
}

#[tokio::test]
async fn what_is_forgotten_stays() {
    let mut env = made().await;
    let plan = env.plan(&Config::new().forgotten("fake_thing.a")).await;
    assert_eq!(actions(&plan), ["fake_thing.a forget delete_because_no_resource_config"]);
    assert_eq!(env.fake.calls(), ["UpgradeResourceState a"]);
    assert_eq!(
        summaries(&plan.diagnostics),
        ["warning -: Some objects will no longer be managed by Terraform"]
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.calls(), ["UpgradeResourceState a"]);
    assert!(env.state.resources.is_empty());
    assert_eq!(env.fake.names(), ["a"]);
}

#[tokio::test]
async fn instances_come_and_go() {
    let mut env = TestEnvironment::new(Fake::default());
    let several = |count: i64| {
        let name = template(["n".into(), count_index()]);
        Config::new().resource(resource("fake_thing", "a").set("name", name).count(count))
    };
    env.up(&several(3)).await;
    assert_eq!(env.fake.names(), ["n0", "n1", "n2"]);
    let plan = env.plan(&several(1)).await;
    assert_eq!(
        actions(&plan),
        [
            "fake_thing.a[0] no-op",
            "fake_thing.a[1] delete delete_because_count_index",
            "fake_thing.a[2] delete delete_because_count_index",
        ],
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let single = Config::new().resource(resource("fake_thing", "a").set("name", "n0"));
    let plan = env.plan(&single).await;
    assert_eq!(actions(&plan), ["fake_thing.a no-op"]);
    assert_eq!(plan.changes[0].previous_address, Some(address("fake_thing.a[0]")));
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let named = Config::new().resource(
        resource("fake_thing", "a").set("name", each_key()).for_each(object([("x", "1"), ("y", "2")])),
    );
    let plan = env.plan(&named).await;
    assert_eq!(
        actions(&plan),
        [
            "fake_thing.a delete delete_because_wrong_repetition",
            "fake_thing.a[\"x\"] create",
            "fake_thing.a[\"y\"] create",
        ],
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["x", "y"]);
}

#[tokio::test]
async fn triggers_and_requests_replace() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = |size: i64| {
        Config::new()
            .resource(resource("fake_thing", "a").set("name", "a").set("size", size))
            .resource(resource("fake_thing", "b").set("name", "b").replace_triggered_by("fake_thing.a.size"))
    };
    env.up(&config(1)).await;
    let plan = env.plan(&config(2)).await;
    assert_eq!(actions(&plan), ["fake_thing.a update", "fake_thing.b delete+create replace_by_triggers"]);
    let options = PlanOptions::default().replace(address("fake_thing.a"));
    let plan = env.plan_with(&config(1), &options).await;
    assert_eq!(actions(&plan), ["fake_thing.a delete+create replace_by_request", "fake_thing.b no-op"]);
}

/// Whether it is invoked or not.
#[tokio::test]
async fn what_is_invoked_before_a_change_is_depended_on() {
    let triggered = |event: Event, of_act: &str, of_condition: &str| {
        let trigger =
            ActionTrigger::on([event]).condition(reference(of_condition)).action("action.fake_act.it");
        Config::new()
            .resource(resource("fake_thing", "c").set("name", "c"))
            .resource(resource("fake_thing", "b").set("name", "true"))
            .resource(action("fake_act", "it").set("name", reference(of_act)))
            .resource(resource("fake_thing", "a").set("name", "a").action_trigger(trigger))
    };
    for (event, expect) in
        [(Event::BeforeUpdate, vec!["fake_thing.b", "fake_thing.c"]), (Event::AfterUpdate, Vec::new())]
    {
        let mut env = TestEnvironment::new(Fake::default());
        env.up(&triggered(event, "fake_thing.c.name", "fake_thing.b.name")).await;
        let of = address("fake_thing.a");
        let object =
            env.state.resources[&of.resource].instances[&of.key].current.as_ref().expect("an object");
        let dependencies: Vec<String> = object.dependencies.iter().map(ToString::to_string).collect();
        assert_eq!(dependencies, expect);
    }
}

#[tokio::test]
async fn ignored_changes_do_not_count() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = |size: i64| {
        let block = resource("fake_thing", "a").set("name", "a").set("size", size);
        Config::new().resource(block.ignore_changes(["size"]))
    };
    env.up(&config(1)).await;
    assert_eq!(actions(&env.plan(&config(2)).await), ["fake_thing.a no-op"]);
    let block = resource("fake_thing", "a").set("name", "b").ignore_all_changes();
    assert_eq!(actions(&env.plan(&Config::new().resource(block)).await), ["fake_thing.a no-op"]);
}

#[tokio::test]
async fn a_failed_creation_is_tainted_and_its_dependents_wait() {
    let mut env = TestEnvironment::new(Fake::default());
    env.fake.hook(|hooks| {
        hooks.apply = Some(Arc::new(|_, answer| answer.diagnostics.push(error("Half way there"))));
    });
    let config = thing("a")
        .resource(resource("fake_thing", "b").set("name", "b").depends_on("fake_thing.a"))
        .resource(resource("fake_thing", "c").set("name", "c"));
    let plan = env.plan(&config).await;
    let mut said = env.apply(&plan).await;
    said.sort();
    assert_eq!(said, ["error fake_thing.a: Half way there", "error fake_thing.c: Half way there"]);
    assert_eq!(env.state.object(&address("fake_thing.a")).unwrap().status, Status::Tainted);
    assert_eq!(env.state.object(&address("fake_thing.b")), None);
    assert_eq!(env.fake.names(), ["a", "c"]);
}

#[tokio::test]
async fn the_old_object_is_kept_when_the_new_one_fails() {
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&first("a")).await;
    let plan = env.plan(&first("b")).await;
    env.fake.hook(|hooks| {
        hooks.apply = Some(Arc::new(|_, answer| {
            answer.new_state = encode(&Value::Null, "fake_thing");
            answer.diagnostics.push(error("No"));
        }));
    });
    assert_eq!(env.apply(&plan).await, ["error fake_thing.a: No"]);
    let kept = env.state.object(&address("fake_thing.a")).unwrap();
    assert_eq!(kept.status, Status::Ready);
    // The fake has made the new one all the same, which is why it is the wrong kind of provider.
    assert_eq!(env.fake.names(), ["a", "b"]);
}

#[tokio::test]
async fn a_deposed_object_is_deleted_by_the_next_apply() {
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&first("a")).await;
    let plan = env.plan(&first("b")).await;
    env.fake.hook(|hooks| {
        hooks.apply = Some(Arc::new(|request, answer| {
            if decode(&request.planned_state, "fake_thing").is_null() {
                answer.diagnostics.push(error("Cannot delete"));
            }
        }));
    });
    assert_eq!(env.apply(&plan).await, ["error fake_thing.a: Cannot delete"]);
    env.fake.hook(|hooks| hooks.apply = None);
    env.fake.place("id-1", "a");
    env.fake.calls();
    let planned = ["fake_thing.a no-op", "fake_thing.a (00000001) delete"];
    let plan = env.plan(&first("b")).await;
    assert_eq!(actions(&plan), planned);
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(
        env.fake.calls(),
        ["UpgradeResourceState a", "PlanResourceChange a -> gone", "ApplyResourceChange a -> gone"]
    );
    assert_eq!(env.fake.names(), ["b"]);
}

#[tokio::test]
async fn destruction_is_in_reverse_and_creation_first_inverts() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = |suffix: &str| {
        let a = resource("fake_thing", "a").set("name", format!("a{suffix}"));
        let b = resource("fake_thing", "b")
            .set("name", format!("b{suffix}"))
            .set("note", reference("fake_thing.a.id"))
            .create_before_destroy();
        Config::new().resource(a).resource(b)
    };
    env.up(&config("")).await;
    let plan = env.plan(&config("2")).await;
    // What the second depends on is created first as well, though it does not say so.
    assert_eq!(
        actions(&plan),
        [
            "fake_thing.a create+delete replace_because_cannot_update",
            "fake_thing.b create+delete replace_because_cannot_update",
        ],
    );
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let applied: Vec<String> =
        env.fake.calls().into_iter().filter(|call| call.starts_with("Apply")).collect();
    assert_eq!(
        applied,
        [
            "ApplyResourceChange none -> a2",
            "ApplyResourceChange none -> b2",
            "ApplyResourceChange b -> gone",
            "ApplyResourceChange a -> gone",
        ],
    );
}

#[tokio::test]
async fn targets_limit_a_plan() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = thing("a")
        .resource(resource("fake_thing", "b").set("name", "b").depends_on("fake_thing.a"))
        .resource(resource("fake_thing", "c").set("name", "c"))
        .output("b", reference("fake_thing.b.name"))
        .output("c", reference("fake_thing.c.name"))
        .output("nothing", "x");
    let options = PlanOptions::default().target(address("fake_thing.b"));
    let plan = env.plan_with(&config, &options).await;
    assert!(plan.outputs.keys().eq(["b"]));
    assert_eq!(actions(&plan), ["fake_thing.a create", "fake_thing.b create"]);
    assert!(!plan.complete);
    assert_eq!(summaries(&plan.diagnostics), ["warning -: Resource targeting is in effect"]);
    assert_eq!(env.apply(&plan).await, ["warning -: Applied changes may be incomplete"]);
    assert!(env.state.outputs.keys().eq(["b"]));
    env.up(&config).await;
    assert!(env.state.outputs.keys().eq(["b", "c", "nothing"]));
}

#[tokio::test]
async fn what_is_put_off_is_not_a_change() {
    let mut env = TestEnvironment::new(Fake::default()).with(|core| core.with_deferral(Deferral::Allowed));
    env.fake.hook(|hooks| {
        hooks.plan = Some(Arc::new(|request, answer| {
            let reason = proto::deferred::Reason::AbsentPrereq;
            if text(&decode(&request.config, "fake_thing"), "name") == "a" {
                answer.deferred = Some(proto::Deferred { reason: reason.into() });
            }
        }));
    });
    let config = thing("a")
        .resource(resource("fake_thing", "b").set("name", "b").depends_on("fake_thing.a"))
        .resource(resource("fake_thing", "c").set("name", "c"));
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.c create"]);
    let mut deferred: Vec<String> =
        plan.deferred.iter().map(|it| format!("{} {}", it.change.address, it.reason)).collect();
    deferred.sort();
    assert_eq!(deferred, ["fake_thing.a absent_prereq", "fake_thing.b deferred_prereq"]);
    assert!(!plan.complete);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["c"]);
}
