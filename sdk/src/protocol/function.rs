//! Messages about functions.

use std::collections::BTreeMap;

use crate::diag::Diagnostics;
use crate::protocol::DynamicValue;
use crate::ty::Type;

/// Asks `GetFunctions`: signatures of the functions.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GetFunctionsRequest {}

/// Answers `GetFunctions`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GetFunctionsResponse {
    /// By name, without the provider prefix.
    pub functions: BTreeMap<String, FunctionSignature>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `CallFunction`: calls a function; the provider may be unconfigured.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CallFunctionRequest {
    /// The function.
    pub name: String,
    /// By position; variadic ones at the end.
    pub arguments: Vec<DynamicValue>,
}

/// Answers `CallFunction`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CallFunctionResponse {
    /// The result.
    pub result: DynamicValue,
    /// Why there is none.
    pub error: Option<FunctionError>,
}

/// The signature of a function (protocol `Function`).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct FunctionSignature {
    /// Parameters by position.
    pub parameters: Vec<FunctionParameter>,
    /// The parameter that takes all further arguments.
    pub variadic_parameter: Option<FunctionParameter>,
    /// The type of the result.
    pub result: Option<Type>,
    /// One line.
    pub summary: String,
    /// Markdown.
    pub description: String,
    /// Shown to callers of a deprecated function; empty when it is not deprecated.
    pub deprecation_message: String,
}

/// A parameter of a function (protocol `Function.Parameter`).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FunctionParameter {
    /// The name, an identifier.
    pub name: String,
    /// The type that arguments are converted to.
    pub ty: Type,
    /// Whether null may be passed; core refuses it otherwise.
    pub allow_null_value: bool,
    /// Whether the function is called with unknown arguments; its result is unknown otherwise.
    pub allow_unknown_values: bool,
    /// Markdown.
    pub description: String,
}

/// Why a function has no result (protocol `FunctionError`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionError {
    /// What went wrong.
    pub text: String,
    /// The argument to blame, counted from 0.
    pub argument: Option<usize>,
}
