//! The list of the cards for a provider that has no cards: they are those of another provider.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{self, Catalogue, ListContext, ListResource, ListedObject, ResourceSchemas, phase};
use ferroform::path;
use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::{Card, configuration};
use crate::names;

/// A provider that has the list of the cards and nothing else.
#[derive(Debug, Clone, Default)]
pub struct CardList {
    folder: Arc<Mutex<PathBuf>>,
}

/// The schemas of the cards, as the provider that has them serves them.
#[must_use]
pub fn card_schemas() -> ResourceSchemas {
    let attributes = [
        Attribute::computed("id", Type::String),
        Attribute::required("name", Type::String),
        Attribute::required("text", Type::String),
    ];
    let name = IdentityAttribute::required("name", Type::String);
    ResourceSchemas::new(Schema::new(Block::new(attributes)), IdentitySchema::new([name]))
}

#[async_trait]
impl dynamic::Provider for CardList {
    fn name(&self) -> &str {
        "cards"
    }

    fn schema(&self) -> Schema {
        configuration()
    }

    async fn configure(&self, _cx: &mut dynamic::Context<'_, phase::Configure>, config: Value) -> Result<()> {
        let folder = config.get(&path!(folder)).and_then(Value::as_str).unwrap_or_default();
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = folder.into();
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let cards: Arc<dyn ListResource> = Arc::new(self.clone());
        Catalogue::new().with("small_card", cards)
    }
}

#[async_trait]
impl ListResource for CardList {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([Attribute::optional("prefix", Type::String)]))
    }

    fn resource_schemas(&self) -> Option<ResourceSchemas> {
        Some(card_schemas())
    }

    async fn list(&self, cx: ListContext<'_>, config: Value) -> Result {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let prefix = config.get(&path!(prefix)).and_then(Value::as_str).unwrap_or_default();
        for name in names(&folder, ".card")?.into_iter().filter(|name| name.starts_with(prefix)) {
            let text = std::fs::read_to_string(Card::path(&folder, &name))?;
            let member = |value: &str| Value::string(value);
            let identity = Value::object([("name", member(&name))]);
            let object = Value::object([
                ("id", member(&format!("id-{name}"))),
                ("name", member(&name)),
                ("text", member(&text)),
            ]);
            cx.emit(ListedObject::new(identity, name).object(object)).await;
        }
        Ok(())
    }
}
