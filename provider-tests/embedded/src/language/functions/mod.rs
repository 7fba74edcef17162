//! The built-in functions.
//!
//! A function is declared by its signature in [`TABLES`]: the types of its parameters and of its result. In a
//! signature `?` after a type says that a null may be given, `~` that the function looks at unknown arguments itself
//! and `!` that it looks at marks itself; `-` and `_` say when it [drops marks](DropsMarks), and `#` that an argument of
//! which nothing is known makes the type of the result unknown, too. All other nulls are refused, and all other
//! unknowns and marks go to the result before a function is called. `=>` before the result says that arguments with
//! unknown parts have an unknown result too, and `?` after it that an unknown one may be null. `^` before a name says
//! that core reports a bad argument as a failure of the call as a whole.

mod collection;
mod conversion;
mod datetime;
mod encoding;
mod file;
mod format;
mod glob;
mod hash;
mod json;
mod lookup;
mod network;
mod numeric;
mod pattern;
mod re2;
mod sensitivity;
mod sequence;
mod set;
mod string;
mod template;
mod yaml;
mod yaml_read;
mod yaml_scan;

pub(crate) use datetime::duration;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use ferroform::schema::{FunctionParameter, FunctionSignature};
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
    pub(super) signature: Signature,
    pub(super) call: Body,
}

/// What a function takes and returns.
pub(super) struct Signature {
    /// As it is called, with its namespace.
    pub(super) name: Cow<'static, str>,
    /// Whether a bad argument is reported as a failure of the call.
    whole: bool,
    parameters: Vec<Parameter>,
    variadic: Option<Parameter>,
    pub(super) result: Type,
    /// Whether an unknown result is known not to be null.
    not_null: bool,
}

/// A parameter of a function.
pub(super) struct Parameter {
    pub(super) name: Cow<'static, str>,
    pub(super) ty: Type,
    pub(super) null: bool,
    pub(super) unknown: bool,
    pub(super) marked: bool,
    /// Whether an unknown argument makes core drop the marks of the arguments for all such parameters.
    pub(super) drops_marks: DropsMarks,
    /// Whether an unknown part makes the result unknown, as an unknown argument does.
    pub(super) wholly: bool,
    /// Whether an argument of which not even the type is known makes the type of the result unknown, too, and is the last one
    /// that is looked at.
    pub(super) spreads_unknown_type: bool,
}

/// When core drops the marks of the arguments for such parameters: it ends a call early where one is unknown, and has by then
/// kept only the marks that functions do not look at themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DropsMarks {
    Never,
    /// Where the type of the argument is unknown, too.
    IfUntyped,
    /// Where the argument is unknown.
    IfUnknown,
}

impl Parameter {
    /// Whether core drops marks because of this argument.
    pub(super) fn drops_marks(&self, argument: &Marked) -> bool {
        match self.drops_marks {
            DropsMarks::Never => false,
            DropsMarks::IfUntyped => argument.is_unknown() && argument.ty == Type::Dynamic,
            DropsMarks::IfUnknown => argument.is_unknown(),
        }
    }
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

/// Why a call of a function has no result. The text ends a sentence of core's, so it has no full stop. That of a built-in
/// function never shows a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The argument with that number is wrong.
    Argument(usize, String),
    /// The call as a whole has failed.
    Call(String),
}

impl Failure {
    pub(crate) fn argument(at: usize, message: &str) -> Self {
        Self::Argument(at, message.to_owned())
    }

