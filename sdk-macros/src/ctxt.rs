//! The collector of mistakes: a user sees all of them at once.

use std::cell::RefCell;
use std::thread;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects mistakes until [`Ctxt::finish`], which must be called.
pub(crate) struct Ctxt {
    /// `None` after `finish`.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Reports a mistake at the tokens to blame.
    pub(crate) fn error(&self, at: impl ToTokens, message: impl std::fmt::Display) {
        self.syn_error(syn::Error::new_spanned(at, message));
    }

    pub(crate) fn syn_error(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// The compile errors for all mistakes; empty when there are none.
    pub(crate) fn finish(self) -> TokenStream {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        errors.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages of all mistakes, without the tokens to blame.
    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        self.errors.borrow_mut().take().unwrap_or_default().iter().map(ToString::to_string).collect()
    }
}

/// Dropping it unread would swallow mistakes.
impl Drop for Ctxt {
    fn drop(&mut self) {
        assert!(
            thread::panicking() || self.errors.borrow().is_none(),
            "forgot to look at the collected errors"
        );
    }
}
