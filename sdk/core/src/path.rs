//! Attribute paths: where in a configuration, plan or state a value stands.
//!
//! A path starts at the root of a resource, data source or provider configuration and descends by attribute or
//! block name, list index, map key, or into an element of a set. The wire form is the protocol's `AttributePath`,
//! which has no step for set elements: a path is cut there when it is sent.

use std::borrow::Cow;
use std::fmt;

/// One step of a [`Path`].
///
/// ```
/// use ferroform::path;
/// use ferroform::path::Step;
///
/// // The service names the listener that is wrong by its number.
/// let path = path!(listener[2].port);
/// let number = path.steps().iter().find_map(|step| match step {
///     Step::Index(index) => Some(index + 1),
///     _ => None,
/// });
/// assert_eq!(number, Some(3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Into the attribute or nested block of that name.
    Attribute(Cow<'static, str>),
    /// Into the list or tuple element at that index, counted from 0.
    Index(usize),
    /// Into the map element of that key.
    Key(Cow<'static, str>),
    /// Into some element of a set. Set elements have no address on the wire.
    Element,
}

/// The place of a value within a configuration, plan or state.
///
/// ```
/// use ferroform::path::Path;
///
/// let path = Path::root().attribute("rule").index(2).attribute("tags").key("env");
/// assert_eq!(path.to_string(), r#"rule[2].tags["env"]"#);
///
/// // Elements of a set have no address: on the wire the path ends before them.
/// let port = Path::root().attribute("rule").element().attribute("port");
/// assert_eq!(port.to_string(), "rule[...].port");
/// assert_eq!(port.addressable(), Path::root().attribute("rule").steps());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    steps: Vec<Step>,
}

impl Path {
    /// The path of the whole object.
    ///
    /// ```
    /// assert!(ferroform::path::Path::root().is_root());
    /// ```
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The steps from the root.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::path::Step;
    ///
    /// let path = path!(rule[2].port);
    /// assert_eq!(path.steps(), [Step::Attribute("rule".into()), Step::Index(2), Step::Attribute("port".into())]);
    /// ```
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether this is the path of the whole object.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// assert!(path!().is_root());
    /// assert!(!path!(name).is_root());
    /// ```
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// This path, one attribute or nested block further.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::path::Path;
    ///
    /// // The name of the attribute is known at run time only.
    /// let invalid = |name: String| Path::root().attribute("settings").attribute(name);
    /// assert_eq!(invalid("timeout".to_owned()), path!(settings.timeout));
    /// ```
    #[must_use]
    pub fn attribute(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.step(Step::Attribute(name.into()))
    }

    /// This path, one list or tuple element further.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// let rules: Vec<_> = (0..2).map(|at| path!(rule).index(at).to_string()).collect();
    /// assert_eq!(rules, ["rule[0]", "rule[1]"]);
    /// ```
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// This path, one map element further.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// assert_eq!(path!(tags).key("env").to_string(), r#"tags["env"]"#);
    /// assert_ne!(path!(tags).key("env"), path!(tags).attribute("env"));
    /// ```
    #[must_use]
    pub fn key(self, key: impl Into<Cow<'static, str>>) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// This path, into an element of the set that it names.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// // Which of the rules it is cannot be said: an element of a set has no address.
    /// assert_eq!(path!(rules).element().attribute("port").to_string(), "rules[...].port");
    /// ```
    #[must_use]
    pub fn element(self) -> Self {
        self.step(Step::Element)
    }

    /// This path with one more step.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::path::{Path, Step};
    ///
    /// let steps = [Step::Attribute("rule".into()), Step::Index(0), Step::Attribute("port".into())];
    /// assert_eq!(steps.into_iter().fold(Path::root(), Path::step), path!(rule[0].port));
    /// ```
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds a step in place; the counterpart of [`Path::pop`] for code that walks a value.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::path::Step;
    ///
    /// let mut here = path!(rule);
    /// here.push(Step::Index(1));
    /// assert_eq!(here, path!(rule[1]));
    /// ```
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Takes the last step away and returns it; `None` at the root.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::path::Step;
    ///
    /// let mut here = path!(rule[1]);
    /// assert_eq!(here.pop(), Some(Step::Index(1)));
    /// assert_eq!(here, path!(rule));
    /// ```
    pub fn pop(&mut self) -> Option<Step> {
        self.steps.pop()
    }

    /// Adds a step at the front, for a path that is put together on the way out of a value.
    pub(crate) fn prepend(&mut self, step: Step) {
        self.steps.insert(0, step);
    }

    /// Takes a step, if there is one, for as long as `work` runs.
    pub(crate) fn within<T>(&mut self, step: Option<Step>, work: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.steps.len();
        self.steps.extend(step);
        let result = work(self);
        self.steps.truncate(depth);
        result
    }

    /// The path of the enclosing value; `None` at the root.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// assert_eq!(path!(a.b).parent(), Some(path!(a)));
    /// ```
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.steps.split_last()?;
        Some(Self { steps: rest.to_vec() })
    }

