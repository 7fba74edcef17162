//! Where a case runs.

use std::fmt;

use ferroform_embedded::feature::Feature;
use ferroform_embedded::product::Product;

use super::definition::{Case, RunsOn};
use super::source::Source;
use super::step::{AnyStep, Do};
#[cfg(feature = "cores")]
use super::time::Time;
use crate::client::Protocol;
use crate::embedded::CoreVersion;
#[cfg(feature = "cores")]
use crate::real::Core;

/// A core and a protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The core.
    pub core: TargetCore,
    /// The protocol that is spoken with providers which leave the choice.
    pub protocol: Protocol,
}

/// A core.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetCore {
    /// The embedded one, as that product and version behave.
    Embedded(CoreVersion),
    /// A real one.
    #[cfg(feature = "cores")]
    Real(Core),
}

impl Target {
    /// The embedded core, as the newest Terraform of the matrix behaves.
    #[must_use]
    pub fn embedded(protocol: Protocol) -> Self {
        Self::emulating(CoreVersion::default(), protocol)
    }

    /// The embedded core, as another product or version behaves.
    #[must_use]
    pub fn emulating(version: CoreVersion, protocol: Protocol) -> Self {
        Self { core: TargetCore::Embedded(version), protocol }
    }

    /// A real core.
    #[cfg(feature = "cores")]
    #[must_use]
    pub fn real(core: Core, protocol: Protocol) -> Self {
        Self { core: TargetCore::Real(core), protocol }
    }

    /// Why a case does not run here.
    pub(super) fn refuses<B>(&self, case: &Case<B>) -> Option<String> {
        if let Some(reason) = case.conditions.iter().find_map(|condition| condition()) {
            return Some(reason);
        }
        if let (Some(_), Some(reason)) = (&case.state_store, self.has_no_state_stores()) {
            return Some(reason.to_owned());
        }
        let needs = |step: &AnyStep<B>| step.action.source().and_then(Source::needs_real_core);
        match &self.core {
            TargetCore::Embedded(emulated) => {
                if case.runs_on == RunsOn::RealOnly {
                    return Some("it is for real cores only".to_owned());
                }
                if let Some(reason) = case.steps.iter().find_map(needs) {
                    return Some(reason);
                }
                let lacking = needs_of(case).find(|feature| !embedded_has(emulated, *feature));
                lacking.map(|feature| format!("the {} core does not have {feature}", self.core))
            }
            #[cfg(feature = "cores")]
            TargetCore::Real(core) => {
                if case.time == Time::Virtual {
                    return Some("time is virtual on the embedded core only".to_owned());
                }
                let lacking = needs_of(case).find(|feature| !core.supports(*feature));
                lacking.map(|feature| format!("{} {} does not have {}", core.product, core.version, feature))
            }
        }
    }

    /// Why a case cannot keep its state in a state store here.
    fn has_no_state_stores(&self) -> Option<&'static str> {
        match &self.core {
            _ if self.protocol == Protocol::V5 => Some("state stores need protocol 6"),
            #[cfg(feature = "cores")]
            TargetCore::Real(_) => Some("cases use state stores on the embedded core only"),
            TargetCore::Embedded(emulated) => {
                (emulated.product == Product::OpenTofu).then_some("OpenTofu has no state stores")
            }
        }
    }
}

impl<B> Case<B> {
    /// The embedded core in all versions that the case emulates.
    pub(super) fn embedded_in(&self, protocol: Protocol) -> Vec<Target> {
        self.emulated.iter().map(|emulated| Target::emulating(emulated.clone(), protocol)).collect()
    }
}

/// The features that a case requires and that its steps need.
fn needs_of<B>(case: &Case<B>) -> impl Iterator<Item = Feature> {
    let has_query = case.steps.iter().any(|step| matches!(step.action, Do::Query(..)));
    case.needs.iter().copied().chain(has_query.then_some(Feature::ListResources))
}

/// Whether the embedded core has a feature of the core that it emulates.
fn embedded_has(emulated: &CoreVersion, feature: Feature) -> bool {
    let product = emulated.product;
    // That deferral is an experiment of real cores is no reason to do without it here.
    let deferral = feature == Feature::Deferral && product == Product::Terraform;
    feature != Feature::StateStores && (deferral || feature.is_in(product, &emulated.version))
}

/// As in the names of tests.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/protocol {}", self.core, self.protocol.number())
    }
}

impl fmt::Display for TargetCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded(emulated) if *emulated == CoreVersion::default() => f.write_str("embedded"),
            Self::Embedded(emulated) => {
                write!(f, "embedded {}@{}", emulated.product.executable(), emulated.version)
            }
            #[cfg(feature = "cores")]
            Self::Real(core) => write!(f, "{}@{}", core.product.executable(), core.version),
        }
    }
}
