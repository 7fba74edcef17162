//! What compares the plan of a model with its prior state.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::codec::names_of;
use super::{View, bounds};
use crate::ast::{Model, Presence};
use crate::options::OptionName;

pub(super) fn expand(model: &Model<'_>) -> Option<TokenStream> {
    let (planned, bounds, method) =
        (View::Planned.ident(model), bounds(model), method(model, &changed(model)?));
    Some(quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #planned #bounds {
            #method
        }
    })
}

/// The struct that says of each attribute whether a plan changes it; only whole objects have plans.
pub(super) fn structure(model: &Model<'_>) -> Option<TokenStream> {
    let (of, vis, changed) = (model.ident, model.vis, changed(model)?);
    let fields = model.fields.iter().map(|field| {
        let (vis, ident) = (field.vis, field.ident);
        quote!(#vis #ident: bool)
    });
    let all = model.fields.iter().map(|field| field.ident);
    let doc = format!("Which attributes of [`{of}`] a plan changes.");
    Some(quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_docs, non_camel_case_types, clippy::struct_excessive_bools)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq)]
        #vis struct #changed { #(#fields,)* }
        #[automatically_derived]
        #[allow(dead_code)]
        impl #changed {
            /// Whether there is any.
            #[must_use]
            #vis const fn any(&self) -> bool {
                false #(|| self.#all)*
            }
        }
    })
}

fn method(model: &Model<'_>, changed: &Ident) -> TokenStream {
    let (vis, prior, names) = (model.vis, View::Prior.ident(model), names_of(model));
    let fields = model.fields.iter().map(|field| {
        let (ident, at) = (field.ident, names.at(field));
        if field.wrapper.is_write_only() {
            let is_optional = field.presence() == Presence::Optional;
            let is_set = if is_optional { quote!(self.#ident.is_some()) } else { quote!(true) };
            quote!(#ident: #is_set)
        } else if field.has(OptionName::Flatten) {
            quote!(#ident: __support::differ(&self.#ident, &__prior.#ident))
        } else {
            quote!(#ident: __differences.contains(#at))
        }
    });
    quote! {
        /// Which attributes the plan changes, compared with the prior state. One that is not known yet counts as changed,
        /// and so does a write-only one that is configured.
        #[must_use]
        #vis fn changed(&self, __prior: &#prior) -> #changed {
            let __differences = __support::Differences::between(
                ::core::clone::Clone::clone(self),
                ::core::clone::Clone::clone(__prior),
                &__NAMES,
            );
            #changed { #(#fields,)* }
        }
    }
}

fn changed(model: &Model<'_>) -> Option<Ident> {
    (!model.options.has(OptionName::Nested)).then(|| format_ident!("{}Changed", model.ident))
}
