//! `moved` blocks, and the moves that go without saying when `count` comes or goes.

use std::collections::HashMap;

use super::Core;
use super::check::Check;
use super::evaluate::marks;
use super::log::Log;
use super::object::{Kind, Live};
use super::record::{self, Which};
use super::session::Session;
use crate::address::{InstanceAddress, InstanceKey, ResourceAddress};
use crate::client::{MoveRequest, Provider};
use crate::config::{MovedBlock, Repetition};
use crate::core::{assert_wholly_known, assert_write_only_null, summary};
use crate::diagnostic::Diagnostic;
use crate::state::{Attributes, InstanceState, Object, State};

/// A state in which everything is where the configuration says.
pub(super) struct Moves {
    pub(super) state: State,
    /// Where objects were, by where they are now.
    pub(super) moved: HashMap<InstanceAddress, InstanceAddress>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Makes all moves.
pub(super) async fn apply(session: &Session, state: &State) -> Moves {
    let mut moves = Moves { state: state.clone(), moved: HashMap::new(), diagnostics: Vec::new() };
    let Some(blocks) = in_order(&session.config.moved) else {
        let detail = "The moved blocks lead in a circle, so nobody can tell where the objects shall be.";
        moves.diagnostics.push(Diagnostic::error("Cyclic dependency in move statements", detail));
        return moves;
    };
    for block in blocks {
        check(session, block, &mut moves);
        for (from, to) in pairs(block, &moves.state) {
            one(session, &from, &to, &mut moves).await;
        }
    }
    for (from, to) in implied(session, &moves.state) {
        one(session, &from, &to, &mut moves).await;
    }
    moves
}

/// The blocks in the order in which an object passes through them; `None` if there is none.
fn in_order(blocks: &[MovedBlock]) -> Option<Vec<&MovedBlock>> {
    let mut left: Vec<&MovedBlock> = blocks.iter().collect();
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let leads_to = |block: &MovedBlock| {
            left.iter().any(|other| !std::ptr::eq(*other, block) && touches(&other.to, &block.from))
        };
        let (ready, later): (Vec<_>, Vec<_>) = left.iter().partition(|block| !leads_to(block));
        if ready.is_empty() {
            return None;
        }
        ordered.extend(ready);
        left = later;
    }
    Some(ordered)
}

fn touches(a: &InstanceAddress, b: &InstanceAddress) -> bool {
    a.resource == b.resource && (a.key == b.key || a.key == InstanceKey::None || b.key == InstanceKey::None)
}

fn check(session: &Session, block: &MovedBlock, moves: &mut Moves) {
    let MovedBlock { from, to } = block;
    if from == to {
        let detail = format!("The moved block for {from} leads to itself.");
        moves.diagnostics.push(Diagnostic::error("Redundant move statement", detail));
    }
    let whole = from.key == InstanceKey::None && to.key == InstanceKey::None;
    if whole && from.resource != to.resource && session.layout.number(&from.resource).is_some() {
        let detail = format!("{from} is still declared, although a moved block says that it is now {to}.");
        moves.diagnostics.push(Diagnostic::error("Moved object still exists", detail));
    }
    let earlier = || session.config.moved.iter().take_while(|other| !std::ptr::eq(*other, block));
    if let Some(other) = earlier().find(|other| other.from == *from && other.to != *to) {
        let detail = format!("{from} is moved both to {} and to {to}.", other.to);
        moves.diagnostics.push(Diagnostic::error("Ambiguous move statements", detail));
    }
    if let Some(other) = earlier().find(|other| other.to == *to && other.from != *from) {
        let detail = format!("Both {} and {from} are moved to {to}.", other.from);
        moves.diagnostics.push(Diagnostic::error("Ambiguous move statements", detail));
    }
}

/// The instances that a block moves. Two addresses without keys mean the resources with all their instances.
fn pairs(block: &MovedBlock, state: &State) -> Vec<(InstanceAddress, InstanceAddress)> {
    let MovedBlock { from, to } = block;
    if from.key != InstanceKey::None || to.key != InstanceKey::None {
        return vec![(from.clone(), to.clone())];
    }
    let keys = state.resources.get(&from.resource).into_iter().flat_map(|it| it.instances.keys());
    let at = |resource: &ResourceAddress, key: &InstanceKey| InstanceAddress {
        resource: resource.clone(),
        key: key.clone(),
    };
    keys.map(|key| (at(&from.resource, key), at(&to.resource, key))).collect()
}

/// The only instance becomes the first when `count` is added, and the first the only one when it is taken away,
/// unless a block speaks of the resource.
fn implied(session: &Session, state: &State) -> Vec<(InstanceAddress, InstanceAddress)> {
    let mut moves = Vec::new();
    for block in &session.config.resources {
        let resource = &block.address;
        let explicit = &session.config.moved;
        if explicit.iter().any(|it| it.from.resource == *resource || it.to.resource == *resource) {
            continue;
        }
        let Some(stored) = state.resources.get(resource) else { continue };
        let (none, first) = (InstanceKey::None, InstanceKey::Index(0));
        let (from, to) = match &block.repetition {
            Repetition::Count(_) => (none, first),
            Repetition::Single => (first, none),
            Repetition::ForEach(_) => continue,
        };
        if stored.instances.contains_key(&from) && !stored.instances.contains_key(&to) {
            let at = |key| InstanceAddress { resource: resource.clone(), key };
            moves.push((at(from), at(to)));
        }
    }
    moves
}

