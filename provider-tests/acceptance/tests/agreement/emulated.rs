//! The embedded core as other versions, against these.

use ferroform_testing::case::Trials;
use ferroform_testing::embedded::CoreVersion;
use ferroform_testing::real::{Core, Feature, MatrixEntry, Product, Resolver, Share, Version, matrix};
use libtest_mimic::Failed;

use crate::compare::differences;
use crate::departures::FROM_OPEN_TOFU;
use crate::embedded::Embedded;
use crate::known_differences;
use crate::open_tofu;
use crate::real::Real;
use crate::scenario::Scenario;
use crate::side::run;

/// The cases in which versions differ, with the feature that a core needs for them: capabilities and version that the
/// provider is told, identities, write-only attributes, what is checked of answers, and the members of plans and
/// states.
const SAMPLE: [(&str, Option<Feature>); 9] = [
    ("an object is replaced, the new one first", None),
    ("an object is imported by a block", None),
    ("an object may not be destroyed", None),
    ("a change outside is recorded", None),
    ("an object is created and stays", Some(Feature::WriteOnlyAttributes)),
    ("an object is replaced", Some(Feature::WriteOnlyAttributes)),
    ("a read value is unknown", Some(Feature::WriteOnlyAttributes)),
    ("an identity stays unknown", Some(Feature::WriteOnlyAttributes)),
    ("a write-only value is stored", Some(Feature::WriteOnlyAttributes)),
];

/// The OpenTofu of which it is recorded what exactly differs.
const RECORDED: Version = Version::new(1, 12, 6);

/// Why a case is skipped.
const LACKS: &str = "this core does not have what it is about";

/// The sample on each older core of the matrix and on OpenTofu, and all cases on an OpenTofu that is required.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    let places = matrix(resolver).into_iter();
    let is_another =
        |place: &MatrixEntry| place.share == Share::Sample || place.wanted.product == Product::OpenTofu;
    for place in places.filter(is_another) {
        if place.share == Share::All {
            all_trials(trials, &place);
            continue;
        }
        let at = place.wanted.to_string();
        for (name, feature) in SAMPLE {
            let lacks = |core: &Core| feature.is_some_and(|feature| !core.supports(feature));
            if place.core().is_some_and(lacks) {
                trials.skip((&at, name), LACKS);
                continue;
            }
            trials.on_core(&place.found, (&at, name), move |core| compared(core, name));
        }
    }
}

/// All cases that can be written as text, on a core that is none of Terraform's.
fn all_trials(trials: &mut Trials, place: &MatrixEntry) {
    let at = place.wanted.to_string();
    for scenario in crate::comparable() {
        let lacks = |core: &Core| scenario.needs().is_some_and(|feature| !core.supports(feature));
        if place.core().is_some_and(lacks) {
            trials.skip((&at, &scenario.name), LACKS);
            continue;
        }
        let name = scenario.name;
        trials.on_core(&place.found, (&at, &name.clone()), move |core| compared(core, &name));
    }
}

fn compared(core: &Core, name: &str) -> Result<(), Failed> {
    let scenario = crate::all().into_iter().find(|it| it.name == name);
    let scenario: Scenario = scenario.unwrap_or_else(|| panic!("there is no case {name:?}"));
    let emulated = CoreVersion { product: core.product, version: core.version.clone() };
    let of_real = run(&mut Real::new(core, &scenario.subject), &scenario);
    let of_embedded = run(&mut Embedded::speaking(&scenario.subject, emulated), &scenario);
    let problem = match core.product {
        Product::OpenTofu => open_tofu::compare(&scenario, &of_embedded, &of_real),
        _ => known_differences::compare_sample(&scenario, &of_embedded, &of_real),
    };
    if let Some(problem) = problem {
        return crate::failed(problem);
    }
    if (core.product, &core.version) == (Product::OpenTofu, &RECORDED) {
        let mut found = differences(&of_embedded, &of_real);
        found.retain(|it| !open_tofu::is_everywhere(it));
        FROM_OPEN_TOFU.compare(&scenario, &found)?;
    }
    Ok(())
}
