//! The environment of a test: a workspace, a provider, and the folder in which the provider keeps its objects.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use ferroform_testing::real::{Diagnostic, Outcome, Plan, Provider, ReattachAddress, Severity, Workspace};
use serde_json::Value;
use tempfile::TempDir;

use super::matrix::{Attach, TestTarget, number};
use super::server::Server;

/// A provider binary of this package.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProviderProgram {
    /// The type in the source address; resource types begin with it.
    pub(super) name: &'static str,
    /// The executable.
    pub(super) executable: &'static str,
    /// The variable that chooses the protocol.
    pub(super) protocol_variable: &'static str,
}

/// The provider for everything that can go wrong.
pub(super) const PROBE: ProviderProgram = ProviderProgram {
    name: "probe",
    executable: env!("CARGO_BIN_EXE_terraform-provider-probe"),
    protocol_variable: "PROBE_PROTOCOL",
};

/// The provider for the edge cases of managed resources, which is written with the derive.
pub(super) const CORNER: ProviderProgram = ProviderProgram {
    name: "corner",
    executable: env!("CARGO_BIN_EXE_terraform-provider-corner"),
    protocol_variable: "CORNER_PROTOCOL",
};

/// A provider on the dynamic layer.
pub(super) const PLAIN: ProviderProgram = ProviderProgram {
    name: "plain",
    executable: env!("CARGO_BIN_EXE_terraform-provider-plain"),
    protocol_variable: "PLAIN_PROTOCOL",
};

/// The provider whose identities hold more than the states.
pub(super) const CLOUD: ProviderProgram = ProviderProgram {
    name: "cloud",
    executable: env!("CARGO_BIN_EXE_terraform-provider-cloud"),
    protocol_variable: "CLOUD_PROTOCOL",
};

/// The provider of the examples, which is written with the derive.
pub(super) const DEMO: ProviderProgram = ProviderProgram {
    name: "demo",
    executable: env!("CARGO_BIN_EXE_terraform-provider-demo"),
    protocol_variable: "DEMO_PROTOCOL",
};

/// A workspace with its provider and the provider's folders.
pub(super) struct TestEnvironment {
    pub(super) workspace: Workspace,
    subject: ProviderProgram,
    root: TempDir,
    /// Where the provider puts its socket.
    temporary: TempDir,
    server: Option<Server>,
}

impl ProviderProgram {
    /// What `source` says in `required_providers`.
    pub(super) fn source(&self) -> String {
        format!("example.com/ferroform/{}", self.name)
    }
}

impl TestEnvironment {
    /// The environment for a target of the matrix.
    pub(super) fn open(target: &TestTarget, subject: ProviderProgram) -> Self {
        match target.attach {
            Attach::Spawned | Attach::Embedded => {
                Self::spawned(target, subject, Path::new(subject.executable))
            }
            Attach::Reattached => {
                Self::behind(target, subject, |server| ReattachAddress::Unix(server.socket().to_path_buf()))
            }
        }
    }

