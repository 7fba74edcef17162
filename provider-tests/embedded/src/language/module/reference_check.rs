//! Whether what expressions refer to is there, as far as that can be told without values.

use hcl_edit::expr::FuncCall;
use hcl_edit::visit::{self, Visit};

use super::decode::needs_real_core;
use super::model::{Condition, Import, Resource, TriggeredAction, Variable};
use super::modules::{ModuleConfig, ModuleId, Modules, NamedKind};
use super::references::{malformed, misplaced, traversal, undeclared, undeclared_resource, wrong_part};
use super::statics::StaticReference;
use super::syntax::SourceExpr;
use crate::address::Mode;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Subject, Traversal, TraversalStep};

/// Functions that the evaluator does not have, or not at apply. They are refused wherever they stand, lest `try` or `can`
/// hide it.
const NOT_HERE: [&str; 3] = ["base64gzip", "bcrypt", "rsadecrypt"];

/// Checks the references in a module.
#[derive(Clone, Copy)]
pub(crate) struct ReferenceCheck<'a> {
    config: &'a ModuleConfig,
    objects: Option<&'a dyn Objects>,
}

/// The objects to which expressions refer.
pub(crate) trait Objects: Sync {
    /// What is wrong with what a reference of an expression names of an object: it has no such attribute.
    fn wrong_attributes(&self, expr: &SourceExpr, reference: &Traversal) -> Vec<Diagnostic>;
}

/// What an expression may refer to beside what the module declares.
#[derive(Clone, Copy, Default)]
pub(crate) struct Surroundings {
    pub(crate) count: bool,
    pub(crate) each: bool,
    /// `self`.
    pub(crate) own: bool,
    /// The number of the `check` block around.
    pub(crate) check: Option<usize>,
}

impl Surroundings {
    /// Those of a block that may have several instances.
    pub(crate) fn repeated(count: bool, each: bool) -> Self {
        Self { count, each, ..Self::default() }
    }
}

impl<'a> ReferenceCheck<'a> {
    pub(crate) fn new(modules: &'a Modules, id: ModuleId) -> Self {
        Self::within(&modules[id])
    }

    pub(super) fn within(config: &'a ModuleConfig) -> Self {
        Self { config, objects: None }
    }

    /// The same where the types of objects are known.
    pub(crate) fn among(self, objects: &'a dyn Objects) -> Self {
        Self { objects: Some(objects), ..self }
    }

    /// What is wrong with the references of an expression.
    pub(crate) fn expression(self, expr: &SourceExpr, around: Surroundings) -> Vec<Diagnostic> {
        self.of_expression(expr, around).reportable()
    }

    /// The same before there are instances, so that which keys they have does not matter yet.
    pub(super) fn expression_without_keys(self, expr: &SourceExpr, around: Surroundings) -> Vec<Diagnostic> {
        let mut problems = self.of_expression(expr, around);
        problems.0.retain(|problem| problem.kind != ProblemKind::Key);
        problems.reportable()
    }

    fn of_expression(self, expr: &SourceExpr, around: Surroundings) -> ReferenceProblems {
        let mut problems = ReferenceProblems::default();
        problems.refuse_functions(expr);
        self.collect(expr, around, &|_| false, &mut problems);
        problems
    }

    /// Collects what is wrong with the references of an expression, among iterators that are no objects.
    pub(crate) fn collect(
        self,
        expr: &SourceExpr,
        around: Surroundings,
        is_iterator: &dyn Fn(&str) -> bool,
        problems: &mut ReferenceProblems,
    ) {
        let ReferenceProblems(problems) = problems;
        for reference in &expr.references() {
            if is_iterator(&reference.root) {
                continue;
            }
            let subject = expr.place_within(wrong_part(reference));
            problems.extend(self.reference(reference, around).into_iter().map(|it| it.on(&subject)));
            problems.extend(nameless(reference));
            let wrong = self.objects.iter().flat_map(|objects| objects.wrong_attributes(expr, reference));
            problems.extend(wrong.map(|it| Problem::new(ProblemKind::Object, it)));
        }
    }

