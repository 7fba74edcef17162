//! The steps of a case.

pub mod kind;
mod text;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use ferroform::path::Path;
use ferroform_embedded::provider::Provider;
use serde_json::Value as Json;

use crate::case::captured::Captured;
use crate::case::check::{Check, DiagnosticCheck};
use crate::case::fault;
use crate::case::source::{Make, Run, Source};
use crate::case::view::{Calls, PlanView, QueryView, StateView};
use crate::client::Fault;
use crate::diagnostic::Diagnostic;
use crate::embedded::Generation;
use crate::plan::Mode;

pub use self::text::Text;
pub(in crate::case) use self::text::TextKind;

/// One step of a case. Its kind `K` decides which options and checks it has.
///
/// ```
/// use ferroform::path;
/// use ferroform_testing::case::{Step, change, object};
/// use ferroform_testing::config::Config;
/// use ferroform_testing::plan::Action;
///
/// # fn step(config: Config) -> Step<ferroform_testing::case::kind::Apply> {
/// Step::apply(config)
///     .named("create")
///     .plan(change("demo_thing.this").action(Action::Create))
///     .state(object("demo_thing.this").has(path!(name), "web"))
/// # }
/// ```
///
/// What makes no sense does not compile:
///
/// ```compile_fail
/// use ferroform_testing::case::{Step, no_changes};
///
/// // A step that only changes the state makes no plan.
/// let _ = Step::<_, ()>::taint("demo_thing.this").plan(no_changes());
/// ```
#[must_use]
pub struct Step<K, B = ()> {
    inner: AnyStep<B>,
    kind: PhantomData<K>,
}

/// A step of any kind.
pub(in crate::case) struct AnyStep<B> {
    pub(in crate::case) name: Option<String>,
    pub(in crate::case) action: Do<B>,
    pub(in crate::case) plan: Vec<Box<dyn Check<PlanView>>>,
    pub(in crate::case) state: Vec<Box<dyn Check<StateView>>>,
    pub(in crate::case) results: Vec<Box<dyn Check<QueryView>>>,
    pub(in crate::case) calls: Vec<Box<dyn Check<Calls>>>,
    pub(in crate::case) observers: Vec<Box<Observe<B>>>,
    pub(in crate::case) expected: Vec<DiagnosticCheck>,
    pub(in crate::case) warnings: Warnings,
    pub(in crate::case) captures: Vec<Capture>,
    pub(in crate::case) faults: Vec<fault::Planned>,
    pub(in crate::case) idempotency: Option<Idempotency>,
    pub(in crate::case) limits: Limits,
    pub(in crate::case) except: Vec<Path>,
    pub(in crate::case) golden: Option<String>,
    pub(in crate::case) providers: Vec<Provider<B>>,
}

type Observe<B> = dyn Fn(&StepOutcome<'_, B>) + Send + Sync;

/// What a step does.
pub(in crate::case) enum Do<B> {
    Apply(Source<B>),
    Plan(Source<B>),
    PlanLast(Mode),
    Refresh,
    Import { source: Source<B>, to: String, by: By },
    Destroy,
    Query(Source<B>, Generation),
    Taint(String),
    Forget(String),
    Act(Make<B, ()>),
    Store(Make<B, Json>),
    Advance(Duration),
}

/// What an import names.
#[derive(Debug, Clone)]
pub(in crate::case) enum By<T = Text> {
    Id(T),
    /// The command `import`.
    Command(T),
    Identity(Vec<(String, T)>),
}

/// A value to be taken from the state.
#[derive(Debug, Clone)]
pub(in crate::case) struct Capture {
    pub(in crate::case) name: Captured,
    pub(in crate::case) from: Origin,
    pub(in crate::case) path: Path,
}

/// Where a captured value is.
#[derive(Debug, Clone)]
pub(in crate::case) enum Origin {
    Object(String),
    Identity(String),
    Output(String),
}

/// The options of a plan.
#[derive(Debug, Clone, Default)]
pub(in crate::case) struct Limits {
    pub(in crate::case) targets: Vec<String>,
    pub(in crate::case) replace: Vec<String>,
    pub(in crate::case) no_refresh: bool,
    pub(in crate::case) invoke: Option<String>,
}

/// Whether warnings that are not expected are problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::case) enum Warnings {
    Allowed,
    OnlyExpected,
}

/// What has to be empty after a configuration was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Idempotency {
    /// A plan without refresh, and then one with refresh.
    #[default]
    Strict,
    /// A plan with refresh.
    Refreshed,
    /// Nothing.
    Off,
}

