//! Functions of providers, by the same cases on the embedded core and on real ones.

mod provider;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ferroform::path;
use ferroform_testing::case::{
    Case, Provider, RunsOn, Step, Suite, Trials, error, is, object, objects, output, value,
};
use ferroform_testing::client::{Client, Command, Protocol};
use ferroform_testing::echo_provider;
use ferroform_testing::embedded::{Cancel, Core, PlanOptions};
use ferroform_testing::function::FunctionTest;
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Inputs, load_texts};
use ferroform_testing::play::{Play, Screen};
use ferroform_testing::real::{self, Feature, Resolver, ServedProvider, Session};
use ferroform_testing::render::Colour;
use ferroform_testing::state::State;
use provider::{SOURCE, serve};
use serde_json::{Value as Json, json};

use crate::PROGRAM_OF;

/// Calls, with their values.
fn values() -> Vec<(&'static str, Json)> {
    vec![
        ("text(\"a\")", json!("a")),
        ("text(1)", json!("1")),
        ("text(true)", json!("true")),
        ("text([\"a\"][0])", json!("a")),
        ("text(provider::fn::text(\"nested\"))", json!("nested")),
        ("slow(\"later\")", json!("later")),
        ("sum()", json!(0)),
        ("sum(1, 2, 3)", json!(6)),
        ("sum([1, 2]...)", json!(3)),
        ("sum(\"4\")", json!(4)),
        ("negate(true)", json!(false)),
        ("negate(\"false\")", json!(true)),
        ("reversed([\"a\", \"b\"])", json!(["b", "a"])),
        ("reversed([])", json!([])),
        ("reversed(toset([\"b\", \"a\"]))", json!(["b", "a"])),
        ("distinct([\"a\", \"a\", \"b\"])", json!(2)),
        ("keys({ b = 1, a = 2 })", json!(["a", "b"])),
        ("keys({})", json!([])),
        ("swap([\"a\", 1])", json!([1, "a"])),
        ("greet({ name = \"x\", age = null })", json!("hello x")),
        ("greet({ name = \"x\", age = \"7\", extra = 1 })", json!("hello x (7)")),
        ("make(\"x\").name", json!("x")),
        ("make(\"x\").age == null", json!(true)),
        ("same({ a = [1, \"b\"] })", json!({ "a": [1, "b"] })),
        ("same(1.5)", json!(1.5)),
        ("or_none(null)", json!("none")),
        ("or_none(\"x\")", json!("x")),
        ("nothing() == null", json!(true)),
        ("presence(null)", json!("null")),
        ("presence(\"x\")", json!("known")),
        ("shout(\"x\")", json!("X")),
        ("short(\"abc\", \"d\")", json!("abc")),
    ]
}

/// Expressions with errors: the summary, and what the detail has in it.
const ERRORS: &[(&str, &str, &str)] = &[
    ("provider::fn::none()", "Unknown provider function", "none"),
    ("provider::other::text(\"a\")", "Unknown provider function", "other"),
    ("provider::fn()", "Unknown provider function", "provider::"),
    ("provider::fn::a::b()", "Unknown provider function", "provider::fn::a::b"),
    ("other::text(\"a\")", "Unknown provider function", "other"),
    ("provider::fn::text()", "Not enough function arguments", "provider::fn::text"),
    ("provider::fn::text(\"a\", \"b\")", "Too many function arguments", "only 1"),
    ("provider::fn::short()", "Not enough function arguments", "value"),
    ("provider::fn::text(null)", "Invalid function argument", "must not be null"),
    ("provider::fn::text([])", "Invalid function argument", "\"value\""),
    ("provider::fn::sum(1, \"x\")", "Invalid function argument", "\"numbers\""),
    ("provider::fn::negate(\"perhaps\")", "Invalid function argument", "bool"),
    ("provider::fn::reversed([{}])", "Invalid function argument", "\"values\""),
    ("provider::fn::greet({ age = 1 })", "Invalid function argument", "\"person\""),
    ("provider::fn::swap([\"a\"])", "Invalid function argument", "\"pair\""),
    ("provider::fn::sum(null...)", "Invalid expanding argument value", "must not be null"),
    ("provider::fn::short(\"long\")", "Invalid function argument", "\"value\""),
    ("provider::fn::short(\"a\", \"b\", \"long\")", "Invalid function argument", "\"further\""),
    ("provider::fn::short(\"a\", \"bad\")", "Invalid function argument", "It is bad"),
    ("provider::fn::sum(1.5)", "Invalid function argument", "\"numbers\""),
    ("provider::fn::fail()", "Error in function call", "It always fails"),
    ("provider::fn::panics()", "Error in function call", "provider::fn::panics"),
    ("provider::fn::misfit(\"a\")", "Error in function call", "provider::fn::misfit"),
];

