//! The rules of a schema for a configuration, and the validators that come with the SDK.
//!
//! Everything is reported at once, each mistake at its path. An object is checked as a whole before what is in it. For
//! each attribute, in the order of the schema: only the provider may set a computed attribute; a required one must be
//! there (an unknown value passes); a write-only one needs a core that knows of them; then the attribute's validators,
//! whatever came of the rules before; then what is nested in it; and a deprecated attribute that is set is warned of.
//!
//! # Validators
//!
//! They stand in `#[attr(validate = ...)]` on a field, alone or several in `[...]`, and in `#[model(validate = ...)]`
//! on a struct. One that does not fit the type of its field does not compile. Those of a value pass on null and
//! unknown; only [`relation`] looks at presence. Their messages hold no configured value, unless the attribute says
//! `#[attr(show_value)]`.
//!
//! ```
//! use ferroform::model::Model;
//! use ferroform::validate::collection::{each, size};
//! use ferroform::validate::number::between;
//! use ferroform::validate::relation::{conflicts_with, exactly_one_of, required_when};
//! use ferroform::validate::text::{length, one_of};
//!
//! #[derive(Model)]
//! #[model(validate = exactly_one_of(["image", "snapshot"]))]
//! struct Disk {
//!     #[attr(validate = length(1..=64))]
//!     name: String,
//!     #[attr(validate = between(1, 1000))]
//!     size: u32,
//!     #[attr(validate = one_of(["ssd", "hdd"]))]
//!     kind: Option<String>,
//!     image: Option<String>,
//!     snapshot: Option<String>,
//!     #[attr(validate = conflicts_with(["key_file"]))]
//!     key: Option<String>,
//!     key_file: Option<String>,
//!     #[attr(validate = required_when("kind", ["ssd"]))]
//!     tier: Option<String>,
//!     #[attr(validate = [size(1..=8), each(length(1..))])]
//!     labels: Option<Vec<String>>,
//! }
//! assert_eq!(Disk::block().attribute("name").unwrap().validators[0].description, "1 to 64 bytes of text");
//! ```

pub mod boolean;
mod check;
pub mod collection;
pub mod combine;
mod message;
pub mod number;
pub mod relation;
pub mod text;

pub use check::{Check, Elements, OfKind, kind};

use self::message::with_value;
use crate::diag::{Diagnostic, Diagnostics};
use crate::model::{Draft, Model, write_only};
use crate::path::Path;
use crate::schema::walk::{self, Body, Member, NULL};
use crate::schema::{
    Attribute, AttributeType, Block, BlockNesting, Level, NestedBlock, Presence, ValidationTarget, Validator,
};
use crate::value::Value;

/// Checks a configuration, whose values may be unknown, by its schema. `write_only_allowed` says whether the host knows
/// write-only attributes.
///
/// ```
/// use ferroform::diag::Diagnostics;
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::validate::validate;
///
/// let block = Block::new([Attribute::required("name", Type::String)]);
/// let mut found = Diagnostics::default();
/// validate(&block, &block.empty(), false, &mut found);
/// assert_eq!(found.iter().next().unwrap().summary, "Missing Required Attribute");
/// ```
pub fn validate(block: &Block, config: &Value, write_only_allowed: bool, found: &mut Diagnostics) {
    if let Some(message) = &block.deprecation {
        found.push(Diagnostic::warning("Deprecated", message.clone().into_owned()));
    }
    let mut walk =
        Walk { write_only_allowed, path: Path::root(), levels: Vec::new(), within_secret: false, found };
    walk.object(block.into(), config);
}

/// What the schema of a model says of a configuration: attributes that are missing, the validators of attributes, nested
/// models and the model itself, and warnings of what is deprecated. For tests of these declarations. `Resource::validate` and
/// its like, which see more, are called by a test themselves.
///
/// Write-only attributes of nested models count as unknown, which passes every check.
///
/// ```
/// use ferroform::model::{Attr, Model};
/// use ferroform::path;
/// use ferroform::validate::number::between;
/// use ferroform::validate::validate_config;
///
/// #[derive(Model)]
/// struct Listener {
///     name: String,
///     #[attr(validate = between(1, 65_535))]
///     port: u32,
/// }
///
/// let config = |port| ListenerDraft { name: Attr::Known("web".to_owned()), port: Attr::Known(port) };
/// assert!(validate_config::<Listener>(config(443)).is_empty());
/// let found = validate_config::<Listener>(config(70_000));
/// assert_eq!(found.iter().next().unwrap().path, Some(path!(port)));
///
/// let found = validate_config::<Listener>(ListenerDraft { name: Attr::Null, ..config(443) });
/// assert_eq!(found.iter().next().unwrap().summary, "Missing Required Attribute");
/// ```
#[must_use]
pub fn validate_config<M: Model>(config: Draft<M>) -> Diagnostics {
    let block = M::block();
    let mut found = Diagnostics::default();
    validate(&block, &write_only::encode::<M>(&block, config), true, &mut found);
    found
}

struct Walk<'a, 'f> {
    write_only_allowed: bool,
    path: Path,
    /// The objects that hold what is looked at.
    levels: Vec<Level<'a>>,
    /// Whether an attribute around the place is a secret as a whole.
    within_secret: bool,
    found: &'f mut Diagnostics,
}

