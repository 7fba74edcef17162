//! The values of expressions in a module instance.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;

use super::instance::{Called, Given, Instance, Instances, Kind, Repeating};
use super::model::Output;
use super::named::{Key, Memo};
use super::syntax::SourceExpr;
use crate::address::{Mode, ModuleInstance, ResourceAddress};
use crate::checks::Checkable;
use crate::language::MarkSet;
use crate::language::rule::Rule;
use crate::language::{
    Diagnostic, Marked, Resolved, Scope, SourceFile, Stage, Subject, Traversal, TraversalStep,
};

/// All that is wrong, or a value.
pub(crate) type Outcome = Result<Marked, Vec<Diagnostic>>;

/// What knows the values of resources.
pub(crate) trait Resources {
    /// The value of a resource, after as many of the steps as were taken.
    fn resource(
        &self,
        address: &ResourceAddress,
        steps: &[TraversalStep],
    ) -> Result<Resolved, Vec<Diagnostic>>;

    /// Whether the value of a resource will not change any more.
    fn is_final(&self, address: &ResourceAddress) -> bool;

    /// A value that was kept.
    fn recall(&self, key: &Key) -> Option<Outcome>;

    /// Keeps a value that will not change any more. All that refers to it has to see the same, also when each call of a
    /// function has another result.
    fn keep(&self, key: &Key, value: Outcome) -> Outcome;

    /// Whether functions with a different result each time have results already.
    fn stage(&self) -> Stage;

    /// When the plan was made, in the form of RFC 3339.
    fn plan_timestamp(&self) -> Option<&str>;
}

/// Resources of which nothing is known yet.
#[derive(Default)]
pub(super) struct NoResources {
    asked: Cell<bool>,
}

impl NoResources {
    /// Whether a value depends on one of them.
    pub(super) fn were_asked(&self) -> bool {
        self.asked.get()
    }
}

impl Resources for NoResources {
    fn stage(&self) -> Stage {
        Stage::Plan
    }

    fn plan_timestamp(&self) -> Option<&str> {
        None
    }

    fn is_final(&self, _: &ResourceAddress) -> bool {
        false
    }

    fn recall(&self, _: &Key) -> Option<Outcome> {
        None
    }

    fn keep(&self, _: &Key, value: Outcome) -> Outcome {
        value
    }

    fn resource(&self, _: &ResourceAddress, _: &[TraversalStep]) -> Result<Resolved, Vec<Diagnostic>> {
        self.asked.set(true);
        Ok(Resolved { value: unknown(), steps: 0 })
    }
}

/// An expression in a module instance.
#[derive(Clone)]
pub struct Written {
    expr: SourceExpr,
    instances: Arc<Instances>,
    at: usize,
    /// The output whose value it is, if it stands for all that can be wrong with that.
    output: Option<String>,
}

/// The same expression in an instance of the same path.
impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        let path = |it: &Self| it.instances.get(it.at).map(|instance| instance.path.clone());
        self.expr == other.expr && path(self) == path(other)
    }
}

impl std::fmt::Debug for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.expr.source().slice(self.expr.span()))
    }
}

impl Written {
    pub(super) fn new(expr: SourceExpr, instances: &Arc<Instances>, at: usize) -> Self {
        Self { expr, instances: instances.clone(), at, output: None }
    }

    /// The value of an output of a module as others see it.
    pub(super) fn of_output(self, name: &str) -> Self {
        Self { output: Some(name.to_owned()), ..self }
    }

    /// The expression where it stands.
    #[must_use]
    pub fn expr(&self) -> &SourceExpr {
        &self.expr
    }

    /// A part of it in the same module instance.
    pub(crate) fn part(&self, part: &hcl_edit::expr::Expression) -> Self {
        Self { expr: self.expr.part(part), instances: self.instances.clone(), at: self.at, output: None }
    }

