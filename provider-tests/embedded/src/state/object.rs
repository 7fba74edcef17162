//! Stored objects as values, and values as objects to store.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use ferroform::schema::{IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::{self, UnknownAttributes};
use serde_json::value::RawValue;

use super::error::StateError;
use super::sensitive::sensitive_paths;
use super::{Attributes, Object, Status};
use crate::address::InstanceKey;
use crate::json_text;

impl Object {
    /// An object in good order, of the current schema, with nothing but attributes. What the schema calls sensitive is
    /// stored as sensitive.
    ///
    /// # Errors
    /// The first place at which the value is not of the schema's type, or unknown.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_embedded::state::Object;
    ///
    /// let block = Block::new([Attribute::computed("id", Type::String)]);
    /// let schema = Schema::new(block).version(1);
    /// let value = Value::object([("id", Value::from("a"))]);
    /// let object = Object::of(&schema, &value)?;
    /// assert_eq!(object.schema_version, 1);
    /// assert_eq!(object.value(&schema)?, value);
    /// # Ok::<(), ferroform_embedded::state::StateError>(())
    /// ```
    pub fn of(schema: &Schema, value: &Value) -> Result<Self, StateError> {
        Ok(Self {
            status: Status::Ready,
            schema_version: schema.version,
            attributes: Attributes::Json(encode(value, &schema.ty())?),
            sensitive_attributes: sensitive_paths(&schema.block, value),
            identity_schema_version: 0,
            identity: None,
            private: Bytes::new(),
            dependencies: Arc::default(),
            create_before_destroy: false,
            skip_destroy: false,
            provider_key: InstanceKey::None,
        })
    }

    /// The object with an identity.
    ///
    /// # Errors
    /// The first place at which the value is not of the schema's type, or unknown.
    pub fn with_identity(mut self, schema: &IdentitySchema, value: &Value) -> Result<Self, StateError> {
        let identity = encode(value, &schema.ty()).map_err(|error| error.within("identity"))?;
        self.identity = (!value.is_null()).then_some(identity);
        self.identity_schema_version = schema.version;
        Ok(self)
    }

    /// The attributes as a value of the schema. Members that the schema does not have are left out, and those that
    /// are missing are null.
    ///
    /// # Errors
    /// The first place at which the stored attributes are not of the schema's type, and flat attributes, which only
    /// the provider can upgrade.
    pub fn value(&self, schema: &Schema) -> Result<Value, StateError> {
        match &self.attributes {
            Attributes::Json(json) => decode(json, &schema.ty()),
            Attributes::Flat(_) => {
                let problem = "the attributes are in the flat form of Terraform 0.11; only the provider can upgrade \
                               them";
                Err(StateError::new(problem).within("attributes_flat"))
            }
        }
    }

    /// The identity as a value of the schema, if there is one.
    ///
    /// # Errors
    /// The first place at which the stored identity is not of the schema's type.
    pub fn identity_value(&self, schema: &IdentitySchema) -> Result<Option<Value>, StateError> {
        let identity = self.identity.as_ref().map(|json| decode(json, &schema.ty()));
        identity.transpose().map_err(|error| error.within("identity"))
    }

    /// The attributes as core sends them to be upgraded: of the same version without the members that the schema
    /// does not have, of another version as they are. Nothing within dynamic values is left out.
    #[must_use]
    pub fn stored_attributes(&self, schema: &Schema) -> Attributes {
        match &self.attributes {
            Attributes::Json(json) if self.schema_version == schema.version => {
                Attributes::Json(known_members(json, &schema.ty()))
            }
            as_stored => as_stored.clone(),
        }
    }
}

fn encode(value: &Value, ty: &Type) -> Result<Bytes, StateError> {
    json::encode(value, ty).map(Bytes::from).map_err(|error| StateError::new(error.to_string()))
}

fn decode(json: &[u8], ty: &Type) -> Result<Value, StateError> {
    json::decode(json, ty, UnknownAttributes::Ignore).map_err(|error| StateError::new(error.to_string()))
}

/// A JSON text without the members that a type does not have. What is of another kind than the type says stays, for
/// the decoder to complain about.
fn known_members(json: &Bytes, ty: &Type) -> Bytes {
    let mut out = String::with_capacity(json.len());
    match serde_json::from_slice::<&RawValue>(json) {
        Ok(raw) => {
            push_known(&mut out, raw, ty);
            Bytes::from(out)
        }
        Err(_) => json.clone(),
    }
}

fn push_known(out: &mut String, raw: &RawValue, ty: &Type) {
    let done = match ty {
        Type::List(element) | Type::Set(element) => push_elements(out, raw, std::iter::repeat(&**element)),
        Type::Tuple(types) => push_elements(out, raw, types.iter()),
        Type::Map(element) => push_members(out, raw, |_| Some(element)),
        Type::Object(object) => push_members(out, raw, |name| object.attribute(name)),
        Type::String | Type::Number | Type::Bool | Type::Dynamic => None,
    };
    if done.is_none() {
        out.push_str(raw.get());
    }
}

fn push_elements<'t>(
    out: &mut String,
    raw: &RawValue,
    mut types: impl Iterator<Item = &'t Type>,
) -> Option<()> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).ok()?;
    json_text::push_all(out, ['[', ']'], elements, |out, element| match types.next() {
        Some(ty) => push_known(out, element, ty),
        None => out.push_str(element.get()),
    });
    Some(())
}

fn push_members<'t>(out: &mut String, raw: &RawValue, ty: impl Fn(&str) -> Option<&'t Type>) -> Option<()> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(raw.get()).ok()?;
    let known = members.into_iter().filter_map(|(name, member)| ty(&name).map(|ty| (name, member, ty)));
    json_text::push_all(out, ['{', '}'], known, |out, (name, member, ty)| {
        json_text::push_string(out, &name);
        out.push(':');
        push_known(out, member, ty);
    });
    Some(())
}
