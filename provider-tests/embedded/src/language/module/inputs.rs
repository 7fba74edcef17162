//! The values of the variables of the root module.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ferroform::ty::Type;
use ferroform::value::Value;

use super::content::{self, RawBody, Spec};
use super::json::{Json, Node};
use super::model::Module;
use super::syntax::SourceExpr;
use super::{json, native, translate};
use crate::embedded::CoreVersion;
use crate::language::rule::Rule;
use crate::language::types::Constraint;
use crate::language::{Diagnostic, Marked, NoReferences, SourceFile, Subject, evaluate, parse_expression};

/// Values for the variables of a root module. What is given later takes the place of what was given before, as a
/// whole.
///
/// The order of core is that of these calls: [`environment`](Self::environment),
/// [`files_in`](Self::files_in), and then [`argument`](Self::argument) and [`file`](Self::file) as they are given.
///
/// ```
/// use ferroform_embedded::language::module::Inputs;
///
/// let mut inputs = Inputs::new();
/// inputs.environment([("TF_VAR_region", "north"), ("PATH", "/bin")]);
/// inputs.argument("region=south").unwrap();
/// assert_eq!(inputs.names().collect::<Vec<_>>(), ["region"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    values: BTreeMap<String, VariableValue>,
    /// Whether the values are unknown.
    pub(super) unknown: bool,
    pub(super) emulated: CoreVersion,
}

/// A value as it was given.
#[derive(Debug, Clone)]
pub(super) struct VariableValue {
    value: Form,
    from: From,
}

#[derive(Debug, Clone)]
enum Form {
    /// Text, which is an expression if the type of the variable is none of one word.
    Text(String),
    /// An expression without references.
    Expr(SourceExpr),
    /// A value.
    Value(Value),
}

/// Where a value was given, which decides on what is said of undeclared variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Environment,
    File,
    Argument,
}

/// How many undeclared variables are named that files give values. All others are only counted.
const NAMED_UNDECLARED: usize = 2;

impl Inputs {
    /// No values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same to validate a configuration: every variable is unknown, whether it has a value or not. What is given is
    /// only read for its mistakes.
    ///
    /// ```
    /// use ferroform_embedded::language::SourceFile;
    /// use ferroform_embedded::language::module::{Inputs, load_texts};
    ///
    /// let text = "variable \"region\" {}\noutput \"region\" {\n  value = var.region\n}\n";
    /// let tree = load_texts(".", vec![SourceFile::new("main.tf", text)]).unwrap();
    /// assert!(tree.prepare(&Inputs::new()).is_err());
    /// assert!(tree.prepare(&Inputs::new().for_validation()).is_ok());
    /// ```
    #[must_use]
    pub fn for_validation(self) -> Self {
        Self { unknown: true, ..self }
    }

    /// The same for a core of that product and version: `required_version` is about it.
    #[must_use]
    pub fn emulating(self, emulated: CoreVersion) -> Self {
        Self { emulated, ..self }
    }

    /// Takes the values of environment variables whose names begin with `TF_VAR_`.
    pub fn environment<N: AsRef<str>, V: Into<String>>(
        &mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) {
        for (name, value) in variables {
            if let Some(name) = name.as_ref().strip_prefix("TF_VAR_") {
                self.give(name.to_owned(), Form::Text(value.into()), From::Environment);
            }
        }
    }

