//! Provider functions: typed by the attribute macro and by the trait, and dynamic, through the calls of the protocol.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::dynamic;
use ferroform::function::{Function, FunctionContext, Parameters};
use ferroform::model::{Attr, AttributeValue, Computed, Draft, Model};
use ferroform::path;
use ferroform::provider::{Context, Provider, Registry, assemble};
use ferroform::schema::{FunctionParameter, FunctionSignature, Kind};
use ferroform::testing::ProviderCheck;
use ferroform::ty::Type;
use ferroform::validate::number::between;
use ferroform::validate::relation::conflicts_with;
use ferroform::validate::text::length;
use ferroform::value::{Dynamic, Value};
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{
    CallFunctionRequest, CallFunctionResponse, DynamicValue, GetFunctionsRequest, GetMetadataRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{Thing, ask, message, response, serving};

/// Joins a path.
///
/// Every name is appended.
#[ferroform::function]
fn join_path(
    /// Where the path starts.
    root: String,
    /// What follows.
    #[param(variadic, validate = length(1..=8))]
    names: Vec<String>,
) -> Result<String> {
    if let Some(at) = names.iter().position(|name| name.contains('/')) {
        return Err(
            Error::new("Slash In Name", "A name must not contain a slash.").at(path!(names).index(at))
        );
    }
    Ok(names.into_iter().fold(root, |path, name| path + "/" + &name))
}

#[derive(Debug, Clone, AttributeValue)]
enum Case {
    Lower,
    Upper,
}

/// A name and how it is written.
#[derive(Model)]
#[model(nested)]
struct Name {
    text: String,
    case: Option<Case>,
    #[attr(computed)]
    id: Option<String>,
}

/// Writes a name.
#[ferroform::function(name = "write", deprecated = "Use `upper` or `lower`.")]
async fn write_name(cx: &FunctionContext, name: Name, suffix: Option<String>) -> String {
    let _ = cx;
    let text = match name.case {
        Some(Case::Upper) => name.text.to_uppercase(),
        Some(Case::Lower) => name.text.to_lowercase(),
        None => name.text,
    };
    text + &suffix.unwrap_or_default()
}

/// Whether a value is known.
#[ferroform::function]
fn presence(value: Attr<String>) -> String {
    match value {
        Attr::Null => "null".to_owned(),
        Attr::Unknown => "unknown".to_owned(),
        Attr::Known(_) => "known".to_owned(),
    }
}

#[ferroform::function]
fn double(number: Computed<i64>) -> Computed<i64> {
    match number {
        Computed::Known(number) => Computed::Known(number * 2),
        Computed::Unknown => Computed::Unknown,
    }
}

#[ferroform::function]
fn same(value: Dynamic) -> Dynamic {
    value
}

#[ferroform::function]
fn swap(pair: (String, i64)) -> (i64, String) {
    (pair.1, pair.0)
}

/// A parameter with the name of the function, and validators of values that may be unknown.
#[ferroform::function]
fn shorten(
    #[param(validate = length(1..=4))] shorten: Computed<String>,
    #[param(validate = between(1, 9))] to: Attr<i64>,
) -> Computed<String> {
    match (shorten, to) {
        (Computed::Known(text), Attr::Known(to)) => {
            Computed::Known(text.chars().take(usize::try_from(to).unwrap_or_default()).collect())
        }
        (text, Attr::Null) => text,
        _ => Computed::Unknown,
    }
}

#[cfg(any())]
#[ferroform::function]
fn of_another_build() -> bool {
    true
}

#[ferroform::function]
fn nothing() -> Option<String> {
    None
}

#[ferroform::function]
fn panics() -> bool {
    panic!("a secret text")
}

#[ferroform::function]
fn parse(text: String) -> Result<u16, std::num::ParseIntError> {
    text.parse()
}

/// Repeats a text.
#[derive(Parameters)]
#[function(plain)]
struct Repeat {
    /// Not *Markdown*.
    text: String,
    #[param(validate = between(0, 3))]
    times: u16,
}

impl Function for Repeat {
    type Output = Vec<String>;
    const NAME: &str = "repeat";

    async fn call(self, _cx: &FunctionContext) -> Result<Vec<String>> {
        Ok(vec![self.text; self.times.into()])
    }
}

/// A function of the dynamic layer whose result does not fit its signature.
struct Misfit;

#[async_trait]
impl dynamic::Function for Misfit {
    fn signature(&self) -> FunctionSignature {
        FunctionSignature::new(Type::Number).parameter(FunctionParameter::new("text", Type::String))
    }

    async fn call(&self, _cx: &FunctionContext, arguments: Vec<Value>) -> Result<Value> {
        Ok(arguments.into_iter().next().unwrap_or(Value::Null))
    }
}

/// A function of the dynamic layer with a signature that core would reject.
struct Invalid;

#[async_trait]
impl dynamic::Function for Invalid {
    fn signature(&self) -> FunctionSignature {
        let list = FunctionParameter::new("a", Type::list(Type::Dynamic));
        let mut other = FunctionParameter::new("b", Type::Bool);
        other.validators = vec![conflicts_with(["a"]).into()];
        let signature = FunctionSignature::new(Type::Bool).parameter(list).parameter(other);
        signature.variadic(FunctionParameter::new("a", Type::Bool))
    }

    async fn call(&self, _cx: &FunctionContext, _arguments: Vec<Value>) -> Result<Value> {
        Ok(Value::Null)
    }
}

struct Functions;

impl Provider for Functions {
    type Config = ();
    type Client = ();
    const NAME: &str = "functions";

    async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.function::<join_path>().function::<write_name>().function::<presence>().function::<double>();
        it.function::<same>().function::<swap>().function::<nothing>().function::<panics>();
        it.function::<parse>().function::<Repeat>().function::<shorten>();
        it.dynamic_function("misfit", Arc::new(Misfit)).dynamic_function("invalid", Arc::new(Invalid));
    }
}

