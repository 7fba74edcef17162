//! Upgrade steps from version to version; the same for states and identities.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::cancel::Cancellation;
use crate::client::ClientSlot;
use crate::clock::Clock;
use crate::codec::json;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::{self, StoredValue, phase};
use crate::model::{Decode, Encode};
use crate::path::Path;
use crate::protocol::RawState;
use crate::resource::ways::{Form, Origin, Target, Ways};
use crate::resource::{RawJson, Resource};
use crate::ty::Type;
use crate::value::Value;

/// What belongs to one upgrade: the typed client, how to report, and when to stop.
///
/// The private data of the object is not here: core does not send it with an upgrade, and keeps it as it is.
pub struct UpgradeContext<R: Resource> {
    /// The client that the provider's `configure` made.
    pub client: Arc<R::Client>,
    /// Whether the user has asked to stop.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
    /// What was reported so far. Errors in here make the upgrade fail whatever it returns.
    pub diagnostics: Diagnostics,
    said: Arc<Mutex<Diagnostics>>,
}

impl<R: Resource> UpgradeContext<R> {
    /// Tells the user something that does not stop the upgrade.
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the upgrade fails in the end.
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }
}

/// What was said reaches the user also when the upgrader fails or panics.
impl<R: Resource> Drop for UpgradeContext<R> {
    fn drop(&mut self) {
        let said = std::mem::take(&mut self.diagnostics);
        self.said.lock().unwrap_or_else(PoisonError::into_inner).extend(said);
    }
}

impl<R: Resource> fmt::Debug for UpgradeContext<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeContext").field("diagnostics", &self.diagnostics).finish_non_exhaustive()
    }
}

/// From where a step makes a context, if it needs one.
struct Call<R: Resource> {
    client: ClientSlot<R::Client>,
    cancellation: Cancellation,
    clock: Clock,
    said: Arc<Mutex<Diagnostics>>,
}

impl<R: Resource> Call<R> {
    /// # Errors
    /// The provider is not configured.
    fn context(&self) -> Result<UpgradeContext<R>> {
        Ok(UpgradeContext {
            client: self.client.current()?,
            cancellation: self.cancellation.clone(),
            clock: self.clock.clone(),
            diagnostics: Diagnostics::default(),
            said: Arc::clone(&self.said),
        })
    }
}

/// What a step starts from.
enum Input {
    /// The stored form.
    Raw(RawState),
    /// What the step before made.
    Made(Made),
}

/// A Rust value of a stored type. The step after mostly takes just that type, so it becomes a value of the
/// configuration language only when it has to.
struct Made {
    made: Box<dyn Any + Send>,
    encode: fn(Box<dyn Any + Send>) -> Value,
    ty: fn() -> Type,
}

impl Made {
    fn new<T: Encode + Send + 'static>(made: T, ty: fn() -> Type) -> Self {
        let encode = |made: Box<dyn Any + Send>| match made.downcast::<T>() {
            Ok(made) => made.encode(),
            // Nothing but `new` makes one.
            Err(_) => Value::Null,
        };
        Self { made: Box::new(made), encode, ty }
    }

    fn decode<T: Decode + 'static>(self) -> Result<T> {
        match self.made.downcast::<T>() {
            Ok(made) => Ok(*made),
            Err(made) => T::decode((self.encode)(made), &mut Path::root()),
        }
    }

    fn encode(self) -> Value {
        (self.encode)(self.made)
    }
}

impl Input {
    /// The Rust value whose Terraform type is `ty`.
    fn decode<T: Decode + 'static>(self, ty: &Type) -> Result<T> {
        match self {
            Self::Raw(RawState::Json(bytes)) => RawJson::new(bytes).decode(ty),
            Self::Raw(RawState::Flatmap(_)) => Err(flat()),
            Self::Made(made) => made.decode(),
        }
    }

    fn json(self) -> Result<RawJson> {
        match self {
            Self::Raw(RawState::Json(bytes)) => Ok(RawJson::new(bytes)),
            Self::Raw(RawState::Flatmap(_)) => Err(flat()),
            Self::Made(made) => {
                let ty = (made.ty)();
                Ok(RawJson::new(json::encode(&made.encode(), &ty)?))
            }
        }
    }

    fn flatmap(self) -> Result<BTreeMap<String, String>> {
        match self {
            Self::Raw(RawState::Flatmap(map)) => Ok(map),
            Self::Raw(RawState::Json(_)) | Self::Made(_) => Err(flat()),
        }
    }
}

/// The ways are looked up by the stored form, so this is never seen.
fn flat() -> Error {
    Error::new(
        "Upgrade Step Not Applicable",
        "The stored value has another form than the upgrade step takes.",
    )
}

type Running<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;
type Run<R> = Box<dyn Fn(&Call<R>, Input) -> Running<Made> + Send + Sync>;

/// All steps to one current version.
pub(super) struct Steps<R: Resource> {
    ways: Ways,
    /// What the steps of `ways` do, in the same order.
    runs: Vec<Run<R>>,
}

impl<R: Resource> Steps<R> {
    pub(super) fn new(current: Target) -> Self {
        Self { ways: Ways::new(current), runs: Vec::new() }
    }

