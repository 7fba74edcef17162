//! Normal forms: equivalent values have the same one, so that they can be looked up in tables.

use super::merger::{Phase, to_single};
use super::rules::EqualityRules;
use crate::schema::EquivalenceRule;
use crate::schema::walk::{Body, Member};
use crate::value::{Entries, Form, HashMap, Number, Value};

/// Makes normal forms.
#[derive(Clone, Copy)]
pub(in crate::plan) struct Normalizer {
    pub(in crate::plan) phase: Phase,
    pub(super) precision: Precision,
}

/// How many digits the numbers of some values may have lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precision {
    /// None: there are no floats.
    Full,
    /// Those that a double lacks.
    Double,
    /// Those that a single lacks.
    Single,
}

impl Precision {
    pub(super) fn of<'v>(values: impl Iterator<Item = &'v Value>) -> Self {
        values.map(Self::of_one).max().unwrap_or(Self::Full)
    }

    fn of_one(value: &Value) -> Self {
        match value.peel() {
            Value::Number(number) => match number.form() {
                Form::Float(_) => Self::Double,
                Form::Single(_) => Self::Single,
                Form::Int(_) | Form::Uint(_) | Form::Text(_) => Self::Full,
            },
            other => {
                let elements = other.elements().unwrap_or_default().iter();
                let entries = other.as_entries().into_iter().flat_map(Entries::values);
                elements.chain(entries).map(Self::of_one).max().unwrap_or(Self::Full)
            }
        }
    }
}

impl Normalizer {
    /// Keeps all digits of numbers.
    pub(in crate::plan) fn exact(phase: Phase) -> Self {
        Self { phase, precision: Precision::Full }
    }

    /// Whether values are their own normal forms.
    pub(super) fn is_identity(self, rules: EqualityRules<'_>) -> bool {
        self.precision == Precision::Full && rules.is_exact()
    }

    /// The normal form of a value. Equivalent values have one normal form; where the rules are loose, others may have
    /// the same.
    pub(in crate::plan) fn of(self, rules: EqualityRules<'_>, value: &Value) -> Value {
        if matches!(value, Value::Null | Value::Unknown(_)) {
            return value.clone();
        }
        match (&rules.equivalence.rule, value) {
            (EquivalenceRule::Normal(normal), value) => match normal(value) {
                Some(form @ (Value::List(_) | Value::Tuple(_))) => Value::List(vec![form]),
                Some(form) => form,
                // No form is a bare tuple, so a value that has none has that of no other.
                None => Value::Tuple(vec![value.clone()]),
            },
            (EquivalenceRule::Relation(_), _) => Value::Null,
            (EquivalenceRule::Unordered, Value::List(elements)) => self.unordered(rules, elements),
            (EquivalenceRule::AddedKeys, Value::Map(_)) => Value::Null,
            (EquivalenceRule::UnmanagedKeys(unmanaged), Value::Map(entries)) => {
                let own = entries.iter().filter(|(key, _)| !unmanaged(key));
                let own = own.map(|(key, value)| (key.clone(), self.of(rules.element(0), value)));
                Value::Map(Entries::from_shared(own.collect()))
            }
            (_, value) => self.parts(rules, value),
        }
    }

    fn parts(self, rules: EqualityRules<'_>, value: &Value) -> Value {
        let element = |(at, value): (usize, &Value)| self.of(rules.element(at), value);
        let each = |entries: &Entries| entries.map(|value| self.of(rules.element(0), value));
        match value {
            Value::Object(members) => match rules.object() {
                Some(objects) => Value::Object(self.members(objects, members.clone())),
                None => Value::Object(each(members)),
            },
            Value::Map(entries) => Value::Map(each(entries)),
            Value::List(elements) => Value::List(elements.iter().enumerate().map(element).collect()),
            Value::Tuple(elements) => Value::Tuple(elements.iter().enumerate().map(element).collect()),
            Value::Set(set) => Value::set(set.iter().map(|value| self.of(rules.element(0), value))),
            Value::Dynamic(dynamic) => Value::dynamic(dynamic.ty.clone(), self.of(rules, &dynamic.value)),
            Value::Number(number) => self.rounded(number),
            Value::Null | Value::Unknown(_) | Value::Bool(_) | Value::String(_) => value.clone(),
        }
    }

    fn members(self, objects: Body<'_>, mut members: Entries) -> Entries {
        for member in objects.members() {
            let rules = EqualityRules::member(member);
            let is_left_out = matches!(member, Member::Attribute(attribute)
                if attribute.write_only || (attribute.unverified && self.phase == Phase::Apply));
            if (is_left_out || !self.is_identity(rules))
                && let Some(value) = members.get_mut(member.name())
            {
                *value = if is_left_out { Value::Null } else { self.of(rules, value) };
            }
        }
        members
    }

    /// The elements in no order: each with the number of equal ones before it, since a set holds each but once.
    fn unordered(self, rules: EqualityRules<'_>, elements: &[Value]) -> Value {
        let mut counts: HashMap<Value, i32> = HashMap::default();
        let counted = elements.iter().enumerate().map(|(at, element)| {
            let normal = self.of(rules.element(at), element);
            let count = counts.entry(normal.clone()).or_default();
            *count += 1;
            Value::tuple([normal, (*count).into()])
        });
        Value::set(counted.collect::<Vec<_>>())
    }

    /// A number rounded as far as the others may have been.
    fn rounded(self, number: &Number) -> Value {
        let rounded = match self.precision {
            Precision::Full => None,
            // What is beyond the singles cannot have been one.
            Precision::Single => Number::from_f32(to_single(number)).or_else(|_| double(number)).ok(),
            Precision::Double => double(number).ok(),
        };
        Value::Number(rounded.unwrap_or_else(|| number.clone()))
    }
}

fn double(number: &Number) -> Result<Number, crate::value::NumberError> {
    Number::from_f64(number.to_f64())
}
