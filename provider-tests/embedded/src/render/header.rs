//! What is said above a change.

use serde_json::Value as Json;

use super::paint::{Colour, Style};
use super::{text, text_of};
use crate::address::Mode;
use crate::plan::Action;

/// Which list of a plan a change is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeSection {
    /// What is to be done.
    Planned,
    /// What has happened.
    Found,
    /// What is to be done later.
    Deferred,
}

/// What happens, by the words of the JSON form.
pub(super) fn action(change: &Json) -> Action {
    let words: Vec<&str> = super::elements(change, "actions").iter().filter_map(Json::as_str).collect();
    Action::ALL.into_iter().find(|action| action.words() == words).unwrap_or(Action::NoOp)
}

/// The comment above the block of a change.
pub(super) fn comment(resource: &Json, told: ChangeSection, colour: Colour) -> String {
    let deposed = match text_of(resource, "deposed") {
        "" => String::new(),
        key => format!(" (deposed object {key})"),
    };
    let change = resource.get("change").unwrap_or(&Json::Null);
    let action = action(change);
    let previous = text_of(resource, "previous_address");
    let subject = match previous {
        before if action == Action::NoOp && !before.is_empty() => before,
        _ => text_of(resource, "address"),
    };
    let address = colour.paint(Style::Bold, &format!("{subject}{deposed}"));
    // Core moves the comment of an object to forget to the left, as its mark, but not where it was before.
    let indent = if action == Action::Forget { " " } else { "  " };
    let mut text = format!("{indent}# {address}{}", what(resource, action, told, colour));
    if let Some(reason) = reason(resource, action).filter(|_| told == ChangeSection::Planned) {
        text.push_str(&format!("\n{indent}# {reason}"));
    }
    let mut more = |line: String| text.push_str(&format!("\n  # {line}"));
    if !previous.is_empty() && action != Action::NoOp {
        more(format!("(moved from {previous})"));
    }
    if change.get("importing").is_some_and(|it| !it.is_null()) && action != Action::NoOp {
        more(match change.pointer("/importing/id").and_then(Json::as_str) {
            Some(id) => format!("(imported from {})", text::quoted(id)),
            None => "(imported)".to_owned(),
        });
    }
    if change.get("generated_config").is_some() && action == Action::NoOp {
        more("(config will be generated)".to_owned());
    }
    text
}

/// What becomes of the object.
fn what(resource: &Json, action: Action, told: ChangeSection, colour: Colour) -> String {
    let red = |text: &str| colour.paint(Style::Red, text);
    let reason = text_of(resource, "action_reason");
    match (action, told) {
        (_, ChangeSection::Deferred) => " is deferred".to_owned(),
        (Action::Create, _) => " will be created".to_owned(),
        (Action::Read, _) => " will be read during apply".to_owned(),
        (Action::Update, ChangeSection::Found) => " has changed".to_owned(),
        (Action::Update, _) => " will be updated in-place".to_owned(),
        (Action::Delete, ChangeSection::Found) => " has been deleted".to_owned(),
        (Action::Delete, _) => format!(" will be {}", red("destroyed")),
        (Action::Forget, _) => {
            " will no longer be managed by Terraform, but will not be destroyed".to_owned()
        }
        (Action::CreateThenForget | Action::ForgetThenCreate, _) => {
            format!(" must be {}, and the existing object will not be destroyed", red("replaced"))
        }
        (Action::NoOp, _) => match text_of(resource, "previous_address") {
            "" => " will be imported".to_owned(),
            // The address before comes first here.
            _ => format!(" has moved to {}", colour.paint(Style::Bold, text_of(resource, "address"))),
        },
        (Action::DeleteThenCreate | Action::CreateThenDelete, _) => match reason {
            "replace_because_tainted" => format!(" is tainted, so must be {}", red("replaced")),
            "replace_by_request" => format!(" will be {}, as requested", red("replaced")),
            "replace_by_triggers" => {
                format!(" will be {} due to changes in replace_triggered_by", red("replaced"))
            }
            _ => format!(" must be {}", red("replaced")),
        },
    }
}

/// Why a change or an invocation is deferred, in brackets, by the word of the JSON form.
pub(super) fn why_deferred(reason: &str) -> &'static str {
    match reason {
        "instance_count_unknown" => "(because the number of instances is not known before apply)",
        "resource_config_unknown" => "(because its configuration is not known before apply)",
        "provider_config_unknown" => "(because the configuration of its provider is not known before apply)",
        "absent_prereq" => "(because something that it needs is not there yet)",
        "deferred_prereq" => "(because something that it depends on is deferred)",
        _ => "(for a reason that the provider does not give)",
    }
}

/// Why, in brackets.
fn reason(resource: &Json, action: Action) -> Option<String> {
    let prefix = Mode::prefix_of_json(text_of(resource, "mode"));
    let block = format!("{prefix}{}.{}", text_of(resource, "type"), text_of(resource, "name"));
    let key = || resource.get("index").map(ToString::to_string).unwrap_or_default();
    let text = match text_of(resource, "action_reason") {
        _ if action == Action::Forget => "destroy = false is set in the configuration".to_owned(),
        "delete_because_no_resource_config" => format!("because {block} is not in configuration"),
        "delete_because_no_module" => {
            format!("because {} is not in configuration", text_of(resource, "module_address"))
        }
        "delete_because_no_move_target" => {
            format!("because {block} was moved to what is not in configuration")
        }
        "delete_because_wrong_repetition" => match resource.get("index") {
            None => "because resource uses count or for_each".to_owned(),
            Some(Json::Number(_)) => "because resource does not use count".to_owned(),
            Some(_) => "because resource does not use for_each".to_owned(),
        },
        "delete_because_count_index" => format!("because index [{}] is out of range for count", key()),
        "delete_because_each_key" => format!("because key [{}] is not in for_each map", key()),
        "read_because_config_unknown" => "config refers to values not yet known".to_owned(),
        "read_because_dependency_pending" => {
            "depends on a resource or a module with changes pending".to_owned()
        }
        "read_because_check_nested" => "config will be reloaded to verify a check block".to_owned(),
        _ if action == Action::Delete && !text_of(resource, "deposed").is_empty() => {
            "left over from a partially-failed replacement of this instance".to_owned()
        }
        _ => return None,
    };
    Some(format!("({text})"))
}
