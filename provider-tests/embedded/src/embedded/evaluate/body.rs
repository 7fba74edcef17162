//! Bodies by their schema.

use std::collections::HashMap;
use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock as BlockSchema, NestedObject, Nesting,
    Presence,
};
use ferroform::ty::{ObjectType, Type};
use ferroform::value::{Entries, Value};
use ferroform_core::schema::walk::{self, Member};

use super::deprecated_use::{ReportedAt, before_set, inner_place};
use super::dynamic::{ExpandedBlock, label_problem, written_blocks};
use super::{as_blocks, marks};
use crate::diagnostic::Diagnostic;
use crate::embedded::check::Check;
use crate::embedded::log::Log;
use crate::embedded::scope::{Scope, deprecated_parts, ephemeral_paths, evaluate, sensitive_paths};
use crate::embedded::source_ranges;
use crate::language::module::{Body, unsupported_argument};
use crate::language::rule::Rule;
use crate::language::{Deprecation, MarkSet, Marked, Subject, convert};

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

impl Decoded {
    pub(in crate::embedded) fn is_wrong(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Tells what is wrong with it. `None` if there are errors so far.
    pub(in crate::embedded) fn report_to(mut self, log: &mut Log) -> Option<Self> {
        log.extend(std::mem::take(&mut self.diagnostics));
        log.is_fine().then_some(self)
    }
}

/// The value of a body: what is left out is null or absent, and what is written is converted to its type.
pub(in crate::embedded) fn decode(body: &Body, block: &Block, scope: &Scope<'_>) -> Decoded {
    let as_blocks = as_blocks::are_allowed(block);
    let mut decoder = Decoder::new(scope, as_blocks);
    let value = decoder.body(body, block, &Path::root());
    let Decoder { sensitive, ephemeral, mut diagnostics, .. } = decoder;
    let sensitive = if sensitive.is_empty() { sensitive } else { marks::within(&value, sensitive) };
    // What is deprecated is looked for in a value, which there is not where something is wrong.
    if diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.retain(Diagnostic::is_error);
    }
    Decoded { value, sensitive, ephemeral, diagnostics }
}

/// The value of the body of something that is stored: what is ephemeral has a place only where the schema says
/// write-only.
pub(in crate::embedded) fn decode_stored(body: &Body, block: &Block, scope: &Scope<'_>) -> Decoded {
    let mut decoded = decode(body, block, scope);
    if !decoded.is_wrong() {
        decoded.diagnostics.extend(misplaced_ephemeral((body, block), &decoded, scope));
    }
    decoded
}

/// The errors of ephemeral values that would be stored.
pub(in crate::embedded) fn misplaced_ephemeral(
    (body, block): (&Body, &Block),
    decoded: &Decoded,
    scope: &Scope<'_>,
) -> Vec<Diagnostic> {
    if !scope.layout.checks.has(Check::EphemeralStored) || !Rule::EphemeralArgument.holds() {
        return Vec::new();
    }
    let paths = marks::within(&decoded.value, decoded.ephemeral.iter().cloned());
    let paths = paths.into_iter().filter(|path| !is_write_only(block, path.steps()));
    let errors = paths.map(|path| {
        let is_in_block = |step: &Step| matches!(step, Step::Attribute(name) if block.block(name).is_some());
        // Core points at the whole argument, as which in JSON all blocks of a type are written, or at the end of the body.
        let place = match path.steps() {
            [Step::Attribute(name), ..] if body.argument(name).is_some() => {
                body.argument(name).map(|it| it.subject().clone())
            }
            [first, ..] if is_in_block(first) => body.brace.clone(),
            _ => source_ranges::argument(body, &path),
        };
        let error = Diagnostic::error("Invalid use of ephemeral value", STORED).about(place);
        Diagnostic { path: Some(path), ..error }
    });
    errors.collect()
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
    holds_write_only_at(block.into(), path)
}

