//! The words that say which values mean the same: their rules, and what they stand for in the table of attributes.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::ast::{Field, Presence};
use crate::ctxt::Ctxt;
use crate::expand::place;
use crate::word::Word;

const WORDS: [Word; 4] = [Word::Equivalent, Word::Normalize, Word::Unverified, Word::Key];

pub(crate) fn check(cx: &Ctxt, field: &Field<'_>) {
    for entry in WORDS.iter().filter_map(|word| field.words.entry(*word)) {
        let word = entry.word.text();
        if field.has(Word::Block) {
            cx.error(
                entry,
                format!("a block is compared attribute by attribute: put `{word}` on the attributes in it"),
            );
        } else if field.wrapper.is_write_only() {
            cx.error(entry, format!("a write-only attribute is compared with nothing: remove `{word}`"));
        }
    }
    if let Some(equivalent) = field.words.entry(Word::Equivalent).filter(|_| field.has(Word::Normalize)) {
        cx.error(equivalent, "an attribute has one equivalence: remove `equivalent` or `normalize`");
    }
    if let Some(key) = field.words.entry(Word::Key)
        && field.presence() == Presence::Computed
        && !field.has(Word::Block)
    {
        cx.error(
            key,
            "a key is known before the provider computes anything: remove `key`, or add `optional`",
        );
    }
}

/// What the words set in the definition of an attribute.
pub(crate) fn expand(field: &Field<'_>) -> Vec<TokenStream> {
    let ty = field.attribute();
    let mut set = Vec::new();
    for (word, support) in [(Word::Equivalent, quote!(equivalent)), (Word::Normalize, quote!(normalize))] {
        if let Some(value) = field.words.value(word) {
            set.push(quote_spanned! {place(value)=>
                more_equivalence: || __support::#support::<#ty, _>(#value)
            });
        }
    }
    if field.has(Word::Unverified) {
        set.push(quote!(unverified: true));
    }
    if field.has(Word::Key) {
        set.push(quote!(key: true));
    }
    set
}
