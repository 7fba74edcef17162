//! Where a rule is checked: backends, cores and clients for one resource type.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ferroform::clock::Clock;
use ferroform::path::Path;
use ferroform::schema::Schema;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_proto::tfplugin6 as proto;
use prost::Message as _;
use tokio::runtime::Runtime;

use super::ephemeral::named;
use super::proxy::FaultProxy;
use super::resource_test::ResourceTest;
use super::rule::{Verdict, not_checked};
use super::service_fault::ServiceFaults;
use super::{Conformance, Rule};
use crate::address::{InstanceAddress, Mode, ProviderAddress};
use crate::case::{ClockControl, Start, Time, runtime};
use crate::client::{self, ApplyRequest, Provider, StoredObject, Transcript};
use crate::config::{Body, Config, ephemeral, resource};
use crate::diagnostic::Diagnostic;
use crate::embedded::{Core, Launching, PlanOptions};
use crate::function;
use crate::generate::Generator;
use crate::plan::Plan;
use crate::state::{Object, State};

/// The name of the resource under test in configurations.
pub(super) const NAME: &str = "this";

/// How long a call may take, so that a provider that hangs is found out. Virtual time costs nothing.
fn limit(time: Time) -> Duration {
    Duration::from_secs(if time == Time::Virtual { 7 * 24 * 3600 } else { 20 })
}

/// What the rules of a resource type are checked with. Each check makes as many stages as it needs.
pub(super) struct Bench {
    open: Box<dyn Fn(Start) -> Result<Stage, String> + Send + Sync>,
    time: Time,
    pub(super) import_id: Option<Path>,
    pub(super) import_except: Vec<Path>,
    pub(super) must_be_known: Vec<Path>,
    pub(super) dependants: Vec<(Path, Vec<Path>)>,
    pub(super) generator: Generator,
    pub(super) cases: u32,
    pub(super) is_deleted_by_provider: bool,
    excepted: Vec<Rule>,
    /// What came of the rules that were checked.
    verdicts: Mutex<HashMap<Rule, Verdict>>,
}

/// Whether the service accepts the result of an ephemeral resource.
type Valid = Box<dyn Fn(&Value) -> bool + Send + Sync>;

/// Something that is done to the object behind core's back.
type Act = Box<dyn Fn(&Value) + Send + Sync>;

/// What the backend still holds that it should not.
type LeftoversFn = Box<dyn Fn() -> Vec<String> + Send + Sync>;

/// A backend with a core, and what the state of it is so far.
pub(super) struct Stage {
    pub(super) core: Core,
    pub(super) address: ProviderAddress,
    pub(super) state: State,
    pub(super) proxy: FaultProxy,
    pub(super) transcript: Transcript,
    pub(super) minimal: Body,
    pub(super) changed: Option<Body>,
    pub(super) type_name: String,
    launch: Arc<dyn Fn() -> Launching<'static> + Send + Sync>,
    around: Config,
    prerequisites: Config,
    pub(super) service_faults: Option<ServiceFaults>,
    delete_outside: Option<Act>,
    drift: Option<Act>,
    valid: Option<Valid>,
    left: Option<LeftoversFn>,
    pub(super) clock: Clock,
    /// Its directory lives as long as the stage.
    _start: Arc<Start>,
}

