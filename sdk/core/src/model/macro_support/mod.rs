//! What the expansions of the derive macros call, so that they stay short. Not covered by semantic versioning: the
//! macro crate is pinned to exactly this version.

mod convert;
mod into_model;
mod option_values;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use super::block::{from_core, to_core};
use super::error::{add, invalid, mismatch};
use super::scalar::decodes;
use super::{
    AttributeValue, BlockValue, Decode, Encode, Identified, IdentitySource, IdentityValue, Model, Nested,
};

pub use self::convert::{Convert, Differences, differ, member};
pub use self::into_model::{ViewSource, into_model};
pub use self::option_values::{
    IntoDefault, IntoModelValidator, IntoModifier, IntoReplace, IntoValidator, OfContext, OfPath, OverValue,
    Ready, Typed, adapted_default_with, default_with, model_validator, modifier, replace_if, validator,
};
pub use super::equivalence::{equivalent, normalize};
pub use super::foreign_type::Adapted;
use crate::path::Step;
use crate::schema::{Attribute, BlockNesting, Default, NestedBlock, NestedObject, Nesting, Target, Timeouts};
use crate::ty::Keys;
use crate::value::Entries;

pub use crate::diag::{Error, Result};
pub use crate::path::Path;
pub use crate::schema::{
    AttributeType, Block, Equivalence, ForImport, Form, IdentityAttribute, Operation, Presence, Replace,
    Validator,
};
pub use crate::ty::Type;
pub use crate::value::{Refinements, Unknown, Value};

/// An attribute in a table of the derive.
#[derive(Debug)]
pub struct AttributeDef {
    pub name: &'static str,
    pub description: &'static str,
    pub presence: Presence,
    pub ty: fn() -> AttributeType,
    pub validators: fn() -> Vec<Validator>,
    pub equivalence: fn() -> Equivalence,
    pub form: Form,
    /// Sets what the options of the field say.
    pub set: fn(&mut Attribute),
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
            equivalence: T::equivalence,
            form: Form::Attribute,
            set: |_| {},
        }
    }

    fn attribute(&self) -> Attribute {
        let ty = match (self.ty)() {
            AttributeType::Nested(object) => NestedObject { form: self.form, ..object }.into(),
            plain @ AttributeType::Plain(_) => plain,
        };
        let mut attribute = Attribute::new(self.name, ty, self.presence);
        attribute.description = Cow::Borrowed(self.description);
        // What only the provider sets is never configured, so there is nothing to validate.
        if self.presence != Presence::Computed {
            attribute.validators = (self.validators)();
        }
        (self.set)(&mut attribute);
        attribute.equivalence = attribute.equivalence.or((self.equivalence)());
        attribute
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
    /// Sets what the options of the field say.
    pub set: fn(&mut NestedBlock),
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
            set: |_| {},
        }
    }

    #[must_use]
    pub const fn group<M: Model>(name: &'static str, description: &'static str) -> Self {
        Self { nesting: BlockNesting::Group, min_items: 0, max_items: 0, ..Self::new::<M>(name, description) }
    }

    fn block(&self) -> NestedBlock {
        // Whether it is computed, the field says.
        let block = Block { computed: false, ..(self.block)() };
        let mut nested = NestedBlock::new(self.name, self.nesting, block)
            .min_items(self.min_items)
            .max_items(self.max_items);
        if !self.description.is_empty() {
            nested.block.description = Cow::Borrowed(self.description);
        }
        (self.set)(&mut nested);
        // Nobody has to write a single block that the provider may fill.
        if nested.block.computed {
            nested.min_items = 0;
        }
        if self.nesting == BlockNesting::Single {
            nested.max_items = nested.min_items;
        }
        nested
    }
}

/// The attributes and blocks on whose changes an attribute is recomputed.
#[must_use]
pub fn targets(names: &[&str]) -> Vec<Target> {
    names.iter().copied().map(Target::from).collect()
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
        ..Block::default()
    }
}

