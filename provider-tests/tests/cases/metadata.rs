//! What modules say about themselves reaches the calls of a typed provider, on every core.

use ferroform::dynamic;
use ferroform::dynamic::phase;
use ferroform::prelude::*;
use ferroform_testing::case::{
    Case, Provider as CaseProvider, RunsOn, Source, Step, error, no_changes, object, value, warning,
};

struct Labels;

impl Provider for Labels {
    type Config = ();
    type Client = ();
    const NAME: &str = "labels";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.meta::<Meta>().resource::<Label>().data_source::<Label>();
    }
}

/// What a module says.
#[derive(Model)]
struct Meta {
    module: String,
    #[attr(default = "nobody")]
    team: String,
}

#[derive(Model)]
struct Label {
    text: String,
    /// The module and the team of the call that wrote the label.
    #[attr(computed)]
    made_for: String,
}

/// What a call sees.
fn seen<P: phase::FromModule>(cx: &dynamic::Context<'_, P>) -> Result<String> {
    let Some(meta) = cx.meta::<Meta>()? else { return Ok("no module".to_owned()) };
    let Meta { module, team } = meta.into_model()?;
    Ok(format!("{module} of {team}"))
}

impl Resource for Label {
    type Client = ();
    const NAME: &str = "label";

    async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        LabelPlanned { made_for: seen(cx)?.into(), ..plan }.into_model()
    }

    /// A refresh sees the same.
    async fn read(cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let (label, seen) = (prior.into_model()?, seen(cx)?);
        if label.made_for.ends_with(&seen) {
            return Ok(Some(label));
        }
        Err(Error::new("Another Module", format!("The label is for {}, and {seen} asks.", label.made_for)))
    }

    async fn update(
        cx: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let made_for = format!("again {}", seen(cx)?);
        LabelPlanned { made_for: made_for.into(), ..plan }.into_model()
    }

    async fn delete(cx: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        let (label, seen) = (prior.into_model()?, seen(cx)?);
        if label.made_for.ends_with(&seen) {
            return Ok(());
        }
        Err(Error::new("Another Module", format!("The label is for {}, and {seen} asks.", label.made_for)))
    }
}

impl DataSource for Label {
    type Client = ();
    const NAME: &str = "label";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        LabelPlanned { made_for: seen(cx)?.into(), ..config }.into_model()
    }
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![modules(), wrong(), data_source_of_a_check()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(CaseProvider::of::<Labels>("example.com/ferroform/labels"))
}

fn modules() -> Case<()> {
    const ROOT: &str = "labels_label.a";
    const NETWORK: &str = "module.network.labels_label.a";
    const PLAIN: &str = "module.plain.labels_label.a";
    let text = |text: &'static str| Source::folder("tests/cases/metadata").variable("text", text);
    let made = |label: &str, made_for: &'static str| object(label).has(path!(made_for), made_for);
    case("metadata of modules")
        .runs_on(RunsOn::MatrixInTurns)
        .step(
            Step::apply(text("a"))
                .state(made(ROOT, "root of nobody"))
                .state(made(NETWORK, "network of core"))
                .state(made(PLAIN, "no module"))
                .state(value("read", "root of nobody")),
        )
        .step(
            Step::apply(text("b"))
                .state(made(ROOT, "again root of nobody"))
                .state(made(NETWORK, "again network of core"))
                .state(made(PLAIN, "again no module")),
        )
        .step(Step::plan_only(text("b")).plan(no_changes()))
}

/// Core checks the block by the schema of the model.
fn wrong() -> Case<()> {
    let config = |meta: &str| {
        format!(
            "terraform {{\n  provider_meta \"labels\" {{\n    {meta}\n  }}\n}}\n\
             resource \"labels_label\" \"a\" {{\n  text = \"a\"\n}}\n"
        )
    };
    case("wrong metadata of a module")
        .step(Step::plan_only(config("team = \"core\"")).expect(error("Missing required argument")))
        .step(
            Step::plan_only(config("module = \"a\"\n    colour = \"red\""))
                .expect(error("Unsupported argument")),
        )
}

/// A data source of a check that cannot be read is a warning, also where the block is what is wrong.
fn data_source_of_a_check() -> Case<()> {
    let summary = "Provider terraform.io/builtin/terraform doesn't support provider_meta";
    let config = r#"
terraform {
  provider_meta "terraform" {
    module = "root"
  }
}
check "state" {
  data "terraform_remote_state" "network" {
    backend = "local"
    config  = { path = "network.tfstate" }
  }
  assert {
    condition     = data.terraform_remote_state.network.backend == "local"
    error_message = "The state is elsewhere."
  }
}
"#;
    case("wrong metadata of a data source of a check").step(Step::plan_only(config).expect(warning(summary)))
}
