//! What is wrong with values beside names that mean nothing.

use ferroform::ty::Type;
use ferroform::value::Value;

use super::evaluate::{NoResources, View};
use super::instance::{Instance, Repeating};
use super::named::Memo;
use super::syntax::{Body, SourceExpr};
use super::{Inputs, Tree};
use crate::language::{Diagnostic, Marked};

/// Adds what is wrong with the values of expressions of which nothing is known to be wrong, as core does: it evaluates
/// all that it can. Where an argument of a block is wrong already, nothing of the block is evaluated.
pub(super) fn check(tree: &Tree, inputs: &Inputs, problems: &mut Vec<Diagnostic>) {
    // What is defined by way of itself has no value.
    if problems.iter().any(|problem| problem.summary.starts_with("Cycle")) {
        return;
    }
    let mut found = Vec::new();
    let inputs = inputs.clone().for_validation();
    let instances = super::expand::instances(tree, &inputs, &mut found);
    for (at, instance) in instances.all.iter().enumerate() {
        for (unit, each) in units(instance) {
            if unit.iter().any(|expr| problems.iter().any(|problem| is_within(problem, expr))) {
                continue;
            }
            for expr in unit {
                let (memo, resources) = (Memo::default(), NoResources::default());
                let view = View { instances: &instances, resources: &resources, memo: &memo };
                found.extend(view.evaluate(expr, at, &each).err().into_iter().flatten());
            }
        }
    }
    for problem in found.into_iter().filter(Diagnostic::is_error) {
        let place = |it: &Diagnostic| it.subject.as_ref().map(|it| (it.source.path().to_owned(), it.span));
        if !problems.iter().any(|it| (&it.summary, place(it)) == (&problem.summary, place(&problem))) {
            problems.push(problem);
        }
    }
}

/// The expressions of a module that are evaluated together, with what `count` and `each` mean in them.
fn units(instance: &Instance) -> Vec<(Vec<&SourceExpr>, Repeating)> {
    let module = &instance.module;
    let alone = |expr| (vec![expr], Repeating::default());
    let locals = module.locals.iter().map(|local| alone(&local.value));
    let outputs = module.outputs.iter().filter_map(|output| Some(alone(output.value.as_ref()?)));
    let mut units: Vec<_> = locals.chain(outputs).collect();
    let resources = module.resources.iter().map(|it| (&it.count, &it.for_each, &it.body));
    let calls = module.calls.iter().map(|it| (&it.count, &it.for_each, &it.body));
    for (count, for_each, body) in resources.chain(calls) {
        units.extend([count, for_each].into_iter().flatten().map(alone));
        units.push((arguments(body), any(count.is_some(), for_each.is_some())));
    }
    units
}

/// The arguments of a body, but for those in nested blocks, which may refer to iterators.
fn arguments(body: &Body) -> Vec<&SourceExpr> {
    body.arguments.iter().map(|argument| &argument.value).collect()
}

fn any(count: bool, each: bool) -> Repeating {
    let unknown = |ty: Type, is: bool| is.then(|| Marked::new(Value::unknown(), &ty));
    Repeating {
        index: unknown(Type::Number, count),
        key: unknown(Type::String, each),
        value: unknown(Type::Dynamic, each),
        ..Repeating::default()
    }
}

fn is_within(problem: &Diagnostic, expr: &SourceExpr) -> bool {
    let whole = expr.subject();
    problem.subject.as_ref().is_some_and(|it| {
        it.source.path() == whole.source.path()
            && whole.span.start <= it.span.start
            && it.span.end <= whole.span.end
    })
}
