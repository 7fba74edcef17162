//! The checks of schemas, each rule from both sides.

use ferroform::schema::{
    Attribute, Block, BlockNesting, Default as DefaultValue, IdentityAttribute, IdentitySchema, Kind,
    Modifier, NestedBlock, NestedObject, Nesting, Replace, Schema, SchemaRole,
};
use ferroform::ty::Type;
use ferroform::value::{Refinements, Unknown, Value};

use SchemaRole::{Of, Provider, ProviderMeta};

/// The mistakes of a schema of that block, one a line; nothing for a good one.
fn check_as(role: SchemaRole, block: Block, expect: &[&str]) {
    check_schema(role, &Schema::new(block), expect);
}

fn check_schema(role: SchemaRole, schema: &Schema, expect: &[&str]) {
    let mistakes = schema.check_as(role).map_or_else(|mistakes| mistakes.to_string(), |()| String::new());
    let lines: Vec<_> = mistakes.lines().collect();
    assert_eq!(lines.len(), expect.len(), "{mistakes}");
    for (line, expect) in lines.iter().zip(expect) {
        assert!(line.contains(expect), "{expect:?} is missing: {line}");
    }
}

/// The mistakes of these attributes in a managed resource.
fn attributes(attributes: impl IntoIterator<Item = Attribute>, expect: &[&str]) {
    check_as(Of(Kind::Resource), body(attributes), expect);
}

/// The mistakes of one nested block in a managed resource.
fn block(block: NestedBlock, expect: &[&str]) {
    check_as(Of(Kind::Resource), Block::default().blocks([block]), expect);
}

fn body(attributes: impl IntoIterator<Item = Attribute>) -> Block {
    Block::new(attributes)
}

fn a() -> Attribute {
    Attribute::optional("a", Type::String)
}

fn computed() -> Attribute {
    Attribute::computed("a", Type::String)
}

fn write_only() -> Attribute {
    a().write_only()
}

fn nested(mut outer: Attribute, nesting: Nesting, inner: Attribute) -> Attribute {
    outer.ty = NestedObject::new(nesting, [inner]).into();
    named("outer", outer)
}

fn named(name: &'static str, mut attribute: Attribute) -> Attribute {
    attribute.name = name.into();
    attribute
}

fn counted(nesting: BlockNesting, min_items: u32, max_items: u32) -> NestedBlock {
    NestedBlock::new("b", nesting, body([a()])).min_items(min_items).max_items(max_items)
}

#[test]
fn versions() {
    let version = |version| Schema::default().version(version);
    check_schema(Of(Kind::Resource), &version(0), &[]);
    check_schema(Of(Kind::Resource), &version(i64::MAX), &[]);
    check_schema(Of(Kind::Resource), &version(-1), &["the version must not be negative"]);
}

#[test]
fn names() {
    let named = |name: &'static str| Attribute::optional(name, Type::String);
    for good in ["a", "_a", "a_1", "count_", "counts"] {
        attributes([named(good)], &[]);
    }
    for bad in ["", "1a", "A", "aB", "a-b", "a.b", "ä", "a b"] {
        attributes([named(bad)], &["a name holds lower-case letters"]);
    }
    block(NestedBlock::new("B", BlockNesting::List, Block::default()), &["`B`: a name holds"]);
    attributes([nested(a(), Nesting::Single, named("B"))], &["`outer.B`: a name holds"]);
}

#[test]
fn names_are_used_once_in_each_body() {
    attributes([a(), computed()], &["`a`: this name is used twice"]);
    let both = body([a()]).blocks([NestedBlock::new("a", BlockNesting::List, body([a()]))]);
    check_as(Of(Kind::Resource), both, &["`a`: this name is used twice"]);
    let inner = NestedObject::new(Nesting::List, vec![a(), a()]);
    attributes([Attribute::optional("b", inner)], &["`b.a`: this name is used twice"]);
    attributes([nested(a(), Nesting::List, Attribute::optional("outer", Type::Bool))], &[]);
}

