//! The time that operations may take.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::dynamic::{Change, Context, Resource, phase};
use ferroform::model::{Model, Timeouts};
use ferroform::schema::{Operation, Schema};
use ferroform::validate::validate;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, Call, Handler, ReadResourceRequest,
};
use ferroform_server::server::Server;
use std::sync::Arc;

use crate::server::support::{Double, THING, encoded_by, message, response, shown, summaries};

#[derive(Model)]
struct Cluster {
    name: String,
    #[attr(timeouts = [create = "30m", read, delete])]
    timeouts: Option<Timeouts>,
}

#[derive(Model)]
struct Blocky {
    name: String,
    /// How long things take.
    #[attr(block, name = "limits", timeouts = [update])]
    timeouts: Option<Timeouts>,
}

fn cluster(timeouts: Value) -> Value {
    Value::object([("name", Value::string("a")), ("timeouts", timeouts)])
}

fn limits(create: Value, delete: Value) -> Value {
    cluster(Value::object([("create", create), ("read", Value::Null), ("delete", delete)]))
}

#[test]
fn only_declared_operations_are_in_the_schema() {
    assert_eq!(Cluster::schema().check().map_err(|it| it.to_string()), Ok(()));
    assert_eq!(Blocky::schema().check().map_err(|it| it.to_string()), Ok(()));
    let names = |timeouts: &ferroform::schema::Timeouts| {
        timeouts.attributes().iter().map(|it| it.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(Cluster::block().timeouts.as_ref().unwrap()), ["create", "read", "delete"]);
    let block = Blocky::block();
    let nested = block.block("limits").expect("it is a block");
    assert_eq!(nested.block.description, "How long things take.");
    assert_eq!(names(block.timeouts.as_ref().unwrap()), ["update"]);
}

#[test]
fn a_wrong_unit_is_an_error_at_its_path() {
    let said = |timeouts: Value| {
        let mut found = Diagnostics::default();
        validate(&Cluster::block(), &timeouts, false, &mut found);
        assert!(found.iter().all(|it| !it.to_string().contains("5d")));
        summaries(&found)
    };
    for good in ["10s", "60m", "2h", "1h30m"] {
        assert_eq!(said(limits(Value::string(good), Value::unknown())), "");
    }
    assert_eq!(said(cluster(Value::Null)), "");
    assert_eq!(said(limits(Value::string("5d"), Value::Null)), "error timeouts.create: Invalid Duration\n");
}

#[test]
fn the_value_passes_through_a_model() {
    use ferroform::model::{Decode, Encode, Planned};
    let value = limits(Value::string("10s"), Value::Null);
    let planned = <Planned<Cluster>>::decode(&value, &mut ferroform::path::Path::root()).expect("it fits");
    let timeouts = planned.timeouts.clone().expect("there are some");
    assert_eq!(timeouts.get(Operation::Create), Some(Duration::from_secs(10)));
    assert_eq!(timeouts.get(Operation::Delete), None);
    assert_eq!(Cluster { name: planned.name, timeouts: Some(timeouts) }.encode(), value);
    assert_eq!(Cluster { name: "a".to_owned(), timeouts: None }.encode(), cluster(Value::Null));
}

type Work = Box<dyn Fn(Arc<Probe>) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send + Sync>;

/// What a call may look at.
struct Probe {
    cancellation: ferroform::cancel::Cancellation,
    timeout: Option<Duration>,
}

/// Records a checkpoint, then works.
struct Slow {
    schema: Schema,
    work: Work,
}

impl Slow {
    async fn change<P: phase::Timed + phase::Applies>(&self, cx: &mut Context<'_, P>) -> Result<Value> {
        if self.schema.block.blocks.is_empty() {
            cx.checkpoint(limits(Value::string("partial"), Value::Null));
        }
        self.run(cx).await
    }

    async fn run<P: phase::Timed>(&self, cx: &mut Context<'_, P>) -> Result<Value> {
        let probe = Probe { cancellation: cx.cancellation.clone(), timeout: cx.timeout() };
        (self.work)(Arc::new(probe)).await?;
        Ok(limits(Value::string("10s"), Value::Null))
    }
}

#[async_trait]
impl Resource for Slow {
    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, _change: Change) -> Result<Value> {
        self.change(cx).await
    }

    async fn read(&self, cx: &mut Context<'_, phase::Read>, _prior: Value) -> Result<Option<Value>> {
        self.run(cx).await.map(Some)
    }

    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        _change: Change,
    ) -> Result<Value> {
        self.change(cx).await
    }

    async fn delete(&self, cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        self.change(cx).await.map(drop)
    }
}

fn slow<F>(work: impl Fn(Arc<Probe>) -> F + Send + Sync + 'static) -> Server
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    slow_of(Cluster::schema(), work)
}

fn slow_of<F>(schema: Schema, work: impl Fn(Arc<Probe>) -> F + Send + Sync + 'static) -> Server
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let slow = Slow { schema, work: Box::new(move |probe| Box::pin(work(probe))) };
    let resource: Arc<dyn Resource> = Arc::new(slow);
    Server::new(Arc::new(Double { others: [(THING, resource)].into(), ..Double::default() }))
}

