//! `ValidateActionConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use std::sync::Arc;

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Action, Context};
use crate::protocol::{ClientCapabilities, ValidateActionConfigRequest, ValidateActionConfigResponse};
use crate::schema::{Kind, SchemaRole};
use crate::server::schema_cache::{Cacheable, TypedSchema, load_schema};
use crate::server::{Server, provider_code};

/// An action type.
pub(in crate::server) struct ActionType {
    pub(super) typed: TypedSchema,
    pub(super) action: Arc<dyn Action>,
}

impl Cacheable for dyn Action {
    type Entry = ActionType;

    fn load(action: Arc<Self>, name: &str) -> Result<ActionType> {
        let typed = load_schema(|| action.schema(), SchemaRole::Of(Kind::Action), name)?;
        Ok(ActionType { typed, action })
    }
}

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateActionConfigRequest,
) -> ValidateActionConfigResponse {
    // Core does not say so here, but every core with actions has write-only attributes.
    let capabilities = ClientCapabilities { write_only_attributes_allowed: true, ..Default::default() };
    let mut cx = server.context(stop, capabilities);
    let outcome: Result = async {
        let of = server.types().of::<dyn Action>(&request.type_name)?;
        let config = of.typed.config(&request.config)?;
        of.typed.validate(&config, &mut cx);
        provider_code::isolated(of.action.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateActionConfigResponse { diagnostics: cx.diagnostics }
}
