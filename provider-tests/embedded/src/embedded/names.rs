//! What the names in expressions stand for.

use std::path::Path as FilePath;
use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;

use super::expanded_module::{CalledModule, ExpandedModule};
use super::ignore_changes;
use super::object::Kind;
use super::repetition::{ByKey, MissingInstance};
use super::scope::Scope;
use crate::address::{InstanceKey, Mode, ModuleInstance, ProviderAddress};
use crate::diagnostic::Diagnostic;
use crate::language::module::{
    ModuleId, NamedKind, SourceExpr, StaticStep, is_to_resource, misplaced, naming, undeclared,
    undeclared_resource,
};
use crate::language::{
    self, Failure, MarkSet, Marked, ProviderFunction, Resolved, SourceFile, Stage, Traversal, TraversalStep,
    convert, path_value, without_optional,
};

/// What the names in an expression mean.
pub(super) struct Names<'a> {
    scope: &'a Scope<'a>,
    source: &'a SourceFile,
    /// Whether what has no value is unknown.
    missing_is_unknown: bool,
}

impl<'a> Names<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, expr: &'a SourceExpr) -> Self {
        Self { scope, source: expr.source(), missing_is_unknown: false }
    }

    /// The same where what has no value is unknown.
    pub(super) fn lenient(scope: &'a Scope<'a>, expr: &'a SourceExpr) -> Self {
        Self { missing_is_unknown: true, ..Self::new(scope, expr) }
    }
}

/// What is reported of a key that no instance has.
const NO_INSTANCE: &str = "Invalid index";
/// What is said of `self` where the state has no such instance.
const NO_OWN_INSTANCE: &str = "This instance does not exist yet, so \"self\" has no value.";
const NO_ELEMENT: &str = "The given key does not identify an element in this collection value.";

impl language::Scope for Names<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn directory(&self) -> Option<&FilePath> {
        Some(&self.scope.layout.configuration().root().directory)
    }

    fn stage(&self) -> Stage {
        self.scope.walk.time.stage()
    }

    fn plan_timestamp(&self) -> Option<&str> {
        self.scope.walk.time.of_plan()
    }

    fn provider_function(&self, provider: &str, name: &str) -> ProviderFunction {
        let required = self.scope.config().module.required_provider(provider);
        required.map_or(ProviderFunction::UnknownProvider, |required| {
            self.scope.layout.functions.find(&required.address, name)
        })
    }

    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        self.scope.layout.functions.call(provider, name, arguments)
    }

    fn reference_error(&self, traversal: &Traversal) -> Option<Diagnostic> {
        let is_own = traversal.root == "self" && !self.is_iterator(&traversal.root);
        let missing = self.scope.each.own_is_missing.filter(|_| is_own)?;
        let next = match missing {
            MissingInstance::Next => " It would be the next one.",
            MissingInstance::Other => "",
        };
        Some(Diagnostic::error(NO_INSTANCE, format!("{NO_OWN_INSTANCE}{next}")))
    }

    /// Those of a resource, as there may be many.
    fn takes_index(&self, traversal: &Traversal) -> bool {
        let names = match traversal.root.as_str() {
            "data" | "ephemeral" | "list" | "resource" => 2,
            _ => 1,
        };
        is_to_resource(&traversal.root)
            && traversal.steps.len() == names
            && !self.is_iterator(&traversal.root)
    }

    fn object_type(&self, traversal: &Traversal) -> Option<(Type, usize)> {
        if let ("self", Some(own)) = (traversal.root.as_str(), &self.scope.each.own)
            && !self.is_iterator(&traversal.root)
        {
            // It has no type while the object is not there.
            return own.ty.as_object().map(|_| (own.ty.clone(), 0));
        }
        let (number, steps) = self.object(traversal)?;
        let ty = self.scope.layout.type_of(number)?;
        if traversal.root != "list" {
            return Some((ty, steps));
        }
        // Only an object that a list has found is looked into.
        let member = name(traversal, steps + 2).filter(|_| name(traversal, steps) == Some("data"))?;
        let found = ty.as_object()?.attribute("data")?.element()?.as_object()?.attribute(member)?;
        Some((found.clone(), steps + 3))
    }

    fn lost_step(&self, traversal: &Traversal, first: usize) -> Option<(usize, Diagnostic)> {
        let number = match traversal.root.as_str() {
            "list" => return None,
            "self" if !self.is_iterator("self") => self.scope.each.own_resource?,
            _ => self.object(traversal)?.0,
        };
        let resource = self.scope.layout.resource(number)?;
        let catalog = self.scope.layout.catalogs.get(&resource.provider.provider)?;
        let schema = Kind::of(catalog, &resource.address).block().ok()?;
        let steps = traversal.steps.get(first..)?.iter().map(|step| match step {
            TraversalStep::Attribute(name) => StaticStep::Name(name.clone()),
            TraversalStep::Index(Value::String(key)) => StaticStep::Key(key.to_string()),
            // Which of the blocks it is does not matter.
            TraversalStep::Index(_) => StaticStep::Index(0),
        });
        let (at, problem) = ignore_changes::lost_step(schema, &steps.collect::<Vec<_>>())?;
        Some((first + at, problem))
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        self.look_up(traversal).or_else(|problem| match traversal.key_span() {
            _ if self.missing_is_unknown => Ok(Resolved { value: unknown(), steps: 0 }),
            _ if problem.place.is_some() => Err(vec![problem]),
            Some(key) if problem.summary == NO_INSTANCE => Err(vec![problem.at(self.source, key)]),
            _ => Err(vec![problem.at(self.source, naming(traversal))]),
        })
    }
}

