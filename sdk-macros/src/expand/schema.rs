//! The schema of a model: static tables from which the block is built.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Expr;

use super::place;
use crate::ast::{Field, Model, Presence};
use crate::attr::as_text;
use crate::equivalence;
use crate::word::Word;

pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let attributes = model.attributes().map(attribute);
    let blocks = model.blocks().map(block);
    let docs = model.words.text(Word::Description).map_or_else(|| model.docs.clone(), syn::LitStr::value);
    let deprecation = option(model.words.value(Word::Deprecated));
    quote! {
        fn block() -> __support::Block {
            static ATTRIBUTES: &[__support::AttributeDef] = &[#(#attributes),*];
            static BLOCKS: &[__support::BlockDef] = &[#(#blocks),*];
            __support::block(#docs, #deprecation, ATTRIBUTES, BLOCKS)
        }
    }
}

/// What stands in for the block of a model with mistakes.
pub(crate) fn unreachable() -> TokenStream {
    quote! {
        fn block() -> __support::Block {
            ::core::unreachable!()
        }
    }
}

fn attribute(field: &Field<'_>) -> TokenStream {
    let (name, docs, ty) = (&field.name, &field.docs, field.inner);
    let presence = match field.presence() {
        Presence::Required => quote!(Required),
        Presence::Optional => quote!(Optional),
        Presence::Computed => quote!(Computed),
        Presence::OptionalComputed => quote!(OptionalComputed),
    };
    let new = quote_spanned!(place(ty)=> __support::AttributeDef::new::<#ty>);
    let new = quote!(#new(#name, #docs, __support::Presence::#presence));
    let mut set = Vec::new();
    if let Some(text) = field.words.value(Word::Deprecated) {
        set.push(quote!(deprecation: ::core::option::Option::Some(#text)));
    }
    if field.has(Word::Sensitive) {
        set.push(quote!(sensitive: true));
    }
    if field.wrapper.is_write_only() {
        set.push(quote!(write_only: true));
    }
    if field.has(Word::Keep) || (field.has(Word::Identity) && field.has(Word::Computed)) {
        set.push(quote!(keep: true));
    }
    if field.has(Word::Computed) && !field.wrapper.is_option() {
        set.push(quote!(nullable: false));
    }
    if let Some(replace) = field.words.entry(Word::Replace) {
        let when = if replace.value.is_some() { quote!(IfConfigured) } else { quote!(OnChange) };
        set.push(quote!(replace: __support::Replace::#when));
    }
    if let Some(default) = default(field) {
        set.push(quote!(default: ::core::option::Option::Some(#default)));
    }
    if let Some(validate) = field.words.value(Word::Validate) {
        let all = validators(field, validate);
        set.push(quote!(more_validators: #all));
    }
    set.extend(equivalence::expand(field));
    if set.is_empty() { new } else { quote!(__support::AttributeDef { #(#set,)* ..#new }) }
}

fn default(field: &Field<'_>) -> Option<TokenStream> {
    let ty = field.inner;
    if let Some(path) = field.words.value(Word::DefaultWith) {
        return Some(quote_spanned!(place(path)=> || __support::default_with::<#ty>(#path)));
    }
    let value = field.words.value(Word::Default)?;
    let value = match as_text(value) {
        // A literal is a `&str`, and the attribute a `String`.
        Some(text) => quote_spanned!(place(text)=> ::core::convert::From::from(#text)),
        None => quote!(#value),
    };
    Some(quote!(|| __support::default_value::<#ty>(#value)))
}

fn validators(field: &Field<'_>, validate: &Expr) -> TokenStream {
    let ty = field.inner;
    let each = |validate: &Expr| quote_spanned!(place(validate)=> __support::validator::<#ty, _>(#validate));
    let all: Vec<TokenStream> = match validate {
        Expr::Array(array) => array.elems.iter().map(each).collect(),
        one => vec![each(one)],
    };
    quote!(|| ::std::vec![#(#all),*])
}

fn block(field: &Field<'_>) -> TokenStream {
    let (name, docs, ty) = (&field.name, &field.docs, field.ty);
    let new = if field.is_group() { quote!(group) } else { quote!(new) };
    let new = quote_spanned!(place(ty)=> __support::BlockDef::#new::<#ty>);
    let new = quote!(#new(#name, #docs));
    let mut set = Vec::new();
    if let Some(text) = field.words.value(Word::Deprecated) {
        set.push(quote!(deprecation: ::core::option::Option::Some(#text)));
    }
    if let Some(min) = field.words.value(Word::MinItems) {
        set.push(quote!(min_items: #min));
    }
    if let Some(max) = field.words.value(Word::MaxItems) {
        set.push(quote!(max_items: #max));
    }
    if field.has(Word::Computed) {
        set.push(quote!(computed: true));
    }
    if set.is_empty() { new } else { quote!(__support::BlockDef { #(#set,)* ..#new }) }
}

fn option(text: Option<&Expr>) -> TokenStream {
    text.map_or_else(
        || quote!(::core::option::Option::None),
        |text| quote!(::core::option::Option::Some(#text)),
    )
}
