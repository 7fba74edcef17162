//! What is typed: a command, options with one or two dashes, and other words.

use super::message::Message;
use crate::address::InstanceAddress;
use crate::embedded::PlanOptions;
use crate::embedded::Refresh;
use crate::plan::Mode;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Plan,
    Apply,
    Destroy,
    Refresh,
    Validate,
    Show,
    Output,
    Import,
    Console,
    Taint,
    Untaint,
    StateList,
    StateShow,
    StateMove,
    StateRemove,
    StatePull,
}

/// A command with what may stand behind it.
struct Form {
    verb: Verb,
    words: &'static str,
    /// The words before the folder, in brackets if they may be left out; dots repeat the last one.
    takes: &'static str,
    options: &'static [&'static str],
    does: &'static str,
}

const VALUES: &[&str] = &["var", "var-file", "input"];
const PLANNING: &[&str] =
    &["target", "replace", "refresh-only", "refresh", "destroy", "parallelism", "out", "detailed-exitcode"];
const APPLYING: &[&str] =
    &["target", "replace", "refresh-only", "refresh", "destroy", "parallelism", "auto-approve"];
const DESTROYING: &[&str] = &["target", "refresh", "parallelism", "auto-approve"];
/// These are taken by all, but the values that the console prints have a form of their own.
const ALWAYS: &[&str] = &["json", "no-color"];

/// Commands of core that there are not here, and why.
const ABSENT: &[(&str, &str)] = &[
    ("init", "nothing has to be installed, and modules are read where they are: begin with plan"),
    ("get", "modules are read where they are: begin with plan"),
    ("version", "the embedded core follows Terraform 1.15"),
    ("force-unlock", "a lock ends with the process that has it, however that ends: end that process"),
    ("state push", "copy the file to terraform.tfstate in the folder"),
    ("state replace-provider", NEEDS_CORE),
    ("fmt", NEEDS_CORE),
    ("graph", NEEDS_CORE),
    ("login", NEEDS_CORE),
    ("logout", NEEDS_CORE),
    ("metadata", NEEDS_CORE),
    ("modules", NEEDS_CORE),
    ("providers", NEEDS_CORE),
    ("query", NEEDS_CORE),
    ("stacks", NEEDS_CORE),
    ("test", NEEDS_CORE),
    ("workspace", NEEDS_CORE),
];
const NEEDS_CORE: &str = "it needs a real core, which reads the state in the folder, too";

const FORMS: &[Form] = &[
    Form { verb: Verb::Plan, words: "plan", takes: "", options: PLANNING, does: "show what would change" },
    Form {
        verb: Verb::Apply,
        words: "apply",
        takes: "[PLANFILE]",
        options: APPLYING,
        does: "make the changes",
    },
    Form {
        verb: Verb::Destroy,
        words: "destroy",
        takes: "",
        options: DESTROYING,
        does: "destroy everything",
    },
    Form {
        verb: Verb::Refresh,
        words: "refresh",
        takes: "",
        options: &["target", "parallelism"],
        does: "read the objects and store what they are",
    },
    Form { verb: Verb::Validate, words: "validate", takes: "", options: &[], does: "look for mistakes" },
    Form {
        verb: Verb::Show,
        words: "show",
        takes: "[PLANFILE]",
        options: &[],
        does: "show the state or a plan",
    },
    Form { verb: Verb::Output, words: "output", takes: "[NAME]", options: &["raw"], does: "show outputs" },
    Form {
        verb: Verb::Import,
        words: "import",
        takes: "ADDRESS ID",
        options: &["parallelism"],
        does: "take an object under management",
    },
    Form { verb: Verb::Console, words: "console", takes: "", options: &[], does: "evaluate expressions" },
    Form { verb: Verb::Taint, words: "taint", takes: "ADDRESS", options: &[], does: "have it replaced" },
    Form { verb: Verb::Untaint, words: "untaint", takes: "ADDRESS", options: &[], does: "do not replace it" },
    Form {
        verb: Verb::StateList,
        words: "state list",
        takes: "[ADDRESS]",
        options: &[],
        does: "list objects",
    },
    Form {
        verb: Verb::StateShow,
        words: "state show",
        takes: "ADDRESS",
        options: &[],
        does: "show an object",
    },
    Form { verb: Verb::StateMove, words: "state mv", takes: "FROM TO", options: &[], does: "rename objects" },
    Form {
        verb: Verb::StateRemove,
        words: "state rm",
        takes: "ADDRESS...",
        options: &[],
        does: "forget objects",
    },
    Form {
        verb: Verb::StatePull,
        words: "state pull",
        takes: "",
        options: &[],
        does: "print the state file",
    },
];

