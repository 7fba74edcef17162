//! How awkward the service is. Everything is counted in requests, never in time, so that the same requests always have
//! the same answers.

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;

/// How the service treats its clients. [`Default`] is the least awkward one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    /// How many reads of an object still show what was there before it was last written: after a create, nothing.
    pub lag: u32,
    /// How many reads show a new queue as starting, and a new subscription as not paused, after the lag.
    pub starting: u32,
    /// Of how many requests one is refused because there were too many. None is if this is 0.
    pub refuse_every: u32,
    /// How many seconds a refused client is told to wait.
    pub retry_after: u32,
    /// How many objects a list shows at once, and how many messages are deleted at once.
    pub page: u32,
    /// Requests that fail.
    pub faults: Vec<Fault>,
}

/// A request that fails before it does anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The method, such as `PUT`.
    pub method: String,
    /// A part of the path, such as `/labels`.
    pub path: String,
    /// How many such requests do not fail, before the others do.
    #[serde(default)]
    pub after: u32,
    /// The status it fails with.
    pub status: u16,
    /// How often it fails; after that it does not any more.
    pub times: u32,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self { lag: 0, starting: 0, refuse_every: 0, retry_after: 0, page: 2, faults: Vec::new() }
    }
}

impl Fault {
    /// A fault that happens once.
    #[must_use]
    pub fn once(method: &str, path: &str, status: u16) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), after: 0, status, times: 1 }
    }

    /// The same fault, after so many such requests that do not fail.
    #[must_use]
    pub fn after(self, requests: u32) -> Self {
        Self { after: requests, ..self }
    }

    /// A fault that happens until the behaviour is set anew.
    #[must_use]
    pub fn always(method: &str, path: &str, status: u16) -> Self {
        Self { times: u32::MAX, ..Self::once(method, path, status) }
    }
}

/// A behaviour at work.
#[derive(Default)]
pub(super) struct Temper {
    pub(super) behaviour: Behaviour,
    /// How many requests there were since the behaviour was set.
    seen: u32,
}

impl Temper {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, seen: 0 }
    }

    /// Why the next request is refused, if it is.
    pub(super) fn refuses(&mut self, method: &str, path: &str) -> Option<Refusal> {
        self.seen = self.seen.wrapping_add(1);
        let Behaviour { refuse_every, retry_after, .. } = self.behaviour;
        if refuse_every > 0 && self.seen.is_multiple_of(refuse_every) {
            return Some(Refusal::too_many(retry_after));
        }
        let matches = |it: &&mut Fault| it.times > 0 && it.method == method && path.contains(&it.path);
        let fault = self.behaviour.faults.iter_mut().find(matches)?;
        if fault.after > 0 {
            fault.after -= 1;
            return None;
        }
        fault.times -= 1;
        Some(match fault.status {
            429 => Refusal::too_many(retry_after),
            status => Refusal::new(status, "fault"),
        })
    }
}
