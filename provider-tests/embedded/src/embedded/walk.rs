//! One pass over a graph: in the order of dependencies, several nodes at once.

use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::cancel::Cancel;
use crate::diagnostic::Diagnostic;

/// Nodes by number, and which comes after which.
#[derive(Default)]
pub(super) struct Graph {
    next: Vec<Vec<usize>>,
    waits_for: Vec<usize>,
}

impl Graph {
    pub(super) fn new(nodes: usize) -> Self {
        Self { next: vec![Vec::new(); nodes], waits_for: vec![0; nodes] }
    }

    pub(super) fn len(&self) -> usize {
        self.next.len()
    }

    /// Adds a node.
    pub(super) fn node(&mut self) -> usize {
        self.next.push(Vec::new());
        self.waits_for.push(0);
        self.next.len() - 1
    }

    /// The second node waits for the first.
    pub(super) fn order(&mut self, first: usize, second: usize) {
        if let (Some(next), Some(waits)) = (self.next.get_mut(first), self.waits_for.get_mut(second)) {
            next.push(second);
            *waits += 1;
        }
    }

    /// The second node waits for the first and for all that comes after it so far. What comes after another such node
    /// waits for that one anyway.
    pub(super) fn order_last(&mut self, first: usize, last: usize) {
        let (mut before, mut seen) = (Vec::new(), vec![false; self.len()]);
        search(first, |node| self.after(node), &mut seen, &mut before);
        before.retain(|node| !self.after(*node).any(|next| seen[next]));
        before.into_iter().for_each(|end| self.order(end, last));
    }

    /// By node, whether it is one of these or waits for one, directly or by way of others.
    pub(super) fn reached(&self, from: &[usize]) -> Vec<bool> {
        let (mut found, mut seen) = (Vec::new(), vec![false; self.len()]);
        from.iter().for_each(|node| search(*node, |node| self.after(node), &mut seen, &mut found));
        seen
    }

    /// The nodes, each after those that it waits for. Those that are in a cycle, or wait for one, are left out.
    pub(super) fn sorted(&self) -> Vec<usize> {
        let mut sorted = Vec::with_capacity(self.len());
        let mut waits_for = self.waits_for.clone();
        let mut ready: Vec<usize> =
            (0..waits_for.len()).filter(|node| waits_for.get(*node) == Some(&0)).collect();
        while let Some(node) = ready.pop() {
            sorted.push(node);
            for next in self.next.get(node).into_iter().flatten() {
                if let Some(waits) = waits_for.get_mut(*next) {
                    *waits -= 1;
                    if *waits == 0 {
                        ready.push(*next);
                    }
                }
            }
        }
        sorted
    }

    /// The nodes that are in a cycle, or wait for one; none if there is an order.
    pub(super) fn in_cycles(&self) -> Vec<usize> {
        let sorted: BTreeSet<usize> = self.sorted().into_iter().collect();
        (0..self.len()).filter(|node| !sorted.contains(node)).collect()
    }
}

impl Graph {
    /// The nodes that wait for each other, for each cycle.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let stuck = self.in_cycles();
        if stuck.is_empty() {
            return Vec::new();
        }
        let mut before = vec![Vec::new(); self.len()];
        for node in &stuck {
            self.after(*node).for_each(|next| before[next].push(*node));
        }
        // Two searches, forwards and then backwards from the node that was left last: what both reach is one cycle.
        let mut left = Vec::new();
        let mut seen = vec![false; self.len()];
        for node in &stuck {
            search(*node, |node| self.after(node), &mut seen, &mut left);
        }
        let mut cycles = Vec::new();
        let mut seen: Vec<bool> = seen.into_iter().map(|seen| !seen).collect();
        for node in left.into_iter().rev() {
            let mut cycle = Vec::new();
            search(node, |node| before[node].iter().copied(), &mut seen, &mut cycle);
            if cycle.len() > 1 || cycle.iter().any(|node| self.after(*node).any(|next| next == *node)) {
                cycle.sort_unstable();
                cycles.push(cycle);
            }
        }
        cycles.sort_unstable();
        cycles
    }

    fn after(&self, node: usize) -> impl Iterator<Item = usize> {
        self.next.get(node).into_iter().flatten().copied()
    }
}

