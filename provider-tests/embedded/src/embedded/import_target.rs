//! What an import block names.

use std::fmt::Display;

use ferroform::schema::ForImport;
use ferroform::ty::{ObjectType, Type};
use ferroform::value::Value;

use super::check::Check;
use super::evaluate::entries;
use super::import::{ImportKey, without_identity};
use super::layout::Resource;
use super::log::Log;
use super::names::unknown_variable;
use super::object::Kind;
use super::repetition::{Repetition, RepetitionData};
use super::scope::{Scope, evaluate, evaluate_without_call_details, marked_paths};
use super::session::Session;
use crate::address::{InstanceAddress, InstanceKey};
use crate::diagnostic::Diagnostic;
use crate::language::module::{Import, ReferenceCheck, SourceExpr, import_target, naming};
use crate::language::rule::Rule;
use crate::language::{self, MarkSet, Marked, Resolved, SourceFile, Traversal, convert};

pub(super) const INVALID_TO: &str = "Invalid import 'to' expression";
const INVALID_FOR_EACH: &str = "Invalid for_each argument";

/// The id or the identity of an import block for a resource of that kind.
pub(super) struct ImportIdentifier<'a> {
    pub(super) session: &'a Session,
    pub(super) block: &'a Import,
    pub(super) kind: Kind<'a>,
}

/// What is wrong with the imports of a resource as far as it can be told before anything is known. The scope is that of the
/// root module. As in core, the first check that fails ends the validation.
pub(super) fn validate(session: &Session, to: &Resource, kind: Kind<'_>, scope: &Scope<'_>, log: &mut Log) {
    let references = ReferenceCheck::new(session.modules(), scope.module.id).among(scope);
    for block in session.layout.imports_of(&to.address) {
        let each = Repetition::of(None, block.for_each.as_ref()).any();
        let identifier = ImportIdentifier { session, block, kind };
        let known = known_targets(block, scope);
        let of_block = [
            &|| own_references(&block.id, to, "Invalid import id argument"),
            &|| own_references(&block.for_each, to, INVALID_FOR_EACH),
            &|| references.for_each_of_import(block),
        ] as [&dyn Fn() -> Vec<Diagnostic>; 3];
        let of_targets = [
            &|| references.identifier_of_import(block),
            &|| wrong_keys(block, &each),
            &|| wrong_target(block, to, &known),
            &|| wrong_identifiers(&identifier, &known, (scope, &each), &log.address()),
        ] as [&dyn Fn() -> Vec<Diagnostic>; 4];
        // What is given for each element is looked at for each that is known.
        let has_no_known_target = match &known {
            Ok(known) => known.as_ref().is_none_or(Vec::is_empty),
            Err(_) => false,
        };
        let of_targets = of_targets.iter().filter(|_| !has_no_known_target);
        let wrong = of_block.iter().chain(of_targets).map(|check| check()).find(|wrong| !wrong.is_empty());
        if let Some(wrong) = wrong {
            return log.extend(wrong);
        }
    }
}

/// The references to what is imported: it cannot come from itself. Core compares the names alone, also where the resource is
/// in another module.
fn own_references(expr: &Option<SourceExpr>, to: &Resource, summary: &str) -> Vec<Diagnostic> {
    let address = &to.address;
    let own = Some((address.mode, address.type_name.as_str(), address.name.as_str()));
    let error = |expr: &SourceExpr, reference: &Traversal| {
        let detail =
            format!("The import refers to {}.{}, which it imports.", address.type_name, address.name);
        Diagnostic::error(summary, detail).on(expr.place(naming(reference)))
    };
    let of = |expr: &SourceExpr| -> Vec<Diagnostic> {
        let all = expr.references();
        all.iter().filter(|it| it.resource() == own).map(|it| error(expr, it)).collect()
    };
    expr.as_ref().map(of).unwrap_or_default()
}

