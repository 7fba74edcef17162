//! A typed function as one of the dynamic layer.

use async_trait::async_trait;

use super::{Function, FunctionContext};
use crate::client::DynamicAdapter;
use crate::diag::Result;
use crate::dynamic;
use crate::model::Encode as _;
use crate::schema::FunctionSignature;
use crate::value::Value;

#[async_trait]
impl<F: Function> dynamic::Function for DynamicAdapter<F, ()> {
    fn signature(&self) -> FunctionSignature {
        F::signature()
    }

    async fn call(&self, cx: &FunctionContext, arguments: Vec<Value>) -> Result<Value> {
        // A Rust type can say that a value is unknown, but not that a part of it is.
        if arguments.iter().any(|argument| !argument.is_unknown() && !argument.is_wholly_known()) {
            return Ok(Value::unknown());
        }
        F::from_arguments(arguments)?.call(cx).await.map(|result| result.encode())
    }
}
