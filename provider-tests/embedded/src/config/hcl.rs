//! Configurations as text.

use std::fmt;

use ::hcl::expr::{FuncCall, ObjectKey, TemplateExpr, Traversal, TraversalOperator, Variable};
use ::hcl::format::{Format, Formatter};
use ::hcl::structure::{Attribute, Block, BlockLabel, Body as HclBody, Structure};
use ::hcl::{Expression, Identifier};
use ferroform::path::{Path, Step};
use ferroform::value::{Number, Value};

use super::layout;
use super::{
    ActionTrigger, Body, Config, Expr, IgnoreChanges, ImportBlock, ImportTarget, Lifecycle, MoveEndpoint,
    MovedBlock, NestedBlock, OutputBlock, ProviderBlock, Reference, ReferenceTarget, RemovedBlock,
    RemovedFrom, Repetition, ResourceBlock, StateStoreBlock, TriggeredAction,
};
use crate::address::{self, InstanceAddress, InstanceKey, Mode, ModuleInstance, ResourceAddress};

/// A configuration that cannot be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HclError {
    /// What cannot be written.
    reason: &'static str,
}

impl fmt::Display for HclError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration cannot be written as text: {}", self.reason)
    }
}

impl std::error::Error for HclError {}

type Result<T> = std::result::Result<T, HclError>;

impl Config {
    /// The configuration in the language of Terraform, laid out as `terraform fmt` does.
    ///
    /// A template of one part is that part, as in the language. Sets are written as lists, for the language has no
    /// other way to write them down.
    ///
    /// # Errors
    /// An expression holds an unknown value, or a path leads into an element of a set: there is no text for these.
    ///
    /// ```
    /// use ferroform_embedded::config::{Config, resource};
    ///
    /// let config = Config::new().resource(resource("acme_thing", "this").set("name", "a").set("size", 2));
    /// let expect = "resource \"acme_thing\" \"this\" {\n  name = \"a\"\n  size = 2\n}\n";
    /// assert_eq!(config.to_hcl().as_deref(), Ok(expect));
    /// ```
    pub fn to_hcl(&self) -> Result<String> {
        let mut body = Vec::new();
        if !self.required_providers.is_empty() {
            body.push(block("terraform", &[], vec![self.requirements()]));
        }
        collect(&mut body, &self.providers, provider)?;
        collect(&mut body, &self.resources, resource)?;
        collect(&mut body, &self.imports, import)?;
        body.extend(self.moved.iter().map(moved));
        body.extend(self.removed.iter().map(removed));
        collect(&mut body, &self.outputs, output)?;
        let text = text(&HclBody::from(body), Formatter::builder().build_vec())?;
        let blocks = layout::align(&text);
        let separator = if blocks.is_empty() || self.text.is_empty() { "" } else { "\n" };
        Ok(format!("{blocks}{separator}{}", self.text))
    }

    fn requirements(&self) -> Structure {
        let providers = self.required_providers.iter().map(|(name, address)| {
            let source = (key("source"), string(&address.to_string()));
            attribute(name, Expression::Object([source].into_iter().collect()))
        });
        block("required_providers", &[], providers.collect())
    }
}

/// Writes a part of a configuration.
fn text(part: &impl Format, mut formatter: Formatter<'_, Vec<u8>>) -> Result<String> {
    let unreadable = HclError { reason: "it is not text" };
    part.format(&mut formatter).map_err(|_| unreadable.clone())?;
    String::from_utf8(formatter.into_inner()).map_err(|_| unreadable)
}

fn collect<T>(into: &mut Vec<Structure>, blocks: &[T], write: fn(&T) -> Result<Structure>) -> Result<()> {
    for block in blocks {
        into.push(write(block)?);
    }
    Ok(())
}

impl StateStoreBlock {
    /// The `terraform` block that says so.
    pub(super) fn to_hcl(&self) -> Result<String> {
        let mut content = vec![provider(&self.provider)?];
        write_body(&mut content, &self.body)?;
        let store = block("state_store", &[&self.type_name], content);
        let body: HclBody = [block("terraform", &[], vec![store])].into_iter().collect();
        text(&body, Formatter::builder().build_vec())
    }
}

fn provider(it: &ProviderBlock) -> Result<Structure> {
    let alias = it.alias.iter().map(|alias| attribute("alias", string(alias)));
    let mut content: Vec<Structure> = alias.collect();
    write_body(&mut content, &it.body)?;
    Ok(block("provider", &[&it.name], content))
}

