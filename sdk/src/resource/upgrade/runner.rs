//! Runs upgrade steps from version to version, for states and identities.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::graph::{StepSource, StoredForm, TypedVersion, UpgradeGraph};
use crate::cancel::Cancellation;
use crate::client::ClientSlot;
use crate::clock::Clock;
use crate::codec::json;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::{self, StoredValue, phase};
use crate::model::{Decode, Encode};
use crate::path::Path;
use crate::protocol::RawState;
use crate::resource::{RawJson, Resource};
use crate::ty::Type;
use crate::value::Value;

/// The context of one upgrade: the typed client, the diagnostics and the cancellation.
///
/// It has no private data of the object: core does not send it with an upgrade, and keeps it unchanged.
///
/// ```
/// use ferroform::resource::Upgrades;
/// # use ferroform::prelude::*;
///
/// /// The client of the service.
/// struct Api;
/// # impl Api {
/// #     async fn zone_of(&self, _name: &str) -> Result<Option<String>> { Ok(None) }
/// # }
///
/// #[derive(Model)]
/// struct ServerV0 {
///     name: String,
/// }
///
/// #[derive(Model)]
/// #[model(version = 1)]
/// struct Server {
///     name: String,
///     zone: Option<String>,
/// }
///
/// impl Resource for Server {
///     # type Client = Api;
///     # const NAME: &str = "server";
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
///     fn upgrades() -> Upgrades<Self> {
///         Upgrades::<Self>::new().from_async(|mut cx, old: ServerV0| async move {
///             let zone = cx.client.zone_of(&old.name).await?;
///             if zone.is_none() {
///                 cx.warn("Zone Not Found", "The next plan shows the zone as a difference.");
///             }
///             Ok(Server { name: old.name, zone })
///         })
///     }
/// }
/// assert_eq!(Server::upgrades().paths().get(&0), Some(&vec![1]));
/// ```
pub struct UpgradeContext<R: Resource> {
    /// The client that the provider's `configure` made.
    pub client: Arc<R::Client>,
    /// Whether the user has asked to stop.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
    /// The diagnostics so far. An error in it makes the upgrade fail whatever it returns.
    pub diagnostics: Diagnostics,
    reported: Arc<Mutex<Diagnostics>>,
}

impl<R: Resource> UpgradeContext<R> {
    /// A context for a unit test, with the system clock and without cancellation. A function that borrows it leaves what it
    /// reports in [`diagnostics`](Self::diagnostics). An upgrader that takes it by value drops that, also the errors by which
    /// a real upgrade fails, so test those with a case on a core.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::resource::UpgradeContext;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Server {
    ///     zone: Option<String>,
    /// }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// fn zone(cx: &mut UpgradeContext<Server>, stored: &str) -> Option<String> {
    ///     if stored.is_empty() {
    ///         cx.warn("No Zone", "The next plan shows the zone as a difference.");
    ///     }
    ///     Some(stored.to_owned()).filter(|zone| !zone.is_empty())
    /// }
    ///
    /// let mut cx = UpgradeContext::<Server>::new(Arc::new(()));
    /// assert_eq!(zone(&mut cx, ""), None);
    /// assert_eq!(cx.diagnostics.iter().count(), 1);
    /// ```
    #[must_use]
    pub fn new(client: Arc<R::Client>) -> Self {
        Self {
            client,
            cancellation: Cancellation::never(),
            clock: Clock::default(),
            diagnostics: Diagnostics::default(),
            reported: Arc::default(),
        }
    }

    /// Reports a warning to the user.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::resource::UpgradeContext;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { zone: Option<String> }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let mut cx = UpgradeContext::<Server>::new(Arc::new(()));
    /// cx.warn("Zone Not Found", "The next plan shows the zone as a difference.");
    /// assert!(cx.diagnostics.len() == 1 && !cx.diagnostics.has_errors());
    /// ```
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute. The upgrade continues and fails at its end.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::resource::UpgradeContext;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { zone: Option<String> }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let mut cx = UpgradeContext::<Server>::new(Arc::new(()));
    /// cx.error_at(path!(zone), "Zone Closed", "Move the server to another zone before you upgrade the provider.");
    /// assert!(cx.diagnostics.has_errors());
    /// assert_eq!(cx.diagnostics.iter().next().unwrap().path, Some(path!(zone)));
    /// ```
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }
}

