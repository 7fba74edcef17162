//! `ValidateListResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use std::sync::Arc;

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, ListResource};
use crate::protocol::{
    ClientCapabilities, ValidateListResourceConfigRequest, ValidateListResourceConfigResponse,
};
use crate::schema::{Kind, SchemaRole};
use crate::server::identity::TypedIdentitySchema;
use crate::server::schema_cache::{Cacheable, TypedSchema, load_schema, schema_error};
use crate::server::{Server, provider_code};

/// A list resource type.
pub(in crate::server) struct ListResourceType {
    pub(super) typed: TypedSchema,
    /// The schemas of the managed resource type, where another server has it.
    pub(super) resource: Option<(TypedSchema, TypedIdentitySchema)>,
    pub(super) list_resource: Arc<dyn ListResource>,
}

impl Cacheable for dyn ListResource {
    type Entry = ListResourceType;

    fn load(list_resource: Arc<Self>, name: &str) -> Result<ListResourceType> {
        let filter = load_schema(|| list_resource.schema(), SchemaRole::Of(Kind::ListResource), name)?;
        let resource = match provider_code::isolated_sync(|| list_resource.resource_schemas())? {
            Some(schemas) => {
                let resource = load_schema(|| schemas.resource, SchemaRole::Of(Kind::Resource), name)?;
                let schema = schemas.identity;
                schema
                    .check()
                    .map_err(|mistakes| schema_error(&format!("the identity of {name}"), &mistakes))?;
                let ty = schema.ty();
                Some((resource, TypedIdentitySchema { schema, ty }))
            }
            None => None,
        };
        Ok(ListResourceType { typed: filter, resource, list_resource })
    }
}

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ValidateListResourceConfigRequest,
) -> ValidateListResourceConfigResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let outcome: Result = async {
        let of = server.types().of::<dyn ListResource>(&request.type_name)?;
        let config = of.typed.config(&request.config)?;
        of.typed.validate(&config, &mut cx);
        provider_code::isolated(of.list_resource.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    cx.diagnostics.record(outcome);
    ValidateListResourceConfigResponse { diagnostics: cx.diagnostics }
}
