//! The embedded core as other versions, against these.

use ferroform_testing::embedded::Dialect;
use ferroform_testing::real::{Feature, Place, Product, Resolver, Share, matrix};
use libtest_mimic::Trial;

use crate::embedded::Embedded;
use crate::known;
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

/// The sample on each older core of the matrix.
pub(crate) fn trials(resolver: &Resolver) -> Vec<Trial> {
    let places = matrix(resolver).into_iter();
    let older =
        places.filter(|place| place.share == Share::Sample && place.wanted.product == Product::Terraform);
    let cases = |place: &Place| {
        let core = place.core().cloned();
        let has = |feature: &Option<Feature>| {
            feature.as_ref().is_none_or(|feature| core.as_ref().is_none_or(|core| core.supports(*feature)))
        };
        let sample = SAMPLE.iter().filter(|(_, feature)| has(feature));
        sample.map(|(name, _)| on(place, name)).collect::<Vec<_>>()
    };
    older.flat_map(|place| cases(&place)).collect()
}

fn on(place: &Place, name: &'static str) -> Trial {
    crate::trial(place, format!("{}/{name}", place.wanted), move |core| {
        let scenario = crate::all().into_iter().find(|it| it.name == name);
        let scenario: Scenario = scenario.unwrap_or_else(|| panic!("there is no case {name:?}"));
        let dialect = Dialect { product: core.product, version: core.version.clone() };
        let of_real = run(&mut Real::new(core, &scenario.subject), &scenario);
        let of_embedded = run(&mut Embedded::speaking(&scenario.subject, dialect), &scenario);
        known::compare_sample(&scenario, &of_embedded, &of_real)
    })
}
