//! Diagnostics: what a provider tells the person at the keyboard, and the errors that author code returns.
//!
//! Author code returns [`Result`] and uses `?`. An [`Error`] holds one or more error diagnostics; warnings never
//! travel in an error, they go through the context of the call. A diagnostic has a summary (a title, no full stop)
//! and a detail (whole sentences: what happened, what to do), and a [`Path`] where one attribute is to blame.
//! Neither may hold a sensitive value.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

use crate::path::Path;

/// How grave a [`Diagnostic`] is (protocol `Diagnostic.Severity`).
///
/// ```
/// use ferroform::diag::{Diagnostic, Severity};
///
/// /// A message of a service that has levels of its own.
/// fn message(level: &str, text: &str) -> Diagnostic {
///     let mut diagnostic = Diagnostic::warning("Message of the Service", text);
///     if level == "fatal" {
///         diagnostic.severity = Severity::Error;
///     }
///     diagnostic
/// }
///
/// assert!(message("fatal", "The region is closed.").is_error());
/// assert_eq!(message("note", "The region closes soon.").severity, Severity::Warning);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The operation failed.
    Error,
    /// The operation went on; the user should know.
    Warning,
}

/// One message to the user (protocol `Diagnostic`).
///
/// ```
/// use ferroform::diag::Diagnostic;
/// use ferroform::path;
///
/// let error = Diagnostic::error("Invalid Port", "Use a number below 65536.").at(path!(listener[0].port));
/// assert!(error.is_error());
/// assert_eq!(error.path.map(|path| path.to_string()), Some("listener[0].port".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One line, like a title, without a full stop.
    pub summary: String,
    /// Whole sentences; lines indented by two spaces are shown verbatim.
    pub detail: String,
    /// The attribute to blame, when there is one.
    pub path: Option<Path>,
}

impl Diagnostic {
    /// A diagnostic with a severity, a summary and a detail. Use [`error`](Self::error) or [`warning`](Self::warning) where
    /// the severity is always the same.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Severity};
    ///
    /// let deprecated = |in_use: bool| {
    ///     let severity = if in_use { Severity::Error } else { Severity::Warning };
    ///     Diagnostic::new(severity, "Deprecated Zone", "The zone closes at the end of the year. Move to another one.")
    /// };
    /// assert!(deprecated(true).is_error() && !deprecated(false).is_error());
    /// ```
    #[must_use]
    pub fn new(severity: Severity, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity, summary: summary.into(), detail: detail.into(), path: None }
    }

    /// An error with a summary and a detail.
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::path;
    ///
    /// let diagnostic = Diagnostic::error("Name Taken", "Another bucket has this name. Choose a new one.").at(path!(name));
    /// assert_eq!(diagnostic.to_string(), "name: Name Taken: Another bucket has this name. Choose a new one.");
    /// ```
    #[must_use]
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Severity::Error, summary, detail)
    }

    /// A warning with a summary and a detail.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Severity};
    ///
    /// let old = Diagnostic::warning("Old Protocol", "The service drops TLS 1.1 in March. Use TLS 1.2 or later.");
    /// assert_eq!(old.severity, Severity::Warning);
    /// ```
    #[must_use]
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Severity::Warning, summary, detail)
    }

    /// The same diagnostic, pointing at an attribute. A path already there is taken to be relative to `path`.
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::path;
    ///
    /// // A check of one rule knows the place within the rule only.
    /// let invalid = Diagnostic::error("Invalid Port", "Use a number below 65536.").at(path!(port));
    /// assert_eq!(invalid.at(path!(rule[2])).path, Some(path!(rule[2].port)));
    /// ```
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(match self.path.take() {
            Some(inner) => path.join(&inner),
            None => path,
        });
        self
    }

    /// Whether this is an error.
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    ///
    /// assert!(Diagnostic::error("Name Taken", "Another bucket has this name.").is_error());
    /// assert!(!Diagnostic::warning("Old Zone", "The zone closes in March.").is_error());
    /// ```
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path.as_ref().filter(|path| !path.is_root()) {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.summary)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// Diagnostics in the order in which they were found; exact duplicates are kept once.
///
/// ```
/// use ferroform::diag::{Diagnostic, Diagnostics};
///
/// let mut all = Diagnostics::default();
/// all.push(Diagnostic::warning("Old Name", "Use `label`."));
/// all.push(Diagnostic::warning("Old Name", "Use `label`."));
/// assert_eq!(all.len(), 1);
/// assert!(!all.has_errors());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    /// Hashes of what is there, so that finding repetitions among thousands takes no time.
    seen: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
}

