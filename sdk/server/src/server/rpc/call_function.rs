//! `CallFunction`: checks every argument, then calls the function. The provider may be unconfigured.

use std::sync::Arc;

use crate::cancel::Cancellation;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::{Function, FunctionContext};
use crate::path::{Path, Step};
use crate::protocol::{
    CallFunctionRequest, CallFunctionResponse, DynamicValue, FunctionError, function_error_text,
};
use crate::schema::{Block, FunctionParameter, FunctionSignature};
use crate::server::rpc::get_functions::checked_signature;
use crate::server::schema_cache::Cacheable;
use crate::server::{Server, provider_code, value_codec};
use crate::validate::validate;
use crate::value::Value;

/// A function.
pub(in crate::server) struct FunctionType {
    signature: FunctionSignature,
    /// The block that validates each argument, by position. The last one also validates all further arguments.
    blocks: Vec<Block>,
    function: Arc<dyn Function>,
}

impl Cacheable for dyn Function {
    type Entry = FunctionType;

    fn load(function: Arc<Self>, name: &str) -> Result<FunctionType> {
        let signature = checked_signature(function.as_ref(), name)?;
        let block = |attribute| Block::new([attribute]);
        let blocks = signature.all_parameters().map(FunctionParameter::as_attribute).map(block).collect();
        Ok(FunctionType { signature, blocks, function })
    }
}

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: CallFunctionRequest,
) -> CallFunctionResponse {
    let of = match server.inner.types.of::<dyn Function>(&request.name) {
        Ok(of) => of,
        Err(error) => return CallFunctionResponse { error: Some(general(error)), ..Default::default() },
    };
    let cx = FunctionContext { cancellation: stop, clock: server.clock() };
    match call(&of, &cx, &request).await {
        Ok(result) => CallFunctionResponse { result, error: None },
        Err(error) => {
            CallFunctionResponse { error: Some(function_error(&of.signature, error)), ..Default::default() }
        }
    }
}

async fn call(
    of: &FunctionType,
    cx: &FunctionContext,
    request: &CallFunctionRequest,
) -> Result<DynamicValue> {
    let signature = &of.signature;
    let arguments = decode(signature, request)?;
    let is_unknown = |(at, argument): (usize, &Value)| {
        let allowed = parameter(signature, at).is_some_and(|parameter| parameter.allow_unknown);
        !allowed && !argument.is_wholly_known()
    };
    // Core does not call a function then; another client may.
    if arguments.iter().enumerate().any(is_unknown) {
        return value_codec::encode(&Value::unknown(), &signature.result, "result");
    }
    check(of, &arguments)?;
    let result = provider_code::isolated(of.function.call(cx, arguments)).await?;
    value_codec::encode(&result, &signature.result, "result")
}

/// The arguments by the types of their parameters.
///
/// # Errors
/// Their number is wrong, one does not fit its type, or one is null where its parameter does not allow that.
fn decode(signature: &FunctionSignature, request: &CallFunctionRequest) -> Result<Vec<Value>> {
    let (fixed, given) = (signature.parameters.len(), request.arguments.len());
    if given < fixed || (given > fixed && signature.variadic_parameter.is_none()) {
        let at_least = if signature.variadic_parameter.is_some() { "at least " } else { "" };
        return Err(Error::new(
            "Wrong Number Of Arguments",
            format!(
                "The function `{}` needs {at_least}{fixed} argument{}, but the call has {given}.",
                request.name,
                if fixed == 1 { "" } else { "s" }
            ),
        ));
    }
    let mut errors = Diagnostics::default();
    let mut arguments = Vec::with_capacity(given);
    for (at, encoded) in request.arguments.iter().enumerate() {
        let Some(parameter) = parameter(signature, at) else { break };
        let decoded = value_codec::decode(encoded, &parameter.ty.ty(), "argument").and_then(|argument| {
            let is_missing = argument.is_null() && !parameter.allow_null;
            if is_missing {
                Err(Error::new("Null Argument", "The argument must not be null."))
            } else {
                Ok(argument)
            }
        });
        arguments.extend(errors.record(decoded.map_err(|error| error.at(path_of(signature, at)))));
    }
    errors.take_errors()?;
    Ok(arguments)
}

