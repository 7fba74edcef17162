//! Two cores that take turns with one state.

use ferroform_testing::real::Core;

use crate::embedded::Embedded;
use crate::real::Real;
use crate::scenario::{Command, Scenario, Step};
use crate::side::{Seen, Side};

/// The embedded core and a real one: each step is taken by the one that has not taken the step before, with the state
/// that the other one has left.
pub(crate) struct Mixed {
    next: Box<dyn Side>,
    then: Box<dyn Side>,
}

/// The core that takes the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    Embedded,
    Real,
}

impl Mixed {
    pub(crate) fn new(core: &Core, scenario: &Scenario, first: First) -> Self {
        let embedded: Box<dyn Side> = Box::new(Embedded::new(&scenario.subject));
        let real: Box<dyn Side> = Box::new(Real::new(core, &scenario.subject));
        let (next, then) = match first {
            First::Embedded => (embedded, real),
            First::Real => (real, embedded),
        };
        Self { next, then }
    }
}

impl Side for Mixed {
    fn take(&mut self, step: &Step) -> Seen {
        let seen = self.next.take(step);
        if let Some(state) = self.next.stored() {
            self.then.take(&Step { outside: None, command: Command::State(state), fault: None });
        }
        std::mem::swap(&mut self.next, &mut self.then);
        seen
    }

    fn stored(&self) -> Option<Vec<u8>> {
        // The state of the last step has been handed over.
        self.next.stored()
    }
}
