//! No rule is without a case in `sdk/tests/ui`: compared as texts, so that nothing is compiled for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::DeriveInput;

use crate::ctxt::Ctxt;
use crate::options::{OptionName, OptionValue, Scope};
use crate::{ast, check, identity};

/// A mistake in a case, as the author of a provider sees it.
struct Shown {
    message: String,
    /// The line of the source that is blamed.
    line: String,
}

impl Shown {
    fn is_about(&self, options: &[&str]) -> bool {
        let line: Vec<&str> =
            self.line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        // A mistake in the type is blamed on the type, which stands on a line of its own.
        !self.line.contains("#[") || options.iter().all(|option| line.contains(option))
    }
}

/// The types that a field is tried with: those that a rule tells apart.
const TYPES: &[&str] = &[
    "u8",
    "Option<u8>",
    "WriteOnly<u8>",
    "WriteOnly<Option<u8>>",
    "Inner",
    "Option<Inner>",
    "Vec<Inner>",
    "BTreeMap<String, Inner>",
    "Option<Timeouts>",
];

/// The way to write a word, without a mistake in its value.
fn written(option: OptionName) -> Vec<String> {
    let text = option.text().to_owned();
    match option.takes() {
        // Their examples are names that no case has.
        _ if option == OptionName::Name => vec!["name = \"label\"".to_owned()],
        _ if option == OptionName::Format => vec!["format = \"{field}\"".to_owned()],
        OptionValue::None => vec![text],
        OptionValue::Required(example) => vec![example.to_owned()],
        OptionValue::Optional(example) => vec![text, example.to_owned()],
    }
}

fn options(scope: Scope) -> Vec<(OptionName, String)> {
    let all = OptionName::ALL.iter().filter(|option| option.scopes().contains(&scope));
    all.flat_map(|option| written(*option).into_iter().map(|text| (*option, text))).collect()
}

/// What the derive says about the source of a model.
fn mistakes(source: &str) -> BTreeSet<String> {
    let input: DeriveInput = syn::parse_str(source).expect(source);
    let cx = Ctxt::new();
    if let Some(model) = ast::Model::parse(&cx, &input) {
        check::model(&cx, &model);
        identity::check_model(&cx, &model);
    }
    cx.messages().into_iter().collect()
}

fn mistakes_of_field(options: &str, ty: &str) -> BTreeSet<String> {
    mistakes(&format!("struct Thing {{ size: u8, zone: u8, #[attr({options})] field: {ty} }}"))
}

#[test]
fn each_word_of_a_field_has_a_case_with_each_illegal_partner() {
    let (shown, options) = (shown(), options(Scope::Field));
    let mut missing = BTreeSet::new();
    let mut need = |message: &str, options: &[&str]| {
        if !shown.iter().any(|it| it.message == message && it.is_about(options)) {
            missing.insert(format!("{}: {message}", options.join(", ")));
        }
    };
    for ty in TYPES {
        let alone: Vec<_> = options.iter().map(|(_, text)| mistakes_of_field(text, ty)).collect();
        for (at, (option, text)) in options.iter().enumerate() {
            alone[at].iter().for_each(|message| need(message, &[option.text()]));
            for (other_at, (other, other_text)) in options.iter().enumerate().skip(at + 1) {
                if other == option {
                    continue;
                }
                let both = mistakes_of_field(&format!("{text}, {other_text}"), ty);
                let new = both.iter().filter(|it| !alone[at].contains(*it) && !alone[other_at].contains(*it));
                new.for_each(|message| need(message, &[option.text(), other.text()]));
            }
        }
    }
    assert_none(&missing);
}

#[test]
fn each_word_of_a_struct_has_a_case_with_each_illegal_partner() {
    let shown = shown();
    let of =
        |scope| options(scope).into_iter().map(|(_, text)| text).chain([String::new()]).collect::<Vec<_>>();
    let (models, identities, fields) = (of(Scope::Model), of(Scope::Identity), of(Scope::Field));
    let mut missing = BTreeSet::new();
    let mut look = |model: &str, identity: &str, field: &str| {
        let found = mistakes(&format!(
            "#[model({model})] #[identity({identity})] struct Thing {{ size: u8, zone: u8, #[attr({field})] field: u8 }}"
        ));
        let known = mistakes_of_field(field, "u8");
        let new = found.into_iter().filter(|message| !known.contains(message));
        missing.extend(new.filter(|message| !shown.iter().any(|it| it.message == *message)));
    };
    for (at, model) in models.iter().enumerate() {
        fields.iter().for_each(|field| look(model, "", field));
        for identity in &identities {
            look(model, identity, "");
            look(model, identity, "identity");
        }
        models.iter().skip(at + 1).for_each(|other| look(&format!("{model}, {other}"), "", ""));
    }
    assert_none(&missing);
}

