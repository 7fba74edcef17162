//! A value of a plan or state in JSON, with what is known about it beside it.

use std::collections::BTreeSet;

use ferroform::path::{Path, Step};
use serde_json::{Value as Json, json};

/// A value with its unknown and sensitive parts, which core's JSON keeps in trees of their own.
///
/// A part that is missing counts as null, as it does in core.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    value: &'a Json,
    unknown: &'a Json,
    sensitive: &'a Json,
}

const NULL: &Json = &Json::Null;

impl<'a> Tree<'a> {
    /// A value that is known and no secret.
    #[must_use]
    pub fn plain(value: &'a Json) -> Self {
        Self { value, unknown: NULL, sensitive: NULL }
    }

    /// A value with the trees of `after_unknown` and `after_sensitive`, which have `true` where it is so.
    pub(super) fn new(value: &'a Json, unknown: &'a Json, sensitive: &'a Json) -> Self {
        Self { value, unknown, sensitive }
    }

    /// The JSON; null where the value is unknown, or where its unknown parts are. It may hold secrets.
    #[must_use]
    pub fn json(&self) -> &'a Json {
        self.value
    }

    /// Whether the value is null, and not unknown.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value.is_null() && !self.has_unknown()
    }

    /// Whether the whole value is unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self.unknown == Json::Bool(true)
    }

    /// Whether the value is unknown or has unknown parts.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        marked(self.unknown)
    }

    /// Whether the whole value is sensitive.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        *self.sensitive == Json::Bool(true)
    }

    /// Whether the value is sensitive or has sensitive parts.
    #[must_use]
    pub fn has_sensitive(&self) -> bool {
        marked(self.sensitive)
    }

    /// The part at a path. There are several where the path goes through an element of a set, and none where there is
    /// no such list element.
    #[must_use]
    pub fn at(&self, path: &Path) -> Vec<Tree<'a>> {
        let mut found = vec![*self];
        for step in path.steps() {
            found = found.iter().flat_map(|tree| tree.step(step)).collect();
        }
        found
    }

    fn step(&self, step: &Step) -> Vec<Tree<'a>> {
        match step {
            Step::Attribute(name) | Step::Key(name) => vec![self.member(name)],
            Step::Index(index) => self.elements().into_iter().skip(*index).take(1).collect(),
            Step::Element => self.elements(),
            _ => Vec::new(),
        }
    }

    /// The member of an object or map; null if there is none.
    #[must_use]
    pub fn member(&self, name: &str) -> Tree<'a> {
        let part = |tree: &'a Json| match tree {
            Json::Bool(true) => tree,
            _ => tree.get(name).unwrap_or(NULL),
        };
        Tree {
            value: self.value.get(name).unwrap_or(NULL),
            unknown: part(self.unknown),
            sensitive: part(self.sensitive),
        }
    }

    /// The elements of a list, set or tuple.
    #[must_use]
    pub fn elements(&self) -> Vec<Tree<'a>> {
        let values = self.value.as_array().map_or(&[][..], Vec::as_slice);
        // A wholly unknown element is null in the value, so the value has them all.
        let element = |(at, value): (usize, &'a Json)| {
            let part = |tree: &'a Json| match tree {
                Json::Bool(true) => tree,
                Json::Object(members) => members.get(&at.to_string()).unwrap_or(NULL),
                _ => tree.get(at).unwrap_or(NULL),
            };
            Tree { value, unknown: part(self.unknown), sensitive: part(self.sensitive) }
        };
        values.iter().enumerate().map(element).collect()
    }

    /// The names of the members, also of unknown ones.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&'a str> {
        let unknown = self.unknown.as_object().into_iter().flatten().filter(|(_, tree)| marked(tree));
        let known = self.value.as_object().into_iter().flatten();
        known.chain(unknown).map(|(name, _)| name.as_str()).collect()
    }

    /// JSON that can be shown: secrets and unknown values are replaced by words.
    #[must_use]
    pub fn redacted(&self) -> Json {
        if self.is_sensitive() {
            return json!(SENSITIVE);
        }
        if self.is_unknown() {
            return json!(UNKNOWN);
        }
        match self.value {
            Json::Array(_) => self.elements().iter().map(Tree::redacted).collect(),
            Json::Object(_) => {
                let member = |name: &str| (name.to_owned(), self.member(name).redacted());
                Json::Object(self.names().into_iter().map(member).collect())
            }
            plain => plain.clone(),
        }
    }
}

/// What stands for a sensitive value in text.
pub(crate) const SENSITIVE: &str = "(sensitive value)";

/// What stands for an unknown value in text.
pub(crate) const UNKNOWN: &str = "(known after apply)";

/// Shows neither secrets nor what is unknown.
impl std::fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_sensitive() {
            return f.write_str(SENSITIVE);
        }
        if self.is_unknown() {
            return f.write_str(UNKNOWN);
        }
        write!(f, "{}", self.redacted())
    }
}

