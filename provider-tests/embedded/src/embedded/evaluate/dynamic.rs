//! Which blocks a body has: those that are written, those that `dynamic` blocks make, and those of JSON.

use std::borrow::Cow;

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, Block as Schema, BlockNesting, NestedBlock as BlockSchema};
use ferroform::ty::Type;
use ferroform::value::convert;
use hcl_edit::expr::Expression;

use super::body::validate_body;
use crate::address::is_identifier;
use crate::diagnostic::Diagnostic;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::{Scope, evaluate_for_expansion};
use crate::language::module::{Block, Body, SourceExpr, json_blocks};
use crate::language::{MarkSet, Marked, Subject};

/// A block.
pub(super) struct ExpandedBlock<'b> {
    pub(super) labels: Vec<String>,
    pub(super) body: Cow<'b, Body>,
    /// Where it is written.
    pub(super) place: Subject,
    /// What it can refer to, if that is more than what its surroundings can.
    pub(super) each: Option<RepetitionData>,
    /// The marks that its arguments get: those of the collection that it is made of.
    pub(super) marks: MarkSet,
    /// Whether it stands for a number of blocks that is not known yet.
    pub(super) is_unknown: bool,
}

impl<'b> ExpandedBlock<'b> {
    /// A block that is written as it is.
    fn written(labels: Vec<String>, body: Cow<'b, Body>, place: Subject) -> Self {
        Self { labels, body, place, each: None, marks: MarkSet::default(), is_unknown: false }
    }
}

/// The blocks of a type in the order in which they are written, and what is wrong with the others. Those of map nesting
/// have a label.
pub(super) fn written_blocks<'b>(
    body: &'b Body,
    (name, nesting): (&str, BlockNesting),
    scope: &Scope<'_>,
) -> (Vec<ExpandedBlock<'b>>, Vec<Diagnostic>) {
    let is_labelled = nesting == BlockNesting::Map;
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for block in body.blocks.iter().filter(|block| block.produces() == name) {
        if block.type_name == "dynamic" {
            let dynamic = DynamicBlock { name, is_labelled, body: &block.body, place: &block.subject };
            found.extend(dynamic.expand(scope, &mut problems));
        } else if let Some(wrong) = label_problem(block, is_labelled.then_some("key")) {
            problems.push(wrong);
        } else {
            let (labels, body) = (block.labels.clone(), Cow::Borrowed(&block.body));
            found.push(ExpandedBlock::written(labels, body, block.subject.clone()));
        }
    }
    for argument in body.arguments.iter().filter(|it| it.value.is_json()) {
        if argument.name == name {
            for (label, body, place) in json_blocks::written(&argument.value, is_labelled, &mut problems) {
                found.push(ExpandedBlock::written(label.into_iter().collect(), Cow::Owned(body), place));
            }
        } else if argument.name == "dynamic" {
            // `misplaced_in_json` reports problems with the labels, once for all types.
            let labelled = json_blocks::labelled(&argument.value, &mut Vec::new()).into_iter();
            for (_, expr) in labelled.filter(|(label, _)| label == name) {
                for (body, place) in json_blocks::unlabelled(&expr, &mut problems) {
                    let dynamic = DynamicBlock { name, is_labelled, body: &body, place: &place };
                    found.extend(dynamic.expand(scope, &mut problems));
                }
            }
        }
    }
    (found, problems)
}

/// What is wrong with the labels of a block that has one of that name, or none.
pub(super) fn label_problem(block: &Block, label: Option<&str>) -> Option<Diagnostic> {
    let (name, count) = (&block.type_name, usize::from(label.is_some()));
    if let Some(surplus) = block.label_place(count) {
        let detail = format!("Blocks of type {name:?} have {count} labels.");
        return Some(Diagnostic::error(format!("Extraneous label for {name}"), detail).on(surplus));
    }
    let label = label.filter(|_| block.labels.is_empty())?;
    let detail = format!("Blocks of type {name:?} have a label, their {label}.");
    Some(Diagnostic::error(format!("Missing {label} for {name}"), detail).about(block.body.brace.as_ref()))
}

