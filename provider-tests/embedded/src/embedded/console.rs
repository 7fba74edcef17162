//! Expressions over what the state holds.

use super::Core;
use super::repetition::NO_REPETITION;
use super::scope::{Scope, evaluate};
use super::session::Session;
use super::stored_values;
use crate::diagnostic::Diagnostic;
use crate::language::Marked;
use crate::language::module::{Configuration, ModuleId, ReferenceCheck, SourceExpr, Surroundings};
use crate::state::State;

impl Core {
    /// Evaluates an expression of the root module over what the state holds (`terraform console`). Nothing is read;
    /// what is not in the state is unknown.
    ///
    /// # Errors
    /// The configuration does not hang together, or the expression has no value.
    pub async fn evaluate(
        &self,
        configuration: impl Into<Configuration>,
        state: &State,
        expr: &SourceExpr,
    ) -> Result<Marked, Vec<Diagnostic>> {
        let configuration = configuration.into();
        let evaluate = |core: Self| {
            let (configuration, state, expr) = (configuration.clone(), state.clone(), expr.clone());
            async move { core.value_of(&configuration, &state, &expr).await }
        };
        self.apart(&configuration, evaluate).await
    }

    async fn value_of(
        &self,
        configuration: &Configuration,
        state: &State,
        expr: &SourceExpr,
    ) -> Result<Marked, Vec<Diagnostic>> {
        let session = Session::open(self, configuration, state).await?;
        let unknown = session.unknown_types();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let wrong = ReferenceCheck::new(session.modules(), ModuleId::ROOT);
        let wrong = wrong.expression(expr, Surroundings::default());
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let walk = stored_values::walk(&session, state);
        evaluate(expr, &Scope::new(&session.layout, &walk, &walk.root, &NO_REPETITION))
    }
}
