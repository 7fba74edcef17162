//! The validate walk: every block once, with nothing known of others.

use std::sync::Arc;

use ferroform::diag::Severity;
use ferroform::path::Path;
use ferroform::schema::Presence;
use ferroform::value::Value;

use super::check::{Check, Checks};
use super::conditions;
use super::data_source::DataSource;
use super::ephemeral;
use super::evaluate::{Evaluated, decode, decode_stored, deprecated, evaluate};
use super::import_target;
use super::list::list_request;
use super::local_exec;
use super::log::Log;
use super::managed::Managed;
use super::object::Kind;
use super::providers::Providers;
use super::scope::{Repeated, RepetitionData, Scope, Values, any_instance, instances};
use super::session::Session;
use super::walk::{Graph, NodeOutcome, Walker, until_done, walk};
use super::walk_diagnostics::WalkDiagnostics;
use crate::address::{Mode, ProviderConfigAddress};
use crate::config::{IgnoreChanges, Repetition, ResourceBlock, RuleKind};
use crate::diagnostic::{Diagnostic, SourceRange};

struct ValidateWalk {
    session: Arc<Session>,
    providers: Providers,
    values: Values,
    diagnostics: WalkDiagnostics,
}

/// What is wrong with a configuration, and what else there is to say about it.
pub(super) async fn run(session: &Arc<Session>) -> Vec<Diagnostic> {
    let resources = session.layout.resources();
    let in_use = resources.iter().map(|resource| resource.provider.clone());
    let in_blocks = session.configured_providers().into_iter();
    // A block that nothing uses is not looked at.
    let used: std::collections::HashSet<ProviderConfigAddress> = in_use.clone().collect();
    let in_use = in_blocks.filter(|address| used.contains(address)).chain(in_use);
    let providers = match Providers::new(session, in_use) {
        Ok(providers) => providers,
        Err(problems) => return problems,
    };
    let values = Values::new(resources.len());
    for (number, block) in session.config.resources.iter().enumerate() {
        if block.repetition == Repetition::Single
            && let Some(value) = any_value(session, number, block)
        {
            values.set(number, Repeated::Single(value));
        }
    }
    let values = values.complete();
    let graph = graph(session, &providers);
    let walker =
        ValidateWalk { session: session.clone(), providers, values, diagnostics: WalkDiagnostics::default() };
    let walker = Arc::new(walker);
    let circles = graph.circles();
    if !circles.is_empty() {
        return circles.iter().map(|circle| walker.circle(circle)).collect();
    }
    let cancel = &session.core.cancel;
    let stop = async {
        cancel.cancelled().await;
        walker.providers.stop().await;
    };
    let ending = until_done(walk(walker.clone(), graph, session.core.parallelism, cancel), stop).await;
    let mut diagnostics = walker.diagnostics.take();
    diagnostics.extend(ending.diagnostic());
    let each = RepetitionData::default();
    diagnostics.extend(named_values(session, &walker.scope(&each)));
    let kinds = [RuleKind::OutputPrecondition, RuleKind::Validation];
    diagnostics.extend(conditions::check_rules(session, &walker.scope(&each), (&kinds, Severity::Error)));
    without_repetitions(diagnostics)
}

/// What is wrong with a named value is wrong with all that refers to it, and is told once.
fn without_repetitions(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let same = |it: &Diagnostic| (&it.summary, &it.place) == (&diagnostic.summary, &diagnostic.place);
        if diagnostic.place.is_none() || !kept.iter().any(same) {
            kept.push(diagnostic);
        }
    }
    kept
}

/// What is wrong with values that nothing else may have looked at.
pub(super) fn named_values(session: &Session, scope: &Scope<'_>) -> Vec<Diagnostic> {
    let wrong = |(name, value): &(String, crate::config::Expr)| {
        let mut log = Log::new(name);
        if let Err(fault) = evaluate(value, scope) {
            log.fault(fault);
        }
        log.into_diagnostics()
    };
    session.config.values.iter().flat_map(wrong).collect()
}

