//! Ephemeral resources: where their results may go, how often they are opened, renewed and closed, and mistakes.

use std::fs;

use ferroform_testing::real::Feature;

use super::matrix::{Attach, Journey, Place};
use super::stage::{PROBE, Stage, refused, succeeded};

pub(super) fn journeys() -> Vec<Journey> {
    let journey = |name, run| Journey::new(name, run).needing(Feature::EphemeralResources).sampled();
    vec![
        journey("ephemeral resources", uses).needing(Feature::WriteOnlyAttributes),
        journey("ephemeral resources that fail", mistakes),
        journey("ephemeral resources whose renewal fails", failed_renewal),
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
fn journal(stage: &Stage, name: &str) -> Vec<String> {
    let path = stage.file(&format!("{name}.journal"));
    let lines = fs::read_to_string(&path).unwrap_or_default().lines().map(str::to_owned).collect();
    let _ = fs::remove_file(path);
    lines
}

/// What an apply has done to the lease. The embedded core plans once more before it applies a saved plan.
fn applied(place: &Place, stage: &Stage) -> Vec<String> {
    let mut done = journal(stage, "lease");
    if place.attach == Attach::Embedded {
        assert_eq!(done.drain(..2).collect::<Vec<_>>(), ["open", "close 0"]);
    }
    done
}

fn uses(place: &Place) {
    let stage = Stage::open(place, PROBE);
    stage.configure(USES);
    let plan = stage.plan();
    assert_eq!(journal(&stage, "lease"), ["open", "close 0"]);
    succeeded(&stage.workspace.apply(&plan).expect("an end"));
    let done = applied(place, &stage);
    // Opened once, renewed while the command slept, each time with what the last renewal recorded, and closed once with
    // that.
    let renewals = done.len() - 2;
    let expected: Vec<String> = std::iter::once("open".to_owned())
        .chain((0..renewals).map(|generation| format!("renew {generation}")))
        .chain([format!("close {renewals}")])
        .collect();
    assert_eq!(done, expected);
    assert!(renewals >= 2, "{done:?}");
    assert_eq!(fs::read_to_string(stage.file("seen")).expect("written"), "token-of-lease");
    assert_eq!(fs::read_to_string(stage.file("secret.token")).expect("written"), "token-of-lease");
    assert!(!stage.file("lease.lease").exists());
    // The state names what its objects depend on, and nothing more of it.
    assert!(!stage.state_text().contains("token-of-lease"));
    stage.settled();
    assert_eq!(journal(&stage, "lease"), ["open", "close 0"]);
    stage.destroy();
    stage.close();
}

fn mistakes(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let check = |mistake: &str, summary: &str, parts: &[&str]| {
        stage.configure(&format!(
            "ephemeral \"probe_lease\" \"this\" {{\n  name    = \"lease\"\n  mistake = \"{mistake}\"\n}}\n"
        ));
        let outcome = stage.workspace.plan_only(&[]).expect("an end");
        let error = refused(&outcome, summary, parts);
        assert!(!error.detail.contains("token-of-lease"), "{error:?}");
        // What was made is removed although core was not told of it.
        assert_eq!(journal(&stage, "lease"), ["open", "close 0"], "{mistake}");
        assert!(!stage.file("lease.lease").exists(), "{mistake}");
    };
    check("error", "Lease Refused", &["grants no lease"]);
    check("panic", "Provider Panicked", &["bug in the provider"]);
    check("unknown", "Provider Returned An Unknown Value", &["`token`", "`open`"]);
    check("other", "Provider Returned Another Value Than Configured", &["`name`", "`open`"]);
    stage.close();
}

/// The command goes on, and the lease is renewed no more. Only OpenTofu reports it.
fn failed_renewal(place: &Place) {
    let stage = Stage::open(place, PROBE);
    stage.configure(
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
    let plan = stage.plan();
    assert_eq!(journal(&stage, "lease"), ["open", "close 0"]);
    let outcome = stage.workspace.apply(&plan).expect("an end");
    if place.by_product(false, true) {
        refused(&outcome, "Lease Lost", &["does not renew"]);
    } else {
        succeeded(&outcome);
    }
    assert_eq!(applied(place, &stage), ["open", "renew 0", "close 0"]);
    assert!(!stage.file("lease.lease").exists());
    stage.destroy();
    stage.close();
}
