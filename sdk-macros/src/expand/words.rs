//! The expansion of `AttributeValue` for an enum of words.

use proc_macro2::TokenStream;
use quote::quote;

use super::krate;
use crate::ast::Enum;

pub(crate) fn expand(input: &Enum<'_>) -> TokenStream {
    let (krate, ident) = (krate(&input.words), input.ident);
    let words: Vec<&String> = input.variants.iter().map(|(_, _, word)| word).collect();
    let variants: Vec<_> = input.variants.iter().map(|(variant, _, _)| &variant.ident).collect();
    quote! {
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            const WORDS: &[(&str, fn() -> #ident)] = &[#((#words, || #ident::#variants)),*];
            #[automatically_derived]
            impl __model::AttributeValue for #ident {
                type Draft = Self;
                type Planned = Self;
                type Prior = Self;
                fn attribute_type() -> __support::AttributeType {
                    __support::AttributeType::Plain(__support::Type::String)
                }
                fn validators() -> ::std::vec::Vec<__support::Validator> {
                    ::std::vec![__support::word_validator(WORDS)]
                }
            }
            #[automatically_derived]
            impl __model::IdentityValue for #ident {}
            #[automatically_derived]
            impl __model::IdentityElement for #ident {}
            #[automatically_derived]
            impl __model::Encode for #ident {
                fn encode(self) -> __support::Value {
                    __support::Value::from(match self { #(Self::#variants => #words,)* })
                }
            }
            #[automatically_derived]
            impl __model::Decode for #ident {
                fn decode(__value: __support::Value, __at: &mut __support::Path) -> __support::Result<Self> {
                    __support::word(__value, __at, WORDS)
                }
            }
        };
    }
}
