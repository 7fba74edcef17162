//! Models: the Rust structs that stand for the values of a schema.
//!
//! A model is one annotated struct. It is the schema, and it is what provider code returns: every value in it is
//! known. Inputs come as *views* of the model, structs with the same field names whose types say what is
//! guaranteed in that phase:
//!
//! | type | where it appears | required, optional attribute | computed attribute | write-only attribute |
//! |---|---|---|---|---|
//! | `M`, the model | returned from create, read, update | `T`, `Option<T>` | `T` or `Option<T>` | [`WriteOnly`], empty |
//! | [`Planned<M>`] | create, update | `T`, `Option<T>` | [`Computed<T>`] | the configured value |
//! | [`Prior<M>`] | stored state, import results | `Option<T>`; identity attributes `T` | the same | absent |
//! | [`Draft<M>`] | configuration, plan | [`Attr<T>`]: null, unknown or known | the same | [`Attr<T>`] |
//!
//! So a value that is still unknown after apply, a planned placeholder that is passed through and a stored
//! write-only value are type errors. The prior state is lenient because a state written by an older release of a
//! provider lacks the attributes that were added since.
//!
//! A model has no room for an unknown value; leaving a computed attribute out does not compile either.

mod attr;
mod block;
mod collection;
mod convert;
mod empty_model;
mod equivalence;
mod error;
mod foreign_type;
mod identity;
mod import_id;
#[doc(hidden)]
pub mod macro_support;
mod modify;
mod nested;
mod object_of;
pub mod observed;
mod parameter;
mod scalar;
mod set_of;
mod timeouts;
pub(crate) mod write_only;

use std::fmt::Debug;

pub use attr::{Attr, Computed, WriteOnly};
pub use convert::{FromService, IntoService};
pub use ferroform_macros::{AttributeValue, Convert, Identity, Model};
pub use foreign_type::{Adapter, AsText, With};
#[doc(hidden)]
pub use identity::IdentitySource;
pub use identity::{Identified, Identity, IdentityElement, IdentityValue, State};
pub use modify::{Modify, Sibling};
#[doc(hidden)]
pub use nested::Nested;
pub use object_of::ObjectOf;
#[doc(hidden)]
pub use parameter::{ParameterType, ReturnType};
pub use set_of::SetOf;
pub use timeouts::Timeouts;

use crate::diag::Result;
use crate::path::Path;
use crate::plan::{self, PlanInput};
use crate::schema::{
    Attribute, AttributeType, Block, BlockNesting, Equivalence, Presence, Schema, Text, Validator,
    take_examples,
};
use crate::value::Value;

/// One annotated struct: a schema, its values, and the views of them. Implemented by `#[derive(Model)]`.
///
/// ```
/// use ferroform::model::{Model, Planned};
///
/// /// A storage bucket.
/// #[derive(Model)]
/// #[model(version = 1)]
/// struct Bucket {
///     /// Chosen by the service.
///     #[attr(computed, identity)]
///     id: String,
///     #[attr(replace)]
///     name: String,
///     description: Option<String>,
///     #[attr(default = false)]
///     versioning: bool,
/// }
///
/// fn create(plan: Planned<Bucket>) -> Bucket {
///     let id = plan.id.known_or("b-1".to_owned());
///     Bucket { id, name: plan.name, description: plan.description, versioning: plan.versioning }
/// }
/// assert_eq!(Bucket::schema().version, 1);
/// assert_eq!(Bucket::block().description, "A storage bucket.");
/// ```
///
/// A model is also an [`AttributeValue`]: in a field of another model it is a nested attribute. The views are its
/// associated types there; a model written by hand implements both traits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "add `#[derive(Model)]` to the struct `{Self}`"
)]
pub trait Model: AttributeValue {
    /// The version of the schema, stored beside each state.
    const VERSION: i64;

    /// Whether the descriptions are plain text, by `#[model(plain)]`, and not Markdown.
    const PLAIN_DESCRIPTIONS: bool = false;

