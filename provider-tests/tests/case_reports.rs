//! Cases that have to fail, and what their reports say: whoever reads one has to understand it without another run.

#[path = "cases/lease.rs"]
mod lease;
#[path = "cases/nested.rs"]
mod nested;
#[path = "cases/provider.rs"]
mod provider;

use ferroform::path;
use ferroform_testing::case::{
    Case, Idempotency, Is, PlanView, Provider, Report, Step, StepOutcome, Target, Time, Verdict, ViewCheck,
    call, change, complete, deferred, error, is, no_changes, object, objects,
};
use ferroform_testing::client::{Fault, Protocol};
use ferroform_testing::config::{Config, ResourceBlock, resource};
use ferroform_testing::embedded::CoreVersion;
use ferroform_testing::plan::Action;
use ferroform_testing::real::{Feature, Resolver, Share, matrix};
use provider::{Bug, Cloud, case};

const A: &str = "demo_thing.a";

fn thing(name: &str) -> ResourceBlock {
    resource("demo_thing", "a").set("name", name)
}

fn config(thing: ResourceBlock) -> Config {
    Config::new().resource(thing)
}

fn run(case: &Case<Cloud>) -> Report {
    case.run(&Target::embedded(Protocol::V6))
}

/// Runs a case and compares the problems of each failure.
fn check(case: &Case<Cloud>, expect: &[(&str, &[&str])]) {
    let report = run(case);
    let found: Vec<(&str, Vec<&str>)> = report
        .failures
        .iter()
        .map(|it| (it.step.as_str(), it.problems.iter().map(String::as_str).collect()))
        .collect();
    let expect: Vec<(&str, Vec<&str>)> = expect.iter().map(|(step, all)| (*step, all.to_vec())).collect();
    assert_eq!(found, expect, "{report}");
    assert_eq!(report.verdict, if expect.is_empty() { Verdict::Passed } else { Verdict::Failed });
}

#[test]
fn every_wrong_expectation_is_a_problem() {
    check(
        &case("checks").step(
            Step::apply(config(thing("web").set("size", 1).set("token", "t0p")))
                .plan(change(A).action(Action::Update).after(path!(id), is::known()).after(path!(size), 2))
                .plan(change(A).after(path!(token), "other").before(path!(), is::not_null()))
                .plan(change("demo_thing.b"))
                .plan(no_changes())
                .state(object(A).has(path!(name), "db").tainted().depends_on(["demo_thing.b"]))
                .state(object("demo_thing.b"))
                .state(objects([] as [&str; 0]))
                .calls(call("ReadResource").of("demo_thing"))
                .expect(error("Something Else")),
        ),
        &[(
            "step 1 of 1: apply",
            &[
                "there is no error \"Something Else\"",
                "the action for demo_thing.a is create, expected update",
                "demo_thing.a: planned id is (known after apply), expected a known value",
                "demo_thing.a: planned size is 1, expected 2",
                "demo_thing.a: planned token is (sensitive value), expected another value",
                "demo_thing.a: value before is null, expected a value that is not null",
                "the plan has no change of demo_thing.b",
                "the plan is not empty:\ndemo_thing.a: create\n  id: null => (known after apply)\n  name: null => \"web\"\n  \
                 size: null => 1\n  token: null => (sensitive value)",
                "demo_thing.a: name is \"web\", expected \"db\"",
                "the status of demo_thing.a is Ready, expected Tainted",
                "the list of dependencies of demo_thing.a is [], expected [\"demo_thing.b\"]",
                "the state has no object demo_thing.b",
                "the list of objects in the state is [\"demo_thing.a\"], expected []",
                "there are 0 calls of ReadResource demo_thing, expected at least one",
            ],
        )],
    );
}

/// Does something in a backend with that bug, which is healed in the end.
fn with_bug(bug: Bug, step: Step<impl Sized, Cloud>) -> Case<Cloud> {
    case("bug")
        .step(Step::change_outside(move |cloud: &Cloud| cloud.lock().bug = bug))
        .step(step)
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::None))
}

