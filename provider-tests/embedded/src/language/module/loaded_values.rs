//! What is evaluated when a configuration is loaded: the sources of modules, the constant variables on which these may
//! depend, and the local values to which arguments of modules refer. A module is not loaded where these are wrong.
//!
//! Observed on Terraform 1.15.5, where `init` reports these errors as well. Resources have no values yet, and variables that
//! are not constant are unknown, of the type that they declare.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use ferroform::ty::Type;

use super::decode::needs_real_core;
use super::model::{Call, Module};
use super::modules::{ModuleConfig, ModuleId, Modules, NamedKind};
use super::reference_check::{ReferenceCheck, Surroundings};
use super::references::naming;
use super::syntax::SourceExpr;
use super::variables::VariableType;
use super::version::Constraint;
use super::{Inputs, Tree};
use crate::language::scope::{ProviderFunction, Resolved, Scope, Traversal};
use crate::language::{Diagnostic, Marked, SourceFile, convert, evaluate, path_value};

/// What is wrong with a configuration when it is loaded.
#[derive(Default)]
pub(super) struct Loaded {
    /// What is wrong with the modules themselves.
    pub(super) problems: Vec<Diagnostic>,
    /// The errors of the local values to which arguments of modules refer.
    pub(super) locals: Vec<Diagnostic>,
}

/// Loads the modules one after the other, of which each may have problems.
pub(super) fn load(modules: &Modules, problems: Vec<Vec<Diagnostic>>) -> Loaded {
    let (mut loaded, mut skipped) = (Loaded::default(), BTreeSet::new());
    // Each module comes after the one that calls it.
    for ((id, config), own) in modules.iter().zip(problems) {
        if skipped.contains(&id) {
            skipped.extend(config.called.iter().flatten());
            continue;
        }
        let deprecated = deprecated_constants(modules, id, &own);
        // Core loses the warnings about modules that are called.
        loaded.problems.extend(own.into_iter().filter(|it| id.is_root() || it.is_error()));
        loaded.problems.extend(deprecated);
        skipped.extend(wrong_calls(modules, id, &mut loaded.locals));
    }
    loaded
}

const NOT_KNOWN: &str = "Const variables must be known";

/// The warnings about values of deprecated constant variables of a called module. The walk reports them once more.
fn deprecated_constants(modules: &Modules, id: ModuleId, problems: &[Diagnostic]) -> Vec<Diagnostic> {
    let Some((_, call)) = modules.call(id) else { return Vec::new() };
    let module = &modules[id].module;
    let constant = module.variables.iter().filter(|variable| variable.constant == Some(true));
    let given = constant.filter_map(|variable| {
        let expr = call.body.argument(&variable.name)?;
        let is_unknown = || {
            let place = expr.error(NOT_KNOWN, "").place;
            problems.iter().any(|it| it.summary == NOT_KNOWN && it.place == place)
        };
        let is_given = module.constants.get(&variable.name).map_or_else(is_unknown, |value| !value.is_null());
        variable.deprecation(expr.subject()).filter(|_| is_given)
    });
    given.collect()
}

/// The modules that are not loaded because local values are wrong to which their arguments refer.
fn wrong_calls(modules: &Modules, id: ModuleId, errors: &mut Vec<Diagnostic>) -> Vec<ModuleId> {
    let config = &modules[id];
    let locals = LoadedValues::new(config, modules[ModuleId::ROOT].module.working_directory());
    let calls = config.module.calls.iter().zip(&config.called);
    let wrong = calls.filter(|(call, _)| {
        let arguments = call.body.arguments.iter();
        let named = arguments.flat_map(|argument| argument.value.references());
        let wrong = |it: &Traversal| name_behind("local", it).is_some_and(|name| locals.is_wrong(name));
        // All of them are evaluated.
        let evaluated: Vec<bool> = named.map(|it| wrong(&it)).collect();
        evaluated.contains(&true)
    });
    let wrong = wrong.filter_map(|(_, called)| *called).collect();
    errors.extend(locals.errors.into_inner());
    wrong
}

