//! The options that people who know core type.

use std::fs;
use std::thread;
use std::time::Duration;

use ferroform_testing::play::{Play, Screen};
use ferroform_testing::render::Colour;
use ferroform_testing::state::StateFile;
use libtest_mimic::Trial;
use serde_json::Value as Json;

use crate::play::named;
use crate::play::verbs::{Desk, Paper};

const ONE: &str =
    "variable \"v\" {\n  default = \"v\"\n}\nresource \"shape_thing\" \"a\" {\n  name = var.v\n}\n";

pub(crate) fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        ("a_folder_before_the_command", chdir),
        ("help_of_each_command_has_its_options", help),
        ("shells_complete_commands_and_options", completion),
        ("unknown_ones_are_refused", unknown),
        ("a_lock_is_waited_for", waiting),
        ("a_lock_can_be_left_out", without_lock),
        ("warnings_are_compact", compact),
        ("a_dry_run_changes_nothing", dry_run),
        ("values_are_checked", values),
        ("validate_needs_no_values", validate_without_values),
        ("paths_begin_in_the_folder", paths),
        ("configuration_of_imports_is_generated", generated),
    ];
    named("options", all)
}

/// Files beside the command are in the folder, too.
fn chdir() {
    let desk = Desk::new(ONE);
    desk.write("x.tfvars", "v = \"x\"\n");
    let types = |command: &str| {
        let folder = desk.path().display();
        desk.types(&format!("-chdir={folder} {command}").split(' ').collect::<Vec<_>>())
    };
    assert_eq!(types("plan -var-file=x.tfvars -out p -detailed-exitcode").code, 2);
    assert!(types("show p").out.contains("+ name   = \"x\""));
    assert!(types("apply p").out.contains("1 added"));
    assert_eq!(types("state list").out, "shape_thing.a\n");
    for (command, says) in [
        ("plan other", "-chdir=DIR plan [OPTIONS]"),
        ("state show", "-chdir=DIR state show [OPTIONS] ADDRESS"),
        ("plan -chdir=x", "it goes before the command"),
    ] {
        let printed = types(command);
        assert!(printed.code == 1 && printed.err.contains(says), "{command}: {}", printed.err);
    }
    assert!(types("help").out.starts_with("Usage: "));
    // Names of files begin in the folder, as a folder behind the command begins them.
    desk.write("main.tf", "resource \"shape_thing\" \"a\" {\n  name = local.none\n}\n");
    let whole = desk.path().join("main.tf").display().to_string();
    assert!(types("plan").err.contains("on main.tf line 2"), "{}", types("plan").err);
    assert!(desk.run("plan").err.contains(&format!("on {whole} line 2")));
    let verdict: Json = serde_json::from_str(&types("validate -json").out).expect("JSON");
    assert_eq!(verdict["diagnostics"][0]["range"]["filename"], "main.tf");
    fs::create_dir(desk.path().join("root")).expect("made");
    desk.write("root/main.tf", "module \"m\" {\n  source = \"../\"\n}\n");
    let root = format!("-chdir={}/./root", desk.path().display());
    let printed = desk.types(&[root.as_str(), "plan"]);
    assert!(printed.err.contains("on ../main.tf line 2"), "{}", printed.err);
    assert!(Play::knows("-chdir=x") && Play::knows("state") && !Play::knows("-x"));
}

/// Each command has a help of its own, with what it does and all that may stand behind it.
fn help() {
    let desk = Desk::new(ONE);
    let all = desk.types(&["help"]).out;
    let commands = all.lines().filter_map(|line| line.strip_prefix("  ")).map(|line| line.split("  ").next());
    let commands: Vec<&str> = commands.flatten().filter(|it| !it.starts_with("completion")).collect();
    assert!(commands.len() > 15, "{all}");
    for command in commands {
        let words = command.split(' ').take_while(|word| word.chars().all(char::is_lowercase));
        let words: Vec<&str> = words.collect();
        let command = words.join(" ");
        for asks in ["-help", "--help", "-h"] {
            let printed = desk.types(&[words.as_slice(), &[asks]].concat());
            assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{command}");
            assert!(printed.out.contains(&format!("[-chdir=DIR] {command} [OPTIONS]")), "{}", printed.out);
        }
        // What the help lists is what the command accepts.
        let printed = desk.types(&[words.as_slice(), &["-fast"]].concat()).err.replace("\n│ ", " ");
        let (_, accepted) = printed.split_once("Its options are: ").expect("a list");
        let mut accepted: Vec<String> =
            accepted.split('.').next().expect("a text").split(", ").map(str::to_owned).collect();
        accepted.sort();
        let printed = desk.types(&[words.as_slice(), &["-help"]].concat()).out;
        let listed = printed.lines().filter_map(|line| line.strip_prefix("  -"));
        let mut listed: Vec<String> =
            listed.map(|line| format!("-{}", line.split([' ', '=']).next().expect("a name"))).collect();
        listed.sort();
        assert_eq!(listed, accepted, "{command}");
    }
    let plan = desk.types(&["-chdir=x", "plan", "-help"]).out;
    assert!(plan.contains("Show what would change.") && plan.contains("  -out FILE "), "{plan}");
    assert!(!plan.contains("-auto-approve"), "{plan}");
}

