//! Checks of a state.

use std::fmt;
use std::sync::Arc;

use ferroform::path::Path;
use serde_json::Value as Json;

use super::change::{named, value as value_at};
use super::{Check, Is, Problems, ViewCheck};
use crate::case::captured::Values;
use crate::case::view::{ObjectView, StateView, Tree};

/// A check of an object in the state; made by [`object`].
#[derive(Clone)]
#[must_use]
pub struct ObjectCheck {
    address: String,
    expectations: Vec<Arc<Expectation>>,
}

type Expectation = dyn Fn(&ObjectSubject<'_>, &mut Problems) + Send + Sync;

/// The object that was found.
struct ObjectSubject<'a> {
    address: &'a str,
    object: ObjectView<'a>,
    state: &'a StateView,
    values: &'a Values,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Ready,
    Tainted,
}

/// The current object at an address, such as `demo_thing.this["a"]`.
///
/// ```
/// use ferroform::path;
/// use ferroform_testing::case::{is, object};
///
/// object("demo_thing.this")
///     .has(path!(name), "web")
///     .has(path!(id), is::not_null())
///     .identity(path!(id), is::not_null())
///     .ready();
/// ```
pub fn object(address: impl Into<String>) -> ObjectCheck {
    ObjectCheck { address: address.into(), expectations: Vec::new() }
}

impl ObjectCheck {
    fn expect(
        mut self,
        expectation: impl Fn(&ObjectSubject<'_>, &mut Problems) + Send + Sync + 'static,
    ) -> Self {
        self.expectations.push(Arc::new(expectation));
        self
    }

    /// The stored value at a path. With a set element on the path, that of some element.
    pub fn has(self, path: Path, is: impl Into<Is>) -> Self {
        let is = is.into();
        self.expect(move |ObjectSubject { address, object, values, .. }, problems| {
            let what = format!("{address}: {}", named(&path));
            value_at(&what, object.attributes(), (&path, &is), values, problems);
        })
    }

    /// The stored identity at a path in it. Cores without the feature store none.
    pub fn identity(self, path: Path, is: impl Into<Is>) -> Self {
        let is = is.into();
        self.expect(move |ObjectSubject { address, object, values, .. }, problems| {
            let what = format!("{address}: identity {}", named(&path));
            value_at(&what, object.identity(), (&path, &is), values, problems);
        })
    }

    /// The provider's private data: as JSON where it is JSON, otherwise as text, and null where there is none.
    pub fn private(self, is: impl Into<Is>) -> Self {
        let is = is.into();
        self.expect(move |ObjectSubject { address, object, values, .. }, problems| {
            let bytes = object.private();
            let text = || Json::from(String::from_utf8_lossy(&bytes));
            let json = match bytes.as_slice() {
                [] => Json::Null,
                bytes => serde_json::from_slice(bytes).unwrap_or_else(|_| text()),
            };
            // Private data may hold anything, so it is never shown.
            if !is.mismatches("", Tree::plain(&json), values).is_empty() {
                let size = bytes.len();
                problems.add(format!("the private data of {address} ({size} bytes) is not as expected"));
            }
        })
    }

    /// It is not tainted.
    pub fn ready(self) -> Self {
        self.compare("status", Status::Ready, status)
    }

    /// It is tainted, so that the next plan replaces it.
    pub fn tainted(self) -> Self {
        self.compare("status", Status::Tainted, status)
    }

    /// It depends on exactly these resources, in any order.
    pub fn depends_on<A: Into<String>>(self, addresses: impl IntoIterator<Item = A>) -> Self {
        let expected: Vec<String> = addresses.into_iter().map(Into::into).collect();
        self.expect(move |ObjectSubject { address, object, .. }, problems| {
            let expected = expected.iter().map(String::as_str).collect();
            problems.compare_sorted(
                format_args!("the list of dependencies of {address}"),
                object.dependencies(),
                expected,
            );
        })
    }

    /// The version of the schema it was written with.
    pub fn schema_version(self, version: i64) -> Self {
        self.compare("schema version", version, |object| object.schema_version())
    }

    /// The version of the identity schema it was written with.
    pub fn identity_schema_version(self, version: i64) -> Self {
        self.compare("identity schema version", version, |object| object.identity_schema_version())
    }

    fn compare<T>(self, what: &'static str, expected: T, of: fn(&ObjectView<'_>) -> T) -> Self
    where
        T: PartialEq + fmt::Debug + Send + Sync + 'static,
    {
        self.expect(move |ObjectSubject { address, object, .. }, problems| {
            problems.compare(format_args!("the {what} of {address}"), &of(object), &expected);
        })
    }

    /// That many objects at the address await deletion.
    pub fn deposed(self, count: usize) -> Self {
        self.expect(move |ObjectSubject { address, state, .. }, problems| {
            let deposed = |it: &&ObjectView<'_>| it.address() == *address && it.deposed().is_some();
            let found = state.objects().iter().filter(deposed).count();
            problems.compare(format_args!("the number of deposed objects of {address}"), &found, &count);
        })
    }

    /// Its replacement is created first.
    pub fn create_before_destroy(self) -> Self {
        self.expect(|ObjectSubject { address, object, .. }, problems| {
            if !object.create_before_destroy() {
                problems.add(format!("{address} is not marked to be created before it is destroyed"));
            }
        })
    }
}

fn status(object: &ObjectView<'_>) -> Status {
    if object.is_tainted() { Status::Tainted } else { Status::Ready }
}

impl Check<StateView> for ObjectCheck {
    fn check(&self, state: &StateView, values: &Values, problems: &mut Problems) {
        let address = &self.address;
        let Some(object) = state.object(address) else {
            return problems.add(format!("the state has no object {address}"));
        };
        let found = ObjectSubject { address, object, state, values };
        self.expectations.iter().for_each(|expectation| expectation(&found, problems));
    }
}

impl fmt::Debug for ObjectCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectCheck({})", self.address)
    }
}

/// The state has no current object at that address.
pub fn no_object(address: impl Into<String>) -> ViewCheck<StateView> {
    let address = address.into();
    ViewCheck::new(move |state: &StateView, _, problems| {
        if state.object(&address).is_some() {
            problems.add(format!("the state has an object {address}, and should not"));
        }
    })
}

/// The state has exactly these objects, deposed ones and those of data sources left out, in any order.
pub fn objects<A: Into<String>>(addresses: impl IntoIterator<Item = A>) -> ViewCheck<StateView> {
    let expected: Vec<String> = addresses.into_iter().map(Into::into).collect();
    ViewCheck::new(move |state: &StateView, _, problems| {
        let found = state.managed();
        let current = found.iter().filter(|object| object.deposed().is_none());
        let found = current.map(|object| object.address().to_owned()).collect();
        problems.compare_sorted("the list of objects in the state", found, expected.clone());
    })
}

/// The value of a root output in the state; one that is not there is null.
pub fn value(name: impl Into<String>, is: impl Into<Is>) -> ViewCheck<StateView> {
    let (name, is) = (name.into(), is.into());
    ViewCheck::new(move |state: &StateView, values, problems| {
        let found = state.output(&name).unwrap_or_else(|| Tree::plain(&Json::Null));
        value_at(&format!("output {name}"), found, (&Path::root(), &is), values, problems);
    })
}
