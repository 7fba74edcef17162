//! Which blocks a body has: those that are written, those that `dynamic` blocks make, and those of JSON.

use std::borrow::Cow;

use ferroform::schema::{BlockNesting, NestedBlock as BlockSchema};
use ferroform::ty::Type;
use ferroform::value::{Value, convert};
use hcl_edit::expr::{Expression, ObjectKey};

use super::{Evaluated, Fault, evaluate, scoped_expr};
use crate::config::{Body, Expr, NestedBlock};
use crate::embedded::scope::{RepetitionData, Scope};
use crate::language::module::ScopedExpr;
use crate::language::{Span, Subject};

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

/// The type of the blocks that a block stands for.
pub(in crate::embedded) fn produces(block: &NestedBlock) -> &str {
    match (block.type_name.as_str(), block.labels.as_slice()) {
        ("dynamic", [made]) => made,
        (type_name, _) => type_name,
    }
}

/// Whether an argument was written in JSON, where it may be blocks.
pub(super) fn is_json(body: &Body, name: &str) -> bool {
    json(body, name).is_some()
}

fn json<'b>(body: &'b Body, name: &str) -> Option<&'b ScopedExpr> {
    body.arguments.iter().find_map(|(written, expr)| match expr {
        Expr::Source(expr) if written == name && expr.expr().is_json() => Some(expr),
        _ => None,
    })
}

/// The blocks of a type in the order in which they are written.
pub(super) fn written_blocks<'b>(
    body: &'b Body,
    (name, nesting): (&str, BlockNesting),
    scope: &Scope<'_>,
) -> Result<Blocks<'b>, Fault> {
    let mut found = Vec::new();
    for block in body.blocks.iter().filter(|block| produces(block) == name) {
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

/// The blocks that a `dynamic` block makes; `None` if their number is not known yet.
fn made(body: &Body, name: &str, scope: &Scope<'_>) -> Result<Option<Vec<ExpandedBlock<'static>>>, Fault> {
    let argument =
        |wanted: &str| body.arguments.iter().find(|(name, _)| name == wanted).map(|(_, expr)| expr);
    let Some(for_each) = argument("for_each") else {
        let detail = "The argument \"for_each\" is required, but no definition was found.";
        return Err(Fault::new("Missing required argument", detail));
    };
    let content = match body.blocks.iter().find(|block| block.type_name == "content") {
        Some(content) => content.body.clone(),
        None => match json(body, "content").map(json_blocks).transpose()?.and_then(|mut all| all.pop()) {
            Some((_, content)) => content,
            None => {
                let detail = "A dynamic block needs a block \"content\", which is what it makes.";
                return Err(Fault::new("Missing content block", detail));
            }
        },
    };
    let iterator = argument("iterator").map_or(Ok(name.to_owned()), keyword)?;
    let Some(entries) = scoped_expr::entries(&evaluate(for_each, scope)?)? else { return Ok(None) };
    let mut found = Vec::new();
    for (key, value) in entries {
        let (each, labels) = made_one((key, value), &iterator, (argument("labels"), scope))?;
        found.push(ExpandedBlock { labels, body: Cow::Owned(content.clone()), each: Some(each) });
    }
    Ok(Some(found))
}

/// What one block can refer to, and its labels.
fn made_one(
    (key, value): (Evaluated, Evaluated),
    iterator: &str,
    (labels, scope): (Option<&Expr>, &Scope<'_>),
) -> Result<(RepetitionData, Vec<String>), Fault> {
    let pair = Evaluated::object([("key", key), ("value", value)]);
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

fn labels(value: &Evaluated) -> Result<Vec<String>, Fault> {
    let invalid =
        || Fault::new("Invalid dynamic block label", "Labels are strings that are known and not secret.");
    if value.is_sensitive() {
        return Err(invalid());
    }
    let list = convert(&value.clone().typed(), &Type::list(Type::String)).map_err(|_| invalid())?;
    let Value::List(labels) = list else { return Err(invalid()) };
    labels.iter().map(|label| label.as_str().map(ToOwned::to_owned).ok_or_else(invalid)).collect()
}

/// The name that an iterator has.
fn keyword(expr: &Expr) -> Result<String, Fault> {
    let found = match expr {
        Expr::Source(expr) => match expr.expr().expression() {
            Expression::Variable(name) => Some(name.as_str().to_owned()),
            Expression::String(name) if expr.expr().is_json() => Some(name.value().clone()),
            _ => None,
        },
        Expr::Literal(name) => name.as_str().map(ToOwned::to_owned),
        _ => None,
    };
    found.ok_or_else(|| Fault::new("Invalid expression", "The name of an iterator is a single word."))
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
fn json_of(expr: &ScopedExpr, nesting: BlockNesting) -> Result<Vec<(Vec<String>, Body)>, Fault> {
    if nesting != BlockNesting::Map {
        return json_blocks(expr);
    }
    let labelled = |part: &ScopedExpr| -> Result<Vec<(Vec<String>, Body)>, Fault> {
        let mut found = Vec::new();
        for (label, value) in members(part)? {
            found.extend(json_blocks(&value)?.into_iter().map(|(_, body)| (vec![label.to_owned()], body)));
        }
        Ok(found)
    };
    match expr.expr().expression() {
        Expression::Null(_) => Ok(Vec::new()),
        Expression::Array(elements) => {
            let all = elements.iter().map(|element| labelled(&expr.part(element)));
            Ok(all.collect::<Result<Vec<_>, Fault>>()?.into_iter().flatten().collect())
        }
        _ => labelled(expr),
    }
}

/// Blocks without labels in JSON: an object is one, an array has several.
fn json_blocks(expr: &ScopedExpr) -> Result<Vec<(Vec<String>, Body)>, Fault> {
    match expr.expr().expression() {
        Expression::Null(_) => Ok(Vec::new()),
        Expression::Array(elements) => {
            let bodies = elements.iter().map(|element| Ok((Vec::new(), json_body(&expr.part(element))?)));
            bodies.collect()
        }
        _ => Ok(vec![(Vec::new(), json_body(expr)?)]),
    }
}

fn json_body(expr: &ScopedExpr) -> Result<Body, Fault> {
    let arguments = members(expr)?.into_iter().map(|(name, value)| (name.to_owned(), Expr::Source(value)));
    let subject = expr.expr().subject();
    let end = subject.span.end;
    let brace = Span { start: end.saturating_sub(1), end };
    let source = Some(Subject { span: brace, ..subject.clone() });
    Ok(Body { source, arguments: arguments.collect(), blocks: Vec::new() })
}

/// What an object holds but for comments.
fn members(expr: &ScopedExpr) -> Result<Vec<(&str, ScopedExpr)>, Fault> {
    let Expression::Object(object) = expr.expr().expression() else {
        let detail = "A block is an object in JSON, and several blocks are an array of objects.";
        return Err(Fault::new("Incorrect JSON value type", detail));
    };
    let named = object.iter().filter_map(|(key, value)| {
        let name = key_text(key).filter(|name| *name != "//")?;
        Some((name, expr.part(value.expr())))
    });
    Ok(named.collect())
}

fn member(expr: &ScopedExpr, name: &str) -> Option<ScopedExpr> {
    let Expression::Object(object) = expr.expr().expression() else { return None };
    object.iter().find(|(key, _)| key_text(key) == Some(name)).map(|(_, value)| expr.part(value.expr()))
}

fn key_text(key: &ObjectKey) -> Option<&str> {
    match key {
        ObjectKey::Ident(name) => Some(name.as_str()),
        ObjectKey::Expression(key) => key.as_str(),
    }
}
