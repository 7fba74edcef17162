//! What expressions refer to, without evaluating them.

use super::modules::{ModuleId, Modules, NamedKind};
use super::statics::{StaticReference, StaticStep};
use super::syntax::SourceExpr;
use crate::address::{InstanceKey, Mode};
use crate::language::{Diagnostic, Span, Subject, Traversal, TraversalStep};

/// Something that a module declares, in no particular instance of the module. Numbers are those of its kind in the
/// module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Declaration {
    /// The instances of a module that is called.
    Expansion(ModuleId),
    /// All that a module has that is called.
    Close(ModuleId),
    Variable(ModuleId, usize),
    /// The validations of a variable.
    Validation(ModuleId, usize),
    Local(ModuleId, usize),
    Output(ModuleId, usize),
    /// A resource, data source, ephemeral resource, action or list.
    Resource(ModuleId, usize),
    /// The assertions of a `check` block.
    Check(ModuleId, usize),
    /// The configuration of a provider.
    Provider(ModuleId, usize),
}

impl Declaration {
    /// The module that has it.
    pub(crate) fn module(self) -> ModuleId {
        match self {
            Self::Expansion(id)
            | Self::Close(id)
            | Self::Variable(id, _)
            | Self::Validation(id, _)
            | Self::Local(id, _)
            | Self::Output(id, _)
            | Self::Resource(id, _)
            | Self::Check(id, _)
            | Self::Provider(id, _) => id,
        }
    }
}

impl Modules {
    /// What the expressions of a module refer to themselves.
    pub(crate) fn referred_to<'e>(
        &self,
        id: ModuleId,
        exprs: impl IntoIterator<Item = &'e SourceExpr>,
    ) -> Vec<Declaration> {
        let mut found = Vec::new();
        for traversal in exprs.into_iter().flat_map(SourceExpr::references) {
            self.named_by(id, &traversal, &mut found);
        }
        found
    }

    /// What `depends_on` names in a module.
    pub(crate) fn depended_on(&self, id: ModuleId, all: &[StaticReference]) -> Vec<Declaration> {
        let mut found = Vec::new();
        all.iter().for_each(|reference| self.named_by(id, &traversal(reference), &mut found));
        found
    }

    /// What a reference in a module is to.
    pub(crate) fn named_by(&self, id: ModuleId, traversal: &Traversal, found: &mut Vec<Declaration>) {
        let names: Vec<&str> = traversal.names().collect();
        let config = &self[id];
        let number = |kind, name: &str| config.number(kind, name);
        match names.as_slice() {
            ["var", name, ..] => {
                found.extend(number(NamedKind::Variable, name).map(|at| Declaration::Variable(id, at)));
            }
            ["local", name, ..] => {
                found.extend(number(NamedKind::Local, name).map(|at| Declaration::Local(id, at)));
            }
            ["module", name, ..] => {
                if let Some(called) = self.called(id, name) {
                    self.outputs_named_by(called, traversal, found);
                }
            }
            _ => {
                let resource = traversal.resource();
                let at = resource
                    .and_then(|(mode, type_name, name)| config.resource_number(mode, type_name, name));
                found.extend(at.map(|at| Declaration::Resource(id, at)));
            }
        }
    }

    /// The key of the instance of a resource in the same module that a reference names; that of none, where it names the
    /// resource as a whole. `None` where it names something else.
    fn key_of(&self, (id, at): (ModuleId, usize), traversal: &Traversal) -> Option<InstanceKey> {
        let mut found = Vec::new();
        self.named_by(id, traversal, &mut found);
        let key = traversal.steps.get(naming_steps(&traversal.root, |_| false));
        found.contains(&Declaration::Resource(id, at)).then(|| match key {
            Some(TraversalStep::Index(key)) => InstanceKey::of(key).unwrap_or_default(),
            _ => InstanceKey::None,
        })
    }

    /// The outputs that may be meant: one, or all of them. The module as a whole is there when all is there that it has.
    fn outputs_named_by(&self, called: ModuleId, traversal: &Traversal, found: &mut Vec<Declaration>) {
        let has_key = matches!(traversal.steps.get(1), Some(TraversalStep::Index(_)));
        let output = match traversal.steps.get(1 + usize::from(has_key)) {
            Some(TraversalStep::Attribute(name)) => self[called].number(NamedKind::Output, name),
            _ => None,
        };
        match output {
            Some(at) => found.push(Declaration::Output(called, at)),
            None => {
                let outputs = 0..self[called].module.outputs.len();
                found.extend(outputs.map(|at| Declaration::Output(called, at)));
                found.push(Declaration::Close(called));
            }
        }
    }
}

/// Whether references that begin with a name are to resources. The other first names are reserved for something else.
pub(crate) fn is_to_resource(root: &str) -> bool {
    !matches!(root, "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self")
}

/// A static reference as one in an expression.
pub(super) fn traversal(reference: &StaticReference) -> Traversal {
    let step = |step: &StaticStep| match step {
        StaticStep::Name(name) => TraversalStep::Attribute(name.clone()),
        StaticStep::Key(key) => TraversalStep::Index(key.as_str().into()),
        StaticStep::Index(index) => TraversalStep::Index((*index).into()),
    };
    Traversal {
        root: reference.root.clone(),
        steps: reference.steps.iter().map(step).collect(),
        span: reference.subject.span,
        step_spans: reference.step_spans(),
    }
}

