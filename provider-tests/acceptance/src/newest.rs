//! What no core can do that runs here, on the embedded one: since Terraform 1.16, blocks that the provider fills, and
//! private data of the first plan in the second one; in alpha builds, changes that the provider puts off.

use ferroform::Serve;
use ferroform::diag::Result;
use ferroform::dynamic::Deferred;
use ferroform::dynamic::phase;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    Context, CreateContext, DeleteContext, PlanContext, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::value::Value;
use ferroform_testing::client::{Client, InProcessTransport, Protocol};
use ferroform_testing::config::{Config, ResourceBlock, body, reference, resource};
use ferroform_testing::embedded::{Core, CoreVersion, Deferral, PlanOptions};
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
    #[attr(optional, computed)]
    name: String,
}

impl Thing {
    fn made<P: phase::AboutObject>(cx: &mut Context<'_, Self, P>, plan: Planned<Self>) -> Result<Self> {
        let plans = cx.private().get("plans")?.unwrap_or_default();
        cx.private_mut().remove("plans");
        let part = |name| Part { name };
        let made = format!("part of {}", plan.label);
        let part = match plan.part.known() {
            Some(parts) => parts.into_iter().map(|it| part(it.name.known_or(made.clone()))).collect(),
            None => vec![part(made)],
        };
        Ok(Self { label: plan.label, size: plan.size, plans, part })
    }
}

impl Resource for Thing {
    type Client = ();
    const NAME: &'static str = "thing";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn plan(
        cx: &mut PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        if plan.label.is_unknown() {
            cx.defer(Deferred::ResourceConfigUnknown);
        }
        let before: u32 = cx.private().get("plans")?.unwrap_or_default();
        cx.private_mut().set("plans", &(before + 1))
    }

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Self::made(cx, plan)
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::made(cx, plan)
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
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

fn core(minor: u64) -> Core {
    let launch = || async {
        let router = Serve::new(assemble::<Newest>()).options().router(6);
        Ok(Client::new(InProcessTransport::new(router.expect("it speaks protocol 6")), Protocol::V6))
    };
    let source = "example.com/ferroform/newest".parse().expect("an address");
    Core::new().with_provider("newest", source, launch).emulating(CoreVersion::terraform(1, minor, 0))
}

/// Applies the configurations one after the other, and compares what is stored of each.
async fn check(minor: u64, steps: &[(ResourceBlock, Value)]) {
    let core = core(minor);
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

fn written(size: i64) -> ResourceBlock {
    thing(size).block("part", body().set("name", "written"))
}

/// Only protocol 6 has computed blocks.
#[tokio::test]
async fn computed_blocks_are_filled_and_planned_private_data_reaches_the_change() {
    let steps = [
        (thing(1), stored(1, 2, "part of t")),
        (thing(2), stored(2, 2, "part of t")),
        (written(2), stored(2, 2, "written")),
    ];
    check(16, &steps).await;
}

/// What an older core does with the second plan: it starts from the prior state alone.
#[tokio::test]
async fn an_older_core_plans_anew_when_it_applies() {
    let steps = [(written(1), stored(1, 1, "written")), (written(2), stored(2, 1, "written"))];
    check(15, &steps).await;
}

#[tokio::test]
async fn what_an_author_puts_off_is_made_once_it_is_known() {
    let core = core(15).with_deferral(Deferral::Allowed);
    let later = resource("newest_thing", "later").set("label", reference("newest_thing.this.plans"));
    let config = Config::new().resource(thing(1)).resource(later.set("size", 1));
    let mut state = State::default();
    for (expect_created, expect_deferred) in
        [(vec!["newest_thing.this"], vec!["newest_thing.later"]), (vec!["newest_thing.later"], vec![])]
    {
        let plan = core.plan(&config, &state, &PlanOptions::default()).await;
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        let deferred: Vec<_> =
            plan.deferred.iter().map(|it| (it.change.address.to_string(), it.reason.as_str())).collect();
        let expect: Vec<_> =
            expect_deferred.iter().map(|at| (at.to_string(), "resource_config_unknown")).collect();
        assert_eq!(deferred, expect);
        let outcome = core.apply(&plan).await;
        assert!(outcome.succeeded(), "{:?}", outcome.diagnostics);
        for address in expect_created {
            let address = address.parse().expect("an address");
            assert!(state.object(&address).is_none() && outcome.state.object(&address).is_some());
        }
        for address in expect_deferred {
            assert!(outcome.state.object(&address.parse().expect("an address")).is_none());
        }
        state = outcome.state;
    }
}
