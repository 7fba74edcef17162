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
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Presence};
    /// use ferroform::ty::Type;
    ///
    /// let name = Attribute::required("name", Type::String);
    /// assert_eq!(name.presence, Presence::Required);
    /// ```
    #[must_use]
    pub fn required(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::Required)
    }

    /// An attribute that the configuration may set.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Presence};
    /// use ferroform::ty::Type;
    ///
    /// let tags = Attribute::optional("tags", Type::map(Type::String));
    /// assert_eq!(tags.presence, Presence::Optional);
    /// ```
    #[must_use]
    pub fn optional(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::Optional)
    }

    /// An attribute that only the provider sets.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Presence};
    /// use ferroform::ty::Type;
    ///
    /// let id = Attribute::computed("id", Type::String);
    /// assert_eq!(id.presence, Presence::Computed);
    /// ```
    #[must_use]
    pub fn computed(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::Computed)
    }

    /// An attribute that the provider sets where the configuration does not.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Presence};
    /// use ferroform::ty::Type;
    ///
    /// // The service chooses a zone where the user does not.
    /// let zone = Attribute::optional_computed("zone", Type::String);
    /// assert_eq!(zone.presence, Presence::OptionalComputed);
    /// ```
    #[must_use]
    pub fn optional_computed(name: impl Into<Text>, ty: impl Into<AttributeType>) -> Self {
        Self::new(name, ty, Presence::OptionalComputed)
    }

    /// An attribute of that presence and nothing else.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Presence};
    /// use ferroform::ty::Type;
    ///
    /// // Who may set it is known at run time only.
    /// let field = |name: &'static str, is_read_only: bool| {
    ///     let presence = if is_read_only { Presence::Computed } else { Presence::Optional };
    ///     Attribute::new(name, Type::String, presence)
    /// };
    /// assert!(field("id", true).presence.is_computed() && field("label", false).presence.is_optional());
    /// ```
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
        ///
        /// ```
        /// use ferroform::schema::Attribute;
        /// use ferroform::ty::Type;
        ///
        /// let name = Attribute::required("name", Type::String).description("Unique within the *region*.");
        /// assert_eq!(name.description, "Unique within the *region*.");
        /// ```
        description(text: impl Into<Text>) = text.into();
        /// Deprecates it: why not to use it any more, and what instead.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform::diag::Diagnostics;
        /// # use ferroform::validate::validate;
        ///
        /// let bucket = Block::new([Attribute::optional("acl", Type::String).deprecation("Use `policy` instead.")]);
        /// # let mut found = Diagnostics::default();
        /// # validate(&bucket, &Value::object([("acl", Value::from("private"))]), true, &mut found);
        /// // Who sets it is warned.
        /// assert_eq!(found.iter().next().unwrap().to_string(), "acl: Deprecated Attribute: Use `policy` instead.");
        /// ```
        deprecation(text: impl Into<Text>) = Some(text.into());
        /// Hides its values.
        ///
        /// ```
        /// use ferroform::schema::Attribute;
        /// use ferroform::ty::Type;
        ///
        /// let token = Attribute::optional("token", Type::String).sensitive();
        /// assert!(token.sensitive);
        /// ```
        sensitive() = true;
        /// Keeps its values out of plans and states.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let user = Block::new([Attribute::optional("password", Type::String).write_only()]);
        /// let config = Value::object([("password", Value::from("hunter2"))]);
        /// # let input = PlanInput { block: &user, config: &config, prior: &Value::Null, proposed: &config };
        /// # let planned = plan(input)?.state;
        /// assert_eq!(planned, Value::object([("password", Value::Null)]));
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        write_only() = true;
        /// Gives it a value where the configuration has none.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, Default};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let copies = Attribute::optional_computed("copies", Type::Number).default(Default::Value(3.into()));
        /// let bucket = Block::new([copies]);
        /// # let config = bucket.empty();
        /// # let input = PlanInput { block: &bucket, config: &config, prior: &Value::Null, proposed: &config };
        /// # let planned = plan(input)?.state;
        /// assert_eq!(planned, Value::object([("copies", Value::from(3))]));
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        default(default: Default) = Some(default);
        /// Keeps its prior value where the planned one would be unknown.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let id = Attribute::computed("id", Type::String).keep();
        /// let bucket = Block::new([id, Attribute::required("name", Type::String)]);
        /// let of = |id: Value, name: &str| Value::object([("id", id), ("name", name.into())]);
        /// let (prior, config) = (of("b-1".into(), "logs"), of(Value::Null, "archive"));
        /// # let planned = plan(PlanInput { block: &bucket, config: &config, prior: &prior, proposed: &config })?.state;
        /// assert_eq!(planned, of("b-1".into(), "archive"));
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        keep() = true;
        /// Makes it unknown only where one of these changes.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let price = Attribute::computed("price", Type::Number).recompute_on(["size".into()]);
        /// let name = Attribute::required("name", Type::String);
        /// let server = Block::new([name, Attribute::required("size", Type::Number), price]);
        /// # let of = |name: &str, size: i64, price: Value| {
        /// #     Value::object([("name", name.into()), ("size", size.into()), ("price", price)])
        /// # };
        /// # let planned_price = |name: &str, size: i64| {
        /// #     let (config, prior) = (of(name, size, Value::Null), of("a", 1, 10.into()));
        /// #     let proposed = of(name, size, 10.into());
        /// #     let input = PlanInput { block: &server, config: &config, prior: &prior, proposed: &proposed };
        /// #     plan(input).unwrap().state.get(&ferroform::path!(price)).cloned().unwrap()
        /// # };
        /// // The server `a` of the size 1 costs 10.
        /// assert_eq!(planned_price("b", 1), Value::from(10));
        /// assert!(planned_price("a", 2).is_unknown());
        /// ```
        recompute_on(targets: impl IntoIterator<Item = Target>) = Some(targets.into_iter().collect());
        /// Says what is known of the value before the provider computes it.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::value::{Refinements, Unknown, Value};
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let arn = Unknown::refined(Refinements::new().not_null().prefix("arn:"));
        /// let bucket = Block::new([Attribute::computed("arn", Type::String).unknown(arn)]);
        /// # let config = bucket.empty();
        /// # let input = PlanInput { block: &bucket, config: &config, prior: &Value::Null, proposed: &config };
        /// # let planned = plan(input)?.state;
        /// let Some(Value::Unknown(planned)) = planned.get(&ferroform::path!(arn)) else { panic!("a known value") };
        /// assert!(planned.admits(&"arn:cloud:b-1".into()) && !planned.admits(&Value::Null));
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        unknown(unknown: Unknown) = unknown;
        /// Makes some of its values equivalent.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::semantic::CaseInsensitive;
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let host = Attribute::required("host", Type::String).equivalence(CaseInsensitive::equivalence());
        /// let record = Block::new([host]);
        /// let of = |host: &str| Value::object([("host", host.into())]);
        /// let (prior, config) = (of("www.example.org"), of("WWW.example.org"));
        /// # let planned = plan(PlanInput { block: &record, config: &config, prior: &prior, proposed: &config })?.state;
        /// assert_eq!(planned, prior);
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        equivalence(equivalence: Equivalence) = equivalence;
        /// Lets apply record the planned value whatever the service shows.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::complete;
        ///
        /// // The service takes some minutes until it shows the new size.
        /// let disk = Block::new([Attribute::required("size", Type::Number).unverified()]);
        /// let of = |size: i64| Value::object([("size", size.into())]);
        /// let (planned, mut observed) = (of(20), of(10));
        /// # let drift = complete(&disk, &planned, &mut observed);
        /// assert!(drift.is_empty());
        /// assert_eq!(observed, planned);
        /// ```
        unverified() = true;
        /// Tells elements of a set apart by it.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// // A rule of the same port is the same rule, and keeps what the service computed for it.
        /// let rule = [
        ///     Attribute::required("port", Type::Number).key(),
        ///     Attribute::required("source", Type::String),
        ///     Attribute::computed("id", Type::String).keep(),
        /// ];
        /// let firewall = Block::new([Attribute::required("rules", NestedObject::new(Nesting::Set, rule))]);
        /// # let of = |source: &str, id: Value| {
        /// #     let rule = Value::object([("port", 443.into()), ("source", source.into()), ("id", id)]);
        /// #     Value::object([("rules", Value::set([rule]))])
        /// # };
        /// let (prior, config) = (of("10.0.0.0/8", "r-1".into()), of("0.0.0.0/0", Value::Null));
        /// # let planned = plan(PlanInput { block: &firewall, config: &config, prior: &prior, proposed: &config })?.state;
        /// assert_eq!(planned, of("0.0.0.0/0", "r-1".into()));
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        key() = true;
        /// Says whether a change replaces the object.
        ///
        /// ```
        /// use ferroform::path;
        /// use ferroform::schema::{Attribute, Block, Replace};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let bucket = Block::new([Attribute::required("region", Type::String).replace(Replace::OnChange)]);
        /// let of = |region: &str| Value::object([("region", region.into())]);
        /// let (prior, config) = (of("eu"), of("us"));
        /// # let plan = plan(PlanInput { block: &bucket, config: &config, prior: &prior, proposed: &config })?;
        /// assert_eq!(plan.requires_replace, [path!(region)]);
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        replace(replace: Replace) = replace;
        /// Sets the steps of planning that are its own.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, Modifier};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let host_name = Modifier::new("The name of the server where nothing is configured.", |host_name| {
        ///     if let (true, Some(name)) = (host_name.config.is_null(), host_name.sibling("name")) {
        ///         host_name.planned = name.planned.clone();
        ///     }
        ///     Ok(())
        /// });
        /// let host_name = Attribute::optional_computed("host_name", Type::String).modifiers([host_name]);
        /// let server = Block::new([Attribute::required("name", Type::String), host_name]);
        /// let of = |name: &str, host_name: Value| Value::object([("name", name.into()), ("host_name", host_name)]);
        /// # let config = of("www", Value::Null);
        /// # let input = PlanInput { block: &server, config: &config, prior: &Value::Null, proposed: &config };
        /// # let planned = plan(input)?.state;
        /// assert_eq!(planned, of("www", "www".into()));
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        modifiers(modifiers: impl IntoIterator<Item = Modifier>) = modifiers.into_iter().collect();
        /// Shows the value that is configured in the errors of its validators.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::number::between;
        /// use ferroform::value::Value;
        /// # use ferroform::diag::Diagnostics;
        /// # use ferroform::validate::validate;
        ///
        /// let port = Attribute::required("port", Type::Number).validators([between(1, 65_535).into()]).show_value();
        /// let listener = Block::new([port]);
        /// # let mut found = Diagnostics::default();
        /// # validate(&listener, &Value::object([("port", Value::from(70_000))]), true, &mut found);
        /// let error = found.iter().next().unwrap();
        /// assert_eq!(error.detail, "`port` must be between 1 and 65535. The value is 70000.");
        /// ```
        show_value() = true;
        /// Sets the checks that are its own.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::text::{length, one_of};
        /// use ferroform::value::Value;
        /// # use ferroform::diag::Diagnostics;
        /// # use ferroform::validate::validate;
        ///
        /// let disk = Block::new([
        ///     Attribute::required("name", Type::String).validators([length(1..=63).into()]),
        ///     Attribute::optional("kind", Type::String).validators([one_of(["ssd", "hdd"]).into()]),
        /// ]);
        /// # let accepts = |name: &str, kind: &str| {
        /// #     let mut found = Diagnostics::default();
        /// #     validate(&disk, &Value::object([("name", name.into()), ("kind", kind.into())]), true, &mut found);
        /// #     found.is_empty()
        /// # };
        /// assert!(accepts("data", "ssd") && !accepts("", "ssd") && !accepts("data", "tape"));
        /// ```
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
    }

    /// Requires that the provider computes a value: a prior null is not kept.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// # use ferroform_core::plan::{PlanInput, plan};
    ///
    /// // The states of an older release lack the attribute, so they have null there.
    /// let created = Attribute::computed("created", Type::String).keep().not_nullable();
    /// let bucket = Block::new([Attribute::required("name", Type::String), created]);
    /// let of = |name: &str, created: Value| Value::object([("name", name.into()), ("created", created)]);
    /// let (prior, config) = (of("logs", Value::Null), of("archive", Value::Null));
    /// # let planned = plan(PlanInput { block: &bucket, config: &config, prior: &prior, proposed: &config })?.state;
    /// assert_eq!(planned, of("archive", Value::unknown()));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
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
    ///
    /// ```
    /// use ferroform::schema::Presence;
    ///
    /// assert!(Presence::Computed.is_computed() && Presence::OptionalComputed.is_computed());
    /// assert!(!Presence::Optional.is_computed());
    /// ```
    #[must_use]
    pub const fn is_computed(self) -> bool {
        matches!(self, Self::Computed | Self::OptionalComputed)
    }

    /// Whether the configuration may leave it out and may set it.
    ///
    /// ```
    /// use ferroform::schema::Presence;
    ///
    /// assert!(Presence::Optional.is_optional() && Presence::OptionalComputed.is_optional());
    /// assert!(!Presence::Required.is_optional() && !Presence::Computed.is_optional());
    /// ```
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
    ///
    /// ```
    /// use ferroform::schema::{Attribute, NestedObject, Nesting};
    /// use ferroform::ty::Type;
    ///
    /// let rule = NestedObject::new(Nesting::Map, [Attribute::required("port", Type::Number)]);
    /// let rules = Attribute::optional("rules", rule);
    /// assert_eq!(rules.ty.ty(), Type::map(Type::object([("port", Type::Number)])));
    /// ```
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
    ///
    /// ```
    /// use ferroform::schema::{Attribute, NestedObject, Nesting};
    /// use ferroform::ty::Type;
    ///
    /// // `owner = { name = "ops" }`
    /// let owner = NestedObject::new(Nesting::Single, [Attribute::required("name", Type::String)]);
    /// assert_eq!(owner.ty(), Type::object([("name", Type::String)]));
    /// ```
    #[must_use]
    pub fn new(nesting: Nesting, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        let attributes = attributes.into_iter().collect();
        Self { nesting, attributes, validators: Vec::new(), form: Form::Attribute }
    }

    setters! {
        /// Sets the checks of each object as a whole.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::relation::exactly_one_of;
        /// use ferroform::value::Value;
        /// # use ferroform::diag::Diagnostics;
        /// # use ferroform::validate::validate;
        ///
        /// // A rule is for a network or for a group.
        /// let rule = ["network", "group"].map(|name| Attribute::optional(name, Type::String));
        /// let rule = NestedObject::new(Nesting::List, rule).validators([exactly_one_of(["network", "group"]).into()]);
        /// let firewall = Block::new([Attribute::optional("rules", rule)]);
        /// # let accepts = |network: Value, group: Value| {
        /// #     let rules = Value::list([Value::object([("network", network), ("group", group)])]);
        /// #     let mut found = Diagnostics::default();
        /// #     validate(&firewall, &Value::object([("rules", rules)]), true, &mut found);
        /// #     found.is_empty()
        /// # };
        /// assert!(accepts("10.0.0.0/8".into(), Value::Null) && !accepts(Value::Null, Value::Null));
        /// ```
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
    }

    /// A list or set that may be written as blocks as well; see [`Form::Blocks`].
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Form, NestedObject, Nesting};
    /// use ferroform::ty::Type;
    ///
    /// // `rule { port = 80 }`, as well as `rule = [{ port = 80 }]`.
    /// let rule = NestedObject::as_blocks(Nesting::List, [Attribute::required("port", Type::Number)]);
    /// assert_eq!(rule.form, Form::Blocks);
    /// ```
    #[must_use]
    pub fn as_blocks(nesting: Nesting, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        Self { form: Form::Blocks, ..Self::new(nesting, attributes) }
    }

    /// The type of the whole attribute.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, NestedObject, Nesting};
    /// use ferroform::ty::Type;
    ///
    /// let rules = NestedObject::new(Nesting::Set, [Attribute::required("port", Type::Number)]);
    /// assert_eq!(rules.ty(), Type::set(Type::object([("port", Type::Number)])));
    /// ```
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
    ///
    /// ```
    /// use ferroform::schema::{Attribute, NestedObject, Nesting};
    /// use ferroform::ty::Type;
    ///
    /// let rules = NestedObject::new(Nesting::Set, [Attribute::required("port", Type::Number)]);
    /// assert_eq!(rules.element_ty(), Type::object([("port", Type::Number)]));
    /// ```
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
