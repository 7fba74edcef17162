//! The grammar of annotations: `option`, `option = value`, separated by commas. Rules about several options are in
//! `check`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, ExprUnary, Lit, LitStr, Meta, Path, Token, UnOp};

use crate::convert::{Service, as_path, skipped};
use crate::ctxt::Ctxt;
use crate::options::{OptionName, OptionValue, Scope};

/// The options on one item.
#[derive(Default)]
pub(crate) struct Options {
    entries: Vec<Entry>,
}

/// An option with its value and with the syntax to blame.
pub(crate) struct Entry {
    pub(crate) option: OptionName,
    pub(crate) ident: Ident,
    pub(crate) value: Option<Expr>,
}

impl Options {
    /// Reads all annotations of an item, and reports what is not well formed.
    pub(crate) fn parse(cx: &Ctxt, attributes: &[Attribute], scope: Scope) -> Self {
        let mut options = Self::default();
        for attribute in attributes {
            let path = attribute.path();
            if path.is_ident(scope.annotation()) {
                options.annotation(cx, attribute, scope);
            } else if scope == Scope::Model && path.is_ident("attr") {
                cx.error(path, "`#[attr(...)]` belongs on a field: the struct has `#[model(...)]`");
            } else if matches!(scope, Scope::Field | Scope::IdentityField) && path.is_ident("identity") {
                cx.error(path, "`#[identity(...)]` belongs on the struct: a field has `#[attr(...)]`");
            } else if scope == Scope::Field && path.is_ident("model") {
                cx.error(path, "`#[model(...)]` belongs on the struct: a field has `#[attr(...)]`");
            }
        }
        options
    }

    pub(crate) fn entry(&self, option: OptionName) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.option == option)
    }

    /// An option that is none of these.
    pub(crate) fn other_than(&self, options: &[OptionName]) -> Option<&Entry> {
        self.entries.iter().find(|entry| !options.contains(&entry.option))
    }

    pub(crate) fn has(&self, option: OptionName) -> bool {
        self.entry(option).is_some()
    }

    pub(crate) fn value(&self, option: OptionName) -> Option<&Expr> {
        self.entry(option)?.value.as_ref()
    }

    /// The text that an option has for its value; anything else is reported when it is parsed.
    pub(crate) fn text(&self, option: OptionName) -> Option<&LitStr> {
        as_text(self.value(option)?)
    }

    /// The text of an option, or what is said elsewhere.
    pub(crate) fn text_or(&self, option: OptionName, otherwise: impl FnOnce() -> String) -> String {
        self.text(option).map_or_else(otherwise, LitStr::value)
    }

    /// The number that an option has for its value; anything else is reported when it is parsed.
    pub(crate) fn number(&self, option: OptionName) -> Option<i64> {
        as_number(self.value(option)?)
    }

    fn annotation(&mut self, cx: &Ctxt, attribute: &Attribute, scope: Scope) {
        let Meta::List(list) = &attribute.meta else {
            let name = scope.annotation();
            return cx.error(attribute, format!("write the words in parentheses: `#[{name}(...)]`"));
        };
        let result = (|input: ParseStream<'_>| {
            while !input.is_empty() {
                self.option(cx, input, scope);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        })
        .parse2(list.tokens.clone());
        if let Err(error) = result {
            cx.syn_error(error);
        }
    }

    /// Reads one option; after a mistake the reading goes on behind the next comma.
    fn option(&mut self, cx: &Ctxt, input: ParseStream<'_>, scope: Scope) {
        match entry(input, scope) {
            Ok(entry) => match self.entry(entry.option) {
                None => self.entries.push(entry),
                Some(_) => {
                    let option = entry.option.text();
                    cx.error(&entry.ident, format!("`{option}` is given twice: keep one of them"));
                }
            },
            Err(error) => {
                cx.syn_error(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    if input.parse::<proc_macro2::TokenTree>().is_err() {
                        return;
                    }
                }
            }
        }
    }
}

