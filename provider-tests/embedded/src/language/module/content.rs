//! What a body holds by what may be in it.

use std::collections::{BTreeMap, HashSet};

use super::json::{Json, Node, Property};
use super::syntax::{Argument, Block, Body, Heading, SourceExpr};
use super::translate::{literal, translate};
use crate::language::rule::Rule;
use crate::language::{Diagnostic, SourceFile, Span, Subject};

/// The arguments that core reads without evaluating them: in JSON their strings are no templates.
const LITERAL: [&str; 15] = [
    "alias",
    "const",
    "create_before_destroy",
    "default",
    "depends_on",
    "deprecated",
    "description",
    "destroy",
    "ephemeral",
    "from",
    "nullable",
    "prevent_destroy",
    "required_version",
    "sensitive",
    "to",
];

/// What may be in a body.
pub(super) struct Spec {
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
    /// Block types with the names of their labels.
    pub(super) blocks: &'static [(&'static str, &'static [&'static str])],
    pub(super) others: Others,
}

/// What becomes of things that are not named in a [`Spec`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// They are errors.
    Refused,
    /// They are kept.
    Kept,
    /// They are for others to look at.
    Ignored,
}

/// How the value of an argument in JSON is read.
pub(super) type Read = fn(&Node, &SourceFile) -> Result<SourceExpr, Diagnostic>;

/// A body that has not been looked at yet.
#[derive(Debug, Clone)]
pub(super) enum RawBody {
    /// In the native syntax.
    Native { body: Body, end: Subject },
    /// Properties of an object: which of them are blocks is for the reader to say.
    Json { properties: Vec<Property>, file: SourceFile, subject: Subject },
}

/// A block whose body has not been looked at yet.
#[derive(Debug, Clone)]
pub(super) struct RawBlock {
    pub(super) type_name: String,
    pub(super) labels: Vec<String>,
    pub(super) body: RawBody,
    pub(super) subject: Subject,
    pub(super) heading: Heading,
}

/// A body sorted by a [`Spec`].
#[derive(Debug)]
pub(super) struct Content {
    pub(super) arguments: BTreeMap<String, SourceExpr>,
    pub(super) blocks: Vec<RawBlock>,
    /// The names of arguments that are there and cannot be read.
    unreadable: Vec<String>,
    /// What the spec does not name.
    pub(super) rest: Body,
    pub(super) subject: Subject,
}

impl Content {
    pub(super) fn take(&mut self, name: &str) -> Option<SourceExpr> {
        self.arguments.remove(name)
    }
}

impl RawBlock {
    pub(super) fn error(&self, summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic::error(summary, detail).on(&self.subject)
    }

    /// An error about a label; about the whole heading if there is no such label.
    pub(super) fn label_error(
        &self,
        at: usize,
        summary: impl Into<String>,
        detail: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(summary, detail).on(self.label_subject(at))
    }

    /// Where a label stands, or else the whole heading.
    pub(super) fn label_subject(&self, at: usize) -> Subject {
        let span = self.heading.labels.get(at).copied().unwrap_or(self.subject.span);
        Subject { span, ..self.subject.clone() }
    }

    /// Where its type stands.
    pub(super) fn type_place(&self) -> Subject {
        Subject { span: self.heading.type_name, ..self.subject.clone() }
    }

    /// Where it is told of what the block lacks.
    pub(super) fn brace(&self) -> Subject {
        Subject { span: self.heading.brace, ..self.subject.clone() }
    }

    /// The only label, of blocks that the reader has given exactly one.
    pub(super) fn label(&self) -> &str {
        self.labels.first().map(String::as_str).unwrap_or_default()
    }

    /// Everything in it as arguments and blocks.
    pub(super) fn all(&self, problems: &mut Vec<Diagnostic>) -> Body {
        Body { brace: Some(self.brace()), ..self.body.all(problems) }
    }

    pub(super) fn content(&self, spec: &Spec, problems: &mut Vec<Diagnostic>) -> Content {
        let mut content = self.body.content(spec, problems);
        content.subject = self.subject.clone();
        content.rest.brace = Some(self.brace());
        content
    }
}

impl RawBody {
    /// Everything as arguments and blocks.
    pub(super) fn all(&self, problems: &mut Vec<Diagnostic>) -> Body {
        self.content(&Spec::ANYTHING, problems).rest
    }

