//! The code that a derive stands for: tables and calls, with the logic in `ferroform::model::macro_support`.

mod changed;
mod codec;
pub(crate) mod convert;
mod identity;
mod names;
mod schema;
mod string_enum;
mod variants;
mod views;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ast::{Field, Model};
use crate::attr::{Options, ungrouped};
use crate::options::OptionName;
use crate::ty::is_builtin;

pub(crate) use identity::expand as identity;
pub(crate) use schema::elements;
pub(crate) use string_enum::expand as string_enum;
pub(crate) use variants::expand as variants;

/// The traits and views of a model. One with mistakes has no schema and no checks of flattened identities, in which they would
/// show up a second time; it has the rest, so that code that uses the model is not in error as well.
pub(crate) fn model(model: &Model<'_>, is_sound: bool) -> TokenStream {
    let block = if is_sound { schema::expand(model) } else { schema::unreachable() };
    let all = with_block(model, &block);
    let flattened = flattened_identities(model).filter(|_| is_sound);
    quote!(#all #(#flattened)*)
}

/// The expansion with the given function in place of `block`.
fn with_block(model: &Model<'_>, block: &TokenStream) -> TokenStream {
    let krate = krate(&model.options);
    let structs = View::INPUTS.iter().map(|view| views::structure(model, *view));
    let impls = View::INPUTS.iter().map(|view| views::impls(model, *view));
    let changed = changed::structure(model);
    let compare = changed::expand(model);
    let names = codec::names_of(model).declaration();
    let codecs = View::ALL.iter().map(|view| codec::expand(model, *view));
    let ident = model.ident;
    let bounds = bounds(model);
    let version = model.options.number(OptionName::Version).unwrap_or(0);
    let has_blocks = model.fields.iter().any(Field::is_block);
    let flattened = model.flattened().map(|field| field.inner);
    let has_blocks = quote!(#has_blocks #(|| <#flattened as __model::AttributeValue>::HAS_BLOCKS)*);
    let plain = model.options.has(OptionName::Plain).then(|| {
        quote!(
            const PLAIN_DESCRIPTIONS: bool = true;
        )
    });
    let has_identity = model.options.has(OptionName::IdentityType)
        || model.fields.iter().any(|field| field.has(OptionName::Identity));
    let write_only = codec::write_only(model);
    let nested = nested(model);
    let [draft, planned, prior] = View::INPUTS.map(|view| view.ident(model));
    let identity = identity::of_model(model);
    quote! {
        #(#structs)*
        #changed
        const _: () = {
            use #krate::model::{self as __model, macro_support as __support};
            #[automatically_derived]
            impl __model::AttributeValue for #ident #bounds {
                type Draft = #draft;
                type Planned = #planned;
                type Prior = #prior;
                const HAS_BLOCKS: bool = #has_blocks;
                const NESTED: __model::Nested = #nested;
                const HAS_IDENTITY: bool = #has_identity;
                fn attribute_type() -> __support::AttributeType {
                    __support::nested::<Self>()
                }
                #write_only
            }
            #[automatically_derived]
            impl __model::Model for #ident #bounds {
                const VERSION: i64 = #version;
                #plain
                #block
            }
            #[automatically_derived]
            impl __model::State for #ident #bounds {
                type Model = #ident;
            }
            #[automatically_derived]
            impl __model::State for #prior #bounds {
                type Model = #ident;
            }
            #(#impls)*
            #names
            #(#codecs)*
            #compare
        };
        #identity
    }
}

/// The checks that a flattened model has an identity just where it is that of the model.
fn flattened_identities(model: &Model<'_>) -> impl Iterator<Item = TokenStream> {
    let krate = krate(&model.options);
    let flattened = model.flattened().filter(|_| !model.options.has(OptionName::IdentityType));
    flattened.map(move |field| {
        let (ty, is_identity) = (field.inner, field.has(OptionName::Identity));
        let check = quote_spanned!(place(ty)=> __support::flattened_identity::<#ty>(#is_identity));
        quote! {
            const _: () = {
                use #krate::model::macro_support as __support;
                #check
            };
        }
    })
}

/// What the model is as a part of other types.
fn nested(model: &Model<'_>) -> TokenStream {
    let bare = model.attributes().all(Field::is_bare);
    let others = model.fields.iter().map(Field::attribute).filter(|ty| !is_builtin(ty));
    let others = others.map(|ty| quote_spanned!(place(ty)=> <#ty as __model::AttributeValue>::NESTED));
    quote!(__model::Nested::model(#bare, &[#(#others),*]))
}

/// The crate that the expansion refers to, which a re-export may rename.
pub(crate) fn krate(options: &Options) -> TokenStream {
    options
        .value(OptionName::Crate)
        .map_or_else(|| quote!(::ferroform), |path| ungrouped(path).to_token_stream())
}

/// Bounds that hold anyway, for the types of fields that are not known to the macro. The compiler takes them for
/// granted within the item, so that one which does not hold is reported by the table of attributes alone, at the field.
/// Without the lifetime the compiler would look at the bound itself, and report it a second time.
fn bounds(model: &Model<'_>) -> TokenStream {
    bounds_of(&model.fields, &krate(&model.options), &quote!(AttributeValue))
}

fn bounds_of(fields: &[Field<'_>], krate: &TokenStream, of: &TokenStream) -> TokenStream {
    let mut seen = BTreeSet::new();
    let bounds = fields.iter().filter_map(|field| match field.adapter_bound() {
        Some(bound) => Some(bound.clone()),
        None if is_builtin(field.inner) => None,
        None => {
            let ty = field.inner;
            Some(quote_spanned!(place(ty)=> for<'__any> #ty: #krate::model::#of))
        }
    });
    let bounds = bounds.filter(|bound| seen.insert(bound.to_string()));
    quote!(where #(#bounds,)*)
}

/// The place of some tokens, with the hygiene of the expansion: the tokens may come from another macro.
pub(crate) fn place(of: &impl Spanned) -> Span {
    Span::call_site().located_at(of.span())
}

/// A struct with the fields of a model: the model itself, or one of its views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Model,
    Draft,
    Planned,
    Prior,
}

impl View {
    const ALL: [Self; 4] = [Self::Model, Self::Draft, Self::Planned, Self::Prior];
    /// Those that the derive makes.
    const INPUTS: [Self; 3] = [Self::Draft, Self::Planned, Self::Prior];

    fn ident(self, model: &Model<'_>) -> Ident {
        match self {
            Self::Model => model.ident.clone(),
            // Not at the place of the name, which the author would be warned about once more for each view.
            _ => format_ident!("{}{}", model.ident, self.name(), span = Span::call_site()),
        }
    }

    /// As the views are called in `AttributeValue`.
    fn name(self) -> Ident {
        let name = match self {
            Self::Model => "Model",
            Self::Draft => "Draft",
            Self::Planned => "Planned",
            Self::Prior => "Prior",
        };
        Ident::new(name, Span::call_site())
    }

    /// The fields that the view has: a prior state has no write-only values.
    fn fields<'m, 'a>(self, model: &'m Model<'a>) -> impl Iterator<Item = &'m Field<'a>> {
        model.fields.iter().filter(move |field| self != Self::Prior || !field.wrapper.is_write_only())
    }
}