/// Calls in every place where an expression may stand. The object has values that are not known before apply.
const PLACES: &str = r#"
variable "name" {
  type    = string
  default = "abc"
  validation {
    condition     = provider::fn::text(var.name) == "abc"
    error_message = provider::fn::text("Not abc.")
  }
}
locals {
  one = provider::fn::sum(1)
}
resource "terraform_data" "counted" {
  count = provider::fn::sum(local.one, 1)
  input = provider::fn::text("n-${count.index}")
}
resource "terraform_data" "each" {
  for_each = toset(provider::fn::reversed(["a", "b"]))
  input    = provider::fn::text(each.key)
  lifecycle {
    precondition {
      condition     = provider::fn::text(var.name) == "abc"
      error_message = "Never."
    }
    postcondition {
      condition     = provider::fn::text(self.input) == each.key
      error_message = "Never."
    }
  }
}
check "sound" {
  assert {
    condition     = provider::fn::text(var.name) == "abc"
    error_message = "Never."
  }
}
output "unknown" {
  value = provider::fn::text(terraform_data.each["a"].id) == terraform_data.each["a"].id
}
output "accepts_unknown" {
  value = provider::fn::shout(terraform_data.each["a"].id) == upper(terraform_data.each["a"].id)
}
output "within" {
  value = length(provider::fn::reversed([terraform_data.each["a"].id]))
}
output "secret" {
  value     = provider::fn::text(sensitive("s"))
  sensitive = true
  precondition {
    condition     = provider::fn::text(var.name) == "abc"
    error_message = "Never."
  }
}
output "open" {
  value = nonsensitive(provider::fn::text(sensitive("s")))
}
output "caught" {
  value = try(provider::fn::fail(), "caught")
}
output "can" {
  value = can(provider::fn::fail())
}
output "each" {
  value = [for name in ["x", "y"] : provider::fn::text(name)]
}
provider "echo" {
  data = provider::fn::text("configured")
}
resource "echo_value" "seen" {
}
"#;

/// On the newest core over one protocol, and on the oldest one that calls functions over the other.
const OLDEST_TOO: RunsOn = RunsOn::InTurns(&["1.15.5", "1.8.4"]);

fn case(name: &str) -> Case<()> {
    let provider = Provider::in_process(SOURCE, |_: &()| serve());
    Case::new(name).provider(provider).requires(Feature::ProviderFunctions)
}

fn table() -> Case<()> {
    let rows = values();
    assert!(rows.len() >= 30, "there are {} rows", rows.len());
    let outputs = rows.iter().enumerate();
    let text: String = outputs
        .map(|(at, (call, _))| format!("output \"r{at}\" {{\n  value = provider::fn::{call}\n}}\n"))
        .collect();
    let step = rows.into_iter().enumerate().fold(Step::apply(text), |step, (at, (_, expected))| {
        step.state(value(format!("r{at}"), is::that(expected.to_string(), move |it| *it == expected)))
    });
    case("values of functions").runs_on(RunsOn::MatrixInTurns).step(step)
}

fn mistakes() -> Case<()> {
    ERRORS.iter().fold(case("errors of calls").runs_on(OLDEST_TOO), |case, (call, summary, part)| {
        let text = format!("output \"it\" {{\n  value = {call}\n}}\n");
        case.step(Step::plan_only(text).named(*call).expect(error(*summary).detail(*part).times(1)))
    })
}

