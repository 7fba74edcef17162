//! Playing with `.tf` files: the commands of Terraform on the embedded core, with nothing installed.
//!
//! A program with one line lets its user plan and apply folders of `.tf` files with a provider:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use ferroform_embedded::provider::Provider;
//! use ferroform_embedded::play::Play;
//!
//! fn main() -> ExitCode {
//!     Play::new(Provider::binary("example.com/acme/cloud", "target/debug/terraform-provider-cloud")).main()
//! }
//! ```
//!
//! `Play::help` lists the commands. The state is kept in the folder, in `terraform.tfstate`, locked and stored after
//! each object, so neither Ctrl-C nor a kill loses one. Where the configuration has a `state_store` block, the state is
//! kept there instead, and stored when the command is done. What only a real core does is refused; see
//! [`language`](crate::language).

mod arguments;
mod change;
mod console;
mod folder;
mod generated_file;
mod import;
mod keeper;
mod lines;
mod message;
mod notation;
mod progress;
mod query;
mod remote;
mod rename;
mod saved;
mod screen;
mod show;
mod stored;
mod validate;

use std::fmt;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use crate::client::{Client, Protocol};
use crate::diagnostic::Diagnostic;
use crate::embedded::{Cancel, Core};
use crate::provider::{Provider, RunningProvider};
use crate::render::Colour;

use arguments::{COMPLETION, Options, Verb};

pub use screen::Screen;

/// The commands of Terraform, for some providers.
#[derive(Clone)]
pub struct Play {
    providers: Vec<Provider>,
    protocol: Protocol,
    cancel: Cancel,
}

/// Why a command fails: what is wrong.
type Failure = Vec<Diagnostic>;

impl From<Diagnostic> for Failure {
    fn from(problem: Diagnostic) -> Self {
        vec![problem]
    }
}

/// The code of a command line without a command, as core has it.
const NO_COMMAND: u8 = 127;

/// What a command comes to; the code that the process ends with.
type Ended = Result<u8, Failure>;

impl Play {
    /// Commands for a provider, over protocol 6.
    #[must_use]
    pub fn new(provider: Provider) -> Self {
        Self { providers: vec![provider], protocol: Protocol::V6, cancel: Cancel::new() }
    }

    /// The same commands, for one more provider.
    #[must_use]
    pub fn with_provider(mut self, provider: Provider) -> Self {
        self.providers.push(provider);
        self
    }

    /// The same commands over that protocol.
    #[must_use]
    pub fn protocol(self, protocol: Protocol) -> Self {
        Self { protocol, ..self }
    }

    /// The same commands, which that handle ends as Ctrl-C does.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Whether a command line that begins with this word is one of a command: its name, or `-chdir=DIR` before it.
    #[must_use]
    pub fn knows(word: &str) -> bool {
        Verb::is_named(word) || word == COMPLETION || arguments::folder_before(word).is_some()
    }

    /// The list of all commands, for a program of that name. `COMMAND -help` has the options of one.
    #[must_use]
    pub fn help(program: &str) -> String {
        arguments::help(program, &[])
    }

