//! Requests about concepts that this provider has none of, answered as the protocol expects: lists are empty, and
//! a call about a type of a name says that there is no such type. Closing an ephemeral resource succeeds.

use crate::diag::Diagnostic;
use crate::protocol::{CloseEphemeralResourceResponse, GetFunctionsResponse, Request, Response};
use crate::server::Server;

pub(super) fn handle(server: &Server, request: &Request) -> Response {
    let rpc = request.rpc();
    let unknown = |what: &str, name: &str| server.types().unknown_type(what, name);
    let provider = server.provider().name();
    let diagnostic = match request {
        Request::GetFunctions(_) => return GetFunctionsResponse::default().into(),
        // What was never opened is closed.
        Request::CloseEphemeralResource(_) => return CloseEphemeralResourceResponse::default().into(),
        Request::ValidateEphemeralResourceConfig(request) => {
            unknown("ephemeral resource", &request.type_name)
        }
        Request::OpenEphemeralResource(request) => unknown("ephemeral resource", &request.type_name),
        Request::RenewEphemeralResource(request) => unknown("ephemeral resource", &request.type_name),
        Request::CallFunction(request) => no_function(provider, &request.name),
        Request::ValidateListResourceConfig(request) => unknown("list resource", &request.type_name),
        Request::ListResource(request) => unknown("list resource", &request.type_name),
        Request::ValidateActionConfig(request) => unknown("action", &request.type_name),
        Request::PlanAction(request) => unknown("action", &request.action_type),
        Request::InvokeAction(request) => unknown("action", &request.action_type),
        Request::ValidateStateStoreConfig(request) => unknown("state store", &request.type_name),
        Request::ConfigureStateStore(request) => unknown("state store", &request.type_name),
        Request::ReadStateBytes(request) => unknown("state store", &request.type_name),
        Request::LockState(request) => unknown("state store", &request.type_name),
        Request::UnlockState(request) => unknown("state store", &request.type_name),
        Request::GetStates(request) => unknown("state store", &request.type_name),
        Request::DeleteState(request) => unknown("state store", &request.type_name),
        // Only `WriteStateBytes` is left, whose type name comes in a stream.
        _ => Diagnostic::error(
            "No State Stores",
            format!("The provider `{provider}` has no state stores, so nothing was done."),
        ),
    };
    rpc.failure(diagnostic)
}

fn no_function(provider: &str, name: &str) -> Diagnostic {
    Diagnostic::error(
        "Unknown Function",
        format!(
            "The provider `{provider}` has no function `{name}`. Check the spelling; if the documentation has it, \
             another version of the provider is needed."
        ),
    )
}
