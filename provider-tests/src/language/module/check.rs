//! What can be told of a configuration without evaluating it.

mod actions;
mod conditions;

use std::collections::HashSet;

use hcl_edit::expr::{Expression, FuncCall};
use hcl_edit::visit::{self, Visit};

use super::Tree;
use super::decode::{NEEDS_REAL_CORE, needs_detail};
use super::model::{Import, Module, Resource};
use super::references::{misplaced, naming, undeclared, undeclared_resource};
use super::statics::{StaticReference, StaticStep};
use super::syntax::{Body, SourceExpr};
use crate::address::Mode;
use crate::embedded::CoreVersion;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Span, Subject, Traversal, TraversalStep, references};

/// Functions that the evaluator does not have at apply.
const NOT_HERE: [&str; 1] = ["bcrypt"];

/// Checks a module and all that it calls.
pub(super) fn tree(tree: &Tree, emulated: &CoreVersion, problems: &mut Vec<Diagnostic>) {
    super::providers::check(tree, problems);
    let mut checker = Checker { tree, emulated, names: names(&tree.module), root: true, problems };
    checker.module();
    let mut open: Vec<&Tree> = tree.children.values().collect();
    while let Some(tree) = open.pop() {
        let names = names(&tree.module);
        Checker { tree, emulated, names, root: false, problems: checker.problems }.module();
        open.extend(tree.children.values());
    }
}

/// The variables and local values of a module.
fn names(module: &Module) -> HashSet<(&'static str, &str)> {
    let variables = module.variables.iter().map(|it| ("var", it.name.as_str()));
    variables.chain(module.locals.iter().map(|it| ("local", it.name.as_str()))).collect()
}

struct Checker<'a> {
    tree: &'a Tree,
    emulated: &'a CoreVersion,
    names: HashSet<(&'static str, &'a str)>,
    root: bool,
    problems: &'a mut Vec<Diagnostic>,
}

/// What an expression may refer to beside what the module declares.
#[derive(Clone, Copy, Default)]
struct Around {
    count: bool,
    each: bool,
    /// `self`.
    own: bool,
    /// The number of the `check` block around.
    check: Option<usize>,
}

