//! The list resource and the action of the provider.

use ferroform::diag::Diagnostics;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform_server::protocol::{
    ActionEvent, EventStream, InvokeActionResponse, ListResourceRequest, ListResourceResponse, ListedResource,
};

use super::encoded;
use super::sound::{identity_of, object_named, thing_schema};

/// The action type.
pub const ACT: &str = "wrong_act";

/// The schema of the list resource and of the action.
pub(super) fn note_schema() -> Schema {
    Schema::new(Block::new([Attribute::optional("note", Type::String)]))
}

/// An object that the list resource finds, as core wants to have it.
#[must_use]
pub fn found(name: &str) -> ListedResource {
    let object = object_named(name);
    let mut found = ListedResource::default();
    found.identity = identity_of(&object);
    found.display_name = name.to_owned();
    found.resource_object = Some(encoded(&thing_schema().ty(), &object));
    found
}

pub(super) fn list(request: &ListResourceRequest) -> ListResourceResponse {
    let limit = usize::try_from(request.limit).unwrap_or_default();
    let mut all: Vec<_> = ["a", "b"].map(found).into_iter().take(limit).collect();
    if !request.include_resource_object {
        all.iter_mut().for_each(|found| found.resource_object = None);
    }
    let mut response = ListResourceResponse::default();
    response.events = EventStream::of(all);
    response
}

pub(super) fn invoke() -> InvokeActionResponse {
    let events = [ActionEvent::Progress("Acting".to_owned()), ActionEvent::Completed(Diagnostics::default())];
    let mut response = InvokeActionResponse::default();
    response.events = EventStream::of(events);
    response
}
