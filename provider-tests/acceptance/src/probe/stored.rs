//! What all resource types of the probe have in common: objects are files that hold the state as JSON.

use std::fs;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ferroform::diag::{Error, Result, ResultExt};
use ferroform::dynamic::phase::{Applies, FromModule};
use ferroform::dynamic::{Change, Context, Import, Imported, PlannedChange, Resource, phase};
use ferroform::path;
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{Attribute, Block, Replace, Schema};
use ferroform::ty::Type;
use ferroform::value::{Entries, Value};
use ferroform_core::codec::json::{self, UnknownAttributes};

use crate::if_there;

/// What is special about a resource type.
#[async_trait]
pub(super) trait Kind: Send + Sync + 'static {
    /// The whole type name.
    const NAME: &'static str;

    /// The attributes and blocks besides `name` and `id`.
    fn block() -> Block;

    /// Changes the plan.
    async fn plan(_change: &mut PlannedChange) -> Result {
        Ok(())
    }

    /// Creates or updates the object, whose state is wholly known.
    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        _cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        object.save(&state)?;
        Ok(state)
    }
}

/// The folder of the files, once the provider is configured.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    root: Arc<Mutex<Option<PathBuf>>>,
}

/// One object: its file, and others whose names begin with its name.
pub(super) struct Object<'a> {
    root: PathBuf,
    name: &'a str,
    ty: Type,
}

/// The resource type of a [`Kind`].
pub(super) struct Stored<K> {
    store: Store,
    kind: PhantomData<fn() -> K>,
}

/// The string that an object has as that attribute.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.as_entries()?.get(name)?.as_str()
}

/// The object with another value of that attribute.
pub(super) fn with(mut object: Value, name: &str, value: Value) -> Value {
    if let Value::Object(entries) = &mut object {
        entries.insert(name, value);
    }
    object
}

impl Store {
    pub(super) fn open(&self, root: PathBuf) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = Some(root);
    }

    /// The folder.
    ///
    /// # Errors
    /// The provider is not configured.
    pub(super) fn root(&self) -> Result<PathBuf> {
        let root = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        root.ok_or_else(|| Error::new("Provider Not Configured", "Set `root`."))
    }

    fn object<'a>(&self, name: &'a str, ty: Type) -> Result<Object<'a>> {
        Ok(Object { root: self.root()?, name, ty })
    }
}

impl Object<'_> {
    fn path(&self) -> PathBuf {
        self.root.join(format!("{}.json", self.name))
    }

    pub(super) fn save(&self, state: &Value) -> Result {
        let path = self.path();
        fs::write(&path, json::encode(state, &self.ty)?)
            .summary("File Not Written")
            .detail(&format!("{} could not be written. Free the place and apply again.", path.display()))
            .at(path!(name))
    }

    fn load(&self) -> Result<Option<Value>> {
        let path = self.path();
        let bytes = if_there(fs::read(&path))
            .summary("File Not Read")
            .detail(&format!("{} could not be read. Restore it, or remove it.", path.display()))
            .at(path!(name))?;
        let decode = |bytes: Vec<u8>| json::decode(&bytes, &self.ty, UnknownAttributes::Refuse);
        Ok(bytes.map(decode).transpose()?)
    }

    fn remove(&self) -> Result {
        Ok(if_there(fs::remove_file(self.path())).map(drop)?)
    }

    /// Leaves a file for the test to see.
    pub(super) fn mark(&self, what: &str, content: &str) -> Result {
        Ok(fs::write(self.root.join(format!("{}.{what}", self.name)), content)?)
    }
}

impl<K: Kind> Stored<K> {
    pub(super) fn new(store: Store) -> Self {
        Self { store, kind: PhantomData }
    }

    async fn write<P: Applies + FromModule>(&self, cx: &mut Context<'_, P>, planned: Value) -> Result<Value> {
        let state = filled(planned);
        let name = text(&state, "name").unwrap_or_default().to_owned();
        let object = self.store.object(&name, self.schema().ty())?;
        let state = K::write(object, cx, state).await?;
        tracing::info!(kind = K::NAME, "stored the object");
        Ok(state)
    }
}

#[async_trait]
impl<K: Kind> Resource for Stored<K> {
    fn schema(&self) -> Schema {
        let mut block = K::block();
        block.attributes.extend([
            Attribute::required("name", Type::String).replace(Replace::OnChange),
            Attribute::computed("id", Type::String).keep(),
        ]);
        Schema::new(block)
    }

    async fn plan(&self, _cx: &mut Context<'_, phase::Plan>, change: &mut PlannedChange) -> Result {
        K::plan(change).await
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        self.write(cx, change.planned).await
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        self.store.object(text(&prior, "id").unwrap_or_default(), self.schema().ty())?.load()
    }

    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.write(cx, change.planned).await
    }

    /// The backend stores values unchanged, so a read would show nothing new.
    fn read_after_write(&self) -> ReadAfterWrite {
        ReadAfterWrite::Off
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        self.store.object(text(&prior, "id").unwrap_or_default(), self.schema().ty())?.remove()
    }

    async fn import(&self, _cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let found = self.store.object(&from.into_id()?, self.schema().ty())?.load()?;
        Ok(found.into_iter().map(Imported::new).collect())
    }
}

/// The value with nothing unknown left: `id` is the name, `copy` is the value, `length` that of the text, and all
/// others are the same text.
fn filled(planned: Value) -> Value {
    let all = |elements: Vec<Value>| elements.into_iter().map(filled).collect::<Vec<_>>();
    let each = |entries: Entries| entries.into_iter().map(|(key, value)| (key, filled(value))).collect();
    match planned {
        Value::Object(entries) => Value::Object(members(&entries)),
        Value::Map(entries) => Value::Map(each(entries)),
        Value::List(elements) => Value::List(all(elements)),
        Value::Tuple(elements) => Value::Tuple(all(elements)),
        Value::Set(set) => Value::set(all(set.into_elements())),
        Value::Dynamic(dynamic) => Value::dynamic(dynamic.ty, filled(dynamic.value)),
        other => other,
    }
}

fn members(entries: &Entries) -> Entries {
    let sibling = |name: &str| entries.get(name).cloned().unwrap_or(Value::Null);
    let made = |name: &str| match name {
        "id" => sibling("name"),
        "copy" => sibling("value"),
        "length" => Value::from(sibling("text").as_str().map_or(0, str::len) as u64),
        _ => Value::string(MADE),
    };
    let known =
        |name: &str, value: &Value| if value.is_unknown() { made(name) } else { filled(value.clone()) };
    entries.iter().map(|(name, value)| (name.clone(), known(name, value))).collect()
}

/// The value of computed attributes that nothing else is known of.
pub(super) const MADE: &str = "made by create";
