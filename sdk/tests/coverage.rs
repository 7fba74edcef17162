//! The tables of what managed resources can do and of the protocol: each of their rows is there, and every test that
//! they name is there and runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ferroform_proto::RENAMED_IN_5;
use ferroform_proto::tfplugin5::provider::METHODS as METHODS_IN_5;
use ferroform_proto::tfplugin6::provider::METHODS as METHODS_IN_6;
use ferroform_server::protocol::Rpc;

/// How many rows each section of the table has.
const SECTIONS: &[(&str, usize)] = &[
    ("2.", 3),
    ("3.", 16),
    ("8.", 9),
    ("9.", 6),
    ("10.", 4),
    ("11.", 4),
    ("12.", 4),
    ("13.", 4),
    ("14.", 6),
    ("17.", 23),
    ("18.", 27),
    ("19.", 5),
    ("20.", 10),
    ("21.", 14),
    ("22.", 10),
    ("23.", 9),
    ("24.", 5),
    ("25.", 1),
    ("26.", 6),
    ("29.", 5),
    ("30.", 1),
    ("K", 25),
];

/// The procedures of the generated service of protocol 6, and what that of protocol 5 calls them: `=` for the same name,
/// `none` for a procedure that it does not have.
fn procedures() -> Vec<(&'static str, &'static str)> {
    let in_5 = |name: &str| {
        let renamed = RENAMED_IN_5.iter().find(|(in_6, _)| *in_6 == name).map(|(_, in_5)| *in_5);
        let is_there = METHODS_IN_5.iter().any(|method| method.name == renamed.unwrap_or(name));
        if is_there { renamed.unwrap_or("=") } else { "none" }
    };
    METHODS_IN_6.iter().map(|method| (method.name, in_5(method.name))).collect()
}

/// The packages of the workspace that the table names.
const PACKAGES: &[(&str, &str)] = &[
    ("ferroform", "sdk"),
    ("ferroform-core", "sdk/core"),
    ("ferroform-plugin", "sdk/plugin"),
    ("ferroform-server", "sdk/server"),
    ("ferroform-testing", "provider-tests"),
    ("ferroform-acceptance", "provider-tests/acceptance"),
    ("ferroform-examples", "examples"),
    ("terraform-provider-minimal", "examples/minimal"),
];

/// One row: its number and what shows it.
struct Row {
    number: String,
    shown: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_path_buf()
}

fn rows(table: &str) -> Vec<Row> {
    let cells = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = cells.filter_map(|line| {
        let mut cells = line.split(" | ");
        let (number, _, shown) = (cells.next()?, cells.next()?, cells.next()?);
        let row = Row { number: number.to_owned(), shown: shown.to_owned() };
        (number != "no." && cells.next().is_none()).then_some(row)
    });
    rows.collect()
}

/// What is wrong with a table.
fn mistakes(table: &str, find: impl Fn(&str) -> Result<(), String>) -> Vec<String> {
    let rows = rows(table);
    let mut mistakes = Vec::new();
    let found: Vec<&str> = rows.iter().map(|row| &*row.number).collect();
    let expected =
        SECTIONS.iter().flat_map(|(section, count)| (1..=*count).map(move |at| format!("{section}{at}")));
    let expected: Vec<String> = expected.collect();
    let missing = expected.iter().filter(|number| !found.contains(&&***number));
    mistakes.extend(missing.map(|number| format!("{number} is not there")));
    let unexpected: BTreeSet<_> =
        found.iter().filter(|number| !expected.iter().any(|it| it == **number)).collect();
    mistakes.extend(unexpected.into_iter().map(|number| format!("{number} is no number of the table")));
    for Row { number, shown } in &rows {
        let named: Vec<&str> = names(shown);
        if named.is_empty() && !shown.contains("Differs: ") {
            mistakes.push(format!("{number} is neither shown by a test nor a decision to differ"));
        }
        mistakes
            .extend(named.into_iter().filter_map(|name| Some(format!("{number}: {}", find(name).err()?))));
    }
    mistakes
}

