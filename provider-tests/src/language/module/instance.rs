//! Module instances, and what expressions mean in them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use ferroform::ty::Type;
use ferroform::value::Value;

use super::model::{Call, Condition, Module, Variable};
use super::named::Definitions;
use super::syntax::SourceExpr;
use crate::address::{InstanceKey, ModuleInstance};
use crate::language::rule::Rule;
use crate::language::types::Constraint;
use crate::language::{Diagnostic, Marked, Subject};

/// All instances of the modules of a configuration; the root module is the first.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    pub(super) all: Vec<Instance>,
    pub(super) definitions: Definitions,
    /// The validations of variables that depend on resources.
    pub(super) open: Vec<OpenValidation>,
    /// The calls whose instances depend on resources: the number of the instance that has the call, and its name.
    pub(super) pending: Vec<(usize, String)>,
    /// The calls whose instances are known only after apply, so that one instance stands for all.
    pub(super) deferred: Vec<(usize, String)>,
}

/// A validation that has to wait until resources are known.
#[derive(Debug)]
pub(super) struct OpenValidation {
    /// The number of the module instance.
    pub(super) at: usize,
    pub(super) variable: String,
    pub(super) condition: Condition,
}

/// An instance of a module.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) path: ModuleInstance,
    pub(crate) module: Arc<Module>,
    /// The instance that has the `module` block; the root module has none.
    pub(super) parent: Option<usize>,
    /// What `count` and `each` mean in the arguments of the `module` block.
    pub(super) each: Repeating,
    /// The `count` or `for_each` of the `module` block, where it depends on resources.
    pub(super) decided_by: Option<SourceExpr>,
    /// Whether it stands for those that there may be, so that its variables have no values.
    pub(super) stands_in: bool,
    pub(super) variables: BTreeMap<String, Input>,
    pub(super) calls: BTreeMap<String, Called>,
    /// The named values.
    pub(super) names: HashMap<(Kind, String), Slot>,
}

/// A named value.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// Its number among those of its kind.
    pub(super) number: usize,
    /// The value, if it depends on nothing that is still to be known.
    pub(super) fixed: OnceLock<Marked>,
}

/// What kind of named value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Variable,
    Local,
    Output,
}

/// A variable with its value.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) variable: Variable,
    pub(super) constraint: Constraint,
    pub(super) default: Option<Marked>,
    pub(super) given: InputSource,
    /// Where the value from outside stands, if it is in a file.
    pub(super) given_at: Option<Subject>,
}

impl Input {
    /// The value that a plan shows. One that is given to an ephemeral variable is not part of the plan.
    pub(super) fn shown(&self) -> Option<&Marked> {
        match &self.given {
            InputSource::Value(given) if self.variable.ephemeral != Some(true) => Some(given),
            _ => self.default.as_ref(),
        }
    }

    /// Where it is told of a value that is not valid: at the argument of the call, or without one at the variable.
    pub(super) fn told_at(&self) -> &Subject {
        match &self.given {
            InputSource::Argument(expr) => expr.subject(),
            InputSource::Nothing | InputSource::Value(_) => &self.variable.subject,
        }
    }
}

/// Where the value of a variable comes from.
#[derive(Debug, Clone)]
pub(super) enum InputSource {
    /// From the default.
    Nothing,
    /// From outside.
    Value(Marked),
    /// From the `module` block.
    Argument(SourceExpr),
}

/// The instances of a `module` block.
#[derive(Debug, Clone)]
pub(super) enum Called {
    /// Nobody knows yet, so this one stands for all.
    Any(usize),
    /// Nobody knows before resources are looked at.
    Pending,
    Single(usize),
    Count(Vec<usize>),
    ForEach(Vec<(String, usize)>),
}

/// What `count`, `each` and the iterators of `dynamic` blocks stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repeating {
    pub(crate) index: Option<Marked>,
    pub(crate) key: Option<Marked>,
    pub(crate) value: Option<Marked>,
    /// `self`.
    pub(crate) own: Option<Marked>,
    pub(crate) iterators: Vec<(String, Marked)>,
}

impl Called {
    pub(super) fn numbers(&self) -> Vec<usize> {
        match self {
            Self::Any(only) | Self::Single(only) => vec![*only],
            Self::Pending => Vec::new(),
            Self::Count(all) => all.clone(),
            Self::ForEach(all) => all.iter().map(|(_, number)| *number).collect(),
        }
    }
}

impl Instances {
    pub(crate) fn get(&self, number: usize) -> Option<&Instance> {
        self.all.get(number)
    }

    /// The same instances, to which more can be added.
    pub(super) fn again(&self) -> Self {
        let (pending, deferred) = (self.pending.clone(), self.deferred.clone());
        Self { all: self.all.clone(), pending, deferred, ..Self::default() }
    }

    /// Whether an instance stands for all of a call whose instances are known only after apply.
    pub(super) fn is_deferred(&self, number: usize) -> bool {
        let instance = self.get(number);
        let call = instance.and_then(|it| Some((it.parent?, it.path.0.last()?)));
        call.is_some_and(|(parent, (name, _))| self.has_deferred(parent, name))
    }

    /// Whether the instances of a call are known only after apply.
    pub(super) fn has_deferred(&self, parent: usize, name: &str) -> bool {
        self.deferred.iter().any(|(at, call)| *at == parent && call == name)
    }

    /// The `module` block that an instance comes from, and the number of the instance that has it.
    pub(super) fn call_of(&self, instance: &Instance) -> Option<(&Call, usize)> {
        let parent = instance.parent?;
        let (name, _) = instance.path.0.last()?;
        let calls = &self.get(parent)?.module.calls;
        calls.iter().find(|call| call.name == *name).map(|call| (call, parent))
    }
}

