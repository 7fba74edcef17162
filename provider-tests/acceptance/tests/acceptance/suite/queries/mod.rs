//! Queries, and what Terraform 1.15.5 makes of each: whether they succeed, what is told and where, the events of
//! `query -json`, and the generated configuration.
//!
//! `### NAME` begins a case: the text of `q.tfquery.hcl`, and after each line `--- PATH` that of another file. `--- arguments`
//! has a line for each argument of the command. `main.tf` has the provider `corner`, with three tasks that nobody manages.
//!
//! `FERROFORM_RECORD=1` with the filter `terraform@1.15.5/corpus of queries` records what the real core does.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use ferroform_testing::case::{Recording, Trials};
use ferroform_testing::real::{Core, LockedCore, Protocol, Resolver};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::environment::{CORNER, TestEnvironment};
use super::lists::write_tasks;
use super::matrix::{Attach, TestTarget, embedded_core};

const TEXT: &str = include_str!("queries.txt");

/// The core from which the outcomes are.
const RECORDED: &str = "1.15.5";

/// The oldest core with queries, and what differs there.
const OLDEST: (&str, [Departure; 1]) = (
    "1.14.9",
    [Departure {
        why: "core does not tell which arguments of a list are sensitive",
        cases: &[
            "a_sensitive_filter",
            "a_sensitive_variable_as_filter",
            "an_ephemeral_filter_beside_a_sensitive_one",
        ],
        without: |outcome| {
            for event in outcome["events"].as_array_mut().into_iter().flatten() {
                event["list_start"].as_object_mut().map(|start| start.remove("sensitive_attribute_paths"));
            }
        },
    }],
);

/// A difference to the real core, with the cases that have it. All are in `docs/contributing/differences.md`.
struct Departure {
    why: &'static str,
    cases: &'static [&'static str],
    /// Takes what differs from an outcome.
    without: fn(&mut Value),
}

const DEPARTURES: [Departure; 3] = [
    Departure {
        why: "syntax errors are in words of our own",
        cases: &["broken_syntax"],
        without: |outcome| outcome["told"] = Value::Null,
    },
    Departure {
        why: "core tells of it without a place",
        cases: &["an_alias_that_is_not_configured", "an_unknown_filter"],
        without: |outcome| {
            for told in outcome["told"].as_array_mut().into_iter().flatten() {
                *told =
                    told.as_str().and_then(|it| it.split_once(" @ ")).map_or(told.clone(), |it| it.0.into());
            }
        },
    },
    Departure {
        why: "core shows sensitive arguments of a list in clear",
        cases: &[
            "a_sensitive_filter",
            "a_sensitive_variable_as_filter",
            "an_ephemeral_filter_beside_a_sensitive_one",
        ],
        without: |outcome| {
            for event in outcome["events"].as_array_mut().into_iter().flatten() {
                event["list_start"].as_object_mut().map(|start| start.remove("input_config"));
            }
        },
    },
];

/// The corpus on the embedded core and on the real ones.
pub(super) fn trials(resolver: &Resolver, trials: &mut Trials) {
    let case = "corpus of queries";
    trials.test(("embedded", case), || compare(&embedded_core(), Attach::Embedded, &DEPARTURES));
    let resolve = |version: &str| {
        let wanted = format!("terraform@{version}");
        (resolver.resolve(&wanted.parse().expect("a core")), wanted)
    };
    let (found, wanted) = resolve(OLDEST.0);
    trials.recorded(&found, (&wanted, case), recording(OLDEST.0), |core| {
        compare(core, Attach::Spawned, &OLDEST.1)
    });
    let (found, wanted) = resolve(RECORDED);
    trials.recorded(&found, (&wanted, case), recording(RECORDED), |core| {
        if std::env::var_os("FERROFORM_RECORD").is_none() {
            return compare(core, Attach::Spawned, &[]);
        }
        let lines = cases().into_iter().map(|case| {
            let outcome = case.outcome(core, Attach::Spawned);
            format!("{}\n", json!({ "name": case.name, "outcome": outcome }))
        });
        Ok(fs::write(file("recorded.jsonl"), lines.collect::<String>())?)
    });
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/suite/queries").join(name)
}

fn recording(version: &str) -> Recording {
    Recording::new(file("keys.tsv"), version, |version| {
        let core = LockedCore::find(version).map_err(io::Error::other)?.library_sha256.clone();
        let parts = [TEXT, &core, include_str!("mod.rs")].map(|part| part.as_bytes().to_vec());
        Ok(parts.into_iter().chain([fs::read(file("recorded.jsonl"))?]).collect())
    })
}

fn recorded() -> Result<BTreeMap<String, Value>, String> {
    let lines: Vec<Value> = Recording::lines(file("recorded.jsonl"))?;
    let named = |mut it: Value| (it["name"].as_str().unwrap_or_default().to_owned(), it["outcome"].take());
    Ok(lines.into_iter().map(named).collect())
}

