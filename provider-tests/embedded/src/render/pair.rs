//! A value before and after a change, with what is known about it beside, in the form of `show -json`.

use serde_json::Value as Json;
use serde_json::value::Index;

static NULL: Json = Json::Null;

/// A value before and after. A value that is absent is null, and a mark that is absent is false.
#[derive(Clone)]
pub(super) struct Pair<'a> {
    pub(super) before: &'a Json,
    pub(super) after: &'a Json,
    unknown: &'a Json,
    before_sensitive: &'a Json,
    after_sensitive: &'a Json,
    /// Whether a null before, and one after, is a value and no absence, as in a list.
    explicit: (bool, bool),
    /// The paths that force a replacement, from here on.
    replace: Vec<&'a [Json]>,
}

impl<'a> Pair<'a> {
    /// The values of the `change` member of a resource change.
    pub(super) fn of_change(change: &'a Json) -> Self {
        let member = |name: &str| change.get(name).unwrap_or(&NULL);
        let paths = member("replace_paths").as_array().map(Vec::as_slice).unwrap_or_default();
        Self {
            before: member("before"),
            after: member("after"),
            unknown: member("after_unknown"),
            before_sensitive: member("before_sensitive"),
            after_sensitive: member("after_sensitive"),
            explicit: (false, false),
            replace: paths.iter().filter_map(|path| path.as_array().map(Vec::as_slice)).collect(),
        }
    }

    /// A value that does not change.
    pub(super) fn unchanged(value: &'a Json, sensitive: &'a Json) -> Self {
        Self {
            before: value,
            after: value,
            unknown: &NULL,
            before_sensitive: sensitive,
            after_sensitive: sensitive,
            explicit: (false, false),
            replace: Vec::new(),
        }
    }

    /// Two texts that were decoded.
    pub(super) fn plain(before: &'a Json, after: &'a Json) -> Self {
        Self { after, ..Self::unchanged(before, &NULL) }
    }

    /// An element of a map, or a member of an object that has no schema.
    pub(super) fn member(&self, name: &str) -> Self {
        let has = |json: &Json| json.get(name).is_some();
        let explicit = (has(self.before), has(self.after) || has(self.unknown));
        Self { explicit, ..self.attribute(name) }
    }

    /// An attribute, or the blocks of a type, which a schema has whether they are set or not.
    pub(super) fn attribute(&self, name: &str) -> Self {
        self.part([Some(name), Some(name)], (false, false), |step| step.as_str() == Some(name))
    }

    /// An element of a sequence, which may have been at another place before.
    pub(super) fn element(&self, before: Option<usize>, after: Option<usize>) -> Self {
        let is_step = |step: &Json| step.as_u64().and_then(|at| usize::try_from(at).ok()) == after;
        self.part([before, after], (before.is_some(), after.is_some()), is_step)
    }

    /// The values at one place before, and at another one after.
    fn part<I: Index + Copy>(
        &self,
        [before, after]: [Option<I>; 2],
        explicit: (bool, bool),
        is_step: impl Fn(&Json) -> bool,
    ) -> Self {
        fn of<I: Index>(json: &Json, at: Option<I>) -> &Json {
            at.and_then(|at| json.get(at)).unwrap_or(&NULL)
        }
        Self {
            before: of(self.before, before),
            after: of(self.after, after),
            unknown: of(self.unknown, after),
            before_sensitive: of(self.before_sensitive, before),
            after_sensitive: of(self.after_sensitive, after),
            explicit,
            replace: self.below(is_step),
        }
    }

    fn below(&self, is_step: impl Fn(&Json) -> bool) -> Vec<&'a [Json]> {
        let rest = |path: &&'a [Json]| path.split_first().filter(|(first, _)| is_step(first)).map(|it| it.1);
        self.replace.iter().filter_map(rest).collect()
    }

    /// The names on both sides, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let of = |json: &Json| json.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
        let sides = [self.before, self.after, self.unknown];
        let mut names: Vec<String> = sides.into_iter().filter_map(of).flatten().collect();
        names.sort();
        names.dedup();
        names
    }

    /// The number of elements before and after.
    pub(super) fn lengths(&self) -> (usize, usize) {
        let of = |json: &Json| json.as_array().map_or(0, Vec::len);
        (of(self.before), of(self.after).max(of(self.unknown)))
    }

    /// Whether nothing is known of the value after.
    pub(super) fn is_unknown(&self) -> bool {
        *self.unknown == Json::Bool(true)
    }

    /// Whether there is a value before and after.
    pub(super) fn is_there(&self) -> (bool, bool) {
        (self.explicit.0 || !self.before.is_null(), self.explicit.1 || !self.after.is_null())
    }

    /// Whether there is nothing before and after.
    pub(super) fn is_absent(&self) -> bool {
        self.before.is_null() && self.after.is_null() && has_no_true(self.unknown)
    }

    /// Whether the change as a whole forces a replacement.
    pub(super) fn forces(&self) -> bool {
        self.replace.iter().any(|path| path.is_empty())
    }

    /// Whether it is sensitive before and after.
    pub(super) fn sensitive(&self) -> (bool, bool) {
        (*self.before_sensitive == Json::Bool(true), *self.after_sensitive == Json::Bool(true))
    }

    /// The same values, as if they were not sensitive.
    pub(super) fn bare(&self) -> Self {
        Self { before_sensitive: &NULL, after_sensitive: &NULL, ..self.clone() }
    }

    /// The value before, as if it were taken away.
    pub(super) fn removed(&self) -> Self {
        let explicit = (self.explicit.0, false);
        Self { after: &NULL, unknown: &NULL, after_sensitive: &NULL, explicit, ..self.clone() }
    }

    /// The value before, as if it stayed.
    pub(super) fn kept(&self) -> Self {
        Self {
            after: self.before,
            unknown: &NULL,
            after_sensitive: self.before_sensitive,
            explicit: (self.explicit.0, self.explicit.0),
            replace: Vec::new(),
            ..self.clone()
        }
    }

    /// The value after, as if nothing had been there.
    pub(super) fn added(&self) -> Self {
        Self { before: &NULL, before_sensitive: &NULL, explicit: (false, self.explicit.1), ..self.clone() }
    }

    /// Whether an element before is the one after, of which all is known.
    pub(super) fn same_element(&self, before: usize, after: usize) -> bool {
        let pair = self.element(Some(before), Some(after));
        pair.before == pair.after && has_no_true(pair.unknown)
    }
}

fn has_no_true(json: &Json) -> bool {
    match json {
        Json::Bool(value) => !value,
        Json::Array(elements) => elements.iter().all(has_no_true),
        Json::Object(members) => members.values().all(has_no_true),
        Json::Null | Json::Number(_) | Json::String(_) => true,
    }
}