/// Shows neither secrets nor what is unknown.
impl std::fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tree({self})")
    }
}

/// Whether `true` stands anywhere in a tree of marks.
fn marked(tree: &Json) -> bool {
    match tree {
        Json::Bool(mark) => *mark,
        Json::Array(elements) => elements.iter().any(marked),
        Json::Object(members) => members.values().any(marked),
        _ => false,
    }
}

/// A difference between two values. What is sensitive on either side is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: String,
    /// The value before, for people.
    pub before: String,
    /// The value after, for people.
    pub after: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} => {}", self.path, self.before, self.after)
    }
}

/// The smallest parts in which two values differ.
#[must_use]
pub fn differences(before: Tree<'_>, after: Tree<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", before, after, &mut found);
    found
}

fn compare(path: &str, before: Tree<'_>, after: Tree<'_>, found: &mut Vec<Difference>) {
    if same_json(before.value, after.value) && !before.has_unknown() && !after.has_unknown() {
        if before.is_sensitive() != after.is_sensitive() {
            let word = |tree: Tree<'_>| if tree.is_sensitive() { "sensitive" } else { "not sensitive" };
            found.push(difference(path, word(before), word(after)));
        }
        return;
    }
    let hidden = before.is_sensitive() || after.is_sensitive();
    // What is created or gone is told member by member, too.
    let whole = path.is_empty() && (before.value.is_object() || after.value.is_object());
    let members = before.value.is_object() && after.value.is_object();
    match (before.value, after.value) {
        _ if (whole || members) && !hidden && !after.is_unknown() => {
            for name in before.names().union(&after.names()) {
                let place = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
                compare(&place, before.member(name), after.member(name), found);
            }
        }
        (Json::Array(old), Json::Array(new)) if !hidden && !after.is_unknown() && old.len() == new.len() => {
            let pairs = before.elements().into_iter().zip(after.elements());
            for (at, (old, new)) in pairs.enumerate() {
                compare(&format!("{path}[{at}]"), old, new, found);
            }
        }
        _ if hidden => {
            // A secret that was not marked as one yet is one all the same.
            let word = |tree: Tree<'_>| if tree.is_null() { "null" } else { SENSITIVE };
            let another = if before.is_null() || after.is_null() { "" } else { "another " };
            found.push(difference(path, word(before), &format!("{another}{}", word(after))));
        }
        _ => found.push(difference(path, &before.to_string(), &after.to_string())),
    }
}

fn difference(path: &str, before: &str, after: &str) -> Difference {
    let path = if path.is_empty() { "(the whole value)" } else { path };
    Difference { path: path.to_owned(), before: before.to_owned(), after: after.to_owned() }
}

/// Whether two values are the same, numbers by what they mean: `1` and `1.0` are.
#[must_use]
pub(crate) fn same_json(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => {
            one == other
                || (one.is_f64() || other.is_f64())
                    && matches!((one.as_f64(), other.as_f64()), (Some(one), Some(other)) if one == other)
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_json(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| same_json(one, other)))
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroform::path;

    #[test]
    fn marks_go_down_to_all_parts() {
        let value = json!({"a": {"b": [1, null]}, "s": {"t": "x"}});
        let unknown = json!({"a": {"b": [false, true], "c": true}});
        let sensitive = json!({"s": true});
        let tree = Tree::new(&value, &unknown, &sensitive);
        let at = |path: Path| tree.at(&path)[0];
        assert!(at(path!(a.c)).is_unknown() && at(path!(a.b[1])).is_unknown());
        assert!(!at(path!(a.b[0])).has_unknown() && at(path!(a)).has_unknown());
        assert!(at(path!(s.t)).is_sensitive() && !at(path!(a)).has_sensitive());
        assert_eq!(tree.at(&path!(a.b).element()).len(), 2);
        assert!(tree.at(&path!(a.b[2])).is_empty());
        assert!(at(path!(nothing.here)).is_null());
        assert_eq!(tree.redacted(), json!({"a": {"b": [1, UNKNOWN], "c": UNKNOWN}, "s": SENSITIVE}));
    }

    #[test]
    fn differences_name_the_smallest_parts() {
        let before = json!({"a": {"b": [1, 2]}, "n": 1, "s": "x", "l": [1]});
        let after = json!({"a": {"b": [1, 3]}, "n": 1.0, "s": "y", "l": [1, 2]});
        let (unknown, sensitive) = (json!({"id": true}), json!({"s": true}));
        let found = differences(Tree::plain(&before), Tree::new(&after, &unknown, &sensitive));
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "a.b[1]: 2 => 3",
                "id: null => (known after apply)",
                "l: [1] => [1,2]",
                "s: (sensitive value) => another (sensitive value)",
            ]
        );
        assert!(differences(Tree::plain(&before), Tree::plain(&before)).is_empty());
    }
}
