//! `cargo ferroform install`: a file-system mirror, or a development override.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use ferroform_testing::address::ProviderAddress;

use crate::failure::{Failure, Outcome};
use crate::files::Folders;
use crate::package::{self, File};
use crate::provider::{DEV, Location};
use crate::target::Target;

/// Install the provider into a file-system mirror, from which `terraform init` and `tofu init` take it.
///
/// Prints the CLI configuration that makes them do so; write it to a file and set TF_CLI_CONFIG_FILE to its path. A provider
/// of one of the two public registries is installed for both, since a source address without a host means another one in
/// Terraform than in OpenTofu.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder of the mirror.
    #[arg(value_name = "DIR", required_unless_present = "dev")]
    mirror: Option<PathBuf>,
    /// Build for development instead, and print a CLI configuration with `dev_overrides`: no `init` is needed then.
    #[arg(long, conflicts_with_all = ["mirror", "profile"])]
    dev: bool,
    #[command(flatten)]
    location: Location,
    /// The profile of cargo to build with.
    #[arg(long, value_name = "PROFILE", default_value = "release")]
    profile: String,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let provider = arguments.location.find()?;
    let addresses = both_registries(&provider.address);
    let Some(mirror) = &arguments.mirror else {
        let program = provider.build(DEV, None)?;
        let folder = program.parent().unwrap_or(Path::new("."));
        println!("provider_installation {{\n  dev_overrides {{");
        for address in addresses {
            println!("    \"{address}\" = {}", quoted(folder));
        }
        println!("  }}\n  direct {{}}\n}}");
        return Ok(());
    };
    let folder = |it: &ProviderAddress| mirror.join(&it.host).join(&it.namespace).join(&it.type_name);
    let folders: Vec<PathBuf> = addresses.iter().map(folder).collect();
    // A build takes minutes, in which it may be interrupted: what shows that they can be made is removed before.
    drop(made(&folders)?);
    let program = provider.build(&arguments.profile, None)?;
    let archive = package::archive(&provider, &Target::host()?, &program)?;
    let _made = made(&folders)?;
    for folder in &folders {
        eprintln!("Installed {}", write(folder, &archive)?.display());
    }
    let mirror = mirror.canonicalize().map_err(|error| Failure::io("find", mirror, &error))?;
    let addresses = addresses.iter().map(|address| format!("\"{address}\"")).collect::<Vec<_>>().join(", ");
    println!("provider_installation {{\n  filesystem_mirror {{");
    println!("    path    = {}\n    include = [{addresses}]", quoted(&mirror));
    println!("  }}\n  direct {{\n    exclude = [{addresses}]\n  }}\n}}");
    Ok(())
}

/// The hosts that a source address without a host means in Terraform and in OpenTofu.
const REGISTRIES: [&str; 2] = ["registry.terraform.io", "registry.opentofu.org"];

/// The addresses by which configurations may name the provider.
fn both_registries(address: &ProviderAddress) -> Vec<ProviderAddress> {
    if !REGISTRIES.contains(&address.host.as_str()) {
        return vec![address.clone()];
    }
    let at = |host: &str| ProviderAddress { host: host.to_owned(), ..address.clone() };
    REGISTRIES.into_iter().map(at).collect()
}

/// Makes folders and checks that they can be written to.
fn made(folders: &[PathBuf]) -> Outcome<Folders> {
    let mut made = Folders::default();
    for folder in folders {
        let tried = made.create(folder).and_then(|()| tempfile::tempfile_in(folder));
        tried.map_err(|error| unwritable(folder, &error))?;
    }
    Ok(made)
}

/// Writes under another name first: core may look at the mirror at any time.
fn write(folder: &Path, archive: &File) -> Outcome<PathBuf> {
    let path = folder.join(&archive.name);
    let mut made = tempfile::NamedTempFile::new_in(folder).map_err(|error| unwritable(folder, &error))?;
    made.write_all(&archive.content).map_err(|error| Failure::io("write", &path, &error))?;
    made.persist(&path).map_err(|error| Failure::io("write", &path, &error.error))?;
    crate::files::allow_reading(&path, 0o644);
    Ok(path)
}

fn unwritable(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!(
        "cannot write to the mirror: {}: {error}; choose a folder that you may write to",
        folder.display()
    ))
}

/// A path as a text of the language.
fn quoted(path: &Path) -> String {
    serde_json::json!(path.to_string_lossy()).to_string()
}
