//! What Terraform can do since 1.16 only, on the embedded core: blocks that the provider fills, and private data of the
//! first plan in the second one. No released core of that version runs here.

use ferroform::Serve;
use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{Context, ReadAfterWrite, Resource};
use ferroform::value::Value;
use ferroform_testing::client::{Client, Direct, Protocol};
use ferroform_testing::config::{Config, ResourceBlock, body, resource};
use ferroform_testing::embedded::{Core, Dialect, PlanOptions};
use ferroform_testing::state::State;

struct Newest;

#[derive(Model, Clone)]
struct Thing {
    #[attr(replace, identity)]
    label: String,
    size: u32,
    /// How many plans left something for the change.
    #[attr(computed)]
    plans: u32,
    /// The provider makes one where none is written.
    #[attr(block, computed)]
    part: Vec<Part>,
}

#[derive(Model, Clone)]
#[model(nested)]
struct Part {
    name: String,
}

impl Thing {
    fn made(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let plans = cx.private.get("plans")?.unwrap_or_default();
        cx.private.remove("plans");
        let written =
            plan.part.known().map(|parts| parts.into_iter().map(|it| Part { name: it.name }).collect());
        let part = written.unwrap_or_else(|| vec![Part { name: format!("part of {}", plan.label) }]);
        Ok(Self { label: plan.label, size: plan.size, plans, part })
    }
}

impl Resource for Thing {
    type Client = ();
    const NAME: &'static str = "thing";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn plan(
        cx: &mut Context<'_, Self>,
        _: Option<Prior<Self>>,
        _: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        let before: u32 = cx.private.get("plans")?.unwrap_or_default();
        cx.private.set("plans", &(before + 1))
    }

    async fn create(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Self::made(cx, plan)
    }

    async fn read(_: &mut Context<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Prior::<Self> { label, size, plans, part } = prior;
        let part = part.into_iter().filter_map(|it| Some(Part { name: it.name? })).collect();
        Ok(size.zip(plans).map(|(size, plans)| Self { label, size, plans, part }))
    }

    async fn update(cx: &mut Context<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::made(cx, plan)
    }

    async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

impl Provider for Newest {
    type Config = ();
    type Client = ();
    const NAME: &'static str = "newest";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Thing>();
    }
}

/// Applies the configurations one after the other, and compares what is stored of each.
async fn check(protocol: Protocol, minor: u64, steps: &[(ResourceBlock, Value)]) {
    let number = if protocol == Protocol::V5 { 5 } else { 6 };
    let launch = move || async move {
        let router = Serve::new(assemble::<Newest>()).options().router(number);
        Ok(Client::new(Direct::new(router.expect("it speaks both protocols")), protocol))
    };
    let source = "example.com/ferroform/newest".parse().expect("an address");
    let core =
        Core::new().with_provider("newest", source, launch).with_dialect(Dialect::terraform(1, minor, 0));
    let address = "newest_thing.this".parse().expect("an address");
    let mut state = State::default();
    for (block, expect) in steps {
        let config = Config::new().resource(block.clone());
        let plan = core.plan(&config, &state, &PlanOptions::default()).await;
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        let outcome = core.apply(&plan).await;
        assert!(outcome.succeeded(), "{:?}", outcome.diagnostics);
        state = outcome.state;
        let object = state.object(&address).expect("it is stored");
        assert_eq!(object.value(&Thing::schema()).expect("it fits"), *expect);
        let again = core.plan(&config, &state, &PlanOptions::default()).await;
        assert!(!again.errored && !again.applyable, "{:?}", again.diagnostics);
    }
}

fn thing(size: i64) -> ResourceBlock {
    resource("newest_thing", "this").set("label", "t").set("size", size)
}

fn stored(size: i64, plans: i64, part: &str) -> Value {
    Value::object([
        ("label", Value::from("t")),
        ("size", size.into()),
        ("plans", plans.into()),
        ("part", Value::list([Value::object([("name", Value::from(part))])])),
    ])
}

#[tokio::test]
async fn computed_blocks_are_filled_and_planned_private_data_reaches_the_change() {
    let written = |size| thing(size).block("part", body().set("name", "written"));
    for protocol in [Protocol::V6, Protocol::V5] {
        let steps = [
            (thing(1), stored(1, 2, "part of t")),
            (thing(2), stored(2, 2, "part of t")),
            (written(2), stored(2, 2, "written")),
        ];
        check(protocol, 16, &steps).await;
    }
}

/// What an older core does with the second plan: it starts from the prior state alone.
#[tokio::test]
async fn an_older_core_plans_anew_when_it_applies() {
    let written = |size| thing(size).block("part", body().set("name", "written"));
    for protocol in [Protocol::V6, Protocol::V5] {
        let steps = [(written(1), stored(1, 1, "written")), (written(2), stored(2, 1, "written"))];
        check(protocol, 15, &steps).await;
    }
}
