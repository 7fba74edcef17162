//! Actions: `ValidateActionConfig`, `PlanAction` and `InvokeAction`, typed and dynamic.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use ferroform::action::{Action, Context, PlanContext};
use ferroform::cancel::Canceller;
use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::dynamic::ValidateContext;
use ferroform::dynamic::{self, Catalogue, InvokeContext};
use ferroform::model::{Attr, Draft, Model, Planned, WriteOnly};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::schema::{Attribute, Block, Kind, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ActionEvent, Call, ClientCapabilities, ConfigureProviderRequest, Deferred, DynamicValue, EventStream,
    GetMetadataRequest, Handler, InvokeActionRequest, PlanActionRequest, Response,
    ValidateActionConfigRequest,
};
use ferroform_server::server::Server;
use futures_core::Stream;
use tokio::sync::{Notify, oneshot};

use crate::server::support::{ask, block_on, capable, details, encoded_by, message, response, summaries};

/// What the service was told, in order.
#[derive(Default)]
struct Service(Mutex<Vec<String>>);

/// Rotates a key.
#[derive(Model)]
struct Rotate {
    key: String,
    #[attr(default = "slow")]
    pace: String,
    passphrase: WriteOnly<Option<String>>,
}

impl Action for Rotate {
    type Client = Service;
    const NAME: &str = "rotate";

    fn validate(_: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        match config.key {
            Attr::Known(key) if key == "root" => {
                Err(Error::new("Root Key", "The root key stays.").at(path!(key)))
            }
            _ => Ok(()),
        }
    }

    async fn plan(cx: &mut PlanContext<'_, Self>, config: Draft<Self>) -> Result {
        cx.client
            .0
            .lock()
            .unwrap()
            .push(format!("plan {}", config.pace.as_known().cloned().unwrap_or_default()));
        match config.key.as_known().map(String::as_str) {
            Some("later") => cx.defer(Deferred::ProviderConfigUnknown),
            Some("misfit") => cx.defer(Deferred::AbsentPrerequisite),
            Some("gone") => return Err(Error::new("Key Not Found", "").at(path!(key))),
            _ => cx.warn("Slow", ""),
        }
        Ok(())
    }

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        cx.progress(format!("Rotating {}", config.key)).await;
        let passphrase = config.passphrase.unwrap_or_default();
        cx.client.0.lock().unwrap().push(format!("{} {} {passphrase}", config.key, config.pace));
        cx.warn("Old Key Valid", "The old key stays valid for an hour.");
        cx.progress("Rotated").await;
        Ok(())
    }
}

struct Vault;

impl Provider for Vault {
    type Config = VaultConfig;
    type Client = Service;
    const NAME: &str = "vault";

    async fn configure(cx: &mut provider::Context<'_>, config: Draft<VaultConfig>) -> Result<Service> {
        if config.address.is_unknown() {
            cx.defer(Deferred::AbsentPrerequisite);
        }
        Ok(Service::default())
    }

    fn register(it: &mut Registry<Service>) {
        it.action::<Rotate>();
    }
}

#[derive(Model)]
struct VaultConfig {
    address: Option<String>,
}

const ROTATE: &str = "vault_rotate";

fn rotate(key: Value, passphrase: Value) -> DynamicValue {
    encoded_by(
        &Rotate::schema(),
        &Value::object([("key", key), ("pace", Value::Null), ("passphrase", passphrase)]),
    )
}

/// A server whose provider is configured with an address.
fn vault(address: Value) -> Server {
    let server = Server::new(assemble::<Vault>());
    let config = encoded_by(&VaultConfig::schema(), &Value::object([("address", address)]));
    let request = message!(ConfigureProviderRequest { config: config, client_capabilities: capable() });
    let configured = response!(ConfigureProvider, ask(&server, request));
    assert!(configured.diagnostics.is_empty(), "{:?}", configured.diagnostics);
    server
}

#[test]
fn actions_are_listed_and_have_schemas() {
    let metadata = response!(GetMetadata, ask(&vault(Value::Null), GetMetadataRequest::default()));
    assert_eq!(metadata.names(Kind::Action), [ROTATE]);
    assert!(metadata.diagnostics.is_empty());
    ferroform::testing::check::<Vault>();
}

#[test]
fn configuration_is_validated_by_schema_and_author() {
    // Validation needs no client.
    let server = Server::new(assemble::<Vault>());
    let check = |config: DynamicValue, expect: &str| {
        let request = message!(ValidateActionConfigRequest { type_name: ROTATE.to_owned(), config: config });
        let response = response!(ValidateActionConfig, ask(&server, request));
        assert_eq!(summaries(&response.diagnostics), expect, "{}", details(&response.diagnostics));
    };
    check(rotate("a".into(), "secret".into()), "");
    check(rotate(Value::unknown(), Value::unknown()), "");
    check(rotate("root".into(), Value::Null), "error key: Root Key\n");
    check(rotate(Value::Null, Value::Null), "error key: Missing Required Attribute\n");
    check(DynamicValue::Absent, "error key: Missing Required Attribute\n");
    check(DynamicValue::Msgpack(b"\x01".as_slice().into()), "error: Unreadable Value\n");
}