/// The outcome of a step, for closures that check all of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct StepOutcome<'a, B> {
    /// The backend of the run, and the captured values.
    pub run: &'a Run<'a, B>,
    /// The plan; `None` when planning failed.
    pub plan: Option<&'a PlanView>,
    /// The results of a query; `None` where it failed, and in steps of other kinds.
    pub results: Option<&'a QueryView>,
    /// The state after the step.
    pub state: &'a StateView,
    /// The diagnostics of core and providers.
    pub diagnostics: &'a [Diagnostic],
    /// The calls of the providers; `None` where core starts the provider itself, so that the test does not see them.
    pub calls: Option<&'a Calls>,
}

impl<B> Step<kind::Apply, B> {
    /// Plans a configuration and applies the plan; then nothing may be left to do, see [`Idempotency`].
    pub fn apply(config: impl Into<Source<B>>) -> Self {
        Self::new(Do::Apply(config.into()))
    }
}

impl<B> Step<kind::Plan, B> {
    /// Plans a configuration, and does not apply the plan.
    pub fn plan_only(config: impl Into<Source<B>>) -> Self {
        Self::new(Do::Plan(config.into()))
    }

    /// Plans to record what has become of the objects (`plan -refresh-only`), with the last configuration.
    pub fn plan_refresh() -> Self {
        Self::new(Do::PlanLast(Mode::RefreshOnly))
    }

    /// Plans to destroy everything, with the last configuration.
    pub fn plan_destroy() -> Self {
        Self::new(Do::PlanLast(Mode::Destroy))
    }
}

impl<B> Step<kind::Refresh, B> {
    /// Records what has become of the objects (`apply -refresh-only`), with the last configuration.
    pub fn refresh() -> Self {
        Self::new(Do::Refresh)
    }

    /// Invokes an action, or an instance of one, with the last configuration (`apply -invoke`). Nothing else is changed.
    pub fn invoke(action: impl Into<String>) -> Self {
        let mut step = Self::refresh();
        step.inner.limits.invoke = Some(action.into());
        step
    }
}

impl<B> Step<kind::Import, B> {
    /// Imports an object by its id, with an `import` block beside the configuration.
    ///
    /// An object that is there already is forgotten first, and the imported one has to be the same: this is how to
    /// show that a created object can be imported. See [`except`](Step::except).
    pub fn import_id(config: impl Into<Source<B>>, to: impl Into<String>, id: impl Into<Text>) -> Self {
        Self::new(Do::Import { source: config.into(), to: to.into(), by: By::Id(id.into()) })
    }

    /// Imports an object by its id with the command `import`; otherwise as [`import_id`](Step::import_id). The command makes
    /// no plan, so such a step has no checks of one.
    pub fn import_command(config: impl Into<Source<B>>, to: impl Into<String>, id: impl Into<Text>) -> Self {
        Self::new(Do::Import { source: config.into(), to: to.into(), by: By::Command(id.into()) })
    }

    /// Imports an object by its identity, whose attributes are texts; otherwise as [`import_id`](Step::import_id).
    pub fn import_identity<N: Into<String>, T: Into<Text>>(
        config: impl Into<Source<B>>,
        to: impl Into<String>,
        identity: impl IntoIterator<Item = (N, T)>,
    ) -> Self {
        let identity = identity.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self::new(Do::Import { source: config.into(), to: to.into(), by: By::Identity(identity.collect()) })
    }

    /// The imported object may have another value there than the one that was created.
    pub fn except(mut self, path: Path) -> Self {
        self.inner.except.push(path);
        self
    }
}

impl<B> Step<kind::Destroy, B> {
    /// Destroys everything, with the last configuration. Every case does that at its end, so such a step is for
    /// checks of the destruction and for what comes after it.
    pub fn destroy() -> Self {
        Self::new(Do::Destroy)
    }
}

impl<B> Step<kind::Query, B> {
    /// Runs the `list` blocks of a query file (`terraform query`), given as text or as a folder with such files. They may refer
    /// to variables and locals in the same text, and nothing is changed. Cores without list resources skip the case.
    ///
    /// ```
    /// use ferroform_testing::case::{Step, kind, listed};
    ///
    /// let all = r#"
    ///     list "cloud_server" "all" {
    ///       provider = cloud
    ///     }
    /// "#;
    /// let _: Step<kind::Query> = Step::query(all).results(listed("list.cloud_server.all").names(["web"]));
    /// ```
    pub fn query(lists: impl Into<Source<B>>) -> Self {
        Self::new(Do::Query(lists.into(), Generation::Off))
    }

