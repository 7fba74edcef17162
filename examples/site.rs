//! Builds the site of the documentation with mdBook: `cargo run -p ferroform-examples --example site`.
//!
//! The pages in `docs/` are written for readers of the repository. A site has no other files than the pages, so links to
//! files become their names, and a line that is only a link to a page outside of `docs/` becomes the text of that page.

use std::error::Error;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const BOOK: &str = r#"[book]
title = "ferroform"
description = "The Rust SDK for Terraform and OpenTofu providers"
language = "en"

[build]
build-dir = "../site"

[output.html]
default-theme = "light"
preferred-dark-theme = "navy"
additional-css = ["site.css"]
no-section-label = true

[output.html.fold]
enable = true

[output.html.playground]
runnable = false
"#;

/// The pictures choose their colours themselves; tables use the width that there is.
const STYLE: &str = "\
:root { --content-max-width: 900px; }
.content img { max-width: 100%; }
.content table { width: 100%; }
.content td code, .content th code { white-space: normal; overflow-wrap: break-word; }
";

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let target = root.join("target");
    let stage = target.join("site-source");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    let site = Site { root: &root, source: stage.join("src") };
    site.copy(Path::new("docs"))?;
    for page in OUTSIDE {
        site.page(Path::new(page))?;
    }
    fs::write(stage.join("book.toml"), BOOK)?;
    fs::write(stage.join("site.css"), STYLE)?;
    let built = Command::new("mdbook").arg("build").arg(&stage).status();
    match built {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("mdbook ended with {status}").into()),
        Err(error) => {
            Err(format!("mdbook cannot be run ({error}); `cargo install mdbook` installs it").into())
        }
    }
}

/// Pages of the site that are not in `docs/`.
const OUTSIDE: [&str; 2] = ["CHANGELOG.md", "CONTRIBUTING.md"];

struct Site<'a> {
    root: &'a Path,
    source: PathBuf,
}

impl Site<'_> {
    /// Copies a folder below the root; pages are rewritten.
    fn copy(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        for entry in fs::read_dir(self.root.join(folder))? {
            let path = folder.join(entry?.file_name());
            if self.root.join(&path).is_dir() {
                self.copy(&path)?;
            } else if path.extension().is_some_and(|it| it == "md") {
                self.page(&path)?;
            } else {
                let to = self.source.join(in_site(&path));
                fs::create_dir_all(to.parent().unwrap_or(&self.source))?;
                fs::copy(self.root.join(&path), to)?;
            }
        }
        Ok(())
    }

    fn page(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let text = inlined(&fs::read_to_string(self.root.join(path))?);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut page = String::new();
        let mut code = false;
        for line in text.lines() {
            code ^= line.starts_with("```");
            match if code { None } else { whole_link(line) } {
                Some(target) if !is_in_site(&resolved(folder, target)) && target.ends_with(".md") => {
                    let included = fs::read_to_string(self.root.join(resolved(folder, target)))?;
                    page += &included.replace("\n## ", "\n### ");
                }
                // The highlighter of mdBook does not know the language of core.
                _ if line.starts_with("```hcl") => page += "```text",
                _ if code => page += line,
                _ => page += &links(line, folder),
            }
            page.push('\n');
        }
        let to = self.source.join(in_site(path));
        fs::create_dir_all(to.parent().unwrap_or(&self.source))?;
        Ok(fs::write(to, page)?)
    }
}

/// A page whose links have their targets with them, and not at its end.
fn inlined(page: &str) -> String {
    let is_definition = |line: &&str| line.starts_with('[') && line.contains("]: ");
    let (definitions, text): (Vec<&str>, Vec<&str>) = page.lines().partition(is_definition);
    let mut text = text.join("\n") + "\n";
    for (label, target) in definitions.iter().filter_map(|it| it.strip_prefix('[')?.split_once("]: ")) {
        text = text.replace(&format!("][{label}]"), &format!("]({target})"));
        if label.starts_with('`') {
            text = text.replace(&format!("[{label}]"), &format!("[{label}]({target})"));
        }
    }
    text
}

/// The target of a line that is one link and nothing else.
fn whole_link(line: &str) -> Option<&str> {
    let (_, target) = line.strip_prefix('[')?.strip_suffix(')')?.split_once("](")?;
    (!target.contains(['(', ')'])).then_some(target)
}

/// A line in which links to what is not on the site are the names of it.
fn links(line: &str, folder: &Path) -> String {
    let mut rest = line;
    let mut done = String::new();
    while let Some((before, after)) = rest.split_once("](") {
        let (target, behind) = after.split_once(')').unwrap_or((after, ""));
        rest = behind;
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let to = resolved(folder, file);
        if file.is_empty() || target.contains("://") || (is_in_site(&to) && !file.ends_with('/')) {
            let hash = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
            let up = folder_in_site(folder).components().count();
            let link = match file.is_empty() || target.contains("://") {
                true => target.to_owned(),
                false => format!("{}{}{hash}", "../".repeat(up), in_site(&to).display()),
            };
            done += &format!("{before}]({link})");
        } else {
            // The text of the link stays, and the brackets go.
            let (start, text) = before.rsplit_once('[').unwrap_or((before, ""));
            done += &format!("{start}{text}");
        }
    }
    done + rest
}

/// A path below the root, for a link in a page of a folder below the root.
fn resolved(folder: &Path, target: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}

/// The table of contents is beside each page of the site, and is no page of it.
fn is_in_site(path: &Path) -> bool {
    (path.starts_with("docs") && !path.ends_with("SUMMARY.md"))
        || OUTSIDE.iter().any(|page| path == Path::new(page))
}

/// Where a file of the repository is on the site.
fn in_site(path: &Path) -> PathBuf {
    match path.strip_prefix("docs") {
        Ok(page) if page.ends_with("README.md") => page.with_file_name("index.md"),
        Ok(page) => page.to_owned(),
        Err(_) => PathBuf::from(path.to_string_lossy().to_lowercase()),
    }
}

fn folder_in_site(folder: &Path) -> &Path {
    folder.strip_prefix("docs").unwrap_or(Path::new(""))
}
