//! What is done on both cores.

use ferroform_acceptance::wrong::Fault;
use ferroform_testing::config::Config;
use ferroform_testing::embedded::PlanOptions;

/// The address of the provider.
pub(crate) const SOURCE: &str = "registry.terraform.io/acme/wrong";

/// Steps that are taken one after the other, with one state.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) steps: Vec<Step>,
}

/// A command, and what is wrong with the provider meanwhile.
pub(crate) struct Step {
    pub(crate) command: Command,
    pub(crate) fault: Option<Fault>,
}

pub(crate) enum Command {
    /// A plan is made, shown and, if it succeeded, applied.
    Apply(Config, PlanOptions),
    /// A plan is made and applied in one go, and not shown.
    ApplyAtOnce(Config),
    /// A plan is made and shown.
    Plan(Config, PlanOptions),
    Refresh(Config),
    Destroy(Config),
    /// The object of an id is imported to an address.
    Import(Config, &'static str, &'static str),
    /// The only object of the resource of that type and name is tainted.
    Taint(&'static str, &'static str),
    /// The state file is replaced.
    State(Vec<u8>),
}

impl Scenario {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, steps: Vec::new() }
    }

    /// With a command of a sound provider.
    pub(crate) fn then(mut self, command: Command) -> Self {
        self.steps.push(Step { command, fault: None });
        self
    }

    /// With a command of a provider with a fault.
    pub(crate) fn wrong(mut self, fault: Fault, command: Command) -> Self {
        self.steps.push(Step { command, fault: Some(fault) });
        self
    }

    pub(crate) fn apply(self, config: Config) -> Self {
        self.then(Command::Apply(config, PlanOptions::default()))
    }

    pub(crate) fn plan(self, config: Config) -> Self {
        self.then(Command::Plan(config, PlanOptions::default()))
    }
}
