//! The kinds of what a provider offers.

use std::fmt;

/// A kind of what a provider offers by name. Two kinds may use one name: `cloud_bucket` may be a managed resource and a
/// data source.
///
/// ```
/// use ferroform::schema::Kind;
///
/// assert_eq!(Kind::DataSource.to_string(), "data source type");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Managed resources.
    Resource,
    /// Data sources.
    DataSource,
    /// Ephemeral resources.
    EphemeralResource,
    /// List resources.
    ListResource,
    /// State stores; protocol 6 only.
    StateStore,
    /// Actions.
    Action,
    /// Functions, which have a signature instead of a schema.
    Function,
}

impl Kind {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Resource,
        Self::DataSource,
        Self::EphemeralResource,
        Self::ListResource,
        Self::StateStore,
        Self::Action,
        Self::Function,
    ];

    /// What diagnostics call one of them, such as `data source type`.
    ///
    /// ```
    /// use ferroform::schema::Kind;
    ///
    /// assert_eq!(Kind::DataSource.as_str(), "data source type");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resource => "resource type",
            Self::DataSource => "data source type",
            Self::EphemeralResource => "ephemeral resource type",
            Self::ListResource => "list resource type",
            Self::StateStore => "state store type",
            Self::Action => "action type",
            Self::Function => "function",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
