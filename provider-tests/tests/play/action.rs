//! The action `shape_say`, and what is shown of its invocations, against a real core.

use async_trait::async_trait;
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::dynamic::{self, InvokeContext};
use ferroform::path;
use ferroform::schema::{Attribute, Block, BlockNesting, Nesting, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::real::{Core, Protocol, ServedProvider, Session};
use libtest_mimic::Failed;

use crate::play::provider::{SOURCE, block, nested, serve};
use crate::play::real::declared;
use crate::play::verbs::Desk;

/// Reports its text; one that begins with `fail` is an error afterwards.
pub(crate) struct Say;

#[async_trait]
impl dynamic::Action for Say {
    fn schema(&self) -> Schema {
        let attributes = [
            Attribute::required("text", Type::String),
            Attribute::optional("list", Type::list(Type::String)),
            Attribute::optional("one", nested(Nesting::Single)),
            Attribute::optional("hidden", Type::String).write_only(),
        ];
        Schema::new(Block::new(attributes).blocks([block("rule", BlockNesting::List)]))
    }

    async fn invoke(&self, cx: InvokeContext<'_>, config: Value) -> Result {
        let text = config.get(&path!(text)).and_then(Value::as_str).unwrap_or_default();
        cx.progress(format!("saying {text}")).await;
        if text.starts_with("fail") {
            return Err(Error::new("Nothing Said", "It has a text that fails.")).at(path!(text));
        }
        Ok(())
    }
}

/// Things that trigger actions before and after their changes, and actions that refer to them.
pub(crate) const TRIGGERED: &str = r#"
variable "text" { default = "one" }
action "shape_say" "first" {
  config {
    text   = var.text
    list   = ["a", "b"]
    one    = { host = "a", port = 1, key = "k" }
    hidden = "h1dden"
    rule {
      host = "a"
      tags = { a = "b" }
    }
  }
}
action "shape_say" "each" {
  for_each = toset(["x", "y"])
  config { text = "${each.key} of ${shape_thing.a.id}" }
}
resource "shape_thing" "a" {
  name = "a"
  text = var.text
  lifecycle {
    action_trigger {
      events  = [before_create, before_update]
      actions = [action.shape_say.first]
    }
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.shape_say.each["y"], action.shape_say.each["x"], action.shape_say.first]
    }
  }
}
resource "shape_thing" "b" {
  count = 2
  name  = "b${count.index}"
  text  = var.text
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.shape_say.first]
    }
  }
}
"#;

/// Commands in their order.
const COMMANDS: &[&str] = &[
    "apply -no-color -input=false -auto-approve",
    "apply -no-color -input=false -auto-approve -var=text=two",
    "apply -no-color -input=false -auto-approve -var=text=two",
    "apply -no-color -input=false -auto-approve -var=text=fails",
    "apply -no-color -input=false -auto-approve -invoke=action.shape_say.each[\"x\"]",
    "apply -no-color -input=false -auto-approve -var=text=fails -invoke=action.shape_say.first",
];

/// What a person sees of actions that are invoked.
pub(crate) fn lines(core: &Core) -> Result<(), Failed> {
    let session = Session::new(core, vec![ServedProvider::start(SOURCE, Protocol::V6, serve(None))?], &[])?;
    let desk = Desk::new(TRIGGERED);
    session.write_text(&declared(TRIGGERED))?;
    let folder = format!("-chdir={}", desk.path().display());
    let mut wrong = Vec::new();
    for command in COMMANDS {
        let words: Vec<&str> = command.split(' ').collect();
        let real = session.workspace().run(&words)?;
        let ours = desk.types(&[&[folder.as_str()], words.as_slice()].concat());
        let (expected, found) = (told(&real.stdout), told(&ours.out));
        if (real.exit_code, &expected) != (Some(i32::from(ours.code)), &found) {
            wrong.push(format!(
                "{command}\n--- real\n{}\n--- ours\n{}",
                expected.join("\n"),
                found.join("\n")
            ));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The lines that tell of actions, without those of the plan: in their order for each instance that triggers them, which
/// come in any order. Core also shows there why an action has failed, which the error after it tells as well.
fn told(text: &str) -> Vec<String> {
    let begins = ["Action ", "Apply complete!"];
    let lines = text.lines().filter(|line| begins.iter().any(|start| line.starts_with(start)));
    let lines = lines.map(|line| line.split(" - ").next().unwrap_or_default().to_owned());
    let mut lines: Vec<String> = lines.collect();
    let instance = |line: &String| {
        line.split_once("(triggered by ").and_then(|(_, rest)| Some(rest.split_once(')')?.0.to_owned()))
    };
    lines.sort_by_key(instance);
    lines
}
