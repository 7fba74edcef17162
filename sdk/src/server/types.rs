//! The types of the provider, each with its schema, built when a call first needs it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::diag::{Diagnostic, Error, Result};
use crate::dynamic::{self, UpgradePaths};
use crate::schema::{Schema, SchemaErrors, SchemaRole};
use crate::server::author;
use crate::server::identity::KnownIdentity;
use crate::ty::Type;

/// What mistakes in the schema of `provider_meta` are said to be in.
pub(super) const META: &str = "the provider metadata";

/// A schema with the type of its values.
pub(super) struct Known {
    pub(super) schema: Schema,
    pub(super) ty: Type,
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

/// Looks types up. A call touches the schema of one type, never of all.
pub(super) struct Types {
    provider: Arc<dyn dynamic::Provider>,
    config: Mutex<Option<Arc<Known>>>,
    /// `Some(None)` for a provider without.
    meta: OnceLock<Option<Arc<Known>>>,
    resources: Mutex<HashMap<String, Arc<ResourceType>>>,
    data_sources: Mutex<HashMap<String, Arc<DataSourceType>>>,
}

impl Types {
    pub(super) fn new(provider: Arc<dyn dynamic::Provider>) -> Self {
        Self {
            provider,
            config: Mutex::default(),
            meta: OnceLock::new(),
            resources: Mutex::default(),
            data_sources: Mutex::default(),
        }
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

    /// The managed resource type of that name.
    ///
    /// # Errors
    /// There is none, or its schema has mistakes.
    pub(super) fn resource(&self, name: &str) -> Result<Arc<ResourceType>> {
        let make = || {
            let resource = self.provider.resource(name).ok_or_else(|| self.unknown_type("resource", name))?;
            let known = known(|| resource.schema(), SchemaRole::Resource, name)?;
            let identity = known_identity(resource.as_ref(), name)?;
            Ok(ResourceType { known, identity, resource, paths: OnceLock::new() })
        };
        cached(&self.resources, name, make)
    }

    /// The data source type of that name.
    ///
    /// # Errors
    /// There is none, or its schema has mistakes.
    pub(super) fn data_source(&self, name: &str) -> Result<Arc<DataSourceType>> {
        let make = || {
            let data_source =
                self.provider.data_source(name).ok_or_else(|| self.unknown_type("data source", name))?;
            let known = known(|| data_source.schema(), SchemaRole::DataSource, name)?;
            Ok(DataSourceType { known, data_source })
        };
        cached(&self.data_sources, name, make)
    }

    /// The error for a type that the provider does not have.
    pub(super) fn unknown_type(&self, what: &str, name: &str) -> Diagnostic {
        Diagnostic::error(
            "Unknown Type",
            format!(
                "The provider `{}` has no {what} type `{name}`. Check the spelling; if the documentation has it, \
                 another version of the provider is needed.",
                self.provider.name()
            ),
        )
    }
}

fn cached<T>(
    cache: &Mutex<HashMap<String, Arc<T>>>,
    name: &str,
    make: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = cache.get(name) {
        return Ok(Arc::clone(known));
    }
    let made = Arc::new(make()?);
    cache.insert(name.to_owned(), Arc::clone(&made));
    Ok(made)
}

fn known(schema: impl FnOnce() -> Schema, role: SchemaRole, what: &str) -> Result<Known> {
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