/// The diagnostics reach the user even if the upgrader fails or panics.
impl<R: Resource> Drop for UpgradeContext<R> {
    fn drop(&mut self) {
        let reported = std::mem::take(&mut self.diagnostics);
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).extend(reported);
    }
}

impl<R: Resource> fmt::Debug for UpgradeContext<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeContext").field("diagnostics", &self.diagnostics).finish_non_exhaustive()
    }
}

/// The inputs of an [`UpgradeContext`], for steps that need one.
struct UpgradeCall<R: Resource> {
    client: ClientSlot<R::Client>,
    cancellation: Cancellation,
    clock: Clock,
    reported: Arc<Mutex<Diagnostics>>,
}

impl<R: Resource> UpgradeCall<R> {
    /// # Errors
    /// The provider is not configured.
    fn context(&self) -> Result<UpgradeContext<R>> {
        Ok(UpgradeContext {
            client: self.client.current()?,
            cancellation: self.cancellation.clone(),
            clock: self.clock.clone(),
            diagnostics: Diagnostics::default(),
            reported: Arc::clone(&self.reported),
        })
    }
}

/// The input of a step.
enum StepInput {
    /// The stored value.
    Raw(RawState),
    /// The output of the previous step.
    Output(StepOutput),
}

/// A Rust value of a stored type. Most next steps take that type, so it is encoded only if the types differ.
struct StepOutput {
    value: Box<dyn Any + Send>,
    encode: fn(Box<dyn Any + Send>) -> Value,
    ty: fn() -> Type,
}

impl StepOutput {
    fn new<T: Encode + Send + 'static>(value: T, ty: fn() -> Type) -> Self {
        let encode = |value: Box<dyn Any + Send>| match value.downcast::<T>() {
            Ok(value) => value.encode(),
            // Only `new` constructs this type.
            Err(_) => Value::Null,
        };
        Self { value: Box::new(value), encode, ty }
    }

    fn decode<T: Decode + 'static>(self) -> Result<T> {
        match self.value.downcast::<T>() {
            Ok(value) => Ok(*value),
            Err(value) => T::from_value(&(self.encode)(value)),
        }
    }

    fn encode(self) -> Value {
        (self.encode)(self.value)
    }
}

impl StepInput {
    /// The Rust value whose Terraform type is `ty`.
    fn decode<T: Decode + 'static>(self, ty: &Type) -> Result<T> {
        match self {
            Self::Raw(RawState::Json(bytes)) => RawJson::new(bytes).decode(ty),
            Self::Raw(RawState::Flatmap(_)) => Err(form_mismatch()),
            Self::Output(value) => value.decode(),
        }
    }

    fn json(self) -> Result<RawJson> {
        match self {
            Self::Raw(RawState::Json(bytes)) => Ok(RawJson::new(bytes)),
            Self::Raw(RawState::Flatmap(_)) => Err(form_mismatch()),
            Self::Output(value) => {
                let ty = (value.ty)();
                Ok(RawJson::new(json::encode(&value.encode(), &ty)?))
            }
        }
    }

    fn flatmap(self) -> Result<BTreeMap<String, String>> {
        match self {
            Self::Raw(RawState::Flatmap(map)) => Ok(map),
            Self::Raw(RawState::Json(_)) | Self::Output(_) => Err(form_mismatch()),
        }
    }
}

/// The runner selects routes by the stored form, so no user gets this error.
fn form_mismatch() -> Error {
    Error::new(
        "Upgrade Step Not Applicable",
        "The stored value has another form than the upgrade step takes.",
    )
}

type StepFuture<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;
type StepFn<R> = Box<dyn Fn(&UpgradeCall<R>, StepInput) -> StepFuture<StepOutput> + Send + Sync>;

/// All steps to one current version.
pub(in crate::resource) struct UpgradeRunner<R: Resource> {
    pub(in crate::resource) graph: UpgradeGraph,
    /// The functions of the steps in `graph`, in the same order.
    runs: Vec<StepFn<R>>,
}

impl<R: Resource> UpgradeRunner<R> {
    pub(in crate::resource) fn new(current: TypedVersion) -> Self {
        Self { graph: UpgradeGraph::new(current), runs: Vec::new() }
    }

    /// A step from values of one Rust type to those of another.
    pub(in crate::resource) fn typed<Old: Decode + 'static, New: Encode + Send + 'static>(
        &mut self,
        from: TypedVersion,
        to: TypedVersion,
        upgrade: impl Fn(Old) -> Result<New> + Send + Sync + 'static,
    ) {
        let ty = OnceLock::new();
        self.step(StepSource::of(from), to, move |_, input| {
            let old = input.decode(ty.get_or_init(from.ty));
            ready(old.and_then(&upgrade).map(|new| StepOutput::new(new, to.ty)))
        });
    }

