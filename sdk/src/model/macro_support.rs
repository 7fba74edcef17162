//! What the expansions of the derive macros call, so that they stay short. Not covered by semantic versioning: the
//! macro crate is pinned to exactly this version.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::block::{from_core, to_core};
use super::error::{add, invalid, mismatch};
use super::scalar::decodes;
use super::{AttributeValue, BlockValue, Decode, Encode, Model, Nested};
use crate::diag::{Diagnostics, Error};
use crate::path::Step;
use crate::schema::{Attribute, BlockNesting, Default, NestedBlock, NestedObject, Nesting, Text};
use crate::value::Entries;

pub use crate::diag::Result;
pub use crate::path::Path;
pub use crate::schema::{AttributeType, Block, Presence, Replace, Validator};
pub use crate::ty::Type;
pub use crate::value::Value;

/// An attribute in a table of the derive.
#[derive(Debug)]
pub struct AttributeDef {
    pub name: &'static str,
    pub description: &'static str,
    pub presence: Presence,
    pub ty: fn() -> AttributeType,
    pub validators: fn() -> Vec<Validator>,
    pub more_validators: fn() -> Vec<Validator>,
    pub deprecation: Option<&'static str>,
    pub sensitive: bool,
    pub write_only: bool,
    pub keep: bool,
    pub nullable: bool,
    pub replace: Replace,
    pub default: Option<fn() -> Default>,
}

impl AttributeDef {
    #[must_use]
    pub const fn new<T: AttributeValue>(
        name: &'static str,
        description: &'static str,
        presence: Presence,
    ) -> Self {
        const {
            assert!(
                !T::NULLABLE,
                "write `Option<T>` in the field itself: an alias of it makes the attribute required"
            );
            assert!(
                !T::HAS_BLOCKS,
                "a model with nested blocks cannot be an attribute: add `#[attr(block)]`"
            );
            assert!(
                !matches!(T::NESTED, Nested::Lost),
                "the protocol knows only types in a tuple and in a collection of collections, so all attributes of a \
                 model there are required, without further words: put the members of the tuple, or the inner \
                 collection, into a model of their own"
            );
        }
        Self {
            name,
            description,
            presence,
            ty: T::attribute_type,
            validators: T::validators,
            more_validators: Vec::new,
            deprecation: None,
            sensitive: false,
            write_only: false,
            keep: false,
            nullable: true,
            replace: Replace::Never,
            default: None,
        }
    }

    fn attribute(&self) -> Attribute {
        let mut validators = Vec::new();
        // What only the provider sets is never configured, so there is nothing to validate.
        if self.presence != Presence::Computed {
            validators.extend((self.validators)());
            validators.extend((self.more_validators)());
        }
        Attribute {
            name: Cow::Borrowed(self.name),
            ty: (self.ty)(),
            presence: self.presence,
            description: Cow::Borrowed(self.description),
            deprecation: self.deprecation.map(Cow::Borrowed),
            sensitive: self.sensitive,
            write_only: self.write_only,
            default: self.default.map(|default| default()),
            keep: self.keep,
            nullable: self.nullable,
            replace: self.replace,
            validators,
        }
    }
}

/// A nested block in a table of the derive.
#[derive(Debug)]
pub struct BlockDef {
    pub name: &'static str,
    pub description: &'static str,
    pub nesting: BlockNesting,
    pub block: fn() -> Block,
    pub min_items: u32,
    pub max_items: u32,
    pub deprecation: Option<&'static str>,
    pub computed: bool,
}

