//! The tree that all later stages look at; every part keeps the syntax that it came from.

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Type, Variant, Visibility, parse_quote_spanned};

use crate::attr::{Options, docs};
use crate::ctxt::Ctxt;
use crate::expand::{krate, place};
use crate::options::{OptionName, Scope};
use crate::ty::{Wrapper, is_collection, mentions, replace_leaf};

/// A struct that derives `Model`.
pub(crate) struct Model<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) docs: String,
    pub(crate) options: Options,
    /// Those about the identity.
    pub(crate) identity: Options,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of it: an attribute or a nested block.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The name of the attribute or block.
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) options: Options,
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
    pub(crate) options: Options,
    pub(crate) variants: Vec<(&'a Variant, Options, String)>,
}

impl<'a> Model<'a> {
    /// The tree of the input; `None` when it is no struct with named fields.
    pub(crate) fn parse(cx: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        no_generics(cx, input, "a model");
        let options = Options::parse(cx, &input.attrs, Scope::Model);
        let identity = Options::parse(cx, &input.attrs, Scope::Identity);
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
        let krate = krate(&options);
        let fields =
            fields.named.iter().filter_map(|field| Field::parse(cx, field, Scope::Field, &krate)).collect();
        Some(Self {
            ident: &input.ident,
            vis: &input.vis,
            docs: docs(&input.attrs),
            options,
            identity,
            fields,
        })
    }

    /// The attributes, without the blocks.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| {
            !field.is_block() && !field.has(OptionName::Timeouts) && !field.has(OptionName::Flatten)
        })
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.is_block() && !field.has(OptionName::Timeouts))
    }

    /// The models whose attributes and blocks stand among its own.
    pub(crate) fn flattened(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.has(OptionName::Flatten))
    }

    /// The field that says how long operations may take.
    pub(crate) fn timeouts(&self) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.has(OptionName::Timeouts))
    }
}

impl<'a> Field<'a> {
    pub(crate) fn parse(cx: &Ctxt, field: &'a syn::Field, scope: Scope, krate: &TokenStream) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let options = Options::parse(cx, &field.attrs, scope);
        let name = options.text_or(OptionName::Name, || ident.unraw().to_string());
        let (wrapper, inner) = Wrapper::of(&field.ty);
        // Beside these it is a mistake, which is reported.
        let is_model = [OptionName::Block, OptionName::AsBlocks, OptionName::Timeouts, OptionName::Flatten]
            .into_iter()
            .any(|option| options.has(option));
        let adapter = options.value(OptionName::With).filter(|_| !is_model);
        let docs = options.text_or(OptionName::Description, || docs(&field.attrs));
        Some(Self {
            ident,
            vis: &field.vis,
            name,
            adapted: adapter.map(|adapter| Adapted::new(&field.ty, adapter, krate)),
            docs,
            options,
            ty: &field.ty,
            wrapper,
            inner,
        })
    }

    pub(crate) fn has(&self, option: OptionName) -> bool {
        self.options.has(option)
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
        self.has(OptionName::Default) || self.has(OptionName::DefaultWith)
    }

    pub(crate) fn is_block(&self) -> bool {
        self.has(OptionName::Block) && !self.has(OptionName::Flatten) && !self.wrapper.is_write_only()
    }

    pub(crate) fn is_group(&self) -> bool {
        self.is_block() && self.options.value(OptionName::Block).is_some()
    }

    /// Whether absence of the blocks is an empty collection.
    pub(crate) fn is_block_collection(&self) -> bool {
        self.is_block() && is_collection(self.ty)
    }

    /// Whether the attribute is required and has no effect beside its type.
    pub(crate) fn is_bare(&self) -> bool {
        const EFFECTS: [OptionName; 5] = [
            OptionName::Sensitive,
            OptionName::Deprecated,
            OptionName::Replace,
            OptionName::Identity,
            OptionName::Validate,
        ];
        matches!(self.wrapper, Wrapper::None)
            && self.presence() == Presence::Required
            && !EFFECTS.into_iter().any(|option| self.has(option))
    }

    /// Whether the value must not be shown.
    pub(crate) fn is_secret(&self) -> bool {
        self.has(OptionName::Sensitive) || self.wrapper.is_write_only()
    }

    /// Whether the plan may leave the value to the provider. A default is there when nothing is configured, so an attribute
    /// with one is always known at apply.
    pub(crate) fn may_be_unknown(&self) -> bool {
        self.has(OptionName::Computed) && self.presence() != Presence::Required
    }

    pub(crate) fn presence(&self) -> Presence {
        let computed = self.has(OptionName::Computed);
        match self.wrapper {
            _ if self.has_default() || (computed && self.has(OptionName::Optional)) => {
                Presence::OptionalComputed
            }
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
        let options = Options::parse(cx, &input.attrs, Scope::Enum);
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
            let options = Options::parse(cx, &variant.attrs, Scope::Variant);
            let text = options.text_or(OptionName::Name, || snake_case(&variant.ident));
            (variant, options, text)
        });
        Some(Self {
            ident: &input.ident,
            vis: &input.vis,
            attrs: &input.attrs,
            options,
            variants: variants.collect(),
        })
    }
}

impl Enum<'_> {
    /// Whether its values are objects, and not strings.
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
    let mut option = String::new();
    let mut after_upper = true;
    for letter in ident.unraw().to_string().chars() {
        if letter.is_uppercase() && !after_upper {
            option.push('_');
        }
        after_upper = letter.is_uppercase();
        option.extend(letter.to_lowercase());
    }
    option
}
