//! How the provider lives beside the host, and ends.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};

use crate::client::Client;
use crate::host::{Process, Provider, USUAL, files};

crate::trials![
    printing_does_not_reach_the_host,
    stdin_is_left_to_the_host,
    shutdown_is_answered_first,
    shutdown_does_not_wait_for_calls,
    shutdown_does_not_wait_for_threads,
    interrupts_are_ignored,
    termination_removes_the_socket,
    termination_ends_a_blocked_provider,
    a_host_that_reads_no_logs_is_answered,
    ends_with_its_host,
];

/// What the host kills the process after.
const HOST_LIMIT: Duration = Duration::from_secs(2);

async fn shutdown(client: &Client) {
    assert_eq!(client.call("/plugin.GRPCController/Shutdown", &[b""]).await.expect("an answer").one(), "");
}

async fn printing_does_not_reach_the_host() {
    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    client.call("/test.Author/Print", &[b"a debugging aid"]).await.expect("an answer").one();
    shutdown(&client).await;
    let end = provider.process.end().await;
    assert_eq!(end.stdout, "");
    assert!(end.stderr.contains("a debugging aid\n"), "{}", end.stderr);
}

async fn stdin_is_left_to_the_host() {
    let (mut stdin, mut input) = std::io::pipe().expect("a pipe");
    let clone = stdin.try_clone().expect("a descriptor");
    input.write_all(b"yes\n").expect("a pipe");
    let provider = Provider::handshake(Process::start_with("provider", &USUAL, Stdio::from(clone))).await;
    let client = provider.client().await;
    assert_eq!(client.call("/test.Author/ReadStdin", &[b""]).await.expect("an answer").one(), "");
    drop(input);
    let mut left = String::new();
    stdin.read_to_string(&mut left).expect("a pipe");
    assert_eq!(left, "yes\n");
}

/// On several threads the end could overtake the answer.
async fn shutdown_is_answered_first() {
    let provider = Provider::handshake(Process::start("threads", &USUAL)).await;
    let client = provider.client().await;
    let started = Instant::now();
    shutdown(&client).await;
    drop(client);
    let directory = provider.process.directory.path().to_owned();
    let Provider { mut process, .. } = provider;
    let status = process.child.wait().await.expect("a status");
    assert!(started.elapsed() < HOST_LIMIT);
    assert!(status.success());
    assert_eq!(files(&directory), [""; 0]);
    assert!(process.end().await.stderr.contains("the hook has run"));
}

/// The host leaves its streams open until the answer, and an apply may be running.
async fn shutdown_does_not_wait_for_calls() {
    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    let _broker = client.open("/plugin.GRPCBroker/StartStream").await.expect("a head");
    client.start("/plugin.GRPCStdio/StreamStdio").await;
    client.start("/test.Author/Hang").await;
    client.echo().await;
    let started = Instant::now();
    shutdown(&client).await;
    let Provider { mut process, .. } = provider;
    let status = process.child.wait().await.expect("a status");
    assert!(started.elapsed() < HOST_LIMIT);
    assert!(status.success());
    assert_eq!(process.files(), [""; 0]);
}

/// The runtime of the author would wait for ever for work that blocks a thread.
async fn shutdown_does_not_wait_for_threads() {
    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    client.call("/test.Author/Block", &[b""]).await.expect("an answer").one();
    shutdown(&client).await;
    let Provider { mut process, .. } = provider;
    assert!(process.child.wait().await.expect("a status").success());
    assert_eq!(process.files(), [""; 0]);
}

async fn interrupts_are_ignored() {
    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    for _ in 0..3 {
        kill_process(provider.process.pid(), Signal::INT).expect("a process");
        client.echo().await;
    }
}

async fn termination_removes_the_socket() {
    let Provider { mut process, .. } = Provider::start(&[]).await;
    assert_eq!(process.files().len(), 1);
    kill_process(process.pid(), Signal::TERM).expect("a process");
    assert!(process.child.wait().await.expect("a status").success());
    assert_eq!(process.files(), [""; 0]);
    assert!(process.end().await.stderr.contains("the hook has run"));
}

/// Nothing runs any more on the only thread of the provider's runtime.
async fn termination_ends_a_blocked_provider() {
    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    client.start("/test.Author/BlockAll").await;
    let Provider { mut process, .. } = provider;
    kill_process(process.pid(), Signal::TERM).expect("a process");
    let started = Instant::now();
    assert!(process.child.wait().await.expect("a status").success());
    assert!(started.elapsed() < HOST_LIMIT);
    assert_eq!(process.files(), [""; 0]);
}

/// The pipe of standard error is full, and nobody reads it.
async fn a_host_that_reads_no_logs_is_answered() {
    let variables: Vec<_> = USUAL.iter().copied().chain([("TF_LOG", "TRACE")]).collect();
    let provider = Provider::handshake(Process::start("logging", &variables)).await;
    let client = provider.client().await;
    client.call("/test.Author/Log", &[b""]).await.expect("an answer").one();
    client.echo().await;
    let started = Instant::now();
    shutdown(&client).await;
    let Provider { mut process, .. } = provider;
    assert!(process.child.wait().await.expect("a status").success());
    assert!(started.elapsed() < HOST_LIMIT);
    let logged = process.end().await.stderr;
    assert!(logged.contains("\"number\":0") && !logged.contains("\"number\":999"), "{logged:.1000}");
}

async fn ends_with_its_host() {
    let mut host = Process::start("host", &USUAL);
    assert!(host.line().await.starts_with("1|6|unix|"));
    assert_eq!(host.files().len(), 1);
    let directory = host.directory.path().to_owned();
    kill_process(host.pid(), Signal::KILL).expect("a process");
    // The provider holds the other ends of the pipes until it ends. The directory lives as long as the process.
    let keep = std::mem::replace(&mut host.directory, tempfile::tempdir().expect("a directory"));
    host.end().await;
    assert_eq!(files(&directory), [""; 0]);
    drop(keep);
}
