//! Providers whose configuration schemas are known at run time only.

use async_trait::async_trait;

use crate::diag::Result;
use crate::dynamic::{Catalogue, Context, phase};
use crate::schema::Schema;
use crate::value::Value;

/// A provider.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The name that all type names start with, e.g. `demo`.
    fn name(&self) -> &str;

    /// The schema of the provider configuration.
    fn schema(&self) -> Schema;

    /// The schema of the `provider_meta` blocks that modules may address to the provider; `None` if they may not.
    fn meta_schema(&self) -> Option<Schema> {
        None
    }

    /// Checks a configuration beyond what the schema says. Values may be unknown.
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Takes the configuration. Values may be unknown while planning; a later call brings the known ones.
    async fn configure(&self, cx: &mut Context<'_, phase::Configure>, config: Value) -> Result;

    /// What the provider offers. It must be the same at each call; the server asks once.
    fn catalogue(&self) -> Catalogue;
}
