//! From the modules that are declared to their instances.
//!
//! Instances are known before anything is planned, so `count` and `for_each` of a module must not depend on
//! resources: that is refused as something for a real core.

use std::collections::BTreeMap;
use std::sync::Arc;

use ferroform::ty::Type;

use super::evaluate::{NoResources, View};
use super::inputs::Inputs;
use super::instance::{
    Asked, Called, Given, Input, Instance, Instances, OpenValidation, Repeating, count, for_each,
};
use super::model::{Call, Variable};
use super::named::Memo;
use super::references::Found;
use super::syntax::SourceExpr;
use super::translate::inner_expression;
use super::{Module, Tree};
use crate::address::{InstanceKey, ModuleInstance};
use crate::language::rule::Rule;
use crate::language::types::{self, Constraint};
use crate::language::{Diagnostic, Marked, NoReferences, evaluate};

/// The instances of all modules, with the values of the variables of the root module.
pub(super) fn instances(tree: &Tree, inputs: &Inputs, problems: &mut Vec<Diagnostic>) -> Instances {
    let mut expansion = Expansion { instances: Instances::default(), waiting: usize::MAX, problems };
    let mut root = Instance::new(Arc::new(tree.module.clone()), ModuleInstance::default());
    for variable in &tree.module.variables {
        let given = inputs.value(&variable.name).cloned();
        let declared = expansion.declared(variable);
        let given = match (given, &declared) {
            (None, _) => Given::Nothing,
            (Some(given), Some((constraint, _))) => given
                .read((constraint, variable.ty.is_some()), expansion.problems)
                .map_or(Given::Nothing, Given::Value),
            (Some(_), None) => Given::Nothing,
        };
        if let Some((constraint, default)) = declared {
            let input = Input { variable: variable.clone(), constraint, default, given };
            root.variables.insert(variable.name.clone(), input);
        }
    }
    expansion.instances.all.push(root);
    expansion.calls(tree);
    expansion.check_variables();
    expansion.instances
}

/// Reads the value of a `count` or `for_each`; `None` if it is not known.
type Reading = fn(&Marked) -> Result<Option<Asked>, Diagnostic>;

struct Expansion<'a> {
    instances: Instances,
    /// How many calls had to wait for others.
    waiting: usize,
    problems: &'a mut Vec<Diagnostic>,
}

/// A call in an instance of the module that has it.
struct Open<'a> {
    parent: usize,
    call: &'a Call,
    child: &'a Tree,
}

/// The calls of a module in an instance of it.
fn open(parent: usize, tree: &Tree) -> Vec<Open<'_>> {
    let calls = tree.module.calls.iter();
    calls.filter_map(|call| Some(Open { parent, call, child: tree.children.get(&call.name)? })).collect()
}