impl Checker<'_> {
    fn module(&mut self) {
        let module = &self.tree.module;
        self.refused(module);
        let nothing = Around::default();
        let before = self.problems.len();
        for variable in &module.variables {
            variable.validations.iter().for_each(|it| self.validation(&variable.name, &it.condition));
        }
        // A condition of something else is refused before anything is put into an order.
        if self.problems.len() == before {
            super::cycle::check(module, self.problems);
        }
        for variable in &module.variables {
            for validation in &variable.validations {
                self.expression(&validation.condition, nothing);
                self.expression(&validation.error_message, nothing);
            }
        }
        module.locals.iter().for_each(|local| self.expression(&local.value, nothing));
        for output in &module.outputs {
            output.value.iter().for_each(|value| self.expression(value, nothing));
            self.dependencies(&output.depends_on);
            self.problems.extend(super::expand::constraint(output.ty.as_ref()).err().into_iter().flatten());
            if let Some(deprecated) = &output.deprecated {
                if self.root {
                    let detail =
                        "Nothing refers to the outputs of the root module, so they cannot be deprecated.";
                    self.report("Root module output deprecated", detail, &deprecated.subject);
                } else {
                    self.needs("the argument \"deprecated\" of an output", &deprecated.subject);
                }
            }
            if output.ephemeral == Some(true) && self.root && Rule::EphemeralRoot.holds() {
                let detail = "Outputs of the root module are stored, so they cannot be ephemeral.";
                self.report("Ephemeral output not allowed", detail, &output.subject);
            }
        }
        module.providers.iter().for_each(|provider| self.body(&provider.body, nothing));
        module.resources.iter().for_each(|resource| self.resource(resource));
        self.rules(module);
        for call in &module.calls {
            let around = Around { count: call.count.is_some(), each: call.for_each.is_some(), ..nothing };
            self.body(&call.body, around);
            [&call.count, &call.for_each]
                .into_iter()
                .flatten()
                .for_each(|expr| self.expression(expr, nothing));
            self.dependencies(&call.depends_on);
        }
        for provisioner in module.removed.iter().flat_map(|removed| &removed.provisioners) {
            let around = Around { own: true, count: true, each: true, ..nothing };
            self.provisioner(provisioner, around);
        }
        // Core does not look at those of modules that are called.
        if self.root {
            module.imports.iter().for_each(|import| self.import(import));
        }
    }

    fn import(&mut self, import: &Import) {
        if let Some(for_each) = &import.for_each {
            self.expression(for_each, Around::default());
        }
        let around = Around { each: import.for_each.is_some(), ..Around::default() };
        let keys = super::imports::target(import).map(|(_, keys)| keys).unwrap_or_default();
        for expr in
            [&import.id, &import.identity].into_iter().flatten().chain(keys.iter().map(|(_, key)| key))
        {
            let misplaced = |it: &Traversal| it.root == "each" && !around.each;
            match references(expr.expression()).into_iter().find(misplaced) {
                Some(each) => {
                    let subject = expr.place(each.span);
                    let text = expr.source().slice(each.span);
                    let detail =
                        "\"each\" is there only in an import block that has the argument \"for_each\".";
                    self.report(format!("{text} cannot be used in this context"), detail, &subject);
                }
                None => self.expression(expr, around),
            }
        }
    }

    fn report(&mut self, summary: impl Into<String>, detail: &str, subject: &Subject) {
        self.problems
            .push(Diagnostic { subject: Some(subject.clone()), ..Diagnostic::error(summary, detail) });
    }

    fn needs(&mut self, what: &str, subject: &Subject) {
        self.report(NEEDS_REAL_CORE, &needs_detail(what), subject);
    }

    /// What the embedded core does not do.
    fn refused(&mut self, module: &Module) {
        let required = self.emulated.requires_version().then_some(&module.required_versions);
        for (text, subject) in required.into_iter().flatten() {
            let version = self.emulated.version.to_string();
            let allowed = super::version::Constraint::parse(text).and_then(|it| it.allows(&version));
            if allowed == Some(false) && Rule::RequiredVersion.holds() {
                let detail =
                    format!("The configuration requires {text}, and the embedded core behaves as {version}.");
                self.report("Unsupported Terraform Core version", &detail, subject);
            }
        }
    }

    /// The condition of a variable has to look at that variable.
    fn validation(&mut self, name: &str, condition: &SourceExpr) {
        let own = references(condition.expression()).into_iter().any(|reference| {
            reference.root == "var"
                && matches!(reference.steps.first(), Some(TraversalStep::Attribute(it)) if it == name)
        });
        if !own && Rule::ValidationOfOther.holds() {
            let detail =
                format!("The condition has to refer to var.{name}, or it would say nothing about it.");
            self.problems.push(condition.error("Invalid variable validation condition", detail));
        }
    }

    fn resource(&mut self, resource: &Resource) {
        let (count, each) = (resource.count.is_some(), resource.for_each.is_some());
        let around = Around { count, each, ..Around::default() };
        match resource.mode {
            Mode::List => self.list(resource, around),
            _ => self.body(&resource.body, around),
        }
        for expr in [&resource.count, &resource.for_each].into_iter().flatten() {
            self.expression(expr, Around::default());
        }
        self.dependencies(&resource.depends_on);
        self.conditions(resource, around);
        self.action_triggers(resource, around);
    }

    /// Only the `config` block of a list is of an instance.
    fn list(&mut self, list: &Resource, around: Around) {
        let arguments = list.body.arguments.iter();
        arguments.for_each(|argument| self.expression(&argument.value, Around::default()));
        list.body.blocks.iter().for_each(|config| self.body(&config.body, around));
    }

    fn body(&mut self, body: &Body, around: Around) {
        let before = self.problems.len();
        self.nested(body, around, &mut Vec::new());
        // Values are not asked for where a resource or a module is missing.
        let mut own = self.problems.split_off(before);
        if !own.iter().all(is_of_value) {
            own.retain(|problem| !is_of_value(problem));
        }
        self.problems.extend(own);
    }

    fn nested(&mut self, body: &Body, around: Around, iterators: &mut Vec<String>) {
        for argument in &body.arguments {
            self.checked(&argument.value, around, iterators);
        }
        for block in &body.blocks {
            let made = (block.type_name == "dynamic").then(|| block.labels.first()).flatten();
            let Some(made) = made else {
                self.nested(&block.body, around, iterators);
                continue;
            };
            let iterator =
                block.body.argument("iterator").and_then(|expr| super::statics::root_of(expr.expression()));
            let iterator = iterator.unwrap_or(made).to_owned();
            for argument in block.body.arguments.iter().filter(|argument| argument.name == "for_each") {
                self.checked(&argument.value, around, iterators);
            }
            iterators.push(iterator);
            for content in &block.body.blocks {
                self.nested(&content.body, around, iterators);
            }
            iterators.pop();
        }
    }

    fn expression(&mut self, expr: &SourceExpr, around: Around) {
        self.checked(expr, around, &[]);
    }

    fn checked(&mut self, expr: &SourceExpr, around: Around, iterators: &[String]) {
        for name in not_here(expr.expression()) {
            let detail = format!("the function {name:?}");
            self.needs(&detail, expr.subject());
        }
        // In JSON a block is not told from an argument yet, so names of iterators are not known.
        let lenient = expr.is_json() && expr.subject().source.text().contains("\"dynamic\"");
        for reference in references(expr.expression()) {
            if lenient || iterators.contains(&reference.root) {
                continue;
            }
            let found = self.reference(&reference, around);
            let subject = expr.place_within(self.wrong_part(&reference));
            self.problems.extend(
                found.into_iter().map(|problem| Diagnostic { subject: Some(subject.clone()), ..problem }),
            );
        }
    }

    /// The part of a reference that is told of if there is no such thing: without a name, what is there instead of it.
    fn wrong_part(&self, reference: &Traversal) -> Span {
        match (reference.root.as_str(), reference.steps.first()) {
            (
                "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self",
                Some(TraversalStep::Index(_)),
            ) => reference.step_spans.first().copied().unwrap_or(reference.span),
            _ => naming(reference),
        }
    }

    fn reference(&self, reference: &Traversal, around: Around) -> Vec<Diagnostic> {
        let module = &self.tree.module;
        let invalid = |detail: &str| vec![Diagnostic::error("Invalid reference", detail)];
        let names: Vec<&str> = reference
            .steps
            .iter()
            .map_while(|step| match step {
                TraversalStep::Attribute(name) => Some(name.as_str()),
                TraversalStep::Index(_) => None,
            })
            .collect();
        let root = reference.root.as_str();
        match (root, names.as_slice()) {
            ("var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self", []) => {
                let mut found = invalid("The name of the object has to be written after a dot.");
                // Core looks for a variable without a name all the same.
                found.extend((root == "var").then(|| undeclared(root, "")).into_iter().flatten());
                found
            }
            ("var", [name, ..]) if self.names.contains(&("var", name)) => Vec::new(),
            ("local", [name, ..]) if self.names.contains(&("local", name)) => Vec::new(),
            ("module", [name, ..]) if module.calls.iter().any(|it| it.name == *name) => Vec::new(),
            ("var" | "local" | "module", [name, ..]) if Rule::Undeclared.holds() => undeclared(root, name),
            ("var" | "local" | "module", _) => Vec::new(),
            ("path", ["module" | "root" | "cwd", ..]) | ("terraform", ["workspace" | "applying", ..]) => {
                Vec::new()
            }
            ("count", ["index", ..]) if around.count => Vec::new(),
            ("each", ["key" | "value", ..]) if around.each => Vec::new(),
            ("self", [_, ..]) if around.own => Vec::new(),
            ("path" | "terraform" | "count" | "each" | "self", [name, ..]) if Rule::Misplaced.holds() => {
                misplaced(root, name)
            }
            ("path" | "terraform" | "count" | "each" | "self", _) => Vec::new(),
            ("data", [type_name, name, ..]) => {
                if self.tree.module.check_of(type_name, name).is_some_and(|it| Some(it) != around.check)
                    && Rule::CheckDataScoped.holds()
                {
                    let detail = format!(
                        "The data source {type_name}.{name} belongs to a check, and only that check can refer to it."
                    );
                    return vec![Diagnostic::error("Reference to scoped resource", detail)];
                }
                self.resource_reference((Mode::Data, type_name, name), reference, 2)
            }
            ("ephemeral", [type_name, name, ..]) => {
                self.resource_reference((Mode::Ephemeral, type_name, name), reference, 2)
            }
            ("list", [type_name, name, ..]) => {
                let mut found = self.resource_reference((Mode::List, type_name, name), reference, 2);
                if module.resource(Mode::List, type_name, name).is_some() {
                    found.extend(list_traversal(reference));
                }
                found
            }
            ("resource", [type_name, name, ..]) => {
                self.resource_reference((Mode::Managed, type_name, name), reference, 2)
            }
            ("action", [_, _, ..]) if Rule::ActionReference.holds() => {
                invalid("Actions can be named only in the action_trigger blocks of resources.")
            }
            ("action", _) => Vec::new(),
            ("data" | "ephemeral" | "list" | "resource", _) | (_, []) => {
                invalid("A reference to a resource has its type and its name, as in demo_file.index.")
            }
            (type_name, [name, ..]) => {
                self.resource_reference((Mode::Managed, type_name, name), reference, 1)
            }
        }
    }

    fn resource_reference(
        &self,
        (mode, type_name, name): (Mode, &str, &str),
        reference: &Traversal,
        steps: usize,
    ) -> Vec<Diagnostic> {
        let Some(resource) = self.tree.module.resource(mode, type_name, name) else {
            let problems = undeclared_resource(mode, type_name, name);
            return problems.into_iter().filter(|_| Rule::UndeclaredResource.holds()).collect();
        };
        let repeated = resource.count.is_some() || resource.for_each.is_some();
        match reference.steps.get(steps) {
            Some(TraversalStep::Index(_)) if !repeated && Rule::UnexpectedKey.holds() => {
                let detail =
                    format!("{type_name}.{name} has neither \"count\" nor \"for_each\", so it has no keys.");
                vec![Diagnostic::error("Unexpected resource instance key", detail)]
            }
            Some(TraversalStep::Attribute(_)) if repeated && Rule::MissingKey.holds() => {
                let argument = if resource.count.is_some() { "count" } else { "for_each" };
                let detail = format!(
                    "{type_name}.{name} has {argument:?} set, so a reference names one of its instances."
                );
                vec![Diagnostic::error("Missing resource instance key", detail)]
            }
            _ => Vec::new(),
        }
    }

    /// `depends_on` names whole objects.
    fn dependencies(&mut self, depends_on: &[StaticReference]) {
        for reference in depends_on {
            let steps = reference.steps.iter().map(|step| match step {
                StaticStep::Name(name) => TraversalStep::Attribute(name.clone()),
                StaticStep::Key(key) => TraversalStep::Index(key.as_str().into()),
                StaticStep::Index(index) => TraversalStep::Index((*index).into()),
            });
            let (root, span) = (reference.root.clone(), reference.subject.span);
            let step_spans = reference.step_spans();
            let traversal = Traversal { root, steps: steps.collect(), span, step_spans };
            let whole = match reference.root.as_str() {
                "action" | "data" | "ephemeral" | "list" | "resource" => 2,
                _ => 1,
            };
            if reference.root == "action" && Rule::ActionReference.holds() {
                let detail = "Nothing depends on an action. Name a resource or a data source instead.";
                self.problems.push(reference.error("Invalid depends_on Action Reference", detail));
                continue;
            }
            let rest = reference.steps.get(whole..).unwrap_or_default();
            let rest = match rest {
                [StaticStep::Key(_) | StaticStep::Index(_), rest @ ..] => rest,
                rest => rest,
            };
            let at = reference.steps.len() - rest.len();
            if !rest.is_empty() && Rule::DependsOnWhole.holds() {
                let detail = "Dependencies are on whole objects. Remove what comes after the name.";
                let error = reference.error("Invalid depends_on reference", detail);
                self.problems.push(error.about(reference.rest(at)));
                continue;
            }
            let found = self.reference(&traversal, Around::default());
            let subject = &reference.subject;
            self.problems.extend(
                found.into_iter().map(|problem| Diagnostic { subject: Some(subject.clone()), ..problem }),
            );
        }
    }
}

/// Whether a name is wrong that is looked up when it is evaluated.
fn is_of_value(problem: &Diagnostic) -> bool {
    ["Reference to undeclared input variable", "Reference to undeclared local value"]
        .contains(&problem.summary.as_str())
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

/// The functions in an expression that only a real core has.
fn not_here(expr: &Expression) -> Vec<&'static str> {
    struct Finder(Vec<&'static str>);
    impl Visit for Finder {
        fn visit_func_call(&mut self, call: &FuncCall) {
            let name = call.name.name.as_str();
            self.0.extend(NOT_HERE.iter().find(|known| **known == name));
            visit::visit_func_call(self, call);
        }
    }
    let mut finder = Finder(Vec::new());
    finder.visit_expr(expr);
    finder.0
}