impl Names<'_> {
    /// The resource of which a reference names an object, by its number, and how many of the steps name the object.
    fn object(&self, traversal: &Traversal) -> Option<(usize, usize)> {
        if self.is_iterator(&traversal.root) {
            return None;
        }
        let (mode, type_name, named) = match traversal.root.as_str() {
            root if !is_to_resource(root) => return None,
            "list" => (Mode::List, name(traversal, 0)?, 2),
            "data" => (Mode::Data, name(traversal, 0)?, 2),
            "ephemeral" => (Mode::Ephemeral, name(traversal, 0)?, 2),
            "resource" => (Mode::Managed, name(traversal, 0)?, 2),
            root => (Mode::Managed, root, 1),
        };
        let number = self.scope.config().resource_number(mode, type_name, name(traversal, named - 1)?)?;
        let declaration = language::module::Declaration::Resource(self.scope.module.id, number);
        let number = self.scope.layout.number_of(declaration)?;
        let has_key = matches!(traversal.steps.get(named), Some(TraversalStep::Index(_)));
        // Without a key it is all of them, of which none has attributes.
        let is_attribute = || matches!(traversal.steps.get(named), Some(TraversalStep::Attribute(_)));
        match (has_key, self.scope.layout.resource(number)?.is_repeated()) {
            (true, false) => None,
            (false, true) if !is_attribute() => None,
            _ => Some((number, named + usize::from(has_key))),
        }
    }
}

/// The name that a step is, if it is one.
fn name(traversal: &Traversal, at: usize) -> Option<&str> {
    match traversal.steps.get(at) {
        Some(TraversalStep::Attribute(name)) => Some(name),
        _ => None,
    }
}

/// The iterators of `dynamic` blocks, and nothing else.
pub(super) struct IteratorsAlone<'a>(pub(super) Names<'a>);

impl language::Scope for IteratorsAlone<'_> {
    fn source(&self) -> &SourceFile {
        self.0.source()
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        match self.0.iterator(&traversal.root) {
            Some(value) => Ok(Resolved { value: value.clone(), steps: 0 }),
            None => Err(vec![unknown_variable((self.source(), traversal), "There is nothing of that name.")]),
        }
    }

    fn directory(&self) -> Option<&FilePath> {
        self.0.directory()
    }

    fn stage(&self) -> Stage {
        self.0.stage()
    }

    fn provider_function(&self, provider: &str, name: &str) -> ProviderFunction {
        self.0.provider_function(provider, name)
    }

    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        self.0.call(provider, name, arguments)
    }
}

/// The error of a name that has no value where few names have one.
pub(super) fn unknown_variable(
    (source, traversal): (&SourceFile, &Traversal),
    detail: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error("Unknown variable", detail).at(source, traversal.through(0))
}

fn invalid(detail: &str) -> Diagnostic {
    Diagnostic::error("Invalid reference", detail)
}

