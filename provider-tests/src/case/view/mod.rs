//! What a step left behind, in one form for all cores: the plan as `show -json` prints it, the state as its file holds
//! it.
//!
//! Checks look at these views and at nothing else, so that they mean the same on the embedded core and on real ones.

mod change;
mod plan;
mod query;
mod state;
mod tree;

use serde_json::Value as Json;

use crate::client::Entry;

pub(crate) use self::change::path_text;
pub use self::change::{ChangeView, DeferredView, OutputChangeView};
pub use self::plan::PlanView;
pub use self::query::{QueryView, ResultView};
pub use self::state::{ObjectView, StateView};
pub use self::tree::{Difference, Tree, differences};
pub(crate) use self::tree::{SENSITIVE, same_json};

/// The calls of a step that the providers under test got, in the order in which they were started. Secrets are hidden in
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls(pub(crate) Vec<Entry>);

impl Calls {
    /// The calls.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }
}

/// The elements of a member that is a list.
fn members<'a>(json: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    json[name].as_array().into_iter().flatten()
}
