//! A provider in a process of its own, started and ended as core does it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ferroform_proto::goplugin::grpc_controller;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdout};
use tokio::time::{timeout, timeout_at};

use super::certificate::Certificate;
use super::connection::{Connection, dial};
use super::error::Error;
use super::group;
use super::handshake::Handshake;
use super::tls;
use super::transport::{Calling, Transport};
use crate::Protocol;
use crate::grpc::{Requests, buffered};
use crate::handshake::{COOKIE, COOKIE_VALUE};

/// How long core waits for the end of a provider that it told to end.
const END: Duration = Duration::from_secs(2);

/// How often is looked whether a provider has ended.
const LOOK: Duration = Duration::from_millis(10);

/// How much of stderr is kept, from the end.
const STDERR_LIMIT: usize = 1024 * 1024;

/// The longest handshake line; the certificate in it is about a kilobyte.
const LINE_LIMIT: u64 = 64 * 1024;

/// How to start a provider binary.
///
/// ```no_run
/// use bytes::Bytes;
/// use ferroform_plugin::client::{Command, Transport};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let process = Command::new("target/debug/terraform-provider-demo").start().await?;
/// let metadata = process.call("/tfplugin6.Provider/GetMetadata", vec![Bytes::new()]).await?.one().await?;
/// process.shutdown().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Variables,
    protocols: Vec<u32>,
    encryption: Encryption,
    start_timeout: Duration,
    stderr: StandardError,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    Mutual,
    None,
}

/// What becomes of the text that the provider writes to stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandardError {
    Kept,
    Inherited,
}

/// What ends the provider besides [`Process`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Nothing,
    /// The end of this process, however it comes.
    WithParent,
}

impl Command {
    /// That binary, with protocols 5 and 6 offered, encryption, and a minute to start, as core has it.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Variables(Vec::new()),
            protocols: vec![5, 6],
            encryption: Encryption::Mutual,
            start_timeout: Duration::from_secs(60),
            stderr: StandardError::Kept,
            end: End::Nothing,
        }
    }

    /// Adds an argument; core gives none.
    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds a variable to the environment, which is that of this process otherwise.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.0.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Offers one protocol only.
    #[must_use]
    pub fn only(mut self, protocol: Protocol) -> Self {
        self.protocols = vec![protocol.number()];
        self
    }

    /// Speaks without encryption, as core does when `TF_DISABLE_PLUGIN_TLS` is set.
    #[must_use]
    pub fn plaintext(mut self) -> Self {
        self.encryption = Encryption::None;
        self
    }

    /// Waits that long at most for the provider to serve.
    #[must_use]
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.start_timeout = limit;
        self
    }

    /// Lets the provider write to the stderr of this process, instead of keeping what it writes.
    #[must_use]
    pub fn inherit_stderr(mut self) -> Self {
        self.stderr = StandardError::Inherited;
        self
    }

    /// Lets the kernel kill the provider when this process ends, even if it is killed. Known on Linux only; there the
    /// provider is started through this program, whose `main` starts with [`become_child`].
    pub fn ending_with_this_process(mut self) -> Self {
        self.end = End::WithParent;
        self
    }

    /// Waits no longer than until then for the provider to serve.
    pub fn serving_by(mut self, limit: Instant) -> Self {
        self.start_timeout = self.start_timeout.min(limit.saturating_duration_since(Instant::now()));
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// Starts the provider and connects to it.
    ///
    /// # Errors
    /// The binary does not run, ends or says something else before the handshake, takes too long, or proves itself
    /// with another certificate than it told.
    pub async fn start(self) -> Result<Process, Error> {
        let certificate = match self.encryption {
            Encryption::Mutual => Some(Certificate::of_this_process()?),
            Encryption::None => None,
        };
        let started = Instant::now();
        let mut child = self.spawn(certificate.as_ref())?;
        let stderr = Captured::default();
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(stderr.clone().fill(pipe));
        }
        let connected = timeout(self.start_timeout, self.connect(&mut child, certificate.as_ref())).await;
        let problem = match connected {
            Ok(Ok(connected)) => return Ok(Process { child, started, connected, stderr }),
            Ok(Err(problem)) => problem,
            Err(_) => format!("the provider did not serve within {:?}", self.start_timeout),
        };
        // What it wrote is complete only when it has ended; a provider that hangs is given up.
        group::kill(&mut child);
        drop(timeout(END, child.wait()).await);
        if self.stderr == StandardError::Kept {
            drop(timeout(END, stderr.ended()).await);
        }
        Err(Error::Start { problem, stderr: stderr.text() })
    }

    fn spawn(&self, certificate: Option<&Certificate>) -> Result<Child, Error> {
        let protocols: Vec<String> = self.protocols.iter().map(u32::to_string).collect();
        let mut command = match self.end {
            End::WithParent => through_this_program(&self.program)?,
            End::Nothing => tokio::process::Command::new(&self.program),
        };
        command
            .args(&self.arguments)
            .env(COOKIE, COOKIE_VALUE)
            .env("PLUGIN_PROTOCOL_VERSIONS", protocols.join(","))
            .env("PLUGIN_MIN_PORT", "10000")
            .env("PLUGIN_MAX_PORT", "25000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(match self.stderr {
                StandardError::Kept => Stdio::piped(),
                StandardError::Inherited => Stdio::inherit(),
            })
            .kill_on_drop(true);
        match certificate {
            Some(certificate) => command.env("PLUGIN_CLIENT_CERT", certificate.pem()),
            None => command.env_remove("PLUGIN_CLIENT_CERT"),
        };
        group::own(&mut command);
        command.envs(self.environment.0.iter().map(|(name, value)| (name, value)));
        command.spawn().map_err(|error| Error::Start {
            problem: format!("{} does not run: {error}", self.program.display()),
            stderr: String::new(),
        })
    }

    async fn connect(
        &self,
        child: &mut Child,
        certificate: Option<&Certificate>,
    ) -> Result<Connected, String> {
        let stdout = child.stdout.take().ok_or("the provider has no stdout")?;
        let line = first_line(stdout).await?;
        let handshake = Handshake::parse(&line, &self.protocols)?;
        let Handshake { protocol, network, address, certificate: server } = handshake;
        let failed = |error: std::io::Error| format!("cannot connect to {network} {address}: {error}");
        let connection = match (certificate, server) {
            (None, _) => Connection::attach(&network, &address).await.map_err(failed)?,
            (Some(_), None) => {
                return Err("the handshake has no certificate, but encryption is on".to_owned());
            }
            (Some(own), Some(server)) => {
                let io = buffered(dial(&network, &address).await.map_err(failed)?);
                let encrypted = tls::connect(io, own, server).await.map_err(failed)?;
                Connection::new(encrypted).await.map_err(failed)?
            }
        };
        let protocol = if protocol == 5 { Protocol::V5 } else { Protocol::V6 };
        Ok(Connected { connection, protocol, network, address })
    }
}

