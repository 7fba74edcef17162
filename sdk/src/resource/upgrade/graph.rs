//! The upgrade graph: which upgrade steps lead from which version to which. Its code is not generic over the upgraded
//! type, so a provider binary has it once.

use std::any::TypeId;
use std::sync::OnceLock;

use crate::diag::{Diagnostic, Diagnostics};
use crate::ty::Type;

/// The encoding of a stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::resource) enum StoredForm {
    Json,
    Flatmap,
}

/// A version with the Rust type of its values.
#[derive(Clone, Copy)]
pub(in crate::resource) struct TypedVersion {
    pub(in crate::resource) version: i64,
    pub(in crate::resource) rust: TypeId,
    pub(in crate::resource) ty: fn() -> Type,
}

/// The stored version and form from which a step starts.
#[derive(Clone, Copy)]
pub(in crate::resource) struct StepSource {
    pub(in crate::resource) version: i64,
    pub(in crate::resource) form: StoredForm,
    /// The type of the stored value, if the step decodes it.
    pub(in crate::resource) ty: Option<fn() -> Type>,
}

#[derive(Clone, Copy)]
struct Step {
    from: StepSource,
    to: TypedVersion,
}

impl StepSource {
    /// A stored value of that version and type.
    pub(in crate::resource) fn of(target: TypedVersion) -> Self {
        Self { version: target.version, form: StoredForm::Json, ty: Some(target.ty) }
    }
}

/// The upgrade steps between versions. A step is identified by its index.
pub(in crate::resource) struct UpgradeGraph {
    current: TypedVersion,
    /// Sorted.
    released: Option<Vec<i64>>,
    same: Vec<(i64, i64)>,
    steps: Vec<Step>,
    /// The routes from JSON and from flatmaps, computed on first use.
    routes: OnceLock<(Routes, Routes)>,
}

/// The routes from stored versions to the current one, by version, each a list of step indexes.
type Routes = Vec<(i64, Vec<usize>)>;

impl UpgradeGraph {
    pub(in crate::resource) fn new(current: TypedVersion) -> Self {
        Self { current, released: None, same: Vec::new(), steps: Vec::new(), routes: OnceLock::new() }
    }

    pub(in crate::resource) fn released(&mut self, versions: Vec<i64>) {
        let released = self.released.get_or_insert_default();
        for version in versions {
            if let Err(at) = released.binary_search(&version) {
                released.insert(at, version);
            }
        }
    }

    pub(in crate::resource) fn same(&mut self, version: i64, as_version: i64) {
        self.same.retain(|(known, _)| *known != version);
        self.same.push((version, as_version));
        self.routes.take();
    }

    pub(in crate::resource) fn step(&mut self, from: StepSource, to: TypedVersion) {
        self.steps.push(Step { from, to });
        self.routes.take();
    }

    /// The steps from a stored version to the current one: the direct one if there is one, otherwise those that lead
    /// furthest first.
    pub(in crate::resource) fn route(&self, version: i64, form: StoredForm) -> Option<&[usize]> {
        find(self.routes(form), version)
    }

    /// The versions with a route from this form, lowest first, each with the versions on the route.
    pub(in crate::resource) fn paths(&self, form: StoredForm) -> Vec<(i64, Vec<i64>)> {
        let target = |step: &usize| Some(self.steps.get(*step)?.to.version);
        let path =
            |(version, route): &(i64, Vec<usize>)| (*version, route.iter().filter_map(target).collect());
        self.routes(form).iter().map(path).collect()
    }

    fn routes(&self, form: StoredForm) -> &Routes {
        let (json, flatmap) = self.routes.get_or_init(|| {
            let json = self.find_routes(StoredForm::Json, &Routes::new());
            let flatmap = self.find_routes(StoredForm::Flatmap, &json);
            (self.with_same(json), self.with_same(flatmap))
        });
        match form {
            StoredForm::Json => json,
            StoredForm::Flatmap => flatmap,
        }
    }

    /// Finds the routes from the stored versions of this form. After the first step, the routes from JSON apply.
    fn find_routes(&self, form: StoredForm, json: &Routes) -> Routes {
        // Latest versions first, so that the route of each target is decided already; the longest step first.
        let mut steps: Vec<(usize, &Step)> = Vec::new();
        for (at, step) in self.steps.iter().enumerate().filter(|(_, step)| step.from.form == form) {
            let versions = |step: &Step| (step.from.version, step.to.version);
            let place = steps.partition_point(|(_, other)| versions(other) >= versions(step));
            steps.insert(place, (at, step));
        }
        let mut found = Routes::new();
        for (at, step) in steps {
            let (from, to) = (step.from.version, step.to.version);
            // A step back is a mistake and must not make a cycle. A flatmap may have the current version.
            let leads_on = to > from || (form == StoredForm::Flatmap && to == from);
            let rest = match form {
                _ if to == self.current.version => Some(Vec::new()),
                StoredForm::Json => find(&found, to).map(<[_]>::to_vec),
                StoredForm::Flatmap => find(json, to).map(<[_]>::to_vec),
            };
            if let Some(rest) = rest.filter(|_| leads_on && find(&found, from).is_none()) {
                add(&mut found, from, [vec![at], rest].concat());
            }
        }
        found
    }