#[test]
fn private_data_is_compared_and_never_shown() {
    let apply = |private: Is| Step::apply(config(thing("web"))).state(object(A).private(private));
    let generation = |number: i64| is::object([("ferroform", is::object([("generation", number)]))]);
    check(&with_bug(Bug::Remembers, apply(generation(1))), &[]);
    check(&with_bug(Bug::None, apply(is::null())), &[]);
    let differs =
        |bytes: usize| format!("the private data of demo_thing.a ({bytes} bytes) is not as expected");
    let wrong = |bug, private, bytes| {
        check(&with_bug(bug, apply(private)), &[("step 2 of 3: apply", &[differs(bytes).as_str()])]);
    };
    wrong(Bug::Remembers, generation(2), 30);
    wrong(Bug::Remembers, is::null(), 30);
    wrong(Bug::None, generation(1), 0);
}

#[test]
fn deferred_changes_are_compared() {
    let deferring = |expected: ViewCheck<PlanView>| {
        let step = Step::apply(config(thing("web"))).idempotency(Idempotency::Off).plan(expected);
        with_bug(Bug::Defers, step).requires(Feature::Deferral)
    };
    check(&deferring(deferred([(A, "absent_prereq")])), &[]);
    check(
        &deferring(deferred([(A, "resource_config_unknown")])),
        &[(
            "step 2 of 3: apply",
            &["the list of deferred changes is [(\"demo_thing.a\", \"absent_prereq\")], \
               expected [(\"demo_thing.a\", \"resource_config_unknown\")]"],
        )],
    );
    check(
        &deferring(complete()),
        &[(
            "step 2 of 3: apply",
            &[
                "the list of deferred changes is [(\"demo_thing.a\", \"absent_prereq\")], expected []",
                "the plan is not complete, and should be",
            ],
        )],
    );
    let nothing = Step::apply(config(thing("web"))).plan(deferred([(A, "absent_prereq")]));
    check(
        &with_bug(Bug::None, nothing),
        &[(
            "step 2 of 3: apply",
            &["the list of deferred changes is [], expected [(\"demo_thing.a\", \"absent_prereq\")]"],
        )],
    );
}

#[test]
fn a_plan_that_is_limited_is_not_complete() {
    let two = || config(thing("web")).resource(resource("demo_thing", "b").set("name", "db"));
    let limited = |step: Step<_, Cloud>| case("limited").step(step.target(A).idempotency(Idempotency::Off));
    check(&case("whole").step(Step::apply(two()).plan(complete())), &[]);
    check(
        &limited(Step::apply(two()).plan(complete())),
        &[("step 1 of 1: apply", &["the plan is not complete, and should be"])],
    );
}

#[test]
fn a_plan_that_is_not_empty_after_the_apply_names_the_paths() {
    let grows = || Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::Grows);
    let heals = || Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::None);
    let apply = || Step::apply(config(thing("web").set("size", 1)));
    check(
        &case("idempotency").step(grows()).step(apply()),
        &[(
            "step 2 of 2: apply",
            &[
                "the plan with refresh after the apply is not empty",
                "drift: demo_thing.a: update",
                "  size: 1 => 2",
                "demo_thing.a: update",
                "  size: 2 => 1",
            ],
        )],
    );
    check(&case("off").step(grows()).step(apply().idempotency(Idempotency::Off)).step(heals()), &[]);
}

#[test]
fn objects_that_remain_are_reported_with_their_ids() {
    let keep = Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::Keeps);
    check(
        &case("leak").step(Step::apply(config(thing("web")))).step(keep),
        &[(
            "the destruction at the end",
            &[
                "the destruction failed: Deletion Refused",
                "left in the state: demo_thing.a (id \"id-1\")",
                "left in the backend: id-1",
            ],
        )],
    );
}

#[test]
fn object_that_is_not_in_the_state_is_left_in_the_backend() {
    let lost = Step::apply(config(thing("web")))
        .fault("ApplyResourceChange", Fault::ResetAfter)
        .expect(error("Plugin did not respond"));
    check(&case("lost").step(lost), &[("the destruction at the end", &["left in the backend: id-1"])]);
}

#[test]
fn everything_is_destroyed_after_a_panic() {
    let case = case("panic")
        .step(Step::apply(config(thing("web"))).check(|_| panic!("I do not like it")))
        .step(Step::apply(config(thing("db"))));
    check(&case, &[("step 1 of 2: apply", &["I do not like it"])]);
}

