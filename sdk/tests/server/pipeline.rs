//! The planning steps that a schema declares: defaults, recomputation, modifiers, replacement; and the rules of plans.

use std::sync::Arc;

use ferroform::diag::Error;
use ferroform::model::{Attr, Model, Modify, SetOf};
use ferroform::path::Path;
use ferroform::private::Private;
use ferroform::schema::{
    Attribute, Block, BlockNesting, Default as Fallback, DefaultContext, Environment, Modifier, NestedBlock,
    NestedObject, Nesting, Replace, Schema, Target,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::plan::{Plan, PlanInput, plan, plan_in, plan_valid, replaced};
use proptest::prelude::*;

/// The plan of a configuration; core's proposal is the configuration with the prior values of what is computed.
fn planned(block: &Block, config: &Value, prior: &Value) -> Plan {
    let proposed = proposed(block, config, prior);
    let made = plan(PlanInput { block, config, prior, proposed: &proposed }).expect("a plan");
    assert_eq!(plan_valid(block, prior, config, &made.state), []);
    let again = PlanInput { block, config, prior, proposed: &made.state };
    assert_eq!(
        replaced(again, &Private::default(), made.replaced_by_modifiers.clone()),
        made.requires_replace
    );
    made
}

fn proposed(block: &Block, config: &Value, prior: &Value) -> Value {
    let of = |value: &Value, name: &str| value.as_entries().and_then(|all| all.get(name)).cloned();
    let attributes = block.attributes.iter().map(|attribute| {
        let configured = of(config, &attribute.name).unwrap_or(Value::Null);
        let value = match configured.is_null() && attribute.presence.is_computed() {
            true => of(prior, &attribute.name).unwrap_or(Value::Null),
            false => configured,
        };
        (attribute.name.to_string(), value)
    });
    let blocks = block
        .blocks
        .iter()
        .map(|nested| (nested.name.to_string(), of(config, &nested.name).unwrap_or(Value::Null)));
    Value::object(attributes.chain(blocks))
}

fn check(block: &Block, config: &Value, prior: &Value, expect: (&Value, &[&str])) {
    let made = planned(block, config, prior);
    let replaced: Vec<String> = made.requires_replace.iter().map(ToString::to_string).collect();
    assert_eq!((&made.state, replaced), (expect.0, expect.1.iter().map(ToString::to_string).collect()));
}

fn body(attributes: impl IntoIterator<Item = Attribute>) -> Block {
    Block::new(attributes)
}

fn text(text: &str) -> Value {
    Value::string(text)
}

#[test]
fn a_default_may_depend_on_path_configuration_and_environment() {
    let shown = |at: &DefaultContext<'_>| {
        let zone = at.environment.variable("ZONE").unwrap_or_default();
        let name = at.beside("name").and_then(Value::as_str).unwrap_or_default();
        let count = at.config.as_entries().map_or(0, |all| all.len());
        Ok(Value::string(format!("{} {zone} {name} {count}", at.path)))
    };
    let label =
        || Attribute::optional_computed("label", Type::String).default(Fallback::With(Arc::new(shown)));
    let inner = vec![Attribute::required("name", Type::String), label()];
    let mut block = body([
        label(),
        Attribute::optional("parts", NestedObject::new(Nesting::Set, inner.clone())),
        Attribute::optional("steps", NestedObject::new(Nesting::List, inner)),
    ]);
    block.blocks.push(NestedBlock::new("group", BlockNesting::Map, body([label()])));
    let part = |name: &str, label: Value| Value::object([("name", text(name)), ("label", label)]);
    let of = |root: Value, part: &dyn Fn(&str, &str) -> Value, group: Value| {
        Value::object([
            ("label", root),
            ("parts", Value::set([part("a", "parts[...].label"), part("b", "parts[...].label")])),
            ("steps", Value::list([part("c", "steps[0].label")])),
            ("group", Value::map([("k", Value::object([("label", group)]))])),
        ])
    };
    let config = of(Value::Null, &|name, _| part(name, Value::Null), Value::Null);
    let expect = of(
        text("label EU  4"),
        &|name, path| part(name, Value::string(format!("{path} EU {name} 4"))),
        text("group[\"k\"].label EU  4"),
    );
    let input = PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config };
    let environment = Environment::new(|name| (name == "ZONE").then(|| "EU".to_owned()));
    assert_eq!(plan_in(input, &environment, &Private::default()).expect("a plan").state, expect);
}