    fn reference(self, reference: &Traversal, around: Surroundings) -> Vec<Problem> {
        if let Some(malformed) = malformed(reference) {
            return vec![Problem::new(ProblemKind::NotAReference, malformed)];
        }
        let names: Vec<&str> = reference.names().skip(1).collect();
        let has = |kind, name: &str| self.config.number(kind, name).is_some();
        let root = reference.root.as_str();
        match (root, names.as_slice()) {
            ("var", [name, ..]) if has(NamedKind::Variable, name) => Vec::new(),
            ("local", [name, ..]) if has(NamedKind::Local, name) => Vec::new(),
            ("module", [name, ..]) if has(NamedKind::Call, name) => Vec::new(),
            ("var" | "local" | "module", [name, ..]) if Rule::Undeclared.holds() => {
                let kind = if root == "module" { ProblemKind::Object } else { ProblemKind::Value };
                vec![Problem::new(kind, undeclared(root, name))]
            }
            ("var" | "local" | "module", _) => Vec::new(),
            ("path", ["module" | "root" | "cwd", ..]) | ("terraform", ["workspace" | "applying", ..]) => {
                Vec::new()
            }
            ("count", ["index", ..]) if around.count => Vec::new(),
            ("each", ["key" | "value", ..]) if around.each => Vec::new(),
            ("self", _) if around.own => Vec::new(),
            ("path" | "terraform" | "count" | "each" | "self", names) if Rule::Misplaced.holds() => {
                let kind = if root == "self" { ProblemKind::Object } else { ProblemKind::Value };
                vec![Problem::new(kind, misplaced(root, names.first().unwrap_or(&"")))]
            }
            ("path" | "terraform" | "count" | "each" | "self", _) => Vec::new(),
            ("data", [type_name, name, ..]) => {
                let number = self.config.resource_number(Mode::Data, type_name, name);
                let check = number.and_then(|number| self.config.check_of(number));
                if check.is_some() && check != around.check && Rule::CheckDataScoped.holds() {
                    let detail = format!(
                        "The data source {type_name}.{name} belongs to a check, and only that check can refer to it."
                    );
                    return vec![Problem::error(ProblemKind::Object, "Reference to scoped resource", detail)];
                }
                self.resource_reference((Mode::Data, type_name, name), reference, 2)
            }
            ("list", [type_name, name, ..]) => {
                let mut found = self.resource_reference((Mode::List, type_name, name), reference, 2);
                if self.config.resource_number(Mode::List, type_name, name).is_some() {
                    found.extend(list_traversal(reference).map(|it| Problem::new(ProblemKind::Object, it)));
                }
                found
            }
            ("action", _) if Rule::ActionReference.holds() => {
                let detail = "Actions can be named only in the action_trigger blocks of resources.";
                vec![Problem::error(ProblemKind::NotAReference, "Invalid reference", detail)]
            }
            ("action", _) => Vec::new(),
            (root, _) => {
                let steps = 1 + usize::from(Mode::of_root(root).is_some());
                let resource = reference.resource();
                resource.map(|it| self.resource_reference(it, reference, steps)).unwrap_or_default()
            }
        }
    }

    fn resource_reference(
        self,
        (mode, type_name, name): (Mode, &str, &str),
        reference: &Traversal,
        steps: usize,
    ) -> Vec<Problem> {
        let number = self.config.resource_number(mode, type_name, name);
        let Some(resource) = number.and_then(|number| self.config.resource(number)) else {
            let missing = Problem::new(ProblemKind::Object, undeclared_resource(mode, type_name, name));
            return if Rule::UndeclaredResource.holds() { vec![missing] } else { Vec::new() };
        };
        let repeated = resource.count.is_some() || resource.for_each.is_some();
        match reference.steps.get(steps) {
            Some(TraversalStep::Index(_)) if !repeated && Rule::UnexpectedKey.holds() => {
                let detail =
                    format!("{type_name}.{name} has neither \"count\" nor \"for_each\", so it has no keys.");
                vec![Problem::error(ProblemKind::Key, "Unexpected resource instance key", detail)]
            }
            Some(TraversalStep::Attribute(_)) if repeated && Rule::MissingKey.holds() => {
                let argument = if resource.count.is_some() { "count" } else { "for_each" };
                let detail = format!(
                    "{type_name}.{name} has {argument:?} set, so a reference names one of its instances."
                );
                vec![Problem::error(ProblemKind::Key, "Missing resource instance key", detail)]
            }
            _ => Vec::new(),
        }
    }

    /// `depends_on` names whole objects.
    pub(crate) fn dependencies(self, depends_on: &[StaticReference]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for reference in depends_on {
            let wrong = self.dependency(reference, found.is_empty());
            found.extend(wrong);
        }
        found
    }

