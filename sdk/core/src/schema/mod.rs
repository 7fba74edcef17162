//! Schemas as plain data: what a resource, a data source or a provider configuration may hold.
//!
//! The derive produces these values; everything it does can be written by hand. A constructor takes what each schema says,
//! methods set the rest, and what schemas consist of can be read from public fields:
//!
//! ```
//! use ferroform::schema::{Attribute, Block, Schema};
//! use ferroform::ty::Type;
//!
//! let schema = Schema::new(Block::new([
//!     Attribute::computed("id", Type::String).keep(),
//!     Attribute::optional("token", Type::String).sensitive(),
//! ]));
//! assert!(schema.check().is_ok() && schema.block.attributes[1].sensitive);
//! ```
//!
//! Beside what goes over the wire a schema holds defaults, validators, replace rules and examples, so that planning and
//! documentation work from one source.

mod attribute;
mod check;
mod equivalence;
mod examples;
mod function;
mod identity;
mod kind;
mod modifier;
mod references;
mod setters;
mod timeouts;
mod validator;
#[doc(hidden)]
pub mod walk;

use std::borrow::Cow;

pub use attribute::{Attribute, AttributeType, Form, NestedObject, Nesting, Presence};
#[doc(hidden)]
pub use check::SchemaRole;
pub use check::{SchemaError, SchemaErrors};
pub use equivalence::Equivalence;
pub(crate) use equivalence::{EquivalenceRule, InnerEquivalence};
pub(crate) use examples::take as take_examples;
pub use function::{FunctionParameter, FunctionSignature};
pub use identity::{ForImport, IdentityAttribute, IdentitySchema};
pub use kind::Kind;
pub(crate) use modifier::no_sibling;
pub use modifier::{Default, DefaultContext, Environment, Modification, Modifier, Replace, Sibling};
use setters::setters;
pub use timeouts::{Operation, Timeouts};
pub(crate) use timeouts::{nanoseconds, parse as parse_duration};
pub(crate) use validator::Level;
pub use validator::{Target, TargetValue, ValidationTarget, Validator, ValuePresence};

use crate::ty::Type;
use crate::value::{Entries, Set, Value, implied};

/// A text that is usually a constant of the program.
///
/// ```
/// use ferroform::schema::{Attribute, Text};
/// use ferroform::ty::Type;
///
/// /// The description of an attribute, where the document of the service has one.
/// fn description(documented: Option<&str>) -> Text {
///     match documented {
///         Some(text) => format!("{text} See the documentation of the service.").into(),
///         None => "Not documented.".into(),
///     }
/// }
///
/// let region = Attribute::required("region", Type::String).description(description(Some("Where the server is.")));
/// assert!(region.description.starts_with("Where the server is."));
/// ```
pub type Text = Cow<'static, str>;

/// The schema of a resource, data source or configuration (protocol `Schema`).
///
/// ```
/// use ferroform::schema::{
///     Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Replace, Schema,
/// };
/// use ferroform::ty::Type;
///
/// let tag = [Attribute::required("key", Type::String), Attribute::optional("value", Type::String)];
/// let rule = Block::new([Attribute::required("port", Type::Number)]);
/// let block = Block::new([
///     Attribute::computed("id", Type::String).keep(),
///     Attribute::required("name", Type::String).replace(Replace::OnChange),
///     Attribute::optional("password", Type::String).sensitive(),
///     Attribute::optional("tags", NestedObject::new(Nesting::Set, tag)),
/// ]);
/// let schema = Schema::new(block.blocks([NestedBlock::new("rule", BlockNesting::List, rule)])).version(1);
/// schema.check()?;
/// # Ok::<(), ferroform::schema::SchemaErrors>(())
/// ```
#[derive(Debug, Clone, std::default::Default)]
#[non_exhaustive]
pub struct Schema {
    /// The version stored beside each state; from 0.
    pub version: i64,
    /// What is at the root.
    pub block: Block,
    /// Configurations that show how it is used, in the language of Terraform; for documentation. Of a derived schema
    /// they are the blocks of the doc comment that are fenced as `hcl`, `terraform` or `tf`.
    pub examples: Vec<Text>,
    /// Whether the descriptions in it are plain text; otherwise they are Markdown.
    pub plain_descriptions: bool,
}

