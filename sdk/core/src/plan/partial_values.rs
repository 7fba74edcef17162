//! Finds the values that equal a partial value, that is, one with unknown parts, everywhere else. The search takes
//! near-linear time.
//!
//! Two tables narrow the search. The key of the first masks the unknown parts of all partial values; an unknown part in an
//! element of a list or map is masked in every element, so that partial values with different unknown parts still have few
//! candidates. The key of the second masks exactly the unknown parts of the partial value at hand.

use std::hash::{Hash, Hasher};
use std::mem;

use crate::value::{Entries, HashMap, Value, hash};

/// Values with unknown parts, prepared for lookups.
pub(super) struct PartialValues<'a> {
    pub(super) all: Vec<PartialValue<'a>>,
    /// The unknown parts of all values. A part of one element of a list or map counts for all of its elements.
    unknowns: Option<UnknownParts<'a>>,
    /// Whether every value has exactly these unknown parts, so that the first table decides.
    is_uniform: bool,
}

/// A value with unknown parts.
pub(super) struct PartialValue<'a> {
    pub(super) value: &'a Value,
    unknowns: Option<UnknownParts<'a>>,
    /// Whether a part is left open of which something is known: a set of which only some elements are.
    pub(super) is_coarse: bool,
}

impl<'a> PartialValues<'a> {
    /// Prepares the values.
    pub(super) fn of_known(values: impl Iterator<Item = &'a Value>) -> Self {
        let all: Vec<PartialValue<'_>> = values.map(PartialValue::of_known).collect();
        let first = all.first().and_then(|partial| partial.unknowns.as_ref());
        let is_uniform = first.is_none_or(UnknownParts::are_attributes)
            && all.iter().all(|partial| partial.unknowns.as_ref() == first);
        let each = all.iter().filter_map(|partial| partial.unknowns.as_ref());
        let unknowns = each.take(if is_uniform { 1 } else { usize::MAX });
        let unknowns = unknowns.fold(None, |all, unknowns| Some(unknowns.union(all)));
        Self { all, unknowns, is_uniform }
    }
}

impl<'a> PartialValue<'a> {
    fn of_known(value: &'a Value) -> Self {
        let mut is_coarse = false;
        let unknowns = UnknownParts::of_unknown(value, &mut is_coarse);
        Self { value, unknowns, is_coarse }
    }
}

/// The known values to search.
pub(super) struct Candidates<'a> {
    values: &'a [&'a Value],
    partials: &'a PartialValues<'a>,
    buckets: HashMap<MaskedKey<'a>, Bucket<'a>>,
}

/// Candidates with the same key in the first table, grouped by the second table on demand.
#[derive(Default)]
struct Bucket<'a> {
    all: Group,
    /// Boxed, for most buckets have none.
    groups: Option<Box<Groups<'a>>>,
}

type Groups<'a> = HashMap<Option<&'a UnknownParts<'a>>, HashMap<MaskedKey<'a>, Group>>;

/// All candidates that match the same partial values.
#[derive(Default)]
pub(super) struct Group {
    /// Apart from the others, for most groups have one member.
    first: Option<usize>,
    others: Vec<usize>,
    passed: usize,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(values: &'a [&'a Value], partials: &'a PartialValues<'a>) -> Self {
        let mut buckets = HashMap::with_capacity_and_hasher(values.len(), Default::default());
        for (at, value) in values.iter().enumerate() {
            let bucket: &mut Bucket<'_> =
                buckets.entry(MaskedKey::new(value, partials.unknowns.as_ref())).or_default();
            bucket.all.push(at);
        }
        Self { values, partials, buckets }
    }

    /// The candidates that match a partial value, or `None`.
    pub(super) fn matching(&mut self, partial: &'a PartialValue<'a>) -> Option<&mut Group> {
        let place = MaskedKey::new(partial.value, self.partials.unknowns.as_ref());
        let Bucket { all, groups } = self.buckets.get_mut(&place)?;
        if self.partials.is_uniform {
            return Some(all);
        }
        let unknowns = partial.unknowns.as_ref();
        // A single candidate needs no second table, and all partial values share its position.
        if let (Some(only), []) = (all.first, &*all.others) {
            return UnknownParts::agree(unknowns, self.values[only], partial.value).then_some(all);
        }
        let groups = groups.get_or_insert_default().entry(unknowns).or_insert_with(|| {
            let mut groups: HashMap<MaskedKey<'_>, Group> = HashMap::default();
            for at in all.members() {
                groups.entry(MaskedKey::new(self.values[at], unknowns)).or_default().push(at);
            }
            groups
        });
        groups.get_mut(&MaskedKey::new(partial.value, unknowns))
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

/// The key of a value in a table: the value with the unknown parts masked.
struct MaskedKey<'a> {
    hash: u64,
    value: &'a Value,
    unknowns: Option<&'a UnknownParts<'a>>,
}

