//! Models as plain objects, which both protocols have, on every core.

use ferroform::model::ObjectOf;
use ferroform::prelude::*;
use ferroform_testing::case::{
    Case, Provider as CaseProvider, RunsOn, Step, change, error, is, no_changes, object,
};
use ferroform_testing::config::{Config, Expr, ResourceBlock, list, object as members, reference, resource};
use ferroform_testing::plan::Action;

struct Machines;

impl Provider for Machines {
    type Config = ();
    type Client = ();
    const NAME: &str = "machines";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Machine>();
    }
}

#[derive(Model)]
struct Machine {
    name: String,
    disks: Option<Vec<ObjectOf<Disk>>>,
    /// What the service attached.
    #[attr(computed, keep)]
    root: ObjectOf<Disk>,
    /// A number and a place.
    pair: Option<(u8, ObjectOf<Disk>)>,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    name: String,
    size: Option<u16>,
}

/// It lives in the state only.
impl Resource for Machine {
    type Client = ();
    const NAME: &str = "machine";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let root = DiskPlanned { name: format!("root of {}", plan.name), size: Some(8) };
        MachinePlanned { root: root.into(), ..plan }.into_model()
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
    vec![lifecycle(), wrong()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(CaseProvider::of::<Machines>("example.com/ferroform/machines"))
}

const A: &str = "machines_machine.a";

fn machine(name: &str) -> ResourceBlock {
    resource("machines_machine", name).set("name", name)
}

fn disk(name: impl Into<Expr>, size: Expr) -> Expr {
    members([("name", name.into()), ("size", size)])
}

fn config(machine: ResourceBlock) -> Config {
    Config::new().resource(machine)
}

fn lifecycle() -> Case<()> {
    let null = || Expr::Literal(ferroform::value::Value::Null);
    let first = || machine("a").set("disks", list([disk("one", 1.into()), disk("two", null())]));
    let shown = |name: &'static str, size: is::Is| is::object([("name", is::Is::from(name)), ("size", size)]);
    case("plain objects")
        .runs_on(RunsOn::MatrixInTurns)
        .step(
            Step::apply(config(first()))
                .plan(change(A).after(path!(root), is::unknown()))
                .state(object(A).has(path!(root), shown("root of a", 8.into())))
                .state(
                    object(A).has(path!(disks), is::list([shown("one", 1.into()), shown("two", is::null())])),
                ),
        )
        // An object of which a part is not known yet, and one in a tuple.
        .step(
            Step::apply(
                config(machine("a").set("pair", list([Expr::from(1), disk("three", 3.into())])))
                    .resource(
                        machine("b")
                            .set("disks", list([disk(reference("machines_machine.c.root.name"), null())])),
                    )
                    .resource(machine("c")),
            )
            .plan(change(A).action(Action::Update).after(path!(root.name), "root of a"))
            .plan(change("machines_machine.b").after(path!(disks[0].name), is::unknown()))
            .state(object(A).has(path!(disks), is::null()).has(path!(pair[1].name), "three"))
            .state(object("machines_machine.b").has(path!(disks[0].name), "root of c")),
        )
        .step(Step::apply(config(first())))
        .step(Step::plan_only(config(first())).plan(no_changes()))
}

/// What the type of the model says is checked within the object.
fn wrong() -> Case<()> {
    let null = || Expr::Literal(ferroform::value::Value::Null);
    case("mistakes in plain objects")
        .step(
            Step::plan_only(config(machine("a").set("disks", list([disk("one", 70_000.into())]))))
                .expect(error("Invalid Number").at(path!(disks[0].size)).detail("from 0 to 65535").times(1)),
        )
        .step(
            Step::plan_only(config(machine("a").set("disks", list([disk(null(), null())]))))
                .expect(error("Missing Value").at(path!(disks[0].name)).times(1)),
        )
        // Core knows no optional attributes in a plain object.
        .step(
            Step::plan_only(config(machine("a").set("disks", list([members([("name", "one")])]))))
                .expect(error("Incorrect attribute value type")),
        )
}
