//! Which blocks a body has: those that are written, those that `dynamic` blocks make, and those of JSON.

use std::borrow::Cow;

use ferroform::path::Step;
use ferroform::schema::{BlockNesting, NestedBlock as BlockSchema};
use ferroform::ty::Type;
use ferroform::value::{Value, convert};
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, ObjectKey};

use crate::diagnostic::Diagnostic;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::{Scope, evaluate};
use crate::language::module::{Argument, Body, SourceExpr};
use crate::language::{MarkSet, Marked, Span, Subject};

/// The blocks of a type.
pub(super) enum Blocks<'b> {
    /// All of them.
    Known(Vec<ExpandedBlock<'b>>),
    /// How many a `dynamic` block makes is not known yet.
    Unknown,
}

/// A block.
pub(super) struct ExpandedBlock<'b> {
    pub(super) labels: Vec<String>,
    pub(super) body: Cow<'b, Body>,
    /// What it can refer to, if that is more than what its surroundings can.
    pub(super) each: Option<RepetitionData>,
}

/// Whether an argument was written in JSON, where it may be blocks.
pub(super) fn is_json(body: &Body, name: &str) -> bool {
    json(body, name).is_some()
}

fn json<'b>(body: &'b Body, name: &str) -> Option<&'b SourceExpr> {
    body.argument(name).filter(|expr| expr.is_json())
}

fn error(summary: &str, detail: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error(summary, detail)]
}

/// The blocks of a type in the order in which they are written.
pub(super) fn written_blocks<'b>(
    body: &'b Body,
    (name, nesting): (&str, BlockNesting),
    scope: &Scope<'_>,
) -> Result<Blocks<'b>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    for block in body.blocks.iter().filter(|block| block.produces() == name) {
        if block.type_name == "dynamic" {
            match made(&block.body, name, scope)? {
                Some(made) => found.extend(made),
                None => return Ok(Blocks::Unknown),
            }
        } else {
            let (labels, body) = (block.labels.clone(), Cow::Borrowed(&block.body));
            found.push(ExpandedBlock { labels, body, each: None });
        }
    }
    if let Some(expr) = json(body, name) {
        for (labels, body) in json_of(expr, nesting)? {
            found.push(ExpandedBlock { labels, body: Cow::Owned(body), each: None });
        }
    }
    if let Some(dynamic) = json(body, "dynamic").and_then(|all| member(all, name)) {
        for (_, body) in json_blocks(&dynamic)? {
            match made(&body, name, scope)? {
                Some(made) => found.extend(made.into_iter().map(|it| ExpandedBlock {
                    labels: it.labels,
                    body: Cow::Owned(it.body.into_owned()),
                    each: it.each,
                })),
                None => return Ok(Blocks::Unknown),
            }
        }
    }
    Ok(Blocks::Known(found))
}

/// What is wrong with the types of blocks that are named below "dynamic" in JSON, and where; `is_block` decides
/// which types there are.
pub(super) fn misplaced_in_json(
    body: &Body,
    is_block: impl Fn(&str) -> bool,
) -> Vec<(&'static str, String, Subject)> {
    let Some(expr) = json(body, "dynamic") else { return Vec::new() };
    let (mut found, mut is_labelled) = (Vec::new(), false);
    for element in elements(expr) {
        let Expression::Object(object) = element.expression() else {
            if !matches!(expr.expression(), Expression::Null(_)) {
                let detail = "An object is expected here, whose keys are the types of the blocks.";
                found.push(("Incorrect JSON value type", detail.to_owned(), element.beginning()));
            }
            continue;
        };
        is_labelled |= !object.is_empty();
        for (key, value) in object.iter() {
            let Some(name) = key_text(key).filter(|name| !is_block(name)) else { continue };
            let place = expr.place(key.span().map(Span::from).unwrap_or_default());
            let blocks = elements(&expr.part(value.expr()));
            let blocks = blocks.iter().filter(|it| !matches!(it.expression(), Expression::Null(_)));
            found.extend(blocks.map(|block| match block.expression() {
                Expression::Object(_) => {
                    let detail = format!("Blocks of type {name:?} are not expected here.");
                    ("Unsupported block type", detail, place.clone())
                }
                _ => {
                    let detail = "A block is an object in JSON, and several blocks are an array of objects.";
                    ("Incorrect JSON value type", detail.to_owned(), block.beginning())
                }
            }));
        }
    }
    if !is_labelled {
        let detail = "At least one property is required here, whose name is the type of the blocks.";
        found.push(("Missing block label", detail.to_owned(), expr.beginning()));
    }
    found
}

