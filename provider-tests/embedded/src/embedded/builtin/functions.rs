//! The functions of the built-in provider: values as text in the configuration language, and back.

use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::{Refinements, Unknown, Value, convert};

use crate::address::{is_identifier, quoted};
use crate::language::module::values_of;
use crate::language::{Diagnostic, SourceFile};

/// The name of a function, the name and the type of its parameter, whether that may be unknown, and the type of the
/// result.
pub(super) type Declared = (&'static str, &'static str, Type, bool, Type);

pub(super) fn declared() -> [Declared; 3] {
    [
        ("encode_tfvars", "value", Type::Dynamic, true, Type::String),
        ("decode_tfvars", "src", Type::String, false, Type::Dynamic),
        ("encode_expr", "value", Type::Dynamic, true, Type::String),
    ]
}

/// Calls a function. The error ends a sentence of core's.
pub(super) fn call(name: &str, argument: &Value) -> Result<Value, String> {
    match name {
        "encode_tfvars" => encode_tfvars(argument),
        "decode_tfvars" => decode_tfvars(argument.as_str().unwrap_or_default()),
        "encode_expr" => Ok(encode_expr(argument)),
        _ => Err(format!("there is no function {name}")),
    }
}

fn encode_tfvars(value: &Value) -> Result<Value, String> {
    let value = value.peel();
    let (Value::Object(entries) | Value::Map(entries)) = value else {
        if value.is_unknown() {
            return Ok(unknown(None));
        }
        return Err(
            "invalid value to encode: must be an object whose attribute names will become the encoded \
                    variable names"
                .to_owned(),
        );
    };
    if let Some((name, _)) = entries.iter().find(|(name, _)| !is_identifier(name)) {
        return Err(format!(
            "invalid variable name {name:?}: must be a valid identifier, per Terraform's rules for input variable \
             declarations"
        ));
    }
    if !value.is_wholly_known() {
        return Ok(unknown(None));
    }
    let mut text = Text::default();
    for (name, value) in entries.iter() {
        text.attribute(name, value);
    }
    Ok(Value::from(text.formatted()))
}

fn decode_tfvars(text: &str) -> Result<Value, String> {
    let file = SourceFile::new("<decode_tfvars argument>", text);
    let wrong = |problems: Vec<Diagnostic>| {
        let first = problems.into_iter().next();
        first.map_or_else(String::new, |problem| format!("{}; {}", problem.summary, problem.detail))
    };
    let values =
        values_of(&file).map_err(|problems| format!("invalid tfvars syntax: {}", wrong(problems)))?;
    let (mut members, mut types) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let value = value
            .map_err(|problems| format!("invalid expression for variable {name:?}: {}", wrong(problems)))?;
        types.push((name.clone(), value.ty.clone()));
        members.push((name, value.value));
    }
    Ok(Value::dynamic(Type::object(types), Value::object(members)))
}

fn encode_expr(value: &Value) -> Value {
    if !value.is_wholly_known() {
        let first = match value {
            Value::Dynamic(dynamic) => match &dynamic.ty {
                Type::Object(_) | Type::Map(_) => Some("{"),
                Type::Tuple(_) | Type::List(_) | Type::Set(_) => Some("["),
                Type::String => Some("\""),
                _ => None,
            },
            _ => None,
        };
        return unknown(first.filter(|_| is_certainly_there(value)));
    }
    let mut text = Text::default();
    text.value(value);
    text.line();
    Value::from(text.formatted().trim_end_matches('\n').to_owned())
}

/// Whether a value cannot turn out to be null.
fn is_certainly_there(value: &Value) -> bool {
    match value.peel() {
        Value::Unknown(unknown) => unknown.refinements().is_some_and(|known| known.not_null),
        value => !value.is_null(),
    }
}

/// A text that is not known yet, except for what it begins with.
fn unknown(prefix: Option<&str>) -> Value {
    let prefix = prefix.map(Arc::from);
    Value::from(Unknown::refined(Refinements { not_null: true, prefix, ..Refinements::default() }))
}

/// A text in the configuration language, in lines.
#[derive(Default)]
struct Text {
    lines: Vec<Line>,
    open: Line,
}

/// A line: what stands before the equals sign, which is aligned with those of the lines around, and what follows.
#[derive(Default)]
struct Line {
    lead: String,
    assigned: Option<String>,
    /// How many brackets it opens more than it closes.
    net: i64,
}

impl Line {
    fn push(&mut self, text: &str) {
        self.assigned.as_mut().unwrap_or(&mut self.lead).push_str(text);
    }
}

impl Text {
    fn line(&mut self) {
        self.lines.push(std::mem::take(&mut self.open));
    }

