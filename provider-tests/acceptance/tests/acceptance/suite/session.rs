//! A provider served in the process of the test.

use std::sync::Arc;

use ferroform::Serve;
use ferroform_acceptance::plain::Plain;
use ferroform_acceptance::probe::Probe;
use ferroform_testing::config::{Config, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{Feature, ReattachAddress, Report, ServedProvider, Session};
use ferroform_testing::secrets::{Leak, Secrets};
use ferroform_testing::state::State;

use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("session", session).attached(&[Attach::Reattached]).sampled(),
        AcceptanceTest::new("canaries", canaries)
            .attached(&[Attach::Reattached])
            .sampled()
            .needing(Feature::WriteOnlyAttributes),
    ]
}

fn session(target: &TestTarget) {
    let source = "example.com/ferroform/plain";
    let serve = Serve::new(Arc::new(Plain::default()));
    let served = ServedProvider::start(source, target.protocol, serve).expect("a server");
    let ReattachAddress::Unix(socket) = served.address().clone() else { panic!("it is no socket") };
    let root = tempfile::tempdir().expect("a folder");
    let session = Session::new(&target.core, vec![served], &[]).expect("a session");
    let file = |content: &str| {
        let file = resource("plain_file", "this").set("name", "a.txt").set("content", content);
        Config::new().provider(provider("plain").set("root", root.path())).resource(file)
    };
    session.write(&file("hello")).expect("written");
    let plan = session.plan(&PlanOptions::default()).expect("a plan");
    assert!(plan.has_changes(), "{plan:?}");
    assert!(session.apply(&plan).expect("an end").succeeded());
    for options in [PlanOptions::default(), PlanOptions::default().without_refresh()] {
        assert_eq!(session.plan(&options).expect("a plan").report.outcome.exit_code, Some(0));
    }
    assert!(session.destroy().expect("an end").succeeded());
    assert_eq!(session.starts(), 6);
    let said = session.transcript(source).expect("it is served here").methods();
    assert!(said.iter().any(|said| said == "ApplyResourceChange plain_file"), "{said:#?}");
    drop(session);
    assert!(!socket.exists());
}

/// A canary for each sensitive and write-only attribute, through a creation, an update and a destruction. Nothing that
/// is printed, said, planned or stored has one where it must not be.
fn canaries(target: &TestTarget) {
    let secrets = ["1", "2"].into_iter().fold(Secrets::new(), |secrets, at| {
        secrets.write_only(&format!("token-canary-{at}")).sensitive(&format!("password-canary-{at}"))
    });
    let source = "example.com/ferroform/probe";
    let serve = Serve::new(Arc::new(Probe::new(target.protocol, None)));
    let served = ServedProvider::start(source, target.protocol, serve).expect("a server");
    let root = tempfile::tempdir().expect("a folder");
    let session = Session::new(&target.core, vec![served], &[]).expect("a session");
    let printed = |report: &Report| -> Vec<Leak> {
        assert!(report.succeeded(), "{report:?}");
        let outputs = format!("{}{}", report.outcome.stdout, report.outcome.stderr);
        let in_output = secrets.in_bytes("what core prints", outputs.as_bytes());
        secrets.in_diagnostics(&report.diagnostics).into_iter().chain(in_output).collect()
    };
    let mut leaks = Vec::new();
    for at in ["1", "2"] {
        let secret = resource("probe_secret", "this")
            .set("name", "a")
            .set("token", format!("token-canary-{at}"))
            .set("password", format!("password-canary-{at}"));
        let provider = provider("probe").set("root", root.path());
        session.write(&Config::new().provider(provider).resource(secret)).expect("written");
        let plan = session.plan(&PlanOptions::default()).expect("a plan");
        let file = std::fs::read(&plan.file).expect("it was saved");
        leaks.extend(secrets.in_plan_file(&file).expect("an archive"));
        leaks.extend(secrets.in_plan(plan.json.as_ref().expect("there are changes")));
        leaks.extend(printed(&session.apply(&plan).expect("an end")));
        let state = session.state().expect("it is read").expect("a state");
        assert!(String::from_utf8_lossy(&state).contains(&format!("password-canary-{at}")));
        leaks.extend(secrets.in_state(&State::from_bytes(&state).expect("a state")).expect("it is written"));
    }
    leaks.extend(printed(&session.destroy().expect("an end")));
    let said = session.transcript(source).expect("it is served here").to_string();
    assert!(said.contains("ApplyResourceChange probe_secret"), "{said}");
    leaks.extend(secrets.in_bytes("the transcript", said.as_bytes()));
    assert_eq!(leaks, []);
}
