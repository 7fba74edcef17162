//! `show`, `output` and `state show`.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::arguments::{Options, OutputForm};
use super::keeper::Keeper;
use super::saved::Saved;
use super::screen::Screen;
use super::{Ended, Play, notation};
use crate::address::{InstanceAddress, ProviderAddress};
use crate::client::Schemas;
use crate::diagnostic::Diagnostic;
use crate::embedded::Core;
use crate::json::digits;
use crate::language::Marked;
use crate::render;
use crate::state::State;

/// The schemas of all providers.
pub(super) async fn schemas(core: &Core) -> Result<BTreeMap<ProviderAddress, Schemas>, Diagnostic> {
    core.schemas().await.map_err(|error| {
        let detail = format!("The provider gives no schemas: {error}.");
        Diagnostic::error("Failed to load plugin schemas", detail)
    })
}

/// `show`: the state, or a saved plan.
pub(super) async fn show(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let plan = options.words.first().map(|path| Saved::read(path)).transpose()?;
    let state = Keeper::look(play, options).await?;
    let schemas = schemas(&play.core()).await?;
    let failed = |error: render::RenderError| Diagnostic::error("Failed to show", format!("{error}."));
    let colour = screen.colour();
    if let Some(saved) = plan {
        match screen.is_json() {
            true => screen.line(saved.plan()),
            false => screen.out(&render::plan(saved.plan(), &schemas, saved.mode(), colour).map_err(failed)?),
        }
        return Ok(0);
    }
    let json = json_of(&state, &schemas)?;
    match screen.is_json() {
        true => screen.line(&json),
        false => screen.out(&render::state(&json, &schemas, colour).map_err(failed)?),
    }
    Ok(0)
}

/// `state show`: one object.
pub(super) async fn resource(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let address = options.address(0)?;
    let mut state = Keeper::look(play, options).await?;
    only(&mut state, &address)?;
    let schemas = schemas(&play.core()).await?;
    let json = json_of(&state, &schemas)?;
    if screen.is_json() {
        screen.line(&json);
        return Ok(0);
    }
    let text = render::state(&json, &schemas, screen.colour());
    screen.out(&text.map_err(|error| Diagnostic::error("Failed to show", format!("{error}.")))?);
    Ok(0)
}

fn json_of(state: &State, schemas: &BTreeMap<ProviderAddress, Schemas>) -> Result<Json, Diagnostic> {
    state.to_exact_json(schemas).map_err(|error| Diagnostic::of_state("Failed to show state", &error))
}

/// Leaves one instance.
fn only(state: &mut State, address: &InstanceAddress) -> Result<(), Diagnostic> {
    state.outputs.clear();
    state.check_results = None;
    state.resources.retain(|of, _| *of == address.resource);
    state.resources.values_mut().for_each(|it| it.instances.retain(|key, _| *key == address.key));
    match state.resources.values().any(|it| !it.instances.is_empty()) {
        true => Ok(()),
        false => Err(Diagnostic::error("No such object", format!("The state has no {address}."))),
    }
}

/// The outputs of a state in the form of `output -json`.
pub(super) fn output_values(state: &State) -> Map<String, Json> {
    // A state without resources needs no schemas.
    let mut outputs_only = State::default();
    outputs_only.outputs.clone_from(&state.outputs);
    let json = outputs_only.to_exact_json(&BTreeMap::<ProviderAddress, Schemas>::new()).unwrap_or_default();
    json.pointer("/values/outputs").and_then(Json::as_object).cloned().unwrap_or_default()
}

/// The same for lines that anybody may read.
pub(super) fn without_secrets(outputs: &Map<String, Json>) -> Json {
    let shown = outputs.iter().map(|(name, output)| {
        let mut output = output.clone();
        if output.get("sensitive") == Some(&Json::Bool(true))
            && let Some(members) = output.as_object_mut()
        {
            members.remove("value");
        }
        (name.clone(), output)
    });
    Json::Object(shown.collect())
}

const NO_OUTPUTS: &str = "The state has no outputs.\n";

/// `output`: all of them, or one.
pub(super) async fn output(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let state = Keeper::look(play, options).await?;
    let outputs = output_values(&state);
    let Some(name) = options.words.first() else {
        if options.form == OutputForm::Raw {
            let detail = "Name the output whose value is to be printed.";
            return Err(Diagnostic::error("Output name required", detail).into());
        }
        match screen.is_json() {
            true => screen.line(&Json::Object(outputs)),
            false if outputs.is_empty() => screen.out(NO_OUTPUTS),
            false => screen.out(&notation::outputs(&state)),
        }
        return Ok(0);
    };
    // Core does not fail where there are none at all, except in JSON.
    if outputs.is_empty() && !screen.is_json() {
        if options.form == OutputForm::Text {
            screen.out(NO_OUTPUTS);
        }
        return Ok(0);
    }
    let (Some(output), Some(stored)) = (outputs.get(name), state.outputs.get(name)) else {
        let detail = format!("The state has no output {name:?}. Outputs are stored by apply.");
        return Err(Diagnostic::error(format!("Output {name:?} not found"), detail).into());
    };
    // Who asks for one by name wants its value, also if it is sensitive.
    let value = output.get("value").cloned().unwrap_or_default();
    match options.form {
        OutputForm::Json => screen.line(&value),
        OutputForm::Text => {
            let value = Marked::new(stored.value.clone(), &stored.ty);
            screen.out(&format!("{}\n", notation::text(&value)));
        }
        OutputForm::Raw => match &value {
            Json::Bool(_) | Json::Number(_) => screen.out(&value.to_string()),
            Json::String(text) => screen.out(digits::digits(&value).unwrap_or(digits::unescaped(text))),
            _ => {
                let detail = "Only texts, numbers and bools are printed raw. Use -json for others.";
                return Err(Diagnostic::error("Unsupported value for raw output", detail).into());
            }
        },
    }
    Ok(0)
}
