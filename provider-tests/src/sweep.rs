//! Deletes what interrupted tests have left in a live service.
//!
//! A test against a service names its objects with [`random_name`] and a prefix. A sweeper lists the objects of a type and
//! deletes those that have the prefix, in the order that the types depend on each other.
//!
//! ```
//! use std::cell::RefCell;
//!
//! use ferroform_testing::sweep::{Sweeper, Sweepers};
//!
//! let servers = RefCell::new(vec!["test-web-1".to_owned(), "production".to_owned()]);
//! let sweepers = Sweepers::new("test-").sweeper(Sweeper::new(
//!     "cloud_server",
//!     || Ok(servers.borrow().clone()),
//!     |name| {
//!         servers.borrow_mut().retain(|it| it != name);
//!         Ok(())
//!     },
//! ));
//! let report = sweepers.sweep();
//! assert_eq!(report.to_string(), "cloud_server test-web-1: deleted\n");
//! assert_eq!(*servers.borrow(), ["production"]);
//! ```

use std::error::Error;
use std::fmt;
use std::io::Write as _;
use std::process::ExitCode;

use ring::rand::{SecureRandom as _, SystemRandom};

/// The result of a call of the service.
pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The letters of random names: those that are allowed in nearly all names, without those that look alike.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A name that no other test uses: the prefix, a hyphen and ten random letters and digits.
///
/// # Panics
/// If the system has no random numbers.
///
/// ```
/// use ferroform_testing::sweep::random_name;
///
/// assert_ne!(random_name("test"), random_name("test"));
/// ```
#[must_use]
pub fn random_name(prefix: &str) -> String {
    let mut bytes = [0; 10];
    SystemRandom::new().fill(&mut bytes).expect("the system has random numbers");
    let letters = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)]));
    format!("{prefix}-{}", letters.collect::<String>())
}

/// Lists and deletes the objects of one type.
pub struct Sweeper<'a> {
    type_name: String,
    after: Vec<String>,
    list: Box<List<'a>>,
    delete: Box<Delete<'a>>,
}

/// Lists the names of objects.
type List<'a> = dyn Fn() -> Result<Vec<String>> + 'a;

/// Deletes the object of a name.
type Delete<'a> = dyn Fn(&str) -> Result<()> + 'a;

impl<'a> Sweeper<'a> {
    /// A sweeper of a type, by what lists the names of its objects and what deletes one by its name.
    pub fn new(
        type_name: impl Into<String>,
        list: impl Fn() -> Result<Vec<String>> + 'a,
        delete: impl Fn(&str) -> Result<()> + 'a,
    ) -> Self {
        Self {
            type_name: type_name.into(),
            after: Vec::new(),
            list: Box::new(list),
            delete: Box::new(delete),
        }
    }

    /// Sweeps only after another type, whose objects depend on those of this one.
    #[must_use]
    pub fn after(mut self, type_name: impl Into<String>) -> Self {
        self.after.push(type_name.into());
        self
    }
}

/// The sweepers of a provider.
#[derive(Debug)]
pub struct Sweepers<'a> {
    prefix: String,
    sweepers: Vec<Sweeper<'a>>,
}

impl<'a> Sweepers<'a> {
    /// No sweepers yet, for objects whose names have that prefix.
    ///
    /// # Panics
    /// If the prefix is empty, since every object would be deleted.
    pub fn new(prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        assert!(!prefix.is_empty(), "sweepers need a prefix: without one every object would be deleted");
        Self { prefix, sweepers: Vec::new() }
    }

    /// With a sweeper.
    #[must_use]
    pub fn sweeper(mut self, sweeper: Sweeper<'a>) -> Self {
        self.sweepers.push(sweeper);
        self
    }

    /// Lists the objects that a sweep would delete.
    pub fn leaks(&self) -> Report {
        self.run(|_, _| Ok(Status::Left))
    }

    /// Deletes the objects. One that cannot be deleted does not keep the others from it.
    pub fn sweep(&self) -> Report {
        self.run(|sweeper, name| (sweeper.delete)(name).map(|()| Status::Deleted))
    }

