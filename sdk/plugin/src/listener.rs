//! The socket that the host connects to.

use std::io;
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use tokio::net::{TcpListener, TcpStream};

use super::error::Error;
use super::grpc::Duplex;

/// Where to listen.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "directory and group are those of Unix sockets"))]
pub(super) struct Place {
    /// The directory of the Unix socket; `None` is that for temporary files.
    pub(super) directory: Option<PathBuf>,
    /// The name or number of the group that may connect, besides the user.
    pub(super) group: Option<String>,
    /// The ports to try, where there can be no Unix socket. Port 0 is any free one.
    pub(super) ports: RangeInclusive<u16>,
}

impl Default for Place {
    fn default() -> Self {
        Self { directory: None, group: None, ports: 0..=0 }
    }
}

/// How to connect, in the words of the handshake line and of the reattach description.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) network: &'static str,
    pub(super) address: String,
}

/// The network of Unix sockets.
const UNIX: &str = "unix";

/// A bound socket. Dropping it removes the file of a Unix socket.
pub(super) struct Listener {
    socket: Socket,
    address: Address,
}

enum Socket {
    #[cfg(unix)]
    Unix {
        listener: tokio::net::UnixListener,
        _file: unix::SocketFile,
    },
    Tcp(TcpListener),
}

impl Listener {
    /// Binds a Unix socket, or a TCP port of the loopback interface where the path of a socket would be too long
    /// for the system and on Windows.
    ///
    /// # Errors
    /// The directory cannot be used, the group does not exist, or no port is free.
    pub(super) fn bind(place: &Place) -> Result<Self, Error> {
        #[cfg(unix)]
        if let Some((socket, address)) = unix::bind(place)? {
            return Ok(Self { socket, address: Address { network: UNIX, address } });
        }
        let (listener, port) = tcp(&place.ports).map_err(|source| Error::Listen {
            place: format!("127.0.0.1, ports {} to {}", place.ports.start(), place.ports.end()),
            source,
        })?;
        let address = Address { network: "tcp", address: format!("{}:{port}", Ipv4Addr::LOCALHOST) };
        Ok(Self { socket: Socket::Tcp(listener), address })
    }

    /// How to connect.
    pub(super) fn address(&self) -> Address {
        self.address.clone()
    }

    /// The file of a Unix socket.
    pub(super) fn file(&self) -> Option<PathBuf> {
        (self.address.network == UNIX).then(|| (&self.address.address).into())
    }

    /// Waits for the next connection.
    ///
    /// # Errors
    /// The connection failed already, or the process has too many open files.
    pub(super) async fn accept(&self) -> io::Result<Box<dyn Duplex>> {
        match &self.socket {
            #[cfg(unix)]
            Socket::Unix { listener, .. } => Ok(Box::new(listener.accept().await?.0)),
            Socket::Tcp(listener) => Ok(Box::new(accept_tcp(listener).await?)),
        }
    }
}

