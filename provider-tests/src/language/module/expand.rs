//! From the modules that are declared to their instances.
//!
//! Where `count` or `for_each` of a module depends on resources, the call is pending until these are planned.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ferroform::ty::Type;

use super::evaluate::{NoResources, View};
use super::inputs::{Inputs, Validation};
use super::instance::{
    Called, Input, InputSource, Instance, Instances, MOST_INSTANCES, ModuleInstances, OpenValidation,
    Repeating, count, for_each,
};
use super::model::{Call, Deprecated, Variable};
use super::named::Memo;
use super::references::ReferenceCollector;
use super::syntax::SourceExpr;
use super::translate::inner_expression;
use super::{Module, Tree};
use crate::address::{InstanceKey, ModuleInstance};
use crate::language::rule::Rule;
use crate::language::types::{self, Constraint};
use crate::language::{Diagnostic, Marked, NoReferences, Subject, evaluate};

/// The instances of all modules, with the values of the variables of the root module.
pub(super) fn instances(tree: &Tree, inputs: &Inputs, problems: &mut Vec<Diagnostic>) -> Instances {
    // A count that is made of variables is unknown, too.
    let without = if inputs.unknown { Without::StandsIn } else { Without::Nothing };
    let mut expansion = Expansion {
        without,
        validation: inputs.validation,
        ..Expansion::new(Instances::default(), problems)
    };
    let mut root = Instance::new(Arc::new(tree.module.clone()), ModuleInstance::default());
    for variable in &tree.module.variables {
        let given = inputs.value(&variable.name).cloned();
        let place = given.as_ref().and_then(|given| given.place());
        let declared = expansion.declared(variable);
        let given = match (given, &declared) {
            (None, _) => InputSource::Nothing,
            (Some(given), Some((constraint, _))) => given
                .read((&variable.name, constraint, variable.is_typed()), expansion.problems)
                .map_or(InputSource::Nothing, InputSource::Value),
            (Some(_), None) => InputSource::Nothing,
        };
        if let (InputSource::Value(value), Some(deprecated)) = (&given, &variable.deprecated)
            && !value.is_null()
        {
            expansion.problems.push(got_a_value(deprecated, &deprecated.subject));
        }
        let given_at = place.filter(|_| matches!(given, InputSource::Value(_)));
        let given = match &declared {
            Some((constraint, _)) if inputs.unknown => {
                InputSource::Value(Marked::unknown(constraint.ty.clone()))
            }
            _ => given,
        };
        if let Some((constraint, default)) = declared {
            let input = Input { variable: variable.clone(), constraint, default, given, given_at };
            root.variables.insert(variable.name.clone(), input);
        }
    }
    expansion.instances.all.push(root);
    expansion.calls(open(0, tree));
    expansion.check_variables(0, &[]);
    expansion.instances
}

/// The instances with those of calls that were pending: by the number of the instance that has the call, and its name.
pub(super) fn decided(
    tree: &Tree,
    before: &Instances,
    decided: HashMap<(usize, String), ModuleInstances>,
    problems: &mut Vec<Diagnostic>,
) -> Instances {
    let mut expansion = Expansion { decided, ..Expansion::new(before.again(), problems) };
    let is_decided = |at: usize, call: &Call| expansion.decided.contains_key(&(at, call.name.clone()));
    let open = left(tree, before, is_decided);
    expansion.instances.pending.retain(|call| !expansion.decided.contains_key(call));
    expansion.calls(open);
    expansion.check_variables(before.all.len(), &before.open);
    expansion.instances
}

/// The instances with one for each call that has none, which stands for all that it might have.
pub(super) fn standing_in(tree: &Tree, before: &Instances, problems: &mut Vec<Diagnostic>) -> Instances {
    let mut expansion = Expansion { without: Without::StandsIn, ..Expansion::new(before.again(), problems) };
    let open = left(tree, before, |at, call| is_empty(before, at, call));
    expansion.instances.pending.clear();
    expansion.calls(open);
    expansion.check_variables(before.all.len(), &[]);
    expansion.instances
}

/// Whether all calls have instances.
pub(super) fn is_complete(instances: &Instances) -> bool {
    let mut all = instances.all.iter().enumerate();
    all.all(|(at, instance)| !instance.module.calls.iter().any(|call| is_empty(instances, at, call)))
}

