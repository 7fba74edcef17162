//! Values that equal a pattern everywhere but at the holes of the pattern, in near-linear time.
//!
//! Two tables narrow the search. In the first, values are found by what is left of them without the holes of all
//! patterns, where a hole counts for every element of a list or map that it is in; so even patterns of which
//! each has holes of its own meet few candidates. In the second, the candidates are found by what is left of them
//! without exactly the holes of the pattern.

use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::Arc;

use crate::value::{Entries, HashMap, Value, hash};

/// Values of which some places are left open.
pub(super) struct Patterns<'a> {
    all: Vec<Pattern<'a>>,
    /// The holes of all patterns, those in the elements of a list or map in all of its elements.
    holes: Option<Holes>,
    /// Whether all patterns have exactly these holes, so that the first table says all.
    is_uniform: bool,
}

/// A value of which some places are left open.
pub(super) struct Pattern<'a> {
    value: &'a Value,
    holes: Option<Holes>,
    is_coarse: bool,
}

impl<'a> Patterns<'a> {
    /// Values whose unknown parts are left open.
    pub(super) fn of_known(values: impl Iterator<Item = &'a Value>) -> Self {
        let all: Vec<Pattern<'_>> = values.map(Pattern::of_known).collect();
        let first = all.first().and_then(|pattern| pattern.holes.as_ref());
        let is_uniform = first.is_none_or(Holes::are_attributes)
            && all.iter().all(|pattern| pattern.holes.as_ref() == first);
        let each = all.iter().filter_map(|pattern| pattern.holes.as_ref());
        let holes = each.take(if is_uniform { 1 } else { usize::MAX });
        let holes = holes.fold(None, |all, holes| Some(holes.joined_to(all)));
        Self { all, holes, is_uniform }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Pattern<'a>> {
        self.all.iter()
    }
}

impl<'a> Pattern<'a> {
    fn of_known(value: &'a Value) -> Self {
        let mut is_coarse = false;
        let holes = Holes::of_unknown(value, &mut is_coarse);
        Self { value, holes, is_coarse }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// Whether a part is left open of which something is known: a set of which only some elements are.
    pub(super) fn is_coarse(&self) -> bool {
        self.is_coarse
    }
}

/// The values among which patterns look for theirs.
pub(super) struct Candidates<'a> {
    values: &'a [&'a Value],
    patterns: &'a Patterns<'a>,
    buckets: HashMap<Rest<'a>, Bucket<'a>>,
}

/// Candidates that differ at most where some pattern has a hole, by the holes of patterns that asked for them.
#[derive(Default)]
struct Bucket<'a> {
    all: Group,
    /// Boxed, for most buckets have none.
    groups: Option<Box<Groups<'a>>>,
}

type Groups<'a> = HashMap<Option<&'a Holes>, HashMap<Rest<'a>, Group>>;

/// All candidates that match the same patterns.
#[derive(Default)]
pub(super) struct Group {
    /// Apart from the others, for most groups have one member.
    first: Option<usize>,
    others: Vec<usize>,
    passed: usize,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(values: &'a [&'a Value], patterns: &'a Patterns<'a>) -> Self {
        let mut buckets = HashMap::with_capacity_and_hasher(values.len(), Default::default());
        for (at, value) in values.iter().enumerate() {
            let bucket: &mut Bucket<'_> =
                buckets.entry(Rest::new(value, patterns.holes.as_ref())).or_default();
            bucket.all.push(at);
        }
        Self { values, patterns, buckets }
    }

    /// The candidates that match a pattern; `None` when there never were any.
    pub(super) fn matching(&mut self, pattern: &'a Pattern<'a>) -> Option<&mut Group> {
        let place = Rest::new(pattern.value, self.patterns.holes.as_ref());
        let Bucket { all, groups } = self.buckets.get_mut(&place)?;
        if self.patterns.is_uniform {
            return Some(all);
        }
        let holes = pattern.holes.as_ref();
        // What one pattern took of a single candidate is not there for those with other holes either.
        if let (Some(only), []) = (all.first, &*all.others) {
            return Holes::agree(holes, self.values[only], pattern.value).then_some(all);
        }
        let groups = groups.get_or_insert_default().entry(holes).or_insert_with(|| {
            let mut groups: HashMap<Rest<'_>, Group> = HashMap::default();
            for at in all.members() {
                groups.entry(Rest::new(self.values[at], holes)).or_default().push(at);
            }
            groups
        });
        groups.get_mut(&Rest::new(pattern.value, holes))
    }
}

