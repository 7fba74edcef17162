//! The definition of a case.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ferroform_embedded::feature::Feature;
use ferroform_embedded::provider::Provider;

use super::step::{AnyStep, Idempotency, Step};
use super::time::{Start, Time};
#[cfg(feature = "cassettes")]
use crate::cassette::CassetteServer;
use crate::client::Protocol;
use crate::config::{ProviderBlock, StateStoreBlock};
use crate::diagnostic::Diagnostic;
use crate::embedded::CoreVersion;

/// A test case: providers, and steps to take with them.
///
/// One definition runs on the embedded core and on real ones, see [`Suite`](super::Suite). Each run has a backend of
/// its own, of type `B`, in which the providers keep their objects and to which steps can do things.
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
/// Case::with_backend("lifecycle", |_start: &Start| Backend)
///     .provider(Provider::in_process("example.com/acme/demo", provider))
///     .step(Step::apply(config()).state(object("demo_thing.this").has(path!(name), "web")))
/// # }
/// ```
#[must_use]
pub struct Case<B = ()> {
    pub(super) name: String,
    pub(super) make: Arc<dyn Fn(&Start) -> B + Send + Sync>,
    pub(super) providers: Vec<Provider<B>>,
    pub(super) provider_configs: Vec<Box<Configure<B>>>,
    pub(super) state_store: Option<Box<Keep<B>>>,
    pub(super) steps: Vec<AnyStep<B>>,
    pub(super) needs: Vec<Feature>,
    pub(super) conditions: Vec<Box<Condition>>,
    pub(super) excuses: Vec<Box<Excuse>>,
    pub(super) runs_on: RunsOn,
    pub(super) emulated: Vec<CoreVersion>,
    /// `None` unless they are asked for.
    pub(super) protocols: Option<Vec<Protocol>>,
    pub(super) idempotency: Idempotency,
    pub(super) time: Time,
    pub(super) time_limit: Option<Duration>,
    pub(super) golden_schemas: Option<String>,
    #[cfg_attr(not(feature = "snapshots"), expect(dead_code, reason = "golden files are a feature"))]
    pub(super) snapshots: Option<PathBuf>,
    pub(super) starts: Option<usize>,
    pub(super) left_behind: Vec<Box<LeftBehind<B>>>,
    #[cfg(feature = "cassettes")]
    pub(super) cassettes: Vec<Box<Replayed<B>>>,
}

/// Writes the configuration of a provider.
type Configure<B> = dyn Fn(&B) -> ProviderBlock + Send + Sync;

/// Names the state store that keeps the state.
type Keep<B> = dyn Fn(&B) -> StateStoreBlock + Send + Sync;

/// Why a case cannot run now.
type Condition = dyn Fn() -> Option<String> + Send + Sync;

/// Why an error does not make a case fail.
type Excuse = dyn Fn(&Diagnostic) -> Option<String> + Send + Sync;

/// Names the objects that the backend still holds.
type LeftBehind<B> = dyn Fn(&B) -> Vec<String> + Send + Sync;

/// The server of a cassette.
#[cfg(feature = "cassettes")]
type Replayed<B> = dyn Fn(&B) -> &CassetteServer + Send + Sync;

/// Where a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RunsOn {
    /// On the embedded core only, which is for what real ones cannot be brought to do.
    Embedded,
    /// On the embedded core with all its protocols, and on the newest real one with the first of them.
    #[default]
    Newest,
    /// On the embedded core and on these real ones, with all its protocols. They are written as in
    /// `FERROFORM_REQUIRE_CORES`: `1.15.5`, `tofu@1.11.0`, or `tofu` for any of that product. What is none makes the
    /// suite panic. Cases with [`Matrix`](Self::Matrix) run on them, too.
    Cores(&'static [&'static str]),
    /// On the embedded core with all its protocols, and on these real ones with one protocol each: the first core runs the
    /// first protocol, the second core the next one, and so on. With `FERROFORM_LIVE` set, the same as [`Cores`](Self::Cores).
    /// A provider's behaviour over a protocol rarely depends on the core, so this finds nearly as much in less time.
    InTurns(&'static [&'static str]),
    /// Everywhere: on all cores of the [`Suite`](super::Suite), with all its protocols.
    Matrix,
    /// The same with one protocol on each default core, in turns. With `FERROFORM_LIVE` set, the same as
    /// [`Matrix`](Self::Matrix).
    MatrixInTurns,
    /// On real cores only, with all its protocols.
    RealOnly,
}

impl Case<()> {
    /// A case of that name without a backend of its own: the providers keep their objects elsewhere, or have none.
    pub fn new(name: impl Into<String>) -> Self {
        Self::with_backend(name, |_| ())
    }
}

