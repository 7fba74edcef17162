//! Validators: checks of configured values beyond their types, and what they may look at.

use std::fmt;
use std::sync::Arc;

use crate::diag::Diagnostics;
use crate::path::{Path, Step};
use crate::schema::Text;
use crate::schema::walk::{self, Body, Member, NULL};
use crate::value::Value;

/// A further check of a configured value: an attribute, the blocks of one type, or an object as a whole.
///
/// The ones that come with the SDK are in [`crate::validate`].
///
/// ```
/// use ferroform::diag::{Diagnostic, Diagnostics};
/// use ferroform::schema::{Attribute, Block, Validator};
/// use ferroform::ty::Type;
/// use ferroform::validate::validate;
/// use ferroform::value::Value;
///
/// let zone = Validator::new("a zone in Europe", |path, value, found| {
///     if value.as_str().is_some_and(|zone| !zone.starts_with("eu-")) {
///         found.push(Diagnostic::error("Invalid Zone", "Use a zone in Europe.").at(path.clone()));
///     }
/// });
/// let block = Block::new([Attribute::required("zone", Type::String).validators([zone])]);
///
/// let accepts = |zone: Value| {
///     let mut found = Diagnostics::default();
///     validate(&block, &Value::object([("zone", zone)]), true, &mut found);
///     found.is_empty()
/// };
/// assert!(accepts("eu-1".into()) && !accepts("us-1".into()));
/// // It gets an unknown value as well, and has nothing to say about it.
/// assert!(accepts(Value::unknown()));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Validator {
    /// What is allowed, for documentation, e.g. "between 1 and 10".
    pub description: Text,
    /// The attributes and blocks that it looks at beside its own. The check of the schema finds those that do not
    /// exist.
    pub targets: Vec<Target>,
    /// What is wrong with the validator itself, such as a pattern that cannot be read. The check of the schema
    /// reports it.
    pub mistakes: Vec<Text>,
    check: Arc<RecordMistakes>,
}

/// Records what is wrong with a target.
type RecordMistakes = dyn Fn(&ValidationTarget<'_>, &mut Diagnostics) + Send + Sync;

impl Validator {
    /// A check of a value, given its path.
    pub fn new(
        description: impl Into<Text>,
        check: impl Fn(&Path, &Value, &mut Diagnostics) + Send + Sync + 'static,
    ) -> Self {
        let check = move |it: &ValidationTarget<'_>, found: &mut Diagnostics| check(it.path, it.value, found);
        Self::around(description, Vec::new(), check)
    }

    /// A check of a value and of what stands around it.
    pub fn around(
        description: impl Into<Text>,
        targets: Vec<Target>,
        check: impl Fn(&ValidationTarget<'_>, &mut Diagnostics) + Send + Sync + 'static,
    ) -> Self {
        Self { description: description.into(), targets, mistakes: Vec::new(), check: Arc::new(check) }
    }

    /// Records what is wrong with the target. Null and unknown values are passed in as well; only checks of presence should
    /// look at them.
    pub fn check(&self, target: &ValidationTarget<'_>, found: &mut Diagnostics) {
        (self.check)(target, found);
    }

    /// The same, with what the validators that it is made of name, and with what is wrong with them.
    pub(crate) fn made_of(mut self, parts: &[Self]) -> Self {
        for part in parts {
            self.targets.extend_from_slice(&part.targets);
            self.mistakes.extend_from_slice(&part.mistakes);
        }
        self
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator")
            .field("description", &self.description)
            .field("targets", &self.targets)
            .field("mistakes", &self.mistakes)
            .finish_non_exhaustive()
    }
}

/// What a validator is shown.
///
/// ```
/// use ferroform::diag::{Diagnostic, Diagnostics};
/// use ferroform::schema::{Attribute, Block, Target, Validator};
/// use ferroform::ty::Type;
/// use ferroform::validate::validate;
/// use ferroform::value::Value;
///
/// // The last port of a range, which is not below the first one.
/// let first = Target::from("first");
/// let not_below = Validator::around("not below `first`", vec![first.clone()], move |last, found| {
///     let below = |first: &Value| last.value.as_number().zip(first.as_number()).is_some_and(|(last, first)| last < first);
///     if last.values_of(&first).iter().any(|first| below(first.value)) {
///         found.push(Diagnostic::error("Invalid Range", "Raise `last`, or lower `first`.").at(last.path.clone()));
///     }
/// });
/// let last = Attribute::required("last", Type::Number).validators([not_below]);
/// let block = Block::new([Attribute::required("first", Type::Number), last]);
///
/// let accepts = |first: Value, last: i64| {
///     let mut found = Diagnostics::default();
///     validate(&block, &Value::object([("first", first), ("last", last.into())]), true, &mut found);
///     found.is_empty()
/// };
/// assert!(accepts(8000.into(), 8080) && !accepts(8000.into(), 80));
/// assert!(accepts(Value::unknown(), 80));
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ValidationTarget<'a> {
    /// Where the value stands.
    pub path: &'a Path,
    /// The configured value, which may be null or unknown.
    pub value: &'a Value,
    /// Whether core knows write-only attributes.
    pub write_only_allowed: bool,
    levels: &'a [Level<'a>],
    is_object: bool,
}

