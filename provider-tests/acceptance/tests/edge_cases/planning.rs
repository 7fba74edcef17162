//! What a plan promises: values that the service fills, replacements, timeouts and defaults.

use ferroform::path;
use ferroform_testing::case::{
    Case, RunsOn, Step, change, changes, drift, error, is, no_object, object, objects, value,
};
use ferroform_testing::plan::Action;
use ferroform_testing::real::Feature;

use crate::edge_cases::failures::{TASK, task};
use crate::edge_cases::support::{Backend, apply, case, configured, edit, text, there};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![service_defaults(), undeclared(), defaults(), data_sources(), timeouts(), prefixes(), fixed_names()]
}

const SERVERS: &str = r#"
resource "corner_server" "a" {
  label = "a"
  name  = "first"
}
resource "corner_server" "b" {
  label = "b"
  name  = corner_server.a.type
}
"#;

/// `a.type` is left out and filled by the service; `b.name` is made of it.
fn service_defaults() -> Case<Backend> {
    let (a, b) = ("corner_server.a", "corner_server.b");
    case("service defaults")
        .runs_on(RunsOn::Matrix)
        .step(
            apply(SERVERS)
                .plan(changes([(a, Action::Create), (b, Action::Create)]))
                .plan(change(a).after(path!(type), is::unknown()))
                .plan(change(b).after(path!(name), is::unknown()))
                .state(object(a).has(path!(type), "small"))
                .state(object(b).has(path!(name), "small")),
        )
        .step(edit("a", "type", "large"))
        .step(
            apply(SERVERS)
                .plan(changes([(b, Action::Update)]))
                .plan(drift(a).before(path!(type), "small").after(path!(type), "large"))
                .state(object(b).has(path!(name), "large")),
        )
}

/// The same attribute, declared optional only.
fn undeclared() -> Case<Backend> {
    let said =
        error("Undeclared Computed Attribute").detail("The service filled `type`; declare it computed");
    case("service defaults that are not declared").step(
        apply("resource \"corner_strict\" \"this\" {\n  label = \"s\"\n}")
            .expect(said)
            .state(object("corner_strict.this").tainted()),
    )
}

/// What the configuration of the provider leaves out, and what that of a data source does.
fn defaults() -> Case<Backend> {
    let body = |found: &str| {
        format!(
            "resource \"corner_server\" \"a\" {{\n  label = \"a\"\n  name  = \"first\"\n}}\n\
             data \"corner_find\" \"it\" {{\n  label = \"{found}\"\n}}\n\
             output \"found\" {{\n  value = data.corner_find.it.type\n}}\n\
             output \"otherwise\" {{\n  value = data.corner_find.it.otherwise\n}}\n"
        )
    };
    let server = "corner_server.a";
    case("defaults of configurations")
        .step(
            apply(body("z"))
                .state(object(server).has(path!(type), "small"))
                .state(value("found", "none"))
                .state(value("otherwise", "none")),
        )
        .step(apply(body("a")).state(value("found", "small")))
        .step(Step::destroy())
        .step(
            Step::apply(configured("  usual_type = \"medium\"", body("z")))
                .state(object(server).has(path!(type), "medium")),
        )
}

/// A data source keeps the configured representation, and its read ends with its timeout.
fn data_sources() -> Case<Backend> {
    let written = r#"{ \"b\": [1,  2], \"a\": null }"#;
    let body = |label: &str, timeouts: &str| {
        format!(
            "data \"corner_find\" \"it\" {{\n  label    = \"{label}\"\n  document = \"{written}\"\n{timeouts}}}\n\
             output \"document\" {{\n  value = data.corner_find.it.document\n}}\n"
        )
    };
    let limited = |read: &str| format!("  timeouts {{\n    read = \"{read}\"\n  }}\n");
    let wrong = error("Invalid Duration").at(path!(timeouts.read));
    case("representations and timeouts of data sources")
        .step(apply(body("z", "")).state(value("document", r#"{ "b": [1,  2], "a": null }"#)))
        .step(Step::plan_only(text(body("z", &limited("soon")))).expect(wrong))
        .step(
            Step::plan_only(text(body("never", &limited("1s"))))
                .expect(error("Operation Timed Out").at(path!(timeouts.read)))
                .expect(error("Search Given Up")),
        )
}

fn timeouts() -> Case<Backend> {
    let limited = |what: &str| text(task("one", &format!("  timeouts {{\n    {what}\n  }}")));
    let wrong = |text: &str| {
        let said = error("Invalid Duration").detail("`10s`, `60m` or `2h`").at(path!(timeouts.create));
        Step::plan_only(limited(&format!("create = \"{text}\""))).expect(said)
    };
    let long = || Step::apply(limited("create = \"2h\"\n    delete = \"60m\""));
    case("timeouts")
        .runs_on(RunsOn::Matrix)
        .requires(Feature::ImportBlock)
        .step(wrong("1 parsec"))
        .step(wrong("10"))
        .step(wrong("ten minutes"))
        // Only the declared operations are there.
        .step(Step::plan_only(limited("read = \"1m\"")).expect(error("Unsupported argument").detail("read")))
        .step(long().state(object(TASK).has(path!(timeouts.create), "2h").has(path!(timeouts.delete), "60m")))
        // An import knows of none, which is no change until somebody configures them.
        .step(Step::forget(TASK))
        .step(
            Step::import_id(text(task("one", "")), TASK, "t")
                .state(object(TASK).has(path!(timeouts), is::null())),
        )
        .step(long().plan(changes([(TASK, Action::Update)])))
}

const NAMED: &str = "corner_named.this";

/// An object whose replacement is there before the old one goes.
fn named(name: &str, size: &str) -> String {
    format!(
        "resource \"corner_named\" \"this\" {{\n  {name}\n  size = \"{size}\"\n  lifecycle {{\n    \
         create_before_destroy = true\n  }}\n}}\n"
    )
}

fn prefixes() -> Case<Backend> {
    let sized = |size: &str| apply(named("name_prefix = \"web-\"", size));
    case("create before destroy")
        .runs_on(RunsOn::Matrix)
        .step(sized("1").state(object(NAMED).has(path!(name), "web-1")))
        .step(
            sized("2")
                .plan(changes([(NAMED, Action::CreateThenDelete)]))
                .state(object(NAMED).has(path!(name), "web-2").deposed(0))
                .check(there(["web-2"])),
        )
}

/// A fixed name is taken by the old object, which stays the current one.
fn fixed_names() -> Case<Backend> {
    let sized = |size: &str| apply(named("name = \"web\"", size));
    let stays = || object(NAMED).has(path!(name), "web").has(path!(size), "1").ready().deposed(0);
    case("create before destroy with a fixed name")
        .step(sized("1").state(stays()))
        .step(
            sized("2")
                .expect(error("Name Taken").detail("set `name_prefix`").about(NAMED))
                .state(objects([NAMED]))
                .state(stays())
                .check(there(["web"])),
        )
        .step(apply("").plan(changes([(NAMED, Action::Delete)])).state(no_object(NAMED)))
}