/// What is wrong with the types of blocks that are named below "dynamic" in JSON; `is_block` decides which types there
/// are.
pub(super) fn misplaced_in_json(body: &Body, is_block: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let arguments = body.arguments.iter().filter(|it| it.name == "dynamic" && it.value.is_json());
    let labelled: Vec<_> = arguments.flat_map(|it| json_blocks::labelled(&it.value, &mut problems)).collect();
    for (name, value) in labelled {
        if is_block(&name) {
            continue;
        }
        let blocks = json_blocks::unlabelled(&value, &mut problems).len();
        let detail = format!("Blocks of type {name:?} are not expected here.");
        let problem = Diagnostic::error("Unsupported block type", detail).on(value.name());
        problems.extend(std::iter::repeat_n(problem, blocks));
    }
    problems
}

/// A `dynamic` block.
struct DynamicBlock<'a> {
    /// The type of the blocks that it makes.
    name: &'a str,
    /// Whether these have a label.
    is_labelled: bool,
    body: &'a Body,
    place: &'a Subject,
}

impl DynamicBlock<'_> {
    /// The blocks that it makes, without those that are wrong by themselves.
    fn expand(&self, scope: &Scope<'_>, problems: &mut Vec<Diagnostic>) -> Vec<ExpandedBlock<'static>> {
        self.blocks(scope, problems).unwrap_or_else(|wrong| {
            problems.extend(wrong);
            Vec::new()
        })
    }

    /// The same.
    ///
    /// # Errors
    /// What is wrong with it as a whole.
    fn blocks(
        &self,
        scope: &Scope<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<Vec<ExpandedBlock<'static>>, Vec<Diagnostic>> {
        let wrong = validate_body(self.body, &self.schema(), false, &Path::root());
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (content, for_each) = (self.content(), self.body.argument("for_each"));
        let Some(for_each) = for_each else { return Ok(Vec::new()) };
        let iterator = self.body.argument("iterator").map_or_else(|| Ok(self.name.to_owned()), keyword)?;
        let (collection, marks) = evaluate_for_expansion(for_each, scope)?.unmark();
        let on_collection = |problems: Vec<Diagnostic>| -> Vec<Diagnostic> {
            problems.into_iter().map(|it| it.or_on(for_each.subject())).collect()
        };
        let entries = entries(&collection).map_err(on_collection)?;
        let labels = self.labels()?;
        let content = content?;
        let is_unknown = entries.is_none();
        let any = || vec![(Marked::unknown(Type::Dynamic), Marked::unknown(Type::Dynamic))];
        // What is deprecated as a whole is so in each of its parts.
        let whole = MarkSet { deprecated: marks.deprecated.clone(), ..MarkSet::default() };
        let mut found = Vec::new();
        for (key, value) in entries.unwrap_or_else(any) {
            let (key, value) = (key.mark(whole.clone()), value.mark(whole.clone()));
            let pair = Marked::object(vec![("key".into(), key), ("value".into(), value)]);
            let mut each = scope.each.clone();
            each.iterators.push((iterator.clone(), pair));
            let labels = labels.iter().map(|expr| label(expr, &Scope { each: &each, ..*scope }));
            match labels.collect() {
                Ok(labels) => found.push(ExpandedBlock {
                    labels,
                    body: Cow::Owned(content.clone()),
                    place: self.place.clone(),
                    each: Some(each),
                    marks: marks.clone(),
                    is_unknown,
                }),
                Err(wrong) => problems.extend::<Vec<_>>(wrong),
            }
        }
        Ok(found)
    }

    /// Its arguments and blocks. The number of `content` blocks is checked in [`Self::content`]: core has messages of its
    /// own for it.
    fn schema(&self) -> Schema {
        let labels = self.is_labelled.then(|| Attribute::required("labels", Type::Dynamic));
        let arguments =
            [Attribute::required("for_each", Type::Dynamic), Attribute::optional("iterator", Type::Dynamic)];
        let content = BlockSchema::new("content", BlockNesting::List, Schema::default());
        Schema::new(arguments.into_iter().chain(labels)).blocks(vec![content])
    }

    /// The body of what it makes.
    fn content(&self) -> Result<Body, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let written = self.body.blocks.iter().filter(|block| block.type_name == "content");
        let mut all: Vec<_> = written.map(|block| (block.body.clone(), block.subject.clone())).collect();
        if let Some(expr) = json_blocks::argument(self.body, "content") {
            all.extend(json_blocks::unlabelled(expr, &mut problems));
        }
        if let Some((_, place)) = all.get(1) {
            let detail = "A dynamic block has one block \"content\", which is what it makes.";
            problems.push(Diagnostic::error("Extraneous dynamic content block", detail).on(place));
        } else if all.is_empty() && problems.is_empty() {
            let detail = "A dynamic block needs a block \"content\", which is what it makes.";
            let error = Diagnostic::error("Missing dynamic content block", detail);
            problems.push(error.about(self.body.brace.as_ref()));
        }
        match all.pop() {
            Some((content, _)) if problems.is_empty() => Ok(content),
            _ => Err(problems),
        }
    }

    /// The labels of what it makes.
    fn labels(&self) -> Result<Vec<SourceExpr>, Vec<Diagnostic>> {
        let Some(expr) = self.body.argument("labels") else { return Ok(Vec::new()) };
        let error =
            |summary, detail: &str, place: &Subject| Err(vec![Diagnostic::error(summary, detail).on(place)]);
        if !matches!(expr.expression(), Expression::Array(_)) {
            return error("Invalid expression", "The labels are written as a list.", &expr.start());
        }
        match &*json_blocks::elements(expr) {
            [label] => Ok(vec![label.clone()]),
            [_, surplus, ..] => {
                error("Extraneous dynamic block label", "The blocks have one label.", surplus.subject())
            }
            [] => error("Insufficient dynamic block labels", "The blocks have one label.", expr.subject()),
        }
    }
}

