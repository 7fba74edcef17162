//! Values with their type and with what is secret about them.

use std::fmt;
use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::{Entries, Refinements, Unknown, Value};

/// A value, its type, and which parts of it are sensitive or ephemeral.
///
/// The value conforms to the type without [`Value::Dynamic`] wrappers: where the type is [`Type::Dynamic`], there is a
/// null or an unknown of no type yet.
///
/// ```
/// use ferroform_embedded::language::{MarkSet, Marked};
///
/// let secret = Marked::string("hunter2").mark(MarkSet { sensitive: true, ..MarkSet::default() });
/// assert!(!format!("{secret:?}").contains("hunter2"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Marked {
    /// The value.
    pub value: Value,
    /// Its type.
    pub ty: Type,
    /// Its marks.
    pub marks: Marks,
}

/// Shows no value of which a part is sensitive or ephemeral, so that none gets into a log or the message of a panic.
impl fmt::Debug for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks = self.marks.all();
        let mut shown = f.debug_struct("Marked");
        if marks.sensitive || marks.ephemeral {
            shown.field("value", &format_args!("(sensitive value)"));
        } else {
            shown.field("value", &self.value);
        }
        shown.field("ty", &self.ty).field("marks", &self.marks).finish()
    }
}

/// The marks of a value and of its parts. A mark of a set's element is one of the set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    places: Vec<(Path, MarkSet)>,
}

/// Which marks one value has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkSet {
    /// It must not be shown.
    pub sensitive: bool,
    /// It must not be stored.
    pub ephemeral: bool,
    /// The deprecated objects that it is made of, each once.
    pub deprecated: Vec<Arc<Deprecation>>,
}

/// Something that is deprecated, by the schema of its resource or by the module that declares it.
#[derive(Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// What to use instead; may be empty.
    pub message: String,
    /// What is deprecated. It is the same for all instances of a resource.
    pub origin: String,
}

impl MarkSet {
    /// The mark of a secret.
    pub const SENSITIVE: Self = Self { sensitive: true, ephemeral: false, deprecated: Vec::new() };
    /// The mark of a value that is never stored.
    pub const EPHEMERAL: Self = Self { sensitive: false, ephemeral: true, deprecated: Vec::new() };

    /// The mark of something deprecated.
    #[must_use]
    pub fn deprecated(what: Arc<Deprecation>) -> Self {
        Self { deprecated: vec![what], ..Self::default() }
    }

    /// The marks of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    /// Adds marks.
    pub fn add(&mut self, other: Self) {
        self.sensitive |= other.sensitive;
        self.ephemeral |= other.ephemeral;
        for it in other.deprecated {
            if !self.deprecated.contains(&it) {
                self.deprecated.push(it);
            }
        }
    }

    /// Whether there is no mark.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the value must be neither shown nor stored.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.sensitive || self.ephemeral
    }
}

impl Marks {
    /// Marks of these places.
    #[must_use]
    pub fn new(places: impl IntoIterator<Item = (Path, MarkSet)>) -> Self {
        let mut marks = Self::default();
        places.into_iter().for_each(|(path, set)| marks.add(path, set));
        marks
    }

    /// Whether there is no mark.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The marked places, each once.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &MarkSet)> {
        self.places.iter().map(|(path, set)| (path, set))
    }

    /// The marks of the value as a whole.
    #[must_use]
    pub fn whole(&self) -> MarkSet {
        self.places.iter().find(|(path, _)| path.is_root()).map(|(_, set)| set.clone()).unwrap_or_default()
    }

    /// The marks of the value and of all its parts, together.
    #[must_use]
    pub fn all(&self) -> MarkSet {
        self.places.iter().fold(MarkSet::default(), |all, (_, set)| all.and(set.clone()))
    }

    /// The same without what is deprecated at these places.
    pub(crate) fn without_deprecated(self, is_meant: impl Fn(&Path) -> bool) -> Self {
        Self::new(self.places.into_iter().map(|(path, set)| match is_meant(&path) {
            true => (path, MarkSet { deprecated: Vec::new(), ..set }),
            false => (path, set),
        }))
    }

    /// Adds marks at a place.
    pub fn add(&mut self, path: Path, set: MarkSet) {
        if set.is_empty() {
            return;
        }
        match self.places.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) => known.add(set),
            None => self.places.push((path, set)),
        }
    }
}

