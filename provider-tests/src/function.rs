//! Tests of one function, without a configuration and without a core.
//!
//! A call takes the way of a real one: arguments are encoded, checked by the SDK and decoded, and so is the result.
//!
//! ```
//! use ferroform::diag::{Error, Result};
//! use ferroform::path;
//! use ferroform::validate::text::length;
//! use ferroform_testing::function::FunctionTest;
//!
//! /// Joins names.
//! #[ferroform::function]
//! fn join(
//!     #[param(validate = length(..=1))] separator: String,
//!     #[param(variadic)] names: Vec<String>,
//! ) -> Result<String> {
//!     match names.iter().position(String::is_empty) {
//!         Some(at) => Err(Error::new("Empty Name", "The name is empty.").at(path!(names).index(at))),
//!         None => Ok(names.join(&separator)),
//!     }
//! }
//!
//! // A Rust function is called with Rust types.
//! assert_eq!(join("-".to_owned(), vec!["a".to_owned(), "b".to_owned()])?, "a-b");
//!
//! let test = FunctionTest::of::<join>();
//! test.table([(vec!["-".into(), "a".into(), "b".into()], "a-b"), (vec!["-".into()], "")]);
//! test.error(["--".into(), "a".into()], Some(0), "at most 1 byte");
//! test.error(["-".into(), "a".into(), "".into()], Some(2), "The name is empty");
//! test.check_rules();
//! # Ok::<(), ferroform::diag::Error>(())
//! ```

#[cfg(feature = "conformance")]
mod rules;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ferroform::Serve;
use ferroform::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{self, Catalogue, Context, phase};
use ferroform::function::Function;
use ferroform::model::Draft;
use ferroform::provider::{self, Registry, assemble};
use ferroform::schema::{Block, FunctionSignature, Schema};
use ferroform::value::Value;
use ferroform_server::protocol::FunctionError;
use tokio::runtime::{Builder, Runtime};

use crate::client::{Client, InProcessTransport, Protocol, Provider};

#[cfg(feature = "conformance")]
pub(crate) use self::rules::violation;

/// A function under test. Its methods make a test fail by a panic, as assertions do.
pub struct FunctionTest {
    name: String,
    signature: FunctionSignature,
    provider: Provider,
    runtime: Runtime,
}

impl FunctionTest {
    /// A typed function.
    ///
    /// # Panics
    /// Core would reject its signature.
    #[must_use]
    #[track_caller]
    pub fn of<F: Function>() -> Self {
        Self::offered(F::NAME, assemble::<Typed<F>>())
    }

    /// A function whose signature is known at run time only.
    ///
    /// # Panics
    /// Core would reject its signature.
    #[must_use]
    #[track_caller]
    pub fn dynamic(name: &str, function: Arc<dyn dynamic::Function>) -> Self {
        Self::offered(name, Arc::new(Only(Catalogue::new().with(name, function))))
    }

    #[track_caller]
    fn offered(name: &str, provider: Arc<dyn dynamic::Provider>) -> Self {
        let router = Serve::new(provider).options().router(6);
        let router = router.unwrap_or_else(|| panic!("the function {name} cannot be served"));
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("there is no runtime: {error}"));
        let client = Client::new(InProcessTransport::new(router), Protocol::V6);
        let provider = runtime.block_on(Provider::connect(client));
        let provider = provider.unwrap_or_else(|error| panic!("the function {name} is rejected: {error}"));
        match provider.schemas().functions.get(name).cloned() {
            Some(signature) => Self { name: name.to_owned(), signature, provider, runtime },
            None => panic!("the signature of {name} is not valid"),
        }
    }

    /// The signature that core is given.
    #[must_use]
    pub fn signature(&self) -> &FunctionSignature {
        &self.signature
    }

    /// Calls the function.
    ///
    /// # Errors
    /// What the function reports, or what is wrong with the arguments.
    ///
    /// # Panics
    /// An argument cannot be encoded by the type of its parameter, or the call has no usable answer.
    #[track_caller]
    pub fn call(
        &self,
        arguments: impl IntoIterator<Item = Value>,
    ) -> std::result::Result<Value, FunctionError> {
        let arguments: Vec<Value> = arguments.into_iter().collect();
        let answer = self.runtime.block_on(self.provider.call_function(&self.name, &arguments));
        answer.unwrap_or_else(|error| panic!("the call of {} has no usable answer: {error}", self.name))
    }

    /// Each row of arguments gives that result.
    ///
    /// # Panics
    /// One does not.
    #[track_caller]
    pub fn table<A, V>(&self, rows: impl IntoIterator<Item = (A, V)>)
    where
        A: IntoIterator<Item = Value>,
        V: Into<Value>,
    {
        for (at, (arguments, expected)) in rows.into_iter().enumerate() {
            match self.call(arguments) {
                Ok(result) => assert_eq!(result, expected.into(), "row {at} of {}", self.name),
                Err(error) => panic!("row {at} of {} has an error: {}", self.name, error.text),
            }
        }
    }

    /// The call fails with a text that has this in it, at the argument with that number.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn error(&self, arguments: impl IntoIterator<Item = Value>, argument: Option<usize>, text: &str) {
        match self.call(arguments) {
            Ok(_) => panic!("{} has a result where an error is expected: {text}", self.name),
            Err(error) => {
                assert_eq!(error.argument, argument, "{}: {}", self.name, error.text);
                assert!(error.text.contains(text), "{}: {:?} is not in {:?}", self.name, text, error.text);
            }
        }
    }
}

impl fmt::Debug for FunctionTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionTest").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A provider of one typed function.
struct Typed<F>(PhantomData<fn() -> F>);

impl<F: Function> provider::Provider for Typed<F> {
    type Config = ();
    type Client = ();
    const NAME: &str = "function";

    async fn configure(_cx: &mut provider::Context<'_>, _config: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.function::<F>();
    }
}

/// A provider of one function whose signature is known at run time.
struct Only(Catalogue);

#[async_trait]
impl dynamic::Provider for Only {
    fn name(&self) -> &str {
        "function"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.0.clone()
    }
}
