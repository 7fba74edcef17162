//! Plans.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value as Json};

use super::diff::Diff;
use super::header::{ChangeSection, action, comment, why_deferred};
use super::paint::{Colour, Style};
use super::pair::Pair;
use super::write::{RenderMode, Writer};
use super::{RenderError, declaration, elements, schema, text, text_of};
use crate::address::ProviderAddress;
use crate::client::Schemas;
use crate::plan::{Action, Mode};

/// The text of a plan, of which this is what `show -json` prints.
///
/// Changes outside of core are shown in a refresh-only plan. In a normal plan with changes, only those are shown on which something in
/// the plan depends.
///
/// # Errors
/// A resource that has no schema.
pub fn plan<S: Borrow<Schemas>>(
    json: &Json,
    schemas: &BTreeMap<ProviderAddress, S>,
    mode: Mode,
    colour: Colour,
) -> Result<String, RenderError> {
    let shown: Vec<&Json> = elements(json, "resource_changes").iter().filter(|it| is_shown(it)).collect();
    let outputs = outputs(json, colour);
    let mut text = String::new();
    let drift = elements(json, "resource_drift").iter();
    let found: Vec<Cow<'_, Json>> = match mode {
        Mode::RefreshOnly => drift.filter(|it| is_shown(it)).map(Cow::Borrowed).collect(),
        Mode::Normal if !shown.is_empty() || !outputs.is_empty() => {
            let paths = relevant_paths(json);
            let of = |it: &Json| paths.get(text_of(it, "address")).map_or(&[][..], Vec::as_slice);
            drift.filter_map(|it| relevant(it, of(it))).map(Cow::Owned).collect()
        }
        _ => Vec::new(),
    };
    if !found.is_empty() {
        let note = colour.paint(Style::Cyan, "Note:");
        text.push_str(&format!("{note} Objects have changed outside of Terraform\n\n"));
        for resource in &found {
            text.push_str(&block(resource, ChangeSection::Found, schemas, colour)?);
        }
    }
    let invoked = super::action_invocation::invoked(json, schemas, colour)?;
    if !invoked.is_empty() {
        let counts = Counts { invoke: Counts::of(json).invoke, ..Counts::default() };
        text.push_str(&summary(counts, colour));
        return Ok(text + &format!("\nThese actions are to be invoked:\n\n{invoked}"));
    }
    if shown.is_empty() && outputs.is_empty() {
        let deferred = deferred(json, schemas, colour)?;
        text.push_str(if deferred.is_empty() { nothing(mode, !text.is_empty()) } else { NOTHING_YET });
        return Ok(text + &deferred);
    }
    if !shown.is_empty() {
        text.push_str(&legend(&shown, colour));
        for resource in &shown {
            text.push_str(&block(resource, ChangeSection::Planned, schemas, colour)?);
            text.push_str(&super::action_invocation::triggered(
                json,
                text_of(resource, "address"),
                schemas,
                colour,
            )?);
        }
        text.push_str(&summary(Counts::of(json), colour));
    }
    if !outputs.is_empty() {
        let title = if shown.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{title}Changes to Outputs:\n{outputs}"));
        if shown.is_empty() {
            text.push_str("\nApplying this plan stores the new output values and changes no objects.\n");
        }
    }
    Ok(text + &deferred(json, schemas, colour)?)
}

/// The paths that something in the plan depends on, by the object in which they are.
fn relevant_paths(plan: &Json) -> HashMap<&str, Vec<&[Json]>> {
    let mut paths: HashMap<_, Vec<_>> = HashMap::new();
    for relevant in elements(plan, "relevant_attributes") {
        paths.entry(text_of(relevant, "resource")).or_default().push(elements(relevant, "attribute"));
    }
    paths
}

/// What has changed outside of core, with only those attributes changed that something in the plan depends on.
fn relevant(found: &Json, paths: &[&[Json]]) -> Option<Json> {
    let change = found.get("change")?;
    let before = change.get("before")?;
    let after = only(before, change.get("after")?, paths);
    if after == *before {
        return None;
    }
    let mut found = found.clone();
    *found.get_mut("change")?.get_mut("after")? = after;
    Some(found)
}