/// The numbers of the variables of the root module to which arguments of its module calls refer, also through local values.
/// Core asks for their values when it loads the configuration.
pub(super) fn variables(modules: &Modules) -> BTreeSet<usize> {
    let config = &modules[ModuleId::ROOT];
    let arguments = config.module.calls.iter().flat_map(|call| &call.body.arguments);
    variables_behind(config, arguments.map(|argument| &argument.value))
}

/// The numbers of the variables to which expressions of a module refer, also through local values.
fn variables_behind<'c>(
    config: &'c ModuleConfig,
    exprs: impl IntoIterator<Item = &'c SourceExpr>,
) -> BTreeSet<usize> {
    let mut open: Vec<&SourceExpr> = exprs.into_iter().collect();
    let (mut locals, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(expr) = open.pop() {
        for reference in &expr.references() {
            let name = |root| name_behind(root, reference);
            found.extend(name("var").and_then(|name| config.number(NamedKind::Variable, name)));
            let local = name("local").and_then(|name| config.number(NamedKind::Local, name));
            let local = local.filter(|at| locals.insert(*at)).and_then(|at| config.module.locals.get(at));
            open.extend(local.map(|local| &local.value));
        }
    }
    found
}

fn name_behind<'r>(root: &str, reference: &'r Traversal) -> Option<&'r str> {
    let mut names = reference.names();
    names.next().filter(|first| *first == root).and(names.next())
}

