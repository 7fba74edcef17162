//! Whether a provider reads the states and identities of a state file.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{Provider, UpgradePaths};
use crate::protocol::{
    Call, Handler as _, RawState, Request, Response, UpgradeResourceIdentityRequest,
    UpgradeResourceStateRequest,
};
use crate::server::Server;

/// What was found out about one stored state or identity.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UpgradeCheck {
    /// The address of the object.
    pub address: String,
    /// The resource type.
    pub type_name: String,
    /// `state` or `identity`.
    pub what: &'static str,
    /// The version that stored it.
    pub version: i64,
    /// The versions on the way to the current one; empty for the current version, and where there is no way.
    pub path: Vec<i64>,
    /// What the provider said; errors when it cannot read it.
    pub diagnostics: Diagnostics,
}

/// A line: type, what, versions, and whether it can be read.
impl fmt::Display for UpgradeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.address, self.what, self.version)?;
        for version in &self.path {
            write!(f, " -> {version}")?;
        }
        match self.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
            Some(error) => write!(f, ": {}", error.summary),
            None => f.write_str(": ok"),
        }
    }
}

/// Upgrades every state and identity of a state file (format 4) as core would, and says how each went. Nothing is
/// changed, and no object is read: only upgraders that ask the service need a provider that is configured.
///
/// Objects of other providers are left out.
///
/// # Errors
/// The file is no state of format 4.
///
/// ```
/// # use ferroform::diag::Result;
/// # use ferroform::model::Draft;
/// # use ferroform::provider::{self, Provider, Registry};
/// # struct Cloud;
/// # impl Provider for Cloud {
/// #     type Config = ();
/// #     type Client = ();
/// #     const NAME: &str = "cloud";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
/// #     fn register(_: &mut Registry<()>) {}
/// # }
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let state = br#"{"version": 4, "resources": []}"#;
/// let checks = ferroform::testing::check_upgrades(provider::assemble::<Cloud>(), state).await?;
/// assert!(checks.iter().all(|check| !check.diagnostics.has_errors()));
/// # Ok::<(), ferroform::diag::Error>(())
/// # }).map_err(|error| error.to_string())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn check_upgrades(provider: Arc<dyn Provider>, state: &[u8]) -> Result<Vec<UpgradeCheck>> {
    let state: StateFile<'_> = serde_json::from_slice(state).map_err(|_| no_state())?;
    if state.version != 4 {
        return Err(no_state());
    }
    let server = Server::new(Arc::clone(&provider));
    let mut checks = Vec::new();
    for resource in state.resources.into_iter().filter(|resource| resource.mode == "managed") {
        let Some(known) = provider.resource(&resource.type_name) else { continue };
        let (paths, current) = (known.upgrade_paths(), known.schema().version);
        let identity = known.identity_schema().map(|schema| schema.version);
        for instance in &resource.instances {
            let subject = Subject { address: resource.address(instance), type_name: &resource.type_name };
            checks.push(subject.state(&server, (&paths, current), instance).await);
            if let Some(current) = identity
                && instance.identity_schema_version != current
            {
                checks.push(subject.identity(&server, &paths, instance).await);
            }
        }
    }
    Ok(checks)
}

#[derive(Deserialize)]
struct StateFile<'a> {
    version: u64,
    #[serde(default, borrow)]
    resources: Vec<ResourceState<'a>>,
}

#[derive(Deserialize)]
struct ResourceState<'a> {
    #[serde(default)]
    module: Option<String>,
    mode: String,
    #[serde(rename = "type")]
    type_name: String,
    name: String,
    #[serde(default, borrow)]
    instances: Vec<InstanceState<'a>>,
}

#[derive(Deserialize)]
struct InstanceState<'a> {
    #[serde(default)]
    index_key: Option<serde_json::Value>,
    #[serde(default)]
    schema_version: i64,
    #[serde(default, borrow)]
    attributes: Option<&'a RawValue>,
    #[serde(default)]
    attributes_flat: Option<BTreeMap<String, String>>,
    #[serde(default)]
    identity_schema_version: i64,
    #[serde(default, borrow)]
    identity: Option<&'a RawValue>,
}

impl ResourceState<'_> {
    fn address(&self, instance: &InstanceState<'_>) -> String {
        let module = self.module.as_ref().map_or_else(String::new, |module| format!("{module}."));
        let key = instance.index_key.as_ref().map_or_else(String::new, |key| format!("[{key}]"));
        format!("{module}{}.{}{key}", self.type_name, self.name)
    }
}

struct Subject<'a> {
    address: String,
    type_name: &'a str,
}

impl Subject<'_> {
    async fn state(
        &self,
        server: &Server,
        (paths, current): (&UpgradePaths, i64),
        instance: &InstanceState<'_>,
    ) -> UpgradeCheck {
        let version = instance.schema_version;
        let (raw, paths) = match (instance.attributes, &instance.attributes_flat) {
            (None, Some(flat)) => (RawState::Flatmap(flat.clone()), &paths.flatmap),
            (attributes, _) => (RawState::Json(bytes(attributes)), &paths.state),
        };
        let request = UpgradeResourceStateRequest {
            type_name: self.type_name.to_owned(),
            version,
            raw_state: Some(raw),
        };
        let path = if version == current { Vec::new() } else { way(paths, version) };
        self.ask(server, ("state", version, path), request.into()).await
    }

    async fn identity(
        &self,
        server: &Server,
        paths: &UpgradePaths,
        instance: &InstanceState<'_>,
    ) -> UpgradeCheck {
        let version = instance.identity_schema_version;
        let request = UpgradeResourceIdentityRequest {
            type_name: self.type_name.to_owned(),
            version,
            raw_identity: Some(RawState::Json(bytes(instance.identity))),
        };
        self.ask(server, ("identity", version, way(&paths.identity, version)), request.into()).await
    }

    async fn ask(
        &self,
        server: &Server,
        (what, version, path): (&'static str, i64, Vec<i64>),
        request: Request,
    ) -> UpgradeCheck {
        let diagnostics = match server.handle(Call::new(request)).await {
            Response::UpgradeResourceState(response) => response.diagnostics,
            Response::UpgradeResourceIdentity(response) => response.diagnostics,
            _ => Diagnostics::default(),
        };
        let (address, type_name) = (self.address.clone(), self.type_name.to_owned());
        UpgradeCheck { address, type_name, what, version, path, diagnostics }
    }
}

fn way(paths: &BTreeMap<i64, Vec<i64>>, version: i64) -> Vec<i64> {
    paths.get(&version).cloned().unwrap_or_default()
}

fn bytes(json: Option<&RawValue>) -> Bytes {
    json.map_or_else(Bytes::new, |json| Bytes::copy_from_slice(json.get().as_bytes()))
}

fn no_state() -> Error {
    Error::new(
        "Unreadable State File",
        "The file is no state of format 4, which Terraform from 0.12 on and OpenTofu write. Give the file that \
         `terraform state pull` prints.",
    )
}
