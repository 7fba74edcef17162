//! Upgrades of identities.

use ferroform::diag::Result;
use ferroform::dynamic::{StoredValue, UpgradePaths};
use ferroform::model::Identity;
use ferroform::schema::{ForImport, IdentityAttribute, IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    DynamicValue, GetResourceIdentitySchemasRequest, UpgradeResourceIdentityRequest,
};
use ferroform_server::server::Server;
use proptest::prelude::*;

use super::record::{RecordIdentity, configured, json};
use crate::server::support::{THING, Thing, ask, details, message, response, serving, shown, summaries};

fn identity_schema() -> Schema {
    let ty = RecordIdentity::schema().expect("it has attributes");
    let mut schema = Schema::default();
    schema.block.attributes = ty
        .attributes
        .iter()
        .map(|attribute| ferroform::schema::Attribute::optional(attribute.name.clone(), attribute.ty.clone()))
        .collect();
    schema
}

fn upgrade_identity(server: &Server, type_name: &str, version: i64, raw: &str) -> (String, String, String) {
    let request = message!(UpgradeResourceIdentityRequest {
        type_name: type_name.to_owned(),
        version: version,
        raw_identity: Some(json(raw)),
    });
    let response = response!(UpgradeResourceIdentity, ask(server, request));
    let identity = response.upgraded_identity.unwrap_or(DynamicValue::Absent);
    (shown(&identity_schema(), &identity), summaries(&response.diagnostics), details(&response.diagnostics))
}

#[track_caller]
fn check_identity(version: i64, raw: &str, expect: (&str, &str)) -> String {
    let (identity, summaries, details) = upgrade_identity(&configured(), "cloud_record", version, raw);
    assert_eq!((identity.as_str(), summaries.as_str()), expect, "{details}");
    details
}

