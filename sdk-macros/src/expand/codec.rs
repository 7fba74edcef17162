//! Encoding and decoding of a model and its views.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use super::names::Names;
use super::{View, bounds, place};
use crate::ast::{Field, Model};

pub(super) fn expand(model: &Model<'_>, view: View) -> TokenStream {
    let names = Names::of(&model.fields);
    let encode = encode(model, view, &names);
    let decode = decode(model, view, &names);
    quote!(#encode #decode)
}

fn encode(model: &Model<'_>, view: View, names: &Names<'_>) -> TokenStream {
    let ident = view.ident(model);
    let bounds = bounds(model);
    // What is not put is null, as a write-only attribute is.
    let stored = model.fields.iter().filter(|field| !field.wrapper.is_write_only() || view == View::Model);
    let fields = stored.map(|field| {
        let (at, ident, ty) = (names.at(field), field.ident, field.ty);
        if has_block_codec(field) {
            quote!(__object.block::<#ty, _>(#at, self.#ident);)
        } else {
            quote_spanned!(place(field.inner)=> __object.put(#at, self.#ident);)
        }
    });
    quote! {
        #[automatically_derived]
        impl __model::Encode for #ident #bounds {
            fn encode(self) -> __support::Value {
                let mut __object = __support::Object::new(&__NAMES);
                #(#fields)*
                __object.finish()
            }
        }
    }
}

fn decode(model: &Model<'_>, view: View, names: &Names<'_>) -> TokenStream {
    let ident = view.ident(model);
    let bounds = bounds(model);
    let takes = view.fields(model).map(|field| {
        let (at, local, ty) = (names.at(field), local(field), field.ty);
        if has_block_codec(field) {
            quote!(let #local = __fields.block::<#ty, _>(#at);)
        } else {
            quote_spanned!(place(field.inner)=> let #local = __fields.take(#at);)
        }
    });
    let fields = view.fields(model).map(|field| {
        let (ident, local) = (field.ident, local(field));
        quote!(#ident: #local?)
    });
    quote! {
        #[automatically_derived]
        impl __model::Decode for #ident #bounds {
            fn decode(__value: __support::Value, __at: &mut __support::Path) -> __support::Result<Self> {
                let mut __fields = __support::Fields::open(__value, &__NAMES, __at)?;
                #(#takes)*
                __fields.finish(|| ::core::option::Option::Some(Self { #(#fields,)* }))
            }
        }
    }
}

/// Whether the field is a block other than a group, which is one plain object.
fn has_block_codec(field: &Field<'_>) -> bool {
    field.is_block() && !field.is_group()
}

/// The variable for a field; the prefix keeps it apart from constants of the user
/// and from the other variables.
fn local(field: &Field<'_>) -> proc_macro2::Ident {
    format_ident!("__field_{}", field.ident.unraw())
}
