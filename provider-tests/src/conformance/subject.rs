//! A resource type under test.

use std::fmt;
use std::sync::Arc;

use ferroform::path::Path;
use ferroform::value::Value;
use proptest::strategy::Strategy;

use super::law::Law;
use super::trouble::Troubles;
use crate::client::Protocol;
use crate::config::{Body, Config};
use crate::generate::Generator;

/// A resource type, and what only its author knows of it.
#[must_use]
pub struct Subject<B> {
    pub(super) type_name: String,
    pub(super) least: Write<B>,
    pub(super) changed: Option<Write<B>>,
    pub(super) beside: Option<Beside<B>>,
    pub(super) vanish: Option<Act<B>>,
    pub(super) drift: Option<Act<B>>,
    pub(super) troubles: Option<Meet<B>>,
    /// Whether the service accepts the result of an ephemeral resource.
    pub(super) valid: Option<Accept<B>>,
    pub(super) import_id: Option<Path>,
    pub(super) import_except: Vec<Path>,
    pub(super) must_be_known: Vec<Path>,
    pub(super) dependants: Vec<(Path, Vec<Path>)>,
    pub(super) generator: Generator,
    pub(super) cases: u32,
    only: Option<Protocol>,
    except: Vec<(Law, String)>,
}

type Beside<B> = Arc<dyn Fn(&B) -> Config + Send + Sync>;

type Write<B> = Arc<dyn Fn(&B) -> Body + Send + Sync>;

/// Finds what the service of a backend asks whether it is in trouble.
type Meet<B> = Arc<dyn Fn(&B) -> Troubles + Send + Sync>;

/// Something that is done to the object of a state behind core's back.
pub(super) type Act<B> = Arc<dyn Fn(&B, &Value) + Send + Sync>;

/// Whether the service of a backend accepts a result.
pub(super) type Accept<B> = Arc<dyn Fn(&B, &Value) -> bool + Send + Sync>;

/// How many configurations are made from the schema.
const CASES: u32 = 24;

impl<B> Subject<B> {
    /// A resource type, with the smallest configuration that can be applied.
    pub fn new(type_name: impl Into<String>, least: impl Fn(&B) -> Body + Send + Sync + 'static) -> Self {
        Self {
            type_name: type_name.into(),
            least: Arc::new(least),
            changed: None,
            beside: None,
            vanish: None,
            drift: None,
            troubles: None,
            valid: None,
            import_id: None,
            import_except: Vec::new(),
            must_be_known: Vec::new(),
            dependants: Vec::new(),
            generator: Generator::new(),
            cases: CASES,
            only: None,
            except: Vec::new(),
        }
    }

    /// With another configuration, best with everything that can be set; updates are tested with it.
    pub fn changed(self, changed: impl Fn(&B) -> Body + Send + Sync + 'static) -> Self {
        Self { changed: Some(Arc::new(changed)), ..self }
    }

    /// With what has to be there first. The configurations of the resource may refer to it.
    pub fn beside(self, config: impl Fn(&B) -> Config + Send + Sync + 'static) -> Self {
        Self { beside: Some(Arc::new(config)), ..self }
    }

    /// With a way to make an object vanish; it is given what the state has of it. Without one, the provider is made
    /// to delete the object, and core does not hear of it.
    pub fn vanish(self, act: impl Fn(&B, &Value) + Send + Sync + 'static) -> Self {
        Self { vanish: Some(Arc::new(act)), ..self }
    }

    /// With a way to change an object so that its configuration has to be applied again.
    pub fn drift(self, act: impl Fn(&B, &Value) + Send + Sync + 'static) -> Self {
        Self { drift: Some(Arc::new(act)), ..self }
    }

    /// With a service that can fail: at each wait for it in turn, it fails, does not answer, and brings the provider
    /// down. The double of an API asks the [`Troubles`] of the backend wherever it is called.
    pub fn troubles(self, troubles: impl Fn(&B) -> Troubles + Send + Sync + 'static) -> Self {
        Self { troubles: Some(Arc::new(troubles)), ..self }
    }

    /// With the attribute whose value an object is imported by.
    pub fn import_id(self, path: Path) -> Self {
        Self { import_id: Some(path), ..self }
    }

    /// With an attribute that may have another value after an import.
    pub fn import_except(mut self, path: Path) -> Self {
        self.import_except.push(path);
        self
    }

    /// With an attribute that has to be known when a change is planned. The path has names only.
    pub fn must_be_known(mut self, path: Path) -> Self {
        self.must_be_known.push(path);
        self
    }

    /// With the attributes that may change along when one is changed in place, all of them at the top of the schema.
    /// An attribute that is not mentioned changes nothing but itself.
    pub fn dependants(mut self, of: Path, dependants: impl IntoIterator<Item = Path>) -> Self {
        self.dependants.push((of, dependants.into_iter().collect()));
        self
    }

    /// With those values for an attribute, see [`Generator::with`].
    pub fn values<S>(mut self, path: &Path, values: S) -> Self
    where
        S: Strategy<Value = Value> + Send + Sync + 'static,
    {
        self.generator = self.generator.with(path, values);
        self
    }

    /// With a last step for each generated configuration, see [`Generator::settle`].
    pub fn settle(mut self, change: impl Fn(Value) -> Value + Send + Sync + 'static) -> Self {
        self.generator = self.generator.settle(change);
        self
    }

    /// With that many generated configurations for each law about them.
    pub fn cases(self, cases: u32) -> Self {
        Self { cases, ..self }
    }

    /// In one protocol only: another subject may be the same resource type in the other, with blocks in the place of
    /// nested attributes, which protocol 5 does not have.
    pub fn only(self, protocol: Protocol) -> Self {
        Self { only: Some(protocol), ..self }
    }

    /// Whether the resource type is tested so in a protocol.
    pub(super) fn is_in(&self, protocol: Protocol) -> bool {
        self.only.is_none_or(|only| only == protocol)
    }

    /// Without a law, and why. It is reported as an ignored test.
    pub fn except(mut self, law: Law, reason: impl Into<String>) -> Self {
        self.except.push((law, reason.into()));
        self
    }

    /// Why a law is not checked.
    pub(super) fn without(&self, law: Law) -> Option<String> {
        let said = self.except.iter().find(|(it, _)| *it == law).map(|(_, reason)| reason.clone());
        let lacking = match law {
            Law::Update | Law::Replacement | Law::Dependants if self.changed.is_none() => {
                "there is no changed configuration"
            }
            Law::Drift if self.drift.is_none() => "there is no way to make it drift",
            Law::Troubles if self.troubles.is_none() => "there is no way to let its service fail",
            Law::ImportId if self.import_id.is_none() => "there is no import id",
            _ => return said,
        };
        said.or_else(|| Some(lacking.to_owned()))
    }
}

impl<B> fmt::Debug for Subject<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("type_name", &self.type_name).finish_non_exhaustive()
    }
}