    pub(super) fn content(&self, spec: &Spec, problems: &mut Vec<Diagnostic>) -> Content {
        let content = match self {
            Self::Native { body, end } => native(body, end, spec, problems),
            Self::Json { properties, file, subject } => {
                let mut sorter = Sorter { spec, file, problems, content: Content::new(subject) };
                properties.iter().for_each(|property| sorter.property(property));
                sorter.content
            }
        };
        let is_there = |name: &str| {
            content.arguments.contains_key(name) || content.unreadable.iter().any(|it| it == name)
        };
        let is_missing = |name: &&&str| !is_there(name) && Rule::RequiredArgument.holds();
        for name in spec.required.iter().filter(is_missing) {
            let detail = format!("The argument {name:?} is required, but no definition was found.");
            let subject = self.subject().clone();
            problems.push(Diagnostic::error("Missing required argument", detail).on(subject));
        }
        content
    }

    /// The arguments of a body that can have nothing else. In JSON, `read` decides what their values stand for.
    pub(super) fn attributes(&self, read: Read, problems: &mut Vec<Diagnostic>) -> Vec<Argument> {
        let (properties, file) = match self {
            Self::Native { body, .. } => {
                if let Some(block) = body.blocks.first() {
                    let summary = format!("Unexpected {:?} block", block.type_name);
                    let error =
                        Diagnostic::error(summary, "Only arguments can be written here, and no blocks.");
                    problems.push(error.on(block.type_place()));
                }
                return body.arguments.clone();
            }
            Self::Json { properties, file, .. } => (properties, file),
        };
        let (mut found, mut names) = (Vec::new(), HashSet::new());
        for Property { name, name_span, value } in properties.iter().filter(|it| it.name != "//") {
            if !names.insert(name) {
                let detail = format!("The argument {name:?} was already set.");
                let error = Diagnostic::error("Duplicate attribute definition", detail);
                problems.push(error.at(file, *name_span));
                continue;
            }
            match read(value, file) {
                Ok(value) => {
                    found.push(Argument { name: name.clone(), value: value.of_argument(*name_span) });
                }
                Err(problem) => problems.push(problem),
            }
        }
        found
    }

    /// Where it is told of what the body lacks.
    fn subject(&self) -> &Subject {
        match self {
            Self::Native { end: subject, .. } | Self::Json { subject, .. } => subject,
        }
    }

    /// Where the name of an argument stands.
    pub(super) fn name_of(&self, argument: &str) -> Option<Subject> {
        match self {
            Self::Native { body, .. } => body.argument(argument).map(SourceExpr::name),
            Self::Json { properties, file, .. } => {
                let property = properties.iter().find(|property| property.name == argument)?;
                Some(Subject { source: file.clone(), span: property.name_span })
            }
        }
    }
}

impl Content {
    fn new(subject: &Subject) -> Self {
        Self {
            arguments: BTreeMap::new(),
            blocks: Vec::new(),
            unreadable: Vec::new(),
            rest: Body::default(),
            subject: subject.clone(),
        }
    }
}

impl Spec {
    /// Nothing is expected, and nothing else is allowed.
    pub(super) const NOTHING: Self =
        Self { required: &[], optional: &[], blocks: &[], others: Others::Refused };

    /// Nothing is expected, and all is kept.
    pub(super) const ANYTHING: Self =
        Self { required: &[], optional: &[], blocks: &[], others: Others::Kept };

    fn argument(&self, name: &str) -> bool {
        self.required.contains(&name) || self.optional.contains(&name)
    }

    fn labels(&self, type_name: &str) -> Option<&'static [&'static str]> {
        self.blocks.iter().find(|(known, _)| *known == type_name).map(|(_, labels)| *labels)
    }
}

