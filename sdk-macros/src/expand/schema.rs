//! The schema of a model: static tables from which the block is built.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, Type};

use super::place;
use crate::ast::{Field, Model, Presence};
use crate::attr::{as_text, names, timeouts as timeouts_of, ungrouped};
use crate::equivalence;
use crate::options::OptionName;

pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let blocks = model.blocks().map(block);
    let docs = model.options.text_or(OptionName::Description, || model.docs.clone());
    let deprecation = option(model.options.value(OptionName::Deprecated));
    let mut block = quote!(__support::block(#docs, #deprecation, ATTRIBUTES, BLOCKS));
    for field in model.flattened() {
        let ty = field.inner;
        let flatten = quote_spanned!(place(ty)=> __support::flatten::<#ty>);
        block = quote!(#flatten(#block));
    }
    if let Some(field) = model.timeouts() {
        let timeouts = timeouts(field);
        block = quote!(#timeouts.add_to(#block));
    }
    if let Some(validate) = model.options.value(OptionName::Validate) {
        let all = elements(
            validate,
            |one| quote_spanned!(place(one)=> __support::model_validator::<Self, _>(#one)),
        );
        block = quote!(#block.validators(#all));
    }
    let attributes = model.attributes().map(|field| attribute(model, field));
    quote! {
        fn block() -> __support::Block {
            static ATTRIBUTES: &[__support::AttributeDef] = &[#(#attributes),*];
            static BLOCKS: &[__support::BlockDef] = &[#(#blocks),*];
            #block
        }
    }
}

fn timeouts(field: &Field<'_>) -> TokenStream {
    let (name, docs, is_block) = (&field.name, &field.docs, field.is_block());
    let operations = field.options.value(OptionName::Timeouts).and_then(|value| timeouts_of(value).ok());
    let operations = operations.into_iter().flatten().map(|(operation, usual)| {
        let variant = match operation.to_string().as_str() {
            "create" => quote!(Create),
            "read" => quote!(Read),
            "update" => quote!(Update),
            "open" => quote!(Open),
            _ => quote!(Delete),
        };
        let usual = option(usual);
        quote!((__support::Operation::#variant, #usual))
    });
    quote! {
        __support::TimeoutsDef {
            name: #name,
            description: #docs,
            operations: &[#(#operations),*],
            is_block: #is_block,
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

fn attribute(model: &Model<'_>, field: &Field<'_>) -> TokenStream {
    let (name, docs, ty) = (&field.name, &field.docs, field.attribute());
    let presence = match field.presence() {
        Presence::Required => quote!(Required),
        Presence::Optional => quote!(Optional),
        Presence::Computed => quote!(Computed),
        Presence::OptionalComputed => quote!(OptionalComputed),
    };
    let new = quote_spanned!(place(ty)=> __support::AttributeDef::new::<#ty>);
    let new = quote!(#new(#name, #docs, __support::Presence::#presence));
    let mut set = Vec::new();
    let flags = [OptionName::Sensitive, OptionName::ShowValue, OptionName::Unverified, OptionName::Key];
    for option in flags.into_iter().filter(|option| field.has(*option)) {
        let flag = format_ident!("{}", option.text());
        set.push(quote!(__it.#flag = true;));
    }
    if field.wrapper.is_write_only() {
        set.push(quote!(__it.write_only = true;));
    }
    if field.has(OptionName::Keep) || (field.has(OptionName::Identity) && field.has(OptionName::Computed)) {
        set.push(quote!(__it.keep = true;));
    }
    let is_never_null = field.has(OptionName::Computed) && !field.wrapper.is_option();
    if is_never_null || field.options.value(OptionName::Keep).is_some() {
        set.push(quote!(__it.nullable = false;));
    }
    if let Some(text) = field.options.value(OptionName::Deprecated) {
        set.push(
            quote!(__it.deprecation = ::core::option::Option::Some(::core::convert::From::from(#text));),
        );
    }
    if let Some(names) = field.options.value(OptionName::RecomputeOn).and_then(names) {
        let names = names.into_iter().map(|name| {
            let field = model.fields.iter().find(|field| field.ident == name);
            field.map_or_else(|| name.to_string(), |field| field.name.clone())
        });
        set.push(
            quote!(__it.recompute_on = ::core::option::Option::Some(__support::targets(&[#(#names),*]));),
        );
    }
    set.extend(refinements(field));
    set.extend(changes(field, ty));
    set.extend(default(field));
    set.extend(equivalence::expand(field));
    let form = field.has(OptionName::AsBlocks).then(|| quote!(form: __support::Form::Blocks,));
    with(&quote!(AttributeDef), &new, form.as_ref(), &set)
}

/// A definition with what the options of the field say.
fn with(
    definition: &TokenStream,
    new: &TokenStream,
    form: Option<&TokenStream>,
    set: &[TokenStream],
) -> TokenStream {
    let set = (!set.is_empty()).then(|| quote!(set: |__it| { #(#set)* },));
    quote!(__support::#definition { #form #set ..#new })
}

fn default(field: &Field<'_>) -> Option<TokenStream> {
    let ty = field.attribute();
    let (fixed, made) = match field.adapter_bound() {
        None => (quote!(default_value), quote!(default_with)),
        Some(_) => (quote!(adapted_default_value), quote!(adapted_default_with)),
    };
    let default = if let Some(path) = field.options.value(OptionName::DefaultWith) {
        quote_spanned!(place(path)=> __support::#made::<#ty, _>(#path))
    } else {
        let value = field.options.value(OptionName::Default)?;
        let value = match as_text(value) {
            // A literal is a `&str`, and the attribute a `String`.
            Some(text) => quote_spanned!(place(text)=> ::core::convert::From::from(#text)),
            None => quote!(#value),
        };
        quote!(__support::#fixed::<#ty>(#value))
    };
    Some(quote!(__it.default = ::core::option::Option::Some(#default);))
}

/// What is known of an unknown value. That a value without an `Option` will not be null, the type says.
fn refinements(field: &Field<'_>) -> Option<TokenStream> {
    let value = field.options.value(OptionName::Refine)?;
    let not_null = (!field.wrapper.is_option()).then(|| quote!(.not_null()));
    // Within a closure, so that a value of another type is reported alone.
    let known = quote_spanned!(place(value)=> || -> __support::Refinements { #value });
    Some(quote!(__it.unknown = __support::Unknown::refined((#known)()#not_null);))
}

/// What attributes and blocks have alike: what follows from changes, and validators.
fn changes(field: &Field<'_>, ty: &Type) -> Vec<TokenStream> {
    let mut set = Vec::new();
    if let Some(path) = field.options.value(OptionName::ReplaceIf) {
        let replace = quote_spanned!(place(path)=> __support::replace_if::<#ty, _>(#path));
        set.push(quote!(__it.replace = #replace;));
    } else if let Some(replace) = field.options.entry(OptionName::Replace) {
        let replace = if replace.value.is_some() { quote!(IfConfigured) } else { quote!(OnChange) };
        set.push(quote!(__it.replace = __support::Replace::#replace;));
    }
    if let Some(modify) = field.options.value(OptionName::Modify) {
        let all = elements(modify, |one| quote_spanned!(place(one)=> __support::modifier::<#ty, _>(#one)));
        set.push(quote!(__it.modifiers = #all;));
    }
    if let Some(validate) = field.options.value(OptionName::Validate) {
        let all = elements(validate, |one| quote_spanned!(place(one)=> __support::validator::<#ty, _>(#one)));
        set.push(quote!(__it.validators.extend(#all);));
    }
    set
}

/// The value, or each element of one in brackets, as a vector.
pub(crate) fn elements(value: &Expr, each: impl Fn(&Expr) -> TokenStream) -> TokenStream {
    let all: Vec<TokenStream> = match ungrouped(value) {
        Expr::Array(array) => array.elems.iter().map(each).collect(),
        one => vec![each(one)],
    };
    quote!(::std::vec![#(#all),*])
}

fn block(field: &Field<'_>) -> TokenStream {
    let (name, docs, ty) = (&field.name, &field.docs, field.ty);
    let new = if field.is_group() { quote!(group) } else { quote!(new) };
    let new = quote_spanned!(place(ty)=> __support::BlockDef::#new::<#ty>);
    let new = quote!(#new(#name, #docs));
    let mut set = Vec::new();
    if let Some(text) = field.options.value(OptionName::Deprecated) {
        set.push(quote!(__it.block.deprecation = ::core::option::Option::Some(::core::convert::From::from(#text));));
    }
    for option in [OptionName::MinItems, OptionName::MaxItems] {
        if let Some(limit) = field.options.value(option) {
            let name = format_ident!("{}", option.text());
            set.push(quote!(__it.#name = #limit;));
        }
    }
    if field.has(OptionName::Computed) {
        set.push(quote!(__it.block.computed = true;));
    }
    set.extend(changes(field, ty));
    with(&quote!(BlockDef), &new, None, &set)
}

pub(super) fn option<T: ToTokens>(text: Option<T>) -> TokenStream {
    text.map_or_else(
        || quote!(::core::option::Option::None),
        |text| quote!(::core::option::Option::Some(#text)),
    )
}
