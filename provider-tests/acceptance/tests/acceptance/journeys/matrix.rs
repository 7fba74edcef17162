//! Which journeys run where: cores by protocols by attach modes.

use ferroform_testing::real::{self, Availability, Core, Error, Feature, Protocol, Share, Version, Wanted};
use libtest_mimic::Trial;

/// The core that a provider is as likely to meet as the newest one: what every provider has to withstand is shown on both.
const SECOND: Version = Version::new(1, 11, 4);

/// One place to run a journey in.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) core: Core,
    pub(super) protocol: Protocol,
    pub(super) attach: Attach,
}

/// How core reaches the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attach {
    /// Core starts it: the handshake and TLS are real.
    Spawned,
    /// It runs already, without TLS, and serves several commands.
    Reattached,
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

    /// On 1.11.4, too.
    pub(super) fn on_both(self) -> Self {
        Self { reach: Reach::Second, ..self }
    }

    /// On all cores.
    pub(super) fn sampled(self) -> Self {
        Self { reach: Reach::All, ..self }
    }

    fn fits(&self, place: &real::Place) -> bool {
        let chosen = match self.reach {
            _ if place.share == Share::All => true,
            Reach::None => false,
            Reach::Second => place.wanted.version.as_ref() == Some(&SECOND),
            Reach::All => true,
        };
        chosen && place.core().is_none_or(|core| self.needs.is_none_or(|feature| core.supports(feature)))
    }
}

/// The tests of one core. Those of a core that is not there are ignored, those of one that should be there fail.
pub(super) fn trials(place: &real::Place, journeys: &[Journey]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for journey in journeys.iter().filter(|journey| journey.fits(place)) {
        for &protocol in journey.protocols {
            for &attach in journey.attach {
                let name = name(&place.wanted, protocol, attach, journey);
                trials.push(trial(name, &place.found, journey.run, (protocol, attach)));
            }
        }
    }
    trials
}

fn trial(
    name: String,
    found: &Result<Availability, Error>,
    run: fn(&Place),
    (protocol, attach): (Protocol, Attach),
) -> Trial {
    match found {
        Ok(Availability::Present(core)) => {
            let place = Place { core: core.clone(), protocol, attach };
            Trial::test(name, move || {
                run(&place);
                Ok(())
            })
        }
        Ok(Availability::Absent(absence)) => {
            let reason = format!("there is no {absence}");
            Trial::test(name, move || Err(reason.into())).with_kind("core is absent").with_ignored_flag(true)
        }
        Err(error) => {
            let reason = error.to_string();
            Trial::test(name, move || Err(reason.into()))
        }
    }
}

fn name(wanted: &Wanted, protocol: Protocol, attach: Attach, journey: &Journey) -> String {
    let attach = match attach {
        Attach::Spawned => "spawned",
        Attach::Reattached => "reattached",
    };
    format!("{wanted}/protocol {}/{attach}/{}", number(protocol), journey.name)
}

/// The number of a protocol.
pub(super) fn number(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::V5 => "5",
        _ => "6",
    }
}
