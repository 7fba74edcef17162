//! Where ephemeral values go: through modules, into configurations of other providers, provisioners and write-only
//! attributes; and what is closed when a call on the way fails.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ferroform_plugin::grpc::{Code, Status};
use ferroform_testing::client::{Client, Fault, FaultInjector, Protocol};
use ferroform_testing::embedded::Core;
use ferroform_testing::language::module::{Configuration, Inputs, load};
use ferroform_testing::state::State;

use crate::embedded::environment::{TestEnvironment, provider_address, summaries};
use crate::embedded::fake::{Fake, decode, text};

const REQUIRED: &str =
    "terraform {\n  required_providers {\n    fake = {\n      source = \"acme/fake\"\n    }\n  }\n}\n";

/// The configuration of that text and of a module `m`.
fn with_module(root: &str, module: &str) -> Configuration {
    written(tempfile::tempdir().unwrap().path(), root, module)
}

/// The same in a directory that stays, in which commands run.
fn written(directory: &Path, root: &str, module: &str) -> Configuration {
    std::fs::create_dir(directory.join("m")).unwrap();
    for (name, text) in [("main.tf", root), ("m/main.tf", module)] {
        std::fs::write(directory.join(name), format!("{REQUIRED}{text}")).unwrap();
    }
    load(directory).and_then(|tree| tree.prepare(&Inputs::new())).unwrap()
}

/// The opens and closes since the last look, in order where their names are.
fn opened_and_closed(fake: &Fake) -> Vec<String> {
    let calls = fake.calls().into_iter().map(|call| call.replace("EphemeralResource", ""));
    let mut calls: Vec<String> =
        calls.filter(|call| call.starts_with("Open") || call.starts_with("Close")).collect();
    calls.sort();
    calls
}

/// What the write-only `secret` of each thing is when it is applied.
fn secrets(fake: &Fake) -> Arc<Mutex<Vec<String>>> {
    let secrets = Arc::new(Mutex::new(Vec::new()));
    let taken = secrets.clone();
    fake.hook(|hooks| {
        hooks.apply = Some(Arc::new(move |request, _| {
            let config = decode(&request.config, &request.type_name);
            taken.lock().unwrap().push(text(&config, "secret").to_owned());
        }));
    });
    secrets
}

const MODULE: &str = r#"
variable "name" {
  type = string
}
ephemeral "fake_token" "t" {
  name = var.name
}
locals {
  result = "<${ephemeral.fake_token.t.result}>"
}
output "result" {
  value     = local.result
  ephemeral = true
}
"#;

#[tokio::test]
async fn a_result_leaves_its_module_by_an_ephemeral_output() {
    let root = r#"
module "m" {
  source   = "./m"
  for_each = toset(["x", "y"])
  name     = each.key
}
resource "fake_thing" "a" {
  name   = "a"
  secret = module.m["y"].result
}
"#;
    let mut env = TestEnvironment::new(Fake::default());
    let secrets = secrets(&env.fake);
    let plan = env.plan(&with_module(root, MODULE)).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    let both = ["Close x 0 0", "Close y 0 0", "Open x", "Open y"];
    assert_eq!(opened_and_closed(&env.fake), both);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(opened_and_closed(&env.fake), both);
    assert_eq!(*secrets.lock().unwrap(), ["<result of y>"]);
    assert!(!String::from_utf8(env.state.to_bytes().unwrap()).unwrap().contains("result of"));
}

