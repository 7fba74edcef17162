//! The built-in functions.
//!
//! A function is declared by its signature in [`TABLES`]: the types of its parameters and of its result. In a
//! signature `?` after a type says that a null may be given, `~` that the function looks at unknown arguments itself
//! and `!` that it looks at marks itself. All other nulls are refused, and all other unknowns and marks go to the
//! result before a function is called. `=>` before the result says that arguments with unknown parts have an unknown
//! result too. `^` before a name says that core reports a bad argument as a failure of the call as a whole.

mod collection;
mod conversion;
mod datetime;
mod encoding;
mod file;
mod format;
mod hash;
mod json;
mod lookup;
mod network;
mod numeric;
mod pattern;
mod sensitivity;
mod sequence;
mod set;
mod string;
mod template;
mod yaml;
mod yaml_read;

pub(crate) use datetime::duration;

use std::collections::HashMap;
use std::sync::LazyLock;

use ferroform::ty::Type;
use ferroform::value::Number;
use hcl_edit::expr::Expression;

use super::Marked;
use super::scope::Scope;
use super::{SourceFile, types};

/// How far the work is for which an expression is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before apply: functions whose result differs each time, such as `uuid`, have an unknown result.
    Plan,
    /// During apply.
    Apply,
}

/// A built-in function.
pub(super) struct Function {
    name: &'static str,
    /// Whether a bad argument is reported as a failure of the call.
    pub(super) whole: bool,
    parameters: Vec<Parameter>,
    variadic: Option<Parameter>,
    pub(super) result: Type,
    pub(super) call: Body,
}

/// A parameter of a function.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) ty: Type,
    pub(super) null: bool,
    pub(super) unknown: bool,
    pub(super) marked: bool,
    /// Whether an unknown part makes the result unknown, as an unknown argument does.
    pub(super) wholly: bool,
}

/// What a function does.
pub(super) type Body = fn(&Call<'_>) -> Result<Marked, Failure>;

/// A signature with what the function does.
type Entry = (&'static str, Body);

/// A call with arguments of the right types and number.
pub(super) struct Call<'a> {
    pub(super) arguments: &'a [Marked],
    pub(super) scope: &'a dyn Scope,
    pub(super) result: &'a Type,
}

/// Why a call has no result. It never shows a value.
pub(super) enum Failure {
    /// An argument, by its number, does not suit.
    Argument(usize, String),
    /// The call as a whole.
    Call(String),
}

const TABLES: [&[Entry]; 17] = [
    collection::TABLE,
    conversion::TABLE,
    datetime::TABLE,
    encoding::TABLE,
    file::TABLE,
    format::TABLE,
    hash::TABLE,
    json::TABLE,
    lookup::TABLE,
    network::TABLE,
    numeric::TABLE,
    pattern::TABLE,
    sensitivity::TABLE,
    sequence::TABLE,
    set::TABLE,
    string::TABLE,
    yaml::TABLE,
];

static FUNCTIONS: LazyLock<HashMap<&'static str, Function>> = LazyLock::new(|| {
    let entries = TABLES.into_iter().flatten();
    entries.filter_map(|(signature, call)| declare(signature, *call)).map(|f| (f.name, f)).collect()
});

/// The names of the built-in functions, sorted. Those that need the expression of an argument and not only its value,
/// `try`, `can` and `convert`, are among them.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = FUNCTIONS.keys().copied().chain(["can", "convert", "try"]).collect();
    names.sort_unstable();
    names
}

/// The function of a name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.get(name)
}

/// Reads `name(parameter: type, ...) -> type`; nothing for a signature that is wrong, which a test looks for.
fn declare(signature: &'static str, call: Body) -> Option<Function> {
    let (name, rest) = signature.split_once('(')?;
    let (name, whole) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let (rest, result, wholly) = match rest.rsplit_once(" => ") {
        Some((rest, result)) => (rest, result, true),
        None => {
            let (rest, result) = rest.rsplit_once(" -> ")?;
            (rest, result, false)
        }
    };
    let (mut parameters, mut variadic) = (Vec::new(), None);
    for parameter in rest.strip_suffix(')')?.split(", ").filter(|parameter| !parameter.is_empty()) {
        let (name, rest) = parameter.split_once(": ")?;
        let ty = rest.trim_end_matches(['?', '~', '!', '.']);
        let flags = rest.strip_prefix(ty)?;
        let parameter = Parameter {
            name,
            ty: type_of(ty)?,
            null: flags.contains('?'),
            unknown: flags.contains('~'),
            marked: flags.contains('!'),
            wholly,
        };
        if flags.ends_with("...") { variadic = Some(parameter) } else { parameters.push(parameter) }
    }
    Some(Function { name, whole, parameters, variadic, result: type_of(result)?, call })
}

