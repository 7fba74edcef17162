//! Expressions of the configuration language.

use std::cell::RefCell;

use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::expr::instance;
use super::{Evaluated, Fault, deprecated};
use crate::address::{ProviderAddress, ResourceAddress};
use crate::embedded::scope::{Repeated, RepetitionData, Scope};
use crate::language::module::{Key, Outcome, Repeating, Resources, ScopedExpr};
use crate::language::{
    Diagnostic, Failure, MarkSet, Marked, ProviderFunction, Resolved, Stage, TraversalStep,
};

/// The value of an expression of the configuration language.
pub(super) fn evaluate(expr: &ScopedExpr, scope: &Scope<'_>) -> Result<Evaluated, Fault> {
    let watch = Watch { scope, seen: RefCell::default() };
    match expr.evaluate(&repeating(scope.each), &watch) {
        Ok(value) => Ok(watch.told(unmarked(value))),
        Err(problems) => {
            let mut faults = problems.iter().map(fault);
            let first = faults.next();
            let first =
                first.unwrap_or_else(|| Fault::new("Invalid expression", "The expression has no value."));
            Err(Fault { others: faults.collect(), ..first })
        }
    }
}

fn fault(problem: &Diagnostic) -> Fault {
    let place = problem.subject.as_ref().map(|subject| Box::new(subject.into()));
    Fault { place, ..Fault::new(problem.summary.clone(), problem.detail.clone()) }
}

fn repeating(each: &RepetitionData) -> Repeating {
    let known = |value: &Option<Evaluated>| value.as_ref().map(marked);
    Repeating {
        index: known(&each.index),
        key: known(&each.key),
        value: known(&each.value),
        own: known(&each.own),
        iterators: each.iterators.iter().map(|(name, value)| (name.clone(), marked(value))).collect(),
    }
}

/// The same value as the language sees it.
pub(in crate::embedded) fn marked(value: &Evaluated) -> Marked {
    let mut marked = Marked::new(value.value.clone(), &value.ty);
    value.sensitive.iter().for_each(|path| marked.marks.add(path.clone(), MarkSet::SENSITIVE));
    value.ephemeral.iter().for_each(|path| marked.marks.add(path.clone(), MarkSet::EPHEMERAL));
    marked
}

fn unmarked(value: Marked) -> Evaluated {
    let places = |wanted: fn(MarkSet) -> bool| -> Vec<Path> {
        let marked = value.marks.iter().filter(|(_, set)| wanted(*set)).map(|(path, _)| path.clone());
        super::marks::within(&value.value, marked)
    };
    let (sensitive, ephemeral) = (places(|set| set.sensitive), places(|set| set.ephemeral));
    Evaluated { sensitive, ephemeral, ..Evaluated::plain(value.value, value.ty) }
}

/// Looks at what an expression refers to, as the language does not carry along what is deprecated.
struct Watch<'a> {
    scope: &'a Scope<'a>,
    seen: RefCell<Vec<Evaluated>>,
}

impl Watch<'_> {
    /// Whether values are kept, although nobody sees then what they are made from.
    fn remembers(&self) -> bool {
        self.stage() == Stage::Apply || !self.scope.layout.tells_deprecated
    }

    /// The value, which is deprecated as all that it is made from. One that is what it refers to has the same parts.
    fn told(self, value: Evaluated) -> Evaluated {
        let seen = self.seen.into_inner();
        let deprecated = match seen.as_slice() {
            [only] if only.value == value.value => only.deprecated.clone(),
            _ => {
                let whole = seen.iter().flat_map(|it| &it.deprecated).filter(|it| it.path.is_root());
                deprecated::each_once(whole.cloned().collect())
            }
        };
        Evaluated { deprecated, ..value }
    }
}

impl Resources for Watch<'_> {
    fn provider_function(&self, provider: &ProviderAddress, name: &str) -> ProviderFunction {
        Resources::provider_function(self.scope, provider, name)
    }

    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        Resources::call(self.scope, provider, name, arguments)
    }

    fn stage(&self) -> Stage {
        self.scope.stage()
    }

    fn plan_timestamp(&self) -> Option<&str> {
        self.scope.plan_timestamp()
    }

    fn is_final(&self, address: &ResourceAddress) -> bool {
        Resources::is_final(self.scope, address)
    }

    fn type_of(&self, address: &ResourceAddress) -> Option<Type> {
        self.scope.type_of(address)
    }

    /// What is remembered would not be looked at again, so it is only where functions have another result each time.
    fn recall(&self, key: &Key) -> Option<Outcome> {
        self.scope.recall(key).filter(|_| self.remembers())
    }

    fn keep(&self, key: &Key, value: Outcome) -> Outcome {
        if self.remembers() { self.scope.keep(key, value) } else { value }
    }

    fn resource(
        &self,
        address: &ResourceAddress,
        steps: &[TraversalStep],
    ) -> Result<Resolved, Vec<Diagnostic>> {
        let resolved = Resources::resource(self.scope, address, steps)?;
        if self.scope.layout.tells_deprecated
            && let Some(resource) = Scope::resource(self.scope, address)
            && let Ok(seen) = instance(resource, &steps.iter().map(step).collect::<Vec<_>>())
            && !seen.deprecated.is_empty()
        {
            self.seen.borrow_mut().push(seen);
        }
        Ok(resolved)
    }
}

