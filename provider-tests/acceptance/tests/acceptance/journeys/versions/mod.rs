//! Versions: states and identities of older releases, moves and imports.

mod composed;
mod engine;
mod history;
mod identities;
mod imports;
mod modules;
mod moves;
mod old;

use ferroform::Protocol;
use ferroform::provider::assemble;
use ferroform_acceptance::cloud::Cloud;
use ferroform_acceptance::corner::Corner;
use ferroform_acceptance::plain::Plain;
use ferroform_examples::demo::Release;
use ferroform_testing::case::Trials;
use ferroform_testing::embedded::CoreVersion;
use ferroform_testing::real::{self, Feature};
use libtest_mimic::Trial;

use super::matrix::{Attach, Journey, Place};
use engine::{Engine, Provided};

pub(super) fn journeys() -> Vec<Journey> {
    let on = |name, run: fn(&Place)| {
        Journey::new(name, run).attached(&[Attach::Reattached]).speaking(&[real::Protocol::V6]).sampled()
    };
    let both = &[real::Protocol::V6, real::Protocol::V5];
    // Core starts the provider, or reaches it in the process of the test, over either protocol.
    let everywhere = |name, run: fn(&Place)| Journey::new(name, run).sampled();
    // Of a move within a type no provider hears, so that one more place shows the rest.
    let spawned = |name, run: fn(&Place)| {
        Journey::new(name, run).attached(&[Attach::Spawned]).speaking(&[real::Protocol::V5])
    };
    vec![
        on("old releases store what is committed", history::recorded),
        on("old states are upgraded", |place| history::upgraded(|| demo(place))).speaking(both),
        on("failed upgrades keep the state", |place| history::failing(|| demo(place))),
        on("wrong upgrades keep the state", |place| old::wrong(&|providers| Engine::real(place, providers))),
        on("flat states are upgraded", |place| old::flat(&|providers| Engine::real(place, providers))),
        on("old flat states are as cores store them", history::recorded_flat),
        on("identities that change", |place| old::changed(&|providers| Engine::real(place, providers)))
            .speaking(both)
            .needing(Feature::ResourceIdentity),
        on("old objects that are gone", |place| history::gone(|| demo(place))),
        on("imports of several objects", |place| old::several(&|providers| Engine::real(place, providers)))
            .speaking(both),
        everywhere("imports by id", |place| imports::by_id(&mut demo(place))),
        everywhere("imports by block", |place| imports::by_block(&mut demo(place)))
            .needing(Feature::ImportBlock),
        everywhere("imports by block for each", |place| imports::by_block_for_each(&mut demo(place)))
            .needing(Feature::ImportBlock),
        everywhere("imports whose configuration is generated", |place| imports::generated(&mut demo(place)))
            .needing(Feature::ImportBlock),
        everywhere("imports by identity", |place| imports::by_identity(&mut demo(place)))
            .needing(Feature::ResourceIdentity),
        everywhere("imports by composed ids", |place| composed::imported(&mut corner(place)))
            .needing(Feature::ImportBlock),
        everywhere("imports by composed ids for each", |place| {
            composed::imported_for_each(&mut corner(place))
        })
        .needing(Feature::ImportBlock),
        everywhere("imports generated without timeouts and secrets", |place| {
            composed::generated(&mut corner(place))
        })
        .needing(Feature::WriteOnlyAttributes),
        on("upgrades that ask the service", |place| composed::upgraded(&mut corner(place))).speaking(both),
        everywhere("upgraded identities", |place| identities::upgraded(&mut cloud(place)))
            .needing(Feature::ResourceIdentity),
        everywhere("identities of the client", |place| identities::of_client(&mut cloud(place)))
            .needing(Feature::ResourceIdentity),
        everywhere("moves of identities", |place| identities::moved(&mut cloud(place)))
            .needing(Feature::ResourceIdentity),
        on("moves", |place| moves::within(&|| demo(place))),
        spawned("moves", |place| moves::within(&|| demo(place))),
        on("moves between modules", |place| modules::between(&|| demo(place))),
        spawned("moves between modules", |place| modules::between(&|| demo(place))),
        on("moves of modules", |place| modules::whole(&|| demo(place))),
        spawned("moves of modules", |place| modules::whole(&|| demo(place))),
        everywhere("moves across types", |place| moves::across(&|| two(place)))
            .needing(Feature::MoveAcrossTypes),
        everywhere("moves that are refused", |place| moves::refused(&|| two(place))),
        on("moves that the language refuses", |place| modules::refused(&|| demo(place))),
        on("moves into modules that are not local", |place| modules::into_far_module(&|| demo(place))),
        on("moves to data sources", |place| modules::to_data_source(&|| demo(place))),
    ]
}

