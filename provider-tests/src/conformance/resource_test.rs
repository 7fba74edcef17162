//! A resource type under test.

use std::fmt;
use std::sync::Arc;

use ferroform::path::Path;
use ferroform::value::Value;
use proptest::strategy::Strategy;

use super::rule::Rule;
use super::service_fault::ServiceFaults;
use crate::client::Protocol;
use crate::config::{Body, Config};
use crate::generate::Generator;

/// A resource type to test, with the facts that only its author knows.
#[must_use]
pub struct ResourceTest<B> {
    pub(super) type_name: String,
    pub(super) minimal: Write<B>,
    pub(super) changed: Option<Write<B>>,
    pub(super) prerequisites: Option<Prerequisites<B>>,
    pub(super) delete_outside: Option<Act<B>>,
    pub(super) drift: Option<Act<B>>,
    pub(super) service_faults: Option<Meet<B>>,
    /// Whether the service accepts the result of an ephemeral resource.
    pub(super) valid: Option<Accept<B>>,
    pub(super) import_id: Option<Path>,
    pub(super) import_except: Vec<Path>,
    pub(super) must_be_known: Vec<Path>,
    pub(super) dependants: Vec<(Path, Vec<Path>)>,
    pub(super) generator: Generator,
    pub(super) cases: u32,
    only: Option<Protocol>,
    except: Vec<(Rule, String)>,
}

type Prerequisites<B> = Arc<dyn Fn(&B) -> Config + Send + Sync>;

type Write<B> = Arc<dyn Fn(&B) -> Body + Send + Sync>;

/// Returns the fault injector of the backend's service.
type Meet<B> = Arc<dyn Fn(&B) -> ServiceFaults + Send + Sync>;

/// Something that is done to the object of a state behind core's back.
pub(super) type Act<B> = Arc<dyn Fn(&B, &Value) + Send + Sync>;

/// Whether the service of a backend accepts a result.
pub(super) type Accept<B> = Arc<dyn Fn(&B, &Value) -> bool + Send + Sync>;

/// How many configurations are made from the schema.
const CASES: u32 = 24;

impl<B> ResourceTest<B> {
    /// A resource type, with the smallest configuration that can be applied.
    pub fn new(type_name: impl Into<String>, minimal: impl Fn(&B) -> Body + Send + Sync + 'static) -> Self {
        Self {
            type_name: type_name.into(),
            minimal: Arc::new(minimal),
            changed: None,
            prerequisites: None,
            delete_outside: None,
            drift: None,
            service_faults: None,
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

    /// With objects that must exist first. The configurations of the resource may refer to them.
    pub fn prerequisites(self, config: impl Fn(&B) -> Config + Send + Sync + 'static) -> Self {
        Self { prerequisites: Some(Arc::new(config)), ..self }
    }

    /// With a function that deletes an object outside of Terraform; it gets the object's state. Without one, the provider
    /// itself deletes the object, and core does not know it.
    pub fn delete_outside(self, act: impl Fn(&B, &Value) + Send + Sync + 'static) -> Self {
        Self { delete_outside: Some(Arc::new(act)), ..self }
    }

    /// With a function that changes an object outside of Terraform, so that the next plan must change it back.
    pub fn change_outside(self, act: impl Fn(&B, &Value) + Send + Sync + 'static) -> Self {
        Self { drift: Some(Arc::new(act)), ..self }
    }

    /// With a service that can fail: at each wait for it in turn, it fails, does not answer, and makes the provider
    /// panic. The fake of an API calls [`ServiceFaults::wait`] wherever it is called.
    pub fn service_faults(
        self,
        service_faults: impl Fn(&B) -> ServiceFaults + Send + Sync + 'static,
    ) -> Self {
        Self { service_faults: Some(Arc::new(service_faults)), ..self }
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

    /// With an attribute that must be known when a change is planned. The path has names only.
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

    /// With a final adjustment of each generated configuration, see [`Generator::adjust`].
    pub fn adjust(mut self, change: impl Fn(Value) -> Value + Send + Sync + 'static) -> Self {
        self.generator = self.generator.adjust(change);
        self
    }

    /// With that many generated configurations for each rule about them instead of 24. They are the same in each run; the
    /// environment variable `PROPTEST_RNG_SEED` is a number that makes others, and `PROPTEST_CASES` is how many. A violation
    /// names both.
    pub fn cases(self, cases: u32) -> Self {
        Self { cases, ..self }
    }

    /// In one protocol only: another test may have the same resource type in the other protocol, with blocks instead of
    /// nested attributes, which protocol 5 does not have.
    pub fn only_protocol(self, protocol: Protocol) -> Self {
        Self { only: Some(protocol), ..self }
    }

    /// Whether the resource type is tested so in a protocol.
    pub(super) fn is_in(&self, protocol: Protocol) -> bool {
        self.only.is_none_or(|only| only == protocol)
    }

    /// Skips a rule, with the reason. The test is reported as ignored.
    pub fn skip_rule(mut self, rule: Rule, reason: impl Into<String>) -> Self {
        self.except.push((rule, reason.into()));
        self
    }

    /// Why a rule is not checked.
    pub(super) fn without(&self, rule: Rule) -> Option<String> {
        let said = self.except.iter().find(|(it, _)| *it == rule).map(|(_, reason)| reason.clone());
        let lacking = match rule {
            Rule::Update | Rule::Replacement | Rule::Dependants if self.changed.is_none() => {
                "there is no changed configuration"
            }
            Rule::Drift if self.drift.is_none() => "there is no way to make it drift",
            Rule::ServiceFaults if self.service_faults.is_none() => "there is no way to let its service fail",
            Rule::ImportId if self.import_id.is_none() => "there is no import id",
            _ => return said,
        };
        said.or_else(|| Some(lacking.to_owned()))
    }
}

impl<B> fmt::Debug for ResourceTest<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTest").field("type_name", &self.type_name).finish_non_exhaustive()
    }
}
