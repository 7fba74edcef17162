//! The nodes of a walk that are no resources: module calls, variables, local values, outputs and checks.

use std::sync::Arc;

use ferroform::diag::Severity;

use super::check_results::checkable;
use super::conditions::{self, ConditionKind};
use super::expanded_module::{CalledModule, ExpandedModule};
use super::layout::Layout;
use super::log::Log;
use super::names::output_marks;
use super::repetition::{
    self, ByKey, Instances, MOST_INSTANCES, NO_REPETITION, Repetition, RepetitionData, instances,
};
use super::scope::{Depth, Scope, evaluate, forget_deprecated, report_deprecated};
use super::walk::NodeOutcome;
use super::walk_diagnostics::WalkDiagnostics;
use super::walk_state::WalkState;
use crate::address::InstanceKey;
use crate::diagnostic::Diagnostic;
use crate::language::module::{
    Declaration, ModuleConfig, ModuleId, Modules, Output, ReferenceCheck, SourceExpr, Surroundings,
};
use crate::language::rule::Rule;
use crate::language::types::Constraint;
use crate::language::{MarkSet, Marked};

/// Evaluates named values in a walk.
#[derive(Clone, Copy)]
pub(super) struct NamedValues<'a> {
    pub(super) layout: &'a Layout,
    pub(super) walk: &'a WalkState,
    pub(super) diagnostics: &'a WalkDiagnostics,
    /// How bad it is that a condition does not hold; `None` if nobody checks any.
    pub(super) strictness: Option<Severity>,
    /// Whether the instances of modules may be known only after apply.
    pub(super) may_defer: bool,
    /// Whether it is as core loads a configuration, which knows constants; its validation does not.
    pub(super) loads_constants: bool,
}

impl<'a> NamedValues<'a> {
    /// Where no conditions are checked, and the instances of modules are known.
    pub(super) fn new(layout: &'a Layout, walk: &'a WalkState, diagnostics: &'a WalkDiagnostics) -> Self {
        Self { layout, walk, diagnostics, strictness: None, may_defer: false, loads_constants: false }
    }

