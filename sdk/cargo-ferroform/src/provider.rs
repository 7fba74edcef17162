//! The provider of a package: finding it, building it, asking it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use ferroform::Protocol;
use ferroform_testing::address::ProviderAddress;
use ferroform_testing::client::{self, Client, Schemas};
use serde_json::Value as Json;

use crate::failure::{Failure, Outcome};
use crate::target::{Target, host_triple};

/// What every program of a provider is called before its name.
pub(crate) const PREFIX: &str = "terraform-provider-";

/// What to do where no package is found.
const WHERE: &str = "run this in the folder of a provider, or name its manifest with --manifest-path";

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
    /// The names of the packages that it depends on.
    pub(crate) dependencies: Vec<String>,
    manifest: PathBuf,
    /// Where cargo builds.
    target: PathBuf,
}

impl Location {
    /// The package in a folder.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        Self { manifest_path: Some(folder.join("Cargo.toml")), bin: None, address: None }
    }

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
            return Err(Failure::new(format!("cargo found no package; {WHERE}")));
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
            dependencies: names(&package["dependencies"]),
            target: PathBuf::from(metadata["target_directory"].as_str().unwrap_or_default()),
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
        return exact.copied().ok_or_else(|| {
            Failure::new(format!(
                "{} is the manifest of a workspace; name the manifest of a package with --manifest-path",
                manifest.display()
            ))
        });
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
        (None, _) => {
            Err(Failure::new(format!("no package here has a program named `{PREFIX}NAME`; {WHERE}")))
        }
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

/// The names of the members of an array.
fn names(array: &Json) -> Vec<String> {
    let names = array.as_array().into_iter().flatten().filter_map(|it| it["name"].as_str());
    names.map(str::to_owned).collect()
}

fn library(package: &Json) -> Option<String> {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    let library = targets.find(|target| target["kind"][0] == "lib" || target["kind"][0] == "rlib")?;
    Some(library["name"].as_str()?.replace('-', "_"))
}

/// Whether a text has only letters, digits and these marks, and is not empty.
pub(crate) fn is_address_part(text: &str, marks: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric() || marks.contains(it))
}

fn parse_address(text: &str) -> Outcome<ProviderAddress> {
    const FORM: &str = "use HOST/NAMESPACE/TYPE, such as registry.terraform.io/acme/cloud";
    let parts: Vec<&str> = text.split('/').collect();
    let (host, namespace, type_name) = match parts[..] {
        [host, namespace, type_name] => (host, namespace, type_name),
        [namespace, type_name] => ("registry.terraform.io", namespace, type_name),
        _ => return Err(Failure::new(format!("`{text}` is not a source address; {FORM}"))),
    };
    let is_good = [(host, "-.:"), (namespace, "-_"), (type_name, "-_")];
    if let Some((part, _)) = is_good.iter().find(|(part, marks)| !is_address_part(part, marks)) {
        let wrong = if part.is_empty() {
            "a part of it is empty".to_owned()
        } else {
            format!("`{part}` cannot be a part of one")
        };
        return Err(Failure::new(format!("`{text}` is not a source address: {wrong}; {FORM}")));
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
        let (folder, manifest, target) = (PathBuf::new(), PathBuf::new(), PathBuf::new());
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            address,
            folder,
            library: None,
            metadata: Json::Null,
            dependencies: Vec::new(),
            manifest,
            target,
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
        let executable =
            executable.ok_or_else(|| Failure::new(format!("cargo built no program `{program}`")))?;
        if target.is_none() {
            self.is_for_this_machine(&executable)?;
        }
        Ok(executable)
    }

    /// Cargo can be set to build for another machine; it does not say so but by the folder, which has the name of the
    /// target.
    fn is_for_this_machine(&self, program: &Path) -> Outcome {
        let folder = program.ancestors().nth(2).unwrap_or(program);
        if folder.canonicalize().ok() == self.target.canonicalize().ok() {
            return Ok(());
        }
        let triple = folder.file_name().unwrap_or_default().to_string_lossy();
        if Target::from_triple(&triple).ok() == Target::host().ok() {
            return Ok(());
        }
        Err(Failure::new(format!(
            "cargo is set to build for `{triple}`, by CARGO_BUILD_TARGET or `build.target`, and the tool needs a program \
             for this machine; set CARGO_BUILD_TARGET={}, and name other targets to `cargo ferroform package` with \
             --target",
            host_triple()?
        )))
    }

    /// Tries over which protocols a program serves its schemas: a provider with nested attributes has none over protocol 5.
    /// Without a program that runs on this machine, one is built.
    ///
    /// # Errors
    /// It does not compile, or it serves over neither.
    pub(crate) fn protocols(&self, built: Option<PathBuf>) -> Outcome<Vec<Protocol>> {
        let program = built.map_or_else(|| self.build(DEV, None), Ok)?;
        let serves = |protocol: &Protocol| {
            ask(&program, client::Command::new(&program).only(*protocol), async |_| *protocol)
        };
        let (served, failures): (Vec<_>, Vec<_>) =
            [Protocol::V6, Protocol::V5].iter().map(serves).partition(Result::is_ok);
        let mut served: Vec<Protocol> = served.into_iter().flatten().collect();
        served.reverse();
        match failures.into_iter().find_map(Result::err) {
            Some(failure) if served.is_empty() => Err(failure),
            _ => Ok(served),
        }
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
    asked(program, async |provider| provider.schemas().clone())
}

/// Starts the program of a provider, which is not configured, and asks it something.
///
/// # Errors
/// It is no provider, or core would refuse a schema.
pub(crate) fn asked<T>(program: &Path, question: impl AsyncFnOnce(&client::Provider) -> T) -> Outcome<T> {
    ask(program, client::Command::new(program), question)
}

fn ask<T>(
    program: &Path,
    command: client::Command,
    question: impl AsyncFnOnce(&client::Provider) -> T,
) -> Outcome<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(format!("cannot start the runtime: {error}")))?;
    let answered: Result<T, client::Error> = runtime.block_on(async {
        let process = command.start().await?;
        let client = Client::new(process.connection(), process.protocol());
        let answer = question(&client::Provider::connect(client).await?).await;
        process.shutdown().await?;
        Ok(answer)
    });
    answered.map_err(|error| {
        Failure::new(format!(
            "{} does not serve its schemas: {error}; check that its `main` calls `ferroform::serve`, and run `cargo test`",
            program.display()
        ))
    })
}