/// Under paused time no real time passes.
fn paused<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime can be built").block_on(work)
}

fn create(server: &Server, limit: Value) -> ApplyResourceChangeResponse {
    change(server, &Value::Null, &limits(limit, Value::Null))
}

fn change(server: &Server, prior: &Value, planned: &Value) -> ApplyResourceChangeResponse {
    let schema = Cluster::schema();
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded_by(&schema, prior),
        planned_state: encoded_by(&schema, planned),
        config: encoded_by(&schema, planned),
    });
    response!(ApplyResourceChange, paused(server.handle(Call::new(request))))
}

fn stored(response: &ApplyResourceChangeResponse) -> String {
    shown(&Cluster::schema(), &response.new_state)
}

const TIMED_OUT: &str = "error timeouts.create: Operation Timed Out\n";

#[test]
fn operation_within_its_timeout_is_not_cancelled() {
    let server = slow(|probe| async move {
        assert_eq!(probe.timeout, Some(Duration::from_secs(10)));
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert!(!probe.cancellation.is_cancelled());
        Ok(())
    });
    let response = create(&server, Value::string("10s"));
    assert_eq!(summaries(&response.diagnostics), "");
    assert!(stored(&response).contains("10s"));
}

#[test]
fn the_usual_time_holds_where_the_user_says_nothing() {
    let server = slow(|probe| async move {
        assert_eq!(probe.timeout, Some(Duration::from_secs(1800)));
        probe.cancellation.cancelled().await;
        Err(Error::new("Gave Up", ""))
    });
    let response = create(&server, Value::Null);
    assert_eq!(summaries(&response.diagnostics), format!("{TIMED_OUT}error: Gave Up\n"));
    assert!(stored(&response).contains("partial"));
}

#[test]
fn a_call_that_looks_is_cancelled_and_one_that_does_not_is_ended() {
    let server = slow(|_| std::future::pending());
    let response = create(&server, Value::string("10s"));
    assert_eq!(summaries(&response.diagnostics), TIMED_OUT);
    assert!(stored(&response).contains("partial"));
    // What ends well after all is a success.
    let server = slow(|probe| async move {
        probe.cancellation.cancelled().await;
        Ok(())
    });
    let response = create(&server, Value::string("10s"));
    assert_eq!(summaries(&response.diagnostics), "");
    assert!(stored(&response).contains("10s"));
}

#[test]
fn a_delete_takes_its_time_from_the_stored_state() {
    let server = slow(|probe| async move {
        assert_eq!(probe.timeout, Some(Duration::from_secs(5)));
        std::future::pending().await
    });
    let response = change(&server, &limits(Value::Null, Value::string("5s")), &Value::Null);
    assert_eq!(summaries(&response.diagnostics), "error timeouts.delete: Operation Timed Out\n");
    assert!(stored(&response).contains("partial"));
}

#[test]
fn an_update_takes_its_time_from_the_planned_state() {
    let server = slow_of(Blocky::schema(), |probe| async move {
        assert_eq!(probe.timeout, Some(Duration::from_secs(7)));
        std::future::pending().await
    });
    let schema = Blocky::schema();
    let object = |name: &str, update: &str| {
        let limits = Value::object([("update", Value::from(update))]);
        Value::object([("name", Value::from(name)), ("limits", limits)])
    };
    let request = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded_by(&schema, &object("a", "5s")),
        planned_state: encoded_by(&schema, &object("b", "7s")),
        config: encoded_by(&schema, &object("b", "7s")),
    });
    let response = response!(ApplyResourceChange, paused(server.handle(Call::new(request))));
    assert_eq!(summaries(&response.diagnostics), "error limits.update: Operation Timed Out\n");
}

#[test]
fn an_operation_that_is_not_declared_has_no_limit() {
    let server = slow(|probe| async move {
        assert_eq!(probe.timeout, None);
        tokio::time::sleep(Duration::from_secs(1_000_000)).await;
        Ok(())
    });
    let limits = limits(Value::string("10s"), Value::string("5s"));
    let response = change(&server, &limits, &limits);
    assert!(!summaries(&response.diagnostics).contains("Timed Out"));
    assert!(stored(&response).contains("10s"));
}

#[test]
fn a_read_that_times_out_keeps_the_state() {
    let server = slow(|_| std::future::pending());
    let schema = Cluster::schema();
    let stored = cluster(Value::object([
        ("create", Value::Null),
        ("read", Value::string("5s")),
        ("delete", Value::Null),
    ]));
    let request = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: encoded_by(&schema, &stored)
    });
    let kept = request.current_state.clone();
    let response = response!(ReadResource, paused(server.handle(Call::new(request))));
    assert_eq!(summaries(&response.diagnostics), "error timeouts.read: Operation Timed Out\n");
    assert_eq!(response.new_state, kept);
}
