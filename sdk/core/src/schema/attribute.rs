//! Attributes: one named value of a body.

use super::setters::setters;
use crate::schema::{Default, Equivalence, Modifier, Replace, Target, Text, Validator};
use crate::ty::Type;
use crate::value::Unknown;

/// An attribute (protocol `Schema.Attribute`).
///
/// ```
/// use ferroform::schema::{Attribute, Replace};
/// use ferroform::ty::Type;
///
/// let id = Attribute::computed("id", Type::String).keep();
/// let name = Attribute::required("name", Type::String).replace(Replace::OnChange).description("What it is called.");
/// assert!(id.keep && name.description.contains("called"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Attribute {
    /// The name.
    pub name: Text,
    /// What its values are.
    pub ty: AttributeType,
    /// Who may set it.
    pub presence: Presence,
    /// Markdown.
    pub description: Text,
    /// Why not to use it any more, and what instead.
    pub deprecation: Option<Text>,
    /// Whether core hides its values.
    pub sensitive: bool,
    /// Whether its values are seen in the configuration only and never stored (Terraform and OpenTofu 1.11).
    pub write_only: bool,
    /// The value when the configuration has none; needs [`Presence::OptionalComputed`].
    pub default: Option<Default>,
    /// Whether a planned value that would be unknown keeps its prior value instead.
    pub keep: bool,
    /// Whether the provider may leave a computed value null. If not, a prior null, as a state has it that was stored
    /// before the attribute was added, is not kept.
    pub nullable: bool,
    /// What the computed value is made from: it is unknown in a plan only where one of these changes. `None` is any
    /// change of the object. Each target is one name, of an attribute or block in the same object or in one around.
    pub recompute_on: Option<Vec<Target>>,
    /// The unknown value that a plan has for it where the provider computes it, with what is known of that value.
    pub unknown: Unknown,
    /// Which of its values are equivalent, so that the older representation is kept.
    pub equivalence: Equivalence,
    /// Whether apply records the planned value even if the service shows another one yet; the next read shows that.
    pub unverified: bool,
    /// Whether it tells the elements of a set apart, together with the other keys among its siblings. An element with
    /// the key of a stored one is that one, whatever else has changed.
    pub key: bool,
    /// Whether a change of its value forces the object to be replaced.
    pub replace: Replace,
    /// Further steps of planning, in their order, between keeping the prior value and replacement.
    pub modifiers: Vec<Modifier>,
    /// Further checks of its configured value.
    pub validators: Vec<Validator>,
    /// Whether errors of validation may show its configured value. Core does not tell the provider which values a
    /// configuration marks as sensitive, so this says that the attribute never holds a secret, whatever a user sets it from.
    pub show_value: bool,
}

