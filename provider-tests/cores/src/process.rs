//! Child processes with a bounded life: every wait has a limit, and a child's whole process group ends with it.

use std::io::{ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ferroform_plugin::client::members;

use super::error::Error;

/// How much of standard output and of standard error is kept, each. The schema of a large provider has some ten
/// megabytes.
const OUTPUT_LIMIT: usize = 256 << 20;

/// How long the pipes of an ended process may stay open.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

/// How long the processes that an ended process has started may live on. Core sends its providers a signal and does not
/// always wait for their end.
const EXIT_GRACE: Duration = Duration::from_secs(3);

/// A running child. Dropping it kills its process group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    command: String,
    started: Instant,
    output: Arc<Output>,
    /// How much of standard output [`Process::wait_for_line`] has looked at.
    looked_at: usize,
    reaped: bool,
}

/// A child that has ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) command: String,
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) duration: Duration,
}

#[derive(Debug, Default)]
struct Output {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    closed_streams: usize,
    overflow: bool,
    exited: bool,
}

/// Which of a child's streams.
#[derive(Clone, Copy)]
enum Stream {
    Out,
    Err,
}

impl Process {
    /// Starts the command in a process group of its own, with no standard input.
    pub(super) fn spawn(command: Command) -> Result<Self, Error> {
        Self::spawn_with(command, Stdio::null())
    }

    /// Starts the command in a process group of its own.
    pub(super) fn spawn_with(mut command: Command, stdin: Stdio) -> Result<Self, Error> {
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        system::own_group(&mut command);
        let line = command_line(&command);
        let mut child = command
            .spawn()
            .map_err(|source| Error::Spawn { program: command.get_program().into(), source })?;
        let output = Arc::new(Output::default());
        output.read(child.stdout.take(), Stream::Out);
        output.read(child.stderr.take(), Stream::Err);
        system::watch(&child, &output);
        Ok(Self { child, command: line, started: Instant::now(), output, looked_at: 0, reaped: false })
    }

    /// Interrupts the process group, as a terminal does on Ctrl-C.
    pub(super) fn interrupt(&self) -> Result<(), Error> {
        system::interrupt(&self.child).map_err(|source| Error::Io {
            action: "interrupt",
            path: self.command.clone().into(),
            source,
        })
    }

    /// Waits until `accept` takes a line of standard output. Lines before it are not looked at again.
    pub(super) fn wait_for_line<T>(
        &mut self,
        limit: Duration,
        accept: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let begun = Instant::now();
        loop {
            let looked_at = self.looked_at;
            let more =
                |state: &State| state.complete_lines(looked_at).is_some() || state.closed_streams == STREAMS;
            if !self.output.wait(limit.saturating_sub(begun.elapsed()), more) {
                return Err(self.timed_out(limit));
            }
            let Some(lines) = self.output.lock().complete_lines(looked_at).map(<[u8]>::to_vec) else {
                let reason = "it ended before the awaited line";
                return Err(Error::malformed(format!("the output of `{}`", self.command), reason));
            };
            for line in lines.split_inclusive(|&byte| byte == b'\n') {
                self.looked_at += line.len();
                if let Some(found) = accept(String::from_utf8_lossy(line).trim_end()) {
                    return Ok(found);
                }
            }
        }
    }

    /// Waits for the end of the process; after `limit`, kills its process group.
    pub(super) fn wait(mut self, limit: Duration) -> Result<Finished, Error> {
        if !system::wait_for_exit(&mut self.child, &self.output, limit) {
            return Err(self.timed_out(limit));
        }
        let duration = self.started.elapsed();
        let mut left = lasting_members(self.child.id());
        let status = self.end().map_err(|source| Error::Io {
            action: "wait for",
            path: self.command.clone().into(),
            source,
        })?;
        if !self.output.wait(DRAIN_LIMIT, |state| state.closed_streams == STREAMS) {
            left.push("a process outside the group that still holds its output".to_owned());
        }
        let mut state = self.output.lock();
        let command = self.command.clone();
        if !left.is_empty() {
            let stderr = tail(&String::from_utf8_lossy(&state.stderr));
            return Err(Error::LeftBehind { command, status: status.to_string(), processes: left, stderr });
        }
        if state.overflow {
            return Err(Error::TooMuchOutput { command, limit: OUTPUT_LIMIT });
        }
        Ok(Finished {
            command,
            status,
            stdout: text(std::mem::take(&mut state.stdout)),
            stderr: text(std::mem::take(&mut state.stderr)),
            duration,
        })
    }

    /// Kills the process group and says that the time was over.
    fn timed_out(&mut self, limit: Duration) -> Error {
        // The time-out is reported whether or not the kill could be confirmed.
        let _ = self.end();
        let stderr = tail(&String::from_utf8_lossy(&self.output.lock().stderr));
        Error::TimedOut { command: self.command.clone(), limit, stderr }
    }