    /// As [`typed`](Self::typed), with the client of the provider.
    pub(in crate::resource) fn typed_async<Old, New, F>(
        &mut self,
        from: TypedVersion,
        to: TypedVersion,
        upgrade: impl Fn(UpgradeContext<R>, Old) -> F + Send + Sync + 'static,
    ) where
        Old: Decode + 'static,
        New: Encode + Send + 'static,
        F: Future<Output = Result<New>> + Send + 'static,
    {
        let ty = OnceLock::new();
        self.step(StepSource::of(from), to, move |call, input| {
            let old = input.decode(ty.get_or_init(from.ty));
            let running = old.and_then(|old| Ok(upgrade(call.context()?, old)));
            Box::pin(async move { running?.await.map(|new| StepOutput::new(new, to.ty)) })
        });
    }

    /// A step from the stored JSON.
    pub(in crate::resource) fn json<New: Encode + Send + 'static>(
        &mut self,
        version: i64,
        to: TypedVersion,
        upgrade: impl Fn(RawJson) -> Result<New> + Send + Sync + 'static,
    ) {
        self.step(StepSource { version, form: StoredForm::Json, ty: None }, to, move |_, input| {
            ready(input.json().and_then(&upgrade).map(|new| StepOutput::new(new, to.ty)))
        });
    }

    /// A step from the stored flatmap.
    pub(in crate::resource) fn flatmap<New: Encode + Send + 'static>(
        &mut self,
        version: i64,
        to: TypedVersion,
        upgrade: impl Fn(BTreeMap<String, String>) -> Result<New> + Send + Sync + 'static,
    ) {
        self.step(StepSource { version, form: StoredForm::Flatmap, ty: None }, to, move |_, input| {
            ready(input.flatmap().and_then(&upgrade).map(|new| StepOutput::new(new, to.ty)))
        });
    }

    fn step(
        &mut self,
        from: StepSource,
        to: TypedVersion,
        run: impl Fn(&UpgradeCall<R>, StepInput) -> StepFuture<StepOutput> + Send + Sync + 'static,
    ) {
        self.graph.step(from, to);
        self.runs.push(Box::new(run));
    }

    /// Upgrades a stored value to the current version.
    pub(in crate::resource) async fn run(
        &self,
        client: &ClientSlot<R::Client>,
        cx: &mut dynamic::Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        let form = match stored.raw {
            RawState::Json(_) => StoredForm::Json,
            RawState::Flatmap(_) => StoredForm::Flatmap,
        };
        let route = self.graph.route(stored.version, form).ok_or_else(|| no_upgrade(stored.version))?;
        let call = UpgradeCall {
            client: client.clone(),
            cancellation: cx.cancellation.clone(),
            clock: cx.clock.clone(),
            reported: Arc::default(),
        };
        let _report = ReportOnDrop { cx, reported: Arc::clone(&call.reported) };
        self.follow(route, &call, StepInput::Raw(stored.raw)).await
    }

    /// Runs the steps of a route.
    async fn follow(&self, route: &[usize], call: &UpgradeCall<R>, mut input: StepInput) -> Result<Value> {
        for &at in route {
            let Some(run) = self.runs.get(at) else { continue };
            input = StepInput::Output(run(call, input).await?);
        }
        match input {
            StepInput::Output(value) => Ok(value.encode()),
            // A route has at least one step.
            StepInput::Raw(_) => Err(form_mismatch()),
        }
    }
}

/// Adds the diagnostics of the steps to the call when it is dropped, even after a panic.
struct ReportOnDrop<'cx, 'call> {
    cx: &'cx mut dynamic::Context<'call, phase::Upgrade>,
    reported: Arc<Mutex<Diagnostics>>,
}

impl Drop for ReportOnDrop<'_, '_> {
    fn drop(&mut self) {
        let reported = std::mem::take(&mut *self.reported.lock().unwrap_or_else(PoisonError::into_inner));
        self.cx.diagnostics_mut().extend(reported);
    }
}

fn no_upgrade(version: i64) -> Error {
    Error::new("No Upgrade", format!("There is no upgrade from version {version} of this form."))
}

/// A completed future.
fn ready<T: Send + 'static>(value: Result<T>) -> StepFuture<T> {
    Box::pin(std::future::ready(value))
}
