//! The table of cases and cores.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::case::report::{Report, Verdict};
use crate::files::replace;
use crate::real::CoreRequest;

/// The results of the tests of a binary.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

/// The result of a case on one target.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    case: String,
    /// The core and the protocol.
    target: String,
    result: TestResult,
    time: Option<Duration>,
    notes: Vec<String>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TestResult {
    Passed,
    Failed(String),
    /// The target lacks what the case needs.
    Skipped(String),
    NotRun(String),
    /// The case was not meant for the target.
    LeftOut(String),
    /// A recording of the core stands for the run.
    Replayed,
}

impl TestResult {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Skipped(_) => "skipped",
            Self::NotRun(_) | Self::LeftOut(_) => "not run",
            Self::Replayed => "replayed",
        }
    }

    /// Why it has not passed; never blank.
    fn reason(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::Replayed => Some("nothing has changed since it was recorded; FERROFORM_LIVE=1 runs it"),
            Self::Failed(reason) | Self::Skipped(reason) | Self::NotRun(reason) | Self::LeftOut(reason) => {
                Some(if reason.trim().is_empty() { "no reason is given" } else { reason })
            }
        }
    }
}

/// Why a test has not run that a filter deselected.
const NOT_ASKED: &str = "the command line does not ask for it";

impl Row {
    /// A row of a test that may come to run.
    pub(crate) fn new(case: &str, target: &str) -> Self {
        let (case, target) = (case.to_owned(), target.to_owned());
        Self { case, target, result: TestResult::NotRun(NOT_ASKED.to_owned()), time: None, notes: Vec::new() }
    }

    /// With another result.
    pub(crate) fn with(self, result: TestResult) -> Self {
        Self { result, ..self }
    }

    /// Takes the result of a report.
    pub(super) fn take(&mut self, report: &Report) {
        self.result = match &report.verdict {
            Verdict::Passed => TestResult::Passed,
            Verdict::Failed => {
                let first = report.failures.first();
                let problem = first.and_then(|failure| failure.problems.first()).cloned().unwrap_or_default();
                let step = first.map(|failure| failure.step.as_str()).unwrap_or_default();
                TestResult::Failed(format!("{step}: {}", problem.lines().next().unwrap_or_default()))
            }
            Verdict::Skipped(reason) => TestResult::Skipped(reason.clone()),
        };
        self.notes.clone_from(&report.notes);
    }

    /// The test is over; its result counts unless a more exact one was set.
    pub(super) fn end(&mut self, came: Result<(), Option<&str>>, time: Duration) {
        self.time = Some(time);
        if matches!(self.result, TestResult::NotRun(_)) {
            self.result = match came {
                Ok(()) => TestResult::Passed,
                Err(message) => TestResult::Failed(
                    message.and_then(|it| it.lines().next()).unwrap_or_default().to_owned(),
                ),
            };
        }
    }

    /// Why it is not simply passed; empty for what has passed without a note.
    pub(super) fn why(&self) -> String {
        let notes = self.notes.iter().map(String::as_str);
        self.result.reason().into_iter().chain(notes).collect::<Vec<_>>().join("; ")
    }

    fn was_asked_for(&self) -> bool {
        !matches!(&self.result, TestResult::NotRun(reason) if reason == NOT_ASKED)
    }

    /// Whether the target lacked what the case needs.
    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.result, TestResult::Skipped(_))
    }

    fn milliseconds(&self) -> Option<String> {
        self.time.map(|time| time.as_millis().to_string())
    }
}