#[test]
fn an_error_that_is_not_expected_is_a_problem() {
    check(
        &case("refused")
            .step(Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::Refuses))
            .step(Step::apply(config(thing("web"))).named("create")),
        &[("step 2 of 2: apply (create)", &["there is an error that is not expected: Creation Refused"])],
    );
}

#[test]
fn an_imported_object_that_is_another_is_a_problem() {
    let config = config(thing("web").set("size", 3));
    let id = ferroform_testing::case::Captured::new("id");
    let import = |step| {
        case("import")
            .step(Step::apply(&config).capture(&id, A, path!(id)))
            .step(Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::ImportsLess))
            .step(step)
    };
    let report = run(&import(Step::import_id(&config, A, "id-7")));
    assert_eq!(report.verdict, Verdict::Failed, "{report}");
    let step = Step::import_id(&config, A, "id-1").idempotency(Idempotency::Off);
    check(&import(step), &[]);
}

#[test]
fn a_case_that_cannot_run_on_a_target_is_skipped_with_the_reason() {
    let skipped = |case: Case<Cloud>| match run(&case).verdict {
        Verdict::Skipped(reason) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        skipped(case("text").step(Step::apply("terraform {\n  backend \"local\" {}\n}\n"))),
        "The embedded core does not support backend blocks: this configuration needs a real core, Terraform or OpenTofu."
    );
    assert_eq!(
        skipped(case("stores").requires(Feature::StateStores)),
        "the embedded core does not have state stores"
    );
}

#[test]
fn a_case_without_its_variable_is_skipped() {
    let names = ["PATH", "FERROFORM_TEST_UNSET_A", "FERROFORM_TEST_UNSET_B"];
    let case = case("live").requires_env(names).step(Step::apply(config(thing("web"))));
    let reason = "FERROFORM_TEST_UNSET_A, FERROFORM_TEST_UNSET_B must be set in the environment";
    assert_eq!(run(&case).verdict, Verdict::Skipped(reason.to_owned()));
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.check()));
    let panic = checked.expect_err("an ordinary test cannot be skipped, so it fails");
    let text = panic.downcast_ref::<String>().expect("a report");
    assert!(text.contains("skipped") && text.contains(reason), "{text}");
    let passing = provider::case("live").requires_env(["PATH"]).skip_if(|| None);
    assert_eq!(run(&passing).verdict, Verdict::Passed);
}

/// Everything is destroyed, and an expected error is never an excuse.
#[test]
fn an_error_of_the_service_skips_the_case() {
    let refused = || {
        case("refused")
            .step(Step::apply(config(resource("demo_thing", "b").set("name", "db"))))
            .step(Step::change_outside(|cloud: &Cloud| cloud.lock().bug = Bug::Refuses))
    };
    let both = || config(thing("web")).resource(resource("demo_thing", "b").set("name", "db"));
    let quota = |found: &ferroform_testing::diagnostic::Diagnostic| {
        (found.summary == "Creation Refused").then(|| "the quota is used up".to_owned())
    };
    let skipped = refused().skip_on_error(quota).step(Step::apply(both()));
    assert_eq!(run(&skipped).verdict, Verdict::Skipped("the quota is used up".to_owned()));
    let other = refused().skip_on_error(|_| None).step(Step::apply(both()));
    assert_eq!(run(&other).verdict, Verdict::Failed);
    let expected = refused().skip_on_error(quota).step(Step::apply(both()).expect(error("Creation Refused")));
    assert_eq!(run(&expected).verdict, Verdict::Passed);
}

#[test]
fn a_folder_without_configuration_is_a_problem() {
    let report =
        run(&case("folder").step(Step::apply(ferroform_testing::case::Source::folder("tests/nowhere"))));
    assert!(report.to_string().contains("the folder tests/nowhere has no .tf file"), "{report}");
}

#[test]
fn a_mirror_has_programs_by_platform() {
    let mirror = tempfile::tempdir().expect("a folder");
    let missing = Provider::<()>::mirrored("acme/cloud", "1.2.0", mirror.path()).expect_err("it is empty");
    assert!(missing.contains("terraform-provider-cloud_v1.2.0") && missing.contains("1.2.0/"), "{missing}");
    let folder = mirror.path().join("registry.terraform.io/acme/cloud/1.2.0/linux_amd64");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("terraform-provider-cloud_v1.2.0_x5"), "").expect("a file");
    let found = Provider::<()>::mirrored("acme/cloud", "1.2.0", mirror.path());
    assert_eq!(found.is_ok(), cfg!(all(target_os = "linux", target_arch = "x86_64")));
}

