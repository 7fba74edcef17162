//! How many calls are made at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use ferroform_testing::client::{Calling, Client, Protocol, Transport};
use ferroform_testing::config::{Config, resource};
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::state::State;
use tokio::sync::Barrier;

use crate::embedded::environment::{provider_address, summaries};
use crate::embedded::fake::Fake;

/// A provider that answers a change only when there are as many as it waits for.
#[derive(Clone)]
struct Crowded {
    fake: Fake,
    crowd: Arc<Barrier>,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Transport for Crowded {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let change = path.ends_with("/ApplyResourceChange");
        let path = path.to_owned();
        Box::pin(async move {
            if change {
                let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(now, Ordering::SeqCst);
                self.crowd.wait().await;
                // Others may begin before this one ends.
                tokio::task::yield_now().await;
            }
            let answer = self.fake.call(&path, requests).await;
            if change {
                self.now.fetch_sub(1, Ordering::SeqCst);
            }
            answer
        })
    }
}

/// Creates three times as many objects as there may be changes at once. Time stands still while somebody works, so the
/// limit of a call is reached only if there are never as many as the provider waits for.
async fn check(core: Core, at_once: usize) {
    let crowded = Crowded {
        fake: Fake::default(),
        crowd: Arc::new(Barrier::new(at_once)),
        now: Arc::default(),
        most: Arc::default(),
    };
    let launched = crowded.clone();
    let core = core.with_provider("fake", provider_address(), move || {
        let client = Client::new(launched.clone(), Protocol::V6);
        async move { Ok(client) }
    });
    let config = (0..at_once * 3).fold(Config::new(), |config, at| {
        config.resource(resource("fake_thing", &format!("t{at}")).set("name", format!("t{at}")))
    });
    let plan = core.plan(&config, &State::default(), &PlanOptions::default()).await;
    let outcome = core.apply(&plan).await;
    assert_eq!(summaries(&outcome.diagnostics), [""; 0]);
    assert_eq!(outcome.state.resources.len(), at_once * 3);
    assert_eq!(crowded.most.load(Ordering::SeqCst), at_once);
}

#[tokio::test(start_paused = true)]
async fn ten_changes_are_made_at_once_and_no_more() {
    check(Core::new(), 10).await;
}

#[tokio::test(start_paused = true)]
async fn as_many_changes_are_made_at_once_as_asked_for() {
    check(Core::new().with_parallelism(1), 1).await;
    check(Core::new().with_parallelism(3), 3).await;
}
