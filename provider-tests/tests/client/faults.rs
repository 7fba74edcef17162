//! Every fault on every method, in both protocols: a clear error or success, in bounded time.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use ferroform_plugin::grpc::{Code, Status};
use ferroform_proto::{RENAMED_IN_5, tfplugin5, tfplugin6};
use ferroform_testing::client::{
    Calling, Client, Error, Fault, FaultInjector, Protocol, Responses, Rpc, Transport, method,
};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How late a call is, or how long it waits until the provider is told to stop.
const LATE: Duration = Duration::from_secs(3600);

/// No call takes longer.
const LIMIT: Duration = Duration::from_secs(7200);

/// A field that no message has, so that every answer has something that can be cut off.
const ANSWER: &[u8] = b"\xa2\x06\x05whole";

/// How many messages a call has had, or why it failed.
type Heard = Pin<Box<dyn Future<Output = Result<usize, Error>> + Send>>;

/// Calls a method with an empty request.
type Caller = (&'static str, fn(Client) -> Heard);

fn caller<R: Rpc>() -> Caller {
    (R::NAME, |client| Box::pin(hear::<R>(client)))
}

async fn hear<R: Rpc>(client: Client) -> Result<usize, Error> {
    let mut events = client.call_stream::<R>(vec![R::Request::default()]).await?;
    let mut heard = 0;
    while events.next().await?.is_some() {
        heard += 1;
    }
    Ok(heard)
}

macro_rules! callers {
    ($($name:ident)*) => { vec![$(caller::<method::$name>()),*] };
}

fn callers() -> Vec<Caller> {
    callers! {
        GetMetadata GetProviderSchema ValidateProviderConfig ValidateResourceConfig ValidateDataResourceConfig
        UpgradeResourceState GetResourceIdentitySchemas UpgradeResourceIdentity ConfigureProvider ReadResource
        PlanResourceChange ApplyResourceChange ImportResourceState MoveResourceState ReadDataSource
        GenerateResourceConfig ValidateEphemeralResourceConfig OpenEphemeralResource RenewEphemeralResource
        CloseEphemeralResource ListResource ValidateListResourceConfig GetFunctions CallFunction
        ValidateStateStoreConfig ConfigureStateStore ReadStateBytes WriteStateBytes LockState UnlockState GetStates
        DeleteState PlanAction InvokeAction ValidateActionConfig StopProvider
    }
}

/// A provider that answers everything and keeps what it was asked. The first call of `held` waits until it is told to
/// stop.
#[derive(Clone, Default)]
struct Standin {
    held: Option<String>,
    asked: Arc<Mutex<Vec<String>>>,
    stop: Arc<Notify>,
}

impl Standin {
    fn asked(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|it| *it == path).count()
    }

    async fn answer(self, path: String) -> Result<Responses, Status> {
        self.asked.lock().unwrap().push(path.clone());
        if self.held.as_ref() == Some(&path) && self.asked(&path) == 1 {
            self.stop.notified().await;
        } else if path.ends_with("/StopProvider") || path.ends_with("/Stop") {
            self.stop.notify_one();
        }
        let messages = if is_stream(&path) { 2 } else { 1 };
        Ok(std::iter::repeat_with(|| Ok(Bytes::from_static(ANSWER))).take(messages).collect())
    }
}

impl Transport for Standin {
    fn call(&self, path: &str, _: Vec<Bytes>) -> Calling<'_> {
        Box::pin(self.clone().answer(path.to_owned()))
    }
}

fn is_stream(path: &str) -> bool {
    ["/ListResource", "/InvokeAction", "/ReadStateBytes"].iter().any(|name| path.ends_with(name))
}

/// What comes of a call with a fault.
struct Seen {
    result: Result<usize, Error>,
    /// How often the provider was asked.
    asked: usize,
    took: Duration,
}

async fn call((name, call): Caller, protocol: Protocol, fault: &Fault) -> Seen {
    let path = path(name, protocol).unwrap_or_default();
    let held = matches!(fault, Fault::Stop(_)).then(|| path.to_owned());
    let standin = Standin { held, ..Standin::default() };
    let once = fault.clone();
    let faulty = FaultInjector::new(standin.clone(), move |_, count| (count == 0).then(|| once.clone()));
    let begun = Instant::now();
    let result = timeout(LIMIT, call(Client::new(faulty, protocol))).await;
    let result = result.unwrap_or_else(|_| panic!("{name} with {fault:?} in {protocol:?} does not end"));
    Seen { result, asked: standin.asked(path), took: begun.elapsed() }
}

