//! `provider_meta`: what a module says to the provider reaches every call that core sends it with.

use std::sync::{Arc, Mutex};

use ferroform::dynamic::{CallState, Context, phase};
use ferroform::model::{Draft, Model};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, DynamicValue, GetProviderSchemaRequest, PlanResourceChangeRequest,
    ReadDataSourceRequest, ReadResourceRequest, Request, Response,
};
use ferroform_server::server::Server;

use crate::server::support::{
    Double, Source, THING, Thing, ask, config, encoded, encoded_by, message, object, planned, response,
    server, summaries,
};

/// Modules say who they are.
#[derive(Model)]
struct Meta {
    module_name: String,
}

/// The same, for those who do not say it.
#[derive(Model)]
struct Quiet {
    #[attr(default = "nobody")]
    module_name: String,
}

#[derive(Model)]
struct Other {
    #[attr(name = "module_name")]
    number: i64,
}

/// What calls find: through which method, and what.
type Seen = Arc<Mutex<Vec<String>>>;

/// A server whose methods note what they find.
fn noting(meta_schema: Option<Schema>, seen: &Seen) -> Server {
    let note = |method: &'static str| {
        let seen = Arc::clone(seen);
        move |meta: ferroform::diag::Result<Option<Draft<Meta>>>| {
            let name = match meta {
                Ok(meta) => format!("{:?}", meta.map(|meta| meta.module_name)),
                Err(error) => error.to_string(),
            };
            seen.lock().unwrap().push(format!("{method}: {name}"));
        }
    };
    let (create, plan, read, source) = (note("create"), note("plan"), note("read"), note("data read"));
    let thing = Thing {
        create: Box::new(move |cx, _| {
            create(cx.meta::<Meta>());
            Ok(object("1", "a"))
        }),
        plan: Box::new(move |cx, _| {
            plan(cx.meta::<Meta>());
            Ok(())
        }),
        read: Box::new(move |cx, prior| {
            read(cx.meta::<Meta>());
            Ok(Some(prior))
        }),
        ..Thing::default()
    };
    let source = Source {
        read: Box::new(move |cx, _| {
            source(cx.meta::<Meta>());
            Ok(Value::object([("id", Value::string("1")), ("name", Value::string("a"))]))
        }),
        ..Source::default()
    };
    server(Double {
        meta_schema,
        resources: [(THING, Arc::new(thing))].into(),
        data_sources: [(THING, Arc::new(source))].into(),
        ..Double::default()
    })
}

/// The four calls that core sends the block with.
fn requests(provider_meta: &DynamicValue) -> [Request; 4] {
    let (type_name, null) = (THING.to_owned(), encoded(&Value::Null));
    let name = Value::object([("id", Value::Null), ("name", Value::string("a"))]);
    [
        message!(PlanResourceChangeRequest {
            type_name: type_name.clone(),
            prior_state: null.clone(),
            proposed_new_state: encoded(&config("a")),
            config: encoded(&config("a")),
            provider_meta: provider_meta.clone(),
        })
        .into(),
        message!(ApplyResourceChangeRequest {
            type_name: type_name.clone(),
            prior_state: null,
            planned_state: encoded(&planned("a")),
            config: encoded(&config("a")),
            provider_meta: provider_meta.clone(),
        })
        .into(),
        message!(ReadResourceRequest {
            type_name: type_name.clone(),
            current_state: encoded(&object("1", "a")),
            provider_meta: provider_meta.clone(),
        })
        .into(),
        message!(ReadDataSourceRequest {
            type_name: type_name,
            config: encoded_by(&Source::default().schema, &name),
            provider_meta: provider_meta.clone(),
        })
        .into(),
    ]
}

fn said(response: Response) -> String {
    let diagnostics = match response {
        Response::PlanResourceChange(response) => response.diagnostics,
        Response::ApplyResourceChange(response) => response.diagnostics,
        Response::ReadResource(response) => response.diagnostics,
        Response::ReadDataSource(response) => response.diagnostics,
        other => panic!("{other:?}"),
    };
    summaries(&diagnostics)
}

/// Checks that every call finds this and says that.
fn check(meta_schema: Option<Schema>, sent: &DynamicValue, expect: (&str, &str)) {
    let seen = Seen::default();
    let server = noting(meta_schema, &seen);
    for request in requests(sent) {
        assert_eq!(said(ask(&server, request)), expect.1);
    }
    let expect: Vec<_> = match expect.0 {
        "" => Vec::new(),
        found => ["plan", "create", "read", "data read"].map(|method| format!("{method}: {found}")).into(),
    };
    assert_eq!(*seen.lock().unwrap(), expect);
}

fn named(name: Value) -> DynamicValue {
    encoded_by(&Meta::schema(), &Value::object([("module_name", name)]))
}

#[test]
fn every_call_has_the_provider_meta_of_the_module() {
    let schema = || Some(Meta::schema());
    check(schema(), &named(Value::string("network")), (r#"Some(Known("network"))"#, ""));
    check(schema(), &named(Value::unknown()), ("Some(Unknown)", ""));
    check(schema(), &encoded(&Value::Null), ("None", ""));
    check(schema(), &DynamicValue::Absent, ("None", ""));
    check(None, &named(Value::string("network")), ("None", ""));
    let bytes = DynamicValue::Msgpack(b"\x81\xabmodule_name\xc2".as_slice().into());
    check(schema(), &bytes, ("", "error module_name: Unreadable Value\n"));
}

#[test]
fn omitted_provider_meta_attribute_has_its_default() {
    let schema = || Some(Quiet::schema());
    check(schema(), &named(Value::Null), (r#"Some(Known("nobody"))"#, ""));
    check(schema(), &named(Value::string("network")), (r#"Some(Known("network"))"#, ""));
    check(schema(), &encoded(&Value::Null), ("None", ""));
}

#[test]
fn a_mistaken_schema_is_reported_with_the_others_and_by_each_call() {
    let mistaken = Schema::new(Block::new([Attribute::required("Name", Type::String)]));
    check(Some(mistaken.clone()), &DynamicValue::Absent, ("", "error: Invalid Provider Schema\n"));
    let server = noting(Some(mistaken), &Seen::default());
    let response = response!(GetProviderSchema, ask(&server, GetProviderSchemaRequest::default()));
    let source = response.schemas.expect("it has schemas");
    assert!(source.provider_meta().is_none());
    assert_eq!(summaries(&source.mistakes()), "error: Invalid Provider Schema\n");
}

#[test]
fn another_model_than_the_declared_one_is_a_bug_of_the_provider() {
    let mut call = CallState::new();
    call.provider_meta = Some(Value::object([("module_name", Value::string("network"))]));
    let error = Context::<phase::Read>::new(&mut call).meta::<Other>().expect_err("a text is no number");
    let diagnostic = error.iter().next().expect("an error");
    assert_eq!((diagnostic.summary.as_str(), &diagnostic.path), ("Unreadable Provider Metadata", &None));
    assert!(diagnostic.detail.contains("module_name") && !diagnostic.detail.contains("network"), "{error}");
}
