//! What is wrong with the references of a body.
//!
//! Core collects them twice: first those of its `dynamic` blocks, with which it makes blocks, then those of all that the body has by
//! then. So what is within a `dynamic` block counts once for each block that it makes, and not at all where their number is not
//! known. Observed on Terraform 1.15.5.

use ferroform::schema::{Block, BlockNesting};
use hcl_edit::expr::Expression;

use super::as_blocks;
use super::body::{decode, written_as_blocks};
use super::dynamic::written_blocks;
use crate::address::is_identifier;
use crate::diagnostic::Diagnostic;
use crate::embedded::scope::{Expansion, Scope};
use crate::language::module::{
    Argument, Body, ReferenceCheck, ReferenceProblems, SourceExpr, Surroundings, json_blocks,
};

/// What is wrong with the references of a body, of that in it which its schema has, as core looks at nothing else. If only those
/// of its `dynamic` blocks are wrong, also what is wrong with its value, for core goes on to evaluate it.
pub(in crate::embedded) fn check_references(
    body: &Body,
    schema: &Block,
    (check, around): (ReferenceCheck<'_>, Surroundings),
    scope: &Scope<'_>,
) -> Vec<Diagnostic> {
    let collector = || Collector { check, around, problems: ReferenceProblems::default() };
    let mut of_dynamic = collector();
    let is_known = |it: &&Argument| {
        it.name == "dynamic" || schema.attribute(&it.name).is_some() || schema.block(&it.name).is_some()
    };
    // Also what makes no block must not hide these.
    let refused = body.arguments.iter().filter(is_known).map(|it| &it.value);
    let mut unavailable = ReferenceProblems::default();
    refused.for_each(|expr| unavailable.refuse_functions(expr));
    if !unavailable.is_empty() {
        return unavailable.reportable();
    }
    of_dynamic.dynamic_blocks(body, schema, &mut Vec::new());
    let of_dynamic = of_dynamic.problems;
    let expansion = match &of_dynamic {
        none if none.is_empty() => Expansion::Evaluated,
        problems if problems.miss_object() => Expansion::WithoutVariables,
        _ => Expansion::PartlyKnown,
    };
    let scope = Scope { expansion, ..*scope };
    let mut of_expanded = collector();
    of_expanded.expanded(body, schema, as_blocks::are_allowed(schema), &scope);
    let of_expanded = of_expanded.problems;
    let goes_on = of_expanded.is_empty() && !of_dynamic.is_empty();
    let mut found = of_dynamic.reportable();
    found.extend(of_expanded.reportable());
    if goes_on {
        found.extend(decode(body, schema, &scope).diagnostics);
    }
    found
}

struct Collector<'a> {
    check: ReferenceCheck<'a>,
    around: Surroundings,
    problems: ReferenceProblems,
}

impl Collector<'_> {
    /// Those with which the `dynamic` blocks are expanded, also of such within others.
    fn dynamic_blocks(&mut self, body: &Body, schema: &Block, iterators: &mut Vec<String>) {
        for block in &body.blocks {
            match (block.type_name.as_str(), schema.block(block.produces())) {
                ("dynamic", inner) => {
                    if let [made] = block.labels.as_slice() {
                        self.dynamic_block((made, &block.body), inner.map(|it| &it.block), iterators);
                    }
                }
                (_, Some(inner)) => self.dynamic_blocks(&block.body, &inner.block, iterators),
                (_, None) => {}
            }
        }
        for argument in body.arguments.iter().filter(|it| it.value.is_json()) {
            if argument.name == "dynamic" {
                for (made, expr) in json_blocks::labelled(&argument.value, &mut Vec::new()) {
                    let inner = schema.block(&made).map(|it| &it.block);
                    for (body, _) in json_blocks::unlabelled(&expr, &mut Vec::new()) {
                        self.dynamic_block((&made, &body), inner, iterators);
                    }
                }
            } else if let Some(inner) = schema.block(&argument.name) {
                let is_labelled = inner.nesting == BlockNesting::Map;
                for (_, body, _) in json_blocks::written(&argument.value, is_labelled, &mut Vec::new()) {
                    self.dynamic_blocks(&body, &inner.block, iterators);
                }
            }
        }
    }

    fn dynamic_block(
        &mut self,
        (made, body): (&str, &Body),
        inner: Option<&Block>,
        iterators: &mut Vec<String>,
    ) {
        // Without a name for the iterator core makes nothing of the block.
        let iterator = body.argument("iterator").map_or_else(|| Some(made.to_owned()), root_name);
        let Some(iterator) = iterator else { return };
        if let Some(for_each) = body.argument("for_each") {
            self.expression(for_each, |name| iterators.iter().any(|it| it == name));
        }
        iterators.push(iterator);
        if let Some(labels) = body.argument("labels") {
            self.expression(labels, |name| iterators.iter().any(|it| it == name));
        }
        if let Some(inner) = inner {
            for content in body.blocks.iter().filter(|it| it.type_name == "content") {
                self.dynamic_blocks(&content.body, inner, iterators);
            }
            if let Some(content) = json_blocks::argument(body, "content") {
                for (body, _) in json_blocks::unlabelled(content, &mut Vec::new()) {
                    self.dynamic_blocks(&body, inner, iterators);
                }
            }
        }
        iterators.pop();
    }

    /// Those of the arguments and of the blocks, with what `dynamic` blocks make.
    fn expanded(&mut self, body: &Body, schema: &Block, as_blocks: bool, scope: &Scope<'_>) {
        for attribute in &schema.attributes {
            if let Some(inner) = written_as_blocks(attribute, body, as_blocks) {
                self.blocks(body, (&attribute.name, BlockNesting::List), (&inner, as_blocks), scope);
            } else if let Some(expr) = body.argument(&attribute.name) {
                self.expression(expr, |name| scope.each.iterators.iter().any(|(it, _)| it == name));
            }
        }
        for nested in &schema.blocks {
            self.blocks(body, (&nested.name, nested.nesting), (&nested.block, as_blocks), scope);
        }
    }

    fn blocks(
        &mut self,
        body: &Body,
        of_type: (&str, BlockNesting),
        (inner, as_blocks): (&Block, bool),
        scope: &Scope<'_>,
    ) {
        // Mistakes in the blocks themselves are reported when the body is decoded.
        let (blocks, _) = written_blocks(body, of_type, scope);
        for block in blocks.iter().filter(|block| !block.is_unknown) {
            let scope = Scope { each: block.each.as_ref().unwrap_or(scope.each), ..*scope };
            self.expanded(&block.body, inner, as_blocks, &scope);
        }
    }

    fn expression(&mut self, expr: &SourceExpr, is_iterator: impl Fn(&str) -> bool) {
        self.check.collect(expr, self.around, &is_iterator, &mut self.problems);
    }
}

/// The name that a reference begins with, in JSON that in a string.
fn root_name(expr: &SourceExpr) -> Option<String> {
    match expr.expression() {
        Expression::Variable(name) => Some(name.as_str().to_owned()),
        Expression::Traversal(_) => expr.references().first().map(|it| it.root.clone()),
        Expression::String(text) if expr.is_json() => {
            let root = text.split(['.', '[']).next().unwrap_or_default();
            is_identifier(root).then(|| root.to_owned())
        }
        _ => None,
    }
}
