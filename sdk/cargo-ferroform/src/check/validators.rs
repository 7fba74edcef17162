//! Validators that nothing uses, as far as the sources tell.

use std::collections::BTreeMap;
use std::fs;

use proc_macro2::{TokenStream, TokenTree};
use syn::{FnArg, Item, ReturnType, Type};

use crate::add::rust_files;
use crate::failure::{Failure, Outcome};
use crate::provider::Provider;

/// Functions that are or return a validator, and that no other code names. The compiler reports private ones only.
///
/// # Errors
/// A source cannot be read.
pub(super) fn unused(provider: &Provider) -> Outcome<Vec<String>> {
    let mut names = BTreeMap::new();
    let mut validators = Vec::new();
    for path in rust_files(&provider.folder.join("src")) {
        let text = fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))?;
        let Ok(file) = syn::parse_file(&text) else { continue };
        if let Ok(tokens) = text.parse() {
            count(tokens, &mut names);
        }
        for item in file.items {
            let Item::Fn(it) = item else { continue };
            if is_validator(&it.sig) {
                validators.push((it.sig.ident.to_string(), path.clone()));
            }
        }
    }
    validators.retain(|(name, _)| names.get(name) == Some(&1));
    let found = validators.into_iter().map(|(name, path)| {
        format!(
            "the validator `{name}` in {} is not used; name it in a `validate = ...`, or delete it",
            path.display()
        )
    });
    Ok(found.collect())
}

fn is_validator(signature: &syn::Signature) -> bool {
    let returns = match &signature.output {
        ReturnType::Type(_, ty) => ends_with(ty, "Validator"),
        ReturnType::Default => false,
    };
    let collects = signature.inputs.iter().any(|input| match input {
        FnArg::Typed(it) => match &*it.ty {
            Type::Reference(it) => ends_with(&it.elem, "Diagnostics"),
            _ => false,
        },
        FnArg::Receiver(_) => false,
    });
    returns || collects
}

fn ends_with(ty: &Type, name: &str) -> bool {
    match ty {
        Type::Path(it) => it.path.segments.last().is_some_and(|last| last.ident == name),
        _ => false,
    }
}

/// How often each name stands in the tokens.
fn count(tokens: TokenStream, names: &mut BTreeMap<String, usize>) {
    for token in tokens {
        match token {
            TokenTree::Ident(it) => *names.entry(it.to_string()).or_default() += 1,
            TokenTree::Group(it) => count(it.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
