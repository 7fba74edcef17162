//! From texts to the syntax trees of `hcl-edit`.

mod scan;

use hcl_edit::expr::{Expression, Object, ObjectKey, Parenthesis, Traversal, TraversalOperator};
use hcl_edit::structure::Body;
use hcl_edit::template::Template;
use hcl_edit::visit::{self, Visit};
use hcl_edit::visit_mut::{self, VisitMut};
use hcl_edit::{Decorated, Span as _};

use self::scan::{Prepared, Start, scan};
use super::{Diagnostic, SourceFile, Span};

/// The body of a file. Its spans are offsets in the file as it is, byte order mark included.
pub(super) fn body(source: &SourceFile) -> Result<Body, Diagnostic> {
    let (mut body, mut repeated) = parsed(source, Start::Body, hcl_edit::parser::parse_body)?;
    repeated.visit_body_mut(&mut body);
    checked(body, source, |dots, body| dots.visit_body(body))
}

/// A text that is one expression.
pub(super) fn expression(source: &SourceFile) -> Result<Expression, Diagnostic> {
    let (mut expr, mut repeated) = parsed(source, Start::Expression, hcl_edit::parser::parse_expr)?;
    repeated.visit_expr_mut(&mut expr);
    checked(expr, source, |dots, expr| dots.visit_expr(expr))
}

/// A text that is a template as between quotes, but without escapes.
pub(super) fn template(source: &SourceFile) -> Result<Template, Diagnostic> {
    let (mut template, mut repeated) = parsed(source, Start::Template, hcl_edit::parser::parse_template)?;
    repeated.visit_template_mut(&mut template);
    checked(template, source, |dots, template| dots.visit_template(template))
}

/// The tree of a text, with the keys that the parser would not take, since they stand before in their objects.
fn parsed<'s, T>(
    source: &'s SourceFile,
    start: Start,
    parse: fn(&str) -> Result<T, hcl_edit::parser::Error>,
) -> Result<(T, RepeatedKeys<'s>), Diagnostic> {
    let Prepared { text, keys } = scan(source, start)?;
    let (mut text, mut repeated) = (text, RepeatedKeys { source, keys: Vec::new() });
    let mut names = 0;
    loop {
        let error = match parse(&text) {
            Ok(tree) => return Ok((tree, repeated)),
            Err(error) => error,
        };
        let offset = error.location().offset();
        let key = keys
            .iter()
            .find(|key| key.start == offset && error.message().contains("found redefined object key"));
        let Some(key) = key else { return Err(syntax_error(source, &error)) };
        if repeated.keys.last() != Some(key) {
            names = 0;
            repeated.keys.push(*key);
        }
        // Any name that no other key of the object has.
        let letters = ('a'..='z').chain('A'..='Z').cycle().skip(repeated.keys.len());
        let Some(letter) = letters.take(52).nth(names) else { return Err(syntax_error(source, &error)) };
        names += 1;
        text.replace_range(key.start..key.end, &letter.to_string().repeat(key.end - key.start));
    }
}

/// Keys that stand before in their objects, for which the parser got other names.
struct RepeatedKeys<'s> {
    source: &'s SourceFile,
    keys: Vec<Span>,
}

impl RepeatedKeys<'_> {
    /// The key as it is written, in a form that no other key of the object has: the tree holds each only once.
    fn written(&self, key: Span, object: &Object) -> Option<ObjectKey> {
        // At the place where it is written, so that it has the same span.
        let before = " ".repeat(key.start.checked_sub(1)?);
        let text = format!("({before}{})", self.source.slice(key));
        let Ok(Expression::Parenthesis(written)) = hcl_edit::parser::parse_expr(&text) else { return None };
        let mut expr = written.into_inner();
        // As an expression a name differs from the same name as a key.
        while object.contains_key(&ObjectKey::Expression(expr.clone())) {
            expr = match expr {
                Expression::Variable(name) => Expression::from(name.as_str()),
                expr => Expression::from(Parenthesis::new(expr)),
            };
        }
        Some(ObjectKey::Expression(expr))
    }
}

