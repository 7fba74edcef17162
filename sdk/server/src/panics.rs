//! Panics: a report that core recognises, and the location for whoever catches the panic.
//!
//! The text of a panic may quote any value, also a sensitive one. Core shows diagnostics and reports to its user, so
//! they say where the panic was; the text is in the log only.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::io::{self, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// What to tell the author of a provider for which [`unwinds`] is false.
pub const ABORT_WARNING: &str = "This provider was built with `panic = \"abort\"`, so a panic in one call ends \
    the whole process and with it every other call that is running. This is a bug in the build of the provider: \
    remove the `panic` setting from the profile in its Cargo.toml.";

/// Core keeps about a hundred lines of a report.
const MAX_BACKTRACE_LINES: usize = 90;

thread_local! {
    /// The hook runs on the thread that panics, and unwinding stays on it until somebody catches.
    static LAST: Cell<Option<PanicInfo>> = const { Cell::new(None) };
}

/// What is known about a panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanicInfo {
    /// The text the panic was raised with. It may quote a sensitive value, so it is for the log only.
    pub message: String,
    /// `file:line:column`, unless the panic was raised again on another thread.
    pub location: Option<String>,
}

impl PanicInfo {
    fn new(info: &PanicHookInfo<'_>) -> Self {
        let message = text(info.payload()).unwrap_or(NO_TEXT).to_owned();
        Self { message, location: info.location().map(ToString::to_string) }
    }
}

/// The message of a panic that was raised with something else than a text.
const NO_TEXT: &str = "a value that is not a text";

/// The location of a panic that was raised again.
const NO_LOCATION: &str = "an unknown location";

/// Replaces the panic hook of the process by one that reports to core, logs the text and notes the panic for [`caught`].
///
/// Terraform shows a crash report to the user if a line on the provider's standard error starts with `panic: `, and only
/// if the command fails; a report in Rust's own form stays hidden. So the report is written for a panic that is
/// caught later, too: the call that panicked fails. The report has the location and a backtrace; the text is an event of
/// [`tracing`] at level ERROR.
pub fn install_hook() {
    install_hook_to(io::stderr());
}

/// As [`install_hook`], for a process that writes to the standard error through something else. The report is flushed,
/// for the process may end next.
///
/// ```
/// use ferroform_server::panics;
/// use ferroform_plugin::log::Stderr;
///
/// // Reports of panics keep their place among the lines of the log, and do not wait for a host that reads neither.
/// panics::install_hook_to(Stderr);
/// ```
pub fn install_hook_to(stderr: impl Write + Send + 'static) {
    std::panic::set_hook(hook(stderr));
}

/// Describes a panic that [`std::panic::catch_unwind`] returned, with the location that the hook has noted.
///
/// It has to run on the thread that caught the panic. For a payload from another thread, like that of a failed task,
/// there is the message only.
///
/// ```
/// use ferroform_server::panics::{caught, install_hook};
///
/// install_hook();
/// let payload = std::panic::catch_unwind(|| panic!("no bucket")).unwrap_err();
/// let panic = caught(payload);
/// assert_eq!(panic.message, "no bucket");
/// assert!(panic.location.is_some());
/// ```
#[must_use]
pub fn caught(payload: Box<dyn Any + Send>) -> PanicInfo {
    let noted = take();
    let message = text(&*payload).unwrap_or(NO_TEXT).to_owned();
    discard(payload);
    // A panic that was caught inside the provider may have left its note; the text tells the two apart.
    match noted {
        Some(noted) if noted.message == message => noted,
        _ => PanicInfo { message, location: None },
    }
}

fn text(payload: &dyn Any) -> Option<&str> {
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    payload.downcast_ref::<&str>().copied().or_else(owned)
}

/// Drops a value of the author. A panic in that, of the payload of a panic or of a future that was given up, must not cost
/// what the call has to answer with.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // Nobody asks for this note, and the next payload may panic as well.
        let _ = take();
        mem::forget(payload);
    }
}

/// The last panic of this thread, once. It may be an old one that nobody asked for; prefer [`caught`].
#[must_use]
pub fn take() -> Option<PanicInfo> {
    LAST.try_with(Cell::take).ok().flatten()
}

/// Whether a panic can be caught, so that it fails one call and not the process.
///
/// It cannot with `panic = "abort"` in the Cargo profile of the provider, which counts for this crate as well. The
/// user gets the crash report even then.
#[must_use]
pub const fn unwinds() -> bool {
    cfg!(panic = "unwind")
}

