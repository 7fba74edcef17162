//! `query`

use ferroform::path::Path;
use serde_json::{Value as Json, json};

use super::arguments::Options;
use super::folder::{Files, Folder};
use super::keeper::Keeper;
use super::progress;
use super::screen::Screen;
use super::{Ended, Play};
use crate::address::InstanceAddress;
use crate::diagnostic::Diagnostic;
use crate::embedded::{ListedResource, Progress, Stage, Task};

/// Lists what the query files of a folder ask for.
pub(super) async fn query(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let folder = Folder::new(options);
    folder.check()?;
    screen.begin();
    let out = options.generated_file()?;
    let configuration = folder.configuration(options, Files::Queries, screen)?;
    screen.tell(configuration.diagnostics());
    let state = Keeper::look(play, options).await?;
    let showing = screen.clone();
    let core =
        play.core().with_parallelism(options.parallelism).on_progress(move |news| tell(&showing, news));
    let query = core.query(&configuration, &state, options.plan.generation).await;
    screen.tell(&query.diagnostics);
    let generated = query.found.iter().filter_map(|(_, listed)| listed.generated.as_ref());
    let blocks: Vec<_> = generated.flat_map(|it| [it.resource.clone(), it.import.clone()]).collect();
    if let Some(file) = out {
        file.write("query", &blocks, screen)?;
    }
    Ok(u8::from(query.diagnostics.iter().any(Diagnostic::is_error)))
}

/// Tells what was found, and in lines of JSON what was read for it.
fn tell(screen: &Screen, news: &Progress) {
    let Progress { address, .. } = news;
    if news.task != Task::List {
        if screen.is_json() {
            progress::tell(screen, news);
        }
        return;
    }
    let event = |kind: &str, message: &str, mut members: Json| {
        members["address"] = address.to_string().into();
        members["resource_type"] = address.resource.type_name.as_str().into();
        screen.event(kind, &format!("{address}: {message}"), json!({ kind: members }));
    };
    match (&news.stage, screen.is_json()) {
        (Stage::Found(listed), true) => event("list_resource_found", "Result found", listed.event(address)),
        (Stage::Found(listed), false) => screen.out(&line(address, listed)),
        (Stage::Listing { config, sensitive }, true) => {
            event("list_start", "Starting query...", start(config.as_ref(), sensitive));
        }
        (Stage::Listed(total), true) => event("list_complete", "List complete", json!({"total": total})),
        _ => {}
    }
}

/// How a list begins. Core shows sensitive arguments in clear.
fn start(config: Option<&Json>, sensitive: &[Path]) -> Json {
    let mut json = json!({});
    if let Some(config) = config {
        json["input_config"] = config.clone();
    }
    if !sensitive.is_empty() {
        json["sensitive_attribute_paths"] = sensitive.iter().map(|path| format!(".{path}")).collect();
    }
    json
}

/// The line for people: the list, the identity, and the name.
fn line(address: &InstanceAddress, listed: &ListedResource) -> String {
    let members = listed.identity.as_object().into_iter().flatten();
    let member = |(name, value): (&String, &Json)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    };
    let identity = members.map(member).collect::<Vec<_>>().join(",");
    format!("{address}   {identity}   {}\n", listed.display_name)
}