impl Attribute {
    /// An attribute that the configuration must set.
    #[must_use]
    pub fn required(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::Required)
    }

    /// An attribute that the configuration may set.
    #[must_use]
    pub fn optional(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::Optional)
    }

    /// An attribute that only the provider sets.
    #[must_use]
    pub fn computed(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::Computed)
    }

    /// An attribute that the provider sets where the configuration does not.
    #[must_use]
    pub fn optional_computed(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::OptionalComputed)
    }

    /// An attribute of that presence and nothing else.
    #[must_use]
    pub fn new(name: impl Into<Text>, ty: impl Into<AttributeType>, presence: Presence) -> Self {
        Self {
            name: name.into(),
            ty: ty.into(),
            presence,
            description: Text::Borrowed(""),
            deprecation: None,
            sensitive: false,
            write_only: false,
            default: None,
            keep: false,
            nullable: true,
            recompute_on: None,
            unknown: Unknown::default(),
            equivalence: Equivalence::exact(),
            unverified: false,
            key: false,
            replace: Replace::Never,
            modifiers: Vec::new(),
            validators: Vec::new(),
            show_value: false,
        }
    }

    setters! {
        /// Describes it, in Markdown.
        description(text: impl Into<Text>) = text.into();
        /// Deprecates it: why not to use it any more, and what instead.
        deprecation(text: impl Into<Text>) = Some(text.into());
        /// Hides its values.
        sensitive() = true;
        /// Keeps its values out of plans and states.
        write_only() = true;
        /// Gives it a value where the configuration has none.
        default(default: Default) = Some(default);
        /// Keeps its prior value where the planned one would be unknown.
        keep() = true;
        /// Makes it unknown only where one of these changes.
        recompute_on(targets: impl IntoIterator<Item = Target>) = Some(targets.into_iter().collect());
        /// Says what is known of the value before the provider computes it.
        unknown(unknown: Unknown) = unknown;
        /// Makes some of its values equivalent.
        equivalence(equivalence: Equivalence) = equivalence;
        /// Lets apply record the planned value whatever the service shows.
        unverified() = true;
        /// Tells elements of a set apart by it.
        key() = true;
        /// Says whether a change replaces the object.
        replace(replace: Replace) = replace;
        /// Sets the steps of planning that are its own.
        modifiers(modifiers: impl IntoIterator<Item = Modifier>) = modifiers.into_iter().collect();
        /// Shows the value that is configured in the errors of its validators.
        show_value() = true;
        /// Sets the checks that are its own.
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
    }

    /// Requires that the provider computes a value: a prior null is not kept.
    #[must_use]
    pub fn not_nullable(self) -> Self {
        Self { nullable: false, ..self }
    }
}

/// Who may set an attribute.
///
/// ```
/// use ferroform::schema::{Attribute, Presence};
/// use ferroform::ty::Type;
///
/// /// Who may set an attribute, by the words of a document that describes the service.
/// fn presence(access: &str) -> Presence {
///     match access {
///         "read-only" => Presence::Computed,
///         "required" => Presence::Required,
///         _ => Presence::OptionalComputed,
///     }
/// }
///
/// assert!(Attribute::new("id", Type::String, presence("read-only")).presence.is_computed());
/// let zone = Attribute::new("zone", Type::String, presence("optional"));
/// assert!(zone.presence.is_computed() && zone.presence.is_optional());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presence {
    /// The configuration must.
    Required,
    /// The configuration may.
    Optional,
    /// Only the provider does.
    Computed,
    /// The configuration may, and the provider does where the configuration does not.
    OptionalComputed,
}

impl Presence {
    /// Whether the provider may set it.
    #[must_use]
    pub const fn is_computed(self) -> bool {
        matches!(self, Self::Computed | Self::OptionalComputed)
    }

    /// Whether the configuration may leave it out and may set it.
    #[must_use]
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::Optional | Self::OptionalComputed)
    }
}

/// What the values of an attribute are: of a plain type, or objects whose attributes have schemas of their own
/// (protocol `type` and `nested_type`; the latter in protocol 6 only).
///
/// ```
/// use ferroform::schema::{Attribute, AttributeType, NestedObject, Nesting};
/// use ferroform::ty::Type;
///
/// let rule = NestedObject::new(Nesting::List, [Attribute::required("port", Type::Number)]);
/// let firewall = [Attribute::optional("labels", Type::map(Type::String)), Attribute::required("rules", rule)];
/// let nested: Vec<_> = firewall.iter().filter(|it| matches!(it.ty, AttributeType::Nested(_))).collect();
/// assert_eq!(nested[0].name, "rules");
/// // Both have a type all the same.
/// assert_eq!(firewall[0].ty.ty(), Type::map(Type::String));
/// assert_eq!(firewall[1].ty.ty(), Type::list(Type::object([("port", Type::Number)])));
/// ```
#[derive(Debug, Clone)]
pub enum AttributeType {
    /// Values of a type.
    Plain(Type),
    /// Nested attributes.
    Nested(NestedObject),
}

impl AttributeType {
    /// The type of the values.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self {
            Self::Plain(ty) => ty.clone(),
            Self::Nested(object) => object.ty(),
        }
    }
}

impl From<Type> for AttributeType {
    fn from(ty: Type) -> Self {
        Self::Plain(ty)
    }
}

