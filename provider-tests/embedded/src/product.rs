//! Whose core, and for which platform.

use std::env::consts::{ARCH, OS};
use std::fmt;

/// A program that is a core.
///
/// ```
/// use ferroform_embedded::embedded::Product;
///
/// assert_eq!(Product::OpenTofu.to_string(), "OpenTofu");
/// assert_eq!(Product::OpenTofu.executable(), "tofu");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Product {
    /// HashiCorp Terraform.
    #[default]
    Terraform,
    /// OpenTofu.
    OpenTofu,
}

impl Product {
    /// The name of the executable.
    #[must_use]
    pub fn executable(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::OpenTofu => "tofu",
        }
    }

    /// The name by which it speaks of itself.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Terraform => "Terraform",
            Self::OpenTofu => "OpenTofu",
        }
    }

    /// The host that a provider source address without a host stands for.
    #[must_use]
    #[doc(hidden)]
    pub fn default_host(self) -> &'static str {
        match self {
            Self::Terraform => "registry.terraform.io",
            Self::OpenTofu => "registry.opentofu.org",
        }
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The platform by its names in Go.
#[doc(hidden)]
pub fn platform() -> String {
    let os = if OS == "macos" { "darwin" } else { OS };
    let arch = match ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        other => other,
    };
    format!("{os}_{arch}")
}
