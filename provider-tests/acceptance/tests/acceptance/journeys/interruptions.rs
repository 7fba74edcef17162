//! Creates that are interrupted: by the user, and by a connection that breaks.

use ferroform_testing::real::ReattachAddress;

use super::gate::Gate;
use super::matrix::{Attach, Journey, Place};
use super::proxy::Proxy;
use super::stage::{PROBE, Stage, errors};

pub(super) fn journeys() -> Vec<Journey> {
    vec![
        Journey::new("ctrl-c during a slow create", interrupted).sampled(),
        Journey::new("core is killed during an apply", killed).attached(&[Attach::Spawned]),
        Journey::new("connection reset during a create", reset).attached(&[Attach::Reattached]),
    ]
}

const APPLY: [&str; 4] = ["apply", "-json", "-input=false", "-auto-approve"];

fn slow(gate: &Gate) -> String {
    format!("resource \"probe_slow\" \"this\" {{\n  name = \"this\"\n  gate = \"{}\"\n}}\n", gate.address())
}

/// The create sees that it is to stop, and what it had made by then is in the state.
fn interrupted(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let gate = Gate::open();
    stage.configure(&slow(&gate));
    let running = stage.workspace.start(&APPLY).expect("started");
    let create = gate.wait();
    running.interrupt().expect("interrupted");
    // Dropped by the provider when the create has ended.
    create.ended();
    // The driver fails when a process is left in the group.
    let outcome = running.wait().expect("an end");
    assert_eq!(outcome.exit_code, Some(1));
    let errors = errors(&outcome);
    let (first, rest) = errors.split_first().expect("an error");
    assert_eq!(first.summary, "Create Interrupted");
    assert_eq!(first.address.as_deref(), Some("probe_slow.this"));
    // Core adds one for each part of its work that it gave up.
    assert!(rest.iter().all(|error| error.summary == "execution halted"), "{errors:#?}");
    assert_eq!(stage.files(), ["this.cancelled", "this.json", "this.started"]);
    assert_eq!(stage.addresses(), ["probe_slow.this (tainted)"]);
    stage.destroy();
    stage.close();
}

/// Nothing can be done any more by whoever is killed, so all that was said to be made is in the state by then.
fn killed(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let gate = Gate::open();
    let texts = r#"
resource "probe_text" "each" {
  for_each = { a = "one", b = "two" }
  name     = each.key
  text     = each.value
}
"#;
    let after = slow(&gate).replace("\n}\n", "\n  depends_on = [probe_text.each]\n}\n");
    stage.configure(&format!("{texts}{after}"));
    let mut running = stage.workspace.start(&APPLY).expect("started");
    for _ in 0..2 {
        running.wait_for(|message| message.kind == "apply_complete").expect("an object is made");
    }
    let create = gate.wait();
    // This is SIGKILL, for core and provider.
    drop(running);
    create.ended();
    assert_eq!(stage.addresses(), ["probe_text.each", "probe_text.each"]);
    assert_eq!(stage.files(), ["a.json", "b.json", "this.started"]);

    stage.configure(texts);
    stage.settled();
    stage.destroy();
}

/// The create goes on to its end although nobody is left to hear of it.
fn reset(place: &Place) {
    let mut proxy = None;
    let stage = Stage::behind(place, PROBE, |server| {
        let opened = Proxy::open(server.socket());
        let address = ReattachAddress::Tcp(opened.address());
        proxy = Some(opened);
        address
    });
    let proxy = proxy.expect("a proxy");
    let gate = Gate::open();
    stage.configure(&slow(&gate));
    let running = stage.workspace.start(&APPLY).expect("started");
    let create = gate.wait();
    proxy.reset();
    let outcome = running.wait().expect("an end");
    assert_eq!(outcome.exit_code, Some(1));
    assert!(!errors(&outcome).is_empty());
    assert_eq!(stage.files(), ["this.started"]);
    create.release();
    create.ended();
    assert_eq!(stage.files(), ["this.finished", "this.json", "this.started"]);

    // The object is there, so it is imported; core could not know of it.
    let imported = stage.workspace.import("probe_slow.this", "this").expect("an end");
    assert!(imported.succeeded(), "{}", imported.stderr);
    assert_eq!(stage.addresses(), ["probe_slow.this"]);
    stage.settled();
    stage.destroy();
    stage.close();
}
