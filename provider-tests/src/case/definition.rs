//! The definition of a case.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::provider::Provider;
use super::step::{AnyStep, Idempotency, Step};
use super::time::{Start, Time};
use crate::client::Protocol;
use crate::config::ProviderBlock;
use crate::embedded::Dialect;
use crate::real::Feature;

/// A test case: providers, and steps to take with them.
///
/// One definition runs on the embedded core and on real ones, see [`Suite`](super::Suite). Each run has a world of
/// its own, of type `W`, in which the providers keep their objects and to which steps can do things.
///
/// ```
/// use ferroform::path;
/// use ferroform_testing::case::{Case, Provider, Start, Step, object};
/// use ferroform_testing::config::Config;
///
/// struct Backend;
///
/// # fn provider(_: &Backend) -> ferroform::Serve { unimplemented!() }
/// # fn config() -> Config { Config::default() }
/// # fn case() -> Case<Backend> {
/// Case::new("lifecycle", |_start: &Start| Backend)
///     .provider(Provider::in_process("example.com/acme/demo", provider))
///     .step(Step::apply(config()).state(object("demo_thing.this").has(path!(name), "web")))
/// # }
/// ```
#[must_use]
pub struct Case<W = ()> {
    pub(super) name: String,
    pub(super) make: Arc<dyn Fn(&Start) -> W + Send + Sync>,
    pub(super) providers: Vec<Provider<W>>,
    pub(super) configured: Vec<Box<Configure<W>>>,
    pub(super) steps: Vec<AnyStep<W>>,
    pub(super) needs: Vec<Feature>,
    pub(super) breadth: Breadth,
    pub(super) flavours: Vec<Dialect>,
    /// `None` unless they are asked for.
    pub(super) protocols: Option<Vec<Protocol>>,
    pub(super) idempotency: Idempotency,
    pub(super) time: Time,
    pub(super) time_limit: Option<Duration>,
    pub(super) golden_schemas: Option<String>,
    pub(super) snapshots: Option<PathBuf>,
    pub(super) starts: Option<usize>,
    pub(super) left_behind: Vec<Box<LeftBehind<W>>>,
}

/// Writes the configuration of a provider.
type Configure<W> = dyn Fn(&W) -> ProviderBlock + Send + Sync;

/// What the world still holds that it should not.
type LeftBehind<W> = dyn Fn(&W) -> Vec<String> + Send + Sync;

/// Where a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Breadth {
    /// On the embedded core only, which is for what real ones cannot be brought to do.
    Embedded,
    /// On the embedded core with all its protocols, and on the newest real one with the first of them.
    #[default]
    Newest,
    /// On the embedded core and on these real ones, with all its protocols. They are written as in
    /// `FERROFORM_REQUIRE_CORES`: `1.15.5`, `tofu@1.11.0`, or `tofu` for any of that product. What is none makes the
    /// suite panic. Cases with [`Matrix`](Self::Matrix) run on them, too.
    Cores(&'static [&'static str]),
    /// Everywhere: on all cores of the [`Suite`](super::Suite), with all its protocols.
    Matrix,
    /// On real cores only, with all its protocols.
    RealOnly,
}

impl Case<()> {
    /// A case whose providers need no world: programs, or providers without objects.
    pub fn plain(name: impl Into<String>) -> Self {
        Self::new(name, |_| ())
    }
}

