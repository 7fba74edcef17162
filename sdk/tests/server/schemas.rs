//! Mistakes in how a provider is put together: schemas and registration.

use std::sync::Arc;

use ferroform::diag::{Diagnostics, Result};
use ferroform::dynamic;
use ferroform::provider::{Provider, Registry, assemble};
use ferroform::schema::{Attribute, Block, Kind, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ConfigureProviderRequest, GetMetadataRequest, GetProviderSchemaRequest, ReadDataSourceRequest,
    ReadResourceRequest, SchemaSource,
};
use ferroform_server::server::Server;

use crate::server::configure::Raw;
use crate::server::support::{
    Double, Source, THING, Thing, ask, details, encoded, message, object, response, server, summaries,
};

/// `count` is a word of the language.
fn mistaken() -> Schema {
    Schema::new(Block::new([Attribute::optional("count", Type::String)]))
}

fn provider() -> Double {
    Double {
        schema: Schema::default().version(-1),
        resources: [
            ("double_bad", Arc::new(Thing { schema: mistaken(), ..Thing::default() })),
            ("double_good", Arc::new(Thing::default())),
        ]
        .into(),
        data_sources: [("double_bad", Arc::new(Source { schema: mistaken(), ..Source::default() }))].into(),
        ..Double::default()
    }
}

/// Builds all schemas as the wire does; the names that are given out and the mistakes.
fn built(source: &dyn SchemaSource) -> (Vec<String>, Diagnostics) {
    let mut names = Vec::new();
    let _ = source.provider();
    for kind in [Kind::Resource, Kind::DataSource, Kind::Action] {
        source.schemas(kind, &mut |name, _| names.push(format!("{kind:?} {name}")));
    }
    (names, source.mistakes())
}

#[test]
fn all_mistaken_schemas_are_reported_together() {
    let response =
        response!(GetProviderSchema, ask(&server(provider()), GetProviderSchemaRequest::default()));
    let source = response.schemas.expect("the schemas are built on demand");
    let (names, mistakes) = built(&*source);
    assert_eq!(names, ["Resource double_good"]);
    assert_eq!(summaries(&mistakes), "error: Invalid Provider Schema\n".repeat(2));
    let details = details(&mistakes);
    for part in ["the provider configuration", "negative", "double_bad", "`count`", "bug in the provider"] {
        assert!(details.contains(part), "{part} is missing: {details}");
    }
}

/// A provider with a schema that panics, and one that does not.
fn panicking() -> Server {
    struct Panics;
    #[async_trait::async_trait]
    impl dynamic::Resource for Panics {
        fn schema(&self) -> Schema {
            panic!("no schema")
        }
        async fn create(
            &self,
            _: &mut dynamic::Context<'_, dynamic::phase::Create>,
            change: dynamic::Change,
        ) -> Result<Value> {
            Ok(change.planned)
        }
        async fn read(
            &self,
            _: &mut dynamic::Context<'_, dynamic::phase::Read>,
            prior: Value,
        ) -> Result<Option<Value>> {
            Ok(Some(prior))
        }
        async fn update(
            &self,
            _: &mut dynamic::Context<'_, dynamic::phase::Update>,
            _: Value,
            change: dynamic::Change,
        ) -> Result<Value> {
            Ok(change.planned)
        }
        async fn delete(&self, _: &mut dynamic::Context<'_, dynamic::phase::Delete>, _: Value) -> Result {
            Ok(())
        }
    }
    struct One;
    impl Provider for One {
        type Config = Raw;
        type Client = ();
        const NAME: &str = "double";
        async fn configure(_: &mut ferroform::provider::Context<'_>, _: Raw) -> Result<()> {
            Ok(())
        }
        fn register(it: &mut Registry<()>) {
            it.dynamic_resource("thing", Arc::new(Panics))
                .dynamic_resource("good", Arc::new(Thing::default()));
        }
    }
    Server::new(assemble::<One>())
}

#[test]
fn a_schema_that_panics_is_an_error() {
    let server = panicking();
    let response = response!(GetProviderSchema, ask(&server, GetProviderSchemaRequest::default()));
    let (names, mistakes) = built(&*response.schemas.expect("the schemas are built on demand"));
    assert_eq!(names, ["Resource double_good"]);
    assert_eq!(summaries(&mistakes), "error: Provider Panicked\n");
    assert_eq!(read(&server, THING), "error: Provider Panicked\n");
}

/// What a read of an object of a type says.
fn read(server: &Server, type_name: &str) -> String {
    let request = message!(ReadResourceRequest {
        type_name: type_name.to_owned(),
        current_state: encoded(&object("1", "a")),
    });
    summaries(&response!(ReadResource, ask(server, request)).diagnostics)
}

/// A plan of a thousand objects asks for the schemas of their types, not for all that the provider has.
#[test]
fn a_call_builds_the_schema_of_its_type_alone() {
    let server = panicking();
    assert_eq!(read(&server, "double_good"), "");
    let metadata = response!(GetMetadata, ask(&server, GetMetadataRequest::default()));
    assert_eq!(metadata.names(Kind::Resource), ["double_good", THING]);
    assert_eq!(summaries(&metadata.diagnostics), "");
}

#[test]
fn a_mistaken_schema_fails_each_call_on_its_type_and_no_other() {
    let server = server(provider());
    assert_eq!(read(&server, "double_bad"), "error: Invalid Provider Schema\n");
    assert_eq!(read(&server, "double_bad"), "error: Invalid Provider Schema\n");
    assert_eq!(read(&server, "double_good"), "");
    let request = message!(ReadDataSourceRequest { type_name: "double_bad".to_owned() });
    let response = response!(ReadDataSource, ask(&server, request));
    assert_eq!(summaries(&response.diagnostics), "error: Invalid Provider Schema\n");
    let response = response!(ConfigureProvider, ask(&server, ConfigureProviderRequest::default()));
    assert_eq!(summaries(&response.diagnostics), "error: Invalid Provider Schema\n");
}

/// Registers one name twice.
struct Twice;

impl Provider for Twice {
    type Config = Raw;
    type Client = ();
    const NAME: &str = "double";

    async fn configure(_: &mut ferroform::provider::Context<'_>, _: Raw) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.dynamic_resource("thing", Arc::new(Thing::default()))
            .dynamic_resource("thing", Arc::new(Thing::default()))
            .dynamic_data_source("thing", Arc::new(Source::default()))
            .dynamic_data_source("", Arc::new(Source::default()))
            .dynamic_data_source("", Arc::new(Source::default()));
    }
}

#[test]
fn a_type_that_is_registered_twice_is_reported_where_schemas_are_asked_for() {
    let server = Server::new(assemble::<Twice>());
    let said = "error: Type Registered Twice\n".repeat(2);
    let schemas = response!(GetProviderSchema, ask(&server, GetProviderSchemaRequest::default()));
    assert_eq!(summaries(&schemas.diagnostics), said);
    let metadata = response!(GetMetadata, ask(&server, GetMetadataRequest::default()));
    assert_eq!(summaries(&metadata.diagnostics), said);
    assert_eq!(metadata.names(Kind::DataSource), ["double", "double_thing"]);
    let details = details(&metadata.diagnostics);
    assert!(details.contains("resource types are named `double_thing`"), "{details}");
    assert!(details.contains("data source types are named `double`"), "{details}");
}
