//! The ways that upgrade steps make from version to version. Nothing in here depends on the type that is upgraded, so
//! a provider has it once.

use std::any::TypeId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

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
    /// What the steps come to, in JSON and in the flat form, once somebody asks.
    found: OnceLock<(Found, Found)>,
}

/// The ways from stored versions.
type Found = BTreeMap<i64, Vec<usize>>;

impl Ways {
    pub(super) fn new(current: Target) -> Self {
        Self { current, released: None, same: BTreeMap::new(), steps: Vec::new(), found: OnceLock::new() }
    }

    pub(super) fn released(&mut self, versions: Vec<i64>) {
        self.released.get_or_insert_default().extend(versions);
    }

    pub(super) fn same(&mut self, version: i64, as_version: i64) {
        self.same.insert(version, as_version);
        self.found.take();
    }

    pub(super) fn step(&mut self, from: Origin, to: Target) {
        self.steps.push(Step { from, to });
        self.found.take();
    }

    /// The steps from a stored version to the current one: the direct one if there is one, otherwise those that lead
    /// furthest first.
    pub(super) fn way(&self, version: i64, form: Form) -> Option<&[usize]> {
        self.found(form).get(&version).map(Vec::as_slice)
    }

    /// The versions with a way from this form, each with the versions on it.
    pub(super) fn paths(&self, form: Form) -> BTreeMap<i64, Vec<i64>> {
        let targets = |way: &Vec<usize>| {
            way.iter().filter_map(|step| Some(self.steps.get(*step)?.to.version)).collect()
        };
        self.found(form).iter().map(|(version, way)| (*version, targets(way))).collect()
    }

    fn found(&self, form: Form) -> &Found {
        let (json, flatmap) = self.found.get_or_init(|| {
            let json = self.find(Form::Json, &Found::new());
            let flatmap = self.find(Form::Flatmap, &json);
            (self.with_same(json), self.with_same(flatmap))
        });
        match form {
            Form::Json => json,
            Form::Flatmap => flatmap,
        }
    }

    /// The ways from the stored versions of this form. After the first step it is JSON, from which there are ways.
    fn find(&self, form: Form, json: &Found) -> Found {
        let mut steps: Vec<_> = self.steps.iter().enumerate().collect();
        steps.retain(|(_, step)| step.from.form == form);
        // The latest first, so that it is known of each target whether there is a way on, and the furthest first.
        steps.sort_by_key(|(_, step)| Reverse((step.from.version, step.to.version)));
        let mut found = Found::new();
        for (at, step) in steps {
            let (from, to) = (step.from.version, step.to.version);
            // A step back is a mistake, which must not lead in a circle; the flat form may hold the current version.
            let leads_on = to > from || (form == Form::Flatmap && to == from);
            let rest = match form {
                _ if to == self.current.version => Some(Vec::new()),
                Form::Json => found.get(&to).cloned(),
                Form::Flatmap => json.get(&to).cloned(),
            };
            if let Some(rest) = rest.filter(|_| leads_on && !found.contains_key(&from)) {
                found.insert(from, [vec![at], rest].concat());
            }
        }
        found
    }

    /// These ways, and those of versions that are like others.
    fn with_same(&self, found: Found) -> Found {
        let same = self.same.iter().filter_map(|(version, like)| Some((*version, found.get(like)?.clone())));
        let same: Found = same.collect();
        same.into_iter().chain(found).collect()
    }