impl Schema {
    /// Version 0 of a schema.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    ///
    /// let bucket = Schema::new(Block::new([Attribute::required("name", Type::String)]));
    /// assert_eq!(bucket.version, 0);
    /// ```
    #[must_use]
    pub fn new(block: Block) -> Self {
        Self { block, ..Self::default() }
    }

    setters! {
        /// Sets the version that is stored beside each state.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, Schema};
        /// use ferroform::ty::Type;
        ///
        /// // Version 0 had `size` as text.
        /// let disk = Schema::new(Block::new([Attribute::required("size", Type::Number)])).version(1);
        /// assert_eq!(disk.version, 1);
        /// ```
        version(version: i64) = version;
        /// Shows how it is used, in the language of Terraform.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, Schema};
        /// use ferroform::ty::Type;
        ///
        /// let example = "resource \"cloud_bucket\" \"logs\" {\n  name = \"logs\"\n}\n";
        /// let bucket = Schema::new(Block::new([Attribute::required("name", Type::String)])).examples([example.into()]);
        /// assert_eq!(bucket.examples, [example]);
        /// ```
        examples(examples: impl IntoIterator<Item = Text>) = examples.into_iter().collect();
        /// Declares the descriptions as plain text.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, Schema};
        /// use ferroform::ty::Type;
        ///
        /// // The asterisks are no emphasis.
        /// let pattern = Attribute::required("pattern", Type::String).description("Such as *.log or *.txt.");
        /// let schema = Schema::new(Block::new([pattern])).plain_descriptions();
        /// assert!(schema.plain_descriptions);
        /// ```
        plain_descriptions() = true;
    }

    /// The type of values of this schema.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    ///
    /// let bucket = Schema::new(Block::new([Attribute::required("name", Type::String)]));
    /// assert_eq!(bucket.ty(), Type::object([("name", Type::String)]));
    /// ```
    #[must_use]
    pub fn ty(&self) -> Type {
        self.block.ty()
    }
}

/// A body: attributes and nested blocks (protocol `Schema.Block`).
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let block = Block::new([Attribute::required("name", Type::String)]).description("A bucket.");
/// assert_eq!(block.ty(), Type::object([("name", Type::String)]));
/// assert_eq!(block.empty(), Value::object([("name", Value::Null)]));
/// ```
#[derive(Debug, Clone, std::default::Default)]
#[non_exhaustive]
pub struct Block {
    /// The attributes, in the order in which they are planned and validated.
    pub attributes: Vec<Attribute>,
    /// The nested blocks.
    pub blocks: Vec<NestedBlock>,
    /// Markdown.
    pub description: Text,
    /// Why not to use it any more, and what instead.
    pub deprecation: Option<Text>,
    /// Whether the provider may fill the block where the configuration has none (protocol 6.11, Terraform 1.16).
    pub computed: bool,
    /// Checks of each object as a whole; those of the root look at the whole configuration.
    pub validators: Vec<Validator>,
    /// How long operations may take, where the user can say so; at the root of a managed resource only.
    pub timeouts: Option<Timeouts>,
}

impl Block {
    /// A body of these attributes.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    ///
    /// let bucket = Block::new([Attribute::required("name", Type::String), Attribute::computed("id", Type::String)]);
    /// assert_eq!(bucket.attributes.len(), 2);
    /// ```
    #[must_use]
    pub fn new(attributes: impl IntoIterator<Item = Attribute>) -> Self {
        Self { attributes: attributes.into_iter().collect(), ..Self::default() }
    }

