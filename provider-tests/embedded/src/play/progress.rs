//! What is printed while objects are read and changed.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::lines;
use super::screen::Screen;
use crate::embedded::{Progress, Stage, Task};

/// How a task is told of: to people as it begins, goes on and ends; and the kind of its lines of JSON with the action.
struct Words {
    begins: &'static str,
    goes_on: &'static str,
    ends: &'static str,
    kind: &'static str,
    action: Option<&'static str>,
}

fn words(task: Task, screen: &Screen) -> Option<Words> {
    let of = |begins, goes_on, ends, kind, action| Some(Words { begins, goes_on, ends, kind, action });
    match task {
        Task::Refresh => {
            of("Refreshing state...", "Still refreshing...", "Refresh complete", "refresh", None)
        }
        // Core reports an import only in its human form, and a forgotten object in neither.
        Task::Import if screen.is_json() => None,
        Task::Import => of("Importing...", "Still importing...", "Import complete", "apply", Some("import")),
        // In lines of JSON core says of a data source what it says of an object.
        Task::Read if screen.is_json() => {
            of("Refreshing...", "Still refreshing...", "Refresh complete", "apply", Some("read"))
        }
        Task::Read => of("Reading...", "Still reading...", "Read complete", "apply", Some("read")),
        Task::Create => of("Creating...", "Still creating...", "Creation complete", "apply", Some("create")),
        Task::Update => {
            of("Modifying...", "Still modifying...", "Modifications complete", "apply", Some("update"))
        }
        Task::Delete => {
            of("Destroying...", "Still destroying...", "Destruction complete", "apply", Some("delete"))
        }
        Task::Open => of("Opening...", "Still opening...", "Opening complete", "ephemeral_op", Some("open")),
        Task::Renew => {
            of("Renewing...", "Still renewing...", "Renewal complete", "ephemeral_op", Some("renew"))
        }
        Task::Close => {
            of("Closing...", "Still closing...", "Closing complete", "ephemeral_op", Some("close"))
        }
        Task::Forget | Task::Invoke | Task::List => None,
        Task::Provision => of(
            "Provisioning with 'local-exec'...",
            "Still provisioning...",
            "Provisioning complete",
            "provision",
            None,
        ),
    }
}

/// Tells how far something has come.
pub(super) fn tell(screen: &Screen, news: &Progress) {
    if news.task == Task::Invoke {
        return invocation(screen, news);
    }
    let Some(words) = words(news.task, screen) else { return };
    // Core names a deposed object until it is done, and only to people.
    let is_under_way = matches!(news.stage, Stage::Begun | Stage::Going(_)) && !screen.is_json();
    let deposed = news.deposed.as_ref().filter(|_| is_under_way);
    let deposed = deposed.map(|key| format!(" (deposed object {key})")).unwrap_or_default();
    let id = id(news).map(|(name, value)| format!(" [{name}={value}]")).unwrap_or_default();
    let is_ephemeral = matches!(news.task, Task::Open | Task::Renew | Task::Close);
    let (text, stage) = match &news.stage {
        Stage::Begun => (format!(": {}{id}", words.begins), "start"),
        Stage::Going(time) => (format!(": {}{id} [{} elapsed]", words.goes_on, seconds(*time)), "progress"),
        Stage::Wrote(line) => (format!(" (local-exec): {line}"), "progress"),
        Stage::Done(_) if news.task == Task::Refresh => (format!(": {}{id}", words.ends), "complete"),
        Stage::Done(time) => (format!(": {} after {}{id}", words.ends, seconds(*time)), "complete"),
        Stage::Failed(time) if is_ephemeral => {
            (format!(": {} errored after {}", words.begins.trim_end_matches('.'), seconds(*time)), "errored")
        }
        // Core does not report that a data source could not be read or a deposed object could not be deleted.
        Stage::Failed(_) if news.task == Task::Read || news.deposed.is_some() => return,
        Stage::Listing { .. } | Stage::Found(_) | Stage::Listed(_) => return,
        Stage::Deferred => (": Configuration unknown, deferring...".to_owned(), "start"),
        Stage::Failed(time) => (format!(": Failed after {}{id}", seconds(*time)), "errored"),
    };
    let text = format!("{}{deposed}{text}", news.address);
    if screen.is_json() && news.stage == Stage::Deferred {
        // Core tells of it in its human form only.
    } else if screen.is_json() {
        screen.event(&format!("{}_{stage}", words.kind), &text, json!({"hook": hook(news, words.action)}));
    } else if !is_told_by_what_follows(news) {
        screen.out(&format!("{text}\n"));
    }
}

