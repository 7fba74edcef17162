//! Whether a provider reads what its older releases stored.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::fixtures;
use super::state_file::{InstanceState, StateFile};
use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{Provider, UpgradePaths};
use crate::protocol::{
    Call, ConfigureProviderRequest, DynamicValue, Handler as _, HandlerService, RawState, Request, Response,
    UpgradeResourceIdentityRequest, UpgradeResourceStateRequest, layered,
};
use crate::server::{Isolate, Server};

/// What was found out about one stored state or identity.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UpgradeCheck {
    /// The address of the object; the resource type where no object was found.
    pub address: String,
    /// The resource type.
    pub type_name: String,
    /// `state`, `flat state` or `identity`.
    pub what: &'static str,
    /// The version that stored it.
    pub version: i64,
    /// The versions on the way to the current one; empty for the current version, and where there is no way.
    pub path: Vec<i64>,
    /// What the provider said; errors when it cannot read it.
    pub diagnostics: Diagnostics,
}

impl UpgradeCheck {
    /// Whether the provider can read it.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        !self.diagnostics.has_errors()
    }
}

/// A line: address, what, versions, and whether it can be read.
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

/// Upgrades every state and identity of a state file (format 4) with a provider that is not configured: an
/// [`UpgradeChecker`] in one line.
///
/// # Errors
/// As for [`UpgradeChecker::state`].
pub async fn check_upgrades(provider: Arc<dyn Provider>, state: &[u8]) -> Result<Vec<UpgradeCheck>> {
    UpgradeChecker::new(provider).state(state).await
}

/// Upgrades stored states and identities as core would, and says of each how it went. Nothing is changed, and no
/// object is read.
///
/// ```
/// # use ferroform::diag::Result;
/// # use ferroform::model::Draft;
/// # use ferroform::provider::{self, Provider, Registry};
/// use ferroform::testing::UpgradeChecker;
/// # struct Cloud;
/// # impl Provider for Cloud {
/// #     type Config = ();
/// #     type Client = ();
/// #     const NAME: &str = "cloud";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
/// #     fn register(_: &mut Registry<()>) {}
/// # }
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let checker = UpgradeChecker::new(provider::assemble::<Cloud>());
/// // Only upgraders that ask the service need this.
/// checker.configure(b"{}").await?;
/// let checks = checker.state(br#"{"version": 4, "resources": []}"#).await?;
/// assert!(checks.iter().all(|check| check.succeeded()));
/// # Ok::<(), ferroform::diag::Error>(())
/// # }).map_err(|error| error.to_string())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct UpgradeChecker {
    provider: Arc<dyn Provider>,
    service: HandlerService,
}