fn functions() -> Server {
    Server::new(assemble::<Functions>())
}

fn signature(name: &str) -> FunctionSignature {
    let function = assemble::<Functions>().catalogue().get::<dyn ferroform::dynamic::Function>(name);
    function.expect("it is registered").signature()
}

/// Calls a function with arguments as core encodes them.
fn call(name: &str, arguments: &[Value]) -> CallFunctionResponse {
    let signature = signature(name);
    let encode = |(at, value): (usize, &Value)| {
        let parameter = signature.parameters.get(at).or(signature.variadic_parameter.as_ref());
        let ty = parameter.map_or(Type::Dynamic, |parameter| parameter.ty.ty());
        DynamicValue::Msgpack(Bytes::from(msgpack::encode(value, &ty).expect("the argument fits")))
    };
    let arguments = arguments.iter().enumerate().map(encode).collect();
    let request = message!(CallFunctionRequest { name: name.to_owned(), arguments: arguments });
    response!(CallFunction, ask(&functions(), request))
}

/// A call gives that result, shown as a value.
#[track_caller]
fn check(name: &str, arguments: &[Value], expected: &Value) {
    let response = call(name, arguments);
    assert_eq!(response.error, None, "{name}");
    let DynamicValue::Msgpack(bytes) = &response.result else { panic!("{:?}", response.result) };
    let result = msgpack::decode(bytes, &signature(name).result).expect("the result fits the signature");
    assert_eq!(&result, expected, "{name}");
}

/// A call fails with that text, at that argument.
#[track_caller]
fn check_error(name: &str, arguments: &[Value], text: &str, argument: Option<usize>) {
    let error = call(name, arguments).error.unwrap_or_else(|| panic!("`{name}` has no error"));
    assert_eq!((error.text.as_str(), error.argument), (text, argument), "{name}");
}

fn text(text: &str) -> Value {
    Value::string(text)
}

fn name_object(text: &str, case: Value, id: Value) -> Value {
    Value::object([("text", Value::string(text)), ("case", case), ("id", id)])
}

