//! The views of a model: structs with its fields in other types.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::{View, bounds, krate, place};
use crate::ast::{Field, Model};
use crate::options::OptionName;

pub(super) fn structure(model: &Model<'_>, view: View) -> TokenStream {
    let krate = krate(&model.options);
    let bounds = bounds(model);
    let (vis, ident) = (model.vis, view.ident(model));
    let of = model.ident;
    let doc = match view {
        View::Model | View::Draft => format!("Configuration or plan of [`{of}`]."),
        View::Planned => format!("Plan of [`{of}`] at apply."),
        View::Prior => format!("Stored state of [`{of}`]."),
    };
    let fields = view.fields(model).map(|field| {
        let (vis, ident, ty) = (field.vis, field.ident, plain(field, view, &krate));
        quote!(#vis #ident: #ty)
    });
    quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_docs)]
        #[derive(::core::clone::Clone)]
        #vis struct #ident #bounds { #(#fields,)* }
    }
}

pub(super) fn impls(model: &Model<'_>, view: View) -> TokenStream {
    let debug = debug(model, view);
    let stub = (view == View::Prior).then(|| stub(model));
    let has_identity = model.fields.iter().any(|field| field.has(OptionName::Identity));
    let default = match view {
        View::Draft => Some(default(model, view)),
        View::Prior if !has_identity => Some(default(model, view)),
        View::Model | View::Planned | View::Prior => None,
    };
    let into_model = into_model(model, view);
    quote!(#debug #stub #default #into_model)
}

/// The method that makes the model of a view.
pub(super) fn into_model(model: &Model<'_>, view: View) -> TokenStream {
    let (of, vis, ident, bounds) = (model.ident, model.vis, view.ident(model), bounds(model));
    let (source, lacking) = match view {
        View::Model | View::Draft => {
            (quote!(Config), "Each attribute that the model needs and that is null or unknown, at its path.")
        }
        View::Planned => (quote!(Plan), "Each attribute that is unknown, at its path."),
        View::Prior => (quote!(State), "Each attribute that the model needs and that is null, at its path."),
    };
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident #bounds {
            /// The model with the values of this view, which has all of them. Write-only attributes are empty.
            ///
            /// # Errors
            #[doc = #lacking]
            #[inline]
            #vis fn into_model(self) -> __support::Result<#of> {
                __support::into_model(self, __support::ViewSource::#source)
            }
        }
    }
}

/// The type of a field in a view.
fn plain(field: &Field<'_>, view: View, krate: &TokenStream) -> TokenStream {
    let ty = ty(field, view, &quote!(#krate::model));
    match field.adapter_bound() {
        None => ty,
        Some(_) => quote_spanned!(place(field.inner)=> <#ty as #krate::model::macro_support::Adapted>::Plain),
    }
}

/// The type of a field in a view, with its adapter.
pub(super) fn ty(field: &Field<'_>, view: View, module: &TokenStream) -> TokenStream {
    // A collection of blocks is `T` itself, and so is one in an `Option`.
    let (inner, name) = (field.attribute(), view.name());
    let of_view = quote_spanned!(place(inner)=> <#inner as #module::AttributeValue>::#name);
    let option = quote!(::core::option::Option<#of_view>);
    match view {
        View::Model => field.wrapped().to_token_stream(),
        _ if field.has(OptionName::Flatten) => of_view,
        View::Draft => quote!(#module::Attr<#of_view>),
        View::Planned => {
            let ty = if field.wrapper.is_option() { option } else { of_view };
            if field.may_be_unknown() { quote!(#module::Computed<#ty>) } else { ty }
        }
        View::Prior if field.has(OptionName::Identity) || field.is_block_collection() => of_view,
        View::Prior => option,
    }
}

/// Shows everything but secrets.
fn debug(model: &Model<'_>, view: View) -> TokenStream {
    let ident = view.ident(model);
    let bounds = bounds(model);
    let text = ident.to_string();
    let fields = view.fields(model).map(|field| {
        let (ident, name) = (field.ident, &field.name);
        if field.is_secret() {
            quote!(.field(#name, &__support::Redacted))
        } else {
            quote!(.field(#name, &self.#ident))
        }
    });
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #ident #bounds {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __f.debug_struct(#text)#(#fields)*.finish()
            }
        }
    }
}

/// The view in which nothing is set, of which others are made with some attributes.
fn default(model: &Model<'_>, view: View) -> TokenStream {
    let (ident, bounds) = (view.ident(model), bounds(model));
    let fields = view.fields(model).map(|field| field.ident);
    let defaults = (view == View::Prior).then(|| flattened_defaults(model));
    quote! {
        #[automatically_derived]
        impl ::core::default::Default for #ident #bounds #defaults {
            fn default() -> Self {
                Self { #(#fields: ::core::default::Default::default(),)* }
            }
        }
    }
}

/// That the states of flattened models have defaults. One with an identity has none, which is reported as a mistake of its
/// own.
fn flattened_defaults(model: &Model<'_>) -> TokenStream {
    let krate = krate(&model.options);
    let flattened = model.flattened().filter(|field| !field.has(OptionName::Identity)).map(|field| {
        let ty = ty(field, View::Prior, &quote!(#krate::model));
        quote!(for<'__any> #ty: ::core::default::Default,)
    });
    quote!(#(#flattened)*)
}

/// The constructor of a state of which only the identity is known.
fn stub(model: &Model<'_>) -> TokenStream {
    let krate = krate(&model.options);
    let (vis, ident) = (model.vis, View::Prior.ident(model));
    let bounds = bounds(model);
    let identity: Vec<&Field<'_>> =
        View::Prior.fields(model).filter(|field| field.has(OptionName::Identity)).collect();
    let names = identity.iter().map(|field| field.ident);
    let parameters = identity.iter().map(|field| {
        let (ident, ty) = (field.ident, plain(field, View::Prior, &krate));
        quote!(#ident: #ty)
    });
    let others =
        View::Prior.fields(model).filter(|field| !field.has(OptionName::Identity)).map(|field| field.ident);
    let defaults = flattened_defaults(model);
    quote! {
        #[automatically_derived]
        #[allow(dead_code, clippy::too_many_arguments)]
        impl #ident #bounds {
            /// A state of which only the identity is known, as an import makes it.
            #[must_use]
            #vis fn stub(#(#parameters),*) -> Self
            where
                #defaults
            {
                Self { #(#names,)* #(#others: ::core::default::Default::default(),)* }
            }
        }
    }
}