impl Instance {
    pub(super) fn new(module: Arc<Module>, path: ModuleInstance) -> Self {
        let mut names = HashMap::new();
        let locals = module.locals.iter().map(|local| &local.name).enumerate();
        let outputs = module.outputs.iter().map(|output| &output.name).enumerate();
        let variables = module.variables.iter().map(|variable| &variable.name).enumerate();
        let mut add = |kind, (number, name): (usize, &String)| {
            names.insert((kind, name.clone()), Slot { number, fixed: OnceLock::new() });
        };
        locals.for_each(|it| add(Kind::Local, it));
        outputs.for_each(|it| add(Kind::Output, it));
        variables.for_each(|it| add(Kind::Variable, it));
        Self {
            path,
            module,
            parent: None,
            each: Repeating::default(),
            decided_by: None,
            stands_in: false,
            variables: BTreeMap::new(),
            calls: BTreeMap::new(),
            names,
        }
    }
}

/// Which instances a `count` or `for_each` of a module asks for, or why that cannot be told.
#[derive(Debug)]
pub(crate) enum ModuleInstances {
    Count(u64),
    ForEach(Vec<(String, Marked)>),
    /// That is known only after apply.
    Deferred,
}

pub(super) fn count(value: &Marked) -> Result<Option<ModuleInstances>, Diagnostic> {
    let invalid = |detail: &str| Diagnostic::error("Invalid count argument", detail);
    if value.marks.all().ephemeral && Rule::EphemeralCount.holds() {
        return Err(invalid("The count is ephemeral, so it cannot say which instances there are."));
    }
    if value.is_unknown() {
        return Ok(None);
    }
    if value.is_null() {
        return Err(invalid("The count is null, but a whole number is required."));
    }
    let number = crate::language::convert(value.clone(), &Type::Number)
        .map_err(|_| Diagnostic::error("Incorrect value type", "The count has to be a number."))?;
    let Some(number) = number.value.as_number() else { return Ok(None) };
    count_of(number).map(|count| Some(ModuleInstances::Count(count))).map_err(|detail| invalid(&detail))
}

/// More instances than these are a mistake, and could not be held in memory.
pub(super) const MOST_INSTANCES: u64 = 1_000_000;

/// The number of instances that a `count` asks for; otherwise what is wrong with it.
pub(crate) fn count_of(count: &ferroform::value::Number) -> Result<u64, String> {
    match count.to_u64() {
        None => {
            Err("The given \"count\" argument value is unsuitable: a whole number from 0 is required."
                .to_owned())
        }
        Some(count) if count > MOST_INSTANCES => Err(format!(
            "The given \"count\" argument value is unsuitable: it asks for more than {MOST_INSTANCES} instances. Set a \
             smaller number."
        )),
        Some(count) => Ok(count),
    }
}

pub(super) fn for_each(value: &Marked) -> Result<Option<ModuleInstances>, Diagnostic> {
    let invalid = |detail: &str| Diagnostic::error("Invalid for_each argument", detail);
    // What is secret behind a key is so in that instance alone. Elements of a set are keys.
    let marks = if matches!(value.ty, Type::Set(_)) { value.marks.all() } else { value.marks.whole() };
    if marks.sensitive && Rule::SensitiveForEach.holds() {
        return Err(invalid("A for_each argument must not be sensitive: its keys are shown as addresses."));
    }
    if marks.ephemeral && Rule::EphemeralForEach.holds() {
        return Err(invalid(
            "The for_each argument is ephemeral, so it cannot say which instances there are.",
        ));
    }
    let is_iterable = matches!(value.ty, Type::Dynamic | Type::Map(_) | Type::Object(_) | Type::Set(_));
    if value.is_unknown() && is_iterable {
        return Ok(None);
    }
    if value.is_null() {
        return Err(invalid("The for_each argument is null, but a map or a set of strings is required."));
    }
    match (&value.ty, &value.value) {
        (Type::Map(_) | Type::Object(_), _) => {
            let named = |(step, part): (ferroform::path::Step, Marked)| match step {
                ferroform::path::Step::Attribute(name) | ferroform::path::Step::Key(name) => {
                    Some((name.to_string(), part))
                }
                _ => None,
            };
            let mut entries: Vec<(String, Marked)> = value.parts().into_iter().filter_map(named).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(Some(ModuleInstances::ForEach(entries)))
        }
        (Type::Set(_), Value::Set(set)) => {
            let mut entries = Vec::new();
            for element in set.sorted() {
                match element {
                    Value::String(key) => entries.push((key.to_string(), Marked::string(key))),
                    Value::Unknown(_) => return Ok(None),
                    _ => {
                        let detail = "The elements of the set have to be strings, and none may be null.";
                        return Err(Diagnostic::error("Invalid for_each set argument", detail));
                    }
                }
            }
            Ok(Some(ModuleInstances::ForEach(entries)))
        }
        _ => Err(invalid("The for_each argument has to be a map or a set of strings.")),
    }
}

impl ModuleInstances {
    /// The keys of the instances with what can be referred to in them.
    pub(super) fn instances(self) -> Vec<(InstanceKey, Repeating)> {
        match self {
            Self::Count(count) => (0..count)
                .map(|index| {
                    let value = Marked::new(Value::from(index), &Type::Number);
                    (InstanceKey::Index(index), Repeating { index: Some(value), ..Repeating::default() })
                })
                .collect(),
            Self::ForEach(entries) => entries
                .into_iter()
                .map(|(key, value)| {
                    let name = Some(Marked::string(&key));
                    let each = Repeating { key: name, value: Some(value), ..Repeating::default() };
                    (InstanceKey::Key(key), each)
                })
                .collect(),
            Self::Deferred => Vec::new(),
        }
    }
}
