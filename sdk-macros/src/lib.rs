//! Derive macros of the ferroform SDK; use them through the `ferroform` crate.
//!
//! # `#[derive(Model)]`
//!
//! Turns a struct into a [model](../ferroform/model/index.html): each field is an attribute or a nested block. The
//! type of the field says most:
//!
//! | type | attribute |
//! |---|---|
//! | `T` | required |
//! | `Option<T>` | optional |
//! | `WriteOnly<T>`, `WriteOnly<Option<T>>` | write-only, required or optional |
//! | another model, or `Vec`, `SetOf` or `BTreeMap<String, _>` of one | nested attribute |
//!
//! Inside of a tuple, a list of lists, a map of lists and the like the protocol has no nested attributes but only types.
//! A model may stand there if all its attributes are required and have no word but `name`; descriptions are lost.
//!
//! Doc comments are the descriptions.
//!
//! ## Words on a field: `#[attr(...)]`
//!
//! | word | meaning | not with |
//! |---|---|---|
//! | `computed` | the provider sets it | defaults, `WriteOnly` |
//! | `optional, computed` | the provider sets it where the configuration does not | defaults, `block`, `WriteOnly`; alone |
//! | `default = expr` | optional and computed, with this value where none is configured | `Option`, `computed`, `optional`, `keep`, `block`, `WriteOnly` |
//! | `default_with = path` | the same, by a `fn(&Path) -> Result<T>` or, to look at the configuration and the environment, a `fn(&Situation<'_>) -> Result<T>` | as `default`, and `default` |
//! | `keep` | where a plan would be unknown, the prior value | anything not computed; defaults, `identity`, `block`, `WriteOnly` |
//! | `keep = non_null` | the same, for prior values that are not null; other than `Option` says so already | as `keep` |
//! | `recompute_on = [a, b]` | unknown in a plan only where one of these fields changes | as `keep`, and `keep` |
//! | `modify = path` | a step of planning: a `fn(&mut Modify<'_, T>) -> Result` or a `Modifier`, or several in `[...]` | `WriteOnly` |
//! | `replace` | a change replaces the object; of blocks, one that comes or goes as well | `WriteOnly` |
//! | `replace = if_configured` | a configured change replaces the object | as `replace`, and `computed` without `optional` |
//! | `replace_if = path` | a change replaces the object where a `fn(&Modify<'_, T>) -> bool` says so | as `replace`, and `replace` |
//! | `identity` | part of the identity, so never null; implies `keep` when computed | `Option`, `sensitive`, `block`, `WriteOnly`, nested models |
//! | `sensitive` | core hides it, `Debug` redacts it | `identity`, `block` |
//! | `deprecated = "..."` | why not to use it, and what instead | – |
//! | `name = "..."` | the name, when it is not that of the field | – |
//! | `validate = expr` | a check of configured values: a `Validator`, a `fn(&Path, &Value, &mut Diagnostics)`, a `fn(&T) -> Result` (`&str` for a `String`), or several in `[...]`; see `ferroform::validate` | `computed` without `optional` |
//! | `equivalent = expr` | which values mean the same, so that the older spelling is kept: an `Equivalence`, or a `fn(&T, &T) -> bool` that takes the wanted and the seen value (`&str` for a `String`) | `normalize`, `block`, `WriteOnly` |
//! | `normalize = expr` | the same by a `fn(&T) -> U`: values with one normal form mean the same | `equivalent`, `block`, `WriteOnly` |
//! | `unverified` | apply records the planned value even if the service shows another one yet | `block`, `WriteOnly` |
//! | `key` | tells the elements of a set of this model apart, with the other keys | `computed` without `optional`, `block`, `WriteOnly` |
//! | `with = adapter` | a type of another crate, also inside of `Option`, `WriteOnly` and collections: `AsText`, or a `model::Adapter` of your own | `block`, `as_blocks` |
//! | `block` | a nested block: `M` (exactly one), `Option<M>`, `Vec<M>`, `SetOf<M>`, maps of `M` | see the other words |
//! | `block = group` | a group: attributes in a block that is never null | any type but `M`; `computed` |
//! | `block, computed` | a block that the provider may fill (protocol 6.11) | `M`, groups, `min_items` |
//! | `optional, computed, as_blocks` | a list or set of models that may be written as an attribute or as blocks, on both protocols | any type but `Vec` and `SetOf`; defaults, `block`, `identity` |
//! | `timeouts = [create = "30m", delete]` | how long these operations may take, on an `Option<Timeouts>` | every word but `block` and `name`; nested models |
//! | `min_items = n`, `max_items = n` | limits of the number of blocks | anything but `block` on `Vec` and `SetOf` |
//!
//! In the configuration of a provider nothing is computed or planned. Defaults are filled in there as well; `computed`
//! without a default, `modify`, `replace` and `replace_if` are found by the schema check. In a data source what is about
//! changes says nothing.
//!
//! A model of a group should have no required attributes, because core asks for none when the block is absent.
//!
//! ## Words on the struct: `#[model(...)]`
//!
//! | word | meaning |
//! |---|---|
//! | `version = n` | the version of the schema, from 0 (which is the default) |
//! | `description = "..."` | the description instead of the doc comment |
//! | `deprecated = "..."` | why not to use it, and what instead |
//! | `validate = expr` | a check of each object as a whole: a validator of `validate::relation`, a `Validator` or a `fn(&Draft<M>) -> Result`, or several in `[...]` |
//! | `nested` | it only stands inside other models: names such as `count` are free; no `version`, no `identity` |
//! | `crate = path` | where the `ferroform` crate is, for re-exports |
//! | `identity_type = T` | the identity is `T`, which derives `Identity`: made by `From<&Self> for T`, or by `Resource::identity` |
//!
//! A model `M` with attributes marked `identity` gets a struct `MIdentity` of those attributes, which takes the words of
//! `#[identity(...)]` below from the struct.
//!
//! # `#[derive(Identity)]`
//!
//! Turns a struct into an identity: each field is an attribute. `T` is required for import, `Option<T>` optional. The
//! types are strings, numbers, bools, enums of words, and lists of those. Doc comments are the descriptions, and
//! `#[attr(name = "...")]` names an attribute. `#[attr(with = adapter)]` is for a type of another crate.
//!
//! ## Words on the struct: `#[identity(...)]`
//!
//! | word | meaning |
//! |---|---|
//! | `version = n` | the version of the identity schema, from 0 (which is the default) |
//! | `format = "{region}/{name}"` | how the import id holds the attributes |
//! | `mutable` | an update may change the identity of an object |
//! | `crate = path` | where the `ferroform` crate is, for re-exports |
//!
//! # `#[ferroform::function]` and `#[derive(Parameters)]`
//!
//! Make a provider function of a Rust function, or of a struct of its parameters. The annotations `#[function(...)]` and
//! `#[param(...)]` are described in the module `ferroform::function`.
//!
//! # `#[derive(AttributeValue)]`
//!
//! Turns an enum of unit variants into a string attribute that allows only those words. A word is the variant in
//! `snake_case`, or `#[attr(name = "...")]`; the enum takes `#[attr(crate = path)]`. It also gets `as_str`, `Display` and
//! `FromStr` by these words, for the texts of a service.
//!
//! An enum whose variants hold one value each, such as `Queue(QueueTarget)`, is an object with an optional attribute for
//! each variant, of which exactly one must be set. The value is a model or any other attribute type.