impl PartialEq for Diagnostics {
    fn eq(&self, other: &Self) -> bool {
        self.all == other.all
    }
}

impl Eq for Diagnostics {}

impl Diagnostics {
    /// Appends one, unless it is there already.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    ///
    /// let mut found = Diagnostics::default();
    /// for zone in ["eu-1", "eu-9", "eu-9"] {
    ///     if zone == "eu-9" {
    ///         found.push(Diagnostic::error("No Such Zone", "The zone `eu-9` does not exist."));
    ///     }
    /// }
    /// assert_eq!(found.len(), 1);
    /// ```
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let mut hasher = DefaultHasher::new();
        diagnostic.hash(&mut hasher);
        if self.seen.insert(hasher.finish()) || !self.all.contains(&diagnostic) {
            self.all.push(diagnostic);
        }
    }

    /// Whether an error is among them.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    ///
    /// let mut found = Diagnostics::default();
    /// found.push(Diagnostic::warning("Old Zone", "The zone closes in March."));
    /// assert!(!found.has_errors());
    /// found.push(Diagnostic::error("Zone Full", "The zone takes no more servers. Choose another one."));
    /// assert!(found.has_errors());
    /// ```
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(Diagnostic::is_error)
    }

    /// How many there are.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    ///
    /// let closed = |zone| Diagnostic::error("Zone Closed", format!("The zone `{zone}` is closed."));
    /// let found: Diagnostics = ["eu-1", "eu-2"].into_iter().map(closed).collect();
    /// assert_eq!(found.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    ///
    /// let mut found = Diagnostics::default();
    /// assert!(found.is_empty());
    /// found.push(Diagnostic::warning("Old Zone", "The zone closes in March."));
    /// assert!(!found.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The diagnostics in order.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    ///
    /// let mut found = Diagnostics::default();
    /// found.push(Diagnostic::warning("Old Zone", "The zone closes in March."));
    /// found.push(Diagnostic::error("Zone Full", "The zone takes no more servers."));
    /// let errors = found.iter().filter(|it| it.is_error()).map(|it| it.summary.as_str());
    /// assert_eq!(errors.collect::<Vec<_>>(), ["Zone Full"]);
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.all.iter()
    }

    /// Keeps the value of an `Ok`; records the errors of an `Err`.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostics, Error};
    ///
    /// let mut all = Diagnostics::default();
    /// assert_eq!(all.record(Ok(1)), Some(1));
    /// assert_eq!(all.record::<i32>(Err(Error::new("No Such Zone", "The zone does not exist."))), None);
    /// assert!(all.has_errors());
    /// ```
    pub fn record<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.add(error);
                None
            }
        }
    }

    /// Apart from [`record`](Self::record), of which a program has one for each type.
    #[inline(never)]
    fn add(&mut self, error: Error) {
        self.extend(error);
    }

    /// `Err` when an error is among them, with the errors only; the warnings stay in `self`.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostic, Diagnostics};
    ///
    /// let mut found = Diagnostics::default();
    /// found.push(Diagnostic::warning("Old Zone", "The zone closes in March."));
    /// assert!(found.take_errors().is_ok());
    /// found.push(Diagnostic::error("Zone Full", "The zone takes no more servers."));
    /// assert_eq!(found.take_errors().unwrap_err().summaries(), "Zone Full");
    /// assert_eq!(found.len(), 1);
    /// ```
    ///
    /// # Errors
    /// Every error diagnostic recorded so far.
    pub fn take_errors(&mut self) -> Result {
        if !self.has_errors() {
            return Ok(());
        }
        let (errors, warnings): (Vec<_>, Vec<_>) =
            std::mem::take(self).into_iter().partition(Diagnostic::is_error);
        self.extend(warnings);
        Err(Error { diagnostics: Box::new(errors.into_iter().collect()) })
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        let mut all = Self::default();
        all.extend(diagnostics);
        all
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

/// What author code returns when a call fails: one or more error diagnostics.
///
/// Any [`std::error::Error`] becomes one with `?`; its message and the messages of its sources become the detail.
/// It is not a `std::error::Error` itself, which is what makes that conversion possible.
///
/// ```
/// use ferroform::diag::{Error, Result, ResultExt};
/// use ferroform::path;
///
/// fn port(text: &str) -> Result<u16> {
///     Ok(text.parse::<u16>().summary("Invalid Port").at(path!(port))?)
/// }
/// let error: Error = port("many").unwrap_err();
/// assert_eq!(error.to_string(), "port: Invalid Port: invalid digit found in string");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    diagnostics: Box<Diagnostics>,
}

