//! Validators of lists, sets and maps, of attributes and of blocks.

use std::collections::HashSet;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::check::Elements;
use super::message::{INVALID_MAP_KEY, count, limits, within};
use super::{Check, OfKind, kind};
use crate::diag::{Diagnostic, Diagnostics};
use crate::model::macro_support::IntoValidator;
use crate::path::{Path, Step};
use crate::schema::{Text, ValidationTarget, Validator, walk};
use crate::value::Value;

/// The collection has so many elements: `size(1..=8)`. For the number of blocks `min_items` and `max_items` also tell
/// core, which counts them before it calls the provider.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::collection::size;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(validate = size(1..=8))]
///     regions: Vec<String>,
/// }
/// # let _ = Bucket::block();
/// ```
pub fn size(range: impl RangeBounds<usize>) -> Check<kind::Collection> {
    let limits = limits(&range);
    let allowed = count(limits, "elements");
    Check::of_value(allowed.clone(), move |it, found| {
        let value = it.value.peel();
        let number = value.elements().map(<[_]>::len).or_else(|| value.as_entries().map(|all| all.len()));
        if number.is_some_and(|number| !within(limits, number)) {
            let detail = format!("`{}` must have {allowed}.", it.path);
            found.push(Diagnostic::error("Invalid Attribute Value", detail).at(it.path.clone()));
        }
    })
}

/// No element of the list equals another one. Unknown elements are left out.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::collection::unique;
///
/// #[derive(Model)]
/// struct Resolver {
///     /// In the order in which they are asked.
///     #[attr(validate = unique())]
///     servers: Vec<String>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |servers: [&str; 2]| {
/// #     let (config, mut found) = (Value::object([("servers", Value::list(servers.map(Value::from)))]), Diagnostics::default());
/// #     validate(&Resolver::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(["10.0.0.1", "10.0.0.2"]));
/// assert!(!accepts(["10.0.0.1", "10.0.0.1"]));
/// ```
#[must_use]
pub fn unique() -> Check<kind::List> {
    repetitions("without equal elements", "equals one before it", |element| Some(element))
}

/// No element of the list has the same value in this attribute as another one.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::collection::unique_by;
///
/// #[derive(Model)]
/// struct Rule {
///     port: u16,
///     action: String,
/// }
///
/// #[derive(Model)]
/// struct Firewall {
///     #[attr(validate = unique_by("port"))]
///     rules: Vec<Rule>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |rules: [(i64, &str); 2]| {
/// #     let (config, mut found) = (Value::object([("rules", Value::list(rules.map(|(port, action)| Value::object([("port", port.into()), ("action", action.into())]))))]), Diagnostics::default());
/// #     validate(&Firewall::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts([(22, "deny"), (443, "allow")]));
/// assert!(!accepts([(443, "deny"), (443, "allow")]));
/// ```
pub fn unique_by(name: impl Into<Text>) -> Check<kind::Collection> {
    let name = name.into();
    let description = format!("with a `{name}` of its own in each element");
    let why = format!("has the same `{name}` as another one");
    repetitions(&description, &why, move |element| element.as_entries()?.get(&name))
}

fn repetitions<K>(
    description: &str,
    why: &str,
    key: impl Fn(&Value) -> Option<&Value> + Send + Sync + 'static,
) -> Check<K> {
    let why = why.to_owned();
    Check::of_value(description.to_owned(), move |it, found| {
        let mut seen = HashSet::new();
        elements(it, &mut |path, element| {
            if let Some(key) = key(element).filter(|key| !key.is_null() && key.is_wholly_known())
                && !seen.insert(key)
            {
                let detail = format!("The element `{path}` {why}.");
                found.push(Diagnostic::error("Repeated Element", detail).at(path.clone()));
            }
        });
    })
}