impl<W> Case<W> {
    /// A case of that name, with what makes the world of a run.
    pub fn new(name: impl Into<String>, make: impl Fn(&Start) -> W + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            make: Arc::new(make),
            providers: Vec::new(),
            configured: Vec::new(),
            steps: Vec::new(),
            needs: Vec::new(),
            breadth: Breadth::default(),
            flavours: vec![Dialect::default()],
            protocols: None,
            idempotency: Idempotency::default(),
            time: Time::default(),
            time_limit: None,
            golden_schemas: None,
            snapshots: None,
            starts: None,
            left_behind: Vec::new(),
        }
    }

    /// With that provider under test.
    pub fn provider(mut self, provider: Provider<W>) -> Self {
        self.providers.push(provider);
        self
    }

    /// With a configuration of a provider, made from the world of the run: where the double of an API listens, for
    /// example. It is in the configurations of all steps but those that have a block for that provider themselves.
    ///
    /// ```
    /// use std::path::PathBuf;
    ///
    /// use ferroform_testing::case::{Case, Start};
    /// use ferroform_testing::config::provider;
    ///
    /// let case = Case::new("lifecycle", |start: &Start| start.directory().to_owned())
    ///     .configured(|folder: &PathBuf| provider("demo").set("root", folder.as_path()));
    /// # drop(case);
    /// ```
    pub fn configured(mut self, block: impl Fn(&W) -> ProviderBlock + Send + Sync + 'static) -> Self {
        self.configured.push(Box::new(block));
        self
    }

    /// With that step, after those before.
    pub fn step<K>(mut self, step: Step<K, W>) -> Self {
        self.steps.push(step.into_any());
        self
    }

    /// On cores that have a feature only. On others the case is skipped, with the reason.
    pub fn requires(mut self, feature: Feature) -> Self {
        self.needs.push(feature);
        self
    }

    /// On more or fewer cores than [`Breadth::Newest`].
    pub fn breadth(self, breadth: Breadth) -> Self {
        Self { breadth, ..self }
    }

    /// On the embedded core as these products and versions behave; without this, as the newest Terraform of the matrix.
    /// Each is a place of its own. What differs, and what does not, is told in `docs/contributing/testing.md`.
    ///
    /// ```
    /// use ferroform_testing::case::Case;
    /// use ferroform_testing::embedded::Dialect;
    ///
    /// let case = Case::plain("forget").flavours([Dialect::default(), Dialect::open_tofu(1, 12, 6)]);
    /// # drop(case);
    /// ```
    pub fn flavours(self, flavours: impl IntoIterator<Item = Dialect>) -> Self {
        Self { flavours: flavours.into_iter().collect(), ..self }
    }

    /// With these protocols only; the first is that for the newest real core. Without this, 6 and 5, where a provider
    /// that needs protocol 6 is skipped over protocol 5.
    pub fn protocols(self, protocols: impl IntoIterator<Item = Protocol>) -> Self {
        Self { protocols: Some(protocols.into_iter().collect()), ..self }
    }

    /// The protocols that the case runs with.
    pub(super) fn spoken(&self) -> &[Protocol] {
        self.protocols.as_deref().unwrap_or(&[Protocol::V6, Protocol::V5])
    }

    /// With another rule for what comes after each apply, unless the step has one itself.
    pub fn idempotency(self, idempotency: Idempotency) -> Self {
        Self { idempotency, ..self }
    }

    /// With time that passes only when everybody sleeps.
    pub fn time(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// With another limit than two minutes for what may hang: each call of a provider on the embedded core, each command
    /// of a real one. A provider that takes longer is killed, and what was done before is in the state. Virtual time has
    /// no limit.
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// Compares the schemas of the providers with those that were reviewed, a snapshot of that name, so that a change
    /// of what users can write is seen. `cargo insta review` accepts new ones.
    #[cfg(feature = "snapshots")]
    pub fn golden_schemas(self, snapshot: impl Into<String>) -> Self {
        Self { golden_schemas: Some(snapshot.into()), ..self }
    }

    /// With snapshots in that directory; otherwise they are in `tests/snapshots` of the package.
    #[cfg(feature = "snapshots")]
    pub fn snapshots_in(self, directory: impl Into<PathBuf>) -> Self {
        Self { snapshots: Some(directory.into()), ..self }
    }

    /// Fails when a real core is started more often than that, which is what takes time there: once to
    /// plan, once to show the plan, once to apply it, once for each plan after it and for the destruction.
    pub fn starts_at_most(self, count: usize) -> Self {
        Self { starts: Some(count), ..self }
    }

    /// Fails when the world still holds something after everything was destroyed. The closure names what is left.
    pub fn empty_after<I>(mut self, left: impl Fn(&W) -> I + Send + Sync + 'static) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let left = move |world: &W| left(world).into_iter().map(Into::into).collect();
        self.left_behind.push(Box::new(left));
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<W> fmt::Debug for Case<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("name", &self.name)
            .field("providers", &self.providers)
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}