/// Variables of the environment.
#[derive(Clone)]
struct Variables(Vec<(OsString, OsString)>);

/// By their names only: their values may be credentials.
impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// For [`become_child`]: the program, and the process with which it ends.
#[cfg(target_os = "linux")]
const CHILD: (&str, &str) = ("FERROFORM_CHILD_PROGRAM", "FERROFORM_CHILD_PARENT");

/// Starts this program, which becomes the other.
#[cfg(target_os = "linux")]
fn through_this_program(program: &OsStr) -> std::io::Result<tokio::process::Command> {
    let mut command = tokio::process::Command::new(std::env::current_exe()?);
    command.env(CHILD.0, program).env(CHILD.1, std::process::id().to_string());
    Ok(command)
}

/// Other kernels tell a process nothing of the end of its parent.
#[cfg(not(target_os = "linux"))]
fn through_this_program(program: &OsStr) -> std::io::Result<tokio::process::Command> {
    Ok(tokio::process::Command::new(program))
}

/// Becomes the program that a command with [`Command::ending_with_this_process`] is to start, if this process was
/// started for it, and returns only if that fails.
///
/// The kernel watches the thread that started this process: the main thread, which lives as long as its process.
#[cfg(target_os = "linux")]
pub fn become_child() -> Option<std::process::ExitCode> {
    use std::io::Write as _;
    use std::os::unix::process::CommandExt as _;

    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    let program = std::env::var_os(CHILD.0)?;
    let parent = std::env::var(CHILD.1).ok().and_then(|id| id.parse().ok());
    let watched = set_parent_process_death_signal(Some(Signal::KILL));
    // One that died before it was watched is not the parent any more.
    if watched.is_ok() && getppid().map(|parent| parent.as_raw_nonzero().get()) == parent {
        let mut command = std::process::Command::new(&program);
        command.args(std::env::args_os().skip(1)).env_remove(CHILD.0).env_remove(CHILD.1);
        let error = command.exec();
        // The parent reads this as it reads what a program says that is no provider.
        let _ = writeln!(std::io::stdout(), "{} does not run: {error}", program.display());
    }
    Some(std::process::ExitCode::FAILURE)
}