impl Expansion<'_> {
    /// Expands the calls of the root module and of all that is called. A call may wait for the outputs of others.
    fn calls(&mut self, tree: &Tree) {
        let mut open = open(0, tree);
        while !open.is_empty() {
            let (mut next, mut waiting, mut problems) = (Vec::new(), Vec::new(), Vec::new());
            for it in open {
                match self.call(&it) {
                    Ok(numbers) => next.extend(numbers.into_iter().flat_map(|at| self::open(at, it.child))),
                    Err(found) => {
                        problems.extend(found);
                        waiting.push(it);
                    }
                }
                // What was said of modules without instances may be something else now.
                self.instances.forget_definitions();
            }
            let stuck = next.is_empty() && waiting.len() == self.waiting;
            self.waiting = waiting.len();
            if stuck {
                self.problems.extend(problems);
                return;
            }
            open = waiting;
            open.extend(next);
        }
    }

    /// Makes the instances that a call asks for.
    fn call(&mut self, Open { parent, call, child }: &Open<'_>) -> Result<Vec<usize>, Vec<Diagnostic>> {
        let asked = self.asked(*parent, call)?;
        self.check_arguments(call, &child.module);
        let module = Arc::new(child.module.clone());
        let mut numbers = Vec::new();
        for (key, each) in asked {
            let number = self.instance(*parent, (call, &module), (key.clone(), each));
            numbers.push((key, number));
        }
        let all: Vec<usize> = numbers.iter().map(|(_, number)| *number).collect();
        let called = match (&call.count, &call.for_each) {
            (None, None) => all.first().map(|number| Called::Single(*number)),
            (Some(_), _) => Some(Called::Count(all.clone())),
            (None, Some(_)) => {
                let keyed = numbers.into_iter().filter_map(|(key, number)| match key {
                    InstanceKey::Key(key) => Some((key, number)),
                    _ => None,
                });
                Some(Called::ForEach(keyed.collect()))
            }
        };
        if let (Some(called), Some(parent)) = (called, self.instances.all.get_mut(*parent)) {
            parent.calls.insert(call.name.clone(), called);
        }
        Ok(all)
    }

    fn instance(
        &mut self,
        parent: usize,
        (call, module): (&Call, &Arc<Module>),
        (key, each): (InstanceKey, Repeating),
    ) -> usize {
        let mut path = self.instances.get(parent).map(|it| it.path.clone()).unwrap_or_default();
        path.0.push((call.name.clone(), key));
        let mut variables = BTreeMap::new();
        for variable in &module.variables {
            let Some((constraint, default)) = self.declared(variable) else { continue };
            let given = call.body.argument(&variable.name).cloned().map_or(Given::Nothing, Given::Argument);
            let input = Input { variable: variable.clone(), constraint, default, given };
            variables.insert(variable.name.clone(), input);
        }
        let instance =
            Instance { parent: Some(parent), each, variables, ..Instance::new(module.clone(), path) };
        self.instances.all.push(instance);
        self.instances.all.len() - 1
    }

    /// The keys of the instances of a module.
    fn asked(&self, parent: usize, call: &Call) -> Result<Vec<(InstanceKey, Repeating)>, Vec<Diagnostic>> {
        let (expr, read): (&SourceExpr, Reading) = match (&call.count, &call.for_each) {
            (None, None) => return Ok(vec![(InstanceKey::None, Repeating::default())]),
            (Some(expr), _) => (expr, count),
            (None, Some(expr)) => (expr, for_each),
        };
        let memo = Memo::default();
        let view = View { instances: &self.instances, resources: &NoResources, memo: &memo };
        let value = view.evaluate(expr, parent, &Repeating::default());
        if memo.is_early() {
            let detail = "The instances of this module depend on those of modules that depend on them.";
            return Err(vec![expr.error("Cycle", detail)]);
        }
        match read(&value?) {
            Ok(Some(asked)) => Ok(asked.instances()),
            Ok(None) => {
                let detail = "The instances of a module must not depend on something that is known only after \
                              apply.";
                let summary =
                    if call.count.is_some() { "Invalid count argument" } else { "Invalid for_each argument" };
                Err(vec![expr.error(summary, detail)])
            }
            Err(problem) => Err(vec![expr.placed(problem)]),
        }
    }

    fn check_arguments(&mut self, call: &Call, module: &Module) {
        for argument in &call.body.arguments {
            if module.variables.iter().all(|variable| variable.name != argument.name)
                && Rule::ModuleArgument.holds()
            {
                let detail = format!("The module has no variable with the name {:?}.", argument.name);
                self.problems.push(argument.value.error("Unsupported argument", detail));
            }
        }
        for variable in module.variables.iter().filter(|variable| variable.default.is_none()) {
            if call.body.argument(&variable.name).is_none() && Rule::ModuleRequired.holds() {
                let detail =
                    format!("The argument {:?} is required, but no definition was found.", variable.name);
                let problem = Diagnostic::error("Missing required argument", detail);
                self.problems.push(Diagnostic { subject: Some(call.subject.clone()), ..problem });
            }
        }
    }

    /// The type of a variable, and its default in that type.
    fn declared(&mut self, variable: &Variable) -> Option<(Constraint, Option<Marked>)> {
        match declared(variable) {
            Ok(declared) => Some(declared),
            Err(problems) => {
                // A module with several instances is read once for each.
                for problem in problems {
                    let known = |other: &Diagnostic| {
                        let span = |it: &Diagnostic| it.subject.as_ref().map(|it| it.span);
                        (&other.summary, span(other)) == (&problem.summary, span(&problem))
                    };
                    if !self.problems.iter().any(known) {
                        self.problems.push(problem);
                    }
                }
                None
            }
        }
    }

    /// The values of root variables, and the conditions of all variables.
    fn check_variables(&mut self) {
        let (mut problems, mut open) = (Vec::new(), Vec::new());
        for (at, instance) in self.instances.all.iter().enumerate() {
            for input in instance.variables.values() {
                let name = &input.variable.name;
                let memo = Memo::default();
                let view = View { instances: &self.instances, resources: &NoResources, memo: &memo };
                if at == 0
                    && let Some(Err(wrong)) = view.variable(instance, name)
                {
                    problems.extend(wrong);
                    continue;
                }
                if !self.depends_on_resources(at, &input.variable) {
                    super::conditions::validate(view, at, &input.variable, &mut problems);
                    continue;
                }
                let address = super::to_config::named(instance, "var", name);
                open.extend(input.variable.validations.iter().map(|condition| OpenValidation {
                    at,
                    address: address.clone(),
                    condition: condition.clone(),
                }));
            }
        }
        self.instances.open = open;
        self.problems.extend(problems);
    }

    /// Whether the validations of a variable have to wait for resources.
    fn depends_on_resources(&self, at: usize, variable: &Variable) -> bool {
        let mut found = Found::new(&self.instances);
        for validation in &variable.validations {
            found.expression(&validation.condition, at);
            found.expression(&validation.error_message, at);
        }
        !found.into_resources().is_empty()
    }
}

