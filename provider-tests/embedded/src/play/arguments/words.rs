//! The options, what `-help` says, and what shells complete.

use std::fmt::Write as _;

use super::folder_before;
use super::forms::{FORMS, Form};

/// An option.
struct OptionForm {
    name: &'static str,
    /// What is typed behind the name: the word for a value after a blank, or the value that changes something.
    rest: &'static str,
    does: &'static str,
}

const fn option(name: &'static str, rest: &'static str, does: &'static str) -> OptionForm {
    OptionForm { name, rest, does }
}

/// All options, in the order of the help.
const OPTIONS: &[OptionForm] = &[
    option("target", " ADDRESS", "plan only this resource or module, and what it needs"),
    option("replace", " ADDRESS", "replace this resource instance"),
    option("destroy", "", "plan to destroy everything"),
    option("refresh-only", "", "only read, and store what was found"),
    option("refresh", "=false", "do not read the objects before planning"),
    option("invoke", " ADDRESS", "only invoke this action"),
    option("out", " FILE", "save the plan"),
    option(
        "generate-config-out",
        " FILE",
        "write what is found, or imported without a resource block, as configuration",
    ),
    option("detailed-exitcode", "", "end with 0 without changes, 1 with an error, 2 with changes"),
    option("auto-approve", "", "do not ask whether to make the changes"),
    option("dry-run", "", "only say what would be done"),
    option("allow-missing", "", "succeed if the object is not in the state"),
    option("var", " NAME=VALUE", "set a variable; may be given several times"),
    option("var-file", " FILE", "take values of variables from a file; may be given several times"),
    option("parallelism", " N", "work on that many objects at once [default: 10]"),
    option("lock", "=false", "do not lock the state"),
    option("lock-timeout", " 10s", "wait that long for the lock of the state"),
    option("input", "=false", "ask nothing"),
    option("json", "", "print JSON: lines as they happen, or one document"),
    option("raw", "", "print a text, number or bool without quotes"),
    option("compact-warnings", "", "print warnings on one line each"),
    option("no-color", "", "print without colours"),
];

/// Whether an option stands before a value.
pub(super) fn takes_value(name: &str) -> bool {
    OPTIONS.iter().any(|it| it.name == name && it.rest.starts_with(' '))
}

/// What `-help` prints: for the command that the words begin with, or else the list of all commands.
pub(in crate::play) fn help(program: &str, words: &[String]) -> String {
    let words = words.get(usize::from(begins_with_folder(words))..).unwrap_or_default();
    match Form::find(words) {
        Ok((form, _)) => help_of(program, form),
        Err(_) => overview(program),
    }
}

fn help_of(program: &str, form: &Form) -> String {
    let takes = if form.takes.is_empty() { String::new() } else { format!(" {}", form.takes) };
    let mut does = form.does.chars();
    let does: String = does.next().into_iter().flat_map(char::to_uppercase).chain(does).collect();
    let mut text = format!(
        "Usage: {program} [-chdir=DIR] {} [OPTIONS]{takes} DIR\n\n{does}.\n\nOptions:\n\n",
        form.words
    );
    for it in OPTIONS.iter().filter(|it| form.has(it.name)) {
        let typed = format!("-{}{}", it.name, it.rest);
        let _ = writeln!(text, "  {typed:<28} {}", it.does);
    }
    text + FOLDER
}

const FOLDER: &str = "\n\
    Options have one dash or two. DIR is the folder with the .tf files, in which the state is kept. With -chdir=DIR before\n\
    the command there is no DIR behind it, and other paths are in DIR, too.\n";

fn overview(program: &str) -> String {
    let mut text = format!("Usage: {program} [-chdir=DIR] COMMAND [OPTIONS] DIR\n\nCommands:\n\n");
    for form in FORMS {
        let typed = format!("{} {}", form.words, form.takes);
        let _ = writeln!(text, "  {typed:<28} {}", form.does);
    }
    let _ =
        writeln!(text, "  {COMPLETION:<17} {:<10} print a script that completes commands", SHELLS.join("|"));
    text + "\nThe options of a command are shown by: COMMAND -help\n" + FOLDER
}

/// The command for shells.
pub(in crate::play) const COMPLETION: &str = "completion";

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// What `completion` prints: the script for a shell, or the words that may come next, one on a line. The scripts ask for
/// the latter.
///
/// # Errors
/// There is no script for such a shell.
pub(in crate::play) fn completion(program: &str, words: &[String]) -> Result<String, String> {
    let script = match words.first().map(String::as_str) {
        Some("words") => {
            let typed = words.get(1..).unwrap_or_default();
            return Ok(next(typed).into_iter().map(|word| word + "\n").collect());
        }
        Some("bash") => BASH,
        Some("zsh") => ZSH,
        Some("fish") => FISH,
        _ => return Err(format!("Name one of these shells: {}.", SHELLS.join(", "))),
    };
    let function: String = program.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    Ok(script.replace("FUNCTION", &function).replace("PROGRAM", program))
}

const BASH: &str = r#"# To be read by ~/.bashrc: source <(PROGRAM completion bash)
_FUNCTION_words() {
    local line=${COMP_LINE:0:COMP_POINT} words
    read -ra words <<<"$line"
    [[ $line == *" " ]] && words+=("")
    mapfile -t COMPREPLY < <("${words[0]}" completion words "${words[@]:1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _FUNCTION_words PROGRAM
"#;

const ZSH: &str = r#"#compdef PROGRAM
# To be read by ~/.zshrc after compinit: source <(PROGRAM completion zsh)
_FUNCTION_words() {
    local -a found
    found=(${(f)"$("${words[1]}" completion words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -a found; else _files; fi
}
compdef _FUNCTION_words PROGRAM
"#;

const FISH: &str = r#"# To be read by ~/.config/fish/config.fish: PROGRAM completion fish | source
function __FUNCTION_words
    set -l words (commandline -opc)
    $words[1] completion words $words[2..-1] "$(commandline -ct)" 2>/dev/null
end
complete -c PROGRAM -a '(__FUNCTION_words)'
"#;

/// The words that may stand where the last of these is, and begin as it does; none where a file or a value stands.
fn next(typed: &[String]) -> Vec<String> {
    let Some((last, before)) = typed.split_last() else { return Vec::new() };
    let before = before.get(usize::from(begins_with_folder(before))..).unwrap_or_default();
    let mut words: Vec<String> = match Form::find(before) {
        Ok((form, _)) if last.starts_with('-') => {
            let options = OPTIONS.iter().filter(|it| form.has(it.name));
            let options = options.map(|it| match it.rest.starts_with('=') {
                true => format!("-{}{}", it.name, it.rest),
                false => format!("-{}", it.name),
            });
            options.chain(["-help".to_owned()]).collect()
        }
        Ok(_) => Vec::new(),
        Err(_) if before == [COMPLETION] => SHELLS.map(str::to_owned).into(),
        Err(_) => {
            let begins = |form: &&Form| form.words.split(' ').zip(before).all(|(word, typed)| word == typed);
            let commands = FORMS.iter().filter(begins);
            let words = commands.filter_map(|form| form.words.split(' ').nth(before.len()));
            let others = [COMPLETION, "-chdir=", "-help"];
            let others = others.into_iter().filter(|_| before.is_empty());
            words.chain(others).map(str::to_owned).collect()
        }
    };
    words.retain(|word| word.starts_with(last.as_str()));
    words.sort();
    words.dedup();
    words
}

fn begins_with_folder(words: &[String]) -> bool {
    words.first().is_some_and(|first| folder_before(first).is_some())
}