/// The result of author code; `Result` alone is `Result<()>`.
///
/// ```
/// use ferroform::diag::{Error, Result};
///
/// fn port(text: &str) -> Result<u16> {
///     // Any error of Rust becomes one of the SDK.
///     Ok(text.parse()?)
/// }
///
/// fn check(port: u16) -> Result {
///     match port {
///         22 => Err(Error::new("Reserved Port", "The service uses port 22. Choose another one.")),
///         _ => Ok(()),
///     }
/// }
///
/// assert!(port("443").and_then(check).is_ok());
/// assert!(port("22").and_then(check).is_err() && port("https").is_err());
/// ```
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a summary and a detail.
    ///
    /// ```
    /// use ferroform::diag::{Error, Result};
    ///
    /// fn check_size(gigabytes: u32) -> Result {
    ///     if gigabytes > 500 {
    ///         return Err(Error::new("Disk Too Large", "A disk has up to 500 GB. Choose a smaller size."));
    ///     }
    ///     Ok(())
    /// }
    /// assert!(check_size(100).is_ok() && check_size(600).is_err());
    /// ```
    #[must_use]
    pub fn new(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Diagnostic::error(summary, detail).into()
    }

    /// The error diagnostics; never empty.
    ///
    /// ```
    /// use ferroform::diag::Error;
    /// use ferroform::path;
    ///
    /// let port = Error::new("Invalid Port", "Use a number below 65536.").at(path!(port));
    /// let both = port.and(Error::new("Invalid Host", "Use a name without spaces.").at(path!(host)));
    /// let paths: Vec<_> = both.iter().map(|diagnostic| diagnostic.path.clone()).collect();
    /// assert_eq!(paths, [Some(path!(port)), Some(path!(host))]);
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.diagnostics.iter()
    }

    /// The same error, pointing at an attribute. Paths already there are taken to be relative to `path`.
    ///
    /// ```
    /// use ferroform::diag::Error;
    /// use ferroform::path;
    ///
    /// let invalid = Error::new("Invalid Port", "Use a number below 65536.").at(path!(port));
    /// assert_eq!(invalid.at(path!(rule[2])).iter().next().unwrap().path, Some(path!(rule[2].port)));
    /// ```
    #[allow(
        clippy::needless_pass_by_value,
        reason = "callers make the path in place, as with `Diagnostic::at`"
    )]
    #[must_use]
    pub fn at(self, path: Path) -> Self {
        self.map(|diagnostic| diagnostic.at(path.clone()))
    }

    /// The same error under another summary; the old summary leads the detail when it said something.
    ///
    /// ```
    /// use ferroform::diag::Error;
    ///
    /// let error = Error::new("Quota Exceeded", "The account has ten buckets.").summary("Bucket Not Created");
    /// assert_eq!(error.to_string(), "Bucket Not Created: Quota Exceeded: The account has ten buckets.");
    /// // An error of Rust has a summary that says nothing, which is left out.
    /// let error = Error::from("many".parse::<u16>().unwrap_err()).summary("Invalid Port");
    /// assert_eq!(error.to_string(), "Invalid Port: invalid digit found in string");
    /// ```
    #[must_use]
    pub fn summary(self, summary: impl Into<String>) -> Self {
        let summary = summary.into();
        self.map(|mut diagnostic| {
            let old = std::mem::replace(&mut diagnostic.summary, summary.clone());
            if old != FROM_STD && old != diagnostic.summary {
                diagnostic.detail = format!("{old}: {}", diagnostic.detail);
            }
            diagnostic
        })
    }

    /// The same error with a sentence put before its detail.
    ///
    /// ```
    /// use ferroform::diag::Error;
    ///
    /// let error = Error::new("Bucket Not Created", "The service answered: 403.").detail("The token is read-only.");
    /// let text = "The token is read-only.\n\nThe service answered: 403.";
    /// assert_eq!(error.iter().next().unwrap().detail, text);
    /// ```
    #[must_use]
    pub fn detail(self, detail: impl fmt::Display) -> Self {
        self.map(|mut diagnostic| {
            diagnostic.detail = if diagnostic.detail.is_empty() {
                detail.to_string()
            } else {
                format!("{detail}\n\n{}", diagnostic.detail)
            };
            diagnostic
        })
    }

    /// Both errors as one.
    ///
    /// ```
    /// use ferroform::diag::Error;
    ///
    /// let name = Error::new("Invalid Name", "Use lower-case letters.");
    /// let both = name.and(Error::new("Invalid Port", "Use a number below 65536."));
    /// assert_eq!(both.summaries(), "Invalid Name, Invalid Port");
    /// ```
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.diagnostics.extend(other);
        self
    }

    /// The summaries alone, for logs: details may hold values.
    ///
    /// ```
    /// use ferroform::diag::Error;
    ///
    /// let error = Error::new("Invalid Token", "The service does not know the token `t-123`.");
    /// assert_eq!(error.summaries(), "Invalid Token");
    /// ```
    pub fn summaries(&self) -> String {
        self.iter().map(|diagnostic| diagnostic.summary.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The same error with a sentence put before its detail, and a paragraph behind it: what went wrong, and what to do.
    ///
    /// ```
    /// use ferroform::diag::Error;
    ///
    /// let error = Error::new("State Not Readable", "The size is no number.");
    /// let error = error.detail_within("The stored disk cannot be read.", "Restore the state from a backup.");
    /// let text = "The stored disk cannot be read. The size is no number.\n\nRestore the state from a backup.";
    /// assert_eq!(error.iter().next().unwrap().detail, text);
    /// ```
    #[must_use]
    pub fn detail_within(self, before: &str, after: &str) -> Self {
        self.map(|mut diagnostic| {
            diagnostic.detail = format!("{before} {}\n\n{after}", diagnostic.detail);
            diagnostic
        })
    }

    pub(crate) fn map(self, change: impl FnMut(Diagnostic) -> Diagnostic) -> Self {
        let diagnostics = self.diagnostics.into_iter().map(change).collect();
        Self { diagnostics: Box::new(diagnostics) }
    }
}

/// The summary of an error that came from a foreign error type and was given no better one.
const FROM_STD: &str = "Operation Failed";

impl From<Diagnostic> for Error {
    fn from(mut diagnostic: Diagnostic) -> Self {
        diagnostic.severity = Severity::Error;
        Self { diagnostics: Box::new(std::iter::once(diagnostic).collect()) }
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        from_std(&error)
    }
}

/// Apart from the conversion, which a program has once for each type of error.
fn from_std(error: &dyn std::error::Error) -> Error {
    let mut detail = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Many errors print their source themselves; saying it twice helps nobody.
        if !detail.contains(&cause_text) {
            detail = format!("{detail}: {cause_text}");
        }
        source = cause.source();
    }
    Error::new(FROM_STD, detail)
}

