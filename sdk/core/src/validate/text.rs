//! Validators of texts.

use std::ops::RangeBounds;

use super::message::{all, choice, count, forbidden, limits, must_be, within};
use super::{Check, kind};
use crate::schema::Text;
#[cfg(feature = "regex")]
use crate::schema::Validator;
use crate::value::Value;

/// The text has so many bytes in UTF-8: `length(1..=64)`, `length(..=64)`, `length(1..)`.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::length;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(validate = length(3..=63))]
///     name: String,
/// }
/// # let _ = Bucket::block();
/// ```
pub fn length(range: impl RangeBounds<usize>) -> Check<kind::Text> {
    let limits = limits(&range);
    let allowed = count(limits, "bytes of text");
    satisfies(allowed, move |text| within(limits, text.len()))
}

/// The text has so many characters, which are Unicode scalar values: `characters(1..=64)`.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::characters;
///
/// #[derive(Model)]
/// struct Project {
///     #[attr(validate = characters(1..=8))]
///     title: String,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |title: &str| {
/// #     let (config, mut found) = (Value::object([("title", title.into())]), Diagnostics::default());
/// #     validate(&Project::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// // Eight characters, of which three take two bytes each.
/// assert!(accepts("Groß-Öü!") && !accepts("Warehouse"));
/// ```
pub fn characters(range: impl RangeBounds<usize>) -> Check<kind::Text> {
    let limits = limits(&range);
    let allowed = count(limits, "characters");
    satisfies(allowed, move |text| within(limits, text.chars().count()))
}

/// The text is one of these. For a closed set of words that the code looks at, derive `AttributeValue` for an enum.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::one_of;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(validate = one_of(["hot", "cold"]))]
///     tier: String,
/// }
/// # let _ = Bucket::block();
/// ```
pub fn one_of(allowed: impl IntoIterator<Item = impl Into<String>>) -> Check<kind::Text> {
    let allowed: Vec<String> = all(allowed);
    satisfies(choice_of(&allowed), move |text| allowed.iter().any(|it| it == text))
}

/// The text is one of these, in upper or lower case.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::one_of_ignoring_case;
///
/// #[derive(Model)]
/// struct Record {
///     #[attr(validate = one_of_ignoring_case(["A", "AAAA", "CNAME"]))]
///     kind: String,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |kind: &str| {
/// #     let (config, mut found) = (Value::object([("kind", kind.into())]), Diagnostics::default());
/// #     validate(&Record::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts("AAAA") && accepts("cname") && !accepts("mx"));
/// ```
pub fn one_of_ignoring_case(allowed: impl IntoIterator<Item = impl Into<String>>) -> Check<kind::Text> {
    let allowed: Vec<String> = all(allowed);
    let shown = format!("{}, in upper or lower case", choice_of(&allowed));
    satisfies(shown, move |text| allowed.iter().any(|it| is_same_ignoring_case(it, text)))
}

/// The text is none of these. The message does not list them, since that would tell the value.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::none_of;
///
/// #[derive(Model)]
/// struct User {
///     /// The service has users of its own.
///     #[attr(validate = none_of(["root", "admin"]))]
///     name: String,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |name: &str| {
/// #     let (config, mut found) = (Value::object([("name", name.into())]), Diagnostics::default());
/// #     validate(&User::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts("deploy") && accepts("Root") && !accepts("root"));
/// ```
pub fn none_of(reserved: impl IntoIterator<Item = impl Into<String>>) -> Check<kind::Text> {
    let reserved: Vec<String> = all(reserved);
    refuses(format!("not {}", choice_of(&reserved)), move |text| reserved.iter().any(|it| it == text))
}

/// The text is none of these, in upper or lower case.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::none_of_ignoring_case;
///
/// #[derive(Model)]
/// struct User {
///     #[attr(validate = none_of_ignoring_case(["root", "admin"]))]
///     name: String,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |name: &str| {
/// #     let (config, mut found) = (Value::object([("name", name.into())]), Diagnostics::default());
/// #     validate(&User::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts("deploy") && !accepts("Root"));
/// ```
pub fn none_of_ignoring_case(reserved: impl IntoIterator<Item = impl Into<String>>) -> Check<kind::Text> {
    let reserved: Vec<String> = all(reserved);
    let shown = format!("not {}, in upper or lower case", choice_of(&reserved));
    refuses(shown, move |text| reserved.iter().any(|it| is_same_ignoring_case(it, text)))
}

/// The text matches a regular expression of the crate [`regex`], somewhere: `^` and `$` bind it to the ends. What is
/// allowed follows "must be" in the message, which shows neither the text nor the expression. For text that must not
/// match there is [`not`](super::combine::not).
///
/// An expression that cannot be read is a mistake in the schema, which its check reports.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::text::matches;
///
/// #[derive(Model)]
/// struct Zone {
///     #[attr(validate = matches("^[a-z]+-[0-9]$", "a zone such as `eu-1`"))]
///     name: String,
/// }
/// assert!(Zone::schema().check().is_ok());
/// ```
#[cfg(feature = "regex")]
pub fn matches(expression: &str, allowed: impl Into<Text>) -> Check<kind::Text> {
    match regex::Regex::new(expression) {
        Ok(regex) => satisfies(allowed, move |text| regex.is_match(text)),
        Err(error) => {
            let mut validator = Validator::around(allowed, Vec::new(), |_, _| {});
            validator.mistakes.push(format!("a regular expression cannot be read: {error}").into());
            Check::new(validator)
        }
    }
}

/// The text satisfies a condition. What is allowed follows "must be" in the message:
///
/// ```
/// use ferroform::validate::text::satisfies;
///
/// let zone = satisfies("a zone such as `eu-1`", |text| text.starts_with("eu-"));
/// ```
pub fn satisfies(
    allowed: impl Into<Text>,
    condition: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Check<kind::Text> {
    let allowed = allowed.into();
    Check::of_value(allowed.clone(), move |it, found| {
        if it.value.as_str().is_some_and(|text| !condition(text)) {
            found.push(must_be(it.path, &allowed));
        }
    })
}

fn refuses(
    description: String,
    condition: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Check<kind::Text> {
    Check::of_value(description, move |it, found| {
        if it.value.as_str().is_some_and(&condition) {
            found.push(forbidden(it.path));
        }
    })
}

fn choice_of(texts: &[String]) -> String {
    choice(&texts.iter().map(|text| Value::string(text.as_str())).collect::<Vec<_>>())
}

fn is_same_ignoring_case(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}
