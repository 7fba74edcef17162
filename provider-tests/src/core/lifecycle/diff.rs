//! Which attributes change, as text for people.

use std::collections::BTreeSet;
use std::fmt;

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};
use ferroform::value::Value;

use crate::client::text;
use crate::core::body::{Body, NULL, element, elements, entries, entry, member, to_key, to_member};

/// One attribute that changes. The values are texts, in which sensitive and write-only values are hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// The value before the change; `None` if there is none.
    pub before: Option<String>,
    /// The value after the change; `None` if there is none.
    pub after: Option<String>,
    /// Whether the value after the change, or part of it, is known only when it is made.
    pub known_after_apply: bool,
    /// Whether this is why the object is replaced.
    pub forces_replacement: bool,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.before, &self.after) {
            (None, Some(after)) => write!(f, "+ {}: {after}", self.path)?,
            (Some(before), None) => write!(f, "- {}: {before}", self.path)?,
            (Some(before), Some(after)) => write!(f, "~ {}: {before} -> {after}", self.path)?,
            (None, None) => write!(f, "  {}", self.path)?,
        }
        f.write_str(if self.forces_replacement { " # forces replacement" } else { "" })
    }
}

/// The attributes in which two values of a block differ.
pub(super) fn differences(block: &Block, before: &Value, after: &Value, replace: &[Path]) -> Vec<Difference> {
    let mut diff = Diff { replace, found: Vec::new() };
    diff.body(Body::Block(block), before, after, &Path::root());
    diff.found
}

struct Diff<'a> {
    replace: &'a [Path],
    found: Vec<Difference>,
}

/// How the objects of a nested attribute or block are kept.
#[derive(Clone, Copy)]
enum Kept {
    One,
    List,
    Map,
    Set,
}

impl Diff<'_> {
    fn body(&mut self, schema: Body<'_>, before: &Value, after: &Value, path: &Path) {
        for schema in schema.attributes() {
            let (before, after) = (member(before, &schema.name), member(after, &schema.name));
            self.attribute(schema, before, after, &to_member(path, &schema.name));
        }
        for schema in schema.blocks() {
            let (before, after) = (member(before, &schema.name), member(after, &schema.name));
            self.nested_block(schema, before, after, &to_member(path, &schema.name));
        }
    }

    fn attribute(&mut self, schema: &Attribute, before: &Value, after: &Value, path: &Path) {
        let shown = |value: &Value| text::attribute(schema, value);
        let whole = schema.sensitive || schema.write_only || self.replace.contains(path);
        match &schema.ty {
            AttributeType::Nested(object) if !whole => {
                let kept = match object.nesting {
                    Nesting::Single => Kept::One,
                    Nesting::List => Kept::List,
                    Nesting::Map => Kept::Map,
                    Nesting::Set => Kept::Set,
                };
                let body = Body::Object(&object.attributes);
                self.objects((body, kept), before, after, &At { path, shown: &shown });
            }
            _ => self.leaf(before, after, &At { path, shown: &shown }),
        }
    }

    fn nested_block(&mut self, schema: &NestedBlock, before: &Value, after: &Value, path: &Path) {
        let kept = match schema.nesting {
            BlockNesting::Single | BlockNesting::Group => Kept::One,
            BlockNesting::List => Kept::List,
            BlockNesting::Map => Kept::Map,
            BlockNesting::Set => Kept::Set,
        };
        let shown = |value: &Value| text::nested_block(schema, value);
        self.objects((Body::Block(&schema.block), kept), before, after, &At { path, shown: &shown });
    }

    /// Descends where both sides have objects that can be matched; otherwise shows the whole.
    fn objects(&mut self, (body, kept): (Body<'_>, Kept), before: &Value, after: &Value, at: &At<'_>) {
        let whole = before.is_null() || after.is_null() || before.is_unknown() || after.is_unknown();
        match kept {
            _ if before == after => {}
            _ if whole => self.leaf(before, after, at),
            Kept::Set => self.leaf(before, after, at),
            Kept::One => self.body(body, before, after, at.path),
            Kept::List => {
                for index in 0..elements(before).len().max(elements(after).len()) {
                    let [before, after] = [before, after].map(|list| element(list, index).unwrap_or(&NULL));
                    self.body(body, before, after, &at.path.clone().step(Step::Index(index)));
                }
            }
            Kept::Map => {
                let keys: BTreeSet<_> =
                    entries(before).into_iter().chain(entries(after)).map(|(key, _)| key).collect();
                for key in keys {
                    let [before, after] = [before, after].map(|map| entry(map, key).unwrap_or(&NULL));
                    self.body(body, before, after, &to_key(at.path, key));
                }
            }
        }
    }

    fn leaf(&mut self, before: &Value, after: &Value, at: &At<'_>) {
        let forces_replacement = self.replace.iter().any(|path| path.starts_with(at.path));
        // An unknown is always news; a write-only attribute may force a replacement without any values.
        if before == after && after.is_wholly_known() && !forces_replacement {
            return;
        }
        let shown = |value: &Value| (!value.is_null()).then(|| (at.shown)(value));
        self.found.push(Difference {
            path: at.path.clone(),
            before: shown(before),
            after: shown(after),
            known_after_apply: !after.is_wholly_known(),
            forces_replacement,
        });
    }
}

struct At<'a> {
    path: &'a Path,
    shown: &'a dyn Fn(&Value) -> String,
}
