//! What holds of the pages in `docs/` and of the other Markdown for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder with that ending.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found
}

fn pages() -> Vec<PathBuf> {
    let mut pages = files("docs", ".md");
    pages.extend(files("examples", ".md"));
    pages.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(PathBuf::from));
    pages
}

/// A page without the text of its blocks of code and of code in its lines.
fn prose(page: &str) -> String {
    let blocks =
        page.split("\n```").step_by(2).map(|part| part.split_once('\n').map_or("", |(_, rest)| rest));
    let first = page.split("\n```").next().unwrap_or_default();
    std::iter::once(first).chain(blocks.skip(1)).collect::<Vec<_>>().join("\n")
}

/// The targets of links within the repository: those in the text, and those defined at the end of a page by a label.
fn links(page: &str) -> (Vec<String>, Vec<(String, String)>) {
    let text = prose(page);
    let is_local = |target: &&str| !target.contains("://") && !target.starts_with("mailto:");
    let inline = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let inline = inline.map(|(target, _)| target).filter(is_local).map(str::to_owned).collect();
    let defined = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    let defined = defined.filter(|(_, target)| is_local(target));
    (inline, defined.map(|(label, target)| (label.to_owned(), target.to_owned())).collect())
}

/// The anchors of a page: its headings, as sites of Markdown make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page);
    let headings =
        headings.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    let mut all = BTreeSet::new();
    for heading in headings {
        let kept = |sign: &char| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_');
        let anchor = heading.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
        all.insert(anchor);
    }
    all
}

