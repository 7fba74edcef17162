//! The versions of Terraform and OpenTofu that the embedded core emulates.

use semver::Version;

use super::check::Check;
use crate::client::ClientCapabilities;
use crate::plan_rules::summary;
use crate::product::Product;

/// A product and its version, by which some rules differ.
///
/// ```
/// use ferroform_embedded::embedded::{CoreVersion, Product};
///
/// assert_eq!(CoreVersion::default().to_string(), "Terraform 1.15.5");
/// assert_eq!(CoreVersion::terraform(1, 8, 5).product, Product::Terraform);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreVersion {
    /// Whose core.
    pub product: Product,
    /// Which version of it.
    pub version: Version,
}

impl CoreVersion {
    /// A version of Terraform.
    #[must_use]
    pub fn terraform(major: u64, minor: u64, patch: u64) -> Self {
        Self { product: Product::Terraform, version: Version::new(major, minor, patch) }
    }

    /// A version of OpenTofu.
    #[must_use]
    pub fn open_tofu(major: u64, minor: u64, patch: u64) -> Self {
        Self { product: Product::OpenTofu, version: Version::new(major, minor, patch) }
    }

    /// The name by which the product speaks of itself.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.product.name()
    }

    /// What a provider is told about this core.
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities {
            version: self.told_version(),
            write_only_attributes: self.has_write_only(),
            planned_private: self.is_terraform_since(16),
            computed_blocks: self.has_computed_blocks(),
            identities: self.has_identity(),
            ..ClientCapabilities::default()
        }
    }

    /// The version that providers are told: OpenTofu 1.12 names the Terraform with the same abilities.
    fn told_version(&self) -> String {
        match self.product {
            Product::OpenTofu if self.is_since(12) => "1.13.0".to_owned(),
            _ => self.version.to_string(),
        }
    }

    /// Whether this core makes a check at all.
    pub(super) fn makes(&self, check: Check) -> bool {
        match check {
            Check::ReadKnown => self.is_terraform_since(8),
            Check::UpgradeKnown
            | Check::MoveSupported
            | Check::MoveKnown
            | Check::MoveIdentity
            | Check::ImportIdentity
            | Check::ImportWriteOnly
            | Check::SchemaIdentity
            | Check::SchemaFunction => self.product == Product::Terraform,
            _ => true,
        }
    }

    /// Write-only attributes came with 1.11, in both products.
    pub(super) fn has_write_only(&self) -> bool {
        self.is_since(11)
    }

    /// Resource identities came with 1.12, in both products.
    pub(super) fn has_identity(&self) -> bool {
        self.is_since(12)
    }

    /// Blocks that a provider may fill came with Terraform 1.16.
    pub(super) fn has_computed_blocks(&self) -> bool {
        self.is_terraform_since(16)
    }

    /// Whether an identity has to be wholly known where the object is; OpenTofu does not look.
    pub(super) fn checks_identity(&self) -> bool {
        self.product == Product::Terraform
    }

    /// Whether a reference to something that its schema calls deprecated is told of: Terraform does since 1.15.
    pub(super) fn warns_of_deprecated(&self) -> bool {
        self.is_terraform_since(15)
    }

    /// The summary for an upgraded state of a wrong shape.
    pub(super) fn invalid_upgrade(&self) -> &'static str {
        self.by_product(summary::INVALID_UPGRADE, "Invalid resource state transformation")
    }

    /// Whether a move to another type hands over the identity and takes the new one. In OpenTofu the object keeps the old
    /// one, which the target type then upgrades, reads and plans with.
    pub(super) fn moves_identities(&self) -> bool {
        self.product == Product::Terraform
    }

    /// The summary for an answer with a write-only value, which is `otherwise` in Terraform.
    pub(super) fn has_write_only_value(&self, otherwise: &'static str) -> &'static str {
        self.by_product(otherwise, "Invalid provider response")
    }

    /// Whether the result of an apply is stored although it has a write-only value, as in OpenTofu.
    pub(super) fn stores_write_only_value(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// The summary for an import to an address that has an object.
    pub(super) fn already_managed(&self) -> &'static str {
        self.by_product(summary::ALREADY_MANAGED, "Resource already managed by OpenTofu")
    }

    /// Whether there is a second error for a remote state that cannot be read, with the address of its data source.
    pub(super) fn names_unread_state(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// Whether there are warnings about `removed` blocks that do not say what becomes of the object (observed on OpenTofu
    /// 1.12.6).
    pub(super) fn warns_of_removed(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// Whether an object that is still configured is reported at its `removed` block, and not where it is configured (observed
    /// on OpenTofu 1.12.6).
    pub(super) fn reports_at_removed(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// The summary for a resource of a `removed` block that is still configured.
    pub(super) fn removed_resource(&self) -> &'static str {
        self.by_product("Removed resource still exists", "Removed resource block still exists")
    }

    /// The same for a module.
    pub(super) fn removed_module(&self) -> &'static str {
        self.by_product("Removed module still exists", "Removed module block still exists")
    }

    /// Whether local values to which arguments of modules refer are evaluated when the configuration is loaded.
    pub(crate) fn evaluates_locals_on_load(&self) -> bool {
        self.is_terraform_since(15)
    }

    /// Whether providers that can generate configuration are called for it (`GenerateResourceConfig`).
    pub(super) fn calls_generate_config(&self) -> bool {
        self.is_terraform_since(14)
    }

    /// Whether an object is read before it is forgotten, as in OpenTofu.
    pub(super) fn reads_forgotten(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// Whether each instance of a provider is asked for the schemas of identities; OpenTofu asks the first one.
    pub(super) fn asks_identities_again(&self) -> bool {
        self.product == Product::Terraform
    }

    /// Whether plans have the identities of all objects. Terraform leaves out those of objects that drift, are forgotten
    /// or are replaced because they are tainted.
    pub(crate) fn plans_all_identities(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// The summary for an identity of a newer schema.
    pub(super) fn newer_identity(&self) -> &'static str {
        self.by_product(summary::NEWER_PROVIDER, "Resource identity managed by newer provider version")
    }

    /// Whether the second plan of a replacement is told the identity of the first.
    pub(super) fn second_plan_has_identity(&self) -> bool {
        self.product == Product::Terraform
    }

    /// The summary when `prevent_destroy` stands in the way.
    pub(super) fn prevented(&self) -> &'static str {
        match self.product {
            Product::OpenTofu if self.version.minor >= 12 => "Resource instance cannot be destroyed",
            _ => "Instance cannot be destroyed",
        }
    }

    /// Whether objects of a `removed` block that does not say so are destroyed; OpenTofu forgets them.
    pub(super) fn destroys_removed(&self) -> bool {
        self.product == Product::Terraform
    }

    /// Whether objects are forgotten where their `lifecycle` says `destroy = false`, as in OpenTofu since 1.12.
    pub(crate) fn keeps_on_request(&self) -> bool {
        self.product == Product::OpenTofu && self.is_since(12)
    }

    /// Whether equal diagnostics of several instances are reported once; OpenTofu reports that of each.
    pub(super) fn reports_equal_once(&self) -> bool {
        self.product == Product::Terraform
    }

    /// Whether something that is created triggers replacements (`replace_triggered_by`), as in OpenTofu.
    pub(super) fn creation_triggers(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// Whether core knows of deferred changes, as Terraform does since 1.9; OpenTofu does not look at what a provider
    /// says of them.
    pub(super) fn has_deferral(&self) -> bool {
        self.is_terraform_since(9)
    }

    /// Whether a renewal that failed is reported when its ephemeral resource is closed. Terraform 1.11.4 to 1.15.5 says
    /// nothing of it.
    pub(super) fn reports_renewals(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// Whether a provider of which nothing is to be changed is configured for an apply. Terraform 1.8.4 does not, and
    /// 1.11.4 does.
    pub(super) fn configures_unchanged(&self) -> bool {
        self.is_terraform_since(9)
    }

    /// Whether plans as JSON say whether they can be applied and whether they are complete.
    pub(crate) fn tells_applyable(&self) -> bool {
        self.product == Product::Terraform
    }

    /// Whether plans as JSON have the type of a variable and whether it is required, ephemeral and deprecated, as in OpenTofu.
    pub(crate) fn describes_variables(&self) -> bool {
        self.product == Product::OpenTofu
    }

    /// Whether `required_version` counts; OpenTofu passes over it.
    pub(crate) fn requires_version(&self) -> bool {
        self.product == Product::Terraform
    }

    /// What the product says.
    fn by_product(&self, terraform: &'static str, open_tofu: &'static str) -> &'static str {
        match self.product {
            Product::Terraform => terraform,
            Product::OpenTofu => open_tofu,
        }
    }

    fn is_terraform_since(&self, minor: u64) -> bool {
        self.product == Product::Terraform && self.is_since(minor)
    }

    fn is_since(&self, minor: u64) -> bool {
        (self.version.major, self.version.minor) >= (1, minor)
    }
}

/// Terraform 1.15.5.
impl Default for CoreVersion {
    fn default() -> Self {
        Self::terraform(1, 15, 5)
    }
}

impl std::fmt::Display for CoreVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name(), self.version)
    }
}
