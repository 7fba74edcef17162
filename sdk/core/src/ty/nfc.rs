//! Text in normalisation form C (Unicode Standard Annex 15).
//!
//! The iterators of `unicode-normalization` choose between the canonical and the compatible forms while they run, so
//! that a binary would carry the tables of both: 60 KB for nothing. Its functions for single characters do not.

use std::borrow::Cow;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// Text in normalisation form C, as core keeps every string, map key and attribute name.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(composed(&decomposed(text)))
}

/// The characters in their parts, with their combining classes and in canonical order.
fn decomposed(text: &str) -> Vec<(u8, char)> {
    let mut parts = Vec::with_capacity(text.len());
    for character in text.chars() {
        decompose_canonical(character, |part| parts.push((canonical_combining_class(part), part)));
    }
    // A starter, of class zero, and what combines with it.
    for sequence in parts.chunk_by_mut(|_, (class, _)| *class != 0) {
        sequence.sort_by_key(|(class, _)| *class);
    }
    parts
}

/// The parts, each put into the starter before it where there is a character for both.
fn composed(parts: &[(u8, char)]) -> String {
    let mut text: Vec<char> = Vec::with_capacity(parts.len());
    let (mut starter, mut last_class): (Option<usize>, u8) = (None, 0);
    for &(class, part) in parts {
        if let Some(at) = starter {
            let blocked = text.len() != at + 1 && last_class >= class;
            if let Some(before) = text.get_mut(at)
                && let Some(whole) = compose(*before, part).filter(|_| !blocked)
            {
                *before = whole;
                continue;
            }
        }
        if class == 0 {
            starter = Some(text.len());
        }
        last_class = class;
        text.push(part);
    }
    text.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    #[test]
    fn parts_are_put_together() {
        for (text, expect) in [
            ("e\u{301}", "\u{e9}"),
            // The mark below comes first in canonical order, and does not block the one above.
            ("a\u{302}\u{323}", "\u{1ead}"),
            // The first of two marks of one class blocks the second.
            ("a\u{302}\u{301}\u{301}", "\u{1ea5}\u{301}"),
            ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"),
            // One that is excluded from composition, and one that is another character.
            ("\u{958}", "\u{915}\u{93c}"),
            ("\u{212b}", "\u{c5}"),
            ("\u{301}a", "\u{301}a"),
        ] {
            assert_eq!(nfc(text), expect, "{text:?}");
        }
    }

    /// Characters of all sorts, those that combine more often than in a text.
    fn character() -> impl Strategy<Value = char> {
        prop_oneof![
            any::<char>(),
            prop::char::range('\u{300}', '\u{34f}'),
            prop::char::range('\u{c0}', '\u{17f}'),
            prop::char::range('\u{591}', '\u{5bd}'),
            prop::char::range('\u{1100}', '\u{11ff}'),
            prop::char::range('\u{ac00}', '\u{ad00}'),
            prop::char::range('\u{1e00}', '\u{1fff}'),
            prop::char::range('a', 'z'),
        ]
    }

    proptest! {
        #[test]
        fn it_is_the_form_of_the_standard(text in prop::collection::vec(character(), 0..12)) {
            let text: String = text.into_iter().collect();
            prop_assert_eq!(nfc(&text), text.nfc().collect::<String>());
        }
    }
}
