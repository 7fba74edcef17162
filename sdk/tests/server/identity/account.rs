//! Objects of an account and a region, which no state holds.

use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Encode as _, Identity, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityContext, IdentityUpgrades, Import, ImportContext, Imported, Moves,
    RawJson, ReadContext, Resource, Source, UpdateContext,
};
use ferroform::testing;
use ferroform::value::Value;

use super::{Host, Stored};

/// The client of one account and one region.
pub(super) struct Api {
    account: String,
    region: String,
}

#[derive(Model)]
pub(super) struct Config {
    account: String,
    region: String,
}

/// The account and the region are those of the provider, unless the user writes them.
#[derive(Identity)]
#[identity(version = 1)]
struct BucketIdentity {
    account: Option<String>,
    region: Option<String>,
    name: String,
}

/// One text, as in release 0.
#[derive(Identity)]
struct BucketIdentityV0 {
    arn: String,
}

#[derive(Model)]
#[model(identity_type = BucketIdentity)]
struct Bucket {
    #[attr(replace)]
    name: String,
    label: Option<String>,
}

impl Resource for Bucket {
    type Client = Api;
    const NAME: &str = "bucket";

    fn identity(cx: &IdentityContext<'_, Self>, bucket: Self) -> Result<BucketIdentity> {
        let stored = cx.stored_identity()?;
        if let Some(BucketIdentity { account: Some(account), region: Some(region), .. }) = stored {
            return Ok(BucketIdentity { account: Some(account), region: Some(region), name: bucket.name });
        }
        let Api { account, region } = cx.client()?;
        Ok(BucketIdentity { account: Some(account.clone()), region: Some(region.clone()), name: bucket.name })
    }

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { name: plan.name, label: plan.label })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let name = match prior.name {
            Some(name) => Some(name),
            None => cx.stored_identity()?.map(|identity| identity.name),
        };
        Ok(name.map(|name| Self { name, label: prior.label }))
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { name: plan.name, label: plan.label })
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }

    async fn import(cx: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        let BucketIdentity { account, name, .. } = from.into_identity()?;
        if account.is_some_and(|account| account != cx.client.account) {
            return Err(Error::new("Wrong Account", "Import the bucket with a provider of its account."));
        }
        Ok(Imported::one(Self { name, label: None }))
    }

    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new().from(|old: BucketIdentityV0| {
            let mut parts = old.arn.splitn(3, ':').map(str::to_owned);
            let (account, region) = (parts.next(), parts.next());
            let name = parts.next().ok_or_else(|| Error::new("Malformed ARN", "It has no name."))?;
            Ok(BucketIdentity { account, region, name })
        })
    }

    /// The folder says in its identity to whom it belongs.
    fn moves() -> Moves<Self> {
        Moves::new().from_json(Source::resource("cloud_folder"), |cx, state| {
            let owner = cx.identity.as_ref().map(RawJson::parse::<serde_json::Value>).transpose()?;
            let name = state.parse::<serde_json::Value>()?["name"].as_str().unwrap_or_default().to_owned();
            cx.target_identity = owner.map(|owner| {
                let text = |key: &str| owner[key].as_str().map(str::to_owned);
                let identity =
                    BucketIdentity { account: text("account"), region: text("region"), name: name.clone() };
                identity.encode()
            });
            Ok(Some(Self { name, label: None }))
        })
    }
}

/// The provider of them.
pub(super) struct Cloud;

impl Provider for Cloud {
    type Config = Config;
    type Client = Api;
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Api> {
        Ok(Api { account: config.account.known()?, region: config.region.known()? })
    }

    fn register(it: &mut Registry<Api>) {
        it.resource::<Bucket>();
    }
}

fn host() -> Host {
    Host::new::<Cloud, Bucket, BucketIdentity>("cloud_bucket")
}

/// A host whose provider has this account and region.
fn of(account: &str, region: &str) -> Host {
    let host = host();
    reconfigure(&host, account, region);
    host
}

fn reconfigure(host: &Host, account: &str, region: &str) {
    let config = [("account", Value::from(account)), ("region", Value::from(region))];
    host.configure(&Config::schema(), &Value::object(config));
}

fn bucket(name: &str, label: impl Into<Value>) -> Value {
    Value::object([("name", Value::from(name)), ("label", label.into())])
}

fn identity(account: Option<&str>, region: Option<&str>, name: &str) -> Option<BucketIdentity> {
    let text = |text: Option<&str>| text.map(str::to_owned);
    Some(BucketIdentity { account: text(account), region: text(region), name: name.to_owned() })
}

const FULL: &str = r#"{"account": "123", "name": "logs", "region": "eu"}"#;

/// Creates the bucket `logs` of account `123` in region `eu`.
fn created() -> (Host, Stored) {
    let (host, none) = (of("123", "eu"), Stored::default());
    let (config, unknown) = (bucket("logs", "a"), bucket("logs", Value::unknown()));
    let (planned, reported) = host.plan(&none, (&unknown, &unknown));
    assert_eq!((host.shown(&planned).as_str(), reported.as_str()), ("none", ""));
    let (planned, reported) = host.plan(&none, (&config, &config));
    assert_eq!((host.shown(&planned).as_str(), reported.as_str()), (FULL, ""));
    let (stored, reported) = host.apply(&none, planned, &config);
    assert_eq!((host.shown(&stored).as_str(), reported.as_str()), (FULL, ""));
    (host, stored)
}

