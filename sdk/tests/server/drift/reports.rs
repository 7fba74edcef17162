//! What is said of drift: in the log, and as data.

use ferroform::model::Encode as _;
use ferroform::path::Path;
use ferroform_core::plan::{DifferenceKind, refresh};
use ferroform_server::protocol::PlanResourceChangeRequest;
use tracing::level_filters::LevelFilter;

use super::*;
use crate::server::log::listening;

/// The one line that tells of kept representations, which has no value.
fn says_kept(lines: &str, method: &str) {
    let said = lines.lines().filter(|line| line.contains("equivalent representations were kept"));
    let said: Vec<_> = said.collect();
    let [said] = said[..] else { panic!("{lines}") };
    assert!(said.contains("cloud_bucket") && said.contains(method) && said.contains("name"), "{said}");
    assert!(!said.to_lowercase().contains("main") && !said.contains('{'), "{said}");
}

/// What the read after the write suppressed, and what a resource completed itself.
#[test]
fn representation_that_a_write_keeps_is_logged_without_values() {
    let apply = || create::<Bucket>("cloud_bucket", "rewritten", &bucket(Value::unknown()));
    let (response, lines) = listening(LevelFilter::DEBUG, apply);
    assert_eq!(summaries(&response.diagnostics), "");
    says_kept(&lines, "create");
}

#[test]
fn representation_that_a_plan_keeps_is_logged_without_values() {
    let (schema, prior) = (Bucket::schema(), bucket("1".into()));
    let rewritten = |id: Value| {
        let mut object = bucket(id);
        *object.get_mut(&path!(name)).expect("it has a name") = "MAIN".into();
        encoded_by(&schema, &object)
    };
    let plan = || {
        virtually(async {
            let request = message!(PlanResourceChangeRequest {
                type_name: "cloud_bucket".to_owned(),
                prior_state: encoded_by(&schema, &prior),
                config: rewritten(Value::Null),
                proposed_new_state: rewritten("1".into()),
            });
            let server = configured("same").await;
            response!(PlanResourceChange, server.handle(Call::new(request)).await)
        })
    };
    let (response, lines) = listening(LevelFilter::DEBUG, plan);
    assert_eq!(summaries(&response.diagnostics), "");
    assert_eq!(state::<Bucket>(&response.planned_state), prior);
    says_kept(&lines, "plan");
}

/// The log has the reason for each further read, and for an object that is not read again.
#[test]
fn log_reports_the_reason_to_read_again_without_values() {
    let reasons = |script: &str| {
        let apply = || create::<Bucket>("cloud_bucket", script, &bucket(Value::unknown()));
        let (response, lines) = listening(LevelFilter::DEBUG, apply);
        assert_eq!(summaries(&response.diagnostics), "");
        assert!(!lines.contains("Other"), "{lines}");
        let lines = lines.lines().filter(|line| line.contains("reading again"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = reasons("missing bare renamed same");
    for (line, parts) in lines.iter().zip([
        ["resource=\"cloud_bucket\"", "the object is not visible yet", ""],
        ["resource=\"cloud_bucket\"", "planned changes are not visible yet", "paths=\"policy\""],
        ["resource=\"cloud_bucket\"", "values may still change", "paths=\"name\""],
    ]) {
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    }
    assert_eq!(lines.len(), 3, "{lines:?}");

    let apply = || create::<Plain>("cloud_plain", "missing", &plain(Value::unknown(), "Main"));
    let (_, lines) = listening(LevelFilter::DEBUG, apply);
    assert!(lines.contains("the object is not visible after the write"), "{lines}");
}

/// The report of a read: a line for each kind of finding, with paths and without values.
#[test]
fn drift_of_a_read_is_logged_without_values() {
    let prior = bucket("1".into());
    let found = |script: &str| {
        let (response, lines) = listening(LevelFilter::DEBUG, || read(script, &prior).0);
        assert_eq!(summaries(&response.diagnostics), "");
        lines
    };
    let lines = found("rewritten");
    says_kept(&lines, "read");
    let differ = |lines: &str| {
        let said = lines.lines().filter(|line| line.contains("values differ"));
        said.map(str::to_owned).collect::<Vec<_>>()
    };
    let said = differ(&lines);
    assert!(
        said.len() == 1 && said[0].contains("paths=\"replicas\"") && said[0].contains("read"),
        "{said:?}"
    );
    let lines = found("renamed");
    let said = differ(&lines);
    assert!(said.len() == 1 && said[0].contains("paths=\"name\""), "{said:?}");
    assert!(!lines.contains("Other") && !lines.contains("Main"), "{lines}");
    assert_eq!(differ(&found("same")), [""; 0]);
}

/// The same as data.
#[test]
fn drift_of_a_read_is_data_for_tests() {
    let check = |seen: Shown, changed: &[(Path, DifferenceKind)], suppressed: &[Path]| {
        let mut seen = seen.bucket().expect("a bucket").encode();
        let drift = refresh(&Bucket::block(), &bucket("1".into()), &mut seen);
        let found: Vec<_> = drift.changed.iter().map(|it| (it.path.clone(), it.kind)).collect();
        assert_eq!((&*found, &*drift.suppressed), (changed, suppressed));
        assert!(drift.unverified.is_empty(), "a read believes what it sees");
    };
    check(SHOWN, &[], &[]);
    check(Shown { name: "MAIN", ..SHOWN }, &[], &[path!(name)]);
    check(
        Shown { name: "Other", kind: Some("standard"), policy: None, replicas: 1, ..SHOWN },
        &[
            (path!(name), DifferenceKind::Changed),
            (path!(policy), DifferenceKind::Missing),
            (path!(type), DifferenceKind::Undeclared),
            (path!(replicas), DifferenceKind::Changed),
        ],
        &[],
    );
    let ours = |tags| Shown { tags, ..SHOWN };
    check(ours(vec![("x-zone", "a")]), &[], &[path!(tags["x-zone"])]);
    check(ours(vec![("zone", "a")]), &[(path!(tags["zone"]), DifferenceKind::Unexpected)], &[]);
}
