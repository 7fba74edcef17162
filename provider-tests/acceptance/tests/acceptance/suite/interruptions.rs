//! Creates that are interrupted: by the user, and by a connection that breaks.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use ferroform_testing::real::{Product, Protocol, ReattachAddress};

use super::environment::{PROBE, TestEnvironment, errors, write_script};
use super::gate::Gate;
use super::matrix::{AcceptanceTest, Attach, TestTarget};
use super::proxy::Proxy;

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("ctrl-c during a slow create", interrupted).sampled().about_process(),
        AcceptanceTest::new("ctrl-c during a plan that hangs", hanging)
            .attached(&[Attach::Spawned])
            .speaking(&[Protocol::V6]),
        AcceptanceTest::new("core is killed during an apply", killed).attached(&[Attach::Spawned]),
        AcceptanceTest::new("connection reset during a create", reset).on_both().about_process(),
    ]
}

const APPLY: [&str; 4] = ["apply", "-json", "-input=false", "-auto-approve"];

fn slow(gate: &Gate) -> String {
    format!("resource \"probe_slow\" \"this\" {{\n  name = \"this\"\n  gate = \"{}\"\n}}\n", gate.address())
}

/// The create sees that it is to stop, and what it had made by then is in the state.
fn interrupted(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let gate = Gate::open();
    env.configure(&slow(&gate));
    let running = env.workspace.start(&APPLY).expect("started");
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
    assert_eq!(env.files(), ["this.cancelled", "this.json", "this.started"]);
    assert_eq!(env.addresses(), ["probe_slow.this (tainted)"]);
    env.destroy();
    env.close();
}

/// The plan does not see that it is to stop, and does not hold its user up all the same.
fn hanging(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let gate = Gate::open();
    env.configure(&slow(&gate).replace("  gate", "  plan_gate"));
    let running = env.workspace.start(&["plan", "-json", "-input=false"]).expect("started");
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
    assert!(env.files().is_empty());
    env.close();
}

/// Nothing can be done any more by whoever is killed. Terraform has every object that it reported as created in the state
/// by then; OpenTofu writes the state for the first time after 20 seconds.
fn killed(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let gate = Gate::open();
    let texts = r#"
resource "probe_text" "each" {
  for_each = { a = "one", b = "two" }
  name     = each.key
  text     = each.value
}
"#;
    let after = slow(&gate).replace("\n}\n", "\n  depends_on = [probe_text.each]\n}\n");
    env.configure(&format!("{texts}{after}"));
    let mut running = env.workspace.start(&APPLY).expect("started");
    for _ in 0..2 {
        running.wait_for(|message| message.kind == "apply_complete").expect("an object is made");
    }
    let create = gate.wait();
    // This is SIGKILL, for core and provider.
    drop(running);
    create.ended();
    let stored = ["probe_text.each", "probe_text.each"];
    assert_eq!(env.addresses(), target.by_product(&stored[..], &[]));
    assert_eq!(env.files(), ["a.json", "b.json", "this.started"]);

    env.configure(texts);
    if target.core.product == Product::OpenTofu {
        // The provider replaces objects that no state tracks.
        env.apply();
    }
    env.settled();
    env.destroy();
}

/// The create goes on to its end although nobody is left to hear of it.
fn reset(target: &TestTarget) {
    let folder = tempfile::tempdir().expect("a folder");
    let (env, proxy) = match target.attach {
        Attach::Spawned | Attach::Embedded => spawned_behind_proxy(target, folder.path()),
        Attach::Reattached => reattached_behind_proxy(target),
    };
    let gate = Gate::open();
    env.configure(&slow(&gate));
    let running = env.workspace.start(&APPLY).expect("started");
    let create = gate.wait();
    let outcome = match target.attach {
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
            assert_eq!(env.files(), ["this.started"]);
            create.release();
            create.ended();
            outcome
        }
    };
    assert_eq!(outcome.exit_code, Some(1));
    assert!(!errors(&outcome).is_empty());
    assert_eq!(env.files(), ["this.finished", "this.json", "this.started"]);

    // The object is there, so it is imported; core could not know of it.
    let imported = env.workspace.import("probe_slow.this", "this").expect("an end");
    assert!(imported.succeeded(), "{}", imported.stderr);
    assert_eq!(env.addresses(), ["probe_slow.this"]);
    env.settled();
    env.destroy();
    env.close();
}

fn reattached_behind_proxy(target: &TestTarget) -> (TestEnvironment, Proxy) {
    let mut proxy = None;
    let env = TestEnvironment::behind(target, PROBE, |server| {
        let socket = server.socket().to_path_buf();
        let opened = Proxy::open(move || Ok(socket.clone()));
        let address = ReattachAddress::Tcp(opened.address());
        proxy = Some(opened);
        address
    });
    (env, proxy.expect("a proxy"))
}

/// What core starts is a script in `folder`, which starts the provider and tells core the address of the proxy instead.
/// TLS is between core and provider as ever.
fn spawned_behind_proxy(target: &TestTarget, folder: &Path) -> (TestEnvironment, Proxy) {
    let (script, socket) = (folder.join("provider"), folder.join("socket"));
    let written = socket.clone();
    let proxy = Proxy::open(move || Ok(fs::read_to_string(&written)?.into()));
    write_relay(&script, &socket, proxy.address());
    (TestEnvironment::spawned(target, PROBE, &script), proxy)
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