/// The validators of the parameters, all of them before the function is called.
fn check(of: &FunctionType, arguments: &[Value]) -> Result {
    let mut found = Diagnostics::default();
    for (at, argument) in arguments.iter().enumerate() {
        let Some(block) = of.blocks.get(at).or(of.blocks.last()) else { break };
        let Some(name) = block.attributes.first().map(|attribute| attribute.name.clone().into_owned()) else {
            break;
        };
        let mut mistakes = Diagnostics::default();
        let object = Value::object([(name, argument.clone())]);
        validate(block, &object, false, &mut mistakes);
        found.extend(mistakes.into_iter().map(|mistake| moved(mistake, &path_of(&of.signature, at))));
    }
    for warning in found.iter().filter(|found| !found.is_error()) {
        tracing::warn!(warning = %warning, "argument of a function");
    }
    found.take_errors()
}

/// A diagnostic about an argument as if it were an attribute, at the path of the argument.
fn moved(mut diagnostic: Diagnostic, to: &Path) -> Diagnostic {
    let inner = diagnostic.path.take().unwrap_or_default();
    let inner: Path = inner.steps().iter().skip(1).cloned().collect();
    diagnostic.path = Some(to.clone().join(&inner));
    diagnostic
}

fn parameter(signature: &FunctionSignature, at: usize) -> Option<&FunctionParameter> {
    signature.parameters.get(at).or(signature.variadic_parameter.as_ref())
}

/// The path of an argument: the name of its parameter, and the index among the variadic ones.
fn path_of(signature: &FunctionSignature, at: usize) -> Path {
    let Some(parameter) = parameter(signature, at) else { return Path::root() };
    let path = Path::root().attribute(parameter.name.clone());
    match at.checked_sub(signature.parameters.len()) {
        Some(index) => path.index(index),
        None => path,
    }
}

/// The only error that the answer has room for: every text, and the first argument to blame.
fn function_error(signature: &FunctionSignature, error: Error) -> FunctionError {
    let mut whole = FunctionError::default();
    for diagnostic in error {
        let (argument, inner) = argument_of(signature, diagnostic.path.as_ref());
        let text = text(&diagnostic, &inner);
        if whole.text.is_empty() {
            whole = FunctionError { text, argument };
            continue;
        }
        // Core shows the name of the first one only.
        let name = argument.filter(|_| argument != whole.argument).and_then(|at| parameter(signature, at));
        let of = name.map_or_else(String::new, |parameter| format!("{}: ", parameter.name));
        whole.text.push_str(&format!("\n{of}{text}"));
    }
    whole
}

/// The argument that a path is about, and the path within the argument.
fn argument_of(signature: &FunctionSignature, path: Option<&Path>) -> (Option<usize>, Path) {
    let steps = path.map_or(&[] as &[Step], Path::steps);
    let within = |steps: &[Step]| steps.iter().cloned().collect::<Path>();
    let Some((Step::Attribute(name), rest)) = steps.split_first() else { return (None, within(steps)) };
    if let Some(at) = signature.parameters.iter().position(|parameter| parameter.name == *name) {
        return (Some(at), within(rest));
    }
    match (&signature.variadic_parameter, rest.split_first()) {
        (Some(parameter), Some((Step::Index(at), rest))) if parameter.name == *name => {
            (Some(signature.parameters.len() + at), within(rest))
        }
        (Some(parameter), _) if parameter.name == *name => (None, Path::root()),
        _ => (None, within(steps)),
    }
}

fn general(error: Error) -> FunctionError {
    function_error(&FunctionSignature::new(crate::ty::Type::Dynamic), error)
}

/// The text of a diagnostic, with the path within the argument.
fn text(diagnostic: &Diagnostic, inner: &Path) -> String {
    let text = function_error_text(diagnostic);
    if inner.is_root() { text.to_owned() } else { format!("at `{inner}`: {text}") }
}
