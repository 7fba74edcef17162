//! A place at which a call of `probe_slow` waits for the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// No call takes that long.
const LIMIT: Duration = Duration::from_secs(60);

/// The gate, before somebody comes.
pub(super) struct Gate {
    listener: TcpListener,
    address: SocketAddr,
}

/// A call that waits at the gate.
pub(super) struct Waiting {
    stream: BufReader<TcpStream>,
}

impl Gate {
    pub(super) fn open() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        Self { listener, address }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for a create.
    pub(super) fn wait(&self) -> Waiting {
        let listener = self.listener.try_clone().expect("a descriptor");
        let (sender, receiver) = mpsc::channel();
        // A listener has no time limit of its own.
        thread::spawn(move || sender.send(listener.accept()));
        let (stream, _) = receiver.recv_timeout(LIMIT).expect("a create comes").expect("a connection");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).expect("a line");
        assert_eq!(line, "started\n");
        Waiting { stream }
    }
}

impl Waiting {
    /// Lets the create go on.
    pub(super) fn release(&self) {
        self.stream.get_ref().write_all(b".").expect("the create still waits");
    }

    /// Waits for the end of the create.
    pub(super) fn ended(mut self) {
        let mut rest = String::new();
        self.stream.read_to_string(&mut rest).expect("the create ends");
        assert_eq!(rest, "");
    }
}
