//! What is typed: a command, options with one or two dashes, and other words.

mod forms;
mod words;

use std::path::Path;
use std::time::Duration;

use super::generated_file::GeneratedFile;
use crate::address::{InstanceAddress, Mode, Target};
use crate::diagnostic::Diagnostic;
use crate::embedded::{Generation, PlanOptions, Refresh};
use crate::language::duration;
use crate::plan::Mode as PlanMode;

pub(super) use forms::Verb;
pub(super) use words::{COMPLETION, completion, help};

use forms::Form;
use words::takes_value;

/// A value of a variable, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::play) enum VariableArgument {
    Value(String),
    File(String),
}

/// What else was typed.
#[derive(Debug, Clone)]
pub(in crate::play) struct Options {
    pub(in crate::play) folder: String,
    /// The folder in which the names of files begin that are printed.
    pub(in crate::play) base: String,
    /// The words before the folder.
    pub(in crate::play) words: Vec<String>,
    pub(in crate::play) values: Vec<VariableArgument>,
    pub(in crate::play) plan: PlanOptions,
    pub(in crate::play) parallelism: usize,
    pub(in crate::play) out: Option<String>,
    /// The file for the configuration of what a query finds.
    pub(in crate::play) generate: Option<String>,
    pub(in crate::play) approval: Approval,
    pub(in crate::play) form: OutputForm,
    pub(in crate::play) input: Switch,
    pub(in crate::play) colour: Switch,
    pub(in crate::play) detailed: Switch,
    /// Whether the state is locked.
    pub(in crate::play) lock: Switch,
    /// How long it is waited for whoever has the lock.
    pub(in crate::play) patience: Duration,
    /// Whether warnings are told on one line each.
    pub(in crate::play) compact: Switch,
    /// Whether it is only said what would be done.
    pub(in crate::play) dry_run: Switch,
    /// Whether what is not there is no error.
    pub(in crate::play) missing: Switch,
}

/// Whether somebody has to agree before something is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::play) enum Approval {
    Asked,
    Given,
}

/// The form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::play) enum OutputForm {
    Text,
    Json,
    Raw,
}

/// Whether something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::play) enum Switch {
    On,
    Off,
}

impl Options {
    fn new() -> Self {
        Self {
            folder: String::new(),
            base: ".".to_owned(),
            words: Vec::new(),
            values: Vec::new(),
            plan: PlanOptions::default(),
            parallelism: 10,
            out: None,
            generate: None,
            approval: Approval::Asked,
            form: OutputForm::Text,
            input: Switch::On,
            colour: Switch::On,
            detailed: Switch::Off,
            lock: Switch::On,
            patience: Duration::ZERO,
            compact: Switch::Off,
            dry_run: Switch::Off,
            missing: Switch::Off,
        }
    }

    /// The word at a place; the number of words is checked already.
    pub(in crate::play) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The instance that a word names.
    pub(in crate::play) fn address(&self, at: usize) -> Result<InstanceAddress, Diagnostic> {
        address(self.word(at))
    }

    /// The address of an instance of a managed resource that the word at this place is.
    pub(in crate::play) fn managed(&self, at: usize) -> Result<InstanceAddress, Diagnostic> {
        managed(self.word(at), "Invalid address")
    }

    /// The resource or module that a word names.
    pub(in crate::play) fn resource_or_module(&self, at: usize) -> Result<Target, Diagnostic> {
        resource_or_module(self.word(at), "Invalid address")
    }
}

/// The address of an instance of a managed resource that was typed. Data sources are read anew anyway.
fn managed(text: &str, summary: &str) -> Result<InstanceAddress, Diagnostic> {
    match address(text)? {
        managed if managed.resource.mode == Mode::Managed => Ok(managed),
        _ => Err(Diagnostic::error(summary, format!("{text} is no instance of a managed resource."))),
    }
}

/// An address that was typed.
pub(in crate::play) fn address(text: &str) -> Result<InstanceAddress, Diagnostic> {
    text.parse().map_err(|error| {
        let detail = format!("{text:?} is no address of a resource instance: {error}.");
        Diagnostic::error("Invalid address", detail)
    })
}

/// The address of a resource or a module that was typed.
fn resource_or_module(text: &str, invalid: &str) -> Result<Target, Diagnostic> {
    text.parse().map_err(|error| {
        Diagnostic::error(invalid, format!("{text:?} is neither a resource nor a module: {error}."))
    })
}

