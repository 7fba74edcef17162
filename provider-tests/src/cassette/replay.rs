//! Which recorded exchange answers a request.

use super::Problem;
use super::exchange::{Exchange, StoredRequest};

/// The exchanges of a cassette, and which of them were replayed.
pub(super) struct Replay {
    exchanges: Vec<(Exchange, Use)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Open,
    /// A read that was recorded before a write that was replayed.
    Outdated,
    Replayed,
}

impl Replay {
    pub(super) fn new(exchanges: Vec<Exchange>) -> Self {
        Self { exchanges: exchanges.into_iter().map(|exchange| (exchange, Use::Open)).collect() }
    }

    /// The exchange that answers the request.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn answer(&mut self, request: &StoredRequest) -> Result<&Exchange, String> {
        let found = if request.is_read() { self.read(request) } else { self.next(request) };
        let Some(at) = found else { return Err(self.missing(request)) };
        if !request.is_read() {
            self.outdate(request, at);
        }
        let (exchange, used) = &mut self.exchanges[at];
        *used = Use::Replayed;
        Ok(exchange)
    }

    /// The first equal exchange that was not replayed yet.
    fn next(&self, request: &StoredRequest) -> Option<usize> {
        self.exchanges.iter().position(|(it, used)| *used == Use::Open && it.request == *request)
    }

    /// The response that was recorded after the writes that were replayed, or the last one if those are used up. A read that
    /// was recorded later answers only where there is no other: its object may be another one by then.
    fn read(&self, request: &StoredRequest) -> Option<usize> {
        let is_write = |(it, used): &(Exchange, Use)| {
            *used == Use::Open && !it.request.is_read() && it.request.is_related_to(request)
        };
        let current = self.exchanges.iter().position(is_write).unwrap_or(self.exchanges.len());
        let next = self.next(request);
        let last = || {
            let mut before = self.exchanges.iter().take(current);
            before.rposition(|(it, used)| *used != Use::Open && it.request == *request)
        };
        next.filter(|at| *at < current).or_else(last).or(next)
    }

    /// Related reads that were recorded before a write show what was there before.
    fn outdate(&mut self, write: &StoredRequest, at: usize) {
        for (it, used) in self.exchanges.iter_mut().take(at) {
            if *used == Use::Open && it.request.is_read() && it.request.is_related_to(write) {
                *used = Use::Outdated;
            }
        }
    }

    fn missing(&self, request: &StoredRequest) -> String {
        let equal = self.lines(|it| it == request);
        if !equal.is_empty() {
            return format!(
                "the request `{request}` was sent more often than it was recorded, in line {equal}"
            );
        }
        let similar = self.lines(|it| (&it.method, &it.path) == (&request.method, &request.path));
        let hint =
            if similar.is_empty() { String::new() } else { format!("; line {similar} has another body") };
        format!("the request `{request}` is not recorded{hint}")
    }

    /// The numbers of the lines with such requests.
    fn lines(&self, is_such: impl Fn(&StoredRequest) -> bool) -> String {
        let such = self.exchanges.iter().enumerate().filter(|(_, (it, _))| is_such(&it.request));
        such.map(|(at, _)| (at + 1).to_string()).collect::<Vec<_>>().join(", ")
    }

    /// The recorded requests that were not sent, with the numbers of their lines. A read that was sent once may have been
    /// recorded more often.
    pub(super) fn stale(&self) -> Vec<Problem> {
        let is_sent = |request: &StoredRequest| {
            self.exchanges.iter().any(|(it, used)| *used == Use::Replayed && it.request == *request)
        };
        let mut stale = Vec::new();
        for (at, (it, used)) in self.exchanges.iter().enumerate() {
            if *used != Use::Replayed && !(it.request.is_read() && is_sent(&it.request)) {
                stale.push((Some(at + 1), format!("the recorded request `{}` was not sent", it.request)));
            }
        }
        stale
    }
}