fn plan(key: Value, capabilities: ClientCapabilities) -> PlanActionRequest {
    message!(PlanActionRequest {
        action_type: ROTATE.to_owned(),
        config: rotate(key, Value::Null),
        client_capabilities: capabilities,
    })
}

#[test]
fn plan_sees_client_and_defaults_and_can_reject() {
    let server = vault(Value::Null);
    let check = |key: Value, capabilities, expect: (&str, Option<Deferred>)| {
        let response = response!(PlanAction, ask(&server, plan(key, capabilities)));
        assert_eq!((summaries(&response.diagnostics).as_str(), response.deferred), expect);
    };
    let old = ClientCapabilities::default();
    check("a".into(), old, ("warning: Slow\n", None));
    check(Value::unknown(), old, ("warning: Slow\n", None));
    check("gone".into(), old, ("error key: Key Not Found\n", None));
    check("later".into(), capable(), ("", Some(Deferred::ProviderConfigUnknown)));
    check("later".into(), old, ("error: Deferral Not Allowed\n", None));
    check("misfit".into(), capable(), ("error: Invalid Deferral Reason\n", None));
}

#[test]
fn plan_of_a_deferred_provider_is_deferred_without_author_code() {
    let server = vault(Value::unknown());
    let response = response!(PlanAction, ask(&server, plan("gone".into(), capable())));
    assert_eq!((response.deferred, response.diagnostics.len()), (Some(Deferred::ProviderConfigUnknown), 0));
}

#[test]
fn unconfigured_provider_neither_plans_nor_invokes() {
    let server = Server::new(assemble::<Vault>());
    let response = response!(PlanAction, ask(&server, plan("a".into(), capable())));
    assert_eq!(summaries(&response.diagnostics), "error: Provider Not Configured\n");
    let request = message!(InvokeActionRequest {
        action_type: ROTATE.to_owned(),
        config: rotate("a".into(), Value::Null)
    });
    assert_eq!(block_on(invoked(&server, request)), ["error: Provider Not Configured\n"]);
}

/// The next event as text: the progress, or the diagnostics of the completion.
async fn next(events: &mut EventStream<ActionEvent>) -> Option<String> {
    let event = std::future::poll_fn(|cx| Pin::new(&mut *events).poll_next(cx)).await?;
    Some(match event {
        ActionEvent::Progress(message) => format!("progress: {message}"),
        ActionEvent::Completed(diagnostics) => completed(&diagnostics),
        _ => panic!("{event:?} is no event of an action"),
    })
}

fn completed(diagnostics: &Diagnostics) -> String {
    if diagnostics.is_empty() { "completed".to_owned() } else { summaries(diagnostics) }
}

fn events(response: Response) -> EventStream<ActionEvent> {
    response!(InvokeAction, response).events
}

async fn all(mut stream: EventStream<ActionEvent>) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(event) = next(&mut stream).await {
        all.push(event);
    }
    all
}

async fn invoked(server: &Server, request: InvokeActionRequest) -> Vec<String> {
    all(events(server.handle(Call::new(request)).await)).await
}

#[test]
fn invocation_sees_defaults_and_write_only_values() {
    let server = vault(Value::Null);
    let request = message!(InvokeActionRequest {
        action_type: ROTATE.to_owned(),
        config: rotate("a".into(), "p4ss".into()),
    });
    let expect = ["progress: Rotating a", "progress: Rotated", "warning: Old Key Valid\n"];
    assert_eq!(block_on(invoked(&server, request)), expect);
}

#[test]
fn invocation_of_an_unknown_or_invalid_configuration_is_rejected() {
    let server = vault(Value::Null);
    let check = |name: &str, config: DynamicValue, expect: &str| {
        let request = message!(InvokeActionRequest { action_type: name.to_owned(), config: config });
        assert_eq!(block_on(invoked(&server, request)), [expect]);
    };
    check(ROTATE, rotate(Value::unknown(), Value::Null), "error: Unknown Action Configuration\n");
    check(ROTATE, DynamicValue::Msgpack(b"\x01".as_slice().into()), "error: Unreadable Value\n");
    check("vault_other", rotate("a".into(), Value::Null), "error: Unknown Type\n");
}

type Invoking<'a> = Pin<Box<dyn Future<Output = Result> + Send + 'a>>;

/// An action that does what the test says.
struct Double<F>(F);

#[async_trait]
impl<F> dynamic::Action for Double<F>
where
    F: for<'a> Fn(InvokeContext<'a>) -> Invoking<'a> + Send + Sync,
{
    fn schema(&self) -> Schema {
        let attributes = vec![Attribute::optional("a", Type::String)];
        Schema::new(Block::new(attributes))
    }

    async fn invoke(&self, cx: InvokeContext<'_>, _config: Value) -> Result {
        (self.0)(cx).await
    }
}