/// No process is started for it.
#[cfg(not(target_os = "linux"))]
pub fn become_child() -> Option<std::process::ExitCode> {
    None
}

/// Reads the first line, and throws away whatever comes later, as core does.
async fn first_line(stdout: ChildStdout) -> Result<String, String> {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    let read = (&mut reader).take(LINE_LIMIT).read_until(b'\n', &mut line).await;
    read.map_err(|error| format!("cannot read the provider's stdout: {error}"))?;
    if line.is_empty() {
        return Err("the provider ended before it served".to_owned());
    }
    tokio::spawn(async move { tokio::io::copy(&mut reader, &mut tokio::io::sink()).await });
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// A provider in a process of its own. When it is dropped, the process is killed with all that it has started, and
/// its socket is removed.
pub struct Process {
    child: Child,
    started: Instant,
    connected: Connected,
    stderr: Captured,
}

/// What the handshake led to.
struct Connected {
    connection: Connection,
    protocol: Protocol,
    network: String,
    address: String,
}

impl Process {
    /// When the process was started, which is after the host has made its certificate.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// The protocol that the provider chose.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.connected.protocol
    }

    /// The connection. It may outlive this value, and fails then.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.connected.connection.clone()
    }

    /// Where the provider serves: the network, `unix` or `tcp`, and the address in it.
    #[must_use]
    pub fn address(&self) -> (&str, &str) {
        (&self.connected.network, &self.connected.address)
    }

    /// What the provider has written to stderr so far, at most the last megabyte.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// The id of the process; `None` when it has ended.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Tells the provider to end, and kills it when it has not done so after two seconds, as core does. Processes that
    /// it has started end with it.
    ///
    /// # Errors
    /// The provider had to be killed, or left processes behind, which is known on Linux only.
    pub async fn shutdown(self) -> Result<std::process::ExitStatus, Error> {
        self.shutdown_within(END).await
    }

    /// [`shutdown`](Self::shutdown) with another limit.
    ///
    /// # Errors
    /// As for that.
    pub async fn shutdown_within(mut self, limit: Duration) -> Result<std::process::ExitStatus, Error> {
        let call = async {
            let request = vec![Bytes::new()];
            // A provider may end before it answers.
            if let Ok(responses) = self.connected.connection.call(grpc_controller::SHUTDOWN, request).await {
                drop(responses.one().await);
            }
        };
        let limited = tokio::time::Instant::now() + limit;
        drop(timeout_at(limited, call).await);
        let has_ended = async {
            while !group::has_ended(&mut self.child) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let ended = timeout_at(limited, has_ended).await.is_ok();
        let left = self.id().filter(|_| ended).map(group::members).unwrap_or_default();
        group::kill(&mut self.child);
        let status = self.child.wait().await?;
        let problem = match (ended, left.as_slice()) {
            (true, []) => return Ok(status),
            (true, left) => {
                format!("the provider left processes behind, which were killed: {}", left.join(", "))
            }
            (false, _) => format!("the provider did not end within {limit:?} of its shutdown"),
        };
        Err(Error::Start { problem, stderr: self.stderr.text() })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        group::kill(&mut self.child);
        // One that was killed has left its socket, one that was not may have.
        if self.connected.network == "unix" {
            drop(std::fs::remove_file(&self.connected.address));
        }
    }
}

impl Transport for Process {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        self.connected.connection.call(path, requests)
    }

    fn send(&self, path: &str, requests: Requests) -> Calling<'_> {
        self.connected.connection.send(path, requests)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("id", &self.id())
            .field("protocol", &self.connected.protocol)
            .finish_non_exhaustive()
    }
}

/// The end of what was written to a pipe.
#[derive(Clone, Default)]
struct Captured {
    text: Arc<Mutex<Vec<u8>>>,
    ended: Arc<tokio::sync::Notify>,
}

impl Captured {
    async fn fill(self, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8192];
        while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
            let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
            text.extend(buffer.iter().take(length));
            let surplus = text.len().saturating_sub(STDERR_LIMIT);
            text.drain(..surplus);
        }
        self.ended.notify_one();
    }

    async fn ended(&self) {
        self.ended.notified().await;
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn a_command_shows_no_values_of_variables() {
        let shown = format!("{:?}", Command::new("program").env("TOKEN", "hunter2"));
        assert!(shown.contains("TOKEN") && !shown.contains("hunter2"), "{shown}");
    }
}
