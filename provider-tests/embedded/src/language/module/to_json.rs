//! A configuration as plans show it as JSON: what is written, not what it evaluates to.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use ferroform::schema::{AttributeType, Block as Schema, BlockNesting, NestedBlock};
use ferroform::ty::{ObjectType, Type};
use serde_json::{Map, Value as Json, json};

use super::model::{Call, Module, Output, ProviderName, Resource, Variable, implied_provider};
use super::providers::ModuleScope;
use super::references::{naming_steps, traversal};
use super::statics::StaticReference;
use super::syntax::{Block, Body, SourceExpr};
use super::variables::VariableType;
use super::{Tree, json_blocks};
use crate::address::{Mode, ProviderAddress, quoted};
use crate::client::Schemas;
use crate::embedded::CoreVersion;
use crate::json::digits;
use crate::json::state::ty as json_type;
use crate::json::value::known;
use crate::language::{Traversal, TraversalStep, convert, evaluate};

impl Tree {
    /// The `configuration` of a plan as JSON. Arguments that no schema has are left out, as are version constraints.
    pub(crate) fn to_json<S: Borrow<Schemas>>(
        &self,
        schemas: &BTreeMap<ProviderAddress, S>,
        emulated: &CoreVersion,
    ) -> Json {
        let schemas = schemas.iter().map(|(address, schemas)| (address, schemas.borrow())).collect();
        let mut writer = Writer { schemas, emulated, providers: Map::new() };
        let root = writer.module(self, ModuleScope { module: &self.module, outer: None }, &[]);
        let mut json = Map::new();
        put(&mut json, "provider_config", writer.providers);
        json.insert("root_module".to_owned(), root);
        json.into()
    }
}

struct Writer<'a> {
    schemas: BTreeMap<&'a ProviderAddress, &'a Schemas>,
    emulated: &'a CoreVersion,
    providers: Map<String, Json>,
}

