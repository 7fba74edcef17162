//! The provider `shape`, whose resource type has attributes and blocks of every form. Its objects live in the state,
//! and so do faults: a name that begins with `fail` cannot be created.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::dynamic::{self, Change, Context, Import, Imported, phase};
use ferroform::path;
use ferroform::schema::{
    Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Replace, Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::embedded::Cancel;

pub(crate) const SOURCE: &str = "example.com/ferroform/shape";

/// The variable with a folder: an object whose name begins with `wait` puts `begun` there and waits for `go`.
pub(crate) const GATE: &str = "FERROFORM_PLAY_GATE";

/// The variable with the program that is started as the provider, instead of one in the process.
pub(crate) const SPAWNED: &str = "FERROFORM_PLAY_SPAWNED";

/// The provider; objects named `last` end the command that makes them.
pub(crate) fn serve(cancel: Option<Cancel>) -> Serve {
    Serve::new(Arc::new(Shape(cancel)))
}

struct Shape(Option<Cancel>);

#[async_trait]
impl dynamic::Provider for Shape {
    fn name(&self) -> &str {
        "shape"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> dynamic::Catalogue {
        let thing: Arc<dyn dynamic::Resource> = Arc::new(Thing(self.0.clone()));
        let store: Arc<dyn dynamic::StateStore> = Arc::new(crate::play::store::Folder);
        let say: Arc<dyn dynamic::Action> = Arc::new(crate::play::action::Say);
        let catalogue = dynamic::Catalogue::new().with("shape_thing", thing);
        catalogue.with("shape_folder", store).with("shape_say", say)
    }
}

struct Thing(Option<Cancel>);

pub(crate) fn nested(nesting: Nesting) -> NestedObject {
    NestedObject::new(
        nesting,
        vec![
            Attribute::optional("host", Type::String),
            Attribute::optional("port", Type::Number),
            Attribute::optional("key", Type::String).sensitive(),
        ],
    )
}

pub(crate) fn block(name: &'static str, nesting: BlockNesting) -> NestedBlock {
    let inner = Block::new([
        Attribute::optional("host", Type::String),
        Attribute::optional("port", Type::Number),
        Attribute::optional("tags", Type::map(Type::String)),
    ]);
    NestedBlock::new(name, nesting, inner)
}

#[async_trait]
impl dynamic::Resource for Thing {
    fn schema(&self) -> Schema {
        let replaced = |it: Attribute| it.replace(Replace::OnChange);
        Schema::new(
            Block::new([
                Attribute::computed("id", Type::String).keep(),
                replaced(Attribute::required("name", Type::String)),
                Attribute::optional("text", Type::String),
                Attribute::optional("count_of", Type::Number),
                Attribute::optional("on", Type::Bool),
                Attribute::optional("list", Type::list(Type::String)),
                Attribute::optional("set", Type::set(Type::String)),
                Attribute::optional("map", Type::map(Type::String)),
                replaced(Attribute::optional("fixed", Type::map(Type::String))),
                Attribute::optional("object", Type::object([("a", Type::String), ("b", Type::Number)])),
                Attribute::optional(
                    "objects",
                    Type::list(Type::object([("a", Type::String), ("b", Type::Number)])),
                ),
                Attribute::optional("any", Type::Dynamic),
                Attribute::optional("secret", Type::String).sensitive(),
                Attribute::optional("hidden", Type::String).write_only(),
                Attribute::optional("one", nested(Nesting::Single)),
                Attribute::optional("many", nested(Nesting::List)),
                Attribute::optional("some", nested(Nesting::Set)),
                Attribute::optional("named", nested(Nesting::Map)),
            ])
            .blocks([
                block("single", BlockNesting::Single),
                block("rule", BlockNesting::List),
                block("label", BlockNesting::Set),
            ]),
        )
    }

    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        match config.get(&path!(name)).and_then(Value::as_str) {
            Some(name) if name.starts_with("refused") => {
                Err(Error::new("Name Refused", "It has a name that is refused.")).at(path!(name))
            }
            _ => Ok(()),
        }
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        let mut object = change.planned;
        let name = object.get(&path!(name)).and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.starts_with("fail") {
            return Err(Error::new("Creation Refused", "It has a name that fails.")).at(path!(name));
        }
        if let Some(gate) = std::env::var_os(GATE).filter(|_| name.starts_with("wait")) {
            let gate = std::path::PathBuf::from(gate);
            let begun = gate.join("begun");
            std::fs::write(&begun, [])?;
            // Nor does it wait for a test that has failed.
            while begun.exists() && !gate.join("go").exists() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        }
        if let (Some(cancel), "last") = (&self.0, name.as_str()) {
            cancel.cancel();
        }
        for (path, value) in
            [(path!(id), Value::from(format!("id-{name}").as_str())), (path!(hidden), Value::Null)]
        {
            if let Some(place) = object.get_mut(&path) {
                *place = value;
            }
        }
        Ok(object)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        let mut object = change.planned;
        if let Some(place) = object.get_mut(&path!(hidden)) {
            *place = Value::Null;
        }
        Ok(object)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }

    async fn import(&self, _cx: &mut Context<'_, phase::Import>, import: Import) -> Result<Vec<Imported>> {
        let id = import.into_id()?;
        let mut state = dynamic::Resource::schema(self).block.empty();
        for (path, text) in [(path!(id), id.as_str()), (path!(name), id.trim_start_matches("id-"))] {
            if let Some(place) = state.get_mut(&path) {
                *place = Value::from(text);
            }
        }
        Ok(vec![Imported::new(state)])
    }
}