/// Compares what a core makes of each case with what is recorded.
fn compare(core: &Core, attach: Attach, departures: &[Departure]) -> Result<(), Failed> {
    let (mut recorded, mut wrong) = (recorded()?, Vec::new());
    for case in cases() {
        let found = case.outcome(core, attach);
        let expected = recorded.remove(case.name).unwrap_or_default();
        let departure = departures.iter().find(|it| it.cases.contains(&case.name));
        let same = |without: fn(&mut Value)| {
            let [mut expected, mut found] = [expected.clone(), found.clone()];
            without(&mut expected);
            without(&mut found);
            expected == found
        };
        match departure {
            Some(departure) if same(|_| ()) => {
                wrong.push(format!("{}: it is no longer so that {}", case.name, departure.why));
            }
            Some(departure) if same(departure.without) => {}
            None if same(|_| ()) => {}
            _ => wrong.push(format!("{}:\n  expected {expected}\n  found    {found}", case.name)),
        }
    }
    wrong.extend(recorded.into_keys().map(|name| format!("{name}: there is no such case any more")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A query with the files around it.
struct Case {
    name: &'static str,
    files: Vec<(&'static str, &'static str)>,
    arguments: Vec<&'static str>,
}

fn cases() -> Vec<Case> {
    let parts = TEXT.split("\n### ").skip(1);
    let case = |part: &'static str| {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        let (mut files, mut arguments) = (Vec::new(), Vec::new());
        let (query, others) = text.split_once("--- ").unwrap_or((text, ""));
        if !query.trim().is_empty() {
            files.push(("q.tfquery.hcl", query));
        }
        for part in others.split("--- ") {
            match part.split_once('\n') {
                Some(("arguments", lines)) => arguments.extend(lines.lines().filter(|it| !it.is_empty())),
                Some(file) => files.push(file),
                None => {}
            }
        }
        Case { name, files, arguments }
    };
    parts.map(case).collect()
}

impl Case {
    fn outcome(&self, core: &Core, attach: Attach) -> Value {
        let env =
            TestEnvironment::open(&TestTarget { core: core.clone(), protocol: Protocol::V6, attach }, CORNER);
        write_tasks(&env);
        env.configure("");
        let root = env.root().display().to_string();
        for (name, text) in &self.files {
            env.workspace.write(name, &text.replace("ROOT", &root)).expect("written");
        }
        let arguments = [&["query", "-json"], self.arguments.as_slice()].concat();
        let outcome = env.workspace.run(&arguments).expect("an end");
        let lines = outcome.stdout.replace(&root, "ROOT");
        let lines: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut told: Vec<String> = lines.iter().filter_map(told).collect();
        told.sort();
        let mut events: Vec<Value> = lines.into_iter().filter_map(event).collect();
        // Lists run at the same time, but for those that others wait for.
        events.sort_by_key(|it| address(it).to_owned());
        let mut json = json!({ "exit": outcome.exit_code, "told": told, "events": events });
        if let Ok(generated) = fs::read_to_string(env.workspace.dir().join("found.tf")) {
            let lines = generated.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            let code = lines.map(|line| format!("{line}\n")).collect::<String>();
            // So do those of several instances.
            let mut blocks: Vec<&str> = code.split_inclusive("\n}\n").collect();
            blocks.sort_unstable();
            json["generated"] = blocks.into();
        }
        env.close();
        json
    }
}

/// A summary with its place.
fn told(line: &Value) -> Option<String> {
    let told = line.get("diagnostic")?;
    let summary = told["summary"].as_str().unwrap_or_default();
    if summary == "Provider development overrides are in effect" {
        return None;
    }
    // The members of a cycle have no order.
    let summary = if summary.starts_with("Cycle") { "Cycle" } else { summary };
    let mark = if told["severity"] == "warning" { "W:" } else { "" };
    let Some(range) = told.get("range") else { return Some(format!("{mark}{summary}")) };
    let file = range["filename"].as_str().unwrap_or_default();
    let file = file.strip_prefix("./").unwrap_or(file);
    let [start, end] = ["start", "end"].map(|it| format!("{}:{}", range[it]["line"], range[it]["column"]));
    Some(format!("{mark}{summary} @ {file}:{start}-{end}"))
}

/// An event without what is different each time.
fn event(mut line: Value) -> Option<Value> {
    if line["type"] == "version" || line["type"] == "diagnostic" {
        return None;
    }
    let members = line.as_object_mut()?;
    members.remove("@timestamp");
    members.remove("@module");
    if let Some(hook) = members.get_mut("hook") {
        *hook = json!({ "address": hook["resource"]["addr"], "action": hook["action"] });
        // It has the time that the task took.
        if members["type"] == "apply_complete" {
            members.remove("@message");
        }
    }
    Some(line)
}

fn address(event: &Value) -> &str {
    let members = event.as_object().into_iter().flat_map(|it| it.values());
    members.filter_map(|it| it["address"].as_str()).next().unwrap_or_default()
}
