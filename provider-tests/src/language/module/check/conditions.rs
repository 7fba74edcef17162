//! Conditions, checks and provisioners.

use super::{Around, Checker};
use crate::address::Mode;
use crate::language::module::model::{Condition, Module, Provisioner, Resource, When};
use crate::language::module::syntax::SourceExpr;
use crate::language::{Traversal, TraversalStep, references};

impl Checker<'_> {
    /// Conditions of outputs, and what is in `check` blocks.
    pub(super) fn rules(&mut self, module: &Module) {
        let nothing = Around::default();
        for output in &module.outputs {
            output.preconditions.iter().for_each(|it| self.condition(it, nothing));
        }
        for (at, check) in module.checks.iter().enumerate() {
            let around = Around { check: Some(at), ..nothing };
            if let Some(data) = &check.data {
                self.body(&data.body, around);
                self.dependencies(&data.depends_on);
                self.conditions(data, around);
            }
            check.asserts.iter().for_each(|it| self.condition(it, around));
        }
    }

    /// The conditions of a resource, and its provisioners.
    pub(super) fn conditions(&mut self, resource: &Resource, around: Around) {
        let (before, after) = (&resource.lifecycle.preconditions, &resource.lifecycle.postconditions);
        for (kind, conditions, own) in [("precondition", before, false), ("postcondition", after, true)] {
            let around = Around { own, ..around };
            for condition in conditions {
                self.not_itself((resource, kind), &condition.condition);
                self.condition(condition, around);
            }
        }
        let around = Around { own: true, ..around };
        for provisioner in &resource.provisioners {
            self.provisioner(provisioner, around);
        }
    }

    pub(super) fn provisioner(&mut self, provisioner: &Provisioner, around: Around) {
        self.body(&provisioner.body, around);
        if provisioner.when == When::Destroy {
            for argument in &provisioner.body.arguments {
                self.only_itself(&argument.value);
            }
        }
    }

    fn condition(&mut self, it: &Condition, around: Around) {
        for expr in [&it.condition, &it.error_message] {
            self.expression(expr, around);
            let own = references(expr.expression()).into_iter().find(|it| it.root == "self");
            if let Some(own) = own.filter(|_| !around.own) {
                // Core looks it up all the same.
                let detail = "There is no variable named \"self\".";
                self.problems.push(expr.error_at(own.through(0), "Unknown variable", detail));
            }
        }
    }

    /// A condition of a resource has "self" for it, if it can refer to it at all.
    fn not_itself(&mut self, (resource, kind): (&Resource, &str), condition: &SourceExpr) {
        let own = references(condition.expression()).into_iter().any(|it| is_to(&it, resource));
        if own {
            let detail = format!(
                "The configuration of {}.{} may not refer to itself.",
                resource.type_name, resource.name
            );
            self.problems.push(condition.error(format!("Invalid reference in {kind}"), detail));
        }
    }

    /// Before something is destroyed nothing else may be needed, for it may be gone already.
    fn only_itself(&mut self, expr: &SourceExpr) {
        for reference in references(expr.expression()) {
            let allowed = match (reference.root.as_str(), reference.steps.first()) {
                ("self" | "path" | "terraform", _) => true,
                ("count", Some(TraversalStep::Attribute(name))) => name == "index",
                ("each", Some(TraversalStep::Attribute(name))) => name == "key",
                _ => false,
            };
            if !allowed {
                let detail = "A provisioner that runs before its object is destroyed may refer only to that object, by \
                              \"self\", \"count.index\" or \"each.key\".";
                self.problems.push(expr.error("Invalid reference from destroy provisioner", detail));
            }
        }
    }
}

fn is_to(reference: &Traversal, resource: &Resource) -> bool {
    let names = reference.steps.iter().map_while(|step| match step {
        TraversalStep::Attribute(name) => Some(name.as_str()),
        TraversalStep::Index(_) => None,
    });
    let mut names = std::iter::once(reference.root.as_str()).chain(names).peekable();
    let root = names.next_if(|name| Mode::of_root(name).is_some());
    let mode = root.and_then(Mode::of_root).unwrap_or_default();
    mode == resource.mode && names.take(2).eq([resource.type_name.as_str(), resource.name.as_str()])
}