    /// The output whose value it is, and the module instance that gives it.
    pub(crate) fn given_out(&self) -> Option<(&ModuleInstance, &str)> {
        let instance = self.instances.get(self.at)?;
        Some((&instance.path, self.output.as_deref()?))
    }

    /// The value.
    pub(crate) fn evaluate(&self, each: &Repeating, resources: &dyn Resources) -> Outcome {
        let memo = Memo::default();
        let view = View { instances: &self.instances, resources, memo: &memo };
        let output = self.output.as_ref().and_then(|name| view.named(self.at, Kind::Output, name));
        output.unwrap_or_else(|| view.evaluate(&self.expr, self.at, each))
    }

    /// Whether it refers to one of those variables, directly or by way of other values.
    pub(crate) fn refers_to_variable(&self, variables: &HashSet<&Checkable>) -> bool {
        let mut found = super::references::Found::new(&self.instances);
        found.expression(&self.expr, self.at);
        let mut keys = found.named_values().filter(|(_, kind, _)| *kind == Kind::Variable);
        keys.any(|(at, _, name)| {
            let module = self.instances.get(at).map(|instance| instance.path.in_any_instance());
            module.is_some_and(|module| variables.contains(&Checkable::Variable(module, name)))
        })
    }

    /// The resources that it names itself.
    pub(crate) fn own_resources(&self) -> Vec<ResourceAddress> {
        let mut found = super::references::Found::new(&self.instances);
        found.expression(&self.expr, self.at);
        found.into_own_resources()
    }

    /// Where it names a resource itself, if it does.
    pub(crate) fn place_of(&self, address: &ResourceAddress) -> Option<Subject> {
        let names = |traversal: &Traversal| {
            let mut found = super::references::Found::new(&self.instances);
            found.reference(traversal, self.at);
            found.into_own_resources().contains(address)
        };
        let traversal = crate::language::references(self.expr.expression()).into_iter().find(names)?;
        Some(self.expr.place(super::references::naming(&traversal)))
    }

    /// The resources that it refers to, directly or by way of named values.
    pub(crate) fn resources(&self) -> Vec<ResourceAddress> {
        let mut found = super::references::Found::new(&self.instances);
        found.expression(&self.expr, self.at);
        found.into_resources()
    }
}

/// The values of all module instances.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) instances: &'a Instances,
    pub(super) resources: &'a dyn Resources,
    pub(super) memo: &'a Memo,
}

