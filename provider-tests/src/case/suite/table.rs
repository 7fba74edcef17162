//! The table of cases and cores.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::case::report::{Report, Verdict};

/// What came of the tests of a binary.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

/// What came of a case in one place.
#[derive(Debug, Clone)]
pub(super) struct Row {
    case: String,
    /// The core and the protocol.
    place: String,
    pub(super) told: Told,
    /// How long it took, in milliseconds.
    time: Option<u128>,
    notes: Vec<String>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Passed,
    Failed(String),
    Skipped(String),
    NotRun,
}

impl Row {
    pub(super) fn new(case: &str, place: &str) -> Self {
        let (case, place) = (case.to_owned(), place.to_owned());
        Self { case, place, told: Told::NotRun, time: None, notes: Vec::new() }
    }

    pub(super) fn tell(&mut self, report: &Report) {
        self.told = match &report.verdict {
            Verdict::Passed => Told::Passed,
            Verdict::Failed => {
                let first = report.failures.first();
                let problem = first.and_then(|failure| failure.problems.first()).cloned().unwrap_or_default();
                let step = first.map(|failure| failure.step.as_str()).unwrap_or_default();
                Told::Failed(format!("{step}: {}", problem.lines().next().unwrap_or_default()))
            }
            Verdict::Skipped(reason) => Told::Skipped(reason.clone()),
        };
        self.time = Some(report.time.as_millis());
        self.notes.clone_from(&report.notes);
    }

    fn word(&self) -> &'static str {
        match self.told {
            Told::Passed => "passed",
            Told::Failed(_) => "failed",
            Told::Skipped(_) => "skipped",
            Told::NotRun => "not run",
        }
    }

    fn why(&self) -> String {
        let reason = match &self.told {
            Told::Failed(reason) | Told::Skipped(reason) => Some(reason),
            Told::Passed | Told::NotRun => None,
        };
        reason.into_iter().chain(&self.notes).cloned().collect::<Vec<_>>().join("; ")
    }
}

