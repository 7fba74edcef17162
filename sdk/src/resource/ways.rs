//! The ways that upgrade steps make from version to version. Nothing in here depends on the type that is upgraded, so
//! a provider has it once.

use std::any::TypeId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::diag::{Diagnostic, Diagnostics};
use crate::ty::Type;

/// A step from a stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Flatmap,
}

/// A version with the Rust type of its values.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) version: i64,
    pub(super) rust: TypeId,
    pub(super) ty: fn() -> Type,
}

/// Where a step begins.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) version: i64,
    pub(super) form: Form,
    /// The type by which it reads the stored value, if it has one.
    pub(super) ty: Option<fn() -> Type>,
}

#[derive(Clone, Copy)]
struct Step {
    from: Origin,
    to: Target,
}

impl Origin {
    /// A stored value that is read by this type.
    pub(super) fn of(target: Target) -> Self {
        Self { version: target.version, form: Form::Json, ty: Some(target.ty) }
    }
}

/// From where to where steps lead; a step is known by its position.
pub(super) struct Ways {
    current: Target,
    released: Option<BTreeSet<i64>>,
    same: BTreeMap<i64, i64>,
    steps: Vec<Step>,
}

impl Ways {
    pub(super) fn new(current: Target) -> Self {
        Self { current, released: None, same: BTreeMap::new(), steps: Vec::new() }
    }

    pub(super) fn released(&mut self, versions: Vec<i64>) {
        self.released.get_or_insert_default().extend(versions);
    }

    pub(super) fn same(&mut self, version: i64, as_version: i64) {
        self.same.insert(version, as_version);
    }

    pub(super) fn step(&mut self, from: Origin, to: Target) {
        self.steps.push(Step { from, to });
    }

    /// To where a step leads.
    pub(super) fn target(&self, step: usize) -> Option<Target> {
        self.steps.get(step).map(|step| step.to)
    }

    /// The steps from a stored version to the current one: the direct one if there is one, otherwise those that lead
    /// furthest first.
    pub(super) fn way(&self, version: i64, form: Form) -> Option<Vec<usize>> {
        let way = self.way_from(version, form);
        way.or_else(|| self.way_from(*self.same.get(&version)?, form))
    }

    fn way_from(&self, version: i64, form: Form) -> Option<Vec<usize>> {
        let leads = |step: &Step| {
            // A step back is a mistake, which must not lead in a circle; the flat form may hold the current version.
            let onward = step.to.version > version;
            (step.from.version, step.from.form) == (version, form)
                && (onward || (form == Form::Flatmap && step.to.version == version))
        };
        let steps = self.steps.iter().enumerate().filter(|(_, step)| leads(step));
        let mut furthest: BinaryHeap<_> = steps.map(|(at, step)| (step.to.version, Reverse(at))).collect();
        while let Some((version, Reverse(at))) = furthest.pop() {
            if version == self.current.version {
                return Some(vec![at]);
            }
            if let Some(rest) = self.way_from(version, Form::Json) {
                return Some([vec![at], rest].concat());
            }
        }
        None
    }

    /// The versions with a way from this form, each with the versions on it.
    pub(super) fn paths(&self, form: Form) -> BTreeMap<i64, Vec<i64>> {
        let mut paths = BTreeMap::new();
        for version in self.versions() {
            if let Some(way) = self.way(version, form) {
                let targets = way.into_iter().filter_map(|step| self.target(step));
                paths.insert(version, targets.map(|to| to.version).collect());
            }
        }
        paths
    }

    /// The versions that steps speak of; some of them more than once.
    fn versions(&self) -> impl Iterator<Item = i64> {
        self.steps.iter().map(|step| step.from.version).chain(self.same.keys().copied())
    }

    /// The types by which stored JSON is read, by version.
    pub(super) fn types(&self) -> BTreeMap<i64, Type> {
        let read = |version| {
            let first = self.way(version, Form::Json)?.first().and_then(|step| self.steps.get(*step))?;
            Some((version, first.from.ty?()))
        };
        self.versions().filter_map(read).collect()
    }

    /// Mistakes of the steps; `what` is "state" or "identity".
    pub(super) fn mistakes(&self, what: &str, type_name: &str) -> Diagnostics {
        let mut found = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let (from, to) = (step.from.version, step.to.version);
            if to < from || (to == from && step.from.form == Form::Json) {
                found.push(format!(
                    "the upgrade from version {from} leads to version {to}, which is not later"
                ));
            } else if to > self.current.version {
                found.push(format!(
                    "the upgrade from version {from} leads to version {to}, but the current one is {}",
                    self.current.version
                ));
            } else if to == self.current.version && step.to.rust != self.current.rust {
                found.push(format!(
                    "the upgrade from version {from} makes another Rust type than the one of the current version {to}"
                ));
            }
            let twice = |before: &Step| {
                (before.from.version, before.from.form, before.to.version) == (from, step.from.form, to)
            };
            if self.steps.iter().take(at).any(twice) {
                found.push(format!("there are two upgrades from version {from} to version {to}"));
            }
        }
        let unreleased = self.released.iter().flatten().filter(|version| **version >= self.current.version);
        found.extend(unreleased.map(|version| {
            format!(
                "version {version} is declared as released, but the current one is {}",
                self.current.version
            )
        }));
        let missing = self.missing();
        if !missing.is_empty() {
            found.push(format!(
                "there is no upgrade from {missing} to the current version {}; add one, or declare with `released` \
                 which versions were released",
                self.current.version
            ));
        }
        found.into_iter().map(|found| mistake(what, type_name, &found)).collect()
    }

    /// The released versions without a way, as a text.
    fn missing(&self) -> String {
        let known = self.paths(Form::Json);
        if let Some(released) = &self.released {
            let missing = released.iter().filter(|it| **it < self.current.version && !known.contains_key(it));
            return missing.map(|version| format!("version {version}")).collect::<Vec<_>>().join(" and ");
        }
        // Without a declaration every version below the current one was released; there may be millions.
        let mut gaps = Vec::new();
        let mut next = 0;
        for version in known.into_keys().filter(|version| *version >= 0).chain([self.current.version]) {
            match version - next {
                ..=0 => {}
                1 => gaps.push(format!("version {next}")),
                _ => gaps.push(format!("the versions {next} to {}", version - 1)),
            }
            next = version.saturating_add(1);
        }
        gaps.join(" and ")
    }
}

fn mistake(what: &str, type_name: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        "Invalid Upgrades",
        format!(
            "The {what} upgrades of `{type_name}` have a mistake: {found}. This is a bug in the provider; its author \
             finds it in a test with `ferroform::testing::check`."
        ),
    )
}
