//! A scan for secrets where they must not be.
//!
//! A configuration gets a canary, a text that occurs nowhere else, for each sensitive and each write-only attribute.
//! Then everything that core and the provider have left behind is searched for them. A write-only value may be
//! nowhere. A sensitive one may stand in a state and in a plan, at places that are marked as sensitive.
//!
//! In a case:
//!
//! ```
//! use ferroform_testing::case::{StepOutcome, Step, kind};
//! use ferroform_testing::config::{Config, resource};
//! use ferroform_testing::secrets::Secrets;
//!
//! # fn step() -> Step<kind::Apply, ()> {
//! let secrets = Secrets::new().sensitive("t0ken-canary").write_only("passw0rd-canary");
//! let thing = resource("demo_thing", "a").set("token", "t0ken-canary").set("password", "passw0rd-canary");
//! Step::apply(Config::new().resource(thing)).check(move |outcome: &StepOutcome<'_, ()>| secrets.check(outcome))
//! # }
//! ```

use std::fmt;
#[cfg(feature = "cores")]
use std::io::{Cursor, Read as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ferroform::path::{Path, Step};
use serde_json::Value as Json;

use crate::case::StepOutcome;
use crate::diagnostic::Diagnostic;
use crate::state::{Attributes, State, StateError};

/// The canaries of a configuration.
#[derive(Clone, Default)]
pub struct Secrets {
    canaries: Vec<Canary>,
}

#[derive(Clone)]
struct Canary {
    name: String,
    sort: Sort,
    /// The text, and other forms in which it could be hidden.
    forms: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Sensitive,
    WriteOnly,
}

/// A secret where it must not be. It names the attribute and the place, never the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The attribute whose value leaked, or the number of its canary.
    pub secret: String,
    /// Where it was found.
    pub place: String,
}

impl Secrets {
    /// No canaries yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With the value of a sensitive attribute, which has to be a text that occurs nowhere else.
    #[must_use]
    pub fn sensitive(self, text: &str) -> Self {
        let name = format!("sensitive value {}", self.canaries.len() + 1);
        self.with(name, Sort::Sensitive, text)
    }

    /// With the value of a write-only attribute, which has to be a text that occurs nowhere else.
    #[must_use]
    pub fn write_only(self, text: &str) -> Self {
        let name = format!("write-only value {}", self.canaries.len() + 1);
        self.with(name, Sort::WriteOnly, text)
    }

    /// With the value of the sensitive attribute at a path.
    #[must_use]
    pub fn sensitive_at(self, path: &Path, text: &str) -> Self {
        self.with(path.to_string(), Sort::Sensitive, text)
    }

    /// With the value of the write-only attribute at a path.
    #[must_use]
    pub fn write_only_at(self, path: &Path, text: &str) -> Self {
        self.with(path.to_string(), Sort::WriteOnly, text)
    }

    fn with(mut self, name: String, sort: Sort, text: &str) -> Self {
        self.canaries.push(Canary { name, sort, forms: forms(text) });
        self
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.canaries.is_empty()
    }

    /// Leaks in what is shown or kept without protection: logs, transcripts, messages, private data.
    #[must_use]
    pub fn in_bytes(&self, place: &str, bytes: &[u8]) -> Vec<Leak> {
        self.search(place, bytes, |_| true)
    }

    /// Leaks in diagnostics.
    #[must_use]
    pub fn in_diagnostics(&self, diagnostics: &[Diagnostic]) -> Vec<Leak> {
        let leaks = |it: &Diagnostic| {
            self.in_bytes("a diagnostic", format!("{}\n{}\n{:?}", it.summary, it.detail, it.path).as_bytes())
        };
        diagnostics.iter().flat_map(leaks).collect()
    }

    /// Leaks in a state: in what is not sensitive by its own words, in identities and in private data.
    ///
    /// # Errors
    /// The state has no form of a file.
    pub fn in_state(&self, state: &State) -> Result<Vec<Leak>, StateError> {
        let mut leaks = self.search("the state", &state.to_bytes()?, |sort| sort == Sort::WriteOnly);
        for (address, resource) in &state.resources {
            let mut look = |part: &str, bytes: &[u8]| {
                leaks.extend(self.in_bytes(&format!("{part} of {address} in the state"), bytes));
            };
            let instances = resource.instances.values();
            for object in instances.flat_map(|it| it.current.iter().chain(it.deposed.values())) {
                look("the private data", &object.private);
                look("the identity", object.identity.as_deref().unwrap_or_default());
                let mut shown = match &object.attributes {
                    Attributes::Json(bytes) => serde_json::from_slice(bytes).unwrap_or(Json::Null),
                    Attributes::Flat(map) => map.clone().into_iter().collect(),
                };
                object.sensitive_attributes.iter().for_each(|path| blank(&mut shown, path.steps()));
                look("an attribute that is not marked", shown.to_string().as_bytes());
            }
        }
        let shown = state.outputs.iter().filter(|(_, output)| !output.sensitive);
        for (name, output) in shown {
            let text = format!("{:?}", output.value);
            leaks.extend(self.in_bytes(&format!("the output {name}"), text.as_bytes()));
        }
        Ok(distinct(leaks))
    }

    /// Leaks in a plan as `show -json` prints it, but for the configuration in it, which is the user's own text.
    #[must_use]
    pub fn in_plan(&self, plan: &Json) -> Vec<Leak> {
        let mut plan = plan.clone();
        if let Some(parts) = plan.as_object_mut() {
            parts.retain(|name, _| !matches!(name.as_str(), "configuration" | "variables"));
        }
        let mut leaks = self.search("the plan", plan.to_string().as_bytes(), |sort| sort == Sort::WriteOnly);
        hide_marked(&mut plan);
        leaks.extend(self.in_bytes("a value of the plan that is not marked", plan.to_string().as_bytes()));
        distinct(leaks)
    }

