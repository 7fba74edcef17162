//! What the expansions of the macros for functions call. Not covered by semantic versioning: the macro crate is pinned
//! to exactly this version.

use super::ParameterType;
pub use crate::diag::Result;
use crate::diag::{Diagnostics, Error};
use crate::model::macro_support::IntoValidator;
use crate::path::Path;
pub use crate::schema::{FunctionParameter, Validator};
pub use crate::value::Value;

/// A parameter of the type `T`.
#[must_use]
pub fn parameter<T: ParameterType>(
    name: &'static str,
    description: &'static str,
    more_validators: Vec<Validator>,
) -> FunctionParameter {
    let mut parameter = FunctionParameter::new(name, T::parameter_type());
    parameter.allow_null = T::ALLOWS_NULL;
    parameter.allow_unknown = T::ALLOWS_UNKNOWN;
    parameter.description = description.into();
    parameter.validators = T::validators();
    parameter.validators.extend(more_validators);
    parameter
}

/// Any form of validator as the one of the schema.
pub fn validator<T: ParameterType, How>(validator: impl IntoValidator<T::Known, How>) -> Validator {
    validator.into_validator()
}

/// The arguments that are not decoded yet, and what is wrong with the others.
#[derive(Debug)]
pub struct Arguments {
    left: std::vec::IntoIter<Value>,
    errors: Diagnostics,
}

impl Arguments {
    #[must_use]
    pub fn new(arguments: Vec<Value>) -> Self {
        Self { left: arguments.into_iter(), errors: Diagnostics::default() }
    }

    /// The argument for the next parameter; an absent one is null.
    pub fn next<T: ParameterType>(&mut self, name: &'static str) -> Option<T> {
        let value = self.left.next().unwrap_or(Value::Null);
        self.errors.record(T::decode(&value, &mut Path::root().attribute(name)))
    }

    /// Every further argument.
    pub fn rest<T: ParameterType>(&mut self, name: &'static str) -> Option<Vec<T>> {
        let (left, errors) = (&mut self.left, &mut self.errors);
        let decode =
            |(at, value)| errors.record(T::decode(&value, &mut Path::root().attribute(name).index(at)));
        let decoded: Vec<Option<T>> = left.enumerate().map(decode).collect();
        decoded.into_iter().collect()
    }

    /// What is wrong with the arguments.
    #[must_use]
    pub fn into_errors(mut self) -> Error {
        self.errors.take_errors().err().unwrap_or_else(|| {
            Error::new("Invalid Argument", "An argument does not fit the parameter of the function.")
        })
    }
}

/// The result of a function that may fail with an error of any type.
///
/// # Errors
/// That of the function.
pub fn result<T, E: Into<Error>>(result: Result<T, E>) -> Result<T> {
    result.map_err(Into::into)
}
