//! `import` blocks.

use super::Row;

pub(crate) const ROWS: &[Row] = &[];