mod ast;
mod attr;
#[cfg(test)]
mod cases;
mod check;
mod ctxt;
mod equivalence;
mod expand;
mod fallback;
mod function;
mod identity;
mod ty;
mod word;

use proc_macro::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_macro_input};

use crate::ctxt::Ctxt;

/// Derives the traits of a model and its views; see the [reference](crate).
#[proc_macro_derive(Model, attributes(model, attr, identity))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let cx = Ctxt::new();
    let Some(model) = ast::Model::parse(&cx, &input) else { return cx.finish().into() };
    check::model(&cx, &model);
    identity::check_model(&cx, &model);
    let errors = cx.finish();
    if errors.is_empty() {
        return expand::model(&model).into();
    }
    let stubs = fallback::model(&model);
    quote!(#errors #stubs).into()
}

/// Derives the traits of an identity; see the [reference](crate).
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

/// Derives the traits of an attribute that is one of some words; see the [reference](crate).
#[proc_macro_derive(AttributeValue, attributes(attr))]
pub fn derive_attribute_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let cx = Ctxt::new();
    let Some(words) = ast::Enum::parse(&cx, &input) else { return cx.finish().into() };
    check::words(&cx, &words);
    let expanded = if words.has_values() { expand::variants(&words, &cx) } else { expand::words(&words) };
    let errors = cx.finish();
    if errors.is_empty() { expanded.into() } else { errors.into() }
}

/// Derives the parameters of a provider function; see `ferroform::function`.
#[proc_macro_derive(Parameters, attributes(function, param))]
pub fn derive_parameters(input: TokenStream) -> TokenStream {
    function::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes a provider function of a Rust function; see `ferroform::function`.
#[proc_macro_attribute]
pub fn function(words: TokenStream, item: TokenStream) -> TokenStream {
    function::attribute(&words.into(), parse_macro_input!(item as syn::ItemFn)).into()
}
