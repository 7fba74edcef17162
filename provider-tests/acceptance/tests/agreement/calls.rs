//! What a core says to the provider in a step.

use std::collections::BTreeMap;

use ferroform_testing::client::{Entry, Transcript};

/// The calls of a step.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// What was said about each object, in its order.
    pub(crate) of: BTreeMap<String, Vec<String>>,
    /// For each command, what was said about the provider as a whole, in its order, and [where](OBJECTS) calls about
    /// objects stood.
    pub(crate) commands: Vec<Vec<String>>,
    /// The objects and the methods, in the order in which the calls were started, and which have such an order.
    all: Vec<(String, &'static str, Order)>,
}

/// Calls about objects, among those about the provider as a whole.
const OBJECTS: &str = "calls about objects";

/// When a call has a place among those about objects that depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// It is about something that is not configured any more.
    WhereAllIsDestroyed,
    /// It is about a configured object, and comes after those about what that refers to; or it is a change.
    Always,
}

impl Calls {
    /// Adds what a command has said, and clears the transcript for the next one. Objects of a type are told apart by
    /// the name in the request. Calls about different objects may come in any order, unless one depends on the other.
    pub(crate) fn command(&mut self, transcript: &Transcript) {
        let entries = transcript.entries();
        transcript.clear();
        let mut command: Vec<String> = Vec::new();
        for entry in &entries {
            let text = std::iter::once(entry.method.to_owned()).chain(lines(entry)).collect::<Vec<_>>();
            let text = text.join("\n");
            let Some(type_name) = &entry.type_name else {
                command.push(text);
                continue;
            };
            if command.last().is_none_or(|last| last != OBJECTS) {
                command.push(OBJECTS.to_owned());
            }
            let name = entry.request.iter().find_map(|line| name_in(line)).unwrap_or_default();
            let object = format!("{type_name} {name}");
            self.all.push((object.clone(), entry.method, order(entry)));
            self.of.entry(object).or_default().push(text);
        }
        self.commands.push(command);
    }

    /// The calls about two objects that have an order.
    pub(crate) fn in_order(&self, pair: &[String; 2], least: Order) -> Vec<String> {
        let both = self.all.iter().filter(|(object, _, order)| pair.contains(object) && *order >= least);
        both.map(|(object, method, _)| format!("{method} {object}")).collect()
    }
}

fn order(entry: &Entry) -> Order {
    let configured = || entry.request.iter().any(|line| line.starts_with("config = {"));
    let always = entry.method == "ApplyResourceChange" || configured();
    if always { Order::Always } else { Order::WhereAllIsDestroyed }
}

/// The values of a request. What is shown by its length only may be written in different ways.
fn lines(entry: &Entry) -> impl Iterator<Item = String> {
    entry.request.iter().filter(|line| !line.ends_with(" bytes)")).cloned()
}

fn name_in(line: &str) -> Option<&str> {
    let after = |mark| line.split_once(mark).map(|(_, rest)| rest);
    let rest = after(" name = \"").or_else(|| after("{name = \"")).or_else(|| after("label = \""))?;
    rest.split_once('"').map(|(name, _)| name)
}
