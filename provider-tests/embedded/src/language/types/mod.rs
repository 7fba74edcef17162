//! Type constraints, as they are written for variables, with the defaults of optional attributes.

use std::sync::Arc;

use ferroform::ty::{ObjectType, Type};
use ferroform::value::ConvertError;
use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, FuncCall, Object, ObjectKey};

use super::convert::convert;
use super::scope::NoReferences;
use super::{Diagnostic, Marked, SourceFile, Span, evaluate};
use crate::language::rule::Rule;

/// A type with the defaults that it says.
///
/// ```
/// use ferroform_embedded::language::{Marked, NoReferences, SourceFile, evaluate, parse_expression, types};
///
/// let text = SourceFile::new("main.tf", r#"object({ name = string, size = optional(number, 3) })"#);
/// let constraint = types::parse(&parse_expression(&text).unwrap(), &text).unwrap();
/// let text = SourceFile::new("main.tf", r#"{ name = "a", size = null, surplus = true }"#);
/// let value = evaluate(&parse_expression(&text).unwrap(), &NoReferences::new(text)).unwrap();
/// let value = constraint.apply(value).unwrap();
/// assert_eq!(value.value, ferroform::value::Value::object([("name", "a".into()), ("size", 3.into())]));
/// ```
#[derive(Debug, Clone)]
pub struct Constraint {
    /// The type.
    pub ty: Type,
    defaults: Defaults,
}

/// The defaults below a place.
#[derive(Debug, Clone, Default)]
struct Defaults {
    /// Of the attributes of an object.
    values: Vec<(Arc<str>, Marked)>,
    /// Within attributes or the elements of a tuple by their number, or within every element of a collection.
    inner: Vec<(Place, Defaults)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Place {
    Attribute(Arc<str>),
    Index(usize),
    Each,
}

impl Constraint {
    /// A type without defaults.
    #[must_use]
    pub fn of(ty: Type) -> Self {
        Self { ty, defaults: Defaults::default() }
    }

    /// The value in this type. Defaults are filled in from the outside to the inside, also where a null is given, and
    /// before anything is converted.
    ///
    /// # Errors
    /// The first place at which there is no conversion.
    pub fn apply(&self, value: Marked) -> Result<Marked, ConvertError> {
        convert(self.defaults.fill(value), &self.ty)
    }
}

impl Defaults {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.inner.is_empty()
    }

    fn of(&self, place: &Place) -> Option<&Self> {
        self.inner.iter().find(|(known, _)| known == place).map(|(_, defaults)| defaults)
    }

    fn fill(&self, value: Marked) -> Marked {
        if self.is_empty() || value.is_null() || value.is_unknown() {
            return value;
        }
        let whole = value.marks.whole();
        let each = self.of(&Place::Each);
        let fill = |defaults: Option<&Self>, part: Marked| match defaults {
            Some(defaults) if Rule::OptionalInner.holds() => defaults.fill(part),
            _ => part,
        };
        let filled = match &value.ty {
            Type::Tuple(_) | Type::List(_) | Type::Set(_) => {
                let parts = value.elements().into_iter().enumerate();
                let parts = parts.map(|(at, part)| fill(each.or_else(|| self.of(&Place::Index(at))), part));
                // The types of the elements may differ now: the conversion that follows brings them together.
                Marked::tuple(parts.collect())
            }
            Type::Object(_) | Type::Map(_) => {
                let mut members = value.members();
                for (name, default) in &self.values {
                    match members.iter_mut().find(|(known, _)| known == name) {
                        Some((_, member)) if member.is_null() && Rule::OptionalNull.holds() => {
                            *member = default.clone();
                        }
                        Some(_) => {}
                        None if Rule::OptionalDefault.holds() => {
                            members.push((name.clone(), default.clone()));
                        }
                        None => {}
                    }
                }
                let members = members.into_iter().map(|(name, part)| {
                    let defaults = each.or_else(|| self.of(&Place::Attribute(name.clone())));
                    (name, fill(defaults, part))
                });
                Marked::object(members.collect())
            }
            _ => return value,
        };
        filled.mark(whole)
    }
}

/// Reads a type constraint.
///
/// # Errors
/// It is none, or a default does not fit its type.
pub fn parse(expr: &Expression, source: &SourceFile) -> Result<Constraint, Diagnostic> {
    let (ty, defaults) = Parser { source }.constraint(expr)?;
    Ok(Constraint { ty, defaults })
}

#[derive(Clone, Copy)]
struct Parser<'s> {
    source: &'s SourceFile,
}

type Parsed = Result<(Type, Defaults), Diagnostic>;

