//! The schemas of the provider's types. Each is built when a call first needs it, and cached.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::diag::{Diagnostic, Error, Result};
use crate::dynamic::{self, CallState, Catalogue, Concept, UpgradePaths};
use crate::protocol::DynamicValue;
use crate::schema::{IdentitySchema, Kind, Schema, SchemaErrors, SchemaRole};
use crate::server::identity::TypedIdentitySchema;
use crate::server::{normalize, provider_code, value_codec};
use crate::ty::Type;
use crate::validate::validate;
use crate::value::Value;

/// The name of the `provider_meta` schema in errors.
pub(super) const META: &str = "the provider metadata";

/// A schema with the type of its values.
pub(super) struct TypedSchema {
    pub(super) schema: Schema,
    pub(super) ty: Type,
}

impl TypedSchema {
    /// Decodes a configuration that core sent.
    ///
    /// # Errors
    /// It does not fit the schema.
    pub(super) fn decode(&self, encoded: &DynamicValue) -> Result<Value> {
        value_codec::decode(encoded, &self.ty, "configuration")
    }

    /// Decodes a configuration that core sent. A missing block is an empty body.
    ///
    /// # Errors
    /// It does not fit the schema.
    pub(super) fn config(&self, encoded: &DynamicValue) -> Result<Value> {
        let block = &self.schema.block;
        let config = self.decode(encoded)?;
        let mut config = if config.is_null() { block.empty() } else { config };
        // Core sends every block; a JSON configuration may omit some.
        normalize::absent_blocks(&block.blocks, &mut config);
        Ok(config)
    }

    /// Checks a configuration by the rules of the schema.
    pub(super) fn validate(&self, config: &Value, cx: &mut CallState) {
        let write_only_allowed = cx.capabilities.write_only_attributes_allowed;
        validate(&self.schema.block, config, write_only_allowed, &mut cx.diagnostics);
    }
}

/// A managed resource type.
pub(super) struct ResourceType {
    pub(super) typed: TypedSchema,
    pub(super) identity: Option<TypedIdentitySchema>,
    pub(super) resource: Arc<dyn dynamic::Resource>,
    paths: OnceLock<UpgradePaths>,
}

impl ResourceType {
    /// The versions that can be upgraded. Provider code is called once, however many objects the state has.
    ///
    /// # Errors
    /// "Provider Panicked".
    pub(super) fn upgrade_paths(&self) -> Result<&UpgradePaths> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths);
        }
        let paths = provider_code::isolated_sync(|| self.resource.upgrade_paths())?;
        Ok(self.paths.get_or_init(|| paths))
    }
}

/// A type with a schema and no more.
pub(super) struct OfferType<S: ?Sized> {
    pub(super) typed: TypedSchema,
    pub(super) offer: Arc<S>,
}

/// A concept whose types the cache loads when a call first needs them.
pub(super) trait Cacheable: Concept {
    /// A type with its schema.
    type Entry: Send + Sync + 'static;

    /// Gets the schema from provider code.
    ///
    /// # Errors
    /// Mistakes in the schema, "Provider Panicked".
    fn load(offer: Arc<Self>, name: &str) -> Result<Self::Entry>;
}

impl Cacheable for dyn dynamic::Resource {
    type Entry = ResourceType;

    fn load(resource: Arc<Self>, name: &str) -> Result<ResourceType> {
        let typed = load_schema(|| resource.schema(), SchemaRole::Of(Kind::Resource), name)?;
        let identity = load_identity_schema(resource.as_ref(), name)?;
        Ok(ResourceType { typed, identity, resource, paths: OnceLock::new() })
    }
}

/// Caches the types of a concept by their schema and no more.
macro_rules! cached_by_schema {
    ($concept:ident) => {
        impl $crate::server::schema_cache::Cacheable for dyn $concept {
            type Entry = $crate::server::schema_cache::OfferType<Self>;

            fn load(offer: ::std::sync::Arc<Self>, name: &str) -> $crate::diag::Result<Self::Entry> {
                let role = $crate::schema::SchemaRole::Of(<Self as $crate::dynamic::Concept>::KIND);
                let typed = $crate::server::schema_cache::load_schema(|| offer.schema(), role, name)?;
                Ok($crate::server::schema_cache::OfferType { typed, offer })
            }
        }
    };
}
pub(super) use cached_by_schema;

/// Loads and caches schemas. A call loads the schema of one type, never of all.
pub(super) struct SchemaCache {
    provider: Arc<dyn dynamic::Provider>,
    catalogue: OnceLock<Catalogue>,
    config: Mutex<Option<Arc<TypedSchema>>>,
    /// `Some(None)` for a provider without.
    meta: OnceLock<Option<Arc<TypedSchema>>>,
    /// The loaded entries by name. Each is a [`Cacheable::Entry`], so one name has at most one of a type.
    entries: Mutex<HashMap<String, Vec<Arc<dyn Any + Send + Sync>>>>,
}

impl SchemaCache {
    pub(super) fn new(provider: Arc<dyn dynamic::Provider>) -> Self {
        Self {
            provider,
            catalogue: OnceLock::new(),
            config: Mutex::default(),
            meta: OnceLock::new(),
            entries: Mutex::default(),
        }
    }

