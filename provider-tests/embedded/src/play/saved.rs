//! Saved plans.
//!
//! A saved plan is what was asked for, and what came of it. It is applied by planning once more: if something else
//! comes of it, the plan is out of date, and nothing is changed.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::arguments::{self, Options, VariableArgument};
use crate::diagnostic::Diagnostic;
use crate::embedded::{Generation, Refresh};
use crate::json::digits;
use crate::plan::Mode;

/// What the file says that it is.
const FORMAT: &str = "ferroform plan 1";

/// The content of a file.
pub(super) struct Saved(Json);

impl Saved {
    pub(super) fn new(options: &Options, plan: &Json) -> Self {
        fn texts(addresses: &[impl ToString]) -> Vec<String> {
            addresses.iter().map(ToString::to_string).collect()
        }
        let values = options.values.iter().map(|given| match given {
            VariableArgument::Value(text) => json!({"value": text}),
            VariableArgument::File(path) => json!({"file": path}),
        });
        Self(json!({
            "format": FORMAT,
            "mode": match options.plan.mode {
                Mode::Normal => "normal",
                Mode::RefreshOnly => "refresh-only",
                Mode::Destroy => "destroy",
            },
            "refresh": options.plan.refresh == Refresh::On,
            "targets": texts(&options.plan.targets),
            "replace": texts(&options.plan.replace),
            "generate_config": options.plan.generation == Generation::On,
            "invoke": options.plan.invoke.as_ref().map(ToString::to_string),
            "values": values.collect::<Vec<_>>(),
            "plan": plan,
        }))
    }

    /// Writes the file, for its owner only: the plan has sensitive values in clear.
    pub(super) fn write(&self, path: &str) -> Result<(), Diagnostic> {
        let folder = Path::new(path).parent().filter(|it| !it.as_os_str().is_empty());
        let attempt = || -> std::io::Result<()> {
            let mut file = tempfile::Builder::new()
                .prefix(".terraform-")
                .tempfile_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(digits::text(&self.0).as_bytes())?;
            file.persist(path).map(drop).map_err(|error| error.error)
        };
        attempt().map_err(|error| {
            Diagnostic::error("Failed to save plan", format!("The file {path} cannot be written: {error}."))
        })
    }

    pub(super) fn read(path: &str) -> Result<Self, Diagnostic> {
        let wrong = |why: String| Diagnostic::error("Failed to read plan", format!("{path:?} {why}."));
        let bytes = fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let json =
            std::str::from_utf8(&bytes).ok().and_then(|text| digits::parse(text).ok()).unwrap_or_default();
        if json.get("format").and_then(Json::as_str) != Some(FORMAT) {
            return Err(wrong("is no plan that was saved with -out here".to_owned()));
        }
        Ok(Self(json))
    }

    /// The plan as `show -json` prints it.
    pub(super) fn plan(&self) -> &Json {
        self.0.get("plan").unwrap_or(&Json::Null)
    }

    pub(super) fn mode(&self) -> Mode {
        match self.0.get("mode").and_then(Json::as_str) {
            Some("destroy") => Mode::Destroy,
            Some("refresh-only") => Mode::RefreshOnly,
            _ => Mode::Normal,
        }
    }

    /// What was asked for, in the folder and on the screen of now.
    pub(super) fn options(&self, now: &Options) -> Result<Options, Diagnostic> {
        let mut options = now.clone();
        let texts = |name: &str| {
            let all = self.0.get(name).and_then(Json::as_array).into_iter().flatten();
            all.filter_map(Json::as_str).collect::<Vec<_>>()
        };
        options.plan.mode = self.mode();
        let refresh = self.0.get("refresh") != Some(&Json::Bool(false));
        options.plan.refresh = if refresh { Refresh::On } else { Refresh::Off };
        let generates = self.0.get("generate_config") == Some(&Json::Bool(true));
        options.plan.generation = if generates { Generation::On } else { Generation::Off };
        // What refers to the time of the plan would differ otherwise.
        options.plan.timestamp = self.plan().get("timestamp").and_then(Json::as_str).map(ToOwned::to_owned);
        options.plan.targets =
            texts("targets").into_iter().map(arguments::target).collect::<Result<_, _>>()?;
        options.plan.replace =
            texts("replace").into_iter().map(arguments::address).collect::<Result<_, _>>()?;
        let invoke = self.0.get("invoke").and_then(Json::as_str);
        options.plan.invoke = invoke.map(arguments::action).transpose()?;
        let values = self.0.get("values").and_then(Json::as_array).into_iter().flatten();
        options.values = values
            .filter_map(|given| {
                let member = |name: &str| given.get(name).and_then(Json::as_str).map(ToOwned::to_owned);
                member("value")
                    .map(VariableArgument::Value)
                    .or_else(|| member("file").map(VariableArgument::File))
            })
            .collect();
        Ok(options)
    }

    /// Refuses to go on if something else would be changed than was planned.
    pub(super) fn check(&self, plan: &Json) -> Result<(), Diagnostic> {
        // Other words in the configuration that come to the same change nothing, nor does it whether the generated ones
        // are in it by now.
        let changes = |plan: &Json| {
            let mut plan = plan.clone();
            plan.as_object_mut().map(|plan| plan.remove("configuration"));
            let resources = plan.get_mut("resource_changes").and_then(Json::as_array_mut);
            for change in resources.into_iter().flatten().filter_map(|it| it.get_mut("change")) {
                change.as_object_mut().map(|change| change.remove("generated_config"));
            }
            plan
        };
        if changes(self.plan()) == changes(plan) {
            return Ok(());
        }
        let detail = "Planned once more, something else would change: the configuration, the state or the objects are \
                      no longer what they were. Nothing was changed; make a new plan.";
        Err(Diagnostic::error("Saved plan is stale", detail))
    }
}