    /// Takes the files that core looks for: `terraform.tfvars`, `terraform.tfvars.json`, and all `*.auto.tfvars` and
    /// `*.auto.tfvars.json` in the order of their names.
    ///
    /// # Errors
    /// What is wrong in them.
    pub fn files_in(&mut self, directory: &Path) -> Result<(), Vec<Diagnostic>> {
        let mut files: Vec<PathBuf> =
            ["terraform.tfvars", "terraform.tfvars.json"].iter().map(|name| directory.join(name)).collect();
        let mut automatic: Vec<PathBuf> = std::fs::read_dir(directory)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json")
            })
            .collect();
        if Rule::AutomaticOrder.holds() {
            automatic.sort();
        } else {
            automatic.sort_by(|a, b| b.cmp(a));
        }
        files.extend(automatic);
        for path in files.iter().filter(|path| path.exists()) {
            self.file(path)?;
        }
        Ok(())
    }

    /// Takes a file of values, in the native syntax or, by its name, in JSON.
    ///
    /// # Errors
    /// It cannot be read, or it holds something else.
    pub fn file(&mut self, path: &Path) -> Result<(), Vec<Diagnostic>> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let detail = format!("The variables file {} cannot be read: {error}.", path.display());
            vec![Diagnostic::error("Failed to read variables file", detail)]
        })?;
        self.text(&SourceFile::new(path, text))
    }

    /// Takes the text of a file of values.
    ///
    /// # Errors
    /// It holds something else.
    pub fn text(&mut self, file: &SourceFile) -> Result<(), Vec<Diagnostic>> {
        for (name, expr) in read(file)? {
            self.give(name, Form::Expr(expr), From::File);
        }
        Ok(())
    }

    /// Takes a value as `-var` gives it: `name=value`.
    ///
    /// # Errors
    /// There is no equals sign, or a blank before it.
    pub fn argument(&mut self, argument: &str) -> Result<(), Diagnostic> {
        match argument.split_once('=') {
            Some((name, _)) if name.ends_with(' ') => {
                let detail = format!("No blank can stand between {name:?} and the equals sign.");
                Err(Diagnostic::error("Invalid -var option", detail))
            }
            Some((name, value)) => {
                self.give(name.to_owned(), Form::Text(value.to_owned()), From::Argument);
                Ok(())
            }
            None => {
                let detail = "Write the name of the variable, an equals sign and the value.";
                Err(Diagnostic::error("Invalid -var option", detail))
            }
        }
    }

    /// Gives a value.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.give(name.into(), Form::Value(value), From::Argument);
    }

    /// The variables that have values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    fn give(&mut self, name: String, value: Form, from: From) {
        if !self.values.contains_key(&name) || Rule::LaterValue.holds() {
            self.values.insert(name, VariableValue { value, from });
        }
    }

    pub(super) fn value(&self, name: &str) -> Option<&VariableValue> {
        self.values.get(name)
    }

    /// What is to be said of values for variables that the module does not declare.
    pub(super) fn undeclared(&self, module: &Module) -> Vec<Diagnostic> {
        let declared = |name: &str| module.variables.iter().any(|variable| variable.name == name);
        let others = self.values.iter().filter(|(name, _)| !declared(name) && Rule::UndeclaredValue.holds());
        let (mut problems, mut in_files) = (Vec::new(), 0);
        for (name, given) in others {
            let detail = format!("The root module does not declare a variable named {name:?}.");
            match given.from {
                // The environment may be meant for other configurations, too.
                From::Environment => {}
                From::File => {
                    in_files += 1;
                    if in_files <= NAMED_UNDECLARED {
                        problems.push(Diagnostic::warning("Value for undeclared variable", detail));
                    }
                }
                From::Argument => problems.push(Diagnostic::error("Value for undeclared variable", detail)),
            }
        }
        if in_files > NAMED_UNDECLARED {
            let others = in_files - NAMED_UNDECLARED;
            let detail =
                format!("The root module does not declare {others} other variables that files give values.");
            problems.push(Diagnostic::warning("Values for undeclared variables", detail));
        }
        problems
    }
}

impl VariableValue {
    /// Where it stands, if it is in a file.
    pub(super) fn place(&self) -> Option<Subject> {
        match &self.value {
            Form::Expr(expr) => Some(expr.subject().clone()),
            Form::Text(_) | Form::Value(_) => None,
        }
    }

    /// The value for a variable of that type, not converted yet.
    pub(super) fn read(
        &self,
        (name, constraint, declared): (&str, &Constraint, bool),
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Marked> {
        let literal = !declared || matches!(constraint.ty, Type::String | Type::Number | Type::Bool);
        let result = match &self.value {
            Form::Value(value) => Ok(typed(value)),
            Form::Text(text) if literal && Rule::TextValue.holds() => Ok(Marked::string(text)),
            Form::Text(text) => {
                let source = SourceFile::new(format!("<value for var.{name}>"), text.as_str());
                match parse_expression(&source) {
                    Ok(expr) => evaluate(&expr, &NoReferences::new(source).without_functions()),
                    Err(problem) => Err(vec![problem]),
                }
            }
            Form::Expr(expr) => expr.constant(),
        };
        result.map_err(|found| problems.extend(found)).ok()
    }
}

/// A value by its own type.
fn typed(value: &Value) -> Marked {
    match ferroform::value::convert(value, &Type::Dynamic) {
        Ok(Value::Dynamic(dynamic)) => Marked::new(dynamic.value, &dynamic.ty),
        _ => Marked::new(value.clone(), &Type::Dynamic),
    }
}

/// A name, and its value or what is wrong with it.
type NamedValue = (String, Result<Marked, Vec<Diagnostic>>);

/// The values in the text of a file.
pub(crate) fn values_of(file: &SourceFile) -> Result<Vec<NamedValue>, Vec<Diagnostic>> {
    Ok(read(file)?.into_iter().map(|(name, expr)| (name, expr.constant())).collect())
}

/// The values of a file.
fn read(file: &SourceFile) -> Result<Vec<(String, SourceExpr)>, Vec<Diagnostic>> {
    let body = match file.path().to_str() {
        Some(path) if path.ends_with(".json") => json::parse(file).and_then(|node| json_body(&node, file)),
        _ => native::parse(file),
    };
    let body = body.map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let declarations = Spec { blocks: &[("variable", &["name"])], ..Spec::ANYTHING };
    problems.extend(body.content(&declarations, &mut Vec::new()).blocks.iter().map(|block| {
        let detail =
            "A file of values does not declare variables, it only gives them values, as NAME = VALUE.";
        Diagnostic::error("Variable declaration in .tfvars file", detail).on(block.type_place())
    }));
    if !problems.is_empty() {
        return Err(problems);
    }
    let values = body.attributes(translate::literal, &mut problems);
    match problems.is_empty() {
        true => Ok(values.into_iter().map(|argument| (argument.name, argument.value)).collect()),
        false => Err(problems),
    }
}

fn json_body(node: &Node, file: &SourceFile) -> Result<RawBody, Diagnostic> {
    if matches!(node.value, Json::Object(_)) {
        return content::json_file(node, file);
    }
    let detail = "A file of values in JSON is an object, with a property for each variable.";
    Err(Diagnostic::error("Incorrect JSON value type", detail).at(file, node.beginning()))
}