/// The nodes are the resources, then the providers, then the outputs. Nothing is said about what refers to something
/// that is wrong itself.
fn graph(session: &Session, providers: &Providers) -> Graph {
    let resources = session.layout.resources();
    let outputs = &session.config.outputs;
    let first_output = resources.len() + providers.len();
    let mut graph = Graph::new(first_output + outputs.len());
    for (number, resource) in resources.iter().enumerate() {
        resource.depends_on.iter().for_each(|other| graph.order(*other, number));
        if let Some(provider) = providers.number(&resource.provider) {
            graph.order(resources.len() + provider, number);
        }
    }
    for number in 0..providers.len() {
        for resource in providers.refers_to(number) {
            graph.order(resource, resources.len() + number);
        }
    }
    for (number, output) in outputs.iter().enumerate() {
        for resource in session.layout.referred_to_by(&output.value) {
            graph.order(resource, first_output + number);
        }
    }
    graph
}

/// A resource in which everything is unknown. What the schema says is sensitive is not marked, as in real cores.
fn any_value(session: &Session, number: usize, block: &ResourceBlock) -> Option<Evaluated> {
    // What a list finds is not of its schema.
    if block.address.mode == Mode::List {
        return Some(Evaluated::unknown());
    }
    let catalog = session.catalog(&session.layout.resource(number)?.provider.provider)?;
    let kind = Kind::of(catalog, &block.address);
    let schema = kind.block().ok()?;
    let attributes = schema.attributes.iter().map(|attribute| &*attribute.name);
    let blocks = schema.blocks.iter().map(|nested| &*nested.name);
    let value = Value::object(attributes.chain(blocks).map(|name| (name, Value::unknown())));
    kind.evaluated(&value, &[]).ok()
}

impl ValidateWalk {
    fn scope<'a>(&'a self, each: &'a RepetitionData) -> Scope<'a> {
        Scope { layout: &self.session.layout, values: &self.values, each }
    }

    /// What is said of nodes that wait for each other.
    fn circle(&self, nodes: &[usize]) -> Diagnostic {
        let resources = self.session.layout.resources().len();
        let name = |node: &usize| match self.session.block(*node) {
            Some(block) => block.address.to_string(),
            None => self.providers.name(*node - resources),
        };
        let names: Vec<String> = nodes.iter().map(name).collect();
        let detail = "These wait for each other, so none of them can be first.";
        Diagnostic::error(format!("Cycle: {}", names.join(", ")), detail)
    }

    async fn resource(&self, number: usize, log: &mut Log) -> Option<()> {
        let block = self.session.block(number)?;
        let address = &self.session.layout.resource(number)?.provider;
        let kind = Kind::of(self.session.catalog(&address.provider)?, &block.address);
        let schema = log.answered(kind.block())?;
        // Also after an error the body is looked at.
        let _ = instances(&block.repetition, &self.scope(&RepetitionData::default()), log);
        let each = any_instance(&block.repetition);
        let scope = self.scope(&each);
        let decoded = match block.address.mode {
            Mode::List => return self.list(block, kind, (address, &each), log).await,
            Mode::Ephemeral => decode(&block.body, schema, &scope),
            Mode::Action | Mode::Managed | Mode::Data => decode_stored(&block.body, schema, &scope),
        };
        log.extend(decoded.diagnostics);
        if !log.is_fine() {
            return None;
        }
        self.beside(number, block, log);
        let provider = self.providers.started(self.providers.number(address)?, log).await?;
        let provider = &provider;
        match block.address.mode {
            Mode::Managed => {
                check_ignored(block, schema, self.session.core.checks, log);
                let managed = Managed { session: &self.session, provider, kind, block: schema };
                managed.validate(&decoded.value, log).await;
            }
            Mode::Ephemeral => {
                let at = (&*self.session, provider);
                ephemeral::validate(at, kind.type_name, &decoded.value, log).await;
            }
            Mode::List => {}
            Mode::Action => {
                let call = provider.validate_action(kind.type_name, &decoded.value);
                let found = log.answered(self.session.limited(call).await)?;
                log.provider(found);
            }
            Mode::Data => {
                DataSource { session: &self.session, provider, kind }.validate(&decoded.value, log).await;
            }
        }
        Some(())
    }

