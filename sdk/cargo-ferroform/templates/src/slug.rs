//! `provider::@NAME@::slug`: a function.

/// Turn a text into a slug.
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
