//! A sound ephemeral resource keeps all rules, and one that breaks a rule is found to break that one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::clock::Clock;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{
    self, Catalogue, Close, Context, EphemeralContext, EphemeralResource, Open, Renew, phase,
};
use ferroform::path;
use ferroform::private::Private;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::case::{Provider, Start, Time};
use ferroform_testing::config::body;
use ferroform_testing::conformance::{
    Conformance, EphemeralResourceTest, EphemeralRule, ServiceFaults, Verdict,
};

const LEASE: Duration = Duration::from_secs(60);

/// The leases that are granted with the time at which they expire, and which rule is broken. Clones share them.
#[derive(Clone)]
struct Vault {
    leases: Arc<Mutex<BTreeMap<String, SystemTime>>>,
    rule: Option<EphemeralRule>,
    /// Whether a close that is stopped forgets what it was to close.
    forgetful: bool,
    clock: Clock,
    service_faults: ServiceFaults,
}

impl Vault {
    fn new(start: &Start, (rule, forgetful): (Option<EphemeralRule>, bool)) -> Self {
        Self {
            leases: Arc::default(),
            rule,
            forgetful,
            clock: start.clock(),
            service_faults: ServiceFaults::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, SystemTime>> {
        self.leases.lock().expect("no panic before")
    }

    fn ids(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Whether the token of a result is accepted.
    fn accepts(&self, result: &Value) -> bool {
        let token = result.get(&path!(token)).and_then(Value::as_str).unwrap_or_default();
        let lease = token.strip_prefix("token-of-").unwrap_or_default();
        self.lock().get(lease).is_some_and(|expires| self.clock.now() < *expires)
    }

    fn breaks(&self, rule: EphemeralRule) -> bool {
        self.rule == Some(rule)
    }
}

fn record(lease: &str) -> Result<Private> {
    let mut private = Private::default();
    private.set("lease", &lease)?;
    Ok(private)
}

fn recorded(private: &Private) -> Result<String> {
    private.get("lease")?.ok_or_else(|| Error::new("No Lease", "The record names none."))
}

#[async_trait]
impl EphemeralResource for Vault {
    fn schema(&self) -> Schema {
        let token = Attribute::computed("token", Type::String).sensitive();
        let attributes = vec![Attribute::required("role", Type::String), token];
        Schema::new(Block::new(attributes))
    }

    async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value> {
        self.service_faults.wait().await?;
        let role = config.get(&path!(role)).cloned().unwrap_or(Value::Null);
        let lease = format!("lease-{}", self.lock().len());
        self.lock().insert(lease.clone(), self.clock.now() + LEASE);
        if self.breaks(EphemeralRule::Stop) {
            tokio::task::yield_now().await;
            if cx.cancellation.is_cancelled() {
                return Err(Error::new("Stopped", "Nothing is recorded yet."));
            }
        }
        if !self.breaks(EphemeralRule::ServiceFaults) {
            cx.record(record(&lease)?);
        }
        self.service_faults.wait().await?;
        cx.record(record(&lease)?);
        if cx.cancellation.is_cancelled() {
            return Err(Error::new("Stopped", "The lease is recorded."));
        }
        cx.renew_after(if self.breaks(EphemeralRule::Renewal) { LEASE * 2 } else { LEASE / 2 });
        let token = format!("token-of-{lease}");
        if self.breaks(EphemeralRule::Secrecy) {
            cx.warn("Weak Token", format!("The token {token} is weak."));
        }
        Ok(Value::object([("role", role), ("token", Value::from(token))]))
    }

    async fn renew(&self, cx: &mut EphemeralContext<Renew>, private: Private) -> Result {
        self.service_faults.wait().await?;
        let expires = self.clock.now() + LEASE;
        match self.lock().get_mut(&recorded(&private)?) {
            Some(lease) => *lease = expires,
            None => return Err(Error::new("Not Found", "There is no such lease.")),
        }
        cx.renew_after(LEASE / 2);
        Ok(())
    }

    async fn close(&self, cx: &mut EphemeralContext<Close>, private: Private) -> Result {
        let lost = "lost".to_owned();
        if self.lock().contains_key(&lost) {
            return Ok(());
        }
        self.service_faults.wait().await?;
        if self.forgetful && cx.cancellation.is_cancelled() {
            self.lock().insert(lost, self.clock.now());
            return Err(Error::new("Stopped", "The lease is not closed."));
        }
        if self.breaks(EphemeralRule::OpenAndClose) {
            return Ok(());
        }
        match self.lock().remove(&recorded(&private)?) {
            None if self.breaks(EphemeralRule::CallFaults) => {
                Err(Error::new("Not Found", "There is no such lease."))
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl dynamic::Provider for Vault {
    fn name(&self) -> &str {
        "vault"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let lease: Arc<dyn EphemeralResource> = Arc::new(self.clone());
        Catalogue::new().with("vault_lease", lease)
    }
}

fn conformance(rule: Option<EphemeralRule>, forgetful: bool) -> Conformance<Vault> {
    let serve = |vault: &Vault| {
        let provider: Arc<dyn dynamic::Provider> = Arc::new(vault.clone());
        Serve::new(provider).clock(vault.clock.clone())
    };
    let lease = EphemeralResourceTest::new("vault_lease", |_: &Vault| body().set("role", "ci"))
        .valid(Vault::accepts)
        .service_faults(|vault| vault.service_faults.clone());
    Conformance::new(Provider::in_process("example.com/ferroform/vault", serve), move |start: &Start| {
        let rule = (rule, forgetful);
        Vault::new(start, rule)
    })
    .time(Time::Virtual)
    .ephemeral_resource(lease)
    .expect_no_leftovers(Vault::ids)
}

fn check(rule: Option<EphemeralRule>, broken: &[EphemeralRule]) {
    found(&conformance(rule, false), broken);
}

/// What is broken, and what cannot be checked therefore.
fn found(conformance: &Conformance<Vault>, broken: &[EphemeralRule]) {
    let findings = conformance.ephemeral_findings();
    assert_eq!(findings.len(), EphemeralRule::ALL.len());
    let found: Vec<EphemeralRule> =
        findings.iter().filter(|it| matches!(it.verdict, Verdict::Violated(_))).map(|it| it.rule).collect();
    assert_eq!(found, broken, "{findings:#?}");
    let unchecked = findings.iter().any(|it| matches!(it.verdict, Verdict::NotChecked(_)));
    assert!(!(unchecked && broken.is_empty()), "{findings:#?}");
}

#[test]
fn a_sound_ephemeral_resource_keeps_all_rules() {
    check(None, &[]);
}

/// The first close reports an error, so that another one has to close.
#[test]
fn a_stopped_close_that_does_nothing_when_it_is_repeated_violates_a_rule() {
    found(&conformance(None, true), &[EphemeralRule::Stop]);
}

/// A test for each rule.
macro_rules! violations {
    ($($test:ident: $rule:ident,)*) => {
        $(#[test]
        fn $test() {
            check(Some(EphemeralRule::$rule), &[EphemeralRule::$rule]);
        })*

        #[test]
        fn each_rule_is_violated_once() {
            assert_eq!([$(EphemeralRule::$rule),*], *EphemeralRule::ALL);
        }
    };
}

violations! {
    open_and_close: OpenAndClose,
    renewal: Renewal,
    call_faults: CallFaults,
    stop: Stop,
    service_faults: ServiceFaults,
    secrecy: Secrecy,
}
