//! The validators that come with the SDK: what each refuses, what it says of null and unknown, and that it shows no
//! value.

use std::collections::BTreeMap;

use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::model::macro_support::validator;
use ferroform::model::{Draft, Model, SetOf, WriteOnly};
use ferroform::schema::{Attribute, Block, Target, Validator};
use ferroform::ty::Type;
use ferroform::validate::collection::{each, keys, no_nulls, size, unique, unique_by};
use ferroform::validate::combine::{all, any, any_with_all_warnings, not};
use ferroform::validate::relation::{
    also_requires, at_least_one_of, at_most_one_of, conflicts_with, exactly_one_of, forbidden_when,
    prefer_write_only, required, required_together, required_when,
};
use ferroform::validate::{Check, boolean, kind, number, text, validate};
use ferroform::value::Value;
use ferroform_server::protocol::ClientCapabilities;

use crate::server::support::{capable, summaries};

/// Stands in every value.
const CANARY: &str = "cAnArY";

fn said(block: &Block, config: &Value) -> Diagnostics {
    said_to(block, config, capable())
}

fn said_to(block: &Block, config: &Value, client: ClientCapabilities) -> Diagnostics {
    let mut found = Diagnostics::default();
    validate(block, config, client.write_only_attributes_allowed, &mut found);
    found
}

fn string(value: &str) -> Value {
    Value::string(value)
}

fn strings(all: &[&str]) -> Value {
    Value::list(all.iter().copied().map(Value::from))
}

fn numbers(all: &[i32]) -> Value {
    Value::list(all.iter().copied().map(Value::from))
}

/// Checks which values of an attribute of a type a validator refuses. It passes on null and unknown.
fn refuses(validator: impl Into<Validator>, ty: Type, good: &[Value], bad: &[Value]) {
    let validators = vec![validator.into()];
    let block = Block::new([Attribute::optional("a", ty).validators(validators)]);
    let said = |value: &Value| said(&block, &Value::object([("a", value.clone())]));
    for value in good.iter().chain([&Value::Null, &Value::unknown()]) {
        assert!(said(value).is_empty(), "{value:?} is refused: {:?}", said(value));
    }
    for value in bad {
        let found = said(value);
        assert!(found.has_errors(), "{value:?} is not refused");
        for diagnostic in &found {
            let at = diagnostic.path.clone().unwrap_or_default().to_string();
            assert!(at.starts_with('a'), "{at}");
            assert!(
                !format!("{} {}", diagnostic.summary, diagnostic.detail).contains(CANARY),
                "{diagnostic}"
            );
        }
    }
}

#[test]
fn texts() {
    let check = |validator: Check<kind::Text>, good: &[&str], bad: &[&str]| {
        let values = |all: &[&str]| all.iter().copied().map(Value::from).collect::<Vec<_>>();
        refuses(validator, Type::String, &values(good), &values(bad));
    };
    check(text::length(2..=6), &["ab", "äöü"], &["a", "cAnArY+", ""]);
    check(text::length(..3), &["", "ab"], &[CANARY]);
    check(text::length(7..), &["1234567"], &[CANARY]);
    check(text::characters(2..=3), &["ab", "äöü"], &["ä", CANARY]);
    check(text::one_of(["a", "B"]), &["a", "B"], &["b", CANARY, ""]);
    check(text::one_of_ignoring_case(["a", "É"]), &["A", "é"], &[CANARY]);
    check(text::none_of([CANARY, "x"]), &["y", "canary"], &[CANARY, "x"]);
    check(text::none_of_ignoring_case([CANARY]), &["y"], &[CANARY, "canary"]);
    check(text::satisfies("a text that starts low", |it| it.starts_with('l')), &["low"], &[CANARY]);
}

