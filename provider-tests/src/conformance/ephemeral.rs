//! An ephemeral resource type under test.

use std::fmt;
use std::sync::Arc;

use ferroform::value::Value;

use super::law::EphemeralLaw;
use super::subject::Subject;
use super::trouble::Troubles;
use crate::case::Time;
use crate::client::Protocol;
use crate::config::Body;

/// An ephemeral resource type, and what only its author knows of it.
///
/// ```
/// use ferroform_testing::config::body;
/// use ferroform_testing::conformance::EphemeralSubject;
/// # use std::collections::BTreeSet;
///
/// # struct Backend { tokens: BTreeSet<String> }
/// let token = EphemeralSubject::new("cloud_token", |_: &Backend| body().set("role", "ci"))
///     .valid(|backend, result| {
///         let token = result.get(&ferroform::path!(token)).and_then(|token| token.as_str());
///         token.is_some_and(|token| backend.tokens.contains(token))
///     });
/// # let _ = token;
/// ```
#[must_use]
pub struct EphemeralSubject<B> {
    subject: Subject<B>,
    except: Vec<(EphemeralLaw, String)>,
}

/// The same when it is complete.
pub(super) struct EphemeralTests<B> {
    pub(super) subject: Arc<Subject<B>>,
    except: Vec<(EphemeralLaw, String)>,
}

impl<B> EphemeralSubject<B> {
    /// An ephemeral resource type, with the smallest configuration that can be opened.
    pub fn new(type_name: impl Into<String>, least: impl Fn(&B) -> Body + Send + Sync + 'static) -> Self {
        Self { subject: Subject::new(type_name, least), except: Vec::new() }
    }

    /// With a way to see whether the service accepts a result now.
    pub fn valid(mut self, valid: impl Fn(&B, &Value) -> bool + Send + Sync + 'static) -> Self {
        self.subject.valid = Some(Arc::new(valid));
        self
    }

    /// With a service that can fail, see [`Subject::troubles`].
    pub fn troubles(mut self, troubles: impl Fn(&B) -> Troubles + Send + Sync + 'static) -> Self {
        self.subject = self.subject.troubles(troubles);
        self
    }

    /// In one protocol only.
    pub fn only(mut self, protocol: Protocol) -> Self {
        self.subject = self.subject.only(protocol);
        self
    }

    /// Without a law, and why. It is reported as an ignored test.
    pub fn except(mut self, law: EphemeralLaw, reason: impl Into<String>) -> Self {
        self.except.push((law, reason.into()));
        self
    }

    pub(super) fn tests(self) -> EphemeralTests<B> {
        EphemeralTests { subject: Arc::new(self.subject), except: self.except }
    }
}

impl<B> EphemeralTests<B> {
    /// The name of its tests: a managed resource may have the same type name.
    pub(super) fn name(&self) -> String {
        named(&self.subject.type_name)
    }

    /// Why a law is not checked.
    pub(super) fn without(&self, law: EphemeralLaw, time: Time) -> Option<String> {
        let excepted = self.except.iter().find(|(it, _)| *it == law).map(|(_, reason)| reason.clone());
        let lacking = match law {
            EphemeralLaw::Renewal if self.subject.valid.is_none() => {
                "there is no way to see whether a result is valid"
            }
            EphemeralLaw::Renewal if time != Time::Virtual => "time is real",
            EphemeralLaw::Troubles if self.subject.troubles.is_none() => {
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

impl<B> fmt::Debug for EphemeralSubject<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EphemeralSubject").field("type_name", &self.subject.type_name).finish_non_exhaustive()
    }
}
