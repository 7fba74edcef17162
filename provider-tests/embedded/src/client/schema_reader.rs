//! Reads schemas from messages, and says all for which core would refuse them.

use std::borrow::Cow;

use ferroform::path::Path;
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, FunctionParameter, FunctionSignature,
    IdentityAttribute, IdentitySchema, NestedBlock, NestedObject, Nesting, Presence, Schema, Text,
};
use ferroform::ty::Type;
use ferroform_core::codec::type_json;
use ferroform_core::schema::walk::{Body, Member};
use ferroform_proto::tfplugin6::schema::{nested_block, object};
use ferroform_proto::tfplugin6::{self as proto, StringKind};

use super::client_capabilities::ClientCapabilities;
use super::schema_error::{SchemaError, SchemaRule};
use crate::address::is_identifier;

/// Reads schemas. What core would refuse is read as what comes closest to it.
pub(super) struct Reader<'s> {
    capabilities: &'s ClientCapabilities,
    /// What is being read.
    of: String,
    found: Vec<SchemaError>,
}

impl<'s> Reader<'s> {
    /// For a core that speaks so.
    pub(super) fn new(capabilities: &'s ClientCapabilities) -> Self {
        Self { capabilities, of: String::new(), found: Vec::new() }
    }

    /// What is wrong with everything that was read.
    pub(super) fn into_found(self) -> Vec<SchemaError> {
        self.found
    }

    /// The schema of something, which has to be there.
    pub(super) fn schema(&mut self, of: String, wire: Option<&proto::Schema>) -> Schema {
        self.of = of;
        let root = Path::root();
        let Some(wire) = wire else {
            self.report(&root, SchemaRule::Readable, "it is missing");
            return Schema::default();
        };
        self.require(wire.version >= 0, &root, SchemaRule::Version, "its version is negative");
        let Some(block) = &wire.block else {
            self.report(&root, SchemaRule::Readable, "it has no block");
            return Schema::default();
        };
        let mut schema = Schema::new(self.block(block, &root)).version(wire.version);
        // A schema of the SDK has one kind for all. What has no description says that it is plain, too.
        let is_plain = |kind| kind == i32::from(StringKind::Plain);
        schema.plain_descriptions = is_plain(block.description_kind)
            && block.attributes.iter().all(|attribute| is_plain(attribute.description_kind));
        schema
    }

    /// The schema of something whose schemas core takes as they are: it looks at the version only.
    pub(super) fn unchecked(&mut self, of: String, wire: Option<&proto::Schema>) -> Schema {
        let before = self.found.len();
        let schema = self.schema(of, wire);
        let found = self.found.split_off(before);
        let counts = |it: &SchemaError| matches!(it.rule, SchemaRule::Readable | SchemaRule::Version);
        self.found.extend(found.into_iter().filter(counts));
        schema
    }

    /// The identity of a resource type.
    pub(super) fn identity(
        &mut self,
        type_name: &str,
        wire: &proto::ResourceIdentitySchema,
    ) -> IdentitySchema {
        self.of = format!("the identity of {type_name:?}");
        let root = Path::root();
        self.require(wire.version >= 0, &root, SchemaRule::Version, "its version is negative");
        let attributes = wire.identity_attributes.iter().map(|wire| self.identity_attribute(wire));
        IdentitySchema::new(attributes).version(wire.version)
    }

    /// Looks at the names of a function.
    pub(super) fn function(&mut self, name: &str, wire: &proto::Function) -> FunctionSignature {
        self.of = format!("function {name:?}");
        let (root, rule) = (Path::root(), SchemaRule::Function);
        self.require(is_identifier(name), &root, rule, "its name is no identifier");
        let parameters: Vec<_> = wire.parameters.iter().chain(&wire.variadic_parameter).collect();
        for (at, parameter) in parameters.iter().enumerate() {
            let name = &parameter.name;
            let problem = format!("the name {name:?} of a parameter is no identifier");
            self.require(is_identifier(name), &root, rule, problem);
            let again = parameters.iter().take(at).any(|before| before.name == *name);
            self.require(!again, &root, rule, format!("two parameters have the name {name:?}"));
        }
        let result = wire.r#return.as_ref().map_or(Type::Dynamic, |result| self.ty(&result.r#type, &root));
        let mut signature = FunctionSignature::new(result);
        signature.parameters = wire.parameters.iter().map(|wire| self.parameter(wire)).collect();
        signature.variadic_parameter = wire.variadic_parameter.as_ref().map(|wire| self.parameter(wire));
        signature.summary = text(&wire.summary);
        signature.description = text(&wire.description);
        signature.deprecation =
            (!wire.deprecation_message.is_empty()).then(|| text(&wire.deprecation_message));
        signature
    }