impl Marked {
    /// A value of a type, without marks. Wrappers of dynamic parts are taken away and their types put into the type.
    #[must_use]
    pub fn new(value: Value, ty: &Type) -> Self {
        let (value, ty) = concrete(value, ty);
        Self { value, ty, marks: Marks::default() }
    }

    /// A value that conforms to its type without wrappers.
    pub(super) fn plain(value: Value, ty: Type) -> Self {
        Self { value, ty, marks: Marks::default() }
    }

    /// A null of no type.
    #[must_use]
    pub fn null() -> Self {
        Self::plain(Value::Null, Type::Dynamic)
    }

    /// Something of which nothing is known but its type.
    #[must_use]
    pub fn unknown(ty: Type) -> Self {
        Self::plain(Value::unknown(), ty)
    }

    /// An unknown that is known not to be null.
    pub(super) fn unknown_not_null(ty: Type) -> Self {
        if ty == Type::Dynamic {
            return Self::unknown(ty);
        }
        Self::plain(Value::Unknown(Unknown::not_null()), ty)
    }

    /// An unknown with what is known about it; if that leaves one value only, the value.
    pub(super) fn refined(ty: Type, refinements: Refinements) -> Self {
        let length = refinements.min_length.filter(|least| Some(*least) == refinements.max_length);
        let length = length.and_then(|length| usize::try_from(length).ok());
        match (&ty, length, &refinements.lower) {
            _ if !refinements.not_null => {}
            (Type::Number, _, Some(bound))
                if bound.inclusive && refinements.upper.as_ref() == Some(bound) =>
            {
                return Self::number(bound.limit.clone());
            }
            (Type::Map(element), Some(0), _) => return Self::map(element.as_ref().clone(), Vec::new()),
            (Type::Set(element), Some(length @ (0 | 1)), _) => {
                let element = element.as_ref();
                return Self::set(element.clone(), vec![Self::unknown(element.clone()); length]);
            }
            (Type::List(element), Some(length), _) => {
                let element = element.as_ref();
                return Self::list(element.clone(), vec![Self::unknown(element.clone()); length]);
            }
            _ => {}
        }
        Self::plain(Value::Unknown(Unknown::refined(refinements)), ty)
    }

    /// A string.
    #[must_use]
    pub fn string(text: impl AsRef<str>) -> Self {
        Self::plain(Value::string(text), Type::String)
    }

    /// A bool.
    #[must_use]
    pub fn bool(value: bool) -> Self {
        Self::plain(Value::Bool(value), Type::Bool)
    }

    /// A number.
    #[must_use]
    pub fn number(number: impl Into<ferroform::value::Number>) -> Self {
        Self::plain(Value::Number(number.into()), Type::Number)
    }

    /// A tuple of values of any types.
    #[must_use]
    pub fn tuple(elements: Vec<Marked>) -> Self {
        let ty = Type::tuple(elements.iter().map(|element| element.ty.clone()));
        Self::sequence(ty, elements, Value::Tuple)
    }

    /// A list of elements that have this type.
    #[must_use]
    pub fn list(element: Type, elements: Vec<Marked>) -> Self {
        Self::sequence(Type::list(element), elements, Value::List)
    }

    fn sequence(ty: Type, elements: Vec<Marked>, wrap: fn(Vec<Value>) -> Value) -> Self {
        let mut marks = Marks::default();
        let values = elements.into_iter().enumerate().map(|(at, element)| {
            marks.adopt(&Step::Index(at), &element.marks);
            element.value
        });
        let value = wrap(values.collect());
        Self { value, ty, marks }
    }

    /// A set of elements that have this type; their marks become the set's.
    #[must_use]
    pub fn set(element: Type, elements: Vec<Marked>) -> Self {
        let mut whole = MarkSet::default();
        let values = elements.into_iter().map(|element| {
            whole.add(element.marks.all());
            element.value
        });
        let value = Value::set(values.collect::<Vec<_>>());
        Self::plain(value, Type::set(element)).mark(whole)
    }

    /// A map of elements that have this type.
    #[must_use]
    pub fn map(element: Type, elements: Vec<(Arc<str>, Marked)>) -> Self {
        let mut marks = Marks::default();
        let values = elements.into_iter().map(|(key, element)| {
            marks.adopt(&Step::Key(key.to_string().into()), &element.marks);
            (key, element.value)
        });
        let value = Value::Map(values.collect());
        Self { value, ty: Type::map(element), marks }
    }

