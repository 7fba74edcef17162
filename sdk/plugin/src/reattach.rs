//! Telling a host to attach to a running provider instead of starting one.

use std::fmt::Write;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::error::Error;
use super::listener::Address;

/// The registries that Terraform and OpenTofu complete a short source address with.
const REGISTRIES: [&str; 2] = ["registry.terraform.io", "registry.opentofu.org"];

/// The namespace that both complete a mere type with.
const NAMESPACE: &str = "hashicorp";

/// How a host attaches to a running provider: the content of the variable `TF_REATTACH_PROVIDERS`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reattach {
    /// The full source addresses of the provider. A short one stands for two, because Terraform and OpenTofu
    /// complete it with different registries.
    pub addresses: Vec<String>,
    /// The major version of the provider protocol.
    pub protocol_version: u32,
    /// The process that serves. The host gives up when it is gone.
    pub pid: u32,
    /// `unix` or `tcp`.
    pub network: String,
    /// The path of the socket, or `127.0.0.1:port`.
    pub address: String,
}

impl Reattach {
    pub(super) fn new(addresses: Vec<String>, protocol_version: u32, listener: Address) -> Self {
        Self {
            addresses,
            protocol_version,
            pid: std::process::id(),
            network: listener.network.into(),
            address: listener.address,
        }
    }

    /// The value of `TF_REATTACH_PROVIDERS`.
    ///
    /// `Test` is true: otherwise a host would try to end the provider, or even crash with protocol 6.
    #[must_use]
    pub fn to_json(&self) -> String {
        let value = format!(
            r#"{{"Protocol":"grpc","ProtocolVersion":{},"Pid":{},"Test":true,"Addr":{{"Network":{},"String":{}}}}}"#,
            self.protocol_version,
            self.pid,
            json(&self.network),
            json(&self.address),
        );
        let entries: Vec<_> = self.addresses.iter().map(|key| format!("{}:{value}", json(key))).collect();
        format!("{{{}}}", entries.join(","))
    }

    /// The text for the person who runs the provider.
    pub(super) fn instructions(&self) -> String {
        let assignments = if cfg!(windows) {
            let value = self.to_json();
            format!(
                "  Command Prompt:  set \"TF_REATTACH_PROVIDERS={value}\"\n  \
                   PowerShell:      $env:TF_REATTACH_PROVIDERS='{}'\n",
                value.replace('\'', "''")
            )
        } else {
            format!("  TF_REATTACH_PROVIDERS='{}'\n", self.to_json().replace('\'', r"'\''"))
        };
        format!(
            "The provider is running. Set this where Terraform or OpenTofu is run, to make it attach:\n\n\
             {assignments}\n\
             Press Ctrl-C to end the provider.\n"
        )
    }
}

/// A JSON string.
fn json(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => {
                // Writing to a string cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(character));
            }
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

/// The full source addresses that a source address may mean.
///
/// # Errors
/// The text is no source address.
pub(super) fn addresses(source: &str) -> Result<Vec<String>, Error> {
    let parts: Vec<_> = source.split('/').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err(Error::Address(source.into()));
    }
    match parts[..] {
        [kind] => Ok(REGISTRIES.map(|host| format!("{host}/{NAMESPACE}/{kind}")).into()),
        [namespace, kind] => Ok(REGISTRIES.map(|host| format!("{host}/{namespace}/{kind}")).into()),
        [_, _, _] => Ok(vec![source.into()]),
        _ => Err(Error::Address(source.into())),
    }
}

/// A provider that is served within this process.
///
/// Dropping it stops the provider: the runtime ends its tasks and removes its socket when it next runs them. The
/// shutdown hook runs with [`stop`](Self::stop) only.
#[derive(Debug)]
#[must_use = "the provider stops when this is dropped"]
pub struct Running {
    reattach: Reattach,
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Running {
    pub(super) fn new(reattach: Reattach, stop: Arc<Notify>, task: JoinHandle<()>) -> Self {
        Self { reattach, stop, task }
    }

    /// How to attach to it.
    #[must_use]
    pub fn reattach(&self) -> &Reattach {
        &self.reattach
    }

    /// Stops the provider, runs its shutdown hook and waits for both.
    pub async fn stop(mut self) {
        self.stop.notify_one();
        // The task ends with an error only if the hook panics, which the panic hook has told.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reattach(source: &str, address: &str) -> Reattach {
        let address = Address { network: "unix", address: address.into() };
        Reattach { pid: 7, ..Reattach::new(addresses(source).unwrap(), 6, address) }
    }

    #[test]
    fn describes_one_provider_for_both_registries() {
        let check = |source: &str, expect: &[&str]| {
            assert_eq!(addresses(source).ok().unwrap_or_default(), expect, "{source}");
        };
        check("cloud", &["registry.terraform.io/hashicorp/cloud", "registry.opentofu.org/hashicorp/cloud"]);
        check("a/cloud", &["registry.terraform.io/a/cloud", "registry.opentofu.org/a/cloud"]);
        check("example.com/a/cloud", &["example.com/a/cloud"]);
        for wrong in ["", "/", "a//b", "a/b/c/d", "a/"] {
            check(wrong, &[]);
        }
    }

    #[test]
    fn writes_the_variable() {
        assert_eq!(
            reattach("example.com/a/cloud", "/tmp/plugin1").to_json(),
            concat!(
                r#"{"example.com/a/cloud":{"Protocol":"grpc","ProtocolVersion":6,"Pid":7,"Test":true,"#,
                r#""Addr":{"Network":"unix","String":"/tmp/plugin1"}}}"#
            )
        );
        assert_eq!(reattach("a/cloud", "x").to_json().matches(r#""Pid":7"#).count(), 2);
    }

    #[test]
    fn quotes_odd_paths() {
        let reattach = reattach("example.com/a/cloud", "/tmp/it's \"so\"\\\n/p");
        assert!(reattach.to_json().contains(r#""/tmp/it's \"so\"\\\u000a/p""#));
        if !cfg!(windows) {
            assert!(reattach.instructions().contains(r"it'\''s"));
        }
    }
}