#[test]
fn words_of_the_language_are_reserved_at_the_root() {
    let named = |name: &'static str| body([Attribute::optional(name, Type::String)]);
    let reserved = &["this name is reserved by the language"];
    for word in ["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"] {
        check_as(Of(Kind::Resource), named(word), reserved);
        check_as(Of(Kind::DataSource), named(word), reserved);
    }
    for word in ["alias", "version"] {
        check_as(Provider, named(word), reserved);
        check_as(Of(Kind::Resource), named(word), &[]);
    }
    check_as(Provider, named("connection"), &[]);
    block(NestedBlock::new("lifecycle", BlockNesting::Single, Block::default()), reserved);
    block(NestedBlock::new("b", BlockNesting::List, named("count")), &[]);
}

#[test]
fn write_only_attributes() {
    attributes([write_only()], &[]);
    attributes([Attribute::required("a", Type::String).write_only()], &[]);
    let never = &["a write-only attribute is never stored"];
    attributes([computed().write_only()], never);
    attributes([Attribute::optional_computed("a", Type::String).write_only()], never);
    let only = &["only managed resources and actions have write-only attributes"];
    check_as(Of(Kind::DataSource), body([write_only()]), only);
    check_as(Provider, body([write_only()]), only);
    check_as(Of(Kind::Action), body([write_only()]), &[]);
    check_as(Of(Kind::ListResource), body([write_only()]), only);
}

#[test]
fn keeping_the_prior_value() {
    attributes([computed().keep()], &[]);
    attributes([a().keep()], &["only a computed attribute can keep"]);
}

#[test]
fn defaults() {
    let both = || Attribute::optional_computed("a", Type::String);
    let default = DefaultValue::Value;
    attributes([both().default(default("x".into()))], &[]);
    let needs = &["a default needs an attribute that is optional and computed"];
    attributes([a().default(default("x".into()))], needs);
    attributes([computed().default(default("x".into()))], needs);
    let made = DefaultValue::with(|_| Ok("x".into()));
    attributes([both().default(made.clone())], &[]);
    attributes([a().default(made)], needs);
    let known = &["a default must be known and not null"];
    attributes([both().default(default(Value::Null))], known);
    attributes([both().default(default(Value::unknown()))], known);
    attributes([both().default(default(true.into()))], &["the default does not fit the type"]);
}

#[test]
fn types() {
    let of = |ty: Type| [Attribute::optional("a", ty)];
    attributes(of(Type::Dynamic), &[]);
    attributes(of(Type::object([("x", Type::Dynamic)])), &[]);
    attributes(of(Type::tuple([Type::Dynamic])), &[]);
    attributes(of(Type::map(Type::list(Type::set(Type::String)))), &[]);
    let collection = &["a collection cannot hold dynamic values"];
    attributes(of(Type::list(Type::Dynamic)), collection);
    attributes(of(Type::set(Type::Dynamic)), collection);
    attributes(of(Type::map(Type::object([("x", Type::Dynamic)]))), collection);
    attributes(of(Type::object([("x", Type::list(Type::Dynamic))])), collection);
    attributes(of(Type::tuple([Type::map(Type::Dynamic)])), collection);
}

#[test]
fn nested_attributes_and_what_holds_them() {
    attributes([nested(a(), Nesting::Single, a())], &[]);
    attributes([nested(computed(), Nesting::Single, computed())], &[]);
    attributes(
        [nested(computed(), Nesting::Single, a())],
        &["`outer.a`: its enclosing attribute is computed only"],
    );
    attributes([nested(write_only(), Nesting::Single, write_only())], &[]);
    let must = &["`outer.a`: its enclosing attribute is write-only"];
    attributes([nested(write_only(), Nesting::Single, a())], must);
    attributes([nested(a(), Nesting::Single, write_only())], &[]);
    let both = Attribute::optional_computed("a", Type::String);
    let stored = &["`outer.a`: a computed attribute is stored"];
    attributes([nested(both, Nesting::Single, write_only())], stored);
}

