//! Override files: what they declare is put into what the other files declare.

use std::collections::HashSet;
use std::sync::Arc;

use hcl_edit::expr::Expression;

use super::json_blocks;
use super::model::{Call, IgnoreChanges, Lifecycle, Module, Output, Resource, Variable};
use super::statics::StaticReference;
use super::syntax::{Argument, Body, SourceExpr};
use crate::address::Mode;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Subject};

/// Puts an override file into a module.
pub(super) fn apply(module: &mut Module, over: Module, problems: &mut Vec<Diagnostic>) {
    let mut merger = Merger { module, problems };
    if !over.required_versions.is_empty() {
        merger.module.required_versions = over.required_versions;
    }
    for required in over.required_providers {
        merger.module.required_providers.retain(|it| it.name != required.name);
        merger.module.required_providers.push(required);
    }
    for provider in over.providers {
        let known = merger
            .module
            .providers
            .iter_mut()
            .find(|it| (&it.name, &it.alias) == (&provider.name, &provider.alias));
        match known {
            Some(known) => body(&mut known.body, provider.body),
            None if provider.alias.is_none() => merger.module.providers.push(provider),
            None => merger.missing("Missing base provider configuration for override", &provider.subject),
        }
    }
    for local in over.locals {
        match merger.module.locals.iter_mut().find(|it| it.name == local.name) {
            Some(known) => *known = local,
            None => {
                merger.missing("Missing base local value definition to override", &local.value.definition())
            }
        }
    }
    merger.values(over.variables, over.outputs);
    merger.resources(over.resources);
    for mut call in over.calls {
        let depends_on = std::mem::take(&mut call.depends_on);
        match merger.module.calls.iter_mut().find(|it| it.name == call.name) {
            Some(known) => {
                merge_call(known, call);
                merger.refuse_depends_on(&depends_on);
            }
            None => merger.missing("Missing module call to override", &call.subject),
        }
    }
    for moved in &over.moved {
        merger.refused("moved", &moved.subject);
    }
    for import in &over.imports {
        merger.refused("import", &import.subject);
    }
    // `removed` blocks in override files are ignored, as core ignores them.
}

struct Merger<'a> {
    module: &'a mut Module,
    problems: &'a mut Vec<Diagnostic>,
}

impl Merger<'_> {
    fn report(&mut self, summary: String, detail: &str, subject: &Subject) {
        self.problems.push(Diagnostic::error(summary, detail).on(subject));
    }

    fn missing(&mut self, summary: &str, subject: &Subject) {
        if !Rule::OverrideBase.holds() {
            return;
        }
        let detail = "An override file can change only what another file of the module declares.";
        self.report(summary.to_owned(), detail, subject);
    }

    fn refused(&mut self, what: &str, subject: &Subject) {
        if !Rule::OverrideRefactoring.holds() {
            return;
        }
        let detail = "Such blocks can be only in files that are no override files.";
        self.report(format!("Cannot override '{what}' blocks"), detail, subject);
    }

    fn refuse_depends_on(&mut self, over: &[StaticReference]) {
        if let Some(first) = over.first().filter(|_| Rule::OverrideDependsOn.holds()) {
            let detail = "An override file cannot change \"depends_on\".";
            self.report("Unsupported override".to_owned(), detail, &first.subject);
        }
    }

    fn values(&mut self, variables: Vec<Variable>, outputs: Vec<Output>) {
        for variable in variables {
            match self.module.variables.iter_mut().find(|it| it.name == variable.name) {
                Some(known) => merge_variable(known, variable),
                None => self.missing("Missing base variable declaration to override", &variable.subject),
            }
        }
        for mut output in outputs {
            let depends_on = std::mem::take(&mut output.depends_on);
            match self.module.outputs.iter_mut().find(|it| it.name == output.name) {
                Some(known) => {
                    merge_output(known, output);
                    self.refuse_depends_on(&depends_on);
                }
                None => self.missing("Missing base output definition to override", &output.subject),
            }
        }
    }

    fn resources(&mut self, resources: Vec<Arc<Resource>>) {
        for mut resource in resources.into_iter().map(Arc::unwrap_or_clone) {
            let key = |it: &Resource| (it.mode, it.type_name.clone(), it.name.clone());
            let wanted = key(&resource);
            let depends_on = std::mem::take(&mut resource.depends_on);
            match self.module.resources.iter_mut().find(|it| key(it) == wanted) {
                Some(known) => {
                    merge_resource(Arc::make_mut(known), resource);
                    self.refuse_depends_on(&depends_on);
                }
                None => {
                    let what = if resource.mode == Mode::Data { "data resource" } else { "resource" };
                    self.missing(&format!("Missing {what} to override"), &resource.subject);
                }
            }
        }
    }
}

/// What the override sets takes the place of what there was.
macro_rules! replace {
    ($known:ident, $over:ident: $($field:ident)*) => {$(
        if $over.$field.is_some() {
            $known.$field = $over.$field;
        }
    )*};
}

