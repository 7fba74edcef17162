//! What goes over HTTP as JSON, for both sides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is asked for when a queue is created or changed.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewQueue {
    /// The service makes a name of this when it is given none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name_prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    pub(crate) policy: Option<String>,
    pub(crate) retention: String,
    pub(crate) regions: Option<Vec<String>>,
}

/// A queue as the service shows it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Queue {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) policy: Option<String>,
    pub(crate) retention: String,
    pub(crate) regions: Option<Vec<String>>,
    pub(crate) labels: BTreeMap<String, String>,
    /// How many messages wait.
    #[serde(default)]
    pub(crate) messages: u64,
    /// Counts the writes.
    pub(crate) revision: u64,
    /// `starting` or `ready`.
    pub(crate) status: String,
}

/// What is asked for when a subscription is created or changed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSubscription {
    pub(crate) name: String,
    pub(crate) queue: String,
    pub(crate) filter: String,
    pub(crate) share: f64,
    pub(crate) paused: bool,
}

/// A subscription as the service shows it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Subscription {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) queue: String,
    pub(crate) filter: String,
    /// In thousandths.
    pub(crate) share: f64,
    /// Not before the messages are delivered that are on their way.
    pub(crate) paused: bool,
    /// Counts the writes.
    pub(crate) revision: u64,
}

/// What is asked for when a token is granted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    pub(crate) name: String,
}

/// A token, which is shown once.
#[derive(Serialize, Deserialize)]
pub(crate) struct Token {
    pub(crate) id: String,
    pub(crate) token: String,
    /// In seconds.
    pub(crate) expires_in: u64,
}

/// How long a token that was renewed is accepted.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Lifetime {
    /// In seconds.
    pub(crate) expires_in: u64,
}

/// What became of the messages of a queue.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Purged {
    pub(crate) deleted: u64,
    /// How many messages wait still.
    pub(crate) left: u64,
}

/// A part of a list.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// What to ask for the next part with; the last one has none.
    pub(crate) next: Option<String>,
}

/// Why the service refuses a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    /// A word for the reason.
    pub(crate) code: String,
    /// The field of the request that is to blame.
    pub(crate) field: Option<String>,
}
