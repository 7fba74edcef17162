//! The types of the provider, each with its schema, built when a call first needs it.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::diag::{Diagnostic, Error, Result};
use crate::dynamic::{self, Catalogue, Concept, UpgradePaths};
use crate::protocol::DynamicValue;
use crate::schema::{Block, FunctionParameter, FunctionSignature, Kind, Schema, SchemaErrors, SchemaRole};
use crate::server::identity::KnownIdentity;
use crate::server::{author, values};
use crate::ty::Type;
use crate::value::Value;

/// What mistakes in the schema of `provider_meta` are said to be in.
pub(super) const META: &str = "the provider metadata";

/// A schema with the type of its values.
pub(super) struct Known {
    pub(super) schema: Schema,
    pub(super) ty: Type,
}

impl Known {
    /// A configuration that core sent. A block that is not there is a body in which nothing is written.
    ///
    /// # Errors
    /// It does not fit the schema.
    pub(super) fn config(&self, encoded: &DynamicValue) -> Result<Value> {
        let block = &self.schema.block;
        let config = values::decode(encoded, &self.ty, "configuration")?;
        let mut config = if config.is_null() { block.empty() } else { config };
        // Core leaves no block out; a configuration as JSON may.
        values::reify_blocks(&block.blocks, &mut config);
        Ok(config)
    }
}

/// A managed resource type.
pub(super) struct ResourceType {
    pub(super) known: Known,
    pub(super) identity: Option<KnownIdentity>,
    pub(super) resource: Arc<dyn dynamic::Resource>,
    paths: OnceLock<UpgradePaths>,
}

impl ResourceType {
    /// The versions that can be upgraded. A state of ten thousand objects asks as often, the author is asked once.
    ///
    /// # Errors
    /// "Provider Panicked".
    pub(super) fn upgrade_paths(&self) -> Result<&UpgradePaths> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths);
        }
        let paths = author::call(|| self.resource.upgrade_paths())?;
        Ok(self.paths.get_or_init(|| paths))
    }
}

/// A data source type.
pub(super) struct DataSourceType {
    pub(super) known: Known,
    pub(super) data_source: Arc<dyn dynamic::DataSource>,
}

/// An ephemeral resource type.
pub(super) struct EphemeralResourceType {
    pub(super) known: Known,
    pub(super) resource: Arc<dyn dynamic::EphemeralResource>,
}

/// A function.
pub(super) struct FunctionType {
    pub(super) signature: FunctionSignature,
    /// By position: what each argument is validated by; the last one also validates all further arguments.
    pub(super) blocks: Vec<Block>,
    pub(super) function: Arc<dyn dynamic::Function>,
}

/// What the server knows of one kind, made when a call first needs it.
pub(super) trait Served: Concept {
    /// One of them, with its schema.
    type Known: Send + Sync + 'static;

    /// Asks author code for the schema.
    ///
    /// # Errors
    /// Mistakes in the schema, "Provider Panicked".
    fn known(offer: Arc<Self>, name: &str) -> Result<Self::Known>;
}

impl Served for dyn dynamic::Resource {
    type Known = ResourceType;

    fn known(resource: Arc<Self>, name: &str) -> Result<ResourceType> {
        let known = known(|| resource.schema(), SchemaRole::Of(Kind::Resource), name)?;
        let identity = known_identity(resource.as_ref(), name)?;
        Ok(ResourceType { known, identity, resource, paths: OnceLock::new() })
    }
}

impl Served for dyn dynamic::DataSource {
    type Known = DataSourceType;

    fn known(data_source: Arc<Self>, name: &str) -> Result<DataSourceType> {
        let known = known(|| data_source.schema(), SchemaRole::Of(Kind::DataSource), name)?;
        Ok(DataSourceType { known, data_source })
    }
}

impl Served for dyn dynamic::EphemeralResource {
    type Known = EphemeralResourceType;

    fn known(resource: Arc<Self>, name: &str) -> Result<EphemeralResourceType> {
        let known = known(|| resource.schema(), SchemaRole::Of(Kind::EphemeralResource), name)?;
        Ok(EphemeralResourceType { known, resource })
    }
}

impl Served for dyn dynamic::Function {
    type Known = FunctionType;

    fn known(function: Arc<Self>, name: &str) -> Result<FunctionType> {
        let signature = checked_signature(function.as_ref(), name)?;
        let block = |attribute| Block { attributes: vec![attribute], ..Block::default() };
        let blocks = signature.all_parameters().map(FunctionParameter::as_attribute).map(block).collect();
        Ok(FunctionType { signature, blocks, function })
    }
}

/// What is known of the offers of one kind, by name.
type KnownOffers = HashMap<String, Arc<dyn Any + Send + Sync>>;

