//! The syntax tree of a scenario: what can be printed in both syntaxes and left out part by part.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

pub(crate) use crate::generated::{Expr, Piece};

/// An argument or a block.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// An expression that is evaluated.
    Argument(&'static str, Expr),
    /// A reference, a list of references, a type: JSON has these without interpolation.
    Static(&'static str, String),
    Block(Block),
}

#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) kind: &'static str,
    pub(crate) labels: Vec<String>,
    pub(crate) items: Vec<Item>,
}

impl Block {
    pub(crate) fn new(kind: &'static str, labels: &[&str], items: Vec<Item>) -> Self {
        Self { kind, labels: labels.iter().map(|label| (*label).to_owned()).collect(), items }
    }

    /// The block with a part left out or simpler.
    fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let mut without = self.clone();
            without.items.remove(at);
            found.push(without);
            let parts: Vec<Item> = match item {
                Item::Argument(name, expr) => {
                    expr.simpler().into_iter().map(|expr| Item::Argument(name, expr)).collect()
                }
                Item::Static(..) => Vec::new(),
                Item::Block(block) => block.smaller().into_iter().map(Item::Block).collect(),
            };
            found.extend(parts.into_iter().map(|part| {
                let mut whole = self.clone();
                whole.items[at] = part;
                whole
            }));
        }
        found
    }

    fn write(&self, indent: usize, text: &mut String) {
        let pad = "  ".repeat(indent);
        let labels: String = self.labels.iter().map(|label| format!(" {label:?}")).collect();
        let _ = writeln!(text, "{pad}{}{labels} {{", self.kind);
        for item in &self.items {
            let _ = match item {
                Item::Argument(name, expr) => writeln!(text, "{pad}  {name} = {expr}"),
                Item::Static(name, value) => writeln!(text, "{pad}  {name} = {value}"),
                Item::Block(block) => {
                    block.write(indent + 1, text);
                    Ok(())
                }
            };
        }
        let _ = writeln!(text, "{pad}}}");
    }

    fn json(&self) -> Json {
        let mut body = Map::new();
        for item in &self.items {
            match item {
                Item::Argument(name, expr) => insert(&mut body, name, format!("${{{expr}}}").into()),
                Item::Static(name, value) => {
                    let list = || value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
                    let value = serde_json::from_str(value).unwrap_or_else(|_| match list() {
                        Some(list) => list.split(", ").map(Json::from).collect(),
                        None => value.as_str().into(),
                    });
                    insert(&mut body, name, value);
                }
                Item::Block(block) => insert(&mut body, block.kind, block.json()),
            }
        }
        self.labels
            .iter()
            .rev()
            .fold(body.into(), |inner, label| Json::Object([(label.clone(), inner)].into_iter().collect()))
    }
}

/// Several blocks of a type are a list.
fn insert(body: &mut Map<String, Json>, name: &str, value: Json) {
    match body.get_mut(name) {
        None => drop(body.insert(name.to_owned(), value)),
        Some(Json::Array(all)) => all.push(value),
        Some(one) => *one = Json::Array(vec![one.take(), value]),
    }
}

/// A file: its path without `.json`, whether it is in JSON syntax, and its blocks.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) json: bool,
    pub(crate) blocks: Vec<Block>,
}

impl File {
    fn print(&self) -> (String, String) {
        if !self.json {
            let mut text = String::new();
            self.blocks.iter().for_each(|block| block.write(0, &mut text));
            return (self.path.clone(), text);
        }
        let mut body = Map::new();
        self.blocks.iter().for_each(|block| insert(&mut body, block.kind, block.json()));
        (format!("{}.json", self.path), format!("{:#}\n", Json::Object(body)))
    }

    fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut without = self.clone();
            without.blocks.remove(at);
            found.push(without);
            found.extend(block.smaller().into_iter().map(|block| {
                let mut whole = self.clone();
                whole.blocks[at] = block;
                whole
            }));
        }
        if self.json {
            found.push(Self { json: false, ..self.clone() });
        }
        found
    }
}

/// A step: its heading in the corpus, its files and arguments. The first file is that of the root module.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) heading: &'static str,
    pub(crate) files: Vec<File>,
    pub(crate) arguments: Vec<String>,
}

/// Steps from one state.
#[derive(Debug, Clone)]
pub(crate) struct Scenario(pub(crate) Vec<Step>);

impl Scenario {
    /// The text as the corpus has it.
    pub(crate) fn text(&self, name: &str) -> String {
        let mut text = String::new();
        for (at, step) in self.0.iter().enumerate() {
            let heading = if at == 0 { name } else { step.heading };
            let _ = writeln!(text, "\n### {heading}");
            for file in &step.files {
                let (path, content) = file.print();
                let _ = match path.as_str() {
                    "main.tf" => write!(text, "{content}"),
                    path => write!(text, "--- {path}\n{content}"),
                };
            }
            if !step.arguments.is_empty() {
                let _ = writeln!(text, "--- arguments\n{}", step.arguments.join("\n"));
            }
        }
        text
    }

    /// The same with something left out or simpler, what leaves out most first.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for at in 0..self.0.len() {
            let with = |step: Step| {
                let mut whole = self.clone();
                whole.0[at] = step;
                whole
            };
            if self.0.len() > 1 {
                let mut without = self.clone();
                without.0.remove(at);
                found.push(without);
            }
            let step = &self.0[at];
            for file in 0..step.files.len() {
                let mut without = step.clone();
                if file > 0 {
                    without.files.remove(file);
                    found.push(with(without.clone()));
                }
                found.extend(step.files[file].smaller().into_iter().map(|smaller| {
                    let mut step = step.clone();
                    step.files[file] = smaller;
                    with(step)
                }));
            }
            for argument in 0..step.arguments.len() {
                let mut without = step.clone();
                without.arguments.remove(argument);
                found.push(with(without));
            }
        }
        found.sort_by_cached_key(|scenario| scenario.text("").len());
        found
    }
}

impl Expr {
    /// The template with each `@` replaced by the next of the inner expressions.
    pub(crate) fn of(template: &str, inner: impl IntoIterator<Item = Self>) -> Self {
        let mut pieces = Vec::new();
        let mut texts = template.split('@');
        pieces.extend(texts.next().map(|text| Piece::Text(text.to_owned())));
        for (text, inner) in texts.zip(inner) {
            pieces.extend([Piece::Inner(inner), Piece::Text(text.to_owned())]);
        }
        Self(pieces)
    }

    fn rename(&mut self, from: &str, to: &str) {
        for piece in &mut self.0 {
            match piece {
                Piece::Text(text) => *text = text.replace(from, to),
                Piece::Inner(inner) => inner.rename(from, to),
            }
        }
    }
}

impl Block {
    /// Refers to something by another name.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        for item in &mut self.items {
            match item {
                Item::Argument(_, expr) => expr.rename(from, to),
                Item::Static(_, text) => *text = text.replace(from, to),
                Item::Block(block) => block.rename(from, to),
            }
        }
    }
}
