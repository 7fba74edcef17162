//! `moved`, `removed` and `import` blocks.

use super::super::content::{RawBlock, Spec};
use super::super::model::{Import, Moved, Removed, When};
use super::super::statics::{NO_KEY, StaticReference, impossible_key};
use super::super::syntax::SourceExpr;
use super::super::translate::unquoted;
use super::Decoder;
use crate::address::{InstanceAddress, Mode, ModuleInstance, MoveEndpoint, RemovedFrom};
use crate::language::Diagnostic;
use crate::language::rule::Rule;

const MOVED: Spec = Spec { required: &["from", "to"], ..Spec::NOTHING };

const REMOVED: Spec = Spec {
    required: &["from"],
    blocks: &[("lifecycle", &[]), ("connection", &[]), ("provisioner", &["type"])],
    ..Spec::NOTHING
};

const REMOVED_LIFECYCLE: Spec = Spec { optional: &["destroy"], ..Spec::NOTHING };

const IMPORT: Spec =
    Spec { required: &["to"], optional: &["id", "identity", "for_each", "provider"], ..Spec::NOTHING };

/// Why a name that means something else is no type of resources.
pub(in crate::language::module) const RESERVED: &str = "The first name of this address is not that of a resource type. For a type that is called so, write resource. before it.";

/// What is said of the address of a resource with a key in a `removed` block.
const REMOVED_KEY: &str =
    "A \"removed\" block is for all instances of a resource, so its address cannot have an instance key.";