impl Writer<'_> {
    fn module(&mut self, tree: &Tree, within: ModuleScope<'_>, path: &[&str]) -> Json {
        let module = &tree.module;
        self.configured_providers(within, path);
        let mut json = Map::new();
        let outputs = module.outputs.iter().map(|it| (it.name.clone(), output(it)));
        put(&mut json, "outputs", outputs.collect());
        // Core shows no ephemeral resources.
        let shown = module.all_resources().filter(|it| matches!(it.mode, Mode::Managed | Mode::Data));
        let resources = self.resources(shown.collect(), within, path);
        let actions = module.all_resources().filter(|it| it.mode == Mode::Action);
        let actions = self.resources(actions.collect(), within, path);
        for (name, all) in [("resources", resources), ("actions", actions)] {
            if !all.is_empty() {
                json.insert(name.to_owned(), all.into());
            }
        }
        let mut calls = Map::new();
        for call in &module.calls {
            let Some(child) = tree.children.get(&call.name) else { continue };
            let inner = ModuleScope { module: &child.module, outer: Some((&within, call)) };
            let path: Vec<&str> = path.iter().copied().chain([call.name.as_str()]).collect();
            let child = self.module(child, inner, &path);
            calls.insert(call.name.clone(), self::call(call, inner.module, child));
        }
        put(&mut json, "module_calls", calls);
        let variables = module.variables.iter().map(|it| (it.name.clone(), variable(it, self.emulated)));
        put(&mut json, "variables", variables.collect());
        json.into()
    }

    /// Resources or actions in order; of actions core shows what is beside their configuration.
    fn resources(&mut self, mut all: Vec<&Resource>, within: ModuleScope<'_>, path: &[&str]) -> Vec<Json> {
        all.sort_by_key(|it| (it.mode != Mode::Managed, &it.type_name, &it.name));
        all.into_iter().map(|it| self.resource(it, within, path)).collect()
    }

    /// The blocks of a module, and what it requires and has no block for.
    fn configured_providers(&mut self, within: ModuleScope<'_>, path: &[&str]) {
        for provider in &within.module.providers {
            let name = (provider.name.clone(), provider.alias.clone());
            let mut json = self.provider(within, path, &name);
            if let Some(alias) = &provider.alias {
                json.insert("alias".to_owned(), alias.as_str().into());
            }
            let schema = self.of(&within.meant(&name).provider.address());
            let expressions = schema.map(|it| expressions(&provider.body, &it.provider.block));
            put(&mut json, "expressions", expressions.unwrap_or_default());
            self.providers.insert(key(path, &name), json.into());
        }
        for required in &within.module.required_providers {
            let names = required.aliases.iter().cloned().chain([(required.name.clone(), None)]);
            names.for_each(|name| drop(self.provider_key(within, path, &name)));
        }
        // Each provider is known by the name of its type, too.
        for (_, address) in providers(within) {
            drop(self.provider_key(within, path, &(address.type_name, None)));
        }
    }

    /// The key of a configuration, which is there with it: where it is passed from or inherited from, if it is.
    fn provider_key(&mut self, within: ModuleScope<'_>, path: &[&str], name: &ProviderName) -> String {
        let meant = within.meant(name);
        let is_own = within.module.providers.iter().any(|it| (&it.name, &it.alias) == (&name.0, &name.1));
        if let (false, Some((around, _)), Some((_, path))) = (is_own, within.outer, path.split_last()) {
            if let Some(outer) = within.passed(&meant) {
                return self.provider_key(*around, path, outer);
            }
            if name.1.is_none() && mentions(*around, name, &meant.provider.address()) {
                return self.provider_key(*around, path, name);
            }
        }
        let key = key(path, name);
        if !self.providers.contains_key(&key) {
            let json = self.provider(within, path, name);
            self.providers.insert(key.clone(), json.into());
        }
        key
    }

    fn provider(&self, within: ModuleScope<'_>, path: &[&str], name: &ProviderName) -> Map<String, Json> {
        let named = within.meant(name).provider.address();
        let address = self.address(&named);
        let mut json = Map::new();
        json.insert("name".to_owned(), name.0.as_str().into());
        json.insert("full_name".to_owned(), address.to_string().into());
        if !path.is_empty() {
            json.insert("module_address".to_owned(), module_address(path).into());
        }
        json
    }

    /// A provider that the root module does not require is the one that is known by its name.
    fn address<'s>(&'s self, address: &'s ProviderAddress) -> &'s ProviderAddress {
        if self.schemas.contains_key(address) {
            return address;
        }
        self.schemas.keys().find(|it| it.type_name == address.type_name).copied().unwrap_or(address)
    }

    fn of(&self, address: &ProviderAddress) -> Option<&Schemas> {
        self.schemas.get(self.address(address)).copied()
    }

    fn resource(&mut self, resource: &Resource, within: ModuleScope<'_>, path: &[&str]) -> Json {
        let (prefix, mode) = (resource.mode.prefix(), resource.mode.in_json());
        let mut json = Map::new();
        let address = format!("{prefix}{}.{}", resource.type_name, resource.name);
        json.insert("address".to_owned(), address.into());
        if resource.mode != Mode::Action {
            json.insert("mode".to_owned(), mode.into());
        }
        json.insert("type".to_owned(), resource.type_name.as_str().into());
        json.insert("name".to_owned(), resource.name.as_str().into());
        let name = resource.provider_name();
        // The key of an action is that of its own module, even where there is no such configuration.
        let provider_key = match resource.mode {
            Mode::Action => key(path, &name),
            _ => self.provider_key(within, path, &name),
        };
        json.insert("provider_config_key".to_owned(), provider_key.into());
        let provisioners = resource.provisioners.iter().map(|it| {
            let mut json = Map::from_iter([("type".to_owned(), "local-exec".into())]);
            let arguments = it.body.arguments.iter();
            let arguments = arguments.map(|it| (it.name.clone(), expression(&it.value)));
            put(&mut json, "expressions", arguments.collect());
            Json::Object(json)
        });
        let provisioners: Vec<Json> = provisioners.collect();
        if !provisioners.is_empty() {
            json.insert("provisioners".to_owned(), provisioners.into());
        }
        let schemas = self.of(&within.meant(&name).provider.address());
        let types = schemas.map(|it| match resource.mode {
            Mode::Managed => Some(&it.resources),
            Mode::Data => Some(&it.data_sources),
            Mode::Ephemeral => Some(&it.ephemeral_resources),
            Mode::Action | Mode::List => None,
        });
        if let Some(schema) = types.flatten().and_then(|types| types.get(&resource.type_name)) {
            put(&mut json, "expressions", expressions(&resource.body, &schema.block));
            json.insert("schema_version".to_owned(), schema.version.into());
        }
        repetition(&mut json, resource.count.as_ref(), resource.for_each.as_ref());
        depends_on(&mut json, &resource.depends_on);
        json.into()
    }
}

