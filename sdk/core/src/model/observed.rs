//! Collections that a service shows, converted element by element.
//!
//! One element that cannot be converted fails the whole, at its path: nothing is half-converted, left out or guessed.
//! Every such element is reported.

use super::error::collect_results;
use crate::diag::Result;
use crate::path::{Path, Step};

/// Converts the elements of a list.
///
/// # Errors
/// Those of all elements, each with its index in front of its path; add the attribute with
/// [`at`](crate::diag::ResultExt::at).
///
/// ```
/// use ferroform::diag::{Error, ResultExt};
/// use ferroform::model::observed;
/// use ferroform::path;
///
/// let port = |text: &str| text.parse::<u16>().map_err(|_| Error::new("Invalid Port", "The service shows no number."));
/// assert_eq!(observed::list(["80", "443"], port).ok(), Some(vec![80, 443]));
/// let error = observed::list(["80", "http"], port).at(path!(ports)).unwrap_err();
/// assert_eq!(error.iter().next().unwrap().path, Some(path!(ports[1])));
/// ```
pub fn list<S, T>(seen: impl IntoIterator<Item = S>, convert: impl FnMut(S) -> Result<T>) -> Result<Vec<T>> {
    each(seen.into_iter().enumerate().map(|(at, element)| (Step::Index(at), element)), convert)
}

/// Converts the elements of a set, which have no addresses of their own.
///
/// # Errors
/// Those of all elements.
///
/// ```
/// use std::collections::BTreeSet;
///
/// use ferroform::diag::{Error, Result};
/// use ferroform::model::observed;
///
/// fn zone(text: &str) -> Result<String> {
///     let number = text.strip_prefix("zone-").ok_or_else(|| Error::new("Invalid Zone", "The service returned no zone."));
///     Ok(format!("eu-{}", number?))
/// }
///
/// let zones: BTreeSet<String> = observed::set(["zone-2", "zone-1", "zone-2"], zone)?;
/// assert_eq!(zones.into_iter().collect::<Vec<_>>(), ["eu-1", "eu-2"]);
/// assert!(observed::set::<_, _, BTreeSet<_>>(["zone-1", "2"], zone).is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub fn set<S, T, C: FromIterator<T>>(
    seen: impl IntoIterator<Item = S>,
    convert: impl FnMut(S) -> Result<T>,
) -> Result<C> {
    each(seen.into_iter().map(|element| (Step::Element, element)), convert)
}

/// Converts the values of a map.
///
/// # Errors
/// Those of all values, each with its key in front of its path.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use ferroform::diag::{Error, Result, ResultExt};
/// use ferroform::model::observed;
/// use ferroform::path;
///
/// fn port(text: &str) -> Result<u16> {
///     text.parse().map_err(|_| Error::new("Invalid Port", "The service returned no number."))
/// }
///
/// let ports = |https| [("http".to_owned(), "80"), ("https".to_owned(), https)];
/// let converted: BTreeMap<String, u16> = observed::map(ports("443"), port)?;
/// assert_eq!(converted["https"], 443);
/// let error = observed::map::<_, _, BTreeMap<_, _>>(ports("on"), port).at(path!(ports)).unwrap_err();
/// assert_eq!(error.iter().next().unwrap().path, Some(path!(ports["https"])));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub fn map<S, T, C: FromIterator<(String, T)>>(
    seen: impl IntoIterator<Item = (String, S)>,
    mut convert: impl FnMut(S) -> Result<T>,
) -> Result<C> {
    let entries = seen.into_iter().map(|(key, value)| (Step::Key(key.clone().into()), (key, value)));
    each(entries, |(key, value)| convert(value).map(|value| (key, value)))
}

fn each<S, T, C: FromIterator<T>>(
    seen: impl Iterator<Item = (Step, S)>,
    mut convert: impl FnMut(S) -> Result<T>,
) -> Result<C> {
    collect_results(seen, Vec::new(), |(step, element)| {
        convert(element).map_err(|error| error.at(Path::root().step(step)))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::error::LIMIT;
    use super::*;
    use crate::diag::Error;

    fn port(text: &str) -> Result<u16> {
        text.parse().map_err(|_| Error::new("Invalid Port", "The service shows no number."))
    }

    fn paths<T: std::fmt::Debug>(converted: Result<T>) -> Vec<Option<Path>> {
        converted.unwrap_err().iter().map(|diagnostic| diagnostic.path.clone()).collect()
    }

    #[test]
    fn sets_and_maps_are_converted_as_a_whole_or_not_at_all() {
        let set = |seen: [&'static str; 3]| set::<_, _, BTreeSet<u16>>(seen, port);
        assert_eq!(set(["443", "80", "443"]).ok(), Some([80, 443].into()));
        assert_eq!(paths(set(["80", "http", "443"])), [Some(Path::root().step(Step::Element))]);

        let map = |seen: [(&str, &'static str); 2]| {
            map::<_, _, BTreeMap<String, u16>>(seen.map(|(key, text)| (key.to_owned(), text)), port)
        };
        let expect = [("a".to_owned(), 80), ("b".to_owned(), 443)];
        assert_eq!(map([("b", "443"), ("a", "80")]).ok(), Some(expect.into()));
        assert_eq!(
            paths(map([("a", "http"), ("b", "x")])),
            ["a", "b"].map(|key| Some(Path::root().key(key)))
        );
    }

    #[test]
    fn a_service_that_shows_nothing_right_is_not_repeated_without_end() {
        let seen = std::iter::repeat_n("http", 10 * LIMIT);
        assert!(list(seen, port).unwrap_err().iter().count() <= LIMIT + 1);
    }
}
