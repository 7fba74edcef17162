//! Streams over a connection whose reader stops: how far their author runs ahead.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use ferroform::Serve;
use ferroform::action::{self, Action};
use ferroform::diag::{Error, Result};
use ferroform::list_resource::{self, Item, ListResource};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::value::Value;
use ferroform_plugin::grpc::serve_connection;
use ferroform_testing::client::{Client, Connection, IncludeObject, Protocol, Provider};
use libtest_mimic::Trial;

pub(crate) fn trials() -> [Trial; 2] {
    [
        paused("listing_waits_for_its_reader", listing_over_a_connection_waits_for_its_reader),
        paused("progress_waits_for_its_reader", progress_over_a_connection_waits_for_its_reader),
    ]
}

/// A test on a runtime whose clock goes on only where nothing else does.
fn paused<F: Future<Output = ()>>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial {
    Trial::test(name, move || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?;
        runtime.block_on(test());
        Ok(())
    })
}

/// How many objects or lines of progress an author sends when everything is read.
const COUNT: usize = 20_000;
/// The size of each, so that all of them together are 20 MB.
const SIZE: usize = 1000;
/// What may be on its way to a reader that stopped: the 4 MiB that one call may send before its peer has read them, and
/// what waits in the server and in the pipe. A message is a little larger than its text.
const AHEAD: usize = 5 << 20;

/// The objects that were listed.
static LISTED: AtomicUsize = AtomicUsize::new(0);
/// The lines of progress that were reported.
static REPORTED: AtomicUsize = AtomicUsize::new(0);

struct Talkative;

impl provider::Provider for Talkative {
    type Config = ();
    type Client = ();
    const NAME: &str = "talkative";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Thing>().list_resource::<Things>().action::<Count>();
    }
}

#[derive(Model)]
struct Thing {
    #[attr(replace, identity)]
    name: String,
    text: String,
}

impl Resource for Thing {
    type Client = ();
    const NAME: &str = "thing";

    async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        Err(Error::new("Not Created", "Things are only listed."))
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> {
        Err(Error::new("Not Updated", "Things are only listed."))
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct Things {}

impl ListResource for Things {
    type Resource = Thing;

    async fn list(cx: &mut list_resource::Context<'_, Self>, _: Planned<Self>) -> Result {
        for number in 0..COUNT {
            let name = format!("thing-{number}");
            let item = Item::new(ThingIdentity { name: name.clone() }, name.as_str());
            cx.emit(item.object(Thing { name, text: "x".repeat(SIZE) })).await;
            LISTED.fetch_add(1, SeqCst);
        }
        Ok(())
    }
}

#[derive(Model)]
struct Count {}

impl Action for Count {
    type Client = ();
    const NAME: &str = "count";

    async fn invoke(cx: &mut action::Context<'_, Self>, _: Planned<Self>) -> Result {
        for _ in 0..COUNT {
            cx.progress("x".repeat(SIZE)).await;
            REPORTED.fetch_add(1, SeqCst);
        }
        Ok(())
    }
}

/// The provider, configured, at the other end of a connection of its own.
async fn connected(protocol: Protocol) -> Provider {
    let (here, there) = tokio::io::duplex(64 << 10);
    let version = if protocol == Protocol::V5 { 5 } else { 6 };
    let router = Serve::new(assemble::<Talkative>()).options().router(version).expect("both protocols");
    tokio::spawn(serve_connection(there, router));
    let connection = Connection::new(here).await.expect("a connection");
    let provider = Provider::connect(Client::new(connection, protocol)).await.expect("schemas");
    assert!(provider.configure(&empty()).await.expect("an answer").is_empty());
    provider
}

fn empty() -> Value {
    Value::object::<&str>([])
}

/// How much was sent when nothing can go on. The clock of these tests is paused: it moves only while every task waits.
async fn settled(sent: &AtomicUsize) -> usize {
    tokio::time::sleep(Duration::from_secs(1)).await;
    sent.load(SeqCst)
}

/// Whether the author is not further ahead of what was read than a connection may hold.
fn assert_waits(sent: usize, read: usize) {
    assert!((read..COUNT).contains(&sent), "{sent} of {COUNT} were sent when {read} were read");
    assert!((sent - read) * SIZE <= AHEAD, "{sent} were sent when {read} were read");
}

async fn listing_over_a_connection_waits_for_its_reader() {
    for protocol in [Protocol::V5, Protocol::V6] {
        let before = settled(&LISTED).await;
        let provider = connected(protocol).await;
        let config = empty();
        let listing = provider.list_resource("talkative_thing", &config, IncludeObject::Yes, i64::MAX);
        let mut listing = listing.await.expect("a start");
        for read in 1..=COUNT / 2 {
            listing.next().await.expect("an event").expect("an object");
            if [1, 1000, COUNT / 2].contains(&read) {
                assert_waits(settled(&LISTED).await - before, read);
            }
        }
        // What nobody reads leaves the connection to the other calls.
        let found = provider.validate_list_resource("talkative_thing", &empty()).await.expect("an answer");
        assert!(found.is_empty());
        drop(listing);
        let sent = settled(&LISTED).await;
        assert_eq!(settled(&LISTED).await, sent, "an abandoned listing goes on");
    }
}

async fn progress_over_a_connection_waits_for_its_reader() {
    for protocol in [Protocol::V5, Protocol::V6] {
        let before = settled(&REPORTED).await;
        let provider = connected(protocol).await;
        let mut invocation = provider.invoke_action("talkative_count", &empty()).await.expect("a start");
        for read in 1..=COUNT / 2 {
            invocation.next().await.expect("an event").expect("progress");
            if [1, 1000, COUNT / 2].contains(&read) {
                assert_waits(settled(&REPORTED).await - before, read);
            }
        }
        let found = provider.validate_action("talkative_count", &empty()).await.expect("an answer");
        assert!(found.is_empty());
    }
}
