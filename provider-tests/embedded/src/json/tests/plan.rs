//! Plans.

use bytes::Bytes;
use ferroform::path;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;
use serde_json::json;

use super::{All, builtin, demo, pretty_eq, recorded};
use crate::address::{InstanceAddress, Mode as Kind, ProviderConfigAddress};
use crate::json::normalise;
use crate::language::module::Configuration;
use crate::plan::{
    Action, ActionReason, DeferredChange, Importing, Mode, OutputChange, Plan, ResourceChange,
};
use crate::state::State;

fn plan(changes: Vec<ResourceChange>, outputs: Vec<(&str, OutputChange)>) -> Plan {
    let mut plan = Plan::empty(&Configuration::empty(), &State::default(), Mode::Normal);
    plan.changes = changes;
    plan.outputs = outputs.into_iter().map(|(name, change)| (name.to_owned(), change)).collect();
    plan.timestamp = "2026-01-01T00:00:00Z".to_owned();
    plan.applyable = true;
    plan
}

/// A change of an object of the only provider.
fn change(
    (schemas, address): (&All, &str),
    action: Action,
    before: Option<Value>,
    after: Option<Value>,
) -> ResourceChange {
    let address: InstanceAddress = address.parse().expect("an address");
    let (provider, of_provider) = schemas.iter().next().expect("a provider");
    let data = &of_provider.data_sources;
    let types = if address.resource.mode == Kind::Data { data } else { &of_provider.resources };
    let identities = of_provider
        .identities
        .get(&address.resource.type_name)
        .filter(|_| address.resource.mode == Kind::Managed);
    let identity = |value: &Option<Value>| {
        let name = value.as_ref()?.get(&path!(name))?;
        identities.map(|_| Value::object([("name", name.clone())]))
    };
    ResourceChange {
        before_identity: identity(&before),
        after_identity: identity(if after.is_some() { &after } else { &before }),
        ty: types[&address.resource.type_name].ty(),
        address,
        previous_address: None,
        deposed: None,
        provider: ProviderConfigAddress {
            module: Default::default(),
            provider: provider.clone(),
            alias: None,
        },
        action,
        reason: None,
        before: before.unwrap_or(Value::Null),
        after: after.unwrap_or(Value::Null),
        before_sensitive: Vec::new(),
        after_sensitive: Vec::new(),
        replace_paths: Vec::new(),
        private: Bytes::new(),
        importing: None,
        generated_config: None,
    }
}

fn because(reason: ActionReason, change: ResourceChange) -> ResourceChange {
    ResourceChange { reason: Some(reason), ..change }
}

/// A file: name, content, size and hash.
fn file((name, content): (&str, &str), size: i32, sha256: &str) -> Option<Value> {
    Some(Value::object([
        ("name", Value::from(name)),
        ("content", Value::from(content)),
        ("mode", Value::from("0644")),
        ("size", Value::from(size)),
        ("sha256", Value::from(sha256)),
    ]))
}

const CHANGED: &str = "d67e2e944994496c8d8ec76eed0cf9f09679448d584b532bebf941852a37f5ed";
const C: &str = "2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6";
const COUNTED: &str = "bc8176afac4f74e40330725f0c1386b5f6765496a08e4565ce420200ceba80b0";
const KEYED: &str = "423bbab53b3f6c4c760b9ac00159132d8fc18932eb2552991fb49e41ec6a030d";

/// Files that `count` made.
fn counted_files(schemas: &All) -> Vec<ResourceChange> {
    let change = |address, action, before, after| change((schemas, address), action, before, after);
    let content = || vec![path!(content)];
    vec![
        ResourceChange {
            before_sensitive: content(),
            after_sensitive: content(),
            ..change(
                "demo_file.counted[0]",
                Action::Update,
                file(
                    ("counted-0", "<0> & more"),
                    10,
                    "047bdf5805aeef4f26cc651257b7a04d990f8b1d740caae860f5fafde41221d0",
                ),
                file(("counted-0", "changed"), 7, CHANGED),
            )
        },
        ResourceChange {
            before_sensitive: content(),
            ..because(
                ActionReason::DeleteBecauseCountIndex,
                change(
                    "demo_file.counted[1]",
                    Action::Delete,
                    file(
                        ("counted-1", "<1> & more"),
                        10,
                        "288036ad12d60107c9b1b7f1699caa12b8e8414ce6cab9e42d40c4a68a150d1d",
                    ),
                    None,
                ),
            )
        },
    ]
}