fn step(step: &TraversalStep) -> Step {
    match step {
        TraversalStep::Attribute(name) => Step::Attribute(name.clone().into()),
        TraversalStep::Index(Value::Number(index)) => {
            let index = index.to_u64().and_then(|index| usize::try_from(index).ok());
            index.map_or(Step::Element, Step::Index)
        }
        TraversalStep::Index(key) => Step::Key(key.as_str().unwrap_or_default().to_owned().into()),
    }
}

impl Resources for Scope<'_> {
    fn provider_function(&self, provider: &ProviderAddress, name: &str) -> ProviderFunction {
        self.layout.functions.find(provider, name)
    }

    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        self.layout.functions.call(provider, name, arguments)
    }

    fn is_final(&self, address: &ResourceAddress) -> bool {
        self.layout.number(address).is_none_or(|number| self.values.is_final(number))
    }

    fn type_of(&self, address: &ResourceAddress) -> Option<Type> {
        self.layout.type_of(address)
    }

    fn recall(&self, key: &Key) -> Option<Outcome> {
        self.values.named().get(key).cloned()
    }

    fn keep(&self, key: &Key, value: Outcome) -> Outcome {
        self.values.named().entry(key.clone()).or_insert(value).clone()
    }

    fn stage(&self) -> Stage {
        self.values.time().stage()
    }

    fn plan_timestamp(&self) -> Option<&str> {
        self.values.time().of_plan()
    }

    fn resource(
        &self,
        address: &ResourceAddress,
        steps: &[TraversalStep],
    ) -> Result<Resolved, Vec<Diagnostic>> {
        let error = |summary: &str, detail: String| Err(vec![Diagnostic::error(summary, detail)]);
        let Some(resource) = Scope::resource(self, address) else {
            let what = address.mode.noun();
            return error("Reference to undeclared resource", format!("There is no {what} {address}."));
        };
        let key = match steps.first() {
            Some(TraversalStep::Index(Value::Number(index))) => {
                index.to_u64().and_then(|index| usize::try_from(index).ok()).map(Step::Index)
            }
            Some(TraversalStep::Index(Value::String(key))) => Some(Step::Key(key.to_string().into())),
            _ => None,
        };
        let (value, steps) = match (resource, steps.first(), key) {
            (Repeated::Unknown, ..) => (Ok(Evaluated::unknown_of(address.mode)), 0),
            (Repeated::Single(only), _, _) => (Ok(only.clone()), 0),
            (Repeated::Count(_), _, Some(key @ Step::Index(_)))
            | (Repeated::ForEach(_), _, Some(key @ Step::Key(_))) => (instance(resource, &[key]), 1),
            (Repeated::Count(_), Some(TraversalStep::Attribute(_)), _) => {
                let detail =
                    format!("{address} has several instances, so a reference has to name one of them.");
                return error("Missing resource instance key", detail);
            }
            (Repeated::ForEach(_), Some(TraversalStep::Attribute(name)), _) => {
                (instance(resource, &[Step::Key(name.clone().into())]), 1)
            }
            _ => (instance(resource, &[]), 0),
        };
        match value {
            Ok(value) => Ok(Resolved { value: marked(&value), steps }),
            Err(fault) => error(&fault.summary, fault.detail),
        }
    }
}

/// What the elements of a `dynamic` block are made of: its keys and values; `None` if they are not known yet.
pub(in crate::embedded) fn entries(each: &Evaluated) -> Result<Option<Vec<(Evaluated, Evaluated)>>, Fault> {
    let invalid = |detail: &str| Fault::new("Invalid dynamic for_each value", detail);
    let each = marked(each);
    if each.is_unknown() {
        return Ok(None);
    }
    if each.is_null() {
        return Err(invalid("The for_each argument is null, but something with elements is required."));
    }
    let set = matches!(each.ty, Type::Set(_));
    if !matches!(each.ty, Type::List(_) | Type::Tuple(_) | Type::Set(_) | Type::Map(_) | Type::Object(_)) {
        return Err(invalid("The for_each argument has to be a list, a set, a map, a tuple or an object."));
    }
    let whole = each.marks.whole();
    let entry = |(at, (step, part)): (usize, (Step, Marked))| {
        let part = part.mark(whole);
        let key = match step {
            Step::Index(index) => Marked::number(u64::try_from(index).unwrap_or(u64::MAX)),
            Step::Key(name) | Step::Attribute(name) => Marked::string(name),
            _ if set => part.clone(),
            _ => Marked::number(u64::try_from(at).unwrap_or(u64::MAX)),
        };
        (unmarked(key.mark(whole)), unmarked(part))
    };
    Ok(Some(each.parts().into_iter().enumerate().map(entry).collect()))
}
