//! Makes the program available to Terraform and OpenTofu.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::ADDRESS;

/// Links `program` into `directory` under the only name that core accepts, and returns the text of a CLI
/// configuration file that makes core use it. The directory is created if it is not there; a link that is there is
/// replaced.
///
/// # Errors
/// The directory cannot be made or written, or something else than a link has the name already.
pub fn install(program: &Path, directory: &Path) -> io::Result<String> {
    fs::create_dir_all(directory)?;
    let directory = fs::canonicalize(directory)?;
    let link = directory.join(format!("terraform-provider-demo{EXE_SUFFIX}"));
    match fs::symlink_metadata(&link) {
        Ok(metadata) if metadata.is_symlink() => fs::remove_file(&link)?,
        Ok(_) => {
            let message = format!("{} exists and is no link; remove it first", link.display());
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    connect(&fs::canonicalize(program)?, &link)?;
    Ok(configuration(&directory))
}

/// Linked rather than copied, so that the provider is the one that was built last.
#[cfg(unix)]
fn connect(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Making links is a privilege here.
#[cfg(not(unix))]
fn connect(program: &Path, link: &Path) -> io::Result<()> {
    fs::copy(program, link).map(drop)
}

fn configuration(directory: &Path) -> String {
    let quoted = directory.display().to_string().replace('\\', r"\\").replace('"', r#"\""#);
    format!(
        r#"# Save this as a file, e.g. demo.tfrc, and name it in the environment; no `init` is needed then:
#
#   TF_CLI_CONFIG_FILE=demo.tfrc terraform plan
#   TF_CLI_CONFIG_FILE=demo.tfrc tofu plan
#
# With DEMO_PROTOCOL=5 in the environment the provider is served over protocol 5, with blocks.
provider_installation {{
  dev_overrides {{
    "{ADDRESS}" = "{quoted}"
  }}
  direct {{}}
}}
"#
    )
}
