//! The shape of a field type, as far as its spelling tells.

use proc_macro2::Ident;
use syn::{GenericArgument, PathArguments, Type};

/// A wrapper that says who sets an attribute, and not what its values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// `T`
    None,
    /// `Option<T>`
    Option,
    /// `WriteOnly<T>`
    WriteOnly,
    /// `WriteOnly<Option<T>>`
    WriteOnlyOption,
}

impl Wrapper {
    /// The wrapper of a type, and what is in it.
    pub(crate) fn of(ty: &Type) -> (Self, &Type) {
        if let Some(inner) = argument(ty, "Option") {
            return (Self::Option, inner);
        }
        match argument(ty, "WriteOnly") {
            None => (Self::None, ungrouped(ty)),
            Some(inner) => match argument(inner, "Option") {
                None => (Self::WriteOnly, inner),
                Some(inner) => (Self::WriteOnlyOption, inner),
            },
        }
    }

    pub(crate) fn is_write_only(self) -> bool {
        matches!(self, Self::WriteOnly | Self::WriteOnlyOption)
    }

    pub(crate) fn is_option(self) -> bool {
        matches!(self, Self::Option | Self::WriteOnlyOption)
    }
}

/// Whether values of the type are an ordered or unordered collection, whose blocks may be limited in number.
pub(crate) fn is_list_or_set(ty: &Type) -> bool {
    ["Vec", "SetOf"].iter().any(|name| argument(ty, name).is_some())
}

/// Whether values of the type are a collection, which is empty when there is no block.
pub(crate) fn is_collection(ty: &Type) -> bool {
    is_list_or_set(ty) || ["BTreeMap", "HashMap"].iter().any(|name| is_named(ty, name))
}

/// The only type argument of a type whose last name is `name`.
pub(crate) fn argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last()?;
    if path.qself.is_some() || last.ident != name {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(argument) if arguments.args.len() == 1 => Some(ungrouped(argument)),
        _ => None,
    }
}

/// The type with another one for what its collections and wrappers hold in the end.
pub(crate) fn replace_leaf(ty: &Type, leaf: &dyn Fn(&Type) -> Type) -> Type {
    const ONE: &[&str] = &["Option", "WriteOnly", "Vec", "SetOf", "BTreeSet", "HashSet"];
    const TWO: &[&str] = &["BTreeMap", "HashMap"];
    let mut ty = ungrouped(ty).clone();
    if let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
        && let names = if arguments.args.len() == 1 { ONE } else { TWO }
        && names.iter().any(|name| last.ident == name)
        && let Some(GenericArgument::Type(inner)) = arguments.args.last_mut()
    {
        *inner = replace_leaf(inner, leaf);
        return ty;
    }
    leaf(&ty)
}

/// Whether the name of a model stands in the type.
pub(crate) fn mentions(ty: &Type, model: &Ident) -> bool {
    let Type::Path(path) = ungrouped(ty) else { return false };
    let itself = path.path.is_ident(model) || path.path.is_ident("Self");
    itself
        || path.path.segments.iter().any(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().any(|it| matches!(it, GenericArgument::Type(ty) if mentions(ty, model)))
            }
            PathArguments::None | PathArguments::Parenthesized(_) => false,
        })
}

/// Whether the type is made of nothing but those for which the SDK implements the traits of attributes.
pub(crate) fn is_builtin(ty: &Type) -> bool {
    const SCALARS: &[&str] =
        &["bool", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "u16", "u32", "u64", "u8"];
    const NAMED: &[&str] = &["String", "Number", "Dynamic"];
    let Type::Path(path) = ungrouped(ty) else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    match &last.arguments {
        PathArguments::None => SCALARS.iter().chain(NAMED).any(|name| last.ident == name),
        PathArguments::AngleBracketed(arguments) => {
            ["Vec", "SetOf", "BTreeMap", "HashMap", "BTreeSet", "HashSet", "Option"]
                .iter()
                .any(|name| last.ident == name)
                && arguments.args.iter().all(|it| matches!(it, GenericArgument::Type(ty) if is_builtin(ty)))
        }
        PathArguments::Parenthesized(_) => false,
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    let Type::Path(path) = ungrouped(ty) else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == name)
}

/// The type that a `macro_rules` fragment wraps in invisible delimiters.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}
