//! List resources: `ValidateListResourceConfig` and `ListResource`, typed and dynamic.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use async_trait::async_trait;
use ferroform::cancel::Canceller;
use ferroform::diag::{Diagnostic, Diagnostics, Error, Result};
use ferroform::dynamic::ValidateContext;
use ferroform::dynamic::{self, Catalogue, ListContext, ListedObject, ResourceSchemas};
use ferroform::list_resource::{Context, Item, ListResource};
use ferroform::model::{Attr, Draft, Model, Planned, Prior, WriteOnly};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{self, Resource};
use ferroform::schema::{Attribute, Block, IdentityAttribute, IdentitySchema, Kind, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    Call, ConfigureProviderRequest, DynamicValue, EventStream, GetMetadataRequest, GetProviderSchemaRequest,
    Handler, ListResourceRequest, ListedResource, ValidateListResourceConfigRequest,
};
use ferroform_server::server::Server;
use futures_core::Stream;
use tokio::sync::Notify;

use crate::server::support::{
    Offering, Thing, ask, block_on, details, encoded_by, message, response, summaries,
};

/// The names of the buckets.
struct Api(Vec<&'static str>);

/// A bucket.
#[derive(Model)]
struct Bucket {
    #[attr(replace, identity)]
    name: String,
    #[attr(computed)]
    size: u64,
    secret: WriteOnly<Option<String>>,
}

impl Resource for Bucket {
    type Client = Api;
    const NAME: &str = "bucket";

    async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        unreachable!("nothing is created")
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        _: Planned<Self>,
    ) -> Result<Self> {
        unreachable!("nothing is updated")
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// Lists buckets.
#[derive(Model)]
struct Buckets {
    prefix: Option<String>,
    #[attr(default = "/")]
    separator: String,
}

impl ListResource for Buckets {
    type Resource = Bucket;

    fn validate(_: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        match config.prefix {
            Attr::Known(prefix) if prefix.contains('*') => {
                Err(Error::new("Pattern In Prefix", "").at(path!(prefix)))
            }
            _ => Ok(()),
        }
    }

    async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        let prefix = config.prefix.unwrap_or_default();
        for name in cx.client.0.clone().into_iter().filter(|name| name.starts_with(&prefix)) {
            let identity = BucketIdentity { name: name.to_owned() };
            let mut item = Item::new(identity, format!("{}{name}", config.separator));
            if name == "odd" {
                item = item.warn("Odd Bucket", "");
            }
            if cx.include_object {
                let size = name.len() as u64;
                item = item.object(Bucket { name: name.to_owned(), size, secret: WriteOnly::default() });
            }
            cx.emit(item).await;
        }
        cx.warn("Old Listing", "");
        Ok(())
    }
}

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = Api;
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result<Api> {
        Ok(Api(vec!["a", "ab", "odd"]))
    }

    fn register(it: &mut Registry<Api>) {
        it.resource::<Bucket>().list_resource::<Buckets>();
    }
}

const BUCKET: &str = "cloud_bucket";

fn cloud() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let configured = response!(ConfigureProvider, ask(&server, ConfigureProviderRequest::default()));
    assert!(configured.diagnostics.is_empty());
    server
}

fn config(prefix: Value) -> DynamicValue {
    encoded_by(&Buckets::schema(), &Value::object([("prefix", prefix), ("separator", Value::Null)]))
}

fn buckets(prefix: Value, include_resource_object: bool, limit: i64) -> ListResourceRequest {
    message!(ListResourceRequest {
        type_name: BUCKET.to_owned(),
        config: config(prefix),
        include_resource_object: include_resource_object,
        limit: limit,
    })
}

async fn next(events: &mut EventStream<ListedResource>) -> Option<ListedResource> {
    std::future::poll_fn(|cx| Pin::new(&mut *events).poll_next(cx)).await
}

async fn stream(server: &Server, request: ListResourceRequest) -> EventStream<ListedResource> {
    response!(ListResource, server.handle(Call::new(request)).await).events
}

