//! Errors that `?` returns keep the attribute that they are about, in every phase.

use ferroform::diag::{Diagnostics, Error, Result, ResultExt as _};
use ferroform::dynamic::ValidateContext;
use ferroform::model::{Attr, Draft, Model, Modify, Planned, Prior};
use ferroform::path;
use ferroform::provider::{Context as Configuration, Provider, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, PlanContext, ReadContext, Resource, UpdateContext};
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ConfigureProviderRequest, DynamicValue, PlanResourceChangeRequest,
    ValidateResourceConfigRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{ask, encoded_by, message, response};

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut Configuration<'_>, _: ()) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Listener>();
    }
}

/// `fails` says where the port is parsed.
#[derive(Model)]
struct Listener {
    fails: String,
    rules: Vec<Rule>,
    #[attr(optional, computed, modify = modified)]
    hint: String,
}

#[derive(Model)]
#[model(nested, validate = of_rule)]
struct Rule {
    #[attr(validate = of_text)]
    port: String,
}

fn number(text: &str) -> Result<u16> {
    text.parse().summary("Invalid Port")
}

fn of_text(port: &str) -> Result {
    if port.starts_with("text") {
        number(port)?;
    }
    Ok(())
}

fn of_rule(rule: &Draft<Rule>) -> Result {
    let port = rule.port.as_known().map_or("", String::as_str);
    if port.starts_with("rule") {
        number(port).at(path!(port))?;
    }
    Ok(())
}

fn modified(hint: &mut Modify<'_, String>) -> Result {
    if hint.sibling::<String>("fails")?.planned == Attr::Known("modifier".to_owned()) {
        number("x")?;
    }
    Ok(())
}

/// What several methods call for their rules: each error has its rule, and the caller need not know of it.
fn ports<'p>(ports: impl Iterator<Item = &'p str>) -> Result {
    let mut errors: Option<Error> = None;
    for (index, port) in ports.enumerate() {
        if let Err(error) = number(port).at(path!(rules[index].port)) {
            errors = Some(match errors {
                Some(errors) => errors.and(error),
                None => error,
            });
        }
    }
    errors.map_or(Ok(()), Err)
}

impl Resource for Listener {
    type Client = ();
    const NAME: &'static str = "listener";

    fn validate(_: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        if config.fails == Attr::Known("validate".to_owned()) {
            config.hint.known().at(path!(hint))?;
        }
        Ok(())
    }

    async fn plan(
        _: &mut PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        if plan.fails == Attr::Known("plan".to_owned()) {
            let rules = plan.rules.as_known().into_iter().flatten();
            ports(rules.filter_map(|rule| rule.as_known()?.port.as_known()).map(String::as_str))?;
        }
        Ok(())
    }

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        ports(plan.rules.iter().map(|rule| rule.port.as_str()))?;
        Err(Error::new("Not Reached", ""))
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

const TYPE: &str = "cloud_listener";

fn server() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&<() as Model>::schema(), &Value::object([] as [(&str, Value); 0]));
    response!(ConfigureProvider, ask(&server, message!(ConfigureProviderRequest { config: config })));
    server
}

fn config(fails: &str, ports: &[&str]) -> DynamicValue {
    let rules = ports.iter().map(|port| Value::object([("port", Value::from(*port))]));
    let hint = if fails == "create" { Value::unknown() } else { Value::Null };
    let config = Value::object([("fails", fails.into()), ("rules", Value::list(rules)), ("hint", hint)]);
    encoded_by(&Listener::schema(), &config)
}

fn shown(diagnostics: &Diagnostics) -> Vec<String> {
    let each = diagnostics.iter().map(|it| {
        let path = it.path.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{path}: {}", it.summary)
    });
    each.collect()
}

fn validated(fails: &str, ports: &[&str]) -> Vec<String> {
    let config = config(fails, ports);
    let request = message!(ValidateResourceConfigRequest { type_name: TYPE.to_owned(), config: config });
    shown(&response!(ValidateResourceConfig, ask(&server(), request)).diagnostics)
}

fn null() -> DynamicValue {
    DynamicValue::Msgpack(msgpack::encode(&Value::Null, &Listener::schema().ty()).unwrap().into())
}

fn planned(fails: &str, ports: &[&str]) -> Vec<String> {
    let config = config(fails, ports);
    let request = message!(PlanResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: null(),
        proposed_new_state: config.clone(),
        config: config,
    });
    shown(&response!(PlanResourceChange, ask(&server(), request)).diagnostics)
}

#[test]
fn error_of_a_validator_has_the_path_of_its_value() {
    assert_eq!(
        validated("", &["80", "text", "rule"]),
        ["rules[1].port: Invalid Port", "rules[2].port: Invalid Port",]
    );
    assert_eq!(validated("validate", &[]), ["hint: Missing Value"]);
}

#[test]
fn error_of_a_modifier_has_the_path_of_its_attribute() {
    assert_eq!(planned("modifier", &[]), ["hint: Invalid Port"]);
}

#[test]
fn errors_of_plan_and_create_have_the_paths_that_a_helper_gave_them() {
    let expect = ["rules[0].port: Invalid Port", "rules[2].port: Invalid Port"];
    assert_eq!(planned("plan", &["a", "80", "b"]), expect);
    let config = config("create", &["a", "80", "b"]);
    let request = message!(ApplyResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: null(),
        planned_state: config.clone(),
        config: config,
    });
    let response = response!(ApplyResourceChange, ask(&server(), request));
    assert_eq!(shown(&response.diagnostics), expect);
}