#[test]
fn sets_hold_nothing_write_only_or_dynamic() {
    let dynamic = || Attribute::optional("a", Type::Dynamic);
    for good in [Nesting::Single, Nesting::List, Nesting::Map] {
        attributes([nested(a(), good, write_only())], &[]);
    }
    attributes([nested(a(), Nesting::Single, dynamic())], &[]);
    attributes([nested(a(), Nesting::Set, a())], &[]);
    attributes([nested(a(), Nesting::Set, write_only())], &["`outer.a`: a set cannot hold write-only"]);
    attributes([nested(a(), Nesting::Set, dynamic())], &["`outer.a`: a set cannot hold dynamic"]);
    let deep = named("deep", nested(a(), Nesting::Single, dynamic()));
    attributes([nested(a(), Nesting::Set, deep)], &["`outer.deep.a`: a set cannot hold dynamic"]);

    let of = |nesting, attribute| NestedBlock::new("b", nesting, body([attribute]));
    block(of(BlockNesting::List, dynamic()), &[]);
    block(of(BlockNesting::List, write_only()), &[]);
    block(of(BlockNesting::Set, a()), &[]);
    block(of(BlockNesting::Set, dynamic()), &["`b.a`: a set cannot hold dynamic"]);
    block(of(BlockNesting::Set, write_only()), &["`b.a`: a set cannot hold write-only"]);
    let holding = |inner| Block::default().blocks([inner]);
    let deep = NestedBlock::new("outer", BlockNesting::Set, holding(of(BlockNesting::List, write_only())));
    block(deep, &["`outer.b.a`: a set cannot hold write-only"]);
}

#[test]
fn numbers_of_blocks() {
    use BlockNesting::{Group, List, Map, Set, Single};
    let single = &["min_items and max_items of a single block must be equal"];
    for (min, max, expect) in [(0, 0, &[][..]), (1, 1, &[]), (0, 1, single), (2, 2, single), (1, 0, single)] {
        block(counted(Single, min, max), expect);
    }
    let none = &["groups and maps of blocks do not support min_items and max_items"];
    for nesting in [Group, Map] {
        block(counted(nesting, 0, 0), &[]);
        block(counted(nesting, 1, 0), none);
        block(counted(nesting, 0, 1), none);
    }
    let above = &["min_items is above max_items"];
    for nesting in [List, Set] {
        for (min, max, expect) in [(0, 0, &[][..]), (2, 0, &[]), (2, 2, &[]), (2, 3, &[]), (3, 2, above)] {
            block(counted(nesting, min, max), expect);
        }
    }
}

#[test]
fn computed_blocks() {
    let of = |nesting, inner: Block| NestedBlock::new("b", nesting, inner.computed());
    block(of(BlockNesting::List, body([computed()])), &[]);
    block(of(BlockNesting::List, body([Attribute::optional_computed("a", Type::String)])), &[]);
    let everything = &["everything in a computed block must be computed"];
    block(of(BlockNesting::List, body([a()])), everything);
    let inner = |inner| Block::default().blocks([NestedBlock::new("in", BlockNesting::List, inner)]);
    block(of(BlockNesting::List, inner(body([computed()]).computed())), &[]);
    block(of(BlockNesting::List, inner(body([computed()]))), everything);
    let group = &["a computed block cannot be a group and cannot have min_items"];
    block(of(BlockNesting::Group, body([computed()])), group);
    block(of(BlockNesting::List, body([computed()])).min_items(1), group);
}

/// A list that may be written as blocks, with members that satisfy the rules or do not.
fn either(nesting: Nesting, members: Vec<Attribute>) -> Attribute {
    Attribute::optional_computed("rule", NestedObject::as_blocks(nesting, members))
}