    pub(super) fn released(&mut self, versions: impl IntoIterator<Item = i64>) {
        self.ways.released(versions.into_iter().collect());
    }

    pub(super) fn same(&mut self, version: i64, as_version: i64) {
        self.ways.same(version, as_version);
    }

    /// A step from values of one Rust type to those of another.
    pub(super) fn typed<Old: Decode + 'static, New: Encode + Send + 'static>(
        &mut self,
        from: Target,
        to: Target,
        upgrade: impl Fn(Old) -> Result<New> + Send + Sync + 'static,
    ) {
        let ty = OnceLock::new();
        self.step(Origin::of(from), to, move |_, input| {
            let old = input.decode(ty.get_or_init(from.ty));
            ready(old.and_then(&upgrade).map(|new| Made::new(new, to.ty)))
        });
    }

    /// As [`typed`](Self::typed), with the client of the provider.
    pub(super) fn typed_async<Old, New, F>(
        &mut self,
        from: Target,
        to: Target,
        upgrade: impl Fn(UpgradeContext<R>, Old) -> F + Send + Sync + 'static,
    ) where
        Old: Decode + 'static,
        New: Encode + Send + 'static,
        F: Future<Output = Result<New>> + Send + 'static,
    {
        let ty = OnceLock::new();
        self.step(Origin::of(from), to, move |call, input| {
            let old = input.decode(ty.get_or_init(from.ty));
            let running = old.and_then(|old| Ok(upgrade(call.context()?, old)));
            Box::pin(async move { running?.await.map(|new| Made::new(new, to.ty)) })
        });
    }

    /// A step from what was stored, as JSON.
    pub(super) fn json<New: Encode + Send + 'static>(
        &mut self,
        version: i64,
        to: Target,
        upgrade: impl Fn(RawJson) -> Result<New> + Send + Sync + 'static,
    ) {
        self.step(Origin { version, form: Form::Json, ty: None }, to, move |_, input| {
            ready(input.json().and_then(&upgrade).map(|new| Made::new(new, to.ty)))
        });
    }

    /// A step from what was stored in the flat form.
    pub(super) fn flatmap<New: Encode + Send + 'static>(
        &mut self,
        version: i64,
        to: Target,
        upgrade: impl Fn(BTreeMap<String, String>) -> Result<New> + Send + Sync + 'static,
    ) {
        self.step(Origin { version, form: Form::Flatmap, ty: None }, to, move |_, input| {
            ready(input.flatmap().and_then(&upgrade).map(|new| Made::new(new, to.ty)))
        });
    }

    fn step(
        &mut self,
        from: Origin,
        to: Target,
        run: impl Fn(&Call<R>, Input) -> Running<Made> + Send + Sync + 'static,
    ) {
        self.ways.step(from, to);
        self.runs.push(Box::new(run));
    }

    /// The versions with a way from this form, each with the versions on it.
    pub(super) fn paths(&self, form: Form) -> BTreeMap<i64, Vec<i64>> {
        self.ways.paths(form)
    }

    /// The types by which stored JSON is read, by version.
    pub(super) fn types(&self) -> BTreeMap<i64, Type> {
        self.ways.types()
    }

    /// Upgrades a stored value to the current version.
    pub(super) async fn run(
        &self,
        client: &ClientSlot<R::Client>,
        cx: &mut dynamic::Context<'_, phase::Upgrade>,
        stored: StoredValue,
    ) -> Result<Value> {
        let form = match stored.raw {
            RawState::Json(_) => Form::Json,
            RawState::Flatmap(_) => Form::Flatmap,
        };
        let way = self.ways.way(stored.version, form).ok_or_else(|| no_way(stored.version))?;
        let call = Call {
            client: client.clone(),
            cancellation: cx.cancellation.clone(),
            clock: cx.clock.clone(),
            said: Arc::default(),
        };
        let _saying = Saying { cx, said: Arc::clone(&call.said) };
        self.follow(way, &call, Input::Raw(stored.raw)).await
    }

    /// Mistakes of the steps; `what` is "state" or "identity".
    pub(super) fn mistakes(&self, what: &str, type_name: &str) -> Diagnostics {
        self.ways.mistakes(what, type_name)
    }

    /// Takes one step after the other.
    async fn follow(&self, way: &[usize], call: &Call<R>, mut input: Input) -> Result<Value> {
        for &at in way {
            let Some(run) = self.runs.get(at) else { continue };
            input = Input::Made(run(call, input).await?);
        }
        match input {
            Input::Made(made) => Ok(made.encode()),
            // A way has at least one step.
            Input::Raw(_) => Err(flat()),
        }
    }
}

/// Hands over what the steps said at the end of all, also if one of them panics.
struct Saying<'cx, 'call> {
    cx: &'cx mut dynamic::Context<'call, phase::Upgrade>,
    said: Arc<Mutex<Diagnostics>>,
}

impl Drop for Saying<'_, '_> {
    fn drop(&mut self) {
        let said = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        self.cx.diagnostics_mut().extend(said);
    }
}

fn no_way(version: i64) -> Error {
    Error::new("No Upgrade", format!("There is no upgrade from version {version} of this form."))
}

/// A future that is done.
fn ready<T: Send + 'static>(value: Result<T>) -> Running<T> {
    Box::pin(std::future::ready(value))
}
