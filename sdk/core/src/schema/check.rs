//! The checks that a schema makes sense: those of core, so that a mistake is found by its author and not by the
//! user of a release, and those without which no value could ever satisfy the schema.

use std::fmt;

use crate::path::Path;
use crate::schema::walk::{Body, Member};
use crate::schema::{
    Attribute, AttributeType, BlockNesting, Default, IdentitySchema, Kind, Modifier, NestedBlock, Nesting,
    Operation, Presence, Replace, Schema,
};
use crate::ty::Type;
use crate::value::HashSet;

/// A mistake in a schema: where it is and what it is.
///
/// ```
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
///
/// let schema = Schema::new(Block::new([Attribute::required("depends_on", Type::String)]));
/// let found = schema.check().unwrap_err();
/// assert_eq!(found.errors[0].path, path!(depends_on));
/// assert!(found.errors[0].to_string().starts_with("`depends_on`: "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaError {
    /// The attribute or block, from the root of the schema.
    pub path: Path,
    /// What is wrong and how to fix it.
    pub message: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_root() {
            return f.write_str(&self.message);
        }
        write!(f, "`{}`: {}", self.path, self.message)
    }
}

/// All mistakes of a schema.
///
/// ```
/// use ferroform::schema::{Attribute, Block, Schema, SchemaErrors};
/// use ferroform::ty::Type;
///
/// /// The schema of a type that a document describes.
/// fn server(names: &[&'static str]) -> Result<Schema, SchemaErrors> {
///     let schema = Schema::new(Block::new(names.iter().map(|name| Attribute::optional(*name, Type::String))));
///     schema.check()?;
///     Ok(schema)
/// }
///
/// assert!(server(&["name", "zone"]).is_ok());
/// let found = server(&["name", "Zone", "count"]).unwrap_err();
/// assert_eq!(found.errors.len(), 2);
/// assert_eq!(found.to_string().lines().count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, std::default::Default)]
#[non_exhaustive]
pub struct SchemaErrors {
    /// In the order of the schema; never empty in an `Err`.
    pub errors: Vec<SchemaError>,
}

impl fmt::Display for SchemaErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaErrors {}

/// What a schema is for; some rules depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(hidden)]
pub enum SchemaRole {
    /// The configuration of a provider.
    Provider,
    /// The `provider_meta` block of a module.
    ProviderMeta,
    /// Something that the provider offers: for a function its parameters.
    Of(Kind),
}

impl SchemaRole {
    /// Names at the root that are reserved by the language.
    const fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::Of(Kind::Resource | Kind::DataSource | Kind::EphemeralResource) => {
                &["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"]
            }
            Self::Provider => &["alias", "version"],
            Self::Of(Kind::StateStore) => &["provider"],
            // What configures a list resource or an action stands in a block of its own.
            Self::ProviderMeta | Self::Of(Kind::ListResource | Kind::Action | Kind::Function) => &[],
        }
    }

    /// Why nobody computes an attribute.
    fn not_filled(self) -> String {
        match self {
            Self::Provider | Self::ProviderMeta => "a provider cannot fill its own configuration".to_owned(),
            Self::Of(_) => format!("nobody fills the configuration of {}", self.configured()),
        }
    }

    /// What has the configuration.
    const fn configured(self) -> &'static str {
        match self {
            Self::Of(Kind::Action) => "an action",
            Self::Of(Kind::ListResource) => "a list resource",
            Self::Of(Kind::StateStore) => "a state store",
            _ => "a provider",
        }
    }

    /// Whether values of it are planned: by core, or as a read or an open fills what its configuration leaves out.
    const fn is_planned(self) -> bool {
        matches!(self, Self::Of(Kind::Resource | Kind::DataSource | Kind::EphemeralResource))
    }
}

