//! Providers in processes of their own that go wrong in the middle of a call or of a stream: through the client, and through a
//! case on the embedded core and on the newest real one.
//!
//! The test binary is the provider, when it is started as a plugin.

mod streams;

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ferroform::path;
use ferroform::value::Value;
use ferroform_plugin::Options;
use ferroform_plugin::grpc::{Call, Code, Message, Router};
use ferroform_testing::case::{Case, Provider, Report, Start, Step, Target, Trials, error, object, objects};
use ferroform_testing::client::{
    self, ApplyRequest, ApplyResponse, Client, Command, Error, Process, Protocol, StoredObject,
};
use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::real::{Core, MatrixEntry, Resolver, Share, matrix};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::PROGRAM_OF;
use crate::cases::provider;

/// What the program does wrong, by its name.
const ROLE: &str = "DEMO_ROLE";

/// The folder in which the processes leave their ids.
const IDS: &str = "DEMO_IDS";

/// What is told of it on stderr.
const LAST_WORDS: &str = "the provider has lost its licence";

/// How long a call of a provider that hangs may take, or a command of a real core with one. Sound ones take about a second.
const LIMIT: Duration = Duration::from_secs(8);

/// What a provider does when it is asked for the second change of its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Sound,
    /// Its process ends.
    Dies,
    /// It never answers.
    Hangs,
    /// Its answer is no message.
    Babbles,
    /// It prints, on stdout and much of it, and answers.
    Prints,
    /// It starts a process that goes on, and answers.
    Leaks,
}

const ROLES: [Role; 6] = [Role::Sound, Role::Dies, Role::Hangs, Role::Babbles, Role::Prints, Role::Leaks];

/// Adds the tests.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    trials.others(
        ROLES.into_iter().map(|role| {
            Trial::test(format!("client/{role:?}"), move || Runtime::new()?.block_on(called(role)))
        }),
    );
    trials
        .others([Trial::test("client/no answer to the handshake", || Runtime::new()?.block_on(strangers()))]);
    for role in ROLES {
        let place = Target::embedded(Protocol::V6);
        trials.test((&place.to_string(), &format!("{role:?}")), move || {
            passed(&case(role).time_limit(LIMIT).run(&place))
        });
    }
    let newest = matrix(resolver).into_iter().find(|place| place.share == Share::All).expect("a newest core");
    on_newest_core(trials, &newest);
    streams::trials(trials, &newest);
}

fn passed(report: &Report) -> Result<(), Failed> {
    if report.passed() { Ok(()) } else { Err(report.to_string().into()) }
}

/// The cases on the newest core. One that is not there makes them ignored ones, or failed ones when it is required.
fn on_newest_core(trials: &mut Trials, newest: &MatrixEntry) {
    let place = format!("{}/protocol 6", newest.wanted);
    for role in ROLES {
        trials
            .on_core(&newest.found, (&place, &format!("{role:?}")), move |core| on_core(role, core.clone()));
    }
}

/// A real core reports what it understands like the embedded one. It waits for ever for a provider that hangs, and for
/// what one leaves behind: there the driver steps in, the case fails, and everything is destroyed all the same.
fn on_core(role: Role, core: Core) -> Result<(), Failed> {
    let killed = match role {
        Role::Hangs => ["apply"].as_slice(),
        Role::Leaks => &["apply", "destroy"],
        Role::Sound | Role::Dies | Role::Babbles | Role::Prints => {
            return passed(&case(role).run(&Target::real(core, Protocol::V6)));
        }
    };
    let report = case(role).time_limit(LIMIT).run(&Target::real(core, Protocol::V6));
    let problems = report.failures.iter().flat_map(|it| &it.problems);
    let found: Vec<String> = problems.map(|problem| problem.replace('`', "")).collect();
    let is_killed = |(found, command): (&String, &&str)| {
        found.starts_with(&format!("terraform {command} "))
            && found.contains(&format!(" was killed after {LIMIT:?}"))
    };
    // What no schema calls sensitive is not hidden, so the schemas are known of programs that core starts, too.
    let shown = report.to_string().contains("seed = \"x\"");
    let as_expected = shown && found.len() == killed.len() && found.iter().zip(killed).all(is_killed);
    // There is a destruction in the end only if something is in the state.
    let commands: Vec<&str> = report.commands.iter().filter_map(|it| it.split(' ').nth(1)).collect();
    if as_expected && commands == ["plan", "apply", "destroy"] {
        Ok(())
    } else {
        Err(report.to_string().into())
    }
}