    /// A stage with a provider that core starts, by this executable.
    pub(super) fn spawned(target: &TestTarget, subject: ProviderProgram, executable: &Path) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let provider = Provider::dev_override(&subject.source(), executable).expect("a provider");
        let workspace = Workspace::new(&target.core, &[provider])
            .expect("a workspace")
            .with_env(subject.protocol_variable, number(target.protocol))
            // Real cores have it from their configuration.
            .with_env("EMBEDDED_PROVIDER", format!("{}={}", subject.source(), executable.display()))
            .with_env("EMBEDDED_PROTOCOL", number(target.protocol))
            .with_env("TMPDIR", temporary.path());
        let root = tempfile::tempdir().expect("a folder");
        Self { workspace, subject, root, temporary, server: None }
    }

    /// The same stage, with a variable for the core and the providers that it starts from now on.
    pub(super) fn with_variable(self, name: &str, value: &str) -> Self {
        Self { workspace: self.workspace.with_env(name, value), ..self }
    }

    /// A stage with a running provider, which core reaches at the address that `address` gives.
    pub(super) fn behind(
        target: &TestTarget,
        subject: ProviderProgram,
        address: impl FnOnce(&Server) -> ReattachAddress,
    ) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path().to_str().expect("text");
        let variables = [(subject.protocol_variable, number(target.protocol)), ("TMPDIR", folder)];
        let server = Server::start(Path::new(subject.executable), &variables);
        let address = address(&server);
        let provider = Provider::reattach(&subject.source(), target.protocol, server.pid(), address);
        let workspace = Workspace::new(&target.core, &[provider.expect("a provider")]).expect("a workspace");
        let root = tempfile::tempdir().expect("a folder");
        Self { workspace, subject, root, temporary, server: Some(server) }
    }

    /// Writes the configuration: the provider with its folder, and `body`.
    pub(super) fn configure(&self, body: &str) {
        self.configure_at(self.root.path(), body);
    }

    /// Writes the configuration with another folder for the provider.
    pub(super) fn configure_at(&self, root: &Path, body: &str) {
        let (name, source) = (self.subject.name, self.subject.source());
        let head = format!(
            "terraform {{\n  required_providers {{\n    {name} = {{ source = \"{source}\" }}\n  }}\n}}\n\
             provider \"{name}\" {{\n  root = \"{}\"\n}}\n",
            root.display()
        );
        self.workspace.write("main.tf", &format!("{head}{body}")).expect("written");
    }

    /// The folder of the provider.
    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    /// A file in the folder of the provider.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The names of the files in the folder of the provider, sorted.
    pub(super) fn files(&self) -> Vec<String> {
        names(self.root.path())
    }

    /// Makes a plan that has changes.
    pub(super) fn plan(&self) -> Plan {
        let plan = self.workspace.plan(&[]).expect("a plan");
        assert!(plan.has_changes(), "{plan:?}");
        plan
    }

    /// Plans and applies.
    pub(super) fn apply(&self) {
        succeeded(&self.workspace.apply_auto(&[]).expect("an end"));
    }

    /// Checks that nothing is to change.
    pub(super) fn settled(&self) {
        let outcome = self.workspace.plan_only(&[]).expect("a plan");
        assert_eq!(outcome.exit_code, Some(0), "{outcome:?}: {:?}", outcome.messages);
    }

    /// The state file.
    pub(super) fn state(&self) -> Value {
        self.workspace.state().expect("readable").expect("a state file")
    }

    /// The state file as text.
    pub(super) fn state_text(&self) -> String {
        fs::read_to_string(self.state_file()).expect("a state file")
    }

    pub(super) fn state_file(&self) -> PathBuf {
        self.workspace.dir().join("terraform.tfstate")
    }

    /// The addresses in the state, sorted; tainted ones end with `(tainted)`.
    pub(super) fn addresses(&self) -> Vec<String> {
        self.workspace.state().expect("readable").as_ref().map(addresses).unwrap_or_default()
    }

    /// The attributes in the state of the only instance at an address.
    pub(super) fn attributes(&self, address: &str) -> Value {
        let (kind, name) = address.split_once('.').expect("an address");
        let state = self.state();
        let resources = state["resources"].as_array().expect("resources");
        let found = resources.iter().find(|it| it["type"] == kind && it["name"] == name);
        found.unwrap_or_else(|| panic!("{address} is not in the state"))["instances"][0]["attributes"].clone()
    }

    /// Destroys everything and checks that nothing is left in the state.
    pub(super) fn destroy(&self) {
        succeeded(&self.workspace.destroy().expect("an end"));
        assert_eq!(self.addresses(), [""; 0]);
    }

    /// Ends the provider, if it was not started by a core, which has ended it, and checks that no socket is left.
    pub(super) fn close(self) {
        if let Some(server) = self.server {
            server.stop();
        }
        assert_eq!(names(self.temporary.path()), [""; 0]);
    }
}

/// The names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<_> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What a plan is to do: address and actions, changed resources only.
pub(super) fn changes(plan: &Plan) -> Vec<String> {
    let json = plan.json.as_ref().expect("a plan");
    let all = json["resource_changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut changes: Vec<String> = all
        .iter()
        .map(|change| {
            let actions: Vec<_> = change["change"]["actions"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            format!("{} {}", change["address"].as_str().unwrap_or_default(), actions.join(","))
        })
        .filter(|change| !change.ends_with(" no-op"))
        .collect();
    changes.sort();
    changes
}

fn addresses(state: &Value) -> Vec<String> {
    let mut addresses = Vec::new();
    for resource in state["resources"].as_array().into_iter().flatten() {
        for instance in resource["instances"].as_array().into_iter().flatten() {
            let tainted = if instance["status"] == "tainted" { " (tainted)" } else { "" };
            let word = |key: &str| resource[key].as_str().unwrap_or_default().to_owned();
            addresses.push(format!("{}.{}{tainted}", word("type"), word("name")));
        }
    }
    addresses.sort();
    addresses
}

/// Writes a shell script that can be started.
pub(super) fn write_script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

/// Checks that a command succeeded.
pub(super) fn succeeded(outcome: &Outcome) {
    assert!(outcome.succeeded(), "{outcome:?}\n{}", outcome.stderr);
}

/// The errors of a command.
pub(super) fn errors(outcome: &Outcome) -> Vec<&Diagnostic> {
    outcome.diagnostics.iter().filter(|it| it.severity == Severity::Error).collect()
}

/// Checks that a command failed with exactly one error: its summary, and what its detail contains.
pub(super) fn refused<'a>(outcome: &'a Outcome, summary: &str, parts: &[&str]) -> &'a Diagnostic {
    let error = only_error(outcome);
    assert_eq!(error.summary, summary, "{error:#?}");
    for part in parts {
        assert!(error.detail.contains(part), "{part:?} is not in {error:#?}");
    }
    error
}

/// The error of a command that failed with exactly one.
#[track_caller]
pub(super) fn only_error(outcome: &Outcome) -> &Diagnostic {
    assert_eq!(outcome.exit_code, Some(1), "{outcome:?}");
    let errors = errors(outcome);
    let [error] = errors.as_slice() else { panic!("not one error but {errors:#?}\n{}", outcome.stderr) };
    error
}