/// Adds what can be reached from a node, itself included, and was not seen before, each node after all that is reached from it.
fn search<N: Iterator<Item = usize>>(
    start: usize,
    next: impl Fn(usize) -> N,
    seen: &mut [bool],
    found: &mut Vec<usize>,
) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut open = vec![(start, next(start))];
    while let Some((node, rest)) = open.last_mut() {
        match rest.find(|next| !seen[*next]) {
            Some(unseen) => {
                seen[unseen] = true;
                open.push((unseen, next(unseen)));
            }
            None => {
                found.push(*node);
                open.pop();
            }
        }
    }
}

/// The outcome of a node; nodes that depend on a failed one are skipped.
pub(super) type NodeOutcome = Result<(), ()>;

/// What is done at the nodes of a graph.
pub(super) trait Walker: Send + Sync + 'static {
    /// Begins a node: how many parts it has, which do not wait for each other.
    fn begin(&self, node: usize) -> Result<usize, ()>;

    /// Does one part of a node.
    fn part(&self, node: usize, part: usize) -> impl Future<Output = NodeOutcome> + Send;

    /// Ends a node all parts of which are done.
    fn end(&self, _node: usize) {}
}

/// How a walk has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkResult {
    /// Every node was reached, or depends on one that failed.
    Complete,
    /// It was told to stop.
    Cancelled,
    /// Nothing was done, because nodes wait for each other.
    Cycle,
    /// A part panicked, which is a bug of this crate or of a provider in process.
    Panicked,
}

/// The summary for a command that was told to stop.
pub(crate) const HALTED: &str = "execution halted";

impl WalkResult {
    /// What there is to say about it.
    pub(super) fn diagnostic(self) -> Option<Diagnostic> {
        match self {
            Self::Complete => None,
            Self::Cancelled => {
                let detail = "The command was told to stop. What was done until then is recorded.";
                Some(Diagnostic::error(HALTED, detail))
            }
            Self::Cycle => {
                let detail = "Some objects wait for each other, so none of them can be first.";
                Some(Diagnostic::error("Cycle", detail))
            }
            Self::Panicked => {
                let detail =
                    "A provider in this process or this crate has panicked; the message is on stderr.";
                Some(Diagnostic::error("Plugin did not respond", detail))
            }
        }
    }
}

/// Waits for the first, and works on the second meanwhile.
pub(super) async fn until_done<T>(work: impl Future<Output = T>, meanwhile: impl Future<Output = ()>) -> T {
    let (work, meanwhile) = (std::pin::pin!(work), std::pin::pin!(meanwhile));
    tokio::select! {
        biased;
        done = work => done,
        done = async { meanwhile.await; std::future::pending().await } => done,
    }
}

/// Walks the graph with at most `width` parts at once.
pub(super) async fn walk<W: Walker>(
    walker: Arc<W>,
    graph: Graph,
    width: usize,
    cancel: &Cancel,
) -> WalkResult {
    if !graph.in_cycles().is_empty() {
        return WalkResult::Cycle;
    }
    let queue = Arc::new(Queue::new(graph));
    let mut workers = JoinSet::new();
    for _ in 0..width {
        workers.spawn(work(walker.clone(), queue.clone(), cancel.clone()));
    }
    let mut ending = WalkResult::Complete;
    while let Some(ended) = workers.join_next().await {
        if ended.is_err() {
            ending = WalkResult::Panicked;
            workers.abort_all();
        }
    }
    if ending == WalkResult::Complete && queue.was_cut_short() { WalkResult::Cancelled } else { ending }
}

