//! Version constraints, as in `required_version`.

use std::cmp::Ordering;

use ferroform::ty::Type;

use super::syntax::SourceExpr;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, convert};

/// A constraint: all of its parts have to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constraint(Vec<(Operator, Version)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Pessimistic,
}

/// A version with as many segments as are written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    segments: Vec<u64>,
    prerelease: Option<String>,
}

impl Constraint {
    pub(super) fn parse(text: &str) -> Option<Self> {
        text.split(',').map(part).collect::<Option<Vec<_>>>().map(Self)
    }

    /// The text of a constraint that an argument sets; none where it is null.
    pub(super) fn text(value: Marked, expr: &SourceExpr) -> Result<Option<String>, Diagnostic> {
        let value = convert(value, &Type::String).map_err(|_| Self::error(expr))?;
        let text = value.value.as_str().map(ToOwned::to_owned);
        let is_wrong = text.as_deref().is_some_and(|text| Self::parse(text).is_none());
        if is_wrong && Rule::VersionConstraint.holds() { Err(Self::error(expr)) } else { Ok(text) }
    }

    pub(super) fn error(expr: &SourceExpr) -> Diagnostic {
        let detail = "This is no version constraint. Write one as in \">= 1.2, < 2.0.0\".";
        expr.error("Invalid version constraint", detail)
    }

    /// How many of its parts name a version before a release.
    pub(super) fn prereleases(&self) -> usize {
        self.0.iter().filter(|(_, version)| version.prerelease.is_some()).count()
    }

    /// Whether the version fulfils it; `None` if that is no version.
    pub(super) fn allows(&self, version: &str) -> Option<bool> {
        let version = Version::parse(version)?;
        Some(self.0.iter().all(|(operator, wanted)| version.is(*operator, wanted)))
    }
}

fn part(text: &str) -> Option<(Operator, Version)> {
    let text = text.trim();
    let operators = [
        ("!=", Operator::NotEqual),
        (">=", Operator::GreaterEqual),
        ("<=", Operator::LessEqual),
        ("~>", Operator::Pessimistic),
        ("=", Operator::Equal),
        (">", Operator::Greater),
        ("<", Operator::Less),
    ];
    let found = operators.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)));
    let (operator, rest) = found.unwrap_or((Operator::Equal, text));
    Some((operator, Version::parse(rest.trim())?))
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split_once('+').map_or(text, |(version, _)| version);
        let (numbers, prerelease) = match text.split_once('-') {
            Some((numbers, prerelease)) if !prerelease.is_empty() => (numbers, Some(prerelease.to_owned())),
            Some(_) => return None,
            None => (text, None),
        };
        let digits =
            |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        let segments = numbers.split('.').map(digits).collect::<Option<Vec<u64>>>()?;
        Some(Self { segments, prerelease })
    }

    fn compare(&self, other: &Self) -> Ordering {
        let length = self.segments.len().max(other.segments.len());
        let segment = |version: &Self, at: usize| version.segments.get(at).copied().unwrap_or(0);
        let numbers = (0..length).map(|at| segment(self, at).cmp(&segment(other, at)));
        numbers.fold(Ordering::Equal, Ordering::then).then_with(|| {
            match (&self.prerelease, &other.prerelease) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(a), Some(b)) => a.cmp(b),
            }
        })
    }

    fn is(&self, operator: Operator, wanted: &Self) -> bool {
        let order = self.compare(wanted);
        match operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessEqual => order.is_le(),
            Operator::Pessimistic => {
                let fixed = wanted.segments.len().saturating_sub(1).max(1);
                order.is_ge() && self.segments.iter().take(fixed).eq(wanted.segments.iter().take(fixed))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(constraint: &str, version: &str, expect: Option<bool>) {
        let found = Constraint::parse(constraint).and_then(|constraint| constraint.allows(version));
        assert_eq!(found, expect, "{constraint} {version}");
    }

    #[test]
    fn constraints_compare_versions_segment_by_segment() {
        check("1.15.5", "1.15.5", Some(true));
        check(">= 1.2, < 1.15", "1.15.5", Some(false));
        check("~> 1.2", "1.15.5", Some(true));
        check("~> 1.2.0", "1.15.5", Some(false));
        check("~> 1.15.1", "1.15.5", Some(true));
        check("!= 1.15.5", "1.15.5", Some(false));
        check("> 1.15.5-beta1", "1.15.5", Some(true));
        check("nope", "1.15.5", None);
        check(">= ", "1.15.5", None);
        check("1.2.3, ", "1.15.5", None);
    }
}
