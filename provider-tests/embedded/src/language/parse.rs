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
    let restore = |repeated: &mut RepeatedKeys, body: &mut Body| repeated.visit_body_mut(body);
    let body = parsed(source, Start::Body, hcl_edit::parser::parse_body, restore)?;
    checked(body, source, |check, body| check.visit_body(body))
}

/// A text that is one expression.
pub(super) fn expression(source: &SourceFile) -> Result<Expression, Diagnostic> {
    let restore = |repeated: &mut RepeatedKeys, expr: &mut Expression| repeated.visit_expr_mut(expr);
    let expr = parsed(source, Start::Expression, hcl_edit::parser::parse_expr, restore)?;
    checked(expr, source, |check, expr| check.visit_expr(expr))
}

/// A text that is a template as between quotes, but without escapes.
pub(super) fn template(source: &SourceFile) -> Result<Template, Diagnostic> {
    let restore =
        |repeated: &mut RepeatedKeys, template: &mut Template| repeated.visit_template_mut(template);
    let template = parsed(source, Start::Template, hcl_edit::parser::parse_template, restore)?;
    checked(template, source, |check, template| check.visit_template(template))
}

/// The tree of a text. Keys that an object has already get other names for the parser, which refuses them, and `restore`
/// gives them back their own.
fn parsed<T>(
    source: &SourceFile,
    start: Start,
    parse: fn(&str) -> Result<T, hcl_edit::parser::Error>,
    restore: impl FnOnce(&mut RepeatedKeys, &mut T),
) -> Result<T, Diagnostic> {
    let Prepared { mut text, keys } = scan(source, start)?;
    let (mut repeated, mut names) = (RepeatedKeys(Vec::new()), 0);
    loop {
        let error = match parse(&text) {
            Ok(tree) if repeated.0.is_empty() => return Ok(tree),
            Ok(mut tree) => {
                restore(&mut repeated, &mut tree);
                return Ok(tree);
            }
            Err(error) => error,
        };
        let offset = error.location().offset();
        let key = keys
            .iter()
            .find(|key| key.start == offset && error.message().contains("found redefined object key"));
        let Some(key) = key else { return Err(syntax_error(source, &error)) };
        if repeated.0.last().is_none_or(|(last, _)| last != key) {
            names = 0;
            repeated.0.push((*key, text.get(key.start..key.end).unwrap_or_default().to_owned()));
        }
        // Any name that no other key of the object has.
        let letters = ('a'..='z').chain('A'..='Z').cycle().skip(repeated.0.len());
        let Some(letter) = letters.take(52).nth(names) else { return Err(syntax_error(source, &error)) };
        names += 1;
        text.replace_range(key.start..key.end, &letter.to_string().repeat(key.end - key.start));
    }
}

/// Keys that their objects have already, for which the parser got other names, with the text that it would have read.
struct RepeatedKeys(Vec<(Span, String)>);

impl RepeatedKeys {
    /// The key itself, in a form that no other key of the object has: the tree holds each only once.
    fn restored(key: Span, text: &str, object: &Object) -> Option<ObjectKey> {
        // At the place where it is written, so that it has the same span.
        let before = " ".repeat(key.start.checked_sub(1)?);
        let Ok(Expression::Parenthesis(key)) = hcl_edit::parser::parse_expr(&format!("({before}{text})"))
        else {
            return None;
        };
        let mut expr = key.into_inner();
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

impl VisitMut for RepeatedKeys {
    fn visit_object_mut(&mut self, object: &mut Object) {
        visit_mut::visit_object_mut(self, object);
        let repeated = |key: &ObjectKey| {
            let span = key.span().map(Span::from)?;
            self.0.iter().find(|(repeated, _)| *repeated == span)
        };
        let keys: Vec<ObjectKey> = object.iter().map(|(key, _)| key.clone()).collect();
        if keys.iter().all(|key| repeated(key).is_none()) {
            return;
        }
        // Each is put behind the others, so that the order stays.
        for key in keys {
            let Some((key, value)) = object.remove_entry(&key) else { continue };
            let restored = repeated(&key).and_then(|(span, text)| Self::restored(*span, text, object));
            let key = restored.unwrap_or(key);
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

/// Refuses traversals that the parser takes, and core does not.
fn checked<T>(
    tree: T,
    source: &SourceFile,
    visit: impl FnOnce(&mut TraversalCheck<'_>, &T),
) -> Result<T, Diagnostic> {
    let mut check = TraversalCheck { source, problem: None };
    visit(&mut check, &tree);
    check.problem.map_or(Ok(tree), Err)
}

/// Finds the first traversal that core refuses.
struct TraversalCheck<'s> {
    source: &'s SourceFile,
    problem: Option<Diagnostic>,
}

impl Visit for TraversalCheck<'_> {
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
