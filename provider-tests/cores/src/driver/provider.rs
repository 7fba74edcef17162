//! How providers are attached to a workspace.

use std::env::consts::EXE_SUFFIX;
use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ferroform::Protocol;
use serde_json::{Map, Value, json};

use super::super::error::Error;
use crate::product::{Product, platform};

/// A provider under test, and how the core reaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Host, if one was given, namespace and type.
    source: String,
    attachment: Attachment,
}

/// The address of a provider that serves already, from its handshake line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReattachAddress {
    /// A Unix socket.
    Unix(PathBuf),
    /// A TCP address.
    Tcp(SocketAddr),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Attachment {
    Mirror { version: String, executable: PathBuf },
    DevOverride { executable: PathBuf },
    Reattach { protocol: Protocol, pid: u32, address: ReattachAddress },
}

impl Provider {
    /// A provider that `init` installs from a directory, and that core starts for each command.
    ///
    /// `source` is what the configuration's `source` says, such as `acme/thing`.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the source is not `[host/]namespace/type` or the version is none.
    ///
    /// ```
    /// use ferroform_cores::Provider;
    ///
    /// assert!(Provider::mirror("acme/thing", "1.0.0", "target/debug/terraform-provider-thing").is_ok());
    /// assert!(Provider::mirror("thing", "1.0.0", "target/debug/terraform-provider-thing").is_err());
    /// ```
    pub fn mirror(source: &str, version: &str, executable: impl Into<PathBuf>) -> Result<Self, Error> {
        semver::Version::parse(version)
            .map_err(|error| Error::malformed(format!("the provider version {version:?}"), error))?;
        Self::new(source, Attachment::Mirror { version: version.to_owned(), executable: executable.into() })
    }

    /// A provider that core starts for each command without `init`, by a `dev_overrides` setting.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the source is not `[host/]namespace/type`.
    pub fn dev_override(source: &str, executable: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::new(source, Attachment::DevOverride { executable: executable.into() })
    }

    /// A provider that serves already, without TLS, in the process `pid`. One server then answers all commands.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the source is not `[host/]namespace/type`.
    pub fn reattach(
        source: &str,
        protocol: Protocol,
        pid: u32,
        address: ReattachAddress,
    ) -> Result<Self, Error> {
        Self::new(source, Attachment::Reattach { protocol, pid, address })
    }

    fn new(source: &str, attachment: Attachment) -> Result<Self, Error> {
        let parts: Vec<&str> = source.split('/').collect();
        let plain = |part: &&str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        };
        if !(2..=3).contains(&parts.len()) || !parts.iter().all(plain) {
            let what = format!("the provider source {source:?}");
            return Err(Error::malformed(what, "it is not of the form [host/]namespace/type"));
        }
        Ok(Self { source: source.to_owned(), attachment })
    }

    /// What the configuration's `source` says.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether `init` must be run before anything else.
    pub(crate) fn needs_init(&self) -> bool {
        matches!(self.attachment, Attachment::Mirror { .. })
    }

    /// The source with its host, which the products default differently.
    pub(crate) fn full_source(&self, product: Product) -> String {
        match self.source.split('/').count() {
            2 => format!("{}/{}", product.default_host(), self.source),
            _ => self.source.clone(),
        }
    }

    fn file_name(&self) -> String {
        let name = self.source.rsplit('/').next().unwrap_or_default();
        format!("terraform-provider-{name}{EXE_SUFFIX}")
    }
}

/// Puts the executables where the core looks for them, below `root`, and returns the text of the CLI configuration.
/// It names no other source of providers, so that nothing is ever downloaded.
pub(super) fn install(root: &Path, product: Product, providers: &[Provider]) -> Result<String, Error> {
    let mirror = root.join("mirror");
    fs::create_dir_all(&mirror).map_err(Error::io("create", &mirror))?;
    let mut overrides = String::new();
    for (index, provider) in providers.iter().enumerate() {
        match &provider.attachment {
            Attachment::Mirror { version, executable } => {
                let dir = mirror.join(provider.full_source(product)).join(version).join(platform());
                place(executable, &dir, &provider.file_name())?;
            }
            Attachment::DevOverride { executable } => {
                // A directory each: core takes the first file there that fits.
                let dir = root.join("overrides").join(index.to_string());
                place(executable, &dir, &provider.file_name())?;
                let source = provider.full_source(product);
                // Writing to a string does not fail.
                let _ = writeln!(overrides, "    {} = {}", quote(&source), quote(&dir.to_string_lossy()));
            }
            Attachment::Reattach { .. } => {}
        }
    }
    let overrides =
        if overrides.is_empty() { overrides } else { format!("  dev_overrides {{\n{overrides}  }}\n") };
    let mirror = quote(&mirror.to_string_lossy());
    Ok(format!(
        "provider_installation {{\n{overrides}  filesystem_mirror {{\n    path = {mirror}\n  }}\n}}\n"
    ))
}

