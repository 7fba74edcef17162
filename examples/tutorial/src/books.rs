//! The data source `shelf_books`.

use ferroform::prelude::*;
use serde::Deserialize;

use crate::client::Client;

/// The books with a tag.
#[derive(Model)]
pub(crate) struct Books {
    /// The tag to look for.
    tag: String,
    /// The books, ordered by title.
    #[attr(computed)]
    books: Vec<Found>,
}

/// A book that was found.
#[derive(Model, Deserialize)]
#[model(nested)]
pub(crate) struct Found {
    /// The ID of the book.
    #[attr(computed)]
    id: String,
    /// The title.
    #[attr(computed)]
    title: String,
}

impl DataSource for Books {
    type Client = Client;
    const NAME: &str = "books";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let path = format!("/books?tag={}", config.tag);
        let mut books: Vec<Found> = cx.client.get(&path).await.summary("Books Not Read")?;
        books.sort_by(|one, other| one.title.cmp(&other.title));
        Ok(Self { tag: config.tag, books })
    }
}