impl Group {
    /// The positions of all candidates, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> {
        self.first.into_iter().chain(self.others.iter().copied())
    }

    fn push(&mut self, at: usize) {
        if self.first.is_none() {
            self.first = Some(at);
        } else {
            self.others.push(at);
        }
    }

    /// The positions of the candidates, in order, each handed out once: whoever looks on finds the rest.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(|| {
            #[cfg(test)]
            tests::visit();
            let at = match self.passed.checked_sub(1) {
                None => self.first?,
                Some(at) => *self.others.get(at)?,
            };
            self.passed += 1;
            Some(at)
        })
    }
}

/// A value without what stands in the holes, to be looked up among others without the same ones.
struct Rest<'a> {
    hash: u64,
    value: &'a Value,
    holes: Option<&'a Holes>,
}

impl<'a> Rest<'a> {
    fn new(value: &'a Value, holes: Option<&'a Holes>) -> Self {
        #[cfg(test)]
        tests::visit();
        Self { hash: hash(Around(value, holes)), value, holes }
    }
}

impl PartialEq for Rest<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && Holes::agree(self.holes, self.value, other.value)
    }
}

impl Eq for Rest<'_> {}

impl Hash for Rest<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Places in a value.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Holes {
    /// The value itself.
    Here,
    /// Places in attributes of an object, sorted by name.
    Attributes(Vec<(Arc<str>, Holes)>),
    /// Places in elements of a map, sorted by key.
    Keys(Vec<(Arc<str>, Holes)>),
    /// Places in elements of a list, in their order.
    Indices(Vec<(usize, Holes)>),
    /// The same places in each element of a list or map.
    Each(Box<Holes>),
}

impl Holes {
    /// The unknown places of a value. A set with unknown elements is unknown as a whole for this purpose, which is
    /// coarse.
    fn of_unknown(value: &Value, is_coarse: &mut bool) -> Option<Self> {
        let mut members = |entries: &Entries| -> Vec<(Arc<str>, Self)> {
            let holes = entries.iter().filter_map(|(key, value)| {
                Self::of_unknown(value, is_coarse).map(|holes| (key.clone(), holes))
            });
            holes.collect()
        };
        let holes = match value {
            Value::Unknown(_) => return Some(Self::Here),
            Value::Set(_) | Value::Dynamic(_) => {
                let is_open = !value.is_wholly_known();
                *is_coarse |= is_open;
                return is_open.then_some(Self::Here);
            }
            Value::Object(entries) => Self::Attributes(members(entries)),
            Value::Map(entries) => Self::Keys(members(entries)),
            Value::List(elements) | Value::Tuple(elements) => {
                let holes = elements
                    .iter()
                    .enumerate()
                    .filter_map(|(at, value)| Self::of_unknown(value, is_coarse).map(|holes| (at, holes)));
                Self::Indices(holes.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
        (!holes.is_empty()).then_some(holes)
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Here | Self::Each(_) => false,
            Self::Attributes(inner) | Self::Keys(inner) => inner.is_empty(),
            Self::Indices(inner) => inner.is_empty(),
        }
    }

    /// Whether none is in an element of a list or map.
    fn are_attributes(&self) -> bool {
        match self {
            Self::Here => true,
            Self::Attributes(inner) => inner.iter().all(|(_, holes)| holes.are_attributes()),
            Self::Keys(_) | Self::Indices(_) | Self::Each(_) => false,
        }
    }

    /// These and others, those in an element of a list or map in all of its elements.
    fn joined_to(&self, others: Option<Self>) -> Self {
        match (self, others) {
            (Self::Attributes(inner), None) => Self::joined_attributes(inner, Vec::new()),
            (Self::Attributes(inner), Some(Self::Attributes(all))) => Self::joined_attributes(inner, all),
            (Self::Keys(inner), others @ (None | Some(Self::Each(_)))) => {
                Self::joined_elements(inner.iter().map(|(_, holes)| holes), others)
            }
            (Self::Indices(inner), others @ (None | Some(Self::Each(_)))) => {
                Self::joined_elements(inner.iter().map(|(_, holes)| holes), others)
            }
            (Self::Each(inner), others @ (None | Some(Self::Each(_)))) => {
                Self::joined_elements(std::iter::once(&**inner), others)
            }
            // A larger hole lets more candidates pass, and the second table tells those apart.
            _ => Self::Here,
        }
    }

    fn joined_attributes(inner: &[(Arc<str>, Self)], mut all: Vec<(Arc<str>, Self)>) -> Self {
        for (name, holes) in inner {
            match all.binary_search_by(|(known, _)| known.cmp(name)) {
                Ok(at) => {
                    if let Some((_, known)) = all.get_mut(at) {
                        *known = holes.joined_to(Some(mem::replace(known, Self::Here)));
                    }
                }
                Err(at) => all.insert(at, (name.clone(), holes.joined_to(None))),
            }
        }
        Self::Attributes(all)
    }

    fn joined_elements<'h>(inner: impl Iterator<Item = &'h Self>, others: Option<Self>) -> Self {
        let others = match others {
            Some(Self::Each(others)) => Some(*others),
            _ => None,
        };
        let joined = inner.fold(others, |all, holes| Some(holes.joined_to(all)));
        joined.map_or(Self::Here, |joined| Self::Each(Box::new(joined)))
    }

    fn at_key(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Attributes(inner) | Self::Keys(inner) => {
                let at = inner.binary_search_by(|(known, _)| (**known).cmp(key)).ok()?;
                inner.get(at).map(|(_, holes)| holes)
            }
            Self::Each(inner) => Some(inner),
            Self::Here | Self::Indices(_) => None,
        }
    }

