//! `ValidateListResourceConfig`: the schema's rules, then the author's. The provider may be unconfigured.

use std::sync::Arc;

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::dynamic::{Context, ListResource};
use crate::protocol::{
    ClientCapabilities, ValidateListResourceConfigRequest, ValidateListResourceConfigResponse,
};
use crate::schema::{Kind, SchemaRole};
use crate::server::identity::KnownIdentity;
use crate::server::types::{Known, Served, known, mistaken};
use crate::server::{Server, author, failed};
use crate::validate::validate;

/// A list resource type.
pub(in crate::server) struct ListResourceType {
    pub(super) known: Known,
    /// The schemas of the managed resource type, where another server has it.
    pub(super) resource: Option<(Known, KnownIdentity)>,
    pub(super) list_resource: Arc<dyn ListResource>,
}

impl Served for dyn ListResource {
    type Known = ListResourceType;

    fn known(list_resource: Arc<Self>, name: &str) -> Result<ListResourceType> {
        let filter = known(|| list_resource.schema(), SchemaRole::Of(Kind::ListResource), name)?;
        let resource = match author::call(|| list_resource.resource_schemas())? {
            Some(schemas) => {
                let resource = known(|| schemas.resource, SchemaRole::Of(Kind::Resource), name)?;
                let schema = schemas.identity;
                schema.check().map_err(|mistakes| mistaken(&format!("the identity of {name}"), &mistakes))?;
                let ty = schema.ty();
                Some((resource, KnownIdentity { schema, ty }))
            }
            None => None,
        };
        Ok(ListResourceType { known: filter, resource, list_resource })
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
        let config = of.known.config(&request.config)?;
        validate(
            &of.known.schema.block,
            &config,
            cx.capabilities.write_only_attributes_allowed,
            &mut cx.diagnostics,
        );
        author::run(of.list_resource.validate(&mut Context::new(&mut cx), &config)).await
    }
    .await;
    if let Err(error) = outcome {
        cx.diagnostics.extend(failed(error));
    }
    ValidateListResourceConfigResponse { diagnostics: cx.diagnostics }
}
