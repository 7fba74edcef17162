//! What was said between client and provider, as text that is safe to show.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ferroform::diag::Diagnostic;
use ferroform::schema::Block;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_proto::tfplugin6 as proto;

use super::schemas::Schemas;
use super::text;
use super::wire::{self, decode_value};

/// The calls so far, in the order in which they were started.
///
/// Values are shown by their schemas, with sensitive and write-only ones hidden; nothing else of them is kept. What
/// has no schema, such as arguments of functions, private data and stored state, is shown by its length. Empty fields
/// are left out. Two runs that say the same have the same text; [`Transcript::difference`] says where two texts differ.
///
/// What an ephemeral resource was opened with is hidden in every call that it is passed on to, too, for example in the
/// configuration of another provider: texts as a whole value, and from eight characters on also within a longer text, and
/// numbers of four digits and more. What the configuration of the ephemeral resource says itself is not hidden.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    inner: Arc<Mutex<Inner>>,
    /// Those of the provider of this client, while several providers may write into one transcript.
    schemas: Arc<Mutex<Arc<Schemas>>>,
    closed: bool,
}

#[derive(Debug, Default)]
struct Inner {
    entries: Vec<Entry>,
    ephemeral: EphemeralValues,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name of the method in protocol 6.
    pub method: &'static str,
    /// The resource type, data source and so on that it is about.
    pub type_name: Option<String>,
    /// What was sent: fields with their content.
    pub request: Vec<String>,
    /// What came back: fields with their content, or a failure.
    pub response: Vec<String>,
    /// The diagnostics that came back.
    pub diagnostics: Vec<Diagnostic>,
}

impl Transcript {
    /// One that keeps nothing, for measurements: to render what is said takes longer than to say it.
    #[must_use]
    pub fn closed() -> Self {
        Self { closed: true, ..Self::default() }
    }

    /// The calls so far.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let inner = self.lock();
        inner.entries.iter().map(|entry| entry.without(&inner.ephemeral)).collect()
    }

    /// All text, also the values of ephemeral resources. Only for those who look for values where they must not be.
    #[doc(hidden)]
    pub fn unmasked(&self) -> String {
        self.lock().entries.iter().map(ToString::to_string).collect()
    }

    /// The names of the methods called so far, each with the type that it was about: `ReadResource demo_thing`.
    #[must_use]
    pub fn methods(&self) -> Vec<String> {
        self.lock().entries.iter().map(Entry::title).collect()
    }

    /// The diagnostics that came back so far, in the order of the calls.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.entries().into_iter().flat_map(|entry| entry.diagnostics).collect()
    }

    /// The diagnostics word for word, to compare them with what core prints.
    #[doc(hidden)]
    pub fn unmasked_diagnostics(&self) -> Vec<Diagnostic> {
        self.lock().entries.iter().flat_map(|entry| entry.diagnostics.iter().cloned()).collect()
    }

    /// The values of ephemeral resources that are hidden.
    #[doc(hidden)]
    pub fn ephemeral_values(&self) -> EphemeralValues {
        self.lock().ephemeral.clone()
    }

    /// Hides the values of the ephemeral resources of both from now on, since what one provider opens is passed on to
    /// others.
    #[doc(hidden)]
    pub fn share_ephemeral_values(&self, with: &Self) {
        let shared = with.ephemeral_values();
        let mut inner = self.lock();
        shared.extend(&inner.ephemeral);
        inner.ephemeral = shared;
    }

    /// Forgets the calls so far.
    pub fn clear(&self) {
        self.lock().entries.clear();
    }

    /// The same transcript for another provider, whose values are shown by its own schemas.
    pub(super) fn for_provider(&self) -> Self {
        Self { schemas: Arc::default(), ..self.clone() }
    }

    /// Tells by which schemas values are shown.
    pub(super) fn learn(&self, schemas: Arc<Schemas>) {
        *self.schemas.lock().unwrap_or_else(PoisonError::into_inner) = schemas;
    }

    fn schemas(&self) -> Arc<Schemas> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn begin(&self, method: &'static str, kind: Kind, requests: &[impl Describe]) -> Call {
        if self.closed {
            let about = About { kind, type_name: None };
            return Call {
                transcript: self.clone(),
                at: usize::MAX,
                method,
                about,
                configured: Leaves::default(),
            };
        }
        let type_name = requests.iter().find_map(|request| request.type_name());
        let about = About { kind, type_name: type_name.clone() };
        let schemas = self.schemas();
        let configured =
            requests.iter().find_map(|request| about.ephemeral("config", &request.fields(), &schemas));
        let request = requests.iter().flat_map(|request| about.lines(request.fields(), &schemas));
        let entry = Entry {
            method,
            type_name,
            request: request.collect(),
            response: Vec::new(),
            diagnostics: Vec::new(),
        };
        let mut inner = self.lock();
        inner.entries.push(entry);
        let configured = configured.as_ref().map(Leaves::of).unwrap_or_default();
        Call { transcript: self.clone(), at: inner.entries.len() - 1, method, about, configured }
    }

    /// A panic elsewhere leaves nothing half written here.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries().iter().try_for_each(|entry| write!(f, "{entry}"))
    }
}

