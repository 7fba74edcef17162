//! The rules about several options, or about options and the type of the field.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::Fields;

use crate::ast::{Enum, Field, Model, Presence};
use crate::attr::{Options, names};
use crate::ctxt::Ctxt;
use crate::equivalence;
use crate::options::OptionName::{self, *};
use crate::options::nearest;
use crate::show_value;
use crate::ty::{Wrapper, argument, is_list_or_set};

pub(crate) fn model(cx: &Ctxt, model: &Model<'_>) {
    for field in &model.fields {
        if field.has(Flatten) {
            flattened_model_has_its_own_options(cx, field);
            continue;
        }
        check_exclusive_options(cx, field);
        check_options_implied_by_types(cx, field);
        nested_wrappers(cx, field);
        optional_needs_computed(cx, field);
        keep_needs_computed(cx, field);
        write_only_is_never_stored(cx, field);
        identity_is_never_null(cx, field);
        id_is_no_secret(cx, model, field);
        default_is_never_null(cx, field);
        computed_only_is_never_configured(cx, field);
        limits_are_for_lists_and_sets(cx, field);
        group_is_one_model(cx, field);
        computed_block_is_never_demanded(cx, field);
        name_is_valid(cx, field);
        recomputation_needs_computed(cx, model, field);
        refinement_needs_computed(cx, field);
        attribute_as_blocks(cx, field);
        timeouts_stand_alone(cx, field);
        equivalence::check(cx, field);
        show_value::check(cx, field);
    }
    one_field_has_timeouts(cx, model);
    names_are_distinct(cx, model.fields.iter().filter(|field| !field.has(Flatten)));
    reserved_names(cx, model);
    nested_model_has_no_root(cx, model);
}

pub(crate) fn string_enum(cx: &Ctxt, input: &Enum<'_>) {
    if input.variants.is_empty() {
        cx.error(input.ident, "an enum of words needs a variant: no value would be valid");
    }
    let mut seen = BTreeMap::new();
    for (variant, options, text) in &input.variants {
        match &variant.fields {
            Fields::Unit if input.has_values() => cx.error(
                variant,
                "a word stands beside variants with values: give it a value, or take the values from the others",
            ),
            Fields::Named(_) => cx.error(
                &variant.fields,
                "a variant holds one value: put these fields into a struct that derives `Model`, and hold that",
            ),
            Fields::Unnamed(fields) if fields.unnamed.len() != 1 => {
                cx.error(fields, "a variant holds one value: put several into a struct that derives `Model`");
            }
            Fields::Unit | Fields::Unnamed(_) => {}
        }
        if input.has_values() {
            is_name(cx, text, options, &variant.ident);
        }
        if let Some(first) = seen.insert(text, &variant.ident) {
            let message = format!("`{first}` is written {text:?} already: give one of them another `name`");
            match options.entry(Name) {
                Some(name) => cx.error(name, message),
                None => cx.error(&variant.ident, message),
            }
        }
    }
}

const NOTHING_KEPT: &str =
    "an attribute with a default is never unknown in a plan, so there is nothing to keep: remove `keep`";
const NOTHING_REFINED: &str =
    "an attribute with a default is never unknown in a plan, so there is nothing to refine: remove `refine`";
const NOTHING_RECOMPUTED: &str =
    "an attribute with a default is never unknown in a plan: remove `recompute_on`";