impl<'a> ValidationTarget<'a> {
    /// A value with nothing around it.
    #[must_use]
    pub fn alone(path: &'a Path, value: &'a Value) -> Self {
        Self { path, value, write_only_allowed: true, levels: &[], is_object: false }
    }

    /// Another value with the same things around it, such as an element.
    #[must_use]
    pub fn with<'b>(&self, path: &'b Path, value: &'b Value) -> ValidationTarget<'b>
    where
        'a: 'b,
    {
        ValidationTarget { path, value, ..*self }
    }

    /// A value within objects, the root first.
    pub(crate) fn within(self, levels: &'a [Level<'a>]) -> Self {
        Self { levels, ..self }
    }

    /// The innermost object itself.
    pub(crate) fn whole(self) -> Self {
        Self { is_object: true, ..self }
    }

    /// Whether the validator stands on an object as a whole, so that there is no attribute of its own.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.is_object
    }

    /// Whether the value is there. Blocks of which none is written are not.
    #[must_use]
    pub fn presence(&self) -> ValuePresence {
        let own = match self.path.steps().last() {
            Some(Step::Attribute(name)) if !self.is_object => self.levels.last().map(|level| (level, name)),
            _ => None,
        };
        presence(own.and_then(|(level, name)| level.body.member(name)), self.value)
    }

    /// The values of another attribute or block, each with its path: none or one, or several when the way leads
    /// through a collection. Where the way ends at something null or unknown, that is given.
    #[must_use]
    pub fn values_of(&self, target: &Target) -> Vec<TargetValue<'a>> {
        let mut found = Vec::new();
        if let Some(level) = target.level(self.levels) {
            let mut path: Path = self.path.steps().iter().take(level.depth).cloned().collect();
            level.values_of(&target.names, &mut path, &mut found);
        }
        found
    }

    /// Whether another attribute or block is there, in any of the places that the target names.
    #[must_use]
    pub fn presence_of(&self, target: &Target) -> ValuePresence {
        self.values_of(target).iter().map(|other| other.presence).max().unwrap_or(ValuePresence::Absent)
    }
}

impl fmt::Debug for ValidationTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may be sensitive.
        f.debug_struct("ValidationTarget").field("path", self.path).finish_non_exhaustive()
    }
}

/// What was found where a [`Target`] leads.
///
/// ```
/// use ferroform::diag::{Diagnostic, Diagnostics};
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Target, Validator};
/// use ferroform::ty::Type;
/// use ferroform::validate::validate;
/// use ferroform::value::Value;
///
/// // A firewall that is closed for the port of its administration.
/// let ports = Target::from("rules.port");
/// let spared = Validator::around("no port of a rule", vec![ports.clone()], move |admin, found| {
///     for port in admin.values_of(&ports).into_iter().filter(|port| port.value == admin.value) {
///         found.push(Diagnostic::error("Reserved Port", "Use another port.").at(port.path));
///     }
/// });
/// let rule = NestedObject::new(Nesting::List, [Attribute::required("port", Type::Number)]);
/// let admin = Attribute::required("admin_port", Type::Number).validators([spared]);
/// let block = Block::new([admin, Attribute::required("rules", rule)]);
///
/// let rules = [443, 22].map(|port| Value::object([("port", Value::from(port))]));
/// let mut found = Diagnostics::default();
/// validate(&block, &Value::object([("admin_port", 22.into()), ("rules", Value::list(rules))]), true, &mut found);
/// // The path of the value that was found is that of the one rule.
/// assert_eq!(found.iter().next().unwrap().path, Some(path!(rules[1].port)));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct TargetValue<'a> {
    /// Where it stands.
    pub path: Path,
    /// The value.
    pub value: &'a Value,
    /// Whether it is there.
    pub presence: ValuePresence,
}

impl fmt::Debug for TargetValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may be sensitive.
        f.debug_struct("TargetValue")
            .field("path", &self.path)
            .field("presence", &self.presence)
            .finish_non_exhaustive()
    }
}