impl Table {
    pub(super) fn put(&mut self, row: Row) {
        match self.rows.iter_mut().find(|known| (&known.case, &known.target) == (&row.case, &row.target)) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    /// The rows for people: without targets that a case is not meant for.
    fn shown(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().filter(|row| !matches!(row.result, TestResult::LeftOut(_)))
    }

    /// The targets on which nothing has run, all for one reason.
    fn absent(&self) -> BTreeMap<&str, &TestResult> {
        let mut absent = BTreeMap::new();
        for row in self.shown() {
            let reason = match &row.result {
                result @ (TestResult::Skipped(_) | TestResult::NotRun(_)) => Some(result),
                _ => None,
            };
            let known = *absent.entry(row.target.as_str()).or_insert(reason);
            if known != reason {
                absent.insert(row.target.as_str(), None);
            }
        }
        absent.into_iter().filter_map(|(target, reason)| Some((target, reason?))).collect()
    }

    /// Stores the table for its binary, and puts those of all binaries together in `target/cases.tsv`, and in
    /// `target/idle-cores.txt` on which real cores none of them ran a test.
    pub(super) fn save(&self, binary: &str) -> io::Result<()> {
        let Some(target) = target() else { return Ok(()) };
        // Only cargo knows the package. Under another name the rows would stand beside those of cargo's runs.
        let Ok(package) = std::env::var("CARGO_PKG_NAME") else { return Ok(()) };
        self.save_in(&target, (&package, binary), &std::env::current_exe()?)
    }

    fn save_in(&self, target: &Path, (package, binary): (&str, &str), executable: &Path) -> io::Result<()> {
        let parts = target.join("cases");
        let lines = self.rows.iter().map(|row| {
            let time = row.milliseconds().unwrap_or_default();
            let fields = [package, binary, &row.case, &row.target, row.result.word(), &time, &row.why()];
            fields.map(|field| field.replace(['\t', '\n'], " ")).join("\t") + "\n"
        });
        let from = format!("{FROM}{}\n", executable.display());
        replace(&parts.join(format!("{package}-{binary}.tsv")), &(from + &lines.collect::<String>()))?;
        let mut files: Vec<PathBuf> =
            fs::read_dir(&parts)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "tsv"));
        files.sort();
        let mut all = HEAD.to_owned();
        for file in files {
            match current(&file)? {
                Some(rows) => all.push_str(&rows),
                // Another binary may have found that out, too.
                None => drop(fs::remove_file(file)),
            }
        }
        replace(&target.join("cases.tsv"), &all)?;
        let rows = all.lines().filter_map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            Some((*fields.get(3)?, !fields.get(5)?.is_empty()))
        });
        replace(&target.join("idle-cores.txt"), &(idle_cores(rows).join(", ") + "\n"))
    }
}

/// The real cores on which no test ran, of the targets of all tests and whether each ran there. A product without a version
/// stands for each of its versions.
fn idle_cores<'r>(rows: impl Iterator<Item = (&'r str, bool)>) -> Vec<&'r str> {
    let mut cores: Vec<(CoreRequest, &str, bool)> = Vec::new();
    for (target, has_run) in rows {
        let name = target.split('/').next().unwrap_or_default();
        if let Some((_, _, any)) = cores.iter_mut().find(|(_, known, _)| *known == name) {
            *any |= has_run;
        } else if let Ok(core) = name.parse() {
            cores.push((core, name, has_run));
        }
    }
    let ran = |idle: &CoreRequest| cores.iter().any(|(core, _, has_run)| *has_run && idle.stands_for(core));
    cores.iter().filter(|(core, ..)| !ran(core)).map(|(_, name, _)| *name).collect()
}

const HEAD: &str = "package\tbinary\tcase\ttarget\tresult\tmilliseconds\twhy\n";

/// What the first line of a table has before the path of the binary that wrote it.
const FROM: &str = "# ";

/// The rows of a table, unless they are of another binary than there is now: one that was built anew has not run yet,
/// and a deleted one has no cases any more.
fn current(file: &Path) -> io::Result<Option<String>> {
    let text = match fs::read_to_string(file) {
        // Another binary has found out that it is old.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    let Some((first, rows)) = text.split_once('\n') else { return Ok(None) };
    let Some(executable) = first.strip_prefix(FROM) else { return Ok(None) };
    let built = fs::metadata(executable).and_then(|file| file.modified());
    let is_current =
        built.is_ok_and(|built| fs::metadata(file).and_then(|it| it.modified()).is_ok_and(|it| built <= it));
    Ok(is_current.then(|| rows.to_owned()))
}

/// The directory of build results, which holds the test binary.
fn target() -> Option<PathBuf> {
    let binary = std::env::current_exe().ok()?;
    let deps = binary.parent().filter(|parent| parent.ends_with("deps"))?;
    Some(deps.parent()?.parent()?.to_path_buf())
}

/// The name of the test binary, without the hash that cargo adds.
pub(super) fn binary() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()) => {
            name.to_owned()
        }
        _ => stem,
    }
}

