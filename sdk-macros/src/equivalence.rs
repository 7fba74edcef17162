//! The options that say which values mean the same: their rules, and what they stand for in the table of attributes.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::ast::{Field, Presence};
use crate::ctxt::Ctxt;
use crate::expand::place;
use crate::options::OptionName;

const VARIANTS: [OptionName; 4] =
    [OptionName::Equivalent, OptionName::Normalize, OptionName::Unverified, OptionName::Key];

pub(crate) fn check(cx: &Ctxt, field: &Field<'_>) {
    for entry in VARIANTS.iter().filter_map(|option| field.options.entry(*option)) {
        let option = entry.option.text();
        if field.has(OptionName::Block) {
            cx.error(
                entry,
                format!("a block is compared attribute by attribute: put `{option}` on the attributes in it"),
            );
        } else if field.wrapper.is_write_only() {
            cx.error(entry, format!("a write-only attribute is compared with nothing: remove `{option}`"));
        }
    }
    if let Some(equivalent) =
        field.options.entry(OptionName::Equivalent).filter(|_| field.has(OptionName::Normalize))
    {
        cx.error(equivalent, "an attribute has one equivalence: remove `equivalent` or `normalize`");
    }
    if let Some(key) = field.options.entry(OptionName::Key)
        && field.presence() == Presence::Computed
        && !field.has(OptionName::Block)
    {
        cx.error(
            key,
            "a key is known before the provider computes anything: remove `key`, or add `optional`",
        );
    }
}

/// What the options set in the definition of an attribute.
pub(crate) fn expand(field: &Field<'_>) -> Vec<TokenStream> {
    let ty = field.attribute();
    let both = [(OptionName::Equivalent, quote!(equivalent)), (OptionName::Normalize, quote!(normalize))];
    both.into_iter()
        .filter_map(|(option, support)| {
            let value = field.options.value(option)?;
            Some(quote_spanned!(place(value)=> __it.equivalence = __support::#support::<#ty, _>(#value);))
        })
        .collect()
}
