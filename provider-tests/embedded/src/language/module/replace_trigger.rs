//! What `replace_triggered_by` names.

use ferroform::path::{Path, Step};
use hcl_edit::expr::{Expression, TraversalOperator};

use super::syntax::SourceExpr;
use super::translate::inner_expression;
use crate::address::Mode;
use crate::language::Diagnostic;
use crate::language::rule::Rule;

/// A resource of the same module, or a part of it, whose change replaces.
#[derive(Debug, Clone)]
pub(crate) struct ReplaceTrigger {
    /// The element itself.
    pub(crate) reference: SourceExpr,
    /// A data source is taken, too, but it is only read, which is no change that replaces.
    pub(crate) mode: Mode,
    pub(crate) type_name: String,
    pub(crate) name: String,
    /// The key of the instance that is named.
    pub(crate) key: Option<SourceExpr>,
    /// The attribute that is named.
    pub(crate) path: Path,
}

/// The names that begin a reference to something else than a resource.
const OTHERS: [&str; 6] = ["local", "var", "module", "path", "terraform", "action"];

/// What an element of `replace_triggered_by` names.
///
/// # Errors
/// It is no reference, or one to something else than a managed resource: all that is wrong.
pub(crate) fn replace_trigger(expr: &SourceExpr) -> Result<ReplaceTrigger, Vec<Diagnostic>> {
    let invalid =
        |expr: &SourceExpr, detail: &str| expr.error("Invalid replace_triggered_by expression", detail);
    let inner;
    let reference = match expr.expression().as_str() {
        Some(_) if !expr.is_json() => return Err(vec![invalid(expr, "Write the reference without quotes.")]),
        Some(text) => {
            inner = inner_expression(expr, text).map_err(|problem| vec![problem])?;
            &inner
        }
        None => expr,
    };
    let (root, operators) = match reference.expression() {
        Expression::Variable(name) => (name.as_str(), [].as_slice()),
        Expression::Traversal(traversal) => match &traversal.expr {
            Expression::Variable(name) => (name.as_str(), traversal.operators.as_slice()),
            _ => ("", [].as_slice()),
        },
        _ => ("", [].as_slice()),
    };
    let mut problems = Vec::new();
    let is_resource = |mode| matches!(mode, Mode::Managed | Mode::Data);
    let is_other = OTHERS.contains(&root) || !Mode::of_root(root).is_none_or(is_resource);
    if is_other && Rule::TriggerReference.holds() {
        let detail = "Only managed resources can cause a replacement.";
        problems.push(expr.error("Invalid reference in replace_triggered_by expression", detail));
    }
    let found = if is_other { None } else { trigger(reference, root, operators) };
    match found {
        Some(trigger) if problems.is_empty() => Ok(trigger),
        Some(_) => Err(problems),
        None => {
            problems.push(invalid(expr, "Name a resource, an instance of it, or an attribute."));
            Err(problems)
        }
    }
}

fn trigger(
    expr: &SourceExpr,
    root: &str,
    operators: &[hcl_edit::Decorated<TraversalOperator>],
) -> Option<ReplaceTrigger> {
    let mut operators = operators.iter().map(|it| it.value()).peekable();
    let mut attribute = || match operators.next() {
        Some(TraversalOperator::GetAttr(name)) => Some(name.as_str().to_owned()),
        _ => None,
    };
    let type_name = match root {
        "" => return None,
        "resource" | "data" => attribute()?,
        type_name => type_name.to_owned(),
    };
    let mode = if root == "data" { Mode::Data } else { Mode::Managed };
    let name = attribute()?;
    let key = match operators.peek() {
        Some(TraversalOperator::Index(key)) => {
            operators.next();
            Some(expr.part(key))
        }
        _ => None,
    };
    let mut path = Path::root();
    for operator in operators {
        path.push(match operator {
            TraversalOperator::GetAttr(name) => Step::Attribute(name.as_str().to_owned().into()),
            TraversalOperator::Index(Expression::Number(at)) => {
                Step::Index(at.value().as_u64()?.try_into().ok()?)
            }
            TraversalOperator::Index(Expression::String(key)) => Step::Key(key.as_str().to_owned().into()),
            _ => return None,
        });
    }
    Some(ReplaceTrigger { reference: expr.clone(), mode, type_name, name, key, path })
}
