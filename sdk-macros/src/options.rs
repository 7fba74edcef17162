//! The options of the annotations: where each belongs and what follows it.

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

/// Whether an option has a value, with an example of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionValue {
    None,
    Required(&'static str),
    /// One fixed value, or none.
    Optional(&'static str),
}

macro_rules! options {
    ($($option:ident $text:literal $takes:expr, [$($scope:ident)*];)*) => {
        /// An option of the annotations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum OptionName {
            $($option,)*
        }

        impl OptionName {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$option),*];

            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $(Self::$option => $text,)*
                }
            }

            pub(crate) const fn takes(self) -> OptionValue {
                match self {
                    $(Self::$option => $takes,)*
                }
            }

            pub(crate) const fn scopes(self) -> &'static [Scope] {
                match self {
                    $(Self::$option => &[$(Scope::$scope),*],)*
                }
            }
        }
    };
}

options! {
    AsBlocks "as_blocks" OptionValue::None, [Field];
    Block "block" OptionValue::Optional("block = group"), [Field];
    Computed "computed" OptionValue::None, [Field];
    Crate "crate" OptionValue::Required("crate = path::to::ferroform"), [Model Enum Identity Function Convert];
    Default "default" OptionValue::Required("default = 8080"), [Field];
    DefaultWith "default_with" OptionValue::Required("default_with = path::to::function"), [Field];
    Deprecated "deprecated" OptionValue::Required("deprecated = \"use `label`\""), [Model Field Function];
    Description "description" OptionValue::Required("description = \"...\""), [Model Field IdentityField];
    Equivalent "equivalent" OptionValue::Required("equivalent = path::to::function"), [Field];
    Flatten "flatten" OptionValue::None, [Field];
    // The name of a field or variant on the other side.
    Field "field" OptionValue::Required("field = kind"), [ConvertField ConvertVariant];
    Format "format" OptionValue::Required("format = \"{region}/{name}\""), [Identity];
    From "from" OptionValue::Required("from = api::Bucket"), [Convert];
    FromWith "from_with" OptionValue::Required("from_with = path::to::function"), [ConvertField];
    Identity "identity" OptionValue::None, [Field];
    IdentityType "identity_type" OptionValue::Required("identity_type = BucketIdentity"), [Model];
    Into "into" OptionValue::Required("into = api::NewBucket"), [Convert];
    IntoWith "into_with" OptionValue::Required("into_with = path::to::function"), [ConvertField];
    Keep "keep" OptionValue::Optional("keep = non_null"), [Field];
    Key "key" OptionValue::None, [Field];
    MaxItems "max_items" OptionValue::Required("max_items = 3"), [Field];
    MinItems "min_items" OptionValue::Required("min_items = 1"), [Field];
    Modify "modify" OptionValue::Required("modify = path::to::function"), [Field];
    Mutable "mutable" OptionValue::None, [Identity];
    Name "name" OptionValue::Required("name = \"...\""), [Field Variant IdentityField Function Parameter];
    Nested "nested" OptionValue::None, [Model];
    Normalize "normalize" OptionValue::Required("normalize = path::to::function"), [Field];
    Optional "optional" OptionValue::None, [Field];
    // As `required`.
    OptionalForImport "optional_for_import" OptionValue::None, [IdentityField];
    Patch "patch" OptionValue::Required("patch = api::BucketPatch"), [Convert];
    Plain "plain" OptionValue::None, [Model Function];
    RecomputeOn "recompute_on" OptionValue::Required("recompute_on = [size, zone]"), [Field];
    Refine "refine" OptionValue::Required("refine = Refinements::new().prefix(\"arn:\")"), [Field];
    Replace "replace" OptionValue::Optional("replace = if_configured"), [Field];
    ReplaceIf "replace_if" OptionValue::Required("replace_if = path::to::function"), [Field];
    // No annotation, but what one would try: the check says how it is spelled.
    Required "required" OptionValue::None, [Field];
    RequiredForImport "required_for_import" OptionValue::None, [IdentityField];
    Sensitive "sensitive" OptionValue::None, [Field IdentityField];
    ShowValue "show_value" OptionValue::None, [Field];
    Skip "skip" OptionValue::Optional("skip = from"), [ConvertField];
    Timeouts "timeouts" OptionValue::Required("timeouts = [create, delete]"), [Field];
    Unverified "unverified" OptionValue::None, [Field];
    Validate "validate" OptionValue::Required("validate = path::to::function"), [Model Field Parameter];
    Variadic "variadic" OptionValue::None, [Parameter];
    Version "version" OptionValue::Required("version = 1"), [Model Identity];
    With "with" OptionValue::Required("with = AsText"), [Field IdentityField];
    // As `required`.
    WriteOnly "write_only" OptionValue::None, [Field];
}

impl OptionName {
    pub(crate) fn parse(text: &str, scope: Scope) -> Result<Self, String> {
        let known = Self::ALL.iter().copied().find(|option| option.text() == text);
        match known {
            Some(option) if option.scopes().contains(&scope) => Ok(option),
            Some(option) => Err(option.misplaced(scope)),
            None => Err(unknown(text, scope)),
        }
    }

    /// Whether it is only there to be told how it is spelled.
    const fn is_implied_by_the_type(self) -> bool {
        matches!(self, Self::Required | Self::WriteOnly | Self::RequiredForImport | Self::OptionalForImport)
    }

    /// Where an option belongs that stands in the wrong place.
    fn misplaced(self, found: Scope) -> String {
        let option = self.text();
        let belongs = self.scopes().iter().map(|scope| scope.place()).collect::<Vec<_>>().join(" or ");
        format!("`{option}` does not belong on {}: put it on {belongs}", found.thing())
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

    fn place(self) -> String {
        let thing = match self {
            Self::Identity => "the struct",
            Self::IdentityField => "a field of an identity",
            other => other.thing(),
        };
        format!("{thing}, in `#[{}(...)]`", self.annotation())
    }
}

fn unknown(text: &str, scope: Scope) -> String {
    let options: Vec<&str> = OptionName::ALL
        .iter()
        .filter(|option| option.scopes().contains(&scope) && !option.is_implied_by_the_type())
        .map(|option| option.text())
        .collect();
    match nearest(text, &options) {
        Some(near) => format!("unknown word `{text}`: did you mean `{near}`?"),
        None => format!("unknown word `{text}`: the words here are {}", options.join(", ")),
    }
}

/// The option that differs by few enough letters to be meant.
pub(crate) fn nearest<'a>(text: &str, options: &[&'a str]) -> Option<&'a str> {
    let (distance, option) = options.iter().map(|option| (distance(text, option), *option)).min()?;
    (distance <= 1 + text.len() / 4).then_some(option)
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
        let options = ["computed", "keep", "default", "default_with"];
        assert_eq!(nearest("compute", &options), Some("computed"));
        assert_eq!(nearest("kep", &options), Some("keep"));
        assert_eq!(nearest("defaults", &options), Some("default"));
        assert_eq!(nearest("zebra", &options), None);
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn a_misplaced_word_is_sent_where_it_belongs() {
        let message = OptionName::parse("nested", Scope::Field).unwrap_err();
        assert_eq!(message, "`nested` does not belong on a field: put it on the struct, in `#[model(...)]`");
    }
}
