//! A root module that is ready to be planned.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ferroform::value::Value;

use super::model::{Call, Module, Resource, Variable};
use super::modules::{ModuleId, Modules};
use super::{Inputs, Tree};
use crate::address::ResourceAddress;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Marked, Subject};

/// A root module with the modules that it calls and the values of its variables. Cheap to clone.
///
/// ```
/// use ferroform_embedded::language::SourceFile;
/// use ferroform_embedded::language::module::{Inputs, load_texts};
///
/// let text = "variable \"region\" {}\noutput \"region\" {\n  value = var.region\n}\n";
/// let tree = load_texts(".", vec![SourceFile::new("main.tf", text)]).unwrap();
/// let mut inputs = Inputs::new();
/// inputs.argument("region=north").unwrap();
/// let configuration = tree.prepare(&inputs).unwrap();
/// assert!(configuration.diagnostics().is_empty());
/// ```
#[derive(Clone)]
pub struct Configuration(Arc<Content>);

struct Content {
    tree: Tree,
    modules: Modules,
    inputs: BTreeMap<String, RootInput>,
    diagnostics: Vec<Diagnostic>,
}

/// The value that a variable of the root module is given.
#[derive(Debug, Clone)]
pub(crate) struct RootInput {
    pub(crate) value: Marked,
    /// Where it stands, if it is in a file.
    pub(crate) place: Option<Subject>,
}

impl Tree {
    /// The configuration with values for its variables.
    ///
    /// # Errors
    /// The values of variables are wrong or missing, or there is something that only a real core does.
    pub fn prepare(&self, inputs: &Inputs) -> Result<Configuration, Vec<Diagnostic>> {
        self.prepare_with(inputs, false)
    }

    /// The same for a caller who keeps the state [where the configuration says](Self::state_store).
    pub(crate) fn prepare_stored(&self, inputs: &Inputs) -> Result<Configuration, Vec<Diagnostic>> {
        self.prepare_with(inputs, true)
    }

    fn prepare_with(&self, inputs: &Inputs, is_stored: bool) -> Result<Configuration, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let (modules, of_modules) = Modules::of(self);
        if inputs.emulated.evaluates_locals_on_load() {
            let loaded = super::loaded_values::load(&modules, of_modules);
            diagnostics.extend(loaded.problems);
            if !loaded.locals.is_empty() {
                diagnostics.retain(Diagnostic::is_error);
                diagnostics.extend(loaded.locals);
                return Err(diagnostics);
            }
        } else {
            diagnostics.extend(of_modules.into_iter().flatten());
        }
        diagnostics.extend(super::loaded_values::given_constants(self, &modules, inputs));
        self.unused_state_stores(is_stored, &mut diagnostics);
        super::check::tree(self, &inputs.emulated, &mut diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics);
        }
        diagnostics.extend(inputs.undeclared(&self.module));
        let inputs = root_inputs(&modules, inputs, &mut diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics);
        }
        Ok(Configuration(Arc::new(Content { tree: self.clone(), modules, inputs, diagnostics })))
    }
}

impl Configuration {
    /// The warnings about values of deprecated variables that core gives when it loads the configuration, so that they are
    /// there also when it is not valid.
    pub(crate) fn deprecations_on_load(&self) -> Vec<Diagnostic> {
        let variables = &self.root().variables;
        let constant = variables.iter().enumerate().filter(|(_, it)| it.constant == Some(true));
        let mut asked = super::loaded_values::variables(self.modules());
        asked.extend(constant.map(|(at, _)| at));
        let given = asked
            .into_iter()
            .filter_map(|at| variables.get(at))
            .filter(|variable| self.input(&variable.name).is_some_and(|input| !input.value.is_null()));
        given.filter_map(Variable::deprecation_of_input).collect()
    }

    /// A configuration that cannot be planned, for these reasons.
    pub(crate) fn invalid(diagnostics: Vec<Diagnostic>) -> Self {
        let tree = Tree::default();
        let (modules, _) = Modules::of(&tree);
        Self(Arc::new(Content { tree, modules, inputs: BTreeMap::new(), diagnostics }))
    }

    /// The configuration that declares nothing.
    pub(crate) fn empty() -> Self {
        Self::invalid(Vec::new())
    }

    /// The configuration with more resources in the root module.
    pub(crate) fn with_resources(&self, resources: Vec<Arc<Resource>>) -> Self {
        if resources.is_empty() {
            return self.clone();
        }
        let mut tree = self.0.tree.clone();
        Arc::make_mut(&mut tree.module).resources.extend(resources);
        let (modules, _) = Modules::of(&tree);
        let Content { inputs, diagnostics, .. } = &*self.0;
        let (inputs, diagnostics) = (inputs.clone(), diagnostics.clone());
        Self(Arc::new(Content { tree, modules, inputs, diagnostics }))
    }

