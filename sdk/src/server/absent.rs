//! Requests about concepts that this provider has none of, answered as the protocol expects: lists are empty, and
//! a call about a type of a name says that there is no such type. Closing an ephemeral resource succeeds.

use crate::diag::Diagnostic;
use crate::protocol::{
    CloseEphemeralResourceResponse, GetFunctionsResponse, GetResourceIdentitySchemasResponse, Request,
    Response, UpgradeResourceIdentityResponse,
};
use crate::server::Server;

pub(super) fn handle(server: &Server, request: &Request) -> Response {
    let rpc = request.rpc();
    let unknown = |what: &str, name: &str| server.types().unknown_type(what, name);
    let provider = server.provider().name();
    let diagnostic = match request {
        Request::GetResourceIdentitySchemas(_) => {
            return GetResourceIdentitySchemasResponse::default().into();
        }
        Request::GetFunctions(_) => return GetFunctionsResponse::default().into(),
        // What was never opened is closed.
        Request::CloseEphemeralResource(_) => return CloseEphemeralResourceResponse::default().into(),
        Request::UpgradeResourceIdentity(request) if request.raw_identity.is_none() => {
            return UpgradeResourceIdentityResponse::default().into();
        }
        Request::UpgradeResourceIdentity(request) => no_identity(&request.type_name),
        Request::MoveResourceState(request) => Diagnostic::error(
            "Move Not Supported",
            format!(
                "An object of type `{}` cannot become one of type `{}`. Remove the `moved` block, and import the \
                 object under its new address instead.",
                request.source_type_name, request.target_type_name
            ),
        ),
        Request::GenerateResourceConfig(request) => Diagnostic::error(
            "Configuration Not Generated",
            format!(
                "The provider `{provider}` does not generate the configuration of objects of type `{}`. Write it \
                 by hand.",
                request.type_name
            ),
        ),
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

fn no_identity(type_name: &str) -> Diagnostic {
    Diagnostic::error(
        "No Resource Identity",
        format!(
            "A stored identity of type `{type_name}` should be upgraded, but this version of the provider has no \
             identity for this type. Another version of the provider wrote the state; use that one."
        ),
    )
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