/// The events of a listing, one a line: the name, what is there, and the diagnostics.
async fn lines(mut events: EventStream<ListedResource>) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(event) = next(&mut events).await {
        lines.push(line(&event));
    }
    lines
}

fn line(event: &ListedResource) -> String {
    let identity = if event.identity.is_some() { " identity" } else { "" };
    let object = if event.resource_object.is_some() { " object" } else { "" };
    let found = summaries(&event.diagnostics);
    format!("{}{identity}{object} {}", event.display_name, found.replace('\n', ";")).trim().to_owned()
}

fn listed(server: &Server, request: ListResourceRequest) -> Vec<String> {
    block_on(async { lines(stream(server, request).await).await })
}

#[test]
fn list_resources_are_listed_and_have_schemas() {
    let metadata = response!(GetMetadata, ask(&cloud(), GetMetadataRequest::default()));
    assert_eq!(metadata.names(Kind::ListResource), [BUCKET]);
    assert!(metadata.diagnostics.is_empty());
    ferroform::testing::check::<Cloud>();
}

#[test]
fn configuration_is_validated_by_schema_and_author() {
    // Validation needs no client.
    let server = Server::new(assemble::<Cloud>());
    let check = |config: DynamicValue, expect: &str| {
        let request =
            message!(ValidateListResourceConfigRequest { type_name: BUCKET.to_owned(), config: config });
        let response = response!(ValidateListResourceConfig, ask(&server, request));
        assert_eq!(summaries(&response.diagnostics), expect, "{}", details(&response.diagnostics));
    };
    check(config("a".into()), "");
    check(config(Value::unknown()), "");
    check(DynamicValue::Absent, "");
    check(config("a*".into()), "error prefix: Pattern In Prefix\n");
    check(DynamicValue::Msgpack(b"\x01".as_slice().into()), "error: Unreadable Value\n");
}

#[test]
fn listing_without_a_host_collects_the_objects() {
    let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    let mut call = ListContext::new(&mut diagnostics).collect_into(&mut listed);
    // A test of a list resource sees every object that it emits, also beyond the limit.
    (call.include_object, call.limit) = (true, 1);
    let config = Buckets::planned(BucketsDraft::default()).unwrap();
    block_on(Buckets::list(&mut Context::new(Arc::new(Api(vec!["a", "odd"])), call), config)).unwrap();
    let names: Vec<&str> = listed.iter().map(|it| it.display_name.as_str()).collect();
    assert_eq!(names, ["/a", "/odd"]);
    assert_eq!(listed[1].identity, Value::object([("name", "odd".into())]));
    let object = [("name", "odd".into()), ("size", 3.into()), ("secret", Value::Null)];
    assert_eq!(listed[1].object, Some(Value::object(object)));
    assert_eq!(summaries(&listed[1].diagnostics), "warning: Odd Bucket\n");
    assert_eq!(summaries(&diagnostics), "warning: Old Listing\n");
}

#[test]
fn listing_has_identities_names_and_objects_on_request() {
    let server = cloud();
    let end = "warning: Old Listing;";
    let odd = "/odd identity warning: Odd Bucket;";
    assert_eq!(listed(&server, buckets(Value::Null, false, 10)), ["/a identity", "/ab identity", odd, end]);
    let odd = "/odd identity object warning: Odd Bucket;";
    let expect = ["/a identity object", "/ab identity object", odd, end];
    assert_eq!(listed(&server, buckets(Value::Null, true, 10)), expect);
    assert_eq!(listed(&server, buckets("ab".into(), false, 10)), ["/ab identity", end]);
}

#[test]
fn limit_is_kept_also_where_the_author_does_not_look() {
    let server = cloud();
    assert_eq!(listed(&server, buckets(Value::Null, false, 2)), ["/a identity", "/ab identity"]);
    assert_eq!(listed(&server, buckets(Value::Null, false, 1)), ["/a identity"]);
    assert_eq!(listed(&server, buckets(Value::Null, false, 0)), [""; 0]);
    assert_eq!(listed(&server, buckets(Value::Null, false, -1)), ["error: Invalid Limit;"]);
}

