//! A connection between core and provider that can break.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Listens for cores and connects each to the provider.
pub(super) struct Proxy {
    address: SocketAddr,
    connections: Connections,
}

/// The two halves of every connection.
type Connections = Arc<Mutex<Vec<(TcpStream, UnixStream)>>>;

impl Proxy {
    /// A proxy for the provider at that socket.
    pub(super) fn open(provider: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let connections = Connections::default();
        let (provider, open) = (provider.to_path_buf(), Arc::clone(&connections));
        thread::spawn(move || {
            for core in listener.incoming() {
                // A core that is refused reports it, and the test fails.
                let _ = core.and_then(|core| join(core, &provider, &open));
            }
        });
        Self { address, connections }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Breaks all connections that are open.
    pub(super) fn reset(&self) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        for (core, provider) in connections.drain(..) {
            // A connection whose other end has gone is broken already.
            let _ = core.shutdown(Shutdown::Both);
            let _ = provider.shutdown(Shutdown::Both);
        }
    }
}

/// Copies both ways until an end closes.
fn join(core: TcpStream, provider: &PathBuf, open: &Connections) -> io::Result<()> {
    let provider = UnixStream::connect(provider)?;
    core.set_nodelay(true)?;
    let (mut from_core, mut to_core) = (core.try_clone()?, core.try_clone()?);
    let (mut from_provider, mut to_provider) = (provider.try_clone()?, provider.try_clone()?);
    open.lock().unwrap_or_else(PoisonError::into_inner).push((core, provider));
    thread::spawn(move || {
        // Whatever ended it, the other side is to see the end, too.
        let _ = io::copy(&mut from_core, &mut to_provider);
        let _ = to_provider.shutdown(Shutdown::Both);
    });
    thread::spawn(move || {
        let _ = io::copy(&mut from_provider, &mut to_core);
        let _ = to_core.shutdown(Shutdown::Both);
    });
    Ok(())
}
