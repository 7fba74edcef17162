//! What only some cores can do.

use std::fmt;

use semver::Version;

use crate::product::Product;

/// Something that only some cores can do.
///
/// The floors are the first release whose side of the protocol implements the feature. They differ between the
/// products, so a test asks for the feature and not for a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// `import` blocks in the configuration.
    ImportBlock,
    /// Functions defined by providers.
    ProviderFunctions,
    /// `moved` blocks between resource types.
    MoveAcrossTypes,
    /// Ephemeral resources.
    EphemeralResources,
    /// Write-only attributes.
    WriteOnlyAttributes,
    /// Resource identity, and import by identity.
    ResourceIdentity,
    /// List resources and the `query` command.
    ListResources,
    /// Actions.
    Actions,
    /// Configuration for imported resources that the provider generates.
    GeneratedImportConfig,
    /// State stores. Only in alpha and development builds.
    StateStores,
    /// Deferred actions. Only in alpha and development builds.
    Deferral,
    /// `destroy` in the `lifecycle` block of a resource. Only in OpenTofu.
    LifecycleDestroy,
}

/// Its name in messages, in the plural.
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ImportBlock => "import blocks",
            Self::ProviderFunctions => "provider functions",
            Self::MoveAcrossTypes => "moves between types",
            Self::EphemeralResources => "ephemeral resources",
            Self::WriteOnlyAttributes => "write-only attributes",
            Self::ResourceIdentity => "resource identities",
            Self::ListResources => "list resources",
            Self::Actions => "actions",
            Self::GeneratedImportConfig => "generated configuration for imports",
            Self::StateStores => "state stores",
            Self::Deferral => "deferred changes",
            Self::LifecycleDestroy => "`destroy` in `lifecycle` blocks",
        })
    }
}

impl Feature {
    /// Whether that version of a product implements it.
    #[doc(hidden)]
    pub fn is_in(self, product: Product, version: &Version) -> bool {
        let Some(floor) = self.floor(product) else { return false };
        let experimental = version.pre.starts_with("alpha") || version.pre.starts_with("dev");
        (version.major, version.minor) >= floor && (experimental || !self.is_experimental())
    }

    /// The first minor version that has the feature; `None` when no version has it.
    fn floor(self, product: Product) -> Option<(u64, u64)> {
        let (terraform, tofu) = match self {
            // OpenTofu had import blocks from its first release on.
            Self::ImportBlock => (Some((1, 5)), Some((1, 6))),
            Self::ProviderFunctions => (Some((1, 8)), Some((1, 7))),
            Self::MoveAcrossTypes => (Some((1, 8)), Some((1, 10))),
            Self::EphemeralResources => (Some((1, 10)), Some((1, 11))),
            Self::WriteOnlyAttributes => (Some((1, 11)), Some((1, 11))),
            Self::ResourceIdentity => (Some((1, 12)), Some((1, 12))),
            Self::ListResources | Self::Actions | Self::GeneratedImportConfig => (Some((1, 14)), None),
            Self::StateStores => (Some((1, 15)), None),
            Self::Deferral => (Some((1, 9)), None),
            Self::LifecycleDestroy => (None, Some((1, 12))),
        };
        match product {
            Product::Terraform => terraform,
            Product::OpenTofu => tofu,
        }
    }

    /// Whether released cores refuse the feature and only alpha and development builds allow it.
    fn is_experimental(self) -> bool {
        matches!(self, Self::StateStores | Self::Deferral)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the features a core has with `expect`, in the order of their declaration.
    fn check(product: Product, version: &str, expect: &[Feature]) {
        use Feature::*;
        let all = [
            ImportBlock,
            ProviderFunctions,
            MoveAcrossTypes,
            EphemeralResources,
            WriteOnlyAttributes,
            ResourceIdentity,
            ListResources,
            Actions,
            GeneratedImportConfig,
            StateStores,
            Deferral,
            LifecycleDestroy,
        ];
        let version = Version::parse(version).expect("a version");
        let found: Vec<Feature> =
            all.into_iter().filter(|feature| feature.is_in(product, &version)).collect();
        assert_eq!(found, expect, "{product} {version}");
    }

    #[test]
    fn features_by_product_and_version() {
        use Feature::*;
        let functions = [ImportBlock, ProviderFunctions, MoveAcrossTypes];
        check(Product::Terraform, "1.4.7", &[]);
        check(Product::Terraform, "1.6.6", &functions[..1]);
        check(Product::Terraform, "1.9.8", &functions);
        check(
            Product::Terraform,
            "1.15.5",
            &[
                ImportBlock,
                ProviderFunctions,
                MoveAcrossTypes,
                EphemeralResources,
                WriteOnlyAttributes,
                ResourceIdentity,
                ListResources,
                Actions,
                GeneratedImportConfig,
            ],
        );
        check(Product::OpenTofu, "1.6.0", &functions[..1]);
        check(Product::OpenTofu, "1.7.0", &functions[..2]);
        check(
            Product::OpenTofu,
            "1.14.0",
            &[
                ImportBlock,
                ProviderFunctions,
                MoveAcrossTypes,
                EphemeralResources,
                WriteOnlyAttributes,
                ResourceIdentity,
                LifecycleDestroy,
            ],
        );
    }

    #[test]
    fn experimental_features_need_an_alpha_or_development_build() {
        use Feature::*;
        let functions = [ImportBlock, ProviderFunctions, MoveAcrossTypes];
        check(Product::Terraform, "1.9.0-beta1", &functions);
        check(Product::Terraform, "1.9.0-alpha20240404", &[&functions[..], &[Deferral]].concat());
    }
}
