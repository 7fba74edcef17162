//! A provider on the dynamic layer: files below a folder that the provider configuration names.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ferroform::diag::{Error, Result, ResultExt};
use ferroform::dynamic::{Catalogue, Change, Context, Import, Imported, Provider, Resource, phase};
use ferroform::path;
use ferroform::schema::{Attribute, Block, Replace, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::if_there;

/// The folder, once the provider is configured.
type Root = Arc<Mutex<Option<PathBuf>>>;

/// The provider `plain`.
#[derive(Debug, Default)]
pub struct Plain {
    root: Root,
}

#[async_trait]
impl Provider for Plain {
    fn name(&self) -> &str {
        "plain"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::new([Attribute::required("root", Type::String)]))
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        let root = text(&config, "root").map(PathBuf::from);
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = root;
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let file: Arc<dyn Resource> = Arc::new(File { root: Arc::clone(&self.root) });
        Catalogue::new().with("plain_file", file)
    }
}

/// The resource type `plain_file`.
#[derive(Debug)]
struct File {
    root: Root,
}

impl File {
    fn path(&self, name: &str) -> Result<PathBuf> {
        let root = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let root = root.ok_or_else(|| Error::new("Provider Not Configured", "Set `root`."))?;
        Ok(root.join(name))
    }

    fn write(&self, change: &Change) -> Result<Value> {
        let name = text(&change.planned, "name").unwrap_or_default();
        let content = text(&change.planned, "content").unwrap_or_default();
        std::fs::write(self.path(name)?, content).at(path!(name))?;
        Ok(state(name, content))
    }
}

fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.as_entries()?.get(name)?.as_str()
}

fn state(name: &str, content: &str) -> Value {
    Value::object([
        ("content", Value::string(content)),
        ("id", Value::string(name)),
        ("length", Value::from(content.len() as u64)),
        ("name", Value::string(name)),
    ])
}

#[async_trait]
impl Resource for File {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([
            Attribute::computed("id", Type::String).keep(),
            Attribute::required("name", Type::String).replace(Replace::OnChange),
            Attribute::required("content", Type::String),
            Attribute::computed("length", Type::Number),
        ]))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        self.write(&change)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        let name = text(&prior, "id").unwrap_or_default();
        let content = if_there(std::fs::read_to_string(self.path(name)?))?;
        Ok(content.map(|content| state(name, &content)))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.write(&change)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        let name = text(&prior, "id").unwrap_or_default();
        Ok(std::fs::remove_file(self.path(name)?)?)
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let found = self.read(&mut cx.for_read(), state(&from.into_id()?, "")).await?;
        Ok(found.into_iter().map(Imported::new).collect())
    }
}
