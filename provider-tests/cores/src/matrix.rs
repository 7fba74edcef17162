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

/// The cores that tests run on: the [`default_cores`], those that are required besides, and `tofu`.
///
/// All tests run on the newest default core and on what `FERROFORM_REQUIRE_CORES` names besides the default ones, a
/// sample on the others; each group of tests states its own sample, which may be another for each core. A core that is
/// not there has a place too, for its tests are reported as not run.
///
/// ```
/// use ferroform_cores::{Cache, Resolver, Share, matrix};
///
/// let resolver = Resolver::new(Cache::new("/nowhere"));
/// let places: Vec<_> = matrix(&resolver).iter().map(|place| (place.wanted.to_string(), place.share)).collect();
/// assert_eq!(
///     places,
///     [
///         ("terraform@1.15.5".to_owned(), Share::All),
///         ("terraform@1.14.9".to_owned(), Share::Sample),
///         ("terraform@1.13.5".to_owned(), Share::Sample),
///         ("terraform@1.12.2".to_owned(), Share::Sample),
///         ("terraform@1.11.4".to_owned(), Share::Sample),
///         ("terraform@1.8.4".to_owned(), Share::Sample),
///         ("tofu".to_owned(), Share::Sample),
///     ]
/// );
/// ```
#[must_use]
pub fn matrix(resolver: &Resolver) -> Vec<MatrixEntry> {
    let mut defaults: Vec<CoreRequest> = default_cores().map(Into::into).collect();
    defaults.reverse();
    let place = |wanted: CoreRequest| {
        let is_extra = !defaults.contains(&wanted) && resolver.required().contains(&wanted);
        let is_whole = is_extra || defaults.first() == Some(&wanted);
        MatrixEntry {
            found: resolver.resolve(&wanted),
            share: if is_whole { Share::All } else { Share::Sample },
            wanted,
        }
    };
    with_required(defaults.clone(), resolver).into_iter().map(place).collect()
}

/// These cores, those that are required besides, and OpenTofu.
///
/// What is named is the one to look for: a product beside it may be found as the same core, whose tests would have one name.
#[doc(hidden)]
#[must_use]
pub fn with_required(mut wanted: Vec<CoreRequest>, resolver: &Resolver) -> Vec<CoreRequest> {
    for required in resolver.required() {
        if !wanted.iter().any(|known| required.stands_for(known)) {
            wanted.push(required.clone());
        }
    }
    if wanted.iter().all(|known| known.product != Product::OpenTofu) {
        wanted.push(CoreRequest { product: Product::OpenTofu, version: None });
    }
    wanted
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cache;

    /// Compares what is run beside the default cores where these are required.
    fn check(required: &[&str], expect: &[(&str, Share)]) {
        let required = required.iter().map(|core| core.parse().expect("a core")).collect();
        let resolver = Resolver::new(Cache::new("/nowhere")).with_required(required);
        let places: Vec<_> = matrix(&resolver).iter().map(|it| (it.wanted.to_string(), it.share)).collect();
        let beside: Vec<_> = places.iter().skip(default_cores().count()).collect();
        let expect: Vec<_> = expect.iter().map(|(core, share)| ((*core).to_owned(), *share)).collect();
        assert_eq!(beside, expect.iter().collect::<Vec<_>>());
    }

    #[test]
    fn required_cores_have_one_place_each() {
        check(&[], &[("tofu", Share::Sample)]);
        check(&["terraform", "1.15.5"], &[("tofu", Share::Sample)]);
        check(&["1.9.8"], &[("terraform@1.9.8", Share::All), ("tofu", Share::Sample)]);
        check(&["tofu"], &[("tofu", Share::All)]);
        check(&["tofu@1.12.6"], &[("tofu@1.12.6", Share::All)]);
        check(&["tofu@1.12.6", "tofu"], &[("tofu@1.12.6", Share::All)]);
    }
}