/// The tests in a cell: texts between backticks that are paths or follow the words `acceptance test` or `case`.
fn names(cell: &str) -> Vec<&str> {
    let parts: Vec<&str> = cell.split('`').collect();
    let quoted = parts.chunks_exact(2).filter_map(|pair| {
        let [before, name] = pair else { return None };
        let is_named = ["acceptance test ", "case "].iter().any(|word| before.ends_with(word));
        (name.contains("::") || is_named).then_some(*name)
    });
    quoted.collect()
}

/// Looks for a test in the sources.
fn find(name: &str) -> Result<(), String> {
    let Some((package, rest)) = name.split_once("::") else { return find_story(name) };
    let folder = PACKAGES.iter().find(|(known, _)| *known == package);
    let folder = root().join(folder.ok_or(format!("`{package}` is no package"))?.1);
    let (folder_of_tests, rest) =
        rest.split_once("::").ok_or(format!("`{name}` names no folder of tests"))?;
    if folder_of_tests == "ui" {
        let file = folder.join("tests/ui").join(format!("{rest}.rs"));
        return if file.is_file() { Ok(()) } else { Err(format!("there is no `{rest}` among the programs")) };
    }
    // The integration tests of most crates are modules of one program.
    let all = fs::read_to_string(folder.join("tests/all.rs")).ok().filter(|_| folder_of_tests != "lib");
    if all.is_some_and(|all| !all.lines().any(|line| line == format!("mod {folder_of_tests};"))) {
        return Err(format!("`{name}` is in `{folder_of_tests}`, which is not in `tests/all.rs`"));
    }
    let sources = if folder_of_tests == "lib" {
        folder.join("src")
    } else {
        folder.join("tests").join(folder_of_tests)
    };
    let mut steps: Vec<&str> = rest.split("::").collect();
    let test = steps.pop().unwrap_or_default();
    let text = module(sources, &steps).and_then(|text| runs(&text, test));
    text.map_err(|why| format!("`{name}` {why}"))
}

/// The text in which a module stands, which is built.
fn module(mut place: PathBuf, steps: &[&str]) -> Result<String, String> {
    let file = |place: &Path| {
        let inside = ["mod.rs", "main.rs", "lib.rs"].map(|name| place.join(name));
        [place.with_extension("rs")].iter().chain(&inside).find_map(|file| fs::read_to_string(file).ok())
    };
    let mut text = file(&place).ok_or("has no file")?;
    for step in steps {
        let ends = [format!("mod {step};"), format!("mod {step} {{")];
        let attributes = declared(&text, |line| ends.iter().any(|end| line.ends_with(end)))
            .ok_or(format!("is in `{step}`, which is no module"))?;
        is_built(&attributes)?;
        place.push(step);
        // Modules may stand in the file of one that is further out.
        text = file(&place).unwrap_or(text);
    }
    Ok(text)
}

/// Whether a text has that function as a test that is built and not ignored.
fn runs(text: &str, test: &str) -> Result<(), String> {
    let is_function = |line: &str| {
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        rest.and_then(|rest| rest.strip_prefix(test)).is_some_and(|rest| rest.starts_with('('))
    };
    let attributes = declared(text, is_function).ok_or("is not there")?;
    // A binary with a main function of its own lists its tests.
    let listed = text.split_once("trials![").and_then(|(_, rest)| rest.split_once(']')).map(|(list, _)| list);
    if listed.is_some_and(|list| list.split(',').any(|name| name.trim() == test)) {
        return is_built(&attributes);
    }
    let has = |start: &str| attributes.iter().any(|line| line.starts_with(start));
    if !has("#[test]") && !has("#[tokio::test") {
        return Err("is no test".to_owned());
    }
    if has("#[ignore") {
        return Err("is ignored".to_owned());
    }
    is_built(&attributes)
}

/// The attributes in front of the first line of that kind.
fn declared(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let at = lines.iter().position(|line| is_wanted(line))?;
    let before = lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    Some(before.copied().collect())
}