/// The first option makes no sense beside the second one, for the reason given with the way out.
const EXCLUSIVE: &[(OptionName, OptionName, &str)] = &[
    (Optional, Default, "`default` makes an attribute optional and computed: remove `optional`"),
    (Optional, DefaultWith, "`default_with` makes an attribute optional and computed: remove `optional`"),
    (Computed, Default, "`default` makes an attribute optional and computed: remove `computed`"),
    (Computed, DefaultWith, "`default_with` makes an attribute optional and computed: remove `computed`"),
    (DefaultWith, Default, "an attribute has one default: remove `default` or `default_with`"),
    (Keep, Default, NOTHING_KEPT),
    (Keep, DefaultWith, NOTHING_KEPT),
    (Keep, Identity, "`identity` implies `keep`: remove `keep`"),
    (Sensitive, Identity, "an identity is stored and shown in plain text: remove `sensitive` or `identity`"),
    (Identity, Block, "a block cannot be an identity: put `identity` on an attribute at the root"),
    (Optional, Block, "a block may be left out unless its type is the model itself: remove `optional`"),
    (Default, Block, "a block has no default: put defaults on the attributes in it"),
    (DefaultWith, Block, "a block has no default: put defaults on the attributes in it"),
    (Sensitive, Block, "a block cannot be sensitive: put `sensitive` on the attributes in it"),
    (Keep, Block, "a block keeps nothing: put `keep` on the attributes in it"),
    (Replace, ReplaceIf, "one of them decides: remove `replace` or `replace_if`"),
    (RecomputeOn, Keep, "either changes of others make it unknown or nothing does: remove one of them"),
    (RecomputeOn, Identity, "`identity` implies `keep`: remove `recompute_on`"),
    (RecomputeOn, Default, NOTHING_RECOMPUTED),
    (RecomputeOn, DefaultWith, NOTHING_RECOMPUTED),
    (RecomputeOn, Block, "a block is not recomputed: put `recompute_on` on the attributes in it"),
    (Refine, Default, NOTHING_REFINED),
    (Refine, DefaultWith, NOTHING_REFINED),
    (Refine, Block, "a block is not refined: put `refine` on the attributes in it"),
    (AsBlocks, Block, "`as_blocks` is an attribute that may be written as blocks: remove `block`"),
    (AsBlocks, Default, "a default would stand where nothing is written: remove `default`"),
    (AsBlocks, DefaultWith, "a default would stand where nothing is written: remove `default_with`"),
    (AsBlocks, Identity, "an identity is one value: remove `as_blocks`"),
    (With, Block, "a block is a model, which needs no adapter: put `with` on the attributes in it"),
    (With, AsBlocks, "only models are written as blocks, which need no adapter: remove `with`"),
];

fn check_exclusive_options(cx: &Ctxt, field: &Field<'_>) {
    for (option, partner, message) in EXCLUSIVE {
        if let Some(entry) = field.options.entry(*option).filter(|_| field.has(*partner)) {
            cx.error(entry, message);
        }
    }
}

/// Requirement and write-only are said by the type of the field, so no option can contradict it.
fn check_options_implied_by_types(cx: &Ctxt, field: &Field<'_>) {
    if let Some(required) = field.options.entry(Required) {
        let message = if field.has(Computed) || field.has(Optional) || field.has_default() {
            "an attribute is either required or left to the provider: remove `required`"
        } else if field.wrapper.is_option() {
            "`required` is said by the type: remove the word and write `T` instead of `Option<T>`"
        } else {
            "`required` is said by the type, which is no `Option`: remove the word"
        };
        cx.error(required, message);
    }
    if let Some(write_only) = field.options.entry(WriteOnly) {
        cx.error(write_only, "write-only is said by the type: remove the word and write `WriteOnly<T>`");
    }
}

/// There is one null, and it is either stored or not.
fn nested_wrappers(cx: &Ctxt, field: &Field<'_>) {
    if argument(field.inner, "Option").is_some() {
        cx.error(field.ty, "there is only one null: write `Option<T>`");
    } else if argument(field.inner, "WriteOnly").is_some() {
        let form = if field.wrapper.is_option() { "WriteOnly<Option<T>>" } else { "WriteOnly<T>" };
        cx.error(field.ty, format!("a write-only attribute is written `{form}`"));
    }
}

/// Alone, it would say what the type says already, or the opposite.
fn optional_needs_computed(cx: &Ctxt, field: &Field<'_>) {
    let Some(optional) = field.options.entry(Optional) else { return };
    let said_elsewhere = field.has(Block) || field.has_default() || field.has(Required);
    if field.has(Computed) || field.wrapper.is_write_only() || said_elsewhere {
        return;
    }
    let message = if field.wrapper.is_option() {
        "`optional` is said by the type `Option<T>`: remove the word, or add `computed`"
    } else {
        "an optional attribute is an `Option<T>`: change the type, or add `computed` if the provider fills it"
    };
    cx.error(optional, message);
}