#[test]
fn a_default_of_an_object_is_taken_whole() {
    let of = |size: Value| Value::object([("size", size)]);
    let size = Attribute::optional_computed("size", Type::Number).default(Fallback::Value(1.into()));
    let inner = || NestedObject::new(Nesting::Single, vec![size.clone()]);
    let block = body([
        Attribute::optional_computed("whole", inner()).default(Fallback::Value(of(7.into()))),
        Attribute::optional("none", inner()),
    ]);
    let state = |whole: Value, none: Value| Value::object([("whole", whole), ("none", none)]);
    let nothing = state(Value::Null, Value::Null);
    check(&block, &nothing, &Value::Null, (&state(of(7.into()), Value::Null), &[]));
    let written = state(of(Value::Null), of(Value::Null));
    check(&block, &written, &Value::Null, (&state(of(1.into()), of(1.into())), &[]));
}

#[test]
fn failed_or_mistyped_default_is_reported_at_its_path() {
    let with = |default: Result<Value, Error>| {
        let default = Fallback::with(move |_| default.clone());
        let inner = vec![Attribute::optional_computed("in", Type::String).default(default)];
        let block = body([Attribute::optional("list", NestedObject::new(Nesting::List, inner))]);
        let config = Value::object([("list", Value::list([Value::object([("in", Value::Null)])]))]);
        let input = PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config };
        let error = plan(input).expect_err("the default is wrong");
        error
            .iter()
            .map(|it| format!("{}: {}", it.path.clone().unwrap_or_default(), it.summary))
            .collect::<String>()
    };
    assert_eq!(with(Err(Error::new("No Zone", "Set one."))), "list[0].in: No Zone");
    for wrong in [Value::Null, Value::unknown(), Value::from(1)] {
        assert_eq!(with(Ok(wrong)), "list[0].in: Invalid Default Value");
    }
}

/// `id` is kept; `url` is made from `name` and `zone`; `page` from `url`; `stamp` from everything.
fn site() -> Block {
    let made_from = |name: &'static str, targets: &[&str]| {
        Attribute::computed(name, Type::String)
            .recompute_on(targets.iter().map(|target| Target::from(*target)))
    };
    body([
        Attribute::computed("id", Type::String).keep(),
        Attribute::required("name", Type::String),
        Attribute::optional("zone", Type::String),
        Attribute::optional("note", Type::String),
        made_from("page", &["url"]),
        made_from("url", &["name", "zone", "id"]),
        Attribute::computed("stamp", Type::String),
    ])
}

fn site_of(name: &str, zone: Value, note: Value, made: [Value; 4]) -> Value {
    let [id, page, url, stamp] = made;
    Value::object([
        ("id", id),
        ("name", text(name)),
        ("zone", zone),
        ("note", note),
        ("page", page),
        ("url", url),
        ("stamp", stamp),
    ])
}

fn nulls() -> [Value; 4] {
    [Value::Null, Value::Null, Value::Null, Value::Null]
}

#[test]
fn an_attribute_is_recomputed_only_where_what_it_is_made_from_changes() {
    let unknown = Value::unknown;
    let known = || ["1", "p", "u", "s"].map(text);
    let prior = site_of("a", Value::Null, Value::Null, known());
    let config = |name, zone, note| site_of(name, zone, note, nulls());
    // A create.
    let all_unknown = site_of("a", Value::Null, Value::Null, [unknown(), unknown(), unknown(), unknown()]);
    check(&site(), &config("a", Value::Null, Value::Null), &Value::Null, (&all_unknown, &[]));
    // Nothing changes.
    check(&site(), &config("a", Value::Null, Value::Null), &prior, (&prior, &[]));
    // Something else changes.
    let noted = site_of("a", Value::Null, text("n"), [text("1"), text("p"), text("u"), unknown()]);
    check(&site(), &config("a", Value::Null, text("n")), &prior, (&noted, &[]));
    // What it is made from changes, or may change; and what is made from that.
    for zone in [text("z"), unknown()] {
        let moved = site_of("a", zone.clone(), Value::Null, [text("1"), unknown(), unknown(), unknown()]);
        check(&site(), &config("a", zone, Value::Null), &prior, (&moved, &[]));
    }
}

