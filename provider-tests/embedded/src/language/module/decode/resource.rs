//! `resource`, `data` and `ephemeral` blocks.

use std::sync::Arc;

use super::super::content::{Content, RawBlock, Spec};
use super::super::model::{Condition, IgnoreChanges, Lifecycle, OnFailure, Provisioner, Resource, When};
use super::super::replace_trigger::replace_trigger;
use super::super::statics::StaticStep;
use super::super::syntax::{Body, SourceExpr};
use super::{Decoder, Part, needs_real_core};
use crate::address::Mode;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Traversal, TraversalStep};

const MANAGED: Spec = Spec {
    optional: &["count", "for_each", "provider", "depends_on"],
    blocks: &[
        ("locals", &[]),
        ("lifecycle", &[]),
        ("connection", &[]),
        ("provisioner", &["type"]),
        ("_", &[]),
    ],
    ..Spec::ANYTHING
};

/// What only objects that are managed have.
const ONLY_MANAGED: &str = "is defined only for managed resources, which \"resource\" blocks declare";

const DATA: Spec = Spec {
    optional: &["count", "for_each", "provider", "depends_on"],
    blocks: &[("lifecycle", &[]), ("locals", &[]), ("_", &[])],
    ..Spec::ANYTHING
};

const EPHEMERAL: Spec = DATA;

const LIFECYCLE: Spec = Spec {
    // Only OpenTofu has `destroy`: which core it is for is not known yet.
    optional: &[
        "create_before_destroy",
        "prevent_destroy",
        "destroy",
        "ignore_changes",
        "replace_triggered_by",
    ],
    blocks: &[("precondition", &[]), ("postcondition", &[]), ("action_trigger", &[])],
    ..Spec::NOTHING
};

const PROVISIONER: Spec = Spec {
    optional: &["when", "on_failure"],
    blocks: &[("connection", &[]), ("lifecycle", &[]), ("_", &[])],
    ..Spec::ANYTHING
};