impl From<NestedObject> for AttributeType {
    fn from(object: NestedObject) -> Self {
        Self::Nested(object)
    }
}

/// Nested attributes (protocol `Schema.Object`).
///
/// ```
/// use ferroform::schema::{Attribute, NestedObject, Nesting};
/// use ferroform::ty::Type;
///
/// let rule = NestedObject::new(Nesting::List, [Attribute::required("port", Type::Number)]);
/// assert_eq!(rule.ty(), Type::list(Type::object([("port", Type::Number)])));
/// let rules = Attribute::optional("rules", rule);
/// # let _ = rules;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NestedObject {
    /// How the objects are kept.
    pub nesting: Nesting,
    /// The attributes of each object.
    pub attributes: Vec<Attribute>,
    /// Checks of each object as a whole.
    pub validators: Vec<Validator>,
    /// How the objects are written.
    pub form: Form,
}

impl NestedObject {
    /// Nested attributes of that nesting.
    #[must_use]
    pub fn new(nesting: Nesting, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        let attributes = attributes.into_iter().collect();
        Self { nesting, attributes, validators: Vec::new(), form: Form::Attribute }
    }

    setters! {
        /// Sets the checks of each object as a whole.
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
    }

    /// A list or set that may be written as blocks as well; see [`Form::Blocks`].
    #[must_use]
    pub fn as_blocks(nesting: Nesting, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        Self { form: Form::Blocks, ..Self::new(nesting, attributes) }
    }

    /// The type of the whole attribute.
    #[must_use]
    pub fn ty(&self) -> Type {
        let element = self.element_ty();
        match self.nesting {
            Nesting::Single => element,
            Nesting::List => Type::list(element),
            Nesting::Set => Type::set(element),
            Nesting::Map => Type::map(element),
        }
    }

    /// The type of one object.
    #[must_use]
    pub fn element_ty(&self) -> Type {
        Type::object(self.attributes.iter().map(|attribute| (&*attribute.name, attribute.ty.ty())))
    }
}

/// How the objects of a nested attribute are written.
///
/// ```
/// use ferroform::schema::{Attribute, Block, Form, NestedObject, Nesting, Schema};
/// use ferroform::ty::Type;
///
/// // `rule { port = 80 }` for configurations of an older release, and `rule = []` to remove all rules.
/// let rule = NestedObject::as_blocks(Nesting::List, [Attribute::required("port", Type::Number)]);
/// assert_eq!(rule.form, Form::Blocks);
/// let firewall = Schema::new(Block::new([Attribute::optional_computed("rule", rule)]));
/// assert!(firewall.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// As the value of an attribute: `rule = [{ port = 80 }]`.
    Attribute,
    /// The same, or as repeated blocks: `rule { port = 80 }`. On the wire the attribute is a plain list or set of
    /// objects, which core takes for either. No block at all leaves the attribute out, `rule = []` empties it; so it
    /// is optional and computed. Core does so only where everything else in the schema could have been made before
    /// there were nested attributes, which [`Schema::check`](crate::schema::Schema::check) verifies. Works with
    /// protocol 5 too.
    Blocks,
}

/// How the objects of nested attributes are kept (protocol `Schema.Object.NestingMode`).
///
/// ```
/// use ferroform::schema::{Attribute, NestedObject, Nesting};
/// use ferroform::ty::Type;
///
/// let disk = |nesting| NestedObject::new(nesting, [Attribute::required("size", Type::Number)]);
/// let one = Type::object([("size", Type::Number)]);
/// // `disk = { size = 10 }`, `disk = [{ size = 10 }]` and `disk = { data = { size = 10 } }`.
/// assert_eq!(disk(Nesting::Single).ty(), one);
/// assert_eq!(disk(Nesting::List).ty(), Type::list(one.clone()));
/// assert_eq!(disk(Nesting::Map).ty(), Type::map(one));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// One object.
    Single,
    /// A list of objects.
    List,
    /// A set of objects.
    Set,
    /// A map of objects.
    Map,
}