    /// Whether `self` is `other` or lies within it.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// assert!(path!(a.b[0]).starts_with(&path!(a)));
    /// assert!(!path!(ab).starts_with(&path!(a)));
    /// ```
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.steps.starts_with(&other.steps)
    }

    /// This path followed by the steps of `rest`.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// assert_eq!(path!(a[0]).join(&path!(b)), path!(a[0].b));
    /// ```
    #[must_use]
    pub fn join(mut self, rest: &Self) -> Self {
        self.steps.extend_from_slice(&rest.steps);
        self
    }

    /// The part of this path that has a form on the wire: everything before the first set element.
    ///
    /// ```
    /// use ferroform::path;
    ///
    /// let port = path!(rules).element().attribute("port");
    /// assert_eq!(port.addressable(), path!(rules).steps());
    /// assert_eq!(path!(rule[0].port).addressable().len(), 3);
    /// ```
    #[must_use]
    pub fn addressable(&self) -> &[Step] {
        let end = self.steps.iter().position(|step| *step == Step::Element);
        &self.steps[..end.unwrap_or(self.steps.len())]
    }
}

impl FromIterator<Step> for Path {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self { steps: steps.into_iter().collect() }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::Attribute(name) if at == 0 => f.write_str(name)?,
                Step::Attribute(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => write!(f, "[{key:?}]")?,
                Step::Element => f.write_str("[...]")?,
            }
        }
        Ok(())
    }
}

/// Builds a [`Path`] from the expression that a configuration would use.
///
/// ```
/// use ferroform::path;
/// use ferroform::path::Path;
///
/// assert_eq!(path!(rule[2].tags["env"]), Path::root().attribute("rule").index(2).attribute("tags").key("env"));
/// assert_eq!(path!(), Path::root());
/// ```
#[macro_export]
macro_rules! path {
    () => { $crate::path::Path::root() };
    ($name:ident $($rest:tt)*) => {
        $crate::path!(@ $crate::path::Path::root().attribute(stringify!($name)), $($rest)*)
    };
    (@ $path:expr,) => { $path };
    (@ $path:expr, . $name:ident $($rest:tt)*) => {
        $crate::path!(@ $path.attribute(stringify!($name)), $($rest)*)
    };
    (@ $path:expr, [$step:expr] $($rest:tt)*) => {
        $crate::path!(@ $crate::path::IntoStep::into_step($step, $path), $($rest)*)
    };
}

/// What may stand between the brackets of [`path!`](crate::path!): a list index or a map key.
#[doc(hidden)]
pub trait IntoStep {
    /// Appends this step to a path.
    fn into_step(self, path: Path) -> Path;
}

impl IntoStep for usize {
    fn into_step(self, path: Path) -> Path {
        path.index(self)
    }
}

impl IntoStep for &str {
    fn into_step(self, path: Path) -> Path {
        path.key(self.to_owned())
    }
}

impl IntoStep for String {
    fn into_step(self, path: Path) -> Path {
        path.key(self)
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_path_is_cut_at_the_first_set_element() {
        let path = path!(rule).element().attribute("port");
        assert_eq!(path.addressable(), path!(rule).steps());
        assert_eq!(path.to_string(), "rule[...].port");
        assert_eq!(path!(a.b).addressable().len(), 2);
    }

    #[test]
    fn the_macro_takes_indexes_and_keys() {
        let name = String::from("k");
        assert_eq!(path!(a[1][name].b).to_string(), r#"a[1]["k"].b"#);
    }
}
