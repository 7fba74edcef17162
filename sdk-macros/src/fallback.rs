//! What is emitted beside the errors, so that code which uses the model is not in error as well.

use proc_macro2::TokenStream;

use crate::ast::Model;
use crate::expand;

/// The traits and views of a model with mistakes. Only the schema is left out, in which the mistakes would show
/// up a second time.
pub(crate) fn model(model: &Model<'_>) -> TokenStream {
    expand::with_block(model, &expand::unreachable_block())
}