/// The text of a label.
fn label(expr: &SourceExpr, scope: &Scope<'_>) -> Result<String, Vec<Diagnostic>> {
    let label = evaluate_for_expansion(expr, scope)?;
    let is_secret = label.marks.all().is_secret();
    let text = convert(&label.into_value(&Type::Dynamic), &Type::String).ok();
    text.filter(|_| !is_secret).and_then(|text| text.as_str().map(ToOwned::to_owned)).ok_or_else(|| {
        let detail = "Labels are strings that are known and not secret.";
        vec![Diagnostic::error("Invalid dynamic block label", detail).on(expr.subject())]
    })
}

/// The name that an iterator has.
fn keyword(expr: &SourceExpr) -> Result<String, Vec<Diagnostic>> {
    let summary = match expr.expression() {
        Expression::Variable(name) => return Ok(name.as_str().to_owned()),
        Expression::String(name) if expr.is_json() && is_identifier(name) => return Ok(name.value().clone()),
        Expression::String(_) if expr.is_json() => "Invalid dynamic iterator name",
        Expression::Traversal(_) => "Invalid dynamic iterator name",
        _ => "Invalid expression",
    };
    let mut place = expr.subject().clone();
    if let Expression::String(text) = expr.expression()
        && expr.is_json()
    {
        place.span = expr.span_of_text(text.len());
    }
    Err(vec![Diagnostic::error(summary, "The name of an iterator is a single word.").on(place)])
}

/// What the elements of a `dynamic` block are made of: its keys and values; `None` if they are not known yet.
pub(in crate::embedded) fn entries(each: &Marked) -> Result<Option<Vec<(Marked, Marked)>>, Vec<Diagnostic>> {
    let invalid = |detail: &str| Err(vec![Diagnostic::error("Invalid dynamic for_each value", detail)]);
    let set = matches!(each.ty, Type::Set(_));
    let is_collection = matches!(each.ty, Type::List(_) | Type::Tuple(_) | Type::Map(_) | Type::Object(_));
    if !set && !is_collection && each.ty != Type::Dynamic {
        return invalid("The for_each argument must be a list, set, map, tuple or object.");
    }
    if each.is_unknown() {
        return Ok(None);
    }
    if each.is_null() {
        return invalid("The for_each argument is null, but something with elements is required.");
    }
    let whole: MarkSet = each.marks.whole();
    let entry = |(at, (step, part)): (usize, (Step, Marked))| {
        let part = part.mark(whole.clone());
        let key = match step {
            Step::Index(index) => Marked::number(u64::try_from(index).unwrap_or(u64::MAX)),
            Step::Key(name) | Step::Attribute(name) => Marked::string(name),
            _ if set => part.clone(),
            _ => Marked::number(u64::try_from(at).unwrap_or(u64::MAX)),
        };
        (key.mark(whole.clone()), part)
    };
    Ok(Some(each.parts().into_iter().enumerate().map(entry).collect()))
}
