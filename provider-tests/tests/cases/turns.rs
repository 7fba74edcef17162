//! Calls that run at the same time, on every core: they take turns where the service asks for it, and share reads.
//!
//! A call waits in the service until others are where the case wants them, so nothing depends on time.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ferroform::prelude::*;
use ferroform::wait::{KeyedLocks, Limit, SharedReads};
use ferroform_testing::case::{Case, Idempotency, Provider as CaseProvider, RunsOn, Step, objects, value};
use tokio::sync::{Barrier, Notify, watch};

struct Turns;

impl Provider for Turns {
    type Config = ();
    type Client = Client;
    const NAME: &str = "turns";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<Client> {
        Ok(Client::new())
    }

    fn register(it: &mut Registry<Client>) {
        it.resource::<Rule>().data_source::<List>();
    }
}

struct Client {
    networks: KeyedLocks,
    requests: Limit,
    lists: SharedReads<usize>,
    service: Arc<Service>,
}

impl Client {
    fn new() -> Self {
        let service = Service {
            changing: Mutex::default(),
            pair: Barrier::new(NETWORKS),
            has_first: AtomicBool::new(false),
            begun: watch::Sender::new(false),
            asked: AtomicUsize::new(0),
            all_asked: Notify::new(),
            lists: AtomicUsize::new(0),
        };
        Self {
            networks: KeyedLocks::new(),
            requests: Limit::new(NETWORKS),
            lists: SharedReads::new(),
            service: Arc::new(service),
        }
    }
}

/// How many networks are changed.
const NETWORKS: usize = 2;
/// How many lists are asked for.
const LISTS: usize = 4;

/// It changes one rule of a network at a time.
struct Service {
    /// The networks that are being changed.
    changing: Mutex<BTreeSet<String>>,
    /// Where the change of one network waits for that of the other.
    pair: Barrier,
    /// Whether a call asks for the list first.
    has_first: AtomicBool,
    /// Whether its read has begun.
    begun: watch::Sender<bool>,
    /// How many calls have asked for the list.
    asked: AtomicUsize,
    all_asked: Notify,
    /// How often the list was read.
    lists: AtomicUsize,
}

impl Service {
    async fn change(&self, network: &str) -> Result {
        let changing = || self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if !changing().insert(network.to_owned()) {
            return Err(Error::new("Network Busy", "Another rule of the network is being changed."));
        }
        // The calls for the other network do not wait for this one.
        self.pair.wait().await;
        changing().remove(network);
        Ok(())
    }

    /// A list that is read as long as not all have asked.
    async fn list(self: Arc<Self>) -> Result<usize> {
        let number = self.lists.fetch_add(1, Ordering::SeqCst) + 1;
        self.begun.send_replace(true);
        while self.asked.load(Ordering::SeqCst) < LISTS {
            self.all_asked.notified().await;
        }
        Ok(number)
    }
}

#[derive(Model)]
struct Rule {
    network: String,
    name: String,
}

impl Resource for Rule {
    type Client = Client;
    const NAME: &str = "rule";

    async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let _network = cx.client.networks.lock(&cx.cancellation, &plan.network).await?;
        let _request = cx.client.requests.enter(&cx.cancellation).await?;
        cx.client.service.change(&plan.network).await?;
        plan.into_model()
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        plan.into_model()
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct List {
    /// Which read of the list it is from.
    #[attr(computed)]
    read: u32,
}

impl DataSource for List {
    type Client = Client;
    const NAME: &str = "list";

    async fn read(cx: &mut data_source::Context<'_, Self>, _: Planned<Self>) -> Result<Self> {
        let service = Arc::clone(&cx.client.service);
        if service.has_first.swap(true, Ordering::SeqCst) {
            // A read that has not begun is shared by all that ask for it.
            service.begun.subscribe().wait_for(|begun| *begun).await?;
        }
        let mut list = pin!(cx.client.lists.get(&cx.cancellation, "all", {
            let service = Arc::clone(&service);
            move || service.list()
        }));
        // Now it is among those that wait.
        tokio::select! {
            biased;
            early = &mut list => return Err(early.err().unwrap_or_else(|| Error::new("Too Early", "Nobody waited."))),
            () = std::future::ready(()) => {}
        }
        service.asked.fetch_add(1, Ordering::SeqCst);
        service.all_asked.notify_one();
        Ok(Self { read: u32::try_from(list.await?)? })
    }
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![locks(), shared_reads()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name)
        .provider(CaseProvider::of::<Turns>("example.com/ferroform/turns"))
        .runs_on(RunsOn::MatrixInTurns)
}

/// Each network has its turn, and the two go on beside each other.
fn locks() -> Case<()> {
    let config = "resource \"turns_rule\" \"north\" {\n  count   = 2\n  network = \"north\"\n  \
                  name    = \"r${count.index}\"\n}\n\
                  resource \"turns_rule\" \"south\" {\n  count   = 2\n  network = \"south\"\n  \
                  name    = \"r${count.index}\"\n}\n";
    case("calls take turns").step(Step::apply(config).state(objects([
        "turns_rule.north[0]",
        "turns_rule.north[1]",
        "turns_rule.south[0]",
        "turns_rule.south[1]",
    ])))
}

/// The first read has begun when the other calls ask, so they share the next one.
fn shared_reads() -> Case<()> {
    let config = "data \"turns_list\" \"a\" {\n  count = 4\n}\n\
                  output \"reads\" {\n  value = join(\" \", sort([for it in data.turns_list.a : it.read]))\n}\n";
    case("calls share reads")
        .idempotency(Idempotency::Off)
        .step(Step::apply(config).state(value("reads", "1 2 2 2")))
}
