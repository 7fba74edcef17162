//! Checks of a state.

use ferroform::path::Path;

use super::change::{named, value as value_at};
use super::{Check, Is, Problems};
use crate::case::captured::Values;
use crate::case::view::{ObjectView, StateView, Tree};

/// A check of an object in the state; made by [`object`].
#[derive(Debug, Clone)]
#[must_use]
pub struct ObjectCheck {
    address: String,
    expectations: Vec<Expectation>,
}

#[derive(Debug, Clone)]
enum Expectation {
    Value(Path, Is),
    Identity(Path, Is),
    Private(Is),
    Status(Status),
    Dependencies(Vec<String>),
    SchemaVersion(i64),
    IdentitySchemaVersion(i64),
    Deposed(usize),
    CreateBeforeDestroy,
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
    fn expect(mut self, expectation: Expectation) -> Self {
        self.expectations.push(expectation);
        self
    }

    /// The stored value at a path. With a set element on the path, that of some element.
    pub fn has(self, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Value(path, is.into()))
    }

    /// The stored identity at a path in it. Cores without the feature store none.
    pub fn identity(self, path: Path, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Identity(path, is.into()))
    }

    /// The provider's private data: as JSON where it is JSON, otherwise as text, and null where there is none.
    pub fn private(self, is: impl Into<Is>) -> Self {
        self.expect(Expectation::Private(is.into()))
    }

    /// It is not tainted.
    pub fn ready(self) -> Self {
        self.expect(Expectation::Status(Status::Ready))
    }

    /// It is tainted, so that the next plan replaces it.
    pub fn tainted(self) -> Self {
        self.expect(Expectation::Status(Status::Tainted))
    }

    /// It depends on exactly these resources, in any order.
    pub fn depends_on<A: Into<String>>(self, addresses: impl IntoIterator<Item = A>) -> Self {
        self.expect(Expectation::Dependencies(addresses.into_iter().map(Into::into).collect()))
    }

    /// The version of the schema it was written with.
    pub fn schema_version(self, version: i64) -> Self {
        self.expect(Expectation::SchemaVersion(version))
    }

    /// The version of the identity schema it was written with.
    pub fn identity_schema_version(self, version: i64) -> Self {
        self.expect(Expectation::IdentitySchemaVersion(version))
    }

    /// That many objects at the address await deletion.
    pub fn deposed(self, count: usize) -> Self {
        self.expect(Expectation::Deposed(count))
    }

    /// Its replacement is created first.
    pub fn create_before_destroy(self) -> Self {
        self.expect(Expectation::CreateBeforeDestroy)
    }
}

impl Check<StateView> for ObjectCheck {
    fn check(&self, state: &StateView, values: &Values, problems: &mut Problems) {
        let address = &self.address;
        let Some(found) = state.object(address) else {
            problems.add(format!("the state has no object {address}"));
            return;
        };
        for expectation in &self.expectations {
            match expectation {
                Expectation::Deposed(count) => {
                    let deposed = |it: &&ObjectView<'_>| it.address() == address && it.deposed().is_some();
                    let found = state.objects().iter().filter(deposed).count();
                    problems.compare(
                        format_args!("the number of deposed objects of {address}"),
                        &found,
                        count,
                    );
                }
                other => other.check(&found, values, problems),
            }
        }
    }
}

impl Expectation {
    fn check(&self, found: &ObjectView<'_>, values: &Values, problems: &mut Problems) {
        let address = found.address();
        match self {
            Self::Value(path, is) => {
                value_at(
                    &format!("{address}: {}", named(path)),
                    found.attributes(),
                    (path, is),
                    values,
                    problems,
                );
            }
            Self::Identity(path, is) => {
                let what = format!("{address}: identity {}", named(path));
                value_at(&what, found.identity(), (path, is), values, problems);
            }
            Self::Private(is) => {
                let bytes = found.private();
                let text = || serde_json::Value::from(String::from_utf8_lossy(&bytes));
                let json = match bytes.as_slice() {
                    [] => serde_json::Value::Null,
                    bytes => serde_json::from_slice(bytes).unwrap_or_else(|_| text()),
                };
                // Private data may hold anything, so it is never shown.
                if !is.mismatches("", Tree::plain(&json), values).is_empty() {
                    problems.add(format!(
                        "the private data of {address} ({} bytes) is not as expected",
                        bytes.len()
                    ));
                }
            }
            Self::Status(status) => {
                let found = if found.is_tainted() { Status::Tainted } else { Status::Ready };
                problems.compare(format_args!("the status of {address}"), &found, status);
            }
            Self::Dependencies(expected) => {
                let mut found = found.dependencies();
                let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
                found.sort_unstable();
                expected.sort_unstable();
                problems.compare(format_args!("the list of dependencies of {address}"), &found, &expected);
            }
            Self::SchemaVersion(version) => {
                let what = format!("the schema version of {address}");
                problems.compare(what, &found.schema_version(), version);
            }
            Self::IdentitySchemaVersion(version) => {
                let what = format!("the identity schema version of {address}");
                problems.compare(what, &found.identity_schema_version(), version);
            }
            Self::CreateBeforeDestroy => {
                if !found.create_before_destroy() {
                    problems.add(format!("{address} is not marked to be created before it is destroyed"));
                }
            }
            Self::Deposed(_) => {}
        }
    }
}

/// Made by [`no_object`].
#[derive(Debug, Clone)]
#[must_use]
pub struct NoObject(String);

/// The state has no current object at that address.
pub fn no_object(address: impl Into<String>) -> NoObject {
    NoObject(address.into())
}

impl Check<StateView> for NoObject {
    fn check(&self, state: &StateView, _values: &Values, problems: &mut Problems) {
        if state.object(&self.0).is_some() {
            problems.add(format!("the state has an object {}, and should not", self.0));
        }
    }
}

/// Made by [`objects`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Objects(Vec<String>);

/// The state has exactly these objects, deposed ones and those of data sources left out, in any order.
pub fn objects<A: Into<String>>(addresses: impl IntoIterator<Item = A>) -> Objects {
    Objects(addresses.into_iter().map(Into::into).collect())
}

impl Check<StateView> for Objects {
    fn check(&self, state: &StateView, _values: &Values, problems: &mut Problems) {
        let found = state.managed();
        let current = found.iter().filter(|object| object.deposed().is_none());
        let mut found: Vec<&str> = current.map(ObjectView::address).collect();
        let mut expected: Vec<&str> = self.0.iter().map(String::as_str).collect();
        found.sort_unstable();
        expected.sort_unstable();
        problems.compare("the list of objects in the state", &found, &expected);
    }
}

/// Made by [`value`].
#[derive(Debug, Clone)]
#[must_use]
pub struct StateOutputs {
    name: String,
    is: Is,
}

/// The value of a root output in the state; one that is not there is null.
pub fn value(name: impl Into<String>, is: impl Into<Is>) -> StateOutputs {
    StateOutputs { name: name.into(), is: is.into() }
}

impl Check<StateView> for StateOutputs {
    fn check(&self, state: &StateView, values: &Values, problems: &mut Problems) {
        let null = serde_json::Value::Null;
        let found = state.output(&self.name).unwrap_or_else(|| Tree::plain(&null));
        let what = format!("output {}", self.name);
        value_at(&what, found, (&Path::root(), &self.is), values, problems);
    }
}
