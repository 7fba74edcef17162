//! How often a write is followed by a read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferroform::dynamic::Context;
use ferroform::dynamic::phase::Read;
use ferroform::resource::ReadAfterWrite;

use super::{asked, create, update};
use crate::server::support::Thing;

#[test]
fn object_is_read_after_a_write_as_often_as_the_resource_declares() {
    for (read_after_write, expect) in [(ReadAfterWrite::Off, 0), (ReadAfterWrite::Once, 1)] {
        for request in [create("a"), update()] {
            let reads = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&reads);
            let read = move |_: &mut Context<'_, Read>, state| {
                counted.fetch_add(1, Ordering::SeqCst);
                Ok(Some(state))
            };
            asked(Thing { read_after_write, read: Box::new(read), ..Thing::default() }, request);
            assert_eq!(reads.load(Ordering::SeqCst), expect, "{read_after_write:?}");
        }
    }
}