/// What is wrong with a link of a page.
fn mistake(page: &Path, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let mut path = PathBuf::new();
    let to = if file.is_empty() { page.to_owned() } else { page.parent()?.join(file) };
    for part in to.components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    if !root().join(&path).exists() {
        return Some(format!("{}: there is no file {}", page.display(), path.display()));
    }
    let is_missing = !anchor.is_empty() && !anchors(&read(&path)).contains(anchor);
    is_missing.then(|| format!("{}: {} has no heading for #{anchor}", page.display(), path.display()))
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let mut mistakes = Vec::new();
    for page in pages() {
        let (inline, defined) = links(&read(&page));
        let targets = inline.into_iter().chain(defined.into_iter().map(|(_, target)| target));
        mistakes.extend(targets.filter_map(|target| mistake(&page, &target)));
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn missing_files_and_headings_are_found() {
    let page = Path::new("docs/testing.md");
    assert_eq!(mistake(page, "drift.md#sets"), None);
    assert_eq!(mistake(page, "#time"), None);
    assert!(mistake(page, "drift.md#no-such-heading").is_some());
    assert!(mistake(page, "no-such-page.md").is_some());
    let (inline, defined) = links("[a](b.md) and [c][d]\n```\n[no](link.md)\n```\n\n[d]: e.md\n");
    assert_eq!((inline, defined), (vec!["b.md".to_owned()], vec![("d".to_owned(), "e.md".to_owned())]));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let (listed, _) = links(&read(Path::new("docs/SUMMARY.md")));
    let listed: BTreeSet<PathBuf> = listed.into_iter().map(|page| Path::new("docs").join(page)).collect();
    let missing: Vec<_> = files("docs", ".md").into_iter().filter(|page| !listed.contains(page)).collect();
    assert_eq!(missing, [Path::new("docs/SUMMARY.md")], "add these pages to docs/SUMMARY.md");
}

/// The pages that rustdoc has, with their modules.
fn guides() -> BTreeMap<String, String> {
    let modules = read(Path::new("sdk/src/guide.rs"));
    let rows = modules.lines().filter_map(|line| line.trim().strip_suffix("\",")?.split_once(" = \""));
    rows.map(|(module, page)| (page.to_owned(), module.to_owned())).collect()
}

/// Rustdoc has the guides without the files around them, so their links have labels, which `links.md` defines for it.
#[test]
fn labels_of_the_guides_have_a_definition_for_rustdoc() {
    let mut labels = read(Path::new("sdk/src/guide/links.md"));
    labels += &read(Path::new("sdk/src/guide/pictures.md"));
    let mut mistakes = Vec::new();
    for guide in guides().keys() {
        let (inline, defined) = links(&read(&Path::new("docs").join(guide)));
        let inline = inline.into_iter().filter(|target| !target.starts_with('#'));
        mistakes.extend(
            inline.map(|target| format!("{guide}: write [text][label], and define {target} at the end")),
        );
        let undefined = defined.into_iter().filter(|(label, _)| !labels.contains(&format!("[{label}]: ")));
        mistakes
            .extend(undefined.map(|(label, _)| format!("{guide}: sdk/src/guide/links.md lacks [{label}]")));
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn labels_of_the_guides_lead_to_the_page_that_they_name() {
    let guides = guides();
    let (_, definitions) = links(&read(Path::new("sdk/src/guide/links.md")));
    let mut mistakes = Vec::new();
    for (label, target) in definitions {
        let (page, anchor) =
            label.split_once('#').map_or((&*label, ""), |(page, _)| (page, &label[page.len()..]));
        let expected = match guides.get(&format!("{page}.md")) {
            Some(module) => format!("crate::guide::{module}{anchor}"),
            // Other pages and files are not part of rustdoc; what they say can be on an item.
            None if target.starts_with("crate::guide") => "crate::guide#files-of-the-repository".to_owned(),
            None => continue,
        };
        if target != expected {
            mistakes.push(format!("[{label}]: {expected}"));
        }
    }
    assert!(mistakes.is_empty(), "write in sdk/src/guide/links.md:\n{}", mistakes.join("\n"));
}

#[test]
fn pictures_of_the_guides_are_those_of_the_folder() {
    let pictures = read(Path::new("sdk/src/guide/pictures.md"));
    for (label, text) in pictures.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: ")) {
        let picture = read(&Path::new("docs").join(label).with_extension("svg"));
        let encoded: String = picture.bytes().map(percent_encoded).collect();
        assert!(
            text == format!("data:image/svg+xml,{encoded}"),
            "write in sdk/src/guide/pictures.md:\n[{label}]: data:image/svg+xml,{encoded}"
        );
    }
}

fn percent_encoded(byte: u8) -> String {
    match char::from(byte) {
        sign if sign.is_ascii_alphanumeric() || "-./:;=,".contains(sign) => sign.to_string(),
        _ => format!("%{byte:02X}"),
    }
}

#[test]
fn catalogued_errors_are_those_of_the_sources() {
    let layers = ["sdk/src", "sdk/core/src", "sdk/plugin/src", "sdk/server/src"];
    let sources: String =
        layers.iter().flat_map(|layer| files(layer, ".rs")).map(|file| read(&file)).collect();
    let page = read(Path::new("docs/reference/errors.md"));
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let summaries: Vec<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(summaries.len() > 40, "{}", summaries.len());
    for summary in &summaries {
        assert!(sources.contains(&format!("\"{summary}\"")), "no source reports {summary:?}");
    }
    // Every other part of a source is a text; a summary is one in title case.
    let code: String = sources.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
    };
    let reported = code
        .split('"')
        .filter(|text| text.split(' ').count() > 1 && text.split(' ').all(is_word) && !TITLES.contains(text));
    let missing: BTreeSet<&str> =
        reported.filter(|summary| !page.contains(&format!("`{summary}`"))).collect();
    assert!(missing.is_empty(), "the catalogue lacks {missing:?}");
}

/// Summaries of authors, in tests of the SDK.
const TITLES: [&str; 3] = ["Invalid Port", "No Zone", "Service Failed"];

#[test]
fn session_in_the_readme_is_recorded() {
    let readme = read(Path::new("README.md"));
    let session = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let tour = read(Path::new("examples/demo/tour.txt"));
    let mut recorded = tour.lines();
    for line in session.lines() {
        assert!(recorded.any(|other| other == line), "the tour of the demo does not have {line:?} here");
    }
}
