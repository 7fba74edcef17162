//! `console`: expressions over the configuration and the state, one on each line.

use std::fs;

use super::arguments::Options;
use super::folder::Folder;
use super::keeper::Keeper;
use super::notation;
use super::screen::Screen;
use super::{Ended, Failure, Play};
use crate::diagnostic::Diagnostic;
use crate::language::module::{self, Configuration, Inputs, SourceExpr};
use crate::language::{SourceFile, parse_expression};

/// The output that stands for what was typed.
const TYPED: &str = "ferroform_console";

pub(super) async fn console(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let folder = Folder::new(options);
    let state = Keeper::look(play, options).await?;
    let tree = module::load(folder.path())?;
    let inputs = folder.inputs(options, &tree, screen)?;
    let files = files(&folder);
    let core = play.core();
    let mut code = 0;
    loop {
        let line = if screen.can_ask() { screen.ask("> ") } else { screen.read() };
        let Some(line) = line else { return Ok(code) };
        match line.trim() {
            "" => continue,
            "exit" | "quit" => return Ok(code),
            typed => {
                let value = match expression(&folder, &files, &inputs, typed) {
                    Ok((configuration, expr)) => core.evaluate(&configuration, &state, &expr).await,
                    Err(problems) => Err(problems),
                };
                match value {
                    Ok(value) => screen.out(&format!("{}\n", notation::text(&value))),
                    Err(problems) => {
                        code = 1;
                        screen.tell(&problems);
                    }
                }
            }
        }
    }
}

/// The files of the root module. They could be read a moment ago.
fn files(folder: &Folder) -> Vec<SourceFile> {
    let paths = fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|it| it.path());
    let read = |path: std::path::PathBuf| Some(SourceFile::new(&path, fs::read_to_string(&path).ok()?));
    paths.filter(|path| module::is_configuration(path)).filter_map(read).collect()
}

/// What was typed, as an expression of the root module.
fn expression(
    folder: &Folder,
    files: &[SourceFile],
    inputs: &Inputs,
    typed: &str,
) -> Result<(Configuration, SourceExpr), Failure> {
    let alone = SourceFile::new("<console>", typed);
    parse_expression(&alone)?;
    let text = format!("output \"{TYPED}\" {{\n  sensitive = true\n  value = (\n{typed}\n)\n}}\n");
    let mut files = files.to_vec();
    files.push(SourceFile::new("console.tf", text));
    let tree = module::load_texts(folder.path(), files)?;
    let configuration = tree.prepare_stored(inputs)?;
    let output = configuration.root().outputs.iter().find(|output| output.name == TYPED);
    let expr = output.and_then(|output| output.value.clone());
    // The output was put there.
    let expr = expr.ok_or_else(|| Diagnostic::error("Invalid expression", "It has no value."))?;
    Ok((configuration, expr))
}