/// What is wrong with the keys that an import names, whatever `each` is.
fn wrong_keys(block: &Import, each: &RepetitionData) -> Vec<Diagnostic> {
    let mut keys = import_target(block).into_iter().flat_map(|(_, keys)| keys);
    keys.find_map(|(_, key)| key_value(&key, each).err()).unwrap_or_default()
}

/// What is wrong with the id or the identity of an import, whatever `each` is, or else of the first import that has a wrong one.
fn wrong_identifiers(
    subject: &ImportIdentifier<'_>,
    known: &KnownTargets,
    (scope, any): (&Scope<'_>, &RepetitionData),
    resource: &dyn Display,
) -> Vec<Diagnostic> {
    let wrong = |each: &RepetitionData| wrong_identifier(subject, &Scope { each, ..*scope }, resource);
    match known {
        Ok(Some(all)) if subject.block.for_each.is_some() => {
            all.iter().map(|(_, each)| wrong(each)).find(|wrong| !wrong.is_empty()).unwrap_or_default()
        }
        _ => wrong(any),
    }
}

/// What is wrong with the id or the identity of an import, as far as it is known. The plan tells what refers to nothing that
/// is.
fn wrong_identifier(
    subject: &ImportIdentifier<'_>,
    scope: &Scope<'_>,
    resource: &dyn Display,
) -> Vec<Diagnostic> {
    let Some(expr) = subject.block.id.as_ref().or(subject.block.identity.as_ref()) else { return Vec::new() };
    let given = match evaluate(expr, scope) {
        Ok(given) => given,
        Err(problems) => return problems,
    };
    let mut log = Log::new(resource);
    if given.value.is_wholly_known() {
        if subject.block.id.is_some() {
            subject.id(expr, given, &mut log);
        } else if given.is_null() || !given.marks.all().sensitive {
            subject.identity(expr, given, &mut log);
        }
    }
    log.into_diagnostics()
}

/// What is wrong with where an import leads, as far as it is known: no instance of the resource can have such a key.
fn wrong_target(block: &Import, to: &Resource, known: &KnownTargets) -> Vec<Diagnostic> {
    let named = match known {
        Ok(named) => named.iter().flatten(),
        Err(problems) => return problems.clone(),
    };
    let wrong =
        named.map(|(address, _)| address).find(|address| !match (&to.block.count, &to.block.for_each) {
            (Some(_), _) => matches!(address.key, InstanceKey::Index(_)),
            (None, Some(_)) => matches!(address.key, InstanceKey::Key(_)),
            (None, None) => address.key == InstanceKey::None,
        });
    wrong.map(|address| misfit(block, address)).into_iter().collect()
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
    let unknown = |for_each: &SourceExpr| {
        let detail = "The for_each argument of an import must be known when planning.";
        vec![for_each.error(INVALID_FOR_EACH, detail)]
    };
    let known = known_targets(import, scope)?;
    known.ok_or_else(|| import.for_each.as_ref().map(unknown).unwrap_or_default())
}

/// Where a block imports to; `None` where its `for_each` is not wholly known.
type KnownTargets = Result<Option<Vec<(InstanceAddress, RepetitionData)>>, Vec<Diagnostic>>;

/// The same as far as it is known.
fn known_targets(import: &Import, scope: &Scope<'_>) -> KnownTargets {
    let Some(for_each) = &import.for_each else {
        return Ok(Some(vec![(target(import, scope.each)?, scope.each.clone())]));
    };
    let given = evaluate_without_call_details(for_each, scope)?;
    if !given.value.is_wholly_known() {
        return Ok(None);
    }
    let is_ephemeral = given.marks.whole().ephemeral && Rule::EphemeralForEach.holds();
    let is_scalar = !given.is_null() && matches!(given.ty, Type::String | Type::Number | Type::Bool);
    let wrong = [
        (is_ephemeral, "The for_each argument of an import must not be ephemeral."),
        (is_scalar, "The for_each argument must be a map, a list, or a set."),
    ];
    let wrong = wrong.into_iter().filter(|(is_wrong, _)| *is_wrong);
    let wrong: Vec<_> = wrong.map(|(_, detail)| for_each.error(INVALID_FOR_EACH, detail)).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    if given.is_null() {
        return Ok(Some(Vec::new()));
    }
    let target = |(key, value): (Marked, Marked)| {
        // Keys are shown as addresses, whatever they are made of.
        let (key, _) = key.unmark_deep();
        let each = RepetitionData { key: Some(key), value: Some(value), ..RepetitionData::default() };
        Ok((target(import, &each)?, each))
    };
    entries(&given)?.map(|entries| entries.into_iter().map(target).collect()).transpose()
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
    InstanceKey::of(key.value.peel()).ok_or_else(|| vec![expr.error("Invalid address", invalid)])
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
                let detail = "Only each.key and each.value have a value here.";
                Err(vec![unknown_variable((self.source, traversal), detail)])
            }
        }
    }
}

