//! Attributes of types of other crates, and enums of which exactly one member is set, on every core.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ferroform::model::AsText;
use ferroform::path::Path;
use ferroform::prelude::*;
use ferroform_testing::case::{
    Captured, Case, DiagnosticCheck, Provider as CaseProvider, RunsOn, Step, change, error, is, no_changes,
    no_object, object,
};
use ferroform_testing::config::{
    Body, Config, Expr, ResourceBlock, body, list, object as members, reference, resource,
};
use ferroform_testing::plan::Action;
use ipnet::IpNet;
use jiff::Timestamp;
use serde_json::json;
use url::Url;
use uuid::Uuid;

use super::stored;

struct Net;

impl Provider for Net {
    type Config = ();
    type Client = ();
    const NAME: &str = "net";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Endpoint>();
    }
}

/// With an enum in an attribute, which needs protocol 6.
struct Net6;

impl Provider for Net6 {
    type Config = ();
    type Client = ();
    const NAME: &str = "net";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        Net::register(it);
        it.resource::<Route>();
    }
}

#[derive(Model, Clone)]
struct Endpoint {
    #[attr(computed, identity, with = AsText)]
    id: Uuid,
    #[attr(with = AsText)]
    url: Url,
    #[attr(with = AsText)]
    networks: Option<Vec<IpNet>>,
    #[attr(with = AsText)]
    expires: Option<Timestamp>,
    #[attr(block)]
    rule: Vec<Rule>,
}

/// What an endpoint does with a call.
#[derive(AttributeValue, Clone)]
enum Rule {
    Allow(String),
    #[attr(name = "calls_per_second")]
    Limit(u16),
}

#[derive(Model, Clone)]
struct Route {
    #[attr(computed, identity, with = AsText)]
    id: Uuid,
    target: Target,
}

/// Where messages go.
#[derive(AttributeValue, Clone)]
enum Target {
    /// A URL that is called.
    Url(String),
    Queue(Queue),
}

#[derive(Model, Clone)]
#[model(nested)]
struct Queue {
    name: String,
    retries: Option<u8>,
}

/// The endpoints of all runs.
static ENDPOINTS: Mutex<BTreeMap<Uuid, Endpoint>> = Mutex::new(BTreeMap::new());

fn endpoints() -> MutexGuard<'static, BTreeMap<Uuid, Endpoint>> {
    ENDPOINTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An ID that no object of another run has.
fn new_id() -> Uuid {
    static LAST: AtomicU64 = AtomicU64::new(0);
    Uuid::from_u64_pair(0x67e5_5044_10b1_426f, LAST.fetch_add(1, Ordering::Relaxed))
}

/// The service shows each value as its type prints it.
impl Resource for Endpoint {
    type Client = ();
    const NAME: &str = "endpoint";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let made = EndpointPlanned { id: new_id().into(), ..plan }.into_model()?;
        endpoints().insert(made.id, made.clone());
        Ok(made)
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(endpoints().get(&prior.id).cloned())
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let changed = plan.into_model()?;
        endpoints().insert(prior.id, changed.clone());
        Ok(changed)
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        endpoints().remove(&prior.id);
        Ok(())
    }
}

/// It lives in the state only.
impl Resource for Route {
    type Client = ();
    const NAME: &str = "route";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        RoutePlanned { id: new_id().into(), ..plan }.into_model()
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        plan.into_model()
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![lifecycle(), wrong_texts(), stored_text(), members_of_a_block(), members_of_an_attribute()]
}

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(CaseProvider::of::<Net>("example.com/ferroform/net"))
}

const A: &str = "net_endpoint.a";
const ID: Captured = Captured::new("the id");

fn endpoint(url: &str) -> ResourceBlock {
    resource("net_endpoint", "a")
        .set("url", url)
        .set("networks", list(["10.0.0.0/8", "2001:DB8::/32"]))
        .set("expires", "2030-01-01T02:00:00+02:00")
}

fn config(endpoint: ResourceBlock) -> Config {
    Config::new().resource(endpoint)
}

/// What means the same is no change, and an import shows what the service shows.
fn lifecycle() -> Case<()> {
    let same = || endpoint("HTTPS://Example.com").block("rule", body().set("allow", "all"));
    let canonical = || {
        resource("net_endpoint", "a")
            .set("url", "https://example.com/")
            .set("networks", list(["10.0.0.0/8", "2001:db8::/32"]))
            .set("expires", "2030-01-01T00:00:00Z")
            .block("rule", body().set("allow", "all"))
    };
    case("types of other crates")
        .runs_on(RunsOn::MatrixInTurns)
        .step(
            Step::apply(config(same()))
                .plan(change(A).after(path!(id), is::unknown()))
                .state(object(A).has(path!(url), "HTTPS://Example.com"))
                .state(object(A).has(path!(networks), is::list(["10.0.0.0/8", "2001:DB8::/32"])))
                .state(object(A).has(path!(expires), "2030-01-01T02:00:00+02:00"))
                .state(object(A).has(path!(id), is::text_that("a UUID", |id| id.parse::<Uuid>().is_ok()))),
        )
        .step(Step::plan_only(config(canonical())).plan(no_changes()))
        // What did not change keeps its representation in the state.
        .step(
            Step::apply(config(canonical().set("expires", "2031-01-01T00:00:00Z")))
                .plan(change(A).action(Action::Update))
                .state(object(A).has(path!(url), "HTTPS://Example.com"))
                .capture(&ID, A, path!(id)),
        )
        .step(
            Step::import_id(config(canonical().set("expires", "2031-01-01T00:00:00Z")), A, &ID)
                .except(path!(url))
                .except(path!(networks)),
        )
        .step(Step::destroy().state(no_object(A)))
}