impl Schema {
    /// Checks the schema as that of a managed resource.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    ///
    /// let schema = |name: &'static str| Schema::new(Block::new([Attribute::required(name, Type::Number)]));
    /// assert!(schema("copies").check().is_ok());
    /// // `count` is a word of the language.
    /// let found = schema("count").check().unwrap_err();
    /// assert_eq!(found.to_string(), "`count`: this name is reserved by the language; choose another one");
    /// ```
    ///
    /// # Errors
    /// Every mistake found.
    pub fn check(&self) -> Result<(), SchemaErrors> {
        self.check_as(SchemaRole::Of(Kind::Resource))
    }

    /// Checks the schema for what it is used for.
    ///
    /// # Errors
    /// Every mistake found.
    #[doc(hidden)]
    pub fn check_as(&self, role: SchemaRole) -> Result<(), SchemaErrors> {
        let mut check = Check { role, path: Vec::new(), levels: Vec::new(), errors: Vec::new() };
        if self.version < 0 {
            check.report("the version must not be negative");
        }
        check.body((&self.block).into(), None);
        check.references(&self.block);
        check.timeouts(self);
        check.finish()
    }
}

impl IdentitySchema {
    /// Checks the schema: names, and types that core allows in an identity.
    ///
    /// ```
    /// use ferroform::schema::{IdentityAttribute, IdentitySchema};
    /// use ferroform::ty::Type;
    ///
    /// let schema = |ty: Type| IdentitySchema::new([IdentityAttribute::required("zones", ty)]);
    /// assert!(schema(Type::list(Type::String)).check().is_ok());
    /// assert!(schema(Type::map(Type::String)).check().is_err());
    /// ```
    ///
    /// # Errors
    /// Every mistake found.
    pub fn check(&self) -> Result<(), SchemaErrors> {
        let role = SchemaRole::Of(Kind::Resource);
        let mut check = Check { role, path: Vec::new(), levels: Vec::new(), errors: Vec::new() };
        if self.version < 0 {
            check.report("the identity version must not be negative");
        }
        if self.attributes.is_empty() {
            check.report("an identity needs at least one attribute");
        }
        let mut names = HashSet::default();
        for attribute in &self.attributes {
            check.within(&attribute.name, |check| {
                check.name(&attribute.name, &mut names);
                let element = match &attribute.ty {
                    Type::List(element) => element,
                    other => other,
                };
                if !matches!(element, Type::String | Type::Number | Type::Bool) {
                    check.report("an identity attribute is a string, number or bool, or a list of those");
                }
            });
        }
        check.finish()
    }
}

/// Walks a schema and collects mistakes.
pub(super) struct Check<'a> {
    role: SchemaRole,
    /// The names on the way to the place; a path is made of them where there is a mistake.
    pub(super) path: Vec<&'a str>,
    /// The objects around, the root first, while references are looked at.
    pub(super) levels: Vec<Body<'a>>,
    errors: Vec<SchemaError>,
}

impl<'a> Check<'a> {
    fn finish(self) -> Result<(), SchemaErrors> {
        if self.errors.is_empty() { Ok(()) } else { Err(SchemaErrors { errors: self.errors }) }
    }

    pub(super) fn report(&mut self, message: impl Into<String>) {
        let path = self.path.iter().fold(Path::root(), |path, name| path.attribute((*name).to_owned()));
        self.errors.push(SchemaError { path, message: message.into() });
    }

    pub(super) fn within(&mut self, name: &'a str, check: impl FnOnce(&mut Self)) {
        self.path.push(name);
        check(self);
        self.path.pop();
    }

    fn timeouts(&mut self, schema: &Schema) {
        let Some(timeouts) = &schema.block.timeouts else { return };
        let block = &schema.block;
        let is_there = block.attribute(&timeouts.name).is_some() || block.block(&timeouts.name).is_some();
        if !is_there || timeouts.operations.is_empty() {
            self.report("timeouts need an attribute or block that holds them, and at least one operation");
        }
        let allowed: &[Operation] = match self.role {
            SchemaRole::Of(Kind::Resource) => {
                &[Operation::Create, Operation::Read, Operation::Update, Operation::Delete]
            }
            SchemaRole::Of(Kind::DataSource) => &[Operation::Read],
            SchemaRole::Of(Kind::EphemeralResource) => &[Operation::Open],
            _ => &[],
        };
        if !timeouts.operations.iter().all(|(operation, _)| allowed.contains(operation)) {
            self.report(
                "a managed resource has timeouts for create, read, update and delete, a data source for read, an \
                 ephemeral resource for open, and nothing else has any",
            );
        }
    }

