//! What is evaluated when a configuration is loaded: the local values to which arguments of modules refer, since an
//! argument may decide on the source of a module. A module is not loaded where they are wrong, and neither is what a module
//! calls that is wrong itself.
//!
//! Observed on Terraform 1.15.5, where `init` reports these errors as well. Resources have no values yet, and variables
//! are unknown, of the type that they declare.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use ferroform::ty::Type;

use super::modules::{ModuleConfig, ModuleId, Modules, NamedKind};
use super::reference_check::ReferenceCheck;
use super::syntax::SourceExpr;
use crate::language::scope::{ProviderFunction, Resolved, Scope, Traversal};
use crate::language::{Diagnostic, Marked, SourceFile, evaluate, references};

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
        let is_wrong = !id.is_root() && own.iter().any(Diagnostic::is_error);
        let called = config.called.iter().flatten().copied();
        if skipped.contains(&id) {
            skipped.extend(called);
            continue;
        }
        loaded.problems.extend(own);
        if is_wrong {
            skipped.extend(called);
        } else {
            skipped.extend(wrong_calls(modules, id, &mut loaded.locals));
        }
    }
    loaded
}

/// The modules that are not loaded because local values are wrong to which their arguments refer.
fn wrong_calls(modules: &Modules, id: ModuleId, errors: &mut Vec<Diagnostic>) -> Vec<ModuleId> {
    let (config, check) = (&modules[id], ReferenceCheck::new(modules, id));
    // Core works in the directory of the root module.
    let directory = modules[ModuleId::ROOT].module.working_directory();
    let (values, failed) = (RefCell::default(), RefCell::default());
    let locals = LoadedLocals { config, check, directory, values, failed, errors: RefCell::default() };
    let calls = config.module.calls.iter().zip(&config.called);
    let wrong = calls.filter(|(call, _)| {
        let arguments = call.body.arguments.iter();
        let named = arguments.flat_map(|argument| references(argument.value.expression()));
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
    let mut open: Vec<&SourceExpr> = arguments.map(|argument| &argument.value).collect();
    let (mut locals, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(expr) = open.pop() {
        for reference in references(expr.expression()) {
            let name = |root| name_behind(root, &reference);
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

/// The local values of a module, as far as they can be known without a plan.
struct LoadedLocals<'a> {
    config: &'a ModuleConfig,
    check: ReferenceCheck<'a>,
    directory: &'a Path,
    /// By number; unknown while they are evaluated, and for ever after an error.
    values: RefCell<HashMap<usize, Marked>>,
    /// The numbers of those that are wrong, or refer to such a one.
    failed: RefCell<BTreeSet<usize>>,
    errors: RefCell<Vec<Diagnostic>>,
}

impl LoadedLocals<'_> {
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
        let wrong = self.check.expression_without_keys(&local.value);
        let value = match wrong.is_empty() {
            true => {
                evaluate(local.value.expression(), &LoadScope { source: local.value.source(), locals: self })
            }
            false => Err(wrong),
        };
        let named = references(local.value.expression());
        if value.is_err() || named.iter().filter_map(|it| name_behind("local", it)).any(|it| self.failed(it))
        {
            self.failed.borrow_mut().insert(at);
        }
        match value {
            Ok(value) => {
                self.values.borrow_mut().insert(at, value.clone());
                value
            }
            Err(errors) => {
                self.errors.borrow_mut().extend(errors);
                unknown
            }
        }
    }

    fn variable(&self, name: &str) -> Option<Marked> {
        let at = self.config.number(NamedKind::Variable, name)?;
        Some(self.config.variables.get(at)?.unknown(self.config.module.variables.get(at)?))
    }
}

/// What a local value can refer to.
struct LoadScope<'a> {
    source: &'a SourceFile,
    locals: &'a LoadedLocals<'a>,
}

impl Scope for LoadScope<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let value = match traversal.names().take(2).collect::<Vec<_>>().as_slice() {
            ["local", name] => Some(self.locals.value(name)),
            ["var", name] => self.locals.variable(name),
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
