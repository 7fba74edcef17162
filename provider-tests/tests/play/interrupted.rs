//! Commands as processes of their own that are interrupted or killed while an object is made.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;

use crate::PROGRAM_OF;
use crate::play::named;
use crate::play::provider::{GATE, SPAWNED};
use crate::play::verbs::Desk;

pub(crate) fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        #[cfg(target_os = "linux")]
        ("a_provider_ends_with_a_killed_apply", orphaned),
        ("a_killed_apply_loses_nothing", || killed("a", 1)),
        ("nor_does_one_with_a_large_state", || killed(&"long ".repeat(1000), 60)),
        ("ctrl_c_lets_what_is_under_way_end", interrupted),
    ];
    named("process", all)
}

/// Some objects, then one that waits, then one that must not be begun.
fn text(text: &str, count: usize) -> String {
    format!(
        r#"
resource "shape_thing" "made" {{
  count = {count}
  name  = "made-${{count.index}}"
  text  = {text:?}
}}
resource "shape_thing" "waits" {{
  name = "wait"
  text = shape_thing.made[0].id
  depends_on = [shape_thing.made]
}}
resource "shape_thing" "never" {{
  name = shape_thing.waits.id
}}
"#
    )
}

/// An apply that waits for the object.
fn waiting(desk: &Desk, provider: Option<&Path>) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["apply", "-auto-approve"])
        .arg(desk.path())
        .env(PROGRAM_OF, "play")
        .env(GATE, desk.path())
        .envs(provider.map(|program| (SPAWNED, program)))
        .stdin(Stdio::null())
        .stdout(fs::File::create(desk.path().join("out")).expect("created"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    while !desk.path().join("begun").exists() {
        assert!(child.try_wait().expect("waited for").is_none(), "it ends too early");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

fn killed(filling: &str, count: usize) {
    let desk = Desk::new(&text(filling, count));
    let mut child = waiting(&desk, None);
    // Whoever comes meanwhile is told who has the lock.
    let other = desk.run("plan");
    let who = format!("is locked by process {} for apply", child.id());
    assert!(other.err.contains("Failed to lock state") && other.err.contains(&who), "{}", other.err);
    child.kill().expect("killed");
    child.wait().expect("waited for");
    let told = fs::read_to_string(desk.path().join("out")).expect("text");
    let reported = told.lines().filter(|line| line.contains(": Creation complete after ")).count();
    assert_eq!(reported, count, "{told}");
    let journal = desk.path().join(".terraform.tfstate.journal");
    assert_eq!(journal.exists(), count > 1, "a large state is not written as a whole each time");
    // The lock has gone with the process, and all that was told of is there.
    assert_eq!(desk.does("state list").lines().count(), count);
    assert!(desk.does("plan").contains("Plan: 2 to add, 0 to change, 0 to destroy."));
    assert!(desk.does("apply -auto-approve").contains("2 added"));
    assert!(!journal.exists());
    assert!(desk.does("destroy -auto-approve").contains(&format!("{} destroyed", count + 2)));
}

fn interrupted() {
    let desk = Desk::new(&text("a", 1));
    let mut child = waiting(&desk, None);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill is there").success());
    let mut err = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(err.any(|line| line.contains("Interrupted")), "it says that it was interrupted");
    fs::write(desk.path().join("go"), []).expect("written");
    let rest: Vec<String> = err.collect();
    assert_eq!(child.wait().expect("waited for").code(), Some(1), "{rest:?}");
    assert_eq!(desk.does("state list"), "shape_thing.made[0]\nshape_thing.waits\n");
    assert!(desk.does("plan").contains("Plan: 1 to add, 0 to change, 0 to destroy."));
}

/// Nobody tells a provider to end whose host was killed. It is in the middle of a call.
#[cfg(target_os = "linux")]
fn orphaned() {
    let desk = Desk::new(&text("a", 1));
    let program = std::env::current_exe().expect("this program");
    let mut child = waiting(&desk, Some(&program));
    let providers = living(|parent, _| parent == child.id());
    assert_eq!(providers.len(), 1, "{providers:?}");
    child.kill().expect("killed");
    child.wait().expect("waited for");
    let mut looks = 3000;
    while !living(|_, process| providers.contains(&process)).is_empty() {
        assert!(looks > 0, "the provider outlives its host by a minute");
        looks -= 1;
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(desk.does("state list"), "shape_thing.made[0]\n");
}

/// The processes that are wanted, by the ids of their parents and their own, unless they have ended.
#[cfg(target_os = "linux")]
fn living(is_wanted: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("there").flatten();
    let wanted = processes.filter_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name is in parentheses and may hold any character; then follow the state and the parent.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
        (!matches!(state, "Z" | "X") && is_wanted(parent, process)).then_some(process)
    });
    wanted.collect()
}
