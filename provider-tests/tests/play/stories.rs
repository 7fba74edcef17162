//! Commands in their order on a real core and here: what each ends with, its plan and state as JSON with all digits of
//! numbers, and the lines of plans.

use std::cell::Cell;
use std::path::Path;

use ferroform_testing::real::{Core, Protocol, ServedProvider, Session};
use libtest_mimic::Failed;
use serde_json::{Map, Value as Json};

use crate::play::action::TRIGGERED;
use crate::play::provider::{SOURCE, serve};
use crate::play::real::{declared, differences};
use crate::play::verbs::Desk;

/// A name, and the commands, each with the configuration if it is another one.
type Story = (&'static str, &'static [(&'static str, &'static str)]);

const STORIES: &[Story] = &[
    (
        "numbers keep their digits, also in saved plans",
        &[
            (
                r#"
variable "number" {
  type    = number
  default = 0.1
}
resource "shape_thing" "a" {
  name     = "a"
  count_of = 1 / 3
  any      = { big = 36893488147419103232, huge = 1e100, tiny = 1e-10, few = 2.50 }
  text     = jsonencode({ huge = 1e30 })
}
output "number" { value = var.number }
output "third" { value = 1 / 3 }
output "big" { value = 18446744073709551616 }
output "rest" { value = 1 - 0.99 }
output "tuple" { value = [-18446744073709551616, 0.5] }
"#,
                "plan -input=false -out=p -var=number=1234567890.12345678901234567890",
            ),
            ("", "apply -input=false p"),
            ("", "plan -input=false -out=p"),
            ("", "apply -input=false p"),
        ],
    ),
    (
        "a saved plan is not stale for its time",
        &[
            (
                "output \"when\" { value = plantimestamp() == \"\" }\noutput \"time\" { value = timestamp() }\n",
                "plan -out=p",
            ),
            ("", "apply p"),
        ],
    ),
    (
        "variables are shown as they are given",
        &[(
            r#"
variable "object" {
  type = object({ a = optional(number, 3), b = string })
}
variable "default" {
  type    = object({ a = optional(number, 3), b = string })
  default = { b = 1 }
}
variable "text" { type = string }
variable "number" { type = number }
variable "set" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "null" {
  type    = string
  default = null
}
variable "not_null" {
  type     = string
  default  = "d"
  nullable = false
}
variable "secret" {
  type      = string
  sensitive = true
}
variable "ephemeral" {
  type      = string
  ephemeral = true
}
variable "ephemeral_with_default" {
  default   = "d"
  ephemeral = true
}
output "object" { value = var.object }
"#,
            "plan -input=false -out=p -var=object={b=1,c=2} -var=text=12 -var=number=1.50 -var=not_null=null -var=secret=s \
                 -var=ephemeral=e -var=ephemeral_with_default=e",
        )],
    ),
    (
        "variables need not be valid to destroy without a refresh",
        &[
            (
                r#"
variable "v" {
  default = 1
  validation {
    condition     = var.v == 1
    error_message = "It has to be 1."
  }
}
resource "shape_thing" "a" { name = "a" }
"#,
                "apply -auto-approve -input=false",
            ),
            ("", "plan -input=false -destroy -out=p -var=v=2"),
            ("", "plan -input=false -destroy -refresh=false -out=p -var=v=2"),
            ("", "destroy -input=false -auto-approve -refresh=false -var=v=2"),
        ],
    ),
    (
        "texts that hold JSON, and nulls",
        &[
            (
                r#"
resource "shape_thing" "a" {
  name = "a"
  text = jsonencode({ a = 1, b = [1, { c = 2 }, null], d = {}, e = null })
  any = {
    empty    = jsonencode({})
    list     = [null, 1, "{}"]
    nulls    = { a = null, b = 1 }
    changes  = jsonencode({ a = [], b = null })
    spaces   = jsonencode(["a", "b"])
    shrinks  = jsonencode({ a = 1 })
    becomes  = jsonencode({ a = 1, b = null })
    was      = null
    kind     = jsonencode([1, 2])
    kinds    = "{}"
    document = "text"
    text     = jsonencode([1])
    digits   = "{ \"a\": 1e30, \"b\": 1.50 }"
    lines    = "a\nb"
  }
  object  = { a = null, b = 1 }
  objects = [{ a = null, b = 1 }]
  map     = { a = null, b = "b" }
  list    = [null, "a"]
}
resource "shape_thing" "b" {
  name = "b"
  text = jsonencode(["a"])
}
output "o" { value = jsonencode({ a = 1 }) }
"#,
                "plan -input=false -out=p",
            ),
            ("", "apply -input=false p"),
            (
                r#"
resource "shape_thing" "a" {
  name = "a"
  text = jsonencode({ a = 2, b = [1, { c = 3 }, null], d = { e = 1 }, e = 1 })
  any = {
    empty    = "{ }"
    list     = [null, 1, "{}", null, "[1]"]
    nulls    = { a = 1, b = null }
    changes  = jsonencode({ a = [], b = 1 })
    spaces   = "[ \"a\", \"b\"]"
    shrinks  = jsonencode({})
    becomes  = null
    was      = jsonencode({ a = 1, b = null })
    kind     = jsonencode({ a = 1 })
    kinds    = "[]"
    document = jsonencode({ a = 1 })
    text     = 12
    digits   = "{ \"a\": 1e31, \"b\": 1.5 }"
    lines    = null
  }
  object  = { a = "a", b = null }
  objects = [{ a = "a", b = null }]
  map     = { a = "a", b = null }
  list    = ["a", null]
}
output "o" { value = jsonencode({ a = 2 }) }
"#,
                "plan -input=false -out=p",
            ),
            ("", "apply -input=false p"),
            ("", "plan -input=false -destroy -out=p"),
        ],
    ),
    (
        "what is removed says why",
        &[
            (
                "resource \"shape_thing\" \"a\" { name = \"a\" }\nresource \"shape_thing\" \"b\" { name = \"b\" }\n\
                 resource \"shape_thing\" \"c\" { name = \"c\" }\n",
                "apply -auto-approve -input=false",
            ),
            (
                r#"
removed {
  from = shape_thing.a
  lifecycle {
    destroy = false
  }
}
removed {
  from = shape_thing.b
}
moved {
  from = shape_thing.c
  to   = shape_thing.d
}
removed {
  from = shape_thing.d
  lifecycle {
    destroy = false
  }
}
"#,
                "plan -input=false -out=p",
            ),
        ],
    ),
    (
        "targets leave outputs as they are that come from nothing or from others",
        &[
            (TARGETS, "plan -input=false -out=p -target=shape_thing.a"),
            ("", "apply -input=false -auto-approve -target=shape_thing.a"),
            ("", "apply -input=false -auto-approve"),
            (OTHERS, "plan -input=false -out=p -target=shape_thing.a"),
            ("", "apply -input=false -auto-approve -target=shape_thing.a"),
            ("", "plan -input=false -destroy -out=p -target=shape_thing.b"),
            ("", "destroy -input=false -auto-approve -target=shape_thing.b"),
        ],
    ),
    (
        "actions that changes trigger, or the user",
        &[
            (TRIGGERED, "plan -input=false -out=p"),
            ("", "apply -input=false p"),
            ("", "plan -input=false -out=p -var=text=two"),
            ("", "plan -input=false -out=p -invoke=action.shape_say.first"),
            ("", "plan -input=false -out=p -invoke=action.shape_say.each[\"x\"]"),
            ("", "plan -input=false -destroy -out=p"),
        ],
    ),
    (
        "the plan that is applied at once tells of checks once",
        &[
            (
                r#"
resource "shape_thing" "a" { name = "a" }
check "now" {
  assert {
    condition     = path.module == ""
    error_message = "One."
  }
}
check "later" {
  assert {
    condition     = shape_thing.a.id == ""
    error_message = "Two."
  }
}
"#,
                "plan -input=false -out=p",
            ),
            ("", "apply -input=false -auto-approve"),
            ("", "plan -input=false -refresh-only -out=p"),
            ("", "apply -input=false p"),
        ],
    ),
];

