//! The resource `demo_service`.

use std::fs;

use ferroform::value::Value;
use ferroform_testing::plan::Action;
use serde_json::{Value as Json, json};

use crate::support::on_both;

const SERVICE: &str = "demo_service";

fn web() -> Json {
    json!({
        "name": "web",
        "port": 8080,
        "tags": ["b", "a"],
        "labels": { "team": "core" },
        "token": "hunter2",
        "endpoints": [{ "host": "a.test" }, { "host": "b.test", "port": 8443 }],
        "limits": { "memory": 512 },
    })
}

#[test]
fn is_the_same_over_both_protocols() {
    on_both(async |demo| {
        let service = demo.made(SERVICE, &web()).await;
        let mut expect = web();
        expect["tags"] = json!(["a", "b"]);
        expect["endpoints"] = json!([
            { "host": "a.test", "port": 443, "url": "https://a.test:443/" },
            { "host": "b.test", "port": 8443, "url": "https://b.test:8443/" },
        ]);
        expect["limits"] = json!({ "memory": 512, "connections": 100 });
        assert_eq!(service.state(), expect);

        let mut file: Json = serde_json::from_str(&demo.content("web.service.json")).unwrap();
        for endpoint in expect["endpoints"].as_array_mut().unwrap() {
            endpoint.as_object_mut().unwrap().remove("url");
        }
        file["name"] = json!("web");
        assert_eq!(file, expect);
    });
}

#[test]
fn what_is_left_out_stays_null() {
    on_both(async |demo| {
        let config = json!({ "name": "web", "port": 1, "endpoints": [] });
        let mut service = demo.made(SERVICE, &config).await;
        let expect = json!({
            "name": "web", "port": 1, "endpoints": [],
            "tags": null, "labels": null, "token": null, "limits": null,
        });
        assert_eq!(service.state(), expect);
        assert_eq!(service.apply(&config).await.action(), Action::NoOp);
    });
}

#[test]
fn drift_in_a_nested_attribute_is_mended() {
    on_both(async |demo| {
        let mut service = demo.made(SERVICE, &web()).await;
        let edited = demo.content("web.service.json").replace("b.test", "evil.test");
        demo.write("web.service.json", edited);
        service.refresh().await;
        assert_eq!(service.state()["endpoints"][1]["url"], "https://evil.test:8443/");
        let done = service.apply(&web()).await;
        assert_eq!(
            (done.action(), service.changed(&done)),
            (Action::Update, vec!["endpoints[1].host".to_owned(), "endpoints[1].url".to_owned()])
        );
        assert!(demo.content("web.service.json").contains("b.test"));
    });
}

#[test]
fn a_url_waits_for_its_host() {
    on_both(async |demo| {
        let endpoints = Value::list([
            Value::object([("host", Value::unknown())]),
            Value::object([("host", Value::string("b.test"))]),
        ]);
        let written = Value::object([
            ("name", Value::string("web")),
            ("port", Value::from(1)),
            ("endpoints", endpoints),
        ]);
        let done = demo.resource(SERVICE).plan_value(&written).await;
        assert_eq!(done.errors(), [""; 0]);
        let planned = &done.plan.changes[0].after;
        let urls = planned.get(&ferroform::path!(endpoints)).and_then(Value::elements).unwrap();
        let known: Vec<_> =
            urls.iter().map(|it| it.as_entries().unwrap().get("url").unwrap().is_unknown()).collect();
        assert_eq!(known, [true, false]);
    });
}

#[test]
fn a_damaged_definition_is_kept_and_does_not_show_the_token() {
    let check = |content: &str| {
        on_both(async |demo| {
            let mut service = demo.made(SERVICE, &web()).await;
            demo.write("web.service.json", content);
            let done = service.refresh().await;
            assert_eq!(done.errors(), ["Invalid Service Definition"], "{content}");
            assert!(!done.text().contains("hunter2"), "{}", done.text());
            assert_eq!(service.state()["port"], 8080);
        });
    };
    check("");
    check(r#"{ "port": "hunter2" }"#);
    check(r#"{ "port": 1, "endpoints": [], "hunter2": 1 }"#);
}

#[cfg(unix)]
#[test]
fn the_file_is_for_the_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    on_both(async |demo| {
        demo.made(SERVICE, &web()).await;
        let mode = fs::metadata(demo.path("web.service.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    });
}

#[test]
fn vanishes_and_is_imported_by_name() {
    on_both(async |demo| {
        let mut service = demo.made(SERVICE, &web()).await;
        let before = service.state();
        let mut again = demo.resource(SERVICE);
        assert_eq!(again.import("web").await, [""; 0]);
        assert_eq!(again.state(), before);
        fs::remove_file(demo.path("web.service.json")).unwrap();
        service.refresh().await;
        assert_eq!(service.state(), Json::Null);
        assert_eq!(demo.resource(SERVICE).import("web").await, ["Object Not Found"]);
    });
}
