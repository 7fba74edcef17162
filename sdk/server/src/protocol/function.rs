//! Messages about functions.

use crate::diag::{Diagnostic, Diagnostics};
use crate::protocol::DynamicValue;
use crate::schema::FunctionSignature;

messages! { derive(Debug, Clone, Default)

    /// Asks `GetFunctions`: signatures of the functions.
    GetFunctionsRequest {}

    /// Answers `GetFunctions`.
    GetFunctionsResponse {
        /// By name, without the provider prefix; sorted. Keep the order when you add one.
        functions: Vec<(String, FunctionSignature)>,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `CallFunction`: calls a function; the provider may be unconfigured.
    CallFunctionRequest {
        /// The function.
        name: String,
        /// By position; variadic ones at the end.
        arguments: Vec<DynamicValue>,
    }

    /// Answers `CallFunction`.
    CallFunctionResponse {
        /// The result.
        result: DynamicValue,
        /// Why there is none.
        error: Option<FunctionError>,
    }
}

/// Why a function has no result (protocol `FunctionError`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionError {
    /// What went wrong.
    pub text: String,
    /// The argument to blame, counted from 0.
    pub argument: Option<usize>,
}

/// The text of a diagnostic as the end of the sentence in which core shows it: the detail, which says what is wrong in
/// whole sentences, without the last full stop, that core adds.
pub(crate) fn function_error_text(diagnostic: &Diagnostic) -> &str {
    let text = if diagnostic.detail.is_empty() { &diagnostic.summary } else { &diagnostic.detail };
    text.strip_suffix('.').unwrap_or(text)
}
