//! Identities: structs of their own, and those that a model makes of its attributes.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::names::Names;
use super::schema::option;
use super::{View, bounds, bounds_of, codec, krate, place};
use crate::ast::{Field, Model};
use crate::attr::Options;
use crate::identity::Identity;
use crate::options::OptionName;

/// All of the expansion of an identity. Without its attributes if it has mistakes, which would show up a second time.
pub(crate) fn expand(identity: &Identity<'_>, sound: bool) -> TokenStream {
    let krate = krate(&identity.options);
    let bounds = bounds_of(&identity.fields, &krate, &quote!(IdentityValue));
    let fields: Vec<&Field<'_>> = identity.fields.iter().collect();
    let attributes = if sound { attributes(&fields) } else { quote!(::core::unreachable!()) };
    impls(&krate, identity.ident, &fields, (&identity.options, &bounds, &attributes))
}

/// What a model says about its identity.
pub(super) fn of_model(model: &Model<'_>) -> TokenStream {
    let krate = krate(&model.options);
    let (ident, model_bounds) = (model.ident, bounds(model));
    if let Some(ty) = model.options.value(OptionName::IdentityType) {
        return quote! {
            const _: () = {
                use #krate::model::{self as __model, macro_support as __support};
                #[automatically_derived]
                impl __model::Identified for #ident #model_bounds {
                    type Identity = #ty;
                    const IDENTITY_SOURCE: __model::IdentitySource<Self> = {
                        use __support::WithoutConversion as _;
                        <__support::Conversion<Self, #ty>>::SOURCE
                    };
                }
            };
        };
    }
    let fields: Vec<&Field<'_>> = model.fields.iter().filter(|field| is_part(field)).collect();
    let flattened = fields.iter().find(|field| field.has(OptionName::Flatten));
    // Beside other attributes it is a mistake, which is reported.
    if fields.is_empty() || (flattened.is_some() && fields.len() > 1) {
        return quote! {
            #[automatically_derived]
            impl #krate::model::Identified for #ident #model_bounds {
                type Identity = ::core::convert::Infallible;
            }
        };
    }
    if let Some(field) = flattened {
        return of_flattened(model, &krate, field);
    }
    made_of(model, &krate, &fields)
}

/// The identity of a flattened model.
fn of_flattened(model: &Model<'_>, krate: &TokenStream, field: &Field<'_>) -> TokenStream {
    let (ident, bounds, ty) = (model.ident, bounds(model), field.inner);
    let identified = quote_spanned!(place(ty)=> <#ty as #krate::model::Identified>);
    quote! {
        #[automatically_derived]
        impl #krate::model::Identified for #ident #bounds {
            type Identity = #identified::Identity;
            const IDENTITY_SOURCE: #krate::model::IdentitySource<Self> = match #identified::IDENTITY_SOURCE {
                #krate::model::IdentitySource::Attributes(__names) => {
                    #krate::model::IdentitySource::Attributes(__names)
                }
                _ => #krate::model::IdentitySource::Resource,
            };
            fn stub(__identity: Self::Identity) -> ::core::option::Option<#krate::model::Prior<Self>> {
                #identified::stub(__identity).map(<#krate::model::Prior<Self>>::stub)
            }
        }
    }
}

/// The identity that is made of attributes of the model.
fn made_of(model: &Model<'_>, krate: &TokenStream, fields: &[&Field<'_>]) -> TokenStream {
    let (ident, model_bounds) = (model.ident, bounds(model));
    let identity = format_ident!("{ident}Identity");
    let vis = model.vis;
    let doc = format!("The identity of [`{ident}`].");
    let members = fields.iter().map(|field| {
        let (vis, ident, ty) = (field.vis, field.ident, field.inner);
        let docs = &field.docs;
        quote!(#[doc = #docs] #vis #ident: #ty)
    });
    let no_bounds = quote!();
    let attributes = attributes(fields);
    let impls = impls(krate, &identity, fields, (&model.identity, &no_bounds, &attributes));
    let names = fields.iter().map(|field| &field.name);
    let values = fields.iter().map(|field| field.ident);
    quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_docs, missing_debug_implementations)]
        #vis struct #identity { #(#members,)* }
        #impls
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            #[automatically_derived]
            impl __model::Identified for #ident #model_bounds {
                type Identity = #identity;
                const IDENTITY_SOURCE: __model::IdentitySource<Self> =
                    __model::IdentitySource::Attributes(&[#(#names),*]);
                fn stub(__identity: #identity) -> ::core::option::Option<__model::Prior<Self>> {
                    ::core::option::Option::Some(<__model::Prior<Self>>::stub(#(__identity.#values),*))
                }
            }
        };
    }
}

/// Whether a field is part of the identity; a block and a write-only attribute are only by mistake.
fn is_part(field: &Field<'_>) -> bool {
    field.has(OptionName::Identity) && !field.is_block() && !field.wrapper.is_write_only()
}

fn attributes(fields: &[&Field<'_>]) -> TokenStream {
    let attributes = fields.iter().map(|field| {
        let (name, docs, ty) = (&field.name, &field.docs, field.attribute());
        let for_import = if field.wrapper.is_option() { quote!(Optional) } else { quote!(Required) };
        let new = quote_spanned!(place(ty)=> __support::identity_attribute::<#ty>);
        quote!(#new(#name, #docs, __support::ForImport::#for_import))
    });
    quote!(::std::vec![#(#attributes),*])
}

/// `Identity`, and encoding and decoding, in a scope of their own.
fn impls(
    krate: &TokenStream,
    ident: &Ident,
    fields: &[&Field<'_>],
    (options, bounds, attributes): (&Options, &TokenStream, &TokenStream),
) -> TokenStream {
    let names = Names::of(fields.iter().copied());
    let declaration = names.declaration();
    let encode = codec::encode(ident, bounds, (&names, View::Model), fields.iter().copied());
    let decode = codec::decode(ident, bounds, (&names, View::Model), fields.iter().copied());
    let version = options.number(OptionName::Version).unwrap_or(0);
    let mutable = options.has(OptionName::Mutable);
    let format = option(options.text(OptionName::Format));
    quote! {
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            #[automatically_derived]
            impl __model::Identity for #ident #bounds {
                const VERSION: i64 = #version;
                const MUTABLE: bool = #mutable;
                const FORMAT: ::core::option::Option<&'static str> = #format;
                fn attributes() -> ::std::vec::Vec<__support::IdentityAttribute> {
                    #attributes
                }
            }
            #declaration #encode #decode
        };
    }
}
