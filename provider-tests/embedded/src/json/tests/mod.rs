//! Plans and states that Terraform 1.15.5 made with the demo provider, and the same made by hand.

mod plan;

use std::collections::BTreeMap;

use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, NestedObject, Nesting, Schema};
use ferroform::ty::Type;
use serde_json::{Value as Json, json};

use super::provider_schemas;
use crate::address::ProviderAddress;
use crate::client::Schemas;
use crate::state::State;

type All = BTreeMap<ProviderAddress, Schemas>;

fn recorded(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

fn block(attributes: impl Into<Vec<Attribute>>) -> Schema {
    Schema::new(Block::new(attributes.into()))
}

fn secret(attribute: Attribute) -> Attribute {
    attribute.sensitive()
}

/// The schemas of the demo provider, as far as they are needed.
fn demo() -> All {
    let file = block([
        Attribute::required("name", Type::String),
        Attribute::required("content", Type::String),
        Attribute::optional_computed("mode", Type::String),
        Attribute::computed("size", Type::Number),
        Attribute::computed("sha256", Type::String),
    ]);
    let endpoint = vec![
        Attribute::required("host", Type::String),
        Attribute::optional_computed("port", Type::Number),
        Attribute::computed("url", Type::String),
    ];
    let limits = vec![
        Attribute::required("memory", Type::Number),
        Attribute::optional_computed("connections", Type::Number),
    ];
    let service = block([
        Attribute::required("name", Type::String),
        Attribute::required("port", Type::Number),
        Attribute::optional("tags", Type::set(Type::String)),
        Attribute::optional("labels", Type::map(Type::String)),
        secret(Attribute::optional("token", Type::String)),
        Attribute::required("endpoints", NestedObject::new(Nesting::List, endpoint)),
        Attribute::optional("limits", NestedObject::new(Nesting::Single, limits)),
    ]);
    let token = block([
        Attribute::optional_computed("length", Type::Number),
        Attribute::optional("keepers", Type::map(Type::String)),
        secret(Attribute::computed("value", Type::String)),
    ]);
    let read = block([
        Attribute::required("name", Type::String),
        Attribute::computed("content", Type::String),
        Attribute::computed("size", Type::Number),
    ]);
    let name = IdentityAttribute::required("name", Type::String);
    let identity = IdentitySchema::new([name]);
    let resources = [("demo_file", file), ("demo_service", service), ("demo_token", token)];
    let schemas = Schemas {
        resources: resources.map(|(name, schema)| (name.to_owned(), schema)).into(),
        data_sources: [("demo_file".to_owned(), read)].into(),
        identities: ["demo_file", "demo_service"].map(|name| (name.to_owned(), identity.clone())).into(),
        ..Schemas::default()
    };
    [("example.com/ferroform/demo".parse().expect("an address"), schemas)].into()
}

fn builtin() -> All {
    let data = block([
        Attribute::computed("id", Type::String),
        Attribute::optional("input", Type::Dynamic),
        Attribute::computed("output", Type::Dynamic),
        Attribute::optional("triggers_replace", Type::Dynamic),
    ]);
    let identity = IdentityAttribute::required("id", Type::String).description("The id.");
    let schemas = Schemas {
        resources: [("terraform_data".to_owned(), data)].into(),
        identities: [("terraform_data".to_owned(), IdentitySchema::new([identity]).version(2))].into(),
        ..Schemas::default()
    };
    [("terraform.io/builtin/terraform".parse().expect("an address"), schemas)].into()
}

#[track_caller]
fn pretty_eq(found: &Json, expect: &Json) {
    assert!(found == expect, "{found:#}\ninstead of\n{expect:#}");
}

#[test]
fn a_recorded_state_is_shown_as_it_was() {
    let state = State::from_bytes(include_bytes!("../../../../tests/fixtures/state/1.15.5.tfstate"))
        .expect("a state");
    let recorded = recorded(include_str!("../../../../tests/fixtures/state/1.15.5.show.json"));
    pretty_eq(&state.to_json(&demo()).expect("shown"), &recorded);
    assert_eq!(State::default().to_json(&demo()).expect("shown"), json!({"format_version": "1.0"}));
}

#[test]
fn objects_without_their_schema_are_refused() {
    let text = include_str!("../../../../tests/fixtures/state/1.15.5.tfstate");
    let check = |from: &str, to: &str, expect: &str| {
        let state = State::from_bytes(text.replacen(from, to, 1).as_bytes()).expect("a state");
        let error = state.to_json(&demo()).expect_err("no schema").to_string();
        assert!(error.contains(expect), "{error}");
    };
    check(
        "ferroform/demo",
        "ferroform/none",
        "there is no schema of the provider example.com/ferroform/none",
    );
    check("\"demo_token\"", "\"demo_none\"", "there is no schema of the resource \"demo_none\"");
    check(
        "\"schema_version\": 0",
        "\"schema_version\": 1",
        "data.demo_file.read: it was written with version 1",
    );
    check("\"size\": 10", "\"size\": []", "data.demo_file.read: size: number required, not list");
}

#[test]
fn schemas_are_shown_as_core_shows_them() {
    let json = provider_schemas(&builtin());
    let provider = &json["provider_schemas"]["terraform.io/builtin/terraform"];
    let plain = |ty: Json| json!({"type": ty, "description_kind": "markdown"});
    let with = |mut json: Json, word: &str| {
        json[word] = true.into();
        json
    };
    pretty_eq(
        &provider["resource_schemas"]["terraform_data"],
        &json!({"version": 0, "block": {"description_kind": "markdown", "attributes": {
            "id": with(plain(json!("string")), "computed"),
            "input": with(plain(json!("dynamic")), "optional"),
            "output": with(plain(json!("dynamic")), "computed"),
            "triggers_replace": with(plain(json!("dynamic")), "optional"),
        }}}),
    );
    pretty_eq(
        &provider["resource_identity_schemas"]["terraform_data"],
        &json!({"version": 2, "attributes": {
            "id": {"type": "string", "description": "The id.", "required_for_import": true},
        }}),
    );
    let service = &provider_schemas(&demo())["provider_schemas"]["example.com/ferroform/demo"]["resource_schemas"]
        ["demo_service"]["block"]["attributes"];
    assert_eq!(service["endpoints"]["nested_type"]["nesting_mode"], "list");
    assert_eq!(service["token"]["sensitive"], true);
    assert_eq!(service["tags"]["type"], json!(["set", "string"]));
}
