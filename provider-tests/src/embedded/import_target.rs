//! What an import block names.

use ferroform::schema::ForImport;
use ferroform::ty::{ObjectType, Type};
use ferroform::value::{Value, convert};

use super::check::Check;
use super::conditions::{place, place_of};
use super::evaluate::evaluate;
use super::import::{ImportKey, without_identity};
use super::log::Log;
use super::object::Kind;
use super::scope::{Scope, any_instance};
use super::session::Session;
use crate::config::{ImportBlock, ImportTarget, Repetition, ResourceBlock};
use crate::diagnostic::Diagnostic;

/// The id or the identity of an import block for a resource of that kind.
pub(super) struct ImportIdentifier<'a> {
    pub(super) session: &'a Session,
    pub(super) block: &'a ImportBlock,
    pub(super) kind: Kind<'a>,
}

/// What is wrong with the imports of a resource as far as it can be told before anything is known.
pub(super) fn validate(
    session: &Session,
    to: &ResourceBlock,
    kind: Kind<'_>,
    scope: &Scope<'_>,
    log: &mut Log,
) {
    let address = to.address.in_any_instance();
    let own = session.config.imports.iter().filter(|it| it.to.resource.in_any_instance() == address);
    for block in own {
        let each = block.for_each.clone().map_or(Repetition::Single, Repetition::ForEach);
        let scope = Scope { each: &any_instance(&each), ..*scope };
        let (ImportTarget::Id(expr) | ImportTarget::Identity(expr)) = &block.subject;
        // What refers to nothing that is, is told of by the plan.
        let Ok(given) = evaluate(expr, &scope) else { continue };
        let subject = ImportIdentifier { session, block, kind };
        match &block.subject {
            ImportTarget::Id(_) if given.value.is_wholly_known() => drop(subject.id(&given.value, log)),
            ImportTarget::Identity(_) if given.value.is_wholly_known() && !given.is_sensitive() => {
                drop(subject.identity(&given.typed(), log));
            }
            _ => {}
        }
    }
}

impl ImportIdentifier<'_> {
    pub(super) fn named(&self, scope: &Scope<'_>, log: &mut Log) -> Option<ImportKey> {
        let (ImportTarget::Id(expr) | ImportTarget::Identity(expr)) = &self.block.subject;
        let given = evaluate(expr, scope).map_err(|fault| log.placed(fault, place(expr))).ok()?;
        match &self.block.subject {
            ImportTarget::Id(_) => self.id(&given.value, log).map(ImportKey::Id),
            ImportTarget::Identity(_)
                if given.is_sensitive() && self.session.checks(Check::ImportIdentitySensitive) =>
            {
                let path = given.sensitive.first().map(ToString::to_string).unwrap_or_default();
                let detail = "The identity of an import must not be sensitive.";
                log.error(&format!(".{path}: value has marks, so it cannot be serialized"), detail);
                None
            }
            ImportTarget::Identity(_) => {
                let type_name = self.kind.type_name;
                if self.kind.catalog.identity(type_name).is_none() {
                    let detail =
                        "Resources of this type have no identity, so they have to be imported by id.";
                    // The provider that core has in itself is not asked over the protocol, which would refuse this.
                    let summary = match type_name {
                        "terraform_data" => without_identity(log.address()),
                        _ => format!("unknown identity type {type_name:?}"),
                    };
                    log.error(&summary, detail);
                }
                self.identity(&given.typed(), log).map(ImportKey::Identity)
            }
        }
    }

    /// An error about what the block names.
    fn error(&self, log: &mut Log, summary: &str, detail: impl Into<String>) {
        let (ImportTarget::Id(expr) | ImportTarget::Identity(expr)) = &self.block.subject;
        // What an object is imported by cannot come from itself.
        let place = place_of(expr, &self.block.to.resource).or_else(|| place(expr));
        log.push(Diagnostic { place, ..Diagnostic::error(summary, detail) });
    }

    fn id(&self, given: &Value, log: &mut Log) -> Option<String> {
        let Ok(id) = convert(given, &Type::String) else {
            self.error(log, "Incorrect value type", "The id of an import has to be a string.");
            return None;
        };
        let id = id.as_str().unwrap_or_default();
        if id.is_empty() && self.session.checks(Check::ImportId) {
            let detail = "The import ID value evaluates to a value that is null, empty or unknown. Please provide \
                          an ID that is known while planning.";
            self.error(log, "Invalid import id argument", detail);
            return None;
        }
        Some(id.to_owned())
    }

    fn identity(&self, given: &Value, log: &mut Log) -> Option<Value> {
        let schema = self.kind.catalog.identity(self.kind.type_name)?;
        let all = schema.attributes.iter().map(|it| (&*it.name, it.ty.clone()));
        let optional = schema.attributes.iter().filter(|it| it.for_import == ForImport::Optional);
        let optional = optional.map(|it| &*it.name);
        match convert(given, &ObjectType::with_optional(all, optional).into()) {
            Ok(identity)
                if identity.is_wholly_known() || !self.session.checks(Check::ImportIdentityKnown) =>
            {
                Some(identity)
            }
            Ok(_) => {
                self.error(
                    log,
                    "Invalid import identity argument",
                    "The identity of an import has to be known.",
                );
                None
            }
            Err(error) => {
                self.error(log, "Incorrect value type", format!("The identity does not fit: {error}."));
                None
            }
        }
    }
}
