//! The table on real cores.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ferroform::cancel::Canceller;
use ferroform::protocol::HandlerService;
use ferroform::wire;
use ferroform_acceptance::wrong::{Fault, Wrong};
use ferroform_testing::client::Direct;
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{Core, Protocol, Served, Session};

use crate::scene::{SOURCE, Scene};
use crate::table::{Row, Says};

/// Does what the row says, and compares.
pub(crate) fn check(core: &Core, row: &Row) {
    let told = told(core, row);
    let errors: Vec<&Diagnostic> = told.iter().filter(|it| it.is_error()).collect();
    let as_said = match row.says {
        Says::Summaries(summaries) => {
            let found: BTreeSet<&str> = errors.iter().map(|it| it.summary.as_str()).collect();
            found == summaries.iter().copied().collect()
        }
        Says::Undecodable => errors.len() == 1 && errors.iter().all(|it| it.detail.is_empty()),
    };
    assert!(as_said, "{:?} is expected, and this was told: {told:#?}", row.says);
}

fn told(core: &Core, row: &Row) -> Vec<Diagnostic> {
    let armed = Arc::new(AtomicBool::new(false));
    let (fault, flag) = (row.fault, Arc::clone(&armed));
    let served =
        Served::forward(SOURCE, Protocol::V6, async move { Ok::<_, String>(transport(fault, flag)) });
    let session = Session::new(core, vec![served.expect("it serves")], &[]).expect("a session");
    let scene = Scene::of(row.act);
    if let Some(before) = &scene.before {
        session.write(before).expect("written");
        let report = session.apply_at_once(&PlanOptions::default()).expect("an end");
        assert!(report.succeeded(), "{report:#?}");
    }
    if let Some(state) = &scene.state {
        session.set_state(Some(state)).expect("written");
    }
    armed.store(true, Ordering::SeqCst);
    let report = match &scene.config {
        Some(config) => {
            session.write(config).expect("written");
            session.apply_at_once(&PlanOptions::default())
        }
        None => session.destroy(),
    };
    report.expect("an end").diagnostics
}

fn transport(fault: Fault, armed: Arc<AtomicBool>) -> Direct {
    let handler = HandlerService::new(Arc::new(Wrong::new(fault, armed)));
    Direct::new(wire::Protocol6::new(handler, Canceller::default()))
}