/// Only what may be unknown in a plan can keep its prior value instead.
fn keep_needs_computed(cx: &Ctxt, field: &Field<'_>) {
    let Some(keep) = field.options.entry(Keep) else { return };
    let said_elsewhere = field.has(Block) || field.has(Identity) || field.has_default();
    if field.has(Computed) || field.wrapper.is_write_only() || said_elsewhere {
        return;
    }
    cx.error(keep, "only a computed attribute can keep its prior value: add `computed`, or remove `keep`");
}

/// Only what may be unknown in a plan can be recomputed, and only from fields that are there.
fn recomputation_needs_computed(cx: &Ctxt, model: &Model<'_>, field: &Field<'_>) {
    let Some(recompute) = field.options.entry(RecomputeOn) else { return };
    let said_elsewhere = field.has(Block) || field.has(Identity) || field.has_default();
    if !field.has(Computed) && !said_elsewhere {
        cx.error(
            recompute,
            "only a computed attribute is recomputed: add `computed`, or remove `recompute_on`",
        );
    }
    let known: Vec<String> = model.fields.iter().map(|field| field.ident.to_string()).collect();
    for name in recompute.value.as_ref().and_then(names).into_iter().flatten() {
        if name == field.ident {
            cx.error(name, "an attribute is not made from itself: remove this name");
        } else if !known.iter().any(|field| name == field) {
            let fields: Vec<&str> = known.iter().map(String::as_str).collect();
            let hint = nearest(&name.to_string(), &fields).map(|near| format!(": did you mean `{near}`?"));
            cx.error(name, format!("there is no field `{name}`{}", hint.unwrap_or_default()));
        }
    }
}

/// Only what may be unknown in a plan has something to say of its unknown value.
fn refinement_needs_computed(cx: &Ctxt, field: &Field<'_>) {
    let Some(refine) = field.options.entry(Refine) else { return };
    let said_elsewhere = field.has(Block) || field.has_default() || field.wrapper.is_write_only();
    if !field.has(Computed) && !said_elsewhere {
        cx.error(
            refine,
            "only a computed attribute is unknown in a plan: add `computed`, or remove `refine`",
        );
    }
}

/// No block at all must leave the attribute as it is, because an empty list is written `x = []`.
fn attribute_as_blocks(cx: &Ctxt, field: &Field<'_>) {
    let Some(blocks) = field.options.entry(AsBlocks) else { return };
    if field.has(Block) || field.has_default() || field.wrapper.is_write_only() {
        return;
    }
    if !is_list_or_set(field.ty) {
        cx.error(blocks, "only a list or set of models is written as blocks: use `Vec<M>` or `SetOf<M>`");
    } else if !field.has(Computed) || !field.has(Optional) {
        cx.error(
            blocks,
            "no block at all leaves the attribute as it is, so the provider must be able to fill it: write \
             `optional, computed, as_blocks`",
        );
    }
}

/// A flattened model is no attribute, so nothing can be said of it but that it is the identity.
fn flattened_model_has_its_own_options(cx: &Ctxt, field: &Field<'_>) {
    if let Some(other) = field.options.other_than(&[Flatten, Identity]) {
        let option = other.option.text();
        cx.error(
            other,
            format!(
                "a flattened model is no attribute: remove `{option}`, or put it on the fields of the model"
            ),
        );
    }
    if field.wrapper != Wrapper::None {
        cx.error(field.ty, "the attributes of a flattened model are always there: write `M`");
    }
}

/// The SDK makes the schema of timeouts, so there is nothing else to say.
fn timeouts_stand_alone(cx: &Ctxt, field: &Field<'_>) {
    let Some(timeouts) = field.options.entry(Timeouts) else { return };
    if argument(field.ty, "Option").is_none() {
        cx.error(field.ty, "the user may leave timeouts out, and an import does: write `Option<Timeouts>`");
    }
    const ALLOWED: &[OptionName] = &[Timeouts, Block, Name, Description];
    if let Some(other) = field.options.other_than(ALLOWED) {
        let option = other.option.text();
        cx.error(other, format!("the SDK makes the schema of timeouts: remove `{option}`"));
    } else if field.is_group() {
        cx.error(timeouts, "a block of timeouts may be left out: write `block` without `group`");
    }
}