/// The provider as a program.
pub(crate) fn program() -> ExitCode {
    remember(std::process::id());
    let told = std::env::var(ROLE).unwrap_or_default();
    let options = streams::options(&told).unwrap_or_else(|| options(&told));
    match Runtime::new() {
        Ok(runtime) => runtime.block_on(ferroform_plugin::serve(options)),
        Err(_) => ExitCode::FAILURE,
    }
}

fn options(told: &str) -> Options {
    let role = ROLES.into_iter().find(|role| format!("{role:?}") == told).unwrap_or(Role::Sound);
    let program = provider::program().address(provider::SOURCE);
    program
        .options()
        .around(move |_, sound| Arc::new(Misbehaving { sound, role, changes: AtomicUsize::new(0) }))
}

/// Leaves the id of a process for the test to see.
fn remember(id: u32) {
    if let Some(folder) = std::env::var_os(IDS) {
        fs::write(Path::new(&folder).join(id.to_string()), "").expect("the folder is there");
    }
}

/// A provider that goes wrong once.
struct Misbehaving {
    sound: Arc<dyn Router>,
    role: Role,
    changes: AtomicUsize,
}

impl Router for Misbehaving {
    fn route(&self, path: &str) -> Option<Call> {
        let is_second =
            path.ends_with("/ApplyResourceChange") && self.changes.fetch_add(1, Ordering::Relaxed) == 1;
        match self.role {
            Role::Dies if is_second => Some(Call::unary(|_| async {
                let _ = writeln!(std::io::stderr(), "{LAST_WORDS}");
                std::process::exit(3)
            })),
            Role::Hangs if is_second => Some(Call::unary(|_| std::future::pending())),
            Role::Babbles if is_second => Some(Call::unary(|_| async { Ok(Message::from(vec![0xff; 32])) })),
            Role::Prints if is_second => {
                let line = "1|6|unix|/printed/to/stdout|grpc|\n";
                let _ = std::io::stdout().write_all(line.repeat(10_000).as_bytes());
                self.sound.route(path)
            }
            Role::Leaks if is_second => {
                let started = std::process::Command::new("sleep").arg("3600").spawn();
                started.into_iter().for_each(|child| remember(child.id()));
                self.sound.route(path)
            }
            _ => self.sound.route(path),
        }
    }
}

/// A folder with the ids of all processes.
struct Backend {
    ids: PathBuf,
    role: Mutex<String>,
}

impl Backend {
    fn new(start: &Start) -> Self {
        Self { ids: start.directory().to_owned(), role: Mutex::default() }
    }

    fn set(&self, role: String) {
        *self.role.lock().unwrap_or_else(PoisonError::into_inner) = role;
    }

    /// The variables of a process.
    fn variables(&self) -> Vec<(&'static str, OsString)> {
        let role = self.role.lock().unwrap_or_else(PoisonError::into_inner).clone();
        vec![
            (PROGRAM_OF, "misbehaving".into()),
            (ROLE, role.into()),
            (IDS, self.ids.clone().into_os_string()),
        ]
    }
}

/// The processes that still live of those that left their ids in a folder. Known on Linux only.
fn living(ids: &Path) -> Vec<String> {
    let living = |id: &String| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        state.is_some_and(|state| state != 'Z')
    };
    let entries = fs::read_dir(ids).expect("the folder is there");
    let all = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    all.filter(living).collect()
}

/// The processes that still live after the limit: what is killed takes a moment.
fn left(ids: &Path) -> Vec<String> {
    let begun = Instant::now();
    while !living(ids).is_empty() && begun.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(10));
    }
    living(ids)
}

fn command(ids: &Path, role: String) -> Command {
    let binary = std::env::current_exe().expect("this binary has a path");
    Command::new(binary).env(PROGRAM_OF, "misbehaving").env(ROLE, role).env(IDS, ids)
}

/// The second change fails as the role says, within the limit, and no process is left.
async fn called(role: Role) -> Result<(), Failed> {
    let ids = tempfile::tempdir()?;
    let process = command(ids.path(), format!("{role:?}")).start().await?;
    let connection = process.connection();
    let provider = client::Provider::connect(Client::new(connection, process.protocol())).await?;
    change(&provider).await?;
    let second = tokio::time::timeout(LIMIT, change(&provider)).await;
    match (role, second) {
        (Role::Sound | Role::Prints | Role::Leaks, Ok(Ok(applied))) => {
            assert!(!applied.object.value.is_null());
        }
        (Role::Dies, Ok(Err(Error::Status { method, status }))) => {
            assert_eq!((method, status.code()), ("ApplyResourceChange", Code::Unavailable));
        }
        (Role::Babbles, Ok(Err(Error::Message { method, .. }))) => assert_eq!(method, "ApplyResourceChange"),
        (Role::Hangs, Err(_)) => {}
        (_, other) => return Err(format!("{other:?}").into()),
    }
    shut_down(process, role).await?;
    assert_eq!(left(ids.path()), [""; 0]);
    Ok(())
}

