//! `cargo ferroform install`: a file-system mirror, or a development override.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Failure, Outcome};
use crate::package;
use crate::provider::{Location, Profile};
use crate::target::Target;

/// Install the provider into a file-system mirror, from which `terraform init` and `tofu init` take it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder of the mirror.
    #[arg(value_name = "DIR", required_unless_present = "dev")]
    mirror: Option<PathBuf>,
    /// Build for development instead, and print a CLI configuration with `dev_overrides`.
    #[arg(long, conflicts_with = "mirror")]
    dev: bool,
    #[command(flatten)]
    location: Location,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let provider = arguments.location.find()?;
    let address = &provider.address;
    let Some(mirror) = &arguments.mirror else {
        let program = provider.build(Profile::Dev, None)?;
        let folder = program.parent().unwrap_or(Path::new("."));
        eprintln!("Write this to a file and set TF_CLI_CONFIG_FILE to its path. No `init` is needed then.");
        println!("provider_installation {{");
        println!("  dev_overrides {{");
        println!("    \"{address}\" = {}", serde_json::json!(folder.to_string_lossy()));
        println!("  }}");
        println!("  direct {{}}");
        println!("}}");
        return Ok(());
    };
    let program = provider.build(Profile::Release, None)?;
    let archive = package::archive(&provider, &Target::host()?, &program)?;
    let folder = mirror.join(&address.host).join(&address.namespace).join(&address.type_name);
    fs::create_dir_all(&folder).map_err(|error| Failure::io("create", &folder, &error))?;
    let path = folder.join(&archive.name);
    // Under another name first: core may look at the mirror at any time.
    let mut made =
        tempfile::NamedTempFile::new_in(&folder).map_err(|error| Failure::io("write to", &folder, &error))?;
    std::io::Write::write_all(&mut made, &archive.content)
        .map_err(|error| Failure::io("write", &path, &error))?;
    made.persist(&path).map_err(|error| Failure::io("write", &path, &error.error))?;
    let mirror = mirror.canonicalize().map_err(|error| Failure::io("find", mirror, &error))?;
    println!("{}", path.display());
    eprintln!("\nA CLI configuration that takes the provider from there:\n");
    eprintln!("provider_installation {{");
    eprintln!("  filesystem_mirror {{");
    eprintln!("    path    = {}", serde_json::json!(mirror.to_string_lossy()));
    eprintln!("    include = [\"{address}\"]");
    eprintln!("  }}");
    eprintln!("  direct {{");
    eprintln!("    exclude = [\"{address}\"]");
    eprintln!("  }}");
    eprintln!("}}");
    Ok(())
}