    /// The warnings about the configuration and its values.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// Why it cannot be planned, if it cannot.
    pub(crate) fn errors(&self) -> Option<&[Diagnostic]> {
        let all = self.0.diagnostics.as_slice();
        all.iter().any(Diagnostic::is_error).then_some(all)
    }

    /// The modules as their files declare them.
    pub(crate) fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// All modules, each once.
    pub(crate) fn modules(&self) -> &Modules {
        &self.0.modules
    }

    /// What the root module declares.
    pub(crate) fn root(&self) -> &Module {
        &self.0.tree.module
    }

    /// The value that a variable of the root module is given.
    pub(crate) fn input(&self, name: &str) -> Option<&RootInput> {
        self.0.inputs.get(name)
    }

    /// The directory of the root module, in which core works.
    pub(crate) fn directory(&self) -> &Path {
        self.root().working_directory()
    }

    /// Whether the root module declares a resource.
    pub(crate) fn declares(&self, address: &ResourceAddress) -> bool {
        let root = &self.modules()[ModuleId::ROOT];
        root.module.resources.iter().any(|block| root.address(block) == *address)
    }

    /// The values of the variables of the root module as a plan shows them: as they were given, not converted, or the
    /// defaults. Of ephemeral variables there is only the default.
    pub(crate) fn shown_variables(&self) -> BTreeMap<String, Value> {
        let root = &self.modules()[ModuleId::ROOT];
        let variables = root.module.variables.iter().zip(&root.variables);
        let shown = variables.filter_map(|(variable, declared)| {
            let given = self.input(&variable.name).filter(|_| variable.ephemeral != Some(true));
            let value = given.map(|given| &given.value).or(declared.default.as_ref())?;
            Some((variable.name.clone(), value.value.clone()))
        });
        shown.collect()
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modules = self.modules().iter().map(|(_, module)| module.path.to_string());
        f.debug_struct("Configuration").field("modules", &modules.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// A shared configuration.
impl From<&Configuration> for Configuration {
    fn from(it: &Configuration) -> Self {
        it.clone()
    }
}

/// The values of the variables of the root module.
fn root_inputs(
    modules: &Modules,
    inputs: &Inputs,
    problems: &mut Vec<Diagnostic>,
) -> BTreeMap<String, RootInput> {
    let root = &modules[ModuleId::ROOT];
    let mut found = BTreeMap::new();
    for (variable, declared) in root.module.variables.iter().zip(&root.variables) {
        let name = &variable.name;
        let given = inputs.value(name).and_then(|given| {
            let about = (name.as_str(), &declared.constraint, variable.is_typed());
            Some(RootInput { value: given.read(about, problems)?, place: given.place() })
        });
        // A validation reads values, and then knows none. Loading asks for those of constants all the same.
        let is_loaded = variable.constant == Some(true) && inputs.emulated.evaluates_locals_on_load();
        if inputs.unknown && !is_loaded {
            continue;
        }
        if given.is_none() && declared.default.is_none() && Rule::RequiredVariable.holds() {
            let detail = format!("The variable {name:?} has no value and no default.");
            let error = Diagnostic::error("No value for required variable", detail);
            problems.push(error.on(&variable.subject));
        }
        if !inputs.unknown {
            found.extend(given.map(|given| (name.clone(), given)));
        }
    }
    found
}

/// What is wrong with the arguments of a module that is called.
pub(super) fn check_call(call: &Call, module: &Module, problems: &mut Vec<Diagnostic>) {
    let is_open = call.body.is_overridden();
    for argument in call.body.arguments.iter().filter(|_| !is_open) {
        if module.variables.iter().all(|variable| variable.name != argument.name)
            && Rule::ModuleArgument.holds()
        {
            let detail = format!("The module has no variable with the name {:?}.", argument.name);
            let is_json = argument.value.is_json();
            let summary = if is_json { "Extraneous JSON object property" } else { "Unsupported argument" };
            problems.push(argument.value.name_error(summary, detail));
        }
    }
    for nested in call.body.blocks.iter().filter(|_| !is_open) {
        let detail = format!("Blocks of type {:?} are not expected here.", nested.type_name);
        problems.push(Diagnostic::error("Unsupported block type", detail).on(nested.type_place()));
    }
    for variable in module.variables.iter().filter(|variable| variable.default.is_none()) {
        if call.body.lacks(&variable.name) && Rule::ModuleRequired.holds() {
            let detail =
                format!("The argument {:?} is required, but no definition was found.", variable.name);
            let error = Diagnostic::error("Missing required argument", detail);
            problems.push(error.about(call.body.brace.as_ref()));
        }
    }
}
