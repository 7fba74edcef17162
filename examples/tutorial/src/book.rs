//! The resource `shelf_book`.

use std::collections::BTreeSet;

use ferroform::prelude::*;
use ferroform::validate::{collection, relation, text};
use serde::{Deserialize, Serialize};

use crate::client::{Client, Failure};

/// A book in the library.
#[derive(Model, Convert)]
#[convert(from = Record, into = Record { id: String::new() })]
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
    #[convert(skip)]
    access_code_version: Option<i64>,
}

/// A person who worked on a book.
#[derive(Model, Convert, Serialize, Deserialize)]
#[convert(from = Author, into = Author)]
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

impl Resource for Book {
    type Client = Client;
    const NAME: &str = "book";
    /// The library answers each write with the whole book.
    const READ_AFTER_WRITE: resource::ReadAfterWrite = resource::ReadAfterWrite::Off;

    async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let new = Record::try_from(&plan)?;
        let made: Record = cx.client.post("/books", &new).await.summary("Book Not Created")?;
        plan.observe(made)
    }

    async fn read(cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = cx.client.get::<Record>(&path_of(&prior.id)).await;
        let shown = shown.none_if_not_found(Failure::is_not_found).summary("Book Not Read")?;
        shown.map(|shown| prior.observe(shown)).transpose()
    }

    async fn update(
        cx: &mut resource::UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let new = Record::try_from(&plan)?;
        let shown: Record = cx.client.put(&path_of(&prior.id), &new).await.summary("Book Not Changed")?;
        plan.observe(shown)
    }

    async fn delete(cx: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        let deleted = cx.client.delete(&path_of(&prior.id)).await;
        deleted.none_if_not_found(Failure::is_not_found).summary("Book Not Deleted")?;
        Ok(())
    }
}

fn path_of(id: &str) -> String {
    format!("/books/{id}")
}
