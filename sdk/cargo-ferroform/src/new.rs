//! `cargo ferroform new`: a provider that builds and passes its tests.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::add;
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::import::struct_name;
use crate::provider::{PREFIX, is_address_part};

/// Make a provider that builds and passes its tests: a resource, a data source, a function, documentation and CI.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The name of the provider, such as cloud; its types are named cloud_….
    name: String,
    /// Who publishes it: the part of its source address before the name.
    #[arg(long, default_value = "example")]
    namespace: String,
    /// The folder to create [default: terraform-provider-NAME].
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Begin with this resource, whose calls are yours to write, instead of the example; such as server for cloud_server.
    #[arg(long, value_name = "NAME")]
    resource: Option<String>,
    /// Depend on a clone of the SDK instead of on its release.
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
}

/// The files of a new provider, by path and text.
const FILES: [(&str, &str); 13] = [
    // Cargo leaves a folder with a `Cargo.toml` out of a package.
    ("Cargo.toml", include_str!("../templates/manifest.toml")),
    ("README.md", include_str!("../templates/README.md")),
    ("CHANGELOG.md", include_str!("../templates/CHANGELOG.md")),
    ("LICENSE-APACHE", include_str!("../templates/LICENSE-APACHE")),
    ("LICENSE-MIT", include_str!("../templates/LICENSE-MIT")),
    (".gitignore", include_str!("../templates/gitignore")),
    (".gitlab-ci.yml", include_str!("../templates/gitlab-ci.yml")),
    (".github/workflows/test.yml", include_str!("../templates/github/test.yml")),
    (".github/workflows/release.yml", include_str!("../templates/github/release.yml")),
    ("src/main.rs", include_str!("../templates/src/main.rs")),
    ("tests/smoke.sh", include_str!("../templates/tests/smoke.sh")),
    ("tests/provider.rs", include_str!("../templates/tests/provider.rs")),
    ("examples/provider/provider.tf", include_str!("../templates/examples/provider.tf")),
];

/// Those of the example.
const EXAMPLE: [(&str, &str); 11] = [
    ("src/lib.rs", include_str!("../templates/src/lib.rs")),
    ("src/note.rs", include_str!("../templates/src/note.rs")),
    ("src/slug.rs", include_str!("../templates/src/slug.rs")),
    ("tests/cases/main.rs", include_str!("../templates/tests/cases/main.rs")),
    ("tests/cases/note.rs", include_str!("../templates/tests/cases/note.rs")),
    ("tests/shapes/@NAME@_note.txt", include_str!("../templates/tests/shapes/note.txt")),
    ("examples/resources/@NAME@_note/resource.tf", include_str!("../templates/examples/resource.tf")),
    (
        "examples/resources/@NAME@_note/import-by-string-id.tf",
        include_str!("../templates/examples/import-by-string-id.tf"),
    ),
    ("examples/resources/@NAME@_note/import.sh", include_str!("../templates/examples/import.sh")),
    (
        "examples/data-sources/@NAME@_note/data-source.tf",
        include_str!("../templates/examples/data-source.tf"),
    ),
    ("examples/functions/slug/function.tf", include_str!("../templates/examples/function.tf")),
];

/// Those in the place of the example, to which a resource is added.
const BARE: [(&str, &str); 2] = [
    ("src/lib.rs", include_str!("../templates/bare/lib.rs")),
    ("tests/cases/main.rs", include_str!("../templates/bare/cases.rs")),
];

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let name = arguments.name.strip_prefix(PREFIX).unwrap_or(&arguments.name);
    check_name(name)?;
    check_namespace(&arguments.namespace)?;
    let words = Words::new(name, arguments)?;
    let folder = arguments.path.clone().unwrap_or_else(|| PathBuf::from(format!("{PREFIX}{name}")));
    if folder.exists() {
        return Err(Failure::new(format!(
            "{} exists already; choose another name, or another folder with --path",
            folder.display()
        )));
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut folders = files::Folders::default();
    folders.create(&parent).map_err(|error| Failure::io("create", &parent, &error))?;
    // Under another name first, so that no half of a provider is left.
    let made = tempfile::Builder::new().prefix(".new-provider-").tempdir_in(&parent);
    let made = made.map_err(|error| Failure::io("write to", &parent, &error))?;
    let rest = if arguments.resource.is_some() { &BARE[..] } else { &EXAMPLE[..] };
    for (path, text) in FILES.iter().chain(rest) {
        let path = made.path().join(words.fill(path));
        let above = path.parent().unwrap_or(made.path());
        fs::create_dir_all(above).map_err(|error| Failure::io("create", above, &error))?;
        fs::write(&path, words.fill(text)).map_err(|error| Failure::io("write", &path, &error))?;
    }
    if let Some(resource) = &arguments.resource {
        fs::create_dir(made.path().join("tests/shapes"))
            .map_err(|error| Failure::io("write to", made.path(), &error))?;
        add::resource(made.path(), resource)?;
    }
    fs::rename(made.path(), &folder).map_err(|error| Failure::io("write", &folder, &error))?;
    // There is nothing to remove any more.
    let _ = made.keep();
    files::allow_reading(&folder, 0o755);
    println!("{} is a provider. Try it:\n", folder.display());
    println!("    cd {}", folder.display());
    println!("    cargo test");
    println!("    cargo ferroform docs");
    Ok(())
}

