//! Configurations without secrets, for reports.

use std::collections::{BTreeMap, BTreeSet};

use ferroform::schema::{Attribute, AttributeType, Block as Schema, NestedObject, Nesting};
use hcl_edit::Decorate as _;
use hcl_edit::expr::{Expression, FuncCall, Object, Traversal, TraversalOperator};
use hcl_edit::parser::parse_body;
use hcl_edit::structure::{Block, BlockLabel, Body};
use hcl_edit::visit_mut::{VisitMut, visit_func_call_mut};

use super::source::Configuration;
use super::view::SENSITIVE;
use crate::address::ProviderAddress;
use crate::client::{Schemas, text};

/// What decides which values are secret.
#[derive(Debug, Default)]
pub(super) struct Redaction {
    /// The schemas of all providers. Without them every value that is written out may be a secret.
    pub(super) schemas: BTreeMap<ProviderAddress, Schemas>,
    /// What the providers are called.
    pub(super) names: Vec<(String, ProviderAddress)>,
}

impl Redaction {
    /// A configuration as text for people, with sensitive and write-only values hidden. A value without a known schema is
    /// hidden, too. References stay, and what they lead to within the configuration is hidden.
    pub(super) fn shown(&self, configuration: &Configuration) -> String {
        let written = match configuration {
            Configuration::Typed(config) => match config.to_hcl() {
                Ok(text) => text,
                Err(error) => {
                    let declared = config.resources.iter().map(|it| format!("\n# It has {}.", it.address));
                    return format!("# {error}{}", declared.collect::<String>());
                }
            },
            Configuration::Module(module) => module.whole(),
        };
        let Ok(mut body) = parse_body(&written) else {
            return "# It cannot be parsed, so its sensitive values are unknown. The text is in the test."
                .to_owned();
        };
        let mut redactor = Redactor { known: self, hidden: 0, sources: BTreeSet::new() };
        body.blocks_mut().for_each(|block| redactor.top(block));
        redactor.follow(&mut body);
        redactor.visit_body_mut(&mut body);
        if redactor.hidden == 0 {
            return written;
        }
        let whole = match configuration {
            Configuration::Typed(_) => "`Config::to_hcl` writes out all of it",
            Configuration::Module(_) => "the text in the test has them",
        };
        format!("# Sensitive values are hidden here; {whole}.\n{body}")
    }

    fn resources<'a>(&'a self, kind: &str, type_name: &str) -> Vec<Part<'a>> {
        let of = |schemas: &'a Schemas| match kind {
            "resource" => schemas.resources.get(type_name),
            "data" => schemas.data_sources.get(type_name),
            "ephemeral" => schemas.ephemeral_resources.get(type_name),
            "action" => schemas.actions.get(type_name),
            _ => None,
        };
        self.schemas.values().filter_map(of).map(|schema| Part::Block(&schema.block)).collect()
    }

    fn provider(&self, name: &str) -> Vec<Part<'_>> {
        let address = self.names.iter().find(|(known, _)| known == name).map(|(_, address)| address);
        let schemas = address.and_then(|address| self.schemas.get(address));
        schemas.map(|schemas| Part::Block(&schemas.provider.block)).into_iter().collect()
    }
}

/// What has attributes and blocks in a schema.
#[derive(Clone, Copy)]
enum Part<'a> {
    Block(&'a Schema),
    Object(&'a NestedObject),
}

impl<'a> Part<'a> {
    fn attribute(self, name: &str) -> Option<&'a Attribute> {
        match self {
            Self::Block(block) => block.attribute(name),
            Self::Object(object) => object.attributes.iter().find(|attribute| attribute.name == name),
        }
    }

    /// What is in an attribute or block of that name: blocks may be written as attributes, and the other way about.
    fn inner(self, name: &str) -> Option<Inner<'a>> {
        if let Self::Block(block) = self
            && let Some(nested) = block.block(name)
        {
            return Some(Inner::Parts(Part::Block(&nested.block)));
        }
        let attribute = self.attribute(name)?;
        Some(match &attribute.ty {
            _ if attribute.sensitive || attribute.write_only => Inner::Secret,
            AttributeType::Nested(object) if text::has_secrets(attribute) => {
                Inner::Parts(Part::Object(object))
            }
            _ => Inner::Plain,
        })
    }
}

enum Inner<'a> {
    Plain,
    Secret,
    Parts(Part<'a>),
}