#[test]
fn listing_that_cannot_start_is_one_error() {
    let server = cloud();
    let unknown = listed(&server, buckets(Value::unknown(), false, 1));
    assert_eq!(unknown, ["error: Unknown List Configuration;"]);
    let request = message!(ListResourceRequest { type_name: "cloud_other".to_owned(), limit: 1 });
    assert_eq!(listed(&server, request), ["error: Unknown Type;"]);
    let unconfigured = Server::new(assemble::<Cloud>());
    let found = listed(&unconfigured, buckets(Value::Null, false, 1));
    assert_eq!(found, ["error: Provider Not Configured;"]);
}

type Listing<'a> = Pin<Box<dyn Future<Output = Result> + Send + 'a>>;

/// A list resource that does what the test says.
struct Double<F> {
    list: F,
    schemas: Option<ResourceSchemas>,
}

#[async_trait]
impl<F> dynamic::ListResource for Double<F>
where
    F: for<'a> Fn(ListContext<'a>) -> Listing<'a> + Send + Sync,
{
    fn schema(&self) -> Schema {
        Schema::default()
    }

    fn resource_schemas(&self) -> Option<ResourceSchemas> {
        self.schemas.clone()
    }

    async fn list(&self, cx: ListContext<'_>, _config: Value) -> Result {
        (self.list)(cx).await
    }
}

fn by_id() -> IdentitySchema {
    let id = IdentityAttribute::required("id", Type::String);
    IdentitySchema::new([id])
}

/// The type of the double: the identity is an `id`, the object has an `id` and a write-only `secret`.
fn object_schema() -> Schema {
    let secret = Attribute::optional("secret", Type::String).write_only();
    let attributes = vec![Attribute::computed("id", Type::String), secret];
    Schema::new(Block::new(attributes))
}

const LISTED: &str = "double_thing";

fn lister<F>(list: F, schemas: Option<ResourceSchemas>) -> Arc<dyn dynamic::ListResource>
where
    F: for<'a> Fn(ListContext<'a>) -> Listing<'a> + Send + Sync + 'static,
{
    Arc::new(Double { list, schemas })
}

/// A server with a list resource beside its managed resource type.
fn listing<F>(list: F) -> Server
where
    F: for<'a> Fn(ListContext<'a>) -> Listing<'a> + Send + Sync + 'static,
{
    let thing = Thing { schema: object_schema(), identity_schema: Some(by_id()), ..Thing::default() };
    let thing: Arc<dyn dynamic::Resource> = Arc::new(thing);
    let catalogue = Catalogue::new().with(LISTED, thing).with(LISTED, lister(list, None));
    Server::new(Arc::new(Offering(catalogue)))
}

fn request(include_resource_object: bool) -> ListResourceRequest {
    message!(ListResourceRequest {
        type_name: LISTED.to_owned(),
        include_resource_object: include_resource_object,
        limit: 100,
    })
}

fn identity(id: Value) -> Value {
    Value::object([("id", id)])
}

/// What becomes of one emitted object that was asked for whole.
fn check(make: impl Fn() -> ListedObject + Send + Sync + 'static, expect: &str) {
    let server = listing(move |cx| {
        let object = make();
        Box::pin(async move {
            cx.emit(object).await;
            cx.emit(ListedObject::new(identity("last".into()), "last").object(thing("last".into()))).await;
            Ok(())
        })
    });
    // A mistake in one object does not end the listing; core decides about that.
    assert_eq!(listed(&server, request(true)), [expect, "last identity object"]);
}

fn thing(id: Value) -> Value {
    Value::object([("id", id), ("secret", "s3cret".into())])
}