#[test]
fn signature_follows_the_rust_function() {
    let join = signature("join_path");
    assert_eq!((&*join.summary, &*join.description), ("Joins a path.", "Every name is appended."));
    assert_eq!(join.result, Type::String);
    assert_eq!((join.parameters.len(), &*join.parameters[0].description), (1, "Where the path starts."));
    let names = join.variadic_parameter.expect("the last parameter is variadic");
    assert_eq!((&*names.name, names.ty.ty()), ("names", Type::String));

    let write = signature("write");
    assert_eq!(write.deprecation.as_deref(), Some("Use `upper` or `lower`."));
    let allows = |at: usize| (write.parameters[at].allow_null, write.parameters[at].allow_unknown);
    assert_eq!((write.parameters.len(), allows(0), allows(1)), (2, (false, false), (true, false)));
    assert!(signature("repeat").plain_descriptions && !write.plain_descriptions);
    let presence = signature("presence").parameters.remove(0);
    assert!(presence.allow_null && presence.allow_unknown);
    let number = signature("double").parameters.remove(0);
    assert!(!number.allow_null && number.allow_unknown);
}

#[test]
fn lists_of_functions_have_every_valid_one() {
    let server = functions();
    let listed = response!(GetFunctions, ask(&server, GetFunctionsRequest::default()));
    let names: Vec<&str> = listed.functions.iter().map(|(name, _)| name.as_str()).collect();
    let valid = [
        "double",
        "join_path",
        "misfit",
        "nothing",
        "panics",
        "parse",
        "presence",
        "repeat",
        "same",
        "shorten",
        "swap",
        "write",
    ];
    assert_eq!(names, valid);
    let mistakes = crate::server::support::details(&listed.diagnostics);
    assert!(mistakes.contains("the function invalid"), "{mistakes}");
    for mistake in ["another parameter has this name", "cannot hold dynamic", "`b`: "] {
        assert!(mistakes.contains(mistake), "{mistake}: {mistakes}");
    }
    let metadata = response!(GetMetadata, ask(&server, GetMetadataRequest::default()));
    assert_eq!(metadata.names(Kind::Function).len(), valid.len() + 1);
    let none = response!(GetFunctions, ask(&serving(Thing::default()), GetFunctionsRequest::default()));
    assert!(none.functions.is_empty() && none.diagnostics.is_empty());
}

#[test]
fn arguments_and_results_have_their_rust_types() {
    check("join_path", &[text("a")], &text("a"));
    check("join_path", &[text("a"), text("b"), text("c")], &text("a/b/c"));
    check("write", &[name_object("Ab", text("upper"), Value::Null), Value::Null], &text("AB"));
    // An object of a resource has its computed attributes.
    check("write", &[name_object("Ab", Value::Null, text("1")), text("!")], &text("Ab!"));
    check(
        "swap",
        &[Value::Tuple([text("a"), Value::from(1)].into())],
        &Value::Tuple([Value::from(1), text("a")].into()),
    );
    check("nothing", &[], &Value::Null);
    check("repeat", &[text("a"), Value::from(2)], &Value::list([text("a"), text("a")]));
    check("parse", &[text("80")], &Value::from(80));
    check("shorten", &[text("abc"), Value::from(2)], &text("ab"));
    check("shorten", &[Value::unknown(), Value::Null], &Value::unknown());
}

#[test]
fn dynamic_argument_keeps_its_type() {
    let argument = Value::dynamic(Type::list(Type::Bool), Value::list([Value::from(true)]));
    check("same", std::slice::from_ref(&argument), &argument);
}

#[test]
fn null_and_unknown_arguments_reach_parameters_that_accept_them() {
    check("presence", &[Value::Null], &text("null"));
    check("presence", &[Value::unknown()], &text("unknown"));
    check("presence", &[text("a")], &text("known"));
    check("double", &[Value::from(2)], &Value::from(4));
    check("double", &[Value::unknown()], &Value::unknown());
}

#[test]
fn unknown_argument_makes_the_result_unknown() {
    check("join_path", &[text("a"), Value::unknown()], &Value::unknown());
    check("write", &[name_object("a", Value::unknown(), Value::Null), Value::Null], &Value::unknown());
    // Even where another argument is wrong: core does not call the function at all.
    check("repeat", &[Value::unknown(), Value::from(9)], &Value::unknown());
}

