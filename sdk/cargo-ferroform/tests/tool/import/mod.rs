//! `import-schema`: the models that it makes compile, and have the schema that they were made of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ferroform::{Protocol, dynamic};
use ferroform_acceptance::probe::Probe;
use ferroform_examples::demo;
use ferroform_testing::client;
use ferroform_testing::json::provider_schemas;
use serde_json::{Map, Value as Json, json};

use crate::support::{failure, passes, profiles, repository, target, text, tool};

/// The parts of the JSON about types, what their models are called, and what a program calls their schemas.
const KINDS: [(&str, &str); 6] = [
    ("resource_schemas", ""),
    ("data_source_schemas", "Data"),
    ("ephemeral_resource_schemas", "Ephemeral"),
    ("list_resource_schemas", "List"),
    ("action_schemas", "Action"),
    ("state_store_schemas", "StateStore"),
];

/// A provider in another language has the same JSON, so ours stand for all, and one that is as odd as core allows.
#[test]
fn models_have_the_schema_that_they_were_made_of() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new/scaffoldmodels");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("removed");
    }
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let mut sources = vec![fs::read_to_string(hostile()).expect("it is there")];
    let probe: Arc<dyn dynamic::Provider> = Arc::new(Probe::new(Protocol::V6, None));
    for (name, provider) in [("demo", demo::provider(Protocol::V6)), ("probe", probe)] {
        sources.push(schemas(name, provider));
    }
    // Structs that would hide those of Rust or of the SDK have a number.
    let renamed = [("Dynamic", "Dynamic2"), ("Option", "Option2"), ("String", "String2")];
    let mut program =
        String::from("use ferroform::model::{Identity, Model};\nuse std::collections::BTreeMap;\n");
    let mut calls = String::new();
    for (at, source) in sources.iter().enumerate() {
        let file = folder.join(format!("source{at}.json"));
        fs::write(&file, source).expect("written");
        let models = folder.join(format!("src/models{at}.rs"));
        let (file, out) = (file.to_string_lossy(), models.to_string_lossy());
        passes("import-schema", &tool(&folder, &["import-schema", &file, "--out", &out]));
        program += &format!("#[allow(dead_code)]\nmod models{at};\n");
        calls += &registration(at, &provider_of(source), &|name| {
            let renamed = renamed.iter().find(|(from, _)| *from == name);
            renamed.map_or(name.to_owned(), |(_, to)| (*to).to_owned())
        });
    }
    program += &format!(
        "fn main() {{\n    let mut all = Vec::new();\n{calls}    println!(\"{{}}\", serde_json::Value::from(all));\n}}\n"
    );
    fs::write(folder.join("src/main.rs"), program).expect("written");
    fs::write(folder.join("Cargo.toml"), manifest()).expect("written");
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    let mut run = Command::new(env!("CARGO"));
    run.current_dir(&folder).args(["run", "--offline", "--quiet"]).env("CARGO_TARGET_DIR", target());
    let made = passes("the models", &run.output().expect("cargo starts"));
    let made: Vec<Json> = serde_json::from_str(&made).expect("JSON");
    for (source, made) in sources.iter().zip(&made) {
        let wanted = provider_of(source);
        for (kind, _) in KINDS.iter().chain(&[("provider", ""), ("resource_identity_schemas", "")]) {
            let mut wanted = wanted[*kind].clone();
            if ["provider", "list_resource_schemas", "action_schemas", "state_store_schemas"].contains(kind) {
                without_defaults(&mut wanted);
            }
            let (wanted, made) = (comparable(&wanted), comparable(&made[*kind]));
            assert_eq!(made, wanted, "{kind}");
        }
    }
}

/// What `cargo ferroform schema` prints of a provider.
fn schemas(name: &str, provider: Arc<dyn dynamic::Provider>) -> String {
    let client = client::Client::in_process(provider, Protocol::V6);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let provider = runtime.block_on(client::Provider::connect(client)).expect("schemas");
    let address = format!("registry.terraform.io/acme/{name}").parse().expect("an address");
    provider_schemas(&BTreeMap::from([(address, provider.schemas().clone())])).to_string()
}

