//! Configurations in one or more steps, and what Terraform 1.15.5 makes of each: what is said, the plan as JSON, and the
//! state.
//!
//! `### NAME` begins a case and `### then` its next step; `### then destroy` destroys what is there, and `### then refresh`
//! only updates the state, both with the files and values of the step before unless they are given others. A step is the text of
//! `main.tf`, and after each line `--- PATH` that of another file. `--- arguments` is no file: it has a line for each
//! argument of the commands, and for each variable of their environment.
//!
//! Configurations may use the provider `sample` (`provider.rs`) without any further block.
//!
//! `recorded` holds what the real core makes of them, and `TOPIC.departures.txt` what exactly the embedded core makes of
//! those in which it is known to differ. `FERROFORM_RECORD=1` with the filter `corpus` records both again; what departs from a new
//! recording is recorded the second time. `recorded/opentofu` has the same for a sample of the topics and OpenTofu.

mod comparison;
mod embedded;
mod outcome;
mod real;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use comparison::compare;
use ferroform_testing::case::Recording;
use ferroform_testing::embedded::CoreVersion;
use ferroform_testing::plan::Mode;
use ferroform_testing::real::{Core, LockedCore, Product};
use libtest_mimic::Failed;
use serde::{Deserialize, Serialize};

use crate::provider::real_core;
use crate::{agreement, departures};

pub(crate) use comparison::difference;
pub(crate) use outcome::Outcome;
pub(crate) use step::Step;

/// The texts by topic.
pub(crate) const TOPICS: [(&str, &str); 36] = [
    ("actions", include_str!("actions.txt")),
    ("blocks", include_str!("blocks.txt")),
    ("calls", include_str!("calls.txt")),
    ("checks", include_str!("checks.txt")),
    ("conditions", include_str!("conditions.txt")),
    ("declarations", include_str!("declarations.txt")),
    ("ephemeral", include_str!("ephemeral.txt")),
    ("ephemeral_resources", include_str!("ephemeral_resources.txt")),
    ("expressions", include_str!("expressions.txt")),
    ("functions", include_str!("functions.txt")),
    ("imports", include_str!("imports.txt")),
    ("inputs", include_str!("inputs.txt")),
    ("instances", include_str!("instances.txt")),
    ("json", include_str!("json.txt")),
    ("lifecycle_destroy", include_str!("lifecycle_destroy.txt")),
    ("marks", include_str!("marks.txt")),
    ("meta", include_str!("meta.txt")),
    ("mistakes", include_str!("mistakes.txt")),
    ("modes", include_str!("modes.txt")),
    ("modules", include_str!("modules.txt")),
    ("moves", include_str!("moves.txt")),
    ("overrides", include_str!("overrides.txt")),
    ("provided", include_str!("provided.txt")),
    ("providers", include_str!("providers.txt")),
    ("provisioners", include_str!("provisioners.txt")),
    ("refactoring", include_str!("refactoring.txt")),
    ("references", include_str!("references.txt")),
    ("relevant", include_str!("relevant.txt")),
    ("removed", include_str!("removed.txt")),
    ("sequences", include_str!("sequences.txt")),
    ("settings", include_str!("settings.txt")),
    ("syntax", include_str!("syntax.txt")),
    ("targets", include_str!("targets.txt")),
    ("unknowns", include_str!("unknowns.txt")),
    ("values", include_str!("values.txt")),
    ("variables", include_str!("variables.txt")),
];

/// The texts, and a sample of those that are generated.
pub(crate) fn topics() -> Vec<(&'static str, &'static str)> {
    TOPICS.into_iter().chain([("scenarios", crate::scenarios::sample())]).collect()
}

/// The topics that are recorded of OpenTofu as well: the life of objects, whatever their providers are.
pub(crate) const OPEN_TOFU_TOPICS: [&str; 10] = [
    "checks",
    "conditions",
    "instances",
    "lifecycle_destroy",
    "modules",
    "moves",
    "refactoring",
    "removed",
    "sequences",
    "targets",
];

/// Which real core is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordedCore {
    Terraform,
    OpenTofu,
}

impl RecordedCore {
    /// The core by its name in the environment.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "terraform@1.15.5",
            Self::OpenTofu => "tofu@1.12.6",
        }
    }

    /// What the embedded core stands for.
    fn emulated(self) -> CoreVersion {
        match self {
            Self::Terraform => CoreVersion::default(),
            Self::OpenTofu => CoreVersion::open_tofu(1, 12, 6),
        }
    }

    /// What a recording is of. A pinned library has a checksum; OpenTofu is built from the sources of its version.
    fn checksum(self) -> io::Result<String> {
        match self {
            Self::Terraform => {
                Ok(LockedCore::find("1.15.5").map_err(io::Error::other)?.library_sha256.clone())
            }
            Self::OpenTofu => Ok(self.name().to_owned()),
        }
    }

    fn folder(self) -> PathBuf {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/modules/corpus/recorded");
        match self {
            Self::Terraform => folder,
            Self::OpenTofu => folder.join("opentofu"),
        }
    }

    /// The recording of a topic.
    fn record(self, topic: &str) -> PathBuf {
        self.folder().join(format!("{topic}.jsonl"))
    }

    /// What a recording of a topic is made from.
    fn parts(self, topic: &str) -> io::Result<Vec<Vec<u8>>> {
        let (_, text) = topics().into_iter().find(|(name, _)| *name == topic).unwrap_or_default();
        let asked = [include_str!("real.rs"), include_str!("step.rs"), include_str!("outcome.rs")];
        let core = self.checksum()?;
        let parts = [text, &core].into_iter().chain(asked).map(|part| part.as_bytes().to_vec());
        Ok(parts.chain([std::fs::read(self.record(topic))?]).collect())
    }

    /// The differences that are known.
    const fn departures(self) -> Departures {
        match self {
            Self::Terraform => Departures::Listed(DEPARTURES),
            Self::OpenTofu => Departures::Recorded,
        }
    }
}

