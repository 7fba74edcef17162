//! Tests that hold for every resource of every provider.
//!
//! The author says which resources there are, how the smallest configuration of each looks and how a changed one
//! does. The [rules](Rule) follow from that, and each rule of each resource is a test of its own:
//!
//! ```no_run
//! use ferroform::path;
//! use ferroform_testing::case::{Provider, Start};
//! use ferroform_testing::config::{body, provider};
//! use ferroform_testing::conformance::{Conformance, ResourceTest};
//!
//! # fn serve(_: &Backend) -> ferroform::Serve { unimplemented!() }
//! struct Backend {
//!     root: std::path::PathBuf,
//! }
//!
//! ferroform_testing::conformance! {
//!     Conformance::new(Provider::in_process("example.com/acme/demo", serve), |start: &Start| Backend {
//!         root: start.directory().to_owned(),
//!     })
//!     .provider_config(|backend| provider("demo").set("root", backend.root.as_path()))
//!     .resource(
//!         ResourceTest::new("demo_file", |_| body().set("name", "a.txt").set("content", "one"))
//!             .changed(|_| body().set("name", "a.txt").set("content", "two"))
//!             .import_id(path!(name)),
//!     )
//! }
//! ```
//!
//! The test binary has `harness = false` in its manifest. A test is named `demo_file/create`, and a resource of the
//! provider that is not mentioned makes the run fail, so that none is forgotten. The functions of the provider need no
//! mention: one test calls each with generated arguments, see [`FunctionTest::check_rules`](crate::function::FunctionTest::check_rules).

mod bench;
mod ephemeral;
mod proxy;
mod resource_test;
mod rule;
mod rules;
mod service_fault;
mod variants;

use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Trial;

use crate::case::{Provider, Row, Start, Target, TestResult, Time, Trials};
use crate::client::Protocol;
use crate::config::ProviderBlock;

use bench::Bench;
pub use ephemeral::EphemeralResourceTest;
use ephemeral::NamedEphemeralTest;
pub use resource_test::ResourceTest;
pub use rule::{EphemeralRule, Finding, Rule, Verdict};
pub use service_fault::{ServiceFailed, ServiceFault, ServiceFaults};

/// The conformance tests of a provider. See the [module](self).
#[must_use]
pub struct Conformance<B> {
    make: Arc<dyn Fn(&Start) -> B + Send + Sync>,
    provider: Provider<B>,
    provider_config: Option<Configure<B>>,
    protocols: Vec<Protocol>,
    time: Time,
    resource_tests: Vec<Arc<ResourceTest<B>>>,
    ephemeral: Vec<NamedEphemeralTest<B>>,
    left_out: Vec<(String, String)>,
    left: Option<Arc<LeftoversFn<B>>>,
}

/// Writes the configuration of the provider.
type Configure<B> = Arc<dyn Fn(&B) -> ProviderBlock + Send + Sync>;

/// The check of a rule.
type Test = Box<dyn FnOnce() -> Verdict + Send>;

/// What the backend still holds that it should not.
type LeftoversFn<B> = dyn Fn(&B) -> Vec<String> + Send + Sync;

/// The `main` of a test binary that runs a [`Conformance`], which the expression makes.
#[macro_export]
macro_rules! conformance {
    ($conformance:expr) => {
        fn main() -> ::std::process::ExitCode {
            $crate::conformance::Conformance::main($conformance)
        }
    };
}

