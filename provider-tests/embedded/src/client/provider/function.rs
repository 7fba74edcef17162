//! Functions.

use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_server::protocol::FunctionError;

use super::Provider;
use crate::client::catalog::no_such;
use crate::client::error::Error;
use crate::client::wire::{decode, encode};

impl Provider {
    /// Calls a function (`CallFunction`). The provider need not be configured.
    ///
    /// # Errors
    /// The call failed, there is no such function, there are too many arguments, or a value does not conform to the
    /// signature. What the function itself reports is in the result.
    pub async fn call_function(
        &self,
        name: &str,
        arguments: &[Value],
    ) -> Result<Result<Value, FunctionError>, Error> {
        const METHOD: &str = "CallFunction";
        let signature = self.schemas().functions.get(name).ok_or_else(|| no_such("function", name))?;
        let parameters = signature.parameters.iter().chain(signature.variadic_parameter.iter().cycle());
        let encoded = arguments.iter().zip(parameters);
        let encoded = encoded.map(|(argument, it)| encode(METHOD, "arguments", argument, &it.ty.ty()));
        let encoded = encoded.collect::<Result<Vec<_>, _>>()?;
        if encoded.len() < arguments.len() {
            return Err(no_such("parameter", &format!("{} of {name}", encoded.len())));
        }
        let request = proto::call_function::Request { name: name.to_owned(), arguments: encoded };
        let response = self.client.call_function(request).await?;
        if let Some(error) = response.error {
            // A negative number is no argument, and is an error of the call for core, too.
            let argument = error.function_argument.and_then(|at| usize::try_from(at).ok());
            return Ok(Err(FunctionError { text: error.text, argument }));
        }
        decode(METHOD, "result", &response.result, &signature.result).map(Ok)
    }
}
