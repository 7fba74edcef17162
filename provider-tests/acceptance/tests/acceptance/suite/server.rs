//! A provider that serves already, for cores to attach to.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A provider process in debug mode. Dropping it kills it.
pub(super) struct Server {
    child: Child,
    /// Kept open: the provider may print.
    _stdout: BufReader<ChildStdout>,
    socket: PathBuf,
}

impl Server {
    /// Starts the provider and waits for what it prints: how to attach.
    pub(super) fn start(executable: &Path, variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(executable)
            .arg("--debug")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the provider starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        let assignment = loop {
            line.clear();
            let read = stdout.read_line(&mut line).expect("text");
            assert!(read > 0, "the provider ended before it said how to attach");
            if let Some(rest) = line.trim().strip_prefix("TF_REATTACH_PROVIDERS='") {
                break rest.trim_end_matches('\'').to_owned();
            }
        };
        let reattach: Value = serde_json::from_str(&assignment).expect("JSON");
        let entry = reattach.as_object().and_then(|entries| entries.values().next()).expect("an entry");
        assert_eq!(entry["Pid"], child.id());
        assert_eq!(entry["Addr"]["Network"], "unix");
        let socket = entry["Addr"]["String"].as_str().expect("a path").into();
        Self { child, _stdout: stdout, socket }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Ends the provider as a person does, and checks that it tidies up.
    pub(super) fn stop(mut self) {
        let pid = i32::try_from(self.pid()).ok().and_then(rustix::process::Pid::from_raw).expect("an id");
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it still runs");
        assert!(self.child.wait().expect("a status").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail when the process has ended and was collected, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