    /// The types by which stored JSON is read, by version.
    pub(super) fn types(&self) -> BTreeMap<i64, Type> {
        let read = |(version, way): (&i64, &Vec<usize>)| {
            let first = self.steps.get(*way.first()?)?;
            Some((*version, first.from.ty?()))
        };
        self.found(Form::Json).iter().filter_map(read).collect()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A step: from which version, in which form, to which version.
    type Leads = (i64, Form, i64);

    const fn json(from: i64, to: i64) -> Leads {
        (from, Form::Json, to)
    }

    const fn flat(from: i64, to: i64) -> Leads {
        (from, Form::Flatmap, to)
    }

    fn ways(current: i64, steps: &[Leads]) -> Ways {
        let target = |version| Target { version, rust: TypeId::of::<i64>(), ty: || Type::Bool };
        let mut ways = Ways::new(target(current));
        for &(version, form, to) in steps {
            ways.step(Origin { version, form, ty: None }, target(to));
        }
        ways
    }

    /// The ways from this form, and the mistakes.
    #[track_caller]
    fn check((ways, form): (&Ways, Form), paths: &[&str], mistakes: &[&str]) {
        let path = |(from, path): (i64, Vec<i64>)| {
            [vec![from], path].concat().iter().map(i64::to_string).collect::<Vec<_>>().join(" > ")
        };
        let found: Vec<String> = ways.paths(form).into_iter().map(path).collect();
        assert_eq!(found, paths);
        let found: Vec<String> =
            ways.mistakes("state", "cloud_bucket").into_iter().map(|it| it.detail).collect();
        assert_eq!(found.len(), mistakes.len(), "{found:?}");
        for (found, mistake) in found.iter().zip(mistakes) {
            assert!(found.contains(mistake) && found.contains("`cloud_bucket`"), "{mistake}: {found}");
        }
    }

    #[test]
    fn the_direct_way_wins_and_then_the_one_that_leads_furthest() {
        let chain = [json(0, 1), json(1, 2), json(2, 3)];
        check((&ways(3, &chain), Form::Json), &["0 > 1 > 2 > 3", "1 > 2 > 3", "2 > 3"], &[]);
        let direct = [&chain[..], &[json(0, 3)]].concat();
        check((&ways(3, &direct), Form::Json), &["0 > 3", "1 > 2 > 3", "2 > 3"], &[]);
        let far = [&chain[..], &[json(0, 2)]].concat();
        check((&ways(3, &far), Form::Json), &["0 > 2 > 3", "1 > 2 > 3", "2 > 3"], &[]);
    }

    #[test]
    fn a_chain_is_complete_for_what_was_released() {
        let with = |steps: &[Leads], released: &[i64]| {
            let mut ways = ways(5, steps);
            ways.released(released.to_vec());
            ways
        };
        let gaps = [json(0, 2), json(2, 5)];
        check((&with(&gaps, &[0, 2]), Form::Json), &["0 > 2 > 5", "2 > 5"], &[]);
        check(
            (&with(&gaps, &[0, 1, 2]), Form::Json),
            &["0 > 2 > 5", "2 > 5"],
            &["no upgrade from version 1 to"],
        );
        check((&with(&gaps[..1], &[0, 2]), Form::Json), &[], &["no upgrade from version 0 and version 2 to"]);
        check((&with(&gaps, &[0, 2, 5]), Form::Json), &["0 > 2 > 5", "2 > 5"], &["version 5 is declared as"]);
        check((&with(&[], &[]), Form::Json), &[], &[]);
        // Without a declaration every version was released.
        let all = "no upgrade from version 1 and the versions 3 to 4 to the current version 5";
        check((&ways(5, &gaps), Form::Json), &["0 > 2 > 5", "2 > 5"], &[all]);
        let many = format!("no upgrade from the versions 0 to {} to", i64::MAX - 1);
        check((&ways(i64::MAX, &[]), Form::Json), &[], &[&many]);

        let mut same = with(&gaps, &[0, 1, 2]);
        same.same(1, 0);
        check((&same, Form::Json), &["0 > 2 > 5", "1 > 2 > 5", "2 > 5"], &[]);
    }

    #[test]
    fn no_way_leads_in_a_circle_or_to_a_dead_end() {
        let circle = ways(3, &[json(0, 1), json(1, 0), json(2, 2), json(2, 3)]);
        let back =
            ["from version 1 leads to version 0, which is not later", "from version 2 leads to version 2"];
        check((&circle, Form::Json), &["2 > 3"], &[back[0], back[1], "from the versions 0 to 1 to"]);
        let dead_end = ways(3, &[json(0, 2), json(0, 1), json(1, 3)]);
        check((&dead_end, Form::Json), &["0 > 1 > 3", "1 > 3"], &["no upgrade from version 2 to"]);
        let beyond = ways(3, &[json(0, 9), json(9, 3)]);
        let mistakes = ["leads to version 9, but the current one is 3", "from version 9 leads to version 3"];
        check((&beyond, Form::Json), &[], &[mistakes[0], mistakes[1], "the versions 0 to 2 to"]);
        let twice = ways(1, &[json(0, 1), json(0, 1)]);
        check((&twice, Form::Json), &["0 > 1"], &["two upgrades from version 0 to version 1"]);
    }

    #[test]
    fn the_flat_form_goes_on_as_json() {
        let steps = [flat(0, 0), flat(1, 2), flat(3, 3), flat(2, 1), json(0, 2), json(1, 3), json(2, 3)];
        let ways = ways(3, &steps);
        check(
            (&ways, Form::Flatmap),
            &["0 > 0 > 2 > 3", "1 > 2 > 3", "3 > 3"],
            &["version 1, which is not later"],
        );
    }

    #[test]
    fn many_steps_that_lead_nowhere_are_soon_seen_through() {
        let steps: Vec<Leads> =
            (0..60).flat_map(|from| (from..60).map(move |to| json(from, to + 1))).collect();
        assert!(ways(99, &steps).paths(Form::Json).is_empty());
        assert_eq!(ways(60, &steps).paths(Form::Json).get(&0), Some(&vec![60]));
    }

    proptest! {
        /// There is a way from exactly the versions from which steps forward lead to the current one.
        #[test]
        fn a_way_is_found_where_there_is_one(current in 0..8_i64, steps in prop::collection::vec((0..8_i64, 0..8_i64), 0..12)) {
            let steps: Vec<Leads> = steps.into_iter().map(|(from, to)| json(from, to)).collect();
            let paths = ways(current, &steps).paths(Form::Json);
            let mut reached = BTreeSet::from([current]);
            for _ in 0..8 {
                let onward = steps.iter().filter(|(from, _, to)| from < to && reached.contains(to));
                reached.extend(onward.map(|(from, ..)| *from).collect::<Vec<_>>());
            }
            reached.remove(&current);
            prop_assert_eq!(paths.keys().copied().collect::<BTreeSet<_>>(), reached);
            for (from, path) in paths {
                let all = [vec![from], path].concat();
                prop_assert!(all.windows(2).all(|pair| steps.contains(&json(pair[0], pair[1])) && pair[0] < pair[1]));
                prop_assert_eq!(all.last(), Some(&current));
                prop_assert!(all.len() == 2 || !steps.contains(&json(from, current)));
            }
        }
    }
}
