//! A data source with an argument that may be left out.

use ferroform::data_source::{Context, DataSource};
use ferroform::diag::Result;
use ferroform::model::{Model, Planned};

use super::store::{Store, shown};

/// The type of a server.
#[derive(Model)]
pub(super) struct Find {
    label: String,
    /// What is found where there is nothing.
    #[attr(default = "none")]
    otherwise: String,
    #[attr(computed, name = "type")]
    kind: String,
}

impl DataSource for Find {
    type Client = Store;
    const NAME: &'static str = "find";

    async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let kind = match cx.client.get(&config.label)? {
            Some(found) => shown(&found, "type")?,
            None => config.otherwise.clone(),
        };
        Ok(Self { label: config.label, otherwise: config.otherwise, kind })
    }
}