fn type_of(text: &'static str) -> Option<Type> {
    let source = SourceFile::new("", text);
    let expr: Expression = text.parse().ok()?;
    types::parse(&expr, &source).ok().map(|constraint| constraint.ty)
}

impl Function {
    /// The parameter to which an argument belongs.
    pub(super) fn parameter(&self, at: usize) -> &Parameter {
        static NONE: LazyLock<Parameter> = LazyLock::new(|| Parameter {
            name: "",
            ty: Type::Dynamic,
            null: true,
            unknown: false,
            marked: false,
            wholly: false,
        });
        self.parameters.get(at).or(self.variadic.as_ref()).unwrap_or(&NONE)
    }

    /// How many arguments there are at least.
    pub(super) fn wanted(&self) -> usize {
        self.parameters.len()
    }

    /// Summary and detail of the error when there are too few or too many arguments.
    pub(super) fn check_count(&self, count: usize) -> Result<(), (&'static str, String)> {
        let (name, wanted) = (self.name, self.parameters.len());
        if let Some(missing) = self.parameters.get(count) {
            let detail = format!(
                "Function {name:?} expects {wanted} argument(s). Missing value for {:?}.",
                missing.name
            );
            return Err(("Not enough function arguments", detail));
        }
        if count > wanted && self.variadic.is_none() {
            return Err((
                "Too many function arguments",
                format!("Function {name:?} expects only {wanted} argument(s)."),
            ));
        }
        Ok(())
    }
}

impl<'a> Call<'a> {
    /// An argument; a null beyond the last one.
    fn argument(&self, at: usize) -> &'a Marked {
        static NULL: LazyLock<Marked> = LazyLock::new(Marked::null);
        self.arguments.get(at).unwrap_or(&NULL)
    }

    /// The text of a string.
    fn text(&self, at: usize) -> &'a str {
        self.argument(at).value.as_str().unwrap_or_default()
    }

    /// The number.
    fn number(&self, at: usize) -> &'a Number {
        static ZERO: LazyLock<Number> = LazyLock::new(|| Number::from(0_i64));
        self.argument(at).value.as_number().unwrap_or(&ZERO)
    }

    /// A whole number that is not beyond all measure.
    fn integer(&self, at: usize) -> Result<i64, Failure> {
        self.number(at).to_i64().ok_or_else(|| Failure::Argument(at, "a whole number is required".to_owned()))
    }

    /// The texts of a list or set of strings, of which none may be null.
    fn texts(&self, at: usize) -> Result<Vec<&'a str>, Failure> {
        let elements = self.argument(at).value.elements().unwrap_or_default();
        let texts = elements.iter().map(|element| {
            element.as_str().ok_or_else(|| Failure::Argument(at, "an element is null".to_owned()))
        });
        texts.collect()
    }

    /// The result for something that is not known yet, known not to be null.
    fn unknown(&self) -> Marked {
        Marked::unknown_not_null(self.result.clone())
    }
}

/// The words for what only a real core does.
fn needs_core(what: &str) -> Failure {
    Failure::Call(format!("{what} needs a real core"))
}

/// A value of no declared type, as it is decoded from a text, by its own type.
fn decoded(value: &ferroform::value::Value) -> Result<Marked, Failure> {
    match ferroform::value::convert(value, &Type::Dynamic) {
        Ok(value) => Ok(Marked::new(value, &Type::Dynamic)),
        Err(error) => Err(Failure::Call(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_is_read() {
        let declared: usize = TABLES.iter().map(|table| table.len()).sum();
        assert_eq!(FUNCTIONS.len(), declared);
        assert_eq!(names().len(), declared + 3);
        assert!(find("join").is_some_and(|join| join.variadic.is_some() && join.parameters.len() == 1));
    }
}
