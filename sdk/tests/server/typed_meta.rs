//! A typed provider that declares the model of `provider_meta` blocks: the schema, and what each call finds.

use ferroform::data_source::{self, DataSource};
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{self, phase};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, PlanContext, PlanDeleteContext, ReadAfterWrite, ReadContext, Resource,
    UpdateContext,
};
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ConfigureProviderRequest, DynamicValue, GetProviderSchemaRequest,
    PlanResourceChangeRequest, ReadDataSourceRequest, ReadResourceRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{ask, encoded_by, message, response, summaries};

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: ()) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.meta::<Meta>().resource::<Label>().data_source::<Label>();
    }
}

#[derive(Model)]
struct Meta {
    module: String,
    #[attr(default = "nobody")]
    team: String,
}

#[derive(Model)]
struct Label {
    text: String,
    #[attr(computed)]
    made_for: String,
}

fn seen<P: phase::FromModule>(cx: &dynamic::Context<'_, P>) -> Result<String> {
    let Some(meta) = cx.meta::<Meta>()? else { return Ok("no module".to_owned()) };
    let Meta { module, team } = meta.into_model()?;
    Ok(format!("{module} of {team}"))
}

impl Resource for Label {
    type Client = ();
    const NAME: &'static str = "label";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn plan(
        cx: &mut PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        _: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        Err(Error::new(seen(cx)?, "Planned."))
    }

    async fn plan_delete(cx: &mut PlanDeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Err(Error::new(seen(cx)?, "Planned to be deleted."))
    }

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        LabelPlanned { made_for: seen(cx)?.into(), ..plan }.into_model()
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        LabelPrior { made_for: Some(seen(cx)?), ..prior }.into_model().map(Some)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        LabelPlanned { made_for: seen(cx)?.into(), ..plan }.into_model()
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Err(Error::new(seen(cx)?, "Deleted."))
    }
}

impl DataSource for Label {
    type Client = ();
    const NAME: &'static str = "label";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        LabelPlanned { made_for: seen(cx)?.into(), ..config }.into_model()
    }
}

const TYPE: &str = "cloud_label";

fn server() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&<() as Model>::schema(), &Value::object([] as [(&str, Value); 0]));
    response!(ConfigureProvider, ask(&server, message!(ConfigureProviderRequest { config: config })));
    server
}

fn label(made_for: Value) -> DynamicValue {
    encoded_by(&Label::schema(), &Value::object([("text", Value::from("a")), ("made_for", made_for)]))
}

fn null() -> DynamicValue {
    encoded_by(&Label::schema(), &Value::Null)
}

/// What the block of a module is on the wire.
fn meta(module: &str, team: Value) -> DynamicValue {
    encoded_by(&Meta::schema(), &Value::object([("module", Value::from(module)), ("team", team)]))
}

fn made_for(state: &DynamicValue) -> String {
    let DynamicValue::Msgpack(bytes) = state else { panic!("{state:?} is no state") };
    let state = msgpack::decode(bytes, &Label::schema().ty()).expect("the value fits");
    let Value::Object(label) = state else { panic!("no object") };
    label.get("made_for").and_then(Value::as_str).expect("a text").to_owned()
}

fn plan(prior: DynamicValue, proposed: DynamicValue, meta: &DynamicValue) -> String {
    let request = message!(PlanResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: prior,
        proposed_new_state: proposed.clone(),
        config: proposed,
        provider_meta: meta.clone(),
    });
    summaries(&response!(PlanResourceChange, ask(&server(), request)).diagnostics)
}

fn apply(prior: DynamicValue, planned: DynamicValue, meta: &DynamicValue) -> (String, DynamicValue) {
    let request = message!(ApplyResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: prior,
        planned_state: planned,
        config: label(Value::Null),
        provider_meta: meta.clone(),
    });
    let response = response!(ApplyResourceChange, ask(&server(), request));
    (summaries(&response.diagnostics), response.new_state)
}

#[test]
fn model_of_the_block_is_announced() {
    let response = response!(GetProviderSchema, ask(&server(), GetProviderSchemaRequest::default()));
    let schemas = response.schemas.expect("it has schemas");
    assert_eq!(schemas.provider_meta().expect("it is declared").block.ty(), Meta::block().ty());
}

#[test]
fn every_typed_call_has_the_provider_meta_of_the_module() {
    #[track_caller]
    fn check(meta: &DynamicValue, expect: &str) {
        let planned = || label(Value::unknown());
        let stored = || label("b".into());
        let error = format!("error: {expect}\n");
        assert_eq!(plan(null(), label(Value::Null), meta), error);
        assert_eq!(plan(stored(), null(), meta), error);
        for prior in [null(), stored()] {
            let (said, state) = apply(prior, planned(), meta);
            assert_eq!((said.as_str(), made_for(&state).as_str()), ("", expect));
        }
        assert_eq!(apply(stored(), null(), meta).0, error);
        let read = message!(ReadResourceRequest {
            type_name: TYPE.to_owned(),
            current_state: stored(),
            provider_meta: meta.clone(),
        });
        assert_eq!(made_for(&response!(ReadResource, ask(&server(), read)).new_state), expect);
        let read = message!(ReadDataSourceRequest {
            type_name: TYPE.to_owned(),
            config: label(Value::Null),
            provider_meta: meta.clone(),
        });
        assert_eq!(made_for(&response!(ReadDataSource, ask(&server(), read)).state), expect);
    }
    check(&meta("network", "core".into()), "network of core");
    check(&meta("network", Value::Null), "network of nobody");
    check(&DynamicValue::Absent, "no module");
}