async fn one(session: &Session, from: &InstanceAddress, to: &InstanceAddress, moves: &mut Moves) {
    let Some(old) = moves.state.resources.get(&from.resource) else { return };
    let Some(instance) = old.instances.get(&from.key).cloned() else { return };
    let old_provider = old.provider.clone();
    let occupied = moves.state.resources.get(&to.resource).and_then(|it| it.instances.get(&to.key));
    if occupied.is_some_and(|it| it.current.is_some()) {
        let summary = "Unresolved resource instance address changes";
        let detail = format!("{from} cannot become {to}, because there is an object already.");
        moves.diagnostics.push(Diagnostic::warning(summary, detail));
        return;
    }
    let target = session.layout.number(&to.resource).and_then(|number| session.layout.resource(number));
    let provider = target.map_or_else(|| old_provider.clone(), |resource| resource.provider.clone());
    let same = from.resource.type_name == to.resource.type_name && provider.provider == old_provider.provider;
    let instance = if same || target.is_none() {
        instance
    } else {
        let mut log = Log::new(to);
        let moved = across(
            session,
            &Crossing { from, to, provider: &provider.provider, old: &old_provider.provider },
            instance,
            &mut log,
        )
        .await;
        moves.diagnostics.extend(log.into_diagnostics());
        let Some(moved) = moved else { return };
        moved
    };
    let InstanceState { current, deposed } = instance;
    record::set(&mut moves.state, from, Which::Current, None);
    for key in deposed.keys() {
        record::set(&mut moves.state, from, Which::Deposed(key), None);
    }
    for (key, object) in deposed {
        record::set(&mut moves.state, to, Which::Deposed(&key), Some((object, &provider)));
    }
    if let Some(object) = current {
        record::set(&mut moves.state, to, Which::Current, Some((object, &provider)));
    }
    let first = moves.moved.remove(from).unwrap_or_else(|| from.clone());
    moves.moved.insert(to.clone(), first);
}

/// A move to another type, or to another provider.
struct Crossing<'a> {
    from: &'a InstanceAddress,
    to: &'a InstanceAddress,
    provider: &'a crate::address::ProviderAddress,
    old: &'a crate::address::ProviderAddress,
}

/// The provider of the target takes the object over. It is not configured for that.
async fn across(
    session: &Session,
    crossing: &Crossing<'_>,
    mut instance: InstanceState,
    log: &mut Log,
) -> Option<InstanceState> {
    let catalog = session.catalog(crossing.provider)?;
    if !catalog.schemas().capabilities.move_resource_state && session.checks(Check::MoveSupported) {
        let detail = format!(
            "The provider {} does not support moved operations across resource types and providers.",
            crossing.provider,
        );
        log.error("Unsupported `moved` across resource types", detail);
        return None;
    }
    let object = instance.current.take()?;
    let provider = catalog.provider(log.answered(session.launch(crossing.provider).await)?);
    instance.current = Some(taken_over(session, crossing, &provider, object, log).await?);
    Some(instance)
}

async fn taken_over(
    session: &Session,
    crossing: &Crossing<'_>,
    provider: &Provider,
    object: Object,
    log: &mut Log,
) -> Option<Object> {
    let Attributes::Json(state) = object.attributes else {
        log.error(
            "Unsupported `moved` across resource types",
            "The state is too old to be moved to another type.",
        );
        return None;
    };
    let request = MoveRequest {
        source_provider: &crossing.old.to_string(),
        source_type: &crossing.from.resource.type_name,
        source_version: object.schema_version,
        state,
        private: object.private,
        identity: object.identity,
        target_type: &crossing.to.resource.type_name,
    };
    let moved = log.answered(session.limited(provider.move_state(request)).await)?;
    log.provider(moved.diagnostics);
    if !log.is_fine() {
        return None;
    }
    let kind = Kind::of(provider.catalog(), &crossing.to.resource);
    let block = log.answered(kind.block())?;
    let invalid = "Provider returned invalid value";
    if session.checks(Check::MoveWriteOnly) {
        log.problems(invalid, assert_write_only_null(block, &moved.object.value));
    }
    if session.checks(Check::MoveKnown) {
        log.problems(invalid, assert_wholly_known(&moved.object.value));
    }
    if session.checks(Check::MoveIdentity) {
        let identity = moved.object.identity.as_ref().map(assert_wholly_known).unwrap_or_default();
        log.problems(summary::INVALID_IDENTITY, identity);
    }
    if !log.is_fine() {
        return None;
    }
    let sensitive = marks::of_schema(block, &moved.object.value);
    let live = Live {
        stored: moved.object,
        sensitive,
        status: object.status,
        dependencies: object.dependencies,
        create_before_destroy: object.create_before_destroy,
    };
    log.answered(kind.encode(&live))
}

impl Core {
    /// The problems with what a configuration says of objects that it does not declare (any more).
    pub(super) fn misplaced(&self, session: &Session) -> Vec<Diagnostic> {
        let declared = |resource: &ResourceAddress| session.layout.number(resource).is_some();
        let mut problems = Vec::new();
        for import in session.config.imports.iter().filter(|import| !declared(&import.to.resource)) {
            let detail = format!(
                "The configuration for the given import {} does not exist. All target instances must have an \
                 associated configuration to be imported.",
                import.to
            );
            let error = Diagnostic::error("Configuration for import target does not exist", detail);
            problems.push(Diagnostic { address: Some(import.to.to_string()), ..error });
        }
        if session.checks(Check::RemovedStillConfigured) {
            for removed in session.config.removed.iter().filter(|removed| declared(&removed.from)) {
                let detail = format!(
                    "The removed block says that {} is not declared any more, but it is.",
                    removed.from
                );
                problems.push(Diagnostic::error("Removed resource still exists", detail));
            }
        }
        problems
    }
}