#[test]
fn error_points_at_the_argument() {
    check_error(
        "join_path",
        &[text("a"), text("b"), text("c/d")],
        "A name must not contain a slash",
        Some(2),
    );
    check_error("write", &[Value::Null, Value::Null], "The argument must not be null", Some(0));
    check_error("repeat", &[text("a"), Value::Null], "The argument must not be null", Some(1));
    check_error("parse", &[text("x")], "invalid digit found in string", None);
}

#[test]
fn validators_check_every_argument_before_the_call() {
    let error = call("join_path", &[text("a"), text("/"), text("")]).error.expect("a name is empty");
    assert_eq!(error.argument, Some(2), "{}", error.text);
    let error = call("repeat", &[text("a"), Value::from(4)]).error.expect("it is too often");
    assert_eq!(error.argument, Some(1), "{}", error.text);
    let error = call("shorten", &[text("abcde"), Value::from(0)]).error.expect("both are out of range");
    assert!(error.argument == Some(0) && error.text.contains("\nto: "), "{error:?}");
    let object = name_object("a", text("title"), Value::Null);
    let error = call("write", &[object, Value::Null]).error.expect("there is no such case");
    assert!(error.text.starts_with("at `case`: ") && error.argument == Some(0), "{error:?}");
}

#[test]
fn wrong_number_of_arguments_is_rejected() {
    let none = "The function `join_path` needs at least 1 argument, but the call has 0";
    check_error("join_path", &[], none, None);
    let many = "The function `nothing` needs 0 arguments, but the call has 1";
    check_error("nothing", &[Value::dynamic(Type::Bool, Value::from(true))], many, None);
}

#[test]
fn argument_of_another_type_is_rejected_at_its_place() {
    let bytes = msgpack::encode(&Value::from(true), &Type::Bool).expect("a bool can be encoded");
    let arguments = vec![DynamicValue::Msgpack(Bytes::from(bytes)), DynamicValue::Absent];
    let request = message!(CallFunctionRequest { name: "repeat".to_owned(), arguments: arguments });
    let error = response!(CallFunction, ask(&functions(), request)).error.expect("a bool is no text");
    assert_eq!(error.argument, Some(0), "{}", error.text);
    // Both mistakes are reported, the second one with its parameter.
    assert!(error.text.contains("\ntimes: The argument must not be null"), "{}", error.text);
}

#[test]
fn panic_is_an_error_of_the_call() {
    let error = call("panics", &[]).error.expect("it panics");
    assert!(error.text.contains("panic") && !error.text.contains("secret"), "{}", error.text);
    assert_eq!(error.argument, None);
}

#[test]
fn result_that_does_not_fit_is_a_bug_of_the_provider() {
    let error = call("misfit", &[text("a")]).error.expect("a text is no number");
    assert!(error.text.contains("This is a bug in the provider"), "{}", error.text);
}

#[test]
fn invalid_signature_fails_the_call() {
    let request = message!(CallFunctionRequest { name: "invalid".to_owned() });
    let error = response!(CallFunction, ask(&functions(), request)).error.expect("the signature is invalid");
    assert!(error.text.contains("the function invalid"), "{}", error.text);
}

#[test]
fn unknown_function_is_named() {
    let request = message!(CallFunctionRequest { name: "x".to_owned() });
    let error =
        response!(CallFunction, ask(&serving(Thing::default()), request)).error.expect("there is none");
    assert!(error.text.contains("has no function `x`") && error.argument.is_none(), "{}", error.text);
}

#[test]
fn two_functions_of_one_name_are_a_mistake() {
    struct Twice;
    impl Provider for Twice {
        type Config = ();
        type Client = ();
        const NAME: &str = "twice";
        async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Result {
            Ok(())
        }
        fn register(it: &mut Registry<()>) {
            it.function::<nothing>().function::<nothing>();
        }
    }
    let mistakes = ProviderCheck::new(assemble::<Twice>()).mistakes();
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert!(mistakes[0].contains("`nothing`"), "{mistakes:?}");
    let mistakes = ProviderCheck::new(assemble::<Functions>()).mistakes();
    assert!(mistakes.iter().all(|it| it.contains("the function invalid")), "{mistakes:?}");
}

#[test]
fn rust_function_stays_callable() {
    assert_eq!(join_path("a".to_owned(), vec!["b".to_owned()]).at(path!(root)).ok().as_deref(), Some("a/b"));
}
