//! `state_store` blocks, which say where the state of a root module is kept.

use super::decode::{NEEDS_REAL_CORE, assumed, needs_detail};
use super::model::StateStore;
use super::{Tree, syntax};
use crate::address::ModuleInstance;
use crate::config::{Body, Expr, NestedBlock, ProviderBlock, StateStoreBlock};
use crate::language::Diagnostic;

impl Tree {
    /// Where the state is kept, unless that is a file.
    ///
    /// # Errors
    /// Something in the block is no constant: the state is needed before anything can be evaluated.
    pub(crate) fn state_store(&self) -> Result<Option<StateStoreBlock>, Vec<Diagnostic>> {
        let Some(store) = self.module.state_stores.first() else { return Ok(None) };
        let mut problems = Vec::new();
        let required = self.module.required_providers.iter().find(|it| it.name == store.provider);
        let address = required.map_or_else(|| assumed(&store.provider), |it| it.address.clone());
        let block = StateStoreBlock {
            type_name: store.type_name.clone(),
            provider: ProviderBlock {
                name: store.provider.clone(),
                alias: None,
                body: Body {
                    source: Some(store.provider_brace.clone()),
                    ..constants(&store.provider_body, &mut problems)
                },
                module: ModuleInstance::default(),
                provider: Some(address),
            },
            body: Body { source: Some(store.brace.clone()), ..constants(&store.body, &mut problems) },
        };
        if problems.is_empty() { Ok(Some(block)) } else { Err(problems) }
    }

    /// The state stores that nobody looks at: those of modules that are called, and that of the root module unless the
    /// caller keeps the state there.
    pub(super) fn unused_state_stores(&self, is_used: bool, problems: &mut Vec<Diagnostic>) {
        let unused = self.module.state_stores.iter().filter(|_| !is_used);
        problems.extend(unused.map(StateStore::refused));
        self.children.values().for_each(|child| child.unused_state_stores(false, problems));
    }
}

impl StateStore {
    fn refused(&self) -> Diagnostic {
        let detail = needs_detail("state_store blocks in modules that are called, and in test cases");
        Diagnostic { subject: Some(self.subject.clone()), ..Diagnostic::error(NEEDS_REAL_CORE, detail) }
    }
}

fn constants(body: &syntax::Body, problems: &mut Vec<Diagnostic>) -> Body {
    let mut arguments = Vec::new();
    for argument in &body.arguments {
        match argument.value.constant() {
            Ok(value) => arguments.push((argument.name.clone(), Expr::Literal(value.value))),
            Err(found) => problems.extend(found),
        }
    }
    let block = |it: &syntax::Block| NestedBlock {
        type_name: it.type_name.clone(),
        labels: it.labels.clone(),
        body: constants(&it.body, problems),
        source: Some(it.subject.clone()),
    };
    let blocks = body.blocks.iter().map(block).collect();
    Body { arguments, blocks, source: None }
}
