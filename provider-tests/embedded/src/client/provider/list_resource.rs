//! List resources.

use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::ListedObject;
use crate::client::rpc::{Events, method};
use crate::client::wire::{decode, diagnostics, encode};

impl Provider {
    /// Validates a configuration of a list resource (`ValidateListResourceConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_list_resource(
        &self,
        type_name: &str,
        config: &Value,
    ) -> Result<Diagnostics, Error> {
        let ty = self.catalog.list_resource(type_name)?.ty();
        let request = proto::validate_list_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateListResourceConfig", "config", config, &ty)?),
            ..Default::default()
        };
        Ok(diagnostics(&self.client.validate_list_resource_config(request).await?.diagnostics))
    }

    /// Starts a listing (`ListResource`) with that limit; the objects themselves come where `include` says so.
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn list_resource(
        &self,
        type_name: &str,
        config: &Value,
        include: IncludeObject,
        limit: i64,
    ) -> Result<Listing, Error> {
        let ty = self.catalog.list_resource(type_name)?.ty();
        let request = proto::list_resource::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ListResource", "config", config, &ty)?),
            include_resource_object: include == IncludeObject::Yes,
            limit,
        };
        let events = self.client.list_resource(request).await?;
        Ok(Listing { provider: self.clone(), type_name: type_name.to_owned(), events })
    }
}

/// Whether a listing has the objects themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncludeObject {
    /// Identities and names only.
    No,
    /// The objects, too.
    Yes,
}

/// A running listing. Dropping it resets the call.
#[derive(Debug)]
pub struct Listing {
    provider: Provider,
    type_name: String,
    events: Events<method::ListResource>,
}

impl Listing {
    /// The next object, `None` after the last.
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schemas of the managed resource type.
    pub async fn next(&mut self) -> Result<Option<ListedObject>, Error> {
        let Some(event) = self.events.next().await? else { return Ok(None) };
        let object = match event.resource_object {
            Some(object) => {
                let ty = self.provider.catalog().ty(&self.type_name)?;
                Some(decode("ListResource", "resource_object", &Some(object), ty)?)
            }
            None => None,
        };
        // An identity that is null is none, but it was sent.
        let sent = event.identity.as_ref().and_then(|it| it.identity_data.as_ref()).map(|_| Value::Null);
        let identity = self.provider.decode_identity(&self.type_name, "ListResource", event.identity)?;
        Ok(Some(ListedObject {
            identity: identity.or(sent),
            display_name: event.display_name,
            object,
            diagnostics: diagnostics(&event.diagnostic),
        }))
    }

    /// All objects.
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    pub async fn all(mut self) -> Result<Vec<ListedObject>, Error> {
        let mut all = Vec::new();
        while let Some(object) = self.next().await? {
            all.push(object);
        }
        Ok(all)
    }
}
