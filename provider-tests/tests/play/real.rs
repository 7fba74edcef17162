//! The text of plans and states, against that of a real core for the same JSON; and what commands end with.

use std::collections::BTreeMap;

use ferroform_testing::address::ProviderAddress;
use ferroform_testing::client::Schemas;
use ferroform_testing::embedded::{Core as Embedded, PlanOptions};
use ferroform_testing::plan::Mode;
use ferroform_testing::real::{Core, Protocol, ServedProvider, Session};
use ferroform_testing::render::{self, Colour};
use libtest_mimic::Failed;
use serde_json::Value as Json;

use crate::play::action::TRIGGERED;
use crate::play::provider::{SOURCE, serve};
use crate::play::verbs::Desk;

/// A name, and what is compared.
type Test = (&'static str, fn(&Core) -> Result<(), Failed>);

pub(crate) const TESTS: &[Test] = &[
    ("writes_the_same_lines", compare),
    ("ends_with_the_same_codes", codes),
    ("prints_the_same_lines_of_json", json_lines),
    ("tells_of_actions_in_the_same_lines", crate::play::action::lines),
    ("stories_have_the_same_json_and_lines", crate::play::stories::agree),
];

/// A name, what there is, and what is planned.
const ROWS: &[(&str, &str, &str)] = &[
    ("create", "", FULL),
    ("destroy", FULL, ""),
    ("no change", FULL, FULL),
    ("sensitive blocks", "", SECRET),
    ("sensitive blocks that change", SECRET, CHANGED_SECRET),
    ("sensitive blocks that can be seen", SECRET, SEEN),
    (
        "update of everything",
        FULL,
        r#"
resource "shape_thing" "a" {
  name     = "a"
  text     = "one\ntwo and a half\nthree\nfour\n"
  count_of = 2
  on       = false
  list     = ["a", "b", "c", "x", "e", "f", "g", "h"]
  set      = ["b", "c", "d"]
  map      = { b = "2", c = "three" }
  object   = { a = "x", b = 2 }
  objects  = [{ a = "x", b = 1 }, { a = "z", b = 3 }]
  any      = { k = [1, 3], t = "s", n = null, gone = false }
  secret   = "s4cret"
  hidden   = "other"
  one      = { host = "b", port = 1, key = "k" }
  many     = [{ host = "a", port = 2 }, { host = "b" }, { host = "c" }]
  some     = [{ host = "a", port = 1 }, { host = "c" }]
  named    = { x = { host = "b" }, z = { port = 3 } }
  single { host = "b" }
  rule {
    host = "a"
    tags = { a = "c" }
  }
  label { host = "b" }
  label { host = "c" }
}
output "list" { value = ["a", "c"] }
output "map" { value = tomap({ a = "1", "c d" = "3" }) }
output "text" { value = "a\nc" }
"#,
    ),
    (
        "replacement",
        r#"
resource "shape_thing" "a" {
  name  = "a"
  fixed = { a = "1", b = "2" }
  any   = "text"
}
resource "shape_thing" "b" {
  name = "b"
  text = shape_thing.a.id
  any  = shape_thing.a.id
  list = [shape_thing.a.id]
  lifecycle { create_before_destroy = true }
}
"#,
        r#"
resource "shape_thing" "a" {
  name  = "aa"
  fixed = { a = "1", b = "3" }
  any   = ["list"]
}
resource "shape_thing" "b" {
  name = "bb"
  text = shape_thing.a.id
  any  = shape_thing.a.id
  list = [shape_thing.a.id]
  lifecycle { create_before_destroy = true }
}
output "id" { value = shape_thing.a.id }
"#,
    ),
    (
        "lists that grow and shrink",
        r#"
resource "shape_thing" "a" {
  name    = "a"
  list    = ["a", "b", "c", "d", "e", "f"]
  objects = [{ a = "x", b = 1 }, { a = "y", b = 2 }, { a = "z", b = 3 }]
  any     = ["a", "b", "c", "d"]
  text    = jsonencode({ a = 1, b = ["x", "y"] })
  many    = [{ host = "a" }, { host = "b" }]
}
"#,
        r#"
resource "shape_thing" "a" {
  name    = "a"
  list    = ["a", "b", "d", "e", "f", "g", "h"]
  objects = [{ a = "x", b = 1 }, { a = "q", b = 2 }]
  any     = ["b", "c", "dd", "e", "f"]
  text    = jsonencode({ a = 1, b = ["x", "z"], c = null })
  many    = [{ host = "b" }]
}
"#,
    ),
    (
        "what comes and goes",
        r#"
resource "shape_thing" "a" {
  name = "a"
  map  = { a = "b" }
  rule { host = "a" }
}
resource "shape_thing" "moved" { name = "m" }
resource "shape_thing" "many" {
  count = 2
  name  = "n${count.index}"
}
resource "shape_thing" "each" {
  for_each = toset(["x", "y"])
  name     = each.key
}
output "old" { value = "x" }
output "secret" {
  value     = "s3cret"
  sensitive = true
}
"#,
        r#"
resource "shape_thing" "a" {
  name   = "a"
  list   = []
  text   = "now"
  secret = "s3cret"
  one    = { key = "k" }
  rule { host = "a" }
  rule { port = 2 }
  single { port = 3 }
}
resource "shape_thing" "here" { name = "m" }
moved {
  from = shape_thing.moved
  to   = shape_thing.here
}
resource "shape_thing" "many" {
  count = 1
  name  = "n${count.index}"
}
resource "shape_thing" "each" {
  for_each = toset(["y"])
  name     = each.key
}
import {
  to = shape_thing.imported
  id = "id-i"
}
resource "shape_thing" "imported" { name = "i" }
output "new" { value = { a = null, b = [] } }
"#,
    ),
];

const FULL: &str = r#"
resource "shape_thing" "a" {
  name     = "a"
  text     = "one\ntwo\nthree\n"
  count_of = 1
  on       = true
  list     = ["a", "b", "c", "d", "e", "f", "g", "h"]
  set      = ["a", "b", "c"]
  map      = { a = "1", b = "2" }
  object   = { a = "x", b = 1 }
  objects  = [{ a = "x", b = 1 }, { a = "y", b = 2 }]
  any      = { k = [1, 2], t = "s", n = null }
  secret   = "s3cret"
  hidden   = "h1dden"
  one      = { host = "a", port = 1, key = "k" }
  many     = [{ host = "a", port = 1 }, { host = "b", key = "k" }]
  some     = [{ host = "a", port = 1 }, { host = "b" }]
  named    = { x = { host = "a" }, y = { port = 2 } }
  single { host = "a" }
  rule {
    host = "a"
    tags = { a = "b" }
  }
  rule { port = 2 }
  label { host = "a" }
  label { host = "b" }
}
output "list" { value = ["a", "b"] }
output "map" { value = tomap({ a = "1", "c d" = "2" }) }
output "text" { value = "a\nb" }
"#;

/// Blocks of which one has that host.
macro_rules! blocks {
    ($host:literal) => {
        concat!(
            "resource \"shape_thing\" \"a\" {\n  name = \"a\"\n",
            "  rule { host = ",
            $host,
            " }\n  rule { port = 2 }\n",
            "  label { host = ",
            $host,
            " }\n  label { host = \"b\" }\n}\n",
        )
    };
}

const SECRET: &str = blocks!(r#"sensitive("a")"#);
const CHANGED_SECRET: &str = blocks!(r#"sensitive("c")"#);
const SEEN: &str = blocks!(r#""a""#);

fn compare(core: &Core) -> Result<(), Failed> {
    let schemas = schemas()?;
    let mut wrong = Vec::new();
    for (name, before, after) in ROWS {
        let served = ServedProvider::start(SOURCE, Protocol::V6, serve(None))?;
        let session = Session::new(core, vec![served], &[])?;
        if !before.is_empty() {
            session.write_text(&declared(before))?;
            session.apply_at_once(&PlanOptions::default())?;
        }
        let workspace = session.workspace();
        session.write_text(&declared(after))?;
        workspace.run(&["plan", "-input=false", "-out=plan.bin"])?;
        let texts = |arguments: &[&str]| -> Result<(Json, String), Failed> {
            let all = |form: &'static str| [&["show", form], arguments].concat();
            let json = workspace.run(&all("-json"))?.stdout;
            Ok((serde_json::from_str(&json)?, workspace.run(&all("-no-color"))?.stdout))
        };
        let (plan, real) = texts(&["plan.bin"])?;
        let ours = render::plan(&plan, &schemas, Mode::Normal, Colour::None)?;
        wrong.extend(differences(&format!("{name}: plan"), &real, &ours));
        let (state, real) = texts(&[])?;
        let ours = render::state(&state, &schemas, Colour::None)?;
        wrong.extend(differences(&format!("{name}: state"), &real, &ours));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Commands in their order, and what each ends with.
const CODES: &[(&str, u8)] = &[
    ("plan -input=false -out=p -lock-timeout=1s -compact-warnings -detailed-exitcode", 2),
    ("apply -input=false -lock-timeout=1m30s p", 0),
    ("plan -detailed-exitcode -lock=false -refresh=false -no-color", 0),
    ("plan -fast", 1),
    ("plan -lock-timeout=soon", 1),
    ("plan -refresh-only -destroy", 1),
    ("state mv -dry-run shape_thing.a shape_thing.b", 0),
    ("state rm -dry-run shape_thing.a", 0),
    ("", 127),
    ("fly", 1),
    ("state", 1),
    ("plan -help", 0),
    ("state list -help", 0),
    ("show -json", 0),
    ("show nothing", 1),
    ("apply nothing", 1),
    ("validate", 0),
    ("validate -json -fast", 1),
    ("refresh -input=false", 0),
    ("state list", 0),
    ("state list shape_thing.x", 1),
    ("state show shape_thing.x", 1),
    ("state mv shape_thing.a", 1),
    ("state rm shape_thing.x", 1),
    ("state pull", 0),
    ("output", 0),
    ("output -json", 0),
    ("output -json nothing", 1),
    ("output -raw nothing", 0),
    ("output -raw", 1),
    ("output nothing", 0),
    ("import shape_thing.a", 1),
    ("query -json", 1),
    ("taint shape_thing.x", 1),
    ("taint -allow-missing shape_thing.x", 0),
    ("plan -destroy -detailed-exitcode", 2),
    ("apply -destroy -auto-approve -input=false", 0),
];

fn codes(core: &Core) -> Result<(), Failed> {
    let text = "resource \"shape_thing\" \"a\" { name = \"a\" }\n";
    let session = Session::new(core, vec![ServedProvider::start(SOURCE, Protocol::V6, serve(None))?], &[])?;
    session.write_text(&declared(text))?;
    let desk = Desk::new(text);
    let folder = format!("-chdir={}", desk.path().display());
    let mut wrong = Vec::new();
    for (command, code) in CODES {
        let words: Vec<&str> = command.split_whitespace().collect();
        let real = session.workspace().run(&words)?.exit_code;
        let ours = desk.types(&[&[folder.as_str()], words.as_slice()].concat()).code;
        if (real, ours) != (Some(i32::from(*code)), *code) {
            wrong.push(format!("{command}: {code}, real {real:?}, ours {ours}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Commands in their order, each with the configuration if it is another one.
const JSON_LINES: &[(&str, &str)] = &[
    (FULL, "plan -input=false -json -out=p"),
    ("", "apply -input=false -json -auto-approve"),
    ("", "plan -input=false -json -detailed-exitcode"),
    (
        r#"
resource "shape_thing" "a" {
  name  = "b"
  fixed = { a = "1", b = "2" }
}
resource "shape_thing" "b" {
  count = 2
  name  = "n${count.index}"
}
resource "shape_thing" "c" { name = shape_thing.a.id }
output "id" { value = shape_thing.a.id }
output "secret" {
  value     = "s3cret"
  sensitive = true
}
"#,
        "apply -input=false -json -auto-approve",
    ),
    ("", "apply -input=false -json -auto-approve -refresh-only"),
    ("resource \"shape_thing\" \"a\" {\n  name = 1\n  what = 2\n}\n", "plan -input=false -json"),
    (FULL, "destroy -input=false -json -auto-approve"),
    (TRIGGERED, "plan -input=false -json -out=p"),
    ("", "apply -input=false -json -auto-approve"),
    ("", "apply -input=false -json -auto-approve -var=text=two"),
    ("", "apply -input=false -json -auto-approve -var=text=fails"),
    ("", "plan -input=false -json -invoke=action.shape_say.each"),
    ("", "apply -input=false -json -auto-approve -invoke=action.shape_say.each"),
    ("", "apply -input=false -json -auto-approve -var=text=fails -invoke=action.shape_say.first"),
    ("", "destroy -input=false -json -auto-approve"),
    ("", "plan -json -fast"),
    ("", "plan -json other"),
    ("", "query -json"),
    ("", "query -json -target=shape_thing.a"),
];

fn json_lines(core: &Core) -> Result<(), Failed> {
    let session = Session::new(core, vec![ServedProvider::start(SOURCE, Protocol::V6, serve(None))?], &[])?;
    let desk = Desk::new("");
    let folder = format!("-chdir={}", desk.path().display());
    let mut wrong = Vec::new();
    for (text, command) in JSON_LINES {
        if !text.is_empty() {
            session.write_text(&declared(text))?;
            desk.write("main.tf", text);
        }
        let words: Vec<&str> = command.split(' ').collect();
        let real = session.workspace().run(&words)?;
        let ours = desk.types(&[&[folder.as_str()], words.as_slice()].concat());
        if real.exit_code != Some(i32::from(ours.code)) {
            wrong.push(format!("{command}: exit codes {:?} and {}", real.exit_code, ours.code));
        }
        let (real, ours) = (steady_lines(&real.stdout)?, steady_lines(&ours.out)?);
        for line in real.iter().filter(|line| !ours.contains(line)) {
            wrong.push(format!("{command}: only real: {line}"));
        }
        for line in ours.iter().filter(|line| !real.contains(line)) {
            wrong.push(format!("{command}: only ours: {line}"));
        }
        if real.len() != ours.len() {
            wrong.push(format!("{command}: {} lines and {}", real.len(), ours.len()));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Lines without what differs from run to run, and without the words in which diagnostics are explained.
fn steady_lines(text: &str) -> Result<Vec<String>, Failed> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut line: Json = serde_json::from_str(line)?;
        let members = line.as_object_mut().ok_or("no object")?;
        let time = members.remove("@timestamp").ok_or("no time")?;
        time.as_str().ok_or("no text")?.parse::<jiff::Timestamp>()?;
        if members["type"] == "version" {
            members.remove("@message");
        }
        // Core says every ten seconds that a slow machine is still at it.
        if members["type"] == "apply_progress" {
            continue;
        }
        let mut hook = members.get_mut("hook").and_then(Json::as_object_mut);
        // The error of an action follows as a diagnostic, which hides what is sensitive.
        if let Some(error) = hook.as_mut().and_then(|hook| hook.remove("error")) {
            let error = format!(" - {}", error.as_str().ok_or("no text")?);
            let message = members["@message"].as_str().ok_or("no message")?;
            members["@message"] = message.replace(&error, "").into();
        }
        let hook = members.get_mut("hook").and_then(Json::as_object_mut);
        if let Some(seconds) = hook.and_then(|hook| hook.remove("elapsed_seconds")) {
            let message = members["@message"].as_str().ok_or("no message")?;
            members["@message"] = message.replace(&format!(" after {seconds}s"), " after a while").into();
        }
        if let Some(diagnostic) = members.get_mut("diagnostic").and_then(Json::as_object_mut) {
            // The embedded core names the resource more often.
            diagnostic.retain(|name, _| ["severity", "summary", "range"].contains(&name.as_str()));
            // Core does not tell where an action is that the user invokes.
            if diagnostic["summary"] == "Error when invoking action" {
                diagnostic.remove("range");
            }
            if let Some(range) = diagnostic.get_mut("range") {
                *range = range["filename"].take();
            }
        }
        lines.push(line.to_string());
    }
    Ok(lines)
}

pub(crate) fn declared(text: &str) -> String {
    format!(
        "terraform {{\n  required_providers {{\n    shape = {{ source = \"{SOURCE}\" }}\n  }}\n}}\n{text}"
    )
}

fn schemas() -> Result<BTreeMap<ProviderAddress, Schemas>, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = || {
        let server = serve(None).options().router(6).expect("protocol 6");
        ferroform_testing::client::Client::new(
            ferroform_testing::client::InProcessTransport::new(server),
            ferroform_testing::client::Protocol::V6,
        )
    };
    let launch = move || {
        let client = client();
        async { Ok(client) }
    };
    let core = Embedded::new().with_provider("shape", SOURCE.parse()?, launch);
    Ok(runtime.block_on(core.schemas())?)
}

/// The lines that only one of both texts has. Sentences are written in other words, so they are left out.
pub(crate) fn differences(name: &str, real: &str, ours: &str) -> Option<String> {
    let (real, ours) = (told(real), told(ours));
    let at = real
        .iter()
        .zip(&ours)
        .position(|(a, b)| a != b)
        .or_else(|| (real.len() != ours.len()).then(|| real.len().min(ours.len())))?;
    let from = at.saturating_sub(8);
    let part = |lines: &[String]| lines.iter().skip(from).take(24).cloned().collect::<Vec<_>>().join("\n");
    Some(format!("{name}, line {at}\n--- real\n{}\n--- ours\n{}\n", part(&real), part(&ours)))
}

/// The lines that tell about attributes, blocks, objects and counts.
fn told(text: &str) -> Vec<String> {
    let is_told = |line: &&str| {
        let begins = |start: &str| line.starts_with(start);
        begins(" ") || begins("#") || begins("-/+") || begins("+/-") || begins("Plan:") || begins("resource")
    };
    let legend = |line: &&str| {
        !line.contains('"')
            && ["create", "destroy", "update in-place"]
                .iter()
                .any(|it| line.ends_with(it) || line.contains("destroy and then"))
    };
    // How it goes on is said in other words, and in more or fewer lines.
    let goes_on = |line: &&str| {
        let ends = [
            "# after applying",
            "# display in UI output",
            "# The value is unchanged",
            "# once this is applied",
        ];
        ends.iter().any(|it| line.trim_start().starts_with(it))
    };
    let lines = text.lines().filter(is_told).filter(|it| !legend(it) && !goes_on(it)).map(str::trim_end);
    let lines = lines.filter(|it| !it.is_empty()).map(|line| {
        let text = line.trim_start();
        let indent = " ".repeat(line.len() - text.len());
        match text {
            title if title.starts_with("# Actions ") && title.contains(" before ") => {
                "# Actions before".to_owned()
            }
            title if title.starts_with("# Actions ") => "# Actions after".to_owned(),
            // The words are the renderer's own.
            "# At least one attribute in this block is (or was) sensitive," => {
                format!("{indent}# Something in here is sensitive, or was,")
            }
            warning if warning.starts_with("# Warning: this ") => format!("{indent}# Warning"),
            "# so its contents will not be displayed." => format!("{indent}# so nothing is shown."),
            _ => line.to_owned(),
        }
    });
    lines.collect()
}
