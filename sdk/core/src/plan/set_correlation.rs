//! Which prior element of a set a configured element continues, in near-linear time.
//!
//! An element has no address but its value, and a configured one lacks what the provider computes and what defaults
//! fill. So it continues a prior element that is equivalent to it everywhere else; or else one with the same key; or
//! else one that only had another default.
//!
//! Nothing rests on an unknown value. The plan is made again at apply, with more values known, and a computed value
//! that was promised then must be promised again.

use crate::plan::merge::{EqualityRules, MatchBasis, Normalizer, Pairing, Phase};
use crate::schema::Default;
use crate::schema::walk::{self, Body, Member};
use crate::value::{Set, Value};

/// A configured object and the prior one that it continues.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) config: &'a Value,
    pub(super) prior: Option<&'a Value>,
    /// Whether everything that is configured is equivalent to what is there already.
    pub(super) is_equivalent: bool,
}

impl<'a> Pair<'a> {
    /// Objects that belong together by their place.
    pub(super) fn of(config: &'a Value, prior: Option<&'a Value>) -> Self {
        Self { config, prior, is_equivalent: false }
    }
}

/// Pairs every configured element with the prior element that it continues. Each prior element is used once.
pub(super) fn correlate<'a>(body: Body<'_>, config: &'a Set, prior: Option<&'a Set>) -> Vec<Pair<'a>> {
    let Some(prior) = prior else {
        return config.iter().map(|element| Pair::of(element, None)).collect();
    };
    let rules = EqualityRules::body(body);
    let normal = Normalizer::exact(Phase::Plan);
    let expect =
        |defaults, is_sought: &dyn Fn(usize, &Value) -> bool| expected(body, config, defaults, is_sought);
    let mut pairing = Pairing::new(prior.as_slice(), config.len());
    pairing.equivalent(normal, rules, &expect(Defaults::Filled, &|_, element| element.is_wholly_known()));
    if pairing.is_open() {
        let left = pairing.unpaired();
        let is_left = |at: usize| left.get(at) == Some(&true);
        pairing.keyed(normal, rules, &expect(Defaults::Filled, &|at, _| is_left(at)));
        let is_sought = |at: usize, element: &Value| is_left(at) && element.is_wholly_known();
        pairing.equivalent(normal, rules, &expect(Defaults::Open, &is_sought));
    }
    let pairs = config.iter().zip(pairing.found()).map(|(config, found)| Pair {
        config,
        prior: found.map(|(prior, _)| prior),
        is_equivalent: matches!(found, Some((_, MatchBasis::Equivalence))),
    });
    pairs.collect()
}

/// The element that is planned for each configured one; `None` where that cannot be told of all of them. Here unknown
/// values may decide: a plan repeats those of its configuration.
pub(super) fn planned_elements<'a>(body: Body<'_>, config: &Set, planned: &'a Set) -> Option<Vec<&'a Value>> {
    if config.len() != planned.len() {
        return None;
    }
    let (rules, normal) = (EqualityRules::body(body), Normalizer::exact(Phase::Plan));
    let mut pairing = Pairing::new(planned.as_slice(), config.len());
    let mut pair = |defaults, is_sought: &dyn Fn(usize, &Value) -> bool| {
        if pairing.is_open() {
            pairing.equivalent(normal, rules, &expected(body, config, defaults, is_sought));
        }
    };
    pair(Defaults::Filled, &|_, element| element.is_wholly_known());
    pair(Defaults::Open, &|_, element| element.is_wholly_known());
    pair(Defaults::Open, &|_, _| true);
    pairing.found().map(|found| found.map(|(planned, _)| planned)).collect()
}

/// The configured elements with unknown values for what the provider fills. Null is no element, so nothing matches it:
/// it stands for those that need not or cannot be looked for.
fn expected(
    body: Body<'_>,
    config: &Set,
    defaults: Defaults,
    is_sought: &dyn Fn(usize, &Value) -> bool,
) -> Vec<Value> {
    let elements = config.iter().enumerate().map(|(at, element)| {
        if !is_sought(at, element) {
            return Value::Null;
        }
        let mut expected = element.clone();
        open_computed(body, &mut expected, defaults);
        expected
    });
    elements.collect()
}

/// What an attribute with a default is compared by where the configuration leaves it out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    /// The default.
    Filled,
    /// Nothing.
    Open,
}

/// Makes unknown what the provider fills in a configured object: computed attributes that are null.
fn open_computed(body: Body<'_>, config: &mut Value, defaults: Defaults) {
    let Value::Object(configured) = config else { return };
    for member in body.members() {
        let Some(value) = configured.get_mut(member.name()) else { continue };
        match (member, member.nested()) {
            (Member::Attribute(attribute), _) if attribute.presence.is_computed() && value.is_null() => {
                *value = match &attribute.default {
                    Some(Default::Value(default)) if defaults == Defaults::Filled => default.clone(),
                    _ => Value::unknown(),
                };
            }
            (_, Some((_, body))) => {
                walk::objects_mut(value, [], &mut |value, []| open_computed(body, value, defaults));
            }
            (_, None) => {}
        }
    }
}