#[test]
fn attributes_as_blocks() {
    let good = || either(Nesting::List, vec![a()]);
    attributes([good()], &[]);
    attributes([either(Nesting::Set, vec![Attribute::required("a", Type::Number)])], &[]);
    attributes([either(Nesting::Map, vec![a()])], &["`rule`: only a list or set of objects may be written"]);
    let managed = &["`rule`: what may be written as blocks must be optional and computed"];
    let object = || NestedObject::as_blocks(Nesting::List, vec![a()]);
    attributes([Attribute::optional("rule", object())], managed);
    attributes([Attribute::required("rule", object())], managed);
    let own = "`rule.a`: its enclosing attribute is computed only";
    attributes([Attribute::computed("rule", object())], &[own, managed[0]]);
    let member = &["`rule.a`: its enclosing attribute may be written as blocks"];
    attributes([either(Nesting::List, vec![computed()])], member);
    let stored = "`rule.a`: a computed attribute is stored";
    attributes([either(Nesting::List, vec![write_only()])], &[stored, member[0]]);
    // Within a list that may be written as blocks there may be another one, which is a plain value to core as well.
    let inner = |presence: fn(&'static str, NestedObject) -> Attribute| {
        either(Nesting::List, vec![presence("in", NestedObject::new(Nesting::List, vec![a()]))])
    };
    attributes(
        [inner(Attribute::optional)],
        &["`rule.in`: its enclosing attribute may be written as blocks"],
    );
}

#[test]
fn attribute_that_disables_attributes_as_blocks_is_reported() {
    let beside = |ty: Type, expect: &[&str]| {
        attributes([either(Nesting::List, vec![a()]), Attribute::optional("b", ty.clone())], expect);
        // Without such a list, everything is allowed.
        attributes([Attribute::optional("b", ty)], &[]);
    };
    let object = || Type::object([("x", Type::String)]);
    for good in [Type::String, Type::Dynamic, Type::list(Type::String), Type::map(Type::set(Type::Number))] {
        beside(good, &[]);
    }
    beside(object(), &["`b`: an object type makes core refuse blocks"]);
    beside(Type::tuple([Type::String]), &["`b`: a tuple type makes core refuse blocks"]);
    beside(Type::map(object()), &["`b`: a map of objects makes core refuse blocks"]);
    beside(Type::list(Type::list(object())), &["`b`: a collection in a collection, of other than primitive"]);
    attributes(
        [either(Nesting::List, vec![a()]), nested(a(), Nesting::Single, a())],
        &["`outer`: a nested attribute makes core refuse blocks"],
    );
    // Anywhere in the schema of the resource.
    let block = NestedBlock::new("b", BlockNesting::List, body([nested(a(), Nesting::Single, a())]));
    let deep = body([either(Nesting::List, vec![a()])]).blocks([block]);
    check_as(Of(Kind::Resource), deep, &["`b.outer`: a nested attribute makes core refuse blocks"]);
}

#[test]
fn the_configuration_of_a_provider_is_not_planned() {
    let optional = Attribute::optional_computed("a", Type::String);
    let defaulted = optional.clone().default(DefaultValue::Value("x".into()));
    let replacing = || a().replace(Replace::OnChange);
    let modified = a().modifiers([Modifier::new("nothing", |_| Ok(()))]);
    let rule = NestedBlock::new("b", BlockNesting::List, body([computed()]).computed());
    let blocks = |block: NestedBlock| Block::default().blocks([block]);
    let replaced = counted(BlockNesting::List, 0, 0).replace(Replace::OnChange);
    for role in [Provider, ProviderMeta] {
        check_as(role, body([defaulted.clone()]), &[]);
        let fills = "a provider cannot fill its own configuration";
        for attribute in [computed(), optional.clone()] {
            check_as(role, body([attribute.clone()]), &[fills]);
            check_as(role, body([nested(a(), Nesting::Single, attribute)]), &[fills]);
        }
        let planned = "the configuration of a provider is not planned";
        check_as(role, body([replacing()]), &[planned]);
        check_as(role, body([modified.clone()]), &[planned]);
        check_as(role, blocks(replaced.clone()), &[planned]);
        check_as(role, blocks(rule.clone()), &["make the block one", "`b.a`: a provider cannot fill"]);
    }
    let filled =
        |what: &str| format!("nobody fills the configuration of {what}: make the attribute required");
    for (kind, what) in [
        (Kind::Action, "an action"),
        (Kind::ListResource, "a list resource"),
        (Kind::StateStore, "a state store"),
    ] {
        check_as(Of(kind), body([defaulted.clone()]), &[]);
        check_as(Of(kind), body([computed()]), &[&filled(what)]);
        check_as(Of(kind), body([replacing()]), &[&format!("the configuration of {what} is not planned")]);
    }
    // What is filled by a read is planned, and a model may be that of both a resource and a data source.
    for role in [Of(Kind::Resource), Of(Kind::DataSource)] {
        let all = [replacing(), named("b", optional.clone())];
        check_as(role, body(all), &[]);
    }
}

