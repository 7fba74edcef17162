//! One core, one provider and one state, and short words for what is done with them.

use ferroform_testing::address::{InstanceAddress, ProviderAddress};
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::embedded::{Core, Outcome, PlanOptions};
use ferroform_testing::language::module::Configuration;
use ferroform_testing::plan::Plan;
use ferroform_testing::state::State;

use crate::embedded::fake::Fake;

pub(crate) struct TestEnvironment {
    pub(crate) fake: Fake,
    pub(crate) core: Core,
    pub(crate) state: State,
}

pub(crate) fn provider_address() -> ProviderAddress {
    "registry.terraform.io/acme/fake".parse().unwrap()
}

pub(crate) fn address(text: &str) -> InstanceAddress {
    text.parse().unwrap()
}

impl TestEnvironment {
    pub(crate) fn new(fake: Fake) -> Self {
        let core = Core::new().with_provider("fake", provider_address(), {
            let fake = fake.clone();
            move || {
                let client = fake.client();
                async move { Ok(client) }
            }
        });
        Self { fake, core, state: State::default() }
    }

    /// The same stage with another core.
    pub(crate) fn with(self, change: impl FnOnce(Core) -> Core) -> Self {
        Self { core: change(self.core), ..self }
    }

    pub(crate) async fn plan(&self, configuration: impl Into<Configuration>) -> Plan {
        self.core.plan(configuration, &self.state, &PlanOptions::default()).await
    }

    pub(crate) async fn plan_with(
        &self,
        configuration: impl Into<Configuration>,
        options: &PlanOptions,
    ) -> Plan {
        self.core.plan(configuration, &self.state, options).await
    }

    /// Applies a plan and keeps the state.
    pub(crate) async fn apply(&mut self, plan: &Plan) -> Vec<String> {
        let outcome = self.core.apply(plan).await;
        self.keep(outcome)
    }

    /// Plans and applies, which has to succeed.
    pub(crate) async fn up(&mut self, configuration: impl Into<Configuration>) {
        let plan = self.plan(configuration).await;
        assert_eq!(summaries(&plan.diagnostics), [""; 0]);
        assert_eq!(self.apply(&plan).await, [""; 0]);
        self.fake.calls();
    }

    pub(crate) fn keep(&mut self, outcome: Outcome) -> Vec<String> {
        self.state = outcome.state;
        summaries(&outcome.diagnostics)
    }
}

/// What was said: `error` or `warning`, the address, and the summary.
pub(crate) fn summaries(diagnostics: &[Diagnostic]) -> Vec<String> {
    let each = diagnostics.iter().map(|it| {
        let kind = if it.is_error() { "error" } else { "warning" };
        let path = it.path.as_ref().filter(|path| !path.is_root());
        let path = path.map(|path| format!(" .{path}")).unwrap_or_default();
        format!("{kind} {}{path}: {}", it.address.as_deref().unwrap_or("-"), it.summary)
    });
    each.collect()
}

/// The actions of a plan: address, deposed key, action and reason.
pub(crate) fn actions(plan: &Plan) -> Vec<String> {
    let each = plan.changes.iter().map(|it| {
        let deposed = it.deposed.as_ref().map(|key| format!(" ({key})")).unwrap_or_default();
        let reason = it.reason.map(|reason| format!(" {}", reason.as_str())).unwrap_or_default();
        format!("{}{deposed} {}{reason}", it.address, it.action.words().join("+"))
    });
    each.collect()
}
