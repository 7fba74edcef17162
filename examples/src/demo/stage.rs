//! The stage of this tour: a folder of `.tf` files, the folder that the provider works on, and commands with the result
//! that they must have.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ferroform::Protocol;
use ferroform_testing::play::{Play, Screen};
use ferroform_testing::render;
use serde_json::Value as Json;

use super::Release;
use crate::{Colour, Page};

/// What comes of a step; the error is the first thing that is not as it should be.
pub(super) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Where the tour takes place. All methods fail with the first thing that is not as it should be.
pub(super) struct Stage<'t> {
    pub(super) page: Page<'t>,
    /// The root of the provider.
    pub(super) root: &'t Path,
    pub(super) protocol: Protocol,
    files: PathBuf,
    play: Play,
    colour: Colour,
}

/// What a command prints.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'t> Stage<'t> {
    /// A folder with nothing but the configuration of the provider.
    pub(super) fn new(
        page: Page<'t>,
        protocol: Protocol,
        (files, root): (&Path, &'t Path),
        colour: Colour,
    ) -> Result<Self> {
        let play = super::play(Release::Current, protocol);
        let stage = Self { page, root, protocol, files: files.to_owned(), play, colour };
        let main = format!(
            "terraform {{\n  required_providers {{\n    demo = {{ source = \"{}\" }}\n  }}\n}}\n\nvariable \"root\" {{\n  \
             type = string\n}}\n\nprovider \"demo\" {{\n  root = var.root\n}}\n",
            super::ADDRESS
        );
        fs::write(stage.files.join("main.tf"), main)?;
        let root = serde_json::json!({"root": root});
        fs::write(stage.files.join("terraform.tfvars.json"), root.to_string())?;
        Ok(stage)
    }

    /// Goes on with a release of the provider.
    pub(super) fn install(&mut self, release: Release) {
        self.play = super::play(release, self.protocol);
    }

    /// Writes a file, and shows it.
    pub(super) fn write(&mut self, name: &str, text: &str) -> Result {
        fs::write(self.files.join(name), text)?;
        self.page.lines(&format!("{name}:"))?;
        let indented: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
        Ok(self.page.text(&format!("{}\n\n", indented.join("\n")))?)
    }

    /// Moves the state into a folder beside the configuration, under the name that the store has for it.
    pub(super) fn keep_state_in(&self, folder: &str) -> Result<PathBuf> {
        let folder = self.files.join(folder);
        fs::create_dir(&folder)?;
        fs::rename(self.files.join("terraform.tfstate"), folder.join("default.tfstate"))?;
        Ok(folder)
    }

    /// Takes a file away.
    pub(super) fn remove(&mut self, name: &str) -> Result {
        self.page.lines(&format!("{name}: removed"))?;
        Ok(fs::remove_file(self.files.join(name))?)
    }

    /// Runs a command, which must succeed and print these lines or parts of lines.
    pub(super) fn run(&mut self, command: &str, expect: &[&str]) -> Result<String> {
        self.command(command, 0, expect)
    }

    /// Runs a command, which must fail with these lines.
    pub(super) fn refused(&mut self, command: &str, expect: &[&str]) -> Result<String> {
        self.command(command, 1, expect)
    }

    /// Types an expression at the console, which must answer with that line.
    pub(super) fn console(&mut self, expression: &str, expect: &str) -> Result {
        self.page.title("   $ demo console .")?;
        let (_, text) = self.typing("console", &[expression]);
        // The screen shows the prompts, and not what is typed at them.
        let answer = text.trim_start_matches("> ").trim_end_matches("> ");
        self.page.text(&indented(&format!("> {expression}\n{answer}")))?;
        match plain(answer).trim() == expect {
            true => Ok(()),
            false => Err(format!("the console should answer {expect}, but it answers {answer}").into()),
        }
    }

    fn command(&mut self, command: &str, code: u8, expect: &[&str]) -> Result<String> {
        self.page.title(&format!("   $ demo {command} ."))?;
        let (ended, text) = self.quietly(command);
        self.page.text(&indented(&text))?;
        let plain = plain(&text);
        if ended != code {
            return Err(format!("`demo {command}` should end with {code}, but it ends with {ended}").into());
        }
        match expect.iter().find(|part| !plain.contains(**part)) {
            None => Ok(plain),
            Some(part) => Err(format!("`demo {command}` should print {part:?}, but it does not").into()),
        }
    }

    /// Runs a command without showing it.
    fn quietly(&self, command: &str) -> (u8, String) {
        self.typing(command, &[])
    }

    /// Runs a command at which somebody types these lines.
    fn typing(&self, command: &str, lines: &[&str]) -> (u8, String) {
        let colour = match self.colour {
            Colour::None => render::Colour::None,
            Colour::Ansi => render::Colour::Ansi,
        };
        let paper = Paper::default();
        let screen = Screen::new(paper.clone(), paper.clone(), colour);
        let screen = if lines.is_empty() { screen } else { screen.typed(lines.iter().copied()) };
        let files = self.files.display().to_string();
        let arguments: Vec<&str> = command.split(' ').chain([files.as_str()]).collect();
        let code = self.play.run(&arguments, &screen);
        let bytes = paper.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (code, String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Applies, and looks whether anything is left to do.
    pub(super) fn apply(&mut self, expect: &[&str]) -> Result {
        // One at a time, so that the tour is the same each time.
        self.run("apply -auto-approve -parallelism=1", expect)?;
        self.settled()
    }

    /// Fails if there is something left to do.
    pub(super) fn settled(&self) -> Result {
        match self.quietly("plan -detailed-exitcode") {
            (0, _) => Ok(()),
            (_, text) => Err(format!("there should be nothing left to do, but there is:\n{text}").into()),
        }
    }

    /// The version and the identity that are stored with an object.
    pub(super) fn identity(&mut self, type_name: &str, name: &str) -> Result<(u64, Json)> {
        let state: Json = serde_json::from_slice(&fs::read(self.files.join("terraform.tfstate"))?)?;
        let resources = state["resources"].as_array().into_iter().flatten();
        let object = resources
            .filter(|it| it["type"] == type_name && it["name"] == name)
            .find_map(|it| it["instances"].get(0))
            .ok_or_else(|| format!("{type_name}.{name} is not in the state"))?;
        let version = object["identity_schema_version"].as_u64().unwrap_or_default();
        let identity = object["identity"].clone();
        self.page.lines(&format!("identity of version {version}: {identity}"))?;
        Ok((version, identity))
    }

    /// Looks at a file itself, for the provider cannot be its own witness.
    pub(super) fn holds(&self, name: &str, part: &str) -> Result {
        match fs::read_to_string(self.root.join(name))?.contains(part) {
            true => Ok(()),
            false => Err(format!("the file {name} does not hold {part:?}").into()),
        }
    }

    /// An attribute of objects, which is written as blocks in protocol 5.
    pub(super) fn objects(&self, name: &str, objects: &[&str]) -> String {
        match self.protocol {
            Protocol::V5 => objects.iter().map(|it| format!("\n  {name} {{\n    {it}\n  }}")).collect(),
            Protocol::V6 if objects.len() > 1 => {
                let all: String = objects.iter().map(|it| format!("\n    {{ {it} }},")).collect();
                format!("\n  {name} = [{all}\n  ]")
            }
            Protocol::V6 => format!("\n  {name} = {{ {} }}", objects.concat().replace("\n    ", ", ")),
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("   {line}\n") }).collect()
}

/// A text without the colours of a terminal.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}