/// No element is null. A collection of plain types allows none anyway: this is for `Vec<Option<T>>` and its like.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::collection::no_nulls;
///
/// #[derive(Model)]
/// struct Record {
///     #[attr(validate = no_nulls())]
///     values: Vec<Option<String>>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |values: [Option<&str>; 2]| {
/// #     let (config, mut found) = (Value::object([("values", Value::list(values.map(|it| it.map_or(Value::Null, Value::from))))]), Diagnostics::default());
/// #     validate(&Record::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts([Some("10.0.0.1"), Some("10.0.0.2")]));
/// assert!(!accepts([Some("10.0.0.1"), None]));
/// ```
#[must_use]
pub fn no_nulls() -> Check<kind::Collection> {
    Check::of_value("without nulls", |it, found| {
        elements(it, &mut |path, element| {
            if element.is_null() {
                let detail =
                    format!("The element `{path}` must not be null. Set a value or remove the element.");
                found.push(Diagnostic::error("Missing Value", detail).at(path.clone()));
            }
        });
    })
}

/// Visits the elements of a collection that is known.
fn elements<'a>(subject: &ValidationTarget<'a>, visit: &mut dyn FnMut(&Path, &'a Value)) {
    let mut path = subject.path.clone();
    walk::objects(subject.value, &mut |step, element| path.within(step, |path| visit(path, element)));
}

/// Validates each element: `each(length(1..))`.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::collection::each;
/// use ferroform::validate::text::length;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(validate = each(length(1..=16)))]
///     regions: Vec<String>,
/// }
/// # let _ = Bucket::block();
/// ```
pub fn each<V>(validator: V) -> Each<V> {
    Each(validator)
}

/// Validates each key of a map: `keys(length(1..))`.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use ferroform::model::Model;
/// use ferroform::validate::collection::keys;
/// use ferroform::validate::text::length;
///
/// #[derive(Model)]
/// struct Server {
///     #[attr(validate = keys(length(1..=16)))]
///     labels: BTreeMap<String, String>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |labels: [(&str, &str); 1]| {
/// #     let (config, mut found) = (Value::object([("labels", Value::map(labels.map(|(key, value)| (key, value.into()))))]), Diagnostics::default());
/// #     validate(&Server::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts([("environment", "production")]));
/// assert!(!accepts([("environment-of-the-server", "production")]));
/// ```
pub fn keys<V>(validator: V) -> Keys<V> {
    Keys(validator)
}

/// A validator of elements; see [`each`].
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Each<V>(V);

/// A validator of keys; see [`keys`].
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Keys<V>(V);

/// How an [`Each`] or a [`Keys`] becomes a validator; tells the implementations apart.
#[derive(Debug)]
#[doc(hidden)]
pub struct Inner<How>(PhantomData<fn(How)>);

impl<T, V, How> IntoValidator<T, Inner<How>> for Each<V>
where
    T: Elements,
    V: IntoValidator<T::Element, How>,
{
    fn into_validator(self) -> Validator {
        let inner = self.0.into_validator();
        let description = format!("each element: {}", inner.description);
        let part = inner.clone();
        let check = Check::<kind::Collection>::of_value(description, move |it, found| {
            elements(it, &mut |path, element| inner.check(&it.with(path, element), found));
        });
        Validator::from(check).made_of(&[part])
    }
}

impl<T, V, How> IntoValidator<T, Inner<How>> for Keys<V>
where
    T: OfKind<kind::Map>,
    V: IntoValidator<String, How>,
{
    fn into_validator(self) -> Validator {
        let inner = self.0.into_validator();
        let description = format!("each key: {}", inner.description);
        let (allowed, part) = (inner.description.clone(), inner.clone());
        let check = Check::<kind::Map>::of_value(description, move |it, found| {
            for key in it.value.as_entries().into_iter().flat_map(|all| all.keys()) {
                let (root, key_value) = (Path::root(), Value::string(key));
                let mut own = Diagnostics::default();
                inner.check(&it.with(&root, &key_value), &mut own);
                if own.is_empty() {
                    continue;
                }
                // The path shows which key it is; the text must not, for it is a value of the user.
                let path = it.path.clone().step(Step::Key(key.to_owned().into()));
                let must_be = match allowed.is_empty() {
                    true => own.into_iter().map(|diagnostic| diagnostic.detail).collect::<Vec<_>>().join(" "),
                    false => format!("Each key of `{}` must be {allowed}.", it.path),
                };
                found.push(Diagnostic::error(INVALID_MAP_KEY, must_be).at(path));
            }
        });
        Validator::from(check).made_of(&[part])
    }
}
