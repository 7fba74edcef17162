//! No value of a configuration, a plan, a state or private data may appear in what is said to the user.

use std::sync::Arc;

use bytes::Bytes;
use ferroform::diag::{Diagnostics, Result};
use ferroform::dynamic::{CallState, Context, Import, Imported, phase};
use ferroform::model::{Identity as _, Model};
use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Presence, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ConfigureProviderRequest, DynamicValue, HandlerService,
    ImportResourceStateRequest, PlanResourceChangeRequest, RawState, ReadDataSourceRequest,
    ReadResourceRequest, Request, Response, UpgradeResourceStateRequest, ValidateDataResourceConfigRequest,
    ValidateProviderConfigRequest, ValidateResourceConfigRequest, layered,
};
use ferroform_server::server::{Server, Trace};
use tracing::level_filters::LevelFilter;

use crate::server::log::listening;
use crate::server::support::{Double, Source, THING, Thing, ask, encoded_by, message, server, summaries};

/// Stands wherever a value can stand.
pub(crate) const CANARY: &str = "cAnArY";
/// The same as a number.
pub(crate) const DIGITS: i64 = 471_147_114_711;

/// An attribute for each rule that can be broken with a value.
fn schema(write_only: bool) -> Schema {
    let inner = |name, presence| Attribute::new(name, Type::String, presence);
    let nested = |name: &'static str, nesting| {
        let inner = vec![inner("need", Presence::Required), inner("given", Presence::Computed)];
        Attribute::optional(name, NestedObject::new(nesting, inner))
    };
    let mut attributes = vec![
        Attribute::computed("id", Type::String),
        Attribute::required("name", Type::String),
        Attribute::optional("list", Type::list(Type::String)),
        Attribute::optional("set", Type::set(Type::String)),
        Attribute::optional("map", Type::map(Type::String)),
        Attribute::optional("any", Type::Dynamic),
        Attribute::optional("old", Type::String).deprecation("Gone soon."),
        nested("nested_list", Nesting::List),
        nested("nested_set", Nesting::Set),
    ];
    if write_only {
        attributes.push(Attribute::optional("secret", Type::String).write_only());
    }
    Schema::new(Block::new(attributes))
}

/// A value with the canary in every attribute, which breaks every rule for a configuration.
fn full(write_only: bool) -> Value {
    let canary = || Value::string(CANARY);
    let nested = || Value::object([("need", Value::Null), ("given", canary())]);
    let mut attributes = vec![
        ("id", canary()),
        ("name", canary()),
        ("list", Value::list([canary()])),
        ("set", Value::set([canary()])),
        ("map", Value::map([("key", canary())])),
        ("any", Value::dynamic(Type::String, canary())),
        ("old", canary()),
        ("nested_list", Value::list([nested()])),
        ("nested_set", Value::set([nested()])),
    ];
    if write_only {
        attributes.push(("secret", canary()));
    }
    Value::object(attributes)
}

/// The same with other texts of the same length.
fn other(value: &Value, write_only: bool) -> Value {
    let text = json::encode(value, &schema(write_only).ty()).expect("the value has a JSON form");
    let text = String::from_utf8(text).expect("JSON is text").replace(CANARY, "cAnArY-too");
    json::decode(text.as_bytes(), &schema(write_only).ty(), json::UnknownAttributes::Refuse)
        .expect("the value is of the same type")
}

