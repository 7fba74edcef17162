//! The configuration language.

mod diagnostic;
pub mod module;
mod source;

pub use diagnostic::{Diagnostic, Subject};
pub use source::{Position, SourceFile, Span};
