//! x
use crate::matrix::Journey;
pub(crate) fn journeys() -> Vec<Journey> { Vec::new() }
