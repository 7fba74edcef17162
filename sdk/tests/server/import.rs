//! `ImportResourceState`.

use ferroform::diag::{Error, Result};
use ferroform::dynamic::{Context, Import, Imported, phase};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{self, Resource};
use ferroform::schema::Schema;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ClientCapabilities, ConfigureProviderRequest, Deferred, ImportResourceStateRequest,
    ImportResourceStateResponse,
};
use ferroform_server::server::Server;

use crate::server::support::{
    THING, Thing, ask, capable, details, encoded_by, message, object, planned, response, schema, serving,
    shown, summaries,
};

type Find = Box<
    dyn Fn(&mut Context<'_, phase::Import>, Import) -> ferroform::diag::Result<Vec<Imported>> + Send + Sync,
>;

fn by_id(id: &str) -> ImportResourceStateRequest {
    message!(ImportResourceStateRequest {
        type_name: THING.to_owned(),
        id: id.to_owned(),
        client_capabilities: capable(),
    })
}

fn one(state: Value) -> Vec<Imported> {
    vec![Imported::new(state)]
}

fn with_name(id: Value, name: Value) -> Value {
    Value::object([("id", id), ("name", name), ("secret", Value::Null)])
}

/// The imported states, one a line, and what is said about them.
fn check(
    import: Find,
    request: ImportResourceStateRequest,
    expect: (&str, &str),
) -> ImportResourceStateResponse {
    let response =
        response!(ImportResourceState, ask(&serving(Thing { import, ..Thing::default() }), request));
    let states = response.imported_resources.iter().map(|imported| {
        assert_eq!(imported.type_name, THING);
        shown(&schema(), &imported.state)
    });
    let states = states.collect::<Vec<_>>().join("\n");
    assert_eq!((states.as_str(), summaries(&response.diagnostics).as_str()), expect, "{response:?}");
    response
}

#[test]
fn an_object_is_found_by_its_id() {
    let import: Find = Box::new(|cx, from| {
        cx.private_mut().set("imported", &true)?;
        Ok(one(with_name(Value::string(from.into_id()?), Value::Null)))
    });
    let response = check(import, by_id("i-1"), (r#"{"id": "i-1", "name": null, "secret": null}"#, ""));
    assert_eq!(response.imported_resources[0].private, r#"{"ferroform":{"imported":true}}"#);
}

#[test]
fn nothing_found_is_an_error() {
    let response = check(Box::new(|_, _| Ok(Vec::new())), by_id("i-1"), ("", "error: Object Not Found\n"));
    assert!(details(&response.diagnostics).contains(THING));
    check(Box::new(|_, _| Ok(one(Value::Null))), by_id("i-1"), ("", "error: Object Not Found\n"));
}

#[test]
fn an_empty_id_never_reaches_the_author() {
    check(Box::new(|_, _| panic!("not called")), by_id(""), ("", "error: Import Needs An Id\n"));
}

#[test]
fn errors_import_nothing() {
    let failing: Find = Box::new(|_, _| Err(Error::new("Service Unavailable", "")));
    check(failing, by_id("i-1"), ("", "error: Service Unavailable\n"));
    let recording: Find = Box::new(|cx, from| {
        cx.error_at(path!(id), "Malformed Id", "");
        Ok(one(object(&from.into_id()?, "a")))
    });
    check(recording, by_id("i-1"), ("", "error id: Malformed Id\n"));
    check(Box::new(|_, _| panic!("half-way")), by_id("i-1"), ("", "error: Provider Panicked\n"));
    let unknown: Find = Box::new(|_, _| Ok(one(planned("a"))));
    check(unknown, by_id("i-1"), ("", "error id: Provider Returned An Unknown Value\n"));
    let misfit: Find = Box::new(|_, _| Ok(one(Value::list([]))));
    check(misfit, by_id("i-1"), ("", "error: Invalid Provider Value\n"));
}

#[test]
fn an_import_is_deferred_only_where_core_allows_it() {
    let deferring = || -> Find {
        Box::new(|cx, _| {
            cx.defer(Deferred::AbsentPrerequisite);
            Ok(Vec::new())
        })
    };
    let response = check(deferring(), by_id("i-1"), ("", ""));
    assert_eq!(response.deferred, Some(Deferred::AbsentPrerequisite));
    let old = message!(ImportResourceStateRequest {
        client_capabilities: ClientCapabilities::default(),
        ..by_id("i-1")
    });
    let response = check(deferring(), old, ("", "error: Deferral Not Allowed\n"));
    assert_eq!(response.deferred, None);
}

/// A resource that keeps what the trait gives it.
mod unsupported {
    use std::sync::Arc;

    use async_trait::async_trait;
    use ferroform::diag::Result;
    use ferroform::dynamic::{Change, Context, Resource, phase};
    use ferroform::provider::{self, Provider, Registry};
    use ferroform::schema::Schema;
    use ferroform::value::Value;
    use ferroform_server::server::Server;

    use super::by_id;
    use crate::server::configure::Raw;
    use crate::server::support::{ask, response, schema, summaries};

    struct Plain;

    #[async_trait]
    impl Resource for Plain {
        fn schema(&self) -> Schema {
            schema()
        }
        async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
            Ok(change.planned)
        }
        async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
            Ok(Some(prior))
        }
        async fn update(
            &self,
            _: &mut Context<'_, phase::Update>,
            _: Value,
            change: Change,
        ) -> Result<Value> {
            Ok(change.planned)
        }
        async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result {
            Ok(())
        }
    }

    struct Double;

    impl Provider for Double {
        type Config = Raw;
        type Client = ();
        const NAME: &str = "double";

        async fn configure(_: &mut provider::Context<'_>, _: Raw) -> Result<()> {
            Ok(())
        }

        fn register(it: &mut Registry<()>) {
            it.dynamic_resource("thing", Arc::new(Plain));
        }
    }

    #[test]
    fn a_type_without_import_says_so() {
        let server = Server::new(provider::assemble::<Double>());
        let response = response!(ImportResourceState, ask(&server, by_id("i-1")));
        assert_eq!(summaries(&response.diagnostics), "error: Import Not Supported\n");
        assert!(response.imported_resources.is_empty());
    }
}

/// A type without an identity and without an import.
#[derive(Model)]
struct Blob {
    text: String,
}

impl Resource for Blob {
    type Client = ();
    const NAME: &str = "blob";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { text: plan.text })
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(prior.text.map(|text| Self { text }))
    }

    async fn update(
        cx: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Blob>();
    }
}

#[test]
fn type_without_import_advises_no_identity() {
    let server = Server::new(assemble::<Cloud>());
    let request = message!(ConfigureProviderRequest {
        config: encoded_by(&Schema::default(), &Value::object::<&str>([])),
    });
    assert_eq!(summaries(&response!(ConfigureProvider, ask(&server, request)).diagnostics), "");
    let request =
        message!(ImportResourceStateRequest { type_name: "cloud_blob".to_owned(), id: "a".to_owned() });
    let reported = response!(ImportResourceState, ask(&server, request)).diagnostics;
    let details = details(&reported);
    assert_eq!(summaries(&reported), "error: Import Not Supported\n");
    assert!(details.contains("cannot be imported") && !details.contains("identity"), "{details}");
}
