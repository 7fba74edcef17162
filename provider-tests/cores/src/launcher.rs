//! The core: loads the Terraform library beside this executable and runs it in this process.
//!
//! The library holds a whole Go program. It copies the environment and takes over the signals when it is loaded, and
//! it is made to run one command per process. So nothing here sets a variable, starts a thread or handles a signal.
#![allow(unsafe_code, reason = "calling a foreign function is the purpose of this file")]

use std::convert::Infallible;
use std::env::ArgsOs;
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, Symbol};

/// `int RunCli(int argc, char **argv, int stdout_fd, int stderr_fd)`, with `argv` beginning behind the program name.
type RunCli = unsafe extern "C" fn(c_int, *mut *mut c_char, c_int, c_int) -> c_int;

/// Runs the core with the process's arguments and ends the process with its exit code. Returns only on failure, with
/// the reason.
pub(crate) fn run(library: &Path, args: ArgsOs) -> Result<Infallible, String> {
    let args = args
        .skip(1)
        .map(|arg| CString::new(arg.into_vec()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("an argument cannot be passed on: {error}"))?;
    let count = c_int::try_from(args.len()).map_err(|error| format!("too many arguments: {error}"))?;
    let mut argv: Vec<*mut c_char> = args.iter().map(|arg| arg.as_ptr().cast_mut()).collect();
    argv.push(ptr::null_mut());

    restore_broken_pipe();
    let failed = |error: libloading::Error| format!("{} cannot be loaded: {error}", library.display());
    // SAFETY: loading runs the initialisers of the library, which `ferroform-cores fetch` has checked against a pinned
    // hash. They start Go's runtime, which asks only that the process is not a fork of one with threads; it is not.
    let library = unsafe { Library::open(Some(library), RTLD_LAZY | RTLD_LOCAL) }.map_err(failed)?;
    // SAFETY: all pinned libraries export `RunCli` with the signature of the type.
    let run_cli: Symbol<RunCli> = unsafe { library.get(b"RunCli\0") }.map_err(failed)?;
    // SAFETY: `argv` holds `count` strings that end with a zero byte, and a null pointer behind them. The function
    // reads them only, and both outlive the call. It closes the two descriptors, which nothing here uses afterwards.
    let code = unsafe { run_cli(count, argv.as_mut_ptr(), 1, 2) };
    // SAFETY: ending the process has no precondition. Destructors must not run, since Go's threads are still there and
    // its runtime cannot be unloaded.
    unsafe { libc::_exit(code & 0xff) }
}

/// Puts SIGPIPE back to its default, so that the library finds the signals as they are in an executable of its own:
/// Rust's runtime ignores SIGPIPE, and programs inherit which signals are ignored.
fn restore_broken_pipe() {
    // SAFETY: no thread runs yet, and no handler is installed but the default action.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}
