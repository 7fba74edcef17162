//! `GetProviderSchema`: encoded piece by piece, decoded as a whole.

use std::sync::Arc;

use bytes::Bytes;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::model::{Model, ObjectOf};
use ferroform::schema::{
    Attribute, Block, BlockNesting, FunctionParameter, FunctionSignature, Kind, NestedBlock, NestedObject,
    Nesting, Schema,
};
use ferroform::ty::Type;
use ferroform_plugin::grpc::Message;
use ferroform_proto::{tfplugin5 as v5, tfplugin6 as v6};
use ferroform_server::protocol::{
    GetFunctionsResponse, GetProviderSchemaRequest, Response, Rpc, SchemaSource,
};
use prost::Message as _;

use super::encoded;
use crate::server::support::{Double, Source, Thing, ask, message, server};

const METHODS: [(u32, &str); 2] = [(5, "GetSchema"), (6, "GetProviderSchema")];

/// The encoded schemas of a provider.
fn of(version: u32, provider: Double) -> Message {
    let (_, method) = METHODS[usize::from(version == 6)];
    encoded(version, method, ask(&server(provider), GetProviderSchemaRequest::default()))
}

fn thing(block: Block) -> Arc<Thing> {
    Arc::new(Thing { schema: Schema::new(block).version(3), ..Thing::default() })
}

/// A resource schema with everything that both protocols have.
fn common() -> Block {
    let nestings = [
        ("single", BlockNesting::Single),
        ("group", BlockNesting::Group),
        ("list", BlockNesting::List),
        ("set", BlockNesting::Set),
        ("map", BlockNesting::Map),
    ];
    let blocks = nestings.map(|(name, nesting)| {
        let mut block = NestedBlock::new(
            name,
            nesting,
            Block::new([Attribute::optional("in", Type::Bool)]).description("Within."),
        );
        if nesting == BlockNesting::List {
            (block.min_items, block.max_items) = (1, 4);
        }
        block
    });
    Block::new([
        Attribute::required("name", Type::String).description("Who."),
        Attribute::computed("key", Type::map(Type::Number)).sensitive(),
        Attribute::optional_computed("both", Type::Dynamic),
        Attribute::optional("secret", Type::String).write_only().deprecation("Use `key`."),
    ])
    .blocks(blocks)
    .description("A thing.")
    .deprecation("Use another.")
}

fn attribute(name: &str, ty: &'static str) -> v6::schema::Attribute {
    v6::schema::Attribute {
        name: name.to_owned(),
        r#type: Bytes::from_static(ty.as_bytes()),
        description_kind: 1,
        ..Default::default()
    }
}

/// What [`common`] is on the wire: attributes and blocks sorted by name, everything else as it was.
fn common_on_the_wire() -> v6::schema::Block {
    let block = |name: &str, nesting, (min_items, max_items)| v6::schema::NestedBlock {
        type_name: name.to_owned(),
        block: Some(v6::schema::Block {
            attributes: vec![v6::schema::Attribute { optional: true, ..attribute("in", "\"bool\"") }],
            description: "Within.".to_owned(),
            description_kind: 1,
            ..Default::default()
        }),
        nesting,
        min_items,
        max_items,
    };
    v6::schema::Block {
        attributes: vec![
            v6::schema::Attribute { optional: true, computed: true, ..attribute("both", "\"dynamic\"") },
            v6::schema::Attribute {
                computed: true,
                sensitive: true,
                ..attribute("key", "[\"map\",\"number\"]")
            },
            v6::schema::Attribute {
                required: true,
                description: "Who.".to_owned(),
                ..attribute("name", "\"string\"")
            },
            v6::schema::Attribute {
                optional: true,
                write_only: true,
                deprecated: true,
                deprecation_message: "Use `key`.".to_owned(),
                ..attribute("secret", "\"string\"")
            },
        ],
        block_types: vec![
            block("group", 5, (0, 0)),
            block("list", 2, (1, 4)),
            block("map", 4, (0, 0)),
            block("set", 3, (0, 0)),
            block("single", 1, (0, 0)),
        ],
        description: "A thing.".to_owned(),
        description_kind: 1,
        deprecated: true,
        deprecation_message: "Use another.".to_owned(),
        ..Default::default()
    }
}

/// A resource schema with nested attributes in every nesting, which only protocol 6 has.
fn nested() -> Block {
    let inner = |nesting| {
        NestedObject::new(
            nesting,
            vec![Attribute::required("z", Type::String), Attribute::computed("a", Type::Bool)],
        )
    };
    Block::new([
        Attribute::optional("list", inner(Nesting::List)),
        Attribute::optional("map", inner(Nesting::Map)),
        Attribute::optional("set", inner(Nesting::Set)),
        Attribute::optional("single", inner(Nesting::Single)),
    ])
}