impl<B> Case<B> {
    /// A case of that name, and the closure that makes the backend of each run: a folder, a database, or a fake of an API.
    pub fn with_backend(name: impl Into<String>, make: impl Fn(&Start) -> B + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            make: Arc::new(make),
            providers: Vec::new(),
            provider_configs: Vec::new(),
            state_store: None,
            steps: Vec::new(),
            needs: Vec::new(),
            conditions: Vec::new(),
            excuses: Vec::new(),
            runs_on: RunsOn::default(),
            emulated: vec![CoreVersion::default()],
            protocols: None,
            idempotency: Idempotency::default(),
            time: Time::default(),
            time_limit: None,
            golden_schemas: None,
            snapshots: None,
            starts: None,
            left_behind: Vec::new(),
            #[cfg(feature = "cassettes")]
            cassettes: Vec::new(),
        }
    }

    /// With that provider under test.
    pub fn provider(mut self, provider: Provider<B>) -> Self {
        self.providers.push(provider);
        self
    }

    /// With a configuration of a provider, made from the backend of the run: where the fake of an API listens, for
    /// example. It is in the configurations of all steps but those that have a block for that provider themselves.
    ///
    /// ```
    /// use std::path::PathBuf;
    ///
    /// use ferroform_testing::case::{Case, Start};
    /// use ferroform_testing::config::provider;
    ///
    /// let case = Case::with_backend("lifecycle", |start: &Start| start.directory().to_owned())
    ///     .provider_config(|folder: &PathBuf| provider("demo").set("root", folder.as_path()));
    /// # drop(case);
    /// ```
    pub fn provider_config(mut self, block: impl Fn(&B) -> ProviderBlock + Send + Sync + 'static) -> Self {
        self.provider_configs.push(Box::new(block));
        self
    }

    /// With the state in a state store of a provider of the case. Every plan, apply, import and destruction starts an
    /// instance of the provider for it, locks the state, reads it, writes it if it has changed, and unlocks it, as core
    /// does; what the store reports are diagnostics of the step. The calls of the store are among those of the step.
    ///
    /// Released cores have no state stores, so the case runs on the embedded core only, and with protocol 6. The provider
    /// is configured as by [`provider_config`](Self::provider_config), unless the block has a configuration.
    ///
    /// ```
    /// use std::path::PathBuf;
    ///
    /// use ferroform_testing::case::{Case, Start};
    /// use ferroform_testing::config::state_store;
    ///
    /// let case = Case::with_backend("states in a folder", |start: &Start| start.directory().to_owned())
    ///     .state_store(|folder: &PathBuf| state_store("demo_folder").set("path", folder.as_path()));
    /// # drop(case);
    /// ```
    pub fn state_store(mut self, block: impl Fn(&B) -> StateStoreBlock + Send + Sync + 'static) -> Self {
        self.state_store = Some(Box::new(block));
        self
    }

    /// With that step, after those before.
    pub fn step<K>(mut self, step: Step<K, B>) -> Self {
        self.steps.push(step.into_any());
        self
    }

    /// On cores that have a feature only. On others the case is skipped, with the reason.
    pub fn requires(mut self, feature: Feature) -> Self {
        self.needs.push(feature);
        self
    }

    /// With these environment variables only, such as the credentials of a service. Without one of them a [`Suite`](super::Suite)
    /// reports the case as skipped, and [`check`](Self::check) fails, since an ordinary test cannot report that.
    ///
    /// ```
    /// use ferroform_testing::case::Case;
    ///
    /// let case = Case::new("against the service").requires_env(["CLOUD_ENDPOINT", "CLOUD_TOKEN"]);
    /// # drop(case);
    /// ```
    pub fn requires_env<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.skip_if(move || {
            let is_unset = |name: &&String| std::env::var_os(name).is_none_or(|value| value.is_empty());
            let unset: Vec<&str> = names.iter().filter(is_unset).map(String::as_str).collect();
            (!unset.is_empty()).then(|| format!("{} must be set in the environment", unset.join(", ")))
        })
    }

    /// Skips the case if the closure returns a reason, as [`requires_env`](Self::requires_env) does.
    pub fn skip_if(mut self, reason: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.conditions.push(Box::new(reason));
        self
    }

    /// Skips the case if a step has an error that it does not expect and for which the closure returns a reason, such as a
    /// quota of the service. Everything is destroyed all the same.
    pub fn skip_on_error(
        mut self,
        reason: impl Fn(&Diagnostic) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.excuses.push(Box::new(reason));
        self
    }

    /// On more or fewer cores than [`RunsOn::Newest`].
    pub fn runs_on(self, runs_on: RunsOn) -> Self {
        Self { runs_on, ..self }
    }

    /// The products and versions that the embedded core emulates; without this, the newest Terraform of the matrix. Each
    /// is a target of its own. `docs/contributing/testing.md` lists the differences.
    ///
    /// ```
    /// use ferroform_testing::case::Case;
    /// use ferroform_testing::embedded::CoreVersion;
    ///
    /// let case = Case::new("forget").emulates([CoreVersion::default(), CoreVersion::open_tofu(1, 12, 6)]);
    /// # drop(case);
    /// ```
    pub fn emulates(self, versions: impl IntoIterator<Item = CoreVersion>) -> Self {
        Self { emulated: versions.into_iter().collect(), ..self }
    }

    /// With these protocols only; the first is that for the newest real core. Without this, 6 and 5, where a provider
    /// that needs protocol 6 is skipped over protocol 5.
    pub fn protocols(self, protocols: impl IntoIterator<Item = Protocol>) -> Self {
        Self { protocols: Some(protocols.into_iter().collect()), ..self }
    }

    /// The configurations of the providers in a run with that backend.
    pub(super) fn provider_blocks(&self, backend: &B) -> impl Iterator<Item = ProviderBlock> {
        self.provider_configs.iter().map(move |make| make(backend))
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

    /// Fails when the backend still holds objects after everything was destroyed. The closure names them.
    pub fn expect_no_leftovers<I>(mut self, left: impl Fn(&B) -> I + Send + Sync + 'static) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let left = move |backend: &B| left(backend).into_iter().map(Into::into).collect();
        self.left_behind.push(Box::new(left));
        self
    }

    /// With the server of a cassette in the backend. Where the exchanges are replayed, the case fails for a request that was
    /// not recorded, and for a recorded one that was not sent. Where they are recorded, a case that passes writes the
    /// cassette.
    #[cfg(feature = "cassettes")]
    pub fn cassette(mut self, server: impl Fn(&B) -> &CassetteServer + Send + Sync + 'static) -> Self {
        self.cassettes.push(Box::new(server));
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<B> fmt::Debug for Case<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("name", &self.name)
            .field("providers", &self.providers)
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}
