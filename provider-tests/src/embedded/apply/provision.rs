//! Provisioners: what is run when an object was created, and before it is destroyed.

use ferroform::ty::Type;
use ferroform::value::Value;

use super::ApplyWalk;
use super::change::ChangeContext;
use crate::address::InstanceKey;
use crate::config::{OnFailure, Provisioner, When};
use crate::diagnostic::{self, Diagnostic};
use crate::embedded::evaluate::{Decoded, Evaluated, decode};
use crate::embedded::local_exec::{self, Output};
use crate::embedded::log::Log;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::scope::RepetitionData;
use crate::language::rule::Rule;

impl ApplyWalk {
    /// Runs the provisioners of an object in their order, up to one that fails. `own` is the object.
    pub(super) async fn provision(&self, cx: &ChangeContext<'_>, when: When, own: Evaluated, log: &mut Log) {
        let provisioners = match cx.number.and_then(|number| self.session.block(number)) {
            Some(block) => &block.provisioners,
            // What has no block any more has those of the block that says so.
            None => {
                let mut removed = self.session.config.removed.iter();
                let Some(removed) = removed.find(|it| it.from.covers(&cx.change.address.resource)) else {
                    return;
                };
                &removed.provisioners
            }
        };
        let each = RepetitionData { own: Some(own), ..self.each_of(cx, when) };
        for provisioner in provisioners.iter().filter(|it| it.when == when || !Rule::ProvisionerWhen.holds())
        {
            self.run_one(provisioner, (cx, &each), log).await;
            if !log.is_fine() {
                return;
            }
        }
    }

    async fn run_one(
        &self,
        provisioner: &Provisioner,
        (cx, each): (&ChangeContext<'_>, &RepetitionData),
        log: &mut Log,
    ) {
        let decoded = decode(&provisioner.body, local_exec::schema(), &self.scope(each));
        let Decoded { value, sensitive, ephemeral, diagnostics } = decoded;
        let mut found = Log::new(&log.address());
        found.extend(diagnostics);
        if found.is_fine() && !value.is_wholly_known() {
            let detail = "The arguments of the provisioner are not known, not even now that its object has been created.";
            found.error("Configuration contains unknown value", detail);
        }
        if found.is_fine() {
            let secret = !(sensitive.is_empty() && ephemeral.is_empty());
            let output = if secret { Output::Withheld } else { Output::Told };
            let core = self.core();
            let progress = Progress::of(&cx.change.address, Task::Provision);
            let mut reporter = core.start_task(progress, || None);
            let take = |line: &str| reporter.wrote(line);
            let ran =
                local_exec::run((&value, self.session.directory()), (output, &take), &core.cancel).await;
            match ran {
                Ok(()) => reporter.done(|| None),
                Err((summary, detail)) => {
                    reporter.failed();
                    let place = diagnostic::SourceRange::of(provisioner.body.source.as_ref());
                    found.push(Diagnostic { place, ..Diagnostic::error(summary, detail) });
                }
            }
        }
        if provisioner.on_failure == OnFailure::Fail || !Rule::ProvisionerOnFailure.holds() {
            log.extend(found.into_diagnostics());
        }
    }

    /// What an object that is to be destroyed has of its key is all that is left of its repetition.
    fn each_of(&self, cx: &ChangeContext<'_>, when: When) -> RepetitionData {
        let key = &cx.change.address.key;
        if when == When::Create {
            let expansion = cx.number.and_then(|number| self.expansion(number));
            return expansion.and_then(|expansion| expansion.each.get(key)).cloned().unwrap_or_default();
        }
        match key {
            InstanceKey::Index(index) => {
                let index = Evaluated::plain(Value::from(*index), Type::Number);
                RepetitionData { index: Some(index), ..RepetitionData::default() }
            }
            InstanceKey::Key(name) => {
                let name = Evaluated::plain(Value::from(name.as_str()), Type::String);
                RepetitionData { key: Some(name), ..RepetitionData::default() }
            }
            InstanceKey::None => RepetitionData::default(),
        }
    }
}