impl VisitMut for RepeatedKeys<'_> {
    fn visit_object_mut(&mut self, object: &mut Object) {
        visit_mut::visit_object_mut(self, object);
        let repeated = |key: &ObjectKey| {
            let span = key.span().map(Span::from)?;
            self.keys.contains(&span).then_some(span)
        };
        let keys: Vec<ObjectKey> = object.iter().map(|(key, _)| key.clone()).collect();
        if keys.iter().all(|key| repeated(key).is_none()) {
            return;
        }
        // Each is put behind the others, so that the order stays.
        for key in keys {
            let Some((key, value)) = object.remove_entry(&key) else { continue };
            let key = repeated(&key).and_then(|span| self.written(span, object)).unwrap_or(key);
            object.insert(key, value);
        }
    }
}

/// An error of the parser, in our words: core has others for each mistake.
fn syntax_error(source: &SourceFile, error: &hcl_edit::parser::Error) -> Diagnostic {
    let offset = error.location().offset();
    let end = source.text().len();
    let span = Span { start: offset.min(end), end: offset.saturating_add(1).min(end) };
    let message = error.message();
    if message.contains("found redefined attribute") {
        let detail = "The argument was already set. Each argument may be set only once.";
        return Diagnostic::error("Attribute redefined", detail).at(source, span);
    }
    let message = message.trim_end_matches('.');
    Diagnostic::error("Invalid syntax", format!("The configuration cannot be read here: {message}."))
        .at(source, span)
}

/// Refuses what the parser takes after a dot, and core does not.
fn checked<T>(tree: T, source: &SourceFile, visit: impl FnOnce(&mut Dots<'_>, &T)) -> Result<T, Diagnostic> {
    let mut dots = Dots { source, problem: None };
    visit(&mut dots, &tree);
    dots.problem.map_or(Ok(tree), Err)
}

/// Finds the first mistake among the operators after dots.
struct Dots<'s> {
    source: &'s SourceFile,
    problem: Option<Diagnostic>,
}

impl Visit for Dots<'_> {
    fn visit_traversal(&mut self, traversal: &Traversal) {
        visit::visit_traversal(self, traversal);
        let operators = &traversal.operators;
        let wrong = nested_splat(operators).or_else(|| fraction(operators));
        if let (None, Some((summary, detail, span))) = (&self.problem, wrong) {
            self.problem = Some(Diagnostic::error(summary, detail).at(self.source, span));
        }
    }
}

/// A mistake: its summary, its detail and where it is.
type Mistake = (&'static str, &'static str, Span);

/// `a.*.b.*`: the second splat would belong to the first one.
fn nested_splat(operators: &[Decorated<TraversalOperator>]) -> Option<Mistake> {
    let mut within = false;
    let nested = operators.iter().find(|operator| match operator.value() {
        TraversalOperator::AttrSplat(_) => std::mem::replace(&mut within, true),
        TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_) => false,
        TraversalOperator::Index(_) | TraversalOperator::FullSplat(_) => {
            within = false;
            false
        }
    })?;
    let detail = "A splat after a dot cannot follow another one. Write them as [*].";
    let end = nested.span()?.end;
    Some(("Nested splat expression not allowed", detail, Span { start: end - 1, end }))
}

/// `a.0.1`: core reads the number `0.1` there, which is no index.
fn fraction(operators: &[Decorated<TraversalOperator>]) -> Option<Mistake> {
    let span = |at: usize| operators.get(at).and_then(|it| it.span()).map(Span::from);
    let is_legacy = |at: usize| {
        operators.get(at).is_some_and(|it| matches!(it.value(), TraversalOperator::LegacyIndex(_)))
    };
    let is_one_number = |at: usize| {
        let (own, next) = (span(at), span(at + 1));
        is_legacy(at)
            && is_legacy(at + 1)
            && own.is_some_and(|own| next.is_some_and(|next| own.end == next.start))
    };
    let first = (0..operators.len()).find(|at| is_one_number(*at))?;
    let last = (first..operators.len()).find(|at| !is_one_number(*at)).unwrap_or(first);
    let before = first.checked_sub(1).filter(|at| {
        operators.get(*at).is_some_and(|it| matches!(it.value(), TraversalOperator::AttrSplat(_)))
    });
    // After a splat core points at the star.
    let (first, last) = before.map_or((first, last), |splat| (splat, splat));
    let detail = "One index cannot follow the other after a dot. Write both in brackets, as in a[0][1].";
    let span = Span { start: span(first)?.start + 1, end: span(last)?.end };
    Some(("Invalid legacy index syntax", detail, span))
}
