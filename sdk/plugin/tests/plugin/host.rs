//! The host's side of a provider process.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls::pki_types::CertificateDer;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::{Child, ChildStdout, Command};

use crate::client::Client;
use crate::provider;

/// No test takes that long.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

pub(crate) const COOKIE: (&str, &str) =
    ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2");

/// What core sets besides.
pub(crate) const USUAL: [(&str, &str); 4] =
    [COOKIE, ("PLUGIN_PROTOCOL_VERSIONS", "6,5"), ("PLUGIN_MIN_PORT", "10000"), ("PLUGIN_MAX_PORT", "25000")];

/// A byte stream of any kind.
pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// A process that was started with its own directory for temporary files.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) stdout: BufReader<ChildStdout>,
    pub(crate) directory: TempDir,
}

/// How a process ended, with what it printed and had not been read.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Process {
    pub(crate) fn start(role: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_with(role, variables, Stdio::null())
    }

    pub(crate) fn start_with(role: &str, variables: &[(&str, &str)], stdin: Stdio) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let mut child = Command::new(std::env::current_exe().expect("the path of this program"))
            .env("TMPDIR", directory.path())
            .env(provider::ROLE, role)
            .envs(variables.iter().copied())
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a process");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, stdout, directory }
    }

    /// The next line of stdout, with its end.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).await.expect("a line");
        line
    }

    /// Waits for the end of the process, and of all others that hold its pipes.
    pub(crate) async fn end(mut self) -> End {
        let mut stderr = self.child.stderr.take().expect("a pipe");
        let mut end = End { status: ExitStatus::default(), stdout: String::new(), stderr: String::new() };
        let (status, stdout, stderr) = tokio::join!(
            self.child.wait(),
            self.stdout.read_to_string(&mut end.stdout),
            stderr.read_to_string(&mut end.stderr)
        );
        stdout.expect("text");
        stderr.expect("text");
        End { status: status.expect("a status"), ..end }
    }

    /// The id of the process.
    pub(crate) fn pid(&self) -> rustix::process::Pid {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok());
        pid.and_then(rustix::process::Pid::from_raw).expect("a running process")
    }

    /// The names of the files in its directory.
    pub(crate) fn files(&self) -> Vec<String> {
        files(self.directory.path())
    }
}

/// The names of the files in a directory.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// A provider that has answered with its handshake line.
pub(crate) struct Provider {
    pub(crate) process: Process,
    pub(crate) line: String,
}

impl Provider {
    /// Starts it like core does without encryption, but for the given variables.
    pub(crate) async fn start(variables: &[(&str, &str)]) -> Self {
        let variables: Vec<_> = USUAL.iter().chain(variables).copied().collect();
        Self::handshake(Process::start("provider", &variables)).await
    }

    pub(crate) async fn handshake(mut process: Process) -> Self {
        let line = process.line().await;
        assert!(line.ends_with('\n'), "{line:?}");
        Self { process, line }
    }

    /// The fields of the handshake line.
    pub(crate) fn fields(&self) -> Vec<&str> {
        self.line.trim_end().split('|').collect()
    }

    /// The certificate of the server.
    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        STANDARD_NO_PAD.decode(self.fields()[5]).expect("base64 without padding").into()
    }

    /// Opens a connection.
    pub(crate) async fn connect(&self) -> Box<dyn Io> {
        let fields = self.fields();
        connect(fields[2], fields[3]).await
    }

    /// Opens a connection for calls.
    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.connect().await).await.expect("a connection")
    }
}

/// Opens a connection to an address as in a handshake line.
pub(crate) async fn connect(network: &str, address: &str) -> Box<dyn Io> {
    match network {
        "unix" => Box::new(UnixStream::connect(address).await.expect("a socket")),
        "tcp" => Box::new(TcpStream::connect(address).await.expect("a port")),
        _ => panic!("network {network}"),
    }
}
