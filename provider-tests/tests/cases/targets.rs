//! Validators that look at attributes in the elements of blocks, and out of them, on every core.

use std::collections::BTreeMap;

use ferroform::path::Path;
use ferroform::prelude::*;
use ferroform::schema::Target;
use ferroform::validate::relation::{also_requires, conflicts_with, required_when};
use ferroform_testing::case::{Case, Provider as CaseProvider, RunsOn, Step, error, object};
use ferroform_testing::config::{Body, Config, ResourceBlock, body, reference, resource};

struct Racks;

impl Provider for Racks {
    type Config = ();
    type Client = ();
    const NAME: &str = "racks";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Machine>();
    }
}

#[derive(Model)]
struct Machine {
    #[attr(computed, keep)]
    id: String,
    /// An image of the machine, or one in a disk.
    #[attr(validate = conflicts_with(["disk.image"]))]
    image: Option<String>,
    #[attr(validate = required_when("disk.kind", ["ssd"]))]
    controller: Option<String>,
    #[attr(validate = also_requires(["part.label"]))]
    labelled: Option<bool>,
    #[attr(block)]
    disk: Vec<Disk>,
    #[attr(block)]
    part: BTreeMap<String, Part>,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    kind: Option<String>,
    image: Option<String>,
}

#[derive(Model)]
#[model(nested)]
struct Part {
    label: Option<String>,
    #[attr(validate = conflicts_with([Target::root("disk.image")]))]
    own: Option<bool>,
}

/// It lives in the state only.
impl Resource for Machine {
    type Client = ();
    const NAME: &str = "machine";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        MachinePlanned { id: "m-1".to_owned().into(), ..plan }.into_model()
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

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![elements()]
}

fn machine() -> ResourceBlock {
    resource("racks_machine", "a")
}

fn disk(name: &str, value: &str) -> Body {
    body().set(name, value)
}

fn elements() -> Case<()> {
    let wrong = |machine: ResourceBlock, at: Path, summary: &str| {
        Step::plan_only(Config::new().resource(machine)).expect(error(summary).at(at).times(1))
    };
    let combination = "Invalid Attribute Combination";
    let two = || machine().block("disk", disk("kind", "hdd")).block("disk", disk("image", "j"));
    Case::new("validators that look into elements")
        .provider(CaseProvider::of::<Racks>("example.com/ferroform/racks"))
        .runs_on(RunsOn::MatrixInTurns)
        .step(wrong(two().set("image", "i"), path!(image), combination))
        .step(wrong(
            machine().block("disk", disk("kind", "ssd")),
            path!(controller),
            "Missing Required Attribute",
        ))
        .step(wrong(
            machine().set("labelled", true).labelled("part", "a", body()),
            path!(labelled),
            combination,
        ))
        .step(wrong(two().labelled("part", "a", body().set("own", true)), path!(part["a"].own), combination))
        // What is not known yet may still be null or set.
        .step(
            Step::apply(
                Config::new().resource(resource("racks_machine", "b")).resource(
                    machine()
                        .set("controller", "c")
                        .set("labelled", true)
                        .block("disk", body().set("kind", reference("racks_machine.b.id")))
                        .labelled("part", "a", body().set("label", reference("racks_machine.b.id"))),
                ),
            )
            .state(object("racks_machine.a").has(path!(part["a"].label), "m-1")),
        )
}