impl Entry {
    fn title(&self) -> String {
        match &self.type_name {
            Some(type_name) => format!("{} {type_name}", self.method),
            None => self.method.to_owned(),
        }
    }

    fn without(&self, values: &EphemeralValues) -> Self {
        let lines = |lines: &[String]| lines.iter().map(|line| values.hidden_in(line)).collect();
        Self {
            method: self.method,
            type_name: self.type_name.clone(),
            request: lines(&self.request),
            response: lines(&self.response),
            diagnostics: self.diagnostics.iter().map(|it| values.hidden_of(it)).collect(),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        // A line that is not indented is a call.
        let further = |line: &String| line.replace('\n', "\n    ");
        self.request.iter().try_for_each(|line| writeln!(f, "  > {}", further(line)))?;
        self.response.iter().try_for_each(|line| writeln!(f, "  < {}", further(line)))
    }
}

/// A call whose answers are still to be recorded.
#[derive(Debug)]
pub(super) struct Call {
    transcript: Transcript,
    at: usize,
    method: &'static str,
    about: About,
    /// What the configuration of an ephemeral resource says.
    configured: Leaves,
}

impl Call {
    pub(super) fn answered(&self, response: &impl Describe) {
        if self.transcript.closed {
            return;
        }
        let fields = response.fields();
        let reported = diagnostics(&fields);
        let schemas = self.transcript.schemas();
        let result = self.about.ephemeral("result", &fields, &schemas);
        let lines = self.about.lines(fields, &schemas);
        let mut inner = self.transcript.lock();
        if let Some(result) = result {
            inner.ephemeral.add(&result, &self.configured);
        }
        self.append(&mut inner, lines, reported);
    }

    pub(super) fn failed(&self, failure: &str) {
        self.append(&mut self.transcript.lock(), vec![format!("failed: {failure}")], Vec::new());
    }

    /// The transcript may have been cleared since the call began.
    fn append(&self, inner: &mut Inner, lines: Vec<String>, reported: Vec<Diagnostic>) {
        if let Some(entry) = inner.entries.get_mut(self.at).filter(|entry| entry.method == self.method) {
            entry.response.extend(lines);
            entry.diagnostics.extend(reported);
        }
    }
}

/// What the type name of a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It has none.
    Nothing,
    /// It has none; values are configurations of the provider.
    Provider,
    /// A managed resource.
    Resource,
    /// A data source.
    DataSource,
    /// An ephemeral resource.
    EphemeralResource,
    /// A list resource.
    ListResource,
    /// An action.
    Action,
    /// A state store.
    StateStore,
}

#[derive(Debug, Clone)]
struct About {
    kind: Kind,
    type_name: Option<String>,
}

impl About {
    fn lines(&self, fields: Vec<(&'static str, Field<'_>)>, schemas: &Schemas) -> Vec<String> {
        let lines = fields.into_iter().flat_map(|(name, field)| match field {
            Field::Empty => Vec::new(),
            Field::Text(text) => vec![format!("{name} = {text}")],
            Field::Lines(lines) => lines.into_iter().map(|line| format!("{name} = {line}")).collect(),
            Field::Diagnostics(all) => all.iter().map(|wire| format!("{name} = {}", shown(wire))).collect(),
            Field::Value(value) => vec![format!("{name} = {}", self.value(name, value, schemas))],
            Field::Identity(value) => vec![format!("{name} = {}", self.identity(value, schemas))],
            Field::Nested(each) => each
                .into_iter()
                .flat_map(|fields| self.lines(fields, schemas))
                .map(|line| format!("{name}.{line}"))
                .collect(),
        });
        lines.collect()
    }

