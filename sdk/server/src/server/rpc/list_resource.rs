//! `ListResource`: runs a listing as a task of its own, and streams what it emits up to the limit of core.
//!
//! Each object is checked by itself, so that a mistake in one is reported where it is. A listing changes nothing, so it is
//! dropped as soon as core reads no more.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::sync::mpsc;

use crate::cancel::Cancellation;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::{self, ListContext, ListedObject, ObjectReceiver};
use crate::panics;
use crate::plan;
use crate::protocol::{DynamicValue, ListResourceRequest, ListResourceResponse, ListedResource};
use crate::schema::{Kind, SchemaRole};
use crate::server::identity::{self, TypedIdentitySchema};
use crate::server::layers::{cancelled, overdue};
use crate::server::schema_cache::{Cacheable, ResourceType, TypedSchema, checked_identity, load_schema};
use crate::server::task_events::{self, TaskEvent};
use crate::server::{Server, normalize, provider_code, value_codec, write_only_values};
use crate::value::Value;

/// How many objects wait for core to read. Enough for the listing and the connection to work at the same time.
const WAITING: usize = 64;

/// A list resource type.
pub(in crate::server) struct ListResourceType {
    pub(super) typed: TypedSchema,
    /// The schemas of the managed resource type, where another server has it.
    resource: Option<(TypedSchema, TypedIdentitySchema)>,
    pub(super) list_resource: Arc<dyn dynamic::ListResource>,
}

impl Cacheable for dyn dynamic::ListResource {
    type Entry = ListResourceType;

    fn load(list_resource: Arc<Self>, name: &str) -> Result<ListResourceType> {
        let typed = load_schema(|| list_resource.schema(), SchemaRole::Of(Kind::ListResource), name)?;
        let resource = match provider_code::isolated_sync(|| list_resource.resource_schemas())? {
            Some(schemas) => {
                let resource = load_schema(|| schemas.resource, SchemaRole::Of(Kind::Resource), name)?;
                Some((resource, checked_identity(schemas.identity, name)?))
            }
            None => None,
        };
        Ok(ListResourceType { typed, resource, list_resource })
    }
}

pub(super) fn handle(
    server: &Server,
    stop: Cancellation,
    request: &ListResourceRequest,
) -> Result<ListResourceResponse> {
    let of = server.inner.types.of::<dyn dynamic::ListResource>(&request.type_name)?;
    let Ok(limit) = u64::try_from(request.limit) else { return Err(negative_limit(request.limit)) };
    let listed = Listed::new(server, &of, request)?;
    let config = of.typed.config(&request.config)?;
    if !config.is_wholly_known() {
        return Err(unknown_config(&request.type_name));
    }
    let config = plan::with_defaults(&of.typed.schema.block, &config, &server.inner.environment)?;
    if limit == 0 {
        return Ok(ListResourceResponse::default());
    }
    let (clock, include_object) = (server.clock(), request.include_resource_object);
    let work = move |objects: mpsc::Sender<ListedObject>| async move {
        let mut diagnostics = Diagnostics::default();
        let cx = ListContext {
            cancellation: stop.clone(),
            clock,
            include_object,
            limit,
            diagnostics: &mut diagnostics,
            receiver: ObjectReceiver::Core { objects: &objects, left: AtomicU64::new(limit) },
        };
        let mut work = Box::pin(provider_code::isolated(of.list_resource.list(cx, config)));
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = objects.closed() => Ok(()),
            () = overdue(&stop) => Err(cancelled().into()),
        };
        panics::discard(work);
        diagnostics.record(result);
        diagnostics
    };
    let event = move |report| match report {
        TaskEvent::Progress(object) => Some(listed.event(object)),
        TaskEvent::Completed(diagnostics) if diagnostics.is_empty() => None,
        TaskEvent::Completed(diagnostics) => {
            Some(ListedResource { diagnostics, ..ListedResource::default() })
        }
    };
    Ok(ListResourceResponse { events: task_events::stream((WAITING, limit), work, event) })
}

