//! A core: product, version, and what it can do.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use semver::Version;

use super::error::Error;
use super::lock::LockedCore;
use crate::feature::Feature;
use crate::product::Product;

/// A core executable that was asked for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// Terraform or OpenTofu.
    pub product: Product,
    /// The version it reports.
    pub version: Version,
    /// The executable, absolute.
    pub path: PathBuf,
    /// How it was found.
    pub origin: Origin,
}

/// How a core was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Named by this environment variable.
    Variable(&'static str),
    /// An executable on `PATH`.
    Path,
    /// A pinned core in the [`Cache`](super::Cache).
    Cache,
}

/// Which core a test asks for: `terraform@1.15.5`, `tofu@1.11.0`, `tofu`, or `1.15.5` for that Terraform.
///
/// ```
/// use ferroform_cores::{Product, CoreRequest};
///
/// let wanted: CoreRequest = "1.15.5".parse()?;
/// assert_eq!(wanted.product, Product::Terraform);
/// assert_eq!(wanted.to_string(), "terraform@1.15.5");
/// # Ok::<(), ferroform_cores::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CoreRequest {
    /// Terraform or OpenTofu.
    pub product: Product,
    /// The exact version; `None` for whichever is found first.
    pub version: Option<Version>,
}

impl CoreRequest {
    /// Whether this names the other one, or its product alone.
    #[doc(hidden)]
    #[must_use]
    pub fn stands_for(&self, other: &Self) -> bool {
        self.product == other.product && (self.version.is_none() || self.version == other.version)
    }
}

impl Core {
    /// Whether this core implements the feature.
    ///
    /// Pre-releases count as the release they lead to, since a feature is merged before its release. A version newer
    /// than all that is known here counts as having what came before it.
    ///
    /// ```
    /// use ferroform_cores::{Core, Feature, Origin, Product, Version};
    ///
    /// let tofu = Core {
    ///     product: Product::OpenTofu,
    ///     version: Version::new(1, 10, 5),
    ///     path: "/usr/bin/tofu".into(),
    ///     origin: Origin::Path,
    /// };
    /// assert!(tofu.supports(Feature::MoveAcrossTypes));
    /// assert!(!tofu.supports(Feature::EphemeralResources));
    /// ```
    #[must_use]
    pub fn supports(&self, feature: Feature) -> bool {
        feature.is_in(self.product, &self.version)
    }
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({}, {})", self.product, self.version, self.path.display(), self.origin)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "from {name}"),
            Self::Path => f.write_str("on PATH"),
            Self::Cache => f.write_str("from the cache"),
        }
    }
}

impl fmt::Display for CoreRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.product.executable())?;
        self.version.iter().try_for_each(|version| write!(f, "@{version}"))
    }
}

impl From<&LockedCore> for CoreRequest {
    fn from(core: &LockedCore) -> Self {
        Self { product: Product::Terraform, version: Some(core.version.clone()) }
    }
}

impl FromStr for CoreRequest {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (product, version) = match text.split_once('@') {
            Some((product, version)) => (product, Some(version)),
            None if text.starts_with(|first: char| first.is_ascii_digit()) => ("terraform", Some(text)),
            None => (text, None),
        };
        let what = || format!("the core {text:?}");
        let product = match product {
            "terraform" => Product::Terraform,
            "tofu" | "opentofu" => Product::OpenTofu,
            other => {
                return Err(Error::malformed(what(), format!("{other:?} is neither terraform nor tofu")));
            }
        };
        let version =
            version.map(Version::parse).transpose().map_err(|error| Error::malformed(what(), error))?;
        Ok(Self { product, version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wanted_core_reads_and_prints() {
        for (text, expect) in [
            ("1.15.5", Ok("terraform@1.15.5")),
            ("terraform@1.6.6", Ok("terraform@1.6.6")),
            ("tofu", Ok("tofu")),
            ("opentofu", Ok("tofu")),
            ("tofu@1.11.0-rc1", Ok("tofu@1.11.0-rc1")),
            ("pulumi", Err("\"pulumi\" is neither terraform nor tofu")),
            ("1.15", Err("the core \"1.15\" is malformed")),
        ] {
            match (text.parse::<CoreRequest>(), expect) {
                (Ok(wanted), Ok(expect)) => assert_eq!(wanted.to_string(), expect),
                (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
                (found, _) => panic!("{text:?} gave {found:?}"),
            }
        }
    }
}