impl<B: Send + Sync + 'static> Conformance<B> {
    /// A provider, and what makes the backend in which its objects live. Each test has several backends, one after the
    /// other.
    pub fn new(provider: Provider<B>, make: impl Fn(&Start) -> B + Send + Sync + 'static) -> Self {
        Self {
            make: Arc::new(make),
            provider,
            provider_config: None,
            protocols: vec![Protocol::V6],
            time: Time::Real,
            resource_tests: Vec::new(),
            ephemeral: Vec::new(),
            left_out: Vec::new(),
            left: None,
        }
    }

    /// With a configuration of the provider.
    pub fn provider_config(self, block: impl Fn(&B) -> ProviderBlock + Send + Sync + 'static) -> Self {
        Self { provider_config: Some(Arc::new(block)), ..self }
    }

    /// With these protocols; 6 without this. With several, the protocol is the first part of the name of a test, as
    /// in `protocol 5/demo_file/create`. See [`ResourceTest::only_protocol`] for what is not the same in both.
    pub fn protocols(self, protocols: impl IntoIterator<Item = Protocol>) -> Self {
        Self { protocols: protocols.into_iter().collect(), ..self }
    }

    /// With time that passes only when everybody sleeps, see [`Time`], for providers in this process that wait.
    pub fn time(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// With that resource type.
    pub fn resource(mut self, subject: ResourceTest<B>) -> Self {
        self.resource_tests.push(Arc::new(subject));
        self
    }

    /// With that ephemeral resource type. Its tests are named as in `ephemeral.demo_token/renewal`.
    pub fn ephemeral_resource(mut self, subject: EphemeralResourceTest<B>) -> Self {
        self.ephemeral.push(subject.tests());
        self
    }

    /// Skips a resource type, or an ephemeral one such as `ephemeral.demo_token`, with the reason. It is reported as an
    /// ignored test.
    pub fn skip_resource(mut self, type_name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.left_out.push((type_name.into(), reason.into()));
        self
    }

    /// With a look at what the backend still holds, after everything was destroyed. The closure names what is left.
    pub fn expect_no_leftovers<I>(self, left: impl Fn(&B) -> I + Send + Sync + 'static) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self {
            left: Some(Arc::new(move |backend| left(backend).into_iter().map(Into::into).collect())),
            ..self
        }
    }

    /// All tests, for a test binary that has others besides. The provider is started to find out which there are.
    ///
    /// ```no_run
    /// use std::process::ExitCode;
    /// use ferroform_testing::case::Trials;
    /// # use ferroform_testing::conformance::Conformance;
    /// # fn provider() -> Conformance<()> { unimplemented!() }
    /// # fn older_provider() -> Conformance<()> { unimplemented!() }
    ///
    /// fn main() -> ExitCode {
    ///     let mut trials: Trials = provider().trials();
    ///     trials.append(older_provider().trials());
    ///     trials.main()
    /// }
    /// ```
    pub fn trials(&self) -> Trials {
        let mut trials = Trials::new();
        self.protocols.iter().for_each(|protocol| self.trials_in(*protocol, &mut trials));
        trials
    }

    fn trials_in(&self, protocol: Protocol, trials: &mut Trials) {
        let prefix = match (self.protocols.len(), protocol) {
            (0 | 1, _) => "",
            (_, Protocol::V5) => "protocol 5/",
            (_, Protocol::V6) => "protocol 6/",
        };
        let target = Target::embedded(protocol).to_string();
        let target = if self.provider.is_program() { format!("{target}/program") } else { target };
        trials.others([self.mentioned(prefix, protocol), self.functions(prefix, protocol)]);
        for (type_name, reason) in &self.left_out {
            let row = Row::new(type_name, &target).with(TestResult::NotRun(reason.clone()));
            trials.ignored(format!("{prefix}{type_name}"), row);
        }
        let tests = |trials: &mut Trials, case: String, without: Option<String>, test: Test| {
            let row = Row::new(&case, &target);
            let name = format!("{prefix}{case}");
            match without {
                Some(reason) => trials.ignored(name, row.with(TestResult::Skipped(reason))),
                None => trials.run(name, row, move |_| test().into_result().map_err(Into::into)),
            }
        };
        for subject in self.resource_tests_in(protocol) {
            let bench = Arc::new(Bench::new(self, subject, protocol));
            for rule in Rule::ALL {
                let (bench, case) = (bench.clone(), format!("{}/{rule}", subject.type_name));
                tests(trials, case, subject.without(*rule), Box::new(move || bench.verdict(*rule)));
            }
        }
        for tested in self.ephemeral_in(protocol) {
            let bench = Arc::new(Bench::new(self, &tested.subject, protocol));
            for rule in EphemeralRule::ALL {
                let (bench, case) = (bench.clone(), format!("{}/{rule}", tested.name()));
                tests(trials, case, tested.without(*rule, self.time), Box::new(move || rule.check(&bench)));
            }
        }
    }

    /// The resource types that are tested in a protocol.
    fn resource_tests_in(&self, protocol: Protocol) -> impl Iterator<Item = &Arc<ResourceTest<B>>> {
        self.resource_tests.iter().filter(move |subject| subject.is_in(protocol))
    }

    /// The ephemeral resource types that are tested in a protocol.
    fn ephemeral_in(&self, protocol: Protocol) -> impl Iterator<Item = &NamedEphemeralTest<B>> {
        self.ephemeral.iter().filter(move |tested| tested.subject.is_in(protocol))
    }

    /// The test that no resource type is forgotten.
    fn mentioned(&self, prefix: &str, protocol: Protocol) -> Trial {
        let known = self.resource_tests_in(protocol).map(|subject| subject.type_name.clone());
        let known = known.chain(self.ephemeral_in(protocol).map(NamedEphemeralTest::name));
        let known: Vec<String> = known.chain(self.left_out.iter().map(|(name, _)| name.clone())).collect();
        let backend = Bench::without_resource_test(self, protocol);
        let (provider, _) = self.provider.name();
        Trial::test(format!("{prefix}every resource of {provider} is tested"), move || {
            let types = backend.resource_types()?;
            let forgotten: Vec<String> = types.into_iter().filter(|name| !known.contains(name)).collect();
            if forgotten.is_empty() {
                return Ok(());
            }
            let forgotten = forgotten.join(", ");
            Err(format!("No test for {forgotten}. Add a `ResourceTest`, or a reason with `skip_resource`.")
                .into())
        })
    }

    /// The test that the functions of the provider have a result or an error for all arguments, and the same one for the
    /// same arguments.
    fn functions(&self, prefix: &str, protocol: Protocol) -> Trial {
        let backend = Bench::without_resource_test(self, protocol);
        let (provider, _) = self.provider.name();
        Trial::test(format!("{prefix}every function of {provider} is total and pure"), move || {
            let found = backend.functions()?;
            if found.is_empty() { Ok(()) } else { Err(found.join("\n").into()) }
        })
    }

    /// The result of every rule for every resource, without a test harness. Skipped rules are missing.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for protocol in &self.protocols {
            for subject in self.resource_tests_in(*protocol) {
                let bench = Bench::new(self, subject, *protocol);
                let rules = Rule::ALL.iter().filter(|rule| subject.without(**rule).is_none());
                let name = &subject.type_name;
                findings.extend(rules.map(|rule| Finding::new(name, *rule, bench.verdict(*rule))));
            }
        }
        findings
    }

    /// The same for the rules of every ephemeral resource.
    #[must_use]
    pub fn ephemeral_findings(&self) -> Vec<Finding<EphemeralRule>> {
        let mut findings = Vec::new();
        for protocol in &self.protocols {
            for tested in self.ephemeral_in(*protocol) {
                let bench = Bench::new(self, &tested.subject, *protocol);
                let rules =
                    EphemeralRule::ALL.iter().filter(|rule| tested.without(**rule, self.time).is_none());
                let name = &tested.subject.type_name;
                findings.extend(rules.map(|rule| Finding::new(name, *rule, rule.check(&bench))));
            }
        }
        findings
    }

    /// Runs the tests that the command line asks for, as the `main` of a test binary.
    #[must_use]
    pub fn main(self) -> ExitCode {
        self.trials().main()
    }
}

impl<B> fmt::Debug for Conformance<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conformance").field("provider", &self.provider).finish_non_exhaustive()
    }
}