async fn accept_tcp(listener: &TcpListener) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    // Otherwise every reply waits 40 ms for a delayed acknowledgement of the host.
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn tcp(ports: &RangeInclusive<u16>) -> io::Result<(TcpListener, u16)> {
    let mut result = Err(io::ErrorKind::AddrInUse.into());
    for port in ports.clone() {
        result = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        if result.is_ok() {
            break;
        }
    }
    let listener = result?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((TcpListener::from_std(listener)?, port))
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::hash::{BuildHasher, Hasher, RandomState};
    use std::io;
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::net::SocketAddr;
    use std::path::{Path, PathBuf};

    use tokio::net::UnixSocket;

    use super::{Error, Place, Socket};

    /// Connections that may wait for the accept loop; there is one per host.
    const BACKLOG: u32 = 128;

    /// More attempts would mean that something else is wrong.
    const ATTEMPTS: usize = 100;

    /// Removes the file when dropped.
    #[derive(Debug)]
    pub(super) struct SocketFile(PathBuf);

    impl Drop for SocketFile {
        fn drop(&mut self) {
            // Somebody else may have tidied up, and there is nobody to tell.
            let _ = fs::remove_file(&self.0);
        }
    }

    /// A Unix socket and its path, or `None` if a path in the directory cannot be one of a socket.
    pub(super) fn bind(place: &Place) -> Result<Option<(Socket, String)>, Error> {
        let directory = place.directory.clone().unwrap_or_else(temporary);
        for _ in 0..ATTEMPTS {
            let path = directory.join(format!("plugin{}", random()));
            let Some(text) = usable(&path) else { return Ok(None) };
            match bind_at(&path, place.group.as_deref()) {
                Ok(socket) => return Ok(Some((socket, text))),
                Err(Error::Listen { source, .. }) if source.kind() == io::ErrorKind::AddrInUse => {}
                Err(error) => return Err(error),
            }
        }
        let place = directory.display().to_string();
        Err(Error::Listen { place, source: io::ErrorKind::AddrInUse.into() })
    }

    fn bind_at(path: &Path, group: Option<&str>) -> Result<Socket, Error> {
        let failed = |source| Error::Listen { place: path.display().to_string(), source };
        let socket = UnixSocket::new_stream().map_err(failed)?;
        socket.bind(path).map_err(failed)?;
        let file = SocketFile(path.into());
        // Nobody can connect before `listen`, so that the mode comes in time.
        let mode = if group.is_some() { 0o660 } else { 0o600 };
        fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failed)?;
        if let Some(group) = group {
            chown(path, None, Some(group_id(group)?)).map_err(failed)?;
        }
        let listener = socket.listen(BACKLOG).map_err(failed)?;
        Ok(Socket::Unix { listener, _file: file })
    }

    /// The path as text, if the system takes a path of that length and the handshake line can carry it.
    fn usable(path: &Path) -> Option<String> {
        let text = path.to_str()?;
        let fits = SocketAddr::from_pathname(path).is_ok() && !text.contains(['|', '\n', '\r']);
        fits.then(|| text.into())
    }

    fn temporary() -> PathBuf {
        Some(std::env::temp_dir())
            .filter(|path| !path.as_os_str().is_empty())
            .unwrap_or_else(|| "/tmp".into())
    }

    /// The keys of the standard hasher are random, which is all that a file name needs.
    fn random() -> u32 {
        RandomState::new().build_hasher().finish() as u32
    }

    fn group_id(group: &str) -> Result<u32, Error> {
        let groups = fs::read_to_string("/etc/group").unwrap_or_default();
        group.parse().ok().or_else(|| find_group(&groups, group)).ok_or_else(|| Error::Environment {
            variable: "PLUGIN_UNIX_SOCKET_GROUP",
            problem: format!("{group:?} is neither a number nor the name of a group in /etc/group"),
        })
    }

    /// Groups of a directory service are not looked up: that needs the C library.
    fn find_group(groups: &str, name: &str) -> Option<u32> {
        groups.lines().find_map(|line| {
            let mut fields = line.split(':');
            (fields.next() == Some(name)).then(|| fields.nth(1)?.parse().ok()).flatten()
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn leaves_unusable_paths_to_tcp() {
            let check = |path: &str, expect: bool| {
                assert_eq!(usable(Path::new(path)).is_some(), expect, "{path}");
            };
            check("/tmp/plugin1", true);
            check("/tmp/with space/plugin1", true);
            check("/tmp/a|b/plugin1", false);
            check("/tmp/a\nb/plugin1", false);
            check(&format!("/{}", "x".repeat(90)), true);
            check(&format!("/{}", "x".repeat(110)), false);
        }

        #[test]
        fn finds_groups_by_name() {
            let groups = "root:x:0:\n# comment\nbroken\nusers:x:100:a,b\nbad:x:y:\n";
            for (name, expect) in [("root", Some(0)), ("users", Some(100)), ("bad", None), ("user", None)] {
                assert_eq!(find_group(groups, name), expect, "{name}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_tcp_connection_delays_no_reply() {
        let (listener, port) = tcp(&(0..=0)).expect("a free port");
        let host = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("a connection");
        let accepted = accept_tcp(&listener).await.expect("the connection");
        assert!(accepted.nodelay().expect("an open connection"));
        assert_eq!(accepted.peer_addr().expect("a host"), host.local_addr().expect("an address"));
    }
}
