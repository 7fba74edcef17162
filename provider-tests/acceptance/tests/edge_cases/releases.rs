//! Published providers from a mirror: an older release of the provider under test, and one beside it.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use ferroform::{Protocol, Serve, path};
use ferroform_examples::demo;
use ferroform_testing::case::{Case, Provider, Run, Source, Start, Step, kind, no_changes, object};
use ferroform_testing::client;
use ferroform_testing::config::provider;

/// The provider under test, and its source address.
const DEMO: &str = "example.com/ferroform/demo";
/// Another provider.
const SMALL: &str = "example.com/ferroform/small";

/// The objects of a run are files in a folder.
pub(crate) struct Folder(PathBuf);

impl Folder {
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a folder").flatten();
        entries.map(|entry| entry.file_name().display().to_string()).collect()
    }
}

pub(crate) fn cases() -> Vec<Case<Folder>> {
    mirror().expect("a mirror");
    vec![upgraded(), beside()]
}

/// An unpacked mirror. The older release is a program that starts the newer one as what it was, and knows its own version only.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("mirror")
}

fn mirror() -> io::Result<()> {
    let old = format!(
        "#!/bin/sh\nDEMO_AS_VERSION=0 exec '{}' \"$@\"\n",
        env!("CARGO_BIN_EXE_terraform-provider-demo")
    );
    let old = |program: &Path| {
        fs::write(program, &old)?;
        fs::set_permissions(program, fs::Permissions::from_mode(0o755))
    };
    publish(DEMO, "0.1.0", old)?;
    publish(SMALL, "2.3.4", |program| symlink(env!("CARGO_BIN_EXE_terraform-provider-small"), program))
}

/// Puts a program into the mirror.
fn publish(source: &str, version: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let programs = folder().join(source).join(version).join(format!("{os}_{arch}"));
    fs::create_dir_all(&programs)?;
    let name = source.rsplit('/').next().unwrap_or_default();
    let program = programs.join(format!("terraform-provider-{name}_v{version}"));
    if fs::symlink_metadata(&program).is_ok() {
        fs::remove_file(&program)?;
    }
    write(&program)
}

/// Of the mirror.
fn published(source: &str, version: &str) -> Provider<Folder> {
    Provider::mirrored(source, version, folder()).expect("it is published")
}

fn case(name: &str) -> Case<Folder> {
    Case::with_backend(name, |start: &Start| Folder(start.directory().to_owned()))
        .provider(Provider::in_process(DEMO, |_: &Folder| Serve::new(demo::provider(Protocol::V6))))
        // Permissions are nested attributes.
        .protocols([client::Protocol::V6])
        .provider_config(|folder: &Folder| provider("demo").set("root", folder.0.as_path()))
        .expect_no_leftovers(Folder::files)
}

const NOTE: &str = "demo_note.a";

/// A note as the release under test has it.
const TODAY: &str = r#"
resource "demo_note" "a" {
  name        = "a.md"
  lines       = ["one", "two"]
  permissions = { owner = "rw-", group = "r--", others = "---" }
}
"#;

fn apply(text: &'static str) -> Step<kind::Apply, Folder> {
    Step::apply(text)
}

/// What the older release has made is upgraded, and nothing is left to do.
fn upgraded() -> Case<Folder> {
    let older = r#"
        resource "demo_note" "a" {
          path        = "a.md"
          content     = "one\ntwo\n"
          permissions = { mode = "0640" }
        }
    "#;
    case("an object of an older release from a mirror")
        .step(
            apply(older)
                .with_provider(published(DEMO, "0.1.0"))
                .state(object(NOTE).has(path!(path), "a.md").schema_version(0)),
        )
        .step(apply(TODAY).plan(no_changes()).state(
            object(NOTE).has(path!(name), "a.md").has(path!(permissions.owner), "rw-").schema_version(3),
        ))
}

/// The card of another provider is made of the note.
fn beside() -> Case<Folder> {
    let card = Source::text_with(|run: &Run<'_, Folder>| {
        format!(
            "provider \"small\" {{ folder = \"{}\" }}\n{TODAY}\nresource \"small_card\" \"a\" {{\n  name = \"a\"\n  \
             text = demo_note.a.name\n}}\n",
            run.backend.0.display()
        )
    });
    case("a published provider beside the one under test")
        .provider(published(SMALL, "2.3.4"))
        .step(Step::apply(card).state(object("small_card.a").has(path!(text), "a.md").depends_on([NOTE])))
}
