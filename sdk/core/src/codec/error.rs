//! What goes wrong between bytes and values.

use std::fmt;

use crate::diag::{Diagnostic, Error};
use crate::path::{Path, Step};
use crate::value::NumberError;

/// Bytes that are not a value of the type, or a value that has no encoding for the type. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecError {
    inner: Box<Inner>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    message: String,
    /// The steps of the path from the inside out, which is how an error travels.
    steps: Vec<Step>,
    direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Decode,
    Encode,
}

impl CodecError {
    /// The path of the invalid part, from the root of the value.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_core::codec::json;
    ///
    /// let ports = Value::list([443.into(), "https".into()]);
    /// let error = json::encode(&ports, &Type::list(Type::Number)).unwrap_err();
    /// assert_eq!(error.path(), path!().index(1));
    /// ```
    #[must_use]
    pub fn path(&self) -> Path {
        self.inner.steps.iter().rev().cloned().collect()
    }

    /// What is wrong, without the path.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_core::codec::json;
    ///
    /// let error = json::encode(&Value::list(["https".into()]), &Type::list(Type::Number)).unwrap_err();
    /// assert_eq!(error.message(), "number required, not string");
    /// assert_eq!(error.to_string(), "[0]: number required, not string");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The error with its path, for author code. The conversion that `?` does knows only the text.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_core::codec::json;
    ///
    /// let server = Value::object([("port", Value::from("https"))]);
    /// let error = json::encode(&server, &Type::object([("port", Type::Number)])).unwrap_err().into_error();
    /// let diagnostic = error.iter().next().unwrap();
    /// assert_eq!((diagnostic.summary.as_str(), &diagnostic.path), ("Value Not Encodable", &Some(path!(port))));
    /// ```
    #[must_use]
    pub fn into_error(self) -> Error {
        Diagnostic::from(self).into()
    }

    /// The error with its path, told by one who knows what the value is for and so what is to be done about it.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_core::codec::json;
    ///
    /// let server = Value::object([("port", Value::from("https"))]);
    /// let error = json::encode(&server, &Type::object([("port", Type::Number)])).unwrap_err();
    /// let error = error.explained("Server Not Stored", "Report this to the developers of the provider.");
    /// let detail = "Report this to the developers of the provider.\n\nWhat is wrong: number required, not string.";
    /// assert_eq!(error.to_string(), format!("port: Server Not Stored: {detail}"));
    /// ```
    #[must_use]
    pub fn explained(self, summary: &str, detail: &str) -> Error {
        let detail = format!("{detail}\n\nWhat is wrong: {}.", self.message());
        Diagnostic::error(summary, detail).at(self.path()).into()
    }

    pub(super) fn decode(message: impl Into<String>) -> Self {
        Self::new(message.into(), Direction::Decode)
    }

    pub(super) fn encode(message: impl Into<String>) -> Self {
        Self::new(message.into(), Direction::Encode)
    }

    pub(super) fn within(mut self, step: Step) -> Self {
        self.inner.steps.push(step);
        self
    }

    fn new(message: String, direction: Direction) -> Self {
        Self { inner: Box::new(Inner { message, steps: Vec::new(), direction }) }
    }
}

impl From<NumberError> for CodecError {
    fn from(error: NumberError) -> Self {
        Self::decode(error.to_string())
    }
}

impl From<CodecError> for Diagnostic {
    fn from(error: CodecError) -> Self {
        let message = error.message();
        let diagnostic = match error.inner.direction {
            Direction::Decode => Self::error(
                "Value Not Readable",
                format!(
                    "A value does not have the form that the provider's schema announces: {message}. If the provider \
                     was changed since the value was stored, its state upgrade may be incomplete; otherwise this is \
                     a bug in the provider or in the program that sent the value."
                ),
            ),
            Direction::Encode => Self::error(
                "Value Not Encodable",
                format!(
                    "The provider made a value that does not have the form that its schema announces: {message}. \
                     This is a bug in the provider, which should be reported to its developers."
                ),
            ),
        };
        diagnostic.at(error.path())
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        if !path.is_root() {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.inner.message)
    }
}

impl std::error::Error for CodecError {}
