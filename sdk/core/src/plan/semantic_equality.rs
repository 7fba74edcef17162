//! Semantic equality: equivalent values keep their prior representation in the plan.

use crate::path::{Path, Step};
use crate::plan::correlation::{Body, Content, Node};
use crate::plan::merge::{EqualityRules, Phase, equivalent};
use crate::plan::planning_steps::walk;
use crate::schema::walk::Member;
use crate::value::{HashSet, Value};

/// Plans the prior value wherever the planned one is equivalent to it. Core admits that for a value that is configured
/// and for one that the provider computes, and only for an attribute as a whole. Gives the paths, of which elements of
/// sets share one.
pub(super) fn suppress(body: &mut Body<'_>) -> Vec<Path> {
    let (mut suppressed, mut noted) = (Vec::new(), HashSet::default());
    let concerned =
        |rule: Member<'_>| matches!(rule, Member::Attribute(attribute) if !attribute.equivalence.is_exact());
    walk(body, &mut Path::root(), concerned, &mut |_, node, path| {
        let is_shared = path.steps().contains(&Step::Element);
        let is_kept = match equivalent_prior(node) {
            Some(prior) => {
                node.content = Content::Leaf(prior.clone());
                true
            }
            // Elements of sets have it since they were matched.
            None => is_shared && is_preserved(node),
        };
        if is_kept && !noted.contains(path) {
            suppressed.push(path.clone());
            noted.extend(is_shared.then(|| path.clone()));
        }
    });
    suppressed
}

/// Whether the plan has an equivalent of the configured value.
fn is_preserved(node: &Node<'_>) -> bool {
    !node.config.is_null() && matches!(&node.content, Content::Leaf(planned) if planned != node.config)
}

/// The prior value, if the planned one is an equivalent representation of it.
fn equivalent_prior<'a>(node: &Node<'a>) -> Option<&'a Value> {
    let Member::Attribute(attribute) = node.rule else { return None };
    let prior = node.prior.filter(|prior| !prior.is_null())?;
    if node.config.is_null() && !attribute.presence.is_computed() {
        return None;
    }
    let planned = node.to_value();
    // An unknown value may turn out to be anything.
    let comparable = !planned.is_null() && planned.is_wholly_known() && planned != *prior;
    (comparable && equivalent(Phase::Plan, EqualityRules::attribute(attribute), &planned, prior))
        .then_some(prior)
}