    setters! {
        /// Sets the nested blocks.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
        /// use ferroform::ty::Type;
        ///
        /// let rule = Block::new([Attribute::required("port", Type::Number)]);
        /// let rules = NestedBlock::new("rule", BlockNesting::List, rule);
        /// let firewall = Block::new([Attribute::required("name", Type::String)]).blocks([rules]);
        /// assert!(firewall.block("rule").is_some());
        /// ```
        blocks(blocks: impl IntoIterator<Item = NestedBlock>) = blocks.into_iter().collect();
        /// Describes it, in Markdown.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        ///
        /// let bucket = Block::new([Attribute::required("name", Type::String)]).description("A *bucket* for objects.");
        /// assert_eq!(bucket.description, "A *bucket* for objects.");
        /// ```
        description(text: impl Into<Text>) = text.into();
        /// Deprecates it: why not to use it any more, and what instead.
        ///
        /// ```
        /// use ferroform::diag::Diagnostics;
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::validate;
        ///
        /// let acl = Block::new([Attribute::optional("name", Type::String)]).deprecation("Use `cloud_policy` instead.");
        /// let mut found = Diagnostics::default();
        /// validate(&acl, &acl.empty(), true, &mut found);
        /// assert_eq!(found.iter().next().unwrap().to_string(), "Deprecated: Use `cloud_policy` instead.");
        /// ```
        deprecation(text: impl Into<Text>) = Some(text.into());
        /// Lets the provider fill the block where the configuration has none.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, Schema};
        /// use ferroform::ty::Type;
        ///
        /// // The service makes a rule where none is configured.
        /// let rule = Block::new([Attribute::optional_computed("port", Type::Number)]).computed();
        /// let firewall = Block::new([]).blocks([NestedBlock::new("rule", BlockNesting::List, rule)]);
        /// assert!(Schema::new(firewall).check().is_ok());
        /// ```
        computed() = true;
        /// Sets the checks of each object as a whole.
        ///
        /// ```
        /// use ferroform::diag::Diagnostics;
        /// use ferroform::schema::{Attribute, Block};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::relation::exactly_one_of;
        /// use ferroform::validate::validate;
        ///
        /// let source = ["image", "snapshot"].map(|name| Attribute::optional(name, Type::String));
        /// let disk = Block::new(source).validators([exactly_one_of(["image", "snapshot"]).into()]);
        /// let mut found = Diagnostics::default();
        /// validate(&disk, &disk.empty(), true, &mut found);
        /// assert!(found.has_errors());
        /// ```
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
        /// Says how long operations may take.
        ///
        /// ```
        /// use std::time::Duration;
        ///
        /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Operation, Schema, Timeouts};
        /// use ferroform::ty::Type;
        ///
        /// let timeouts = Timeouts::new("timeouts", [(Operation::Create, Some(Duration::from_secs(600)))]);
        /// let held = Attribute::optional("timeouts", NestedObject::new(Nesting::Single, timeouts.attributes()));
        /// let cluster = Block::new([Attribute::required("name", Type::String), held]).timeouts(timeouts);
        /// assert!(Schema::new(cluster).check().is_ok());
        /// ```
        timeouts(timeouts: Timeouts) = Some(timeouts);
    }

    /// Whether an attribute in it, at any depth, is write-only.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, NestedObject, Nesting};
    /// use ferroform::ty::Type;
    ///
    /// let login = [Attribute::optional("password", Type::String).write_only()];
    /// let database = Block::new([Attribute::optional("login", NestedObject::new(Nesting::Single, login))]);
    /// assert!(database.holds_write_only());
    /// assert!(!Block::new([Attribute::required("name", Type::String)]).holds_write_only());
    /// ```
    pub fn holds_write_only(&self) -> bool {
        walk::Body::from(self).any(&|member| member.is_write_only())
    }

    /// The attribute of that name.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    ///
    /// let bucket = Block::new([Attribute::computed("id", Type::String).keep()]);
    /// assert!(bucket.attribute("id").is_some_and(|id| id.keep));
    /// assert!(bucket.attribute("name").is_none());
    /// ```
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The nested block of that name.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    ///
    /// let rule = Block::new([Attribute::required("port", Type::Number)]);
    /// let firewall = Block::new([]).blocks([NestedBlock::new("rule", BlockNesting::List, rule)]);
    /// assert_eq!(firewall.block("rule").map(|rule| rule.nesting), Some(BlockNesting::List));
    /// assert!(firewall.block("zone").is_none());
    /// ```
    #[must_use]
    pub fn block(&self, name: &str) -> Option<&NestedBlock> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// The object type of values of this block.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    ///
    /// let rule = Block::new([Attribute::required("port", Type::Number)]);
    /// let rules = Type::list(rule.ty());
    /// let firewall = Block::new([Attribute::required("name", Type::String)]);
    /// let firewall = firewall.blocks([NestedBlock::new("rule", BlockNesting::List, rule)]);
    /// assert_eq!(firewall.ty(), Type::object([("name", Type::String), ("rule", rules)]));
    /// ```
    #[must_use]
    pub fn ty(&self) -> Type {
        let attributes = self.attributes.iter().map(|attribute| (&*attribute.name, attribute.ty.ty()));
        let blocks = self.blocks.iter().map(|block| (&*block.name, block.ty()));
        Type::object(attributes.chain(blocks))
    }

    /// The value of a body in which nothing is written: attributes null, blocks absent.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let rule = Block::new([Attribute::required("port", Type::Number)]);
    /// let firewall = Block::new([Attribute::required("name", Type::String)]);
    /// let firewall = firewall.blocks([NestedBlock::new("rule", BlockNesting::List, rule)]);
    /// assert_eq!(firewall.empty(), Value::object([("name", Value::Null), ("rule", Value::list([]))]));
    /// ```
    #[must_use]
    pub fn empty(&self) -> Value {
        let attributes = self.attributes.iter().map(|attribute| (&*attribute.name, Value::Null));
        let blocks = self.blocks.iter().map(|block| (&*block.name, block.absent()));
        Value::Object(Entries::from_iter(attributes.chain(blocks)))
    }

    /// The type of one value of this block, in which dynamic attributes have the types of what they hold. The value loses
    /// those, which the type of the whole names.
    fn take_types(&self, value: &mut Value) -> Type {
        let Value::Object(entries) = value else { return self.ty() };
        let attributes = self.attributes.iter().map(|attribute| {
            let ty = match (attribute.ty.ty(), entries.get_mut(&attribute.name)) {
                (Type::Dynamic, Some(place)) => {
                    let ty = match &*place {
                        Value::Dynamic(dynamic) => dynamic.ty.clone(),
                        other => implied(other).unwrap_or(Type::Dynamic),
                    };
                    if let Value::Dynamic(dynamic) = place {
                        *place = std::mem::replace(&mut dynamic.value, Value::Null);
                    }
                    ty
                }
                (ty, _) => ty,
            };
            (&*attribute.name, ty)
        });
        let blocks = self.blocks.iter().map(|block| (&*block.name, block.ty()));
        Type::object(attributes.chain(blocks))
    }

    fn has_dynamic(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute.ty.ty().has_dynamic())
            || self.blocks.iter().any(|block| block.block.has_dynamic())
    }
}

