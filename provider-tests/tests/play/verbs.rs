//! The commands, each in a folder of its own.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use ferroform_testing::case::Provider;
use ferroform_testing::embedded::Cancel;
use ferroform_testing::play::{Play, Screen};
use ferroform_testing::render::Colour;
use ferroform_testing::state::StateFile;
use libtest_mimic::Trial;
use serde_json::Value as Json;

use crate::play::named;
use crate::play::provider::{SOURCE, serve};

/// A folder, and what is typed and printed.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    pub(crate) play: Play,
    pub(crate) cancel: Cancel,
    answers: Vec<&'static str>,
}

/// What a command printed, and its code.
pub(crate) struct Printed {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

#[derive(Clone, Default)]
pub(crate) struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic before").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic before").clone()).expect("text")
    }
}

impl Desk {
    pub(crate) fn new(text: &str) -> Self {
        let cancel = Cancel::new();
        let ends = cancel.clone();
        let provider = Provider::in_process(SOURCE, move |(): &()| serve(Some(ends.clone())));
        let play = Play::new(provider).cancelled_by(&cancel);
        let desk = Self { folder: tempfile::tempdir().expect("a folder"), play, cancel, answers: Vec::new() };
        desk.write("main.tf", text);
        desk
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let source = "terraform {\n  required_providers {\n    shape = { source = \"example.com/ferroform/shape\" }\n  }\n}\n";
        let text = if name == "main.tf" { format!("{text}\n{source}") } else { text.to_owned() };
        fs::write(self.path().join(name), text).expect("written");
    }

    /// Runs a command; the folder is its last word.
    pub(crate) fn run(&self, command: &str) -> Printed {
        let mut arguments: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        arguments.push(self.path().display().to_string());
        self.types(&arguments)
    }

    /// Runs a command that is just that.
    pub(crate) fn types<A: AsRef<str>>(&self, arguments: &[A]) -> Printed {
        let (out, err) = (Paper::default(), Paper::default());
        let screen = Screen::new(out.clone(), err.clone(), Colour::None);
        let screen = if self.answers.is_empty() { screen } else { screen.typed(self.answers.clone()) };
        let code = self.play.run(arguments, &screen);
        Printed { code, out: out.text(), err: err.text() }
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub(crate) fn does(&self, command: &str) -> String {
        let printed = self.run(command);
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{command}: {}", printed.out);
        printed.out
    }

    /// Runs a command that must fail with that, and change nothing.
    #[track_caller]
    pub(crate) fn fails(&self, command: &str, summary: &str) {
        let before = self.state();
        let printed = self.run(command);
        assert_eq!(printed.code, 1, "{command}: {}", printed.out);
        assert!(printed.err.contains(&format!("Error: {summary}")), "{command}: {}", printed.err);
        assert_eq!(self.state(), before, "{command}");
    }

    pub(crate) fn state(&self) -> Option<Vec<u8>> {
        fs::read(self.path().join("terraform.tfstate")).ok()
    }
}

const TWO: &str = r#"
resource "shape_thing" "a" {
  name = "a"
  map  = { k = "v" }
}
resource "shape_thing" "b" {
  name   = "b"
  text   = shape_thing.a.id
  secret = "s3cret-canary"
}
output "id" { value = shape_thing.b.id }
output "secret" {
  value     = "s3cret-canary"
  sensitive = true
}
"#;

const ONE: &str = "resource \"shape_thing\" \"a\" {\n  name = \"a\"\n}\n";

pub(crate) fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        ("a_life", life),
        ("consent", consent),
        ("state_commands", state_commands),
        ("taint_and_replace", taint_and_replace),
        ("import_takes_over", import),
        ("console_evaluates", console),
        ("saved_plans", saved_plans),
        ("variables", variables),
        ("json", json),
        ("secrets_are_not_shown", secrets),
        ("bad_input", bad_input),
        ("commands_are_heard", provisioners),
        ("an_interruption_loses_nothing", interruption),
        ("a_failure_keeps_what_was_made", failure),
        ("a_plan_is_written_so", written),
    ];
    named("embedded", all)
}

