//! `plan`, `apply`, `destroy` and `refresh`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};

use super::arguments::{Approval, Options, Switch, Verb};
use super::folder::{Files, Folder};
use super::generated_file::GeneratedFile;
use super::keeper::Keeper;
use super::lines;
use super::saved::Saved;
use super::screen::Screen;
use super::{Ended, Failure, Play, notation, progress, show};
use crate::address::ProviderAddress;
use crate::client::Schemas;
use crate::diagnostic::Diagnostic;
use crate::embedded::{Core, HALTED};
use crate::plan::{Importing, Mode, Plan};
use crate::render::{self, Counts};
use crate::state::State;

/// A plan with what it is shown by.
struct RenderedPlan {
    plan: Plan,
    json: Json,
    schemas: BTreeMap<ProviderAddress, Schemas>,
}

/// `plan`
pub(super) async fn plan(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let folder = Folder::new(options);
    folder.check()?;
    let generated = options.generated_file()?;
    screen.begin();
    let showing = screen.clone();
    let core = play
        .core()
        .with_parallelism(options.parallelism)
        .on_progress(move |news| progress::tell(&showing, news));
    let made = Keeper::during(play, (options, screen), "plan", async |_, state| {
        let made = make(&core, (&folder, generated.as_ref()), options, (&state, screen)).await?;
        screen.tell(&made.plan.diagnostics);
        Ok(made)
    });
    let made = made.await?;
    show_plan(&made, options.plan.mode, screen)?;
    if let Some(path) = &options.out {
        Saved::new(options, &made.json).write(path)?;
        if !screen.is_json() {
            screen.out(&format!("\nThe plan was saved. To make it: apply {path} {}\n", options.folder));
        }
    }
    Ok(if options.detailed == Switch::On && made.plan.applyable { 2 } else { 0 })
}

/// The blocks that were generated for imports, each with what was imported.
fn imported(plan: &Plan) -> Vec<String> {
    let block = |(importing, text): &(Option<Importing>, String)| match importing {
        Some(Importing::Id(id)) => format!("# Imported from {id:?}\n{text}"),
        _ => text.clone(),
    };
    plan.generated.iter().map(block).collect()
}

/// `apply`, `destroy`, and `refresh`, which applies a plan that only refreshes.
pub(super) async fn apply(play: &Play, verb: Verb, options: &Options, screen: &Screen) -> Ended {
    let saved = options.words.first().map(|path| Saved::read(path)).transpose()?;
    let options = &saved.as_ref().map_or(Ok(options.clone()), |saved| saved.options(options))?;
    let folder = Folder::new(options);
    folder.check()?;
    screen.begin();
    let work = async |keeper: &Keeper, state: State| -> Ended {
        apply_to(play, (keeper, &state), (&folder, saved.as_ref()), (options, screen)).await
    };
    Keeper::during(play, (options, screen), verb.words(), work).await
}

/// The same for a state that is locked.
async fn apply_to(
    play: &Play,
    (keeper, state): (&Keeper, &State),
    (folder, saved): (&Folder, Option<&Saved>),
    (options, screen): (&Options, &Screen),
) -> Ended {
    let (noting, cancel, showing) = (keeper.clone(), play.cancel.clone(), screen.clone());
    let counts = Arc::new(Mutex::new(Counts::default()));
    let counting = Arc::clone(&counts);
    let quiet = play.core().with_parallelism(options.parallelism);
    let core =
        quiet.clone().on_state(move |state, at| noting.note((state, at), &cancel)).on_progress(move |news| {
            counting.lock().unwrap_or_else(PoisonError::into_inner).note(news);
            progress::tell(&showing, news);
        });
    // The progress of a plan that was saved is reported only once.
    let planning = if saved.is_some() { &quiet } else { &core };
    let made = make(planning, (folder, None), options, (state, screen)).await?;
    match saved {
        Some(saved) => saved.check(&made.json)?,
        None => {
            screen.tell(&made.plan.diagnostics_before_apply().cloned().collect::<Vec<_>>());
            show_plan(&made, options.plan.mode, screen)?;
        }
    }
    if made.plan.applyable && saved.is_none() {
        agree(options, screen)?;
    }
    let mut outcome = core.apply(&made.plan).await;
    let kept = keeper.keep(&outcome.state, screen).await;
    let failed = outcome.diagnostics.iter().any(Diagnostic::is_error);
    if keeper.has_failed() {
        // It is told below why the command was ended.
        outcome.diagnostics.retain(|it| it.summary != HALTED);
    }
    screen.tell(&outcome.diagnostics);
    kept?;
    if failed {
        return Ok(1);
    }
    let counts = *counts.lock().unwrap_or_else(PoisonError::into_inner);
    let counts = counts.with_imports(&made.json);
    complete((made.plan.mode, counts), &outcome.state, screen);
    Ok(0)
}

