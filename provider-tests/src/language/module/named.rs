//! Named values: what they are made of, and the order in which they are evaluated.
//!
//! A value may be defined by way of any number of others, so nothing here calls itself for each of them.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::evaluate::{Outcome, View};
use super::instance::{Instances, Kind, Slot};
use super::references::ReferenceCollector;
use crate::address::ResourceAddress;
use crate::language::Diagnostic;

/// A named value of a module instance.
pub(crate) type Key = (usize, Kind, String);

/// What the definition of a named value refers to itself.
#[derive(Debug, Default)]
pub(super) struct Definition {
    pub(super) named: Vec<Key>,
    pub(super) resources: Vec<ResourceAddress>,
    /// The resources that it does not name itself, but has to wait for.
    pub(super) beside: Vec<ResourceAddress>,
    /// Whether it may be something else each time, although it refers to nothing.
    pub(super) varies: bool,
    /// Whether it calls a function of a provider.
    pub(super) calls: bool,
}

/// What a named value depends on, itself or by way of others.
#[derive(Debug, Clone, Default)]
pub(super) struct Dependencies {
    pub(super) resources: Arc<[ResourceAddress]>,
    pub(super) calls: bool,
    varies: bool,
}

/// What is known of definitions. It does not change once all modules have their instances.
#[derive(Debug, Default)]
pub(super) struct Definitions(Mutex<DefinitionCache>);

#[derive(Debug, Default)]
struct DefinitionCache {
    definitions: HashMap<Key, Arc<Definition>>,
    dependencies: HashMap<Key, Dependencies>,
}

/// What came of looking for a named value.
#[derive(Clone)]
enum Lookup {
    /// There is none with this name.
    Nothing,
    Value(Outcome),
}

/// The values that one evaluation has come across.
#[derive(Default)]
pub(super) struct Memo {
    values: RefCell<HashMap<Key, Lookup>>,
    /// What is being evaluated.
    open: RefCell<HashSet<Key>>,
    early: Cell<bool>,
    pending: Cell<bool>,
}

