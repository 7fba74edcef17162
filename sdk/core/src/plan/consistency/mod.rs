//! Checks plans and results against core's rules, before the response leaves the provider.
//!
//! Core makes the same checks, but its message reaches a person who cannot fix the provider. Here the message names the
//! rule, the attribute and the method to fix. No value is ever shown: core strips the marks of sensitive values
//! before the provider sees them, so none can be known to be harmless.

mod plan;
mod result;
mod state;
#[cfg(test)]
mod tests;

pub(super) use plan::type_at;
pub use plan::{open_result_valid, plan_valid, replace_paths};
pub use result::result_valid;
pub use state::{identity_kept, wholly_known, write_only_null};

use std::fmt;

use crate::diag::Diagnostic;
use crate::path::{Path, Step};
use crate::plan::correlation::member;
use crate::schema::Text;
use crate::value::{Entries, Value};

/// A rule of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A planned value is the configured one, or the prior one where something is configured; only computed
    /// attributes that the configuration leaves out are free.
    PlanFollowsConfig,
    /// A new state has the values that were planned; only unknown ones are free.
    ResultFollowsPlan,
    /// A result of an open has the values that were configured; only computed attributes that the configuration leaves out
    /// are free.
    ResultFollowsConfig,
    /// A path that requires a replacement leads to something.
    ReplacePathExists,
    /// A stored state holds nothing unknown.
    Known,
    /// A write-only value is never planned or stored.
    WriteOnlyNull,
    /// The identity of an object does not change.
    IdentityKept,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PlanFollowsConfig => "a planned value must be the configured or the prior one",
            Self::ResultFollowsPlan => "a new value must be the planned one",
            Self::ResultFollowsConfig => "a returned value must be the configured one",
            Self::ReplacePathExists => "a path that requires a replacement must exist",
            Self::Known => "a stored value must be known",
            Self::WriteOnlyNull => "a write-only value must not be planned or stored",
            Self::IdentityKept => "an identity must not change",
        })
    }
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The attribute or block.
    pub path: Path,
    /// What is wrong there, without any value.
    pub found: String,
}

impl Violation {
    /// The diagnostic that tells the author which method of which type to fix.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// use ferroform_core::plan::wholly_known;
    ///
    /// let violations = wholly_known(&Value::object([("id", Value::unknown())]));
    /// let diagnostic = violations[0].diagnostic("cloud_bucket", "create");
    /// assert_eq!(diagnostic.path, Some(path!(id)));
    /// assert!(diagnostic.detail.ends_with("its author should look at `create` of this type."));
    /// ```
    #[must_use]
    pub fn diagnostic(&self, type_name: &str, method: &str) -> Diagnostic {
        let summary = match self.rule {
            Rule::PlanFollowsConfig => "Provider Planned An Impossible Value",
            Rule::ResultFollowsPlan => "Provider Returned Another Value Than Planned",
            Rule::ResultFollowsConfig => "Provider Returned Another Value Than Configured",
            Rule::ReplacePathExists => "Provider Requires Replacement For An Impossible Path",
            Rule::Known => "Provider Returned An Unknown Value",
            Rule::WriteOnlyNull => "Provider Returned A Write-Only Value",
            Rule::IdentityKept => "Provider Changed An Identity",
        };
        let detail = format!(
            "`{type_name}` violated a provider rule at `{}`: {}. Here, {}. This is a bug in the provider: its author \
             should look at `{method}` of this type.",
            if self.path.is_root() { "(the whole object)".to_owned() } else { self.path.to_string() },
            self.rule,
            self.found,
        );
        Diagnostic::error(summary, detail).at(self.path.clone())
    }
}

/// Collects violations while walking.
struct Walk {
    rule: Rule,
    violations: Vec<Violation>,
}

impl Walk {
    const fn new(rule: Rule) -> Self {
        Self { rule, violations: Vec::new() }
    }

    /// Reports a violation of the rule in the value at hand.
    fn report(&mut self, found: impl Into<String>) {
        self.violations.push(Violation { rule: self.rule, path: Path::root(), found: found.into() });
    }

    /// Checks a value within the one at hand. The paths of violations grow on the way out, so that a value without any
    /// costs no path.
    fn within(&mut self, step: impl FnOnce() -> Step, walk: impl FnOnce(&mut Self)) {
        let before = self.violations.len();
        walk(self);
        let Some(violations) = self.violations.get_mut(before..).filter(|violations| !violations.is_empty())
        else {
            return;
        };
        let step = step();
        for violation in violations {
            violation.path.prepend(step.clone());
        }
    }

    fn member(&mut self, name: &Text, walk: impl FnOnce(&mut Self)) {
        self.within(|| Step::Attribute(name.clone()), walk);
    }

    fn index(&mut self, index: usize, walk: impl FnOnce(&mut Self)) {
        self.within(|| Step::Index(index), walk);
    }

    fn key(&mut self, key: &str, walk: impl FnOnce(&mut Self)) {
        self.within(|| Step::Key(key.to_owned().into()), walk);
    }
}

/// The member of an object, null when it is not there.
fn at<'a>(object: &'a Value, name: &str) -> &'a Value {
    lookup(object, name).unwrap_or(&Value::Null)
}

/// The members of objects, unless they are null.
fn objects<const N: usize>(values: [&Value; N]) -> [Option<&Entries>; N] {
    values.map(Value::as_entries)
}

/// The members of one name of objects of one type, where they are at one place; null when they are not there.
fn members<'a, const N: usize>(objects: [Option<&'a Entries>; N], name: &str) -> [&'a Value; N] {
    let first = objects.first().copied().flatten();
    let at = first.and_then(|entries| entries.position(name)).unwrap_or(usize::MAX);
    objects.map(|entries| member(entries, at, name))
}

fn lookup<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.as_entries().and_then(|entries| entries.get(key))
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let entries = value.as_entries();
    entries.into_iter().flat_map(|entries| entries.iter().map(|(key, value)| (&**key, value)))
}

fn keys(value: &Value) -> impl Iterator<Item = &str> {
    value.as_entries().into_iter().flat_map(Entries::keys)
}

fn elements(value: &Value) -> &[Value] {
    value.elements().unwrap_or_default()
}
