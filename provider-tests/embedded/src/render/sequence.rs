//! Which element after a change is which one before it.

use serde_json::Value as Json;

use super::pair::Pair;

/// An element: where it was, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

/// Beyond this many comparisons elements are taken by their places: nobody reads so long a list.
const COMPARISONS: usize = 4_000_000;

/// The elements of two lists in order: those of a longest common subsequence stay, the others come and go. Objects
/// between the same neighbours are taken to be changed.
pub(super) fn common(pair: &Pair<'_>) -> Vec<Step> {
    let (before, after) = pair.lengths();
    let same = |a: usize, b: usize| pair.same_element(a, b);
    let object = |json: &Json, at: usize| json.get(at).is_some_and(Json::is_object);
    let mut steps = Vec::new();
    let (mut at, mut to) = (0, 0);
    let kept = longest(before, after, same);
    for (next, next_to) in kept.into_iter().chain([(before, after)]) {
        while at < next {
            if to < next_to && object(pair.before, at) && object(pair.after, to) {
                steps.push(Step { before: Some(at), after: Some(to) });
                to += 1;
            } else {
                steps.push(Step { before: Some(at), after: None });
            }
            at += 1;
        }
        while to < next_to {
            steps.push(Step { before: None, after: Some(to) });
            to += 1;
        }
        if next < before {
            steps.push(Step { before: Some(next), after: Some(next_to) });
            (at, to) = (next + 1, next_to + 1);
        }
    }
    steps
}

/// Whether each element before is one of those after.
pub(super) fn keeps_elements(pair: &Pair<'_>) -> bool {
    let (before, after) = pair.lengths();
    let is_kept = |at: usize| pair.same_element(at, at) || (0..after).any(|to| pair.same_element(at, to));
    before.saturating_mul(after) <= COMPARISONS && (0..before).all(is_kept)
}

/// The elements of two sets: those before, each with its equal if there is one, and then the new ones.
pub(super) fn matched(pair: &Pair<'_>) -> Vec<Step> {
    let (before, after) = pair.lengths();
    let mut free: Vec<bool> = vec![true; after];
    let mut steps: Vec<Step> = (0..before)
        .map(|at| {
            let equal = (0..after).find(|to| free.get(*to) == Some(&true) && pair.same_element(at, *to));
            if let Some(taken) = equal.and_then(|to| free.get_mut(to)) {
                *taken = false;
            }
            Step { before: Some(at), after: equal }
        })
        .collect();
    let new = free.into_iter().enumerate().filter(|(_, free)| *free);
    steps.extend(new.map(|(to, _)| Step { before: None, after: Some(to) }));
    steps
}

/// The places of a longest common subsequence. Texts are compared by their lines with it, too.
pub(super) fn longest(
    before: usize,
    after: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let head = (0..before.min(after)).take_while(|at| same(*at, *at)).count();
    let tail =
        (0..before.min(after) - head).take_while(|back| same(before - 1 - back, after - 1 - back)).count();
    let (rows, columns) = (before - head - tail, after - head - tail);
    let mut kept: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if rows.saturating_mul(columns) <= COMPARISONS {
        kept.extend(
            table(rows, columns, |a, b| same(head + a, head + b))
                .into_iter()
                .map(|(a, b)| (head + a, head + b)),
        );
    }
    kept.extend((0..tail).rev().map(|back| (before - 1 - back, after - 1 - back)));
    kept
}

/// The textbook algorithm: lengths of common subsequences of all suffixes, and a walk along them.
fn table(rows: usize, columns: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let width = columns + 1;
    let mut lengths = vec![0_u32; (rows + 1) * width];
    let get = |lengths: &[u32], a: usize, b: usize| lengths.get(a * width + b).copied().unwrap_or(0);
    for a in (0..rows).rev() {
        for b in (0..columns).rev() {
            let length = match same(a, b) {
                true => get(&lengths, a + 1, b + 1) + 1,
                false => get(&lengths, a + 1, b).max(get(&lengths, a, b + 1)),
            };
            if let Some(slot) = lengths.get_mut(a * width + b) {
                *slot = length;
            }
        }
    }
    let (mut a, mut b, mut kept) = (0, 0, Vec::new());
    while a < rows && b < columns {
        if same(a, b) && get(&lengths, a, b) == get(&lengths, a + 1, b + 1) + 1 {
            kept.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if get(&lengths, a + 1, b) >= get(&lengths, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    kept
}