    /// An object; of equal names the last counts.
    #[must_use]
    pub fn object(attributes: Vec<(Arc<str>, Marked)>) -> Self {
        let mut marks = Marks::default();
        let ty = Type::object(attributes.iter().map(|(name, value)| (name.clone(), value.ty.clone())));
        let values = attributes.into_iter().map(|(name, attribute)| {
            marks.adopt(&Step::Attribute(name.to_string().into()), &attribute.marks);
            (name, attribute.value)
        });
        let value = Value::Object(values.collect::<Entries>());
        Self { value, ty, marks }
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// Whether it is unknown as a whole.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.value.is_unknown()
    }

    /// Whether it is known never to be null.
    pub(super) fn is_not_null(&self) -> bool {
        match &self.value {
            Value::Null => false,
            Value::Unknown(unknown) => unknown.refinements().is_some_and(|known| known.not_null),
            _ => true,
        }
    }

    /// The same value with marks on the whole of it.
    #[must_use]
    pub fn mark(mut self, set: MarkSet) -> Self {
        self.marks.add(Path::root(), set);
        self
    }

    /// The value without the marks of the whole, and these.
    #[must_use]
    pub fn unmark(mut self) -> (Self, MarkSet) {
        let whole = self.marks.whole();
        if !whole.is_empty() {
            self.marks.places.retain(|(path, _)| !path.is_root());
        }
        (self, whole)
    }

    /// The value without any mark, and all of them.
    #[must_use]
    pub fn unmark_deep(mut self) -> (Self, MarkSet) {
        let all = self.marks.all();
        self.marks = Marks::default();
        (self, all)
    }

