//! Encoding and decoding of a model, its views and an identity.
//!
//! The code must grow with the number of fields, not with its square. So no field moves between two calls that may
//! unwind or fail: the compiler would generate the cleanup of all fields for each of them. Fields stand in options, which
//! the calls fill or empty through references.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use super::names::Names;
use super::{View, bounds, place, views};
use crate::ast::{Field, Model};
use crate::options::OptionName;

pub(super) fn expand(model: &Model<'_>, view: View) -> TokenStream {
    let (ident, bounds) = (view.ident(model), bounds(model));
    let names = names_of(model);
    // What is not put is null, as a write-only attribute is.
    let stored = model.fields.iter().filter(|field| !field.wrapper.is_write_only() || view == View::Model);
    let encode = encode(&ident, &bounds, (&names, view), stored);
    let decode = decode(&ident, &bounds, (&names, view), view.fields(model));
    quote!(#encode #decode)
}

/// The method that encodes the write-only attributes of a configuration, which its own encoding leaves out.
pub(super) fn write_only(model: &Model<'_>) -> Option<TokenStream> {
    let own = model.fields.iter().filter(|field| field.wrapper.is_write_only()).map(|field| {
        let (ident, name) = (field.ident, &field.name);
        let value = quote!(::core::clone::Clone::clone(&__config.#ident));
        let value = match adapted(field, View::Draft) {
            Some(ty) => quote!(<#ty as __support::Adapted>::adapt(#value)),
            None => value,
        };
        quote!(__values.push((#name, __model::Encode::encode(#value)));)
    });
    let flattened = model.flattened().map(|field| {
        let (ident, ty) = (field.ident, field.inner);
        let call = quote_spanned!(place(ty)=> <#ty as __model::AttributeValue>::write_only(&__config.#ident));
        quote!(__values.extend(#call);)
    });
    let pushes: Vec<_> = own.chain(flattened).collect();
    (!pushes.is_empty()).then(|| {
        quote! {
            fn write_only(__config: &Self::Draft) -> ::std::vec::Vec<(&'static str, __support::Value)> {
                let mut __values = ::std::vec::Vec::new();
                #(#pushes)*
                __values
            }
        }
    })
}

/// The names of the attributes and blocks of its own.
pub(super) fn names_of<'m>(model: &'m Model<'_>) -> Names<'m> {
    Names::of(model.fields.iter().filter(|field| !field.has(OptionName::Flatten)))
}

pub(super) fn encode<'f>(
    ident: &Ident,
    bounds: &TokenStream,
    (names, view): (&Names<'_>, View),
    fields: impl Iterator<Item = &'f Field<'f>>,
) -> TokenStream {
    let (mut bindings, mut slots, mut puts) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let (at, ident, local) = (names.at(field), field.ident, local(field));
        bindings.push(quote!(#ident: #local));
        slots.push(quote!(let mut #local = ::core::option::Option::Some(#local);));
        puts.push(match (block(field), adapted(field, view)) {
            _ if field.has(OptionName::Flatten) => quote!(__object.flatten(&mut #local);),
            (Some(ty), _) => quote!(__object.block::<#ty, _>(#at, &mut #local);),
            (None, Some(ty)) => quote!(__object.adapted::<#ty>(#at, &mut #local);),
            (None, None) => quote_spanned!(place(field.inner)=> __object.put(#at, &mut #local);),
        });
    }
    quote! {
        #[automatically_derived]
        impl __model::Encode for #ident #bounds {
            fn encode(self) -> __support::Value {
                let Self { #(#bindings,)* .. } = self;
                #(#slots)*
                let mut __object = __support::Object::new(&__NAMES);
                #(#puts)*
                __object.finish()
            }
        }
    }
}

pub(super) fn decode<'f>(
    ident: &Ident,
    bounds: &TokenStream,
    (names, view): (&Names<'_>, View),
    fields: impl Iterator<Item = &'f Field<'f>>,
) -> TokenStream {
    let (mut idents, mut locals, mut takes) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let (at, local) = (names.at(field), local(field));
        idents.push(field.ident);
        takes.push(match (block(field), adapted(field, view)) {
            _ if field.has(OptionName::Flatten) => quote!(__fields.flatten(&mut #local);),
            (Some(ty), _) => quote!(__fields.block::<#ty, _>(#at, &mut #local);),
            (None, Some(ty)) => quote!(__fields.adapted::<#ty>(#at, &mut #local);),
            (None, None) => quote_spanned!(place(field.inner)=> __fields.take(#at, &mut #local);),
        });
        locals.push(local);
    }
    quote! {
        #[automatically_derived]
        impl __model::Decode for #ident #bounds {
            fn decode(__value: &__support::Value, __at: &mut __support::Path) -> __support::Result<Self> {
                let mut __fields = __support::Fields::open(__value, &__NAMES, __at)?;
                #(let mut #locals = ::core::option::Option::None;)*
                #(#takes)*
                let (#(::core::option::Option::Some(#locals),)*) = (#(#locals,)*) else {
                    return ::core::result::Result::Err(__fields.mistakes());
                };
                ::core::result::Result::Ok(Self { #(#idents: #locals,)* })
            }
        }
    }
}

/// The type of a field that is a block other than a group, which is one plain object.
fn block<'f>(field: &'f Field<'_>) -> Option<&'f syn::Type> {
    (field.is_block() && !field.is_group()).then_some(field.ty)
}

/// The type of a field with its adapter, if it has one.
fn adapted(field: &Field<'_>, view: View) -> Option<TokenStream> {
    field.adapter_bound().map(|_| views::ty(field, view, &quote!(__model)))
}

/// The variable for a field; the prefix keeps it apart from constants of the user
/// and from the other variables.
fn local(field: &Field<'_>) -> Ident {
    format_ident!("__field_{}", field.ident.unraw())
}
