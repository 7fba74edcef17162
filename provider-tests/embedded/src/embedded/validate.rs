//! The validate walk: every block once, with nothing known of others.

use std::collections::HashSet;
use std::sync::Arc;

use ferroform::diag::Severity;
use ferroform::schema::Presence;
use ferroform::value::Value;

use super::check::{Check, Checks};
use super::conditions;
use super::constant_variables::refused_constants;
use super::evaluate::{check_references, decode, misplaced_ephemeral};
use super::expanded_module::ExpandedModule;
use super::ignore_changes;
use super::import_target;
use super::layout::Resource;
use super::list::list_request;
use super::local_exec;
use super::log::Log;
use super::moved::{imports_into_modules, imports_into_nowhere, imports_without_generation};
use super::named_values::NamedValues;
use super::names::unknown_of;
use super::object::Kind;
use super::plan::root_output;
use super::providers::Providers;
use super::repetition::{ByKey, NO_REPETITION, RepetitionData, instances};
use super::scope::{Depth, Scope, evaluate_without_variables, report_deprecated, without_call_details};
use super::session::Session;
use super::walk::{Graph, NodeOutcome, Walker};
use super::walk_diagnostics::WalkDiagnostics;
use super::walk_state::{Time, WalkState};
use crate::address::{Mode, ProviderConfigAddress};
use crate::diagnostic::Diagnostic;
use crate::language::module::{
    self, Condition, Declaration, IgnoreChanges, ModuleId, ReferenceCheck, SourceExpr, Surroundings,
};
use crate::language::rule::Rule;
use crate::language::{Marked, Traversal};

/// The nodes are the declarations, and after them the providers.
struct ValidateWalk {
    session: Arc<Session>,
    providers: Providers,
    state: WalkState,
    diagnostics: WalkDiagnostics,
}

/// What is wrong with a configuration, and what else there is to say about it.
pub(super) async fn run(session: &Arc<Session>) -> Vec<Diagnostic> {
    let wrong = check_addresses(session);
    if !wrong.is_empty() {
        return wrong;
    }
    let resources = session.layout.resources();
    let in_use = resources.iter().map(|resource| resource.provider.clone());
    // A block that nothing uses is not looked at.
    let used: HashSet<ProviderConfigAddress> = in_use.clone().collect();
    let in_blocks = session.layout.configured_providers().into_iter();
    let in_use = in_blocks.filter(|address| used.contains(address)).chain(in_use);
    let providers = match Providers::new(session, in_use) {
        Ok(providers) => providers,
        Err(problems) => return problems,
    };
    let wrong = refused_constants(session);
    if !wrong.is_empty() {
        return wrong;
    }
    let state = WalkState::new(session.modules(), Time::Validation);
    let diagnostics = WalkDiagnostics::default();
    let walker = Arc::new(ValidateWalk { session: session.clone(), providers, state, diagnostics });
    let graph = walker.graph();
    let cycles = graph.cycles();
    if !cycles.is_empty() {
        return cycles.iter().map(|cycle| walker.cycle(cycle)).collect();
    }
    let ending = walker.providers.walk(walker.clone(), graph).await;
    let mut diagnostics = walker.diagnostics.take();
    diagnostics.extend(ending.diagnostic());
    diagnostics.extend(imports_without_generation(session));
    diagnostics.extend(imports_into_modules(session));
    diagnostics
}

/// What is wrong with addresses, which leads nowhere before anything is evaluated.
fn check_addresses(session: &Session) -> Vec<Diagnostic> {
    let lost = imports_into_nowhere(session);
    if !lost.is_empty() {
        return lost;
    }
    let resources = session.layout.resources().iter();
    let actions =
        |it: &Resource| ReferenceCheck::new(session.modules(), it.module).triggered_actions(&it.block);
    resources.flat_map(actions).collect()
}

/// A resource in which everything is unknown. What the schema says is sensitive is not marked, as in real cores.
fn any_value(session: &Session, resource: &Resource) -> Option<Marked> {
    // What a list finds is not of its schema.
    if resource.address.mode == Mode::List {
        return Some(unknown_of(Mode::List));
    }
    let catalog = session.catalog(&resource.provider.provider)?;
    let kind = Kind::of(catalog, &resource.address);
    let schema = kind.block().ok()?;
    let attributes = schema.attributes.iter().map(|attribute| &*attribute.name);
    let blocks = schema.blocks.iter().map(|nested| &*nested.name);
    let value = Value::object(attributes.chain(blocks).map(|name| (name, Value::unknown())));
    kind.evaluated(&value, &[]).ok()
}

