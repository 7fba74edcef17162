//! Provisioners: what is run when an object was created, and before it is destroyed.

use super::ApplyWalk;
use super::change::ChangeContext;
use crate::address::ModuleInstance;
use crate::diagnostic::Diagnostic;
use crate::embedded::evaluate::{Decoded, decode};
use crate::embedded::expanded_module::ExpandedModule;
use crate::embedded::local_exec::{self, Output};
use crate::embedded::log::Log;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::Scope;
use crate::language::Marked;
use crate::language::module::{ModuleId, OnFailure, Provisioner, When};
use crate::language::rule::Rule;

impl ApplyWalk {
    /// Runs the provisioners of an object in their order, up to one that fails. `own` is the object.
    pub(super) async fn provision(&self, cx: &ChangeContext<'_>, when: When, own: Marked, log: &mut Log) {
        let modules = self.session.modules();
        let mut module = cx.module.clone();
        let provisioners = match self.block(cx.number) {
            Some(block) => &block.provisioners,
            // What has no block any more has those of the block that says so. Core asks those of the root module only.
            None => {
                let root = &modules[ModuleId::ROOT].module;
                let removed = root.removed.iter().find(|it| it.from.covers(&cx.change.address.resource));
                let Some(removed) = removed else { return };
                module = ExpandedModule::undeclared(modules, &ModuleInstance::default());
                &removed.provisioners
            }
        };
        let each = RepetitionData { own: Some(own), ..self.each_of(cx, when) };
        let scope = self.scope(&module, &each);
        for provisioner in provisioners.iter().filter(|it| it.when == when || !Rule::ProvisionerWhen.holds())
        {
            self.run_one(provisioner, (cx, &scope), log).await;
            if !log.is_fine() {
                return;
            }
        }
    }

    async fn run_one(
        &self,
        provisioner: &Provisioner,
        (cx, scope): (&ChangeContext<'_>, &Scope<'_>),
        log: &mut Log,
    ) {
        // Those of `removed` blocks are not checked before.
        if provisioner.type_name != "local-exec" {
            let summary = format!("unavailable provisioner {:?}", provisioner.type_name);
            return log
                .error(&summary, "There is no provisioner of this name, so the object is not destroyed.");
        }
        let decoded = decode(&provisioner.body, local_exec::schema(), scope).report_to(log);
        let Some(Decoded { value, sensitive, ephemeral, .. }) = decoded else { return };
        if !value.is_wholly_known() {
            let detail = "The arguments of the provisioner are not known, not even now that its object has been created.";
            return log.error("Configuration contains unknown value", detail);
        }
        let secret = !(sensitive.is_empty() && ephemeral.is_empty());
        let output = if secret { Output::Withheld } else { Output::Told };
        let core = self.core();
        let progress = Progress::of(&cx.change.address, Task::Provision);
        let mut reporter = core.start_task(progress, || None);
        let take = |line: &str| reporter.wrote(line);
        let ran = local_exec::run((&value, self.session.directory()), (output, &take), &core.cancel).await;
        match ran {
            Ok(()) => reporter.done(|| None),
            Err((summary, detail)) => {
                reporter.failed();
                // `continue` covers a command that has failed, not one whose arguments cannot be evaluated.
                if provisioner.on_failure == OnFailure::Fail || !Rule::ProvisionerOnFailure.holds() {
                    log.push(Diagnostic::error(summary, detail).about(provisioner.body.brace.as_ref()));
                }
            }
        }
    }

    /// What an object that is to be destroyed has of its key is all that is left of its repetition.
    fn each_of(&self, cx: &ChangeContext<'_>, when: When) -> RepetitionData {
        let address = &cx.change.address;
        if when == When::Destroy {
            return RepetitionData { is_of_key_only: true, ..RepetitionData::of_key(&address.key) };
        }
        let expansion = cx.number.and_then(|number| self.expansion(number, &address.resource.module));
        expansion.and_then(|expansion| expansion.each.get(&address.key)).cloned().unwrap_or_default()
    }
}