/// Looks types up. A call touches the schema of one type, never of all.
pub(super) struct Types {
    provider: Arc<dyn dynamic::Provider>,
    catalogue: OnceLock<Catalogue>,
    config: Mutex<Option<Arc<Known>>>,
    /// `Some(None)` for a provider without.
    meta: OnceLock<Option<Arc<Known>>>,
    /// What is known of the offers that were asked for, each an `Arc` of [`Served::Known`].
    known: Mutex<HashMap<Kind, KnownOffers>>,
}

impl Types {
    pub(super) fn new(provider: Arc<dyn dynamic::Provider>) -> Self {
        Self {
            provider,
            catalogue: OnceLock::new(),
            config: Mutex::default(),
            meta: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    /// What the provider offers. It is asked once.
    ///
    /// # Errors
    /// "Provider Panicked".
    pub(super) fn catalogue(&self) -> Result<&Catalogue> {
        if let Some(catalogue) = self.catalogue.get() {
            return Ok(catalogue);
        }
        let catalogue = author::call(|| self.provider.catalogue())?;
        Ok(self.catalogue.get_or_init(|| catalogue))
    }

    /// The schema of the provider configuration.
    ///
    /// # Errors
    /// Mistakes in it.
    pub(super) fn config(&self) -> Result<Arc<Known>> {
        let mut config = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*config {
            return Ok(Arc::clone(known));
        }
        let known = known(|| self.provider.schema(), SchemaRole::Provider, "the provider configuration")?;
        Ok(Arc::clone(config.insert(Arc::new(known))))
    }

    /// The schema of `provider_meta` blocks; `None` for a provider that takes none.
    ///
    /// # Errors
    /// Mistakes in it.
    pub(super) fn meta(&self) -> Result<Option<Arc<Known>>> {
        if let Some(meta) = self.meta.get() {
            return Ok(meta.clone());
        }
        let schema = author::call(|| self.provider.meta_schema())?;
        let meta = schema.map(|schema| known(|| schema, SchemaRole::ProviderMeta, META)).transpose()?;
        Ok(self.meta.get_or_init(|| meta.map(Arc::new)).clone())
    }

    /// What is known of the offer of that kind and name.
    ///
    /// # Errors
    /// There is none, or its schema has mistakes.
    pub(super) fn of<S: Served + ?Sized>(&self, name: &str) -> Result<Arc<S::Known>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = known.entry(S::KIND).or_default();
        if let Some(Ok(known)) = cache.get(name).map(|known| Arc::clone(known).downcast()) {
            return Ok(known);
        }
        let offer = self.catalogue()?.get::<S>(name).ok_or_else(|| self.unknown(S::KIND, name))?;
        let known = Arc::new(S::known(offer, name)?);
        cache.insert(name.to_owned(), Arc::clone(&known) as _);
        Ok(known)
    }

    /// The error for a name that the provider does not have.
    pub(super) fn unknown(&self, kind: Kind, name: &str) -> Diagnostic {
        let summary = if kind == Kind::Function { "Unknown Function" } else { "Unknown Type" };
        Diagnostic::error(
            summary,
            format!(
                "The provider `{}` has no {kind} `{name}`. Check the spelling; if the documentation has it, another \
                 version of the provider is needed.",
                self.provider.name()
            ),
        )
    }
}

/// Asks author code for a schema and checks it.
///
/// # Errors
/// Mistakes in the schema, "Provider Panicked".
pub(super) fn known(schema: impl FnOnce() -> Schema, role: SchemaRole, what: &str) -> Result<Known> {
    let schema = author::call(schema)?;
    schema.check_as(role).map_err(|mistakes| Error::from(mistaken(what, &mistakes)))?;
    let ty = schema.ty();
    Ok(Known { schema, ty })
}

/// The identity schema of a type, if it has one.
///
/// # Errors
/// Mistakes in it.
pub(super) fn known_identity(resource: &dyn dynamic::Resource, what: &str) -> Result<Option<KnownIdentity>> {
    let Some(schema) = author::call(|| resource.identity_schema())? else { return Ok(None) };
    let what = format!("the identity of {what}");
    schema.check().map_err(|mistakes| Error::from(mistaken(&what, &mistakes)))?;
    let ty = schema.ty();
    Ok(Some(KnownIdentity { schema, ty }))
}

/// The signature of a function.
///
/// # Errors
/// Mistakes in it.
pub(super) fn checked_signature(function: &dyn dynamic::Function, name: &str) -> Result<FunctionSignature> {
    let signature = author::call(|| function.signature())?;
    let checked = signature.check_as(name);
    checked.map_err(|mistakes| Error::from(mistaken(&format!("the function {name}"), &mistakes)))?;
    Ok(signature)
}

/// The diagnostic for the mistakes of one schema.
pub(super) fn mistaken(what: &str, mistakes: &SchemaErrors) -> Diagnostic {
    Diagnostic::error(
        "Invalid Provider Schema",
        format!(
            "The schema of {what} has mistakes. This is a bug in the provider; its author finds them in a test with \
             `Schema::check`.\n\n{mistakes}"
        ),
    )
}
