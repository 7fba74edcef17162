//! Sessions with real cores. A core that is not there makes its tests ignored ones.

use ferroform::value::Value;
use ferroform_testing::address::InstanceAddress;
use ferroform_testing::case::Trials;
use ferroform_testing::client::{Fault, FaultInjector, InProcessTransport};
use ferroform_testing::config::{Config, Expr, list, null, object, reference, resource, sensitive};
use ferroform_testing::embedded::{Deferral, PlanOptions};
use ferroform_testing::real::{
    Core, Error, Feature, Protocol, Report, Resolver, ServedProvider, Session, Share, matrix,
};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use crate::cases::fleet;
use crate::generate;
use crate::support::Demo;

/// What is done with a core.
type Test = fn(&Core);

const SOURCE: &str = "example.com/ferroform/demo";

/// Adds the sessions.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    let sample: &[(&str, Test)] = &[
        ("a_case_of_one_step_takes_six_processes", |core| one_step(core, Protocol::V6)),
        ("a_case_of_one_step_in_protocol_5", |core| one_step(core, Protocol::V5)),
        ("every_command", every_command),
        ("values_arrive_as_they_were_written", values),
        ("diagnostics_are_typed", diagnostics),
        ("plain_descriptions_are_shown_as_such", plain_descriptions),
    ];
    let whole: &[(&str, Test)] = &[
        ("a_provider_that_fails_at_will", faults),
        ("configurations_are_laid_out_as_fmt_does", formatted),
        ("a_state_that_is_put_aside_is_not_lost", put_aside),
        ("a_released_core_refuses_deferral", deferral),
    ];
    for place in matrix(resolver) {
        let at = place.wanted.to_string();
        for &(name, test) in sample.iter().chain(whole) {
            if place.share == Share::All || sample.iter().any(|(of_sample, _)| *of_sample == name) {
                trials.on_core(&place.found, (&at, name), move |core| {
                    test(core);
                    Ok(())
                });
            } else {
                trials.leave_out((&at, name), "it is not in the sample of this core");
            }
        }
    }
}

fn session(core: &Core, protocol: Protocol, demo: &Demo) -> Session {
    let transport = InProcessTransport::new(demo.clone());
    let served =
        ServedProvider::forward(SOURCE, protocol, async { Ok::<_, Error>(transport) }).expect("a server");
    Session::new(core, vec![served], &[]).expect("a session")
}

fn thing(core: &Core) -> Config {
    let thing = resource("demo_thing", "this").set("name", "a");
    let secret = core.supports(Feature::WriteOnlyAttributes);
    Config::new().resource(if secret { thing.set("secret", "s3cret") } else { thing })
}

fn plain_descriptions(core: &Core) {
    let router = fleet::serve().options().router(6).expect("it speaks protocol 6");
    let transport = async { Ok::<_, Error>(InProcessTransport::new(router)) };
    let served = ServedProvider::forward(fleet::SOURCE, Protocol::V6, transport).expect("a server");
    let session = Session::new(core, vec![served], &[]).expect("a session");
    session.write(&Config::new().resource(fleet::server("web", 1))).expect("written");
    let shown = session.workspace().providers_schema().expect("shown");
    let schemas = &shown["provider_schemas"][fleet::SOURCE];
    let block = &schemas["resource_schemas"]["fleet_server"]["block"];
    assert_eq!(block["description"], "A server of the *fleet*.");
    for described in [block, &block["attributes"]["name"], &block["attributes"]["id"]] {
        assert_eq!(described["description_kind"], "plain", "{shown:#}");
    }
    assert_eq!(schemas["provider"]["block"]["description_kind"], "markdown");
}

/// Core writes a state that it cannot write where it should into another file. The next command goes on from there, so
/// that nothing is left behind.
fn put_aside(core: &Core) {
    let session = session(core, Protocol::V6, &Demo::default());
    session.write(&thing(core)).expect("written");
    succeeds(&session.apply_at_once(&PlanOptions::default()).expect("applied"));
    let folder = session.workspace().dir();
    std::fs::create_dir_all(folder.join("terraform.tfstate.backup/in the way")).expect("made");
    session.write(&thing(core).resource(resource("demo_thing", "other").set("name", "b"))).expect("written");
    assert!(!session.apply_at_once(&PlanOptions::default()).expect("it runs").succeeded());
    let state = String::from_utf8(session.state().expect("readable").expect("a state")).expect("text");
    assert!(state.contains("\"other\"") && !folder.join("errored.tfstate").exists(), "{state}");
    std::fs::remove_dir_all(folder.join("terraform.tfstate.backup")).expect("removed");
    succeeds(&session.destroy().expect("destroyed"));
}