/// The providers that a module requires, configures, uses or imports by, by their local names.
fn providers(within: ModuleScope<'_>) -> Vec<(String, ProviderAddress)> {
    let module = within.module;
    let required = module.required_providers.iter().map(|it| it.name.clone());
    let configured = module.providers.iter().map(|it| it.name.clone());
    let used = module.all_resources().map(|it| it.provider_name().0);
    let imports = module.imports.iter().filter_map(|it| super::import_target(it).ok());
    let own = imports.filter(|(to, _)| to.resource.module.0.is_empty());
    let imported = own.map(|(to, _)| implied_provider(&to.resource.type_name));
    let named = required.chain(configured).chain(used).chain(imported);
    named.map(|name| (name.clone(), within.meant(&(name, None)).provider.address())).collect()
}

/// Whether a module has the default configuration of a provider under that name.
fn mentions(within: ModuleScope<'_>, name: &ProviderName, address: &ProviderAddress) -> bool {
    let is_it = |(local, of): &(String, ProviderAddress)| {
        of == address && (*local == name.0 || of.type_name == name.0)
    };
    within.passed(&within.meant(name)).is_some() || providers(within).iter().any(is_it)
}

/// The name of a provider configuration in all modules.
fn key(path: &[&str], (name, alias): &ProviderName) -> String {
    let module = if path.is_empty() { String::new() } else { module_address(path) + ":" };
    let alias = alias.as_ref().map(|alias| format!(".{alias}")).unwrap_or_default();
    format!("{module}{name}{alias}")
}

fn module_address(path: &[&str]) -> String {
    path.iter().map(|name| format!("module.{name}")).collect::<Vec<_>>().join(".")
}

fn put(json: &mut Map<String, Json>, name: &str, members: Map<String, Json>) {
    if !members.is_empty() {
        json.insert(name.to_owned(), members.into());
    }
}

fn output(output: &Output) -> Json {
    let mut json = Map::new();
    if output.sensitive == Some(true) {
        json.insert("sensitive".to_owned(), true.into());
    }
    if let Some(value) = &output.value {
        json.insert("expression".to_owned(), expression(value));
    }
    depends_on(&mut json, &output.depends_on);
    text(&mut json, "description", output.description.as_deref());
    json.into()
}

fn variable(variable: &Variable, emulated: &CoreVersion) -> Json {
    let mut json = Map::new();
    if emulated.describes_variables() {
        let declared = VariableType::declared(variable).map_or(Type::Dynamic, |it| it.constraint.ty);
        if declared != Type::Dynamic {
            json.insert("type".to_owned(), json_type(&declared));
        }
        if variable.default.is_none() {
            json.insert("required".to_owned(), true.into());
        }
        if variable.ephemeral == Some(true) {
            json.insert("ephemeral".to_owned(), true.into());
        }
        text(&mut json, "deprecated", variable.deprecated.as_ref().map(|it| it.message.as_str()));
    }
    if let Some(default) = default(variable) {
        json.insert("default".to_owned(), default);
    }
    text(&mut json, "description", variable.description.as_deref());
    if variable.sensitive == Some(true) {
        json.insert("sensitive".to_owned(), true.into());
    }
    json.into()
}

/// A default in the type of its variable. One of an override lacks what the type fills in.
fn default(variable: &Variable) -> Option<Json> {
    let VariableType { constraint, default } = VariableType::declared(variable).ok()?;
    let written = variable.default.as_ref()?;
    if written.subject().source.path() == variable.subject.source.path() {
        return known(&default?.value);
    }
    let value = convert(written.constant().ok()?, &constraint.ty).ok()?;
    known(&value.value)
}

