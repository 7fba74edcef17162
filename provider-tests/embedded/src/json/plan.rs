//! Plans as `show -json` prints them.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use ferroform::value::Value;
use serde_json::{Map, Value as Json, json};

use super::resource::{Module, address};
use super::state::{identity, sensitive, ty};
use super::{ResourceSchemas, digits, known, value};
use crate::address::{Mode as Kind, ProviderAddress};
use crate::client::Schemas;
use crate::plan::{
    Action, ActionInvocation, ActionReason, Importing, Mode, OutputChange, Plan, ResourceChange,
};
use crate::state::StateError;

impl Plan {
    /// The plan as `show -json` prints it (format 1.2), sensitive values in clear. What is left out is said in
    /// [`crate::json`].
    ///
    /// # Errors
    /// A resource that has no schema, and an object of the prior state that is not of its schema.
    pub fn to_json<S: Borrow<Schemas>>(
        &self,
        schemas: &BTreeMap<ProviderAddress, S>,
    ) -> Result<Json, StateError> {
        self.to_exact_json(schemas).map(digits::rounded)
    }

    /// The same with all [digits](super::digits) of numbers.
    pub(crate) fn to_exact_json<S: Borrow<Schemas>>(
        &self,
        schemas: &BTreeMap<ProviderAddress, S>,
    ) -> Result<Json, StateError> {
        let mut json = json!({
            "format_version": "1.2",
            "terraform_version": self.emulated.version.to_string(),
            "timestamp": self.timestamp,
            "planned_values": self.planned_values(schemas)?,
            "errored": self.errored,
        });
        if self.emulated.tells_applyable() {
            json["applyable"] = self.applyable.into();
            json["complete"] = self.complete.into();
        }
        let variables = self.configuration.shown_variables().into_iter();
        let variables: Map<String, Json> =
            variables.map(|(name, value)| (name, json!({"value": value::known(&value)}))).collect();
        if !variables.is_empty() {
            json["variables"] = variables.into();
        }
        let moved_only = |change: &&ResourceChange| change.action == Action::NoOp;
        let drift = self.drift.iter().filter(|change| self.mode == Mode::RefreshOnly || !moved_only(change));
        let all = self.emulated.plans_all_identities();
        let (of_drift, of_changes) =
            if all { (Identities::All, Identities::All) } else { (Identities::Hidden, Identities::Shown) };
        let drift = drift.map(|it| change(it, schemas, of_drift));
        put(&mut json, "resource_drift", drift.collect::<Result<_, _>>()?);
        let shown = self.changes.iter().filter(|it| is_shown(it));
        let changes = shown.map(|it| change(it, schemas, of_changes));
        put(&mut json, "resource_changes", changes.collect::<Result<_, _>>()?);
        let deferred = self.deferred.iter().map(|deferred| {
            let mut change = change(&deferred.change, schemas, of_changes)?;
            if deferred.stands_for_all()
                && let Some(members) = change.as_object_mut()
            {
                members.remove("index");
                members.insert("index_unknown".to_owned(), true.into());
            }
            Ok(json!({"reason": deferred.reason, "resource_change": change}))
        });
        put(&mut json, "deferred_changes", deferred.collect::<Result<_, StateError>>()?);
        let deferred = self.deferred_invocations.iter().map(|deferred| {
            let invocation = invocation(&deferred.invocation, schemas)?;
            Ok(json!({"reason": deferred.reason, "action_invocation": invocation}))
        });
        put(&mut json, "deferred_action_invocations", deferred.collect::<Result<_, StateError>>()?);
        let invocations = self.invocations.iter().map(|it| invocation(it, schemas));
        put(&mut json, "action_invocations", invocations.collect::<Result<_, _>>()?);
        if !self.outputs.is_empty() {
            let outputs = self.outputs.iter().map(|(name, change)| (name.clone(), output(change)));
            json["output_changes"] = Json::Object(outputs.collect());
        }
        put(&mut json, "checks", super::checks::shown(&self.checks));
        let relevant = self.relevant_attributes.iter().map(|it| {
            let attribute: Json = value::steps(&it.attribute);
            json!({"resource": it.resource.to_string(), "attribute": attribute})
        });
        put(&mut json, "relevant_attributes", relevant.collect());
        let mut prior = self.prior_state.to_exact_json(schemas)?;
        // What has come of checks before is not told here.
        prior.as_object_mut().and_then(|prior| prior.remove("checks"));
        if prior.get("values").is_some() {
            prior["terraform_version"] = self.emulated.version.to_string().into();
            json["prior_state"] = prior;
        }
        json["configuration"] = self.configuration.tree().to_json(schemas, &self.emulated);
        Ok(json)
    }

