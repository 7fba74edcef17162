//! What an import block names.

use ferroform::schema::ForImport;
use ferroform::ty::{ObjectType, Type};
use ferroform::value::Value;

use super::check::Check;
use super::evaluate::entries;
use super::import::{ImportKey, without_identity};
use super::layout::Resource;
use super::log::Log;
use super::object::Kind;
use super::repetition::{NO_REPETITION, Repetition, RepetitionData};
use super::scope::{Scope, evaluate, sensitive_paths};
use super::session::Session;
use crate::address::{InstanceAddress, InstanceKey};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Import, SourceExpr, import_target, places_of};
use crate::language::rule::Rule;
use crate::language::{self, Marked, Resolved, SourceFile, Traversal, convert};

const INVALID_TO: &str = "Invalid import 'to' expression";

/// The id or the identity of an import block for a resource of that kind.
pub(super) struct ImportIdentifier<'a> {
    pub(super) session: &'a Session,
    pub(super) block: &'a Import,
    pub(super) kind: Kind<'a>,
}

/// What is wrong with the imports of a resource as far as it can be told before anything is known. The scope is that of the
/// root module.
pub(super) fn validate(session: &Session, to: &Resource, kind: Kind<'_>, scope: &Scope<'_>, log: &mut Log) {
    for block in session.layout.imports_of(&to.address) {
        let each = Repetition::of(None, block.for_each.as_ref()).any();
        let scope = Scope { each: &each, ..*scope };
        // Core looks no further than the first wrong key, id or identity.
        let keys = import_target(block).into_iter().flat_map(|(_, keys)| keys);
        let failed = keys.map(|(_, key)| key_value(&key, &each)).find_map(Result::err);
        let wrong = failed.unwrap_or_else(|| wrong_key(block, to, &scope).into_iter().collect());
        log.extend(wrong);
        if !log.is_fine() {
            return;
        }
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
        if !log.is_fine() {
            return;
        }
    }
}

/// What is wrong with the keys that an import names, as far as these are known: no instance of the resource can have one.
fn wrong_key(block: &Import, to: &Resource, scope: &Scope<'_>) -> Option<Diagnostic> {
    let named = targets(block, &Scope { each: &NO_REPETITION, ..*scope }).unwrap_or_default();
    let wrong = named.into_iter().map(|(address, _)| address).find(|address| !match (
        &to.block.count,
        &to.block.for_each,
    ) {
        (Some(_), _) => matches!(address.key, InstanceKey::Index(_)),
        (None, Some(_)) => matches!(address.key, InstanceKey::Key(_)),
        (None, None) => address.key == InstanceKey::None,
    });
    wrong.map(|address| misfit(block, &address))
}

/// A key that no instance of the resource can have.
pub(super) fn misfit(import: &Import, address: &InstanceAddress) -> Diagnostic {
    let detail = format!("{address} has a key that no instance of the resource can have, or lacks one.");
    Diagnostic::error(INVALID_TO, detail).on(import.to.subject())
}

/// An instance that is not declared.
pub(super) fn missing(import: &Import, address: &InstanceAddress) -> Diagnostic {
    let detail = format!(
        "The configuration for the given import {address} does not exist. All target instances must have an associated \
         configuration to be imported."
    );
    Diagnostic::error("Configuration for import target does not exist", detail).on(import.to.subject())
}

/// Where a block imports to, with what its expressions can refer to. The scope is that of the root module.
pub(super) fn targets(
    import: &Import,
    scope: &Scope<'_>,
) -> Result<Vec<(InstanceAddress, RepetitionData)>, Vec<Diagnostic>> {
    let Some(for_each) = &import.for_each else {
        return Ok(vec![(target(import, scope.each)?, scope.each.clone())]);
    };
    let invalid = |detail: &str| vec![for_each.error("Invalid for_each argument", detail)];
    let unknown = "The for_each argument of an import has to be known when planning.";
    let given = evaluate(for_each, scope)?;
    if given.marks.whole().ephemeral && Rule::EphemeralForEach.holds() {
        return Err(invalid("The for_each argument of an import must not be ephemeral."));
    }
    if given.is_null() {
        return Ok(Vec::new());
    }
    if matches!(given.ty, Type::String | Type::Number | Type::Bool) {
        return Err(invalid("The for_each argument has to be a map, a list, or a set."));
    }
    let mut targets = Vec::new();
    for (key, value) in entries(&given)?.ok_or_else(|| invalid(unknown))? {
        if !key.value.is_wholly_known() {
            return Err(invalid(unknown));
        }
        // Keys are shown as addresses, whatever they are made of.
        let (key, _) = key.unmark_deep();
        let each = RepetitionData { key: Some(key), value: Some(value), ..RepetitionData::default() };
        targets.push((target(import, &each)?, each));
    }
    Ok(targets)
}

fn target(import: &Import, each: &RepetitionData) -> Result<InstanceAddress, Vec<Diagnostic>> {
    let (mut to, keys) = import_target(import)?;
    for (at, expr) in &keys {
        let key = key_of(expr, each)?;
        match to.resource.module.0.get_mut(*at) {
            Some((_, step)) => *step = key,
            None => to.key = key,
        }
    }
    Ok(to)
}

fn key_of(expr: &SourceExpr, each: &RepetitionData) -> Result<InstanceKey, Vec<Diagnostic>> {
    let key = key_value(expr, each)?;
    if key.marks.all().sensitive {
        let detail = "Keys are shown as addresses, so they must not be sensitive.";
        return Err(vec![expr.error("Invalid index expression", detail)]);
    }
    let invalid = "A key has to be known, and a whole number or a string.";
    InstanceKey::of(key.value.peel()).ok_or_else(|| vec![Diagnostic::error(INVALID_TO, invalid)])
}

/// The value of a key: `each` is all that there is for it.
fn key_value(expr: &SourceExpr, each: &RepetitionData) -> Result<Marked, Vec<Diagnostic>> {
    let value = language::evaluate(expr.expression(), &EachAlone { source: expr.source(), each });
    value.map_err(|problems| problems.into_iter().map(|problem| expr.placed(problem)).collect())
}

/// A scope with nothing but `each`.
struct EachAlone<'a> {
    source: &'a SourceFile,
    each: &'a RepetitionData,
}

impl language::Scope for EachAlone<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn allows_calls(&self) -> bool {
        false
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        match (traversal.root.as_str(), &self.each.key, &self.each.value) {
            ("each", Some(key), Some(value)) => {
                let each = vec![("key".into(), key.clone()), ("value".into(), value.clone())];
                Ok(Resolved { value: Marked::object(each), steps: 0 })
            }
            _ => {
                let error =
                    Diagnostic::error("Unknown variable", "Only each.key and each.value have a value here.");
                Err(vec![error.at(self.source, traversal.through(0))])
            }
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
            return log.refuse(&format!(".{path}: value has marks, so it cannot be serialized"), detail);
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
        let places = own.map(|to| places_of(self.session.modules(), (to.module, to.at), expr));
        let place = places.and_then(|places| places.into_iter().next()).map(|(_, place)| place);
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
