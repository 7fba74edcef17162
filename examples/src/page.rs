//! What a tour shows, with colours where they can be seen.

use std::fmt;
use std::io::{self, Write};

use ferroform_testing::case::{ChangeView, Tree, differences};

/// Whether the output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    None,
    /// The colours of a terminal.
    Ansi,
}

/// Where a tour is shown.
pub struct Page<'o> {
    out: &'o mut dyn Write,
    colour: Colour,
    steps: u32,
}

impl fmt::Debug for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("steps", &self.steps).finish_non_exhaustive()
    }
}

const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const PLAIN: &str = "0";

impl<'o> Page<'o> {
    /// A page in which nothing is yet.
    pub fn new(out: &'o mut dyn Write, colour: Colour) -> Self {
        Self { out, colour, steps: 0 }
    }

    /// A line that belongs to the whole tour.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn title(&mut self, text: &str) -> io::Result<()> {
        self.line(BOLD, text)
    }

    /// The heading of the next step, and what it shows.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn step(&mut self, name: &str, shows: &str) -> io::Result<()> {
        self.steps += 1;
        writeln!(self.out)?;
        self.line(BOLD, &format!("{}. {name}", self.steps))?;
        self.line(PLAIN, shows)
    }

    /// A change, under the words for it, with a line for each attribute.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn change(&mut self, change: &ChangeView<'_>, words: &str) -> io::Result<()> {
        self.lines(&format!("{}: {words}", change.address()))?;
        let forcing: Vec<String> = change.replace_paths().into_iter().map(first).collect();
        self.attributes(change.before(), change.after(), &forcing)
    }

    /// The attributes in which two values differ; those in `forcing` are the reason of a replacement.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn attributes(&mut self, before: Tree<'_>, after: Tree<'_>, forcing: &[String]) -> io::Result<()> {
        for it in differences(before, after) {
            let line = match (it.before.as_str(), it.after.as_str()) {
                ("null", after) => format!("  + {}: {after}", it.path),
                (before, "null") => format!("  - {}: {before}", it.path),
                (before, after) => format!("  ~ {}: {before} -> {after}", it.path),
            };
            let forces =
                forcing.iter().any(|name| *name == it.path || it.path.starts_with(&format!("{name}.")));
            self.lines(&format!("{line}{}", if forces { " # forces replacement" } else { "" }))?;
        }
        Ok(())
    }

    /// Lines, coloured by what they begin with.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn lines(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            let colour = match line.trim_start().chars().next() {
                Some('+') => GREEN,
                Some('-') => RED,
                Some('~') => YELLOW,
                _ if line.starts_with("Error") => RED,
                _ => PLAIN,
            };
            self.line(colour, &format!("   {line}"))?;
        }
        Ok(())
    }

    /// Text that has its colours already.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    fn line(&mut self, colour: &str, text: &str) -> io::Result<()> {
        match self.colour {
            Colour::Ansi if colour != PLAIN => writeln!(self.out, "\x1b[{colour}m{text}\x1b[0m"),
            Colour::None | Colour::Ansi => writeln!(self.out, "{text}"),
        }
    }
}

/// The attribute that a path begins with.
fn first(path: &serde_json::Value) -> String {
    path.get(0).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}
