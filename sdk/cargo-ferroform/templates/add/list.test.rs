//! Listing `@TYPE@`, without a core.

use ferroform::provider::assemble;
use ferroform::value::Value;
use ferroform_testing::client::{Client, Protocol, Provider, decode_config};

use @CRATE@::@CAMEL@;

#[tokio::test]
async fn filter_is_valid() {
    let client = Client::in_process(assemble::<@CAMEL@>(), Protocol::V6);
    let provider = Provider::connect(client).await.expect("core accepts the schemas");
    let block = &provider.schemas().list_resources["@TYPE@"].block;
    let filter = decode_config(block, &Value::object([("prefix", Value::string("one"))])).expect("a filter");
    let found = provider.validate_list_resource("@TYPE@", &filter).await.expect("it is validated");
    assert_eq!(found.iter().count(), 0, "{found:?}");
}
