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
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::schema::Validator;
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::path;
    /// # use ferroform::schema::ValidationTarget;
    /// # use ferroform::value::Value;
    ///
    /// let zone = Validator::new("a zone in Europe", |path, value, found| {
    ///     if value.as_str().is_some_and(|zone| !zone.starts_with("eu-")) {
    ///         found.push(Diagnostic::error("Invalid Zone", "Use a zone in Europe.").at(path.clone()));
    ///     }
    /// });
    /// # let accepts = |value: Value| {
    /// #     let mut found = Diagnostics::default();
    /// #     zone.check(&ValidationTarget::alone(&path!(zone), &value), &mut found);
    /// #     found.is_empty()
    /// # };
    /// assert!(accepts("eu-1".into()) && accepts(Value::Null) && !accepts("us-1".into()));
    /// ```
    pub fn new(
        description: impl Into<Text>,
        check: impl Fn(&Path, &Value, &mut Diagnostics) + Send + Sync + 'static,
    ) -> Self {
        let check = move |it: &ValidationTarget<'_>, found: &mut Diagnostics| check(it.path, it.value, found);
        Self::around(description, Vec::new(), check)
    }

    /// A check of a value and of what stands around it.
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::schema::{Target, Validator};
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::schema::{Attribute, Block};
    /// # use ferroform::ty::Type;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    ///
    /// let copy_of = Target::from("copy_of");
    /// let other = Validator::around("another name than `copy_of`", vec![copy_of.clone()], move |name, found| {
    ///     if name.values_of(&copy_of).iter().any(|copied| copied.value == name.value) {
    ///         found.push(Diagnostic::error("Invalid Copy", "A bucket is no copy of itself.").at(name.path.clone()));
    ///     }
    /// });
    /// # let name = Attribute::required("name", Type::String).validators([other]);
    /// # let block = Block::new([name, Attribute::optional("copy_of", Type::String)]);
    /// # let accepts = |name: &str, copy_of: &str| {
    /// #     let mut found = Diagnostics::default();
    /// #     validate(&block, &Value::object([("name", name.into()), ("copy_of", copy_of.into())]), true, &mut found);
    /// #     found.is_empty()
    /// # };
    /// assert!(accepts("archive", "logs") && !accepts("logs", "logs"));
    /// ```
    pub fn around(
        description: impl Into<Text>,
        targets: Vec<Target>,
        check: impl Fn(&ValidationTarget<'_>, &mut Diagnostics) + Send + Sync + 'static,
    ) -> Self {
        Self { description: description.into(), targets, mistakes: Vec::new(), check: Arc::new(check) }
    }

    /// Records what is wrong with the target. Null and unknown values are passed in as well; only checks of presence should
    /// look at them.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::path;
    /// use ferroform::schema::{ValidationTarget, Validator};
    /// use ferroform::validate::number::between;
    /// use ferroform::value::Value;
    ///
    /// let port = Validator::from(between(1, 65_535));
    /// let mut found = Diagnostics::default();
    /// port.check(&ValidationTarget::alone(&path!(port), &Value::from(70_000)), &mut found);
    /// assert_eq!(found.iter().next().unwrap().path, Some(path!(port)));
    /// ```
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
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::ValidationTarget;
    /// use ferroform::value::Value;
    ///
    /// // What a test gives to a validator that looks at nothing else.
    /// let (path, value) = (path!(port), Value::from(443));
    /// let port = ValidationTarget::alone(&path, &value);
    /// assert_eq!((port.path, port.value), (&path, &value));
    /// ```
    #[must_use]
    pub fn alone(path: &'a Path, value: &'a Value) -> Self {
        Self { path, value, write_only_allowed: true, levels: &[], is_object: false }
    }

    /// Another value with the same things around it, such as an element.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::schema::{ValidationTarget, Validator};
    /// use ferroform::validate::number::between;
    /// use ferroform::value::Value;
    ///
    /// // A validator of a list that checks each of its elements as a port.
    /// let port = Validator::from(between(1, 65_535));
    /// let ports = Validator::around("ports", Vec::new(), move |ports, found| {
    ///     for (at, value) in ports.value.elements().unwrap_or_default().iter().enumerate() {
    ///         port.check(&ports.with(&ports.path.clone().index(at), value), found);
    ///     }
    /// });
    /// # use ferroform::path;
    /// let mut found = Diagnostics::default();
    /// let value = Value::list([443, 70_000].map(Value::from));
    /// ports.check(&ValidationTarget::alone(&path!(ports), &value), &mut found);
    /// assert_eq!(found.iter().next().unwrap().path, Some(path!(ports[1])));
    /// ```
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
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::schema::{Attribute, Block, Validator};
    /// use ferroform::ty::Type;
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::validate::validate;
    ///
    /// // Says where it stands.
    /// let place = Validator::around("anything", Vec::new(), |it, found| {
    ///     let place = if it.is_object() { "the whole object" } else { "an attribute" };
    ///     found.push(Diagnostic::warning("Checked", place));
    /// });
    /// let name = Attribute::required("name", Type::String).validators([place.clone()]);
    /// # let places = |block: &Block| {
    /// #     let mut found = Diagnostics::default();
    /// #     validate(block, &block.empty(), true, &mut found);
    /// #     found.into_iter().filter(|it| !it.is_error()).map(|it| it.detail).collect::<Vec<_>>()
    /// # };
    /// assert_eq!(places(&Block::new([name]).validators([place])), ["the whole object", "an attribute"]);
    /// ```
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.is_object
    }

    /// Whether the value is there. Blocks of which none is written are not.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{ValidationTarget, ValuePresence};
    /// use ferroform::value::Value;
    ///
    /// let path = path!(zone);
    /// let presence = |zone: Value| ValidationTarget::alone(&path, &zone).presence();
    /// assert_eq!(presence("eu-1".into()), ValuePresence::Present);
    /// assert_eq!(presence(Value::unknown()), ValuePresence::Unknown);
    /// assert_eq!(presence(Value::Null), ValuePresence::Absent);
    /// ```
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
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::schema::{Target, Validator};
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::schema::{Attribute, Block, NestedObject, Nesting};
    /// # use ferroform::ty::Type;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    ///
    /// // At least one of the disks is as large as the image.
    /// let sizes = Target::from("disks.size");
    /// let fits = Validator::around("no larger than a disk", vec![sizes.clone()], move |image, found| {
    ///     let is_enough = |size: &Value| size.as_number() >= image.value.as_number();
    ///     if !image.values_of(&sizes).iter().any(|size| is_enough(size.value)) {
    ///         found.push(Diagnostic::error("Image Too Large", "Add a larger disk.").at(image.path.clone()));
    ///     }
    /// });
    /// # let disk = NestedObject::new(Nesting::List, [Attribute::required("size", Type::Number)]);
    /// # let image = Attribute::required("image_size", Type::Number).validators([fits]);
    /// # let block = Block::new([image, Attribute::required("disks", disk)]);
    /// # let accepts = |image: i64, disks: [i64; 2]| {
    /// #     let disks = Value::list(disks.map(|size| Value::object([("size", Value::from(size))])));
    /// #     let mut found = Diagnostics::default();
    /// #     validate(&block, &Value::object([("image_size", image.into()), ("disks", disks)]), true, &mut found);
    /// #     found.is_empty()
    /// # };
    /// assert!(accepts(15, [10, 20]) && !accepts(25, [10, 20]));
    /// ```
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
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::schema::{Target, Validator, ValuePresence};
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::schema::{Attribute, Block};
    /// # use ferroform::ty::Type;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    ///
    /// let key = Target::from("key");
    /// let with_key = Validator::around("with a `key`", vec![key.clone()], move |certificate, found| {
    ///     if certificate.presence_of(&key) == ValuePresence::Absent {
    ///         found.push(Diagnostic::error("Missing Key", "Set `key` as well.").at(certificate.path.clone()));
    ///     }
    /// });
    /// # let certificate = Attribute::required("certificate", Type::String).validators([with_key]);
    /// # let block = Block::new([certificate, Attribute::optional("key", Type::String)]);
    /// # let accepts = |key: Value| {
    /// #     let mut found = Diagnostics::default();
    /// #     validate(&block, &Value::object([("certificate", "PEM".into()), ("key", key)]), true, &mut found);
    /// #     found.is_empty()
    /// # };
    /// assert!(accepts("PEM".into()) && accepts(Value::unknown()) && !accepts(Value::Null));
    /// ```
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
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Schema, Target};
    /// use ferroform::ty::Type;
    /// use ferroform::validate::relation::also_requires;
    ///
    /// // A rule with a `certificate` needs the `domain` of the whole listener.
    /// let with_domain = also_requires([Target::root("domain")]);
    /// let certificate = Attribute::optional("certificate", Type::String).validators([with_domain.into()]);
    /// let rules = Attribute::optional("rules", NestedObject::new(Nesting::List, [certificate]));
    /// let listener = Block::new([Attribute::optional("domain", Type::String), rules]);
    /// assert!(Schema::new(listener).check().is_ok());
    /// ```
    #[must_use]
    pub fn root(names: &str) -> Self {
        Self { base: Base::Root, names: split(names) }
    }

    /// An attribute or block beside the block or nested attribute that holds this one.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Schema, Target};
    /// use ferroform::ty::Type;
    /// use ferroform::validate::relation::also_requires;
    ///
    /// // `tls.certificate` needs the `domain` that stands beside `tls`.
    /// let with_domain = also_requires([Target::parent("domain")]);
    /// let certificate = Attribute::optional("certificate", Type::String).validators([with_domain.into()]);
    /// let tls = Attribute::optional("tls", NestedObject::new(Nesting::Single, [certificate]));
    /// let listener = Block::new([Attribute::optional("domain", Type::String), tls]);
    /// assert!(Schema::new(listener).check().is_ok());
    /// ```
    #[must_use]
    pub fn parent(names: &str) -> Self {
        Self { base: Base::Up(1), names: split(names) }
    }

    /// The same, one level further out.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Schema, Target};
    /// use ferroform::ty::Type;
    /// use ferroform::validate::relation::also_requires;
    ///
    /// // `listener.tls.certificate` needs the `domain` that stands beside `listener`.
    /// let with_domain = also_requires([Target::parent("domain").out()]);
    /// let certificate = Attribute::optional("certificate", Type::String).validators([with_domain.into()]);
    /// let tls = Attribute::optional("tls", NestedObject::new(Nesting::Single, [certificate]));
    /// let listener = Attribute::optional("listener", NestedObject::new(Nesting::Single, [tls]));
    /// let gateway = Block::new([Attribute::optional("domain", Type::String), listener]);
    /// assert!(Schema::new(gateway).check().is_ok());
    /// ```
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