impl ValidateWalk {
    fn graph(&self) -> Graph {
        let layout = &self.session.layout;
        let declarations = layout.declarations().len();
        let mut graph = Graph::new(declarations + self.providers.len());
        for number in 0..declarations {
            layout.references(number).iter().for_each(|other| graph.order(*other, number));
            let provider = layout.resource(number).and_then(|it| self.providers.number(&it.provider));
            provider.into_iter().for_each(|provider| graph.order(declarations + provider, number));
        }
        for provider in 0..self.providers.len() {
            let block = self.providers.declaration(provider);
            block.into_iter().for_each(|block| graph.order(block, declarations + provider));
        }
        graph
    }

    /// What is said of nodes that wait for each other.
    fn cycle(&self, nodes: &[usize]) -> Diagnostic {
        let declarations = self.session.layout.declarations();
        let name = |node: &usize| match declarations.get(*node) {
            Some(declaration) => self.session.layout.name(*declaration),
            None => self.providers.name(*node - declarations.len()),
        };
        let name = |node: &usize| match declarations.get(*node) {
            Some(Declaration::Local(..) | Declaration::Variable(..) | Declaration::Output(..)) => {
                name(node) + " (expand)"
            }
            _ => name(node),
        };
        // The block of a provider is in a circle only where the provider is.
        let is_block = |node: &&usize| matches!(declarations.get(**node), Some(Declaration::Provider(..)));
        let names: Vec<String> = nodes.iter().filter(|node| !is_block(node)).map(name).collect();
        let detail = "These wait for each other, so none of them can be first.";
        Diagnostic::error(format!("Cycle: {}", names.join(", ")), detail)
    }

