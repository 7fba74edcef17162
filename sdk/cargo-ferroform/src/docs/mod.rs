//! `cargo ferroform docs`: the pages of a registry.

mod example;
mod page;
mod reference;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Failure, Outcome};
use crate::files;
use crate::provider::Location;

/// Write the documentation in the layout of the registries, from schemas, examples and templates.
///
/// Examples are read from `examples/provider/provider.tf`, `examples/resources/TYPE/resource.tf`,
/// `examples/data-sources/TYPE/data-source.tf` and so on, and each is planned on the embedded core. A page
/// `templates/resources/NAME.md` replaces the default one; `{{description}}`, `{{example}}`, `{{schema}}` and `{{import}}`
/// stand for the generated parts. Pages of `templates/guides` are copied. Pages of types and functions that the provider does
/// not have are deleted. The heading under which a registry lists a type is
/// `cloud_server = "Compute"` in `[package.metadata.ferroform.subcategories]`.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    location: Location,
    /// The folder of the pages [default: docs in the package].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing and fail if a page is missing or stale.
    #[arg(long)]
    check: bool,
    /// Do not plan the examples.
    #[arg(long)]
    no_plan: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let provider = arguments.location.find()?;
    let schemas = provider.schemas()?;
    let pages = page::all(&provider, &schemas)?;
    if !arguments.no_plan {
        example::plan_all(&provider)?;
    }
    let out = arguments.out.clone().unwrap_or_else(|| provider.folder.join("docs"));
    if arguments.check { check(&pages, &out) } else { write(&pages, &out) }
}

/// The text of each page by its path below the folder of the pages.
pub(crate) type Pages = BTreeMap<PathBuf, String>;

/// The folders that belong to the tool: a page there that is not generated any more is deleted.
const FOLDERS: [&str; 7] =
    ["resources", "data-sources", "ephemeral-resources", "functions", "list-resources", "actions", GUIDES];

/// The folder of the pages that are copied.
const GUIDES: &str = "guides";

fn write(pages: &Pages, out: &Path) -> Outcome {
    let surplus = surplus(pages, out);
    // It may be the only copy of what somebody wrote.
    if let Some(guide) = surplus.iter().find(|path| path.starts_with(out.join(GUIDES))) {
        return Err(Failure::new(format!(
            "{} is not in templates/guides, from where guides are copied; move it there, or delete it",
            guide.display()
        )));
    }
    let pages_there = pages.iter().map(|(path, text)| (out.join(path), text.as_str()));
    let is_written = |path: &Path, text: &str| fs::read_to_string(path).is_ok_and(|written| written == text);
    let stale = pages_there.filter(|(path, text)| !is_written(path, text));
    let stale: Vec<(PathBuf, &str)> = stale.collect();
    files::write_all(stale.iter().map(|(path, text)| (path.as_path(), *text)))?;
    for (path, _) in stale {
        println!("{}", path.display());
    }
    for path in surplus {
        fs::remove_file(&path).map_err(|error| Failure::io("delete", &path, &error))?;
        println!("deleted {}", path.display());
    }
    Ok(())
}

fn check(pages: &Pages, out: &Path) -> Outcome {
    let mut wrong: Vec<String> = Vec::new();
    for (path, text) in pages {
        let path = out.join(path);
        match fs::read_to_string(&path) {
            Ok(written) if written == *text => {}
            Ok(_) => wrong.push(format!("{} is stale", path.display())),
            Err(_) => wrong.push(format!("{} is missing", path.display())),
        }
    }
    wrong.extend(surplus(pages, out).iter().map(|path| format!("{} documents nothing", path.display())));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the documentation is not up to date:\n  {}\nrun `cargo ferroform docs` and commit what it writes",
        wrong.join("\n  ")
    )))
}

/// Pages that are there but would not be written.
fn surplus(pages: &Pages, out: &Path) -> Vec<PathBuf> {
    let folders = FOLDERS.iter().filter_map(|folder| fs::read_dir(out.join(folder)).ok()).flatten();
    let files = folders.flatten().map(|entry| entry.path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let is_surplus = |path: &PathBuf| path.strip_prefix(out).is_ok_and(|name| !pages.contains_key(name));
    let mut surplus: Vec<PathBuf> = files.filter(is_page).filter(is_surplus).collect();
    surplus.sort();
    surplus
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Pages, write};

    #[test]
    fn guide_without_template_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, "written by hand").expect("written");
            path
        };
        let (page, guide) = (file("resources/gone.md"), file("guides/start.md"));
        let pages = Pages::from([("index.md".into(), "new".to_owned())]);
        let refused = write(&pages, folder.path()).expect_err("a guide is there").to_string();
        assert!(refused.contains("start.md") && refused.contains("templates/guides"), "{refused}");
        assert!(page.exists() && guide.exists() && !folder.path().join("index.md").exists());
        fs::remove_file(&guide).expect("it is there");
        write(&pages, folder.path()).expect("written");
        assert!(!page.exists() && folder.path().join("index.md").exists());
    }
}
