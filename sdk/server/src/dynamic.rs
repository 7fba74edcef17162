//! Providers and everything that they offer, with schemas that are known at run time only.
//!
//! This is the object-safe layer under the typed traits: the derive and `Resource` produce implementations of [`Resource`],
//! and so can a program that builds its schemas from a document. Values are [`Value`](crate::value::Value)s that fit the
//! schema; everything that the server checks for typed resources is checked here as well.

mod action;
mod catalogue;
mod context;
mod data_source;
mod ephemeral_resource;
pub(crate) mod function;
mod list_resource;
pub mod phase;
mod provider;
pub(crate) mod read_after_write;
mod resource;
pub(crate) mod state_store;
mod stored;

pub use action::{Action, InvokeContext};
pub use catalogue::{Catalogue, Concept, Offer};
pub use context::{CallState, Context, IdentityContext, ValidateContext};
pub use data_source::DataSource;
#[doc(hidden)]
pub use ephemeral_resource::renewal_not_implemented;
pub use ephemeral_resource::{Close, EphemeralContext, EphemeralResource, LeavesOpen, Open, Renew};
pub use function::Function;
pub(crate) use function::FunctionContext;
pub(crate) use list_resource::ObjectReceiver;
pub use list_resource::{ListContext, ListResource, ListedObject, ResourceSchemas};
pub use provider::Provider;
pub(crate) use read_after_write::ReadAfterWrite;
pub use resource::{Change, PlannedChange, Resource};
#[doc(hidden)]
pub use state_store::CHUNK_SIZE;
pub(crate) use state_store::{Incoming, Outgoing, StateSink, StateSource, StoreContext};
pub use state_store::{StateStore, Store};
#[doc(hidden)]
pub use stored::import_not_supported;
pub use stored::{Import, Imported, MoveSource, StoredValue, UpgradePaths, UpgradedTypes};

pub use crate::protocol::{ClientCapabilities, Deferred, RawState};

/// The concepts: the kind and the object-safe trait of each, how to get a schema, and the function that answers the calls
/// about it, `None` where every program can answer. A new concept is a row.
macro_rules! concepts {
    ($declare:ident) => {
        $declare! {
            Resource(Resource) { schema: |it| Some(it.schema()), dispatch: None }
            DataSource(DataSource) { schema: |it| Some(it.schema()), dispatch: Some(rpc::data_source_calls) }
            EphemeralResource(EphemeralResource) {
                schema: |it| Some(it.schema()), dispatch: Some(rpc::ephemeral_resource_calls)
            }
            ListResource(ListResource) { schema: |it| Some(it.schema()), dispatch: Some(rpc::list_resource_calls) }
            StateStore(StateStore) { schema: |it| Some(it.schema()), dispatch: Some(rpc::state_store_calls) }
            Action(Action) { schema: |it| Some(it.schema()), dispatch: Some(rpc::action_calls) }
            Function(Function) { schema: |_| None, dispatch: Some(rpc::function_calls) }
        }
    };
}
use concepts;
