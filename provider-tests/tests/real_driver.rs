//! The driver, shown with shell scripts in place of a core.
#![cfg(unix)]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::fake_program::Fake;
use ferroform_testing::real::{Error, Outcome, Protocol, Provider, ReattachAddress, Severity, Workspace};
use serde_json::json;

fn workspace(fake: &Fake) -> Workspace {
    Workspace::new(&fake.core(), &[]).expect("a workspace")
}

/// Runs `command args` with a core that behaves like this.
fn run(behaviour: &str) -> Result<Outcome, Error> {
    workspace(&Fake::new("terraform", behaviour)).run(&["command", "args"])
}

/// A named pipe that the processes of a command hold open for writing. Its end is the end of all of them.
struct Pulse(JoinHandle<()>);

impl Pulse {
    /// Behaviour that opens the pipe must begin with `exec 9> "$here/pulse"`.
    fn of(fake: &Fake) -> Self {
        let path = fake.dir().join("pulse");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
        Self(thread::spawn(move || {
            let mut pipe = File::open(path).expect("opened");
            pipe.read_to_end(&mut Vec::new()).expect("read to its end");
        }))
    }

    fn ends(self) {
        self.0.join().expect("no panic");
    }
}

const START: &str = r#"{"@level":"info","@message":"started","type":"apply_start"}"#;

/// Starts a process in the background, says so, and waits for ever.
fn hanging() -> Fake {
    Fake::new(
        "terraform",
        &format!("exec 9> \"$here/pulse\"\nsleep 1000 &\necho '{START}'\necho why >&2\nwait\n"),
    )
}

#[test]
fn a_plan_is_made_saved_and_read() {
    let fake = Fake::new(
        "terraform",
        r#"
case "$1" in
  plan)
    echo "$*" > "$here/plan-args"
    for word; do case "$word" in -out=*) echo '{"resource_changes":[]}' > "${word#-out=}" ;; esac; done
    echo '{"@level":"info","@message":"Terraform 1.11.4","type":"version"}'
    echo '{"@level":"warn","@message":"Warning: Old","type":"diagnostic","diagnostic":{"severity":"warning","summary":"Old","detail":"Use the new one.","address":"acme_thing.this"}}'
    exit 2 ;;
  show) cat "$3" ;;
  apply) cat "$4" > terraform.tfstate ;;
esac
"#,
    );
    let workspace = workspace(&fake);
    assert_eq!(workspace.state().expect("readable"), None);
    // A core that was killed has left a file that it had locked.
    workspace.set_state_bytes(Some(b"")).expect("written");
    assert_eq!(workspace.state().expect("readable"), None);
    let plan = workspace.plan(&["-destroy"]).expect("it runs");
    assert!(plan.succeeded() && plan.has_changes());
    assert_eq!(plan.json, Some(json!({"resource_changes": []})));
    assert_eq!(plan.outcome.messages.len(), 2);
    let diagnostic = plan.outcome.diagnostics.first().expect("one diagnostic");
    assert_eq!((diagnostic.severity, diagnostic.summary.as_str()), (Severity::Warning, "Old"));
    assert_eq!(diagnostic.address.as_deref(), Some("acme_thing.this"));
    let args = std::fs::read_to_string(fake.dir().join("plan-args")).expect("written");
    let expect =
        format!("plan -json -input=false -detailed-exitcode -destroy -out={}\n", plan.file.display());
    assert_eq!(args, expect);

    // The fake core applies by copying the saved plan, which shows that it got the right file.
    assert!(workspace.apply(&plan).expect("it runs").succeeded());
    assert_eq!(workspace.state().expect("readable"), Some(json!({"resource_changes": []})));
    assert_eq!(workspace.starts(), 3);
}

#[test]
fn a_failed_plan_is_not_read() {
    let fake = Fake::new("terraform", "exit 1");
    let workspace = workspace(&fake);
    let plan = workspace.plan(&[]).expect("it runs");
    assert!(!plan.succeeded() && !plan.has_changes());
    assert_eq!((plan.outcome.exit_code, plan.json, workspace.starts()), (Some(1), None, 1));
}

#[test]
fn texts_and_exit_codes_are_kept() {
    let outcome = run("echo out; echo err >&2; exit 3").expect("it runs");
    assert_eq!(
        (outcome.stdout.as_str(), outcome.stderr.as_str(), outcome.exit_code),
        ("out\n", "err\n", Some(3))
    );
    assert_eq!(outcome.command, "terraform command args");
    assert_eq!(run("kill -TERM $$").expect("it runs").exit_code, None);
    // More than a pipe holds.
    let long = run("dd if=/dev/zero bs=100000 count=10 2> /dev/null").expect("it runs");
    assert_eq!(long.stdout.len(), 1_000_000);
}

