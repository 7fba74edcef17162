//! A provider whose resource types each show something that a core or a provider can do wrong.
//!
//! Objects are files below a folder that the provider configuration names. Every type has a `name`, which is its id
//! and the name of its file, and stores its whole state there; see `stored`.

mod faults;
mod lease;
mod mistakes;
mod stored;
mod values;

use std::collections::BTreeMap;
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
    resources: Resources,
}

/// Resource types by name.
struct Resources(BTreeMap<String, Arc<dyn Resource>>);

impl Probe {
    /// The provider for one protocol: types with nested attributes are there in protocol 6 only. A mistake is the
    /// name of a resource type to add whose schema is wrong: `probe_reserved`, or `probe_nested` in protocol 5.
    #[must_use]
    pub fn new(protocol: Protocol, mistake: Option<&str>) -> Self {
        let store = Store::default();
        let mut resources = Resources(BTreeMap::new());
        resources.add::<values::Number>(&store);
        resources.add::<values::Text>(&store);
        resources.add::<values::Dynamic>(&store);
        resources.add::<values::Blocks>(&store);
        resources.add::<values::Secret>(&store);
        resources.add::<values::Rules>(&store);
        resources.add::<values::Meta>(&store);
        resources.add::<faults::Slow>(&store);
        resources.add::<faults::Panicking>(&store);
        resources.add::<faults::Printing>(&store);
        resources.add::<faults::Lawless>(&store);
        if protocol == Protocol::V6 || mistake == Some(values::Nested::NAME) {
            resources.add::<values::Nested>(&store);
        }
        if mistake == Some(mistakes::Reserved::NAME) {
            resources.add::<mistakes::Reserved>(&store);
        }
        Self { store, resources }
    }
}

impl Resources {
    fn add<K: Kind>(&mut self, store: &Store) {
        self.0.insert(K::NAME.to_owned(), Arc::new(Stored::<K>::new(store.clone())));
    }
}

impl std::fmt::Debug for Resources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
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
        let resources = self.resources.0.iter().map(|(name, resource)| (name.as_str(), Arc::clone(resource)));
        let lease: Arc<dyn EphemeralResource> = Arc::new(lease::Lease::new(self.store.clone()));
        resources.collect::<Catalogue>().with(lease::Lease::NAME, lease)
    }
}