fn merge_variable(known: &mut Variable, over: Variable) {
    replace!(known, over: default description sensitive ephemeral nullable constant);
    match over.ty {
        Some(ty) if !Rule::OverrideType.holds() => known.ty = Some(ty),
        // Core takes this one for no type at all.
        Some(ty) if is_any(&ty) => {}
        Some(ty) => known.type_of_override = Some(ty),
        None => {}
    }
    known.overridden = Some(over.subject);
}

fn is_any(ty: &SourceExpr) -> bool {
    let text = ty.expression().as_str().filter(|_| ty.is_json());
    let name = match ty.expression() {
        Expression::Variable(name) => Some(name.as_str()),
        _ => text,
    };
    name == Some("any")
}

fn merge_output(known: &mut Output, over: Output) {
    // Core ignores the `deprecated` of overrides.
    replace!(known, over: value ty description sensitive ephemeral);
}

fn merge_resource(known: &mut Resource, over: Resource) {
    replace!(known, over: provider count for_each);
    one_repetition((&mut known.count, &mut known.for_each));
    if !over.provisioners.is_empty() {
        known.provisioners = over.provisioners;
    }
    merge_lifecycle(&mut known.lifecycle, over.lifecycle);
    body(&mut known.body, over.body);
}

/// With a `count` in one file and a `for_each` in the other, core keeps quiet and takes the `count`.
fn one_repetition((count, for_each): (&mut Option<SourceExpr>, &mut Option<SourceExpr>)) {
    if count.is_some() && for_each.is_some() {
        let loser = if Rule::OverrideCount.holds() { for_each } else { count };
        *loser = None;
    }
}

fn merge_lifecycle(known: &mut Lifecycle, over: Lifecycle) {
    if !Rule::OverrideLifecycle.holds() {
        return;
    }
    // Core ignores `replace_triggered_by`.
    replace!(known, over: create_before_destroy prevent_destroy destroy);
    if !over.action_triggers.is_empty() {
        known.action_triggers = over.action_triggers;
    }
    let is_kept = known.ignore_changes == Some(IgnoreChanges::All) && Rule::OverrideIgnore.holds();
    match over.ignore_changes {
        Some(IgnoreChanges::Only(names)) if names.is_empty() || is_kept => {}
        Some(names) => known.ignore_changes = Some(names),
        None => {}
    }
}

fn merge_call(known: &mut Call, over: Call) {
    replace!(known, over: source_expr version count for_each);
    one_repetition((&mut known.count, &mut known.for_each));
    if !over.providers.is_empty() {
        known.providers = over.providers;
        known.passed_at = over.passed_at;
    }
    // Calls have arguments only, of any name.
    note_base(&mut known.body);
    merge_arguments(&mut known.body, over.body.arguments);
    known.body.blocks.extend(over.body.blocks);
}

/// Arguments replace those of the same name, and the blocks of a type all those of the same type. In JSON, blocks are written as
/// arguments.
fn body(known: &mut Body, over: Body) {
    note_base(known);
    let (dynamic, arguments): (Vec<_>, Vec<_>) = over.arguments.into_iter().partition(is_dynamic_in_json);
    let mut types: HashSet<String> = over.blocks.iter().map(|it| it.produces().to_owned()).collect();
    types.extend(
        dynamic.iter().flat_map(types_in_json).filter(|(_, blocks)| *blocks > 0).map(|(name, _)| name),
    );
    known.arguments.retain(|it| !(it.value.is_json() && types.contains(&it.name)));
    let written = arguments.iter().filter(|it| it.value.is_json() && blocks_in_json(&it.value) > 0);
    types.extend(written.map(|it| it.name.clone()));
    known.blocks.retain(|it| !types.contains(it.produces()));
    known.arguments.retain_mut(|argument| {
        if !is_dynamic_in_json(argument) || types_in_json(argument).is_empty() {
            return true;
        }
        argument.value = argument.value.without_members(|name| types.contains(name));
        !types_in_json(argument).is_empty()
    });
    merge_arguments(known, arguments);
    known.arguments.extend(dynamic);
    known.blocks.extend(over.blocks);
}

/// Remembers what there was before any override.
fn note_base(known: &mut Body) {
    known.base.get_or_insert_with(|| known.arguments.iter().map(|it| it.name.clone()).collect());
}

fn merge_arguments(known: &mut Body, over: Vec<Argument>) {
    for argument in over {
        match known.arguments.iter_mut().find(|it| it.name == argument.name) {
            Some(known) if Rule::OverrideArguments.holds() => *known = argument,
            Some(_) => {}
            None => known.arguments.push(argument),
        }
    }
}

fn is_dynamic_in_json(argument: &Argument) -> bool {
    argument.name == "dynamic" && argument.value.is_json()
}

/// The types of the blocks that such an argument makes, each with the number of its `dynamic` blocks.
fn types_in_json(argument: &Argument) -> Vec<(String, usize)> {
    let types = json_blocks::labelled(&argument.value, &mut Vec::new()).into_iter();
    types.map(|(name, value)| (name, blocks_in_json(&value))).collect()
}

/// How many blocks a value is, if it is some.
fn blocks_in_json(value: &SourceExpr) -> usize {
    json_blocks::unlabelled(value, &mut Vec::new()).len()
}