fn native(body: &Body, subject: &Subject, spec: &Spec, problems: &mut Vec<Diagnostic>) -> Content {
    let mut content = Content::new(subject);
    for Argument { name, value } in &body.arguments {
        if spec.argument(name) {
            content.arguments.insert(name.clone(), value.clone());
        } else if spec.others == Others::Ignored {
            // A block that is overridden keeps nothing of what is unknown.
        } else if spec.others == Others::Kept {
            content.rest.arguments.push(Argument { name: name.clone(), value: value.clone() });
        } else if spec.labels(name).is_some() || Rule::UnknownArgument.holds() {
            problems.push(unsupported_argument(name, value, spec.labels(name).is_some()));
        }
    }
    for block in &body.blocks {
        match spec.labels(&block.type_name) {
            Some(labels) => match wrong_labels(block, labels) {
                None => content.blocks.push(block.clone().into()),
                Some(problem) => problems.push(problem),
            },
            None if spec.others == Others::Kept => content.rest.blocks.push(block.clone()),
            None if spec.others == Others::Ignored || !Rule::UnknownBlock.holds() => {}
            None => {
                let detail = format!("Blocks of type {:?} are not expected here.", block.type_name);
                problems.push(about(block, block.heading.type_name, ("Unsupported block type", detail)));
            }
        }
    }
    content
}

/// An error about an argument that is not expected, perhaps because it is meant to be a block.
pub(crate) fn unsupported_argument(name: &str, value: &SourceExpr, is_block: bool) -> Diagnostic {
    let hint =
        if is_block { format!(" Did you mean to define a block of type {name:?}?") } else { String::new() };
    let detail = format!("An argument named {name:?} is not expected here.{hint}");
    let summary = if value.is_json() { "Extraneous JSON object property" } else { "Unsupported argument" };
    value.name_error(summary, detail)
}

/// An error about a part of the heading of a block.
fn about(block: &Block, span: Span, (summary, detail): (impl Into<String>, String)) -> Diagnostic {
    let subject = Subject { span, ..block.subject.clone() };
    Diagnostic::error(summary, detail).on(subject)
}

fn wrong_labels(block: &Block, labels: &[&str]) -> Option<Diagnostic> {
    let type_name = &block.type_name;
    let expected = match labels {
        [] => format!("No labels are expected for {type_name} blocks."),
        labels => {
            format!("All {type_name} blocks must have {} labels ({}).", labels.len(), labels.join(", "))
        }
    };
    if let Some(missing) = labels.get(block.labels.len()).filter(|_| Rule::MissingLabel.holds()) {
        let summary = format!("Missing {missing} for {type_name}");
        return Some(about(block, block.heading.brace, (summary, expected)));
    }
    let surplus = block.heading.labels.get(labels.len()).filter(|_| Rule::ExtraneousLabel.holds());
    surplus.map(|span| about(block, *span, (format!("Extraneous label for {type_name}"), expected)))
}

/// Sorts the properties of a JSON object.
struct Sorter<'a> {
    spec: &'a Spec,
    file: &'a SourceFile,
    problems: &'a mut Vec<Diagnostic>,
    content: Content,
}

