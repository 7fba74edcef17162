//! The provider of a package: finding it, building it, asking it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use ferroform_testing::address::ProviderAddress;
use ferroform_testing::client::{self, Client, Schemas};
use serde_json::Value as Json;

use crate::failure::{Failure, Outcome};

/// What every program of a provider is called before its name.
pub(crate) const PREFIX: &str = "terraform-provider-";

/// Where the provider is.
#[derive(Debug, Args)]
pub(crate) struct Location {
    /// The Cargo.toml of the provider [default: that of the current folder or of one above].
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// The program of the provider, if the package has several.
    #[arg(long, value_name = "PROGRAM")]
    bin: Option<String>,
    /// The source address, as in `required_providers` [default: `address` in `[package.metadata.ferroform]`].
    #[arg(long, value_name = "HOST/NAMESPACE/TYPE")]
    address: Option<String>,
}

/// A package with a program `terraform-provider-NAME`.
#[derive(Debug)]
pub(crate) struct Provider {
    /// What type names start with: `cloud`.
    pub(crate) name: String,
    /// The version of the package.
    pub(crate) version: String,
    /// The source address.
    pub(crate) address: ProviderAddress,
    /// The folder of the package.
    pub(crate) folder: PathBuf,
    /// The name of the library of the package, as Rust code writes it.
    pub(crate) library: Option<String>,
    /// What its manifest says in `[package.metadata.ferroform]`.
    pub(crate) metadata: Json,
    manifest: PathBuf,
}

impl Location {
    /// Finds the package.
    ///
    /// # Errors
    /// Cargo finds no package, it has no program of the right name, or the address is none.
    pub(crate) fn find(&self) -> Outcome<Provider> {
        let mut cargo = cargo("metadata");
        cargo.args(["--no-deps", "--format-version", "1"]);
        if let Some(manifest) = &self.manifest_path {
            cargo.arg("--manifest-path").arg(manifest);
        }
        let output = cargo.stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| Failure::new(format!("cannot start cargo: {error}")))?;
        if !output.status.success() {
            return Err(Failure::new("cargo found no package; run this in the folder of a provider"));
        }
        let metadata: Json = serde_json::from_slice(&output.stdout)
            .map_err(|error| Failure::new(format!("cargo metadata is not JSON: {error}")))?;
        let manifest = self.manifest_path.as_deref().and_then(|path| path.canonicalize().ok());
        let here = std::env::current_dir().ok();
        let package = package(&metadata, manifest.as_deref(), here.as_deref())?;
        let name = self.program(package)?.to_owned();
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
        let declared = package["metadata"]["ferroform"]["address"].as_str();
        let address = self.address.as_deref().or(declared);
        let address =
            address.map_or_else(|| format!("registry.terraform.io/hashicorp/{name}"), str::to_owned);
        Ok(Provider {
            version: package["version"].as_str().unwrap_or_default().to_owned(),
            address: parse_address(&address)?,
            folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
            library: library(package),
            metadata: package["metadata"]["ferroform"].clone(),
            name,
            manifest,
        })
    }
}

impl Location {
    /// The name of the provider: that of the only program of the right name, or of the one that is asked for.
    fn program<'a>(&self, package: &'a Json) -> Outcome<&'a str> {
        let mut names = programs(package);
        if let Some(wanted) = &self.bin {
            names.retain(|name| *name == wanted || wanted.strip_prefix(PREFIX) == Some(name));
        }
        let package = package["name"].as_str().unwrap_or_default();
        match names[..] {
            [name] => Ok(name),
            [] => Err(Failure::new(format!(
                "the package `{package}` has no program named `{PREFIX}NAME`; core finds a provider by that name, so \
                 name the package or its [[bin]] like that"
            ))),
            _ => Err(Failure::new(format!(
                "the package `{package}` has several providers: {}; choose one with --bin",
                names.join(", ")
            ))),
        }
    }
}

/// The package that is meant: the one of that manifest, the innermost one around the current folder, or the only one.
fn package<'a>(metadata: &'a Json, manifest: Option<&Path>, here: Option<&Path>) -> Outcome<&'a Json> {
    let packages: Vec<&Json> = metadata["packages"].as_array().into_iter().flatten().collect();
    let path = |package: &Json| PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
    if let Some(manifest) = manifest {
        let exact = packages.iter().find(|package| path(package) == manifest);
        return exact
            .copied()
            .ok_or_else(|| Failure::new("the manifest is that of a workspace; name a package"));
    }
    let around = |package: &&&Json| {
        let path = path(package);
        here.zip(path.parent()).is_some_and(|(here, folder)| here.starts_with(folder))
    };
    let innermost = packages.iter().filter(around).max_by_key(|package| path(package).components().count());
    if let Some(package) = innermost {
        return Ok(package);
    }
    let mut providers = packages.iter().filter(|package| !programs(package).is_empty());
    match (providers.next(), providers.next()) {
        (Some(package), None) => Ok(package),
        (None, _) => Err(Failure::new(format!("no package here has a program named `{PREFIX}NAME`"))),
        (Some(_), Some(_)) => {
            Err(Failure::new("several packages here are providers; name one with --manifest-path"))
        }
    }
}

