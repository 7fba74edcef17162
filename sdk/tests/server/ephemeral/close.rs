//! `CloseEphemeralResource`.

use bytes::Bytes;
use ferroform::diag::Error;
use ferroform_server::protocol::CloseEphemeralResourceRequest;

use super::double::{Lease, close, open, serving};
use crate::server::support::{ask, message, response, summaries};

#[test]
fn close_without_an_open_succeeds() {
    let (server, calls) = serving(Lease::default());
    let request = message!(CloseEphemeralResourceRequest { type_name: "double_x".to_owned() });
    assert!(response!(CloseEphemeralResource, ask(&server, request)).diagnostics.is_empty());
    for nothing in [None, Some(Bytes::new())] {
        assert!(close(&server, nothing).diagnostics.is_empty());
    }
    assert!(calls.lock().unwrap().is_empty());
}

#[test]
fn a_bad_close_is_a_diagnostic() {
    let said = |lease: Lease| {
        let (server, _) = serving(lease);
        let opened = open(&server).private;
        summaries(&close(&server, opened).diagnostics)
    };
    let failing =
        Lease { close: Box::new(|_, _| Err(Error::new("Lease Is Locked", ""))), ..Lease::default() };
    assert_eq!(said(failing), "error: Lease Is Locked\n");
    let panicking = Lease { close: Box::new(|_, _| panic!("half-way")), ..Lease::default() };
    assert_eq!(said(panicking), "error: Provider Panicked\n");
    let (server, calls) = serving(Lease::default());
    let damaged = close(&server, Some(Bytes::from_static(b"\xff")));
    assert_eq!(summaries(&damaged.diagnostics), "error: Corrupt Private State\n");
    assert!(calls.lock().unwrap().is_empty());
}
