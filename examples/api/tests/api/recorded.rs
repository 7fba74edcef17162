//! The provider without its service: what the service said is in a cassette.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use ferroform::{Serve, path};
use ferroform_example_api::provider::{ADDRESS, provider};
use ferroform_example_api::service::{Behaviour, Service};
use ferroform_testing::case::{
    Case, Provider, Report, Run, RunsOn, Source, Start, Step, Target, Trials, Verdict, change, is, object,
};
use ferroform_testing::cassette::{Cassette, CassetteServer};
use ferroform_testing::client::Protocol;
use ferroform_testing::plan::Action;

use crate::support::A;

/// A server for the cassette, and the service itself while it is recorded.
struct Recorded {
    server: CassetteServer,
    _service: Option<Service>,
}

impl Recorded {
    fn new(start: &Start) -> Self {
        if Cassette::is_recording() {
            Self::recording(start, &committed())
        } else {
            Self::replaying(&committed())
        }
    }

    /// The service is slow to show what was written, so there is more to record.
    fn recording(start: &Start, file: &Path) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let database = start.directory().join("service.sqlite");
        let service = Service::start(&database, address).expect("the service starts");
        service.behave(Behaviour { lag: 1, starting: 1, ..Behaviour::default() });
        let server = cassette(file, &service.endpoint()).record().expect("a server");
        Self { server, _service: Some(service) }
    }

    fn replaying(file: &Path) -> Self {
        let server = cassette(file, "https://api.example.com").replay().expect("a server");
        Self { server, _service: None }
    }
}

fn committed() -> PathBuf {
    "tests/cassettes/queue.jsonl".into()
}

fn cassette(file: &Path, service: &str) -> Cassette {
    Cassette::new(file, service).redact_member("token")
}

/// A queue of that retention, made with a token of its own.
fn queue(retention: &'static str) -> Source<Recorded> {
    Source::text_with(move |run: &Run<'_, Recorded>| {
        let endpoint = run.backend.server.url();
        format!(
            r#"
            provider "api" {{ endpoint = "{endpoint}" }}
            ephemeral "api_token" "ci" {{ name = "ci" }}
            provider "api" {{
              alias    = "ci"
              endpoint = "{endpoint}"
              poll     = 1
              token    = ephemeral.api_token.ci.token
            }}
            resource "api_queue" "a" {{
              provider  = api.ci
              name      = "Orders"
              retention = "{retention}"
            }}
            "#
        )
    })
}

fn of(name: &str, start: impl Fn(&Start) -> Recorded + Send + Sync + 'static) -> Case<Recorded> {
    Case::with_backend(name, start)
        .provider(Provider::in_process(ADDRESS, |_: &Recorded| Serve::new(provider())))
        .cassette(|it| &it.server)
        .step(Step::apply(queue("90m")).state(object(A).has(path!(id), "q-1").has(path!(revision), 1)))
        .step(
            Step::apply(queue("2h"))
                .plan(change(A).action(Action::Update).after(path!(revision), is::unknown()))
                .state(object(A).has(path!(retention), "2h").has(path!(revision), 2)),
        )
}

pub(crate) fn cases() -> Vec<Case<impl Send + Sync + 'static>> {
    vec![of("recorded", Recorded::new).runs_on(RunsOn::InTurns(&["1.15.5", "1.11.4"]))]
}

/// Adds tests of what a cassette does to a case.
pub(crate) fn trials(trials: &mut Trials) {
    for (case, test) in [
        ("a cassette is recorded and replayed", recorded_again as fn()),
        ("an exchange that is not recorded fails the case", missing),
        ("an exchange that is not sent fails the case", stale),
        ("a broken cassette fails the case", broken),
    ] {
        trials.test(("embedded/protocol 6", case), move || {
            test();
            Ok(())
        });
    }
}

fn run(case: &Case<Recorded>) -> Report {
    case.run(&Target::embedded(Protocol::V6))
}

/// What fails of a case with the committed cassette when that was changed.
fn failures(change: impl FnOnce(String) -> String) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queue.jsonl");
    fs::write(&file, change(fs::read_to_string(committed()).expect("a cassette"))).expect("written");
    let replayed = file.clone();
    let report = run(&of("changed", move |_| Recorded::replaying(&replayed)));
    assert_eq!(report.verdict, Verdict::Failed);
    let text = |problem: &String| problem.replace(&*file.to_string_lossy(), "FILE");
    let problems = |problems: &[String]| problems.iter().map(text).collect::<Vec<_>>().join("\n");
    report.failures.iter().map(|it| (it.step.clone(), problems(&it.problems))).collect()
}

/// The service says today what the committed cassette has, which holds no token.
fn recorded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queue.jsonl");
    let recorded = file.clone();
    let report = run(&of("recorded", move |start| Recorded::recording(start, &recorded)));
    assert_eq!(report.verdict, Verdict::Passed, "{report}");
    let text = fs::read_to_string(&file).expect("a cassette");
    assert_eq!(text, fs::read_to_string(committed()).expect("a cassette"));
    assert!(text.contains(r#""token":"redacted""#), "{text}");
    let report = run(&of("replayed", move |_| Recorded::replaying(&file)));
    assert_eq!(report.verdict, Verdict::Passed, "{report}");
}

fn missing() {
    let failures = failures(|text| text.replace("retention\":\"2h", "retention\":\"3h"));
    let last = failures.last().expect("a failure");
    assert_eq!(last.0, "the cassette");
    assert!(last.1.starts_with("FILE: the request `PUT /queues/q-1 {"), "{failures:?}");
    assert!(last.1.contains(" is not recorded; line "), "{failures:?}");
}

fn stale() {
    let line = r#"{"request":{"method":"DELETE","path":"/queues/q-9"},"response":{"status":204}}"#;
    let failures = failures(|text| format!("{text}{line}\n"));
    let [(step, problem)] = failures.as_slice() else { panic!("one failure: {failures:?}") };
    assert_eq!(step, "the cassette");
    assert!(problem.ends_with(": the recorded request `DELETE /queues/q-9` was not sent"), "{problem}");
}

fn broken() {
    let failures = failures(|text| text.replacen("\"status\"", "\"state\"", 2));
    let [(_, problem)] = failures.as_slice() else { panic!("one failure: {failures:?}") };
    assert!(
        problem.starts_with("a server: FILE:1: this is no recorded exchange: unknown field `state`"),
        "{problem}"
    );
}