/// Which differences are no mistakes.
#[derive(Clone, Copy)]
enum Departures {
    /// Those that are listed with a reason.
    Listed(&'static [Departure]),
    /// Those that are recorded. The embedded core as OpenTofu has the language of Terraform; see "OpenTofu" in
    /// `docs/contributing/differences.md`.
    Recorded,
}

impl Departures {
    /// What is listed of a case.
    fn listed(self, case: &Case) -> Option<&'static Departure> {
        match self {
            Self::Listed(departures) => departures.iter().find(|it| it.cases.contains(&case.name)),
            Self::Recorded => None,
        }
    }
}

/// A difference to the real core, and the cases that have it. All of them are in `docs/contributing/differences.md`.
struct Departure {
    why: &'static str,
    /// Whether nothing differs but source ranges that only one of the cores reports.
    only_ranges: bool,
    cases: &'static [&'static str],
}

const DEPARTURES: &[Departure] = &[
    Departure {
        why: "syntax errors are in words of our own",
        only_ranges: false,
        cases: &[
            "heredoc_marker_before_parenthesis_is_text",
            "multi_line_string_is_an_error",
            "the_text_for_a_list_is_no_expression",
        ],
    },
    Departure {
        why: "core plans all the same",
        only_ranges: false,
        cases: &[
            "block_in_a_file_of_values",
            "declaration_in_a_file_of_values",
            "directory_that_is_called_like_a_file_of_values",
            "value_twice_in_json",
        ],
    },
    Departure {
        why: "core validates a root module that needs configurations, and reports them without a source range",
        only_ranges: false,
        cases: &["configuration_aliases_of_the_root", "configuration_aliases_twice"],
    },
    Departure {
        why: "core finds out when it stores the result",
        only_ranges: false,
        cases: &["a_division_by_zero"],
    },
    Departure {
        why: "core points behind the end of the file",
        only_ranges: false,
        cases: &["heredoc_without_end_is_an_error"],
    },
    Departure {
        why: "core reports it without a source range",
        only_ranges: true,
        cases: &[
            "an_alias_is_not_declared_in_the_child",
            "an_alias_that_is_not_there_is_passed",
            "an_alias_that_is_not_there_is_used",
            "an_alias_that_is_null",
            "an_alias_that_neither_side_knows_is_passed",
            "an_alias_with_an_odd_name",
            "an_import_by_identity_of_what_has_none",
            "an_import_into_an_instance_that_a_module_by_a_resource_lacks",
            "an_import_to_a_key_that_is_a_list",
            "an_import_to_a_key_that_is_a_local",
            "an_import_to_a_key_that_is_not_there",
            "an_import_to_a_secret_key",
            "an_import_to_an_instance_that_a_module_has_not",
            "an_import_to_an_unknown_key",
            "a_module_passes_on_a_provider_that_is_not_passed_to_it",
            "a_module_uses_and_passes_on_a_provider_that_is_not_passed_to_it",
            "a_postcondition_after_an_apply_that_fails",
            "a_provider_that_nobody_requires_is_passed",
            "a_provider_that_the_root_module_uses_and_does_not_require_is_passed",
            "a_provisioner_that_there_is_not_and_a_reference_to_nothing",
            "an_override_by_a_provider_that_is_not_there",
            "each_and_count_as_a_whole",
            "provider_reference_unknown_alias",
            "providers_stop_half_way",
            "provisioner_unknown",
            "the_builtin_is_passed_within_a_module_without_being_there",
            "the_builtin_is_passed_without_being_there",
            "what_is_only_read_is_not_set",
        ],
    },
];

/// What the rows of the table in `docs/contributing/differences.md` are about.
const ROWS: [&str; 10] = [
    "`configuration_aliases` of the root module",
    "members of a cycle",
    "where a mistake is reported",
    "`1 / 0`, `log`, `pow` and `-0`",
    "a file of values or of a remote state that cannot be read",
    "an import into an object that is in the state",
    "a name of a provider that is no reference",
    "a `moved` block from another type to `terraform_data`",
    "a message about an instance on which others of its resource wait",
    "a number literal beyond `f64`",
];