    /// The attributes and nested blocks.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::schema::Presence;
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(computed)]
    ///     id: String,
    ///     name: String,
    /// }
    ///
    /// let block = Bucket::block();
    /// assert!(block.attribute("id").is_some_and(|id| id.presence == Presence::Computed));
    /// assert!(block.attribute("name").is_some_and(|name| name.presence == Presence::Required));
    /// ```
    fn block() -> Block;

    /// The schema: [`Model::block`] with [`Model::VERSION`], and the examples of the doc comment.
    ///
    /// ```
    /// use ferroform::model::Model;
    ///
    /// /// A bucket.
    /// ///
    /// /// ```hcl
    /// /// resource "acme_bucket" "main" {
    /// ///   name = "main"
    /// /// }
    /// /// ```
    /// #[derive(Model)]
    /// struct Bucket {
    ///     name: String,
    /// }
    ///
    /// let schema = Bucket::schema();
    /// assert_eq!(schema.block.description, "A bucket.");
    /// assert_eq!(schema.examples, ["resource \"acme_bucket\" \"main\" {\n  name = \"main\"\n}\n"]);
    /// ```
    #[must_use]
    fn schema() -> Schema {
        let mut block = Self::block();
        let examples = take_examples(&mut block.description);
        let plain_descriptions = Self::PLAIN_DESCRIPTIONS;
        Schema { version: Self::VERSION, block, examples, plain_descriptions }
    }

    /// What `create` is given for a configuration: its defaults are filled in, and what the provider computes is unknown.
    /// For tests, which so name only the attributes that matter. Write-only attributes have their configured values, but for
    /// those of nested models, which are null. `validate::validate_config` checks such a configuration.
    ///
    /// The configuration is `BucketDraft { name: ..., ..Default::default() }`, where everything else is null. A stored
    /// state is made in the same way: `..BucketPrior::stub(id)` gives all of it but the identity, and
    /// `..Default::default()` where there is no identity.
    ///
    /// ```
    /// use ferroform::model::{Attr, Model};
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(computed, identity)]
    ///     id: String,
    ///     name: String,
    ///     #[attr(default = 3)]
    ///     copies: u8,
    ///     labels: Option<Vec<String>>,
    /// }
    ///
    /// let config = BucketDraft { name: Attr::Known("logs".to_owned()), ..BucketDraft::default() };
    /// let plan = Bucket::planned(config)?;
    /// assert!(plan.id.is_unknown() && plan.copies == 3 && plan.labels.is_none());
    ///
    /// let prior = BucketPrior { copies: Some(2), ..BucketPrior::stub("b-1".to_owned()) };
    /// assert!(prior.name.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// A required attribute is not configured, or a default or a modifier fails.
    fn planned(config: Self::Draft) -> Result<Self::Planned> {
        let write_only = Self::write_only(&config);
        let (block, config) = (Self::block(), config.encode());
        let input = PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config };
        let mut planned = plan::plan(input)?.state;
        write_only::restore(&mut planned, write_only);
        Decode::from_value(&planned)
    }
}

/// Configuration or plan of a model: any attribute may be null or unknown.
///
/// ```
/// use ferroform::diag::Diagnostics;
/// use ferroform::model::{Attr, Draft, Model};
///
/// #[derive(Model)]
/// struct Server {
///     name: String,
///     disks: Option<u32>,
/// }
///
/// /// Without a name there is no host name, and none yet where the name is unknown.
/// fn host_name(config: &Draft<Server>) -> Attr<String> {
///     config.name.as_ref().map(|name| format!("{name}.example.org"))
/// }
///
/// let config = ServerDraft { name: Attr::Known("www".to_owned()), ..ServerDraft::default() };
/// assert_eq!(host_name(&config), Attr::Known("www.example.org".to_owned()));
/// assert!(config.disks.is_null());
/// assert!(host_name(&ServerDraft { name: Attr::Unknown, ..config }).is_unknown());
/// ```
pub type Draft<M> = <M as AttributeValue>::Draft;

/// Plan of a model at apply: only computed attributes may be unknown.
///
/// ```
/// use ferroform::model::{Attr, Model, Planned};
///
/// #[derive(Model)]
/// struct Server {
///     #[attr(computed, identity)]
///     id: String,
///     name: String,
///     #[attr(optional, computed)]
///     zone: String,
/// }
///
/// /// What `create` returns once the service has answered.
/// fn created(plan: Planned<Server>, id: &str, zone: &str) -> Server {
///     Server { id: id.to_owned(), name: plan.name, zone: plan.zone.known_or(zone.to_owned()) }
/// }
///
/// let config = ServerDraft { name: Attr::Known("www".to_owned()), ..ServerDraft::default() };
/// let plan = Server::planned(config)?;
/// assert!(plan.id.is_unknown() && plan.zone.is_unknown());
/// assert_eq!(created(plan, "s-1", "eu-1").zone, "eu-1");
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type Planned<M> = <M as AttributeValue>::Planned;