impl Bench {
    pub(super) fn new<B: Send + Sync + 'static>(
        it: &Conformance<B>,
        subject: &Arc<ResourceTest<B>>,
        protocol: crate::client::Protocol,
    ) -> Self {
        let (make, provider, configured) = (it.make.clone(), it.provider.clone(), it.provider_config.clone());
        let (left, test_of, time) = (it.left.clone(), subject.clone(), it.time);
        let open = move |start: Start| {
            let backend = Arc::new(make(&start));
            let (name, address) = provider.name();
            let mut around = Config::new();
            around.required_providers.push((name.to_owned(), address.clone()));
            around.providers.extend(configured.as_ref().map(|block| block(&backend)));
            let service_faults =
                test_of.service_faults.as_ref().map(|service_faults| service_faults(&backend));
            let prerequisites = test_of.prerequisites.as_ref().map(|it| it(&backend)).unwrap_or_default();
            let (proxy, transcript) = (FaultProxy::of(service_faults.clone()), Transcript::default());
            let (provider_of, proxy_of, transcript_of) =
                (provider.clone(), proxy.clone(), transcript.clone());
            let world_of = backend.clone();
            let launch: Arc<dyn Fn() -> Launching<'static> + Send + Sync> = Arc::new(move || {
                let (provider, backend) = (provider_of.clone(), world_of.clone());
                let (proxy, transcript) = (proxy_of.clone(), transcript_of.clone());
                Box::pin(
                    async move { Ok(proxy.client(provider.start(&backend, protocol).await?, &transcript)) },
                )
            });
            let starts = launch.clone();
            let core = Core::new().with_clock(start.clock()).with_call_limit(limit(time)).with_provider(
                name,
                address.clone(),
                move || starts(),
            );
            let act = |act: &Option<super::resource_test::Act<B>>| {
                let (act, backend) = (act.clone()?, backend.clone());
                Some(Box::new(move |object: &Value| act(&backend, object)) as Act)
            };
            let valid = test_of.valid.clone().map(|valid| {
                let backend = backend.clone();
                Box::new(move |result: &Value| valid(&backend, result)) as Valid
            });
            let left = left.clone().map(|left| {
                let backend = backend.clone();
                Box::new(move || left(&backend)) as LeftoversFn
            });
            Ok(Stage {
                core,
                address: address.clone(),
                state: State::default(),
                proxy,
                transcript,
                minimal: (test_of.minimal)(&backend),
                changed: test_of.changed.as_ref().map(|changed| changed(&backend)),
                type_name: test_of.type_name.clone(),
                launch,
                around,
                prerequisites,
                service_faults,
                delete_outside: act(&test_of.delete_outside),
                drift: act(&test_of.drift),
                valid,
                left,
                clock: start.clock(),
                _start: Arc::new(start),
            })
        };
        Self {
            open: Box::new(open),
            time: it.time,
            import_id: subject.import_id.clone(),
            import_except: subject.import_except.clone(),
            must_be_known: subject.must_be_known.clone(),
            dependants: subject.dependants.clone(),
            generator: subject.generator.clone(),
            cases: subject.cases,
            is_deleted_by_provider: subject.delete_outside.is_none(),
            excepted: Rule::ALL.iter().copied().filter(|rule| subject.without(*rule).is_some()).collect(),
            verdicts: Mutex::default(),
        }
    }

    /// For what is about the provider as a whole.
    pub(super) fn without_resource_test<B: Send + Sync + 'static>(
        it: &Conformance<B>,
        protocol: crate::client::Protocol,
    ) -> Self {
        Self::new(it, &Arc::new(ResourceTest::new("", |_| Body::default())), protocol)
    }

    /// The resource types that the provider has, and the ephemeral ones.
    pub(super) fn resource_types(&self) -> Result<Vec<String>, String> {
        self.asked(async |stage| {
            let provider = stage.unconfigured().await?;
            let schemas = provider.schemas();
            let ephemeral = schemas.ephemeral_resources.keys().map(|name| named(name));
            Ok(schemas.resources.keys().cloned().chain(ephemeral).collect())
        })
    }

    /// How the functions of the provider are not total, or not pure, one in a line.
    pub(super) fn functions(&self) -> Result<Vec<String>, String> {
        self.asked(async |stage| {
            let provider = stage.unconfigured().await?;
            let mut found = Vec::new();
            for name in provider.schemas().functions.keys() {
                let violation = function::violation(&provider, name).await;
                found.extend(violation.map(|violation| format!("{name}: {violation}")));
            }
            Ok(found)
        })
    }

    /// What a provider says that has no object; the error is text for people.
    fn asked<T>(&self, ask: impl AsyncFnOnce(&mut Stage) -> Result<T, Verdict>) -> Result<T, String> {
        self.run(ask).map_err(|verdict| verdict.into_result().err().unwrap_or_default())
    }

    /// Whether a rule holds. It is checked once.
    pub(super) fn verdict(&self, rule: Rule) -> Verdict {
        let known = self.verdicts().get(&rule).cloned();
        known.unwrap_or_else(|| {
            let verdict = rule.check(self);
            self.verdicts().insert(rule, verdict.clone());
            verdict
        })
    }

    fn verdicts(&self) -> MutexGuard<'_, HashMap<Rule, Verdict>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That a rule holds, without which another cannot be checked. One that is left out counts as held.
    pub(super) fn needs(&self, rule: Rule) -> Result<(), Verdict> {
        if self.excepted.contains(&rule) || self.verdict(rule) == Verdict::Holds {
            return Ok(());
        }
        Err(not_checked(format!("the rule `{rule}` does not hold; see the test of it")))
    }

    /// Does something on a new stage.
    pub(super) fn run<T>(
        &self,
        act: impl AsyncFnOnce(&mut Stage) -> Result<T, Verdict>,
    ) -> Result<T, Verdict> {
        let (runtime, mut stage) = self.open()?;
        runtime.block_on(async { self.limited(act(&mut stage)).await })?
    }

    /// What comes of work that has to end.
    pub(super) async fn limited<T>(&self, work: impl Future<Output = T>) -> Result<T, Verdict> {
        let limit = limit(self.time) * 3;
        let hangs = |_| Verdict::Violated(format!("the provider does not answer, not even within {limit:?}"));
        tokio::time::timeout(limit, work).await.map_err(hangs)
    }

    /// A new stage, and what it runs on.
    pub(super) fn open(&self) -> Result<(Runtime, Stage), Verdict> {
        let runtime = runtime(self.time).map_err(not_checked)?;
        let entered = runtime.enter();
        let (_, clock) = ClockControl::clock(self.time);
        let start =
            Start::new(clock).map_err(|error| not_checked(format!("there is no directory: {error}")))?;
        let stage = (self.open)(start).map_err(not_checked)?;
        drop(entered);
        Ok((runtime, stage))
    }
}