fn is_empty(instances: &Instances, at: usize, call: &Call) -> bool {
    let called = instances.get(at).and_then(|instance| instance.calls.get(&call.name));
    called.is_some_and(|called| called.numbers().is_empty())
}

/// The calls for which that holds.
fn left<'a>(tree: &'a Tree, instances: &Instances, wanted: impl Fn(usize, &Call) -> bool) -> Vec<Open<'a>> {
    let mut found = Vec::new();
    for (at, instance) in instances.all.iter().enumerate() {
        let mut inner = Some(tree);
        for (name, _) in &instance.path.0 {
            inner = inner.and_then(|tree| tree.children.get(name));
        }
        let calls = inner.into_iter().flat_map(|inner| open(at, inner));
        found.extend(calls.filter(|it| wanted(at, it.call)));
    }
    found
}

/// Reads the value of a `count` or `for_each`; `None` if it is not known.
type Reading = fn(&Marked) -> Result<Option<ModuleInstances>, Diagnostic>;

/// What becomes of a call without instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Without {
    /// It has none.
    Nothing,
    /// One stands for all.
    StandsIn,
}

/// What a call asks for.
enum Answer {
    Instances(Vec<(InstanceKey, Repeating)>),
    /// One that stands for all.
    Any(Box<Repeating>),
    /// That depends on resources.
    Pending,
}

struct Expansion<'a> {
    instances: Instances,
    without: Without,
    /// What was found out about calls that were pending.
    decided: HashMap<(usize, String), ModuleInstances>,
    validation: Validation,
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

impl<'a> Expansion<'a> {
    fn new(instances: Instances, problems: &'a mut Vec<Diagnostic>) -> Self {
        let (without, decided) = (Without::Nothing, HashMap::new());
        Self { instances, without, decided, validation: Validation::On, waiting: usize::MAX, problems }
    }

    /// Expands these calls and those of all that is called. A call may wait for the outputs of others.
    fn calls(&mut self, mut open: Vec<Open<'_>>) {
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
        let module = Arc::new(child.module.clone());
        let mut numbers = Vec::new();
        let (instances, is_any) = match asked {
            Answer::Instances(instances) => (instances, false),
            Answer::Any(each) => {
                let key = match self.without {
                    Without::StandsIn => InstanceKey::None,
                    Without::Nothing => {
                        self.instances.deferred.push((*parent, call.name.clone()));
                        InstanceKey::any()
                    }
                };
                (vec![(key, *each)], true)
            }
            Answer::Pending => {
                self.instances.pending.push((*parent, call.name.clone()));
                if let Some(parent) = self.instances.all.get_mut(*parent) {
                    parent.calls.insert(call.name.clone(), Called::Pending);
                }
                return Ok(Vec::new());
            }
        };
        let all_instances = u64::try_from(self.instances.all.len() + instances.len()).unwrap_or(u64::MAX);
        if all_instances > MOST_INSTANCES {
            let detail = format!(
                "With the instances of this module there are more than {MOST_INSTANCES} module instances. Call it less \
                 often."
            );
            let summary = match call.for_each {
                Some(_) => "Invalid for_each argument",
                None => "Invalid count argument",
            };
            let problem = Diagnostic::error(summary, detail);
            return Err(vec![Diagnostic { subject: Some(call.subject.clone()), ..problem }]);
        }
        for (key, each) in instances {
            let number = self.instance(*parent, (call, &module), (key.clone(), each));
            numbers.push((key, number));
        }
        let all: Vec<usize> = numbers.iter().map(|(_, number)| *number).collect();
        let called = match (&call.count, &call.for_each) {
            _ if is_any => all.first().map(|number| Called::Any(*number)),
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
            let given = call
                .body
                .argument(&variable.name)
                .cloned()
                .map_or(InputSource::Nothing, InputSource::Argument);
            let input = Input { variable: variable.clone(), constraint, default, given, given_at: None };
            variables.insert(variable.name.clone(), input);
        }
        let decided_by = self.deciding(parent, call);
        let of_module = Instance::new(module.clone(), path);
        let stands_in = self.without == Without::StandsIn;
        let instance = Instance { parent: Some(parent), each, decided_by, stands_in, variables, ..of_module };
        self.instances.all.push(instance);
        self.instances.all.len() - 1
    }

