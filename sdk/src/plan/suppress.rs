//! Equivalent values keep their prior spelling in the plan.

use crate::path::Path;
use crate::plan::align::{Body, Content, Node, Rule};
use crate::plan::drift::{Lens, Phase, equivalent};
use crate::plan::passes::walk;
use crate::value::Value;

/// Plans the prior value wherever the planned one is equivalent to it. Core admits that for a value that is configured
/// and for one that the provider computes, and only for an attribute as a whole. Gives the paths, of which elements of
/// sets share one.
pub(super) fn suppress(body: &mut Body<'_>) -> Vec<Path> {
    let mut suppressed: Vec<Path> = Vec::new();
    let concerned =
        |rule: Rule<'_>| matches!(rule, Rule::Attribute(attribute) if !attribute.equivalence.is_exact());
    walk(body, &mut Path::root(), concerned, &mut |_, node, path| {
        if let Some(prior) = equivalent_prior(node) {
            node.content = Content::Leaf(prior.clone());
            if suppressed.last() != Some(path) {
                suppressed.push(path.clone());
            }
        }
    });
    suppressed
}

/// The prior value, when the planned one is another spelling of it.
fn equivalent_prior<'a>(node: &Node<'a>) -> Option<&'a Value> {
    let Rule::Attribute(attribute) = node.rule else { return None };
    let prior = node.prior.filter(|prior| !prior.is_null())?;
    if node.config.is_null() && !attribute.presence.is_computed() {
        return None;
    }
    let planned = node.to_value();
    // An unknown value may turn out to be anything.
    let comparable = !planned.is_null() && planned.is_wholly_known() && planned != *prior;
    (comparable && equivalent(Phase::Plan, Lens::attribute(attribute), &planned, prior)).then_some(prior)
}