fn places() -> Case<()> {
    case("places of calls").provider(echo_provider::provider()).runs_on(OLDEST_TOO).step(
        Step::apply(PLACES)
            .plan(output("unknown").after(path!(), is::unknown()))
            .plan(output("within").after(path!(), is::unknown()))
            .state(objects([
                "terraform_data.counted[0]",
                "terraform_data.counted[1]",
                "terraform_data.each[\"a\"]",
                "terraform_data.each[\"b\"]",
                "echo_value.seen",
            ]))
            .state(object("echo_value.seen").has(path!(data.value), "configured"))
            .state(value("unknown", true))
            .state(value("accepts_unknown", true))
            .state(value("open", "s"))
            .state(value("caught", "caught"))
            .state(value("can", false)),
    )
}

/// A condition in a variable, with its error at the call.
fn conditions() -> Case<()> {
    let variable = |condition: &str| {
        format!(
            "variable \"v\" {{\n  default = \"a\"\n  validation {{\n    condition = {condition}\n    error_message = \
             \"Wrong.\"\n  }}\n}}\n"
        )
    };
    case("conditions of variables")
        .step(
            Step::plan_only(variable("provider::fn::text(var.v) == \"b\""))
                .expect(error("Invalid value for variable").detail("Wrong.")),
        )
        .step(
            Step::plan_only(variable("provider::fn::none(var.v)")).expect(error("Unknown provider function")),
        )
}

/// Something else each time.
fn impure() -> Case<()> {
    let once = "resource \"terraform_data\" \"a\" {\n  input = provider::fn::counter()\n}\n";
    let twice = "output \"a\" {\n  value = provider::fn::counter()\n}\noutput \"b\" {\n  value = \
                 provider::fn::counter()\n}\n";
    case("a function that is not pure")
        .step(Step::plan_only(twice).expect(error("Error in function call").detail("inconsistent result")))
        .step(Step::apply(once).expect(error("Error in function call").detail("inconsistent result")))
}

/// The process of the provider dies.
fn overflow() -> Case<()> {
    let program = std::env::current_exe().expect("this binary");
    let provider = Provider::binary(SOURCE, program).with_env(|(), _| vec![(PROGRAM_OF, "functions")]);
    let case = Case::new("a function that overflows the stack").provider(provider);
    case.requires(Feature::ProviderFunctions)
        .step(Step::apply("resource \"terraform_data\" \"kept\" {\n}\n"))
        .step(
            Step::plan_only("resource \"terraform_data\" \"kept\" {\n}\noutput \"it\" {\n  value = provider::fn::overflow(1)\n}\n",)
            .expect(error("Error in function call").detail("provider::fn::overflow").times(1))
            .state(objects(["terraform_data.kept"])),
        )
        // The call has to wait for an object of the same apply, which is kept as well.
        .step(
            Step::apply(
                "resource \"terraform_data\" \"kept\" {\n}\nresource \"terraform_data\" \"made\" {\n}\nresource \
                 \"terraform_data\" \"never\" {\n  input = \
                 provider::fn::overflow(length(terraform_data.made.id))\n}\n",
            )
            .expect(error("Error in function call").detail("provider::fn::overflow").times(1))
            .state(objects(["terraform_data.kept", "terraform_data.made"])),
        )
        // What is destroyed at the end is configured without the call.
        .step(Step::apply("resource \"terraform_data\" \"kept\" {\n}\n"))
}

/// The provider as a program.
pub(crate) fn program() -> ExitCode {
    serve().run()
}

/// Adds the tests.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    let cases = [table(), mistakes(), places(), conditions(), impure(), overflow()];
    trials.append(cases.into_iter().fold(Suite::new(), Suite::case).trials(resolver));
    let tests: [(&'static str, fn()); 8] = [
        ("the console calls functions", embedded_console),
        ("one function is tested without a configuration", tested_alone),
        ("a function that breaks a rule is found out", rules),
        ("a call waits on a runtime of one thread for a connection that it serves", waits_on_one_thread),
        ("stop ends a call that hangs", stop),
        ("a call that takes too long is an error", limit),
        ("large and deep arguments arrive", large),
        ("a plan and its apply agree on results", plan_and_apply),
    ];
    let newest = resolver.resolve(&NEWEST.parse().expect("a core"));
    trials.on_core(&newest, (NEWEST, "the console calls functions"), real_console);
    for (name, test) in tests {
        trials.test(("embedded", name), move || {
            test();
            Ok(())
        });
    }
}