    /// Kills what is left of the process group, then collects the child's status. The order matters: until the child
    /// is collected, its id and so its group's id cannot be given to another process.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if !self.reaped {
            system::kill(&mut self.child);
        }
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            // Nobody is left to hear of a failure; the kill itself has been sent.
            let _ = self.end();
        }
    }
}

/// The processes of a group that are still there after [`EXIT_GRACE`].
fn lasting_members(group: u32) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let left = members(group);
        if left.is_empty() || begun.elapsed() >= EXIT_GRACE {
            return left;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The streams of a child that are read.
const STREAMS: usize = 2;

impl Output {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits until `done`; `false` when the limit came first.
    fn wait(&self, limit: Duration, done: impl Fn(&State) -> bool) -> bool {
        let state = self.lock();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, limit, |state| !done(state))
            .unwrap_or_else(PoisonError::into_inner);
        done(&state)
    }

    /// Reads a stream to its end on a thread of its own. What is over the limit is read too, and thrown away, since a
    /// child whose pipe is full would never end.
    fn read(self: &Arc<Self>, stream: Option<impl Read + Send + 'static>, which: Stream) {
        let output = Arc::clone(self);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            if let Some(mut stream) = stream {
                loop {
                    match stream.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(count) => {
                            output.update(|state| state.push(which, buffer.get(..count).unwrap_or(&[])))
                        }
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(_) => break,
                    }
                }
            }
            output.update(|state| state.closed_streams += 1);
        });
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What a command printed may hold sensitive values.
        f.debug_struct("State").field("exited", &self.exited).finish_non_exhaustive()
    }
}

impl State {
    fn push(&mut self, which: Stream, bytes: &[u8]) {
        let kept = match which {
            Stream::Out => &mut self.stdout,
            Stream::Err => &mut self.stderr,
        };
        if kept.len() + bytes.len() > OUTPUT_LIMIT {
            self.overflow = true;
        } else {
            kept.extend_from_slice(bytes);
        }
    }

    /// The complete lines of standard output from an offset on, if there are any.
    fn complete_lines(&self, from: usize) -> Option<&[u8]> {
        let rest = self.stdout.get(from..)?;
        let end = rest.iter().rposition(|&byte| byte == b'\n')?;
        rest.get(..=end)
    }
}

/// Runs a program that may be absent: the error names the `remedy` then. If the program fails, `reason` makes the text of
/// the error from its stderr.
pub(super) fn run_tool(
    (command, remedy): (Command, &str),
    limit: Duration,
    reason: fn(&str) -> String,
    failed: impl Fn(String) -> Error,
) -> Result<(), Error> {
    let started = Process::spawn(command).map_err(|error| match error {
        Error::Spawn { source, program } if source.kind() == ErrorKind::NotFound => {
            failed(format!("{} was not found; {remedy}", program.display()))
        }
        other => other,
    })?;
    let finished = started.wait(limit)?;
    if finished.status.success() { Ok(()) } else { Err(failed(reason(&finished.stderr))) }
}

/// The last part of a text, for an error message.
pub(super) fn tail(text: &str) -> String {
    const KEEP: usize = 2000;
    let skip = text.chars().count().saturating_sub(KEEP);
    text.chars().skip(skip).collect()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn command_line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::Output;

    pub(super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Notes the end of the child without collecting it, so that its process group keeps its id until it is killed.
    pub(super) fn watch(child: &Child, output: &Arc<Output>) {
        let (pid, output) = (Pid::from_child(child), Arc::clone(output));
        thread::spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
            output.update(|state| state.exited = true);
        });
    }

    pub(super) fn wait_for_exit(_: &mut Child, output: &Output, limit: Duration) -> bool {
        output.wait(limit, |state| state.exited)
    }

    pub(super) fn interrupt(child: &Child) -> io::Result<()> {
        Ok(kill_process_group(Pid::from_child(child), Signal::INT)?)
    }

    pub(super) fn kill(child: &mut Child) {
        // The group is there as long as the child is not collected, so this fails for no reason that could be acted
        // upon.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
}

/// Without process groups only the child itself can be ended.
#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::Output;

    pub(super) fn own_group(_: &mut Command) {}

    pub(super) fn watch(_: &Child, _: &Arc<Output>) {}

    pub(super) fn wait_for_exit(child: &mut Child, _: &Output, limit: Duration) -> bool {
        let begun = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(_)) | Err(_) => return true,
                Ok(None) if begun.elapsed() >= limit => return false,
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    pub(super) fn interrupt(_: &Child) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "there are no process groups on this platform"))
    }

    pub(super) fn kill(child: &mut Child) {
        // It fails for a child that has ended, which is what is wanted.
        let _ = child.kill();
    }
}