    fn at_index(&self, index: usize) -> Option<&Self> {
        match self {
            Self::Indices(inner) => {
                let at = inner.binary_search_by_key(&index, |(known, _)| *known).ok()?;
                inner.get(at).map(|(_, holes)| holes)
            }
            Self::Each(inner) => Some(inner),
            Self::Here | Self::Attributes(_) | Self::Keys(_) => None,
        }
    }

    /// Whether two values are equal but for these places.
    fn agree(holes: Option<&Self>, one: &Value, other: &Value) -> bool {
        match (holes, one, other) {
            (None, one, other) => one == other,
            (Some(Self::Here), _, _) => true,
            (Some(holes), Value::Object(one), Value::Object(other))
            | (Some(holes), Value::Map(one), Value::Map(other)) => {
                let mut pairs = one.iter().zip(other.iter());
                one.len() == other.len()
                    && pairs.all(|((key, one), (other_key, other))| {
                        key == other_key && Self::agree(holes.at_key(key), one, other)
                    })
            }
            (Some(holes), Value::List(one), Value::List(other))
            | (Some(holes), Value::Tuple(one), Value::Tuple(other)) => {
                let mut pairs = one.iter().zip(other).enumerate();
                one.len() == other.len()
                    && pairs.all(|(at, (one, other))| Self::agree(holes.at_index(at), one, other))
            }
            (Some(_), one, other) => one == other,
        }
    }
}

/// A value and the places that do not count in its hash.
struct Around<'a>(&'a Value, Option<&'a Holes>);