    /// Generates the configuration of what is found, as with `-generate-config-out`.
    pub fn generate_config(mut self) -> Self {
        if let Do::Query(_, generation) = &mut self.inner.action {
            *generation = Generation::On;
        }
        self
    }

    /// Checks the results. Where the query failed, each such check is a problem.
    pub fn results(mut self, check: impl Check<QueryView> + 'static) -> Self {
        self.inner.results.push(Box::new(check));
        self
    }
}

impl<B> Step<kind::Edit, B> {
    /// Marks an object in the state as damaged, so that the next plan replaces it.
    pub fn taint(address: impl Into<String>) -> Self {
        Self::new(Do::Taint(address.into()))
    }

    /// Takes an object out of the state, and leaves it alone otherwise (`state rm`).
    pub fn forget(address: impl Into<String>) -> Self {
        Self::new(Do::Forget(address.into()))
    }

    /// Changes the backend without core: changes an object, or deletes it.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use ferroform_testing::case::Step;
    /// # use ferroform_testing::case::kind;
    ///
    /// let _: Step<kind::Edit, Mutex<Vec<String>>> = Step::change_outside(|objects: &Mutex<Vec<String>>| {
    ///     objects.lock().unwrap().clear();
    /// });
    /// ```
    pub fn change_outside(change: impl Fn(&B) + Send + Sync + 'static) -> Self {
        Self::run(move |run| change(run.backend))
    }

    /// Does something that needs captured values, too.
    pub fn run(act: impl Fn(&Run<'_, B>) + Send + Sync + 'static) -> Self {
        Self::new(Do::Act(Arc::new(act)))
    }

    /// Replaces the state by a recorded one (format 4), for example of an older release of the provider.
    pub fn state_file(recorded: Json) -> Self {
        Self::state_file_with(move |_| recorded.clone())
    }

    /// Replaces the state by one that is known only in the run.
    pub fn state_file_with(make: impl Fn(&Run<'_, B>) -> Json + Send + Sync + 'static) -> Self {
        Self::new(Do::Store(Arc::new(make)))
    }

    /// Lets time pass, on the clock of [`Start`](crate::case::Start) and for all who sleep.
    pub fn advance(time: Duration) -> Self {
        Self::new(Do::Advance(time))
    }
}

impl<K, B> Step<K, B> {
    fn new(action: Do<B>) -> Self {
        let inner = AnyStep {
            name: None,
            action,
            plan: Vec::new(),
            state: Vec::new(),
            results: Vec::new(),
            calls: Vec::new(),
            observers: Vec::new(),
            expected: Vec::new(),
            warnings: Warnings::Allowed,
            captures: Vec::new(),
            faults: Vec::new(),
            idempotency: None,
            limits: Limits::default(),
            except: Vec::new(),
            golden: None,
            providers: Vec::new(),
        };
        Self { inner, kind: PhantomData }
    }

    /// Gives the step a name, for reports.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.inner.name = Some(name.into());
        self
    }

    pub(in crate::case) fn into_any(self) -> AnyStep<B> {
        self.inner
    }
}

impl<K: kind::Plans, B> Step<K, B> {
    /// Checks the plan. Where planning failed, each such check is a problem.
    pub fn plan(mut self, check: impl Check<PlanView> + 'static) -> Self {
        self.inner.plan.push(Box::new(check));
        self
    }

    /// Compares the plan with the one that was reviewed, a snapshot of that name. Secrets are hidden in it.
    ///
    /// The snapshot is the same for all cores; `cargo insta review` accepts a new one.
    #[cfg(feature = "snapshots")]
    pub fn golden_plan(mut self, snapshot: impl Into<String>) -> Self {
        self.inner.golden = Some(snapshot.into());
        self
    }
}

impl<K: kind::Walks, B> Step<K, B> {
    /// Checks the state after the step.
    pub fn state(mut self, check: impl Check<StateView> + 'static) -> Self {
        self.inner.state.push(Box::new(check));
        self
    }

    /// Checks the calls that the providers got. They are not seen where a real core starts a program itself; such a
    /// check is not made there, and the table of results has a note.
    pub fn calls(mut self, check: impl Check<Calls> + 'static) -> Self {
        self.inner.calls.push(Box::new(check));
        self
    }

