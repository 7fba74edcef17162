//! A provider whose resource types each show something that a core or a provider can do wrong.
//!
//! Objects are files below a folder that the provider configuration names. Every type has a `name`, which is its id
//! and the name of its file, and stores its whole state there; see `stored`.

mod faults;
mod lease;
mod mistakes;
mod stored;
mod values;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use ferroform::Protocol;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{Catalogue, Context, EphemeralResource, Provider, Resource, phase};
use ferroform::path;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

use self::stored::{Kind, Store, Stored, text};

/// The provider `probe`.
#[derive(Debug)]
pub struct Probe {
    store: Store,
    catalogue: Catalogue,
}

impl Probe {
    /// The provider for one protocol: types with nested attributes are there in protocol 6 only. A mistake is the
    /// name of a resource type to add whose schema is wrong: `probe_reserved`, or `probe_nested` in protocol 5.
    #[must_use]
    pub fn new(protocol: Protocol, mistake: Option<&str>) -> Self {
        let store = Store::default();
        let lease: Arc<dyn EphemeralResource> = Arc::new(lease::Lease::new(store.clone()));
        let mut probe = Self { store, catalogue: Catalogue::new().with(lease::Lease::NAME, lease) };
        probe.add::<values::Number>();
        probe.add::<values::Text>();
        probe.add::<values::Dynamic>();
        probe.add::<values::Blocks>();
        probe.add::<values::Secret>();
        probe.add::<values::Rules>();
        probe.add::<values::Meta>();
        probe.add::<faults::Slow>();
        probe.add::<faults::Panicking>();
        probe.add::<faults::Printing>();
        probe.add::<faults::Violating>();
        if protocol == Protocol::V6 || mistake == Some(values::Nested::NAME) {
            probe.add::<values::Nested>();
        }
        if mistake == Some(mistakes::Reserved::NAME) {
            probe.add::<mistakes::Reserved>();
        }
        probe
    }

    fn add<K: Kind>(&mut self) {
        let resource: Arc<dyn Resource> = Arc::new(Stored::<K>::new(self.store.clone()));
        self.catalogue.add(K::NAME, resource);
    }
}

#[async_trait]
impl Provider for Probe {
    fn name(&self) -> &str {
        "probe"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::new([Attribute::required("root", Type::String)]))
    }

    fn meta_schema(&self) -> Option<Schema> {
        let attributes = vec![Attribute::optional("module_name", Type::String)];
        Some(Schema::new(Block::new(attributes)))
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        let Some(root) = text(&config, "root").map(PathBuf::from) else { return Ok(()) };
        if !root.is_dir() {
            let detail = format!("{} is not a folder. Create it, or name another one.", root.display());
            return Err(Error::new("Root Not Found", detail).at(path!(root)));
        }
        self.store.open(root);
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.catalogue.clone()
    }
}
