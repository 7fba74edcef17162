//! Where `import` blocks import to.

use hcl_edit::expr::{Expression, TraversalOperator};

use super::decode::RESERVED;
use super::model::Import;
use super::statics::{NO_KEY, StaticReference, impossible_key, static_reference, traversed};
use super::syntax::SourceExpr;
use super::translate::held_expression;
use crate::address::{InstanceAddress, Mode, quoted};
use crate::language::Diagnostic;
use crate::language::rule::Rule;

/// The address, and the keys in it that are expressions, which only a block with `for_each` can have: the number of the
/// module step, or after all of these that of the resource.
pub(crate) type Target = (InstanceAddress, Vec<(usize, SourceExpr)>);

/// Where an import goes.
pub(crate) fn target(import: &Import) -> Result<Target, Vec<Diagnostic>> {
    let target = address(import)?;
    if target.1.is_empty() || import.for_each.is_some() {
        return Ok(target);
    }
    let detail = "Only with \"for_each\" the keys of the address may be expressions.";
    Err(["Invalid expression", "Invalid address"].map(|summary| import.to.error(summary, detail)).into())
}

/// The address that an import names, whether it may have expressions as its keys or not.
pub(super) fn address(import: &Import) -> Result<Target, Vec<Diagnostic>> {
    let inner;
    let to = match import.to.json_string() {
        Some(text) => {
            inner = held_expression(&import.to, &text)?;
            &inner
        }
        None => &import.to,
    };
    let address = "The address of an instance of a managed resource is expected here.";
    // Core points at the whole argument with a wrong address.
    let wrong = |detail: &str| Diagnostic::error("Invalid import address", detail).on(import.to.definition());
    let invalid = |problem: Diagnostic| {
        let reference = static_reference(to);
        let nameless = reference.as_ref().and_then(StaticReference::nameless_module);
        let surplus = reference.and_then(|it| it.surplus().or_else(|| it.nameless_resource()));
        let wrong = || import.to.error("Invalid address", address).about(surplus);
        vec![problem, nameless.unwrap_or_else(wrong)]
    };
    if let Some(key) = impossible_key(to) {
        return Err(vec![Diagnostic::error("Invalid address", NO_KEY).on(key), wrong(address)]);
    }
    let names = names(to).ok_or_else(|| {
        let detail = "A single reference is required, without functions and templates.";
        vec![import.to.error("Invalid expression", detail), wrong(address)]
    })?;
    let (mut text, mut open) = (String::new(), Vec::new());
    for (at, (name, key)) in names.iter().enumerate() {
        text.push_str(if at > 0 { "." } else { "" });
        text.push_str(name);
        match key.as_ref().map(|key| (key, constant(key))) {
            None => {}
            Some((_, Some(key))) => text.push_str(&format!("[{key}]")),
            Some((key, None)) => open.push((at, key.clone())),
        }
    }
    if let Some(reserved) = static_reference(to).and_then(|reference| reference.reserved()) {
        let reserved = import.to.error("Invalid address", RESERVED).about(Some(reserved));
        return Err(vec![reserved, wrong("Only managed resources are imported.")]);
    }
    let Ok(to) = text.parse::<InstanceAddress>() else {
        return Err(invalid(wrong(address)));
    };
    if to.resource.mode != Mode::Managed && Rule::ImportData.holds() {
        return Err(vec![wrong("Only managed resources are imported.")]);
    }
    let modules = to.resource.module.0.len();
    let step = |at: usize| match at {
        at if at % 2 == 1 && at < 2 * modules => Some(at / 2),
        at if at + 1 == names.len() => Some(modules),
        _ => None,
    };
    let keys: Option<Vec<_>> = open.into_iter().map(|(at, key)| Some((step(at)?, key))).collect();
    keys.map(|keys| (to, keys)).ok_or_else(|| invalid(wrong(address)))
}

/// The names of a reference, each with its key.
fn names(expr: &SourceExpr) -> Option<Vec<(String, Option<SourceExpr>)>> {
    let (root, operators) = traversed(expr.expression())?;
    let mut names = vec![(root.to_owned(), None)];
    for operator in operators {
        match (operator.value(), names.last_mut()) {
            (TraversalOperator::GetAttr(name), _) => names.push((name.as_str().to_owned(), None)),
            (TraversalOperator::Index(key), Some((_, open @ None))) => *open = Some(expr.part(key)),
            _ => return None,
        }
    }
    Some(names)
}

/// A key that is written down, as an address has it.
fn constant(key: &SourceExpr) -> Option<String> {
    match key.expression() {
        Expression::String(key) => Some(quoted(key.as_str())),
        Expression::Number(index) => index.value().as_u64().map(|index| index.to_string()),
        _ => None,
    }
}
