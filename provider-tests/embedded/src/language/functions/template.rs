//! Templates that are values or files.

use ferroform::ty::Type;
use ferroform::value::Value;
use hcl_edit::Ident;
use hcl_edit::template::Template;

use super::{Call, Failure};
use crate::address::ProviderAddress;
use crate::language::convert::convert;
use crate::language::evaluate::{parse_template, references_of, render as evaluate};
use crate::language::functions::Stage;
use crate::language::scope::{ProviderFunction, Resolved, Scope, Traversal};
use crate::language::{Diagnostic, Marked, SourceFile};

/// The variables of a template and nothing else.
struct Variables<'a> {
    source: &'a SourceFile,
    variables: &'a Marked,
    outer: &'a dyn Scope,
}

impl Scope for Variables<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        match self.variables.named(&traversal.root) {
            Some(value) => Ok(Resolved { value, steps: 0 }),
            None => Err(vec![Diagnostic::error(
                "Unknown variable",
                format!("The vars map does not contain the key {:?}.", traversal.root),
            )]),
        }
    }

    fn is_template(&self) -> bool {
        true
    }

    fn provider_function(&self, provider: &str, name: &str) -> ProviderFunction {
        self.outer.provider_function(provider, name)
    }

    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        self.outer.call(provider, name, arguments)
    }

    fn stage(&self) -> Stage {
        self.outer.stage()
    }

    fn directory(&self) -> Option<&std::path::Path> {
        self.outer.directory()
    }

    fn plan_timestamp(&self) -> Option<&str> {
        self.outer.plan_timestamp()
    }
}

pub(super) fn render(source: &SourceFile, variables: &Marked, outer: &dyn Scope) -> Result<Marked, Failure> {
    if outer.is_template() {
        let message = "cannot recursively call it from inside another template function";
        return Err(Failure::Call(message.to_owned()));
    }
    let marked = source.text().strip_prefix('\u{feff}').map(|text| SourceFile::new(source.path(), text));
    let source = marked.as_ref().unwrap_or(source);
    let failed = |error: &Diagnostic| Failure::Call(message_of(error));
    let template = parse_template(source).map_err(|error| failed(&error))?;
    check_variables(&template, variables)?;
    let scope = Variables { source, variables, outer };
    let value = evaluate(&template, &scope).map_err(|errors| match errors.first() {
        Some(error) => failed(error),
        None => Failure::call("the template has no value"),
    })?;
    if value.is_null() { Err(Failure::call("the value of the template is null")) } else { Ok(value) }
}

/// What is wrong with a template, and where in it.
fn message_of(error: &Diagnostic) -> String {
    let place = error.place.as_ref().map(|place| place.start);
    let place =
        place.map(|place| format!("line {}, column {}: ", place.line, place.column)).unwrap_or_default();
    format!("{place}{}", error.detail.trim_end_matches('.'))
}

/// The variables have names, and all that the template refers to are there, whether they count in the end or not.
fn check_variables(template: &Template, variables: &Marked) -> Result<(), Failure> {
    let wrong = |message: &str| Err(Failure::Argument(1, message.to_owned()));
    if !matches!(variables.ty, Type::Map(_) | Type::Object(_)) {
        return wrong("invalid vars value: must be a map");
    }
    let names = variables.members();
    if names.iter().any(|(name, _)| Ident::try_new(&**name).is_err()) {
        return wrong("a key of the vars map is no valid identifier");
    }
    for traversal in references_of(template) {
        if !names.iter().any(|(name, _)| **name == *traversal.root) {
            return wrong(&format!("vars map does not contain key {:?}", traversal.root));
        }
    }
    Ok(())
}

/// `templatestring(template, vars)`, which is a string also where the template is one interpolation.
pub(super) fn template_string(call: &Call<'_>) -> Result<Marked, Failure> {
    let source = SourceFile::new("template", call.text(0));
    parse_template(&source).map_err(|error| Failure::Argument(0, message_of(&error)))?;
    let value = render(&source, call.argument(1), call.scope)?;
    convert(value, &Type::String).map_err(|error| Failure::Call(error.to_string()))
}
