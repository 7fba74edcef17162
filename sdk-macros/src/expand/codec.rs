//! Encoding and decoding of a model and its views.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use super::{View, bounds, place};
use crate::ast::{Field, Model};

pub(super) fn expand(model: &Model<'_>, view: View) -> TokenStream {
    let encode = encode(model, view);
    let decode = decode(model, view);
    quote!(#encode #decode)
}

fn encode(model: &Model<'_>, view: View) -> TokenStream {
    let ident = view.ident(model);
    let bounds = bounds(model);
    let count = model.fields.len();
    let fields = model.fields.iter().map(|field| {
        let (name, ident, ty) = (&field.name, field.ident, field.ty);
        if field.wrapper.is_write_only() && view != View::Model {
            quote!(__object.null(#name);)
        } else if has_block_codec(field) {
            quote!(__object.block::<#ty, _>(#name, self.#ident);)
        } else {
            quote_spanned!(place(field.inner)=> __object.put(#name, self.#ident);)
        }
    });
    quote! {
        #[automatically_derived]
        impl __model::Encode for #ident #bounds {
            fn encode(self) -> __support::Value {
                let mut __object = __support::Object::new(#count);
                #(#fields)*
                __object.finish()
            }
        }
    }
}

fn decode(model: &Model<'_>, view: View) -> TokenStream {
    let ident = view.ident(model);
    let bounds = bounds(model);
    let takes = view.fields(model).map(|field| {
        let (name, local, ty) = (&field.name, local(field), field.ty);
        if has_block_codec(field) {
            quote!(let #local = __fields.block::<#ty, _>(#name);)
        } else {
            quote_spanned!(place(field.inner)=> let #local = __fields.take(#name);)
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
                let mut __fields = __support::Fields::open(__value, __at)?;
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