impl IntoIterator for Error {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.diagnostics.into_iter()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.diagnostics.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Adds context to the error of a [`Result`], whatever its error type was.
///
/// ```
/// use ferroform::diag::{Result, ResultExt};
/// use ferroform::path;
///
/// fn port(text: &str) -> Result<u16> {
///     text.parse::<u16>().summary("Invalid Port").detail("Use a number below 65536.").at(path!(port))
/// }
/// assert!(port("many").unwrap_err().to_string().starts_with("port: Invalid Port: Use a number below 65536."));
/// ```
pub trait ResultExt<T> {
    /// Blames an attribute.
    ///
    /// ```
    /// use ferroform::diag::{Error, ResultExt};
    /// use ferroform::path;
    ///
    /// let answer: Result<(), Error> = Err(Error::new("Name Taken", "Another bucket has this name."));
    /// assert_eq!(answer.at(path!(name)).unwrap_err().to_string(), "name: Name Taken: Another bucket has this name.");
    /// ```
    ///
    /// # Errors
    /// The error of `self`, with the path.
    fn at(self, path: Path) -> Result<T>;

    /// Gives the error a title.
    ///
    /// ```
    /// use ferroform::diag::ResultExt;
    ///
    /// let port = "many".parse::<u16>().summary("Invalid Port");
    /// assert_eq!(port.unwrap_err().to_string(), "Invalid Port: invalid digit found in string");
    /// ```
    ///
    /// # Errors
    /// The error of `self`, with the summary.
    fn summary(self, summary: &str) -> Result<T>;