#[tokio::test]
async fn a_module_that_waits_for_an_unknown_value_opens_when_it_is_applied() {
    let root = r#"
resource "fake_thing" "base" {
  name = "base"
}
module "m" {
  source = "./m"
  name   = fake_thing.base.id
}
resource "fake_thing" "a" {
  name   = "a"
  secret = module.m.result
}
"#;
    let mut env = TestEnvironment::new(Fake::default());
    let secrets = secrets(&env.fake);
    let config = with_module(root, MODULE);
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(opened_and_closed(&env.fake), [""; 0]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(opened_and_closed(&env.fake), ["Close id-1 0 0", "Open id-1"]);
    assert_eq!(*secrets.lock().unwrap(), ["", "<result of id-1>"]);
    // Once everything is known it is opened in a plan as well.
    env.plan(&config).await;
    assert_eq!(opened_and_closed(&env.fake), ["Close id-1 0 0", "Open id-1"]);
}

#[tokio::test]
async fn a_result_enters_a_module_by_an_ephemeral_variable() {
    let root = r#"
ephemeral "fake_token" "t" {
  name = "t"
}
module "m" {
  source = "./m"
  secret = ephemeral.fake_token.t.result
}
"#;
    let module = r#"
variable "secret" {
  type      = string
  ephemeral = true
}
resource "fake_thing" "a" {
  name   = "a"
  secret = var.secret
}
"#;
    let mut env = TestEnvironment::new(Fake::default());
    let secrets = secrets(&env.fake);
    let plan = env.plan(&with_module(root, module)).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(opened_and_closed(&env.fake), ["Close t 0 0", "Open t"]);
    assert_eq!(*secrets.lock().unwrap(), ["result of t"]);
    // A variable that is not declared so does not take it.
    let plan = env.plan(&with_module(root, &module.replace("  ephemeral = true\n", ""))).await;
    let said = summaries(&plan.diagnostics);
    assert!(matches!(&*said, [error] if error.ends_with(": Ephemeral value not allowed")), "{said:?}");
}

#[tokio::test]
async fn another_provider_is_configured_by_a_result_and_closed_after_its_last_call() {
    let other = Fake::default();
    let address = "registry.terraform.io/acme/other".parse().unwrap();
    let mut env = TestEnvironment::new(Fake::default()).with(|core| {
        let other = other.clone();
        core.with_provider("other", address, move || {
            let client = other.client();
            async move { Ok(client) }
        })
    });
    let text = r#"
ephemeral "fake_token" "t" {
  name = "t"
}
provider "other" {
  endpoint = ephemeral.fake_token.t.result
}
resource "fake_thing" "a" {
  provider = other
  name     = "a"
}
"#;
    let directory = tempfile::tempdir().unwrap();
    let required =
        REQUIRED.replace("  }\n}\n", "    other = {\n      source = \"acme/other\"\n    }\n  }\n}\n");
    std::fs::write(directory.path().join("main.tf"), format!("{required}{text}")).unwrap();
    let config = load(directory.path()).and_then(|tree| tree.prepare(&Inputs::new())).unwrap();
    // The token is still open when the other provider applies.
    let (open, applied) = (env.fake.clone(), Arc::new(Mutex::new(Vec::new())));
    let seen = applied.clone();
    other.hook(|hooks| {
        hooks.apply = Some(Arc::new(move |_, _| *seen.lock().unwrap() = opened_and_closed(&open)));
    });
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(other.told_endpoint(), "result of t");
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(*applied.lock().unwrap(), ["Open t"]);
    assert_eq!(opened_and_closed(&env.fake), ["Close t 0 0"]);
    assert_eq!(other.names(), ["a"]);
    assert!(env.fake.names().is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn a_provisioner_gets_a_result() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("seen");
    let root = format!(
        "ephemeral \"fake_token\" \"t\" {{\n  name = \"t\"\n}}\nresource \"fake_thing\" \"a\" {{\n  name = \"a\"\n  \
         provisioner \"local-exec\" {{\n    command     = \"printf %s \\\"$TOKEN\\\" > {}\"\n    environment = {{\n      \
         TOKEN = ephemeral.fake_token.t.result\n    }}\n  }}\n}}\n",
        file.display()
    );
    let mut env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&written(directory.path(), &root, "")).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(opened_and_closed(&env.fake), ["Close t 0 0", "Open t"]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "result of t");
}

/// A plan and an apply in which one call has a fault.
struct Disturbed {
    /// The calls of core, in both walks.
    calls: Vec<String>,
    /// Whether the call with the fault is there.
    met: bool,
}

async fn disturbed(at: usize, fault: Option<Fault>) -> Disturbed {
    let (fake, calls) = (Fake::default(), Arc::new(Mutex::new(Vec::new())));
    let count = Arc::new(AtomicUsize::new(0));
    let (serves, heard, counted) = (fake.clone(), calls.clone(), count.clone());
    let core = Core::new().with_provider("fake", provider_address(), move || {
        let (heard, counted, fault) = (heard.clone(), counted.clone(), fault.clone());
        let decide = move |path: &str, _| {
            heard.lock().unwrap().push(path.rsplit('/').next().unwrap_or_default().to_owned());
            fault.clone().filter(|_| counted.fetch_add(1, Ordering::SeqCst) == at)
        };
        let faulty = FaultInjector::new(serves.clone(), decide);
        async move { Ok(Client::new(faulty, Protocol::V6)) }
    });
    let mut env = TestEnvironment { fake, core, state: State::default() };
    let root = "ephemeral \"fake_token\" \"t\" {\n  name = \"t\"\n}\nresource \"fake_thing\" \"a\" {\n  name   = \"a\"\n  \
                secret = ephemeral.fake_token.t.result\n}\n";
    let plan = env.plan(&with_module(root, "")).await;
    if !plan.errored {
        env.apply(&plan).await;
    }
    let calls = calls.lock().unwrap().clone();
    Disturbed { met: at < calls.len(), calls }
}

#[tokio::test]
async fn what_core_knows_to_be_open_is_closed_once_whatever_call_fails() {
    let lost = [
        Fault::Error(Status::new(Code::Unavailable, "a fault of the test")),
        Fault::ResetBefore,
        Fault::ResetAfter,
        Fault::Truncated,
        Fault::Malformed,
    ];
    let heard = [Fault::Delay(Duration::from_millis(1)), Fault::Duplicated];
    let whole = disturbed(usize::MAX, None).await.calls;
    assert!(whole.iter().any(|it| it == "ApplyResourceChange"), "{whole:?}");
    let all = lost.map(|fault| (fault, true)).into_iter().chain(heard.map(|fault| (fault, false)));
    for (fault, is_lost) in all {
        for at in 0.. {
            let Disturbed { calls, met } = disturbed(at, Some(fault.clone())).await;
            if !met {
                break;
            }
            let count = |method: &str| calls.iter().filter(|it| *it == method).count();
            let unheard = usize::from(is_lost && calls[at] == "OpenEphemeralResource");
            let (opened, closed) =
                (count("OpenEphemeralResource") - unheard, count("CloseEphemeralResource"));
            assert_eq!(closed, opened, "{fault:?} of {} (call {at}): {calls:?}", calls[at]);
        }
    }
}
