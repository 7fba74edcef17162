//! A provider in a process of its own: this binary, which serves when it is started as a plugin.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ferroform_plugin::Options;
use ferroform_plugin::grpc::Code;
use ferroform_proto::goplugin::grpc_stdio;
use ferroform_testing::case::Trials;
use ferroform_testing::client::{Client, Command, Connection, Error, Process, Protocol, Provider, Transport};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::{Handle, Runtime};

use crate::PROGRAM_OF;
use crate::support::Demo;

/// What the binary does when it is started as a plugin: serve, unless the variable says something else.
const ROLE: &str = "DEMO_ROLE";

/// The provider as a program.
pub(crate) fn program() -> ExitCode {
    runtime().block_on(serve())
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

/// Adds the tests of a process.
pub(crate) fn trials(trials: &mut Trials) {
    let runtime = Arc::new(runtime());
    let test = |name: &str, test: fn(&Handle) -> Result<(), Failed>| {
        let runtime = runtime.clone();
        Trial::test(format!("process/{name}"), move || test(runtime.handle()))
    };
    trials.others([
        test("serves_over_mutual_tls", |handle| handle.block_on(conversation(command(), Protocol::V6))),
        test("serves_protocol_5", |handle| {
            handle.block_on(conversation(command().only(Protocol::V5), Protocol::V5))
        }),
        test("serves_in_the_clear", |handle| {
            handle.block_on(conversation(command().plaintext(), Protocol::V6))
        }),
        test("refuses_a_client_without_certificate", |handle| handle.block_on(stranger())),
        test("is_killed_on_drop", |handle| handle.block_on(dropped())),
        test("tells_why_a_start_fails", |handle| handle.block_on(failures())),
        test("attaches_to_a_running_provider", |handle| handle.block_on(attached())),
    ]);
}

async fn serve() -> ExitCode {
    match std::env::var(ROLE).as_deref() {
        Ok("fails") => {
            use std::io::Write as _;
            let _ = std::io::stderr().write_all(b"no licence\n");
            ExitCode::FAILURE
        }
        Ok("talks") => {
            use std::io::Write as _;
            let _ = std::io::stdout().write_all(b"hello\n");
            std::future::pending().await
        }
        Ok("hangs") => std::future::pending().await,
        _ => ferroform_plugin::serve(options()).await,
    }
}

fn options() -> Options {
    let demo = Arc::new(Demo::default());
    Options::new("example/demo").protocol(5, demo.clone()).protocol(6, demo)
}

fn command() -> Command {
    Command::new(std::env::current_exe().expect("this binary has a path")).env(PROGRAM_OF, "process")
}

async fn conversation(command: Command, protocol: Protocol) -> Result<(), Failed> {
    let process = command.start().await?;
    assert_eq!(process.protocol(), protocol);
    let provider = connect(&process).await?;
    assert!(provider.schemas().resources.contains_key("demo_thing"));
    let status = process.shutdown().await?;
    assert!(status.success(), "{status}");
    Ok(())
}

async fn connect(process: &Process) -> Result<Provider, Error> {
    Provider::connect(Client::new(process.connection(), process.protocol())).await
}

/// The provider's socket is open to every local process; only the host's certificate lets one in.
async fn stranger() -> Result<(), Failed> {
    let process = command().start().await?;
    let address = process.address();
    let connection = Connection::attach(address.0, address.1).await;
    if let Ok(connection) = connection {
        let client = Client::new(connection, Protocol::V6);
        assert!(Provider::connect(client).await.is_err());
    }
    connect(&process).await?;
    process.shutdown().await?;
    Ok(())
}

/// A call that the provider never answers ends when its process does.
async fn dropped() -> Result<(), Failed> {
    let process = command().start().await?;
    let connection = process.connection();
    let mut output = connection.call(grpc_stdio::STREAM_STDIO, vec![Bytes::new()]).await?;
    drop(process);
    let end = tokio::time::timeout(Duration::from_secs(10), output.next()).await?;
    assert_eq!(end.unwrap_err().code(), Code::Unavailable);
    Ok(())
}

async fn failures() -> Result<(), Failed> {
    let check = async |command: Command, problem: &str, stderr: &str| match command.start().await {
        Err(ferroform_plugin::client::Error::Start { problem: found, stderr: written }) => {
            assert!(found.contains(problem), "{found}");
            assert_eq!(written, stderr);
        }
        other => panic!("{other:?}"),
    };
    check(Command::new("/does/not/exist"), "does not run", "").await;
    check(command().env(ROLE, "fails"), "ended before it served", "no licence\n").await;
    check(command().env(ROLE, "talks"), "the first line on stdout is no handshake", "").await;
    let hangs = command().env(ROLE, "hangs").start_timeout(Duration::from_millis(200));
    check(hangs, "did not serve within 200ms", "").await;
    Ok(())
}

async fn attached() -> Result<(), Failed> {
    let running = ferroform_plugin::start(options()).await?;
    let reattach = running.reattach();
    let connection = Connection::attach(&reattach.network, &reattach.address).await?;
    let provider = Provider::connect(Client::new(connection, Protocol::V6)).await?;
    assert!(provider.schemas().resources.contains_key("demo_thing"));
    Ok(())
}
