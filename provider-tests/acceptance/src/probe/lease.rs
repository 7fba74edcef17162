//! An ephemeral resource: a file that is there while it is open, and a journal of what was done to it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{Close, EphemeralContext, EphemeralResource, Open, Renew};
use ferroform::private::Private;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::stored::{Store, text, with};

/// The ephemeral resource type `probe_lease`.
pub(super) struct Lease {
    store: Store,
}

/// How long a lease lasts until its renewal.
const RENEWAL: Duration = Duration::from_millis(300);

impl Lease {
    pub(super) const NAME: &'static str = "probe_lease";

    pub(super) fn new(store: Store) -> Self {
        Self { store }
    }
}

/// What is recorded of a lease: its name, how often it was renewed, and whether it can be.
type Record = (String, u32, bool);

fn recorded(record: &Record) -> Result<Private> {
    let mut private = Private::default();
    private.set("record", record)?;
    Ok(private)
}

fn read(private: &Private) -> Result<Record> {
    private.get("record")?.ok_or_else(|| Error::new("Incomplete Record", ""))
}

/// Adds a line to the journal of the lease.
fn note(root: &Path, name: &str, line: &str) -> Result {
    let mut journal =
        OpenOptions::new().create(true).append(true).open(root.join(format!("{name}.journal")))?;
    Ok(writeln!(journal, "{line}")?)
}

#[async_trait]
impl EphemeralResource for Lease {
    fn schema(&self) -> Schema {
        let attributes = vec![
            Attribute::required("name", Type::String),
            Attribute::optional("mistake", Type::String),
            Attribute::computed("folder", Type::String),
            Attribute::computed("token", Type::String).sensitive(),
        ];
        Schema::new(Block::new(attributes))
    }

    async fn open(&self, cx: &mut EphemeralContext<Open>, config: Value) -> Result<Value> {
        let (root, name) = (self.store.root()?, text(&config, "name").unwrap_or_default().to_owned());
        fs::write(root.join(format!("{name}.lease")), "")?;
        let renewable = text(&config, "mistake") != Some("renewal");
        cx.record(recorded(&(name.clone(), 0, renewable))?);
        note(&root, &name, "open")?;
        cx.renew_after(RENEWAL);
        let token = Value::string(format!("token-of-{name}"));
        let opened = with(config, "folder", Value::string(root.display().to_string()));
        match text(&opened, "mistake") {
            Some("error") => Err(Error::new("Lease Refused", "The service grants no lease.")),
            Some("unknown") => Ok(opened),
            Some("panic") => panic!("after the lease was made"),
            Some("other") => Ok(with(with(opened, "token", token), "name", Value::string("other"))),
            _ => Ok(with(opened, "token", token)),
        }
    }

    async fn renew(&self, cx: &mut EphemeralContext<Renew>, private: Private) -> Result {
        let (name, generation, renewable) = read(&private)?;
        note(&self.store.root()?, &name, &format!("renew {generation}"))?;
        if !renewable {
            return Err(Error::new("Lease Lost", "The service does not renew the lease."));
        }
        cx.record(recorded(&(name, generation + 1, renewable))?);
        cx.renew_after(RENEWAL);
        Ok(())
    }

    async fn close(&self, _cx: &mut EphemeralContext<Close>, private: Private) -> Result {
        let (root, (name, generation, _)) = (self.store.root()?, read(&private)?);
        fs::remove_file(root.join(format!("{name}.lease")))?;
        note(&root, &name, &format!("close {generation}"))
    }
}
