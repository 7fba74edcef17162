//! The calls of a data source, with the checks that core makes of what it has read.

use ferroform::value::Value;

use super::Deferral;
use super::check::Check;
use super::log::Log;
use super::object::Kind;
use super::session::Session;
use crate::client::{Provider, ReadDataResponse};
use crate::plan_rules::{assert_wholly_known, summary};

/// A data source at a provider.
pub(super) struct DataSource<'a> {
    pub(super) session: &'a Session,
    pub(super) provider: &'a Provider,
    pub(super) kind: Kind<'a>,
}

impl DataSource<'_> {
    /// Whether the provider finds nothing wrong with a configuration.
    pub(super) async fn validate(&self, config: &Value, log: &mut Log) -> bool {
        let validate = self.provider.validate_data_source(self.kind.type_name, config);
        if let Some(found) = log.answered(self.session.limited(validate).await) {
            log.provider(found);
        }
        log.is_fine()
    }

    /// Validates the configuration, and reads. `None` if that failed.
    pub(super) async fn read(&self, config: &Value, log: &mut Log) -> Option<ReadDataResponse> {
        if !self.validate(config, log).await {
            return None;
        }
        let read = self.provider.read_data(self.kind.type_name, config);
        let mut read = log.answered(self.session.limited(read).await)?;
        log.provider(std::mem::take(&mut read.diagnostics));
        if !log.is_fine() {
            return None;
        }
        read.deferred = read.deferred.filter(|_| self.session.core.emulated.has_deferral());
        if read.deferred.is_some() {
            if self.session.core.deferral == Deferral::Allowed {
                return Some(read);
            }
            if self.session.checks(Check::Deferral) {
                log.error(
                    summary::DEFERRED,
                    "The provider put reading off, which was not allowed. This is a bug in the provider.",
                );
            }
        }
        if read.value.is_null() && self.session.checks(Check::DataNull) {
            let detail =
                "The provider produced a null object for a data source. This is a bug in the provider.";
            log.error("Provider produced null object", detail);
        }
        if self.session.checks(Check::DataKnown) {
            log.problems(summary::INVALID_OBJECT, assert_wholly_known(&read.value));
        }
        log.is_fine().then_some(read)
    }
}