/// For people: a line for each case, a column for each target, and the reasons below. What the command line did not ask for
/// is counted only, what no case is meant for is not there, and a target where nothing has run is listed by its reason.
/// The last line names the real cores on which no test ran.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let absent = self.absent();
        let mut grid = Grid::default();
        let there = self.shown().filter(|row| !absent.contains_key(row.target.as_str()));
        let asked: BTreeSet<&str> =
            there.clone().filter(|row| row.was_asked_for()).map(|row| row.case.as_str()).collect();
        there.filter(|row| asked.contains(row.case.as_str())).for_each(|row| grid.put(row));
        write!(f, "{grid}")?;
        let mut by_reason: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for (target, result) in absent.into_iter().filter(|(_, it)| it.reason() != Some(NOT_ASKED)) {
            by_reason.entry((result.word(), result.reason().unwrap_or_default())).or_default().push(target);
        }
        for ((word, reason), targets) in by_reason {
            writeln!(f, "{word} on {}: {reason}", targets.join(", "))?;
        }
        let count = |word| self.shown().filter(|row| row.result.word() == word).count();
        let (passed, failed) = (count("passed"), count("failed"));
        let (skipped, not_run) = (count("skipped"), count("not run"));
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped, {not_run} not run")?;
        match count("replayed") {
            0 => {}
            replayed => write!(f, ", {replayed} replayed from recordings")?,
        }
        let rows = self.rows.iter().map(|row| (row.target.as_str(), row.time.is_some()));
        match idle_cores(rows).as_slice() {
            [] => Ok(()),
            idle => write!(f, "\nno test ran on {}", idle.join(", ")),
        }
    }
}

/// The part of a table that is one.
#[derive(Debug, Default)]
struct Grid<'a> {
    targets: Vec<&'a str>,
    cases: Vec<&'a str>,
    cells: BTreeMap<(&'a str, &'a str), String>,
    reasons: Vec<String>,
}

/// With more targets than these, columns have numbers, for lines get too long with the names.
const NAMED: usize = 4;

impl<'a> Grid<'a> {
    fn put(&mut self, row: &'a Row) {
        if !self.targets.contains(&row.target.as_str()) {
            self.targets.push(&row.target);
        }
        if !self.cases.contains(&row.case.as_str()) {
            self.cases.push(&row.case);
        }
        let time = row.milliseconds().map(|time| format!(" {time} ms")).unwrap_or_default();
        let why = row.why();
        let mark = if why.is_empty() { String::new() } else { format!(" [{}]", self.number(why)) };
        self.cells.insert((&row.case, &row.target), format!("{}{time}{mark}", row.result.word()));
    }

    /// A case that has nothing to do on a target has no row there.
    fn cell(&self, case: &'a str, target: &'a str) -> &str {
        self.cells.get(&(case, target)).map_or("-", String::as_str)
    }

    fn number(&mut self, reason: String) -> usize {
        let known = self.reasons.iter().position(|known| *known == reason);
        known.unwrap_or_else(|| {
            self.reasons.push(reason);
            self.reasons.len() - 1
        }) + 1
    }
}