/// A text that does not parse, in a list as well; the object stays as it is.
fn wrong_texts() -> Case<()> {
    let refused = |endpoint: ResourceBlock, at: Path, what: &str| {
        let expected = error("Invalid Value").at(at).detail(format!("The value must be {what}, such as"));
        Step::apply(config(endpoint))
            .expect(expected.times(1))
            .state(object(A).has(path!(url), "https://example.com/").ready())
    };
    let right = || endpoint("https://example.com/");
    case("texts that types of other crates reject")
        .step(Step::apply(config(right())))
        .step(refused(endpoint("no url"), path!(url), "an absolute URL"))
        .step(refused(
            right().set("networks", list(["10.0.0.0/8", "10.0.0.0/33"])),
            path!(networks[1]),
            "an IP address with a prefix length",
        ))
        .step(refused(right().set("expires", "tomorrow"), path!(expires), "a time by RFC 3339"))
        .step(Step::plan_only(config(right())).plan(no_changes()))
}

/// A stored text that does not parse, of another release for instance: nothing is lost.
fn stored_text() -> Case<()> {
    let attributes = json!({
        "id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "url": "https://example.com/", "networks": ["many"],
        "expires": null, "rule": [],
    });
    case("stored text that a type of another crate rejects")
        .step(Step::state_file(stored::object_a("net_endpoint", &attributes)))
        .step(
            Step::plan_only(config(endpoint("https://example.com/")))
                .expect(error("Invalid Value").at(path!(networks[0])).times(1))
                .state(object(A).has(path!(networks), is::list(["many"]))),
        )
        .step(Step::forget(A))
}

/// The errors about an object with members that exclude each other.
fn exclusive(found: &str, remedy: &str) -> DiagnosticCheck {
    error("Invalid Attribute Combination").detail(found).detail(remedy)
}

fn members_of_a_block() -> Case<()> {
    let rule = |rule: Body| config(endpoint("https://example.com/").block("rule", rule));
    let stored =
        || object(A).has(path!(rule[0].allow), "all").has(path!(rule[0].calls_per_second), is::null());
    case("members that exclude each other, in a block")
        .step(Step::apply(rule(body().set("allow", "all"))).state(stored()))
        .step(
            Step::apply(rule(body())).expect(exclusive("none", "Set one").at(path!(rule[0]))).state(stored()),
        )
        .step(
            Step::apply(rule(body().set("allow", "all").set("calls_per_second", 3)))
                .expect(exclusive("several", "Keep one").at(path!(rule[0])))
                .state(stored()),
        )
        .step(
            Step::apply(rule(body().set("calls_per_second", 3)))
                .plan(change(A).action(Action::Update))
                .state(object(A).has(path!(rule[0].calls_per_second), 3)),
        )
}

const ROUTE: &str = "net_route.a";

fn members_of_an_attribute() -> Case<()> {
    let route = |target: Expr| {
        let route = resource("net_route", "a").set("target", target);
        config(endpoint("https://example.com/")).resource(route)
    };
    let queue = |name: Expr| members([("queue", members([("name", name)]))]);
    let stored = || object(ROUTE).has(path!(target.queue.name), "q").has(path!(target.url), is::null());
    Case::new("members that exclude each other, in an attribute")
        .runs_on(RunsOn::MatrixInTurns)
        .provider(CaseProvider::of::<Net6>("example.com/ferroform/net"))
        .step(Step::apply(route(queue("q".into()))).state(stored()))
        .step(
            Step::apply(route(members::<&str, Expr>([])))
                .expect(exclusive("none", "Set one").at(path!(target)))
                .state(stored()),
        )
        .step(
            Step::apply(route(members([
                ("url", Expr::from("u")),
                ("queue", members([("name", Expr::from("q"))])),
            ])))
            .expect(exclusive("several", "Keep one").at(path!(target)))
            .state(stored()),
        )
        // A member that is not known yet is set all the same.
        .step(
            Step::apply(
                Config::new()
                    .resource(resource("net_endpoint", "b").set("url", "https://example.org/"))
                    .resource(
                        resource("net_route", "a")
                            .set("target", members([("url", reference("net_endpoint.b.id"))])),
                    ),
            )
            .plan(
                change(ROUTE).after(path!(target.url), is::unknown()).after(path!(target.queue), is::null()),
            )
            .state(object(ROUTE).has(path!(target.queue), is::null()).has(path!(target.url), is::not_null())),
        )
}