fn hostile() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tool/import/hostile.json")
}

fn provider_of(source: &str) -> Json {
    let mut json: Json = serde_json::from_str(source).expect("JSON");
    let providers = json["provider_schemas"].as_object_mut().expect("providers");
    std::mem::take(providers.values_mut().next().expect("a provider"))
}

/// The test harness has the features and profiles that it has for a provider that `new` made, so that it is compiled once
/// for both.
fn manifest() -> String {
    let sdk = |folder: &str| json!(repository().join(folder).to_string_lossy()).to_string();
    format!(
        "[package]\nname = \"scaffoldmodels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
         ferroform = {{ path = {} }}\nferroform-testing = {{ path = {}, features = [\"cores\"] }}\nserde_json = \"1\"\n[workspace]\n{}",
        sdk("sdk"),
        sdk("provider-tests"),
        profiles()
    )
}

/// The lines of a program that put the schemas of the models of a provider together.
fn registration(at: usize, source: &Json, renamed: &dyn Fn(&str) -> String) -> String {
    let fields =
        ["resources", "data_sources", "ephemeral_resources", "list_resources", "actions", "state_stores"];
    let mut lines = String::from("    let mut it = ferroform_testing::client::Schemas::default();\n");
    lines += &format!("    it.provider = models{at}::ProviderConfig::schema();\n");
    let none = Map::new();
    for ((kind, suffix), field) in KINDS.iter().zip(fields) {
        for type_name in source[*kind].as_object().unwrap_or(&none).keys() {
            let short = type_name.split_once('_').map_or(type_name.as_str(), |(_, short)| short);
            let camel: String =
                short.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect::<String>();
            let name = renamed(&(camel + suffix));
            lines += &format!("    it.{field}.insert({type_name:?}.into(), models{at}::{name}::schema());\n");
            if *kind == "resource_schemas" && source["resource_identity_schemas"].get(type_name).is_some() {
                lines += &format!(
                    "    it.identities.insert({type_name:?}.into(), models{at}::{name}Identity::schema().unwrap());\n"
                );
            }
        }
    }
    lines
        + "    let address = \"registry.terraform.io/acme/x\".parse().unwrap();\n    \
           let json = ferroform_testing::json::provider_schemas(&BTreeMap::from([(address, it)]));\n    \
           all.push(json[\"provider_schemas\"][\"registry.terraform.io/acme/x\"].clone());\n"
}

/// An attribute that is optional and computed where nobody fills it has a default, which a schema does not hold.
fn without_defaults(json: &mut Json) {
    let Json::Object(members) = json else { return };
    if members.get("optional") == Some(&true.into()) {
        members.remove("computed");
    }
    members.values_mut().for_each(without_defaults);
}

/// Without what is the same for all, and empty objects, which mean nothing; with a text for each deprecation.
fn comparable(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "description_kind");
            let kept = kept.map(|(name, it)| (name.clone(), comparable(it)));
            let mut kept: Map<String, Json> =
                kept.filter(|(name, it)| name != "attributes" || *it != json!({})).collect();
            if kept.get("deprecated") == Some(&true.into()) {
                kept.entry("deprecation_message").or_insert("This is deprecated.".into());
            }
            Json::Object(kept)
        }
        Json::Array(elements) => elements.iter().map(comparable).collect(),
        other => other.clone(),
    }
}

