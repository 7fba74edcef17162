//! State files: read, written, and refused.

use ferroform::path;
use ferroform::schema::{
    Attribute, Block, BlockNesting, IdentityAttribute, IdentitySchema, NestedBlock, Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::address::{InstanceAddress, InstanceKey, ProviderConfigAddress};
use ferroform_testing::real::Product;
use ferroform_testing::state::{
    Attributes, InstanceState, Object, OutputValue, ResourceState, State, Status, sensitive_paths,
};
use proptest::prelude::*;

/// Written by Terraform 1.15.5: with `count`, `for_each`, sensitive values, a tainted and a deposed object.
const NEW: &str = include_str!("fixtures/state/1.15.5.tfstate");
/// The same case by 1.11.4, which knows no identities.
const OLD: &str = include_str!("fixtures/state/1.11.4.tfstate");
/// Written by hand: all that core never writes at once.
const RARE: &str = include_str!("fixtures/state/handwritten_rare.tfstate");
/// Recorded from OpenTofu 1.12.6, with what only OpenTofu writes: instances of a provider, objects that are forgotten
/// instead of destroyed, and deprecated outputs.
const OPENTOFU: &str = include_str!("fixtures/state/opentofu-1.12.6.tfstate");

fn read(text: &str) -> State {
    State::from_bytes(text.as_bytes()).expect("a state")
}

fn write(state: &State) -> String {
    String::from_utf8(state.to_bytes().expect("writable")).expect("text")
}

fn address(text: &str) -> InstanceAddress {
    text.parse().expect("an address")
}

#[test]
fn recorded_files_are_written_as_they_were() {
    for text in [NEW, OLD, OPENTOFU] {
        assert_eq!(write(&read(text)), text);
    }
}

#[test]
fn rare_members_are_written_as_they_were() {
    assert_eq!(write(&read(RARE)), RARE);
}

#[test]
fn all_parts_of_a_recorded_file_are_read() {
    let state = read(NEW);
    assert_eq!(state.terraform_version, "1.15.5");
    assert!(state.serial > 0 && NEW.contains(&format!("\"serial\": {},", state.serial)));
    assert_eq!(state.lineage.len(), 36);
    assert_eq!(
        state.outputs["set"],
        OutputValue {
            ty: Type::set(Type::String),
            value: Value::set(["a", "b"].map(Value::from)),
            sensitive: false,
            deprecated: None,
        }
    );
    assert!(state.outputs["secret"].sensitive);
    assert_eq!(state.outputs["text"].value, Value::from("<x>"));

    let keyed = state.object(&address(r#"demo_file.keyed["q\"$${x}"]"#)).expect("an object");
    assert_eq!(*keyed.dependencies, [address("demo_file.counted").resource]);
    let service = state.object(&address("demo_service.s")).expect("an object");
    assert_eq!(service.sensitive_attributes, [path!(endpoints[1].host), path!(labels["x"]), path!(token)]);
    let token = state.object(&address("demo_token.tainted")).expect("an object");
    assert_eq!(token.status, Status::Tainted);
    let replaced = &state.resources[&address("demo_file.replaced").resource].instances[&InstanceKey::None];
    assert!(replaced.current.as_ref().is_some_and(|object| object.create_before_destroy));
    assert_eq!(replaced.deposed.keys().map(String::len).collect::<Vec<_>>(), [8]);
    assert_eq!(
        state.resources[&address("demo_file.keyed").resource].provider.alias.as_deref(),
        Some("other")
    );
}

#[test]
fn what_core_writes_seldom_is_read_too() {
    let state = read(RARE);
    let flat = state.object(&address("module.net[\"a\"].acme_old.this")).expect("an object");
    let Attributes::Flat(attributes) = &flat.attributes else { panic!("no flat attributes") };
    assert_eq!(attributes["tags.%"], "1");
    let thing = state.object(&address("acme_thing.this")).expect("an object");
    assert_eq!(&*thing.private, br#"{"v":1}"#);
    assert_eq!(thing.identity_schema_version, 3);
    assert_eq!(thing.identity.as_deref(), Some(br#"{"id":"x"}"#.as_slice()));
    assert!(state.check_results.is_some());
    assert_eq!(
        state.outputs["huge"].value.as_number().map(ToString::to_string).as_deref(),
        Some("123456789012345678901234567890.125")
    );
}

#[test]
fn members_of_open_tofu_are_read() {
    let state = read(OPENTOFU);
    assert_eq!((state.product, state.terraform_version.as_str()), (Product::OpenTofu, "1.12.6"));
    assert_eq!(state.outputs["old"].deprecated.as_deref(), Some("Use `new`."));
    let kept = state.object(&address("demo_file.kept")).expect("an object");
    assert!(kept.skip_destroy);
    assert_eq!(kept.provider_key, InstanceKey::Key("eu".to_owned()));
    for region in ["eu", "us"] {
        let object = state.object(&address(&format!("demo_file.each[\"{region}\"]"))).expect("an object");
        assert_eq!(object.provider_key, InstanceKey::Key(region.to_owned()));
    }
    let provider = &state.resources[&address("demo_file.each").resource].provider;
    assert_eq!(provider.to_string(), "provider[\"example.com/ferroform/demo\"].by_region");
}

#[test]
fn state_of_each_product_keeps_its_layout() {
    for (text, product, version) in
        [(NEW, Product::Terraform, "1.15.5"), (OPENTOFU, Product::OpenTofu, "1.12.6")]
    {
        let state = read(text);
        assert_eq!((state.product, state.terraform_version.as_str()), (product, version));
    }
    let mut state = read(NEW);
    state.product = Product::OpenTofu;
    assert_eq!(read(&write(&state)), state);
    assert_eq!(write(&state).matches("identity_schema_version").count(), NEW.matches("\"identity\"").count());
}

#[test]
fn an_encrypted_state_is_refused_as_one() {
    let text = r#"{"serial":2,"lineage":"x","meta":{"key_provider.pbkdf2.k":"e30="},
        "encrypted_data":"czNjcmV0","encryption_version":"v0"}"#;
    let error = State::from_bytes(text.as_bytes()).expect_err("it cannot be read");
    assert_eq!(error.part(), "encrypted_data");
    assert!(
        error.problem().contains("is encrypted") && error.problem().contains("tofu state pull"),
        "{error}"
    );
    assert!(!error.to_string().contains("czNjcmV0"), "{error}");
}

/// The text with the first place of `from` replaced is refused for `part`, and the reason shows no value.
#[track_caller]
fn refused((from, to): (&str, &str), part: &str, problem: &str) {
    assert!(RARE.contains(from), "{from}");
    let error = State::from_bytes(RARE.replacen(from, to, 1).as_bytes()).expect_err("a broken state");
    assert_eq!(error.part(), part);
    assert!(error.problem().contains(problem), "{error}");
    assert!(!error.to_string().contains("s3cret"), "{error}");
}

#[test]
fn other_files_are_refused_with_the_part_and_the_reason() {
    for (change, part, problem) in [
        (("\"version\": 4", "\"version\": 3"), "version", "format 3 is older than format 4"),
        (("\"version\": 4", "\"version\": 5"), "version", "format 5 is newer than format 4"),
        (("\"version\": 4", "\"version\": \"4\""), "version", "a whole number"),
        (("\"version\": 4,", ""), "version", "it is missing"),
        (("\"version\"", "\"future\": \"s3cret\", \"version\""), "future", "not known"),
        (("\"1.15.5\"", "\"s3cret\""), "terraform_version", "a version such as"),
        (("\"serial\": 7", "\"serial\": -7"), "serial", "not negative"),
        (("\"serial\": 7", "\"serial\": 7.5"), "serial", "a whole number"),
        (("\"lineage\": \"1", "\"lineage\": [\"s3cret\"], \"x\": \"1"), "lineage", "a string is required"),
        (("\"type\": \"number\"", "\"type\": \"s3cret\""), "outputs.huge.type", "type"),
        (("\"type\": \"number\"", "\"type\": \"bool\""), "outputs.huge.value", "bool"),
        (("\"mode\": \"managed\"", "\"mode\": \"s3cret\""), "resources[0].mode", "\"managed\" or \"data\""),
        (("\"acme_thing\"", "1"), "resources[0].type", "a string"),
        (("\"provider[", "\"provider.["), "resources[0].provider", "is not the address of a provider"),
        (
            ("\"module\": \"module", "\"module\": \"modul"),
            "resources[1].module",
            "is not the address of a module",
        ),
        (
            ("\"schema_version\": 2", "\"schema_version\": \"s3cret\""),
            "resources[0].instances[0].schema_version",
            "a whole number",
        ),
        (
            ("\"schema_version\": 2", "\"schema_version\": 9223372036854775808"),
            "resources[0].instances[0].schema_version",
            "too large",
        ),
        (
            ("\"attributes\": {", "\"attributes\": \"s3cret\", \"each\": {"),
            "resources[0].instances[0].attributes",
            "an object is required",
        ),
        (
            ("\"attributes\": {", "\"attributes_flat\": {}, \"attributes\": {"),
            "resources[0].instances[0].attributes_flat",
            "only one of them",
        ),
        (
            ("\"index\"", "\"s3cret\""),
            "resources[0].instances[0].sensitive_attributes[0][1].type",
            "\"get_attr\" or \"index\"",
        ),
        (("\"eyJ2IjoxfQ==\"", "\"s3cret!\""), "resources[0].instances[0].private", "base64"),
        (
            ("\"acme_dep.d\"", "\"acme_dep\""),
            "resources[0].instances[0].dependencies[0]",
            "is not the address",
        ),
        (("\"tainted\"", "\"s3cret\""), "resources[0].instances[1].status", "\"tainted\""),
        (("\"0a1b2c3d\"", "\"0a1b2c3\""), "resources[0].instances[1].deposed", "eight hexadecimal"),
        (("\"status\"", "\"future\": 1, \"status\""), "resources[0].instances[1].future", "not known"),
        (("\"deposed\": \"0a1b2c3d\",", ""), "resources[0].instances[1]", "has another current object"),
        (("\"check_results\"", "\"check_results\": null, ]"), "", "not valid JSON (line"),
    ] {
        refused(change, part, problem);
    }
    for (text, problem) in
        [("", "ends early (line 1"), ("[]", "an object is required"), ("\0", "not valid JSON")]
    {
        let error = State::from_bytes(text.as_bytes()).expect_err("no state");
        assert!(error.problem().contains(problem) && error.part().is_empty(), "{error}");
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let text = RARE.trim_end();
    for end in 0..text.len() {
        assert!(State::from_bytes(&text.as_bytes()[..end]).is_err(), "{end}");
    }
}

fn schema() -> Schema {
    let inner = Block::new([
        Attribute::optional("key", Type::String).sensitive(),
        Attribute::optional("size", Type::Number),
    ]);
    let block = |name: &'static str, nesting| NestedBlock::new(name, nesting, inner.clone());
    Schema::new(
        Block::new([
            Attribute::computed("id", Type::String),
            Attribute::optional("any", Type::Dynamic),
            Attribute::optional("token", Type::String).sensitive(),
        ])
        .blocks([block("list", BlockNesting::List), block("set", BlockNesting::Set)]),
    )
    .version(2)
}

fn value() -> Value {
    let inner = |key: &str| Value::object([("key", Value::from(key)), ("size", Value::from(1))]);
    Value::object([
        ("id", Value::from("<x>")),
        ("any", Value::dynamic(Type::Number, Value::from(2))),
        ("token", Value::Null),
        ("list", Value::list([inner("a"), inner("b")])),
        ("set", Value::set([inner("c")])),
    ])
}

fn identity_schema() -> IdentitySchema {
    let id = IdentityAttribute::required("id", Type::String);
    IdentitySchema::new([id]).version(1)
}

#[test]
fn objects_are_made_of_values_and_read_as_values() {
    let identity = Value::object([("id", Value::from("x"))]);
    let object = Object::of(&schema(), &value()).expect("encoded");
    assert_eq!(object.identity_value(&identity_schema()), Ok(None));
    let object = object.with_identity(&identity_schema(), &identity).expect("encoded");
    assert_eq!(object.value(&schema()), Ok(value()));
    assert_eq!(object.identity_value(&identity_schema()), Ok(Some(identity)));
    assert_eq!((object.schema_version, object.identity_schema_version), (2, 1));
    let paths = [path!(list[0].key), path!(list[1].key), path!(set), path!(token)];
    assert_eq!(sensitive_paths(&schema().block, &value()), paths);
    assert_eq!(object.sensitive_attributes, paths);

    let instance = InstanceState { current: Some(object), ..InstanceState::default() };
    let provider: ProviderConfigAddress =
        r#"provider["example.com/acme/thing"]"#.parse().expect("an address");
    let mut state = State::default();
    let resource = ResourceState { provider, instances: [(InstanceKey::Index(0), instance)].into() };
    state.resources.insert(address("acme_thing.this").resource, resource);
    assert_eq!(State::from_bytes(&state.to_bytes().expect("written")), Ok(state));
}

#[test]
fn values_of_other_types_are_refused() {
    let unknown = Value::object([("id", Value::unknown())]);
    let error = Object::of(&schema(), &unknown).expect_err("unknown");
    assert!(error.to_string().contains("any"), "{error}");
    let mut object = Object::of(&schema(), &value()).expect("encoded");
    object.attributes = Attributes::Json(br#"{"list":"s3cret"}"#.as_slice().into());
    let error = object.value(&schema()).expect_err("no list");
    assert!(error.to_string().starts_with("list: list of object required"), "{error}");
    object.attributes = Attributes::Flat([("id".to_owned(), "x".to_owned())].into());
    assert!(object.value(&schema()).expect_err("flat").to_string().contains("flat form"));
    let mut state = State::default();
    state.outputs.insert(
        "o".to_owned(),
        OutputValue { ty: Type::String, value: Value::unknown(), sensitive: false, deprecated: None },
    );
    assert_eq!(state.to_bytes().expect_err("unknown").part(), "outputs.o");
}

#[test]
fn members_of_no_attribute_are_left_out_in_the_same_version_only() {
    let stored = br#"{"any":{"type":["object",{"old":"bool"}],"value":{"old":true}},"gone":1,"id":1,"list":[{"gone":[],"key":"\u003c"}]}"#;
    let mut object = Object::of(&schema(), &value()).expect("encoded");
    object.attributes = Attributes::Json(stored.as_slice().into());
    let Attributes::Json(known) = object.stored_attributes(&schema()) else { panic!("JSON") };
    assert_eq!(
        std::str::from_utf8(&known),
        Ok(
            r#"{"any":{"type":["object",{"old":"bool"}],"value":{"old":true}},"id":1,"list":[{"key":"\u003c"}]}"#
        )
    );
    object.schema_version = 1;
    assert!(object.stored_attributes(&schema()) == object.attributes);
}

proptest! {
    #[test]
    fn a_changed_byte_never_makes_the_reader_panic(
        at in 0..RARE.len(),
        byte in any::<u8>(),
        new in any::<bool>(),
    ) {
        let mut bytes = if new { NEW } else { RARE }.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        match State::from_bytes(&bytes) {
            Ok(state) => {
                // Attributes keep the bytes they came in, and writing escapes some of them.
                let written = state.to_bytes().expect("what was read can be written");
                let again = State::from_bytes(&written).map(|state| state.to_bytes());
                prop_assert_eq!(again, Ok(Ok(written)));
            }
            Err(error) => prop_assert!(!error.problem().is_empty()),
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(State::from_bytes(&bytes).is_err());
    }
}