impl fmt::Display for Grid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = self.targets.len() > NAMED;
        let head = |(at, target): (usize, &&str)| {
            if numbered { format!("({})", at + 1) } else { (*target).to_owned() }
        };
        let heads: Vec<String> = self.targets.iter().enumerate().map(head).collect();
        let width = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| text.chars().count()).max().unwrap_or_default()
        };
        let name = width(&mut self.cases.iter().copied().chain(["case"]));
        let widths: Vec<usize> = (self.targets.iter().zip(&heads))
            .map(|(target, head)| {
                width(&mut self.cases.iter().map(|case| self.cell(case, target)).chain([head.as_str()]))
            })
            .collect();
        if numbered {
            let names = self.targets.iter().zip(&heads);
            names.into_iter().try_for_each(|(target, head)| writeln!(f, "{head} {target}"))?;
        }
        let line = |first: &str, rest: &mut dyn Iterator<Item = &str>| {
            let cells = rest.zip(&widths).map(|(cell, width)| format!("  {cell:<width$}"));
            format!("{first:<name$}{}", cells.collect::<String>()).trim_end().to_owned()
        };
        writeln!(f, "{}", line("case", &mut heads.iter().map(String::as_str)))?;
        for case in &self.cases {
            writeln!(f, "{}", line(case, &mut self.targets.iter().map(|target| self.cell(case, target))))?;
        }
        let reasons = self.reasons.iter().enumerate();
        reasons.into_iter().try_for_each(|(at, reason)| writeln!(f, "[{}] {reason}", at + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "embedded/protocol 6";

    fn table(rows: &[(&str, &str, TestResult)]) -> Table {
        let mut table = Table::default();
        rows.iter().for_each(|(case, target, result)| table.put(Row::new(case, target).with(result.clone())));
        table
    }

    fn absent(case: &str) -> (&str, &'static str, TestResult) {
        (case, "tofu/protocol 6", TestResult::NotRun("there is no tofu".to_owned()))
    }

    fn two() -> Table {
        let failed = TestResult::Failed("step 1 of 1: apply: bad".to_owned());
        let rows = [absent("lifecycle"), ("lifecycle", HERE, TestResult::NotRun(NOT_ASKED.to_owned()))];
        let more = [("import", HERE, failed), absent("import"), ("lifecycle", HERE, TestResult::Passed)];
        table(&[&rows[..], &more].concat())
    }

    #[track_caller]
    fn check(table: &Table, expect: &[&str]) {
        let text = table.to_string();
        assert_eq!(text.lines().collect::<Vec<_>>(), expect, "{text}");
    }

    #[test]
    fn the_table_has_a_line_for_each_case_and_says_why() {
        check(
            &two(),
            &[
                "case       embedded/protocol 6",
                "lifecycle  passed",
                "import     failed [1]",
                "[1] step 1 of 1: apply: bad",
                "not run on tofu/protocol 6: there is no tofu",
                "1 passed, 1 failed, 0 skipped, 2 not run",
                "no test ran on tofu",
            ],
        );
    }

    #[test]
    fn last_line_names_cores_without_a_test() {
        let mut ran = Row::new("a", "terraform@1.15.5/protocol 6");
        ran.end(Ok(()), Duration::from_millis(3));
        let mut table = Table::default();
        for target in ["terraform@1.15.5/protocol 5", "terraform@1.8.4/protocol 6", "tofu@1.12.6/protocol 6"]
        {
            table.put(Row::new("a", target));
        }
        table.put(Row::new("a", "embedded/protocol 6"));
        table.put(ran);
        let text = table.to_string();
        assert_eq!(text.lines().last(), Some("no test ran on terraform@1.8.4, tofu@1.12.6"), "{text}");
    }

    #[test]
    fn product_is_not_idle_where_one_of_its_versions_has_run() {
        for (rows, expect) in [
            (&[("tofu/protocol 6", false), ("tofu@1.12.6/protocol 6", true)][..], &[][..]),
            (&[("tofu/protocol 6", false), ("terraform@1.15.5/protocol 6", true)], &["tofu"]),
            (&[("tofu/protocol 6", true), ("tofu@1.12.6/protocol 6", false)], &["tofu@1.12.6"]),
            (&[("embedded/protocol 6", false)], &[]),
        ] {
            assert_eq!(idle_cores(rows.iter().copied()), expect, "{rows:?}");
        }
    }

    /// Also a test without a reason. Deselected tests and those that are not meant for a target are left out.
    #[test]
    fn test_that_has_not_run_has_its_reason_below_the_table() {
        let no = |result: fn(String) -> TestResult, reason: &str| result(reason.to_owned());
        check(
            &table(&[
                ("a", "1", TestResult::Passed),
                ("a", "2", no(TestResult::NotRun, "")),
                ("b", "1", no(TestResult::Skipped, "it has no blocks")),
                ("c", "1", no(TestResult::NotRun, NOT_ASKED)),
                ("c", "3", no(TestResult::Failed, " ")),
                ("d", "1", no(TestResult::NotRun, NOT_ASKED)),
                ("d", "4", no(TestResult::Skipped, "too old")),
                ("e", "5", TestResult::Passed),
                ("e", "6", TestResult::Passed),
                ("f", "7", TestResult::Passed),
                ("f", "1", no(TestResult::LeftOut, "it is for others")),
                ("g", "8", no(TestResult::LeftOut, "it is for others")),
                ("g", "9", no(TestResult::NotRun, NOT_ASKED)),
            ]),
            &[
                "(1) 1",
                "(2) 3",
                "(3) 5",
                "(4) 6",
                "(5) 7",
                "case  (1)          (2)         (3)     (4)     (5)",
                "a     passed       -           -       -       -",
                "b     skipped [1]  -           -       -       -",
                "c     not run [2]  failed [3]  -       -       -",
                "e     -            -           passed  passed  -",
                "f     -            -           -       -       passed",
                "[1] it has no blocks",
                "[2] the command line does not ask for it",
                "[3] no reason is given",
                "not run on 2: no reason is given",
                "skipped on 4: too old",
                "4 passed, 1 failed, 2 skipped, 4 not run",
            ],
        );
    }

    #[test]
    fn the_last_word_is_what_came_of_the_test() {
        let mut row = Row::new("a", "b");
        assert_eq!(row.why(), NOT_ASKED);
        row.end(Err(Some("bad\nand more")), Duration::from_millis(3));
        assert_eq!((row.result.word(), row.why().as_str()), ("failed", "bad"));
        row.end(Ok(()), Duration::from_millis(3));
        assert_eq!(row.result.word(), "failed");
    }

    #[test]
    fn the_tables_of_several_binaries_stand_in_one_file() {
        let target = tempfile::tempdir().expect("a directory");
        let other = table(&[("drift", "embedded/protocol 5", TestResult::NotRun("why".to_owned()))]);
        let executable = executable(&target, "built");
        for (table, binary) in [(&other, "two"), (&two(), "one"), (&two(), "one")] {
            table.save_in(target.path(), ("package", binary), &executable).expect("saved");
        }
        let text = stored(&target);
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split('\t').skip(1).take(4).collect()).collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[0], ["binary", "case", "target", "result"]);
        assert_eq!(lines[2], ["one", "lifecycle", "embedded/protocol 6", "passed"]);
        assert_eq!(lines[5], ["two", "drift", "embedded/protocol 5", "not run"]);
        assert!(text.lines().last().is_some_and(|line| line.ends_with("\twhy")), "{text}");
    }

    /// One binary runs a test on a core on which another runs none.
    #[test]
    fn cores_without_a_test_of_any_binary_are_stored() {
        let target = tempfile::tempdir().expect("a directory");
        let executable = executable(&target, "built");
        let core = "terraform@1.15.5/protocol 6";
        let mut ran = Row::new("a", core);
        ran.end(Ok(()), Duration::from_millis(3));
        let (mut one, mut two) = (Table::default(), Table::default());
        one.put(ran);
        two.put(Row::new("b", core));
        two.put(Row::new("b", "tofu@1.12.6/protocol 6"));
        two.put(Row::new("b", "embedded/protocol 6"));
        for (table, binary) in [(&one, "one"), (&two, "two")] {
            table.save_in(target.path(), ("package", binary), &executable).expect("saved");
        }
        let text = fs::read_to_string(target.path().join("idle-cores.txt")).expect("a file");
        assert_eq!(text, "tofu@1.12.6\n");
    }

    fn executable(target: &tempfile::TempDir, name: &str) -> PathBuf {
        let path = target.path().join(name);
        fs::write(&path, "a program").expect("written");
        path
    }

    fn stored(target: &tempfile::TempDir) -> String {
        fs::read_to_string(target.path().join("cases.tsv")).expect("a file")
    }

    /// One binary was deleted, and one was built after its tests have run.
    #[test]
    fn results_of_an_earlier_run_of_other_tests_do_not_stay() {
        let target = tempfile::tempdir().expect("a directory");
        let (deleted, rebuilt, one) =
            (executable(&target, "deleted"), executable(&target, "rebuilt"), executable(&target, "one"));
        two().save_in(target.path(), ("package", "deleted"), &deleted).expect("saved");
        two().save_in(target.path(), ("package", "rebuilt"), &rebuilt).expect("saved");
        assert_eq!(stored(&target).lines().count(), 9);
        fs::remove_file(deleted).expect("removed");
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
        fs::File::options()
            .write(true)
            .open(rebuilt)
            .and_then(|file| file.set_modified(later))
            .expect("dated");
        two().save_in(target.path(), ("package", "one"), &one).expect("saved");
        let text = stored(&target);
        assert_eq!(text.lines().count(), 5);
        assert!(text.lines().skip(1).all(|line| line.split('\t').nth(1) == Some("one")), "{text}");
    }
}
