//! What an import block names.

use ferroform::schema::ForImport;
use ferroform::ty::{ObjectType, Type};
use ferroform::value::Value;

use super::check::Check;
use super::import::{ImportKey, without_identity};
use super::layout::Resource;
use super::log::Log;
use super::object::Kind;
use super::repetition::Repetition;
use super::scope::{Scope, evaluate, sensitive_paths};
use super::session::Session;
use crate::diagnostic::Diagnostic;
use crate::language::module::{Import, SourceExpr, import_target, place_of};
use crate::language::{Marked, convert};

/// The id or the identity of an import block for a resource of that kind.
pub(super) struct ImportIdentifier<'a> {
    pub(super) session: &'a Session,
    pub(super) block: &'a Import,
    pub(super) kind: Kind<'a>,
}

/// What is wrong with the imports of a resource as far as it can be told before anything is known. The scope is that of the
/// root module.
pub(super) fn validate(session: &Session, to: &Resource, kind: Kind<'_>, scope: &Scope<'_>, log: &mut Log) {
    for (_, block) in session.layout.imports_of(&to.address) {
        let each = Repetition::of(None, block.for_each.as_ref()).any();
        let scope = Scope { each: &each, ..*scope };
        let subject = ImportIdentifier { session, block, kind };
        let Some(expr) = block.id.as_ref().or(block.identity.as_ref()) else { continue };
        // What refers to nothing that is, is told of by the plan.
        let Ok(given) = evaluate(expr, &scope) else { continue };
        if !given.value.is_wholly_known() {
            continue;
        }
        if block.id.is_some() {
            subject.id(expr, given, log);
        } else if !given.marks.all().sensitive {
            subject.identity(expr, given, log);
        }
    }
}

impl ImportIdentifier<'_> {
    pub(super) fn named(&self, scope: &Scope<'_>, log: &mut Log) -> Option<ImportKey> {
        let expr = self.block.id.as_ref().or(self.block.identity.as_ref())?;
        let given = evaluate(expr, scope).map_err(|problems| log.extend(problems)).ok()?;
        if self.block.id.is_some() {
            return self.id(expr, given, log).map(ImportKey::Id);
        }
        let sensitive = sensitive_paths(&given);
        if let (Some(path), true) = (sensitive.first(), self.session.checks(Check::ImportIdentitySensitive)) {
            let detail = "The identity of an import must not be sensitive.";
            log.error(&format!(".{path}: value has marks, so it cannot be serialized"), detail);
            return None;
        }
        let type_name = self.kind.type_name;
        if self.kind.catalog.identity(type_name).is_none() {
            let detail = "Resources of this type have no identity, so they have to be imported by id.";
            // The provider that core has in itself is not asked over the protocol, which would refuse this.
            let summary = match type_name {
                "terraform_data" => without_identity(log.address()),
                _ => format!("unknown identity type {type_name:?}"),
            };
            log.error(&summary, detail);
        }
        self.identity(expr, given, log).map(ImportKey::Identity)
    }

    /// An error about what the block names.
    fn error(&self, expr: &SourceExpr, log: &mut Log, summary: &str, detail: impl Into<String>) {
        let layout = &self.session.layout;
        let to = import_target(self.block).ok().and_then(|(to, _)| layout.declared(&to.resource));
        // What an object is imported by cannot come from itself.
        let own = to.filter(|to| to.module.is_root());
        let place = own.and_then(|to| place_of(self.session.modules(), (to.module, to.at), expr));
        log.push(Diagnostic::error(summary, detail).about(place.as_ref()).or_on(expr.subject()));
    }

    fn id(&self, expr: &SourceExpr, given: Marked, log: &mut Log) -> Option<String> {
        let Ok(id) = convert(given, &Type::String) else {
            self.error(expr, log, "Incorrect value type", "The id of an import has to be a string.");
            return None;
        };
        let id = id.value.as_str().unwrap_or_default();
        if id.is_empty() && self.session.checks(Check::ImportId) {
            let detail = "The import ID value evaluates to a value that is null, empty or unknown. Please provide \
                          an ID that is known while planning.";
            self.error(expr, log, "Invalid import id argument", detail);
            return None;
        }
        Some(id.to_owned())
    }

    fn identity(&self, expr: &SourceExpr, given: Marked, log: &mut Log) -> Option<Value> {
        let schema = self.kind.catalog.identity(self.kind.type_name)?;
        let all = schema.attributes.iter().map(|it| (&*it.name, it.ty.clone()));
        let optional = schema.attributes.iter().filter(|it| it.for_import == ForImport::Optional);
        let optional = optional.map(|it| &*it.name);
        match convert(given, &ObjectType::with_optional(all, optional).into()).map(|it| it.value) {
            Ok(identity)
                if identity.is_wholly_known() || !self.session.checks(Check::ImportIdentityKnown) =>
            {
                Some(identity)
            }
            Ok(_) => {
                let detail = "The identity of an import has to be known.";
                self.error(expr, log, "Invalid import identity argument", detail);
                None
            }
            Err(error) => {
                let detail = format!("The identity does not fit: {error}.");
                self.error(expr, log, "Incorrect value type", detail);
                None
            }
        }
    }
}