fn call(call: &Call, inner: &Module, child: Json) -> Json {
    let mut json = Map::new();
    text(&mut json, "source", call.source.as_deref());
    let arguments = call.body.arguments.iter();
    let taken = arguments.filter(|it| inner.variables.iter().any(|variable| variable.name == it.name));
    put(&mut json, "expressions", taken.map(|it| (it.name.clone(), expression(&it.value))).collect());
    repetition(&mut json, call.count.as_ref(), call.for_each.as_ref());
    json.insert("module".to_owned(), child);
    depends_on(&mut json, &call.depends_on);
    json.into()
}

fn text(json: &mut Map<String, Json>, name: &str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        json.insert(name.to_owned(), text.into());
    }
}

fn repetition(json: &mut Map<String, Json>, count: Option<&SourceExpr>, for_each: Option<&SourceExpr>) {
    for (name, expr) in [("count_expression", count), ("for_each_expression", for_each)] {
        let expression = expr.map(expression).filter(|it| it.as_object().is_some_and(|it| !it.is_empty()));
        if let Some(expression) = expression {
            json.insert(name.to_owned(), expression);
        }
    }
}

fn depends_on(json: &mut Map<String, Json>, all: &[StaticReference]) {
    if all.is_empty() {
        return;
    }
    let named = all.iter().map(|reference| {
        let steps = parts(&traversal(reference));
        Json::from(ObjectReference::new(&reference.root, &steps).subject())
    });
    json.insert("depends_on".to_owned(), named.collect());
}

/// The arguments and blocks that a schema has.
fn expressions(body: &Body, schema: &Schema) -> Map<String, Json> {
    let mut json = Map::new();
    for argument in &body.arguments {
        if schema.attributes.iter().any(|it| *it.name == *argument.name) {
            json.insert(argument.name.clone(), expression(&argument.value));
        }
    }
    for attribute in &schema.attributes {
        let blocks: Vec<&Block> = body.blocks.iter().filter(|it| it.type_name == *attribute.name).collect();
        if let (false, AttributeType::Plain(Type::List(of) | Type::Set(of))) =
            (blocks.is_empty(), &attribute.ty)
            && let Type::Object(object) = &**of
        {
            json.insert(attribute.name.to_string(), as_blocks(&blocks, object));
        }
    }
    for (nested, label, inner) in nested_blocks(body, schema) {
        let inner = Json::Object(expressions(&inner, &nested.block));
        let place = json.entry(nested.name.to_string());
        match (nested.nesting, label) {
            (BlockNesting::Single | BlockNesting::Group, _) => *place.or_insert(Json::Null) = inner,
            (BlockNesting::Map, Some(label)) => place.or_insert_with(|| json!({}))[label] = inner,
            (BlockNesting::Map, None) => {}
            (BlockNesting::List | BlockNesting::Set, _) => {
                let all = place.or_insert_with(|| json!([])).as_array_mut();
                all.into_iter().for_each(|all| all.push(inner.clone()));
            }
        }
    }
    json
}

/// The blocks that a schema has, in either syntax, with their labels. Those that `dynamic` blocks make are not shown.
fn nested_blocks<'a>(
    body: &'a Body,
    schema: &'a Schema,
) -> Vec<(&'a NestedBlock, Option<String>, Cow<'a, Body>)> {
    let mut found = Vec::new();
    for block in &body.blocks {
        if let Some(nested) = schema.block(&block.type_name) {
            found.push((nested, block.labels.first().cloned(), Cow::Borrowed(&block.body)));
        }
    }
    for argument in body.arguments.iter().filter(|it| it.value.is_json()) {
        if let Some(nested) = schema.block(&argument.name) {
            let is_labelled = nested.nesting == BlockNesting::Map;
            let written = json_blocks::written(&argument.value, is_labelled, &mut Vec::new());
            found.extend(written.into_iter().map(|(label, body, _)| (nested, label, Cow::Owned(body))));
        }
    }
    found
}

