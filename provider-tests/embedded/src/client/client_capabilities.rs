//! What a core tells a provider about itself.

use ferroform_proto::tfplugin6 as proto;

/// The version of core, and what it allows providers to do (protocol `ClientCapabilities`).
///
/// The default is Terraform 1.16: write-only attributes, computed blocks, planned private data and identities are
/// allowed, deferrals are not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// The version of core.
    pub version: String,
    /// Whether a provider may put changes off.
    pub deferral: bool,
    /// Whether a configuration may have write-only attributes.
    pub write_only_attributes: bool,
    /// Whether the private data of a plan is sent when it is planned again.
    pub planned_private: bool,
    /// Whether a provider may fill blocks that are not configured.
    pub computed_blocks: bool,
    /// Whether core knows of identities.
    pub identities: bool,
}

impl ClientCapabilities {
    pub(super) fn to_wire(&self) -> proto::ClientCapabilities {
        proto::ClientCapabilities {
            deferral_allowed: self.deferral,
            write_only_attributes_allowed: self.write_only_attributes,
            store_planned_private: self.planned_private,
            computed_blocks_allowed: self.computed_blocks,
        }
    }
}

impl Default for ClientCapabilities {
    fn default() -> Self {
        Self {
            version: "1.16.0".to_owned(),
            deferral: false,
            write_only_attributes: true,
            planned_private: true,
            computed_blocks: true,
            identities: true,
        }
    }
}
