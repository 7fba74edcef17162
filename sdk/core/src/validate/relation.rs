//! Validators of what is set together with what: on an attribute or block, and on a model as a whole.
//!
//! They name others as a [`Target`]: `"token"` stands beside the one that has the validator (on a model: in it),
//! `"auth.token"` in something beside it, [`Target::root`] and [`Target::parent`] lead out of nested objects. While one of those is
//! unknown, nothing is said that it could still refute. A target that does not exist is found by the check of the
//! schema.

use super::message::{all, choice, combination, listed};
use super::{Check, kind};
use crate::diag::Diagnostic;
use crate::schema::{Target, ValidationTarget, ValuePresence};
use crate::value::Value;

/// It must be set; for attributes the type says so, this is for blocks and objects. Unknown passes.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::required;
///
/// #[derive(Model)]
/// struct Backend {
///     address: String,
/// }
///
/// #[derive(Model)]
/// struct LoadBalancer {
///     #[attr(block, validate = required())]
///     backend: Vec<Backend>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (LoadBalancer::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&LoadBalancer::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// let backend = Value::object([("address", "10.0.0.1".into())]);
/// assert!(accepts(&[("backend", Value::list([backend]))]));
/// assert!(!accepts(&[]));
/// ```
#[must_use]
pub fn required() -> Check<kind::Anything> {
    Check::around("set", Vec::new(), |it, found| {
        if it.presence() == ValuePresence::Absent {
            found.push(missing(it, ""));
        }
    })
}