const FAILS: &str = "case_reports::a_case_that_fails_on_a_real_core";

/// Started by another test, with a core and with variables.
#[test]
#[ignore = "it fails"]
fn a_case_that_fails_on_a_real_core() {
    let resolver = Resolver::from_environment().expect("cores");
    let newest = matrix(&resolver).into_iter().find(|place| place.share == Share::All).expect("a core");
    let core = newest.core().expect("it was there").clone();
    let case = case("kept").step(Step::apply(config(thing("web"))).state(object("demo_thing.b")));
    let report = case.run(&Target::real(core, Protocol::V6));
    assert!(report.passed(), "{report}");
}

#[test]
fn the_folder_of_a_failed_run_is_kept_with_a_log() {
    let resolver = Resolver::from_environment().expect("cores");
    let newest = matrix(&resolver).into_iter().find(|place| place.share == Share::All).expect("a core");
    if newest.core().is_none() {
        // The test of the required cores fails then.
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", FAILS])
        .env("FERROFORM_KEEP", "1")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, folder) =
        text.split_once("the folder of the run, with core's log:\n").expect("a folder is named");
    let folder = std::path::Path::new(folder.lines().next().unwrap_or_default().trim());
    let log = std::fs::read_to_string(folder.join("core.log")).expect("a log");
    assert!(log.contains("[TRACE]"), "core's log");
    assert!(std::fs::read_to_string(folder.join("main.tf")).expect("a configuration").contains("demo_thing"));
    std::fs::remove_dir_all(folder).expect("removed");
}

/// What a `removed` block means that does not say so depends on the product.
#[test]
fn an_emulated_version_is_a_target_of_its_own() {
    let removed = "removed {\n  from = demo_thing.a\n}\n";
    let forget = case("forget")
        .step(Step::apply(config(thing("web"))))
        .step(Step::apply(removed).plan(change(A).action(Action::Forget)));
    let problems = |emulated: CoreVersion| {
        let report = forget.run(&Target::emulating(emulated, Protocol::V6));
        let problems = report.failures.iter().flat_map(|it| it.problems.clone()).collect::<Vec<_>>();
        (report.target.to_string(), problems.join("; "))
    };
    assert_eq!(
        problems(CoreVersion::open_tofu(1, 12, 6)),
        ("embedded tofu@1.12.6/protocol 6".to_owned(), "left in the backend: id-1".to_owned())
    );
    assert_eq!(
        problems(CoreVersion::default()),
        (
            "embedded/protocol 6".to_owned(),
            "the action for demo_thing.a is delete, expected forget".to_owned()
        )
    );
    let deferral = case("deferral").requires(Feature::Deferral);
    let report = deferral.run(&Target::emulating(CoreVersion::open_tofu(1, 12, 6), Protocol::V6));
    let reason = "the embedded tofu@1.12.6 core does not have deferred changes".to_owned();
    assert_eq!(report.verdict, Verdict::Skipped(reason));
}

/// Each emulated version counts where a case is an ordinary test.
#[test]
fn an_ordinary_test_runs_on_all_emulated_versions() {
    let runs = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = runs.clone();
    let counted = Step::apply(config(thing("web"))).check(move |step: &StepOutcome<'_, Cloud>| {
        let version = step.state.json()["terraform_version"].to_string();
        seen.lock().expect("no panic before").push(version);
    });
    let emulated = [CoreVersion::default(), CoreVersion::terraform(1, 8, 5)];
    case("emulated").protocols([Protocol::V6]).emulates(emulated).step(counted).check();
    assert_eq!(*runs.lock().expect("no panic before"), ["\"1.15.5\"", "\"1.8.5\""]);
}