/// The elements of an array, or the value alone if it is none.
fn elements(expr: &SourceExpr) -> Vec<SourceExpr> {
    match expr.expression() {
        Expression::Array(elements) => elements.iter().map(|element| expr.part(element)).collect(),
        _ => vec![expr.clone()],
    }
}

/// The blocks that a `dynamic` block makes; `None` if their number is not known yet.
fn made(
    body: &Body,
    name: &str,
    scope: &Scope<'_>,
) -> Result<Option<Vec<ExpandedBlock<'static>>>, Vec<Diagnostic>> {
    let Some(for_each) = body.argument("for_each") else {
        let detail = "The argument \"for_each\" is required, but no definition was found.";
        return Err(error("Missing required argument", detail));
    };
    let content = match body.blocks.iter().find(|block| block.type_name == "content") {
        Some(content) => content.body.clone(),
        None => match json(body, "content").map(json_blocks).transpose()?.and_then(|mut all| all.pop()) {
            Some((_, content)) => content,
            None => {
                let detail = "A dynamic block needs a block \"content\", which is what it makes.";
                return Err(error("Missing content block", detail));
            }
        },
    };
    let iterator = body.argument("iterator").map_or(Ok(name.to_owned()), keyword)?;
    let Some(entries) = entries(&evaluate(for_each, scope)?)? else { return Ok(None) };
    let mut found = Vec::new();
    for (key, value) in entries {
        let (each, labels) = made_one((key, value), &iterator, (body.argument("labels"), scope))?;
        found.push(ExpandedBlock { labels, body: Cow::Owned(content.clone()), each: Some(each) });
    }
    Ok(Some(found))
}