async fn work<W: Walker>(walker: Arc<W>, queue: Arc<Queue>, cancel: Cancel) {
    while let Some(item) = queue.next().await {
        if cancel.is_cancelled() {
            queue.skip(item);
            continue;
        }
        let (node, part) = match item {
            Item::Node(node) => match walker.begin(node) {
                Ok(parts) => match queue.open(node, parts) {
                    Some(part) => (node, part),
                    None => {
                        walker.end(node);
                        queue.close(node, Ok(()));
                        continue;
                    }
                },
                Err(()) => {
                    queue.close(node, Err(()));
                    continue;
                }
            },
            Item::Part(node, part) => (node, part),
        };
        // On the heap: it is large, and most workers of a small walk have none.
        let outcome = Box::pin(walker.part(node, part)).await;
        if let Some(outcome) = queue.done(node, outcome) {
            // A node with a failure is ended too: its other parts are done, and others may want to know.
            walker.end(node);
            queue.close(node, outcome);
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Item {
    Node(usize),
    Part(usize, usize),
}

/// What is ready to be done.
struct Queue {
    inner: Mutex<Inner>,
    /// One permit for each item; closed at the end.
    items: Semaphore,
}

struct Inner {
    graph: Graph,
    ready: VecDeque<Item>,
    parts_left: Vec<usize>,
    failed: Vec<bool>,
    open: usize,
    cut_short: bool,
}

impl Queue {
    fn new(graph: Graph) -> Self {
        let nodes = graph.next.len();
        let ready: VecDeque<Item> =
            (0..nodes).filter(|node| graph.waits_for.get(*node) == Some(&0)).map(Item::Node).collect();
        let items = Semaphore::new(ready.len());
        if nodes == 0 {
            items.close();
        }
        let (parts_left, failed) = (vec![0; nodes], vec![false; nodes]);
        let inner = Inner { graph, ready, parts_left, failed, open: nodes, cut_short: false };
        Self { inner: Mutex::new(inner), items }
    }

    /// The next item, or `None` at the end.
    async fn next(&self) -> Option<Item> {
        self.items.acquire().await.ok()?.forget();
        self.lock().ready.pop_front()
    }

    /// Makes the parts of a node known, and takes the first of them.
    fn open(&self, node: usize, parts: usize) -> Option<usize> {
        let mut inner = self.lock();
        *inner.parts_left.get_mut(node)? = parts;
        inner.ready.extend((1..parts).map(|part| Item::Part(node, part)));
        drop(inner);
        self.items.add_permits(parts.saturating_sub(1));
        (parts > 0).then_some(0)
    }

    /// Takes note of a part; the fate of the node if it was the last.
    fn done(&self, node: usize, outcome: NodeOutcome) -> Option<NodeOutcome> {
        let mut inner = self.lock();
        if let Some(failed) = inner.failed.get_mut(node) {
            *failed |= outcome.is_err();
        }
        let left = inner.parts_left.get_mut(node)?;
        *left = left.saturating_sub(1);
        let last = *left == 0;
        let failed = inner.failed.get(node) == Some(&true);
        last.then_some(if failed { Err(()) } else { Ok(()) })
    }

    /// Leaves an item out, because the walk is to stop.
    fn skip(&self, item: Item) {
        self.lock().cut_short = true;
        match item {
            Item::Node(node) => self.close(node, Err(())),
            Item::Part(node, _) => {
                if self.done(node, Err(())).is_some() {
                    self.close(node, Err(()));
                }
            }
        }
    }

    /// Ends a node, and with it all those that can no longer be reached.
    fn close(&self, node: usize, outcome: NodeOutcome) {
        let mut inner = self.lock();
        let Inner { graph, ready, failed, open, .. } = &mut *inner;
        let before = ready.len();
        let mut closed = vec![(node, outcome)];
        while let Some((node, outcome)) = closed.pop() {
            *open -= 1;
            for next in graph.next.get(node).into_iter().flatten() {
                let (Some(waits), Some(failed)) = (graph.waits_for.get_mut(*next), failed.get_mut(*next))
                else {
                    continue;
                };
                *failed |= outcome.is_err();
                *waits -= 1;
                match (*waits, *failed) {
                    (0, true) => closed.push((*next, Err(()))),
                    (0, false) => ready.push_back(Item::Node(*next)),
                    _ => {}
                }
            }
        }
        let (added, ended) = (ready.len() - before, *open == 0);
        drop(inner);
        self.items.add_permits(added);
        if ended {
            self.items.close();
        }
    }

    fn was_cut_short(&self) -> bool {
        self.lock().cut_short
    }

    /// A panic elsewhere leaves nothing half written here.
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