impl Lookup {
    fn value(self) -> Option<Outcome> {
        match self {
            Self::Nothing => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl Memo {
    /// Takes note of a module that has no instances yet.
    pub(super) fn set_early(&self) {
        self.early.set(true);
    }

    /// Takes note of a module whose instances depend on resources.
    pub(super) fn set_pending(&self) {
        self.pending.set(true);
    }

    /// Whether something was asked of a module whose instances depend on resources.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.get()
    }

    /// Whether something was asked of a module that has no instances yet.
    pub(super) fn is_early(&self) -> bool {
        self.early.get()
    }
}

impl Definitions {
    /// Nothing is held while something else is called, so a panic leaves nothing half written.
    fn lock(&self) -> MutexGuard<'_, DefinitionCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Instances {
    /// Forgets what was known before there were more instances.
    pub(super) fn forget_definitions(&self) {
        *self.definitions.lock() = DefinitionCache::default();
    }

    fn definition(&self, key: &Key) -> Arc<Definition> {
        if let Some(known) = self.definitions.lock().definitions.get(key) {
            return known.clone();
        }
        let definition = Arc::new(ReferenceCollector::definition(self, key));
        self.definitions.lock().definitions.insert(key.clone(), definition.clone());
        definition
    }

    fn known_dependencies(&self, key: &Key) -> Option<Dependencies> {
        self.definitions.lock().dependencies.get(key).cloned()
    }

    /// What a named value depends on, directly or by way of others.
    pub(super) fn dependencies_of(&self, key: &Key) -> Dependencies {
        let mut stack = vec![key.clone()];
        let mut entered = HashSet::new();
        while let Some(next) = stack.last().cloned() {
            if self.known_dependencies(&next).is_some() {
                stack.pop();
                continue;
            }
            let definition = self.definition(&next);
            if entered.insert(next.clone()) {
                let open = definition.named.iter().filter(|other| !entered.contains(*other));
                stack.extend(open.filter(|other| self.known_dependencies(other).is_none()).cloned());
                continue;
            }
            let all = self.union(&definition);
            self.definitions.lock().dependencies.insert(next, all);
            stack.pop();
        }
        self.known_dependencies(key).unwrap_or_default()
    }

    /// What a definition refers to with all that the values in it do. Chains of values share theirs.
    fn union(&self, definition: &Definition) -> Dependencies {
        let mut parts: Vec<Arc<[ResourceAddress]>> = Vec::new();
        let Definition { mut varies, mut calls, .. } = *definition;
        for part in definition.named.iter().filter_map(|key| self.known_dependencies(key)) {
            varies |= part.varies;
            calls |= part.calls;
            if !part.resources.is_empty() && !parts.iter().any(|known| Arc::ptr_eq(known, &part.resources)) {
                parts.push(part.resources);
            }
        }
        let own = [definition.resources.as_slice(), definition.beside.as_slice()].concat();
        if let ([only], []) = (parts.as_slice(), own.as_slice()) {
            return Dependencies { resources: only.clone(), calls, varies };
        }
        let mut all = own;
        all.extend(parts.iter().flat_map(|part| part.iter().cloned()));
        all.sort();
        all.dedup();
        Dependencies { resources: all.into(), calls, varies }
    }
}

impl View<'_> {
    /// A named value, after all those that it is made of; `None` if there is none with this name.
    pub(super) fn named(&self, at: usize, kind: Kind, name: &str) -> Option<Outcome> {
        let key = (at, kind, name.to_owned());
        if let Some(known) = self.known(&key) {
            return known.value();
        }
        if self.memo.open.borrow().contains(&key) {
            return Some(Err(vec![cycle(name)]));
        }
        let mut stack = vec![key.clone()];
        while let Some(next) = stack.last().cloned() {
            if self.known(&next).is_some() {
                stack.pop();
            } else if self.memo.open.borrow_mut().insert(next.clone()) {
                let definition = self.instances.definition(&next);
                let open = definition.named.iter().filter(|other| !self.memo.open.borrow().contains(*other));
                stack.extend(open.filter(|other| self.known(other).is_none()).cloned());
            } else {
                let (at, kind, name) = &next;
                let value = self.compute(*at, *kind, name);
                self.memo.open.borrow_mut().remove(&next);
                self.remember(next, value);
                stack.pop();
            }
        }
        self.known(&key)?.value()
    }

    /// Where a named value is kept for ever; `None` if there is none with this name.
    fn slot(&self, (at, kind, name): &Key) -> Option<&Slot> {
        self.instances.get(*at)?.names.get(&(*kind, name.clone()))
    }

    /// What is known of a named value, in this evaluation, in this walk, or for ever.
    fn known(&self, key: &Key) -> Option<Lookup> {
        let Some(slot) = self.slot(key) else { return Some(Lookup::Nothing) };
        if let Some(value) = slot.fixed.get() {
            return Some(Lookup::Value(Ok(value.clone())));
        }
        let known = self.memo.values.borrow().get(key).cloned();
        known.or_else(|| self.resources.recall(key).map(Lookup::Value))
    }

    /// What depends on no resource is the same for ever, unless it is made anew at each evaluation. What depends on
    /// resources is the same in a walk as soon as these are done.
    fn remember(&self, key: Key, value: Option<Outcome>) {
        let Some(found) = value else {
            self.memo.values.borrow_mut().insert(key, Lookup::Nothing);
            return;
        };
        let Dependencies { resources, calls, varies } = self.instances.dependencies_of(&key);
        let slot = self.slot(&key);
        let is_fixed = resources.is_empty() && !calls && !varies && !self.memo.is_early();
        match (&found, slot) {
            (Ok(known), Some(slot)) if is_fixed && known.value.is_wholly_known() => {
                slot.fixed.get_or_init(|| known.clone());
            }
            _ => {
                let is_final =
                    !self.memo.is_early() && resources.iter().all(|it| self.resources.is_final(it));
                let found = if is_final { self.resources.keep(&key, found) } else { found };
                self.memo.values.borrow_mut().insert(key, Lookup::Value(found));
            }
        }
    }
}

fn cycle(name: &str) -> Diagnostic {
    let detail = format!("The value {name:?} is defined by way of itself.");
    Diagnostic::error("Cycle", detail)
}
