//! How long a large state takes to a state store, beside a copy of the same file, and in what memory.
//!
//! `cargo bench -p ferroform-acceptance --bench stores`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

mod calls;
#[path = "../../../sdk/benches/report/mod.rs"]
mod report;

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use calls::memory;
use ferroform::value::Value;
use ferroform_testing::client::{Client, Command, Protocol, Provider};
use report::{Report, median};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each thing is measured; the medians are reported.
const RUNS: usize = 7;

/// The length of the state, in bytes.
const LENGTH: usize = 200_000_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    let mut report = Report::default();
    report.part_of(measure).await?;
    Ok(report.finish()?)
}

async fn measure(report: &mut Report) -> Result {
    let root = tempfile::tempdir()?;
    let state = Bytes::from_iter((0..LENGTH).map(|at| b'a' + (at % 23) as u8));
    let original = root.path().join("original");
    fs::write(&original, &state)?;
    let command = Command::new(env!("CARGO_BIN_EXE_terraform-provider-demo")).env("DEMO_PROTOCOL", "6");
    let process = command.only(Protocol::V6).start().await?;
    let provider = Provider::connect(Client::new(process.connection(), Protocol::V6)).await?;
    let folder = Value::from(root.path().to_str().ok_or("a folder whose name is no text")?);
    provider.configure(&Value::object([("root", folder.clone())])).await?;
    let config = Value::object([("path", folder), ("holder", Value::Null)]);
    let store = provider.open_state_store("demo_folder", &config).await?;
    let before = memory(&process, "VmHWM:")?;
    let (mut copies, mut writes, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    // In turns, so that another load on the machine meets all alike.
    for run in 0..=RUNS {
        let start = Instant::now();
        copy(&original, &root.path().join("copy"))?;
        let copied = start.elapsed();
        let start = Instant::now();
        store.write("large", &state).await?;
        let written = start.elapsed();
        let start = Instant::now();
        let read = store.read("large").await?;
        let took = start.elapsed();
        if read.is_none_or(|read| read != state) {
            return Err("the state is not what was written".into());
        }
        // The first is for warming up.
        if run > 0 {
            copies.push(copied.as_secs_f64() * 1e3);
            writes.push(written.as_secs_f64() * 1e3);
            reads.push(took.as_secs_f64() * 1e3);
        }
    }
    let [copied, written, read] = [copies, writes, reads].map(median);
    report.add("store_write_to_copy", written / copied, "x").at_most(2.0);
    report.add("store_memory", memory(&process, "VmHWM:")? - before, "MiB").at_most(32.0);
    report.add("store_copy", copied, "ms");
    report.add("store_write", written, "ms");
    report.add("store_read", read, "ms");
    Ok(())
}

/// What `cp` and `sync` do.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut File::open(from)?, &mut File::create(to)?)?;
    File::open(to)?.sync_all()
}