/// Tells how far an action has come.
fn invocation(screen: &Screen, news: &Progress) {
    let Progress { address, trigger, .. } = news;
    let by = trigger.as_ref().map_or_else(|| "CLI".to_owned(), |trigger| trigger.resource.to_string());
    let by = format!(" (triggered by {by})");
    let number = trigger.as_ref().map(|it| format!("{} ({}): ", it.resource, it.block)).unwrap_or_default();
    let mut hook = json!({"action": lines::action_of(address)});
    match trigger {
        None => hook["invoke"] = json!({}),
        Some(trigger) => {
            hook["lifecycle"] = json!({
                "resource": lines::resource(&trigger.resource, None),
                "trigger_index": trigger.block,
                "actions_index": trigger.index,
                "trigger_event": trigger.event.in_json(),
            });
        }
    }
    let (kind, text, line) = match &news.stage {
        Stage::Begun => {
            let of = trigger.as_ref().map(|it| format!("{}.trigger[{}]: ", it.resource, it.block));
            let of = of.unwrap_or_default();
            (
                "action_start",
                format!("Action started: {address}{by}"),
                format!("{of}Action started: {address}"),
            )
        }
        Stage::Wrote(line) => {
            hook["message"] = line.as_str().into();
            (
                "action_progress",
                format!("Action {address}{by}: {line}"),
                format!("{number}{address} - {line}"),
            )
        }
        Stage::Done(_) => (
            "action_complete",
            format!("Action complete: {address}{by}"),
            format!("{number}Action complete: {address}"),
        ),
        Stage::Failed(_) => (
            "action_errored",
            format!("Action failed: {address}{by}"),
            format!("{number}Action errored: {address}"),
        ),
        // Core tells of an action what the action tells.
        Stage::Going(_) | Stage::Deferred | Stage::Listing { .. } | Stage::Found(_) | Stage::Listed(_) => {
            return;
        }
    };
    match screen.is_json() {
        true => screen.event(kind, &line, json!({"hook": hook})),
        false => screen.out(&format!("{text}\n")),
    }
}

/// Whether a person sees the end of a task by what comes next: a failed provisioner by its error, unless the
/// configuration lets the object go on without it, and an ephemeral resource that failed by its error, too.
fn is_told_by_what_follows(news: &Progress) -> bool {
    matches!(
        (news.task, &news.stage),
        (Task::Refresh | Task::Provision, Stage::Done(_))
            | (Task::Provision | Task::Open | Task::Renew | Task::Close, Stage::Failed(_))
    )
}

/// The name and value of the attribute that identifies the object, unless the object is deleted.
fn id(news: &Progress) -> Option<&(&'static str, String)> {
    let is_deleted = matches!((news.task, &news.stage), (Task::Delete, Stage::Done(_)));
    news.id.as_ref().filter(|_| !is_deleted)
}

fn hook(news: &Progress, action: Option<&str>) -> Json {
    let mut hook = json!({"resource": lines::resource(&news.address, None)});
    if let Some(action) = action {
        hook["action"] = action.into();
    }
    if let Some((name, value)) = id(news) {
        hook["id_key"] = (*name).into();
        hook["id_value"] = value.as_str().into();
    }
    match &news.stage {
        Stage::Wrote(line) => hook["output"] = line.as_str().into(),
        Stage::Going(time) | Stage::Done(time) | Stage::Failed(time) => {
            hook["elapsed_seconds"] = time.as_secs().into();
        }
        Stage::Begun | Stage::Deferred | Stage::Listing { .. } | Stage::Found(_) | Stage::Listed(_) => {}
    }
    if news.task == Task::Provision {
        hook["provisioner"] = "local-exec".into();
    }
    hook
}

fn seconds(time: Duration) -> String {
    match (time.as_secs() / 60, time.as_secs() % 60) {
        (0, seconds) => format!("{seconds}s"),
        (minutes, seconds) => format!("{minutes}m{seconds:02}s"),
    }
}
