//! How much of what is compared agrees with a real core, by topic.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many of how many agree, by core, by topic and by what is counted.
static ALL: Mutex<BTreeMap<&'static str, Topics>> = Mutex::new(BTreeMap::new());

type Topics = BTreeMap<String, Counts>;

type Counts = BTreeMap<&'static str, [usize; 2]>;

/// Counts that so many of all agree with that core, such as of the `"cases"` of a topic.
pub(crate) fn count((core, topic): (&'static str, &str), what: &'static str, agreeing: usize, all: usize) {
    let mut cores = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let topics = cores.entry(core).or_default();
    add(topics.entry(topic.to_owned()).or_default(), what, [agreeing, all]);
}

fn add(counts: &mut Counts, what: &'static str, more: [usize; 2]) {
    let sum = counts.entry(what).or_default();
    *sum = [sum[0] + more[0], sum[1] + more[1]];
}

/// Prints the numbers of all topics that were compared, and their sum, for each core.
#[allow(clippy::print_stdout, reason = "it is the end of the report of the tests")]
pub(crate) fn print() {
    for (core, topics) in &*ALL.lock().unwrap_or_else(PoisonError::into_inner) {
        let mut text = format!("agreement of the embedded core with {core}\n");
        let mut sum = Counts::new();
        for (topic, counts) in topics {
            text.push_str(&line(topic, counts));
            counts.iter().for_each(|(what, more)| add(&mut sum, what, *more));
        }
        println!("{text}{}", line("all", &sum));
    }
}

fn line(topic: &str, counts: &Counts) -> String {
    let counts: Vec<String> =
        counts.iter().map(|(what, [agreeing, all])| format!("{agreeing} of {all} {what}")).collect();
    format!("{topic:<22} {}\n", counts.join(", "))
}