/// A block within a body (protocol `Schema.NestedBlock`).
///
/// ```
/// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
/// use ferroform::ty::Type;
///
/// let rule = Block::new([Attribute::required("port", Type::Number)]);
/// let rules = NestedBlock::new("rule", BlockNesting::List, rule).max_items(4);
/// assert_eq!(rules.ty(), Type::list(Type::object([("port", Type::Number)])));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NestedBlock {
    /// The block type name.
    pub name: Text,
    /// How often it may be written and how its values are kept.
    pub nesting: BlockNesting,
    /// What is in it.
    pub block: Block,
    /// The least number of blocks; 0 or 1 for [`BlockNesting::Single`], 0 for groups and maps.
    pub min_items: u32,
    /// The greatest number of blocks, 0 for no limit; equal to `min_items` for [`BlockNesting::Single`].
    pub max_items: u32,
    /// Checks of all blocks of this name together.
    pub validators: Vec<Validator>,
    /// Whether a block that comes, goes or changes forces the object to be replaced.
    pub replace: Replace,
    /// Further steps of planning.
    pub modifiers: Vec<Modifier>,
}

impl NestedBlock {
    /// A block without limits on its number.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    ///
    /// // `rule "https" { port = 443 }`
    /// let rule = Block::new([Attribute::required("port", Type::Number)]);
    /// let rules = NestedBlock::new("rule", BlockNesting::Map, rule);
    /// assert_eq!((rules.min_items, rules.max_items), (0, 0));
    /// ```
    #[must_use]
    pub fn new(name: impl Into<Text>, nesting: BlockNesting, block: Block) -> Self {
        Self {
            name: name.into(),
            nesting,
            block,
            min_items: 0,
            max_items: 0,
            validators: Vec::new(),
            replace: Replace::Never,
            modifiers: Vec::new(),
        }
    }