    /// What is wrong with one of them. After the first that is wrong Terraform does not look whether the others exist.
    fn dependency(self, reference: &StaticReference, is_looked_for: bool) -> Vec<Diagnostic> {
        let named = traversal(reference);
        if let Some(malformed) = malformed(&named) {
            return vec![malformed.on(&reference.subject)];
        }
        let rest = reference.rest(named.naming_steps());
        if rest.is_some() && Rule::DependsOnWhole.holds() {
            let detail = "Dependencies are on whole objects. Remove what comes after the name.";
            return vec![reference.error("Invalid depends_on reference", detail).about(rest)];
        }
        let found = is_looked_for.then(|| self.reference(&named, Surroundings::default()));
        found.into_iter().flatten().map(|problem| problem.diagnostic.on(&reference.subject)).collect()
    }

    /// What is wrong with the references of expressions that core evaluates together, and whether it misses an object, so
    /// that it has no value for any of them.
    pub(crate) fn together(self, exprs: &[&SourceExpr], around: Surroundings) -> (Vec<Diagnostic>, bool) {
        let mut problems = ReferenceProblems::default();
        for expr in exprs {
            problems.refuse_functions(expr);
            self.collect(expr, around, &|_| false, &mut problems);
        }
        let misses_object = problems.miss_object();
        (problems.reportable(), misses_object)
    }

    /// The actions that a resource triggers, which are those of the module.
    pub(crate) fn triggered_actions(self, resource: &Resource) -> Vec<Diagnostic> {
        let actions = resource.lifecycle.action_triggers.iter().flat_map(|trigger| &trigger.actions);
        let missing = actions.filter(|action| {
            let found = self.config.resource_number(Mode::Action, &action.type_name, &action.name);
            found.is_none() && Rule::TriggeredAction.holds()
        });
        let error = |action: &TriggeredAction| {
            let detail = format!(
                "There is no action {}.{} in this module. Declare it, or remove the reference.",
                action.type_name, action.name
            );
            let summary = "action_trigger actions references non-existent action";
            Diagnostic::error(summary, detail).on(&action.subject)
        };
        missing.map(error).collect()
    }

    /// What the validations of a variable refer to.
    pub(crate) fn validations(self, variable: &Variable) -> Vec<Diagnostic> {
        let both =
            |it: &Condition| self.together(&[&it.condition, &it.error_message], Surroundings::default()).0;
        variable.validations.iter().flat_map(both).collect()
    }

    /// What the `for_each` of an import block refers to.
    pub(crate) fn for_each_of_import(self, import: &Import) -> Vec<Diagnostic> {
        let for_each = import.for_each.iter();
        for_each.flat_map(|expr| self.expression(expr, Surroundings::default())).collect()
    }

    /// What the id or the identity of an import block refers to.
    pub(crate) fn identifier_of_import(self, import: &Import) -> Vec<Diagnostic> {
        let around = Surroundings::repeated(false, import.for_each.is_some());
        let exprs = [&import.id, &import.identity].into_iter().flatten();
        exprs.flat_map(|expr| self.expression(expr, around)).collect()
    }
}

/// A value without a name, for which core looks all the same where a reference has none, without telling where.
fn nameless(reference: &Traversal) -> Option<Problem> {
    let missing = match reference.root.as_str() {
        root @ ("var" | "local") => undeclared(root, ""),
        root @ ("path" | "terraform" | "count" | "each") => misplaced(root, ""),
        _ => return None,
    };
    malformed(reference).map(|_| Problem::new(ProblemKind::Value, missing))
}

/// Something that is wrong with a reference.
struct Problem {
    kind: ProblemKind,
    diagnostic: Diagnostic,
}

impl Problem {
    fn new(kind: ProblemKind, diagnostic: Diagnostic) -> Self {
        Self { kind, diagnostic }
    }

    fn error(kind: ProblemKind, summary: &str, detail: impl Into<String>) -> Self {
        Self::new(kind, Diagnostic::error(summary, detail))
    }

    fn on(self, subject: &Subject) -> Self {
        Self { diagnostic: self.diagnostic.on(subject), ..self }
    }
}

/// When core finds what is wrong with a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProblemKind {
    /// It is not written as a reference.
    NotAReference,
    /// There is no such object here, it cannot be referred to, or there is no such function.
    Object,
    /// It names an instance of what has one only, or none of what has several.
    Key,
    /// There is no such value, which core finds only when it evaluates the expression.
    Value,
}