#[cfg(feature = "regex")]
#[test]
fn expressions() {
    use ferroform::schema::Schema;
    use ferroform::validate::text::matches;

    let zone = || matches(r"^(?i)[a-z]+-\d$", "a zone such as `eu-1`");
    let values = |all: &[&str]| all.iter().copied().map(Value::from).collect::<Vec<_>>();
    refuses(zone(), Type::String, &values(&["eu-1", "EU-2"]), &values(&[CANARY, "", "eu-1\n"]));
    let none = validator::<String, _>(not(matches("cAn", "text with a secret in it")));
    refuses(none, Type::String, &values(&["eu"]), &values(&[CANARY]));
    // Within other validators, the path is that of the element, and a mistake is found by the check of the schema.
    let list = validator::<Vec<String>, _>(each(any((zone(), text::one_of(["auto"])))));
    refuses(list, Type::list(Type::String), &[strings(&["auto", "eu-1"])], &[strings(&["auto", CANARY])]);
    let unreadable = |validator: Validator| {
        let attribute = Attribute::optional("a", Type::list(Type::String)).validators([validator]);
        let block = Block::new([attribute]);
        Schema::new(block).check().expect_err("it cannot be read").to_string()
    };
    let broken = || matches("(", "balanced");
    for validator in [
        validator::<Vec<String>, _>(each(broken())),
        validator::<Vec<String>, _>(each(any((not(broken()), text::length(1..))))),
        validator::<BTreeMap<String, String>, _>(keys(broken())),
    ] {
        let said = unreadable(validator);
        assert!(said.starts_with("`a`: a regular expression cannot be read"), "{said}");
    }
}

#[test]
fn numbers_and_flags() {
    let check = |validator: Check<kind::Number>, good: &[&str], bad: &[&str]| {
        let value = |text: &&str| Value::Number(text.parse().expect("a number"));
        let values = |all: &[&str]| all.iter().map(value).collect::<Vec<_>>();
        refuses(validator, Type::Number, &values(good), &values(bad));
    };
    check(number::at_least(1), &["1", "1.5", "1e40"], &["0.999999999999999999999", "-1"]);
    check(number::at_most(0.5), &["0.5", "-7"], &["0.50000000000000000001"]);
    check(number::between(1, 3), &["1", "3", "2.5"], &["0", "3.1"]);
    check(number::at_least(f64::NAN), &[], &["0", "1"]);
    check(number::one_of([1, 80]), &["1", "80.0"], &["2"]);
    check(number::none_of([1_u64, 80]), &["2"], &["80"]);
    refuses(boolean::is_true(), Type::Bool, &[true.into()], &[false.into()]);
    refuses(boolean::is_false(), Type::Bool, &[false.into()], &[true.into()]);
}

#[test]
fn collections() {
    let list = || Type::list(Type::String);
    refuses(
        size(1..=2),
        list(),
        &[strings(&["a"]), strings(&["a", "b"])],
        &[strings(&[]), strings(&["a"; 3])],
    );
    let map = |all: &[(&str, &str)]| Value::map(all.iter().map(|(key, value)| (*key, string(value))));
    refuses(
        size(..=1),
        Type::map(Type::String),
        &[map(&[]), map(&[("k", "v")])],
        &[map(&[("k", "v"), (CANARY, "v")])],
    );
    let set = |all: &[&str]| Value::set(all.iter().copied().map(Value::from));
    refuses(size(2..), Type::set(Type::String), &[set(&["a", "b"])], &[set(&["a"])]);
    refuses(unique(), list(), &[strings(&["a", "b"])], &[strings(&[CANARY, "b", CANARY])]);
    let with_unknown = Value::list([Value::unknown(), Value::unknown()]);
    refuses(unique(), list(), &[with_unknown], &[]);
    let keyed = |key: &str| Value::object([("key", string(key)), ("n", Value::Null)]);
    let objects = Type::list(Type::object([("key", Type::String), ("n", Type::Number)]));
    let repeated = Value::list([keyed(CANARY), keyed(CANARY)]);
    refuses(unique_by("key"), objects, &[Value::list([keyed("a"), keyed("b")])], &[repeated]);
    refuses(no_nulls(), list(), &[strings(&["a"])], &[Value::list([Value::Null])]);
    let elements = || validator::<Vec<String>, _>(each(text::length(..=3)));
    refuses(elements(), list(), &[strings(&["abc"]), strings(&[])], &[strings(&["a", CANARY])]);
    let in_map = validator::<BTreeMap<String, String>, _>(each(text::length(..=3)));
    refuses(in_map, Type::map(Type::String), &[map(&[("long key", "abc")])], &[map(&[("k", CANARY)])]);
    let of_keys = validator::<BTreeMap<String, i64>, _>(keys(text::length(..=3)));
    refuses(of_keys, Type::map(Type::String), &[map(&[("key", "long value")])], &[map(&[(CANARY, "v")])]);
    let deep = validator::<Vec<SetOf<i64>>, _>(each(each(number::at_most(3))));
    let sets = |all: &[i32]| Value::list([Value::set(all.iter().copied().map(Value::from))]);
    refuses(deep, Type::list(Type::set(Type::Number)), &[sets(&[1, 3])], &[sets(&[1, 4])]);
}