#[test]
fn documents_come_from_commands_that_succeed() {
    let schema = |behaviour: &str| workspace(&Fake::new("terraform", behaviour)).providers_schema();
    assert_eq!(
        schema("echo '{\"format_version\":\"1.0\"}'").expect("JSON"),
        json!({"format_version": "1.0"})
    );
    let failed = schema("echo broken >&2; exit 1").expect_err("it failed").to_string();
    assert_eq!(failed, "`terraform providers schema -json` failed with exit code 1; it said: broken");
    let text = schema("echo 's3cret'").expect_err("it is no JSON").to_string();
    assert!(text.contains("is malformed") && !text.contains("s3cret"), "{text}");
}

#[test]
fn a_command_that_takes_too_long_is_killed_with_all_it_started() {
    let fake = hanging();
    let pulse = Pulse::of(&fake);
    let workspace = workspace(&fake);
    let mut running = workspace.start(&["apply"]).expect("it starts");
    running.wait_for(|message| message.kind == "apply_start").expect("it says so");
    match running.wait_at_most(Duration::from_millis(1)) {
        Err(error @ Error::TimedOut { .. }) => {
            assert!(error.to_string().starts_with("`terraform apply` was killed after 1ms"), "{error}");
        }
        other => panic!("it gave {other:?}"),
    }
    pulse.ends();
}

#[test]
fn dropping_a_running_command_kills_all_it_started() {
    let fake = hanging();
    let pulse = Pulse::of(&fake);
    let workspace = workspace(&fake);
    let mut running = workspace.start(&["apply"]).expect("it starts");
    running.wait_for(|message| message.kind == "apply_start").expect("it says so");
    drop(running);
    pulse.ends();
}

#[test]
fn an_awaited_message_has_the_time_limit_too() {
    let fake = hanging();
    let pulse = Pulse::of(&fake);
    let workspace = workspace(&fake).with_time_limit(Duration::from_millis(300));
    let mut running = workspace.start(&["apply"]).expect("it starts");
    let error = running.wait_for(|message| message.kind == "never").expect_err("it does not come");
    assert!(matches!(&error, Error::TimedOut { stderr, .. } if stderr == "why\n"), "{error:?}");
    pulse.ends();
}

#[test]
fn output_that_ends_without_the_awaited_message_is_an_error() {
    let fake = Fake::new("terraform", &format!("echo '{START}'"));
    let workspace = workspace(&fake);
    let mut running = workspace.start(&["apply"]).expect("it starts");
    let error =
        running.wait_for(|message| message.kind == "never").expect_err("it does not come").to_string();
    assert_eq!(error, "the output of `terraform apply` is malformed: it ended before the awaited line");
}