#[test]
fn mistake_in_the_case_is_reported_as_one() {
    let id = ferroform_testing::case::Captured::new("the id");
    let config = config(thing("web"));
    check(
        &case("taint").step(Step::taint(A)),
        &[("step 1 of 1: taint", &["the state has no object demo_thing.a"])],
    );
    check(
        &case("capture").step(Step::apply(&config).capture(&id, A, path!(size))),
        &[("step 1 of 1: apply", &["there is nothing to capture as the id at size"])],
    );
    check(
        &case("captured").step(Step::import_id(&config, A, &id)),
        &[("step 1 of 1: import", &["no step has captured the id yet"])],
    );
    check(
        &case("address").step(Step::apply(&config).target("demo_thing")),
        &[(
            "step 1 of 1: apply",
            &["\"demo_thing\" is not the address of a resource, a module, or an instance of one: \
                 the name of the resource is missing after its type"],
        )],
    );
}

#[test]
fn a_state_from_the_future_is_refused() {
    let state = serde_json::json!({"version": 5});
    let report = run(&case("future").step(Step::state_file(state)));
    let problem = report.failures.first().and_then(|it| it.problems.first()).expect("a problem");
    assert!(problem.contains("version"), "{problem}");
}

/// A provider that answers never, and one that does not speak the protocol.
#[test]
fn a_provider_that_does_not_answer_is_an_error_and_no_hang() {
    let slow = |time| Step::change_outside(move |cloud: &Cloud| cloud.lock().slow = time);
    let never = std::time::Duration::from_secs(1 << 33);
    let report =
        run(&case("never").time(Time::Virtual).step(slow(never)).step(Step::apply(config(thing("web")))));
    let problem = report.failures.first().and_then(|it| it.problems.first()).expect("a problem");
    assert!(problem.starts_with("there is an error that is not expected: "), "{report}");

    let only_6 = ferroform_testing::case::Provider::in_process(provider::SOURCE, |cloud: &Cloud| {
        provider::serve_with(cloud).only(ferroform::Protocol::V6)
    });
    let case =
        Case::with_backend("mute", Cloud::new).provider(only_6).step(Step::apply(config(thing("web"))));
    // Nobody has asked for protocol 5.
    let skipped = Verdict::Skipped("the provider does not speak protocol 5".to_owned());
    assert_eq!(case.run(&Target::embedded(Protocol::V5)).verdict, skipped);
    case.check();
    let report = case.protocols([Protocol::V5]).run(&Target::embedded(Protocol::V5)).to_string();
    assert!(
        report.contains("the provider example.com/ferroform/demo does not speak protocol 5; leave"),
        "{report}"
    );
}

#[test]
fn provider_with_nested_attributes_is_tested_over_protocol_6() {
    let provider =
        ferroform_testing::case::Provider::in_process("example.com/acme/nested", |(): &()| nested::serve());
    let config = Config::new().resource(resource("nested_thing", "a"));
    let case = Case::new("nested").provider(provider).step(Step::plan_only(config));
    case.check();
    let skipped = Verdict::Skipped("the schemas of the provider need protocol 6".to_owned());
    assert_eq!(case.run(&Target::embedded(Protocol::V5)).verdict, skipped);
    let report = case.protocols([Protocol::V5]).run(&Target::embedded(Protocol::V5));
    assert_eq!(report.verdict, Verdict::Failed);
    let report = report.to_string();
    assert!(
        report.contains("`a` of nested_thing, `b` of nested_thing, `c` of nested_thing and 2 more"),
        "{report}"
    );
    assert!(report.contains("test it with protocol 6, or use a nested block there"), "{report}");
}

/// The whole report, as a person reads it: step, problems, configuration, plan, diagnostics, the last calls, and how
/// to run it again.
#[test]
fn a_report_needs_no_second_run() {
    let case = case("report").step(Step::apply(config(thing("web").set("token", "t0p")))).step(
        Step::apply(config(thing("db").set("token", "t0p").set("size", 2)))
            .named("rename")
            .plan(change(A).action(Action::Update).after(path!(size), 3))
            .expect(error("Something Else")),
    );
    let mut report = run(&case);
    // These are of a run on a real core, and of a suite.
    report.commands = vec!["terraform plan -out=plan-0".to_owned(), "terraform apply plan-0".to_owned()];
    report.again = Some("cargo test -p acme --test cases -- --exact 'embedded/protocol 6/report'".to_owned());
    insta::assert_snapshot!("report of a plan", report);
}