/// What is typed after `-target=`.
pub(in crate::play) fn target(text: &str) -> Result<Target, Diagnostic> {
    let invalid = format!("Invalid target {text:?}");
    match resource_or_module(text, &invalid)? {
        Target::Resource(it) if matches!(it.resource.mode, Mode::Action | Mode::List) => {
            let detail = "Only resources and modules are planned. Use -invoke to invoke an action.";
            Err(Diagnostic::error(invalid, detail))
        }
        target => Ok(target),
    }
}

/// What is typed after `-invoke=`.
pub(in crate::play) fn action(text: &str) -> Result<InstanceAddress, Diagnostic> {
    let address = text.parse::<InstanceAddress>().ok().filter(|it| it.resource.mode == Mode::Action);
    address.ok_or_else(|| {
        let detail = "Name an action or an instance of one, as in action.demo_rotate.key.";
        Diagnostic::error(format!("Invalid target {text:?}"), detail)
    })
}

/// The folder that an argument before the command names.
pub(in crate::play) fn folder_before(argument: &str) -> Option<&str> {
    let name = argument.strip_prefix('-')?;
    name.strip_prefix('-').unwrap_or(name).strip_prefix("chdir=")
}

/// Reads the arguments of a program.
pub(in crate::play) fn parse(arguments: &[String]) -> Result<(Verb, Options), Diagnostic> {
    let before = arguments.first().and_then(|first| folder_before(first));
    let arguments = arguments.get(usize::from(before.is_some())..).unwrap_or_default();
    let (form, length) = Form::find(arguments).map_err(usage)?;
    let mut options = Options::new();
    if form.verb == Verb::Destroy {
        options.plan.mode = PlanMode::Destroy;
    }
    if form.verb == Verb::Refresh {
        options.plan.mode = PlanMode::RefreshOnly;
        options.approval = Approval::Given;
    }
    options.read(form, arguments.iter().skip(length))?;
    options.check_invocation()?;
    match before {
        Some(folder) => options.enter(folder, form.verb),
        None => options.folder = options.words.pop().unwrap_or_default(),
    }
    let (least, most) = form.counts();
    if options.folder.is_empty() || options.words.len() < least || options.words.len() > most {
        let takes = if form.takes.is_empty() { String::new() } else { format!(" {}", form.takes) };
        let words = form.words;
        let detail = format!(
            "The last word is the folder with the .tf files, after options and their values. This command is: {words} \
             [OPTIONS]{takes} DIR, or: -chdir=DIR {words} [OPTIONS]{takes}"
        );
        return Err(match options.words.len() > most {
            true => Diagnostic::error("Too many command line arguments", detail),
            false => usage(detail),
        });
    }
    Ok((form.verb, options))
}

fn usage(detail: String) -> Diagnostic {
    Diagnostic::error("Invalid command line", detail)
}

/// What is wrong with an option.
fn flags(detail: String) -> Diagnostic {
    Diagnostic::error("Failed to parse command-line flags", detail)
}

/// The command of arguments that cannot be read, and whether they ask for JSON.
pub(in crate::play) fn asked(arguments: &[String]) -> (Option<Verb>, OutputForm) {
    let words = arguments.get(usize::from(arguments.first().is_some_and(|it| folder_before(it).is_some()))..);
    let command = Form::find(words.unwrap_or_default()).ok().map(|(form, _)| form);
    let is_json = |it: &String| matches!(it.as_str(), "-json" | "--json" | "-json=true" | "--json=true");
    let asks = arguments.iter().any(is_json) && command.is_none_or(|form| form.has("json"));
    (command.map(|form| form.verb), if asks { OutputForm::Json } else { OutputForm::Text })
}

