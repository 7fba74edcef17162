//! Examples are planned on the embedded core, so that none is wrong.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ferroform_testing::case;
use ferroform_testing::play::{Play, Screen};
use ferroform_testing::render::Colour;

use crate::failure::{Failure, Outcome};
use crate::provider::{DEV, Provider};

/// The folders with examples that are whole configurations.
const FOLDERS: [&str; 4] = ["resources", "data-sources", "ephemeral-resources", "functions"];

/// A comment at the start of an example that needs more than a plan can have, such as credentials.
pub(super) const ONLY_VALIDATED: &str = "# docs: validate";

/// Plans every example.
///
/// # Errors
/// Those of the first example that does not plan, with what the core reports.
pub(super) fn plan_all(provider: &Provider) -> Outcome {
    let examples = provider.folder.join("examples");
    let mut files = vec![examples.join("provider/provider.tf")];
    for folder in FOLDERS {
        let Ok(types) = fs::read_dir(examples.join(folder)) else { continue };
        let files_of =
            types.flatten().filter_map(|entry| fs::read_dir(entry.path()).ok()).flatten().flatten();
        files.extend(files_of.map(|entry| entry.path()).filter(|path| is_example(path)));
    }
    files.retain(|path| path.exists());
    files.sort();
    if files.is_empty() {
        return Ok(());
    }
    let program = provider.build(DEV, None)?;
    let play = Play::new(case::Provider::binary(&provider.address.to_string(), program));
    let configuration = fs::read_to_string(examples.join("provider/provider.tf")).ok();
    for file in files {
        plan(provider, &play, &file, configuration.as_deref())?;
    }
    Ok(())
}

/// An `import` block needs the object, so its examples are not planned.
fn is_example(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".tf") && !name.starts_with("import")
}

fn plan(provider: &Provider, play: &Play, file: &Path, configuration: Option<&str>) -> Outcome {
    let text = fs::read_to_string(file).map_err(|error| Failure::io("read", file, &error))?;
    let folder =
        tempfile::tempdir().map_err(|error| Failure::new(format!("cannot make a folder: {error}")))?;
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(|error| Failure::io("write", &path, &error))
    };
    write("main.tf", &text)?;
    // An example shows what its page is about; the rest of a configuration is the same for all.
    let whole = [Some(text.as_str()), configuration.filter(|_| !text.contains("provider \""))];
    if whole[1].is_some() {
        write("provider.tf", configuration.unwrap_or_default())?;
    }
    if !whole.iter().flatten().any(|text| text.contains("required_providers")) {
        let (name, address) = (&provider.name, &provider.address);
        write(
            "versions.tf",
            &format!(
                "terraform {{\n  required_providers {{\n    {name} = {{ source = \"{address}\" }}\n  }}\n}}\n"
            ),
        )?;
    }
    let verb = if text.starts_with(ONLY_VALIDATED) { "validate" } else { "plan" };
    let shown = Shown::default();
    let screen = Screen::new(shown.clone(), shown.clone(), Colour::None);
    let here: PathBuf = folder.path().to_path_buf();
    if play.run(&[format!("-chdir={}", here.display()).as_str(), verb], &screen) == 0 {
        return Ok(());
    }
    let way_out = match verb {
        "plan" => {
            "An example whose plan needs a service, or values that only its user has, is validated and not planned if it \
                   begins with the line `# docs: validate`."
        }
        _ => "",
    };
    Err(Failure::new(format!("the example {} does not {verb}:\n{}{way_out}", file.display(), shown.text())))
}

/// What a command prints.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl Shown {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl io::Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
