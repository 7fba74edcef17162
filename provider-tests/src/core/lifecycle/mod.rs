//! Drives one resource through its life, with the calls and the checks of core in core's order.
//!
//! There is no configuration language here: configurations are values, see [`complete`](crate::client::complete).

mod apply;
mod diff;
mod plan;
mod report;
mod state;

pub use diff::Difference;
pub use plan::Plan;
pub use report::Report;
pub use state::{State, Status};

use ferroform::diag::Diagnostic;
use ferroform::schema::Schema;
use ferroform::value::Value;

use super::action::Handling;
use super::problem::{Problem, summary};
use super::shape::{assert_wholly_known, assert_write_only_null, conforms};
use crate::client::{Error, Provider, Stored};

/// One managed resource, with its state.
///
/// The provider has to be configured before. Whatever a provider does, the state afterwards is what core would have
/// recorded: it holds every object that the provider told of.
///
/// ```no_run
/// use ferroform::value::Value;
/// use ferroform_testing::client::{Provider, complete};
/// use ferroform_testing::core::lifecycle::Resource;
///
/// # async fn run(provider: &Provider) -> Result<(), Box<dyn std::error::Error>> {
/// let mut thing = Resource::new(provider, "demo_thing")?;
/// let config = complete(&provider.resource("demo_thing")?.block, &Value::object([("name", Value::from("web"))]))?;
/// let report = thing.apply(&config).await;
/// assert!(report.succeeded(), "{report}");
/// let report = thing.destroy().await;
/// assert!(thing.state().is_none(), "{report}");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Resource<'a> {
    provider: &'a Provider,
    schema: &'a Schema,
    type_name: String,
    handling: Handling,
    state: Option<State>,
    deposed: Vec<State>,
}

impl<'a> Resource<'a> {
    /// A resource of that type, without an object yet.
    ///
    /// # Errors
    /// The provider has no such type.
    pub fn new(provider: &'a Provider, type_name: &str) -> Result<Self, Error> {
        Ok(Self {
            provider,
            schema: provider.resource(type_name)?,
            type_name: type_name.to_owned(),
            handling: Handling::default(),
            state: None,
            deposed: Vec::new(),
        })
    }

    /// The same resource with other options.
    #[must_use]
    pub fn with_handling(self, handling: Handling) -> Self {
        Self { handling, ..self }
    }

    /// The same resource with a state from elsewhere, for example from an older release of the provider.
    #[must_use]
    pub fn with_state(self, state: State) -> Self {
        Self { state: Some(state), ..self }
    }

    /// What core has recorded; `None` when there is no object.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Old objects that still have to be deleted, after a replacement that failed half-way.
    #[must_use]
    pub fn deposed(&self) -> &[State] {
        &self.deposed
    }

    /// Marks the object as damaged, so that the next plan replaces it (`terraform taint`).
    pub fn taint(&mut self) {
        if let Some(state) = &mut self.state {
            state.status = Status::Tainted;
        }
    }

    /// Reads the object and records what has become of it (`apply -refresh-only`).
    pub async fn refresh(&mut self) -> Report {
        let mut report = Report::new(&self.type_name);
        if let Some(before) = self.stored(&mut report).await
            && let Some(after) = self.read(&before, &mut report).await
        {
            report.compare(&self.schema.block, &before.value, &after.value, &[]);
            let status = self.state.as_ref().map_or(Status::Ready, |state| state.status);
            self.state = self.record(&after, status, &mut report);
        }
        report
    }

    /// Takes the object of an ID under management (`terraform import`). Nothing is planned.
    pub async fn import(&mut self, id: &str) -> Report {
        let mut report = Report::new(&self.type_name);
        if self.state.is_some() {
            report.problem(summary::ALREADY_MANAGED, "there is an object already");
            return report;
        }
        if id.is_empty() {
            report.diagnostics.push(Diagnostic::error("Invalid import id argument", "The ID is empty."));
            return report;
        }
        let imported = match self.provider.import(&self.type_name, id).await {
            Ok(imported) => imported,
            Err(error) => {
                report.failure(&error);
                return report;
            }
        };
        report.diagnostics.extend(imported.diagnostics);
        if report.succeeded()
            && let Some(object) = self.imported(imported.objects, &mut report)
            && let Some(read) = self.read(&object, &mut report).await
        {
            if read.value.is_null() {
                report.problem(summary::IMPORT_MISSING, "reading the imported object gave nothing");
            } else {
                report.compare(&self.schema.block, &Value::Null, &read.value, &[]);
                self.state = self.record(&read, Status::Ready, &mut report);
            }
        }
        report
    }