/// The type of a variable, and its default in that type.
pub(super) fn declared(variable: &Variable) -> Result<(Constraint, Option<Marked>), Vec<Diagnostic>> {
    let constraint = match &variable.ty {
        None => Constraint::of(Type::Dynamic),
        Some(ty) => {
            let inner = match ty.expression().as_str() {
                Some(text) if ty.is_json() => {
                    Some(inner_expression(ty, text).map_err(|problem| vec![problem])?)
                }
                _ => None,
            };
            let ty = inner.as_ref().unwrap_or(ty);
            if let Some(short) = shorthand(ty) {
                return default_of(variable, Constraint::of(short));
            }
            types::parse(ty.expression(), ty.source()).map_err(|problem| vec![ty.placed(problem)])?
        }
    };
    default_of(variable, constraint)
}

/// A collection of anything may be written without what is in it.
fn shorthand(ty: &SourceExpr) -> Option<Type> {
    match ty.expression() {
        hcl_edit::expr::Expression::Variable(name) if name.as_str() == "list" => {
            Some(Type::list(Type::Dynamic))
        }
        hcl_edit::expr::Expression::Variable(name) if name.as_str() == "map" => {
            Some(Type::map(Type::Dynamic))
        }
        _ => None,
    }
}

fn default_of(
    variable: &Variable,
    constraint: Constraint,
) -> Result<(Constraint, Option<Marked>), Vec<Diagnostic>> {
    let Some(default) = &variable.default else { return Ok((constraint, None)) };
    let scope = NoReferences::new(default.source().clone());
    let value = evaluate(default.expression(), &scope)
        .map_err(|problems| problems.into_iter().map(|it| default.placed(it)).collect::<Vec<_>>())?;
    if variable.nullable == Some(false) && value.is_null() {
        let detail = "The default is null, but the variable is not nullable.";
        return Err(vec![default.error("Invalid default value for variable", detail)]);
    }
    match constraint.apply(value) {
        Ok(value) => Ok((constraint, Some(value))),
        Err(_) if !Rule::DefaultType.holds() => Ok((constraint, None)),
        Err(error) => {
            let detail = format!("The default does not fit the type of the variable: {error}.");
            Err(vec![default.error("Invalid default value for variable", detail)])
        }
    }
}