/// What [`nested`] is on the wire: nested attributes in the order of the schema.
fn nested_on_the_wire() -> v6::schema::Block {
    let nested_attribute = |name: &str, nesting| v6::schema::Attribute {
        r#type: Bytes::new(),
        optional: true,
        nested_type: Some(v6::schema::Object {
            attributes: vec![
                v6::schema::Attribute { required: true, ..attribute("z", "\"string\"") },
                v6::schema::Attribute { computed: true, ..attribute("a", "\"bool\"") },
            ],
            nesting,
            ..Default::default()
        }),
        ..attribute(name, "")
    };
    v6::schema::Block {
        attributes: vec![
            nested_attribute("list", 2),
            nested_attribute("map", 4),
            nested_attribute("set", 3),
            nested_attribute("single", 1),
        ],
        description_kind: 1,
        ..Default::default()
    }
}

#[test]
fn protocol_6_decodes_as_exactly_the_schemas() {
    let provider = Double {
        resources: [("double_a", thing(common())), ("double_b", thing(nested()))].into(),
        data_sources: [("double_a", Arc::new(Source::default()))].into(),
        ..Double::default()
    };
    let message = of(6, provider);
    assert!(message.chunks().len() >= 5, "each type is a piece of its own");
    let decoded = v6::get_provider_schema::Response::decode(message.into_bytes()).expect("it is a message");
    let source = v6::schema::Block {
        attributes: vec![
            v6::schema::Attribute { computed: true, ..attribute("id", "\"string\"") },
            v6::schema::Attribute { required: true, ..attribute("name", "\"string\"") },
        ],
        description_kind: 1,
        ..Default::default()
    };
    let schema = |version, block| v6::Schema { version, block: Some(block) };
    let expect = v6::get_provider_schema::Response {
        provider: Some(schema(0, v6::schema::Block { description_kind: 1, ..Default::default() })),
        resource_schemas: [
            ("double_a".to_owned(), schema(3, common_on_the_wire())),
            ("double_b".to_owned(), schema(3, nested_on_the_wire())),
        ]
        .into(),
        data_source_schemas: [("double_a".to_owned(), schema(0, source))].into(),
        server_capabilities: Some(v6::ServerCapabilities {
            plan_destroy: true,
            get_provider_schema_optional: true,
            move_resource_state: true,
            generate_resource_config: true,
        }),
        ..Default::default()
    };
    assert_eq!(decoded, expect);
}