fn completion() {
    let desk = Desk::new(ONE);
    let next = |typed: &str| {
        let words: Vec<&str> = ["completion", "words"].into_iter().chain(typed.split(' ')).collect();
        desk.types(&words).out.lines().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(next("pl"), "plan");
    assert_eq!(next("sta"), "state");
    assert_eq!(next("state "), "list mv pull rm show");
    assert_eq!(next("-chdir=x state m"), "mv");
    assert_eq!(next("plan -refresh"), "-refresh-only -refresh=false");
    assert_eq!(next("validate -h"), "-help");
    assert_eq!(next("validate -help"), "-help");
    assert_eq!(next("completion "), "bash fish zsh");
    // Files and values are up to the shell.
    assert_eq!(next("plan "), "");
    assert_eq!(next("fast "), "");
    assert!(next("").contains("apply completion console destroy") && next("").contains("-chdir="));
    for shell in ["bash", "zsh", "fish"] {
        let printed = desk.types(&["completion", shell]);
        assert_eq!(printed.code, 0, "{}", printed.err);
        assert!(printed.out.contains(" completion words "), "{}", printed.out);
        assert!(!printed.out.contains("PROGRAM") && !printed.out.contains("FUNCTION"), "{}", printed.out);
    }
    assert!(desk.types(&["completion", "tcsh"]).err.contains("Name one of these shells: bash, zsh, fish."));
    assert!(desk.types(&["completion", "-help"]).out.starts_with("Usage: "));
    assert!(Play::knows("completion"));
    in_bash(&desk.types(&["completion", "bash"]).out);
}

/// The script, read by the shell that it is for.
fn in_bash(script: &str) {
    let program = std::env::current_exe().expect("this program");
    let folder = program.parent().expect("a folder").display().to_string();
    let name = program.file_name().expect("a name").to_string_lossy().into_owned();
    let function = script.lines().find_map(|line| line.strip_suffix("() {")).expect("a function");
    let test = format!(
        "{script}\nCOMP_LINE='{name} -chdir=x:y plan -det'\nCOMP_POINT=${{#COMP_LINE}}\n{function}\n\
         echo \"${{COMPREPLY[@]}}\"\n"
    );
    let mut bash = std::process::Command::new("bash");
    bash.args(["--norc", "-c", &test]).env("PATH", format!("{folder}:/usr/bin:/bin"));
    let output = match bash.env(crate::PROGRAM_OF, "play").output() {
        Ok(output) => output,
        // There is no bash, as on Windows, and then nobody uses the script.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => panic!("bash: {error}"),
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "-detailed-exitcode\n", "{output:?}");
}

/// Whoever mistypes one is told which there are, and whoever wants one of core why it is not there.
fn unknown() {
    let desk = Desk::new(ONE);
    for (command, says) in [
        (
            "plan -fast",
            "no option -fast. Its options are: -compact-warnings, -destroy, -detailed-exitcode, -generate-config-out, -input,",
        ),
        ("plan -auto-approve", "no option -auto-approve. Its options are: "),
        ("apply -detailed-exitcode", "no option -detailed-exitcode. "),
        ("destroy -refresh-only", "no option -refresh-only. "),
        ("validate -lock=false", "no option -lock. "),
        ("state list -dry-run", "no option -dry-run. "),
        ("plan -state=x", "no option -state: the state is terraform.tfstate in the folder. "),
        ("apply -backup=x", "no option -backup: what the state was before"),
        ("apply -generate-config-out=x", "no option -generate-config-out. "),
        ("import -config=x a b", "no option -config: "),
    ] {
        desk.fails(command, "Failed to parse command-line flags");
        let told = desk.run(command).err.replace("\n│ ", " ");
        assert!(told.contains(says), "{command}: {told}");
    }
}

fn waiting() {
    let desk = &Desk::new(ONE);
    let hold = || StateFile::open(desk.path().join("terraform.tfstate"), "test").expect("not locked");
    let folder = desk.path().display().to_string();
    let apply = ["apply", "-auto-approve", "-lock-timeout=1h", folder.as_str()];
    // The command that has the lock ends, or the one that waits is interrupted.
    for ends in [true, false] {
        let (held, paper, complaints) = (hold(), Paper::default(), Paper::default());
        let screen = Screen::new(paper.clone(), complaints.clone(), Colour::None);
        let code = thread::scope(|scope| {
            let waits = scope.spawn(|| desk.play.run(&apply, &screen));
            while !paper.text().contains("Waiting for the lock") && !waits.is_finished() {
                thread::sleep(Duration::from_millis(1));
            }
            match ends {
                true => drop(held),
                false => desk.cancel.cancel(),
            }
            waits.join().expect("no panic")
        });
        assert_eq!(code, u8::from(!ends), "{}{}", paper.text(), complaints.text());
        assert_eq!(paper.text().contains("1 added"), ends);
        assert_eq!(complaints.text().contains("Failed to lock state"), !ends);
    }
}

fn without_lock() {
    let desk = Desk::new(ONE);
    let held = StateFile::open(desk.path().join("terraform.tfstate"), "test").expect("not locked");
    desk.fails("plan -lock-timeout=0s", "Failed to lock state");
    desk.fails("taint shape_thing.a -lock-timeout=1ms", "Failed to lock state");
    assert!(desk.does("plan -lock=false").contains("1 to add"));
    desk.fails("plan -lock=false -lock=true", "Failed to lock state");
    assert!(desk.does("apply -auto-approve -lock=false").contains("1 added"));
    // Whoever had the lock of the empty file takes nothing away with it.
    drop(held);
    assert_eq!(desk.does("state list"), "shape_thing.a\n");
    assert!(!desk.path().join(".terraform.tfstate.lock.info").exists());
    desk.does("state mv -lock=false shape_thing.a shape_thing.b");
    assert_eq!(desk.does("state list"), "shape_thing.b\n");
}

fn compact() {
    let check = |name: &str| {
        format!(
            "check \"{name}\" {{\n  assert {{\n    condition     = var.v == \"\"\n    error_message = \"It is {name}.\"\n  }}\n}}\n"
        )
    };
    let desk = Desk::new(&(check("one") + &check("two") + ONE));
    desk.write("terraform.tfvars", "a = 1\nb = 2\nc = 3\n");
    let full = desk.run("plan");
    assert_eq!(full.code, 0, "{}", full.err);
    // Warnings that are alike are told once, but for those of checks. From the third value on there is one for all.
    assert_eq!(full.err.matches("Warning: Value for undeclared variable").count(), 1, "{}", full.err);
    assert!(full.err.contains("(and 1 more like this elsewhere)"), "{}", full.err);
    assert!(full.err.contains("Warning: Values for undeclared variables"), "{}", full.err);
    assert_eq!(full.err.matches("Warning: Check block assertion failed").count(), 2, "{}", full.err);
    let file = desk.path().join("main.tf").display().to_string();
    let compact = desk.run("plan -compact-warnings");
    let expect = format!(
        "Warnings:\n\n- Check block assertion failed\n  on {file} line 3\n- Check block assertion failed\n  on {file} \
         line 9\n\nWithout -compact-warnings they are told in full.\n"
    );
    assert!(compact.err.contains("- Value for undeclared variable (and 1 more)\n"), "{}", compact.err);
    fs::remove_file(desk.path().join("terraform.tfvars")).expect("it was there");
    let compact = desk.run("plan -compact-warnings");
    assert_eq!((compact.code, compact.err), (0, expect));
    let json = desk.does("plan -compact-warnings -json");
    let is_warning = |line: &str| {
        let line: Json = serde_json::from_str(line).expect("a line of JSON");
        line["diagnostic"]["severity"] == "warning"
    };
    assert_eq!(json.lines().filter(|line| is_warning(line)).count(), 2);
}

fn dry_run() {
    let desk = Desk::new(ONE);
    desk.does("apply -auto-approve");
    let before = desk.state();
    assert_eq!(
        desk.does("state mv -dry-run shape_thing.a shape_thing.b"),
        "Would move shape_thing.a to shape_thing.b\n"
    );
    assert_eq!(desk.does("state rm -dry-run shape_thing.a"), "Would remove shape_thing.a\n");
    desk.fails("state rm -dry-run shape_thing.x", "No such resource instance");
    assert_eq!(desk.does("taint -allow-missing shape_thing.x"), "shape_thing.x is not there.\n");
    assert_eq!(desk.state(), before);
}

fn values() {
    let desk = Desk::new(ONE);
    for wrong in ["", "10", "s", "1d", "-1s", "1s2", "1..5s", "1e9h"] {
        desk.fails(&format!("plan -lock-timeout={wrong}"), "Failed to parse command-line flags");
    }
    for right in ["0", "0s", "10s", "1m30s", "1.5h", "300ms", "5us", "7ns"] {
        desk.does(&format!("plan -lock-timeout={right}"));
    }
    desk.fails("plan -lock=maybe", "Failed to parse command-line flags");
    desk.fails("plan -compact-warnings=maybe", "Failed to parse command-line flags");
}

fn validate_without_values() {
    let desk = Desk::new("variable \"v\" {\n  type = string\n}\noutput \"o\" {\n  value = var.v\n}\n");
    assert!(desk.does("validate").contains("Success!"));
    desk.write("terraform.tfvars", "v = upper(\"x\")\n");
    desk.fails("validate", "Function calls not allowed");
}

/// However the folder is named, paths are the same.
fn paths() {
    let desk = Desk::new(
        "output \"o\" {\n  value = [path.root, path.module, file(\"x.txt\"), abspath(\"x.txt\")]\n}\n",
    );
    desk.write("x.txt", "here");
    let folder = desk.path().display().to_string();
    let absolute = std::path::absolute(desk.path().join("x.txt")).expect("a path").display().to_string();
    let expect = serde_json::json!([".", ".", "here", absolute]);
    for words in
        [vec!["apply", "-auto-approve", &folder], vec![&format!("-chdir={folder}"), "apply", "-auto-approve"]]
    {
        assert_eq!(desk.types(&words).code, 0);
        let printed = desk.does("output -json o");
        assert_eq!(serde_json::from_str::<Json>(&printed).expect("JSON"), expect);
    }
}

/// What is imported without a resource block gets one, in a new file, and then nothing is to change.
fn generated() {
    const IMPORT: &str = "locals {\n  id = \"id-a\"\n}\nimport {\n  to = shape_thing.a\n  id = local.id\n}\n";
    const MISSING: &str = "Configuration for import target does not exist";
    let desk = Desk::new(IMPORT);
    let types = |command: &str| {
        let folder = format!("-chdir={}", desk.path().display());
        desk.types(&[&[folder.as_str()], command.split(' ').collect::<Vec<_>>().as_slice()].concat())
    };
    let does = |command: &str| {
        let printed = types(command);
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{command}: {}", printed.out);
        printed.out
    };
    let fails = |command: &str, parts: &[&str]| {
        let printed = types(command);
        assert_eq!(printed.code, 1, "{command}: {}", printed.out);
        parts.iter().for_each(|part| assert!(printed.err.contains(part), "{part}: {}", printed.err));
        assert!(!desk.path().join("h.tf").exists(), "{command}");
    };
    fails("plan", &[MISSING, "plan -generate-config-out=generated.tf"]);
    for other in ["-destroy", "-refresh-only"] {
        let wrong = "Invalid generate-config-out flag";
        fails(&format!("plan -generate-config-out=h.tf {other}"), &[wrong]);
    }
    let shown = does("plan -generate-config-out=g.tf -out=p");
    for part in [
        "# shape_thing.a will be imported",
        "# (config will be generated)",
        "The generated configuration is in ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let text = fs::read_to_string(desk.path().join("g.tf")).expect("a file");
    assert!(text.contains("# Imported from \"id-a\"\nresource \"shape_thing\" \"a\" {\n"), "{text}");
    assert!(text.contains(" = null # sensitive") && !text.contains("  id "), "{text}");
    let json: Json = serde_json::from_str(&does("show -json p")).expect("JSON");
    let generated = json["resource_changes"][0]["change"]["generated_config"].as_str().expect("a text");
    assert!(text.ends_with(&format!("{generated}\n")), "{text}");
    fails("plan -generate-config-out=g.tf", &["Target generated file already exists"]);
    // The saved plan is of what is in the files by now.
    assert!(does("apply p").contains("1 imported, 0 added, 0 changed"));
    assert!(does("plan").contains("No changes"));
    // What is in the state is not imported again: without its block it goes.
    fs::remove_file(desk.path().join("g.tf")).expect("removed");
    assert!(does("plan -generate-config-out=h.tf").contains("# shape_thing.a will be destroyed"));
    // What was generated is there to be corrected, also where it is not accepted.
    desk.write("main.tf", &IMPORT.replace("id-a", "id-refused").replace("thing.a", "thing.r"));
    fs::remove_file(desk.path().join("terraform.tfstate")).expect("removed");
    let printed = types("plan -generate-config-out=r.tf");
    assert!(printed.code == 1 && printed.err.contains("Name Refused"), "{}", printed.err);
    let text = fs::read_to_string(desk.path().join("r.tf")).expect("a file");
    assert!(text.contains(" = \"refused\""), "{text}");
    fs::remove_file(desk.path().join("r.tf")).expect("removed");
    let keyed = "import {\n  to = shape_thing.b[0]\n  id = \"id-b\"\n}\n";
    let each =
        "import {\n  for_each = toset([\"c\"])\n  to       = shape_thing.c\n  id       = each.value\n}\n";
    for text in [keyed, each] {
        desk.write("main.tf", text);
        fails("plan -generate-config-out=h.tf", &[MISSING, "with a key, nor"]);
    }
}
