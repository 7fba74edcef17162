//! Whether a provider reads what its older releases stored.

use std::fmt;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

use super::fixtures;
use super::state_file::{InstanceState, StateFile};
use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{Provider, Resource, UpgradePaths};
use crate::protocol::{
    Call, ConfigureProviderRequest, DynamicValue, Handler as _, HandlerService, RawState, Request, Response,
    UpgradeResourceIdentityRequest, UpgradeResourceStateRequest,
};
use crate::server::{CatchPanics, Middleware as _, Server};

/// What was found out about one stored state or identity.
///
/// ```
/// # use ferroform::prelude::*;
/// # #[derive(Model)]
/// # struct Server { #[attr(replace, identity)] name: String }
/// # impl Resource for Server {
/// #     type Client = ();
/// #     const NAME: &str = "server";
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// # }
/// # struct Cloud;
/// # impl Provider for Cloud {
/// #     type Config = ();
/// #     type Client = ();
/// #     const NAME: &str = "cloud";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
/// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
/// # }
/// use ferroform::provider::assemble;
/// use ferroform::testing::UpgradeChecker;
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// // A state file with a server, and with a disk, a type that the provider does not have any more.
/// # let state = br#"{"version": 4, "resources": [
/// #     {"mode": "managed", "type": "cloud_server", "name": "www", "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
/// #      "instances": [{"schema_version": 0, "attributes": {"name": "www"}, "identity_schema_version": 0, "identity": {"name": "www"}}]},
/// #     {"mode": "managed", "type": "cloud_disk", "name": "data", "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
/// #      "instances": [{"schema_version": 3, "attributes": {}}]}
/// # ]}"#;
/// let checks = UpgradeChecker::new(assemble::<Cloud>()).state(state).await?;
/// let report: Vec<String> = checks.iter().map(ToString::to_string).collect();
/// assert_eq!(report[..2], ["cloud_server.www state 0: ok", "cloud_server.www identity 0: ok"]);
/// assert_eq!(report[2], "cloud_disk.data state 3: Unknown Resource Type");
/// let failed = checks.iter().find(|check| !check.succeeded()).expect("that of the disk");
/// assert_eq!((failed.type_name.as_str(), failed.version), ("cloud_disk", 3));
/// # Ok::<(), ferroform::diag::Error>(())
/// # }).map_err(|error| error.to_string())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    ///
    /// ```
    /// use ferroform::testing::UpgradeChecker;
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// // The provider has no disks any more.
    /// let state = br#"{"version": 4, "resources": [{"mode": "managed", "type": "cloud_disk", "name": "data",
    ///     "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
    ///     "instances": [{"schema_version": 0, "attributes": {}}]}]}"#;
    /// let checks = UpgradeChecker::new(provider::assemble::<Cloud>()).state(state).await?;
    /// assert!(!checks[0].succeeded());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
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
    ///
    /// ```
    /// use ferroform::testing::UpgradeChecker;
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// let checker = UpgradeChecker::new(provider::assemble::<Cloud>());
    /// assert_eq!(format!("{checker:?}"), r#"UpgradeChecker { provider: "cloud", .. }"#);
    /// ```
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        let service = HandlerService::new(Arc::new(Server::new(Arc::clone(&provider))));
        // An upgrader that panics is an error of one object, as it is for core.
        Self { provider, service: CatchPanics.wrap(service) }
    }

    /// Configures the provider with the JSON of its configuration, as in a `.tf.json` file without references.
    ///
    /// ```
    /// use ferroform::testing::UpgradeChecker;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Settings {
    ///     endpoint: String,
    /// }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = Settings;
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<Settings>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let checker = UpgradeChecker::new(provider::assemble::<Cloud>());
    /// checker.configure(br#"{"endpoint": "https://api.example.com"}"#).await?;
    /// // The schema has no such attribute.
    /// assert!(checker.configure(br#"{"url": "https://api.example.com"}"#).await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The configuration does not fit the schema, or the provider refuses it.
    pub async fn configure(&self, config: &[u8]) -> Result {
        let mut request = ConfigureProviderRequest::default();
        request.config = DynamicValue::Json(Bytes::copy_from_slice(config));
        match self.service.handle(Call::new(request)).await {
            Response::ConfigureProvider(mut response) => response.diagnostics.take_errors(),
            _ => Ok(()),
        }
    }

    /// Upgrades every state and identity of a state file of format 4. Objects of other providers are left out.
    ///
    /// ```
    /// use ferroform::testing::UpgradeChecker;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let state = br#"{"version": 4, "resources": [{"mode": "managed", "type": "cloud_server", "name": "www",
    ///     "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
    ///     "instances": [{"schema_version": 0, "attributes": {"name": "www"}}]}]}"#;
    /// let checks = UpgradeChecker::new(provider::assemble::<Cloud>()).state(state).await?;
    /// assert_eq!(checks[0].to_string(), "cloud_server.www state 0: ok");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file is no state of format 4.
    pub async fn state(&self, state: &[u8]) -> Result<Vec<UpgradeCheck>> {
        self.carried_out(self.plan(state)?).await
    }

    /// Upgrades everything in the files `*.tfstate` of a folder, such as [`UpgradeRecorder`](super::UpgradeRecorder)
    /// writes them. Every version that has an upgrade has to be among them: one that is not is an error too.
    ///
    /// ```
    /// use ferroform::testing::{UpgradeChecker, UpgradeRecorder};
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let state = br#"{"version": 4, "resources": [{"mode": "managed", "type": "cloud_server", "name": "www",
    /// #     "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
    /// #     "instances": [{"schema_version": 0, "attributes": {"name": "www"}}]}]}"#;
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let provider = provider::assemble::<Cloud>();
    /// // Once for each release.
    /// UpgradeRecorder::new(provider.as_ref()).record(state, &folder)?;
    /// // In a test, from then on.
    /// let checks = UpgradeChecker::new(provider).folder(&folder).await?;
    /// assert!(!checks.is_empty() && checks.iter().all(|check| check.succeeded()));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The folder or one of the files cannot be read, or is no state of format 4.
    pub async fn folder(&self, folder: impl AsRef<Path>) -> Result<Vec<UpgradeCheck>> {
        self.carried_out(self.plan_folder(folder.as_ref())?).await
    }

    fn plan_folder(&self, folder: &Path) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for path in fixtures::files(folder)? {
            let state = fs::read(&path).map_err(|error| fixtures::unreadable(&path, &error))?;
            steps.extend(self.plan(&state)?);
        }
        for (type_name, of) in self.provider.catalogue().of::<dyn Resource>() {
            missing(&mut steps, type_name, &of.upgrade_paths());
        }
        Ok(steps)
    }

    /// What has to be done for a state file.
    fn plan(&self, state: &[u8]) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let catalogue = self.provider.catalogue();
        for resource in &StateFile::parse(state)?.resources {
            let of = catalogue.get::<dyn Resource>(&resource.type_name);
            let known = of.map(|of| Known {
                paths: of.upgrade_paths(),
                state: of.schema().version,
                identity: of.identity_schema().map(|schema| schema.version),
            });
            if known.is_none() && !resource.is_of(self.provider.name()) {
                continue;
            }
            for instance in &resource.instances {
                let check = UpgradeCheck {
                    address: resource.address(instance),
                    type_name: resource.type_name.clone(),
                    what: STATE,
                    version: instance.schema_version,
                    path: Vec::new(),
                    diagnostics: Diagnostics::default(),
                };
                match &known {
                    Some(known) => known.plan(&mut steps, &check, instance),
                    None => steps.push(Step::failed(check, unknown_type(&resource.type_name))),
                }
            }
        }
        Ok(steps)
    }

    /// A future on the heap, since its code would be in the binary once for each of its users.
    fn carried_out(
        &self,
        steps: Vec<Step>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<UpgradeCheck>>> + Send + '_>> {
        Box::pin(async move {
            let mut checks = Vec::with_capacity(steps.len());
            for Step { mut check, request } in steps {
                if let Some(request) = request {
                    check.diagnostics = match self.service.handle(Call::new(request)).await {
                        Response::UpgradeResourceState(response) => response.diagnostics,
                        Response::UpgradeResourceIdentity(response) => response.diagnostics,
                        _ => Diagnostics::default(),
                    };
                }
                checks.push(check);
            }
            Ok(checks)
        })
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

/// A check, and what the provider has to be asked for it.
struct Step {
    check: UpgradeCheck,
    request: Option<Request>,
}

impl Step {
    /// A check that has failed without a question.
    fn failed(mut check: UpgradeCheck, error: Error) -> Self {
        check.diagnostics = error.into_iter().collect();
        Self { check, request: None }
    }
}

/// What the provider knows of a resource type.
struct Known {
    paths: UpgradePaths,
    state: i64,
    identity: Option<i64>,
}

impl Known {
    fn plan(&self, steps: &mut Vec<Step>, of: &UpgradeCheck, instance: &InstanceState<'_>) {
        let (mut check, version, type_name) = (of.clone(), of.version, of.type_name.clone());
        let text = |name| {
            instance.members.get(name).map_or_else(Bytes::new, |text| Bytes::copy_from_slice(text.as_bytes()))
        };
        let flat = instance.flat().filter(|_| instance.is_flat());
        check.what = if flat.is_some() { FLAT } else { STATE };
        let paths = if flat.is_some() { &self.paths.flatmap } else { &self.paths.state };
        if version != self.state {
            check.path = way(paths, version);
        }
        let raw_state = Some(flat.map_or_else(|| RawState::Json(text("attributes")), RawState::Flatmap));
        let mut request = UpgradeResourceStateRequest::default();
        request.type_name.clone_from(&type_name);
        request.version = version;
        request.raw_state = raw_state;
        steps.push(Step { check, request: Some(request.into()) });

        let version = instance.identity_schema_version;
        // Core reads an identity of the current version by itself, by the same rules.
        let is_stored = instance.members.get("identity").is_some();
        if self.identity.is_some_and(|current| current != version || is_stored) {
            let path = way(&self.paths.identity, version);
            let raw_identity = Some(RawState::Json(text("identity")));
            let mut request = UpgradeResourceIdentityRequest::default();
            request.type_name = type_name;
            request.version = version;
            request.raw_identity = raw_identity;
            let check = UpgradeCheck { what: IDENTITY, version, path, ..of.clone() };
            steps.push(Step { check, request: Some(request.into()) });
        }
    }
}

/// Adds the versions with an upgrade that nothing was stored by.
fn missing(steps: &mut Vec<Step>, type_name: &str, paths: &UpgradePaths) {
    for (what, paths) in [(STATE, &paths.state), (FLAT, &paths.flatmap), (IDENTITY, &paths.identity)] {
        for &(version, ref path) in paths {
            let same =
                |it: &UpgradeCheck| it.version == version && it.what == what && it.type_name == type_name;
            if steps.iter().any(|step| same(&step.check)) {
                continue;
            }
            let error = Error::new(
                "No Fixture",
                "There is an upgrade, but nothing that it was tried on. Record a state of that release.",
            );
            let check = UpgradeCheck {
                address: type_name.to_owned(),
                type_name: type_name.to_owned(),
                what,
                version,
                path: path.clone(),
                diagnostics: Diagnostics::default(),
            };
            steps.push(Step::failed(check, error));
        }
    }
}

fn way(paths: &[(i64, Vec<i64>)], version: i64) -> Vec<i64> {
    paths.iter().find(|(from, _)| *from == version).map(|(_, path)| path.clone()).unwrap_or_default()
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