    fn planned_values<S: Borrow<Schemas>>(
        &self,
        schemas: &BTreeMap<ProviderAddress, S>,
    ) -> Result<Json, StateError> {
        let mut planned = Vec::new();
        for change in self.changes.iter().filter(|it| is_planned(it)) {
            let known = schema_of(change, schemas)?;
            let mut json = address(&change.address, &change.provider.provider);
            json.insert("schema_version".to_owned(), known.schema.version.into());
            let values =
                value::known(&change.after).filter(|it| it.as_object().is_some_and(|it| !it.is_empty()));
            if let Some(values) = values {
                json.insert("values".to_owned(), values);
            }
            let sensitive = sensitive(known.schema, &change.after, &change.after_sensitive);
            json.insert("sensitive_values".to_owned(), sensitive);
            let after = change.after_identity.as_ref().filter(|_| change.action != Action::Forget);
            if let (Some(schema), Some(after)) = (known.identity, after) {
                identity(&mut json, schema, wholly_known(after));
            }
            planned.push((change.address.to_string(), &change.address.resource.module, json));
        }
        // Here core sorts the addresses as texts, elsewhere not.
        planned.sort_by(|a, b| a.0.cmp(&b.0));
        let mut root = Module::default();
        planned.into_iter().for_each(|(_, module, json)| root.add(module, json));
        let mut values = json!({"root_module": root.into_json()});
        let kept = self.outputs.iter().filter(|(_, change)| change.action != Action::Delete);
        let outputs: Map<String, Json> =
            kept.map(|(name, change)| (name.clone(), planned_output(change))).collect();
        if !outputs.is_empty() {
            values["outputs"] = outputs.into();
        }
        Ok(values)
    }
}

/// Whether a change is told at all: that a data source is no longer there is not.
fn is_shown(change: &ResourceChange) -> bool {
    change.address.resource.mode == Kind::Managed || change.action != Action::Delete
}

/// Whether the planned values have the object. Objects to forget are there, without values.
fn is_planned(change: &ResourceChange) -> bool {
    change.deposed.is_none() && change.action != Action::Delete
}

pub(super) fn put(json: &mut Json, name: &str, elements: Vec<Json>) {
    if !elements.is_empty() {
        json[name] = elements.into();
    }
}

/// Whether identities are told.
#[derive(Clone, Copy, PartialEq)]
enum Identities {
    All,
    /// But for objects that are forgotten, and for those before that are taken for lost.
    Shown,
    Hidden,
}

fn schema_of<'s, S: Borrow<Schemas>>(
    change: &ResourceChange,
    schemas: &'s BTreeMap<ProviderAddress, S>,
) -> Result<ResourceSchemas<'s>, StateError> {
    known(schemas, &change.provider.provider, &change.address.resource)
        .map_err(|error| error.within(change.address.to_string()))
}

fn change<S: Borrow<Schemas>>(
    change: &ResourceChange,
    schemas: &BTreeMap<ProviderAddress, S>,
    identities: Identities,
) -> Result<Json, StateError> {
    let known = schema_of(change, schemas)?;
    let mut json = address(&change.address, &change.provider.provider);
    let mut text = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            json.insert(name.to_owned(), text.into());
        }
    };
    let previous = change.previous_address.as_ref().filter(|previous| **previous != change.address);
    text("previous_address", previous.map(ToString::to_string));
    let module = &change.address.resource.module;
    text("module_address", (!module.0.is_empty()).then(|| module.to_string()));
    text("deposed", change.deposed.clone());
    text("action_reason", change.reason.map(|reason| reason.as_str().to_owned()));
    let mut values = values(change, &known);
    let lost = change.reason == Some(ActionReason::ReplaceBecauseTainted);
    match identities {
        Identities::All => self::identities(&mut values, change.before_identity.as_ref(), change),
        Identities::Shown if change.action != Action::Forget => {
            self::identities(&mut values, change.before_identity.as_ref().filter(|_| !lost), change);
        }
        Identities::Shown | Identities::Hidden => {}
    }
    json.insert("change".to_owned(), values.into());
    Ok(json.into())
}

