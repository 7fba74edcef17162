//! What a provider may answer after it has planned.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock};
use ferroform::value::Value;

use super::body::{elements, entries, entry, member, to_key, to_member};
use super::conforms::type_conforms;
use super::problem::{Problem, summary};
use crate::client::text;

/// Checks that a result keeps the promises of a plan: everything that was known is the same, and everything that
/// was unknown lies within what was known about it.
///
/// Core checks so the result of `ApplyResourceChange`, and with other summaries (see [`Problem::under`]) the second
/// plan that it asks for during apply. Every problem has the summary [`summary::INCONSISTENT_RESULT`].
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::plan_rules::assert_object_compatible;
///
/// let block = Block::new([Attribute::computed("id", Type::String)]);
/// let object = |id: Value| Value::object([("id", id)]);
/// assert!(assert_object_compatible(&block, &object(Value::unknown()), &object("i-1".into())).is_empty());
/// assert_eq!(assert_object_compatible(&block, &object("i-2".into()), &object("i-1".into())).len(), 1);
/// ```
#[must_use]
pub fn assert_object_compatible(block: &Block, planned: &Value, actual: &Value) -> Vec<Problem> {
    let mut check = Check::default();
    check.object(block, planned, actual, &Path::root());
    check.problems
}

#[derive(Default)]
struct Check {
    problems: Vec<Problem>,
}

impl Check {
    fn report(&mut self, path: &Path, detail: impl Into<String>) {
        self.problems.push(Problem::new(summary::INCONSISTENT_RESULT, path, detail));
    }

    fn object(&mut self, schema: &Block, planned: &Value, actual: &Value, path: &Path) {
        match (planned.is_null(), actual.is_null()) {
            (true, true) => return,
            (false, true) => return self.report(path, "was planned to be present, but is now absent"),
            (true, false) => return self.report(path, "was planned to be absent, but is now present"),
            (false, false) => {}
        }
        for schema in &schema.attributes {
            let (planned, actual) = (member(planned, &schema.name), member(actual, &schema.name));
            self.attribute(schema, planned, actual, &to_member(path, &schema.name));
        }
        for schema in &schema.blocks {
            let (planned, actual) = (member(planned, &schema.name), member(actual, &schema.name));
            self.nested_block(schema, planned, actual, &to_member(path, &schema.name));
        }
    }

    fn attribute(&mut self, schema: &Attribute, planned: &Value, actual: &Value, path: &Path) {
        let problems = differences(planned, actual, path);
        if problems.is_empty() {
            return;
        }
        if schema.sensitive || schema.write_only {
            self.report(path, "inconsistent values for a sensitive attribute");
            return;
        }
        // A sensitive attribute may be anywhere within, so only the place is told.
        let hide = matches!(schema.ty, AttributeType::Nested(_)) && text::has_secrets(schema);
        self.problems.extend(problems.into_iter().map(|problem| {
            if hide { Problem { detail: "inconsistent values".to_owned(), ..problem } } else { problem }
        }));
    }

    fn nested_block(&mut self, schema: &NestedBlock, planned: &Value, actual: &Value, path: &Path) {
        let block = &schema.block;
        if block.computed {
            if actual.is_null() && schema.nesting != BlockNesting::Single {
                return self.report(path, "is null; a collection of no blocks has to be empty, not null");
            }
            if planned.is_unknown() {
                return self.value(planned, actual, path);
            }
        }
        match schema.nesting {
            BlockNesting::Single | BlockNesting::Group => {
                if !(planned.is_unknown() && actual.is_null()) {
                    self.object(block, planned, actual, path);
                }
            }
            _ if [planned, actual].iter().any(|value| value.is_null() || value.is_unknown()) => {}
            BlockNesting::List => self.block_list(block, elements(planned), elements(actual), path),
            BlockNesting::Map => self.block_map(block, planned, actual, path),
            BlockNesting::Set => {
                let matches = |planned: &Value, actual: &Value| {
                    assert_object_compatible(block, planned, actual).is_empty()
                };
                self.set(elements(planned), elements(actual), path, &matches);
            }
        }
    }

    fn block_list(&mut self, schema: &Block, planned: &[Value], actual: &[Value], path: &Path) {
        if planned.len() != actual.len() {
            let (planned, actual) = (planned.len(), actual.len());
            return self.report(path, format!("{planned} blocks were planned, but there are now {actual}"));
        }
        for (at, (planned, actual)) in planned.iter().zip(actual).enumerate() {
            self.object(schema, planned, actual, &path.clone().step(Step::Index(at)));
        }
    }

