//! What a plan walk comes to, and in which order.

use std::collections::BTreeSet;

use super::removed_object::provider;
use super::{Node, PlanWalk, Start, of_providers};
use crate::address::ProviderConfigAddress;
use crate::embedded::session::Session;
use crate::embedded::target::Targets;
use crate::embedded::walk::Graph;
use crate::language::module::Declaration;
use crate::plan::Mode as PlanMode;

impl PlanWalk {
    /// Declarations come after those that they refer to, and resources after the provider that makes them.
    pub(super) fn graph(&self) -> Graph {
        let layout = &self.session.layout;
        let mut graph = Graph::new(self.nodes.len());
        let declared = |number: &usize| self.node_of(*number);
        // The providers are the last nodes.
        let first_provider = self.nodes.len() - self.providers.len();
        for (at, node) in self.nodes.iter().enumerate() {
            let (waits_for, made_by): (Vec<usize>, _) = match node {
                Node::Provider(number) => (self.providers.declaration(*number).into_iter().collect(), None),
                Node::Declared(number) => {
                    let provider = layout.resource(*number).map(|resource| &resource.provider);
                    (layout.references(*number).to_vec(), provider.filter(|_| self.is_planned(*number)))
                }
                Node::Close(_) => continue,
                Node::Triggers(number) => {
                    let named = layout.resource(*number).into_iter().flat_map(|it| &it.triggers);
                    (named.copied().chain([*number]).collect(), None)
                }
                Node::Removed(address) => {
                    let stored = self.start.state.resources.get(address);
                    (Vec::new(), stored.map(|stored| provider(&self.session, address, stored)))
                }
            };
            let number = made_by.and_then(|address| self.providers.number(address));
            let provider = number.map(|number| first_provider + number);
            for first in waits_for.iter().filter_map(declared).chain(provider) {
                graph.order(first, at);
            }
        }
        if self.start.options.mode == PlanMode::Destroy {
            self.order_destruction(&mut graph);
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::Close(number) = node
                && let Some(opened) = declared(number)
            {
                graph.order_last(opened, at);
            }
        }
        graph
    }
}

/// What is evaluated and planned of a configuration, by number.
pub(super) fn configured_declarations(
    session: &Session,
    start: &Start,
    targets: &Targets,
) -> BTreeSet<usize> {
    let layout = &session.layout;
    let is_meant = |(number, declaration): &(usize, &Declaration)| {
        targets.has_declaration(*number)
            // Where nothing is checked, nobody asks whether all is well.
            && !(start.strictness.is_none() && matches!(declaration, Declaration::Check(..)))
    };
    layout.declarations().iter().enumerate().filter(is_meant).map(|(number, _)| number).collect()
}

/// What is evaluated for the configurations of providers, by number. Those of the ephemeral resources among it are added.
pub(in crate::embedded) fn needed_by_providers(
    session: &Session,
    in_use: &mut Vec<ProviderConfigAddress>,
) -> BTreeSet<usize> {
    of_providers(session, in_use);
    let blocks = in_use.iter().filter_map(|address| session.layout.provider_number(address));
    let mut needed = session.layout.ancestors(blocks);
    let declarations = session.layout.declarations();
    needed.retain(|number| !matches!(declarations.get(*number), Some(Declaration::Validation(..))));
    needed
}
