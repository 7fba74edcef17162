//! Calls over a connection within the process.

use std::sync::Arc;

use bytes::Bytes;
use ferroform_plugin::grpc;

use crate::client::{Client, Outcome};
use crate::host::Provider;
use crate::provider::Author;

crate::trials![
    calls_of_each_shape,
    one_request_where_one_is_due,
    statuses,
    unknown_methods,
    panics_end_their_call_only,
    oversized_requests_are_refused,
    connection_ends_with_its_peer,
    refuses_another_protocol,
    health,
    silent_streams,
];

async fn client() -> Client {
    let (near, far) = tokio::io::duplex(64 * 1024);
    tokio::spawn(grpc::serve_connection(far, Arc::new(Author)));
    Client::connect(near).await.expect("a connection")
}

/// Calls a method of the author and compares the messages and the status.
async fn check(client: &Client, method: &str, requests: &[&[u8]], expect: (&[&[u8]], u32, &str)) {
    let outcome = client.call(&format!("/test.Author/{method}"), requests).await.expect("an answer");
    let (messages, code, text) = expect;
    let messages = messages.iter().map(|message| Bytes::copy_from_slice(message)).collect();
    assert_eq!(outcome, Outcome { messages, code, text: text.into() }, "{method}");
}

async fn calls_of_each_shape() {
    let client = client().await;
    check(&client, "Echo", &[b"hello"], (&[b"hello"], 0, "")).await;
    check(&client, "Echo", &[b""], (&[b""], 0, "")).await;
    check(&client, "Split", &[b"abc"], (&[b"a", b"b", b"c"], 0, "")).await;
    check(&client, "Split", &[b""], (&[], 0, "")).await;
    check(&client, "Join", &[b"ab", b"", b"c"], (&[b"abc"], 0, "")).await;
    check(&client, "Join", &[], (&[b""], 0, "")).await;
}

async fn one_request_where_one_is_due() {
    let client = client().await;
    for method in ["Echo", "Split"] {
        check(&client, method, &[], (&[], 3, "the%20call%20has%20no%20request%20message")).await;
        let text = "the%20call%20has%20more%20than%20one%20request%20message";
        check(&client, method, &[b"a", b"b"], (&[], 3, text)).await;
    }
}

async fn statuses() {
    check(&client().await, "Fail", &[b""], (&[], 9, "not%20today:%20100%20%25")).await;
}

async fn unknown_methods() {
    let client = client().await;
    let text = "this%20provider%20has%20no%20method%20/test.Author/Missing";
    check(&client, "Missing", &[b""], (&[], 12, text)).await;
    client.echo().await;
}

/// The status does not quote the panic, which may hold a sensitive value.
async fn panics_end_their_call_only() {
    let client = client().await;
    client.start("/test.Author/Hang").await;
    for (method, before) in
        [("Panic", &[][..]), ("PanicInRoute", &[]), ("PanicInStream", &[&b"\x01"[..]]), ("PanicInDrop", &[])]
    {
        let text = format!(
            "{method}%20panicked.%20This%20is%20a%20bug%20in%20the%20provider%3B%20its%20log%20has%20more."
        );
        check(&client, method, &[b""], (before, 13, &text.replace("%3B", ";"))).await;
        client.echo().await;
    }
}

/// The length is refused before anything is allocated for it.
async fn oversized_requests_are_refused() {
    let client = client().await;
    let head = [0, 0x10, 0x00, 0x00, 0x01];
    let outcome =
        client.call_raw("/test.Author/Echo", Bytes::copy_from_slice(&head)).await.expect("an answer");
    assert_eq!(outcome.code, 8, "{}", outcome.text);
    assert!(outcome.text.replace("%20", " ").contains("256 MiB"), "{}", outcome.text);
    client.echo().await;
}

async fn connection_ends_with_its_peer() {
    let (near, far) = tokio::io::duplex(1024);
    drop(near);
    // How the peer left decides whether that is an error.
    let _ = grpc::serve_connection(far, Arc::new(Author)).await;
}

async fn refuses_another_protocol() {
    use tokio::io::AsyncWriteExt;

    let (mut near, far) = tokio::io::duplex(1024);
    near.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("a pipe");
    grpc::serve_connection(far, Arc::new(Author)).await.expect_err("HTTP/1.1");
}

async fn health() {
    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    let plugin = b"\x0a\x06plugin";
    for request in [&plugin[..], b""] {
        let answer = client.call("/grpc.health.v1.Health/Check", &[request]).await.expect("an answer").one();
        assert_eq!(answer, &b"\x08\x01"[..]);
    }
    let outcome = client.call("/grpc.health.v1.Health/Check", &[b"\x0a\x05other"]).await.expect("an answer");
    assert_eq!(outcome.code, 5, "{}", outcome.text);
    let outcome = client.call("/grpc.health.v1.Health/Check", &[b"\xff"]).await.expect("an answer");
    assert_eq!(outcome.code, 3, "{}", outcome.text);
}

/// The host opens them at once and wants them to stay.
async fn silent_streams() {
    use http_body_util::BodyExt;

    let provider = Provider::start(&[]).await;
    let client = provider.client().await;
    let mut broker = client.open("/plugin.GRPCBroker/StartStream").await.expect("a head").into_body();
    client.start("/plugin.GRPCStdio/StreamStdio").await;
    client.echo().await;
    let frame = broker.frame();
    tokio::pin!(frame);
    assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(frame.as_mut().poll(cx).is_pending())).await);

    let outcome = client.call("/plugin.GRPCBroker/StartStream", &[]).await.expect("an answer");
    assert_eq!(outcome, Outcome { messages: vec![], code: 0, text: String::new() });
}