    /// The catalogue of the provider, which is called once.
    ///
    /// # Errors
    /// "Provider Panicked".
    pub(super) fn catalogue(&self) -> Result<&Catalogue> {
        if let Some(catalogue) = self.catalogue.get() {
            return Ok(catalogue);
        }
        let catalogue = provider_code::isolated_sync(|| self.provider.catalogue())?;
        Ok(self.catalogue.get_or_init(|| catalogue))
    }

    /// The schema of the provider configuration.
    ///
    /// # Errors
    /// Mistakes in it.
    pub(super) fn config(&self) -> Result<Arc<TypedSchema>> {
        let mut config = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(typed) = &*config {
            return Ok(Arc::clone(typed));
        }
        let typed =
            load_schema(|| self.provider.schema(), SchemaRole::Provider, "the provider configuration")?;
        Ok(Arc::clone(config.insert(Arc::new(typed))))
    }

    /// The schema of `provider_meta` blocks; `None` for a provider that takes none.
    ///
    /// # Errors
    /// Mistakes in it.
    pub(super) fn meta(&self) -> Result<Option<Arc<TypedSchema>>> {
        if let Some(meta) = self.meta.get() {
            return Ok(meta.clone());
        }
        let schema = provider_code::isolated_sync(|| self.provider.meta_schema())?;
        let meta = schema.map(|schema| load_schema(|| schema, SchemaRole::ProviderMeta, META)).transpose()?;
        Ok(self.meta.get_or_init(|| meta.map(Arc::new)).clone())
    }

    /// The cache entry of that kind and name, loaded on first use.
    ///
    /// # Errors
    /// The provider has no such type, or its schema has mistakes.
    pub(super) fn of<S: Cacheable + ?Sized>(&self, name: &str) -> Result<Arc<S::Entry>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut named = entries.get(name).into_iter().flatten();
        if let Some(entry) = named.find_map(|entry| Arc::clone(entry).downcast().ok()) {
            return Ok(entry);
        }
        let offer = self.catalogue()?.get::<S>(name).ok_or_else(|| self.unknown(S::KIND, Some(name)))?;
        let entry = Arc::new(S::load(offer, name)?);
        entries.entry(name.to_owned()).or_default().push(Arc::clone(&entry) as _);
        Ok(entry)
    }

    /// The error for what the provider does not have: a name, or anything of that kind.
    pub(super) fn unknown(&self, kind: Kind, name: Option<&str>) -> Diagnostic {
        let summary = if kind == Kind::Function { "Unknown Function" } else { "Unknown Type" };
        let provider = self.provider.name();
        Diagnostic::error(
            summary,
            match name {
                Some(name) => format!(
                    "The provider `{provider}` has no {kind} `{name}`. Check the spelling; if the documentation has it, \
                     another version of the provider is needed."
                ),
                None => format!(
                    "The provider `{provider}` has no {kind}. If the documentation has one, another version of the \
                     provider is needed."
                ),
            },
        )
    }
}

/// Gets a schema from provider code and checks it.
///
/// # Errors
/// Mistakes in the schema, "Provider Panicked".
pub(super) fn load_schema(
    schema: impl FnOnce() -> Schema,
    role: SchemaRole,
    what: &str,
) -> Result<TypedSchema> {
    typed(provider_code::isolated_sync(schema)?, role, what)
}

/// Apart from [`load_schema`], which a program has once for each kind.
fn typed(schema: Schema, role: SchemaRole, what: &str) -> Result<TypedSchema> {
    let schema = checked(schema, role, what)?;
    let ty = schema.ty();
    Ok(TypedSchema { schema, ty })
}

/// A schema without mistakes.
///
/// # Errors
/// Mistakes in it.
pub(super) fn checked(schema: Schema, role: SchemaRole, what: &str) -> Result<Schema> {
    schema.check_as(role).map_err(|mistakes| schema_error(what, &mistakes))?;
    Ok(schema)
}

/// The identity schema of a type, if it has one.
///
/// # Errors
/// Mistakes in it.
pub(super) fn load_identity_schema(
    resource: &dyn dynamic::Resource,
    what: &str,
) -> Result<Option<TypedIdentitySchema>> {
    let schema = provider_code::isolated_sync(|| resource.identity_schema())?;
    schema.map(|schema| checked_identity(schema, what)).transpose()
}

pub(super) fn checked_identity(schema: IdentitySchema, what: &str) -> Result<TypedIdentitySchema> {
    let what = format!("the identity of {what}");
    schema.check().map_err(|mistakes| schema_error(&what, &mistakes))?;
    let ty = schema.ty();
    Ok(TypedIdentitySchema { schema, ty })
}

/// The error for the mistakes of one schema.
pub(super) fn schema_error(what: &str, mistakes: &SchemaErrors) -> Error {
    Error::new(
        "Invalid Provider Schema",
        format!(
            "The schema of {what} has mistakes. This is a bug in the provider; its author finds them in a test with \
             `Schema::check`.\n\n{mistakes}"
        ),
    )
}