/// The value of `TF_REATTACH_PROVIDERS`; `None` when no provider is attached that way.
pub(super) fn reattach(product: Product, providers: &[Provider]) -> Option<String> {
    let mut entries = Map::new();
    for provider in providers {
        if let Attachment::Reattach { protocol, pid, address } = &provider.attachment {
            let (network, address) = match address {
                ReattachAddress::Unix(path) => ("unix", path.to_string_lossy().into_owned()),
                ReattachAddress::Tcp(address) => ("tcp", address.to_string()),
            };
            let entry = json!({
                "Protocol": "grpc",
                "ProtocolVersion": protocol.number(),
                "Pid": pid,
                // Without it core shuts the provider down after the first command, or crashes.
                "Test": true,
                "Addr": { "Network": network, "String": address },
            });
            entries.insert(provider.full_source(product), entry);
        }
    }
    (!entries.is_empty()).then(|| Value::Object(entries).to_string())
}

/// Puts an executable into `dir` under `name`. A link keeps large debug builds from being copied for each test.
fn place(executable: &Path, dir: &Path, name: &str) -> Result<(), Error> {
    let executable = executable.canonicalize().map_err(Error::io("find the provider", executable))?;
    fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
    let target = dir.join(name);
    fs::hard_link(&executable, &target)
        .or_else(|_| link(&executable, &target))
        .or_else(|_| fs::copy(&executable, &target).map(drop))
        .map_err(Error::io("put the provider at", &target))
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// A string literal of the CLI configuration language.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace("${", "$${"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_checked() {
        for (source, expect) in [
            ("acme/thing", true),
            ("example.com:8443/acme/thing", true),
            ("thing", false),
            ("a/b/c/d", false),
            ("../acme/thing", false),
            ("acme//thing", false),
            ("acme/th\"ing", false),
        ] {
            assert_eq!(Provider::dev_override(source, "x").is_ok(), expect, "{source}");
        }
    }

    #[test]
    fn executables_stand_where_core_looks() {
        let root = tempfile::tempdir().expect("a directory");
        let executable = root.path().join("built");
        fs::write(&executable, "binary").expect("written");
        let providers = [
            Provider::mirror("acme/thing", "1.2.3", &executable).expect("good"),
            Provider::dev_override("example.com/acme/other", &executable).expect("good"),
        ];
        let config = install(root.path(), Product::OpenTofu, &providers).expect("installed");
        let dir = root.path().display();
        let mirrored =
            format!("mirror/registry.opentofu.org/acme/thing/1.2.3/{}/terraform-provider-thing", platform());
        for file in [mirrored.as_str(), "overrides/1/terraform-provider-other"] {
            let file = root.path().join(format!("{file}{EXE_SUFFIX}"));
            assert_eq!(fs::read_to_string(&file).expect("it is there"), "binary", "{}", file.display());
        }
        let expect = format!(
            "provider_installation {{\n  dev_overrides {{\n    \"example.com/acme/other\" = \"{dir}/overrides/1\"\n  \
             }}\n  filesystem_mirror {{\n    path = \"{dir}/mirror\"\n  }}\n}}\n"
        );
        assert_eq!(config, expect);
        assert_eq!(reattach(Product::OpenTofu, &providers), None);
    }

    #[test]
    fn a_missing_executable_is_named() {
        let root = tempfile::tempdir().expect("a directory");
        let provider = Provider::dev_override("acme/thing", "/does/not/exist").expect("good");
        let error = install(root.path(), Product::Terraform, &[provider]).expect_err("it is missing");
        assert_eq!(error.to_string(), "could not find the provider /does/not/exist");
    }

    #[test]
    fn reattach_names_the_server() {
        let address = ReattachAddress::Unix("/tmp/plugin1".into());
        let provider = Provider::reattach("acme/thing", Protocol::V6, 42, address).expect("good");
        let value: Value =
            serde_json::from_str(&reattach(Product::Terraform, &[provider]).expect("a value")).expect("JSON");
        let expect = json!({"registry.terraform.io/acme/thing": {
            "Protocol": "grpc", "ProtocolVersion": 6, "Pid": 42, "Test": true,
            "Addr": {"Network": "unix", "String": "/tmp/plugin1"},
        }});
        assert_eq!(value, expect);
    }
}
