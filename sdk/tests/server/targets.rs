//! Validators that look at attributes of other objects: in each element of a list, set or map, and out of an element.

use std::collections::BTreeMap;

use ferroform::diag::Diagnostics;
use ferroform::model::{Model, SetOf};
use ferroform::schema::Target;
use ferroform::validate::relation::{also_requires, conflicts_with, exactly_one_of, required_when};
use ferroform::validate::validate;
use ferroform::value::Value;

use crate::server::support::summaries;

#[derive(Model)]
struct Server {
    /// An image of its own, or one in some disk.
    #[attr(validate = conflicts_with(["list.image", "set.image", "map.image", "single.image", "block.image"]))]
    image: Option<String>,
    #[attr(validate = required_when("list.kind", ["ssd"]))]
    controller: Option<String>,
    #[attr(validate = also_requires(["list.label.text"]))]
    labelled: Option<bool>,
    list: Option<Vec<Disk>>,
    set: Option<SetOf<Disk>>,
    map: Option<BTreeMap<String, Disk>>,
    single: Option<Disk>,
    #[attr(block)]
    block: Vec<Disk>,
}

#[derive(Model)]
#[model(nested, validate = exactly_one_of(["kind", "image", "label.text"]))]
struct Disk {
    kind: Option<String>,
    image: Option<String>,
    label: Option<Label>,
    /// What one disk says is said of all of them.
    #[attr(validate = conflicts_with([Target::root("list.image"), Target::parent("controller")]))]
    shared: Option<bool>,
}

#[derive(Model)]
#[model(nested)]
struct Label {
    text: Option<String>,
}

fn object(block: Value, members: &[(&str, Value)]) -> Value {
    let Value::Object(mut entries) = block else { unreachable!("an object") };
    for (name, value) in members {
        entries.insert(*name, value.clone());
    }
    Value::Object(entries)
}

fn disk(members: &[(&str, Value)]) -> Value {
    object(Disk::block().empty(), members)
}

#[track_caller]
fn check(members: &[(&str, Value)], expect: &str) {
    let mut found = Diagnostics::default();
    validate(&Server::block(), &object(Server::block().empty(), members), true, &mut found);
    assert_eq!(summaries(&found), expect, "{members:?}");
}

const CONFLICT: &str = "error image: Invalid Attribute Combination\n";

#[test]
fn target_leads_into_each_element_of_every_nesting() {
    let own = || ("image", Value::from("i"));
    let kind = || disk(&[("kind", "hdd".into())]);
    let image = || disk(&[("image", "j".into())]);
    for (name, none, some) in [
        ("list", Value::list([kind(), kind()]), Value::list([kind(), image()])),
        ("set", Value::set([kind()]), Value::set([kind(), image()])),
        ("map", Value::map([("a", kind())]), Value::map([("a", kind()), ("b", image())])),
        ("single", kind(), image()),
        ("block", Value::list([kind()]), Value::list([kind(), image()])),
    ] {
        check(&[own(), (name, none)], "");
        check(&[own(), (name, some.clone())], CONFLICT);
        check(&[(name, some)], "");
    }
}

#[test]
fn target_in_something_null_or_unknown_is_absent_or_unknown() {
    let own = || ("image", Value::from("i"));
    let unknown_image = disk(&[("image", Value::unknown())]);
    for list in [
        Value::Null,
        Value::list([]),
        Value::unknown(),
        Value::list([Value::unknown()]),
        Value::list([unknown_image]),
    ] {
        check(&[own(), ("list", list)], "");
    }
    // What is asked for may still come of an element that is not known yet, and not of one that is null.
    let labelled = || ("labelled", Value::from(true));
    check(&[labelled(), ("list", Value::list([Value::unknown()]))], "");
    check(&[labelled(), ("list", Value::unknown())], "");
    let conflict = "error labelled: Invalid Attribute Combination\n";
    for list in [Value::Null, Value::list([])] {
        check(&[labelled(), ("list", list)], conflict);
    }
    let null = format!("{conflict}error list[0]: Missing Value\n");
    check(&[labelled(), ("list", Value::list([Value::Null]))], &null);
}

#[test]
fn value_of_any_element_counts() {
    let disks = |kinds: &[&str]| Value::list(kinds.iter().map(|kind| disk(&[("kind", Value::from(*kind))])));
    check(&[("list", disks(&["hdd", "tape"]))], "");
    check(&[("list", disks(&["hdd", "ssd"]))], "error controller: Missing Required Attribute\n");
    check(&[("list", disks(&["hdd", "ssd"])), ("controller", "c".into())], "");
}

#[test]
fn target_leads_through_objects_in_elements_and_out_of_them() {
    let label = |text: Value| Value::object([("text", text)]);
    let labelled = disk(&[("label", label("a".into()))]);
    check(&[("labelled", true.into()), ("list", Value::list([labelled]))], "");
    let unlabelled = disk(&[("label", label(Value::Null))]);
    check(
        &[("labelled", true.into()), ("list", Value::list([unlabelled]))],
        "error labelled: Invalid Attribute Combination\nerror list[0]: Invalid Attribute Combination\n",
    );
    // From one element the others are seen through the root.
    let shared = || disk(&[("shared", true.into()), ("kind", "hdd".into())]);
    let image = || disk(&[("image", "j".into())]);
    check(
        &[("list", Value::list([shared(), image()]))],
        "error list[0].shared: Invalid Attribute Combination\n",
    );
    check(
        &[("map", Value::map([("a", shared())])), ("controller", "c".into())],
        "error map[\"a\"].shared: Invalid Attribute Combination\n",
    );
    check(&[("list", Value::list([shared()]))], "");
}

#[test]
fn schema_with_such_targets_makes_sense() {
    assert_eq!(Server::schema().check().map_err(|errors| errors.to_string()), Ok(()));
}
