//! The part of a scenario that needs a provider (`provider.rs`): nested blocks and attributes, `dynamic` blocks, data
//! sources, ephemeral resources, actions and functions, and changes of what is in child modules.

use super::generate::{Generator, Module, Named, Type};
use super::syntax::{Block, Expr, File, Item, Step};

/// A kind of nested block: its name, attributes and blocks.
struct Nested {
    name: &'static str,
    attributes: &'static [(&'static str, Value)],
    blocks: &'static [Nested],
    form: Form,
}

/// How many blocks there can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    One,
    Several,
    /// By their labels.
    Labelled,
}

/// What an attribute takes.
#[derive(Clone, Copy)]
enum Value {
    Of(Type),
    /// Any type.
    Any,
    /// Also what is ephemeral.
    WriteOnly,
    /// A map of objects.
    Keyed,
}

const STRING: Value = Value::Of(Type::String);
const NUMBER: Value = Value::Of(Type::Number);

const fn plain(name: &'static str, attributes: &'static [(&'static str, Value)]) -> Nested {
    Nested { name, attributes, blocks: &[], form: Form::Several }
}

const fn single(name: &'static str, attributes: &'static [(&'static str, Value)]) -> Nested {
    Nested { name, attributes, blocks: &[], form: Form::One }
}

const PAIR: &[(&str, Value)] = &[("key", STRING), ("value", STRING)];

/// A type of the provider.
struct Kind {
    name: &'static str,
    attributes: &'static [(&'static str, Value)],
    blocks: &'static [Nested],
}

const SERVER: Kind = Kind {
    name: "sample_server",
    attributes: &[
        ("name", STRING),
        ("text", STRING),
        ("zone", STRING),
        ("size", NUMBER),
        ("flags", Value::Of(Type::Map)),
        ("items", Value::Of(Type::List)),
        ("names", Value::Of(Type::Set)),
        ("any", Value::Any),
        ("password", STRING),
        ("secret", Value::WriteOnly),
        ("one", Value::Of(Type::Object)),
        ("many", Value::Of(Type::Objects)),
        ("some", Value::Of(Type::Objects)),
        ("keyed", Value::Keyed),
    ],
    blocks: &[
        Nested {
            name: "rule",
            attributes: &[("host", STRING), ("port", NUMBER)],
            blocks: &[plain("match", PAIR)],
            form: Form::Several,
        },
        plain("label", PAIR),
        single("limit", &[("cpu", NUMBER), ("hidden", STRING)]),
        single("extra", &[("note", STRING)]),
        Nested { name: "entry", attributes: &[("value", STRING)], blocks: &[], form: Form::Labelled },
    ],
};

const POLICY: Kind = Kind {
    name: "sample_policy",
    attributes: &[("name", STRING), ("secret", Value::WriteOnly)],
    blocks: &[
        Nested {
            name: "statement",
            attributes: &[("effect", STRING), ("secret", Value::WriteOnly)],
            blocks: &[plain("target", PAIR)],
            form: Form::Several,
        },
        plain("label", PAIR),
    ],
};

const LOOKUP: Kind =
    Kind { name: "sample_lookup", attributes: &[("query", STRING)], blocks: &[plain("filter", PAIR)] };

const TOKEN: Kind =
    Kind { name: "sample_token", attributes: &[("name", Value::WriteOnly)], blocks: &[plain("scope", PAIR)] };

const NOTIFY: Kind = Kind {
    name: "sample_notify",
    attributes: &[("text", STRING), ("secret", Value::WriteOnly), ("many", Value::Of(Type::Objects))],
    blocks: &[plain("label", PAIR)],
};

const PROVIDER: Kind = Kind {
    name: "sample",
    attributes: &[("region", STRING), ("token", Value::WriteOnly)],
    blocks: &[plain("endpoint", &[("host", STRING)])],
};

/// What a lifecycle can ignore or be triggered by.
const PATHS: &[&str] = &[
    "name",
    "text",
    "rule",
    "rule[0].host",
    "rule[0]",
    "label",
    "limit",
    "limit.cpu",
    "flags",
    "flags[\"a\"]",
    "one.b",
    "many[0].a",
    "many",
    "entry[\"a\"].value",
    "secret",
    "zone",
];

const TYPES: [Type; 6] = [Type::Number, Type::String, Type::Bool, Type::List, Type::Map, Type::Object];

impl Generator {
    /// What a module says of the provider before anything else.
    pub(super) fn settings(&mut self, module: &mut Module, depth: usize) {
        if !self.random.one_in(30) {
            let source = "{\"source\": \"hashicorp/sample\"}".to_owned();
            let required = Block::new("required_providers", &[], vec![Item::Static("sample", source)]);
            module.blocks.push(Block::new("terraform", &[], vec![Item::Block(required)]));
        }
        if depth > 0 || self.random.one_in(2) {
            return;
        }
        if self.random.one_in(3) {
            let alias = vec![Item::Static("alias", "\"b\"".to_owned())];
            module.blocks.push(Block::new("provider", &["sample"], alias));
            let mut items = vec![Item::Static("provider", "sample.b".to_owned())];
            self.body(module, &TOKEN, &mut items);
            module.blocks.push(Block::new("ephemeral", &["sample_token", "t"], items));
            module.ephemeral.push(string("ephemeral.sample_token.t.value"));
        }
        let mut items = Vec::new();
        self.body(module, &PROVIDER, &mut items);
        module.blocks.push(Block::new("provider", &["sample"], items));
    }

    pub(super) fn provided_part(&mut self, module: &mut Module, name: &str) {
        match self.random.below(9) {
            0 => self.lookup(module, name),
            1 => self.token(module, name),
            2 => self.notify(module, name),
            3 | 4 => self.managed(module, name, &POLICY),
            _ => self.managed(module, name, &SERVER),
        }
    }

    pub(super) fn call_of_function(&mut self, ty: Type, module: &Module, depth: usize) -> Expr {
        let (template, types): (_, &[Type]) = match (ty, self.random.below(3)) {
            (Type::String, 0) => ("provider::sample::join(@, @)", &[Type::String, Type::String]),
            (Type::String, 1) => ("provider::sample::join(@...)", &[Type::List]),
            (Type::Number, 0 | 1) => ("provider::sample::size(@)", &[Type::List]),
            (_, _) => ("provider::sample::same(@)", &[ty]),
        };
        let inner: Vec<Expr> = types.iter().map(|ty| self.expr(*ty, module, depth)).collect();
        Expr::of(template, inner)
    }

    fn value(&mut self, value: Value, module: &Module) -> Expr {
        // What is ephemeral is wrong almost everywhere.
        let ephemeral = match value {
            Value::WriteOnly => 2,
            _ => 100,
        };
        if !module.ephemeral.is_empty() && self.random.one_in(ephemeral) {
            return Expr::text(self.random.pick(&module.ephemeral).text.clone());
        }
        match value {
            Value::Of(ty) => self.expr(ty, module, 1),
            Value::WriteOnly => self.expr(Type::String, module, 1),
            Value::Any => {
                let ty = *self.random.pick(&TYPES);
                self.expr(ty, module, 1)
            }
            Value::Keyed => Expr::of("{ for k, v in @ : k => { a = v } }", [self.expr(Type::Map, module, 1)]),
        }
    }

    /// Some arguments and blocks of a kind.
    fn body(&mut self, module: &mut Module, kind: &Kind, items: &mut Vec<Item>) {
        for (name, value) in kind.attributes {
            // A name is there most often, so that objects can be told apart.
            if self.random.one_in(if *name == "name" { 2 } else { 6 }) {
                items.push(Item::Argument(name, self.value(*value, module)));
            }
        }
        self.blocks(module, kind.blocks, 0, items);
    }

    fn blocks(&mut self, module: &mut Module, all: &'static [Nested], depth: usize, items: &mut Vec<Item>) {
        for nested in all {
            // One statement is required.
            let needed = nested.name == "statement" && !self.random.one_in(16);
            if needed {
                let content = self.content(module, nested, depth);
                items.push(Item::Block(Block::new(nested.name, &[], content)));
            }
            if !self.random.one_in(3) {
                continue;
            }
            let most = if nested.form == Form::Several { 1 + self.random.below(2) } else { 1 };
            for _ in usize::from(needed)..most {
                let item = if self.random.one_in(3) {
                    let label = (nested.form == Form::Labelled).then_some("a");
                    let content = self.content(module, nested, depth);
                    Block::new(nested.name, label.as_slice(), content)
                } else {
                    self.dynamic(module, nested, depth)
                };
                items.push(Item::Block(item));
            }
        }
    }

    fn content(&mut self, module: &mut Module, nested: &'static Nested, depth: usize) -> Vec<Item> {
        let mut content = Vec::new();
        for (name, value) in nested.attributes {
            if *name == "effect" || !self.random.one_in(3) {
                content.push(Item::Argument(name, self.value(*value, module)));
            }
        }
        self.blocks(module, nested.blocks, depth + 1, &mut content);
        content
    }

    fn dynamic(&mut self, module: &mut Module, nested: &'static Nested, depth: usize) -> Block {
        let renamed = self.random.one_in(4);
        let iterator = if renamed { "it" } else { nested.name };
        let value = |part: &str, ty| Named { text: format!("{iterator}.{part}"), ty };
        let form = match nested.form {
            Form::One if !self.random.one_in(20) => 9,
            _ if self.random.one_in(20) => 8,
            _ => self.random.below(8),
        };
        let (collection, named) = match form {
            // None or one.
            9 => {
                let parts = [Type::Bool, Type::String].map(|ty| self.expr(ty, module, 1));
                (Expr::of("(@ ? [@] : [])", parts), vec![value("value", Type::String)])
            }
            0 | 1 => (
                self.expr(Type::List, module, 1),
                vec![value("key", Type::Number), value("value", Type::String)],
            ),
            2 => (
                self.expr(Type::Set, module, 1),
                vec![value("key", Type::String), value("value", Type::String)],
            ),
            3 | 4 => (
                self.expr(Type::Map, module, 1),
                vec![value("key", Type::String), value("value", Type::Number)],
            ),
            5 | 6 => (
                self.expr(Type::Objects, module, 1),
                vec![
                    value("value.a", Type::Number),
                    value("value.b", Type::String),
                    value("key", Type::Number),
                ],
            ),
            7 => {
                let ids: Vec<&Named> = module.named.iter().filter(|it| it.text.ends_with(".id")).collect();
                let id = if ids.is_empty() { "null".to_owned() } else { self.random.pick(&ids).text.clone() };
                let template = *self.random.pick(&["toset([@])", "[@]", "{ (@) = 1 }", "split(\",\", @)"]);
                (Expr::of(template, [Expr::text(id)]), vec![value("key", Type::String)])
            }
            _ => {
                let collection = Value::Of(*self.random.pick(&[Type::Object, Type::String, Type::List]));
                (self.value(collection, module), vec![value("value", Type::String)])
            }
        };
        let mut items = vec![Item::Argument("for_each", collection)];
        if renamed {
            items.push(Item::Static("iterator", iterator.to_owned()));
        }
        if nested.form == Form::Labelled || self.random.one_in(60) {
            items.push(Item::Argument("labels", Expr::text(format!("[\"${{{iterator}.key}}\"]"))));
        }
        let before = module.named.len();
        // Twice, so that they are used often.
        module.named.extend(named.iter().cloned().chain(named.iter().cloned()));
        let content = self.content(module, nested, depth);
        module.named.truncate(before);
        items.push(Item::Block(Block::new("content", &[], content)));
        Block::new("dynamic", &[nested.name], items)
    }

    fn managed(&mut self, module: &mut Module, name: &str, kind: &Kind) {
        let mut items = Vec::new();
        let repetition = self.repetition(module, &mut items);
        let before = module.named.len();
        let own = match repetition {
            Some("count") => Some(Named { text: "count.index".to_owned(), ty: Type::Number }),
            Some(_) => Some(string("each.key")),
            None => None,
        };
        module.named.extend(own.iter().cloned().chain(own.iter().cloned()));
        self.body(module, kind, &mut items);
        module.named.truncate(before);
        if self.random.one_in(3) {
            let lifecycle = self.lifecycle(module, kind);
            items.push(Item::Block(Block::new("lifecycle", &[], lifecycle)));
        }
        module.blocks.push(Block::new("resource", &[kind.name, name], items));
        let address = format!("{}.{name}", kind.name);
        self.add_references(module, &address, repetition, ("id", Type::String));
        if kind.name == SERVER.name {
            for (part, ty) in [
                ("zone", Type::String),
                ("password", Type::String),
                ("flags", Type::Map),
                ("items", Type::List),
                ("many", Type::Objects),
                ("one.code", Type::String),
            ] {
                if self.random.one_in(2) {
                    self.add_references(module, &address, repetition, (part, ty));
                }
            }
            if repetition.is_none() {
                module.named.push(Named { text: format!("{address}.rule[*].code"), ty: Type::List });
                module.named.push(Named { text: format!("{address}.label[*].key"), ty: Type::List });
            }
        }
        module.resources.push(address);
    }

    fn lifecycle(&mut self, module: &mut Module, kind: &Kind) -> Vec<Item> {
        let mut lifecycle = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(8) {
                0 if is_new(&lifecycle, "create_before_destroy") => {
                    lifecycle.push(Item::Static("create_before_destroy", "true".to_owned()))
                }
                1 if is_new(&lifecycle, "prevent_destroy") => {
                    lifecycle.push(Item::Static("prevent_destroy", "true".to_owned()))
                }
                2 | 3 if is_new(&lifecycle, "ignore_changes") => {
                    let path = *self.random.pick(PATHS);
                    lifecycle.push(Item::Static("ignore_changes", format!("[{path}]")));
                }
                4 if is_new(&lifecycle, "replace_triggered_by") && !module.resources.is_empty() => {
                    let trigger = self.random.pick(&module.resources).clone();
                    let part = if self.random.one_in(2) {
                        String::new()
                    } else {
                        format!(".{}", self.random.pick(PATHS))
                    };
                    lifecycle.push(Item::Static("replace_triggered_by", format!("[{trigger}{part}]")));
                }
                5 => {
                    let part = if kind.name == SERVER.name { "rule" } else { "statement" };
                    let inner = self.expr(Type::Bool, module, 1);
                    let condition = Expr::of(format!("length(self.{part}) < 2 || @").as_str(), [inner]);
                    let items = vec![
                        Item::Argument("condition", condition),
                        Item::Static("error_message", "\"It is wrong.\"".to_owned()),
                    ];
                    lifecycle.push(Item::Block(Block::new("postcondition", &[], items)));
                }
                _ if !module.actions.is_empty() => {
                    let events = *self.random.pick(&[
                        "after_create",
                        "before_create",
                        "after_update",
                        "before_update",
                        "before_create, after_update",
                    ]);
                    let action = self.random.pick(&module.actions).clone();
                    let mut items = vec![
                        Item::Static("events", format!("[{events}]")),
                        Item::Static("actions", format!("[{action}]")),
                    ];
                    if self.random.one_in(3) {
                        items.push(Item::Argument("condition", self.expr(Type::Bool, module, 1)));
                    }
                    lifecycle.push(Item::Block(Block::new("action_trigger", &[], items)));
                }
                _ => lifecycle.push(Item::Block(Block::new("precondition", &[], self.condition(module)))),
            }
        }
        lifecycle
    }

    fn lookup(&mut self, module: &mut Module, name: &str) {
        let mut items = Vec::new();
        let repetition = self.repetition(module, &mut items);
        self.body(module, &LOOKUP, &mut items);
        if self.random.one_in(5) && !module.resources.is_empty() {
            items.push(Item::Static("depends_on", format!("[{}]", self.random.pick(&module.resources))));
        }
        let data = Block::new("data", &["sample_lookup", name], items);
        let address = format!("data.sample_lookup.{name}");
        if self.random.one_in(5) && repetition.is_none() {
            let condition = Expr::of(format!("{address}.result != @").as_str(), [self.literal(Type::String)]);
            let assert = vec![
                Item::Argument("condition", condition),
                Item::Static("error_message", "\"It is wrong.\"".to_owned()),
            ];
            let assert = Item::Block(Block::new("assert", &[], assert));
            module.blocks.push(Block::new("check", &[name], vec![Item::Block(data), assert]));
            return;
        }
        module.blocks.push(data);
        self.add_references(module, &address, repetition, ("result", Type::String));
        self.add_references(module, &address, repetition, ("secret", Type::String));
    }

    fn token(&mut self, module: &mut Module, name: &str) {
        let mut items = Vec::new();
        if self.random.one_in(4) {
            items.push(Item::Argument("count", Expr::text("1")));
        }
        let many = !items.is_empty();
        self.body(module, &TOKEN, &mut items);
        module.blocks.push(Block::new("ephemeral", &["sample_token", name], items));
        let key = if many { "[0]" } else { "" };
        let value = string(&format!("ephemeral.sample_token.{name}{key}.value"));
        if self.random.one_in(8) {
            module.named.push(value.clone());
        }
        module.ephemeral.push(value);
        if self.random.one_in(4) {
            let names = Expr::of("\"${@}!\"", [Expr::text(module.ephemeral[0].text.clone())]);
            let local: &'static str = format!("{name}e").leak();
            module.blocks.push(Block::new("locals", &[], vec![Item::Argument(local, names)]));
            module.ephemeral.push(string(&format!("local.{local}")));
        }
    }

    fn notify(&mut self, module: &mut Module, name: &str) {
        let mut items = Vec::new();
        if self.random.one_in(5) {
            items.push(Item::Argument("for_each", Expr::text("toset([\"a\", \"b\"])")));
        }
        let many = !items.is_empty();
        let mut config = Vec::new();
        self.body(module, &NOTIFY, &mut config);
        items.push(Item::Block(Block::new("config", &[], config)));
        module.blocks.push(Block::new("action", &["sample_notify", name], items));
        let key = if many { "[\"a\"]" } else { "" };
        module.actions.push(format!("action.sample_notify.{name}{key}"));
    }

    /// A change of what only a provider or a child module has.
    pub(super) fn edit_provided(&mut self, root: &Module, step: &mut Step) {
        let at = self.random.below(step.files.len());
        let folder = step.files[at].path.rsplit_once('/').map_or(String::new(), |(folder, _)| {
            folder.split('/').map(|name| format!("module.{name}.")).collect()
        });
        let of = |step: &Step, at: usize, kind: &str| -> Vec<usize> {
            let blocks = step.files[at].blocks.iter().enumerate();
            blocks.filter(|(_, block)| block.kind == kind).map(|(at, _)| at).collect()
        };
        let resources = of(step, at, "resource");
        let calls = of(step, 0, "module");
        let statement = |kind: &'static str, items: &[(&'static str, String)]| {
            let items = items.iter().map(|(name, text)| Item::Static(name, text.clone())).collect();
            Block::new(kind, &[], items)
        };
        match self.random.below(9) {
            // Another value of an argument.
            0 | 1 if !resources.is_empty() => {
                let block = *self.random.pick(&resources);
                let block = &mut step.files[at].blocks[block];
                let arguments: Vec<usize> = (0..block.items.len())
                    .filter(|at| matches!(block.items[*at], Item::Argument(..) | Item::Block(_)))
                    .collect();
                if !arguments.is_empty() {
                    let at = *self.random.pick(&arguments);
                    self.change_item(&mut block.items[at]);
                }
            }
            2 if !resources.is_empty() => {
                let block = *self.random.pick(&resources);
                let block = &mut step.files[at].blocks[block];
                let argument = *self.random.pick(&["text", "name", "secret", "zone"]);
                block.items.retain(|item| !matches!(item, Item::Argument(name, _) if *name == argument));
                block.items.push(Item::Argument(argument, self.literal(Type::String)));
            }
            // A resource of a child module is forgotten, moved out, or moved to an instance.
            3 | 4 if !resources.is_empty() => {
                // What comes last is referred to least.
                let last = resources[resources.len() - 1];
                let gone = if self.random.one_in(3) { *self.random.pick(&resources) } else { last };
                let block = step.files[at].blocks.remove(gone);
                let address = block.labels.join(".");
                let whole = format!("{folder}{address}");
                match self.random.below(3) {
                    0 => {
                        let destroy = if self.random.one_in(2) { "true" } else { "false" };
                        let lifecycle = statement("lifecycle", &[("destroy", destroy.to_owned())]);
                        let mut removed = statement("removed", &[("from", whole)]);
                        removed.items.push(Item::Block(lifecycle));
                        step.files[0].blocks.push(removed);
                    }
                    1 => {
                        let to = format!("{}.{}_moved", block.labels[0], block.labels[1]);
                        let mut block = block;
                        block.labels[1].push_str("_moved");
                        step.files[0].blocks.push(block);
                        step.files[0].blocks.push(statement("moved", &[("from", whole), ("to", to)]));
                    }
                    _ => {
                        let mut block = block;
                        block.items.retain(|item| !matches!(item, Item::Argument("count" | "for_each", _)));
                        let each = Item::Argument("for_each", Expr::text("toset([\"a\", \"b\"])"));
                        block.items.insert(0, each);
                        step.files[at].blocks.push(block);
                        let to = format!("{address}[\"a\"]");
                        step.files[at].blocks.push(statement("moved", &[("from", address), ("to", to)]));
                    }
                }
            }
            // A call is renamed, repeated or removed.
            5 | 6 if !calls.is_empty() => {
                let call = *self.random.pick(&calls);
                let name = step.files[0].blocks[call].labels[0].clone();
                let from = format!("module.{name}");
                let blocks = &mut step.files[0].blocks;
                match self.random.below(4) {
                    0 => {
                        let to = format!("{from}x");
                        blocks[call].labels[0].push('x');
                        blocks.iter_mut().for_each(|block| block.rename(&from, &to));
                        blocks.push(statement("moved", &[("from", from), ("to", to)]));
                    }
                    1 => {
                        let each = Item::Argument("for_each", Expr::text("toset([\"a\"])"));
                        blocks[call]
                            .items
                            .retain(|item| !matches!(item, Item::Argument("count" | "for_each", _)));
                        blocks[call].items.insert(1, each);
                        let to = format!("{from}[\"a\"]");
                        blocks.push(statement("moved", &[("from", from), ("to", to)]));
                    }
                    2 => {
                        blocks.remove(call);
                        let destroy = if self.random.one_in(2) { "true" } else { "false" };
                        let lifecycle = statement("lifecycle", &[("destroy", destroy.to_owned())]);
                        let mut removed = statement("removed", &[("from", from)]);
                        removed.items.push(Item::Block(lifecycle));
                        blocks.push(removed);
                    }
                    _ => {
                        blocks.remove(call);
                    }
                }
            }
            // An import, with a key, with for_each, or by identity.
            7 => {
                let name = format!("new{}", self.random.below(2));
                let id = (*self.random.pick(&["\"i-1\"", "\"missing\"", "\"i-2\""])).to_owned();
                let mut items = Vec::new();
                let mut import = match self.random.below(4) {
                    0 => statement("import", &[("to", format!("sample_server.{name}")), ("id", id)]),
                    1 => {
                        let identity = "{\"id\": \"i-3\"}".to_owned();
                        let to = format!("sample_server.{name}");
                        statement("import", &[("to", to), ("identity", identity)])
                    }
                    2 => {
                        items.push(Item::Argument("for_each", Expr::text("toset([\"a\", \"b\"])")));
                        let to = format!("sample_server.{name}[\"a\"]");
                        statement("import", &[("to", to), ("id", id)])
                    }
                    _ => {
                        items.push(Item::Argument("for_each", Expr::text("toset([\"a\", \"b\"])")));
                        let to = format!("sample_server.{name}[each.key]");
                        let mut import = statement("import", &[("to", to)]);
                        let keys = *self.random.pick(&["{ a = \"i-1\" }", "{ a = \"i-1\", b = \"i-2\" }"]);
                        import.items.insert(0, Item::Argument("for_each", Expr::text(keys)));
                        import.items.push(Item::Argument("id", Expr::text("each.value")));
                        import
                    }
                };
                if self.random.one_in(6) && !root.resources.is_empty() {
                    let from = self.random.pick(&root.resources).clone();
                    for item in &mut import.items {
                        if let Item::Static("to", to) = item {
                            to.clone_from(&from);
                        }
                    }
                }
                items.push(Item::Argument("name", Expr::text("\"i-1\"")));
                let blocks = &mut step.files[0].blocks;
                blocks.push(Block::new("resource", &["sample_server", &name], items));
                blocks.push(import);
            }
            // A file that overrides blocks of a resource.
            _ if !resources.is_empty() => {
                let block = &step.files[at].blocks[*self.random.pick(&resources)];
                let labels: Vec<&str> = block.labels.iter().map(String::as_str).collect();
                let mut items = vec![Item::Argument("name", Expr::text("\"b\""))];
                if labels[0] == SERVER.name {
                    let rule = vec![Item::Argument("host", Expr::text("\"over\""))];
                    items.push(Item::Block(Block::new("rule", &[], rule)));
                }
                let path = step.files[at].path.replace("main.tf", "z_override.tf");
                let blocks = vec![Block::new("resource", &labels, items)];
                if path != step.files[at].path && !step.files.iter().any(|file| file.path == path) {
                    step.files.push(File { path, json: self.random.one_in(2), blocks });
                }
            }
            _ => {}
        }
    }

    fn change_item(&mut self, item: &mut Item) {
        match item {
            Item::Argument(_, expr) => {
                let simpler = expr.simpler();
                *expr = match simpler.is_empty() || self.random.one_in(2) {
                    true => self.literal(Type::String),
                    false => self.random.pick(&simpler).clone(),
                };
            }
            Item::Block(block) if !block.items.is_empty() => {
                let at = self.random.below(block.items.len());
                self.change_item(&mut block.items[at]);
            }
            Item::Block(_) | Item::Static(..) => {}
        }
    }
}

/// Whether no argument has this name yet.
fn is_new(items: &[Item], name: &str) -> bool {
    items.iter().all(|item| !matches!(item, Item::Static(known, _) if *known == name))
}

fn string(text: &str) -> Named {
    Named { text: text.to_owned(), ty: Type::String }
}
