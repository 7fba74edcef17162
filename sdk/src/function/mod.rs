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
    /// # Errors
    /// The error that core reports for the call. An error at a path whose first step is the name of a parameter points
    /// at that argument; for a variadic parameter, an index follows the name.
    fn call(self, cx: &FunctionContext) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The signature that core is given.
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
    fn parameters() -> Vec<FunctionParameter>;

    /// The parameter that accepts every further argument.
    #[must_use]
    fn variadic_parameter() -> Option<FunctionParameter> {
        None
    }

    /// Makes the struct from arguments, by position.
    ///
    /// # Errors
    /// Every argument that does not fit its Rust type, each at a path that starts with the name of its parameter.
    fn from_arguments(arguments: Vec<Value>) -> Result<Self>;
}
