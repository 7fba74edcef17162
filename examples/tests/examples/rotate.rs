//! The action `demo_rotate`.

use ferroform::value::Value;
use ferroform_testing::client::{InvokeResponse, decode_config};

use crate::support::{Demo, on_both, summaries};

const ROTATE: &str = "demo_rotate";

async fn rotate(demo: &Demo, keep: Value) -> InvokeResponse {
    let schema = demo.provider.catalog().action(ROTATE).unwrap();
    let config = Value::object([("name", Value::string("log")), ("keep", keep)]);
    let config = decode_config(&schema.block, &config).unwrap();
    demo.provider.invoke_action(ROTATE, &config).await.unwrap().finish().await.unwrap()
}

#[test]
fn rotation_keeps_texts_oldest_first() {
    on_both(async |demo| {
        for (text, keep, progress) in [
            ("first", Value::Null, &["Keeping log as log.1"][..]),
            ("second", Value::from(2), &["Keeping log.1 as log.2", "Keeping log as log.1"]),
            ("third", Value::from(2), &["Keeping log.1 as log.2", "Keeping log as log.1"]),
        ] {
            demo.write("log", text);
            let invoked = rotate(&demo, keep).await;
            assert_eq!(summaries(&invoked.diagnostics), [""; 0]);
            assert_eq!(invoked.progress, progress);
        }
        assert_eq!(["log", "log.1", "log.2"].map(|name| demo.content(name)), ["third", "third", "second"]);
        assert!(!demo.path("log.3").exists());
    });
}

#[test]
fn rotation_of_a_missing_file_is_an_error_at_its_name() {
    on_both(async |demo| {
        let invoked = rotate(&demo, Value::Null).await;
        assert_eq!(summaries(&invoked.diagnostics), ["name: File Not Found"]);
        assert_eq!(invoked.progress, [""; 0]);
    });
}
