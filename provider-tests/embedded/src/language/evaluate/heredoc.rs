//! Heredocs that begin with `<<-`: their lines lose the indentation that all of them have.
//!
//! The parser does so too, but looks at the lines between the tags of a directive no more than at expressions, and
//! counts lines of spaces.

use hcl_edit::Span as _;
use hcl_edit::template::{Directive, Element, HeredocTemplate, Template};

use super::template::strip;
use crate::language::{SourceFile, parse};

/// The template with the indentation that core leaves; `None` when there is nothing to take away, or the text is not at
/// hand.
pub(super) fn flushed(heredoc: &HeredocTemplate, source: &SourceFile) -> Option<Template> {
    let text = source.text().get(heredoc.span()?)?;
    let (start, body) = text.split_once('\n')?;
    let body = body.get(..=body.rfind('\n')?).filter(|_| start.starts_with("<<-"))?;
    let written = parse::template(&SourceFile::new(source.path(), body)).ok()?;
    let mut parts = Vec::new();
    collect(&written, &mut parts);
    let mut lines = without_indentation(&parts).into_iter();
    let mut flushed = heredoc.template.clone();
    replace(&mut flushed, &mut lines)?;
    lines.next().is_none().then_some(flushed)
}

/// A piece of a template in the order in which it is written.
enum Part<'t> {
    Literal(&'t str),
    /// An expression or one tag of a directive, and whether it strips the spaces before and after it.
    Tag((bool, bool)),
}

fn collect<'t>(template: &'t Template, parts: &mut Vec<Part<'t>>) {
    for element in template {
        match element {
            Element::Literal(text) => parts.push(Part::Literal(text.as_str())),
            Element::Interpolation(interpolation) => parts.push(Part::Tag(strip(interpolation.strip))),
            Element::Directive(directive) => match directive.as_ref() {
                Directive::If(directive) => {
                    parts.push(Part::Tag(strip(directive.if_expr.strip)));
                    collect(&directive.if_expr.template, parts);
                    if let Some(other) = &directive.else_expr {
                        parts.push(Part::Tag(strip(other.strip)));
                        collect(&other.template, parts);
                    }
                    parts.push(Part::Tag(strip(directive.endif_expr.strip)));
                }
                Directive::For(directive) => {
                    parts.push(Part::Tag(strip(directive.for_expr.strip)));
                    collect(&directive.for_expr.template, parts);
                    parts.push(Part::Tag(strip(directive.endfor_expr.strip)));
                }
            },
        }
    }
}

/// Each literal without the indentation. A tag at the beginning of a line means that there is none, and what follows a
/// tag that strips a line break is no beginning of a line.
fn without_indentation(parts: &[Part<'_>]) -> Vec<String> {
    let tag = |at: Option<usize>| match at.and_then(|at| parts.get(at)) {
        Some(Part::Tag(strips)) => *strips,
        _ => (false, false),
    };
    // The literals as lines, each with whether its indentation counts.
    let mut literals: Vec<Vec<(&str, bool)>> = Vec::new();
    let (mut least, mut at_start) = (None::<usize>, true);
    for (at, part) in parts.iter().enumerate() {
        let Part::Literal(text) = part else {
            least = if at_start { Some(0) } else { least };
            at_start = false;
            continue;
        };
        let (left, right) = (tag(at.checked_sub(1)).1, tag(Some(at + 1)).0);
        let mut lines = Vec::new();
        let mut rest = text.split_inclusive('\n').enumerate().peekable();
        while let Some((number, line)) = rest.next() {
            let mut seen = if number == 0 && left { line.trim_start() } else { line };
            if right && rest.peek().is_none() {
                seen = seen.trim_end();
            }
            let blank = seen.ends_with('\n') && seen.trim().is_empty();
            let counts = at_start && !blank;
            if counts {
                let spaces = seen.chars().take_while(|c| c.is_whitespace()).count();
                least = Some(least.map_or(spaces, |least| least.min(spaces)));
            }
            lines.push((line, counts));
            at_start = seen.ends_with('\n');
        }
        literals.push(lines);
    }
    let least = least.unwrap_or(0);
    let kept = |(line, counts): &(&str, bool)| -> String {
        line.chars().skip(if *counts { least } else { 0 }).collect()
    };
    literals.iter().map(|lines| lines.iter().map(kept).collect()).collect()
}

/// Puts other texts in the place of the literals, in the same order; `None` when there are too few.
fn replace(template: &mut Template, texts: &mut dyn Iterator<Item = String>) -> Option<()> {
    for element in template.iter_mut() {
        match element {
            Element::Literal(literal) => *literal.as_mut() = texts.next()?,
            Element::Interpolation(_) => {}
            Element::Directive(directive) => match directive.as_mut() {
                Directive::If(directive) => {
                    replace(&mut directive.if_expr.template, texts)?;
                    if let Some(other) = &mut directive.else_expr {
                        replace(&mut other.template, texts)?;
                    }
                }
                Directive::For(directive) => replace(&mut directive.for_expr.template, texts)?,
            },
        }
    }
    Some(())
}