/// Stored state of a model: any attribute but the identity may be null.
///
/// ```
/// use ferroform::model::{Model, Prior};
///
/// #[derive(Model)]
/// struct Server {
///     #[attr(computed, identity)]
///     id: String,
///     zone: String,
/// }
///
/// /// A state that an older release stored may lack the zone, but never the identity.
/// fn path(prior: &Prior<Server>) -> String {
///     format!("/zones/{}/servers/{}", prior.zone.as_deref().unwrap_or("default"), prior.id)
/// }
///
/// assert_eq!(path(&ServerPrior::stub("s-1".to_owned())), "/zones/default/servers/s-1");
/// ```
pub type Prior<M> = <M as AttributeValue>::Prior;

/// Turns a Rust value into a value of the language.
///
/// A write-only attribute always becomes null, in each view, because nothing that a provider returns may hold
/// its value.
///
/// ```
/// use ferroform::model::{Encode, Model, WriteOnly};
/// use ferroform::value::Value;
///
/// #[derive(Model)]
/// struct User {
///     name: String,
///     groups: Vec<String>,
///     password: WriteOnly<String>,
/// }
///
/// // What goes into the state, for a test of the provider.
/// let user = User { name: "ci".to_owned(), groups: vec!["deploy".to_owned()], password: WriteOnly::new() };
/// let groups = Value::list([Value::from("deploy")]);
/// let state = Value::object([("name", Value::from("ci")), ("groups", groups), ("password", Value::Null)]);
/// assert_eq!(user.encode(), state);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be turned into an attribute value",
    note = "derive `Model` for a struct and `AttributeValue` for an enum of words"
)]
pub trait Encode: Sized {
    /// The value.
    ///
    /// ```
    /// use ferroform::model::Encode;
    /// use ferroform::value::Value;
    ///
    /// assert_eq!(vec![443_u16, 80].encode(), Value::list([443.into(), 80.into()]));
    /// assert_eq!(None::<String>.encode(), Value::Null);
    /// ```
    fn encode(self) -> Value;
}

/// Makes a Rust value from a value of the language.
///
/// ```
/// use ferroform::model::{Decode, Model, Planned};
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// #[derive(Model)]
/// struct Listener {
///     port: u16,
///     protocol: Option<String>,
/// }
///
/// let listener = |port: i64| Value::object([("port", Value::from(port)), ("protocol", Value::Null)]);
/// let plan = Planned::<Listener>::from_value(&listener(443))?;
/// assert_eq!((plan.port, plan.protocol), (443, None));
///
/// let error = Planned::<Listener>::decode(&listener(70_000), &mut path!(listeners[1])).unwrap_err();
/// assert_eq!(error.iter().next().unwrap().path, Some(path!(listeners[1].port)));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from an attribute value",
    note = "derive `Model` for a struct and `AttributeValue` for an enum of words"
)]
pub trait Decode: Sized {
    /// The Rust value of `value`, which stands at the path `at`. The path is given back as it was.
    ///
    /// ```
    /// use ferroform::model::Decode;
    /// use ferroform::path;
    ///
    /// let mut at = path!(listeners[1].port);
    /// assert_eq!(u16::decode(&443.into(), &mut at)?, 443);
    /// let error = u16::decode(&70_000.into(), &mut at).unwrap_err();
    /// assert_eq!(error.iter().next().unwrap().path, Some(path!(listeners[1].port)));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every mistake in `value`, each at the full path of the part to blame. The messages never hold the value.
    fn decode(value: &Value, at: &mut Path) -> Result<Self>;

    /// The Rust value of a whole `value`, such as a state or a configuration.
    ///
    /// ```
    /// use ferroform::model::{Decode, Model, Prior};
    /// use ferroform::value::Value;
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     name: String,
    ///     copies: u8,
    /// }
    ///
    /// // A state that was stored before there were copies.
    /// let state = Value::object([("name", Value::from("logs")), ("copies", Value::Null)]);
    /// let prior = Prior::<Bucket>::from_value(&state)?;
    /// assert_eq!((prior.name.as_deref(), prior.copies), (Some("logs"), None));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`decode`](Self::decode), with paths from the root.
    fn from_value(value: &Value) -> Result<Self> {
        Self::decode(value, &mut Path::root())
    }

