//! From what is written in a configuration to values.
//!
//! Everything else in the core sees configurations through [`decode`], [`evaluate`] and [`references`] alone, so that
//! another notation can come beside the typed one.

mod as_blocks;
mod body;
pub(super) mod deprecated;
pub(super) mod dynamic;
mod expr;
pub(super) mod marks;
mod scoped_expr;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::{Value, convert};

use crate::address::{Mode, ResourceAddress};
use crate::config::{Body, Expr, NestedBlock, Reference, ReferenceTarget};
use crate::diagnostic::{Diagnostic, SourceRange};
use crate::language::Marked;

pub(super) use body::{Decoded, decode, decode_stored, is_write_only};
use deprecated::Deprecated;
pub(super) use expr::evaluate;
pub(super) use scoped_expr::{entries, marked};

/// A value with what core knows about it beside.
#[derive(Clone)]
pub(super) struct Evaluated {
    pub(super) value: Value,
    /// The type, to which the value conforms; dynamic for a null or unknown of no type.
    pub(super) ty: Type,
    /// What is sensitive in it.
    pub(super) sensitive: Vec<Path>,
    /// What must not be stored of it.
    pub(super) ephemeral: Vec<Path>,
    /// What comes from where a schema says that it is deprecated.
    pub(super) deprecated: Vec<Deprecated>,
}

impl Evaluated {
    /// A value of a type with nothing sensitive in it.
    pub(super) fn plain(value: Value, ty: Type) -> Self {
        Self { value, ty, sensitive: Vec::new(), ephemeral: Vec::new(), deprecated: Vec::new() }
    }

    /// A tuple of these.
    pub(super) fn tuple(parts: impl IntoIterator<Item = Self>) -> Self {
        let (mut whole, mut values, mut types) = (Self::unknown(), Vec::new(), Vec::new());
        for (at, part) in parts.into_iter().enumerate() {
            whole.adopt(&Path::root().index(at), &part);
            values.push(part.value);
            types.push(part.ty);
        }
        Self { value: Value::Tuple(values), ty: Type::tuple(types), ..whole }
    }

    /// An object with these attributes.
    pub(super) fn object<N: Into<String>>(parts: impl IntoIterator<Item = (N, Self)>) -> Self {
        let (mut whole, mut values, mut types) = (Self::unknown(), Vec::new(), Vec::new());
        for (name, part) in parts {
            let name = name.into();
            whole.adopt(&Path::root().attribute(name.clone()), &part);
            values.push((name.clone(), part.value));
            types.push((name, part.ty));
        }
        Self { value: Value::object(values), ty: Type::object(types), ..whole }
    }

    /// Takes over what is known about a part.
    fn adopt(&mut self, at: &Path, part: &Self) {
        let within = |path: &Path| at.clone().join(path);
        self.sensitive.extend(part.sensitive.iter().map(within));
        self.ephemeral.extend(part.ephemeral.iter().map(within));
        self.deprecated.extend(part.deprecated.iter().map(|it| it.within(at)));
    }

    /// Something of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self::plain(Value::unknown(), Type::Dynamic)
    }

    /// A resource of that mode of which nothing is known.
    pub(super) fn unknown_of(mode: Mode) -> Self {
        let is_ephemeral = mode == Mode::Ephemeral;
        Self { ephemeral: is_ephemeral.then(Path::root).into_iter().collect(), ..Self::unknown() }
    }

    /// The value, which names its type if the type is not dynamic.
    pub(super) fn typed(self) -> Value {
        match self.ty {
            Type::Dynamic => self.value,
            ty => {
                let Marked { value, ty, .. } = Marked::new(self.value, &ty);
                Value::dynamic(ty, value)
            }
        }
    }

    pub(super) fn is_sensitive(&self) -> bool {
        !self.sensitive.is_empty()
    }

    pub(super) fn is_ephemeral(&self) -> bool {
        !self.ephemeral.is_empty()
    }

    /// Whether marks on these of its paths are on the keys that it has in a `for_each`: elements of a set are keys,
    /// and what stands behind a key is not.
    pub(super) fn are_on_keys(&self, marks: &[Path]) -> bool {
        let is_set = matches!(self.ty, Type::Set(_));
        marks.iter().any(|path| is_set || path.is_root())
    }
}

