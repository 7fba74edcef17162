//! Provider functions: computations that a configuration calls as `provider::NAME::function(...)`.
//!
//! A function is a plain Rust function. Its parameters and its result have the types of attributes, and its doc comments
//! are the documentation:
//!
//! ```
//! use ferroform::diag::{Error, Result};
//! use ferroform::function::Function as _;
//! use ferroform::path;
//! use ferroform::provider::Registry;
//!
//! /// Joins a path.
//! ///
//! /// Every name is appended with a slash before it.
//! #[ferroform::function]
//! fn join_path(
//!     /// Where the path starts.
//!     root: String,
//!     /// What follows.
//!     #[param(variadic)]
//!     names: Vec<String>,
//! ) -> Result<String> {
//!     if let Some(at) = names.iter().position(String::is_empty) {
//!         return Err(Error::new("Empty Name", "A name must not be empty.").at(path!(names).index(at)));
//!     }
//!     Ok(names.into_iter().fold(root, |path, name| path + "/" + &name))
//! }
//!
//! fn register(it: &mut Registry<()>) {
//!     it.function::<join_path>();
//! }
//!
//! let signature = join_path::signature();
//! assert_eq!(signature.summary, "Joins a path.");
//! assert_eq!(signature.variadic_parameter.unwrap().description, "What follows.");
//! // It stays a Rust function, so a unit test is a call.
//! assert_eq!(join_path("a".to_owned(), vec!["b".to_owned()])?, "a/b");
//! # Ok::<(), ferroform::diag::Error>(())
//! ```
//!
//! Core converts each argument to the type of its parameter. What the type of a parameter says beyond that:
//!
//! | type of the parameter | null | unknown values |
//! |---|---|---|
//! | `T` | core rejects it | the result is unknown, the function is not called |
//! | `Option<T>` | `None` | the result is unknown, the function is not called |
//! | [`Computed<T>`](Computed) | core rejects it | [`Computed::Unknown`] |
//! | [`Attr<T>`](Attr) | [`Attr::Null`] | [`Attr::Unknown`] |
//!
//! A value of which only a part is unknown makes the result unknown in each case. A result is of a type `T`, an
//! `Option<T>`, or, for a function that accepts unknown values, a [`Computed<T>`](Computed) or [`Attr<T>`](Attr).
//!
//! A function has no client, because core calls it before the provider is configured. The same arguments must give the
//! same result: core compares them between a plan and its apply.
//!
//! # Annotations
//!
//! | on the function: `#[function(...)]` | meaning |
//! |---|---|
//! | `name = "..."` | the name in configurations; the name of the Rust function by default |
//! | `deprecated = "..."` | what to use instead |
//! | `plain` | the descriptions are plain text; Markdown without it |
//! | `crate = path` | where the `ferroform` crate is, for re-exports |
//!
//! | on a parameter: `#[param(...)]` | meaning |
//! |---|---|
//! | `variadic` | a `Vec` in the last place that takes every further argument |
//! | `name = "..."` | the name in documentation and error paths; the name of the Rust parameter by default |
//! | `validate = ...` | validators, as on [attributes](crate::validate); for a variadic parameter, of each argument |
//!
//! A function may be `async`, and its first parameter may be a reference to the [`FunctionContext`]. Instead of the
//! attribute macro, a struct of the parameters can derive [`Parameters`] and implement [`Function`]; a function whose
//! signature is known at run time only implements [`dynamic::Function`](crate::dynamic::Function).

mod context;
mod dynamic_adapter;
#[doc(hidden)]
pub mod macro_support;

#[doc(inline)]
pub use crate::model::{ParameterType, ReturnType};
pub use context::FunctionContext;
pub use ferroform_macros::Parameters;

use crate::diag::Result;
#[cfg(doc)]
use crate::model::{Attr, Computed};
use crate::schema::{FunctionParameter, FunctionSignature};
use crate::value::Value;

/// A provider function, implemented on the struct of its parameters. `#[ferroform::function]` on a plain function does
/// it too.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::function::{Function, FunctionContext, Parameters};
///
/// /// Repeats a text.
/// #[derive(Parameters)]
/// struct Repeat {
///     text: String,
///     times: u16,
/// }
///
/// impl Function for Repeat {
///     type Output = String;
///     const NAME: &str = "repeat";
///
///     async fn call(self, _cx: &FunctionContext) -> Result<String> {
///         Ok(self.text.repeat(self.times.into()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a provider function",
    label = "not a provider function",
    note = "write `#[ferroform::function]` on a `fn`, or derive `ferroform::function::Parameters` for a struct and \
            implement `ferroform::function::Function` for it"
)]
pub trait Function: Parameters {
    /// The Rust type of the result.
    type Output: ReturnType;

    /// The name, without the name of the provider: `join_path` for `provider::demo::join_path`.
    const NAME: &'static str;

