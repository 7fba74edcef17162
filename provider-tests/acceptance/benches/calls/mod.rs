//! What the benches of calls share: the processes that answer, the time until they do, and their memory.
#![allow(dead_code, reason = "each bench uses a part")]

use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Instant;

use bytes::Bytes;
use ferroform_testing::client::{Process, Transport};
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::report::median;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The median time of a call, in microseconds.
pub(crate) async fn time_of_calls(
    transport: &dyn Transport,
    path: &str,
    request: &Bytes,
    calls: usize,
) -> Result<f64> {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = Instant::now();
        transport.call(path, vec![request.clone()]).await?.one().await?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

/// Keeps this thread, and the processes that it starts, on one processor until it is dropped.
///
/// Whether the kernel puts the two processes of a call on one processor or on two changes the time of the call by a
/// factor of three, and it decides anew for each pair: no ratio of such times holds from one run to the next.
#[cfg(target_os = "linux")]
pub(crate) struct OneProcessor(CpuSet);

#[cfg(target_os = "linux")]
impl OneProcessor {
    pub(crate) fn new() -> Result<Self> {
        let before = sched_getaffinity(None)?;
        let first = (0..CpuSet::MAX_CPU).find(|it| before.is_set(*it)).ok_or("there is no processor")?;
        let mut one = CpuSet::new();
        one.set(first);
        sched_setaffinity(None, &one)?;
        Ok(Self(before))
    }
}

#[cfg(target_os = "linux")]
impl Drop for OneProcessor {
    fn drop(&mut self) {
        // What follows would be slower, and no figure wrong.
        let _ = sched_setaffinity(None, &self.0);
    }
}

/// No other system is asked for it, where the benches do not run.
#[cfg(not(target_os = "linux"))]
pub(crate) struct OneProcessor;

#[cfg(not(target_os = "linux"))]
impl OneProcessor {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self)
    }
}

/// Ends a process when it is dropped.
pub(crate) struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself, and there is nobody to tell.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a process and reads the first line of what it prints.
pub(crate) fn first_line(command: &mut std::process::Command) -> Result<(Killed, String)> {
    let mut child = Killed(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
    let stdout = child.0.stdout.take().ok_or("the process has no standard output")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    Ok((child, line))
}

/// A figure of the kernel about the memory of a process, in MiB.
pub(crate) fn memory(process: &Process, name: &str) -> Result<f64> {
    let id = process.id().ok_or("the provider has ended")?;
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such figure")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1024.0)
}
