//! The commands, and what may stand behind each of them.

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::play) enum Verb {
    Plan,
    Apply,
    Destroy,
    Refresh,
    Query,
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
pub(super) struct Form {
    pub(super) verb: Verb,
    pub(super) words: &'static str,
    /// The words before the folder, in brackets if they may be left out; dots repeat the last one.
    pub(super) takes: &'static str,
    /// Groups of options.
    options: &'static [&'static [&'static str]],
    pub(super) does: &'static str,
}

/// Options of commands that plan.
const PLANNING: &[&str] = &["target", "refresh", "parallelism", "compact-warnings"];
const KINDS: &[&str] = &["replace", "refresh-only", "destroy", "invoke"];
/// Options of commands that lock the state.
const LOCKING: &[&str] = &["lock", "lock-timeout"];
/// These are taken by all, but the values that the console prints have a form of their own.
const ALWAYS: &[&str] = &["var", "var-file", "input", "json", "no-color"];

/// Options of core that there are not here, and why.
const ABSENT_OPTIONS: &[(&str, &str)] = &[
    ("chdir", "it goes before the command, as in: -chdir=DIR plan"),
    ("state", IN_FOLDER),
    ("state-out", IN_FOLDER),
    ("backup", BACKUP),
    ("backup-out", BACKUP),
    ("config", "the configuration is in the folder"),
    ("allow-missing-config", "what is imported needs a resource block"),
    ("ignore-remote-version", "the state is never remote"),
    ("allow-deferral", NEEDS_CORE),
    ("exclude", NEEDS_CORE),
    ("target-file", NEEDS_CORE),
    ("exclude-file", NEEDS_CORE),
];
const IN_FOLDER: &str = "the state is terraform.tfstate in the folder";
const BACKUP: &str = "what the state was before is in terraform.tfstate.backup";

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
    ("stacks", NEEDS_CORE),
    ("test", NEEDS_CORE),
    ("workspace", NEEDS_CORE),
];
const NEEDS_CORE: &str = "it needs a real core, which reads the state in the folder, too";

/// The commands, in the order of the help.
pub(super) const FORMS: &[Form] = &[
    Form {
        verb: Verb::Plan,
        words: "plan",
        takes: "",
        options: &[PLANNING, KINDS, LOCKING, &["out", "detailed-exitcode", "generate-config-out"]],
        does: "show what would change",
    },
    Form {
        verb: Verb::Apply,
        words: "apply",
        takes: "[PLANFILE]",
        options: &[PLANNING, KINDS, LOCKING, &["auto-approve"]],
        does: "make the changes",
    },
    Form {
        verb: Verb::Destroy,
        words: "destroy",
        takes: "",
        options: &[PLANNING, LOCKING, &["auto-approve"]],
        does: "destroy everything",
    },
    Form {
        verb: Verb::Refresh,
        words: "refresh",
        takes: "",
        options: &[PLANNING, LOCKING],
        does: "read the objects and store what they are",
    },
    Form {
        verb: Verb::Query,
        words: "query",
        takes: "",
        options: &[&["generate-config-out", "parallelism"]],
        does: "list what the query files ask for",
    },
    Form { verb: Verb::Validate, words: "validate", takes: "", options: &[], does: "look for mistakes" },
    Form {
        verb: Verb::Show,
        words: "show",
        takes: "[PLANFILE]",
        options: &[],
        does: "show the state or a plan",
    },
    Form { verb: Verb::Output, words: "output", takes: "[NAME]", options: &[&["raw"]], does: "show outputs" },
    Form {
        verb: Verb::Import,
        words: "import",
        takes: "ADDRESS ID",
        options: &[LOCKING, &["parallelism"]],
        does: "take an object under management",
    },
    Form { verb: Verb::Console, words: "console", takes: "", options: &[], does: "evaluate expressions" },
    Form {
        verb: Verb::Taint,
        words: "taint",
        takes: "ADDRESS",
        options: &[LOCKING, &["allow-missing"]],
        does: "have it replaced",
    },
    Form {
        verb: Verb::Untaint,
        words: "untaint",
        takes: "ADDRESS",
        options: &[LOCKING, &["allow-missing"]],
        does: "do not replace it",
    },
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
    Form {
        verb: Verb::StateMove,
        words: "state mv",
        takes: "FROM TO",
        options: &[LOCKING, &["dry-run"]],
        does: "rename objects",
    },
    Form {
        verb: Verb::StateRemove,
        words: "state rm",
        takes: "ADDRESS...",
        options: &[LOCKING, &["dry-run"]],
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
    /// Whether a first word begins a command.
    pub(in crate::play) fn is_named(word: &str) -> bool {
        let mut all = FORMS.iter().map(|form| form.words).chain(ABSENT.iter().map(|(words, _)| *words));
        all.any(|words| words.split(' ').next() == Some(word))
    }

    fn form(self) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.verb == self)
    }

    /// As it is typed.
    pub(in crate::play) fn words(self) -> &'static str {
        self.form().map_or("", |form| form.words)
    }
}

impl Form {
    /// The command that the arguments begin with, and how many words it has.
    pub(super) fn find(arguments: &[String]) -> Result<(&'static Self, usize), String> {
        let found = FORMS.iter().find_map(|form| Some((form, begin(arguments, form.words)?)));
        found.ok_or_else(|| no_command(arguments))
    }

    pub(super) fn has(&self, option: &str) -> bool {
        self.options().any(|known| known == option)
    }

    fn options(&self) -> impl Iterator<Item = &'static str> {
        let all = self.options.iter().chain([&ALWAYS]).flat_map(|group| group.iter().copied());
        all.filter(|option| (self.verb, *option) != (Verb::Console, "json"))
    }

    /// Refuses an option that the command does not have, and says which ones it has.
    pub(super) fn check(&self, option: &str) -> Result<(), String> {
        if self.has(option) {
            return Ok(());
        }
        let why = ABSENT_OPTIONS.iter().find(|(name, _)| *name == option);
        let why = why.map(|(_, why)| format!(": {why}")).unwrap_or_default();
        let mut all: Vec<String> = self.options().map(|name| format!("-{name}")).collect();
        all.sort();
        Err(format!(
            "The command {:?} has no option -{option}{why}. Its options are: {}.",
            self.words,
            all.join(", ")
        ))
    }

    /// How many words there are before the folder, at least and at most.
    pub(super) fn counts(&self) -> (usize, usize) {
        let least = self.takes.split_whitespace().filter(|word| !word.starts_with('[')).count();
        let repeated = self.takes.ends_with("...");
        (least, if repeated { usize::MAX } else { self.takes.split_whitespace().count() })
    }
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