    /// The members of a block, or of an attribute that holds them.
    fn body(&mut self, body: Body<'a>, outer: Option<&Attribute>) {
        let mut names = HashSet::default();
        for member in body.members() {
            self.within(member.name(), |check| {
                check.name(member.name(), &mut names);
                match member {
                    Member::Attribute(attribute) => check.attribute(attribute, outer),
                    Member::Block(nested) => check.nested_block(nested),
                }
            });
        }
    }

    fn name(&mut self, name: &'a str, seen: &mut HashSet<&'a str>) {
        let mut characters = name.chars();
        let starts_well = characters.next().is_some_and(|first| first.is_ascii_lowercase() || first == '_');
        let goes_on_well = characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !starts_well || !goes_on_well {
            self.report(
                "a name holds lower-case letters, digits and underscores and must not start with a digit",
            );
        }
        if !seen.insert(name) {
            self.report("this name is used twice; attributes and blocks share their names");
        }
        if self.path.len() == 1 && self.role.reserved().contains(&name) {
            self.report("this name is reserved by the language; choose another one");
        }
    }

    fn attribute(&mut self, attribute: &'a Attribute, outer: Option<&Attribute>) {
        if attribute.write_only && attribute.presence.is_computed() {
            self.report("a write-only attribute is never stored, so it cannot be computed or have a default");
        }
        if attribute.write_only && !matches!(self.role, SchemaRole::Of(Kind::Resource | Kind::Action)) {
            self.report("only managed resources and actions have write-only attributes");
        }
        if attribute.keep && !attribute.presence.is_computed() {
            self.report("only a computed attribute can keep its prior value");
        }
        if attribute.show_value && (attribute.sensitive || attribute.write_only) {
            self.report("messages must not show a secret: remove `show_value`");
        }
        if attribute.show_value && matches!(attribute.ty, AttributeType::Nested(_)) {
            self.report("nested attributes are shown one by one: put `show_value` on those");
        }
        self.refinements(attribute);
        self.default(attribute);
        self.unplanned(attribute);
        match &attribute.ty {
            AttributeType::Plain(ty) => self.plain_type(ty),
            AttributeType::Nested(object) => {
                self.body(object.into(), Some(attribute));
                match object.nesting {
                    Nesting::Single => {}
                    Nesting::Set => self.set_of(object.into()),
                    Nesting::List | Nesting::Map if object.element_ty().has_dynamic() => self.report(
                        "a list or map of nested attributes cannot hold dynamic ones, since its elements share one \
                         type: use blocks",
                    ),
                    Nesting::List | Nesting::Map => {}
                }
            }
        }
        if let Some(outer) = outer {
            self.under(outer, attribute);
        }
    }

    /// The rules between a nested attribute and the attribute that holds it.
    fn under(&mut self, outer: &Attribute, inner: &Attribute) {
        if outer.presence == Presence::Computed && inner.presence != Presence::Computed {
            self.report(
                "its enclosing attribute is computed only, so nobody could set it: make it computed as well",
            );
        }
        if outer.write_only && !inner.write_only {
            self.report("its enclosing attribute is write-only, so it must be write-only as well");
        }
        if outer.presence.is_computed() && inner.write_only {
            self.report("a computed attribute is stored, so nothing in it can be write-only");
        }
    }

    fn refinements(&mut self, attribute: &Attribute) {
        let Some(refinements) = attribute.unknown.refinements() else { return };
        if !attribute.presence.is_computed() || attribute.default.is_some() {
            self.report("only a computed attribute without a default is unknown in a plan, so there is nothing to refine");
        }
        if let Some(mistake) = refinements.mistake(&attribute.ty.ty()) {
            self.report(format!("the refinements of its unknown value are wrong: {mistake}"));
        }
    }