#[test]
fn nested_attributes_are_recomputed_on_what_is_around_them() {
    let inner = vec![
        Attribute::required("key", Type::String),
        Attribute::computed("url", Type::String).recompute_on(vec![Target::parent("zone")]),
    ];
    let block = body([
        Attribute::optional("zone", Type::String),
        Attribute::optional("note", Type::String),
        Attribute::optional("parts", NestedObject::new(Nesting::Map, inner)),
    ]);
    assert!(Schema::new(block.clone()).check().is_ok());
    let of = |zone: &str, note: &str, url: Value| {
        let part = Value::object([("key", text("k")), ("url", url)]);
        Value::object([("zone", text(zone)), ("note", text(note)), ("parts", Value::map([("a", part)]))])
    };
    let prior = of("z", "n", text("u"));
    // Core proposes prior values inside of maps too.
    let plan_of = |zone: &str, note: &str| {
        let (config, proposed) = (of(zone, note, Value::Null), of(zone, note, text("u")));
        plan(PlanInput { block: &block, config: &config, prior: &prior, proposed: &proposed })
            .expect("a plan")
            .state
    };
    assert_eq!(plan_of("z", "other"), of("z", "other", text("u")));
    assert_eq!(plan_of("y", "n"), of("y", "n", Value::unknown()));
}

#[test]
fn modifiers_run_in_order_and_an_attribute_before_what_is_nested_in_it() {
    let note = |name: &'static str| {
        Modifier::new("", move |it| {
            let before = it.planned.as_str().unwrap_or("").to_owned();
            it.planned = Value::string(format!("{before}{name}"));
            Ok(())
        })
    };
    let leaf = Attribute::optional_computed("leaf", Type::String).modifiers([note("3"), note("4")]);
    let fill = Modifier::new("", |it| {
        if it.config.is_null() {
            it.planned = Value::object([("leaf", text("0"))]);
        }
        Ok(())
    });
    let outer = Attribute::optional_computed("outer", NestedObject::new(Nesting::Single, vec![leaf.clone()]))
        .modifiers([fill]);
    let mut first = leaf;
    first.name = "first".into();
    let block = body([first, outer]);
    let leaf_of = |value: Value| Value::object([("leaf", value)]);
    let config = Value::object([("first", Value::Null), ("outer", leaf_of(Value::Null))]);
    let expect = Value::object([("first", text("34")), ("outer", leaf_of(text("34")))]);
    check(&block, &config, &Value::Null, (&expect, &[]));
    let none = Value::object([("first", Value::Null), ("outer", Value::Null)]);
    let expect = Value::object([("first", text("34")), ("outer", leaf_of(text("0")))]);
    check(&block, &none, &Value::Null, (&expect, &[]));
}

#[test]
fn a_modifier_of_a_list_may_change_what_is_in_a_set_in_it() {
    let name_members = Modifier::new("", |it| {
        it.planned = groups(&[("a", text("number a")), ("b", text("number b"))]);
        Ok(())
    });
    let member = |modifiers: Vec<Modifier>| {
        let number = Attribute::computed("number", Type::String).modifiers(modifiers);
        NestedObject::new(Nesting::Set, vec![Attribute::required("name", Type::String), number])
    };
    let list = |modifiers: Vec<Modifier>, inner: Vec<Modifier>| {
        let group = NestedObject::new(Nesting::List, vec![Attribute::optional("members", member(inner))]);
        body([Attribute::optional("groups", group).modifiers(modifiers)])
    };
    let config = Value::object([("groups", groups(&[("a", Value::Null), ("b", Value::Null)]))]);
    let expect = Value::object([("groups", groups(&[("a", text("number a")), ("b", text("number b"))]))]);
    check(&list(vec![name_members.clone()], vec![]), &config, &Value::Null, (&expect, &[]));
    // The modifiers of what is in the set run after it, on what it has planned.
    let shout = Modifier::new("", |it| {
        it.planned = Value::string(it.planned.as_str().unwrap_or_default().to_uppercase());
        Ok(())
    });
    let expect = Value::object([("groups", groups(&[("a", text("NUMBER A")), ("b", text("NUMBER B"))]))]);
    check(&list(vec![name_members], vec![shout]), &config, &Value::Null, (&expect, &[]));
}