fn cargo(verb: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg(verb);
    cargo
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Location, Provider, ProviderAddress, host_triple, package, parse_address};

    #[test]
    fn bin_chooses_among_several_programs() {
        let package = serde_json::json!({"name": "two", "targets": [
            {"name": "terraform-provider-a", "kind": ["bin"]},
            {"name": "terraform-provider-b", "kind": ["bin"]},
        ]});
        let program = |bin: Option<&str>| {
            let location = Location { manifest_path: None, bin: bin.map(str::to_owned), address: None };
            location.program(&package).map(str::to_owned)
        };
        assert_eq!(program(Some("b")).expect("chosen"), "b");
        assert_eq!(program(Some("terraform-provider-a")).expect("chosen"), "a");
        let refused = program(None).expect_err("there are two").to_string();
        assert!(refused.contains("a, b; choose one with --bin"), "{refused}");
    }

    #[test]
    fn address_has_the_parts_that_core_accepts() {
        for good in ["acme/cloud", "registry.terraform.io/acme/cloud", "localhost:8080/a_b/my-cloud"] {
            parse_address(good).expect(good);
        }
        for (bad, reason) in [
            ("cloud", "use HOST/NAMESPACE/TYPE"),
            ("acme//cloud", "a part of it is empty"),
            ("a b/c", "`a b` cannot be a part of one"),
            ("a/b!/c", "`b!` cannot be a part of one"),
            ("../acme/cloud!", "`cloud!` cannot be a part of one"),
        ] {
            let refused = parse_address(bad).expect_err(bad).to_string();
            assert!(refused.contains(&format!("`{bad}` is not a source address")), "{refused}");
            assert!(
                refused.contains(reason) && refused.contains("registry.terraform.io/acme/cloud"),
                "{refused}"
            );
        }
    }

    #[test]
    fn workspace_without_a_provider_is_explained() {
        let workspace = serde_json::json!({"packages": []});
        let refused = |manifest: Option<&str>| {
            package(&workspace, manifest.map(AsRef::as_ref), None).expect_err("no package").to_string()
        };
        assert!(refused(Some("/x/Cargo.toml")).starts_with("/x/Cargo.toml is the manifest of a workspace"));
        let nothing = refused(None);
        assert!(nothing.contains("or name its manifest with --manifest-path"), "{nothing}");
    }

    #[test]
    fn program_for_another_machine_is_refused() {
        let root = tempfile::tempdir().expect("a folder");
        let address = ProviderAddress { host: "h".into(), namespace: "n".into(), type_name: "t".into() };
        let provider =
            Provider { target: root.path().to_owned(), ..Provider::for_tests("cloud", "1.0.0", address) };
        let check = |folder: &str| {
            let folder = root.path().join(folder);
            fs::create_dir_all(&folder).expect("a folder");
            provider.is_for_this_machine(&folder.join("terraform-provider-cloud"))
        };
        check("debug").expect("cargo is not set");
        let host = host_triple().expect("a triple");
        check(&format!("{host}/debug")).expect("it is set to this machine");
        let other =
            if host.contains("windows") { "x86_64-unknown-linux-gnu" } else { "x86_64-pc-windows-gnu" };
        for other in [other, "wasm32-wasip1"] {
            let refused = check(&format!("{other}/debug")).expect_err(other).to_string();
            assert!(
                refused.contains(other) && refused.contains(&format!("CARGO_BUILD_TARGET={host}")),
                "{refused}"
            );
        }
    }
}