/// The table of differences has the rows that are known here.
pub(crate) fn rows() -> Result<(), Failed> {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/contributing/differences.md"))?;
    let (_, table) = page.split_once("\n## The language\n").expect("the section");
    let (table, _) = table.split_once("\n## ").expect("a section after it");
    // Two lines are the head of the table.
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| ")).skip(1).collect();
    let known = rows.len() == ROWS.len() && rows.iter().zip(ROWS).all(|(row, known)| row.starts_with(known));
    assert!(known, "{rows:#?}");
    Ok(())
}

/// A configuration, or several that are applied one after the other.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) steps: Vec<Step>,
}

/// The cases of a topic.
pub(crate) fn cases(text: &'static str) -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    for part in text.split("\n### ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        match (name, all.last_mut()) {
            ("then", Some(case)) => case.steps.push(Step::new(Mode::Normal, text)),
            ("then destroy", Some(case)) => case.steps.push(Step::new(Mode::Destroy, text)),
            ("then refresh", Some(case)) => case.steps.push(Step::new(Mode::RefreshOnly, text)),
            _ => all.push(Case { name, steps: vec![Step::new(Mode::Normal, text)] }),
        }
    }
    all
}

#[derive(Debug, Serialize, Deserialize)]
struct Recorded {
    name: String,
    outcomes: Vec<Outcome>,
}

/// The recording of a topic: its text, what is recorded of it, the core, and what asks the core.
pub(crate) fn recording(of: RecordedCore, topic: &str) -> Recording {
    let parts = match of {
        RecordedCore::Terraform => |topic: &str| RecordedCore::Terraform.parts(topic),
        RecordedCore::OpenTofu => |topic: &str| RecordedCore::OpenTofu.parts(topic),
    };
    Recording::new(of.folder().join("keys.tsv"), topic, parts)
}

/// What a real core makes of each case of a topic.
///
/// # Errors
/// The recording is missing or broken: its file and the line.
fn recorded(of: RecordedCore, topic: &str) -> Result<BTreeMap<String, Vec<Outcome>>, String> {
    let lines: Vec<Recorded> = Recording::lines(of.record(topic))?;
    Ok(lines.into_iter().map(|Recorded { name, outcomes }| (name, outcomes)).collect())
}

/// What a real core makes of a case, with the provider `sample` at hand.
pub(crate) fn run_real(core: &Core, case: &Case) -> Vec<Outcome> {
    // No topic of OpenTofu has the provider.
    if core.product == Product::OpenTofu { real::run(core, case) } else { real::run(&real_core(core), case) }
}

/// What the embedded core makes of a case, as the newest Terraform.
pub(crate) fn run_embedded(case: &Case) -> Vec<Outcome> {
    embedded::run(case, &CoreVersion::default())
}

/// Compares what comes of each case on the embedded core with what is recorded, and what departs from it with the record
/// of that.
pub(crate) fn embedded(of: RecordedCore, (topic, text): (&str, &'static str)) -> Result<(), Failed> {
    let emulated = of.emulated();
    let run = |case: &Case| embedded::run(case, &emulated);
    let comparison = compare(&recorded(of, topic)?, &cases(text), run, of.departures());
    for (what, [agreeing, all]) in [("cases", comparison.cases), ("steps", comparison.steps)] {
        agreement::count((of.name(), topic), what, agreeing, all);
    }
    comparison.conclude()?;
    departures::compare(&of.record(topic).with_extension("departures.txt"), &comparison.departures)
}

/// The same for a real core; or records what it makes of them.
pub(crate) fn real(of: RecordedCore, core: &Core, (topic, text): (&str, &'static str)) -> Result<(), Failed> {
    let cases = cases(text);
    if std::env::var_os("FERROFORM_RECORD").is_none() {
        let run = |case: &Case| run_real(core, case);
        return compare(&recorded(of, topic)?, &cases, run, Departures::Listed(&[])).conclude();
    }
    let mut lines = String::new();
    for case in &cases {
        let recorded = Recorded { name: case.name.to_owned(), outcomes: run_real(core, case) };
        lines.push_str(&serde_json::to_string(&recorded)?);
        lines.push('\n');
    }
    std::fs::create_dir_all(of.folder())?;
    Ok(std::fs::write(of.record(topic), lines)?)
}

/// All that the real cores say of any case, without the mark of warnings.
///
/// # Errors
/// A recording is missing or broken.
pub(crate) fn told() -> Result<BTreeSet<String>, String> {
    let mut all = BTreeSet::new();
    let terraform = TOPICS.into_iter().map(|(topic, _)| (RecordedCore::Terraform, topic));
    for (of, topic) in terraform.chain(OPEN_TOFU_TOPICS.map(|topic| (RecordedCore::OpenTofu, topic))) {
        let outcomes = recorded(of, topic)?.into_values().flatten();
        let told = outcomes.flat_map(Outcome::into_told);
        all.extend(told.map(|it| outcome::bare(it.strip_prefix("W:").unwrap_or(&it)).to_owned()));
    }
    Ok(all)
}