/// Arguments and blocks of resources and providers that are core's own.
const OWN: &[&str] = &["count", "for_each", "depends_on", "provider", "lifecycle", "alias", "version"];

/// Blocks in which a schema has no say.
const PLAIN: &[&str] = &["check", "import", "locals", "module", "moved", "removed", "terraform"];

struct Redactor<'a> {
    known: &'a Redaction,
    hidden: usize,
    /// What secrets are taken from: `local.name` and `var.name`.
    sources: BTreeSet<(String, String)>,
}

impl Redactor<'_> {
    /// A block that no other is around.
    fn top(&mut self, block: &mut Block) {
        let known = self.known;
        match (block.ident.as_str(), block.labels.first().map(BlockLabel::as_str)) {
            (kind @ ("resource" | "data" | "ephemeral"), Some(type_name)) => {
                let parts = known.resources(kind, type_name);
                self.body(&mut block.body, &parts, OWN);
            }
            ("action", Some(type_name)) => {
                let parts = known.resources("action", type_name);
                block.body.blocks_mut().for_each(|config| self.body(&mut config.body, &parts, &[]));
            }
            ("provider", Some(name)) => {
                let parts = known.provider(name);
                self.body(&mut block.body, &parts, OWN);
            }
            ("output" | "variable", _) => {
                let is_true = |value: &Expression| value.as_bool() == Some(true);
                if block.body.get_attribute("sensitive").is_some_and(|it| is_true(&it.value)) {
                    ["value", "default"].iter().for_each(|name| self.hide_in(&mut block.body, name));
                }
            }
            (plain, _) if PLAIN.contains(&plain) => block.body.blocks_mut().for_each(|inner| {
                if plain == "check" {
                    self.top(inner);
                }
            }),
            _ => self.all(&mut block.body),
        }
    }

    /// What a schema describes; what it does not know is hidden.
    fn body(&mut self, body: &mut Body, parts: &[Part<'_>], own: &[&str]) {
        for mut attribute in body.attributes_mut() {
            let name = attribute.get().key.as_str().to_owned();
            if !own.contains(&name.as_str()) {
                self.value(attribute.value_mut(), &inner(parts, &name));
            }
        }
        for block in body.blocks_mut() {
            match (block.ident.as_str(), block.labels.first().map(BlockLabel::as_str)) {
                (name, _) if own.contains(&name) => {}
                // The commands are the author's; what a connection takes is for getting in.
                ("provisioner", _) if !own.is_empty() => {
                    block.body.blocks_mut().for_each(|inner| self.all(&mut inner.body));
                }
                ("dynamic", Some(name)) => self.dynamic(&mut block.body, &inner(parts, name)),
                (name, _) => self.nested(&mut block.body, &inner(parts, name)),
            }
        }
        let is_each = |(root, _): &(String, String)| root == "each";
        if own.contains(&"for_each") && self.sources.iter().any(is_each) {
            self.sources.retain(|source| !is_each(source));
            self.hide_in(body, "for_each");
        }
    }

    fn nested(&mut self, body: &mut Body, all: &[Inner<'_>]) {
        if all.is_empty() || all.iter().any(|it| matches!(it, Inner::Secret)) {
            return self.all(body);
        }
        let parts = parts(all);
        if !parts.is_empty() {
            self.body(body, &parts, &[]);
        }
    }

    /// A `dynamic` block: where a secret comes from cannot be told, so that its elements are hidden with it.
    fn dynamic(&mut self, body: &mut Body, all: &[Inner<'_>]) {
        let before = self.hidden;
        body.get_blocks_mut("content").for_each(|content| self.nested(&mut content.body, all));
        let secrets = |part: &Part<'_>| match part {
            Part::Block(block) => has_secrets(block),
            Part::Object(_) => true,
        };
        if self.hidden > before || parts(all).iter().any(secrets) {
            self.hide_in(body, "for_each");
        }
    }

    fn value(&mut self, value: &mut Expression, all: &[Inner<'_>]) {
        if all.is_empty() || all.iter().any(|it| matches!(it, Inner::Secret)) {
            return self.hide(value);
        }
        let parts = parts(all);
        if !parts.is_empty() {
            self.objects(value, &parts);
        }
    }

    /// One object, or several in a list or a map.
    fn objects(&mut self, value: &mut Expression, parts: &[Part<'_>]) {
        let in_map = parts.iter().any(|part| matches!(part, Part::Object(it) if it.nesting == Nesting::Map));
        match value {
            Expression::Array(elements) => {
                elements.iter_mut().for_each(|element| self.objects(element, parts));
            }
            Expression::Object(members) if in_map => {
                members.iter_mut().for_each(|(_, member)| match member.expr_mut() {
                    Expression::Object(members) => self.members(members, parts),
                    other => self.hide(other),
                })
            }
            Expression::Object(members) => self.members(members, parts),
            other => self.hide(other),
        }
    }

    fn members(&mut self, members: &mut Object, parts: &[Part<'_>]) {
        for (key, member) in members.iter_mut() {
            let name = match (key.as_ident(), key.as_expr()) {
                (Some(name), _) => name.as_str(),
                (None, Some(Expression::String(name))) => name.as_str(),
                _ => "",
            };
            self.value(member.expr_mut(), &inner(parts, name));
        }
    }

    fn all(&mut self, body: &mut Body) {
        body.attributes_mut().for_each(|mut attribute| self.hide(attribute.value_mut()));
        body.blocks_mut().for_each(|block| self.all(&mut block.body));
    }

    /// Hides the value of an argument, if it is there.
    fn hide_in(&mut self, body: &mut Body, argument: &str) {
        body.get_attribute_mut(argument).into_iter().for_each(|mut it| self.hide(it.value_mut()));
    }

    /// Puts words into the place of a value, unless it is null or a reference.
    fn hide(&mut self, value: &mut Expression) {
        match value {
            Expression::Null(_) | Expression::Variable(_) => {}
            Expression::Traversal(reference) => self.sources.extend(source(reference)),
            Expression::Parenthesis(inner) => self.hide(inner.inner_mut()),
            Expression::FuncCall(call) if is_mark(call) => call.args.iter_mut().for_each(|it| self.hide(it)),
            Expression::String(text) if text.as_str() == SENSITIVE => {}
            _ => {
                let decor = value.decor().clone();
                *value = Expression::from(SENSITIVE);
                *value.decor_mut() = decor;
                self.hidden += 1;
            }
        }
    }

    /// Hides what secrets are taken from, which may be taken from elsewhere itself.
    fn follow(&mut self, body: &mut Body) {
        let mut done = BTreeSet::new();
        while let Some(source) = self.sources.difference(&done).next().cloned() {
            let (root, name) = &source;
            for block in body.blocks_mut() {
                let is_variable = block.has_ident("variable") && block.has_labels(&[name]);
                let argument = match root.as_str() {
                    "local" if block.has_ident("locals") => name.as_str(),
                    "var" if is_variable => "default",
                    _ => continue,
                };
                self.hide_in(&mut block.body, argument);
            }
            done.insert(source);
        }
    }
}

/// What the configuration itself calls sensitive, wherever that is.
impl VisitMut for Redactor<'_> {
    fn visit_func_call_mut(&mut self, call: &mut FuncCall) {
        if call.name.name.as_str() == "sensitive" {
            call.args.iter_mut().for_each(|argument| self.hide(argument));
        }
        visit_func_call_mut(self, call);
    }
}

fn inner<'a>(parts: &[Part<'a>], name: &str) -> Vec<Inner<'a>> {
    parts.iter().filter_map(|part| part.inner(name)).collect()
}

fn parts<'a>(all: &[Inner<'a>]) -> Vec<Part<'a>> {
    let part = |inner: &Inner<'a>| match inner {
        Inner::Parts(part) => Some(*part),
        Inner::Plain | Inner::Secret => None,
    };
    all.iter().filter_map(part).collect()
}

fn has_secrets(block: &Schema) -> bool {
    block.attributes.iter().any(text::has_secrets) || block.blocks.iter().any(|it| has_secrets(&it.block))
}

fn is_mark(call: &FuncCall) -> bool {
    matches!(call.name.name.as_str(), "sensitive" | "nonsensitive")
}

/// The first two names of a reference.
fn source(reference: &Traversal) -> Option<(String, String)> {
    let root = reference.expr.as_variable()?.as_str().to_owned();
    let name = match reference.operators.first().map(|it| it.value())? {
        TraversalOperator::GetAttr(name) => name.as_str().to_owned(),
        _ => return None,
    };
    Some((root, name))
}

#[cfg(test)]
mod tests;
