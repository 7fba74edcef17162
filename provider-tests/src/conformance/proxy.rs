//! A transport that keeps what a rule needs of the calls, and lets some of them fail.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use ferroform_embedded::provider::RunningProvider;
use ferroform_plugin::grpc::{Code, Status};

use super::service_fault::ServiceFaults;
use crate::case::method;
use crate::client::{Calling, Client, Fault, FaultInjector, Process, Transcript, Transport, stop_path};

/// How many turns of the runtime are counted one by one.
const TURNS: usize = 24;

/// How far apart later ones are.
const TURN: Duration = Duration::from_millis(1);

/// What was seen of all instances of a provider, and what is to be done to their calls. Clones share their state.
#[derive(Clone, Default)]
pub(super) struct FaultProxy {
    shared: Arc<Mutex<ProxyState>>,
}

#[derive(Default)]
struct ProxyState {
    /// The last request of each method, by its name in protocol 6.
    requests: BTreeMap<String, Bytes>,
    calls: Vec<String>,
    fault: Option<(usize, Fault)>,
    stop: Option<Stop>,
    service_faults: Option<ServiceFaults>,
    stderr: String,
}

/// When `StopProvider` is called during the next call of a method.
#[derive(Clone, Copy)]
struct Stop {
    method: &'static str,
    /// How many times the call has to wait before.
    after: usize,
    reached: bool,
}

impl FaultProxy {
    /// What has seen nothing yet. A call that meets a service which hangs is given up.
    pub(super) fn of(service_faults: Option<ServiceFaults>) -> Self {
        Self { shared: Arc::new(Mutex::new(ProxyState { service_faults, ..ProxyState::default() })) }
    }

    /// A client of an instance, whose calls pass through here.
    pub(super) fn client(&self, started: RunningProvider, transcript: &Transcript) -> Client {
        let (transport, protocol): (Box<dyn Transport>, _) = match started {
            RunningProvider::InProcess(direct, protocol) => (Box::new(direct), protocol),
            RunningProvider::Process(process) => {
                let protocol = process.protocol();
                (Box::new(StderrRecorder { process, proxy: self.clone() }), protocol)
            }
        };
        let (decides, proxy) = (self.clone(), self.clone());
        let inner = StopInjector { inner: transport, proxy: self.clone() };
        let inner = FaultInjector::new(inner, move |path, _| decides.fault(path));
        Client::new(ProxyTransport { inner, proxy }, protocol).recording(transcript)
    }

    /// The last request of a method.
    pub(super) fn request(&self, method: &str) -> Option<Bytes> {
        self.lock().requests.get(method).cloned()
    }

    /// The methods that were called since the last time.
    pub(super) fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().calls)
    }

    /// Lets the call fail that is as many calls after the next as the number says, and none else.
    pub(super) fn set_fault(&self, fault: Option<(usize, Fault)>) {
        let mut shared = self.lock();
        shared.calls.clear();
        shared.fault = fault;
    }

    /// Stops the next call of that method when it has waited that often.
    pub(super) fn stop_after(&self, method: &'static str, after: usize) {
        self.lock().stop = Some(Stop { method, after, reached: false });
    }

    /// Whether the call was stopped; none is stopped any more.
    pub(super) fn take_stopped(&self) -> bool {
        self.lock().stop.take().is_some_and(|stop| stop.reached)
    }

    /// What instances that have ended wrote to stderr.
    pub(super) fn stderr(&self) -> String {
        self.lock().stderr.clone()
    }

    fn lock(&self) -> MutexGuard<'_, ProxyState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self, path: &str, requests: &[Bytes]) {
        if let [request] = requests {
            self.lock().requests.insert(method(path).to_owned(), request.clone());
        }
    }

    fn fault(&self, path: &str) -> Option<Fault> {
        let mut shared = self.lock();
        let at = shared.calls.len();
        shared.calls.push(method(path).to_owned());
        shared.fault.as_ref().filter(|(wanted, _)| *wanted == at).map(|(_, fault)| fault.clone())
    }

    /// Whether calls of that method are to be stopped.
    fn stops_in(&self, path: &str) -> bool {
        self.lock().stop.is_some_and(|stop| stop.method == method(path))
    }

    /// Whether the call is to be stopped after so many waits, and was not.
    fn is_due(&self, waits: usize) -> bool {
        self.lock().stop.is_some_and(|stop| stop.after == waits && !stop.reached)
    }

    /// Whether the call is still to be stopped.
    fn is_waiting(&self) -> bool {
        self.lock().stop.is_some_and(|stop| !stop.reached)
    }

    /// Whether it is time to stop, after so many waits.
    fn stops(&self, waits: usize) -> bool {
        let is_due = self.is_due(waits);
        if let Some(stop) = &mut self.lock().stop {
            stop.reached |= is_due;
        }
        is_due
    }
}

struct ProxyTransport {
    inner: FaultInjector<StopInjector>,
    proxy: FaultProxy,
}

impl Transport for ProxyTransport {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        self.proxy.asked(path, &requests);
        let calling = self.inner.call(path, requests);
        let service_faults = self.proxy.lock().service_faults.clone();
        let Some(service_faults) = service_faults else { return calling };
        Box::pin(async move {
            tokio::select! {
                biased;
                answer = calling => answer,
                () = service_faults.hung() => Err(Status::new(Code::DeadlineExceeded, "the call does not end")),
            }
        })
    }
}

/// Wakes whoever waits for it.
type Turn = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A transport on which a call is stopped while it runs.
struct StopInjector {
    inner: Box<dyn Transport>,
    proxy: FaultProxy,
}

impl Transport for StopInjector {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let Some(stop) = stop_path(path).filter(|_| self.proxy.stops_in(path)) else {
            return self.inner.call(path, requests);
        };
        let mut call = self.inner.call(path, requests);
        let mut stopping: Option<Calling<'_>> = None;
        let mut turn: Option<Turn> = None;
        let mut waits = 0;
        Box::pin(poll_fn(move |cx| {
            loop {
                if self.proxy.stops(waits) {
                    stopping = Some(self.inner.call(stop, vec![Bytes::new()]));
                }
                if let Some(stop) = &mut stopping
                    && stop.as_mut().poll(cx).is_ready()
                {
                    stopping = None;
                }
                if let Poll::Ready(answer) = call.as_mut().poll(cx) {
                    return Poll::Ready(answer);
                }
                waits += 1;
                if self.proxy.is_due(waits) {
                    continue;
                }
                // The provider may work in tasks of its own, whose waits are not seen: each of their turns counts.
                if self.proxy.is_waiting() {
                    let next = turn.insert(if waits < TURNS {
                        Box::pin(tokio::task::yield_now())
                    } else {
                        Box::pin(tokio::time::sleep(TURN))
                    });
                    // It wakes this future when it is over, which is all that it is for.
                    let _ = next.as_mut().poll(cx);
                }
                return Poll::Pending;
            }
        }))
    }
}

/// A process whose stderr is kept when it ends.
struct StderrRecorder {
    process: Box<Process>,
    proxy: FaultProxy,
}

impl Transport for StderrRecorder {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        self.process.call(path, requests)
    }
}

impl Drop for StderrRecorder {
    fn drop(&mut self) {
        self.proxy.lock().stderr.push_str(&self.process.stderr());
    }
}