#[test]
fn protocol_5_decodes_as_exactly_the_schemas_with_its_own_numbers() {
    let provider = Double { resources: [("double_a", thing(common()))].into(), ..Double::default() };
    let bytes = of(5, provider).into_bytes();
    // Field 10 is the flag and field 11 the message; in protocol 6 they are 11 and 12.
    let tail = b"\x48\x01\x50\x01\x5a\x0aUse `key`.";
    assert!(bytes.windows(tail.len()).any(|window| window == tail), "write_only and deprecation_message");

    let decoded = v5::get_provider_schema::Response::decode(bytes).expect("it is a message");
    let block = decoded.resource_schemas["double_a"].block.clone().expect("a schema has a block");
    let expect = common_on_the_wire();
    let attributes = expect.attributes.iter().map(|attribute| v5::schema::Attribute {
        name: attribute.name.clone(),
        r#type: attribute.r#type.clone(),
        description: attribute.description.clone(),
        required: attribute.required,
        optional: attribute.optional,
        computed: attribute.computed,
        sensitive: attribute.sensitive,
        description_kind: attribute.description_kind,
        deprecated: attribute.deprecated,
        write_only: attribute.write_only,
        deprecation_message: attribute.deprecation_message.clone(),
    });
    assert_eq!(block.attributes, attributes.collect::<Vec<_>>());
    // Blocks are the same messages in both protocols but for the attributes in them.
    let nested = |block: &v5::schema::NestedBlock| {
        (block.type_name.clone(), block.nesting, block.min_items, block.max_items)
    };
    let expected = expect
        .block_types
        .iter()
        .map(|block| (block.type_name.clone(), block.nesting, block.min_items, block.max_items));
    assert_eq!(block.block_types.iter().map(nested).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for nested in &block.block_types {
        let inner = nested.block.as_ref().expect("a nested block has a block");
        assert_eq!((inner.attributes[0].name.as_str(), inner.attributes[0].optional), ("in", true));
    }
    assert_eq!((block.deprecated, block.deprecation_message.as_str()), (true, "Use another."));
    assert_eq!(decoded.resource_schemas["double_a"].version, 3);
    assert!(decoded.provider.is_some_and(|schema| schema.block.is_some()));
    assert!(decoded.server_capabilities.is_some_and(|capabilities| capabilities.plan_destroy));
}

#[derive(Model)]
struct Machine {
    disks: Vec<ObjectOf<Disk>>,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    name: Option<String>,
}

#[test]
fn plain_objects_are_the_same_in_both_protocols() {
    let provider =
        || Double { resources: [("double_a", thing(Machine::block()))].into(), ..Double::default() };
    let v6 =
        v6::get_provider_schema::Response::decode(of(6, provider()).into_bytes()).expect("it is a message");
    let v5 =
        v5::get_provider_schema::Response::decode(of(5, provider()).into_bytes()).expect("it is a message");
    let expect = Bytes::from_static(br#"["list",["object",{"name":"string"}]]"#);
    let attributes =
        &v6.resource_schemas["double_a"].block.as_ref().expect("a schema has a block").attributes;
    assert_eq!((&attributes[0].r#type, attributes[0].nested_type.is_none()), (&expect, true));
    let attributes =
        &v5.resource_schemas["double_a"].block.as_ref().expect("a schema has a block").attributes;
    assert_eq!(attributes[0].r#type, expect);
}

/// The kinds of the descriptions of a block and of all that is in it.
macro_rules! description_kinds {
    ($block:ident, $nested_attributes:expr) => {{
        let (mut kinds, mut blocks) = (Vec::new(), vec![$block]);
        while let Some(block) = blocks.pop() {
            kinds.push(block.description_kind);
            for attribute in &block.attributes {
                kinds.push(attribute.description_kind);
                kinds.extend($nested_attributes(attribute));
            }
            blocks.extend(block.block_types.iter().filter_map(|nested| nested.block.as_ref()));
        }
        kinds
    }};
}

#[test]
fn plain_descriptions_are_declared_plain_at_every_place_in_both_protocols() {
    const PLAIN: i32 = v6::StringKind::Plain as i32;
    const MARKDOWN: i32 = v6::StringKind::Markdown as i32;
    let provider = |block: fn() -> Block| {
        let schema = Schema::new(block()).plain_descriptions();
        let plain = Arc::new(Thing { schema, ..Thing::default() });
        Double { resources: [("double_a", plain), ("double_b", thing(block()))].into(), ..Double::default() }
    };
    for (block, count) in [(common as fn() -> Block, 15), (nested, 13)] {
        let bytes = of(6, provider(block)).into_bytes();
        let decoded = v6::get_provider_schema::Response::decode(bytes).expect("it is a message");
        for (name, kind) in [("double_a", PLAIN), ("double_b", MARKDOWN)] {
            let block = decoded.resource_schemas[name].block.as_ref().expect("a schema has a block");
            let kinds = description_kinds!(block, |attribute: &v6::schema::Attribute| {
                let nested = attribute.nested_type.iter().flat_map(|object| &object.attributes);
                nested.map(|attribute| attribute.description_kind).collect::<Vec<_>>()
            });
            assert_eq!(kinds, vec![kind; count], "{name} of protocol 6");
        }
    }
    let bytes = of(5, provider(common)).into_bytes();
    let decoded = v5::get_provider_schema::Response::decode(bytes).expect("it is a message");
    for (name, kind, count) in [("double_a", PLAIN, 15), ("double_b", MARKDOWN, 15)] {
        let block = decoded.resource_schemas[name].block.as_ref().expect("a schema has a block");
        let kinds = description_kinds!(block, |_: &v5::schema::Attribute| None::<i32>);
        assert_eq!(kinds, vec![kind; count], "{name} of protocol 5");
    }
}

#[test]
fn plain_descriptions_of_a_function_and_its_parameters_are_declared_plain() {
    let signature = || {
        FunctionSignature::new(Type::String)
            .parameter(FunctionParameter::new("first", Type::String))
            .variadic(FunctionParameter::new("others", Type::String))
    };
    for (signature, kind) in
        [(signature(), v6::StringKind::Markdown), (signature().plain_descriptions(), v6::StringKind::Plain)]
    {
        for version in [5, 6] {
            let functions = vec![("join".to_owned(), signature.clone())];
            let response = message!(GetFunctionsResponse { functions: functions });
            let bytes = encoded(version, "GetFunctions", response).into_bytes();
            let decoded = v6::get_functions::Response::decode(bytes).expect("it is a message");
            let function = &decoded.functions["join"];
            let parameters = function.parameters.iter().chain(&function.variadic_parameter);
            let kinds: Vec<i32> = parameters.map(|it| it.description_kind).collect();
            assert_eq!((function.description_kind, kinds), (kind as i32, vec![kind as i32; 2]), "{version}");
        }
    }
}

/// The diagnostics of schemas that cannot be given out; there is a provider schema beside them, without which core
/// would report only that it is missing.
fn refused(version: u32, response: impl Into<Response>) -> String {
    let (_, method) = METHODS[usize::from(version == 6)];
    let bytes = encoded(version, method, response).into_bytes();
    assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
    let decoded = v6::get_provider_schema::Response::decode(bytes).expect("it is a message");
    assert!(decoded.provider.is_some_and(|schema| schema.block.is_some()));
    assert!(decoded.resource_schemas.is_empty());
    let lines = decoded.diagnostics.iter().map(|said| format!("{}: {}", said.summary, said.detail));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn schemas_that_need_protocol_6_name_the_first_places_over_protocol_5() {
    let nested = |name, attributes| Attribute::optional(name, NestedObject::new(Nesting::Single, attributes));
    let block = |attributes| Block::new(attributes);
    let within = block(vec![nested("inner", vec![nested("most", vec![])]), nested("other", vec![])]);
    let computed = block(vec![Attribute::computed("id", Type::String)]).computed();
    let blocks = vec![
        NestedBlock::new("made", BlockNesting::List, computed),
        NestedBlock::new("outer", BlockNesting::List, within.clone()),
    ];
    let resources = [("double_a", thing(within)), ("double_b", thing(Block::default().blocks(blocks)))];
    let provider = || Double { resources: resources.clone().into(), ..Double::default() };
    let said = refused(5, ask(&server(provider()), GetProviderSchemaRequest::default()));
    let (nested, computed) = said.split_once('\n').expect("two errors");
    for (said, summary, places) in [
        (
            nested,
            "Nested Attributes Need Protocol 6: ",
            ": `inner` of double_a, `inner.most` of double_a, `other` of double_a and 3 more. ",
        ),
        (computed, "Computed Blocks Need Protocol 6: ", ": `made` of double_b. "),
    ] {
        assert!(said.starts_with(summary) && said.contains(places), "{said}");
        assert!(
            said.contains("`Serve::only(Protocol::V6)`) and test it with protocol 6, or use a "),
            "{said}"
        );
    }
    let message = of(6, provider()).into_bytes();
    let decoded = v6::get_provider_schema::Response::decode(message).expect("it is a message");
    assert_eq!((decoded.resource_schemas.len(), decoded.diagnostics.len()), (2, 0));
}

#[test]
fn all_mistakes_are_reported_together() {
    let mistaken = Block::new([Attribute::optional("count", Type::String)]);
    let provider = Double {
        resources: [("double_a", thing(mistaken.clone())), ("double_b", thing(mistaken))].into(),
        others: [("double_a", Arc::new(Thing::default()) as Arc<dyn ferroform::dynamic::Resource>)].into(),
        ..Double::default()
    };
    let said = refused(6, ask(&server(provider), GetProviderSchemaRequest::default()));
    assert!(said.starts_with("Type Registered Twice: "), "{said}");
    assert!(said.contains("double_a") && said.contains("double_b"), "{said}");
}

/// One type with a description of that length.
struct Large(usize);

impl SchemaSource for Large {
    fn provider(&self) -> Schema {
        Schema::default()
    }

    fn schemas(&self, kind: Kind, each: &mut dyn FnMut(&str, Schema)) {
        if kind == Kind::Resource {
            let block = Block::default().description("x".repeat(self.0));
            each("double_large", Schema::new(block));
        }
    }
}

fn large(length: usize) -> Response {
    let mut response = Rpc::GetProviderSchema.failure(Diagnostic::error("", ""));
    let Response::GetProviderSchema(schemas) = &mut response else { panic!("it answers its procedure") };
    schemas.diagnostics = Diagnostics::default();
    schemas.schemas = Some(Arc::new(Large(length)));
    response
}

#[test]
fn schemas_over_64_mib_are_refused_before_core_does() {
    let said = refused(6, large(64 << 20));
    assert!(said.starts_with("Provider Schema Too Large: ") && said.contains("67108864"), "{said}");
    let fits = encoded(6, "GetProviderSchema", large((64 << 20) - 1000));
    assert!(fits.len() <= 64 << 20 && fits.len() > (64 << 20) - 1000, "{}", fits.len());
}

#[test]
fn provider_meta_schema_is_served_in_both_protocols() {
    let schema = || Schema::new(Block::new([Attribute::optional("module_name", Type::String)]));
    for (meta_schema, expect) in [(Some(schema()), Some("module_name")), (None, None)] {
        let provider = || Double { meta_schema: meta_schema.clone(), ..Double::default() };
        let decoded = v6::get_provider_schema::Response::decode(of(6, provider()).into_bytes());
        let block = decoded.expect("it is a message").provider_meta.and_then(|schema| schema.block);
        assert_eq!(block.as_ref().map(|block| block.attributes[0].name.as_str()), expect);
        let decoded = v5::get_provider_schema::Response::decode(of(5, provider()).into_bytes());
        let block = decoded.expect("it is a message").provider_meta.and_then(|schema| schema.block);
        assert_eq!(block.as_ref().map(|block| block.attributes[0].name.as_str()), expect);
    }
}
