//! The shapes of states and identities as committed files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::dynamic::{self, Resource};
use crate::schema::{ForImport, IdentitySchema, Schema};
use crate::ty::Type;

/// What to do with shapes that are not recorded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recording {
    /// Report them.
    Keep,
    /// Write them down, unless they break states that are stored.
    Update,
}

/// Compares the shapes of all resource types with the files of a folder, as [`check_shapes`](super::check_shapes) does
/// and returns what is wrong, one text a type.
pub(super) fn compare_all(
    provider: &dyn dynamic::Provider,
    folder: &Path,
    recording: Recording,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, resource) in provider.catalogue().of::<dyn Resource>() {
        let shapes = Shapes::of(resource.as_ref());
        let file = folder.join(format!("{name}.txt"));
        let mut recorded = Shapes::default();
        let problems = match fs::read_to_string(&file) {
            Ok(text) => {
                recorded = Shapes::parse(&text);
                shapes.differences(&recorded, resource.as_ref())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                vec![Problem::Unrecorded("the shape is not recorded yet".to_owned())]
            }
            Err(error) => vec![Problem::Wrong(error.to_string())],
        };
        let can_be_recorded = problems.iter().all(|problem| matches!(problem, Problem::Unrecorded(_)));
        if recording == Recording::Update && can_be_recorded {
            let written = fs::create_dir_all(folder)
                .and_then(|()| fs::write(&file, shapes.with_older(recorded).text()));
            found.extend(written.err().map(|error| format!("{}: {error}", file.display())));
        } else if !problems.is_empty() {
            let texts = problems.iter().map(Problem::text).collect::<Vec<_>>().join("\n");
            let advice = match can_be_recorded {
                true => "\nRun the test with FERROFORM_UPDATE=1 and commit the file if this is meant.",
                false => "",
            };
            found.push(format!("{name} ({}):\n{texts}{advice}", file.display()));
        }
    }
    found
}

/// A difference.
enum Problem {
    /// Fine when it is meant.
    Unrecorded(String),
    /// To be fixed.
    Wrong(String),
}

impl Problem {
    fn text(&self) -> &str {
        match self {
            Self::Unrecorded(text) | Self::Wrong(text) => text,
        }
    }
}

/// The shape of a version: kinds by path.
type Lines = BTreeMap<String, String>;

/// The shapes of a resource type, `state` and `identity`, by version: each released one and the current one.
#[derive(Default)]
struct Shapes {
    shapes: BTreeMap<String, BTreeMap<i64, Lines>>,
}

/// The shapes of the states and identities of these schemas, as [`check_shapes`](super::check_shapes) writes them down.
///
/// ```
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::testing::shape;
/// use ferroform::ty::Type;
///
/// let attributes = vec![Attribute::required("name", Type::String)];
/// let schema = Schema::new(Block::new(attributes));
/// assert_eq!(shape(&schema, None), "state 0\n  name: string\n");
/// ```
#[must_use]
pub fn shape(schema: &Schema, identity: Option<&IdentitySchema>) -> String {
    Shapes::of_schemas(schema, identity).text()
}

impl Shapes {
    fn of(resource: &dyn dynamic::Resource) -> Self {
        Self::of_schemas(&resource.schema(), resource.identity_schema().as_ref())
    }

    fn of_schemas(schema: &Schema, identity: Option<&IdentitySchema>) -> Self {
        let mut shapes = Self::default();
        shapes.add("state", schema.version, lines_of(&schema.ty()));
        if let Some(identity) = identity {
            shapes.add("identity", identity.version, lines_of_identity(identity));
        }
        shapes
    }

    fn add(&mut self, what: &str, version: i64, lines: Lines) {
        self.shapes.entry(what.to_owned()).or_default().insert(version, lines);
    }

    /// These, and the recorded ones of older versions.
    fn with_older(mut self, recorded: Self) -> Self {
        for (what, versions) in recorded.shapes {
            if let Some(now) = self.shapes.get_mut(&what) {
                for (version, lines) in versions {
                    now.entry(version).or_insert(lines);
                }
            }
        }
        self
    }

    /// The form of the files: a line `state 1` or `identity 0` for each version, the oldest first, and below it a line
    /// for each path, sorted.
    fn text(&self) -> String {
        let mut text = String::new();
        for (what, versions) in &self.shapes {
            for (version, lines) in versions {
                let _ = writeln!(text, "{what} {version}");
                for (path, kind) in lines {
                    let _ = writeln!(text, "  {path}: {kind}");
                }
            }
        }
        text
    }

    fn parse(text: &str) -> Self {
        let mut shapes = Self::default();
        let mut current: Option<&mut Lines> = None;
        for line in text.lines() {
            if let Some(line) = line.strip_prefix("  ") {
                if let (Some(lines), Some((path, kind))) = (&mut current, line.split_once(": ")) {
                    lines.insert(path.to_owned(), kind.to_owned());
                }
            } else if let Some((what, version)) = line.split_once(' ') {
                let versions = shapes.shapes.entry(what.to_owned()).or_default();
                current = Some(versions.entry(version.parse().unwrap_or(-1)).or_default());
            }
        }
        shapes
    }

    fn differences(&self, recorded: &Self, resource: &dyn dynamic::Resource) -> Vec<Problem> {
        let (paths, types) = (resource.upgrade_paths(), resource.upgraded_types());
        let mut problems = Vec::new();
        for (what, paths, types) in
            [("identity", &paths.identity, &types.identity), ("state", &paths.state, &types.state)]
        {
            match (self.shapes.get(what), recorded.shapes.get(what)) {
                (Some(now), Some(before)) => {
                    let Some((current, now)) = now.last_key_value() else { continue };
                    problems.extend(compare(what, (*current, now), before));
                    problems.extend(older(what, *current, before, paths, types));
                }
                (Some(_), None) => problems.push(Problem::Unrecorded(format!("{what}: new"))),
                (None, Some(_)) => problems
                    .push(Problem::Wrong(format!("{what}: removed, but stored objects have one (breaking)"))),
                (None, None) => {}
            }
        }
        problems
    }
}

