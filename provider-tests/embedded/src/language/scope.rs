//! What the names in an expression stand for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferroform::schema::FunctionSignature;
use ferroform::ty::Type;
use ferroform::value::Value;

use super::functions::{Failure, Stage};
use super::{Diagnostic, Marked, SourceFile, Span};
use crate::address::ProviderAddress;

/// A reference: a name, and the constant steps that follow it, as in `var.tags["env"]`.
///
/// Steps whose key is not a constant, and those after a splat, are not part of it: they are applied to the value. Only
/// where a scope [takes an index](Scope::takes_index) the key is evaluated first and stands among the steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Traversal {
    /// The first name.
    pub root: String,
    /// The steps after it.
    pub steps: Vec<TraversalStep>,
    /// Where it stands.
    pub span: Span,
    /// Where each of the steps stands, with its dot or brackets.
    pub step_spans: Vec<Span>,
}

impl Traversal {
    /// Where its beginning stands: the first name, and that many steps.
    #[must_use]
    pub fn through(&self, steps: usize) -> Span {
        let start = self.span.start;
        let root = Span { start, end: start + self.root.len() };
        let last = steps.checked_sub(1).and_then(|last| self.step_spans.get(last).or(self.step_spans.last()));
        last.map_or(root, |last| root.to(*last))
    }

    /// The first name, and those that follow it before any key.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let steps = self.steps.iter().map_while(|step| match step {
            TraversalStep::Attribute(name) => Some(name.as_str()),
            TraversalStep::Index(_) => None,
        });
        std::iter::once(self.root.as_str()).chain(steps)
    }

    /// Where the first step with a key stands.
    pub(crate) fn key_span(&self) -> Option<Span> {
        let mut steps = self.steps.iter().zip(&self.step_spans);
        steps.find(|(step, _)| matches!(step, TraversalStep::Index(_))).map(|(_, span)| *span)
    }
}

/// One step of a [`Traversal`].
#[derive(Debug, Clone, PartialEq)]
pub enum TraversalStep {
    /// `.name`
    Attribute(String),
    /// `["key"]`, `[0]` or the older `.0`: a string or a number.
    Index(Value),
}

/// The value that a scope has for a reference.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The value.
    pub value: Marked,
    /// How many of the steps are in it already; the others are applied to the value by the evaluation.
    pub steps: usize,
}

/// What a name of the form `provider::PROVIDER::NAME` stands for.
#[derive(Debug, Clone)]
pub enum ProviderFunction {
    /// The module does not require a provider of that local name.
    UnknownProvider,
    /// The provider has no such function.
    UnknownFunction,
    /// The provider cannot be called yet, so the result is unknown.
    NotCallable,
    /// A function of that provider, with its signature.
    Known(ProviderAddress, Arc<FunctionSignature>),
}

/// What an expression is evaluated in: the meaning of references, and the surroundings that functions look at.
///
/// Only [`source`](Self::source) and [`resolve`](Self::resolve) have no default.
pub trait Scope {
    /// The file in which the expression stands: diagnostics point into it.
    fn source(&self) -> &SourceFile;

    /// The value of a reference.
    ///
    /// # Errors
    /// There is no such thing. A diagnostic without a subject is taken to be about the whole reference.
    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>>;

    /// Whether the reference stands for a collection whose elements are resolved one by one, so that only the one that is
    /// meant is asked for.
    fn takes_index(&self, traversal: &Traversal) -> bool {
        let _ = traversal;
        false
    }

    /// Why the reference has no value and leaves the expression without one, wherever it stands; nothing where it has one,
    /// or where what is around it decides whether that is an error.
    fn reference_error(&self, traversal: &Traversal) -> Option<Diagnostic> {
        let _ = traversal;
        None
    }

    /// What the reference names is an object of a type that is known before any value: that type, and how many of the
    /// steps name the object. Attributes that it does not have are errors wherever the reference stands.
    fn object_type(&self, traversal: &Traversal) -> Option<(Type, usize)> {
        let _ = traversal;
        None
    }

    /// The step into an object that leads to no nested block or attribute, by its number, and what is wrong with it. The steps
    /// before `first` name the object.
    fn lost_step(&self, traversal: &Traversal, first: usize) -> Option<(usize, Diagnostic)> {
        let _ = (traversal, first);
        None
    }

    /// The function of a provider that is written `provider::PROVIDER::NAME`.
    fn provider_function(&self, provider: &str, name: &str) -> ProviderFunction {
        let _ = (provider, name);
        ProviderFunction::UnknownProvider
    }

    /// Calls a function of a provider. The arguments are of the types of its parameters, and have no marks.
    ///
    /// # Errors
    /// The function has failed.
    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        let _ = (provider, arguments);
        Err(Failure::Call(format!("there is nobody to call {name}")))
    }

    /// Whether functions may be called.
    fn allows_calls(&self) -> bool {
        true
    }

    /// Whether functions with a different result each time have results already.
    fn stage(&self) -> Stage {
        Stage::Plan
    }

    /// The directory to which relative paths of files refer; without one there are no file functions.
    fn directory(&self) -> Option<&Path> {
        None
    }

    /// Whether this is the inside of a template function, which calls no other one.
    fn is_template(&self) -> bool {
        false
    }

    /// What `plantimestamp` returns, in the form of RFC 3339; unknown without one.
    fn plan_timestamp(&self) -> Option<&str> {
        None
    }
}

/// The value of a name after `path`: where the module is, or where core works.
pub(crate) fn path_value(name: &str, module: &Path, working_directory: &Path) -> Option<Marked> {
    let path = match name {
        "module" => module.to_owned(),
        "root" => PathBuf::from("."),
        "cwd" => std::path::absolute(working_directory).ok()?,
        _ => return None,
    };
    Some(Marked::string(path.to_string_lossy()))
}

/// A scope without references.
#[derive(Debug, Clone)]
pub struct NoReferences {
    source: SourceFile,
    functions: bool,
}

impl NoReferences {
    /// A scope for expressions of a text.
    #[must_use]
    pub fn new(source: SourceFile) -> Self {
        Self { source, functions: true }
    }

    /// The same scope without functions, as it is for constants: the values of variables and their defaults.
    ///
    /// ```
    /// use ferroform_embedded::language::{NoReferences, SourceFile, evaluate, parse_expression};
    ///
    /// let source = SourceFile::new("terraform.tfvars", "upper(\"x\")");
    /// let expr = parse_expression(&source).unwrap();
    /// let problems = evaluate(&expr, &NoReferences::new(source).without_functions()).unwrap_err();
    /// assert_eq!(problems[0].summary, "Function calls not allowed");
    /// ```
    #[must_use]
    pub fn without_functions(self) -> Self {
        Self { functions: false, ..self }
    }
}

impl Scope for NoReferences {
    fn source(&self) -> &SourceFile {
        &self.source
    }

    fn allows_calls(&self) -> bool {
        self.functions
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let error = Diagnostic::error("Variables not allowed", "Variables may not be used here.");
        Err(vec![error.at(&self.source, traversal.through(0))])
    }
}
