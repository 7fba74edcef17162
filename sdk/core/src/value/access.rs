//! Ways through a value: by path, all over, and along a type.

use std::fmt;

use super::Value;
use crate::path::{Path, Step};
use crate::ty::Type;

/// Where and how a value departs from a type constraint.
///
/// ```
/// use ferroform::path;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// // What a service returned for a type that is described at run time.
/// let server = Value::object([("ports", Value::list([Value::from("https")]))]);
/// let ty = Type::object([("ports", Type::list(Type::Number))]);
/// let error = server.conforms(&ty).unwrap_err();
/// assert_eq!((error.path, error.found.as_str(), error.expected), (path!(ports[0]), "string", Type::Number));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotConforming {
    /// The place, from the root of the checked value.
    pub path: Path,
    /// What stands there, in words: a [kind](Value::kind), or which attribute is missing or surplus.
    pub found: String,
    /// The type that was expected there.
    pub expected: Type,
}

impl Value {
    /// The value at a path; `None` when there is none, for instance below a null. Dynamic wrappers on the way are
    /// passed, the one of the result is kept. Elements of sets have no address.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// let value = Value::object([("tags", Value::map([("env", Value::from("prod"))]))]);
    /// assert_eq!(value.get(&path!(tags["env"])).and_then(Value::as_str), Some("prod"));
    /// assert_eq!(value.get(&path!(name)), None);
    /// ```
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&Value> {
        path.steps().iter().try_fold(self, |value, step| value.step(step))
    }

    /// The value at a path, to be changed in place; see [`Value::get`].
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// let mut state = Value::object([("tags", Value::map([("env", Value::from("test"))]))]);
    /// if let Some(env) = state.get_mut(&path!(tags["env"])) {
    ///     *env = Value::from("prod");
    /// }
    /// assert_eq!(state.get(&path!(tags["env"])), Some(&Value::from("prod")));
    /// assert_eq!(state.get_mut(&path!(tags["team"])), None);
    /// ```
    pub fn get_mut(&mut self, path: &Path) -> Option<&mut Value> {
        path.steps().iter().try_fold(self, |value, step| value.step_mut(step))
    }

    /// Calls `visit` with this value and every value in it, a container before its content, each with its path. A
    /// dynamic wrapper and the value in it are visited as one: the wrapper.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// let value = Value::object([("a", Value::unknown()), ("b", Value::list([Value::Null]))]);
    /// let mut unknown = Vec::new();
    /// value.walk(|path, value| {
    ///     if value.is_unknown() {
    ///         unknown.push(path.to_string());
    ///     }
    /// });
    /// assert_eq!(unknown, ["a"]);
    /// ```
    pub fn walk(&self, mut visit: impl FnMut(&Path, &Value)) {
        walk(self, &mut Path::root(), &mut visit);
    }

    /// Checks that the value has the shape of a type: exactly the attributes of every object, values with their
    /// types where the type is dynamic, and null or unknown anywhere.
    ///
    /// # Errors
    /// The first departure from the type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let error = Value::list([Value::from(1)]).conforms(&Type::list(Type::String)).unwrap_err();
    /// assert_eq!(error.to_string(), "[0]: string required, not number");
    /// ```
    pub fn conforms(&self, ty: &Type) -> Result<(), NotConforming> {
        conforms(self, ty, &mut Path::root())
    }

    fn step(&self, step: &Step) -> Option<&Value> {
        match (self.peel(), step) {
            (Self::Object(entries), Step::Attribute(key) | Step::Key(key))
            | (Self::Map(entries), Step::Key(key)) => entries.get(key),
            (Self::List(elements) | Self::Tuple(elements), Step::Index(at)) => elements.get(*at),
            _ => None,
        }
    }

    fn step_mut(&mut self, step: &Step) -> Option<&mut Value> {
        match (self, step) {
            (Self::Dynamic(dynamic), step) => dynamic.value.step_mut(step),
            (Self::Object(entries), Step::Attribute(key) | Step::Key(key))
            | (Self::Map(entries), Step::Key(key)) => entries.get_mut(key),
            (Self::List(elements) | Self::Tuple(elements), Step::Index(at)) => elements.get_mut(*at),
            _ => None,
        }
    }
}

fn walk(value: &Value, path: &mut Path, visit: &mut impl FnMut(&Path, &Value)) {
    visit(path, value);
    let mut inner = |step: Step, value: &Value| path.within(Some(step), |path| walk(value, path, visit));
    match value.peel() {
        Value::List(elements) | Value::Tuple(elements) => {
            elements.iter().enumerate().for_each(|(at, element)| inner(Step::Index(at), element));
        }
        Value::Set(set) => set.iter().for_each(|element| inner(Step::Element, element)),
        Value::Map(entries) => {
            entries.iter().for_each(|(key, value)| inner(Step::Key(key.to_string().into()), value));
        }
        Value::Object(entries) => {
            entries.iter().for_each(|(name, value)| inner(Step::Attribute(name.to_string().into()), value));
        }
        Value::Null
        | Value::Unknown(_)
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => {}
    }
}

fn conforms(value: &Value, ty: &Type, path: &mut Path) -> Result<(), NotConforming> {
    let mut inner =
        |step: Step, value: &Value, ty: &Type| path.within(Some(step), |path| conforms(value, ty, path));
    match (value, ty) {
        (Value::Null | Value::Unknown(_), _)
        | (Value::Bool(_), Type::Bool)
        | (Value::Number(_), Type::Number)
        | (Value::String(_), Type::String) => Ok(()),
        (Value::Dynamic(dynamic), Type::Dynamic) => conforms(&dynamic.value, &dynamic.ty, path),
        (Value::List(elements), Type::List(ty)) => {
            elements.iter().enumerate().try_for_each(|(at, element)| inner(Step::Index(at), element, ty))
        }
        (Value::Set(set), Type::Set(ty)) => {
            set.iter().try_for_each(|element| inner(Step::Element, element, ty))
        }
        (Value::Map(entries), Type::Map(ty)) => {
            entries.iter().try_for_each(|(key, value)| inner(Step::Key(key.to_string().into()), value, ty))
        }
        (Value::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => (0..)
            .zip(elements.iter().zip(types.iter()))
            .try_for_each(|(at, (element, ty))| inner(Step::Index(at), element, ty)),
        (Value::Object(entries), Type::Object(object)) => {
            for (name, attribute) in object.attributes() {
                let Some(value) = entries.get(name) else {
                    return Err(departure(path, ty, format!("no attribute {name:?}")));
                };
                inner(Step::Attribute(name.to_string().into()), value, attribute)?;
            }
            match entries.keys().find(|name| object.attribute(name).is_none()) {
                Some(name) => Err(departure(path, ty, format!("surplus attribute {name:?}"))),
                None => Ok(()),
            }
        }
        (Value::Tuple(elements), Type::Tuple(types)) => {
            Err(departure(path, ty, format!("{} elements instead of {}", elements.len(), types.len())))
        }
        (value, Type::Dynamic) => Err(departure(path, ty, format!("{} without a type", value.kind()))),
        (value, ty) => Err(departure(path, ty, value.kind().to_owned())),
    }
}

fn departure(path: &Path, expected: &Type, found: String) -> NotConforming {
    NotConforming { path: path.clone(), found, expected: expected.clone() }
}

impl fmt::Display for NotConforming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_root() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{} required, not {}", self.expected, self.found)
    }
}

impl std::error::Error for NotConforming {}