#[test]
fn a_report_of_an_error_has_where_and_what_it_is() {
    let case = case("report").step(Step::apply(config(thing("web").set("token", "t0p")))).step(
        Step::apply(config(thing("db").set("token", "t0p").set("size", -1)))
            .named("rename")
            .plan(change(A).action(Action::Update)),
    );
    insta::assert_snapshot!("report of an error", run(&case));
}

/// With the plan, where there is one, and the calls of the whole step, of which the last are shown.
#[test]
fn a_report_shows_the_plan_and_the_last_calls() {
    let case = case("report")
        .step(Step::apply(config(thing("web").set("token", "t0p"))).plan(change(A).action(Action::Update)));
    let report = run(&case).to_string();
    let (_, rest) = report.split_once("\n  the plan:\n").expect("a plan");
    let (plan, calls) = rest.split_once("\n  the last 6 of 14 calls:\n").expect("calls");
    let expected = "    demo_thing.a: create
      id: null => (known after apply)
      name: null => \"web\"
      token: null => (sensitive value)

  the diagnostics:
    warning: Thing Made (demo_thing.a)
      It is new.
";
    assert_eq!(plan, expected);
    let (before, change) = calls.split_once("    ApplyResourceChange demo_thing\n").expect("the change");
    assert!(before.contains("    PlanResourceChange demo_thing\n      > prior_state = null\n"), "{calls}");
    assert!(change.contains("      < new_state = {id = \"id-1\", name = \"web\", "), "{calls}");
    assert!(!rest.contains("t0p"), "a secret is shown: {rest}");
}

/// A change of a plan has to be reviewed.
#[test]
fn a_plan_that_is_not_as_reviewed_is_a_problem() {
    let directory = tempfile::tempdir().expect("a directory");
    let reviewed = "---\nsource: here\n---\ndemo_thing.a: update\n";
    std::fs::write(directory.path().join("create.snap"), reviewed).expect("written");
    let case = case("golden")
        .snapshots_in(directory.path())
        .step(Step::apply(config(thing("web").set("token", "t0p"))).golden_plan("create"));
    let report = run(&case);
    let problem = report.failures.first().and_then(|it| it.problems.first()).expect("a problem");
    assert!(problem.starts_with("create is not as it was reviewed; "), "{problem}");
    assert!(problem.contains("name: null => \"web\"") && !problem.contains("t0p"), "{problem}");
}

#[test]
fn an_ordinary_test_panics_with_the_report() {
    let case = case("ordinary").step(Step::apply(config(thing("web"))).plan(no_changes()));
    // A test has a thread of its name.
    let test = std::thread::Builder::new().name("servers::ordinary".to_owned());
    let panic = test.spawn(move || case.check()).expect("a thread").join().expect_err("it fails");
    let text = panic.downcast_ref::<String>().expect("text");
    assert!(text.starts_with("ordinary on embedded/protocol 6: failed\n\nstep 1 of 1: apply\n"), "{text}");
    assert!(text.ends_with("cargo test -p ferroform-testing -- --exact 'servers::ordinary'\n"), "{text}");
}

/// So has a change of what users can write.
#[test]
fn schemas_that_are_not_as_reviewed_are_a_problem() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("schemas.snap"), "---\nsource: here\n---\n{}\n").expect("written");
    let case = case("golden schemas").snapshots_in(directory.path()).golden_schemas("schemas");
    let report = run(&case.step(Step::apply(config(thing("web")))));
    let problem = report.failures.first().and_then(|it| it.problems.first()).expect("a problem");
    assert!(problem.starts_with("schemas is not as it was reviewed; "), "{problem}");
    assert!(problem.contains("\"demo_thing\"") && problem.contains("\"sensitive\": true"), "{problem}");
}

#[test]
fn values_of_ephemeral_resources_are_not_in_reports() {
    let wrong = object("echo_value.seen").has(path!(data.value), "other");
    let case = lease::case("a wrong expectation").step(
        Step::apply(lease::echoed("token"))
            .plan(change("echo_value.seen").after(path!(data), "other"))
            .state(wrong),
    );
    let report = case.run(&Target::embedded(Protocol::V6));
    assert_eq!(report.verdict, Verdict::Failed);
    let text = report.to_string();
    assert!(!text.contains(lease::TOKEN), "{text}");
    assert!(text.contains("echo_value.seen: data.value is (ephemeral value), expected \"other\""), "{text}");
}