/// A list with one group, which has a set of members.
fn groups(members: &[(&str, Value)]) -> Value {
    let member =
        |(name, number): &(&str, Value)| Value::object([("name", text(name)), ("number", number.clone())]);
    Value::list([Value::object([("members", Value::set(members.iter().map(member)))])])
}

#[test]
fn change_by_a_modifier_marks_computed_attributes_unknown() {
    let bump = Modifier::new("", |it| {
        it.planned = Value::from(2);
        Ok(())
    });
    let block = body([
        Attribute::optional_computed("generation", Type::Number).modifiers([bump]),
        Attribute::computed("stamp", Type::String),
    ]);
    let of = |generation: Value, stamp: Value| Value::object([("generation", generation), ("stamp", stamp)]);
    let config = of(Value::Null, Value::Null);
    check(&block, &config, &of(Value::from(1), text("s")), (&of(Value::from(2), Value::unknown()), &[]));
    check(&block, &config, &of(Value::from(2), text("s")), (&of(Value::from(2), text("s")), &[]));
}

#[test]
fn failed_modifier_is_reported_at_its_path() {
    let fail = Modifier::new("", |_| Err(Error::new("Refused", "")));
    let block = body([Attribute::optional("a", Type::String).modifiers([fail])]);
    let config = Value::object([("a", text("x"))]);
    let error = plan(PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config });
    assert_eq!(error.expect_err("it fails").to_string(), "a: Refused");
}

/// Grows in place, shrinks by replacement.
fn shrinks(size: &Modify<'_, i64>) -> bool {
    size.planned.as_known().zip(size.prior.as_ref()).is_some_and(|(planned, prior)| planned < prior)
}

fn lower(name: &mut Modify<'_, String>) -> ferroform::diag::Result {
    if let (Attr::Null, Some(prior)) = (&name.config, &name.prior) {
        name.planned = Attr::Known(prior.to_lowercase());
    }
    Ok(())
}

#[derive(Model)]
struct Volume {
    #[attr(replace_if = shrinks)]
    size: i64,
    #[attr(optional, computed, modify = [lower], recompute_on = [size])]
    name: String,
    #[attr(block, replace)]
    part: Vec<Part>,
}

#[derive(Model)]
#[model(nested)]
struct Part {
    at: i64,
}

#[test]
fn typed_modifiers_and_conditions_decide() {
    let block = Volume::block();
    assert!(Schema::new(block.clone()).check().is_ok());
    let parts = |all: &[i32]| Value::list(all.iter().map(|at| Value::object([("at", Value::from(*at))])));
    let of = |size: i32, name: Value, part: &[i32]| {
        Value::object([("size", Value::from(size)), ("name", name), ("part", parts(part))])
    };
    let prior = of(5, text("Name"), &[1]);
    let name = || text("name");
    check(&block, &of(6, Value::Null, &[1]), &prior, (&of(6, name(), &[1]), &[]));
    check(&block, &of(4, Value::Null, &[1]), &prior, (&of(4, name(), &[1]), &["size"]));
    check(&block, &of(5, text("other"), &[]), &prior, (&of(5, text("other"), &[]), &["part"]));
    check(&block, &of(5, text("other"), &[1]), &prior, (&of(5, text("other"), &[1]), &[]));
}

#[test]
fn replacement_is_silent_on_create_and_without_a_change() {
    let with = |replace: Replace| body([Attribute::optional_computed("a", Type::String).replace(replace)]);
    let of = |value: Value| Value::object([("a", value)]);
    let asked = || Replace::If(Arc::new(|_| true));
    for replace in [Replace::OnChange, Replace::IfConfigured, asked()] {
        let block = with(replace);
        check(&block, &of(text("x")), &Value::Null, (&of(text("x")), &[]));
        check(&block, &of(text("x")), &of(text("x")), (&of(text("x")), &[]));
        check(&block, &of(text("y")), &of(text("x")), (&of(text("y")), &["a"]));
    }
    let refused = with(Replace::If(Arc::new(|_| false)));
    check(&refused, &of(text("y")), &of(text("x")), (&of(text("y")), &[]));
}