#[test]
fn elements_are_named_by_their_path() {
    let validators = vec![validator::<Vec<i64>, _>(each(number::at_most(3)))];
    let attributes = vec![Attribute::optional("a", Type::list(Type::Number)).validators(validators)];
    let block = Block::new(attributes);
    let found = said(&block, &Value::object([("a", numbers(&[1, 7, 2, 9]))]));
    assert_eq!(
        summaries(&found),
        "error a[1]: Invalid Attribute Value\nerror a[3]: Invalid Attribute Value\n"
    );
    assert_eq!(found.iter().next().unwrap().detail, "`a[1]` must be at most 3.");
}

fn warns(name: &'static str) -> Validator {
    Validator::new("", move |path, value, found| {
        found.push(ferroform::diag::Diagnostic::warning(name, "").at(path.clone()));
        if value.as_str() != Some(name) {
            found.extend(Error::new("Other", "").at(path.clone()));
        }
    })
}

#[test]
fn combinations() {
    let check = |validator: Validator, good: &[&str], bad: &[&str]| {
        let values = |all: &[&str]| all.iter().copied().map(Value::from).collect::<Vec<_>>();
        refuses(validator, Type::String, &values(good), &values(bad));
    };
    let of = |it| check(it, &["ab", "auto"], &["abc", CANARY]);
    of(validator::<String, _>(any((text::length(2..=2), text::one_of(["auto"])))));
    of(validator::<String, _>(any([text::length(2..=2), text::one_of(["auto"])])));
    let both = validator::<String, _>(all((text::length(2..=3), text::none_of(["no"]))));
    check(both, &["ab"], &["no", CANARY]);
    check(validator::<String, _>(not(text::length(..=3))), &["long"], &["a", "abc"]);
    let nested = any((all([text::length(..3), text::length(2..)]), text::one_of(["auto"])));
    of(validator::<String, _>(nested));

    let warnings = |it: Validator| {
        let attributes = vec![Attribute::optional("a", Type::String).validators([it])];
        summaries(&said(&Block::new(attributes), &Value::object([("a", string("two"))])))
    };
    let group = || [warns("one"), warns("two"), warns("three")];
    assert_eq!(warnings(validator::<String, _>(any(group()))), "warning a: two\n");
    let every = "warning a: one\nwarning a: two\nwarning a: three\n";
    assert_eq!(warnings(validator::<String, _>(any_with_all_warnings(group()))), every);
}

