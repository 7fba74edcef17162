//! `ConfigureStateStore`: opens a store and agrees on the size of chunks. A configuration that fails leaves the store
//! that is open.

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{Context, StateStore};
use crate::plan;
use crate::protocol::{ClientCapabilities, ConfigureStateStoreRequest, ConfigureStateStoreResponse};
use crate::server::schema_cache::cached_by_schema;
use crate::server::state_stores::OpenStore;
use crate::server::{Server, provider_code, unless_failed};

/// What core proposes where it says nothing, in bytes.
const USUAL: usize = 8 << 20;

/// What core accepts, in bytes.
const LARGEST: usize = 128 << 20;

cached_by_schema!(StateStore);

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: ConfigureStateStoreRequest,
) -> ConfigureStateStoreResponse {
    let mut cx = server.context(stop, ClientCapabilities::default());
    let name = &request.type_name;
    let outcome: Result<OpenStore> = async {
        let of = server.inner.types.of::<dyn StateStore>(name)?;
        let config = of.typed.config(&request.config)?;
        if !config.is_wholly_known() {
            return Err(unknown_config(name));
        }
        let config = plan::with_defaults(&of.typed.schema.block, &config, &server.inner.environment)?;
        let store = provider_code::isolated(of.offer.configure(&mut Context::new(&mut cx), config)).await?;
        let proposed = usize::try_from(request.chunk_size).ok().filter(|size| *size > 0).unwrap_or(USUAL);
        let chunk_size = provider_code::isolated_sync(|| store.chunk_size(proposed.min(LARGEST)))?;
        if !(1..=LARGEST).contains(&chunk_size) {
            return Err(invalid_size(name, chunk_size));
        }
        Ok(OpenStore { store, chunk_size })
    }
    .await;
    let chunk_size = match unless_failed(&mut cx, outcome) {
        Some(store) => {
            let chunk_size = store.chunk_size;
            server.inner.stores.open(request.type_name, store);
            i64::try_from(chunk_size).unwrap_or_default()
        }
        None => 0,
    };
    ConfigureStateStoreResponse { diagnostics: cx.diagnostics, chunk_size }
}

fn unknown_config(name: &str) -> Error {
    Error::new(
        "Unknown State Store Configuration",
        format!(
            "The configuration of the state store `{name}` holds values that are not known. Use known values."
        ),
    )
}

fn invalid_size(name: &str, size: usize) -> Error {
    Error::new(
        "Invalid Chunk Size",
        format!(
            "The state store `{name}` chose chunks of {size} bytes. This is a bug in the provider: `chunk_size` must be \
             from 1 to {LARGEST}."
        ),
    )
}
