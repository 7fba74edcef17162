//! Configurations that no method of a type looks at.

use std::sync::Arc;

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{Change, Context, Resource, phase};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::ApplyResourceChangeRequest;
use ferroform_server::server::Server;

use crate::server::support::{Double, THING, ask, encoded_by, message, response, summaries};

/// A type whose methods look at the plan alone.
struct Blind(Block);

#[async_trait]
impl Resource for Blind {
    fn schema(&self) -> Schema {
        Schema::new(self.0.clone())
    }

    fn uses_config(&self) -> bool {
        false
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        let is_blind = change.config.is_null();
        cx.warn(if is_blind { "Blind" } else { "Seeing" }, "");
        // A write-only value is planned with what is configured, and not stored.
        Ok(if is_blind { change.planned } else { Value::object([("name", Value::Null)]) })
    }

    async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(&self, cx: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> {
        self.create(&mut cx.for_create(), change).await
    }

    async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_configuration_that_nobody_uses_is_decoded_for_write_only_values_alone() {
    let plain = Attribute::required("name", Type::String);
    let write_only = plain.clone().write_only();
    for (attribute, planned, seen) in
        [(plain, Value::from("a"), "Blind"), (write_only, Value::Null, "Seeing")]
    {
        let block = Block::new([attribute]);
        let named = |name: Value| encoded_by(&Schema::new(block.clone()), &Value::object([("name", name)]));
        let none = encoded_by(&Schema::new(block.clone()), &Value::Null);
        let request = message!(ApplyResourceChangeRequest {
            type_name: THING.to_owned(),
            prior_state: none,
            planned_state: named(planned.clone()),
            config: named(Value::from("a")),
            ..ApplyResourceChangeRequest::default()
        });
        let blind: Arc<dyn Resource> = Arc::new(Blind(block.clone()));
        let server = Server::new(Arc::new(Double { others: [(THING, blind)].into(), ..Double::default() }));
        let response = response!(ApplyResourceChange, ask(&server, request));
        assert_eq!(summaries(&response.diagnostics), format!("warning: {seen}\n"));
        assert_eq!(response.new_state, named(planned));
    }
}