/// A written value by its own type. What is written down as a list, set or map is a tuple or object in the language.
fn literal(value: &Value) -> Evaluated {
    let value = as_written(value);
    match convert(&value, &Type::Dynamic) {
        Ok(Value::Dynamic(dynamic)) => Evaluated::plain(dynamic.value, dynamic.ty),
        _ => Evaluated::plain(value, Type::Dynamic),
    }
}

fn as_written(value: &Value) -> Value {
    match value {
        Value::List(elements) | Value::Tuple(elements) => Value::tuple(elements.iter().map(as_written)),
        Value::Map(entries) | Value::Object(entries) => {
            Value::object(entries.iter().map(|(name, value)| (name.clone(), as_written(value))))
        }
        Value::Set(set) => Value::tuple(set.sorted().into_iter().map(as_written)),
        value => value.clone(),
    }
}

/// Why an expression has no value. Never shows a value.
pub(super) struct Fault {
    pub(super) summary: Cow<'static, str>,
    pub(super) detail: String,
    /// Where it is written.
    pub(super) place: Option<Box<SourceRange>>,
    /// What else is wrong with the expression.
    pub(super) others: Vec<Fault>,
}

impl Fault {
    pub(super) fn new(summary: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self { summary: summary.into(), detail: detail.into(), place: None, others: Vec::new() }
    }

    /// All that is wrong.
    pub(super) fn at(self, path: &Path) -> Vec<Diagnostic> {
        let error = Diagnostic::error(self.summary, self.detail);
        let first = Diagnostic { path: Some(path.clone()), place: self.place, ..error };
        let others = self.others.into_iter().flat_map(|other| other.at(path));
        std::iter::once(first).chain(others).collect()
    }
}

/// All resources that a body refers to.
pub(super) fn references<'a>(body: &'a Body, found: &mut Vec<Cow<'a, ResourceAddress>>) {
    expressions(body).into_iter().for_each(|expr| references_of(expr, found));
}

/// All expressions in a body.
pub(super) fn expressions(body: &Body) -> Vec<&Expr> {
    let (mut bodies, mut found) = (vec![body], Vec::new());
    while let Some(body) = bodies.pop() {
        found.extend(body.arguments.iter().map(|(_, expr)| expr));
        bodies.extend(body.blocks.iter().map(|NestedBlock { body, .. }| body));
    }
    found
}

/// The resources that an expression names itself, and not by way of values that are defined elsewhere.
pub(super) fn own_references(expr: &Expr) -> Vec<ResourceAddress> {
    match expr {
        Expr::Source(written) => written.own_resources(),
        expr => {
            let mut found = Vec::new();
            references_of(expr, &mut found);
            found.into_iter().map(Cow::into_owned).collect()
        }
    }
}

/// All resources that an expression refers to.
pub(super) fn references_of<'a>(expr: &'a Expr, found: &mut Vec<Cow<'a, ResourceAddress>>) {
    match expr {
        Expr::Literal(_) => {}
        Expr::Tuple(parts) | Expr::Template(parts) => {
            parts.iter().for_each(|part| references_of(part, found))
        }
        Expr::Object(entries) => entries.iter().for_each(|(_, part)| references_of(part, found)),
        Expr::Sensitive(inner) => references_of(inner, found),
        Expr::Source(written) => found.extend(written.resources().into_iter().map(Cow::Owned)),
        Expr::Reference(reference) => reference_of(reference, found),
    }
}

/// The resources that a reference is to.
pub(super) fn reference_of<'a>(reference: &'a Reference, found: &mut Vec<Cow<'a, ResourceAddress>>) {
    if let ReferenceTarget::Resource(address, key) = &reference.subject {
        found.push(Cow::Borrowed(address));
        if let Some(key) = key {
            references_of(key, found);
        }
    }
}