impl Stage {
    /// The whole configuration, with that one of the resource under test.
    pub(super) fn config(&self, body: &Body) -> Config {
        self.config_of(&[(NAME, body)])
    }

    /// The same with several resources of that type under names of their own.
    pub(super) fn config_of(&self, bodies: &[(&str, &Body)]) -> Config {
        bodies.iter().fold(self.without_it(), |config, (name, body)| {
            let mut block = resource(&self.type_name, name);
            block.body = (*body).clone();
            config.resource(block)
        })
    }

    /// The whole configuration, with the smallest one of the ephemeral resource under test.
    pub(super) fn ephemeral(&self) -> Config {
        let mut block = ephemeral(&self.type_name, NAME);
        block.body = self.minimal.clone();
        self.without_it().resource(block)
    }

    /// The whole configuration but the resource under test.
    fn without_it(&self) -> Config {
        let mut config = self.around.clone();
        config.providers.extend(self.prerequisites.providers.iter().cloned());
        config.resources.extend(self.prerequisites.resources.iter().cloned());
        config.required_providers.extend(self.prerequisites.required_providers.iter().cloned());
        config
    }

    /// The address of the resource under test.
    pub(super) fn this(&self) -> InstanceAddress {
        resource(&self.type_name, NAME).address.into()
    }

    pub(super) async fn plan(&self, body: &Body, options: &PlanOptions) -> Plan {
        self.core.plan(&self.config(body), &self.state, options).await
    }

    /// Plans and applies, and takes the new state. The errors are those of either.
    pub(super) async fn apply(&mut self, body: &Body) -> Result<Plan, String> {
        let plan = self.plan(body, &PlanOptions::default()).await;
        self.make(&plan).await?;
        Ok(plan)
    }

    /// Applies the smallest configuration, for rules that begin after that.
    pub(super) async fn created(&mut self) -> Result<Object, Verdict> {
        let minimal = self.minimal.clone();
        let applied = self.apply(&minimal).await;
        applied
            .map_err(|error| not_checked(format!("the smallest configuration is not applied: {error}")))?;
        self.object()
    }

    /// What the state has of the resource under test.
    pub(super) fn object(&self) -> Result<Object, Verdict> {
        let object = self.state.object(&self.this()).cloned();
        object.ok_or_else(|| not_checked(format!("there is no {} in the state", self.this())))
    }

    pub(super) async fn destroy(&mut self, body: &Body) -> Result<(), String> {
        let config = self.config(body);
        let outcome = self.core.destroy(&config, &self.state, &PlanOptions::default()).await;
        self.state = outcome.state;
        errors(&outcome.diagnostics)
    }

    /// Applies all but the resource under test, which is destroyed if it is there.
    pub(super) async fn leave_it_out(&mut self) -> Result<(), String> {
        let plan = self.core.plan(&self.without_it(), &self.state, &PlanOptions::default()).await;
        self.make(&plan).await
    }

    /// Applies a plan and takes the new state.
    pub(super) async fn make(&mut self, plan: &Plan) -> Result<(), String> {
        errors(&plan.diagnostics)?;
        let outcome = self.core.apply(plan).await;
        self.state = outcome.state;
        errors(&outcome.diagnostics)
    }

    /// How many managed objects the state has: that under test, and those beside it.
    pub(super) fn objects(&self) -> usize {
        let managed = self.state.resources.iter().filter(|(address, _)| address.mode == Mode::Managed);
        managed.map(|(_, resource)| resource.instances.len()).sum()
    }

    /// What the backend still has, if there is a way to know.
    pub(super) fn left(&self) -> Vec<String> {
        self.left.as_ref().map(|left| left()).unwrap_or_default()
    }

    /// Makes the object vanish behind core's back.
    pub(super) async fn delete_outside(&mut self) -> Result<(), Verdict> {
        let provider = self.provider().await?;
        let stored = self.stored(&provider)?;
        match &self.delete_outside {
            Some(vanish) => vanish(&stored.value),
            None => delete(&provider, &self.type_name, &stored).await.map_err(not_checked)?,
        }
        Ok(())
    }

    /// Changes the object behind core's back.
    pub(super) fn drift(&self, object: &Value) {
        if let Some(drift) = &self.drift {
            drift(object);
        }
    }

