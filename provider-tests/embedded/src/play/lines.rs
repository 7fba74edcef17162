//! Lines of JSON about plans, in the form of those of core, and the counts at the end.

use serde_json::{Map, Value as Json, json};

use super::screen::Screen;
use crate::address::{InstanceAddress, InstanceKey};
use crate::embedded::{Progress, Stage, Task};
use crate::plan::Mode;
use crate::render::Counts;

impl Counts {
    /// Counts imports from the plan: an import without a change reports no progress.
    pub(in crate::play) fn with_imports(self, plan: &Json) -> Self {
        Self { import: Self::of(plan).import, ..self }
    }

    /// Counts a change that has succeeded. A planned change may fail, be left out, or turn out to change nothing.
    pub(in crate::play) fn note(&mut self, news: &Progress) {
        if !matches!(news.stage, Stage::Done(_)) {
            return;
        }
        match news.task {
            Task::Create => self.add += 1,
            Task::Update => self.change += 1,
            Task::Delete => self.remove += 1,
            Task::Invoke => self.invoke += 1,
            _ => {}
        }
    }

    /// What was done.
    pub(in crate::play) fn done(self) -> String {
        let counts = self.counted(["imported", "added", "changed", "destroyed", "invoked"]);
        format!("Resources: {counts}")
    }

    pub(in crate::play) fn destroyed(self) -> String {
        format!("Resources: {} destroyed.", self.remove)
    }

    /// The counts in JSON, for what an operation does.
    pub(in crate::play) fn json(self, operation: &str) -> Json {
        let Self { import, add, change, remove, invoke } = self;
        json!({"changes": {
            "import": import,
            "add": add,
            "change": change,
            "remove": remove,
            "action_invocation": invoke,
            "operation": operation,
        }})
    }
}

/// An instance.
pub(super) fn resource(address: &InstanceAddress, deposed: Option<&str>) -> Json {
    let InstanceAddress { resource, key } = address;
    let own = InstanceAddress {
        resource: crate::address::ResourceAddress { module: Default::default(), ..resource.clone() },
        key: key.clone(),
    };
    let mut json = json!({
        "addr": address.to_string(),
        "module": resource.module.to_string(),
        "resource": own.to_string(),
        "implied_provider": resource.type_name.split('_').next().unwrap_or_default(),
        "resource_type": resource.type_name,
        "resource_name": resource.name,
        "resource_key": match key {
            InstanceKey::None => Json::Null,
            InstanceKey::Index(index) => (*index).into(),
            InstanceKey::Key(key) => key.as_str().into(),
        },
    });
    if let Some(key) = deposed {
        json["deposed"] = key.into();
    }
    json
}

/// The lines of a plan in JSON.
pub(super) fn plan(screen: &Screen, plan: &Json) {
    let all = |name: &str| plan.get(name).and_then(Json::as_array).cloned().unwrap_or_default();
    for drift in all("resource_drift") {
        let (address, change) = brief(&drift);
        let text = format!("{address}: Drift detected ({})", action(&drift));
        screen.event("resource_drift", &text, json!({"change": change}));
    }
    for planned in all("resource_changes") {
        if action(&planned) != "noop" {
            let (address, change) = brief(&planned);
            let text = format!("{address}: Plan to {}", action(&planned));
            screen.event("planned_change", &text, json!({"change": change}));
        }
    }
    for invocation in all("action_invocations") {
        planned_invocation(screen, &invocation);
    }
    let counts = Counts::of(plan);
    screen.event("change_summary", &format!("Plan: {}", counts.planned()), counts.json("plan"));
    let outputs = plan.get("output_changes").and_then(Json::as_object).cloned().unwrap_or_default();
    let outputs: Map<String, Json> = outputs
        .into_iter()
        .map(|(name, change)| {
            let secret = ["before_sensitive", "after_sensitive"].iter().any(|it| change[*it] == true);
            (name, json!({"sensitive": secret, "action": word(change.get("actions"))}))
        })
        .collect();
    if !outputs.is_empty() {
        screen.event("outputs", &format!("Outputs: {}", outputs.len()), json!({"outputs": outputs}));
    }
}

fn planned_invocation(screen: &Screen, invocation: &Json) {
    let address = |json: &Json| json.as_str()?.parse::<InstanceAddress>().ok();
    let Some(of) = invocation.get("address").and_then(address) else { return };
    let mut json = json!({"action_addr": action_of(&of)});
    match invocation.get("lifecycle_action_trigger") {
        None => json["action_trigger"] = json!({}),
        Some(trigger) => {
            let triggering = trigger.get("triggering_resource_address").and_then(address);
            json["lifecycle_trigger"] = json!({
                "triggering_resource": triggering.map(|it| resource(&it, None)),
                "triggering_event": trigger["action_trigger_event"],
                "action_trigger_block_index": trigger["action_trigger_block_index"],
                "actions_list_index": trigger["actions_list_index"],
            });
        }
    }
    let text = format!("planned action invocation: {of}");
    screen.event("planned_action_invocation", &text, json!({"invocation": json}));
}

/// An instance of an action.
pub(super) fn action_of(address: &InstanceAddress) -> Json {
    let json = resource(address, None);
    json!({
        "addr": json["addr"],
        "module": json["module"],
        "action": json["resource"],
        "implied_provider": json["implied_provider"],
        "action_type": json["resource_type"],
        "action_name": json["resource_name"],
        "action_key": json["resource_key"],
    })
}

/// The one word for what is done.
fn action(change: &Json) -> &'static str {
    match word(change.pointer("/change/actions")) {
        "noop" if change.pointer("/change/importing").is_some() => "import",
        "noop" if change.get("previous_address").is_some() => "move",
        word => word,
    }
}

fn word(actions: Option<&Json>) -> &'static str {
    let actions = actions.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let actions: Vec<&str> = actions.iter().filter_map(Json::as_str).collect();
    match actions.as_slice() {
        ["create"] => "create",
        ["read"] => "read",
        ["update"] => "update",
        ["delete"] => "delete",
        ["forget"] => "remove",
        ["delete", "create"] | ["create", "delete"] | ["create", "forget"] | ["forget", "create"] => {
            "replace"
        }
        _ => "noop",
    }
}

/// What is told of a change: no values.
fn brief(change: &Json) -> (String, Json) {
    let text = |name: &str| change.get(name).and_then(Json::as_str);
    let of =
        |name: &str| text(name)?.parse::<InstanceAddress>().ok().map(|it| resource(&it, text("deposed")));
    let mut json = json!({"resource": of("address"), "action": action(change)});
    if let Some(before) = of("previous_address") {
        json["previous_resource"] = before;
    }
    if let Some(reason) = text("action_reason") {
        json["reason"] = self::reason(reason).into();
    }
    if let Some(importing) = change.pointer("/change/importing") {
        json["importing"] = importing.clone();
    }
    (text("address").unwrap_or_default().to_owned(), json)
}

/// These lines have words of their own for why something is replaced.
fn reason(reason: &str) -> &str {
    match reason {
        "replace_because_tainted" => "tainted",
        "replace_by_request" => "requested",
        "replace_because_cannot_update" => "cannot_update",
        other => other,
    }
}

/// What an operation is called that makes a plan come true.
pub(super) fn operation(mode: Mode) -> &'static str {
    match mode {
        Mode::Destroy => "destroy",
        Mode::Normal | Mode::RefreshOnly => "apply",
    }
}