const TARGETS: &str = r#"
resource "shape_thing" "a" {
  name = "a"
  text = "x"
}
resource "shape_thing" "b" {
  name = "b"
  text = shape_thing.a.text
}
output "nothing" { value = "x" }
output "a" { value = shape_thing.a.text }
output "b" { value = shape_thing.b.text }
"#;

const OTHERS: &str = r#"
resource "shape_thing" "a" {
  name = "a"
  text = "y"
}
resource "shape_thing" "b" {
  name = "b"
  text = shape_thing.a.text
}
output "nothing" { value = "y" }
output "a" { value = shape_thing.a.text }
output "b" { value = shape_thing.b.text }
"#;

pub(crate) fn agree(core: &Core) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for (name, commands) in STORIES {
        let session =
            Session::new(core, vec![ServedProvider::start(SOURCE, Protocol::V6, serve(None))?], &[])?;
        let desk = Desk::new("");
        let folder = format!("-chdir={}", desk.path().display());
        for (text, command) in *commands {
            if !text.is_empty() {
                session.write_text(&declared(text))?;
                desk.write("main.tf", text);
            }
            let mut words: Vec<&str> = command.split_whitespace().collect();
            words.insert(1, "-no-color");
            let real = |words: &[&str]| session.workspace().run(words);
            let ours = |words: &[&str]| desk.types(&[&[folder.as_str()], words].concat());
            let (expected, found) = (real(&words)?, ours(&words));
            let codes = (expected.exit_code, Some(i32::from(found.code)));
            if codes.0 != codes.1 {
                wrong.push(format!(
                    "{name}: {command}: exit codes {codes:?}\n{}\n{}",
                    expected.stderr, found.err
                ));
                continue;
            }
            let (expected, found) =
                (summaries(&expected.stderr, &expected.stdout), summaries(&found.err, ""));
            if expected != found {
                wrong.push(format!("{name}: {command}: expected {expected:?}, found {found:?}"));
            }
            let saved = words.contains(&"-out=p") && codes.1 == Some(0);
            let shown: &[&str] = if saved { &["p"] } else { &[] };
            let show = |form: &'static str| [&["show", form][..], shown].concat();
            let path = |it: &&str| {
                if *it == "p" { desk.path().join("p").display().to_string() } else { (*it).to_owned() }
            };
            let of_ours = |form: &'static str| {
                let words: Vec<String> = show(form).iter().map(path).collect();
                desk.types(&[vec![folder.clone()], words].concat()).out
            };
            let expected = json(&real(&show("-json"))?.stdout, &session.workspace().dir())?;
            let found = json(&of_ours("-json"), desk.path())?;
            if expected != found {
                wrong.push(format!("{name}: {command}\n--- real\n{expected:#}\n--- ours\n{found:#}"));
            }
            if saved {
                let (expected, found) = (real(&show("-no-color"))?.stdout, of_ours("-no-color"));
                wrong.extend(differences(&format!("{name}: {command}"), &expected, &found));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The summaries of what is said, in order of their texts.
fn summaries(err: &str, out: &str) -> Vec<String> {
    let lines = err.lines().chain(out.lines()).map(|line| line.trim_start_matches(['│', '╷', ' ']));
    let is_summary = |line: &&str| line.starts_with("Error: ") || line.starts_with("Warning: ");
    let mut found: Vec<String> = lines.filter(is_summary).map(str::to_owned).collect();
    found.sort();
    found
}

/// JSON with its numbers as texts, so that no digit is lost, and without what differs from run to run.
fn json(text: &str, folder: &Path) -> Result<Json, Failed> {
    let (mut exact, number, inside) = (String::new(), Cell::new(false), Cell::new(false));
    let mut escaped = false;
    for c in text.chars() {
        let is_quote = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        let is_number = !inside.get()
            && !is_quote
            && (c.is_ascii_digit() || (number.get() || c == '-') && "-+.eE".contains(c));
        if number.replace(is_number) != is_number {
            exact.push('"');
        }
        inside.set(inside.get() != is_quote);
        exact.push(c);
    }
    let mut json: Json = serde_json::from_str(&exact)?;
    if let Some(invocations) = json.get_mut("action_invocations").and_then(Json::as_array_mut) {
        // Those of several instances are in any order, and core has their write-only values in clear.
        invocations.sort_by_key(|it| format!("{}{}", it["lifecycle_action_trigger"], it["address"]));
        invocations.iter_mut().for_each(|it| it["config_values"]["hidden"] = Json::Null);
    }
    if let Some(members) = json.as_object_mut()
        && let Some(time) = members.insert("timestamp".to_owned(), "".into())
    {
        let time = time.as_str().unwrap_or_default().parse::<jiff::Timestamp>();
        members.insert("timestamp".to_owned(), time.is_ok().into());
    }
    Ok(steady(json, &folder.display().to_string()))
}

/// Times are the same for all, and lists of attributes are in order.
fn steady(json: Json, folder: &str) -> Json {
    match json {
        Json::String(text) if text.parse::<jiff::Timestamp>().is_ok() => "<time>".into(),
        Json::String(text) => text.replace(folder, ".").into(),
        Json::Array(elements) => elements.into_iter().map(|it| steady(it, folder)).collect(),
        Json::Object(members) => {
            let member = |(name, mut member): (String, Json)| {
                if let (true, Some(elements)) = (name == "relevant_attributes", member.as_array_mut()) {
                    elements.sort_by_key(ToString::to_string);
                }
                (name, steady(member, folder))
            };
            Json::Object(members.into_iter().map(member).collect::<Map<_, _>>())
        }
        other => other,
    }
}
