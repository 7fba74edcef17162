//! Expressions over what the state holds.

use super::Core;
use super::evaluate::{evaluate, marked};
use super::log::Log;
use super::plan::by_state;
use super::scope::{RepetitionData, Scope};
use super::session::Session;
use super::stored_values::from_state;
use crate::config::{Config, Expr};
use crate::diagnostic::Diagnostic;
use crate::language::Marked;
use crate::state::State;

impl Core {
    /// Evaluates an expression of the root module over what the state holds (`terraform console`). Nothing is read;
    /// what is not in the state is unknown.
    ///
    /// # Errors
    /// The configuration does not hang together, or the expression has no value.
    pub async fn evaluate(
        &self,
        config: &Config,
        state: &State,
        expr: &Expr,
    ) -> Result<Marked, Vec<Diagnostic>> {
        let evaluate = |core: Self| {
            let (config, state, expr) = (config.clone(), state.clone(), expr.clone());
            async move { core.value_of(&config, &state, &expr).await }
        };
        self.apart(config, evaluate).await
    }

    async fn value_of(&self, config: &Config, state: &State, expr: &Expr) -> Result<Marked, Vec<Diagnostic>> {
        let session = by_state(&Session::open(self, config, state).await?, state)?;
        let values = from_state(&session, state);
        let each = RepetitionData::default();
        let scope = Scope { layout: &session.layout, values: &values, each: &each };
        evaluate(expr, &scope).map(|value| marked(&value)).map_err(|fault| {
            let mut log = Log::new(&"");
            log.fault(fault);
            let plain = |it: Diagnostic| Diagnostic { address: None, ..it };
            log.into_diagnostics().into_iter().map(plain).collect()
        })
    }
}