/// What is said of a schema of texts `a` (which has the validator), `b` and `c`, for each of `.` null, `?` unknown and
/// `x` set.
fn relation(validator: Check<kind::Anything>, expect: &[(&str, &str)]) {
    let validators = vec![validator.into()];
    let a = Attribute::optional("a", Type::String).validators(validators);
    let other = |name| Attribute::optional(name, Type::String);
    let block = Block::new([a, other("b"), other("c")]);
    for (states, expect) in expect {
        assert_eq!(summaries(&said(&block, &in_states(states))), *expect, "{states}");
    }
}

fn in_states(states: &str) -> Value {
    Value::object(["a", "b", "c"].into_iter().zip(states.chars()).map(|(name, state)| {
        let value = match state {
            '.' => Value::Null,
            '?' => Value::unknown(),
            _ => string(CANARY),
        };
        (name, value)
    }))
}

const COMBINATION: &str = "error a: Invalid Attribute Combination\n";
const MISSING: &str = "error a: Missing Required Attribute\n";

#[test]
fn relations_of_an_attribute() {
    relation(
        conflicts_with(["b", "c"]),
        &[
            ("x..", ""),
            (".xx", ""),
            ("?xx", ""),
            ("xx.", COMBINATION),
            ("xx?", ""),
            ("x?.", ""),
            ("x.x", COMBINATION),
        ],
    );
    relation(
        also_requires(["b", "c"]),
        &[("...", ""), ("?..", ""), ("xxx", ""), ("xx.", COMBINATION), ("x?.", ""), (".xx", "")],
    );
    relation(
        exactly_one_of(["b", "c"]),
        &[
            ("...", COMBINATION),
            ("x..", ""),
            ("..x", ""),
            ("x.x", COMBINATION),
            ("xx?", COMBINATION),
            ("x?.", ""),
            ("?..", ""),
        ],
    );
    relation(
        at_least_one_of(["b"]),
        &[("...", COMBINATION), ("..x", COMBINATION), ("?..", ""), (".?.", ""), ("xx.", "")],
    );
    relation(
        at_most_one_of(["b", "c"]),
        &[("...", ""), ("xx.", COMBINATION), ("x??", ""), (".xx", COMBINATION)],
    );
    relation(
        required_together(["b", "c"]),
        &[("...", ""), ("xxx", ""), ("x..", COMBINATION), (".x.", COMBINATION), ("x?.", ""), ("?..", "")],
    );
    relation(required(), &[("...", MISSING), ("?..", ""), ("x..", "")]);
    relation(
        required_when("b", [CANARY, "y"]),
        &[(".x.", MISSING), ("...", ""), (".?.", ""), ("xx.", ""), ("?x.", "")],
    );
    relation(required_when("b", ["y"]), &[(".x.", "")]);
    relation(
        forbidden_when("b", [CANARY]),
        &[("xx.", COMBINATION), ("x..", ""), ("x?.", ""), (".x.", ""), ("?x.", "")],
    );
    let warning = "warning a: Write-Only Attribute Available\n";
    relation(prefer_write_only("b"), &[("x..", warning), ("...", ""), ("?..", "")]);
}

#[test]
fn relations_show_no_value() {
    let all: Vec<Check<kind::Anything>> = vec![
        conflicts_with(["b", "c"]),
        also_requires(["b", "c"]),
        exactly_one_of(["b", "c"]),
        at_least_one_of(["b", "c"]),
        at_most_one_of(["b", "c"]),
        required_together(["b", "c"]),
        required(),
        required_when("b", [CANARY]),
        forbidden_when("b", [CANARY]),
        prefer_write_only("b"),
    ];
    for validator in all {
        let validator = Validator::from(validator);
        let a = Attribute::optional("a", Type::String).validators([validator.clone()]);
        let other = |name| Attribute::optional(name, Type::String);
        let block = Block::new([a, other("b"), other("c")]);
        let states = ["xxx", "xx.", "x..", "...", ".x.", ".xx"];
        let found: Vec<_> = states.iter().flat_map(|states| said(&block, &in_states(states))).collect();
        assert!(!found.is_empty(), "{} says nothing", validator.description);
        for diagnostic in found {
            assert!(!diagnostic.to_string().contains(CANARY), "{diagnostic}");
        }
    }
}