#[test]
fn mistake_in_an_object_is_reported_where_it_is() {
    let named = |id: Value| ListedObject::new(identity(id), "x").object(thing("1".into()));
    check(move || named("1".into()), "x identity object");
    check(move || named(Value::Null), "x object error id: Provider Returned An Incomplete Identity;");
    check(move || named(Value::unknown()), "x object error id: Provider Returned An Unknown Identity;");
    check(move || named(Value::from(true)), "x object error id: Invalid Provider Value;");
    let whole = |identity: Value| ListedObject::new(identity, "x").object(thing("1".into()));
    check(move || whole(Value::Null), "x object error: Provider Returned No Identity;");
    check(move || whole(Value::list([])), "x object error id: Provider Returned An Incomplete Identity;");
    let of = |object: Value| ListedObject::new(identity("1".into()), "x").object(object);
    check(move || of(thing(Value::unknown())), "x identity error id: Provider Returned An Unknown Value;");
    check(move || of(Value::from("1")), "x identity error: Invalid Provider Value;");
    check(move || of(Value::Null), "x identity warning: Listed Object Missing;");
    let without = || ListedObject::new(identity("1".into()), "x");
    check(without, "x identity warning: Listed Object Missing;");
}

#[test]
fn message_needs_no_identity() {
    let message = || {
        let mut message = ListedObject::new(Value::Null, "");
        message.diagnostics.push(Diagnostic::warning("Region Skipped", ""));
        message
    };
    check(message, "warning: Region Skipped;");
}

#[test]
fn write_only_values_of_an_object_are_dropped() {
    let server = listing(|cx| {
        Box::pin(async move {
            cx.emit(ListedObject::new(identity("1".into()), "x").object(thing("1".into()))).await;
            Ok(())
        })
    });
    let event = block_on(async { next(&mut stream(&server, request(true)).await).await }).expect("an object");
    let object =
        crate::server::support::shown(&object_schema(), &event.resource_object.expect("it was asked for"));
    assert!(!object.contains("s3cret"), "{object}");
}

#[test]
fn listing_ends_with_its_error_or_panic() {
    let failing = listing(|cx| {
        Box::pin(async move {
            cx.emit(ListedObject::new(identity("1".into()), "x")).await;
            Err(Error::new("Service Unavailable", ""))
        })
    });
    assert_eq!(listed(&failing, request(false)), ["x identity", "error: Service Unavailable;"]);
    let panicking = listing(|cx| {
        Box::pin(async move {
            cx.emit(ListedObject::new(identity("1".into()), "x")).await;
            panic!("a secret text")
        })
    });
    assert_eq!(listed(&panicking, request(false)), ["x identity", "error: Provider Panicked;"]);
}

/// Counts the objects that were emitted, until it is dropped.
fn endless(emitted: &Arc<AtomicUsize>) -> Server {
    let emitted = Arc::clone(emitted);
    listing(move |cx| {
        let emitted = Arc::clone(&emitted);
        Box::pin(async move {
            loop {
                cx.emit(ListedObject::new(identity("1".into()), "x")).await;
                emitted.fetch_add(1, SeqCst);
            }
        })
    })
}

#[test]
fn listing_does_not_run_ahead_of_the_reader() {
    let emitted = Arc::new(AtomicUsize::new(0));
    let server = endless(&emitted);
    block_on(async {
        let request = message!(ListResourceRequest { limit: i64::MAX, ..request(false) });
        let mut events = stream(&server, request).await;
        for read in 1..1000 {
            next(&mut events).await.expect("there is always one more");
            tokio::task::yield_now().await;
            let ahead = emitted.load(SeqCst) - read;
            assert!(ahead <= 66, "the listing is {ahead} objects ahead");
        }
    });
}

