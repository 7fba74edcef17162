//! What every function keeps: it is total and pure.

use std::time::Duration;

use ferroform::schema::{Attribute, AttributeType, Block, FunctionParameter, FunctionSignature};
use ferroform::value::Value;
use ferroform_server::protocol::FunctionError;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

use super::FunctionTest;
use crate::client::{Error, Provider};
use crate::generate::Generator;

/// How many calls the rules are checked with.
const CASES: usize = 64;

/// How many arguments there are for a variadic parameter, at most.
const VARIADIC: usize = 3;

/// How long a call may take.
const LIMIT: Duration = Duration::from_secs(20);

impl FunctionTest {
    /// Calls the function with generated arguments. It must be total: each call has a result of its type or an error,
    /// within a time; and pure: the same call again has the same. A provider's [conformance
    /// tests](mod@crate::conformance) check this for each of its functions.
    ///
    /// # Panics
    /// It is not.
    #[track_caller]
    pub fn check_rules(&self) {
        let found = self.runtime.block_on(violation(&self.provider, &self.name));
        if let Some(violation) = found {
            panic!("{}: {violation}", self.name);
        }
    }
}

/// How a function of a provider is not total, or not pure.
pub(crate) async fn violation(provider: &Provider, name: &str) -> Option<String> {
    let signature = provider.schemas().functions.get(name)?.clone();
    let mut runner = TestRunner::deterministic();
    for case in 0..CASES {
        let arguments = match arguments(&signature, case, &mut runner) {
            Ok(arguments) => arguments,
            Err(why) => return Some(format!("there are no arguments for it: {why}")),
        };
        let first = match answer(provider, name, &arguments).await {
            Ok(first) => first,
            Err(why) => return Some(format!("it is not total: {why}")),
        };
        match answer(provider, name, &arguments).await {
            Ok(second) if second == first => {}
            Ok(_) => return Some("it is not pure: the same call has two results".to_owned()),
            Err(why) => return Some(format!("it is not total: a second call {why}")),
        }
    }
    None
}

async fn answer(
    provider: &Provider,
    name: &str,
    arguments: &[Value],
) -> std::result::Result<std::result::Result<Value, FunctionError>, String> {
    let call = tokio::time::timeout(LIMIT, provider.call_function(name, arguments)).await;
    let answer = call.map_err(|_| format!("has not ended after {} s", LIMIT.as_secs()))?;
    match answer {
        // So the SDK words what its author has to fix, as a panic or a result of another type.
        Ok(Err(error)) if error.text.contains("bug in the provider") => {
            Err(format!("fails by a bug: {}", error.text))
        }
        Ok(Err(error)) if error.text.to_lowercase().contains("panic") => {
            Err(format!("panics: {}", error.text))
        }
        Ok(answer) => Ok(answer),
        Err(Error::Value { field: "result", problem, .. }) => Err(format!("has a wrong result: {problem}")),
        Err(error) => Err(format!("has no usable answer: {error}")),
    }
}

/// Arguments that core might send. Every fourth case has an unknown one, where that is accepted.
fn arguments(
    signature: &FunctionSignature,
    case: usize,
    runner: &mut TestRunner,
) -> std::result::Result<Vec<Value>, String> {
    let further = signature.variadic_parameter.iter().cycle().take(case % (VARIADIC + 1));
    let parameters: Vec<&FunctionParameter> = signature.parameters.iter().chain(further).collect();
    // As attributes they have names of their own.
    let attribute = |(at, it): (usize, &&FunctionParameter)| {
        let name = format!("p{at}");
        let make: fn(String, AttributeType) -> Attribute =
            if it.allow_null { Attribute::optional } else { Attribute::required };
        make(name, it.ty.clone())
    };
    let attributes = parameters.iter().enumerate().map(attribute);
    let block = Block::new(attributes);
    let config = Generator::new().configs(&block).new_tree(runner).map_err(|why| why.to_string())?.current();
    let unknown = (case % 4 == 3).then(|| case % parameters.len().max(1));
    let value = |(at, it): (usize, &&FunctionParameter)| {
        if unknown == Some(at) && it.allow_unknown {
            return Value::unknown();
        }
        let entries = config.as_entries();
        entries.and_then(|entries| entries.get(&format!("p{at}"))).cloned().unwrap_or(Value::Null)
    };
    Ok(parameters.iter().enumerate().map(value).collect())
}