impl View<'_> {
    pub(super) fn evaluate(&self, expr: &SourceExpr, at: usize, each: &Repeating) -> Outcome {
        let Some(instance) = self.instances.get(at) else { return Ok(Marked::null()) };
        let scope = InModule { view: *self, instance, at, each, source: expr.source() };
        let value = crate::language::evaluate(expr.expression(), &scope);
        value.map_err(|problems| problems.into_iter().map(|problem| expr.placed(problem)).collect())
    }

    /// The value of a definition.
    pub(super) fn compute(&self, at: usize, kind: Kind, name: &str) -> Option<Outcome> {
        let instance = self.instances.get(at)?;
        let each = Repeating::default();
        let number = instance.names.get(&(kind, name.to_owned()))?.number;
        match kind {
            Kind::Variable => self.variable(instance, name),
            Kind::Local => {
                let local = instance.module.locals.get(number)?;
                Some(self.evaluate(&local.value, at, &each))
            }
            Kind::Output => {
                let output = instance.module.outputs.get(number)?;
                if self.resources.stage() == Stage::Apply
                    && let Some(problem) = super::conditions::unmet(*self, at, output)
                {
                    return Some(Err(vec![problem]));
                }
                let value = self.evaluate(output.value.as_ref()?, at, &each);
                let secret = MarkSet {
                    sensitive: output.sensitive == Some(true) && Rule::SensitiveOutput.holds(),
                    ephemeral: output.ephemeral == Some(true),
                };
                Some(value.and_then(|value| given_out(output, value)).map(|value| value.mark(secret)))
            }
        }
    }

    pub(super) fn variable(&self, instance: &Instance, name: &str) -> Option<Outcome> {
        let input = instance.variables.get(name)?;
        let (given, expr) = match &input.given {
            Given::Nothing => (None, None),
            Given::Value(value) => (Some(value.clone()), None),
            Given::Argument(expr) => match self.evaluate(expr, instance.parent?, &self.each(instance)) {
                Ok(value) => (Some(value), Some(expr)),
                Err(problems) => return Some(Err(problems)),
            },
        };
        let nullable = input.variable.nullable != Some(false);
        let unset = |value: &Marked| !nullable && value.is_null() && Rule::NullableDefault.holds();
        let given = given.filter(|value| !unset(value)).or_else(|| input.default.clone());
        let subject =
            expr.map(SourceExpr::subject).or(input.given_at.as_ref()).unwrap_or(&input.variable.subject);
        let error = |summary: &str, detail: String| {
            vec![Diagnostic { subject: Some(subject.clone()), ..Diagnostic::error(summary, detail) }]
        };
        let Some(given) = given else {
            if !matches!(input.given, Given::Nothing) {
                let detail = format!("The variable {name:?} must not be null.");
                return Some(Err(error("Required variable not set", detail)));
            }
            if !Rule::RequiredVariable.holds() {
                return Some(Ok(Marked::null()));
            }
            let detail = format!("The variable {name:?} has no value and no default.");
            return Some(Err(error("No value for required variable", detail)));
        };
        if !nullable && given.is_null() {
            let detail = format!("The variable {name:?} must not be null.");
            return Some(Err(error("Required variable not set", detail)));
        }
        let secret = MarkSet {
            sensitive: input.variable.sensitive == Some(true) && Rule::SensitiveVariable.holds(),
            ephemeral: input.variable.ephemeral == Some(true),
        };
        if given.marks.all().ephemeral && !secret.ephemeral && Rule::EphemeralVariable.holds() {
            let detail = format!(
                "The value of the variable {:?} is ephemeral, so the variable has to be declared with \
                 ephemeral = true.",
                input.variable.name
            );
            return Some(Err(error("Ephemeral value not allowed", detail)));
        }
        let value = input.constraint.apply(given.clone()).map(|value| value.mark(secret));
        if value.is_err() && !Rule::VariableType.holds() {
            return Some(Ok(given));
        }
        Some(value.map_err(|problem| {
            let summary = "Invalid value for input variable";
            error(summary, format!("The value for the variable {name:?} does not fit its type: {problem}."))
        }))
    }

    /// What `count` and `each` mean in a call. Its keys stay, but what is behind them may not have been known when its
    /// instances were.
    fn each<'b>(&self, instance: &'b Instance) -> Cow<'b, Repeating> {
        let each = &instance.each;
        let is_known = each.value.as_ref().is_none_or(|value| value.value.is_wholly_known());
        let now = match (&instance.decided_by, instance.parent) {
            (Some(expr), Some(parent)) if !is_known => {
                self.evaluate(expr, parent, &Repeating::default()).ok()
            }
            _ => None,
        };
        let now = now.and_then(|now| super::instance::for_each(&now).ok().flatten());
        let now = now.and_then(|now| {
            let mut instances = now.instances().into_iter();
            instances.find(|(key, _)| instance.path.0.last().is_some_and(|(_, own)| own == key))
        });
        now.map_or(Cow::Borrowed(each), |(_, now)| Cow::Owned(now))
    }

    fn output(&self, at: usize) -> Outcome {
        let Some(instance) = self.instances.get(at) else { return Ok(Marked::null()) };
        let mut members = Vec::new();
        for output in &instance.module.outputs {
            if let Some(value) = self.named(at, Kind::Output, &output.name) {
                members.push((Arc::from(output.name.as_str()), value?));
            }
        }
        Ok(Marked::object(members))
    }
}