/// So an author who asks a service for pages asks for none in vain.
#[test]
fn listing_does_not_go_on_after_the_last_object_of_the_limit() {
    let emitted = Arc::new(AtomicUsize::new(0));
    let server = endless(&emitted);
    block_on(async {
        let request = message!(ListResourceRequest { limit: 3, ..request(false) });
        let mut events = stream(&server, request).await;
        tokio::task::yield_now().await;
        while next(&mut events).await.is_some() {}
    });
    assert_eq!(emitted.load(SeqCst), 2);
}

#[test]
fn memory_does_not_grow_with_the_number_of_objects() {
    let peak = |limit: i64| {
        let server = endless(&Arc::default());
        let memory = allocation_counter::measure(|| {
            block_on(async {
                let request = message!(ListResourceRequest { limit: limit, ..request(false) });
                let mut events = stream(&server, request).await;
                while next(&mut events).await.is_some() {}
            });
        });
        memory.bytes_max
    };
    let (few, many) = (peak(1_000), peak(50_000));
    assert!(many < few + few / 2, "{few} bytes for 1,000 objects and {many} for 50,000");
}

#[test]
fn listing_is_dropped_when_nobody_reads() {
    struct Dropped(Arc<Notify>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let dropped = Arc::new(Notify::new());
    let note = Arc::clone(&dropped);
    let server = listing(move |cx| {
        let guard = Dropped(Arc::clone(&note));
        Box::pin(async move {
            let _guard = guard;
            cx.emit(ListedObject::new(identity("1".into()), "x")).await;
            std::future::pending().await
        })
    });
    block_on(async {
        let mut events = stream(&server, request(false)).await;
        next(&mut events).await.expect("an object");
        drop(events);
        dropped.notified().await;
        // At the limit, too, although the author waits for something that never comes.
        let one = message!(ListResourceRequest { limit: 1, ..request(false) });
        assert_eq!(lines(stream(&server, one).await).await, ["x identity"]);
        dropped.notified().await;
    });
}

#[tokio::test(start_paused = true)]
async fn hanging_listing_ends_some_time_after_the_user_asked_to_stop() {
    let calls = Canceller::default();
    let server = listing(|_| Box::pin(std::future::pending()));
    let call = message!(Call { cancellation: calls.token(), ..Call::new(request(false)) });
    let events = response!(ListResource, server.handle(call).await).events;
    calls.cancel_all();
    let ended = tokio::time::timeout(Duration::from_secs(60), lines(events)).await.expect("it ends");
    assert_eq!(ended, ["error: Call Cancelled;"]);
}

#[test]
fn list_resource_needs_a_managed_resource_with_identity() {
    let nothing = || lister(|_| Box::pin(async { Ok(()) }), None);
    let check = |catalogue: Catalogue, expect: &str| {
        let server = Server::new(Arc::new(Offering(catalogue.clone())));
        let schemas = response!(GetProviderSchema, ask(&server, GetProviderSchemaRequest::default()));
        assert!(details(&schemas.diagnostics).contains(expect), "{:?}", schemas.diagnostics);
        assert_eq!(summaries(&catalogue.mistakes()), "error: Invalid List Resource\n");
        assert_eq!(listed(&server, request(false)), ["error: Invalid List Resource;"]);
    };
    check(Catalogue::new().with(LISTED, nothing()), "no managed resource type of that name");
    let thing: Arc<dyn dynamic::Resource> = Arc::new(Thing::default());
    check(Catalogue::new().with(LISTED, nothing()).with(LISTED, thing), "has no identity");
}

#[test]
fn resource_of_another_server_is_listed_by_its_schemas() {
    let schemas = ResourceSchemas::new(object_schema(), by_id());
    let list = lister(
        |cx| {
            Box::pin(async move {
                cx.emit(ListedObject::new(identity("1".into()), "x").object(thing("1".into()))).await;
                Ok(())
            })
        },
        Some(schemas),
    );
    let catalogue = Catalogue::new().with(LISTED, list);
    assert!(catalogue.mistakes().is_empty());
    let server = Server::new(Arc::new(Offering(catalogue)));
    assert_eq!(listed(&server, request(true)), ["x identity object"]);
}
