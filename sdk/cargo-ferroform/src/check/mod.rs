//! `cargo ferroform check`: what the compiler does not see.

mod changes;
mod parts;
mod secrets;
mod shapes;
mod validators;

use std::path::PathBuf;

use clap::Args;
use ferroform_testing::client::Schemas;
use semver::Version;

use self::changes::{Change, Level};
use self::parts::{Part, parts};
use crate::failure::{Failure, Outcome};
use crate::provider::{Location, Provider};
use crate::released;

/// Check the schemas: rules of core, missing descriptions, secrets that are not marked, shapes of states that are not
/// recorded, validators that nothing uses, and changes that break configurations of a release.
///
/// An attribute that only looks like a secret is named in `not-secret = ["cloud_server.key_name"]` in
/// `[package.metadata.ferroform]`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    location: Location,
    /// The schema of the last release, as `cargo ferroform schema` printed it, or the program of the release.
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
    let schemas = provider.schemas()?;
    let mut found = Vec::new();
    found.extend(descriptions(&schemas));
    found.extend(secrets::unmarked(&provider, &schemas));
    found.extend(shapes::unrecorded(&provider, &schemas));
    found.extend(validators::unused(&provider)?);
    if let Some(released) = released {
        let changes = changes::between(&released, &schemas);
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
    let changes = if number == 1 { "1 change breaks".to_owned() } else { format!("{number} changes break") };
    format!(
        "{changes} configurations of the release; undo it, or raise the major version and say so with \
         --released-version"
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