/// Something of which nothing is known.
pub(super) fn unknown() -> Marked {
    Marked::unknown(Type::Dynamic)
}

/// A value in the type that it is declared with; what has none because of errors is unknown.
fn of_type(value: Marked, ty: &Type) -> Marked {
    convert(value, ty).unwrap_or_else(|_| Marked::unknown(ty.clone()))
}

/// A resource of that mode of which nothing is known.
pub(super) fn unknown_of(mode: Mode) -> Marked {
    let marks = if mode == Mode::Ephemeral { MarkSet::EPHEMERAL } else { MarkSet::default() };
    unknown().mark(marks)
}

impl Names<'_> {
    fn iterator(&self, name: &str) -> Option<&Marked> {
        let mut iterators = self.scope.each.iterators.iter().rev();
        iterators.find(|(iterator, _)| iterator == name).map(|(_, value)| value)
    }

    fn is_iterator(&self, name: &str) -> bool {
        self.iterator(name).is_some()
    }

    fn look_up(&self, traversal: &Traversal) -> Result<Resolved, Diagnostic> {
        let each = self.scope.each;
        if let Some(value) = self.iterator(&traversal.root) {
            return Ok(Resolved { value: value.clone(), steps: 0 });
        }
        if let ("self", Some(own)) = (traversal.root.as_str(), &each.own) {
            return Ok(Resolved { value: own.clone(), steps: 0 });
        }
        if each.is_of_key_only {
            let is_absent = match traversal.root.as_str() {
                "each" => each.key.is_none(),
                "count" => each.index.is_none(),
                _ => false,
            };
            if is_absent {
                let detail =
                    format!("The object that is destroyed has no key by which {} is known.", traversal.root);
                return Err(unknown_variable((self.source, traversal), detail));
            }
        }
        match traversal.root.as_str() {
            "data" => self.resource(Mode::Data, &traversal.steps, 0),
            "ephemeral" => self.resource(Mode::Ephemeral, &traversal.steps, 0),
            "list" => self.resource(Mode::List, &traversal.steps, 0),
            "resource" => self.resource(Mode::Managed, &traversal.steps, 0),
            root if !is_to_resource(root) => match traversal.names().nth(1) {
                Some(name) => self.named(&traversal.root, name, &traversal.steps),
                None => Err(invalid("The name of the object has to be written after a dot.")),
            },
            root => {
                let mut steps = vec![TraversalStep::Attribute(root.to_owned())];
                steps.extend(traversal.steps.iter().cloned());
                self.resource(Mode::Managed, &steps, 1)
            }
        }
    }

    fn named(&self, root: &str, name: &str, steps: &[TraversalStep]) -> Result<Resolved, Diagnostic> {
        let (config, module) = (self.scope.config(), self.scope.module);
        let missing = || undeclared(root, name);
        let value = match root {
            "var" => {
                let at = config.number(NamedKind::Variable, name).ok_or_else(missing)?;
                self.variable(at)
            }
            "local" => {
                let at = config.number(NamedKind::Local, name).ok_or_else(missing)?;
                module.locals.get(at).cloned().unwrap_or_else(unknown)
            }
            "module" => {
                let at = config.number(NamedKind::Call, name).ok_or_else(missing)?;
                return self.module(at, steps);
            }
            _ => {
                let found = match (root, name) {
                    ("path", name) => {
                        path_value(name, &config.module.path, self.scope.layout.configuration().directory())
                    }
                    ("terraform", "workspace") => Some(Marked::string("default")),
                    ("terraform", "applying") => {
                        Some(Marked::bool(self.scope.walk.is_apply()).mark(MarkSet::EPHEMERAL))
                    }
                    ("count", "index") => self.scope.each.index.clone(),
                    ("each", "key") => self.scope.each.key.clone(),
                    ("each", "value") => self.scope.each.value.clone(),
                    _ => None,
                };
                found.ok_or_else(|| misplaced(root, name))?
            }
        };
        Ok(Resolved { value, steps: 1 })
    }

    /// The value of a variable, which no validation knows except for its own rules.
    fn variable(&self, at: usize) -> Marked {
        let config = self.scope.config();
        let value = self.scope.module.variables.get(at);
        let is_own = self.scope.each.validated == Some(at) && value.is_some();
        if self.scope.walk.is_validation()
            && !is_own
            && let (Some(variable), Some(declared)) =
                (config.module.variables.get(at), config.variables.get(at))
            && !(variable.constant == Some(true) && value.is_some())
        {
            return declared.unknown(variable);
        }
        value.cloned().unwrap_or_else(unknown)
    }

    /// The outputs of a module, of one of its instances, or a single one of them.
    fn module(&self, call: usize, steps: &[TraversalStep]) -> Result<Resolved, Diagnostic> {
        let config = self.scope.config();
        let whole = |value| Ok(Resolved { value, steps: 1 });
        let Some(called) = config.called.get(call).copied().flatten() else { return whole(unknown()) };
        if self.scope.walk.is_validation() {
            return whole(self.any_outputs(call, called));
        }
        let Some(CalledModule::Known(all)) = self.scope.module.calls.get(call) else {
            return whole(unknown());
        };
        let key = match steps.get(1) {
            Some(TraversalStep::Index(key)) => InstanceKey::of(key),
            _ => None,
        };
        let (instance, taken) = match (all, key) {
            (ByKey::Single(only), _) => (only, 1),
            (ByKey::Count(_), Some(key @ InstanceKey::Index(_)))
            | (ByKey::ForEach(_), Some(key @ InstanceKey::Key(_))) => match all.get(&key) {
                Some(instance) => (instance, 2),
                None => {
                    let detail = "There is no instance of the module with this key.";
                    return Err(Diagnostic::error(NO_INSTANCE, detail));
                }
            },
            (ByKey::Count(all), _) => {
                let values: Vec<Marked> = all.iter().map(|it| self.outputs(it)).collect();
                return whole(match self.type_of_outputs(called) {
                    Some(ty) => {
                        Marked::list(ty.clone(), values.into_iter().map(|it| of_type(it, &ty)).collect())
                    }
                    None => Marked::tuple(values),
                });
            }
            (ByKey::ForEach(all), _) => {
                let values = all.iter().map(|(key, it)| (Arc::from(key.as_str()), self.outputs(it)));
                return whole(match self.type_of_outputs(called) {
                    Some(ty) => {
                        Marked::map(ty.clone(), values.map(|(key, it)| (key, of_type(it, &ty))).collect())
                    }
                    None => Marked::object(values.collect()),
                });
            }
            (ByKey::Unknown, _) => return whole(unknown()),
        };
        if let Some(TraversalStep::Attribute(output)) = steps.get(taken)
            && let Some(at) = self.scope.modules()[called].number(NamedKind::Output, output)
        {
            let value = instance.outputs.get(at).cloned().unwrap_or_else(unknown);
            return Ok(Resolved { value, steps: taken + 1 });
        }
        Ok(Resolved { value: self.outputs(instance), steps: taken })
    }

    /// The type that the outputs of all instances of a module have in common: its outputs declare it. Its instances are a
    /// collection then, and no tuple or object. Observed on Terraform 1.15.5.
    fn type_of_outputs(&self, called: ModuleId) -> Option<Type> {
        let config = &self.scope.modules()[called];
        let outputs = config.module.outputs.iter().zip(&config.outputs);
        let types = outputs.map(|(output, declared)| {
            let ty = &declared.as_ref()?.ty;
            (!ty.has_dynamic()).then(|| (output.name.clone(), without_optional(ty)))
        });
        types.collect::<Option<Vec<_>>>().map(Type::object)
    }

    /// All outputs of a module instance.
    fn outputs(&self, instance: &ExpandedModule) -> Marked {
        let module = &self.scope.modules()[instance.id].module;
        let members = module.outputs.iter().enumerate().map(|(at, output)| {
            let value = instance.outputs.get(at).cloned().unwrap_or_else(unknown);
            (Arc::from(output.name.as_str()), value)
        });
        Marked::object(members.collect())
    }

    /// The outputs as a validation knows them: nothing but their names, and whether there may be several instances.
    fn any_outputs(&self, call: usize, called: ModuleId) -> Marked {
        let (config, inner) = (self.scope.config(), &self.scope.modules()[called]);
        let Some(block) = config.module.calls.get(call) else { return unknown() };
        let outputs = inner.module.outputs.iter().enumerate().map(|(at, output)| {
            let marks = output_marks(output, &inner.path, MarkSet::default());
            let ty = inner.outputs.get(at).and_then(|ty| Some(ty.as_ref()?.ty.clone()));
            let value = Marked::unknown(ty.unwrap_or(Type::Dynamic));
            (
                Arc::from(output.name.as_str()),
                value.mark(MarkSet { sensitive: false, ephemeral: false, ..marks }),
            )
        });
        let one = Marked::object(outputs.collect());
        let has_type = inner.outputs.iter().any(Option::is_some);
        let is_repeated = block.count.is_some() || block.for_each.is_some();
        // Of several instances core knows nothing where only some of the outputs declare a type.
        if is_repeated && has_type && self.type_of_outputs(called).is_none() {
            return unknown();
        }
        match (&block.count, &block.for_each) {
            (Some(_), _) => Marked::unknown(Type::list(one.ty)),
            (None, Some(_)) => Marked::unknown(Type::map(one.ty)),
            (None, None) => one,
        }
    }

    /// A resource: the type and the name are the first two steps, of which `before` are not among those that follow
    /// the first name.
    fn resource(&self, mode: Mode, steps: &[TraversalStep], before: usize) -> Result<Resolved, Diagnostic> {
        let [TraversalStep::Attribute(type_name), TraversalStep::Attribute(name), rest @ ..] = steps else {
            return Err(invalid(
                "A reference to a resource has its type and its name, as in demo_file.index.",
            ));
        };
        let Some(at) = self.scope.config().resource_number(mode, type_name, name) else {
            return Err(undeclared_resource(mode, type_name, name));
        };
        let module = self.scope.module;
        let early = module.early.get(at);
        let values = module.resources.get(at).or(early.as_deref());
        let Resolved { value, steps } = match values {
            Some(values) => instance((mode, type_name, name), values, rest)?,
            None => Resolved { value: unknown_of(mode), steps: 0 },
        };
        Ok(Resolved { value, steps: steps + 2 - before })
    }
}

