//! The list resource and the action, called without a core: what they ask of the service, and what they report when it
//! fails.

use std::net::{Ipv4Addr, SocketAddr};

use ferroform::value::Value;
use ferroform::{Protocol, path};
use ferroform_example_api::provider;
use ferroform_example_api::service::{Behaviour, Fault, Service};
use ferroform_testing::client::{
    Client, IncludeObject, InvokeResponse, ListedObject, Provider, decode_config,
};
use libtest_mimic::Trial;
use tempfile::TempDir;
use tokio::runtime::Runtime;

type Test = (&'static str, fn(&Direct));

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [Test; 8] = [
        ("list_asks_for_one_page_after_the_other", pages),
        ("limit_stops_the_paging", limit),
        ("prefix_selects_queues", prefix),
        ("page_that_fails_is_an_error_after_the_queues_before_it", failing_page),
        ("page_that_is_refused_for_now_is_asked_for_again", refused_page),
        ("object_of_a_queue_has_no_labels_of_the_service", whole),
        ("purge_reports_each_part", purge),
        ("purge_that_fails_is_an_error_after_its_progress", failing_purge),
    ];
    let over = |(name, test): Test, protocol: Protocol| {
        Trial::test(format!("client/{protocol:?}/{name}"), move || {
            test(&Direct::new(protocol));
            Ok(())
        })
    };
    let both = |test| [Protocol::V6, Protocol::V5].map(|protocol| over(test, protocol));
    tests.into_iter().flat_map(both).collect()
}

/// A service with the queues `q-1` to `q-5`, of which it shows two at once, and a provider that is configured for it.
struct Direct {
    service: Service,
    provider: Provider,
    runtime: Runtime,
    _folder: TempDir,
}

impl Direct {
    fn new(protocol: Protocol) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let service = Service::start(&folder.path().join("service.sqlite"), any_port).expect("it starts");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let provider = runtime.block_on(async {
            let client = Client::in_process(provider::provider(), protocol);
            let provider = Provider::connect(client).await.expect("schemas");
            let endpoint = [("endpoint", Value::from(service.endpoint()))];
            let config = decode_config(&provider.schemas().provider.block, &Value::object(endpoint));
            let found = provider.configure(&config.expect("a configuration")).await.expect("an answer");
            assert!(found.is_empty(), "{found:?}");
            provider
        });
        for name in ["a1", "a2", "a3", "b1", "b2"] {
            service.add_queue(name).expect("the name is free");
        }
        Self { service, provider, runtime, _folder: folder }
    }

    /// The names of the listed queues, and the summary of an error.
    fn list(&self, prefix: &str, limit: i64) -> Vec<String> {
        let summary = |it: &ListedObject| it.diagnostics.iter().next().map(|it| it.summary.to_string());
        let objects = self.objects(prefix, IncludeObject::No, limit);
        objects.into_iter().map(|it| summary(&it).unwrap_or(it.display_name)).collect()
    }

    fn objects(&self, prefix: &str, include: IncludeObject, limit: i64) -> Vec<ListedObject> {
        let schema = self.provider.catalog().list_resource("api_queue").expect("a schema");
        let config = decode_config(&schema.block, &Value::object([("name_prefix", Value::from(prefix))]));
        let config = config.expect("a configuration");
        self.runtime.block_on(async {
            let listing = self.provider.list_resource("api_queue", &config, include, limit).await;
            listing.expect("a listing").all().await.expect("an end")
        })
    }
}

fn failing(fault: Fault) -> Behaviour {
    Behaviour { faults: vec![fault], ..Behaviour::default() }
}

fn pages(direct: &Direct) {
    assert_eq!(direct.list("", 100), ["a1", "a2", "a3", "b1", "b2"]);
    let pages =
        ["GET /queues?prefix= 200", "GET /queues?prefix=&after=q-2 200", "GET /queues?prefix=&after=q-4 200"];
    assert_eq!(direct.service.requests(), pages);
}