struct Acting(Arc<dyn dynamic::Action>);

#[async_trait]
impl dynamic::Provider for Acting {
    fn name(&self) -> &str {
        "acting"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _: &mut dynamic::Context<'_, dynamic::phase::Configure>, _: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::new().with("acting_it", Arc::clone(&self.0))
    }
}

fn acting<F>(invoke: F) -> Server
where
    F: for<'a> Fn(InvokeContext<'a>) -> Invoking<'a> + Send + Sync + 'static,
{
    Server::new(Arc::new(Acting(Arc::new(Double(invoke)))))
}

fn request() -> InvokeActionRequest {
    message!(InvokeActionRequest { action_type: "acting_it".to_owned() })
}

fn check<F>(invoke: F, expect: &[&str])
where
    F: for<'a> Fn(InvokeContext<'a>) -> Invoking<'a> + Send + Sync + 'static,
{
    assert_eq!(block_on(invoked(&acting(invoke), request())), expect);
}

#[test]
fn every_invocation_completes_exactly_once() {
    check(|_| Box::pin(async { Ok(()) }), &["completed"]);
    check(|_| Box::pin(async { Err(Error::new("Refused", "")) }), &["error: Refused\n"]);
    check(
        |mut cx| {
            Box::pin(async move {
                cx.error_at(path!(a), "Wrong", "");
                cx.progress("going on").await;
                Ok(())
            })
        },
        &["progress: going on", "error a: Wrong\n"],
    );
    check(
        |mut cx| {
            Box::pin(async move {
                cx.progress("half-way").await;
                cx.warn("Careful", "");
                panic!("a secret text")
            })
        },
        &["progress: half-way", "warning: Careful\nerror: Provider Panicked\n"],
    );
}

#[test]
fn progress_keeps_its_order() {
    let expect: Vec<String> =
        (0..1000).map(|at| format!("progress: {at}")).chain(["completed".to_owned()]).collect();
    let flooding = acting(|cx| {
        Box::pin(async move {
            for at in 0..1000 {
                cx.progress(at.to_string()).await;
            }
            Ok(())
        })
    });
    assert_eq!(block_on(invoked(&flooding, request())), expect);
}

#[test]
fn action_does_not_run_ahead_of_the_reader() {
    let reported = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&reported);
    let server = acting(move |cx| {
        let count = Arc::clone(&count);
        Box::pin(async move {
            loop {
                cx.progress("more").await;
                count.fetch_add(1, SeqCst);
            }
        })
    });
    block_on(async {
        let mut stream = events(server.handle(Call::new(request())).await);
        for read in 1..50 {
            assert_eq!(next(&mut stream).await.as_deref(), Some("progress: more"));
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            let ahead = reported.load(SeqCst) - read;
            assert!(ahead <= 2, "the action is {ahead} messages ahead");
        }
    });
}

/// An invocation that is told to stop by the user, whose action then goes on for that long.
async fn stopped(goes_on: Duration) -> Vec<String> {
    let calls = Canceller::default();
    let running = Arc::new(Notify::new());
    let note = Arc::clone(&running);
    let server = acting(move |cx| {
        let note = Arc::clone(&note);
        Box::pin(async move {
            note.notify_one();
            cx.cancellation.cancelled().await;
            tokio::time::sleep(goes_on).await;
            cx.progress("stopped").await;
            Ok(())
        })
    });
    let call = message!(Call { cancellation: calls.token(), ..Call::new(request()) });
    let stream = events(server.handle(call).await);
    running.notified().await;
    calls.cancel_all();
    all(stream).await
}

#[tokio::test(start_paused = true)]
async fn cancelled_action_ends_by_itself_or_after_the_grace() {
    assert_eq!(stopped(Duration::ZERO).await, ["progress: stopped", "completed"]);
    assert_eq!(stopped(Duration::from_secs(9)).await, ["progress: stopped", "completed"]);
    assert_eq!(stopped(Duration::from_secs(3600)).await, ["error: Action Cancelled\n"]);
}

#[tokio::test(start_paused = true)]
async fn lost_connection_tells_the_action_to_stop_and_the_server_waits_for_it() {
    let running = Arc::new(Notify::new());
    let (note, (send, ended)) = (Arc::clone(&running), oneshot::channel());
    let send = Mutex::new(Some(send));
    let server = acting(move |cx| {
        let note = Arc::clone(&note);
        let send = send.lock().unwrap().take();
        Box::pin(async move {
            note.notify_one();
            cx.cancellation.cancelled().await;
            cx.progress("nobody reads this").await;
            let _ = send.expect("one invocation").send(());
            std::future::pending().await
        })
    });
    let stream = events(server.handle(Call::new(request())).await);
    running.notified().await;
    drop(stream);
    ended.await.expect("the action is told to stop");
    // It hangs for ever, and is abandoned.
    server.shut_down().await;
}