fn holds_write_only_at(body: walk::Body<'_>, path: &[Step]) -> bool {
    let [Step::Attribute(name) | Step::Key(name), rest @ ..] = path else { return false };
    let Some(member) = body.member(name) else { return false };
    let is_write_only = matches!(member, Member::Attribute(attribute) if attribute.write_only);
    is_write_only
        || member.nested().is_some_and(|(nesting, inner)| match nesting {
            Nesting::Single => holds_write_only_at(inner, rest),
            // What is repeated has a step of its own.
            Nesting::List | Nesting::Set | Nesting::Map => {
                holds_write_only_at(inner, rest.get(1..).unwrap_or_default())
            }
        })
}

pub(super) struct Decoder<'a> {
    pub(super) scope: &'a Scope<'a>,
    /// Whether lists and sets of objects may be written as blocks.
    as_blocks: bool,
    /// The marks that each argument gets.
    marks: MarkSet,
    /// Whether what is written is not known yet, as it is within blocks whose number is not known.
    is_unknown: bool,
    /// The end of the body, where core points for what has no place of its own in it.
    pub(super) brace: Option<Subject>,
    /// Where warnings are reported about what is in an element of a set, or was made by a `dynamic` block: no path leads there.
    pub(super) reports_at: Option<ReportedAt>,
    /// What was reported as deprecated, by the path.
    pub(super) reported: HashMap<Path, Vec<Arc<Deprecation>>>,
    sensitive: Vec<Path>,
    ephemeral: Vec<Path>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Decoder<'a> {
    fn new(scope: &'a Scope<'a>, as_blocks: bool) -> Self {
        Self {
            scope,
            as_blocks,
            marks: MarkSet::default(),
            is_unknown: false,
            brace: None,
            reports_at: None,
            reported: HashMap::new(),
            sensitive: Vec::new(),
            ephemeral: Vec::new(),
            diagnostics: Vec::new(),
        }
    }
}