/// Reads the configuration and plans.
async fn make(
    core: &Core,
    (folder, generated): (&Folder, Option<&GeneratedFile<'_>>),
    options: &Options,
    (state, screen): (&State, &Screen),
) -> Result<RenderedPlan, Failure> {
    let files = if options.plan.mode == Mode::Destroy { Files::Optional } else { Files::Needed };
    let configuration = folder.configuration(options, files, screen)?;
    screen.tell(configuration.diagnostics());
    let plan = core.plan(&configuration, state, &options.plan).await;
    // It is written after errors as well: the user may have to complete it, such as with secrets.
    if let Some(file) = generated {
        file.write("plan", &imported(&plan), screen)?;
    }
    if plan.errored {
        return Err(plan.diagnostics);
    }
    let schemas = show::schemas(core).await?;
    let json =
        plan.to_exact_json(&schemas).map_err(|error| Diagnostic::of_state("Failed to show plan", &error))?;
    Ok(RenderedPlan { plan, json, schemas })
}

fn show_plan(made: &RenderedPlan, mode: Mode, screen: &Screen) -> Result<(), Failure> {
    if screen.is_json() {
        lines::plan(screen, &made.json);
        return Ok(());
    }
    let text = render::plan(&made.json, &made.schemas, mode, screen.colour());
    let text = text.map_err(|error| Diagnostic::error("Failed to show plan", format!("{error}.")))?;
    screen.out(&format!("\n{text}"));
    Ok(())
}

/// Asks whether the changes are to be made.
fn agree(options: &Options, screen: &Screen) -> Result<(), Diagnostic> {
    if options.approval == Approval::Given {
        return Ok(());
    }
    let what = match options.plan.mode {
        Mode::Normal => "Make these changes?",
        Mode::RefreshOnly => "Store what was found?",
        Mode::Destroy => "Destroy all of this? There is no way back.",
    };
    let question = format!("\n{what}\n  Only 'yes' will be accepted.\n\n  Enter a value: ");
    match screen.consent(&question) {
        Some(answer) if answer.trim() == "yes" => {
            screen.out("\n");
            Ok(())
        }
        Some(_) => Err(Diagnostic::error("Nothing was changed", "The changes were not agreed to.")),
        None => {
            screen.out("\n");
            let detail = "Nobody has answered whether the changes are to be made: standard input has ended, or \
                          -input=false was given. Use -auto-approve to make them without asking.";
            Err(Diagnostic::error("Nothing was changed", detail))
        }
    }
}

/// What has been done.
fn complete((mode, counts): (Mode, Counts), state: &State, screen: &Screen) {
    let text = match mode {
        Mode::Destroy => format!("Destroy complete! {}", counts.destroyed()),
        Mode::Normal | Mode::RefreshOnly => format!("Apply complete! {}", counts.done()),
    };
    let outputs = show::output_values(state);
    if screen.is_json() {
        screen.event("change_summary", &text, counts.json(lines::operation(mode)));
        if mode != Mode::Destroy {
            let members = json!({"outputs": show::without_secrets(&outputs)});
            screen.event("outputs", &format!("Outputs: {}", outputs.len()), members);
        }
        return;
    }
    screen.out(&format!("\n{text}\n"));
    if mode != Mode::Destroy && !outputs.is_empty() {
        screen.out(&format!("\nOutputs:\n\n{}", notation::outputs(state)));
    }
}