impl Verb {
    /// The command that a first word begins.
    pub(super) fn is_named(word: &str) -> bool {
        let mut all = FORMS.iter().map(|form| form.words).chain(ABSENT.iter().map(|(words, _)| *words));
        all.any(|words| words.split(' ').next() == Some(word))
    }

    fn form(self) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.verb == self)
    }

    /// As it is typed.
    pub(super) fn words(self) -> &'static str {
        self.form().map_or("", |form| form.words)
    }
}

/// A value of a variable, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    Value(String),
    File(String),
}

/// What else was typed.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) folder: String,
    /// The words before the folder.
    pub(super) words: Vec<String>,
    pub(super) values: Vec<Given>,
    pub(super) plan: PlanOptions,
    pub(super) parallelism: usize,
    pub(super) out: Option<String>,
    pub(super) approval: Approval,
    pub(super) form: OutputForm,
    pub(super) input: Switch,
    pub(super) colour: Switch,
    pub(super) detailed: Switch,
}

/// Whether somebody has to agree before something is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Approval {
    Asked,
    Given,
}

/// The form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputForm {
    Text,
    Json,
    Raw,
}

/// Whether something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

impl Options {
    fn new() -> Self {
        Self {
            folder: String::new(),
            words: Vec::new(),
            values: Vec::new(),
            plan: PlanOptions::default(),
            parallelism: 10,
            out: None,
            approval: Approval::Asked,
            form: OutputForm::Text,
            input: Switch::On,
            colour: Switch::On,
            detailed: Switch::Off,
        }
    }

    /// The word at a place; the number of words is checked already.
    pub(super) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The instance that a word names.
    pub(super) fn address(&self, at: usize) -> Result<InstanceAddress, Message> {
        address(self.word(at))
    }
}

/// An address that was typed.
pub(super) fn address(text: &str) -> Result<InstanceAddress, Message> {
    text.parse().map_err(|error| {
        let detail = format!("{text:?} is no address of a resource instance: {error}.");
        Message::error("Invalid address", detail)
    })
}

/// Reads the arguments of a program.
pub(super) fn parse(arguments: &[String]) -> Result<(Verb, Options), Message> {
    let usage = |detail: String| Message::error("Invalid command line", detail);
    let Some((form, length)) = FORMS.iter().find_map(|form| Some((form, begin(arguments, form.words)?)))
    else {
        return Err(usage(no_command(arguments)));
    };
    let mut options = Options::new();
    if form.verb == Verb::Destroy {
        options.plan.mode = Mode::Destroy;
    }
    if form.verb == Verb::Refresh {
        options.plan.mode = Mode::RefreshOnly;
        options.approval = Approval::Given;
    }
    let mut rest = arguments.iter().skip(length);
    while let Some(argument) = rest.next() {
        let Some(name) = argument.strip_prefix('-').filter(|name| !name.is_empty()) else {
            options.words.push(argument.clone());
            continue;
        };
        let name = name.strip_prefix('-').unwrap_or(name);
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        let known = [form.options, VALUES, ALWAYS].iter().any(|known| known.contains(&name));
        if !known || (form.verb, name) == (Verb::Console, "json") {
            let all: Vec<String> =
                [form.options, VALUES, ALWAYS].concat().iter().map(|name| format!("-{name}")).collect();
            let detail =
                format!("The command {:?} has no option -{name}. It has: {}.", form.words, all.join(", "));
            return Err(usage(detail));
        }
        let value = match value {
            None if takes_value(name) => Some(
                rest.next().cloned().ok_or_else(|| usage(format!("The option -{name} needs a value.")))?,
            ),
            value => value,
        };
        options.set(name, value.as_deref())?;
    }
    options.folder = options.words.pop().unwrap_or_default();
    let least = form.takes.split_whitespace().filter(|word| !word.starts_with('[')).count();
    let most = if form.takes.ends_with("...") { usize::MAX } else { form.takes.split_whitespace().count() };
    if options.folder.is_empty() || options.words.len() < least || options.words.len() > most {
        let takes = if form.takes.is_empty() { String::new() } else { format!(" {}", form.takes) };
        let detail = format!(
            "The last word is the folder with the .tf files, after options and their values. This command is: {} \
             [OPTIONS]{takes} DIR",
            form.words
        );
        return Err(usage(detail));
    }
    Ok((form.verb, options))
}

