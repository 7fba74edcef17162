//! The `local-exec` provisioner: a command on this machine.

use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;

use ferroform::schema::{Attribute, Block};
use ferroform::ty::Type;
use ferroform::value::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use super::cancel::Cancel;

/// How much of what a command has written is kept, in bytes.
const KEPT: usize = 8 * 1024;

/// Why a command has failed: a summary and a detail.
pub(super) type Failure = (&'static str, String);

/// The arguments of the provisioner.
pub(super) fn schema() -> &'static Block {
    static SCHEMA: LazyLock<Block> = LazyLock::new(|| {
        Block::new([
            Attribute::required("command", Type::String),
            Attribute::optional("interpreter", Type::list(Type::String)),
            Attribute::optional("working_dir", Type::String),
            Attribute::optional("environment", Type::map(Type::String)),
            Attribute::optional("quiet", Type::Bool),
        ])
    });
    &SCHEMA
}

/// Whether the output of a command may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Told,
    /// There is something secret in the arguments.
    Withheld,
}

/// Takes each line that is written.
pub(super) type Take<'a> = &'a (dyn Fn(&str) + Sync);

/// Runs the command of a configuration that conforms to the [`schema`], in that directory. The end of `cancel` is the end of the command.
pub(super) async fn run(
    (config, directory): (&Value, &Path),
    (output, take): (Output, Take<'_>),
    cancel: &Cancel,
) -> Result<(), Failure> {
    let failed = |detail: String| ("local-exec provisioner error", detail);
    let mut command = command(config, directory)?;
    let mut child =
        command.spawn().map_err(|error| failed(format!("The command cannot be started: {error}.")))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let take: Take<'_> = match output {
        Output::Told => take,
        Output::Withheld => {
            take("(what the command writes is not shown, because there are secrets in its arguments)");
            &|_| ()
        }
    };
    let work = async { tokio::join!(child.wait(), kept(stdout, take), kept(stderr, take)) };
    let (status, stdout, stderr) = tokio::select! {
        done = work => done,
        () = cancel.cancelled() => return Err(failed("The command was told to stop.".to_owned())),
    };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) if output == Output::Withheld => Err(failed(format!(
            "The command has failed: {status}. Its output is not shown, because there are secrets in its arguments."
        ))),
        Ok(status) => {
            let text = [stdout, stderr].concat();
            Err(failed(format!(
                "The command has failed: {status}. Output: {}",
                String::from_utf8_lossy(&text)
            )))
        }
        Err(error) => Err(failed(format!("The command cannot be waited for: {error}."))),
    }
}

fn command(config: &Value, directory: &Path) -> Result<Command, Failure> {
    let Value::Object(members) = config else {
        return Err(("local-exec provisioner error", "The provisioner has no arguments.".to_owned()));
    };
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let line = text("command").filter(|line| !line.is_empty());
    let line = line.ok_or_else(|| {
        ("Invalid local-exec provisioner command", "The command must be a non-empty string.".to_owned())
    })?;
    let mut words = Vec::new();
    match members.get("interpreter") {
        Some(Value::List(given)) if !given.is_empty() => words.extend(given.iter().filter_map(Value::as_str)),
        _ if cfg!(windows) => words.extend(["cmd", "/C"]),
        _ => words.extend(["/bin/sh", "-c"]),
    }
    words.push(line);
    let (program, arguments) = words.split_first().unwrap_or((&line, &[]));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command.current_dir(directory.join(text("working_dir").unwrap_or_default()));
    if let Some(Value::Map(environment)) = members.get("environment") {
        let named = environment.iter().filter_map(|(name, value)| Some((&**name, value.as_str()?)));
        command.envs(named);
    }
    Ok(command)
}

/// The end of what is written; each line is told. All is read, lest the command wait.
async fn kept(pipe: Option<impl AsyncRead + Unpin>, take: Take<'_>) -> Vec<u8> {
    let (mut kept, mut line) = (Vec::new(), Vec::new());
    let Some(mut pipe) = pipe else { return kept };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let read = buffer.get(..count).unwrap_or_default();
        kept.extend_from_slice(read);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || line.len() >= KEPT {
                take(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        take(&String::from_utf8_lossy(&line));
    }
    kept
}
