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

use super::matrix::{AcceptanceTest, Attach, TestTarget};
use engine::{Engine, Provided};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let on = |name, run: fn(&TestTarget)| {
        AcceptanceTest::new(name, run)
            .attached(&[Attach::Reattached])
            .speaking(&[real::Protocol::V6])
            .sampled()
    };
    let both = &[real::Protocol::V6, real::Protocol::V5];
    // Core starts the provider, or reaches it in the process of the test, over either protocol.
    let everywhere = |name, run: fn(&TestTarget)| AcceptanceTest::new(name, run).sampled();
    // Of a move within a type no provider hears, so that one more place shows the rest.
    let spawned = |name, run: fn(&TestTarget)| {
        AcceptanceTest::new(name, run).attached(&[Attach::Spawned]).speaking(&[real::Protocol::V5])
    };
    vec![
        on("old releases store what is committed", history::recorded),
        on("old states are upgraded", |target| history::upgraded(|| demo(target))).speaking(both),
        on("failed upgrades keep the state", |target| history::failing(|| demo(target))),
        on("wrong upgrades keep the state", |target| {
            old::wrong(&|providers| Engine::real(target, providers))
        }),
        on("flat states are upgraded", |target| old::flat(&|providers| Engine::real(target, providers))),
        on("old flat states are as cores store them", history::recorded_flat),
        on("identities that change", |target| old::changed(&|providers| Engine::real(target, providers)))
            .speaking(both)
            .needing(Feature::ResourceIdentity),
        on("old objects that are gone", |target| history::gone(|| demo(target))),
        on("imports of several objects", |target| old::several(&|providers| Engine::real(target, providers)))
            .speaking(both),
        everywhere("imports by id", |target| imports::by_id(&mut demo(target))),
        everywhere("imports by block", |target| imports::by_block(&mut demo(target)))
            .needing(Feature::ImportBlock),
        everywhere("imports by block for each", |target| imports::by_block_for_each(&mut demo(target)))
            .needing(Feature::ImportBlock),
        everywhere("imports whose configuration is generated", |target| {
            imports::generated(&mut demo(target))
        })
        .needing(Feature::ImportBlock),
        everywhere("imports by identity", |target| imports::by_identity(&mut demo(target)))
            .needing(Feature::ResourceIdentity),
        everywhere("imports by composed ids", |target| composed::imported(&mut corner(target)))
            .needing(Feature::ImportBlock),
        everywhere("imports by composed ids for each", |target| {
            composed::imported_for_each(&mut corner(target))
        })
        .needing(Feature::ImportBlock),
        everywhere("imports generated without timeouts and secrets", |target| {
            composed::generated(&mut corner(target))
        })
        .needing(Feature::WriteOnlyAttributes),
        on("upgrades that ask the service", |target| composed::upgraded(&mut corner(target))).speaking(both),
        everywhere("upgraded identities", |target| identities::upgraded(&mut cloud(target)))
            .needing(Feature::ResourceIdentity),
        everywhere("identities of the client", |target| identities::of_client(&mut cloud(target)))
            .needing(Feature::ResourceIdentity),
        everywhere("moves of identities", |target| identities::moved(&mut cloud(target)))
            .needing(Feature::ResourceIdentity),
        on("moves", |target| moves::within(&|| demo(target))),
        spawned("moves", |target| moves::within(&|| demo(target))),
        on("moves between modules", |target| modules::between(&|| demo(target))),
        spawned("moves between modules", |target| modules::between(&|| demo(target))),
        on("moves of modules", |target| modules::whole(&|| demo(target))),
        spawned("moves of modules", |target| modules::whole(&|| demo(target))),
        everywhere("moves across types", |target| moves::across(&|| two(target)))
            .needing(Feature::MoveAcrossTypes),
        everywhere("moves that are refused", |target| moves::refused(&|| two(target))),
        on("moves that the language refuses", |target| modules::refused(&|| demo(target))),
        on("moves into modules that are not local", |target| modules::into_far_module(&|| demo(target))),
        on("moves to data sources", |target| modules::to_data_source(&|| demo(target))),
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
    both("imports whose configuration is generated", |it| {
        imports::generated(&mut Engine::embedded(it, &[demo_provider()]));
    });
    both("imports generated without timeouts and secrets", |it| {
        composed::generated(&mut Engine::embedded(it, &[corner_provider()]));
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
fn demo(target: &TestTarget) -> Engine {
    Engine::real(target, &[("demo", Release::Current.provider(target.protocol))])
}

/// A real core with the provider of edge cases.
fn corner(target: &TestTarget) -> Engine {
    Engine::real(target, &[corner_provider()])
}

/// A real core with the demo and another provider.
fn two(target: &TestTarget) -> Engine {
    let [_, plain] = both_providers();
    Engine::real(target, &[("demo", Release::Current.provider(target.protocol)), plain])
}

/// A real core with the provider whose identities hold more than the states.
fn cloud(target: &TestTarget) -> Engine {
    Engine::real(target, &[cloud_provider()])
}
