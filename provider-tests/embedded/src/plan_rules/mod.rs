//! The rules by which core plans and checks what a provider answers.
//!
//! The functions here are pure, and written from a description of core's behaviour without a look at the SDK's own
//! planning: where both agree on a case, two readings agree. Shared are paths, types, values with their equality and
//! refinements, and schemas with the types and empty values that they imply. The functions never see a concrete provider;
//! the [embedded core](crate::embedded) is what drives one with them.
//!
//! | function | rule of core |
//! |---|---|
//! | [`proposed_new`] | what is proposed to the provider: configuration over prior state |
//! | [`assert_plan_valid`] | what a provider may plan |
//! | [`assert_object_compatible`] | what it may answer after it has planned |
//! | [`decide_action`] | what a plan amounts to |
//! | [`conforms`], [`assert_wholly_known`], [`assert_write_only_null`] | checks of any answer |

mod body;
mod change_action;
mod conforms;
mod correlate;
mod equal;
mod nested_valid;
mod object_compatible;
mod plan_valid;
mod problem;
mod proposed_new;

pub use change_action::{
    ActionOptions, ChangeAction, ReplaceOrder, Replacement, decide_action, requires_replace,
};
pub use conforms::{assert_wholly_known, assert_write_only_null, conforms};
pub(crate) use conforms::{type_conforms, without_unknowns};
pub use equal::equal;
pub use object_compatible::assert_object_compatible;
pub use plan_valid::assert_plan_valid;
pub use problem::{Problem, summary};
pub use proposed_new::{absent_computed_blocks, proposed_new};
