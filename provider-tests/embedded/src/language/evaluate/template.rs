//! Templates: texts with interpolations and directives.

use std::borrow::Cow;

use ferroform::ty::Type;
use ferroform::value::{Refinements, Value};
use hcl_edit::Span as _;
use hcl_edit::template::{Directive, Element, ForDirective, IfDirective, Strip, Template};

use super::comprehension::Loop;
use super::{Evaluator, Outcome, in_scope, span_of};
use crate::language::convert::convert;
use crate::language::marked::MarkSet;
use crate::language::rule::Rule;
use crate::language::scope::Scope;
use crate::language::{Marked, Span};

/// The value of a template, of its own accord a string.
pub(in crate::language) fn render(template: &Template, scope: &dyn Scope) -> Outcome {
    in_scope(scope, |evaluator| evaluator.template(template.iter(), Literals::Lines))
}

/// How the literals between the tags of a template are written, which decides how far a tag strips the spaces next to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Literals {
    /// In quotes: a tag strips up to the next one.
    Quoted,
    /// In quotes, within a directive, where the parser leaves the escape sequences.
    Escaped,
    /// In a heredoc, a file or another text: a tag strips the line before or after it.
    Lines,
}

impl Literals {
    /// Those between the tags of a directive.
    fn within_directive(self) -> Self {
        if self == Self::Quoted { Self::Escaped } else { self }
    }

    /// A text without the spaces that the tags before and after it strip.
    fn stripped(self, literal: &str, (before, after): (bool, bool)) -> Cow<'_, str> {
        let mut text = if self == Self::Escaped { unescaped(literal) } else { Cow::Borrowed(literal) };
        if before {
            let (first, rest) = text.split_at(self.first_line(&text));
            text = [first.trim_start(), rest].concat().into();
        }
        if after {
            let (rest, last) = text.split_at(self.last_line(&text));
            text = [rest, last.trim_end()].concat().into();
        }
        text
    }

    /// Where the first line ends, after its line break.
    fn first_line(self, text: &str) -> usize {
        let end = text.find('\n').filter(|_| self == Self::Lines);
        end.map_or(text.len(), |at| at + 1)
    }

    /// Where the last line starts; a line break belongs to the line that it ends.
    fn last_line(self, text: &str) -> usize {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let start = line.rfind('\n').filter(|_| self == Self::Lines);
        start.map_or(0, |at| at + 1)
    }
}

/// The text that the escape sequences of a quoted template mean.
fn unescaped(literal: &str) -> Cow<'_, str> {
    let mut text = String::new();
    let mut rest = literal;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut after = escape.chars();
        let kind = after.next();
        let digits = match kind {
            Some('u') => 4,
            Some('U') => 8,
            _ => 0,
        };
        let code = after.as_str().get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        text.push(match kind {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u' | 'U') => code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER),
            Some(other) => other,
            None => '\\',
        });
        rest = after.as_str().get(digits..).unwrap_or_default();
    }
    if text.is_empty() { Cow::Borrowed(literal) } else { (text + rest).into() }
}

/// How many bytes are known of a text that has an unknown part.
const MOST_OF_A_PREFIX: usize = 128;

/// The text so far, with what is known of it.
#[derive(Default)]
struct Text {
    known: String,
    /// Whether an error was reported: the text after it is not added.
    failed: bool,
    /// Whether any of it is unknown.
    unknown: bool,
    marks: MarkSet,
}