/// An attribute that is written as blocks: a list of objects.
fn as_blocks(blocks: &[&Block], object: &ObjectType) -> Json {
    let member = |block: &Block, name: &str| match block.body.argument(name) {
        Some(expr) => constant(expr),
        None => Some(Json::Null),
    };
    let element = |block: &&Block| {
        let members =
            object.attributes().iter().map(|(name, _)| Some((name.to_string(), member(block, name)?)));
        members.collect::<Option<Map<String, Json>>>().map(Json::Object)
    };
    let arguments = blocks.iter().flat_map(|block| &block.body.arguments);
    let found = arguments.flat_map(|it| it.value.references());
    shown(blocks.iter().map(element).collect::<Option<Vec<Json>>>().map(Json::Array), found)
}

/// The value of a constant, or else what an expression refers to. JSON may be both.
fn expression(expr: &SourceExpr) -> Json {
    shown(constant(expr), expr.references())
}

fn shown(constant: Option<Json>, found: impl IntoIterator<Item = Traversal>) -> Json {
    let mut json = Map::new();
    if let Some(value) = constant {
        json.insert("constant_value".to_owned(), value);
    }
    let found: Vec<String> = found.into_iter().flat_map(|it| referred(&it)).collect();
    if !found.is_empty() {
        json.insert("references".to_owned(), found.into());
    }
    json.into()
}

/// The value of a constant. JSON is one as it is written, templates in it included.
fn constant(expr: &SourceExpr) -> Option<Json> {
    if expr.is_json() {
        let subject = expr.subject();
        let text = subject.source.text().get(subject.span.start..subject.span.end)?;
        return digits::parse(text).ok().map(digits::of_values);
    }
    // Also what comes out the same whatever the references are, as core has it.
    known(&evaluate::constant(expr.expression(), expr.source())?)
}

/// A reference as it is, and without its last steps one after the other, down to what it names.
fn referred(traversal: &Traversal) -> Vec<String> {
    let steps = parts(traversal);
    let named = ObjectReference::new(&traversal.root, &steps);
    let mut all: Vec<String> =
        (named.length..=steps.len()).rev().map(|length| named.through(length)).collect();
    all.extend(named.without_key());
    all
}

/// The steps of a reference.
fn parts(traversal: &Traversal) -> Vec<Part> {
    let part = |step: &TraversalStep| match step {
        TraversalStep::Attribute(name) => Part::Name(name.clone()),
        TraversalStep::Index(key) => Part::Key(match key.as_str() {
            Some(key) => format!("[{}]", quoted(key)),
            None => format!("[{}]", known(key).unwrap_or_default()),
        }),
    };
    traversal.steps.iter().map(part).collect()
}

/// A step of a reference.
enum Part {
    Name(String),
    /// With its brackets.
    Key(String),
}

/// A reference with the number of steps that name an object.
struct ObjectReference<'a> {
    root: &'a str,
    steps: &'a [Part],
    length: usize,
}

impl<'a> ObjectReference<'a> {
    fn new(root: &'a str, steps: &'a [Part]) -> Self {
        let has_key = |at: usize| matches!(steps.get(at), Some(Part::Key(_)));
        let length = match naming_steps(root, has_key) {
            // A key is no output.
            length if root == "module" && has_key(length - 1) => length - 1,
            length => length,
        };
        Self { root, steps, length: length.min(steps.len()) }
    }

    fn through(&self, length: usize) -> String {
        let steps = self.steps.iter().take(length).map(|step| match step {
            Part::Name(name) => format!(".{name}"),
            Part::Key(key) => key.clone(),
        });
        let text = format!("{}{}", self.root, steps.collect::<String>());
        text.strip_prefix("resource.").map(str::to_owned).unwrap_or(text)
    }

    fn subject(&self) -> String {
        self.through(self.length)
    }

    /// The call of an output, and the resource or call of an instance.
    fn without_key(&self) -> Option<String> {
        let last = self.length.checked_sub(1)?;
        let is_output =
            self.root == "module" && last > 0 && matches!(self.steps.get(last), Some(Part::Name(_)));
        let is_instance = matches!(self.steps.get(last), Some(Part::Key(_)));
        (is_output || is_instance).then(|| self.through(last))
    }
}