    async fn list(
        &self,
        block: &ResourceBlock,
        kind: Kind<'_>,
        (address, each): (&ProviderConfigAddress, &RepetitionData),
        log: &mut Log,
    ) -> Option<()> {
        let none = RepetitionData::default();
        let list_request = list_request(block, kind, (&self.scope(&none), each), log)?;
        let provider = self.providers.started(self.providers.number(address)?, log).await?;
        list_request.validate((&self.session, &provider), kind.type_name, log).await;
        Some(())
    }

    fn imports(&self, number: usize, block: &ResourceBlock, log: &mut Log) {
        let provider = self.session.layout.resource(number).map(|resource| &resource.provider.provider);
        if let Some(catalog) = provider.and_then(|provider| self.session.catalog(provider)) {
            let kind = Kind::of(catalog, &block.address);
            import_target::validate(&self.session, block, kind, &self.scope(&RepetitionData::default()), log);
        }
    }

    /// Conditions and provisioners.
    fn beside(&self, number: usize, block: &ResourceBlock, log: &mut Log) {
        let each = any_instance(&block.repetition);
        let of_object = RepetitionData { own: any_value(&self.session, number, block), ..each.clone() };
        conditions::validate(&block.lifecycle.preconditions, &self.scope(&each), log);
        conditions::validate(&block.lifecycle.postconditions, &self.scope(&of_object), log);
        for provisioner in &block.provisioners {
            let decoded = decode(&provisioner.body, local_exec::schema(), &self.scope(&of_object));
            log.extend(decoded.diagnostics);
        }
    }

    /// A node by its number.
    async fn node(&self, node: usize) -> Log {
        let resources = self.session.layout.resources().len();
        let each = RepetitionData::default();
        if let Some(block) = self.session.block(node) {
            let mut log = Log::within(&block.address, Some(&block.body));
            self.resource(node, &mut log).await;
            self.imports(node, block, &mut log);
            return log;
        }
        let number = node - resources;
        if number < self.providers.len() {
            return self.providers.validate(number, &self.scope(&each)).await;
        }
        let Some(block) = self.session.config.outputs.get(number - self.providers.len()) else {
            return Log::new(&"");
        };
        let mut log = Log::new(&format_args!("output.{}", block.name));
        let scope = self.scope(&each);
        let strict = (block, Some(Severity::Error));
        if let Some(value) = super::plan::output_value(&self.session, strict, &scope, &mut log) {
            log.extend(deprecated::warnings(&value, &scope, &Path::root()));
        }
        log
    }
}

/// What is ignored has to be in the schema, and something that a configuration can set.
fn check_ignored(block: &ResourceBlock, schema: &ferroform::schema::Block, checks: Checks, log: &mut Log) {
    let IgnoreChanges::Paths(paths) = &block.lifecycle.ignore_changes else { return };
    for (at, path) in paths.iter().enumerate() {
        let Some(ferroform::path::Step::Attribute(name)) = path.steps().first() else { continue };
        match schema.attribute(name) {
            Some(attribute) if attribute.presence == Presence::Computed => {
                let detail = format!(
                    "Adding the attribute {name:?} to ignore_changes has no effect, because it is decided by \
                     the provider alone."
                );
                let place = SourceRange::of(block.type_source.as_ref());
                log.push(Diagnostic {
                    place,
                    ..Diagnostic::warning("Redundant ignore_changes element", detail)
                });
            }
            None if schema.block(name).is_none() && checks.has(Check::IgnoredExists) => {
                let detail = format!(
                    "This object has no argument, nested block, or exported attribute named {name:?}."
                );
                let place = SourceRange::of(block.lifecycle.ignore_changes_source.get(at));
                log.push(Diagnostic { place, ..Diagnostic::error("Unsupported attribute", detail) });
            }
            _ => {}
        }
    }
}

impl Walker for ValidateWalk {
    fn begin(&self, _node: usize) -> Result<usize, ()> {
        Ok(1)
    }

    async fn part(&self, node: usize, _part: usize) -> NodeOutcome {
        let log = self.node(node).await;
        self.diagnostics.absorb(log)
    }
}
