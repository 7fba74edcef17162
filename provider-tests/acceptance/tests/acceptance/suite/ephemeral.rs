//! Ephemeral resources: where their results may go, how often they are opened, renewed and closed, and mistakes.

use std::fs;

use ferroform_testing::real::Feature;

use super::environment::{PROBE, TestEnvironment, refused, succeeded};
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let test = |name, run| AcceptanceTest::new(name, run).needing(Feature::EphemeralResources).sampled();
    vec![
        test("ephemeral resources", uses).needing(Feature::WriteOnlyAttributes),
        test("ephemeral resources that fail", mistakes),
        test("ephemeral resources whose renewal fails", failed_renewal),
    ]
}

const USES: &str = r#"
ephemeral "probe_lease" "this" {
  name = "lease"
}
provider "probe" {
  alias = "second"
  root  = ephemeral.probe_lease.this.folder
}
resource "probe_secret" "this" {
  provider = probe.second
  name     = "secret"
  token    = ephemeral.probe_lease.this.token
}
resource "terraform_data" "this" {
  depends_on = [probe_secret.this]
  provisioner "local-exec" {
    command     = "printf %s \"$TOKEN\" > \"$FOLDER/seen\"; sleep 2"
    environment = {
      TOKEN  = ephemeral.probe_lease.this.token
      FOLDER = ephemeral.probe_lease.this.folder
    }
  }
}
"#;

/// What was done to a lease since the last time.
fn journal(env: &TestEnvironment, name: &str) -> Vec<String> {
    let path = env.file(&format!("{name}.journal"));
    let lines = fs::read_to_string(&path).unwrap_or_default().lines().map(str::to_owned).collect();
    let _ = fs::remove_file(path);
    lines
}

/// What an apply has done to the lease. The embedded core plans once more before it applies a saved plan.
fn applied(target: &TestTarget, env: &TestEnvironment) -> Vec<String> {
    let mut done = journal(env, "lease");
    if target.attach == Attach::Embedded {
        assert_eq!(done.drain(..2).collect::<Vec<_>>(), ["open", "close 0"]);
    }
    done
}

fn uses(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(USES);
    let plan = env.plan();
    assert_eq!(journal(&env, "lease"), ["open", "close 0"]);
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    let done = applied(target, &env);
    // Opened once, renewed while the command slept, each time with what the last renewal recorded, and closed once with
    // that.
    let renewals = done.len() - 2;
    let expected: Vec<String> = std::iter::once("open".to_owned())
        .chain((0..renewals).map(|generation| format!("renew {generation}")))
        .chain([format!("close {renewals}")])
        .collect();
    assert_eq!(done, expected);
    assert!(renewals >= 2, "{done:?}");
    assert_eq!(fs::read_to_string(env.file("seen")).expect("written"), "token-of-lease");
    assert_eq!(fs::read_to_string(env.file("secret.token")).expect("written"), "token-of-lease");
    assert!(!env.file("lease.lease").exists());
    // The state names what its objects depend on, and nothing more of it.
    assert!(!env.state_text().contains("token-of-lease"));
    env.settled();
    assert_eq!(journal(&env, "lease"), ["open", "close 0"]);
    env.destroy();
    env.close();
}

fn mistakes(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let check = |mistake: &str, summary: &str, parts: &[&str]| {
        env.configure(&format!(
            "ephemeral \"probe_lease\" \"this\" {{\n  name    = \"lease\"\n  mistake = \"{mistake}\"\n}}\n"
        ));
        let outcome = env.workspace.plan_only(&[]).expect("an end");
        let error = refused(&outcome, summary, parts);
        assert!(!error.detail.contains("token-of-lease"), "{error:?}");
        // What was made is removed although core was not told of it.
        assert_eq!(journal(&env, "lease"), ["open", "close 0"], "{mistake}");
        assert!(!env.file("lease.lease").exists(), "{mistake}");
    };
    check("error", "Lease Refused", &["grants no lease"]);
    check("panic", "Provider Panicked", &["bug in the provider"]);
    check("unknown", "Provider Returned An Unknown Value", &["`token`", "`open`"]);
    check("other", "Provider Returned Another Value Than Configured", &["`name`", "`open`"]);
    env.close();
}

/// The command goes on, and the lease is renewed no more. Only OpenTofu reports it.
fn failed_renewal(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(
        r#"
ephemeral "probe_lease" "this" {
  name    = "lease"
  mistake = "renewal"
}
resource "terraform_data" "this" {
  provisioner "local-exec" {
    command     = "sleep 2"
    environment = { TOKEN = ephemeral.probe_lease.this.token }
  }
}
"#,
    );
    let plan = env.plan();
    assert_eq!(journal(&env, "lease"), ["open", "close 0"]);
    let outcome = env.workspace.apply(&plan).expect("an end");
    if target.by_product(false, true) {
        refused(&outcome, "Lease Lost", &["does not renew"]);
    } else {
        succeeded(&outcome);
    }
    assert_eq!(applied(target, &env), ["open", "renew 0", "close 0"]);
    assert!(!env.file("lease.lease").exists());
    env.destroy();
    env.close();
}