    /// As [`from_value`](Self::from_value), for a value that is not kept beside its view: it may be large, and hold secrets.
    ///
    /// ```
    /// use ferroform::model::Decode;
    /// use ferroform::value::Value;
    ///
    /// let keys = Value::list(["k-1", "k-2"].map(Value::from));
    /// assert_eq!(Vec::<String>::from_owned(keys)?, ["k-1", "k-2"]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_value`](Self::from_value).
    fn from_owned(value: Value) -> Result<Self> {
        let view = Self::from_value(&value);
        drop(value);
        view
    }
}

/// A Rust type that an attribute, or an element of one, may have.
///
/// Implemented for `bool`, `String`, integers, floats, [`Number`](crate::value::Number),
/// [`Dynamic`](crate::value::Dynamic), `Vec`, sets, maps by `String`, tuples, `Option` as an element, every
/// [`Model`] (which makes a nested attribute) and every enum that derives `AttributeValue`. A type of another crate
/// is one by `#[attr(with = ...)]`, see [`Adapter`].
///
/// An enum whose variants hold one value each is an object of which exactly one member is set:
///
/// ```
/// use ferroform::model::{Attr, AttributeValue, Decode, Draft, Encode, Model, Planned};
/// use ferroform::value::Value;
///
/// /// Where messages go.
/// #[derive(AttributeValue)]
/// enum Target {
///     /// A URL that is called.
///     Url(String),
///     /// Another queue.
///     Queue(QueueTarget),
/// }
///
/// #[derive(Model)]
/// struct QueueTarget {
///     name: String,
///     retries: Option<u8>,
/// }
///
/// #[derive(Model)]
/// struct Route {
///     target: Target,
/// }
///
/// let route = |url: Value| {
///     let target = Value::object([("url", url), ("queue", Value::Null)]);
///     Value::object([("target", target)])
/// };
/// let plan = Planned::<Route>::from_value(&route("http://example.com".into()))?;
/// let TargetPlanned::Url(url) = plan.target else { panic!("the other one") };
/// assert_eq!(Route { target: Target::Url(url) }.encode(), route("http://example.com".into()));
///
/// // While planning each member may be unknown.
/// let draft = Draft::<Route>::from_value(&route(Value::unknown()))?;
/// assert!(draft.target.as_known().is_some_and(|target| target.url.is_unknown() && target.queue.is_null()));
///
/// let error = Planned::<Route>::from_value(&route(Value::Null)).err().unwrap();
/// assert!(error.to_string().starts_with("target: Invalid Attribute Combination"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of an attribute",
    label = "not an attribute type",
    note = "derive `Model` for a struct (a nested attribute) and `AttributeValue` for an enum of words",
    note = "add `#[attr(with = AsText)]` for a type of another crate that is `FromStr` and `Display`",
    note = "use `WriteOnly<Option<T>>`, not `Option<WriteOnly<T>>`, and no `WriteOnly` in a collection"
)]
pub trait AttributeValue: Encode + Decode + Send + Sync + 'static {
    /// The value in a configuration or plan; each part of it may be null or unknown.
    type Draft: Decode + Encode + Clone + Debug + Send + Sync + 'static;
    /// The value in a plan at apply.
    type Planned: Decode + Encode + Clone + Debug + Send + Sync + 'static;
    /// The value in stored state.
    type Prior: Decode + Encode + Clone + Debug + Send + Sync + 'static;

    /// Whether null is a value of the type; true for `Option` only.
    const NULLABLE: bool = false;

    /// Whether there are nested blocks in the type. They cannot be in an attribute, because the protocol has no
    /// blocks within attributes.
    const HAS_BLOCKS: bool = false;

    /// Whether models stand in the type, and whether the protocol can carry their schemas there; for the derive.
    #[doc(hidden)]
    const NESTED: Nested = Nested::Plain;

    /// Whether it is a model with an identity.
    #[doc(hidden)]
    const HAS_IDENTITY: bool = false;

    /// The type of the attribute.
    ///
    /// ```
    /// use ferroform::model::AttributeValue;
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(Vec::<u16>::attribute_type().ty(), Type::list(Type::Number));
    /// ```
    fn attribute_type() -> AttributeType;

    /// The configured values of the write-only attributes of a model, which the configuration leaves out when it is encoded.
    #[doc(hidden)]
    #[must_use]
    fn write_only(config: &Self::Draft) -> Vec<(&'static str, Value)> {
        let _ = config;
        Vec::new()
    }

    /// Which values of the type mean the same; see [`semantic`](crate::semantic).
    ///
    /// ```
    /// use ferroform::model::AttributeValue;
    /// use ferroform::semantic::CaseInsensitive;
    ///
    /// /// Whether a state may keep another text than the one that the service shows.
    /// fn has_other_forms<T: AttributeValue>() -> bool {
    ///     !T::equivalence().is_exact()
    /// }
    /// assert!(has_other_forms::<CaseInsensitive>() && !has_other_forms::<String>());
    /// ```
    #[must_use]
    fn equivalence() -> Equivalence {
        Equivalence::exact()
    }

    /// The checks that every configured value must pass to be decoded.
    ///
    /// ```
    /// use ferroform::model::AttributeValue;
    ///
    /// assert_eq!(u16::validators()[0].description, "a whole number from 0 to 65535");
    /// assert!(String::validators().is_empty());
    /// ```
    #[must_use]
    fn validators() -> Vec<Validator> {
        Vec::new()
    }

    /// An attribute of the type in a schema written by hand, with the checks and the equivalence of the type: an integer
    /// of a range, where the type of the schema alone would admit any number, or a word of an enum.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::model::AttributeValue;
    /// use ferroform::schema::{Block, Presence};
    /// use ferroform::ty::Type;
    /// use ferroform::validate::validate;
    /// use ferroform::value::{Number, Value};
    ///
    /// let block = Block::new([u16::attribute("port", Presence::Required)]);
    /// assert_eq!(block.ty(), Type::object([("port", Type::Number)]));
    ///
    /// let mistakes = |port: Number| {
    ///     let mut found = Diagnostics::default();
    ///     validate(&block, &Value::object([("port", Value::from(port))]), true, &mut found);
    ///     found.len()
    /// };
    /// assert_eq!(mistakes(443.into()), 0);
    /// assert_eq!(mistakes(65_536.into()), 1);
    /// assert_eq!(mistakes("1.5".parse()?), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    fn attribute(name: impl Into<Text>, presence: Presence) -> Attribute {
        // What only the provider sets is never configured.
        let validators = if presence == Presence::Computed { Vec::new() } else { Self::validators() };
        let equivalence = Self::equivalence();
        Attribute::new(name, Self::attribute_type(), presence).validators(validators).equivalence(equivalence)
    }
}