impl Decoder<'_> {
    /// Adds a message about a part that stands there.
    fn report_at(&mut self, path: &Path, place: Option<&Subject>, (summary, detail): (&str, String)) {
        let diagnostic = Diagnostic { path: Some(path.clone()), ..Diagnostic::error(summary, detail) };
        self.diagnostics.push(diagnostic.about(place));
    }

    fn body(&mut self, body: &Body, schema: &Block, path: &Path) -> Value {
        self.brace.clone_from(&body.brace);
        self.diagnostics.extend(validate_body(body, schema, self.as_blocks, path));
        let mut whole = Vec::with_capacity(schema.attributes.len() + schema.blocks.len());
        for attribute in &schema.attributes {
            whole.push((&*attribute.name, self.attribute(attribute, body, path)));
        }
        for nested in &schema.blocks {
            whole.push((&*nested.name, self.blocks(nested, body, path)));
        }
        Value::Object(Entries::from_iter(whole))
    }

    fn attribute(&mut self, schema: &Attribute, body: &Body, path: &Path) -> Value {
        let name = &*schema.name;
        if let Some(block) = written_as_blocks(schema, body, self.as_blocks) {
            return self.elements(schema, &block, body, path);
        }
        let Some(expr) = body.argument(name) else { return Value::Null };
        let path = path.clone().attribute(name.to_owned());
        let evaluated =
            if self.is_unknown { Ok(Marked::unknown(Type::Dynamic)) } else { evaluate(expr, self.scope) };
        let value = match evaluated {
            Ok(value) => value.mark(self.marks.clone()),
            Err(problems) => {
                self.failed(&path, problems);
                return Value::unknown();
            }
        };
        self.sensitive.extend(sensitive_paths(&value).iter().map(|mark| path.clone().join(mark)));
        self.ephemeral.extend(ephemeral_paths(&value).iter().map(|mark| path.clone().join(mark)));
        let constraint = constraint(&schema.ty);
        for (inner, what) in deprecated_parts(&value, self.scope) {
            let part = before_set(&constraint, inner.steps()).iter().cloned().collect();
            let own =
                || ReportedAt { path: path.clone().join(&part), place: Some(expr.place_of_part(&part)) };
            self.report_deprecated(what, self.reports_at.clone().unwrap_or_else(own));
        }
        match convert(value, &constraint) {
            Ok(value) => value.into_value(&constraint),
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

    /// The attribute of which blocks are the elements. Without blocks it is null, even where it is required.
    fn elements(&mut self, schema: &Attribute, block: &Block, body: &Body, path: &Path) -> Value {
        let path = path.clone().attribute(schema.name.to_string());
        let is_set = matches!(schema.ty, AttributeType::Plain(Type::Set(_)));
        let (written, problems) = written_blocks(body, (&schema.name, BlockNesting::List), self.scope);
        self.failed(&path, problems);
        let place = |at| if is_set { path.clone().element() } else { path.clone().index(at) };
        let written: Vec<_> = written.iter().enumerate().map(|(at, it)| (place(at), it)).collect();
        let at = |path| BlockPlace { path, inner_place: body.brace.as_ref() };
        let values: Vec<_> = written.iter().map(|(path, it)| self.element(it, block, at(path))).collect();
        match values {
            none if none.is_empty() => Value::Null,
            values if is_set => Value::set(values),
            values => Value::list(values),
        }
    }

    fn blocks(&mut self, schema: &BlockSchema, body: &Body, path: &Path) -> Value {
        let path = path.clone().attribute(schema.name.to_string());
        let (written, problems) = written_blocks(body, (&schema.name, schema.nesting), self.scope);
        self.failed(&path, problems);
        let (blocks, place, inner_place) = (&*written, body.brace.as_ref(), inner_place(schema, body, &path));
        let written = BlocksOfType { blocks, place, inner_place, path: &path };
        match schema.nesting {
            BlockNesting::Single | BlockNesting::Group => self.one_block(schema, written),
            BlockNesting::Map => self.labelled_blocks(schema, written),
            BlockNesting::List | BlockNesting::Set => self.repeated_blocks(schema, written),
        }
    }

    /// The value of a nested block, within the iterators that it was made with.
    fn nested(&mut self, block: &ExpandedBlock<'_>, schema: &Block, at: BlockPlace<'_>) -> Value {
        let scope = Scope { each: block.each.as_ref().unwrap_or(self.scope.each), ..*self.scope };
        let mut inner = Decoder {
            marks: MarkSet { deprecated: Vec::new(), ..block.marks.clone() },
            is_unknown: self.is_of_unknown_number(block),
            reports_at: self.reports_within(block, at),
            reported: std::mem::take(&mut self.reported),
            ..Decoder::new(&scope, self.as_blocks)
        };
        let value = inner.body(&block.body, schema, at.path);
        let Decoder { sensitive, ephemeral, diagnostics, reported, .. } = inner;
        self.sensitive.extend(sensitive);
        self.ephemeral.extend(ephemeral);
        self.diagnostics.extend(diagnostics);
        self.reported = reported;
        value
    }

    /// The value of one of several blocks, which as a whole has the marks of the collection that it is made of. Core loses
    /// these where attributes may be written as blocks, since it wraps each block there. Observed on Terraform 1.15.5.
    fn element(&mut self, block: &ExpandedBlock<'_>, schema: &Block, at: BlockPlace<'_>) -> Value {
        if !self.as_blocks {
            self.sensitive.extend(block.marks.sensitive.then(|| at.path.clone()));
            self.ephemeral.extend(block.marks.ephemeral.then(|| at.path.clone()));
            if !self.is_of_unknown_number(block) {
                self.report_collection(block, at.path);
            }
        }
        self.nested(block, schema, at)
    }

    /// Whether a block stands for a number of blocks that is not known.
    fn is_of_unknown_number(&self, block: &ExpandedBlock<'_>) -> bool {
        self.is_unknown || block.is_unknown
    }

    /// Blocks whose number is not known: nothing in them has marks.
    fn unknown_blocks(&mut self, written: BlocksOfType<'_>) -> Value {
        let is_outside = |path: &Path| !path.steps().starts_with(written.path.steps());
        self.sensitive.retain(is_outside);
        self.ephemeral.retain(is_outside);
        Value::unknown()
    }

    fn repeated_blocks(&mut self, schema: &BlockSchema, written: BlocksOfType<'_>) -> Value {
        let is_set = schema.nesting == BlockNesting::Set;
        let mut values = Vec::with_capacity(written.blocks.len());
        for (at, block) in written.blocks.iter().enumerate() {
            let path = if is_set { written.path.clone().element() } else { written.path.clone().index(at) };
            values.push(self.element(block, &schema.block, written.at(&path)));
            if self.is_of_unknown_number(block) {
                return self.unknown_blocks(written);
            }
        }
        self.check_count(schema, written);
        match schema.absent() {
            absent if values.is_empty() => absent,
            Value::Dynamic(_) => schema.dynamic_value(Value::Tuple(values)),
            Value::Set(_) => Value::set(values),
            _ => Value::List(values),
        }
    }

    fn one_block(&mut self, schema: &BlockSchema, written: BlocksOfType<'_>) -> Value {
        let (name, path) = (&schema.name, written.path);
        let Some((block, others)) = written.blocks.split_first() else {
            if schema.min_items > 0 {
                let about =
                    (&*format!("Missing {name} block"), format!("A {name:?} block is required here."));
                self.report_at(path, written.place, about);
            }
            return schema.absent();
        };
        if let Some(surplus) = others.first() {
            let detail = format!("Only one block of type {name:?} is expected.");
            self.report_at(path, Some(&surplus.place), (&format!("Duplicate {name} block"), detail));
        }
        self.nested(block, &schema.block, written.at(path))
    }

    fn labelled_blocks(&mut self, schema: &BlockSchema, written: BlocksOfType<'_>) -> Value {
        let (name, path) = (&schema.name, written.path);
        let mut values: Vec<(&str, Value)> = Vec::new();
        for block in written.blocks {
            let Some(label) = block.labels.first() else { continue };
            if values.iter().any(|(other, _)| other == label) {
                let detail = format!("A block of type {name:?} with key {label:?} was already defined.");
                self.report_at(path, Some(&block.place), (&format!("Duplicate {name} block"), detail));
                continue;
            }
            let value = self.element(block, &schema.block, written.at(&path.clone().key(label.clone())));
            if self.is_of_unknown_number(block) {
                return self.unknown_blocks(written);
            }
            values.push((label, value));
        }
        match schema.absent() {
            absent if values.is_empty() => absent,
            Value::Dynamic(_) => schema.dynamic_value(Value::object(values)),
            _ => Value::map(values),
        }
    }

    fn check_count(&mut self, schema: &BlockSchema, written: BlocksOfType<'_>) {
        let (name, min, max) = (&schema.name, schema.min_items as usize, schema.max_items as usize);
        if written.blocks.len() < min {
            let detail = format!("At least {min} {name:?} blocks are required.");
            self.report_at(written.path, written.place, (&format!("Insufficient {name} blocks"), detail));
        } else if let Some(surplus) = written.blocks.get(max).filter(|_| max > 0) {
            let detail = format!("No more than {max} {name:?} blocks are allowed.");
            let about = (&*format!("Too many {name} blocks"), detail);
            self.report_at(written.path, surplus.body.brace.as_ref(), about);
        }
    }
}

/// The blocks of a type in a body.
#[derive(Clone, Copy)]
struct BlocksOfType<'a> {
    blocks: &'a [ExpandedBlock<'a>],
    /// Where missing ones are reported.
    place: Option<&'a Subject>,
    /// Where it is reported what has no path, within a set and within what a `dynamic` block made.
    inner_place: Option<&'a Subject>,
    path: &'a Path,
}

