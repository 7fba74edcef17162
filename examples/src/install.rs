//! Makes a program available to Terraform and OpenTofu.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Links `program` into `directory` under the only name that core accepts for a provider of that source address, and
/// returns the text of a CLI configuration file that makes core use it. The directory is created if it is not there; a link that is there is
/// replaced.
///
/// # Errors
/// The directory cannot be made or written, or something else than a link has the name already.
pub fn install(address: &str, program: &Path, directory: &Path) -> io::Result<String> {
    fs::create_dir_all(directory)?;
    let directory = fs::canonicalize(directory)?;
    let name = address.rsplit('/').next().unwrap_or(address);
    let link = directory.join(format!("terraform-provider-{name}{EXE_SUFFIX}"));
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
    Ok(configuration(address, &directory))
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

fn configuration(address: &str, directory: &Path) -> String {
    let name = address.rsplit('/').next().unwrap_or(address);
    let variable = name.to_uppercase();
    let quoted = directory.display().to_string().replace('\\', r"\\").replace('"', r#"\""#);
    format!(
        r#"# Save this as a file, e.g. {name}.tfrc, and name it in the environment; no `init` is needed then:
#
#   TF_CLI_CONFIG_FILE={name}.tfrc terraform plan
#   TF_CLI_CONFIG_FILE={name}.tfrc tofu plan
#
# With {variable}_PROTOCOL=5 in the environment the provider is served over protocol 5.
provider_installation {{
  dev_overrides {{
    "{address}" = "{quoted}"
  }}
  direct {{}}
}}
"#
    )
}
