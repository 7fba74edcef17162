//! What is known of unknown values: stated by attributes, modifiers and plans, sent to core, and kept to by results.

use ferroform::diag::{Diagnostics, Result};
use ferroform::model::{Attr, Draft, Model, Modify, Planned, Prior};
use ferroform::path;
use ferroform::path::Path;
use ferroform::provider::{Context as Configuration, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, PlanContext, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::value::{Refinements, Unknown, Value};
use ferroform_core::codec::msgpack;
use ferroform_core::plan;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ConfigureProviderRequest, DynamicValue, PlanResourceChangeRequest,
    PlanResourceChangeResponse,
};
use ferroform_server::server::Server;
use proptest::prelude::*;

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
        it.resource::<Site>();
    }
}

#[derive(Model)]
struct Site {
    name: String,
    region: Option<String>,
    #[attr(computed, refine = Refinements::new().prefix("site-"))]
    id: String,
    #[attr(computed, refine = Refinements::new().at_least(1).at_most(65_535))]
    port: u32,
    #[attr(computed, refine = Refinements::new().min_length(1).max_length(2))]
    hosts: Vec<String>,
    #[attr(computed, refine = Refinements::new().not_null())]
    owner: Option<String>,
    #[attr(computed, refine = Refinements::new())]
    path: String,
    #[attr(computed, modify = zoned)]
    zone: String,
    #[attr(optional, computed, refine = Refinements::new().prefix("https://"))]
    url: String,
}

fn zoned(zone: &mut Modify<'_, String>) -> Result {
    if zone.sibling::<String>("region")?.planned.is_known() {
        zone.planned = Attr::Unknown;
        zone.refine(Refinements::new().not_null().prefix("eu"));
    }
    Ok(())
}

impl Resource for Site {
    type Client = ();
    const NAME: &'static str = "site";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn plan(
        cx: &mut PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        match plan.region.as_known().map(String::as_str) {
            Some("wrong type") => cx.refine(path!(url), Refinements::new().at_least(1)),
            Some("no attribute") => cx.refine(path!(ulr), Refinements::new().not_null()),
            Some("no value") => cx.refine(path!(hosts), Refinements::new().min_length(2).max_length(1)),
            Some(region) => {
                let host = format!("https://{region}.");
                cx.refine(path!(url), Refinements::new().prefix(&host));
                // What is known needs none.
                cx.refine(path!(name), Refinements::new().prefix("other"));
            }
            None => {}
        }
        Ok(())
    }

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let good = plan.name != "bad";
        let text = |right: &str| if good { right.to_owned() } else { "wrong".to_owned() };
        Ok(Self {
            id: text("site-1"),
            port: if good { 80 } else { 0 },
            hosts: if good { vec!["a".to_owned()] } else { Vec::new() },
            owner: good.then(|| "me".to_owned()),
            path: String::new(),
            zone: text("eu-1"),
            url: text("https://eu.example.com"),
            name: plan.name,
            region: plan.region,
        })
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

const TYPE: &str = "cloud_site";

fn server() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&<() as Model>::schema(), &Value::object([] as [(&str, Value); 0]));
    response!(ConfigureProvider, ask(&server, message!(ConfigureProviderRequest { config: config })));
    server
}

fn config(name: &str, region: Value, url: Value) -> DynamicValue {
    let computed = ["id", "port", "hosts", "owner", "path", "zone"].map(|name| (name, Value::Null));
    let configured = [("name", name.into()), ("region", region), ("url", url)];
    encoded_by(&Site::schema(), &Value::object(computed.into_iter().chain(configured)))
}

fn planned(config: &DynamicValue) -> PlanResourceChangeResponse {
    let null = DynamicValue::Msgpack(msgpack::encode(&Value::Null, &Site::schema().ty()).unwrap().into());
    let request = message!(PlanResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: null,
        proposed_new_state: config.clone(),
        config: config.clone(),
    });
    response!(PlanResourceChange, ask(&server(), request))
}

/// The refinements of a planned attribute; an empty one when nothing is known of it.
fn refinements(planned: &DynamicValue, name: &str) -> Refinements {
    let DynamicValue::Msgpack(bytes) = planned else { panic!("{planned:?} is no state") };
    let state = msgpack::decode(bytes, &Site::schema().ty()).expect("the value fits");
    match state.get(&Path::root().attribute(name.to_owned())) {
        Some(Value::Unknown(unknown)) => unknown.refinements().cloned().unwrap_or_default(),
        other => panic!("{name} is {other:?}"),
    }
}

fn shown(diagnostics: &Diagnostics) -> Vec<String> {
    let each = diagnostics.iter().map(|it| {
        let path = it.path.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{path}: {}", it.summary)
    });
    each.collect()
}