/// The path of a method; `None` if the protocol has no such method.
fn path(name: &str, protocol: Protocol) -> Option<&'static str> {
    let (methods, name) = match protocol {
        Protocol::V6 => (tfplugin6::provider::METHODS, name),
        Protocol::V5 => {
            let renamed = RENAMED_IN_5.iter().find(|(in_6, _)| *in_6 == name);
            (tfplugin5::provider::METHODS, renamed.map_or(name, |(_, in_5)| *in_5))
        }
    };
    methods.iter().find(|method| method.name == name).map(|method| method.path)
}

/// What is wrong with what has come of a fault; nothing if it is as the fault says.
fn problem(name: &str, fault: &Fault, seen: &Seen) -> Option<String> {
    let whole = if is_stream(&format!("/{name}")) { 2 } else { 1 };
    let succeeds = |asked, took| {
        matches!(seen.result, Ok(heard) if heard == whole) && seen.asked == asked && seen.took == took
    };
    // The error says what failed and how, and comes at once.
    let fails = |code: Code, words: &str, asked| match &seen.result {
        Err(error @ Error::Status { method, status }) => {
            let text = error.to_string();
            let clear = *method == name && text.contains(name) && text.contains(words);
            clear && status.code() == code && seen.asked == asked && seen.took.is_zero()
        }
        _ => false,
    };
    let garbled = || match &seen.result {
        Err(error @ Error::Message { method, .. }) => {
            *method == name && error.to_string().contains(name) && seen.asked == 1 && seen.took.is_zero()
        }
        _ => false,
    };
    let as_said = match fault {
        Fault::Delay(time) => succeeds(1, *time),
        Fault::Error(status) => fails(status.code(), &status.to_string(), 0),
        Fault::ResetBefore => fails(Code::Unavailable, "reset", 0),
        Fault::ResetAfter => fails(Code::Unavailable, "reset", 1),
        Fault::Truncated | Fault::Malformed => garbled(),
        Fault::Duplicated => succeeds(2, Duration::ZERO),
        // The call that tells the provider to stop is one of the same method.
        Fault::Stop(after) => succeeds(if name == "StopProvider" { 2 } else { 1 }, *after),
        other => panic!("{other:?} is not looked at"),
    };
    let Seen { result, asked, took } = seen;
    (!as_said).then(|| format!("{result:?}, asked {asked} times, after {took:?}"))
}

fn faults() -> [Fault; 9] {
    [
        Fault::Delay(LATE),
        Fault::Error(Status::new(Code::Internal, "the database is on fire")),
        Fault::ResetBefore,
        Fault::ResetAfter,
        Fault::Truncated,
        Fault::Malformed,
        Fault::Duplicated,
        Fault::Stop(Duration::ZERO),
        Fault::Stop(LATE),
    ]
}

#[test]
fn every_method_of_the_protocol_is_called() {
    let called: BTreeSet<&str> = callers().iter().map(|(name, _)| *name).collect();
    assert_eq!(called, tfplugin6::provider::METHODS.iter().map(|method| method.name).collect());
}

#[tokio::test(start_paused = true)]
async fn every_fault_on_every_method_is_what_it_says() {
    let mut problems = Vec::new();
    for protocol in [Protocol::V6, Protocol::V5] {
        for caller in callers() {
            if path(caller.0, protocol).is_none() {
                continue;
            }
            for fault in faults() {
                let seen = call(caller, protocol, &fault).await;
                let problem = problem(caller.0, &fault, &seen);
                problems
                    .extend(problem.map(|it| format!("{} in {protocol:?} with {fault:?}: {it}", caller.0)));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What protocol 5 does not have fails in the same way whatever else is wrong, and the provider hears nothing of it.
#[tokio::test(start_paused = true)]
async fn methods_that_protocol_5_lacks_fail_before_any_fault() {
    let lacking = callers().into_iter().filter(|(name, _)| path(name, Protocol::V5).is_none());
    let mut lacks = 0;
    for caller in lacking {
        lacks += 1;
        for fault in faults() {
            let seen = call(caller, Protocol::V5, &fault).await;
            let error = seen.result.expect_err("there is no such method");
            let text = error.to_string();
            assert!(
                text.contains(caller.0) && text.contains("protocol 5 does not have the method"),
                "{text}"
            );
            assert_eq!(seen.took, Duration::ZERO, "{text}");
        }
    }
    assert_eq!(lacks, tfplugin6::provider::METHODS.len() - tfplugin5::provider::METHODS.len());
}
