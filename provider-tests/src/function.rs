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
//! test.laws();
//! # Ok::<(), ferroform::diag::Error>(())
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use ferroform::Serve;
use ferroform::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::{self, Catalogue, Context};
use ferroform::function::Function;
use ferroform::model::Draft;
use ferroform::protocol::FunctionError;
use ferroform::provider::{self, Registry, assemble};
use ferroform::schema::{Attribute, AttributeType, Block, FunctionParameter, FunctionSignature, Schema};
use ferroform::value::Value;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use tokio::runtime::{Builder, Runtime};

use crate::client::{Client, Direct, Error, Protocol, Provider};
use crate::generate::Generator;

/// How many calls the laws are checked with.
const CASES: usize = 64;

/// How many arguments there are for a variadic parameter, at most.
const VARIADIC: usize = 3;

/// How long a call may take.
const LIMIT: Duration = Duration::from_secs(20);

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
        let client = Client::new(Direct::new(router), Protocol::V6);
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

    /// Calls the function with generated arguments. It must be total: each call has a result of its type or an error,
    /// within a time; and pure: the same call again has the same. A provider's [conformance
    /// tests](mod@crate::conformance) check this for each of its functions.
    ///
    /// # Panics
    /// It is not.
    #[track_caller]
    pub fn laws(&self) {
        let found = self.runtime.block_on(violation(&self.provider, &self.name));
        if let Some(violation) = found {
            panic!("{}: {violation}", self.name);
        }
    }
}

impl fmt::Debug for FunctionTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionTest").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a function of a provider is not total, or not pure.
pub(crate) async fn violation(provider: &Provider, name: &str) -> Option<String> {
    let signature = provider.schemas().functions.get(name)?.clone();
    let mut runner = TestRunner::deterministic();
    for case in 0..CASES {
        let arguments = match arguments(&signature, case, &mut runner) {
            Ok(arguments) => arguments,
            Err(why) => return Some(format!("there are no arguments for it: {why}")),
        };
        let first = match answer(provider, name, &arguments).await {
            Ok(first) => first,
            Err(why) => return Some(format!("it is not total: {why}")),
        };
        match answer(provider, name, &arguments).await {
            Ok(second) if second == first => {}
            Ok(_) => return Some("it is not pure: the same call has two results".to_owned()),
            Err(why) => return Some(format!("it is not total: a second call {why}")),
        }
    }
    None
}

async fn answer(
    provider: &Provider,
    name: &str,
    arguments: &[Value],
) -> std::result::Result<std::result::Result<Value, FunctionError>, String> {
    let call = tokio::time::timeout(LIMIT, provider.call_function(name, arguments)).await;
    let answer = call.map_err(|_| format!("has not ended after {} s", LIMIT.as_secs()))?;
    match answer {
        // So the SDK words what its author has to fix, as a panic or a result of another type.
        Ok(Err(error)) if error.text.contains("bug in the provider") => {
            Err(format!("fails by a bug: {}", error.text))
        }
        Ok(Err(error)) if error.text.to_lowercase().contains("panic") => {
            Err(format!("panics: {}", error.text))
        }
        Ok(answer) => Ok(answer),
        Err(Error::Value { field: "result", problem, .. }) => Err(format!("has a wrong result: {problem}")),
        Err(error) => Err(format!("has no usable answer: {error}")),
    }
}

/// Arguments that core might send. Every fourth case has an unknown one, where that is accepted.
fn arguments(
    signature: &FunctionSignature,
    case: usize,
    runner: &mut TestRunner,
) -> std::result::Result<Vec<Value>, String> {
    let further = signature.variadic_parameter.iter().cycle().take(case % (VARIADIC + 1));
    let parameters: Vec<&FunctionParameter> = signature.parameters.iter().chain(further).collect();
    // As attributes they have names of their own.
    let attribute = |(at, it): (usize, &&FunctionParameter)| {
        let name = format!("p{at}");
        let make: fn(String, AttributeType) -> Attribute =
            if it.allow_null { Attribute::optional } else { Attribute::required };
        make(name, it.ty.clone())
    };
    let attributes = parameters.iter().enumerate().map(attribute).collect();
    let block = Block { attributes, ..Block::default() };
    let config = Generator::new().configs(&block).new_tree(runner).map_err(|why| why.to_string())?.current();
    let unknown = (case % 4 == 3).then(|| case % parameters.len().max(1));
    let value = |(at, it): (usize, &&FunctionParameter)| {
        if unknown == Some(at) && it.allow_unknown {
            return Value::unknown();
        }
        let entries = config.as_entries();
        entries.and_then(|entries| entries.get(&format!("p{at}"))).cloned().unwrap_or(Value::Null)
    };
    Ok(parameters.iter().enumerate().map(value).collect())
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

    async fn configure(&self, _cx: &mut Context, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        self.0.clone()
    }
}