#[test]
fn what_no_model_can_have_is_left_out_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("schema.json");
    let schema = |attributes: Json| json!({"version": 0, "block": {"attributes": attributes}});
    let source = json!({"provider_schemas": {"registry.terraform.io/acme/odd": {
        "resource_schemas": {
            "odd_a": schema(json!({"count": {"type": "number", "optional": true}})),
            "odd_b": schema(json!({"id": {"type": "string", "computed": true, "sensitive": true}})),
            "odd_c": schema(json!({"t": {"type": ["tuple", []], "optional": true}})),
            "odd_d": schema(json!({"Name": {"type": "string", "optional": true}})),
            "odd_e": schema(json!({"name": {"type": "string", "optional": true}})),
        },
    }}});
    fs::write(&file, source.to_string()).expect("written");
    let output = tool(folder.path(), &["import-schema", "schema.json"]);
    let (models, warnings) = (passes("import-schema", &output), text(&output.stderr));
    assert!(models.contains("pub struct E {"), "{models}");
    for expected in [
        "odd_a: `count`: this name is reserved",
        "odd_b: `id`: a sensitive ID",
        "odd_c: a tuple has no elements",
        "odd_d: `Name`: a name holds lower-case letters",
    ] {
        assert!(warnings.contains(expected), "{expected}: {warnings}");
    }
    assert!(failure(folder.path(), &["import-schema", "schema.json", "odd_a"]).contains("nothing is left"));
}

#[test]
fn schemas_that_cannot_be_read_leave_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |schema: &str, arguments: &[&str], expected: &str| {
        fs::write(folder.path().join("schema.json"), schema).expect("written");
        let arguments = [&["import-schema", "schema.json", "--out", "models.rs"], arguments].concat();
        let reported = failure(folder.path(), &arguments);
        assert!(reported.contains(expected), "{schema}: {reported}");
        assert!(!folder.path().join("models.rs").exists(), "nothing is half-written");
    };
    check("", &[], "is not what `terraform providers schema -json`");
    check("{}", &[], "`provider_schemas` is missing");
    let resource = |attribute: Json| {
        let block = json!({"block": {"attributes": {"a": attribute}}});
        json!({"provider_schemas": {"h/n/x": {"resource_schemas": {"x_y": block}}}}).to_string()
    };
    check(&resource(json!({"type": "text", "optional": true})), &[], "x_y: a: `type`");
    check(&resource(json!({"type": "string"})), &[], "x_y: a: it is neither required, optional nor computed");
    check(&resource(json!({"optional": true})), &[], "x_y: a: `type` is missing");
    let fine = resource(json!({"type": "string", "optional": true}));
    check(&fine, &["x_z"], "`x_z` is not a type of h/n/x");
    check(&fine, &["--provider", "other"], "has no such provider; it has h/n/x");
    let two = json!({"provider_schemas": {"h/n/x": {}, "h/n/y": {}}}).to_string();
    check(&two, &[], "has several providers: h/n/x, h/n/y; choose one with --provider");
    fs::write(folder.path().join("there.rs"), "mine").expect("written");
    let reported = failure(folder.path(), &["import-schema", "schema.json", "--out", "there.rs"]);
    assert!(reported.contains("exists already"), "{reported}");
    assert_eq!(fs::read_to_string(folder.path().join("there.rs")).expect("it is there"), "mine");
}

/// The largest providers have some 1,500 resource types.
#[test]
fn huge_schema_becomes_models_in_seconds() {
    let folder = tempfile::tempdir().expect("a folder");
    let attributes = |prefix: &str| -> Map<String, Json> {
        let one = |at: usize| {
            (
                format!("{prefix}_{at}"),
                json!({"type": "string", "optional": true, "description": "Some text."}),
            )
        };
        (0..40).map(one).collect()
    };
    let nested = json!({"nesting_mode": "list", "block": {"attributes": attributes("inner")}});
    let block = json!({"attributes": attributes("outer"), "block_types": {"one": nested, "two": nested}});
    let types: Map<String, Json> =
        (0..1500).map(|at| (format!("huge_thing_{at}"), json!({"version": 0, "block": block}))).collect();
    let source = json!({"provider_schemas": {"h/n/huge": {"resource_schemas": types}}});
    fs::write(folder.path().join("schema.json"), source.to_string()).expect("written");
    let started = Instant::now();
    let models = passes("import-schema", &tool(folder.path(), &["import-schema", "schema.json"]));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    let parsed = syn::parse_file(&models).expect("Rust");
    let structs = parsed.items.iter().filter(|item| matches!(item, syn::Item::Struct(_))).count();
    assert_eq!(structs, 1500 * 3 + 1);
}
