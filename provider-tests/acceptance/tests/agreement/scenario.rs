//! What is done on both cores.

use std::path::Path;

use ferroform_acceptance::wrong::Fault;
use ferroform_testing::address::Mode;
use ferroform_testing::config::Config;
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::Feature;

use crate::provider_under_test::ProviderUnderTest;

/// Steps that are taken one after the other, with one state.
pub(crate) struct Scenario {
    /// Where it is written, and so in which file its recording is.
    pub(crate) topic: &'static str,
    pub(crate) name: String,
    pub(crate) subject: ProviderUnderTest,
    pub(crate) steps: Vec<Step>,
}

/// A command, and what is wrong with the provider meanwhile.
pub(crate) struct Step {
    /// Changes the folder of the provider behind core's back, before the command.
    pub(crate) outside: Option<Outside>,
    pub(crate) command: Command,
    pub(crate) fault: Option<Fault>,
}

/// Changes the folder of a provider.
pub(crate) type Outside = Box<dyn Fn(&Path) + Send + Sync>;

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
    /// The lists in a file of queries are listed.
    Query(String),
    /// The only object of the resource of that type and name is tainted.
    Taint(&'static str, &'static str),
    /// The state file is replaced.
    State(Vec<u8>),
}

impl Command {
    /// The configuration, where it is no text.
    pub(crate) fn config(&self) -> Option<&Config> {
        match self {
            Self::Apply(config, _) | Self::Plan(config, _) | Self::ApplyAtOnce(config) => Some(config),
            Self::Refresh(config) | Self::Destroy(config) | Self::Import(config, ..) => Some(config),
            Self::Query(_) | Self::Taint(..) | Self::State(_) => None,
        }
    }

    /// What a core needs for it.
    fn needs(&self) -> Option<Feature> {
        let mut blocks = self.config().into_iter().flat_map(|config| &config.resources);
        match self {
            Self::Query(_) => Some(Feature::ListResources),
            _ => blocks.any(|block| block.address.mode == Mode::Action).then_some(Feature::Actions),
        }
    }
}

impl Scenario {
    /// What a core needs for it.
    pub(crate) fn needs(&self) -> Option<Feature> {
        self.steps.iter().find_map(|step| step.command.needs())
    }

    /// Of the provider that is wrong on purpose.
    pub(crate) fn new(name: &str) -> Self {
        Self::of(ProviderUnderTest::Wrong, name)
    }

    /// Of another provider.
    pub(crate) fn of(subject: ProviderUnderTest, name: &str) -> Self {
        Self { topic: "table", name: name.to_owned(), subject, steps: Vec::new() }
    }

    /// With a command of a sound provider.
    pub(crate) fn then(mut self, command: Command) -> Self {
        self.steps.push(Step { outside: None, command, fault: None });
        self
    }

    /// With a command of a provider with a fault.
    pub(crate) fn wrong(mut self, fault: Fault, command: Command) -> Self {
        self.steps.push(Step { outside: None, command, fault: Some(fault) });
        self
    }

    /// With a command after a change behind core's back.
    pub(crate) fn after(mut self, outside: impl Fn(&Path) + Send + Sync + 'static, command: Command) -> Self {
        self.steps.push(Step { outside: Some(Box::new(outside)), command, fault: None });
        self
    }

    pub(crate) fn apply(self, config: Config) -> Self {
        self.then(Command::Apply(config, PlanOptions::default()))
    }

    pub(crate) fn plan(self, config: Config) -> Self {
        self.then(Command::Plan(config, PlanOptions::default()))
    }
}
