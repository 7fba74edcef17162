//! Providers that hosts attach to.

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use ferroform_plugin::Options;

use crate::client::Client;
use crate::host::{Process, connect};
use crate::provider;

crate::trials![debug_mode, within_the_process, stops_when_dropped, needs_a_protocol_and_an_address];

/// One entry of the variable.
fn entry(pid: u32, path: &str) -> Value {
    json!({
        "Protocol": "grpc",
        "ProtocolVersion": 6,
        "Pid": pid,
        "Test": true,
        "Addr": { "Network": "unix", "String": path },
    })
}

async fn echo(path: &str) {
    Client::connect(connect("unix", path).await).await.expect("a connection").echo().await;
}

async fn debug_mode() {
    // The variable of the host is of no interest: there is no encryption, and no cookie.
    let mut process = Process::start("debug", &[("PLUGIN_CLIENT_CERT", "nonsense")]);
    let value = loop {
        let line = process.line().await;
        assert!(!line.is_empty(), "the variable is missing");
        if let Some(value) = line.trim().strip_prefix("TF_REATTACH_PROVIDERS='") {
            break value.strip_suffix('\'').expect("a quoted value").to_owned();
        }
    };
    let value: Value = serde_json::from_str(&value).expect("JSON");
    let path = process.directory.path().join(&process.files()[0]).display().to_string();
    let entry = entry(process.child.id().expect("an id"), &path);
    assert_eq!(
        value,
        json!({ "registry.terraform.io/example/cloud": entry, "registry.opentofu.org/example/cloud": entry })
    );

    // A host that attaches probes the socket first; another one follows.
    drop(connect("unix", &path).await);
    echo(&path).await;
    echo(&path).await;

    kill_process(process.pid(), Signal::INT).expect("a process");
    assert!(process.child.wait().await.expect("a status").success());
    assert_eq!(process.files(), [""; 0]);
    assert!(process.end().await.stderr.contains("the hook has run"));
}

async fn within_the_process() {
    let running = ferroform_plugin::start(provider::options()).await.expect("a provider");
    let reattach = running.reattach().clone();
    assert_eq!((reattach.protocol_version, reattach.pid), (6, std::process::id()));
    let value: Value = serde_json::from_str(&reattach.to_json()).expect("JSON");
    assert_eq!(value["registry.terraform.io/example/cloud"], entry(reattach.pid, &reattach.address));

    let client = Client::connect(connect("unix", &reattach.address).await).await.expect("a connection");
    client.echo().await;
    // The call of one host does not end what others use.
    client.call("/plugin.GRPCController/Shutdown", &[b""]).await.expect("an answer").one();
    echo(&reattach.address).await;

    running.stop().await;
    assert!(!std::fs::exists(&reattach.address).expect("a directory"));
}

async fn stops_when_dropped() {
    let running = ferroform_plugin::start(provider::options()).await.expect("a provider");
    let path = running.reattach().address.clone();
    echo(&path).await;
    drop(running);
    while std::fs::exists(&path).expect("a directory") {
        tokio::task::yield_now().await;
    }
}

async fn needs_a_protocol_and_an_address() {
    let error = ferroform_plugin::start(Options::new("example/cloud")).await.expect_err("no protocol");
    assert_eq!(error.to_string(), "the provider offers no protocol version");
    let options = Options::new("a/b/c/d").protocol(6, std::sync::Arc::new(provider::Author));
    let error = ferroform_plugin::start(options).await.expect_err("no address");
    assert!(error.to_string().starts_with("\"a/b/c/d\" is no provider source address"), "{error}");
}