/// The value in a form of the wire that does not fit: a list of texts where an object is due, a text where a number
/// or a list is, and JSON that ends in a value.
fn damaged() -> Vec<DynamicValue> {
    let texts = [
        format!(r#"{{"id":["{CANARY}"]}}"#),
        format!(r#"{{"list":"{CANARY}"}}"#),
        format!(r#"["{CANARY}"]"#),
        format!(r#""{CANARY}"#),
        format!(r#"{{"id":{CANARY}}}"#),
    ];
    let mut all: Vec<_> = texts.into_iter().map(|text| DynamicValue::Json(Bytes::from(text))).collect();
    let mut packed = vec![0x91, 0xa6];
    packed.extend_from_slice(CANARY.as_bytes());
    all.push(DynamicValue::Msgpack(Bytes::from(packed.clone())));
    let mut object = vec![0x81, 0xa4];
    object.extend_from_slice(b"list");
    object.extend_from_slice(&packed[1..]);
    all.push(DynamicValue::Msgpack(Bytes::from(object)));
    let mut short = vec![0xaf];
    short.extend_from_slice(CANARY.as_bytes());
    all.push(DynamicValue::Msgpack(Bytes::from(short)));
    all
}

fn diagnostics(response: Response) -> Diagnostics {
    match response {
        Response::ValidateProviderConfig(response) => response.diagnostics,
        Response::ConfigureProvider(response) => response.diagnostics,
        Response::ValidateResourceConfig(response) => response.diagnostics,
        Response::UpgradeResourceState(response) => response.diagnostics,
        Response::ReadResource(response) => response.diagnostics,
        Response::PlanResourceChange(response) => response.diagnostics,
        Response::ApplyResourceChange(response) => response.diagnostics,
        Response::ImportResourceState(response) => response.diagnostics,
        Response::ValidateDataResourceConfig(response) => response.diagnostics,
        Response::ReadDataSource(response) => response.diagnostics,
        other => panic!("{other:?} is not among the calls that see values"),
    }
}

/// Asks; something must be said and the canary must be neither in it nor in the log. The summaries are given back.
pub(crate) fn check(server: &Server, request: impl Into<Request>) -> String {
    let service = layered(HandlerService::new(Arc::new(server.clone())), &Trace::new("registry/double"));
    let (response, log) = listening(LevelFilter::TRACE, || ask(&service, request));
    assert!(log.contains("tf_rpc"), "nothing is logged: {log}");
    let hidden = |text: &str| [CANARY, &DIGITS.to_string()].into_iter().all(|value| !text.contains(value));
    assert!(hidden(&log), "a value is logged: {log}");
    let said = diagnostics(response);
    assert!(said.has_errors(), "no error is said");
    for diagnostic in &said {
        let text = diagnostic.to_string();
        assert!(hidden(&text), "a value is shown: {text}");
    }
    summaries(&said)
}

/// Every call that carries a value, with that value.
fn calls(value: &DynamicValue, of_source: &DynamicValue) -> Vec<Request> {
    let type_name = || THING.to_owned();
    let mut calls: Vec<Request> = vec![
        message!(ValidateProviderConfigRequest { config: of_source.clone() }).into(),
        message!(ConfigureProviderRequest { config: of_source.clone() }).into(),
        message!(ValidateResourceConfigRequest { type_name: type_name(), config: value.clone() }).into(),
        message!(ReadResourceRequest { type_name: type_name(), current_state: value.clone() }).into(),
        message!(PlanResourceChangeRequest {
            type_name: type_name(),
            proposed_new_state: value.clone(),
            config: value.clone(),
        })
        .into(),
        message!(ApplyResourceChangeRequest {
            type_name: type_name(),
            planned_state: value.clone(),
            config: value.clone(),
        })
        .into(),
        message!(ApplyResourceChangeRequest {
            type_name: type_name(),
            prior_state: value.clone(),
            planned_state: value.clone(),
            config: value.clone(),
        })
        .into(),
        message!(ValidateDataResourceConfigRequest { type_name: type_name(), config: of_source.clone() })
            .into(),
        message!(ReadDataSourceRequest { type_name: type_name(), config: of_source.clone() }).into(),
        message!(ImportResourceStateRequest { type_name: type_name(), id: "i-1".to_owned() }).into(),
    ];
    if let DynamicValue::Json(json) = value {
        let raw_state = Some(RawState::Json(json.clone()));
        calls.push(
            message!(UpgradeResourceStateRequest { type_name: type_name(), raw_state: raw_state }).into(),
        );
    }
    calls
}

/// A provider that answers each call with what `make` makes.
fn provider(make: impl Fn(bool) -> Value + Clone + Send + Sync + 'static) -> Double {
    let (create, read, update, import, source, plan) =
        (make.clone(), make.clone(), make.clone(), make.clone(), make.clone(), make);
    let thing = Thing {
        schema: schema(true),
        create: Box::new(move |_, _| Ok(create(true))),
        read: Box::new(move |_, _| Ok(Some(read(true)))),
        update: Box::new(move |_, _| Ok(update(true))),
        import: Box::new(move |_, _| Ok(vec![Imported::new(import(true))])),
        plan: Box::new(move |_, change| {
            change.planned = plan(true);
            Ok(())
        }),
        ..Thing::default()
    };
    let source =
        Source { schema: schema(false), read: Box::new(move |_, _| Ok(source(false))), ..Source::default() };
    Double {
        schema: schema(false),
        configure: Box::new(|_, _| Err(ferroform::diag::Error::new("Refused", ""))),
        resources: [(THING, Arc::new(thing))].into(),
        data_sources: [(THING, Arc::new(source))].into(),
        ..Double::default()
    }
}

#[test]
fn values_that_cannot_be_decoded_are_not_shown() {
    let server = server(provider(|_| Value::Null));
    for value in damaged() {
        for call in calls(&value, &value) {
            check(&server, call);
        }
    }
}

#[test]
fn values_that_break_a_rule_are_not_shown() {
    let with_unknown = |write_only| {
        let mut value = other(&full(write_only), write_only);
        let Value::Object(entries) = &mut value else { panic!("it is an object") };
        *entries.get_mut("name").expect("there is a name") = Value::unknown();
        value
    };
    // A text where a list is due, and most attributes missing.
    let misfit = |_| Value::object([("id", Value::string(CANARY)), ("list", Value::string(CANARY))]);
    let of_resource = encoded_by(&schema(true), &full(true));
    let of_source = encoded_by(&schema(false), &full(false));
    for server in [server(provider(with_unknown)), server(provider(misfit))] {
        for call in calls(&of_resource, &of_source) {
            check(&server, call);
        }
    }
}

/// An import id may be a secret, or hold one.
#[test]
fn no_import_shows_its_id() {
    #[derive(Model)]
    #[identity(format = "{region}/{number}")]
    struct Numbered {
        #[attr(replace, identity)]
        region: String,
        #[attr(replace, identity)]
        number: i64,
    }
    type Found = fn(String) -> Result<Vec<Imported>>;
    let with_id = |id: String, name: Value| {
        let Value::Object(mut entries) = schema(true).block.empty() else { panic!("it is an object") };
        entries.insert("id", Value::from(id));
        entries.insert("name", name);
        Value::Object(entries)
    };
    let ways: [(Found, &str); 6] = [
        (|_| Ok(Vec::new()), "error: Object Not Found\n"),
        (|_| Ok(vec![Imported::new(Value::Null)]), "error: Object Not Found\n"),
        (|id| Ok(vec![Imported::new(Value::from(id))]), "error: Invalid Provider Value\n"),
        (|id| Err(id.parse::<i64>().expect_err("it is no number").into()), "error: Operation Failed\n"),
        (|id| NumberedIdentity::from_id(&id).map(|_| Vec::new()), "error: Malformed Import Id\n"),
        (
            |id| NumberedIdentity::from_id(&format!("{id}/{id}")).map(|_| Vec::new()),
            "error: Malformed Import Id\n",
        ),
    ];
    let failing = |find: Box<dyn Fn(String) -> Result<Vec<Imported>> + Send + Sync>| {
        let import = Box::new(move |_: &mut Context<'_, phase::Import>, from: Import| find(from.into_id()?));
        let thing = Thing { schema: schema(true), import, ..Thing::default() };
        let server = server(Double { resources: [(THING, Arc::new(thing))].into(), ..Double::default() });
        check(
            &server,
            message!(ImportResourceStateRequest { type_name: THING.to_owned(), id: CANARY.to_owned() }),
        )
    };
    for (find, said) in ways {
        assert_eq!(failing(Box::new(find)), said);
    }
    let unknown = failing(Box::new(move |id| Ok(vec![Imported::new(with_id(id, Value::unknown()))])));
    assert_eq!(unknown, "error name: Provider Returned An Unknown Value\n");
}

#[test]
fn private_data_is_not_shown() {
    let server = server(provider(full));
    let type_name = || THING.to_owned();
    for private in [format!(r#"{{"ferroform":{CANARY}}}"#), CANARY.to_owned(), format!(r#""{CANARY}"#)] {
        let private = Bytes::from(private);
        let state = encoded_by(&schema(true), &full(true));
        let read = message!(ReadResourceRequest {
            type_name: type_name(),
            current_state: state.clone(),
            private: private.clone(),
        });
        assert!(check(&server, read).contains("Corrupt Private State"));
        let apply = message!(ApplyResourceChangeRequest {
            type_name: type_name(),
            prior_state: state.clone(),
            planned_state: state.clone(),
            config: state.clone(),
            planned_private: private,
        });
        assert!(check(&server, apply).contains("Corrupt Private State"));
    }
}

#[test]
fn debug_output_of_messages_holds_no_value() {
    let value = encoded_by(&schema(true), &full(true));
    for call in calls(&value, &value) {
        let shown = format!("{call:?}");
        assert!(!shown.contains(CANARY), "{shown}");
    }
    let private = message!(ReadResourceRequest { private: Bytes::from(CANARY) });
    assert!(!format!("{private:?}").contains(CANARY));
    let raw = RawState::Flatmap([("id".to_owned(), CANARY.to_owned())].into());
    assert!(!format!("{raw:?}").contains(CANARY));
    let mut call = CallState::new();
    let mut cx = Context::<phase::Create>::new(&mut call);
    cx.checkpoint(full(true));
    assert!(!format!("{cx:?}").contains(CANARY));
    assert!(!format!("{call:?}").contains(CANARY));
}