/// The value of an output, which has to say that it is ephemeral.
fn given_out(output: &Output, value: Marked) -> Outcome {
    match &output.value {
        Some(expr)
            if value.marks.all().ephemeral
                && output.ephemeral != Some(true)
                && Rule::EphemeralOutput.holds() =>
        {
            let detail = format!(
                "The value of the output {:?} is ephemeral, so the output has to be declared with ephemeral = true.",
                output.name
            );
            Err(vec![expr.error("Ephemeral value not allowed", detail)])
        }
        _ => Ok(value),
    }
}

/// What the names in an expression of a module instance mean.
struct InModule<'a> {
    view: View<'a>,
    instance: &'a Instance,
    at: usize,
    each: &'a Repeating,
    source: &'a SourceFile,
}

impl Scope for InModule<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn directory(&self) -> Option<&Path> {
        Some(Path::new("."))
    }

    fn stage(&self) -> Stage {
        self.view.resources.stage()
    }

    fn plan_timestamp(&self) -> Option<&str> {
        self.view.resources.plan_timestamp()
    }

    /// Those of a resource, as there may be many.
    fn takes_index(&self, traversal: &Traversal) -> bool {
        let names = match traversal.root.as_str() {
            "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self" => return false,
            "data" | "resource" => 2,
            _ => 1,
        };
        traversal.steps.len() == names
            && self.each.iterators.iter().all(|(iterator, _)| *iterator != traversal.root)
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        self.look_up(traversal).map_err(|problems| {
            let place = |problem: Diagnostic| match (&problem.subject, traversal.key_span()) {
                (Some(_), _) => problem,
                (None, Some(key)) if problem.summary == NO_INSTANCE => problem.at(self.source, key),
                (None, _) => problem.at(self.source, super::references::naming(traversal)),
            };
            problems.into_iter().map(place).collect()
        })
    }
}

/// What is told of a key that no instance has.
const NO_INSTANCE: &str = "Invalid index";

/// Something of which nothing is known.
fn unknown() -> Marked {
    Marked::new(Value::unknown(), &Type::Dynamic)
}

fn invalid(detail: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error("Invalid reference", detail)]
}

