//! A folder: its configuration, the values of its variables, and its state.

use std::fs;
use std::path::{Path, PathBuf};

use super::Failure;
use super::arguments::{Options, VariableArgument};
use super::screen::Screen;
use crate::diagnostic::Diagnostic;
use crate::language::module::{self, Configuration, Inputs, StateStore, Tree};
use crate::state::{State, StateError, StateFile};

/// The name of the state file.
const STATE: &str = "terraform.tfstate";

/// A folder of `.tf` files.
pub(super) struct Folder {
    path: PathBuf,
}

/// Whether a folder has to have a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    Needed,
    /// What is not configured can be destroyed.
    Optional,
    /// Those of queries, too.
    Queries,
}

impl Folder {
    pub(super) fn new(options: &Options) -> Self {
        Self { path: PathBuf::from(&options.folder) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn state_path(&self) -> PathBuf {
        self.path.join(STATE)
    }

    /// Refuses what is no folder, before a state is made there.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(Diagnostic::error(
                "Not a folder",
                format!("{} is a file. Name the folder with the .tf files.", self.path.display()),
            )),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Diagnostic::error(
                "No such folder",
                format!("There is no {}. Name the folder with the .tf files.", self.path.display()),
            )),
            Err(error) => Err(Diagnostic::error(
                "Unreadable folder",
                format!("The folder {} cannot be read: {error}.", self.path.display()),
            )),
        }
    }

    /// The configuration, with what is questionable in it.
    pub(super) fn configuration(
        &self,
        options: &Options,
        files: Files,
        screen: &Screen,
    ) -> Result<Configuration, Failure> {
        self.prepared(files, |tree| self.inputs(options, tree, screen))
    }

    /// The configuration with unknown values of variables.
    pub(super) fn configuration_without_values(&self, options: &Options) -> Result<Configuration, Failure> {
        self.prepared(Files::Optional, |_| self.given(options).map(Inputs::for_validation))
    }

    fn prepared(
        &self,
        files: Files,
        inputs: impl FnOnce(&Tree) -> Result<Inputs, Failure>,
    ) -> Result<Configuration, Failure> {
        self.check()?;
        let tree = match files {
            Files::Queries => module::load_queries(&self.path),
            Files::Needed | Files::Optional => module::load(&self.path),
        };
        let tree = tree?;
        if files == Files::Needed && !self.has_files() {
            let detail = format!(
                "There are no .tf files in {}. With an empty configuration everything would be destroyed; if that is \
                 what you want, use destroy.",
                self.path.display()
            );
            return Err(Diagnostic::error("No configuration files", detail).into());
        }
        let inputs = inputs(&tree)?;
        tree.prepare_stored(&inputs)
    }

    /// The state store in which the state is kept, unless that is a file.
    pub(super) fn state_store(&self) -> Result<Option<StateStore>, Failure> {
        self.check()?;
        let tree = module::load(&self.path)?;
        tree.state_store()
    }

    fn has_files(&self) -> bool {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let files = entries.filter(|it| it.path().is_file()).map(|it| it.file_name());
        files
            .filter_map(|name| name.into_string().ok())
            .any(|name| !name.starts_with('.') && (name.ends_with(".tf") || name.ends_with(".tf.json")))
    }

    /// The values of variables; whoever is at the screen is asked for those that are missing.
    pub(super) fn inputs(&self, options: &Options, tree: &Tree, screen: &Screen) -> Result<Inputs, Failure> {
        let mut inputs = self.given(options)?;
        for variable in &tree.module.variables {
            let is_given = inputs.names().any(|name| name == variable.name);
            if is_given || variable.default.is_some() {
                continue;
            }
            let about = variable.description.as_ref().map(|text| format!("  {text}\n")).unwrap_or_default();
            let question = format!("var.{}\n{about}\n  Enter a value: ", variable.name);
            if let Some(answer) = screen.ask(&question) {
                screen.out("\n");
                let argument = format!("{}={answer}", variable.name);
                inputs.argument(&argument)?;
            }
        }
        Ok(inputs)
    }

    /// The values of variables from the environment, from files and from the command line.
    fn given(&self, options: &Options) -> Result<Inputs, Failure> {
        let mut inputs = Inputs::new();
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        inputs.environment(environment);
        inputs.files_in(&self.path)?;
        for given in &options.values {
            match given {
                VariableArgument::Value(text) => {
                    inputs.argument(text)?;
                }
                VariableArgument::File(path) => inputs.file(Path::new(path))?,
            }
        }
        Ok(inputs)
    }

    /// What is said of a state that is no state, and what can be done.
    pub(super) fn unreadable(&self, error: &StateError) -> Diagnostic {
        let backup = self.path.join(format!("{STATE}.backup"));
        let remedy = match backup.is_file() {
            true => format!(" What it was before it was last changed is in {}.", backup.display()),
            false => String::new(),
        };
        let detail = format!("{error}. Nothing was changed; put a state there that can be read.{remedy}");
        Diagnostic::error("Failed to read state", detail)
    }

    /// The state in the file without a lock, to look at; empty if there is none.
    pub(super) fn look(&self) -> Result<State, Diagnostic> {
        self.check()?;
        let state = StateFile::look(self.state_path()).map_err(|error| self.unreadable(&error))?;
        Ok(state.unwrap_or_default())
    }
}