/// The value before, with what is at these paths after.
fn only(before: &Json, after: &Json, paths: &[&[Json]]) -> Json {
    if paths.is_empty() {
        return before.clone();
    }
    if paths.iter().any(|path| path.is_empty()) {
        return after.clone();
    }
    let below = |is_step: &dyn Fn(&Json) -> bool| -> Vec<&[Json]> {
        let rest = paths.iter().filter_map(|path| path.split_first());
        rest.filter(|(step, _)| is_step(step)).map(|(_, rest)| rest).collect()
    };
    // What is new has nothing before.
    let parts: Json = match if before.is_null() { after } else { before } {
        Json::Object(_) => {
            let members = [before, after].into_iter().filter_map(Json::as_object).flatten();
            let names: BTreeSet<&String> = members.map(|(name, _)| name).collect();
            let member = |name: &String| {
                let paths = below(&|step| step.as_str() == Some(name));
                let is_there = before.get(name).is_some() || !paths.is_empty();
                is_there.then(|| (name.clone(), only(&before[name], &after[name], &paths)))
            };
            names.into_iter().filter_map(member).collect()
        }
        Json::Array(_) => {
            let [held, now] = [before, after].map(|it| it.as_array().map_or(0, Vec::len));
            let element = |at: usize| {
                let paths = below(&|step| step.as_u64() == u64::try_from(at).ok());
                (at < held || !paths.is_empty()).then(|| only(&before[at], &after[at], &paths))
            };
            (0..held.max(now)).filter_map(element).collect()
        }
        _ => return before.clone(),
    };
    let is_empty =
        parts.as_object().is_some_and(Map::is_empty) || parts.as_array().is_some_and(Vec::is_empty);
    if before.is_null() && is_empty { Json::Null } else { parts }
}

/// Whether there is a block for a change.
fn is_shown(resource: &Json) -> bool {
    let change = resource.get("change").unwrap_or(&Json::Null);
    action(change) != Action::NoOp
        || !text_of(resource, "previous_address").is_empty()
        || change.get("importing").is_some_and(|it| !it.is_null())
}

fn block<S: Borrow<Schemas>>(
    resource: &Json,
    told: ChangeSection,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
) -> Result<String, RenderError> {
    let change = resource.get("change").unwrap_or(&Json::Null);
    let pair = Pair::of_change(change);
    // What is forgotten stays as it is.
    let pair = if action(change) == Action::Forget { pair.kept() } else { pair };
    let diff = Diff::of_block(&pair, &schema(schemas, resource)?.block);
    let writer = Writer::new(colour, RenderMode::Changes);
    // Of an object that is only imported all is news.
    let imported = action(change) == Action::NoOp && text_of(resource, "previous_address").is_empty();
    let writer = if imported { writer.in_full() } else { writer };
    let (comment, mark) = (comment(resource, told, colour), writer.mark(action(change)));
    Ok(format!("{comment}\n{mark}{} {}\n\n", declaration(resource), writer.body(&diff, 0)))
}

/// The marks that the plan has.
fn legend(shown: &[&Json], colour: Colour) -> String {
    let all = [
        (Action::Create, "create"),
        (Action::Update, "update in-place"),
        (Action::Delete, "destroy"),
        (Action::DeleteThenCreate, "destroy and then create replacement"),
        (Action::CreateThenDelete, "create replacement and then destroy"),
        (Action::Read, "read (data resources)"),
        (Action::CreateThenForget, "create replacement and forget what is there"),
        (Action::ForgetThenCreate, "forget what is there and then create replacement"),
    ];
    let has = |wanted: Action| shown.iter().any(|it| it.get("change").map(action) == Some(wanted));
    let marks = all.into_iter().filter(|(action, _)| has(*action));
    let marks: String = marks.map(|(action, word)| format!("{}{word}\n", colour.mark(action))).collect();
    match marks.is_empty() {
        true => "The following actions are planned:\n\n".to_owned(),
        false => {
            format!("Actions are marked with these symbols:\n{marks}\nThe following actions are planned:\n\n")
        }
    }
}

fn summary(counts: Counts, colour: Colour) -> String {
    format!("{} {}\n", colour.paint(Style::Bold, "Plan:"), counts.planned())
}

/// How many objects are changed, and how many actions invoked.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) import: usize,
    pub(crate) add: usize,
    pub(crate) change: usize,
    pub(crate) remove: usize,
    pub(crate) invoke: usize,
}

impl Counts {
    /// Those of a plan, of which this is what `show -json` prints.
    pub(crate) fn of(plan: &Json) -> Self {
        let mut counts = Self { invoke: elements(plan, "action_invocations").len(), ..Self::default() };
        for change in elements(plan, "resource_changes").iter().filter_map(|it| it.get("change")) {
            counts.import += usize::from(change.get("importing").is_some_and(|it| !it.is_null()));
            match action(change) {
                Action::Create | Action::CreateThenForget | Action::ForgetThenCreate => counts.add += 1,
                Action::Update => counts.change += 1,
                Action::DeleteThenCreate | Action::CreateThenDelete => {
                    counts.add += 1;
                    counts.remove += 1;
                }
                Action::Delete => counts.remove += 1,
                Action::NoOp | Action::Read | Action::Forget => {}
            }
        }
        counts
    }

    /// What is to be done.
    pub(crate) fn planned(self) -> String {
        self.counted(["to import", "to add", "to change", "to destroy", "to invoke"])
    }

    /// The counts, each with what happens or has happened to so many.
    pub(crate) fn counted(self, [imports, adds, changes, removes, invokes]: [&str; 5]) -> String {
        let Self { import, add, change, remove, invoke } = self;
        let import = if import > 0 { format!("{import} {imports}, ") } else { String::new() };
        let actions = if invoke > 0 { format!(" Actions: {invoke} {invokes}.") } else { String::new() };
        format!("{import}{add} {adds}, {change} {changes}, {remove} {removes}.{actions}")
    }
}

