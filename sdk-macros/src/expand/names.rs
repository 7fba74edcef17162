//! The names of attributes and blocks, by which an object is encoded and decoded.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Field;

/// Names in the order of an object value, so that the place of each is known to the compiler.
pub(super) struct Names<'a> {
    sorted: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(fields: impl IntoIterator<Item = &'a Field<'a>>) -> Self {
        let mut sorted: Vec<&str> = fields.into_iter().map(|field| field.name.as_str()).collect();
        sorted.sort_unstable();
        // A name that is there twice is a mistake, which is reported; the expansion has to be sound nevertheless.
        sorted.dedup();
        Self { sorted }
    }

    /// The place of a field.
    pub(super) fn at(&self, field: &Field<'_>) -> usize {
        self.sorted.partition_point(|name| *name < field.name.as_str())
    }

    /// The declaration of `__NAMES`.
    pub(super) fn declaration(&self) -> TokenStream {
        let sorted = &self.sorted;
        quote!(static __NAMES: __support::Names = __support::Names::new(&[#(#sorted),*]);)
    }
}
