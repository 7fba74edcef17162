//! A step of a case: its files, and what the commands are given.

use std::path::Path;

use ferroform_testing::plan::Mode;

/// One step.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) mode: Mode,
    /// The files by path; without any, those of the step before stay.
    files: Vec<(&'static str, &'static str)>,
    /// Arguments of the commands, and variables of their environment.
    given: Vec<&'static str>,
}

/// Modules that are beside every step of one file.
const MODULES: [(&str, &str); 9] = [
    ("m", "output \"out\" {\n  value = 1\n}\n"),
    ("takes", "variable \"x\" {}\noutput \"out\" {\n  value = var.x\n}\n"),
    (
        "hides",
        "variable \"x\" {\n  ephemeral = true\n}\noutput \"out\" {\n  value     = var.x\n  ephemeral = true\n}\n",
    ),
    ("leaks", "variable \"x\" {\n  ephemeral = true\n}\noutput \"out\" {\n  value = var.x\n}\n"),
    (
        "secret",
        "variable \"x\" {\n  default   = 1\n  sensitive = true\n}\noutput \"out\" {\n  value = var.x\n}\n",
    ),
    ("checked", include_str!("checked.tf")),
    ("needs", "variable \"x\" {}\n"),
    (
        "keeps",
        "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\noutput \"out\" {\n  value = terraform_data.a.output\n}\n",
    ),
    ("empty", ""),
];

impl Step {
    /// Only a step that applies a configuration has to have one.
    pub(crate) fn new(mode: Mode, text: &'static str) -> Self {
        let mut given = Self { mode, files: Vec::new(), given: Vec::new() };
        for (at, part) in text.split("--- ").enumerate() {
            match (at, part.split_once('\n')) {
                (0, _) if mode != Mode::Normal && part.trim().is_empty() => {}
                (0, _) if part.starts_with('{') => given.files.push(("main.tf.json", part)),
                (0, _) => given.files.push(("main.tf", part)),
                (_, Some(("arguments", lines))) => {
                    given.given.extend(lines.lines().filter(|it| !it.is_empty()))
                }
                (_, Some((path, text))) => given.files.push((path, text)),
                (_, None) => {}
            }
        }
        given
    }

    /// Replaces the files of the last step, if this one has any.
    pub(crate) fn write(&self, directory: &Path) {
        if self.files.is_empty() {
            return;
        }
        for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() && name != ".terraform" {
                std::fs::remove_dir_all(path).expect("it was there");
            } else if [".tf", ".tf.json", ".tfvars", ".tfvars.json"].iter().any(|it| name.ends_with(it)) {
                std::fs::remove_file(path).expect("it was there");
            }
        }
        let state = "{\"version\":4,\"terraform_version\":\"1.15.5\",\"serial\":1,\"lineage\":\"a\",\"outputs\":{\"x\":{\"value\":1,\"type\":\"number\"},\"s\":{\"value\":\"t\",\"type\":\"string\",\"sensitive\":true}},\"resources\":[]}";
        std::fs::write(directory.join("other.tfstate"), state).expect("a file");
        let file = |name: &str, text: &str| {
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            std::fs::write(path, text.replace("DIRECTORY", &directory.display().to_string()))
                .expect("a file");
        };
        if self.files.len() == 1 {
            MODULES.iter().for_each(|(name, text)| file(&format!("{name}/main.tf"), text));
        }
        self.files.iter().for_each(|(name, text)| file(name, text));
    }

    /// Whether a module is called, so that a real core has to be initialised.
    pub(crate) fn calls_modules(&self) -> bool {
        self.files.iter().any(|(_, text)| text.contains("module \"") || text.contains("\"module\""))
    }

    /// Whether it is given neither files nor values, so that those of the step before count.
    pub(crate) fn is_bare(&self) -> bool {
        self.files.is_empty() && self.given.is_empty()
    }

    /// The arguments of the commands.
    pub(crate) fn arguments(&self) -> Vec<&'static str> {
        self.given(true)
    }

    /// The variables of their environment.
    pub(crate) fn environment(&self) -> Vec<(&'static str, &'static str)> {
        self.given(false).into_iter().filter_map(|it| it.split_once('=')).collect()
    }

    fn given(&self, arguments: bool) -> Vec<&'static str> {
        self.given.iter().copied().filter(|it| it.starts_with('-') == arguments).collect()
    }
}