#[cfg(target_os = "linux")]
#[test]
fn processes_left_behind_are_killed_and_named() {
    let script = "exec 9> \"$here/pulse\"\nsleep 1000 > /dev/null 2>&1 &\necho why >&2\nexit 3\n";
    let fake = Fake::new("terraform", script);
    let pulse = Pulse::of(&fake);
    match workspace(&fake).run(&["apply"]) {
        Err(Error::LeftBehind { command, status, processes, stderr }) => {
            assert_eq!((command.as_str(), processes.len()), ("terraform apply", 1));
            assert_eq!((status.as_str(), stderr.as_str()), ("exit status: 3", "why\n"));
        }
        other => panic!("it gave {other:?}"),
    }
    pulse.ends();
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_end_soon_after_a_command_are_not_left_behind() {
    let fake = Fake::new("terraform", "sleep 0.2 > /dev/null 2>&1 &\nexit 0\n");
    let outcome = workspace(&fake).run(&["apply"]).expect("it ends");
    assert_eq!(outcome.exit_code, Some(0));
}

#[test]
fn an_interrupt_reaches_the_core() {
    // A shell cannot trap a signal that was ignored when it started, as under `nohup` or in the background of a script.
    let fake = Fake::new(
        "terraform",
        &format!(
            r#"exec perl -e '$| = 1; $SIG{{INT}} = sub {{ print "interrupted\n"; exit 1 }}; print shift, "\n"; sleep 1 while 1' '{START}'
"#
        ),
    );
    let workspace = workspace(&fake);
    let mut running = workspace.start(&["apply"]).expect("it starts");
    running.wait_for(|message| message.text == "started").expect("it says so");
    running.interrupt().expect("sent");
    let outcome = running.wait().expect("it ends");
    assert_eq!((outcome.exit_code, outcome.stdout.ends_with("interrupted\n")), (Some(1), true));
}

/// The environment can only be set for a child, so this test runs itself once more.
#[test]
fn the_environment_is_scrubbed() {
    const INNER: &str = "FERROFORM_TEST_INNER";
    if std::env::var_os(INNER).is_none() {
        let status = Command::new(std::env::current_exe().expect("known"))
            .args(["--exact", "real_driver::the_environment_is_scrubbed"])
            .envs([(INNER, "1"), ("TF_LOG", "TRACE"), ("TF_CLI_CONFIG_FILE", "/x"), ("PLUGIN_MIN_PORT", "1")])
            .envs([("XDG_DATA_HOME", "/x"), ("TF_VAR_size", "1"), ("KEPT", "yes")])
            .output()
            .expect("it runs");
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
        return;
    }
    let fake = Fake::new("terraform", "env; echo \"pwd=$(pwd)\"; readlink /proc/self/fd/0");
    let address = ReattachAddress::Tcp("127.0.0.1:1234".parse().expect("an address"));
    let provider = Provider::reattach("acme/thing", Protocol::V5, 7, address).expect("good");
    let workspace = Workspace::new(&fake.core(), &[provider])
        .expect("a workspace")
        .with_env("TF_VAR_name", "extra")
        .with_env("TF_IN_AUTOMATION", "0");
    let outcome = workspace.run(&["env"]).expect("it runs");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let root = workspace.dir().parent().map(Path::to_path_buf).expect("it has one");
    for expect in [
        "KEPT=yes",
        "CHECKPOINT_DISABLE=1",
        "TF_VAR_name=extra",
        "TF_IN_AUTOMATION=0",
        &format!("HOME={}", root.join("home").display()),
        &format!("TF_CLI_CONFIG_FILE={}", root.join("cli.tfrc").display()),
        &format!("pwd={}", workspace.dir().display()),
        "/dev/null",
    ] {
        assert!(lines.contains(&expect), "{expect} is not in {}", outcome.stdout);
    }
    assert!(outcome.stdout.contains("TF_REATTACH_PROVIDERS={\"registry.terraform.io/acme/thing\":{"));
    for unwanted in ["TF_LOG=", "PLUGIN_MIN_PORT=", "XDG_DATA_HOME=", "TF_VAR_size="] {
        assert!(!lines.iter().any(|line| line.starts_with(unwanted)), "{unwanted} is in {}", outcome.stdout);
    }
}

#[test]
fn files_stay_in_the_workspace() {
    let fake = Fake::new("terraform", "cat modules/a/main.tf");
    let workspace = workspace(&fake);
    workspace.write("modules/a/main.tf", "text").expect("written");
    assert_eq!(workspace.run(&["cat"]).expect("it runs").stdout, "text");
    for file in ["../main.tf", "/tmp/main.tf", "a/../../main.tf"] {
        let error = workspace.write(file, "text").expect_err("refused").to_string();
        assert!(error.contains("leads out of the configuration directory"), "{error}");
    }
    let root = workspace.dir();
    drop(workspace);
    assert!(!root.exists());
}

#[test]
fn workspaces_do_not_disturb_each_other() {
    let fake = Fake::new("terraform", "cat name");
    let fake = &fake;
    let found: Vec<String> = thread::scope(|scope| {
        let run = |index: usize| {
            let workspace = workspace(fake);
            workspace.write("name", &index.to_string()).expect("written");
            workspace.run(&["cat"]).expect("it runs").stdout
        };
        let runs: Vec<_> = (0..8).map(|index| scope.spawn(move || run(index))).collect();
        runs.into_iter().map(|run| run.join().expect("no panic")).collect()
    });
    assert_eq!(found, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn values_do_not_show_in_debug_texts() {
    let outcome = run(r#"echo '{"@level":"info","@message":"ok","value":"s3cret"}'; echo s3cret >&2"#)
        .expect("it runs");
    assert_eq!(outcome.messages.len(), 1);
    assert!(!format!("{outcome:?}").contains("s3cret"));
}

#[test]
fn a_missing_core_is_an_error() {
    let mut core = Fake::new("terraform", "exit 0").core();
    core.path = "/nonexistent/terraform".into();
    let error =
        Workspace::new(&core, &[]).expect("a workspace").run(&["version"]).expect_err("it is missing");
    assert_eq!(error.to_string(), "could not start /nonexistent/terraform");
}
