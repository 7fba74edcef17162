//! The part of a scenario that goes from module to module: providers that are passed, and imports into modules that are called.

use super::generate::{Generator, Module, Type};
use super::syntax::{Block, Expr, File, Item, Step};

const KEYS: [&str; 4] = ["", "", "[0]", "[\"a\"]"];

impl Generator {
    /// Passes configurations of the provider to the modules that are called. JSON has other words for it.
    pub(super) fn pass_providers(&mut self, root: &Module, files: &mut [File]) {
        let mut with_alias = Vec::new();
        if !files[0].json && !self.random.one_in(4) {
            let mut items = vec![Item::Static("alias", "\"k\"".to_owned())];
            if self.random.one_in(2) {
                items.push(Item::Argument("region", self.expr(Type::String, root, 1)));
            }
            files[0].blocks.push(Block::new("provider", &["sample"], items));
            with_alias.push(String::new());
        }
        let mut folders: Vec<String> = files.iter().filter_map(|file| called_folder(&file.path)).collect();
        folders.sort_by_key(|folder| folder.matches('/').count());
        for folder in folders {
            let (outer, name) = folder.rsplit_once('/').unwrap_or(("", &folder));
            let has_alias = with_alias.iter().any(|it| it == outer);
            let takes_alias = self.random.one_in(3);
            let passed = match (takes_alias, has_alias) {
                (true, true) => "{ sample = sample, sample.k = sample.k }",
                (false, true) => "{ sample = sample.k }",
                _ => "{ sample = sample }",
            };
            if takes_alias && let Some(file) = main(files, &folder).filter(|file| !file.json) {
                self.take_alias(&mut file.blocks);
                with_alias.push(folder.clone());
            }
            // Some calls leave out what they have to pass.
            if !self.random.one_in(if takes_alias { 12 } else { 2 })
                && let Some(file) = main(files, outer).filter(|file| !file.json)
                && let Some(call) =
                    file.blocks.iter_mut().find(|it| it.kind == "module" && it.labels == [name])
            {
                call.items.push(Item::Static("providers", passed.to_owned()));
            }
        }
    }

    /// Declares that a module is given a configuration with an alias, and uses it.
    fn take_alias(&mut self, blocks: &mut [Block]) {
        let taken = "{ source = \"hashicorp/sample\", configuration_aliases = [sample.k] }";
        for block in blocks {
            match block.kind {
                "terraform" => {
                    for item in &mut block.items {
                        if let Item::Block(required) = item {
                            required.items = vec![Item::Static("sample", taken.to_owned())];
                        }
                    }
                }
                "resource" | "data" if block.labels[0].starts_with("sample_") && self.random.one_in(2) => {
                    block.items.push(Item::Static("provider", "sample.k".to_owned()));
                }
                _ => {}
            }
        }
    }

    /// An import of an object of a module that is called, which the configuration has or is about to have.
    pub(super) fn import_into_module(&mut self, step: &mut Step) {
        let folders: Vec<String> = step.files.iter().filter_map(|file| called_folder(&file.path)).collect();
        if folders.is_empty() {
            return;
        }
        let folder = self.random.pick(&folders).clone();
        let Some(file) = main(&mut step.files, &folder) else { return };
        let resources: Vec<String> =
            file.blocks.iter().filter(|it| it.kind == "resource").map(|it| it.labels.join(".")).collect();
        let address = match resources.is_empty() || self.random.one_in(3) {
            true => {
                let items = vec![Item::Argument("name", Expr::text("\"i-1\""))];
                file.blocks.push(Block::new("resource", &["sample_server", "imported"], items));
                "sample_server.imported".to_owned()
            }
            false => self.random.pick(&resources).clone(),
        };
        let mut to = String::new();
        for name in folder.split('/') {
            to.push_str(&format!("module.{name}{}.", self.random.pick(&KEYS)));
        }
        let key = *self.random.pick(&KEYS);
        let id = *self.random.pick(&["\"i-1\"", "\"missing\"", "\"i-2\""]);
        let items = match self.random.below(4) {
            0 => vec![
                Item::Argument("for_each", Expr::text("{ a = \"i-1\" }")),
                Item::Static("to", format!("{to}{address}[each.key]")),
                Item::Argument("id", Expr::text("each.value")),
            ],
            1 => vec![
                Item::Static("to", format!("{to}{address}{key}")),
                Item::Static("identity", "{\"id\": \"i-3\"}".to_owned()),
            ],
            _ => {
                vec![Item::Static("to", format!("{to}{address}{key}")), Item::Argument("id", Expr::text(id))]
            }
        };
        step.files[0].blocks.push(Block::new("import", &[], items));
    }
}

/// The folder of a module that is called, by the path of its main file.
fn called_folder(path: &str) -> Option<String> {
    path.strip_suffix("/main.tf").map(str::to_owned)
}

/// The main file of a module.
fn main<'a>(files: &'a mut [File], folder: &str) -> Option<&'a mut File> {
    files.iter_mut().find(|file| match folder {
        "" => file.path == "main.tf",
        _ => called_folder(&file.path).as_deref() == Some(folder),
    })
}