fn life() {
    let desk = Desk::new(TWO);
    assert!(desk.does("validate").contains("Success!"));
    assert!(desk.does("plan").contains("Plan: 2 to add, 0 to change, 0 to destroy."));
    assert_eq!(desk.state(), None, "a plan makes no state");
    let made = desk.does("apply -auto-approve");
    assert!(made.contains("shape_thing.b: Creation complete after "), "{made}");
    assert!(made.contains("Apply complete! Resources: 2 added, 0 changed, 0 destroyed."), "{made}");
    assert!(made.contains("id = \"id-b\"\nsecret = <sensitive>\n"), "{made}");
    assert!(desk.does("plan").contains("\nNo changes."));
    assert_eq!(desk.run("plan -detailed-exitcode").code, 0);
    desk.write("main.tf", &TWO.replace("\"v\"", "\"w\""));
    assert_eq!(desk.run("plan -detailed-exitcode").code, 2);
    assert!(desk.does("plan -target=shape_thing.b -json").contains("Resource targeting is in effect"));
    assert!(desk.does("apply -auto-approve").contains("0 added, 1 changed, 0 destroyed"));
    assert!(desk.path().join("terraform.tfstate.backup").is_file());
    let other = desk.run("plan -target=shape_thing.x -detailed-exitcode");
    assert_eq!((other.code, other.out.contains("No changes.")), (0, true), "{}", other.out);
    desk.does("refresh");
    assert!(desk.does("plan -destroy").contains("2 to destroy"));
    assert!(desk.does("destroy -auto-approve").contains("Destroy complete! Resources: 2 destroyed."));
    assert!(desk.does("state list").is_empty());
    assert!(!desk.path().join(".terraform.tfstate.lock.info").exists());
}

fn consent() {
    let mut desk = Desk::new(ONE);
    desk.fails("apply", "Nothing was changed");
    desk.answers = vec!["y"];
    desk.fails("apply", "Nothing was changed");
    // The question has not ended its line.
    assert!(desk.run("apply").err.starts_with("\n╷\n"));
    desk.answers = vec!["yes"];
    desk.fails("apply -input=false", "Nothing was changed");
    assert!(desk.does("apply").contains("1 added"));
}

fn state_commands() {
    let desk = Desk::new(TWO);
    desk.does("apply -auto-approve");
    assert_eq!(desk.does("state list"), "shape_thing.a\nshape_thing.b\n");
    assert!(
        desk.does("state show shape_thing.a")
            .starts_with("# shape_thing.a:\nresource \"shape_thing\" \"a\" {\n")
    );
    let pulled: Json = serde_json::from_str(&desk.does("state pull")).expect("JSON");
    assert_eq!(pulled["version"], 4);
    assert!(desk.does("state pull").contains("\"dependencies\""));
    desk.does("state mv shape_thing.a shape_thing.c");
    assert!(!desk.does("state pull").contains("\"dependencies\""));
    desk.does("state mv shape_thing.c module.m.shape_thing.c[0]");
    desk.does("state mv module.m module.n -json");
    desk.fails("state list shape_thing.x", "No such resource instance");
    assert_eq!(desk.does("state list"), "shape_thing.b\nmodule.n.shape_thing.c[0]\n");
    desk.fails("state mv shape_thing.b module.n.shape_thing.c[0]", "Invalid target address");
    desk.fails("state rm shape_thing.x", "No such resource instance");
    assert_eq!(desk.does("state list module.n"), "module.n.shape_thing.c[0]\n");
    desk.does("state rm module.n resource.shape_thing.b");
    assert!(desk.does("state list").is_empty());
}

fn taint_and_replace() {
    let desk = Desk::new(ONE);
    desk.does("apply -auto-approve");
    desk.does("taint shape_thing.a");
    assert!(desk.does("plan").contains("# shape_thing.a is tainted, so must be replaced"));
    desk.does("untaint shape_thing.a");
    assert!(desk.does("plan").contains("\nNo changes."));
    assert!(
        desk.does("plan -replace shape_thing.a").contains("# shape_thing.a will be replaced, as requested")
    );
    desk.fails("taint shape_thing.x", "No such resource instance");
    desk.fails("taint data.shape_thing.a", "Invalid address");
    desk.fails("plan -replace data.shape_thing.a", "Invalid force-replace address");
}

