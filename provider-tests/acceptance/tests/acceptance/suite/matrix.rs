//! Which tests run where: cores by protocols by attach modes.

use ferroform_testing::case::Trials;
use ferroform_testing::real::{self, Core, CoreRequest, Feature, Origin, Product, Protocol, Share, Version};

/// The core that a provider is as likely to meet as the newest one: what every provider has to withstand is shown on both.
const SECOND: Version = Version::new(1, 11, 4);

/// The first core with actions and list resources: tests of these run on it, too.
const WITH_ACTIONS: Version = Version::new(1, 14, 9);

/// A core, a protocol and an attach mode to run a test with.
#[derive(Debug, Clone)]
pub(super) struct TestTarget {
    pub(super) core: Core,
    pub(super) protocol: Protocol,
    pub(super) attach: Attach,
}

impl TestTarget {
    /// What the product of this target does, where the two differ.
    pub(super) fn by_product<T>(&self, terraform: T, open_tofu: T) -> T {
        match self.core.product {
            Product::OpenTofu => open_tofu,
            _ => terraform,
        }
    }
}

/// How core reaches the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attach {
    /// Core starts it: the handshake and TLS are real.
    Spawned,
    /// It runs already, without TLS, and serves several commands.
    Reattached,
    /// The core is the embedded one, as a program that starts the provider.
    Embedded,
}

/// A test that runs on many targets.
#[derive(Clone)]
pub(super) struct AcceptanceTest {
    name: &'static str,
    run: fn(&TestTarget),
    protocols: &'static [Protocol],
    attach: &'static [Attach],
    needs: Option<Feature>,
    reach: CoreSelection,
    /// Whether it is about the process or the connection, which differ with each protocol and attach mode.
    is_about_process: bool,
}

/// The cores that a test runs on, besides those that all tests run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoreSelection {
    None,
    Second,
    All,
}

const BOTH: [Protocol; 2] = [Protocol::V6, Protocol::V5];

impl AcceptanceTest {
    /// A test for every target.
    pub(super) fn new(name: &'static str, run: fn(&TestTarget)) -> Self {
        Self {
            name,
            run,
            protocols: &BOTH,
            attach: &[Attach::Spawned, Attach::Reattached],
            needs: None,
            reach: CoreSelection::None,
            is_about_process: false,
        }
    }

    /// With one attach mode only.
    pub(super) fn attached(self, attach: &'static [Attach]) -> Self {
        Self { attach, ..self }
    }

    /// With one protocol only.
    pub(super) fn speaking(self, protocols: &'static [Protocol]) -> Self {
        Self { protocols, ..self }
    }

    /// With cores that have a feature only.
    pub(super) fn needing(self, feature: Feature) -> Self {
        Self { needs: Some(feature), ..self }
    }

    /// About the process or the connection of a provider: on the newest core, over each protocol in each attach mode.
    pub(super) fn about_process(self) -> Self {
        Self { is_about_process: true, ..self }
    }

    /// On 1.11.4, too.
    pub(super) fn on_both(self) -> Self {
        Self { reach: CoreSelection::Second, ..self }
    }

    /// On all cores.
    pub(super) fn sampled(self) -> Self {
        Self { reach: CoreSelection::All, ..self }
    }

    /// Whether it is among those of a core.
    fn is_for(&self, target: &real::MatrixEntry) -> bool {
        let is = |version: &Version| target.wanted.version.as_ref() == Some(version);
        let is_new_there = |needed| matches!(needed, Feature::Actions | Feature::ListResources);
        match self.reach {
            _ if target.share == Share::All => true,
            _ if is(&WITH_ACTIONS) && self.needs.is_some_and(is_new_there) => true,
            CoreSelection::None => false,
            CoreSelection::Second => is(&SECOND),
            CoreSelection::All => true,
        }
    }

