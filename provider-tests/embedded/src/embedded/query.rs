//! Queries: the lists of a configuration, with what they refer to.

use std::collections::HashMap;

use super::command::{has_errors, located};
use super::list::{Generation, ListedResource};
use super::options::PlanOptions;
use super::plan::{self, Start};
use super::session::Session;
use super::{Core, validate};
use crate::address::{InstanceAddress, Mode, Target};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Configuration, ModuleId};
use crate::plan::Plan;
use crate::state::State;

/// What a query has come to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Query {
    /// The lists that have ended, with objects or without.
    pub lists: Vec<InstanceAddress>,
    /// The objects, each with the list that has found it, in the order of these.
    pub found: Vec<(InstanceAddress, ListedResource)>,
    /// What core and providers said.
    pub diagnostics: Vec<Diagnostic>,
}

impl Core {
    /// Lists what the `list` blocks of a configuration ask for (`terraform query`). What these refer to is planned, and
    /// nothing is changed.
    pub async fn query(
        &self,
        configuration: impl Into<Configuration>,
        state: &State,
        generation: Generation,
    ) -> Query {
        let configuration = configuration.into();
        let query = |core: Self| {
            let (configuration, state) = (configuration.clone(), state.clone());
            async move { core.listed(&configuration, &state, generation).await }
        };
        self.apart(&configuration, query).await
    }

    async fn listed(&self, configuration: &Configuration, state: &State, generation: Generation) -> Query {
        let failed = |diagnostics| Query {
            lists: Vec::new(),
            found: Vec::new(),
            diagnostics: located(configuration, diagnostics),
        };
        let root = &configuration.modules()[ModuleId::ROOT];
        let lists = root.module.resources.iter().filter(|block| block.mode == Mode::List);
        let lists: Vec<Target> =
            lists.map(|block| InstanceAddress::from(root.address(block)).into()).collect();
        if lists.is_empty() {
            let detail =
                "The configuration has no list blocks. Write them into a file that ends with .tfquery.hcl.";
            return failed(vec![Diagnostic::error("No resources to query", detail)]);
        }
        let session = match Session::open(self, configuration, state).await {
            Ok(session) => session,
            Err(problems) => return failed(problems),
        };
        let mut diagnostics = validate::run(&session).await;
        if has_errors(&diagnostics) {
            return failed(diagnostics);
        }
        let options = PlanOptions { targets: lists, generation, ..PlanOptions::default() };
        let start = Start {
            options,
            state: state.clone(),
            moved: HashMap::new(),
            timestamp: Plan::empty(configuration, state, crate::plan::Mode::Normal).timestamp.as_str().into(),
            strictness: None,
        };
        match plan::run(&session, start).await {
            Ok((_, mut found)) => {
                found.listed.sort_by(|a, b| a.0.cmp(&b.0));
                diagnostics.extend(found.diagnostics);
                found.lists.sort();
                Query {
                    lists: found.lists,
                    found: found.listed,
                    diagnostics: located(configuration, diagnostics),
                }
            }
            Err(problems) => failed(problems),
        }
    }
}
