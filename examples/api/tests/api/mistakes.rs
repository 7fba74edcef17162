//! A provider with mistakes: those of the example around a resource that is sound, when the service has done its work.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{Catalogue, Change, Context, IdentityContext, Provider, Resource, phase};
use ferroform::path;
use ferroform::path::Path;
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{IdentitySchema, Schema};
use ferroform::value::Value;
use ferroform_example_api::provider;
use ferroform_testing::case::{Case, Idempotency, Step, StepOutcome, change, error, no_object, object};
use ferroform_testing::plan::{Action, ActionReason};

use crate::support::{A, Backend, in_process, kept, of, only};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![mistakes()]
}

/// No queue that is there is missing from the state, whatever the provider does wrong.
fn mistakes() -> Case<Backend> {
    let panics = || error("Provider Panicked").times(1);
    let replaced = || change(A).action(Action::DeleteThenCreate).reason(ActionReason::ReplaceBecauseTainted);
    of(in_process(careless), "mistakes of the provider")
        .idempotency(Idempotency::Off)
        .step(
            Step::apply(only([kept("90m", PANIC)]))
                .named("panic in create")
                .expect(panics())
                .state(object(A).has(path!(id), "q-1").tainted()),
        )
        .step(
            Step::apply(only([kept("90m", NO_STATE)]))
                .named("no state of create")
                .plan(replaced())
                .expect(error("Provider Returned No Object").detail("`create`").times(1))
                .state(object(A).has(path!(id), "q-2").tainted())
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    assert_eq!(outcome.run.backend.queue()["id"], "q-2")
                }),
        )
        .step(Step::apply(only([kept("90m", "core")])).plan(replaced()).state(object(A).ready()))
        .step(
            Step::apply(only([kept("3h", PANIC)]))
                .named("panic in update")
                .expect(panics())
                .state(object(A).has(path!(id), "q-3").has(path!(retention), "10800s").ready()),
        )
        .step(
            Step::apply(only([kept("4h", NO_STATE)]))
                .named("no state of update")
                .expect(error("Provider Returned No Object").detail("`update`").times(1))
                .state(object(A).has(path!(id), "q-3").has(path!(retention), "14400s").ready()),
        )
        .step(Step::change_outside(|backend: &Backend| {
            backend.edit(|queue| queue["labels"]["team"] = PANIC_IN_DELETE.into());
        }))
        .step(Step::destroy().named("panic in delete").expect(panics()).state(object(A).ready()))
        .step(Step::destroy().state(no_object(A)))
}

/// The labels `team` of queues about which the provider makes a mistake.
const PANIC: &str = "panic";
const NO_STATE: &str = "no state";
const PANIC_IN_DELETE: &str = "panic in delete";

fn careless() -> Arc<dyn Provider> {
    Arc::new(Careless(provider::provider()))
}

struct Careless(Arc<dyn Provider>);

#[async_trait]
impl Provider for Careless {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema(&self) -> Schema {
        self.0.schema()
    }

    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        self.0.configure(cx, config).await
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue().map::<dyn Resource>(|resource| Arc::new(CarelessResource(resource)))
    }
}

struct CarelessResource(Arc<dyn Resource>);

/// The label that says which mistake is made.
fn team(queue: &Value) -> Option<&str> {
    queue.get(&Path::root().attribute("labels").key("team")).and_then(Value::as_str)
}

/// What is made of a state that was written as planned.
fn botched(state: Value, planned: &Value) -> Value {
    match team(planned) {
        Some(PANIC) => panic!("the provider was asked to panic"),
        Some(NO_STATE) => Value::Null,
        _ => state,
    }
}

#[async_trait]
impl Resource for CarelessResource {
    fn schema(&self) -> Schema {
        self.0.schema()
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        let state = self.0.create(cx, change.clone()).await?;
        Ok(botched(state, &change.planned))
    }

    async fn read(&self, cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        self.0.read(cx, prior).await
    }

    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        prior: Value,
        change: Change,
    ) -> Result<Value> {
        let state = self.0.update(cx, prior, change.clone()).await?;
        Ok(botched(state, &change.planned))
    }

    fn read_after_write(&self) -> ReadAfterWrite {
        self.0.read_after_write()
    }

    async fn delete(&self, cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        self.0.delete(cx, prior.clone()).await?;
        assert_ne!(team(&prior), Some(PANIC_IN_DELETE), "the provider was asked to panic");
        Ok(())
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        self.0.identity_schema()
    }

    fn identity(&self, cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        self.0.identity(cx, state)
    }
}
