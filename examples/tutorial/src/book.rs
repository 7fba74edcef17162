//! The resource `shelf_book`.

use std::collections::BTreeSet;

use ferroform::prelude::*;
use ferroform::validate::{collection, relation, text};
use serde::{Deserialize, Serialize};

use crate::client::{Client, Failure};

/// A book in the library.
#[derive(Model)]
#[model(validate = relation::required_together(["access_code", "access_code_version"]))]
pub(crate) struct Book {
    /// The ID that the library assigns.
    #[attr(computed, identity)]
    id: String,
    /// The title.
    #[attr(validate = text::length(1..=200))]
    title: String,
    /// The authors, in the order of the title page.
    #[attr(validate = collection::size(1..))]
    authors: Vec<Author>,
    /// Words to find the book by.
    tags: Option<BTreeSet<String>>,
    /// The room in which the book stands. The library chooses one if you do not.
    #[attr(optional, computed, keep)]
    room: String,
    /// The code that lends the book out. It is stored nowhere; raise `access_code_version` with each new code.
    access_code: WriteOnly<Option<String>>,
    /// The version of the access code.
    access_code_version: Option<i64>,
}

/// A person who worked on a book.
#[derive(Model, Serialize, Deserialize)]
#[model(nested)]
pub(crate) struct Author {
    /// The name, as on the title page.
    name: String,
    /// What the person did, such as `translator`.
    #[attr(default = "author")]
    role: String,
}

/// A book as the service sends and takes it.
#[derive(Serialize, Deserialize)]
struct Record {
    #[serde(default, skip_serializing)]
    id: String,
    title: String,
    authors: Vec<Author>,
    tags: Option<BTreeSet<String>>,
    room: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    access_code: Option<String>,
}

impl Record {
    fn of(plan: Planned<Book>) -> Self {
        Self {
            id: String::new(),
            title: plan.title,
            authors: plan.authors.into_iter().map(|it| Author { name: it.name, role: it.role }).collect(),
            tags: plan.tags,
            room: plan.room.known(),
            access_code: plan.access_code,
        }
    }

    fn into_book(self, access_code_version: Option<i64>) -> Book {
        Book {
            id: self.id,
            title: self.title,
            authors: self.authors,
            tags: self.tags,
            room: self.room.unwrap_or_default(),
            access_code: WriteOnly::new(),
            access_code_version,
        }
    }
}

impl Resource for Book {
    type Client = Client;
    const NAME: &str = "book";

    async fn create(cx: &mut resource::Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let version = plan.access_code_version;
        let made: Record = cx.client.post("/books", &Record::of(plan)).await.summary("Book Not Created")?;
        Ok(made.into_book(version))
    }

    async fn read(cx: &mut resource::Context<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = cx.client.get::<Record>(&path_of(&prior.id)).await;
        let shown = shown.or_gone(Failure::is_not_found).summary("Book Not Read")?;
        Ok(shown.map(|record| record.into_book(prior.access_code_version)))
    }

    async fn update(
        cx: &mut resource::Context<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let version = plan.access_code_version;
        let path = path_of(&prior.id);
        let shown: Record = cx.client.put(&path, &Record::of(plan)).await.summary("Book Not Changed")?;
        Ok(shown.into_book(version))
    }

    async fn delete(cx: &mut resource::Context<'_, Self>, prior: Prior<Self>) -> Result {
        let deleted = cx.client.delete(&path_of(&prior.id)).await;
        deleted.or_gone(Failure::is_not_found).summary("Book Not Deleted")?;
        Ok(())
    }
}

fn path_of(id: &str) -> String {
    format!("/books/{id}")
}