/// What the objects of a listing are held to.
struct Listed {
    type_name: String,
    include_object: bool,
    of: Schemas,
}

/// The schemas of the managed resource type.
enum Schemas {
    Here(Arc<ResourceType>),
    Elsewhere(Arc<ListResourceType>),
}

impl Listed {
    fn new(server: &Server, of: &Arc<ListResourceType>, request: &ListResourceRequest) -> Result<Self> {
        let name = &request.type_name;
        let of = match of.resource {
            Some(_) => Schemas::Elsewhere(Arc::clone(of)),
            None => {
                let catalogue = server.inner.types.catalogue()?;
                if let Some(mistake) = provider_code::isolated_sync(|| catalogue.unlisted(name))? {
                    return Err(mistake.into());
                }
                Schemas::Here(server.inner.types.of::<dyn dynamic::Resource>(name)?)
            }
        };
        Ok(Self { type_name: name.clone(), include_object: request.include_resource_object, of })
    }

    fn schemas(&self) -> Option<(&TypedSchema, &TypedIdentitySchema)> {
        match &self.of {
            Schemas::Here(of) => of.identity.as_ref().map(|identity| (&of.typed, identity)),
            Schemas::Elsewhere(of) => of.resource.as_ref().map(|(typed, identity)| (typed, identity)),
        }
    }

    fn event(&self, object: ListedObject) -> ListedResource {
        let ListedObject { identity, display_name, object, mut diagnostics } = object;
        let mut event = ListedResource { display_name, ..ListedResource::default() };
        if let Some((typed, of_identity)) = self.schemas() {
            // What is only a message to the user needs no identity.
            let is_message = identity.is_null() && !diagnostics.is_empty();
            if !is_message {
                event.identity = diagnostics.record(self.identity(of_identity, &identity));
            }
            match object.filter(|object| self.include_object && !object.is_null()) {
                Some(object) => event.resource_object = diagnostics.record(self.object(typed, object)),
                None if self.include_object && !is_message => diagnostics.push(self.no_object()),
                None => {}
            }
        }
        ListedResource { diagnostics, ..event }
    }

    fn identity(&self, of: &TypedIdentitySchema, identity: &Value) -> Result<DynamicValue> {
        identity::complete(&of.schema, identity).map_err(|error| {
            error.detail(format!(
                "`list` of `{}` emitted an object whose identity cannot be used. This is a bug in the provider: each \
                 object needs a known identity with all that an import needs.",
                self.type_name
            ))
        })?;
        value_codec::encode(identity, &of.ty, "identity")
    }

    fn object(&self, typed: &TypedSchema, mut object: Value) -> Result<DynamicValue> {
        let block = &typed.schema.block;
        normalize::absent_blocks(&block.blocks, &mut object);
        let object = write_only_values::without_values(block, object);
        let violations = plan::wholly_known(&object);
        let mut found: Diagnostics =
            violations.iter().map(|it| it.diagnostic(&self.type_name, "list")).collect();
        found.take_errors()?;
        value_codec::encode(&object, &typed.ty, "listed object")
    }

    fn no_object(&self) -> Diagnostic {
        Diagnostic::warning(
            "Listed Object Missing",
            format!(
                "`list` of `{}` was asked for the whole object and emitted only its identity, so no configuration can \
                 be generated for it. This is a bug in the provider: `list` must emit the object where \
                 `include_object` is true.",
                self.type_name
            ),
        )
    }
}

fn negative_limit(limit: i64) -> Error {
    Error::new(
        "Invalid Limit",
        format!(
            "The limit of a listing is {limit}, but it must be 0 or more. Correct `limit` in the `list` block."
        ),
    )
}

fn unknown_config(name: &str) -> Error {
    Error::new(
        "Unknown List Configuration",
        format!(
            "The configuration of the list resource `{name}` holds values that are not known. Use known values."
        ),
    )
}