#[test]
fn every_released_identity_is_upgraded() {
    check_identity(
        0,
        r#"{"id":"a","old_bool_attribute":true}"#,
        (r#"{"id": "a", "new_string_attribute": "true"}"#, ""),
    );
    check_identity(
        0,
        r#"{"id":"a","old_bool_attribute":false}"#,
        (r#"{"id": "a", "new_string_attribute": "false"}"#, ""),
    );
    check_identity(
        0,
        r#"{"id":"a","old_bool_attribute":null}"#,
        (r#"{"id": "a", "new_string_attribute": null}"#, ""),
    );
    check_identity(1, r#"{"id":"a"}"#, (r#"{"id": "a", "new_string_attribute": null}"#, ""));
    check_identity(2, r#"{"nr":7}"#, (r#"{"id": "7", "new_string_attribute": "1"}"#, ""));
    check_identity(3, r#"{"id":"abc"}"#, (r#"{"id": "abc", "new_string_attribute": "3"}"#, ""));
    // Core does not ask for the current version; the answer is what is there.
    check_identity(5, r#"{"id":"a"}"#, (r#"{"id": "a", "new_string_attribute": null}"#, ""));
}

#[test]
fn an_identity_that_was_never_stored_stays_absent() {
    check_identity(0, "", ("null", ""));
    check_identity(0, "null", ("null", ""));
}

#[test]
fn identity_version_without_an_upgrade_is_reported() {
    for version in [4, 6] {
        let details = check_identity(version, r#"{"id":"a"}"#, ("nothing", "error: No Identity Upgrade\n"));
        assert!(
            details.contains("the versions 0, 1, 2, 3 and 5") && details.contains("`cloud_record`"),
            "{details}"
        );
    }
    assert!(check_identity(6, "{}", ("nothing", "error: No Identity Upgrade\n")).contains("newer release"));
    check_identity(0, r#"{"id":[]}"#, ("nothing", "error id: Unreadable Value\n"));
    check_identity(0, r#"{"old_bool_attribute":true}"#, ("nothing", "error id: Missing Value\n"));
    check_identity(2, "{}", ("nothing", "error: No Number\n"));
    check_identity(1, "{", ("nothing", "error: Unreadable Value\n"));
    let damaged = check_identity(5, r#"{"id":[1]}"#, ("nothing", "error id: Unreadable Identity\n"));
    assert!(damaged.contains("`cloud_record` (schema version 5)") && damaged.contains("backup"), "{damaged}");
}

fn identity_schema_of_version(version: i64) -> IdentitySchema {
    let attribute = |name: &'static str, for_import| IdentityAttribute::new(name, Type::String, for_import);
    let attributes =
        vec![attribute("id", ForImport::Required), attribute("new_string_attribute", ForImport::Optional)];
    IdentitySchema::new(attributes).version(version)
}

/// A type whose identity upgrade gives this value.
fn upgrading_to(made: fn() -> Result<Value>) -> Server {
    let mut upgrade_paths = UpgradePaths::default();
    upgrade_paths.identity = [(0, vec![5])].into();
    serving(Thing {
        identity_schema: Some(identity_schema_of_version(5)),
        upgrade_paths,
        upgrade_identity: Box::new(move |_, _: StoredValue| made()),
        ..Thing::default()
    })
}

#[test]
fn an_upgrader_must_make_a_whole_identity() {
    let check = |made: fn() -> Result<Value>, expect: &str| {
        let (identity, said, details) = upgrade_identity(&upgrading_to(made), THING, 0, r#"{"id":"a"}"#);
        assert_eq!((identity.as_str(), said.as_str()), ("nothing", expect), "{details}");
        assert!(details.contains("bug in the provider") && details.contains(THING), "{details}");
    };
    check(|| Ok(Value::Null), "error: Invalid Identity Upgrade\n");
    check(
        || Ok(Value::object([("id", Value::unknown()), ("new_string_attribute", Value::Null)])),
        "error id: Invalid Identity Upgrade\n",
    );
    check(
        || Ok(Value::object([("id", Value::Null), ("new_string_attribute", Value::from("x"))])),
        "error id: Invalid Identity Upgrade\n",
    );
    check(
        || Ok(Value::object([("id", Value::list([])), ("new_string_attribute", Value::Null)])),
        "error id: Invalid Identity Upgrade\n",
    );
    check(
        || Ok(Value::object([("id", Value::from("x"))])),
        "error new_string_attribute: Invalid Identity Upgrade\n",
    );
}

#[test]
fn a_type_without_identity_upgrades_says_so() {
    let thing = Thing { identity_schema: Some(identity_schema_of_version(5)), ..Thing::default() };
    let (identity, said, details) = upgrade_identity(&serving(thing), THING, 0, r#"{"id":"a"}"#);
    assert_eq!((identity.as_str(), said.as_str()), ("nothing", "error: No Identity Upgrade\n"), "{details}");
    assert!(details.contains("schema version 0;") && details.contains(THING), "{details}");
}

#[test]
fn a_type_without_an_identity_has_none_to_upgrade() {
    let server = serving(Thing::default());
    let (identity, said, details) = upgrade_identity(&server, THING, 4, "{}");
    assert_eq!((identity.as_str(), said.as_str()), ("nothing", "error: No Resource Identity\n"), "{details}");
    assert!(details.contains("schema version 4;") && details.contains(THING), "{details}");
    let schemas = GetResourceIdentitySchemasRequest::default();
    let schemas = response!(GetResourceIdentitySchemas, ask(&server, schemas));
    assert!(schemas.identity_schemas.is_empty() && schemas.diagnostics.is_empty());
    let schemas = GetResourceIdentitySchemasRequest::default();
    let schemas = response!(GetResourceIdentitySchemas, ask(&configured(), schemas)).identity_schemas;
    let record = schemas.iter().find(|(name, _)| name == "cloud_record");
    assert_eq!(record.map(|(_, schema)| (schema.version, schema.attributes.len())), Some((5, 2)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn upgrading_a_current_identity_changes_nothing(id in ".*", new in any::<Option<String>>()) {
        let identity = serde_json::json!({"id": id, "new_string_attribute": new}).to_string();
        let (once, said, _) = upgrade_identity(&configured(), "cloud_record", 5, &identity);
        prop_assert_eq!(said, "");
        let new = new.map_or(Value::Null, Value::string);
        prop_assert_eq!(once, format!("{:?}", Value::object([("id", Value::string(id)), ("new_string_attribute", new)])));
    }

    /// There is a whole identity, or none and an error, whatever was stored.
    #[test]
    fn upgrading_an_identity_is_total(version in -1..7_i64, id in ".*", old in any::<Option<bool>>(), cut in 1..60_usize) {
        let text = serde_json::json!({"id": id, "old_bool_attribute": old, "nr": cut}).to_string();
        for text in [text.clone(), text.chars().take(cut).collect()] {
            let (identity, said, _) = upgrade_identity(&configured(), "cloud_record", version, &text);
            prop_assert!(!said.contains("Panicked"), "{}", said);
            prop_assert_eq!(identity == "nothing", said.contains("error"), "{}: {}", identity, said);
        }
    }
}