/// The current shape against the newest recorded one.
fn compare(what: &str, (version, now): (i64, &Lines), recorded: &BTreeMap<i64, Lines>) -> Option<Problem> {
    let (&newest, before) = recorded.last_key_value()?;
    if newest == version && now == before {
        return None;
    }
    let (lines, is_breaking) = difference(what, now, before);
    if version < newest {
        return Some(Problem::Wrong(format!(
            "{what}: the version went back from {newest} to {version}; core refuses the states that are stored"
        )));
    }
    if version > newest {
        let text = format!("{what}: version {newest} became {version}\n{lines}");
        return Some(Problem::Unrecorded(text.trim_end().to_owned()));
    }
    Some(if is_breaking {
        Problem::Wrong(format!(
            "{what}: a breaking change without a new version; raise the version from {version} and add an \
             upgrade\n{lines}"
        ))
    } else {
        Problem::Unrecorded(format!(
            "{what}: changed without a new version, which old states survive\n{lines}"
        ))
    })
}

/// What is wrong with the upgrades of older versions: each one that was released needs one, which reads what that
/// version stored.
fn older(
    what: &str,
    current: i64,
    recorded: &BTreeMap<i64, Lines>,
    paths: &[(i64, Vec<i64>)],
    types: &[(i64, Type)],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (version, stored) in recorded.range(..current) {
        if paths.iter().all(|(known, _)| known != version) {
            problems.push(Problem::Wrong(format!("{what}: there is no upgrade from version {version}")));
        }
        let Some((_, ty)) = types.iter().find(|(known, _)| known == version) else { continue };
        for (path, kind) in lines_of(ty) {
            let found = stored.get(&path).map(|stored| stored.split(',').next().unwrap_or(stored));
            let text = match found {
                Some(found) if found == kind || kind == "dynamic" || found == "dynamic" => continue,
                Some(found) => {
                    format!("{path} is a {kind} for the upgrade, but version {version} stored a {found}")
                }
                None if is_open(&path, stored) => continue,
                None => format!("{path} is read by the upgrade, but version {version} did not store it"),
            };
            problems.push(Problem::Wrong(format!("{what}: {text}")));
        }
    }
    problems
}

/// Whether a place is below one that may hold anything.
fn is_open(path: &str, stored: &Lines) -> bool {
    let above = |above: &str| path.strip_prefix(above).is_some_and(|below| below.starts_with(['.', '[']));
    stored.iter().any(|(place, kind)| kind == "dynamic" && above(place))
}

/// The lines that differ, and whether a value that was stored by the shape before is none of the shape now. A state
/// may lack attributes and have more of them; an identity may not.
fn difference(what: &str, now: &Lines, before: &Lines) -> (String, bool) {
    let mut lines = String::new();
    let mut is_breaking = false;
    for (path, kind) in before {
        if now.get(path) != Some(kind) {
            let changed = now.contains_key(path);
            is_breaking |= changed || what == "identity";
            let note = if changed { "changed" } else { "removed" };
            let _ = writeln!(lines, "  - {path}: {kind} ({note})");
        }
    }
    for (path, kind) in now {
        if before.get(path) != Some(kind) {
            is_breaking |= what == "identity";
            let _ = writeln!(lines, "  + {path}: {kind}");
        }
    }
    (lines.trim_end().to_owned(), is_breaking)
}

fn lines_of_identity(schema: &IdentitySchema) -> Lines {
    let line = |attribute: &crate::schema::IdentityAttribute| {
        let mut lines = Lines::new();
        let import = match attribute.for_import {
            ForImport::Required => "required for import",
            ForImport::Optional => "optional for import",
        };
        walk(&attribute.ty, &attribute.name, &mut lines);
        if let Some(kind) = lines.get_mut(&*attribute.name) {
            *kind = format!("{kind}, {import}");
        }
        lines
    };
    schema.attributes.iter().flat_map(line).collect()
}

fn lines_of(ty: &Type) -> Lines {
    let mut lines = Lines::new();
    members(ty, "", &mut lines);
    lines
}

fn walk(ty: &Type, path: &str, lines: &mut Lines) {
    let (kind, element) = match ty {
        Type::String => ("string", None),
        Type::Number => ("number", None),
        Type::Bool => ("bool", None),
        Type::Dynamic => ("dynamic", None),
        Type::List(element) => ("list", Some((element, "[]"))),
        Type::Set(element) => ("set", Some((element, "[...]"))),
        Type::Map(element) => ("map", Some((element, "[\"\"]"))),
        Type::Object(_) => ("object", None),
        Type::Tuple(_) => ("tuple", None),
    };
    lines.insert(path.to_owned(), kind.to_owned());
    match element {
        Some((element, step)) => walk(element, &format!("{path}{step}"), lines),
        None => members(ty, path, lines),
    }
}

/// The members of an object or tuple.
fn members(ty: &Type, path: &str, lines: &mut Lines) {
    match ty {
        Type::Object(object) => {
            for (name, ty) in object.attributes() {
                let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                walk(ty, &path, lines);
            }
        }
        Type::Tuple(types) => {
            for (at, ty) in types.iter().enumerate() {
                walk(ty, &format!("{path}[{at}]"), lines);
            }
        }
        _ => {}
    }
}
