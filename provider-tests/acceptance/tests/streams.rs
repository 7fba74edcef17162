//! Calls that answer with a stream, through the client and a provider in a process of its own, over both protocols.

use std::path::Path;

use ferroform::value::Value;
use ferroform_server::protocol::ActionEvent;
use ferroform_testing::client::{Client, Command, IncludeObject, Protocol, Provider};
use libtest_mimic::Trial;
use serde_json::json;

use crate::trial;

const PROTOCOLS: [(Protocol, &str); 2] = [(Protocol::V5, "5"), (Protocol::V6, "6")];

pub(crate) fn trials() -> [Trial; 2] {
    [
        trial("action_reports_progress_and_completes", action_reports_progress_and_completes),
        trial("listing_has_objects_and_can_be_abandoned", listing_has_objects_and_can_be_abandoned),
    ]
}

/// A configured provider on the objects in a folder.
async fn corner(root: &Path, (protocol, number): (Protocol, &str)) -> Provider {
    let command =
        Command::new(env!("CARGO_BIN_EXE_terraform-provider-corner")).env("CORNER_PROTOCOL", number);
    let process = command.only(protocol).start().await.expect("a provider");
    let provider = Provider::connect(Client::new(process, protocol)).await.expect("schemas");
    let root = Value::from(root.to_str().expect("a path that is text"));
    let config = Value::object([("root", root), ("usual_type", Value::Null)]);
    assert!(provider.configure(&config).await.expect("an answer").is_empty());
    provider
}

fn announcement(text: &str, fails: Value) -> Value {
    Value::object([
        ("task", "t".into()),
        ("text", text.into()),
        ("fails", fails),
        ("separator", Value::Null),
        ("secret", Value::Null),
    ])
}

async fn action_reports_progress_and_completes() {
    for protocol in PROTOCOLS {
        let root = tempfile::tempdir().expect("a folder");
        let corner = corner(root.path(), protocol).await;
        let config = announcement("one", Value::Null);
        assert!(corner.validate_action("corner_announce", &config).await.expect("an answer").is_empty());
        let plan = corner.plan_action("corner_announce", &config).await.expect("an answer");
        assert!(plan.diagnostics.is_empty() && plan.deferred.is_none());
        let invoked = corner.invoke_action("corner_announce", &config).await.expect("a start");
        let invoked = invoked.finish().await.expect("a completion");
        assert_eq!(invoked.progress, ["Announcing one", "Announced one"]);
        assert!(invoked.diagnostics.is_empty());
        for (fails, summary) in [("error", "Announcement Failed"), ("panic", "Provider Panicked")] {
            let config = announcement("one", fails.into());
            let mut invoked = corner.invoke_action("corner_announce", &config).await.expect("a start");
            let first = invoked.next().await.expect("an event");
            assert!(matches!(first, Some(ActionEvent::Progress(_))), "{first:?}");
            let invoked = invoked.finish().await.expect("a completion");
            let found: Vec<_> = invoked.diagnostics.iter().map(|found| found.summary.as_str()).collect();
            assert_eq!(found, [summary]);
        }
    }
}

async fn listing_has_objects_and_can_be_abandoned() {
    for protocol in PROTOCOLS {
        let root = tempfile::tempdir().expect("a folder");
        for at in 0..500 {
            let object = json!({ "text": format!("text {at}") }).to_string();
            std::fs::write(root.path().join(format!("t{at:03}.json")), object).expect("written");
        }
        let corner = corner(root.path(), protocol).await;
        let config = Value::object([("prefix", Value::Null), ("fails", Value::Null)]);
        assert!(corner.validate_list_resource("corner_task", &config).await.expect("an answer").is_empty());
        let list = |include, limit| corner.list_resource("corner_task", &config, include, limit);
        let all = list(IncludeObject::Yes, 1000).await.expect("a start").all().await.expect("objects");
        assert_eq!(all.len(), 500);
        let last = all.last().expect("an object");
        assert_eq!(last.identity, Some(Value::object([("label", "t499".into())])));
        let text = last.object.as_ref().and_then(|object| object.get(&ferroform::path!(text)));
        assert_eq!(text.and_then(Value::as_str), Some("text 499"));
        let some = list(IncludeObject::No, 7).await.expect("a start").all().await.expect("objects");
        assert_eq!(some.len(), 7);
        assert!(some.iter().all(|it| it.object.is_none() && it.diagnostics.is_empty()));
        let mut abandoned = list(IncludeObject::No, 1000).await.expect("a start");
        assert!(abandoned.next().await.expect("an object").is_some());
        drop(abandoned);
        let again = list(IncludeObject::No, 1).await.expect("a start").all().await.expect("objects");
        assert_eq!(again.len(), 1);
    }
}
