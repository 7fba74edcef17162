//! What a provider may answer after it has planned.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock};
use ferroform::value::{Set, Value};

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
                return self.problems.extend(differences(planned, actual, path));
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
                for detail in set_differences(elements(planned), elements(actual), &matches) {
                    self.report(path, detail);
                }
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
}

/// The problems of a value without a schema of its own.
fn differences(planned: &Value, actual: &Value, path: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    value(planned, actual, path, &mut problems);
    problems
}

fn value(planned: &Value, actual: &Value, path: &Path, problems: &mut Vec<Problem>) {
    let mut report =
        |path: &Path, detail: String| problems.push(Problem::new(summary::INCONSISTENT_RESULT, path, detail));
    if let (Value::Dynamic(planned), Value::Dynamic(actual)) = (planned, actual)
        && !type_conforms(&actual.ty, &planned.ty)
    {
        let (planned, actual) = (&planned.ty, &actual.ty);
        return report(path, format!("wrong final value type: {planned} was planned, not {actual}"));
    }
    match (planned.peel(), actual.peel()) {
        (Value::Unknown(unknown), actual) => {
            if !unknown.admits(actual) {
                report(path, "the value is not within the range that the plan gave for it".to_owned());
            }
        }
        (Value::Null, Value::Null) => {}
        (planned, Value::Null) => {
            report(path, format!("was {}, but now null", text::plain(planned)));
        }
        (Value::Null, actual) => report(path, format!("was null, but now {}", text::plain(actual))),
        (planned, Value::Unknown(_)) => {
            report(path, format!("was {}, but now unknown", text::plain(planned)));
        }
        (Value::List(planned), Value::List(actual)) | (Value::Tuple(planned), Value::Tuple(actual)) => {
            sequence(planned, actual, path, problems);
        }
        (Value::Set(planned), Value::Set(actual)) => set(planned, actual, path, problems),
        (Value::Map(_), Value::Map(_)) | (Value::Object(_), Value::Object(_)) => {
            keyed(planned, actual, path, problems);
        }
        (planned, actual) if planned == actual => {}
        (planned, actual) => {
            let detail = if planned.kind() == actual.kind() {
                format!("was {}, but now {}", text::plain(planned), text::plain(actual))
            } else {
                format!("wrong final value type: {} was planned, not {}", planned.kind(), actual.kind())
            };
            report(path, detail);
        }
    }
}

fn sequence(planned: &[Value], actual: &[Value], path: &Path, problems: &mut Vec<Problem>) {
    for (at, planned) in planned.iter().enumerate() {
        let path = path.clone().step(Step::Index(at));
        match actual.get(at) {
            Some(actual) => value(planned, actual, &path, problems),
            None => problems.push(Problem::new(
                summary::INCONSISTENT_RESULT,
                &path,
                "the element was planned, but is now absent",
            )),
        }
    }
    for at in planned.len()..actual.len() {
        let path = path.clone().step(Step::Index(at));
        let detail = "the element was not planned, but is now present";
        problems.push(Problem::new(summary::INCONSISTENT_RESULT, &path, detail));
    }
}

fn keyed(planned: &Value, actual: &Value, path: &Path, problems: &mut Vec<Problem>) {
    let to = |key: &str| match planned.peel() {
        Value::Object(_) => to_member(path, key),
        _ => to_key(path, key),
    };
    for (key, planned) in entries(planned) {
        match entry(actual, key) {
            Some(actual) => value(planned, actual, &to(key), problems),
            None => problems.push(Problem::new(
                summary::INCONSISTENT_RESULT,
                &to(key),
                "the element was planned, but is now absent",
            )),
        }
    }
    for (key, _) in entries(actual) {
        if entry(planned, key).is_none() {
            let detail = "the element was not planned, but is now present";
            problems.push(Problem::new(summary::INCONSISTENT_RESULT, &to(key), detail));
        }
    }
}

fn set(planned: &Set, actual: &Set, path: &Path, problems: &mut Vec<Problem>) {
    let matches = |planned: &Value, actual: &Value| differences(planned, actual, &Path::root()).is_empty();
    let details = set_differences(planned.as_slice(), actual.as_slice(), &matches);
    problems
        .extend(details.into_iter().map(|detail| Problem::new(summary::INCONSISTENT_RESULT, path, detail)));
}

/// Every planned element needs an actual one that it may have become, and the reverse. An element may do for
/// several, because unknown elements may turn out to be equal.
fn set_differences(
    planned: &[Value],
    actual: &[Value],
    matches: &dyn Fn(&Value, &Value) -> bool,
) -> Vec<String> {
    let mut details = Vec::new();
    for planned in planned {
        if !actual.iter().any(|actual| matches(planned, actual)) {
            details.push("a planned set element is absent now".to_owned());
        }
    }
    // Where one has become another, the new one is not worth a message of its own.
    if details.is_empty() {
        for actual in actual {
            if !planned.iter().any(|planned| matches(planned, actual)) {
                details.push("a set element is present now that was not planned".to_owned());
            }
        }
    }
    if actual.len() > planned.len() {
        let (planned, actual) = (planned.len(), actual.len());
        details.push(format!("{planned} set elements were planned, but there are now {actual}"));
    }
    details
}
