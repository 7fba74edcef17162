//! Listing `@TYPE@`, without a core.

use std::sync::Arc;

use ferroform::provider::assemble;
use ferroform::protocol::HandlerService;
use ferroform::server::Server;
use ferroform::value::Value;
use ferroform::wire::Protocol6;
use ferroform_testing::client::{Client, Direct, Protocol, Provider, complete};

use @CRATE@::@CAMEL@;

#[tokio::test]
async fn filter_is_valid() {
    let server = Server::new(assemble::<@CAMEL@>());
    let canceller = server.canceller();
    let router = Protocol6::new(HandlerService::new(Arc::new(server)), canceller);
    let client = Client::new(Direct::new(router), Protocol::V6);
    let provider = Provider::connect(client).await.expect("core accepts the schemas");
    let block = &provider.schemas().list_resources["@TYPE@"].block;
    let filter = complete(block, &Value::object([("prefix", Value::string("one"))])).expect("a filter");
    let found = provider.validate_list_resource("@TYPE@", &filter).await.expect("it is validated");
    assert_eq!(found.iter().count(), 0, "{found:?}");
}