impl Decoder<'_> {
    pub(super) fn managed(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &MANAGED);
        let mut resource = self.resource(block, &mut content, Mode::Managed);
        self.check_name(block, 0, "Invalid resource type name");
        self.check_name(block, 1, "Invalid resource name");
        for nested in &content.blocks {
            match nested.type_name.as_str() {
                "provisioner" => {
                    let provisioner = self.provisioner(nested);
                    resource.provisioners.extend(provisioner);
                }
                "connection" => self.report(needs_real_core("connection blocks").on(&nested.subject)),
                _ => {}
            }
        }
        self.module.resources.push(Arc::new(resource));
    }

    pub(super) fn data(&mut self, block: &RawBlock) {
        let resource = self.data_resource(block);
        self.check_name(block, 0, "Invalid data source name");
        self.check_name(block, 1, "Invalid data resource name");
        self.module.resources.push(Arc::new(resource));
    }

    fn data_resource(&mut self, block: &RawBlock) -> Resource {
        let mut content = self.content(block, &DATA);
        let resource = self.resource(block, &mut content, Mode::Data);
        self.only_managed(&content, "data resource", Rule::DataLifecycle);
        resource
    }

    pub(super) fn ephemeral(&mut self, block: &RawBlock) {
        let mut content = self.content(block, &EPHEMERAL);
        let resource = self.resource(block, &mut content, Mode::Ephemeral);
        self.only_managed(&content, "ephemeral resource", Rule::EphemeralLifecycle);
        self.check_name(block, 0, "Invalid ephemeral resource type");
        self.check_name(block, 1, "Invalid ephemeral resource name");
        // Core passes over those of override files.
        if self.part == Part::Primary {
            self.module.resources.push(Arc::new(resource));
        }
    }

    /// Refuses what a `lifecycle` block can hold only where objects are managed.
    fn only_managed(&mut self, content: &Content, what: &str, rule: Rule) {
        const ARGUMENTS: [&str; 4] =
            ["create_before_destroy", "prevent_destroy", "ignore_changes", "replace_triggered_by"];
        if !rule.holds() {
            return;
        }
        let lifecycles = content.blocks.iter().filter(|nested| nested.type_name == "lifecycle");
        for lifecycle in lifecycles {
            for name in ARGUMENTS {
                let Some(place) = lifecycle.body.name_of(name) else { continue };
                let detail = format!("The lifecycle argument {name:?} {ONLY_MANAGED}. Remove it.");
                let error = lifecycle.error(format!("Invalid {what} lifecycle argument"), detail);
                self.report(error.about(Some(place)));
            }
            let blocks = lifecycle.content(&LIFECYCLE, &mut Vec::new()).blocks;
            for nested in blocks.iter().filter(|nested| nested.type_name == "action_trigger") {
                let detail = format!("A lifecycle block \"action_trigger\" {ONLY_MANAGED}. Remove it.");
                self.report(nested.error(format!("Invalid {what} lifecycle nested block"), detail));
            }
        }
    }

    /// The data block of a check, of which there is one instance.
    pub(super) fn check_data(&mut self, block: &RawBlock) -> Resource {
        let mut resource = self.data_resource(block);
        let blocks = block.content(&DATA, &mut Vec::new()).blocks;
        for nested in blocks.iter().filter(|nested| nested.type_name == "lifecycle") {
            let detail = "The data block of a check cannot have a block \"lifecycle\".";
            self.report(nested.error("Invalid lifecycle block", detail));
        }
        for (name, expr) in [("count", resource.count.take()), ("for_each", resource.for_each.take())] {
            if let Some(expr) = expr.filter(|_| Rule::CheckDataSingle.holds()) {
                let detail = format!("The {name:?} argument cannot be used in a data block of a check.");
                self.report(expr.name_error(format!("Invalid {name:?} attribute"), detail));
            }
        }
        resource
    }

    pub(super) fn resource(&mut self, block: &RawBlock, content: &mut Content, mode: Mode) -> Resource {
        let mut labels = block.labels.iter().cloned();
        let (type_name, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
        let (count, for_each) = self.repetition(content);
        let depends_on = content.take("depends_on");
        let provider = content.take("provider");
        let mut resource = Resource {
            mode,
            type_name,
            name,
            count,
            for_each,
            provider: provider.and_then(|expr| self.provider_name(&expr)),
            depends_on: depends_on.map(|expr| self.statics().depends_on(&expr)).unwrap_or_default(),
            lifecycle: Lifecycle::default(),
            provisioners: Vec::new(),
            body: std::mem::take(&mut content.rest),
            is_generated: false,
            type_subject: block.label_subject(0),
            subject: block.subject.clone(),
        };
        if resource.provider.is_none() && super::is_identifier(&resource.type_name) {
            self.check_provider_name(&resource.implied_provider(), &block.subject);
        }
        let (mut lifecycles, mut escapes) = (0, 0);
        for nested in &content.blocks {
            match nested.type_name.as_str() {
                "lifecycle" => {
                    lifecycles += 1;
                    if lifecycles == 2 && Rule::OneLifecycle.holds() {
                        let detail = "This block already has a lifecycle block.";
                        self.report(nested.error("Duplicate lifecycle block", detail));
                    } else if lifecycles == 1 {
                        resource.lifecycle = self.lifecycle(nested, mode);
                    }
                }
                "_" => self.escape(nested, &mut escapes, &mut resource.body),
                "locals" => {
                    let what = mode.block_type();
                    let detail = "Blocks of type \"locals\" cannot be written here: the name is reserved.";
                    self.report(nested.error(format!("Reserved block type name in {what} block"), detail));
                }
                _ => {}
            }
        }
        self.problems.extend(self_references(&resource));
        resource
    }

    /// Adds the arguments and blocks of an escaping block (`_`), none of which are meta-arguments. Only one such block is
    /// allowed.
    pub(super) fn escape(&mut self, block: &RawBlock, seen: &mut usize, body: &mut Body) {
        *seen += 1;
        if *seen > 1 {
            let detail = "This block already has a block \"_\". Put all of its arguments into one.";
            self.report(block.error("Duplicate escaping block", detail));
        }
        let escaped = block.body.all(self.problems);
        body.arguments.extend(escaped.arguments);
        body.blocks.extend(escaped.blocks);
    }

    pub(super) fn repetition(&mut self, content: &mut Content) -> (Option<SourceExpr>, Option<SourceExpr>) {
        let (count, for_each) = (content.take("count"), content.take("for_each"));
        if let (Some(_), Some(second)) = (&count, &for_each)
            && Rule::CountOrForEach.holds()
        {
            let detail = "Both \"count\" and \"for_each\" are set, and each of them says how many instances there are. \
                          Remove one of them.";
            self.report(second.name_error("Invalid combination of \"count\" and \"for_each\"", detail));
        }
        (count, for_each)
    }

    /// `name` or `name.alias`.
    pub(super) fn provider_name(&mut self, expr: &SourceExpr) -> Option<(String, Option<String>)> {
        const SUMMARY: &str = "Invalid provider configuration reference";
        let detail = "Write the local name of a provider, or that name with an alias, as in aws.west.";
        let text = expr.expression().as_str();
        let is_reference = text.is_some() || super::super::statics::static_reference(expr).is_some();
        if !is_reference {
            return self.refuse(expr.error(SUMMARY, detail));
        }
        let reference = self.statics().reference(expr)?;
        if !self.check_provider_name(&reference.root, &super::first_name(expr, &reference.root)) {
            return None;
        }
        match reference.steps.as_slice() {
            [] => Some((reference.root, None)),
            [StaticStep::Name(alias)] => Some((reference.root, Some(alias.clone()))),
            [StaticStep::Name(_), ..] => self.refuse(expr.error(SUMMARY, detail)),
            _ => self.refuse(expr.error(SUMMARY, detail).about(reference.rest(0))),
        }
    }

    fn lifecycle(&mut self, block: &RawBlock, mode: Mode) -> Lifecycle {
        let mut content = self.content(block, &LIFECYCLE);
        let ignore_changes = content.take("ignore_changes");
        let triggers = content.take("replace_triggered_by");
        Lifecycle {
            create_before_destroy: self.bool(&mut content, "create_before_destroy"),
            prevent_destroy: self.bool(&mut content, "prevent_destroy"),
            destroy: content.take("destroy"),
            ignore_changes: ignore_changes.map(|expr| self.ignore_changes(&expr)),
            replace_triggered_by: match triggers {
                Some(expr) if mode == Mode::Managed => self.replace_triggers(&expr),
                _ => Vec::new(),
            },
            preconditions: self.conditions(&content, "precondition"),
            postconditions: self.conditions(&content, "postcondition"),
            action_triggers: match mode {
                Mode::Managed => self.action_triggers(&content),
                _ => Vec::new(),
            },
        }
    }

    fn replace_triggers(&mut self, expr: &SourceExpr) -> Vec<SourceExpr> {
        let mut found = Vec::new();
        for element in self.statics().list(expr) {
            match replace_trigger(&element) {
                Ok(trigger) => found.push(trigger),
                Err(problems) => {
                    self.problems.extend(problems);
                    // Core looks no further after the first that is wrong.
                    break;
                }
            }
        }
        found
    }

    fn ignore_changes(&mut self, expr: &SourceExpr) -> IgnoreChanges {
        if self.statics().keyword(expr).as_deref() == Some("all") && Rule::IgnoreAll.holds() {
            return IgnoreChanges::All;
        }
        let is_star = |it: &SourceExpr| it.expression().as_str() == Some("*") && Rule::IgnoreStar.holds();
        let (stars, paths): (Vec<_>, Vec<_>) = self.statics().list(expr).into_iter().partition(is_star);
        let paths: Vec<_> = paths.iter().filter_map(|element| self.statics().reference(element)).collect();
        for _ in &stars {
            let detail = "A star does not stand for all attributes. Write \"ignore_changes = all\" instead.";
            self.report(expr.error("Invalid ignore_changes wildcard", detail));
        }
        if let Some(star) = stars.last().filter(|_| !paths.is_empty()) {
            let detail = "Beside a star nothing else can be ignored.";
            self.report(star.error("Invalid ignore_changes ruleset", detail));
        }
        IgnoreChanges::Only(paths)
    }

    pub(super) fn provisioner(&mut self, block: &RawBlock) -> Option<Provisioner> {
        match block.label() {
            kind @ ("file" | "remote-exec") => {
                return self.refuse(needs_real_core(&format!("{kind:?} provisioners")).on(&block.subject));
            }
            kind @ ("chef" | "habitat" | "puppet" | "salt-masterless") => {
                let detail = "Core had this provisioner long ago.";
                let summary = format!("The {kind:?} provisioner has been removed");
                return self.refuse(block.label_error(0, summary, detail));
            }
            _ => {}
        }
        let mut content = self.content(block, &PROVISIONER);
        for connection in content.blocks.extract_if(.., |nested| nested.type_name == "connection") {
            self.report(needs_real_core("connection blocks").on(&connection.subject));
        }
        self.escaped(&mut content, "Reserved block type name in provisioner block");
        let when = content.take("when");
        let on_failure = content.take("on_failure");
        let provisioner = Provisioner {
            type_name: block.label().to_owned(),
            when: when.map(|expr| self.when(&expr)).unwrap_or_default(),
            on_failure: on_failure.map(|expr| self.on_failure(&expr)).unwrap_or_default(),
            body: content.rest,
            subject: block.subject.clone(),
        };
        self.problems.extend(refers_to_others(&provisioner));
        Some(provisioner)
    }

    fn when(&mut self, expr: &SourceExpr) -> When {
        match self.statics().quoted_keyword(expr).as_deref() {
            Some("create") => When::Create,
            Some("destroy") => When::Destroy,
            _ if !Rule::ProvisionerKeyword.holds() => When::Create,
            _ => {
                let detail =
                    "The \"when\" argument requires one of the following keywords: create or destroy.";
                self.report(expr.error("Invalid \"when\" keyword", detail));
                When::Create
            }
        }
    }

    fn on_failure(&mut self, expr: &SourceExpr) -> OnFailure {
        match self.statics().quoted_keyword(expr).as_deref() {
            Some("fail") => OnFailure::Fail,
            Some("continue") => OnFailure::Continue,
            _ => {
                let detail =
                    "The \"on_failure\" argument requires one of the following keywords: continue or fail.";
                self.report(expr.error("Invalid \"on_failure\" keyword", detail));
                OnFailure::Fail
            }
        }
    }
}