#[test]
fn sums_and_products() {
    let check = |validator: Check<kind::Integer>, a: i32, b: Value, expect: &str| {
        let a_attribute = Attribute::optional("a", Type::Number).validators([validator.into()]);
        let other = |name| Attribute::optional(name, Type::Number);
        let block = Block::new([a_attribute, other("b"), other("c")]);
        let config = Value::object([("a", Value::from(a)), ("b", b), ("c", Value::from(4))]);
        assert_eq!(summaries(&said(&block, &config)), expect);
    };
    let three = || Value::from(3);
    check(number::at_least_sum_of(["b", "c"]), 7, three(), "");
    check(number::at_least_sum_of(["b", "c"]), 6, three(), COMBINATION);
    check(number::at_least_sum_of(["b", "c"]), 4, Value::Null, "");
    check(number::at_least_sum_of(["b", "c"]), 1, Value::unknown(), "");
    check(number::at_most_sum_of(["b", "c"]), 8, three(), COMBINATION);
    check(number::equal_to_sum_of(["b", "c"]), 7, three(), "");
    check(number::equal_to_product_of(["b", "c"]), 12, three(), "");
    check(number::equal_to_product_of(["b", "c"]), 13, three(), COMBINATION);
    check(number::equal_to_product_of(["b", "c"]), 4, Value::Null, "");
}

/// What a model with everything in it says of itself.
#[derive(Model)]
#[model(validate = [exactly_one_of(["image", "disk"]), whole])]
struct Machine {
    #[attr(validate = [text::length(1..=8), text::satisfies("lower case", |it| !it.contains(char::is_uppercase))])]
    name: String,
    image: Option<String>,
    #[attr(validate = conflicts_with(["key_wo"]))]
    key: Option<String>,
    #[attr(validate = also_requires(["key_version"]))]
    key_wo: WriteOnly<Option<String>>,
    key_version: Option<i64>,
    #[attr(validate = [size(..=2), each(number::between(1, 65535))])]
    ports: Option<Vec<u32>>,
    nics: Option<Vec<Nic>>,
    #[attr(block, validate = unique_by("name"), max_items = 2)]
    disk: Vec<Disk>,
    #[attr(block, validate = at_most_one_of(["image"]))]
    mount: BTreeMap<String, Disk>,
}

/// Inside of others.
#[derive(Model)]
#[model(nested, validate = required_together(["address", "mask"]))]
struct Nic {
    #[attr(validate = required_when(Target::parent("image"), ["dhcp-less"]))]
    address: Option<String>,
    mask: Option<i64>,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    name: String,
    #[attr(validate = conflicts_with([Target::root("key")]))]
    size: Option<i64>,
}

fn whole(machine: &Draft<Machine>) -> Result {
    if machine.name.as_known().zip(machine.image.as_known()).is_some_and(|(name, image)| name == image) {
        return Err(Error::new("Same Name", "Choose another one.").at(ferroform::path!(image)));
    }
    Ok(())
}

fn machine(changes: &[(&str, Value)]) -> Value {
    let Value::Object(mut entries) = Machine::block().empty() else { panic!("it is an object") };
    entries.insert("name", string("a"));
    entries.insert("image", string("i"));
    for (name, value) in changes {
        entries.insert(*name, value.clone());
    }
    Value::Object(entries)
}

fn disk(name: &str, size: Value) -> Value {
    Value::object([("name", string(name)), ("size", size)])
}

