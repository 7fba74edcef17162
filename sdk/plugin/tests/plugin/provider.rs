//! The provider that the tests start, and its router.

use std::io::Read;
use std::pin::Pin;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use ferroform_plugin::Options;
use ferroform_plugin::grpc::{Call, Code, Message, MessageStream, Router, Status};
use futures_core::Stream;

/// The variable that turns this program into something else than the tests.
pub(crate) const ROLE: &str = "FERROFORM_TEST_ROLE";

/// The source address of the provider.
pub(crate) const ADDRESS: &str = "example/cloud";

/// Acts as what the tests need.
pub(crate) fn play(role: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match role {
        "provider" => runtime.block_on(ferroform_plugin::serve(options())),
        "threads" => {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.expect("a runtime").block_on(ferroform_plugin::serve(options()))
        }
        "logging" => {
            ferroform_plugin::log::install(ADDRESS);
            runtime.block_on(ferroform_plugin::serve(options()))
        }
        "debug" => runtime.block_on(ferroform_plugin::debug(options())),
        "only-5" => {
            runtime.block_on(ferroform_plugin::serve(Options::new(ADDRESS).protocol(5, Arc::new(Author))))
        }
        "none" => runtime.block_on(ferroform_plugin::serve(Options::new(ADDRESS))),
        // A host that starts a provider and then does nothing until it is killed.
        "host" => {
            let program = std::env::current_exe().expect("the path of this program");
            let mut provider = Command::new(program).env(ROLE, "provider").spawn().expect("a provider");
            provider.wait().expect("an exit status");
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

/// What the provider serves.
pub(crate) fn options() -> Options {
    let router = Arc::new(Author);
    Options::new(ADDRESS).protocol(5, router.clone()).protocol(6, router).on_shutdown(|| async {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "the hook has run");
    })
}

/// Does what authors do.
pub(crate) struct Author;

impl Router for Author {
    fn route(&self, path: &str) -> Option<Call> {
        let call = match path.strip_prefix("/test.Author/")? {
            "Echo" => Call::unary(|request| async { Ok(request.into()) }),
            "Pieces" => Call::unary(|request| async move {
                Ok(request.chunks(1000).map(Bytes::copy_from_slice).collect())
            }),
            "Fail" => {
                Call::unary(|_| async { Err(Status::new(Code::FailedPrecondition, "not today: 100 %")) })
            }
            "Panic" => Call::unary(|_| async { panic!("a secret in the text of the panic") }),
            "PanicInDrop" => Call::unary(|_| async { std::panic::panic_any(Bomb) }),
            "PanicInRoute" => panic!("a secret in the text of the panic"),
            "Split" => Call::server_stream(|request| async move { Ok(split(&request)) }),
            "PanicInStream" => {
                Call::server_stream(|_| async { Ok(Box::pin(OneThenPanic(false)) as MessageStream) })
            }
            "Join" => Call::client_stream(|mut requests| async move {
                let mut all = Vec::new();
                while let Some(request) = requests.next().await? {
                    all.push(request);
                }
                Ok(Message::from_iter(all))
            }),
            "Hang" => Call::unary(|_| std::future::pending()),
            "Block" => Call::unary(|_| async {
                tokio::task::spawn_blocking(|| {
                    loop {
                        std::thread::park();
                    }
                });
                Ok(Message::empty())
            }),
            "BlockAll" => Call::unary(|_| async {
                loop {
                    std::thread::park();
                }
            }),
            // More than the queue and the pipe hold.
            "Log" => Call::unary(|_| async {
                for number in 0..1_000 {
                    tracing::info!(number, "{}", "x".repeat(20_000));
                }
                Ok(Message::empty())
            }),
            "Print" => Call::unary(|request| async move {
                print(&request);
                Ok(Message::empty())
            }),
            "ReadStdin" => Call::unary(|_| async {
                let mut input = Vec::new();
                match std::io::stdin().read_to_end(&mut input) {
                    Ok(_) => Ok(input.into()),
                    Err(error) => Err(Status::new(Code::Internal, error.to_string())),
                }
            }),
            _ => return None,
        };
        Some(call)
    }
}

/// The payload of a panic that panics once more when it is dropped, and so on.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::panic_any(Self);
    }
}

/// Prints like an author who forgot a debugging aid.
#[expect(clippy::print_stdout, reason = "this is what must not reach the host")]
fn print(text: &[u8]) {
    println!("{}", String::from_utf8_lossy(text));
}

/// One message per byte.
fn split(request: &[u8]) -> MessageStream {
    let messages: Vec<_> = request.iter().map(|byte| Message::from(vec![*byte])).collect();
    Box::pin(Each(messages.into_iter()))
}

struct Each(std::vec::IntoIter<Message>);

impl Stream for Each {
    type Item = Result<Message, Status>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

struct OneThenPanic(bool);

impl Stream for OneThenPanic {
    type Item = Result<Message, Status>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!std::mem::replace(&mut self.0, true), "a secret in the text of the panic");
        Poll::Ready(Some(Ok(Message::from(vec![1]))))
    }
}