impl Sorter<'_> {
    fn report(&mut self, property: &Property, summary: &str, detail: String) {
        self.report_at(property.name_span, summary, detail);
    }

    fn report_at(&mut self, span: Span, summary: &str, detail: String) {
        self.problems.push(Diagnostic::error(summary, detail).at(self.file, span));
    }

    fn property(&mut self, property: &Property) {
        let name = property.name.as_str();
        if name == "//" {
            return;
        }
        if let Some(labels) = self.spec.labels(name) {
            let opening =
                Opening { type_name: (name, property.name_span), wanted: labels, given: Vec::new() };
            return self.blocks(&property.value, &opening);
        }
        let known = self.spec.argument(name);
        if !known && self.spec.others == Others::Ignored {
            return;
        }
        if !known && self.spec.others == Others::Refused {
            let detail = format!("No argument or block type is named {name:?}.");
            return self.report(property, "Extraneous JSON object property", detail);
        }
        let read = if known && LITERAL.contains(&name) { literal } else { translate };
        let value = match read(&property.value, self.file) {
            Ok(value) => value.of_argument(property.name_span),
            Err(problem) => {
                self.content.unreadable.push(name.to_owned());
                return self.problems.push(problem);
            }
        };
        if !known {
            // Whether it may be there twice, as blocks may, the schema says.
            self.content.rest.arguments.push(Argument { name: name.to_owned(), value });
        } else if self.content.arguments.contains_key(name) {
            let detail = format!("The argument {name:?} was already set.");
            self.report(property, "Duplicate argument", detail);
        } else {
            self.content.arguments.insert(name.to_owned(), value);
        }
    }

    /// The blocks of a type: an object per label, and below them an object for one block or an array for several.
    fn blocks(&mut self, node: &Node, opening: &Opening<'_>) {
        let (Some(label), rest) = (opening.wanted.first(), opening.wanted.get(1..).unwrap_or_default())
        else {
            return self.unlabelled(node, opening);
        };
        let mut found = false;
        for element in node.elements() {
            let Json::Object(properties) = &element.value else {
                // A null is no block, but it is no list of blocks either.
                if node.value != Json::Null {
                    let detail =
                        format!("A JSON object is required here, whose keys give the {label} of blocks.");
                    self.report_at(element.beginning(), "Incorrect JSON value type", detail);
                }
                continue;
            };
            for inner in properties {
                found = true;
                let mut given = opening.given.clone();
                given.push((inner.name.clone(), inner.name_span));
                let opening = Opening { type_name: opening.type_name, wanted: rest, given };
                self.blocks(&inner.value, &opening);
            }
        }
        if !found {
            let detail =
                format!("At least one object property is required here, whose name gives the {label}.");
            self.report_at(node.beginning(), "Missing block label", detail);
        }
    }

    fn unlabelled(&mut self, node: &Node, opening: &Opening<'_>) {
        if node.value == Json::Null {
            return;
        }
        // Blocks in an array all begin where it does.
        let beginning = node.beginning();
        for element in node.elements() {
            let Some((properties, brace)) = self.body(element, opening.type_name.0 != "locals") else {
                continue;
            };
            let (labels, spans) = opening.given.iter().cloned().unzip();
            let subject = |span: Span| Subject { source: self.file.clone(), span };
            self.content.blocks.push(RawBlock {
                type_name: opening.type_name.0.to_owned(),
                labels,
                body: RawBody::Json { properties, file: self.file.clone(), subject: subject(brace) },
                subject: subject(beginning),
                heading: Heading { type_name: opening.type_name.1, labels: spans, brace },
            });
        }
    }

    /// The properties of a body, and where what it lacks is reported. But for local values a body may be in parts: an array of
    /// objects (observed on Terraform 1.15.5).
    fn body(&mut self, node: &Node, may_be_in_parts: bool) -> Option<(Vec<Property>, Span)> {
        let end = node.span.end;
        let brace = Span { start: end.saturating_sub(1), end };
        let (parts, place) = match &node.value {
            Json::Array(parts) if may_be_in_parts => (parts.as_slice(), node.beginning()),
            _ => (std::slice::from_ref(node), brace),
        };
        let mut properties = Vec::new();
        let mut is_complete = true;
        for part in parts {
            match &part.value {
                Json::Object(own) => properties.extend(own.iter().cloned()),
                _ => {
                    let detail =
                        "Either a JSON object or a JSON array of objects is required here, to define blocks.";
                    self.report_at(part.beginning(), "Incorrect JSON value type", detail.to_owned());
                    is_complete = false;
                }
            }
        }
        is_complete.then_some((properties, place))
    }
}

/// How far the labels of a block were read.
struct Opening<'a> {
    /// The type of the blocks, and where it stands.
    type_name: (&'a str, Span),
    wanted: &'static [&'static str],
    /// The labels, and where they stand.
    given: Vec<(String, Span)>,
}

/// The body of a JSON file: an object, or an array of objects that are taken together.
pub(super) fn json_file(node: &Node, file: &SourceFile) -> Result<RawBody, Diagnostic> {
    let wrong = |node: &Node| {
        let detail = "A JSON object is required here, to define arguments and blocks.";
        Diagnostic::error("Incorrect JSON value type", detail).at(file, node.span)
    };
    let mut properties = Vec::new();
    let objects: Vec<&Node> = match &node.value {
        Json::Array(elements) => elements.iter().collect(),
        _ => vec![node],
    };
    for object in objects {
        match &object.value {
            Json::Object(inner) => properties.extend(inner.iter().cloned()),
            _ => return Err(wrong(object)),
        }
    }
    let subject = Subject { source: file.clone(), span: node.span };
    Ok(RawBody::Json { properties, file: file.clone(), subject })
}