/// The names of the providers that a package has programs for.
fn programs(package: &Json) -> Vec<&str> {
    let targets = package["targets"].as_array().into_iter().flatten();
    let is_program = |target: &&Json| {
        target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin"))
    };
    targets.filter(is_program).filter_map(|target| target["name"].as_str()?.strip_prefix(PREFIX)).collect()
}

fn library(package: &Json) -> Option<String> {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    let library = targets.find(|target| target["kind"][0] == "lib" || target["kind"][0] == "rlib")?;
    Some(library["name"].as_str()?.replace('-', "_"))
}

fn parse_address(text: &str) -> Outcome<ProviderAddress> {
    let parts: Vec<&str> = text.split('/').collect();
    let (host, namespace, type_name) = match parts[..] {
        [host, namespace, type_name] => (host, namespace, type_name),
        [namespace, type_name] => ("registry.terraform.io", namespace, type_name),
        _ => {
            return Err(Failure::new(format!(
                "`{text}` is no source address; it has the form HOST/NAMESPACE/TYPE, such as \
                 registry.terraform.io/acme/cloud"
            )));
        }
    };
    if [host, namespace, type_name].iter().any(|part| part.is_empty()) {
        return Err(Failure::new(format!("`{text}` is no source address: a part of it is empty")));
    }
    Ok(ProviderAddress {
        host: host.to_owned(),
        namespace: namespace.to_owned(),
        type_name: type_name.to_owned(),
    })
}

#[cfg(test)]
impl Provider {
    /// A provider without a package.
    pub(crate) fn for_tests(name: &str, version: &str, address: ProviderAddress) -> Self {
        let (folder, manifest) = (PathBuf::new(), PathBuf::new());
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            address,
            folder,
            library: None,
            metadata: Json::Null,
            manifest,
        }
    }
}

/// The profile of cargo that compiles fastest.
pub(crate) const DEV: &str = "dev";

impl Provider {
    /// Builds the program by a profile of cargo, for the target triple or for this machine, and returns where it is. Cargo
    /// shows its progress.
    ///
    /// # Errors
    /// It does not compile.
    pub(crate) fn build(&self, profile: &str, target: Option<&str>) -> Outcome<PathBuf> {
        let program = format!("{PREFIX}{}", self.name);
        let mut cargo = cargo("build");
        cargo.args(["--message-format", "json-render-diagnostics", "--bin", &program, "--manifest-path"]);
        cargo.arg(&self.manifest).args(["--profile", profile]);
        if let Some(target) = target {
            cargo.args(["--target", target]);
        }
        let output = cargo.stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| Failure::new(format!("cannot start cargo: {error}")))?;
        if !output.status.success() {
            return Err(Failure::new("the provider does not compile; fix what cargo reports above"));
        }
        let mut messages = output.stdout.split(|byte| *byte == b'\n');
        let executable = messages.find_map(|line| {
            let message: Json = serde_json::from_slice(line).ok()?;
            let is_program = message["target"]["name"] == *program;
            is_program.then(|| message["executable"].as_str().map(PathBuf::from))?
        });
        executable.ok_or_else(|| Failure::new(format!("cargo built no program `{program}`")))
    }

    /// Builds the program, starts it and asks for its schemas.
    ///
    /// # Errors
    /// It does not compile or serve, or core would refuse a schema.
    pub(crate) fn schemas(&self) -> Outcome<Schemas> {
        schemas_of(&self.build(DEV, None)?)
    }
}

/// Starts the program of a provider and asks for its schemas.
///
/// # Errors
/// It is no provider, or core would refuse a schema.
pub(crate) fn schemas_of(program: &Path) -> Outcome<Schemas> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(format!("cannot start the runtime: {error}")))?;
    let asked: Result<Schemas, client::Error> = runtime.block_on(async {
        let process = client::Command::new(program).start().await?;
        let client = Client::new(process.connection(), process.protocol());
        let schemas = client::Provider::connect(client).await?.schemas().clone();
        process.shutdown().await?;
        Ok(schemas)
    });
    asked.map_err(|error| Failure::new(format!("{} does not serve its schemas: {error}", program.display())))
}

fn cargo(verb: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg(verb);
    cargo
}