fn unusable_id(expr: &SourceExpr) -> Diagnostic {
    let detail = "The import ID value evaluates to a value that is null, empty or unknown. Please provide an ID that is \
                  known while planning.";
    expr.error("Invalid import id argument", detail)
}

impl ImportIdentifier<'_> {
    pub(super) fn named(&self, scope: &Scope<'_>, log: &mut Log) -> Option<ImportKey> {
        let expr = self.block.id.as_ref().or(self.block.identity.as_ref())?;
        let given = match evaluate(expr, scope) {
            Ok(given) => given,
            Err(problems) => {
                log.extend(problems);
                // Core takes the id for unknown after an error (observed on Terraform 1.15.5).
                log.extend(self.block.id.as_ref().map(unusable_id));
                return None;
            }
        };
        if self.block.id.is_some() {
            return self.id(expr, given, log).map(ImportKey::Id);
        }
        // Core drops the marks of the identity as a whole. What is deprecated has a mark where core knows of that.
        let counts: fn(&MarkSet) -> bool = match self.session.layout.warns_of_deprecated {
            true => |marks| !marks.is_empty(),
            false => MarkSet::is_secret,
        };
        let within = marked_paths(&given, counts).into_iter().find(|path| !path.is_root());
        if let (Some(path), true) = (within, self.session.checks(Check::ImportIdentitySensitive)) {
            let detail = "No part of the identity of an import can be sensitive, ephemeral or deprecated.";
            let summary = format!(".{path}: value has marks, so it cannot be serialized");
            log.error_without_address(&summary, detail);
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

    fn id(&self, expr: &SourceExpr, given: Marked, log: &mut Log) -> Option<String> {
        let Ok(id) = convert(given, &Type::String) else {
            log.push(expr.error("Incorrect value type", "The id of an import must be a string."));
            return None;
        };
        let id = id.value.as_str().unwrap_or_default();
        if id.is_empty() && self.session.checks(Check::ImportId) {
            log.push(unusable_id(expr));
            return None;
        }
        Some(id.to_owned())
    }

    fn identity(&self, expr: &SourceExpr, given: Marked, log: &mut Log) -> Option<Value> {
        let schema = self.kind.catalog.identity(self.kind.type_name)?;
        let all = schema.attributes.iter().map(|it| (&*it.name, it.ty.clone()));
        let optional = schema.attributes.iter().filter(|it| it.for_import == ForImport::Optional);
        let optional = optional.map(|it| &*it.name);
        if given.is_null() {
            log.push(
                expr.error("Invalid import identity argument", "The identity of an import cannot be null."),
            );
            return None;
        }
        match convert(given, &ObjectType::with_optional(all, optional).into()).map(|it| it.value) {
            Ok(identity)
                if identity.is_wholly_known() || !self.session.checks(Check::ImportIdentityKnown) =>
            {
                Some(identity)
            }
            Ok(_) => {
                let detail = "The identity of an import has to be known.";
                log.push(expr.error("Invalid import identity argument", detail));
                None
            }
            Err(error) => {
                let detail = format!("The identity does not fit: {error}.");
                log.push(expr.error("Incorrect value type", detail));
                None
            }
        }
    }
}