/// Reads, plans an update and applies it: the identity stays.
#[track_caller]
fn stays(host: &Host, mut stored: Stored, expect: &str) {
    assert_eq!((host.read(&mut stored).as_str(), host.shown(&stored).as_str()), ("", expect));
    for config in [bucket("logs", Value::unknown()), bucket("logs", "b")] {
        let (planned, reported) = host.plan(&stored, (&config, &config));
        assert_eq!((reported.as_str(), host.shown(&planned).as_str()), ("", expect));
    }
    let config = bucket("logs", "b");
    let (planned, _) = host.plan(&stored, (&config, &config));
    let (applied, reported) = host.apply(&stored, planned, &config);
    assert_eq!((reported.as_str(), host.shown(&applied).as_str()), ("", expect));
}

#[test]
fn identity_of_client_is_stored_and_kept() {
    testing::check::<Cloud>();
    let (host, stored) = created();
    stays(&host, stored.clone(), FULL);
    // The object stays where it is when the provider looks elsewhere.
    reconfigure(&host, "123", "us");
    stays(&host, stored, FULL);
}

#[test]
fn absent_identity_is_filled_from_client() {
    let host = of("123", "eu");
    let state = bucket("logs", "a");
    stays(&host, host.stored(&state, None::<BucketIdentity>), FULL);
    // Without a read before the plan.
    let stored = host.stored(&state, None::<BucketIdentity>);
    let (planned, reported) = host.plan(&stored, (&bucket("logs", "a"), &state));
    assert_eq!((reported.as_str(), host.shown(&planned).as_str()), ("", FULL));
}

#[test]
fn upgraded_identity_survives_read_plan_and_apply() {
    let host = of("123", "us");
    let (upgraded, reported) = host.upgrade(0, r#"{"arn":"123:eu:logs"}"#);
    assert_eq!(reported, "");
    let stored = Stored { identity: upgraded, ..host.stored(&bucket("logs", "a"), None::<BucketIdentity>) };
    assert_eq!(host.shown(&stored), FULL);
    stays(&host, stored, FULL);
}

#[test]
fn import_fills_what_the_user_leaves_out() {
    let host = of("123", "eu");
    for by in [identity(None, None, "logs"), identity(Some("123"), Some("eu"), "logs")] {
        let (stored, reported) = host.import("", by);
        assert_eq!((reported.as_str(), host.shown(&stored).as_str()), ("", FULL));
        stays(&host, stored, FULL);
    }
    let (stored, reported) = host.import("logs", None::<BucketIdentity>);
    assert_eq!((reported.as_str(), host.shown(&stored).as_str()), ("", FULL));
    // The author sees what the user wrote.
    let (stored, reported) = host.import("", identity(Some("123"), Some("us"), "logs"));
    let elsewhere = r#"{"account": "123", "name": "logs", "region": "us"}"#;
    assert_eq!((reported.as_str(), host.shown(&stored).as_str()), ("", elsewhere));
    let (_, reported) = host.import("", identity(Some("456"), None, "logs"));
    assert_eq!(reported, "error: Wrong Account\n");
}

#[test]
fn move_keeps_identity_of_mover_or_gets_one_by_next_read() {
    let owner = r#"{"account":"123","region":"eu"}"#;
    let host = host();
    let (stored, reported) = host.take("cloud_folder", r#"{"name":"logs"}"#, Some(owner));
    assert_eq!((reported.as_str(), host.shown(&stored).as_str()), ("", FULL));
    // Without its owner and without a client, the identity is not known yet.
    let (other, reported) = host.take("cloud_folder", r#"{"name":"logs"}"#, None);
    assert_eq!((reported.as_str(), host.shown(&other).as_str()), ("", "none"));
    reconfigure(&host, "456", "us");
    stays(&host, stored, FULL);
    stays(&host, other, r#"{"account": "456", "name": "logs", "region": "us"}"#);
}

#[test]
fn new_object_takes_nothing_over_from_the_replaced_one() {
    let (host, stored) = created();
    reconfigure(&host, "123", "us");
    let config = bucket("other", "a");
    let (planned, reported) = host.plan(&stored, (&config, &config));
    let elsewhere = r#"{"account": "123", "name": "other", "region": "us"}"#;
    assert_eq!((reported.as_str(), host.shown(&planned).as_str()), ("", elsewhere));
    let (created, reported) = host.apply(&Stored::default(), planned, &config);
    assert_eq!((reported.as_str(), host.shown(&created).as_str()), ("", elsewhere));
}

#[test]
fn changed_attribute_of_identity_is_refused() {
    let host = of("123", "eu");
    let state = bucket("logs", "a");
    let stored = host.stored(&state, identity(Some("123"), Some("eu"), "other"));
    let (planned, reported) = host.plan(&stored, (&state, &state));
    assert_eq!(reported, "error name: Provider Changed An Identity\n");
    assert_eq!(host.shown(&planned), host.shown(&stored));
}