#[derive(Model)]
struct Firewall {
    #[attr(optional, computed, keep = non_null, as_blocks)]
    rule: Vec<Port>,
    #[attr(optional, computed, as_blocks)]
    label: SetOf<Port>,
}

#[derive(Model)]
#[model(nested)]
struct Port {
    port: i64,
    note: Option<String>,
}

#[test]
fn attributes_as_blocks_are_kept_when_not_configured() {
    let block = Firewall::block();
    assert!(Schema::new(block.clone()).check().is_ok());
    let port = |port: i32| Value::object([("port", Value::from(port)), ("note", Value::Null)]);
    let of = |rule: Value, label: Value| Value::object([("rule", rule), ("label", label)]);
    let prior = of(Value::list([port(1)]), Value::set([port(2)]));
    let nothing = of(Value::Null, Value::Null);
    check(&block, &nothing, &prior, (&prior, &[]));
    let emptied = of(Value::list([]), Value::Null);
    check(&block, &emptied, &prior, (&of(Value::list([]), Value::unknown()), &[]));
    check(&block, &nothing, &Value::Null, (&of(Value::unknown(), Value::unknown()), &[]));
}

/// Values of the configurable attributes of [`site`], of which some may be unknown.
fn values() -> impl Strategy<Value = [Option<u8>; 3]> {
    prop::array::uniform3(prop::option::of(0..3_u8))
}

fn configured(values: [Option<u8>; 3], unknown: [bool; 3]) -> Value {
    let value = |at: usize| match (unknown[at], values[at]) {
        (true, _) => Value::unknown(),
        (false, Some(value)) => Value::string(format!("v{value}")),
        (false, None) if at == 0 => text("named"),
        (false, None) => Value::Null,
    };
    let Value::Object(mut entries) = site_of("", value(1), value(2), nulls()) else {
        unreachable!("it is an object")
    };
    entries.insert("name", value(0));
    Value::Object(entries)
}

fn stored(values: [Option<u8>; 3]) -> Value {
    let Value::Object(mut entries) = configured(values, [false; 3]) else { unreachable!("it is an object") };
    for name in ["id", "page", "url", "stamp"] {
        entries.insert(name, text(name));
    }
    Value::Object(entries)
}

fn at<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.as_entries().and_then(|all| all.get(name)).expect("the attribute is there")
}

proptest! {
    /// The same input gives the same plan, and what is configured stands in it.
    #[test]
    fn plans_are_repeatable_and_respect_the_configuration(
        before in prop::option::of(values()),
        now in values(),
        unknown in prop::array::uniform3(any::<bool>()),
    ) {
        let config = configured(now, unknown);
        let prior = before.map_or(Value::Null, stored);
        let made = planned(&site(), &config, &prior);
        prop_assert_eq!(&made, &planned(&site(), &config, &prior));
        for name in ["name", "zone", "note"] {
            prop_assert_eq!(at(&made.state, name), at(&config, name));
        }
    }

    /// With less known, no known planned value contradicts the plan in which more is known.
    #[test]
    fn known_planned_values_hold_when_unknowns_become_known(
        before in prop::option::of(values()),
        now in values(),
        unknown in prop::array::uniform3(any::<bool>()),
    ) {
        let prior = before.map_or(Value::Null, stored);
        let early = planned(&site(), &configured(now, unknown), &prior).state;
        let late = planned(&site(), &configured(now, [false; 3]), &prior).state;
        for attribute in &site().attributes {
            let (early, late) = (at(&early, &attribute.name), at(&late, &attribute.name));
            prop_assert!(early.is_unknown() || early == late, "{}", attribute.name);
        }
    }

    /// An unchanged configuration plans nothing; a changed one only what depends on the change.
    #[test]
    fn plans_touch_no_more_than_they_must(before in values(), now in values()) {
        let prior = stored(before);
        let same = planned(&site(), &configured(before, [false; 3]), &prior);
        prop_assert_eq!(&same.state, &prior);
        let made = planned(&site(), &configured(now, [false; 3]), &prior).state;
        let moved = at(&made, "name") != at(&prior, "name") || at(&made, "zone") != at(&prior, "zone");
        prop_assert_eq!(at(&made, "url").is_unknown(), moved);
        prop_assert_eq!(at(&made, "page").is_unknown(), moved);
        prop_assert_eq!(at(&made, "id"), &text("id"));
        let changed = moved || at(&made, "note") != at(&prior, "note");
        prop_assert_eq!(at(&made, "stamp").is_unknown(), changed);
    }
}

