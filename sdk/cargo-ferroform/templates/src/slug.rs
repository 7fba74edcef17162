//! `provider::@NAME@::slug`: a function.

/// Make a name of a text.
///
/// Letters and digits stay, in lower case; everything between them becomes one hyphen.
#[ferroform::function]
pub fn slug(
    /// The text, such as a title.
    text: String,
) -> String {
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
