//! What is printed while objects change, and the counts at the end.

use serde_json::{Value as Json, json};

use super::screen::Screen;
use crate::embedded::{Progress, Stage};
use crate::plan::{Action, Plan};

/// Tells how far a change has come.
pub(super) fn progress(screen: &Screen, news: &Progress) {
    let deposed = news.deposed.as_ref().map(|key| format!(" (deposed object {key})")).unwrap_or_default();
    let (doing, done) = match news.action {
        Action::Create => ("Creating...", "Creation complete"),
        Action::Update => ("Modifying...", "Modifications complete"),
        Action::Delete => ("Destroying...", "Destruction complete"),
        Action::Read => ("Reading...", "Read complete"),
        Action::Forget => ("Removing from the state...", "Removed from the state"),
        _ => return,
    };
    let (text, kind) = match news.stage {
        Stage::Begun => (doing, "apply_start"),
        Stage::Done => (done, "apply_complete"),
        Stage::Failed => ("Failed", "apply_errored"),
    };
    let text = format!("{}{deposed}: {text}", news.address);
    if screen.is_json() {
        let action = news.action.words().first().copied().unwrap_or_default();
        let resource = json!({"addr": news.address.to_string(), "deposed": news.deposed});
        let hook = json!({"resource": resource, "action": action});
        screen.line(&json!({"@level": "info", "@message": text, "type": kind, "hook": hook}));
    } else {
        screen.out(&format!("{text}\n"));
    }
}

/// How many objects a plan changes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    import: usize,
    add: usize,
    change: usize,
    remove: usize,
}

impl Counts {
    pub(super) fn of(plan: &Plan) -> Self {
        let mut counts = Self::default();
        for change in &plan.changes {
            counts.import += usize::from(change.importing.is_some());
            match change.action {
                Action::Create | Action::CreateThenForget => counts.add += 1,
                Action::Update => counts.change += 1,
                Action::DeleteThenCreate | Action::CreateThenDelete => {
                    counts.add += 1;
                    counts.remove += 1;
                }
                Action::Delete if change.address.resource.mode == crate::address::Mode::Managed => {
                    counts.remove += 1;
                }
                _ => {}
            }
        }
        counts
    }

    /// What was done.
    pub(super) fn done(self) -> String {
        let Self { import, add, change, remove } = self;
        let import = if import > 0 { format!("{import} imported, ") } else { String::new() };
        format!("Resources: {import}{add} added, {change} changed, {remove} destroyed.")
    }

    pub(super) fn destroyed(self) -> String {
        format!("Resources: {} destroyed.", self.remove)
    }

    fn json(self) -> Json {
        let Self { import, add, change, remove } = self;
        json!({"import": import, "add": add, "change": change, "remove": remove})
    }
}

/// The lines of a plan in JSON.
pub(super) fn plan(screen: &Screen, plan: &Json, counts: Counts) {
    let line = |kind: &str, name: &str, value: &Json| {
        screen.line(&json!({"@level": "info", "type": kind, name: value}));
    };
    let all = |name: &str| plan.get(name).and_then(Json::as_array).cloned().unwrap_or_default();
    all("resource_drift").iter().for_each(|it| line("resource_drift", "change", &brief(it)));
    for change in all("resource_changes") {
        let idle = change.pointer("/change/actions") == Some(&json!(["no-op"]));
        if !idle || change.get("previous_address").is_some() || change.pointer("/change/importing").is_some()
        {
            line("planned_change", "change", &brief(&change));
        }
    }
    line("change_summary", "changes", &counts.json());
}

/// What is told of a change: no values.
fn brief(change: &Json) -> Json {
    let member = |name: &str| change.get(name).cloned().unwrap_or_default();
    let mut json = json!({
        "resource": {"addr": member("address"), "deposed": member("deposed")},
        "actions": change.pointer("/change/actions").cloned().unwrap_or_default(),
    });
    for (name, from) in [("previous_address", "previous_address"), ("reason", "action_reason")] {
        if let Some(value) = change.get(from) {
            json[name] = value.clone();
        }
    }
    json
}
