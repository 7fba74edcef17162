//! Properties of merges over generated states: equivalent values change nothing, and a second merge changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::schema::{Attribute, Equivalence, EquivalenceRule, NestedObject, Nesting};
use crate::ty::Type;

/// Text in which case does not matter.
fn caseless() -> Equivalence {
    Equivalence::normal(|value| Some(Value::string(value.as_str()?.to_lowercase())))
}

/// Numbers that are at most one apart.
fn near() -> Equivalence {
    Equivalence::relation(|expected, observed| {
        let numbers = expected.as_number().zip(observed.as_number());
        numbers.is_some_and(|(expected, observed)| (expected.to_f64() - observed.to_f64()).abs() <= 1.0)
    })
}

fn members(key: bool) -> Vec<Attribute> {
    vec![
        Attribute { equivalence: caseless(), key, ..Attribute::required("name", Type::String) },
        Attribute::optional("note", Type::String),
        Attribute::computed("id", Type::String).keep(),
    ]
}

fn block() -> Block {
    let unmanaged = EquivalenceRule::UnmanagedKeys(Arc::new(|key| key.starts_with("x-")));
    let text = || Type::map(Type::String);
    let nested = |nesting, key| NestedObject::new(nesting, members(key));
    let attributes = vec![
        Attribute::required("name", Type::String).equivalence(caseless()),
        Attribute::optional("size", Type::Number).equivalence(near()),
        Attribute::optional("tags", text()).equivalence(Equivalence::rule(unmanaged)),
        Attribute::optional("zones", Type::list(Type::String))
            .equivalence(Equivalence::rule(EquivalenceRule::Unordered)),
        Attribute::optional("keyed", nested(Nesting::Set, true)),
        Attribute::optional("rules", nested(Nesting::Set, false)),
        Attribute::optional("disks", nested(Nesting::List, false)),
    ];
    Block::new(attributes)
}

/// A name in upper or lower case.
fn cased(name: &str, upper: bool) -> Value {
    Value::string(if upper { name.to_uppercase() } else { name.to_owned() })
}

fn text(text: Option<u8>) -> Value {
    text.map_or(Value::Null, |text| Value::string(text.to_string()))
}

/// Elements whose names differ, for equivalent elements of one set would be the same element twice.
fn elements() -> impl Strategy<Value = Vec<Value>> {
    let content = (any::<bool>(), option::of(0..2_u8), 0..3_u8);
    btree_map("[a-d]", content, 0..4).prop_map(|elements: BTreeMap<String, _>| {
        let element = |(name, (upper, note, id)): (String, (bool, Option<u8>, u8))| {
            Value::object([("name", cased(&name, upper)), ("note", text(note)), ("id", text(Some(id)))])
        };
        elements.into_iter().map(element).collect()
    })
}

/// A whole state.
fn state() -> impl Strategy<Value = Value> {
    let tags = option::of(btree_map("(x-)?[ab]", 0..3_u8, 0..4));
    let zones = option::of(vec("[a-c]", 0..4));
    let nested = (elements(), elements(), elements());
    let made = ("[ab]", any::<bool>(), option::of(0..6_i32), tags, zones, nested);
    made.prop_map(|(name, upper, size, tags, zones, (keyed, rules, disks))| {
        let tags = tags.map(|tags| Value::map(tags.into_iter().map(|(key, tag)| (key, text(Some(tag))))));
        let zones = zones.map(|zones| Value::list(zones.into_iter().map(Value::from)));
        Value::object([
            ("name", cased(&name, upper)),
            ("size", size.map_or(Value::Null, Value::from)),
            ("tags", tags.unwrap_or(Value::Null)),
            ("zones", zones.unwrap_or(Value::Null)),
            ("keyed", Value::set(keyed)),
            ("rules", Value::set(rules)),
            ("disks", Value::list(disks)),
        ])
    })
}

/// Visits every object in a state: the root and the elements.
fn each_object(state: &mut Value, visit: &dyn Fn(&mut Value)) {
    let Value::Object(entries) = &mut *state else { return };
    for name in ["keyed", "rules", "disks"] {
        match entries.get_mut(name) {
            Some(Value::List(elements)) => elements.iter_mut().for_each(visit),
            Some(Value::Set(set)) => {
                let mut elements = std::mem::take(set).into_elements();
                elements.iter_mut().for_each(visit);
                *set = elements.into_iter().collect();
            }
            _ => {}
        }
    }
    visit(state);
}