const NEWEST: &str = "terraform@1.15.5";

/// What a configuration needs to call the functions.
const HEAD: &str =
    "terraform {\n  required_providers {\n    fn = {\n      source = \"SOURCE\"\n    }\n  }\n}\n";

/// The configuration of a text, for the provider.
fn config(text: &str) -> ferroform_testing::language::module::Configuration {
    let files =
        vec![SourceFile::new("main.tf", text), SourceFile::new("head.tf", HEAD.replace("SOURCE", SOURCE))];
    let tree = load_texts(".", files).expect("the text is right");
    tree.prepare(&Inputs::new()).expect("the text is right")
}

fn calling(call: &str) -> ferroform_testing::language::module::Configuration {
    config(&format!("output \"it\" {{\n  value = {call}\n}}\n"))
}

/// A core with the provider in this process.
fn core() -> Core {
    Core::new().with_provider("fn", SOURCE.parse().expect("an address"), || async {
        let router = serve().options().router(6).expect("protocol 6 is served");
        Ok(Client::new(ferroform_testing::client::InProcessTransport::new(router), Protocol::V6))
    })
}

/// The calls as they are typed at the console.
fn typed() -> Vec<String> {
    values().into_iter().map(|(call, _)| format!("provider::fn::{call}")).collect()
}

/// What the console of the embedded core prints for the lines that are typed, and its code.
fn console(lines: Vec<String>) -> (String, u8) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("main.tf"), HEAD.replace("SOURCE", SOURCE)).expect("written");
    let (out, err) = (tempfile::NamedTempFile::new().expect("a file"), std::io::sink());
    let screen = Screen::new(out.reopen().expect("the file"), err, Colour::None).typed(lines);
    let play = Play::new(Provider::in_process(SOURCE, |(): &()| serve()));
    let code = play.run(&["console".to_owned(), folder.path().display().to_string()], &screen);
    let printed = std::fs::read_to_string(out.path()).expect("text");
    (printed.replace("> ", ""), code)
}

fn embedded_console() {
    let (printed, code) = console(typed());
    assert!(printed.starts_with("\"a\"\n\"1\"\n\"true\"\n"), "{printed}");
    assert!(printed.contains("\"hello x (7)\"\n"), "{printed}");
    assert_eq!(code, 0);
    // An error is the end of its line only.
    let calls = ["provider::fn::fail()", "provider::fn::none()", "provider::fn::sum(1, 2)"];
    assert_eq!(console(calls.map(str::to_owned).to_vec()), ("3\n".to_owned(), 1));
}

/// The same calls have the same values on a real core.
fn real_console(core: &real::Core) -> Result<(), libtest_mimic::Failed> {
    let served = ServedProvider::start(SOURCE, real::Protocol::V6, serve())?;
    let session = Session::new(core, vec![served], &[])?;
    session.write_text(&HEAD.replace("SOURCE", SOURCE))?;
    let run = |input: &str| session.workspace().run_with_input(&["console", "-no-color"], input);
    // Of several lines that it is not asked for one by one, core prints the value of the last.
    let line = format!("[{}]", typed().join(", "));
    let outcome = run(&format!("{line}\n"))?;
    let (embedded, code) = console(vec![line]);
    let printed = (outcome.stdout.trim_end(), outcome.exit_code);
    assert_eq!(printed, (embedded.trim_end(), Some(code.into())), "{}", outcome.stderr);
    let failed = run("provider::fn::fail()\n")?;
    assert_eq!(failed.exit_code, Some(1));
    assert!(failed.stderr.contains("It always fails"), "{}", failed.stderr);
    Ok(())
}