/// The block with the attributes, blocks, checks and timeouts of another model among its own.
#[must_use]
pub fn flatten<M: Model>(mut block: Block) -> Block {
    let inner = M::block();
    block.attributes.extend(inner.attributes);
    block.blocks.extend(inner.blocks);
    block.validators.extend(inner.validators);
    block.timeouts = block.timeouts.or(inner.timeouts);
    block
}

/// Checks that a flattened model has an identity just where it is said to be that of the model.
pub const fn flattened_identity<M: AttributeValue>(is_identity: bool) {
    assert!(
        is_identity || !M::HAS_IDENTITY,
        "the flattened model has an identity, which is that of this model: write `#[attr(flatten, identity)]`"
    );
    assert!(
        M::HAS_IDENTITY || !is_identity,
        "the flattened model has no identity: mark its attributes with `#[attr(identity)]`, or remove `identity` here"
    );
}

/// The timeouts of a resource as they are declared.
#[derive(Debug)]
pub struct TimeoutsDef {
    pub name: &'static str,
    pub description: &'static str,
    pub operations: &'static [(Operation, Option<&'static str>)],
    pub is_block: bool,
}

impl TimeoutsDef {
    /// Adds the timeouts to the block of a model.
    #[must_use]
    pub fn add_to(&self, mut block: Block) -> Block {
        let operations = self.operations.iter();
        let operations = operations.map(|(it, usual)| (*it, usual.and_then(crate::schema::parse_duration)));
        let timeouts = Timeouts { name: Cow::Borrowed(self.name), operations: operations.collect() };
        let attributes = timeouts.attributes();
        if self.is_block {
            let description = Cow::Borrowed(self.description);
            let inner = Block::new(attributes).description(description);
            block.blocks.push(NestedBlock::new(self.name, BlockNesting::Single, inner));
        } else {
            let object = NestedObject::new(Nesting::Single, attributes);
            let description = Cow::Borrowed(self.description);
            block.attributes.push(Attribute::optional(self.name, object).description(description));
        }
        block.timeouts = Some(timeouts);
        block
    }
}

/// A model as the type of an attribute.
#[must_use]
pub fn nested<M: Model>() -> AttributeType {
    let Block { attributes, validators, .. } = M::block();
    NestedObject::new(Nesting::Single, attributes).validators(validators).into()
}

/// An attribute of an identity.
#[must_use]
pub fn identity_attribute<T: IdentityValue>(
    name: &'static str,
    description: &'static str,
    for_import: ForImport,
) -> IdentityAttribute {
    let ty = match T::attribute_type() {
        AttributeType::Plain(ty) => ty,
        // No model is an `IdentityValue`; the check of the schema refuses what a trait by hand makes of it.
        AttributeType::Nested(_) => Type::Dynamic,
    };
    IdentityAttribute::new(name, ty, for_import).description(description)
}

/// Finds out whether an identity is made of the whole state: the constant of this type, where there is such a
/// conversion, comes before that of the trait [`WithoutConversion`].
#[derive(Debug)]
pub struct Conversion<M, I>(PhantomData<(M, I)>);

impl<M, I> Conversion<M, I>
where
    M: Identified<Identity = I>,
    for<'m> I: From<&'m M>,
{
    /// From the state.
    pub const SOURCE: IdentitySource<M> = IdentitySource::State(|state| state.into());
}

/// See [`Conversion`].
pub trait WithoutConversion<M: Identified> {
    /// Not from the state alone.
    const SOURCE: IdentitySource<M> = IdentitySource::Resource;
}

impl<M: Identified, I> WithoutConversion<M> for Conversion<M, I> {}

/// The default of an attribute that is always the same.
pub fn default_value<T: AttributeValue>(value: T) -> Default {
    Default::Value(value.encode())
}

/// The same for another crate's type, as `T` in the schema.
pub fn adapted_default_value<T: AttributeValue + Adapted>(value: T::Plain) -> Default {
    Default::Value(T::adapt(value).encode())
}

/// The names of the attributes and blocks of an object, sorted as in its values. Encoding and decoding know them by
/// their places, and values share their text.
#[derive(Debug)]
pub struct Names {
    sorted: &'static [&'static str],
    shared: OnceLock<Keys>,
}