    fn value(&self, field: &str, value: &proto::DynamicValue, schemas: &Schemas) -> String {
        if (field, self.kind) == ("result", Kind::EphemeralResource) {
            // Core shows nothing of it, whatever its schema says.
            return EPHEMERAL.to_owned();
        }
        let block = self.block(field, schemas);
        let shown = block.and_then(|block| {
            let value = decode_value(Some(value), &block.ty()).ok()?;
            Some(text::block(block, &value))
        });
        shown.unwrap_or_else(|| bytes(value.msgpack.len() + value.json.len()))
    }

    /// The value in a field of a message about an ephemeral resource.
    fn ephemeral(
        &self,
        field: &str,
        fields: &[(&'static str, Field<'_>)],
        schemas: &Schemas,
    ) -> Option<Value> {
        let block = self.block(field, schemas).filter(|_| self.kind == Kind::EphemeralResource)?;
        let value = fields.iter().find_map(|(name, content)| match content {
            Field::Value(value) if *name == field => Some(*value),
            _ => None,
        });
        decode_value(Some(value?), &block.ty()).ok()
    }

    fn block<'a>(&self, field: &str, schemas: &'a Schemas) -> Option<&'a Block> {
        let name = self.type_name.as_deref().unwrap_or_default();
        let schema = match (field, self.kind) {
            ("provider_meta", _) => schemas.provider_meta.as_ref(),
            ("resource_object", _) => schemas.resources.get(name),
            ("include_resource_object" | "limit", _) | (_, Kind::Nothing) => None,
            (_, Kind::Provider) => Some(&schemas.provider),
            (_, Kind::Resource) => schemas.resources.get(name),
            (_, Kind::DataSource) => schemas.data_sources.get(name),
            (_, Kind::EphemeralResource) => schemas.ephemeral_resources.get(name),
            (_, Kind::ListResource) => schemas.list_resources.get(name),
            (_, Kind::Action) => schemas.actions.get(name),
            (_, Kind::StateStore) => schemas.state_stores.get(name),
        };
        schema.map(|schema| &schema.block)
    }

    /// Identities have no sensitive attributes: they are shown in plans.
    fn identity(&self, value: &proto::DynamicValue, schemas: &Schemas) -> String {
        let schema = self.type_name.as_ref().and_then(|name| schemas.identities.get(name));
        let shown = schema.and_then(|schema| msgpack::decode(&value.msgpack, &schema.ty()).ok());
        shown.map_or_else(|| bytes(value.msgpack.len()), |value| text::plain(&value))
    }
}

/// The diagnostics among the fields of a response.
fn diagnostics(fields: &[(&'static str, Field<'_>)]) -> Vec<Diagnostic> {
    let own = fields.iter().flat_map(|(_, field)| match field {
        Field::Diagnostics(all) => all.iter().map(wire::diagnostic).collect(),
        Field::Nested(each) => each.iter().flat_map(|fields| diagnostics(fields)).collect(),
        _ => Vec::new(),
    });
    own.collect()
}

fn shown(wire: &proto::Diagnostic) -> String {
    let diagnostic = wire::diagnostic(wire);
    let severity = if diagnostic.is_error() { "error" } else { "warning" };
    format!("{severity}: {diagnostic}")
}

fn bytes(length: usize) -> String {
    format!("({length} bytes)")
}

/// The content of a field of a message, as far as it is shown.
#[allow(unreachable_pub, reason = "part of a bound of the public `Rpc`, which nobody else can implement")]
#[derive(Debug)]
pub enum Field<'a> {
    /// It has its default value.
    Empty,
    /// Text that is no secret.
    Text(String),
    /// Several texts that are no secrets.
    Lines(Vec<String>),
    /// Diagnostics.
    Diagnostics(&'a [proto::Diagnostic]),
    /// A value with a schema.
    Value(&'a proto::DynamicValue),
    /// A value with an identity schema.
    Identity(&'a proto::DynamicValue),
    /// Messages in the message.
    Nested(Vec<Vec<(&'static str, Field<'a>)>>),
}

/// A message that can be shown field by field.
#[allow(unreachable_pub, reason = "part of a bound of the public `Rpc`, which nobody else can implement")]
pub trait Describe {
    /// The fields with their names.
    fn fields(&self) -> Vec<(&'static str, Field<'_>)>;

    /// The type that the message names.
    fn type_name(&self) -> Option<String> {
        None
    }
}

mod compare;
mod ephemeral;
pub(super) mod field;

pub use compare::TranscriptDifference;
#[doc(hidden)]
pub use ephemeral::EphemeralValues;
use ephemeral::{EPHEMERAL, Leaves};
