//! Where commands write, and whom they ask.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead as _, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};

use super::arguments::{Options, OutputForm, Switch};
use super::lock;
use super::message::grouped;
use crate::diagnostic::Diagnostic;
use crate::embedded::CoreVersion;
use crate::json::digits;
use crate::render::{Colour, Style};

/// Standard output and standard error of a command, and who answers its questions. Clones are the same screen.
#[derive(Clone)]
pub struct Screen {
    colour: Colour,
    form: OutputForm,
    compact: Switch,
    /// The folder in which the names of files begin.
    base: PathBuf,
    out: Sink,
    err: Sink,
    answers: Answers,
    /// Whether what was written last has not ended its line, as a question.
    is_within_line: Arc<AtomicBool>,
}

type Sink = Arc<Mutex<dyn Write + Send>>;

/// Who answers questions.
#[derive(Clone)]
enum Answers {
    /// Nobody.
    Nobody,
    /// Whoever types, if somebody can.
    Terminal,
    /// These lines are typed.
    Lines(Arc<Mutex<VecDeque<String>>>),
}

impl Screen {
    /// The streams of this process. Questions are asked if standard input is a terminal.
    #[must_use]
    pub fn standard(colour: Colour) -> Self {
        let (out, err): (Sink, Sink) =
            (Arc::new(Mutex::new(io::stdout())), Arc::new(Mutex::new(io::stderr())));
        Self { answers: Answers::Terminal, ..Self::of(out, err, colour) }
    }

    fn of(out: Sink, err: Sink, colour: Colour) -> Self {
        let is_within_line = Arc::default();
        let (form, compact, answers) = (OutputForm::Text, Switch::Off, Answers::Nobody);
        Self { colour, form, compact, base: PathBuf::from("."), out, err, answers, is_within_line }
    }

