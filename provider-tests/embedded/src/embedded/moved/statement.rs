//! What `moved` blocks say: which addresses they are about, what becomes of these, and which of them comes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::address::{InstanceAddress, InstanceKey, Mode, ModuleInstance, MoveEndpoint, ResourceAddress};
use crate::language::module::{ModuleId, Moved};

/// A `moved` block as a rule for addresses.
pub(super) struct Statement<'a> {
    pub(super) block: &'a Moved,
    /// The module that says so.
    pub(super) module: ModuleId,
    pub(super) from: Pattern,
    pub(super) to: Pattern,
    /// How many steps lead to that module.
    around: usize,
}

/// The addresses that one end of a statement stands for.
pub(super) struct Pattern {
    modules: Vec<(String, Key)>,
    resource: Option<(Mode, String, String, Key)>,
}

/// The keys that a step may have.
#[derive(Clone, PartialEq, Eq)]
enum Key {
    Any,
    Only(InstanceKey),
}

impl Key {
    fn fits(&self, key: &InstanceKey) -> bool {
        match self {
            Self::Any => true,
            Self::Only(only) => only == key,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Only(one), Self::Only(other)) => one == other,
            _ => true,
        }
    }

    fn instead_of(&self, key: &InstanceKey) -> InstanceKey {
        match self {
            Self::Any => key.clone(),
            Self::Only(only) => only.clone(),
        }
    }
}

impl<'a> Statement<'a> {
    /// `path` is that of the module, without keys.
    pub(super) fn new(module: ModuleId, path: &ModuleInstance, block: &'a Moved) -> Self {
        let all = are_whole((&block.from, &block.to));
        let [from, to] = [&block.from, &block.to].map(|end| Pattern::new(path, end, all));
        Self { block, module, from, to, around: path.0.len() }
    }

    pub(super) fn is_of_modules(&self) -> bool {
        self.from.resource.is_none()
    }

    /// Whether it moves resources with all their instances.
    pub(super) fn is_of_all_instances(&self) -> bool {
        matches!(self.from.resource, Some((_, _, _, Key::Any)))
    }

    /// Where a module is now, if it or one around it is moved.
    pub(super) fn module(&self, module: &ModuleInstance) -> Option<ModuleInstance> {
        let (moved, inner) = module.0.split_at_checked(self.from.modules.len())?;
        if !self.from.fits_modules(moved) {
            return None;
        }
        let around = moved.get(..self.around)?;
        let steps = self.to.modules.get(self.around..)?.iter();
        let last = moved.last().map(|(_, key)| key.clone()).unwrap_or_default();
        let steps = steps.map(|(name, key)| (name.clone(), key.instead_of(&last)));
        Some(ModuleInstance(around.iter().cloned().chain(steps).chain(inner.iter().cloned()).collect()))
    }

    /// Where an instance of a resource is now, if it is moved.
    pub(super) fn instance(&self, address: &InstanceAddress) -> Option<InstanceAddress> {
        let InstanceAddress { resource, key } = address;
        let (_, _, _, from) = self.from.resource.as_ref().filter(|_| self.from.speaks_of(resource))?;
        if !from.fits(key) {
            return None;
        }
        let (mode, type_name, name, to) = self.to.resource.as_ref()?;
        let around = resource.module.0.get(..self.around)?.iter().cloned();
        let steps = self.to.modules.get(self.around..)?.iter();
        let steps = steps.map(|(name, key)| (name.clone(), key.instead_of(&InstanceKey::None)));
        let module = ModuleInstance(around.chain(steps).collect());
        let (type_name, name) = (type_name.clone(), name.clone());
        let resource = ResourceAddress { module, mode: *mode, type_name, name };
        Some(InstanceAddress { resource, key: to.instead_of(key) })
    }

    /// Whether what another statement does has to be done before.
    fn comes_after(&self, other: &Self) -> bool {
        if self.from.overlaps(&other.to) {
            return true;
        }
        let nested = self.from.is_in(&other.to)
            || self.to.is_in(&other.to)
            || other.from.is_in(&self.from)
            || other.to.is_in(&self.from);
        // A module around that only gets other keys is the same for what is in it, before and after.
        nested && (self.around >= other.around || !self.changes_keys_only())
    }

    fn changes_keys_only(&self) -> bool {
        let names = |end: &Pattern| end.modules.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        self.is_of_modules() && names(&self.from) == names(&self.to)
    }
}