fn entry(input: ParseStream<'_>, scope: Scope) -> syn::Result<Entry> {
    let ident = input.call(Ident::parse_any)?;
    let option = OptionName::parse(&ident.to_string(), scope)
        .map_err(|message| syn::Error::new(ident.span(), message))?;
    let equals = input.parse::<Option<Token![=]>>()?;
    let text = option.text();
    match (equals, option.takes()) {
        (None, OptionValue::Required(example)) => {
            Err(syn::Error::new(ident.span(), format!("`{text}` needs a value: `{example}`")))
        }
        (Some(equals), OptionValue::None) => {
            Err(syn::Error::new(equals.span, format!("`{text}` has no value: write `{text}` alone")))
        }
        (None, _) => Ok(Entry { option, ident, value: None }),
        (Some(_), _) => {
            let value: Expr = input.parse()?;
            well_formed(option, &value)?;
            Ok(Entry { option, ident, value: Some(value) })
        }
    }
}

/// The rules about the value of one option.
fn well_formed(option: OptionName, value: &Expr) -> syn::Result<()> {
    let wrong = |needed: String| Err(syn::Error::new_spanned(value, needed));
    let text = option.text();
    match option {
        OptionName::Deprecated | OptionName::Description | OptionName::Format | OptionName::Name => {
            match as_text(value) {
                None => wrong(format!("`{text}` needs a string literal")),
                Some(given) if given.value().trim().is_empty() => {
                    wrong(format!("the text of `{text}` is empty"))
                }
                Some(_) => Ok(()),
            }
        }
        OptionName::Version => match as_number(value) {
            None => wrong("a version is an integer literal".to_owned()),
            Some(version) if version < 0 => wrong("a version must not be negative: count from 0".to_owned()),
            Some(_) => Ok(()),
        },
        OptionName::MaxItems | OptionName::MinItems => match as_number(value) {
            Some(number) if (1..=i64::from(u32::MAX)).contains(&number) => Ok(()),
            Some(0) => wrong(format!("0 is no limit: remove `{text}`")),
            _ => wrong(format!("`{text}` needs a positive integer literal")),
        },
        OptionName::Block if !is_ident(value, "group") => wrong(
            "unknown kind of block: `block` follows the type of the field, `block = group` is a group"
                .to_owned(),
        ),
        OptionName::Replace if !is_ident(value, "if_configured") => wrong(
            "unknown condition: `replace` is on any change, `replace = if_configured` on configured ones"
                .to_owned(),
        ),
        OptionName::Keep if !is_ident(value, "non_null") => wrong(
            "unknown condition: `keep` keeps any prior value, `keep = non_null` one that is not null"
                .to_owned(),
        ),
        OptionName::Crate | OptionName::IdentityType | OptionName::With
            if !matches!(ungrouped(value), Expr::Path(_)) =>
        {
            wrong(format!("`{text}` needs a path"))
        }
        OptionName::DefaultWith | OptionName::FromWith | OptionName::IntoWith
            if !matches!(ungrouped(value), Expr::Path(_) | Expr::Closure(_)) =>
        {
            wrong(format!("`{text}` needs a path or a closure"))
        }
        OptionName::From if as_path(value).is_none() => wrong(format!("`{text}` needs the path of a type")),
        OptionName::Into | OptionName::Patch if !is_service(value, option == OptionName::Into) => {
            wrong(format!(
                "`{text}` needs a type, alone or with some of its fields: `{text} = api::Bucket {{ force: true }}`"
            ))
        }
        OptionName::Field if as_path(value).and_then(Path::get_ident).is_none() => {
            wrong(format!("`{text}` needs the name of a field or variant"))
        }
        OptionName::Skip if skipped(value).is_empty() => wrong(
            "`skip` stands alone, or names conversions: `skip = from`, `skip = [into, patch]`".to_owned(),
        ),
        OptionName::RecomputeOn => match names(value) {
            Some(names) if !names.is_empty() => Ok(()),
            Some(_) => wrong("what nothing recomputes is kept: write `keep` instead".to_owned()),
            None => wrong(format!("`{text}` needs the names of fields: `recompute_on = [size, zone]`")),
        },
        OptionName::Timeouts => timeouts(value).map(drop),
        _ => Ok(()),
    }
}

