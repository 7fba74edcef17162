//! The words of the annotations: where each belongs and what follows it.

/// What an annotation stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A struct that derives `Model`.
    Model,
    /// A field of it.
    Field,
    /// An enum that derives `AttributeValue`.
    Enum,
    /// A variant of it.
    Variant,
    /// The identity of a struct that derives `Model` or `Identity`.
    Identity,
    /// A field of a struct that derives `Identity`.
    IdentityField,
    /// A function, or a struct that derives `Parameters`.
    Function,
    /// A parameter of it.
    Parameter,
    /// A struct or an enum that derives `Convert`.
    Convert,
    /// A field of it.
    ConvertField,
    /// A variant of it.
    ConvertVariant,
}

/// Whether a word has a value, with an example of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Value(&'static str),
    /// One fixed value, or none.
    Maybe(&'static str),
}

macro_rules! words {
    ($($word:ident $text:literal $takes:expr, [$($scope:ident)*];)*) => {
        /// A word of the annotations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Word {
            $($word,)*
        }

        impl Word {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$word),*];

            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }

            pub(crate) const fn takes(self) -> Takes {
                match self {
                    $(Self::$word => $takes,)*
                }
            }

            pub(crate) const fn scopes(self) -> &'static [Scope] {
                match self {
                    $(Self::$word => &[$(Scope::$scope),*],)*
                }
            }
        }
    };
}

words! {
    AsBlocks "as_blocks" Takes::Nothing, [Field];
    Block "block" Takes::Maybe("block = group"), [Field];
    Computed "computed" Takes::Nothing, [Field];
    Crate "crate" Takes::Value("crate = path::to::ferroform"), [Model Enum Identity Function Convert];
    Default "default" Takes::Value("default = 8080"), [Field];
    DefaultWith "default_with" Takes::Value("default_with = path::to::function"), [Field];
    Deprecated "deprecated" Takes::Value("deprecated = \"use `label`\""), [Model Field Function];
    Description "description" Takes::Value("description = \"...\""), [Model Field IdentityField];
    Equivalent "equivalent" Takes::Value("equivalent = path::to::function"), [Field];
    Flatten "flatten" Takes::Nothing, [Field];
    // The name of a field or variant on the other side.
    Field "field" Takes::Value("field = kind"), [ConvertField ConvertVariant];
    Format "format" Takes::Value("format = \"{region}/{name}\""), [Identity];
    From "from" Takes::Value("from = api::Bucket"), [Convert];
    FromWith "from_with" Takes::Value("from_with = path::to::function"), [ConvertField];
    Identity "identity" Takes::Nothing, [Field];
    IdentityType "identity_type" Takes::Value("identity_type = BucketIdentity"), [Model];
    Into "into" Takes::Value("into = api::NewBucket"), [Convert];
    IntoWith "into_with" Takes::Value("into_with = path::to::function"), [ConvertField];
    Keep "keep" Takes::Maybe("keep = non_null"), [Field];
    Key "key" Takes::Nothing, [Field];
    MaxItems "max_items" Takes::Value("max_items = 3"), [Field];
    MinItems "min_items" Takes::Value("min_items = 1"), [Field];
    Modify "modify" Takes::Value("modify = path::to::function"), [Field];
    Mutable "mutable" Takes::Nothing, [Identity];
    Name "name" Takes::Value("name = \"...\""), [Field Variant IdentityField Function Parameter];
    Nested "nested" Takes::Nothing, [Model];
    Normalize "normalize" Takes::Value("normalize = path::to::function"), [Field];
    Optional "optional" Takes::Nothing, [Field];
    // As `required`.
    OptionalForImport "optional_for_import" Takes::Nothing, [IdentityField];
    Patch "patch" Takes::Value("patch = api::BucketPatch"), [Convert];
    Plain "plain" Takes::Nothing, [Model];
    RecomputeOn "recompute_on" Takes::Value("recompute_on = [size, zone]"), [Field];
    Refine "refine" Takes::Value("refine = Refinements::new().prefix(\"arn:\")"), [Field];
    Replace "replace" Takes::Maybe("replace = if_configured"), [Field];
    ReplaceIf "replace_if" Takes::Value("replace_if = path::to::function"), [Field];
    // No annotation, but what one would try: the check says how it is spelled.
    Required "required" Takes::Nothing, [Field];
    RequiredForImport "required_for_import" Takes::Nothing, [IdentityField];
    Sensitive "sensitive" Takes::Nothing, [Field IdentityField];
    Skip "skip" Takes::Maybe("skip = from"), [ConvertField];
    Timeouts "timeouts" Takes::Value("timeouts = [create, delete]"), [Field];
    Unverified "unverified" Takes::Nothing, [Field];
    Validate "validate" Takes::Value("validate = path::to::function"), [Model Field Parameter];
    Variadic "variadic" Takes::Nothing, [Parameter];
    Version "version" Takes::Value("version = 1"), [Model Identity];
    With "with" Takes::Value("with = AsText"), [Field IdentityField];
    // As `required`.
    WriteOnly "write_only" Takes::Nothing, [Field];
}

