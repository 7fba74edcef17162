//! What core holds against a provider.

use std::fmt;

use ferroform::path::Path;

/// A breach of the protocol by the provider, in core's view. Never shows a sensitive value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Core's summary, one of [`summary`].
    pub summary: &'static str,
    /// Where in the value; the root when it is about the value as a whole.
    pub path: Path,
    /// What is wrong there, in words of this crate.
    pub detail: String,
}

/// The summaries of the diagnostics by which core reports a bug of a provider.
pub mod summary {
    /// A plan that the configuration and the prior state do not allow.
    pub const INVALID_PLAN: &str = "Provider produced invalid plan";
    /// A second plan, during apply, that departs from the first.
    pub const INCONSISTENT_FINAL_PLAN: &str = "Provider produced inconsistent final plan";
    /// A result that departs from the plan.
    pub const INCONSISTENT_RESULT: &str = "Provider produced inconsistent result after apply";
    /// A result that is unknown, or null where it must not be, or the reverse.
    pub const INVALID_RESULT: &str = "Provider returned invalid result object after apply";
    /// An object that does not conform to the schema.
    pub const INVALID_OBJECT: &str = "Provider produced invalid object";
    /// An identity that is not wholly known.
    pub const INVALID_IDENTITY: &str = "Provider produced invalid identity";
    /// An upgraded state that does not conform.
    pub const INVALID_UPGRADE: &str = "Invalid resource state upgrade";
    /// An upgraded identity that does not conform.
    pub const INVALID_IDENTITY_UPGRADE: &str = "Invalid resource identity upgrade";
    /// A stored version above that of the schema.
    pub const NEWER_PROVIDER: &str = "Resource instance managed by newer provider version";
    /// An import that answered with a null object.
    pub const IMPORT_NULL: &str = "Import returned null resource";
    /// An import that answered with nothing.
    pub const IMPORT_NOTHING: &str = "Import returned no resources";
    /// An import that answered with several objects.
    pub const IMPORT_SEVERAL: &str = "Multiple import states not supported";
    /// An import that answered with a write-only value.
    pub const IMPORT_WRITE_ONLY: &str = "Import returned a non-null value for a write-only attribute";
    /// An import of an object that is not there when it is read.
    pub const IMPORT_MISSING: &str = "Cannot import non-existent remote object";
    /// An import of what is in state already.
    pub const ALREADY_MANAGED: &str = "Resource already managed by Terraform";
    /// A deferral, which was not allowed.
    pub const DEFERRED: &str = "Provider deferred changes when Terraform did not allow deferrals";
}

impl Problem {
    /// The same problem under another summary: core makes some checks at several times.
    #[must_use]
    pub fn under(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) fn new(summary: &'static str, path: &Path, detail: impl Into<String>) -> Self {
        Self { summary, path: path.clone(), detail: detail.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary)?;
        if !self.path.is_root() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.detail)
    }
}