/// Paths are those of the attributes that the plan replaces for.
#[test]
fn replacement_names_elements() {
    let inner = vec![Attribute::required("in", Type::String).replace(Replace::OnChange)];
    let block = body([Attribute::optional("list", NestedObject::new(Nesting::List, inner))]);
    let of = |all: &[&str]| {
        Value::object([("list", Value::list(all.iter().map(|it| Value::object([("in", text(it))]))))])
    };
    check(&block, &of(&["a", "c"]), &of(&["a", "b"]), (&of(&["a", "c"]), &["list[1].in"]));
    assert_eq!(Path::root().attribute("list").index(1).attribute("in").to_string(), "list[1].in");
}

/// The price is made by the service where the size beside it changes, and a smaller slow disk is another one.
#[derive(Model)]
struct Rack {
    #[attr(default = false)]
    cheap: bool,
    disks: SetOf<Disk>,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    #[attr(key)]
    name: String,
    #[attr(replace_if = shrinks_slow)]
    size: i64,
    #[attr(default = false)]
    fast: bool,
    #[attr(computed, keep, modify = price)]
    price: i64,
    #[attr(computed, keep, modify = wrong)]
    note: String,
}

fn shrinks_slow(size: &Modify<'_, i64>) -> bool {
    let is_slow = size.sibling::<bool>("fast").is_ok_and(|fast| fast.planned == Attr::Known(false));
    is_slow && shrinks(size)
}

fn price(price: &mut Modify<'_, i64>) -> ferroform::diag::Result {
    let cheap = price.whole_config::<Rack>()?.cheap == Attr::Known(true);
    let size = price.sibling::<i64>("size")?;
    if cheap {
        price.planned = Attr::Known(0);
    } else if size.prior.is_some() && size.planned.as_known() != size.prior.as_ref() {
        price.planned = Attr::Unknown;
    }
    Ok(())
}

fn wrong(note: &mut Modify<'_, String>) -> ferroform::diag::Result {
    let asked = note.sibling::<bool>("fast")?.config;
    if asked == Attr::Known(true) { note.sibling::<bool>("fats").map(drop) } else { Ok(()) }
}

#[test]
fn modifiers_see_what_stands_beside_them() {
    let disk = |size: i64, fast: Value, price: Value, note: Value| {
        Value::object([
            ("name", text("a")),
            ("size", size.into()),
            ("fast", fast),
            ("price", price),
            ("note", note),
        ])
    };
    let rack = |cheap: Value, disk: Value| Value::object([("cheap", cheap), ("disks", Value::set([disk]))]);
    let written =
        |cheap: Value, size: i64, fast: Value| rack(cheap, disk(size, fast, Value::Null, Value::Null));
    let no = || Value::from(false);
    let prior = rack(no(), disk(2, no(), 5.into(), text("n")));
    let planned = |config: &Value| planned(&Rack::block(), config, &prior);
    assert_eq!(planned(&written(Value::Null, 2, Value::Null)).state, prior);
    let grown = planned(&written(Value::Null, 3, Value::Null));
    assert_eq!(grown.state, rack(no(), disk(3, no(), Value::unknown(), text("n"))));
    assert_eq!(grown.requires_replace, []);
    assert_eq!(planned(&written(Value::Null, 1, Value::Null)).requires_replace.len(), 1);
    let cheap = planned(&written(true.into(), 2, Value::Null));
    assert_eq!(cheap.state, rack(true.into(), disk(2, no(), 0.into(), text("n"))));

    let config = written(Value::Null, 2, true.into());
    let input = PlanInput { block: &Rack::block(), config: &config, prior: &prior, proposed: &config };
    let error = plan(input).expect_err("there is no such attribute").to_string();
    assert!(error.starts_with("disks[...].note: Unknown Attribute") && error.contains("`fats`"), "{error}");
}
