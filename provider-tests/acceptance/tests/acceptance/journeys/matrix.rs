//! Which journeys run where: cores by protocols by attach modes.

use ferroform_testing::case::Trials;
use ferroform_testing::real::{self, Core, Feature, Origin, Product, Protocol, Share, Version, Wanted};

/// The core that a provider is as likely to meet as the newest one: what every provider has to withstand is shown on both.
const SECOND: Version = Version::new(1, 11, 4);

/// One place to run a journey in.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) core: Core,
    pub(super) protocol: Protocol,
    pub(super) attach: Attach,
}

impl Place {
    /// What the product of this place does, where the two differ.
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

/// A test that is run in many places.
#[derive(Clone)]
pub(super) struct Journey {
    name: &'static str,
    run: fn(&Place),
    protocols: &'static [Protocol],
    attach: &'static [Attach],
    needs: Option<Feature>,
    reach: Reach,
    /// Whether it is about the process or the connection, which differ with each protocol and attach mode.
    is_about_process: bool,
    /// What the embedded core lacks for it.
    lacking: Option<&'static str>,
}

/// The cores that a journey runs on, besides those that all journeys run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    None,
    Second,
    All,
}

const BOTH: [Protocol; 2] = [Protocol::V6, Protocol::V5];

impl Journey {
    /// A journey for every place.
    pub(super) fn new(name: &'static str, run: fn(&Place)) -> Self {
        Self {
            name,
            run,
            protocols: &BOTH,
            attach: &[Attach::Spawned, Attach::Reattached],
            needs: None,
            reach: Reach::None,
            is_about_process: false,
            lacking: None,
        }
    }

    /// On real cores only, because the embedded one lacks something.
    pub(super) fn lacking(self, what: &'static str) -> Self {
        Self { lacking: Some(what), ..self }
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
        Self { reach: Reach::Second, ..self }
    }

    /// On all cores.
    pub(super) fn sampled(self) -> Self {
        Self { reach: Reach::All, ..self }
    }

    /// Whether it is among those of a core.
    fn is_for(&self, place: &real::Place) -> bool {
        match self.reach {
            _ if place.share == Share::All => true,
            Reach::None => false,
            Reach::Second => place.wanted.version.as_ref() == Some(&SECOND),
            Reach::All => true,
        }
    }

    /// Whether it runs there in that way. Each protocol and each attach mode has a turn: what a provider is sent does not
    /// depend on how it was started. All combinations run on the newest core for what is about the process, and everywhere
    /// with `FERROFORM_LIVE`.
    fn is_in(&self, (protocol, attach): (Protocol, Attach), place: &real::Place) -> bool {
        let is_whole = std::env::var_os("FERROFORM_LIVE").is_some()
            || (self.is_about_process && place.share == Share::All);
        let first = match protocol {
            Protocol::V5 => Attach::Reattached,
            _ => Attach::Spawned,
        };
        is_whole || attach == first || !self.attach.contains(&first)
    }

    /// Whether a core lacks what it needs.
    fn is_beyond(&self, place: &real::Place) -> bool {
        place.core().is_some_and(|core| self.needs.is_some_and(|feature| !core.supports(feature)))
    }
}

/// The tests of one core. Those of a core that is not there are ignored, those of one that should be there fail.
pub(super) fn trials(place: &real::Place, journeys: &[Journey], trials: &mut Trials) {
    for journey in journeys {
        for &protocol in journey.protocols {
            for &attach in journey.attach {
                let at = name(&place.wanted, protocol, attach);
                if !journey.is_for(place) || !journey.is_in((protocol, attach), place) {
                    let why = "another core, protocol or attach mode shows it; FERROFORM_LIVE=1 runs all combinations";
                    trials.leave_out((&at, journey.name), why);
                    continue;
                }
                if journey.is_beyond(place) {
                    trials.skip((&at, journey.name), "this core does not have what it is about");
                    continue;
                }
                let run = journey.run;
                trials.on_core(&place.found, (&at, journey.name), move |core| {
                    run(&Place { core: core.clone(), protocol, attach });
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
pub(super) fn embedded_trials(journeys: &[Journey], trials: &mut Trials) {
    let core = embedded_core();
    for journey in journeys {
        let Some(&protocol) = journey.protocols.first() else { continue };
        let at = format!("embedded/protocol {}", number(protocol));
        if let Some(lacking) = journey.lacking {
            trials.skip((&at, journey.name), lacking);
            continue;
        }
        let (run, core) = (journey.run, core.clone());
        trials.test((&at, journey.name), move || {
            run(&Place { core, protocol, attach: Attach::Embedded });
            Ok(())
        });
    }
}

fn name(wanted: &Wanted, protocol: Protocol, attach: Attach) -> String {
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
        _ => "6",
    }
}