/// The lines of outputs that change.
fn outputs(json: &Json, colour: Colour) -> String {
    let Some(outputs) = json.get("output_changes").and_then(Json::as_object) else { return String::new() };
    let changed: Vec<_> = outputs.iter().filter(|(_, change)| action(change) != Action::NoOp).collect();
    let width = outputs.keys().map(|name| text::name(name).chars().count()).max().unwrap_or_default();
    let writer = Writer::new(colour, RenderMode::Changes);
    let line = |(name, change): (&String, &Json)| {
        let diff = Diff::of_json(&Pair::of_change(change));
        format!("{}{:<width$} = {}\n", writer.mark(diff.action), text::name(name), writer.value(&diff, 0))
    };
    changed.into_iter().map(line).collect()
}

/// What is deferred, and why: each change as it looks so far, and the actions.
fn deferred<S: Borrow<Schemas>>(
    json: &Json,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
) -> Result<String, RenderError> {
    let mut text = String::new();
    for it in elements(json, "deferred_changes") {
        let Some(resource) = it.get("resource_change") else { continue };
        let block = block(resource, ChangeSection::Deferred, schemas, colour)?;
        let (head, body) = block.split_once('\n').unwrap_or((&block, ""));
        text.push_str(&format!("{head}\n  # {}\n{body}", why_deferred(text_of(it, "reason"))));
    }
    for it in elements(json, "deferred_action_invocations") {
        let Some(invocation) = it.get("action_invocation") else { continue };
        let address = colour.paint(Style::Bold, text_of(invocation, "address"));
        text.push_str(&format!("  # {address} is deferred\n  # {}\n\n", why_deferred(text_of(it, "reason"))));
    }
    if text.is_empty() {
        return Ok(text);
    }
    let note = colour.paint(Style::Cyan, "Note:");
    Ok(format!("\n{note} The plan is not complete. Apply it, and plan again for what is deferred\n\n{text}"))
}

/// The answer where all that is to be done is deferred.
const NOTHING_YET: &str = "No changes yet. All that is to be done is deferred.\n";

fn nothing(mode: Mode, drifted: bool) -> &'static str {
    match (mode, drifted) {
        (Mode::Destroy, _) => "No changes. No objects need to be destroyed.\n",
        (Mode::RefreshOnly, true) => {
            "Applying this plan stores in the state what was found, and changes no objects.\n"
        }
        (Mode::RefreshOnly, false) => {
            "No changes. Your infrastructure still matches the configuration.\n\nNothing has changed since the \
             state was written last.\n"
        }
        (Mode::Normal, _) => {
            "No changes. Your infrastructure matches the configuration.\n\nThe objects are as they are configured, \
             so there is nothing to do.\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check((before, after): (Json, Json), paths: Json, expect: &Json) {
        let paths: Vec<Vec<Json>> = serde_json::from_value(paths).unwrap();
        let paths: Vec<&[Json]> = paths.iter().map(Vec::as_slice).collect();
        assert_eq!(only(&before, &after, &paths), *expect);
    }

    #[test]
    fn only_what_something_depends_on_is_taken_over() {
        let members = (json!({ "a": 1, "b": 1 }), json!({ "a": 2, "b": 2, "c": 2 }));
        check(members.clone(), json!([["b"]]), &json!({ "a": 1, "b": 2 }));
        check(members.clone(), json!([["c"]]), &json!({ "a": 1, "b": 1, "c": 2 }));
        check(members.clone(), json!([["d"]]), &members.0);
        check(members.clone(), json!([[]]), &members.1);
        check(members.clone(), json!([]), &members.0);
    }

    #[test]
    fn what_is_new_has_nothing_before() {
        check((json!(null), json!({ "a": 2, "b": 2 })), json!([["b"]]), &json!({ "b": 2 }));
        check((json!(null), json!({ "a": 2 })), json!([["b"]]), &json!(null));
        check((json!({ "a": 1 }), json!(null)), json!([["a"]]), &json!({ "a": null }));
    }

    #[test]
    fn elements_are_taken_over_one_by_one() {
        check((json!([1]), json!([2, 2])), json!([[1]]), &json!([1, 2]));
        check((json!([1]), json!([2, 2])), json!([[0]]), &json!([2]));
        check((json!([{ "a": 1 }]), json!([{ "a": 2 }])), json!([[0, "a"]]), &json!([{ "a": 2 }]));
    }

    #[test]
    fn deep_values_take_no_longer_than_they_are_deep() {
        let deep = |leaf: i32| (0..64).fold(json!(leaf), |inner, _| json!({ "a": inner }));
        let path = vec!["a"; 64];
        check((deep(1), deep(2)), json!([path]), &deep(2));
    }
}