/// What a resource says of itself where it cannot: in the conditions that have "self" for it, or come before it.
fn self_references(resource: &Resource) -> Vec<Diagnostic> {
    let lifecycle = &resource.lifecycle;
    let of = |kind, all: &[Condition]| -> Vec<Diagnostic> {
        all.iter().filter_map(|it| refers_to_itself((resource, kind), &it.condition)).collect()
    };
    let mut problems = of("precondition", &lifecycle.preconditions);
    problems.extend(of("postcondition", &lifecycle.postconditions));
    problems
}

fn refers_to_itself((resource, kind): (&Resource, &str), condition: &SourceExpr) -> Option<Diagnostic> {
    let own = condition.references().iter().any(|it| is_to(it, resource));
    let detail =
        format!("The configuration of {}.{} may not refer to itself.", resource.type_name, resource.name);
    own.then(|| condition.error(format!("Invalid reference in {kind}"), detail))
}

fn is_to(reference: &Traversal, resource: &Resource) -> bool {
    reference.resource() == Some((resource.mode, &resource.type_name, &resource.name))
}

/// Before something is destroyed nothing else may be needed, because it may be deleted already.
fn refers_to_others(provisioner: &Provisioner) -> Vec<Diagnostic> {
    let is_allowed = |reference: &Traversal| match (reference.root.as_str(), reference.steps.as_slice()) {
        ("self" | "path" | "terraform", _) => true,
        ("count", [TraversalStep::Attribute(name)]) => name == "index",
        ("each", [TraversalStep::Attribute(name)]) => name == "key",
        _ => false,
    };
    let detail = "A provisioner that runs before its object is destroyed may refer only to that object, by \
                  \"self\", \"count.index\" or \"each.key\".";
    let others = |expr: &SourceExpr| -> Vec<Diagnostic> {
        let all = expr.references().into_iter().filter(|reference| !is_allowed(reference));
        all.map(|_| expr.error("Invalid reference from destroy provisioner", detail)).collect()
    };
    let is_at_destruction = provisioner.when == When::Destroy;
    let arguments = provisioner.body.arguments.iter().filter(|_| is_at_destruction);
    arguments.flat_map(|argument| others(&argument.value)).collect()
}
