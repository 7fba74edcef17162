//! What calls see of the configuration on every core: defaults apart from configured values, and write-only values.

use ferroform::prelude::*;
use ferroform_testing::case::{
    Case, Provider as CaseProvider, RunsOn, Step, change, is, no_changes, object, value,
};
use ferroform_testing::config::{Config, ResourceBlock, data, reference, resource};
use ferroform_testing::real::Feature;

struct Disks;

impl Provider for Disks {
    type Config = ();
    type Client = ();
    const NAME: &str = "disks";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Disk>().data_source::<Offer>();
    }
}

#[derive(Model)]
struct Disk {
    #[attr(default = 10)]
    size: u32,
    /// What the service chooses stays.
    #[attr(optional, computed, keep)]
    zone: String,
    key: WriteOnly<Option<String>>,
    key_version: Option<u32>,
    /// What the last call saw in its configuration.
    #[attr(computed)]
    seen: String,
}

fn seen<T>(config: &Attr<T>) -> &'static str {
    match config {
        Attr::Null => "null",
        Attr::Unknown => "unknown",
        Attr::Known(_) => "set",
    }
}

impl Resource for Disk {
    type Client = ();
    const NAME: &str = "disk";

    async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let config = cx.config()?;
        // The same value in the plan, where it stands beside defaults and prior values.
        assert_eq!(plan.key.as_ref(), config.key.as_known());
        let (size, zone, key) = (seen(&config.size), seen(&config.zone), seen(&config.key));
        let seen = format!("size {size}, zone {zone}, key {key}");
        let zone = plan.zone.known_or("north".to_owned()).into();
        DiskPlanned { zone, seen: seen.into(), ..plan }.into_model()
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    async fn update(
        cx: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct Offer {
    #[attr(default = 10)]
    size: u32,
    #[attr(computed)]
    seen: String,
}

impl DataSource for Offer {
    type Client = ();
    const NAME: &str = "offer";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        let seen = format!("size {}", seen(&cx.config()?.size));
        OfferPlanned { seen: seen.into(), ..config }.into_model()
    }
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![changes(), data_source()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(CaseProvider::of::<Disks>("example.com/ferroform/disks"))
}

const A: &str = "disks_disk.a";

fn changes() -> Case<()> {
    let disk = || resource("disks_disk", "a");
    let apply = |disk: ResourceBlock, expect: &str| {
        Step::apply(Config::new().resource(disk)).state(object(A).has(path!(seen), expect.to_owned()))
    };
    case("configuration in create and update")
        .runs_on(RunsOn::MatrixInTurns)
        .requires(Feature::WriteOnlyAttributes)
        .step(
            apply(disk().set("key", "s3cret").set("key_version", 1), "size null, zone null, key set")
                .state(object(A).has(path!(size), 10).has(path!(zone), "north").has(path!(key), is::null())),
        )
        // The same size, which is a default no more: nothing changes, and nothing is called.
        .step(
            Step::plan_only(
                Config::new().resource(disk().set("key", "s3cret").set("key_version", 1).set("size", 10)),
            )
            .plan(no_changes()),
        )
        // The zone of the state is planned, and the configuration has none.
        .step(
            apply(disk().set("size", 10).set("key_version", 2), "size set, zone null, key null")
                .plan(change(A).after(path!(zone), "north")),
        )
        .step(apply(
            disk().set("zone", "north").set("key", "0ther").set("key_version", 3),
            "size null, zone set, key set",
        ))
}

fn data_source() -> Case<()> {
    let read =
        |offer: ResourceBlock| Config::new().data(offer).output("seen", reference("data.disks_offer.a.seen"));
    case("configuration in the read of a data source")
        .runs_on(RunsOn::MatrixInTurns)
        .step(Step::apply(read(data("disks_offer", "a"))).state(value("seen", "size null")))
        .step(Step::apply(read(data("disks_offer", "a").set("size", 10))).state(value("seen", "size set")))
}