impl<'a> BlocksOfType<'a> {
    /// Where one of them is.
    fn at<'p>(self, path: &'p Path) -> BlockPlace<'p>
    where
        'a: 'p,
    {
        BlockPlace { path, inner_place: self.inner_place }
    }
}

/// Where a block is, and where it is reported what has no path within it.
#[derive(Clone, Copy)]
pub(super) struct BlockPlace<'a> {
    pub(super) path: &'a Path,
    pub(super) inner_place: Option<&'a Subject>,
}

/// What blocks in the place of an attribute have. Where the attribute itself is written, there are none.
pub(super) fn written_as_blocks(schema: &Attribute, body: &Body, as_blocks: bool) -> Option<Block> {
    let written = body.argument(&schema.name).is_some();
    if as_blocks && !written { as_blocks::block(schema) } else { None }
}

/// What a body has that its schema does not, and the arguments that it lacks.
pub(super) fn validate_body(body: &Body, schema: &Block, as_blocks: bool, path: &Path) -> Vec<Diagnostic> {
    let as_block = |attribute: &Attribute| written_as_blocks(attribute, body, as_blocks).is_some();
    let is_block = |name: &str| schema.block(name).is_some() || schema.attribute(name).is_some_and(as_block);
    let mut found = super::dynamic::misplaced_in_json(body, is_block);
    if !body.is_overridden() {
        found.extend(surplus_arguments(body, schema, path));
        for block in body.blocks.iter().filter(|block| !is_block(block.produces())) {
            let name = block.produces();
            let unsupported = || {
                let detail = format!("Blocks of type {name:?} are not expected here.");
                let label = (block.type_name == "dynamic").then(|| block.label_place(0)).flatten();
                let place = label.unwrap_or_else(|| block.type_place());
                Diagnostic::error("Unsupported block type", detail).on(place)
            };
            // A dynamic block that names no type.
            let problem = if name == "dynamic" { label_problem(block, Some("type")) } else { None };
            let path = path.clone().attribute(name.to_owned());
            found.push(Diagnostic { path: Some(path), ..problem.unwrap_or_else(unsupported) });
        }
    }
    let required = schema.attributes.iter().filter(|it| it.presence == Presence::Required && !as_block(it));
    for attribute in required.filter(|attribute| body.lacks(&attribute.name)) {
        let detail = format!("The argument {:?} is required, but no definition was found.", attribute.name);
        let error = Diagnostic::error("Missing required argument", detail).about(body.brace.as_ref());
        let path = path.clone().attribute(attribute.name.to_string());
        found.push(Diagnostic { path: Some(path), ..error });
    }
    found
}

/// The arguments of a body that its schema does not have, or that it has already.
fn surplus_arguments(body: &Body, schema: &Block, path: &Path) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (at, argument) in body.arguments.iter().enumerate() {
        let (name, is_json) = (&argument.name, argument.value.is_json());
        let is_block = schema.block(name).is_some();
        let is_known = schema.attribute(name).is_some() && !is_block;
        let error = |summary: &str, detail: String| Diagnostic::error(summary, detail);
        let error = if is_json && is_known && body.is_repeated(at) {
            argument.duplicate()
        } else if !is_json && body.is_repeated(at) {
            let detail =
                format!("The argument {name:?} was already set. Each argument may be set only once.");
            error("Attribute redefined", detail)
        } else if is_known || is_json && (is_block || name == "dynamic") {
            // In JSON a block looks like an argument.
            continue;
        } else if is_json {
            let detail = format!("No argument or block type is named {name:?}.");
            error("Extraneous JSON object property", detail).on(argument.value.name())
        } else {
            unsupported_argument(name, &argument.value, is_block)
        };
        found.push(Diagnostic { path: Some(path.clone().attribute(name.clone())), ..error });
    }
    found
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
