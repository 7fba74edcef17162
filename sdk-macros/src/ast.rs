//! The tree that all later stages look at; every part keeps the syntax that it came from.

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Type, Variant, Visibility, parse_quote_spanned};

use crate::attr::{Words, docs};
use crate::ctxt::Ctxt;
use crate::expand::{krate, place};
use crate::ty::{Wrapper, is_collection, mentions, replace_leaf};
use crate::word::{Scope, Word};

/// A struct that derives `Model`.
pub(crate) struct Model<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) docs: String,
    pub(crate) words: Words,
    /// Those about the identity.
    pub(crate) identity: Words,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of it: an attribute or a nested block.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The name of the attribute or block.
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) words: Words,
    /// The type as written.
    pub(crate) ty: &'a Type,
    pub(crate) wrapper: Wrapper,
    /// The type in the wrapper.
    pub(crate) inner: &'a Type,
    /// What the schema has in its place.
    adapted: Option<Adapted>,
}

/// The type of a field whose values an adapter makes.
struct Adapted {
    ty: Type,
    bound: TokenStream,
}

/// Who may set an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    Computed,
    OptionalComputed,
}

/// An enum that derives `AttributeValue`.
pub(crate) struct Enum<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) attrs: &'a [Attribute],
    pub(crate) words: Words,
    pub(crate) variants: Vec<(&'a Variant, Words, String)>,
}

impl<'a> Model<'a> {
    /// The tree of the input; `None` when it is no struct with named fields.
    pub(crate) fn parse(cx: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        no_generics(cx, input, "a model");
        let words = Words::parse(cx, &input.attrs, Scope::Model);
        let identity = Words::parse(cx, &input.attrs, Scope::Identity);
        let fields = match &input.data {
            Data::Struct(data) => &data.fields,
            Data::Enum(data) => {
                cx.error(data.enum_token, "a model is a struct: an enum of words derives `AttributeValue`");
                return None;
            }
            Data::Union(data) => {
                cx.error(data.union_token, "a model is a struct with named fields");
                return None;
            }
        };
        let Fields::Named(fields) = fields else {
            let name = &input.ident;
            cx.error(
                name,
                format!("the fields of a model are its attributes and need names: `struct {name} {{ ... }}`"),
            );
            return None;
        };
        if !input.generics.params.is_empty() {
            return None;
        }
        let mut endless = fields.named.iter().filter(|field| mentions(&field.ty, &input.ident)).peekable();
        if endless.peek().is_some() {
            // Without stubs: they would be endless as well, which the compiler reports many times.
            endless.for_each(|field| {
                cx.error(&field.ty, "a model cannot hold itself: its schema would have no end")
            });
            return None;
        }
        let krate = krate(&words);
        let fields =
            fields.named.iter().filter_map(|field| Field::parse(cx, field, Scope::Field, &krate)).collect();
        Some(Self { ident: &input.ident, vis: &input.vis, docs: docs(&input.attrs), words, identity, fields })
    }

    /// The attributes, without the blocks.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields
            .iter()
            .filter(|field| !field.is_block() && !field.has(Word::Timeouts) && !field.has(Word::Flatten))
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.is_block() && !field.has(Word::Timeouts))
    }

    /// The models whose attributes and blocks stand among its own.
    pub(crate) fn flattened(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.has(Word::Flatten))
    }

    /// The field that says how long operations may take.
    pub(crate) fn timeouts(&self) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.has(Word::Timeouts))
    }
}

impl<'a> Field<'a> {
    pub(crate) fn parse(cx: &Ctxt, field: &'a syn::Field, scope: Scope, krate: &TokenStream) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let words = Words::parse(cx, &field.attrs, scope);
        let name = words.text(Word::Name).map_or_else(|| ident.unraw().to_string(), syn::LitStr::value);
        let (wrapper, inner) = Wrapper::of(&field.ty);
        // Beside these it is a mistake, which is reported.
        let is_model = [Word::Block, Word::AsBlocks, Word::Timeouts, Word::Flatten]
            .into_iter()
            .any(|word| words.has(word));
        let adapter = words.value(Word::With).filter(|_| !is_model);
        let docs = words.text(Word::Description).map_or_else(|| docs(&field.attrs), syn::LitStr::value);
        Some(Self {
            ident,
            vis: &field.vis,
            name,
            adapted: adapter.map(|adapter| Adapted::new(&field.ty, adapter, krate)),
            docs,
            words,
            ty: &field.ty,
            wrapper,
            inner,
        })
    }

    pub(crate) fn has(&self, word: Word) -> bool {
        self.words.has(word)
    }

    /// The type as the schema has it, in its wrapper.
    pub(crate) fn wrapped(&self) -> &Type {
        self.adapted.as_ref().map_or(self.ty, |adapted| &adapted.ty)
    }