/// Fails with everything that the command said.
#[track_caller]
fn succeeds(report: &Report) {
    assert!(report.succeeded(), "{report:?}\n{}{}", report.outcome.stdout, report.outcome.stderr);
}

fn this() -> InstanceAddress {
    "demo_thing.this".parse().expect("an address")
}

/// The whole of a case: apply with a plan to look at, settled with and without reading, the state, and the end.
fn one_step(core: &Core, protocol: Protocol) {
    let demo = Demo::default();
    let session = session(core, protocol, &demo);
    session.write(&thing(core)).expect("written");
    let plan = session.plan(&PlanOptions::default()).expect("a plan");
    let json = plan.json.as_ref().unwrap_or_else(|| panic!("{plan:?}"));
    assert_eq!(json["resource_changes"][0]["change"]["actions"], json!(["create"]));
    succeeds(&session.apply(&plan).expect("an end"));
    for options in [PlanOptions::default(), PlanOptions::default().without_refresh()] {
        let settled = session.plan(&options).expect("a plan");
        assert!(settled.succeeded() && !settled.has_changes() && settled.json.is_none(), "{settled:?}");
    }
    let state = session.state().expect("readable").expect("a state");
    assert!(String::from_utf8(state).expect("text").contains(r#""name": "a""#));
    assert_eq!(demo.count(), 1);
    succeeds(&session.destroy().expect("an end"));
    assert_eq!((session.starts(), demo.count()), (6, 0));

    let transcript = session.transcript(SOURCE).expect("it is served here");
    let said = transcript.methods();
    assert_eq!(said.iter().filter(|said| *said == "ApplyResourceChange demo_thing").count(), 2, "{said:#?}");
    let said = transcript.to_string();
    assert!(said.contains(r#"name = "a""#) && !said.contains("s3cret"), "{said}");
}

fn every_command(core: &Core) {
    let demo = Demo::default();
    let session = session(core, Protocol::V6, &demo);
    session.write(&thing(core)).expect("written");
    succeeds(&session.validate().expect("an end"));
    succeeds(&session.apply_at_once(&PlanOptions::default()).expect("an end"));
    succeeds(&session.refresh().expect("an end"));

    let before = session.state().expect("readable").expect("a state");
    let starts = session.starts();
    session.taint(&this()).expect("it is in the state");
    assert_eq!(session.starts(), starts);
    let actions = |options: &PlanOptions| {
        let plan = session.plan(options).expect("a plan");
        let json = plan.json.as_ref().unwrap_or_else(|| panic!("{plan:?}"));
        json["resource_changes"][0]["change"]["actions"].clone()
    };
    assert_eq!(actions(&PlanOptions::default()), json!(["delete", "create"]));
    session.set_state(Some(&before)).expect("written");
    assert_eq!(actions(&PlanOptions::default().replace(this())), json!(["delete", "create"]));
    assert_eq!(actions(&PlanOptions::destroy().target(this())), json!(["delete"]));

    session.set_state(None).expect("taken away");
    succeeds(&session.import(&this(), "id-1").expect("an end"));
    assert!(session.state().expect("readable").is_some());
    demo.lose_all();
    let drift = session.plan(&PlanOptions::refresh_only()).expect("a plan");
    assert!(drift.has_changes(), "{drift:?}");
    succeeds(&session.apply(&drift).expect("an end"));
    let unread = session.plan_unread(&PlanOptions::default().without_refresh()).expect("a plan");
    assert!(unread.has_changes() && unread.json.is_none());
    assert!(session.show(unread).expect("shown").text.is_some());
    succeeds(&session.destroy().expect("an end"));
}

/// What is written down, and how core prints it.
fn odd_values() -> Vec<(Expr, &'static str)> {
    let digits = "0.1000000000000000000000000000000000000000000000000000000000001";
    let number = |text: &str| -> Expr { text.parse::<ferroform::value::Number>().expect("a number").into() };
    vec![
        (null(), "null"),
        (number(digits), "0.1000000000000000000000000000000000000000000000000000000000001"),
        (number("123456789012345678901234567890.5"), "123456789012345678901234567890.5"),
        (number("-0.5"), "-0.5"),
        ((-7).into(), "-7"),
        (u64::MAX.into(), "18446744073709551615"),
        (1e21.into(), "1000000000000000000000"),
        ("".into(), r#""""#),
        ("${a} %{b} $${c} $$${d} %%{e} $ % {".into(), r#""${a} %{b} $${c} $$${d} %%{e} $ % {""#),
        (
            "line\nline\r\n\ttab \"quoted\" \\ back\\n".into(),
            r#""line\nline\r\n\ttab \"quoted\" \\ back\\n""#,
        ),
        ("\u{1}\u{7f}\u{85}\u{2028}\u{feff}".into(), "\"\\u0001\u{7f}\u{85}\\u2028\u{feff}\""),
        ("e\u{301} \u{1f468}\u{200d}\u{1f469} ж".into(), "\"\u{e9} \u{1f468}\u{200d}\u{1f469} ж\""),
        (list([null(), true.into(), "a".into()]), r#"[null,true,"a"]"#),
        (Vec::<Expr>::new().into(), "[]"),
        (
            object([
                ("for", 1),
                ("a b", 2),
                ("true", 3),
                ("1", 4),
                ("${x}", 5),
                ("ключ", 6),
                ("", 7),
                ("null", 8),
            ]),
            r#"{"":7,"${x}":5,"1":4,"a b":2,"for":1,"null":8,"true":3,"ключ":6}"#,
        ),
        (Value::set([Value::from("b"), Value::from("a")]).into(), r#"["b","a"]"#),
        (
            ferroform_testing::template![
                "$",
                1,
                "%",
                reference("terraform_data.this[0].input"),
                "${x}$",
                true
            ],
            r#""$1%in \"${x}\"${x}$true""#,
        ),
        (ferroform_testing::template![list([1])], "[1]"),
    ]
}

/// Values as core understands them, printed by its own `jsonencode`.
fn values(core: &Core) {
    let session = Session::new(core, Vec::new(), &[]).expect("a session");
    let input = r#"in "${x}""#;
    let mut config = Config::new().resource(resource("terraform_data", "this").count(1).set("input", input));
    let odd = odd_values();
    for (at, (value, _)) in odd.iter().enumerate() {
        config = config.output(&format!("o{at}"), value.clone());
    }
    config = config.sensitive_output("hidden", sensitive("s3cret"));
    session.write(&config).expect("written");
    succeeds(&session.apply_at_once(&PlanOptions::default()).expect("an end"));
    let state = session.state().expect("readable").expect("a state");
    let raw: RawState<'_> = serde_json::from_slice(&state).expect("JSON");
    let state: serde_json::Value = serde_json::from_slice(&state).expect("JSON");
    for (at, (_, expect)) in odd.iter().enumerate() {
        let found = raw.outputs.get(&format!("o{at}")).map(|output| compact(output.value.get()));
        // A null output is not kept.
        assert_eq!(found.as_deref().unwrap_or("null"), *expect);
    }
    assert_eq!(state["outputs"]["hidden"], json!({"value": "s3cret", "type": "string", "sensitive": true}));
}

#[derive(serde::Deserialize)]
struct RawState<'a> {
    #[serde(borrow)]
    outputs: std::collections::BTreeMap<String, RawOutput<'a>>,
}

#[derive(serde::Deserialize)]
struct RawOutput<'a> {
    #[serde(borrow)]
    value: &'a serde_json::value::RawValue,
}

/// JSON on one line.
fn compact(json: &str) -> String {
    let mut quoted = false;
    let mut escaped = false;
    json.chars()
        .filter(|&c| {
            let keep = quoted || !c.is_whitespace();
            quoted ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            keep
        })
        .collect()
}

fn diagnostics(core: &Core) {
    let session = session(core, Protocol::V6, &Demo::default());
    session
        .write(&thing(core).resource(resource("demo_thing", "other").set("name", "b").set("wrong", 1)))
        .expect("written");
    let plan = session.plan(&PlanOptions::default()).expect("an end");
    assert!(!plan.succeeded() && plan.json.is_none());
    let [error] = plan.report.diagnostics.as_slice() else { panic!("{plan:?}") };
    assert!(error.is_error());
    assert_eq!(error.summary, "Unsupported argument");

    session.write(&Config::new()).expect("written");
    let report = session.import(&this(), "id-1").expect("an end");
    assert_eq!(report.outcome.exit_code, Some(1));
    let [error] = report.diagnostics.as_slice() else { panic!("{report:?}\n{}", report.outcome.stderr) };
    assert!(error.is_error() && error.detail.contains("demo_thing"), "{error:?}");

    // From the future, cut off, and no state at all: refused, and left as they are.
    let damaged: [&[u8]; 3] = [
        br#"{"version": 5, "terraform_version": "9.0.0"}"#,
        br#"{"version": 4, "serial": 1, "lin"#,
        b"\0\xff rubbish",
    ];
    for state in damaged {
        session.set_state(Some(state)).expect("written");
        let plan = session.plan(&PlanOptions::default()).expect("an end");
        assert!(plan.report.diagnostics.iter().any(|it| it.is_error()), "{plan:?}");
        let applied = session.apply_at_once(&PlanOptions::default()).expect("an end");
        assert!(!applied.succeeded() && applied.diagnostics.iter().any(|it| it.is_error()), "{applied:?}");
        assert_eq!(session.state().expect("readable").as_deref(), Some(state));
    }
}

/// A connection that breaks after the create was done: the object is not lost in silence.
fn faults(core: &Core) {
    let demo = Demo::default();
    let transport = FaultInjector::new(InProcessTransport::new(demo.clone()), |path, _| {
        path.ends_with("/ApplyResourceChange").then_some(Fault::ResetAfter)
    });
    let served =
        ServedProvider::forward(SOURCE, Protocol::V6, async { Ok::<_, Error>(transport) }).expect("a server");
    let session = Session::new(core, vec![served], &[]).expect("a session");
    session.write(&thing(core)).expect("written");
    let report = session.apply_at_once(&PlanOptions::default()).expect("an end");
    assert_eq!(report.outcome.exit_code, Some(1), "{report:?}");
    assert_eq!(demo.count(), 1);
    let said = session.transcript(SOURCE).expect("it is served here").to_string();
    assert!(said.contains("< failed: Unavailable"), "{said}");
}

/// Only alpha and development builds take the flag.
fn deferral(core: &Core) {
    let session = session(core, Protocol::V6, &Demo::default()).with_deferral(Deferral::Allowed);
    session.write(&thing(core)).expect("written");
    let plan = session.plan(&PlanOptions::default()).expect("an end");
    assert_eq!(plan.succeeded(), core.supports(Feature::Deferral), "{plan:?}");
    let refused = plan.report.diagnostics.iter().any(|it| it.detail.contains("-allow-deferral"));
    assert_eq!(refused, !plan.succeeded(), "{plan:?}");
}

fn formatted(core: &Core) {
    let session = Session::new(core, Vec::new(), &[]).expect("a session");
    // The same ones in each run: `fmt` rewrites some templates that nobody would write, such as `"${""}${a}"`.
    let cases = Cases { cases: 12, failure_persistence: None, ..Cases::default() };
    let mut runner = TestRunner::new_with_rng(cases, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    // Together, for each start of a core takes its time.
    let sampled = std::cell::RefCell::new(0);
    runner
        .run(&generate::config(), |config| {
            let mut at = sampled.borrow_mut();
            *at += 1;
            let text = config.to_hcl().expect("it can be written");
            session.workspace().write(format!("sample{at}.tf"), &text).expect("written");
            Ok(())
        })
        .expect("they are written");
    let outcome = session.workspace().run(&["fmt", "-check", "-diff", "-no-color"]).expect("an end");
    assert!(outcome.succeeded(), "{}\n{}", outcome.stdout, outcome.stderr);
}