    /// Checks the whole outcome and the backend. The closure panics to fail the step.
    pub fn check(mut self, observe: impl Fn(&StepOutcome<'_, B>) + Send + Sync + 'static) -> Self {
        self.inner.observers.push(Box::new(observe));
        self
    }

    /// Expects a diagnostic. An error that is not expected is a problem, as is an expected one that is not there.
    ///
    /// After an expected error the step is over: what was planned is not applied, and nothing is said about
    /// idempotency. Its checks are made all the same.
    pub fn expect(mut self, diagnostic: DiagnosticCheck) -> Self {
        self.inner.expected.push(diagnostic);
        self
    }

    /// Expects no warnings but those named with [`expect`](Step::expect).
    pub fn no_other_warnings(mut self) -> Self {
        self.inner.warnings = Warnings::OnlyExpected;
        self
    }

    /// Captures a value of an object in the state.
    pub fn capture(self, name: &Captured, address: impl Into<String>, path: Path) -> Self {
        self.captures(name, Origin::Object(address.into()), path)
    }

    /// Captures a value of the identity of an object in the state.
    pub fn capture_identity(self, name: &Captured, address: impl Into<String>, path: Path) -> Self {
        self.captures(name, Origin::Identity(address.into()), path)
    }

    /// Captures a root output, or a part of it.
    pub fn capture_output(self, name: &Captured, output: impl Into<String>, path: Path) -> Self {
        self.captures(name, Origin::Output(output.into()), path)
    }

    fn captures(mut self, name: &Captured, from: Origin, path: Path) -> Self {
        self.inner.captures.push(Capture { name: name.clone(), from, path });
        self
    }

    /// Lets the next call of a method (by its name in protocol 6) fail in this step. See [`Fault`].
    pub fn fault(self, method: impl Into<String>, fault: Fault) -> Self {
        self.faults(method, 1, fault)
    }

    /// Lets the next `count` calls of a method fail in this step.
    pub fn faults(mut self, method: impl Into<String>, count: usize, fault: Fault) -> Self {
        self.inner.faults.push(fault::Planned { method: method.into(), left: count, fault });
        self
    }

    /// Takes a provider in this step instead of the one of the case with that source address, such as an older release that
    /// makes the objects for an upgrade. Time must be real.
    ///
    /// ```
    /// use ferroform_testing::case::{Case, Provider, Step};
    ///
    /// # fn upgraded(case: Case) -> Result<Case, String> {
    /// let older = Provider::mirrored("acme/cloud", "1.4.0", "mirror")?;
    /// let web = r#"resource "cloud_server" "web" { size = 1 }"#;
    /// # Ok(
    /// case.step(Step::apply(web).with_provider(older)).step(Step::apply(web))
    /// # )
    /// # }
    /// ```
    pub fn with_provider(mut self, provider: Provider<B>) -> Self {
        self.inner.providers.push(provider);
        self
    }
}

impl<K: kind::Settles, B> Step<K, B> {
    /// Asks for more or less than the case does of what comes after the apply.
    pub fn idempotency(mut self, idempotency: Idempotency) -> Self {
        self.inner.idempotency = Some(idempotency);
        self
    }
}

impl<K: kind::Limited, B> Step<K, B> {
    /// Limits the plan to an object, those named before, and all that they depend on (`-target`).
    pub fn target(mut self, address: impl Into<String>) -> Self {
        self.inner.limits.targets.push(address.into());
        self
    }

    /// Replaces an object in any case (`-replace`).
    pub fn replace(mut self, address: impl Into<String>) -> Self {
        self.inner.limits.replace.push(address.into());
        self
    }

    /// Takes the state to be true, and reads nothing (`-refresh=false`).
    pub fn without_refresh(mut self) -> Self {
        self.inner.limits.no_refresh = true;
        self
    }
}

impl<B> Do<B> {
    /// What it is called when it has no name.
    pub(in crate::case) fn word(&self) -> &'static str {
        match self {
            Self::Apply(_) => "apply",
            Self::Plan(_) => "plan",
            Self::PlanLast(Mode::Destroy) => "plan to destroy",
            Self::PlanLast(_) => "plan to refresh",
            Self::Refresh => "refresh",
            Self::Import { .. } => "import",
            Self::Destroy => "destroy",
            Self::Query(..) => "query",
            Self::Taint(_) => "taint",
            Self::Forget(_) => "forget",
            Self::Act(_) => "act",
            Self::Store(_) => "store a state",
            Self::Advance(_) => "let time pass",
        }
    }

    pub(in crate::case) fn source(&self) -> Option<&Source<B>> {
        match self {
            Self::Apply(source) | Self::Plan(source) | Self::Import { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl<K, B> fmt::Debug for Step<K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Step({}", self.inner.action.word())?;
        self.inner.name.iter().try_for_each(|name| write!(f, ", {name:?}"))?;
        f.write_str(")")
    }
}
