//! What a provider may plan.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock};
use ferroform::value::Value;

use super::body::{NULL, element, elements, entries, entry, member, to_key, to_member};
use super::nested_valid;
use super::problem::{Problem, summary};
use crate::client::text;

/// Checks a planned state against the prior state and the configuration that was sent along with it.
///
/// A configured value has to be planned as it is, or kept as it was before. Only a computed attribute may have a
/// planned value where there is none in the configuration. The check is core's, made after each
/// `PlanResourceChange`; every problem has the summary [`summary::INVALID_PLAN`].
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::plan_rules::assert_plan_valid;
///
/// let block = Block::new([Attribute::optional("name", Type::String)]);
/// let object = |name: &str| Value::object([("name", Value::from(name))]);
/// assert!(assert_plan_valid(&block, &object("a"), &object("b"), &object("b")).is_empty());
/// assert!(assert_plan_valid(&block, &object("a"), &object("b"), &object("a")).is_empty());
///
/// let problems = assert_plan_valid(&block, &object("a"), &object("b"), &object("c"));
/// assert_eq!(problems[0].path, ferroform::path!(name));
/// ```
#[must_use]
pub fn assert_plan_valid(block: &Block, prior: &Value, config: &Value, planned: &Value) -> Vec<Problem> {
    let mut check = Check::default();
    check.block(block, Triple { prior, config, planned }, &Path::root());
    check.problems
}

/// The values that belong together at one path.
#[derive(Clone, Copy)]
pub(super) struct Triple<'a> {
    pub(super) prior: &'a Value,
    pub(super) config: &'a Value,
    pub(super) planned: &'a Value,
}

impl<'a> Triple<'a> {
    pub(super) fn member(self, name: &str) -> Self {
        Self {
            prior: member(self.prior, name),
            config: member(self.config, name),
            planned: member(self.planned, name),
        }
    }

    /// The elements at an index; null where there is none.
    pub(super) fn element(self, at: usize) -> Self {
        let at = |list: &'a Value| element(list, at).unwrap_or(&NULL);
        Self { prior: at(self.prior), config: at(self.config), planned: at(self.planned) }
    }

    /// The elements of a key; null where there is none.
    pub(super) fn entry(self, key: &str) -> Self {
        let of = |map: &'a Value| entry(map, key).unwrap_or(&NULL);
        Self { prior: of(self.prior), config: of(self.config), planned: of(self.planned) }
    }
}