    /// Whether the service accepts the result of an ephemeral resource, if there is a way to know.
    pub(super) fn valid(&self, result: &Value) -> Option<bool> {
        self.valid.as_ref().map(|valid| valid(result))
    }

    /// The object of the state with what core keeps beside it.
    pub(super) fn stored(&self, provider: &Provider) -> Result<StoredObject, Verdict> {
        let object = self.object()?;
        let readable = |error: crate::state::StateError| not_checked(error.to_string());
        let identity = provider.identity(&self.type_name);
        Ok(StoredObject {
            value: object.value(schema(provider, &self.type_name)?).map_err(readable)?,
            private: object.private.clone(),
            identity: match identity {
                Some(schema) => object.identity_value(schema).map_err(readable)?,
                None => None,
            },
        })
    }

    /// An instance of the provider that is configured as core configures it.
    pub(super) async fn provider(&self) -> Result<Provider, Verdict> {
        let provider = self.unconfigured().await?;
        if let Some(request) = self.proxy.request("ConfigureProvider") {
            let request = proto::configure_provider::Request::decode(request).unwrap_or_default();
            let answer = provider.client().configure_provider(request).await;
            answer.map_err(|error| not_checked(error.to_string()))?;
        }
        Ok(provider)
    }

    async fn unconfigured(&self) -> Result<Provider, Verdict> {
        let failed = |error: client::Error| not_checked(error.to_string());
        let client = (self.launch)().await.map_err(failed)?;
        Provider::connect(client).await.map_err(failed)
    }

    /// A provider, and the configuration of the resource under test as the provider gets it, when all that is beside
    /// it is there and it is not.
    pub(super) async fn known(&mut self, body: &Body) -> Result<(Provider, Value), Verdict> {
        self.leave_it_out().await.map_err(|error| not_checked(format!("what is beside it: {error}")))?;
        let unconfigured = self.unconfigured().await?;
        let config = self.planned_config(&unconfigured, body).await?;
        Ok((self.provider().await?, config))
    }

    /// The same for the smallest configuration.
    pub(super) async fn smallest(&mut self) -> Result<(Provider, Value), Verdict> {
        let minimal = self.minimal.clone();
        self.known(&minimal).await
    }

    /// The configuration as the provider gets it in a plan of it. The plan is targeted, since [`Self::seen_config`] takes the
    /// last request to plan, which could be about a resource beside it.
    pub(super) async fn planned_config(&self, provider: &Provider, body: &Body) -> Result<Value, Verdict> {
        let mut options = PlanOptions::default();
        options.targets.push(self.this().into());
        let plan = self.plan(body, &options).await;
        errors(&plan.diagnostics)
            .map_err(|error| not_checked(format!("the configuration is not planned: {error}")))?;
        self.seen_config(provider)
    }

    /// The configuration in the last plan.
    fn seen_config(&self, provider: &Provider) -> Result<Value, Verdict> {
        let request = self.proxy.request("PlanResourceChange").unwrap_or_default();
        let request = proto::plan_resource_change::Request::decode(request).unwrap_or_default();
        let ty = schema(provider, &self.type_name)?.ty();
        decode(request.config.as_ref(), &ty).map_err(not_checked)
    }
}

/// The schema of a resource type.
pub(super) fn schema<'p>(provider: &'p Provider, type_name: &str) -> Result<&'p Schema, Verdict> {
    provider.resource(type_name).map_err(|error| not_checked(error.to_string()))
}

/// Deletes an object by its provider.
pub(super) async fn delete(
    provider: &Provider,
    type_name: &str,
    object: &StoredObject,
) -> Result<(), String> {
    let planned = StoredObject { private: object.private.clone(), ..StoredObject::none() };
    let request = ApplyRequest { prior: &object.value, planned: &planned, config: &Value::Null };
    let applied = provider.apply(type_name, request).await.map_err(|error| error.to_string())?;
    match applied.diagnostics.into_iter().find(ferroform::diag::Diagnostic::is_error) {
        Some(error) => Err(error.to_string()),
        None => Ok(()),
    }
}

pub(super) fn decode(value: Option<&proto::DynamicValue>, ty: &Type) -> Result<Value, String> {
    let bytes = value.map(|value| value.msgpack.clone()).unwrap_or_default();
    if bytes.is_empty() {
        return Err("the provider was not asked for it".to_owned());
    }
    msgpack::decode(&bytes, ty).map_err(|error| error.to_string())
}

/// The errors among diagnostics, as text; what the provider says in them is not to have secrets.
pub(super) fn errors(diagnostics: &[Diagnostic]) -> Result<(), String> {
    let errors: Vec<String> = diagnostics.iter().filter(|it| it.is_error()).map(shown).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

fn shown(it: &Diagnostic) -> String {
    let place = it.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
    format!("{place}{}. {}", it.summary, it.detail)
}
