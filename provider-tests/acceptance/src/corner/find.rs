//! A data source with an argument that may be left out.

use ferroform::data_source::{Context, DataSource};
use ferroform::diag::{Error, Result};
use ferroform::model::{Model, Planned, Timeouts};
use ferroform::semantic::Json;

use super::store::{Store, shown};

/// The type of a server.
#[derive(Model)]
pub(super) struct Find {
    label: String,
    /// What is found where there is nothing.
    #[attr(default = "none")]
    otherwise: String,
    /// Returned in the form that the service has for JSON.
    document: Option<Json>,
    #[attr(computed, name = "type")]
    kind: String,
    #[attr(block, timeouts = [read = "1m"])]
    timeouts: Option<Timeouts>,
}

/// The label of what the service looks for without end.
const NEVER: &str = "never";

impl DataSource for Find {
    type Client = Store;
    const NAME: &'static str = "find";

    async fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        if config.label == NEVER {
            cx.cancellation.cancelled().await;
            return Err(Error::new("Search Given Up", "The service was still searching."));
        }
        let kind = match cx.client.get(&config.label)? {
            Some(found) => shown(&found, "type")?,
            None => config.otherwise.clone(),
        };
        let document = config.document.as_ref().map(|it| {
            let parsed: serde_json::Value = serde_json::from_str(it.as_str())?;
            parsed.to_string().parse::<Json>()
        });
        FindPlanned { document: document.transpose()?, kind: kind.into(), ..config }.into_model()
    }
}