async fn change(provider: &client::Provider) -> Result<ApplyResponse, Error> {
    let seed = || ("seed", Value::from("x"));
    let planned = Value::object([seed(), ("token", Value::unknown())]);
    let config = Value::object([seed(), ("token", Value::Null)]);
    let planned = StoredObject { value: planned, ..StoredObject::none() };
    provider
        .apply("demo_token", ApplyRequest { prior: &Value::Null, planned: &planned, config: &config })
        .await
}

async fn shut_down(process: Process, role: Role) -> Result<(), Failed> {
    let stderr = process.stderr();
    match (role, process.shutdown().await) {
        (Role::Dies, Ok(status)) => {
            assert_eq!(status.code(), Some(3));
            assert!(stderr.contains(LAST_WORDS), "{stderr}");
        }
        (Role::Leaks, Err(ferroform_plugin::client::Error::Start { problem, .. })) => {
            assert!(problem.contains("left processes behind"), "{problem}");
            assert!(problem.contains("sleep"), "{problem}");
        }
        // Elsewhere nobody knows what it has started.
        (Role::Leaks, Ok(_)) if !cfg!(target_os = "linux") => {}
        // It may wait for the call that hangs, and is killed then.
        (Role::Hangs, _) => {}
        (_, Ok(status)) => assert!(status.success(), "{status}"),
        (_, Err(error)) => return Err(error.to_string().into()),
    }
    Ok(())
}

/// Whatever listens where the handshake says need not be a provider.
async fn strangers() -> Result<(), Failed> {
    for answer in ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "\0\0\0"] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let stranger = tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let _ = tokio::io::AsyncWriteExt::write_all(&mut connection, answer.as_bytes()).await;
            }
        });
        let connect = async {
            let connection = client::Connection::attach("tcp", &address).await?;
            client::Provider::connect(Client::new(connection, Protocol::V6)).await.map(drop)
        };
        let connected = tokio::time::timeout(LIMIT, connect).await;
        stranger.abort();
        assert!(matches!(connected, Ok(Err(_))), "{answer:?}: {connected:?}");
    }
    Ok(())
}

/// Three tokens, each of which needs the one before.
fn tokens() -> Config {
    let token = |name: &str| resource("demo_token", name);
    Config::new()
        .resource(token("a").set("seed", "x"))
        .resource(token("b").set("seed", reference("demo_token.a.token")))
        .resource(token("c").set("seed", reference("demo_token.b.token")))
}

/// The first token stays in the state, whatever becomes of the second, and the next apply makes the others.
fn case(role: Role) -> Case<Backend> {
    let all = ["demo_token.a", "demo_token.b", "demo_token.c"];
    let binary = std::env::current_exe().expect("this binary has a path");
    let provider =
        Provider::binary(provider::SOURCE, binary).with_env(|backend: &Backend, _| backend.variables());
    let first = Step::apply(tokens()).named("wrong");
    let first = match role {
        Role::Sound | Role::Prints | Role::Leaks => first.state(objects(all)),
        Role::Dies => {
            let lost = error("Plugin did not respond").or("Request cancelled");
            first.expect(lost.about("demo_token.b").times(1))
        }
        Role::Hangs => first.expect(error("Plugin did not respond").about("demo_token.b").times(1)),
        Role::Babbles => first.expect(error("Plugin error").about("demo_token.b").times(1)),
    };
    let first = match role {
        Role::Sound | Role::Prints | Role::Leaks => first,
        Role::Dies | Role::Hangs | Role::Babbles => first.state(objects(["demo_token.a"])),
    };
    Case::with_backend(format!("{role:?}"), Backend::new)
        .provider(provider)
        .expect_no_leftovers(|backend: &Backend| left(&backend.ids))
        .step(Step::change_outside(move |backend: &Backend| backend.set(format!("{role:?}"))))
        .step(first.state(object("demo_token.a").has(path!(token), "token of x")))
        .step(Step::change_outside(|backend: &Backend| backend.set(format!("{:?}", Role::Sound))))
        .step(Step::apply(tokens()).named("again").state(objects(all)))
}
