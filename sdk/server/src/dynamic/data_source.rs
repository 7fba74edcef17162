//! Data sources whose schemas are known at run time only.

use async_trait::async_trait;

use crate::diag::Result;
use crate::dynamic::{Context, phase};
use crate::schema::Schema;
use crate::value::Value;

/// A data source type.
#[async_trait]
pub trait DataSource: Send + Sync {
    /// The schema. It must be the same at each call.
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Reads. What is configured is known; attributes that the data source computes are unknown.
    async fn read(&self, cx: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value>;
}
