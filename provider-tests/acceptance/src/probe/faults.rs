//! Types that take long, fail, or break the rules.

use async_trait::async_trait;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::phase::{Applies, FromModule};
use ferroform::dynamic::{Context, PlannedChange};
use ferroform::schema::{Attribute, Block};
use ferroform::ty::Type;
use ferroform::value::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::stored::{Kind, Object, text, with};

/// Connects to `gate`, says that it has started, and goes on when it reads a byte there or when it is cancelled. The
/// connection closes when it has ended. A plan waits at `plan_gate`, if there is one, whether it is cancelled or not.
pub(super) struct Slow;

#[async_trait]
impl Kind for Slow {
    const NAME: &'static str = "probe_slow";

    fn block() -> Block {
        let gates = ["gate", "plan_gate"].map(|name| Attribute::optional(name, Type::String));
        Block::new(gates)
    }

    async fn plan(change: &mut PlannedChange) -> Result {
        if let Some(gate) = text(&change.config, "plan_gate") {
            arrive(gate).await?.read_u8().await?;
        }
        Ok(())
    }

    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        object.mark("started", "")?;
        let mut gate = arrive(text(&state, "gate").unwrap_or_default()).await?;
        let cancelled = tokio::select! {
            byte = gate.read_u8() => byte.map(|_| false)?,
            () = cx.cancellation.cancelled() => true,
        };
        object.save(&state)?;
        cx.checkpoint(state.clone());
        if cancelled {
            object.mark("cancelled", "")?;
            let detail = "The object was created but not set up, because you asked to stop. Apply again.";
            return Err(Error::new("Create Interrupted", detail));
        }
        object.mark("finished", "")?;
        Ok(state)
    }
}

async fn arrive(gate: &str) -> Result<TcpStream> {
    let mut gate = TcpStream::connect(gate).await?;
    gate.write_all(b"started\n").await?;
    Ok(gate)
}

/// Panics, `before` or `after` the object exists.
pub(super) struct Panicking;

#[async_trait]
impl Kind for Panicking {
    const NAME: &'static str = "probe_panicking";

    fn block() -> Block {
        Block::new([Attribute::required("when", Type::String)])
    }

    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        if text(&state, "when") == Some("after") {
            object.save(&state)?;
            cx.checkpoint(state);
        }
        panic!("the probe was asked to panic");
    }
}

/// Prints what would break the handshake.
pub(super) struct Printing;

#[async_trait]
impl Kind for Printing {
    const NAME: &'static str = "probe_printing";

    fn block() -> Block {
        Block::default()
    }

    #[expect(clippy::print_stdout, clippy::print_stderr, reason = "authors do it")]
    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        _cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        println!("1|9|unix|/printed/to/stdout|grpc|");
        eprintln!("printed to stderr");
        object.save(&state)?;
        Ok(state)
    }
}

/// Breaks the rule that it is given.
pub(super) struct Violating;

#[async_trait]
impl Kind for Violating {
    const NAME: &'static str = "probe_violating";

    fn block() -> Block {
        Block::new([
            Attribute::required("rule", Type::String),
            Attribute::required("text", Type::String),
            Attribute::computed("made", Type::String),
        ])
    }

    async fn plan(change: &mut PlannedChange) -> Result {
        if text(&change.config, "rule") == Some("plan") {
            let planned = std::mem::replace(&mut change.planned, Value::Null);
            change.planned = with(planned, "text", Value::string("a s3cret"));
        }
        Ok(())
    }

    async fn write<P: Applies + FromModule>(
        object: Object<'_>,
        _cx: &mut Context<'_, P>,
        state: Value,
    ) -> Result<Value> {
        object.save(&state)?;
        Ok(match text(&state, "rule") {
            Some("result") => with(state, "text", Value::string("a s3cret")),
            Some("known") => with(state, "made", Value::unknown()),
            Some("type") => with(state, "made", Value::from(true)),
            Some("null") => Value::Null,
            _ => state,
        })
    }
}
