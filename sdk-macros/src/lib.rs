//! Derive macros of the ferroform SDK; use them through the `ferroform` crate.
//!
//! Each macro documents its annotations: [`Model`](derive@Model), [`Identity`](derive@Identity),
//! [`AttributeValue`](derive@AttributeValue), [`Convert`](derive@Convert), [`Parameters`](derive@Parameters) and `function`. The texts are the files of
//! `src/reference`. Their examples are tests of `ferroform`: what a macro crate is tested with is compiled for the
//! host, so that tests here would compile `ferroform` and its dependencies a second time.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod ast;
mod attr;
#[cfg(test)]
mod cases;
mod check;
mod convert;
mod ctxt;
mod equivalence;
mod expand;
mod function;
mod identity;
mod options;
mod show_value;
mod ty;

use proc_macro::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_macro_input};

use crate::ctxt::Ctxt;

/// Derives the traits of a model and its views.
///
#[cfg_attr(not(doctest), doc = include_str!("reference/model.md"))]
#[proc_macro_derive(Model, attributes(model, attr, identity))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let cx = Ctxt::new();
    let Some(model) = ast::Model::parse(&cx, &input) else { return cx.finish().into() };
    check::model(&cx, &model);
    identity::check_model(&cx, &model);
    let errors = cx.finish();
    let expanded = expand::model(&model, errors.is_empty());
    quote!(#errors #expanded).into()
}

/// Derives the traits of an identity.
///
#[cfg_attr(not(doctest), doc = include_str!("reference/identity.md"))]
#[proc_macro_derive(Identity, attributes(identity, attr))]
pub fn derive_identity(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let cx = Ctxt::new();
    let Some(identity) = identity::Identity::parse(&cx, &input) else { return cx.finish().into() };
    identity::check(&cx, &identity);
    let errors = cx.finish();
    let expanded = expand::identity(&identity, errors.is_empty());
    quote!(#errors #expanded).into()
}

/// Derives the traits of an attribute that is one of some strings, or an object of which one member is set.
///
#[cfg_attr(not(doctest), doc = include_str!("reference/attribute_value.md"))]
#[proc_macro_derive(AttributeValue, attributes(attr))]
pub fn derive_attribute_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let cx = Ctxt::new();
    let Some(parsed) = ast::Enum::parse(&cx, &input) else { return cx.finish().into() };
    check::string_enum(&cx, &parsed);
    let expanded =
        if parsed.has_values() { expand::variants(&parsed, &cx) } else { expand::string_enum(&parsed) };
    let errors = cx.finish();
    if errors.is_empty() { expanded.into() } else { errors.into() }
}

/// Derives conversions between a model, or an enum of attributes, and the types of a service.
///
#[cfg_attr(not(doctest), doc = include_str!("reference/convert.md"))]
#[proc_macro_derive(Convert, attributes(convert, attr, model))]
pub fn derive_convert(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    // What is wrong with the model is reported by the derives of `Model` and `AttributeValue`.
    let of_others = Ctxt::new();
    let cx = Ctxt::new();
    let expanded = if let syn::Data::Enum(_) = &input.data {
        ast::Enum::parse(&of_others, &input).map(|parsed| {
            let convert = convert::Convert::parse(&cx, &input, &parsed.options);
            convert::check_enum(&cx, &convert);
            let of_variants: Vec<_> =
                parsed.variants.iter().map(|(it, ..)| convert::variant_options(&cx, &it.attrs)).collect();
            expand::convert::variants(&parsed, &convert, &of_variants)
        })
    } else {
        ast::Model::parse(&of_others, &input).map(|model| {
            let convert = convert::Convert::parse(&cx, &input, &model.options);
            let counterparts = convert::Counterpart::all(&cx, &model, &input);
            convert::check(&cx, &convert, &counterparts);
            expand::convert::model(&model, &convert, &counterparts)
        })
    };
    of_others.finish();
    let errors = cx.finish();
    if errors.is_empty() { expanded.unwrap_or_default().into() } else { errors.into() }
}

/// Derives the parameters of a provider function; see `ferroform::function`.
///
#[cfg_attr(not(doctest), doc = include_str!("reference/parameters.md"))]
#[proc_macro_derive(Parameters, attributes(function, param))]
pub fn derive_parameters(input: TokenStream) -> TokenStream {
    function::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes a provider function of a Rust function; see `ferroform::function`.
///
#[cfg_attr(not(doctest), doc = include_str!("reference/function.md"))]
#[proc_macro_attribute]
pub fn function(options: TokenStream, item: TokenStream) -> TokenStream {
    function::attribute(&options.into(), parse_macro_input!(item as syn::ItemFn)).into()
}