    /// The type as the schema has it.
    pub(crate) fn attribute(&self) -> &Type {
        self.adapted.as_ref().map_or(self.inner, |adapted| Wrapper::of(&adapted.ty).1)
    }

    /// What holds for the adapter, if there is one.
    pub(crate) fn adapter_bound(&self) -> Option<&TokenStream> {
        self.adapted.as_ref().map(|adapted| &adapted.bound)
    }

    pub(crate) fn has_default(&self) -> bool {
        self.has(Word::Default) || self.has(Word::DefaultWith)
    }

    pub(crate) fn is_block(&self) -> bool {
        self.has(Word::Block) && !self.has(Word::Flatten) && !self.wrapper.is_write_only()
    }

    pub(crate) fn is_group(&self) -> bool {
        self.is_block() && self.words.value(Word::Block).is_some()
    }

    /// Whether absence of the blocks is an empty collection.
    pub(crate) fn is_block_collection(&self) -> bool {
        self.is_block() && is_collection(self.ty)
    }

    /// Whether the attribute is required and has no effect beside its type.
    pub(crate) fn is_bare(&self) -> bool {
        const EFFECTS: [Word; 5] =
            [Word::Sensitive, Word::Deprecated, Word::Replace, Word::Identity, Word::Validate];
        matches!(self.wrapper, Wrapper::None)
            && self.presence() == Presence::Required
            && !EFFECTS.into_iter().any(|word| self.has(word))
    }

    /// Whether the value must not be shown.
    pub(crate) fn is_secret(&self) -> bool {
        self.has(Word::Sensitive) || self.wrapper.is_write_only()
    }

    pub(crate) fn presence(&self) -> Presence {
        let computed = self.has(Word::Computed);
        match self.wrapper {
            _ if self.has_default() || (computed && self.has(Word::Optional)) => Presence::OptionalComputed,
            _ if computed => Presence::Computed,
            Wrapper::Option | Wrapper::WriteOnlyOption => Presence::Optional,
            Wrapper::None | Wrapper::WriteOnly => Presence::Required,
        }
    }
}

impl Adapted {
    fn new(ty: &Type, adapter: &Expr, krate: &TokenStream) -> Self {
        let bound = RefCell::new(TokenStream::new());
        let ty = replace_leaf(ty, &|leaf| {
            bound.replace(
                quote_spanned!(place(adapter)=> for<'__any> #adapter: #krate::model::Adapter<#leaf>),
            );
            parse_quote_spanned!(place(leaf)=> #krate::model::With<#leaf, #adapter>)
        });
        Self { ty, bound: bound.into_inner() }
    }
}

impl<'a> Enum<'a> {
    /// The tree of the input; `None` when it is no enum.
    pub(crate) fn parse(cx: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        no_generics(cx, input, "an enum of words");
        let words = Words::parse(cx, &input.attrs, Scope::Enum);
        let data = match &input.data {
            Data::Enum(data) => data,
            Data::Struct(data) => {
                cx.error(
                    data.struct_token,
                    "`AttributeValue` is derived for enums of words: a struct derives `Model`",
                );
                return None;
            }
            Data::Union(data) => {
                cx.error(data.union_token, "`AttributeValue` is derived for enums of words");
                return None;
            }
        };
        if !input.generics.params.is_empty() {
            return None;
        }
        let variants = data.variants.iter().map(|variant| {
            let words = Words::parse(cx, &variant.attrs, Scope::Variant);
            let word = words.text(Word::Name).map_or_else(|| snake_case(&variant.ident), syn::LitStr::value);
            (variant, words, word)
        });
        Some(Self {
            ident: &input.ident,
            vis: &input.vis,
            attrs: &input.attrs,
            words,
            variants: variants.collect(),
        })
    }
}

impl Enum<'_> {
    /// Whether its values are objects, and not words.
    pub(crate) fn has_values(&self) -> bool {
        self.variants.iter().any(|(variant, _, _)| !matches!(variant.fields, Fields::Unit))
    }
}

/// The field for a variant in the struct of all variants.
pub(crate) fn member(variant: &Ident) -> Ident {
    let name = snake_case(variant);
    let parsed = syn::parse_str::<Ident>(&name);
    parsed.map_or_else(
        |_| Ident::new(&format!("{name}_"), variant.span()),
        |_| Ident::new(&name, variant.span()),
    )
}

/// A view has no parameters to be generic over.
pub(crate) fn no_generics(cx: &Ctxt, input: &DeriveInput, what: &str) {
    for parameter in &input.generics.params {
        cx.error(parameter, format!("{what} has one fixed schema: remove the generic parameter"));
    }
}

fn snake_case(ident: &Ident) -> String {
    let mut word = String::new();
    let mut after_upper = true;
    for letter in ident.unraw().to_string().chars() {
        if letter.is_uppercase() && !after_upper {
            word.push('_');
        }
        after_upper = letter.is_uppercase();
        word.extend(letter.to_lowercase());
    }
    word
}
