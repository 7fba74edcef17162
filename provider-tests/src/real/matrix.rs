//! The cores that tests run on.

use std::fmt;

use super::core::{Core, CoreRequest};
use super::error::Error;
use super::lock::default_cores;
use super::resolve::{Availability, Resolver};
use crate::product::Product;

/// A core of the matrix, and how much is run on it.
#[derive(Debug)]
#[non_exhaustive]
pub struct MatrixEntry {
    /// Which core.
    pub wanted: CoreRequest,
    /// How much is run on it.
    pub share: Share,
    /// Whether it is there.
    pub found: Result<Availability, Error>,
}

/// How much is run on a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Share {
    /// Everything that the core has the features for.
    All,
    /// What the tests state as their sample for that core.
    Sample,
}

/// The cores that tests run on: the [`default_cores`], `tofu`, and those that are required besides.
///
/// All tests run on the newest default core and on what `FERROFORM_REQUIRE_CORES` names besides the default ones, a
/// sample on the others; each group of tests states its own sample, which may be another for each core. A core that is
/// not there has a place too, for its tests are reported as not run.
///
/// ```
/// use ferroform_testing::real::{Cache, Resolver, Share, matrix};
///
/// let resolver = Resolver::new(Cache::new("/nowhere"));
/// let places: Vec<_> = matrix(&resolver).iter().map(|place| (place.wanted.to_string(), place.share)).collect();
/// assert_eq!(
///     places,
///     [
///         ("terraform@1.15.5".to_owned(), Share::All),
///         ("terraform@1.14.9".to_owned(), Share::Sample),
///         ("terraform@1.12.2".to_owned(), Share::Sample),
///         ("terraform@1.11.4".to_owned(), Share::Sample),
///         ("terraform@1.8.4".to_owned(), Share::Sample),
///         ("tofu".to_owned(), Share::Sample),
///     ]
/// );
/// ```
#[must_use]
pub fn matrix(resolver: &Resolver) -> Vec<MatrixEntry> {
    let mut wanted: Vec<(CoreRequest, Share)> =
        default_cores().map(|core| (core.into(), Share::Sample)).collect();
    wanted.reverse();
    if let Some((_, share)) = wanted.first_mut() {
        *share = Share::All;
    }
    // A version that is named is the one to look for.
    if resolver.required().iter().all(|required| required.product != Product::OpenTofu) {
        wanted.push((CoreRequest { product: Product::OpenTofu, version: None }, Share::Sample));
    }
    for required in resolver.required() {
        if wanted.iter().all(|(known, _)| known != required) {
            wanted.push((required.clone(), Share::All));
        }
    }
    let place = |(wanted, share): (CoreRequest, Share)| MatrixEntry {
        found: resolver.resolve(&wanted),
        wanted,
        share,
    };
    wanted.into_iter().map(place).collect()
}

impl MatrixEntry {
    /// The core, if it is there.
    #[must_use]
    pub fn core(&self) -> Option<&Core> {
        match &self.found {
            Ok(Availability::Present(core)) => Some(core),
            _ => None,
        }
    }
}

/// One line for people.
impl fmt::Display for MatrixEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = match self.share {
            Share::All => "",
            Share::Sample => "a sample ",
        };
        match &self.found {
            Ok(Availability::Present(core)) => write!(f, "{share}runs on {core}"),
            Ok(Availability::Absent(absence)) => write!(f, "{share}does not run on {absence}"),
            Err(error) => write!(f, "{share}cannot run on {}: {error}", self.wanted),
        }
    }
}
