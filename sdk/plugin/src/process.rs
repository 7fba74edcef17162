//! What the process shares with the host: standard streams, signals and life.

use std::future::Future;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::log;

/// The host kills the process two seconds after its `Shutdown` call.
const END_LIMIT: Duration = Duration::from_millis(1500);

/// Keeps the streams of the host from everybody else and returns the one for the handshake line.
///
/// What is printed afterwards goes to stderr, which the host logs, instead of a pipe where it would break the
/// handshake. Stdin becomes empty: the process inherits that of the host, and would steal the answers of its user.
#[cfg(unix)]
fn isolate_stdio() -> io::Result<std::fs::File> {
    use std::fs::File;
    use std::os::fd::AsFd;

    let host = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdout(io::stderr())?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(host)
}

/// The handles cannot be exchanged without unsafe code; the host throws away what is printed after the line.
#[cfg(not(unix))]
fn isolate_stdio() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

#[cfg(unix)]
pub(super) type HostStdout = std::fs::File;
#[cfg(not(unix))]
pub(super) type HostStdout = io::Stdout;

/// The stream of the host, from when it was taken until the handshake line is written.
static CLAIMED: Mutex<Option<io::Result<HostStdout>>> = Mutex::new(None);

/// Isolates the streams before anything else runs.
pub(super) fn claim_stdio() {
    let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    claimed.get_or_insert_with(isolate_stdio);
}

/// The stream for the handshake line, claimed before or now.
pub(super) fn host_stdout() -> io::Result<HostStdout> {
    let claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).take();
    claimed.unwrap_or_else(isolate_stdio)
}

/// Takes interrupts from now on, without doing anything, until the value is dropped.
///
/// Ctrl-C reaches the host and its providers alike. The host then asks them to stop and waits for their answers.
#[cfg(unix)]
pub(super) fn ignore_interrupts() -> io::Result<impl Sized> {
    use tokio::signal::unix::{SignalKind, signal};

    signal(SignalKind::interrupt())
}

/// Takes interrupts from now on, without doing anything, until the value is dropped.
#[cfg(windows)]
pub(super) fn ignore_interrupts() -> io::Result<impl Sized> {
    tokio::signal::windows::ctrl_c()
}

/// Ready with the first interrupt after the call.
#[cfg(unix)]
pub(super) fn interrupt() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ready with the first interrupt after the call.
#[cfg(windows)]
pub(super) fn interrupt() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}

/// Ready when the process is told to end (SIGTERM).
///
/// The thread has a runtime of its own, so that a provider that blocks that of the calls ends too.
///
/// # Errors
/// The signal cannot be taken, or there can be no thread.
#[cfg(unix)]
pub(super) async fn termination() -> io::Result<impl Future<Output = ()>> {
    use tokio::runtime::Builder;
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::oneshot;

    let (told, end) = oneshot::channel();
    let (ready, is_ready) = oneshot::channel();
    let wait = move || {
        let taken = Builder::new_current_thread().enable_io().build().and_then(|runtime| {
            let entered = runtime.enter();
            let signal = signal(SignalKind::terminate())?;
            drop(entered);
            Ok((runtime, signal))
        });
        match taken {
            Ok((runtime, mut signal)) => {
                let _ = ready.send(Ok(()));
                runtime.block_on(signal.recv());
                let _ = told.send(());
                end_soon();
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    };
    thread("signals", Box::new(wait))?;
    is_ready.await.map_err(io::Error::other)??;
    Ok(async {
        if end.await.is_err() {
            std::future::pending().await
        }
    })
}

/// There is no such signal.
#[cfg(not(unix))]
pub(super) async fn termination() -> io::Result<impl Future<Output = ()>> {
    Ok(std::future::pending())
}

/// Starts a thread. Its work is on the heap, so that the code around it is in the binary once.
pub(super) fn thread(name: &str, work: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// The file of the socket, for [`end_soon`].
static SOCKET_FILE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the file of the socket even if the process has to be ended.
pub(super) fn remove_at_end(file: Option<PathBuf>) {
    *SOCKET_FILE.lock().unwrap_or_else(PoisonError::into_inner) = file;
}

/// Ends the process after the time that the host allows, whatever still runs or blocks in it.
pub(super) fn end_soon() {
    let end = || {
        std::thread::sleep(END_LIMIT);
        if let Some(file) = SOCKET_FILE.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = std::fs::remove_file(file);
        }
        let _ = log::Stderr.flush();
        std::process::exit(0);
    };
    if let Err(error) = thread("end", Box::new(end)) {
        tracing::warn!(%error, "the time to end is not limited");
    }
}

/// The process that started this one; `None` if it is in another namespace, where it cannot be watched.
#[cfg(unix)]
pub(super) type Host = Option<rustix::process::Pid>;

/// The process that started this one, if it is still alive.
///
/// Ask before the handshake: the host cannot die unnoticed earlier, because then the line finds no reader.
#[cfg(unix)]
pub(super) fn host() -> Host {
    rustix::process::getppid()
}

/// Ready when the host is dead: nobody would end this process any more.
///
/// `PR_SET_PDEATHSIG` would be no help, because it watches the thread that started us, and a Go host ends threads.
/// A thread of our own waits, so that a provider that blocks its runtime ends too.
#[cfg(unix)]
pub(super) fn death(host: Host) -> impl Future<Output = ()> {
    let (died, death) = tokio::sync::oneshot::channel();
    let watch = host.map(|host| {
        let wait = move || {
            wait_for_death(host);
            let _ = died.send(());
            end_soon();
        };
        thread("host", Box::new(wait))
    });
    if let Some(Err(error)) = watch {
        tracing::warn!(%error, "the provider would outlive its host");
    }
    async {
        // Without a watch the sender is gone.
        if death.await.is_err() {
            std::future::pending().await
        }
    }
}

/// Blocks until that process, our parent, is dead.
#[cfg(unix)]
fn wait_for_death(host: rustix::process::Pid) {
    #[cfg(target_os = "linux")]
    {
        use rustix::event::{PollFd, PollFlags, poll};
        use rustix::process::{PidfdFlags, pidfd_open};

        // Old kernels and some sandboxes have no descriptors for processes.
        if let Ok(descriptor) = pidfd_open(host, PidfdFlags::empty()) {
            // If the host died before, the number may be that of another process by now.
            if has_parent(host) {
                let wait = || poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None);
                if rustix::io::retry_on_intr(wait).is_ok() {
                    return;
                }
            }
        }
    }
    while has_parent(host) {
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// A process is given to another parent when its own dies.
#[cfg(unix)]
fn has_parent(host: rustix::process::Pid) -> bool {
    rustix::process::getppid() == Some(host)
}

/// How late the death of the host may be noticed on systems that cannot tell.
#[cfg(unix)]
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Nothing is known of the host.
#[cfg(not(unix))]
pub(super) type Host = ();

/// Nothing is known of the host.
#[cfg(not(unix))]
pub(super) fn host() -> Host {}

/// Job objects would need unsafe code. A host that ends without `Shutdown` leaves the process behind.
#[cfg(not(unix))]
pub(super) fn death((): Host) -> impl Future<Output = ()> {
    std::future::pending()
}
