//! Bodies by their schema.

use ferroform::path::{Path, Step};
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock as BlockSchema, NestedObject, Nesting,
    Presence,
};
use ferroform::ty::{ObjectType, Type};
use ferroform::value::{Entries, Value, convert};

use super::dynamic::{Blocks, ExpandedBlock, written_blocks};
use super::{as_blocks, marks};
use crate::diagnostic::Diagnostic;
use crate::embedded::check::Check;
use crate::embedded::scope::{Scope, deprecations, ephemeral_paths, evaluate, sensitive_paths};
use crate::embedded::source_ranges;
use crate::language::Subject;
use crate::language::module::Body;
use crate::language::rule::Rule;

/// A configuration as it is sent to a provider.
pub(in crate::embedded) struct Decoded {
    /// The value; of no use when there are errors.
    pub(in crate::embedded) value: Value,
    /// What is sensitive in it.
    pub(in crate::embedded) sensitive: Vec<Path>,
    /// What must not be stored of it.
    pub(in crate::embedded) ephemeral: Vec<Path>,
    /// What is wrong with it.
    pub(in crate::embedded) diagnostics: Vec<Diagnostic>,
}

/// The value of a body: what is left out is null or absent, and what is written is converted to its type.
pub(in crate::embedded) fn decode(body: &Body, block: &Block, scope: &Scope<'_>) -> Decoded {
    let as_blocks = as_blocks::are_allowed(block);
    let mut decoder = Decoder::new(scope, as_blocks);
    let value = decoder.body(body, block, &Path::root());
    let Decoder { sensitive, ephemeral, diagnostics, .. } = decoder;
    let sensitive = if sensitive.is_empty() { sensitive } else { marks::within(&value, sensitive) };
    Decoded { value, sensitive, ephemeral, diagnostics }
}

/// The value of the body of something that is stored: what is ephemeral has a place only where the schema says
/// write-only.
pub(in crate::embedded) fn decode_stored(body: &Body, block: &Block, scope: &Scope<'_>) -> Decoded {
    let mut decoded = decode(body, block, scope);
    if decoded.diagnostics.iter().any(Diagnostic::is_error) {
        return decoded;
    }
    let all = decoded.ephemeral.iter().filter(|path| !is_write_only(block, path.steps()));
    let stored =
        all.filter(|_| scope.layout.checks.has(Check::EphemeralStored) && Rule::EphemeralArgument.holds());
    let errors = stored.map(|path| {
        let error = Diagnostic::error("Invalid use of ephemeral value", STORED);
        Diagnostic { path: Some(path.clone()), ..error.about(source_ranges::argument(body, path)) }
    });
    decoded.diagnostics.extend(errors.collect::<Vec<_>>());
    decoded
}

/// Leaves in the body of a resource only what its schema has.
pub(in crate::embedded) fn retain_known(body: &mut Body, schema: &Block) {
    let may_be_block = |name: &str| name == "dynamic" || schema.block(name).is_some();
    body.arguments
        .retain(|it| schema.attribute(&it.name).is_some() || it.value.is_json() && may_be_block(&it.name));
    let as_blocks = as_blocks::are_allowed(schema);
    body.blocks.retain(|it| {
        let attribute = schema.attribute(it.produces()).filter(|_| as_blocks);
        schema.block(it.produces()).is_some() || attribute.is_some_and(|it| as_blocks::block(it).is_some())
    });
}

const STORED: &str = "Ephemeral values have no place in arguments that are not write-only, because these are stored \
                      between one phase and the next.";

/// Whether a path is of something write-only.
pub(in crate::embedded) fn is_write_only(block: &Block, path: &[Step]) -> bool {
    let [Step::Attribute(name), rest @ ..] = path else { return false };
    if let Some(attribute) = block.attribute(name) {
        return is_write_only_attribute(attribute, rest);
    }
    // Blocks that are repeated have a step of their own.
    let Some(nested) = block.block(name) else { return false };
    let rest = match nested.nesting {
        BlockNesting::Single | BlockNesting::Group => rest,
        BlockNesting::List | BlockNesting::Set | BlockNesting::Map => rest.get(1..).unwrap_or_default(),
    };
    is_write_only(&nested.block, rest)
}

