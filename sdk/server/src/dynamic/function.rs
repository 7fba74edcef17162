//! Functions whose signatures are known at run time only.

use async_trait::async_trait;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::Result;
use crate::schema::FunctionSignature;
use crate::value::Value;

/// A provider function.
///
/// Core calls it in every phase in which it evaluates the expression, before the provider is configured too, and any
/// number of times at once. The same arguments must give the same result within a plan and its apply: core compares
/// them.
///
/// ```
/// use ferroform::async_trait;
/// use ferroform::diag::Result;
/// use ferroform::dynamic::Function;
/// use ferroform::function::FunctionContext;
/// use ferroform::schema::{FunctionParameter, FunctionSignature};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// Joins names by a separator that a document gives.
/// struct Join {
///     separator: String,
/// }
///
/// #[async_trait]
/// impl Function for Join {
///     fn signature(&self) -> FunctionSignature {
///         FunctionSignature::new(Type::String).variadic(FunctionParameter::new("names", Type::String))
///     }
///
///     async fn call(&self, _cx: &FunctionContext, arguments: Vec<Value>) -> Result<Value> {
///         let names: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
///         Ok(Value::string(names.join(&self.separator)))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let join = Join { separator: "-".to_owned() };
/// let names = vec![Value::string("web"), Value::string("eu")];
/// assert_eq!(join.call(&FunctionContext::new(), names).await?, Value::string("web-eu"));
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[async_trait]
pub trait Function: Send + Sync {
    /// The signature. It must be the same at each call.
    ///
    /// ```
    /// use ferroform::dynamic::Function;
    /// use ferroform::schema::{FunctionParameter, FunctionSignature};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::value::Value;
    ///
    /// struct Shorten;
    /// # #[async_trait]
    /// # impl Function for Shorten {
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { unreachable!() }
    ///
    /// fn signature(&self) -> FunctionSignature {
    ///     FunctionSignature::new(Type::String)
    ///         .parameter(FunctionParameter::new("name", Type::String))
    ///         .parameter(FunctionParameter::new("length", Type::Number))
    /// }
    /// # }
    ///
    /// assert!(Shorten.signature().check_as("shorten").is_ok());
    /// ```
    fn signature(&self) -> FunctionSignature;

    /// Calls the function.
    ///
    /// The arguments are converted to the types of their parameters and validated; further ones, for the variadic
    /// parameter, follow at the end. They are null or not wholly known only where the parameter allows that.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::dynamic::Function;
    /// use ferroform::function::FunctionContext;
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::{FunctionParameter, FunctionSignature};
    /// # use ferroform::ty::Type;
    ///
    /// /// The first label of a host name.
    /// struct ShortName;
    /// # #[async_trait]
    /// # impl Function for ShortName {
    /// #     fn signature(&self) -> FunctionSignature {
    /// #         FunctionSignature::new(Type::String).parameter(FunctionParameter::new("host", Type::String))
    /// #     }
    ///
    /// async fn call(&self, _cx: &FunctionContext, arguments: Vec<Value>) -> Result<Value> {
    ///     let host = arguments[0].as_str().unwrap_or_default();
    ///     match host.split('.').next() {
    ///         Some(label) if !label.is_empty() => Ok(Value::from(label)),
    ///         _ => Err(Error::new("Not A Host Name", "A host name starts with a label.").at(path!(host))),
    ///     }
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let cx = FunctionContext::new();
    /// assert_eq!(ShortName.call(&cx, vec![Value::from("www.example.com")]).await?, Value::from("www"));
    /// assert!(ShortName.call(&cx, vec![Value::from(".com")]).await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error that core reports for the call. An error at a path whose first step is the name of a parameter points
    /// at that argument; for a variadic parameter, an index follows the name.
    async fn call(&self, cx: &FunctionContext, arguments: Vec<Value>) -> Result<Value>;
}

/// What a function may use besides its arguments. There is no client: functions work before the provider is configured.
///
/// ```
/// use ferroform::diag::{Error, Result};
/// use ferroform::function::FunctionContext;
///
/// /// Counts primes below a limit, which takes a while.
/// async fn count_primes(cx: &FunctionContext, limit: u32) -> Result<usize> {
///     let mut found = Vec::new();
///     for candidate in 2..limit {
///         if cx.cancellation.is_cancelled() {
///             return Err(Error::new("Interrupted", "The user has asked to stop."));
///         }
///         if found.iter().all(|prime| candidate % prime != 0) {
///             found.push(candidate);
///         }
///     }
///     Ok(found.len())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert_eq!(count_primes(&FunctionContext::new(), 20).await?, 8);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct FunctionContext {
    /// Whether the user has asked to stop.
    pub cancellation: Cancellation,
    /// The clock of the server, for timeouts. A result must not depend on the time.
    pub clock: Clock,
}

impl FunctionContext {
    /// A context without a host, for unit tests: never cancelled, with the real time.
    ///
    /// ```
    /// use ferroform::function::FunctionContext;
    ///
    /// let cx = FunctionContext::new();
    /// assert!(!cx.cancellation.is_cancelled());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