fn hook(writer: impl Write + Send + 'static) -> Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync> {
    let writer = Mutex::new(writer);
    Box::new(move |info| {
        let panic = PanicInfo::new(info);
        let thread = std::thread::current();
        // Core's user cannot run the command again with RUST_BACKTRACE set, so it is always captured.
        let backtrace = Backtrace::force_capture().to_string();
        let location = panic.location.as_deref().unwrap_or(NO_LOCATION);
        let report = report(location, thread.name().unwrap_or("unnamed"), &backtrace);
        let writer = || writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writer().write_all(report.as_bytes());
        tracing::error!(panic = panic.message, location, "the provider panicked");
        let _ = writer().flush();
        // Fails while the thread ends, when nobody is left to ask.
        let _ = LAST.try_with(|last| last.set(Some(panic)));
    })
}

fn report(location: &str, thread: &str, backtrace: &str) -> String {
    let mut report =
        format!("panic: at {location}, in thread '{thread}'; the log has the text (TF_LOG=ERROR)\n\n");
    for line in backtrace.lines().take(MAX_BACKTRACE_LINES) {
        report.push_str(line);
        report.push('\n');
    }
    report
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, panic_any, resume_unwind, set_hook, take_hook};
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Calls(Arc<Mutex<Vec<String>>>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let call = String::from_utf8(bytes.to_vec()).map_err(io::Error::other)?;
            self.0.lock().map_err(|_| io::ErrorKind::Other)?.push(call);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_report_starts_as_core_expects() {
        assert_eq!(
            report("src/a.rs:1:2", "main", "   0: acme::create\n   1: main\n"),
            "panic: at src/a.rs:1:2, in thread 'main'; the log has the text (TF_LOG=ERROR)\n\n   0: acme::create\n   1: main\n"
        );
        let long = report(NO_LOCATION, "main", &"frame\n".repeat(1_000));
        assert_eq!(long.lines().count(), 2 + MAX_BACKTRACE_LINES);
    }

    /// All in one test, since the hook belongs to the whole process.
    #[test]
    fn a_caught_panic_is_described_and_reported_once() {
        let calls = Calls::default();
        let before = take_hook();
        set_hook(hook(calls.clone()));
        let text = catch_unwind(|| panic!("literal {{}}")).map_err(caught);
        let line = line!();
        let formatted = catch_unwind(|| panic!("formatted {line}")).map_err(caught);
        let other = catch_unwind(|| panic_any(5_u8)).map_err(caught);
        let _ = catch_unwind(|| panic!("caught by the author"));
        let raised_again = catch_unwind(|| resume_unwind(Box::new("from a task"))).map_err(caught);
        let dropped =
            [(); 2].map(|()| catch_unwind(|| panic_any(Bomb)).map_err(caught).expect_err("a panic"));
        let after = take();
        let _ = catch_unwind(|| panic!("noted"));
        let (noted, taken) = (take(), take());
        set_hook(before);

        let here = |line: u32, column| Some(format!("{}:{line}:{column}", file!()));
        let info =
            |message: &str, location| Err::<(), _>(PanicInfo { message: message.to_owned(), location });
        assert_eq!(text, info("literal {}", here(line - 1, 36)));
        assert_eq!(formatted, info(&format!("formatted {line}"), here(line + 1, 41)));
        assert_eq!(other, info(NO_TEXT, here(line + 2, 37)));
        assert_eq!(raised_again, info("from a task", None));
        assert_eq!(noted.map(|panic| panic.message).as_deref(), Some("noted"));
        assert_eq!((after, taken), (None, None));

        let reports = calls.0.lock().expect("the hook is gone").concat();
        let start = format!("panic: at {}:{}:41, in thread '", file!(), line + 1);
        assert_eq!(reports.matches(&start).count(), 1, "{reports}");
        for text in ["formatted", "literal", "from a task", "noted"] {
            assert_eq!(reports.matches(text).count(), 0, "{text}: {reports}");
        }
        assert_eq!(
            dropped.map(|panic| (panic.message, panic.location.is_some())),
            [NO_TEXT; 2].map(|text| (text.to_owned(), true))
        );
    }

    /// A payload whose drop panics, with another such payload.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Bomb);
        }
    }

    #[test]
    fn tests_are_built_to_unwind() {
        assert!(unwinds());
    }
}
