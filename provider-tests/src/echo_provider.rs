//! A provider that shows what it is configured with, so that a test can look at ephemeral values.
//!
//! An ephemeral value may go into a provider configuration, and is stored nowhere. The provider `echo` breaks that promise
//! on purpose: its resource `echo_value` stores the value in the attribute `data`. It runs on the embedded core and on real
//! ones. Never use it outside of tests.
//!
//! ```no_run
//! use ferroform_testing::case::{Case, Provider, Step, object};
//! use ferroform_testing::config::{Config, ephemeral, provider, reference, resource};
//! use ferroform_testing::echo_provider;
//!
//! # fn demo() -> Provider { unimplemented!() }
//! let config = Config::new()
//!     .resource(ephemeral("demo_lease", "a").set("name", "a"))
//!     .provider(provider("echo").set("data", reference("ephemeral.demo_lease.a.secret")))
//!     .resource(resource("echo_value", "seen"));
//! let case: Case = Case::new("a lease has a secret")
//!     .provider(demo())
//!     .provider(echo_provider::provider())
//!     .step(Step::apply(config).state(object("echo_value.seen").has(ferroform::path!(data.value), "secret of a")));
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use ferroform::diag::Result;
use ferroform::dynamic::{self, Catalogue, Change, Context, phase};
use ferroform::path;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform::{Serve, async_trait};

use crate::case;

/// The source address of the provider.
pub const SOURCE: &str = "example.com/ferroform/echo";

/// The provider, for a case with a backend of any type.
///
/// Its configuration has the attribute `data`, of any type. The resource `echo_value` has the attribute `data` alone, which
/// is the value at the time of its creation. Replace the resource to see a newer one.
#[must_use]
pub fn provider<B>() -> case::Provider<B> {
    case::Provider::in_process(SOURCE, |_: &B| {
        let provider: Arc<dyn dynamic::Provider> = Arc::new(Echo::default());
        Serve::new(provider)
    })
}

/// The provider, and its resource. Clones share what it is configured with.
#[derive(Clone, Default)]
struct Echo(Arc<Mutex<Option<Value>>>);

#[async_trait]
impl dynamic::Provider for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn schema(&self) -> Schema {
        let data = Attribute::optional("data", Type::Dynamic);
        Schema::new(Block::new([data]))
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        let data = config.get(&path!(data)).cloned();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = data;
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let resource: Arc<dyn dynamic::Resource> = Arc::new(self.clone());
        Catalogue::new().with("echo_value", resource)
    }
}

#[async_trait]
impl dynamic::Resource for Echo {
    fn schema(&self) -> Schema {
        let data = Attribute::computed("data", Type::Dynamic).keep();
        Schema::new(Block::new([data]))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, _change: Change) -> Result<Value> {
        let data = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Value::object([("data", data.unwrap_or(Value::Null))]))
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }
}
