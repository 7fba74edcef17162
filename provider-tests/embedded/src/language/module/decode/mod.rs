//! From bodies to what they declare, block by block.

mod action;
mod list;
mod refactor;
mod resource;
mod settings;
mod values;

use super::content::{Content, Others, RawBlock, RawBody, Spec};
use super::model::Module;
use super::statics::Statics;
use super::syntax::SourceExpr;
use crate::language::rule::Rule;
use crate::language::{Diagnostic, Span, Subject};

pub(super) use refactor::RESERVED;
pub(super) use settings::{assumed, default_address};

/// Whether a file overrides what the others declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It declares.
    Primary,
    /// It changes what is declared.
    Override,
}

/// Reads one file into what it declares.
pub(super) fn file(body: &RawBody, part: Part, problems: &mut Vec<Diagnostic>) -> Module {
    // Core looks for settings of the language twice before it reads the file.
    for _ in 0..2 {
        body.content(&SETTINGS, problems);
    }
    whole(body, part, &FILE, problems)
}

/// Reads one file of queries.
pub(super) fn queries(body: &RawBody, problems: &mut Vec<Diagnostic>) -> Module {
    whole(body, Part::Primary, &QUERIES, problems)
}

fn whole(body: &RawBody, part: Part, spec: &Spec, problems: &mut Vec<Diagnostic>) -> Module {
    let mut decoder = Decoder { module: Module::default(), part, problems };
    let content = body.content(spec, decoder.problems);
    for block in &content.blocks {
        decoder.block(block);
    }
    decoder.module
}

const FILE: Spec = Spec {
    blocks: &[
        ("terraform", &[]),
        ("provider", &["name"]),
        ("variable", &["name"]),
        ("locals", &[]),
        ("output", &["name"]),
        ("module", &["name"]),
        ("resource", &["type", "name"]),
        ("data", &["type", "name"]),
        ("ephemeral", &["type", "name"]),
        ("action", &["type", "name"]),
        ("moved", &[]),
        ("removed", &[]),
        ("import", &[]),
        ("check", &["name"]),
    ],
    ..Spec::NOTHING
};

const SETTINGS: Spec = Spec { blocks: &[("terraform", &[])], others: Others::Ignored, ..Spec::NOTHING };

const QUERIES: Spec = Spec {
    blocks: &[("provider", &["name"]), ("variable", &["name"]), ("locals", &[]), ("list", &["type", "name"])],
    ..Spec::NOTHING
};

struct Decoder<'a> {
    module: Module,
    part: Part,
    problems: &'a mut Vec<Diagnostic>,
}

impl Decoder<'_> {
    fn block(&mut self, block: &RawBlock) {
        match block.type_name.as_str() {
            "terraform" => self.terraform(block),
            "provider" => self.provider(block),
            "variable" => self.variable(block),
            "locals" => self.locals(block),
            "output" => self.output(block),
            "module" => self.call(block),
            "resource" => self.managed(block),
            "data" => self.data(block),
            "ephemeral" => self.ephemeral(block),
            "action" => self.action(block),
            "list" => self.list(block),
            "moved" => self.moved(block),
            "removed" => self.removed(block),
            "import" => self.import(block),
            "check" => self.check(block),
            _ => {}
        }
    }

    fn statics(&mut self) -> Statics<'_> {
        Statics(self.problems)
    }

    fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Reports what a declaration is given up for.
    fn refuse<T>(&mut self, problem: Diagnostic) -> Option<T> {
        self.report(problem);
        None
    }

    /// The content of a block. In an override nothing is required.
    fn content(&mut self, block: &RawBlock, spec: &Spec) -> Content {
        let mut found = Vec::new();
        let content = block.content(spec, &mut found);
        let lenient = self.part == Part::Override;
        self.problems.extend(
            found.into_iter().filter(|problem| !(lenient && problem.summary == "Missing required argument")),
        );
        content
    }

    fn bool(&mut self, content: &mut Content, name: &str) -> Option<bool> {
        let expr = content.take(name)?;
        self.statics().bool(&expr)
    }

    fn string(&mut self, content: &mut Content, name: &str) -> Option<String> {
        let expr = content.take(name)?;
        self.statics().string(&expr)
    }

    /// Reports a name that no provider can have as its local name.
    fn check_provider_name(&mut self, name: &str, subject: &Subject) -> bool {
        let is_fine = is_provider_name(name) || !Rule::Name.holds();
        if !is_fine {
            let detail = format!(
                "{name:?} is not a local name of a provider. Write lower-case letters, digits, and dashes between them."
            );
            self.report(Diagnostic::error("Invalid provider local name", detail).on(subject));
        }
        is_fine
    }

    /// Reports a label that is no identifier.
    fn check_name(&mut self, block: &RawBlock, label: usize, summary: &str) {
        let name = block.labels.get(label).map(String::as_str).unwrap_or_default();
        if !is_identifier(name) && Rule::Name.holds() {
            self.report(block.label_error(label, summary, BAD_NAME));
        }
    }
}

const BAD_NAME: &str = "A name must start with a letter or underscore and may contain only letters, digits, \
                        underscores, and dashes.";

/// Where the first name of a reference stands.
fn first_name(expr: &SourceExpr, name: &str) -> Subject {
    let Subject { source, span } = expr.subject().clone();
    Subject { source, span: Span { end: span.end.min(span.start + name.len()), ..span } }
}

/// Whether a provider can have that local name: words of lower-case letters and digits, with a dash between two.
fn is_provider_name(text: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|it| it.is_alphanumeric() && !it.is_uppercase());
    text.split('-').all(is_word)
}

/// Whether the language takes the text for a name.
pub(super) fn is_identifier(text: &str) -> bool {
    hcl_edit::Ident::try_new(text).is_ok()
}

/// An error about something that only a real core does.
pub(super) fn needs_real_core(what: &str) -> Diagnostic {
    let detail = format!(
        "The embedded core does not support {what}: this configuration needs a real core, Terraform or OpenTofu."
    );
    Diagnostic::error(NEEDS_REAL_CORE, detail)
}

pub(super) const NEEDS_REAL_CORE: &str = "Needs a real core";
