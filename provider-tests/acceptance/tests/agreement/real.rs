//! A real core.

use ferroform_acceptance::wrong::Switch;
use ferroform_testing::client::Transcript;
use ferroform_testing::config::Config;
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::real::{Core, Report, Session};
use serde_json::Value as Json;

use crate::calls::Calls;
use crate::provider_under_test::ProviderUnderTest;
use crate::scenario::{Command, Step};
use crate::sent_bytes::SentBytes;
use crate::side::{AfterPlan, Seen, Side, taint};

pub(crate) struct Real {
    session: Session,
    switch: Switch,
    kept: SentBytes,
    source: &'static str,
}

impl Real {
    pub(crate) fn new(core: &Core, subject: &ProviderUnderTest) -> Self {
        let (switch, kept) = (Switch::default(), SentBytes::default());
        let session = Session::new(core, vec![subject.served(&switch, &kept)], &[]).expect("a session");
        Self { session, switch, kept, source: subject.source() }
    }

    fn plan(&self, config: &Config, options: &PlanOptions, then: AfterPlan) -> Seen {
        self.session.write(config).expect("written");
        let planned = self.session.plan_unread(options).expect("an end");
        let mut seen = self.said(&planned.report);
        seen.verdict = (planned.succeeded(), Some(planned.has_changes()));
        if !planned.succeeded() {
            return seen;
        }
        let planned = self.session.show(planned).expect("it is shown");
        seen.plan.clone_from(&planned.json);
        seen.calls.command(self.transcript());
        if then == AfterPlan::ShowAndApply {
            let report = self.session.apply(&planned).expect("an end");
            seen.verdict.0 = report.succeeded();
            seen.diagnostics.extend(report.diagnostics);
            seen.calls.command(self.transcript());
        }
        seen
    }

    /// What a command has come to.
    fn said(&self, report: &Report) -> Seen {
        let mut calls = Calls::default();
        calls.command(self.transcript());
        Seen {
            verdict: (report.succeeded(), None),
            diagnostics: report.diagnostics.clone(),
            calls,
            ..Seen::default()
        }
    }

    fn transcript(&self) -> &Transcript {
        self.session.transcript(self.source).expect("it is recorded")
    }

    fn state(&self) -> Json {
        let bytes = self.session.state().expect("it is read");
        bytes.map(|bytes| serde_json::from_slice(&bytes).expect("a state")).unwrap_or_default()
    }
}

/// The objects that a query reports.
fn found(report: &Report) -> Vec<Json> {
    let found = report.outcome.messages.iter().filter_map(|message| message.json.get("list_resource_found"));
    let members = ["display_name", "identity", "resource_object"];
    found.map(|it| members.into_iter().map(|name| (name.to_owned(), it[name].clone())).collect()).collect()
}

impl Side for Real {
    fn take(&mut self, step: &Step) -> Seen {
        self.switch.set(step.fault);
        let session = &self.session;
        let written = |config: &Config| session.write(config).expect("written");
        let seen = match &step.command {
            Command::Apply(config, options) => self.plan(config, options, AfterPlan::ShowAndApply),
            Command::Plan(config, options) => self.plan(config, options, AfterPlan::Show),
            Command::ApplyAtOnce(config) => {
                written(config);
                self.said(&session.apply_at_once(&PlanOptions::default()).expect("an end"))
            }
            Command::Refresh(config) => {
                written(config);
                self.said(&session.refresh().expect("an end"))
            }
            Command::Destroy(config) => {
                written(config);
                self.said(&session.destroy().expect("an end"))
            }
            Command::Import(config, address, id) => {
                written(config);
                self.said(&session.import(&address.parse().expect("an address"), id).expect("an end"))
            }
            Command::Query(text) => {
                written(&Config::new());
                session.workspace().write("q.tfquery.hcl", text).expect("written");
                let report = session.query(None).expect("an end");
                Seen { found: found(&report), ..self.said(&report) }
            }
            Command::Taint(type_name, name) => {
                let mut state = self.state();
                taint(&mut state, type_name, name);
                session.set_state(Some(state.to_string().as_bytes())).expect("written");
                Seen::default()
            }
            Command::State(bytes) => {
                session.set_state(Some(bytes)).expect("written");
                Seen::default()
            }
        };
        Seen { state: self.state(), kept: self.kept.take(), ..seen }
    }

    fn stored(&self) -> Option<Vec<u8>> {
        self.session.state().expect("it is read")
    }
}
