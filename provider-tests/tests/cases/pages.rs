//! Typed resources: refinements of unknown values, a modifier that sees private data, attributes of a flattened model, and
//! an attribute with an old and a new name.

use ferroform::diag::{Error, Result};
use ferroform::model::{Attr, Draft, Model, Modify, Planned, Prior};
use ferroform::path;
use ferroform::provider::{self, Registry};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::schema::Modifier;
use ferroform::validate::relation::exactly_one_of;
use ferroform::value::Refinements;
use ferroform_testing::case::{
    Case, Idempotency, Provider, Step, change, changes, error, is, no_changes, no_object, object,
};
use ferroform_testing::plan::Action;
use serde_json::json;

use super::stored;

struct Site;

impl provider::Provider for Site {
    type Config = ();
    type Client = ();
    const NAME: &str = "site";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Page>().resource::<Label>();
    }
}

/// What every object of the service has.
#[derive(Model)]
struct Common {
    #[attr(computed, identity, refine = Refinements::new().prefix("page-"))]
    id: String,
    #[attr(computed, keep, refine = Refinements::new().at_least(1), modify = renewed)]
    revision: u32,
}

#[derive(Model)]
struct Page {
    #[attr(flatten, identity)]
    common: Common,
    name: String,
}

/// The revision changes where the private data says so.
fn renewed(revision: &mut Modify<'_, u32>) -> Result {
    if revision.private().get::<bool>("renew")? == Some(true) {
        revision.planned = Attr::Unknown;
    }
    Ok(())
}

/// The prior values of a computed attribute are not planned, so each call knows them from the state.
impl Resource for Page {
    type Client = ();
    const NAME: &str = "page";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        cx.private_mut().set("renew", &(plan.name == "old"))?;
        let id = if plan.name == "wrong" { "1".to_owned() } else { format!("page-{}", plan.name) };
        Ok(Self { common: Common { id, revision: 1 }, name: plan.name })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        cx.private_mut().set("renew", &false)?;
        let revision = plan.common.revision.known_or(prior.common.revision.unwrap_or_default() + 1);
        let common = CommonPlanned { revision: revision.into(), ..plan.common };
        PagePlanned { common, ..plan }.into_model()
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// An attribute with an old and a new name.
#[derive(Model)]
#[model(validate = exactly_one_of(["title", "name"]))]
struct Label {
    #[attr(optional, computed, replace, modify = Modifier::same_as("name"))]
    title: String,
    #[attr(optional, computed, deprecated = "Use `title`.", modify = Modifier::same_as("title"))]
    name: String,
}

impl Label {
    fn new(title: Option<String>) -> Result<Self> {
        let title = title.ok_or_else(|| Error::new("No Title", "Neither name has a value."))?;
        Ok(Self { name: title.clone(), title })
    }
}

impl Resource for Label {
    type Client = ();
    const NAME: &str = "label";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Self::new(plan.title.known())
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        // An older release stored only the name.
        Self::new(prior.title.or(prior.name)).map(Some)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![refined(), broken(), renewed_by_private_data(), renamed(), renamed_since()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(Provider::of::<Site>("example.com/ferroform/site"))
}

const A: &str = "site_page.a";

fn refined() -> Case<()> {
    let config = "resource \"site_page\" \"a\" {\n  name = \"a\"\n}\n\
                  resource \"site_page\" \"b\" {\n  count = site_page.a.id == null ? 0 : 1\n  name = \"b\"\n}\n";
    case("refined unknown").step(
        Step::apply(config)
            .plan(changes([(A, Action::Create), ("site_page.b[0]", Action::Create)]))
            .plan(change(A).after(path!(id), is::unknown()).after(path!(revision), is::unknown()))
            .state(object(A).has(path!(id), "page-a").has(path!(revision), 1)),
    )
}

fn broken() -> Case<()> {
    case("broken refinement").step(
        Step::apply("resource \"site_page\" \"a\" {\n  name = \"wrong\"\n}\n")
            .expect(
                error("Provider Returned Another Value Than Planned")
                    .at(path!(id))
                    .detail("does not begin with the planned prefix"),
            )
            .state(object(A).has(path!(id), "1").tainted()),
    )
}

fn renewed_by_private_data() -> Case<()> {
    let config = "resource \"site_page\" \"a\" {\n  name = \"old\"\n}\n";
    case("modifier with private data")
        .step(Step::apply(config).idempotency(Idempotency::Off).state(object(A).has(path!(revision), 1)))
        .step(
            Step::apply(config)
                .plan(change(A).action(Action::Update).after(path!(revision), is::unknown()))
                .state(object(A).has(path!(revision), 2)),
        )
        .step(Step::plan_only(config).plan(no_changes()))
        .step(Step::destroy().state(no_object(A)))
}

fn renamed() -> Case<()> {
    const L: &str = "site_label.l";
    let with =
        |name: &str, value: &str| format!("resource \"site_label\" \"l\" {{\n  {name} = \"{value}\"\n}}\n");
    let both = |text: &str| object(L).has(path!(title), text.to_owned()).has(path!(name), text.to_owned());
    case("renamed attribute")
        .step(Step::apply(with("name", "a")).state(both("a")))
        .step(Step::apply(with("title", "a")).plan(no_changes()).state(both("a")))
        .step(
            Step::apply(with("name", "b"))
                .plan(change(L).replace_paths([path!(title)]).after(path!(title), "b"))
                .state(both("b")),
        )
}

/// The state of a release that had only the old name.
fn renamed_since() -> Case<()> {
    const L: &str = "site_label.a";
    let attributes = json!({"name": "a"});
    let with = |name: &str| format!("resource \"site_label\" \"a\" {{\n  {name} = \"a\"\n}}\n");
    let both = || object(L).has(path!(title), "a").has(path!(name), "a");
    case("attribute renamed since the state was stored")
        .step(Step::state_file(stored::object_a("site_label", &attributes)))
        .step(Step::apply(with("name")).plan(no_changes()).state(both()))
        .step(Step::apply(with("title")).plan(no_changes()).state(both()))
}