/// The check of one element.
type Element<'a> = &'a dyn Fn(&mut Check, Triple<'_>, &Path);

#[derive(Default)]
pub(super) struct Check {
    problems: Vec<Problem>,
}

impl Check {
    pub(super) fn report(&mut self, path: &Path, detail: impl Into<String>) {
        self.problems.push(Problem::new(summary::INVALID_PLAN, path, detail));
    }

    /// Whether neither is null. Where only one is, that is reported.
    pub(super) fn are_both(&mut self, Triple { config, planned, .. }: Triple<'_>, path: &Path) -> bool {
        match (config.is_null(), planned.is_null()) {
            (false, true) => self.report(path, "planned to be absent, but it is configured"),
            (true, false) => self.report(path, "planned to exist, but it is not configured"),
            (true, true) => {}
            (false, false) => return true,
        }
        false
    }

    fn block(&mut self, schema: &Block, values: Triple<'_>, path: &Path) {
        if !self.are_both(values, path) {
            return;
        }
        if values.planned.is_unknown() {
            return self
                .report(path, "planned to be unknown as a whole; only attributes in it may be unknown");
        }
        self.attributes(&schema.attributes, values, path);
        for block in &schema.blocks {
            self.nested_block(block, values.member(&block.name), &to_member(path, &block.name));
        }
    }

    fn nested_block(&mut self, schema: &NestedBlock, values: Triple<'_>, path: &Path) {
        let Triple { config, planned, .. } = values;
        if planned.is_null() && schema.nesting != BlockNesting::Single {
            return self
                .report(path, "planned to be null; a collection of no blocks has to be empty, not null");
        }
        if planned == config {
            return;
        }
        if config.is_unknown() {
            return self.report(path, "the blocks are not known yet and have to be planned as unknown");
        }
        if config.is_null() && schema.block.computed {
            return;
        }
        if planned.is_unknown() {
            return self
                .report(path, "planned to be unknown as a whole; only attributes in it may be unknown");
        }
        let each = |check: &mut Self, values: Triple<'_>, path: &Path| {
            check.block_element(&schema.block, values, path);
        };
        match schema.nesting {
            BlockNesting::Single | BlockNesting::Group => self.block(&schema.block, values, path),
            BlockNesting::List => self.list("block", values, path, &each),
            BlockNesting::Map => self.map("block", values, path, &each),
            BlockNesting::Set => {
                if elements(planned).iter().any(Value::is_unknown) {
                    self.report(path, "planned with an unknown block; only attributes in it may be unknown");
                }
            }
        }
    }

    /// Checks each element of a list. `noun` says what one is.
    pub(super) fn list(&mut self, noun: &str, values: Triple<'_>, path: &Path, each: Element<'_>) {
        let (planned, config) = (elements(values.planned).len(), elements(values.config).len());
        if planned != config {
            return self.report(path, format!("planned with {planned} {noun}s, but {config} are configured"));
        }
        for at in 0..planned {
            each(self, values.element(at), &path.clone().step(Step::Index(at)));
        }
    }

    /// As [`list`](Self::list), of a map.
    pub(super) fn map(&mut self, noun: &str, values: Triple<'_>, path: &Path, each: Element<'_>) {
        for (key, _) in entries(values.config) {
            match entry(values.planned, key) {
                Some(_) => each(self, values.entry(key), &to_key(path, key)),
                None => {
                    self.report(&to_key(path, key), format!("the {noun} is configured, but not planned"));
                }
            }
        }
        for (key, _) in entries(values.planned) {
            if entry(values.config, key).is_none() {
                self.report(&to_key(path, key), format!("the {noun} is planned, but not configured"));
            }
        }
    }

    fn block_element(&mut self, schema: &Block, values: Triple<'_>, path: &Path) {
        if values.planned.is_unknown() {
            return self
                .report(path, "planned to be unknown as a whole; only attributes in it may be unknown");
        }
        self.block(schema, values, path);
    }

    pub(super) fn attributes(&mut self, schemas: &[Attribute], values: Triple<'_>, path: &Path) {
        for schema in schemas {
            self.attribute(schema, values.member(&schema.name), &to_member(path, &schema.name));
        }
    }

    /// Values are equal here whatever is known about unknowns.
    fn attribute(&mut self, schema: &Attribute, values: Triple<'_>, path: &Path) {
        let Triple { prior, config, planned } = values;
        let kept = planned == prior && !prior.is_null() && !config.is_null();
        if planned == config || kept {
            return;
        }
        if schema.write_only {
            if !planned.is_null() {
                self.report(path, "planned with a value, but write-only values are not stored");
            }
            return;
        }
        if schema.presence.is_computed() && (!schema.presence.is_optional() || config.is_null()) {
            return;
        }
        if config.is_null() && !planned.is_null() {
            let planned = text::attribute(schema, planned);
            return self
                .report(path, format!("planned as {planned}, but it is not configured and not computed"));
        }
        match &schema.ty {
            AttributeType::Nested(object) => nested_valid::object(self, object, values, path),
            AttributeType::Plain(_) => {
                let [prior_text, config, planned] =
                    [prior, config, planned].map(|value| text::attribute(schema, value));
                let prior = if prior.is_null() { String::new() } else { format!(" and was {prior_text}") };
                self.report(path, format!("planned as {planned}, but it is configured as {config}{prior}"));
            }
        }
    }
}
