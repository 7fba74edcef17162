//! What a value is expected to be.

use std::fmt;
use std::sync::Arc;

use ferroform::value::Value;
use serde_json::Value as Json;

use crate::case::captured::{Captured, Values};
use crate::case::view::{Tree, same_json};

/// An expectation of a value.
///
/// Plain values are one: `"web"`, `3`, `true`, a [`Value`] or a [`serde_json::Value`] for the same value, a
/// [`Captured`] one. The functions of this module make all others, and they nest:
///
/// ```
/// use ferroform_testing::case::{Is, is};
///
/// // Elements of a set in any order, one of which is only half described.
/// is::set([is::object_with([("port", 80)]), is::object_with([("port", 443)])]);
///
/// // Expectations of several kinds are one type.
/// is::object_with([("name", Is::from("web")), ("port", is::not_null())]);
/// ```
#[derive(Clone)]
pub struct Is(Kind);

type Test = Arc<dyn Fn(&Json) -> bool + Send + Sync>;

#[derive(Clone)]
enum Kind {
    Same(Json),
    Captured(Captured),
    Null,
    NotNull,
    Unknown,
    Known,
    Sensitive(Box<Is>),
    NotSensitive,
    List(Vec<Is>),
    ListWith(Vec<(usize, Is)>),
    Set(Vec<Is>),
    Containing(Vec<Is>),
    Each(Box<Is>),
    Size(usize),
    Object(Vec<(String, Is)>),
    ObjectWith(Vec<(String, Is)>),
    AnyOf(Vec<Is>),
    Not(Box<Is>),
    JsonText(Box<Is>),
    That(String, Test),
}

/// Null, and known to be.
#[must_use]
pub fn null() -> Is {
    Is(Kind::Null)
}

/// Not null: known or unknown.
#[must_use]
pub fn not_null() -> Is {
    Is(Kind::NotNull)
}

/// Unknown until apply.
#[must_use]
pub fn unknown() -> Is {
    Is(Kind::Unknown)
}

/// Known with all its parts.
#[must_use]
pub fn known() -> Is {
    Is(Kind::Known)
}

/// Sensitive, and that besides.
#[must_use]
pub fn sensitive(inner: impl Into<Is>) -> Is {
    Is(Kind::Sensitive(Box::new(inner.into())))
}

/// Without sensitive parts.
#[must_use]
pub fn not_sensitive() -> Is {
    Is(Kind::NotSensitive)
}

/// A list or tuple of exactly these elements, in this order.
pub fn list<T: Into<Is>>(elements: impl IntoIterator<Item = T>) -> Is {
    Is(Kind::List(elements.into_iter().map(Into::into).collect()))
}

/// A list or tuple with these elements at these indices, counted from 0.
pub fn list_with<T: Into<Is>>(elements: impl IntoIterator<Item = (usize, T)>) -> Is {
    Is(Kind::ListWith(elements.into_iter().map(|(at, element)| (at, element.into())).collect()))
}

/// A set of exactly these elements: each expectation is met by another element, whatever their order.
pub fn set<T: Into<Is>>(elements: impl IntoIterator<Item = T>) -> Is {
    Is(Kind::Set(elements.into_iter().map(Into::into).collect()))
}

/// A list or set with these elements and maybe others: each expectation is met by another element.
pub fn containing<T: Into<Is>>(elements: impl IntoIterator<Item = T>) -> Is {
    Is(Kind::Containing(elements.into_iter().map(Into::into).collect()))
}

/// A list, set or map with such elements only.
#[must_use]
pub fn each(element: impl Into<Is>) -> Is {
    Is(Kind::Each(Box::new(element.into())))
}

/// A list, set, map or object with that many elements, or text with that many characters.
#[must_use]
pub fn of_size(size: usize) -> Is {
    Is(Kind::Size(size))
}

/// An object or map with exactly these members.
pub fn object<N: Into<String>, T: Into<Is>>(members: impl IntoIterator<Item = (N, T)>) -> Is {
    Is(Kind::Object(named(members)))
}

/// An object or map with these members and maybe others.
pub fn object_with<N: Into<String>, T: Into<Is>>(members: impl IntoIterator<Item = (N, T)>) -> Is {
    Is(Kind::ObjectWith(named(members)))
}