#[test]
fn planned_unknown_value_has_the_refinements_of_attribute_modifier_and_plan() {
    let response = planned(&config("a", "eu".into(), Value::Null));
    assert_eq!(shown(&response.diagnostics), [""; 0]);
    let known = Refinements::new;
    for (name, expect) in [
        ("id", known().not_null().prefix("site-")),
        ("port", known().not_null().at_least(1).at_most(65_535)),
        ("hosts", known().not_null().min_length(1).max_length(2)),
        ("owner", known().not_null()),
        ("path", known().not_null()),
        ("zone", known().not_null().prefix("eu")),
        ("url", known().prefix("https://eu.")),
    ] {
        assert_eq!(refinements(&response.planned_state, name), expect, "{name}");
    }
    let without_region = planned(&config("a", Value::Null, Value::Null)).planned_state;
    assert_eq!(refinements(&without_region, "url"), known().not_null().prefix("https://"));
    assert_eq!(refinements(&without_region, "zone"), known());
}

#[test]
fn configured_unknown_value_keeps_its_own_refinements() {
    let own = || Refinements::new().prefix("http");
    let url = Value::from(Unknown::refined(own()));
    let response = planned(&config("a", "eu".into(), url));
    assert_eq!(shown(&response.diagnostics), [""; 0]);
    assert_eq!(refinements(&response.planned_state, "url"), own());
}

#[test]
fn refinement_that_cannot_hold_is_an_error_of_the_plan() {
    for (region, path) in [("wrong type", "url"), ("no attribute", "ulr"), ("no value", "hosts")] {
        let response = planned(&config("a", region.into(), Value::Null));
        assert_eq!(shown(&response.diagnostics), [format!("{path}: Invalid Refinement")]);
    }
}

#[test]
fn result_that_breaks_a_refinement_is_an_error_at_its_path() {
    let applied = |name: &str| {
        let config = config(name, "eu".into(), Value::Null);
        let plan = planned(&config);
        let request = message!(ApplyResourceChangeRequest {
            type_name: TYPE.to_owned(),
            planned_state: plan.planned_state,
            planned_private: plan.planned_private,
            config: config,
        });
        response!(ApplyResourceChange, ask(&server(), request))
    };
    assert_eq!(shown(&applied("good").diagnostics), [""; 0]);
    let bad = applied("bad");
    let paths: Vec<_> = bad.diagnostics.iter().filter_map(|it| it.path.clone()).collect();
    assert_eq!(paths, [path!(id), path!(port), path!(hosts), path!(owner), path!(zone), path!(url)]);
    let details: Vec<_> = bad.diagnostics.iter().map(|it| it.detail.as_str()).collect();
    for (detail, expect) in details.iter().zip([
        "does not begin with the planned prefix",
        "not within the planned bounds",
        "not within the planned limits",
        "null was returned",
        "does not begin with the planned prefix",
        "does not begin with the planned prefix",
    ]) {
        assert!(detail.contains(expect), "{detail}");
    }
    // The object exists, so it is recorded all the same.
    assert!(!matches!(bad.new_state, DynamicValue::Absent));
}

proptest! {
    /// What a plan says of a number holds for the result just where core, which knows the refinements, admits it.
    #[test]
    fn results_are_held_to_bounds(
        lower in proptest::option::of(-3_i64..3),
        upper in proptest::option::of(-3_i64..3),
        not_null: bool,
        result in proptest::option::of(-4_i64..4),
    ) {
        let mut known = Refinements { not_null, ..Refinements::new() };
        known = lower.into_iter().fold(known, Refinements::at_least);
        known = upper.into_iter().fold(known, Refinements::at_most);
        let block = ferroform::schema::Block::new([ferroform::schema::Attribute::computed("n", ferroform::ty::Type::Number)]);
        let of = |n: Value| Value::object([("n", n)]);
        let unknown = of(Unknown::refined(known).into());
        let is_kept = match result {
            None => !not_null,
            Some(n) => lower.is_none_or(|lower| lower <= n) && upper.is_none_or(|upper| n <= upper),
        };
        let result = of(result.map_or(Value::Null, Value::from));
        prop_assert_eq!(plan::result_valid(&block, &unknown, &result).is_empty(), is_kept);
        // A core crashes on bounds that exclude each other, so they are not sent.
        let sent = msgpack::encode(&unknown, &block.ty()).expect("a plan");
        let Ok(Value::Object(sent)) = msgpack::decode(&sent, &block.ty()) else { panic!("no object") };
        let Some(Value::Unknown(sent)) = sent.get("n") else { panic!("a known number") };
        let is_empty = lower.zip(upper).is_some_and(|(lower, upper)| lower > upper);
        let has_bounds = sent.refinements().is_some_and(|known| known.lower.is_some() || known.upper.is_some());
        prop_assert_eq!(has_bounds, !is_empty && (lower.is_some() || upper.is_some()));
    }
}
