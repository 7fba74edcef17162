//! Variables, local values, outputs and checks.

use std::sync::Arc;

use super::super::content::{Content, RawBlock, Spec};
use super::super::model::{Check, Condition, Deprecated, Local, Output, Variable};
use super::super::syntax::SourceExpr;
use super::super::translate::translate;
use super::super::variables::VariableType;
use super::{Decoder, Part};
use crate::language::Diagnostic;
use crate::language::rule::Rule;

const VARIABLE: Spec = Spec {
    optional: &[
        "description",
        "default",
        "type",
        "sensitive",
        "ephemeral",
        "nullable",
        "const",
        "deprecated",
    ],
    blocks: &[("validation", &[])],
    ..Spec::NOTHING
};

const OUTPUT: Spec = Spec {
    required: &["value"],
    optional: &["description", "sensitive", "ephemeral", "depends_on", "type", "deprecated"],
    blocks: &[("precondition", &[]), ("postcondition", &[])],
    ..Spec::NOTHING
};

const CONDITION: Spec = Spec { required: &["condition", "error_message"], ..Spec::NOTHING };

const CHECK: Spec = Spec { blocks: &[("data", &["type", "name"]), ("assert", &[])], ..Spec::NOTHING };

/// Names that mean something in `module` blocks.
const RESERVED: [&str; 8] =
    ["source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];

/// The condition of a variable must refer to that variable.
fn of_another(name: &str, condition: &SourceExpr) -> Option<Diagnostic> {
    let own = condition.references().iter().any(|it| it.names().take(2).eq(["var", name]));
    let detail = format!("The condition must refer to var.{name}, or it would say nothing about it.");
    let error = || condition.error("Invalid variable validation condition", detail);
    (!own && Rule::ValidationOfOther.holds()).then(error)
}

impl Decoder<'_> {
    pub(super) fn variable(&mut self, block: &RawBlock) {
        let name = block.label().to_owned();
        let mut content = self.content(block, &VARIABLE);
        self.check_name(block, 0, "Invalid variable name");
        if RESERVED.contains(&name.as_str()) && Rule::ReservedVariable.holds() {
            let detail = format!(
                "The name {name:?} has a meaning of its own in module blocks, so no variable can have it."
            );
            self.report(block.label_error(0, "Invalid variable name", detail));
        }
        let constant = self.bool(&mut content, "const");
        let ty = content.take("type");
        let ty = ty.filter(|ty| self.is_type(ty));
        let default = content.take("default");
        let default = default.filter(|default| self.is_constant(default));
        let (sensitive, ephemeral) =
            (self.bool(&mut content, "sensitive"), self.bool(&mut content, "ephemeral"));
        // A null is not allowed by what cannot be read either.
        let nullable = content.take("nullable").map(|expr| self.statics().bool(&expr).unwrap_or(false));
        for (kind, is) in [("ephemeral", ephemeral), ("sensitive", sensitive)] {
            if constant == Some(true) && is == Some(true) {
                let detail =
                    format!("A variable cannot be const and {kind}: its value would be part of sources.");
                self.report(block.error(format!("Const variable cannot be {kind}"), detail));
            }
        }
        let variable = Variable {
            ty,
            type_of_override: None,
            default,
            description: self.string(&mut content, "description"),
            sensitive,
            ephemeral,
            deprecated: self.deprecated(&mut content),
            nullable,
            constant,
            validations: self.conditions(&content, "validation"),
            subject: block.subject.clone(),
            overridden: None,
            name,
        };
        let conditions = variable.validations.iter().map(|it| &it.condition);
        let of_others: Vec<_> = conditions.filter_map(|it| of_another(&variable.name, it)).collect();
        self.problems.extend(of_others);
        // A default has to fit what it is written with, also where an override replaces it.
        for problem in VariableType::declared(&variable).err().into_iter().flatten() {
            self.report(problem);
        }
        self.module.variables.push(variable);
    }

    /// Whether the expression may be a type constraint at all: those in quotes are from long ago, but in JSON
    /// everything is in quotes.
    fn is_type(&mut self, ty: &SourceExpr) -> bool {
        let quoted = ty.expression().as_str().filter(|_| !ty.is_json() && Rule::QuotedType.holds());
        if let Some(hint) = quoted {
            let summary = match hint {
                "string" | "list" | "map" => "Invalid quoted type constraints",
                _ => "Invalid legacy variable type hint",
            };
            self.report(ty.error(summary, "A type is written without quotes."));
        }
        quoted.is_none()
    }

    fn is_constant(&mut self, expr: &SourceExpr) -> bool {
        let problems = expr.constant().err().filter(|_| Rule::ConstantDefault.holds());
        let is_constant = problems.is_none();
        problems.into_iter().flatten().for_each(|problem| self.report(problem));
        is_constant
    }

    fn deprecated(&mut self, content: &mut Content) -> Option<Deprecated> {
        let expr = content.take("deprecated")?;
        let message = self.statics().string(&expr)?;
        Some(Deprecated { message, subject: expr.definition() })
    }

    pub(super) fn locals(&mut self, block: &RawBlock) {
        for argument in block.body.attributes(translate, self.problems) {
            if !super::is_identifier(&argument.name) {
                self.report(argument.value.name_error("Invalid local value name", super::BAD_NAME));
            }
            self.module.locals.push(Local { name: argument.name, value: argument.value });
        }
    }

    pub(super) fn output(&mut self, block: &RawBlock) {
        let name = block.label().to_owned();
        let mut content = self.content(block, &OUTPUT);
        self.check_name(block, 0, "Invalid output name");
        if let Some(nested) = content.blocks.iter().find(|nested| nested.type_name == "postcondition")
            && Rule::OutputPostcondition.holds()
        {
            let detail = "Output values can only have preconditions, not postconditions.";
            self.report(nested.error("Postconditions are not allowed", detail));
        }
        let depends_on = content.take("depends_on");
        let output = Output {
            value: content.take("value"),
            ty: content.take("type"),
            deprecated: self.deprecated(&mut content),
            description: self.string(&mut content, "description"),
            sensitive: self.bool(&mut content, "sensitive"),
            ephemeral: self.bool(&mut content, "ephemeral"),
            depends_on: depends_on.map(|expr| self.statics().depends_on(&expr)).unwrap_or_default(),
            preconditions: self.conditions(&content, "precondition"),
            subject: block.subject.clone(),
            name,
        };
        self.module.outputs.push(output);
    }

    /// The conditions of blocks of that type.
    pub(super) fn conditions(&mut self, content: &Content, type_name: &str) -> Vec<Condition> {
        let blocks = content.blocks.iter().filter(|nested| nested.type_name == type_name);
        blocks.filter_map(|block| self.condition(block, type_name)).collect()
    }

    fn condition(&mut self, block: &RawBlock, type_name: &str) -> Option<Condition> {
        if self.part == Part::Override {
            let detail = format!("Override files cannot override {type_name:?} blocks.");
            return self.refuse(block.error(format!("Can't override {type_name} blocks"), detail));
        }
        let mut content = block.content(&CONDITION, self.problems);
        let (condition, error_message) = (content.take("condition")?, content.take("error_message"));
        if condition.references().is_empty() && Rule::ConstantCondition.holds() {
            let detail = "The condition refers to nothing, so it always has the same result.";
            self.report(condition.error(format!("Invalid {type_name} expression"), detail));
            if type_name != "validation" {
                return None;
            }
        }
        // A validation without a message is kept, so that its condition is checked. The substitute is never evaluated,
        // since the missing message is an error.
        let substitute = || (type_name == "validation").then(|| condition.clone());
        let error_message = error_message.or_else(substitute)?;
        Some(Condition { condition, error_message })
    }

    pub(super) fn check(&mut self, block: &RawBlock) {
        let name = block.label().to_owned();
        if self.part == Part::Override {
            let detail = "Override files cannot override \"check\" blocks.";
            return self.report(block.error("Can't override check blocks", detail));
        }
        let content = self.content(block, &CHECK);
        self.check_name(block, 0, "Invalid check block name");
        let asserts = self.conditions(&content, "assert");
        if asserts.is_empty() && Rule::ZeroAsserts.holds() {
            let detail = "Check blocks must have at least one assert block.";
            self.report(block.error("Zero assert blocks", detail));
        }
        let mut data = None;
        for nested in content.blocks.iter().filter(|nested| nested.type_name == "data") {
            if data.is_some() && Rule::OneDataOfCheck.holds() {
                let detail = "A check block can have at most one data block.";
                self.report(nested.error("Multiple data resource blocks", detail));
            } else {
                data = Some(Arc::new(self.check_data(nested)));
            }
        }
        let subject = block.subject.clone();
        self.module.checks.push(Check { name, data, asserts, subject });
    }
}