/// One of these.
pub fn any_of<T: Into<Is>>(choices: impl IntoIterator<Item = T>) -> Is {
    Is(Kind::AnyOf(choices.into_iter().map(Into::into).collect()))
}

/// Anything else.
#[must_use]
pub fn not(inner: impl Into<Is>) -> Is {
    Is(Kind::Not(Box::new(inner.into())))
}

/// Text that is a JSON document, with that content.
#[must_use]
pub fn json_text(inner: impl Into<Is>) -> Is {
    Is(Kind::JsonText(Box::new(inner.into())))
}

/// A known value for which the closure returns true. `what` completes "expected …" in reports.
pub fn that(what: impl Into<String>, test: impl Fn(&Json) -> bool + Send + Sync + 'static) -> Is {
    Is(Kind::That(what.into(), Arc::new(test)))
}

/// Text for which the closure returns true.
pub fn text_that(what: impl Into<String>, test: impl Fn(&str) -> bool + Send + Sync + 'static) -> Is {
    that(what, move |value| value.as_str().is_some_and(&test))
}

fn named<N: Into<String>, T: Into<Is>>(members: impl IntoIterator<Item = (N, T)>) -> Vec<(String, Is)> {
    members.into_iter().map(|(name, member)| (name.into(), member.into())).collect()
}

impl Is {
    /// What is wrong with a value, one line for each part that is; nothing if it is as expected.
    pub(crate) fn mismatches(&self, path: &str, tree: Tree<'_>, values: &Values) -> Vec<String> {
        match &self.0 {
            Kind::List(expected) => {
                let elements = tree.elements();
                if tree.json().is_array() && elements.len() == expected.len() {
                    let pairs = expected.iter().zip(elements).enumerate();
                    return pairs
                        .flat_map(|(at, (is, tree))| is.mismatches(&format!("{path}[{at}]"), tree, values))
                        .collect();
                }
            }
            Kind::ListWith(expected) => {
                let elements = tree.elements();
                let found = expected.iter().flat_map(|(at, is)| match elements.get(*at) {
                    Some(element) => is.mismatches(&format!("{path}[{at}]"), *element, values),
                    None => vec![format!("{path}[{at}] is not there, expected {is}")],
                });
                return found.collect();
            }
            Kind::Object(expected) if tree.json().is_object() || tree.has_unknown() => {
                let extra = tree.names().into_iter().filter(|name| expected.iter().all(|(it, _)| it != name));
                let extra =
                    extra.map(|name| format!("{path} has the member {name:?}, which is not expected"));
                return extra.chain(members(path, tree, expected, values)).collect();
            }
            Kind::ObjectWith(expected) if tree.json().is_object() || tree.has_unknown() => {
                return members(path, tree, expected, values);
            }
            Kind::Sensitive(inner) if tree.is_sensitive() => return inner.mismatches(path, tree, values),
            _ => {}
        }
        if self.matches(tree, values) {
            return Vec::new();
        }
        let expected = match (tree.has_sensitive(), &self.0) {
            (true, Kind::Same(_)) => "another value".to_owned(),
            _ => self.to_string(),
        };
        vec![format!("{path} is {tree}, expected {expected}")]
    }

    fn matches(&self, tree: Tree<'_>, values: &Values) -> bool {
        let json = tree.json();
        match &self.0 {
            Kind::Same(expected) => !tree.has_unknown() && same_json(json, expected),
            Kind::Captured(name) => {
                !tree.has_unknown() && values.get(name).is_some_and(|expected| same_json(json, expected))
            }
            Kind::Null => tree.is_null(),
            Kind::NotNull => !tree.is_null(),
            Kind::Unknown => tree.is_unknown(),
            Kind::Known => !tree.has_unknown(),
            Kind::Sensitive(inner) => tree.is_sensitive() && inner.matches(tree, values),
            Kind::NotSensitive => !tree.has_sensitive(),
            Kind::Set(expected) => {
                json.is_array()
                    && tree.elements().len() == expected.len()
                    && assign(expected, &tree.elements(), values)
            }
            Kind::Containing(expected) => assign(expected, &tree.elements(), values),
            Kind::Each(element) => {
                let members = tree.names().into_iter().map(|name| tree.member(name));
                (json.is_array() || json.is_object())
                    && tree.elements().into_iter().chain(members).all(|part| element.matches(part, values))
            }
            Kind::Size(size) => match json {
                Json::Array(elements) => elements.len() == *size,
                Json::Object(_) => tree.names().len() == *size,
                Json::String(text) => text.chars().count() == *size,
                _ => false,
            },
            Kind::AnyOf(choices) => choices.iter().any(|choice| choice.matches(tree, values)),
            Kind::Not(inner) => !inner.matches(tree, values),
            Kind::JsonText(inner) => json
                .as_str()
                .and_then(|text| serde_json::from_str::<Json>(text).ok())
                .is_some_and(|document| inner.matches(Tree::plain(&document), values)),
            Kind::That(_, test) => !tree.has_unknown() && test(json),
            Kind::List(_) | Kind::ListWith(_) | Kind::Object(_) | Kind::ObjectWith(_) => {
                let shape = matches!(&self.0, Kind::List(_) | Kind::ListWith(_));
                (if shape { json.is_array() } else { json.is_object() || tree.has_unknown() })
                    && self.mismatches("", tree, values).is_empty()
            }
        }
    }
}

