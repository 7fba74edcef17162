//! The grammar of annotations: `word`, `word = value`, separated by commas. Rules about several words are in
//! `check`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, ExprUnary, Lit, LitStr, Meta, Path, Token, UnOp};

use crate::convert::{Service, as_path, skipped};
use crate::ctxt::Ctxt;
use crate::word::{Scope, Takes, Word};

/// The words on one item.
#[derive(Default)]
pub(crate) struct Words {
    entries: Vec<Entry>,
}

/// A word with its value and with the syntax to blame.
pub(crate) struct Entry {
    pub(crate) word: Word,
    pub(crate) ident: Ident,
    pub(crate) value: Option<Expr>,
}

impl Words {
    /// Reads all annotations of an item, and reports what is not well formed.
    pub(crate) fn parse(cx: &Ctxt, attributes: &[Attribute], scope: Scope) -> Self {
        let mut words = Self::default();
        for attribute in attributes {
            let path = attribute.path();
            if path.is_ident(scope.annotation()) {
                words.annotation(cx, attribute, scope);
            } else if scope == Scope::Model && path.is_ident("attr") {
                cx.error(path, "`#[attr(...)]` belongs on a field: the struct has `#[model(...)]`");
            } else if matches!(scope, Scope::Field | Scope::IdentityField) && path.is_ident("identity") {
                cx.error(path, "`#[identity(...)]` belongs on the struct: a field has `#[attr(...)]`");
            } else if scope == Scope::Field && path.is_ident("model") {
                cx.error(path, "`#[model(...)]` belongs on the struct: a field has `#[attr(...)]`");
            }
        }
        words
    }

    pub(crate) fn entry(&self, word: Word) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.word == word)
    }

    /// A word that is none of these.
    pub(crate) fn other_than(&self, words: &[Word]) -> Option<&Entry> {
        self.entries.iter().find(|entry| !words.contains(&entry.word))
    }

    pub(crate) fn has(&self, word: Word) -> bool {
        self.entry(word).is_some()
    }

    pub(crate) fn value(&self, word: Word) -> Option<&Expr> {
        self.entry(word)?.value.as_ref()
    }

    /// The text that a word has for its value; anything else is reported when it is parsed.
    pub(crate) fn text(&self, word: Word) -> Option<&LitStr> {
        as_text(self.value(word)?)
    }

    /// The number that a word has for its value; anything else is reported when it is parsed.
    pub(crate) fn number(&self, word: Word) -> Option<i64> {
        as_number(self.value(word)?)
    }

    fn annotation(&mut self, cx: &Ctxt, attribute: &Attribute, scope: Scope) {
        let Meta::List(list) = &attribute.meta else {
            let name = scope.annotation();
            return cx.error(attribute, format!("write the words in parentheses: `#[{name}(...)]`"));
        };
        let result = (|input: ParseStream<'_>| {
            while !input.is_empty() {
                self.word(cx, input, scope);
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

    /// Reads one word; after a mistake the reading goes on behind the next comma.
    fn word(&mut self, cx: &Ctxt, input: ParseStream<'_>, scope: Scope) {
        match entry(input, scope) {
            Ok(entry) => match self.entry(entry.word) {
                None => self.entries.push(entry),
                Some(_) => {
                    let word = entry.word.text();
                    cx.error(&entry.ident, format!("`{word}` is given twice: keep one of them"));
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
    let word =
        Word::parse(&ident.to_string(), scope).map_err(|message| syn::Error::new(ident.span(), message))?;
    let equals = input.parse::<Option<Token![=]>>()?;
    let text = word.text();
    match (equals, word.takes()) {
        (None, Takes::Value(example)) => {
            Err(syn::Error::new(ident.span(), format!("`{text}` needs a value: `{example}`")))
        }
        (Some(equals), Takes::Nothing) => {
            Err(syn::Error::new(equals.span, format!("`{text}` has no value: write `{text}` alone")))
        }
        (None, _) => Ok(Entry { word, ident, value: None }),
        (Some(_), _) => {
            let value: Expr = input.parse()?;
            well_formed(word, &value)?;
            Ok(Entry { word, ident, value: Some(value) })
        }
    }
}

/// The rules about the value of one word.
fn well_formed(word: Word, value: &Expr) -> syn::Result<()> {
    let wrong = |needed: String| Err(syn::Error::new_spanned(value, needed));
    let text = word.text();
    match word {
        Word::Deprecated | Word::Description | Word::Format | Word::Name => match as_text(value) {
            None => wrong(format!("`{text}` needs a string literal")),
            Some(given) if given.value().trim().is_empty() => wrong(format!("the text of `{text}` is empty")),
            Some(_) => Ok(()),
        },
        Word::Version => match as_number(value) {
            None => wrong("a version is an integer literal".to_owned()),
            Some(version) if version < 0 => wrong("a version must not be negative: count from 0".to_owned()),
            Some(_) => Ok(()),
        },
        Word::MaxItems | Word::MinItems => match as_number(value) {
            Some(number) if (1..=i64::from(u32::MAX)).contains(&number) => Ok(()),
            Some(0) => wrong(format!("0 is no limit: remove `{text}`")),
            _ => wrong(format!("`{text}` needs a positive integer literal")),
        },
        Word::Block if !is_word(value, "group") => wrong(
            "unknown kind of block: `block` follows the type of the field, `block = group` is a group"
                .to_owned(),
        ),
        Word::Replace if !is_word(value, "if_configured") => wrong(
            "unknown condition: `replace` is on any change, `replace = if_configured` on configured ones"
                .to_owned(),
        ),
        Word::Keep if !is_word(value, "non_null") => wrong(
            "unknown condition: `keep` keeps any prior value, `keep = non_null` one that is not null"
                .to_owned(),
        ),
        Word::Crate | Word::IdentityType | Word::With if !matches!(ungrouped(value), Expr::Path(_)) => {
            wrong(format!("`{text}` needs a path"))
        }
        Word::DefaultWith | Word::FromWith | Word::IntoWith
            if !matches!(ungrouped(value), Expr::Path(_) | Expr::Closure(_)) =>
        {
            wrong(format!("`{text}` needs a path or a closure"))
        }
        Word::From if as_path(value).is_none() => wrong(format!("`{text}` needs the path of a type")),
        Word::Into | Word::Patch if !is_service(value, word == Word::Into) => wrong(format!(
            "`{text}` needs a type, alone or with some of its fields: `{text} = api::Bucket {{ force: true }}`"
        )),
        Word::Field if as_path(value).and_then(Path::get_ident).is_none() => {
            wrong(format!("`{text}` needs the name of a field or variant"))
        }
        Word::Skip if skipped(value).is_empty() => wrong(
            "`skip` stands alone, or names conversions: `skip = from`, `skip = [into, patch]`".to_owned(),
        ),
        Word::RecomputeOn => match names(value) {
            Some(names) if !names.is_empty() => Ok(()),
            Some(_) => wrong("what nothing recomputes is kept: write `keep` instead".to_owned()),
            None => wrong(format!("`{text}` needs the names of fields: `recompute_on = [size, zone]`")),
        },
        Word::Timeouts => timeouts(value).map(drop),
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

fn is_word(value: &Expr, word: &str) -> bool {
    matches!(ungrouped(value), Expr::Path(path) if path.path.is_ident(word))
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
