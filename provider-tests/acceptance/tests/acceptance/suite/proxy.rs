//! A connection between core and provider that can break.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Listens for cores and connects each to the provider.
pub(super) struct Proxy {
    address: SocketAddr,
    connections: Arc<Connections>,
}

#[derive(Default)]
struct Connections {
    /// The two halves of each.
    open: Mutex<Vec<(TcpStream, UnixStream)>>,
    /// Whether core is kept from learning that the provider's half is closed.
    hidden: AtomicBool,
}

impl Proxy {
    /// A proxy for the provider, whose socket is asked for when core connects.
    pub(super) fn open(provider: impl Fn() -> io::Result<PathBuf> + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let connections = Arc::<Connections>::default();
        let all = Arc::clone(&connections);
        thread::spawn(move || {
            for core in listener.incoming() {
                // A core that is refused reports it, and the test fails.
                let _ = core.and_then(|core| join(core, UnixStream::connect(provider()?)?, &all));
            }
        });
        Self { address, connections }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Breaks all connections that are open.
    pub(super) fn reset(&self) {
        self.reset_provider();
        for (core, _) in self.connections.open().drain(..) {
            // A connection whose other end has gone is broken already.
            let _ = core.shutdown(Shutdown::Both);
        }
        self.connections.hidden.store(false, Ordering::SeqCst);
    }

    /// Breaks them for the provider. Core learns of it only by [`reset`](Self::reset).
    pub(super) fn reset_provider(&self) {
        self.connections.hidden.store(true, Ordering::SeqCst);
        for (_, provider) in self.connections.open().iter() {
            let _ = provider.shutdown(Shutdown::Both);
        }
    }
}

impl Connections {
    fn open(&self) -> MutexGuard<'_, Vec<(TcpStream, UnixStream)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies both ways until an end closes.
fn join(core: TcpStream, provider: UnixStream, connections: &Arc<Connections>) -> io::Result<()> {
    core.set_nodelay(true)?;
    let (mut from_core, mut to_core) = (core.try_clone()?, core.try_clone()?);
    let (mut from_provider, mut to_provider) = (provider.try_clone()?, provider.try_clone()?);
    connections.open().push((core, provider));
    let connections = Arc::clone(connections);
    thread::spawn(move || {
        // Whatever ended it, the other side is to see the end, too.
        let _ = io::copy(&mut from_core, &mut to_provider);
        let _ = to_provider.shutdown(Shutdown::Both);
    });
    thread::spawn(move || {
        let _ = io::copy(&mut from_provider, &mut to_core);
        if !connections.hidden.load(Ordering::SeqCst) {
            let _ = to_core.shutdown(Shutdown::Both);
        }
    });
    Ok(())
}