    /// Calls the function.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::function::{Function, FunctionContext, Parameters};
    /// use ferroform::path;
    ///
    /// /// The address of a host in a network.
    /// #[derive(Parameters)]
    /// struct Host {
    ///     /// The first three bytes of the network.
    ///     network: String,
    ///     /// The number of the host.
    ///     number: u8,
    /// }
    ///
    /// impl Function for Host {
    ///     type Output = String;
    ///     const NAME: &str = "host";
    ///
    ///     async fn call(self, _cx: &FunctionContext) -> Result<String> {
    ///         if self.number == 0 {
    ///             return Err(Error::new("Not A Host", "0 is the network itself.").at(path!(number)));
    ///         }
    ///         Ok(format!("{}.{}", self.network, self.number))
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let host = |number| Host { network: "10.0.7".to_owned(), number };
    /// assert_eq!(host(5).call(&FunctionContext::new()).await?, "10.0.7.5");
    /// assert!(host(0).call(&FunctionContext::new()).await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error that core reports for the call. An error at a path whose first step is the name of a parameter points
    /// at that argument; for a variadic parameter, an index follows the name.
    fn call(self, cx: &FunctionContext) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The signature that core is given.
    ///
    /// ```
    /// use ferroform::function::Function as _;
    /// use ferroform::ty::Type;
    ///
    /// /// The first label of a host name.
    /// #[ferroform::function]
    /// fn short_name(
    ///     /// The whole name.
    ///     host: String,
    /// ) -> ferroform::diag::Result<String> {
    ///     Ok(host.split('.').next().unwrap_or_default().to_owned())
    /// }
    ///
    /// let signature = short_name::signature();
    /// assert_eq!((signature.summary, signature.result), ("The first label of a host name.".into(), Type::String));
    /// assert_eq!(signature.parameters[0].description, "The whole name.");
    /// ```
    #[must_use]
    fn signature() -> FunctionSignature {
        let mut signature = FunctionSignature::new(Self::Output::return_type());
        signature.parameters = Self::parameters();
        signature.variadic_parameter = Self::variadic_parameter();
        signature.summary = Self::SUMMARY.into();
        signature.description = Self::DESCRIPTION.into();
        signature.plain_descriptions = Self::PLAIN_DESCRIPTIONS;
        signature.deprecation = Self::DEPRECATION.map(Into::into);
        signature
    }
}

/// The parameters of a function: a struct with one field per parameter. Implemented by `#[derive(Parameters)]`.
///
/// ```
/// use ferroform::function::Parameters;
/// use ferroform::value::Value;
///
/// /// A network in a larger one.
/// #[derive(Parameters)]
/// struct Subnet {
///     /// The larger network.
///     cidr: String,
///     /// Which of the networks.
///     number: u32,
/// }
///
/// assert_eq!(Subnet::SUMMARY, "A network in a larger one.");
/// assert_eq!(Subnet::parameters()[1].description, "Which of the networks.");
/// let subnet = Subnet::from_arguments(vec![Value::from("10.0.0.0/8"), Value::from(3)])?;
/// assert_eq!((subnet.cidr.as_str(), subnet.number), ("10.0.0.0/8", 3));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of parameters",
    label = "needs `#[derive(Parameters)]`",
    note = "derive `ferroform::function::Parameters` for a struct with one field per parameter"
)]
pub trait Parameters: Sized + Send + 'static {
    /// The first paragraph of the doc comment, on one line.
    const SUMMARY: &'static str;
    /// The rest of the doc comment, as Markdown unless the descriptions are plain; the summary if there is no more.
    const DESCRIPTION: &'static str;
    /// Whether the descriptions of the function and of its parameters are plain text: `plain`.
    const PLAIN_DESCRIPTIONS: bool = false;
    /// What to use instead, when the function is deprecated.
    const DEPRECATION: Option<&'static str> = None;

    /// The parameters by position.
    ///
    /// ```
    /// use ferroform::function::Parameters;
    ///
    /// /// A network in a larger one.
    /// #[derive(Parameters)]
    /// struct Subnet {
    ///     cidr: String,
    ///     number: Option<u32>,
    /// }
    ///
    /// let parameters = Subnet::parameters();
    /// assert_eq!(parameters[0].name, "cidr");
    /// // An `Option` accepts null.
    /// assert!(!parameters[0].allow_null && parameters[1].allow_null);
    /// ```
    fn parameters() -> Vec<FunctionParameter>;

    /// The parameter that accepts every further argument.
    ///
    /// ```
    /// use ferroform::function::Parameters;
    ///
    /// /// Joins names by a separator.
    /// #[derive(Parameters)]
    /// struct Join {
    ///     separator: String,
    ///     #[param(variadic)]
    ///     names: Vec<String>,
    /// }
    ///
    /// assert_eq!(Join::variadic_parameter().unwrap().name, "names");
    /// assert_eq!(Join::parameters().len(), 1);
    /// ```
    #[must_use]
    fn variadic_parameter() -> Option<FunctionParameter> {
        None
    }

    /// Makes the struct from arguments, by position.
    ///
    /// ```
    /// use ferroform::function::Parameters;
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// /// A network in a larger one.
    /// #[derive(Debug, Parameters)]
    /// struct Subnet {
    ///     cidr: String,
    ///     number: u8,
    /// }
    ///
    /// let subnet = Subnet::from_arguments(vec![Value::from("10.0.0.0/8"), Value::from(3)])?;
    /// assert_eq!((subnet.cidr.as_str(), subnet.number), ("10.0.0.0/8", 3));
    /// // A number that the Rust type cannot hold.
    /// let error = Subnet::from_arguments(vec![Value::from("10.0.0.0/8"), Value::from(300)]).unwrap_err();
    /// assert_eq!(error.iter().next().unwrap().path, Some(path!(number)));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every argument that does not fit its Rust type, each at a path that starts with the name of its parameter.
    fn from_arguments(arguments: Vec<Value>) -> Result<Self>;
}