impl Hash for Around<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(value, holes) = self;
        match (holes, value) {
            (None, value) => value.hash(state),
            (Some(Holes::Here), _) => {}
            (Some(holes), Value::Object(entries)) => {
                // Objects of one schema have the same names.
                entries.iter().for_each(|(name, value)| Around(value, holes.at_key(name)).hash(state));
            }
            (Some(holes), Value::Map(entries)) => {
                for (key, value) in entries.iter() {
                    key.hash(state);
                    Around(value, holes.at_key(key)).hash(state);
                }
            }
            (Some(holes), Value::List(elements) | Value::Tuple(elements)) => {
                for (at, value) in elements.iter().enumerate() {
                    Around(value, holes.at_index(at)).hash(state);
                }
            }
            (Some(_), value) => value.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::plan::correlate::correlate;
    use crate::plan::{Breach, result_valid};
    use crate::schema::walk::Body;
    use crate::schema::{Attribute, Block, NestedObject, Nesting};
    use crate::ty::Type;
    use crate::value::Set;

    thread_local! {
        static VISITS: Cell<usize> = const { Cell::new(0) };
    }

    /// Notes that a value was looked at or handed out.
    pub(super) fn visit() {
        VISITS.set(VISITS.get() + 1);
    }

    /// Checks that the work for a number of elements grows in proportion to it.
    fn check_linear(work: impl Fn(i32)) {
        for elements in [10_usize, 100, 1000] {
            let before = VISITS.get();
            work(i32::try_from(elements).unwrap());
            let visits = VISITS.get() - before;
            assert!(visits > 0 && visits <= 16 * elements, "{visits} visits for {elements} elements");
        }
    }

    fn set(count: i32, element: impl Fn(i32) -> Value) -> Set {
        (0..count).map(element).collect()
    }

    /// An object that holds a port and an identifier in a map under a key of its own.
    fn keyed(at: i32, id: Value) -> Value {
        let entry = Value::object([("port", Value::from(1)), ("id", id)]);
        Value::object([("entries", Value::map([(format!("k{at}"), entry)]))])
    }

    fn body(attributes: &[Attribute]) -> Body<'_> {
        Body { attributes, ..Body::default() }
    }

    fn keyed_attributes() -> Vec<Attribute> {
        let entry = vec![Attribute::required("port", Type::Number), Attribute::computed("id", Type::String)];
        vec![Attribute::required("entries", NestedObject::new(Nesting::Map, entry))]
    }

    #[test]
    fn elements_with_holes_of_their_own_are_correlated_in_linear_time() {
        let attributes = keyed_attributes();
        check_linear(|count| {
            let prior = set(count, |at| keyed(at, Value::from(at)));
            let config = set(count, |at| keyed(count - 1 - at, Value::Null));
            let pairs = correlate(body(&attributes), &config, Some(&prior));
            for (at, pair) in (0..).zip(pairs) {
                let expect = count - 1 - at;
                assert_eq!(pair.prior, Some(&keyed(expect, Value::from(expect))));
            }
        });
    }

    #[test]
    fn optional_values_that_are_configured_still_tell_elements_apart() {
        let attributes =
            vec![Attribute::optional_computed("name", Type::Number), Attribute::computed("id", Type::Number)];
        let element = |name: Value, id: Value| Value::object([("name", name), ("id", id)]);
        check_linear(|count| {
            let prior = set(count, |at| element(at.into(), at.into()));
            let config = set(count, |at| match at {
                0 => element(Value::Null, Value::Null),
                at => element((count - at).into(), Value::Null),
            });
            let pairs = correlate(body(&attributes), &config, Some(&prior));
            for (at, pair) in (0..).zip(pairs) {
                let expect = if at == 0 { 0 } else { count - at };
                assert_eq!(pair.prior, Some(&element(expect.into(), expect.into())));
            }
        });
    }

    /// What a result breaks when sets are planned and returned.
    fn breaches(attributes: &[Attribute], planned: Set, actual: Set) -> Vec<Breach> {
        let rules = Attribute::optional("rules", NestedObject::new(Nesting::Set, attributes.to_vec()));
        let block = Block { attributes: vec![rules], ..Block::default() };
        let state = |rules: Set| Value::object([("rules", Value::Set(rules))]);
        result_valid(&block, &state(planned), &state(actual))
    }

    #[test]
    fn planned_elements_that_share_their_holes_are_matched_in_linear_time() {
        let attributes = [Attribute::required("port", Type::Number), Attribute::computed("id", Type::Number)];
        let element = |id: Value| Value::object([("port", Value::from(1)), ("id", id)]);
        check_linear(|count| {
            let planned = || set(count, |_| element(Value::unknown()));
            assert_eq!(planned().len(), usize::try_from(count).unwrap());
            let actual = set(count, |at| element(at.into()));
            assert_eq!(breaches(&attributes, planned(), actual), []);
            let fewer = set(count - 1, |at| element(at.into()));
            assert_eq!(breaches(&attributes, planned(), fewer), []);
        });
    }

    #[test]
    fn planned_elements_with_holes_of_their_own_are_matched_in_linear_time() {
        check_linear(|count| {
            let planned = set(count, |at| keyed(at, Value::unknown()));
            let actual = set(count, |at| keyed(at, Value::from(at)));
            assert_eq!(breaches(&keyed_attributes(), planned.clone(), actual), []);
            let shifted = set(count, |at| keyed(at + 1, Value::from(at)));
            let found = breaches(&keyed_attributes(), planned, shifted);
            let found: Vec<_> = found.iter().map(|breach| &*breach.found).collect();
            assert_eq!(
                found,
                [
                    "1 of the planned elements were not returned",
                    "1 of the returned elements were not planned"
                ]
            );
        });
    }
}