    /// The instances of a module.
    fn asked(&mut self, parent: usize, call: &Call) -> Result<Answer, Vec<Diagnostic>> {
        if let Some(decided) = self.decided.remove(&(parent, call.name.clone())) {
            return Ok(match decided {
                ModuleInstances::Deferred => Answer::Any(Box::new(any(call))),
                known => Answer::Instances(known.instances()),
            });
        }
        // Within a module that stands for all nothing is counted.
        if self.instances.is_deferred(parent) {
            return Ok(Answer::Any(Box::new(any(call))));
        }
        let (expr, read): (&SourceExpr, Reading) = match (&call.count, &call.for_each) {
            (None, None) => return Ok(Answer::Instances(vec![(InstanceKey::None, Repeating::default())])),
            (Some(expr), _) => (expr, count),
            (None, Some(expr)) => (expr, for_each),
        };
        match self.known_instances(parent, call, (expr, read)) {
            Ok(Some(instances)) if instances.is_empty() && self.without == Without::StandsIn => {
                Ok(Answer::Any(Box::new(any(call))))
            }
            Ok(Some(instances)) => Ok(Answer::Instances(instances)),
            Ok(None) if self.without == Without::StandsIn => Ok(Answer::Any(Box::new(any(call)))),
            Ok(None) => Ok(Answer::Pending),
            Err(problems) => Err(problems),
        }
    }

    /// The argument of the call that says which instances there are, if it has to wait.
    fn deciding(&self, parent: usize, call: &Call) -> Option<SourceExpr> {
        let expr = call.count.as_ref().or(call.for_each.as_ref())?;
        let mut found = ReferenceCollector::new(&self.instances);
        found.expression(expr, parent);
        found.waits().then(|| expr.clone())
    }