    fn default(&mut self, attribute: &Attribute) {
        let Some(default) = &attribute.default else { return };
        if attribute.presence != Presence::OptionalComputed {
            self.report("a default needs an attribute that is optional and computed");
        }
        if let Default::Value(value) = default {
            if value.is_null() || !value.is_wholly_known() {
                self.report("a default must be known and not null");
            } else if let Err(error) = value.conforms(&attribute.ty.ty()) {
                self.report(format!("the default does not fit the type: {error}"));
            }
        }
    }

    /// What is only the user's to say changes in no plan, and nobody fills it but with a default.
    fn unplanned(&mut self, attribute: &Attribute) {
        if self.role.is_planned() {
            return;
        }
        if attribute.presence.is_computed() && attribute.default.is_none() {
            self.report(format!(
                "{}: make the attribute required or optional, or give it a default",
                self.role.not_filled()
            ));
        }
        self.unplanned_steps(&attribute.replace, &attribute.modifiers);
    }

    fn unplanned_steps(&mut self, replace: &Replace, modifiers: &[Modifier]) {
        let has_none = matches!(replace, Replace::Never) && modifiers.is_empty();
        if self.role.is_planned() || has_none {
            return;
        }
        self.report(format!(
            "the configuration of {} is not planned, so it can neither be modified nor replace an object: leave that out",
            self.role.configured()
        ));
    }

    fn plain_type(&mut self, ty: &Type) {
        if ty.element().is_some_and(Type::has_dynamic) {
            self.report("a collection cannot hold dynamic values, since its elements share one type");
        }
        ty.parts().for_each(|part| self.plain_type(part));
    }

    fn nested_block(&mut self, nested: &'a NestedBlock) {
        let (min, max) = (nested.min_items, nested.max_items);
        match nested.nesting {
            BlockNesting::Single if min != max || max > 1 => {
                self.report("min_items and max_items of a single block must be equal: 0 or 1");
            }
            BlockNesting::Group | BlockNesting::Map if min != 0 || max != 0 => {
                self.report("groups and maps of blocks do not support min_items and max_items");
            }
            BlockNesting::List | BlockNesting::Set if max != 0 && min > max => {
                self.report("min_items is above max_items");
            }
            _ => {}
        }
        if nested.nesting == BlockNesting::Set {
            self.set_of((&nested.block).into());
        }
        if nested.block.computed {
            self.computed_block(nested);
        }
        self.unplanned_steps(&nested.replace, &nested.modifiers);
        self.body((&nested.block).into(), None);
    }

    fn computed_block(&mut self, nested: &NestedBlock) {
        if !self.role.is_planned() {
            self.report(format!("{}: make the block one that is not computed", self.role.not_filled()));
        }
        if nested.nesting == BlockNesting::Group || nested.min_items != 0 {
            self.report("a computed block cannot be a group and cannot have min_items");
        }
        let attributes = nested.block.attributes.iter().all(|inner| inner.presence.is_computed());
        let blocks = nested.block.blocks.iter().all(|inner| inner.block.computed);
        if !attributes || !blocks {
            self.report("everything in a computed block must be computed as well");
        }
    }

    /// Elements of sets are told apart by their values, so nothing in them may lack one or change its type.
    fn set_of(&mut self, body: Body<'a>) {
        for member in body.members() {
            self.within(member.name(), |check| {
                if member.is_write_only() {
                    check.report("a set cannot hold write-only attributes");
                }
                if let Member::Attribute(Attribute { ty: AttributeType::Plain(ty), .. }) = member
                    && ty.has_dynamic()
                {
                    check.report("a set cannot hold dynamic attributes");
                }
                if let Some((_, body)) = member.nested() {
                    check.set_of(body);
                }
            });
        }
    }
}