fn one_field_has_timeouts(cx: &Ctxt, model: &Model<'_>) {
    let mut all = model.fields.iter().filter_map(|field| field.options.entry(Timeouts));
    let first = all.next();
    for second in all {
        cx.error(second, "a resource has its timeouts in one place: remove one of the fields");
    }
    if let Some(first) = first.filter(|_| model.options.has(Nested)) {
        cx.error(first, "operations are on a resource as a whole: put `timeouts` on a field of its model");
    }
}

fn write_only_is_never_stored(cx: &Ctxt, field: &Field<'_>) {
    if !field.wrapper.is_write_only() {
        return;
    }
    let rules = [
        (Computed, "a computed attribute is stored, a write-only one is not: remove `computed`"),
        (Optional, "an optional write-only attribute is a `WriteOnly<Option<T>>`: remove `optional`"),
        (Default, "a default would be stored, a write-only attribute is not: remove `default`"),
        (DefaultWith, "a default would be stored, a write-only attribute is not: remove `default_with`"),
        (Keep, "a write-only attribute has no prior value: remove `keep`"),
        (Identity, "an identity is stored, a write-only attribute is not: remove `identity`"),
        (
            Replace,
            "a write-only attribute has no prior value to differ from: put `replace` on a version attribute beside it",
        ),
        (
            ReplaceIf,
            "a write-only attribute has no prior value to differ from: put `replace_if` on a version attribute beside it",
        ),
        (Modify, "a write-only attribute is not planned: remove `modify`"),
        (RecomputeOn, "a write-only attribute is not computed: remove `recompute_on`"),
        (Refine, "a write-only attribute is not computed: remove `refine`"),
        (AsBlocks, "a write-only attribute is not computed: remove `as_blocks`"),
        (Block, "a block cannot be write-only: use `WriteOnly` in the attributes in it"),
    ];
    for (option, message) in rules {
        if let Some(entry) = field.options.entry(option) {
            cx.error(entry, message);
        }
    }
}

/// An identity tells an object from all others, in every state.
fn identity_is_never_null(cx: &Ctxt, field: &Field<'_>) {
    if let Some(identity) = field.options.entry(Identity).filter(|_| !field.wrapper.is_write_only())
        && field.wrapper.is_option()
    {
        cx.error(identity, "an identity is never null: write `T` instead of `Option<T>`");
    }
}

/// Cores name an object by its `id` in what they print, where it has one.
fn id_is_no_secret(cx: &Ctxt, model: &Model<'_>, field: &Field<'_>) {
    if let Some(sensitive) = field.options.entry(Sensitive)
        && field.name == "id"
        && !field.has(Identity)
        && !model.options.has(Nested)
    {
        cx.error(
            sensitive,
            "an id is shown in plain text: remove `sensitive`, or give the attribute another name",
        );
    }
}

/// With a default there is a value whether or not one is configured.
fn default_is_never_null(cx: &Ctxt, field: &Field<'_>) {
    if field.wrapper.is_write_only() || !field.wrapper.is_option() {
        return;
    }
    for option in [Default, DefaultWith] {
        if let Some(default) = field.options.entry(option) {
            cx.error(default, "an attribute with a default is never null: write `T` instead of `Option<T>`");
        }
    }
}

fn computed_only_is_never_configured(cx: &Ctxt, field: &Field<'_>) {
    if field.presence() != Presence::Computed || field.has(Block) || field.wrapper.is_write_only() {
        return;
    }
    if let Some(validate) = field.options.entry(Validate) {
        cx.error(validate, "a computed attribute is not configured: remove `validate`, or add `optional`");
    }
    if let Some(replace) = field.options.entry(Replace).filter(|entry| entry.value.is_some()) {
        cx.error(replace, "a computed attribute is not configured: write `replace` alone, or add `optional`");
    }
}

fn limits_are_for_lists_and_sets(cx: &Ctxt, field: &Field<'_>) {
    let limits = [MinItems, MaxItems].map(|option| field.options.entry(option));
    for limit in limits.into_iter().flatten() {
        let option = limit.option.text();
        if !field.has(Block) {
            cx.error(
                limit,
                format!("`{option}` limits the number of blocks: add `block`, or use `validate`"),
            );
        } else if !is_list_or_set(field.ty) {
            cx.error(
                limit,
                format!(
                    "only lists and sets of blocks are limited: use `Vec` or `SetOf`, or remove `{option}`"
                ),
            );
        }
    }
    if let (Some(min), Some(max)) = (field.options.number(MinItems), field.options.number(MaxItems))
        && min > max
    {
        cx.error(
            field.options.entry(MinItems),
            "`min_items` is above `max_items`: no number of blocks is valid",
        );
    }
}

