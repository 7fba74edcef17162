//! The queues, which are written by the taste of the service.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::collection::Collection;
use super::refusal::{Refusal, Result};
use super::store::{Object, Store};
use crate::wire::{NewQueue, Purged, Queue};

pub(super) struct Queues;

/// The first is that of queues for which none is asked.
const TYPES: [&str; 2] = ["standard", "ordered"];
const REGIONS: [&str; 3] = ["asia", "eu", "us"];
/// What the labels of the service begin with.
const OWN: &str = "service/";

impl Collection for Queues {
    type New = NewQueue;
    const NAME: &'static str = "queues";

    fn make(_: &Store, number: i64, new: NewQueue) -> Result<Object> {
        let name = match (new.name, new.name_prefix) {
            (Some(name), None) => name,
            (None, Some(prefix)) => format!("{prefix}{number:04}"),
            _ => return Err(Refusal::invalid("name")),
        };
        let kind = new.kind.unwrap_or_else(|| TYPES[0].to_owned());
        if !TYPES.contains(&kind.as_str()) {
            return Err(Refusal::invalid("type"));
        }
        let queue = Queue {
            id: format!("q-{number}"),
            name: name.to_lowercase(),
            kind,
            policy: policy(new.policy)?,
            retention: retention(&new.retention)?,
            regions: regions(new.regions)?,
            labels: BTreeMap::from([(format!("{OWN}shard"), (number % 4).to_string())]),
            messages: 0,
            revision: 1,
            status: "ready".to_owned(),
        };
        Ok(Object { number, name: queue.name.clone(), parent: None, body: serde_json::to_value(queue)? })
    }

    fn change(object: &mut Object, new: NewQueue) -> Result {
        let queue = stored(object)?;
        let queue = Queue {
            policy: policy(new.policy)?,
            retention: retention(&new.retention)?,
            regions: regions(new.regions)?,
            revision: queue.revision + 1,
            ..queue
        };
        object.body = serde_json::to_value(queue)?;
        Ok(())
    }

    fn starting(mut body: Json) -> Json {
        body["status"] = "starting".into();
        body
    }
}

/// Replaces the labels of a queue, other than those of the service.
pub(super) fn label(object: &mut Object, mut labels: BTreeMap<String, String>) -> Result {
    if labels.keys().any(|key| key.starts_with(OWN)) {
        return Err(Refusal::invalid("labels"));
    }
    let queue = stored(object)?;
    labels.extend(queue.labels.into_iter().filter(|(key, _)| key.starts_with(OWN)));
    let queue = Queue { labels, revision: queue.revision + 1, ..queue };
    object.body = serde_json::to_value(queue)?;
    Ok(())
}

/// Deletes the messages that wait in a queue, or as many as are deleted at once.
pub(super) fn purge(object: &mut Object, at_once: u32) -> Result<Purged> {
    let queue = stored(object)?;
    let deleted = queue.messages.min(at_once.into());
    let left = queue.messages - deleted;
    object.body = serde_json::to_value(Queue { messages: left, ..queue })?;
    Ok(Purged { deleted, left })
}

fn stored(object: &Object) -> Result<Queue> {
    Ok(serde_json::from_value(object.body.clone())?)
}

/// Without white space, and with sorted keys.
fn policy(text: Option<String>) -> Result<Option<String>> {
    let sorted = |text: String| serde_json::from_str::<Json>(&text).map(|json| json.to_string());
    text.map(sorted).transpose().map_err(|_| Refusal::invalid("policy"))
}

/// In seconds, as in `5400s`.
fn retention(text: &str) -> Result<String> {
    let (mut seconds, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let unit = rest.find(|it: char| !it.is_ascii_digit()).ok_or_else(|| Refusal::invalid("retention"))?;
        let (count, tail) = rest.split_at(unit);
        let length = match tail.as_bytes().first() {
            Some(b'h') => 3600,
            Some(b'm') => 60,
            Some(b's') => 1,
            _ => return Err(Refusal::invalid("retention")),
        };
        let more = count.parse::<u64>().ok().and_then(|count| count.checked_mul(length));
        seconds =
            more.and_then(|more| seconds.checked_add(more)).ok_or_else(|| Refusal::invalid("retention"))?;
        rest = tail.get(1..).unwrap_or_default();
    }
    Ok(format!("{seconds}s"))
}

/// In alphabetical order.
fn regions(regions: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
    let Some(mut regions) = regions else { return Ok(None) };
    if regions.iter().any(|region| !REGIONS.contains(&region.as_str())) {
        return Err(Refusal::invalid("regions"));
    }
    regions.sort();
    Ok(Some(regions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_is_written_in_seconds() {
        let check =
            |text: &str, expect: Option<&str>| assert_eq!(retention(text).ok().as_deref(), expect, "{text}");
        check("1h30m", Some("5400s"));
        check("90m", Some("5400s"));
        check("5400s", Some("5400s"));
        check("90", None);
        check("1.5h", None);
        check("1ä", None);
        check("99999999999999999999s", None);
        check("18446744073709551615h", None);
    }
}