fn import() {
    let desk = Desk::new(ONE);
    let expect = "shape_thing.a: Importing from ID \"id-a\"...\nshape_thing.a: Import complete\n";
    assert_eq!(desk.does("import shape_thing.a id-a"), expect);
    assert!(desk.does("plan").contains("\nNo changes."));
    desk.fails("import shape_thing.a id-a", "Resource already managed");
    desk.fails("import shape_thing.a[0] id-a", "Configuration for import target does not exist");
}

fn console() {
    let mut desk =
        Desk::new(&format!("{TWO}\nvariable \"v\" {{ default = 3 }}\nlocals {{ l = [var.v, \"x\"] }}"));
    desk.does("apply -auto-approve");
    desk.answers =
        vec!["local.l", "shape_thing.b.text", "shape_thing.b.secret", "{ a = tolist([1]) }", "exit"];
    let expect = "> [\n  3,\n  \"x\",\n]\n> \"id-a\"\n> (sensitive value)\n> {\n  \"a\" = tolist([\n    1,\n  ])\n}\n> ";
    assert_eq!(desk.does("console"), expect);
    desk.answers = vec!["1 +", "1 } output \"x\" {", "nothing.here", "1 + 1"];
    let printed = desk.run("console");
    assert_eq!((printed.code, printed.out.as_str()), (1, "> > > > 2\n> "), "{}", printed.err);
}

fn saved_plans() {
    let desk = Desk::new(ONE);
    let file = desk.path().join("plan.json");
    let file = file.display();
    desk.does(&format!("plan -out={file}"));
    assert!(desk.does(&format!("show {file}")).contains("Plan: 1 to add"));
    desk.write("main.tf", &ONE.replace("\"a\"\n}", "\"b\"\n}"));
    desk.fails(&format!("apply {file}"), "Saved plan is stale");
    desk.write("main.tf", ONE);
    assert!(desk.does(&format!("apply {file}")).contains("1 added"));
    desk.fails(&format!("apply {file}"), "Saved plan is stale");
    desk.write("other", "nothing");
    desk.fails(&format!("apply {}", desk.path().join("other").display()), "Failed to read plan");
}

fn variables() {
    let text = "variable \"n\" {\n  type = string\n  description = \"A name.\"\n}\nresource \"shape_thing\" \"a\" {\n  name = var.n\n}\n";
    let mut desk = Desk::new(text);
    desk.fails("plan", "No value for required variable");
    desk.answers = vec!["typed"];
    let asked = desk.does("plan");
    assert!(asked.starts_with("var.n\n  A name.\n\n  Enter a value: \n"), "{asked}");
    assert!(asked.contains("+ name   = \"typed\""), "{asked}");
    desk.answers.clear();
    desk.write("x.tfvars", "n = \"file\"\n");
    let file = desk.path().join("x.tfvars");
    assert!(desk.does(&format!("plan -var-file={}", file.display())).contains("+ name   = \"file\""));
    assert!(
        desk.does(&format!("plan -var-file {} --var n=last", file.display())).contains("+ name   = \"last\"")
    );
}