fn resource(it: &ResourceBlock) -> Result<Structure> {
    let mut content = Vec::new();
    match &it.repetition {
        Repetition::Single => {}
        Repetition::Count(count) => content.push(attribute("count", expression(count)?)),
        Repetition::ForEach(each) => content.push(attribute("for_each", expression(each)?)),
    }
    content.extend(it.provider.as_ref().map(provider_argument));
    if it.address.mode == Mode::Action {
        let mut config = Vec::new();
        write_body(&mut config, &it.body)?;
        content.push(block("config", &[], config));
    } else {
        write_body(&mut content, &it.body)?;
    }
    if it.lifecycle != Lifecycle::default() {
        content.push(lifecycle(&it.lifecycle)?);
    }
    if !it.depends_on.is_empty() {
        let resources = it.depends_on.iter().map(|address| resource_traversal(address, Vec::new()));
        content.push(attribute("depends_on", Expression::Array(resources.collect())));
    }
    Ok(block(it.address.mode.block_type(), &[&it.address.type_name, &it.address.name], content))
}

fn lifecycle(it: &Lifecycle) -> Result<Structure> {
    let mut content = Vec::new();
    if it.create_before_destroy {
        content.push(attribute("create_before_destroy", true.into()));
    }
    if it.prevent_destroy {
        content.push(attribute("prevent_destroy", true.into()));
    }
    match &it.ignore_changes {
        IgnoreChanges::None => {}
        IgnoreChanges::All => content.push(attribute("ignore_changes", traversal("all", Vec::new()))),
        IgnoreChanges::Paths(paths) => {
            let paths = paths.iter().map(ignored).collect::<Result<Vec<_>>>()?;
            content.push(attribute("ignore_changes", Expression::Array(paths)));
        }
    }
    if !it.replace_triggered_by.is_empty() {
        let triggers = it.replace_triggered_by.iter().map(reference).collect::<Result<Vec<_>>>()?;
        content.push(attribute("replace_triggered_by", Expression::Array(triggers)));
    }
    collect(&mut content, &it.action_triggers, action_trigger)?;
    Ok(block("lifecycle", &[], content))
}

fn action_trigger(it: &ActionTrigger) -> Result<Structure> {
    let events = it.events.iter().map(|event| traversal(event.as_str(), Vec::new())).collect();
    let mut content = vec![attribute("events", Expression::Array(events))];
    if let Some(condition) = &it.condition {
        content.push(attribute("condition", expression(condition)?));
    }
    let action = |it: &TriggeredAction| {
        let key = it.key.as_ref().map(|key| expression(key).map(index)).transpose()?;
        Ok(resource_traversal(&it.action, key.into_iter().collect()))
    };
    let actions = it.actions.iter().map(action).collect::<Result<Vec<_>>>()?;
    content.push(attribute("actions", Expression::Array(actions)));
    Ok(block("action_trigger", &[], content))
}

/// A path as `ignore_changes` names it.
fn ignored(path: &Path) -> Result<Expression> {
    match path.steps().split_first() {
        Some((Step::Attribute(first), rest)) => Ok(traversal(first, operators(rest)?)),
        _ => Err(HclError { reason: "a path in ignore_changes does not begin with an attribute" }),
    }
}

fn output(it: &OutputBlock) -> Result<Structure> {
    let mut content = vec![attribute("value", expression(&it.value)?)];
    if it.sensitive {
        content.push(attribute("sensitive", true.into()));
    }
    Ok(block("output", &[&it.name], content))
}

fn import(it: &ImportBlock) -> Result<Structure> {
    let (name, subject) = match &it.subject {
        ImportTarget::Id(id) => ("id", id),
        ImportTarget::Identity(identity) => ("identity", identity),
    };
    let content = vec![attribute("to", instance(&it.to)), attribute(name, expression(subject)?)];
    Ok(block("import", &[], content))
}

/// The text of an `import` block with an identity.
pub(super) fn import_text(
    to: &InstanceAddress,
    provider: Option<&(String, Option<String>)>,
    identity: &Value,
) -> Result<String> {
    let mut content = vec![attribute("to", instance(to))];
    content.extend(provider.map(provider_argument));
    content.push(attribute("identity", literal(identity)?));
    let body = HclBody::from(vec![block("import", &[], content)]);
    Ok(layout::align(&text(&body, Formatter::builder().build_vec())?).trim_end().to_owned())
}