fn limit(direct: &Direct) {
    for (limit, expect, pages) in [(1, &["a1"][..], 1), (2, &["a1", "a2"], 1), (3, &["a1", "a2", "a3"], 2)] {
        assert_eq!(direct.list("", limit), expect);
        let requests = direct.service.requests();
        assert_eq!(requests.len(), pages, "{requests:?}");
    }
}

fn prefix(direct: &Direct) {
    assert_eq!(direct.list("b", 100), ["b1", "b2"]);
    assert_eq!(direct.list("c", 100), [""; 0]);
}

fn failing_page(direct: &Direct) {
    direct.service.behave(failing(Fault::once("GET", "/queues", 500).after(1)));
    assert_eq!(direct.list("", 100), ["a1", "a2", "Service Failed"]);
    // The client asks again and again before it gives up.
    direct.service.behave(failing(Fault::always("GET", "/queues", 429).after(2)));
    assert_eq!(direct.list("", 100), ["a1", "a2", "a3", "b1", "Too Many Requests"]);
    assert!(direct.service.requests().iter().filter(|it| it.ends_with(" 429")).count() > 1);
}

fn refused_page(direct: &Direct) {
    direct.service.behave(failing(Fault::once("GET", "/queues", 429).after(1)));
    assert_eq!(direct.list("", 100), ["a1", "a2", "a3", "b1", "b2"]);
}

fn whole(direct: &Direct) {
    let label = |queue: &mut serde_json::Value| queue["labels"]["team"] = "core".into();
    direct.service.edit("queues", "q-2", label).expect("the queue is there");
    let objects = direct.objects("a", IncludeObject::Yes, 2);
    let labels = |it: &ListedObject| it.object.as_ref().and_then(|it| it.get(&path!(labels)).cloned());
    let of_team = Value::map([("team", Value::from("core"))]);
    assert_eq!(objects.iter().map(labels).collect::<Vec<_>>(), [Some(Value::Null), Some(of_team)]);
    let id = objects[1].identity.as_ref().and_then(|it| it.get(&path!(id))).and_then(Value::as_str);
    assert_eq!(id, Some("q-2"));
}

impl Direct {
    fn purge(&self, id: &str) -> InvokeResponse {
        let schema = self.provider.catalog().action("api_purge").expect("a schema");
        let config = decode_config(&schema.block, &Value::object([("queue", Value::from(id))]));
        let config = config.expect("a configuration");
        self.runtime.block_on(async {
            let invocation = self.provider.invoke_action("api_purge", &config).await.expect("an action");
            invocation.finish().await.expect("an end")
        })
    }

    fn fill(&self, messages: u64) {
        let fill = |queue: &mut serde_json::Value| queue["messages"] = messages.into();
        self.service.edit("queues", "q-1", fill).expect("the queue is there");
    }
}

fn purge(direct: &Direct) {
    direct.fill(3);
    let purged = direct.purge("q-1");
    assert_eq!(purged.progress, ["2 messages deleted, 1 left", "1 messages deleted, 0 left"]);
    assert!(purged.diagnostics.is_empty(), "{:?}", purged.diagnostics);
    assert_eq!(direct.service.objects("queues").expect("readable")[0]["messages"], 0);
    assert_eq!(direct.purge("q-1").progress, ["0 messages deleted, 0 left"]);
}

fn failing_purge(direct: &Direct) {
    direct.fill(5);
    // One part is deleted before the service fails.
    direct.service.behave(failing(Fault::once("DELETE", "/messages", 500).after(1)));
    let purged = direct.purge("q-1");
    assert_eq!(purged.progress, ["2 messages deleted, 3 left"]);
    let found: Vec<_> = purged.diagnostics.iter().map(|it| (&*it.summary, it.path.clone())).collect();
    assert_eq!(found, [("Service Failed", Some(path!(queue)))]);
    let found = direct.purge("q-9").diagnostics;
    assert_eq!(found.iter().map(|it| &*it.summary).collect::<Vec<_>>(), ["Object Not Found"]);
}
