//! `state_store` blocks, which say where the state of a root module is kept.

use super::Tree;
use super::decode::needs_real_core;
use super::model::StateStore;
use super::syntax::Body;
use crate::language::Diagnostic;

impl Tree {
    /// Where the state is kept, unless that is a file.
    ///
    /// # Errors
    /// Something in the block is no constant: the state is needed before anything can be evaluated.
    pub(crate) fn state_store(&self) -> Result<Option<StateStore>, Vec<Diagnostic>> {
        let Some(store) = self.module.state_stores.first() else { return Ok(None) };
        let mut problems = Vec::new();
        for body in [&store.provider_body, &store.body] {
            check_constants(body, &mut problems);
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let required = self.module.required_provider(&store.provider);
        let address = required.map_or_else(|| store.address.clone(), |it| it.address.clone());
        Ok(Some(StateStore { address, ..store.clone() }))
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
        let what = "state_store blocks in modules that are called, and in test cases";
        needs_real_core(what).on(&self.subject)
    }
}

/// Reports what is not constant in a body.
pub(super) fn check_constants(body: &Body, problems: &mut Vec<Diagnostic>) {
    for argument in &body.arguments {
        problems.extend(argument.value.constant().err().into_iter().flatten());
    }
    body.blocks.iter().for_each(|block| check_constants(&block.body, problems));
}
