//! The expansion of `AttributeValue` for an enum whose variants hold a value each: an object with one optional member
//! for each variant, of which exactly one is set.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Type, parse_quote};

use super::names::Names;
use super::{View, bounds, codec, krate, place, schema, views};
use crate::ast::{Enum, Field, Model, member};
use crate::ctxt::Ctxt;

/// The expansion, or the mistakes in what becomes of the variants.
pub(crate) fn expand(input: &Enum<'_>, cx: &Ctxt) -> TokenStream {
    let members = members(input);
    // A struct that has the schema, and the draft, in which any member may be unknown.
    let Some(model) = Model::parse(cx, &members) else { return TokenStream::new() };
    let krate = krate(&input.options);
    let (vis, ident, bounds) = (input.vis, input.ident, bounds(&model));
    let names = Names::of(&model.fields);
    let declaration = names.declaration();
    let block = schema::expand(&model);
    let draft = View::Draft.ident(&model);
    let draft_struct = views::structure(&model, View::Draft);
    let draft_impls = views::impls(&model, View::Draft);
    let draft_codec = codec::expand(&model, View::Draft);
    let of = Variants { input, model: &model, names: &names, bounds: &bounds };
    let itself = of.codec(ident);
    let [planned, prior] = [View::Planned, View::Prior].map(|view| view.ident(&model));
    let inputs = [(&planned, quote!(Planned), "Plan"), (&prior, quote!(Prior), "Stored state")];
    let enums = inputs.iter().map(|(view, name, phase)| {
        let doc = format!("{phase} of [`{ident}`].");
        let variants = of.variants().map(|(variant, field)| {
            let ty = field.inner;
            quote_spanned!(place(ty)=> #variant(<#ty as #krate::model::AttributeValue>::#name))
        });
        quote! {
            #[doc = #doc]
            #[allow(dead_code, missing_docs)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #vis enum #view #bounds { #(#variants,)* }
        }
    });
    let codecs = [&planned, &prior].map(|view| of.codec(view));
    let into_model = [View::Planned, View::Prior].map(|view| views::into_model(&model, view));
    quote! {
        #draft_struct
        #(#enums)*
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            #[automatically_derived]
            impl __model::AttributeValue for #ident #bounds {
                type Draft = #draft;
                type Planned = #planned;
                type Prior = #prior;
                const NESTED: __model::Nested = __model::Nested::Object;
                fn attribute_type() -> __support::AttributeType {
                    __support::nested::<Self>()
                }
            }
            #[automatically_derived]
            impl __model::Model for #ident #bounds {
                const VERSION: i64 = 0;
                #block
            }
            #declaration
            #draft_impls
            #draft_codec
            #itself
            #(#codecs)*
            #(#into_model)*
        };
    }
}

/// The struct with an optional field for each variant.
fn members(input: &Enum<'_>) -> DeriveInput {
    let (ident, vis, krate) = (input.ident, input.vis, krate(&input.options));
    let docs = input.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let names = input.variants.iter().map(|(_, _, name)| name);
    let fields = input.variants.iter().filter_map(|(variant, _, name)| {
        let (field, ty) = (member(&variant.ident), only(variant)?);
        let docs = variant.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let option = quote_spanned!(place(ty)=> ::core::option::Option<#ty>);
        Some(quote!(#(#docs)* #[attr(name = #name)] #vis #field: #option))
    });
    parse_quote! {
        #(#docs)*
        #[model(nested, crate = #krate, validate = #krate::validate::relation::exactly_one_of([#(#names),*]))]
        #vis struct #ident { #(#fields,)* }
    }
}

/// The type of the only value of a variant.
fn only(variant: &syn::Variant) -> Option<&Type> {
    match &variant.fields {
        syn::Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            fields.unnamed.first().map(|field| &field.ty)
        }
        _ => None,
    }
}

/// What the codecs of the enum and its views are made of.
struct Variants<'a> {
    input: &'a Enum<'a>,
    model: &'a Model<'a>,
    names: &'a Names<'a>,
    bounds: &'a TokenStream,
}

impl Variants<'_> {
    /// The variants, each with the member that it becomes.
    fn variants(&self) -> impl Iterator<Item = (&Ident, &Field<'_>)> {
        self.input.variants.iter().map(|(variant, _, _)| &variant.ident).zip(&self.model.fields)
    }

    fn codec(&self, ident: &Ident) -> TokenStream {
        let bounds = self.bounds;
        let (variants, places): (Vec<_>, Vec<_>) =
            self.variants().map(|(variant, field)| (variant, self.names.at(field))).unzip();
        quote! {
            #[automatically_derived]
            impl __model::Encode for #ident #bounds {
                fn encode(self) -> __support::Value {
                    let mut __object = __support::Object::new(&__NAMES);
                    match self {
                        #(Self::#variants(__value) => {
                            __object.put(#places, &mut ::core::option::Option::Some(__value))
                        })*
                    }
                    __object.finish()
                }
            }
            #[automatically_derived]
            impl __model::Decode for #ident #bounds {
                fn decode(__value: &__support::Value, __at: &mut __support::Path) -> __support::Result<Self> {
                    let mut __fields = __support::Fields::open(__value, &__NAMES, __at)?;
                    let mut __found = ::std::vec::Vec::new();
                    #(__fields.member(#places, &mut __found, Self::#variants);)*
                    __fields.only(__found)
                }
            }
        }
    }
}
