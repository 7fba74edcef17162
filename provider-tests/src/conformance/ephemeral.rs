//! An ephemeral resource type under test.

use std::fmt;
use std::sync::Arc;

use ferroform::value::Value;

use super::resource_test::ResourceTest;
use super::rule::EphemeralRule;
use super::service_fault::ServiceFaults;
use crate::case::Time;
use crate::client::Protocol;
use crate::config::Body;

/// An ephemeral resource type to test, with the facts that only its author knows.
///
/// ```
/// use ferroform_testing::config::body;
/// use ferroform_testing::conformance::EphemeralResourceTest;
/// # use std::collections::BTreeSet;
///
/// # struct Backend { tokens: BTreeSet<String> }
/// let token = EphemeralResourceTest::new("cloud_token", |_: &Backend| body().set("role", "ci"))
///     .valid(|backend, result| {
///         let token = result.get(&ferroform::path!(token)).and_then(|token| token.as_str());
///         token.is_some_and(|token| backend.tokens.contains(token))
///     });
/// # let _ = token;
/// ```
#[must_use]
pub struct EphemeralResourceTest<B> {
    subject: ResourceTest<B>,
    except: Vec<(EphemeralRule, String)>,
}

/// The same when it is complete.
pub(super) struct NamedEphemeralTest<B> {
    pub(super) subject: Arc<ResourceTest<B>>,
    except: Vec<(EphemeralRule, String)>,
}

impl<B> EphemeralResourceTest<B> {
    /// An ephemeral resource type, with the smallest configuration that can be opened.
    pub fn new(type_name: impl Into<String>, minimal: impl Fn(&B) -> Body + Send + Sync + 'static) -> Self {
        Self { subject: ResourceTest::new(type_name, minimal), except: Vec::new() }
    }

    /// With a way to see whether the service accepts a result now.
    pub fn valid(mut self, valid: impl Fn(&B, &Value) -> bool + Send + Sync + 'static) -> Self {
        self.subject.valid = Some(Arc::new(valid));
        self
    }

    /// With a service that can fail, see [`ResourceTest::service_faults`].
    pub fn service_faults(
        mut self,
        service_faults: impl Fn(&B) -> ServiceFaults + Send + Sync + 'static,
    ) -> Self {
        self.subject = self.subject.service_faults(service_faults);
        self
    }

    /// In one protocol only.
    pub fn only_protocol(mut self, protocol: Protocol) -> Self {
        self.subject = self.subject.only_protocol(protocol);
        self
    }

    /// Skips a rule, with the reason. The test is reported as ignored.
    pub fn skip_rule(mut self, rule: EphemeralRule, reason: impl Into<String>) -> Self {
        self.except.push((rule, reason.into()));
        self
    }

    pub(super) fn tests(self) -> NamedEphemeralTest<B> {
        NamedEphemeralTest { subject: Arc::new(self.subject), except: self.except }
    }
}

impl<B> NamedEphemeralTest<B> {
    /// The name of its tests: a managed resource may have the same type name.
    pub(super) fn name(&self) -> String {
        named(&self.subject.type_name)
    }

    /// Why a rule is not checked.
    pub(super) fn without(&self, rule: EphemeralRule, time: Time) -> Option<String> {
        let excepted = self.except.iter().find(|(it, _)| *it == rule).map(|(_, reason)| reason.clone());
        let lacking = match rule {
            EphemeralRule::Renewal if self.subject.valid.is_none() => {
                "there is no way to see whether a result is valid"
            }
            EphemeralRule::Renewal if time != Time::Virtual => "time is real",
            EphemeralRule::ServiceFaults if self.subject.service_faults.is_none() => {
                "there is no way to let its service fail"
            }
            _ => return excepted,
        };
        excepted.or_else(|| Some(lacking.to_owned()))
    }
}

/// The name of an ephemeral resource type among resource types.
pub(super) fn named(type_name: &str) -> String {
    format!("ephemeral.{type_name}")
}

impl<B> fmt::Debug for EphemeralResourceTest<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EphemeralResourceTest")
            .field("type_name", &self.subject.type_name)
            .finish_non_exhaustive()
    }
}
