//! The laws of everything that is stored.

use super::{Breach, Law, Walk, at, entries};
use crate::path::{Path, Step};
use crate::schema::{Attribute, AttributeType, Block, NestedBlock};
use crate::value::{Entries, Value};

/// Checks that nothing in a state is unknown.
#[must_use]
pub fn known(state: &Value) -> Vec<Breach> {
    let mut breaches = Vec::new();
    if state.is_wholly_known() {
        return breaches;
    }
    state.walk(|path: &Path, value: &Value| {
        if value.is_unknown() {
            let found = "the value is unknown".to_owned();
            breaches.push(Breach { law: Law::Known, path: path.clone(), found });
        }
    });
    breaches
}

/// Checks that every write-only attribute is null.
#[must_use]
pub fn write_only_null(block: &Block, state: &Value) -> Vec<Breach> {
    let mut walk = Walk::new(Law::WriteOnlyNull);
    walk.write_only(&block.attributes, &block.blocks, state);
    walk.breaches
}

impl Walk {
    fn write_only(&mut self, attributes: &[Attribute], blocks: &[NestedBlock], state: &Value) {
        for attribute in attributes.iter().filter(|attribute| attribute.holds_write_only()) {
            let value = at(state, &attribute.name);
            self.member(&attribute.name, |walk| match &attribute.ty {
                _ if attribute.write_only => {
                    if !value.is_null() {
                        walk.report("the value is not null");
                    }
                }
                AttributeType::Plain(_) => {}
                AttributeType::Nested(object) => {
                    walk.each_object(value, &|walk, object_value| {
                        walk.write_only(&object.attributes, &[], object_value);
                    });
                }
            });
        }
        for nested in blocks.iter().filter(|nested| nested.block.holds_write_only()) {
            self.member(&nested.name, |walk| {
                walk.each_object(at(state, &nested.name), &|walk, value| {
                    walk.write_only(&nested.block.attributes, &nested.block.blocks, value);
                });
            });
        }
    }

    /// Visits the objects of a nested value; one that is null or unknown has none.
    fn each_object(&mut self, value: &Value, visit: &dyn Fn(&mut Self, &Value)) {
        let is_dynamic = matches!(value, Value::Dynamic(_));
        match value.peel() {
            // Blocks by label that differ in type come as one object.
            Value::Object(entries) | Value::Map(entries) if is_dynamic => self.each_key(entries, visit),
            value @ Value::Object(_) => visit(self, value),
            Value::Map(entries) => self.each_key(entries, visit),
            Value::List(elements) | Value::Tuple(elements) => {
                for (index, value) in elements.iter().enumerate() {
                    self.within(Step::Index(index), |walk| visit(walk, value));
                }
            }
            Value::Set(elements) => {
                for value in elements {
                    self.within(Step::Element, |walk| visit(walk, value));
                }
            }
            _ => {}
        }
    }

    fn each_key(&mut self, entries: &Entries, visit: &dyn Fn(&mut Self, &Value)) {
        for (key, value) in entries.iter() {
            self.within(Step::Key(key.to_string().into()), |walk| visit(walk, value));
        }
    }
}

/// Checks that an identity which was stored before is still the same.
#[must_use]
pub fn identity_kept(before: &Value, after: &Value) -> Vec<Breach> {
    if before.is_null() || before == after {
        return Vec::new();
    }
    let mut walk = Walk::new(Law::IdentityKept);
    for (name, value) in entries(before) {
        if !value.is_null() && at(after, name) != value {
            let step = Step::Attribute(name.to_owned().into());
            walk.within(step, |walk| walk.report("the stored identity has another value"));
        }
    }
    walk.breaches
}
