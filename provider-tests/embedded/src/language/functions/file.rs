//! Files below the directory of the scope.

use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ferroform::ty::Type;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::hash::hex;
use super::{Call, Entry, Failure, glob, needs_core};
use crate::language::{Marked, SourceFile};

pub(super) const TABLE: &[Entry] = &[
    ("file(path: string) -> string", |call| Ok(Marked::string(text(call)?))),
    ("filebase64(path: string) -> string", |call| Ok(Marked::string(STANDARD.encode(bytes(call)?)))),
    ("^filemd5(path: string) -> string", |call| Ok(Marked::string(hex(&Md5::digest(bytes(call)?))))),
    ("^filesha1(path: string) -> string", |call| Ok(Marked::string(hex(&Sha1::digest(bytes(call)?))))),
    ("^filesha256(path: string) -> string", |call| Ok(Marked::string(hex(&Sha256::digest(bytes(call)?))))),
    ("^filesha512(path: string) -> string", |call| Ok(Marked::string(hex(&Sha512::digest(bytes(call)?))))),
    ("^filebase64sha256(path: string) -> string", |call| {
        Ok(Marked::string(STANDARD.encode(Sha256::digest(bytes(call)?))))
    }),
    ("^filebase64sha512(path: string) -> string", |call| {
        Ok(Marked::string(STANDARD.encode(Sha512::digest(bytes(call)?))))
    }),
    ("fileexists(path: string) -> bool", exists),
    ("^fileset(path: string, pattern: string) -> set(string)", file_set),
    ("templatefile(path: string, vars: any_) -> any", |call| {
        let source = SourceFile::new(call.text(0), text(call)?);
        super::template::render(&source, call.argument(1), call.scope)
    }),
    ("templatestring(template: string-, vars: any#) -> string", super::template::template_string),
    ("abspath(path: string) -> string", |call| {
        let path = std::path::absolute(place(call)?);
        let path = path.map_err(|error| Failure::Call(format!("there is no working directory: {error}")))?;
        Ok(Marked::string(cleaned(&path).to_string_lossy()))
    }),
    ("basename(path: string) -> string", |call| Ok(Marked::string(base_name(call.text(0))))),
    ("dirname(path: string) -> string", |call| Ok(Marked::string(directory_name(call.text(0))))),
    ("pathexpand(path: string) -> string", |call| {
        let path = call.text(0);
        let home = || std::env::var("HOME").map_err(|_| Failure::call("there is no home directory"));
        Ok(Marked::string(match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
                cleaned(Path::new(&format!("{}/{rest}", home()?))).to_string_lossy().into_owned()
            }
            Some(_) => return Err(Failure::call("cannot expand a user-specific home directory")),
            None => path.to_owned(),
        }))
    }),
];

/// The file that an argument names.
fn place(call: &Call<'_>) -> Result<PathBuf, Failure> {
    let directory = call.scope.directory().ok_or_else(|| needs_core("reading files here"))?;
    Ok(directory.join(call.text(0)))
}

fn bytes(call: &Call<'_>) -> Result<Vec<u8>, Failure> {
    std::fs::read(place(call)?).map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "no file exists at this path",
            std::io::ErrorKind::IsADirectory => "it is a directory, not a file",
            std::io::ErrorKind::PermissionDenied => "it must not be read",
            _ => "it cannot be read",
        };
        Failure::Argument(0, reason.to_owned())
    })
}

fn text(call: &Call<'_>) -> Result<String, Failure> {
    String::from_utf8(bytes(call)?)
        .map_err(|_| Failure::call("contents of the file are not valid UTF-8; use the filebase64 function"))
}

fn exists(call: &Call<'_>) -> Result<Marked, Failure> {
    let place = place(call)?;
    if place.is_dir() {
        return Err(Failure::call("the path is a directory, not a file"));
    }
    Ok(Marked::bool(place.is_file()))
}

/// Files whose names match a pattern. Core joins the pattern with the path before anything else, so that it may lead out of it.
fn file_set(call: &Call<'_>) -> Result<Marked, Failure> {
    let root = call.scope.directory().ok_or_else(|| needs_core("reading files here"))?;
    let path = cleaned(&Path::new(".").join(call.text(0)));
    let pattern = cleaned(Path::new(&format!("{}/{}", Path::new(".").join(&path).display(), call.text(1))));
    let matched = glob::find(root, &pattern.to_string_lossy())
        .map_err(|_| Failure::argument(1, "the pattern cannot be read"))?;
    let mut found = Vec::new();
    for file in matched {
        let place = root.join(&file).metadata();
        let place = place.map_err(|_| Failure::call("a file that matches cannot be read"))?;
        if place.is_file() {
            found.push(Marked::string(relative_to(&file, &path).to_string_lossy()));
        }
    }
    Ok(Marked::set(Type::String, found))
}

/// A path as it is seen from another one.
fn relative_to(path: &Path, start: &Path) -> PathBuf {
    let shared = path.components().zip(start.components()).take_while(|(a, b)| a == b).count();
    let up = start.components().skip(shared).map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(path.components().skip(shared)).collect();
    if seen.as_os_str().is_empty() { PathBuf::from(".") } else { seen }
}

fn base_name(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    match (path, trimmed) {
        ("", _) => ".".to_owned(),
        (_, "") => "/".to_owned(),
        (_, trimmed) => trimmed.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

fn directory_name(path: &str) -> String {
    let directory = path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default();
    let cleaned = cleaned(Path::new(directory));
    let text = cleaned.to_string_lossy();
    if text.is_empty() { ".".to_owned() } else { text.into_owned() }
}

/// The path without `.` and `..` where that is possible by its text alone.
fn cleaned(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                parts.pop();
            }
            (part, _) => parts.push(part),
        }
    }
    parts.into_iter().collect()
}