/// Whether a value is a type of a service, or several in brackets.
fn is_service(value: &Expr, may_be_several: bool) -> bool {
    match ungrouped(value) {
        Expr::Array(array) if may_be_several => {
            !array.elems.is_empty() && array.elems.iter().all(|one| Service::of(one).is_some())
        }
        one => Service::of(one).is_some(),
    }
}

/// The names in brackets.
pub(crate) fn names(value: &Expr) -> Option<Vec<&Ident>> {
    let Expr::Array(array) = ungrouped(value) else { return None };
    array.elems.iter().map(as_name).collect()
}

fn as_name(value: &Expr) -> Option<&Ident> {
    match ungrouped(value) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The operations in brackets, each with its usual duration.
pub(crate) fn timeouts(value: &Expr) -> syn::Result<Vec<(&Ident, Option<&LitStr>)>> {
    const NEEDED: &str = "`timeouts` needs operations, each with a usual duration or not: \
                          `timeouts = [create = \"60m\", update, delete]`";
    let wrong = |at: &Expr, text: &str| Err(syn::Error::new_spanned(at, text));
    let Expr::Array(array) = ungrouped(value) else { return wrong(value, NEEDED) };
    let mut all: Vec<(&Ident, Option<&LitStr>)> = Vec::new();
    for element in &array.elems {
        let (name, usual) = match element {
            Expr::Assign(assign) => (&*assign.left, Some(&*assign.right)),
            name => (name, None),
        };
        let Some(ident) = as_name(name) else { return wrong(name, NEEDED) };
        if !["create", "read", "update", "delete", "open"].iter().any(|operation| ident == operation) {
            return wrong(name, "an operation is `create`, `read`, `update`, `delete` or `open`");
        }
        if all.iter().any(|(other, _)| *other == ident) {
            return wrong(name, "this operation is named twice: keep one of them");
        }
        let usual = match usual.map(|usual| (usual, as_text(usual))) {
            None => None,
            Some((_, Some(text))) if is_duration(&text.value()) => Some(text),
            Some((usual, _)) => {
                return wrong(usual, "a duration is a text such as \"10s\", \"60m\" or \"2h\"");
            }
        };
        all.push((ident, usual));
    }
    if all.is_empty() { wrong(value, NEEDED) } else { Ok(all) }
}

/// Whether a text is a positive whole number with a unit; users may write more.
fn is_duration(text: &str) -> bool {
    let digits = text.trim_end_matches(|it: char| !it.is_ascii_digit());
    let unit = text.get(digits.len()..).unwrap_or_default();
    ["ms", "s", "m", "h"].contains(&unit) && digits.parse::<u32>().is_ok_and(|number| number > 0)
}

pub(crate) fn as_text(value: &Expr) -> Option<&LitStr> {
    match ungrouped(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

fn as_number(value: &Expr) -> Option<i64> {
    match ungrouped(value) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => as_number(expr)?.checked_neg(),
        _ => None,
    }
}

/// The expression that a `macro_rules` fragment wraps in invisible delimiters.
pub(crate) fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

fn is_ident(value: &Expr, option: &str) -> bool {
    matches!(ungrouped(value), Expr::Path(path) if path.path.is_ident(option))
}

/// The doc comment of an item as Markdown: common indentation of one space taken away, without blank ends.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let Meta::NameValue(doc) = &attribute.meta else { return None };
            Some(as_text(&doc.value)?.value())
        });
    let lines: Vec<String> = lines
        // Unlike `lines`, this keeps the empty line between two paragraphs.
        .flat_map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>())
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
        .collect();
    lines.join("\n").trim().to_owned()
}

impl ToTokens for Entry {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.ident.to_tokens(tokens);
    }
}