#[test]
fn validators_on_models_blocks_and_at_any_depth() {
    let schema = Machine::schema();
    assert_eq!(schema.check().map_err(|errors| errors.to_string()), Ok(()));
    let check = |changes: &[(&str, Value)], expect: &str| {
        assert_eq!(summaries(&said(&schema.block, &machine(changes))), expect, "{changes:?}");
    };
    check(&[], "");
    check(&[("image", Value::Null)], "error: Invalid Attribute Combination\n");
    check(&[("image", string("a"))], "error image: Same Name\n");
    check(
        &[("name", string("Abcdefghi"))],
        "error name: Invalid Attribute Value\nerror name: Invalid Attribute Value\n",
    );
    check(
        &[("key", string("k")), ("key_wo", string("k"))],
        "error key: Invalid Attribute Combination\nerror key_wo: Invalid Attribute Combination\n",
    );
    check(
        &[("ports", numbers(&[0, 1, 2]))],
        "error ports: Invalid Attribute Value\nerror ports[0]: Invalid Attribute Value\n",
    );
    let nic = |address: Value, mask: Value| Value::object([("address", address), ("mask", mask)]);
    let nics = Value::list([nic(string("a"), Value::from(8)), nic(string("a"), Value::Null)]);
    check(&[("nics", nics)], "error nics[1]: Invalid Attribute Combination\n");
    let nics = Value::list([nic(Value::Null, Value::Null)]);
    check(
        &[("image", string("dhcp-less")), ("nics", nics)],
        "error nics[0].address: Missing Required Attribute\n",
    );
    let disks = Value::list([disk("d", Value::Null), disk("d", Value::Null), disk("e", Value::Null)]);
    let twice = "error: Invalid Attribute Combination\nerror disk: Too Many Blocks\nerror disk[1]: Repeated Element\n";
    check(&[("disk", disks)], twice);
    let mounts = Value::map([("m", disk("d", Value::from(1)))]);
    check(
        &[("mount", mounts), ("key", string("k"))],
        "error mount: Invalid Attribute Combination\nerror mount[\"m\"].size: Invalid Attribute Combination\n",
    );
}

#[test]
fn a_target_that_does_not_exist_is_a_mistake_in_the_schema() {
    let with = |validator: Check<kind::Anything>| {
        let validators = vec![validator.into()];
        let inner = Attribute::optional("in", Type::String).validators(validators);
        let inner = Block::new([inner]);
        let nested = ferroform::schema::NestedBlock::new("b", ferroform::schema::BlockNesting::List, inner);
        let attributes =
            vec![Attribute::optional("a", Type::String), Attribute::optional("any", Type::Dynamic)];
        let block = Block::new(attributes).blocks([nested]);
        let result = ferroform::schema::Schema::new(block).check();
        result.map_or_else(|errors| errors.to_string(), |()| String::new())
    };
    for good in
        [Target::parent("a"), Target::root("a"), Target::root("b.in"), Target::root("any.thing"), "in".into()]
    {
        assert_eq!(with(conflicts_with([good])), "");
    }
    for bad in
        [Target::parent("in"), Target::root("c"), Target::root("a.b"), "a".into(), Target::parent("a").out()]
    {
        let found = with(conflicts_with([bad.clone()]));
        assert!(found.contains("`b.in`") && found.contains(&format!("names `{bad}`")), "{found}");
    }
}

/// Validators are shown every shape that fits, of nulls and unknowns too, and only say something.
#[test]
fn validators_accept_every_shape() {
    let shapes = |ty: &Type| match ty {
        Type::List(_) => vec![Value::list([]), Value::list([Value::unknown()]), Value::list([Value::Null])],
        Type::Map(_) => {
            vec![Value::map::<&str>([]), Value::map([("k", Value::unknown()), ("l", Value::Null)])]
        }
        Type::Number => vec![Value::from(0)],
        _ => vec![string("")],
    };
    let block = Machine::block();
    for attribute in &block.attributes {
        for value in shapes(&attribute.ty.ty()).into_iter().chain([Value::Null, Value::unknown()]) {
            let found = said_to(&block, &machine(&[(&attribute.name, value)]), ClientCapabilities::default());
            assert!(found.iter().all(|it| !it.summary.is_empty()));
        }
    }
}
