//! A provider whose configuration is unknown until something else is applied: it defers everything of its own.

use ferroform::Serve;
use ferroform::action::{self, Action};
use ferroform::dynamic::Deferred;
use ferroform::prelude::*;
use ferroform::provider::assemble;
use ferroform_testing::case::{
    Case, Idempotency, PlanView, RunsOn, Step, changes, complete, deferred, error, invocations, no_changes,
    no_object, object,
};
use ferroform_testing::config::{
    ActionTrigger, Config, Event, data, provider as provider_block, reference, resource,
};
use ferroform_testing::plan;
use ferroform_testing::real::Feature;
use serde_json::Value as Json;

struct Late;

#[derive(Model)]
struct Endpoint {
    endpoint: String,
}

/// The endpoint; none while it is unknown, and then nothing is called that needs it.
struct Api(Option<String>);

impl Api {
    fn endpoint(&self) -> Result<String> {
        self.0.clone().ok_or_else(|| Error::new("No Endpoint", "It was called before there was an endpoint."))
    }
}

impl Provider for Late {
    type Config = Endpoint;
    type Client = Api;
    const NAME: &str = "late";

    async fn configure(cx: &mut provider::Context<'_>, config: Draft<Endpoint>) -> Result<Api> {
        if config.endpoint.is_unknown() && cx.capabilities().deferral_allowed {
            cx.defer(Deferred::ProviderConfigUnknown);
            return Ok(Api(None));
        }
        Ok(Api(Some(config.endpoint.known()?)))
    }

    fn register(it: &mut Registry<Api>) {
        it.resource::<Server>().data_source::<Zone>().action::<Restart>();
    }
}

#[derive(Model, Clone)]
struct Server {
    name: String,
    #[attr(computed)]
    at: String,
}

impl Resource for Server {
    type Client = Api;
    const NAME: &str = "server";

    async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { name: plan.name, at: cx.client.endpoint()? })
    }

    async fn read(cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        cx.client.endpoint()?;
        Ok(prior.name.zip(prior.at).map(|(name, at)| Self { name, at }))
    }

    async fn update(
        cx: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Ok(Self { name: plan.name, at: cx.client.endpoint()? })
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct Zone {
    name: String,
    #[attr(computed)]
    at: String,
}

impl DataSource for Zone {
    type Client = Api;
    const NAME: &str = "zone";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        Ok(Self { name: config.name, at: cx.client.endpoint()? })
    }
}

#[derive(Model)]
struct Restart {
    name: String,
}

impl Action for Restart {
    type Client = Api;
    const NAME: &str = "restart";

    async fn invoke(cx: &mut action::Context<'_, Self>, _: Planned<Self>) -> Result {
        cx.client.endpoint().map(drop)
    }
}

fn case(name: &str) -> Case<()> {
    let late = ferroform_testing::case::Provider::in_process("example.com/ferroform/late", |_: &()| {
        Serve::new(assemble::<Late>())
    });
    Case::new(name).provider(late).requires(Feature::Deferral).runs_on(RunsOn::Matrix)
}

/// An object, and a provider whose endpoint is made of its id.
fn based(triggers: &str) -> Config {
    let base = resource("terraform_data", "base").set("triggers_replace", triggers);
    Config::new()
        .resource(base)
        .provider(provider_block("late").set("endpoint", reference("terraform_data.base.id")))
}

fn whole(triggers: &str) -> Config {
    let after = ActionTrigger::on([Event::AfterCreate]).action("action.late_restart.r");
    based(triggers)
        .resource(resource("late_server", "s").set("name", "s"))
        .data(data("late_zone", "z").set("name", "z"))
        .resource(resource("terraform_data", "dependent").set("input", reference("data.late_zone.z.at")))
        .resource(ferroform_testing::config::action("late_restart", "r").set("name", "r"))
        .resource(resource("terraform_data", "base2").action_trigger(after))
}

pub(crate) fn cases() -> Vec<Case<()>> {
    let actions = [action_of_deferred_resource(), unknown_count_of_action(), deferred_reference_of_action()];
    [unknown_provider(), existing_object()].into_iter().chain(actions).collect()
}

fn unknown_provider() -> Case<()> {
    case("provider with an unknown configuration")
        .requires(Feature::Actions)
        .step(
            Step::apply(whole("one"))
                .idempotency(Idempotency::Off)
                .plan(changes([
                    ("terraform_data.base", plan::Action::Create),
                    ("terraform_data.base2", plan::Action::Create),
                ]))
                .plan(deferred([
                    ("late_server.s", "provider_config_unknown"),
                    ("data.late_zone.z", "provider_config_unknown"),
                    ("terraform_data.dependent", "deferred_prereq"),
                ]))
                .plan(deferred_actions([
                    "action.late_restart.r by terraform_data.base2 AfterCreate: provider_config_unknown",
                ]))
                .plan(|plan: &PlanView| assert_eq!(plan.json().get("action_invocations"), None))
                .state(no_object("late_server.s")),
        )
        .step(
            Step::apply(whole("one"))
                .plan(complete())
                .state(object("late_server.s"))
                .state(object("terraform_data.dependent")),
        )
}