impl Options {
    /// The file for generated configuration, if there is to be one.
    pub(in crate::play) fn generated_file(&self) -> Result<Option<GeneratedFile<'_>>, Diagnostic> {
        self.generate.as_deref().map(GeneratedFile::new).transpose()
    }

    /// Takes all that stands behind a command.
    fn read<'a>(
        &mut self,
        form: &Form,
        mut rest: impl Iterator<Item = &'a String>,
    ) -> Result<(), Diagnostic> {
        while let Some(argument) = rest.next() {
            let Some(name) = argument.strip_prefix('-').filter(|name| !name.is_empty()) else {
                self.words.push(argument.clone());
                continue;
            };
            let name = name.strip_prefix('-').unwrap_or(name);
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            form.check(name).map_err(flags)?;
            let value = match value {
                None if takes_value(name) => {
                    let next = rest.next().cloned();
                    Some(next.ok_or_else(|| flags(format!("The option -{name} needs a value.")))?)
                }
                value => value,
            };
            self.set(name, value.as_deref())?;
        }
        Ok(())
    }

    /// An invocation changes nothing, so there is nothing to choose from.
    fn check_invocation(&mut self) -> Result<(), Diagnostic> {
        if self.plan.invoke.is_none() {
            return Ok(());
        }
        let plan = &self.plan;
        if !plan.targets.is_empty() || !plan.replace.is_empty() || plan.mode == PlanMode::Destroy {
            let detail =
                "The option -invoke makes no changes, so it excludes -target, -replace and -destroy.";
            return Err(Diagnostic::error("Invalid arguments", detail));
        }
        self.plan.mode = PlanMode::RefreshOnly;
        Ok(())
    }

    /// Works in a folder, where paths begin.
    fn enter(&mut self, folder: &str, verb: Verb) {
        let inside =
            |path: &mut String| *path = Path::new(folder).join(&*path).to_string_lossy().into_owned();
        let files = self.values.iter_mut().filter_map(|given| match given {
            VariableArgument::File(path) => Some(path),
            VariableArgument::Value(_) => None,
        });
        let plan = self.words.first_mut().filter(|_| matches!(verb, Verb::Apply | Verb::Show));
        files.chain(&mut self.out).chain(&mut self.generate).chain(plan).for_each(inside);
        self.folder = folder.to_owned();
        self.base = folder.to_owned();
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), Diagnostic> {
        let wrong = |what: &str| flags(format!("The option -{name} {what}."));
        let text = value.unwrap_or_default();
        let switch = match value {
            None | Some("true" | "1") => Switch::On,
            Some("false" | "0") => Switch::Off,
            Some(_) if takes_value(name) => Switch::On,
            Some(_) => return Err(wrong("is either true or false")),
        };
        let is_on = switch == Switch::On;
        match name {
            "var" => self.values.push(VariableArgument::Value(text.to_owned())),
            "var-file" => self.values.push(VariableArgument::File(text.to_owned())),
            "target" => self.plan.targets.push(target(text)?),
            "replace" => {
                let summary = format!("Invalid force-replace address {text:?}");
                self.plan.replace.push(managed(text, &summary)?);
            }
            "invoke" if self.plan.invoke.is_some() => return Err(wrong("names one action only")),
            "invoke" => self.plan.invoke = Some(action(text)?),
            "parallelism" => {
                let number = text.parse().ok().filter(|number| *number > 0);
                self.parallelism = number.ok_or_else(|| wrong("is a whole number from 1"))?;
            }
            "generate-config-out" => {
                self.generate = Some(text.to_owned());
                self.plan.generation = Generation::On;
            }
            "out" => self.out = Some(text.to_owned()),
            "refresh" => self.plan.refresh = if is_on { Refresh::On } else { Refresh::Off },
            "refresh-only" if is_on => self.mode(PlanMode::RefreshOnly)?,
            "destroy" if is_on => self.mode(PlanMode::Destroy)?,
            "auto-approve" if is_on => self.approval = Approval::Given,
            "json" if is_on => self.form = OutputForm::Json,
            "raw" if is_on => self.form = OutputForm::Raw,
            "no-color" if is_on => self.colour = Switch::Off,
            "input" => self.input = switch,
            "detailed-exitcode" => self.detailed = switch,
            "compact-warnings" => self.compact = switch,
            "dry-run" => self.dry_run = switch,
            "allow-missing" => self.missing = switch,
            "lock" => self.lock = switch,
            "lock-timeout" => {
                let wait = duration(text).filter(|_| !text.starts_with(['+', '-']));
                let wait = wait.and_then(|wait| Duration::try_from(wait).ok());
                self.patience = wait.ok_or_else(|| wrong("is a time such as 10s, 1m30s or 500ms"))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn mode(&mut self, mode: PlanMode) -> Result<(), Diagnostic> {
        if self.plan.mode != PlanMode::Normal && self.plan.mode != mode {
            let detail =
                "A plan either destroys or only refreshes: -destroy and -refresh-only exclude each other.";
            return Err(Diagnostic::error("Incompatible plan mode options", detail));
        }
        self.plan.mode = mode;
        Ok(())
    }
}