    fn parameter(&mut self, wire: &proto::function::Parameter) -> FunctionParameter {
        let ty = self.ty(&wire.r#type, &Path::root().attribute(wire.name.clone()));
        let mut parameter = FunctionParameter::new(text(&wire.name), ty);
        parameter.allow_null = wire.allow_null_value;
        parameter.allow_unknown = wire.allow_unknown_values;
        parameter.description = text(&wire.description);
        parameter
    }

    fn block(&mut self, wire: &proto::schema::Block, path: &Path) -> Block {
        let attributes: Vec<_> = wire.attributes.iter().map(|wire| self.attribute(wire, path)).collect();
        let mut block = Block::new(attributes).description(text(&wire.description));
        block.deprecation = deprecation(wire.deprecated, &wire.deprecation_message);
        block.computed = wire.computed;
        for wire in &wire.block_types {
            let nested = self.nested(wire, path);
            let (path, rule) = (path.clone().attribute(wire.type_name.clone()), SchemaRule::BlockName);
            let taken = block.attribute(&nested.name).is_some();
            self.require(!taken, &path, rule, "an attribute and a block have the same name");
            let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let is_name = !nested.name.is_empty() && nested.name.chars().all(allowed);
            let problem = "the name of a block has only lower case letters, digits and underscores";
            self.require(taken || is_name, &path, rule, problem);
            block.blocks.push(nested);
        }
        block
    }

    fn nested(&mut self, wire: &proto::schema::NestedBlock, around: &Path) -> NestedBlock {
        let path = around.clone().attribute(wire.type_name.clone());
        let nesting = match wire.nesting() {
            nested_block::NestingMode::Single => Some(BlockNesting::Single),
            nested_block::NestingMode::Group => Some(BlockNesting::Group),
            nested_block::NestingMode::List => Some(BlockNesting::List),
            nested_block::NestingMode::Set => Some(BlockNesting::Set),
            nested_block::NestingMode::Map => Some(BlockNesting::Map),
            nested_block::NestingMode::Invalid => None,
        };
        self.require(nesting.is_some(), &path, SchemaRule::Nesting, "the nesting is invalid");
        let block = match &wire.block {
            Some(block) => self.block(block, &path),
            None => {
                self.report(&path, SchemaRule::Readable, "the nested block has no block");
                Block::default()
            }
        };
        if let Some(problem) = items_problem(nesting, wire.min_items, wire.max_items) {
            self.report(&path, SchemaRule::Items, problem);
        }
        if nesting == Some(BlockNesting::Set) {
            let (dynamic, hidden) = (block.ty().has_dynamic(), block.holds_write_only());
            self.in_set(&path, dynamic, hidden);
        }
        if self.capabilities.computed_blocks && block.computed {
            let can_be = nesting != Some(BlockNesting::Group) && wire.min_items == 0 && is_computed(&block);
            let problem =
                "a computed block is no group, need not be configured, and has only what is computed in it";
            self.require(can_be, &path, SchemaRule::ComputedBlock, problem);
        }
        let items = |count: i64| u32::try_from(count.max(0)).unwrap_or(u32::MAX);
        NestedBlock::new(text(&wire.type_name), nesting.unwrap_or(BlockNesting::List), block)
            .min_items(items(wire.min_items))
            .max_items(items(wire.max_items))
    }

    fn attribute(&mut self, wire: &proto::schema::Attribute, around: &Path) -> Attribute {
        let path = around.clone().attribute(wire.name.clone());
        let possible = matches!(
            (wire.required, wire.optional, wire.computed),
            (true, false, false) | (false, true, _) | (false, false, true)
        );
        let problem = "the attribute has to be either required, or optional, computed or both";
        self.require(possible, &path, SchemaRule::Presence, problem);
        let presence = match (wire.required, wire.optional, wire.computed) {
            (true, _, _) => Presence::Required,
            (_, true, true) => Presence::OptionalComputed,
            (_, false, true) => Presence::Computed,
            (_, _, false) => Presence::Optional,
        };
        let (has_type, is_nested) = (!wire.r#type.is_empty(), wire.nested_type.is_some());
        self.require(has_type || is_nested, &path, SchemaRule::Type, "the attribute has no type");
        let problem = "the attribute has a type and nested attributes";
        self.require(!(has_type && is_nested), &path, SchemaRule::Type, problem);
        let ty = match &wire.nested_type {
            Some(object) => AttributeType::Nested(self.nested_object(object, &path)),
            None if has_type => AttributeType::Plain(self.ty(&wire.r#type, &path)),
            None => AttributeType::Plain(Type::Dynamic),
        };
        let mut attribute =
            Attribute::new(wire.name.clone(), ty, presence).description(text(&wire.description));
        attribute.deprecation = deprecation(wire.deprecated, &wire.deprecation_message);
        attribute.sensitive = wire.sensitive;
        attribute.write_only = wire.write_only;
        attribute
    }

    fn nested_object(&mut self, wire: &proto::schema::Object, path: &Path) -> NestedObject {
        let nesting = match wire.nesting() {
            object::NestingMode::Single => Some(Nesting::Single),
            object::NestingMode::List => Some(Nesting::List),
            object::NestingMode::Set => Some(Nesting::Set),
            object::NestingMode::Map => Some(Nesting::Map),
            object::NestingMode::Invalid => None,
        };
        self.require(nesting.is_some(), path, SchemaRule::Nesting, "the nesting is invalid");
        let attributes: Vec<_> = wire.attributes.iter().map(|wire| self.attribute(wire, path)).collect();
        let object = NestedObject::new(nesting.unwrap_or(Nesting::List), attributes);
        if nesting == Some(Nesting::Set) {
            self.in_set(
                path,
                object.element_ty().has_dynamic(),
                Body::from(&object).members().any(Member::holds_write_only),
            );
        }
        object
    }

    fn identity_attribute(
        &mut self,
        wire: &proto::resource_identity_schema::IdentityAttribute,
    ) -> IdentityAttribute {
        let path = Path::root().attribute(wire.name.clone());
        let ty = self.ty(&wire.r#type, &path);
        let allowed = !matches!(ty, Type::Map(_) | Type::Set(_) | Type::Object(_));
        let problem = "an attribute of an identity is no map, set or object";
        self.require(allowed, &path, SchemaRule::Identity, problem);
        let problem = "the attribute has to be either required or optional for import";
        let one = wire.required_for_import != wire.optional_for_import;
        self.require(one, &path, SchemaRule::Identity, problem);
        let for_import = if wire.required_for_import { ForImport::Required } else { ForImport::Optional };
        IdentityAttribute::new(text(&wire.name), ty, for_import).description(text(&wire.description))
    }

    fn ty(&mut self, json: &[u8], path: &Path) -> Type {
        type_json::decode(json).unwrap_or_else(|problem| {
            self.report(path, SchemaRule::Readable, format!("the type is invalid: {problem}"));
            Type::Dynamic
        })
    }

    /// Core cannot tell elements apart by what it does not know or does not store.
    fn in_set(&mut self, path: &Path, dynamic: bool, write_only: bool) {
        let problem = "a set has an attribute in it whose type is only known with its value";
        self.require(!dynamic, path, SchemaRule::DynamicInSet, problem);
        let problem = "a set has a write-only attribute in it";
        self.require(!write_only, path, SchemaRule::WriteOnlyInSet, problem);
    }

    fn require(&mut self, holds: bool, path: &Path, rule: SchemaRule, problem: impl Into<String>) {
        if !holds {
            self.report(path, rule, problem);
        }
    }

    fn report(&mut self, path: &Path, rule: SchemaRule, problem: impl Into<String>) {
        let (of, path, problem) = (self.of.clone(), path.clone(), problem.into());
        self.found.push(SchemaError { of, path, rule, problem });
    }
}

/// What is wrong with the least and the greatest number of blocks; a greatest number of 0 is no limit.
fn items_problem(nesting: Option<BlockNesting>, min: i64, max: i64) -> Option<&'static str> {
    if min < 0 || max < 0 {
        return Some("a limit of the number of blocks is negative");
    }
    match nesting? {
        BlockNesting::Single if min != max || max > 1 => {
            Some("min_items and max_items of a single block must be equal: 0 or 1")
        }
        BlockNesting::Group | BlockNesting::Map if (min, max) != (0, 0) => {
            Some("the number of blocks cannot be limited with this nesting")
        }
        BlockNesting::List | BlockNesting::Set if min > max && max != 0 => {
            Some("min_items is above max_items")
        }
        _ => None,
    }
}

/// Whether a provider may fill a block and all that is in it.
fn is_computed(block: &Block) -> bool {
    block.attributes.iter().all(|it| it.presence.is_computed())
        && block.blocks.iter().all(|it| it.block.computed && is_computed(&it.block))
}

fn text(text: &str) -> Text {
    Cow::Owned(text.to_owned())
}

fn deprecation(deprecated: bool, message: &str) -> Option<Text> {
    (deprecated || !message.is_empty()).then(|| text(message))
}