impl BlockDef {
    #[must_use]
    pub const fn new<B: BlockValue>(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            nesting: B::NESTING,
            block: B::element,
            min_items: B::MIN_ITEMS,
            max_items: B::MAX_ITEMS,
            deprecation: None,
            computed: false,
        }
    }

    #[must_use]
    pub const fn group<M: Model>(name: &'static str, description: &'static str) -> Self {
        Self { nesting: BlockNesting::Group, min_items: 0, max_items: 0, ..Self::new::<M>(name, description) }
    }

    fn block(&self) -> NestedBlock {
        let mut block = (self.block)();
        if !self.description.is_empty() {
            block.description = Cow::Borrowed(self.description);
        }
        block.deprecation = self.deprecation.map(Cow::Borrowed).or(block.deprecation);
        block.computed = self.computed;
        // Nobody has to write a single block that the provider may fill.
        let min_items = if self.computed { 0 } else { self.min_items };
        let max_items = if self.nesting == BlockNesting::Single { min_items } else { self.max_items };
        NestedBlock { min_items, max_items, ..NestedBlock::new(self.name, self.nesting, block) }
    }
}

/// The block of a model.
#[must_use]
pub fn block(
    description: &'static str,
    deprecation: Option<&'static str>,
    attributes: &[AttributeDef],
    blocks: &[BlockDef],
) -> Block {
    Block {
        attributes: attributes.iter().map(AttributeDef::attribute).collect(),
        blocks: blocks.iter().map(BlockDef::block).collect(),
        description: Cow::Borrowed(description),
        deprecation: deprecation.map(Cow::Borrowed),
        computed: false,
    }
}

/// A model as the type of an attribute.
#[must_use]
pub fn nested<M: Model>() -> AttributeType {
    NestedObject::new(Nesting::Single, M::block().attributes).into()
}

/// The default of an attribute that is always the same.
pub fn default_value<T: AttributeValue>(value: T) -> Default {
    Default::Value(value.encode())
}

/// The default of an attribute that a function makes.
pub fn default_with<T: AttributeValue>(make: fn(&Path) -> Result<T>) -> Default {
    Default::With(Arc::new(move |path| make(path).map(T::encode)))
}

/// An object while it is decoded; it collects the mistakes of all attributes.
#[derive(Debug)]
pub struct Fields<'p> {
    entries: Entries,
    at: &'p mut Path,
    errors: Option<Error>,
}

impl<'p> Fields<'p> {
    pub fn open(value: Value, at: &'p mut Path) -> Result<Self> {
        match value {
            Value::Object(entries) => Ok(Self { entries, at, errors: None }),
            other => Err(mismatch("an object", &other, at)),
        }
    }

    /// An attribute. One that is missing is null: state of an older release lacks what was added since.
    pub fn take<T: Decode>(&mut self, name: &'static str) -> Option<T> {
        let value = self.value(name);
        self.decode(name, value)
    }

    /// A nested block of the type `B`, in the view `T`.
    pub fn block<B: BlockValue, T: Decode>(&mut self, name: &'static str) -> Option<T> {
        let value = from_core::<B>(self.value(name));
        self.decode(name, value)
    }

    pub fn finish<M>(self, model: impl FnOnce() -> Option<M>) -> Result<M> {
        finish(self.errors, model)
    }

    fn value(&mut self, name: &'static str) -> Value {
        self.entries.get_mut(name).map_or(Value::Null, |value| std::mem::replace(value, Value::Null))
    }

    fn decode<T: Decode>(&mut self, name: &'static str, value: Value) -> Option<T> {
        self.at.push(Step::Attribute(Cow::Borrowed(name)));
        let result = T::decode(value, self.at);
        self.at.pop();
        result.map_err(|error| add(&mut self.errors, error)).ok()
    }
}

/// The errors, or else what was decoded without any.
pub(super) fn finish<T>(errors: Option<Error>, decoded: impl FnOnce() -> Option<T>) -> Result<T> {
    match errors {
        Some(errors) => Err(errors),
        None => decoded().ok_or_else(|| {
            Error::new(
                "Value Not Decoded",
                "This is a bug in the provider; please report it to its developers.",
            )
        }),
    }
}

/// An object while it is encoded.
#[derive(Debug)]
pub struct Object {
    entries: Vec<(&'static str, Value)>,
}

impl Object {
    #[must_use]
    pub fn new(attributes: usize) -> Self {
        Self { entries: Vec::with_capacity(attributes) }
    }

