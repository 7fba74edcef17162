//! What each wrong provider does, and what core says to it.

use std::collections::BTreeSet;

use ferroform::path::Path;
use ferroform_acceptance::wrong::{Change, Fault, Which};
use ferroform_server::protocol::Rpc;
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::plan_rules::summary::INVALID_PLAN;

mod answer;
pub(crate) mod change;
mod plan;
mod schema;
mod stream;

/// A wrong provider.
#[derive(Debug)]
pub(crate) struct Row {
    /// The rule that is broken, in words.
    pub(crate) name: &'static str,
    /// What is done when it is broken.
    pub(crate) act: Act,
    /// How it is broken.
    pub(crate) fault: Fault,
    /// What core says.
    pub(crate) says: Says,
    /// What the embedded core says, where it is stricter.
    pub(crate) embedded_says: Option<Says>,
    /// The attribute that the error names.
    pub(crate) path: Path,
}

/// What core says of a wrong provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Errors of these summaries.
    Summaries(&'static [&'static str]),
    /// That the answer is none of the schema's type: the bare message of the decoder stands where a summary does, but
    /// the embedded core has a summary of its own for it.
    Undecodable,
}

/// What is done with the provider while it is wrong. What comes before is done while it is sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Everything that the type has is configured and created.
    Create,
    /// Only what is required is configured and created.
    CreateBare,
    /// An attribute is configured with a value that is unknown until apply.
    CreateUnknown,
    /// An object with everything gets another note.
    Update,
    /// An object with everything loses its note.
    Unset,
    /// An object with everything gets another name, which replaces it.
    Replace,
    /// An object with everything is destroyed.
    Destroy,
    /// An object with everything is refreshed.
    Refresh,
    /// An object of an older schema is planned.
    Upgrade,
    /// An object with an older identity is planned.
    UpgradeIdentity,
    /// An object is imported by its id, by a block.
    ImportId,
    /// An object is imported by its identity, by a block.
    ImportIdentity,
    /// An object of another type is moved.
    Move,
    /// A data source is read.
    Data,
    /// Objects are listed by their identities.
    Query,
    /// Objects are listed with all that they have.
    QueryWhole,
    /// One object is listed.
    QueryOne,
    /// An action is invoked by itself.
    Invoke,
    /// An action is invoked before an object is created.
    BeforeCreate,
    /// An action is invoked after an object was created.
    AfterCreate,
}

/// Fewer providers than these would leave checks of core without one that offends it.
const AT_LEAST: usize = 60;

/// All of them.
pub(crate) fn rows() -> Vec<Row> {
    let tables = [
        plan::attributes(),
        plan::nested(),
        plan::blocks(),
        plan::answers(),
        plan::again(),
        answer::results(),
        answer::nested_results(),
        answer::stored(),
        answer::others(),
        stream::lists(),
        stream::actions(),
        schema::attributes(),
        schema::nested_blocks(),
        schema::sets(),
        schema::others(),
    ];
    let rows: Vec<Row> = tables.into_iter().flatten().collect();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert!(names.len() >= AT_LEAST, "only {} providers are wrong", names.len());
    rows
}

fn row(name: &'static str, act: Act, rpc: Rpc, change: Change) -> Row {
    let fault = Fault { rpc, which: Which::All, change };
    Row { name, act, fault, says: Says::Summaries(&[INVALID_PLAN]), embedded_says: None, path: Path::root() }
}

impl Row {
    pub(crate) fn says(self, summaries: &'static [&'static str]) -> Self {
        Self { says: Says::Summaries(summaries), ..self }
    }

    fn undecodable(self) -> Self {
        Self { says: Says::Undecodable, ..self }
    }

    fn at(self, path: Path) -> Self {
        Self { path, ..self }
    }

    fn only(self, which: Which) -> Self {
        Self { fault: Fault { which, ..self.fault }, ..self }
    }

    fn says_on_embedded(self, summaries: &'static [&'static str]) -> Self {
        Self { embedded_says: Some(Says::Summaries(summaries)), ..self }
    }

    /// What is not as the row says of what the embedded core told in the end, or nothing.
    pub(crate) fn problem_on_embedded(&self, told: &[Diagnostic]) -> Option<String> {
        self.problem(self.embedded_says.unwrap_or(self.says), told)
    }

    /// The same of a real core.
    pub(crate) fn problem_on_real(&self, told: &[Diagnostic]) -> Option<String> {
        self.problem(self.says, told)
    }

    fn problem(&self, says: Says, told: &[Diagnostic]) -> Option<String> {
        let errors: Vec<&Diagnostic> = told.iter().filter(|it| it.is_error()).collect();
        let as_said = match says {
            Says::Summaries(summaries) => {
                let found: BTreeSet<&str> = errors.iter().map(|it| it.summary.as_str()).collect();
                found == summaries.iter().copied().collect()
            }
            Says::Undecodable => errors.iter().any(|it| it.detail.is_empty() || it.summary == "Plugin error"),
        };
        if !as_said {
            return Some(format!("{says:?} is expected, and this was told: {errors:#?}"));
        }
        // Real cores give the path in the text only, and there keys may look like attributes.
        let plain = |text: &str| text.replace("[\"", ".").replace("\"]", "");
        let path = plain(&format!(".{}", self.path));
        let named = |error: &&&Diagnostic| {
            error.path.as_ref() == Some(&self.path) || plain(&error.detail).contains(&path)
        };
        let silent = !self.path.is_root() && !errors.iter().any(|error| named(&error));
        silent.then(|| format!("the path {} is expected, and this was told: {errors:#?}", self.path))
    }
}
