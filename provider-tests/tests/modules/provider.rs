//! The provider `sample` of configurations that need one: a schema with blocks and nested attributes of every form, and
//! one thing of each kind. It keeps nothing, so that one server answers both cores and all cases: objects live in the
//! state, and what it computes is a text that says where it is.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::dynamic::{
    self, Catalogue, Change, Context, EphemeralContext, IdentityContext, Import, Imported, InvokeContext,
    Open, phase,
};
use ferroform::function::FunctionContext;
use ferroform::path;
use ferroform::schema::{
    Attribute, Block, BlockNesting, FunctionParameter, FunctionSignature, IdentityAttribute, IdentitySchema,
    NestedBlock, NestedObject, Nesting, Replace, Schema,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::client::{Client, InProcessTransport, Protocol};
use ferroform_testing::embedded;
use ferroform_testing::real::{Core, Protocol as RealProtocol, ReattachAddress, ServedProvider};
use serde_json::json;
use tempfile::TempDir;

/// The address that the local name `sample` stands for where nothing else is said.
const SOURCE: &str = "registry.terraform.io/hashicorp/sample";

/// An embedded core that knows the provider.
pub(crate) fn embedded_core() -> embedded::Core {
    embedded::Core::new().with_provider("sample", SOURCE.parse().expect("an address"), || async {
        let router = Serve::new(Arc::new(Sample)).options().router(6).expect("protocol 6 is served");
        Ok(Client::new(InProcessTransport::new(router), Protocol::V6))
    })
}

/// The real core with the provider: a program that tells it where this process serves the provider, since the commands of a
/// case have no other environment than their own.
pub(crate) fn real_core(core: &Core) -> Core {
    static SERVED: OnceLock<(PathBuf, ServedProvider, TempDir)> = OnceLock::new();
    let (of, _, directory) = SERVED.get_or_init(|| {
        let served = ServedProvider::start(SOURCE, RealProtocol::V6, Serve::new(Arc::new(Sample)));
        let (served, directory) = (served.expect("a server"), tempfile::tempdir().expect("a directory"));
        write_launcher(&directory.path().join(LAUNCHER), core, served.address());
        (core.path.clone(), served, directory)
    });
    assert_eq!(of, &core.path, "the launcher starts one core");
    Core { path: directory.path().join(LAUNCHER), ..core.clone() }
}

/// The name of the program.
const LAUNCHER: &str = "core";

fn write_launcher(path: &Path, core: &Core, address: &ReattachAddress) {
    let (network, address) = match address {
        ReattachAddress::Unix(path) => ("unix", path.display().to_string()),
        ReattachAddress::Tcp(address) => ("tcp", address.to_string()),
        other => panic!("{other:?} is no address"),
    };
    let attached = json!({ SOURCE: {
        "Protocol": "grpc",
        "ProtocolVersion": 6,
        "Pid": std::process::id(),
        "Test": true,
        "Addr": { "Network": network, "String": address },
    } });
    let core = core.path.display();
    let text = format!("#!/bin/sh\nTF_REATTACH_PROVIDERS='{attached}' exec '{core}' \"$@\"\n");
    std::fs::write(path, text).expect("a file");
    std::fs::set_permissions(path, Permissions::from_mode(0o700)).expect("a program");
}

struct Sample;

#[async_trait]
impl dynamic::Provider for Sample {
    fn name(&self) -> &str {
        "sample"
    }

    fn schema(&self) -> Schema {
        let endpoint = Block::new([Attribute::optional("host", Type::String)]);
        Schema::new(
            Block::new([
                Attribute::optional("region", Type::String),
                Attribute::optional("token", Type::String).sensitive(),
            ])
            .blocks([NestedBlock::new("endpoint", BlockNesting::List, endpoint)]),
        )
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, config: Value) -> Result {
        match config.get(&path!(region)).and_then(Value::as_str) {
            Some("nowhere") => Err(Error::new("No Such Region", "There is no region of this name.")),
            _ => Ok(()),
        }
    }

    fn catalogue(&self) -> Catalogue {
        let server: Arc<dyn dynamic::Resource> = Arc::new(Managed(server()));
        let policy: Arc<dyn dynamic::Resource> = Arc::new(Managed(policy()));
        let lookup: Arc<dyn dynamic::DataSource> = Arc::new(Lookup);
        let token: Arc<dyn dynamic::EphemeralResource> = Arc::new(Token);
        let notify: Arc<dyn dynamic::Action> = Arc::new(Notify);
        let functions = [Function::Join, Function::Size, Function::Same];
        let catalogue = Catalogue::new().with("sample_server", server).with("sample_policy", policy);
        let catalogue = catalogue.with("sample_lookup", lookup).with("sample_token", token);
        functions.into_iter().fold(catalogue.with("sample_notify", notify), |catalogue, function| {
            let name = function.name();
            let function: Arc<dyn dynamic::Function> = Arc::new(function);
            catalogue.with(name, function)
        })
    }
}

/// Objects that are nested as the values of an attribute. Elements of sets have nothing that is computed.
fn nested(nesting: Nesting) -> NestedObject {
    let computed = (nesting != Nesting::Set).then(|| Attribute::computed("code", Type::String));
    let attributes = [Attribute::optional("a", Type::Number), Attribute::optional("b", Type::String)];
    NestedObject::new(nesting, attributes.into_iter().chain(computed))
}

fn labels(name: &'static str) -> NestedBlock {
    let block =
        Block::new([Attribute::optional("key", Type::String), Attribute::optional("value", Type::String)]);
    NestedBlock::new(name, BlockNesting::Set, block)
}

fn server() -> Block {
    let rule = Block::new([
        Attribute::optional("host", Type::String),
        Attribute::optional("port", Type::Number),
        Attribute::computed("code", Type::String),
    ]);
    let limit = Block::new([
        Attribute::optional("cpu", Type::Number),
        Attribute::optional("hidden", Type::String).sensitive(),
    ]);
    let extra = Block::new([Attribute::optional("note", Type::String)]);
    let entry = Block::new([Attribute::optional("value", Type::String)]);
    Block::new([
        Attribute::computed("id", Type::String).keep(),
        Attribute::optional("name", Type::String).replace(Replace::OnChange),
        Attribute::optional("text", Type::String),
        Attribute::optional_computed("zone", Type::String),
        Attribute::optional("size", Type::Number),
        Attribute::optional("flags", Type::map(Type::Number)),
        Attribute::optional("items", Type::list(Type::String)),
        Attribute::optional("names", Type::set(Type::String)),
        Attribute::optional("any", Type::Dynamic),
        Attribute::optional("password", Type::String).sensitive(),
        Attribute::optional("secret", Type::String).write_only(),
        Attribute::optional("one", nested(Nesting::Single)),
        Attribute::optional("many", nested(Nesting::List)),
        Attribute::optional("some", nested(Nesting::Set)),
        Attribute::optional("keyed", nested(Nesting::Map)),
    ])
    .blocks([
        NestedBlock::new("rule", BlockNesting::List, rule.blocks([labels("match")])).max_items(3),
        labels("label"),
        NestedBlock::new("limit", BlockNesting::Single, limit),
        NestedBlock::new("extra", BlockNesting::Group, extra),
        NestedBlock::new("entry", BlockNesting::Map, entry),
    ])
}

fn policy() -> Block {
    let statement = Block::new([
        Attribute::required("effect", Type::String),
        Attribute::optional("secret", Type::String).write_only(),
    ]);
    Block::new([
        Attribute::computed("id", Type::String).keep(),
        Attribute::optional("name", Type::String).replace(Replace::OnChange),
        Attribute::optional("secret", Type::String).write_only(),
    ])
    .blocks([
        NestedBlock::new("statement", BlockNesting::List, statement.blocks([labels("target")]))
            .min_items(1)
            .max_items(2),
        labels("label").max_items(2),
    ])
}

/// A managed resource type of this schema.
struct Managed(Block);

impl Managed {
    /// The object as it is once it exists.
    fn done(&self, mut object: Value) -> Value {
        let name = object.get(&path!(name)).and_then(Value::as_str).unwrap_or("none").to_owned();
        let mut open = Vec::new();
        object.walk(|path, value| {
            if value.is_unknown() {
                open.push(path.clone());
            }
        });
        for path in open {
            if let Some(value) = object.get_mut(&path) {
                *value = Value::string(format!("{path} of {name}"));
            }
        }
        let mut hide = |path| {
            if let Some(value) = object.get_mut(&path) {
                *value = Value::Null;
            }
        };
        hide(path!(secret));
        (0..2).for_each(|at| hide(path!(statement[at].secret)));
        object
    }
}

#[async_trait]
impl dynamic::Resource for Managed {
    fn schema(&self) -> Schema {
        Schema::new(self.0.clone())
    }

    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        match config.get(&path!(name)).and_then(Value::as_str) {
            Some("refused") => Err(Error::new("Name Refused", "No object has this name.")).at(path!(name)),
            _ => Ok(()),
        }
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        match change.planned.get(&path!(name)).and_then(Value::as_str) {
            Some("fails") => Err(Error::new("Creation Refused", "No object has this name.")).at(path!(name)),
            _ => Ok(self.done(change.planned)),
        }
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        Ok(self.done(change.planned))
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }

    async fn import(&self, _cx: &mut Context<'_, phase::Import>, import: Import) -> Result<Vec<Imported>> {
        let id = match import {
            Import::Id(id) => Value::string(&id),
            Import::Identity(identity) => identity.get(&path!(id)).cloned().unwrap_or(Value::Null),
        };
        if id.as_str() == Some("missing") {
            return Ok(Vec::new());
        }
        let mut state = self.0.empty();
        for path in [path!(id), path!(name)] {
            if let Some(value) = state.get_mut(&path) {
                *value = id.clone();
            }
        }
        Ok(vec![Imported::new(state)])
    }

    fn identity_schema(&self) -> Option<IdentitySchema> {
        Some(IdentitySchema::new([IdentityAttribute::required("id", Type::String)]))
    }

    fn identity(&self, _cx: IdentityContext<'_>, state: &Value) -> Result<Value> {
        Ok(Value::object([("id", state.get(&path!(id)).cloned().unwrap_or(Value::Null))]))
    }
}

