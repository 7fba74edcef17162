//! The configuration of the provider.

use ferroform::Protocol;
use ferroform::value::Value;
use ferroform_examples::demo;
use ferroform_testing::client::{ApplyRequest, Client, PlanRequest, Provider, StoredObject, decode_config};
use ferroform_testing::plan_rules::proposed_new;

use crate::support::{run, summaries};

fn check(root: Value, expect: &[&str]) {
    run(async {
        let provider =
            Provider::connect(Client::in_process(demo::provider(Protocol::V6), Protocol::V6)).await.unwrap();
        let config =
            decode_config(&provider.schemas().provider.block, &Value::object([("root", root)])).unwrap();
        assert_eq!(summaries(&provider.configure(&config).await.unwrap()), expect);
    });
}

#[test]
fn the_root_has_to_be_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| Value::string(folder.path().join(name).display().to_string());
    std::fs::write(folder.path().join("file"), "").unwrap();
    check(at(""), &[]);
    check(at("nothing"), &["root: Root Not Found"]);
    check(at("file"), &["root: Root Is No Folder"]);
    check(Value::string(""), &["root: Root Not Found"]);
}

#[test]
fn an_unknown_root_is_enough_to_plan_with() {
    run(async {
        let provider =
            Provider::connect(Client::in_process(demo::provider(Protocol::V6), Protocol::V6)).await.unwrap();
        let block = &provider.schemas().provider.block;
        let config = decode_config(block, &Value::object([("root", Value::unknown())])).unwrap();
        assert_eq!(summaries(&provider.configure(&config).await.unwrap()), [""; 0]);

        let block = &provider.resource("demo_directory").unwrap().block;
        let config = decode_config(block, &Value::object([("name", Value::string("d"))])).unwrap();
        let (none, proposed) = (StoredObject::none(), proposed_new(block, &Value::Null, &config));
        let planned_private = Default::default();
        let request = PlanRequest { prior: &none, config: &config, proposed: &proposed, planned_private };
        let planned = provider.plan("demo_directory", request).await.unwrap();
        assert_eq!(summaries(&planned.diagnostics), [""; 0]);
        let request = ApplyRequest { prior: &Value::Null, planned: &planned.object, config: &config };
        let applied = provider.apply("demo_directory", request).await.unwrap();
        assert_eq!(summaries(&applied.diagnostics), ["name: Root Not Known Yet"]);
    });
}

#[test]
fn blocks_stand_for_nested_attributes_in_protocol_5() {
    run(async {
        let five =
            Provider::connect(Client::in_process(demo::provider(Protocol::V5), Protocol::V5)).await.unwrap();
        let six =
            Provider::connect(Client::in_process(demo::provider(Protocol::V6), Protocol::V6)).await.unwrap();
        for (name, schema) in &six.schemas().resources {
            // The values have the same type, so that one implementation can serve both.
            assert_eq!(five.resource(name).unwrap().ty(), schema.ty(), "{name}");
        }
        let service = &five.resource("demo_service").unwrap().block;
        let blocks: Vec<_> =
            service.blocks.iter().map(|it| (&*it.name, it.min_items, it.max_items)).collect();
        assert_eq!(blocks, [("endpoints", 0, 0), ("limits", 0, 0)]);
    });
}