impl<'a> MaskedKey<'a> {
    fn new(value: &'a Value, unknowns: Option<&'a UnknownParts<'a>>) -> Self {
        #[cfg(test)]
        tests::visit();
        Self { hash: hash(MaskedHash(value, unknowns)), value, unknowns }
    }
}

impl PartialEq for MaskedKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && UnknownParts::agree(self.unknowns, self.value, other.value)
    }
}

impl Eq for MaskedKey<'_> {}

impl Hash for MaskedKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The key of a map, the name of an attribute, or the index of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PartKey<'a> {
    Key(&'a str),
    Index(usize),
}

/// The values in an object, a map, a list or a tuple.
fn inner(value: &Value) -> impl Iterator<Item = (PartKey<'_>, &Value)> {
    let (entries, elements): (Option<&Entries>, &[Value]) = match value {
        Value::Object(entries) | Value::Map(entries) => (Some(entries), &[]),
        Value::List(elements) | Value::Tuple(elements) => (None, elements),
        _ => (None, &[]),
    };
    let keyed = entries.into_iter().flat_map(Entries::iter).map(|(key, value)| (PartKey::Key(key), value));
    keyed.chain(elements.iter().enumerate().map(|(at, value)| (PartKey::Index(at), value)))
}

/// The unknown parts of a value.
#[derive(Debug, PartialEq, Eq, Hash)]
enum UnknownParts<'a> {
    /// The value itself.
    Here,
    /// Those of attributes of an object, in their order.
    Attributes(Vec<(PartKey<'a>, UnknownParts<'a>)>),
    /// Those of elements of a map or list, in their order. Apart from attributes: only these are combined into [`Each`](Self::Each).
    Elements(Vec<(PartKey<'a>, UnknownParts<'a>)>),
    /// The same parts of each element of a list or map.
    Each(Box<UnknownParts<'a>>),
}

impl<'a> UnknownParts<'a> {
    /// The unknown parts of a value. A set with unknown elements counts as unknown as a whole, which is
    /// coarse.
    fn of_unknown(value: &'a Value, is_coarse: &mut bool) -> Option<Self> {
        match value {
            Value::Unknown(_) => Some(Self::Here),
            Value::Set(_) | Value::Dynamic(_) => {
                let is_open = !value.is_wholly_known();
                *is_coarse |= is_open;
                is_open.then_some(Self::Here)
            }
            _ => {
                let parts = inner(value)
                    .filter_map(|(place, value)| Some((place, Self::of_unknown(value, is_coarse)?)));
                let parts: Vec<_> = parts.collect();
                let of = if matches!(value, Value::Object(_)) { Self::Attributes } else { Self::Elements };
                (!parts.is_empty()).then(|| of(parts))
            }
        }
    }

    /// Whether none is in an element of a list or map.
    fn are_attributes(&self) -> bool {
        match self {
            Self::Here => true,
            Self::Attributes(inner) => inner.iter().all(|(_, unknowns)| unknowns.are_attributes()),
            Self::Elements(_) | Self::Each(_) => false,
        }
    }

    /// These and others, those in an element of a list or map in all of its elements.
    fn union(&self, others: Option<Self>) -> Self {
        match (self, others) {
            (Self::Attributes(inner), None) => Self::union_attributes(inner, Vec::new()),
            (Self::Attributes(inner), Some(Self::Attributes(all))) => Self::union_attributes(inner, all),
            (Self::Elements(inner), others @ (None | Some(Self::Each(_)))) => {
                Self::union_elements(&mut inner.iter().map(|(_, unknowns)| unknowns), others)
            }
            (Self::Each(inner), others @ (None | Some(Self::Each(_)))) => {
                Self::union_elements(&mut std::iter::once(&**inner), others)
            }
            // A larger unknown part admits more candidates, and the second table separates them.
            _ => Self::Here,
        }
    }

