//! The time that an operation may take, as the user or the author of the provider says.

use std::time::Duration;

use crate::cancel::{Cancellation, Canceller};
use crate::clock::Clock;
use crate::diag::{Error, Result};
use crate::dynamic::CallState;
use crate::panics;
use crate::path::Path;
use crate::schema::{Block, Operation};
use crate::server::provider_code;
use crate::value::Value;

/// How long a call may take to stop after its time was up.
pub(super) const GRACE: Duration = Duration::from_secs(10);

/// Ends a call when its time is up.
pub(super) struct Deadline {
    limit: Option<Duration>,
    operation: Operation,
    at: Option<Path>,
    canceller: Canceller,
    clock: Clock,
}

impl Deadline {
    /// The deadline of an operation on an object; the context of the call learns of it.
    ///
    /// # Errors
    /// The timeout in the object is no duration.
    pub(super) fn new(
        cx: &mut CallState,
        block: &Block,
        operation: Operation,
        object: &Value,
    ) -> Result<Self> {
        Self::of((&mut cx.cancellation, &mut cx.timeout), cx.clock.clone(), block, (operation, object))
    }

    /// The deadline of an operation on an object; the cancellation and the timeout of the call learn of it.
    ///
    /// # Errors
    /// The timeout in the object is no duration.
    pub(super) fn of(
        (cancellation, timeout): (&mut Cancellation, &mut Option<Duration>),
        clock: Clock,
        block: &Block,
        (operation, object): (Operation, &Value),
    ) -> Result<Self> {
        let limit = match &block.timeouts {
            Some(timeouts) => timeouts.of(operation, object)?,
            None => None,
        };
        let at = block
            .timeouts
            .as_ref()
            .map(|it| Path::root().attribute(it.name.clone()).attribute(operation.name()));
        let canceller = Canceller::default();
        if limit.is_some() {
            *cancellation = cancellation.clone().or(canceller.token());
            *timeout = limit;
        }
        Ok(Self { limit, operation, at, canceller, clock })
    }

    /// Runs author code that acts on the service, as [`provider_code::isolated`] does, for as long as it may take.
    ///
    /// # Errors
    /// Those of the code, and "Operation Timed Out".
    pub(super) async fn act<T>(self, code: impl Future<Output = Result<T>>) -> Result<T> {
        // On the heap, or the futures of all callers have its size several times over.
        let mut code = Box::pin(provider_code::isolated(code));
        let Some(limit) = self.limit else { return code.await };
        tokio::select! {
            biased;
            result = &mut code => return result,
            () = self.clock.sleep(limit) => self.canceller.cancel_all(),
        }
        tokio::select! {
            biased;
            // What ended well after all is a success.
            result = &mut code => return result.map_err(|error| self.timed_out().and(error)),
            () = self.clock.sleep(GRACE) => {}
        }
        panics::discard(code);
        Err(self.timed_out())
    }

    fn timed_out(&self) -> Error {
        let name = self.operation.name();
        let left = match self.operation {
            Operation::Open => " What it recorded was closed.",
            Operation::Read => "",
            _ => " The object may exist in part: check it before you apply again.",
        };
        let error = Error::new(
            "Operation Timed Out",
            format!(
                "The {name} took longer than its timeout allows and was stopped.{left} If it needs more time, raise \
                 the timeout for {name}."
            ),
        );
        match &self.at {
            Some(at) => error.at(at.clone()),
            None => error,
        }
    }
}