/// The attributes of a group stand in one object, which is never null.
fn group_is_one_model(cx: &Ctxt, field: &Field<'_>) {
    if field.is_group() && (field.wrapper.is_option() || field.is_block_collection()) {
        cx.error(
            field.options.value(Block),
            "a group is exactly one model: write `M`, or `block` without `group`",
        );
    }
}

/// Core asks the provider for a computed block when the configuration has none, so none can be demanded; and a
/// group is always there.
fn computed_block_is_never_demanded(cx: &Ctxt, field: &Field<'_>) {
    let Some(computed) = field.options.entry(Computed).filter(|_| field.is_block()) else {
        return;
    };
    if field.is_group() {
        cx.error(computed, "a group cannot be computed: put `computed` on the attributes in it");
    } else if field.has(MinItems) {
        cx.error(field.options.entry(MinItems), "a computed block may be left out: remove `min_items`");
    } else if !field.wrapper.is_option() && !field.is_block_collection() {
        cx.error(computed, "a computed block may be left out: write `Option<M>` instead of `M`");
    }
}

pub(crate) fn name_is_valid(cx: &Ctxt, field: &Field<'_>) {
    is_name(cx, &field.name, &field.options, field.ident);
}

fn is_name(cx: &Ctxt, name: &str, options: &Options, ident: &Ident) {
    let mut letters = name.chars();
    let starts_well = letters.next().is_some_and(|first| first.is_ascii_lowercase() || first == '_');
    if starts_well
        && letters.all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
    {
        return;
    }
    let rule = "the name of an attribute holds lower-case letters, digits and underscores and must not start with a digit";
    match options.text(Name) {
        Some(name) => cx.error(name, rule),
        None => cx.error(ident, format!("{rule}: rename the field, or add `name = \"...\"`")),
    }
}

/// Attributes and blocks share their names.
pub(crate) fn names_are_distinct<'f>(cx: &Ctxt, fields: impl IntoIterator<Item = &'f Field<'f>>) {
    let mut seen = BTreeMap::new();
    for field in fields {
        if let Some(first) = seen.insert(&field.name, field.ident) {
            let message = format!("`{first}` has the name \"{}\" already: choose another one", field.name);
            blame_name(cx, &field.options, field.ident, &message);
        }
    }
}

/// In the blocks of resources and data sources these names are reserved by the language; deeper inside they are free.
const RESERVED: &[&str] =
    &["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"];

fn reserved_names(cx: &Ctxt, model: &Model<'_>) {
    if model.options.has(Nested) {
        return;
    }
    let fields = model.fields.iter().filter(|field| !field.has(Flatten));
    for field in fields.filter(|field| RESERVED.contains(&field.name.as_str())) {
        let message = format!(
            "the name \"{}\" is reserved by the language: choose another `name`, or add `#[model(nested)]` to the \
             struct if it only stands inside other models",
            field.name
        );
        blame_name(cx, &field.options, field.ident, &message);
    }
}

/// Versions and identities belong to the root of a resource.
fn nested_model_has_no_root(cx: &Ctxt, model: &Model<'_>) {
    if !model.options.has(Nested) {
        return;
    }
    if let Some(version) = model.options.entry(Version) {
        cx.error(version, "only the root of a state has a version: remove `version` or `nested`");
    }
    if let Some(plain) = model.options.entry(Plain) {
        cx.error(
            plain,
            "the root of a schema says how its descriptions are written: remove `plain` or `nested`",
        );
    }
    for identity in model.fields.iter().filter_map(|field| field.options.entry(Identity)) {
        cx.error(
            identity,
            "only attributes at the root are an identity: remove `identity`, or `nested` on the struct",
        );
    }
}

pub(crate) fn blame_name(cx: &Ctxt, options: &Options, ident: &Ident, message: &str) {
    match options.text(Name) {
        Some(name) => cx.error(name, message),
        None => cx.error(ident, message),
    }
}