/// If it is set, none of the others is. An unknown one puts the check off.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::conflicts_with;
///
/// #[derive(Model)]
/// struct Key {
///     #[attr(validate = conflicts_with(["file"]))]
///     text: Option<String>,
///     file: Option<String>,
/// }
/// # let _ = Key::block();
/// ```
pub fn conflicts_with(others: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Anything> {
    beside("not together with", all(others), ValuePresence::Present, |own, other| {
        format!("{own} cannot be set together with `{other}`. Remove one of them.")
    })
}

/// If it is set, all the others are. An unknown one puts the check off.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::also_requires;
///
/// #[derive(Model)]
/// struct Listener {
///     #[attr(validate = also_requires(["private_key"]))]
///     certificate: Option<String>,
///     private_key: Option<String>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Listener::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Listener::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("certificate", "c".into()), ("private_key", "k".into())]));
/// assert!(!accepts(&[("certificate", "c".into())]));
/// assert!(accepts(&[("private_key", "k".into())]));
/// ```
pub fn also_requires(others: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Anything> {
    beside("together with", all(others), ValuePresence::Absent, |own, other| {
        format!("{own} needs `{other}` to be set as well.")
    })
}

/// Exactly one is set: of the others, and the attribute or block itself where it stands on one. Two that are known to
/// be set are an error whatever else is unknown.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::exactly_one_of;
///
/// #[derive(Model)]
/// #[model(validate = exactly_one_of(["image", "snapshot"]))]
/// struct Disk {
///     image: Option<String>,
///     snapshot: Option<String>,
/// }
/// # let _ = Disk::block();
/// ```
pub fn exactly_one_of(others: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Anything> {
    group("exactly one of", others, |group| match (group.present, group.unknown) {
        (0, 0) => Some("is needed, but none is set. Set one of them."),
        (2.., _) => Some("is needed, but several are set. Keep one of them."),
        _ => None,
    })
}

/// At least one is set: of the others, and the attribute or block itself where it stands on one.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::at_least_one_of;
///
/// #[derive(Model)]
/// #[model(validate = at_least_one_of(["email", "webhook"]))]
/// struct Alert {
///     email: Option<String>,
///     webhook: Option<String>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Alert::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Alert::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("email", "ops@example.org".into()), ("webhook", "https://example.org".into())]));
/// assert!(!accepts(&[]));
/// assert!(accepts(&[("email", Value::unknown())]));
/// ```
pub fn at_least_one_of(others: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Anything> {
    group("at least one of", others, |group| match (group.present, group.unknown) {
        (0, 0) => Some("is needed, but none is set. Set one of them."),
        _ => None,
    })
}

/// At most one is set: of the others, and the attribute or block itself where it stands on one. Unknown ones do not
/// count.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::at_most_one_of;
///
/// #[derive(Model)]
/// #[model(validate = at_most_one_of(["password", "ssh_key"]))]
/// struct Server {
///     password: Option<String>,
///     ssh_key: Option<String>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Server::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Server::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[]) && accepts(&[("ssh_key", "ssh-ed25519 AAAA".into())]));
/// assert!(!accepts(&[("password", "secret".into()), ("ssh_key", "ssh-ed25519 AAAA".into())]));
/// ```
pub fn at_most_one_of(others: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Anything> {
    group("at most one of", others, |group| match group.present {
        2.. => Some("is allowed, but several are set. Keep one of them."),
        _ => None,
    })
}

/// All or none are set: of the others, and the attribute or block itself where it stands on one.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::required_together;
///
/// #[derive(Model)]
/// #[model(validate = required_together(["user", "password"]))]
/// struct Login {
///     user: Option<String>,
///     password: Option<String>,
/// }
/// # let _ = Login::block();
/// ```
pub fn required_together(others: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Anything> {
    group("all or none of", others, |group| {
        (group.present > 0 && group.absent > 0 && group.unknown == 0)
            .then_some("must be set, but only some are. Set all of them or none.")
    })
}

/// It must be set when another attribute has one of these values.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::required_when;
///
/// #[derive(Model)]
/// struct Listener {
///     protocol: String,
///     #[attr(validate = required_when("protocol", ["https"]))]
///     certificate: Option<String>,
/// }
/// # let _ = Listener::block();
/// ```
pub fn required_when<V: Into<Value>>(
    other: impl Into<Target>,
    values: impl IntoIterator<Item = V>,
) -> Check<kind::Anything> {
    let (other, values) = (other.into(), all(values));
    let description = format!("set when `{other}` is {}", choice(&values));
    Check::around(description, vec![other.clone()], move |it, found| {
        if it.presence() == ValuePresence::Absent && has(it, &other, &values) {
            // Which value that is, would show what is configured.
            found.push(missing(it, &format!(", because of the value of `{other}`")));
        }
    })
}

/// It must not be set when another attribute has one of these values.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::relation::forbidden_when;
///
/// #[derive(Model)]
/// struct Record {
///     kind: String,
///     #[attr(validate = forbidden_when("kind", ["A", "AAAA"]))]
///     priority: Option<u16>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Record::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Record::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("kind", "MX".into()), ("priority", 10.into())]));
/// assert!(!accepts(&[("kind", "A".into()), ("priority", 10.into())]));
/// ```
pub fn forbidden_when<V: Into<Value>>(
    other: impl Into<Target>,
    values: impl IntoIterator<Item = V>,
) -> Check<kind::Anything> {
    let (other, values) = (other.into(), all(values));
    let description = format!("not set when `{other}` is {}", choice(&values));
    Check::around(description, vec![other.clone()], move |it, found| {
        if it.presence() == ValuePresence::Present && has(it, &other, &values) {
            let detail = format!("{} cannot be set, because of the value of `{other}`. Remove it.", own(it));
            found.push(combination(it, detail));
        }
    })
}

/// A warning that a write-only attribute could be used in its place, where core knows those.
///
/// ```
/// use ferroform::diag::Diagnostics;
/// use ferroform::model::{Model, WriteOnly};
/// use ferroform::validate::relation::prefer_write_only;
/// use ferroform::validate::validate;
/// use ferroform::value::Value;
///
/// #[derive(Model)]
/// struct User {
///     #[attr(sensitive, validate = prefer_write_only("password_wo"))]
///     password: Option<String>,
///     password_wo: WriteOnly<Option<String>>,
/// }
///
/// let config = Value::object([("password", "secret".into()), ("password_wo", Value::Null)]);
/// let warnings = |write_only_allowed| {
///     let mut found = Diagnostics::default();
///     validate(&User::block(), &config, write_only_allowed, &mut found);
///     found.len()
/// };
/// assert_eq!(warnings(true), 1);
/// // A core that has no write-only attributes gets no advice to use one.
/// assert_eq!(warnings(false), 0);
/// ```
pub fn prefer_write_only(other: impl Into<Target>) -> Check<kind::Anything> {
    let other = other.into();
    let description = format!("better set as `{other}`, which is never stored");
    Check::around(description, vec![other.clone()], move |it, found| {
        if it.write_only_allowed && it.presence() == ValuePresence::Present {
            let detail = format!("{} is stored in the state. Set `{other}` instead, which is not.", own(it));
            found.push(Diagnostic::warning("Write-Only Attribute Available", detail).at(it.path.clone()));
        }
    })
}

fn own(subject: &ValidationTarget<'_>) -> String {
    if subject.path.is_root() { "The configuration".to_owned() } else { format!("`{}`", subject.path) }
}

fn missing(subject: &ValidationTarget<'_>, why: &str) -> Diagnostic {
    let detail = format!("{} must be set{why}.", own(subject));
    Diagnostic::error("Missing Required Attribute", detail).at(subject.path.clone())
}

/// Whether an attribute has one of these values; not so while it is unknown.
fn has(subject: &ValidationTarget<'_>, other: &Target, values: &[Value]) -> bool {
    subject.values_of(other).iter().any(|it| values.contains(it.value.peel()))
}

/// A rule for others beside something that is set, each of which is blamed with that presence; none while one is unknown.
fn beside(
    rule: &str,
    others: Vec<Target>,
    blamed: ValuePresence,
    fault: fn(&str, &Target) -> String,
) -> Check<kind::Anything> {
    let description = format!("{rule} {}", listed(&others));
    Check::around(description, others.clone(), move |it, found| {
        let set: Vec<_> = others.iter().map(|other| (other, it.presence_of(other))).collect();
        let is_unknown = set.iter().any(|(_, presence)| *presence == ValuePresence::Unknown);
        if is_unknown || it.presence() != ValuePresence::Present {
            return;
        }
        for (other, _) in set.iter().filter(|(_, presence)| *presence == blamed) {
            found.push(combination(it, fault(&own(it), other)));
        }
    })
}

/// How many of a group are what.
struct Group {
    absent: usize,
    unknown: usize,
    present: usize,
}

fn group(
    rule: &'static str,
    others: impl IntoIterator<Item = impl Into<Target>>,
    fault: fn(&Group) -> Option<&'static str>,
) -> Check<kind::Anything> {
    let others: Vec<Target> = all(others);
    let description = format!("{rule} {}", listed(&others));
    Check::around(description, others.clone(), move |it, found| {
        let own = (!it.is_object()).then(|| it.presence());
        let all: Vec<_> = own.into_iter().chain(others.iter().map(|other| it.presence_of(other))).collect();
        let count = |presence| all.iter().filter(|it| **it == presence).count();
        let group = Group {
            absent: count(ValuePresence::Absent),
            unknown: count(ValuePresence::Unknown),
            present: count(ValuePresence::Present),
        };
        if let Some(fault) = fault(&group) {
            let own_name = it.path.steps().last().filter(|_| !it.is_object()).map(|_| it.path.to_string());
            let names = own_name.into_iter().chain(others.iter().map(ToString::to_string));
            let mut detail = format!("{rule} {} {fault}", listed(names));
            if let Some(first) = detail.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            found.push(combination(it, detail));
        }
    })
}
