//! What the steps of the tour are made of: configurations, and actions with the result that they must have.

use std::error::Error;
use std::fs;
use std::path::Path;

use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::value::Value;
use ferroform_testing::client::{Provider, complete};
use ferroform_testing::core::Action;
use ferroform_testing::core::lifecycle::{Report, Resource};

use crate::Page;

pub(super) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Where the tour takes place.
pub(super) struct Stage<'t> {
    pub(super) page: Page<'t>,
    pub(super) provider: &'t Provider,
    /// The root of the provider.
    pub(super) root: &'t Path,
}

impl<'t> Stage<'t> {
    /// Plans, shows the plan, makes it, and plans again: then there must be nothing left to do.
    pub(super) async fn apply(
        &mut self,
        object: &mut Resource<'t>,
        config: &Value,
        action: Action,
    ) -> Result {
        let plan = object.plan(config).await;
        self.page.plan(&plan.report)?;
        expect(&plan.report, action)?;
        succeeded(&object.apply_planned(plan, config).await)?;
        expect(&object.plan(config).await.report, Action::NoOp)
    }

    /// Deletes an object, of which nothing may remain.
    pub(super) async fn destroy(&mut self, mut object: Resource<'t>) -> Result {
        let report = object.destroy().await;
        self.page.plan(&report)?;
        expect(&report, Action::Delete)?;
        if object.state().is_some() { Err("the object is still in the state".into()) } else { Ok(()) }
    }

    /// Tries to create what must be refused with an error at `name`.
    pub(super) async fn refused(&mut self, config: &Value, summary: &str) -> Result {
        let report = Resource::new(self.provider, "demo_file")?.apply(config).await;
        self.page.outcome("refused", &report)?;
        let expected = |it: &Diagnostic| {
            it.is_error() && it.summary == summary && it.path == Some(ferroform::path!(name))
        };
        match report.diagnostics.iter().any(expected) {
            true => Ok(()),
            false => Err(format!("there is no error {summary:?} at `name`").into()),
        }
    }

    /// One attribute of an object as it is in the state.
    pub(super) fn attribute(&self, object: &Resource<'t>, type_name: &str, name: &str) -> Result<Value> {
        let state = object.state().ok_or("there is no object in the state")?;
        let value = state.value(self.provider.resource(type_name)?)?;
        let attribute = value.as_entries().and_then(|entries| entries.get(name)).cloned();
        attribute.ok_or_else(|| format!("there is no attribute `{name}`").into())
    }

    /// Looks at a file itself, for the provider cannot be its own witness.
    pub(super) fn holds(&self, name: &str, part: &str) -> Result {
        match fs::read_to_string(self.root.join(name))?.contains(part) {
            true => Ok(()),
            false => Err(format!("the file {name} does not hold {part:?}").into()),
        }
    }

    pub(super) fn directory(&self, name: &str) -> Result<Value> {
        self.config("demo_directory", [("name", Value::string(name))])
    }

    pub(super) fn file(&self, name: &str, content: &str) -> Result<Value> {
        self.config("demo_file", [("name", Value::string(name)), ("content", Value::string(content))])
    }

    pub(super) fn token(&self, keeper: &str) -> Result<Value> {
        let keepers = Value::map([("rotated", Value::string(keeper))]);
        self.config("demo_token", [("length", Value::from(24)), ("keepers", keepers)])
    }

    pub(super) fn service(&self, token: &Value, port: u16) -> Result<Value> {
        let endpoint = |host: &str| Value::object([("host", Value::string(host))]);
        let written = [
            ("name", Value::string("web")),
            ("port", Value::from(i32::from(port))),
            ("tags", Value::set([Value::string("public"), Value::string("http")])),
            ("labels", Value::map([("team", Value::string("core"))])),
            ("token", token.clone()),
            ("endpoints", Value::list([endpoint("a.example.com"), endpoint("b.example.com")])),
            ("limits", Value::object([("memory", Value::from(512))])),
        ];
        self.config("demo_service", written)
    }

    fn config<const N: usize>(&self, type_name: &str, written: [(&str, Value); N]) -> Result<Value> {
        Ok(complete(&self.provider.resource(type_name)?.block, &Value::object(written))?)
    }
}

/// Fails if the provider reported an error.
pub(super) fn fine(diagnostics: &Diagnostics) -> Result {
    match diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => Err(error.to_string().into()),
        None => Ok(()),
    }
}

/// Fails if the operation did, or broke a rule of core.
pub(super) fn succeeded(report: &Report) -> Result {
    if report.succeeded() { Ok(()) } else { Err(report.to_string().into()) }
}

fn expect(report: &Report, action: Action) -> Result {
    succeeded(report)?;
    if report.action == action {
        return Ok(());
    }
    Err(format!("{}: the plan should be to {action}, but it is to {}", report.type_name, report.action)
        .into())
}