fn one_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn tested_alone() {
    let sum = FunctionTest::of::<provider::sum>();
    assert!(sum.signature().variadic_parameter.is_some());
    sum.table([(vec![1.into(), 2.into()], 3), (vec![], 0)]);
    sum.check_rules();
    let short = FunctionTest::of::<provider::short>();
    short.error(["long".into()], Some(0), "at most 3");
    short.error([], None, "at least 1");
    short.check_rules();
    FunctionTest::of::<provider::same>().check_rules();
    FunctionTest::of::<provider::swap>().check_rules();
    FunctionTest::of::<provider::greet>().check_rules();
    FunctionTest::of::<provider::reversed>().check_rules();
}

fn rules() {
    let told = |test: &FunctionTest| {
        let panic = catch_unwind(AssertUnwindSafe(|| test.check_rules())).expect_err("a rule is broken");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert!(told(&FunctionTest::of::<provider::counter>()).contains("not pure"));
    assert!(told(&FunctionTest::of::<provider::panics>()).contains("not total"));
    let misfit = FunctionTest::dynamic("misfit", Arc::new(provider::Misfit));
    assert!(told(&misfit).contains("not total"));
}

/// The connection was made on the runtime that runs the command.
fn waits_on_one_thread() {
    one_thread().block_on(async {
        let program = std::env::current_exe().expect("this binary");
        let process = Command::new(program).env(PROGRAM_OF, "functions").start().await.expect("it starts");
        let protocol = process.protocol();
        let client = Client::new(process, protocol);
        let core = Core::new().with_provider("fn", SOURCE.parse().expect("an address"), move || {
            let client = client.clone();
            async move { Ok(client) }
        });
        let (config, state, options) =
            (calling("provider::fn::slow(\"x\")"), State::default(), PlanOptions::default());
        let plan = core.plan(&config, &state, &options);
        let plan = tokio::time::timeout(Duration::from_secs(60), plan).await.expect("it ends");
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        assert_eq!(plan.outputs["it"].after, "x".into());
    });
}

fn stop() {
    for runtime in [one_thread(), tokio::runtime::Runtime::new().expect("a runtime")] {
        let cancel = Cancel::new();
        let core = core().cancelled_by(&cancel);
        let started = Instant::now();
        let plan = runtime.block_on(async {
            let later = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                cancel.cancel();
                std::future::pending::<()>().await;
            };
            let (config, state, options) =
                (calling("provider::fn::hang()"), State::default(), PlanOptions::default());
            tokio::select! {
                plan = core.plan(&config, &state, &options) => plan,
                () = later => unreachable!("it never ends"),
            }
        });
        assert!(started.elapsed() < Duration::from_secs(60));
        assert!(plan.errored, "{:?}", plan.diagnostics);
    }
}

fn limit() {
    let core = core().with_call_limit(Duration::from_millis(200));
    let config = calling("provider::fn::hang()");
    let plan = one_thread().block_on(core.plan(&config, &State::default(), &PlanOptions::default()));
    let errors: Vec<_> = plan.diagnostics.iter().filter(|it| it.is_error()).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].detail.contains("has not answered"), "{errors:?}");
}

fn large() {
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let config = config(&format!(
        "output \"long\" {{\n  value = length(provider::fn::text(join(\"\", [for n in range(1000) : \
         format(\"%01000d\", n)])))\n}}\noutput \"deep\" {{\n  value = jsonencode(provider::fn::same({deep})) == \
         jsonencode({deep})\n}}\n"
    ));
    let plan = one_thread().block_on(core().plan(&config, &State::default(), &PlanOptions::default()));
    assert!(!plan.errored, "{:?}", plan.diagnostics);
    assert_eq!(plan.outputs["long"].after, 1_000_000.into());
    assert_eq!(plan.outputs["deep"].after, true.into());
}

fn plan_and_apply() {
    // What the plan knows already is not evaluated again, and the time is not known before the apply.
    let config = calling("[provider::fn::counter(), timestamp()]");
    let (core, runtime) = (core(), one_thread());
    let plan = runtime.block_on(core.plan(&config, &State::default(), &PlanOptions::default()));
    assert!(!plan.errored, "{:?}", plan.diagnostics);
    let applied = runtime.block_on(core.apply(&plan));
    assert!(applied.diagnostics.iter().any(|it| it.detail.contains("inconsistent result")), "{applied:?}");
}