    fn union_attributes(inner: &[(PartKey<'a>, Self)], mut all: Vec<(PartKey<'a>, Self)>) -> Self {
        for (name, unknowns) in inner {
            match all.binary_search_by_key(name, |(known, _)| *known) {
                Ok(at) => {
                    if let Some((_, known)) = all.get_mut(at) {
                        *known = unknowns.union(Some(mem::replace(known, Self::Here)));
                    }
                }
                Err(at) => all.insert(at, (*name, unknowns.union(None))),
            }
        }
        Self::Attributes(all)
    }

    fn union_elements(inner: &mut dyn Iterator<Item = &Self>, others: Option<Self>) -> Self {
        let others = match others {
            Some(Self::Each(others)) => Some(*others),
            _ => None,
        };
        let joined = inner.fold(others, |all, unknowns| Some(unknowns.union(all)));
        joined.map_or(Self::Here, |joined| Self::Each(Box::new(joined)))
    }

    fn at(&self, place: PartKey<'_>) -> Option<&Self> {
        match self {
            Self::Attributes(inner) | Self::Elements(inner) => {
                let at = inner.binary_search_by_key(&place, |(known, _)| *known).ok()?;
                inner.get(at).map(|(_, unknowns)| unknowns)
            }
            Self::Each(inner) => Some(inner),
            Self::Here => None,
        }
    }

    /// Whether two values are equal outside of these parts.
    fn agree(unknowns: Option<&Self>, one: &Value, other: &Value) -> bool {
        match (unknowns, one, other) {
            (Some(Self::Here), _, _) => true,
            (Some(unknowns), Value::Object(_), Value::Object(_))
            | (Some(unknowns), Value::Map(_), Value::Map(_))
            | (Some(unknowns), Value::List(_), Value::List(_))
            | (Some(unknowns), Value::Tuple(_), Value::Tuple(_)) => {
                let mut others = inner(other);
                inner(one).all(|(place, one)| {
                    let other = others.next().filter(|(other_place, _)| *other_place == place);
                    other.is_some_and(|(_, other)| Self::agree(unknowns.at(place), one, other))
                }) && others.next().is_none()
            }
            (_, one, other) => one == other,
        }
    }
}

/// A value and the parts that its hash leaves out.
struct MaskedHash<'a>(&'a Value, Option<&'a UnknownParts<'a>>);

impl Hash for MaskedHash<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(value, unknowns) = self;
        match (unknowns, value) {
            (Some(UnknownParts::Here), _) => {}
            (Some(unknowns), Value::Object(_) | Value::Map(_) | Value::List(_) | Value::Tuple(_)) => {
                // Objects of one schema have the same names.
                let is_map = matches!(value, Value::Map(_));
                for (place, value) in inner(value) {
                    if is_map {
                        place.hash(state);
                    }
                    MaskedHash(value, unknowns.at(place)).hash(state);
                }
            }
            (_, value) => value.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::plan::set_correlation::correlate;
    use crate::plan::{Violation, result_valid};
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
    fn elements_with_unknowns_of_their_own_are_correlated_in_linear_time() {
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
    fn violations(attributes: &[Attribute], planned: Set, actual: Set) -> Vec<Violation> {
        let rules = Attribute::optional("rules", NestedObject::new(Nesting::Set, attributes.to_vec()));
        let block = Block::new([rules]);
        let state = |rules: Set| Value::object([("rules", Value::Set(rules))]);
        result_valid(&block, &state(planned), &state(actual))
    }

    #[test]
    fn planned_elements_with_the_same_unknowns_are_matched_in_linear_time() {
        let attributes = [Attribute::required("port", Type::Number), Attribute::computed("id", Type::Number)];
        let element = |id: Value| Value::object([("port", Value::from(1)), ("id", id)]);
        check_linear(|count| {
            let planned = || set(count, |_| element(Value::unknown()));
            assert_eq!(planned().len(), usize::try_from(count).unwrap());
            let actual = set(count, |at| element(at.into()));
            assert_eq!(violations(&attributes, planned(), actual), []);
            let fewer = set(count - 1, |at| element(at.into()));
            assert_eq!(violations(&attributes, planned(), fewer), []);
        });
    }

    #[test]
    fn planned_elements_with_unknowns_of_their_own_are_matched_in_linear_time() {
        check_linear(|count| {
            let planned = set(count, |at| keyed(at, Value::unknown()));
            let actual = set(count, |at| keyed(at, Value::from(at)));
            assert_eq!(violations(&keyed_attributes(), planned.clone(), actual), []);
            let shifted = set(count, |at| keyed(at + 1, Value::from(at)));
            let found = violations(&keyed_attributes(), planned, shifted);
            let found: Vec<_> = found.iter().map(|violation| &*violation.found).collect();
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