fn members(path: &str, tree: Tree<'_>, expected: &[(String, Is)], values: &Values) -> Vec<String> {
    let place = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let names = tree.names();
    let found = expected.iter().flat_map(|(name, is)| {
        if names.contains(name.as_str()) {
            return is.mismatches(&place(name), tree.member(name), values);
        }
        match is.0 {
            Kind::Null => Vec::new(),
            _ => vec![format!("{} is not there, expected {is}", place(name))],
        }
    });
    found.collect()
}

/// Whether every expectation can have an element of its own that meets it (a matching in a bipartite graph: a free
/// element, or one whose expectation can take another).
fn assign(expected: &[Is], elements: &[Tree<'_>], values: &Values) -> bool {
    fn place(at: usize, fits: &[Vec<bool>], seen: &mut [bool], taken: &mut [Option<usize>]) -> bool {
        for (element, fit) in fits[at].iter().enumerate() {
            if *fit && !seen[element] {
                seen[element] = true;
                if taken[element].is_none_or(|other| place(other, fits, seen, taken)) {
                    taken[element] = Some(at);
                    return true;
                }
            }
        }
        false
    }

    let fit = |is: &Is| elements.iter().map(|element| is.matches(*element, values)).collect();
    let fits: Vec<Vec<bool>> = expected.iter().map(fit).collect();
    let mut taken = vec![None; elements.len()];
    (0..expected.len()).all(|at| place(at, &fits, &mut vec![false; elements.len()], &mut taken))
}

/// Completes "expected …".
impl fmt::Display for Is {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = |all: &[Is]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let pairs = |all: &[(String, Is)]| {
            all.iter().map(|(name, is)| format!("{name}: {is}")).collect::<Vec<_>>().join(", ")
        };
        match &self.0 {
            Kind::Same(json) => write!(f, "{json}"),
            Kind::Captured(name) => write!(f, "the captured {name}"),
            Kind::Null => f.write_str("null"),
            Kind::NotNull => f.write_str("a value that is not null"),
            Kind::Unknown => f.write_str("an unknown value"),
            Kind::Known => f.write_str("a known value"),
            Kind::Sensitive(inner) => write!(f, "a sensitive value that is {inner}"),
            Kind::NotSensitive => f.write_str("a value that is not sensitive"),
            Kind::List(all) => write!(f, "[{}]", items(all)),
            Kind::ListWith(all) => {
                let all: Vec<String> = all.iter().map(|(at, is)| format!("[{at}]: {is}")).collect();
                write!(f, "a list with {}", all.join(", "))
            }
            Kind::Set(all) => write!(f, "the elements {} in any order", items(all)),
            Kind::Containing(all) => write!(f, "the elements {} among others", items(all)),
            Kind::Each(element) => write!(f, "elements that are each {element}"),
            Kind::Size(size) => write!(f, "{size} elements"),
            Kind::Object(all) => write!(f, "{{{}}}", pairs(all)),
            Kind::ObjectWith(all) => write!(f, "an object with {{{}}}", pairs(all)),
            Kind::AnyOf(all) => write!(f, "one of {}", items(all)),
            Kind::Not(inner) => write!(f, "something else than {inner}"),
            Kind::JsonText(inner) => write!(f, "a JSON text of {inner}"),
            Kind::That(what, _) => f.write_str(what),
        }
    }
}