/// Where an expression names a resource of its module itself, and the keys of the instances that it names.
pub(crate) fn places_of(
    modules: &Modules,
    resource: (ModuleId, usize),
    expr: &SourceExpr,
) -> Vec<(InstanceKey, Subject)> {
    let named = expr.references().into_iter();
    let named = named.filter_map(|it| Some((modules.key_of(resource, &it)?, expr.place_within(naming(&it)))));
    named.collect()
}

/// Which references name a resource of its module itself: static ones, then those of expressions.
pub(crate) fn are_own<'e>(
    modules: &Modules,
    resource: (ModuleId, usize),
    all: &[StaticReference],
    exprs: impl IntoIterator<Item = &'e SourceExpr>,
) -> Vec<bool> {
    let in_exprs = exprs.into_iter().flat_map(SourceExpr::references);
    all.iter().map(traversal).chain(in_exprs).map(|it| modules.key_of(resource, &it).is_some()).collect()
}

/// The keys of the instances of a resource of the module that static references name.
pub(crate) fn keys_of(
    modules: &Modules,
    resource: (ModuleId, usize),
    all: &[StaticReference],
) -> Vec<InstanceKey> {
    all.iter().filter_map(|reference| modules.key_of(resource, &traversal(reference))).collect()
}

/// A name that means something only elsewhere, or nothing.
pub(crate) fn misplaced(root: &str, name: &str) -> Diagnostic {
    let (summary, detail) = match (root, name) {
        ("count", "index") => (
            "Reference to \"count\" in non-counted context".to_owned(),
            "\"count.index\" is there only in a block that has the argument \"count\".".to_owned(),
        ),
        ("each", "value") => (
            "each.value cannot be used in this context".to_owned(),
            "\"each.value\" is there only in a block that has the argument \"for_each\".".to_owned(),
        ),
        ("each", "key") => (
            "Reference to \"each\" in context without for_each".to_owned(),
            "\"each\" is there only in a block that has the argument \"for_each\".".to_owned(),
        ),
        ("self", _) => (
            "Invalid \"self\" reference".to_owned(),
            "\"self\" is there only in provisioners and postconditions.".to_owned(),
        ),
        (root, name) => {
            (format!("Invalid {root:?} attribute"), format!("There is nothing like {root}.{name}."))
        }
    };
    Diagnostic::error(summary, detail)
}

/// The part of a reference that names an object of the module. What follows is in the object.
pub(crate) fn naming(traversal: &Traversal) -> Span {
    traversal.through(traversal.naming_steps())
}

impl Traversal {
    /// How many steps name an object of the module.
    pub(crate) fn naming_steps(&self) -> usize {
        let has_key = |at: usize| matches!(self.steps.get(at), Some(TraversalStep::Index(_)));
        naming_steps(&self.root, has_key).min(self.steps.len())
    }

    /// The mode, the type and the name of the resource that it names, if it is to one.
    pub(crate) fn resource(&self) -> Option<(Mode, &str, &str)> {
        let mut names = self.names();
        let root = names.next().filter(|root| is_to_resource(root))?;
        let (mode, type_name) = match Mode::of_root(root) {
            Some(mode) => (mode, names.next()?),
            None => (Mode::Managed, root),
        };
        Some((mode, type_name, names.next()?))
    }
}

/// What is no reference, because names are missing that core expects after the first.
pub(super) fn malformed(reference: &Traversal) -> Option<Diagnostic> {
    if is_reserved(&reference.root) {
        let detail = "The name is reserved for a later version of the language.";
        return Some(Diagnostic::error("Reserved symbol name", detail));
    }
    let (least, detail) = match reference.root.as_str() {
        "self" => return None,
        root if !is_to_resource(root) => (1, "Write the name of the object after a dot."),
        root => {
            let detail = "A reference to a resource has its type and its name, as in demo_file.index.";
            (1 + usize::from(Mode::of_root(root).is_some()), detail)
        }
    };
    (reference.names().skip(1).count() < least).then(|| Diagnostic::error("Invalid reference", detail))
}

/// Whether core keeps the name for itself, and gives it no meaning yet.
fn is_reserved(root: &str) -> bool {
    matches!(root, "template" | "lazy" | "arg")
}

/// The part of a reference that is wrong if there is no such thing: without a name, what is there instead of it.
pub(super) fn wrong_part(reference: &Traversal) -> Span {
    if is_reserved(&reference.root) {
        return reference.through(0);
    }
    match reference.step_spans.first() {
        Some(instead) if !is_to_resource(&reference.root) && malformed(reference).is_some() => *instead,
        _ => naming(reference),
    }
}

/// How many steps name an object of the module after that first name, by which of the steps are keys.
pub(super) fn naming_steps(root: &str, has_key: impl Fn(usize) -> bool) -> usize {
    match root {
        "self" => 0,
        "var" | "local" | "path" | "terraform" | "count" | "each" => 1,
        // The output is named, too.
        "module" => 2 + usize::from(has_key(1)),
        "action" | "data" | "ephemeral" | "list" | "resource" => 2 + usize::from(has_key(2)),
        _ => 1 + usize::from(has_key(1)),
    }
}

/// A named value that the module does not declare.
pub(crate) fn undeclared(root: &str, name: &str) -> Diagnostic {
    let what = match root {
        "var" => "input variable",
        "local" => "local value",
        _ => "module",
    };
    let detail = format!("There is no {what} with the name {name:?} in this module.");
    Diagnostic::error(format!("Reference to undeclared {what}"), detail)
}

/// A resource that the module does not declare.
pub(crate) fn undeclared_resource(mode: Mode, type_name: &str, name: &str) -> Diagnostic {
    let what = mode.noun();
    let detail = format!("There is no {what} {type_name}.{name} in this module.");
    Diagnostic::error("Reference to undeclared resource", detail)
}
