//! The expansion of `AttributeValue` for a string enum.

use proc_macro2::TokenStream;
use quote::quote;

use super::krate;
use crate::ast::Enum;

pub(crate) fn expand(input: &Enum<'_>) -> TokenStream {
    let (krate, ident, vis) = (krate(&input.options), input.ident, input.vis);
    let texts: Vec<&String> = input.variants.iter().map(|(_, _, word)| word).collect();
    let variants: Vec<_> = input.variants.iter().map(|(variant, _, _)| &variant.ident).collect();
    quote! {
        #[automatically_derived]
        impl #ident {
            /// Every variant, in the order of its declaration.
            #[allow(dead_code, reason = "part of what the derive offers")]
            #vis const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The option in configurations and states.
            #[allow(dead_code, reason = "part of what the derive offers")]
            #[must_use]
            #vis const fn as_str(&self) -> &'static str {
                match self { #(Self::#variants => #texts,)* }
            }
        }
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            const VARIANTS: &[(&str, fn() -> #ident)] = &[#((#texts, || #ident::#variants)),*];
            #[automatically_derived]
            impl __model::AttributeValue for #ident {
                type Draft = Self;
                type Planned = Self;
                type Prior = Self;
                fn attribute_type() -> __support::AttributeType {
                    __support::AttributeType::Plain(__support::Type::String)
                }
                fn validators() -> ::std::vec::Vec<__support::Validator> {
                    ::std::vec![__support::string_enum_validator(VARIANTS)]
                }
            }
            #[automatically_derived]
            impl __model::IdentityValue for #ident {}
            #[automatically_derived]
            impl __model::IdentityElement for #ident {}
            #[automatically_derived]
            impl __model::Encode for #ident {
                fn encode(self) -> __support::Value {
                    __support::Value::from(self.as_str())
                }
            }
            #[automatically_derived]
            impl __model::Decode for #ident {
                fn decode(__value: &__support::Value, __at: &mut __support::Path) -> __support::Result<Self> {
                    __support::decode_string_enum(__value, __at, VARIANTS)
                }
            }
            #[automatically_derived]
            impl __model::FromService<::std::string::String> for #ident {
                fn from_service(__service: ::std::string::String) -> __support::Result<Self> {
                    __support::parse_string_enum(&__service, VARIANTS)
                }
            }
            #[automatically_derived]
            impl __model::FromService<Self> for #ident {
                fn from_service(__service: Self) -> __support::Result<Self> {
                    ::core::result::Result::Ok(__service)
                }
            }
            #[automatically_derived]
            impl __model::IntoService<::std::string::String> for #ident {
                fn into_service(self) -> __support::Result<::std::string::String> {
                    ::core::result::Result::Ok(::std::string::String::from(self.as_str()))
                }
            }
            #[automatically_derived]
            impl __model::IntoService<Self> for #ident {
                fn into_service(self) -> __support::Result<Self> {
                    ::core::result::Result::Ok(self)
                }
            }
            #[automatically_derived]
            impl ::core::str::FromStr for #ident {
                type Err = #krate::diag::Error;
                fn from_str(__text: &str) -> __support::Result<Self> {
                    __support::parse_string_enum(__text, VARIANTS)
                }
            }
            #[automatically_derived]
            impl ::core::fmt::Display for #ident {
                fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    __f.pad(self.as_str())
                }
            }
        };
    }
}