fn provider_argument((name, alias): &(String, Option<String>)) -> Structure {
    let alias = alias.iter().map(|alias| TraversalOperator::GetAttr(Identifier::unchecked(alias)));
    attribute("provider", traversal(name, alias.collect()))
}

fn moved(it: &MovedBlock) -> Structure {
    let end = |end: &MoveEndpoint| match end {
        MoveEndpoint::Module(module) => module_traversal(module),
        MoveEndpoint::Resource(resource) => instance(resource),
    };
    block("moved", &[], vec![attribute("from", end(&it.from)), attribute("to", end(&it.to))])
}

fn removed(it: &RemovedBlock) -> Structure {
    let from = match &it.from {
        RemovedFrom::Module(module) => module_traversal(module),
        RemovedFrom::Resource(resource) => resource_traversal(resource, Vec::new()),
    };
    let lifecycle = block("lifecycle", &[], vec![attribute("destroy", it.destroy.into())]);
    block("removed", &[], vec![attribute("from", from), lifecycle])
}

fn write_body(into: &mut Vec<Structure>, body: &Body) -> Result<()> {
    for (name, value) in &body.arguments {
        into.push(attribute(name, expression(value)?));
    }
    collect(into, &body.blocks, nested)
}

fn nested(it: &NestedBlock) -> Result<Structure> {
    let mut content = Vec::new();
    write_body(&mut content, &it.body)?;
    let labels: Vec<&str> = it.labels.iter().map(String::as_str).collect();
    Ok(block(&it.type_name, &labels, content))
}

fn expression(it: &Expr) -> Result<Expression> {
    Ok(match it {
        Expr::Literal(value) => literal(value)?,
        Expr::Tuple(elements) => Expression::Array(elements.iter().map(expression).collect::<Result<_>>()?),
        Expr::Object(members) => {
            let member = |(name, value): &(String, Expr)| Ok((key(name), expression(value)?));
            Expression::Object(members.iter().map(member).collect::<Result<Vec<_>>>()?.into_iter().collect())
        }
        Expr::Reference(to) => reference(to)?,
        Expr::Template(parts) => match parts.as_slice() {
            [one] => expression(one)?,
            parts => TemplateExpr::from(template(parts)?).into(),
        },
        Expr::Variable(name) => traversal("var", vec![step(name)]),
        Expr::Sensitive(inner) => FuncCall::builder("sensitive").arg(expression(inner)?).build().into(),
    })
}

fn literal(value: &Value) -> Result<Expression> {
    let all = |elements: &mut dyn Iterator<Item = &Value>| elements.map(literal).collect::<Result<Vec<_>>>();
    Ok(match value.peel() {
        Value::Null => Expression::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => numeral(number),
        Value::String(text) => string(text),
        Value::List(elements) | Value::Tuple(elements) => Expression::Array(all(&mut elements.iter())?),
        Value::Set(elements) => Expression::Array(all(&mut elements.iter())?),
        Value::Map(members) | Value::Object(members) => {
            let member = |(name, value): (&std::sync::Arc<str>, &Value)| Ok((key(name), literal(value)?));
            Expression::Object(members.iter().map(member).collect::<Result<Vec<_>>>()?.into_iter().collect())
        }
        _ => return Err(HclError { reason: "a value in it is unknown" }),
    })
}

/// A string. The library would take what looks like an escaped template for one.
fn string(text: &str) -> Expression {
    TemplateExpr::from(escaped(text)).into()
}