    /// The keys of the instances of a module; `None` if they depend on resources.
    fn known_instances(
        &self,
        parent: usize,
        call: &Call,
        (expr, read): (&SourceExpr, Reading),
    ) -> Result<Option<Vec<(InstanceKey, Repeating)>>, Vec<Diagnostic>> {
        let (memo, resources) = (Memo::default(), NoResources::default());
        let view = View { instances: &self.instances, resources: &resources, memo: &memo };
        let value = view.evaluate(expr, parent, &Repeating::default());
        if resources.were_asked() || memo.is_pending() {
            return Ok(None);
        }
        if memo.is_early() {
            let detail = "The instances of this module depend on those of modules that depend on them.";
            return Err(vec![expr.error("Cycle", detail)]);
        }
        match read(&value?) {
            Ok(Some(asked)) => Ok(Some(asked.instances())),
            Ok(None) if self.without == Without::StandsIn => Ok(None),
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

    /// The values of root variables, and the conditions of the variables of instances from this number on. Others were
    /// looked at before, unless they had to wait: a module without instances is nothing that can be waited for.
    fn check_variables(&mut self, first: usize, waited: &[OpenValidation]) {
        let (mut problems, mut open) = (Vec::new(), Vec::new());
        let has_waited = |at, name: &str| waited.iter().any(|it| it.at == at && it.variable == name);
        for (at, instance) in self.instances.all.iter().enumerate() {
            for input in instance.variables.values() {
                let name = &input.variable.name;
                let memo = Memo::default();
                let resources = NoResources::default();
                let view = View { instances: &self.instances, resources: &resources, memo: &memo };
                if at == 0
                    && first == 0
                    && let Some(Err(wrong)) = view.variable(instance, name)
                {
                    problems.extend(wrong);
                    continue;
                }
                if let (InputSource::Argument(expr), Some(deprecated)) =
                    (&input.given, &input.variable.deprecated)
                    && at >= first
                    && self.without == Without::Nothing
                    && let Some(parent) = instance.parent
                    && view.evaluate(expr, parent, &instance.each).is_ok_and(|value| !value.is_null())
                {
                    problems.push(got_a_value(deprecated, expr.subject()));
                }
                if !self.has_to_wait(at, &input.variable) {
                    if self.validation == Validation::On && (at >= first || has_waited(at, name)) {
                        super::conditions::validate(view, at, &input.variable, &mut problems);
                    }
                    continue;
                }
                open.extend(input.variable.validations.iter().map(|condition| OpenValidation {
                    at,
                    variable: name.clone(),
                    condition: condition.clone(),
                }));
            }
        }
        self.instances.open = open;
        // The count of a module may have found them before.
        let place = |it: &Diagnostic| it.subject.as_ref().map(|it| (it.source.path().to_owned(), it.span));
        problems.retain(|problem| {
            let mut known = self.problems.iter();
            !known.any(|it| (&it.summary, place(it)) == (&problem.summary, place(problem)))
        });
        self.problems.extend(problems);
    }

    /// Whether the validations of a variable have to wait for resources, or for providers whose functions they call.
    fn has_to_wait(&self, at: usize, variable: &Variable) -> bool {
        let mut found = ReferenceCollector::new(&self.instances);
        for validation in &variable.validations {
            found.expression(&validation.condition, at);
            found.expression(&validation.error_message, at);
        }
        found.waits()
    }
}

/// What is wrong with the arguments of the modules that are called.
pub(super) fn check_arguments(tree: &Tree, problems: &mut Vec<Diagnostic>) {
    for call in &tree.module.calls {
        if let Some(child) = tree.children.get(&call.name) {
            check_call(call, &child.module, problems);
            check_arguments(child, problems);
        }
    }
}

fn check_call(call: &Call, module: &Module, problems: &mut Vec<Diagnostic>) {
    for argument in &call.body.arguments {
        if module.variables.iter().all(|variable| variable.name != argument.name)
            && Rule::ModuleArgument.holds()
        {
            let detail = format!("The module has no variable with the name {:?}.", argument.name);
            problems.push(argument.value.name_error("Unsupported argument", detail));
        }
    }
    for variable in module.variables.iter().filter(|variable| variable.default.is_none()) {
        if call.body.argument(&variable.name).is_none() && Rule::ModuleRequired.holds() {
            let detail =
                format!("The argument {:?} is required, but no definition was found.", variable.name);
            let problem = Diagnostic::error("Missing required argument", detail);
            problems.push(Diagnostic { subject: Some(call.brace.clone()), ..problem });
        }
    }
}

/// The warning about a value that is given to a variable that is deprecated.
fn got_a_value(deprecated: &Deprecated, subject: &Subject) -> Diagnostic {
    let warning = Diagnostic::warning("Deprecated variable got a value", deprecated.message.clone());
    Diagnostic { subject: Some(subject.clone()), ..warning }
}

/// What `count` and `each` mean where nobody knows which instances there are.
fn any(call: &Call) -> Repeating {
    let unknown = |ty: Type| Some(Marked::new(ferroform::value::Value::unknown(), &ty));
    match call.count {
        Some(_) => Repeating { index: unknown(Type::Number), ..Repeating::default() },
        None => {
            Repeating { key: unknown(Type::String), value: unknown(Type::Dynamic), ..Repeating::default() }
        }
    }
}

/// The type of a variable, and its default in that type.
pub(super) fn declared(variable: &Variable) -> Result<(Constraint, Option<Marked>), Vec<Diagnostic>> {
    let mut declared = constraint(variable.ty.as_ref())?;
    if let Some(ty) = &variable.type_of_override {
        declared.ty = constraint(Some(ty))?.ty;
    }
    default_of(variable, declared)
}

/// What an argument `type` says.
pub(super) fn constraint(ty: Option<&SourceExpr>) -> Result<Constraint, Vec<Diagnostic>> {
    let Some(ty) = ty else { return Ok(Constraint::of(Type::Dynamic)) };
    let inner = match ty.expression().as_str() {
        Some(text) if ty.is_json() => Some(inner_expression(ty, text).map_err(|problem| vec![problem])?),
        _ => None,
    };
    let ty = inner.as_ref().unwrap_or(ty);
    if let Some(short) = shorthand(ty) {
        return Ok(Constraint::of(short));
    }
    types::parse(ty.expression(), ty.source()).map_err(|problem| vec![ty.placed(problem)])
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
    let invalid = |detail: String| {
        vec![default.error("Invalid default value for variable", detail).about(variable.overridden.clone())]
    };
    if variable.nullable == Some(false) && value.is_null() {
        return Err(invalid("The default is null, but the variable is not nullable.".to_owned()));
    }
    match constraint.apply(value) {
        Ok(value) => Ok((constraint, Some(value))),
        Err(_) if !Rule::DefaultType.holds() => Ok((constraint, None)),
        Err(error) => Err(invalid(format!("The default does not fit the type of the variable: {error}."))),
    }
}