    /// The one object of an import, if it is in order.
    fn imported(&self, objects: Vec<(String, Stored)>, report: &mut Report) -> Option<Stored> {
        let count = objects.len();
        let [(type_name, object)] = match <[_; 1]>::try_from(objects) {
            Ok(one) => one,
            Err(_) if count == 0 => {
                report.problem(summary::IMPORT_NOTHING, "the answer has no object");
                return None;
            }
            Err(_) => {
                report.problem(summary::IMPORT_SEVERAL, format!("the answer has {count} objects"));
                return None;
            }
        };
        if type_name != self.type_name {
            report.problem(summary::INVALID_OBJECT, format!("the imported object is of type {type_name:?}"));
        }
        if object.value.is_null() {
            report.problem(summary::IMPORT_NULL, "the imported object is null");
        }
        let write_only = assert_write_only_null(&self.schema.block, &object.value);
        report.problems(write_only.into_iter().map(|problem| problem.under(summary::IMPORT_WRITE_ONLY)));
        report.succeeded().then_some(object)
    }

    /// The object in state, brought to the version of the schema; no object when there is no state. `None` when that
    /// failed.
    async fn stored(&self, report: &mut Report) -> Option<Stored> {
        match &self.state {
            Some(state) => self.upgraded(state, report).await,
            None => Some(Stored::none()),
        }
    }

    /// Core asks for an upgrade each time that it reads state, be the version old or not. The identity is upgraded
    /// only when its version differs.
    async fn upgraded(&self, state: &State, report: &mut Report) -> Option<Stored> {
        let identity_schema = self.provider.identity(&self.type_name);
        let identity_version = identity_schema.map_or(0, |schema| schema.version);
        if state.schema_version > self.schema.version || state.identity_version > identity_version {
            let detail = "the stored version is above that of the schema";
            report.problem(summary::NEWER_PROVIDER, detail);
            return None;
        }
        let json = state.current_attributes(self.schema);
        let answer = self.provider.upgrade(&self.type_name, state.schema_version, json).await;
        let (value, diagnostics) = report.answered(answer)?;
        report.diagnostics.extend(diagnostics);
        let breaches = [
            conforms(&self.schema.block, &value),
            assert_wholly_known(&value),
            assert_write_only_null(&self.schema.block, &value),
        ];
        let breaches = breaches.into_iter().flatten();
        report.problems(breaches.map(|problem| problem.under(summary::INVALID_UPGRADE)));
        let identity = match identity_schema {
            Some(schema) if state.identity_version == schema.version => state.decode_identity(schema, report),
            Some(_) => {
                let json = state.identity.clone().unwrap_or_default();
                let answer =
                    self.provider.upgrade_identity(&self.type_name, state.identity_version, json).await;
                let (identity, diagnostics) = report.answered(answer)?;
                report.diagnostics.extend(diagnostics);
                report.known_identity(identity.as_ref(), summary::INVALID_IDENTITY_UPGRADE);
                identity
            }
            None => None,
        };
        report.succeeded().then_some(Stored { value, private: state.private.clone(), identity })
    }

    /// The object as the provider finds it; a null value when it is gone, and `None` when reading failed. Core does
    /// not compare it with what was there before.
    async fn read(&self, current: &Stored, report: &mut Report) -> Option<Stored> {
        if current.value.is_null() {
            return Some(Stored::none());
        }
        let answer = self.provider.read(&self.type_name, current).await;
        let read = report.answered(answer)?;
        report.diagnostics.extend(read.diagnostics);
        if !report.succeeded() {
            return None;
        }
        report.refuse_deferral(read.deferred.is_some());
        let value = &read.object.value;
        let unknown = assert_wholly_known(value);
        report.problems(conforms(&self.schema.block, value));
        report.problems(unknown.into_iter().map(|problem| problem.under(summary::INVALID_OBJECT)));
        report.problems(assert_write_only_null(&self.schema.block, value));
        report.known_identity(read.object.identity.as_ref(), summary::INVALID_IDENTITY);
        report.succeeded().then_some(read.object)
    }

    /// The state of an object; `None` for a null one. A value without JSON form is a problem, and keeps the old
    /// state.
    fn record(&self, object: &Stored, status: Status, report: &mut Report) -> Option<State> {
        if object.value.is_null() {
            return None;
        }
        let identity_schema = self.provider.identity(&self.type_name);
        match State::new(object, self.schema, identity_schema) {
            Ok(state) => Some(State { status, ..state }),
            Err(error) => {
                let detail = error.message().to_owned();
                let problem = Problem::new(summary::INVALID_OBJECT, &error.path(), detail);
                report.problems([problem]);
                self.state.clone()
            }
        }
    }
}