/// Names of providers are parts of type names and of addresses, and that of a Rust library.
fn check_name(name: &str) -> Outcome {
    /// Libraries that the new one would hide from itself.
    const LIBRARIES: [&str; 8] =
        ["alloc", "core", "ferroform", "proc_macro", "std", "tempfile", "test", "tokio"];
    let is_letter = |it: &u8| it.is_ascii_lowercase();
    let is_good = name.as_bytes().first().is_some_and(is_letter)
        && name.bytes().all(|it| is_letter(&it) || it.is_ascii_digit());
    if !is_good {
        return Err(Failure::new(format!(
            "`{name}` is not a valid provider name; use lower-case letters and digits, and a letter first, such as cloud"
        )));
    }
    if syn::parse_str::<syn::Ident>(name).is_err() || LIBRARIES.contains(&name) || name == "terraform" {
        return Err(Failure::new(format!("`{name}` is reserved by Rust or Terraform; choose another name")));
    }
    Ok(())
}

/// The namespace is a part of addresses and of folders.
fn check_namespace(namespace: &str) -> Outcome {
    if is_address_part(namespace, "-_") {
        return Ok(());
    }
    Err(Failure::new(format!(
        "`{namespace}` is not a valid namespace; use letters, digits and hyphens, such as acme"
    )))
}

/// The types that a new provider has or uses beside its own.
const TAKEN: [&str; 13] = [
    "Backend",
    "Case",
    "Client",
    "Config",
    "Error",
    "Note",
    "NoteLookup",
    "PathBuf",
    "Provider",
    "Registry",
    "Resource",
    "Serve",
    "Suite",
];

/// What the placeholders of the templates stand for.
struct Words(Vec<(&'static str, String)>);

impl Words {
    fn new(name: &str, arguments: &Arguments) -> Outcome<Self> {
        let dependency = |folder: &str, features: &str| -> Outcome<String> {
            let version = env!("CARGO_PKG_VERSION");
            let Some(clone) = &arguments.sdk else {
                return Ok(format!("{{ version = \"{version}\"{features} }}"));
            };
            let path = clone.join(folder);
            let path = path.canonicalize().map_err(|error| Failure::argument(&path, &error))?;
            Ok(format!("{{ path = {}{features} }}", serde_json::json!(path.to_string_lossy())))
        };
        let example = "`@NAME@_note` as a resource and as a data source, and the function `slug`";
        let (changes, setting, tempfile) = match &arguments.resource {
            Some(resource) => (
                format!("`@NAME@_{resource}` as a resource"),
                "endpoint = \"https://@NAME@.example.com\"",
                "",
            ),
            None => (example.to_owned(), "root = \".\"", "tempfile = \"3\"\n"),
        };
        Ok(Self(vec![
            ("@CHANGES@", changes),
            ("@SETTING@", setting.to_owned()),
            ("@TEMPFILE@\n", tempfile.to_owned()),
            ("@NAME@", name.to_owned()),
            ("@NAMESPACE@", arguments.namespace.clone()),
            ("@CRATE@", name.to_owned()),
            ("@CAMEL@", struct_name(name, &TAKEN)),
            ("@FERROFORM@", dependency("sdk", "")?),
            ("@TESTING@", dependency("provider-tests", ", features = [\"cores\"]")?),
        ]))
    }

    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (word, by)| text.replace(word, by))
    }
}