    /// Whether it runs there in that way. Each protocol and each attach mode has a turn: what a provider is sent does not
    /// depend on how it was started, and what an older core lacks does not depend on the protocol. The two cores of the
    /// foundation take both protocols. All combinations run on the newest core for what is about the process, and
    /// everywhere with `FERROFORM_LIVE`.
    fn is_in(&self, (protocol, attach): (Protocol, Attach), target: &real::MatrixEntry) -> bool {
        let runs_all = target.share == Share::All;
        let has_both = runs_all || target.wanted.version.as_ref() == Some(&SECOND);
        let is_whole = std::env::var_os("FERROFORM_LIVE").is_some() || (self.is_about_process && runs_all);
        let first = match protocol {
            Protocol::V5 => Attach::Reattached,
            Protocol::V6 => Attach::Spawned,
        };
        let has_turn = attach == first || !self.attach.contains(&first);
        is_whole || has_turn && (has_both || protocol == self.protocol_on(&target.wanted))
    }

    /// The protocol of this test on a core that runs a sample. By the lengths of their names, half of the tests take each
    /// protocol, and by its minor version 1.14 takes the other one than the older ones and OpenTofu without a version.
    fn protocol_on(&self, core: &CoreRequest) -> Protocol {
        let minor = core.version.as_ref().map_or(0, |version| version.minor);
        let turn = self.name.len() + usize::from(minor / 2 % 2 == 1);
        self.protocols[turn % self.protocols.len()]
    }

    /// Whether a core lacks what it needs.
    fn is_beyond(&self, target: &real::MatrixEntry) -> bool {
        target.core().is_some_and(|core| self.needs.is_some_and(|feature| !core.supports(feature)))
    }
}

/// The tests of one core. Those of a core that is not there are ignored, those of one that should be there fail.
pub(super) fn trials(target: &real::MatrixEntry, tests: &[AcceptanceTest], trials: &mut Trials) {
    for test in tests {
        for &protocol in test.protocols {
            for &attach in test.attach {
                let at = name(&target.wanted, protocol, attach);
                if !test.is_for(target) || !test.is_in((protocol, attach), target) {
                    let why = "another core, protocol or attach mode shows it; FERROFORM_LIVE=1 runs all combinations";
                    trials.leave_out((&at, test.name), why);
                    continue;
                }
                if test.is_beyond(target) {
                    trials.skip((&at, test.name), "this core does not have what it is about");
                    continue;
                }
                let run = test.run;
                trials.on_core(&target.found, (&at, test.name), move |core| {
                    run(&TestTarget { core: core.clone(), protocol, attach });
                    Ok(())
                });
            }
        }
    }
}

/// The embedded core as a program.
pub(super) fn embedded_core() -> Core {
    Core {
        product: Product::Terraform,
        version: Version::new(1, 15, 5),
        path: env!("CARGO_BIN_EXE_embedded-core").into(),
        origin: Origin::Path,
    }
}

/// The same on the embedded core, which starts the provider as a real one does, over the first protocol of each: what
/// differs between protocols is in the provider, and shown on real cores.
pub(super) fn embedded_trials(tests: &[AcceptanceTest], trials: &mut Trials) {
    let core = embedded_core();
    for test in tests {
        let Some(&protocol) = test.protocols.first() else { continue };
        let at = format!("embedded/protocol {}", number(protocol));
        let (run, core) = (test.run, core.clone());
        trials.test((&at, test.name), move || {
            run(&TestTarget { core, protocol, attach: Attach::Embedded });
            Ok(())
        });
    }
}

fn name(wanted: &CoreRequest, protocol: Protocol, attach: Attach) -> String {
    let attach = match attach {
        Attach::Spawned => "spawned",
        Attach::Reattached => "reattached",
        Attach::Embedded => "embedded",
    };
    format!("{wanted}/protocol {}/{attach}", number(protocol))
}

/// The number of a protocol.
pub(super) fn number(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::V5 => "5",
        Protocol::V6 => "6",
    }
}
