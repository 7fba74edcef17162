//! Objects as values, and as they are stored.

use std::borrow::Cow;
use std::sync::Arc;

use ferroform::path::Path;
use ferroform::schema::{Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::CodecError;
use ferroform_core::codec::json::{self, UnknownAttributes};

use super::evaluate::{deprecated, marks};
use crate::address::{InstanceKey, Mode, ResourceAddress};
use crate::client::{Catalog, Error, StoredObject};
use crate::language::{MarkSet, Marked};
use crate::plan_rules::without_unknowns;
use crate::state::{Attributes, Object, Status};

/// An object with what core keeps beside it.
#[derive(Clone)]
pub(super) struct InstanceObject {
    pub(super) stored: StoredObject,
    pub(super) sensitive: Vec<Path>,
    pub(super) status: Status,
    pub(super) dependencies: Arc<[ResourceAddress]>,
    pub(super) create_before_destroy: bool,
    /// Whether it is forgotten where others are destroyed.
    pub(super) skip_destroy: bool,
}

impl InstanceObject {
    /// No object.
    pub(super) fn none() -> Self {
        Self {
            stored: StoredObject::none(),
            sensitive: Vec::new(),
            status: Status::Ready,
            dependencies: Arc::default(),
            create_before_destroy: false,
            skip_destroy: false,
        }
    }

    pub(super) fn exists(&self) -> bool {
        !self.stored.value.is_null()
    }
}

/// What the objects of a type look like.
#[derive(Clone, Copy)]
pub(super) struct Kind<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) mode: Mode,
    pub(super) type_name: &'a str,
    resource: &'a ResourceAddress,
}

impl<'a> Kind<'a> {
    pub(super) fn of(catalog: &'a Catalog, resource: &'a ResourceAddress) -> Self {
        Self { catalog, mode: resource.mode, type_name: &resource.type_name, resource }
    }

    pub(super) fn block(&self) -> Result<&'a Block, Error> {
        Ok(&self.schema()?.block)
    }

    fn schema(&self) -> Result<&'a Schema, Error> {
        match self.mode {
            Mode::Action => self.catalog.action(self.type_name),
            Mode::Managed => self.catalog.resource(self.type_name),
            Mode::Data => self.catalog.data_source(self.type_name),
            Mode::Ephemeral => self.catalog.ephemeral_resource(self.type_name),
            Mode::List => self.catalog.list_resource(self.type_name),
        }
    }

    pub(super) fn ty(&self) -> Result<Type, Error> {
        match self.mode {
            Mode::Managed => self.catalog.ty(self.type_name).cloned(),
            Mode::Action | Mode::Data | Mode::Ephemeral | Mode::List => self.schema().map(Schema::ty),
        }
    }

    /// The object as it is stored.
    pub(super) fn encode(&self, live: &InstanceObject) -> Result<Object, Error> {
        let unfit = |field| move |problem| Error::Value { method: "state", field, problem };
        // Where a core lets an unknown value pass, it stores null: states have no other word for it.
        let value = match &live.stored.value {
            known if known.is_wholly_known() => Cow::Borrowed(known),
            value => Cow::Owned(without_unknowns(value.clone())),
        };
        let attributes = json::encode(&value, &self.ty()?).map_err(unfit("attributes"))?;
        let identity_schema = match self.mode {
            Mode::Managed => self.catalog.identity(self.type_name),
            Mode::Action | Mode::Data | Mode::Ephemeral | Mode::List => None,
        };
        let identity = match (&live.stored.identity, identity_schema) {
            (Some(identity), Some(schema)) => {
                Some(json::encode(identity, &schema.ty()).map_err(unfit("identity"))?)
            }
            _ => None,
        };
        Ok(Object {
            status: live.status,
            schema_version: self.schema()?.version,
            attributes: Attributes::Json(attributes.into()),
            sensitive_attributes: live.sensitive.clone(),
            identity_schema_version: identity_schema.map_or(0, |it| it.version),
            identity: identity.map(Into::into),
            private: live.stored.private.clone(),
            dependencies: live.dependencies.clone(),
            create_before_destroy: live.create_before_destroy,
            skip_destroy: live.skip_destroy,
            provider_key: InstanceKey::None,
        })
    }

    /// A stored object that is of the current schema, e.g. because it was written in the same command.
    pub(super) fn decode(&self, object: &Object) -> Result<InstanceObject, Error> {
        let unfit = |field| move |problem| Error::Value { method: "state", field, problem };
        let value = match &object.attributes {
            Attributes::Json(json) => {
                json::decode(json, &self.ty()?, UnknownAttributes::Ignore).map_err(unfit("attributes"))?
            }
            Attributes::Flat(_) => Value::Null,
        };
        let identity = self.decode_identity(object).map_err(unfit("identity"))?;
        self.live(object, StoredObject { value, private: object.private.clone(), identity })
    }

    pub(super) fn decode_identity(&self, object: &Object) -> Result<Option<Value>, CodecError> {
        match (&object.identity, self.catalog.identity(self.type_name)) {
            (Some(json), Some(schema)) => {
                json::decode(json, &schema.ty(), UnknownAttributes::Ignore).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// An object from its parts, with what was stored beside it.
    pub(super) fn live(&self, object: &Object, stored: StoredObject) -> Result<InstanceObject, Error> {
        Ok(InstanceObject {
            sensitive: self.sensitive(&stored.value, &object.sensitive_attributes)?,
            stored,
            status: object.status,
            dependencies: object.dependencies.clone(),
            create_before_destroy: object.create_before_destroy,
            skip_destroy: object.skip_destroy,
        })
    }

    /// What is sensitive in a value: by the schema, and by marks from elsewhere.
    pub(super) fn sensitive(&self, value: &Value, marks: &[Path]) -> Result<Vec<Path>, Error> {
        Ok(marks::union(value, marks, &marks::of_schema(self.block()?, value)))
    }

    /// The value by which others refer to the object. That of an ephemeral resource is ephemeral as a whole.
    pub(super) fn evaluated(&self, value: &Value, sensitive: &[Path]) -> Result<Marked, Error> {
        let mut evaluated = Marked::new(value.clone(), &self.ty()?);
        evaluated.marks = deprecated::marks(self.resource, self.block()?, value);
        sensitive.iter().for_each(|path| evaluated.marks.add(path.clone(), MarkSet::SENSITIVE));
        Ok(if self.mode == Mode::Ephemeral { evaluated.mark(MarkSet::EPHEMERAL) } else { evaluated })
    }
}