    /// Adds the routes of versions that are declared the same as others.
    fn with_same(&self, mut found: Routes) -> Routes {
        let same = self.same.iter().filter(|(version, _)| find(&found, *version).is_none());
        let same: Routes =
            same.filter_map(|(version, like)| Some((*version, find(&found, *like)?.to_vec()))).collect();
        for (version, route) in same {
            add(&mut found, version, route);
        }
        found
    }

    /// The types that decode stored JSON, by version.
    pub(in crate::resource) fn types(&self) -> Vec<(i64, Type)> {
        let read = |(version, route): &(i64, Vec<usize>)| {
            let first = self.steps.get(*route.first()?)?;
            Some((*version, first.from.ty?()))
        };
        self.routes(StoredForm::Json).iter().filter_map(read).collect()
    }

    /// Mistakes of the steps; `what` is "state" or "identity".
    pub(in crate::resource) fn mistakes(&self, what: &str, type_name: &str) -> Diagnostics {
        let mut found = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let (from, to) = (step.from.version, step.to.version);
            if to < from || (to == from && step.from.form == StoredForm::Json) {
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

    /// The released versions without a route, as a text.
    fn missing(&self) -> String {
        let known = self.routes(StoredForm::Json);
        if let Some(released) = &self.released {
            let missing =
                released.iter().filter(|it| **it < self.current.version && find(known, **it).is_none());
            return missing.map(|version| format!("version {version}")).collect::<Vec<_>>().join(" and ");
        }
        // Without a declaration every version below the current one counts as released; there may be millions.
        let mut gaps = Vec::new();
        let mut next = 0;
        for version in
            known.iter().map(|(version, _)| *version).filter(|it| *it >= 0).chain([self.current.version])
        {
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

/// Adds the route from a version in its place.
fn add(routes: &mut Routes, version: i64, route: Vec<usize>) {
    let at = routes.partition_point(|(known, _)| *known < version);
    routes.insert(at, (version, route));
}

fn find(routes: &Routes, version: i64) -> Option<&[usize]> {
    routes.iter().find(|(from, _)| *from == version).map(|(_, route)| route.as_slice())
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
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// A step: from which version, in which form, to which version.
    type StepSpec = (i64, StoredForm, i64);

    const fn json(from: i64, to: i64) -> StepSpec {
        (from, StoredForm::Json, to)
    }

    const fn flat(from: i64, to: i64) -> StepSpec {
        (from, StoredForm::Flatmap, to)
    }

    fn graph(current: i64, steps: &[StepSpec]) -> UpgradeGraph {
        let target = |version| TypedVersion { version, rust: TypeId::of::<i64>(), ty: || Type::Bool };
        let mut graph = UpgradeGraph::new(target(current));
        for &(version, form, to) in steps {
            graph.step(StepSource { version, form, ty: None }, target(to));
        }
        graph
    }

    /// Checks the routes from this form, and the mistakes.
    #[track_caller]
    fn check((graph, form): (&UpgradeGraph, StoredForm), paths: &[&str], mistakes: &[&str]) {
        let path = |(from, path): (i64, Vec<i64>)| {
            [vec![from], path].concat().iter().map(i64::to_string).collect::<Vec<_>>().join(" > ")
        };
        let found: Vec<String> = graph.paths(form).into_iter().map(path).collect();
        assert_eq!(found, paths);
        let found: Vec<String> =
            graph.mistakes("state", "cloud_bucket").into_iter().map(|it| it.detail).collect();
        assert_eq!(found.len(), mistakes.len(), "{found:?}");
        for (found, mistake) in found.iter().zip(mistakes) {
            assert!(found.contains(mistake) && found.contains("`cloud_bucket`"), "{mistake}: {found}");
        }
    }

    #[test]
    fn direct_route_wins_then_the_longest_step() {
        let chain = [json(0, 1), json(1, 2), json(2, 3)];
        check((&graph(3, &chain), StoredForm::Json), &["0 > 1 > 2 > 3", "1 > 2 > 3", "2 > 3"], &[]);
        let direct = [&chain[..], &[json(0, 3)]].concat();
        check((&graph(3, &direct), StoredForm::Json), &["0 > 3", "1 > 2 > 3", "2 > 3"], &[]);
        let far = [&chain[..], &[json(0, 2)]].concat();
        check((&graph(3, &far), StoredForm::Json), &["0 > 2 > 3", "1 > 2 > 3", "2 > 3"], &[]);
    }

    #[test]
    fn chain_covers_every_released_version() {
        let with = |steps: &[StepSpec], released: &[i64]| {
            let mut graph = graph(5, steps);
            graph.released(released.to_vec());
            graph
        };
        let gaps = [json(0, 2), json(2, 5)];
        check((&with(&gaps, &[0, 2]), StoredForm::Json), &["0 > 2 > 5", "2 > 5"], &[]);
        check(
            (&with(&gaps, &[0, 1, 2]), StoredForm::Json),
            &["0 > 2 > 5", "2 > 5"],
            &["no upgrade from version 1 to"],
        );
        check(
            (&with(&gaps[..1], &[0, 2]), StoredForm::Json),
            &[],
            &["no upgrade from version 0 and version 2 to"],
        );
        check(
            (&with(&gaps, &[0, 2, 5]), StoredForm::Json),
            &["0 > 2 > 5", "2 > 5"],
            &["version 5 is declared as"],
        );
        check((&with(&[], &[]), StoredForm::Json), &[], &[]);
        // Without a declaration every version was released.
        let all = "no upgrade from version 1 and the versions 3 to 4 to the current version 5";
        check((&graph(5, &gaps), StoredForm::Json), &["0 > 2 > 5", "2 > 5"], &[all]);
        let many = format!("no upgrade from the versions 0 to {} to", i64::MAX - 1);
        check((&graph(i64::MAX, &[]), StoredForm::Json), &[], &[&many]);

        let mut same = with(&gaps, &[0, 1, 2]);
        same.same(1, 0);
        check((&same, StoredForm::Json), &["0 > 2 > 5", "1 > 2 > 5", "2 > 5"], &[]);
    }

    #[test]
    fn routes_have_no_cycle_and_no_dead_end() {
        let circle = graph(3, &[json(0, 1), json(1, 0), json(2, 2), json(2, 3)]);
        let back =
            ["from version 1 leads to version 0, which is not later", "from version 2 leads to version 2"];
        check((&circle, StoredForm::Json), &["2 > 3"], &[back[0], back[1], "from the versions 0 to 1 to"]);
        let dead_end = graph(3, &[json(0, 2), json(0, 1), json(1, 3)]);
        check((&dead_end, StoredForm::Json), &["0 > 1 > 3", "1 > 3"], &["no upgrade from version 2 to"]);
        let beyond = graph(3, &[json(0, 9), json(9, 3)]);
        let mistakes = ["leads to version 9, but the current one is 3", "from version 9 leads to version 3"];
        check((&beyond, StoredForm::Json), &[], &[mistakes[0], mistakes[1], "the versions 0 to 2 to"]);
        let twice = graph(1, &[json(0, 1), json(0, 1)]);
        check((&twice, StoredForm::Json), &["0 > 1"], &["two upgrades from version 0 to version 1"]);
    }

    #[test]
    fn flatmap_routes_continue_as_json() {
        let steps = [flat(0, 0), flat(1, 2), flat(3, 3), flat(2, 1), json(0, 2), json(1, 3), json(2, 3)];
        let graph = graph(3, &steps);
        check(
            (&graph, StoredForm::Flatmap),
            &["0 > 0 > 2 > 3", "1 > 2 > 3", "3 > 3"],
            &["version 1, which is not later"],
        );
    }

    #[test]
    fn many_dead_end_steps_take_no_exponential_time() {
        let steps: Vec<StepSpec> =
            (0..60).flat_map(|from| (from..60).map(move |to| json(from, to + 1))).collect();
        assert!(graph(99, &steps).paths(StoredForm::Json).is_empty());
        assert_eq!(graph(60, &steps).paths(StoredForm::Json).first(), Some(&(0, vec![60])));
    }

    proptest! {
        /// A route exists from exactly the versions from which forward steps reach the current one.
        #[test]
        fn route_exists_exactly_from_reachable_versions(current in 0..8_i64, steps in prop::collection::vec((0..8_i64, 0..8_i64), 0..12)) {
            let steps: Vec<StepSpec> = steps.into_iter().map(|(from, to)| json(from, to)).collect();
            let paths = graph(current, &steps).paths(StoredForm::Json);
            let mut reached = BTreeSet::from([current]);
            for _ in 0..8 {
                let onward = steps.iter().filter(|(from, _, to)| from < to && reached.contains(to));
                reached.extend(onward.map(|(from, ..)| *from).collect::<Vec<_>>());
            }
            reached.remove(&current);
            prop_assert_eq!(paths.iter().map(|(from, _)| *from).collect::<BTreeSet<_>>(), reached);
            for (from, path) in paths {
                let all = [vec![from], path].concat();
                prop_assert!(all.windows(2).all(|pair| steps.contains(&json(pair[0], pair[1])) && pair[0] < pair[1]));
                prop_assert_eq!(all.last(), Some(&current));
                prop_assert!(all.len() == 2 || !steps.contains(&json(from, current)));
            }
        }
    }
}