/// Files that are forgotten, gone, imported, and one for each key.
fn other_files(schemas: &All) -> Vec<ResourceChange> {
    let change = |address, action, before, after| change((schemas, address), action, before, after);
    let imported = || {
        file(("imported", "imported"), 8, "5f54227b74fbba7743c47cd286b4873f2e17331518d56facfc03e34cde4a0950")
    };
    let planned = format!("{CHANGED} é");
    let keyed = |name| file((name, &planned), 67, KEYED);
    vec![
        because(
            ActionReason::DeleteBecauseNoResourceConfig,
            change("demo_file.forgotten", Action::Forget, file(("forgotten", "c"), 1, C), None),
        ),
        because(
            ActionReason::DeleteBecauseNoResourceConfig,
            change("demo_file.gone", Action::Delete, file(("gone", "c"), 1, C), None),
        ),
        ResourceChange {
            importing: Some(Importing::Id("imported".to_owned())),
            ..change("demo_file.imported", Action::NoOp, imported(), imported())
        },
        change(r#"demo_file.keyed["a b"]"#, Action::Create, None, keyed("keyed-1")),
        because(
            ActionReason::DeleteBecauseEachKey,
            change(
                r#"demo_file.keyed["c"]"#,
                Action::Delete,
                file(("keyed-2", "counted-0 é"), 12, COUNTED),
                None,
            ),
        ),
        change(r#"demo_file.keyed["d"]"#, Action::Create, None, keyed("keyed-3")),
        ResourceChange {
            previous_address: Some("demo_file.old".parse().expect("an address")),
            ..change("demo_file.new", Action::Update, drifted(), file(("moved", "c"), 1, C))
        },
    ]
}

fn drifted() -> Option<Value> {
    file(("moved", "drifted"), 7, "6d749f6d23f2871fcb64b29c68833080ce6d824b9ad25de330d1b881fee49499")
}

fn service(schemas: &All) -> ResourceChange {
    let endpoint = |host: &str, port: i32| {
        let url = format!("https://{host}:{port}/");
        Value::object([("host", Value::from(host)), ("port", Value::from(port)), ("url", Value::from(url))])
    };
    let service = |name: &str, tags: [Value; 2], (y, limits, token): (&str, Value, Value)| {
        Value::object([
            ("name", Value::from(name)),
            ("port", Value::from(80)),
            ("tags", Value::set(tags)),
            ("labels", Value::map([("x", Value::from("1")), ("y", Value::from(y))])),
            ("token", token),
            ("endpoints", Value::list([endpoint("h1", 443), endpoint("h2", 1)])),
            ("limits", limits),
        ])
    };
    let limits = Value::object([("memory", Value::from(1)), ("connections", Value::from(100))]);
    let before = service("svc", ["b", "a"].map(Value::from), ("2", Value::Null, Value::from("t0ken")));
    let after = service("renamed", [Value::unknown(), Value::from("b")], (CHANGED, limits, Value::unknown()));
    let configured = || vec![path!(endpoints[1].host), path!(labels["x"])];
    let mut after_sensitive = configured();
    after_sensitive.push(path!(tags));
    let change = change((schemas, "demo_service.s"), Action::DeleteThenCreate, Some(before), Some(after));
    ResourceChange {
        before_sensitive: configured(),
        after_sensitive,
        replace_paths: vec![path!(name)],
        ..because(ActionReason::ReplaceBecauseCannotUpdate, change)
    }
}

fn token(schemas: &All, stored: &str) -> ResourceChange {
    let token = |value: Value| {
        Some(Value::object([("length", Value::from(32)), ("keepers", Value::Null), ("value", value)]))
    };
    let change = change(
        (schemas, "demo_token.tainted"),
        Action::CreateThenDelete,
        token(Value::from(stored)),
        token(Value::unknown()),
    );
    because(ActionReason::ReplaceBecauseTainted, change)
}

fn output(action: Action, before: Value, after: Value) -> OutputChange {
    OutputChange { action, ty: Type::String, before, after, before_sensitive: false, after_sensitive: false }
}

#[test]
fn a_plan_with_all_kinds_of_changes_is_as_recorded() {
    let recorded = recorded(include_str!("../../../../tests/fixtures/plan/1.15.5.json"));
    let stored = recorded["output_changes"]["secret"]["before"].as_str().expect("a token");
    let schemas = demo();
    let read = Value::object([
        ("name", Value::from(CHANGED)),
        ("content", Value::unknown()),
        ("size", Value::unknown()),
    ]);
    let read = change((&schemas, "data.demo_file.read"), Action::Read, None, Some(read));
    let mut changes = vec![because(ActionReason::ReadBecauseDependencyPending, read)];
    changes.extend(counted_files(&schemas));
    changes.extend(other_files(&schemas));
    changes.extend([service(&schemas), token(&schemas, stored)]);
    let text = Value::from;
    let created = Type::tuple([Type::String, Type::String, Type::object([("x", Type::Number)])]);
    let made = Value::tuple([text("a"), text(CHANGED), Value::object([("x", Value::from(7))])]);
    let deleted = Value::object([("a", Value::from(1))]);
    let mut secret = output(Action::Update, text(stored), Value::unknown());
    secret.before_sensitive = true;
    let outputs = vec![
        ("create", OutputChange { ty: created, ..output(Action::Create, Value::Null, made) }),
        ("delete", output(Action::Delete, deleted, Value::Null)),
        ("same", output(Action::NoOp, text("x"), text("x"))),
        ("secret", secret),
        ("update", output(Action::Update, text("x"), text("y"))),
    ];
    let mut plan = plan(changes, outputs);
    let before = file(("moved", "c"), 1, C);
    plan.drift = vec![
        change((&schemas, "demo_file.gone"), Action::NoOp, before.clone(), before.clone()),
        change(
            (&schemas, r#"demo_file.keyed["a b"]"#),
            Action::Delete,
            file(("keyed-1", "counted-0 é"), 12, COUNTED),
            None,
        ),
        ResourceChange {
            previous_address: Some("demo_file.old".parse().expect("an address")),
            ..change((&schemas, "demo_file.new"), Action::Update, before, drifted())
        },
    ];
    // An object that only moved is not told but in plans that refresh, and a data source that is gone is never told.
    plan.changes.push(change((&schemas, "data.demo_file.gone"), Action::Delete, None, None));
    let json = plan.to_json(&schemas).expect("shown");
    // A plan that is made by hand has no configuration; those of real plans are compared where cores agree.
    let compared = |json: &serde_json::Value| {
        let mut json = normalise(json);
        json.as_object_mut().expect("an object").remove("configuration");
        json
    };
    pretty_eq(&compared(&json), &compared(&recorded));
    // Real cores list changes and values in these orders too.
    for list in ["/resource_changes", "/planned_values/root_module/resources"] {
        assert_eq!(json.pointer(list), recorded.pointer(list), "{list}");
    }
    plan.mode = Mode::RefreshOnly;
    let json = plan.to_json(&schemas).expect("shown");
    assert_eq!(json["resource_drift"].as_array().map(Vec::len), Some(3));
}

#[test]
fn partly_unknown_values_are_as_recorded() {
    let schemas = builtin();
    let trigger_types = Type::tuple([Type::Dynamic, Type::list(Type::String), Type::String]);
    let triggers = Value::tuple([Value::unknown(), Value::list([Value::unknown()]), Value::from("x")]);
    let object = |input: Value, triggers: Value| {
        Some(Value::object([
            ("id", Value::unknown()),
            ("input", input),
            ("output", Value::unknown()),
            ("triggers_replace", triggers),
        ]))
    };
    let create = |address, after| change((&schemas, address), Action::Create, None, after);
    let first = ResourceChange {
        after_sensitive: vec![path!(triggers_replace[2])],
        ..create("terraform_data.a", object(Value::unknown(), Value::dynamic(trigger_types, triggers)))
    };
    let second = ResourceChange {
        after_sensitive: vec![path!(input)],
        ..create("terraform_data.sens", object(Value::unknown(), Value::Null))
    };
    let third = create("module.y[0].module.n.terraform_data.q", object(Value::Null, Value::Null));
    let json = plan(vec![first, second, third], Vec::new()).to_json(&schemas).expect("shown");
    let change = |at: usize| &json["resource_changes"][at]["change"];
    pretty_eq(
        change(0),
        &json!({
            "actions": ["create"], "before": null, "after": {"triggers_replace": [null, [null], "x"]},
            "after_unknown": {
                "id": true, "input": true, "output": true, "triggers_replace": [true, [true], false]
            },
            "before_sensitive": false, "after_sensitive": {"triggers_replace": [false, [false], true]},
        }),
    );
    assert_eq!(change(1)["after_unknown"], json!({"id": true, "input": true, "output": true}));
    assert_eq!(change(1)["after_sensitive"], json!({"input": true}));
    assert_eq!(json["resource_changes"][2]["module_address"], "module.y[0].module.n");
    let planned = &json["planned_values"];
    let modules = json!([{
        "address": "module.y[0]",
        "child_modules": [{
            "address": "module.y[0].module.n",
            "resources": planned["root_module"]["child_modules"][0]["child_modules"][0]["resources"],
        }],
    }]);
    pretty_eq(&planned["root_module"]["child_modules"], &modules);
    assert_eq!(json.get("prior_state"), None);
}

#[test]
fn partly_unknown_outputs_are_as_recorded() {
    let part = Value::tuple([
        Value::unknown(),
        Value::from("x"),
        Value::object([("a", Value::from(1)), ("b", Value::unknown())]),
    ]);
    let outputs = vec![
        ("part", output(Action::Create, Value::Null, part)),
        ("un", output(Action::Create, Value::Null, Value::unknown())),
        ("nul", OutputChange { ty: Type::Dynamic, ..output(Action::NoOp, Value::Null, Value::Null) }),
    ];
    let json = plan(Vec::new(), outputs).to_json(&builtin()).expect("shown");
    let no_op = json!({
        "actions": ["no-op"], "before": null, "after": null, "after_unknown": false,
        "before_sensitive": false, "after_sensitive": false,
    });
    pretty_eq(&json["output_changes"]["nul"], &no_op);
    let part = &json["output_changes"]["part"];
    assert_eq!(part["after"], json!([null, "x", {"a": 1}]));
    assert_eq!(part["after_unknown"], json!([true, false, {"b": true}]));
    assert_eq!(json["output_changes"]["un"].get("after"), None);
    let planned = &json["planned_values"];
    assert_eq!(
        planned["outputs"],
        json!({
            "nul": {"sensitive": false, "type": "dynamic", "value": null},
            "part": {"sensitive": false},
            "un": {"sensitive": false},
        })
    );
}

#[test]
fn what_depends_on_other_features_is_told() {
    let schemas = builtin();
    let identity = |id: Value| Value::object([("id", id)]);
    let object = Value::object([
        ("id", Value::from("a")),
        ("input", Value::Null),
        ("output", Value::Null),
        ("triggers_replace", Value::Null),
    ]);
    let of = |address| change((&schemas, address), Action::NoOp, Some(object.clone()), Some(object.clone()));
    let imported = ResourceChange {
        importing: Some(Importing::Identity(identity(Value::from("a")))),
        before_identity: Some(identity(Value::from("a"))),
        after_identity: Some(identity(Value::unknown())),
        replace_paths: vec![
            path!(input["k"][1]),
            Path::root().attribute("s").element().attribute("a"),
            Path::root().attribute("s").element().attribute("b"),
        ],
        ..of("terraform_data.a")
    };
    let mut plan = plan(vec![imported], Vec::new());
    plan.changes.push(ResourceChange { deposed: Some("0a1b2c3d".to_owned()), ..of("terraform_data.a") });
    let change =
        ResourceChange { importing: Some(Importing::Identity(Value::unknown())), ..of("terraform_data.b") };
    plan.deferred.push(DeferredChange { reason: "resource_config_unknown".to_owned(), change });
    let json = plan.to_json(&schemas).expect("shown");
    let first = &json["resource_changes"][0]["change"];
    assert_eq!(first["importing"], json!({"identity": {"id": "a"}}));
    assert_eq!((&first["before_identity"], first.get("after_identity")), (&json!({"id": "a"}), None));
    assert_eq!(first["replace_paths"], json!([["input", "k", 1], ["s"]]));
    assert_eq!(json["resource_changes"][1]["deposed"], "0a1b2c3d");
    let resources = json["planned_values"]["root_module"]["resources"].as_array().expect("resources");
    assert_eq!(resources.len(), 1);
    assert_eq!(resources[0].get("identity"), None);
    assert_eq!(json["deferred_changes"][0]["reason"], "resource_config_unknown");
    let deferred = &json["deferred_changes"][0]["resource_change"];
    assert_eq!(deferred["address"], "terraform_data.b");
    assert_eq!(deferred["change"]["importing"], json!({"unknown": true}));
}