fn json() {
    let desk = Desk::new(TWO);
    let lines = |text: &str| -> Vec<Json> {
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    };
    let planned = lines(&desk.does("plan -json"));
    assert_eq!(planned.iter().filter(|it| it["type"] == "planned_change").count(), 2);
    assert!(planned.iter().any(|it| it["type"] == "change_summary" && it["changes"]["add"] == 2));
    let applied = desk.does("apply -json -auto-approve");
    assert!(!applied.contains("canary"), "{applied}");
    let applied = lines(&applied);
    assert_eq!(applied.iter().filter(|it| it["type"] == "apply_complete").count(), 2);
    assert!(applied.iter().all(|it| it["@message"].is_string() && it["@timestamp"].is_string()));
    assert_eq!((&applied[0]["type"], &applied[0]["terraform"]), (&"version".into(), &"1.15.5".into()));
    let refreshed = lines(&desk.does("plan -json"));
    let told = |kind: &str| refreshed.iter().find(|it| it["type"] == kind).cloned().unwrap_or_default();
    assert_eq!(told("refresh_complete")["hook"]["resource"]["resource_type"], "shape_thing");
    for command in [
        "import shape_thing.x x",
        "taint shape_thing.x",
        "state rm shape_thing.x",
        "state list shape_thing.x",
    ] {
        let told = lines(&desk.run(&format!("{command} -json")).out);
        assert!(told.iter().any(|it| it["diagnostic"]["severity"] == "error"), "{command}: {told:?}");
    }
    assert_eq!(lines(&desk.does("taint shape_thing.b -json"))[0]["type"], "log");
    assert_eq!(lines(&desk.does("untaint shape_thing.b -json"))[0]["@level"], "info");
    let listed = &lines(&desk.does("state list -json"))[0];
    assert_eq!(*listed, serde_json::json!(["shape_thing.a", "shape_thing.b"]));
    assert_eq!(lines(&desk.does("output -json"))[0]["id"]["value"], "id-b");
    assert_eq!(desk.does("output -raw id"), "id-b");
    desk.fails("output nothing", "Output \"nothing\" not found");
    desk.fails("output -raw", "Output name required");
    let shown = &lines(&desk.does("show -json"))[0];
    assert_eq!(shown["values"]["root_module"]["resources"][0]["address"], "shape_thing.a");
    desk.write("main.tf", "resource \"shape_thing\" \"a\" {}");
    let printed = desk.run("validate -json");
    let verdict = &lines(&printed.out)[0];
    assert_eq!((printed.code, &verdict["valid"]), (1, &Json::Bool(false)));
    assert_eq!(verdict["diagnostics"][0]["range"]["start"]["line"], 1);
}

fn secrets() {
    let desk = Desk::new(TWO);
    let mut all = desk.does("plan") + &desk.does("apply -auto-approve") + &desk.does("show");
    desk.write("main.tf", &TWO.replace("s3cret-canary", "s4cret-canary"));
    all += &(desk.does("plan") + &desk.does("plan -destroy") + &desk.does("state show shape_thing.b"));
    all += &desk.does("output");
    assert!(!all.contains("canary"), "{all}");
    // Who asks for it by name gets it.
    assert_eq!(desk.does("output -raw secret"), "s3cret-canary");
}

fn bad_input() {
    let desk = Desk::new(ONE);
    desk.does("apply -auto-approve");
    let whole = desk.state().expect("a state");
    for (command, summary) in [
        ("fly", "Invalid command line"),
        ("init", "Invalid command line"),
        ("state", "Invalid command line"),
        ("console -json", "Failed to parse command-line flags"),
        ("plan -fast", "Failed to parse command-line flags"),
        ("plan -parallelism=0", "Failed to parse command-line flags"),
        ("plan -target", "Invalid target"),
        ("plan -destroy -refresh-only", "Incompatible plan mode options"),
        ("taint", "Invalid command line"),
        ("plan -var-file=/does/not/exist", "Failed to read variables file"),
    ] {
        desk.fails(command, summary);
    }
    desk.write("main.tf", "resource \"shape_thing\" \"a\" {\n  name = \n}");
    desk.fails("plan", "");
    desk.write("main.tf", "resource \"shape_thing\" \"a\" {\n  nam = \"a\"\n}");
    let printed = desk.run("plan");
    assert!(printed.err.contains("main.tf line 2, column 3:\n│      2:   nam = \"a\"\n"), "{}", printed.err);
    desk.write("main.tf", ONE);
    let held = StateFile::open(desk.path().join("terraform.tfstate"), "test").expect("not locked");
    desk.fails("apply -auto-approve", "Failed to lock state");
    desk.fails("plan", "Failed to lock state");
    drop(held);
    for state in ["{", "{\"version\": 5}", "no state"] {
        fs::write(desk.path().join("terraform.tfstate"), state).expect("written");
        for command in [
            "plan",
            "apply -auto-approve",
            "show",
            "destroy -auto-approve",
            "state list",
            "taint shape_thing.a",
        ] {
            desk.fails(command, "Failed to read state");
        }
    }
    fs::write(desk.path().join("terraform.tfstate"), whole).expect("written");
    desk.write(".terraform.tfstate.journal", "no line\n");
    let printed = desk.run("plan");
    assert!(
        printed.err.contains("journal notes what was changed last, but its line 1 is damaged"),
        "{}",
        printed.err
    );
    fs::remove_file(desk.path().join(".terraform.tfstate.journal")).expect("there");
    // What is no text is refused, and no folder is a file.
    fs::write(desk.path().join("x.tf"), b"a = \"\xff\"").expect("written");
    desk.fails("plan", "Invalid character encoding");
    fs::remove_file(desk.path().join("x.tf")).expect("there");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", desk.path().join("x.tf")).expect("made");
        desk.fails("plan", "Failed to read file");
        fs::remove_file(desk.path().join("x.tf")).expect("there");
    }
    fs::create_dir(desk.path().join("x.tf")).expect("made");
    assert!(desk.does("plan").contains("\nNo changes."));
    fs::remove_file(desk.path().join("main.tf")).expect("there");
    desk.fails("plan", "No configuration files");
    fs::create_dir(desk.path().join("main.tf")).expect("made");
    desk.fails("plan", "No configuration files");
    let screen = Screen::new(Paper::default(), Paper::default(), Colour::None);
    assert_eq!(desk.play.run(&["plan", "/does/not/exist"], &screen), 1);
}