    /// Runs as the `main` of a program: reports leaks, and deletes them with the argument `--delete`. Fails while something
    /// is left.
    pub fn main(&self) -> ExitCode {
        let deletes = std::env::args().skip(1).any(|argument| argument == "--delete");
        let report = if deletes { self.sweep() } else { self.leaks() };
        // When standard output is gone there is nobody to tell.
        let _ = write!(std::io::stdout(), "{report}");
        if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn run(&self, visit: impl Fn(&Sweeper<'a>, &str) -> Result<Status>) -> Report {
        let mut report = Report::default();
        for sweeper in self.in_order() {
            let row = |name: &str, status| Row {
                type_name: sweeper.type_name.clone(),
                name: name.to_owned(),
                status,
            };
            match (sweeper.list)() {
                Err(error) => report.rows.push(row("", Status::Failed(format!("cannot be listed: {error}")))),
                Ok(names) => {
                    for name in names.iter().filter(|name| name.starts_with(&self.prefix)) {
                        let status = visit(sweeper, name);
                        let failed = |error| Status::Failed(format!("cannot be deleted: {error}"));
                        report.rows.push(row(name, status.unwrap_or_else(failed)));
                    }
                }
            }
        }
        report
    }

    /// The sweepers, each after those that it names. Of a cycle, the one that was added first is first.
    fn in_order(&self) -> Vec<&Sweeper<'a>> {
        let mut rest: Vec<&Sweeper<'a>> = self.sweepers.iter().collect();
        let mut ordered = Vec::new();
        while !rest.is_empty() {
            let waits = |sweeper: &&Sweeper<'a>| {
                sweeper.after.iter().any(|name| rest.iter().any(|other| other.type_name == *name))
            };
            let next = rest.iter().position(|sweeper| !waits(sweeper)).unwrap_or(0);
            ordered.push(rest.remove(next));
        }
        ordered
    }
}

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct Report {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    type_name: String,
    name: String,
    status: Status,
}

#[derive(Debug)]
enum Status {
    Deleted,
    Left,
    Failed(String),
}

impl Report {
    /// Whether nothing is left.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.status, Status::Deleted))
    }
}

/// A line for each object.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.iter().try_for_each(|Row { type_name, name, status }| {
            let separator = if name.is_empty() { "" } else { " " };
            write!(f, "{type_name}{separator}{name}: ")?;
            match status {
                Status::Deleted => writeln!(f, "deleted"),
                Status::Left => writeln!(f, "left behind"),
                Status::Failed(problem) => writeln!(f, "{problem}"),
            }
        })
    }
}

impl fmt::Debug for Sweeper<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sweeper")
            .field("type_name", &self.type_name)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn dependent_types_are_swept_first_and_failures_are_reported() {
        let deleted = RefCell::new(Vec::new());
        let sweeper = |type_name: &'static str, names: &'static [&'static str]| {
            let deleted = &deleted;
            let list = move || Ok(names.iter().map(|name| (*name).to_owned()).collect());
            Sweeper::new(type_name, list, move |name| {
                if name == "test-stuck" {
                    return Err("it is in use".into());
                }
                deleted.borrow_mut().push(format!("{type_name} {name}"));
                Ok(())
            })
        };
        let sweepers = Sweepers::new("test-")
            .sweeper(sweeper("network", &["test-net", "office"]).after("server"))
            .sweeper(Sweeper::new("disk", || Err("no access".into()), |_| Ok(())))
            .sweeper(sweeper("server", &["test-stuck", "test-web"]));

        let leaks = sweepers.leaks();
        assert!(deleted.borrow().is_empty() && !leaks.is_clean());
        assert!(leaks.to_string().contains("server test-web: left behind\n"), "{leaks}");

        let report = sweepers.sweep();
        assert_eq!(*deleted.borrow(), ["server test-web", "network test-net"]);
        assert!(!report.is_clean());
        assert_eq!(
            report.to_string(),
            "disk: cannot be listed: no access\nserver test-stuck: cannot be deleted: it is in use\n\
             server test-web: deleted\nnetwork test-net: deleted\n"
        );
    }

    #[test]
    #[should_panic(expected = "need a prefix")]
    fn empty_prefix_is_rejected() {
        let _ = Sweepers::new("");
    }
}
