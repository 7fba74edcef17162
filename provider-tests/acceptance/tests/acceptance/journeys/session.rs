//! A provider served in the process of the test.

use std::sync::Arc;

use ferroform::Serve;
use ferroform_acceptance::plain::Plain;
use ferroform_testing::config::{Config, provider, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{ReattachAddress, Served, Session};

use super::matrix::{Attach, Journey, Place};

pub(super) fn journeys() -> Vec<Journey> {
    vec![Journey::new("session", session).attached(&[Attach::Reattached]).sampled()]
}

fn session(place: &Place) {
    let source = "example.com/ferroform/plain";
    let serve = Serve::new(Arc::new(Plain::default()));
    let served = Served::start(source, place.protocol, serve).expect("a server");
    let ReattachAddress::Unix(socket) = served.address().clone() else { panic!("it is no socket") };
    let root = tempfile::tempdir().expect("a folder");
    let session = Session::new(&place.core, vec![served], &[]).expect("a session");
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