/// Whether what has these attributes is part of the tests of the workspace, which have all features.
fn is_built(attributes: &[&str]) -> Result<(), String> {
    let always = |line: &str| {
        let condition = line.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]"));
        condition.is_none_or(|it| ["test", "unix"].contains(&it) || it.starts_with("feature = "))
    };
    match attributes.iter().find(|line| !always(line)) {
        Some(line) => Err(format!("is built by {line} only")),
        None => Ok(()),
    }
}

/// Whether there is an acceptance test on real cores or a case for all cores of that name.
fn find_story(name: &str) -> Result<(), String> {
    let root = root();
    let test = format!("(\"{name}\", ");
    let case = format!("\"{name}\"");
    let folders = [
        ("provider-tests/acceptance/tests/acceptance/suite", &test),
        ("provider-tests/acceptance/tests/acceptance/suite/versions", &test),
        ("provider-tests/acceptance/tests/edge_cases", &case),
        ("provider-tests/tests/cases", &case),
        ("examples/api/tests/api", &case),
    ];
    for (stories, quoted) in folders {
        let files = fs::read_dir(root.join(stories));
        let files = files.map_err(|error| format!("there are no stories in {stories}: {error}"))?;
        let mut texts = files.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok());
        if texts.any(|text| text.contains(quoted)) {
            return Ok(());
        }
    }
    Err(format!("there is no acceptance test or case `{name}`"))
}

#[test]
fn the_table_is_complete_and_true() {
    let table = fs::read_to_string(root().join("docs/contributing/coverage.md")).expect("the table is there");
    assert_eq!(mistakes(&table, find), [""; 0]);
}

/// What is wrong with the tables of procedures and features, whose last column names tests.
fn unsupported(text: &str) -> Vec<String> {
    let cells =
        text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let rows: Vec<(&str, &str)> =
        cells.filter_map(|(first, rest)| Some((first, rest.rsplit_once(" | ")?.1))).collect();
    let procedures: Vec<&str> = rows.iter().flat_map(|(first, _)| first.split(", ")).collect();
    let missing = METHODS_IN_6.iter().map(|method| method.name).filter(|name| !procedures.contains(name));
    let mut mistakes: Vec<String> = missing.map(|name| format!("{name} is not there")).collect();
    for (first, shown) in rows.iter().filter(|(_, shown)| *shown != "tests") {
        let named = names(shown);
        if named.is_empty() {
            mistakes.push(format!("{first} is shown by no test"));
        }
        mistakes.extend(named.into_iter().filter_map(|name| Some(format!("{first}: {}", find(name).err()?))));
    }
    mistakes
}

/// What is wrong with the table of procedures: each has a row with its name in protocol 5 and a handler that is there.
fn unhandled(text: &str) -> Vec<String> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows: Vec<Vec<&str>> = cells.map(|line| line.split(" | ").collect()).collect();
    let mistake = |(name, in_5): &(&str, &str)| {
        let row =
            rows.iter().find(|row| row.first().is_some_and(|first| first.split(", ").any(|it| it == *name)));
        let [_, found_in_5, handlers, terraform, opentofu, ..] = row.map(Vec::as_slice).unwrap_or_default()
        else {
            return Some(format!("{name} has no row"));
        };
        if let Some(since) = [terraform, opentofu].into_iter().find(|since| !is_release(since)) {
            return Some(format!("{name} is called since `{since}`, which is no release"));
        }
        if found_in_5 != in_5 {
            return Some(format!("{name} is `{in_5}` in protocol 5, not `{found_in_5}`"));
        }
        let handler = handlers.split('`').nth(1).unwrap_or_default();
        let is_there =
            handler.starts_with("server/") && root().join("sdk/server/src").join(handler).is_file();
        (!is_there).then(|| format!("{name} has no handler `{handler}`"))
    };
    procedures().iter().filter_map(mistake).collect()
}