impl fmt::Debug for Is {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Is({self})")
    }
}

macro_rules! same {
    ($($plain:ty),*) => { $(
        impl From<$plain> for Is {
            fn from(plain: $plain) -> Self {
                Self(Kind::Same(plain.into()))
            }
        }
    )* };
}

same!(&str, String, bool, i32, i64, u32, u64, f64);

impl From<Json> for Is {
    fn from(json: Json) -> Self {
        if json.is_null() { null() } else { Self(Kind::Same(json)) }
    }
}

impl From<Captured> for Is {
    fn from(name: Captured) -> Self {
        Self(Kind::Captured(name))
    }
}

impl From<&Captured> for Is {
    fn from(name: &Captured) -> Self {
        name.clone().into()
    }
}

/// The same value; elements of sets in any order.
impl From<Value> for Is {
    fn from(value: Value) -> Self {
        match value.peel() {
            Value::Null => null(),
            Value::Unknown(_) => unknown(),
            Value::Bool(plain) => (*plain).into(),
            Value::String(plain) => (&**plain).into(),
            // Every number of the language is one of JSON.
            Value::Number(number) => serde_json::from_str(&number.to_string()).map_or_else(
                |_| that(format!("the number {number}"), |_| false),
                |json: Json| Self(Kind::Same(json)),
            ),
            Value::Set(elements) => set(elements.iter().cloned()),
            Value::Map(entries) | Value::Object(entries) => {
                object(entries.iter().map(|(name, value)| (name.to_string(), value.clone())))
            }
            other => list(other.elements().unwrap_or_default().iter().cloned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Compares what is wrong with a value.
    fn check(is: impl Into<Is>, value: &Json, expect: &[&str]) {
        assert_eq!(is.into().mismatches("it", Tree::plain(value), &Values::default()), expect);
    }

    #[test]
    fn plain_values_are_the_same() {
        check("web", &json!("web"), &[]);
        check("web", &json!("db"), &["it is \"db\", expected \"web\""]);
        check(1, &json!(1.0), &[]);
        check(
            9_007_199_254_740_993_i64,
            &json!(9_007_199_254_740_992_i64),
            &["it is 9007199254740992, expected 9007199254740993"],
        );
        check(Json::Null, &json!(0), &["it is 0, expected null"]);
        check(Value::set([Value::from("a"), Value::from("b")]), &json!(["b", "a"]), &[]);
        check(
            Value::list([Value::from("a"), Value::from("b")]),
            &json!(["b", "a"]),
            &["it[0] is \"b\", expected \"a\"", "it[1] is \"a\", expected \"b\""],
        );
    }

    #[test]
    fn collections_whole_and_in_part() {
        let value = json!({"a": [1, 2, 3], "b": {"c": null}});
        check(object_with([("a", list_with([(2, 3)]))]), &value, &[]);
        check(object_with([("a", containing([3, 1]))]), &value, &[]);
        check(
            object_with([("a", containing([1, 1]))]),
            &value,
            &["it.a is [1,2,3], expected the elements 1, 1 among others"],
        );
        check(object([("a", list([1, 2, 3]))]), &value, &["it has the member \"b\", which is not expected"]);
        check(
            object_with([("x", not_null())]),
            &value,
            &["it.x is not there, expected a value that is not null"],
        );
        check(object_with([("a", of_size(2))]), &value, &["it.a is [1,2,3], expected 2 elements"]);
        check(object_with([("a", each(not("x")))]), &value, &[]);
        check(json_text(object([("k", 1)])), &json!("{\"k\": 1}"), &[]);
    }

    /// A set that can be matched, but not by giving each element to the first expectation that it meets.
    #[test]
    fn overlapping_expectations_are_matched() {
        let number = || that("a number", Json::is_number);
        check(set([number(), 1.into()]), &json!([1, 2]), &[]);
        check(set([any_of([1, 2]), any_of([1, 3]), any_of([2, 3]), 1.into()]), &json!([1, 2, 3, 3]), &[]);
        check(
            set([Is::from(1), 1.into()]),
            &json!([1, 2]),
            &["it is [1,2], expected the elements 1, 1 in any order"],
        );
    }
}