impl InModule<'_> {
    fn look_up(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let name = traversal.steps.first().and_then(|step| match step {
            TraversalStep::Attribute(name) => Some(name.as_str()),
            TraversalStep::Index(_) => None,
        });
        if let Some((_, value)) = self.each.iterators.iter().rev().find(|(name, _)| *name == traversal.root) {
            return Ok(Resolved { value: value.clone(), steps: 0 });
        }
        if let ("self", Some(own)) = (traversal.root.as_str(), &self.each.own) {
            return Ok(Resolved { value: own.clone(), steps: 0 });
        }
        match traversal.root.as_str() {
            "data" => self.resource(Mode::Data, &traversal.steps, 0),
            "resource" => self.resource(Mode::Managed, &traversal.steps, 0),
            "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self" => match name {
                Some(name) => self.named(&traversal.root, name, &traversal.steps),
                None => Err(invalid("The name of the object has to be written after a dot.")),
            },
            root => {
                let mut steps = vec![TraversalStep::Attribute(root.to_owned())];
                steps.extend(traversal.steps.iter().cloned());
                self.resource(Mode::Managed, &steps, 1)
            }
        }
    }

    fn named(&self, root: &str, name: &str, steps: &[TraversalStep]) -> Result<Resolved, Vec<Diagnostic>> {
        let one = |value: Marked| Ok(Resolved { value, steps: 1 });
        let directory = |path: &Path| Marked::string(path.to_string_lossy());
        let kind = match root {
            "var" => Kind::Variable,
            "local" => Kind::Local,
            "module" => return self.module(name, steps),
            _ => {
                let root_module = self.view.instances.get(0).map(|root| root.module.directory.as_path());
                let found = match (root, name) {
                    ("path", "module") => Some(directory(&self.instance.module.directory)),
                    ("path", "root") => root_module.map(directory),
                    ("path", "cwd") => std::env::current_dir().ok().as_deref().map(directory),
                    ("terraform", "workspace") => Some(Marked::string("default")),
                    ("count", "index") => self.each.index.clone(),
                    ("each", "key") => self.each.key.clone(),
                    ("each", "value") => self.each.value.clone(),
                    _ => None,
                };
                return match found {
                    Some(value) => one(value),
                    None => Err(super::references::misplaced(root, name)),
                };
            }
        };
        match self.view.named(self.at, kind, name) {
            Some(value) => one(value?),
            None => Err(super::references::undeclared(root, name)),
        }
    }

    /// The outputs of a module, of one of its instances, or a single one of them.
    fn module(&self, name: &str, steps: &[TraversalStep]) -> Result<Resolved, Vec<Diagnostic>> {
        let Some(called) = self.instance.calls.get(name) else {
            self.view.memo.set_early();
            return Err(super::references::undeclared("module", name));
        };
        let (at, taken) = match (called, steps.get(1)) {
            (Called::Single(at), _) => (Some(*at), 1),
            (Called::Count(all), Some(TraversalStep::Index(Value::Number(index)))) => (
                index.to_u64().and_then(|it| usize::try_from(it).ok()).and_then(|it| all.get(it)).copied(),
                2,
            ),
            (Called::ForEach(all), Some(TraversalStep::Index(Value::String(key)))) => {
                (all.iter().find(|(known, _)| known.as_str() == &**key).map(|(_, at)| *at), 2)
            }
            (Called::Any(_), _) => return Ok(Resolved { value: unknown(), steps: 1 }),
            (Called::Pending, _) => {
                self.view.memo.set_pending();
                return Ok(Resolved { value: unknown(), steps: 1 });
            }
            (called, _) => return self.all_instances(called).map(|value| Resolved { value, steps: 1 }),
        };
        let Some(at) = at else {
            let detail = "There is no instance of the module with this key.";
            return Err(vec![Diagnostic::error(NO_INSTANCE, detail)]);
        };
        if let Some(TraversalStep::Attribute(output)) = steps.get(taken)
            && let Some(value) = self.view.named(at, Kind::Output, output)
        {
            return Ok(Resolved { value: value?, steps: taken + 1 });
        }
        Ok(Resolved { value: self.view.output(at)?, steps: taken })
    }

    fn all_instances(&self, called: &Called) -> Outcome {
        let values = called.numbers().into_iter().map(|at| self.view.output(at));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        Ok(match called {
            Called::ForEach(all) => {
                let keys = all.iter().map(|(key, _)| Arc::from(key.as_str()));
                Marked::object(keys.zip(values).collect())
            }
            _ => Marked::tuple(values),
        })
    }

    /// A resource: the type and the name are the first two steps, of which `before` are not among those that follow
    /// the first name.
    fn resource(
        &self,
        mode: Mode,
        steps: &[TraversalStep],
        before: usize,
    ) -> Result<Resolved, Vec<Diagnostic>> {
        let [TraversalStep::Attribute(type_name), TraversalStep::Attribute(name), rest @ ..] = steps else {
            return Err(invalid(
                "A reference to a resource has its type and its name, as in demo_file.index.",
            ));
        };
        if self.instance.module.resource(mode, type_name, name).is_none() {
            return Err(super::references::undeclared_resource(mode, type_name, name));
        }
        let address = ResourceAddress {
            module: self.instance.path.clone(),
            mode,
            type_name: type_name.clone(),
            name: name.clone(),
        };
        let Resolved { value, steps } = self.view.resources.resource(&address, rest)?;
        Ok(Resolved { value, steps: steps + 2 - before })
    }
}
