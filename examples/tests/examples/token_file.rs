//! The ephemeral resource `demo_token_file`.

use ferroform::value::Value;
use ferroform_testing::client::{OpenResponse, decode_config};

use crate::support::{Demo, on_both, summaries};

const TOKEN_FILE: &str = "demo_token_file";

async fn open(demo: &Demo, name: &str, length: Value) -> OpenResponse {
    let schema = demo.provider.catalog().ephemeral_resource(TOKEN_FILE).unwrap();
    let config = Value::object([("name", Value::string(name)), ("length", length)]);
    let config = decode_config(&schema.block, &config).unwrap();
    demo.provider.open_ephemeral(TOKEN_FILE, &config).await.unwrap()
}

#[test]
fn file_exists_while_it_is_open() {
    on_both(async |demo| {
        for length in [Value::Null, Value::from(8)] {
            let opened = open(&demo, "token", length.clone()).await;
            assert_eq!(summaries(&opened.diagnostics), [""; 0]);
            let token = opened.value.get(&ferroform::path!(value)).and_then(Value::as_str).unwrap();
            assert_eq!(token.len(), if length.is_null() { 32 } else { 8 });
            assert_eq!(demo.content("token"), token);
            let closed = demo.provider.close_ephemeral(TOKEN_FILE, opened.private.clone()).await.unwrap();
            assert_eq!(summaries(&closed), [""; 0]);
            assert!(!demo.path("token").exists());
            // What is closed already is a success.
            let closed = demo.provider.close_ephemeral(TOKEN_FILE, opened.private).await.unwrap();
            assert_eq!(summaries(&closed), [""; 0]);
        }
    });
}

#[test]
fn file_of_another_is_neither_overwritten_nor_removed() {
    on_both(async |demo| {
        demo.write("token", "mine");
        let opened = open(&demo, "token", Value::Null).await;
        assert_eq!(summaries(&opened.diagnostics), ["name: Name Already Exists"]);
        assert_eq!((demo.content("token").as_str(), opened.private), ("mine", None));
    });
}
