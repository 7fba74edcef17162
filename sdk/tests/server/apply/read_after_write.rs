//! How often a write is followed by a read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use ferroform::diag::Result;
use ferroform::dynamic::phase::{Create, Delete, Read, Update};
use ferroform::dynamic::{self, Change, Context};
use ferroform::model::{Model, Planned, Prior};
use ferroform::resource::{self, ReadAfterWrite, Resource};
use ferroform::schema::Schema;
use ferroform::value::Value;

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

/// A resource that says nothing of reads.
struct Dynamic;

#[async_trait]
impl dynamic::Resource for Dynamic {
    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn create(&self, _cx: &mut Context<'_, Create>, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn read(&self, _cx: &mut Context<'_, Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(&self, _cx: &mut Context<'_, Update>, _prior: Value, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, Delete>, _prior: Value) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct Typed {
    name: String,
}

impl Resource for Typed {
    type Client = ();
    const NAME: &str = "typed";

    async fn create(_: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { name: plan.name })
    }

    async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(Some(Self { name: prior.name.unwrap_or_default() }))
    }

    async fn update(
        _: &mut resource::UpdateContext<'_, Self>,
        _: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Ok(Self { name: plan.name })
    }

    async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[test]
fn typed_and_dynamic_resources_are_read_once_by_default() {
    assert_eq!(Typed::READ_AFTER_WRITE, ReadAfterWrite::Once);
    assert_eq!(dynamic::Resource::read_after_write(&Dynamic), ReadAfterWrite::Once);
}