    /// Runs the command that the arguments of this process name. Ctrl-C stops it after what is under way, and a second
    /// one at once.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let arguments = std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned());
        self.main_with(arguments)
    }

    /// The same with these arguments, for a program that takes some of its own before.
    #[must_use]
    pub fn main_with(self, arguments: impl IntoIterator<Item = String>) -> ExitCode {
        let colour = match std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            true => Colour::Ansi,
            false => Colour::None,
        };
        let arguments: Vec<String> = arguments.into_iter().collect();
        let screen = Screen::standard(colour);
        let cancel = self.cancel.clone();
        let interrupted = screen.clone();
        let code = in_runtime(&screen, async {
            tokio::spawn(interruptions(cancel, interrupted));
            self.command(&arguments, &screen).await
        });
        ExitCode::from(code)
    }

    /// Runs one command and returns what the process is to end with: 0, or 1 if something is wrong, or 2 where
    /// `-detailed-exitcode` asks for it. It must not be called by asynchronous code.
    #[must_use]
    pub fn run<A: AsRef<str>>(&self, arguments: &[A], screen: &Screen) -> u8 {
        let arguments: Vec<String> = arguments.iter().map(|it| it.as_ref().to_owned()).collect();
        in_runtime(screen, self.command(&arguments, screen))
    }

    async fn command(&self, arguments: &[String], screen: &Screen) -> u8 {
        let asks = |it: &str| matches!(it, "-help" | "--help" | "-h");
        match arguments {
            [first, words @ ..] if first == COMPLETION && !words.first().is_some_and(|it| asks(it)) => {
                return completion(words, screen);
            }
            _ => {}
        }
        let first = arguments.iter().map(String::as_str).find(|it| arguments::folder_before(it).is_none());
        if matches!(first, None | Some("help")) || arguments.iter().any(|it| asks(it)) {
            screen.out(&arguments::help(&program(), arguments));
            return if first.is_none() { NO_COMMAND } else { 0 };
        }
        let parsed = arguments::parse(arguments);
        let (screen, ended) = match parsed {
            Ok((verb, options)) => {
                let screen = screen.for_options(&options);
                let ended = self.verb(verb, &options, &screen).await;
                (screen, ended)
            }
            Err(problem) => {
                let (verb, form) = arguments::asked(arguments);
                let screen = screen.with_form(form);
                if verb == Some(Verb::Validate) {
                    return validate::verdict(&[problem], &screen);
                }
                screen.begin();
                (screen, Err(problem.into()))
            }
        };
        ended.unwrap_or_else(|problems| {
            screen.tell(&problems);
            1
        })
    }

    async fn verb(&self, verb: Verb, options: &Options, screen: &Screen) -> Ended {
        match verb {
            Verb::Plan => change::plan(self, options, screen).await,
            Verb::Apply | Verb::Destroy | Verb::Refresh => change::apply(self, verb, options, screen).await,
            Verb::Query => query::query(self, options, screen).await,
            Verb::Validate => validate::validate(self, options, screen).await,
            Verb::Show => show::show(self, options, screen).await,
            Verb::Output => show::output(self, options, screen).await,
            Verb::Import => import::import(self, options, screen).await,
            Verb::Console => console::console(self, options, screen).await,
            Verb::Taint | Verb::Untaint => stored::taint(self, verb, options, screen).await,
            Verb::StateList => stored::list(self, options, screen).await,
            Verb::StateShow => show::resource(self, options, screen).await,
            Verb::StateMove => rename::run(self, options, screen).await,
            Verb::StateRemove => stored::remove(self, options, screen).await,
            Verb::StatePull => stored::pull(self, options, screen).await,
        }
    }

    /// A core that has the providers.
    fn core(&self) -> Core {
        let core = Core::new().cancelled_by(&self.cancel);
        self.providers.iter().fold(core, |core, provider| {
            let (name, address) = provider.name();
            let (name, address) = (name.to_owned(), address.clone());
            let (provider, protocol) = (provider.clone(), self.protocol);
            core.with_provider(name, address, move || {
                let provider = provider.clone();
                async move {
                    provider.start(&(), protocol).await.map(|running| match running {
                        RunningProvider::InProcess(router, protocol) => Client::new(router, protocol),
                        RunningProvider::Process(process) => {
                            let protocol = process.protocol();
                            Client::new(*process, protocol)
                        }
                    })
                }
            })
        })
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Play").field("providers", &self.providers).finish_non_exhaustive()
    }
}

/// Prints what shells need to complete commands.
fn completion(words: &[String], screen: &Screen) -> u8 {
    match arguments::completion(&program(), words) {
        Ok(text) => {
            screen.out(&text);
            0
        }
        Err(detail) => {
            screen.tell(&[Diagnostic::error("Invalid command line", detail)]);
            1
        }
    }
}

fn in_runtime(screen: &Screen, command: impl Future<Output = u8>) -> u8 {
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let code = runtime.block_on(command);
            // What a provider leaves behind must not keep the process.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            let detail = format!("The operating system gives no threads: {error}.");
            screen.tell(&[Diagnostic::error("Cannot run", detail)]);
            1
        }
    }
}

/// Ends the command at the first interruption, and the process at the second: whatever was made is stored by then.
async fn interruptions(cancel: Cancel, screen: Screen) {
    if tokio::signal::ctrl_c().await.is_err() {
        return;
    }
    screen.err("\nInterrupted: what is under way may end. Interrupt once more to end at once.\n");
    cancel.cancel();
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(1);
    }
}

/// The name of this program.
fn program() -> String {
    let path = std::env::args_os().next().map(std::path::PathBuf::from).unwrap_or_default();
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A lock that no panic elsewhere makes useless.
fn lock<T>(shared: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