    fn scope<'a>(&'a self, module: &'a ExpandedModule, each: &'a RepetitionData) -> Scope<'a> {
        Scope::new(&self.session.layout, &self.state, module, each)
    }

    fn named_values(&self) -> NamedValues<'_> {
        NamedValues {
            strictness: Some(Severity::Error),
            ..NamedValues::new(&self.session.layout, &self.state, &self.diagnostics)
        }
    }

    /// A declaration that is no resource: first its references, and then its value.
    fn declared(&self, declaration: Declaration) -> NodeOutcome {
        let mut log = Log::new(&self.session.layout.name(declaration));
        if let Declaration::Check(id, at) = declaration {
            self.check(id, at, &mut log);
            return self.diagnostics.absorb(log);
        }
        log.extend(self.ephemeral_root(declaration));
        if log.is_fine() {
            log.extend(self.references(declaration));
        }
        if !log.is_fine() {
            return self.diagnostics.absorb(log);
        }
        match declaration {
            Declaration::Output(id, at) if id.is_root() => {
                let value = root_output(&self.session, self.named_values(), at, &mut log);
                let output = self.session.configuration().root().outputs.get(at);
                if let Some(deprecated) =
                    output.and_then(|it| it.deprecated.as_ref()).filter(|_| log.is_fine())
                {
                    let detail =
                        "Nothing refers to the outputs of the root module, so they cannot be deprecated.";
                    let error = Diagnostic::error("Root module output deprecated", detail);
                    log.push(error.on(&deprecated.subject));
                }
                let scope = self.scope(&self.state.root, &NO_REPETITION);
                if let (Some(value), Some(expr)) = (value, output.and_then(|it| it.value.as_ref())) {
                    report_deprecated((&value, Depth::Parts), expr, (&scope, &mut log));
                }
                self.diagnostics.absorb(log)
            }
            _ => self.named_values().run(declaration),
        }
    }

    /// Each assertion: its references, and then its message, which core evaluates without anything that it could refer to
    /// where a reference is wrong.
    fn check(&self, id: ModuleId, at: usize, log: &mut Log) {
        let modules = self.session.modules();
        let around = Surroundings { check: Some(at), ..Surroundings::default() };
        let Some(block) = modules[id].module.checks.get(at) else { return };
        for (_, module) in self.state.root.instances(modules, id) {
            let scope = self.scope(&module, &NO_REPETITION);
            let check = ReferenceCheck::new(modules, id).among(&scope);
            for assertion in &block.asserts {
                let both = [&assertion.condition, &assertion.error_message];
                let (wrong, misses_object) = check.together(&both, around);
                if wrong.is_empty() {
                    conditions::validate_message(assertion, &scope, log);
                }
                log.extend(wrong);
                if misses_object {
                    log.extend(without_variables(&assertion.error_message, &scope));
                }
            }
        }
    }

    /// What is wrong with an output of the root module that is declared ephemeral.
    fn ephemeral_root(&self, declaration: Declaration) -> Option<Diagnostic> {
        let Declaration::Output(id, at) = declaration else { return None };
        let output = self.session.modules()[id].module.outputs.get(at).filter(|_| id.is_root())?;
        let detail = "Outputs of the root module are stored, so they cannot be ephemeral.";
        let error = || Diagnostic::error("Ephemeral output not allowed", detail).on(&output.subject);
        (output.ephemeral == Some(true) && Rule::EphemeralRoot.holds()).then(error)
    }

    /// What is wrong with the references of a declaration that is no resource.
    fn references(&self, declaration: Declaration) -> Vec<Diagnostic> {
        let (modules, id, nothing) = (self.session.modules(), declaration.module(), Surroundings::default());
        // A call belongs to the module that has it.
        let within = match declaration {
            Declaration::Expansion(_) | Declaration::Variable(..) => {
                modules.call(id).map(|(caller, _)| caller)
            }
            _ => Some(id),
        };
        let module = within.and_then(|within| self.instance(within));
        let Some(module) = module else { return Vec::new() };
        let scope = self.scope(&module, &NO_REPETITION);
        let (config, check) = (&modules[id].module, ReferenceCheck::new(modules, module.id).among(&scope));
        let mut found = Vec::new();
        match declaration {
            Declaration::Expansion(_) => {
                if let Some((_, call)) = modules.call(id) {
                    let repetition = call.count.iter().chain(&call.for_each);
                    found.extend(repetition.flat_map(|expr| check.expression(expr, nothing)));
                    found.extend(check.dependencies(&call.depends_on));
                }
            }
            Declaration::Variable(_, at) => {
                if let (Some((_, call)), Some(variable)) = (modules.call(id), config.variables.get(at))
                    && let Some(argument) = call.body.argument(&variable.name)
                {
                    // Which of "count" and "each" there is counts only where there are instances.
                    let around = Surroundings::repeated(true, true);
                    found.extend(check.expression(argument, around));
                }
            }
            Declaration::Validation(_, at) => {
                found.extend(config.variables.get(at).into_iter().flat_map(|it| check.validations(it)));
            }
            Declaration::Local(_, at) => {
                if let Some(local) = config.locals.get(at) {
                    found.extend(self_reference(local));
                    found.extend(check.expression(&local.value, nothing));
                }
            }
            Declaration::Output(_, at) => {
                let preconditions = config.outputs.get(at).into_iter().flat_map(|it| &it.preconditions);
                let both =
                    |it: &Condition| evaluated((check, nothing), &[&it.condition, &it.error_message], &scope);
                found.extend(preconditions.flat_map(both));
            }
            Declaration::Check(..)
            | Declaration::Close(_)
            | Declaration::Provider(..)
            | Declaration::Resource(..) => {}
        }
        found
    }

    /// The instance that stands for all of a module.
    fn instance(&self, id: ModuleId) -> Option<Arc<ExpandedModule>> {
        let instances = self.state.root.instances(self.session.modules(), id);
        instances.into_iter().next().map(|(_, module)| module)
    }

    async fn provider(&self, number: usize) -> Log {
        let layout = &self.session.layout;
        let block = self.providers.declaration(number).and_then(|it| layout.declarations().get(it));
        if let Some(Declaration::Provider(id, at)) = block
            && let Some(module) = self.instance(*id)
        {
            let scope = self.scope(&module, &NO_REPETITION);
            let check = ReferenceCheck::new(self.session.modules(), *id).among(&scope);
            let block = self.session.modules()[*id].module.providers.get(*at);
            let catalog = self.providers.catalog(number);
            let schema = catalog.map(|catalog| &catalog.schemas().provider.block);
            let around = Surroundings::default();
            let problems = block
                .zip(schema)
                .map(|(it, schema)| check_references(&it.body, schema, (check, around), &scope));
            if let Some(problems) = problems.filter(|problems| !problems.is_empty()) {
                let mut log = Log::new(&self.providers.name(number));
                log.extend(problems);
                return log;
            }
        }
        self.providers.validate(number, &self.state).await
    }

    /// What a reference to a resource comes to. Ephemeral resources have no objects yet.
    fn referred_to(&self, resource: &Resource) -> Option<Marked> {
        match resource.address.mode {
            Mode::Ephemeral => Some(unknown_of(Mode::Ephemeral)),
            _ => any_value(&self.session, resource),
        }
    }

    async fn resource(&self, number: usize) -> Log {
        let Some(resource) = self.session.resource(number) else { return Log::new(&"") };
        let mut log = Log::within(&resource.address, Some(&resource.block.body));
        for (_, module) in self.state.root.instances(self.session.modules(), resource.module) {
            if !resource.is_repeated()
                && let Some(value) = self.referred_to(resource)
            {
                module.resources.set(resource.at, ByKey::Single(value));
            }
            self.arguments(resource, &module, &mut log).await;
            self.validate_lifecycle(resource, &module, &mut log);
        }
        log
    }

    /// The arguments of a resource, and what its provider says of them.
    async fn arguments(&self, resource: &Resource, module: &ExpandedModule, log: &mut Log) -> Option<()> {
        let block = &*resource.block;
        let around = surroundings(resource);
        let address = &resource.provider;
        let repetition = resource.repetition();
        let each = repetition.any();
        let scope = self.scope(module, &each);
        let check = ReferenceCheck::new(self.session.modules(), resource.module).among(&scope);
        // Also after an error the body is looked at.
        let wrong = repetition.expression().map(|expr| check.expression(expr, Surroundings::default()));
        match wrong.filter(|wrong| !wrong.is_empty()) {
            Some(wrong) => log.extend(wrong),
            None => match instances(repetition, &self.scope(module, &NO_REPETITION)) {
                Ok((_, warnings)) => log.extend(warnings),
                Err(problems) => log.extend(problems),
            },
        }
        log.extend(check.dependencies(&block.depends_on));
        if let Some(unknown) = self.session.unknown_type(resource) {
            return log.refuse_with(unknown);
        }
        let kind = Kind::of(self.session.catalog(&address.provider)?, &resource.address);
        let schema = log.answered(kind.block())?;
        if block.is_generated {
            return None;
        }
        let wrong = match block.mode {
            // Only the "config" block of a list is of an instance.
            Mode::List => {
                let arguments = block.body.arguments.iter();
                let arguments = arguments.flat_map(|it| check.expression(&it.value, Surroundings::default()));
                let configs = block
                    .body
                    .blocks
                    .iter()
                    .flat_map(|it| check_references(&it.body, schema, (check, around), &scope));
                arguments.chain(configs).collect()
            }
            _ => check_references(&block.body, schema, (check, around), &scope),
        };
        if !wrong.is_empty() {
            log.extend(wrong);
            return None;
        }
        let config = match block.mode {
            Mode::List => {
                list_request(block, kind, (&self.scope(module, &NO_REPETITION), &each), log)?.config
            }
            Mode::Ephemeral | Mode::Action | Mode::Managed | Mode::Data => {
                // Neither a wrong count or for_each nor an ephemeral value in the wrong place ends the validation: core
                // goes on.
                let decoded = decode(&block.body, schema, &scope);
                if decoded.is_wrong() {
                    log.extend(decoded.diagnostics);
                    return None;
                }
                if block.mode != Mode::Ephemeral {
                    log.extend(misplaced_ephemeral((&block.body, schema), &decoded, &scope));
                }
                log.extend(decoded.diagnostics);
                decoded.value
            }
        };
        let provider = self.providers.started(self.providers.number(address)?, log).await?;
        if block.mode == Mode::Managed {
            check_ignored(block, schema, self.session.core.checks, log);
        }
        self.session.validate(&provider, kind, &config, log).await
    }

    /// Conditions, provisioners, triggers and imports of a resource.
    fn validate_lifecycle(&self, resource: &Resource, module: &ExpandedModule, log: &mut Log) {
        let block = &*resource.block;
        let around = surroundings(resource);
        let each = resource.repetition().any();
        let of_object = RepetitionData {
            own: any_value(&self.session, resource),
            own_resource: self.session.layout.number(&resource.address),
            ..each.clone()
        };
        let (before, after) = (&block.lifecycle.preconditions, &block.lifecycle.postconditions);
        let of_self = Surroundings { own: true, ..around };
        let (scope, scope_of_self) = (self.scope(module, &each), self.scope(module, &of_object));
        let any = ReferenceCheck::new(self.session.modules(), resource.module);
        let (check, check_of_self) = (any.among(&scope), any.among(&scope_of_self));
        let before = before.iter().map(|it| (it, (check, around), &scope));
        let all = before.chain(after.iter().map(|it| (it, (check_of_self, of_self), &scope_of_self)));
        let exprs = all
            .flat_map(|(it, check, scope)| [&it.condition, &it.error_message].map(|it| (it, check, scope)));
        let wrong: Vec<Diagnostic> =
            exprs.flat_map(|(expr, check, scope)| evaluated(check, &[expr], scope)).collect();
        if wrong.is_empty() {
            conditions::validate(&block.lifecycle.preconditions, &scope, log);
            conditions::validate(&block.lifecycle.postconditions, &scope_of_self, log);
        }
        log.extend(wrong);
        for provisioner in &block.provisioners {
            let schema = local_exec::schema();
            let mut found =
                check_references(&provisioner.body, schema, (check_of_self, of_self), &scope_of_self);
            if found.is_empty() {
                found = decode(&provisioner.body, schema, &scope_of_self).diagnostics;
            }
            let is_wrong = found.iter().any(Diagnostic::is_error);
            log.extend(found);
            if is_wrong {
                break;
            }
        }
        // Core finds a condition that refers to "self" when it plans.
        let triggers = block.lifecycle.action_triggers.iter().filter(|it| !it.refers_to("self"));
        log.extend(
            triggers.filter_map(|it| it.condition.as_ref()).flat_map(|expr| check.expression(expr, around)),
        );
        self.imports(resource, log);
    }

    fn imports(&self, resource: &Resource, log: &mut Log) {
        let scope = self.scope(&self.state.root, &NO_REPETITION);
        if let Some(catalog) = self.session.catalog(&resource.provider.provider) {
            let kind = Kind::of(catalog, &resource.address);
            import_target::validate(&self.session, resource, kind, &scope, log);
        }
    }
}

