//! Collections that a service shows, converted element by element.
//!
//! One element that cannot be converted fails the whole, at its path: nothing is half-converted, left out or guessed.
//! Every such element is reported.

use super::error::{LIMIT, add};
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
    let mut errors = None;
    let mut left = LIMIT;
    let mut converted = Vec::new();
    for (step, element) in seen {
        match convert(element) {
            Ok(element) => converted.push(element),
            Err(error) => {
                add(&mut errors, error.at(Path::root().step(step)));
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
    }
    match errors {
        None => Ok(converted.into_iter().collect()),
        Some(errors) => Err(errors),
    }
}
