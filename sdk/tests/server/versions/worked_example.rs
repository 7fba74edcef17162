//! The example of `docs/versions.md`: an identity of version 0 with a bool becomes one of version 1 with a text.

use ferroform::diag::Result;
use ferroform::model::{Draft, Identity, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityContext, IdentityUpgrades, ReadContext, Resource, UpdateContext,
};
use ferroform::schema::{Attribute, Block, ForImport, Schema};
use ferroform::testing;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{DynamicValue, UpgradeResourceIdentityRequest};
use ferroform_server::server::Server;

use super::record::json;
use crate::server::identity::{Host, Stored};
use crate::server::support::{ask, message, response, shown, summaries};

#[derive(Identity)]
struct SwitchIdentityV0 {
    id: String,
    old_bool_attribute: Option<bool>,
}

#[derive(Identity)]
#[identity(version = 1)]
struct SwitchIdentity {
    id: String,
    new_string_attribute: Option<String>,
}

#[derive(Model)]
#[model(identity_type = SwitchIdentity)]
struct Switch {
    #[attr(computed, keep)]
    id: String,
    on: bool,
}

impl Resource for Switch {
    type Client = ();
    const NAME: &str = "switch";

    fn identity(cx: &IdentityContext<'_, Self>, switch: Self) -> Result<SwitchIdentity> {
        let new_string_attribute = cx.stored_identity()?.and_then(|stored| stored.new_string_attribute);
        Ok(SwitchIdentity { id: switch.id, new_string_attribute })
    }

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { id: plan.id.known_or("s-1".to_owned()), on: plan.on })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(prior.id.zip(prior.on).map(|(id, on)| Self { id, on }))
    }

    async fn update(
        _: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Ok(Self { id: plan.id.known_or(prior.id.unwrap_or_default()), on: plan.on })
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new().from(|old: SwitchIdentityV0| {
            let new_string_attribute = old.old_bool_attribute.map(|it| it.to_string());
            Ok(SwitchIdentity { id: old.id, new_string_attribute })
        })
    }
}

struct House;

impl Provider for House {
    type Config = ();
    type Client = ();
    const NAME: &str = "house";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Switch>();
    }
}

#[track_caller]
fn check(version: i64, stored: &str, expect: (&str, &str)) {
    let request = message!(UpgradeResourceIdentityRequest {
        type_name: "house_switch".to_owned(),
        version: version,
        raw_identity: Some(json(stored)),
    });
    let response = response!(UpgradeResourceIdentity, ask(&Server::new(assemble::<House>()), request));
    let attributes =
        ["id", "new_string_attribute"].map(|name| Attribute::optional(name, Type::String)).to_vec();
    let schema = Schema::new(Block::new(attributes));
    let upgraded = shown(&schema, &response.upgraded_identity.unwrap_or(DynamicValue::Absent));
    assert_eq!((upgraded.as_str(), summaries(&response.diagnostics).as_str()), expect);
}

#[test]
fn a_bool_of_an_identity_becomes_a_text() {
    testing::check::<House>();
    for schema in [SwitchIdentityV0::schema(), SwitchIdentity::schema()] {
        let attributes = schema.expect("it has attributes").attributes;
        let imports: Vec<_> = attributes.iter().map(|attribute| attribute.for_import).collect();
        assert_eq!(imports, [ForImport::Required, ForImport::Optional]);
    }
    let upgraded = |text: &str| format!(r#"{{"id": "s-7", "new_string_attribute": {text}}}"#);
    for (old, new) in [("true", r#""true""#), ("false", r#""false""#), ("null", "null")] {
        let stored = format!(r#"{{"id":"s-7","old_bool_attribute":{old}}}"#);
        check(0, &stored, (&upgraded(new), ""));
    }
    check(0, r#"{"id":"s-7"}"#, (&upgraded("null"), ""));
    check(1, r#"{"id":"s-7","new_string_attribute":"true"}"#, (&upgraded(r#""true""#), ""));
    check(0, "", ("null", ""));
    check(0, r#"{"id":null,"old_bool_attribute":true}"#, ("nothing", "error id: Missing Value\n"));
    check(2, r#"{"id":"s-7"}"#, ("nothing", "error: No Identity Upgrade\n"));
}

#[test]
fn upgraded_identity_survives_read_plan_and_apply() {
    let host = Host::new::<House, Switch, SwitchIdentity>("house_switch");
    host.configure(&Schema::default(), &Value::object::<&str>([]));
    let switch = |on: bool| Value::object([("id", Value::from("s-7")), ("on", Value::from(on))]);
    for (old, new) in [("true", r#""true""#), ("false", r#""false""#), ("null", "null")] {
        let expect = format!(r#"{{"id": "s-7", "new_string_attribute": {new}}}"#);
        let (identity, reported) = host.upgrade(0, &format!(r#"{{"id":"s-7","old_bool_attribute":{old}}}"#));
        let mut stored = Stored { identity, ..host.stored(&switch(true), None::<SwitchIdentity>) };
        assert_eq!((reported.as_str(), host.shown(&stored)), ("", expect.clone()));
        assert_eq!((host.read(&mut stored).as_str(), host.shown(&stored)), ("", expect.clone()));
        let config = Value::object([("id", Value::Null), ("on", Value::from(false))]);
        let (planned, reported) = host.plan(&stored, (&config, &switch(false)));
        assert_eq!((reported.as_str(), host.shown(&planned)), ("", expect.clone()));
        let (applied, reported) = host.apply(&stored, planned, &config);
        assert_eq!((reported.as_str(), host.shown(&applied)), ("", expect));
    }
}
