//! The shapes of states and identities as committed files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::dynamic;
use crate::schema::{ForImport, IdentitySchema};
use crate::ty::Type;

/// What to do with shapes that are not recorded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// Report them.
    Keep,
    /// Write them down, unless they break states that are stored.
    Update,
}

/// Compares the shapes of all resource types with the files of a folder, as [`check_shapes`](super::check_shapes) does,
/// and returns what is wrong, one text a type.
#[must_use]
pub fn compare_shapes(provider: &dyn dynamic::Provider, folder: &Path, recording: Recording) -> Vec<String> {
    let mut found = Vec::new();
    for name in provider.resource_names() {
        let Some(resource) = provider.resource(&name) else { continue };
        let shapes = Shapes::of(resource.as_ref());
        let file = folder.join(format!("{name}.txt"));
        let problems = match fs::read_to_string(&file) {
            Ok(text) => shapes.differences(&Shapes::parse(&text), resource.as_ref()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                vec![Problem::Unrecorded("the shape is not recorded yet".to_owned())]
            }
            Err(error) => vec![Problem::Wrong(error.to_string())],
        };
        let can_be_recorded = problems.iter().all(|problem| matches!(problem, Problem::Unrecorded(_)));
        if recording == Recording::Update && can_be_recorded {
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, shapes.text()));
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
    /// To be mended.
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
#[derive(Default, PartialEq, Eq)]
struct Shape {
    version: i64,
    lines: BTreeMap<String, String>,
}

/// The shapes of a resource type, `state` and `identity`.
#[derive(Default)]
struct Shapes {
    shapes: BTreeMap<String, Shape>,
}

impl Shapes {
    fn of(resource: &dyn dynamic::Resource) -> Self {
        let schema = resource.schema();
        let mut lines = BTreeMap::new();
        members(&schema.ty(), "", &mut lines);
        let mut shapes = Self::default();
        shapes.shapes.insert("state".to_owned(), Shape { version: schema.version, lines });
        if let Some(identity) = resource.identity_schema() {
            shapes.shapes.insert("identity".to_owned(), shape_of_identity(&identity));
        }
        shapes
    }

    /// The form of the files: a line `state 1` or `identity 0`, and below it a line for each path, sorted.
    fn text(&self) -> String {
        let mut text = String::new();
        for (what, shape) in &self.shapes {
            let _ = writeln!(text, "{what} {}", shape.version);
            for (path, kind) in &shape.lines {
                let _ = writeln!(text, "  {path}: {kind}");
            }
        }
        text
    }

    fn parse(text: &str) -> Self {
        let mut shapes = Self::default();
        let mut current = None;
        for line in text.lines() {
            if let Some(line) = line.strip_prefix("  ") {
                let shape = current.as_ref().and_then(|what| shapes.shapes.get_mut(what));
                if let (Some(shape), Some((path, kind))) = (shape, line.split_once(": ")) {
                    shape.lines.insert(path.to_owned(), kind.to_owned());
                }
            } else if let Some((what, version)) = line.split_once(' ') {
                let version = version.parse().unwrap_or(-1);
                shapes.shapes.insert(what.to_owned(), Shape { version, ..Shape::default() });
                current = Some(what.to_owned());
            }
        }
        shapes
    }

    fn differences(&self, recorded: &Self, resource: &dyn dynamic::Resource) -> Vec<Problem> {
        let paths = resource.upgrade_paths();
        let mut problems = Vec::new();
        for (what, upgrades) in [("identity", &paths.identity), ("state", &paths.state)] {
            match (self.shapes.get(what), recorded.shapes.get(what)) {
                (Some(now), Some(before)) => problems.extend(compare(what, (now, before), upgrades)),
                (Some(_), None) => problems.push(Problem::Unrecorded(format!("{what}: new"))),
                (None, Some(_)) => problems
                    .push(Problem::Wrong(format!("{what}: gone, though stored objects have one (breaking)"))),
                (None, None) => {}
            }
        }
        problems
    }
}

fn compare(
    what: &str,
    (now, before): (&Shape, &Shape),
    upgrades: &BTreeMap<i64, Vec<i64>>,
) -> Option<Problem> {
    if now == before {
        return None;
    }
    let (lines, is_breaking) = difference(what, now, before);
    if now.version < before.version {
        return Some(Problem::Wrong(format!(
            "{what}: the version went back from {} to {}; core refuses the states that are stored",
            before.version, now.version
        )));
    }
    if now.version > before.version {
        return Some(if upgrades.contains_key(&before.version) {
            Problem::Unrecorded(format!("{what}: version {} became {}\n{lines}", before.version, now.version))
        } else {
            Problem::Wrong(format!(
                "{what}: version {} became {}, but there is no upgrade from version {0}\n{lines}",
                before.version, now.version
            ))
        });
    }
    Some(if is_breaking {
        Problem::Wrong(format!(
            "{what}: a breaking change without a new version; raise the version from {} and add an upgrade\n{lines}",
            now.version
        ))
    } else {
        Problem::Unrecorded(format!(
            "{what}: changed without a new version, which old states survive\n{lines}"
        ))
    })
}

/// The lines that differ, and whether a value that was stored by the shape before is none of the shape now. A state
/// may lack attributes and have more of them; an identity may not.
fn difference(what: &str, now: &Shape, before: &Shape) -> (String, bool) {
    let mut lines = String::new();
    let mut is_breaking = false;
    for (path, kind) in &before.lines {
        if now.lines.get(path) != Some(kind) {
            let changed = now.lines.contains_key(path);
            is_breaking |= changed || what == "identity";
            let note = if changed { "changed" } else { "removed" };
            let _ = writeln!(lines, "  - {path}: {kind} ({note})");
        }
    }
    for (path, kind) in &now.lines {
        if before.lines.get(path) != Some(kind) {
            is_breaking |= what == "identity";
            let _ = writeln!(lines, "  + {path}: {kind}");
        }
    }
    (lines.trim_end().to_owned(), is_breaking)
}

fn shape_of_identity(schema: &IdentitySchema) -> Shape {
    let line = |attribute: &crate::schema::IdentityAttribute| {
        let mut lines = BTreeMap::new();
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
    Shape { version: schema.version, lines: schema.attributes.iter().flat_map(line).collect() }
}

fn walk(ty: &Type, path: &str, lines: &mut BTreeMap<String, String>) {
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
fn members(ty: &Type, path: &str, lines: &mut BTreeMap<String, String>) {
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
