//! Types whose schemas are wrong.

use ferroform::schema::{Attribute, Block};
use ferroform::ty::Type;

use super::stored::Kind;

/// An attribute has a name that is reserved by the language.
pub(super) struct Reserved;

impl Kind for Reserved {
    const NAME: &'static str = "probe_reserved";

    fn block() -> Block {
        Block::new([Attribute::required("count", Type::Number)])
    }
}