/// The constant variables of a module that is called, or of the root module.
pub(super) fn constants(
    module: &Module,
    caller: Option<(&Call, &LoadedValues<'_>)>,
    problems: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Marked> {
    let mut found = BTreeMap::new();
    for variable in module.variables.iter().filter(|variable| variable.constant == Some(true)) {
        let Ok(declared) = VariableType::declared(variable) else { continue };
        let argument = caller.and_then(|(call, outer)| Some((call.body.argument(&variable.name)?, outer)));
        let value = match argument {
            None => declared.default,
            Some((expr, outer)) => {
                outer.known(expr, problems).and_then(|it| declared.constraint.apply(it).ok())
            }
        };
        found.extend(value.map(|value| (variable.name.clone(), value)));
    }
    found
}

/// What would be loaded in another way with the values that constant variables of the root module are given: the embedded core
/// loads a configuration with their defaults.
pub(super) fn given_constants(tree: &Tree, modules: &Modules, inputs: &Inputs) -> Vec<Diagnostic> {
    let config = &modules[ModuleId::ROOT];
    let is_given = |at: &usize| {
        let variable = config.module.variables.get(*at);
        variable.is_some_and(|it| it.constant == Some(true) && inputs.value(&it.name).is_some())
    };
    let decides = |expr: &&SourceExpr| variables_behind(config, [*expr]).iter().any(is_given);
    let exprs = tree.module.calls.iter().flat_map(|call| {
        let inner = tree.children.get(&call.name).filter(|child| child.has_computed_sources());
        let arguments = inner.map_or([].as_slice(), |_| &call.body.arguments);
        call.source_expr.iter().chain(&call.version).chain(arguments.iter().map(|it| &it.value))
    });
    exprs.filter(decides).map(|expr| expr.placed(needs_real_core(GIVEN))).collect()
}

const GIVEN: &str = "values for constant variables that decide on the source of a module";

/// Whether a source can be one at all: a path, an address in a registry (three or four parts), or what is fetched from
/// elsewhere.
fn is_address(source: &str) -> bool {
    let is_path = ["/", "./", "../", ".\\", "..\\"].iter().any(|start| source.starts_with(start));
    let is_fetched = [":", "github.com/", "bitbucket.org/"].iter().any(|part| source.contains(part));
    let (package, _) = source.split_once("//").unwrap_or((source, ""));
    let parts: Vec<&str> = package.split('/').collect();
    is_path || is_fetched || matches!(parts.len(), 3 | 4) && parts.iter().all(|part| !part.trim().is_empty())
}

impl Tree {
    fn has_computed_sources(&self) -> bool {
        let mut sources =
            self.module.calls.iter().flat_map(|call| call.source_expr.iter().chain(&call.version));
        sources.any(|expr| !expr.references().is_empty())
            || self.children.values().any(Self::has_computed_sources)
    }
}

/// The local values of a module, as far as they can be known without a plan.
pub(super) struct LoadedValues<'a> {
    config: &'a ModuleConfig,
    check: ReferenceCheck<'a>,
    pub(super) directory: &'a Path,
    /// By number; unknown while they are evaluated, and for ever after an error.
    values: RefCell<HashMap<usize, Marked>>,
    /// The numbers of those that are wrong, or refer to such a one.
    failed: RefCell<BTreeSet<usize>>,
    errors: RefCell<Vec<Diagnostic>>,
}

impl<'a> LoadedValues<'a> {
    /// Those of a module in a configuration whose root module is in that directory, in which core works.
    pub(super) fn new(config: &'a ModuleConfig, directory: &'a Path) -> Self {
        let (values, failed, errors) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { config, check: ReferenceCheck::within(config), directory, values, failed, errors }
    }

    /// The directory of a called module, as `source` has it.
    pub(super) fn source(&self, call: &Call, problems: &mut Vec<Diagnostic>) -> Option<String> {
        let expr = call.source_expr.as_ref()?;
        let source = self.text(expr, "source").map_err(|found| problems.extend(found)).ok()?;
        // A source that is null makes Terraform 1.15.5 crash, so that anything may be said of it.
        let Some(source) = source.filter(|it| is_address(it)) else {
            let detail =
                "The source of a module is a path that begins with ./ or ../, or where to fetch it from.";
            problems.push(expr.error("Invalid module source address", detail));
            return None;
        };
        if !source.starts_with("./") && !source.starts_with("../") {
            let what = "modules whose source is no path that begins with ./ or ../";
            problems.push(expr.placed(needs_real_core(what)));
            return None;
        }
        let version = call.version.as_ref().map(|version| {
            let text = self.text(version, "version")?;
            Constraint::text(text.map_or_else(Marked::null, Marked::string), version)
                .map_err(|problem| vec![problem])
        });
        match version {
            None | Some(Ok(None)) => {}
            Some(Ok(Some(_))) => {
                let detail = "A module in a directory has no version. Remove the argument.";
                problems.push(expr.error("Invalid registry module source address", detail));
                return None;
            }
            Some(Err(found)) => problems.extend(found),
        }
        Some(source)
    }

    /// A text that decides on which module is loaded; none where it is null.
    fn text(&self, expr: &SourceExpr, what: &str) -> Result<Option<String>, Vec<Diagnostic>> {
        let others = expr.references().into_iter();
        let others = others.filter(|it| !matches!(it.root.as_str(), "var" | "local" | "path"));
        let wrong: Vec<Diagnostic> = others
            .map(|it| {
                let detail =
                    format!("The {what} of a module depends on constant variables and local values only.");
                let error = Diagnostic::error(format!("Invalid module {what}"), detail);
                error.on(expr.place_within(naming(&it)))
            })
            .collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let wrong = self.check.expression_without_keys(expr, Surroundings::default());
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let value = self.evaluate(expr)?;
        if !value.value.is_wholly_known() {
            return Err(vec![if self.is_open(expr) {
                expr.placed(needs_real_core(GIVEN))
            } else {
                let detail = "It depends on a variable that is not constant.";
                expr.error(format!("Unknown module {what}"), detail)
            }]);
        }
        match convert(value, &Type::String) {
            Ok(value) => Ok(value.value.as_str().map(ToOwned::to_owned)),
            Err(error) => {
                Err(vec![expr.error("Incorrect value type", format!("A string is expected here: {error}."))])
            }
        }
    }

    /// The value of the argument for a constant variable.
    fn known(&self, expr: &SourceExpr, problems: &mut Vec<Diagnostic>) -> Option<Marked> {
        let wrong = self.check.expression_without_keys(expr, Surroundings::repeated(true, true));
        if !wrong.is_empty() {
            problems.extend(wrong);
            return None;
        }
        // Its other errors are reported where it is evaluated again.
        let value = self.evaluate(expr).ok()?;
        let is_known = value.value.is_wholly_known();
        if !is_known && !self.is_open(expr) {
            let detail = "The value of a constant variable can depend only on other constant variables and on local values.";
            problems.push(expr.error(NOT_KNOWN, detail));
        }
        is_known.then_some(value)
    }

    /// Whether an expression depends on a constant variable whose value comes with the plan.
    fn is_open(&self, expr: &SourceExpr) -> bool {
        let module = &self.config.module;
        let mut variables = variables_behind(self.config, [expr]).into_iter();
        variables.any(|at| {
            let variable = module.variables.get(at);
            variable.is_some_and(|it| it.constant == Some(true) && !module.constants.contains_key(&it.name))
        })
    }

    fn evaluate(&self, expr: &SourceExpr) -> Result<Marked, Vec<Diagnostic>> {
        let value = evaluate(expr.expression(), &LoadScope { source: expr.source(), locals: self });
        value.map_err(|problems| problems.into_iter().map(|problem| expr.placed(problem)).collect())
    }

    /// Whether a local value is wrong, or one to which it refers.
    fn is_wrong(&self, name: &str) -> bool {
        self.value(name);
        self.failed(name)
    }

    fn failed(&self, name: &str) -> bool {
        let at = self.config.number(NamedKind::Local, name);
        at.is_some_and(|at| self.failed.borrow().contains(&at))
    }

    fn value(&self, name: &str) -> Marked {
        let unknown = Marked::unknown(Type::Dynamic);
        let Some(at) = self.config.number(NamedKind::Local, name) else { return unknown };
        let Some(local) = self.config.module.locals.get(at) else { return unknown };
        if let Some(value) = self.values.borrow().get(&at) {
            return value.clone();
        }
        self.values.borrow_mut().insert(at, unknown.clone());
        // Core has the values first to which one refers, and does not look at it when one of these is wrong.
        let named = local.value.references();
        let are_wrong: Vec<bool> =
            named.iter().filter_map(|it| name_behind("local", it)).map(|it| self.is_wrong(it)).collect();
        if are_wrong.contains(&true) {
            self.failed.borrow_mut().insert(at);
            return unknown;
        }
        let wrong = self.check.expression_without_keys(&local.value, Surroundings::default());
        let value = if wrong.is_empty() { self.evaluate(&local.value) } else { Err(wrong) };
        match value {
            Ok(value) => {
                self.values.borrow_mut().insert(at, value.clone());
                value
            }
            Err(errors) => {
                self.failed.borrow_mut().insert(at);
                self.errors.borrow_mut().extend(errors);
                unknown
            }
        }
    }

    fn variable(&self, name: &str) -> Option<Marked> {
        if let Some(constant) = self.config.module.constants.get(name) {
            return Some(constant.clone());
        }
        let at = self.config.number(NamedKind::Variable, name)?;
        Some(self.config.variables.get(at)?.unknown(self.config.module.variables.get(at)?))
    }
}

/// What a local value can refer to.
struct LoadScope<'a> {
    source: &'a SourceFile,
    locals: &'a LoadedValues<'a>,
}

impl Scope for LoadScope<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let value = match traversal.names().take(2).collect::<Vec<_>>().as_slice() {
            ["local", name] => Some(self.locals.value(name)),
            ["var", name] => self.locals.variable(name),
            ["path", name] => path_value(name, &self.locals.config.module.path, self.locals.directory),
            _ => None,
        };
        Ok(match value {
            Some(value) => Resolved { value, steps: 1 },
            // Whatever follows is of something unknown as well.
            None => Resolved { value: Marked::unknown(Type::Dynamic), steps: traversal.steps.len() },
        })
    }

    fn directory(&self) -> Option<&Path> {
        Some(self.locals.directory)
    }

    fn provider_function(&self, _: &str, _: &str) -> ProviderFunction {
        ProviderFunction::NotCallable
    }
}