fn is_write_only_attribute(attribute: &Attribute, path: &[Step]) -> bool {
    if attribute.write_only {
        return true;
    }
    let AttributeType::Nested(object) = &attribute.ty else { return false };
    let path = match object.nesting {
        Nesting::Single => path,
        Nesting::List | Nesting::Set | Nesting::Map => path.get(1..).unwrap_or_default(),
    };
    let [Step::Attribute(name) | Step::Key(name), rest @ ..] = path else { return false };
    let inner = object.attributes.iter().find(|inner| *inner.name == **name);
    inner.is_some_and(|inner| is_write_only_attribute(inner, rest))
}

struct Decoder<'a> {
    scope: &'a Scope<'a>,
    /// Whether lists and sets of objects may be written as blocks.
    as_blocks: bool,
    sensitive: Vec<Path>,
    ephemeral: Vec<Path>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Decoder<'a> {
    fn new(scope: &'a Scope<'a>, as_blocks: bool) -> Self {
        Self { scope, as_blocks, sensitive: Vec::new(), ephemeral: Vec::new(), diagnostics: Vec::new() }
    }
}

impl Decoder<'_> {
    /// Adds a message about a part that stands there.
    fn report_at(&mut self, path: &Path, place: Option<&Subject>, (summary, detail): (&str, String)) {
        let diagnostic = Diagnostic { path: Some(path.clone()), ..Diagnostic::error(summary, detail) };
        self.diagnostics.push(diagnostic.about(place));
    }

    fn report(&mut self, path: &Path, summary: &str, detail: String) {
        let diagnostic = Diagnostic { path: Some(path.clone()), ..Diagnostic::error(summary, detail) };
        self.diagnostics.push(diagnostic);
    }

    fn body(&mut self, body: &Body, schema: &Block, path: &Path) -> Value {
        self.refuse_others(body, schema, path);
        let mut whole = Vec::with_capacity(schema.attributes.len() + schema.blocks.len());
        for attribute in &schema.attributes {
            whole.push((&*attribute.name, self.attribute(attribute, body, path)));
        }
        for nested in &schema.blocks {
            whole.push((&*nested.name, self.blocks(nested, body, path)));
        }
        Value::Object(Entries::from_iter(whole))
    }

    fn refuse_others(&mut self, body: &Body, schema: &Block, path: &Path) {
        let is_block = |name: &str| {
            let as_block =
                schema.attribute(name).and_then(|attribute| self.written_as_blocks(attribute, body));
            schema.block(name).is_some() || as_block.is_some()
        };
        let blocks = body.blocks.iter().map(|block| (block.produces(), block.type_place()));
        let others: Vec<_> = blocks.filter(|(name, _)| !is_block(name)).collect();
        for (summary, detail, place) in super::dynamic::misplaced_in_json(body, is_block) {
            self.report_at(path, Some(&place), (summary, detail));
        }
        if body.is_overridden() {
            return;
        }
        for (at, argument) in body.arguments.iter().enumerate() {
            let (name, place) = (&argument.name, Some(argument.value.name()));
            let inner = path.clone().attribute(name.clone());
            if body.arguments.iter().take(at).any(|other| other.name == *name) {
                let detail =
                    format!("The argument {name:?} was already set. Each argument may be set only once.");
                self.report(&inner, "Attribute redefined", detail);
            } else if super::dynamic::is_json(body, name)
                && (name == "dynamic" || schema.block(name).is_some())
            {
                // In JSON a block looks like an argument.
            } else if schema.block(name).is_some() {
                let detail = format!(
                    "An argument named {name:?} is not expected here. Did you mean to define a block of type \
                     {name:?}?"
                );
                self.report_at(&inner, place.as_ref(), ("Unsupported argument", detail));
            } else if schema.attribute(name).is_none() {
                let detail = format!("An argument named {name:?} is not expected here.");
                self.report_at(&inner, place.as_ref(), ("Unsupported argument", detail));
            }
        }
        for (name, place) in others {
            let detail = format!("Blocks of type {name:?} are not expected here.");
            let path = path.clone().attribute(name.to_owned());
            self.report_at(&path, Some(&place), ("Unsupported block type", detail));
        }
    }

    fn attribute(&mut self, schema: &Attribute, body: &Body, path: &Path) -> Value {
        let name = &*schema.name;
        if let Some(block) = self.written_as_blocks(schema, body) {
            return self.elements(schema, &block, body, path);
        }
        if schema.presence == Presence::Required && body.lacks(name) {
            let detail = format!("The argument {name:?} is required, but no definition was found.");
            let path = path.clone().attribute(name.to_owned());
            self.report_at(&path, body.brace.as_ref(), ("Missing required argument", detail));
        }
        let Some(expr) = body.argument(name) else { return Value::Null };
        let path = path.clone().attribute(name.to_owned());
        let value = match evaluate(expr, self.scope) {
            Ok(value) => value,
            Err(problems) => {
                self.failed(&path, problems);
                return Value::unknown();
            }
        };
        self.sensitive.extend(sensitive_paths(&value).iter().map(|mark| path.clone().join(mark)));
        self.ephemeral.extend(ephemeral_paths(&value).iter().map(|mark| path.clone().join(mark)));
        let deprecated = deprecations(&value, self.scope).into_iter().map(|it| {
            let inner = it.path.clone().unwrap_or_default();
            Diagnostic { path: Some(path.clone().join(&inner)), ..it.on(expr.place_of_part(&inner)) }
        });
        self.diagnostics.extend(deprecated);
        match convert(&value.into_value(&Type::Dynamic), &constraint(&schema.ty)) {
            Ok(value) => value,
            Err(error) => {
                let detail = format!("Inappropriate value for attribute {name:?}: {error}.");
                let about = ("Incorrect attribute value type", detail);
                self.report_at(&path.join(&error.path), Some(expr.subject()), about);
                Value::unknown()
            }
        }
    }

    /// Adds what is wrong with the value at a path.
    fn failed(&mut self, path: &Path, problems: Vec<Diagnostic>) {
        let about = problems.into_iter().map(|it| Diagnostic { path: Some(path.clone()), ..it });
        self.diagnostics.extend(about);
    }

    /// What blocks in the place of an attribute have. Where the attribute itself is written, there are none.
    fn written_as_blocks(&self, schema: &Attribute, body: &Body) -> Option<Block> {
        let written = body.argument(&schema.name).is_some();
        if self.as_blocks && !written { as_blocks::block(schema) } else { None }
    }

    /// The attribute of which blocks are the elements. Without blocks it is null, even where it is required.
    fn elements(&mut self, schema: &Attribute, block: &Block, body: &Body, path: &Path) -> Value {
        let path = path.clone().attribute(schema.name.to_string());
        let is_set = matches!(schema.ty, AttributeType::Plain(Type::Set(_)));
        let written = match written_blocks(body, (&schema.name, BlockNesting::List), self.scope) {
            Ok(Blocks::Known(written)) => written,
            Ok(Blocks::Unknown) => {
                let members = block.attributes.iter().map(|member| (&*member.name, Value::unknown()));
                let one = [Value::object(members)];
                return if is_set { Value::set(one) } else { Value::list(one) };
            }
            Err(problems) => {
                self.failed(&path, problems);
                return Value::unknown();
            }
        };
        let place = |at| if is_set { path.clone().element() } else { path.clone().index(at) };
        let written: Vec<_> = written.iter().enumerate().map(|(at, it)| (place(at), it)).collect();
        let values: Vec<_> = written.iter().map(|(path, it)| self.nested(it, block, path)).collect();
        match values {
            none if none.is_empty() => Value::Null,
            values if is_set => Value::set(values),
            values => Value::list(values),
        }
    }

    fn blocks(&mut self, schema: &BlockSchema, body: &Body, path: &Path) -> Value {
        let path = path.clone().attribute(schema.name.to_string());
        let written = match written_blocks(body, (&schema.name, schema.nesting), self.scope) {
            Ok(written) => written,
            Err(problems) => {
                self.failed(&path, problems);
                return Value::unknown();
            }
        };
        let Blocks::Known(written) = written else { return super::dynamic::unknown(schema) };
        match schema.nesting {
            BlockNesting::Single | BlockNesting::Group => return self.one_block(schema, &written, &path),
            BlockNesting::Map => return self.labelled_blocks(schema, &written, &path),
            BlockNesting::List | BlockNesting::Set => {}
        }
        self.check_count(schema, written.len(), &path);
        if written.is_empty() {
            return schema.absent();
        }
        let is_set = schema.nesting == BlockNesting::Set;
        let values: Vec<Value> = written
            .iter()
            .enumerate()
            .map(|(at, block)| {
                let path = if is_set { path.clone().element() } else { path.clone().index(at) };
                self.nested(block, &schema.block, &path)
            })
            .collect();
        match schema.absent() {
            Value::Dynamic(_) => schema.dynamic_value(Value::Tuple(values)),
            Value::Set(_) => Value::set(values),
            _ => Value::List(values),
        }
    }

    /// The value of a nested block, within the iterators that it was made with.
    fn nested(&mut self, block: &ExpandedBlock<'_>, schema: &Block, path: &Path) -> Value {
        let Some(each) = &block.each else { return self.body(&block.body, schema, path) };
        let scope = Scope { each, ..*self.scope };
        let mut inner = Decoder::new(&scope, self.as_blocks);
        let value = inner.body(&block.body, schema, path);
        let Decoder { sensitive, ephemeral, diagnostics, .. } = inner;
        self.sensitive.extend(sensitive);
        self.ephemeral.extend(ephemeral);
        self.diagnostics.extend(diagnostics);
        value
    }

    fn one_block(&mut self, schema: &BlockSchema, written: &[ExpandedBlock<'_>], path: &Path) -> Value {
        let name = &schema.name;
        match written {
            [] if schema.min_items > 0 => {
                let detail = format!("A {name:?} block is required here.");
                self.report(path, &format!("Missing {name} block"), detail);
                schema.absent()
            }
            [] => schema.absent(),
            [block, others @ ..] => {
                if !others.is_empty() {
                    let detail = format!("Only one block of type {name:?} is expected.");
                    self.report(path, &format!("Duplicate {name} block"), detail);
                }
                self.nested(block, &schema.block, path)
            }
        }
    }

    fn labelled_blocks(&mut self, schema: &BlockSchema, written: &[ExpandedBlock<'_>], path: &Path) -> Value {
        let name = &schema.name;
        let mut values: Vec<(&str, Value)> = Vec::new();
        for block in written {
            let [label] = block.labels.as_slice() else {
                let summary = format!("Missing key for {name}");
                self.report(
                    path,
                    &summary,
                    format!("A block of type {name:?} has exactly one label, its key."),
                );
                continue;
            };
            if values.iter().any(|(other, _)| other == label) {
                let detail = format!("A block of type {name:?} with key {label:?} was already defined.");
                self.report(path, &format!("Duplicate {name} block"), detail);
                continue;
            }
            let value = self.nested(block, &schema.block, &path.clone().key(label.clone()));
            values.push((label, value));
        }
        match schema.absent() {
            absent if values.is_empty() => absent,
            Value::Dynamic(_) => schema.dynamic_value(Value::object(values)),
            _ => Value::map(values),
        }
    }

    fn check_count(&mut self, schema: &BlockSchema, count: usize, path: &Path) {
        let (name, min, max) = (&schema.name, schema.min_items as usize, schema.max_items as usize);
        if count < min {
            let detail = format!("At least {min} {name:?} blocks are required.");
            self.report(path, &format!("Insufficient {name} blocks"), detail);
        } else if max > 0 && count > max {
            let detail = format!("No more than {max} {name:?} blocks are allowed.");
            self.report(path, &format!("Too many {name} blocks"), detail);
        }
    }
}

/// The type that a written value is converted to: what may be left out of nested attributes is optional in it.
fn constraint(ty: &AttributeType) -> Type {
    match ty {
        AttributeType::Plain(ty) => ty.clone(),
        AttributeType::Nested(object) => {
            let element = nested_constraint(object);
            match object.nesting {
                Nesting::Single => element,
                Nesting::List => Type::list(element),
                Nesting::Set => Type::set(element),
                Nesting::Map => Type::map(element),
            }
        }
    }
}

fn nested_constraint(object: &NestedObject) -> Type {
    let types = object.attributes.iter().map(|attribute| (&*attribute.name, constraint(&attribute.ty)));
    let optional = object.attributes.iter().filter(|attribute| attribute.presence != Presence::Required);
    ObjectType::with_optional(types, optional.map(|attribute| &*attribute.name)).into()
}
