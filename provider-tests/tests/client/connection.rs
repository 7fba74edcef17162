//! Calls over a connection that go on while others do not.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use ferroform_plugin::grpc::{self, Call, Code, Message, MessageStream, Reply, Requests, Router, Status};
use ferroform_testing::client::{Connection, Transport as _};
use futures_core::Stream;
use tokio::time::timeout;

/// Answers with what the path asks for.
struct Server;

impl Router for Server {
    fn route(&self, path: &str) -> Option<Call> {
        match path {
            "/t.T/Echo" => Some(Call::unary(|request| async { Ok(Message::from(request)) })),
            "/t.T/Short" => Some(Call::server_stream(|_| async { Ok(repeated(40_000, 60)) })),
            "/t.T/Large" => Some(Call::server_stream(|_| async { Ok(repeated(16, 1 << 20)) })),
            "/t.T/None" => Some(Call::server_stream(|_| async { Ok(repeated(0, 0)) })),
            "/t.T/Count" => Some(Call::new(|mut requests: Requests| async move {
                let mut length = 0_usize;
                while let Some(request) = requests.next().await? {
                    length += request.len();
                }
                Ok(Reply::One(Message::from(length.to_string().into_bytes())))
            })),
            // Without a look at the requests.
            "/t.T/Early" => Some(Call::new(|_| async { Ok(Reply::One(Message::from(b"early".to_vec()))) })),
            _ => None,
        }
    }
}

fn repeated(times: usize, length: usize) -> MessageStream {
    Box::pin(Repeated(times, Bytes::from(vec![b'x'; length])))
}

struct Repeated(usize, Bytes);

impl Stream for Repeated {
    type Item = Result<Message, Status>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0 = match self.0.checked_sub(1) {
            Some(left) => left,
            None => return Poll::Ready(None),
        };
        Poll::Ready(Some(Ok(Message::from(self.1.clone()))))
    }
}

/// Requests that never come, or that end as told.
struct Sent(Option<Poll<Option<Result<Bytes, Status>>>>);

impl Stream for Sent {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.take().expect("a stream that fails is not polled again")
    }
}

async fn connection() -> Connection {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(grpc::serve_connection(theirs, Arc::new(Server)));
    Connection::new(ours).await.expect("a connection")
}

async fn echo(connection: &Connection) {
    let answer = connection.call("/t.T/Echo", vec![Bytes::from_static(b"hello")]);
    let answer =
        timeout(Duration::from_secs(30), answer).await.expect("it is not held up").expect("an answer");
    assert_eq!(answer.one().await.expect("a message"), "hello");
}

#[tokio::test]
async fn unread_responses_hold_up_no_other_call() {
    for path in ["/t.T/Short", "/t.T/Large"] {
        let connection = connection().await;
        let mut unread = connection.call(path, vec![Bytes::new()]).await.expect("an answer");
        assert!(unread.next().await.expect("a message").is_some());
        // So that whatever fits into the window has arrived.
        for _ in 0..100 {
            echo(&connection).await;
        }
        let mut count = 1;
        while unread.next().await.expect("a message").is_some() {
            count += 1;
        }
        assert_eq!(count, if path.ends_with("Short") { 40_000 } else { 16 }, "{path}");
        drop(connection.call("/t.T/Large", vec![Bytes::new()]).await);
        echo(&connection).await;
    }
}

#[tokio::test]
async fn large_request_arrives_whole_over_both_ways_to_send() {
    let connection = connection().await;
    let messages = || (0..12).map(|_| Bytes::from(vec![1; 1 << 20]));
    let whole = connection.call("/t.T/Count", messages().collect()).await.expect("an answer");
    assert_eq!(whole.one().await.expect("a message"), "12582912");
    let streamed = connection.send("/t.T/Count", Requests::lazy(messages())).await.expect("an answer");
    assert_eq!(streamed.one().await.expect("a message"), "12582912");
}

#[tokio::test]
async fn response_without_messages_is_no_failure() {
    let mut none = connection().await.call("/t.T/None", vec![Bytes::new()]).await.expect("an answer");
    assert!(none.next().await.expect("no failure").is_none());
}

#[tokio::test]
async fn answer_that_comes_early_ends_the_requests() {
    let connection = connection().await;
    let endless = Requests::lazy(std::iter::repeat_with(|| Bytes::from(vec![1; 1 << 16])));
    let early = connection.send("/t.T/Early", endless);
    let early = timeout(Duration::from_secs(30), early).await.expect("an end").expect("an answer");
    assert_eq!(early.one().await.expect("a message"), "early");
    echo(&connection).await;
}

#[tokio::test]
async fn requests_that_fail_end_the_call_with_their_status() {
    let connection = connection().await;
    let told = Status::new(Code::ResourceExhausted, "too large");
    let requests = Requests::new(Sent(Some(Poll::Ready(Some(Err(told.clone()))))));
    let failed =
        timeout(Duration::from_secs(30), connection.send("/t.T/Count", requests)).await.expect("an end");
    assert_eq!(failed.err(), Some(told));
    let panicking = Requests::new(Sent(None));
    let failed = timeout(Duration::from_secs(30), connection.send("/t.T/Count", panicking)).await;
    assert_eq!(failed.expect("an end").err().map(|it| it.code()), Some(Code::Unavailable));
    echo(&connection).await;
}