    setters! {
        /// Requires that many blocks.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
        /// use ferroform::ty::Type;
        ///
        /// let disk = Block::new([Attribute::required("size", Type::Number)]);
        /// let disks = NestedBlock::new("disk", BlockNesting::List, disk).min_items(1);
        /// assert_eq!(disks.min_items, 1);
        /// ```
        min_items(number: u32) = number;
        /// Allows no more than that many blocks.
        ///
        /// ```
        /// use ferroform::diag::Diagnostics;
        /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::validate;
        /// use ferroform::value::Value;
        ///
        /// let disk = Block::new([Attribute::required("size", Type::Number)]);
        /// let server = Block::new([]).blocks([NestedBlock::new("disk", BlockNesting::List, disk).max_items(1)]);
        /// let disks = Value::list([10, 20].map(|size| Value::object([("size", Value::from(size))])));
        /// let mut found = Diagnostics::default();
        /// validate(&server, &Value::object([("disk", disks)]), true, &mut found);
        /// assert_eq!(found.iter().next().unwrap().summary, "Too Many Blocks");
        /// ```
        max_items(number: u32) = number;
        /// Sets the checks of all blocks of this name together.
        ///
        /// ```
        /// use ferroform::diag::Diagnostics;
        /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
        /// use ferroform::ty::Type;
        /// use ferroform::validate::collection::unique_by;
        /// use ferroform::validate::validate;
        /// use ferroform::value::Value;
        ///
        /// let rule = Block::new([Attribute::required("port", Type::Number)]);
        /// let rules = NestedBlock::new("rule", BlockNesting::List, rule).validators([unique_by("port").into()]);
        /// let firewall = Block::new([]).blocks([rules]);
        /// let rules = Value::list([443, 443].map(|port| Value::object([("port", Value::from(port))])));
        /// let mut found = Diagnostics::default();
        /// validate(&firewall, &Value::object([("rule", rules)]), true, &mut found);
        /// assert!(found.has_errors());
        /// ```
        validators(validators: impl IntoIterator<Item = Validator>) = validators.into_iter().collect();
        /// Says whether a change of the blocks replaces the object.
        ///
        /// ```
        /// use ferroform::path;
        /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, Replace};
        /// use ferroform::ty::Type;
        /// use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        ///
        /// let disk = Block::new([Attribute::required("size", Type::Number)]);
        /// let disks = NestedBlock::new("disk", BlockNesting::List, disk).replace(Replace::OnChange);
        /// let server = Block::new([]).blocks([disks]);
        /// # let of = |size: i64| {
        /// #     Value::object([("disk", Value::list([Value::object([("size", Value::from(size))])]))])
        /// # };
        /// let (prior, config) = (of(10), of(20));
        /// # let plan = plan(PlanInput { block: &server, config: &config, prior: &prior, proposed: &config })?;
        /// assert_eq!(plan.requires_replace, [path!(disk)]);
        /// # Ok::<(), ferroform::diag::Error>(())
        /// ```
        replace(replace: Replace) = replace;
        /// Sets the steps of planning that are its own.
        ///
        /// ```
        /// use ferroform::schema::{Attribute, Block, BlockNesting, Modifier, NestedBlock};
        /// use ferroform::ty::Type;
        ///
        /// let fewer = Modifier::new("Replaces a server that loses a disk.", |disks| {
        ///     let count = |disks: &ferroform::value::Value| disks.elements().map(<[_]>::len);
        ///     if disks.prior.and_then(count) > count(&disks.planned) {
        ///         disks.requires_replace();
        ///     }
        ///     Ok(())
        /// });
        /// let disk = Block::new([Attribute::required("size", Type::Number)]);
        /// let disks = NestedBlock::new("disk", BlockNesting::List, disk).modifiers([fewer]);
        /// # use ferroform::path;
        /// # use ferroform::value::Value;
        /// # use ferroform_core::plan::{PlanInput, plan};
        /// # let server = Block::new([]).blocks([disks]);
        /// # let of = |sizes: &[i64]| {
        /// #     let disk = |size: &i64| Value::object([("size", Value::from(*size))]);
        /// #     Value::object([("disk", Value::list(sizes.iter().map(disk)))])
        /// # };
        /// # let replaced_from_two = |sizes: &[i64]| {
        /// #     let (config, prior) = (of(sizes), of(&[10, 20]));
        /// #     let made = plan(PlanInput { block: &server, config: &config, prior: &prior, proposed: &config }).unwrap();
        /// #     made.requires_replace == [path!(disk)]
        /// # };
        /// assert!(replaced_from_two(&[10]) && !replaced_from_two(&[10, 20, 30]));
        /// ```
        modifiers(modifiers: impl IntoIterator<Item = Modifier>) = modifiers.into_iter().collect();
    }

    /// The type of the value that stands under the name of the block. A list or map of blocks in which an
    /// attribute is dynamic is dynamic itself, since its elements may differ in type.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    ///
    /// let setting = |ty| Block::new([Attribute::required("value", ty)]);
    /// let settings = |ty| NestedBlock::new("setting", BlockNesting::List, setting(ty));
    /// assert_eq!(settings(Type::String).ty(), Type::list(Type::object([("value", Type::String)])));
    /// assert_eq!(settings(Type::Dynamic).ty(), Type::Dynamic);
    /// ```
    #[must_use]
    pub fn ty(&self) -> Type {
        let element = self.block.ty();
        match self.nesting {
            BlockNesting::Single | BlockNesting::Group => element,
            BlockNesting::List | BlockNesting::Map if self.block.has_dynamic() => Type::Dynamic,
            BlockNesting::List => Type::list(element),
            BlockNesting::Set => Type::set(element),
            BlockNesting::Map => Type::map(element),
        }
    }

    /// The value of blocks that differ in type, from a tuple of the blocks or an object of them by label: typed
    /// by what each block holds.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let setting = Block::new([Attribute::required("value", Type::Dynamic)]);
    /// let settings = NestedBlock::new("setting", BlockNesting::List, setting);
    /// // `setting { value = true }` and `setting { value = 3 }`
    /// let blocks = [Value::from(true), Value::from(3)].map(|value| Value::object([("value", value)]));
    /// let Value::Dynamic(value) = settings.dynamic_value(Value::tuple(blocks)) else { panic!("a value without a type") };
    /// assert_eq!(format!("{:?}", value.ty), "tuple([object({value=bool}), object({value=number})])");
    /// ```
    #[must_use]
    pub fn dynamic_value(&self, mut blocks: Value) -> Value {
        let take_types = |block: &mut Value| self.block.take_types(block);
        let ty = match &mut blocks {
            Value::Tuple(elements) => Type::tuple(elements.iter_mut().map(take_types)),
            Value::Object(entries) => {
                Type::object(entries.iter_mut().map(|(label, element)| (label, take_types(element))))
            }
            _ => Type::Dynamic,
        };
        Value::dynamic(ty, blocks)
    }

    /// The value when no such block is written.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let rule = |nesting| NestedBlock::new("rule", nesting, Block::new([Attribute::required("port", Type::Number)]));
    /// assert_eq!(rule(BlockNesting::Single).absent(), Value::Null);
    /// assert_eq!(rule(BlockNesting::Set).absent(), Value::set([]));
    /// ```
    #[must_use]
    pub fn absent(&self) -> Value {
        let dynamic = self.block.has_dynamic();
        match self.nesting {
            BlockNesting::Single => Value::Null,
            BlockNesting::Group => self.block.empty(),
            BlockNesting::List if dynamic => Value::dynamic(Type::tuple([]), Value::Tuple(Vec::new())),
            BlockNesting::List => Value::List(Vec::new()),
            BlockNesting::Set => Value::Set(Set::from_iter([])),
            BlockNesting::Map if dynamic => {
                let none: [(&str, Type); 0] = [];
                Value::dynamic(Type::object(none), Value::Object(Entries::default()))
            }
            BlockNesting::Map => Value::Map(Entries::default()),
        }
    }
}

/// How often a nested block may be written (protocol `Schema.NestedBlock.NestingMode`).
///
/// ```
/// use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let rule = |nesting| NestedBlock::new("rule", nesting, Block::new([Attribute::required("port", Type::Number)]));
/// let one = Type::object([("port", Type::Number)]);
/// assert_eq!(rule(BlockNesting::Single).ty(), one);
/// assert_eq!(rule(BlockNesting::List).ty(), Type::list(one.clone()));
/// assert_eq!(rule(BlockNesting::Map).ty(), Type::map(one));
///
/// // What a configuration without the block has there.
/// assert_eq!(rule(BlockNesting::Single).absent(), Value::Null);
/// assert_eq!(rule(BlockNesting::Group).absent(), Value::object([("port", Value::Null)]));
/// assert_eq!(rule(BlockNesting::List).absent(), Value::list([]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockNesting {
    /// At most once; null when absent.
    Single,
    /// At most once; an object of nulls when absent, never null.
    Group,
    /// Any number of times, in order.
    List,
    /// Any number of times, without order or duplicates.
    Set,
    /// Any number of times, each with a label of its own.
    Map,
}