/// The configuration becomes unknown when there are objects: these stay as they are.
fn existing_object() -> Case<()> {
    let with = |triggers: &str| based(triggers).resource(resource("late_server", "s").set("name", "s"));
    case("provider whose configuration becomes unknown")
        .step(Step::apply(with("one")).idempotency(Idempotency::Off))
        .step(Step::apply(with("one")))
        .step(
            Step::apply(with("two"))
                .idempotency(Idempotency::Off)
                .plan(changes([("terraform_data.base", plan::Action::DeleteThenCreate)]))
                .plan(deferred([("late_server.s", "provider_config_unknown")]))
                .state(object("late_server.s")),
        )
        .step(Step::plan_only(with("two")).plan(no_changes()).plan(complete()))
}

/// What is deferred of actions: address, trigger and reason.
fn deferred_actions<const N: usize>(expected: [&'static str; N]) -> impl Fn(&PlanView) + Send + Sync {
    move |plan| {
        let all = plan.json()["deferred_action_invocations"].as_array().cloned().unwrap_or_default();
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let each = all.iter().map(|it| {
            let invocation = &it["action_invocation"];
            let trigger = &invocation["lifecycle_action_trigger"];
            let [address, by] = [&invocation["address"], &trigger["triggering_resource_address"]].map(text);
            let event = text(&trigger["action_trigger_event"]);
            format!("{address} by {by} {event}: {}", text(&it["reason"]))
        });
        assert_eq!(each.collect::<Vec<_>>(), expected);
    }
}

/// A server with an unknown number of instances, and what it triggers before and after: nothing is invoked before
/// there are instances, and then each instance invokes its own.
fn action_of_deferred_resource() -> Case<()> {
    let text = r#"
provider "late" {
  endpoint = "here"
}

resource "terraform_data" "base" {}

resource "late_server" "s" {
  count = length(terraform_data.base.id) > 0 ? 2 : 0
  name  = "s${count.index}"
  lifecycle {
    action_trigger {
      events  = [before_create, after_create]
      actions = [action.late_restart.r["a"]]
    }
    action_trigger {
      events    = [after_create]
      condition = false
      actions   = [action.late_restart.r["a"]]
    }
  }
}

action "late_restart" "r" {
  for_each = toset(["a"])
  config {
    name = each.key
  }
}
"#;
    case("actions of a deferred resource")
        .requires(Feature::Actions)
        .step(
            Step::apply(text)
                .idempotency(Idempotency::Off)
                .plan(changes([("terraform_data.base", plan::Action::Create)]))
                .plan(deferred([("late_server.s[\"*\"]", "instance_count_unknown")]))
                .plan(invocations([""; 0]))
                .plan(deferred_actions([
                    "action.late_restart.r[\"a\"] by late_server.s[\"*\"] BeforeCreate: deferred_prereq",
                    "action.late_restart.r[\"a\"] by late_server.s[\"*\"] AfterCreate: deferred_prereq",
                ])),
        )
        .step(
            Step::apply(text)
                .plan(complete())
                .plan(deferred_actions([]))
                .plan(invocations([
                    "action.late_restart.r[\"a\"] before_create",
                    "action.late_restart.r[\"a\"] after_create",
                    "action.late_restart.r[\"a\"] before_create",
                    "action.late_restart.r[\"a\"] after_create",
                ]))
                .state(object("late_server.s[1]")),
        )
}

/// Actions with an unknown `count` and `for_each`: what triggers them is made all the same.
fn unknown_count_of_action() -> Case<()> {
    let text = r#"
provider "late" {
  endpoint = "here"
}

resource "terraform_data" "base" {}

resource "late_server" "s" {
  name = "s"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.late_restart.counted[0], action.late_restart.named["x"]]
    }
  }
}

action "late_restart" "counted" {
  count = length(terraform_data.base.id)
  config {
    name = "r${count.index}"
  }
}

action "late_restart" "named" {
  for_each = toset([terraform_data.base.id == "" ? "y" : "x"])
  config {
    name = each.key
  }
}
"#;
    case("actions with an unknown count and for_each").requires(Feature::Actions).step(
        Step::apply(text)
            .idempotency(Idempotency::Off)
            .plan(changes([
                ("terraform_data.base", plan::Action::Create),
                ("late_server.s", plan::Action::Create),
            ]))
            .plan(invocations([""; 0]))
            .plan(deferred_actions([
                "action.late_restart.counted[\"*\"] by late_server.s AfterCreate: instance_count_unknown",
                "action.late_restart.named[\"*\"] by late_server.s AfterCreate: instance_count_unknown",
            ]))
            .state(object("late_server.s")),
    )
}

/// An action whose configuration refers to something deferred.
fn deferred_reference_of_action() -> Case<()> {
    let text = r#"
provider "late" {
  endpoint = "here"
}

resource "terraform_data" "base" {}

resource "late_server" "s" {
  count = length(terraform_data.base.id) > 0 ? 1 : 0
  name  = "s"
}

resource "terraform_data" "other" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.late_restart.r]
    }
  }
}

action "late_restart" "r" {
  config {
    name = join(",", late_server.s[*].name)
  }
}
"#;
    case("action that refers to something deferred")
        .requires(Feature::Actions)
        .step(
            Step::apply(text)
                .idempotency(Idempotency::Off)
                .plan(invocations([""; 0]))
                .plan(deferred_actions([
                    "action.late_restart.r by terraform_data.other AfterCreate: deferred_prereq",
                ]))
                .state(object("terraform_data.other"))
                .state(no_object("late_server.s[0]")),
        )
        .step(Step::invoke("action.late_restart.r").expect(error("Partially applied configuration")))
        .step(Step::apply(text).plan(complete()).state(object("late_server.s[0]")))
        .step(Step::invoke("action.late_restart.r").plan(invocations(["action.late_restart.r"])))
}
