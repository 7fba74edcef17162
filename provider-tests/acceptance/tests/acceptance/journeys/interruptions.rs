//! Creates that are interrupted: by the user, and by a connection that breaks.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use ferroform_testing::real::{Product, Protocol, ReattachAddress};

use super::gate::Gate;
use super::matrix::{Attach, Journey, Place};
use super::proxy::Proxy;
use super::stage::{PROBE, Stage, errors, write_script};

pub(super) fn journeys() -> Vec<Journey> {
    vec![
        Journey::new("ctrl-c during a slow create", interrupted).sampled().about_process(),
        Journey::new("ctrl-c during a plan that hangs", hanging)
            .attached(&[Attach::Spawned])
            .speaking(&[Protocol::V6]),
        Journey::new("core is killed during an apply", killed).attached(&[Attach::Spawned]),
        Journey::new("connection reset during a create", reset).on_both().about_process(),
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

/// The plan does not see that it is to stop, and does not hold its user up all the same.
fn hanging(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let gate = Gate::open();
    stage.configure(&slow(&gate).replace("  gate", "  plan_gate"));
    let running = stage.workspace.start(&["plan", "-json", "-input=false"]).expect("started");
    let plan = gate.wait();
    running.interrupt().expect("interrupted");
    // Nobody has released it: the call was given up, and the connection with it.
    plan.ended();
    let outcome = running.wait().expect("an end");
    assert_eq!(outcome.exit_code, Some(1));
    let errors = errors(&outcome);
    let given_up: Vec<_> = errors.iter().filter(|error| error.summary == "Call Cancelled").collect();
    assert_eq!(given_up.len(), 1, "{errors:#?}");
    assert_eq!(given_up[0].address.as_deref(), Some("probe_slow.this"));
    assert!(stage.files().is_empty());
    stage.close();
}

/// Nothing can be done any more by whoever is killed. Terraform has every object that it reported as created in the state
/// by then; OpenTofu writes the state for the first time after 20 seconds.
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
    let stored = ["probe_text.each", "probe_text.each"];
    assert_eq!(stage.addresses(), place.by_product(&stored[..], &[]));
    assert_eq!(stage.files(), ["a.json", "b.json", "this.started"]);

    stage.configure(texts);
    if place.core.product == Product::OpenTofu {
        // The provider replaces objects that no state tracks.
        stage.apply();
    }
    stage.settled();
    stage.destroy();
}

/// The create goes on to its end although nobody is left to hear of it.
fn reset(place: &Place) {
    let folder = tempfile::tempdir().expect("a folder");
    let (stage, proxy) = match place.attach {
        Attach::Spawned | Attach::Embedded => spawned_behind_proxy(place, folder.path()),
        Attach::Reattached => reattached_behind_proxy(place),
    };
    let gate = Gate::open();
    stage.configure(&slow(&gate));
    let running = stage.workspace.start(&APPLY).expect("started");
    let create = gate.wait();
    let outcome = match place.attach {
        // Core ends the provider that it has started when it learns of the reset, so it does that last.
        Attach::Spawned | Attach::Embedded => {
            proxy.reset_provider();
            create.release();
            create.ended();
            proxy.reset();
            running.wait().expect("an end")
        }
        Attach::Reattached => {
            proxy.reset();
            let outcome = running.wait().expect("an end");
            assert_eq!(stage.files(), ["this.started"]);
            create.release();
            create.ended();
            outcome
        }
    };
    assert_eq!(outcome.exit_code, Some(1));
    assert!(!errors(&outcome).is_empty());
    assert_eq!(stage.files(), ["this.finished", "this.json", "this.started"]);

    // The object is there, so it is imported; core could not know of it.
    let imported = stage.workspace.import("probe_slow.this", "this").expect("an end");
    assert!(imported.succeeded(), "{}", imported.stderr);
    assert_eq!(stage.addresses(), ["probe_slow.this"]);
    stage.settled();
    stage.destroy();
    stage.close();
}

fn reattached_behind_proxy(place: &Place) -> (Stage, Proxy) {
    let mut proxy = None;
    let stage = Stage::behind(place, PROBE, |server| {
        let socket = server.socket().to_path_buf();
        let opened = Proxy::open(move || Ok(socket.clone()));
        let address = ReattachAddress::Tcp(opened.address());
        proxy = Some(opened);
        address
    });
    (stage, proxy.expect("a proxy"))
}

/// What core starts is a script in `folder`, which starts the provider and tells core the address of the proxy instead.
/// TLS is between core and provider as ever.
fn spawned_behind_proxy(place: &Place, folder: &Path) -> (Stage, Proxy) {
    let (script, socket) = (folder.join("provider"), folder.join("socket"));
    let written = socket.clone();
    let proxy = Proxy::open(move || Ok(fs::read_to_string(&written)?.into()));
    write_relay(&script, &socket, proxy.address());
    (Stage::spawned(place, PROBE, &script), proxy)
}

/// A provider that writes down where the probe listens, and says that it is at `address`.
fn write_relay(script: &Path, socket: &Path, address: SocketAddr) {
    let text = format!(
        "'{}' | {{\n  IFS='|' read -r core protocol network socket rest\n  printf %s \"$socket\" > '{}'\n  \
         echo \"$core|$protocol|tcp|{address}|$rest\"\n  cat\n}}\n",
        PROBE.executable,
        socket.display(),
    );
    write_script(script, &text);
}
