//! The rules of a schema for a configuration. Everything is reported at once, each mistake at its path.
//!
//! For each attribute, in the order of the schema: only the provider may set a computed attribute; a required one
//! must be there (an unknown value passes); a write-only one needs a core that knows of them; then the attribute's
//! validators, whatever came of the rules before; then what is nested in it; and a deprecated attribute that is
//! set is warned of.

use crate::diag::{Diagnostic, Diagnostics};
use crate::path::{Path, Step};
use crate::protocol::ClientCapabilities;
use crate::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Presence};
use crate::value::Value;

/// Checks a configuration, whose values may be unknown, by its schema.
///
/// ```
/// use ferroform::diag::Diagnostics;
/// use ferroform::protocol::ClientCapabilities;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::validate::validate;
///
/// let block = Block { attributes: vec![Attribute::required("name", Type::String)], ..Block::default() };
/// let mut found = Diagnostics::default();
/// validate(&block, &block.empty(), ClientCapabilities::default(), &mut found);
/// assert_eq!(found.iter().next().unwrap().summary, "Missing Required Attribute");
/// ```
pub fn validate(block: &Block, config: &Value, client: ClientCapabilities, found: &mut Diagnostics) {
    if let Some(message) = &block.deprecation {
        found.push(Diagnostic::warning("Deprecated", message.clone().into_owned()));
    }
    let mut walk = Walk { client, path: Path::root(), found };
    walk.body(&block.attributes, &block.blocks, config);
}

struct Walk<'a> {
    client: ClientCapabilities,
    path: Path,
    found: &'a mut Diagnostics,
}

impl Walk<'_> {
    fn body(&mut self, attributes: &[Attribute], blocks: &[NestedBlock], config: &Value) {
        let Value::Object(configured) = config else { return };
        for attribute in attributes {
            let value = configured.get(&attribute.name).unwrap_or(&Value::Null);
            self.within(Step::Attribute(attribute.name.clone()), |walk| walk.attribute(attribute, value));
        }
        for block in blocks {
            let value = configured.get(&block.name).unwrap_or(&Value::Null);
            self.within(Step::Attribute(block.name.clone()), |walk| walk.block(block, value));
        }
    }

    fn within(&mut self, step: Step, check: impl FnOnce(&mut Self)) {
        self.path.push(step);
        check(self);
        self.path.pop();
    }

    fn error(&mut self, summary: &str, detail: String) {
        self.found.push(Diagnostic::error(summary, detail).at(self.path.clone()));
    }

    fn attribute(&mut self, attribute: &Attribute, value: &Value) {
        let path = self.path.to_string();
        // A dynamic value wraps a null or unknown of a type.
        let (is_null, is_unknown) = (value.peel().is_null(), value.peel().is_unknown());
        if attribute.presence == Presence::Computed && !is_null {
            self.error(
                "Attribute Is Read-Only",
                format!("`{path}` is set by the provider alone. Remove it from the configuration."),
            );
        }
        if attribute.presence == Presence::Required && is_null {
            self.error("Missing Required Attribute", format!("`{path}` must be set, and not to null."));
        }
        if attribute.write_only && !is_null && !self.client.write_only_attributes_allowed {
            self.error(
                "Write-Only Attribute Not Supported",
                format!(
                    "`{path}` is write-only: its value is never stored. Only Terraform 1.11 and later and OpenTofu \
                     1.11 and later know such attributes. Update, or remove it from the configuration."
                ),
            );
        }
        for validator in &attribute.validators {
            (validator.check)(&self.path, value, self.found);
        }
        if let AttributeType::Nested(object) = &attribute.ty {
            self.each_object(value, &|walk, value| walk.body(&object.attributes, &[], value));
        }
        if let Some(message) = attribute.deprecation.as_ref().filter(|_| !is_null && !is_unknown) {
            let warning = Diagnostic::warning("Deprecated Attribute", message.clone().into_owned());
            self.found.push(warning.at(self.path.clone()));
        }
    }

    fn block(&mut self, block: &NestedBlock, value: &Value) {
        let inner = &block.block;
        if block.nesting == BlockNesting::Group && *value == inner.empty() {
            // A group that is not written comes as an object of nulls. For one that is, core itself asks for what
            // is required.
            return;
        }
        self.each_object(value, &|walk, value| {
            if let Some(message) = &inner.deprecation {
                let warning = Diagnostic::warning("Deprecated Block", message.clone().into_owned());
                walk.found.push(warning.at(walk.path.clone()));
            }
            walk.body(&inner.attributes, &inner.blocks, value);
        });
    }

    /// Visits the configured objects of a nested value; an absent or unknown one is none and has none.
    fn each_object(&mut self, value: &Value, visit: &dyn Fn(&mut Self, &Value)) {
        let visit = &|walk: &mut Self, value: &Value| {
            if matches!(value, Value::Object(_)) {
                visit(walk, value);
            }
        };
        match value.peel() {
            Value::Object(entries) if matches!(value, Value::Dynamic(_)) => {
                // Blocks by label that differ in type come as one object.
                for (label, value) in entries.iter() {
                    self.within(Step::Key(label.to_string().into()), |walk| visit(walk, value));
                }
            }
            value @ Value::Object(_) => visit(self, value),
            Value::List(elements) | Value::Tuple(elements) => {
                for (index, value) in elements.iter().enumerate() {
                    self.within(Step::Index(index), |walk| visit(walk, value));
                }
            }
            Value::Map(entries) => {
                for (key, value) in entries.iter() {
                    self.within(Step::Key(key.to_string().into()), |walk| visit(walk, value));
                }
            }
            Value::Set(elements) => {
                for value in elements.iter() {
                    self.within(Step::Element, |walk| visit(walk, value));
                }
            }
            _ => {}
        }
    }
}