/// What changes in an object.
fn values(change: &ResourceChange, known: &ResourceSchemas<'_>) -> Map<String, Json> {
    let mut json = Map::new();
    let mut put = |name: &str, value: Json| {
        json.insert(name.to_owned(), value);
    };
    put("actions", change.action.words().into());
    put("before", value::known(&change.before).unwrap_or(Json::Null));
    if let Some(after) = value::known(&change.after) {
        put("after", after);
    }
    let wholly_known = change.after.is_wholly_known();
    put("after_unknown", if wholly_known { json!({}) } else { value::unknown(&change.after) });
    put("before_sensitive", sensitive(known.schema, &change.before, &change.before_sensitive));
    put("after_sensitive", sensitive(known.schema, &change.after, &change.after_sensitive));
    if !change.replace_paths.is_empty() {
        put("replace_paths", value::paths(&change.replace_paths));
    }
    if let Some(importing) = &change.importing {
        put("importing", self::importing(importing));
    }
    if let Some(text) = &change.generated_config {
        put("generated_config", text.as_str().into());
    }
    json
}

/// Adds the identities before and after, where they are known. Real cores cannot show a plan with an unknown one.
fn identities(json: &mut Map<String, Json>, before: Option<&Value>, change: &ResourceChange) {
    let both = [("before_identity", before), ("after_identity", change.after_identity.as_ref())];
    for (name, identity) in both {
        if let Some(identity) = identity.and_then(wholly_known) {
            json.insert(name.to_owned(), identity);
        }
    }
}

/// An identity, if there is one and all of it is known.
fn wholly_known(identity: &Value) -> Option<Json> {
    let shown = identity.is_wholly_known() && !identity.is_null();
    shown.then(|| value::known(identity)).flatten()
}

fn importing(importing: &Importing) -> Json {
    match importing {
        Importing::Id(id) => json!({"id": id}),
        Importing::Identity(identity) => match value::known(identity) {
            Some(identity) => json!({"identity": identity}),
            None => json!({"unknown": true}),
        },
    }
}

fn invocation<S: Borrow<Schemas>>(
    it: &ActionInvocation,
    schemas: &BTreeMap<ProviderAddress, S>,
) -> Result<Json, StateError> {
    let resource = &it.address.resource;
    let known = known(schemas, &it.provider.provider, resource)
        .map_err(|error| error.within(it.address.to_string()))?;
    let mut json = json!({
        "address": it.address.to_string(),
        "type": resource.type_name,
        "name": resource.name,
        "config_values": value::known(&it.config).unwrap_or(Json::Null),
        "config_sensitive": sensitive(known.schema, &it.config, &it.sensitive),
        "config_unknown": value::unknown(&it.config),
        "provider_name": it.provider.provider.to_string(),
    });
    match &it.trigger {
        None => json["invoke_action_trigger"] = json!({}),
        Some(trigger) => {
            json["lifecycle_action_trigger"] = json!({
                "triggering_resource_address": trigger.resource.to_string(),
                "action_trigger_event": trigger.event.in_json(),
                "action_trigger_block_index": trigger.block,
                "actions_list_index": trigger.index,
            });
        }
    }
    Ok(json)
}

fn output(change: &OutputChange) -> Json {
    // Core remembers only whether an output is sensitive before or after.
    let sensitive = change.before_sensitive || change.after_sensitive;
    let mut json = json!({
        "actions": change.action.words(),
        "before": value::known(&change.before),
        "after_unknown": unknown_output(&change.after),
        "before_sensitive": sensitive,
        "after_sensitive": sensitive,
    });
    if let Some(after) = value::known(&change.after) {
        json["after"] = after;
    }
    json
}

fn unknown_output(value: &Value) -> Json {
    if value.is_wholly_known() { Json::Bool(false) } else { value::unknown(value) }
}

/// The output after the change. Of a value that is not wholly known nothing is told.
fn planned_output(change: &OutputChange) -> Json {
    let mut json = json!({"sensitive": change.before_sensitive || change.after_sensitive});
    if change.after.is_wholly_known() {
        json["type"] = ty(&change.ty);
        json["value"] = value::known(&change.after).unwrap_or(Json::Null);
    }
    json
}