    /// Puts a sentence before the detail.
    ///
    /// ```
    /// use ferroform::diag::ResultExt;
    ///
    /// let port = "many".parse::<u16>().summary("Invalid Port").detail("Use a number below 65536.");
    /// let text = "Invalid Port: Use a number below 65536.\n\ninvalid digit found in string";
    /// assert_eq!(port.unwrap_err().to_string(), text);
    /// ```
    ///
    /// # Errors
    /// The error of `self`, with the detail.
    fn detail(self, detail: &str) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn at(self, path: Path) -> Result<T> {
        self.map_err(|error| error.into().at(path))
    }

    fn summary(self, summary: &str) -> Result<T> {
        self.map_err(|error| error.into().summary(summary))
    }

    fn detail(self, detail: &str) -> Result<T> {
        self.map_err(|error| error.into().detail(detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path;

    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("cannot read the answer")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_foreign_error_brings_its_causes() {
        let error = Error::from(Outer("x".parse::<i32>().unwrap_err()));
        assert_eq!(
            error.to_string(),
            "Operation Failed: cannot read the answer: invalid digit found in string"
        );
    }

    #[test]
    fn equal_diagnostics_are_recorded_once() {
        let mut all = Diagnostics::default();
        let one = || Diagnostic::error("A", "B");
        for diagnostic in [one(), one(), one().at(path!(a)), Diagnostic::warning("A", "B"), one()] {
            all.push(diagnostic);
        }
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn paths_nest_outwards() {
        let error = Error::new("Bad", "").at(path!(b)).at(path!(a[0]));
        assert_eq!(error.to_string(), "a[0].b: Bad");
    }

    #[test]
    fn errors_leave_warnings_behind() {
        let mut all: Diagnostics =
            [Diagnostic::warning("W", ""), Diagnostic::error("E", "")].into_iter().collect();
        assert_eq!(all.take_errors().unwrap_err().iter().count(), 1);
        assert_eq!(all.len(), 1);
        assert!(all.take_errors().is_ok());
    }
}
