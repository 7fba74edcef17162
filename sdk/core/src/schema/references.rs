//! What the parts of a schema say about each other: attributes that name others, and lists that may be written as
//! blocks only as long as everything around them is of the old kind.

use crate::schema::check::Check;
use crate::schema::walk::{Body, Member};
use crate::schema::{Attribute, AttributeType, Block, Form, Nesting, Presence, Target, Text, Validator};
use crate::ty::Type;

impl<'a> Check<'a> {
    /// The mistakes in a schema that no attribute shows by itself.
    pub(super) fn references(&mut self, block: &'a Block) {
        self.references_in(block.into());
        if has_blocks_form(block) {
            self.modern_block(block);
        }
    }

    fn references_in(&mut self, body: Body<'a>) {
        self.levels.push(body);
        self.validators(body.validators);
        for member in body.members() {
            self.within(member.name(), |check| {
                match member {
                    Member::Attribute(attribute) => check.references_of(attribute),
                    Member::Block(nested) => check.validators(&nested.validators),
                }
                if let Some((_, body)) = member.nested() {
                    check.references_in(body);
                }
            });
        }
        self.levels.pop();
    }

    fn references_of(&mut self, attribute: &'a Attribute) {
        self.validators(&attribute.validators);
        self.recomputation(attribute);
        if let AttributeType::Nested(object) = &attribute.ty
            && object.form == Form::Blocks
        {
            self.as_blocks(attribute, object.nesting, &object.attributes);
        }
    }

    fn validators(&mut self, validators: &[Validator]) {
        for target in validators.iter().flat_map(|validator| &validator.targets) {
            if !self.exists(target) {
                self.report(format!("a validator names `{target}`, which is not there"));
            }
        }
        for mistake in validators.iter().flat_map(|validator| &validator.mistakes) {
            self.report(&**mistake);
        }
    }

    fn recomputation(&mut self, attribute: &Attribute) {
        let Some(targets) = &attribute.recompute_on else { return };
        if !attribute.presence.is_computed() || attribute.default.is_some() {
            self.report("only a computed attribute without a default is recomputed");
        }
        for target in targets {
            if target.names().len() != 1 || !self.exists(target) {
                self.report(format!(
                    "it is recomputed on `{target}`, which is no attribute or block in the same object or one around"
                ));
            }
        }
    }

    fn exists(&self, target: &Target) -> bool {
        target.level(&self.levels).is_some_and(|level| leads(*level, target.names()))
    }

    /// What core makes of such an attribute leaves no room for more: every member may be left out of a block, and
    /// the value must be planned as it is configured.
    fn as_blocks(&mut self, attribute: &Attribute, nesting: Nesting, members: &'a [Attribute]) {
        if !matches!(nesting, Nesting::List | Nesting::Set) {
            self.report("only a list or set of objects may be written as blocks");
        }
        if attribute.presence != Presence::OptionalComputed {
            self.report(
                "what may be written as blocks must be optional and computed, because no block at all leaves it as it is",
            );
        }
        if self.levels.len() > 1 && self.path.len() != self.levels.len() {
            self.report("only attributes at the root and in blocks may be written as blocks");
        }
        for member in members {
            let is_plain = matches!(&member.ty, AttributeType::Plain(_))
                || matches!(&member.ty, AttributeType::Nested(object) if object.form == Form::Blocks);
            let is_configured = matches!(member.presence, Presence::Required | Presence::Optional);
            if !is_plain || !is_configured || member.write_only {
                self.within(&member.name, |check| {
                    check.report(
                        "its enclosing attribute may be written as blocks and is one plain value to core: it must be \
                         required or optional, and of a plain type",
                    );
                });
            }
        }
    }
}

/// Whether names lead somewhere.
fn leads(body: Body<'_>, names: &[Text]) -> bool {
    let Some((name, rest)) = names.split_first() else { return true };
    body.member(name).is_some_and(|member| match member {
        // What is in a dynamic value or an object of a plain type is not in the schema.
        Member::Attribute(Attribute {
            ty: AttributeType::Plain(Type::Dynamic | Type::Object(_)), ..
        }) => true,
        member => member.nested().map_or(rest.is_empty(), |(_, body)| leads(body, rest)),
    })
}

fn has_blocks_form(block: &Block) -> bool {
    let own = block.attributes.iter().any(
        |attribute| matches!(&attribute.ty, AttributeType::Nested(object) if object.form == Form::Blocks),
    );
    own || block.blocks.iter().any(|nested| has_blocks_form(&nested.block))
}

/// Finds what could not be in a schema before there were nested attributes. Anywhere in the schema of a resource, it
/// makes core read all its lists as attributes only.
impl<'a> Check<'a> {
    fn report_modern(&mut self, what: &str) {
        self.report(format!(
            "{what} makes core refuse blocks for the attributes of this schema that may be written as blocks: change \
             its type, or write those attributes as real blocks or as attributes only"
        ));
    }

    fn modern_block(&mut self, block: &'a Block) {
        if block.computed {
            self.report_modern("a computed block");
        }
        for member in Body::from(block).members() {
            self.within(member.name(), |check| match member {
                Member::Attribute(Attribute { ty: AttributeType::Plain(ty), .. }) => check.modern_type(ty),
                // Core looks no further into a list of objects.
                Member::Attribute(Attribute { ty: AttributeType::Nested(object), .. }) => {
                    if object.form != Form::Blocks {
                        check.report_modern("a nested attribute");
                    }
                }
                Member::Block(nested) => check.modern_block(&nested.block),
            });
        }
    }

    fn modern_type(&mut self, ty: &Type) {
        let is_primitive = |ty: &Type| matches!(ty, Type::String | Type::Number | Type::Bool | Type::Dynamic);
        match ty {
            Type::Object(_) => self.report_modern("an object type"),
            Type::Tuple(_) => self.report_modern("a tuple type"),
            Type::Map(element) if matches!(&**element, Type::Object(_)) => {
                self.report_modern("a map of objects")
            }
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                if let Type::List(inner) | Type::Set(inner) | Type::Map(inner) = &**element
                    && !is_primitive(inner)
                {
                    self.report_modern("a collection in a collection, of other than primitive elements,");
                }
            }
            Type::String | Type::Number | Type::Bool | Type::Dynamic => {}
        }
    }
}