    /// Never inlined: at each attribute of each view that nearly doubles the code of a model.
    #[inline(never)]
    pub fn put<T: Encode>(&mut self, name: &'static str, value: T) {
        self.entries.push((name, value.encode()));
    }

    pub fn block<B: BlockValue, T: Encode>(&mut self, name: &'static str, value: T) {
        self.entries.push((name, to_core::<B>(value.encode())));
    }

    /// A write-only attribute: null, whatever its value is.
    pub fn null(&mut self, name: &'static str) {
        self.entries.push((name, Value::Null));
    }

    #[must_use]
    pub fn finish(self) -> Value {
        Value::object(self.entries)
    }
}

/// Stands in `Debug` output for a value that must not be shown.
pub struct Redacted;

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(redacted)")
    }
}

/// The words of an enum, with what each stands for.
pub type Words<T> = &'static [(&'static str, fn() -> T)];

/// Decodes a word.
pub fn word<T>(value: Value, at: &mut Path, words: Words<T>) -> Result<T> {
    let text = match value {
        Value::String(text) => text,
        other => return Err(mismatch("a string", &other, at)),
    };
    let found = words.iter().find(|(word, _)| *word == text.as_ref());
    found.map(|(_, make)| make()).ok_or_else(|| invalid("Invalid Word", &one_of(words), at))
}

/// The check that a string is one of some words.
#[must_use]
pub fn word_validator<T: Decode>(words: Words<T>) -> Validator {
    decodes::<T>(one_of(words))
}

fn one_of<T>(words: Words<T>) -> String {
    let words: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
    match words.as_slice() {
        [word] => word.clone(),
        words => format!("one of {}", words.join(", ")),
    }
}

/// What `validate = …` takes for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot validate an attribute",
    label = "not a validator",
    note = "use a `schema::Validator`, a `fn(&Path, &Value, &mut Diagnostics)`, or a `fn(&T) -> diag::Result` for \
            the value `T` of the attribute, with `&str` for a `String`"
)]
pub trait IntoValidator<T, How> {
    fn into_validator(self) -> Validator;
}

/// A ready validator.
#[derive(Debug)]
pub struct Ready;

/// A function over values of the language.
#[derive(Debug)]
pub struct OverValue;

/// A function over what the Rust type borrows as, so that one for a `String` may take a `&str`.
#[derive(Debug)]
pub struct Typed<B: ?Sized> {
    never: PhantomData<fn(&B)>,
}

impl<T> IntoValidator<T, Ready> for Validator {
    fn into_validator(self) -> Validator {
        self
    }
}

impl<T, F: Fn(&Path, &Value, &mut Diagnostics) + Send + Sync + 'static> IntoValidator<T, OverValue> for F {
    fn into_validator(self) -> Validator {
        Validator { description: Text::Borrowed(""), check: Arc::new(self) }
    }
}

impl<T, B, F> IntoValidator<T, Typed<B>> for F
where
    T: AttributeValue<Planned: Borrow<B>>,
    B: ?Sized,
    F: Fn(&B) -> Result + Send + Sync + 'static,
{
    fn into_validator(self) -> Validator {
        let check = move |path: &Path, value: &Value, diagnostics: &mut Diagnostics| {
            if value.is_null() || !value.is_wholly_known() {
                return;
            }
            // The validators of the type report what cannot be decoded.
            if let Ok(value) = T::Planned::decode(value.clone(), &mut path.clone()) {
                diagnostics.record(self(value.borrow()).map_err(|error| error.at(path.clone())));
            }
        };
        Validator { description: Text::Borrowed(""), check: Arc::new(check) }
    }
}

/// Any form of validator as the one of the schema.
pub fn validator<T: AttributeValue, How>(validator: impl IntoValidator<T, How>) -> Validator {
    validator.into_validator()
}
