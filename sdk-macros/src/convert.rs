//! Conversions to the types of a service: the tree of a type that derives `Convert`, and its rules.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Expr, FieldValue, Member, Path};

use crate::ast::{Field, Model, Presence};
use crate::attr::{Options, names, ungrouped};
use crate::ctxt::Ctxt;
use crate::expand::krate;
use crate::options::{OptionName, Scope, nearest};

/// The options of a type that derives `Convert`.
pub(crate) struct Convert {
    pub(crate) options: Options,
    pub(crate) krate: TokenStream,
    pub(crate) from: Option<Path>,
    pub(crate) into: Vec<Service>,
    pub(crate) patch: Option<Service>,
}

/// A type of the service that is made, with the fields that the author fills.
pub(crate) struct Service {
    pub(crate) path: Path,
    pub(crate) fields: Vec<FieldValue>,
    pub(crate) rest: Option<Expr>,
}

/// A field of a model, and what it is on the other side.
pub(crate) struct Counterpart<'a> {
    pub(crate) field: &'a Field<'a>,
    pub(crate) options: Options,
    /// The name of the field on the other side.
    pub(crate) other: Ident,
}

/// Which conversion is meant.
#[derive(Clone, Copy)]
pub(crate) enum Direction<'a> {
    From,
    Into(&'a Service),
    Patch(&'a Service),
}

impl Convert {
    pub(crate) fn parse(cx: &Ctxt, input: &syn::DeriveInput, of_model: &Options) -> Self {
        let options = Options::parse(cx, &input.attrs, Scope::Convert);
        let krate = if options.has(OptionName::Crate) { krate(&options) } else { krate(of_model) };
        let into = options.value(OptionName::Into).map(|value| match ungrouped(value) {
            Expr::Array(array) => array.elems.iter().filter_map(Service::of).collect(),
            one => Service::of(one).into_iter().collect(),
        });
        if [OptionName::From, OptionName::Into, OptionName::Patch]
            .into_iter()
            .all(|option| options.entry(option).is_none())
        {
            cx.error(
                &input.ident,
                "nothing is converted: add `#[convert(from = ...)]` or `#[convert(into = ...)]`",
            );
        }
        Self {
            from: options.value(OptionName::From).and_then(as_path).cloned(),
            into: into.unwrap_or_default(),
            patch: options.value(OptionName::Patch).and_then(Service::of),
            krate,
            options,
        }
    }

    /// The names by which `skip` names a conversion.
    fn names(&self) -> Vec<String> {
        let last = |path: &Path| path.segments.last().map(|it| it.ident.to_string());
        let mut names = vec!["from".to_owned(), "into".to_owned(), "patch".to_owned()];
        names.extend(self.from.as_ref().and_then(last));
        names.extend(self.into.iter().chain(&self.patch).filter_map(|it| last(&it.path)));
        names
    }
}

/// The path of a type.
pub(crate) fn as_path(value: &Expr) -> Option<&Path> {
    match ungrouped(value) {
        Expr::Path(path) if path.qself.is_none() => Some(&path.path),
        _ => None,
    }
}

impl Service {
    /// The type that is named, alone or with some of its fields.
    pub(crate) fn of(value: &Expr) -> Option<Self> {
        match ungrouped(value) {
            Expr::Struct(it) if it.qself.is_none() => Some(Self {
                path: it.path.clone(),
                fields: it.fields.iter().cloned().collect(),
                rest: it.rest.as_deref().cloned(),
            }),
            other => as_path(other).map(|path| Self { path: path.clone(), fields: Vec::new(), rest: None }),
        }
    }

    fn is_filled(&self, name: &Ident) -> bool {
        self.fields.iter().any(|field| matches!(&field.member, Member::Named(it) if it == name))
    }
}

impl<'a> Counterpart<'a> {
    pub(crate) fn all(cx: &Ctxt, model: &'a Model<'a>, input: &syn::DeriveInput) -> Vec<Self> {
        let syn::Data::Struct(data) = &input.data else { return Vec::new() };
        let fields = model.fields.iter().filter_map(|field| {
            let found = data.fields.iter().find(|it| it.ident.as_ref() == Some(field.ident))?;
            let options = Options::parse(cx, &found.attrs, Scope::ConvertField);
            Some(Self { field, other: other_name(&options, field.ident), options })
        });
        fields.collect()
    }

    /// Whether the service has the fields of a flattened model among its own.
    pub(crate) fn is_spread(&self, direction: Direction<'_>) -> bool {
        let with =
            if matches!(direction, Direction::From) { OptionName::FromWith } else { OptionName::IntoWith };
        self.field.has(OptionName::Flatten)
            && !self.options.has(OptionName::Field)
            && !self.options.has(with)
            && !self.is_skipped(direction)
    }

    /// Whether the two sides have the field in common.
    pub(crate) fn is_converted(&self, direction: Direction<'_>) -> bool {
        if self.field.has(OptionName::Timeouts) || self.is_skipped(direction) || self.is_spread(direction) {
            return false;
        }
        match direction {
            Direction::From => !self.field.wrapper.is_write_only(),
            Direction::Into(service) => self.is_configurable() && !service.is_filled(&self.other),
            Direction::Patch(service) => {
                self.is_configurable()
                    && !service.is_filled(&self.other)
                    && !self.field.has(OptionName::Replace)
            }
        }
    }

    /// Whether users may set it, so that there is something to send.
    fn is_configurable(&self) -> bool {
        self.field.presence() != Presence::Computed
    }

    fn is_skipped(&self, direction: Direction<'_>) -> bool {
        let Some(skip) = self.options.entry(OptionName::Skip) else { return false };
        let Some(value) = &skip.value else { return true };
        let (option, path) = match direction {
            Direction::From => ("from", None),
            Direction::Into(service) => ("into", Some(&service.path)),
            Direction::Patch(service) => ("patch", Some(&service.path)),
        };
        let last = path.and_then(|path| path.segments.last());
        skipped(value).into_iter().any(|name| name == option || last.is_some_and(|last| *name == last.ident))
    }
}

/// The name on the other side.
pub(crate) fn other_name(options: &Options, own: &Ident) -> Ident {
    options.value(OptionName::Field).and_then(as_path).and_then(Path::get_ident).unwrap_or(own).clone()
}

/// The conversions that `skip` names.
pub(crate) fn skipped(value: &Expr) -> Vec<&Ident> {
    match ungrouped(value) {
        Expr::Array(_) => names(value).unwrap_or_default(),
        one => as_path(one).and_then(Path::get_ident).into_iter().collect(),
    }
}

pub(crate) fn check(cx: &Ctxt, convert: &Convert, counterparts: &[Counterpart<'_>]) {
    let directions: Vec<Direction<'_>> = (convert.from.iter().map(|_| Direction::From))
        .chain(convert.into.iter().map(Direction::Into))
        .chain(convert.patch.iter().map(Direction::Patch))
        .collect();
    let known = convert.names();
    for direction in directions.iter().filter(|at| !matches!(at, Direction::From)) {
        for it in counterparts.iter().filter(|it| it.is_spread(*direction)).skip(1) {
            cx.error(
                it.field.ident,
                "the rest of the service's fields comes from the flattened model above: write `#[convert(field = ...)]` or \
                 `#[convert(skip = ...)]`",
            );
        }
    }
    for it in counterparts {
        if let Some(value) = it.options.value(OptionName::Skip) {
            for name in skipped(value) {
                names_a_conversion(cx, name, &known);
            }
        }
        if it.options.entry(OptionName::Field).is_some() && !directions.iter().any(|at| it.is_converted(*at))
        {
            cx.error(it.options.entry(OptionName::Field), "the field is not converted: remove `field`");
        }
        let from = directions.iter().any(|at| matches!(at, Direction::From) && it.is_converted(*at));
        let into = directions.iter().any(|at| !matches!(at, Direction::From) && it.is_converted(*at));
        for (option, is_used) in [(OptionName::FromWith, from), (OptionName::IntoWith, into)] {
            if let Some(entry) = it.options.entry(option).filter(|_| !is_used) {
                let option = option.text();
                cx.error(entry, format!("the field is not converted in this direction: remove `{option}`"));
            }
        }
        if convert.from.is_some() && !it.is_converted(Direction::From) && !it.is_spread(Direction::From) {
            has_a_value_without_the_service(cx, it);
        }
    }
}

fn names_a_conversion(cx: &Ctxt, name: &Ident, known: &[String]) {
    if known.iter().any(|it| name == it) {
        return;
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let hint = nearest(&name.to_string(), &known).map(|near| format!(": did you mean `{near}`?"));
    cx.error(name, format!("there is no conversion `{name}`{}", hint.unwrap_or_default()));
}

/// After an import neither the state nor a plan knows it.
fn has_a_value_without_the_service(cx: &Ctxt, it: &Counterpart<'_>) {
    let field = it.field;
    let has_value = field.wrapper.is_option()
        || field.wrapper.is_write_only()
        || field.is_block_collection()
        || field.has(OptionName::Default)
        || field.has(OptionName::Timeouts);
    if !has_value {
        cx.error(
            it.options.entry(OptionName::Skip),
            "after an import nothing says what the service does not return: write `Option<T>`, or add a `default`",
        );
    }
}

pub(crate) fn check_enum(cx: &Ctxt, convert: &Convert) {
    if let Some(patch) = convert.options.entry(OptionName::Patch) {
        cx.error(patch, "only a model is sent in parts: remove `patch`");
    }
    for service in &convert.into {
        if let Some(field) = service.fields.first() {
            cx.error(field, "an enum has no fields to fill: write the path alone");
        }
    }
}

/// The options of a variant.
pub(crate) fn variant_options(cx: &Ctxt, attributes: &[Attribute]) -> Options {
    Options::parse(cx, attributes, Scope::ConvertVariant)
}

impl ToTokens for Service {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.path.to_tokens(tokens);
    }
}
