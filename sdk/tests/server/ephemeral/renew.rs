//! `RenewEphemeralResource`.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use ferroform::diag::Error;
use ferroform_server::protocol::RenewEphemeralResourceRequest;

use super::double::{Lease, close, open, record, renew, serving};
use crate::server::support::{ask, message, response, summaries};

const AT: SystemTime = SystemTime::UNIX_EPOCH;

/// A renewal that takes the place of the lease by another one.
fn replacing() -> Lease {
    Lease {
        renew: Box::new(|cx, id| {
            cx.record(record(&format!("{id}+")));
            cx.renew_at(AT + Duration::from_secs(1));
            Ok(())
        }),
        ..Lease::default()
    }
}

#[test]
fn a_renewal_says_when_the_next_one_is_due() {
    let (server, calls) = serving(replacing());
    let opened = open(&server).private;
    let first = renew(&server, opened.clone());
    assert_eq!(first.renew_at, Some(AT + Duration::from_secs(1)));
    renew(&server, first.private);
    assert_eq!(*calls.lock().unwrap(), ["renew lease-1", "renew lease-1+"]);
}

#[test]
fn a_renewal_without_a_time_is_the_last_and_keeps_the_record() {
    let (server, calls) = serving(Lease::default());
    let opened = open(&server).private;
    let renewed = renew(&server, opened.clone());
    assert_eq!((renewed.renew_at, &renewed.private), (None, &opened));
    assert!(renewed.diagnostics.is_empty());
    assert_eq!(*calls.lock().unwrap(), ["renew lease-1"]);
}

#[test]
fn a_close_with_the_private_data_of_the_open_closes_what_was_renewed() {
    let (server, calls) = serving(replacing());
    let opened = open(&server).private;
    renew(&server, opened.clone());
    assert!(close(&server, opened.clone()).diagnostics.is_empty());
    assert_eq!(*calls.lock().unwrap(), ["renew lease-1", "close lease-1+"]);
    // The record is forgotten with the close.
    close(&server, opened);
    assert_eq!(calls.lock().unwrap().last().map(String::as_str), Some("close lease-1"));
}

#[test]
fn a_renewal_that_is_asked_for_twice_renews_what_there_is() {
    let (server, calls) = serving(replacing());
    let opened = open(&server).private;
    renew(&server, opened.clone());
    renew(&server, opened);
    assert_eq!(*calls.lock().unwrap(), ["renew lease-1", "renew lease-1+"]);
}

#[test]
fn a_renewal_that_fails_after_a_record_is_closed_with_it() {
    let lease = Lease {
        renew: Box::new(|cx, _| {
            cx.record(record("lease-2"));
            cx.renew_at(AT);
            Err(Error::new("No Quota", ""))
        }),
        ..Lease::default()
    };
    let (server, calls) = serving(lease);
    let opened = open(&server).private;
    let renewed = renew(&server, opened.clone());
    assert_eq!((summaries(&renewed.diagnostics).as_str(), renewed.renew_at), ("error: No Quota\n", None));
    close(&server, opened);
    assert_eq!(*calls.lock().unwrap(), ["renew lease-1", "close lease-2"]);
}

#[test]
fn a_bad_renewal_is_a_diagnostic() {
    let (server, calls) = serving(Lease { renew: Box::new(|_, _| panic!("half-way")), ..Lease::default() });
    let opened = open(&server).private;
    let said = |private: Option<Bytes>| summaries(&renew(&server, private).diagnostics);
    assert_eq!(said(opened), "error: Provider Panicked\n");
    assert_eq!(said(None), "error: Nothing To Renew\n");
    assert_eq!(said(Some(Bytes::new())), "error: Nothing To Renew\n");
    assert_eq!(said(Some(Bytes::from_static(b"\xff"))), "error: Corrupt Private State\n");
    let request = message!(RenewEphemeralResourceRequest { type_name: "double_x".to_owned() });
    let response = response!(RenewEphemeralResource, ask(&server, request));
    assert_eq!(summaries(&response.diagnostics), "error: Unknown Type\n");
    assert_eq!(*calls.lock().unwrap(), ["renew lease-1"]);
}
