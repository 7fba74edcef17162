//! Provider configurations in modules.

use super::Row;

pub(crate) const ROWS: &[Row] = &[];