    /// The elements of a list, set or tuple, or of a map or object, with the marks of each but not those of the whole;
    /// nothing for other values. The elements of a set stand in core's order.
    #[must_use]
    pub fn parts(&self) -> Vec<(Step, Marked)> {
        let element = self.ty.element();
        match (&self.value, &self.ty) {
            (Value::List(elements) | Value::Tuple(elements), ty) => elements
                .iter()
                .enumerate()
                .map(|(at, value)| {
                    let own = match ty {
                        Type::Tuple(types) => types.get(at),
                        _ => element,
                    };
                    self.part(Step::Index(at), value, own)
                })
                .collect(),
            (Value::Set(set), _) => {
                set.sorted().into_iter().map(|value| self.part(Step::Element, value, element)).collect()
            }
            (Value::Map(entries), _) => entries
                .iter()
                .map(|(key, value)| self.part(Step::Key(key.to_string().into()), value, element))
                .collect(),
            (Value::Object(entries), ty) => entries
                .iter()
                .map(|(name, value)| {
                    let own = ty.as_object().and_then(|object| object.attribute(name));
                    self.part(Step::Attribute(name.to_string().into()), value, own)
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The parts of a map or object by name.
    pub(super) fn members(&self) -> Vec<(Arc<str>, Marked)> {
        let keys = self.value.as_entries().map(|entries| entries.iter().map(|(key, _)| key.clone()));
        keys.into_iter().flatten().zip(self.elements()).collect()
    }

    /// The parts without what they are found by.
    pub(super) fn elements(&self) -> Vec<Marked> {
        self.parts().into_iter().map(|(_, part)| part).collect()
    }

    /// The elements of a list or tuple; those of an unknown tuple are unknown, each in its type.
    pub(super) fn elements_by_type(&self) -> Vec<Marked> {
        match &self.ty {
            Type::Tuple(types) if self.is_unknown() => types.iter().cloned().map(Marked::unknown).collect(),
            _ => self.elements(),
        }
    }

    /// One element of a list or tuple; not with the marks of the whole.
    pub(super) fn at(&self, at: usize) -> Option<Marked> {
        let (Value::List(elements) | Value::Tuple(elements)) = &self.value else { return None };
        let own = match &self.ty {
            Type::Tuple(types) => types.get(at),
            ty => ty.element(),
        };
        Some(self.part(Step::Index(at), elements.get(at)?, own).1)
    }

    /// One element of a map or attribute of an object; not with the marks of the whole.
    pub(super) fn named(&self, name: &str) -> Option<Marked> {
        let value = self.value.as_entries()?.get(name)?;
        Some(match &self.ty {
            Type::Object(object) => {
                self.part(Step::Attribute(name.to_owned().into()), value, object.attribute(name)).1
            }
            ty => self.part(Step::Key(name.to_owned().into()), value, ty.element()).1,
        })
    }

    fn part(&self, step: Step, value: &Value, ty: Option<&Type>) -> (Step, Marked) {
        let inner = self.marks.places.iter().filter_map(|(path, set)| {
            let (first, rest) = path.steps().split_first()?;
            let rest = || rest.iter().cloned().fold(Path::root(), Path::step);
            (*first == step).then(|| (rest(), set.clone()))
        });
        let marks = Marks { places: inner.collect() };
        let ty = ty.cloned().unwrap_or(Type::Dynamic);
        (step, Marked { value: value.clone(), ty, marks })
    }

    /// The value for a place of a type constraint: where the constraint is dynamic it brings its type along. The value
    /// must have been [converted](super::convert) to the constraint.
    #[must_use]
    pub fn into_value(self, constraint: &Type) -> Value {
        wrap(self.value, &self.ty, constraint)
    }
}

impl Marks {
    /// Takes over the marks of a part.
    fn adopt(&mut self, step: &Step, of: &Marks) {
        for (path, set) in &of.places {
            self.add(Path::root().step(step.clone()).join(path), set.clone());
        }
    }
}

/// The value without the wrappers of dynamic parts, and the type that says what they hold.
fn concrete(value: Value, ty: &Type) -> (Value, Type) {
    if !ty.has_dynamic() {
        return (value, ty.clone());
    }
    let each = |values: Vec<Value>, element: &Type| -> (Vec<Value>, Type) {
        let (values, types): (Vec<_>, Vec<_>) =
            values.into_iter().map(|value| concrete(value, element)).unzip();
        let known = types.into_iter().find(|ty| !ty.has_dynamic());
        (values, known.unwrap_or_else(|| element.clone()))
    };
    match (value, ty) {
        (Value::Dynamic(dynamic), _) => concrete(dynamic.value, &dynamic.ty),
        (Value::Object(entries), Type::Object(object)) => {
            let members = entries.into_iter().map(|(name, value)| {
                let (value, ty) = concrete(value, object.attribute(&name).unwrap_or(&Type::Dynamic));
                ((name.clone(), value), (name, ty))
            });
            let (values, types): (Vec<_>, Vec<_>) = members.unzip();
            (Value::object(values), Type::object(types))
        }
        (Value::Tuple(elements), Type::Tuple(types)) => {
            let members = elements.into_iter().zip(types.iter()).map(|(value, ty)| concrete(value, ty));
            let (values, types): (Vec<_>, Vec<_>) = members.unzip();
            (Value::Tuple(values), Type::tuple(types))
        }
        (Value::List(elements), Type::List(element)) => {
            let (values, ty) = each(elements, element);
            (Value::List(values), Type::list(ty))
        }
        (Value::Set(set), Type::Set(element)) => {
            let (values, ty) = each(set.into_elements(), element);
            (Value::set(values), Type::set(ty))
        }
        (Value::Map(entries), Type::Map(element)) => {
            let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
            let (values, ty) = each(values, element);
            (Value::map(keys.into_iter().zip(values)), Type::map(ty))
        }
        (value, _) => (value, ty.clone()),
    }
}

fn wrap(value: Value, ty: &Type, constraint: &Type) -> Value {
    if !constraint.has_dynamic() {
        return value;
    }
    match (value, ty, constraint) {
        (value, Type::Dynamic, Type::Dynamic) => value,
        (value, ty, Type::Dynamic) => Value::dynamic(ty.clone(), value),
        (Value::List(elements), Type::List(ty), Type::List(constraint)) => {
            Value::list(elements.into_iter().map(|value| wrap(value, ty, constraint)))
        }
        (Value::Set(set), Type::Set(ty), Type::Set(constraint)) => {
            Value::set(set.into_iter().map(|value| wrap(value, ty, constraint)))
        }
        (Value::Map(entries), Type::Map(ty), Type::Map(constraint)) => {
            Value::map(entries.into_iter().map(|(key, value)| (key, wrap(value, ty, constraint))))
        }
        (Value::Tuple(elements), Type::Tuple(types), Type::Tuple(constraints)) => {
            let types = types.iter().zip(constraints.iter());
            Value::tuple(elements.into_iter().zip(types).map(|(value, (ty, to))| wrap(value, ty, to)))
        }
        (Value::Object(entries), Type::Object(types), Type::Object(constraints)) => {
            Value::object(entries.into_iter().map(|(name, value)| {
                let value = match (types.attribute(&name), constraints.attribute(&name)) {
                    (Some(ty), Some(constraint)) => wrap(value, ty, constraint),
                    _ => value,
                };
                (name, value)
            }))
        }
        (value, _, _) => value,
    }
}
