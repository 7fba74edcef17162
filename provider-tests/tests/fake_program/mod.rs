//! Programs that are shell scripts.
#![cfg(unix)]
#![allow(dead_code, reason = "each test file uses a part")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use ferroform_testing::real::{Core, Origin, Product, Version};
use tempfile::TempDir;

/// A directory with a program that runs the lines of `behaviour`.
pub(crate) struct Fake {
    dir: TempDir,
    name: String,
}

impl Fake {
    pub(crate) fn new(name: &str, behaviour: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fake-program.sh");
        symlink(program, dir.path().join(name)).expect("linked");
        fs::write(dir.path().join("behaviour.sh"), behaviour).expect("written");
        Self { dir, name: name.to_owned() }
    }

    /// A core that only knows its version.
    pub(crate) fn version(name: &str, product: &str, version: &str) -> Self {
        Self::new(name, &version_behaviour(product, version))
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }

    /// This program, taken for a core without asking.
    pub(crate) fn core(&self) -> Core {
        let version = Version::new(1, 11, 4);
        Core { product: Product::Terraform, version, path: self.program(), origin: Origin::Path }
    }
}

/// The lines that answer `version` and `version -json`, and count the calls in the file `calls`.
fn version_behaviour(product: &str, version: &str) -> String {
    format!(
        r#"echo "$@" >> "$here/calls"
case "$*" in
  "version -json") echo '{{"terraform_version":"{version}","platform":"linux_amd64"}}' ;;
  version) echo '{product} v{version}'; echo 'on linux_amd64' ;;
  *) exit 127 ;;
esac
"#
    )
}