impl Table {
    pub(super) fn put(&mut self, row: Row) {
        match self.rows.iter_mut().find(|known| (&known.case, &known.place) == (&row.case, &row.place)) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    /// The places in which nothing could run, all for one reason.
    fn absent(&self) -> BTreeMap<&str, &str> {
        let mut absent = BTreeMap::new();
        for row in &self.rows {
            let reason = match &row.told {
                Told::Skipped(reason) => Some(reason.as_str()),
                _ => None,
            };
            let known = *absent.entry(row.place.as_str()).or_insert(reason);
            if known != reason {
                absent.insert(row.place.as_str(), None);
            }
        }
        absent.into_iter().filter_map(|(place, reason)| Some((place, reason?))).collect()
    }

    /// Stores the table for its binary, and puts those of all binaries together in `target/cases.tsv`.
    pub(super) fn save(&self, binary: &str) -> io::Result<()> {
        let Some(target) = target() else { return Ok(()) };
        self.save_in(&target, binary, &std::env::current_exe()?)
    }

    fn save_in(&self, target: &Path, binary: &str, executable: &Path) -> io::Result<()> {
        let parts = target.join("cases");
        fs::create_dir_all(&parts)?;
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let lines = self.rows.iter().map(|row| {
            let time = row.time.map(|time| time.to_string()).unwrap_or_default();
            let fields = [&package, binary, &row.case, &row.place, row.word(), &time, &row.why()];
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
        replace(&target.join("cases.tsv"), &all)
    }
}

const HEAD: &str = "package\tbinary\tcase\tplace\tresult\tmilliseconds\twhy\n";

/// What the first line of a table has before the path of the binary that wrote it.
const FROM: &str = "# ";

/// The rows of a table, unless they are of another binary than there is now: one that was built anew has not run yet,
/// and one that is gone has no cases any more.
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

/// Writes a file at once, so that another binary which does the same reads all of it or what was there before.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(parent)?;
    fs::write(file.path(), text)?;
    file.persist(path).map(drop).map_err(|error| error.error)
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

/// For people: a line for each case, a column for each place, and the reasons below.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places: Vec<&str> = Vec::new();
        let mut cases: Vec<&str> = Vec::new();
        let mut cells: BTreeMap<(&str, &str), &Row> = BTreeMap::new();
        let absent = self.absent();
        for row in self.rows.iter().filter(|row| !absent.contains_key(row.place.as_str())) {
            if !places.contains(&row.place.as_str()) {
                places.push(&row.place);
            }
            if !cases.contains(&row.case.as_str()) {
                cases.push(&row.case);
            }
            cells.insert((&row.case, &row.place), row);
        }
        let mut reasons: Vec<String> = Vec::new();
        let name = cases.iter().map(|case| case.chars().count()).max().unwrap_or_default().max(4);
        write!(f, "{:name$}", "case")?;
        places.iter().try_for_each(|place| write!(f, "  {place:<WIDTH$}"))?;
        writeln!(f)?;
        for case in cases {
            write!(f, "{case:name$}")?;
            for place in &places {
                let cell = cells.get(&(case, *place)).map(|row| cell(row, &mut reasons)).unwrap_or_default();
                write!(f, "  {cell:<width$}", width = place.chars().count().max(WIDTH))?;
            }
            writeln!(f)?;
        }
        for (at, reason) in reasons.iter().enumerate() {
            writeln!(f, "[{}] {reason}", at + 1)?;
        }
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        absent.iter().for_each(|(place, reason)| by_reason.entry(reason).or_default().push(place));
        for (reason, places) in by_reason {
            writeln!(f, "not on {}: {reason}", places.join(", "))?;
        }
        let count = |word| self.rows.iter().filter(|row| row.word() == word).count();
        let (passed, failed) = (count("passed"), count("failed"));
        write!(
            f,
            "{passed} passed, {failed} failed, {} skipped, {} not run",
            count("skipped"),
            count("not run")
        )
    }
}

/// The least width of a column.
const WIDTH: usize = 14;

fn cell(row: &Row, reasons: &mut Vec<String>) -> String {
    let time = row.time.map(|time| format!(" {time} ms")).unwrap_or_default();
    let why = row.why();
    if why.is_empty() {
        return format!("{}{time}", row.word());
    }
    let known = reasons.iter().position(|reason| *reason == why);
    let at = known.unwrap_or_else(|| {
        reasons.push(why);
        reasons.len() - 1
    });
    format!("{}{time} [{}]", row.word(), at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, place: &str, told: Told) -> Row {
        Row { told, ..Row::new(case, place) }
    }

    fn table() -> Table {
        let skipped = |reason: &str| Told::Skipped(reason.to_owned());
        let mut table = Table::default();
        table.put(row("lifecycle", "embedded/protocol 6", Told::NotRun));
        table.put(row("lifecycle", "tofu/protocol 6", skipped("there is no tofu")));
        table.put(row("import", "embedded/protocol 6", Told::Failed("step 1 of 1: apply: bad".to_owned())));
        table.put(row("import", "tofu/protocol 6", skipped("there is no tofu")));
        table.put(row("lifecycle", "embedded/protocol 6", Told::Passed));
        table
    }

    #[test]
    fn the_table_has_a_line_for_each_case_and_says_why() {
        let text = table().to_string();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "case       embedded/protocol 6",
                "lifecycle  passed",
                "import     failed [1]",
                "[1] step 1 of 1: apply: bad",
                "not on tofu/protocol 6: there is no tofu",
                "1 passed, 1 failed, 2 skipped, 0 not run",
            ]
        );
    }

    #[test]
    fn the_tables_of_several_binaries_stand_in_one_file() {
        let target = tempfile::tempdir().expect("a directory");
        let mut other = Table::default();
        other.put(row("drift", "embedded/protocol 5", Told::NotRun));
        let executable = executable(&target, "built");
        for (table, binary) in [(&other, "two"), (&table(), "one"), (&table(), "one")] {
            table.save_in(target.path(), binary, &executable).expect("saved");
        }
        let text = stored(&target);
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split('\t').skip(1).take(4).collect()).collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[0], ["binary", "case", "place", "result"]);
        assert_eq!(lines[1], ["one", "lifecycle", "embedded/protocol 6", "passed"]);
        assert_eq!(lines[5], ["two", "drift", "embedded/protocol 5", "not run"]);
    }

    fn executable(target: &tempfile::TempDir, name: &str) -> PathBuf {
        let path = target.path().join(name);
        fs::write(&path, "a program").expect("written");
        path
    }

    fn stored(target: &tempfile::TempDir) -> String {
        fs::read_to_string(target.path().join("cases.tsv")).expect("a file")
    }

    /// One binary is gone, and one was built after its tests have run.
    #[test]
    fn results_of_an_earlier_run_of_other_tests_do_not_stay() {
        let target = tempfile::tempdir().expect("a directory");
        let (gone, anew, one) =
            (executable(&target, "gone"), executable(&target, "anew"), executable(&target, "one"));
        table().save_in(target.path(), "gone", &gone).expect("saved");
        table().save_in(target.path(), "anew", &anew).expect("saved");
        assert_eq!(stored(&target).lines().count(), 9);
        fs::remove_file(gone).expect("removed");
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
        fs::File::options().write(true).open(anew).and_then(|file| file.set_modified(later)).expect("dated");
        table().save_in(target.path(), "one", &one).expect("saved");
        let text = stored(&target);
        assert_eq!(text.lines().count(), 5);
        assert!(text.lines().skip(1).all(|line| line.split('\t').nth(1) == Some("one")), "{text}");
    }
}