/// A Rust type that a nested block may have: `M`, `Option<M>`, `Vec<M>`, [`SetOf<M>`](SetOf) or a map of `M` by
/// `String`, for a model `M`.
///
/// ```
/// use ferroform::model::{BlockValue, Model};
/// use ferroform::schema::BlockNesting;
///
/// #[derive(Model)]
/// struct Rule {
///     port: u16,
/// }
///
/// #[derive(Model)]
/// struct Firewall {
///     /// `rule { port = 443 }`, any number of times.
///     #[attr(block)]
///     rule: Vec<Rule>,
/// }
///
/// assert_eq!(Firewall::block().block("rule").unwrap().nesting, BlockNesting::List);
/// // `Rule` is exactly one block, `Option<Rule>` at most one.
/// assert_eq!((Rule::NESTING, Rule::MIN_ITEMS, Rule::MAX_ITEMS), (BlockNesting::Single, 1, 1));
/// assert_eq!(<Option<Rule>>::MIN_ITEMS, 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a nested block",
    label = "not a model, nor a list, set or map of one",
    note = "a block is `M`, `Option<M>`, `Vec<M>`, `SetOf<M>` or `BTreeMap<String, M>` where `M` derives `Model`",
    note = "remove `block` to make this an attribute"
)]
pub trait BlockValue: AttributeValue {
    /// How often the block may be written.
    const NESTING: BlockNesting;
    /// The least number of blocks that the type admits.
    const MIN_ITEMS: u32 = 0;
    /// The greatest number of blocks that the type admits; 0 for no limit.
    const MAX_ITEMS: u32 = 0;

    /// What is in one of the blocks.
    ///
    /// ```
    /// use ferroform::model::{BlockValue, Model};
    ///
    /// #[derive(Model)]
    /// struct Rule {
    ///     port: u16,
    /// }
    ///
    /// // `rule { port = 443 }`, any number of times.
    /// assert!(Vec::<Rule>::element().attribute("port").is_some());
    /// ```
    fn element() -> Block;
}