    fn attribute(&mut self, name: &str, value: &Value) {
        let name = if is_identifier(name) { name.to_owned() } else { quoted(name) };
        self.open.push(&name);
        self.open.assigned = Some(String::new());
        self.value(value);
        self.line();
    }

    fn value(&mut self, value: &Value) {
        let values: Vec<&Value> = match value.peel() {
            Value::Null | Value::Unknown(_) => return self.open.push("null"),
            Value::Bool(bool) => return self.open.push(if *bool { "true" } else { "false" }),
            Value::String(text) => return self.open.push(&quoted(text)),
            Value::Object(entries) | Value::Map(entries) => return self.members(entries),
            Value::List(elements) | Value::Tuple(elements) => elements.iter().collect(),
            Value::Set(set) => set.sorted(),
            number => {
                let text = convert(number, &Type::String);
                return self.open.push(text.as_ref().ok().and_then(Value::as_str).unwrap_or("0"));
            }
        };
        self.open.push("[");
        self.open.net += 1;
        for (at, element) in values.into_iter().enumerate() {
            if at > 0 {
                self.open.push(", ");
            }
            self.value(element);
        }
        self.open.push("]");
        self.open.net -= 1;
    }

    fn members(&mut self, entries: &ferroform::value::Entries) {
        self.open.push("{");
        if entries.iter().next().is_some() {
            self.open.net += 1;
            self.line();
            for (name, value) in entries.iter() {
                self.attribute(name, value);
            }
            self.open.net -= 1;
        }
        self.open.push("}");
    }

    /// The text as `terraform fmt` lays it out.
    fn formatted(self) -> String {
        let columns: Vec<Option<usize>> = self
            .lines
            .iter()
            .map(|line| (line.assigned.is_some() && line.net == 0).then(|| line.lead.chars().count()))
            .collect();
        let mut widths = vec![0; columns.len()];
        let mut first = 0;
        for chain in columns.split_inclusive(Option::is_none) {
            let widest = chain.iter().flatten().max().copied().unwrap_or(0);
            widths.iter_mut().skip(first).take(chain.len()).for_each(|width| *width = widest);
            first += chain.len();
        }
        let mut text = String::new();
        let mut indents: Vec<i64> = Vec::new();
        for ((line, column), width) in self.lines.into_iter().zip(columns).zip(widths) {
            let mut closed = -line.net;
            while closed > 0
                && let Some(last) = indents.last_mut()
            {
                if closed >= *last {
                    closed -= *last;
                    indents.pop();
                } else {
                    *last -= closed;
                    closed = 0;
                }
            }
            text.push_str(&"  ".repeat(indents.len()));
            if line.net > 0 {
                indents.push(line.net);
            }
            text.push_str(&line.lead);
            if let Some(assigned) = &line.assigned {
                text.push_str(&" ".repeat(column.map_or(0, |column| width - column)));
                text.push_str(" = ");
                text.push_str(assigned);
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layouts are those that Terraform 1.15.5 writes.
    #[test]
    fn values_are_laid_out_as_by_core() {
        let check = |value: Value, expected: &str| assert_eq!(encode_expr(&value), Value::from(expected));
        let object = |name: &'static str, value: Value| Value::object([(name, value)]);
        check(Value::tuple([Value::tuple([1.into(), 2.into()]), Value::tuple([])]), "[[1, 2], []]");
        check(Value::from("a\"${b}%{c}\n"), "\"a\\\"$${b}%%{c}\\n\"");
        let inner = Value::tuple([object("x", 1.into()), object("yy", Value::object::<&str>([]))]);
        let first = Value::object([("a", 1.into()), ("bcd", inner)]);
        let all = Value::tuple([first, object("b", 2.into())]);
        let expected = "[{\n  a = 1\n  bcd = [{\n    x = 1\n    }, {\n    yy = {}\n  }]\n  }, {\n  b = 2\n}]";
        check(all, expected);
        let names = [("1", 1.into()), ("a.b", Value::Null), ("for", Value::from(true))];
        check(Value::object(names), "{\n  \"1\"   = 1\n  \"a.b\" = null\n  for   = true\n}");
    }

    #[test]
    fn the_beginning_of_an_unknown_text_is_known() {
        let check = |ty: Type, value: Value, prefix: Option<&str>| {
            let result = encode_expr(&Value::dynamic(ty, value));
            let Value::Unknown(result) = result else { panic!("{result:?} is known") };
            assert_eq!(result.refinements().and_then(|known| known.prefix.as_deref()), prefix);
        };
        check(Type::String, Value::from(Unknown::not_null()), Some("\""));
        check(Type::String, Value::unknown(), None);
        check(Type::tuple([Type::String]), Value::tuple([Value::unknown()]), Some("["));
        check(Type::object([("a", Type::String)]), Value::object([("a", Value::unknown())]), Some("{"));
    }
}