impl Pattern {
    fn new(around: &ModuleInstance, end: &MoveEndpoint, all: bool) -> Self {
        let around = around.0.iter().map(|(name, _)| (name.clone(), Key::Any));
        let only = |module: &ModuleInstance| {
            let steps = module.0.iter();
            steps.map(|(name, key)| (name.clone(), Key::Only(key.clone()))).collect::<Vec<_>>()
        };
        let last = |key: &InstanceKey| if all { Key::Any } else { Key::Only(key.clone()) };
        match end {
            MoveEndpoint::Module(module) => {
                let mut modules: Vec<_> = around.chain(only(module)).collect();
                if let (Some((_, pattern)), Some((_, key))) = (modules.last_mut(), module.0.last()) {
                    *pattern = last(key);
                }
                Self { modules, resource: None }
            }
            MoveEndpoint::Resource(InstanceAddress { resource, key }) => {
                let modules = around.chain(only(&resource.module)).collect();
                let (type_name, name) = (resource.type_name.clone(), resource.name.clone());
                Self { modules, resource: Some((resource.mode, type_name, name, last(key))) }
            }
        }
    }

    fn fits_modules(&self, steps: &[(String, InstanceKey)]) -> bool {
        let mut pairs = self.modules.iter().zip(steps);
        self.modules.len() == steps.len() && pairs.all(|((a, pattern), (b, key))| a == b && pattern.fits(key))
    }

    /// Whether it is an end at a resource, and that resource is there or one of its instances is.
    pub(super) fn speaks_of(&self, it: &ResourceAddress) -> bool {
        let Some((mode, type_name, name, _)) = &self.resource else { return false };
        (*mode, type_name, name) == (it.mode, &it.type_name, &it.name) && self.fits_modules(&it.module.0)
    }

    /// Whether there are addresses that both stand for.
    fn overlaps(&self, other: &Self) -> bool {
        let resources = match (&self.resource, &other.resource) {
            (None, None) => true,
            (Some(a), Some(b)) => (a.0, &a.1, &a.2) == (b.0, &b.1, &b.2) && a.3.overlaps(&b.3),
            _ => false,
        };
        resources && self.modules.len() == other.modules.len() && self.begins_as(other)
    }

    /// Whether it may be within a module that the other stands for, or is an instance of what that is as a whole.
    fn is_in(&self, other: &Self) -> bool {
        let is_instance = *self.last_key() != Key::Any && *other.last_key() == Key::Any;
        match (&self.resource, &other.resource) {
            (_, Some(_)) => is_instance && self.overlaps(other),
            (Some(_), None) => self.modules.len() >= other.modules.len() && self.begins_as(other),
            (None, None) => {
                let deeper = self.modules.len() > other.modules.len();
                (deeper || is_instance && self.modules.len() == other.modules.len()) && self.begins_as(other)
            }
        }
    }

    /// The keys of what it stands for.
    fn last_key(&self) -> &Key {
        let resource = self.resource.as_ref().map(|(_, _, _, key)| key);
        resource.or_else(|| self.modules.last().map(|(_, key)| key)).unwrap_or(&Key::Any)
    }

    fn begins_as(&self, other: &Self) -> bool {
        self.modules.iter().zip(&other.modules).all(|((a, one), (b, other))| a == b && one.overlaps(other))
    }
}

/// Whether a `moved` block moves all instances of a resource or module.
pub(super) fn are_whole((from, to): (&MoveEndpoint, &MoveEndpoint)) -> bool {
    [from, to].iter().all(|end| match end {
        MoveEndpoint::Module(module) => module.0.last().is_none_or(|(_, key)| *key == InstanceKey::None),
        MoveEndpoint::Resource(address) => address.key == InstanceKey::None,
    })
}

/// The statements in the order in which an object passes through them; `None` if there is none.
pub(super) fn in_order<'s, 'a>(statements: &'s [Statement<'a>]) -> Option<Vec<&'s Statement<'a>>> {
    let mut waits_for = vec![0_usize; statements.len()];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); statements.len()];
    for (at, (statement, waits)) in statements.iter().zip(&mut waits_for).enumerate() {
        for (first, (other, next)) in statements.iter().zip(&mut next).enumerate() {
            if at != first && statement.comes_after(other) {
                next.push(at);
                *waits += 1;
            }
        }
    }
    let free = waits_for.iter().enumerate().filter(|(_, waits)| **waits == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(|(at, _)| Reverse(at)).collect();
    let mut ordered = Vec::with_capacity(statements.len());
    while let Some(Reverse(at)) = ready.pop() {
        ordered.push(statements.get(at)?);
        for later in next.get(at)? {
            let waits = waits_for.get_mut(*later)?;
            *waits -= 1;
            if *waits == 0 {
                ready.push(Reverse(*later));
            }
        }
    }
    (ordered.len() == statements.len()).then_some(ordered)
}