    pub(crate) fn call(message: &str) -> Self {
        Self::Call(message.to_owned())
    }
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
    entries.filter_map(|(signature, call)| declare(signature, *call)).collect()
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
fn declare(signature: &'static str, call: Body) -> Option<(&'static str, Function)> {
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
        let ty = rest.trim_end_matches(['?', '~', '!', '-', '_', '#', '.']);
        let flags = rest.strip_prefix(ty)?;
        let parameter = Parameter {
            name: name.into(),
            ty: type_of(ty)?,
            null: flags.contains('?'),
            unknown: flags.contains('~'),
            marked: flags.contains('!'),
            drops_marks: if flags.contains('-') {
                DropsMarks::IfUnknown
            } else if flags.contains('_') {
                DropsMarks::IfUntyped
            } else {
                DropsMarks::Never
            },
            wholly,
            spreads_unknown_type: flags.contains('#'),
        };
        if flags.ends_with("...") { variadic = Some(parameter) } else { parameters.push(parameter) }
    }
    let not_null = !result.ends_with('?');
    let result = type_of(result.trim_end_matches('?'))?;
    let signature = Signature { name: name.into(), whole, parameters, variadic, result, not_null };
    Some((name, Function { signature, call }))
}

fn type_of(text: &'static str) -> Option<Type> {
    let source = SourceFile::new("", text);
    let expr: Expression = text.parse().ok()?;
    types::parse(&expr, &source).ok().map(|constraint| constraint.ty)
}

impl Signature {
    /// That of a function of a provider.
    pub(super) fn of_provider(name: String, signature: &FunctionSignature) -> Self {
        let parameter = |it: &FunctionParameter| Parameter {
            name: it.name.to_string().into(),
            ty: it.ty.ty(),
            null: it.allow_null,
            unknown: it.allow_unknown,
            marked: false,
            drops_marks: DropsMarks::Never,
            wholly: true,
            spreads_unknown_type: false,
        };
        Self {
            name: name.into(),
            whole: false,
            parameters: signature.parameters.iter().map(parameter).collect(),
            variadic: signature.variadic_parameter.as_ref().map(parameter),
            result: signature.result.clone(),
            not_null: false,
        }
    }

    /// The parameter to which an argument belongs.
    pub(super) fn parameter(&self, at: usize) -> &Parameter {
        static NONE: LazyLock<Parameter> = LazyLock::new(|| Parameter {
            name: "".into(),
            ty: Type::Dynamic,
            null: true,
            unknown: false,
            marked: false,
            drops_marks: DropsMarks::Never,
            wholly: false,
            spreads_unknown_type: false,
        });
        self.parameters.get(at).or(self.variadic.as_ref()).unwrap_or(&NONE)
    }

    /// How many arguments there are at least.
    pub(super) fn wanted(&self) -> usize {
        self.parameters.len()
    }

    /// Summary and detail of the error when there are too few or too many arguments.
    pub(super) fn check_count(&self, count: usize) -> Result<(), (&'static str, String)> {
        let (name, wanted) = (&self.name, self.parameters.len());
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

    /// The result for arguments that are not known yet.
    pub(super) fn unknown(&self) -> Marked {
        let result = self.result.clone();
        if self.not_null { Marked::unknown_not_null(result) } else { Marked::unknown(result) }
    }

    /// The summary and the detail for a call that has failed, and the number of the argument that it is about.
    pub(super) fn failed(&self, failure: &Failure) -> (&'static str, String, Option<usize>) {
        match failure {
            Failure::Argument(at, message) if !self.whole => {
                let detail =
                    format!("Invalid value for {:?} parameter: {message}.", self.parameter(*at).name);
                ("Invalid function argument", detail, Some(*at))
            }
            Failure::Argument(_, message) | Failure::Call(message) => {
                let detail = format!("Call to function {:?} failed: {message}.", self.name);
                ("Error in function call", detail, None)
            }
        }
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
        self.number(at).to_i64().ok_or_else(|| Failure::argument(at, "a whole number is required"))
    }

    /// The texts of a list or set of strings, of which none may be null.
    fn texts(&self, at: usize) -> Result<Vec<&'a str>, Failure> {
        let elements = self.argument(at).value.elements().unwrap_or_default();
        let texts = elements
            .iter()
            .map(|element| element.as_str().ok_or_else(|| Failure::argument(at, "an element is null")));
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
        assert!(
            find("join")
                .is_some_and(|join| join.signature.variadic.is_some() && join.signature.wanted() == 1)
        );
    }
}
