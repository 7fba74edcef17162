//! References and paths out of text.

use std::fmt;
use std::str::FromStr;

use ::hcl::Expression;
use ::hcl::expr::TraversalOperator;
use ferroform::path::{Path, Step};
use ferroform::value::Value;

use super::{Expr, Reference, ReferenceTarget};
use crate::address::{Mode, ModuleInstance, ResourceAddress};

/// A text that is no reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceError {
    text: String,
    problem: &'static str,
}

impl fmt::Display for ReferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} cannot be read as a reference: {}. Write one as in `demo_file.index[0].name`, \
             `data.demo_token.api.value`, `each.key`, `each.value` or `count.index`",
            self.text, self.problem
        )
    }
}

impl std::error::Error for ReferenceError {}

/// ```
/// use ferroform_embedded::config::Reference;
///
/// let reference: Reference = r#"data.demo_token.api[each.key].tags["a b"]"#.parse()?;
/// assert_eq!(reference.path, ferroform::path!(tags["a b"]));
/// assert!("demo_file".parse::<Reference>().is_err());
/// # Ok::<(), ferroform_embedded::config::ReferenceError>(())
/// ```
impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        traversal(text).and_then(read).map_err(|problem| ReferenceError { text: text.to_owned(), problem })
    }
}

/// A path as `ignore_changes` names it, or a panic.
#[track_caller]
pub(super) fn path(text: &str) -> Path {
    let path = traversal(text).and_then(|(root, steps)| {
        let first = Step::Attribute(root.into());
        steps.into_iter().map(step).try_fold(Path::root().step(first), |path, step| Ok(path.step(step?)))
    });
    match path {
        Ok(path) => path,
        Err(problem) => {
            panic!("{text:?} cannot be read as a path: {problem}. Write one as in `rule[0].tags[\"env\"]`")
        }
    }
}

/// The first word, and what follows it.
type Traversed = (String, Vec<TraversalOperator>);

fn traversal(text: &str) -> Result<Traversed, &'static str> {
    const NEITHER: &str = "it is not a name followed by attributes and indexes";
    match text.parse::<Expression>() {
        Ok(Expression::Variable(root)) => Ok((root.to_string(), Vec::new())),
        Ok(Expression::Traversal(traversal)) => match traversal.expr {
            Expression::Variable(root) => Ok((root.to_string(), traversal.operators)),
            _ => Err(NEITHER),
        },
        _ => Err(NEITHER),
    }
}

fn read((root, steps): Traversed) -> Result<Reference, &'static str> {
    let mut steps = steps.into_iter().peekable();
    let mut name = |missing| match steps.next() {
        Some(TraversalOperator::GetAttr(name)) => Ok(name.to_string()),
        _ => Err(missing),
    };
    let subject = match root.as_str() {
        "count" => match name(INDEX)?.as_str() {
            "index" => ReferenceTarget::CountIndex,
            _ => return Err(INDEX),
        },
        "each" => match name(EACH)?.as_str() {
            "key" => ReferenceTarget::EachKey,
            "value" => ReferenceTarget::EachValue,
            _ => return Err(EACH),
        },
        _ => {
            let (mode, type_name) = match root.as_str() {
                "action" => (Mode::Action, name("the type of the action is missing")?),
                "data" => (Mode::Data, name("the type of the data source is missing")?),
                "ephemeral" => (Mode::Ephemeral, name("the type of the ephemeral resource is missing")?),
                "list" => (Mode::List, name("the type of the list is missing")?),
                "resource" => (Mode::Managed, name("the type of the resource is missing")?),
                _ => (Mode::Managed, root),
            };
            let name = name("the name of the resource is missing after its type")?;
            let address = ResourceAddress { module: ModuleInstance::default(), mode, type_name, name };
            let key = match steps.next_if(|step| matches!(step, TraversalOperator::Index(_))) {
                Some(TraversalOperator::Index(key)) => Some(Box::new(instance_key(&key)?)),
                _ => None,
            };
            ReferenceTarget::Resource(address, key)
        }
    };
    let path = steps.map(step).collect::<Result<Path, _>>()?;
    Ok(Reference { subject, path })
}

const INDEX: &str = "`count` has only `index`";
const EACH: &str = "`each` has only `key` and `value`";

fn instance_key(key: &Expression) -> Result<Expr, &'static str> {
    match key {
        Expression::String(key) => Ok(key.as_str().into()),
        Expression::Number(index) => {
            Ok(index.as_u64().ok_or("an index is negative, too large or not whole")?.into())
        }
        Expression::Traversal(_) => {
            key.to_string().parse().map(Expr::Reference).map_err(|error: ReferenceError| error.problem)
        }
        _ => Err("what is in brackets is neither an index nor a quoted key nor a reference"),
    }
}

fn step(operator: TraversalOperator) -> Result<Step, &'static str> {
    match operator {
        TraversalOperator::GetAttr(name) => Ok(Step::Attribute(name.to_string().into())),
        TraversalOperator::Index(at) => match instance_key(&at)? {
            Expr::Literal(Value::String(key)) => Ok(Step::Key(key.to_string().into())),
            Expr::Literal(Value::Number(index)) => {
                let index = index.to_u64().and_then(|index| usize::try_from(index).ok());
                index.map(Step::Index).ok_or("an index is too large")
            }
            _ => Err("within an object an index must be a number or a quoted key"),
        },
        _ => Err("a splat (`*`) is not supported; refer to one element"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a reference, written down again, or the problem.
    fn check(text: &str, expect: Result<&str, &str>) {
        match (text.parse::<Reference>(), expect) {
            (Ok(found), Ok(expect)) => {
                let config = super::super::Config::new().output("x", found);
                let written = config.to_hcl().expect("it can be written");
                assert_eq!(written, format!("output \"x\" {{\n  value = {expect}\n}}\n"));
            }
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (found, _) => panic!("{text} gave {found:?}"),
        }
    }

    #[test]
    fn references_are_read() {
        for text in [
            "demo_file.index",
            "demo_file.index[0].name",
            "demo_file.index[\"a \\\"b\\\" $${c}\"].rule[1].tags[\"x\"]",
            "data.demo_token.api.value",
            "demo_file.index[each.key].name",
            "demo_file.index[demo_file.other.size]",
            "each.key",
            "each.value.name",
            "count.index",
        ] {
            check(text, Ok(text));
        }
        check("resource.demo_file.index.name", Ok("demo_file.index.name"));
    }

    #[test]
    fn what_is_none_is_refused_in_a_sentence() {
        for (text, problem) in [
            ("demo_file", "the name of the resource is missing after its type"),
            ("data.demo_token", "the name of the resource is missing after its type"),
            ("count.size", "`count` has only `index`"),
            ("each", "`each` has only `key` and `value`"),
            ("demo_file.index[-1]", "an index is negative"),
            ("demo_file.index[*].name", "a splat (`*`) is not supported"),
            ("demo_file.index[0].a[each.key]", "within an object an index must be"),
            ("1 + 1", "it is not a name followed by"),
            ("a.b c", "it is not a name followed by"),
            ("", "it is not a name followed by"),
        ] {
            check(text, Err(problem));
        }
    }
}