/// The same on the embedded core.
pub(super) fn trials(trials: &mut Trials) {
    let alone = |name: &str, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    trials.others([
        alone("the check of upgrades", history::checked),
        alone("the verbs of a provider binary", history::verbs),
    ]);
    let mut on = |version: Version, name: &str, run: fn(Version)| {
        let (major, minor, patch) = version;
        trials.test((&format!("embedded@{major}.{minor}.{patch}"), name), move || {
            run(version);
            Ok(())
        });
    };
    let mut both = |name: &str, run: fn(Version)| {
        on((1, 15, 5), name, run);
        on((1, 11, 4), name, run);
    };
    both("old states are upgraded", |it| {
        history::upgraded(|| Engine::embedded(it, &[demo_provider()]));
    });
    both("failed upgrades keep the state", |it| {
        history::failing(|| Engine::embedded(it, &[demo_provider()]));
    });
    both("wrong upgrades keep the state", |it| {
        old::wrong(&|providers| Engine::embedded(it, providers));
    });
    both("imports by id", |it| imports::by_id(&mut Engine::embedded(it, &[demo_provider()])));
    both("moves", |it| moves::within(&|| Engine::embedded(it, &[demo_provider()])));
    both("moves across types", |it| moves::across(&|| Engine::embedded(it, &both_providers())));
    both("moves that are refused", |it| {
        moves::refused(&|| Engine::embedded(it, &both_providers()));
    });
    both("moves between modules", |it| {
        modules::between(&|| Engine::embedded(it, &[demo_provider()]));
    });
    both("imports by block", |it| {
        imports::by_block(&mut Engine::embedded(it, &[demo_provider()]));
    });
    both("imports by block for each", |it| {
        imports::by_block_for_each(&mut Engine::embedded(it, &[demo_provider()]));
    });
    both("moves of modules", |it| {
        modules::whole(&|| Engine::embedded(it, &[demo_provider()]));
    });
    both("moves that the language refuses", |it| {
        modules::refused(&|| Engine::embedded(it, &[demo_provider()]));
    });
    both("flat states are upgraded", |it| {
        old::flat(&|providers| Engine::embedded(it, providers));
    });
    both("old objects that are gone", |it| {
        history::gone(|| Engine::embedded(it, &[demo_provider()]));
    });
    both("imports of several objects", |it| {
        old::several(&|providers| Engine::embedded(it, providers));
    });
    both("imports by composed ids", |it| {
        composed::imported(&mut Engine::embedded(it, &[corner_provider()]));
    });
    both("imports by composed ids for each", |it| {
        composed::imported_for_each(&mut Engine::embedded(it, &[corner_provider()]));
    });
    both("upgrades that ask the service", |it| {
        composed::upgraded(&mut Engine::embedded(it, &[corner_provider()]));
    });
    both("moves to data sources", |it| {
        modules::to_data_source(&|| Engine::embedded(it, &[demo_provider()]));
    });
    on((1, 15, 5), "imports by identity", |it| {
        imports::by_identity(&mut Engine::embedded(it, &[demo_provider()]))
    });
    on((1, 15, 5), "upgraded identities", |it| {
        identities::upgraded(&mut Engine::embedded(it, &[cloud_provider()]))
    });
    on((1, 15, 5), "identities of the client", |it| {
        identities::of_client(&mut Engine::embedded(it, &[cloud_provider()]))
    });
    on((1, 15, 5), "moves of identities", |it| {
        identities::moved(&mut Engine::embedded(it, &[cloud_provider()]))
    });
    on((1, 15, 5), "identities that change", |it| old::changed(&|providers| Engine::embedded(it, providers)));
    let mut on_tofu = |name: &str, run: fn(CoreVersion)| {
        trials.test(("embedded@tofu-1.12.6", name), move || {
            run(CoreVersion::open_tofu(1, 12, 6));
            Ok(())
        });
    };
    on_tofu("moves across types", |it| moves::across(&|| Engine::emulating(it.clone(), &both_providers())));
    on_tofu("upgraded identities", |it| {
        identities::upgraded(&mut Engine::emulating(it, &[cloud_provider()]))
    });
    on_tofu("identities of the client", |it| {
        identities::of_client(&mut Engine::emulating(it, &[cloud_provider()]));
    });
    on_tofu("moves of identities", |it| identities::moved(&mut Engine::emulating(it, &[cloud_provider()])));
}

/// A version of Terraform.
type Version = (u64, u64, u64);

fn demo_provider() -> Provided {
    ("demo", Release::Current.provider(Protocol::V6))
}

fn corner_provider() -> Provided {
    ("corner", assemble::<Corner>())
}

fn cloud_provider() -> Provided {
    ("cloud", assemble::<Cloud>())
}

fn both_providers() -> [Provided; 2] {
    [demo_provider(), ("plain", std::sync::Arc::new(Plain::default()))]
}

/// A real core with the demo.
fn demo(place: &Place) -> Engine {
    Engine::real(place, &[("demo", Release::Current.provider(protocol_of(place)))])
}

fn protocol_of(place: &Place) -> Protocol {
    if place.protocol == real::Protocol::V5 { Protocol::V5 } else { Protocol::V6 }
}

/// A real core with the provider of corners.
fn corner(place: &Place) -> Engine {
    Engine::real(place, &[corner_provider()])
}

/// A real core with the demo and another provider.
fn two(place: &Place) -> Engine {
    let [_, plain] = both_providers();
    Engine::real(place, &[("demo", Release::Current.provider(protocol_of(place))), plain])
}

/// A real core with the provider whose identities hold more than the states.
fn cloud(place: &Place) -> Engine {
    Engine::real(place, &[cloud_provider()])
}