    /// Write-only values in a plan file of a real core, which is an archive. The configuration in it, which is the
    /// user's own text, does not count, and sensitive values may be there.
    ///
    /// # Errors
    /// The file is no plan file.
    #[cfg(feature = "cores")]
    pub fn in_plan_file(&self, file: &[u8]) -> std::io::Result<Vec<Leak>> {
        let mut archive = zip::ZipArchive::new(Cursor::new(file)).map_err(std::io::Error::other)?;
        let mut leaks = Vec::new();
        for at in 0..archive.len() {
            let mut member = archive.by_index(at).map_err(std::io::Error::other)?;
            let name = member.name().map_err(std::io::Error::other)?.into_owned();
            if !name.starts_with("tfconfig/") {
                let mut bytes = Vec::new();
                member.read_to_end(&mut bytes)?;
                let place = format!("{name} in the plan file");
                leaks.extend(self.search(&place, &bytes, |sort| sort == Sort::WriteOnly));
            }
        }
        Ok(leaks)
    }

    /// Leaks in everything that a step of a case shows.
    #[must_use]
    pub fn in_step<B>(&self, outcome: &StepOutcome<'_, B>) -> Vec<Leak> {
        let mut leaks = self.in_diagnostics(outcome.diagnostics);
        leaks.extend(outcome.plan.map(|plan| self.in_plan(plan.json())).unwrap_or_default());
        let entries = outcome.calls.map(|calls| calls.entries()).unwrap_or_default();
        let transcript: String = entries.iter().map(ToString::to_string).collect();
        leaks.extend(self.in_bytes("the transcript", transcript.as_bytes()));
        let state = outcome.state.json();
        if !state.is_null() {
            let state = State::from_bytes(state.to_string().as_bytes());
            let found = state.and_then(|state| self.in_state(&state));
            leaks.extend(found.unwrap_or_else(|error| {
                vec![Leak { secret: "any".to_owned(), place: format!("a state: {error}") }]
            }));
        }
        leaks
    }

    /// Looks at everything that a step of a case shows.
    ///
    /// # Panics
    /// A secret is where it must not be; the message says which and where.
    pub fn check<B>(&self, outcome: &StepOutcome<'_, B>) {
        let leaks = self.in_step(outcome);
        assert!(leaks.is_empty(), "{}", list(&leaks));
    }

    fn search(&self, place: &str, bytes: &[u8], counts: impl Fn(Sort) -> bool) -> Vec<Leak> {
        let has = |form: &String| bytes.windows(form.len()).any(|window| window == form.as_bytes());
        let canaries = self.canaries.iter().filter(|it| counts(it.sort) && it.forms.iter().any(has));
        canaries.map(|it| Leak { secret: it.name.clone(), place: place.to_owned() }).collect()
    }
}

/// The leaks as text for people.
pub(crate) fn list(leaks: &[Leak]) -> String {
    let lines: Vec<String> = leaks.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// A text as it is, in hexadecimal digits, and in base64 at each of the three places that it may have among others.
fn forms(text: &str) -> Vec<String> {
    let hex = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![text.to_owned(), hex];
    for before in 0..3_usize {
        let shifted: Vec<u8> = std::iter::repeat_n(0, before).chain(text.bytes()).collect();
        let encoded = STANDARD_NO_PAD.encode(&shifted);
        // The signs at the ends depend on what stands beside the text.
        let inner = encoded.get((before * 8).div_ceil(6)..shifted.len() * 8 / 6).unwrap_or_default();
        forms.push(inner.to_owned());
    }
    forms.retain(|form| !form.is_empty());
    forms
}

/// Takes out what is at a path.
fn blank(json: &mut Json, path: &[Step]) {
    let (inner, rest) = match path {
        [Step::Attribute(name) | Step::Key(name), rest @ ..] => (json.get_mut(&**name), rest),
        [Step::Index(at), rest @ ..] => (json.get_mut(*at), rest),
        _ => return *json = Json::Null,
    };
    if let Some(inner) = inner {
        blank(inner, rest);
    }
}

/// Takes all values out of a plan that are marked as sensitive there.
fn hide_marked(json: &mut Json) {
    match json {
        Json::Object(members) => {
            for (values, marks) in [
                ("before", "before_sensitive"),
                ("after", "after_sensitive"),
                ("values", "sensitive_values"),
                ("value", "sensitive"),
            ] {
                if let Some(marks) = members.get(marks).cloned()
                    && let Some(values) = members.get_mut(values)
                {
                    hide(values, &marks);
                }
            }
            members.values_mut().for_each(hide_marked);
        }
        Json::Array(elements) => elements.iter_mut().for_each(hide_marked),
        _ => {}
    }
}

fn hide(values: &mut Json, marks: &Json) {
    match (values, marks) {
        (values, Json::Bool(true)) => *values = Json::Null,
        (Json::Object(values), Json::Object(marks)) => {
            marks.iter().for_each(|(name, marks)| {
                if let Some(value) = values.get_mut(name) {
                    hide(value, marks);
                }
            });
        }
        (Json::Array(values), Json::Array(marks)) => {
            values.iter_mut().zip(marks).for_each(|(value, marks)| hide(value, marks));
        }
        _ => {}
    }
}

fn distinct(mut leaks: Vec<Leak>) -> Vec<Leak> {
    let mut seen = Vec::new();
    leaks.retain(|leak| {
        let new = !seen.contains(leak);
        seen.push(leak.clone());
        new
    });
    leaks
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the secret `{}` is in {}", self.secret, self.place)
    }
}

/// Shows the names only.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.canaries.iter().map(|canary| &canary.name)).finish()
    }
}
