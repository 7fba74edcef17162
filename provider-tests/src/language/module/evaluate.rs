//! The values of expressions in a module instance.

mod in_module;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;

use self::in_module::InModule;
use super::instance::{InputSource, Instance, Instances, Kind, Repeating};
use super::model::Output;
use super::named::{Key, Memo};
use super::syntax::SourceExpr;
use crate::address::{ModuleInstance, ProviderAddress, ResourceAddress};
use crate::checks::Checkable;
use crate::language::MarkSet;
use crate::language::rule::Rule;
use crate::language::types::Constraint;
use crate::language::{
    Diagnostic, Failure, Marked, ProviderFunction, Resolved, Stage, Subject, Traversal, TraversalStep,
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

    /// The type of the objects of a resource, whatever their values are; `None` if nobody has asked the provider.
    fn type_of(&self, address: &ResourceAddress) -> Option<Type> {
        let _ = address;
        None
    }

    /// Whether the value of a resource will not change any more.
    fn is_final(&self, address: &ResourceAddress) -> bool;

    /// A value that was kept.
    fn recall(&self, key: &Key) -> Option<Outcome>;

    /// Keeps a value that will not change any more. All that refers to it has to see the same, also when each call of a
    /// function has another result.
    fn keep(&self, key: &Key, value: Outcome) -> Outcome;

    /// A function of a provider.
    fn provider_function(&self, provider: &ProviderAddress, name: &str) -> ProviderFunction {
        let _ = (provider, name);
        ProviderFunction::NotCallable
    }

    /// Calls a function of a provider.
    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        let _ = (provider, arguments);
        Err(Failure::Call(format!("{name} cannot be called yet")))
    }

    /// Whether functions with a different result each time have results already.
    fn stage(&self) -> Stage;

    /// When the plan was made, in the form of RFC 3339.
    fn plan_timestamp(&self) -> Option<&str>;
}

/// Resources of which nothing is known yet, and providers that are not there yet.
#[derive(Default)]
pub(super) struct NoResources {
    asked: Cell<bool>,
}

impl NoResources {
    /// Whether a value depends on one of them, or on a function of a provider.
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

    fn provider_function(&self, _: &ProviderAddress, _: &str) -> ProviderFunction {
        self.asked.set(true);
        ProviderFunction::NotCallable
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
pub struct ScopedExpr {
    expr: SourceExpr,
    instances: Arc<Instances>,
    at: usize,
    /// The output whose value it is, if it stands for all that can be wrong with that.
    output: Option<String>,
    /// The type that the value has.
    ty: Option<Arc<Constraint>>,
}

/// The same expression in an instance of the same path.
impl PartialEq for ScopedExpr {
    fn eq(&self, other: &Self) -> bool {
        let path = |it: &Self| it.instances.get(it.at).map(|instance| instance.path.clone());
        self.expr == other.expr && path(self) == path(other)
    }
}

impl std::fmt::Debug for ScopedExpr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.expr.source().slice(self.expr.span()))
    }
}

impl ScopedExpr {
    pub(super) fn new(expr: SourceExpr, instances: &Arc<Instances>, at: usize) -> Self {
        Self { expr, instances: instances.clone(), at, output: None, ty: None }
    }

    /// The value of an output of a module as others see it.
    pub(super) fn of_output(self, name: &str) -> Self {
        Self { output: Some(name.to_owned()), ..self }
    }

    /// The value of an output of that type.
    pub(super) fn of_type(self, ty: Option<Constraint>) -> Self {
        Self { ty: ty.map(Arc::new), ..self }
    }

    /// The expression where it stands.
    #[must_use]
    pub fn expr(&self) -> &SourceExpr {
        &self.expr
    }

    /// A part of it in the same module instance.
    pub(crate) fn part(&self, part: &hcl_edit::expr::Expression) -> Self {
        Self::new(self.expr.part(part), &self.instances, self.at)
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
        let value = output.unwrap_or_else(|| view.evaluate(&self.expr, self.at, each))?;
        match &self.ty {
            Some(ty) => as_declared(ty, value, &self.expr),
            None => Ok(value),
        }
    }

    /// Whether it refers to one of those variables, directly or by way of other values.
    pub(crate) fn refers_to_variable(&self, variables: &HashSet<&Checkable>) -> bool {
        self.variables().into_iter().any(|(at, name)| {
            let module = self.instances.get(at).map(|instance| instance.path.in_any_instance());
            module.is_some_and(|module| variables.contains(&Checkable::Variable(module, name)))
        })
    }

    /// Whether it refers to a variable of the root module, directly or by way of other values.
    pub(crate) fn refers_to_a_variable(&self) -> bool {
        self.variables().iter().any(|(at, _)| *at == 0)
    }

    /// The variables that it refers to, directly or by way of other values: each with the number of its module instance.
    fn variables(&self) -> Vec<(usize, String)> {
        let mut found = super::references::ReferenceCollector::new(&self.instances);
        found.expression(&self.expr, self.at);
        let variables = found.named_values().filter(|(_, kind, _)| *kind == Kind::Variable);
        variables.map(|(at, _, name)| (at, name)).collect()
    }

    /// The resources that it names itself.
    pub(crate) fn own_resources(&self) -> Vec<ResourceAddress> {
        let mut found = super::references::ReferenceCollector::new(&self.instances);
        found.expression(&self.expr, self.at);
        found.into_own_resources()
    }

    /// Where it names a resource itself, if it does.
    pub(crate) fn place_of(&self, address: &ResourceAddress) -> Option<Subject> {
        let names = |traversal: &Traversal| {
            let mut found = super::references::ReferenceCollector::new(&self.instances);
            found.reference(traversal, self.at);
            found.into_own_resources().contains(address)
        };
        let traversal = crate::language::references(self.expr.expression()).into_iter().find(names)?;
        Some(self.expr.place(super::references::naming(&traversal)))
    }

    /// The resources that it refers to, directly or by way of named values.
    pub(crate) fn resources(&self) -> Vec<ResourceAddress> {
        let mut found = super::references::ReferenceCollector::new(&self.instances);
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
            Kind::Variable if instance.stands_in => {
                let value = self.variable(instance, name)?;
                Some(value.map(|it| Marked::unknown(it.ty).mark(it.marks.whole())))
            }
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
                let expr = output.value.as_ref()?;
                let value = self.evaluate(expr, at, &each).and_then(|value| {
                    let ty = output.ty.as_ref().and_then(|ty| super::expand::constraint(Some(ty)).ok());
                    match ty {
                        Some(ty) => as_declared(&ty, value, expr),
                        None => Ok(value),
                    }
                });
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
            InputSource::Nothing => (None, None),
            InputSource::Value(value) => (Some(value.clone()), None),
            InputSource::Argument(expr) => {
                match self.evaluate(expr, instance.parent?, &self.each(instance)) {
                    Ok(value) => (Some(value), Some(expr)),
                    Err(problems) => return Some(Err(problems)),
                }
            }
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
            if !matches!(input.given, InputSource::Nothing) {
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

/// The value of an output in the type that it is declared with.
fn as_declared(ty: &Constraint, value: Marked, expr: &SourceExpr) -> Outcome {
    ty.apply(value).map_err(|error| {
        let detail = format!("The value does not fit the type of the output: {error}.");
        vec![expr.error("Invalid output value", detail)]
    })
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

/// Something of which nothing is known.
fn unknown() -> Marked {
    Marked::new(Value::unknown(), &Type::Dynamic)
}
