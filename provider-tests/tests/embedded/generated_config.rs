//! Configuration that is generated for imports into resources that are not declared.

use std::sync::Arc;

use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::embedded::{CoreVersion, Deferral, Generation, PlanOptions};
use ferroform_testing::language::module::Inputs;

use crate::embedded::environment::{TestEnvironment, actions, summaries};
use crate::embedded::fake::Fake;
use crate::embedded::language::prepared;

const IMPORT: &str = "import {\n  to = fake_thing.a\n  id = \"x\"\n}\n";

/// An object that nobody manages.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new(Fake::default().with_generation());
    env.fake.place("x", "a");
    env
}

fn generating() -> PlanOptions {
    let mut options = PlanOptions::default();
    options.generation = Generation::On;
    options
}

#[tokio::test]
async fn provider_generates_configuration_since_terraform_1_14() {
    let by_core = "resource \"fake_thing\" \"a\" {\n  name   = \"a\"\n  note   = \"made elsewhere\"\n  secret = null\n  \
                   size   = null\n  tags   = null\n  token  = null # sensitive\n}";
    // The provider made by hand leaves out what it has made up itself.
    let by_provider = by_core.replace("  note   = \"made elsewhere\"\n", "");
    for (minor, expect, calls) in [(15, &*by_provider, 1), (14, &*by_provider, 1), (13, by_core, 0)] {
        let env = env().with(|core| core.emulating(CoreVersion::terraform(1, minor, 0)));
        let plan = env.plan_with(&prepared("main.tf", IMPORT, &Inputs::new()), &generating()).await;
        assert_eq!(summaries(&plan.diagnostics), [""; 0], "1.{minor}");
        assert_eq!(plan.changes[0].generated_config.as_deref(), Some(expect), "1.{minor}");
        let called = env.fake.calls().iter().filter(|call| *call == "GenerateResourceConfig a").count();
        assert_eq!(called, calls, "1.{minor}");
    }
}

#[tokio::test]
async fn generated_configuration_that_changes_the_object_is_applied_when_it_is_written() {
    let mut env = env();
    env.fake.edit("x", "token", Value::from("t0ken"));
    let plan = env.plan_with(&prepared("main.tf", IMPORT, &Inputs::new()), &generating()).await;
    assert_eq!(actions(&plan), ["fake_thing.a update"]);
    env.fake.calls();
    let refused = ["error fake_thing.a: Cannot apply generated configuration"];
    assert_eq!(env.apply(&plan).await, refused);
    assert_eq!(env.fake.calls(), [""; 0]);
    assert!(env.state.object(&"fake_thing.a".parse().unwrap()).is_none());
    let text = format!("{IMPORT}{}\n", plan.changes[0].generated_config.as_deref().unwrap());
    env.up(&prepared("main.tf", &text, &Inputs::new())).await;
    assert!(env.state.object(&"fake_thing.a".parse().unwrap()).is_some());
}

#[tokio::test]
async fn import_that_is_deferred_has_no_configuration_yet() {
    let env = env().with(|core| core.with_deferral(Deferral::Allowed));
    env.fake.hook(|hooks| {
        hooks.import = Some(Arc::new(|_, answer| {
            answer.imported_resources.clear();
            let reason = proto::deferred::Reason::AbsentPrereq.into();
            answer.deferred = Some(proto::Deferred { reason });
        }));
    });
    let plan = env.plan_with(&prepared("main.tf", IMPORT, &Inputs::new()), &generating()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    let deferred: Vec<_> = plan.deferred.iter().map(|it| it.change.address.to_string()).collect();
    assert_eq!(deferred, ["fake_thing.a"]);
    assert!(!env.fake.calls().iter().any(|call| call.starts_with("GenerateResourceConfig")));
}