/// Texts that are no messages.
const NO_MESSAGES: &[&str] = &[
    "forgot to look at the collected errors",
    // What is documented of the views.
    "Configuration or plan of [`{of}`].",
    "Plan of [`{of}`] at apply.",
    "Stored state of [`{of}`].",
    "The identity of [`{ident}`].",
    "{phase} of [`{ident}`].",
    "Which attributes of [`{of}`] a plan changes.",
    "Each attribute that is unknown, at its path.",
    "Each attribute that the model needs and that is null or unknown, at its path.",
    "Each attribute that the model needs and that is null, at its path.",
    "The object that the service returned; what it does not return is as planned.",
    "The object that the service returned; what it does not return is as stored.",
];

#[test]
fn each_message_has_a_case() {
    let shown = shown();
    let mut missing = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the sources").map(|entry| entry.expect("a file").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|it| it == "rs") && !entry.ends_with("cases.rs") {
                let source = fs::read_to_string(&entry).expect("a source");
                let mut texts = Vec::new();
                collect(source.parse().expect("Rust"), &mut texts);
                let messages = texts.into_iter().filter(|it| is_message(it));
                missing
                    .extend(messages.filter(|text| !shown.iter().any(|it| is_made_from(&it.message, text))));
            }
        }
    }
    assert_none(&missing);
}

fn assert_none(missing: &BTreeSet<String>) {
    let list: Vec<&str> = missing.iter().map(String::as_str).collect();
    assert!(list.is_empty(), "no case in `sdk/tests/ui` shows:\n{}", list.join("\n"));
}

fn is_message(text: &str) -> bool {
    let is_example = OptionName::ALL
        .iter()
        .any(|option| matches!(option.takes(), OptionValue::Required(it) if it == text));
    text.split(' ').count() > 2 && !is_example && !NO_MESSAGES.contains(&text)
}

/// Whether a message is what a format string makes of some arguments.
fn is_made_from(message: &str, format: &str) -> bool {
    let mut rest = message;
    pieces(format).iter().all(|piece| match rest.find(piece.as_str()) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// The texts between the arguments of a format string.
fn pieces(format: &str) -> Vec<String> {
    let plain = format.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut pieces = Vec::new();
    for (at, part) in plain.split('{').enumerate() {
        let text = if at == 0 { part } else { part.split_once('}').map_or(part, |(_, text)| text) };
        pieces.push(text.replace('\u{1}', "{").replace('\u{2}', "}"));
    }
    pieces
}

/// The texts in the code, without comments and tests.
fn collect(tokens: TokenStream, texts: &mut Vec<String>) {
    let mut before = [String::new(), String::new()];
    for token in tokens {
        let text = token.to_string();
        match token {
            TokenTree::Group(group) => {
                let is_annotation =
                    group.delimiter() == Delimiter::Bracket && (before[1] == "#" || before == ["#", "!"]);
                let is_test = before == ["mod", "tests"];
                if !is_annotation && !is_test {
                    collect(group.stream(), texts);
                }
            }
            TokenTree::Literal(literal) => {
                if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                    texts.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        before.rotate_left(1);
        before[1] = text;
    }
}

/// All mistakes in all cases.
fn shown() -> Vec<Shown> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/tests/ui");
    let folders = fs::read_dir(root).expect("the cases").map(|kind| kind.expect("a folder").path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("cases"));
    let expected = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|it| it == "stderr"));
    expected.flat_map(|path| read(&fs::read_to_string(path).expect("a text"))).collect()
}

fn read(expected: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in expected.lines() {
        if let Some(message) = line.strip_prefix("error: ") {
            all.push(Shown { message: message.to_owned(), line: String::new() });
        } else if let Some((number, source)) = line.split_once(" | ")
            && let Some(last) = all.last_mut()
            && last.line.is_empty()
            && number.trim().parse::<u32>().is_ok()
        {
            last.line = source.to_owned();
        }
    }
    all
}