    fn modules(&self) -> &'a Modules {
        self.layout.configuration().modules()
    }

    /// Does the work of a declaration that is no resource, in all instances of its module. That of an output of the root
    /// module is done elsewhere.
    pub(super) fn run(&self, declaration: Declaration) -> NodeOutcome {
        let id = declaration.module();
        let instances = match declaration {
            Declaration::Expansion(_) => return self.expand(id),
            Declaration::Close(_) | Declaration::Provider(..) | Declaration::Resource(..) => {
                return Ok(());
            }
            _ => self.walk.root.instances(self.modules(), id),
        };
        self.report_instances(declaration, &instances);
        let mut outcome = Ok(());
        for (caller, module) in &instances {
            let mut log = Log::new(&self.layout.name_in(declaration, &module.path));
            match declaration {
                Declaration::Variable(_, at) => self.variable((caller.as_deref(), module), at, &mut log),
                Declaration::Validation(_, at) => self.validation(module, at, &mut log),
                Declaration::Local(_, at) => self.local(module, at, &mut log),
                Declaration::Output(_, at) => self.output(module, at, &mut log),
                Declaration::Check(_, at) => self.check(module, at, &mut log),
                _ => {}
            }
            outcome = outcome.and(self.diagnostics.absorb(log));
        }
        outcome
    }

    /// Takes note of the instances of what has conditions.
    pub(super) fn report_instances(
        &self,
        declaration: Declaration,
        instances: &[(Option<Arc<ExpandedModule>>, Arc<ExpandedModule>)],
    ) {
        let Some(of) = checkable(self.layout, declaration) else { return };
        let modules = self.modules();
        let is_deferred = |it: &ExpandedModule| self.walk.root.is_deferred(modules, &it.path);
        if !instances.iter().any(|(_, it)| is_deferred(it)) {
            let all = instances.iter().map(|(_, it)| (it.path.clone(), InstanceKey::None));
            self.walk.results().expand(of, all);
        }
    }

    fn scope<'s>(&'s self, module: &'s ExpandedModule, each: &'s RepetitionData) -> Scope<'s> {
        Scope::new(self.layout, self.walk, module, each)
    }

    /// Finds out which instances a module has, in each instance of the module that calls it.
    fn expand(&self, id: ModuleId) -> NodeOutcome {
        let modules = self.modules();
        let Some((caller, at)) = modules[id].caller else { return Ok(()) };
        let callers = self.walk.root.instances(modules, caller);
        for (_, module) in &callers {
            let mut path = module.path.clone();
            path.0.extend(modules[id].path.0.last().cloned());
            let mut log = Log::new(&path);
            if let Some(called) = self.called(id, (module, callers.len()), &mut log) {
                module.calls.set(at, called);
            }
            // The other callers are not looked at after an error.
            self.diagnostics.absorb(log)?;
        }
        Ok(())
    }

    /// The instances of a module that an instance of another one calls, which is one of that many callers.
    fn called(
        &self,
        id: ModuleId,
        (module, callers): (&ExpandedModule, usize),
        log: &mut Log,
    ) -> Option<CalledModule> {
        let modules = self.modules();
        let (_, call) = modules.call(id)?;
        let repetition = Repetition::of(call.count.as_ref(), call.for_each.as_ref());
        let any = || module.child(modules, id, (InstanceKey::any(), repetition.any()));
        // Within a module that stands for all nothing is counted.
        if self.walk.root.is_deferred(modules, &module.path) {
            return Some(CalledModule::Deferred(any()));
        }
        let found = instances(repetition, &self.scope(module, &NO_REPETITION));
        let (found, warnings) = found.map_err(|problems| log.extend(problems)).ok()?;
        log.extend(warnings);
        if self.walk.is_validation() {
            // Nothing is known of instances, so one stands for all.
            let one = module.child(modules, id, (InstanceKey::None, repetition.any()));
            return Some(CalledModule::Known(ByKey::Single(one)));
        }
        match found {
            Instances::Unknown if self.may_defer => Some(CalledModule::Deferred(any())),
            Instances::Unknown => log.refuse_with(repetition::unknown(repetition)),
            found => {
                if are_too_many(callers, &found) {
                    let detail = format!(
                        "With the instances of this module there are more than {MOST_INSTANCES} module instances. \
                         Call it less often."
                    );
                    log.push(Diagnostic::error(repetition.invalid(), detail).on(&call.subject));
                    return None;
                }
                Some(module.children(modules, id, &found))
            }
        }
    }

    fn variable(
        &self,
        (caller, module): (Option<&ExpandedModule>, &ExpandedModule),
        at: usize,
        log: &mut Log,
    ) {
        let config = &self.modules()[module.id];
        let (Some(variable), Some(declared)) = (config.module.variables.get(at), config.variables.get(at))
        else {
            return;
        };
        let is_validation = self.walk.is_validation();
        let Some(caller) = caller else {
            let input = self.layout.configuration().input(&variable.name);
            let is_given = input.is_some() || variable.default.is_some();
            let is_loaded = self.loads_constants && variable.constant == Some(true) && is_given;
            if is_validation && !is_loaded {
                return log.extend(declared.converted_default(variable).err());
            }
            let place = input.and_then(|input| input.place.as_ref());
            // Loading has warned of constants.
            if !is_validation && input.is_some_and(|given| !given.value.is_null()) {
                log.extend(variable.deprecation_of_input());
            }
            match declared.value(variable, input.map(|given| given.value.clone()), place) {
                Ok(value) => module.variables.set(at, value),
                Err(problem) => log.push(problem),
            }
            return;
        };
        let argument = self.argument(module.id, &variable.name);
        // Which of them there is counts only where there are instances.
        let any = is_validation.then(RepetitionData::any);
        let scope = self.scope(caller, any.as_ref().unwrap_or(&module.each));
        let given = match argument.map(|expr| evaluate(expr, &scope)).transpose() {
            Ok(given) => given,
            Err(problems) => return log.extend(problems),
        };
        if let (Some(expr), Some(given)) = (argument, &given) {
            report_deprecated((given, Depth::Whole), expr, (&scope, log));
            log.extend(variable.deprecation(expr.subject()).filter(|_| !given.is_null()));
        }
        match declared.value(variable, given, argument.map(SourceExpr::subject)) {
            // What core has loaded a constant with is unknown to a validation.
            Ok(_) if is_validation && variable.constant == Some(true) && !self.loads_constants => {}
            Ok(value) => module.variables.set(at, value),
            Err(problem) => log.push(problem),
        }
    }

    /// The argument for a variable of a module that is called.
    fn argument(&self, id: ModuleId, variable: &str) -> Option<&'a SourceExpr> {
        self.modules().call(id)?.1.body.argument(variable)
    }

    fn validation(&self, module: &ExpandedModule, at: usize, log: &mut Log) {
        let config = &self.modules()[module.id];
        let Some(variable) = config.module.variables.get(at) else { return };
        let given = match module.id.is_root() {
            true => Some(&variable.subject),
            false => self.argument(module.id, &variable.name).map(SourceExpr::subject),
        };
        let each = RepetitionData { validated: Some(at), ..RepetitionData::default() };
        conditions::check_variable(&variable.validations, given, (&self.scope(module, &each), log));
    }

    fn local(&self, module: &ExpandedModule, at: usize, log: &mut Log) {
        let Some(local) = self.modules()[module.id].module.locals.get(at) else { return };
        let scope = self.scope(module, &NO_REPETITION);
        match evaluate(&local.value, &scope) {
            Ok(mut value) => {
                report_deprecated((&value, Depth::Whole), &local.value, (&scope, log));
                forget_deprecated(&mut value, Depth::Whole);
                module.locals.set(at, value);
            }
            Err(problems) => log.extend(problems),
        }
    }

    /// An output of a module that is called.
    fn output(&self, module: &ExpandedModule, at: usize, log: &mut Log) {
        let config = &self.modules()[module.id];
        let Some(output) = config.module.outputs.get(at) else { return };
        let Some(mut value) = self.output_value(module, (config, at), log) else { return };
        // What is deprecated itself may be made of what is.
        if let Some(expr) = output.value.as_ref().filter(|_| output.deprecated.is_none()) {
            report_deprecated((&value, Depth::Parts), expr, (&self.scope(module, &NO_REPETITION), log));
        }
        forget_deprecated(&mut value, Depth::Parts);
        if value.marks.all().ephemeral && output.ephemeral != Some(true) && Rule::EphemeralOutput.holds() {
            let detail = format!(
                "The value of the output {:?} is ephemeral. Declare the output with ephemeral = true.",
                output.name
            );
            let subject = output.value.as_ref().map_or(&output.subject, SourceExpr::subject);
            return log.push(Diagnostic::error("Ephemeral value not allowed", detail).on(subject));
        }
        let marks = MarkSet {
            sensitive: output.sensitive == Some(true) && Rule::SensitiveOutput.holds(),
            ephemeral: output.ephemeral == Some(true),
            ..MarkSet::default()
        };
        module.outputs.set(at, value.mark(output_marks(output, &config.path, marks)));
    }

    /// The value of an output in its type; `None` after an error, or if a precondition does not hold.
    pub(super) fn output_value(
        &self,
        module: &ExpandedModule,
        (config, at): (&ModuleConfig, usize),
        log: &mut Log,
    ) -> Option<Marked> {
        let output: &Output = config.module.outputs.get(at)?;
        let scope = self.scope(module, &NO_REPETITION);
        self.output_preconditions(output, &scope, log);
        // Nobody looks at the value after a precondition that does not hold.
        log.fine()?;
        if self.walk.is_validation() {
            let check = ReferenceCheck::new(self.modules(), module.id).among(&scope);
            let of_value =
                output.value.iter().flat_map(|value| check.expression(value, Surroundings::default()));
            log.extend(of_value.chain(check.dependencies(&output.depends_on)).collect::<Vec<_>>());
            log.fine()?;
        }
        let expr = output.value.as_ref()?;
        let value = evaluate(expr, &scope).map_err(|problems| log.extend(problems)).ok()?;
        match config.outputs.get(at).and_then(Option::as_ref) {
            Some(ty) => as_declared(ty, value, expr).map_err(|problem| log.push(problem)).ok(),
            None => Some(value),
        }
    }

    pub(super) fn output_preconditions(&self, output: &Output, scope: &Scope<'_>, log: &mut Log) {
        if let Some(severity) = self.strictness {
            conditions::check(&output.preconditions, (ConditionKind::Output, severity), scope, log);
        }
    }

    fn check(&self, module: &ExpandedModule, at: usize, log: &mut Log) {
        let config = &self.modules()[module.id];
        let Some(check) = config.module.checks.get(at) else { return };
        // A check whose data source cannot be read has failed already.
        let data = check.data.as_deref().map(|data| module.address(&config.address(data)));
        if data.is_some_and(|data| self.walk.is_unread(&data)) {
            return;
        }
        let severity = if Rule::CheckWarns.holds() { Severity::Warning } else { Severity::Error };
        let kind = (ConditionKind::Assertion, severity);
        conditions::check(&check.asserts, kind, &self.scope(module, &NO_REPETITION), log);
    }
}

/// Whether the instances of a module that all of its callers ask for are more than could be held in memory.
fn are_too_many(callers: usize, found: &Instances) -> bool {
    let Instances::Count(count) = found else { return false };
    count.saturating_mul(u64::try_from(callers).unwrap_or(u64::MAX)) > MOST_INSTANCES
}

/// The value of an output in the type that it is declared with.
fn as_declared(ty: &Constraint, value: Marked, expr: &SourceExpr) -> Result<Marked, Diagnostic> {
    ty.apply(value).map_err(|error| {
        let detail = format!("The value does not fit the type of the output: {error}.");
        expr.error("Invalid output value", detail)
    })
}