/// How many words a command has, if the arguments begin with it.
fn begin(arguments: &[String], command: &str) -> Option<usize> {
    let words: Vec<&str> = command.split(' ').collect();
    let given = arguments.get(..words.len())?;
    given.iter().zip(&words).all(|(given, word)| given == word).then_some(words.len())
}

/// Why arguments begin with no command.
fn no_command(arguments: &[String]) -> String {
    if let Some((words, why)) = ABSENT.iter().find(|(words, _)| begin(arguments, words).is_some()) {
        return format!("There is no command {words:?} here: {why}.");
    }
    let first = arguments.first().map(String::as_str).unwrap_or_default();
    let starts = |form: &&Form| form.words.split_once(' ').is_some_and(|(word, _)| word == first);
    let longer: Vec<&str> = FORMS.iter().filter(starts).map(|form| form.words).collect();
    if longer.is_empty() {
        format!("There is no command {first:?}. Those that there are are shown by: help")
    } else {
        format!("The command {first:?} has another word. There are: {}.", longer.join(", "))
    }
}

fn takes_value(name: &str) -> bool {
    matches!(name, "var" | "var-file" | "target" | "replace" | "parallelism" | "out")
}

impl Options {
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), Message> {
        let wrong =
            |what: &str| Message::error("Invalid command line", format!("The option -{name} {what}."));
        let text = value.unwrap_or_default();
        let switch = match value {
            None | Some("true" | "1") => Switch::On,
            Some("false" | "0") => Switch::Off,
            Some(_) if takes_value(name) => Switch::On,
            Some(_) => return Err(wrong("is either true or false")),
        };
        let is_on = switch == Switch::On;
        match name {
            "var" => self.values.push(Given::Value(text.to_owned())),
            "var-file" => self.values.push(Given::File(text.to_owned())),
            "target" => self.plan.targets.push(address(text)?),
            "replace" => self.plan.replace.push(address(text)?),
            "parallelism" => {
                let number = text.parse().ok().filter(|number| *number > 0);
                self.parallelism = number.ok_or_else(|| wrong("is a whole number from 1"))?;
            }
            "out" => self.out = Some(text.to_owned()),
            "refresh" => self.plan.refresh = if is_on { Refresh::On } else { Refresh::Off },
            "refresh-only" if is_on => self.mode(Mode::RefreshOnly)?,
            "destroy" if is_on => self.mode(Mode::Destroy)?,
            "auto-approve" if is_on => self.approval = Approval::Given,
            "json" if is_on => self.form = OutputForm::Json,
            "raw" if is_on => self.form = OutputForm::Raw,
            "no-color" if is_on => self.colour = Switch::Off,
            "input" => self.input = switch,
            "detailed-exitcode" => self.detailed = switch,
            _ => {}
        }
        Ok(())
    }

    fn mode(&mut self, mode: Mode) -> Result<(), Message> {
        if self.plan.mode != Mode::Normal && self.plan.mode != mode {
            let detail =
                "A plan either destroys or only refreshes: -destroy and -refresh-only exclude each other.";
            return Err(Message::error("Incompatible plan mode options", detail));
        }
        self.plan.mode = mode;
        Ok(())
    }
}

/// What there is to be typed.
pub(super) fn help(program: &str) -> String {
    let mut text = format!(
        "Usage: {program} COMMAND [OPTIONS] DIR\n\nDIR is a folder with .tf files. The state is kept in it.\n\n"
    );
    for form in FORMS {
        let usage = format!("{} {}", form.words, form.takes);
        text.push_str(&format!("  {usage:<24} {}\n", form.does));
    }
    text.push_str(
        "\nOptions, with one dash or two:\n\n  \
         -var NAME=VALUE, -var-file FILE    values of variables\n  \
         -target ADDRESS, -replace ADDRESS  plan only this, replace this\n  \
         -refresh-only, -refresh=false      only read, do not read\n  \
         -destroy, -out FILE                plan to destroy, save the plan\n  \
         -auto-approve, -input=false        do not ask\n  \
         -parallelism N                     change so many objects at once\n  \
         -detailed-exitcode                 end with 2 if there are changes\n  \
         -json, -raw, -no-color             how things are printed\n",
    );
    text
}