    /// Blocks of one type are compared as a map: by number, then by common key. Blocks that differ in type are an
    /// object, whose keys have to be the same.
    fn block_map(&mut self, schema: &Block, planned: &Value, actual: &Value, path: &Path) {
        let (planned_blocks, actual_blocks) = (entries(planned), entries(actual));
        let is_map = matches!(planned.peel(), Value::Map(_));
        if is_map && planned_blocks.len() != actual_blocks.len() {
            let (planned, actual) = (planned_blocks.len(), actual_blocks.len());
            return self.report(path, format!("{planned} blocks were planned, but there are now {actual}"));
        }
        for (key, planned) in planned_blocks {
            match entry(actual, key) {
                Some(actual) => self.object(schema, planned, actual, &to_key(path, key)),
                None if is_map => {}
                None => self.report(&to_key(path, key), "the block was planned, but is now absent"),
            }
        }
        for (key, _) in actual_blocks {
            if !is_map && entry(planned, key).is_none() {
                self.report(&to_key(path, key), "the block was not planned, but is now present");
            }
        }
    }
    /// Values without a schema of their own.
    fn value(&mut self, planned: &Value, actual: &Value, path: &Path) {
        if let (Value::Dynamic(planned), Value::Dynamic(actual)) = (planned, actual)
            && !type_conforms(&actual.ty, &planned.ty)
        {
            let (planned, actual) = (&planned.ty, &actual.ty);
            return self.report(path, format!("wrong final value type: {planned} was planned, not {actual}"));
        }
        match (planned.peel(), actual.peel()) {
            (Value::Unknown(unknown), actual) => {
                if !unknown.admits(actual) {
                    self.report(path, "the value is not within the range that the plan gave for it");
                }
            }
            (Value::Null, Value::Null) => {}
            (planned, Value::Null) => {
                self.report(path, format!("was {}, but now null", text::plain(planned)));
            }
            (Value::Null, actual) => {
                self.report(path, format!("was null, but now {}", text::plain(actual)));
            }
            (planned, Value::Unknown(_)) => {
                self.report(path, format!("was {}, but now unknown", text::plain(planned)));
            }
            (Value::List(planned), Value::List(actual)) | (Value::Tuple(planned), Value::Tuple(actual)) => {
                self.sequence(planned, actual, path);
            }
            (Value::Set(planned), Value::Set(actual)) => {
                let matches =
                    |planned: &Value, actual: &Value| differences(planned, actual, &Path::root()).is_empty();
                self.set(planned.as_slice(), actual.as_slice(), path, &matches);
            }
            (Value::Map(_), Value::Map(_)) | (Value::Object(_), Value::Object(_)) => {
                self.keyed(planned, actual, path);
            }
            (planned, actual) if planned == actual => {}
            (planned, actual) => {
                let detail = if planned.kind() == actual.kind() {
                    format!("was {}, but now {}", text::plain(planned), text::plain(actual))
                } else {
                    format!("wrong final value type: {} was planned, not {}", planned.kind(), actual.kind())
                };
                self.report(path, detail);
            }
        }
    }

    fn sequence(&mut self, planned: &[Value], actual: &[Value], path: &Path) {
        for at in 0..planned.len().max(actual.len()) {
            self.element(planned.get(at), actual.get(at), &path.clone().step(Step::Index(at)));
        }
    }

    fn keyed(&mut self, planned: &Value, actual: &Value, path: &Path) {
        let to = |key: &str| match planned.peel() {
            Value::Object(_) => to_member(path, key),
            _ => to_key(path, key),
        };
        for (key, planned) in entries(planned) {
            self.element(Some(planned), entry(actual, key), &to(key));
        }
        for (key, actual) in entries(actual) {
            if entry(planned, key).is_none() {
                self.element(None, Some(actual), &to(key));
            }
        }
    }

    fn element(&mut self, planned: Option<&Value>, actual: Option<&Value>, path: &Path) {
        match (planned, actual) {
            (Some(planned), Some(actual)) => self.value(planned, actual, path),
            (Some(_), None) => self.report(path, "the element was planned, but is now absent"),
            (None, _) => self.report(path, "the element was not planned, but is now present"),
        }
    }

    /// Every planned element needs an actual one that it may have become, and the reverse. An element may do for
    /// several, because unknown elements may turn out to be equal.
    fn set(
        &mut self,
        planned: &[Value],
        actual: &[Value],
        path: &Path,
        matches: &dyn Fn(&Value, &Value) -> bool,
    ) {
        let mut absent = false;
        for planned in planned {
            if !actual.iter().any(|actual| matches(planned, actual)) {
                self.report(path, "a planned set element is absent now");
                absent = true;
            }
        }
        // Where one has become another, the new one is not worth a message of its own.
        if !absent {
            for actual in actual {
                if !planned.iter().any(|planned| matches(planned, actual)) {
                    self.report(path, "a set element is present now that was not planned");
                }
            }
        }
        if actual.len() > planned.len() {
            let (planned, actual) = (planned.len(), actual.len());
            self.report(path, format!("{planned} set elements were planned, but there are now {actual}"));
        }
    }
}

/// The problems of a value without a schema of its own.
fn differences(planned: &Value, actual: &Value, path: &Path) -> Vec<Problem> {
    let mut check = Check::default();
    check.value(planned, actual, path);
    check.problems
}
