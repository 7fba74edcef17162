//! The types, defaults and values of variables.

use ferroform::ty::Type;
use hcl_edit::expr::Expression;

use super::model::Variable;
use super::syntax::SourceExpr;
use super::translate::inner_expression;
use crate::language::rule::Rule;
use crate::language::types::{self, Constraint};
use crate::language::{Diagnostic, MarkSet, Marked, NoReferences, Subject, evaluate};

/// The type of a variable, and its default in that type.
#[derive(Debug, Clone)]
pub(crate) struct VariableType {
    pub(crate) constraint: Constraint,
    pub(crate) default: Option<Marked>,
}

impl VariableType {
    /// What a block declares. A variable whose declaration is wrong may be anything.
    pub(super) fn of(variable: &Variable, problems: &mut Vec<Diagnostic>) -> Self {
        Self::declared(variable).unwrap_or_else(|found| {
            problems.extend(found);
            Self { constraint: Constraint::of(Type::Dynamic), default: None }
        })
    }

    pub(super) fn declared(variable: &Variable) -> Result<Self, Vec<Diagnostic>> {
        let mut constraint = self::constraint(variable.ty.as_ref())?;
        if let Some(ty) = &variable.type_of_override {
            constraint.ty = self::constraint(Some(ty))?.ty;
        }
        let default = default_of(variable, &constraint)?;
        Ok(Self { constraint, default })
    }

    /// Something of that type of which nothing is known, with the marks of the variable.
    pub(crate) fn unknown(&self, variable: &Variable) -> Marked {
        Marked::unknown(self.constraint.ty.clone()).mark(variable.marks())
    }

    /// The default, which core converts once more for each value. One that fitted need not fit then.
    ///
    /// # Errors
    /// It does not fit.
    pub(crate) fn converted_default(&self, variable: &Variable) -> Result<Option<Marked>, Diagnostic> {
        let default = self.default.clone().map(|default| self.constraint.apply(default)).transpose();
        default.map_err(|problem| {
            let name = &variable.name;
            let detail = format!("The default of the variable {name:?} does not fit its type: {problem}.");
            Diagnostic::error("Invalid default value for module argument", detail).on(&variable.subject)
        })
    }

    /// The value of the variable where that one is given, or none.
    ///
    /// # Errors
    /// It has no value, or the value must not be null, ephemeral, or of its type. They point at the value, or else at
    /// the variable.
    pub(crate) fn value(
        &self,
        variable: &Variable,
        given: Option<Marked>,
        at: Option<&Subject>,
    ) -> Result<Marked, Diagnostic> {
        let name = &variable.name;
        let error = |summary: &str, detail: String| {
            Diagnostic::error(summary, detail).on(at.unwrap_or(&variable.subject))
        };
        let default = self.converted_default(variable)?;
        let null = || error("Required variable not set", format!("The variable {name:?} must not be null."));
        let nullable = variable.nullable != Some(false);
        let is_given = given.is_some();
        let unset = |value: &Marked| !nullable && value.is_null() && Rule::NullableDefault.holds();
        let Some(given) = given.filter(|value| !unset(value)).or(default) else {
            if is_given {
                return Err(null());
            }
            if !Rule::RequiredVariable.holds() {
                return Ok(Marked::null());
            }
            let detail = format!("The variable {name:?} has no value and no default.");
            return Err(error("No value for required variable", detail));
        };
        if !nullable && given.is_null() {
            return Err(null());
        }
        let marks = variable.marks();
        if given.marks.all().ephemeral && !marks.ephemeral && Rule::EphemeralVariable.holds() {
            let detail = format!(
                "The value of the variable {name:?} is ephemeral. Declare the variable with ephemeral = true."
            );
            return Err(error("Ephemeral value not allowed", detail));
        }
        match self.constraint.apply(given.clone()) {
            Ok(value) => Ok(value.mark(marks)),
            Err(_) if !Rule::VariableType.holds() => Ok(given),
            Err(problem) => {
                let detail = format!("The value for the variable {name:?} does not fit its type: {problem}.");
                // The place of a sensitive value would lead to it.
                let at = at.filter(|_| variable.sensitive != Some(true)).unwrap_or(&variable.subject);
                Err(Diagnostic::error("Invalid value for input variable", detail).on(at))
            }
        }
    }
}

impl Variable {
    fn marks(&self) -> MarkSet {
        MarkSet {
            sensitive: self.sensitive == Some(true) && Rule::SensitiveVariable.holds(),
            ephemeral: self.ephemeral == Some(true),
            ..MarkSet::default()
        }
    }

    /// The warning about a value from outside of the configuration.
    pub(crate) fn deprecation_of_input(&self) -> Option<Diagnostic> {
        self.deprecation(&self.deprecated.as_ref()?.subject)
    }

    /// The warning about a value that is given to a variable that is deprecated, at that place.
    pub(crate) fn deprecation(&self, at: &Subject) -> Option<Diagnostic> {
        let deprecated = self.deprecated.as_ref()?;
        Some(Diagnostic::warning("Deprecated variable got a value", deprecated.message.clone()).on(at))
    }
}

/// What an argument `type` says.
pub(super) fn constraint(ty: Option<&SourceExpr>) -> Result<Constraint, Vec<Diagnostic>> {
    let Some(ty) = ty else { return Ok(Constraint::of(Type::Dynamic)) };
    let inner = match ty.expression().as_str() {
        Some(text) if ty.is_json() => {
            let wrong = |problem: Diagnostic| vec![ty.error("Invalid type specification", problem.detail)];
            Some(inner_expression(ty, text).map_err(wrong)?)
        }
        _ => None,
    };
    let ty = inner.as_ref().unwrap_or(ty);
    if let Some(short) = shorthand(ty) {
        return Ok(Constraint::of(short));
    }
    types::parse(ty.expression(), ty.source()).map_err(|problem| vec![ty.placed(problem)])
}

/// A collection of anything may be written without what is in it.
fn shorthand(ty: &SourceExpr) -> Option<Type> {
    let Expression::Variable(name) = ty.expression() else { return None };
    match name.as_str() {
        "list" => Some(Type::list(Type::Dynamic)),
        "map" => Some(Type::map(Type::Dynamic)),
        _ => None,
    }
}

fn default_of(variable: &Variable, constraint: &Constraint) -> Result<Option<Marked>, Vec<Diagnostic>> {
    let Some(default) = &variable.default else { return Ok(None) };
    let scope = NoReferences::new(default.source().clone());
    let value = evaluate(default.expression(), &scope)
        .map_err(|problems| problems.into_iter().map(|it| default.placed(it)).collect::<Vec<_>>())?;
    let invalid = |detail: String| {
        vec![default.error("Invalid default value for variable", detail).about(variable.overridden.as_ref())]
    };
    if variable.nullable == Some(false) && value.is_null() {
        return Err(invalid("The default is null, but the variable is not nullable.".to_owned()));
    }
    match constraint.apply(value) {
        Ok(value) => Ok(Some(value)),
        Err(_) if !Rule::DefaultType.holds() => Ok(None),
        Err(error) => Err(invalid(format!("The default does not fit the type of the variable: {error}."))),
    }
}