/// The value of the instance that is meant, or that of all; only the one that is meant is copied, however many there are.
fn instance(
    (mode, type_name, name): (Mode, &str, &str),
    values: &ByKey<Marked>,
    steps: &[TraversalStep],
) -> Result<Resolved, Diagnostic> {
    let key = match steps.first() {
        Some(TraversalStep::Index(key)) => InstanceKey::of(key),
        Some(TraversalStep::Attribute(name)) if matches!(values, ByKey::ForEach(_)) => {
            Some(InstanceKey::Key(name.clone()))
        }
        _ => None,
    };
    let one = |key: &InstanceKey| {
        let value = values.get(key).ok_or_else(|| Diagnostic::error(NO_INSTANCE, NO_ELEMENT))?;
        Ok(Resolved { value: value.clone(), steps: 1 })
    };
    match (values, steps.first(), &key) {
        (ByKey::Unknown, ..) => Ok(Resolved { value: unknown_of(mode), steps: 0 }),
        (ByKey::Single(only), ..) => Ok(Resolved { value: only.clone(), steps: 0 }),
        (ByKey::Count(_), _, Some(key @ InstanceKey::Index(_)))
        | (ByKey::ForEach(_), _, Some(key @ InstanceKey::Key(_))) => one(key),
        (ByKey::Count(_), Some(TraversalStep::Attribute(_)), _) => {
            let detail =
                format!("{type_name}.{name} has several instances, so a reference has to name one of them.");
            Err(Diagnostic::error("Missing resource instance key", detail))
        }
        (ByKey::Count(all), ..) => Ok(Resolved { value: Marked::tuple(all.clone()), steps: 0 }),
        (ByKey::ForEach(all), ..) => {
            let members = all.iter().map(|(key, value)| (Arc::from(key.as_str()), value.clone()));
            Ok(Resolved { value: Marked::object(members.collect()), steps: 0 })
        }
    }
}

/// The marks of an output of a module, beside those that its value has.
pub(super) fn output_marks(
    output: &language::module::Output,
    module: &ModuleInstance,
    marks: MarkSet,
) -> MarkSet {
    let deprecated = output.deprecated.as_ref().map(|deprecated| {
        let origin = format!("{module}.{}", output.name);
        MarkSet::deprecated(Arc::new(language::Deprecation { message: deprecated.message.clone(), origin }))
    });
    marks.and(deprecated.unwrap_or_default())
}
