//! Ephemeral resources: where their results may go, how often they are opened, renewed and closed, and mistakes.

use std::fs;

use ferroform_testing::real::Feature;

use super::matrix::{Journey, Place};
use super::stage::{PROBE, Stage, refused, succeeded};

pub(super) fn journeys() -> Vec<Journey> {
    let journey = |name, run| {
        let journey = Journey::new(name, run).needing(Feature::EphemeralResources);
        journey.lacking("the embedded core has no ephemeral resources yet").sampled()
    };
    vec![
        journey("ephemeral resources", uses).needing(Feature::WriteOnlyAttributes),
        journey("ephemeral resources that fail", mistakes),
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

fn uses(place: &Place) {
    let stage = Stage::open(place, PROBE);
    stage.configure(USES);
    let plan = stage.plan();
    assert_eq!(journal(&stage, "lease"), ["open", "close 0"]);
    succeeded(&stage.workspace.apply(&plan).expect("an end"));
    let done = journal(&stage, "lease");
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