impl Evaluator<'_> {
    /// One interpolation alone is that value; everything else is a string.
    pub(super) fn template<'e>(self, parts: impl Iterator<Item = &'e Element>, literals: Literals) -> Marked {
        let parts: Vec<&Element> = parts.collect();
        if let [Element::Interpolation(interpolation)] = parts.as_slice()
            && Rule::LoneInterpolation.holds()
        {
            return self.expression(&interpolation.expr);
        }
        self.text(&parts, (false, false), literals)
    }

    /// The parts, put together. `trim` says whether the tags before and after strip the spaces next to them.
    fn text(self, parts: &[&Element], trim: (bool, bool), literals: Literals) -> Marked {
        let (mut text, errors_before) = (Text::default(), self.error_count());
        for (at, part) in parts.iter().enumerate() {
            let (value, span) = match part {
                Element::Literal(literal) => {
                    let previous = at.checked_sub(1).and_then(|previous| parts.get(previous));
                    let before = previous.map_or(trim.0, |part| strips(part).1);
                    let after = parts.get(at + 1).map_or(trim.1, |part| strips(part).0);
                    text.push(&literals.stripped(literal.as_str(), (before, after)));
                    continue;
                }
                Element::Interpolation(interpolation) => {
                    (self.expression(&interpolation.expr), span_of(interpolation.expr.span()))
                }
                Element::Directive(directive) => {
                    let value = match directive.as_ref() {
                        Directive::If(directive) => self.if_directive(directive, literals.within_directive()),
                        Directive::For(directive) => {
                            self.for_directive(directive, literals.within_directive())
                        }
                    };
                    (value, span_of(directive.span()))
                }
            };
            text.failed |= self.error_count() > errors_before;
            self.interpolate(value, &mut text, span);
            text.failed |= self.error_count() > errors_before;
        }
        text.value()
    }

    fn interpolate(self, value: Marked, text: &mut Text, span: Span) {
        const SUMMARY: &str = "Invalid template interpolation value";
        let (value, marks) = value.unmark_deep();
        text.marks.add(marks);
        if value.is_null() {
            let detail = "The expression result is null. Cannot include a null value in a string template.";
            if Rule::NullInTemplate.holds() {
                self.report(SUMMARY, detail, span);
            }
            return;
        }
        if value.is_unknown() && !value.ty.is_primitive() {
            text.unknown = true;
            return;
        }
        let value = match convert(value, &Type::String) {
            Ok(value) => value,
            Err(error) => {
                let detail = format!("Cannot include the given value in a string template: {error}.");
                self.report(SUMMARY, detail, span);
                return;
            }
        };
        match &value.value {
            Value::String(part) => text.push(part),
            Value::Unknown(unknown) => {
                if let Some(prefix) = unknown.refinements().and_then(|known| known.prefix.as_deref()) {
                    text.push(prefix);
                }
                text.unknown = true;
            }
            _ => {}
        }
    }

    fn if_directive(self, directive: &IfDirective, literals: Literals) -> Marked {
        let yes = &directive.if_expr;
        let end = strip(directive.endif_expr.strip);
        let inner = directive.else_expr.as_ref().map_or(end, |other| strip(other.strip));
        let text =
            |template: &Template, trim| self.text(&template.iter().collect::<Vec<_>>(), trim, literals);
        let results = [
            self.capture_errors(|| text(&yes.template, (strip(yes.strip).1, inner.0))),
            self.capture_errors(|| match &directive.else_expr {
                Some(other) => text(&other.template, (strip(other.strip).1, end.0)),
                None => Marked::string(""),
            }),
        ];
        self.conditional(&yes.cond_expr, results, span_of(yes.cond_expr.span()))
    }

    fn for_directive(self, directive: &ForDirective, literals: Literals) -> Marked {
        let intro = &directive.for_expr;
        let parts: Vec<&Element> = intro.template.iter().collect();
        let trim = (strip(intro.strip).1, strip(directive.endfor_expr.strip).0);
        let variables = Loop {
            key: intro.key_var.as_ref().map(|name| name.as_str()),
            value: intro.value_var.as_str(),
            collection: &intro.collection_expr,
            condition: None,
            checks_unknown: false,
        };
        let mut results = Vec::new();
        let run = self.each(&variables, |inner, _, _| {
            results.push(inner.text(&parts, trim, literals));
            true
        });
        if !run.is_known {
            // Terraform loses the marks of what is not known here.
            return Marked::unknown_not_null(Type::String);
        }
        let mut text = Text { marks: run.marks, ..Text::default() };
        for part in results {
            // Nothing after the first one that is not known is looked at, and the marks of that are lost as well.
            if part.is_unknown() {
                return Marked::unknown_not_null(Type::String).mark(text.marks);
            }
            self.interpolate(part, &mut text, span_of(directive.span()));
        }
        text.value()
    }
}

/// Whether a part strips the spaces before and after it.
fn strips(part: &Element) -> (bool, bool) {
    match part {
        Element::Literal(_) => (false, false),
        Element::Interpolation(interpolation) => strip(interpolation.strip),
        Element::Directive(directive) => match directive.as_ref() {
            Directive::If(directive) => {
                (strip(directive.if_expr.strip).0, strip(directive.endif_expr.strip).1)
            }
            Directive::For(directive) => {
                (strip(directive.for_expr.strip).0, strip(directive.endfor_expr.strip).1)
            }
        },
    }
}

/// Whether a tag strips the spaces before and after it.
pub(super) fn strip(strip: Strip) -> (bool, bool) {
    let strips = |it: bool| it && Rule::Strip.holds();
    (strips(matches!(strip, Strip::Start | Strip::Both)), strips(matches!(strip, Strip::End | Strip::Both)))
}

impl Text {
    fn push(&mut self, part: &str) {
        if !self.failed && !self.unknown {
            self.known.push_str(part);
        }
    }

    fn value(self) -> Marked {
        if !self.unknown {
            return Marked::string(self.known).mark(self.marks);
        }
        // Core keeps no more of a long text, and nothing of one that is wrong.
        let length = (0..=MOST_OF_A_PREFIX).rev().find(|at| self.known.is_char_boundary(*at));
        let known = self.known.get(..length.unwrap_or_default()).unwrap_or_default();
        let prefix = safe_prefix(known).filter(|_| !self.failed);
        Marked::refined(Type::String, Refinements { not_null: true, prefix, ..Refinements::default() })
            .mark(self.marks)
    }
}

/// What stays at the beginning of a text whatever follows it: its last character may combine with the next, unless core takes it
/// for one that ends what is before it.
pub(in crate::language) fn safe_prefix(text: &str) -> Option<std::sync::Arc<str>> {
    use unicode_segmentation::UnicodeSegmentation as _;
    const DELIMITERS: &str = "-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'";
    let (at, last) = text.grapheme_indices(true).next_back()?;
    let kept = if last.len() == 1 && DELIMITERS.contains(last) { text } else { text.get(..at)? };
    Some(kept).filter(|kept| !kept.is_empty()).map(Into::into)
}
