//! `cargo ferroform check`: what the compiler does not see.

mod changes;
mod parts;
mod replacements;
mod secrets;
mod shapes;
mod validators;

use std::path::{Path, PathBuf};

use clap::Args;
use ferroform_testing::client::Schemas;
use semver::Version;

use self::changes::{Change, Level};
use self::parts::{Part, parts};
use crate::failure::{Failure, Outcome};
use crate::provider::{DEV, Location, Provider, schemas_of};
use crate::released::{self, Release};

/// Check the schemas: rules of core, missing descriptions, secrets that are not marked, shapes of states that are not
/// recorded, validators that nothing uses, and changes that break configurations of a release.
///
/// An attribute that only looks like a secret is named in `not-secret = ["cloud_server.key_name"]` in
/// `[package.metadata.ferroform]`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    location: Location,
    /// The program of the last release, or its schema as `cargo ferroform schema` printed it, which does not say what
    /// forces a replacement.
    #[arg(long, value_name = "FILE")]
    released: Option<PathBuf>,
    /// The version of that release: fail only if the version of the package is not raised enough.
    #[arg(long, value_name = "VERSION", requires = "released")]
    released_version: Option<Version>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let provider = arguments.location.find()?;
    // First, since it needs no build.
    let released = arguments.released.as_deref().map(released::of).transpose()?;
    let program = provider.build(DEV, None)?;
    let schemas = schemas_of(&program)?;
    let mut found = Vec::new();
    found.extend(descriptions(&schemas));
    found.extend(secrets::unmarked(&provider, &schemas));
    found.extend(shapes::unrecorded(&provider, &schemas));
    found.extend(validators::unused(&provider)?);
    if let Some(released) = released {
        let mut changes = changes::between(&released.schemas, &schemas);
        changes.extend(replacements(&released, &program)?);
        for change in &changes {
            println!("{}: {}", change.level, change.text);
        }
        found.extend(advice(&provider, &changes, arguments.released_version.as_ref())?);
    }
    if found.is_empty() {
        eprintln!("Nothing found.");
        return Ok(());
    }
    Err(Failure::new(format!("{} found:\n  {}", counted(found.len()), found.join("\n  "))))
}

/// What is replaced otherwise than in the release, if its program is there.
fn replacements(released: &Release, program: &Path) -> Outcome<Vec<Change>> {
    let Some(before) = &released.program else {
        eprintln!(
            "A schema does not say what forces a replacement; name the program of the release to compare that."
        );
        return Ok(Vec::new());
    };
    let (changes, skipped) = replacements::between(&replacements::of(before)?, &replacements::of(program)?);
    if !skipped.is_empty() {
        eprintln!(
            "Whether a change of these forces a replacement is not compared, since one of the programs does not plan \
             without a configuration: {}",
            skipped.join(", ")
        );
    }
    Ok(changes)
}

fn counted(number: usize) -> String {
    if number == 1 { "1 mistake".to_owned() } else { format!("{number} mistakes") }
}

/// What has no text for its users.
fn descriptions(schemas: &Schemas) -> Vec<String> {
    let mut found = Vec::new();
    for Part { place, description, within_timeouts, .. } in parts(schemas) {
        if description.trim().is_empty() && !within_timeouts {
            found.push(format!("{place} has no description; add a doc comment"));
        }
    }
    for (name, signature) in &schemas.functions {
        if signature.summary.trim().is_empty() && signature.description.trim().is_empty() {
            found.push(format!("function {name} has no description; add a doc comment"));
        }
        for parameter in signature.parameters.iter().chain(&signature.variadic_parameter) {
            if parameter.description.trim().is_empty() {
                let parameter = &parameter.name;
                found.push(format!("function {name}: {parameter} has no description; add a doc comment"));
            }
        }
    }
    found
}

/// What the changes mean for the version.
fn advice(provider: &Provider, changes: &[Change], released: Option<&Version>) -> Outcome<Vec<String>> {
    let Some(level) = changes.iter().map(|change| change.level).max() else { return Ok(Vec::new()) };
    let Some(released) = released else {
        let breaks = level == Level::Breaking;
        return Ok(breaks.then(|| breaking(changes)).into_iter().collect());
    };
    let version: Version = provider.version.parse().map_err(|error| {
        Failure::new(format!("the version {} of the package is not a version: {error}", provider.version))
    })?;
    let needed = level.after(released);
    eprintln!("After {released}, these changes need version {needed} or later; the package has {version}.");
    if is_reached(&needed, &version) {
        return Ok(Vec::new());
    }
    Ok(vec![format!("the version {version} is too low for these changes; raise it to {needed}")])
}

/// A pre-release has the changes of its release.
fn is_reached(needed: &Version, version: &Version) -> bool {
    let numbers = |it: &Version| (it.major, it.minor, it.patch);
    numbers(version) >= numbers(needed)
}

fn breaking(changes: &[Change]) -> String {
    let number = changes.iter().filter(|change| change.level == Level::Breaking).count();
    let (changes, them) = match number {
        1 => ("1 change breaks".to_owned(), "it"),
        _ => (format!("{number} changes break"), "them"),
    };
    format!(
        "{changes} configurations of the release; undo {them}, or raise the major version and pass the version of the \
         release with --released-version"
    )
}

#[cfg(test)]
mod tests {
    use super::{Version, is_reached};

    #[test]
    fn a_pre_release_may_have_what_its_release_may() {
        let is_reached =
            |version: &str| is_reached(&Version::new(2, 0, 0), &version.parse().expect("a version"));
        assert!(is_reached("2.0.0-rc.1") && is_reached("2.0.0") && is_reached("2.0.1"));
        assert!(!is_reached("1.9.9") && !is_reached("1.9.9-rc.1"));
    }
}