/// What one block can refer to, and its labels.
fn made_one(
    (key, value): (Marked, Marked),
    iterator: &str,
    (labels, scope): (Option<&SourceExpr>, &Scope<'_>),
) -> Result<(RepetitionData, Vec<String>), Vec<Diagnostic>> {
    let pair = Marked::object(vec![("key".into(), key), ("value".into(), value)]);
    let mut each = scope.each.clone();
    each.iterators.push((iterator.to_owned(), pair));
    let labels = match labels {
        None => Vec::new(),
        Some(labels) => {
            let inner = Scope { each: &each, ..*scope };
            self::labels(&evaluate(labels, &inner)?)?
        }
    };
    Ok((each, labels))
}

fn labels(value: &Marked) -> Result<Vec<String>, Vec<Diagnostic>> {
    let invalid =
        || error("Invalid dynamic block label", "Labels are strings that are known and not secret.");
    if value.marks.all().sensitive {
        return Err(invalid());
    }
    let list = convert(&value.clone().into_value(&Type::Dynamic), &Type::list(Type::String))
        .map_err(|_| invalid())?;
    let Value::List(labels) = list else { return Err(invalid()) };
    labels.iter().map(|label| label.as_str().map(ToOwned::to_owned).ok_or_else(invalid)).collect()
}

/// The name that an iterator has.
fn keyword(expr: &SourceExpr) -> Result<String, Vec<Diagnostic>> {
    let found = match expr.expression() {
        Expression::Variable(name) => Some(name.as_str().to_owned()),
        Expression::String(name) if expr.is_json() => Some(name.value().clone()),
        _ => None,
    };
    found.ok_or_else(|| error("Invalid expression", "The name of an iterator is a single word."))
}

/// What the elements of a `dynamic` block are made of: its keys and values; `None` if they are not known yet.
pub(in crate::embedded) fn entries(each: &Marked) -> Result<Option<Vec<(Marked, Marked)>>, Vec<Diagnostic>> {
    let invalid = |detail: &str| error("Invalid dynamic for_each value", detail);
    if each.is_unknown() {
        return Ok(None);
    }
    if each.is_null() {
        return Err(invalid("The for_each argument is null, but something with elements is required."));
    }
    let set = matches!(each.ty, Type::Set(_));
    if !matches!(each.ty, Type::List(_) | Type::Tuple(_) | Type::Set(_) | Type::Map(_) | Type::Object(_)) {
        return Err(invalid("The for_each argument has to be a list, a set, a map, a tuple or an object."));
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

/// What a block is whose number is not known: everything in it is unknown.
pub(super) fn unknown(schema: &BlockSchema) -> Value {
    match schema.nesting {
        BlockNesting::List | BlockNesting::Set | BlockNesting::Map => Value::unknown(),
        BlockNesting::Single | BlockNesting::Group => {
            let attributes = schema.block.attributes.iter().map(|attribute| &*attribute.name);
            let blocks = schema.block.blocks.iter().map(|nested| &*nested.name);
            Value::object(attributes.chain(blocks).map(|name| (name, Value::unknown())))
        }
    }
}

/// Blocks in JSON. Those of map nesting are in an object of labels, or in an array of such objects.
fn json_of(expr: &SourceExpr, nesting: BlockNesting) -> Result<Vec<(Vec<String>, Body)>, Vec<Diagnostic>> {
    if nesting != BlockNesting::Map {
        return json_blocks(expr);
    }
    let labelled = |part: &SourceExpr| -> Result<Vec<(Vec<String>, Body)>, Vec<Diagnostic>> {
        let mut found = Vec::new();
        for (label, value) in members(part)? {
            found.extend(json_blocks(&value)?.into_iter().map(|(_, body)| (vec![label.to_owned()], body)));
        }
        Ok(found)
    };
    match expr.expression() {
        Expression::Null(_) => Ok(Vec::new()),
        Expression::Array(elements) => {
            let all = elements.iter().map(|element| labelled(&expr.part(element)));
            Ok(all.collect::<Result<Vec<_>, Vec<Diagnostic>>>()?.into_iter().flatten().collect())
        }
        _ => labelled(expr),
    }
}

/// Blocks without labels in JSON: an object is one, an array has several.
fn json_blocks(expr: &SourceExpr) -> Result<Vec<(Vec<String>, Body)>, Vec<Diagnostic>> {
    match expr.expression() {
        Expression::Null(_) => Ok(Vec::new()),
        Expression::Array(elements) => {
            let bodies = elements.iter().map(|element| Ok((Vec::new(), json_body(&expr.part(element))?)));
            bodies.collect()
        }
        _ => Ok(vec![(Vec::new(), json_body(expr)?)]),
    }
}

fn json_body(expr: &SourceExpr) -> Result<Body, Vec<Diagnostic>> {
    let arguments = members(expr)?.into_iter().map(|(name, value)| Argument { name: name.to_owned(), value });
    let subject = expr.subject();
    let end = subject.span.end;
    let brace = Span { start: end.saturating_sub(1), end };
    let brace = Some(Subject { span: brace, ..subject.clone() });
    Ok(Body { brace, arguments: arguments.collect(), ..Body::default() })
}

/// What an object holds but for comments.
fn members(expr: &SourceExpr) -> Result<Vec<(&str, SourceExpr)>, Vec<Diagnostic>> {
    let Expression::Object(object) = expr.expression() else {
        let detail = "A block is an object in JSON, and several blocks are an array of objects.";
        return Err(error("Incorrect JSON value type", detail));
    };
    let named = object.iter().filter_map(|(key, value)| {
        let name = key_text(key).filter(|name| *name != "//")?;
        Some((name, expr.part(value.expr())))
    });
    Ok(named.collect())
}

fn member(expr: &SourceExpr, name: &str) -> Option<SourceExpr> {
    let Expression::Object(object) = expr.expression() else { return None };
    object.iter().find(|(key, _)| key_text(key) == Some(name)).map(|(_, value)| expr.part(value.expr()))
}

fn key_text(key: &ObjectKey) -> Option<&str> {
    match key {
        ObjectKey::Ident(name) => Some(name.as_str()),
        ObjectKey::Expression(key) => key.as_str(),
    }
}
