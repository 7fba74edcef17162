//! A resource that lives in the state only: it reads as stored and updates as planned, on every core.

use std::collections::BTreeMap;

use ferroform::prelude::*;
use ferroform_testing::case::{
    Case, Provider as CaseProvider, RunsOn, Step, change, error, is, no_changes, no_object, object,
};
use ferroform_testing::config::{Config, ResourceBlock, body, object as members, resource};
use ferroform_testing::plan::Action;
use ferroform_testing::real::Feature;
use serde_json::json;

use super::stored;

struct Local;

impl Provider for Local {
    type Config = ();
    type Client = ();
    const NAME: &str = "local";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Plan>();
    }
}

#[derive(Model)]
struct Plan {
    #[attr(flatten)]
    common: Common,
    #[attr(block)]
    step: Vec<Part>,
    #[attr(block)]
    part: BTreeMap<String, Part>,
    secret: WriteOnly<Option<String>>,
}

#[derive(Model)]
struct Common {
    #[attr(computed, keep)]
    id: String,
    #[attr(default = 1)]
    revision: u8,
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Model)]
#[model(nested)]
struct Part {
    name: String,
    #[attr(computed)]
    length: u32,
}

impl Resource for Plan {
    type Client = ();
    const NAME: &str = "plan";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let common = CommonPlanned { id: "p-1".to_owned().into(), ..plan.common };
        let length = |part: PartPlanned| PartPlanned { length: length(&part.name).into(), ..part };
        let step = plan.step.into_iter().map(length).collect();
        let part = plan.part.into_iter().map(|(key, part)| (key, length(part))).collect();
        PlanPlanned { common, step, part, ..plan }.into_model()
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    /// Parts have their length from the plan, except those that the plan cannot know.
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

    async fn plan(
        _: &mut resource::PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        let Attr::Known(steps) = &mut plan.step else { return Ok(()) };
        for step in steps {
            if let Attr::Known(step) = step
                && step.name.as_known().is_some_and(|name| name != FORGOTTEN)
            {
                step.length = step.name.as_ref().map(|name| length(name));
            }
        }
        Ok(())
    }
}

/// The step of which the provider forgets what it has to compute.
const FORGOTTEN: &str = "forgotten";

fn length(name: &str) -> u32 {
    name.chars().map(|_| 1).sum()
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![lifecycle(), forgotten(), incomplete()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name)
        .provider(CaseProvider::of::<Local>("example.com/ferroform/local"))
        .requires(Feature::WriteOnlyAttributes)
}

const A: &str = "local_plan.a";

fn plan(steps: &[&str]) -> ResourceBlock {
    let plan = resource("local_plan", "a").set("secret", "s3cret");
    steps.iter().fold(plan, |plan, name| plan.block("step", body().set("name", *name)))
}

fn config(plan: ResourceBlock) -> Config {
    Config::new().resource(plan)
}

fn lifecycle() -> Case<()> {
    let first = || plan(&["one"]).labelled("part", "a", body().set("name", "three"));
    let step = |name: &'static str, length: i64| {
        is::object([("name", is::Is::from(name)), ("length", length.into())])
    };
    case("state only")
        .runs_on(RunsOn::MatrixInTurns)
        .step(
            Step::apply(config(first()))
                .plan(change(A).action(Action::Create).after(path!(id), is::unknown()))
                .state(object(A).has(path!(id), "p-1").has(path!(secret), is::null()))
                .state(object(A).has(path!(step), is::list([step("one", 3)])))
                .state(object(A).has(path!(part["a"].length), 5)),
        )
        .step(
            Step::apply(config(
                plan(&["one", "four"]).set("revision", 2).set("labels", members([("a", "b")])),
            ))
            .plan(change(A).action(Action::Update).after(path!(id), "p-1"))
            .state(object(A).has(path!(step), is::list([step("one", 3), step("four", 4)])))
            .state(object(A).has(path!(labels), is::object([("a", "b")])).has(path!(revision), 2))
            .state(object(A).has(path!(part), is::of_size(0))),
        )
        .step(
            Step::plan_only(config(
                plan(&["one", "four"]).set("revision", 2).set("labels", members([("a", "b")])),
            ))
            .plan(no_changes()),
        )
        .step(Step::destroy().state(no_object(A)))
}

/// What the plan leaves open and the provider does not set is an error, and the prior state stays.
fn forgotten() -> Case<()> {
    case("state only, with a value that nobody sets").step(Step::apply(config(plan(&["one"])))).step(
        Step::apply(config(plan(&["one", FORGOTTEN])))
            .expect(
                error("Unknown Value")
                    .at(path!(step[1].length))
                    .detail("The plan leaves this value to the provider")
                    .times(1),
            )
            .state(object(A).has(path!(step), is::of_size(1)).ready()),
    )
}

/// The state of a release that did not store the id.
fn incomplete() -> Case<()> {
    let attributes = json!({"revision": 1, "labels": {"a": "b"}, "step": [], "part": {}});
    case("state only, with a state that lacks a value")
        .step(Step::state_file(stored::object_a("local_plan", &attributes)))
        .step(
            Step::apply(config(plan(&[])))
                .expect(
                    error("Missing Stored Value")
                        .at(path!(id))
                        .detail("Remove the object from the state and create or import it again")
                        .times(1),
                )
                .state(object(A).has(path!(labels), is::object([("a", "b")]))),
        )
        .step(Step::forget(A))
        .step(Step::apply(config(plan(&[]))).state(object(A).has(path!(id), "p-1")))
}