/// Text as it stands between quotes.
fn escaped(text: &str) -> String {
    let quoted = address::quoted(text);
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// A number with all its digits. Numbers of the language have 512 bits, those of the library 64.
fn numeral(number: &Number) -> Expression {
    match (number.to_i64(), number.to_u64()) {
        (Some(number), _) => number.into(),
        (None, Some(number)) => number.into(),
        (None, None) => Variable::unchecked(number.to_string()).into(),
    }
}

fn reference(it: &Reference) -> Result<Expression> {
    let path = operators(it.path.steps())?;
    Ok(match &it.subject {
        ReferenceTarget::Resource(address, instance) => {
            let instance = instance.as_deref().map(|key| expression(key).map(index)).transpose()?;
            resource_traversal(address, instance.into_iter().chain(path).collect())
        }
        ReferenceTarget::CountIndex => word("count", "index", path),
        ReferenceTarget::EachKey => word("each", "key", path),
        ReferenceTarget::EachValue => word("each", "value", path),
    })
}

fn word(first: &str, second: &str, rest: Vec<TraversalOperator>) -> Expression {
    traversal(first, [step(second)].into_iter().chain(rest).collect())
}

fn operators(steps: &[Step]) -> Result<Vec<TraversalOperator>> {
    let operator = |step_: &Step| match step_ {
        Step::Attribute(name) => Ok(step(name)),
        Step::Index(at) => Ok(index((*at).into())),
        Step::Key(key) => Ok(index(string(key))),
        _ => Err(HclError { reason: "a path leads into an element of a set, which has no address" }),
    };
    steps.iter().map(operator).collect()
}

fn instance(it: &InstanceAddress) -> Expression {
    resource_traversal(&it.resource, key_operator(&it.key).into_iter().collect())
}

fn key_operator(key: &InstanceKey) -> Option<TraversalOperator> {
    match key {
        InstanceKey::None => None,
        InstanceKey::Index(at) => Some(index((*at).into())),
        InstanceKey::Key(key) => Some(index(string(key))),
    }
}

fn module_steps(ModuleInstance(modules): &ModuleInstance) -> Vec<TraversalOperator> {
    let steps = modules
        .iter()
        .flat_map(|(name, key)| [step("module"), step(name)].into_iter().chain(key_operator(key)));
    steps.collect()
}

fn module_traversal(module: &ModuleInstance) -> Expression {
    traversal("module", module_steps(module).into_iter().skip(1).collect())
}

fn resource_traversal(address: &ResourceAddress, rest: Vec<TraversalOperator>) -> Expression {
    let mut steps = module_steps(&address.module);
    if address.mode != Mode::Managed {
        steps.push(step(address.mode.block_type()));
    }
    steps.extend([step(&address.type_name), step(&address.name)]);
    let mut steps = steps.into_iter().chain(rest);
    match steps.next() {
        Some(TraversalOperator::GetAttr(first)) => traversal(&first, steps.collect()),
        _ => traversal(&address.type_name, Vec::new()),
    }
}

fn traversal(root: &str, operators: Vec<TraversalOperator>) -> Expression {
    let root = Variable::unchecked(root);
    if operators.is_empty() { root.into() } else { Traversal::new(root, operators).into() }
}

fn step(name: &str) -> TraversalOperator {
    TraversalOperator::GetAttr(Identifier::unchecked(name))
}

fn index(at: Expression) -> TraversalOperator {
    TraversalOperator::Index(at)
}

/// The parts of a template, as they stand between its quotes.
fn template(parts: &[Expr]) -> Result<String> {
    let mut content = String::new();
    // Text of neighbours is escaped as one: `$` of one part and `{` of the next would open an interpolation.
    let mut text = String::new();
    for part in parts {
        if let Some(more) = plain(part) {
            text.push_str(&more);
            continue;
        }
        let before = text.trim_end_matches('$');
        content.push_str(&escaped(before));
        if before.len() < text.len() {
            // A dollar right before an interpolation would make a plain `${` of it.
            content.extend(["${\"", &text[before.len()..], "\"}"]);
        }
        text.clear();
        let part = expression(part)?;
        let part = self::text(&part, Formatter::builder().compact(true).build_vec())?;
        let gap = if part.starts_with('{') { " " } else { "" };
        content.extend(["${", gap, &part, gap, "}"]);
    }
    content.push_str(&escaped(&text));
    Ok(content)
}

/// What a part of a template becomes in the string, if it can be told.
fn plain(part: &Expr) -> Option<String> {
    match part {
        Expr::Literal(Value::String(text)) => Some(text.to_string()),
        Expr::Literal(Value::Number(number)) => Some(number.to_string()),
        Expr::Literal(Value::Bool(value)) => Some(value.to_string()),
        _ => None,
    }
}

/// A key of an object. A bare word would begin something else where the language has a meaning for it.
fn key(name: &str) -> ObjectKey {
    let plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if plain && !["for", "null", "true", "false"].contains(&name) {
        ObjectKey::Identifier(Identifier::unchecked(name))
    } else {
        ObjectKey::Expression(string(name))
    }
}

fn attribute(name: &str, value: Expression) -> Structure {
    Attribute::new(Identifier::unchecked(name), value).into()
}

fn block(name: &str, labels: &[&str], content: Vec<Structure>) -> Structure {
    let labels =
        labels.iter().map(|label| BlockLabel::Identifier(Identifier::unchecked(address::quoted(label))));
    Block { identifier: Identifier::unchecked(name), labels: labels.collect(), body: HclBody::from(content) }
        .into()
}