impl UpgradeChecker {
    /// With a provider that is not configured yet.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        let service = HandlerService::new(Arc::new(Server::new(Arc::clone(&provider))));
        // An upgrader that panics is an error of one object, as it is for core.
        Self { provider, service: layered(service, &Isolate) }
    }

    /// Configures the provider with the JSON of its configuration, as in a `.tf.json` file without references.
    ///
    /// # Errors
    /// The configuration does not fit the schema, or the provider refuses it.
    pub async fn configure(&self, config: &[u8]) -> Result {
        let request = ConfigureProviderRequest {
            config: DynamicValue::Json(Bytes::copy_from_slice(config)),
            ..ConfigureProviderRequest::default()
        };
        match self.service.handle(Call::new(request)).await {
            Response::ConfigureProvider(mut response) => response.diagnostics.take_errors(),
            _ => Ok(()),
        }
    }

    /// Upgrades every state and identity of a state file of format 4. Objects of other providers are left out.
    ///
    /// # Errors
    /// The file is no state of format 4.
    pub async fn state(&self, state: &[u8]) -> Result<Vec<UpgradeCheck>> {
        let mut checks = Vec::new();
        for resource in StateFile::parse(state)?.managed() {
            let of = self.provider.resource(&resource.type_name);
            let known = of.map(|of| Known {
                paths: of.upgrade_paths(),
                state: of.schema().version,
                identity: of.identity_schema().map(|schema| schema.version),
            });
            for instance in &resource.instances {
                let address = resource.address(instance);
                match &known {
                    Some(known) => {
                        let subject = Subject { address, type_name: &resource.type_name, known };
                        checks.extend(self.instance(&subject, instance).await);
                    }
                    None if resource.is_of(self.provider.name()) => checks.push(UpgradeCheck {
                        address,
                        type_name: resource.type_name.clone(),
                        what: "state",
                        version: instance.schema_version,
                        path: Vec::new(),
                        diagnostics: unknown_type(&resource.type_name).into_iter().collect(),
                    }),
                    None => {}
                }
            }
        }
        Ok(checks)
    }

    /// Upgrades everything in the files `*.tfstate` of a folder, such as [`record_upgrades`](super::record_upgrades)
    /// writes them. Every version that has an upgrade has to be among them: one that is not is an error too.
    ///
    /// # Errors
    /// The folder or one of the files cannot be read, or is no state of format 4.
    pub async fn folder(&self, folder: impl AsRef<Path>) -> Result<Vec<UpgradeCheck>> {
        let mut checks = Vec::new();
        for path in fixtures::files(folder.as_ref())? {
            let state = fs::read(&path).map_err(|error| fixtures::unreadable(&path, &error))?;
            checks.extend(self.state(&state).await?);
        }
        let missing = self.missing(&checks);
        checks.extend(missing);
        Ok(checks)
    }

    /// The versions with an upgrade that nothing was stored by.
    fn missing(&self, checks: &[UpgradeCheck]) -> Vec<UpgradeCheck> {
        let found: BTreeSet<(&str, &str, i64)> =
            checks.iter().map(|it| (it.type_name.as_str(), it.what, it.version)).collect();
        let mut missing = Vec::new();
        for type_name in self.provider.resource_names() {
            let Some(of) = self.provider.resource(&type_name) else { continue };
            let paths = of.upgrade_paths();
            for (what, paths) in [(STATE, &paths.state), (FLAT, &paths.flatmap), (IDENTITY, &paths.identity)]
            {
                for (&version, path) in paths {
                    if found.contains(&(type_name.as_str(), what, version)) {
                        continue;
                    }
                    let error = Error::new(
                        "No Fixture",
                        "There is an upgrade, but nothing that it was tried on. Record a state of that release.",
                    );
                    missing.push(UpgradeCheck {
                        address: type_name.clone(),
                        type_name: type_name.clone(),
                        what,
                        version,
                        path: path.clone(),
                        diagnostics: error.into_iter().collect(),
                    });
                }
            }
        }
        missing
    }

    async fn instance(&self, subject: &Subject<'_>, instance: &InstanceState<'_>) -> Vec<UpgradeCheck> {
        let mut checks = vec![self.stored_state(subject, instance).await];
        if subject.known.identity.is_some_and(|current| current != instance.identity_schema_version) {
            checks.push(self.stored_identity(subject, instance).await);
        }
        checks
    }

    async fn stored_state(&self, subject: &Subject<'_>, instance: &InstanceState<'_>) -> UpgradeCheck {
        let (version, known) = (instance.schema_version, subject.known);
        let (what, raw, paths) = match &instance.attributes_flat {
            Some(flat) if instance.is_flat() => (FLAT, RawState::Flatmap(flat.clone()), &known.paths.flatmap),
            _ => (STATE, RawState::Json(bytes(instance.attributes)), &known.paths.state),
        };
        let path = if version == known.state { Vec::new() } else { way(paths, version) };
        let request = UpgradeResourceStateRequest {
            type_name: subject.type_name.to_owned(),
            version,
            raw_state: Some(raw),
        };
        self.ask(subject, (what, version, path), request.into()).await
    }

    async fn stored_identity(&self, subject: &Subject<'_>, instance: &InstanceState<'_>) -> UpgradeCheck {
        let version = instance.identity_schema_version;
        let request = UpgradeResourceIdentityRequest {
            type_name: subject.type_name.to_owned(),
            version,
            raw_identity: Some(RawState::Json(bytes(instance.identity))),
        };
        let path = way(&subject.known.paths.identity, version);
        self.ask(subject, (IDENTITY, version, path), request.into()).await
    }

    async fn ask(
        &self,
        subject: &Subject<'_>,
        (what, version, path): (&'static str, i64, Vec<i64>),
        request: Request,
    ) -> UpgradeCheck {
        let diagnostics = match self.service.handle(Call::new(request)).await {
            Response::UpgradeResourceState(response) => response.diagnostics,
            Response::UpgradeResourceIdentity(response) => response.diagnostics,
            _ => Diagnostics::default(),
        };
        let (address, type_name) = (subject.address.clone(), subject.type_name.to_owned());
        UpgradeCheck { address, type_name, what, version, path, diagnostics }
    }
}

impl fmt::Debug for UpgradeChecker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeChecker").field("provider", &self.provider.name()).finish_non_exhaustive()
    }
}

const STATE: &str = "state";
const FLAT: &str = "flat state";
const IDENTITY: &str = "identity";

/// What the provider knows of a resource type.
struct Known {
    paths: UpgradePaths,
    state: i64,
    identity: Option<i64>,
}

struct Subject<'a> {
    address: String,
    type_name: &'a str,
    known: &'a Known,
}

fn way(paths: &BTreeMap<i64, Vec<i64>>, version: i64) -> Vec<i64> {
    paths.get(&version).cloned().unwrap_or_default()
}

fn bytes(json: Option<&RawValue>) -> Bytes {
    json.map_or_else(Bytes::new, |json| Bytes::copy_from_slice(json.get().as_bytes()))
}

fn unknown_type(type_name: &str) -> Error {
    Error::new(
        "Unknown Resource Type",
        format!(
            "The provider has no resource type `{type_name}` any more, so nobody can plan with this state. Bring the \
             type back, or let another one take its objects by `Resource::moves`."
        ),
    )
}
