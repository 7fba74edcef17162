//! The service: queues and subscriptions to them, in a SQLite file, over HTTP.
//!
//! | request | does |
//! |---|---|
//! | `GET /queues?prefix=a&after=q-7` | a page of the queues whose names begin so, oldest first |
//! | `POST /queues` | makes one; 409 if the name is taken |
//! | `GET /queues/ID` | shows one; 404 if there is none |
//! | `PUT /queues/ID` | changes one, other than its labels |
//! | `PUT /queues/ID/labels` | replaces its labels, other than those of the service |
//! | `DELETE /queues/ID/messages` | deletes messages that wait in it, some at a time, and says how many are left |
//! | `DELETE /queues/ID` | deletes one; 409 if there are subscriptions to it |
//! | `/subscriptions` | the same for subscriptions, which have no labels |
//! | `POST /tokens` | grants a token for a minute; a request with `Authorization: Bearer TOKEN` is noted under its name |
//! | `PUT /tokens/ID` | lets it be valid for another minute |
//! | `DELETE /tokens/ID` | revokes it; a request with it is 401 from then on |
//! | `GET` and `PUT /behaviour` | how awkward the service is: a [`Behaviour`] |

mod behaviour;
mod collection;
mod queues;
mod refusal;
mod routes;
mod store;
mod subscriptions;
mod tokens;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value as Json;
use tokio::sync::oneshot;

pub use behaviour::{Behaviour, Fault};

use behaviour::Temper;
use collection::{Collection as _, number};
use queues::Queues;
use store::{Delay, Selection, Store};
use tokens::Tokens;

use crate::wire::NewQueue;

/// A service that runs in a thread of this process, until it is dropped.
pub struct Service {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the requests work on.
struct Shared {
    store: Mutex<Store>,
    temper: Mutex<Temper>,
    requests: Mutex<Vec<String>>,
    user_agents: Mutex<BTreeSet<String>>,
    tokens: Mutex<Tokens>,
}

impl Service {
    /// Starts a service whose objects are in that file, which is made if it is not there. With port 0 it takes a port
    /// that is free.
    ///
    /// # Errors
    /// The file is no database, or the address is taken.
    pub fn start(file: &Path, address: SocketAddr) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            store: Mutex::new(Store::open(file).map_err(io::Error::other)?),
            temper: Mutex::default(),
            requests: Mutex::default(),
            user_agents: Mutex::default(),
            tokens: Mutex::default(),
        });
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let router = routes::router(shared.clone());
        let work = async move {
            // Connections that clients keep open must not keep the service alive, so they are not waited for.
            tokio::select! {
                _ = stopped => Ok(()),
                served = async { axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await } => served,
            }
        };
        let thread = thread::Builder::new().name("service".to_owned()).spawn(move || {
            // Whoever calls a service that has ended learns of it by that.
            let _ = runtime.block_on(work);
        })?;
        Ok(Self { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// The URL at which the service is.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes how the service treats its clients from the next request on.
    pub fn behave(&self, behaviour: Behaviour) {
        *lock(&self.shared.temper) = Temper::new(behaviour);
    }

    /// The requests since the last time this was asked, each with method, path and status: `GET /queues/q-1 200`. One with
    /// a token ends with the name of the token: `as ci`.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.shared.requests))
    }

    /// What the clients call themselves.
    pub fn user_agents(&self) -> BTreeSet<String> {
        lock(&self.shared.user_agents).clone()
    }

    /// The names of the tokens that were granted and are not revoked.
    pub fn tokens(&self) -> Vec<String> {
        lock(&self.shared.tokens).names()
    }

    /// Whether a token is accepted now.
    pub fn accepts(&self, token: &str) -> bool {
        lock(&self.shared.tokens).holder(token).is_ok()
    }

    /// The objects of a collection as they are, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn objects(&self, collection: &str) -> io::Result<Vec<Json>> {
        let all = Selection { collection, prefix: "", after: 0, limit: u32::MAX };
        let objects = lock(&self.shared.store).list(&all)?;
        Ok(objects.into_iter().map(|it| it.body).collect())
    }

    /// Makes a queue as somebody else would do it. It shows at once.
    ///
    /// # Errors
    /// The name is taken.
    pub fn add_queue(&self, name: &str) -> io::Result<()> {
        let store = lock(&self.shared.store);
        let name = Some(name.to_owned());
        let new = NewQueue { name, retention: "1h".to_owned(), ..NewQueue::default() };
        let queue = Queues::make(&store, store.next_number()?, new)?;
        Ok(store.insert(Queues::NAME, &queue, Delay::default())?)
    }

    /// Changes an object as somebody else would do it. It shows at once.
    ///
    /// # Errors
    /// There is no such object, or its new name is taken.
    pub fn edit(&self, collection: &str, id: &str, change: impl FnOnce(&mut Json)) -> io::Result<()> {
        let store = lock(&self.shared.store);
        let mut object = store.get(collection, number(id)?)?;
        change(&mut object.body);
        object.name = object.body["name"].as_str().unwrap_or_default().to_owned();
        Ok(store.update(collection, &object, Delay::default())?)
    }

    /// Deletes an object as somebody else would do it.
    ///
    /// # Errors
    /// There is no such object, or another one needs it.
    pub fn remove(&self, collection: &str, id: &str) -> io::Result<()> {
        Ok(lock(&self.shared.store).delete(collection, number(id)?)?)
    }

    /// Waits until the service ends, which it does not by itself.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by it.
            let _ = thread.join();
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What a panic left behind is used on: every write is a single statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
