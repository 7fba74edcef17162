//! The subscriptions to queues.

use serde_json::Value as Json;

use super::collection::{Collection, number};
use super::queues::Queues;
use super::refusal::{Refusal, Result};
use super::store::{Object, Store};
use crate::wire::{NewSubscription, Subscription};

pub(super) struct Subscriptions;

impl Collection for Subscriptions {
    type New = NewSubscription;
    const NAME: &'static str = "subscriptions";

    fn make(store: &Store, own: i64, new: NewSubscription) -> Result<Object> {
        let queue = number(&new.queue).and_then(|number| store.get(Queues::NAME, number));
        let queue = queue.map_err(|_| Refusal::invalid("queue"))?;
        let NewSubscription { name, queue: id, filter, share, paused } = new;
        let name = name.to_lowercase();
        let subscription = Subscription {
            id: format!("s-{own}"),
            name: name.clone(),
            queue: id,
            filter,
            share: in_thousandths(share)?,
            paused,
            revision: 1,
        };
        Ok(Object {
            number: own,
            name,
            parent: Some(queue.number),
            body: serde_json::to_value(subscription)?,
        })
    }

    fn change(object: &mut Object, new: NewSubscription) -> Result {
        let old: Subscription = serde_json::from_value(object.body.clone())?;
        let name = new.name.to_lowercase();
        object.name.clone_from(&name);
        let changed = Subscription {
            name,
            filter: new.filter,
            share: in_thousandths(new.share)?,
            paused: new.paused,
            revision: old.revision + 1,
            ..old
        };
        object.body = serde_json::to_value(changed)?;
        Ok(())
    }

    /// It still delivers messages.
    fn starting(mut body: Json) -> Json {
        body["paused"] = false.into();
        body
    }
}

/// A share as the service counts it.
fn in_thousandths(share: f64) -> Result<f64> {
    let is_share = (0.0..=1.0).contains(&share);
    is_share.then_some((share * 1000.0).round() / 1000.0).ok_or_else(|| Refusal::invalid("share"))
}