impl Decoder<'_> {
    pub(super) fn moved(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &MOVED);
        let from = content.take("from").and_then(|expr| self.end(&expr));
        let to = content.take("to").and_then(|expr| self.end(&expr));
        let (Some(from), Some(to)) = (from, to) else { return };
        if matches!(from, MoveEndpoint::Module(_)) != matches!(to, MoveEndpoint::Module(_))
            && Rule::MovedKinds.holds()
        {
            let detail =
                "The addresses in \"from\" and \"to\" must both be of resources, or both of modules.";
            return self.report(block.error("Invalid \"moved\" addresses", detail));
        }
        self.module.moved.push(Moved { from, to, subject: block.subject.clone() });
    }

    fn end(&mut self, expr: &SourceExpr) -> Option<MoveEndpoint> {
        if let Some(key) = impossible_key(expr) {
            return self.refuse(Diagnostic::error("Invalid address", NO_KEY).on(key));
        }
        let reference = self.address(expr)?;
        if let Some(reserved) = reference.reserved() {
            return self.refuse(expr.error("Invalid address", RESERVED).about(Some(reserved)));
        }
        let movable = || reference.instance().filter(|it| it.resource.mode != Mode::Action);
        let end =
            reference.module().map(MoveEndpoint::Module).or_else(|| movable().map(MoveEndpoint::Resource));
        if end.is_none() {
            let detail = "The address of a resource, a module, or an instance of one is expected here.";
            let part = reference.surplus().or_else(|| reference.nameless_resource());
            self.report(expr.error("Invalid address", detail).about(part));
        }
        end
    }

    /// A reference in which each module has a name.
    fn address(&mut self, expr: &SourceExpr) -> Option<StaticReference> {
        let reference = self.statics().plain_reference(expr)?;
        match reference.nameless_module() {
            None => Some(reference),
            Some(problem) => self.refuse(problem),
        }
    }

    pub(super) fn removed(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &REMOVED);
        let from = content.take("from").and_then(|expr| self.removed_from(&expr));
        let (mut destroy, mut provisioners) = (None, Vec::new());
        for nested in &content.blocks {
            match nested.type_name.as_str() {
                "lifecycle" => {
                    let mut lifecycle = self.content(nested, &REMOVED_LIFECYCLE);
                    destroy =
                        self.bool(&mut lifecycle, "destroy").map(|it| it || !Rule::RemovedKeeps.holds());
                }
                "provisioner" => {
                    let provisioner = self.provisioner(nested);
                    let is_run = provisioner.as_ref().is_none_or(|it| it.when == When::Destroy);
                    if !is_run || matches!(from, Some(RemovedFrom::Module(_))) {
                        let detail = "A removed block can have provisioners with \"when = destroy\" only, and only those of a resource.";
                        self.report(nested.error("Invalid provisioner block", detail));
                    }
                    provisioners.extend(provisioner);
                }
                // Only provisioners that the embedded core does not run have a connection.
                _ => {}
            }
        }
        let subject = block.subject.clone();
        self.module.removed.extend(from.map(|from| Removed { from, destroy, provisioners, subject }));
    }

    fn removed_from(&mut self, expr: &SourceExpr) -> Option<RemovedFrom> {
        if let Some(key) = impossible_key(expr) {
            return self.refuse(Diagnostic::error("Resource instance keys not allowed", REMOVED_KEY).on(key));
        }
        let reference = self.address(expr)?;
        if let Some(key) = reference.module_key().filter(|_| Rule::RemovedInstance.holds()) {
            let detail = "A \"removed\" block is for all instances of a module, so its address cannot have an instance key.";
            return self.refuse(Diagnostic::error("Module instance keys not allowed", detail).on(key));
        }
        if let Some(module) = reference.module() {
            return Some(RemovedFrom::Module(module));
        }
        let nameless = reference.nameless_resource();
        let (reference, after) = reference.without_key();
        if let Some(after) = after.filter(|_| Rule::RemovedInstance.holds()) {
            return self
                .refuse(Diagnostic::error("Resource instance keys not allowed", REMOVED_KEY).on(after));
        }
        let Some(InstanceAddress { resource, .. }) = reference.instance() else {
            let detail = "The address of a resource or a module is expected here.";
            return self.refuse(expr.error("Invalid address", detail).about(nameless));
        };
        if resource.mode == Mode::Data && Rule::RemovedData.holds() {
            let detail = "Data sources are never destroyed, so there is nothing to remove.";
            return self.refuse(expr.error("Data source address not allowed", detail));
        }
        Some(RemovedFrom::Resource(resource))
    }

    pub(super) fn import(&mut self, block: &RawBlock) {
        let before = self.problems.len();
        let mut content = self.content(block, &IMPORT);
        let provider = content.take("provider");
        let (id, identity) = (content.take("id"), content.take("identity"));
        let to = content.take("to").map(unquoted);
        if to.is_some() && self.problems.len() > before {
            return;
        }
        let problem = match (&id, &identity) {
            (None, None) => Some("Set \"id\" or \"identity\": one of them must name the object."),
            (Some(_), Some(_)) => Some("Set either \"id\" or \"identity\": both name the object."),
            _ => None,
        };
        if let Some(detail) = problem.filter(|_| Rule::ImportTarget.holds()) {
            self.report(block.error("Invalid import block", detail));
        }
        if let Some(to) = &to {
            let root = super::super::statics::root_of(to.expression());
            if matches!(root, Some("data" | "ephemeral")) && Rule::ImportData.holds() {
                let detail = "Only managed resources are imported.";
                let error = Diagnostic::error("Invalid import address", detail);
                self.report(error.on(to.definition()));
                return;
            }
        }
        let provider = provider.and_then(|expr| Some((self.provider_name(&expr)?, expr.definition())));
        let for_each = content.take("for_each");
        let subject = block.subject.clone();
        let Some(to) = to else { return };
        let import = Import { to, id, identity, for_each, provider, subject };
        match super::super::imports::address(&import) {
            Ok(_) => self.module.imports.push(import),
            Err(problems) => self.problems.extend(problems),
        }
    }
}

impl StaticReference {
    /// The module instance that it names, if that is all that it names.
    pub(crate) fn module(&self) -> Option<ModuleInstance> {
        (self.root == "module").then(|| self.to_string().parse().ok()).flatten()
    }

    /// The resource instance that it names, if that is all that it names.
    pub(crate) fn instance(&self) -> Option<InstanceAddress> {
        self.to_string().parse().ok()
    }
}