/// Whether something is in a configuration.
///
/// ```
/// use ferroform::diag::{Diagnostic, Diagnostics};
/// use ferroform::schema::{Attribute, Block, Target, Validator, ValuePresence};
/// use ferroform::ty::Type;
/// use ferroform::validate::validate;
/// use ferroform::value::Value;
///
/// // A backup needs a bucket. One that is not known yet may still become null, so it is not judged.
/// let bucket = Target::from("bucket");
/// let needs_bucket = Validator::around("with a `bucket`", vec![bucket.clone()], move |backup, found| {
///     let of_bucket = backup.presence_of(&bucket);
///     if backup.presence() == ValuePresence::Present && of_bucket == ValuePresence::Absent {
///         found.push(Diagnostic::error("Missing Bucket", "Set `bucket`.").at(backup.path.clone()));
///     }
/// });
/// let backup = Attribute::optional("backup", Type::String).validators([needs_bucket]);
/// let block = Block::new([backup, Attribute::optional("bucket", Type::String)]);
///
/// let accepts = |backup: Value, bucket: Value| {
///     let mut found = Diagnostics::default();
///     validate(&block, &Value::object([("backup", backup), ("bucket", bucket)]), true, &mut found);
///     found.is_empty()
/// };
/// assert!(accepts("daily".into(), "logs".into()) && accepts("daily".into(), Value::unknown()));
/// assert!(!accepts("daily".into(), Value::Null) && accepts(Value::Null, Value::Null));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValuePresence {
    /// It is null, or no such block is written.
    Absent,
    /// That is not known yet.
    Unknown,
    /// It is there.
    Present,
}

fn presence(member: Option<Member<'_>>, value: &Value) -> ValuePresence {
    match (value.peel(), member) {
        (Value::Null, _) => ValuePresence::Absent,
        (Value::Unknown(_), _) => ValuePresence::Unknown,
        (_, Some(Member::Block(block))) if *value == block.absent() => ValuePresence::Absent,
        _ => ValuePresence::Present,
    }
}

/// An object that holds what is validated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) object: &'a Value,
    /// How many steps the path of the object has.
    pub(crate) depth: usize,
}

impl<'a> Level<'a> {
    fn values_of(&self, names: &[Text], path: &mut Path, found: &mut Vec<TargetValue<'a>>) {
        let Some((name, rest)) = names.split_first() else { return };
        let value = self.object.as_entries().and_then(|entries| entries.get(name)).unwrap_or(&NULL);
        let member = self.body.member(name);
        let presence = presence(member, value);
        path.push(Step::Attribute(name.clone()));
        if rest.is_empty() || presence != ValuePresence::Present {
            found.push(TargetValue { path: path.clone(), value, presence });
        } else {
            // What a plain value holds, the schema does not say.
            let body = member.and_then(Member::nested).map_or(Body::default(), |(_, body)| body);
            walk::objects(value, &mut |step, object| {
                path.within(step, |path| {
                    if object.peel().is_unknown() {
                        // Anything may come of it.
                        let presence = ValuePresence::Unknown;
                        found.push(TargetValue { path: path.clone(), value: object, presence });
                        return;
                    }
                    let level = Level { body, object, depth: path.steps().len() };
                    level.values_of(rest, path, found);
                });
            });
        }
        path.pop();
    }
}

/// An attribute or block, named from where another one stands: `"name"` is beside it, `"owner.name"` in something
/// beside it. The way leads through collections, into each of their elements.
///
/// ```
/// use ferroform::schema::Target;
///
/// let beside: Target = "token".into();
/// assert_eq!(beside.to_string(), "token");
/// assert_eq!(Target::root("auth.token").to_string(), "auth.token");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    base: Base,
    names: Vec<Text>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Base {
    Root,
    /// The object that holds the attribute, or one that many levels further out.
    Up(usize),
}

impl Target {
    /// An attribute or block named from the root.
    #[must_use]
    pub fn root(names: &str) -> Self {
        Self { base: Base::Root, names: split(names) }
    }

    /// An attribute or block beside the block or nested attribute that holds this one.
    #[must_use]
    pub fn parent(names: &str) -> Self {
        Self { base: Base::Up(1), names: split(names) }
    }

    /// The same, one level further out.
    #[must_use]
    pub fn out(self) -> Self {
        let base = match self.base {
            Base::Root => Base::Root,
            Base::Up(count) => Base::Up(count + 1),
        };
        Self { base, ..self }
    }

    /// The one of these objects, the root first and the one that holds the attribute last, where the way begins.
    pub(crate) fn level<'l, T>(&self, levels: &'l [T]) -> Option<&'l T> {
        match self.base {
            Base::Root => levels.first(),
            Base::Up(count) => levels.iter().rev().nth(count),
        }
    }

    /// The names on the way.
    pub(crate) fn names(&self) -> &[Text] {
        &self.names
    }
}

fn split(names: &str) -> Vec<Text> {
    names.split('.').map(|name| Text::Owned(name.to_owned())).collect()
}

impl From<&str> for Target {
    fn from(names: &str) -> Self {
        Self { base: Base::Up(0), names: split(names) }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join("."))
    }
}