/// Whether it says since when a core calls a procedure.
fn is_release(since: &str) -> bool {
    let release = since.strip_suffix(" alpha").unwrap_or(since);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    since == "never"
        || release.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

#[test]
fn every_procedure_of_both_protocols_has_a_handler() {
    let text = fs::read_to_string(root().join("docs/protocol.md")).expect("the tables are there");
    assert_eq!(unhandled(&text), [""; 0]);
    let procedures = procedures();
    let names: BTreeSet<&str> = procedures.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, Rpc::ALL.iter().map(|rpc| rpc.name()).collect());
    // Each method of protocol 5 is one of protocol 6, and the page says how many there are.
    let in_5 = procedures.iter().filter(|(_, in_5)| *in_5 != "none").count();
    assert_eq!(in_5, METHODS_IN_5.len());
    let counts =
        format!("All {} procedures of protocol 6.11 and the {in_5} of protocol 5.10", procedures.len());
    assert!(text.contains(&counts), "{counts}");
    let said = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        unhandled(&text.replacen(from, to, 1))
    };
    assert_eq!(said("| LockState |", "| Lock |"), ["LockState has no row"]);
    assert_eq!(
        said("`server/rpc/lock_state.rs`", "`server/lock.rs`"),
        ["LockState has no handler `server/lock.rs`"]
    );
    assert_eq!(
        said("`server/rpc/lock_state.rs` | 1.15 alpha", "`server/rpc/lock_state.rs` | soon"),
        ["LockState is called since `soon`, which is no release"]
    );
    assert_eq!(
        said("| LockState | none |", "| LockState | = |"),
        ["LockState is `none` in protocol 5, not `=`"]
    );
}

#[test]
fn the_tables_of_the_protocol_are_complete_and_true() {
    let text = fs::read_to_string(root().join("docs/protocol.md")).expect("the tables are there");
    assert_eq!(unsupported(&text), [""; 0]);
    let said = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        unsupported(&text.replacen(from, to, 1))
    };
    assert_eq!(said("| StopProvider |", "| Stop |"), ["StopProvider is not there"]);
    assert_eq!(
        said(
            "`ferroform-plugin::plugin::tls::serves_the_host`, `ferroform-plugin::plugin::tls::refuses_others`",
            "Done."
        ),
        ["mutual TLS is shown by no test"]
    );
    assert_eq!(
        said("acceptance test `six megabytes`", "acceptance test `a gigabyte`"),
        ["256 MiB messages: there is no acceptance test or case `a gigabyte`"]
    );
}

#[test]
fn mistakes_in_a_table_are_reported() {
    let full = fs::read_to_string(root().join("docs/contributing/coverage.md")).expect("the table is there");
    let said = |from: &str, to: &str| {
        assert!(full.contains(from), "{from}");
        mistakes(&full.replacen(from, to, 1), find)
    };
    assert_eq!(said("| K3 |", "| K3a |"), ["K3 is not there", "K3a is no number of the table"]);
    assert_eq!(
        said("the_stored_form_is_stable", "gone"),
        ["12.1: `ferroform-core::lib::private::gone` is not there"]
    );
    assert_eq!(
        said("`ferroform-core::lib::private::the_stored_form_is_stable`", "Done."),
        ["12.1 is neither shown by a test nor a decision to differ"]
    );
    assert_eq!(
        said("acceptance test `numbers`", "acceptance test `letters`"),
        ["17.10: there is no acceptance test or case `letters`"]
    );
    assert_eq!(runs("#[test]\n#[ignore]\nfn a() {}", "a"), Err("is ignored".to_owned()));
    assert_eq!(runs("fn a() {}", "a"), Err("is no test".to_owned()));
    assert_eq!(runs("/// Why.\n#[test]\nfn a() {}\nfn b() {}", "a"), Ok(()));
    let elsewhere = Err("is built by #[cfg(windows)] only".to_owned());
    assert_eq!(runs("#[cfg(windows)]\n#[test]\nfn a() {}", "a"), elsewhere);
    assert_eq!(runs("#[cfg(unix)]\n#[test]\nfn a() {}", "a"), Ok(()));
    assert_eq!(is_built(&["#[cfg(not(test))]"]), Err("is built by #[cfg(not(test))] only".to_owned()));
    assert_eq!(
        said("ferroform-core::lib::private::the_stored", "ferroform-core::lib::secrets::the_stored"),
        [
            "12.1: `ferroform-core::lib::secrets::the_stored_form_is_stable` is in `secrets`, which is no module"
        ]
    );
}
