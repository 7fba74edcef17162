//! Nested blocks with labels, and lists that may be written as attributes or as blocks.

use ferroform::path;
use ferroform::path::Path;
use ferroform_testing::case::{Case, RunsOn, Step, change, changes, error, is, object, value};
use ferroform_testing::plan::Action;
use serde_json::{Value, json};

use crate::edge_cases::support::{Backend, apply, case, text};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![labelled(), dynamic(), as_blocks(), dynamic_as_blocks()]
}

const RACK: &str = "corner_rack.this";

/// A rack, with outputs that read its blocks.
fn rack(blocks: &str) -> String {
    format!(
        "locals {{\n  devices = {{ foo = 3, bar = 1 }}\n}}\n\
         variable \"ports\" {{\n  default = [80, 443]\n}}\n\
         resource \"corner_rack\" \"this\" {{\n  label = \"r\"\n{blocks}\n}}\n\
         output \"size\" {{\n  value = corner_rack.this.device[\"foo\"].size\n}}\n\
         output \"serials\" {{\n  value = values(corner_rack.this.device)[*].serial\n}}\n\
         output \"ports\" {{\n  value = corner_rack.this.port[*].number\n}}\n\
         output \"note\" {{\n  value = one(corner_rack.this.port[*].note)\n}}\n"
    )
}

fn device(size: u32, serial: &str) -> Value {
    json!({"size": size, "serial": format!("serial of {serial}")})
}

fn port(number: u32, note: Option<&str>) -> Value {
    json!({"number": number, "note": note})
}

/// Blocks with labels are read by them, and a list of blocks by splat.
fn labelled() -> Case<Backend> {
    let written = |size: &str, more: &str| {
        apply(rack(&format!(
            "  device \"foo\" {{\n    size = {size}\n  }}\n{more}  port {{\n    number = 80\n    note   = \"web\"\n  }}"
        )))
    };
    let bar = "  device \"bar\" {}\n";
    let serial = |name: &'static str| Path::root().attribute("device").key(name).attribute("serial");
    case("blocks with labels")
        .step(
            written("3", bar)
                .plan(change(RACK).after(serial("foo"), is::unknown()))
                .state(
                    object(RACK)
                        .has(path!(device), json!({"foo": device(3, "foo"), "bar": device(1, "bar")})),
                )
                .state(object(RACK).has(path!(port), json!([port(80, Some("web"))])))
                .state(value("size", 3))
                .state(value("serials", json!(["serial of bar", "serial of foo"])))
                .state(value("ports", json!([80])))
                .state(value("note", "web")),
        )
        .step(
            written("4", bar)
                .plan(changes([(RACK, Action::Update)]))
                // What did not change is known, and so is what is kept.
                .plan(
                    change(RACK).after(serial("foo"), "serial of foo").after(serial("bar"), "serial of bar"),
                )
                .state(value("size", 4)),
        )
        .step(written("4", "").state(object(RACK).has(path!(device), json!({"foo": device(4, "foo")}))))
}

/// Blocks that are made from a collection, with labels and a name for the element. The labels are made of a local value,
/// because those of variables are not known yet when core validates.
fn dynamic() -> Case<Backend> {
    let blocks = "  dynamic \"device\" {\n    for_each = local.devices\n    iterator = it\n    labels   = [it.key]\n    \
                  content {\n      size = it.value\n    }\n  }\n  dynamic \"port\" {\n    for_each = var.ports\n    \
                  content {\n      number = port.value\n    }\n  }";
    case("dynamic blocks")
        .runs_on(RunsOn::Matrix)
        .step(
            apply(
                rack(blocks).replace("one(corner_rack.this.port[*].note)", "corner_rack.this.port[*].note"),
            )
            .state(object(RACK).has(path!(device), json!({"foo": device(3, "foo"), "bar": device(1, "bar")})))
            .state(object(RACK).has(path!(port), json!([port(80, None), port(443, None)])))
            .state(value("ports", json!([80, 443])))
            .state(value("note", json!([null, null]))),
        )
        .step(
            apply(rack(&blocks.replace("var.ports", "[for p in var.ports : p if p < 100]")))
                .plan(changes([(RACK, Action::Update)]))
                .state(value("ports", json!([80]))),
        )
}

const RULES: &str = "corner_rules.this";

fn rules(rules: &str) -> String {
    format!(
        "variable \"none\" {{\n  type    = list(number)\n  default = []\n}}\n\
         resource \"corner_rules\" \"this\" {{\n  label = \"r\"\n{rules}\n}}\n"
    )
}

fn rule(port: u32, note: Option<&str>) -> Value {
    json!({"port": port, "note": note})
}

/// Those rules are written, and these are there.
type Forms<'a> = &'a [(&'a str, Value)];

fn forms(name: &str, forms: Forms<'_>) -> Case<Backend> {
    forms.iter().fold(case(name), |case, (written, stored)| {
        case.step(apply(rules(written)).named(*written).state(object(RULES).has(path!(rule), stored.clone())))
    })
}

/// The forms of such a list in a model, whose service shows other representations than were written.
fn as_blocks() -> Case<Backend> {
    let two = json!([rule(1, Some("Web")), rule(2, None)]);
    let planned = |written: &str| Step::plan_only(text(rules(written)));
    let missing = || error("Incorrect attribute value type").detail("note").detail("required");
    forms(
        "attributes as blocks in a model",
        &[
            ("", json!([rule(22, None)])),
            ("rule {\n  port = 1\n  note = \"Web\"\n}\nrule { port = 2 }", two.clone()),
            ("", two),
            ("rule = []", json!([])),
            ("", json!([])),
            ("rule = [{ port = 3, note = null }]", json!([rule(3, None)])),
            ("rule = [merge({ note = null }, { port = 4 })]", json!([rule(4, None)])),
            (
                "rule = [for p in [5, 6] : { port = p, note = \"N\" }]",
                json!([rule(5, Some("N")), rule(6, Some("N"))]),
            ),
        ],
    )
    .step(
        planned("rule { port = 70000 }")
            .expect(error("Invalid Attribute Value").detail("`rule[0].port` must be").times(1)),
    )
    .step(planned("rule = [{ port = 1 }]").expect(missing()))
    .step(planned("rule { note = \"n\" }").expect(error("Missing Required Attribute").detail("rule[0].port")))
    .step(planned("rule { port = 1 }\nrule = []").expect(error("Unsupported block type")))
    .step(apply(""))
}

/// A dynamic block over nothing is absence, which keeps; an expression over nothing is none.
fn dynamic_as_blocks() -> Case<Backend> {
    let over = |list: &str| {
        format!(
            "dynamic \"rule\" {{\n  for_each = {list}\n  iterator = it\n  content {{\n    port = it.value\n  }}\n}}"
        )
    };
    let (some, none) = (over("[4, 5]"), over("var.none"));
    let two = || json!([rule(4, None), rule(5, None)]);
    forms(
        "dynamic attributes as blocks",
        &[
            (&some, two()),
            (&none, two()),
            ("rule = [for p in var.none : { port = p, note = null }]", json!([])),
            (&none, json!([])),
        ],
    )
}