/// What commands write is seen while they run, but for those with secrets.
fn provisioners() {
    let streamed = r#"
variable "v" {
  default   = "s3cret-canary"
  sensitive = true
}
resource "terraform_data" "a" {
  provisioner "local-exec" { command = "echo one; echo two >&2" }
  provisioner "local-exec" { command = "echo ${var.v}" }
}
"#;
    let desk = Desk::new(streamed);
    let told = desk.does("apply -auto-approve");
    for line in ["one", "two"] {
        assert!(told.contains(&format!("terraform_data.a (local-exec): {line}\n")), "{told}");
    }
    assert!(told.contains("(local-exec): (what the command writes is not shown"), "{told}");
    assert!(!told.contains("canary"), "{told}");
}

fn interruption() {
    let text = r#"
resource "shape_thing" "first" { name = "first" }
resource "shape_thing" "last" {
  name = "last"
  text = shape_thing.first.id
}
resource "shape_thing" "never" {
  name = "never"
  text = shape_thing.last.id
}
"#;
    let desk = Desk::new(text);
    let printed = desk.run("apply -auto-approve");
    assert_eq!(printed.code, 1, "{}", printed.out);
    assert_eq!(desk.does("state list"), "shape_thing.first\nshape_thing.last\n");
}

fn failure() {
    let desk = Desk::new(&format!(
        "{ONE}\nresource \"shape_thing\" \"f\" {{\n  name = \"fail\"\n  text = shape_thing.a.id\n}}\n"
    ));
    let printed = desk.run("apply -auto-approve");
    assert_eq!(printed.code, 1, "{}", printed.out);
    assert!(printed.err.contains("│ Error: Creation Refused\n"), "{}", printed.err);
    assert!(printed.err.contains("shape_thing.f"), "{}", printed.err);
    assert!(printed.out.contains("shape_thing.f: Failed after "), "{}", printed.out);
    assert_eq!(desk.does("state list"), "shape_thing.a\n");
}

/// The whole text of a plan, as people see it.
fn written() {
    let desk = Desk::new(TWO);
    insta::assert_snapshot!("plan_create", desk.does("plan"));
    desk.does("apply -auto-approve");
    insta::assert_snapshot!("show", desk.does("show"));
    desk.write(
        "main.tf",
        &TWO.replace("name = \"a\"", "name = \"c\"")
            .replace("text   = shape_thing.a.id", "")
            .replace("s3cret", "s4cret"),
    );
    insta::assert_snapshot!("plan_replace", desk.does("plan -parallelism=1"));
    insta::assert_snapshot!("plan_destroy", desk.does("plan -destroy -parallelism=1"));
}
