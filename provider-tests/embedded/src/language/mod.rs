//! The configuration language: expressions over [`Value`](ferroform::value::Value)s, as core evaluates them.
//!
//! An expression is one of [`hcl_edit`]. [`evaluate`] computes it within a [`Scope`], which says what references
//! mean; [`references`] lists them without evaluating anything. A result is a [`Marked`] value, which knows its type
//! and which parts of it are sensitive or ephemeral.
//!
//! ```
//! use ferroform_embedded::language::{NoReferences, SourceFile, evaluate, parse_expression};
//!
//! let source = SourceFile::new("main.tf", r#"[for name in ["a", "b"] : upper(name) if name != "a"]"#);
//! let expr = parse_expression(&source).unwrap();
//! let result = evaluate(&expr, &NoReferences::new(source)).unwrap();
//! assert_eq!(result.value, ferroform::value::Value::tuple(["B".into()]));
//! ```

mod convert;
mod evaluate;
mod functions;
mod marked;
pub mod module;
mod number;
mod parse;
#[doc(hidden)]
pub mod rule;
mod scope;
mod source;
pub mod types;

pub use crate::diagnostic::Diagnostic;
pub(crate) use convert::without_optional;
pub use convert::{convert, describe};
pub(crate) use evaluate::{UNKNOWN_FUNCTION, UNKNOWN_PROVIDER_FUNCTION, wrong_reference, wrong_references};
pub use evaluate::{evaluate, parse_expression, parse_template, references};
pub(crate) use functions::duration;
pub use functions::{Failure, Stage, names as function_names};
pub use marked::{Deprecation, MarkSet, Marked, Marks};
pub(crate) use scope::path_value;
pub use scope::{NoReferences, ProviderFunction, Resolved, Scope, Traversal, TraversalStep};
pub use source::{Position, SourceFile, Span, Subject};