impl Parser<'_> {
    fn error(self, detail: impl Into<String>, expr: &Expression) -> Diagnostic {
        self.error_at(detail, expr.span().map(Span::from).unwrap_or_default())
    }

    fn error_at(self, detail: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::error("Invalid type specification", detail).at(self.source, span)
    }

    fn constraint(self, expr: &Expression) -> Parsed {
        match expr {
            Expression::Parenthesis(inner) => self.constraint(inner.inner()),
            Expression::Variable(name) => {
                let ty = match name.as_str() {
                    "string" => Type::String,
                    "number" => Type::Number,
                    "bool" => Type::Bool,
                    "any" => Type::Dynamic,
                    // Written without an argument, which core still takes for a collection of anything.
                    "list" | "map" | "set" | "object" | "tuple" => {
                        return Err(
                            self.error(format!("The {name} type constructor requires an argument."), expr)
                        );
                    }
                    name => {
                        return Err(self.error(format!("The keyword {name:?} is not a valid type."), expr));
                    }
                };
                Ok((ty, Defaults::default()))
            }
            Expression::FuncCall(call) => self.constructor(call, expr),
            Expression::String(_) | Expression::StringTemplate(_) => {
                Err(self.error("A type is written without quotes.", expr))
            }
            _ => Err(self.error(
                "A type is written as a keyword, such as string, or as a constructor, such as list(string).",
                expr,
            )),
        }
    }

    fn constructor(self, call: &FuncCall, expr: &Expression) -> Parsed {
        let name = call.name.name.as_str();
        let arguments: Vec<&Expression> = call.args.iter().collect();
        if name == "optional" {
            let detail = "The optional modifier is only for the attributes of an object type.";
            let mut at = super::evaluate::start_of(expr);
            at.end = at.start + name.len();
            return Err(self.error_at(detail, at));
        }
        let wrap: fn(Type) -> Type = match name {
            "list" => Type::list,
            "set" => Type::set,
            "map" => Type::map,
            "object" | "tuple" => |ty| ty,
            _ => {
                return Err(
                    self.error(format!("The keyword {name:?} is not a valid type constructor."), expr)
                );
            }
        };
        let [argument] = arguments.as_slice() else {
            let span = expr.span().map(Span::from).unwrap_or_default();
            let span_of = |expr: &&Expression| expr.span().map(Span::from).unwrap_or_default();
            let surplus =
                arguments.get(1).zip(arguments.last()).map(|(first, last)| span_of(first).to(span_of(last)));
            let parentheses = Span { start: span.start + name.len(), ..span };
            let detail = format!("The {name} type constructor requires one argument.");
            return Err(self.error_at(detail, surplus.unwrap_or(parentheses)));
        };
        match (name, argument) {
            ("object", Expression::Object(object)) => self.object(object),
            ("object", _) => Err(self.error(
                "An object type is written with the types of its attributes: object({ name = string }).",
                argument,
            )),
            ("tuple", Expression::Array(types)) => {
                let (mut elements, mut inner) = (Vec::new(), Vec::new());
                for (at, ty) in types.iter().enumerate() {
                    let (ty, defaults) = self.constraint(ty)?;
                    elements.push(ty);
                    if !defaults.is_empty() {
                        inner.push((Place::Index(at), defaults));
                    }
                }
                Ok((Type::tuple(elements), Defaults { values: Vec::new(), inner }))
            }
            ("tuple", _) => Err(self.error(
                "A tuple type is written with the types of its elements: tuple([string, number]).",
                argument,
            )),
            _ => {
                let (ty, defaults) = self.constraint(argument)?;
                let inner = if defaults.is_empty() { Vec::new() } else { vec![(Place::Each, defaults)] };
                Ok((wrap(ty), Defaults { values: Vec::new(), inner }))
            }
        }
    }

    fn object(self, object: &Object) -> Parsed {
        let (mut attributes, mut optional, mut all) = (Vec::new(), Vec::new(), Defaults::default());
        for (key, value) in object.iter() {
            let expr = value.expr();
            let name: Arc<str> = match key {
                ObjectKey::Ident(name) => name.as_str().into(),
                // `parse::RepeatedKeys` gives this form to a name that the object has already.
                ObjectKey::Expression(key @ Expression::Variable(_)) => {
                    return Err(self.error("Each attribute is declared once.", key));
                }
                ObjectKey::Expression(key) => {
                    return Err(self.error("The names of attributes are plain names.", key));
                }
            };
            let modifier = match expr {
                Expression::FuncCall(call) if call.name.name.as_str() == "optional" => Some(call),
                _ => None,
            };
            let (ty, defaults) = match modifier {
                None => self.constraint(expr)?,
                Some(call) => {
                    optional.push(name.clone());
                    let (ty, defaults, default) = self.optional(call, expr)?;
                    all.values.extend(default.map(|default| (name.clone(), default)));
                    (ty, defaults)
                }
            };
            if !defaults.is_empty() {
                all.inner.push((Place::Attribute(name.clone()), defaults));
            }
            attributes.push((name, ty));
        }
        Ok((Type::Object(ObjectType::with_optional(attributes, optional)), all))
    }

    fn optional(
        self,
        call: &FuncCall,
        expr: &Expression,
    ) -> Result<(Type, Defaults, Option<Marked>), Diagnostic> {
        let arguments: Vec<&Expression> = call.args.iter().collect();
        let (ty, default) = match arguments.as_slice() {
            [ty] => (ty, None),
            [ty, default] => (ty, Some(default)),
            _ => {
                return Err(self.error("The optional modifier takes a type and, if wanted, a default.", expr));
            }
        };
        let (ty, defaults) = self.constraint(ty)?;
        let Some(written) = default else { return Ok((ty, defaults, None)) };
        let scope = NoReferences::new(self.source.clone()).without_functions();
        let value = evaluate(written, &scope).map_err(|errors| {
            errors.into_iter().next().unwrap_or_else(|| self.error("The default has no value.", written))
        })?;
        let default = convert(value, &ty).map_err(|error| {
            let span = written.span().map(Span::from).unwrap_or_default();
            Diagnostic::error(
                "Invalid default value for optional attribute",
                format!(
                    "This default value is not compatible with the attribute's type constraint: {error}."
                ),
            )
            .at(self.source, span)
        })?;
        Ok((ty, defaults, Some(default)))
    }
}