struct Lookup;

#[async_trait]
impl dynamic::DataSource for Lookup {
    fn schema(&self) -> Schema {
        Schema::new(
            Block::new([
                Attribute::optional("query", Type::String),
                Attribute::computed("result", Type::String),
                Attribute::computed("secret", Type::String).sensitive(),
            ])
            .blocks([labels("filter")]),
        )
    }

    async fn read(&self, _cx: &mut Context<'_, phase::ReadData>, mut config: Value) -> Result<Value> {
        let query = config.get(&path!(query)).and_then(Value::as_str).unwrap_or("none").to_owned();
        if query == "fails" {
            return Err(Error::new("Nothing Found", "Nothing has this name.")).at(path!(query));
        }
        for path in [path!(result), path!(secret)] {
            if let Some(value) = config.get_mut(&path) {
                *value = Value::string(format!("{path} of {query}"));
            }
        }
        Ok(config)
    }
}

struct Token;

#[async_trait]
impl dynamic::EphemeralResource for Token {
    fn schema(&self) -> Schema {
        Schema::new(
            Block::new([
                Attribute::optional("name", Type::String),
                Attribute::computed("value", Type::String),
            ])
            .blocks([labels("scope")]),
        )
    }

    async fn open(&self, _cx: &mut EphemeralContext<Open>, mut config: Value) -> Result<Value> {
        let name = config.get(&path!(name)).and_then(Value::as_str).unwrap_or("none").to_owned();
        if name == "fails" {
            return Err(Error::new("No Token", "Nothing has this name.")).at(path!(name));
        }
        if let Some(value) = config.get_mut(&path!(value)) {
            *value = Value::string(format!("value of {name}"));
        }
        Ok(config)
    }
}