#[test]
fn all_mistakes_are_found_in_the_order_of_the_schema() {
    let mixed = body([a().keep(), Attribute::optional("B", Type::String)]).blocks([counted(
        BlockNesting::Single,
        0,
        1,
    )]);
    check_as(
        Of(Kind::Resource),
        mixed,
        &["`a`: only a computed", "`B`: a name", "`b`: min_items and max_items"],
    );
}

#[test]
fn identities() {
    let attribute = |name: &'static str, ty| IdentityAttribute::required(name, ty);
    let check = |version, attributes: Vec<IdentityAttribute>, expect: &str| {
        let found = IdentitySchema::new(attributes).version(version).check();
        let found = found.map_or_else(|mistakes| mistakes.to_string(), |()| String::new());
        assert!(
            found.contains(expect) && found.is_empty() == expect.is_empty(),
            "{expect:?} is missing: {found}"
        );
    };
    for ty in [Type::String, Type::Number, Type::Bool, Type::list(Type::String)] {
        check(0, vec![attribute("a", ty)], "");
    }
    for ty in [
        Type::Dynamic,
        Type::set(Type::String),
        Type::map(Type::String),
        Type::tuple([]),
        Type::list(Type::list(Type::String)),
        Type::object([("x", Type::String)]),
    ] {
        check(0, vec![attribute("a", ty)], "`a`: an identity attribute is a string, number or bool");
    }
    check(-1, vec![attribute("a", Type::String)], "the identity version must not be negative");
    check(0, vec![], "an identity needs at least one attribute");
    check(0, vec![attribute("A", Type::String)], "`A`: a name holds");
    check(0, vec![attribute("a", Type::String), attribute("a", Type::Bool)], "`a`: this name is used twice");
}

#[test]
fn refinements() {
    let refined = |attribute: Attribute, known: Refinements| attribute.unknown(Unknown::refined(known));
    let known = Refinements::new;
    let of = |ty: Type| Attribute::computed("a", ty);
    attributes([refined(computed(), known().prefix("a"))], &[]);
    attributes([refined(of(Type::Number), known().at_least(1).at_most(1))], &[]);
    attributes([refined(of(Type::list(Type::String)), known().min_length(1).max_length(1))], &[]);
    attributes([refined(of(Type::Bool), known().not_null())], &[]);
    attributes([refined(of(Type::Number), known().prefix("a"))], &["only a string has a prefix"]);
    attributes([refined(computed(), known().at_most(1))], &["only a number has bounds"]);
    attributes([refined(computed(), known().min_length(1))], &["only a list, set or map has a length"]);
    let none = &["no value is within both limits"];
    attributes([refined(of(Type::Number), known().at_least(2).at_most(1))], none);
    attributes([refined(of(Type::set(Type::Bool)), known().min_length(2).max_length(1))], none);
    let never = &["only a computed attribute without a default is unknown in a plan"];
    attributes([refined(a(), known().not_null())], never);
    let defaulted = Attribute::optional_computed("a", Type::String).default(DefaultValue::Value("x".into()));
    attributes([refined(defaulted, known().not_null())], never);
}
