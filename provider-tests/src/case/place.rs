//! Where a case runs.

use std::fmt;

use super::definition::{Breadth, Case};
use super::source::Source;
use super::step::AnyStep;
use super::time::Time;
use crate::client::Protocol;
use crate::embedded::Dialect;
use crate::real::{Core, Feature, Origin, Product};

/// A core and a protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The core.
    pub core: On,
    /// The protocol that is spoken with providers which leave the choice.
    pub protocol: Protocol,
}

/// A core.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum On {
    /// The embedded one, as that product and version behave.
    Embedded(Dialect),
    /// A real one.
    Real(Core),
}

impl Place {
    /// The embedded core, as the newest Terraform of the matrix behaves.
    #[must_use]
    pub fn embedded(protocol: Protocol) -> Self {
        Self::flavour(Dialect::default(), protocol)
    }

    /// The embedded core, as another product or version behaves.
    #[must_use]
    pub fn flavour(dialect: Dialect, protocol: Protocol) -> Self {
        Self { core: On::Embedded(dialect), protocol }
    }

    /// A real core.
    #[must_use]
    pub fn real(core: Core, protocol: Protocol) -> Self {
        Self { core: On::Real(core), protocol }
    }

    /// Why a case does not run here.
    pub(super) fn refuses<W>(&self, case: &Case<W>) -> Option<String> {
        let needs = |step: &AnyStep<W>| step.action.source().and_then(Source::needs_real_core);
        match &self.core {
            On::Embedded(dialect) => {
                if case.breadth == Breadth::RealOnly {
                    return Some("it is for real cores only".to_owned());
                }
                if let Some(reason) = case.steps.iter().find_map(needs) {
                    return Some(reason);
                }
                let lacking = case.needs.iter().find(|feature| !embedded_has(dialect, **feature));
                lacking.map(|feature| format!("the {} core does not have {}", self.core, name(*feature)))
            }
            On::Real(core) => {
                if case.time == Time::Virtual {
                    return Some("time is virtual on the embedded core only".to_owned());
                }
                let lacking = case.needs.iter().find(|feature| !core.supports(**feature));
                lacking.map(|feature| {
                    format!("{} {} does not have {}", core.product, core.version, name(*feature))
                })
            }
        }
    }
}

impl<W> Case<W> {
    /// The embedded core in all flavours of the case.
    pub(super) fn embedded_in(&self, protocol: Protocol) -> Vec<Place> {
        self.flavours.iter().map(|dialect| Place::flavour(dialect.clone(), protocol)).collect()
    }
}

/// What the embedded core does of what the core has that it speaks as.
fn embedded_has(dialect: &Dialect, feature: Feature) -> bool {
    let left_out =
        matches!(feature, Feature::GeneratedImportConfig | Feature::StateStores | Feature::LifecycleDestroy);
    let (product, version) = (dialect.product, dialect.version.clone());
    let path = std::path::PathBuf::new();
    // That deferral is an experiment of real cores is no reason to do without it here.
    let deferral = feature == Feature::Deferral && product == Product::Terraform;
    !left_out && (deferral || Core { product, version, path, origin: Origin::Path }.supports(feature))
}

fn name(feature: Feature) -> &'static str {
    match feature {
        Feature::ImportBlock => "import blocks",
        Feature::ProviderFunctions => "provider functions",
        Feature::MoveAcrossTypes => "moves between types",
        Feature::EphemeralResources => "ephemeral resources",
        Feature::WriteOnlyAttributes => "write-only attributes",
        Feature::ResourceIdentity => "resource identities",
        Feature::ListResources => "list resources",
        Feature::Actions => "actions",
        Feature::GeneratedImportConfig => "generated configuration for imports",
        Feature::StateStores => "state stores",
        Feature::Deferral => "deferred changes",
        Feature::LifecycleDestroy => "`destroy` in `lifecycle` blocks",
    }
}

/// The number of a protocol.
pub(super) fn number(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::V5 => "5",
        Protocol::V6 => "6",
    }
}

/// As in the names of tests.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/protocol {}", self.core, number(self.protocol))
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded(dialect) if *dialect == Dialect::default() => f.write_str("embedded"),
            Self::Embedded(dialect) => {
                write!(f, "embedded {}@{}", dialect.product.executable(), dialect.version)
            }
            Self::Real(core) => write!(f, "{}@{}", core.product.executable(), core.version),
        }
    }
}