impl<'a> Walk<'a, '_> {
    fn object(&mut self, body: Body<'a>, config: &'a Value) {
        let Value::Object(configured) = config else { return };
        self.levels.push(Level { body, object: config, depth: self.path.steps().len() });
        for validator in body.validators {
            let mut found = Diagnostics::default();
            validator.check(&self.subject(config).whole(), &mut found);
            self.found.extend(found);
        }
        for member in body.members() {
            let value = configured.get(member.name()).unwrap_or(&NULL);
            self.path.push(member.step());
            match member {
                Member::Attribute(attribute) => self.attribute(attribute, value),
                Member::Block(block) => self.block(block, value),
            }
            self.path.pop();
        }
        self.levels.pop();
    }

    fn subject<'s>(&'s self, value: &'s Value) -> ValidationTarget<'s> {
        let mut subject = ValidationTarget::alone(&self.path, value).within(&self.levels);
        subject.write_only_allowed = self.write_only_allowed;
        subject
    }

    /// Runs validators of a value; their errors have it if it is given as the one to show.
    fn run(&mut self, validators: &[Validator], value: &Value, shown: Option<&Value>) {
        for validator in validators {
            let mut found = Diagnostics::default();
            validator.check(&self.subject(value), &mut found);
            // An error about several attributes is not about the value of one.
            match shown.filter(|_| validator.targets.is_empty()) {
                Some(shown) => {
                    self.found.extend(found.into_iter().map(|error| with_value(error, &self.path, shown)));
                }
                None => self.found.extend(found),
            }
        }
    }

    fn error(&mut self, summary: &str, detail: String) {
        self.found.push(Diagnostic::error(summary, detail).at(self.path.clone()));
    }

    fn attribute(&mut self, attribute: &'a Attribute, value: &'a Value) {
        self.presence(attribute, value);
        let is_secret = self.within_secret || attribute.sensitive || attribute.write_only;
        // Nested attributes declare it one by one: some may be secrets.
        let is_plain = matches!(attribute.ty, AttributeType::Plain(_));
        let shown = (attribute.show_value && is_plain && !is_secret).then_some(value);
        self.run(&attribute.validators, value, shown);
        if let AttributeType::Nested(object) = &attribute.ty {
            let around = std::mem::replace(&mut self.within_secret, is_secret);
            self.each(value, &|walk, value| walk.object(object.into(), value));
            self.within_secret = around;
        }
        // A dynamic value wraps a null or unknown of a type.
        let is_known = !value.peel().is_null() && !value.peel().is_unknown();
        if let Some(message) = attribute.deprecation.as_ref().filter(|_| is_known) {
            let warning = Diagnostic::warning("Deprecated Attribute", message.clone().into_owned());
            self.found.push(warning.at(self.path.clone()));
        }
    }

    fn presence(&mut self, attribute: &Attribute, value: &Value) {
        let path = self.path.to_string();
        let is_null = value.peel().is_null();
        if attribute.presence == Presence::Computed && !is_null {
            self.error(
                "Attribute Is Read-Only",
                format!("`{path}` is set by the provider alone. Remove it from the configuration."),
            );
        }
        if attribute.presence == Presence::Required && is_null {
            self.error("Missing Required Attribute", format!("`{path}` must be set, and not to null."));
        }
        if attribute.write_only && !is_null && !self.write_only_allowed {
            self.error(
                "WriteOnly Attribute Not Allowed",
                format!(
                    "`{path}` is write-only: its value is never stored. Only Terraform 1.11 and later and OpenTofu \
                     1.11 and later know such attributes. Update, or remove it from the configuration."
                ),
            );
        }
    }

    fn block(&mut self, block: &'a NestedBlock, value: &'a Value) {
        let inner = &block.block;
        self.number(block, value);
        self.run(&block.validators, value, None);
        if block.nesting == BlockNesting::Group && *value == inner.empty() {
            // A group that is not written comes as an object of nulls. For one that is, core itself asks for what
            // is required.
            return;
        }
        self.each(value, &|walk, value| {
            if let Some(message) = &inner.deprecation {
                let warning = Diagnostic::warning("Deprecated Block", message.clone().into_owned());
                walk.found.push(warning.at(walk.path.clone()));
            }
            walk.object(inner.into(), value);
        });
    }

    /// Core counts the blocks that are written, but not those that a `dynamic` block makes later. Blocks of a set that
    /// are alike have become one, so there too few cannot be told.
    fn number(&mut self, block: &NestedBlock, value: &Value) {
        let Some(count) = value.peel().elements().map(<[_]>::len) else { return };
        let (min, max) = (block.min_items as usize, block.max_items as usize);
        if count < min && block.nesting == BlockNesting::List {
            self.error("Too Few Blocks", format!("At least {min} blocks `{}` are needed here.", block.name));
        }
        if max != 0 && count > max {
            self.error("Too Many Blocks", format!("At most {max} blocks `{}` are allowed here.", block.name));
        }
    }

    /// Visits the configured objects of a nested value; an absent or unknown one is none and has none.
    fn each(&mut self, value: &'a Value, visit: &dyn Fn(&mut Self, &'a Value)) {
        walk::objects(value, &mut |step, value| {
            if matches!(value, Value::Object(_)) {
                let is_element = step.map(|step| self.path.push(step)).is_some();
                visit(self, value);
                if is_element {
                    self.path.pop();
                }
            }
        });
    }
}
