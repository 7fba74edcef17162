//! Types whose values have every shape that the protocol knows.

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::Context;
use ferroform::dynamic::phase::{Applies, FromModule};
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, Default as Fallback, NestedBlock, NestedObject, Nesting,
};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::stored::{Kind, Object, text, with};

/// A number, and what the provider made of it.
pub(super) struct Number;

impl Kind for Number {
    const NAME: &'static str = "probe_number";

    fn block() -> Block {
        Block::new([Attribute::required("value", Type::Number), Attribute::computed("copy", Type::Number)])
    }
}

/// A text of any length.
pub(super) struct Text;

impl Kind for Text {
    const NAME: &'static str = "probe_text";

    fn block() -> Block {
        Block::new([Attribute::required("text", Type::String), Attribute::computed("length", Type::Number)])
    }
}

/// A value of any type.
pub(super) struct Dynamic;

impl Kind for Dynamic {
    const NAME: &'static str = "probe_dynamic";

    fn block() -> Block {
        Block::new([Attribute::optional("value", Type::Dynamic), Attribute::computed("copy", Type::Dynamic)])
    }
}

/// What the module around it says of itself.
pub(super) struct Meta;

#[async_trait]
impl Kind for Meta {
    const NAME: &'static str = "probe_meta";

    fn block() -> Block {
        Block::new([Attribute::computed("module", Type::String)])
    }

    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        let module = cx.provider_meta().and_then(|meta| text(meta, "module_name"));
        let state = with(state, "module", module.map_or(Value::Null, Value::string));
        object.save(&state)?;
        Ok(state)
    }
}

/// A value that core forgets and one that it hides.
pub(super) struct Secret;

#[async_trait]
impl Kind for Secret {
    const NAME: &'static str = "probe_secret";

    fn block() -> Block {
        Block::new([
            Attribute::optional("token", Type::String).write_only(),
            Attribute::optional("password", Type::String).sensitive(),
        ])
    }

    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        _cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        object.mark("token", text(&state, "token").unwrap_or("none"))?;
        let state = with(state, "token", Value::Null);
        object.save(&state)?;
        Ok(state)
    }
}

/// Lists and sets that may be written as attributes or as blocks, beside a real block. What is not written is made by
/// the provider once and then left alone.
pub(super) struct Rules;

#[async_trait]
impl Kind for Rules {
    const NAME: &'static str = "probe_rules";

    fn block() -> Block {
        let members =
            || vec![Attribute::required("port", Type::Number), Attribute::optional("note", Type::String)];
        let either = |name: &'static str, nesting| {
            let object = NestedObject::as_blocks(nesting, members());
            Attribute::optional_computed(name, object).keep()
        };
        let mut block = Block::new([either("rule", Nesting::List), either("label", Nesting::Set)]);
        let real = Block::new(members());
        block.blocks = vec![NestedBlock::new("real", BlockNesting::List, real).max_items(2)];
        block
    }

    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        _cx: &mut Context<'_, P>,
        mut state: Value,
    ) -> Result<Value> {
        let own = || Value::object([("port", Value::from(22)), ("note", Value::string("made by create"))]);
        // What was unknown is a text by now.
        if text(&state, "rule").is_some() {
            state = with(state, "rule", Value::list([own()]));
        }
        if text(&state, "label").is_some() {
            state = with(state, "label", Value::set([]));
        }
        object.save(&state)?;
        Ok(state)
    }
}

/// Nested attributes of every nesting, with more in them.
pub(super) struct Nested;

impl Kind for Nested {
    const NAME: &'static str = "probe_nested";

    fn block() -> Block {
        let of = |name: &'static str, nesting| {
            Attribute::optional(name, NestedObject::new(nesting, nested_members()))
        };
        Block::new([
            of("single", Nesting::Single),
            of("list", Nesting::List),
            of("set", Nesting::Set),
            of("map", Nesting::Map),
        ])
    }
}

/// Blocks of every nesting, and one with a dynamic attribute.
pub(super) struct Blocks;

impl Kind for Blocks {
    const NAME: &'static str = "probe_blocks";

    fn block() -> Block {
        let of = |name: &'static str, nesting| {
            let inner = NestedBlock::new("inner", BlockNesting::List, Block::new(block_members()));
            NestedBlock::new(name, nesting, Block::new(block_members()).blocks([inner]))
        };
        let any = Block::new([Attribute::required("value", Type::Dynamic)]);
        let group = Block::new([Attribute::optional("key", Type::String), size()]);
        Block::default().blocks([
            of("single", BlockNesting::Single),
            of("list", BlockNesting::List),
            of("set", BlockNesting::Set),
            of("map", BlockNesting::Map),
            NestedBlock::new("group", BlockNesting::Group, group),
            NestedBlock::new("any", BlockNesting::List, any),
        ])
    }
}

/// A required attribute, one with a default, one that is computed, and one that is optional.
fn block_members() -> Vec<Attribute> {
    vec![
        Attribute::required("key", Type::String),
        size(),
        Attribute::computed("serial", Type::String),
        Attribute::optional("note", Type::String),
    ]
}

/// The same, and an object and a map of objects of them.
fn nested_members() -> Vec<Attribute> {
    let object = |nesting| AttributeType::from(NestedObject::new(nesting, block_members()));
    let mut members = block_members();
    members.push(Attribute::optional("inner", object(Nesting::Single)));
    members.push(Attribute::optional("more", object(Nesting::Map)));
    members
}

fn size() -> Attribute {
    Attribute::optional_computed("size", Type::Number).default(Fallback::Value(Value::from(1)))
}