impl Names {
    #[must_use]
    pub const fn new(sorted: &'static [&'static str]) -> Self {
        Self { sorted, shared: OnceLock::new() }
    }

    fn shared(&self) -> &Keys {
        self.shared.get_or_init(|| Keys::from_sorted(self.sorted.iter().copied().map(Arc::from)))
    }

    fn get(&self, at: usize) -> &'static str {
        self.sorted.get(at).copied().unwrap_or_default()
    }
}

/// An object while it is decoded; it collects the mistakes of all attributes.
#[derive(Debug)]
pub struct Fields<'p> {
    value: &'p Value,
    entries: &'p Entries,
    names: &'static Names,
    at: &'p mut Path,
    errors: Option<Error>,
}

impl<'p> Fields<'p> {
    pub fn open(value: &'p Value, names: &'static Names, at: &'p mut Path) -> Result<Self> {
        match value {
            Value::Object(entries) => Ok(Self { value, entries, names, at, errors: None }),
            other => Err(mismatch("an object", other, at)),
        }
    }

    /// Decodes an attribute into its field. One that is missing is null: state of an older release lacks what was added
    /// since.
    ///
    /// Never inlined, like everything that a model calls for each of its fields, so that its code stays small.
    #[inline(never)]
    pub fn take<T: Decode>(&mut self, at: usize, field: &mut Option<T>) {
        let value = self.enter(at);
        let decoded = T::decode(value, self.at);
        *field = self.leave(decoded);
    }

    /// Decodes an attribute of another crate's type, as `T` in the schema, into its field.
    #[inline(never)]
    pub fn adapted<T: Decode + Adapted>(&mut self, at: usize, field: &mut Option<T::Plain>) {
        let value = self.enter(at);
        let decoded = T::decode(value, self.at);
        *field = self.leave(decoded).map(T::plain);
    }

    /// Decodes a nested block of the type `B`, in the view `T`, into its field.
    #[inline(never)]
    pub fn block<B: BlockValue, T: Decode>(&mut self, at: usize, field: &mut Option<T>) {
        let value = from_core::<B>(self.enter(at));
        let decoded = T::decode(&value, self.at);
        *field = self.leave(decoded);
    }

    /// Decodes a model whose attributes stand among those of the object, into its field.
    #[inline(never)]
    pub fn flatten<T: Decode>(&mut self, field: &mut Option<T>) {
        let result = T::decode(self.value, self.at);
        *field = result.map_err(|error| add(&mut self.errors, error)).ok();
    }

    /// Decodes the member of a variant, if it is set, and adds the variant to those found.
    #[inline(never)]
    pub fn member<T: Decode, E>(&mut self, at: usize, found: &mut Vec<E>, variant: fn(T) -> E) {
        let mut member: Option<Option<T>> = None;
        self.take(at, &mut member);
        found.extend(member.flatten().map(variant));
    }

    /// The only variant that was found.
    pub fn only<E>(self, mut found: Vec<E>) -> Result<E> {
        match (self.errors, found.pop()) {
            (Some(errors), _) => Err(errors),
            (None, Some(variant)) if found.is_empty() => Ok(variant),
            (None, other) => Err(not_one(self.names, other.is_some(), self.at)),
        }
    }

    /// Why a field is empty.
    #[cold]
    pub fn mistakes(self) -> Error {
        self.errors.unwrap_or_else(not_decoded)
    }

    /// Steps into an attribute.
    fn enter(&mut self, at: usize) -> &'p Value {
        let name = self.names.get(at);
        self.at.push(Step::Attribute(Cow::Borrowed(name)));
        self.entries.get_near(at, name).unwrap_or(&Value::Null)
    }

    /// Steps out of an attribute.
    fn leave<T>(&mut self, decoded: Result<T>) -> Option<T> {
        self.at.pop();
        decoded.map_err(|error| add(&mut self.errors, error)).ok()
    }
}