/// What the arguments of a resource may refer to.
fn surroundings(resource: &Resource) -> Surroundings {
    let block = &resource.block;
    Surroundings {
        check: resource.check_number(),
        ..Surroundings::repeated(block.count.is_some(), block.for_each.is_some())
    }
}

/// A local value that is defined by itself.
fn self_reference(local: &module::Local) -> Option<Diagnostic> {
    let is_own = |it: &Traversal| it.names().take(2).eq(["local", local.name.as_str()]);
    let own = local.value.references().iter().any(is_own);
    let detail = format!("local.{} is defined by itself.", local.name);
    own.then(|| local.value.error("Self-referencing local value", detail))
}

/// What is wrong with the references of expressions of conditions. Terraform evaluates them all the same, without anything
/// that they could refer to where it misses an object.
fn evaluated(
    (check, around): (ReferenceCheck<'_>, Surroundings),
    exprs: &[&SourceExpr],
    scope: &Scope<'_>,
) -> Vec<Diagnostic> {
    let (mut wrong, misses_object) = check.together(exprs, around);
    if misses_object {
        wrong.extend(exprs.iter().flat_map(|expr| without_variables(expr, scope)));
    }
    wrong
}

/// What is wrong with an expression where nothing has a value.
fn without_variables(expr: &SourceExpr, scope: &Scope<'_>) -> Vec<Diagnostic> {
    evaluate_without_variables(expr, scope).map_err(without_call_details).err().unwrap_or_default()
}

/// What is ignored has to be in the schema, and something that a configuration can set.
fn check_ignored(block: &module::Resource, schema: &ferroform::schema::Block, checks: Checks, log: &mut Log) {
    let Some(IgnoreChanges::Only(all)) = &block.lifecycle.ignore_changes else { return };
    for reference in all {
        match ignore_changes::attribute(schema, reference) {
            // Core warns only while nothing is wrong.
            Ok(Some(attribute)) if attribute.presence == Presence::Computed && log.is_fine() => {
                let detail = format!(
                    "Adding the attribute {:?} to ignore_changes has no effect, because it is decided by the \
                     provider alone.",
                    attribute.name
                );
                let warning = Diagnostic::warning("Redundant ignore_changes element", detail);
                log.push(warning.on(&block.type_subject));
            }
            Err(error) if checks.has(Check::IgnoredExists) => log.push(error),
            _ => {}
        }
    }
}

impl Walker for ValidateWalk {
    fn begin(&self, _node: usize) -> Result<usize, ()> {
        Ok(1)
    }

    async fn part(&self, node: usize, _part: usize) -> NodeOutcome {
        let declarations = self.session.layout.declarations();
        let log = match declarations.get(node) {
            Some(Declaration::Resource(..)) => self.resource(node).await,
            Some(declaration) => return self.declared(*declaration),
            None => self.provider(node - declarations.len()).await,
        };
        self.diagnostics.absorb(log)
    }
}