fn set(object: &mut Value, name: &str, with: impl FnOnce(&Value) -> Option<Value>) {
    let Value::Object(entries) = object else { return };
    if let Some(value) = entries.get_mut(name)
        && let Some(new) = with(value)
    {
        *value = new;
    }
}

/// An equivalent state: names in the other case, lists in reverse, and unmanaged tags.
fn restored(state: &Value) -> Value {
    let mut state = state.clone();
    each_object(&mut state, &|object| {
        set(object, "name", |name| {
            let name = name.as_str()?;
            let lower = name.to_lowercase();
            Some(cased(&lower, name == lower))
        });
    });
    set(&mut state, "zones", |zones| {
        let Value::List(zones) = zones else { return None };
        Some(Value::list(zones.iter().rev().cloned()))
    });
    set(&mut state, "tags", |tags| {
        let tags = tags.as_entries()?.iter().map(|(key, tag)| (key.to_string(), tag.clone()));
        Some(Value::map(tags.chain([("x-other".to_owned(), Value::from("theirs"))])))
    });
    state
}

/// The state as it is planned: identifiers are unknown.
fn planned(state: &Value) -> Value {
    let mut state = state.clone();
    each_object(&mut state, &|object| set(object, "id", |_| Some(Value::unknown())));
    state
}

fn refreshed(prior: &Value, observed: &Value) -> (Value, Drift) {
    let mut merged = observed.clone();
    let drift = refresh(&block(), prior, &mut merged);
    (merged, drift)
}

proptest! {
    #[test]
    fn an_equivalent_observation_is_the_prior_state(prior in state()) {
        let (merged, drift) = refreshed(&prior, &restored(&prior));
        prop_assert_eq!(&merged, &prior);
        prop_assert_eq!(drift.changed, []);
    }

    #[test]
    fn once_refreshed_nothing_changes_any_more(prior in state(), observed in state()) {
        let (merged, _) = refreshed(&prior, &observed);
        let (again, drift) = refreshed(&merged, &observed);
        prop_assert_eq!(&again, &merged);
        prop_assert_eq!(drift.changed, []);
    }

    #[test]
    fn merged_state_fits_the_schema(expected in state(), observed in state()) {
        let (merged, _) = refreshed(&expected, &observed);
        prop_assert!(merged.conforms(&block().ty()).is_ok());
        let mut completed = observed;
        complete(&block(), &planned(&expected), &mut completed);
        prop_assert!(completed.conforms(&block().ty()).is_ok());
        prop_assert!(completed.is_wholly_known());
    }

    #[test]
    fn completed_state_keeps_the_planned_representation(expected in state()) {
        let mut completed = restored(&expected);
        let drift = complete(&block(), &planned(&expected), &mut completed);
        prop_assert_eq!(&completed, &expected);
        prop_assert_eq!(drift.errors().len(), 0);
    }

    #[test]
    fn a_difference_is_reported_if_and_only_if_the_state_differs(prior in state(), observed in state()) {
        let (merged, drift) = refreshed(&prior, &observed);
        prop_assert_eq!(drift.is_empty(), merged == prior);
    }
}

#[test]
fn null_is_equivalent_to_nothing_else() {
    let block = block();
    let full = |name: &str| match name {
        "size" => Value::from(1),
        "tags" => Value::map([("a", Value::from("1"))]),
        "zones" => Value::list([Value::from("a")]),
        _ => Value::from("a"),
    };
    for name in ["name", "size", "tags", "zones"] {
        let at = |value: Value| {
            let Value::Object(mut entries) = block.empty() else { panic!("it is an object") };
            entries.insert(name, value);
            Value::Object(entries)
        };
        for (prior, observed) in [(Value::Null, full(name)), (full(name), Value::Null)] {
            let (merged, drift) = refreshed(&at(prior), &at(observed.clone()));
            assert_eq!(merged, at(observed));
            assert_eq!(drift.changed.len(), 1, "{name}");
        }
    }
}