/// No member of an object is set, or several are, where it must be one.
fn not_one(names: &Names, several: bool, at: &Path) -> Error {
    let names: Vec<String> = names.sorted.iter().map(|name| format!("`{name}`")).collect();
    let (found, remedy) = match several {
        true => ("several are set", "Keep one of them."),
        false => ("none is set", "Set one of them."),
    };
    let detail = format!("Exactly one of {} is needed, but {found}. {remedy}", names.join(", "));
    Error::new("Invalid Attribute Combination", detail).at(at.clone())
}

pub(super) fn not_decoded() -> Error {
    Error::new("Value Not Decoded", "This is a bug in the provider; please report it to its developers.")
}

/// An object while it is encoded. What is not put is null.
#[derive(Debug)]
pub struct Object {
    names: &'static Names,
    values: Vec<Value>,
    flattened: Vec<(Arc<str>, Value)>,
}

impl Object {
    #[must_use]
    pub fn new(names: &'static Names) -> Self {
        Self { names, values: vec![Value::Null; names.sorted.len()], flattened: Vec::new() }
    }

    /// Takes the value of an attribute out of its field.
    #[inline(never)]
    pub fn put<T: Encode>(&mut self, at: usize, field: &mut Option<T>) {
        if let Some(value) = field.take() {
            self.set(at, value.encode());
        }
    }

    /// Takes the value of an attribute of another crate's type, as `T` in the schema, out of its field.
    #[inline(never)]
    pub fn adapted<T: Encode + Adapted>(&mut self, at: usize, field: &mut Option<T::Plain>) {
        if let Some(value) = field.take() {
            self.set(at, T::adapt(value).encode());
        }
    }

    /// Takes a nested block of the type `B` out of its field.
    #[inline(never)]
    pub fn block<B: BlockValue, T: Encode>(&mut self, at: usize, field: &mut Option<T>) {
        if let Some(value) = field.take() {
            self.set(at, to_core::<B>(value.encode()));
        }
    }

    /// Takes the attributes of a model whose attributes stand among those of the object out of its field.
    #[inline(never)]
    pub fn flatten<T: Encode>(&mut self, field: &mut Option<T>) {
        if let Some(Value::Object(entries)) = field.take().map(T::encode) {
            self.flattened.extend(entries);
        }
    }

    #[must_use]
    pub fn finish(self) -> Value {
        let own = Entries::from_parts(self.names.shared().clone(), self.values);
        if self.flattened.is_empty() {
            return Value::Object(own);
        }
        Value::Object(Entries::from_shared(self.flattened.into_iter().chain(own).collect()))
    }

    fn set(&mut self, at: usize, value: Value) {
        if let Some(place) = self.values.get_mut(at) {
            *place = value;
        }
    }
}

/// Stands in `Debug` output for a value that must not be shown.
pub struct Redacted;

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(redacted)")
    }
}

/// The strings of an enum, each with its variant.
pub type StringVariants<T> = &'static [(&'static str, fn() -> T)];

/// Decodes a value of a string enum.
pub fn decode_string_enum<T>(value: &Value, at: &mut Path, variants: StringVariants<T>) -> Result<T> {
    let text = match value {
        Value::String(text) => text,
        other => return Err(mismatch("a string", other, at)),
    };
    find_variant(text, variants).ok_or_else(|| invalid("Invalid Word", &one_of(variants), at))
}

/// The variant of a string.
pub fn parse_string_enum<T>(text: &str, variants: StringVariants<T>) -> Result<T> {
    find_variant(text, variants)
        .ok_or_else(|| Error::new("Invalid Word", format!("The text must be {}.", one_of(variants))))
}

fn find_variant<T>(text: &str, variants: StringVariants<T>) -> Option<T> {
    variants.iter().find(|(name, _)| *name == text).map(|(_, make)| make())
}

/// Checks that a string is one of the enum.
#[must_use]
pub fn string_enum_validator<T: Decode>(variants: StringVariants<T>) -> Validator {
    decodes::<T>(one_of(variants))
}

fn one_of<T>(variants: StringVariants<T>) -> String {
    let variants: Vec<String> = variants.iter().map(|(name, _)| format!("{name:?}")).collect();
    match variants.as_slice() {
        [name] => name.clone(),
        variants => format!("one of {}", variants.join(", ")),
    }
}