    /// A screen that writes to these, and has nobody to ask.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static, err: impl Write + Send + 'static, colour: Colour) -> Self {
        let (out, err): (Sink, Sink) = (Arc::new(Mutex::new(out)), Arc::new(Mutex::new(err)));
        Self::of(out, err, colour)
    }

    /// The same screen, at which somebody types these lines.
    #[must_use]
    pub fn typed<L: Into<String>>(self, lines: impl IntoIterator<Item = L>) -> Self {
        let lines = lines.into_iter().map(Into::into).collect();
        Self { answers: Answers::Lines(Arc::new(Mutex::new(lines))), ..self }
    }

    pub(super) fn for_options(&self, options: &Options) -> Self {
        let colour = match options.colour {
            Switch::Off => Colour::None,
            Switch::On if options.form != OutputForm::Text => Colour::None,
            Switch::On => self.colour,
        };
        let answers = match options.input {
            Switch::On => self.answers.clone(),
            Switch::Off => Answers::Nobody,
        };
        let (form, compact, base) = (options.form, options.compact, PathBuf::from(&options.base));
        Self { colour, form, compact, base, answers, ..self.clone() }
    }

    pub(super) fn with_form(&self, form: OutputForm) -> Self {
        Self { form, ..self.clone() }
    }

    pub(super) fn colour(&self) -> Colour {
        self.colour
    }

    pub(super) fn is_json(&self) -> bool {
        self.form == OutputForm::Json
    }

    /// Writes. That nobody reads any more is no failure of what is done.
    pub(super) fn out(&self, text: &str) {
        self.write(&self.out, text);
    }

    pub(super) fn err(&self, text: &str) {
        self.write(&self.err, text);
    }

    fn write(&self, sink: &Sink, text: &str) {
        write(sink, text);
        if !text.is_empty() {
            self.is_within_line.store(!text.ends_with('\n'), Ordering::Relaxed);
        }
    }

    /// Writes a line of JSON.
    pub(super) fn line(&self, json: &Json) {
        self.out(&format!("{}\n", digits::text(json)));
    }

    /// Writes a line of JSON that tells of something, in the form of those of core.
    pub(super) fn event(&self, kind: &str, message: &str, members: Json) {
        self.tagged(("info", kind), message, members);
    }

    fn tagged(&self, (level, kind): (&str, &str), message: &str, mut members: Json) {
        members["@level"] = level.into();
        members["@message"] = message.into();
        members["@module"] = "terraform.ui".into();
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string();
        members["@timestamp"] = now.into();
        members["type"] = kind.into();
        self.line(&members);
    }

    /// Says what was done, if anybody has to be told.
    pub(super) fn say(&self, text: &str) {
        match self.form {
            OutputForm::Json => self.event("log", text, json!({})),
            OutputForm::Text | OutputForm::Raw => self.out(&format!("{text}\n")),
        }
    }

    /// Begins the lines of JSON of a command that changes something.
    pub(super) fn begin(&self) {
        if self.is_json() {
            let version = CoreVersion::default().version.to_string();
            let text = format!("An embedded core in the manner of Terraform {version}");
            self.event("version", &text, json!({"terraform": version, "ui": "1.3"}));
        }
    }

    /// Prints a state that can be put nowhere else.
    pub(super) fn rescue(&self, state: &str) {
        match self.form {
            OutputForm::Json => self.tagged(("error", "log"), "The state, in clear", json!({"state": state})),
            OutputForm::Text | OutputForm::Raw => self.out(&format!("\n{state}\n")),
        }
    }

    /// Diagnostics, with the names of files as the reader knows them.
    pub(super) fn placed(&self, messages: &[Diagnostic]) -> Vec<Diagnostic> {
        messages.iter().map(|message| message.seen_from(&self.base)).collect()
    }

    /// Shows diagnostics. Warnings with the same summary are one to a person, as they are in core.
    pub(super) fn tell(&self, messages: &[Diagnostic]) {
        let messages = &self.placed(messages);
        if self.is_json() {
            for message in messages {
                let level = if message.is_error() { "error" } else { "warn" };
                let json = json!({"diagnostic": message.json()});
                self.tagged((level, "diagnostic"), &message.title(), json);
            }
            return;
        }
        let all = grouped(messages);
        if !all.is_empty() && self.is_within_line.load(Ordering::Relaxed) {
            self.err("\n");
        }
        if self.compact == Switch::On && !all.is_empty() && !messages.iter().any(Diagnostic::is_error) {
            let lines: String = all.iter().map(|(message, more)| message.line(*more)).collect();
            self.err(&format!(
                "{}\n\n{lines}\nWithout -compact-warnings they are told in full.\n",
                self.colour.paint(Style::Yellow, "Warnings:")
            ));
            return;
        }
        for (message, more) in all {
            self.err(&message.text(self.colour, more));
        }
    }

    /// Whether questions have answers.
    pub(super) fn can_ask(&self) -> bool {
        match &self.answers {
            Answers::Nobody => false,
            Answers::Terminal => io::stdin().is_terminal(),
            Answers::Lines(_) => true,
        }
    }

    /// The answer to a question; `None` if there is none.
    pub(super) fn ask(&self, question: &str) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        self.out(question);
        self.read()
    }

    /// The same also if the answer comes from a program, as from `yes |`.
    pub(super) fn consent(&self, question: &str) -> Option<String> {
        self.out(question);
        match self.answers {
            Answers::Nobody => None,
            Answers::Terminal | Answers::Lines(_) => self.read(),
        }
    }

    /// The next line that is typed, also by a program.
    pub(super) fn read(&self) -> Option<String> {
        match &self.answers {
            Answers::Lines(lines) => lock(lines).pop_front(),
            Answers::Nobody | Answers::Terminal => {
                let mut line = String::new();
                let read = io::stdin().lock().read_line(&mut line).ok()?;
                (read > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned())
            }
        }
    }
}

fn write(sink: &Sink, text: &str) {
    let mut sink = sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let _ = sink.write_all(text.as_bytes()).and_then(|()| sink.flush());
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("colour", &self.colour).finish_non_exhaustive()
    }
}