/// What is wrong with references that core looks at together.
#[derive(Default)]
pub(crate) struct ReferenceProblems(Vec<Problem>);

impl ReferenceProblems {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the functions in an expression in JSON that only a real core has. Those of the native syntax are found when it is read.
    pub(crate) fn refuse_functions(&mut self, expr: &SourceExpr) {
        let found = if expr.is_json() { unavailable_functions(expr) } else { Vec::new() };
        self.0.extend(found.into_iter().map(|it| Problem::new(ProblemKind::Object, it)));
    }

    /// Whether there is no such object. Core evaluates nothing then.
    pub(crate) fn miss_object(&self) -> bool {
        self.0.iter().any(|it| matches!(it.kind, ProblemKind::Object | ProblemKind::Key))
    }

    /// What is reported of them.
    pub(crate) fn reportable(mut self) -> Vec<Diagnostic> {
        if self.miss_object() {
            self.0.retain(|it| it.kind != ProblemKind::Value);
        }
        self.0.into_iter().map(|it| it.diagnostic).collect()
    }
}

/// Behind the instance of a list come `data`, an index, and `state` or `identity`.
fn list_traversal(reference: &Traversal) -> Option<Diagnostic> {
    let has_key = matches!(reference.steps.get(2), Some(TraversalStep::Index(_)));
    let mut steps = reference.steps.iter().skip(2 + usize::from(has_key));
    let is_one_of = |step: &TraversalStep, names: &[&str]| match step {
        TraversalStep::Attribute(name) => names.contains(&name.as_str()),
        TraversalStep::Index(_) => false,
    };
    let detail = if steps.next().is_some_and(|step| !is_one_of(step, &["data"])) {
        "Behind a list there is only \"data\", the objects that it has found."
    } else if steps.next().is_some_and(|step| !matches!(step, TraversalStep::Index(_))) {
        "The objects that a list has found are known by their index, as in data[0]."
    } else if steps.next().is_some_and(|step| !is_one_of(step, &["state", "identity"])) {
        "Of what a list has found, a reference can name \"state\" or \"identity\"."
    } else {
        return None;
    };
    Some(Diagnostic::error("Invalid list resource traversal", detail))
}

/// Reports the functions in an expression that only a real core has.
pub(super) fn unavailable_functions(expr: &SourceExpr) -> Vec<Diagnostic> {
    struct Finder(Vec<&'static str>);
    impl Visit for Finder {
        fn visit_func_call(&mut self, call: &FuncCall) {
            let name = call.name.name.as_str();
            self.0.extend(NOT_HERE.iter().find(|known| **known == name));
            visit::visit_func_call(self, call);
        }
    }
    let mut finder = Finder(Vec::new());
    finder.visit_expr(expr.expression());
    let refused = finder.0.into_iter().map(|name| needs_real_core(&format!("the function {name:?}")));
    refused.map(|it| it.on(expr.subject())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::SourceFile;
    use crate::language::module::{Inputs, load_texts};

    /// What is wrong with an expression beside a list.
    fn check(text: &str, expect: &[&str]) {
        let list = "list \"a_b\" \"c\" {\n  provider = a\n}\n";
        let local = format!("locals {{\n  x = {text}\n}}\n");
        let files = vec![SourceFile::new("a.tfquery.hcl", list), SourceFile::new("main.tf", local.as_str())];
        let tree = load_texts(".", files).expect("the text is right");
        let configuration = tree.prepare(&Inputs::new()).expect("the text is right");
        let local = configuration.root().locals.first().expect("there is a local value");
        let check = ReferenceCheck::new(configuration.modules(), ModuleId::ROOT);
        let found = check.expression(&local.value, Surroundings::default());
        let summaries: Vec<&str> = found.iter().map(|it| it.summary.as_str()).collect();
        assert_eq!(summaries, expect, "{text}");
    }

    #[test]
    fn what_follows_a_list() {
        check("list.a_b.c.data[0].identity.id", &[]);
        for wrong in ["list.a_b.c.data[0].display_name", "list.a_b.c.data.first", "list.a_b.c.config"] {
            check(wrong, &["Invalid list resource traversal"]);
        }
        check("list.a_b.d.data[0].state", &["Reference to undeclared resource"]);
    }
}