struct Notify;

#[async_trait]
impl dynamic::Action for Notify {
    fn schema(&self) -> Schema {
        Schema::new(
            Block::new([
                Attribute::optional("text", Type::String),
                Attribute::optional("secret", Type::String).write_only(),
                Attribute::optional("many", nested(Nesting::Set)),
            ])
            .blocks([labels("label")]),
        )
    }

    async fn invoke(&self, cx: InvokeContext<'_>, config: Value) -> Result {
        let text = config.get(&path!(text)).and_then(Value::as_str).unwrap_or_default();
        cx.progress(text).await;
        match text {
            "fails" => Err(Error::new("Nothing Sent", "Nobody reads this text.")).at(path!(text)),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Copy)]
enum Function {
    Join,
    Size,
    Same,
}

impl Function {
    const fn name(self) -> &'static str {
        match self {
            Self::Join => "join",
            Self::Size => "size",
            Self::Same => "same",
        }
    }
}

#[async_trait]
impl dynamic::Function for Function {
    fn signature(&self) -> FunctionSignature {
        match self {
            Self::Join => {
                FunctionSignature::new(Type::String).variadic(FunctionParameter::new("texts", Type::String))
            }
            Self::Size => FunctionSignature::new(Type::Number)
                .parameter(FunctionParameter::new("list", Type::list(Type::String))),
            Self::Same => FunctionSignature::new(Type::Dynamic)
                .parameter(FunctionParameter::new("value", Type::Dynamic).allow_null().allow_unknown()),
        }
    }

    async fn call(&self, _cx: &FunctionContext, mut arguments: Vec<Value>) -> Result<Value> {
        Ok(match self {
            Self::Join => {
                let texts: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
                if texts.contains(&"fails") {
                    return Err(Error::new("Nothing Joined", "This text has no place."));
                }
                Value::string(texts.join("+"))
            }
            Self::Size => Value::from(match arguments.first() {
                Some(Value::List(list)) => i64::try_from(list.len()).unwrap_or_default(),
                _ => 0,
            }),
            Self::Same => arguments.remove(0),
        })
    }
}