impl Word {
    pub(crate) fn parse(text: &str, scope: Scope) -> Result<Self, String> {
        let known = Self::ALL.iter().copied().find(|word| word.text() == text);
        match known {
            Some(word) if word.scopes().contains(&scope) => Ok(word),
            Some(word) => Err(word.misplaced(scope)),
            None => Err(unknown(text, scope)),
        }
    }

    /// Whether it is only there to be told how it is spelled.
    const fn is_said_by_the_type(self) -> bool {
        matches!(self, Self::Required | Self::WriteOnly | Self::RequiredForImport | Self::OptionalForImport)
    }

    /// Where a word belongs that stands in the wrong place.
    fn misplaced(self, found: Scope) -> String {
        let word = self.text();
        let belongs = self.scopes().iter().map(|scope| scope.place()).collect::<Vec<_>>().join(" or ");
        format!("`{word}` does not belong on {}: put it on {belongs}", found.thing())
    }
}

impl Scope {
    /// The name of the annotation.
    pub(crate) const fn annotation(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Identity => "identity",
            Self::Field | Self::Enum | Self::Variant | Self::IdentityField => "attr",
            Self::Function => "function",
            Self::Parameter => "param",
            Self::Convert | Self::ConvertField | Self::ConvertVariant => "convert",
        }
    }

    const fn thing(self) -> &'static str {
        match self {
            Self::Model => "the struct",
            Self::Field => "a field",
            Self::Enum => "the enum",
            Self::Variant => "a variant",
            Self::Identity => "an identity",
            Self::IdentityField => "an attribute of an identity",
            Self::Function => "the function",
            Self::Parameter => "a parameter",
            Self::Convert => "the type",
            Self::ConvertField => "a field",
            Self::ConvertVariant => "a variant",
        }
    }

    const fn place(self) -> &'static str {
        match self {
            Self::Model => "the struct, in `#[model(...)]`",
            Self::Field => "a field, in `#[attr(...)]`",
            Self::Enum => "the enum, in `#[attr(...)]`",
            Self::Variant => "a variant, in `#[attr(...)]`",
            Self::Identity => "the struct, in `#[identity(...)]`",
            Self::IdentityField => "a field of an identity, in `#[attr(...)]`",
            Self::Function => "the function, in `#[function(...)]`",
            Self::Parameter => "a parameter, in `#[param(...)]`",
            Self::Convert => "the type, in `#[convert(...)]`",
            Self::ConvertField => "a field, in `#[convert(...)]`",
            Self::ConvertVariant => "a variant, in `#[convert(...)]`",
        }
    }
}

fn unknown(text: &str, scope: Scope) -> String {
    let words: Vec<&str> = Word::ALL
        .iter()
        .filter(|word| word.scopes().contains(&scope) && !word.is_said_by_the_type())
        .map(|word| word.text())
        .collect();
    match nearest(text, &words) {
        Some(near) => format!("unknown word `{text}`: did you mean `{near}`?"),
        None => format!("unknown word `{text}`: the words here are {}", words.join(", ")),
    }
}

/// The word that differs by few enough letters to be meant.
pub(crate) fn nearest<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let (distance, word) = words.iter().map(|word| (distance(text, word), *word)).min()?;
    (distance <= 1 + text.len() / 4).then_some(word)
}

/// The number of letters to change, insert or remove.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (at, left) in a.chars().enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        for (right, cell) in b.chars().zip(row.iter_mut().skip(1)) {
            let change = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = change.min(before + 1).min(*cell + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_one_letter_off_is_suggested() {
        let words = ["computed", "keep", "default", "default_with"];
        assert_eq!(nearest("compute", &words), Some("computed"));
        assert_eq!(nearest("kep", &words), Some("keep"));
        assert_eq!(nearest("defaults", &words), Some("default"));
        assert_eq!(nearest("zebra", &words), None);
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn a_misplaced_word_is_sent_where_it_belongs() {
        let message = Word::parse("nested", Scope::Field).unwrap_err();
        assert_eq!(message, "`nested` does not belong on a field: put it on the struct, in `#[model(...)]`");
    }
}
